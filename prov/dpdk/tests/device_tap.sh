#!/bin/bash
# Messages of all sizes, with data checked, between two processes over taps on a bridge. Datagrams would be lost while the
# bridge takes in the taps, which come and go with the processes.
. "$(dirname "$0")/device.bash"
# The bridge takes a moment to know the taps.
export FI_DPDK_ARP_TIMEOUT=10000
device_open tap
pingpong -e rdm -c -I 200
