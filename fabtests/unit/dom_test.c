/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Domains: several at once, opened and closed again, busy ones, wrong names, memory registration. */
#include "../common/fab.h"

#include <stdlib.h>
#include <string.h>

static int several_at_once(struct fab *f)
{
	struct fid_domain **d = calloc(f->opt.count, sizeof *d);
	unsigned int n;
	int ret = 0;

	for (n = 0; n < f->opt.count && !ret; n++)
		ret = fi_domain(f->fabric, f->info, &d[n], NULL);
	unsigned int opened = ret ? n - 1 : n;
	for (unsigned int i = 0; i < opened; i++)
		REQUIRE(!fi_close(&d[i]->fid), "closing domain %u", i);
	free(d);
	REQUIRE(!ret, "opening domain %u: %d", opened, ret);
	return 0;
}

static int again_and_again(struct fab *f)
{
	for (int n = 0; n < 10; n++) {
		struct fid_domain *d;
		int ret = fi_domain(f->fabric, f->info, &d, NULL);
		REQUIRE(!ret, "time %d: %d", n, ret);
		ret = fi_close(&d->fid);
		REQUIRE(!ret, "closing time %d: %d", n, ret);
	}
	return 0;
}

static int context_and_class(struct fab *f)
{
	struct fid_domain *d;
	int context, ret = fi_domain(f->fabric, f->info, &d, &context);
	REQUIRE(!ret, "%d", ret);
	REQUIRE(d->fid.context == &context, "%p", d->fid.context);
	REQUIRE(d->fid.fclass == FI_CLASS_DOMAIN, "%zu", d->fid.fclass);
	REQUIRE(!fi_close(&d->fid), "close");
	return 0;
}

static int a_fabric_with_a_domain_is_busy(struct fab *f)
{
	struct fid_fabric *fabric;
	struct fid_domain *d;
	REQUIRE(!fi_fabric(f->info->fabric_attr, &fabric, NULL), "fi_fabric");
	REQUIRE(!fi_domain(fabric, f->info, &d, NULL), "fi_domain");
	int ret = fi_close(&fabric->fid);
	REQUIRE(ret == -FI_EBUSY, "%d", ret);
	REQUIRE(!fi_close(&d->fid), "closing the domain");
	REQUIRE(!fi_close(&fabric->fid), "closing the fabric");
	return 0;
}

static int a_domain_with_a_queue_is_busy(struct fab *f)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_NONE };
	struct fid_domain *d;
	struct fid_cq *cq;
	REQUIRE(!fi_domain(f->fabric, f->info, &d, NULL), "fi_domain");
	REQUIRE(!fi_cq_open(d, &attr, &cq, NULL), "fi_cq_open");
	int ret = fi_close(&d->fid);
	REQUIRE(ret == -FI_EBUSY, "%d", ret);
	REQUIRE(!fi_close(&cq->fid), "closing the queue");
	REQUIRE(!fi_close(&d->fid), "closing the domain");
	return 0;
}

static int an_unknown_domain(struct fab *f)
{
	struct fi_info *i = fi_dupinfo(f->info);
	struct fid_domain *d;
	free(i->domain_attr->name);
	i->domain_attr->name = strdup("no-such-domain");
	int ret = fi_domain(f->fabric, i, &d, NULL);
	fi_freeinfo(i);
	REQUIRE(ret, "opened");
	return 0;
}

static int memory_registration(struct fab *f)
{
	static char buf[4096];
	struct fid_domain *d;
	struct fid_mr *mr;
	REQUIRE(!fi_domain(f->fabric, f->info, &d, NULL), "fi_domain");
	int ret = fi_mr_reg(d, buf, sizeof buf, FI_SEND | FI_RECV, 0, 7, 0, &mr, NULL);
	if (ret == -FI_ENOSYS) {
		fi_close(&d->fid);
		return ret;
	}
	REQUIRE(!ret, "%d", ret);
	REQUIRE(mr->fid.fclass == FI_CLASS_MR, "%zu", mr->fid.fclass);
	if (!(f->info->domain_attr->mr_mode & FI_MR_PROV_KEY))
		REQUIRE(fi_mr_key(mr) == 7, "key %llu", (unsigned long long)fi_mr_key(mr));
	ret = fi_close(&d->fid);
	REQUIRE(ret == -FI_EBUSY, "closing the busy domain: %d", ret);
	REQUIRE(!fi_close(&mr->fid), "closing the region");
	REQUIRE(!fi_close(&d->fid), "closing the domain");
	return 0;
}

static int unknown_operations_are_refused(struct fab *f)
{
	struct fid_domain *d;
	void *ops = NULL;
	REQUIRE(!fi_domain(f->fabric, f->info, &d, NULL), "fi_domain");
	int ret = fi_open_ops(&d->fid, "no such operations", 0, &ops, NULL);
	REQUIRE(ret, "given");
	REQUIRE(!fi_close(&d->fid), "close");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct fab_case cases[] = {
		{ "several domains at once", several_at_once },
		{ "opened and closed again and again", again_and_again },
		{ "context and class", context_and_class },
		{ "a fabric with a domain is busy", a_fabric_with_a_domain_is_busy },
		{ "a domain with a queue is busy", a_domain_with_a_queue_is_busy },
		{ "an unknown domain", an_unknown_domain },
		{ "memory registration", memory_registration },
		{ "unknown operations are refused", unknown_operations_are_refused },
	};
	struct fab_opts opts = { .count = 2 };
	struct fab f;

	fab_parse(&opts, argc, argv, FAB_OPTS_COUNT, "domains");
	int ret = fab_init(&f, "dom_test", &opts, FI_EP_UNSPEC, 0);
	ret = ret ? ret : fab_getinfo(&f);
	if (!ret && (ret = fi_fabric(f.info->fabric_attr, &f.fabric, NULL)))
		fab_error("fi_fabric", ret);
	ret = ret ? fab_exit(ret) : fab_run_cases(&f, cases, sizeof cases / sizeof *cases);
	fab_close(&f);
	return ret;
}
