#!/bin/bash
# The dpdk provider as a library of its own, loaded by the distribution's libfabric: its own tools run over a memif pair.
. "$(dirname "$0")/lib.sh"
has_provider dpdk || skip "built without the dpdk provider"
[ -x /usr/bin/fi_info ] && [ -x /usr/bin/fi_pingpong ] || skip "the distribution's libfabric tools are not installed"
. "$srcdir/contrib/pair.sh"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LD_LIBRARY_PATH make -s -C "$builddir" loadable/libdpdk-fi.so
# Nothing of this build but the provider.
unset LD_LIBRARY_PATH
export FI_PROVIDER_PATH=$builddir/loadable

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
FI_DPDK_PORTS="net_memif0,role=server=10.77.0.1/24" /usr/bin/fi_info -p dpdk -v >"$dir/info" || fail "fi_info -p dpdk"
grep 'prov_name: dpdk' "$dir/info" >/dev/null || { cat "$dir/info"; fail "fi_info -p dpdk -v shows no dpdk"; }
grep 'type: FI_EP_RDM' "$dir/info" >/dev/null || fail "fi_info -p dpdk -v shows no reliable endpoints"
# Its own endpoints, with no other provider's put over them.
others=$(sed -n 's/.*prov_name: //p' "$dir/info" | grep -vx dpdk || true)
[ -z "$others" ] || fail "asked for dpdk, the distribution's libfabric has also $others"
/usr/bin/fi_info -g FI_DPDK >"$dir/env"
grep FI_DPDK_PORTS "$dir/env" >/dev/null || fail "fi_info -g does not show the provider's variables"

run() { # ARGS...
	local port
	pair_up memif
	trap 'pair_down; rm -rf "$dir"' EXIT
	port=$(pair_control_port)
	pair_server timeout 120 /usr/bin/fi_pingpong -p dpdk "$@" -B "$port" >"$pair_dir/server.log" 2>&1 &
	local server=$!
	pair_wait_listening "$port"
	pair_client timeout 120 /usr/bin/fi_pingpong -p dpdk "$@" -P "$port" "$pair_control_addr" || fail "fi_pingpong -p dpdk $*"
	wait "$server" || { cat "$pair_dir/server.log"; fail "the server of fi_pingpong -p dpdk $*"; }
	pair_down
	trap 'rm -rf "$dir"' EXIT
}
run -e rdm -c -I 100
run -e rdm -m tagged -c -I 100
run -e dgram -I 100
