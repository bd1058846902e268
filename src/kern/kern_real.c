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

static void product_active(size_t groups, size_t each, size_t n, size_t k, const real *a, size_t a_stride,
                           const real *b, size_t b_stride, real *c, size_t c_stride, const uint16_t *active)
{
    (void)active;                                /* what is not active is zero */
    product(groups * each, n, k, a, a_stride, 1, b, b_stride, c, c_stride, false);
}

static void outer_active(size_t groups, size_t each, size_t m, size_t n, const real *a, size_t a_stride, const real *b,
                         size_t b_stride, real *c, size_t c_stride, bool lower, const uint16_t *active)
{
    (void)lower;
    (void)active;
    product(m, n, groups * each, a, 1, a_stride, b, b_stride, c, c_stride, true);
}

const REAL(una_kernels) REAL(una_kernels_generic) = { .name = "generic", .product = product,
    .product_active = product_active, .outer_active = outer_active, ELEMENTWISE_SLOTS };
