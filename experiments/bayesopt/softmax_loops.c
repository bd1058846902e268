/* SPDX-License-Identifier: MIT
 *
 * The loops of softmax.h over rows with few numbers, once for each set of instructions; in float alone.
 */
#include "bayesopt/softmax.h"

#include "kern/eight.h"
#include "kern/sets.h"

#if REAL_IS_FLOAT

/* Two sums side by side, because one would wait for itself. */
static void sparse_combine(const una_sparse_row *row, const float *restrict w, float *restrict out)
{
    const uint16_t *restrict index = row->index;
    const float *restrict value = row->value;
    eight a = EIGHT(out, 0), b = EIGHT(out, UNA_PAD), c = { 0 }, d = { 0 };
    size_t i = 0;
    for (; i + 1 < row->count; i += 2) {
        const float *first = w + (size_t)index[i] * UNA_SOFTMAX_WIDTH;
        const float *second = w + (size_t)index[i + 1] * UNA_SOFTMAX_WIDTH;
        a += value[i] * EIGHT(first, 0);
        b += value[i] * EIGHT(first, UNA_PAD);
        c += value[i + 1] * EIGHT(second, 0);
        d += value[i + 1] * EIGHT(second, UNA_PAD);
    }
    if (i < row->count) {
        const float *last = w + (size_t)index[i] * UNA_SOFTMAX_WIDTH;
        a += value[i] * EIGHT(last, 0);
        b += value[i] * EIGHT(last, UNA_PAD);
    }
    EIGHT(out, 0) = a + c;
    EIGHT(out, UNA_PAD) = b + d;
}

static void sparse_spread(const una_sparse_row *row, const float *restrict d, float *restrict g)
{
    const eight low = EIGHT(d, 0), high = EIGHT(d, UNA_PAD);
    for (size_t i = 0; i < row->count; i++) {
        float *at = g + (size_t)row->index[i] * UNA_SOFTMAX_WIDTH;
        EIGHT(at, 0) += row->value[i] * low;
        EIGHT(at, UNA_PAD) += row->value[i] * high;
    }
}

static void sparse_step(size_t n, float shrink, float rate, float *restrict w, float *restrict g)
{
    for (size_t i = 0; i < n; i++) {
        w[i] = shrink * w[i] - rate * g[i];
        g[i] = 0;
    }
}

const una_sparse_kernels SET(una_sparse_kernels) = { sparse_combine, sparse_spread, sparse_step };

#endif
