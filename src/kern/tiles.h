/* SPDX-License-Identifier: MIT
 *
 * Products on register tiles, for one instruction set: what kern_fast.c and fans_fast.h have in common. A tile is up to
 * ROWS x WIDE vectors of C, held in registers while p runs over k; every height and width has a function of its own, so
 * no lane computes for nothing, and a row has the same bits in any block.
 */
#include "kern/eight.h"

#include <immintrin.h>

#if defined(UNA_ISA_avx512)
#define VECTOR_BYTES 64
enum { ROWS = 6, WIDE = 4 };             /* 32 registers: 6 x 4 sums, 4 of B, 1 of A */
#elif defined(UNA_ISA_avx2)
#define VECTOR_BYTES 32
enum { ROWS = 6, WIDE = 2 };             /* 16 registers: 6 x 2 sums, 2 of B, 1 of A */
#else
#error "compile with UNA_ISA_avx2 or UNA_ISA_avx512"
#endif

#define LANES (VECTOR_BYTES / sizeof(real))
typedef real vector __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));
#if defined(UNA_ISA_avx512) && REAL_IS_FLOAT
#define HALVES                           /* rows are whole numbers of vectors but here, where half a one may be left */
typedef real half __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(real)), may_alias));
#define half_of(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
#endif

/* Sums of products are fused in every tile or in none, or a row's bits would depend on its tile. -ffp-contract=fast is
 * no promise from clang: it fuses within a basic block, which sanitizers may cut. Its front end fuses within
 * an expression, wherever that lands. First in a function's body. */
#if defined(__clang__)
#define FUSED _Pragma("clang fp contract(on)")
#else
#define FUSED
#endif

typedef struct tile {
    const real *a[ROWS];                 /* row r of A: its element p is a[r][p*a_col]                              */
    size_t a_col;
    const real *b;                       /* row p of B is b + p*b_stride                                            */
    size_t b_stride, k;
    real *c[ROWS];
    bool add;
} tile;

/* The same thing for rows 0, 1, ... and vectors 0, 1, ...: sums must have names of their own,
 * or compilers keep them in memory. */
#define WIDE_0(X, r)
#define WIDE_1(X, r) X(r, 0)
#define WIDE_2(X, r) WIDE_1(X, r) X(r, 1)
#define WIDE_3(X, r) WIDE_2(X, r) X(r, 2)
#define WIDE_4(X, r) WIDE_3(X, r) X(r, 3)
#define TAIL_0(X, r, wide)
#define TAIL_1(X, r, wide) X(r, wide)
#define ROWS_1(X, wide, tail) X(0, wide, tail)
#define ROWS_2(X, wide, tail) ROWS_1(X, wide, tail) X(1, wide, tail)
#define ROWS_3(X, wide, tail) ROWS_2(X, wide, tail) X(2, wide, tail)
#define ROWS_4(X, wide, tail) ROWS_3(X, wide, tail) X(3, wide, tail)
#define ROWS_5(X, wide, tail) ROWS_4(X, wide, tail) X(4, wide, tail)
#define ROWS_6(X, wide, tail) ROWS_5(X, wide, tail) X(5, wide, tail)

