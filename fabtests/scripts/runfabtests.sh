#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs the test programs for a provider on this machine: unit programs alone, the others as server and client. See usage.
#
# A client is started when its server listens on its control port, and every test has ports, sockets and devices of its own.
set -uo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)

usage() {
	cat <<'TEXT'
Usage: runfabtests.sh [OPTIONS] [PROVIDER] [HOST] [CLIENT]

PROVIDER (sockets), HOST and CLIENT (127.0.0.1): addresses of the server's and the client's endpoints, both on this machine.

 -t SET[,SET]   which tests: quick (default), short, standard: all programs, with more and more messages;
                unit, functional, benchmarks: one kind of program, as quick; all: standard and the longest
 -R REGEX       only tests whose command line matches
 -e NAME[,NAME] leave programs out
 -f FILE        leave out the programs named in the file, one a line
 -p PATH        where the programs are (default: beside this script's build, else PATH)
 -D DEVICE      provider dpdk: the pair of ports to make for each test: memif (default), memif-huge, vhost, vhost-huge,
                veth, afxdp, tap
 -E VAR=VALUE   environment of both sides
 -S VAR=VALUE   environment of the server; of unit programs too
 -C VAR=VALUE   environment of the client. With FI_DPDK_PORTS on both sides no pair is made: the ports are those given
 -T SECONDS     a test that takes longer has failed (120)
 -v             repeat it: output of failed tests in full (-v), command lines (-vv), all output (-vvv)
 -h             this text

The last line counts what passed, failed, was not run because the provider does not offer it, and was excluded. The exit
status is 0 when something passed and nothing failed.
TEXT
}

verbose=0 sets=quick regex=. excluded=() path= device= both_env=() server_env=() client_env=() limit=120
while getopts "t:R:e:f:p:D:E:S:C:T:vh" option; do
	case $option in
	t) sets=$OPTARG ;;
	R) regex=$OPTARG ;;
	e) IFS=, read -r -a more <<<"$OPTARG" && excluded+=("${more[@]}") ;;
	f) while read -r name _; do
		case $name in '' | '#'*) ;; *) excluded+=("$name") ;; esac
	done <"$OPTARG" || exit 2 ;;
	p) path=$OPTARG ;;
	D) device=$OPTARG ;;
	E) both_env+=("$OPTARG") ;;
	S) server_env+=("$OPTARG") ;;
	C) client_env+=("$OPTARG") ;;
	T) limit=$OPTARG ;;
	v) verbose=$((verbose + 1)) ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
provider=${1:-sockets} host=${2:-127.0.0.1} client=${3:-127.0.0.1}
[ -n "$path" ] || { [ -x "$here/../fi_rdm_pingpong" ] && path=$here/..; }
[ -n "$path" ] && PATH=$(cd "$path" && pwd):$PATH
if ! command -v fi_rdm_pingpong >/dev/null; then
	echo "runfabtests.sh: fi_rdm_pingpong is not in PATH; say where with -p" >&2
	exit 2
fi

# ---- Which tests ----------------------------------------------------------------------------------------------------

