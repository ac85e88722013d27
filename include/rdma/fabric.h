/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The root of the fabric interfaces: discovery (fi_getinfo), the attributes that applications
 * and providers negotiate with, capability and mode bits, and the head that all objects share.
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

#if defined(__GNUC__) || defined(__clang__)
#define EXTERNALLY_VISIBLE		__attribute__((visibility("default")))
#define FI_FORMAT_PRINTF(string, first)	__attribute__((__format__(__printf__, (string), (first))))
#define FI_DEPRECATED_FUNC		__attribute__((deprecated))
#define FI_DEPRECATED_FIELD		__attribute__((deprecated))
#else
#define EXTERNALLY_VISIBLE
#define FI_FORMAT_PRINTF(string, first)
#define FI_DEPRECATED_FUNC
#define FI_DEPRECATED_FIELD
#endif

/*
 * A version packs major and minor into one number that compares as versions do. Applications pass
 * the version they were written for to fi_getinfo(); it decides how the library behaves to them.
 */
#define FI_VERSION(major, minor)	((uint32_t) (((major) << 16) | (minor)))
#define FI_MAJOR(version)		((uint32_t) (version) >> 16)
#define FI_MINOR(version)		((uint32_t) (version) & 0xffff)
#define FI_VERSION_GE(v1, v2)		((v1) >= (v2))
#define FI_VERSION_LT(v1, v2)		((v1) < (v2))

/*
 * True when a table of operations has a member and the provider filled it. Tables grow at their end;
 * their size member says how much of one the provider knew.
 */
#define FI_CHECK_OP(ops, opstype, op) \
	((ops) && ((ops)->size > offsetof(opstype, op)) && (ops)->op)

/* An address in an address vector's terms: an index, or a handle that the vector gave out. */
typedef uint64_t fi_addr_t;
struct fid;
typedef struct fid *fid_t;

/* The version that this header describes. */
#define FI_MAJOR_VERSION		2
#define FI_MINOR_VERSION		6
#define FI_REVISION_VERSION	0

/* What an endpoint can do (fi_info::caps): kinds of transfer. */
#define FI_MSG			2ULL	/* untagged messages */
#define FI_RMA			4ULL	/* remote memory access */
#define FI_TAGGED		8ULL	/* tagged messages */
#define FI_ATOMIC		(1ULL << 4)	/* atomic operations */
#define FI_ATOMICS		FI_ATOMIC	/* older name */
#define FI_MULTICAST		(1ULL << 5)	/* multicast groups */
#define FI_COLLECTIVE		(1ULL << 6)	/* collective operations */

/*
 * Directions. A kind of transfer without a direction means both. FI_READ and FI_WRITE start
 * RMA and atomics, the REMOTE ones are their targets.
 */
#define FI_READ			(1ULL << 8)
#define FI_WRITE			(1ULL << 9)
#define FI_RECV			(1ULL << 10)	/* receives messages */
#define FI_SEND			(1ULL << 11)	/* sends messages */
#define FI_TRANSMIT		FI_SEND	/* the sending side of anything */
#define FI_REMOTE_READ		(1ULL << 12)
#define FI_REMOTE_WRITE		(1ULL << 13)

/* Further capabilities and flags of single operations share the same word. */
#define FI_MULTI_RECV		(1ULL << 16)	/* one buffer takes many messages */
#define FI_REMOTE_CQ_DATA	(1ULL << 17)	/* immediate data goes with the operation */
#define FI_MORE			(1ULL << 18)	/* another operation follows at once */
#define FI_PEEK			(1ULL << 19)	/* look for a message without taking it */
#define FI_TRIGGER		(1ULL << 20)	/* operation waits for a counter */
#define FI_FENCE			(1ULL << 21)	/* wait for all earlier operations to the peer */

/* Completions: whether there is one, and what it promises. */
#define FI_COMPLETION		(1ULL << 24)	/* report success */
#define FI_EVENT			FI_COMPLETION	/* report to an event queue */
#define FI_INJECT		(1ULL << 25)	/* the buffer may be reused on return */
#define FI_INJECT_COMPLETE	(1ULL << 26)	/* done when the buffer may be reused */
#define FI_TRANSMIT_COMPLETE	(1ULL << 27)	/* done when the peer endpoint has it */
#define FI_DELIVERY_COMPLETE	(1ULL << 28)	/* done when it is in the peer application's memory */
#define FI_AFFINITY		(1ULL << 29)
#define FI_COMMIT_COMPLETE	(1ULL << 30)	/* done when it is in persistent memory */
#define FI_MATCH_COMPLETE	(1ULL << 31)	/* done when a receive matched */

