/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion queues: attributes, empty reads, waiting; and what an endpoint that sends to itself finds in them. */
#include "../common/fab.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_NS 10000000000ULL
#define TAG 0x1234500000000001ULL
#define DATA 0x5aULL

static int open_cq(struct fab *f, enum fi_cq_format format, enum fi_wait_obj wait, size_t size, struct fid_cq **cq)
{
	struct fi_cq_attr attr = { .size = size, .format = format, .wait_obj = wait };
	return fi_cq_open(f->domain, &attr, cq, NULL);
}

static int every_format_and_size(struct fab *f)
{
	static const enum fi_cq_format formats[] = { FI_CQ_FORMAT_UNSPEC, FI_CQ_FORMAT_CONTEXT, FI_CQ_FORMAT_MSG,
						     FI_CQ_FORMAT_DATA, FI_CQ_FORMAT_TAGGED };
	for (size_t n = 0; n < 5; n++) {
		for (size_t size = 0; size <= 1024; size = size ? 4 * size : 1) {
			struct fid_cq *cq;
			int ret = open_cq(f, formats[n], FI_WAIT_NONE, size, &cq);
			REQUIRE(!ret, "format %zu, size %zu: %d", n, size, ret);
			REQUIRE(cq->fid.fclass == FI_CLASS_CQ, "%zu", cq->fid.fclass);
			REQUIRE(!fi_close(&cq->fid), "close");
		}
	}
	return 0;
}

static int an_unknown_format_is_refused(struct fab *f)
{
	struct fid_cq *cq;
	int ret = open_cq(f, (enum fi_cq_format)77, FI_WAIT_NONE, 16, &cq);
	REQUIRE(ret, "opened");
	return 0;
}

static int an_empty_queue_says_again(struct fab *f)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry e;
	struct fid_cq *cq;
	REQUIRE(!open_cq(f, FI_CQ_FORMAT_TAGGED, FI_WAIT_NONE, 16, &cq), "fi_cq_open");
	ssize_t n = fi_cq_read(cq, &e, 1);
	REQUIRE(n == -FI_EAGAIN, "read: %zd", n);
	fi_addr_t from;
	n = fi_cq_readfrom(cq, &e, 1, &from);
	REQUIRE(n == -FI_EAGAIN, "readfrom: %zd", n);
	n = fi_cq_readerr(cq, &err, 0);
	REQUIRE(n == -FI_EAGAIN, "readerr: %zd", n);
	REQUIRE(!fi_close(&cq->fid), "close");
	return 0;
}

static int waiting_ends_in_time(struct fab *f)
{
	struct fi_cq_entry e;
	struct fid_cq *cq;
	int ret = open_cq(f, FI_CQ_FORMAT_CONTEXT, FI_WAIT_UNSPEC, 16, &cq);
	if (ret == -FI_ENOSYS)
		return ret;
	REQUIRE(!ret, "fi_cq_open: %d", ret);
	for (int ms = 0; ms <= 50; ms += 50) {
		uint64_t start = fab_now_ns();
		ssize_t n = fi_cq_sread(cq, &e, 1, NULL, ms);
		uint64_t took = (fab_now_ns() - start) / 1000000;
		REQUIRE(n == -FI_EAGAIN, "%zd", n);
		REQUIRE(took + 2 >= (uint64_t)ms, "%llu ms instead of %d", (unsigned long long)took, ms);
	}
	REQUIRE(!fi_close(&cq->fid), "close");
	return 0;
}

static void *signal_later(void *cq)
{
	usleep(50000);
	/* Once more and again, for a reader that had not begun to wait. */
	for (int n = 0; n < 20; n++) {
		fi_cq_signal(cq);
		usleep(50000);
	}
	return NULL;
}

