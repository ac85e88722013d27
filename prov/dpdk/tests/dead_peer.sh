#!/bin/bash
# A peer that is killed: what is sent to it ends in an error within the configured time, and a new peer at the same
# address is talked to by the same endpoint.
. "$(dirname "$0")/device.bash"
device_open "${1:-veth}"
need_peer
export FI_DPDK_PEER_TIMEOUT=2000
# The peer lives as long as its standard input is open.
mkfifo "$pair_dir/open"
exec 9<>"$pair_dir/open"
pair_server "$pair_dir/peer" hold 7000 busy <&9 >"$pair_dir/first" 2>&1 &
first=$!
wait_for ready "$pair_dir/first"
pair_client "$pair_dir/peer" send 7001 "$pair_server_ip" 7000 >"$pair_dir/sender" 2>&1 &
sender=$!
wait_for first "$pair_dir/sender"
sleep 1
kill -9 "$(holder)"
wait "$first" 2>/dev/null || true
wait_for failed "$pair_dir/sender"
grep failed "$pair_dir/sender"
took=$(sed -n 's/.* in \([0-9]*\) ms.*/\1/p' "$pair_dir/sender")
[ "$took" -ge 1000 ] && [ "$took" -le 6000 ] || fail "it took $took ms instead of about 2000"
pair_server "$pair_dir/peer" hold 7000 busy <&9 >"$pair_dir/second" 2>&1 &
wait_for again "$pair_dir/sender"
wait "$sender" || fail "the sender ended with an error"
kill "$(holder)"
echo "ok: a killed peer is noticed, its successor is talked to"
