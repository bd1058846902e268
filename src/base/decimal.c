/* SPDX-License-Identifier: MIT
 *
 * Converts between doubles and decimal digits with integers of 128 bits, for numbers of ordinary size; text.c has a
 * slow way for all numbers.
 *
 * In: word 10^e is one division by 5^-e (or multiplication by 5^e), exact but for a remainder, which decides ties.
 * Out: the shortest digits that read back the same, after R. Giulietti, "The Schubfach way to render doubles" (2020). A
 * double is c 2^q; the reals between the midpoints to its neighbours read back as it. With 10^k the largest power of
 * ten not above the width of that interval, at most one multiple of 10^(k+1) and at least one of 10^k lie inside. Both
 * ends and the middle, times 4/10^k, are computed with g = ceil(10^-k 2^..) of 128 bits; what is cut off stays as a
 * last odd bit.
 */
#include "base/base.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

/* ---- in ----------------------------------------------------------------------------------------------- */

enum { MOST_POWER = 27 };                /* 5^27 is the last below 2^64 */

bool una_decimal_value(double *value, uint64_t word, int exponent)
{
    static const uint64_t five[MOST_POWER + 1] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
        30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
        2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
        7450580596923828125
    };
    if (exponent < -MOST_POWER || exponent > MOST_POWER || word == 0) return false;

    uint64_t power = five[exponent < 0 ? -exponent : exponent], top, rest;
    int word_shift = __builtin_clzll(word), power_shift = __builtin_clzll(power), scale;
    word <<= word_shift;
    power <<= power_shift;

    if (exponent < 0) {
        wide whole = (wide)word << 63;   /* its upper half is below power: the quotient fits */
        top = (uint64_t)(whole / power);
        rest = (uint64_t)(whole - (wide)top * power);
        scale = exponent - word_shift + power_shift - 63;
    } else {
        wide whole = (wide)word * power;
        top = (uint64_t)(whole >> 64);
        rest = (uint64_t)whole;
        scale = exponent - word_shift - power_shift + 64;
    }

    int shift = __builtin_clzll(top);    /* value = top 2^scale and a rest; top has 63 or 64 bits */
    uint64_t full = top << shift, mantissa = full >> 11, low = full & 2047;
    mantissa += low > 1024 || (low == 1024 && (rest || mantissa & 1));
    uint64_t bits = (uint64_t)(scale - shift + 11 + 1075) << 52;
    bits += mantissa - (UINT64_C(1) << 52);      /* a mantissa of 2^53 carries into the exponent */
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* ---- out ---------------------------------------------------------------------------------------------- */

enum { LEAST_POWER = -16, LAST_POWER = 47 };

typedef struct power_of_ten { uint64_t high, low; } power_of_ten;

