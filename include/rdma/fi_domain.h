/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Domains, and what is opened on them apart from endpoints: address vectors, registered memory,
 * completion queues and counters.
 */

#ifndef FI_DOMAIN_H
#define FI_DOMAIN_H

#include <string.h>
#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_av;
struct fid_av_set;
struct fid_mr;
struct fid_stx;
struct fi_av_attr;
struct fi_mr_attr;
struct fi_av_set_attr;
struct fi_atomic_attr;
struct fi_collective_attr;

/* ---- Types and operations of atomics and collectives ---- */

/* Values from here on are for collectives only. */
#define FI_COLLECTIVE_OFFSET	(1 << 8)

/* The elements of a buffer. Numbers are in the byte order of the host they are on. */
enum fi_datatype {
	FI_INT8,
	FI_UINT8,
	FI_INT16,
	FI_UINT16,
	FI_INT32,
	FI_UINT32,
	FI_INT64,
	FI_UINT64,
	FI_FLOAT,
	FI_DOUBLE,
	FI_FLOAT_COMPLEX,
	FI_DOUBLE_COMPLEX,
	FI_LONG_DOUBLE,
	FI_LONG_DOUBLE_COMPLEX,
	FI_INT128,
	FI_UINT128,
	FI_FLOAT16,	/* IEEE 754 binary16; this one and the next are newer than 1.17 */
	FI_BFLOAT16,	/* the upper half of a binary32 */
	FI_FLOAT8_E4M3,	/* 8 bits: 4 of exponent, 3 of mantissa */
	FI_FLOAT8_E5M2,	/* 8 bits: 5 of exponent, 2 of mantissa */

	/* Bytes without meaning; no operation but moving them. */
	FI_VOID = FI_COLLECTIVE_OFFSET,
};

/*
 * What is done to each element of the target, T, with that of the initiator, S. Fetching forms
 * return T as it was.
 */
enum fi_op {
	FI_MIN,			/* T = S if S < T */
	FI_MAX,			/* T = S if S > T */
	FI_SUM,			/* T = T + S */
	FI_PROD,		/* T = T * S */
	FI_LOR,			/* T = T || S */
	FI_LAND,		/* T = T && S */
	FI_BOR,			/* T = T | S */
	FI_BAND,		/* T = T & S */
	FI_LXOR,		/* T = !T != !S */
	FI_BXOR,		/* T = T ^ S */
	FI_ATOMIC_READ,		/* T stays; only as a fetching atomic */
	FI_ATOMIC_WRITE,	/* T = S */
	/* The rest are compare forms, with an operand C. */
	FI_CSWAP,		/* T = S if C == T */
	FI_CSWAP_NE,		/* T = S if C != T */
	FI_CSWAP_LE,		/* T = S if C <= T */
	FI_CSWAP_LT,		/* T = S if C < T */
	FI_CSWAP_GE,		/* T = S if C >= T */
	FI_CSWAP_GT,		/* T = S if C > T */
	FI_MSWAP,		/* T = (S & C) | (T & ~C): the bits in C are replaced */
	/* Not a compare form. */
	FI_DIFF,		/* T = T - S (after 1.17) */

	FI_NOOP = FI_COLLECTIVE_OFFSET,
};

/* The collectives themselves, for fi_query_collective(); see fi_collective.h. */
enum fi_collective_op {
	FI_BARRIER,
	FI_BROADCAST,
	FI_ALLTOALL,
	FI_ALLREDUCE,
	FI_ALLGATHER,
	FI_REDUCE_SCATTER,
	FI_REDUCE,
	FI_SCATTER,
	FI_GATHER,
};

/* ---- Domains ---- */

struct fi_ops_domain {
	size_t size;
	int (*av_open)(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
		       void *context);
	int (*cq_open)(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
		       void *context);
	int (*endpoint)(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
			void *context);
	int (*scalable_ep)(struct fid_domain *domain, struct fi_info *info, struct fid_ep **sep,
			   void *context);
	int (*cntr_open)(struct fid_domain *domain, struct fi_cntr_attr *attr,
			 struct fid_cntr **cntr, void *context);
	int (*poll_open)(struct fid_domain *domain, struct fi_poll_attr *attr,
			 struct fid_poll **pollset);
	int (*stx_ctx)(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
		       void *context);
	int (*srx_ctx)(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **rx_ep,
		       void *context);
	int (*query_atomic)(struct fid_domain *domain, enum fi_datatype datatype, enum fi_op op,
			    struct fi_atomic_attr *attr, uint64_t flags);
	int (*query_collective)(struct fid_domain *domain, enum fi_collective_op coll,
				struct fi_collective_attr *attr, uint64_t flags);
	int (*endpoint2)(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
			 uint64_t flags, void *context);
};