static int a_signal_ends_waiting(struct fab *f)
{
	struct fi_cq_entry e;
	struct fid_cq *cq;
	pthread_t thread;

	if (f->info->domain_attr->threading == FI_THREAD_DOMAIN)
		return -FI_ENODATA;
	int ret = open_cq(f, FI_CQ_FORMAT_CONTEXT, FI_WAIT_UNSPEC, 16, &cq);
	if (ret == -FI_ENOSYS)
		return ret;
	REQUIRE(!ret, "fi_cq_open: %d", ret);
	REQUIRE(!pthread_create(&thread, NULL, signal_later, cq), "pthread_create");
	uint64_t start = fab_now_ns();
	ssize_t n = fi_cq_sread(cq, &e, 1, NULL, 20000);
	uint64_t took = fab_now_ns() - start;
	pthread_join(thread, NULL);
	REQUIRE(n == -FI_EAGAIN || n == -FI_EINTR || n == -FI_ECANCELED, "%zd", n);
	REQUIRE(took < 15000000000ULL, "%llu ns", (unsigned long long)took);
	REQUIRE(!fi_close(&cq->fid), "close");
	return 0;
}

static int a_wait_object_that_is_a_descriptor(struct fab *f)
{
	struct fid_cq *cq;
	int fd = -1, ret = open_cq(f, FI_CQ_FORMAT_CONTEXT, FI_WAIT_FD, 16, &cq);
	if (ret == -FI_ENOSYS)
		return ret;
	REQUIRE(!ret, "fi_cq_open: %d", ret);
	ret = fi_control(&cq->fid, FI_GETWAIT, &fd);
	if (ret == -FI_ENOSYS) {
		fi_close(&cq->fid);
		return ret;
	}
	REQUIRE(!ret && fd >= 0, "%d, descriptor %d", ret, fd);
	REQUIRE(!fi_close(&cq->fid), "close");
	return 0;
}

/* An endpoint that knows itself, with queues of one format. */
struct self {
	struct fid_ep *ep;
	struct fid_cq *tx, *rx;
	struct fid_av *av;
	fi_addr_t addr;
};

static int open_self(struct fab *f, enum fi_cq_format format, struct self *s)
{
	struct fi_av_attr attr = { .type = f->info->domain_attr->av_type, .count = 1 };
	char name[256];
	size_t len = sizeof name;

	memset(s, 0, sizeof *s);
	if (f->info->ep_attr->type != FI_EP_RDM || !(f->info->caps & FI_TAGGED))
		return -FI_ENODATA;
	REQUIRE(!fi_endpoint(f->domain, f->info, &s->ep, NULL), "fi_endpoint");
	REQUIRE(!open_cq(f, format, FI_WAIT_NONE, 64, &s->tx), "fi_cq_open");
	REQUIRE(!open_cq(f, format, FI_WAIT_NONE, 64, &s->rx), "fi_cq_open");
	REQUIRE(!fi_av_open(f->domain, &attr, &s->av, NULL), "fi_av_open");
	REQUIRE(!fi_ep_bind(s->ep, &s->av->fid, 0), "binding the vector");
	REQUIRE(!fi_ep_bind(s->ep, &s->tx->fid, FI_TRANSMIT), "binding the queue");
	REQUIRE(!fi_ep_bind(s->ep, &s->rx->fid, FI_RECV), "binding the queue");
	REQUIRE(!fi_enable(s->ep), "fi_enable");
	REQUIRE(!fi_getname(&s->ep->fid, name, &len), "fi_getname");
	REQUIRE(fi_av_insert(s->av, name, 1, &s->addr, 0, NULL) == 1, "fi_av_insert");
	return 0;
}

static int close_self(struct self *s)
{
	REQUIRE(!fi_close(&s->ep->fid), "closing the endpoint");
	REQUIRE(!fi_close(&s->tx->fid) && !fi_close(&s->rx->fid), "closing the queues");
	REQUIRE(!fi_close(&s->av->fid), "closing the vector");
	return 0;
}

/* Reads one entry of `cq`; both are read, since both may drive the endpoint. */
static ssize_t next(struct self *s, struct fid_cq *cq, void *entry)
{
	uint64_t end = fab_now_ns() + LIMIT_NS;
	ssize_t n;
	do {
		n = fi_cq_read(cq, entry, 1);
		if (n == -FI_EAGAIN)
			fi_cq_read(cq == s->tx ? s->rx : s->tx, NULL, 0);
	} while (n == -FI_EAGAIN && fab_now_ns() < end);
	return n;
}