/* Flags of discovery, and capabilities that an application asks for by name. */
#define FI_RESCAN		(1ULL << 35)
#define FI_PEER_TRANSFER		(1ULL << 36)
#define FI_AV_USER_ID		(1ULL << 41)
#define FI_FIREWALL_ADDR		(1ULL << 42)
#define FI_PEER			(1ULL << 43)
#define FI_TAGGED_DIRECTED_RECV	(1ULL << 45)
#define FI_TAGGED_MULTI_RECV	(1ULL << 46)
#define FI_HMEM			(1ULL << 47)	/* device memory may be used */
#define FI_EXACT_DIRECTED_RECV	(1ULL << 48)
#define FI_RMA_PMEM		(1ULL << 49)
#define FI_SOURCE_ERR		(1ULL << 50)	/* unknown sources are reported as errors with their address */
#define FI_LOCAL_COMM		(1ULL << 51)	/* reaches peers on this host */
#define FI_REMOTE_COMM		(1ULL << 52)	/* reaches peers on other hosts */
#define FI_SHARED_AV		(1ULL << 53)
#define FI_PROV_ATTR_ONLY	(1ULL << 54)	/* list providers only */
#define FI_NUMERICHOST		(1ULL << 55)	/* node is an address: do not resolve names */
#define FI_RMA_EVENT		(1ULL << 56)
/* sources are reported; in fi_getinfo: node and service are local */
#define FI_SOURCE		(1ULL << 57)
#define FI_NAMED_RX_CTX		(1ULL << 58)
#define FI_DIRECTED_RECV		(1ULL << 59)	/* receives may name their source */

/* These reuse bits that mean other things elsewhere. */
#define FI_CLAIM			(1ULL << 59)	/* with FI_PEEK: keep the message for a later receive */
#define FI_DISCARD		(1ULL << 58)	/* drop the message that was found */
#define FI_AUTH_KEY		(1ULL << 57)

/* Values that stand for no address, no key and shared contexts. */
#define FI_ADDR_UNSPEC		((uint64_t) -1)
#define FI_ADDR_NOTAVAIL		((uint64_t) -1)
#define FI_KEY_NOTAVAIL		((uint64_t) -1)
#define FI_SHARED_CONTEXT	((size_t) -1)
#define FI_AV_AUTH_KEY		((uint64_t) -1)

/*
 * Memory registration modes (fi_domain_attr::mr_mode). The first three are deprecated: they
 * name the two kinds of registration before version 1.5.
 */
#define FI_MR_UNSPEC		0
#define FI_MR_BASIC		1
#define FI_MR_SCALABLE		2
#define FI_MR_LOCAL		4	/* local buffers must be registered */
#define FI_MR_RAW		8	/* keys are longer than 64 bits */
#define FI_MR_VIRT_ADDR		(1 << 4)	/* remote addresses are virtual addresses, not offsets */
#define FI_MR_ALLOCATED		(1 << 5)	/* memory must exist when it is registered */
#define FI_MR_PROV_KEY		(1 << 6)	/* the provider chooses keys */
#define FI_MR_MMU_NOTIFY		(1 << 7)	/* tell the provider when mappings change */
#define FI_MR_RMA_EVENT		(1 << 8)	/* regions that report RMA are bound to a counter */
#define FI_MR_ENDPOINT		(1 << 9)	/* regions are bound to endpoints */
#define FI_MR_HMEM		(1 << 10)	/* device memory must be registered */
#define FI_MR_COLLECTIVE		(1 << 11)	/* buffers of collectives must be registered */

/*
 * Which operations keep their order (msg_order, comp_order): what comes second is named last,
 * as in R(ead) A(fter) S(end). NONE, STRICT and DATA are deprecated.
 */
