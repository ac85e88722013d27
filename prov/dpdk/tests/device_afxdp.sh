#!/bin/bash
# Messages and datagrams of all sizes, with data checked, between two processes over afxdp.
. "$(dirname "$0")/device.bash"
device_test afxdp
