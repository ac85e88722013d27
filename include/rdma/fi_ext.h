/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Extensions: options of single providers, and objects that an application gives to the library,
 * which are its own log and its own watch over memory mappings.
 */

#ifndef FI_EXT_H
#define FI_EXT_H

#include <stdbool.h>
#include <rdma/fabric.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options of single providers, for fi_getopt() and fi_setopt() ---- */

/* A provider has a number, and its options count up from minus that: all are negative. */
#define FI_PROV_SPECIFIC_EFA	(0xefa << 16)
#define FI_PROV_SPECIFIC_TCP	(0x7cb << 16)

enum {
	/* size_t: how often a message is sent again to a receiver that is not ready. */
	FI_OPT_EFA_RNR_RETRY = -FI_PROV_SPECIFIC_EFA,
	/* bool, read only: whether these are emulated. This and the rest are newer than 1.17. */
	FI_OPT_EFA_EMULATED_READ,
	FI_OPT_EFA_EMULATED_WRITE,
	FI_OPT_EFA_EMULATED_ATOMICS,
	/* bool: use RDMA of the device. */
	FI_OPT_EFA_USE_DEVICE_RDMA,
	/* bool: aligned blocks of 128 bytes arrive in order. */
	FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES,
	FI_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES,
	/* bool: all peers are of the same kind and version. */
	FI_OPT_EFA_HOMOGENEOUS_PEERS,
	/* bool: immediate data of writes takes no posted receive. */
	FI_OPT_EFA_USE_UNSOLICITED_WRITE_RECV,
};

/* ---- Importing and exporting objects ---- */

/* fi_export_fid(), as the provider gets it. */
struct fi_fid_export {
	struct fid **fid;
	uint64_t flags;
	void *context;
};

/* Makes an object of this one that another can import. No provider does so today. */
static inline int fi_export_fid(struct fid *fid, uint64_t flags, struct fid **expfid,
				void *context)
{
	struct fi_fid_export args;

	args.fid = expfid;
	args.flags = flags;
	args.context = context;
	return fi_control(fid, FI_EXPORT_FID, &args);
}

/* Gives an object to one that can use it, from then until it is closed. */
static inline int fi_import_fid(struct fid *fid, struct fid *expfid, uint64_t flags)
{
	return fid->ops->bind(fid, expfid, flags);
}

/*
 * Gives an object to a part of the library, by name; the arguments before flags are those of
 * fi_open(). The library fills in what of the object is its own. Closing fid takes it back.
 */
static inline int fi_import(uint32_t version, const char *name, void *attr, size_t attr_len,
			    uint64_t flags, struct fid *fid, void *context)
{
	struct fid *library_fid;
	int ret;

	ret = fi_open(version, name, attr, attr_len, flags, &library_fid, context);
	if (ret)
		return ret;
	ret = fi_import_fid(library_fid, fid, flags);
	fi_close(library_fid);
	return ret;
}

/* ---- The log ---- */

/* In flags of the functions below: FI_LOG_PROV says not to log this provider. */
#define FI_LOG_PROV_FILTERED	(1ULL << 0)

/* The application's functions; any thread may call them. NULL keeps the library's. */
struct fi_ops_log {
	size_t size;
	/* Whether this would be logged. */
	int (*enabled)(const struct fi_provider *prov, enum fi_log_level level,
		       enum fi_log_subsys subsys, uint64_t flags);
	/* The same for what repeats itself. showtime: when next to log, kept by the caller. */
	int (*ready)(const struct fi_provider *prov, enum fi_log_level level,
		     enum fi_log_subsys subsys, uint64_t flags, uint64_t *showtime);
	/* A message, as it was given: most end with a newline. */
	void (*log)(const struct fi_provider *prov, enum fi_log_level level,
		    enum fi_log_subsys subsys, const char *func, int line, const char *msg);
};

/* The application's object. ops is to be set before it is imported. */
struct fid_logging {
	struct fid fid;
	struct fi_ops_log *ops;
};

/*
 * Sends the log of the library and its providers to log_fid->ops, until log_fid is closed. One
 * at a time: -FI_EALREADY. flags: 0.
 */
static inline int fi_import_log(uint32_t version, uint64_t flags, struct fid_logging *log_fid)
{
	log_fid->fid.fclass = FI_CLASS_LOG;
	log_fid->ops->size = sizeof(struct fi_ops_log);
	return fi_import(version, "logging", NULL, 0, flags, &log_fid->fid, log_fid);
}

/* ---- Watching memory mappings for the cache of registrations ("mr_cache") ---- */

struct fid_mem_monitor;

/* The application's functions. */
struct fi_ops_mem_monitor {
	size_t size;
	/* Start and stop watching at all. */
	int (*start)(struct fid_mem_monitor *monitor);
	void (*stop)(struct fid_mem_monitor *monitor);
	/* A range is in the cache from now on, or no more. */
	int (*subscribe)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
	void (*unsubscribe)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
	/* Whether the mapping is still the one that was subscribed. */
	bool (*valid)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
};

/* The library's function. */
struct fi_ops_mem_notify {
	size_t size;
	/* To be called before the mapping of a range that is subscribed changes. */
	void (*notify)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
};

/* The application's object. */
struct fid_mem_monitor {
	struct fid fid;
	/* Set by the application before it imports this. */
	struct fi_ops_mem_monitor *export_ops;
	/* Set by the library then. */
	struct fi_ops_mem_notify *import_ops;
};

#ifdef __cplusplus
}
#endif

#endif /* FI_EXT_H */
