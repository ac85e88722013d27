#!/bin/bash
# Messages and datagrams of all sizes, with data checked, between two processes over veth.
. "$(dirname "$0")/device.bash"
device_test veth
