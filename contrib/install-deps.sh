#!/bin/bash
# Installs what building and testing need, on Debian, Ubuntu and Fedora. Does nothing when all is there. Rust itself is not
# installed: see https://rustup.rs.
set -euo pipefail

debian=(autoconf automake make gcc g++ libc6-dev pkg-config clang libclang-dev libdpdk-dev pandoc
	util-linux iproute2 iputils-ping tcpdump tshark ethtool python3 libfabric-bin)
fedora=(autoconf automake make gcc gcc-c++ glibc-devel pkgconf-pkg-config clang clang-devel dpdk-devel pandoc
	util-linux iproute iputils tcpdump wireshark-cli ethtool python3 libfabric)

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "run this as root, or install sudo; it was about to: $*" >&2
		exit 1
	fi
}

missing=()
if command -v apt-get >/dev/null; then
	for p in "${debian[@]}"; do
		dpkg-query -W -f '${Status}\n' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		echo "installing: ${missing[*]}"
		as_root apt-get update -q
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
	fi
elif command -v dnf >/dev/null; then
	for p in "${fedora[@]}"; do
		rpm -q --whatprovides "$p" >/dev/null 2>&1 || missing+=("$p")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		echo "installing: ${missing[*]}"
		as_root dnf install -y "${missing[@]}"
	fi
else
	echo "neither apt-get nor dnf is here. Needed, by Debian's names: ${debian[*]}" >&2
	exit 1
fi

command -v cargo >/dev/null || {
	echo "cargo is missing: install Rust 1.85 or newer from https://rustup.rs, then run this again" >&2
	exit 1
}