#define FI_ORDER_NONE		0ULL
#define FI_ORDER_RAR		1ULL
#define FI_ORDER_RAW		2ULL
#define FI_ORDER_RAS		4ULL
#define FI_ORDER_WAR		8ULL
#define FI_ORDER_WAW		(1ULL << 4)
#define FI_ORDER_WAS		(1ULL << 5)
#define FI_ORDER_SAR		(1ULL << 6)
#define FI_ORDER_SAW		(1ULL << 7)
#define FI_ORDER_SAS		(1ULL << 8)
#define FI_ORDER_STRICT		511
#define FI_ORDER_RMA_RAR		(1ULL << 32)
#define FI_ORDER_RMA_RAW		(1ULL << 33)
#define FI_ORDER_RMA_WAR		(1ULL << 34)
#define FI_ORDER_RMA_WAW		(1ULL << 35)
#define FI_ORDER_ATOMIC_RAR	(1ULL << 36)
#define FI_ORDER_ATOMIC_RAW	(1ULL << 37)
#define FI_ORDER_ATOMIC_WAR	(1ULL << 38)
#define FI_ORDER_ATOMIC_WAW	(1ULL << 39)
#define FI_ORDER_DATA		(1ULL << 16)

/* What a provider demands of the application (fi_info::mode). */
#define FI_CONTEXT		(1ULL << 59)	/* every operation brings a struct fi_context */
#define FI_MSG_PREFIX		(1ULL << 58)	/* buffers leave room for a header */
#define FI_ASYNC_IOV		(1ULL << 57)	/* iovecs stay valid until completion */
#define FI_RX_CQ_DATA		(1ULL << 56)	/* immediate data takes a posted receive */
#define FI_LOCAL_MR		(1ULL << 55)	/* deprecated: FI_MR_LOCAL */
#define FI_CONTEXT2		(1ULL << 52)	/* every operation brings a struct fi_context2 */

/*
 * Flag of binding a queue: only operations that ask for it (FI_COMPLETION) are reported when
 * they succeed.
 */
#define FI_SELECTIVE_COMPLETION	(1ULL << 59)

/* Kept so that older sources compile; they mean nothing any more. */
#define FI_VARIABLE_MSG		0ULL
#define FI_NOTIFY_FLAGS_ONLY	0ULL
#define FI_RESTRICTED_COMP	0ULL
#define FI_EP_SOCK_STREAM	0	/* no longer supported */

/* Limits. */
enum {
	FI_NAME_MAX = 64,
	FI_ATOMIC_OP_LAST = 19,
	FI_DATATYPE_LAST = 14,
};

/* Formats of endpoint addresses (fi_info::addr_format). */
enum {
	FI_FORMAT_UNSPEC,
	FI_SOCKADDR,	/* struct sockaddr, family decides */
	FI_SOCKADDR_IN,	/* struct sockaddr_in */
	FI_SOCKADDR_IN6,	/* struct sockaddr_in6 */
	FI_SOCKADDR_IB,
	FI_ADDR_PSMX,
	FI_ADDR_GNI,
	FI_ADDR_BGQ,
	FI_ADDR_MLX,
	FI_ADDR_STR,	/* text: fi_sockaddr_in://10.0.0.1:7000 */
	FI_ADDR_PSMX2,
	FI_ADDR_IB_UD,
	FI_ADDR_EFA,
	FI_ADDR_PSMX3,
	FI_ADDR_OPX,
	FI_ADDR_CXI,
	FI_ADDR_UCX,
	FI_SOCKADDR_IP,	/* sockaddr_in or sockaddr_in6 */
};

/* What an fi_addr_t of an address vector is. */
enum fi_av_type {
	FI_AV_UNSPEC,
	FI_AV_MAP,	/* handles */
	FI_AV_TABLE,	/* indices in order of insertion */
};

/* Who drives operations forward. */
enum fi_progress {
	FI_PROGRESS_UNSPEC,
	FI_PROGRESS_AUTO,	/* by itself */
	FI_PROGRESS_MANUAL,	/* while the application calls */
	FI_PROGRESS_CONTROL_UNIFIED,	/* manual; one call drives control and data */
};

/* What the application promises about threads. */
enum fi_threading {
	FI_THREAD_UNSPEC,
	FI_THREAD_SAFE,	/* any thread, any time */
	FI_THREAD_FID,	/* one thread at a time per object */
	FI_THREAD_DOMAIN,	/* one thread at a time per domain */
	FI_THREAD_COMPLETION,	/* one thread at a time per completion queue */
	FI_THREAD_ENDPOINT,	/* one thread at a time per endpoint */
};

