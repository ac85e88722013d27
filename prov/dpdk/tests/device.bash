# Sourced by the tests on devices: two processes over a pair of ports, and what must hold on every kind of pair.
#
# shellcheck source=contrib/tests/lib.sh
. "$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/contrib/tests/lib.sh"
# shellcheck source=contrib/pair.sh
. "$srcdir/contrib/pair.sh"
export FI_LOG_LEVEL="${FI_LOG_LEVEL:-warn}"
# What one run may take, in seconds; a hang is a failure.
limit=60

# Opens a pair of ports of a kind, or skips with the reason.
device_open() {
	has_provider dpdk || [ -z "${PROVIDERS:-}" ] || skip "built without the dpdk provider"
	need fi_pingpong
	case $1 in
	veth | afxdp | tap)
		need_root
		need ip
		ip netns add "fi-probe-$$" 2>/dev/null || skip "network namespaces cannot be made here"
		ip netns del "fi-probe-$$"
		;;
	esac
	pair_up "$1"
	trap pair_down EXIT
	return 0
}

# Runs fi_pingpong with options on both sides; fails with both logs.
pingpong() {
	local port server
	port=$(pair_control_port)
	pair_server timeout "$limit" fi_pingpong -p dpdk -B "$port" "$@" >"$pair_dir/server.log" 2>&1 &
	server=$!
	pair_wait_listening "$port" || { cat "$pair_dir/server.log" >&2; fail "the server of fi_pingpong $* does not start"; }
	if ! pair_client timeout "$limit" fi_pingpong -p dpdk -P "$port" "$@" "$pair_control_addr" \
		>"$pair_dir/client.log" 2>&1; then
		cat "$pair_dir/client.log" "$pair_dir/server.log" >&2
		fail "the client of fi_pingpong $* on $pair_kind"
	fi
	wait "$server" || { cat "$pair_dir/server.log" >&2; fail "the server of fi_pingpong $* on $pair_kind"; }
	echo "ok: fi_pingpong $* on $pair_kind"
}

# Both kinds of endpoints, all sizes, data checked.
device_test() {
	device_open "$1"
	pingpong -e rdm -c -I 200
	pingpong -e dgram -c -I 200
}

# Builds the conversation partner, with the headers and the library under test.
need_peer() {
	need "${CC:-cc}"
	"${CC:-cc}" -o "$pair_dir/peer" -I"$srcdir/include" "$srcdir/prov/dpdk/tests/peer.c" \
		"$(find -L "$builddir/lib" "$builddir/.libs" -name 'libfabric.so*' 2>/dev/null | head -1)" \
		-Wl,--allow-shlib-undefined || fail "peer.c does not compile"
}

# Waits until a file says a word.
wait_for() { # WORD FILE
	local i
	for ((i = 0; i < 300; i++)); do
		grep -qs -- "$1" "$2" && return 0
		sleep 0.1
	done
	cat "$2" >&2
	fail "no '$1' in $2"
}

# The process of a peer that holds, not the shells around it.
holder() {
	local p
	for p in $(pgrep -f -- "^$pair_dir/peer hold"); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = peer ] && echo "$p" && return 0
	done
	fail "no peer holds"
}
