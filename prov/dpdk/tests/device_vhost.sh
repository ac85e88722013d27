#!/bin/bash
# Messages and datagrams of all sizes, with data checked, between two processes over vhost.
. "$(dirname "$0")/device.bash"
device_test vhost
