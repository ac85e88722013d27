/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fab.h"

#include <string.h>
#include <time.h>

uint64_t fab_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* 65536 is 64k; what is no whole multiple keeps a decimal. */
static const char *scaled(char *buf, size_t size, uint64_t n, uint64_t base)
{
	static const char units[] = " kmgt";
	size_t unit = 0;
	double v = (double)n;

	while (v >= (double)base && units[unit + 1]) {
		v /= (double)base;
		unit++;
	}
	if (!unit)
		snprintf(buf, size, "%llu", (unsigned long long)n);
	else
		snprintf(buf, size, v == (double)(uint64_t)v ? "%.0f%c" : "%.1f%c", v, units[unit]);
	return buf;
}

void fab_report(const struct fab *f, size_t size, uint64_t iters, uint64_t ns, unsigned int per_iter)
{
	static bool header;
	char a[32], b[32], c[32];
	uint64_t xfers = iters * per_iter, bytes = xfers * size;
	double us = (double)(ns ? ns : 1) / 1000.0;

	if (f->opt.machine) {
		if (!header)
			printf("---\n");
		printf("- { name: %s, xfer_size: %zu, iterations: %llu, total: %llu, time: %f, MB/sec: %f, "
		       "usec/xfer: %f, Mxfers/sec: %f }\n",
		       f->name, size, (unsigned long long)iters, (unsigned long long)bytes, us / 1e6,
		       (double)bytes / us, us / (double)xfers, (double)xfers / us);
	} else {
		if (!header)
			printf("%-24s%-8s%-8s%-9s%-9s%10s%13s%13s\n", "name", "bytes", "iters", "total", "time",
			       "MB/sec", "usec/xfer", "Mxfers/sec");
		char time[32];
		snprintf(time, sizeof time, "%.2fs", us / 1e6);
		printf("%-24s%-8s%-8s%-9s%-9s%10.2f%13.2f%13.2f\n", f->name, scaled(a, sizeof a, size, 1024),
		       scaled(b, sizeof b, iters, 1000), scaled(c, sizeof c, bytes, 1024), time,
		       (double)bytes / us, us / (double)xfers, (double)xfers / us);
	}
	header = true;
	fflush(stdout);
}

int fab_error(const char *call, int ret)
{
	fprintf(stderr, "%s: %d (%s)\n", call, ret, fi_strerror(-ret));
	return ret;
}

int fab_exit(int ret)
{
	if (!ret)
		return 0;
	return ret == -FI_ENODATA || ret == -FI_ENOSYS ? FI_ENODATA : 1;
}
