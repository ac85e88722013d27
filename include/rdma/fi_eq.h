/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where outcomes are reported, and how to wait for them: event queues for control operations,
 * completion queues and counters for data transfers.
 *
 * Reading a queue or counter is also what drives a provider with manual progress. The waiting
 * calls take milliseconds; a negative timeout waits for ever.
 */

#ifndef FI_EQ_H
#define FI_EQ_H

#include <poll.h>
#include <pthread.h>
#include <rdma/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_wait;
struct fid_poll;
struct fid_eq;
struct fid_cq;
struct fid_cntr;

/* ---- Wait objects ---- */

/* What a thread blocks on. fi_control(FI_GETWAIT) hands out those that have a form outside. */
enum fi_wait_obj {
	FI_WAIT_NONE,		/* nothing: the application only polls */
	FI_WAIT_UNSPEC,		/* whatever suits the provider; only its own calls wait */
	FI_WAIT_SET,		/* the wait set in wait_set */
	FI_WAIT_FD,		/* a descriptor for poll() or epoll; FI_GETWAIT gives an int */
	FI_WAIT_MUTEX_COND,	/* FI_GETWAIT gives a struct fi_mutex_cond */
	FI_WAIT_YIELD,		/* none: waiting calls poll and yield the processor */
	FI_WAIT_POLLFD,		/* several descriptors; FI_GETWAIT uses struct fi_wait_pollfd */
};

struct fi_mutex_cond {
	pthread_mutex_t *mutex;
	pthread_cond_t *cond;
};

/* In: room at fd. Out: the descriptors to poll() and with which events. */
struct fi_wait_pollfd {
	/* Changes whenever the set of descriptors does. */
	uint64_t change_index;
	/* -FI_ETOOSMALL sets it to the number needed. */
	size_t nfds;
	struct pollfd *fd;
};

/*
 * Asks, before an application blocks on wait objects by its own means, whether it may. 0: no
 * event can slip by unnoticed. -FI_EAGAIN: there are events in one of the objects, read first.
 */
static inline int fi_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	return fabric->ops->trywait(fabric, fids, count);
}

/* ---- Event queues ---- */

/* What an event is about, and what the buffer of fi_eq_read() then holds. */
enum {
	FI_NOTIFY,		/* struct fi_eq_entry: state of an object has changed */
	FI_CONNREQ,		/* struct fi_eq_cm_entry: a peer asks for a connection */
	FI_CONNECTED,		/* struct fi_eq_cm_entry: an endpoint is ready for transfers */
	FI_SHUTDOWN,		/* struct fi_eq_cm_entry: the connection of an endpoint is gone */
	FI_MR_COMPLETE,		/* struct fi_eq_entry: a region is registered */
	FI_AV_COMPLETE,		/* struct fi_eq_entry: data is the number of addresses inserted */
	FI_JOIN_COMPLETE,	/* struct fi_eq_entry: a group is joined */
};

struct fi_eq_attr {
	/* Events that it holds at least. 0 leaves it to the provider. */
	size_t size;
	/* FI_WRITE: fi_eq_write() will be used. FI_AFFINITY: signaling_vector is set. */
	uint64_t flags;
	enum fi_wait_obj wait_obj;
	/* The CPU that interrupts should go to, from 0. A hint. */
	int signaling_vector;
	/* The wait set, for FI_WAIT_SET. */
	struct fid_wait *wait_set;
};

/* A control operation that has succeeded. */
struct fi_eq_entry {
	/* The object it was about. */
	fid_t fid;
	/* The context given to the operation, or that of the object. */
	void *context;
	/* Depends on the event. */
	uint64_t data;
};

/* One that has failed, or an object that has broken. */
struct fi_eq_err_entry {
	fid_t fid;
	void *context;
	/* Insertion of addresses: the index of the one that failed. */
	uint64_t data;
	/* FI_E*, positive. */
	int err;
	/* The provider's own number, for fi_eq_strerror(). */
	int prov_errno;
	/*
	 * More about the error. In: a buffer of the caller's and its size; size 0: the provider
	 * points to memory of its own, good until the queue is next read. Out: size is what
	 * there is. A rejected connection's private data is here.
	 */
	void *err_data;
	size_t err_data_size;
};

/* C++ has no arrays without a size, though its compilers do. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpedantic"
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif

struct fi_eq_cm_entry {
	/* CONNREQ: the passive endpoint. Else the endpoint. */
	fid_t fid;
	/*
	 * CONNREQ: what to open an endpoint with, to accept; its handle, to reject. The
	 * application frees it. Else NULL.
	 */
	struct fi_info *info;
	/* The peer's private data: as much as fi_eq_read() returned beyond this structure. */
	__extension__ uint8_t data[];
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

