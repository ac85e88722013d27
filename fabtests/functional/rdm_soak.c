/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Many messages of mixed sizes in both directions at once, tagged and untagged, each checked for content, length and order.
 *
 * Sizes and kinds follow from the message's number, so that both sides know them; a message that is lost, doubled, cut,
 * mixed up or overtaken is seen. Receives are always a window ahead, and any message may come before its receive.
 */
#include "../common/fab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* All tagged receives have the same tag: they match in the order in which they were sent. */
#define TAG 0x50a4ULL

enum { PLAIN, TAGGED, KINDS };

struct op {
	struct fi_context2 context;	/* first: a completion's context is the operation */
	uint64_t seq;			/* of its kind and direction */
	unsigned int kind;
	bool busy;
	char *buf;
};

struct soak {
	struct fab f;
	struct op *tx, *rx;
	size_t max_size;
	uint64_t sent[KINDS], posted[KINDS], arrived[KINDS], count[KINDS];
	uint64_t tx_done, tx_all, tx_filled, bytes;
};

/* splitmix64, as in the data checks. */
static uint64_t mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15ULL;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Identity of a message: also the seed of its content. */
static uint64_t id(bool from_client, unsigned int kind, uint64_t seq)
{
	return (uint64_t)from_client << 31 | (uint64_t)kind << 30 | (seq & 0x3fffffff);
}

/* Mostly short, some of several packets, a few long; empty ones too. */
static size_t size_of(const struct soak *s, uint64_t id)
{
	uint64_t r = mix(id), kind = r % 1000, v = r / 1000;
	size_t n = kind < 20 ? 0 : kind < 700 ? v % 256 : kind < 900 ? v % 4096 : kind < 990 ? v % 65536 : v % (1 << 20);
	return n > s->max_size ? v % (s->max_size + 1) : n;
}

static unsigned int kind_of(uint64_t n)
{
	return mix(n) % KINDS;
}

static int post(struct soak *s, struct op *op)
{
	ssize_t ret;
	op->seq = s->posted[op->kind];
	do {
		ret = op->kind == TAGGED ? fi_trecv(s->f.ep, op->buf, s->max_size, NULL, FI_ADDR_UNSPEC, TAG, 0, op) :
					   fi_recv(s->f.ep, op->buf, s->max_size, NULL, FI_ADDR_UNSPEC, op);
		if (ret == -FI_EAGAIN)
			fi_cq_read(s->f.rxcq, NULL, 0);
	} while (ret == -FI_EAGAIN);
	if (ret)
		return fab_error("fi_recv", (int)ret);
	s->posted[op->kind]++;
	return 0;
}

static int arrived(struct soak *s, const struct fi_cq_tagged_entry *e)
{
	struct op *op = e->op_context;
	uint64_t who = id(!s->f.opt.dst_addr, op->kind, op->seq);
	size_t size = size_of(s, who), at;
	const char *what = op->kind == TAGGED ? "tagged" : "untagged";

	if (op->seq >= s->count[op->kind]) {
		fprintf(stderr, "%s message %llu: there is none\n", what, (unsigned long long)op->seq);
		return -FI_EIO;
	}
	if (e->len != size) {
		fprintf(stderr, "%s message %llu: %zu bytes instead of %zu\n", what, (unsigned long long)op->seq, e->len,
			size);
		return -FI_EIO;
	}
	at = fab_verify(op->buf, size, who);
	if (at != SIZE_MAX) {
		fprintf(stderr, "%s message %llu of %zu bytes: byte %zu is wrong\n", what, (unsigned long long)op->seq,
			size, at);
		return -FI_EIO;
	}
	s->arrived[op->kind]++;
	s->bytes += size;
	return s->posted[op->kind] < s->count[op->kind] ? post(s, op) : 0;
}

static int take(struct soak *s, bool rx)
{
	struct fi_cq_tagged_entry e[16];
	struct fid_cq *cq = rx ? s->f.rxcq : s->f.txcq;
	ssize_t n = fi_cq_read(cq, e, 16);

	if (n == -FI_EAGAIN)
		return 0;
	if (n < 0)
		return n == -FI_EAVAIL ? fab_cq_error(cq, rx ? "receive" : "send") : fab_error("fi_cq_read", (int)n);
	for (ssize_t i = 0; i < n; i++) {
		if (rx) {
			int ret = arrived(s, &e[i]);
			if (ret)
				return ret;
		} else {
			((struct op *)e[i].op_context)->busy = false;
			s->tx_done++;
		}
	}
	return (int)n;
}

