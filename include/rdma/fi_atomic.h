/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Atomic operations on memory of a peer. Each element is read and written as one step, as far as
 * atomics of the same provider go: what CPUs do to the same memory meanwhile is not part of that.
 *
 * Three forms: plain ones change the target, fetching ones also return what was there before,
 * comparing ones change an element only where a comparison with an operand holds. Counts are in
 * elements of datatype, addr and key are as in fi_rma.h, the other arguments as in fi_endpoint.h.
 */

#ifndef FI_ATOMIC_H
#define FI_ATOMIC_H

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An operation as the ...msg calls take it. Only read during the call. */
struct fi_msg_atomic {
	/* The operand, here. */
	const struct fi_ioc *msg_iov;
	void **desc;
	size_t iov_count;
	/* The peer. */
	fi_addr_t addr;
	/* The target, in its memory; the same number of elements as the operand. */
	const struct fi_rma_ioc *rma_iov;
	size_t rma_iov_count;
	enum fi_datatype datatype;
	enum fi_op op;
	void *context;
	/* Goes along with FI_REMOTE_CQ_DATA. */
	uint64_t data;
};

/* Where a fetching or comparing operation puts what was there. For fi_trigger.h. */
struct fi_msg_fetch {
	struct fi_ioc *msg_iov;
	void **desc;
	size_t iov_count;
};

/* What a comparing operation compares with. For fi_trigger.h. */
struct fi_msg_compare {
	const struct fi_ioc *msg_iov;
	void **desc;
	size_t iov_count;
};

struct fi_ops_atomic {
	size_t size;
	ssize_t (*write)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			 fi_addr_t dest_addr, uint64_t addr, uint64_t key,
			 enum fi_datatype datatype, enum fi_op op, void *context);
	ssize_t (*writev)(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
			  fi_addr_t dest_addr, uint64_t addr, uint64_t key,
			  enum fi_datatype datatype, enum fi_op op, void *context);
	ssize_t (*writemsg)(struct fid_ep *ep, const struct fi_msg_atomic *msg, uint64_t flags);
	ssize_t (*inject)(struct fid_ep *ep, const void *buf, size_t count, fi_addr_t dest_addr,
			  uint64_t addr, uint64_t key, enum fi_datatype datatype, enum fi_op op);
	ssize_t (*readwrite)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			     void *result, void *result_desc, fi_addr_t dest_addr, uint64_t addr,
			     uint64_t key, enum fi_datatype datatype, enum fi_op op,
			     void *context);
	ssize_t (*readwritev)(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
			      size_t count, struct fi_ioc *resultv, void **result_desc,
			      size_t result_count, fi_addr_t dest_addr, uint64_t addr,
			      uint64_t key, enum fi_datatype datatype, enum fi_op op,
			      void *context);
	ssize_t (*readwritemsg)(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				struct fi_ioc *resultv, void **result_desc, size_t result_count,
				uint64_t flags);
	ssize_t (*compwrite)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			     const void *compare, void *compare_desc, void *result,
			     void *result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
			     enum fi_datatype datatype, enum fi_op op, void *context);
	ssize_t (*compwritev)(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
			      size_t count, const struct fi_ioc *comparev, void **compare_desc,
			      size_t compare_count, struct fi_ioc *resultv, void **result_desc,
			      size_t result_count, fi_addr_t dest_addr, uint64_t addr,
			      uint64_t key, enum fi_datatype datatype, enum fi_op op,
			      void *context);
	ssize_t (*compwritemsg)(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				const struct fi_ioc *comparev, void **compare_desc,
				size_t compare_count, struct fi_ioc *resultv, void **result_desc,
				size_t result_count, uint64_t flags);
	int (*writevalid)(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
			  size_t *count);
	int (*readwritevalid)(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
			      size_t *count);
	int (*compwritevalid)(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
			      size_t *count);
};

/* ---- Plain: FI_MIN to FI_BXOR, FI_ATOMIC_WRITE, FI_DIFF ---- */

static inline ssize_t fi_atomic(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				fi_addr_t dest_addr, uint64_t addr, uint64_t key,
				enum fi_datatype datatype, enum fi_op op, void *context)
{
	return ep->atomic->write(ep, buf, count, desc, dest_addr, addr, key, datatype, op, context);
}

static inline ssize_t fi_atomicv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				 size_t count, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
				 enum fi_datatype datatype, enum fi_op op, void *context)
{
	return ep->atomic->writev(ep, iov, desc, count, dest_addr, addr, key, datatype, op,
				  context);
}

/* flags: as fi_writemsg(). */
static inline ssize_t fi_atomicmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				   uint64_t flags)
{
	return ep->atomic->writemsg(ep, msg, flags);
}

