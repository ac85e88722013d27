/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Plain functions over DPDK's inline ones, and over those whose arguments are awkward outside C. */
#ifndef DPDK_SHIM_H
#define DPDK_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_memory.h>

/* Offload flags, as constants that bindgen evaluates. */
static const uint64_t SHIM_RX_IPV4_CKSUM = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM;
static const uint64_t SHIM_RX_UDP_CKSUM = RTE_ETH_RX_OFFLOAD_UDP_CKSUM;
static const uint64_t SHIM_RX_SCATTER = RTE_ETH_RX_OFFLOAD_SCATTER;
static const uint64_t SHIM_TX_IPV4_CKSUM = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM;
static const uint64_t SHIM_TX_UDP_CKSUM = RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
static const uint64_t SHIM_TX_MULTI_SEGS = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;

/* Device queues. */
uint16_t shim_rx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **mbufs, uint16_t count);
uint16_t shim_tx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **mbufs, uint16_t count);

/* Mbufs. */
struct rte_mbuf *shim_mbuf_alloc(struct rte_mempool *pool);
int shim_mbuf_alloc_bulk(struct rte_mempool *pool, struct rte_mbuf **mbufs, unsigned int count);
void shim_mbuf_free(struct rte_mbuf *mbuf);
void shim_mbuf_free_bulk(struct rte_mbuf **mbufs, unsigned int count);
int shim_mbuf_chain(struct rte_mbuf *head, struct rte_mbuf *tail);
/* Copies a chain into its first segment where that has room. 0 or -1. */
int shim_mbuf_linearize(struct rte_mbuf *mbuf);

/* Called when the last mbuf that refers to external memory has been freed. */
typedef void (*shim_free_fn)(void *opaque);
/* Bytes that shim_mbuf_attach needs for its bookkeeping, aligned to a pointer. */
#define SHIM_SHARED_INFO_SIZE 64
/* Makes the mbuf refer to memory outside its pool. `shared` has SHIM_SHARED_INFO_SIZE bytes and lives until `free_cb`. */
void shim_mbuf_attach(struct rte_mbuf *mbuf, void *addr, uint64_t iova, uint16_t len, void *shared,
		      shim_free_fn free_cb, void *opaque);

/* rte_errno of the calling thread. */
int shim_errno(void);
/* True when the thread has an lcore id, and so caches in mempools. */
int shim_thread_is_registered(void);
/* Time stamp counter. */
uint64_t shim_tsc(void);
/* Address for DMA of a virtual address known to DPDK; all ones when unknown. */
uint64_t shim_virt2iova(const void *addr);

/* Writes everything that DPDK logs to `sink`, line by line. 0 or -errno. */
typedef void (*shim_log_fn)(uint32_t level, const char *text, size_t len);
int shim_log_redirect(shim_log_fn sink);

/* One receive and one transmit queue, no RSS. */
int shim_eth_configure(uint16_t port, uint16_t rx_queues, uint16_t tx_queues, uint32_t mtu,
		       uint64_t rx_offloads, uint64_t tx_offloads);
/* Limits that bindgen shows badly (bit fields, unions). */
uint32_t shim_link_up(uint16_t port, uint32_t *speed_mbps);

#endif
