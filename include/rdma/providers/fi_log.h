/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Logging for providers. FI_LOG_LEVEL turns it on, FI_LOG_PROV and FI_LOG_SUBSYS narrow it down.
 * Use the macros: where a line is not wanted they cost one call and do not evaluate its
 * arguments, and they leave errno as it was.
 */

#ifndef FI_LOG_H
#define FI_LOG_H

#include <errno.h>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a line is about. */
enum fi_log_subsys {
	FI_LOG_CORE,		/* the library or the provider as a whole */
	FI_LOG_FABRIC,
	FI_LOG_DOMAIN,
	FI_LOG_EP_CTRL,		/* endpoints: opening, connecting, options */
	FI_LOG_EP_DATA,		/* endpoints: transfers */
	FI_LOG_AV,
	FI_LOG_CQ,
	FI_LOG_EQ,
	FI_LOG_MR,
	FI_LOG_CNTR,
};

/* How much is wanted: a level includes all that are listed before it. */
enum fi_log_level {
	FI_LOG_WARN,		/* something is wrong, and somebody should act */
	FI_LOG_TRACE,		/* calls */
	FI_LOG_INFO,		/* what was chosen, and why */
	FI_LOG_DEBUG,		/* for those who work on the provider */
};

/* Whether a line would be written. */
int fi_log_enabled(const struct fi_provider *prov, enum fi_log_level level,
		   enum fi_log_subsys subsys);

/*
 * The same for a line that may come often: at most once in FI_LOG_INTERVAL milliseconds.
 * showtime is the caller's, one per line, zero at first.
 */
int fi_log_ready(const struct fi_provider *prov, enum fi_log_level level,
		 enum fi_log_subsys subsys, uint64_t *showtime);

/* Writes a line, which ends with its newline, of up to 1023 characters. */
void fi_log(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys,
	    const char *func, int line, const char *fmt, ...)
	FI_FORMAT_PRINTF(6, 7);

/* The arguments after subsystem, here and below: a format and its values, as for printf(). */
#define FI_LOG(prov, level, subsystem, ...) \
	do { \
		if (fi_log_enabled(prov, level, subsystem)) { \
			int fi_log_errno_ = errno; \
			fi_log(prov, level, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
		} \
	} while (0)

/* From each place at most one line per interval. */
#define FI_LOG_SPARSE(prov, level, subsystem, ...) \
	do { \
		static uint64_t fi_log_time_; \
		if (fi_log_ready(prov, level, subsystem, &fi_log_time_)) { \
			int fi_log_errno_ = errno; \
			fi_log(prov, level, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
		} \
	} while (0)

#define FI_WARN(prov, subsystem, ...) \
	FI_LOG(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_WARN_SPARSE(prov, subsystem, ...) \
	FI_LOG_SPARSE(prov, FI_LOG_WARN, subsystem, __VA_ARGS__)
#define FI_TRACE(prov, subsystem, ...) \
	FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#define FI_INFO(prov, subsystem, ...) \
	FI_LOG(prov, FI_LOG_INFO, subsystem, __VA_ARGS__)

/* From each place one line at all. Threads that are there together may write one each. */
#define FI_WARN_ONCE(prov, subsystem, ...) \
	do { \
		static int fi_log_once_; \
		if (!fi_log_once_ && fi_log_enabled(prov, FI_LOG_WARN, subsystem)) { \
			int fi_log_errno_ = errno; \
			fi_log_once_ = 1; \
			fi_log(prov, FI_LOG_WARN, subsystem, __func__, __LINE__, __VA_ARGS__); \
			errno = fi_log_errno_; \
		} \
	} while (0)

/* These two are nothing at all unless ENABLE_DEBUG is defined as other than 0. */
#if defined(ENABLE_DEBUG) && ENABLE_DEBUG
#define FI_DBG(prov, subsystem, ...) \
	FI_LOG(prov, FI_LOG_DEBUG, subsystem, __VA_ARGS__)
#define FI_DBG_TRACE(prov, subsystem, ...) \
	FI_LOG(prov, FI_LOG_TRACE, subsystem, __VA_ARGS__)
#else
#define FI_DBG(prov, subsystem, ...)		do { (void) (prov); } while (0)
#define FI_DBG_TRACE(prov, subsystem, ...)	do { (void) (prov); } while (0)
#endif

#ifdef __cplusplus
}
#endif

#endif /* FI_LOG_H */