static int entries_of_every_format(struct fab *f)
{
	static const enum fi_cq_format formats[] = { FI_CQ_FORMAT_CONTEXT, FI_CQ_FORMAT_MSG, FI_CQ_FORMAT_DATA,
						     FI_CQ_FORMAT_TAGGED };
	static char in[300], out[300];
	struct fi_context2 tx_context, rx_context;
	bool data = f->info->domain_attr->cq_data_size;

	for (size_t n = 0; n < 4; n++) {
		struct fi_cq_tagged_entry e;
		struct self s;
		int ret = open_self(f, formats[n], &s);
		if (ret)
			return ret;
		memset(in, 0, sizeof in);
		fab_fill(out, sizeof out, n);
		REQUIRE(!fi_trecv(s.ep, in, sizeof in, NULL, FI_ADDR_UNSPEC, TAG, 0, &rx_context), "fi_trecv");
		do {
			ret = (int)(data ? fi_tsenddata(s.ep, out, 200, NULL, DATA, s.addr, TAG, &tx_context) :
					   fi_tsend(s.ep, out, 200, NULL, s.addr, TAG, &tx_context));
			fi_cq_read(s.tx, NULL, 0);
		} while (ret == -FI_EAGAIN);
		REQUIRE(!ret, "fi_tsend: %d", ret);
		/* What a format does not have stays as it was. */
		memset(&e, 0x3c, sizeof e);
		ssize_t got = next(&s, s.rx, &e);
		REQUIRE(got == 1, "format %zu, receive: %zd", n, got);
		REQUIRE(e.op_context == &rx_context, "context");
		if (n >= 1) {
			REQUIRE(e.flags & FI_RECV && e.flags & FI_TAGGED, "flags %llx", (unsigned long long)e.flags);
			REQUIRE(e.len == 200, "length %zu", e.len);
		}
		if (n >= 2 && data)
			REQUIRE(e.flags & FI_REMOTE_CQ_DATA && e.data == DATA, "data %llx", (unsigned long long)e.data);
		if (n >= 3)
			REQUIRE(e.tag == TAG, "tag %llx", (unsigned long long)e.tag);
		else
			REQUIRE(e.tag == 0x3c3c3c3c3c3c3c3cULL, "format %zu writes beyond its entry", n);
		REQUIRE(fab_verify(in, 200, n) == SIZE_MAX && !in[200], "content");
		memset(&e, 0x3c, sizeof e);
		got = next(&s, s.tx, &e);
		REQUIRE(got == 1, "format %zu, send: %zd", n, got);
		REQUIRE(e.op_context == &tx_context, "context");
		if (n >= 1)
			REQUIRE(e.flags & FI_SEND && e.flags & FI_TAGGED, "flags %llx", (unsigned long long)e.flags);
		ret = close_self(&s);
		if (ret)
			return ret;
	}
	return 0;
}

/* What a failed operation leaves: -FI_EAVAIL until the error is read. */
static int expect_error(struct self *s, struct fid_cq *cq, struct fi_cq_err_entry *err)
{
	struct fi_cq_tagged_entry e;
	ssize_t n = next(s, cq, &e);
	REQUIRE(n == -FI_EAVAIL, "%zd", n);
	memset(err, 0, sizeof *err);
	n = fi_cq_readerr(cq, err, 0);
	REQUIRE(n == 1, "%zd", n);
	n = fi_cq_read(cq, &e, 1);
	REQUIRE(n == -FI_EAGAIN, "after the error: %zd", n);
	return 0;
}

