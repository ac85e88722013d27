/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The root of the fabric interfaces: finding a way to communicate (fi_getinfo), the attributes
 * that application and provider negotiate, capability, mode and operation flags, and what all
 * objects have in common. The other headers each add one kind of object or transfer.
 *
 * Conventions of all headers:
 *  - Calls return 0 (or a count) on success and a negated FI_E* number on failure.
 *  - Most calls are inline and jump through a table of functions of the object they are given.
 *    Where a table may be shorter than this header describes it, the call looks first and
 *    returns -FI_ENOSYS.
 *  - Sizes and lengths are bytes unless a comment says otherwise.
 *  - An object's context pointer belongs to the application; the provider only hands it back.
 */

#ifndef FABRIC_H
#define FABRIC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <rdma/fi_errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Compiler attributes ---- */

#if defined(__GNUC__) || defined(__clang__)
#define EXTERNALLY_VISIBLE			__attribute__((visibility("default")))
#define FI_DEPRECATED_FUNC			__attribute__((deprecated))
#define FI_DEPRECATED_FIELD			__attribute__((deprecated))
#define FI_FORMAT_PRINTF(string, first) \
	__attribute__((__format__(__printf__, (string), (first))))
#else
#define EXTERNALLY_VISIBLE
#define FI_DEPRECATED_FUNC
#define FI_DEPRECATED_FIELD
#define FI_FORMAT_PRINTF(string, first)
#endif

/* ---- Versions ---- */

/* The version of the API that these headers describe. */
#define FI_MAJOR_VERSION	2
#define FI_MINOR_VERSION	6
#define FI_REVISION_VERSION	0

/*
 * A version is one number, major above minor, that compares as versions do. An application
 * passes the version it was written for to fi_getinfo(), and the library keeps to that version's
 * rules. These macros also work in preprocessor conditions.
 */
#define FI_VERSION(major, minor)	(((major) << 16) | (minor))
#define FI_MAJOR(version)		((version) >> 16)
#define FI_MINOR(version)		((version) & 0xffff)
#define FI_VERSION_GE(v1, v2)		((v1) >= (v2))
#define FI_VERSION_LT(v1, v2)		((v1) < (v2))

/* The version of the library that is running, which may be newer than this header. */
uint32_t fi_version(void);

/*
 * Whether a table of functions has a member and the provider has set it. Tables only ever grow
 * at their end, and each begins with the number of bytes that its provider knew.
 */
#define FI_CHECK_OP(ops, opstype, op) \
	((ops) && ((ops)->size > offsetof(opstype, op)) && (ops)->op)

struct fid;
struct fid_fabric;
struct fid_domain;
struct fid_ep;
struct fid_pep;
struct fid_eq;
struct fid_wait;
struct fid_nic;
struct fi_eq_attr;
struct fi_wait_attr;
struct fi_info;

typedef struct fid *fid_t;

/* ---- Addresses and keys ---- */

/*
 * A peer, in the terms of an address vector: an index or a handle that the vector gave out. It
 * means something only together with that vector.
 */
typedef uint64_t fi_addr_t;

/* As a source of receives: anyone. On connected endpoints: the one peer there is. */
#define FI_ADDR_UNSPEC		((uint64_t) -1)
/* As a result: the address is not known or could not be inserted. */
#define FI_ADDR_NOTAVAIL	((uint64_t) -1)
/* fi_mr_key() of a region whose key does not fit 64 bits; see fi_mr_raw_attr(). */
#define FI_KEY_NOTAVAIL		((uint64_t) -1)
/* For ep_attr->tx_ctx_cnt and rx_ctx_cnt: the endpoint shares its context with others. */
#define FI_SHARED_CONTEXT	((size_t) -1)
/* For domain_attr->auth_key_size: authorization keys are kept in the address vector. */
#define FI_AV_AUTH_KEY		((uint64_t) -1)

/* Room that names of endpoints need at most, where an interface has a fixed array for them. */
enum {
	FI_NAME_MAX = 64,
	/* How many operations and types there were at first. Newer ones have larger numbers. */
	FI_ATOMIC_OP_LAST = 19,
	FI_DATATYPE_LAST = 14,
};

/* How the addresses in fi_info are written (fi_info->addr_format). */
enum {
	FI_FORMAT_UNSPEC,	/* hints: any. Results: only the provider can read them */
	FI_SOCKADDR,		/* struct sockaddr of whatever family sa_family says */
	FI_SOCKADDR_IN,		/* struct sockaddr_in */
	FI_SOCKADDR_IN6,	/* struct sockaddr_in6 */
	FI_SOCKADDR_IB,		/* struct sockaddr_ib */
	FI_ADDR_PSMX,
	FI_ADDR_GNI,
	FI_ADDR_BGQ,
	FI_ADDR_MLX,
	FI_ADDR_STR,		/* text, e.g. "fi_sockaddr_in://10.0.0.1:7000", with its NUL */
	FI_ADDR_PSMX2,
	FI_ADDR_IB_UD,
	FI_ADDR_EFA,
	FI_ADDR_PSMX3,
	FI_ADDR_OPX,
	FI_ADDR_CXI,
	FI_ADDR_UCX,
	FI_SOCKADDR_IP,		/* sockaddr_in or sockaddr_in6, as sa_family says (after 1.17) */
};

/* ---- Capabilities (fi_info->caps, and caps of the attributes) ---- */

/*
 * All 64-bit flag words (capabilities, flags of operations, of completions, of calls) share one
 * numbering as far as that goes, so that a flag means the same wherever it may stand. Bits 57 to
 * 59 were used up and mean different things to different calls.
 *
 * As hints, caps say what the application needs; 0 leaves it to the provider. As a result, they
 * are what was asked for plus what comes at no cost. A kind of transfer without any direction
 * stands for all its directions.
 */

