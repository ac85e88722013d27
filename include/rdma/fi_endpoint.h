/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Endpoints: opening and configuring them, and untagged messages.
 *
 * An endpoint is opened, bound to the queues, counters and address vector that it needs, enabled,
 * and then used. A transfer call returns 0 when the operation has been taken on, and its outcome
 * is reported later; -FI_EAGAIN when there is no room just now: read completions and call again.
 * The buffer is the provider's until the outcome, and so is an array of iovecs with FI_ASYNC_IOV.
 */

#ifndef FI_ENDPOINT_H
#define FI_ENDPOINT_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fi_msg;
struct fi_ops_cm;
struct fi_ops_rma;
struct fi_ops_tagged;
struct fi_ops_atomic;
struct fi_ops_collective;

/* ---- Objects ---- */

struct fi_ops_ep {
	size_t size;
	ssize_t (*cancel)(fid_t fid, void *context);
	int (*getopt)(fid_t fid, int level, int optname, void *optval, size_t *optlen);
	int (*setopt)(fid_t fid, int level, int optname, const void *optval, size_t optlen);
	int (*tx_ctx)(struct fid_ep *sep, int index, struct fi_tx_attr *attr,
		      struct fid_ep **tx_ep, void *context);
	int (*rx_ctx)(struct fid_ep *sep, int index, struct fi_rx_attr *attr,
		      struct fid_ep **rx_ep, void *context);
	ssize_t (*rx_size_left)(struct fid_ep *ep);
	ssize_t (*tx_size_left)(struct fid_ep *ep);
};

struct fi_ops_msg {
	size_t size;
	ssize_t (*recv)(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
			void *context);
	ssize_t (*recvv)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t src_addr, void *context);
	ssize_t (*recvmsg)(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags);
	ssize_t (*send)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			fi_addr_t dest_addr, void *context);
	ssize_t (*sendv)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t dest_addr, void *context);
	ssize_t (*sendmsg)(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags);
	ssize_t (*inject)(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr);
	ssize_t (*senddata)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			    uint64_t data, fi_addr_t dest_addr, void *context);
	ssize_t (*injectdata)(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
			      fi_addr_t dest_addr);
};

/*
 * An endpoint, a scalable endpoint, or a context of either. The calls do not look whether a
 * table is there: use only what the capabilities include.
 */
struct fid_ep {
	struct fid fid;
	struct fi_ops_ep *ops;
	struct fi_ops_cm *cm;			/* fi_cm.h */
	struct fi_ops_msg *msg;
	struct fi_ops_rma *rma;			/* fi_rma.h */
	struct fi_ops_tagged *tagged;		/* fi_tagged.h */
	struct fi_ops_atomic *atomic;		/* fi_atomic.h */
	struct fi_ops_collective *collective;	/* fi_collective.h */
};

/* A passive endpoint: hears of peers that want to connect, transfers nothing. */
struct fid_pep {
	struct fid fid;
	struct fi_ops_ep *ops;
	struct fi_ops_cm *cm;
};

/* A transmit context that several endpoints share. */
struct fid_stx {
	struct fid fid;
	struct fi_ops_ep *ops;
};

/* ---- Opening ---- */

static inline int fi_passive_ep(struct fid_fabric *fabric, struct fi_info *info,
				struct fid_pep **pep, void *context)
{
	return fabric->ops->passive_ep(fabric, info, pep, context);
}

/*
 * Opens the endpoint that info describes, or (info->handle) the one that will answer a
 * connection request. info is only read during the call.
 */
static inline int fi_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
			      void *context)
{
	return domain->ops->endpoint(domain, info, ep, context);
}

/* The same with flags: FI_PEER_TRANSFER, see fi_peer.h. */
static inline int fi_endpoint2(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
			       uint64_t flags, void *context)
{
	if (!flags)
		return fi_endpoint(domain, info, ep, context);
	if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, endpoint2))
		return -FI_ENOSYS;
	return domain->ops->endpoint2(domain, info, ep, flags, context);
}

/*
 * Binds an object, before fi_enable(). flags by what it is:
 *  - address vector, event queue: 0.
 *  - completion queue: FI_TRANSMIT, FI_RECV or both: whose completions it takes. With
 *    FI_SELECTIVE_COMPLETION, successes only where FI_COMPLETION asks for it.
 *  - counter: what it counts: FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ,
 *    FI_REMOTE_WRITE.
 *  - shared transmit or receive context: 0.
 */
static inline int fi_ep_bind(struct fid_ep *ep, struct fid *bfid, uint64_t flags)
{
	return ep->fid.ops->bind(&ep->fid, bfid, flags);
}

/* Binds the event queue that connection requests go to. flags: 0. */
static inline int fi_pep_bind(struct fid_pep *pep, struct fid *bfid, uint64_t flags)
{
	return pep->fid.ops->bind(&pep->fid, bfid, flags);
}

/*
 * Makes an endpoint or context ready for transfers, posting of receives included. -FI_ENOCQ,
 * -FI_ENOAV, -FI_ENOEQ: something that it needs is not bound. fi_connect() and fi_accept() do it
 * where it has not been done.
 */
