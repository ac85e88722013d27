#!/bin/bash
# Runs fi_pingpong -p dpdk between two processes over a DPDK device of this machine, checking data, 64 B to 1 MiB.
#
#	contrib/pingpong.sh vhost|memif|veth [OPTIONS OF fi_pingpong]
#
# vhost and memif need neither root nor hugepages; veth makes two network namespaces and needs root.
set -euo pipefail
device=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=contrib/pair.sh
. "$here/pair.sh"
pair_up "$device"
trap pair_down EXIT

echo "== fi_pingpong -p dpdk over $device"
port=$(pair_control_port)
opts=(-p dpdk -e rdm -m tagged -c -B "$port")
pair_server fi_pingpong "${opts[@]}" "$@" >"$pair_dir/server.log" 2>&1 &
server=$!
pair_wait_listening "$port"
pair_client fi_pingpong "${opts[@]/-B/-P}" "$@" "$pair_control_addr"
wait "$server" || { cat "$pair_dir/server.log" >&2; exit 1; }