/* Kinds of transfer. */
#define FI_MSG			(1ULL << 1)	/* messages, received in the order of posting */
#define FI_RMA			(1ULL << 2)	/* reads and writes of a peer's memory */
#define FI_TAGGED		(1ULL << 3)	/* messages, received by tag */
#define FI_ATOMIC		(1ULL << 4)	/* atomic operations on a peer's memory */
#define FI_ATOMICS		FI_ATOMIC	/* its older name */
#define FI_MULTICAST		(1ULL << 5)	/* messages to groups */
#define FI_COLLECTIVE		(1ULL << 6)	/* collective operations */

/* Directions. The first pair starts RMA and atomics, the REMOTE pair is their target. */
#define FI_READ			(1ULL << 8)
#define FI_WRITE		(1ULL << 9)
#define FI_REMOTE_READ		(1ULL << 12)
#define FI_REMOTE_WRITE		(1ULL << 13)
#define FI_RECV			(1ULL << 10)	/* receives (tagged) messages */
#define FI_SEND			(1ULL << 11)	/* sends (tagged) messages */
#define FI_TRANSMIT		FI_SEND		/* in flags: the sending side of anything */

/* Receiving. */
#define FI_MULTI_RECV		(1ULL << 16)	/* one posted buffer may take many messages */
#define FI_TAGGED_MULTI_RECV	(1ULL << 46)	/* the same for tagged receives (after 1.17) */
#define FI_DIRECTED_RECV	(1ULL << 59)	/* receives may name the source they accept */
#define FI_TAGGED_DIRECTED_RECV	(1ULL << 45)	/* tagged receives only may (after 1.17) */
#define FI_EXACT_DIRECTED_RECV	(1ULL << 48)	/* ... always do, no FI_ADDR_UNSPEC (after 1.17) */
#define FI_SOURCE		(1ULL << 57)	/* completions of receives tell the source */
#define FI_SOURCE_ERR		(1ULL << 50)	/* unknown senders tell their address */
#define FI_NAMED_RX_CTX		(1ULL << 58)	/* senders choose a receive context: fi_rx_addr() */

/* Where peers are. Both, when neither is asked for and the provider can. */
#define FI_LOCAL_COMM		(1ULL << 51)	/* on this host */
#define FI_REMOTE_COMM		(1ULL << 52)	/* on other hosts */

/* What else operations may ask for. */
#define FI_TRIGGER		(1ULL << 20)	/* start when a counter is there: fi_trigger.h */
#define FI_FENCE		(1ULL << 21)	/* this and later ones wait for earlier ones */
#define FI_HMEM			(1ULL << 47)	/* buffers may be memory of a GPU or the like */
#define FI_RMA_PMEM		(1ULL << 49)	/* targets may be persistent memory */
#define FI_RMA_EVENT		(1ULL << 56)	/* targets of RMA and atomics may count them */

/* Objects. */
#define FI_SHARED_AV		(1ULL << 53)	/* processes may share an address vector */
#define FI_AV_USER_ID		(1ULL << 41)	/* peers are reported by ids of the application's */
#define FI_PEER			(1ULL << 43)	/* objects may be shared by providers: fi_peer.h */

/* ---- Modes (fi_info->mode) ---- */

/*
 * What a provider demands of its applications. As hints: the demands an application can live
 * with. As a result: those it has to meet.
 */

/* op_context of every operation is a struct fi_context that stays until the completion. */
#define FI_CONTEXT		(1ULL << 59)
/* The same with struct fi_context2. */
#define FI_CONTEXT2		(1ULL << 52)
/* Message buffers begin with ep_attr->msg_prefix_size bytes that the provider may use. */
#define FI_MSG_PREFIX		(1ULL << 58)
/* Arrays of iovecs stay untouched until the completion, not only until the call returns. */
#define FI_ASYNC_IOV		(1ULL << 57)
/* Immediate data of a remote write uses up a posted receive. */
#define FI_RX_CQ_DATA		(1ULL << 56)
/* Deprecated since 1.5: domain_attr->mr_mode has FI_MR_LOCAL. */
#define FI_LOCAL_MR		(1ULL << 55)

/* ---- Flags of operations, bindings and completions ---- */

/* Of an operation or of all of an endpoint's (op_flags of tx_attr and rx_attr). */
#define FI_REMOTE_CQ_DATA	(1ULL << 17)	/* immediate data goes (or came) with it */
#define FI_MORE			(1ULL << 18)	/* more follows at once: no hurry with this */
#define FI_COMPLETION		(1ULL << 24)	/* report success, see FI_SELECTIVE_COMPLETION */
#define FI_INJECT		(1ULL << 25)	/* the buffer is free when the call returns */

/*
 * When an operation counts as complete, weakest first. Without one of these the provider's
 * default holds (op_flags of tx_attr tells it). What returns data to its initiator, as reads
 * and fetching atomics do, is always complete only when the data is there.
 */
#define FI_INJECT_COMPLETE	(1ULL << 26)	/* its buffer may be used again */
#define FI_TRANSMIT_COMPLETE	(1ULL << 27)	/* reliable: the peer has it; else: it is sent */
#define FI_DELIVERY_COMPLETE	(1ULL << 28)	/* the peer has processed it: the result is there */
#define FI_MATCH_COMPLETE	(1ULL << 31)	/* the peer's application has a buffer for it */
#define FI_COMMIT_COMPLETE	(1ULL << 30)	/* the result is there even after loss of power */

/* Of fi_trecvmsg() and fi_recvmsg(): look at messages that no receive has taken yet. */
#define FI_PEEK			(1ULL << 19)	/* report one that matches, take nothing */
#define FI_CLAIM		(1ULL << 59)	/* with PEEK: set it aside; alone: receive it */
#define FI_DISCARD		(1ULL << 58)	/* with PEEK or CLAIM: drop it */

