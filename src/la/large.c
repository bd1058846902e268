/* SPDX-License-Identifier: MIT
 *
 * Cholesky factors and triangular inverses of matrices with thousands of rows, on the register tiles of the kernel set.
 *
 * The factor goes panel by panel (PANEL columns): the triangle on the diagonal, the rows below it solved against the
 * triangle, and what the panel takes off the rest. Triangles are halved until STEP columns are left, always at the same
 * places, so that every element sees the same operations in the same order however many rows there are: rows can be
 * appended, and threads share rows, without a change of bits.
 *
 * Products only add, so the second factor is kept as minus its transpose; and a triangular solve gives Y = -L^-1 B, as
 * B_2 - L_21 X_1 = B_2 + L_21 Y_1. There the last STEP rows are multiplied by the inverse of their triangle: products
 * all the way down. (Inverses of larger triangles would save little and cost digits.)
 */
#include "kern/kern.h"
#include "la/la.h"

enum { PANEL = 128, STEP = 8, DEEP = 512, CHUNK = 64, WIDE = 32, BAND = 48 };   /* BAND: whole register tiles */

typedef struct factor {
    double *a;                           /* [n, stride]                                                       */
    size_t  n, stride, from;             /* rows before `from` are done                                       */
    size_t  left, right;                 /* columns of the panel                                              */
    double *corner;                      /* [PANEL, PANEL]: minus the transpose of the panel's triangle       */
    double *below;                       /* tiles [PANEL, WIDE]: minus the transpose of the rows below it     */
    const una_kernels_f64 *kernels;
    const char *what;
} factor;

/* Where [low, high) is halved: a power of two of STEPs after low, the same for every high. */
static size_t middle_of_range(size_t low, size_t high)
{
    size_t half = STEP;
    while (2 * half < high - low) half *= 2;
    return low + half;
}

size_t una_large_stride(size_t n)
{
    size_t stride = UNA_PADDED(n); /* an odd number of cache lines: rows do not fall upon each other in the cache */
    return stride / UNA_PAD % 2 ? stride : stride + UNA_PAD;
}

/* ---- the factor ---------------------------------------------------------------------------------------------- */

/* Columns [low, high) of the panel (counted from its left edge) for rows [top, bottom) below the triangle. */
static void solve_rows(const factor *f, size_t top, size_t bottom, size_t low, size_t high)
{
    double *a = f->a + f->left;
    if (high - low > STEP) {
        size_t half = middle_of_range(low, high);
        solve_rows(f, top, bottom, low, half);
        f->kernels->product(bottom - top, UNA_PADDED(high - half), half - low,
                            UNA_ROWS(a + top * f->stride + low, f->stride),
                            UNA_ROWS(f->corner + low * PANEL + half, PANEL),
                            UNA_ONTO(a + top * f->stride + half, f->stride));
        solve_rows(f, top, bottom, half, high);
        return;
    }

    for (size_t i = top; i < bottom; i++) {
        double *row = a + i * f->stride;
        for (size_t j = low; j < high; j++) {
            double sum = row[j];
            for (size_t p = low; p < j; p++) sum += row[p] * f->corner[p * PANEL + j];
            row[j] = sum / a[(f->left + j) * f->stride + j];
        }
    }
}

/* Minus the transpose of rows [top, bottom) of the triangle, columns [low, high), into the corner. */
static void fill_corner(const factor *f, size_t top, size_t bottom, size_t low, size_t high)
{
    for (size_t i = top; i < bottom; i++)
        for (size_t p = low; p < high && p < i; p++)
            f->corner[p * PANEL + i] = -f->a[(f->left + i) * f->stride + f->left + p];
}

static una_status factor_step(const factor *f, size_t low, size_t high, una_run *run)
{
    for (size_t j = low; j < high; j++) {
        size_t i = f->left + j;
        double *row = f->a + i * f->stride + f->left;
        if (i >= f->from) {
            for (size_t c = low; c < j; c++) {
                double sum = row[c];
                for (size_t p = low; p < c; p++) sum += row[p] * f->corner[p * PANEL + c];
                row[c] = sum / f->a[(f->left + c) * f->stride + f->left + c];
            }

            double pivot = row[j];
            for (size_t p = low; p < j; p++) pivot -= row[p] * row[p];
            if (!(pivot > 0) || !isfinite(pivot))
                UNA_FAIL(run, UNA_E_NUMERIC, "%s is not positive definite: pivot %zu of %zu is %g", f->what, i + 1,
                         f->n, pivot);
            row[j] = sqrt(pivot);
        }
        fill_corner(f, j, j + 1, low, j);
    }
    return UNA_OK;
}

