#!/bin/bash
# Runs all tests of a built tree and prints how many passed. Builds first where nothing is built yet.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$top/build}
if [ ! -f "$build/Makefile" ]; then
	"$top/contrib/install-deps.sh" || exit 1
	[ -x "$top/configure" ] || "$top/autogen.sh" >/dev/null || exit 1
	mkdir -p "$build"
	(cd "$build" && "$top/configure" --prefix="$build/prefix" --enable-dpdk) || exit 1
fi
cd "$build" || exit 1
make || exit 1
make check
result=$?
log=$build/test-suite.log
count() { sed -n "s/^# $1: *//p" "$log" | head -n 1; }
passed=$(count PASS) failed=$(count FAIL) errors=$(count ERROR) skipped=$(count SKIP)
[ "$result" = 0 ] || cat "$log"
grep -h '^skipped:' "$build"/*.log "$build"/*/*.log "$build"/*/*/*.log "$build"/*/*/*/*.log 2>/dev/null | sort -u
echo "${passed:-0} passed, $((${failed:-0} + ${errors:-0})) failed, ${skipped:-0} skipped"
exit "$result"