struct fi_ops_eq {
	size_t size;
	ssize_t (*read)(struct fid_eq *eq, uint32_t *event, void *buf, size_t len,
			uint64_t flags);
	ssize_t (*readerr)(struct fid_eq *eq, struct fi_eq_err_entry *buf, uint64_t flags);
	ssize_t (*write)(struct fid_eq *eq, uint32_t event, const void *buf, size_t len,
			 uint64_t flags);
	ssize_t (*sread)(struct fid_eq *eq, uint32_t *event, void *buf, size_t len, int timeout,
			 uint64_t flags);
	const char *(*strerror)(struct fid_eq *eq, int prov_errno, const void *err_data, char *buf,
				size_t len);
};

struct fid_eq {
	struct fid fid;
	struct fi_ops_eq *ops;
};

static inline int fi_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
			     struct fid_eq **eq, void *context)
{
	return fabric->ops->eq_open(fabric, attr, eq, context);
}

/*
 * Takes one event; with FI_PEEK it also stays. Returns the bytes written to buf. -FI_EAGAIN:
 * there is none. -FI_EAVAIL: an error is next, for fi_eq_readerr(). -FI_ETOOSMALL: len is.
 */
static inline ssize_t fi_eq_read(struct fid_eq *eq, uint32_t *event, void *buf, size_t len,
				 uint64_t flags)
{
	return eq->ops->read(eq, event, buf, len, flags);
}

/* The same, waiting for an event. -FI_EAGAIN when the time is over. */
static inline ssize_t fi_eq_sread(struct fid_eq *eq, uint32_t *event, void *buf, size_t len,
				  int timeout, uint64_t flags)
{
	return eq->ops->sread(eq, event, buf, len, timeout, flags);
}

/* Takes the error that is next. Returns the size of the entry. */
static inline ssize_t fi_eq_readerr(struct fid_eq *eq, struct fi_eq_err_entry *buf, uint64_t flags)
{
	return eq->ops->readerr(eq, buf, flags);
}

/* Adds an event of the application's own, of any number and content. Returns len. */
static inline ssize_t fi_eq_write(struct fid_eq *eq, uint32_t event, const void *buf, size_t len,
				  uint64_t flags)
{
	return eq->ops->write(eq, event, buf, len, flags);
}

/* Explains prov_errno: a text of the provider's, which is copied to buf as well if there is one. */
static inline const char *fi_eq_strerror(struct fid_eq *eq, int prov_errno, const void *err_data,
					 char *buf, size_t len)
{
	return eq->ops->strerror(eq, prov_errno, err_data, buf, len);
}

/* ---- Completion queues ---- */

/* What one completion looks like; each format begins like the one before it. */
enum fi_cq_format {
	FI_CQ_FORMAT_UNSPEC,	/* the provider chooses, and sets the attribute */
	FI_CQ_FORMAT_CONTEXT,	/* struct fi_cq_entry */
	FI_CQ_FORMAT_MSG,	/* struct fi_cq_msg_entry */
	FI_CQ_FORMAT_DATA,	/* struct fi_cq_data_entry */
	FI_CQ_FORMAT_TAGGED,	/* struct fi_cq_tagged_entry */
};

/* What cond of fi_cq_sread() says. Callers may be woken early all the same. */
enum fi_cq_wait_cond {
	FI_CQ_COND_NONE,	/* nothing: any completion wakes */
	FI_CQ_COND_THRESHOLD,	/* a size_t: that many completions do */
};

struct fi_cq_attr {
	/* Completions that it holds at least. 0 leaves it to the provider. */
	size_t size;
	/* FI_AFFINITY: signaling_vector is set. FI_PEER: see fi_peer.h. */
	uint64_t flags;
	enum fi_cq_format format;
	enum fi_wait_obj wait_obj;
	/* The CPU that interrupts should go to, from 0. A hint. */
	int signaling_vector;
	enum fi_cq_wait_cond wait_cond;
	/* The wait set, for FI_WAIT_SET. */
	struct fid_wait *wait_set;
};

struct fi_cq_entry {
	/* The context given to the operation; NULL when the peer started it. */
	void *op_context;
};

struct fi_cq_msg_entry {
	void *op_context;
	/*
	 * What has completed: FI_MSG, FI_TAGGED, FI_RMA or FI_ATOMIC, with FI_SEND, FI_RECV,
	 * FI_READ, FI_WRITE, FI_REMOTE_READ or FI_REMOTE_WRITE. FI_REMOTE_CQ_DATA: data is set.
	 * FI_MULTI_RECV: the buffer is the application's again.
	 */
	uint64_t flags;
	/* Bytes received. Not set for what was started here. */
	size_t len;
};

struct fi_cq_data_entry {
	void *op_context;
	uint64_t flags;
	size_t len;
	/* Where the message begins in a buffer posted with FI_MULTI_RECV. */
	void *buf;
	/* Immediate data, in host byte order. */
	uint64_t data;
};

