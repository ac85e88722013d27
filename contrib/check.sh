#!/bin/bash
# Runs all tests of a built tree and prints, last, how many passed. Builds first where nothing is built yet.
#
# Test programs that count what they hold (cargo's, or a last line "N passed, N failed, N skipped") count with that; all
# others count as one.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$top/build}
if [ ! -f "$build/Makefile" ]; then
	"$top/contrib/install-deps.sh" || exit 1
	[ -x "$top/configure" ] || "$top/autogen.sh" || exit 1
	mkdir -p "$build"
	(cd "$build" && "$top/configure" --prefix="$build/prefix" --enable-dpdk) || exit 1
fi
cd "$build" || exit 1
jobs=$(nproc)
make -j"$jobs" all || exit 1

find . -path ./target -prune -o \( -name '*.trs' -o -name '*.log' ! -name config.log \) -type f -exec rm -f {} +
make check
result=$?

passed=0 failed=0 skipped=0
while read -r trs; do
	log=${trs%.trs}.log
	outcome=$(sed -n 's/^:global-test-result: //p' "$trs")
	read -r p f s < <(awk '
		/^test result: / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) p += $(i - 1)
			if ($i ~ /^failed/) f += $(i - 1); if ($i ~ /^ignored/) s += $(i - 1) } counted = 1 }
		/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5; counted = 1 }
		END { print p + 0, f + 0, s + 0 }' "$log")
	case $outcome in
	PASS) [ $((p + s)) -gt 0 ] || p=1 ;;
	SKIP) [ $((p + s)) -gt 0 ] || s=1 ;;
	*)
		# What broke before it could be counted is a failure too.
		[ "$f" -gt 0 ] || f=1
		printf '\n==== %s\n' "${log#./}"
		cat "$log"
		;;
	esac
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done < <(find . -path ./target -prune -o -name '*.trs' -type f -print | sort)

find . -path ./target -prune -o -name '*.log' ! -name config.log -type f -exec grep -h '^skipped:' {} + | sort -u
[ $((passed + failed)) -gt 0 ] || failed=1
[ "$result" = 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
