/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Opens and closes the objects of a program, and makes the two sides known to each other. */
#include "fab.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_MAX_LEN 256

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

int fab_init(struct fab *f, const char *name, const struct fab_opts *opts, enum fi_ep_type type, uint64_t caps)
{
	memset(f, 0, sizeof *f);
	f->opt = *opts;
	f->name = name;
	f->control = -1;
	f->expect = SIZE_MAX;
	f->peer = FI_ADDR_UNSPEC;
	f->tagged = caps & FI_TAGGED;
	f->hints = fi_allocinfo();
	if (!f->hints)
		return fab_error("fi_allocinfo", -FI_ENOMEM);
	f->hints->caps = caps;
	f->hints->mode = FI_CONTEXT | FI_CONTEXT2;
	f->hints->ep_attr->type = type;
	f->hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;
	f->hints->domain_attr->threading = FI_THREAD_DOMAIN;
	f->hints->domain_attr->name = copy(opts->domain);
	f->hints->fabric_attr->name = copy(opts->fabric);
	f->hints->fabric_attr->prov_name = copy(opts->provider);
	if (opts->delivery_complete)
		f->hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
	return 0;
}

/* The client's own address goes into the hints, since node and service are the server's. */
static int own_address(struct fab *f)
{
	struct addrinfo *list;
	int ret = getaddrinfo(f->opt.src_addr, f->opt.src_port, NULL, &list);
	if (ret) {
		fprintf(stderr, "-s %s: %s\n", f->opt.src_addr, gai_strerror(ret));
		return -FI_EINVAL;
	}
	free(f->hints->src_addr);
	f->hints->src_addr = malloc(list->ai_addrlen);
	if (f->hints->src_addr) {
		memcpy(f->hints->src_addr, list->ai_addr, list->ai_addrlen);
		f->hints->src_addrlen = list->ai_addrlen;
		f->hints->addr_format = list->ai_family == AF_INET6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
	}
	freeaddrinfo(list);
	return f->hints->src_addr ? 0 : -FI_ENOMEM;
}

int fab_getinfo(struct fab *f)
{
	const struct fab_opts *o = &f->opt;
	const char *node = NULL, *service = NULL;
	uint64_t flags = 0;
	int ret = 0;

	if (o->dst_addr && !o->control_port) {
		node = o->dst_addr;
		service = o->dst_port ? o->dst_port : FAB_PORT;
		ret = o->src_addr || o->src_port ? own_address(f) : 0;
	} else {
		/* With a control connection an endpoint may have any port. */
		node = o->src_addr;
		service = o->src_port ? o->src_port : o->control_port ? NULL : FAB_PORT;
		flags = node || service ? FI_SOURCE : 0;
	}
	if (ret)
		return ret;
	ret = fi_getinfo(FAB_VERSION, node, service, flags, f->hints, &f->info);
	return ret ? fab_error("fi_getinfo", ret) : 0;
}

int fab_open_domain(struct fab *f)
{
	int ret = fi_fabric(f->info->fabric_attr, &f->fabric, NULL);
	if (ret)
		return fab_error("fi_fabric", ret);
	ret = fi_domain(f->fabric, f->info, &f->domain, NULL);
	return ret ? fab_error("fi_domain", ret) : 0;
}

static int open_queue(struct fab *f, struct fid_cq **cq, struct fid_cntr **cntr, size_t size, uint64_t what)
{
	enum fi_wait_obj wait = f->opt.method == FAB_SREAD ? FI_WAIT_UNSPEC :
				f->opt.method == FAB_FD ? FI_WAIT_FD : FI_WAIT_NONE;
	struct fi_cq_attr cq_attr = {
		.size = size > 2 * f->slots ? size : 2 * f->slots,
		.format = FI_CQ_FORMAT_TAGGED,
		.wait_obj = f->opt.counters ? FI_WAIT_NONE : wait,
	};
	struct fi_cntr_attr cntr_attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = wait };

	int ret = fi_cq_open(f->domain, &cq_attr, cq, NULL);
	if (ret)
		return fab_error("fi_cq_open", ret);
	/* Beside counters the queue is for errors only. */
	ret = fi_ep_bind(f->ep, &(*cq)->fid, what | (f->opt.counters ? FI_SELECTIVE_COMPLETION : 0));
	if (ret)
		return fab_error("fi_ep_bind (queue)", ret);
	if (!f->opt.counters)
		return 0;
	ret = fi_cntr_open(f->domain, &cntr_attr, cntr, NULL);
	if (ret)
		return fab_error("fi_cntr_open", ret);
	ret = fi_ep_bind(f->ep, &(*cntr)->fid, what);
	return ret ? fab_error("fi_ep_bind (counter)", ret) : 0;
}