/* Of fi_ep_bind() with a queue: success is reported only where FI_COMPLETION asks for it. */
#define FI_SELECTIVE_COMPLETION	(1ULL << 59)

/* Of calls that would wait: return at once and report the outcome to the event queue. */
#define FI_EVENT		FI_COMPLETION
/* Of opening a queue: signaling_vector is set. */
#define FI_AFFINITY		(1ULL << 29)
/* Of fi_av_insert(): the peer cannot be connected to, it will connect (after 1.17). */
#define FI_FIREWALL_ADDR	(1ULL << 42)
/* Of fi_av_insert() and fi_av_set_user_id(): the address stands for a key (after 1.17). */
#define FI_AUTH_KEY		(1ULL << 57)
/* Of transfers that a provider hands to its peer, and the mode of needing them: fi_peer.h. */
#define FI_PEER_TRANSFER	(1ULL << 36)

/* Flags of fi_getinfo(), which also takes FI_SOURCE: node and service name this side. */
#define FI_RESCAN		(1ULL << 35)	/* look for interfaces anew (after 1.17) */
#define FI_PROV_ATTR_ONLY	(1ULL << 54)	/* one entry per provider: its name and version */
#define FI_NUMERICHOST		(1ULL << 55)	/* node is an address: ask no name server */

/* Taken back in 2.0. Zero, so that sources which name them still compile and ask for nothing. */
#define FI_VARIABLE_MSG		0ULL
#define FI_NOTIFY_FLAGS_ONLY	0ULL
#define FI_RESTRICTED_COMP	0ULL
#define FI_EP_SOCK_STREAM	0

/* ---- Ordering (msg_order and comp_order of tx_attr and rx_attr) ---- */

/*
 * FI_ORDER_xAy: an operation x that was posted After an operation y to the same peer is carried
 * out after it, too. R reads, W writes (both RMA and atomics), S sends of either kind. Without
 * any bit the target may see operations in any order.
 */
#define FI_ORDER_RAR		(1ULL << 0)
#define FI_ORDER_RAW		(1ULL << 1)
#define FI_ORDER_RAS		(1ULL << 2)
#define FI_ORDER_WAR		(1ULL << 3)
#define FI_ORDER_WAW		(1ULL << 4)
#define FI_ORDER_WAS		(1ULL << 5)
#define FI_ORDER_SAR		(1ULL << 6)
#define FI_ORDER_SAW		(1ULL << 7)
#define FI_ORDER_SAS		(1ULL << 8)

/* The same for RMA among RMA only, and for atomics among atomics only. */
#define FI_ORDER_RMA_RAR	(1ULL << 32)
#define FI_ORDER_RMA_RAW	(1ULL << 33)
#define FI_ORDER_RMA_WAR	(1ULL << 34)
#define FI_ORDER_RMA_WAW	(1ULL << 35)
#define FI_ORDER_ATOMIC_RAR	(1ULL << 36)
#define FI_ORDER_ATOMIC_RAW	(1ULL << 37)
#define FI_ORDER_ATOMIC_WAR	(1ULL << 38)
#define FI_ORDER_ATOMIC_WAW	(1ULL << 39)

/* Deprecated: write 0, the bits that are meant, and the max_order sizes of ep_attr. */
#define FI_ORDER_NONE		0ULL
#define FI_ORDER_STRICT		0x1ff
#define FI_ORDER_DATA		(1ULL << 16)

/* ---- Memory registration (domain_attr->mr_mode) ---- */

/*
 * What a provider needs of registration. As hints: what the application can provide; 0 asks for
 * none of it. As a result: what it has to. All are independent of each other.
 */
#define FI_MR_LOCAL		(1 << 2)	/* local buffers are registered, desc is given */
#define FI_MR_RAW		(1 << 3)	/* keys exceed 64 bits: fi_mr_raw_attr() */
#define FI_MR_VIRT_ADDR		(1 << 4)	/* peers use addresses of regions, else offsets */
#define FI_MR_ALLOCATED		(1 << 5)	/* registered memory is backed by pages */
#define FI_MR_PROV_KEY		(1 << 6)	/* the provider chooses the keys */
#define FI_MR_MMU_NOTIFY	(1 << 7)	/* changed mappings are told: fi_mr_refresh() */
#define FI_MR_RMA_EVENT		(1 << 8)	/* regions to be counted are bound, then enabled */
#define FI_MR_ENDPOINT		(1 << 9)	/* regions are bound to an endpoint, then enabled */
#define FI_MR_HMEM		(1 << 10)	/* FI_MR_LOCAL for device memory only */
#define FI_MR_COLLECTIVE	(1 << 11)	/* FI_MR_LOCAL for collectives only */

/*
 * Deprecated since 1.5, when mr_mode was a choice and not a set. BASIC is VIRT_ADDR, ALLOCATED
 * and PROV_KEY together; SCALABLE is none of them.
 */
#define FI_MR_UNSPEC		0
#define FI_MR_BASIC		1
#define FI_MR_SCALABLE		2

/* ---- Choices of the attributes; 0 (UNSPEC) in hints is always "any" ---- */

/* ep_attr->type: reliability, connections and message boundaries of an endpoint. */
enum fi_ep_type {
	FI_EP_UNSPEC,
	FI_EP_MSG,	/* reliable, ordered, connected to one peer */
	FI_EP_DGRAM,	/* unreliable, unconnected, one packet per message */
	FI_EP_RDM,	/* reliable, unconnected, messages of any length */
};

/* What an address vector gives out for an address. */
enum fi_av_type {
	FI_AV_UNSPEC,
	FI_AV_MAP,	/* a handle; the application has to keep it */
	FI_AV_TABLE,	/* an index that counts insertions from 0 */
};

