/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "../common/pingpong.h"

int main(int argc, char **argv)
{
	return fab_pingpong_main(argc, argv, "rdm_tagged_pingpong", FI_TAGGED,
				 "latency of tagged messages between reliable endpoints");
}
