/* SPDX-License-Identifier: MIT
 *
 * Kernels for one instruction set, compiled with its flags: the element-wise loops vectorised by the compiler and a
 * product on register tiles. A tile is ROWS x COLUMNS vectors of C held in registers while p runs over k; the last rows
 * of a matrix go through the same tile with their row pointers clamped, so a row has the same bits in any block.
 */
#include "kern/kern.h"
#include "kern/sets.h"

#include "kern/elementwise.h"

#if defined(UNA_ISA_avx512)
#define VECTOR_BYTES 64
#define ROWS 6
#define SET(name) REAL(name##_avx512)
#define SET_NAME "avx512"
#elif defined(UNA_ISA_avx2)
#define VECTOR_BYTES 32
#define ROWS 4
#define SET(name) REAL(name##_avx2)
#define SET_NAME "avx2"
#else
#error "compile with UNA_ISA_avx2 or UNA_ISA_avx512"
#endif

#define LANES (VECTOR_BYTES / sizeof(real))
typedef real vector __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

typedef struct tile {
    const real *a;
    size_t a_row, a_col;
    const real *b;
    size_t b_stride, k;
    real *c;
    size_t c_stride, rows;                       /* rows really there, <= ROWS */
    bool add;
} tile;

/* A tile of ROWS x (count x LANES). `count` is a constant at every call: the loops unroll into registers. */
static inline __attribute__((always_inline)) void multiply_tile(const tile *t, const size_t count)
{
    vector sum[ROWS][4];
    const real *a[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        a[r] = t->a + (r < t->rows ? r : t->rows - 1) * t->a_row;
        for (size_t v = 0; v < count; v++) sum[r][v] = (vector){0};
        if (t->add && r < t->rows)
            for (size_t v = 0; v < count; v++) sum[r][v] = *(const vector *)(t->c + r * t->c_stride + v * LANES);
    }
    const real *b = t->b;
    size_t at = 0;
    for (size_t p = 0; p < t->k; p++, b += t->b_stride, at += t->a_col) {
        vector bv[4];
        for (size_t v = 0; v < count; v++) bv[v] = *(const vector *)(b + v * LANES);
        for (size_t r = 0; r < ROWS; r++) {
            real value = a[r][at];
            for (size_t v = 0; v < count; v++) sum[r][v] += value * bv[v];
        }
    }
    for (size_t r = 0; r < t->rows; r++)
        for (size_t v = 0; v < count; v++) *(vector *)(t->c + r * t->c_stride + v * LANES) = sum[r][v];
}

static void tile_4(const tile *t) { multiply_tile(t, 4); }
static void tile_3(const tile *t) { multiply_tile(t, 3); }
static void tile_2(const tile *t) { multiply_tile(t, 2); }
static void tile_1(const tile *t) { multiply_tile(t, 1); }

static void product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b, size_t b_stride,
                    real *c, size_t c_stride, bool add)
{
#if ROWS == 4                                    /* 16 registers: 4 x 2 sums, 2 of B, 1 of A */
    const size_t widest = 2;
#else                                            /* 32 registers: 6 x 4 sums, 4 of B, 1 of A */
    const size_t widest = 4;
#endif
    static void (*const tiles[])(const tile *) = { NULL, tile_1, tile_2, tile_3, tile_4 };
    for (size_t j = 0; j < n;) {
        size_t left = (n - j) / LANES, count = left < widest ? left : widest;
        tile t = { .a_row = a_row, .a_col = a_col, .b = b + j, .b_stride = b_stride, .k = k, .c_stride = c_stride, .add = add };
        for (size_t i = 0; i < m; i += ROWS) {
            t.a = a + i * a_row;
            t.c = c + i * c_stride + j;
            t.rows = m - i < ROWS ? m - i : ROWS;
            tiles[count](&t);
        }
        j += count * LANES;
    }
}

const REAL(una_kernels) SET(una_kernels) = { .name = SET_NAME, .product = product, ELEMENTWISE_SLOTS };