/* Up to tx_attr->inject_size bytes; buf is free on return and no completion is reported. */
static inline ssize_t fi_inject_atomic(struct fid_ep *ep, const void *buf, size_t count,
				       fi_addr_t dest_addr, uint64_t addr, uint64_t key,
				       enum fi_datatype datatype, enum fi_op op)
{
	return ep->atomic->inject(ep, buf, count, dest_addr, addr, key, datatype, op);
}

/* ---- Fetching: the same, and FI_ATOMIC_READ, which needs no buf ---- */

/* result is written by the time of the completion. */
static inline ssize_t fi_fetch_atomic(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				      void *result, void *result_desc, fi_addr_t dest_addr,
				      uint64_t addr, uint64_t key, enum fi_datatype datatype,
				      enum fi_op op, void *context)
{
	return ep->atomic->readwrite(ep, buf, count, desc, result, result_desc, dest_addr, addr,
				     key, datatype, op, context);
}

static inline ssize_t fi_fetch_atomicv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				       size_t count, struct fi_ioc *resultv, void **result_desc,
				       size_t result_count, fi_addr_t dest_addr, uint64_t addr,
				       uint64_t key, enum fi_datatype datatype, enum fi_op op,
				       void *context)
{
	return ep->atomic->readwritev(ep, iov, desc, count, resultv, result_desc, result_count,
				      dest_addr, addr, key, datatype, op, context);
}

/* flags: as fi_readmsg(). */
static inline ssize_t fi_fetch_atomicmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
					 struct fi_ioc *resultv, void **result_desc,
					 size_t result_count, uint64_t flags)
{
	return ep->atomic->readwritemsg(ep, msg, resultv, result_desc, result_count, flags);
}

/* ---- Comparing: FI_CSWAP to FI_MSWAP ---- */

static inline ssize_t fi_compare_atomic(struct fid_ep *ep, const void *buf, size_t count,
					void *desc, const void *compare, void *compare_desc,
					void *result, void *result_desc, fi_addr_t dest_addr,
					uint64_t addr, uint64_t key, enum fi_datatype datatype,
					enum fi_op op, void *context)
{
	return ep->atomic->compwrite(ep, buf, count, desc, compare, compare_desc, result,
				     result_desc, dest_addr, addr, key, datatype, op, context);
}

static inline ssize_t fi_compare_atomicv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
					 size_t count, const struct fi_ioc *comparev,
					 void **compare_desc, size_t compare_count,
					 struct fi_ioc *resultv, void **result_desc,
					 size_t result_count, fi_addr_t dest_addr, uint64_t addr,
					 uint64_t key, enum fi_datatype datatype, enum fi_op op,
					 void *context)
{
	return ep->atomic->compwritev(ep, iov, desc, count, comparev, compare_desc, compare_count,
				      resultv, result_desc, result_count, dest_addr, addr, key,
				      datatype, op, context);
}

/* flags: as fi_readmsg(). */
static inline ssize_t fi_compare_atomicmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
					   const struct fi_ioc *comparev, void **compare_desc,
					   size_t compare_count, struct fi_ioc *resultv,
					   void **result_desc, size_t result_count, uint64_t flags)
{
	return ep->atomic->compwritemsg(ep, msg, comparev, compare_desc, compare_count, resultv,
					result_desc, result_count, flags);
}

/* ---- What is supported ---- */

/*
 * Whether an endpoint has an operation on a type, in each of the three forms, and how many
 * elements one operation may have. -FI_EOPNOTSUPP: it has not.
 */
static inline int fi_atomicvalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
				 size_t *count)
{
	return ep->atomic->writevalid(ep, datatype, op, count);
}

static inline int fi_fetch_atomicvalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
				       size_t *count)
{
	return ep->atomic->readwritevalid(ep, datatype, op, count);
}

static inline int fi_compare_atomicvalid(struct fid_ep *ep, enum fi_datatype datatype,
					 enum fi_op op, size_t *count)
{
	return ep->atomic->compwritevalid(ep, datatype, op, count);
}

struct fi_atomic_attr {
	/* Elements that one operation may have. */
	size_t count;
	/* Bytes of an element. */
	size_t size;
};

/* Which form fi_query_atomic() asks about; without either, the plain one. */
#define FI_FETCH_ATOMIC		(1ULL << 58)
#define FI_COMPARE_ATOMIC	(1ULL << 59)

/* The same of a domain, before there is an endpoint. */
static inline int fi_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
				  enum fi_op op, struct fi_atomic_attr *attr, uint64_t flags)
{
	if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, query_atomic))
		return -FI_ENOSYS;
	return domain->ops->query_atomic(domain, datatype, op, attr, flags);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_ATOMIC_H */