static int make_buffers(struct fab *f, size_t slots, size_t slot_size)
{
	/* A page at the front keeps an unaligned start inside the mapping. */
	const size_t page = 4096, skew = f->opt.align ? 0 : 64;
	bool own = f->opt.verify || f->received;

	f->slots = slots;
	f->slot_size = slot_size;
	f->slot_stride = own ? (slot_size + page - 1) / page * page : 0;
	size_t area = own ? f->slot_stride * slots : (slot_size + page - 1) / page * page;
	f->buf_size = 2 * (area + page);
	f->buf = mmap(NULL, f->buf_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->txop = calloc(slots, sizeof *f->txop);
	f->rxop = calloc(slots, sizeof *f->rxop);
	if (f->buf == MAP_FAILED || !f->txop || !f->rxop) {
		f->buf = f->buf == MAP_FAILED ? NULL : f->buf;
		return fab_error("buffers", -FI_ENOMEM);
	}
	/* Not all zero, so that a page fault comes now and not within the measurement. */
	memset(f->buf, 0x5a, f->buf_size);
	f->tx = f->buf + skew;
	f->rx = f->tx + area + page;
	return 0;
}

int fab_open_ep(struct fab *f, size_t slots, size_t slot_size)
{
	const struct fi_info *i = f->info;
	struct fi_av_attr av_attr = { .type = i->domain_attr->av_type, .count = 1 };
	size_t most = i->tx_attr->size && i->tx_attr->size < i->rx_attr->size ? i->tx_attr->size : i->rx_attr->size;

	if (most && slots > most)
		slots = most;
	if (slot_size > i->ep_attr->max_msg_size)
		slot_size = i->ep_attr->max_msg_size;
	int ret = make_buffers(f, slots, slot_size ? slot_size : 1);
	if (ret)
		return ret;
	if (i->domain_attr->mr_mode & FI_MR_LOCAL) {
		ret = fi_mr_reg(f->domain, f->buf, f->buf_size, FI_SEND | FI_RECV, 0, 0xfab, 0, &f->mr, NULL);
		if (ret)
			return fab_error("fi_mr_reg", ret);
	}
	ret = fi_endpoint(f->domain, f->info, &f->ep, NULL);
	if (ret)
		return fab_error("fi_endpoint", ret);
	ret = fi_av_open(f->domain, &av_attr, &f->av, NULL);
	if (ret)
		return fab_error("fi_av_open", ret);
	ret = fi_ep_bind(f->ep, &f->av->fid, 0);
	if (ret)
		return fab_error("fi_ep_bind (address vector)", ret);
	ret = open_queue(f, &f->txcq, &f->txcntr, i->tx_attr->size, FI_TRANSMIT);
	ret = ret ? ret : open_queue(f, &f->rxcq, &f->rxcntr, i->rx_attr->size, FI_RECV);
	if (ret)
		return ret;
	ret = fi_enable(f->ep);
	return ret ? fab_error("fi_enable", ret) : 0;
}

int fab_name(struct fab *f, void *buf, size_t *len)
{
	int ret = fi_getname(&f->ep->fid, buf, len);
	return ret ? fab_error("fi_getname", ret) : 0;
}

int fab_insert(struct fab *f, const void *addr, fi_addr_t *to)
{
	int ret = fi_av_insert(f->av, addr, 1, to, 0, NULL);
	if (ret == 1)
		return 0;
	return fab_error("fi_av_insert", ret < 0 ? ret : -FI_EINVAL);
}

struct name {
	char bytes[NAME_MAX_LEN];
	size_t len;
};

static void take_name(struct fab *f, uint64_t seq, const char *data, size_t len)
{
	struct name *n = f->user;
	(void)seq;
	if (!n->len && len <= sizeof n->bytes) {
		memcpy(n->bytes, data, len);
		n->len = len;
	}
}

/* The server hears the client's address in its first message. A datagram may be lost, so it is repeated. */
static int exchange_by_messages(struct fab *f)
{
	struct name name = { .len = NAME_MAX_LEN };
	bool datagrams = f->info->ep_attr->type == FI_EP_DGRAM;
	void (*received)(struct fab *, uint64_t, const char *, size_t) = f->received;
	void *user = f->user;
	uint64_t end = fab_now_ns() + f->opt.timeout * 1000000000ULL;
	int ret;

	if (f->opt.dst_addr) {
		ret = fab_insert(f, f->info->dest_addr, &f->peer);
		ret = ret ? ret : fab_name(f, name.bytes, &name.len);
		if (ret)
			return ret;
		do {
			char *slot = fab_tx_slot(f);
			if (!slot)
				return -FI_EOTHER;
			memcpy(slot, name.bytes, name.len);
			ret = fab_send_slot(f, name.len);
			if (!datagrams || ret)
				return ret;
			ret = f->rx_done ? 0 : fab_wait_any(f, 200);
		} while (ret == -FI_ETIMEDOUT && fab_now_ns() < end);
		return ret ? fab_error("the server does not answer", ret) : 0;
	}
	name.len = 0;
	f->received = take_name;
	f->user = &name;
	ret = fab_receive(f, 1);
	f->received = received;
	f->user = user;
	ret = ret ? ret : fab_insert(f, name.bytes, &f->peer);
	return ret || !datagrams ? ret : fab_send(f, 1);
}

static int exchange_by_control(struct fab *f, int listener)
{
	char mine[NAME_MAX_LEN], theirs[NAME_MAX_LEN];
	size_t my_len = sizeof mine, len = sizeof theirs;

	f->control = f->opt.dst_addr ? fab_control_connect(f->opt.dst_addr, f->opt.control_port, f->opt.timeout) :
				       fab_control_accept(listener, 0);
	if (f->control < 0)
		return f->control;
	int ret = fab_name(f, mine, &my_len);
	ret = ret ? ret : fab_control_exchange(f->control, mine, my_len, theirs, &len);
	return ret ? ret : fab_insert(f, theirs, &f->peer);
}

static int start(struct fab *f, size_t slots, size_t slot_size, bool post)
{
	bool by_messages = !f->opt.control_port;
	int listener = -1;

	int ret = fab_getinfo(f);
	ret = ret ? ret : fab_open_domain(f);
	ret = ret ? ret : fab_open_ep(f, slots, by_messages && slot_size < NAME_MAX_LEN ? NAME_MAX_LEN : slot_size);
	ret = ret || !post ? ret : fab_post_all(f);
	if (ret)
		return ret;
	/* From here on the server can be talked to: whoever waits for its control port may start the client. */
	if (!by_messages && !f->opt.dst_addr) {
		listener = fab_control_listen(f->opt.control_port);
		if (listener < 0)
			return listener;
	}
	ret = by_messages ? exchange_by_messages(f) : exchange_by_control(f, listener);
	if (listener >= 0)
		close(listener);
	return ret;
}

int fab_start(struct fab *f, size_t slots, size_t slot_size)
{
	return start(f, slots, slot_size, true);
}

int fab_connect(struct fab *f)
{
	if (!f->opt.control_port)
		f->opt.control_port = FAB_CONTROL_PORT;
	return start(f, 1, 1, false);
}

static void close_fid(struct fid *fid, const char *what)
{
	int ret = fid ? fi_close(fid) : 0;
	if (ret)
		fprintf(stderr, "closing the %s: %d (%s)\n", what, ret, fi_strerror(-ret));
}

#define CLOSE(object, what) close_fid((object) ? &(object)->fid : NULL, what)

void fab_close(struct fab *f)
{
	CLOSE(f->ep, "endpoint");
	CLOSE(f->mr, "memory region");
	CLOSE(f->txcq, "transmit queue");
	CLOSE(f->rxcq, "receive queue");
	CLOSE(f->txcntr, "transmit counter");
	CLOSE(f->rxcntr, "receive counter");
	CLOSE(f->av, "address vector");
	CLOSE(f->domain, "domain");
	CLOSE(f->fabric, "fabric");
	if (f->info)
		fi_freeinfo(f->info);
	if (f->hints)
		fi_freeinfo(f->hints);
	if (f->buf)
		munmap(f->buf, f->buf_size);
	free(f->txop);
	free(f->rxop);
	if (f->control >= 0)
		close(f->control);
	memset(f, 0, sizeof *f);
	f->control = -1;
}
