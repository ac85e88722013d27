/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the test programs share: options, the control connection, the objects of the API, transfers by slots, data checks,
 * result tables and the runner of unit cases.
 *
 * Functions return 0 or a negative FI_E* number and have said on stderr what went wrong.
 */
#ifndef FAB_H
#define FAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#define FAB_VERSION FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION)
/* Port of a server's endpoint where addresses are not exchanged out of band. */
#define FAB_PORT "9228"
/* Port of the control connection (-b). */
#define FAB_CONTROL_PORT "3000"
/* The largest size of the tables. */
#define FAB_MAX_SIZE (1 << 20)

/* ---- options.c ---- */

enum fab_method { FAB_SPIN, FAB_YIELD, FAB_SREAD, FAB_FD };
enum fab_sizes { FAB_SIZES_DEFAULT, FAB_SIZES_ALL, FAB_SIZES_ONE };

struct fab_opts {
	const char *src_addr, *src_port;	/* -s, -B */
	const char *dst_addr, *dst_port;	/* server's address (NULL: this is the server), -P */
	const char *control_port;		/* -b; NULL: addresses are exchanged by messages */
	const char *fabric, *domain, *provider;	/* -f, -d, -p */
	enum fab_sizes sizes;
	size_t size;				/* -S */
	uint64_t iters, warmup;			/* -I, -w */
	size_t window;				/* -W */
	unsigned int timeout;			/* -T, seconds without any progress */
	enum fab_method method;			/* -c */
	bool counters;				/* -t counter */
	bool verify, machine, align, delivery_complete;	/* -v -m -l -U */
	unsigned int count;			/* -n of unit tests */
	const char *good_addr, *bad_addr;	/* -g, -G of unit tests */
};

/* Which groups of options a program has. */
#define FAB_OPTS_PAIR	(1 << 0)	/* server and client */
#define FAB_OPTS_SIZES	(1 << 1)
#define FAB_OPTS_WINDOW	(1 << 2)
#define FAB_OPTS_COUNT	(1 << 3)
#define FAB_OPTS_ADDRS	(1 << 4)

/* Exits after -h and after bad options. The defaults are what `opts` holds before. */
void fab_parse(struct fab_opts *opts, int argc, char **argv, int groups, const char *about);
/* Sizes to run, ended by SIZE_MAX, none above `max`. */
const size_t *fab_size_list(const struct fab_opts *opts, size_t max);

/* ---- fab.c: one endpoint with all it needs ---- */

struct fab;

struct fab_op {
	struct fi_context2 context;	/* first: a completion's context is the operation */
	uint64_t seq;
	bool busy;
};

struct fab {
	struct fab_opts opt;
	const char *name;		/* of the program */
	struct fi_info *hints, *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *txcq, *rxcq;
	struct fid_cntr *txcntr, *rxcntr;
	struct fid_ep *ep;
	struct fid_mr *mr;
	fi_addr_t peer;
	int control;			/* control connection, -1: none */
	bool tagged;
	bool no_inject;			/* sends complete only when the provider is done with them */

	/*
	 * Slots: message n of a direction lives in slot n % slots. Slots share one buffer where contents do not matter,
	 * which keeps the caches out of the measurement.
	 */
	size_t slots, slot_size, slot_stride, buf_size;
	char *buf, *tx, *rx;
	struct fab_op *txop, *rxop;
	uint64_t tx_posted, tx_done, rx_posted, rx_done;
	uint64_t rx_taken;		/* of those received, how many fab_receive has given */

	/* Length of every message that comes from now on, SIZE_MAX: any, and unchecked. */
	size_t expect;
	uint64_t bad;			/* messages with wrong length or content */
	/* Called for each received message before its slot is posted again. */
	void (*received)(struct fab *f, uint64_t seq, const char *data, size_t len);
	void *user;			/* of `received` */
};

/* Empty hints of the options, to be completed by the program. */
int fab_init(struct fab *f, const char *name, const struct fab_opts *opts, enum fi_ep_type type,
	     uint64_t caps);
