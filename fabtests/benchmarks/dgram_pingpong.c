/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Latency between datagram endpoints. Datagrams may be lost: each carries its number, the client sends again what is not
 * answered, and the server answers again what it has answered. So a loss costs time, and never the measurement.
 */
#include "../common/fab.h"

#include <string.h>

#define RETRY_MS 100
#define SLOTS 16
#define FIN UINT64_MAX

struct state {
	uint64_t expected;		/* number of the next message of the peer */
	size_t size;
	bool fresh, repeated, fin;
};

/* Short messages carry what fits of the number. */
static size_t number_len(size_t size)
{
	return size < 8 ? size : 8;
}

static uint64_t number(const char *data, size_t len)
{
	uint64_t n = 0;
	memcpy(&n, data, number_len(len));
	return n;
}

static uint64_t masked(uint64_t n, size_t size)
{
	return size >= 8 ? n : n & ((1ULL << 8 * size) - 1);
}

static void received(struct fab *f, uint64_t seq, const char *data, size_t len)
{
	struct state *s = f->user;
	(void)seq;

	if (len == 8 && number(data, 8) == FIN) {
		s->fin = true;
	} else if (len == s->size && number(data, len) == masked(s->expected, len)) {
		if (f->opt.verify && len > 8 && fab_verify(data + 8, len - 8, s->expected) != SIZE_MAX) {
			fprintf(stderr, "datagram %llu of %zu bytes has wrong data\n", (unsigned long long)s->expected, len);
			f->bad++;
		}
		s->expected++;
		s->fresh = true;
	} else {
		s->repeated = true;
	}
}

static int send_number(struct fab *f, uint64_t n, size_t size)
{
	char *slot = fab_tx_slot(f);
	if (!slot)
		return -FI_EOTHER;
	memcpy(slot, &n, number_len(size));
	if (f->opt.verify && size > 8)
		fab_fill(slot + 8, size - 8, n);
	return fab_send_slot(f, size);
}

/* Waits for the next message of the peer; what `again` sends is repeated when the other side seems to have lost it. */
static int next_message(struct fab *f, uint64_t again, size_t again_size, uint64_t *lost)
{
	struct state *s = f->user;
	bool client = f->opt.dst_addr;
	uint64_t end = fab_now_ns() + f->opt.timeout * 1000000000ULL;

	/* It may have come while something was sent. */
	while (!s->fresh && !s->fin) {
		s->repeated = false;
		int ret = fab_wait_any(f, RETRY_MS);
		if (ret && ret != -FI_ETIMEDOUT)
			return ret;
		if ((client && ret == -FI_ETIMEDOUT) || (!client && s->repeated && !s->fresh)) {
			ret = send_number(f, again, again_size);
			*lost += client;
			if (ret)
				return ret;
		}
		if (fab_now_ns() > end)
			return fab_error("the peer does not answer", -FI_ETIMEDOUT);
	}
	s->fresh = false;
	return f->bad ? -FI_EIO : 0;
}

static int one_size(struct fab *f, size_t size, size_t last_size)
{
	struct state *s = f->user;
	uint64_t rounds = f->opt.warmup + f->opt.iters, start = 0, lost = 0;
	int ret = 0;

	s->size = size;
	for (uint64_t i = 0; i < rounds && !ret && !s->fin; i++) {
		uint64_t n = s->expected;
		if (i == f->opt.warmup)
			start = fab_now_ns();
		if (f->opt.dst_addr) {
			ret = send_number(f, n, size);
			ret = ret ? ret : next_message(f, n, size, &lost);
		} else {
			ret = next_message(f, n - 1, i ? size : last_size, &lost);
			ret = ret || s->fin ? ret : send_number(f, n, size);
		}
	}
	if (ret)
		return ret;
	fab_report(f, size, f->opt.iters, fab_now_ns() - start, 2);
	if (lost)
		printf("# %llu datagrams of %zu bytes were lost and sent again\n", (unsigned long long)lost, size);
	return 0;
}

/* The client says that it has all answers; the server answers repetitions until it has heard that. */
static int finish(struct fab *f, size_t last_size)
{
	struct state *s = f->user;
	int ret = 0;

	if (f->opt.dst_addr) {
		for (int i = 0; i < 3 && !ret; i++)
			ret = send_number(f, FIN, 8);
		return ret ? ret : fab_flush(f);
	}
	for (int i = 0; i < 10 && !s->fin && !ret; i++) {
		s->repeated = false;
		ret = fab_wait_any(f, RETRY_MS);
		ret = ret == -FI_ETIMEDOUT ? 0 : ret;
		if (s->repeated && !ret)
			ret = send_number(f, s->expected - 1, last_size);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct fab_opts opts = { .iters = 1000, .warmup = 10, .timeout = 30 };
	/* Number 0 is the answer to the client's address. */
	struct state state = { .expected = 1 };
	size_t last = 1;
	struct fab f;

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR | FAB_OPTS_SIZES, "latency of datagrams");
	if (opts.counters) {
		fprintf(stderr, "datagrams are told apart by their contents: -t counter cannot be used\n");
		return 1;
	}
	int ret = fab_init(&f, "dgram_pingpong", &opts, FI_EP_DGRAM, FI_MSG);
	f.received = received;
	f.user = &state;
	ret = ret ? ret : fab_start(&f, SLOTS, opts.sizes == FAB_SIZES_ONE ? opts.size : FAB_MAX_SIZE);
	if (!ret)
		for (const size_t *s = fab_size_list(&opts, f.info->ep_attr->max_msg_size); *s != SIZE_MAX && !ret; s++) {
			if (!*s)
				continue;
			ret = one_size(&f, *s, last);
			last = *s;
		}
	ret = ret ? ret : finish(&f, last);
	if (!ret && f.control >= 0)
		ret = fab_sync(&f);
	fab_close(&f);
	return fab_exit(ret);
}
