#!/bin/bash
# Measures the dpdk provider against raw frames of the same device and against the distribution's libfabric. Each figure is
# the median of rounds in which both sides are measured in turn. One line a figure on stdout; see README.md beside this file.
#
#	bench.sh [-v] [PATTERN]		figures whose name matches the (shell) pattern
set -uo pipefail
verbose=
[ "${1:-}" = -v ] && { verbose=1; shift; }
pattern=${1:-*}
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${builddir:=$srcdir/build}" "${CARGO_OUT:=$builddir/target/release}"
rounds=${BENCH_ROUNDS:-9}
failed=0
ours_lib=$builddir/lib
# shellcheck source=contrib/pair.sh
. "$srcdir/contrib/pair.sh"

say() { [ -z "$verbose" ] || echo "# $*" >&2; }

word() { # NAME LINE...: the value of name=value
	local name=$1 w
	shift
	for w in $*; do case $w in "$name="*) echo "${w#*=}"; return 0 ;; esac; done
	return 1
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# Two processes over a pair, started by functions "first" and "second"; prints the output of both.
both() { # KIND
	local port log result
	pair_up "$1" || return 1
	port=$(pair_control_port)
	first "$port" >"$pair_dir/first.log" 2>"$pair_dir/first.err" &
	local p=$!
	ready "$port" && second "$port" >"$pair_dir/second.log" 2>"$pair_dir/second.err"
	result=$?
	wait $p || result=1
	if [ $result != 0 ]; then cat "$pair_dir"/*.err >&2; fi
	log=$(cat "$pair_dir/first.log" "$pair_dir/second.log")
	pair_down
	echo "$log"
	return $result
}

ours() { # KIND FIGURE ARGS...
	local kind=$1 figure=$2
	shift 2
	local args=("$@")
	first() { LD_LIBRARY_PATH=$ours_lib pair_server timeout 120 "$CARGO_OUT/fi_measure" -p dpdk -B "$1" "${args[@]}"; }
	second() { LD_LIBRARY_PATH=$ours_lib pair_client timeout 120 "$CARGO_OUT/fi_measure" -p dpdk -B "$1" "${args[@]}" "$pair_control_addr"; }
	ready() { pair_wait_listening "$1"; }
	local out
	out=$(both "$kind") && word "$figure" "$out"
}

# The device part of the provider's port string, without our address.
device_of() { local d=$1; d=${d%%=10.77.*}; echo "$d"; }

raw() { # KIND FIGURE ARGS...
	local kind=$1 figure=$2
	shift 2
	local args=("$@")
	first() { pair_server timeout 120 "$CARGO_OUT/dpdk_raw" --port "$(raw_device "$pair_server_ports" 0)" --role server "${args[@]}"; }
	second() { pair_client timeout 120 "$CARGO_OUT/dpdk_raw" --port "$(raw_device "$pair_client_ports" 1)" --role client "${args[@]}"; }
	# A memif server's socket is what its client needs; the programs wait for each other otherwise.
	ready() {
		local i
		case $kind in memif*) ;; *) return 0 ;; esac
		for ((i = 0; i < 100; i++)); do [ -S "$pair_dir/memif.sock" ] && return 0; read -r -t 0.1 <> <(:) || true; done
		return 1
	}
	local out
	out=$(both "$kind") && word "$figure" "$out"
}

# The command with ports of MTU 9000.
jumbo() { PAIR_MTU=9000 "$@"; }

raw_device() { # PORTS INDEX
	local d
	d=$(device_of "$1")
	case $d in
	fis0* | fic0*)
		d=${d%%=*}
		case $pair_kind in
		afxdp) echo "net_af_xdp0,iface=$d" ;;
		*) echo "net_af_packet0,iface=$d,framesz=9216,blocksz=36864,framecnt=512" ;;
		esac
		;;
	*) echo "$d" ;;
	esac
}

# fi_pingpong of the distribution, on our library over a device.
ours_pp() { # KIND ARGS...
	local kind=$1
	shift
	local args=("$@")
	first() { LD_LIBRARY_PATH=$ours_lib pair_server timeout 120 /usr/bin/fi_pingpong -B "$1" "${args[@]}"; }
	second() { LD_LIBRARY_PATH=$ours_lib pair_client timeout 120 /usr/bin/fi_pingpong -P "$1" "${args[@]}" "$pair_control_addr"; }
	ready() { pair_wait_listening "$1"; }
	both "$kind" | awk '/^64 / { print $7; exit }'
}

# The distribution's library as it is best: its sockets provider has a thread in each process that spins for progress unless
# it is told not to, which on few cores is for milliseconds.
stock_env=(env -u LD_LIBRARY_PATH -u FI_PROVIDER_PATH FI_SOCKETS_PE_WAITTIME=0)

# The same program on the distribution's library over loopback.
stock_pp() { # ARGS...
	local port p result
	port=$(pair_control_port)
	pair_ns=()
	timeout 120 "${stock_env[@]}" /usr/bin/fi_pingpong -B "$port" "$@" >/dev/null 2>&1 &
	p=$!
	pair_wait_listening "$port" &&
		timeout 120 "${stock_env[@]}" /usr/bin/fi_pingpong -P "$port" "$@" 127.0.0.1 | awk '/^64 / { print $7; exit }'
	result=$?
	wait $p || result=1
	return $result
}

figure() { # NAME UNIT OURS-COMMAND -- PEER-COMMAND
	local name=$1 unit=$2 a=() b=() o=() p=() x
	shift 2
	# shellcheck disable=SC2254
	case $name in $pattern) ;; *) return 0 ;; esac
	while [ "$1" != -- ]; do o+=("$1"); shift; done
	shift
	p=("$@")
	say "$name: ${o[*]} -- ${p[*]}"
	for ((i = 0; i < rounds; i++)); do
		x=$("${o[@]}") && [ -n "$x" ] || { echo "bench $name failed side=ours" >&2; failed=1; return 1; }
		a+=("$x")
		x=$("${p[@]}") && [ -n "$x" ] || { echo "bench $name failed side=peer" >&2; failed=1; return 1; }
		b+=("$x")
		say "round $i: ours ${a[-1]} peer ${b[-1]}"
	done
	local mo mp
	mo=$(printf '%s\n' "${a[@]}" | median)
	mp=$(printf '%s\n' "${b[@]}" | median)
	awk -v n="$name" -v o="$mo" -v p="$mp" -v u="$unit" -v r="$rounds" \
		'BEGIN { printf "bench %s ours=%.4g peer=%.4g ratio=%.3f unit=%s rounds=%d\n", n, o, p, o / p, u, r }'
}

skipped() { # NAME REASON
	# shellcheck disable=SC2254
	case $1 in $pattern) echo "bench $1 skipped reason=$2" ;; esac
}

frame=64
n=${BENCH_COUNT:-200000}
for device in memif vhost; do
	figure "lat64.$device.raw" us ours $device half_rtt_p50_us --what latency --size 64 --count $n -- \
		raw $device p50_us --mode pingpong --size $frame --count $n
	figure "rate64.$device.raw" msg/s ours $device msg_per_s --what stream --size 64 --count $((5 * n)) -- \
		raw $device msg_per_s --mode blast --size $frame --count $((10 * n))
	figure "bw1m.$device.raw" B/s jumbo ours $device bytes_per_s --what stream --size 1048576 --count 2000 --depth 8 -- \
		raw $device bytes_per_s --mode blast --size 9014 --mtu 9000 --count $((2 * n))
done
for device in afpacket afxdp; do
	if [ "$(id -u)" != 0 ]; then
		skipped "lat64.$device.raw" needs-root
		continue
	fi
	kind=veth
	[ $device = afxdp ] && kind=afxdp
	figure "lat64.$device.raw" us ours $kind half_rtt_p50_us --what latency --size 64 --count $((n / 4)) -- \
		raw $kind p50_us --mode pingpong --size $frame --count $((n / 4))
done
# "tcp" is its tcp provider with ofi_rxm on top: by itself it has no reliable datagram endpoints.
for provider in tcp sockets; do
	if [ ! -x /usr/bin/fi_pingpong ]; then
		skipped "lat64.memif.stock-$provider" libfabric-bin-not-installed
	elif ! "${stock_env[@]}" /usr/bin/fi_info -p $provider -t FI_EP_RDM >/dev/null 2>&1; then
		skipped "lat64.memif.stock-$provider" no-provider-$provider
	else
		figure "lat64.memif.stock-$provider" us ours_pp memif -p dpdk -e rdm -m tagged -I $((n / 4)) -S 64 -- \
			stock_pp -p $provider -e rdm -m tagged -I $((n / 200)) -S 64
	fi
done
exit $failed