static inline int fi_enable(struct fid_ep *ep)
{
	return ep->fid.ops->control(&ep->fid, FI_ENABLE, NULL);
}

/*
 * A second handle of the endpoint, whose operations have the given op_flags: FI_TRANSMIT or
 * FI_RECV, and the flags of that half. Closed on its own.
 */
static inline int fi_ep_alias(struct fid_ep *ep, struct fid_ep **alias_ep, uint64_t flags)
{
	struct fid *fid;
	int ret;

	ret = fi_alias(&ep->fid, &fid, flags);
	if (!ret)
		*alias_ep = (struct fid_ep *) fid;
	return ret;
}

/*
 * Takes back one operation that was posted with this context, receives above all. Returns 0
 * also when it does not find one; what it finds ends in an error completion, FI_ECANCELED.
 */
static inline ssize_t fi_cancel(fid_t fid, void *context)
{
	struct fid_ep *ep = (struct fid_ep *) fid;

	return ep->ops->cancel(fid, context);
}

/* Deprecated: post until -FI_EAGAIN. How many more receives or transmits may be posted now. */
FI_DEPRECATED_FUNC static inline ssize_t fi_rx_size_left(struct fid_ep *ep)
{
	return ep->ops->rx_size_left(ep);
}

FI_DEPRECATED_FUNC static inline ssize_t fi_tx_size_left(struct fid_ep *ep)
{
	return ep->ops->tx_size_left(ep);
}

/* ---- Several contexts to one endpoint, or several endpoints to one context ---- */

/* An endpoint of ep_attr->tx_ctx_cnt and rx_ctx_cnt contexts, which do the transfers. */
static inline int fi_scalable_ep(struct fid_domain *domain, struct fi_info *info,
				 struct fid_ep **sep, void *context)
{
	return domain->ops->scalable_ep(domain, info, sep, context);
}

/* Binds its address vector. Queues and counters are bound to the contexts, by fi_ep_bind(). */
static inline int fi_scalable_ep_bind(struct fid_ep *sep, struct fid *bfid, uint64_t flags)
{
	return sep->fid.ops->bind(&sep->fid, bfid, flags);
}

/* Opens context idx, from 0. attr: NULL for that of the endpoint; the provider updates it. */
static inline int fi_tx_context(struct fid_ep *ep, int idx, struct fi_tx_attr *attr,
				struct fid_ep **tx_ep, void *context)
{
	return ep->ops->tx_ctx(ep, idx, attr, tx_ep, context);
}

static inline int fi_rx_context(struct fid_ep *ep, int idx, struct fi_rx_attr *attr,
				struct fid_ep **rx_ep, void *context)
{
	return ep->ops->rx_ctx(ep, idx, attr, rx_ep, context);
}

/* Opens a context to be bound to endpoints whose count of them is FI_SHARED_CONTEXT. */
static inline int fi_stx_context(struct fid_domain *domain, struct fi_tx_attr *attr,
				 struct fid_stx **stx, void *context)
{
	return domain->ops->stx_ctx(domain, attr, stx, context);
}

static inline int fi_srx_context(struct fid_domain *domain, struct fi_rx_attr *attr,
				 struct fid_ep **rx_ep, void *context)
{
	return domain->ops->srx_ctx(domain, attr, rx_ep, context);
}

/* ---- Options ---- */

/* What an option belongs to. */
enum {
	FI_OPT_ENDPOINT,
};

/*
 * Options of FI_OPT_ENDPOINT, with the type of their value. Those that limit a kind of transfer
 * start at what the attributes say; set before fi_enable(). Negative numbers are a provider's
 * own, see fi_ext.h.
 */
enum {
	/* size_t: a buffer with FI_MULTI_RECV is given back when it has less room than this. */
	FI_OPT_MIN_MULTI_RECV,
	/* size_t, read only: private data that connection requests and answers can carry. */
	FI_OPT_CM_DATA_SIZE,
	/* size_t: of buffered receives, which 2.0 took back. */
	FI_OPT_BUFFERED_MIN,
	FI_OPT_BUFFERED_LIMIT,
	/* size_t: memory for data on its way out and in. */
	FI_OPT_SEND_BUF_SIZE,
	FI_OPT_RECV_BUF_SIZE,
	/* size_t: operations that may be outstanding, as size of tx_attr and rx_attr. */
	FI_OPT_TX_SIZE,
	FI_OPT_RX_SIZE,
	/* int: FI_HMEM_P2P_*. */
	FI_OPT_FI_HMEM_P2P,
	/* struct fi_trigger_xpu, read only: what triggering from a device takes. */
	FI_OPT_XPU_TRIGGER,
	/* bool: the provider may call CUDA. This and the rest are newer than 1.17. */
	FI_OPT_CUDA_API_PERMITTED,
	/* bool: peers on this host may be reached through shared memory. */
	FI_OPT_SHARED_MEMORY_PERMITTED,
	/* size_t: the most that one operation of a kind may transfer. */
	FI_OPT_MAX_MSG_SIZE,
	FI_OPT_MAX_TAGGED_SIZE,
	FI_OPT_MAX_RMA_SIZE,
	FI_OPT_MAX_ATOMIC_SIZE,
	/* size_t: the most that one injected operation of a kind may transfer. */
	FI_OPT_INJECT_MSG_SIZE,
	FI_OPT_INJECT_TAGGED_SIZE,
	FI_OPT_INJECT_RMA_SIZE,
	FI_OPT_INJECT_ATOMIC_SIZE,
	/* bool: this endpoint is behind a firewall: it connects, peers cannot. */
	FI_OPT_FIREWALL_ADDR,
};

