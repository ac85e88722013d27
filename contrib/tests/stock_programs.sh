#!/bin/bash
# Programs of the distribution, built against an older libfabric, run on this library.
. "$(dirname "$0")/lib.sh"
[ -x /usr/bin/fi_info ] && [ -x /usr/bin/fi_pingpong ] || skip "the distribution's libfabric tools are not installed"
. "$srcdir/contrib/pair.sh"

/usr/bin/fi_info -l | grep udp >/dev/null || fail "fi_info -l does not list udp"
/usr/bin/fi_info -e | grep FI_LOG_LEVEL >/dev/null || fail "fi_info -e does not list the core's variables"
/usr/bin/fi_info -p udp -v | grep 'prov_name: udp' >/dev/null || fail "fi_info -p udp -v"

run() { # KIND ARGS...
	local port
	pair_up "$1"
	shift
	trap pair_down EXIT
	port=$(pair_control_port)
	pair_server timeout 120 /usr/bin/fi_pingpong "$@" -B "$port" >"$pair_dir/server.log" 2>&1 &
	local server=$!
	pair_wait_listening "$port"
	pair_client timeout 120 /usr/bin/fi_pingpong "$@" -P "$port" "$pair_control_addr" || fail "fi_pingpong $*"
	wait "$server" || { cat "$pair_dir/server.log"; fail "the server of fi_pingpong $*"; }
	pair_down
	trap - EXIT
}

run memif -p udp -e dgram -I 100
if has_provider dpdk; then
	FI_DPDK_PORTS="net_memif0,role=server=10.77.0.1/24" /usr/bin/fi_info -p dpdk | grep 'provider: dpdk' >/dev/null ||
		fail "fi_info -p dpdk"
	run memif -p dpdk -e rdm -c -I 200
	run memif -p dpdk -e rdm -m tagged -c -I 200
	run memif -p dpdk -e dgram -I 200
fi