/* Who guards against overruns. */
enum fi_resource_mgmt {
	FI_RM_UNSPEC,
	FI_RM_DISABLED,	/* the application keeps within the limits */
	FI_RM_ENABLED,	/* nothing overruns; calls return -FI_EAGAIN */
};

/* Kind of endpoint. */
enum fi_ep_type {
	FI_EP_UNSPEC,
	FI_EP_MSG,	/* reliable, connected */
	FI_EP_DGRAM,	/* unreliable datagrams */
	FI_EP_RDM,	/* reliable, unconnected */
};

/*
 * Protocols on the wire (fi_ep_attr::protocol): endpoints of one type and protocol can talk to
 * each other.
 */
enum {
	FI_PROTO_UNSPEC,
	FI_PROTO_RDMA_CM_IB_RC,
	FI_PROTO_IWARP,
	FI_PROTO_IB_UD,
	FI_PROTO_PSMX,
	FI_PROTO_UDP,
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
	FI_PROTO_COLL,
	FI_PROTO_UCX,
	FI_PROTO_SM2,
	FI_PROTO_CXI_RNR,
	FI_PROTO_LPP,
	FI_PROTO_LNX,
};

/* Meanings of tags (fi_ep_attr::mem_tag_format). */
enum {
	FI_TAG_BITS,
	FI_TAG_MPI,
	FI_TAG_CCL,
	FI_TAG_MAX_FORMAT = 0x10000,
};

/* Traffic classes (tclass). */
enum {
	FI_TC_UNSPEC,
	FI_TC_DSCP = 256,
	FI_TC_LABEL = 512,
	FI_TC_BEST_EFFORT = 512,
	FI_TC_LOW_LATENCY,
	FI_TC_DEDICATED_ACCESS,
	FI_TC_BULK_DATA,
	FI_TC_SCAVENGER,
	FI_TC_NETWORK_CTRL,
};

enum fi_bus_type {
	FI_BUS_UNSPEC,
	FI_BUS_UNKNOWN = 0,
	FI_BUS_PCI,
};

enum fi_link_state {
	FI_LINK_UNKNOWN,
	FI_LINK_DOWN,
	FI_LINK_UP,
};

/* Class of an object (fid::fclass). */
enum {
	FI_CLASS_UNSPEC,
	FI_CLASS_FABRIC,
	FI_CLASS_DOMAIN,
	FI_CLASS_EP,
	FI_CLASS_SEP,
	FI_CLASS_RX_CTX,
	FI_CLASS_SRX_CTX,
	FI_CLASS_TX_CTX,
	FI_CLASS_STX_CTX,
	FI_CLASS_PEP,
	FI_CLASS_INTERFACE,
	FI_CLASS_AV,
	FI_CLASS_MR,
	FI_CLASS_EQ,
	FI_CLASS_CQ,
	FI_CLASS_CNTR,
	FI_CLASS_WAIT,
	FI_CLASS_POLL,
	FI_CLASS_CONNREQ,
	FI_CLASS_MC,
	FI_CLASS_NIC,
	FI_CLASS_AV_SET,
	FI_CLASS_MR_CACHE,
	FI_CLASS_MEM_MONITOR,
	FI_CLASS_PEER_CQ,
	FI_CLASS_PEER_SRX,
	FI_CLASS_LOG,
	FI_CLASS_PEER_AV,
	FI_CLASS_PEER_AV_SET,
	FI_CLASS_PEER_CNTR,
	FI_CLASS_PROFILE,
};

/* Commands of fi_control(). */
enum {
	FI_GETFIDFLAG,
	FI_SETFIDFLAG,
	FI_GETOPSFLAG,	/* default flags of operations */
	FI_SETOPSFLAG,	/* set them */
	FI_ALIAS,
	FI_GETWAIT,	/* get the wait object */
	FI_ENABLE,	/* make an endpoint or region usable */
	FI_BACKLOG,
	FI_GET_RAW_MR,
	FI_MAP_RAW_MR,
	FI_UNMAP_KEY,
	FI_QUEUE_WORK,
	FI_CANCEL_WORK,
	FI_FLUSH_WORK,
	FI_REFRESH,
	FI_DUP,	/* copy an object */
	FI_GETWAITOBJ,
	FI_GET_VAL,
	FI_SET_VAL,
	FI_EXPORT_FID,
	FI_GET_FD,
};

