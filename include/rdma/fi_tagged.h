/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tagged messages. A message carries 64 bits of tag; a receive takes the first message that fits
 * it, and of several receives that fit a message the one posted first takes it. They fit when
 * the tags agree in all bits that are not set in ignore, and the source is right. Messages that
 * nothing fits yet wait. The other arguments are as in fi_endpoint.h.
 */

#ifndef FI_TAGGED_H
#define FI_TAGGED_H

#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tags of the format FI_TAG_MPI (ep_attr->mem_tag_format), after 1.17 ---- */

/* A tag of MPI's, below 8 bits that tell kinds of messages apart. */
static inline uint64_t fi_tag_mpi(int tag, uint8_t payload_id)
{
	return ((uint64_t) payload_id << 32) | (uint32_t) tag;
}

/* For ignore: any tag of MPI's; any kind of message. */
#define FI_MPI_IGNORE_TAG	0xffffffffUL
#define FI_MPI_IGNORE_PAYLOAD	(0xffUL << 32)

/* ---- Operations ---- */

/* A message as fi_tsendmsg() and fi_trecvmsg() take it. Only read during the call. */
struct fi_msg_tagged {
	const struct iovec *msg_iov;
	void **desc;
	size_t iov_count;
	/* Where it goes, or where it comes from. */
	fi_addr_t addr;
	uint64_t tag;
	/* Of receives: bits of the tag that may differ. */
	uint64_t ignore;
	void *context;
	/* Sent with FI_REMOTE_CQ_DATA. */
	uint64_t data;
};

struct fi_ops_tagged {
	size_t size;
	ssize_t (*recv)(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
			uint64_t tag, uint64_t ignore, void *context);
	ssize_t (*recvv)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context);
	ssize_t (*recvmsg)(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags);
	ssize_t (*send)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			fi_addr_t dest_addr, uint64_t tag, void *context);
	ssize_t (*sendv)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t dest_addr, uint64_t tag, void *context);
	ssize_t (*sendmsg)(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags);
	ssize_t (*inject)(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr,
			  uint64_t tag);
	ssize_t (*senddata)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			    uint64_t data, fi_addr_t dest_addr, uint64_t tag, void *context);
	ssize_t (*injectdata)(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
			      fi_addr_t dest_addr, uint64_t tag);
};

static inline ssize_t fi_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			       fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context)
{
	return ep->tagged->recv(ep, buf, len, desc, src_addr, tag, ignore, context);
}

static inline ssize_t fi_trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				size_t count, fi_addr_t src_addr, uint64_t tag, uint64_t ignore,
				void *context)
{
	return ep->tagged->recvv(ep, iov, desc, count, src_addr, tag, ignore, context);
}

/*
 * flags: FI_COMPLETION, FI_MORE, FI_MULTI_RECV (with FI_TAGGED_MULTI_RECV), and to look at
 * messages that wait:
 *  - FI_PEEK: no buffer is posted. The completion has length, tag and source of the first
 *    message that fits, or is an error, FI_ENOMSG.
 *  - FI_PEEK | FI_CLAIM: that message is also set aside, for
 *  - FI_CLAIM: receive the message that was set aside with the same context.
 *  - FI_DISCARD with one of these: drop it instead.
 */
static inline ssize_t fi_trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				  uint64_t flags)
{
	return ep->tagged->recvmsg(ep, msg, flags);
}

static inline ssize_t fi_tsend(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			       fi_addr_t dest_addr, uint64_t tag, void *context)
{
	return ep->tagged->send(ep, buf, len, desc, dest_addr, tag, context);
}

static inline ssize_t fi_tsendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				size_t count, fi_addr_t dest_addr, uint64_t tag, void *context)
{
	return ep->tagged->sendv(ep, iov, desc, count, dest_addr, tag, context);
}

/* flags: as fi_sendmsg(). */
static inline ssize_t fi_tsendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				  uint64_t flags)
{
	return ep->tagged->sendmsg(ep, msg, flags);
}

/* A short message whose buffer is free on return, and which reports no completion. */
static inline ssize_t fi_tinject(struct fid_ep *ep, const void *buf, size_t len,
				 fi_addr_t dest_addr, uint64_t tag)
{
	return ep->tagged->inject(ep, buf, len, dest_addr, tag);
}

/* fi_tsend() and fi_tinject() with immediate data. */
static inline ssize_t fi_tsenddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				   uint64_t data, fi_addr_t dest_addr, uint64_t tag, void *context)
{
	return ep->tagged->senddata(ep, buf, len, desc, data, dest_addr, tag, context);
}

static inline ssize_t fi_tinjectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				     fi_addr_t dest_addr, uint64_t tag)
{
	return ep->tagged->injectdata(ep, buf, len, data, dest_addr, tag);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_TAGGED_H */
