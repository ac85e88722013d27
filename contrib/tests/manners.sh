#!/bin/bash
# What a program may rely on: fi_getinfo starts nothing and is quick, and opening and closing a dpdk domain leaves affinity,
# signal handlers, signal mask, locale, stdout and stderr as they were.
. "$(dirname "$0")/lib.sh"
has_provider dpdk || skip "built without the dpdk provider"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/manners.c" <<'P'
#define _GNU_SOURCE
#include <dirent.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

/* The C library's own mark on every handler that was ever set. */
#define RESTORER 0x04000000

struct state {
	cpu_set_t cpus;
	struct sigaction actions[65];
	sigset_t mask;
	char locale[256];
};

static void on_signal(int s) { (void) s; }

static void look(struct state *s)
{
	memset(s, 0, sizeof(*s));
	sched_getaffinity(0, sizeof(s->cpus), &s->cpus);
	for (int i = 1; i < 65; i++)
		sigaction(i, NULL, &s->actions[i]);
	sigprocmask(SIG_BLOCK, NULL, &s->mask);
	snprintf(s->locale, sizeof(s->locale), "%s", setlocale(LC_ALL, NULL));
}

static int threads(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

#define CHECK(what, ok) do { if (!(ok)) { fprintf(stderr, "wrong: %s\n", what); exit(1); } } while (0)

int main(void)
{
	struct state before, after;
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	double start;

	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	look(&before);
	hints->fabric_attr->prov_name = strdup("dpdk");
	start = cpu_ms();
	CHECK("fi_getinfo", !fi_getinfo(FI_VERSION(2, 0), NULL, NULL, 0, hints, &info));
	/* Time of the processor, since the machine may be busy. */
	CHECK("fi_getinfo takes less than 5 ms", cpu_ms() - start < 5);
	CHECK("fi_getinfo starts no thread", threads() == 1);
	for (int round = 0; round < 2; round++) {
		CHECK("fi_fabric", !fi_fabric(info->fabric_attr, &fabric, NULL));
		CHECK("fi_domain", !fi_domain(fabric, info, &domain, NULL));
		look(&after);
		CHECK("affinity with an open domain", !memcmp(&before.cpus, &after.cpus, sizeof(before.cpus)));
		CHECK("fi_close of the domain", !fi_close(&domain->fid));
		CHECK("fi_close of the fabric", !fi_close(&fabric->fid));
		look(&after);
		CHECK("affinity", !memcmp(&before.cpus, &after.cpus, sizeof(before.cpus)));
		for (int i = 1; i < 65; i++)
			CHECK(strsignal(i), before.actions[i].sa_handler == after.actions[i].sa_handler &&
			      !((before.actions[i].sa_flags ^ after.actions[i].sa_flags) & ~RESTORER));
		CHECK("signal mask", !memcmp(&before.mask, &after.mask, sizeof(before.mask)));
		CHECK("locale", !strcmp(before.locale, after.locale));
	}
	fi_freeinfo(info);
	fi_freeinfo(hints);
	return 0;
}
P
${CC:-cc} -Wall -I"$srcdir/include" -o "$dir/manners" "$dir/manners.c" -L"$builddir/lib" -lfabric
FI_DPDK_PORTS="net_null0=10.77.9.1/24" timeout 60 "$dir/manners" >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; fail "a program's own things were touched"; }
[ ! -s "$dir/out" ] || { cat "$dir/out"; fail "something was written to stdout"; }
[ ! -s "$dir/err" ] || { cat "$dir/err"; fail "something was written to stderr"; }
