/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address vectors: what goes in comes out, until it is removed. */
#include "../common/fab.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The address to insert, of the format of the info; further ones differ in the port. */
static struct sockaddr_storage base;
static size_t base_len;

static int open_av(struct fab *f, enum fi_av_type type, uint64_t flags, struct fid_av **av)
{
	struct fi_av_attr attr = { .type = type, .count = 8, .flags = flags };
	return fi_av_open(f->domain, &attr, av, NULL);
}

static void make(void *to, unsigned int n)
{
	struct sockaddr_storage a = base;
	/* The port is at the same place in both families. */
	((struct sockaddr_in *)&a)->sin_port = htons((uint16_t)(10000 + n));
	memcpy(to, &a, base_len);
}

static int each_type_opens(struct fab *f)
{
	static const enum fi_av_type types[] = { FI_AV_UNSPEC, FI_AV_MAP, FI_AV_TABLE };
	int opened = 0;
	for (size_t t = 0; t < 3; t++) {
		struct fid_av *av;
		int ret = open_av(f, types[t], 0, &av);
		REQUIRE(!ret || ret == -FI_ENOSYS || ret == -FI_EINVAL, "type %zu: %d", t, ret);
		if (ret)
			continue;
		opened++;
		REQUIRE(av->fid.fclass == FI_CLASS_AV, "%zu", av->fid.fclass);
		REQUIRE(!fi_close(&av->fid), "close");
	}
	REQUIRE(opened, "no type opens");
	return 0;
}

static int lookup_gives_what_was_inserted(struct fab *f)
{
	unsigned int n = f->opt.count;
	char *in = calloc(n, base_len), *out = malloc(base_len);
	fi_addr_t *addr = calloc(n, sizeof *addr);
	struct fid_av *av;

	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	for (unsigned int i = 0; i < n; i++)
		make(in + i * base_len, i);
	int ret = fi_av_insert(av, in, n, addr, 0, NULL);
	REQUIRE(ret == (int)n, "%d of %u", ret, n);
	for (unsigned int i = 0; i < n; i++) {
		size_t len = base_len;
		REQUIRE(addr[i] != FI_ADDR_NOTAVAIL, "address %u", i);
		ret = fi_av_lookup(av, addr[i], out, &len);
		REQUIRE(!ret && len == base_len, "address %u: %d, %zu bytes", i, ret, len);
		REQUIRE(!memcmp(out, in + i * base_len, base_len), "address %u is another one", i);
	}
	REQUIRE(!fi_close(&av->fid), "close");
	free(in);
	free(out);
	free(addr);
	return 0;
}