/* The first argument is the domain's fid. */
struct fi_ops_mr {
	size_t size;
	int (*reg)(struct fid *fid, const void *buf, size_t len, uint64_t access, uint64_t offset,
		   uint64_t requested_key, uint64_t flags, struct fid_mr **mr, void *context);
	int (*regv)(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
		    uint64_t offset, uint64_t requested_key, uint64_t flags, struct fid_mr **mr,
		    void *context);
	int (*regattr)(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
		       struct fid_mr **mr);
};

struct fid_domain {
	struct fid fid;
	struct fi_ops_domain *ops;
	struct fi_ops_mr *mr;
};

/* Opens the domain that info->domain_attr describes. info is only read during the call. */
static inline int fi_domain(struct fid_fabric *fabric, struct fi_info *info,
			    struct fid_domain **domain, void *context)
{
	return fabric->ops->domain(fabric, info, domain, context);
}

/* The same with flags: FI_PEER, see fi_peer.h. */
static inline int fi_domain2(struct fid_fabric *fabric, struct fi_info *info,
			     struct fid_domain **domain, uint64_t flags, void *context)
{
	if (!flags)
		return fi_domain(fabric, info, domain, context);
	if (!FI_CHECK_OP(fabric->ops, struct fi_ops_fabric, domain2))
		return -FI_ENOSYS;
	return fabric->ops->domain2(fabric, info, domain, flags, context);
}

/*
 * Binds an event queue, for what happens to objects of the domain that have none bound. With
 * flags FI_REG_MR, registration becomes asynchronous.
 */
static inline int fi_domain_bind(struct fid_domain *domain, struct fid *fid, uint64_t flags)
{
	return domain->fid.ops->bind(&domain->fid, fid, flags);
}

/* Deprecated, for fi_domain_bind(): registration reports to the event queue. */
#define FI_REG_MR		(1ULL << 59)

static inline int fi_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
			     struct fid_cq **cq, void *context)
{
	return domain->ops->cq_open(domain, attr, cq, context);
}

static inline int fi_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
			       struct fid_cntr **cntr, void *context)
{
	return domain->ops->cntr_open(domain, attr, cntr, context);
}

/* Deprecated, see the end of fi_eq.h. */
FI_DEPRECATED_FUNC static inline int fi_wait_open(struct fid_fabric *fabric,
						  struct fi_wait_attr *attr,
						  struct fid_wait **waitset)
{
	return fabric->ops->wait_open(fabric, attr, waitset);
}

FI_DEPRECATED_FUNC static inline int fi_poll_open(struct fid_domain *domain,
						  struct fi_poll_attr *attr,
						  struct fid_poll **pollset)
{
	return domain->ops->poll_open(domain, attr, pollset);
}

/* ---- Address vectors ---- */

/* Flags of fi_av_open(), besides FI_READ, FI_EVENT, FI_PEER and FI_AV_USER_ID. */
#define FI_SYMMETRIC		(1ULL << 59)	/* all hosts have the same ports, in a row */
/* Flag of the insert calls: context points to an int per address, for its FI_E* or 0. */
#define FI_SYNC_ERR		(1ULL << 58)

struct fi_av_attr {
	enum fi_av_type type;
	/* Upper bits of a fi_addr_t that name a receive context: fi_rx_addr(). Mostly 0. */
	int rx_ctx_bits;
	/* Addresses and endpoints per host that are expected. Hints; 0 is unknown. */
	size_t count;
	size_t ep_per_node;
	/* Name under which processes share it; NULL: it is private. */
	const char *name;
	/* With a name and FI_AV_MAP: processes that give the same have the same fi_addr_t. */
	void *map_addr;
	/*
	 * FI_READ: share one that exists, without inserting. FI_EVENT: insert asynchronously.
	 * FI_AV_USER_ID: ids come with the addresses. FI_SYMMETRIC.
	 */
	uint64_t flags;
};

