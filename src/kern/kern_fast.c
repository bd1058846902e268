/* SPDX-License-Identifier: MIT
 *
 * una_kernels for one instruction set, compiled with its flags: the element-wise loops vectorised by the compiler, and
 * products on register tiles.
 */
#include "kern/sets.h"

#include "kern/elementwise.h"
#include "kern/tiles.h"

static void fast_product(size_t m, size_t n, size_t k, REAL(una_factor) a, REAL(una_factor) b, REAL(una_product) c)
{
    for (size_t j = 0, wide; j < n; j += wide * LANES / 2) {
        wide = next_halves(n - j);
        tile t = { .a_col = a.col, .b = b.at + j, .b_stride = b.row, .k = k, .add = c.add };
        for (size_t i = 0, rows; i < m; i += rows) {
            rows = next_rows(m - i);
            for (size_t r = 0; r < rows; r++) {
                t.a[r] = a.at + (i + r) * a.row;
                t.c[r] = c.at + (i + r) * c.stride + j;
            }
            dense[wide][rows - 1](&t);
        }
    }
}

static void fast_gram(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride)
{
    tile t = { .a_col = a_stride, .b_stride = a_stride, .k = rows, .add = true };
    for (size_t i = 0, high; i < n; i += high) {
        high = next_rows(n - i);
        for (size_t r = 0; r < high; r++) {
            t.a[r] = a + i + r;
            t.c[r] = c + (i + r) * c_stride;
        }
        add_outer(&t, high, a, UNA_PADDED(i + high));
    }
}

static void fast_transpose(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride)
{
    for (size_t i = 0; i < rows; i += 8) {
        const size_t high = rows - i < 8 ? rows - i : 8;
        const real *from[8] = {0};
        for (size_t r = 0; r < high; r++) from[r] = a + (i + r) * a_stride;
        size_t j = 0;
        for (; high == 8 && j + 8 <= columns; j += 8) turn_eight(from, j, t + j * t_stride + i, t_stride);
        for (; j < columns; j++)
            for (size_t r = 0; r < high; r++) t[j * t_stride + i + r] = from[r][j];
    }
}

const REAL(una_kernels) SET(una_kernels) = {
    SET_HEAD .product = fast_product, .gram = fast_gram, .transpose = fast_transpose, ELEMENTWISE_SLOTS
};
