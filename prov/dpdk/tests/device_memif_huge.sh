#!/bin/bash
# A memif pair in hugepages, where the system gives some; those that were reserved here are given back.
. "$(dirname "$0")/device.bash"
need_root
pages=/proc/sys/vm/nr_hugepages
[ -w "$pages" ] || skip "hugepages cannot be reserved here"
before=$(cat "$pages")
trap 'echo "$before" >"$pages"' EXIT
# Two processes of some 256 MB each.
echo $((before + 512)) >"$pages" || true
free=$(awk '/^HugePages_Free/ { print $2 }' /proc/meminfo)
[ "$free" -ge 400 ] || skip "the system gives only $free hugepages"
device_open memif-huge
trap 'pair_down; echo "$before" >"$pages"' EXIT
FI_LOG_LEVEL=debug pingpong -e rdm -c -I 200
grep -q -- '--single-file-segments' "$pair_dir/server.log" || fail "hugepages were there and not used"
pingpong -e dgram -c -I 200
