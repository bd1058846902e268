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
typedef real half __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(real)), may_alias));

typedef struct tile {
    const real *a[ROWS];                 /* row r of A: its element p is a[r][p*a_col], or a[r][list[p]]            */
    size_t a_col;
    const real *b;                       /* row p of B is b + p*b_stride, or b + list[p]*b_stride                   */
    size_t b_stride, k;
    const uint16_t *list;                /* which p: all of 0..k-1 where NULL                                       */
    real *c[ROWS];
    bool add;
} tile;

/* A tile of `rows` x (`wide` vectors and, with `tail`, half a vector). All but `t` are constants at every call: the loops
 * unroll into registers. */
static inline __attribute__((always_inline)) void multiply_tile(const tile *t, const size_t rows, const size_t wide, const bool tail,
                                                                const bool listed)
{
    vector sum[ROWS][WIDE];
    half last[ROWS];
    for (size_t r = 0; r < rows; r++) {
        for (size_t v = 0; v < wide; v++) sum[r][v] = t->add ? *(const vector *)(t->c[r] + v * LANES) : (vector){0};
        if (tail) last[r] = t->add ? *(const half *)(t->c[r] + wide * LANES) : (half){0};
    }
    const real *b = t->b;
    size_t at = 0;
    for (size_t p = 0; p < t->k; p++) {
        if (listed) {
            at = t->list[p];
            b = t->b + at * t->b_stride;
        }
        vector bv[WIDE];
        for (size_t v = 0; v < wide; v++) bv[v] = *(const vector *)(b + v * LANES);
        half bl = tail ? *(const half *)(b + wide * LANES) : (half){0};
        for (size_t r = 0; r < rows; r++) {
            real value = t->a[r][at];
            for (size_t v = 0; v < wide; v++) sum[r][v] += value * bv[v];
            if (tail) last[r] += value * bl;
        }
        if (!listed) {
            at += t->a_col;
            b += t->b_stride;
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t v = 0; v < wide; v++) *(vector *)(t->c[r] + v * LANES) = sum[r][v];
        if (tail) *(half *)(t->c[r] + wide * LANES) = last[r];
    }
}

#define TILE(rows, wide, tail)                                                                                        \
    static void tile_##rows##_##wide##_##tail(const tile *t) { multiply_tile(t, rows, wide, tail, false); }           \
    static void listed_##rows##_##wide##_##tail(const tile *t) { multiply_tile(t, rows, wide, tail, true); }
#define TILES(wide, tail) TILE(1, wide, tail) TILE(2, wide, tail) TILE(3, wide, tail) TILE(4, wide, tail) TILE(5, wide, tail) \
    TILE(6, wide, tail)
