/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One side of a conversation for the tests on devices.
 *
 *	peer hold PORT idle|busy	opens an endpoint at UDP port PORT and receives; says "ready"; ends with standard input.
 *					idle: the application makes no calls meanwhile.
 *	peer send PORT IP PORT2		sends to IP:PORT2 from PORT, one message after the other, until one fails; says how long
 *					the last one took; then keeps trying until one arrives again.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

static struct fid_cq *cq;
static struct fid_ep *ep;
static struct fid_av *av;
static char buffer[64];
static struct fi_context2 rx_context, tx_context;

static void check(const char *what, int ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror(-ret));
	exit(ret == -FI_EBUSY ? 16 : 1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void set_up(const char *port)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;

	hints->ep_attr->type = FI_EP_RDM;
	hints->caps = FI_MSG;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->fabric_attr->prov_name = strdup("dpdk");
	check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, port, FI_SOURCE, hints, &info));
	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_domain", fi_domain(fabric, info, &domain, NULL));
	check("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
	check("fi_av_open", fi_av_open(domain, &av_attr, &av, NULL));
	check("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
	check("fi_ep_bind", fi_ep_bind(ep, &av->fid, 0));
	check("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(ep));
}

/* One look at the queue: 1 completed, 0 nothing, negative the operation's error. */
static int look(void)
{
	struct fi_cq_msg_entry entry;
	struct fi_cq_err_entry error = { 0 };
	ssize_t ret = fi_cq_read(cq, &entry, 1);

	if (ret == 1)
		return 1;
	if (ret == -FI_EAGAIN)
		return 0;
	check("fi_cq_readerr", fi_cq_readerr(cq, &error, 0));
	return -error.err;
}

static void hold(int busy)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	int i;

	check("fi_recv", fi_recv(ep, buffer, sizeof(buffer), NULL, FI_ADDR_UNSPEC, &rx_context));
	puts("ready");
	fflush(stdout);
	while (poll(&end, 1, busy ? 0 : -1) == 0) {
		for (i = 0; i < 10000; i++) {
			if (look() != 0)
				check("fi_recv", fi_recv(ep, buffer, sizeof(buffer), NULL, FI_ADDR_UNSPEC, &rx_context));
		}
	}
}

static int send_one(fi_addr_t to)
{
	int ret;

	do {
		ret = fi_send(ep, buffer, sizeof(buffer), NULL, to, &tx_context);
		if (ret == -FI_EAGAIN)
			look();
	} while (ret == -FI_EAGAIN);
	check("fi_send", ret);
	while ((ret = look()) == 0)
		;
	return ret;
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer = { .sin_family = AF_INET };
	unsigned long sent = 0;
	fi_addr_t to;
	double begin;
	int ret;

	if (argc < 4)
		return 2;
	set_up(argv[2]);
	if (strcmp(argv[1], "hold") == 0) {
		hold(strcmp(argv[3], "busy") == 0);
		return 0;
	}
	inet_pton(AF_INET, argv[3], &peer.sin_addr);
	peer.sin_port = htons(atoi(argv[4]));
	check("fi_av_insert", fi_av_insert(av, &peer, 1, &to, 0, NULL) == 1 ? 0 : -FI_EINVAL);
	puts("ready");
	fflush(stdout);
	do {
		begin = now();
		ret = send_one(to);
		if (ret == 1 && sent++ == 0) {
			puts("first");
			fflush(stdout);
		}
	} while (ret == 1);
	printf("failed after %lu messages in %d ms: %s\n", sent, (int)((now() - begin) * 1000), fi_strerror(-ret));
	fflush(stdout);
	while (send_one(to) != 1)
		;
	puts("again");
	return 0;
}