/* What fi_tostr prints. */
enum fi_type {
	FI_TYPE_INFO,
	FI_TYPE_EP_TYPE,
	FI_TYPE_CAPS,
	FI_TYPE_OP_FLAGS,
	FI_TYPE_ADDR_FORMAT,
	FI_TYPE_TX_ATTR,
	FI_TYPE_RX_ATTR,
	FI_TYPE_EP_ATTR,
	FI_TYPE_DOMAIN_ATTR,
	FI_TYPE_FABRIC_ATTR,
	FI_TYPE_THREADING,
	FI_TYPE_PROGRESS,
	FI_TYPE_PROTOCOL,
	FI_TYPE_MSG_ORDER,
	FI_TYPE_MODE,
	FI_TYPE_AV_TYPE,
	FI_TYPE_ATOMIC_TYPE,
	FI_TYPE_ATOMIC_OP,
	FI_TYPE_VERSION,
	FI_TYPE_EQ_EVENT,
	FI_TYPE_CQ_EVENT_FLAGS,
	FI_TYPE_MR_MODE,
	FI_TYPE_OP_TYPE,
	FI_TYPE_FID,
	FI_TYPE_COLLECTIVE_OP,
	FI_TYPE_HMEM_IFACE,
	FI_TYPE_CQ_FORMAT,
	FI_TYPE_LOG_LEVEL,
	FI_TYPE_LOG_SUBSYS,
	FI_TYPE_AV_ATTR,
	FI_TYPE_CQ_ATTR,
	FI_TYPE_MR_ATTR,
	FI_TYPE_CNTR_ATTR,
	FI_TYPE_CQ_ERR_ENTRY,
	FI_TYPE_CQ_WAIT_COND,
	FI_TYPE_WAIT_OBJ,
};

/* Type of an environment parameter. */
enum fi_param_type {
	FI_PARAM_STRING,
	FI_PARAM_INT,
	FI_PARAM_BOOL,
	FI_PARAM_SIZE_T,
};

struct fid_domain;
struct fid_fabric;
struct fi_info;
struct fid_nic;
struct fid;
struct fid_pep;
struct fi_eq_attr;
struct fid_eq;
struct fi_wait_attr;
struct fid_wait;
struct fid_ep;

/* A local buffer counted in datatype elements, for atomics. */
struct fi_ioc {
	void *addr;
	size_t count;
};

/* Attributes of an endpoint's transmit context. */
struct fi_tx_attr {
	uint64_t caps;
	uint64_t mode;
	/* Flags that every operation has unless it brings its own. */
	uint64_t op_flags;
	uint64_t msg_order;
	uint64_t comp_order;
	/* Longest message that can be injected, in bytes. */
	size_t inject_size;
	/* Operations that may be outstanding. */
	size_t size;
	/* Segments that one operation may have. */
	size_t iov_limit;
	size_t rma_iov_limit;
	uint32_t tclass;
};

/* Attributes of an endpoint's receive context. */
struct fi_rx_attr {
	uint64_t caps;
	uint64_t mode;
	uint64_t op_flags;
	uint64_t msg_order;
	uint64_t comp_order;
	/* Deprecated. */
	size_t total_buffered_recv;
	/* Receives that may be posted. */
	size_t size;
	size_t iov_limit;
};

/* Attributes of an endpoint: type, protocol, limits, ordering bounds. */
struct fi_ep_attr {
	enum fi_ep_type type;
	uint32_t protocol;
	uint32_t protocol_version;
	/* Longest message, in bytes. */
	size_t max_msg_size;
	/* Bytes that buffers leave free at their start (mode FI_MSG_PREFIX). */
	size_t msg_prefix_size;
	size_t max_order_raw_size;
	size_t max_order_war_size;
	size_t max_order_waw_size;
	/* Bits of a tag that can be used, in fields. */
	uint64_t mem_tag_format;
	/* Transmit contexts; 0 is one, FI_SHARED_CONTEXT a shared one. */
	size_t tx_ctx_cnt;
	size_t rx_ctx_cnt;
	size_t auth_key_size;
	uint8_t *auth_key;
};

