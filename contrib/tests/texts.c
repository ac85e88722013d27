/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints what fi_tostr and fi_strerror say to a table of inputs, one line each. Compiled against the headers of any libfabric
 * and run on any, the lines are the same: what one version has and another has not is left out, beside its reason. */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#define BIT(n) (1ULL << (n))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A type whose data is a word of flags. */
struct flags {
	const char *name;
	enum fi_type type;
	/* Bits of which some version has a name and another has none, or another one. */
	uint64_t changed;
};

static const struct flags flags[] = {
	/* Peers, user IDs, firewalls and directed or multiple tagged receives came later; 48 was FI_VARIABLE_MSG. */
	{ "caps", FI_TYPE_CAPS, BIT(36) | BIT(41) | BIT(42) | BIT(43) | BIT(45) | BIT(46) | BIT(48) },
	/* FI_COMMIT_COMPLETE has a name in newer versions, FI_PEER_TRANSFER and FI_AUTH_KEY came later. */
	{ "op_flags", FI_TYPE_OP_FLAGS, BIT(30) | BIT(36) | BIT(57) },
	{ "msg_order", FI_TYPE_MSG_ORDER, 0 },
	/* FI_BUFFERED_RECV, FI_RESTRICTED_COMP and FI_NOTIFY_FLAGS_ONLY are gone. */
	{ "mode", FI_TYPE_MODE, BIT(51) | BIT(53) | BIT(54) },
	/* Collectives came later. */
	{ "cq_flags", FI_TYPE_CQ_EVENT_FLAGS, BIT(6) },
	{ "mr_mode", FI_TYPE_MR_MODE, 0 },
};

/* A type whose data is one of some numbers. */
struct values {
	const char *name;
	enum fi_type type;
	/* Numbers that changed as above, as bits. */
	uint64_t changed;
};

static const struct values values[] = {
	/* Stream and datagram sockets are gone. */
	{ "ep_type", FI_TYPE_EP_TYPE, BIT(4) | BIT(5) },
	/* UCX addresses and FI_SOCKADDR_IP came later. */
	{ "addr_format", FI_TYPE_ADDR_FORMAT, BIT(16) | BIT(17) },
	{ "threading", FI_TYPE_THREADING, 0 },
	{ "progress", FI_TYPE_PROGRESS, BIT(3) },
	/* MXM and multi-rail have constants in all versions, but not in all a text. */
	{ "protocol", FI_TYPE_PROTOCOL, BIT(7) | BIT(17) | BIT(26) | BIT(27) | BIT(28) | BIT(29) | BIT(30) | BIT(31) },
	{ "av_type", FI_TYPE_AV_TYPE, 0 },
	/* Half floats came later. */
	{ "atomic_type", FI_TYPE_ATOMIC_TYPE, BIT(16) | BIT(17) | BIT(18) | BIT(19) },
	{ "atomic_op", FI_TYPE_ATOMIC_OP, BIT(19) },
	{ "eq_event", FI_TYPE_EQ_EVENT, 0 },
	{ "op_type", FI_TYPE_OP_TYPE, 0 },
	{ "collective_op", FI_TYPE_COLLECTIVE_OP, 0 },
	{ "hmem_iface", FI_TYPE_HMEM_IFACE, 0 },
	{ "cq_format", FI_TYPE_CQ_FORMAT, 0 },
	{ "log_level", FI_TYPE_LOG_LEVEL, 0 },
	{ "log_subsys", FI_TYPE_LOG_SUBSYS, 0 },
};

