/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Error numbers. A call that fails returns one of them negated, -FI_EAGAIN for instance; the
 * entries that report failed operations (fi_cq_err_entry, fi_eq_err_entry) hold them positive.
 * The global errno is never part of the interface.
 */

#ifndef FI_ERRNO_H
#define FI_ERRNO_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Below FI_ERRNO_OFFSET the numbers are those of Linux, spelled out so that they are the same
 * whatever <errno.h> says. The comments tell what a number means when a fabric call returns it,
 * where that is more than its usual meaning.
 */
#define FI_SUCCESS		0

/* The call cannot be served as it stands. */
#define FI_EPERM		1
#define FI_ENOENT		2	/* no such object, name or address */
#define FI_E2BIG		7
#define FI_EBADF		9
#define FI_EACCES		13	/* the region or domain does not grant this access */
#define FI_EFAULT		14
#define FI_EBUSY		16	/* closing an object that others still use */
#define FI_ENODEV		19
#define FI_EINVAL		22
#define FI_ENOSYS		38	/* the provider does not have this call */
#define FI_EPROTO		71	/* the peer breaks the protocol (after 1.17) */
#define FI_EOVERFLOW		75
#define FI_EMSGSIZE		90	/* more than max_msg_size or inject_size */
#define FI_ENOPROTOOPT		92	/* unknown level or option */
#define FI_EOPNOTSUPP		95

/* Try again, or nothing there yet. */
#define FI_EINTR		4
#define FI_EAGAIN		11	/* queue empty, or full: make progress and call again */
#define FI_EWOULDBLOCK		FI_EAGAIN
#define FI_ENOMSG		42	/* FI_PEEK found no message */
#define FI_ENODATA		61	/* in fi_getinfo(): nothing fits the hints */
#define FI_EALREADY		114
#define FI_EINPROGRESS		115
#define FI_ECANCELED		125	/* ended by fi_cancel() or by closing the endpoint */

/* Resources. */
#define FI_EIO			5
#define FI_ENOMEM		12
#define FI_EMFILE		24
#define FI_ENOSPC		28
#define FI_ENOBUFS		105

/* The network and the peer. */
#define FI_EADDRINUSE		98
#define FI_EADDRNOTAVAIL	99	/* also a message from a source that the AV does not know */
#define FI_ENETDOWN		100
#define FI_ENETUNREACH		101
#define FI_ECONNABORTED		103
#define FI_ECONNRESET		104
#define FI_EISCONN		106
#define FI_ENOTCONN		107
#define FI_ESHUTDOWN		108
#define FI_ETIMEDOUT		110
#define FI_ECONNREFUSED		111	/* nobody listens, or the peer called fi_reject() */
#define FI_EHOSTDOWN		112
#define FI_EHOSTUNREACH		113
#define FI_EREMOTEIO		121	/* the target failed to carry the operation out */
#define FI_EKEYREJECTED		129	/* the target does not know the memory key */

/* From here on the numbers are the fabric interfaces' own. */
#define FI_ERRNO_OFFSET		(1 << 8)

enum {
	FI_EOTHER = FI_ERRNO_OFFSET,	/* prov_errno is all there is to know */
	FI_ETOOSMALL,		/* the buffer does not hold the result; its length was returned */
	FI_EOPBADSTATE,		/* right call, wrong moment, e.g. before fi_enable() */
	FI_EAVAIL,		/* an error entry is next: read it with the readerr call */
	FI_EBADFLAGS,		/* unknown flags, or flags that exclude each other */
	FI_ENOEQ,		/* no event queue bound, and the object needs one */
	FI_EDOMAIN,		/* objects of different domains do not go together */
	FI_ENOCQ,		/* no completion queue bound, and the endpoint needs one */
	FI_ECRC,		/* data arrived damaged */
	FI_ETRUNC,		/* the message was longer than the posted buffer */
	FI_ENOKEY,		/* the requested memory key is taken or missing */
	FI_ENOAV,		/* no address vector bound, and the endpoint needs one */
	FI_EOVERRUN,		/* a queue overflowed; entries are lost, the queue is unusable */
	FI_ENORX,		/* the receiver had no buffer posted */
	FI_ENOMR,		/* no more memory regions to be had (after 1.17) */
	FI_EFIREWALLADDR,	/* behind a firewall: the peer has to connect (after 1.17) */
	FI_ERRNO_MAX		/* one past the last, grows with the API */
};

/*
 * A text for an error number of either sign. Constant memory, never NULL; numbers outside the
 * lists above give the text of FI_EOTHER. Provider-specific numbers (prov_errno) are explained
 * by fi_cq_strerror() and fi_eq_strerror() instead.
 */
const char *fi_strerror(int errnum);

#ifdef __cplusplus
}
#endif

#endif /* FI_ERRNO_H */