/* Who moves operations forward that have been started. */
enum fi_progress {
	FI_PROGRESS_UNSPEC,
	FI_PROGRESS_AUTO,	/* the provider, without any call by the application */
	FI_PROGRESS_MANUAL,	/* the application, by reading or waiting on queues and counters */
	/* MANUAL, and control calls too are serialized by the application (after 1.17). */
	FI_PROGRESS_CONTROL_UNIFIED,
};

/*
 * What the application promises about its threads; less locking as the promise grows. A
 * provider grants the level that was asked for or one that promises less.
 */
enum fi_threading {
	FI_THREAD_UNSPEC,
	FI_THREAD_SAFE,		/* nothing: any thread calls anything at any time */
	FI_THREAD_FID,		/* one thread at a time in each object */
	FI_THREAD_DOMAIN,	/* one thread at a time in a domain and everything opened on it */
	FI_THREAD_COMPLETION,	/* one at a time in a queue or counter and what is bound to it */
	FI_THREAD_ENDPOINT,	/* one at a time in an endpoint and all its contexts */
};

/* Who keeps queues from overflowing. */
enum fi_resource_mgmt {
	FI_RM_UNSPEC,
	FI_RM_DISABLED,	/* the application; what overflows is lost or breaks the endpoint */
	FI_RM_ENABLED,	/* the provider; calls return -FI_EAGAIN, peers are held back */
};

/*
 * ep_attr->protocol: what goes over the wire. Endpoints talk to each other when type, protocol
 * and protocol_version agree. Values with the top bit set are private to a provider.
 */
enum {
	FI_PROTO_UNSPEC,
	FI_PROTO_RDMA_CM_IB_RC,
	FI_PROTO_IWARP,
	FI_PROTO_IB_UD,
	FI_PROTO_PSMX,
	FI_PROTO_UDP,		/* one message, one UDP datagram */
	FI_PROTO_SOCK_TCP,
	FI_PROTO_MXM,
	FI_PROTO_IWARP_RDM,
	FI_PROTO_IB_RDM,
	FI_PROTO_GNI,
	FI_PROTO_RXM,
	FI_PROTO_RXD,
	FI_PROTO_MLX,
	FI_PROTO_NETWORKDIRECT,
	FI_PROTO_PSMX2,
	FI_PROTO_SHM,
	FI_PROTO_MRAIL,
	FI_PROTO_RSTREAM,
	FI_PROTO_RDMA_CM_IB_XRC,
	FI_PROTO_EFA,
	FI_PROTO_PSMX3,
	FI_PROTO_RXM_TCP,
	FI_PROTO_OPX,
	FI_PROTO_CXI,
	FI_PROTO_XNET,
	FI_PROTO_COLL,		/* this one and the next are newer than 1.17 */
	FI_PROTO_UCX,
	FI_PROTO_SM2,
	FI_PROTO_CXI_RNR,
	FI_PROTO_LPP,
	FI_PROTO_LNX,
};

/*
 * ep_attr->mem_tag_format: how the application uses its 64 bits of tag (after 1.17). Values from
 * FI_TAG_MAX_FORMAT on are the older form: a pattern of alternating runs of ones and zeros, one
 * run per field that receives may ignore as a whole.
 */
enum {
	FI_TAG_BITS,		/* any bits, any mask */
	FI_TAG_MPI,		/* 32 bits of tag and 8 of payload, see fi_tag_mpi() */
	FI_TAG_CCL,		/* the narrow use that collective libraries make of tags */
	FI_TAG_MAX_FORMAT = 1 << 16,
};

/*
 * tclass: which traffic class packets travel in. Either a class by name or a DSCP value packed
 * by fi_tc_dscp_set().
 */
enum {
	FI_TC_UNSPEC,		/* the domain's, or the provider's default */
	FI_TC_DSCP = 0x100,
	FI_TC_LABEL = 0x200,
	FI_TC_BEST_EFFORT = FI_TC_LABEL,
	FI_TC_LOW_LATENCY,
	FI_TC_DEDICATED_ACCESS,	/* a guaranteed share */
	FI_TC_BULK_DATA,	/* throughput before latency */
	FI_TC_SCAVENGER,	/* gives way to everything else */
	FI_TC_NETWORK_CTRL,	/* few, urgent messages that run the network */
};

/* Packs a differentiated services code point (0 to 63, RFC 2474) into a tclass. */
static inline uint32_t fi_tc_dscp_set(uint8_t dscp)
{
	return (uint32_t) dscp | FI_TC_DSCP;
}

/* The code point in a tclass; 0, the default class, when it holds none. */
static inline uint8_t fi_tc_dscp_get(uint32_t tclass)
{
	return (uint8_t) ((tclass & FI_TC_DSCP) ? (tclass & 0xff) : 0);
}

/* ---- Attributes ---- */

/*
 * The sending half of an endpoint. NULL or zeroes in hints ask for nothing in particular. caps,
 * mode and op_flags are subsets of those of fi_info; 0 stands for all of them that apply.
 */
struct fi_tx_attr {
	uint64_t caps;
	uint64_t mode;
	/*
	 * Flags of every operation that has no flags argument of its own: FI_INJECT,
	 * FI_COMPLETION, and one of the FI_..._COMPLETE levels.
	 */
	uint64_t op_flags;
	/* FI_ORDER_*: in which order the target carries operations out. */
	uint64_t msg_order;
	/* FI_ORDER_*: in which order their completions are reported here. */
	uint64_t comp_order;
	/* The most that the inject calls and FI_INJECT take. 0: they cannot be used. */
	size_t inject_size;
	/* Operations that may be outstanding before a call returns -FI_EAGAIN. */
	size_t size;
	/* Local buffers that one operation may gather from or scatter to; at least 1. */
	size_t iov_limit;
	/* Ranges of remote memory that one RMA operation may name. 0 without FI_RMA. */
	size_t rma_iov_limit;
	/* Traffic class; 0 takes the domain's. Since 1.9. */
	uint32_t tclass;
};

