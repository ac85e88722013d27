#!/bin/bash
# 10^5 messages of mixed sizes, both ways at once, over a real link with 1 % loss, duplication and reordering on each side:
# all arrive intact and in order.
. "$(dirname "$0")/device.bash"
need fi_rdm_soak
device_open "${1:-veth}"
export FI_DPDK_FAULTS="loss=0.01,dup=0.01,reorder=0.01,seed=${SEED:-$RANDOM}"
messages=${MESSAGES:-50000}
echo "FI_DPDK_FAULTS=$FI_DPDK_FAULTS, $messages messages each way"
port=$(pair_control_port)
pair_server timeout 600 fi_rdm_soak -p dpdk -I "$messages" -c yield -b="$port" >"$pair_dir/server.log" 2>&1 &
server=$!
pair_wait_listening "$port" || { cat "$pair_dir/server.log" >&2; fail "fi_rdm_soak does not start"; }
pair_client timeout 600 fi_rdm_soak -p dpdk -I "$messages" -c yield -b="$port" "$pair_control_addr" >"$pair_dir/client.log" 2>&1 || {
	cat "$pair_dir/client.log" "$pair_dir/server.log" >&2
	fail "the client"
}
wait "$server" || { cat "$pair_dir/server.log" >&2; fail "the server"; }
cat "$pair_dir/client.log"
