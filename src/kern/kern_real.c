/* SPDX-License-Identifier: MIT
 *
 * The reference kernels: plain loops in either precision. They run everywhere.
 */
#include "kern/kern.h"
#include "kern/sets.h"

#include "kern/elementwise.h"

static void plain_product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b,
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

static void plain_transpose(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) t[j * t_stride + i] = a[i * a_stride + j];
}

static void plain_gram(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride)
{
    plain_product(n, n, rows, a, 1, a_stride, a, a_stride, c, c_stride, true);
}

const REAL(una_kernels) SET(una_kernels) = {
    SET_HEAD, .product = plain_product, .gram = plain_gram, .transpose = plain_transpose, ELEMENTWISE_SLOTS
};
