/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fi_getinfo answers to hints, addresses and flags. Opens nothing. */
#include "../common/fab.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* What the library says to the hints; the result is freed before the next question. */
static struct fi_info *answer;

static int ask(const char *node, const char *service, uint64_t flags, const struct fi_info *hints)
{
	if (answer)
		fi_freeinfo(answer);
	answer = NULL;
	return fi_getinfo(FAB_VERSION, node, service, flags, hints, &answer);
}

#define EACH(i) for (struct fi_info *i = answer; i; i = i->next)

static struct fi_info *hints(const struct fab *f)
{
	return fi_dupinfo(f->hints);
}

static void set(char **member, const char *text)
{
	free(*member);
	*member = text ? strdup(text) : NULL;
}

static int every_result_is_complete(struct fab *f)
{
	int ret = ask(NULL, NULL, 0, f->hints);
	REQUIRE(!ret && answer, "%d", ret);
	EACH(i) {
		REQUIRE(i->fabric_attr && i->domain_attr && i->ep_attr && i->tx_attr && i->rx_attr, "attributes");
		REQUIRE(i->fabric_attr->prov_name && *i->fabric_attr->prov_name, "no provider name");
		REQUIRE(i->fabric_attr->name && i->domain_attr->name, "no fabric or domain name");
		REQUIRE(i->fabric_attr->prov_version, "no provider version");
		REQUIRE(i->ep_attr->type != FI_EP_UNSPEC, "no endpoint type");
		REQUIRE(i->ep_attr->max_msg_size, "max_msg_size");
		REQUIRE(i->tx_attr->size && i->rx_attr->size, "sizes of the contexts");
		REQUIRE(i->tx_attr->iov_limit && i->rx_attr->iov_limit, "iov_limit");
		REQUIRE(i->caps & (FI_MSG | FI_TAGGED | FI_RMA), "caps %llx", (unsigned long long)i->caps);
	}
	return 0;
}

static int no_hints_give_something(struct fab *f)
{
	(void)f;
	int ret = ask(NULL, NULL, 0, NULL);
	REQUIRE(!ret && answer, "%d", ret);
	return 0;
}

static int only_the_provider_asked_for(struct fab *f)
{
	if (!f->opt.provider || strchr(f->opt.provider, ';') || strchr(f->opt.provider, ','))
		return -FI_ENODATA;
	int ret = ask(NULL, NULL, 0, f->hints);
	REQUIRE(!ret, "%d", ret);
	/* A name may stand for the layered ones that contain it. */
	EACH(i)
		REQUIRE(strstr(i->fabric_attr->prov_name, f->opt.provider), "%s", i->fabric_attr->prov_name);
	return 0;
}

static int unknown_provider(struct fab *f)
{
	struct fi_info *h = hints(f);
	set(&h->fabric_attr->prov_name, "no-such-provider");
	int ret = ask(NULL, NULL, 0, h);
	fi_freeinfo(h);
	REQUIRE(ret == -FI_ENODATA && !answer, "%d", ret);
	return 0;
}

static int unknown_names(struct fab *f)
{
	for (int fabric = 0; fabric < 2; fabric++) {
		struct fi_info *h = hints(f);
		set(fabric ? &h->fabric_attr->name : &h->domain_attr->name, "no-such-name");
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(ret == -FI_ENODATA, "%s: %d", fabric ? "fabric" : "domain", ret);
	}
	return 0;
}

static int names_of_a_result_find_it_again(struct fab *f)
{
	REQUIRE(!ask(NULL, NULL, 0, f->hints), "nothing offered");
	struct fi_info *h = hints(f), *first = fi_dupinfo(answer);
	set(&h->fabric_attr->prov_name, first->fabric_attr->prov_name);
	set(&h->fabric_attr->name, first->fabric_attr->name);
	set(&h->domain_attr->name, first->domain_attr->name);
	int ret = ask(NULL, NULL, 0, h);
	fi_freeinfo(h);
	REQUIRE(!ret, "%d", ret);
	EACH(i) {
		REQUIRE(!strcmp(i->domain_attr->name, first->domain_attr->name), "%s", i->domain_attr->name);
		REQUIRE(!strcmp(i->fabric_attr->name, first->fabric_attr->name), "%s", i->fabric_attr->name);
	}
	fi_freeinfo(first);
	return 0;
}

