/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Extensions: provider-specific options, memory monitors, replacement of the log, exporting
 * objects.
 */

#ifndef FI_EXT_H
#define FI_EXT_H

#include <stdbool.h>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>
#include <rdma/providers/fi_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranges of provider-specific options. */
#define FI_PROV_SPECIFIC_EFA	0xefa0000
#define FI_PROV_SPECIFIC_TCP	0x7cb0000
#define FI_LOG_PROV_FILTERED	1ULL

enum {
	FI_OPT_EFA_RNR_RETRY = -0xefa0000,
	FI_OPT_EFA_EMULATED_READ = -0xef9ffff,
	FI_OPT_EFA_EMULATED_WRITE = -0xef9fffe,
	FI_OPT_EFA_EMULATED_ATOMICS = -0xef9fffd,
	FI_OPT_EFA_USE_DEVICE_RDMA = -0xef9fffc,
	FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES = -0xef9fffb,
	FI_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES = -0xef9fffa,
	FI_OPT_EFA_HOMOGENEOUS_PEERS = -0xef9fff9,
	FI_OPT_EFA_USE_UNSOLICITED_WRITE_RECV = -0xef9fff8,
};

struct fid_mem_monitor;

struct fi_fid_export {
	struct fid **fid;
	uint64_t flags;
	void *context;
};

struct fi_ops_mem_monitor {
	size_t size;
	int (*start)(struct fid_mem_monitor *monitor);
	void (*stop)(struct fid_mem_monitor *monitor);
	int (*subscribe)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
	void (*unsubscribe)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
	bool (*valid)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
};

struct fi_ops_mem_notify {
	size_t size;
	void (*notify)(struct fid_mem_monitor *monitor, const void *addr, size_t len);
};

struct fid_mem_monitor {
	struct fid fid;
	struct fi_ops_mem_monitor *export_ops;
	struct fi_ops_mem_notify *import_ops;
};

struct fi_ops_log {
	size_t size;
	int (*enabled)(const struct fi_provider *prov, enum fi_log_level level,
			enum fi_log_subsys subsys, uint64_t flags);
	int (*ready)(const struct fi_provider *prov, enum fi_log_level level,
			enum fi_log_subsys subsys, uint64_t flags, uint64_t *showtime);
	void (*log)(const struct fi_provider *prov, enum fi_log_level level,
			enum fi_log_subsys subsys, const char *func, int line,
			const char *msg);
};

struct fid_logging {
	struct fid fid;
	struct fi_ops_log *ops;
};

static inline int fi_export_fid(struct fid *fid, uint64_t flags, struct fid **expfid,
		void *context)
{
	struct fi_fid_export args;

	args.fid = expfid;
	args.flags = flags;
	args.context = context;
	return fi_control(fid, FI_EXPORT_FID, &args);
}

static inline int fi_import_fid(struct fid *fid, struct fid *expfid, uint64_t flags)
{
	return fid->ops->bind(fid, expfid, flags);
}

static inline int fi_import(uint32_t version, const char *name, void *attr,
		size_t attr_len, uint64_t flags, struct fid *fid, void *context)
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

static inline int fi_import_log(uint32_t version, uint64_t flags,
		struct fid_logging *log_fid)
{
	log_fid->fid.fclass = FI_CLASS_LOG;
	log_fid->ops->size = sizeof(struct fi_ops_log);
	return fi_import(version, "logging", NULL, 0, flags, &log_fid->fid, log_fid);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_EXT_H */
