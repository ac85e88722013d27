#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The test programs over a pair of kernel interfaces in two network namespaces: the one pair on which a server that was
# killed comes back, and on which packet sockets and the kernel's own stack are beside the provider.
. "$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/contrib/tests/lib.sh"
has_provider dpdk || skip "built without the dpdk provider"
[ -x "$builddir/fabtests/fi_rdm_pingpong" ] || skip "configured without the test programs"
need_root
need ip
ip netns add "fi-probe-$$" 2>/dev/null || skip "network namespaces cannot be made here"
ip netns del "fi-probe-$$"
bash "$srcdir/fabtests/scripts/runfabtests.sh" -p "$builddir/fabtests" -v -D veth dpdk |
	sed 's/^# dpdk: \([0-9]* passed, [0-9]* failed\), \([0-9]*\) not run.*/\1, \2 skipped/'
