/* What the Rust half of the core offers to the C half. None of these names leaves the library: the version script
 * keeps all but the public names local. */
#ifndef OFI_CORE_ENTRY_H
#define OFI_CORE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

struct fid;
struct fid_fabric;
struct fi_info;
struct fi_fabric_attr;
struct fi_param;
struct fi_provider;

/* Which form of struct fi_info a caller was compiled with: the minor number of the symbol node. */
#define OFI_LAYOUT_NEWEST 9

int ofi_getinfo(int layout, uint32_t version, const char *node, const char *service, uint64_t flags,
		const struct fi_info *hints, struct fi_info **info);
void ofi_freeinfo(struct fi_info *info);
struct fi_info *ofi_dupinfo(int layout, const struct fi_info *info);
int ofi_fabric(int layout, struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
int ofi_fabric2(struct fi_info *info, struct fid_fabric **fabric, uint64_t flags, void *context);
uint32_t ofi_version(void);
const char *ofi_strerror(int errnum);
char *ofi_tostr(const void *data, int datatype);
char *ofi_tostr_r(char *buf, size_t len, const void *data, int datatype);
int ofi_log_enabled(const struct fi_provider *prov, int level, int subsys);
int ofi_log_ready(const struct fi_provider *prov, int level, int subsys, uint64_t *showtime);
void ofi_log_text(const struct fi_provider *prov, int level, int subsys, const char *func, int line,
		  const char *text);
int ofi_param_define(const struct fi_provider *provider, const char *name, int type, const char *help);
int ofi_param_get(struct fi_provider *provider, const char *name, void *value);
int ofi_getparams(struct fi_param **params, int *count);
void ofi_freeparams(struct fi_param *params);
int ofi_open(uint32_t version, const char *name, void *attr, size_t attr_len, uint64_t flags, struct fid **fid,
	     void *context);
void ofi_fini(void);

#endif
