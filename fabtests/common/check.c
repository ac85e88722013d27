/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fab.h"

#include <string.h>

/* Steps of splitmix64 (Steele, Lea, Flood 2014): every word of every message is different, so nothing can be mistaken. */
static uint64_t word(uint64_t seq, uint64_t index)
{
	uint64_t z = (seq << 32 ^ index) * 0x9e3779b97f4a7c15ULL + 0x9e3779b97f4a7c15ULL;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void fab_fill(void *buf, size_t len, uint64_t seq)
{
	char *p = buf;
	for (size_t at = 0; at < len; at += 8) {
		uint64_t w = word(seq, at / 8);
		memcpy(p + at, &w, len - at < 8 ? len - at : 8);
	}
}

size_t fab_verify(const void *buf, size_t len, uint64_t seq)
{
	const char *p = buf;
	for (size_t at = 0; at < len; at += 8) {
		uint64_t w = word(seq, at / 8);
		size_t n = len - at < 8 ? len - at : 8;
		if (!memcmp(p + at, &w, n))
			continue;
		for (size_t i = 0; i < n; i++)
			if (p[at + i] != ((const char *)&w)[i])
				return at + i;
	}
	return SIZE_MAX;
}