# KIND|DEVICE|ENVIRONMENT|PROGRAM ARGUMENTS; an empty device is any. Kind "pair" runs a server and a client.
tests=()
unit() {
	tests+=("unit|||fi_getinfo_test" "unit|||fi_dom_test -n 2" "unit|||fi_av_test -n 16" "unit|||fi_cq_test")
}
functional() { # MESSAGES
	tests+=("pair|||fi_rdm_soak -I $1" "pair|restarts||fi_rdm_peer_death" "pair|||fi_rdm_tagged_peek")
	if [ "$provider" = dpdk ]; then
		local n
		for n in 1 2; do
			tests+=("pair||FI_DPDK_FAULTS=loss=0.01,dup=0.01,reorder=0.01,seed=$n|fi_rdm_soak -I $1")
		done
		tests+=("pair||FI_DPDK_FAULTS=loss=0.02,dup=0.01,corrupt=0.01,seed=3|fi_dgram_pingpong -I 100 -v")
	fi
}
benchmarks() { # MESSAGES OPTIONS
	local p
	for p in fi_rdm_pingpong fi_rdm_tagged_pingpong fi_rdm_tagged_bw fi_dgram_pingpong; do
		tests+=("pair|||$p -I $*" "pair|||$p -I $* -v")
	done
	tests+=("pair|||fi_rdm_pingpong -I $1 -c sread" "pair|||fi_rdm_tagged_pingpong -I $1 -c fd")
	tests+=("pair|||fi_rdm_pingpong -I $1 -t counter" "pair|||fi_rdm_tagged_bw -I $1 -U -W 8" "pair|||fi_rdm_tagged_bw -I $1 -l -m")
}
for set in ${sets//,/ }; do
	case $set in
	quick) unit; functional 2000; benchmarks 5 ;;
	short) unit; functional 10000; benchmarks 100 ;;
	standard) unit; functional 100000; benchmarks 1000 ;;
	all) unit; functional 100000; benchmarks 1000; benchmarks 100 -S all; limit=$((limit * 4)) ;;
	unit) unit ;;
	functional) functional 2000 ;;
	benchmarks) benchmarks 5 ;;
	*) echo "runfabtests.sh: -t $set: see -h" >&2; exit 2 ;;
	esac
done

# ---- Ports and processes --------------------------------------------------------------------------------------------

given_ports() { # ENVIRONMENT...
	local v
	for v in "$@"; do case $v in FI_DPDK_PORTS=* | FI_DPDK_CONFIG=*) return 0 ;; esac; done
	return 1
}
make_pairs=
address_args() { # SIDE
	[ "$provider" = dpdk ] || printf '%s\n' -s "$1"
}
if [ "$provider" = dpdk ] && ! given_ports "${both_env[@]}" "${server_env[@]}"; then
	make_pairs=1
	if [ ! -r "$here/../../contrib/pair.sh" ]; then
		echo "runfabtests.sh: the ports must be given: -S FI_DPDK_PORTS=... -C FI_DPDK_PORTS=..." >&2
		exit 2
	fi
	# shellcheck source=contrib/pair.sh
	. "$here/../../contrib/pair.sh"
else
	pair_server() { "$@"; }
	pair_client() { "$@"; }
	pair_in() { shift; "$@"; }
	pair_down() { :; }
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/runfabtests.XXXXXX")
server_pid= pair_is_up=
finish_test() {
	if [ -n "$server_pid" ]; then
		kill -KILL -- "-$server_pid" 2>/dev/null
		wait "$server_pid" 2>/dev/null
		server_pid=
	fi
	[ -z "$pair_is_up" ] || pair_down
	pair_is_up=
}
trap 'finish_test; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Sets `port` to one on which nobody of this machine listens, with room for one more after it.
free_port() {
	local hex
	while :; do
		port=$((20000 + RANDOM % 10000 * 2))
		hex=$(printf ':%04X' "$port")
		grep -qi "$hex " /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null || return 0
	done
}

# Until the server listens on its control port: asks the kernel and connects to nobody. Fails when the server has ended.
server_listens() {
	local hex end=$((SECONDS + limit))
	hex=$(printf '%04X' "$port")
	while [ $SECONDS -lt $end ]; do
		if pair_in 0 cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
			awk -v p="$hex" '$4 == "0A" && $2 ~ ":" p "$" { found = 1 } END { exit !found }'; then
			return 0
		fi
		kill -0 "$server_pid" 2>/dev/null || return 1
		read -r -t 0.05 <> <(:)
	done
	return 1
}

# The pair of ports for a test: what it asks for, when this device cannot do it. Fails when there is none.
bring_up() { # DEVICE
	[ -n "$make_pairs" ] || return 0
	local kind=${device:-memif}
	if [ "$1" = restarts ]; then
		# A process that dies leaves its end of a socket device behind; a kernel interface is as it was.
		case $kind in veth | afxdp | tap) ;; *) kind=veth ;; esac
		[ "$(id -u)" = 0 ] || return 1
	fi
	pair_up "$kind" || return 1
	pair_is_up=1
	test_host=$pair_control_addr
}