static int a_message_that_is_too_long(struct fab *f)
{
	static char in[64], out[200];
	struct fi_context2 tx_context, rx_context;
	struct fi_cq_err_entry err;
	struct self s;
	int ret = open_self(f, FI_CQ_FORMAT_TAGGED, &s);
	if (ret)
		return ret;
	fab_fill(out, sizeof out, 1);
	REQUIRE(!fi_trecv(s.ep, in, 48, NULL, FI_ADDR_UNSPEC, TAG, 0, &rx_context), "fi_trecv");
	do {
		ret = (int)fi_tsend(s.ep, out, sizeof out, NULL, s.addr, TAG, &tx_context);
		fi_cq_read(s.tx, NULL, 0);
	} while (ret == -FI_EAGAIN);
	REQUIRE(!ret, "fi_tsend: %d", ret);
	ret = expect_error(&s, s.rx, &err);
	if (ret)
		return ret;
	REQUIRE(err.err == FI_ETRUNC, "error %d", err.err);
	char text[64] = "";
	const char *said = fi_cq_strerror(s.rx, err.prov_errno, err.err_data, text, sizeof text);
	REQUIRE(said && *said, "the error has no text");
	REQUIRE(err.op_context == &rx_context, "context");
	REQUIRE(err.olen == sizeof out - 48, "%zu bytes too many", err.olen);
	REQUIRE(!in[48], "written beyond the buffer");
	return close_self(&s);
}

static int a_cancelled_receive(struct fab *f)
{
	static char in[64];
	struct fi_context2 first, second;
	struct fi_cq_err_entry err;
	struct self s;
	int ret = open_self(f, FI_CQ_FORMAT_TAGGED, &s);
	if (ret)
		return ret;
	REQUIRE(!fi_trecv(s.ep, in, 32, NULL, FI_ADDR_UNSPEC, TAG, 0, &first), "fi_trecv");
	REQUIRE(!fi_trecv(s.ep, in, 32, NULL, FI_ADDR_UNSPEC, TAG + 1, 0, &second), "fi_trecv");
	ret = (int)fi_cancel(&s.ep->fid, &second);
	REQUIRE(!ret, "fi_cancel: %d", ret);
	ret = expect_error(&s, s.rx, &err);
	if (ret)
		return ret;
	REQUIRE(err.err == FI_ECANCELED, "error %d", err.err);
	REQUIRE(err.op_context == &second, "another operation was cancelled");
	return close_self(&s);
}

static int completions_tell_whom_they_are_from(struct fab *f)
{
	static char in[64], out[64];
	struct fi_context2 tx_context, rx_context;
	struct fi_cq_tagged_entry e;
	fi_addr_t from = FI_ADDR_UNSPEC;
	struct self s;
	if (!(f->info->caps & FI_SOURCE))
		return -FI_ENODATA;
	int ret = open_self(f, FI_CQ_FORMAT_TAGGED, &s);
	if (ret)
		return ret;
	REQUIRE(!fi_trecv(s.ep, in, sizeof in, NULL, FI_ADDR_UNSPEC, TAG, 0, &rx_context), "fi_trecv");
	do {
		ret = (int)fi_tsend(s.ep, out, sizeof out, NULL, s.addr, TAG, &tx_context);
		fi_cq_read(s.tx, NULL, 0);
	} while (ret == -FI_EAGAIN);
	uint64_t end = fab_now_ns() + LIMIT_NS;
	ssize_t n;
	do {
		n = fi_cq_readfrom(s.rx, &e, 1, &from);
		fi_cq_read(s.tx, NULL, 0);
	} while (n == -FI_EAGAIN && fab_now_ns() < end);
	REQUIRE(n == 1, "%zd", n);
	REQUIRE(from == s.addr, "%llu instead of %llu", (unsigned long long)from, (unsigned long long)s.addr);
	return close_self(&s);
}

static int a_queue_of_an_endpoint_is_busy(struct fab *f)
{
	struct self s;
	int ret = open_self(f, FI_CQ_FORMAT_TAGGED, &s);
	if (ret)
		return ret;
	ret = fi_close(&s.rx->fid);
	REQUIRE(ret == -FI_EBUSY, "%d", ret);
	return close_self(&s);
}

