#!/bin/bash
# A program sees the same texts, whichever libfabric's headers it was compiled against and whichever it runs on.
. "$(dirname "$0")/lib.sh"
need pkg-config
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
pkg-config --exists libfabric || skip "the distribution's libfabric-dev is not installed"
stock_include=$(pkg-config --variable=includedir libfabric)
stock_lib=$(pkg-config --variable=libdir libfabric)
[ -f "$stock_include/rdma/fabric.h" ] && [ -e "$stock_lib/libfabric.so" ] ||
	skip "the distribution's libfabric-dev is not complete"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

build() { # NAME INCLUDE LIB
	${CC:-cc} -Wall -Wextra -Werror -I"$2" -o "$dir/$1" "$srcdir/contrib/tests/texts.c" -L"$3" -lfabric
}
build with_stock "$stock_include" "$stock_lib"
build with_ours "$srcdir/include" "$builddir/lib"

env -u LD_LIBRARY_PATH "$dir/with_stock" >"$dir/expected" || fail "the program does not run on the distribution's library"
lines=$(wc -l <"$dir/expected")
[ "$lines" -gt 2000 ] || fail "the program prints only $lines lines"
for program in with_stock with_ours; do
	env -u LD_LIBRARY_PATH "$dir/$program" >"$dir/stock" || fail "$program does not run on the distribution's library"
	diff "$dir/expected" "$dir/stock" || fail "$program prints something else on the distribution's library"
	"$dir/$program" >"$dir/ours" || fail "$program does not run on ours"
	diff "$dir/expected" "$dir/ours" || fail "$program prints something else on ours"
done
