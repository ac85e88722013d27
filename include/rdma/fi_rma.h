/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Remote memory access: reading and writing memory that a peer has registered, without the peer
 * taking part. addr says where in the peer's region: a virtual address of the peer's with
 * FI_MR_VIRT_ADDR, else an offset from the start. key is that of the region. The other arguments
 * are as in fi_endpoint.h.
 *
 * A wrong key, a range that leaves the region, or access that it does not grant ends in an error
 * completion here and leaves the peer as it was.
 */

#ifndef FI_RMA_H
#define FI_RMA_H

#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A range of a peer's memory, in bytes. */
struct fi_rma_iov {
	uint64_t addr;
	size_t len;
	uint64_t key;
};

/* One in elements of a datatype, for atomics. */
struct fi_rma_ioc {
	uint64_t addr;
	size_t count;
	uint64_t key;
};

/* A transfer as fi_readmsg() and fi_writemsg() take it. Both sides have the same length. */
struct fi_msg_rma {
	/* The memory here. */
	const struct iovec *msg_iov;
	void **desc;
	size_t iov_count;
	/* The peer. */
	fi_addr_t addr;
	/* Its memory, up to tx_attr->rma_iov_limit ranges. */
	const struct fi_rma_iov *rma_iov;
	size_t rma_iov_count;
	void *context;
	/* Goes along with FI_REMOTE_CQ_DATA. */
	uint64_t data;
};

struct fi_ops_rma {
	size_t size;
	ssize_t (*read)(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
			uint64_t addr, uint64_t key, void *context);
	ssize_t (*readv)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			 fi_addr_t src_addr, uint64_t addr, uint64_t key, void *context);
	ssize_t (*readmsg)(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags);
	ssize_t (*write)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			 fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context);
	ssize_t (*writev)(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
			  fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context);
	ssize_t (*writemsg)(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags);
	ssize_t (*inject)(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr,
			  uint64_t addr, uint64_t key);
	ssize_t (*writedata)(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			     uint64_t data, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
			     void *context);
	ssize_t (*injectdata)(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
			      fi_addr_t dest_addr, uint64_t addr, uint64_t key);
};

/* ---- Reading: the data is in buf when the operation is complete ---- */

static inline ssize_t fi_read(struct fid_ep *ep, void *buf, size_t len, void *desc,
			      fi_addr_t src_addr, uint64_t addr, uint64_t key, void *context)
{
	return ep->rma->read(ep, buf, len, desc, src_addr, addr, key, context);
}

static inline ssize_t fi_readv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			       size_t count, fi_addr_t src_addr, uint64_t addr, uint64_t key,
			       void *context)
{
	return ep->rma->readv(ep, iov, desc, count, src_addr, addr, key, context);
}

/* flags: FI_COMPLETION, FI_MORE, FI_FENCE, FI_TRIGGER. */
static inline ssize_t fi_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	return ep->rma->readmsg(ep, msg, flags);
}

/* ---- Writing ---- */

static inline ssize_t fi_write(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			       fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context)
{
	return ep->rma->write(ep, buf, len, desc, dest_addr, addr, key, context);
}

static inline ssize_t fi_writev(struct fid_ep *ep, const struct iovec *iov, void **desc,
				size_t count, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
				void *context)
{
	return ep->rma->writev(ep, iov, desc, count, dest_addr, addr, key, context);
}

/* flags: as fi_readmsg(), FI_INJECT, FI_REMOTE_CQ_DATA, and one FI_..._COMPLETE. */
static inline ssize_t fi_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags)
{
	return ep->rma->writemsg(ep, msg, flags);
}

/* A short write whose buffer is free on return, and which reports no completion. */
static inline ssize_t fi_inject_write(struct fid_ep *ep, const void *buf, size_t len,
				      fi_addr_t dest_addr, uint64_t addr, uint64_t key)
{
	return ep->rma->inject(ep, buf, len, dest_addr, addr, key);
}

/*
 * Writes that the peer hears of: its completion queue reports FI_RMA | FI_REMOTE_WRITE with the
 * data, after the bytes are in place. With mode FI_RX_CQ_DATA that takes a posted receive.
 */
static inline ssize_t fi_writedata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				   uint64_t data, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
				   void *context)
{
	return ep->rma->writedata(ep, buf, len, desc, data, dest_addr, addr, key, context);
}

static inline ssize_t fi_inject_writedata(struct fid_ep *ep, const void *buf, size_t len,
					  uint64_t data, fi_addr_t dest_addr, uint64_t addr,
					  uint64_t key)
{
	return ep->rma->injectdata(ep, buf, len, data, dest_addr, addr, key);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_RMA_H */
