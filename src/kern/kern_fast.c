/* SPDX-License-Identifier: MIT
 *
 * Kernels for one instruction set, compiled with its flags: the element-wise loops vectorised by the compiler, and products on
 * register tiles. A tile is up to ROWS x WIDE vectors of C, held in registers while p runs over k; every height and width
 * has a function of its own, so no lane computes for nothing, and a row has the same bits in any block.
 */
#include "kern/kern.h"
#include "kern/sets.h"

#include "kern/elementwise.h"

#if defined(UNA_ISA_avx512)
#define VECTOR_BYTES 64
enum { ROWS = 6, WIDE = 4 };             /* 32 registers: 6 x 4 sums, 4 of B, 1 of A */
#define SET(name) REAL(name##_avx512)
#define SET_NAME "avx512"
#elif defined(UNA_ISA_avx2)
#define VECTOR_BYTES 32
enum { ROWS = 6, WIDE = 2 };             /* 16 registers: 6 x 2 sums, 2 of B, 1 of A */
#define SET(name) REAL(name##_avx2)
#define SET_NAME "avx2"
#else
#error "compile with UNA_ISA_avx2 or UNA_ISA_avx512"
#endif

#define LANES (VECTOR_BYTES / sizeof(real))
typedef real vector __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

typedef struct tile {
    const real *a[ROWS];                 /* row r of A: its element p is a[r][p*a_col], or a[r][list[p]]            */
    size_t a_col;
    const real *b;                       /* row p of B is b + p*b_stride, or b + list[p]*b_stride                   */
    size_t b_stride, k;
    const uint16_t *list;                /* which p: all of 0..k-1 where NULL                                       */
    real *c[ROWS];
    bool add;
} tile;

/* `rows`, `wide` and `listed` are constants at every call: the loops unroll into registers. */
static inline __attribute__((always_inline)) void multiply_tile(const tile *t, const size_t rows, const size_t wide, const bool listed)
{
    vector sum[ROWS][WIDE];
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < wide; v++) sum[r][v] = t->add ? *(const vector *)(t->c[r] + v * LANES) : (vector){0};
    const real *b = t->b;
    size_t at = 0;
    for (size_t p = 0; p < t->k; p++) {
        if (listed) {
            at = t->list[p];
            b = t->b + at * t->b_stride;
        }
        vector bv[WIDE];
        for (size_t v = 0; v < wide; v++) bv[v] = *(const vector *)(b + v * LANES);
        for (size_t r = 0; r < rows; r++) {
            real value = t->a[r][at];
            for (size_t v = 0; v < wide; v++) sum[r][v] += value * bv[v];
        }
        if (!listed) {
            at += t->a_col;
            b += t->b_stride;
        }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < wide; v++) *(vector *)(t->c[r] + v * LANES) = sum[r][v];
}

#define TILE(rows, wide)                                                                                  \
    static void tile_##rows##_##wide(const tile *t) { multiply_tile(t, rows, wide, false); }              \
    static void listed_##rows##_##wide(const tile *t) { multiply_tile(t, rows, wide, true); }
#define TILES(wide) TILE(1, wide) TILE(2, wide) TILE(3, wide) TILE(4, wide) TILE(5, wide) TILE(6, wide)
#define ROW_OF(kind, wide) \
    { kind##_1_##wide, kind##_2_##wide, kind##_3_##wide, kind##_4_##wide, kind##_5_##wide, kind##_6_##wide }
typedef void tile_function(const tile *);
TILES(1)
TILES(2)
#if defined(UNA_ISA_avx512)
TILES(3)
TILES(4)
static tile_function *const dense[WIDE][ROWS] = { ROW_OF(tile, 1), ROW_OF(tile, 2), ROW_OF(tile, 3), ROW_OF(tile, 4) };
static tile_function *const listed[WIDE][ROWS] = { ROW_OF(listed, 1), ROW_OF(listed, 2), ROW_OF(listed, 3), ROW_OF(listed, 4) };
#else
static tile_function *const dense[WIDE][ROWS] = { ROW_OF(tile, 1), ROW_OF(tile, 2) };
static tile_function *const listed[WIDE][ROWS] = { ROW_OF(listed, 1), ROW_OF(listed, 2) };
#endif

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows of the next tile when `left` are left: as even as possible, so that no tile is thin. */
static size_t next_rows(size_t left)
{
    size_t tiles = (left + ROWS - 1) / ROWS;
    return (left + tiles - 1) / tiles;
}

static void product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b, size_t b_stride,
                    real *c, size_t c_stride, bool add_to)
{
    for (size_t j = 0, wide; j < n; j += wide * LANES) {
        wide = least_of((n - j) / LANES, WIDE);
        tile t = { .a_col = a_col, .b = b + j, .b_stride = b_stride, .k = k, .add = add_to };
        for (size_t i = 0, rows; i < m; i += rows) {
            rows = next_rows(m - i);
            for (size_t r = 0; r < rows; r++) {
                t.a[r] = a + (i + r) * a_row;
                t.c[r] = c + (i + r) * c_stride + j;
            }
            dense[wide - 1][rows - 1](&t);
        }
    }
}

