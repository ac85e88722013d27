/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Latency between reliable datagram endpoints by message size. */
#ifndef FAB_PINGPONG_H
#define FAB_PINGPONG_H

#include "fab.h"

/* The whole program; gives its exit code. */
int fab_pingpong_main(int argc, char **argv, const char *name, uint64_t caps, const char *about);

#endif
