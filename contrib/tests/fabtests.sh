#!/bin/bash
# The test programs, by server and client on this machine, for every provider of this build.
. "$(dirname "$0")/lib.sh"
[ -x "$builddir/fabtests/fi_rdm_pingpong" ] || skip "configured without the test programs"
passed=0 failed=0 skipped=0

run() { # PROVIDER ARGS...
	local p=$1 out
	shift
	out=$(bash "$srcdir/fabtests/scripts/runfabtests.sh" -p "$builddir/fabtests" -v "$@" "$p" 127.0.0.1 127.0.0.1) || true
	echo "$out"
	counts=$(sed -n "s/^# $p: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) not run.*/\1 \2 \3/p" <<<"$out")
	[ -n "$counts" ] || fail "runfabtests.sh $p gives no counts"
	read -r ok bad not <<<"$counts"
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + not))
}

if has_provider udp; then run udp; fi
if has_provider dpdk; then
	run dpdk -D memif
	run dpdk -D vhost
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