/* May data go between device memory and the network without a copy in memory of the host? */
enum {
	FI_HMEM_P2P_ENABLED,	/* the provider decides */
	FI_HMEM_P2P_REQUIRED,	/* it must; else the operation fails */
	FI_HMEM_P2P_PREFERRED,	/* whenever it can */
	FI_HMEM_P2P_DISABLED,	/* never */
};

/* -FI_ENOPROTOOPT: the endpoint does not have the option. */
static inline int fi_setopt(fid_t fid, int level, int optname, const void *optval, size_t optlen)
{
	struct fid_ep *ep = (struct fid_ep *) fid;

	return ep->ops->setopt(fid, level, optname, optval, optlen);
}

/* optlen: in, the room at optval; out, the length of the value. */
static inline int fi_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct fid_ep *ep = (struct fid_ep *) fid;

	return ep->ops->getopt(fid, level, optname, optval, optlen);
}

/* ---- Untagged messages ---- */

/*
 * Arguments that all transfer calls share:
 *  - desc: fi_mr_desc() of the region around the buffer, one each for several. May be NULL where
 *    mr_mode does not ask for registration of such buffers.
 *  - src_addr: the peer to receive from, FI_ADDR_UNSPEC for any. Only heeded with
 *    FI_DIRECTED_RECV.
 *  - dest_addr: the peer to send to. Not heeded on connected endpoints.
 *  - data: immediate data, domain_attr->cq_data_size bytes of it, which the peer's completion
 *    has.
 *  - context: comes back in the completion as op_context. Mode FI_CONTEXT gives it a form.
 * The calls with a flags argument take exactly those flags; all others have the op_flags of the
 * endpoint.
 */

/* A message as fi_sendmsg() and fi_recvmsg() take it. Only read during the call. */
struct fi_msg {
	const struct iovec *msg_iov;
	/* One per buffer, or NULL. */
	void **desc;
	/* Buffers, up to iov_limit. 0: an empty message. */
	size_t iov_count;
	/* Where it goes, or where it comes from. */
	fi_addr_t addr;
	void *context;
	/* Sent with FI_REMOTE_CQ_DATA. */
	uint64_t data;
};

/*
 * Posts a buffer. Messages take buffers in the order of posting; one that is longer than its
 * buffer is cut and reported as FI_ETRUNC.
 */
static inline ssize_t fi_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			      fi_addr_t src_addr, void *context)
{
	return ep->msg->recv(ep, buf, len, desc, src_addr, context);
}

static inline ssize_t fi_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			       size_t count, fi_addr_t src_addr, void *context)
{
	return ep->msg->recvv(ep, iov, desc, count, src_addr, context);
}

/* flags: FI_COMPLETION, FI_MORE, FI_MULTI_RECV, FI_PEEK, FI_CLAIM, FI_DISCARD. */
static inline ssize_t fi_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	return ep->msg->recvmsg(ep, msg, flags);
}

static inline ssize_t fi_send(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			      fi_addr_t dest_addr, void *context)
{
	return ep->msg->send(ep, buf, len, desc, dest_addr, context);
}

static inline ssize_t fi_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			       size_t count, fi_addr_t dest_addr, void *context)
{
	return ep->msg->sendv(ep, iov, desc, count, dest_addr, context);
}

/*
 * flags: FI_COMPLETION, FI_MORE, FI_INJECT, FI_REMOTE_CQ_DATA, FI_FENCE, FI_MULTICAST,
 * FI_TRIGGER, and one FI_..._COMPLETE.
 */
static inline ssize_t fi_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	return ep->msg->sendmsg(ep, msg, flags);
}

/*
 * Sends up to tx_attr->inject_size bytes. The buffer is free on return and needs no
 * registration; success is counted, but no completion is reported.
 */
static inline ssize_t fi_inject(struct fid_ep *ep, const void *buf, size_t len,
				fi_addr_t dest_addr)
{
	return ep->msg->inject(ep, buf, len, dest_addr);
}

/* fi_send() and fi_inject() with immediate data. */
static inline ssize_t fi_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				  uint64_t data, fi_addr_t dest_addr, void *context)
{
	return ep->msg->senddata(ep, buf, len, desc, data, dest_addr, context);
}

static inline ssize_t fi_injectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				    fi_addr_t dest_addr)
{
	return ep->msg->injectdata(ep, buf, len, data, dest_addr);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_ENDPOINT_H */
