/* SPDX-License-Identifier: MIT
 *
 * What fans_loops.c needs, on register tiles.
 */
#include "kern/tiles.h"

/* Units that come out of a tile of fans: as many as addresses fit in registers. */
enum { FAN = 8 };

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

static void fan_product(size_t lanes, REAL(una_fans) in, REAL(una_factor) m, const uint16_t *out, real *c)
{
    fan_tile t = { .in = UNA_LISTED(in.list), .count = in.list[0], .in_step = m.row, .lanes = lanes };
    const uint16_t *units = UNA_LISTED(out);
    for (size_t j = 0, outs; j < out[0]; j += outs) {
        size_t left = out[0] - j, tiles = (left + FAN - 1) / FAN;
        outs = (left + tiles - 1) / tiles;
        for (size_t i = 0; i < outs; i++) t.m[i] = m.at + units[j + i] * m.col;
        for (size_t l = 0; l < lanes; l += LANES) {
            t.a = in.at + l;
            t.c = c + j * lanes + l;
            (lanes - l >= LANES ? whole_fan[outs - 1] : half_fan[outs - 1])(&t);
        }
    }
}

/* Fans of listed units as columns of a table [lanes, n], the others like the fan before it, which is zero. */
static void spread_fans(size_t lanes, REAL(una_fans) of, size_t n, real *flat)
{
    enum { AT_ONCE = 64 };
    const uint16_t *next = UNA_LISTED(of.list);
    const real *none = flat - lanes, *fans = of.at, *from[AT_ONCE];
    for (size_t j = 0; j < n; j += AT_ONCE) {
        for (size_t i = 0; i < AT_ONCE; i++) from[i] = none;
        for (; *next < j + AT_ONCE; next++, fans += lanes) from[*next - j] = fans;
        for (size_t i = 0; i < AT_ONCE && j + i < n; i += 8)
            for (size_t l = 0; l < lanes; l += 8) turn_eight(from + i, l, flat + l * n + j + i, n);
    }
}

static void fan_outer(size_t directions, REAL(una_fans) rows, REAL(una_fans) columns, size_t n, bool lower, real *flat,
                      real *c)
{
    const size_t lanes = UNA_PADDED(directions);
    spread_fans(lanes, columns, n, flat += lanes);
    const uint16_t *units = UNA_LISTED(rows.list);
    tile t = { .a_col = 1, .b_stride = n, .k = directions, .add = true };
    for (size_t i = 0, high; i < rows.list[0]; i += high) {
        high = next_rows(rows.list[0] - i);
        for (size_t r = 0; r < high; r++) {
            t.a[r] = rows.at + (i + r) * lanes;
            t.c[r] = c + units[i + r] * n;
        }
        add_outer(&t, high, flat, lower ? UNA_PADDED(units[i + high - 1] + 1) : n);
    }
}
