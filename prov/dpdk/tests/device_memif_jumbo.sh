#!/bin/bash
# Frames of 9000 bytes between short ones, and more messages than fit the rings.
. "$(dirname "$0")/device.bash"
PAIR_MTU=9000
device_open memif
pingpong -e rdm -c -I 2000 -S 65536
pingpong -e rdm -c -I 200 -S 1048576
pingpong -e dgram -c -I 200
