/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Collective operations: every member of a group calls the same one, and gets a completion when
 * its part is done. A group is made in three steps: a set of addresses (fi_av_set), on which all
 * members agree; joining (fi_join_collective), which ends with FI_JOIN_COMPLETE; and its
 * fi_mc_addr(), the coll_addr of the operations. Members call operations in the same order.
 *
 * count is in elements of datatype. The rank of a member is its place in the set.
 * The other arguments are as in fi_endpoint.h.
 */

#ifndef FI_COLLECTIVE_H
#define FI_COLLECTIVE_H

#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sets of addresses ---- */

struct fi_ops_av_set {
	size_t size;
	int (*set_union)(struct fid_av_set *dst, const struct fid_av_set *src);
	int (*intersect)(struct fid_av_set *dst, const struct fid_av_set *src);
	int (*diff)(struct fid_av_set *dst, const struct fid_av_set *src);
	int (*insert)(struct fid_av_set *set, fi_addr_t addr);
	int (*remove)(struct fid_av_set *set, fi_addr_t addr);
	int (*addr)(struct fid_av_set *set, fi_addr_t *coll_addr);
};

/* Some addresses of an address vector, in an order. */
struct fid_av_set {
	struct fid fid;
	struct fi_ops_av_set *ops;
};

/* Makes a set; fi_domain.h has its attributes. */
static inline int fi_av_set(struct fid_av *av, struct fi_av_set_attr *attr,
			    struct fid_av_set **set, void *context)
{
	if (!FI_CHECK_OP(av->ops, struct fi_ops_av, av_set))
		return -FI_ENOSYS;
	return av->ops->av_set(av, attr, set, context);
}

/* dst gets the addresses of src that it lacks. */
static inline int fi_av_set_union(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return dst->ops->set_union(dst, src);
}

/* dst keeps only addresses that are in src, too. */
static inline int fi_av_set_intersect(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return dst->ops->intersect(dst, src);
}

/* dst keeps only addresses that are not in src. */
static inline int fi_av_set_diff(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return dst->ops->diff(dst, src);
}

/* Adds an address at the end. */
static inline int fi_av_set_insert(struct fid_av_set *set, fi_addr_t addr)
{
	return set->ops->insert(set, addr);
}

static inline int fi_av_set_remove(struct fid_av_set *set, fi_addr_t addr)
{
	return set->ops->remove(set, addr);
}

/* The coll_addr to join the set with, where the provider manages groups. */
static inline int fi_av_set_addr(struct fid_av_set *set, fi_addr_t *coll_addr)
{
	return set->ops->addr(set, coll_addr);
}

/* ---- Joining ---- */

/* What addr of fi_join() points to with FI_COLLECTIVE. */
struct fi_collective_addr {
	const struct fid_av_set *set;
	fi_addr_t coll_addr;
};

/*
 * Joins the group of a set. coll_addr: from fi_av_set_addr(), or a group that has been joined
 * and that this set is a part of; FI_ADDR_NOTAVAIL where the application manages groups. flags:
 * as fi_join().
 */
static inline int fi_join_collective(struct fid_ep *ep, fi_addr_t coll_addr,
				     const struct fid_av_set *set, uint64_t flags,
				     struct fid_mc **mc, void *context)
{
	struct fi_collective_addr addr;

	addr.set = set;
	addr.coll_addr = coll_addr;
	return fi_join(ep, &addr, flags | FI_COLLECTIVE, mc, context);
}

/* ---- Operations ---- */

/* Any of them, as the table's msg takes it. */
struct fi_msg_collective {
	const struct fi_ioc *msg_iov;
	void **desc;
	size_t iov_count;
	fi_addr_t coll_addr;
	fi_addr_t root_addr;
	enum fi_collective_op coll;
	enum fi_datatype datatype;
	enum fi_op op;
	void *context;
};

struct fi_ops_collective {
	size_t size;
	ssize_t (*barrier)(struct fid_ep *ep, fi_addr_t coll_addr, void *context);
	ssize_t (*broadcast)(struct fid_ep *ep, void *buf, size_t count, void *desc,
			     fi_addr_t coll_addr, fi_addr_t root_addr, enum fi_datatype datatype,
			     uint64_t flags, void *context);
	ssize_t (*alltoall)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			    void *result, void *result_desc, fi_addr_t coll_addr,
			    enum fi_datatype datatype, uint64_t flags, void *context);
	ssize_t (*allreduce)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			     void *result, void *result_desc, fi_addr_t coll_addr,
			     enum fi_datatype datatype, enum fi_op op, uint64_t flags,
			     void *context);
	ssize_t (*allgather)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			     void *result, void *result_desc, fi_addr_t coll_addr,
			     enum fi_datatype datatype, uint64_t flags, void *context);
	ssize_t (*reduce_scatter)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				  void *result, void *result_desc, fi_addr_t coll_addr,
				  enum fi_datatype datatype, enum fi_op op, uint64_t flags,
				  void *context);
	ssize_t (*reduce)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			  void *result, void *result_desc, fi_addr_t coll_addr,
			  fi_addr_t root_addr, enum fi_datatype datatype, enum fi_op op,
			  uint64_t flags, void *context);
	ssize_t (*scatter)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			   void *result, void *result_desc, fi_addr_t coll_addr,
			   fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
			   void *context);
	ssize_t (*gather)(struct fid_ep *ep, const void *buf, size_t count, void *desc,
			  void *result, void *result_desc, fi_addr_t coll_addr,
			  fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
			  void *context);
	ssize_t (*msg)(struct fid_ep *ep, const struct fi_msg_collective *msg,
		       struct fi_ioc *resultv, void **result_desc, size_t result_count,
		       uint64_t flags);
	ssize_t (*barrier2)(struct fid_ep *ep, fi_addr_t coll_addr, uint64_t flags,
			    void *context);
};

