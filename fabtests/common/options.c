/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fab.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const size_t default_sizes[] = { 64, 256, 1024, 4096, 65536, 1 << 20, SIZE_MAX };

static void usage(const char *program, const struct fab_opts *def, int groups, const char *about)
{
	printf("%s: %s\n\nUsage:\n", program, about);
	if (groups & FAB_OPTS_PAIR) {
		printf("  %s [OPTIONS]\t\t\tstart the server\n", program);
		printf("  %s [OPTIONS] SERVER\t\tconnect to the server\n", program);
	} else {
		printf("  %s [OPTIONS]\n", program);
	}
	printf("\nOptions:\n"
	       " -p PROVIDER     provider\n"
	       " -f FABRIC       fabric name\n"
	       " -d DOMAIN       domain name\n"
	       " -s ADDRESS      address of the local endpoint\n");
	if (groups & FAB_OPTS_PAIR)
		printf(" -B PORT         port of the local endpoint (server: %s)\n"
		       " -P PORT         port of the peer's endpoint (%s)\n"
		       " -b[=PORT]       exchange addresses over a TCP connection (port %s); SERVER is its address\n"
		       " -E[=PORT]       the same\n"
		       " -T SECONDS      give up when nothing happened for so long (%u)\n",
		       FAB_PORT, FAB_PORT, FAB_CONTROL_PORT, def->timeout);
	if (groups & FAB_OPTS_SIZES)
		printf(" -I NUMBER       iterations (%llu)\n"
		       " -w NUMBER       iterations before the clock starts (%llu)\n"
		       " -S SIZE|all     one size, or all sizes (default: a few)\n"
		       " -c METHOD       how completions are waited for: spin, yield, sread, fd (spin)\n"
		       " -t TYPE         what tells completions: queue, counter (queue)\n"
		       " -l              align buffers to pages\n"
		       " -m              output for machines\n"
		       " -v              check the data\n"
		       " -U              sends complete by FI_DELIVERY_COMPLETE\n",
		       (unsigned long long)def->iters, (unsigned long long)def->warmup);
	if (groups & FAB_OPTS_WINDOW)
		printf(" -W NUMBER       messages under way at once (%zu)\n", def->window);
	if (groups & FAB_OPTS_COUNT)
		printf(" -n NUMBER       how many (%u)\n", def->count);
	if (groups & FAB_OPTS_ADDRS)
		printf(" -g ADDRESS      an address that can be inserted (default: the own one)\n"
		       " -G ADDRESS      one that cannot be\n");
	printf(" -h              this text\n");
}

static void bad_option(const char *program, char option, const char *value)
{
	fprintf(stderr, "%s: -%c %s is not understood; see -h\n", program, option, value);
	exit(EXIT_FAILURE);
}

static uint64_t number(const char *program, char option, const char *text)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 0);
	unsigned int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'm' || *end == 'M' ? 20 : 0;
	if (shift)
		end++;
	if (errno || end == text || *end || *text == '-' || n > UINT64_MAX >> 20)
		bad_option(program, option, text);
	return n << shift;
}

static enum fab_method method(const char *program, const char *text)
{
	static const char *const names[] = { "spin", "yield", "sread", "fd" };
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(text, names[i]))
			return (enum fab_method)i;
	bad_option(program, 'c', text);
	return FAB_SPIN;
}

void fab_parse(struct fab_opts *o, int argc, char **argv, int groups, const char *about)
{
	const char *slash = strrchr(argv[0], '/');
	const char *me = slash ? slash + 1 : argv[0];
	char letters[64] = "+hp:f:d:s:";
	int c;

	if (groups & FAB_OPTS_PAIR)
		strcat(letters, "B:P:b::E::T:");
	if (groups & FAB_OPTS_SIZES)
		strcat(letters, "I:w:S:c:t:lmvU");
	if (groups & FAB_OPTS_WINDOW)
		strcat(letters, "W:");
	if (groups & FAB_OPTS_COUNT)
		strcat(letters, "n:");
	if (groups & FAB_OPTS_ADDRS)
		strcat(letters, "g:G:");
	/* The server's name may stand before options, as users write it. */
	const char *options = letters + (groups & FAB_OPTS_PAIR ? 1 : 0);

	while ((c = getopt(argc, argv, options)) != -1) {
		switch (c) {
		case 'p': o->provider = optarg; break;
		case 'f': o->fabric = optarg; break;
		case 'd': o->domain = optarg; break;
		case 's': o->src_addr = optarg; break;
		case 'B': o->src_port = optarg; break;
		case 'P': o->dst_port = optarg; break;
		case 'b':
		case 'E':
			o->control_port = !optarg ? FAB_CONTROL_PORT : *optarg == '=' ? optarg + 1 : optarg;
			break;
		case 'T': o->timeout = (unsigned int)number(me, 'T', optarg); break;
		case 'I': o->iters = number(me, 'I', optarg); break;
		case 'w': o->warmup = number(me, 'w', optarg); break;
		case 'S':
			o->sizes = strcmp(optarg, "all") ? FAB_SIZES_ONE : FAB_SIZES_ALL;
			if (o->sizes == FAB_SIZES_ONE)
				o->size = number(me, 'S', optarg);
			break;
		case 'c': o->method = method(me, optarg); break;
		case 't':
			o->counters = !strcmp(optarg, "counter");
			if (!o->counters && strcmp(optarg, "queue"))
				bad_option(me, 't', optarg);
			break;
		case 'l': o->align = true; break;
		case 'm': o->machine = true; break;
		case 'v': o->verify = true; break;
		case 'U': o->delivery_complete = true; break;
		case 'W':
			o->window = number(me, 'W', optarg);
			if (!o->window || o->window > 1 << 16)
				bad_option(me, 'W', optarg);
			break;
		case 'n': o->count = (unsigned int)number(me, 'n', optarg); break;
		case 'g': o->good_addr = optarg; break;
		case 'G': o->bad_addr = optarg; break;
		case 'h':
			usage(me, o, groups, about);
			exit(EXIT_SUCCESS);
		default:
			fprintf(stderr, "%s -h lists the options\n", me);
			exit(EXIT_FAILURE);
		}
	}
	if (groups & FAB_OPTS_PAIR && optind < argc)
		o->dst_addr = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "%s: %s is one argument too many\n", me, argv[optind]);
		exit(EXIT_FAILURE);
	}
}

const size_t *fab_size_list(const struct fab_opts *o, size_t max)
{
	/* Powers of two and what lies halfway, from 1 on. */
	static size_t list[64];
	size_t n = 0;

	if (o->sizes == FAB_SIZES_ONE) {
		list[n++] = o->size;
	} else if (o->sizes == FAB_SIZES_DEFAULT) {
		for (; default_sizes[n] != SIZE_MAX; n++)
			list[n] = default_sizes[n];
	} else {
		for (size_t s = 1; s <= FAB_MAX_SIZE; s *= 2) {
			list[n++] = s;
			if (s >= 2 && s < FAB_MAX_SIZE)
				list[n++] = s + s / 2;
		}
	}
	list[n] = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		if (list[i] > max) {
			list[i] = SIZE_MAX;
			break;
		}
	}
	return list;
}
