# Sourced by scripts that run two processes over a pair of DPDK ports on this machine.
#
#	pair_up KIND		memif | memif-huge | vhost | vhost-huge | veth | afxdp | tap
#	pair_server CMD...	runs a command as the first process, pair_client as the second
#	pair_down		ends everything
#
# PAIR_MTU sets the ports' MTU.
#
# Sets pair_dir (a scratch directory), pair_server_ip, pair_client_ip, pair_control_addr (where the server's control socket
# is reached by the client).

pair_server_ip=10.77.0.1
pair_client_ip=10.77.0.2

pair_up() {
	pair_kind=$1
	pair_dir=$(mktemp -d "${TMPDIR:-/tmp}/pair.XXXXXX")
	pair_control_addr=127.0.0.1
	pair_ns=()
	local n="$$" mtu="${PAIR_MTU:+,mtu=$PAIR_MTU}"
	case $pair_kind in
	memif | memif-huge)
		pair_server_ports="net_memif0,role=server,socket=$pair_dir/memif.sock,socket-abstract=no=$pair_server_ip/24$mtu"
		pair_client_ports="net_memif0,role=client,socket=$pair_dir/memif.sock,socket-abstract=no=$pair_client_ip/24$mtu"
		;;
	vhost | vhost-huge)
		pair_server_ports="net_vhost0,iface=$pair_dir/vhost.sock=$pair_server_ip/24$mtu"
		pair_client_ports="net_virtio_user0,path=$pair_dir/vhost.sock,mac=02:00:00:77:00:02=$pair_client_ip/24$mtu"
		;;
	veth | afxdp)
		pair_ns=("fi$n-s" "fi$n-c")
		ip netns add "${pair_ns[0]}"
		ip netns add "${pair_ns[1]}"
		ip link add fis0 netns "${pair_ns[0]}" type veth peer name fic0 netns "${pair_ns[1]}"
		ip -n "${pair_ns[0]}" addr add "$pair_server_ip/24" dev fis0
		ip -n "${pair_ns[1]}" addr add "$pair_client_ip/24" dev fic0
		# A second pair carries the control connection, as a management network would.
		ip link add fism0 netns "${pair_ns[0]}" type veth peer name ficm0 netns "${pair_ns[1]}"
		ip -n "${pair_ns[0]}" addr add 10.78.0.1/24 dev fism0
		ip -n "${pair_ns[1]}" addr add 10.78.0.2/24 dev ficm0
		for i in 0 1; do ip -n "${pair_ns[$i]}" link set lo up; done
		ip -n "${pair_ns[0]}" link set fis0 up
		ip -n "${pair_ns[0]}" link set fism0 up
		ip -n "${pair_ns[1]}" link set fic0 up
		ip -n "${pair_ns[1]}" link set ficm0 up
		if [ "$pair_kind" = afxdp ]; then
			pair_server_ports="fis0=$pair_server_ip/24,drv=af_xdp"
			pair_client_ports="fic0=$pair_client_ip/24,drv=af_xdp"
		else
			pair_server_ports=fis0
			pair_client_ports=fic0
		fi
		pair_control_addr=10.78.0.1
		;;
	tap)
		pair_ns=("fi$n-t")
		ip netns add "${pair_ns[0]}"
		ip -n "${pair_ns[0]}" link set lo up
		ip -n "${pair_ns[0]}" link add fibr type bridge
		ip -n "${pair_ns[0]}" link set fibr up
		pair_server_ports="net_tap0,iface=fitap0=$pair_server_ip/24"
		pair_client_ports="net_tap1,iface=fitap1=$pair_client_ip/24"
		# DPDK makes the interfaces when the ports open, gives them their link address and sets them up, in this order.
		# Each that is up is joined to the bridge then, with an address of its own for the kernel's end, or the bridge
		# would keep what is for the port's.
		(
			while :; do
				for dev in fitap0 fitap1; do
					case $(ip -n "${pair_ns[0]}" -o link show up dev "$dev" 2>/dev/null) in
					'' | *'master fibr'*) ;;
					*) ip -n "${pair_ns[0]}" link set "$dev" address "02:00:00:77:01:0${dev#fitap}" master fibr ;;
					esac
				done 2>/dev/null
				sleep 0.05
			done
		) &
		;;
	*)
		echo "unknown kind of pair: $pair_kind" >&2
		return 2
		;;
	esac
}

# The server's address as the application gives it: its control connection.
pair_control_port() {
	echo $((20000 + RANDOM % 20000))
}

pair_in() { # INDEX COMMAND...
	local i=$1
	shift
	case ${#pair_ns[@]} in
	0) "$@" ;;
	1) ip netns exec "${pair_ns[0]}" "$@" ;;
	*) ip netns exec "${pair_ns[$i]}" "$@" ;;
	esac
}

pair_server() {
	FI_DPDK_PORTS=$pair_server_ports pair_in 0 "$@"
}

pair_client() {
	FI_DPDK_PORTS=$pair_client_ports pair_in 1 "$@"
}

# Waits until something listens on the TCP port on the server's side. Asks the kernel, connects to nobody.
pair_wait_listening() {
	local hex i
	hex=$(printf ':%04X' "$1")
	for ((i = 0; i < 600; i++)); do
		if pair_in 0 cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
			awk -v p="$hex" '$4 == "0A" && substr($2, length($2) - 4) == p { found = 1 } END { exit !found }'; then
			return 0
		fi
		read -r -t 0.1 <> <(:) || true
	done
	echo "nothing listens on port $1" >&2
	return 1
}

pair_down() {
	local n p
	for p in $(jobs -p); do kill "$p" 2>/dev/null || true; done
	for n in "${pair_ns[@]}"; do ip netns del "$n" 2>/dev/null || true; done
	rm -rf "$pair_dir"
}
