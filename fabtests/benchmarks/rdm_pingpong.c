/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "../common/pingpong.h"

int main(int argc, char **argv)
{
	return fab_pingpong_main(argc, argv, "rdm_pingpong", FI_MSG, "latency of messages between reliable endpoints");
}
