#!/bin/bash
# A peer that is killed: the other side's operations end in errors within the configured time, and a new peer at the same
# address is talked to.
. "$(dirname "$0")/device.bash"
device_open "${1:-veth}"
export FI_DPDK_PEER_TIMEOUT=2000
port=$(pair_control_port)
pair_server fi_pingpong -p dpdk -e rdm -I 100000000 -S 64 -B "$port" >"$pair_dir/server.log" 2>&1 &
server=$!
pair_wait_listening "$port"
pair_client timeout 30 fi_pingpong -p dpdk -e rdm -I 100000000 -S 64 -P "$port" "$pair_control_addr" \
	>"$pair_dir/client.log" 2>&1 &
client=$!
sleep 3
# The server's own process, not the shell or `ip` around it.
victim=$(pgrep -f -- "-B $port" | while read -r p; do
	[ "$(cat "/proc/$p/comm" 2>/dev/null)" = fi_pingpong ] && echo "$p"
done | head -1)
[ -n "$victim" ] || fail "the server is not there any more: $(cat "$pair_dir/server.log" "$pair_dir/client.log")"
kill -9 "$victim"
begin=$(date +%s%N)
status=0
wait "$client" || status=$?
took=$((($(date +%s%N) - begin) / 1000000))
wait "$server" 2>/dev/null || true
[ "$status" != 0 ] && [ "$status" -lt 124 ] || { cat "$pair_dir/client.log"; fail "the survivor ended with status $status"; }
[ "$took" -lt 8000 ] || fail "the survivor took $took ms"
echo "ok: the survivor ended after $took ms with status $status"
pingpong -e rdm -c -I 100
