/* SPDX-License-Identifier: MIT
 *
 * Rows with few numbers: the contract is in sparse_slots.h.
 */
#include "kern/sparse.h"
#include "kern/sets.h"

#include "kern/eight.h"

/* Two sums side by side, because one would wait for itself. */
static void sparse_combine(size_t count, const uint16_t *restrict index, const real *restrict value,
                           const real *restrict w, real *restrict out)
{
    eight a = EIGHT(out, 0), b = EIGHT(out, UNA_PAD), c = { 0 }, d = { 0 };
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        const real *first = w + (size_t)index[i] * UNA_SPARSE_WIDTH;
        const real *second = w + (size_t)index[i + 1] * UNA_SPARSE_WIDTH;
        a += value[i] * EIGHT(first, 0);
        b += value[i] * EIGHT(first, UNA_PAD);
        c += value[i + 1] * EIGHT(second, 0);
        d += value[i + 1] * EIGHT(second, UNA_PAD);
    }
    if (i < count) {
        const real *last = w + (size_t)index[i] * UNA_SPARSE_WIDTH;
        a += value[i] * EIGHT(last, 0);
        b += value[i] * EIGHT(last, UNA_PAD);
    }
    EIGHT(out, 0) = a + c;
    EIGHT(out, UNA_PAD) = b + d;
}

static void sparse_spread(size_t count, const uint16_t *restrict index, const real *restrict value,
                          const real *restrict d, real *restrict g)
{
    const eight low = EIGHT(d, 0), high = EIGHT(d, UNA_PAD);
    for (size_t i = 0; i < count; i++) {
        real *at = g + (size_t)index[i] * UNA_SPARSE_WIDTH;
        EIGHT(at, 0) += value[i] * low;
        EIGHT(at, UNA_PAD) += value[i] * high;
    }
}

static void sparse_step(size_t n, real shrink, real rate, real *restrict w, real *restrict g)
{
    for (size_t i = 0; i < n; i++) {
        w[i] = shrink * w[i] - rate * g[i];
        g[i] = 0;
    }
}

const REAL(una_sparse_kernels) SET(una_sparse_kernels) = { .combine = sparse_combine, .spread = sparse_spread,
                                                           .step = sparse_step };