/* The receiving half; members as in fi_tx_attr. */
struct fi_rx_attr {
	uint64_t caps;
	uint64_t mode;
	/* Flags of every receive without a flags argument: FI_MULTI_RECV, FI_COMPLETION. */
	uint64_t op_flags;
	uint64_t msg_order;
	uint64_t comp_order;
	/* Deprecated, without replacement: bytes of unexpected messages that can be held. */
	size_t total_buffered_recv;
	/* Receives that may be posted before a call returns -FI_EAGAIN. */
	size_t size;
	/* Buffers that one receive may scatter to; at least 1. */
	size_t iov_limit;
};

/* An endpoint as a whole. */
struct fi_ep_attr {
	enum fi_ep_type type;
	/* FI_PROTO_*. */
	uint32_t protocol;
	uint32_t protocol_version;
	/* Longest message, or largest amount of RMA in one operation. */
	size_t max_msg_size;
	/* Bytes that buffers leave to the provider at their start, with mode FI_MSG_PREFIX. */
	size_t msg_prefix_size;
	/*
	 * How many bytes of each transfer the order read-after-write (and so on) of msg_order
	 * covers. 0: order holds for operations, not for their bytes; all ones: always.
	 */
	size_t max_order_raw_size;
	size_t max_order_war_size;
	size_t max_order_waw_size;
	/* FI_TAG_*, or fields as a bit pattern. */
	uint64_t mem_tag_format;
	/*
	 * Transmit and receive contexts. 0 and 1: the one that the endpoint has. More: a
	 * scalable endpoint. FI_SHARED_CONTEXT: bound by the application.
	 */
	size_t tx_ctx_cnt;
	size_t rx_ctx_cnt;
	/*
	 * The key that peers must hold to talk to this endpoint; NULL takes the domain's. In a
	 * fi_info it is malloc()ed and freed with it. Since 1.5.
	 */
	size_t auth_key_size;
	uint8_t *auth_key;
};

/*
 * A domain: the resources of, usually, one port. Counts are what works best, not hard limits,
 * unless a comment says so; 0 in hints leaves them to the provider.
 */
struct fi_domain_attr {
	/* In hints: stay on this open domain. In results: an open domain that fits, or NULL. */
	struct fid_domain *domain;
	/* Usually the name of a device or interface. In a fi_info, malloc()ed. */
	char *name;
	enum fi_threading threading;
	/* Who drives connections, registration and the like. */
	enum fi_progress control_progress;
	/* Who drives data transfers. The second name is the one to use with CONTROL_UNIFIED. */
	__extension__ union {
		enum fi_progress data_progress;
		enum fi_progress progress;
	};
	enum fi_resource_mgmt resource_mgmt;
	enum fi_av_type av_type;
	/* FI_MR_*. */
	int mr_mode;
	/* Bytes of a memory key. Up to 8, unless mr_mode has FI_MR_RAW. */
	size_t mr_key_size;
	/* Bytes of immediate data that an operation can carry, 0 to 8. */
	size_t cq_data_size;
	size_t cq_cnt;
	/* A limit: endpoints of any kind. */
	size_t ep_cnt;
	/* Transmit and receive contexts over all endpoints. */
	size_t tx_ctx_cnt;
	size_t rx_ctx_cnt;
	/* Limits: contexts of one (scalable) endpoint. */
	size_t max_ep_tx_ctx;
	size_t max_ep_rx_ctx;
	/* Limits: endpoints that may share one transmit or receive context. 0: no sharing. */
	size_t max_ep_stx_ctx;
	size_t max_ep_srx_ctx;
	/* From here to mr_cnt since 1.5. */
	size_t cntr_cnt;
	/* A limit: ranges of one fi_mr_regv(). */
	size_t mr_iov_limit;
	/* Capabilities and modes that concern the domain rather than an endpoint. */
	uint64_t caps;
	uint64_t mode;
	/*
	 * The default key of endpoints and regions, malloc()ed. NULL with auth_key_size
	 * FI_AV_AUTH_KEY: keys come from the address vector.
	 */
	uint8_t *auth_key;
	size_t auth_key_size;
	/* The most that err_data of an error entry can hold. */
	size_t max_err_data;
	size_t mr_cnt;
	/* Traffic class of endpoints that do not set their own. Since 1.9. */
	uint32_t tclass;
	/* A limit: keys that one endpoint can use. Since 1.20. */
	size_t max_ep_auth_key;
	/* The largest group that fi_group_addr() may name; 0: no groups. Since 2.0. */
	uint32_t max_group_id;
	/* The values at which counters, and their counts of errors, wrap. Since 2.5. */
	uint64_t max_cntr_value;
	uint64_t max_err_cntr_value;
};

/* A fabric, that is: a network, and the provider that gives access to it. */
struct fi_fabric_attr {
	/* As domain_attr->domain. */
	struct fid_fabric *fabric;
	/* Name of the network. Peers on fabrics of one name can expect to reach each other. */
	char *name;
	/* Name of the provider; layers are joined by semicolons, the lowest first. */
	char *prov_name;
	/* The provider's own version, of use in bug reports only. */
	uint32_t prov_version;
	/* The version that the application passed to fi_getinfo(). Since 1.5. */
	uint32_t api_version;
};

/* ---- Discovery ---- */

/*
 * One way to communicate. As hints it says what is needed, as a result what there is. A fi_info
 * is always allocated by the library (fi_allocinfo, fi_dupinfo, fi_getinfo) and freed by
 * fi_freeinfo(), which also frees everything that it points to, domain, fabric and handle apart:
 * what an application puts there, it must have from malloc().
 */