#define LOAD_B(r, v)      const vector b##v = *(const vector *)(b + v * LANES);
#define LOAD_B_TAIL(r, w) const half b_tail = *(const half *)(b + w * LANES);
#define START(r, v)       vector c##r##v = t->add ? *(const vector *)(t->c[r] + v * LANES) : (vector){0};
#define START_TAIL(r, w)  half c##r##_tail = t->add ? *(const half *)(t->c[r] + w * LANES) : (half){0};
#define START_ROW(r, wide, tail) const real *a##r = t->a[r]; WIDE_##wide(START, r) TAIL_##tail(START_TAIL, r, wide)
#define MULTIPLY(r, v)    c##r##v += value * b##v;
#define MULTIPLY_TAIL(r, w) c##r##_tail += half_of(value) * b_tail;
#define MULTIPLY_ROW(r, wide, tail) \
    { const vector value = a##r[at] - (vector){0}; WIDE_##wide(MULTIPLY, r) TAIL_##tail(MULTIPLY_TAIL, r, wide) }
#define FINISH(r, v)      *(vector *)(t->c[r] + v * LANES) = c##r##v;
#define FINISH_TAIL(r, w) *(half *)(t->c[r] + w * LANES) = c##r##_tail;
#define FINISH_ROW(r, wide, tail) WIDE_##wide(FINISH, r) TAIL_##tail(FINISH_TAIL, r, wide)

/* A tile of `rows` x (`wide` vectors and, with `tail`, half a vector). */
#define TILE(rows, wide, tail)                                                                                        \
    static void tile_##rows##_##wide##_##tail(const tile *t)                                                          \
    {                                                                                                                 \
        FUSED                                                                                                         \
        const real *b = t->b;                                                                                         \
        const size_t b_stride = t->b_stride, a_col = t->a_col;                                                        \
        ROWS_##rows(START_ROW, wide, tail)                                                                            \
        for (size_t p = t->k, at = 0; p > 0; p--, at += a_col, b += b_stride) {                                       \
            WIDE_##wide(LOAD_B, 0) TAIL_##tail(LOAD_B_TAIL, 0, wide)                                                  \
            ROWS_##rows(MULTIPLY_ROW, wide, tail)                                                                     \
        }                                                                                                             \
        ROWS_##rows(FINISH_ROW, wide, tail)                                                                           \
    }
#define TILES(wide, tail)                                                                                             \
    TILE(1, wide, tail) TILE(2, wide, tail) TILE(3, wide, tail)                                                       \
    TILE(4, wide, tail) TILE(5, wide, tail) TILE(6, wide, tail)
#define TILE_ROW(wide, tail)                                                                                          \
    { tile_1_##wide##_##tail, tile_2_##wide##_##tail, tile_3_##wide##_##tail, tile_4_##wide##_##tail,                 \
      tile_5_##wide##_##tail, tile_6_##wide##_##tail }
typedef void tile_function(const tile *);

/* Functions by width in half vectors, then rows. */
TILES(1, 0)
TILES(2, 0)
#if defined(UNA_ISA_avx512)
TILES(3, 0)
TILES(4, 0)
#endif
#ifdef HALVES
TILES(0, 1)
TILES(1, 1)
TILES(2, 1)
TILES(3, 1)
#endif
static tile_function *const dense[2 * WIDE + 1][ROWS] = {
#ifdef HALVES
    [1] = TILE_ROW(0, 1), [3] = TILE_ROW(1, 1), [5] = TILE_ROW(2, 1), [7] = TILE_ROW(3, 1),
#endif
#if defined(UNA_ISA_avx512)
    [6] = TILE_ROW(3, 0), [8] = TILE_ROW(4, 0),
#endif
    [2] = TILE_ROW(1, 0), [4] = TILE_ROW(2, 0),
};

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
    if (halves <= 2 * WIDE) return halves;
    return halves == 2 * WIDE + 1 ? 2 * WIDE - 2 : 2 * WIDE;
}

/* Rows [from, from + count) of C += A'B, `a` and `c` the rows' columns and places; columns below `n`. */
static void add_outer(tile *t, size_t rows, const real *b, size_t n)
{
    real *c[ROWS];
    memcpy(c, t->c, sizeof c);
    for (size_t j = 0, wide; j < n; j += wide * LANES / 2) {
        wide = next_halves(n - j);
        t->b = b + j;
        for (size_t r = 0; r < rows; r++) t->c[r] = c[r] + j;
        dense[wide][rows - 1](t);
    }
}

#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define SINGLE_LOW(a, b)  MIX(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define SINGLE_HIGH(a, b) MIX(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define DOUBLE_LOW(a, b)  MIX(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define DOUBLE_HIGH(a, b) MIX(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define FOUR_LOW(a, b)    MIX(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define FOUR_HIGH(a, b)   MIX(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* Eight rows from `from` on, as columns into `to`. */
static inline void turn_eight(const real *const *from, size_t offset, real *to, size_t stride)
{
#define ROW(i) (*(const eight *)(from[i] + offset))
    const eight r0 = ROW(0), r1 = ROW(1), r2 = ROW(2), r3 = ROW(3), r4 = ROW(4), r5 = ROW(5), r6 = ROW(6), r7 = ROW(7);
    const eight a0 = SINGLE_LOW(r0, r1), a1 = SINGLE_HIGH(r0, r1), a2 = SINGLE_LOW(r2, r3), a3 = SINGLE_HIGH(r2, r3);
    const eight a4 = SINGLE_LOW(r4, r5), a5 = SINGLE_HIGH(r4, r5), a6 = SINGLE_LOW(r6, r7), a7 = SINGLE_HIGH(r6, r7);
    const eight b0 = DOUBLE_LOW(a0, a2), b1 = DOUBLE_HIGH(a0, a2), b2 = DOUBLE_LOW(a1, a3), b3 = DOUBLE_HIGH(a1, a3);
    const eight b4 = DOUBLE_LOW(a4, a6), b5 = DOUBLE_HIGH(a4, a6), b6 = DOUBLE_LOW(a5, a7), b7 = DOUBLE_HIGH(a5, a7);
#define COLUMN(i, v) *(eight *)(to + i * stride) = v;
    COLUMN(0, FOUR_LOW(b0, b4)) COLUMN(1, FOUR_LOW(b1, b5)) COLUMN(2, FOUR_LOW(b2, b6)) COLUMN(3, FOUR_LOW(b3, b7))
    COLUMN(4, FOUR_HIGH(b0, b4)) COLUMN(5, FOUR_HIGH(b1, b5)) COLUMN(6, FOUR_HIGH(b2, b6)) COLUMN(7, FOUR_HIGH(b3, b7))
#undef ROW
#undef COLUMN
}