#define ROW_OF(kind, wide, tail)                                                                                      \
    { kind##_1_##wide##_##tail, kind##_2_##wide##_##tail, kind##_3_##wide##_##tail, kind##_4_##wide##_##tail,         \
      kind##_5_##wide##_##tail, kind##_6_##wide##_##tail }
typedef void tile_function(const tile *);

/* Functions by width in half vectors, then rows. Rows of matrices are whole vectors long but in float with AVX-512. */
TILES(1, 0)
TILES(2, 0)
#if defined(UNA_ISA_avx512)
TILES(3, 0)
TILES(4, 0)
TILES(0, 1)
TILES(1, 1)
TILES(2, 1)
TILES(3, 1)
enum { MOST_HALVES = 8 };
static tile_function *const dense[MOST_HALVES + 1][ROWS] = {
    [1] = ROW_OF(tile, 0, 1), [2] = ROW_OF(tile, 1, 0), [3] = ROW_OF(tile, 1, 1), [4] = ROW_OF(tile, 2, 0),
    [5] = ROW_OF(tile, 2, 1), [6] = ROW_OF(tile, 3, 0), [7] = ROW_OF(tile, 3, 1), [8] = ROW_OF(tile, 4, 0) };
static tile_function *const listed[MOST_HALVES + 1][ROWS] = {
    [1] = ROW_OF(listed, 0, 1), [2] = ROW_OF(listed, 1, 0), [3] = ROW_OF(listed, 1, 1), [4] = ROW_OF(listed, 2, 0),
    [5] = ROW_OF(listed, 2, 1), [6] = ROW_OF(listed, 3, 0), [7] = ROW_OF(listed, 3, 1), [8] = ROW_OF(listed, 4, 0) };
#else
enum { MOST_HALVES = 4 };
static tile_function *const dense[MOST_HALVES + 1][ROWS] = { [2] = ROW_OF(tile, 1, 0), [4] = ROW_OF(tile, 2, 0) };
static tile_function *const listed[MOST_HALVES + 1][ROWS] = { [2] = ROW_OF(listed, 1, 0), [4] = ROW_OF(listed, 2, 0) };
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

/* Half vectors of the next tile when `left` columns are left. */
static size_t next_halves(size_t left)
{
    size_t halves = 2 * left / LANES;
    return halves <= MOST_HALVES ? halves : halves == MOST_HALVES + 1 ? MOST_HALVES - 2 : MOST_HALVES;
}

static void product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b, size_t b_stride,
                    real *c, size_t c_stride, bool add_to)
{
    for (size_t j = 0, wide; j < n; j += wide * LANES / 2) {
        wide = next_halves(n - j);
        tile t = { .a_col = a_col, .b = b + j, .b_stride = b_stride, .k = k, .add = add_to };
        for (size_t i = 0, rows; i < m; i += rows) {
            rows = next_rows(m - i);
            for (size_t r = 0; r < rows; r++) {
                t.a[r] = a + (i + r) * a_row;
                t.c[r] = c + (i + r) * c_stride + j;
            }
            dense[wide][rows - 1](&t);
        }
    }
}

static void product_active(size_t groups, size_t each, size_t n, size_t k, const real *a, size_t a_stride, const real *b,
                           size_t b_stride, real *c, size_t c_stride, const uint16_t *active)
{
    if (!active) {
        product(groups * each, n, k, a, a_stride, 1, b, b_stride, c, c_stride, false);
        return;
    }
    for (size_t g = 0; g < groups; g++, a += each * a_stride, c += each * c_stride, active += UNA_ACTIVE_STRIDE(k)) {
        tile t = { .b_stride = b_stride, .k = active[0], .list = active + 1 };
        for (size_t j = 0, wide; j < n; j += wide * LANES / 2) {
            wide = next_halves(n - j);
            t.b = b + j;
            for (size_t i = 0, rows; i < each; i += rows) {
                rows = next_rows(each - i);
                for (size_t r = 0; r < rows; r++) {
                    t.a[r] = a + (i + r) * a_stride;
                    t.c[r] = c + (i + r) * c_stride + j;
                }
                listed[wide][rows - 1](&t);
            }
        }
    }
}

static void outer_active(size_t groups, size_t each, size_t m, size_t n, const real *a, size_t a_stride, const real *b,
                         size_t b_stride, real *c, size_t c_stride, bool lower, const uint16_t *active)
{
    if (!active) {
        product(m, n, groups * each, a, 1, a_stride, b, b_stride, c, c_stride, true);
        return;
    }
    for (size_t g = 0; g < groups; g++, a += each * a_stride, b += each * b_stride, active += UNA_ACTIVE_STRIDE(m)) {
        const uint16_t *list = active + 1;
        for (size_t i = 0, rows; i < active[0]; i += rows) {
            rows = next_rows(active[0] - i);
            size_t end = lower ? least_of(n, (size_t)(list[i + rows - 1] / LANES + 1) * LANES) : n;
            tile t = { .a_col = a_stride, .b_stride = b_stride, .k = each, .add = true };
            for (size_t r = 0; r < rows; r++) t.a[r] = a + list[i + r];
            for (size_t j = 0, wide; j < end; j += wide * LANES / 2) {
                wide = next_halves(end - j);
                t.b = b + j;
                for (size_t r = 0; r < rows; r++) t.c[r] = c + list[i + r] * c_stride + j;
                dense[wide][rows - 1](&t);
            }
        }
    }
}

const REAL(una_kernels) SET(una_kernels) = {
    .name = SET_NAME, .product = product, .product_active = product_active, .outer_active = outer_active, ELEMENTWISE_SLOTS
};