struct fi_info {
	/* The next entry, the best being first; NULL ends the list. */
	struct fi_info *next;
	/* FI_MSG, FI_TAGGED, ... */
	uint64_t caps;
	/* FI_CONTEXT, FI_MSG_PREFIX, ... */
	uint64_t mode;
	/* Format of the two addresses. */
	uint32_t addr_format;
	size_t src_addrlen;
	size_t dest_addrlen;
	/* The address an endpoint will have; NULL: one will be chosen. */
	void *src_addr;
	/* The peer that node and service named; NULL without them. */
	void *dest_addr;
	/* The connection request that an endpoint opened with this is to answer, else NULL. */
	fid_t handle;
	/* NULL in hints asks for nothing in particular; in results never NULL. */
	struct fi_tx_attr *tx_attr;
	struct fi_rx_attr *rx_attr;
	struct fi_ep_attr *ep_attr;
	struct fi_domain_attr *domain_attr;
	struct fi_fabric_attr *fabric_attr;
	/* The hardware behind it; NULL when there is none or it is not known. Since 1.7. */
	struct fid_nic *nic;
};

/*
 * Lists the ways to communicate that meet the hints.
 *
 * version: FI_VERSION() that the application was written for; -FI_ENOSYS when newer than the
 * library. node and service: an address or a name, and a port; the peer's, or with FI_SOURCE
 * those of this side; NULL when not needed. hints: NULL lists everything. info: the result, for
 * fi_freeinfo(). -FI_ENODATA: nothing fits.
 */
int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
	       const struct fi_info *hints, struct fi_info **info);

/* Frees a list, this entry and all that follow. NULL is fine. */
void fi_freeinfo(struct fi_info *info);

/*
 * A deep copy of one entry, without those that follow; NULL when memory is short. Given NULL, a
 * new entry of zeroes that has all five attributes.
 */
struct fi_info *fi_dupinfo(const struct fi_info *info);

/* An empty entry, ready to be filled in as hints. */
static inline struct fi_info *fi_allocinfo(void)
{
	return fi_dupinfo(NULL);
}

/* ---- Objects ---- */

/* What kind of object a fid heads (fid->fclass). */
enum {
	FI_CLASS_UNSPEC,
	FI_CLASS_FABRIC,	/* struct fid_fabric */
	FI_CLASS_DOMAIN,	/* struct fid_domain */
	FI_CLASS_EP,		/* struct fid_ep */
	FI_CLASS_SEP,		/* struct fid_ep, scalable */
	FI_CLASS_RX_CTX,	/* struct fid_ep, a receive context */
	FI_CLASS_SRX_CTX,	/* struct fid_ep, a shared receive context */
	FI_CLASS_TX_CTX,	/* struct fid_ep, a transmit context */
	FI_CLASS_STX_CTX,	/* struct fid_stx, a shared transmit context */
	FI_CLASS_PEP,		/* struct fid_pep */
	FI_CLASS_INTERFACE,
	FI_CLASS_AV,		/* struct fid_av */
	FI_CLASS_MR,		/* struct fid_mr */
	FI_CLASS_EQ,		/* struct fid_eq */
	FI_CLASS_CQ,		/* struct fid_cq */
	FI_CLASS_CNTR,		/* struct fid_cntr */
	FI_CLASS_WAIT,		/* struct fid_wait */
	FI_CLASS_POLL,		/* struct fid_poll */
	FI_CLASS_CONNREQ,	/* a connection request (fi_info->handle) */
	FI_CLASS_MC,		/* struct fid_mc */
	FI_CLASS_NIC,		/* struct fid_nic */
	FI_CLASS_AV_SET,	/* struct fid_av_set */
	FI_CLASS_MR_CACHE,	/* the library's cache of registrations, see fi_import() */
	FI_CLASS_MEM_MONITOR,	/* struct fid_mem_monitor */
	FI_CLASS_PEER_CQ,	/* struct fid_peer_cq and so on, see fi_peer.h */
	FI_CLASS_PEER_SRX,
	FI_CLASS_LOG,		/* struct fid_logging */
	FI_CLASS_PEER_AV,
	FI_CLASS_PEER_AV_SET,
	FI_CLASS_PEER_CNTR,	/* after 1.17 */
	FI_CLASS_PROFILE,	/* struct fid_profile (after 1.17) */
};

/* Functions that every object has, whatever its class. */
struct fi_ops {
	size_t size;
	int (*close)(struct fid *fid);
	int (*bind)(struct fid *fid, struct fid *bfid, uint64_t flags);
	int (*control)(struct fid *fid, int command, void *arg);
	int (*ops_open)(struct fid *fid, const char *name, uint64_t flags, void **ops,
			void *context);
	int (*tostr)(const struct fid *fid, char *buf, size_t len);
	int (*ops_set)(struct fid *fid, const char *name, uint64_t flags, void *ops,
		       void *context);
};

/* The head of every object: a pointer to an object is also a pointer to its fid. */
struct fid {
	/* FI_CLASS_*. */
	size_t fclass;
	/* The context that was given when the object was opened. */
	void *context;
	struct fi_ops *ops;
};

/* Functions of a fabric. */
struct fi_ops_fabric {
	size_t size;
	int (*domain)(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **dom,
		      void *context);
	int (*passive_ep)(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep,
			  void *context);
	int (*eq_open)(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
		       void *context);
	int (*wait_open)(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			 struct fid_wait **waitset);
	int (*trywait)(struct fid_fabric *fabric, struct fid **fids, int count);
	int (*domain2)(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **dom,
		       uint64_t flags, void *context);
};

/* A fabric: what domains, passive endpoints and event queues are opened on. */
struct fid_fabric {
	struct fid fid;
	struct fi_ops_fabric *ops;
	/* The application's version. Providers that know 1.5 get it from the library. */
	uint32_t api_version;
};