struct fi_ops_av {
	size_t size;
	int (*insert)(struct fid_av *av, const void *addr, size_t count, fi_addr_t *fi_addr,
		      uint64_t flags, void *context);
	int (*insertsvc)(struct fid_av *av, const char *node, const char *service,
			 fi_addr_t *fi_addr, uint64_t flags, void *context);
	int (*insertsym)(struct fid_av *av, const char *node, size_t nodecnt, const char *service,
			 size_t svccnt, fi_addr_t *fi_addr, uint64_t flags, void *context);
	int (*remove)(struct fid_av *av, fi_addr_t *fi_addr, size_t count, uint64_t flags);
	int (*lookup)(struct fid_av *av, fi_addr_t fi_addr, void *addr, size_t *addrlen);
	const char *(*straddr)(struct fid_av *av, const void *addr, char *buf, size_t *len);
	int (*av_set)(struct fid_av *av, struct fi_av_set_attr *attr, struct fid_av_set **av_set,
		      void *context);
	int (*insert_auth_key)(struct fid_av *av, const void *auth_key, size_t auth_key_size,
			       fi_addr_t *fi_addr, uint64_t flags);
	int (*lookup_auth_key)(struct fid_av *av, fi_addr_t fi_addr, void *auth_key,
			       size_t *auth_key_size);
	int (*set_user_id)(struct fid_av *av, fi_addr_t fi_addr, fi_addr_t user_id,
			   uint64_t flags);
};

/* The peers that endpoints bound to it can name. */
struct fid_av {
	struct fid fid;
	struct fi_ops_av *ops;
};

static inline int fi_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
			     struct fid_av **av, void *context)
{
	return domain->ops->av_open(domain, attr, av, context);
}

/* Deprecated with asynchronous insertion: binds the event queue that it reports to. */
FI_DEPRECATED_FUNC static inline int fi_av_bind(struct fid_av *av, struct fid *fid, uint64_t flags)
{
	return av->fid.ops->bind(&av->fid, fid, flags);
}

/*
 * Inserts count addresses, laid end to end in the domain's addr_format (FI_ADDR_STR: an array of
 * char pointers). fi_addr gets what stands for each, FI_ADDR_NOTAVAIL where one failed; it may
 * be NULL with FI_AV_TABLE. Returns how many succeeded; with FI_EVENT 0, and the rest comes as
 * FI_AV_COMPLETE after an error event for each failure.
 *
 * flags: FI_MORE: more calls follow at once. FI_SYNC_ERR. FI_AV_USER_ID: in, fi_addr holds the
 * application's ids. FI_AUTH_KEY: in, fi_addr holds what stands for each peer's key.
 */
static inline int fi_av_insert(struct fid_av *av, const void *addr, size_t count,
			       fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	return av->ops->insert(av, addr, count, fi_addr, flags, context);
}

/* Inserts one address, by name or number of a host and port as for fi_getinfo(). */
static inline int fi_av_insertsvc(struct fid_av *av, const char *node, const char *service,
				  fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	return av->ops->insertsvc(av, node, service, fi_addr, flags, context);
}

/*
 * Inserts nodecnt * svccnt addresses: hosts counted up from node, and on each, before the next,
 * ports counted up from service. A name of a host is counted up by the number at its end.
 */
static inline int fi_av_insertsym(struct fid_av *av, const char *node, size_t nodecnt,
				  const char *service, size_t svccnt, fi_addr_t *fi_addr,
				  uint64_t flags, void *context)
{
	return av->ops->insertsym(av, node, nodecnt, service, svccnt, fi_addr, flags, context);
}

/* Forgets addresses. Nothing may be outstanding to them. flags: 0. */
static inline int fi_av_remove(struct fid_av *av, fi_addr_t *fi_addr, size_t count, uint64_t flags)
{
	return av->ops->remove(av, fi_addr, count, flags);
}

/*
 * The address behind a fi_addr_t. addrlen: in, the room at addr; out, the length of the address,
 * which was cut when that is more.
 */
static inline int fi_av_lookup(struct fid_av *av, fi_addr_t fi_addr, void *addr, size_t *addrlen)
{
	return av->ops->lookup(av, fi_addr, addr, addrlen);
}

