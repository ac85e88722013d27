#!/bin/bash
# Installs what building and testing need, on Debian, Ubuntu and Fedora. Does nothing when all is there. Rust itself is not
# installed: see https://rustup.rs.
set -euo pipefail

debian=(autoconf automake make gcc libc6-dev pkg-config clang libclang-dev libdpdk-dev
	iproute2 iputils-ping tcpdump ethtool pandoc python3 libfabric-bin)
fedora=(autoconf automake make gcc pkgconf-pkg-config clang clang-devel dpdk-devel
	iproute iputils tcpdump ethtool pandoc python3 libfabric)

root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

if command -v apt-get >/dev/null; then
	missing=()
	for p in "${debian[@]}"; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		echo "installing: ${missing[*]}"
		root env DEBIAN_FRONTEND=noninteractive apt-get update -q
		root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
	fi
elif command -v dnf >/dev/null; then
	missing=()
	for p in "${fedora[@]}"; do rpm -q "$p" >/dev/null 2>&1 || missing+=("$p"); done
	[ ${#missing[@]} -eq 0 ] || root dnf install -y "${missing[@]}"
else
	echo "neither apt-get nor dnf here; needed are: ${debian[*]} (names of Debian)" >&2
	exit 1
fi

command -v cargo >/dev/null || {
	echo "cargo is missing: install Rust 1.85 or newer from https://rustup.rs, then run this again" >&2
	exit 1
}