static una_status factor_corner(const factor *f, size_t low, size_t high, una_run *run)
{
    if (high - low <= STEP) return factor_step(f, low, high, run);
    size_t half = middle_of_range(low, high), top = UNA_MAX(f->left + half, f->from), bottom = f->left + high;
    UNA_TRY(factor_corner(f, low, half, run));
    if (top < bottom) solve_rows(f, top, bottom, low, half);
    fill_corner(f, half, high, low, half);
    if (top < bottom)
        f->kernels->product(bottom - top, UNA_PADDED(high - half), half - low,
                            UNA_ROWS(f->a + top * f->stride + f->left + low, f->stride),
                            UNA_ROWS(f->corner + low * PANEL + half, PANEL),
                            UNA_ONTO(f->a + top * f->stride + f->left + half, f->stride));
    return factor_corner(f, half, high, run);
}

/* Rows of chunk `index` below the panel, all of them or only those that are not done. */
static bool chunk_rows(const factor *f, size_t index, bool all, size_t *top, size_t *bottom)
{
    *top = f->right + index * CHUNK;
    *bottom = UNA_MIN(*top + CHUNK, f->n);
    if (!all) *top = UNA_MAX(*top, f->from);
    return *top < *bottom;
}

static una_status solve_chunk(void *context, size_t index, una_run *child)
{
    const factor *f = context;
    size_t top, bottom, width = f->right - f->left;
    (void)child;
    if (chunk_rows(f, index, false, &top, &bottom)) solve_rows(f, top, bottom, 0, width);
    chunk_rows(f, index, true, &top, &bottom);
    for (size_t i = top; i < bottom; i++) {
        const double *row = f->a + i * f->stride + f->left;
        double *to = f->below + (i - f->right) / WIDE * PANEL * WIDE + (i - f->right) % WIDE;
        for (size_t p = 0; p < width; p++) to[p * WIDE] = -row[p];
    }
    return UNA_OK;
}

static una_status take_off_chunk(void *context, size_t index, una_run *child)
{
    const factor *f = context;
    size_t top, bottom;
    (void)child;
    if (!chunk_rows(f, index, false, &top, &bottom)) return UNA_OK;
    for (size_t at = f->right; at < bottom; at += WIDE)
        f->kernels->product(bottom - top, UNA_MIN(WIDE, UNA_PADDED(bottom - at)), f->right - f->left,
                            UNA_ROWS(f->a + top * f->stride + f->left, f->stride),
                            UNA_ROWS(f->below + (at - f->right) / WIDE * PANEL * WIDE, WIDE),
                            UNA_ONTO(f->a + top * f->stride + at, f->stride));
    return UNA_OK;
}

static una_status factor_panels(factor f, double *work, una_run *run)
{
    f.kernels = una_kernels_named_f64(run->settings.kernels);
    f.corner = work;
    f.below = work + PANEL * PANEL;
    for (f.left = 0; f.left < f.n; f.left = f.right) {
        f.right = UNA_MIN(f.left + PANEL, f.n);
        UNA_TRY(factor_corner(&f, 0, f.right - f.left, run));
        size_t chunks = (f.n - f.right + CHUNK - 1) / CHUNK;
        if (chunks == 0) continue;
        UNA_TRY(una_pool(run, chunks, solve_chunk, &f));
        UNA_TRY(una_pool(run, chunks, take_off_chunk, &f));
    }
    return UNA_OK;
}

size_t una_large_chol_work(size_t n)
{
    size_t rest = n > PANEL ? (n - PANEL + WIDE - 1) / WIDE * WIDE : 0;
    return PANEL * PANEL + rest * PANEL;
}

una_status una_large_chol_on(double *work, double *a, size_t n, size_t stride, const char *what, una_run *run)
{
    return factor_panels((factor){ .a = a, .n = n, .stride = stride, .what = what }, work, run);
}

static una_status factor_all(factor f, una_run *run)
{
    UNA_NEW(&run->scratch, double, work, una_large_chol_work(f.n));
    return factor_panels(f, work, run);
}

una_status una_large_chol(double *a, size_t from, size_t n, size_t stride, const char *what, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    UNA_SCOPED(run, factor_all((factor){ .a = a, .n = n, .stride = stride, .from = from, .what = what }, run));
    return UNA_OK;
}

/* ---- triangular systems ---------------------------------------------------------------------------------------- */

