/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A peer that says nothing for so long is gone. */
#define SILENCE_MS 120000

static int last_error(const char *what)
{
	int err = errno ? errno : FI_EOTHER;
	fprintf(stderr, "control connection, %s: %s\n", what, strerror(err));
	return -err;
}

int fab_control_listen(const char *port)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_family = AF_INET6, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int on = 1, off = 0, fd = -1;

	/* One socket for IPv6 and IPv4 where there is IPv6. */
	for (int family = 0; fd < 0 && family < 2; family++) {
		hints.ai_family = family ? AF_INET : AF_INET6;
		if (getaddrinfo(NULL, port, &hints, &list))
			continue;
		fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0) {
			setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
			if (!family)
				setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
			if (bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, 4)) {
				int err = errno;
				close(fd);
				fd = -1;
				errno = err;
			}
		}
		freeaddrinfo(list);
	}
	return fd < 0 ? last_error(port) : fd;
}

static int connected(int fd)
{
	int on = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

int fab_control_accept(int listener, unsigned int timeout)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	int n = poll(&p, 1, timeout ? (int)timeout * 1000 : -1);
	if (!n) {
		fprintf(stderr, "control connection: no client came in %u s\n", timeout);
		return -FI_ETIMEDOUT;
	}
	int fd = n < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return fd < 0 ? last_error("accept") : connected(fd);
}

int fab_control_connect(const char *host, const char *port, unsigned int timeout)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	uint64_t end = fab_now_ns() + timeout * 1000000000ULL;

	int ret = getaddrinfo(host, port, &hints, &list);
	if (ret) {
		fprintf(stderr, "control connection to %s: %s\n", host, gai_strerror(ret));
		return -FI_EINVAL;
	}
	/* The server may still be starting. */
	for (;;) {
		for (struct addrinfo *a = list; a; a = a->ai_next) {
			int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
			if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen)) {
				freeaddrinfo(list);
				return connected(fd);
			}
			int err = errno;
			if (fd >= 0)
				close(fd);
			errno = err;
		}
		if (fab_now_ns() > end)
			break;
		poll(NULL, 0, 50);
	}
	freeaddrinfo(list);
	return last_error(host);
}

static int write_all(int fd, const void *buf, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = send(fd, (const char *)buf + at, len - at, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return last_error("send");
		at += (size_t)n;
	}
	return 0;
}

static int read_all(int fd, void *buf, size_t len)
{
	for (size_t at = 0; at < len;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int ready = poll(&p, 1, SILENCE_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		errno = ETIMEDOUT;
		ssize_t n = ready > 0 ? recv(fd, (char *)buf + at, len - at, 0) : -1;
		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = ECONNRESET;
		if (n <= 0)
			return last_error("the peer is gone");
		at += (size_t)n;
	}
	return 0;
}

int fab_control_exchange(int fd, const void *mine, size_t mine_len, void *theirs, size_t *len)
{
	uint32_t n = htonl((uint32_t)mine_len);
	int ret = write_all(fd, &n, sizeof n);
	ret = ret ? ret : write_all(fd, mine, mine_len);
	ret = ret ? ret : read_all(fd, &n, sizeof n);
	if (ret)
		return ret;
	if (ntohl(n) > *len) {
		fprintf(stderr, "control connection: the peer is no test program\n");
		return -FI_EINVAL;
	}
	*len = ntohl(n);
	return read_all(fd, theirs, *len);
}

int fab_control_sync(int fd, void (*drive)(void *), void *arg)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c = 's';
	uint64_t end = fab_now_ns() + SILENCE_MS * 1000000ULL;

	int ret = write_all(fd, &c, 1);
	if (ret)
		return ret;
	/*
	 * Under manual progress nothing is sent again or acknowledged while a program does not call the provider: the peer
	 * may need this before it comes here too.
	 */
	while (!poll(&p, 1, 0) && fab_now_ns() < end)
		for (int i = 0; i < 64; i++)
			drive(arg);
	return read_all(fd, &c, 1);
}
