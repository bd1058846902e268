/* SPDX-License-Identifier: MIT
 *
 * Blocks of 64 bytes are stirred into eight words; the last block or two hold what is left, a one bit, zeros and the
 * number of bits. Names are those of the standard.
 */
#include "sets/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

static const uint32_t K[ROUNDS] = {      /* of the cube roots of the first 64 primes */
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t x, int right)
{
    return x >> right | x << (32 - right);
}

static void spread(uint32_t W[ROUNDS], const unsigned char *block)
{
    for (int t = 0; t < 16; t++, block += 4)
        W[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int t = 16; t < ROUNDS; t++) {
        uint32_t s0 = turned(W[t - 15], 7) ^ turned(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = turned(W[t - 2], 17) ^ turned(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
}

static void stir(uint32_t H[8], const unsigned char *block)
{
    uint32_t W[ROUNDS];
    uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
    spread(W, block);
    for (int t = 0; t < ROUNDS; t++) {
        uint32_t S1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25), choice = (e & f) ^ (~e & g);
        uint32_t S0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22), most = (a & b) ^ (a & c) ^ (b & c);
        uint32_t T1 = h + S1 + choice + K[t] + W[t], T2 = S0 + most;
        h = g;
        g = f;
        f = e;
        e = d + T1;
        d = c;
        c = b;
        b = a;
        a = T1 + T2;
    }

    uint32_t after[8] = { a, b, c, d, e, f, g, h };
    for (int i = 0; i < 8; i++) H[i] += after[i];
}

void una_sha256(char text[UNA_SHA256_TEXT], const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t H[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *at = bytes;
    size_t left = size;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) stir(H, at);

    unsigned char last[2 * BLOCK] = { 0 };
    if (left) memcpy(last, at, left);
    last[left] = 0x80;
    size_t end = left + 9 <= BLOCK ? BLOCK : 2 * BLOCK;          /* the bit and the count must fit */
    uint64_t bits = (uint64_t)size * 8;
    for (size_t i = 0; i < 8; i++) last[end - 1 - i] = (unsigned char)(bits >> 8 * i);
    for (size_t from = 0; from < end; from += BLOCK) stir(H, last + from);

    for (int i = 0; i < 64; i++) text[i] = digits[H[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = 0;
}