static int a_result_as_hints_gives_itself(struct fab *f)
{
	REQUIRE(!ask(NULL, NULL, 0, f->hints), "nothing offered");
	for (struct fi_info *i = answer, *all = answer; i;) {
		struct fi_info *h = fi_dupinfo(i), *next = i->next, *list = NULL;
		int ret = fi_getinfo(FAB_VERSION, NULL, NULL, 0, h, &list);
		bool same = !ret && list && list->ep_attr->type == h->ep_attr->type &&
			    !strcmp(list->domain_attr->name, h->domain_attr->name) && !(h->caps & ~list->caps);
		REQUIRE(same, "%s %s: %d", all->fabric_attr->prov_name, h->domain_attr->name, ret);
		fi_freeinfo(list);
		fi_freeinfo(h);
		i = next;
	}
	return 0;
}

static int endpoint_types(struct fab *f)
{
	static const enum fi_ep_type types[] = { FI_EP_MSG, FI_EP_DGRAM, FI_EP_RDM };
	bool any = false;
	for (size_t t = 0; t < 3; t++) {
		struct fi_info *h = hints(f);
		h->ep_attr->type = types[t];
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
		any |= !ret;
		EACH(i)
			REQUIRE(i->ep_attr->type == types[t], "%d", (int)i->ep_attr->type);
	}
	REQUIRE(any, "no endpoint type at all");
	return 0;
}

static int wanted_caps_are_given(struct fab *f)
{
	static const uint64_t wanted[] = {
		FI_MSG, FI_TAGGED, FI_MSG | FI_TAGGED, FI_MSG | FI_SOURCE, FI_MSG | FI_DIRECTED_RECV,
		FI_MSG | FI_SEND, FI_MSG | FI_RECV, FI_RMA, FI_ATOMIC, FI_MSG | FI_MULTI_RECV, FI_MULTICAST | FI_MSG,
	};
	for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
		struct fi_info *h = hints(f);
		h->caps = wanted[w];
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
		EACH(i) {
			REQUIRE(!(wanted[w] & ~i->caps), "wanted %llx, has %llx", (unsigned long long)wanted[w],
				(unsigned long long)i->caps);
			REQUIRE(!(i->tx_attr->caps & ~i->caps), "transmit caps beyond those of the endpoint");
			REQUIRE(!(i->rx_attr->caps & ~i->caps), "receive caps beyond those of the endpoint");
		}
	}
	return 0;
}

static int primary_caps_come_only_when_asked(struct fab *f)
{
	const uint64_t primary = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_MULTICAST;
	struct fi_info *h = hints(f);
	h->caps = FI_MSG;
	int ret = ask(NULL, NULL, 0, h);
	fi_freeinfo(h);
	if (ret == -FI_ENODATA)
		return ret;
	REQUIRE(!ret, "%d", ret);
	EACH(i)
		REQUIRE((i->caps & primary) == FI_MSG, "%s: %llx", i->fabric_attr->prov_name, (unsigned long long)i->caps);
	return 0;
}

static int modes_are_those_of_the_application(struct fab *f)
{
	struct fi_info *h = hints(f);
	h->mode = 0;
	int ret = ask(NULL, NULL, 0, h);
	fi_freeinfo(h);
	REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
	EACH(i)
		REQUIRE(!i->mode, "%llx", (unsigned long long)i->mode);
	return 0;
}

static int memory_modes_are_those_of_the_application(struct fab *f)
{
	static const int modes[] = { 0, FI_MR_LOCAL, FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY };
	for (size_t m = 0; m < 3; m++) {
		struct fi_info *h = hints(f);
		h->domain_attr->mr_mode = modes[m];
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
		EACH(i)
			REQUIRE(!(i->domain_attr->mr_mode & ~modes[m]), "%x for %x", i->domain_attr->mr_mode, modes[m]);
	}
	return 0;
}

static int threading_and_progress(struct fab *f)
{
	static const enum fi_threading levels[] = { FI_THREAD_SAFE, FI_THREAD_DOMAIN };
	static const enum fi_progress kinds[] = { FI_PROGRESS_MANUAL, FI_PROGRESS_AUTO };
	for (size_t n = 0; n < 4; n++) {
		struct fi_info *h = hints(f);
		h->domain_attr->threading = levels[n / 2];
		h->domain_attr->data_progress = kinds[n % 2];
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
		EACH(i) {
			REQUIRE(levels[n / 2] != FI_THREAD_SAFE || i->domain_attr->threading == FI_THREAD_SAFE,
				"threading %d", (int)i->domain_attr->threading);
			REQUIRE(kinds[n % 2] != FI_PROGRESS_AUTO || i->domain_attr->data_progress == FI_PROGRESS_AUTO,
				"progress %d", (int)i->domain_attr->data_progress);
		}
	}
	return 0;
}

static int sizes_are_at_least_what_was_asked(struct fab *f)
{
	for (size_t size = 1; size <= 256; size *= 4) {
		struct fi_info *h = hints(f);
		h->tx_attr->size = h->rx_attr->size = size;
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret, "size %zu: %d", size, ret);
		EACH(i)
			REQUIRE(i->tx_attr->size >= size && i->rx_attr->size >= size, "%zu, %zu for %zu",
				i->tx_attr->size, i->rx_attr->size, size);
	}
	return 0;
}

