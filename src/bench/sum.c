/* SPDX-License-Identifier: MIT
 *
 * Words w go to four lanes by turns: h = rotate(h + w q, 31) p with odd p and q (the round of XXH64); then the lanes
 * are folded. Each step is injective in w, so that a change of any one word changes the sum. Both products are needed:
 * with h = (h ^ w) p alone, a change of the last byte of a word stays in the top 8 bits of its lane, where that of any
 * later word may cancel it: two digits of a text once in some 300 times, the signs of two numbers always.
 */
#include "bench/sum.h"

#include <string.h>

static const uint64_t P = UINT64_C(0x9E3779B185EBCA87), Q = UINT64_C(0xC2B2AE3D27D4EB4F);

static uint64_t mixed(uint64_t lane, uint64_t word)
{
    lane += word * Q;
    return (lane << 31 | lane >> 33) * P;
}

una_sum una_sum_begin(void)
{
    return (una_sum){ { 1, 2, 3, 4 } };
}

void una_sum_add(una_sum *sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t word[4], a = sum->lane[0], b = sum->lane[1], c = sum->lane[2], d = sum->lane[3];
    size_t left = size;

    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        a = mixed(a, word[0]);
        b = mixed(b, word[1]);
        c = mixed(c, word[2]);
        d = mixed(d, word[3]);
    }
    *sum = (una_sum){ { a, b, c, d } };

    for (size_t i = 0; i < left / 8; i++) {
        memcpy(word, at + 8 * i, 8);
        sum->lane[i] = mixed(sum->lane[i], word[0]);
    }
}

uint64_t una_sum_end(const una_sum *sum)
{
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) {
        all = (all ^ sum->lane[i]) * P;
        all ^= all >> 29;
    }
    return all;
}
