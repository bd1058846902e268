/* SPDX-License-Identifier: MIT
 *
 * Hashes for tables in memory whose contents strangers choose: words of a file, names of columns, rows of numbers.
 * SipHash-1-3 (Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012) under a key that each run draws anew, so
 * that nobody can write a file whose words all meet in one slot. No result may depend on a hash, nor may one be saved:
 * it is another one tomorrow.
 */
#pragma once

#include "base/base.h"

typedef struct una_hash { uint64_t v[4]; } una_hash;

una_hash_key una_hash_key_new(void);                             /* by chance */
una_hash_key una_hash_key_of(const una_run *run);                /* that of the run and all its tasks */

uint64_t una_hash_bytes(una_hash_key key, const void *bytes, size_t size);
uint64_t una_hash_text(una_hash_key key, const char *text);

/* The same for words that come one after the other; how many they are is for the caller to add, if that may differ. */
una_hash una_hash_begin(una_hash_key key);
uint64_t una_hash_end(una_hash hash);

static inline uint64_t una_hash_rotated(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void una_hash_round(una_hash *h)
{
    uint64_t a = h->v[0], b = h->v[1], c = h->v[2], d = h->v[3];
    a += b;
    c += d;
    b = una_hash_rotated(b, 13) ^ a;
    d = una_hash_rotated(d, 16) ^ c;
    a = una_hash_rotated(a, 32);
    c += b;
    a += d;
    b = una_hash_rotated(b, 17) ^ c;
    d = una_hash_rotated(d, 21) ^ a;
    c = una_hash_rotated(c, 32);
    *h = (una_hash){ { a, b, c, d } };
}

static inline void una_hash_add(una_hash *h, uint64_t word)
{
    h->v[3] ^= word;
    una_hash_round(h);
    h->v[0] ^= word;
}

/* A number: -0 and 0 are equal, and so are all that are missing. */
static inline void una_hash_add_number(una_hash *h, double number)
{
    union { double number; uint64_t word; } both = { .number = number == 0 ? 0 : number };
    una_hash_add(h, isnan(number) ? UINT64_MAX : both.word);
}