/* Attributes and limits of a domain. */
struct fi_domain_attr {
	struct fid_domain *domain;
	/* Name of the domain, usually of a device or interface. */
	char *name;
	/* What the application promises; a weaker promise always works. */
	enum fi_threading threading;
	enum fi_progress control_progress;
	__extension__ union {
		enum fi_progress data_progress;
		enum fi_progress progress;
	};
	enum fi_resource_mgmt resource_mgmt;
	enum fi_av_type av_type;
	/* Bits FI_MR_*: what registration asks of the application. */
	int mr_mode;
	/* Bytes of a memory key. */
	size_t mr_key_size;
	/* Bytes of immediate data. */
	size_t cq_data_size;
	size_t cq_cnt;
	size_t ep_cnt;
	size_t tx_ctx_cnt;
	size_t rx_ctx_cnt;
	size_t max_ep_tx_ctx;
	size_t max_ep_rx_ctx;
	size_t max_ep_stx_ctx;
	size_t max_ep_srx_ctx;
	size_t cntr_cnt;
	size_t mr_iov_limit;
	uint64_t caps;
	uint64_t mode;
	uint8_t *auth_key;
	size_t auth_key_size;
	size_t max_err_data;
	size_t mr_cnt;
	uint32_t tclass;
	size_t max_ep_auth_key;
	uint32_t max_group_id;
	uint64_t max_cntr_value;
	uint64_t max_err_cntr_value;
};

/* Attributes of a fabric and the provider behind it. */
struct fi_fabric_attr {
	struct fid_fabric *fabric;
	/* Name of the fabric, e.g. a network. */
	char *name;
	/* Provider; layered ones as "core;layer". */
	char *prov_name;
	uint32_t prov_version;
	/* Version that the application asked for. */
	uint32_t api_version;
};

/*
 * One way to communicate. As hints: what the application needs, zero meaning any. As a result:
 * what it gets. Allocated and freed by the library; strings and addresses in it are malloc()ed
 * and may be replaced by the application.
 */
struct fi_info {
	/* Next of the list, best first; NULL ends it. */
	struct fi_info *next;
	/* FI_MSG, FI_TAGGED, ...: asked for, or granted. */
	uint64_t caps;
	/* As hints: what the application can live with. As a result: what it must do. */
	uint64_t mode;
	/* Format of src_addr and dest_addr. */
	uint32_t addr_format;
	size_t src_addrlen;
	size_t dest_addrlen;
	void *src_addr;
	void *dest_addr;
	/* A connection request, when the endpoint is to accept it. */
	fid_t handle;
	struct fi_tx_attr *tx_attr;
	struct fi_rx_attr *rx_attr;
	struct fi_ep_attr *ep_attr;
	struct fi_domain_attr *domain_attr;
	struct fi_fabric_attr *fabric_attr;
	/* The hardware behind it, if known. */
	struct fid_nic *nic;
};

/* Identity of a device. */
struct fi_device_attr {
	char *name;
	char *device_id;
	char *device_version;
	char *vendor_id;
	char *driver;
	char *firmware;
};

/* Where a device sits on the PCI bus. */
struct fi_pci_attr {
	uint16_t domain_id;
	uint8_t bus_id;
	uint8_t device_id;
	uint8_t function_id;
};

/* The bus a device is on. */
struct fi_bus_attr {
	enum fi_bus_type bus_type;
	union {
		struct fi_pci_attr pci;
	} attr;
};

/* State and speed of a link. */
struct fi_link_attr {
	char *address;
	size_t mtu;
	size_t speed;
	enum fi_link_state state;
	char *network_type;
};

/*
 * Operations that every object has. size counts the bytes of the table that the provider
 * filled.
 */
