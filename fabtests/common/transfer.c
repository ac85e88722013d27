/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends and receives by slots. A tagged message carries its number as tag, so a wrong match is seen as wrong data; untagged
 * ones match in order.
 */
#include "fab.h"

#include <poll.h>
#include <sched.h>

#define BATCH 16
/* Longest sleep of a blocking wait, so that the limits are looked at in between. */
#define NAP_MS 100

int fab_cq_error(struct fid_cq *cq, const char *what)
{
	char text[128];
	struct fi_cq_err_entry e = { .err_data_size = 0 };

	ssize_t n = fi_cq_readerr(cq, &e, 0);
	if (n == -FI_EAGAIN)
		return 0;
	if (n < 0)
		return fab_error("fi_cq_readerr", (int)n);
	fprintf(stderr, "%s: failed with %d (%s); %s\n", what, e.err, fi_strerror(e.err),
		fi_cq_strerror(cq, e.prov_errno, e.err_data, text, sizeof text));
	return e.err ? -e.err : -FI_EOTHER;
}

static char *slot(const struct fab *f, char *base, size_t index)
{
	return base + index * f->slot_stride;
}

static void *desc(const struct fab *f)
{
	return f->mr ? fi_mr_desc(f->mr) : NULL;
}

static int post(struct fab *f, size_t index)
{
	struct fab_op *op = &f->rxop[index];
	char *buf = slot(f, f->rx, index);
	ssize_t ret;

	op->seq = f->rx_posted;
	do {
		ret = f->tagged ? fi_trecv(f->ep, buf, f->slot_size, desc(f), FI_ADDR_UNSPEC, op->seq, 0, op) :
				  fi_recv(f->ep, buf, f->slot_size, desc(f), FI_ADDR_UNSPEC, op);
		/* Room comes with progress, which another queue than this one may need. */
		if (ret == -FI_EAGAIN)
			fi_cq_read(f->rxcq, NULL, 0);
	} while (ret == -FI_EAGAIN);
	if (ret)
		return fab_error("fi_recv", (int)ret);
	f->rx_posted++;
	return 0;
}

int fab_post_all(struct fab *f)
{
	int ret = 0;
	for (size_t i = 0; i < f->slots && !ret; i++)
		ret = post(f, i);
	return ret;
}

/* `len` is SIZE_MAX where a counter does not tell. */
static int received(struct fab *f, size_t index, size_t len)
{
	char *data = slot(f, f->rx, index);
	uint64_t seq = f->rxop[index].seq;

	f->rx_done++;
	if (f->opt.verify && f->expect != SIZE_MAX) {
		size_t at = fab_verify(data, f->expect, seq);
		if (len != SIZE_MAX && len != f->expect)
			fprintf(stderr, "message %llu: %zu bytes instead of %zu\n", (unsigned long long)seq, len, f->expect);
		else if (at != SIZE_MAX)
			fprintf(stderr, "message %llu of %zu bytes: byte %zu is wrong\n", (unsigned long long)seq,
				f->expect, at);
		if (at != SIZE_MAX || (len != SIZE_MAX && len != f->expect)) {
			f->bad++;
			return -FI_EIO;
		}
	}
	if (f->received)
		f->received(f, seq, data, len);
	return post(f, index);
}

/* Takes what a counter has counted: operations complete in the order of posting as far as slots matter. */
static int take_counter(struct fab *f, bool rx)
{
	struct fid_cntr *c = rx ? f->rxcntr : f->txcntr;
	uint64_t now = fi_cntr_read(c);
	int taken = 0;

	if (fi_cntr_readerr(c)) {
		int ret = fab_cq_error(rx ? f->rxcq : f->txcq, rx ? "receive" : "send");
		if (ret)
			return ret;
	}
	for (; rx && f->rx_done < now; taken++) {
		int ret = received(f, f->rx_done % f->slots, SIZE_MAX);
		if (ret)
			return ret;
	}
	for (; !rx && f->tx_done < now; taken++)
		f->txop[f->tx_done++ % f->slots].busy = false;
	return taken;
}

/* Takes completions of one queue, waiting up to `ms`; gives their number or an error. */
static int take(struct fab *f, bool rx, int ms)
{
	struct fi_cq_tagged_entry e[BATCH];
	struct fid_cq *cq = rx ? f->rxcq : f->txcq;
	ssize_t n;

	if (f->opt.counters) {
		if (ms && f->opt.method == FAB_SREAD)
			fi_cntr_wait(rx ? f->rxcntr : f->txcntr, (rx ? f->rx_done : f->tx_done) + 1, ms);
		return take_counter(f, rx);
	}
	if (ms && f->opt.method == FAB_FD) {
		struct pollfd p = { .events = POLLIN };
		struct fid *fids[1] = { &cq->fid };
		if (!fi_trywait(f->fabric, fids, 1) && !fi_control(&cq->fid, FI_GETWAIT, &p.fd))
			poll(&p, 1, ms);
	}
	n = ms && f->opt.method == FAB_SREAD ? fi_cq_sread(cq, e, BATCH, NULL, ms) : fi_cq_read(cq, e, BATCH);
	if (n == -FI_EAGAIN || n == -FI_EINTR)
		return 0;
	if (n == -FI_EAVAIL)
		return fab_cq_error(cq, rx ? "receive" : "send");
	if (n < 0)
		return fab_error("fi_cq_read", (int)n);
	for (ssize_t i = 0; i < n; i++) {
		struct fab_op *op = e[i].op_context;
		if (rx) {
			int ret = received(f, (size_t)(op - f->rxop), e[i].len);
			if (ret)
				return ret;
		} else {
			op->busy = false;
			f->tx_done++;
		}
	}
	return (int)n;
}

