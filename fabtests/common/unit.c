/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fab.h"

#include <stdarg.h>

void fab_case_failed(const char *file, int line, const char *condition, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fprintf(stderr, "  %s:%d: not true: %s; ", file, line, condition);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	va_end(args);
}

int fab_run_cases(struct fab *f, const struct fab_case *cases, size_t count)
{
	unsigned int passed = 0, absent = 0, failed = 0;

	for (size_t i = 0; i < count; i++) {
		int ret = cases[i].run(f);
		bool none = ret == -FI_ENOSYS || ret == -FI_ENODATA;
		passed += !ret;
		absent += none;
		failed += ret && !none;
		printf("%-56s %s\n", cases[i].name, !ret ? "Pass" : none ? "Notrun" : "Fail");
		fflush(stdout);
	}
	printf("Summary: %u passed, %u not offered, %u failed\n", passed, absent, failed);
	return failed ? 1 : passed ? 0 : FI_ENODATA;
}