/* An address as text, in buf. len works as addrlen above and counts the NUL. Returns buf. */
static inline const char *fi_av_straddr(struct fid_av *av, const void *addr, char *buf, size_t *len)
{
	return av->ops->straddr(av, addr, buf, len);
}

/* Gives a key a fi_addr_t, for domains with FI_AV_AUTH_KEY. After 1.17. */
static inline int fi_av_insert_auth_key(struct fid_av *av, const void *auth_key,
					size_t auth_key_size, fi_addr_t *fi_addr, uint64_t flags)
{
	if (!FI_CHECK_OP(av->ops, struct fi_ops_av, insert_auth_key))
		return -FI_ENOSYS;
	return av->ops->insert_auth_key(av, auth_key, auth_key_size, fi_addr, flags);
}

/* The key behind a fi_addr_t, or the one that a peer was inserted with. After 1.17. */
static inline int fi_av_lookup_auth_key(struct fid_av *av, fi_addr_t addr, void *auth_key,
					size_t *auth_key_size)
{
	if (!FI_CHECK_OP(av->ops, struct fi_ops_av, lookup_auth_key))
		return -FI_ENOSYS;
	return av->ops->lookup_auth_key(av, addr, auth_key, auth_key_size);
}

/*
 * Changes the id that completions report a peer by (FI_AV_USER_ID), or with FI_AUTH_KEY that of
 * all peers of a key. After 1.17.
 */
static inline int fi_av_set_user_id(struct fid_av *av, fi_addr_t fi_addr, fi_addr_t user_id,
				    uint64_t flags)
{
	if (!FI_CHECK_OP(av->ops, struct fi_ops_av, set_user_id))
		return -FI_ENOSYS;
	return av->ops->set_user_id(av, fi_addr, user_id, flags);
}

/* One receive context of a peer's scalable endpoint. rx_ctx_bits: those of the vector, not 0. */
static inline fi_addr_t fi_rx_addr(fi_addr_t fi_addr, int rx_index, int rx_ctx_bits)
{
	return (fi_addr_t) (((uint64_t) rx_index << (64 - rx_ctx_bits)) | fi_addr);
}

/* A peer as member of a group, up to domain_attr->max_group_id. For FI_AV_TABLE; after 1.17. */
static inline fi_addr_t fi_group_addr(fi_addr_t fi_addr, uint32_t group_id)
{
	return (fi_addr_t) (((uint64_t) group_id << 32) | fi_addr);
}

/* ---- Sets of addresses, for collectives (see fi_collective.h) ---- */

/* Flags of fi_av_set(). Without UNIVERSE, the set begins with the addresses of the attributes. */
#define FI_UNIVERSE		(1ULL << 57)	/* begin with all addresses of the vector */
/* What the set will be used for; none of these: anything. */
#define FI_BARRIER_SET		(1ULL << 40)
#define FI_BROADCAST_SET	(1ULL << 41)
#define FI_ALLTOALL_SET		(1ULL << 42)
#define FI_ALLREDUCE_SET	(1ULL << 43)
#define FI_ALLGATHER_SET	(1ULL << 44)
#define FI_REDUCE_SCATTER_SET	(1ULL << 45)
#define FI_REDUCE_SET		(1ULL << 46)
#define FI_SCATTER_SET		(1ULL << 47)
#define FI_GATHER_SET		(1ULL << 48)

struct fi_av_set_attr {
	/* Addresses expected. A hint. */
	size_t count;
	/*
	 * Every stride-th address from start to end, both included. FI_ADDR_NOTAVAIL in both:
	 * the set begins empty.
	 */
	fi_addr_t start_addr;
	fi_addr_t end_addr;
	uint64_t stride;
	/* A key of the network that the group is to use; size 0: it needs none. */
	size_t comm_key_size;
	uint8_t *comm_key;
	/* FI_UNIVERSE, FI_..._SET. */
	uint64_t flags;
};

/* ---- Registered memory ---- */

/* Whose memory it is, and so who can move it. */
enum fi_hmem_iface {
	FI_HMEM_SYSTEM,		/* plain memory of the host */
	FI_HMEM_CUDA,
	FI_HMEM_ROCR,
	FI_HMEM_ZE,
	FI_HMEM_NEURON,
	FI_HMEM_SYNAPSEAI,
};