static int too_much_is_not_offered(struct fab *f)
{
	for (int what = 0; what < 5; what++) {
		static const char *const names[] = { "tx size", "rx size", "iov_limit", "inject_size", "max_msg_size" };
		struct fi_info *h = hints(f);
		size_t *members[] = { &h->tx_attr->size, &h->rx_attr->size, &h->tx_attr->iov_limit,
				      &h->tx_attr->inject_size, &h->ep_attr->max_msg_size };
		*members[what] = SIZE_MAX;
		int ret = ask(NULL, NULL, 0, h);
		/* A provider without a limit has what was asked. */
		for (struct fi_info *i = answer; i; i = i->next) {
			size_t *has[] = { &i->tx_attr->size, &i->rx_attr->size, &i->tx_attr->iov_limit,
					  &i->tx_attr->inject_size, &i->ep_attr->max_msg_size };
			REQUIRE(*has[what] == SIZE_MAX, "%s: %zu instead of %zu", names[what], *has[what], SIZE_MAX);
		}
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%s: %d", names[what], ret);
	}
	return 0;
}

static int address_formats(struct fab *f)
{
	static const uint32_t formats[] = { FI_SOCKADDR_IN, FI_SOCKADDR_IN6 };
	static const size_t sizes[] = { sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6) };
	bool any = false;
	for (size_t n = 0; n < 2; n++) {
		struct fi_info *h = hints(f);
		h->addr_format = formats[n];
		int ret = ask(NULL, NULL, 0, h);
		fi_freeinfo(h);
		REQUIRE(!ret || ret == -FI_ENODATA, "%d", ret);
		EACH(i) {
			any = true;
			REQUIRE(i->addr_format == formats[n], "%u for %u", i->addr_format, formats[n]);
			REQUIRE(!i->src_addr || i->src_addrlen == sizes[n], "source address of %zu bytes", i->src_addrlen);
		}
	}
	return any ? 0 : -FI_ENODATA;
}

static uint16_t port_of(const void *addr)
{
	const struct sockaddr_in *in = addr;
	const struct sockaddr_in6 *in6 = addr;
	return ntohs(in->sin_family == AF_INET ? in->sin_port : in6->sin6_port);
}

static bool is_ip(const struct fi_info *i)
{
	return i->addr_format == FI_SOCKADDR_IN || i->addr_format == FI_SOCKADDR_IN6;
}

static int service_is_the_port_of_the_source(struct fab *f)
{
	int ret = ask(f->opt.src_addr, "4711", FI_SOURCE, f->hints);
	if (ret == -FI_ENODATA)
		return ret;
	REQUIRE(!ret, "%d", ret);
	bool any = false;
	EACH(i) {
		if (!is_ip(i))
			continue;
		any = true;
		REQUIRE(i->src_addr, "%s has no source address", i->domain_attr->name);
		REQUIRE(port_of(i->src_addr) == 4711, "port %u", port_of(i->src_addr));
	}
	return any ? 0 : -FI_ENODATA;
}

static int node_is_the_destination(struct fab *f)
{
	char node[128] = "127.0.0.1";
	/* A host in reach: the own address of the first result, else the loopback. */
	REQUIRE(!ask(f->opt.src_addr, NULL, f->opt.src_addr ? FI_SOURCE : 0, f->hints), "nothing offered");
	if (!is_ip(answer))
		return -FI_ENODATA;
	if (answer->src_addr) {
		size_t len = answer->src_addrlen;
		char host[64];
		struct sockaddr_storage a = { 0 };
		memcpy(&a, answer->src_addr, len);
		if (!getnameinfo((struct sockaddr *)&a, (socklen_t)len, host, sizeof host, NULL, 0, NI_NUMERICHOST))
			strcpy(node, host);
	}
	if (!strcmp(node, "0.0.0.0") || !strcmp(node, "::"))
		strcpy(node, "127.0.0.1");
	int ret = ask(node, "4712", 0, f->hints);
	REQUIRE(!ret, "%s: %d", node, ret);
	EACH(i) {
		REQUIRE(!is_ip(i) || i->dest_addr, "%s has no destination", i->domain_attr->name);
		REQUIRE(!is_ip(i) || port_of(i->dest_addr) == 4712, "port %u", port_of(i->dest_addr));
	}
	return 0;
}

static int numeric_host_does_not_resolve_names(struct fab *f)
{
	int ret = ask("localhost", "1", FI_NUMERICHOST, f->hints);
	REQUIRE(ret && !answer, "%d", ret);
	return 0;
}

