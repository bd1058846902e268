/* SPDX-License-Identifier: MIT
 *
 * The reference kernels: plain loops in either precision. They run everywhere.
 */
#include "kern/sets.h"

#include "kern/elementwise.h"

static void plain_product(size_t m, size_t n, size_t k, REAL(una_factor) a, REAL(una_factor) b, REAL(una_product) c)
{
    for (size_t i = 0; i < m; i++) {
        real *ci = c.at + i * c.stride;
        if (!c.add)
            for (size_t j = 0; j < n; j++) ci[j] = 0;
        for (size_t p = 0; p < k; p++) {
            real aip = a.at[i * a.row + p * a.col];
            const real *bp = b.at + p * b.row;
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
    plain_product(n, n, rows, UNA_COLUMNS(a, a_stride), UNA_ROWS(a, a_stride), UNA_ONTO(c, c_stride));
}

const REAL(una_kernels) SET(una_kernels) = {
    SET_HEAD .product = plain_product, .gram = plain_gram, .transpose = plain_transpose, ELEMENTWISE_SLOTS
};