/*
 * Opens a fabric. attr is fabric_attr of a result of fi_getinfo() and is only read during the
 * call. -FI_EINVAL: it names no provider or no fabric; -FI_ENODEV: no such provider.
 */
int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);

/* The same from a whole fi_info. flags must be 0. Since 2.0. */
int fi_fabric2(struct fi_info *info, struct fid_fabric **fabric, uint64_t flags, void *context);

/*
 * Opens an object of the library itself by name: "logging" or "mr_cache". -FI_ENOSYS: there is
 * none of that name. Usually called through fi_import(), see fi_ext.h.
 */
int fi_open(uint32_t version, const char *name, void *attr, size_t attr_len, uint64_t flags,
	    struct fid **fid, void *context);

/*
 * Closes an object of any class and frees it. -FI_EBUSY while other objects depend on it:
 * close in the opposite order of opening.
 */
static inline int fi_close(struct fid *fid)
{
	return fid->ops->close(fid);
}

/* ---- Control ---- */

/* Commands of fi_control(), with what arg points to. */
enum {
	FI_GETFIDFLAG,	/* uint64_t, out: flags of the object */
	FI_SETFIDFLAG,	/* uint64_t, in */
	FI_GETOPSFLAG,	/* uint64_t, in: FI_TRANSMIT or FI_RECV; out: op_flags of that half */
	FI_SETOPSFLAG,	/* uint64_t, in: FI_TRANSMIT or FI_RECV, and its new op_flags */
	FI_ALIAS,	/* struct fi_alias */
	FI_GETWAIT,	/* out: int, struct fi_mutex_cond or struct fi_wait_pollfd */
	FI_ENABLE,	/* nothing */
	FI_BACKLOG,	/* int, in: connection requests that a passive endpoint holds */
	FI_GET_RAW_MR,	/* struct fi_mr_raw_attr */
	FI_MAP_RAW_MR,	/* struct fi_mr_map_raw */
	FI_UNMAP_KEY,	/* uint64_t, in: the key */
	FI_QUEUE_WORK,	/* struct fi_deferred_work: queue it on this domain */
	FI_CANCEL_WORK,	/* struct fi_deferred_work: take it back */
	FI_FLUSH_WORK,	/* nothing: take back all of them */
	FI_REFRESH,	/* struct fi_mr_modify */
	FI_DUP,		/* struct fid *, out: a copy of the object */
	FI_GETWAITOBJ,	/* enum fi_wait_obj, out */
	FI_GET_VAL,	/* struct fi_fid_var */
	FI_SET_VAL,	/* struct fi_fid_var */
	FI_EXPORT_FID,	/* struct fi_fid_export, see fi_ext.h */
	FI_GET_FD,	/* int, out: the descriptor that stands for the object (after 1.17) */
};

/* A second handle of an object, with other default flags. */
struct fi_alias {
	struct fid **fid;
	uint64_t flags;
};

/* A variable of an object; its name tells what val points to. */
struct fi_fid_var {
	int name;
	void *val;
};

/* The key of a region, in the form that travels to peers: out, except as noted. */
struct fi_mr_raw_attr {
	uint64_t flags;
	/* What peers add offsets to. */
	uint64_t *base_addr;
	uint8_t *raw_key;
	/* In: room at raw_key. Out: what the key takes. */
	size_t *key_size;
};

/* A peer's key as it came over, and (out) the 64 bits that stand for it in RMA calls. */
struct fi_mr_map_raw {
	uint64_t flags;
	uint64_t base_addr;
	uint8_t *raw_key;
	size_t key_size;
	uint64_t *key;
};

/* -FI_ENOSYS: the object does not know the command. */
static inline int fi_control(struct fid *fid, int command, void *arg)
{
	return fid->ops->control(fid, command, arg);
}

/* For endpoints there is fi_ep_alias(). */
static inline int fi_alias(struct fid *fid, struct fid **alias_fid, uint64_t flags)
{
	struct fi_alias arg;

	arg.fid = alias_fid;
	arg.flags = flags;
	return fi_control(fid, FI_ALIAS, &arg);
}

/* Reads and writes a variable that a provider has documented for an object. */
static inline int fi_get_val(struct fid *fid, int name, void *val)
{
	struct fi_fid_var arg;

	arg.name = name;
	arg.val = val;
	return fi_control(fid, FI_GET_VAL, &arg);
}

static inline int fi_set_val(struct fid *fid, int name, void *val)
{
	struct fi_fid_var arg;

	arg.name = name;
	arg.val = val;
	return fi_control(fid, FI_SET_VAL, &arg);
}

/*
 * Gets a table of a provider's own functions for an object, by name. It lives as long as the
 * object. -FI_ENOSYS: no such table.
 */
static inline int fi_open_ops(struct fid *fid, const char *name, uint64_t flags, void **ops,
			      void *context)
{
	return fid->ops->ops_open(fid, name, flags, ops, context);
}

/* Gives an object a table of functions that it shall call; ops must outlive the object. */
static inline int fi_set_ops(struct fid *fid, const char *name, uint64_t flags, void *ops,
			     void *context)
{
	if (!FI_CHECK_OP(fid->ops, struct fi_ops, ops_set))
		return -FI_ENOSYS;
	return fid->ops->ops_set(fid, name, flags, ops, context);
}

/* ---- Hardware (fi_info->nic) ---- */

enum fi_bus_type {
	FI_BUS_UNSPEC,
	FI_BUS_UNKNOWN = FI_BUS_UNSPEC,
	FI_BUS_PCI,
};

enum fi_link_state {
	FI_LINK_UNKNOWN,
	FI_LINK_DOWN,
	FI_LINK_UP,
};

/* What a device is. Strings, malloc()ed, NULL where unknown. */
struct fi_device_attr {
	char *name;
	char *device_id;
	char *device_version;
	char *vendor_id;
	char *driver;
	char *firmware;
};

