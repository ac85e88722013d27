/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Operations that start later, without the application: when a counter has reached a value
 * (threshold), or when a device has written what it was told to (XPU).
 *
 * Two ways. A single transfer with the flag FI_TRIGGER has a struct fi_triggered_context as its
 * context. Deferred work is queued on a domain by fi_control(FI_QUEUE_WORK) and may also change
 * counters, so that one piece of work starts the next. In both, everything that is pointed to
 * stays until the operation is complete or taken back.
 */

#ifndef FI_TRIGGER_H
#define FI_TRIGGER_H

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Triggered transfers (FI_TRIGGER) ---- */

enum fi_trigger_event {
	FI_TRIGGER_THRESHOLD,	/* a counter */
	FI_TRIGGER_XPU,		/* a device */
};

/* Start when cntr is at threshold or above, lower thresholds first. */
struct fi_trigger_threshold {
	struct fid_cntr *cntr;
	size_t threshold;
};

/* One thing that the device is to write. */
struct fi_trigger_var {
	/* In: room at value. Out: FI_UINT8 to FI_UINT64, the size of an element. */
	enum fi_datatype datatype;
	/* In and out: elements. More than 8 bytes are given as FI_UINT8. */
	int count;
	/* Out: where it is to be written. */
	void *addr;
	/* Out: what. With count 1 in the member of that size, else in the caller's data. */
	union {
		uint8_t val8;
		uint16_t val16;
		uint32_t val32;
		uint64_t val64;
		uint8_t *data;
	} value;
};

/*
 * Start when the device has written all variables, in their order. The option FI_OPT_XPU_TRIGGER
 * tells how many there will be.
 */
struct fi_trigger_xpu {
	/* In: entries at var. Out: those that have been set. */
	int count;
	/* The device, as in fi_mr_attr; that of the transfer's buffers. */
	enum fi_hmem_iface iface;
	union {
		uint64_t reserved;
		int cuda;
		int ze;
	} device;
	/* Set by the time the transfer call returns. */
	struct fi_trigger_var *var;
};

/* The context of a transfer with FI_TRIGGER; also does as the fi_context of mode FI_CONTEXT. */
struct fi_triggered_context {
	enum fi_trigger_event event_type;
	union {
		struct fi_trigger_threshold threshold;
		struct fi_trigger_xpu xpu;
		void *internal[3];
	} trigger;
};

/* The same for mode FI_CONTEXT2. */
struct fi_triggered_context2 {
	enum fi_trigger_event event_type;
	union {
		struct fi_trigger_threshold threshold;
		struct fi_trigger_xpu xpu;
		void *internal[7];
	} trigger;
};

/* ---- Deferred work ---- */

/* What to do, and so which member of fi_deferred_work::op holds. */
enum fi_op_type {
	FI_OP_RECV,		/* msg */
	FI_OP_SEND,		/* msg */
	FI_OP_TRECV,		/* tagged */
	FI_OP_TSEND,		/* tagged */
	FI_OP_READ,		/* rma */
	FI_OP_WRITE,		/* rma */
	FI_OP_ATOMIC,		/* atomic */
	FI_OP_FETCH_ATOMIC,	/* fetch_atomic */
	FI_OP_COMPARE_ATOMIC,	/* compare_atomic */
	FI_OP_CNTR_SET,		/* cntr */
	FI_OP_CNTR_ADD,		/* cntr */
};

/* The arguments of the ...msg calls. */
struct fi_op_msg {
	struct fid_ep *ep;
	struct fi_msg msg;
	uint64_t flags;
};

struct fi_op_tagged {
	struct fid_ep *ep;
	struct fi_msg_tagged msg;
	uint64_t flags;
};

struct fi_op_rma {
	struct fid_ep *ep;
	struct fi_msg_rma msg;
	uint64_t flags;
};

struct fi_op_atomic {
	struct fid_ep *ep;
	struct fi_msg_atomic msg;
	uint64_t flags;
};

struct fi_op_fetch_atomic {
	struct fid_ep *ep;
	struct fi_msg_atomic msg;
	struct fi_msg_fetch fetch;
	uint64_t flags;
};

struct fi_op_compare_atomic {
	struct fid_ep *ep;
	struct fi_msg_atomic msg;
	struct fi_msg_fetch fetch;
	struct fi_msg_compare compare;
	uint64_t flags;
};

/* Set the counter to value, or add value to it. */
struct fi_op_cntr {
	struct fid_cntr *cntr;
	uint64_t value;
};

/*
 * One piece of work. It reports to completion_cntr, and to the endpoint's own queue and counters
 * only where FI_COMPLETION asks for it.
 */
struct fi_deferred_work {
	/* The provider's. */
	struct fi_context2 context;
	/* Start when successes and errors of triggering_cntr together are this or more. */
	uint64_t threshold;
	struct fid_cntr *triggering_cntr;
	/* Goes up by one at the end. NULL for work on counters. */
	struct fid_cntr *completion_cntr;
	enum fi_op_type op_type;
	union {
		struct fi_op_msg *msg;
		struct fi_op_tagged *tagged;
		struct fi_op_rma *rma;
		struct fi_op_atomic *atomic;
		struct fi_op_fetch_atomic *fetch_atomic;
		struct fi_op_compare_atomic *compare_atomic;
		struct fi_op_cntr *cntr;
	} op;
};

#ifdef __cplusplus
}
#endif

#endif /* FI_TRIGGER_H */
