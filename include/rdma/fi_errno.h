/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Error numbers of the fabric interfaces. Functions return them negated; completions and
 * events carry them positive. Values below 256 are the errno values of the system.
 */

#ifndef FI_ERRNO_H
#define FI_ERRNO_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers that the system also has. */
#define FI_SUCCESS		0
#define FI_EPERM			1
#define FI_ENOENT		2
#define FI_EINTR			4
#define FI_EIO			5
#define FI_E2BIG			7
#define FI_EBADF			9
#define FI_EAGAIN		11
#define FI_ENOMEM		12
#define FI_EACCES		13
#define FI_EFAULT		14
#define FI_EBUSY			16
#define FI_ENODEV		19
#define FI_EINVAL		22
#define FI_EMFILE		24
#define FI_ENOSPC		28
#define FI_ENOSYS		38
#define FI_EWOULDBLOCK		FI_EAGAIN
#define FI_ENOMSG		42
#define FI_ENODATA		61
#define FI_EPROTO		71
#define FI_EOVERFLOW		75
#define FI_EMSGSIZE		90
#define FI_ENOPROTOOPT		92
#define FI_EOPNOTSUPP		95
#define FI_EADDRINUSE		98
#define FI_EADDRNOTAVAIL		99
#define FI_ENETDOWN		100
#define FI_ENETUNREACH		101
#define FI_ECONNABORTED		103
#define FI_ECONNRESET		104
#define FI_ENOBUFS		105
#define FI_EISCONN		106
#define FI_ENOTCONN		107
#define FI_ESHUTDOWN		108
#define FI_ETIMEDOUT		110
#define FI_ECONNREFUSED		111
#define FI_EHOSTDOWN		112
#define FI_EHOSTUNREACH		113
#define FI_EALREADY		114
#define FI_EINPROGRESS		115
#define FI_EREMOTEIO		121
#define FI_ECANCELED		125
#define FI_EKEYREJECTED		129

/* Numbers of the fabric interfaces alone begin here. */
#define FI_ERRNO_OFFSET		(1 << 8)

/* Errors that the system has no number for. */
enum {
	FI_EOTHER = 256,
	FI_ETOOSMALL,	/* buffer too small */
	FI_EOPBADSTATE,	/* not possible in this state */
	FI_EAVAIL,	/* an error is waiting to be read */
	FI_EBADFLAGS,	/* flags not supported */
	FI_ENOEQ,	/* event queue missing */
	FI_EDOMAIN,	/* domains do not fit */
	FI_ENOCQ,	/* completion queue missing */
	FI_ECRC,	/* checksum wrong */
	FI_ETRUNC,	/* message longer than the buffer */
	FI_ENOKEY,	/* key not available */
	FI_ENOAV,	/* address vector missing */
	FI_EOVERRUN,	/* queue overrun */
	FI_ENORX,	/* receiver not ready */
	FI_ENOMR,	/* memory region missing */
	FI_EFIREWALLADDR,	/* address behind a firewall */
	FI_ERRNO_MAX,
};

/* Text of an error number of either sign. */
const char *fi_strerror(int errnum);

#ifdef __cplusplus
}
#endif

#endif /* FI_ERRNO_H */
