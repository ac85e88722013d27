/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What becomes of operations when the peer is killed, and whether its successor can be talked to.
 *
 * The server answers messages; told by the client, it kills itself (SIGKILL) with transfers under way, and a parent starts it
 * again on the same address: the first time at once, so that the client meets a peer that does not know it, the second
 * time only when the client asks for it, so that it meets silence. The client demands that every operation with the dead
 * peer ends in a completion within a limit, those that cannot have succeeded in an error; that a receive from anybody
 * stays posted; and that the successor answers on the same address.
 */
#include "../common/fab.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ECHO_TAG = 1, ANYBODY_TAG, NOBODY_TAG, LATER_TAG };
enum { AT_ONCE, WHEN_ASKED, LAST, GENERATIONS };
enum { SHORT = 64, LONG = 1 << 20, RECEIVES = 8, SENDS = 16 };

struct op {
	struct fi_context2 context;	/* first: a completion's context is the operation */
	const char *what;
	bool posted, done, must_fail;
	int err;
	char *buf;
	size_t len;
};

static struct fab f;

/* Reads both queues once. Completions of operations are noted in them; anything else is an error. */
static int progress(void)
{
	for (int rx = 0; rx < 2; rx++) {
		struct fid_cq *cq = rx ? f.rxcq : f.txcq;
		struct fi_cq_err_entry err = { .err_data_size = 0 };
		struct fi_cq_tagged_entry e;
		ssize_t n = fi_cq_read(cq, &e, 1);
		struct op *op = n == 1 ? e.op_context : NULL;

		if (n == -FI_EAVAIL) {
			n = fi_cq_readerr(cq, &err, 0);
			op = n == 1 ? err.op_context : NULL;
		}
		if (n == -FI_EAGAIN)
			continue;
		if (n < 0)
			return fab_error("fi_cq_read", (int)n);
		/* A provider may report the failure of an injected message, which has no operation. */
		if (!op)
			continue;
		if (op->done) {
			fprintf(stderr, "%s has completed twice\n", op->what);
			return -FI_EOTHER;
		}
		op->done = true;
		op->err = err.err;
	}
	return 0;
}

static int wait_op(struct op *op)
{
	uint64_t end = fab_now_ns() + f.opt.timeout * 1000000000ULL;
	while (!op->done) {
		int ret = progress();
		if (ret)
			return ret;
		if (fab_now_ns() > end) {
			fprintf(stderr, "%s has not completed in %u s\n", op->what, f.opt.timeout);
			return -FI_ETIMEDOUT;
		}
	}
	if (op->err)
		fprintf(stderr, "%s: %s\n", op->what, fi_strerror(op->err));
	return op->err ? -op->err : 0;
}

static int start(struct op *op, bool send, fi_addr_t peer, uint64_t tag)
{
	uint64_t end = fab_now_ns() + f.opt.timeout * 1000000000ULL;
	ssize_t ret;

	op->done = false;
	op->err = 0;
	while ((ret = send ? fi_tsend(f.ep, op->buf, op->len, NULL, peer, tag, op) :
			     fi_trecv(f.ep, op->buf, op->len, NULL, peer, tag, 0, op)) == -FI_EAGAIN) {
		int p = progress();
		if (p)
			return p;
		if (fab_now_ns() > end)
			break;
	}
	op->posted = !ret;
	return (int)ret;
}

/* ---- server ---- */

static int open_and_meet(const struct fab_opts *opts)
{
	int ret = fab_init(&f, "rdm_peer_death", opts, FI_EP_RDM, FI_TAGGED | FI_DIRECTED_RECV);
	f.hints->domain_attr->mr_mode &= ~FI_MR_LOCAL;
	return ret ? ret : fab_connect(&f);
}

static int serve(const struct fab_opts *opts, int generation)
{
	static char in[SHORT], out[SHORT];
	struct op receive = { .what = "the server's receive", .buf = in, .len = sizeof in };
	struct op answer = { .what = "the server's answer", .buf = out, .len = sizeof out };

	int ret = open_and_meet(opts);
	ret = ret ? ret : start(&receive, false, FI_ADDR_UNSPEC, ECHO_TAG);
	if (!ret && generation) {
		ret = start(&answer, true, f.peer, ANYBODY_TAG);
		ret = ret ? ret : wait_op(&answer);
	}
	while (!ret) {
		char word = 0;
		ssize_t n = recv(f.control, &word, 1, MSG_DONTWAIT);
		if (n == 1 && word == 'K')
			raise(SIGKILL);
		if (!n || word == 'Q')
			break;
		ret = progress();
		if (!ret && receive.done) {
			if (receive.err) {
				/* Something went wrong with a message to us: only this receive is lost. */
				ret = -receive.err;
				break;
			}
			memcpy(out, in, sizeof out);
			ret = start(&receive, false, FI_ADDR_UNSPEC, ECHO_TAG);
			ret = ret ? ret : start(&answer, true, f.peer, ECHO_TAG);
			ret = ret ? ret : wait_op(&answer);
		}
	}
	fab_close(&f);
	return ret;
}