struct fi_cq_tagged_entry {
	void *op_context;
	uint64_t flags;
	size_t len;
	void *buf;
	uint64_t data;
	/* Of a tagged receive: the sender's tag. */
	uint64_t tag;
};

/*
 * A failed operation; every failure is reported, also of operations that asked for no
 * completion. How much of this is written depends on the version passed to fi_getinfo(): up to
 * err_data (72 bytes) below 1.5, up to err_data_size (80) below 1.20, from then on all of it.
 */
struct fi_cq_err_entry {
	void *op_context;
	uint64_t flags;
	size_t len;
	void *buf;
	uint64_t data;
	uint64_t tag;
	/* FI_ETRUNC: bytes of the message that had no room and are lost. */
	size_t olen;
	/* FI_E*, positive. */
	int err;
	/* The provider's own number, for fi_cq_strerror(). */
	int prov_errno;
	/*
	 * More about the error, as in fi_eq_err_entry. FI_EADDRNOTAVAIL on endpoints with
	 * FI_SOURCE_ERR: the message has been received, and this is the address of its sender.
	 */
	void *err_data;
	size_t err_data_size;
	/* The peer, or FI_ADDR_NOTAVAIL. */
	fi_addr_t src_addr;
};

struct fi_ops_cq {
	size_t size;
	ssize_t (*read)(struct fid_cq *cq, void *buf, size_t count);
	ssize_t (*readfrom)(struct fid_cq *cq, void *buf, size_t count, fi_addr_t *src_addr);
	ssize_t (*readerr)(struct fid_cq *cq, struct fi_cq_err_entry *buf, uint64_t flags);
	ssize_t (*sread)(struct fid_cq *cq, void *buf, size_t count, const void *cond, int timeout);
	ssize_t (*sreadfrom)(struct fid_cq *cq, void *buf, size_t count, fi_addr_t *src_addr,
			     const void *cond, int timeout);
	int (*signal)(struct fid_cq *cq);
	const char *(*strerror)(struct fid_cq *cq, int prov_errno, const void *err_data, char *buf,
				size_t len);
};

struct fid_cq {
	struct fid fid;
	struct fi_ops_cq *ops;
};

/*
 * Takes up to count completions, in the format of the queue. Returns how many. -FI_EAGAIN:
 * there is none. -FI_EAVAIL: an error is next, for fi_cq_readerr(). With buf NULL and count 0
 * it only makes progress.
 */
static inline ssize_t fi_cq_read(struct fid_cq *cq, void *buf, size_t count)
{
	return cq->ops->read(cq, buf, count);
}

/* The same, and for each receive the sender: FI_ADDR_NOTAVAIL without FI_SOURCE or if unknown. */
static inline ssize_t fi_cq_readfrom(struct fid_cq *cq, void *buf, size_t count,
				     fi_addr_t *src_addr)
{
	return cq->ops->readfrom(cq, buf, count, src_addr);
}

/*
 * Takes the error that is next. Returns 1. Set err_data and err_data_size before: zeroes when
 * the provider's memory will do.
 */
static inline ssize_t fi_cq_readerr(struct fid_cq *cq, struct fi_cq_err_entry *buf, uint64_t flags)
{
	/* Providers of older versions do not write it. */
	if (buf)
		buf->src_addr = FI_ADDR_NOTAVAIL;
	return cq->ops->readerr(cq, buf, flags);
}

/* fi_cq_read(), waiting for a completion. -FI_EAGAIN when the time is over or on fi_cq_signal(). */
static inline ssize_t fi_cq_sread(struct fid_cq *cq, void *buf, size_t count, const void *cond,
				  int timeout)
{
	return cq->ops->sread(cq, buf, count, cond, timeout);
}

/* fi_cq_readfrom(), waiting for a completion. */
static inline ssize_t fi_cq_sreadfrom(struct fid_cq *cq, void *buf, size_t count,
				      fi_addr_t *src_addr, const void *cond, int timeout)
{
	return cq->ops->sreadfrom(cq, buf, count, src_addr, cond, timeout);
}

/* Wakes a thread that waits in fi_cq_sread(), without a completion. */
static inline int fi_cq_signal(struct fid_cq *cq)
{
	return cq->ops->signal(cq);
}

/* Explains prov_errno, see fi_eq_strerror(). */
static inline const char *fi_cq_strerror(struct fid_cq *cq, int prov_errno, const void *err_data,
					 char *buf, size_t len)
{
	return cq->ops->strerror(cq, prov_errno, err_data, buf, len);
}

/* ---- Counters ---- */

enum fi_cntr_events {
	FI_CNTR_EVENTS_COMP,	/* counts completions */
	FI_CNTR_EVENTS_BYTES,	/* counts bytes (after 1.17) */
};

