/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of endpoints, connections (FI_EP_MSG), and groups for multicast.
 *
 * Connecting is asynchronous: a passive endpoint hears FI_CONNREQ on its event queue, the two
 * endpoints hear FI_CONNECTED on theirs, or an error such as FI_ECONNREFUSED. param is private
 * data that the peer finds in its event, up to the option FI_OPT_CM_DATA_SIZE.
 */

#ifndef FI_CM_H
#define FI_CM_H

#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A group that an endpoint has joined. Closing it leaves the group. */
struct fid_mc {
	struct fid fid;
	/* What stands for the group in sends: fi_mc_addr(). */
	fi_addr_t fi_addr;
};

struct fi_ops_cm {
	size_t size;
	int (*setname)(fid_t fid, void *addr, size_t addrlen);
	int (*getname)(fid_t fid, void *addr, size_t *addrlen);
	int (*getpeer)(struct fid_ep *ep, void *addr, size_t *addrlen);
	int (*connect)(struct fid_ep *ep, const void *addr, const void *param, size_t paramlen);
	int (*listen)(struct fid_pep *pep);
	int (*accept)(struct fid_ep *ep, const void *param, size_t paramlen);
	int (*reject)(struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen);
	int (*shutdown)(struct fid_ep *ep, uint64_t flags);
	int (*join)(struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
		    void *context);
};

/* ---- Names: of endpoints, active or passive. Format as addr_format of their fi_info. ---- */

/* Changes the address, before the endpoint is enabled or listens. */
static inline int fi_setname(fid_t fid, void *addr, size_t addrlen)
{
	struct fid_ep *ep = (struct fid_ep *) fid;

	return ep->cm->setname(fid, addr, addrlen);
}

/*
 * The address that peers reach it by, once it is enabled or listens. addrlen: in, the room at
 * addr; out, the length of the address. -FI_ETOOSMALL when that is more.
 */
static inline int fi_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct fid_ep *ep = (struct fid_ep *) fid;

	return ep->cm->getname(fid, addr, addrlen);
}

/* The address of the peer of a connected endpoint; addrlen as above. */
static inline int fi_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen)
{
	return ep->cm->getpeer(ep, addr, addrlen);
}

/* ---- Connections ---- */

/* Starts taking connection requests. FI_BACKLOG of fi_control() bounds those not yet answered. */
static inline int fi_listen(struct fid_pep *pep)
{
	return pep->cm->listen(pep);
}

/* Asks the passive endpoint at addr for a connection. */
static inline int fi_connect(struct fid_ep *ep, const void *addr, const void *param,
			     size_t paramlen)
{
	return ep->cm->connect(ep, addr, param, paramlen);
}

/* Answers with an endpoint that was opened with the fi_info of the request. */
static inline int fi_accept(struct fid_ep *ep, const void *param, size_t paramlen)
{
	return ep->cm->accept(ep, param, paramlen);
}

/* Turns a request down. handle: from the fi_info of the request, and used up by this. */
static inline int fi_reject(struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen)
{
	return pep->cm->reject(pep, handle, param, paramlen);
}

/*
 * Ends a connection; the peer hears FI_SHUTDOWN. Read the completions of what matters first:
 * what is still outstanding may fail. flags: 0.
 */
static inline int fi_shutdown(struct fid_ep *ep, uint64_t flags)
{
	return ep->cm->shutdown(ep, flags);
}

/* ---- Multicast ---- */

/*
 * Joins the group at addr, to receive from it and (unless flags is FI_RECV) send to it, or only
 * to send (FI_SEND). The group is usable after FI_JOIN_COMPLETE; fi_mc_addr() with FI_MULTICAST
 * sends to it.
 */
static inline int fi_join(struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
			  void *context)
{
	if (!FI_CHECK_OP(ep->cm, struct fi_ops_cm, join))
		return -FI_ENOSYS;
	return ep->cm->join(ep, addr, flags, mc, context);
}

static inline fi_addr_t fi_mc_addr(struct fid_mc *mc)
{
	return mc->fi_addr;
}

#ifdef __cplusplus
}
#endif

#endif /* FI_CM_H */