/* Until the client wants a successor. */
static int wait_until_asked(const struct fab_opts *opts)
{
	int listener = fab_control_listen(opts->control_port);
	int fd = listener < 0 ? listener : fab_control_accept(listener, 2 * opts->timeout);
	if (listener >= 0)
		close(listener);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* The parent opens nothing: it only starts the one that dies again. */
static int server(const struct fab_opts *opts)
{
	for (int generation = 0; generation < GENERATIONS; generation++) {
		int status = 0;
		pid_t child = fork();
		if (child < 0)
			return fab_error("fork", -errno);
		if (!child)
			_exit(fab_exit(serve(opts, generation)));
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFEXITED(status))
			return WEXITSTATUS(status) == FI_ENODATA ? -FI_ENODATA :
			       WEXITSTATUS(status) || generation != LAST ? -FI_EOTHER : 0;
		if (WTERMSIG(status) != SIGKILL || generation == LAST) {
			fprintf(stderr, "the server died of signal %d\n", WTERMSIG(status));
			return -FI_EOTHER;
		}
		int ret = generation == WHEN_ASKED ? wait_until_asked(opts) : 0;
		if (ret)
			return ret;
		printf("# the server was killed and is started again\n");
		fflush(stdout);
	}
	return 0;
}

/* ---- client ---- */

static int echo(uint64_t count)
{
	static char in[SHORT], out[SHORT];
	struct op receive = { .what = "receive of an answer", .buf = in, .len = sizeof in };
	struct op message = { .what = "send of a question", .buf = out, .len = sizeof out };

	for (uint64_t n = 0; n < count; n++) {
		fab_fill(out, sizeof out, n);
		int ret = start(&receive, false, FI_ADDR_UNSPEC, ECHO_TAG);
		ret = ret ? ret : start(&message, true, f.peer, ECHO_TAG);
		ret = ret ? ret : wait_op(&message);
		ret = ret ? ret : wait_op(&receive);
		if (ret)
			return ret;
		if (fab_verify(in, sizeof in, n) != SIZE_MAX) {
			fprintf(stderr, "answer %llu has wrong data\n", (unsigned long long)n);
			return -FI_EIO;
		}
	}
	return 0;
}

/* Posts what the death is to end, lets the server be killed, and goes on sending. */
static int through_death(struct op *anybody)
{
	static struct op ops[RECEIVES + SENDS + 1];
	static char data[LONG], in[RECEIVES][SHORT];
	size_t count = 0, failed = 0;
	int ret;

	for (size_t i = 0; i < RECEIVES; i++) {
		struct op *op = &ops[count++];
		*op = (struct op){ .what = "a receive from the dead", .must_fail = true, .buf = in[i], .len = SHORT };
		ret = start(op, false, f.peer, NOBODY_TAG);
		if (ret)
			return fab_error("fi_trecv", ret);
	}
	/* The server has no receives for these: the long ones wait for it, in vain. */
	for (size_t i = 0; i < SENDS; i++) {
		bool is_long = i % 2;
		struct op *op = &ops[count++];
		*op = (struct op){ .what = is_long ? "a long send" : "a short send", .must_fail = is_long, .buf = data,
				   .len = is_long ? LONG : SHORT };
		ret = start(op, true, f.peer, NOBODY_TAG);
		if (ret)
			return fab_error("fi_tsend", ret);
	}
	uint64_t killed = fab_now_ns();
	if (send(f.control, "K", 1, MSG_NOSIGNAL) != 1)
		return fab_error("control connection", -errno);

	/* One more send at a time, as an application that has not noticed. */
	struct op *later = &ops[count++];
	*later = (struct op){ .what = "a send after the death", .buf = data, .len = SHORT };
	uint64_t end = killed + f.opt.timeout * 1000000000ULL;
	size_t open = count, sent = 0, refused = 0;
	while (open && fab_now_ns() < end) {
		if (!later->posted || (later->done && !later->err && open > 1)) {
			ret = (int)fi_tsend(f.ep, later->buf, later->len, NULL, f.peer, LATER_TAG, later);
			if (!ret) {
				later->posted = true;
				later->done = false;
				sent++;
			} else if (ret != -FI_EAGAIN) {
				/* Refused at once: as good as an error completion. */
				refused++;
				later->posted = later->done = true;
				later->err = -ret;
			}
		}
		ret = progress();
		if (ret)
			return ret;
		open = 0;
		for (size_t i = 0; i < count; i++)
			open += ops[i].posted && !ops[i].done;
	}
	double seconds = (double)(fab_now_ns() - killed) / 1e9;

	for (size_t i = 0; i < count; i++) {
		if (ops[i].posted && !ops[i].done) {
			fprintf(stderr, "%s has not ended in %u s\n", ops[i].what, f.opt.timeout);
			failed++;
		} else if (ops[i].must_fail && !ops[i].err) {
			fprintf(stderr, "%s has succeeded\n", ops[i].what);
			failed++;
		}
	}
	if (anybody->done) {
		fprintf(stderr, "the receive from anybody has ended (%s)\n", fi_strerror(anybody->err));
		failed++;
	}
	printf("# %zu operations with the dead peer ended in %.2f s, directed receives with \"%s\", long sends with \"%s\"; "
	       "%zu sends after the death, %zu refused at once\n",
	       count, seconds, fi_strerror(ops[0].err), fi_strerror(ops[RECEIVES + 1].err), sent, refused);
	return failed ? -FI_EOTHER : 0;
}

