#!/bin/bash
# Mistakes in FI_DPDK_PORTS and devices that cannot be had: each gives one log line with the remedy and a clean error.
. "$(dirname "$0")/device.bash"
need fi_info
pair_dir=$(mktemp -d)
trap 'rm -rf "$pair_dir"' EXIT
need_peer
mkfifo "$pair_dir/open"
exec 9<>"$pair_dir/open"

# expect TEXT PORTS COMMAND...: the command fails, is not killed by a signal, and says TEXT in a warning.
expect() {
	local text=$1 ports=$2 status=0
	shift 2
	FI_DPDK_PORTS=$ports timeout 30 "$@" >"$pair_dir/log" 2>&1 || status=$?
	[ "$status" != 0 ] && [ "$status" -lt 124 ] || { cat "$pair_dir/log"; fail "$ports: status $status"; }
	grep -a "dpdk.*warn" "$pair_dir/log" | grep -aqF -- "$text" || { cat "$pair_dir/log"; fail "$ports: no '$text'"; }
	echo "ok: $ports: $text"
}

expect "10.0.0.1/24" "eth0=10.0.0.1" fi_info -p dpdk
expect "'10.0.0.300/24' is no IP/prefix" "net_memif0=10.0.0.300/24" fi_info -p dpdk
expect "append =IP/prefix" "net_memif0,role=server" fi_info -p dpdk
expect "unknown option 'speed'" "net_memif0=10.0.0.1/24,speed=9" fi_info -p dpdk
expect "no such device" "no-such-if0" fi_info -p dpdk
expect "no such PCI device" "ffff:00:00.0=10.0.0.1/24" "$pair_dir/peer" hold 0 idle
expect "does not exist or has no driver" "net_nonsense0=10.0.0.1/24" "$pair_dir/peer" hold 0 idle
expect "correct its arguments" "net_null0,nonsense=1=10.0.0.1/24" "$pair_dir/peer" hold 0 idle
FI_DPDK_LINK_TIMEOUT=300 expect "start the other side first" \
	"net_memif0,role=client,socket=$pair_dir/nobody,socket-abstract=no=10.0.0.1/24" "$pair_dir/peer" hold 0 idle

# In use by another process.
busy="net_memif0,role=server,socket=fi-test-$$=10.0.0.1/24"
FI_DPDK_PORTS=$busy "$pair_dir/peer" hold 0 idle <&9 >"$pair_dir/first" 2>&1 &
first=$!
wait_for ready "$pair_dir/first"
expect "another process" "$busy" "$pair_dir/peer" hold 0 idle
kill "$first" 2>/dev/null || true
wait "$first" 2>/dev/null || true
