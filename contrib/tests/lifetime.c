/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Loads the library at run time and uses it from many threads at once, in a child of fork and after that in the parent again,
 * and lets it go, twice. Nothing is opened that a device or the network would be needed for. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#define THREADS 8
#define ROUNDS 20
#define CHECK(what, ok) do { if (!(ok)) { fprintf(stderr, "wrong: %s\n", what); exit(1); } } while (0)

static int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *, struct fi_info **);
static void (*freeinfo)(struct fi_info *);
static struct fi_info *(*dupinfo)(const struct fi_info *);
static int (*fabric_open)(struct fi_fabric_attr *, struct fid_fabric **, void *);
static char *(*tostr)(const void *, enum fi_type);
static int (*getparams)(struct fi_param **, int *);
static void (*freeparams)(struct fi_param *);
static const char *(*text_of)(int);

/* What a program does before it communicates, once. */
static void round_of_calls(void)
{
	struct fi_info *info = NULL, *copy;
	struct fi_param *params;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	char *text;
	int count;

	CHECK("fi_getinfo", !getinfo(FI_VERSION(1, 17), "127.0.0.1", "7471", 0, NULL, &info));
	copy = dupinfo(info);
	CHECK("fi_dupinfo", copy);
	text = strdup(tostr(info, FI_TYPE_INFO));
	CHECK("the text of a copy", !strcmp(text, tostr(copy, FI_TYPE_INFO)));
	free(text);
	CHECK("fi_fabric", !fabric_open(copy->fabric_attr, &fabric, NULL));
	CHECK("fi_domain", !fi_domain(fabric, copy, &domain, NULL));
	CHECK("closing the domain", !fi_close(&domain->fid));
	CHECK("closing the fabric", !fi_close(&fabric->fid));
	freeinfo(copy);
	freeinfo(info);
	CHECK("fi_getparams", !getparams(&params, &count) && count > 0);
	freeparams(params);
	CHECK("fi_strerror", text_of(-22)[0]);
}

static void *thread(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		round_of_calls();
	return unused;
}

static void *find(void *library, const char *name)
{
	void *found = dlsym(library, name);
	CHECK(name, found);
	return found;
}

static void load_use_and_let_go(const char *path)
{
	pthread_t threads[THREADS];
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int status;
	pid_t child;

	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	CHECK("dlopen", library);
	*(void **) &getinfo = find(library, "fi_getinfo");
	*(void **) &freeinfo = find(library, "fi_freeinfo");
	*(void **) &dupinfo = find(library, "fi_dupinfo");
	*(void **) &fabric_open = find(library, "fi_fabric");
	*(void **) &tostr = find(library, "fi_tostr");
	*(void **) &getparams = find(library, "fi_getparams");
	*(void **) &freeparams = find(library, "fi_freeparams");
	*(void **) &text_of = find(library, "fi_strerror");

	for (int i = 0; i < THREADS; i++)
		CHECK("pthread_create", !pthread_create(&threads[i], NULL, thread, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		round_of_calls();
		_exit(0);
	}
	CHECK("fork", child > 0 && waitpid(child, &status, 0) == child);
	CHECK("the child", status == 0);
	round_of_calls();
	CHECK("dlclose", !dlclose(library));
}

int main(int argc, char **argv)
{
	CHECK("usage: lifetime LIBRARY", argc == 2);
	load_use_and_let_go(argv[1]);
	load_use_and_let_go(argv[1]);
	return 0;
}