/* Names as a program writes them: their values are the headers'. */
#define NAME(type, constant) { #constant, constant, type }
static const struct {
	const char *name;
	uint64_t value;
	enum fi_type type;
} names[] = {
	NAME(FI_TYPE_CAPS, FI_MSG | FI_RMA | FI_TAGGED | FI_ATOMIC | FI_MULTICAST | FI_NAMED_RX_CTX | FI_DIRECTED_RECV),
	NAME(FI_TYPE_CAPS, FI_READ | FI_WRITE | FI_RECV | FI_SEND | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_HMEM | FI_COLLECTIVE),
	NAME(FI_TYPE_CAPS, FI_MULTI_RECV | FI_SOURCE | FI_RMA_EVENT | FI_SHARED_AV | FI_TRIGGER | FI_FENCE | FI_LOCAL_COMM),
	NAME(FI_TYPE_CAPS, FI_REMOTE_COMM | FI_SOURCE_ERR | FI_RMA_PMEM),
	NAME(FI_TYPE_OP_FLAGS, FI_INJECT | FI_COMPLETION | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE),
	NAME(FI_TYPE_OP_FLAGS, FI_MATCH_COMPLETE | FI_MORE | FI_PEEK | FI_CLAIM | FI_DISCARD | FI_AFFINITY | FI_REMOTE_CQ_DATA),
	NAME(FI_TYPE_MSG_ORDER, FI_ORDER_STRICT),
	NAME(FI_TYPE_MSG_ORDER, FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_RAW | FI_ORDER_SAS),
	NAME(FI_TYPE_MODE, FI_CONTEXT | FI_CONTEXT2 | FI_MSG_PREFIX | FI_ASYNC_IOV | FI_RX_CQ_DATA | FI_LOCAL_MR),
	NAME(FI_TYPE_MR_MODE, FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT | FI_MR_HMEM),
	NAME(FI_TYPE_EP_TYPE, FI_EP_RDM),
	NAME(FI_TYPE_ADDR_FORMAT, FI_SOCKADDR_IN6),
	NAME(FI_TYPE_ADDR_FORMAT, FI_ADDR_STR),
	NAME(FI_TYPE_THREADING, FI_THREAD_COMPLETION),
	NAME(FI_TYPE_PROGRESS, FI_PROGRESS_MANUAL),
	NAME(FI_TYPE_PROTOCOL, FI_PROTO_UDP),
	NAME(FI_TYPE_AV_TYPE, FI_AV_TABLE),
	NAME(FI_TYPE_ATOMIC_TYPE, FI_LONG_DOUBLE_COMPLEX),
	NAME(FI_TYPE_ATOMIC_OP, FI_CSWAP_GT),
	NAME(FI_TYPE_EQ_EVENT, FI_AV_COMPLETE),
	NAME(FI_TYPE_CQ_FORMAT, FI_CQ_FORMAT_TAGGED),
};

static void line(const char *what, long long n, const char *text)
{
	printf("%s %lld: %s\n", what, n, text ? text : "NULL");
}

static void flag_words(const struct flags *f)
{
	uint64_t word;

	for (int bit = 0; bit < 64; bit++) {
		word = BIT(bit);
		if (!(f->changed & word))
			line(f->name, bit, fi_tostr(&word, f->type));
	}
	word = 0;
	line(f->name, -1, fi_tostr(&word, f->type));
	word = ~f->changed;
	line(f->name, 64, fi_tostr(&word, f->type));
}

static void numbers(const struct values *v)
{
	static const uint32_t far[] = { 64, 1000, INT_MAX, 0x80000000u, 0x80000001u, UINT_MAX };
	uint64_t number;

	for (int n = 0; n < 64; n++) {
		number = n;
		if (!(v->changed & BIT(n)))
			line(v->name, n, fi_tostr(&number, v->type));
	}
	for (size_t i = 0; i < COUNT(far); i++) {
		number = far[i];
		line(v->name, far[i], fi_tostr(&number, v->type));
	}
}

static void errors(void)
{
	static const int far[] = { 1000, INT_MAX, -1000 };

	for (int n = -300; n <= 300; n++) {
		/* FI_ENOMR and FI_EFIREWALLADDR came later. */
		if (n != 270 && n != 271 && n != -270 && n != -271)
			line("strerror", n, fi_strerror(n));
	}
	for (size_t i = 0; i < COUNT(far); i++)
		line("strerror", far[i], fi_strerror(far[i]));
}

/* Prints an info without the lines of members that not every version has. */
static void whole(const char *what, const struct fi_info *info)
{
	static const char *const newer[] = { "tclass:", "max_ep_auth_key:", "max_group_id:", "max_cntr_value:", "max_err_cntr_value:" };
	static char text[65536];
	char *save = NULL;

	if (!fi_tostr_r(text, sizeof(text), info, FI_TYPE_INFO)) {
		line(what, 0, NULL);
		return;
	}
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		size_t i = 0;
		while (i < COUNT(newer) && !strstr(l, newer[i]))
			i++;
		if (i == COUNT(newer))
			printf("%s|%s\n", what, l);
	}
}