struct fi_ops {
	/* Bytes of the table that the provider filled. */
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

/*
 * The head of every object. The context is the application's; the operations are those that
 * all objects have.
 */
struct fid {
	size_t fclass;
	void *context;
	struct fi_ops *ops;
};

/* Operations of a fabric. */
struct fi_ops_fabric {
	size_t size;
	int (*domain)(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **dom,
			void *context);
	int (*passive_ep)(struct fid_fabric *fabric, struct fi_info *info,
			struct fid_pep **pep, void *context);
	int (*eq_open)(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
			void *context);
	int (*wait_open)(struct fid_fabric *fabric, struct fi_wait_attr *attr,
			struct fid_wait **waitset);
	int (*trywait)(struct fid_fabric *fabric, struct fid **fids, int count);
	int (*domain2)(struct fid_fabric *fabric, struct fi_info *info,
			struct fid_domain **dom, uint64_t flags, void *context);
};

/* A fabric: the set of resources that belong to one network. */
struct fid_fabric {
	struct fid fid;
	struct fi_ops_fabric *ops;
	uint32_t api_version;
};

/* Facts about the hardware behind a domain. */
struct fid_nic {
	struct fid fid;
	struct fi_device_attr *device_attr;
	struct fi_bus_attr *bus_attr;
	struct fi_link_attr *link_attr;
	void *prov_attr;
};

struct fi_alias {
	struct fid **fid;
	uint64_t flags;
};

struct fi_fid_var {
	int name;
	void *val;
};

struct fi_mr_raw_attr {
	uint64_t flags;
	uint64_t *base_addr;
	uint8_t *raw_key;
	size_t *key_size;
};

struct fi_mr_map_raw {
	uint64_t flags;
	uint64_t base_addr;
	uint8_t *raw_key;
	size_t key_size;
	uint64_t *key;
};

/* One environment parameter as fi_getparams lists it. */
struct fi_param {
	const char *name;
	enum fi_param_type type;
	const char *help_string;
	const char *value;
};

/* Memory for the provider during one operation, where mode FI_CONTEXT asks for it. */
struct fi_context {
	void *internal[4];
};

/* Larger operation context for mode FI_CONTEXT2. */
struct fi_context2 {
	void *internal[8];
};

struct fi_recv_context {
	struct fid_ep *ep;
	void *context;
};

uint32_t fi_version(void);

static inline uint32_t fi_tc_dscp_set(uint8_t dscp)
{
	return (uint32_t) dscp | FI_TC_DSCP;
}

static inline uint8_t fi_tc_dscp_get(uint32_t tclass)
{
	return (uint8_t) ((tclass & FI_TC_DSCP) ? (tclass & 0xff) : 0);
}

/*
 * Lists what fits the hints, best first; 0 or -FI_E*. The list is freed with fi_freeinfo().
 * node and service name the peer, or with FI_SOURCE the local side.
 */
int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
		const struct fi_info *hints, struct fi_info **info);

/* Frees a whole list. */
void fi_freeinfo(struct fi_info *info);

/* Copies one info; NULL gives an empty one. */
struct fi_info *fi_dupinfo(const struct fi_info *info);

/* An empty info with all attributes, for hints. */
static inline struct fi_info *fi_allocinfo(void)
{
	return fi_dupinfo(NULL);
}

int fi_fabric2(struct fi_info *info, struct fid_fabric **fabric, uint64_t flags,
		void *context);

/* Opens a fabric. */
int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);

int fi_open(uint32_t version, const char *name, void *attr, size_t attr_len,
		uint64_t flags, struct fid **fid, void *context);

/* Closes any object; -FI_EBUSY while others depend on it. */
static inline int fi_close(struct fid *fid)
{
	return fid->ops->close(fid);
}

/* Commands of fi_control() are listed above. */
static inline int fi_control(struct fid *fid, int command, void *arg)
{
	return fid->ops->control(fid, command, arg);
}

static inline int fi_alias(struct fid *fid, struct fid **alias_fid, uint64_t flags)
{
	struct fi_alias arg;

	arg.fid = alias_fid;
	arg.flags = flags;
	return fi_control(fid, FI_ALIAS, &arg);
}

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

static inline int fi_open_ops(struct fid *fid, const char *name, uint64_t flags,
		void **ops, void *context)
{
	return fid->ops->ops_open(fid, name, flags, ops, context);
}

static inline int fi_set_ops(struct fid *fid, const char *name, uint64_t flags,
		void *ops, void *context)
{
	if (!FI_CHECK_OP(fid->ops, struct fi_ops, ops_set))
		return -FI_ENOSYS;
	return fid->ops->ops_set(fid, name, flags, ops, context);
}

char *fi_tostr(const void *data, enum fi_type datatype);

char *fi_tostr_r(char *buf, size_t len, const void *data, enum fi_type datatype);

int fi_getparams(struct fi_param **params, int *count);

void fi_freeparams(struct fi_param *params);

#ifdef __cplusplus
}
#endif

#endif /* FABRIC_H */