struct fi_cntr_attr {
	enum fi_cntr_events events;
	enum fi_wait_obj wait_obj;
	/* The wait set, for FI_WAIT_SET. */
	struct fid_wait *wait_set;
	/* 0, or FI_PEER: see fi_peer.h. */
	uint64_t flags;
};

struct fi_ops_cntr {
	size_t size;
	uint64_t (*read)(struct fid_cntr *cntr);
	uint64_t (*readerr)(struct fid_cntr *cntr);
	int (*add)(struct fid_cntr *cntr, uint64_t value);
	int (*set)(struct fid_cntr *cntr, uint64_t value);
	int (*wait)(struct fid_cntr *cntr, uint64_t threshold, int timeout);
	int (*adderr)(struct fid_cntr *cntr, uint64_t value);
	int (*seterr)(struct fid_cntr *cntr, uint64_t value);
};

/* Two numbers: what has succeeded and what has failed. */
struct fid_cntr {
	struct fid fid;
	struct fi_ops_cntr *ops;
};

/* How much has succeeded. */
static inline uint64_t fi_cntr_read(struct fid_cntr *cntr)
{
	return cntr->ops->read(cntr);
}

/* How much has failed. */
static inline uint64_t fi_cntr_readerr(struct fid_cntr *cntr)
{
	return cntr->ops->readerr(cntr);
}

/* These change the numbers. Setting one while operations go on may lose some of them. */
static inline int fi_cntr_add(struct fid_cntr *cntr, uint64_t value)
{
	return cntr->ops->add(cntr, value);
}

static inline int fi_cntr_set(struct fid_cntr *cntr, uint64_t value)
{
	return cntr->ops->set(cntr, value);
}

static inline int fi_cntr_adderr(struct fid_cntr *cntr, uint64_t value)
{
	if (!FI_CHECK_OP(cntr->ops, struct fi_ops_cntr, adderr))
		return -FI_ENOSYS;
	return cntr->ops->adderr(cntr, value);
}

static inline int fi_cntr_seterr(struct fid_cntr *cntr, uint64_t value)
{
	if (!FI_CHECK_OP(cntr->ops, struct fi_ops_cntr, seterr))
		return -FI_ENOSYS;
	return cntr->ops->seterr(cntr, value);
}

/*
 * Waits until threshold or more have succeeded. -FI_EAVAIL: meanwhile something failed.
 * -FI_ETIMEDOUT: the time is over.
 */
static inline int fi_cntr_wait(struct fid_cntr *cntr, uint64_t threshold, int timeout)
{
	return cntr->ops->wait(cntr, threshold, timeout);
}

/* ---- Deprecated: wait sets and poll sets ---- */

/* Wait on descriptors (FI_WAIT_FD) with fi_trywait() and poll(), or on one queue for all. */

struct fi_wait_attr {
	/* FI_WAIT_UNSPEC, FI_WAIT_FD, FI_WAIT_MUTEX_COND or FI_WAIT_YIELD. */
	enum fi_wait_obj wait_obj;
	/* 0. */
	uint64_t flags;
};

struct fi_ops_wait {
	size_t size;
	int (*wait)(struct fid_wait *waitset, int timeout);
};

/* A wait object that several queues and counters signal. */
struct fid_wait {
	struct fid fid;
	struct fi_ops_wait *ops;
};

/* 0: something has happened. -FI_ETIMEDOUT: the time is over. */
FI_DEPRECATED_FUNC static inline int fi_wait(struct fid_wait *waitset, int timeout)
{
	return waitset->ops->wait(waitset, timeout);
}

struct fi_poll_attr {
	/* 0. */
	uint64_t flags;
};

struct fi_ops_poll {
	size_t size;
	int (*poll)(struct fid_poll *pollset, void **context, int count);
	int (*poll_add)(struct fid_poll *pollset, struct fid *event_fid, uint64_t flags);
	int (*poll_del)(struct fid_poll *pollset, struct fid *event_fid, uint64_t flags);
};

/* Queues and counters to be looked at together. */
struct fid_poll {
	struct fid fid;
	struct fi_ops_poll *ops;
};

/* Makes progress on all, and returns how many contexts of ones with events it has written. */
FI_DEPRECATED_FUNC static inline int fi_poll(struct fid_poll *pollset, void **context, int count)
{
	return pollset->ops->poll(pollset, context, count);
}

FI_DEPRECATED_FUNC static inline int fi_poll_add(struct fid_poll *pollset, struct fid *event_fid,
						 uint64_t flags)
{
	return pollset->ops->poll_add(pollset, event_fid, flags);
}

FI_DEPRECATED_FUNC static inline int fi_poll_del(struct fid_poll *pollset, struct fid *event_fid,
						 uint64_t flags)
{
	return pollset->ops->poll_del(pollset, event_fid, flags);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_EQ_H */