/* Flags of registration, besides FI_RMA_EVENT and FI_RMA_PMEM. */
#define FI_MR_DMABUF		(1ULL << 40)	/* of regattr: memory is given as dmabuf (1.20) */
#define FI_MR_SINGLE_USE	(1ULL << 41)	/* good for one remote access (after 1.17) */
#define FI_HMEM_HOST_ALLOC	(1ULL << 45)	/* allocated by iface, but in memory of the host */
#define FI_HMEM_DEVICE_ONLY	(1ULL << 46)	/* the host cannot touch it */

struct fid_mr {
	struct fid fid;
	void *mem_desc;
	uint64_t key;
};

/* Memory that another driver exports: len bytes at offset in the dma-buf behind fd. */
struct fi_mr_dmabuf {
	int fd;
	uint64_t offset;
	size_t len;
	/* Where it is mapped, or would be: what FI_MR_VIRT_ADDR adds offsets to. */
	void *base_addr;
};

/* What auth_key points to where keys are kept in the address vector. After 1.17. */
struct fi_mr_auth_key {
	struct fid_av *av;
	/* From fi_av_insert_auth_key(): those who may use the region. */
	fi_addr_t src_addr;
};

/* What is registered, and how. Only read during the call; clear what is not used. */
struct fi_mr_attr {
	/* One dmabuf with the flag FI_MR_DMABUF, else iov_count ranges that make one region. */
	__extension__ union {
		const struct iovec *mr_iov;
		const struct fi_mr_dmabuf *dmabuf;
	};
	size_t iov_count;
	/*
	 * FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_COLLECTIVE: operations started here that may
	 * use it. FI_REMOTE_READ, FI_REMOTE_WRITE: what peers may do to it.
	 */
	uint64_t access;
	/* Must be 0. */
	uint64_t offset;
	/* The key that peers will use. Without meaning with FI_MR_PROV_KEY. */
	uint64_t requested_key;
	void *context;
	/* The key that peers must hold, or a struct fi_mr_auth_key; size 0: the domain's. */
	size_t auth_key_size;
	uint8_t *auth_key;
	/* The kind of memory, and of those the device. Read with FI_HMEM only. */
	enum fi_hmem_iface iface;
	union {
		uint64_t reserved;
		int cuda;
		int ze;		/* fi_hmem_ze_device() */
		int neuron;
		int synapseai;
		int rocr;
	} device;
	/* What iface needs beyond that; else NULL. Since 1.19. */
	void *hmem_data;
	/* Bytes of the pages behind it; 0: unknown. Since 1.22. */
	size_t page_size;
	/* A region that this one is a part of, else NULL. Since 2.0. */
	const struct fid_mr *base_mr;
	/* How many parts of it will be regions. A hint, since 2.0. */
	size_t sub_mr_cnt;
};

/* fi_mr_refresh(), as the provider gets it. */
struct fi_mr_modify {
	uint64_t flags;
	struct fi_mr_attr attr;
};

/* The device number of Level Zero: one of its drivers, and one of that driver's devices. */
static inline int fi_hmem_ze_device(int driver_index, int device_index)
{
	return (int) (((unsigned int) driver_index << 16) | (unsigned int) device_index);
}

/*
 * Registers len bytes. acs, offset and requested_key: as access and so on in fi_mr_attr.
 * -FI_ENOKEY: the key is taken. Where mr_mode has FI_MR_ENDPOINT or FI_MR_RMA_EVENT, the region
 * must then be bound and enabled.
 */
static inline int fi_mr_reg(struct fid_domain *domain, const void *buf, size_t len, uint64_t acs,
			    uint64_t offset, uint64_t requested_key, uint64_t flags,
			    struct fid_mr **mr, void *context)
{
	return domain->mr->reg(&domain->fid, buf, len, acs, offset, requested_key, flags, mr,
			       context);
}

/* The same for several ranges, which peers see as one. */
static inline int fi_mr_regv(struct fid_domain *domain, const struct iovec *iov, size_t count,
			     uint64_t acs, uint64_t offset, uint64_t requested_key, uint64_t flags,
			     struct fid_mr **mr, void *context)
{
	return domain->mr->regv(&domain->fid, iov, count, acs, offset, requested_key, flags, mr,
				context);
}

