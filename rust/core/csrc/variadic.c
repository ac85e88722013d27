/* The two public functions with printf arguments: formatted here, since Rust cannot take them, and handed on as text. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "core_entry.h"

/* A log line's text is at most this long, with the ending zero. */
#define OFI_LOG_TEXT_SIZE 1024

__attribute__((visibility("default"), format(printf, 6, 7)))
void fi_log(const struct fi_provider *prov, int level, int subsys, const char *func, int line, const char *fmt, ...)
{
	char text[OFI_LOG_TEXT_SIZE];
	int saved = errno;
	va_list args;

	va_start(args, fmt);
	if (vsnprintf(text, sizeof text, fmt, args) < 0)
		text[0] = '\0';
	va_end(args);
	ofi_log_text(prov, level, subsys, func, line, text);
	errno = saved;
}

__attribute__((visibility("default")))
int fi_param_define(const struct fi_provider *provider, const char *param_name, int type,
		    const char *help_string_fmt, ...)
{
	char *help = NULL;
	va_list args;
	int len, ret;

	if (!param_name || !help_string_fmt || !*help_string_fmt)
		return -EINVAL;

	va_start(args, help_string_fmt);
	len = vsnprintf(NULL, 0, help_string_fmt, args);
	va_end(args);
	if (len < 0)
		return -EINVAL;
	help = malloc((size_t) len + 1);
	if (!help)
		return -ENOMEM;
	va_start(args, help_string_fmt);
	vsnprintf(help, (size_t) len + 1, help_string_fmt, args);
	va_end(args);

	ret = ofi_param_define(provider, param_name, type, help);
	free(help);
	return ret;
}
