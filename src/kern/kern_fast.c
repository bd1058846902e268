/* SPDX-License-Identifier: MIT
 *
 * Kernels for one instruction set, compiled with its flags: the element-wise loops vectorised by the compiler, and
 * products on register tiles. A tile is up to ROWS x WIDE vectors of C, held in registers while p runs over k; every
 * height and width has a function of its own, so no lane computes for nothing,
 * and a row has the same bits in any block.
 */
#include "kern/kern.h"
#include "kern/sets.h"

#include "kern/elementwise.h"

#include <immintrin.h>

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

/* Units that come out of a tile of fans: as many as addresses fit in registers. */
enum { FAN = 8 };

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
    return halves <= 2 * WIDE ? halves : halves == 2 * WIDE + 1 ? 2 * WIDE - 2 : 2 * WIDE;
}

static void product(size_t m, size_t n, size_t k, const real *a, size_t a_row, size_t a_col, const real *b,
                    size_t b_stride, real *c, size_t c_stride, bool add_to)
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

static void gram(size_t rows, size_t n, const real *a, size_t a_stride, real *c, size_t c_stride)
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

/* ---- fans ----------------------------------------------------------------------------------------------------- */

/* A bit for each that is above zero. */
static inline unsigned above_zero(vector x)
{
#if defined(UNA_ISA_avx512) && REAL_IS_FLOAT
    return _mm512_cmp_ps_mask((__m512)x, _mm512_setzero_ps(), _CMP_GT_OQ);
#elif defined(UNA_ISA_avx512)
    return _mm512_cmp_pd_mask((__m512d)x, _mm512_setzero_pd(), _CMP_GT_OQ);
#elif REAL_IS_FLOAT
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)x, _mm256_setzero_ps(), _CMP_GT_OQ));
#else
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)x, _mm256_setzero_pd(), _CMP_GT_OQ));
#endif
}

static bool copy_fan(size_t lanes, const real *step, real z, const real *u, real *s)
{
    const unsigned all = (1u << LANES) - 1, on = z > 0 ? all : 0;
    unsigned differs = 0;
    size_t l = 0;
    for (; l + LANES <= lanes; l += LANES) {
        const vector ul = *(const vector *)(u + l);
        *(vector *)(s + l) = ul;
        differs |= above_zero(z + *(const vector *)(step + l) * ul) ^ on;
    }
#ifdef HALVES
    if (l < lanes) {
        const half ul = *(const half *)(u + l), far = z + *(const half *)(step + l) * ul;
        *(half *)(s + l) = ul;
        differs |= (unsigned)_mm256_cmp_ps_mask((__m256)far, _mm256_setzero_ps(), _CMP_GT_OQ) ^ (on & 0xFF);
    }
#endif
    return differs;
}

#include "kern/fans.h"
#include "kern/line.h"

typedef struct fan_tile {
    const real *m[FAN];                  /* column of M for each unit that comes out                                */
    const uint16_t *in;
    size_t count, in_step, lanes;
    const real *a;
    real *c;
} fan_tile;

#define OUT_1(X) X(0)
#define OUT_2(X) OUT_1(X) X(1)
#define OUT_3(X) OUT_2(X) X(2)
#define OUT_4(X) OUT_3(X) X(3)
#define OUT_5(X) OUT_4(X) X(4)
#define OUT_6(X) OUT_5(X) X(5)
#define OUT_7(X) OUT_6(X) X(6)
#define OUT_8(X) OUT_7(X) X(7)
#define FAN_START(j)    const real *m##j = t->m[j]; fan c##j = {0};
#define FAN_MULTIPLY(j) c##j += m##j[at] * value;
#define FAN_FINISH(j)   *(fan *)(t->c + j * lanes) = c##j;