static inline int fi_mr_regattr(struct fid_domain *domain, const struct fi_mr_attr *attr,
				uint64_t flags, struct fid_mr **mr)
{
	return domain->mr->regattr(&domain->fid, attr, flags, mr);
}

/* What the desc arguments of operations here take for buffers in the region. */
static inline void *fi_mr_desc(struct fid_mr *mr)
{
	return mr->mem_desc;
}

/* What the key arguments of a peer's operations take, or FI_KEY_NOTAVAIL. */
static inline uint64_t fi_mr_key(struct fid_mr *mr)
{
	return mr->key;
}

/*
 * The key in the form that travels, for FI_MR_RAW. key_size: in, the room at raw_key; out, the
 * length of the key. -FI_ETOOSMALL when that is more.
 */
static inline int fi_mr_raw_attr(struct fid_mr *mr, uint64_t *base_addr, uint8_t *raw_key,
				 size_t *key_size, uint64_t flags)
{
	struct fi_mr_raw_attr attr;

	attr.flags = flags;
	attr.base_addr = base_addr;
	attr.raw_key = raw_key;
	attr.key_size = key_size;
	return mr->fid.ops->control(&mr->fid, FI_GET_RAW_MR, &attr);
}

/* Gives a peer's raw key a number that operations here take, until fi_mr_unmap_key(). */
static inline int fi_mr_map_raw(struct fid_domain *domain, uint64_t base_addr, uint8_t *raw_key,
				size_t key_size, uint64_t *key, uint64_t flags)
{
	struct fi_mr_map_raw map;

	map.flags = flags;
	map.base_addr = base_addr;
	map.raw_key = raw_key;
	map.key_size = key_size;
	map.key = key;
	return domain->fid.ops->control(&domain->fid, FI_MAP_RAW_MR, &map);
}

static inline int fi_mr_unmap_key(struct fid_domain *domain, uint64_t key)
{
	return domain->fid.ops->control(&domain->fid, FI_UNMAP_KEY, &key);
}

/*
 * Binds an endpoint, flags 0; or a counter, flags FI_REMOTE_WRITE: what peers write is counted
 * there (capability FI_RMA_EVENT).
 */
static inline int fi_mr_bind(struct fid_mr *mr, struct fid *bfid, uint64_t flags)
{
	return mr->fid.ops->bind(&mr->fid, bfid, flags);
}

/* Lets peers in, after everything has been bound. */
static inline int fi_mr_enable(struct fid_mr *mr)
{
	return mr->fid.ops->control(&mr->fid, FI_ENABLE, NULL);
}

/*
 * Tells that other pages may now be behind these parts of the region, all of it when count is
 * 0. Accesses in the meantime fail. Only for FI_MR_MMU_NOTIFY.
 */
static inline int fi_mr_refresh(struct fid_mr *mr, const struct iovec *iov, size_t count,
				uint64_t flags)
{
	struct fi_mr_modify modify;

	memset(&modify, 0, sizeof(modify));
	modify.flags = flags;
	modify.attr.mr_iov = iov;
	modify.attr.iov_count = count;
	return mr->fid.ops->control(&mr->fid, FI_REFRESH, &modify);
}

/* ---- Copies to and from device memory by the application's own functions ---- */

/* The name for fi_set_ops() on a domain, with a struct fi_hmem_override_ops. */
#define FI_SET_OPS_HMEM_OVERRIDE	"hmem_override_ops"

/* Both return the bytes copied, beginning hmem_iov_offset bytes into the ranges, or -FI_E*. */
struct fi_hmem_override_ops {
	size_t size;
	ssize_t (*copy_from_hmem_iov)(void *dest, size_t size, enum fi_hmem_iface iface,
				      uint64_t device, const struct iovec *hmem_iov,
				      size_t hmem_iov_count, uint64_t hmem_iov_offset);
	ssize_t (*copy_to_hmem_iov)(enum fi_hmem_iface iface, uint64_t device,
				    const struct iovec *hmem_iov, size_t hmem_iov_count,
				    uint64_t hmem_iov_offset, const void *src, size_t size);
};

#ifdef __cplusplus
}
#endif

#endif /* FI_DOMAIN_H */