/* ceil(10^n 2^(127 - floor(log2 10^n))) for n from LEAST_POWER to LAST_POWER */
static const power_of_ten powers[LAST_POWER - LEAST_POWER + 1] = {
    { 0xe69594bec44de15b, 0x4c2ebe687989a9b4 }, { 0x901d7cf73ab0acd9, 0x0f9d37014bf60a11 },
    { 0xb424dc35095cd80f, 0x538484c19ef38c95 }, { 0xe12e13424bb40e13, 0x2865a5f206b06fba },
    { 0x8cbccc096f5088cb, 0xf93f87b7442e45d4 }, { 0xafebff0bcb24aafe, 0xf78f69a51539d749 },
    { 0xdbe6fecebdedd5be, 0xb573440e5a884d1c }, { 0x89705f4136b4a597, 0x31680a88f8953031 },
    { 0xabcc77118461cefc, 0xfdc20d2b36ba7c3e }, { 0xd6bf94d5e57a42bc, 0x3d32907604691b4d },
    { 0x8637bd05af6c69b5, 0xa63f9a49c2c1b110 }, { 0xa7c5ac471b478423, 0x0fcf80dc33721d54 },
    { 0xd1b71758e219652b, 0xd3c36113404ea4a9 }, { 0x83126e978d4fdf3b, 0x645a1cac083126ea },
    { 0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a4 }, { 0xcccccccccccccccc, 0xcccccccccccccccd },
    { 0x8000000000000000, 0x0000000000000000 }, { 0xa000000000000000, 0x0000000000000000 },
    { 0xc800000000000000, 0x0000000000000000 }, { 0xfa00000000000000, 0x0000000000000000 },
    { 0x9c40000000000000, 0x0000000000000000 }, { 0xc350000000000000, 0x0000000000000000 },
    { 0xf424000000000000, 0x0000000000000000 }, { 0x9896800000000000, 0x0000000000000000 },
    { 0xbebc200000000000, 0x0000000000000000 }, { 0xee6b280000000000, 0x0000000000000000 },
    { 0x9502f90000000000, 0x0000000000000000 }, { 0xba43b74000000000, 0x0000000000000000 },
    { 0xe8d4a51000000000, 0x0000000000000000 }, { 0x9184e72a00000000, 0x0000000000000000 },
    { 0xb5e620f480000000, 0x0000000000000000 }, { 0xe35fa931a0000000, 0x0000000000000000 },
    { 0x8e1bc9bf04000000, 0x0000000000000000 }, { 0xb1a2bc2ec5000000, 0x0000000000000000 },
    { 0xde0b6b3a76400000, 0x0000000000000000 }, { 0x8ac7230489e80000, 0x0000000000000000 },
    { 0xad78ebc5ac620000, 0x0000000000000000 }, { 0xd8d726b7177a8000, 0x0000000000000000 },
    { 0x878678326eac9000, 0x0000000000000000 }, { 0xa968163f0a57b400, 0x0000000000000000 },
    { 0xd3c21bcecceda100, 0x0000000000000000 }, { 0x84595161401484a0, 0x0000000000000000 },
    { 0xa56fa5b99019a5c8, 0x0000000000000000 }, { 0xcecb8f27f4200f3a, 0x0000000000000000 },
    { 0x813f3978f8940984, 0x4000000000000000 }, { 0xa18f07d736b90be5, 0x5000000000000000 },
    { 0xc9f2c9cd04674ede, 0xa400000000000000 }, { 0xfc6f7c4045812296, 0x4d00000000000000 },
    { 0x9dc5ada82b70b59d, 0xf020000000000000 }, { 0xc5371912364ce305, 0x6c28000000000000 },
    { 0xf684df56c3e01bc6, 0xc732000000000000 }, { 0x9a130b963a6c115c, 0x3c7f400000000000 },
    { 0xc097ce7bc90715b3, 0x4b9f100000000000 }, { 0xf0bdc21abb48db20, 0x1e86d40000000000 },
    { 0x96769950b50d88f4, 0x1314448000000000 }, { 0xbc143fa4e250eb31, 0x17d955a000000000 },
    { 0xeb194f8e1ae525fd, 0x5dcfab0800000000 }, { 0x92efd1b8d0cf37be, 0x5aa1cae500000000 },
    { 0xb7abc627050305ad, 0xf14a3d9e40000000 }, { 0xe596b7b0c643c719, 0x6d9ccd05d0000000 },
    { 0x8f7e32ce7bea5c6f, 0xe4820023a2000000 }, { 0xb35dbf821ae4f38b, 0xdda2802c8a800000 },
    { 0xe0352f62a19e306e, 0xd50b2037ad200000 }, { 0x8c213d9da502de45, 0x4526f422cc340000 }
};

/* floor(g c / 2^128) with a last bit that says whether anything was cut off */
static uint64_t scaled_by_power(power_of_ten g, uint64_t c)
{
    wide low = (wide)g.low * c, high = (wide)g.high * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

bool una_decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 2047);
    if (biased == 0 || biased == 2047) return false;

    uint64_t c = fraction | UINT64_C(1) << 52, odd = c & 1;
    int q = biased - 1075, closer = fraction == 0;       /* below a power of two neighbours are nearer */
    int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22; /* floor(log10 of the interval's width) */
    if (-k < LEAST_POWER || -k > LAST_POWER) return false;

    int h = q + (-k * 1741647 >> 19) + 1;
    power_of_ten g = powers[-k - LEAST_POWER];
    uint64_t lower = scaled_by_power(g, (4 * c - 2 + (uint64_t)closer) << h) + odd,
        middle = scaled_by_power(g, 4 * c << h);
    uint64_t upper = scaled_by_power(g, (4 * c + 2) << h) - odd, s = middle / 4, tens = s / 10;
    bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
    *exponent = k + 1;
    *digits = tens + above;
    if (below != above) return true;

    below = lower <= 4 * s;
    above = 4 * s + 4 <= upper;
    *exponent = k;
    *digits = s + above;
    if (below == above) *digits = s + (middle > 4 * s + 2 || (middle == 4 * s + 2 && s & 1));
    return true;
}

#else

bool una_decimal_value(double *value, uint64_t word, int exponent)
{
    (void)value;
    (void)word;
    (void)exponent;
    return false;
}

bool una_decimal_shortest(double value, uint64_t *digits, int *exponent)
{
    (void)value;
    (void)digits;
    (void)exponent;
    return false;
}

#endif
