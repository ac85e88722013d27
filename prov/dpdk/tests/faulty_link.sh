#!/bin/bash
# 1 % each of loss, duplication, reordering and corruption on both sides' frames: everything arrives intact.
. "$(dirname "$0")/device.bash"
# Not memif: its driver may crash when the other side leaves first.
device_open "${1:-vhost}"
export FI_DPDK_FAULTS="loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01,seed=$RANDOM"
echo "FI_DPDK_FAULTS=$FI_DPDK_FAULTS"
limit=120
pingpong -e rdm -c -I 5000 -S 1024
pingpong -e rdm -c -I 100 -S 65536
pingpong -e rdm -c -I 20 -S 1048576
