/* SPDX-License-Identifier: MIT
 *
 * Covariances of many pairs of points: the contract is in kern_slots.h.
 */
#include "kern/sets.h"

#include "kern/activation.h"

/* exp x: x = n ln 2 + r with n from the low bits of x/ln 2 + 1.5 2^52, Taylor series of exp r, n into the exponent. */
static inline real exp_any(real x)
{
#if REAL_IS_FLOAT
    real c = x > 88 ? (x - x) + 88 : x, value = exp_of(c < -87 ? (x - x) - 87 : c);
    return x < -87 ? 0 : value;
#else
    const double shift = 6755399441055744.0;
    double low = x < -700 ? (x - x) - 700 : x, c = low > 709 ? (x - x) + 709 : low;
    union { double f; uint64_t i; } t = { .f = c * 1.4426950408889634 + shift }, power;
    double n = t.f - shift, r = (c - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;

    double series = 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = (series * r) * r + r;

    power.i = (t.i + 1023u) << 52;
    double value = power.f + power.f * series;
    return x < -700 ? 0 : value;
#endif
}

static void exp_all(size_t n, real inner, const real *a, real outer, real *b)
{
    for (size_t i = 0; i < n; i++) b[i] = outer * exp_any(inner * a[i]);
}

/* One more term. Terms are added one by one: the same bits however many are taken in a pass. */
static inline real add_square(real sum, real a, real b) { return sum + (a - b) * (a - b); }

static void square_distances(const REAL(una_pair_rows) *pairs, real *restrict out)
{
    const size_t n = pairs->n, a_step = pairs->a_step, b_stride = pairs->b_stride;
    const real *a = pairs->a, *restrict b = pairs->b;
    size_t count = pairs->count;
    for (size_t j = 0; j < n; j++) out[j] = 0;
    for (; count >= 4; count -= 4, a += 4 * a_step, b += 4 * b_stride) {
        const real a0 = a[0], a1 = a[a_step], a2 = a[2 * a_step], a3 = a[3 * a_step];
        const real *restrict b1 = b + b_stride, *restrict b2 = b1 + b_stride, *restrict b3 = b2 + b_stride;
        for (size_t j = 0; j < n; j++)
            out[j] = add_square(add_square(add_square(add_square(out[j], a0, b[j]), a1, b1[j]), a2, b2[j]), a3, b3[j]);
    }
    for (; count > 0; count--, a += a_step, b += b_stride)
        for (size_t j = 0; j < n; j++) out[j] = add_square(out[j], a[0], b[j]);
}

static void weighted_distances(const REAL(una_pair_rows) *pairs, const real *restrict w, real *restrict sum)
{
    const size_t n = pairs->n;
    const real *restrict b = pairs->b;
    for (size_t d = 0; d < pairs->count; d++, b += pairs->b_stride, sum += UNA_PAD) {
        const real ad = pairs->a[d * pairs->a_step];
        for (size_t j = 0; j < n; j += UNA_PAD)
            for (size_t k = 0; k < UNA_PAD; k++) sum[k] += w[j + k] * ((ad - b[j + k]) * (ad - b[j + k]));
    }
}

const REAL(una_pairs_kernels) SET(una_pairs_kernels) = {
    .exp = exp_all, .distances = square_distances, .weighted_distances = weighted_distances
};