run_unit() { # COMMAND...
	pair_server env "${both_env[@]}" "${server_env[@]}" "${test_env[@]}" timeout -k 5 "$limit" \
		"$@" -p "$provider" $(address_args "$host") >"$scratch/server" 2>&1
}

run_pair() { # COMMAND...
	local args=("$@" -p "$provider") own=() rc server_rc=0
	free_port
	# The endpoint of a server that comes back must have a port of its own.
	[ "$1" = fi_rdm_peer_death ] && own=(-B $((port + 1)))
	set -m
	pair_server env "${both_env[@]}" "${server_env[@]}" "${test_env[@]}" timeout --foreground -k 5 "$limit" \
		"${args[@]}" -b="$port" "${own[@]}" $(address_args "$host") >"$scratch/server" 2>&1 &
	server_pid=$!
	set +m
	if ! server_listens; then
		kill -TERM -- "-$server_pid" 2>/dev/null
		wait "$server_pid" 2>/dev/null
		rc=$?
		echo "(the server ended or did not listen)" >>"$scratch/server"
		return $((rc ? rc : 1))
	fi
	pair_client env "${both_env[@]}" "${client_env[@]}" "${test_env[@]}" timeout -k 5 "$limit" \
		"${args[@]}" -b="$port" $(address_args "$client") "$test_host" >"$scratch/client" 2>&1
	rc=$?
	# A client that failed leaves the server waiting.
	[ $rc = 0 ] || kill -TERM -- "-$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
	server_rc=$?
	[ $rc = 0 ] && rc=$server_rc
	return $rc
}

show() { # LINES
	local side
	for side in server client; do
		[ -s "$scratch/$side" ] && tail -n "$1" "$scratch/$side" | sed "s/^/    $side: /"
	done
}

# ---- Run ------------------------------------------------------------------------------------------------------------

passed=0 failed=0 notrun=0 left_out=0
result() { # RESULT SECONDS
	printf '%-66s %-9s %6s\n' "$line" "$1" "$2"
}
printf '%-66s %-9s %6s\n' "# provider $provider${make_pairs:+, device ${device:-memif}}" result seconds
for test in "${tests[@]}"; do
	IFS='|' read -r kind wants environment command <<<"$test"
	read -r -a words <<<"$command"
	line="${environment:+$environment }$command"
	[[ $line =~ $regex ]] || continue
	for name in "${excluded[@]}"; do
		[ "$name" = "${words[0]}" ] || continue
		left_out=$((left_out + 1))
		result Excluded -
		continue 2
	done
	test_env=()
	[ -z "$environment" ] || test_env=("$environment")
	test_host=$host
	: >"$scratch/server"
	: >"$scratch/client"
	if ! bring_up "$wants" >"$scratch/server" 2>&1; then
		notrun=$((notrun + 1))
		result Notrun -
		[ $verbose -ge 1 ] && echo "    no such pair of ports can be made here (a kernel interface needs root)" && show 20
		finish_test
		continue
	fi
	[ $verbose -ge 2 ] && echo "# ${test_env[*]} ${both_env[*]} $command -p $provider"
	start=${EPOCHREALTIME/[.,]/}
	if [ "$kind" = unit ]; then run_unit "${words[@]}"; else run_pair "${words[@]}"; fi
	rc=$?
	took=$(((${EPOCHREALTIME/[.,]/} - start) / 10000))
	took=$((took / 100)).$(printf %02d $((took % 100)))
	finish_test
	case $rc in
	0) passed=$((passed + 1)); result Pass "$took" ;;
	61) notrun=$((notrun + 1)); result Notrun "$took" ;;
	*)
		failed=$((failed + 1))
		result Fail "$took"
		[ $rc = 124 ] && echo "    took longer than $limit s"
		show $((verbose ? 10000 : 20))
		;;
	esac
	[ $verbose -ge 3 ] && [ $rc = 0 ] && show 10000
done
echo "# $provider: $passed passed, $failed failed, $notrun not run, $left_out excluded"
[ $failed = 0 ] && [ $passed -gt 0 ]
