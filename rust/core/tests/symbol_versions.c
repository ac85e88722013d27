/* Programs of every release: calls each version of fi_getinfo, fi_dupinfo, fi_freeinfo and fi_fabric in the built
 * library, with structures of exactly the size that the release had, each in front of a page that must not be touched.
 * Needs no header and no provider. Prints what failed; exit status 0 when nothing did.
 *
 *   cc symbol_versions.c -o symbol_versions -lfabric
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Structures are handled as bytes here; these are where their members are (64-bit). */
enum {
	INFO_NEXT = 0, INFO_TX = 72, INFO_RX = 80, INFO_EP = 88, INFO_DOMAIN = 96, INFO_FABRIC = 104, INFO_NIC = 112,
	DOMAIN_NAME = 8, DOMAIN_AUTH_KEY = 152, DOMAIN_TCLASS = 184, DOMAIN_MAX_CNTR = 208,
	EP_AUTH_KEY = 88, TX_TCLASS = 72, FABRIC_NAME = 8, FABRIC_PROV = 16
};

typedef int getinfo_fn(uint32_t, const char *, const char *, uint64_t, const void *, void **);
typedef void *dupinfo_fn(const void *);
typedef void freeinfo_fn(void *);
typedef int fabric_fn(void *, void **, void *);

#define NODE(n)                                                     \
	extern getinfo_fn getinfo_##n;                              \
	extern dupinfo_fn dupinfo_##n;                              \
	extern freeinfo_fn freeinfo_##n;                            \
	__asm__(".symver getinfo_" #n ",fi_getinfo@FABRIC_1." #n);  \
	__asm__(".symver dupinfo_" #n ",fi_dupinfo@FABRIC_1." #n);  \
	__asm__(".symver freeinfo_" #n ",fi_freeinfo@FABRIC_1." #n);
NODE(0) NODE(1) NODE(2) NODE(3) NODE(7) NODE(8) NODE(9)
extern fabric_fn fabric_0, fabric_1;
__asm__(".symver fabric_0,fi_fabric@FABRIC_1.0");
__asm__(".symver fabric_1,fi_fabric@FABRIC_1.1");

static int failures;

#define CHECK(cond, node)                                                                   \
	do {                                                                                \
		if (!(cond)) {                                                              \
			printf("FABRIC_1.%d: line %d: %s\n", node, __LINE__, #cond);        \
			failures++;                                                         \
		}                                                                           \
	} while (0)

/* `size` zeroed bytes that end where the readable memory ends. */
static char *at_the_edge(size_t size)
{
	size_t page = (size_t) sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE)) {
		perror("mmap");
		exit(2);
	}
	return p + page - size;
}

static void *get(const void *base, int offset)
{
	void *p;

	memcpy(&p, (const char *) base + offset, sizeof p);
	return p;
}

static void set(char *base, int offset, void *p)
{
	memcpy(base + offset, &p, sizeof p);
}

/* Sizes of one release's structures. */
struct release {
	int node;
	size_t info, tx, ep, domain;
	getinfo_fn *getinfo;
	dupinfo_fn *dupinfo;
	freeinfo_fn *freeinfo;
};

static void try_release(const struct release *r)
{
	char *info = at_the_edge(r->info), *tx = at_the_edge(r->tx), *rx = at_the_edge(64);
	char *ep = at_the_edge(r->ep), *domain = at_the_edge(r->domain), *fabric = at_the_edge(32);
	void *copy, *list = NULL;
	int ret;

	set(info, INFO_TX, tx);
	set(info, INFO_RX, rx);
	set(info, INFO_EP, ep);
	set(info, INFO_DOMAIN, domain);
	set(info, INFO_FABRIC, fabric);
	set(domain, DOMAIN_NAME, "a domain that does not exist");
	/* In the first release these four bytes were padding, with anything in them. */
	memset(fabric + 28, 0xff, 4);

	copy = r->dupinfo(info);
	CHECK(copy, r->node);
	if (copy) {
		const char *d = get(copy, INFO_DOMAIN);
		const char *e = get(copy, INFO_EP);
		const char *t = get(copy, INFO_TX);
		uint64_t max_cntr;
		uint32_t tclass;

		CHECK(d != domain && !strcmp(get(d, DOMAIN_NAME), "a domain that does not exist"), r->node);
		CHECK(get(d, DOMAIN_NAME) != get(domain, DOMAIN_NAME), r->node);
		CHECK(!get(d, DOMAIN_AUTH_KEY) && !get(e, EP_AUTH_KEY) && !get(copy, INFO_NIC), r->node);
		memcpy(&max_cntr, d + DOMAIN_MAX_CNTR, sizeof max_cntr);
		memcpy(&tclass, t + TX_TCLASS, sizeof tclass);
		CHECK(max_cntr == 0 && tclass == 0, r->node);
		r->freeinfo(copy);
	}

	copy = r->dupinfo(NULL);
	CHECK(copy && get(copy, INFO_TX) && get(copy, INFO_RX) && get(copy, INFO_EP) && get(copy, INFO_DOMAIN) &&
	      get(copy, INFO_FABRIC), r->node);
	r->freeinfo(copy);

	ret = r->getinfo(1 << 16 | 3, NULL, NULL, 0, info, &list);
	CHECK(ret == -ENODATA && !list, r->node);
	ret = r->getinfo(1 << 16 | 3, NULL, NULL, 0, NULL, &list);
	CHECK(ret == 0 || ret == -ENODATA, r->node);
	for (copy = list; copy; copy = get(copy, INFO_NEXT))
		CHECK(get(get(copy, INFO_FABRIC), FABRIC_PROV), r->node);
	r->freeinfo(list);
	r->freeinfo(NULL);
}

#define RELEASE(n, info, tx, ep, domain) { n, info, tx, ep, domain, getinfo_##n, dupinfo_##n, freeinfo_##n }

int main(void)
{
	static const struct release releases[] = {
		RELEASE(0, 112, 72, 80, 120), RELEASE(1, 112, 72, 96, 184), RELEASE(2, 120, 72, 96, 184),
		RELEASE(3, 120, 80, 96, 192), RELEASE(7, 120, 80, 96, 200), RELEASE(8, 120, 80, 96, 208),
		RELEASE(9, 120, 80, 96, 224),
	};
	char *attr = at_the_edge(32);
	void *out;

	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		try_release(&releases[i]);

	CHECK(fabric_0(NULL, &out, NULL) == -EINVAL, 0);
	CHECK(fabric_1(NULL, &out, NULL) == -EINVAL, 1);
	CHECK(fabric_0(attr, &out, NULL) == -EINVAL, 0);
	set(attr, FABRIC_NAME, "net");
	set(attr, FABRIC_PROV, "no such provider");
	CHECK(fabric_0(attr, &out, NULL) == -ENODEV, 0);
	CHECK(fabric_1(attr, &out, NULL) == -ENODEV, 1);

	if (!failures)
		printf("every release's functions work\n");
	return failures != 0;
}