static int one_by_one_and_distinct(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr[16];
	char a[sizeof base];
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	for (unsigned int i = 0; i < 16; i++) {
		make(a, i);
		int ret = fi_av_insert(av, a, 1, &addr[i], 0, NULL);
		REQUIRE(ret == 1, "%u: %d", i, ret);
		for (unsigned int j = 0; j < i; j++)
			REQUIRE(addr[j] != addr[i], "%u and %u", j, i);
	}
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int table_counts_from_zero(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr;
	char a[sizeof base];
	int ret = open_av(f, FI_AV_TABLE, 0, &av);
	if (ret)
		return -FI_ENOSYS;
	for (unsigned int i = 0; i < 40; i++) {
		make(a, i);
		REQUIRE(fi_av_insert(av, a, 1, &addr, 0, NULL) == 1, "%u", i);
		REQUIRE(addr == i, "%llu instead of %u", (unsigned long long)addr, i);
	}
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int table_needs_no_room_for_indices(struct fab *f)
{
	struct fid_av *av;
	char a[sizeof base], out[sizeof base];
	size_t len = sizeof out;
	if (open_av(f, FI_AV_TABLE, 0, &av))
		return -FI_ENOSYS;
	make(a, 3);
	REQUIRE(fi_av_insert(av, a, 1, NULL, 0, NULL) == 1, "insert");
	REQUIRE(!fi_av_lookup(av, 0, out, &len), "lookup");
	REQUIRE(!memcmp(a, out, base_len), "another address");
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int short_buffer_gets_the_true_length(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr;
	char a[sizeof base], out[sizeof base];
	size_t len = 2;
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	make(a, 0);
	memset(out, 0x77, sizeof out);
	REQUIRE(fi_av_insert(av, a, 1, &addr, 0, NULL) == 1, "insert");
	int ret = fi_av_lookup(av, addr, out, &len);
	REQUIRE(!ret || ret == -FI_ETOOSMALL, "%d", ret);
	REQUIRE(len == base_len, "%zu", len);
	REQUIRE(out[2] == 0x77, "written beyond the buffer");
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int a_removed_one_can_come_back(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr[3];
	char a[sizeof base], out[sizeof base];
	size_t len = sizeof out;
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	for (unsigned int i = 0; i < 3; i++) {
		make(a, i);
		REQUIRE(fi_av_insert(av, a, 1, &addr[i], 0, NULL) == 1, "insert %u", i);
	}
	int ret = fi_av_remove(av, &addr[1], 1, 0);
	REQUIRE(!ret, "remove: %d", ret);
	make(a, 2);
	REQUIRE(!fi_av_lookup(av, addr[2], out, &len) && !memcmp(a, out, base_len), "the next one has gone too");
	make(a, 1);
	REQUIRE(fi_av_insert(av, a, 1, &addr[1], 0, NULL) == 1, "insert again");
	len = sizeof out;
	REQUIRE(!fi_av_lookup(av, addr[1], out, &len) && !memcmp(a, out, base_len), "lookup");
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int text_of_an_address(struct fab *f)
{
	struct fid_av *av;
	char a[sizeof base], text[128] = "";
	size_t len = sizeof text;
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	make(a, 5);
	REQUIRE(fi_av_straddr(av, a, text, &len), "no text");
	REQUIRE(strstr(text, "10005"), "no port in %s", text);
	REQUIRE(len == strlen(text) + 1, "length %zu of %s", len, text);
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int insert_by_service(struct fab *f)
{
	char host[64], out[sizeof base], want[sizeof base];
	size_t len = sizeof out;
	struct fid_av *av;
	fi_addr_t addr;
	REQUIRE(!getnameinfo((struct sockaddr *)&base, (socklen_t)base_len, host, sizeof host, NULL, 0, NI_NUMERICHOST),
		"getnameinfo");
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	int ret = fi_av_insertsvc(av, host, "10009", &addr, 0, NULL);
	if (ret == -FI_ENOSYS) {
		fi_close(&av->fid);
		return ret;
	}
	REQUIRE(ret == 1, "%d", ret);
	REQUIRE(!fi_av_lookup(av, addr, out, &len), "lookup");
	make(want, 9);
	REQUIRE(((struct sockaddr_in *)out)->sin_port == ((struct sockaddr_in *)want)->sin_port, "port");
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int insert_by_pattern(struct fab *f)
{
	char host[64], out[sizeof base];
	size_t len = sizeof out;
	struct fid_av *av;
	fi_addr_t addr[4];
	REQUIRE(!getnameinfo((struct sockaddr *)&base, (socklen_t)base_len, host, sizeof host, NULL, 0, NI_NUMERICHOST),
		"getnameinfo");
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	int ret = fi_av_insertsym(av, host, 1, "10000", 4, addr, 0, NULL);
	if (ret == -FI_ENOSYS) {
		fi_close(&av->fid);
		return ret;
	}
	REQUIRE(ret == 4, "%d", ret);
	for (unsigned int i = 0; i < 4; i++) {
		REQUIRE(!fi_av_lookup(av, addr[i], out, &len), "lookup %u", i);
		REQUIRE(ntohs(((struct sockaddr_in *)out)->sin_port) == 10000 + i, "port of %u", i);
	}
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int a_bad_address_is_not_inserted(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr = 0;
	char a[sizeof base];
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	int ret;
	if (f->opt.bad_addr) {
		ret = fi_av_insertsvc(av, f->opt.bad_addr, "1", &addr, 0, NULL);
	} else {
		make(a, 0);
		((struct sockaddr *)a)->sa_family = AF_UNIX;
		ret = fi_av_insert(av, a, 1, &addr, 0, NULL);
	}
	REQUIRE(ret <= 0, "%d", ret);
	REQUIRE(ret < 0 || addr == FI_ADDR_NOTAVAIL, "address %llu", (unsigned long long)addr);
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int of_good_and_bad_the_good_are_inserted(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t addr[3];
	char a[3 * sizeof base], out[sizeof base];
	int errors[3] = { 0 };
	size_t len = sizeof out;
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	for (unsigned int i = 0; i < 3; i++)
		make(a + i * base_len, i);
	((struct sockaddr *)(a + base_len))->sa_family = AF_UNIX;
	int ret = fi_av_insert(av, a, 3, addr, FI_SYNC_ERR, errors);
	if (ret == -FI_EBADFLAGS || ret == -FI_ENOSYS) {
		fi_close(&av->fid);
		return -FI_ENOSYS;
	}
	REQUIRE(ret == 2, "%d", ret);
	REQUIRE(!errors[0] && errors[1] && !errors[2], "%d %d %d", errors[0], errors[1], errors[2]);
	REQUIRE(addr[1] == FI_ADDR_NOTAVAIL, "%llu", (unsigned long long)addr[1]);
	REQUIRE(!fi_av_lookup(av, addr[2], out, &len) && !memcmp(out, a + 2 * base_len, base_len), "the third");
	REQUIRE(!fi_close(&av->fid), "close");
	return 0;
}

static int insertions_are_reported_to_an_event_queue(struct fab *f)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_entry e;
	struct fid_av *av;
	struct fid_eq *eq;
	fi_addr_t addr[2];
	char a[2 * sizeof base];
	uint32_t event = 0;
	int context;

	if (open_av(f, f->info->domain_attr->av_type, FI_EVENT, &av))
		return -FI_ENOSYS;
	REQUIRE(!fi_eq_open(f->fabric, &attr, &eq, NULL), "fi_eq_open");
	REQUIRE(!av->fid.ops->bind(&av->fid, &eq->fid, 0), "binding the event queue");
	make(a, 0);
	make(a + base_len, 1);
	int ret = fi_av_insert(av, a, 2, addr, 0, &context);
	REQUIRE(!ret, "%d", ret);
	ssize_t n = -FI_EAGAIN;
	for (int i = 0; i < 100000 && n == -FI_EAGAIN; i++)
		n = fi_eq_read(eq, &event, &e, sizeof e, 0);
	REQUIRE(n == (ssize_t)sizeof e, "%zd", n);
	REQUIRE(event == FI_AV_COMPLETE && e.context == &context && e.data == 2, "event %u, data %llu", event,
		(unsigned long long)e.data);
	REQUIRE(!fi_close(&av->fid), "close");
	fi_close(&eq->fid);
	return 0;
}

static int a_bound_vector_is_busy(struct fab *f)
{
	struct fid_av *av;
	struct fid_ep *ep;
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	REQUIRE(!fi_endpoint(f->domain, f->info, &ep, NULL), "fi_endpoint");
	REQUIRE(!fi_ep_bind(ep, &av->fid, 0), "fi_ep_bind");
	int ret = fi_close(&av->fid);
	REQUIRE(ret == -FI_EBUSY, "%d", ret);
	REQUIRE(!fi_close(&ep->fid), "closing the endpoint");
	REQUIRE(!fi_close(&av->fid), "closing the vector");
	return 0;
}

static int thousands(struct fab *f)
{
	struct fid_av *av;
	fi_addr_t *addr = calloc(20000, sizeof *addr);
	char a[sizeof base], out[sizeof base];
	REQUIRE(!open_av(f, f->info->domain_attr->av_type, 0, &av), "fi_av_open");
	for (unsigned int i = 0; i < 20000; i++) {
		make(a, i);
		REQUIRE(fi_av_insert(av, a, 1, &addr[i], 0, NULL) == 1, "%u", i);
	}
	for (unsigned int i = 0; i < 20000; i += 997) {
		size_t len = sizeof out;
		make(a, i);
		REQUIRE(!fi_av_lookup(av, addr[i], out, &len) && !memcmp(a, out, base_len), "%u", i);
	}
	REQUIRE(!fi_close(&av->fid), "close");
	free(addr);
	return 0;
}

/* The good address: given, or that of this host in the info, else the loopback. */
static int find_base(struct fab *f)
{
	struct addrinfo hints = { .ai_family = f->info->addr_format == FI_SOCKADDR_IN6 ? AF_INET6 : AF_INET };
	struct addrinfo *list;

	if (f->info->addr_format != FI_SOCKADDR_IN && f->info->addr_format != FI_SOCKADDR_IN6)
		return fab_error("addresses of this format cannot be made up", -FI_ENODATA);
	base_len = hints.ai_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	if (!f->opt.good_addr && f->info->src_addr && f->info->src_addrlen == base_len) {
		memcpy(&base, f->info->src_addr, base_len);
		return 0;
	}
	const char *name = f->opt.good_addr ? f->opt.good_addr : hints.ai_family == AF_INET6 ? "::1" : "127.0.0.1";
	if (getaddrinfo(name, NULL, &hints, &list))
		return fab_error(name, -FI_EINVAL);
	memcpy(&base, list->ai_addr, base_len);
	freeaddrinfo(list);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fab_case cases[] = {
		{ "each type opens", each_type_opens },
		{ "lookup gives what was inserted", lookup_gives_what_was_inserted },
		{ "one by one, and distinct", one_by_one_and_distinct },
		{ "a table counts from zero", table_counts_from_zero },
		{ "a table needs no room for indices", table_needs_no_room_for_indices },
		{ "a short buffer gets the true length", short_buffer_gets_the_true_length },
		{ "a removed one can come back", a_removed_one_can_come_back },
		{ "text of an address", text_of_an_address },
		{ "insertion by service", insert_by_service },
		{ "insertion by pattern", insert_by_pattern },
		{ "a bad address is not inserted", a_bad_address_is_not_inserted },
		{ "of good and bad ones the good are inserted", of_good_and_bad_the_good_are_inserted },
		{ "insertions are reported to an event queue", insertions_are_reported_to_an_event_queue },
		{ "a bound vector is busy", a_bound_vector_is_busy },
		{ "twenty thousand addresses", thousands },
	};
	struct fab_opts opts = { .count = 8 };
	struct fab f;

	fab_parse(&opts, argc, argv, FAB_OPTS_COUNT | FAB_OPTS_ADDRS, "address vectors");
	int ret = fab_init(&f, "av_test", &opts, FI_EP_UNSPEC, 0);
	if (!ret)
		ret = fab_getinfo(&f);
	/* Connected endpoints have no addresses. */
	if (!ret) {
		struct fi_info *i = f.info;
		while (i && i->ep_attr->type == FI_EP_MSG)
			i = i->next;
		struct fi_info *chosen = i ? fi_dupinfo(i) : NULL;
		fi_freeinfo(f.info);
		f.info = chosen;
		ret = chosen ? find_base(&f) : -FI_ENODATA;
	}
	ret = ret ? ret : fab_open_domain(&f);
	ret = ret ? fab_exit(ret) : fab_run_cases(&f, cases, sizeof cases / sizeof *cases);
	fab_close(&f);
	return ret;
}