static int a_name_that_nobody_has(struct fab *f)
{
	int ret = ask("no-such-host.invalid", "1", 0, f->hints);
	REQUIRE(ret && !answer, "%d", ret);
	return 0;
}

static int a_version_from_the_future(struct fab *f)
{
	struct fi_info *list = NULL;
	int ret = fi_getinfo(FI_VERSION(99, 0), NULL, NULL, 0, f->hints, &list);
	REQUIRE(ret == -FI_ENOSYS && !list, "%d", ret);
	return 0;
}

static int provider_attributes_only(struct fab *f)
{
	int ret = ask(NULL, NULL, FI_PROV_ATTR_ONLY, f->hints);
	REQUIRE(!ret && answer, "%d", ret);
	EACH(i)
		REQUIRE(i->fabric_attr && i->fabric_attr->prov_name, "no name");
	return 0;
}

static int copies_are_deep_and_equal(struct fab *f)
{
	REQUIRE(!ask(NULL, NULL, 0, f->hints), "nothing offered");
	EACH(i) {
		struct fi_info *c = fi_dupinfo(i);
		REQUIRE(c && !c->next, "no copy of one");
		REQUIRE(c->fabric_attr != i->fabric_attr && c->domain_attr->name != i->domain_attr->name, "shared");
		REQUIRE(c->src_addrlen == i->src_addrlen &&
			(!i->src_addr || !memcmp(c->src_addr, i->src_addr, i->src_addrlen)), "source address");
		char *text = strdup(fi_tostr(i, FI_TYPE_INFO));
		REQUIRE(!strcmp(text, fi_tostr(c, FI_TYPE_INFO)), "the texts differ");
		free(text);
		fi_freeinfo(c);
	}
	return 0;
}

static int orders_asked_for_are_given(struct fab *f)
{
	struct fi_info *h = hints(f);
	h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
	int ret = ask(NULL, NULL, 0, h);
	fi_freeinfo(h);
	if (ret == -FI_ENODATA)
		return ret;
	REQUIRE(!ret, "%d", ret);
	EACH(i)
		REQUIRE(i->tx_attr->msg_order & FI_ORDER_SAS, "%llx", (unsigned long long)i->tx_attr->msg_order);
	return 0;
}

static int a_thousand_questions(struct fab *f)
{
	for (int n = 0; n < 1000; n++) {
		int ret = ask(NULL, NULL, 0, f->hints);
		REQUIRE(!ret, "question %d: %d", n, ret);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fab_case cases[] = {
		{ "no hints give something", no_hints_give_something },
		{ "every result is complete", every_result_is_complete },
		{ "only the provider asked for", only_the_provider_asked_for },
		{ "unknown provider", unknown_provider },
		{ "unknown fabric and domain", unknown_names },
		{ "names of a result find it again", names_of_a_result_find_it_again },
		{ "a result as hints gives itself", a_result_as_hints_gives_itself },
		{ "endpoint types", endpoint_types },
		{ "wanted capabilities are given", wanted_caps_are_given },
		{ "primary capabilities come only when asked for", primary_caps_come_only_when_asked },
		{ "modes are those of the application", modes_are_those_of_the_application },
		{ "memory modes are those of the application", memory_modes_are_those_of_the_application },
		{ "threading and progress", threading_and_progress },
		{ "sizes are at least what was asked", sizes_are_at_least_what_was_asked },
		{ "too much is not offered", too_much_is_not_offered },
		{ "orders asked for are given", orders_asked_for_are_given },
		{ "address formats", address_formats },
		{ "service is the port of the source", service_is_the_port_of_the_source },
		{ "node is the destination", node_is_the_destination },
		{ "numeric host does not resolve names", numeric_host_does_not_resolve_names },
		{ "a name that nobody has", a_name_that_nobody_has },
		{ "a version from the future", a_version_from_the_future },
		{ "provider attributes only", provider_attributes_only },
		{ "copies are deep and equal", copies_are_deep_and_equal },
		{ "a thousand questions", a_thousand_questions },
	};
	struct fab_opts opts = { 0 };
	struct fab f;

	fab_parse(&opts, argc, argv, 0, "answers of fi_getinfo to hints, addresses and flags");
	if (fab_init(&f, "getinfo_test", &opts, FI_EP_UNSPEC, 0))
		return 1;
	f.hints->domain_attr->threading = FI_THREAD_UNSPEC;
	if (ask(NULL, NULL, 0, f.hints))
		return fab_exit(fab_error("fi_getinfo", -FI_ENODATA));
	int ret = fab_run_cases(&f, cases, sizeof cases / sizeof *cases);
	if (answer)
		fi_freeinfo(answer);
	fab_close(&f);
	return ret;
}
