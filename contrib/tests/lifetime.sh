#!/bin/bash
# The library under many threads, across fork and dlclose; and without an error or a leak that valgrind sees, if it is there.
. "$(dirname "$0")/lib.sh"
has_provider udp || skip "built without the udp provider, which offers something on every host"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export FI_PROVIDER=udp
${CC:-cc} -Wall -Wextra -g -I"$srcdir/include" -o "$dir/lifetime" "$srcdir/contrib/tests/lifetime.c" -ldl -lpthread
timeout 120 "$dir/lifetime" "$builddir/lib/libfabric.so.1" || fail "lifetime: $?"
command -v valgrind >/dev/null || exit 0
timeout 400 valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
	"$dir/lifetime" "$builddir/lib/libfabric.so.1" || fail "lifetime under valgrind: $?"
