/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Several providers that look like one, such as one for peers on this host below one for the
 * network. The owner has the objects that the application sees. For each it opens one of the
 * peer's, with the flag FI_PEER, and lends it a fid_peer_... object: the peer then reports to the
 * owner instead of keeping queues of its own. -FI_EINVAL from the peer: it cannot do that.
 *
 * The context of such an open call is one of the ..._context structures, whose size is that of
 * the structure. What they point to is the owner's and outlives the peer's object. owner_ops are
 * functions of the owner's that the peer calls, peer_ops the other way round; the peer sets those
 * during the open call. fi_addr_t are the peer's in what the peer calls, unless said otherwise.
 */

#ifndef FI_PEER_H
#define FI_PEER_H

#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Domains (fi_domain2) and event queues (fi_eq_open): lent as they are ---- */

struct fi_peer_domain_context {
	size_t size;
	struct fid_domain *domain;
};

struct fi_peer_eq_context {
	size_t size;
	struct fid_eq *eq;
};

/* ---- Address vectors (fi_av_open) ---- */

struct fid_peer_av;

struct fi_ops_av_owner {
	size_t size;
	/* How the owner's vector is configured, and how many addresses it has. */
	int (*query)(struct fid_peer_av *av, struct fi_av_attr *attr);
	/* What an endpoint of this process has in the owner's vector, or FI_ADDR_NOTAVAIL. */
	fi_addr_t (*ep_addr)(struct fid_peer_av *av, struct fid_ep *ep);
};

struct fid_peer_av {
	struct fid fid;
	struct fi_ops_av_owner *owner_ops;
};

struct fi_peer_av_context {
	size_t size;
	struct fid_peer_av *av;
};

/* ---- Sets of addresses (fi_av_set), for providers that do collectives only ---- */

struct fid_peer_av_set;
struct fi_peer_av_set;

struct fi_ops_av_set_owner {
	size_t size;
	/*
	 * Lists the addresses. count: in, the room; out, how many there are. -FI_ETOOSMALL when
	 * that is more.
	 */
	int (*members)(struct fid_peer_av_set *av, fi_addr_t *addr, size_t *count);
};

struct fid_peer_av_set {
	struct fid fid;
	struct fi_ops_av_set_owner *owner_ops;
};

struct fi_peer_av_set_context {
	size_t size;
	/* In truth a struct fid_peer_av_set; the type is what the API calls it. */
	struct fi_peer_av_set *av_set;
};

/* ---- Completion queues (fi_cq_open) ---- */

struct fid_peer_cq;

/* The owner locks, wakes and handles overflow. It makes progress by reading 0 of the peer's. */
struct fi_ops_cq_owner {
	size_t size;
	/* A success. What the format of the queue does not report may be 0 or NULL. */
	ssize_t (*write)(struct fid_peer_cq *cq, void *context, uint64_t flags, size_t len,
			 void *buf, uint64_t data, uint64_t tag, fi_addr_t src);
	/* A failure. */
	ssize_t (*writeerr)(struct fid_peer_cq *cq, const struct fi_cq_err_entry *err_entry);
};

struct fid_peer_cq {
	struct fid fid;
	struct fi_ops_cq_owner *owner_ops;
};

struct fi_peer_cq_context {
	size_t size;
	struct fid_peer_cq *cq;
};

/* ---- Counters (fi_cntr_open), after 1.17 ---- */

struct fid_peer_cntr;

struct fi_ops_cntr_owner {
	size_t size;
	/* One more success, one more failure. */
	void (*inc)(struct fid_peer_cntr *cntr);
	void (*incerr)(struct fid_peer_cntr *cntr);
};

struct fid_peer_cntr {
	struct fid fid;
	struct fi_ops_cntr_owner *owner_ops;
};

struct fi_peer_cntr_context {
	size_t size;
	struct fid_peer_cntr *cntr;
};

/* ---- Shared receive contexts (fi_srx_context): receives are posted to the owner ---- */

struct fid_peer_srx;

/*
 * A message meets its receive. The owner allocates it in get_msg or get_tag, the peer has it
 * while it receives the message, and free_entry gives it back.
 */
struct fi_peer_rx_entry {
	struct fid_peer_srx *srx;
	/* The message: its source, length, tag, immediate data. Newer than 1.17 in this form. */
	fi_addr_t addr;
	size_t msg_size;
	uint64_t tag;
	uint64_t cq_data;
	/* The receive: its flags, context, and as many buffers with their descriptors. */
	uint64_t flags;
	void *context;
	size_t count;
	void **desc;
	/* For each side's own use. */
	void *peer_context;
	void *owner_context;
	struct iovec *iov;
};

/* A message that looks for its receive. After 1.17. */
struct fi_peer_match_attr {
	/* FI_ADDR_UNSPEC when the source is not known. */
	fi_addr_t addr;
	size_t msg_size;
	/* For get_tag. */
	uint64_t tag;
};

struct fi_ops_srx_owner {
	size_t size;
	/*
	 * Finds the receive for a message, and takes it. -FI_ENOENT: there is none yet. There is
	 * an entry all the same, which the peer queues once it has set peer_context.
	 */
	int (*get_msg)(struct fid_peer_srx *srx, struct fi_peer_match_attr *attr,
		       struct fi_peer_rx_entry **entry);
	int (*get_tag)(struct fid_peer_srx *srx, struct fi_peer_match_attr *attr,
		       struct fi_peer_rx_entry **entry);
	/* Nothing else of this context may be called between get and queue. */
	int (*queue_msg)(struct fi_peer_rx_entry *entry);
	int (*queue_tag)(struct fi_peer_rx_entry *entry);
	/* Asks, by get_addr, for the sources of queued messages that had none. After 1.17. */
	void (*foreach_unspec_addr)(struct fid_peer_srx *srx,
				    fi_addr_t (*get_addr)(struct fi_peer_rx_entry *entry));
	/* The message has been received, and reported. */
	void (*free_entry)(struct fi_peer_rx_entry *entry);
};

struct fi_ops_srx_peer {
	size_t size;
	/* A queued message has its receive now: get on with it. */
	int (*start_msg)(struct fi_peer_rx_entry *entry);
	int (*start_tag)(struct fi_peer_rx_entry *entry);
	/* A queued message is not wanted: drop it without a completion. */
	int (*discard_msg)(struct fi_peer_rx_entry *entry);
	int (*discard_tag)(struct fi_peer_rx_entry *entry);
};

struct fid_peer_srx {
	struct fid_ep ep_fid;
	struct fi_ops_srx_owner *owner_ops;
	struct fi_ops_srx_peer *peer_ops;
};

struct fi_peer_srx_context {
	size_t size;
	struct fid_peer_srx *srx;
};

/* ---- Transfers of the peer's through the owner (fi_endpoint2 with FI_PEER_TRANSFER) ---- */

/* What the owner calls when a transfer ends that was posted with FI_PEER_TRANSFER. */
struct fi_ops_transfer_peer {
	size_t size;
	/* src_addr: of receives; newer than 1.17 in this form. */
	ssize_t (*complete)(struct fid_ep *ep, struct fi_cq_tagged_entry *buf,
			    fi_addr_t src_addr);
	ssize_t (*comperr)(struct fid_ep *ep, struct fi_cq_err_entry *buf);
};

struct fi_peer_transfer_context {
	size_t size;
	/* What the owner can do, or NULL. */
	struct fi_info *info;
	/* The owner's endpoint. */
	struct fid_ep *ep;
	/* Set by the peer. */
	struct fi_ops_transfer_peer *peer_ops;
};

#ifdef __cplusplus
}
#endif

#endif /* FI_PEER_H */
