/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One-way bandwidth: the client keeps a window of messages under way; the server answers the last one. */
#include "../common/fab.h"

/* Bytes of the server's answer. */
#define ANSWER 4

static int one_size(struct fab *f, size_t size)
{
	uint64_t rounds = f->opt.warmup + f->opt.iters, start = fab_now_ns();

	int ret = fab_sync(f);
	if (ret)
		return ret;
	if (f->opt.dst_addr) {
		f->expect = ANSWER;
		for (uint64_t n = 0; n < rounds && !ret; n++) {
			if (n == f->opt.warmup)
				start = fab_now_ns();
			ret = fab_send(f, size);
		}
		ret = ret ? ret : fab_flush(f);
		ret = ret ? ret : fab_receive(f, 1);
		f->expect = SIZE_MAX;
	} else {
		f->expect = size;
		ret = fab_receive(f, f->opt.warmup);
		start = fab_now_ns();
		ret = ret ? ret : fab_receive(f, f->opt.iters);
		f->expect = SIZE_MAX;
		ret = ret ? ret : fab_send(f, ANSWER);
		ret = ret ? ret : fab_flush(f);
	}
	if (!ret)
		fab_report(f, size, f->opt.iters, fab_now_ns() - start, 1);
	return ret;
}

int main(int argc, char **argv)
{
	struct fab_opts opts = { .iters = 1000, .warmup = 10, .timeout = 30, .window = 64 };
	struct fab f;

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR | FAB_OPTS_SIZES | FAB_OPTS_WINDOW,
		  "bandwidth of tagged messages between reliable endpoints");
	int ret = fab_init(&f, "rdm_tagged_bw", &opts, FI_EP_RDM, FI_TAGGED);
	ret = ret ? ret : fab_start(&f, opts.window, opts.sizes == FAB_SIZES_ONE && opts.size > ANSWER ? opts.size : FAB_MAX_SIZE);
	if (!ret)
		for (const size_t *s = fab_size_list(&opts, f.info->ep_attr->max_msg_size); *s != SIZE_MAX && !ret; s++)
			ret = one_size(&f, *s);
	ret = ret ? ret : fab_sync(&f);
	fab_close(&f);
	return fab_exit(ret);
}
