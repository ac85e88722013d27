#!/bin/bash
# Programs see the same, whichever libfabric's headers they were compiled against and whichever they run on: texts of values
# and errors, parameters, the log, named objects.
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
ours=$LD_LIBRARY_PATH
unset LD_LIBRARY_PATH FI_PROVIDER_PATH
# Levels and subsystems as the programs expect them.
export FI_LOG_LEVEL=warn FI_LOG_SUBSYS=av FI_PROVIDER=none

build() { # PROGRAM NAME INCLUDE LIB
	${CC:-cc} -Wall -Wextra -Werror -I"$3" -o "$dir/$1.$2" "$srcdir/contrib/tests/$1.c" -L"$4" -lfabric
}
# What a program prints, with its log lines at the end: they name the process and the time.
run() { # PROGRAM LIBRARY_PATH OUT
	LD_LIBRARY_PATH=$2 "$dir/$1" >"$3" 2>"$3.log" || { cat "$3.log"; return 1; }
	sed 's/^libfabric:[0-9]*:[0-9]*:/libfabric:PID:TIME:/' "$3.log" >>"$3"
}

for p in texts library; do
	build $p stock "$stock_include" "$stock_lib"
	build $p ours "$srcdir/include" "$builddir/lib"
	run $p.stock "$stock_lib" "$dir/expected" || fail "$p does not run on the distribution's library"
	for headers in stock ours; do
		run $p.$headers "$stock_lib" "$dir/out" || fail "$p with $headers headers does not run on the distribution's library"
		diff "$dir/expected" "$dir/out" || fail "$p with $headers headers prints something else on the distribution's library"
		run $p.$headers "$ours" "$dir/out" || fail "$p with $headers headers does not run on our library"
		diff "$dir/expected" "$dir/out" || fail "$p with $headers headers prints something else on our library"
	done
	cp "$dir/out" "$dir/$p.out"
done
[ "$(wc -l <"$dir/texts.out")" -gt 2000 ] || fail "texts prints too little"
grep '^mine: probe level 0 subsys 5' "$dir/library.out" >/dev/null || fail "the application does not get the log"
grep '^libfabric:PID:TIME::probe:av:speak()' "$dir/library.out" >/dev/null || fail "the library does not write the log"

# A provider is filtered by its name here, whether it is registered or not, and the application is told.
FI_LOG_PROV=probe run library.ours "$ours" "$dir/out" || fail "library with FI_LOG_PROV"
grep 'asked about other, filtered: 1' "$dir/out" >/dev/null || fail "a filtered provider is not told"
if grep ':other:av:' "$dir/out"; then fail "a filtered provider is logged"; fi