static void structures(void)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(7471) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(9) };
	/* Without fi_allocinfo: the newest version of that is not in every library. */
	struct fi_info the_info = { 0 }, *info = &the_info;
	struct fi_tx_attr tx = { 0 };
	struct fi_rx_attr rx = { 0 };
	struct fi_ep_attr ep = { 0 };
	struct fi_fabric_attr fabric = { 0 };
	/* A newer library looks at members that an older structure ends before. */
	union {
		struct fi_domain_attr attr;
		char room[512];
	} domain;

	inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1:0:7", &v6.sin6_addr);
	whole("bare", info);
	memset(&domain, 0, sizeof(domain));
	info->tx_attr = &tx;
	info->rx_attr = &rx;
	info->ep_attr = &ep;
	info->domain_attr = &domain.attr;
	info->fabric_attr = &fabric;
	whole("empty", info);

	info->caps = FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_HMEM | FI_SOURCE;
	info->mode = FI_CONTEXT | FI_MSG_PREFIX;
	info->addr_format = FI_SOCKADDR_IN;
	info->src_addr = &v4;
	info->src_addrlen = sizeof(v4);
	info->tx_attr->caps = FI_MSG | FI_SEND;
	info->tx_attr->op_flags = FI_INJECT_COMPLETE | FI_COMPLETION;
	info->tx_attr->msg_order = FI_ORDER_SAS | FI_ORDER_RMA_RAW;
	info->tx_attr->comp_order = FI_ORDER_STRICT | FI_ORDER_DATA;
	info->tx_attr->inject_size = 64;
	info->tx_attr->size = SIZE_MAX / 2;
	info->tx_attr->iov_limit = 4;
	info->tx_attr->rma_iov_limit = 1;
	info->rx_attr->caps = FI_MSG | FI_RECV;
	info->rx_attr->comp_order = FI_ORDER_DATA;
	info->rx_attr->total_buffered_recv = 4096;
	info->rx_attr->size = 12;
	info->ep_attr->type = FI_EP_DGRAM;
	info->ep_attr->protocol = FI_PROTO_IB_UD;
	info->ep_attr->protocol_version = 3;
	info->ep_attr->max_msg_size = 1472;
	info->ep_attr->msg_prefix_size = 40;
	info->ep_attr->mem_tag_format = 0xaaaaaaaaaaaaaaaaULL;
	info->ep_attr->tx_ctx_cnt = 2;
	info->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
	info->ep_attr->auth_key_size = 16;
	info->domain_attr->name = (char *) "eth0";
	info->domain_attr->threading = FI_THREAD_FID;
	info->domain_attr->control_progress = FI_PROGRESS_AUTO;
	info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	info->domain_attr->resource_mgmt = FI_RM_ENABLED;
	info->domain_attr->av_type = FI_AV_MAP;
	info->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_PROV_KEY;
	info->domain_attr->mr_key_size = 8;
	info->domain_attr->caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
	info->domain_attr->mode = FI_CONTEXT2;
	info->domain_attr->mr_cnt = 7;
	info->fabric_attr->name = (char *) "192.0.2.0/24";
	info->fabric_attr->prov_name = (char *) "udp;ofi_rxd";
	info->fabric_attr->prov_version = FI_VERSION(117, 0);
	info->fabric_attr->api_version = FI_VERSION(1, 9);
	whole("ipv4", info);
	info->addr_format = FI_SOCKADDR;
	whole("sockaddr", info);
	info->addr_format = FI_SOCKADDR_IN6;
	info->src_addr = NULL;
	info->dest_addr = &v6;
	info->dest_addrlen = sizeof(v6);
	whole("ipv6", info);
	info->addr_format = FI_ADDR_STR;
	info->dest_addr = (char *) "fi_sockaddr_in://192.0.2.1:1";
	info->dest_addrlen = strlen(info->dest_addr) + 1;
	whole("string", info);

	puts(fi_tostr(info->rx_attr, FI_TYPE_RX_ATTR));
	puts(fi_tostr(info->ep_attr, FI_TYPE_EP_ATTR));
	puts(fi_tostr(info->fabric_attr, FI_TYPE_FABRIC_ATTR));
}

int main(void)
{
	uint64_t zero = 0;

	for (size_t i = 0; i < COUNT(flags); i++)
		flag_words(&flags[i]);
	for (size_t i = 0; i < COUNT(values); i++)
		numbers(&values[i]);
	for (size_t i = 0; i < COUNT(names); i++)
		printf("%s = %#llx: %s\n", names[i].name, (unsigned long long) names[i].value, fi_tostr(&names[i].value, names[i].type));
	errors();
	structures();
	line("no data", 0, fi_tostr(NULL, FI_TYPE_CAPS));
	line("no type", 0, fi_tostr(&zero, (enum fi_type) 1000));
	return 0;
}
