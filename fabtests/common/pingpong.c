/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "pingpong.h"

static int one_size(struct fab *f, size_t size)
{
	uint64_t rounds = f->opt.warmup + f->opt.iters, start = 0;
	bool client = f->opt.dst_addr;

	int ret = fab_sync(f);
	f->expect = size;
	for (uint64_t n = 0; n < rounds && !ret; n++) {
		if (n == f->opt.warmup)
			start = fab_now_ns();
		if (client)
			ret = fab_send(f, size);
		ret = ret ? ret : fab_receive(f, 1);
		/* What comes after the last is of another kind. */
		if (n + 1 == rounds)
			f->expect = SIZE_MAX;
		if (!client)
			ret = ret ? ret : fab_send(f, size);
	}
	ret = ret ? ret : fab_flush(f);
	if (!ret)
		fab_report(f, size, f->opt.iters, fab_now_ns() - start, 2);
	return ret;
}

int fab_pingpong_main(int argc, char **argv, const char *name, uint64_t caps, const char *about)
{
	struct fab_opts opts = { .iters = 1000, .warmup = 10, .timeout = 30 };
	struct fab f;

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR | FAB_OPTS_SIZES, about);
	int ret = fab_init(&f, name, &opts, FI_EP_RDM, caps);
	ret = ret ? ret : fab_start(&f, 1, opts.sizes == FAB_SIZES_ONE ? opts.size : FAB_MAX_SIZE);
	if (!ret)
		for (const size_t *s = fab_size_list(&opts, f.info->ep_attr->max_msg_size); *s != SIZE_MAX && !ret; s++)
			ret = one_size(&f, *s);
	ret = ret ? ret : fab_sync(&f);
	fab_close(&f);
	return fab_exit(ret);
}