#define FAN_TILE(name, type, outs)                                                                                    \
    static void name##_##outs(const fan_tile *t)                                                                      \
    {                                                                                                                 \
        FUSED                                                                                                         \
        typedef type fan;                                                                                             \
        const size_t lanes = t->lanes, in_step = t->in_step;                                                          \
        const real *a = t->a;                                                                                         \
        const uint16_t *in = t->in, *end = in + t->count;                                                             \
        OUT_##outs(FAN_START)                                                                                         \
        for (; in < end; in++, a += lanes) {                                                                          \
            const fan value = *(const fan *)a;                                                                        \
            const size_t at = *in * in_step;                                                                          \
            OUT_##outs(FAN_MULTIPLY)                                                                                  \
        }                                                                                                             \
        OUT_##outs(FAN_FINISH)                                                                                        \
    }
#define FAN_TILES(name, type)                                                                                         \
    FAN_TILE(name, type, 1) FAN_TILE(name, type, 2) FAN_TILE(name, type, 3) FAN_TILE(name, type, 4)                   \
    FAN_TILE(name, type, 5) FAN_TILE(name, type, 6) FAN_TILE(name, type, 7) FAN_TILE(name, type, 8)                   \
    static void (*const name[FAN])(const fan_tile *) = { name##_1, name##_2, name##_3, name##_4, name##_5, name##_6,  \
                                                         name##_7, name##_8 };
FAN_TILES(whole_fan, vector)
#ifdef HALVES
FAN_TILES(half_fan, half)
#else
#define half_fan whole_fan
#endif

static void fan_product(size_t lanes, const uint16_t *in, const real *a, const real *m, size_t in_step, size_t out_step,
                        const uint16_t *out, real *c)
{
    fan_tile t = { .in = UNA_LISTED(in), .count = in[0], .in_step = in_step, .lanes = lanes };
    const uint16_t *units = UNA_LISTED(out);
    for (size_t j = 0, outs; j < out[0]; j += outs) {
        size_t left = out[0] - j, tiles = (left + FAN - 1) / FAN;
        outs = (left + tiles - 1) / tiles;
        for (size_t i = 0; i < outs; i++) t.m[i] = m + units[j + i] * out_step;
        for (size_t l = 0; l < lanes; l += LANES) {
            t.a = a + l;
            t.c = c + j * lanes + l;
            (lanes - l >= LANES ? whole_fan[outs - 1] : half_fan[outs - 1])(&t);
        }
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
}

static void transpose(size_t rows, size_t columns, const real *a, size_t a_stride, real *t, size_t t_stride)
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

/* Fans of listed units as columns of a table [lanes, n], the others like the fan before it, which is zero. */
static void spread_fans(size_t lanes, const uint16_t *list, const real *fans, size_t n, real *flat)
{
    enum { AT_ONCE = 64 };
    const uint16_t *next = UNA_LISTED(list);
    const real *none = flat - lanes, *from[AT_ONCE];
    for (size_t j = 0; j < n; j += AT_ONCE) {
        for (size_t i = 0; i < AT_ONCE; i++) from[i] = none;
        for (; *next < j + AT_ONCE; next++, fans += lanes) from[*next - j] = fans;
        for (size_t i = 0; i < AT_ONCE && j + i < n; i += 8)
            for (size_t l = 0; l < lanes; l += 8) turn_eight(from + i, l, flat + l * n + j + i, n);
    }
}

static void fan_outer(size_t directions, size_t lanes, const uint16_t *rows, const real *a, const uint16_t *columns,
                      const real *b, size_t n, bool lower, real *flat, real *c, size_t c_stride)
{
    spread_fans(lanes, columns, b, n, flat += lanes);
    const uint16_t *units = UNA_LISTED(rows);
    tile t = { .a_col = 1, .b_stride = n, .k = directions, .add = true };
    for (size_t i = 0, high; i < rows[0]; i += high) {
        high = next_rows(rows[0] - i);
        for (size_t r = 0; r < high; r++) {
            t.a[r] = a + (i + r) * lanes;
            t.c[r] = c + units[i + r] * c_stride;
        }
        add_outer(&t, high, flat, lower ? UNA_PADDED(units[i + high - 1] + 1) : n);
    }
}

const REAL(una_kernels) SET(una_kernels) = {
    .name = SET_NAME, .product = product, .gram = gram, .transpose = transpose, FAN_SLOTS, LINE_SLOTS, ELEMENTWISE_SLOTS
};
