/* The public functions under their symbol versions, each a call into the Rust half. fi_log and fi_param_define are in
 * variadic.c. Functions with one version get it from libfabric.map; those whose structures grew over time exist once
 * per node, and say which form of struct fi_info their callers know.
 *
 * With OFI_PLAIN_SYMBOLS (Rust test programs, which are no shared library) only the newest forms exist, unversioned. */
#include "core_entry.h"

#define EXPORT __attribute__((visibility("default"), used))

#ifdef OFI_PLAIN_SYMBOLS

/* No configure made a provider list for a test program; it registers what it wants. */
__attribute__((weak)) struct fi_provider *(*const ofi_static_providers[])(void) = { NULL };

#define VERSIONED(name, internal, node)
#define DEFAULT_VERSION(name, internal, node)
#define NEWEST(name, minor) name

#else

#if defined(__has_attribute)
#if __has_attribute(symver)
#define OFI_HAVE_SYMVER 1
#endif
#endif

#ifdef OFI_HAVE_SYMVER
#define VERSIONED(name, internal, node) \
	extern __typeof__(internal) internal __attribute__((symver(#name "@" node)));
#define DEFAULT_VERSION(name, internal, node) \
	extern __typeof__(internal) internal __attribute__((symver(#name "@@" node)));
#else
#define VERSIONED(name, internal, node) __asm__(".symver " #internal "," #name "@" node);
#define DEFAULT_VERSION(name, internal, node) __asm__(".symver " #internal "," #name "@@" node);
#endif
#define NEWEST(name, minor) name##_1_##minor

#endif

#define INFO_FUNCTIONS(getinfo, freeinfo, dupinfo, layout)                                                         \
	EXPORT int getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,                \
			   const struct fi_info *hints, struct fi_info **info)                                     \
	{                                                                                                          \
		return ofi_getinfo(layout, version, node, service, flags, hints, info);                            \
	}                                                                                                          \
	EXPORT void freeinfo(struct fi_info *info)                                                                 \
	{                                                                                                          \
		ofi_freeinfo(info);                                                                                \
	}                                                                                                          \
	EXPORT struct fi_info *dupinfo(const struct fi_info *info)                                                 \
	{                                                                                                          \
		return ofi_dupinfo(layout, info);                                                                  \
	}

#define INFO_NODE(minor)                                                                                           \
	INFO_FUNCTIONS(fi_getinfo_1_##minor, fi_freeinfo_1_##minor, fi_dupinfo_1_##minor, minor)                   \
	VERSIONED(fi_getinfo, fi_getinfo_1_##minor, "FABRIC_1." #minor)                                            \
	VERSIONED(fi_freeinfo, fi_freeinfo_1_##minor, "FABRIC_1." #minor)                                          \
	VERSIONED(fi_dupinfo, fi_dupinfo_1_##minor, "FABRIC_1." #minor)

#ifndef OFI_PLAIN_SYMBOLS
INFO_NODE(0)
INFO_NODE(1)
INFO_NODE(2)
INFO_NODE(3)
INFO_NODE(7)
INFO_NODE(8)

EXPORT int fi_fabric_1_0(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
	return ofi_fabric(0, attr, fabric, context);
}
VERSIONED(fi_fabric, fi_fabric_1_0, "FABRIC_1.0")
#endif

INFO_FUNCTIONS(NEWEST(fi_getinfo, 9), NEWEST(fi_freeinfo, 9), NEWEST(fi_dupinfo, 9), OFI_LAYOUT_NEWEST)
DEFAULT_VERSION(fi_getinfo, fi_getinfo_1_9, "FABRIC_1.9")
DEFAULT_VERSION(fi_freeinfo, fi_freeinfo_1_9, "FABRIC_1.9")
DEFAULT_VERSION(fi_dupinfo, fi_dupinfo_1_9, "FABRIC_1.9")

EXPORT int NEWEST(fi_fabric, 1)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
	return ofi_fabric(OFI_LAYOUT_NEWEST, attr, fabric, context);
}
DEFAULT_VERSION(fi_fabric, fi_fabric_1_1, "FABRIC_1.1")

EXPORT int fi_fabric2(struct fi_info *info, struct fid_fabric **fabric, uint64_t flags, void *context)
{
	return ofi_fabric2(info, fabric, flags, context);
}

EXPORT uint32_t fi_version(void)
{
	return ofi_version();
}

EXPORT const char *fi_strerror(int errnum)
{
	return ofi_strerror(errnum);
}

EXPORT char *fi_tostr(const void *data, int datatype)
{
	return ofi_tostr(data, datatype);
}

EXPORT char *fi_tostr_r(char *buf, size_t len, const void *data, int datatype)
{
	return ofi_tostr_r(buf, len, data, datatype);
}

EXPORT int fi_log_enabled(const struct fi_provider *prov, int level, int subsys)
{
	return ofi_log_enabled(prov, level, subsys);
}

EXPORT int fi_log_ready(const struct fi_provider *prov, int level, int subsys, uint64_t *showtime)
{
	return ofi_log_ready(prov, level, subsys, showtime);
}

EXPORT int fi_param_get(struct fi_provider *provider, const char *param_name, void *value)
{
	return ofi_param_get(provider, param_name, value);
}

EXPORT int fi_getparams(struct fi_param **params, int *count)
{
	return ofi_getparams(params, count);
}

EXPORT void fi_freeparams(struct fi_param *params)
{
	ofi_freeparams(params);
}

EXPORT int fi_open(uint32_t version, const char *name, void *attr, size_t attr_len, uint64_t flags,
		   struct fid **fid, void *context)
{
	return ofi_open(version, name, attr, attr_len, flags, fid, context);
}

__attribute__((destructor)) static void unload(void)
{
	ofi_fini();
}