/* Sends the next message when there is room: 1, 0 when there is none, or an error. */
static int send_next(struct soak *s)
{
	struct op *op = &s->tx[s->tx_all % s->f.opt.window];
	unsigned int kind = kind_of(s->tx_all);
	uint64_t who = id(s->f.opt.dst_addr, kind, s->sent[kind]);
	size_t size = size_of(s, who);

	if (op->busy)
		return 0;
	/* Every other short one is injected: its buffer is overwritten at once. */
	bool inject = size <= s->f.info->tx_attr->inject_size && s->tx_all & 1;
	/* Once, although the send may find no room and come again. */
	if (s->tx_filled == s->tx_all) {
		fab_fill(op->buf, size, who);
		s->tx_filled++;
	}
	ssize_t ret;
	if (inject)
		ret = kind == TAGGED ? fi_tinject(s->f.ep, op->buf, size, s->f.peer, TAG) :
				       fi_inject(s->f.ep, op->buf, size, s->f.peer);
	else
		ret = kind == TAGGED ? fi_tsend(s->f.ep, op->buf, size, NULL, s->f.peer, TAG, op) :
				       fi_send(s->f.ep, op->buf, size, NULL, s->f.peer, op);
	if (ret == -FI_EAGAIN)
		return 0;
	if (ret)
		return fab_error("fi_send", (int)ret);
	op->busy = !inject;
	s->tx_done += inject;
	s->sent[kind]++;
	s->tx_all++;
	if (inject)
		memset(op->buf, 0xee, size);
	return 1;
}

static int run(struct soak *s)
{
	uint64_t total = s->f.opt.iters, last = fab_now_ns(), say = 0;
	bool client = s->f.opt.dst_addr;

	for (;;) {
		uint64_t in = s->arrived[PLAIN] + s->arrived[TAGGED];
		if (in == total && s->tx_done == total)
			return 0;
		int sent = s->tx_all < total ? send_next(s) : 0;
		int rx = sent < 0 ? 0 : take(s, true);
		int tx = sent < 0 || rx < 0 ? 0 : take(s, false);
		if (sent < 0 || rx < 0 || tx < 0)
			return sent < 0 ? sent : rx < 0 ? rx : tx;
		if (sent + rx + tx) {
			last = 0;
		} else {
			uint64_t now = fab_now_ns();
			if (!last)
				last = now;
			if (now - last > s->f.opt.timeout * 1000000000ULL) {
				fprintf(stderr, "nothing happened for %u s: %llu received, %llu of %llu sent\n",
					s->f.opt.timeout, (unsigned long long)in, (unsigned long long)s->tx_done,
					(unsigned long long)total);
				return -FI_ETIMEDOUT;
			}
		}
		if (client && in >= say + (total + 9) / 10 && s->f.opt.verify) {
			say = in;
			printf("# %llu of %llu\n", (unsigned long long)in, (unsigned long long)total);
			fflush(stdout);
		}
	}
}

static int make_ops(struct soak *s)
{
	size_t window = s->f.opt.window, stride = (s->max_size + 4096) / 4096 * 4096;
	char *area = mmap(NULL, 2 * window * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			  -1, 0);
	s->tx = calloc(window, sizeof *s->tx);
	s->rx = calloc(window, sizeof *s->rx);
	if (area == MAP_FAILED || !s->tx || !s->rx)
		return fab_error("buffers", -FI_ENOMEM);
	for (uint64_t n = 0; n < s->f.opt.iters; n++)
		s->count[kind_of(n)]++;
	for (size_t i = 0; i < window; i++) {
		s->tx[i].buf = area + i * stride;
		s->rx[i].buf = area + (window + i) * stride;
		s->rx[i].kind = i % KINDS;
		if (s->posted[i % KINDS] < s->count[i % KINDS]) {
			int ret = post(s, &s->rx[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct fab_opts opts = { .iters = 100000, .timeout = 60, .window = 64, .size = 1 << 20 };
	static struct soak s;

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR | FAB_OPTS_SIZES | FAB_OPTS_WINDOW,
		  "messages of mixed sizes (up to -S) both ways, checked for content, length and order; -v tells how far");
	if (opts.window < KINDS)
		opts.window = KINDS;
	s.max_size = opts.sizes == FAB_SIZES_ALL ? FAB_MAX_SIZE : opts.size;
	int ret = fab_init(&s.f, "rdm_soak", &opts, FI_EP_RDM, FI_MSG | FI_TAGGED);
	s.f.hints->domain_attr->mr_mode &= ~FI_MR_LOCAL;
	s.f.hints->tx_attr->msg_order = s.f.hints->rx_attr->msg_order = FI_ORDER_SAS;
	ret = ret ? ret : fab_connect(&s.f);
	ret = ret ? ret : make_ops(&s);
	ret = ret ? ret : fab_sync(&s.f);
	uint64_t start = fab_now_ns();
	ret = ret ? ret : run(&s);
	double seconds = (double)(fab_now_ns() - start) / 1e9;
	if (!ret)
		printf("%llu messages sent, %llu received: %llu bytes, intact and in order, %.2f s, %.2f MB/sec\n",
		       (unsigned long long)s.tx_done, (unsigned long long)(s.arrived[PLAIN] + s.arrived[TAGGED]),
		       (unsigned long long)s.bytes, seconds, (double)s.bytes / seconds / 1e6);
	ret = ret ? ret : fab_sync(&s.f);
	fab_close(&s.f);
	return fab_exit(ret);
}
