#!/bin/bash
# fi_info with each of its options, and the completions of the tools for bash.
. "$(dirname "$0")/lib.sh"
has_provider udp || skip "built without the udp provider, which offers something on every host"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The options, each by its short and its long name, with a text that the output has.
shows() { # TEXT ARGS...
	local text=$1
	shift
	fi_info "$@" >"$dir/out" 2>&1 || { cat "$dir/out"; fail "fi_info $*"; }
	grep -e "$text" "$dir/out" >/dev/null || { cat "$dir/out"; fail "fi_info $* does not show: $text"; }
}
refused() { # STATUS ARGS...
	local want=$1 got=0
	shift
	fi_info "$@" >"$dir/out" 2>&1 || got=$?
	[ "$got" = "$want" ] || { cat "$dir/out"; fail "fi_info $*: status $got, not $want"; }
}
lo=$(fi_info -p udp -n 127.0.0.1 | sed -n 's/^ *domain: //p')
net=$(fi_info -p udp -n 127.0.0.1 | sed -n 's/^ *fabric: //p')
[ -n "$lo" ] && [ -n "$net" ] || fail "fi_info -p udp -n 127.0.0.1"
shows '^provider: udp$'
for n in -n --node; do shows 'dest_addr: fi_sockaddr_in://127.0.0.1:0' $n 127.0.0.1 -p udp -v; done
for p in -P --port; do shows 'dest_addr: fi_sockaddr_in://127.0.0.1:7471' -n 127.0.0.1 $p 7471 -v -p udp; done
for s in -s --src_addr; do shows 'src_addr: fi_sockaddr_in://127.0.0.1:9' $s 127.0.0.1 -P 9 -v -p udp; done
for c in -c --caps; do shows 'caps: \[ FI_MSG, FI_SEND' $c 'FI_MSG|FI_SEND' -v; done
for m in -m --mode; do shows 'provider: udp' $m 'FI_CONTEXT|FI_MSG_PREFIX'; done
for t in -t --ep_type; do shows 'type: FI_EP_DGRAM' $t FI_EP_DGRAM; done
for d in -d --domain; do shows "domain: $lo" $d "$lo"; done
for f in -f --fabric; do shows "fabric: $net" $f "$net"; done
for a in -a --addr_format; do shows 'addr_format: FI_ADDR_STR' $a FI_ADDR_STR -v; done
for p in -p --provider; do shows 'provider: udp' $p udp; done
for e in -e --env; do shows 'FI_LOG_LEVEL: String' $e; done
for g in -g --getenv; do shows 'FI_LOG_LEVEL: String' $g log_lev; done
for i in -i --info; do shows 'caps: ' $i FI_EP_DGRAM; done
for l in -l --list; do shows '^udp:$' $l; done
for v in -v --verbose; do shows 'fi_fabric_attr:' $v; done
for v in -V --version; do shows 'libfabric: [0-9]*\.[0-9]*\.[0-9]*$' $v; done
for h in -h --help; do shows 'Usage: ' $h; done
! fi_info -g log_lev | grep FI_PROVIDER || fail "fi_info -g shows what was not asked for"
# FI_ENODATA where nothing fits, FI_EINVAL for words that mean nothing.
refused 61 -f 'no such fabric'
refused 61 -d 'no such domain'
refused 61 -p udp -c FI_ATOMIC
refused 22 -c FI_NOTHING
refused 22 -t FI_EP_NOTHING

for tool in fi_info fi_pingpong fi_strerror; do
	# shellcheck disable=SC1090
	. "$srcdir/contrib/completions/$tool"
done
completes() { # WANTED WORDS... : the last of the words is completed
	local want=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	"_$1"
	case " ${COMPREPLY[*]} " in *" $want "*) ;; *) fail "'$*' completes to: ${COMPREPLY[*]}" ;; esac
}
completes --ep_type fi_info --ep
completes FI_TAGGED fi_info -c FI_TA
completes 'FI_MSG|FI_TAGGED' fi_info -c "'FI_MSG|FI_TA"
completes FI_MSG_PREFIX fi_info --mode = FI_MSG
completes FI_EP_RDM fi_info -t ''
completes FI_ADDR_STR fi_info -a FI_ADDR
completes udp fi_info -p u
completes "$lo" fi_info -p udp -d "${lo:0:1}"
completes "$net" fi_info -f ''
completes FI_LOG_LEVEL fi_info -g FI_LOG_L
completes udp fi_pingpong -p u
completes "$lo" fi_pingpong -d ''
completes dgram fi_pingpong -e d
completes tagged fi_pingpong -m t
completes 265 fi_strerror 26
# Every option that a tool's help shows is completed.
for tool in fi_info fi_pingpong; do
	for option in $("$tool" --help | sed -n 's/^ *\(-[^ ,]\).*/\1/p; s/^ *\(-., \)\?\(--[a-z_]*\).*/\2/p'); do
		completes "$option" "$tool" -
	done
done
