#!/bin/bash
# From a checkout to messages over DPDK: installs what is missing, builds, installs under a prefix, and runs fi_pingpong
# between two processes.
#
#	contrib/quickstart.sh [PREFIX]		(default: ./build/prefix)
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$top/build}
prefix=${1:-$build/prefix}

"$top/contrib/install-deps.sh"
[ -x "$top/configure" ] || "$top/autogen.sh" >/dev/null
mkdir -p "$build"
cd "$build"
grep -qsxF "prefix = $prefix" Makefile || "$top/configure" --quiet --prefix="$prefix" --enable-dpdk
make -j"$(nproc)"
make install >/dev/null
echo "installed under $prefix"

export LD_LIBRARY_PATH=$prefix/lib PATH=$prefix/bin:$PATH
"$top/contrib/pingpong.sh" vhost -I 100
"$top/contrib/pingpong.sh" memif -I 100
if [ "$(id -u)" = 0 ]; then
	"$top/contrib/pingpong.sh" veth -I 100
else
	echo "run as root to see the same over a veth pair: contrib/pingpong.sh veth"
fi
