/* SPDX-License-Identifier: MIT
 *
 * Cholesky factors and what is built on them, and the Gram matrix. Plain loops in a fixed order: no BLAS, no threads,
 * so the bits depend on the input alone.
 *
 *   A = L L',   det A = prod l_ii^2,   L L' + v v' by Givens rotations (Golub & Van Loan, Matrix Computations, 6.5.4)
 *
 * All heavy loops end in una_combine, whose inner loop is contiguous and of a constant length, which compilers
 * turn into vector instructions without being allowed to reorder sums.
 */
#include "la/la.h"

enum { PANEL = 32, TILE = 64, LANES = 8 };

/* out += w0 x0 + w1 x1 + w2 x2 + w3 x3, rows of x `stride` apart */
static void add_four(double *restrict out, const double *restrict weight, const double *restrict x, size_t stride,
                     size_t width)
{
    const double w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    const double *x0 = x, *x1 = x + stride, *x2 = x + 2 * stride, *x3 = x + 3 * stride;
    size_t at = 0;
    for (; at + LANES <= width; at += LANES)
        for (size_t k = 0; k < LANES; k++)
            out[at + k] += (w0 * x0[at + k] + w1 * x1[at + k]) + (w2 * x2[at + k] + w3 * x3[at + k]);
    for (; at < width; at++) out[at] += (w0 * x0[at] + w1 * x1[at]) + (w2 * x2[at] + w3 * x3[at]);
}

static void add_one(double *restrict out, double weight, const double *restrict x, size_t width)
{
    size_t at = 0;
    for (; at + LANES <= width; at += LANES)
        for (size_t k = 0; k < LANES; k++) out[at + k] += weight * x[at + k];
    for (; at < width; at++) out[at] += weight * x[at];
}

void una_combine(double *out, const double *weight, const double *x, size_t stride, size_t terms, size_t width)
{
    size_t term = 0;
    for (; term + 4 <= terms; term += 4) add_four(out, weight + term, x + term * stride, stride, width);
    for (; term < terms; term++) add_one(out, weight[term], x + term * stride, width);
}

double una_dot(const double *a, const double *b, size_t n)
{
    double sum[LANES] = {0}, rest = 0;
    size_t at = 0;
    for (; at + LANES <= n; at += LANES)
        for (size_t k = 0; k < LANES; k++) sum[k] += a[at + k] * b[at + k];
    for (; at < n; at++) rest += a[at] * b[at];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

/* Columns [from, to) of L, all rows, once everything to their left has been taken off. */
static una_status factor_panel(double *a, size_t n, size_t from, size_t to, const char *what, una_run *run)
{
    for (size_t j = from; j < to; j++) {
        double *row = a + j * n;
        double pivot = row[j] - una_dot(row + from, row + from, j - from);
        if (!(pivot > 0) || !isfinite(pivot))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s is not positive definite: pivot %zu of %zu is %g", what, j + 1, n, pivot);
        row[j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double *below = a + i * n;
            below[j] = (below[j] - una_dot(below + from, row + from, j - from)) / row[j];
        }
    }
    return UNA_OK;
}

/* What the panel [from, to) takes off the lower triangle to its right, a tile of columns at a time. */
static una_status take_off_panel(double *a, size_t n, size_t from, size_t to, una_run *run)
{
    double tile[PANEL * TILE];                                /* minus the transposed panel [to - from, TILE] */
    for (size_t left = to; left < n; left += TILE) {
        UNA_TRY(una_check_cancelled(run, "solving for weights"));
        size_t width = n - left < TILE ? n - left : TILE;
        for (size_t j = 0; j < width; j++)
            for (size_t k = from; k < to; k++) tile[(k - from) * TILE + j] = -a[(left + j) * n + k];
        for (size_t i = left; i < n; i++) {
            size_t reach = i - left + 1 < width ? i - left + 1 : width;
            una_combine(a + i * n + left, a + i * n + from, tile, TILE, to - from, reach);
        }
    }
    return UNA_OK;
}

una_status una_chol(double *a, size_t n, const char *what, una_run *run)
{
    for (size_t from = 0; from < n; from += PANEL) {
        size_t to = n - from < PANEL ? n : from + PANEL;
        UNA_TRY(una_check_cancelled(run, "solving for weights"));
        UNA_TRY(factor_panel(a, n, from, to, what, run));
        UNA_TRY(take_off_panel(a, n, from, to, run));
    }
    for (size_t i = 0; i < n; i++) memset(a + i * n + i + 1, 0, (n - i - 1) * sizeof *a);
    return UNA_OK;
}

static void negate_all(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = -x[i];
}

void una_chol_lower_solve(const double *l, size_t n, double *b, size_t columns)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = l + i * n;
        double *x = b + i * columns;
        if (columns == 1) {
            x[0] = (x[0] - una_dot(row, b, i)) / row[i];
            continue;
        }
        /* Negating is exact, so that one adding kernel serves for subtraction too. */
        negate_all(x, columns);
        una_combine(x, row, b, columns, i, columns);
        for (size_t c = 0; c < columns; c++) x[c] /= -row[i];
    }
}

/* b_i minus the rows below it times column i of L, for several right-hand sides */
static void take_off_below(const double *l, size_t n, size_t i, double *b, size_t columns)
{
    double weight[TILE];
    negate_all(b + i * columns, columns);
    for (size_t from = i + 1; from < n; from += TILE) {
        size_t count = n - from < TILE ? n - from : TILE;
        for (size_t j = 0; j < count; j++) weight[j] = l[(from + j) * n + i];
        una_combine(b + i * columns, weight, b + from * columns, columns, count, columns);
    }
    negate_all(b + i * columns, columns);
}

void una_chol_upper_solve(const double *l, size_t n, double *b, size_t columns)
{
    for (size_t i = n; i-- > 0;) {
        const double *row = l + i * n;
        if (columns == 1) {
            b[i] /= row[i];
            add_one(b, -b[i], row, i);
            continue;
        }
        take_off_below(l, n, i, b, columns);
        for (size_t c = 0; c < columns; c++) b[i * columns + c] /= row[i];
    }
}

void una_chol_solve(const double *l, size_t n, double *b, size_t columns)
{
    una_chol_lower_solve(l, n, b, columns);
    una_chol_upper_solve(l, n, b, columns);
}

double una_chol_logdet(const double *l, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += log(l[i * n + i]);
    return 2 * sum;
}

/* Row i of the upper triangle of a' a over `rows` rows, summed apart before it is added: fewer rounding errors. */
static void gram_row(double *c, const double *a, size_t rows, size_t n, size_t i)
{
    double weight[TILE], sum[TILE];
    for (size_t r = 0; r < rows; r++) weight[r] = a[r * n + i];
    for (size_t left = i; left < n; left += TILE) {
        size_t width = n - left < TILE ? n - left : TILE;
        memset(sum, 0, sizeof sum);
        una_combine(sum, weight, a + left, n, rows, width);
        for (size_t j = 0; j < width; j++) c[i * n + left + j] += sum[j];
    }
}

una_status una_gram_add(double *c, const double *a, size_t rows, size_t n, una_run *run)
{
    for (size_t from = 0; from < rows; from += TILE) {
        size_t count = rows - from < TILE ? rows - from : TILE;
        for (size_t i = 0; i < n; i++) {
            if (run && i % PANEL == 0) UNA_TRY(una_check_cancelled(run, "adding up rows"));
            gram_row(c, a + from * n, count, n, i);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) c[j * n + i] = c[i * n + j];
    return UNA_OK;
}
