/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Looking at tagged messages before they are received: FI_PEEK alone, with FI_CLAIM and with FI_DISCARD, for messages of
 * every way of sending.
 */
#include "../common/fab.h"

#include <stdlib.h>
#include <string.h>

static const size_t sizes[] = { 0, 64, 20000, 300000 };
#define SIZES (sizeof(sizes) / sizeof(*sizes))
/* Each size is sent once for each of these; the tag tells both. */
enum way { SEEN, CLAIMED, DISCARDED, CLAIMED_AND_DISCARDED, WAYS };
#define TAG(size, way) ((uint64_t)(size) << 8 | (uint64_t)(way))
/* What no message has. */
#define ABSENT 0xabcdefULL
/* How often a look is repeated before a message counts as lost. */
#define LOOKS 20000000

/* One call of fi_trecvmsg and its completion; gives the error of an error completion. */
static int look(struct fab *f, void *buf, size_t len, uint64_t tag, uint64_t flags, struct fi_context2 *context,
		struct fi_cq_tagged_entry *e)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct fi_msg_tagged msg = {
		.msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .tag = tag, .context = context,
	};
	ssize_t ret = fi_trecvmsg(f->ep, &msg, flags);
	if (ret)
		return (int)ret;
	do
		ret = fi_cq_read(f->rxcq, e, 1);
	while (ret == -FI_EAGAIN);
	if (ret == -FI_EAVAIL) {
		struct fi_cq_err_entry err = { 0 };
		ret = fi_cq_readerr(f->rxcq, &err, 0);
		if (ret != 1 || err.op_context != context)
			return fab_error("fi_cq_readerr", -FI_EIO);
		return -err.err;
	}
	if (ret == 1 && e->op_context != context)
		return fab_error("completion of another operation", -FI_EIO);
	return ret == 1 ? 0 : fab_error("fi_cq_read", (int)ret);
}

/* Looks until the message has come, and holds what the completion says against it. */
static int find(struct fab *f, size_t size, uint64_t tag, uint64_t flags, struct fi_context2 *context)
{
	struct fi_cq_tagged_entry e;
	int ret = -FI_ENOMSG;

	for (unsigned int n = 0; ret == -FI_ENOMSG && n < LOOKS; n++)
		ret = look(f, NULL, 0, tag, flags, context, &e);
	if (ret)
		return ret == -FI_ENOSYS || ret == -FI_EBADFLAGS ? -FI_ENOSYS : fab_error("look", ret);
	if (e.len != size || e.tag != tag) {
		fprintf(stderr, "tag %#llx: %zu bytes told instead of %zu, tag %#llx\n", (unsigned long long)tag, e.len, size,
			(unsigned long long)e.tag);
		return -FI_EIO;
	}
	return 0;
}

static int take(struct fab *f, char *buf, size_t size, uint64_t tag, uint64_t flags, struct fi_context2 *context)
{
	struct fi_cq_tagged_entry e;
	int ret = look(f, buf, size, tag, flags, context, &e);
	if (ret)
		return fab_error("receive", ret);
	size_t at = fab_verify(buf, size, tag);
	if (e.len != size || at != SIZE_MAX) {
		fprintf(stderr, "tag %#llx: %zu bytes instead of %zu, wrong from %zu on\n", (unsigned long long)tag, e.len,
			size, at);
		return -FI_EIO;
	}
	return 0;
}

static int gone(struct fab *f, uint64_t tag)
{
	struct fi_context2 context;
	struct fi_cq_tagged_entry e;
	int ret = look(f, NULL, 0, tag, FI_PEEK, &context, &e);
	if (ret == -FI_ENOMSG)
		return 0;
	fprintf(stderr, "tag %#llx: a look gives %d where nothing is\n", (unsigned long long)tag, ret);
	return ret ? ret : -FI_EIO;
}

static int receiver(struct fab *f, char *buf)
{
	int ret = gone(f, ABSENT);
	for (size_t i = 0; i < SIZES && !ret; i++)
		for (enum way way = SEEN; way < WAYS && !ret; way++) {
			struct fi_context2 context, other;
			size_t size = sizes[i];
			uint64_t tag = TAG(size, way);

			ret = find(f, size, tag, FI_PEEK, &other);
			switch (way) {
			case SEEN:
				ret = ret ? ret : take(f, buf, size, tag, 0, &context);
				break;
			case DISCARDED:
				ret = ret ? ret : find(f, size, tag, FI_PEEK | FI_DISCARD, &context);
				break;
			default:
				ret = ret ? ret : find(f, size, tag, FI_PEEK | FI_CLAIM, &context);
				/* Nobody else gets it. */
				ret = ret ? ret : gone(f, tag);
				if (way == CLAIMED)
					ret = ret ? ret : take(f, buf, size, tag, FI_CLAIM, &context);
				else
					ret = ret ? ret : find(f, size, tag, FI_CLAIM | FI_DISCARD, &context);
			}
			ret = ret ? ret : gone(f, tag);
		}
	return ret;
}

static int sender(struct fab *f, char *buf)
{
	static struct fi_context2 contexts[SIZES * WAYS];
	size_t sent = 0, done = 0, room = 0;
	int ret = 0;

	for (size_t i = 0; i < SIZES && !ret; i++)
		for (enum way way = SEEN; way < WAYS && !ret; way++) {
			uint64_t tag = TAG(sizes[i], way);
			char *at = buf + room;
			ssize_t n;

			fab_fill(at, sizes[i], tag);
			room += sizes[i];
			do {
				n = fi_tsend(f->ep, at, sizes[i], NULL, f->peer, tag, &contexts[sent]);
				if (n == -FI_EAGAIN)
					fi_cq_read(f->txcq, NULL, 0);
			} while (n == -FI_EAGAIN);
			ret = n ? fab_error("fi_tsend", (int)n) : 0;
			sent++;
		}
	while (!ret && done < sent) {
		struct fi_cq_tagged_entry e[8];
		ssize_t n = fi_cq_read(f->txcq, e, 8);
		if (n > 0)
			done += (size_t)n;
		else if (n != -FI_EAGAIN)
			ret = n == -FI_EAVAIL ? fab_cq_error(f->txcq, "send") : fab_error("fi_cq_read", (int)n);
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct fab_opts opts = { .timeout = 30 };
	struct fab f;
	char *buf = NULL;
	size_t room = 0;

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR, "looking at tagged messages before they are received");
	int ret = fab_init(&f, "rdm_tagged_peek", &opts, FI_EP_RDM, FI_TAGGED);
	for (size_t i = 0; i < SIZES; i++)
		room += sizes[i] * WAYS;
	if (!ret && !(buf = malloc(room)))
		ret = -FI_ENOMEM;
	ret = ret ? ret : fab_connect(&f);
	if (!ret)
		ret = opts.dst_addr ? sender(&f, buf) : receiver(&f, buf);
	ret = ret ? ret : fab_sync(&f);
	fab_close(&f);
	free(buf);
	return fab_exit(ret);
}