static int ask_for_successor(const struct fab_opts *opts)
{
	char c;
	int fd = fab_control_connect(opts->dst_addr, f.opt.control_port, f.opt.timeout);
	if (fd < 0)
		return fd;
	/* The parent closes when it has heard. */
	while (recv(fd, &c, 1, 0) > 0)
		;
	close(fd);
	return 0;
}

static int meet_successor(const struct fab_opts *opts, const char *old, size_t old_len)
{
	char mine[256], theirs[256];
	size_t my_len = sizeof mine, len = sizeof theirs;

	close(f.control);
	f.control = fab_control_connect(opts->dst_addr, f.opt.control_port, f.opt.timeout);
	if (f.control < 0)
		return f.control;
	int ret = fab_name(&f, mine, &my_len);
	ret = ret ? ret : fab_control_exchange(f.control, mine, my_len, theirs, &len);
	if (ret)
		return ret;
	if (len == old_len && !memcmp(theirs, old, len)) {
		printf("# the successor has the same address\n");
		return 0;
	}
	printf("# the successor has another address\n");
	return fab_insert(&f, theirs, &f.peer);
}

static int client(const struct fab_opts *opts)
{
	static char in[SHORT];
	struct op anybody = { .what = "the receive from anybody", .buf = in, .len = sizeof in };
	char old[256];
	size_t old_len = sizeof old;

	int ret = open_and_meet(opts);
	ret = ret ? ret : fi_av_lookup(f.av, f.peer, old, &old_len);
	ret = ret ? ret : echo(opts->iters);
	for (int generation = 0; generation < LAST && !ret; generation++) {
		ret = start(&anybody, false, FI_ADDR_UNSPEC, ANYBODY_TAG);
		ret = ret ? ret : through_death(&anybody);
		if (generation == WHEN_ASKED)
			ret = ret ? ret : ask_for_successor(opts);
		ret = ret ? ret : meet_successor(opts, old, old_len);
		ret = ret ? ret : wait_op(&anybody);
		ret = ret ? ret : echo(opts->iters);
	}
	if (!ret) {
		printf("the peer's death ended all operations with it, and its successors answer\n");
		send(f.control, "Q", 1, MSG_NOSIGNAL);
	}
	fab_close(&f);
	return ret;
}

int main(int argc, char **argv)
{
	struct fab_opts opts = { .iters = 100, .timeout = 15 };

	fab_parse(&opts, argc, argv, FAB_OPTS_PAIR | FAB_OPTS_SIZES,
		  "the peer is killed with operations under way, and comes back; they must end within -T");
	if (!opts.control_port)
		opts.control_port = FAB_CONTROL_PORT;
	/* The successor takes the place of the dead. */
	if (!opts.dst_addr && !opts.src_port)
		opts.src_port = FAB_PORT;
	return fab_exit(opts.dst_addr ? client(&opts) : server(&opts));
}
