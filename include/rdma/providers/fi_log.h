/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Logging for providers. */

#ifndef FI_LOG_H
#define FI_LOG_H

#include <errno.h>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of a provider logs. */
enum fi_log_subsys {
	FI_LOG_CORE,
	FI_LOG_FABRIC,
	FI_LOG_DOMAIN,
	FI_LOG_EP_CTRL,
	FI_LOG_EP_DATA,
	FI_LOG_AV,
	FI_LOG_CQ,
	FI_LOG_EQ,
	FI_LOG_MR,
	FI_LOG_CNTR,
};

/* How much is logged. */
enum fi_log_level {
	FI_LOG_WARN,
	FI_LOG_TRACE,
	FI_LOG_INFO,
	FI_LOG_DEBUG,
};

int fi_log_enabled(const struct fi_provider *prov, enum fi_log_level level,
		enum fi_log_subsys subsys);

int fi_log_ready(const struct fi_provider *prov, enum fi_log_level level,
		enum fi_log_subsys subsys, uint64_t *showtime);

void fi_log(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys,
	    const char *func, int line, const char *fmt, ...)
		FI_FORMAT_PRINTF(6, 7);

/*
 * Each of these is a statement that writes one line when its level and subsystem are wanted, and
 * leaves errno as it was. The SPARSE ones write at most one line per interval and place.
 */
#define FI_LOG(prov, level, subsystem, ...) \
	do { \
		if (fi_log_enabled(prov, level, subsystem)) { \
			int fi_log_errno_ = errno; \
			fi_log(prov, level, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
		} \
	} while (0)

#define FI_LOG_SPARSE(prov, level, subsystem, ...) \
	do { \
		static uint64_t fi_log_time_; \
		if (fi_log_ready(prov, level, subsystem, &fi_log_time_)) { \
			int fi_log_errno_ = errno; \
			fi_log(prov, level, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
		} \
	} while (0)

#define FI_WARN(prov, subsystem, ...)		FI_LOG(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_WARN_SPARSE(prov, subsystem, ...)	FI_LOG_SPARSE(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_TRACE(prov, subsystem, ...)		FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#define FI_INFO(prov, subsystem, ...)		FI_LOG(prov, FI_LOG_INFO, subsystem, __VA_ARGS__)

/* Debugging lines cost nothing in builds without ENABLE_DEBUG. */
#if defined(ENABLE_DEBUG) && ENABLE_DEBUG
#define FI_DBG(prov, subsystem, ...)		FI_LOG(prov, FI_LOG_DEBUG, subsystem, __VA_ARGS__)
#define FI_DBG_TRACE(prov, subsystem, ...)	FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#else
#define FI_DBG(prov, subsystem, ...)		do { (void) (prov); } while (0)
#define FI_DBG_TRACE(prov, subsystem, ...)	do { (void) (prov); } while (0)
#endif

#define FI_WARN_ONCE(prov, subsystem, ...) \
	do { \
		static int fi_log_once_; \
		if (!fi_log_once_ && fi_log_enabled(prov, FI_LOG_WARN, subsystem)) { \
			int fi_log_errno_ = errno; \
			fi_log(prov, FI_LOG_WARN, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
			fi_log_once_ = 1; \
		} \
	} while (0)

#ifdef __cplusplus
}
#endif

#endif /* FI_LOG_H */
