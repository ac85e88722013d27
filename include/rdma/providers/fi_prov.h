/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the library and a provider know of each other, and environment parameters. */

#ifndef FI_PROV_H
#define FI_PROV_H

#include <rdma/fabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Providers ---- */

/*
 * A provider that is a library of its own is named lib<name>-fi.so, is found in the directories
 * of FI_PROVIDER_PATH or the library's own, and exports one function, which it defines like this:
 *
 *	FI_EXT_INI
 *	{
 *		return &my_provider;
 *	}
 *
 * The function is called once. NULL: the provider does not want to be used.
 */
#define FI_EXT_INI \
	EXTERNALLY_VISIBLE struct fi_provider *fi_prov_ini(void)

#define FI_LIB_EXTENSION	"fi"
#define FI_LIB_SUFFIX		FI_LIB_EXTENSION ".so"

/* Lives, in writable memory, until the library calls cleanup and unloads the provider. */
struct fi_provider {
	/* The provider's own version. Of two with one name, the higher is used. */
	uint32_t version;
	/*
	 * The newest API version that it keeps to. It is passed over for applications that ask
	 * for a newer one; below 1.3 it is not used at all.
	 */
	uint32_t fi_version;
	/* The library's; the provider leaves it alone. */
	struct fi_context context;
	/* Compared without regard to case. "ofi_", "off_" and "lnx" at its start mark layers. */
	const char *name;
	/*
	 * As fi_getinfo(), for this provider alone: -FI_ENODATA when nothing fits. Flags may have
	 * bits 58 to 61 set, which are the library's. Results come from fi_dupinfo(NULL), and
	 * fabric_attr->prov_name stays NULL: the library fills it in.
	 */
	int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
		       const struct fi_info *hints, struct fi_info **info);
	/* As fi_fabric(). Must be there. */
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
	/* The last call, at exit of the process or when it is not used after all. May be NULL. */
	void (*cleanup)(void);
};

/* ---- Environment parameters ---- */

/*
 * Makes a parameter known: param_name in lower case becomes the variable FI_<PROVIDER>_<NAME>, or
 * FI_<NAME> where provider is NULL. The text, with printf's conversions, is what fi_getparams()
 * and fi_info -e show.
 */
int fi_param_define(const struct fi_provider *provider, const char *param_name,
		    enum fi_param_type type, const char *help_string_fmt, ...)
	FI_FORMAT_PRINTF(4, 5);

/*
 * Reads one; value points to what its type says. -FI_ENODATA: it is not set, and value is left
 * as it was, which may be the default. -FI_ENOENT: it was never defined. -FI_EINVAL: its text
 * does not make sense.
 */
int fi_param_get(struct fi_provider *provider, const char *param_name, void *value);

/* The text stays the environment's: to be copied when kept, not to be freed. */
static inline int fi_param_get_str(struct fi_provider *provider, const char *param_name,
				   char **value)
{
	return fi_param_get(provider, param_name, value);
}

/* Numbers are decimal, octal with a leading 0, or hexadecimal with 0x. */
static inline int fi_param_get_int(struct fi_provider *provider, const char *param_name,
				   int *value)
{
	return fi_param_get(provider, param_name, value);
}

/* 0 or 1. */
static inline int fi_param_get_bool(struct fi_provider *provider, const char *param_name,
				    int *value)
{
	return fi_param_get(provider, param_name, value);
}

static inline int fi_param_get_size_t(struct fi_provider *provider, const char *param_name,
				      size_t *value)
{
	return fi_param_get(provider, param_name, value);
}

#ifdef __cplusplus
}
#endif

#endif /* FI_PROV_H */