/* -T^-1 [STEP, STEP] of the triangle T = rows and columns [low, high) of l; zero above the diagonal. */
static void invert_step(const double *l, size_t stride, size_t low, size_t high, double inverse[STEP * STEP])
{
    memset(inverse, 0, STEP * STEP * sizeof *inverse);
    for (size_t i = 0; i < high - low; i++) {
        const double *row = l + (low + i) * stride + low;
        double sum[STEP] = {0}, under = 1 / row[i];
        sum[i] = -1;
        for (size_t p = 0; p < i; p++)
            for (size_t c = 0; c < STEP; c++) sum[c] -= row[p] * inverse[p * STEP + c];
        for (size_t c = 0; c < STEP; c++) inverse[i * STEP + c] = sum[c] * under;
    }
}

/* Rows [low, high) of -L^-1 b once all rows before low have been added in. */
static void solve_block(const double *l, size_t stride, double *b, size_t columns, size_t low, size_t high,
                        const una_kernels_f64 *kernels)
{
    if (high - low > STEP) {
        size_t half = middle_of_range(low, high);
        solve_block(l, stride, b, columns, low, half, kernels);
        kernels->product(high - half, columns, half - low, UNA_ROWS(l + half * stride + low, stride),
                         UNA_ROWS(b + low * columns, columns), UNA_ONTO(b + half * columns, columns));
        solve_block(l, stride, b, columns, half, high, kernels);
        return;
    }

    double inverse[STEP * STEP], copy[STEP * UNA_TILE];
    invert_step(l, stride, low, high, inverse);
    for (size_t first = 0, width; first < columns; first += width) {
        width = UNA_MIN(UNA_TILE, columns - first);
        double *to = b + low * columns + first;
        for (size_t i = 0; i < high - low; i++) memcpy(copy + i * width, to + i * columns, width * sizeof *copy);
        kernels->product(high - low, width, high - low, UNA_ROWS(inverse, STEP), UNA_ROWS(copy, width),
                         UNA_INTO(to, columns));
    }
}

void una_large_lower_solve(const double *l, size_t n, size_t stride, double *b, size_t columns, size_t from,
                           const una_run *run)
{
    const una_kernels_f64 *kernels = una_kernels_named_f64(run->settings.kernels);
    from = from / BAND * BAND;
    for (size_t top = from; top < n; top += BAND) {
        size_t bottom = UNA_MIN(top + BAND, n);
        for (size_t p = from; p < top; p += DEEP)    /* a part of b that stays in the cache while rows of l pass */
            kernels->product(bottom - top, columns, UNA_MIN(DEEP, top - p),
                             UNA_ROWS(l + top * stride + p, stride), UNA_ROWS(b + p * columns, columns),
                             UNA_ONTO(b + top * columns, columns));
        solve_block(l, stride, b, columns, top, bottom, kernels);
    }
}

void una_large_forward(const double *l, size_t n, size_t stride, double *b)
{
    for (size_t i = 0; i < n; i++) b[i] = (b[i] - una_dot(l + i * stride, b, i)) / l[i * stride + i];
}

void una_large_backward(const double *l, size_t n, size_t stride, double *b)
{
    for (size_t i = n; i-- > 0;) {
        b[i] /= l[i * stride + i];
        double weight = -b[i];
        una_combine(b, &weight, l + i * stride, stride, 1, i);
    }
}

typedef struct inversion { const double *l; size_t n, stride; double *inverse; } inversion;

static una_status invert_tile(void *context, size_t index, una_run *child)
{
    const inversion *v = context;
    size_t first = index * UNA_TILE;
    double *tile = v->inverse + index * v->n * UNA_TILE;
    memset(tile, 0, v->n * UNA_TILE * sizeof *tile);
    for (size_t c = 0; c < UNA_TILE && first + c < v->n; c++) tile[(first + c) * UNA_TILE + c] = 1;
    una_large_lower_solve(v->l, v->n, v->stride, tile, UNA_TILE, first, child);
    return UNA_OK;
}

una_status una_large_inverse(const double *l, size_t n, size_t stride, double *inverse, una_run *run)
{
    inversion v = { l, n, stride, inverse };
    return una_pool(run, (n + UNA_TILE - 1) / UNA_TILE, invert_tile, &v);
}

void una_large_gram(const double *a, const double *b, size_t from, size_t n, double *out, const una_run *run)
{
    const una_kernels_f64 *kernels = una_kernels_named_f64(run->settings.kernels);
    memset(out, 0, UNA_TILE * UNA_TILE * sizeof *out);
    for (size_t p = from; p < n; p += DEEP)
        kernels->product(UNA_TILE, UNA_TILE, UNA_MIN(DEEP, n - p), UNA_COLUMNS(a + p * UNA_TILE, UNA_TILE),
                         UNA_ROWS(b + p * UNA_TILE, UNA_TILE), UNA_ONTO(out, UNA_TILE));
}
