#!/bin/bash
# What others see of a port on a kernel interface: plain UDP with right checksums, no ICMP errors, and an address that
# answers ping, also when it is not the kernel's own.
. "$(dirname "$0")/device.bash"
need tshark ping
device_open veth

pair_in 1 timeout 60 tshark -q -i fic0 -w "$pair_dir/wire.pcap" >"$pair_dir/tshark.log" 2>&1 &
capture=$!
for _ in $(seq 100); do [ -s "$pair_dir/wire.pcap" ] && break; sleep 0.1; done
pingpong -e rdm -c -I 100
sleep 1
kill -INT "$capture" && wait "$capture" || true

show() { tshark -r "$pair_dir/wire.pcap" -o udp.check_checksum:TRUE -o ip.check_checksum:TRUE "$@" 2>/dev/null; }
between="ip.addr==$pair_server_ip && ip.addr==$pair_client_ip"
udp=$(show -Y "udp && $between" | wc -l)
bad=$(show -Y "$between && (udp.checksum.status==0 || ip.checksum.status==0)" | wc -l)
absent=$(show -Y "udp.checksum==0" | wc -l)
# A goodbye (kind 4 of version 1) may come when the other endpoint, and its port in the kernel, are gone: the kernel says so
# then, and is right.
goodbye=$(show -Y "!icmp && udp.payload[0:1]==14" -T fields -e frame.number | sed -n 1p)
icmp=$(show -Y "icmp && frame.number < ${goodbye:-1000000000}" | wc -l)
[ "$udp" -gt 500 ] || fail "only $udp UDP packets were captured"
[ "$bad" = 0 ] || fail "$bad packets have a wrong checksum"
[ "$absent" = 0 ] || fail "$absent packets have no checksum"
[ "$icmp" = 0 ] || fail "$icmp ICMP messages: the kernel complains about the port's packets"
echo "ok: $udp UDP packets, all with right checksums, no ICMP"

# A port answers ARP and ping by itself for an address that the kernel does not have, though its application only sleeps;
# for the kernel's own address the kernel answers, once.
need_peer
mkfifo "$pair_dir/open"
exec 9<>"$pair_dir/open"
for address in 10.77.0.99 "$pair_server_ip"; do
	pair_server_ports="fis0=$address/24"
	: >"$pair_dir/hold"
	pair_server "$pair_dir/peer" hold 7000 idle <&9 >"$pair_dir/hold" 2>&1 &
	hold=$!
	wait_for ready "$pair_dir/hold"
	pair_in 1 ping -c 3 -W 2 "$address" >"$pair_dir/ping.log" || {
		cat "$pair_dir/ping.log" "$pair_dir/hold" >&2
		fail "$address does not answer ping"
	}
	! grep -q DUP "$pair_dir/ping.log" || fail "ping of $address is answered twice"
	echo "ok: ping of $address is answered"
	kill "$(holder)"
	wait "$hold" 2>/dev/null || true
done