/* fi_getinfo by hints and options. */
int fab_getinfo(struct fab *f);
/* Opens fabric and domain. */
int fab_open_domain(struct fab *f);
/* Opens queues, address vector, buffers and endpoint; enables it. */
int fab_open_ep(struct fab *f, size_t slots, size_t slot_size);
/* Posts all receives. */
int fab_post_all(struct fab *f);
/* Everything up to known peers: getinfo, objects, all receives posted, addresses exchanged. */
int fab_start(struct fab *f, size_t slots, size_t slot_size);
/* The same for a program with operations of its own: no receives, addresses over the control connection. */
int fab_connect(struct fab *f);
void fab_close(struct fab *f);
/* The endpoint's own address; *len is the size of buf before. */
int fab_name(struct fab *f, void *buf, size_t *len);
int fab_insert(struct fab *f, const void *addr, fi_addr_t *to);

/* ---- transfer.c ---- */

/* Receives are posted again by themselves as they complete; fab_start posts the first ones. */
/* Sends `len` bytes of the next slot, which is filled first when data is checked. */
int fab_send(struct fab *f, size_t len);
/* Buffer of the next message to send, free to be written. NULL: an operation failed. */
char *fab_tx_slot(struct fab *f);
/* As fab_send, with contents that the caller wrote into fab_tx_slot. */
int fab_send_slot(struct fab *f, size_t len);
/* Waits for the next `count` messages. They may have come before, while something else was waited for. */
int fab_receive(struct fab *f, uint64_t count);
/* Waits until something more has come, for at most that long: -FI_ETIMEDOUT, silently. */
int fab_wait_any(struct fab *f, unsigned int ms);
/* Waits until all sends have completed. */
int fab_flush(struct fab *f);
/* Takes what has completed, without waiting. */
int fab_progress(struct fab *f);
/* Reads and reports an error completion; gives its error as a negative number. */
int fab_cq_error(struct fid_cq *cq, const char *what);
/* Both sides come here before either goes on. */
int fab_sync(struct fab *f);

/* ---- control.c: a TCP connection beside the fabric ---- */

int fab_control_listen(const char *port);	/* listening socket or error */
int fab_control_accept(int listener, unsigned int timeout);
int fab_control_connect(const char *host, const char *port, unsigned int timeout);
/* Sends a block and receives the other side's, of at most *len bytes. */
int fab_control_exchange(int fd, const void *mine, size_t mine_len, void *theirs, size_t *len);
/* Waits for the other side to come here too, and calls `drive` meanwhile. */
int fab_control_sync(int fd, void (*drive)(void *), void *arg);

/* ---- check.c ---- */

/* Content of message `seq`. */
void fab_fill(void *buf, size_t len, uint64_t seq);
/* Offset of the first wrong byte, SIZE_MAX: none. */
size_t fab_verify(const void *buf, size_t len, uint64_t seq);

/* ---- report.c ---- */

uint64_t fab_now_ns(void);
/* One line of the table; the first call writes the header. `per_iter`: messages an iteration. */
void fab_report(const struct fab *f, size_t size, uint64_t iters, uint64_t ns, unsigned int per_iter);
int fab_error(const char *call, int ret);	/* says it on stderr, gives ret */
/* Exit code of a result: 0, 1, or FI_ENODATA for what the provider does not offer. */
int fab_exit(int ret);

/* ---- unit.c ---- */

struct fab_case {
	const char *name;
	/* 0: passed; -FI_ENOSYS, -FI_ENODATA: the provider does not offer it; else failed */
	int (*run)(struct fab *f);
};

/* Runs all, prints a line for each and a summary; gives the exit code. */
int fab_run_cases(struct fab *f, const struct fab_case *cases, size_t count);
void fab_case_failed(const char *file, int line, const char *condition, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* In a case: what must hold. The rest says what was found. */
#define REQUIRE(condition, ...)								\
	do {										\
		if (!(condition)) {							\
			fab_case_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);	\
			return -FI_EOTHER;						\
		}									\
	} while (0)

#endif
