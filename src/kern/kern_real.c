/* SPDX-License-Identifier: MIT
 *
 * The reference kernels: plain loops in either precision. They run everywhere and judge the fast sets.
 */
#include "kern/kern.h"
#include "kern/sets.h"

#include "kern/elementwise.h"

static void product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b,
                    size_t b_stride, real *c, size_t c_stride, bool add)
{
    for (size_t i = 0; i < m; i++) {
        real *ci = c + i * c_stride;
        if (!add)
            for (size_t j = 0; j < n; j++) ci[j] = 0;
        for (size_t p = 0; p < k; p++) {
            real aip = a[i * a_row + p * a_col];
            const real *bp = b + p * b_stride;
            for (size_t j = 0; j < n; j++) ci[j] += aip * bp[j];
        }
    }
}

static bool copy_fan(size_t lanes, const real *step, real z, const real *u, real *s)
{
    bool crosses = false;
    for (size_t l = 0; l < lanes; l++) {
        s[l] = u[l];
        crosses |= (z + step[l] * u[l] > 0) != (z > 0);
    }
    return crosses;
}

#include "kern/fans.h"
#include "kern/line.h"

static void transpose(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) t[j * t_stride + i] = a[i * a_stride + j];
}

static void gram(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride)
{
    product(n, n, rows, a, 1, a_stride, a, a_stride, c, c_stride, true);
}

static void fan_product(size_t lanes, const uint16_t *in, const real *a, const real *m, size_t in_step, size_t out_step,
                        const uint16_t *out, real *c)
{
    for (size_t j = 0; j < out[0]; j++, c += lanes) {
        const real *mj = m + UNA_LISTED(out)[j] * out_step;
        for (size_t l = 0; l < lanes; l++) c[l] = 0;
        for (size_t k = 0; k < in[0]; k++) {
            real by = mj[UNA_LISTED(in)[k] * in_step];
            for (size_t l = 0; l < lanes; l++) c[l] += by * a[k * lanes + l];
        }
    }
}

/* Fans of listed units into the columns of a table [directions, n] that is zero elsewhere. */
static void spread_fans(size_t directions, size_t lanes, const uint16_t *list, const real *fans, size_t n, real *flat)
{
    for (size_t i = 0; i < list[0]; i++) {
        real *column = flat + UNA_LISTED(list)[i];
        for (size_t d = 0; d < directions; d++) column[d * n] = fans[i * lanes + d];
    }
}

static void fan_outer(size_t directions, size_t lanes, const uint16_t *rows, const real *a, const uint16_t *columns,
                      const real *b, size_t n, bool lower, real *flat, real *c, size_t c_stride)
{
    (void)lower;
    spread_fans(directions, lanes, columns, b, n, flat += lanes);
    for (size_t i = 0; i < rows[0]; i++)
        product(1, n, directions, a + i * lanes, 0, 1, flat, n, c + UNA_LISTED(rows)[i] * c_stride, 0, true);
    for (size_t i = 0; i < directions * n; i++) flat[i] = 0;
}

const REAL(una_kernels) REAL(una_kernels_generic) = { .name = "generic", .product = product, .gram = gram,
    .transpose = transpose, FAN_SLOTS, LINE_SLOTS, ELEMENTWISE_SLOTS };
