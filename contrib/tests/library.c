/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints how the library answers to everything but communication: parameters, the log and an application that takes it over,
 * named objects. Whichever libfabric it was compiled against and runs on, it prints the same. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

static struct fi_provider probe = { .version = FI_VERSION(1, 0), .fi_version = FI_VERSION(1, 17), .name = "probe" };
static struct fi_provider other = { .version = FI_VERSION(1, 0), .fi_version = FI_VERSION(1, 17), .name = "other" };

static void parameters(void)
{
	struct fi_param *list = NULL;
	int count = -1, number = -1, truth = -1;
	size_t size = 99;
	char *text = NULL;

	setenv("FI_PROBE_TEXT", "some text", 1);
	setenv("FI_PROBE_NUMBER", "-0x10", 1);
	setenv("FI_PROBE_SIZE", "0x100000000", 1);
	setenv("FI_PROBE_TRUTH", "Yes", 1);
	setenv("FI_PROBE_WRONG", "maybe", 1);
	printf("define: %d", fi_param_define(&probe, "text", FI_PARAM_STRING, "a text of %d kinds", 2));
	printf(" %d", fi_param_define(&probe, "number", FI_PARAM_INT, "a number"));
	printf(" %d", fi_param_define(&probe, "size", FI_PARAM_SIZE_T, "a size"));
	printf(" %d", fi_param_define(&probe, "truth", FI_PARAM_BOOL, "a truth"));
	printf(" %d", fi_param_define(&probe, "wrong", FI_PARAM_BOOL, "no truth"));
	printf(" %d\n", fi_param_define(&probe, "unset", FI_PARAM_INT, "nothing"));
	printf("define nothing: %d %d\n", fi_param_define(&probe, NULL, FI_PARAM_INT, "x"),
	       fi_param_define(&probe, "x", FI_PARAM_INT, NULL));
	printf("text: %d", fi_param_get_str(&probe, "text", &text));
	printf(" %s\n", text ? text : "NULL");
	printf("number: %d", fi_param_get_int(&probe, "number", &number));
	printf(" %d\n", number);
	printf("size: %d", fi_param_get_size_t(&probe, "size", &size));
	printf(" %zu\n", size);
	printf("truth: %d", fi_param_get_bool(&probe, "truth", &truth));
	printf(" %d\n", truth);
	printf("wrong, unset, undefined: %d %d %d\n", fi_param_get_bool(&probe, "wrong", &truth),
	       fi_param_get_int(&probe, "unset", &number), fi_param_get_int(&other, "number", &number));
	printf("get nothing: %d %d\n", fi_param_get(&probe, NULL, &number), fi_param_get(&probe, "number", NULL));

	printf("fi_getparams: %d\n", fi_getparams(&list, &count));
	for (int i = 0; i < count; i++) {
		if (strncmp(list[i].name, "FI_PROBE_", 9) == 0)
			printf("%s type %d: %s = %s\n", list[i].name, (int) list[i].type, list[i].help_string,
			       list[i].value ? list[i].value : "NULL");
		if (strcmp(list[i].name, "FI_PROVIDER") == 0)
			printf("%s type %d\n", list[i].name, (int) list[i].type);
	}
	printf("end: %d %d %d\n", list[count].name != NULL, list[count].help_string != NULL, list[count].value != NULL);
	fi_freeparams(list);
}

static void levels(const char *when)
{
	for (int level = FI_LOG_WARN; level <= FI_LOG_DEBUG; level++)
		printf("%s level %d: probe %d %d, other %d\n", when, level,
		       !!fi_log_enabled(&probe, (enum fi_log_level) level, FI_LOG_AV),
		       !!fi_log_enabled(&probe, (enum fi_log_level) level, FI_LOG_CQ),
		       !!fi_log_enabled(&other, (enum fi_log_level) level, FI_LOG_AV));
}

static void speak(const char *when)
{
	printf("%s\n", when);
	fflush(stdout);
	FI_WARN(&probe, FI_LOG_AV, "a warning about %d things\n", 3);
	FI_INFO(&probe, FI_LOG_AV, "an information\n");
	FI_WARN(&other, FI_LOG_AV, "a warning of a filtered provider\n");
	FI_WARN(&probe, FI_LOG_CQ, "a warning of a filtered subsystem\n");
	for (int i = 0; i < 3; i++)
		FI_WARN_SPARSE(&probe, FI_LOG_AV, "repeated\n");
	errno = 4711;
	FI_WARN(&probe, FI_LOG_AV, "errno is left alone\n");
	printf("errno %d\n", errno);
}

/* The application's log. */
static int enabled(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys, uint64_t flags)
{
	(void) subsys;
	if (prov == &other)
		printf("asked about other, filtered: %d\n", !!(flags & FI_LOG_PROV_FILTERED));
	return prov && level == FI_LOG_WARN;
}

static int ready(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys, uint64_t flags,
		 uint64_t *showtime)
{
	(void) subsys;
	(void) flags;
	return prov && level == FI_LOG_WARN && !(*showtime)++;
}

static void write_line(const struct fi_provider *prov, enum fi_log_level level, enum fi_log_subsys subsys, const char *func,
		       int line, const char *msg)
{
	printf("mine: %s level %d subsys %d %s %d: %s", prov ? prov->name : "core", (int) level, (int) subsys, func, line > 0, msg);
}

static struct fi_ops_log ops = { .enabled = enabled, .ready = ready, .log = write_line };
static struct fid_logging mine, second;

static void named_objects(void)
{
	struct fid *fid = NULL;

	printf("open nothing: %d\n", fi_open(FI_VERSION(1, 17), "nothing", NULL, 0, 0, &fid, NULL));
	printf("open the log: version %d, attributes %d, flags %d\n",
	       fi_open(FI_VERSION(1, 12), "logging", NULL, 0, 0, &fid, NULL),
	       fi_open(FI_VERSION(1, 17), "logging", &fid, 8, 0, &fid, NULL),
	       fi_open(FI_VERSION(1, 17), "logging", NULL, 0, 1, &fid, NULL));
}

int main(void)
{
	struct fi_param *list;
	int count;

	/* The first call makes the library ready: an older one forgets what was defined before. */
	if (!fi_getparams(&list, &count))
		fi_freeparams(list);
	named_objects();
	parameters();
	levels("before");
	speak("before");
	mine.ops = &ops;
	printf("import: %d\n", fi_import_log(FI_VERSION(1, 17), 0, &mine));
	second.ops = &ops;
	printf("again: %d\n", fi_import_log(FI_VERSION(1, 17), 0, &second));
	levels("imported");
	speak("imported");
	printf("close: %d\n", mine.fid.ops ? fi_close(&mine.fid) : 1);
	levels("closed");
	speak("closed");
	return 0;
}