int fab_progress(struct fab *f)
{
	int rx = take(f, true, 0);
	int tx = rx < 0 ? 0 : take(f, false, 0);
	return rx < 0 ? rx : tx < 0 ? tx : rx + tx;
}

/* Until the other returns true; silence for `limit_ns` is an error. */
static int wait_until(struct fab *f, bool rx, bool (*done)(struct fab *, uint64_t), uint64_t arg, uint64_t limit_ns)
{
	uint64_t start = 0;
	bool blocking = f->opt.method == FAB_SREAD || f->opt.method == FAB_FD;

	for (unsigned int idle = 0; !done(f, arg);) {
		int n = take(f, rx, blocking ? NAP_MS : 0);
		if (n < 0)
			return n;
		if (n) {
			idle = 0;
			start = 0;
			continue;
		}
		if (f->opt.method == FAB_YIELD)
			sched_yield();
		/* The clock costs as much as a read: it is looked at now and then. */
		if (blocking || ++idle % 1024 == 0) {
			uint64_t now = fab_now_ns();
			if (!start)
				start = now;
			else if (now - start > limit_ns)
				return -FI_ETIMEDOUT;
			/* On a machine with more spinning processes than cores the peer may need this one. */
			if (f->opt.method == FAB_SPIN)
				sched_yield();
			/* What is sent may need its queue read to go on. */
			n = take(f, !rx, 0);
			if (n < 0)
				return n;
		}
	}
	return 0;
}

static bool rx_reached(struct fab *f, uint64_t count)
{
	return f->rx_done >= count;
}

static bool tx_reached(struct fab *f, uint64_t count)
{
	return f->tx_done >= count;
}

static bool slot_free(struct fab *f, uint64_t index)
{
	return !f->txop[index].busy;
}

static int wait_or_say(struct fab *f, bool rx, bool (*done)(struct fab *, uint64_t), uint64_t arg)
{
	int ret = wait_until(f, rx, done, arg, f->opt.timeout * 1000000000ULL);
	if (ret == -FI_ETIMEDOUT)
		fprintf(stderr, "nothing happened for %u s: %llu received, %llu of %llu sent\n", f->opt.timeout,
			(unsigned long long)f->rx_done, (unsigned long long)f->tx_done,
			(unsigned long long)f->tx_posted);
	return ret;
}

int fab_receive(struct fab *f, uint64_t count)
{
	f->rx_taken += count;
	return wait_or_say(f, true, rx_reached, f->rx_taken);
}

int fab_wait_any(struct fab *f, unsigned int ms)
{
	return wait_until(f, true, rx_reached, f->rx_done + 1, ms * 1000000ULL);
}

int fab_flush(struct fab *f)
{
	return wait_or_say(f, false, tx_reached, f->tx_posted);
}

char *fab_tx_slot(struct fab *f)
{
	size_t index = f->tx_posted % f->slots;
	if (f->txop[index].busy && wait_or_say(f, false, slot_free, index))
		return NULL;
	return slot(f, f->tx, index);
}

int fab_send_slot(struct fab *f, size_t len)
{
	size_t index = f->tx_posted % f->slots;
	struct fab_op *op = &f->txop[index];
	char *buf = slot(f, f->tx, index);
	uint64_t tag = f->tx_posted, start = 0;
	bool inject = len <= f->info->tx_attr->inject_size && !f->opt.delivery_complete && !f->no_inject;

	for (;;) {
		ssize_t ret;
		if (inject)
			ret = f->tagged ? fi_tinject(f->ep, buf, len, f->peer, tag) :
					  fi_inject(f->ep, buf, len, f->peer);
		else
			ret = f->tagged ? fi_tsend(f->ep, buf, len, desc(f), f->peer, tag, op) :
					  fi_send(f->ep, buf, len, desc(f), f->peer, op);
		if (!ret)
			break;
		if (ret != -FI_EAGAIN)
			return fab_error("fi_send", (int)ret);
		int n = fab_progress(f);
		if (n < 0)
			return n;
		if (n || !start)
			start = fab_now_ns();
		else if (fab_now_ns() - start > f->opt.timeout * 1000000000ULL)
			return fab_error("fi_send has had no room", -FI_ETIMEDOUT);
	}
	f->tx_posted++;
	op->busy = !inject || f->opt.counters;
	if (inject && !f->opt.counters)
		f->tx_done++;
	return 0;
}

int fab_send(struct fab *f, size_t len)
{
	char *buf = fab_tx_slot(f);
	if (!buf)
		return -FI_EOTHER;
	if (f->opt.verify)
		fab_fill(buf, len, f->tx_posted);
	return fab_send_slot(f, len);
}

/* Lets the provider work without taking completions. */
static void drive(void *arg)
{
	struct fab *f = arg;
	fi_cq_read(f->rxcq, NULL, 0);
	fi_cq_read(f->txcq, NULL, 0);
}

int fab_sync(struct fab *f)
{
	if (f->control >= 0)
		return fab_control_sync(f->control, drive, f);
	/*
	 * One message each way; the client's is first, and the next of its messages may be close behind. An injected one may
	 * still be under way when the endpoint is closed.
	 */
	f->expect = SIZE_MAX;
	f->no_inject = true;
	int ret = f->opt.dst_addr ? fab_send(f, 1) : 0;
	ret = ret ? ret : fab_receive(f, 1);
	ret = ret || f->opt.dst_addr ? ret : fab_send(f, 1);
	ret = ret ? ret : fab_flush(f);
	f->no_inject = false;
	return ret;
}
