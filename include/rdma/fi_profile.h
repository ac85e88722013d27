/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Statistics of an open object: variables that can be read, and events that call back. All of
 * this is newer than 1.17.
 */

#ifndef FI_PROFILE_H
#define FI_PROFILE_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fid_profile;

/* Variables that mean the same with all providers. Which there are, query_vars tells. */
enum {
	FI_VAR_UNEXP_MSG_CNT,	/* messages that wait for a receive */
	FI_VAR_UNEXP_MSG_QUEUE,	/* and what they are */
	FI_VAR_MSG_QUEUE_CNT,	/* receives that wait for a message */
	FI_VAR_CONNECTION_CNT,	/* connections that are open */
	FI_VAR_CONN_REQUEST,	/* connection requests so far */
	FI_VAR_CONN_ACCEPT,	/* those accepted */
	FI_VAR_CONN_REJECT,	/* those turned down */
	FI_VAR_OFI_MEM,		/* bytes of memory that the provider uses */
};

/* Events likewise. */
enum {
	FI_EVENT_UNEXP_MSG_RECVD,	/* a message came that nothing had been posted for */
	FI_EVENT_UNEXP_MSG_MATCHED,	/* one of them has met its receive */
};

/* Which member of fi_profile_desc::datatype holds. */
enum fi_profile_type {
	fi_primitive_type,	/* a number or an array of numbers */
	fi_defined_type,	/* something that fi_tostr() can print */
};

/* A variable, or the data of an event. */
struct fi_profile_desc {
	/* FI_VAR_* or FI_EVENT_*, or a provider's own. */
	uint32_t id;
	enum fi_profile_type datatype_sel;
	union {
		enum fi_datatype primitive;
		enum fi_type defined;
	} datatype;
	uint64_t flags;
	/* Bytes of it. */
	size_t size;
	/* Both live as long as the profile. */
	const char *name;
	const char *desc;
};

struct fi_profile_ops {
	size_t size;
	void (*reset)(struct fid_profile *prof_fid, uint64_t flags);
	ssize_t (*query_vars)(struct fid_profile *prof_fid, struct fi_profile_desc *varlist,
			      size_t *count);
	ssize_t (*query_events)(struct fid_profile *prof_fid, struct fi_profile_desc *eventlist,
				size_t *count);
	ssize_t (*read_var)(struct fid_profile *prof_fid, uint32_t var_id, void *data,
			    size_t *size);
	int (*reg_callback)(struct fid_profile *prof_fid, uint32_t event_id,
			    int (*callback)(struct fid_profile *prof_fid,
					    struct fi_profile_desc *event, void *param,
					    size_t size, void *context),
			    void *context);
	void (*start_reads)(struct fid_profile *prof_fid, uint64_t flags);
	void (*end_reads)(struct fid_profile *prof_fid, uint64_t flags);
};

struct fid_profile {
	struct fid fid;
	struct fi_profile_ops *ops;
};

/* The profile of an object. -FI_ENOSYS: its provider keeps none. */
static inline int fi_profile_open(struct fid *fid, uint64_t flags, struct fid_profile **prof_fid,
				  void *context)
{
	void *ops = NULL;
	int ret;

	ret = fi_open_ops(fid, "fi_profile_ops", flags, &ops, context);
	/* What the provider gives out is where ops is in the profile. */
	if (!ret)
		*prof_fid = (struct fid_profile *)
			(void *) ((char *) ops - offsetof(struct fid_profile, ops));
	return ret;
}

static inline int fi_profile_close(struct fid_profile *prof_fid)
{
	return prof_fid->fid.ops->close(&prof_fid->fid);
}

/* Sets what can be set to zero. */
static inline void fi_profile_reset(struct fid_profile *prof_fid, uint64_t flags)
{
	prof_fid->ops->reset(prof_fid, flags);
}

/*
 * These list variables and events. count: in, the room at the list, which may be NULL; out, how
 * many there are. Return how many were written.
 */
static inline ssize_t fi_profile_query_vars(struct fid_profile *prof_fid,
					    struct fi_profile_desc *varlist, size_t *count)
{
	return prof_fid->ops->query_vars(prof_fid, varlist, count);
}

static inline ssize_t fi_profile_query_events(struct fid_profile *prof_fid,
					      struct fi_profile_desc *eventlist, size_t *count)
{
	return prof_fid->ops->query_events(prof_fid, eventlist, count);
}

/* Reads a variable of 8 bytes. Others are read through ops->read_var. */
static inline ssize_t fi_profile_read_u64(struct fid_profile *prof_fid, uint32_t var_id,
					  uint64_t *data)
{
	size_t size = sizeof(uint64_t);
	ssize_t ret;

	ret = prof_fid->ops->read_var(prof_fid, var_id, data, &size);
	return ret > 0 ? 0 : ret;
}

/* Variables read between these two are of one moment. */
static inline void fi_profile_start_reads(struct fid_profile *prof_fid, uint64_t flags)
{
	prof_fid->ops->start_reads(prof_fid, flags);
}

static inline void fi_profile_end_reads(struct fid_profile *prof_fid, uint64_t flags)
{
	prof_fid->ops->end_reads(prof_fid, flags);
}

/*
 * Has callback called on each event of a kind, from within the provider: it must be quick and
 * call nothing. param are size bytes of what the event is about.
 */
static inline int fi_profile_register_callback(struct fid_profile *prof_fid, uint32_t event_id,
					       int (*callback)(struct fid_profile *prof_fid,
							       struct fi_profile_desc *event,
							       void *param, size_t size,
							       void *context),
					       void *context)
{
	return prof_fid->ops->reg_callback(prof_fid, event_id, callback, context);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_PROFILE_H */