static int many_completions_at_once(struct fab *f)
{
	static char in[32][64], out[64];
	static struct fi_context2 contexts[64];
	struct fi_cq_tagged_entry e[32];
	struct self s;
	int ret = open_self(f, FI_CQ_FORMAT_TAGGED, &s);
	if (ret)
		return ret;
	for (uint64_t i = 0; i < 32; i++)
		REQUIRE(!fi_trecv(s.ep, in[i], 64, NULL, FI_ADDR_UNSPEC, i, 0, &contexts[i]), "receive %llu",
			(unsigned long long)i);
	for (uint64_t i = 0; i < 32; i++) {
		do {
			ret = (int)fi_tsend(s.ep, out, sizeof out, NULL, s.addr, i, &contexts[32 + i]);
			if (ret == -FI_EAGAIN)
				fi_cq_read(s.tx, NULL, 0);
		} while (ret == -FI_EAGAIN);
		REQUIRE(!ret, "send %llu: %d", (unsigned long long)i, ret);
	}
	for (int rx = 0; rx < 2; rx++) {
		struct fid_cq *cq = rx ? s.rx : s.tx;
		uint64_t seen = 0, end = fab_now_ns() + LIMIT_NS;
		while (seen != 0xffffffff && fab_now_ns() < end) {
			ssize_t n = fi_cq_read(cq, e, 32);
			if (n == -FI_EAGAIN) {
				fi_cq_read(rx ? s.tx : s.rx, NULL, 0);
				continue;
			}
			REQUIRE(n > 0 && n <= 32, "%zd", n);
			for (ssize_t i = 0; i < n; i++) {
				size_t c = (size_t)((struct fi_context2 *)e[i].op_context - contexts) - (rx ? 0 : 32);
				REQUIRE(c < 32 && !(seen >> c & 1), "completion of %zu twice or of another", c);
				REQUIRE(!rx || e[i].tag == c, "tag of %zu", c);
				seen |= 1ULL << c;
			}
		}
		REQUIRE(seen == 0xffffffff, "%s: %llx", rx ? "receives" : "sends", (unsigned long long)seen);
	}
	return close_self(&s);
}

int main(int argc, char **argv)
{
	static const struct fab_case cases[] = {
		{ "every format and size", every_format_and_size },
		{ "an unknown format is refused", an_unknown_format_is_refused },
		{ "an empty queue says again", an_empty_queue_says_again },
		{ "waiting ends in time", waiting_ends_in_time },
		{ "a signal ends waiting", a_signal_ends_waiting },
		{ "a wait object that is a descriptor", a_wait_object_that_is_a_descriptor },
		{ "entries of every format", entries_of_every_format },
		{ "a message that is too long", a_message_that_is_too_long },
		{ "a cancelled receive", a_cancelled_receive },
		{ "completions tell whom they are from", completions_tell_whom_they_are_from },
		{ "many completions at once", many_completions_at_once },
		{ "a queue of an endpoint is busy", a_queue_of_an_endpoint_is_busy },
	};
	struct fab_opts opts = { 0 };
	struct fab f;

	fab_parse(&opts, argc, argv, 0, "completion queues");
	int ret = fab_init(&f, "cq_test", &opts, FI_EP_RDM, FI_TAGGED | FI_SOURCE);
	f.hints->domain_attr->threading = FI_THREAD_SAFE;
	/* Buffers of these cases are not registered. */
	f.hints->domain_attr->mr_mode &= ~FI_MR_LOCAL;
	if (!ret && fi_getinfo(FAB_VERSION, NULL, NULL, 0, f.hints, &f.info)) {
		/* Without tags the queues alone are looked at. */
		f.hints->ep_attr->type = FI_EP_UNSPEC;
		f.hints->caps = 0;
		ret = fab_getinfo(&f);
	}
	ret = ret ? ret : fab_open_domain(&f);
	ret = ret ? fab_exit(ret) : fab_run_cases(&f, cases, sizeof cases / sizeof *cases);
	fab_close(&f);
	return ret;
}