/* Completes when all members have called it. */
static inline ssize_t fi_barrier(struct fid_ep *ep, fi_addr_t coll_addr, void *context)
{
	return ep->collective->barrier(ep, coll_addr, context);
}

/* The same with flags. */
static inline ssize_t fi_barrier2(struct fid_ep *ep, fi_addr_t coll_addr, uint64_t flags,
				  void *context)
{
	if (!flags)
		return fi_barrier(ep, coll_addr, context);
	if (!FI_CHECK_OP(ep->collective, struct fi_ops_collective, barrier2))
		return -FI_ENOSYS;
	return ep->collective->barrier2(ep, coll_addr, flags, context);
}

/* What the root has in buf, all others get in theirs. */
static inline ssize_t fi_broadcast(struct fid_ep *ep, void *buf, size_t count, void *desc,
				   fi_addr_t coll_addr, fi_addr_t root_addr,
				   enum fi_datatype datatype, uint64_t flags, void *context)
{
	return ep->collective->broadcast(ep, buf, count, desc, coll_addr, root_addr, datatype,
					 flags, context);
}

/* Block j of member i's buf becomes block i of member j's result. */
static inline ssize_t fi_alltoall(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				  void *result, void *result_desc, fi_addr_t coll_addr,
				  enum fi_datatype datatype, uint64_t flags, void *context)
{
	return ep->collective->alltoall(ep, buf, count, desc, result, result_desc, coll_addr,
					datatype, flags, context);
}

/* Every result is op over all bufs, element by element. */
static inline ssize_t fi_allreduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				   void *result, void *result_desc, fi_addr_t coll_addr,
				   enum fi_datatype datatype, enum fi_op op, uint64_t flags,
				   void *context)
{
	return ep->collective->allreduce(ep, buf, count, desc, result, result_desc, coll_addr,
					 datatype, op, flags, context);
}

/* Every result is all bufs, one after the other by rank. */
static inline ssize_t fi_allgather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				   void *result, void *result_desc, fi_addr_t coll_addr,
				   enum fi_datatype datatype, uint64_t flags, void *context)
{
	return ep->collective->allgather(ep, buf, count, desc, result, result_desc, coll_addr,
					 datatype, flags, context);
}

/* op over all bufs; each member gets the block of its rank. */
static inline ssize_t fi_reduce_scatter(struct fid_ep *ep, const void *buf, size_t count,
					void *desc, void *result, void *result_desc,
					fi_addr_t coll_addr, enum fi_datatype datatype,
					enum fi_op op, uint64_t flags, void *context)
{
	return ep->collective->reduce_scatter(ep, buf, count, desc, result, result_desc, coll_addr,
					      datatype, op, flags, context);
}

/* op over all bufs; the root gets it. result is not used elsewhere. */
static inline ssize_t fi_reduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				void *result, void *result_desc, fi_addr_t coll_addr,
				fi_addr_t root_addr, enum fi_datatype datatype, enum fi_op op,
				uint64_t flags, void *context)
{
	return ep->collective->reduce(ep, buf, count, desc, result, result_desc, coll_addr,
				      root_addr, datatype, op, flags, context);
}

/* The root's buf is dealt out in blocks, by rank. buf is not used elsewhere. */
static inline ssize_t fi_scatter(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				 void *result, void *result_desc, fi_addr_t coll_addr,
				 fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
				 void *context)
{
	return ep->collective->scatter(ep, buf, count, desc, result, result_desc, coll_addr,
				       root_addr, datatype, flags, context);
}

/* All bufs, one after the other by rank, become the root's result. */
static inline ssize_t fi_gather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				void *result, void *result_desc, fi_addr_t coll_addr,
				fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
				void *context)
{
	return ep->collective->gather(ep, buf, count, desc, result, result_desc, coll_addr,
				      root_addr, datatype, flags, context);
}

/* ---- What is supported ---- */

struct fi_collective_attr {
	/* In: what is asked about. */
	enum fi_op op;
	enum fi_datatype datatype;
	/* Out: elements of one operation, and their size. */
	struct fi_atomic_attr datatype_attr;
	/* Out: members of a group, at most. */
	size_t max_members;
	/* Out: what it demands, as fi_info->mode. */
	uint64_t mode;
};

/* -FI_EOPNOTSUPP: the domain does not have this operation. */
static inline int fi_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
				      struct fi_collective_attr *attr, uint64_t flags)
{
	if (!FI_CHECK_OP(domain->ops, struct fi_ops_domain, query_collective))
		return -FI_ENOSYS;
	return domain->ops->query_collective(domain, coll, attr, flags);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_COLLECTIVE_H */
