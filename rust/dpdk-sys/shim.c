/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "shim.h"

uint16_t shim_rx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **mbufs, uint16_t count)
{
	return rte_eth_rx_burst(port, queue, mbufs, count);
}

uint16_t shim_tx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **mbufs, uint16_t count)
{
	return rte_eth_tx_burst(port, queue, mbufs, count);
}

struct rte_mbuf *shim_mbuf_alloc(struct rte_mempool *pool)
{
	return rte_pktmbuf_alloc(pool);
}

int shim_mbuf_alloc_bulk(struct rte_mempool *pool, struct rte_mbuf **mbufs, unsigned int count)
{
	return rte_pktmbuf_alloc_bulk(pool, mbufs, count);
}

void shim_mbuf_free(struct rte_mbuf *mbuf)
{
	rte_pktmbuf_free(mbuf);
}

void shim_mbuf_free_bulk(struct rte_mbuf **mbufs, unsigned int count)
{
	rte_pktmbuf_free_bulk(mbufs, count);
}

int shim_mbuf_chain(struct rte_mbuf *head, struct rte_mbuf *tail)
{
	return rte_pktmbuf_chain(head, tail);
}

int shim_mbuf_linearize(struct rte_mbuf *mbuf)
{
	return rte_pktmbuf_linearize(mbuf);
}

/* What DPDK keeps for an external buffer, and the callback that the user wants. */
struct external {
	struct rte_mbuf_ext_shared_info info;
	shim_free_fn free_cb;
	void *opaque;
};

_Static_assert(sizeof(struct external) <= SHIM_SHARED_INFO_SIZE, "room for the bookkeeping of external memory");

static void external_free(void *addr, void *opaque)
{
	struct external *external = opaque;
	(void)addr;
	external->free_cb(external->opaque);
}

void shim_mbuf_attach(struct rte_mbuf *mbuf, void *addr, uint64_t iova, uint16_t len, void *shared,
		      shim_free_fn free_cb, void *opaque)
{
	struct external *external = shared;

	external->free_cb = free_cb;
	external->opaque = opaque;
	external->info.free_cb = external_free;
	external->info.fcb_opaque = external;
	rte_mbuf_ext_refcnt_set(&external->info, 1);
	rte_pktmbuf_attach_extbuf(mbuf, addr, iova, len, &external->info);
	mbuf->data_off = 0;
}

int shim_errno(void)
{
	return rte_errno;
}

int shim_thread_is_registered(void)
{
	return rte_lcore_id() != LCORE_ID_ANY;
}

uint64_t shim_tsc(void)
{
	return rte_get_tsc_cycles();
}

uint64_t shim_virt2iova(const void *addr)
{
	return rte_mem_virt2iova(addr);
}

static ssize_t log_write(void *cookie, const char *text, size_t len)
{
	int level = rte_log_cur_msg_loglevel();
	shim_log_fn sink;
	memcpy(&sink, &cookie, sizeof(sink));
	sink(level < 0 ? RTE_LOG_INFO : (uint32_t)level, text, len);
	return (ssize_t)len;
}

int shim_log_redirect(shim_log_fn sink)
{
	cookie_io_functions_t functions = { .write = log_write };
	void *cookie;
	FILE *stream;

	memcpy(&cookie, &sink, sizeof(cookie));
	stream = fopencookie(cookie, "w", functions);
	if (stream == NULL)
		return -errno;
	/* Line buffering keeps one message in one call. */
	setvbuf(stream, NULL, _IOLBF, BUFSIZ);
	rte_openlog_stream(stream);
	return 0;
}

int shim_eth_configure(uint16_t port, uint16_t rx_queues, uint16_t tx_queues, uint32_t mtu,
		       uint64_t rx_offloads, uint64_t tx_offloads)
{
	struct rte_eth_conf conf;

	memset(&conf, 0, sizeof(conf));
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_NONE;
	conf.txmode.mq_mode = RTE_ETH_MQ_TX_NONE;
	conf.rxmode.mtu = mtu;
	conf.rxmode.offloads = rx_offloads;
	conf.txmode.offloads = tx_offloads;
	return rte_eth_dev_configure(port, rx_queues, tx_queues, &conf);
}

uint32_t shim_link_up(uint16_t port, uint32_t *speed_mbps)
{
	struct rte_eth_link link;

	memset(&link, 0, sizeof(link));
	if (rte_eth_link_get_nowait(port, &link) != 0)
		return 0;
	*speed_mbps = link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ? 0 : link.link_speed;
	return link.link_status == RTE_ETH_LINK_UP;
}