/* Columns of a [each, stride] that are not zero throughout. */
static size_t active_columns(const real *a, size_t each, size_t stride, size_t k, uint16_t *list)
{
    real size[UNA_MOST_ACTIVE] = {0};
    for (size_t r = 0; r < each; r++) {
        const real *restrict row = a + r * stride;
        for (size_t j = 0; j < k; j++) size[j] += row[j] < 0 ? -row[j] : row[j];
    }
    size_t count = 0;
    for (size_t j = 0; j < k; j++) {
        list[count] = (uint16_t)j;
        count += size[j] != 0;                   /* also NAN: it must not vanish here */
    }
    return count;
}

static void product_active(size_t groups, size_t each, size_t n, size_t k, const real *a, size_t a_stride, const real *b,
                           size_t b_stride, real *c, size_t c_stride)
{
    if (k > UNA_MOST_ACTIVE || each < 2) {
        product(groups * each, n, k, a, a_stride, 1, b, b_stride, c, c_stride, false);
        return;
    }
    uint16_t list[UNA_MOST_ACTIVE + 1];
    for (size_t g = 0; g < groups; g++, a += each * a_stride, c += each * c_stride) {
        tile t = { .b_stride = b_stride, .list = list };
        t.k = active_columns(a, each, a_stride, k, list);
        for (size_t j = 0, wide; j < n; j += wide * LANES) {
            wide = least_of((n - j) / LANES, WIDE);
            t.b = b + j;
            for (size_t i = 0, rows; i < each; i += rows) {
                rows = next_rows(each - i);
                for (size_t r = 0; r < rows; r++) {
                    t.a[r] = a + (i + r) * a_stride;
                    t.c[r] = c + (i + r) * c_stride + j;
                }
                listed[wide - 1][rows - 1](&t);
            }
        }
    }
}

static void outer_active(size_t groups, size_t each, size_t m, size_t n, const real *a, size_t a_stride, const real *b,
                         size_t b_stride, real *c, size_t c_stride, bool lower)
{
    if (m > UNA_MOST_ACTIVE || each < 2) {
        product(m, n, groups * each, a, 1, a_stride, b, b_stride, c, c_stride, true);
        return;
    }
    uint16_t list[UNA_MOST_ACTIVE + 1];
    for (size_t g = 0; g < groups; g++, a += each * a_stride, b += each * b_stride) {
        size_t active = active_columns(a, each, a_stride, m, list);
        for (size_t i = 0, rows; i < active; i += rows) {
            rows = next_rows(active - i);
            size_t end = lower ? least_of(n, (list[i + rows - 1] / LANES + 1) * LANES) : n;
            tile t = { .a_col = a_stride, .b_stride = b_stride, .k = each, .add = true };
            for (size_t r = 0; r < rows; r++) t.a[r] = a + list[i + r];
            for (size_t j = 0, wide; j < end; j += wide * LANES) {
                wide = least_of((end - j) / LANES, WIDE);
                t.b = b + j;
                for (size_t r = 0; r < rows; r++) t.c[r] = c + list[i + r] * c_stride + j;
                dense[wide - 1][rows - 1](&t);
            }
        }
    }
}

const REAL(una_kernels) SET(una_kernels) = {
    .name = SET_NAME, .product = product, .product_active = product_active, .outer_active = outer_active, ELEMENTWISE_SLOTS
};