/* Where it sits on PCI: domain:bus:device.function. */
struct fi_pci_attr {
	uint16_t domain_id;
	uint8_t bus_id;
	uint8_t device_id;
	uint8_t function_id;
};

struct fi_bus_attr {
	/* Says which member of attr holds. */
	enum fi_bus_type bus_type;
	union {
		struct fi_pci_attr pci;
	} attr;
};

/* Its link to the network. Strings as in fi_device_attr. */
struct fi_link_attr {
	/* The hardware address as text. */
	char *address;
	/* Bytes of the longest frame or packet. */
	size_t mtu;
	/* Bits per second. */
	size_t speed;
	enum fi_link_state state;
	/* "Ethernet", "InfiniBand", ... */
	char *network_type;
};

/*
 * An object only in form: it belongs to its fi_info and is freed with it. Each attribute may be
 * NULL.
 */
struct fid_nic {
	struct fid fid;
	struct fi_device_attr *device_attr;
	struct fi_bus_attr *bus_attr;
	struct fi_link_attr *link_attr;
	/* Whatever else the provider documents. */
	void *prov_attr;
};

/* ---- Contexts of operations ---- */

/*
 * Where mode FI_CONTEXT or FI_CONTEXT2 is set, the context argument of every operation points to
 * one of these. The provider owns it from the call until the completion, and the completion
 * hands the pointer back. The contents mean nothing to the application.
 */
struct fi_context {
	void *internal[4];
};

struct fi_context2 {
	void *internal[8];
};

/* What op_context pointed to in completions of buffered receives, which 2.0 took back. */
struct fi_recv_context {
	struct fid_ep *ep;
	void *context;
};

/* A local buffer measured in elements of a datatype, for atomics and collectives. */
struct fi_ioc {
	void *addr;
	size_t count;
};

/* ---- Printing ---- */

/* What the data of fi_tostr() points to. */
enum fi_type {
	FI_TYPE_INFO,		/* struct fi_info */
	FI_TYPE_EP_TYPE,	/* enum fi_ep_type */
	FI_TYPE_CAPS,		/* uint64_t */
	FI_TYPE_OP_FLAGS,	/* uint64_t */
	FI_TYPE_ADDR_FORMAT,	/* uint32_t */
	FI_TYPE_TX_ATTR,	/* struct fi_tx_attr */
	FI_TYPE_RX_ATTR,	/* struct fi_rx_attr */
	FI_TYPE_EP_ATTR,	/* struct fi_ep_attr */
	FI_TYPE_DOMAIN_ATTR,	/* struct fi_domain_attr */
	FI_TYPE_FABRIC_ATTR,	/* struct fi_fabric_attr */
	FI_TYPE_THREADING,	/* enum fi_threading */
	FI_TYPE_PROGRESS,	/* enum fi_progress */
	FI_TYPE_PROTOCOL,	/* uint32_t */
	FI_TYPE_MSG_ORDER,	/* uint64_t */
	FI_TYPE_MODE,		/* uint64_t */
	FI_TYPE_AV_TYPE,	/* enum fi_av_type */
	FI_TYPE_ATOMIC_TYPE,	/* enum fi_datatype */
	FI_TYPE_ATOMIC_OP,	/* enum fi_op */
	FI_TYPE_VERSION,	/* nothing: the library describes itself */
	FI_TYPE_EQ_EVENT,	/* uint32_t */
	FI_TYPE_CQ_EVENT_FLAGS,	/* uint64_t */
	FI_TYPE_MR_MODE,	/* int */
	FI_TYPE_OP_TYPE,	/* enum fi_op_type */
	FI_TYPE_FID,		/* struct fid */
	FI_TYPE_COLLECTIVE_OP,	/* enum fi_collective_op */
	FI_TYPE_HMEM_IFACE,	/* enum fi_hmem_iface */
	FI_TYPE_CQ_FORMAT,	/* enum fi_cq_format */
	FI_TYPE_LOG_LEVEL,	/* enum fi_log_level */
	FI_TYPE_LOG_SUBSYS,	/* enum fi_log_subsys */
	FI_TYPE_AV_ATTR,	/* struct fi_av_attr; this one and the next are newer than 1.17 */
	FI_TYPE_CQ_ATTR,	/* struct fi_cq_attr */
	FI_TYPE_MR_ATTR,	/* struct fi_mr_attr */
	FI_TYPE_CNTR_ATTR,	/* struct fi_cntr_attr */
	FI_TYPE_CQ_ERR_ENTRY,	/* struct fi_cq_err_entry */
	FI_TYPE_CQ_WAIT_COND,	/* enum fi_cq_wait_cond */
	FI_TYPE_WAIT_OBJ,	/* enum fi_wait_obj */
};

/* Text in a buffer of the library's that the next call overwrites: not for several threads. */
char *fi_tostr(const void *data, enum fi_type datatype);

/* Text in the caller's buffer, cut to len bytes with its NUL. Returns buf. */
char *fi_tostr_r(char *buf, size_t len, const void *data, enum fi_type datatype);

/* ---- Environment parameters ---- */

enum fi_param_type {
	FI_PARAM_STRING,
	FI_PARAM_INT,
	FI_PARAM_BOOL,		/* 0 or 1, no or yes, false or true, off or on */
	FI_PARAM_SIZE_T,
};

/* One environment variable that the library or a provider reads. */
struct fi_param {
	/* The whole name, FI_... */
	const char *name;
	enum fi_param_type type;
	const char *help_string;
	/* What it is set to; NULL when it is not. */
	const char *value;
};

/* Lists them all, in an array that fi_freeparams() frees. */
int fi_getparams(struct fi_param **params, int *count);

void fi_freeparams(struct fi_param *params);

#ifdef __cplusplus
}
#endif

#endif /* FABRIC_H */
