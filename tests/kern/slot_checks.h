/* SPDX-License-Identifier: MIT
 *
 * The checks of test_slots.c in one precision. Included once with `real` float and once with double: no guard on
 * purpose. EPSILON is the unit of rounding.
 */
#include "sets_here.h"

/* ---- active lists ------------------------------------------------------------------------------------------- */

/* Rows in groups whose columns are zero throughout the group or not: how = 0: all zero, 1: none, 2 and 3: some. */
typedef struct REAL(grouped) {
    size_t groups, each, columns, stride;
    real *s, *e;                                                 /* e has more that is not zero than s */
    bool *on;                                                    /* [groups, columns] */
} REAL(grouped);

static REAL(grouped) REAL(random_grouped)(una_arena *arena, una_rng *rng, size_t how)
{
    REAL(grouped) x = { .groups = 1 + una_rng_below(rng, 5), .each = 1 + una_rng_below(rng, 14),
        .columns = 1 + una_rng_below(rng, 150) };
    x.stride = UNA_PADDED(x.columns) + UNA_PAD * una_rng_below(rng, 2);
    size_t cells = x.groups * x.each * x.stride;
    x.s = UNA_GET(arena, real, cells);
    x.e = UNA_GET(arena, real, cells);
    x.on = UNA_GET(arena, bool, x.groups * x.columns);
    assert_non_null(x.on);
    for (size_t g = 0; g < x.groups; g++)
        for (size_t j = 0; j < x.columns; j++) {
            bool on = how == 1 || (how > 1 && una_rng_below(rng, 2));
            x.on[g * x.columns + j] = on;
            size_t sure = una_rng_below(rng, x.each);            /* one row is certainly not zero, in s or in e only */
            bool only_e = how == 3 && una_rng_below(rng, 3) == 0;
            for (size_t r = 0; on && r < x.each; r++) {
                size_t at = (g * x.each + r) * x.stride + j;
                if (r != sure && una_rng_below(rng, 2)) continue;
                if (!only_e) x.s[at] = (real)una_rng_normal(rng);
                x.e[at] = (real)una_rng_normal(rng);
            }
        }
    return x;
}

static uint16_t *REAL(list_active)(const REAL(una_kernels) *set, const REAL(grouped) *x, una_arena *arena)
{
    size_t step = UNA_ACTIVE_STRIDE(x->columns);
    uint16_t *active = UNA_GET(arena, uint16_t, x->groups * step + 1);
    assert_non_null(active);
    active[x->groups * step] = 0xBEEF;
    set->find_active(x->groups, x->each, x->columns, x->s, x->e, x->stride, active);
    assert_int_equal(active[x->groups * step], 0xBEEF);
    return active;
}

static void REAL(lists)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 80; round++) {
        una_mark mark = una_arena_mark(&run->scratch);
        REAL(grouped) x = REAL(random_grouped)(&run->scratch, &rng, round % 4);
        if (round % 4 == 2) {
            x.s[(x.each - 1) * x.stride + x.columns - 1] = (real)NAN;        /* last row of the first group */
            x.on[x.columns - 1] = true;
        }
        if (round % 4 == 3) {
            x.e[0] = -(real)INFINITY;
            x.on[0] = true;
        }
        for EACH_SET(set) {
            const uint16_t *active = REAL(list_active)(set, &x, &run->scratch);
            for (size_t g = 0; g < x.groups; g++, active += UNA_ACTIVE_STRIDE(x.columns)) {
                size_t count = 0;
                for (size_t j = 0; j < x.columns; j++) {
                    if (!x.on[g * x.columns + j]) continue;
                    assert_true(count < active[0]);
                    assert_int_equal(active[1 + count++], j);    /* ascending, none left out */
                }
                assert_int_equal(active[0], count);
            }
        }
        una_arena_release(&run->scratch, mark);
    }
}

/* C = A B by lists: against sums in long double, and bit by bit the product's of the same set. */
static void REAL(check_product_active)(const REAL(una_kernels) *set, const REAL(grouped) *x, size_t n, const real *b,
                                       size_t b_stride, const uint16_t *active, una_arena *arena, una_rng *rng)
{
    size_t rows = x->groups * x->each, c_stride = n + UNA_PAD * una_rng_below(rng, 2);
    real *c = REAL(random_block)(arena, rng, rows * c_stride), *dense = UNA_GET(arena, real, rows * c_stride);
    assert_non_null(dense);
    memcpy(dense, c, rows * c_stride * sizeof *c);
    set->product(rows, n, x->columns, x->s, x->stride, 1, b, b_stride, dense, c_stride, false);
    set->product_active(x->groups, x->each, n, x->columns, x->s, x->stride, b, b_stride, c, c_stride, active);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < c_stride; j++) assert_true(c[i * c_stride + j] == dense[i * c_stride + j]);
        for (size_t j = 0; j < n; j++) {
            long double truth = 0, size = 0;
            for (size_t p = 0; p < x->columns; p++) {
                long double term = (long double)x->s[i * x->stride + p] * b[p * b_stride + j];
                truth += term;
                size += fabsl(term);
            }
            double allowed = (double)((long double)(x->columns + 1) * EPSILON * size);
            assert_near((double)c[i * c_stride + j], (double)truth, 0, allowed);
        }
    }
}

static void REAL(products_active)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 40; round++) {
        una_mark mark = una_arena_mark(&run->scratch);
        REAL(grouped) x = REAL(random_grouped)(&run->scratch, &rng, round % 4);
        size_t n = UNA_PAD * (1 + una_rng_below(&rng, 17)), b_stride = n + UNA_PAD * una_rng_below(&rng, 2);
        real *b = REAL(random_block)(&run->scratch, &rng, x.columns * b_stride);
        for EACH_SET(set) {
            const uint16_t *active = REAL(list_active)(set, &x, &run->scratch);
            REAL(check_product_active)(set, &x, n, b, b_stride, active, &run->scratch, &rng);
            REAL(check_product_active)(set, &x, n, b, b_stride, NULL, &run->scratch, &rng);
        }
        una_arena_release(&run->scratch, mark);
    }
}

/* A NAN among the slopes must reach the result: it says that training went wrong. */
static void REAL(nan_passes)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        una_mark mark = una_arena_mark(&run->scratch);
        REAL(grouped) x = REAL(random_grouped)(&run->scratch, &rng, 0);
        x.s[0] = (real)NAN;
        real *b = REAL(random_block)(&run->scratch, &rng, x.columns * 16);
        real *c = UNA_GET(&run->scratch, real, x.groups * x.each * 16);
        real *outer = UNA_GET(&run->scratch, real, x.columns * x.stride);
        assert_non_null(outer);
        const uint16_t *active = REAL(list_active)(set, &x, &run->scratch);
        set->product_active(x.groups, x.each, 16, x.columns, x.s, x.stride, b, 16, c, 16, active);
        for (size_t j = 0; j < 16; j++) assert_true(isnan(c[j]));
        set->outer_active(x.groups, x.each, x.columns, UNA_PADDED(x.columns), x.s, x.stride, x.s, x.stride, outer,
            x.stride, true, active);
        assert_true(isnan(outer[0]));
        una_arena_release(&run->scratch, mark);
    }
}

/* C += A'B by lists. `lower`: B is A, and only what is on and below the diagonal counts. */
static void REAL(check_outer)(const REAL(una_kernels) *set, const REAL(grouped) *x, bool lower, const uint16_t *active,
                              una_arena *arena, una_rng *rng)
{
    size_t rows = x->groups * x->each, m = x->columns;
    size_t n = lower ? UNA_PADDED(m) : UNA_PAD * (1 + una_rng_below(rng, 12));
    size_t b_stride = lower ? x->stride : n + UNA_PAD, c_stride = n + UNA_PAD;
    const real *b = lower ? x->s : REAL(random_block)(arena, rng, rows * b_stride);
    real *before = REAL(random_block)(arena, rng, m * c_stride), *c = UNA_GET(arena, real, m * c_stride);
    assert_non_null(c);
    memcpy(c, before, m * c_stride * sizeof *c);
    set->outer_active(x->groups, x->each, m, n, x->s, x->stride, b, b_stride, c, c_stride, lower, active);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = n; j < c_stride; j++) assert_true(c[i * c_stride + j] == before[i * c_stride + j]);
        for (size_t j = 0; j < n; j++) {
            if (lower && j > i) continue;
            long double truth = before[i * c_stride + j], size = fabsl(truth);
            for (size_t r = 0; r < rows; r++) {
                long double term = (long double)x->s[r * x->stride + i] * b[r * b_stride + j];
                truth += term;
                size += fabsl(term);
            }
            double allowed = (double)((long double)(rows + 1) * EPSILON * size);
            assert_near((double)c[i * c_stride + j], (double)truth, 0, allowed);
        }
    }
}

static void REAL(outers_active)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 32; round++)
        for EACH_SET(set)
            for (int lower = 0; lower < 2; lower++) {
                una_mark mark = una_arena_mark(&run->scratch);
                REAL(grouped) x = REAL(random_grouped)(&run->scratch, &rng, round % 4);
                REAL(check_outer)(set, &x, lower, REAL(list_active)(set, &x, &run->scratch), &run->scratch, &rng);
                REAL(check_outer)(set, &x, lower, NULL, &run->scratch, &rng);
                una_arena_release(&run->scratch, mark);
            }
}

/* ---- similarity ------------------------------------------------------------------------------------------------ */

enum { REAL(SLOPES) = 9 };

/* S = G G' for heads G [heads, SLOPES], some of which have no slope at all. */
static void REAL(head_products)(size_t heads, size_t stride, const double *g, real *s)
{
    for (size_t i = 0; i < heads; i++)
        for (size_t j = 0; j < heads; j++) {
            double sum = 0;
            for (size_t d = 0; d < REAL(SLOPES); d++) sum += g[i * REAL(SLOPES) + d] * g[j * REAL(SLOPES) + d];
            s[i * stride + j] = (real)sum;
        }
}

static void REAL(check_similarity)(const REAL(una_kernels) *set, size_t heads, size_t stride, const real *s,
                                   una_arena *arena)
{
    const double scale = 0.37;
    real *k = UNA_GET(arena, real, heads * stride);
    double *inverse = UNA_GET(arena, double, heads), truth = 0;
    assert_non_null(inverse);
    for (size_t i = 0; i < heads * stride; i++) k[i] = 77;
    double p = set->similarity(heads, stride, s, scale, k, inverse);
    for (size_t i = 0; i < heads; i++) {
        double qi = (double)s[i * stride + i], diagonal = 0;
        for (size_t j = 0; j < heads; j++) {
            double sij = (double)s[i * stride + j], qj = (double)s[j * stride + j];
            if (i == j) continue;
            if (qi > 0 && qj > 0) diagonal -= 2 * sij * sij / (qi * qi * qj);
            if (j > i && qi > 0 && qj > 0) truth += sij * sij / (qi * qj);
            double slope = qi > 0 && qj > 0 ? 2 * sij / (qi * qj) : 0;
            assert_near((double)k[i * stride + j], scale * slope, 4 * EPSILON, 0);
        }
        assert_near((double)k[i * stride + i], scale * diagonal, 4 * EPSILON, qi > 0 ? 1e-13 / qi : 0);
        for (size_t j = heads; j < stride; j++) assert_true(k[i * stride + j] == 77);
    }
    assert_near(p, truth, 1e-12, 1e-13 * (double)heads);
}

static void REAL(similarities)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t heads = 1; heads < 70; heads += 1 + heads / 12)
        for (size_t none = 0; none < 3; none++) {                /* heads without slope: none of them, a third, all */
            una_mark mark = una_arena_mark(&run->scratch);
            size_t stride = UNA_PADDED(heads) + UNA_PAD * (heads % 2);
            double *g = UNA_GET(&run->scratch, double, heads * REAL(SLOPES));
            real *s = UNA_GET(&run->scratch, real, heads * stride);
            assert_non_null(s);
            for (size_t i = 0; i < heads * REAL(SLOPES); i++)
                if (none == 0 || (none == 1 && i / REAL(SLOPES) % 3)) g[i] = una_rng_normal(&rng) * (1 + (double)(i % 5));
            REAL(head_products)(heads, stride, g, s);
            for EACH_SET(set) REAL(check_similarity)(set, heads, stride, s, &run->scratch);
            una_arena_release(&run->scratch, mark);
        }
}

static double REAL(cosines)(size_t heads, const double *g)
{
    double sum = 0;
    for (size_t i = 0; i < heads; i++)
        for (size_t j = 0; j < i; j++) {
            double ij = 0, ii = 0, jj = 0;
            for (size_t d = 0; d < REAL(SLOPES); d++) {
                double a = g[i * REAL(SLOPES) + d], b = g[j * REAL(SLOPES) + d];
                ij += a * b;
                ii += a * a;
                jj += b * b;
            }
            sum += ij * ij / (ii * jj);
        }
    return sum;
}

/* K is what the gradient needs: dP/dG = K G, against differences of the sum of squared cosines itself. */
static void REAL(similarity_gradient)(void **state)
{
    (void)state;
    enum { HEADS = 11, STRIDE = 16 };
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 2);
    double g[HEADS * REAL(SLOPES)], inverse[HEADS];
    real s[HEADS * STRIDE] = { 0 }, k[HEADS * STRIDE] = { 0 };
    for (size_t i = 0; i < HEADS * REAL(SLOPES); i++) g[i] = una_rng_normal(&rng);
    REAL(head_products)(HEADS, STRIDE, g, s);
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        double p = set->similarity(HEADS, STRIDE, s, 1, k, inverse);
        assert_near(p, REAL(cosines)(HEADS, g), 16 * EPSILON, 0);
        for (size_t i = 0; i < HEADS; i++)
            for (size_t d = 0; d < REAL(SLOPES); d++) {
                double slope = 0, kept = g[i * REAL(SLOPES) + d], step = 1e-5;
                for (size_t j = 0; j < HEADS; j++) slope += (double)k[i * STRIDE + j] * g[j * REAL(SLOPES) + d];
                g[i * REAL(SLOPES) + d] = kept + step;
                double above = REAL(cosines)(HEADS, g);
                g[i * REAL(SLOPES) + d] = kept - step;
                double below = REAL(cosines)(HEADS, g);
                g[i * REAL(SLOPES) + d] = kept;
                assert_near(slope, (above - below) / (2 * step), 0, 1e-8 + 40 * EPSILON);
            }
    }
}

/* ---- residuals -------------------------------------------------------------------------------------------------- */

static void REAL(residuals)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 2);
    const double weight = 0.3;
    const REAL(una_kernels) *set;
    for (size_t heads = 1; heads < 45; heads++)
        for (size_t shared = 0; shared < 2; shared++)
            for EACH_SET(set) {
                una_mark mark = una_arena_mark(&run->scratch);
                size_t rows = una_rng_below(&rng, 9), stride = UNA_PADDED(heads);
                size_t t_stride = shared ? 0 : stride + UNA_PAD;
                real *f = REAL(random_block)(&run->scratch, &rng, (rows + 1) * stride);
                real *g = UNA_GET(&run->scratch, real, (rows + 1) * stride);
                real *t = REAL(random_block)(&run->scratch, &rng, shared ? rows + 1 : (rows + 1) * t_stride);
                assert_non_null(g);
                memcpy(g, f, (rows + 1) * stride * sizeof *g);
                double sum = set->residual(rows, heads, stride, weight, t, t_stride, g), truth = 0;
                for (size_t r = 0; r < rows; r++)
                    for (size_t m = 0; m < stride; m++) {
                        size_t at = r * stride + m;
                        double miss = m < heads ? (double)f[at] - (double)t[shared ? r : r * t_stride + m] : 0;
                        truth += weight * miss * miss;
                        assert_near((double)g[at], 2 * weight * miss, 4 * EPSILON, 4 * EPSILON);
                    }
                assert_memory_equal(g + rows * stride, f + rows * stride, stride * sizeof *g);   /* beyond: untouched */
                assert_near(sum, truth, 64 * EPSILON, 0);
                una_arena_release(&run->scratch, mark);
            }
}

/* ---- normals ------------------------------------------------------------------------------------------------- */

static const uint32_t REAL(key)[2] = { 0xa4093822u, 0x299f31d0u };
static const uint32_t REAL(counter)[4] = { 0xfffffff8u, 0x85a308d3u, 0x13198a2eu, 0x03707344u };   /* wraps */

/* Box-Muller in long double on the words of Random123; 16 blocks side by side, word by word. */
static void REAL(normals_of_philox)(void **state)
{
    (void)state;
    enum { COUNT = 64 * 5 + 7 };
    real out[COUNT];
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        set->normals(COUNT, REAL(key), REAL(counter), 1, 0, out);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t word[4];
            philox_words(REAL(key), REAL(counter), i / 64 * 16 + i % 16, word);
            bool second = i % 64 >= 32, sine = i / 16 % 2;
            uint32_t a = word[second ? 2 : 0], b = word[second ? 3 : 1];
            long double radius = sqrtl(-2 * logl(((long double)(a >> 8) + 1) * 0x1p-24L));
            long double angle = (long double)b * 0x1p-32L * TWO_PI;
            long double truth = radius * (sine ? sinl(angle) : cosl(angle));
            assert_near((double)out[i], (double)truth, 0, 4 * (double)FLT_EPSILON * (double)radius);
        }
    }
}

/* n changes how many there are, never which; the spread is a factor; key and counter name the stream. */
static void REAL(normals_prefix)(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    real all[COUNT], some[COUNT + 1], other[COUNT];
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        set->normals(COUNT, REAL(key), REAL(counter), 1, 0, all);
        for (size_t n = 0; n <= COUNT; n++) {
            some[n] = 99;
            set->normals(n, REAL(key), REAL(counter), 1, 0, some);
            assert_memory_equal(some, all, n * sizeof *all);
            assert_true(some[n] == 99);
        }
        set->normals(COUNT, REAL(key), REAL(counter), 0.25f, 0, some);
        for (size_t i = 0; i < COUNT; i++) assert_true(some[i] == all[i] / 4);
        const uint32_t key[2] = { REAL(key)[0], REAL(key)[1] + 1 };
        set->normals(COUNT, key, REAL(counter), 1, 0, other);
        for (size_t i = 0; i < COUNT; i++) assert_true(other[i] != all[i]);
    }
}

static int REAL(by_value)(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x > y) - (x < y);
}

/* Moments within four standard errors, neighbours unrelated, distance to the normal CDF (Kolmogorov and Smirnov). */
static void REAL(normals_distribution)(void **state)
{
    una_run *run = *state;
    enum { COUNT = 200000 };
    una_mark mark = una_arena_mark(&run->scratch);
    real *x = UNA_GET(&run->scratch, real, COUNT);
    assert_non_null(x);
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        double sum[5] = { 0 }, near = 0, pair = 0, squares = 0, worst = 0, n = COUNT;
        set->normals(COUNT, REAL(key), (const uint32_t[4]){ 0, 11, 0, 0 }, 1, 0, x);
        for (size_t i = 0; i < COUNT; i++) {
            double z = (double)x[i];
            for (int k = 1; k < 5; k++) sum[k] += pow(z, k);
            if (i + 1 < COUNT) near += z * (double)x[i + 1];
            if (i + 16 < COUNT && i / 16 % 2 == 0) {             /* sine and cosine of the same angle */
                pair += z * (double)x[i + 16];
                squares += (z * z - 1) * ((double)x[i + 16] * (double)x[i + 16] - 1);
            }
        }
        assert_near(sum[1] / n, 0, 0, 4 / sqrt(n));
        assert_near(sum[2] / n, 1, 0, 4 * sqrt(2 / n));
        assert_near(sum[3] / n, 0, 0, 4 * sqrt(15 / n));
        assert_near(sum[4] / n, 3, 0, 4 * sqrt(96 / n));
        assert_near(near / n, 0, 0, 4 / sqrt(n));
        assert_near(pair / (n / 2), 0, 0, 4 / sqrt(n / 2));
        assert_near(squares / (n / 2), 0, 0, 4 * 2 / sqrt(n / 2));
        qsort(x, COUNT, sizeof *x, REAL(by_value));
        for (size_t i = 0; i < COUNT; i++) {
            double cdf = erfc(-(double)x[i] / sqrt(2)) / 2;
            worst = fmax(worst, fmax(cdf - (double)i / n, (double)(i + 1) / n - cdf));
        }
        assert_true(worst * sqrt(n) < 1.95);                     /* one stream in a thousand is farther off */
    }
    una_arena_release(&run->scratch, mark);
}

/* None nearer to zero than `least`, those that were keep their sign, the others keep their value. */
static void REAL(normals_floor)(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static real plain[COUNT], kept[COUNT];
    const float least = 0.5f;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        size_t moved = 0;
        set->normals(COUNT, REAL(key), REAL(counter), 2, 0, plain);
        set->normals(COUNT, REAL(key), REAL(counter), 2, least, kept);
        for (size_t i = 0; i < COUNT; i++) {
            bool small = fabs((double)plain[i]) < (double)least;
            moved += small;
            assert_true(kept[i] == (small ? (plain[i] < 0 ? -(real)least : (real)least) : plain[i]));
        }
        double share = erf((double)least / 2 / sqrt(2));
        assert_near((double)moved / COUNT, share, 0, 4 * sqrt(share / COUNT));
    }
}

/* ---- not a number --------------------------------------------------------------------------------------------- */

static void REAL(tanh_keeps_nan)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for EACH_SET(set)
        for (size_t at = 0; at < 24; at++) {
            real z[24], h[24], d[24], dd[24], bias[24] = { 0 };
            for (size_t i = 0; i < 24; i++) z[i] = (real)i / 8;
            z[at] = (real)NAN;
            set->activate(UNA_TANH, 1, 24, bias, z, h, d, dd);
            for (size_t i = 0; i < 24; i++) {
                assert_int_equal(!!isnan(h[i]), i == at);
                assert_int_equal(!!isnan(d[i]), i == at);
                assert_int_equal(!!isnan(dd[i]), i == at);
            }
        }
}

/* ---- sweeps and shallow networks ---------------------------------------------------------------------------- */

/* A = X'X + I with a column b beside it: the inverse, A^-1 b and what is left of c, by A times them; the determinant by its
 * own elimination in long double. Nothing beyond the last row is touched. */
static void REAL(sweeps)(void **state)
{
    una_run *run = *state;
    const REAL(una_kernels) *set;
    enum { MOST = 33, WIDE = 40 };
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 2);
    for (size_t n = 1; n <= MOST; n += 4)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            real *x = REAL(random_block)(&run->scratch, &rng, n * n), *a = UNA_GET(&run->scratch, real, (n + 2) * WIDE);
            real *kept = UNA_GET(&run->scratch, real, (n + 1) * WIDE), *column = UNA_GET(&run->scratch, real, WIDE);
            long double work[MOST][MOST], log_det = 0;
            assert_non_null(column);
            for (size_t i = 0; i <= n; i++)
                for (size_t j = 0; j <= i; j++) {
                    real sum = i == j ? 1 : 0;
                    for (size_t k = 0; i < n && k < n; k++) sum += x[k * n + i] * x[k * n + j] / (real)n;
                    a[i * WIDE + j] = kept[i * WIDE + j] = kept[j * WIDE + i] = i < n ? sum : (real)una_rng_normal(&rng);
                }
            a[(n + 1) * WIDE] = 7;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) work[i][j] = kept[i * WIDE + j];
            for (size_t k = 0; k < n; k++) {
                log_det += logl(work[k][k]);
                for (size_t i = k + 1; i < n; i++)
                    for (size_t j = n; j-- > k;) work[i][j] -= work[i][k] / work[k][k] * work[k][j];
            }
            const double allowed = 400 * (double)EPSILON;
            assert_near(set->sweep(n + 1, n, WIDE, a, column), (double)log_det, allowed, allowed);
            for (size_t i = 0; i < n; i++) {
                double back = 0;                         /* A times A^-1 b */
                for (size_t k = 0; k < n; k++) back += (double)kept[i * WIDE + k] * (double)a[n * WIDE + k];
                assert_near(back, (double)kept[n * WIDE + i], 0, 10 * allowed);
                for (size_t j = 0; j < n; j++) {
                    double one = 0;
                    for (size_t k = 0; k < n; k++) one -= (double)kept[i * WIDE + k] * (double)a[k > j ? k * WIDE + j : j * WIDE + k];
                    assert_near(one, i == j ? 1 : 0, 0, allowed);
                }
            }
            double left = (double)kept[n * WIDE + n];
            for (size_t k = 0; k < n; k++) left -= (double)kept[n * WIDE + k] * (double)a[n * WIDE + k];
            assert_near((double)a[n * WIDE + n], left, 0, 20 * allowed);
            assert_true(a[(n + 1) * WIDE] == 7);
            una_arena_release(&run->scratch, mark);
        }
}

static void REAL(sweep_refuses)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        real a[2 * UNA_PAD] = { 1 }, column[UNA_PAD] = {0};
        a[UNA_PAD] = 2;
        a[UNA_PAD + 1] = 1;                              /* [1, 2; 2, 1] */
        assert_true(isnan(set->sweep(2, 2, UNA_PAD, a, column)));
        a[0] = (real)NAN;
        assert_true(isnan(set->sweep(2, 2, UNA_PAD, a, column)));
    }
}

/* Loss and gradient of every activation by the definition, in double; each row count about the rows in hand. */
static void REAL(shallow_networks)(void **state)
{
    (void)state;
    enum { MOST = 17, UNITS = 13, WIDE = 16, INPUTS = 3 };
    const REAL(una_kernels) *set;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 2);
    for (int act = UNA_RELU; act <= UNA_SIN; act++)
        for (size_t rows = 1; rows <= MOST; rows += 4)
            for (size_t inputs = 1; inputs <= INPUTS; inputs++)
                for EACH_SET(set) {
                    real x[MOST * INPUTS], y[MOST], p[(INPUTS + 2) * WIDE] = {0}, g[(INPUTS + 2) * WIDE], work[2 * UNA_SHALLOW_ROWS * WIDE];
                    real c = (real)0.3, dc = 1, z[WIDE], h[WIDE], d[WIDE], zero[WIDE] = {0};
                    double truth[(INPUTS + 2) * WIDE], bias = 1, loss = 0;
                    for (size_t i = 0; i < rows * inputs; i++) x[i] = (real)una_rng_normal(&rng);
                    for (size_t i = 0; i < rows; i++) y[i] = (real)una_rng_normal(&rng);
                    for (size_t i = 0; i < (inputs + 2) * WIDE; i++) {
                        p[i] = i % WIDE < UNITS ? (real)una_rng_normal(&rng) : 0;
                        truth[i] = (double)(g[i] = (real)una_rng_normal(&rng));
                    }
                    const real *b = p + inputs * WIDE, *v = b + WIDE;
                    for (size_t r = 0; r < rows; r++) {
                        double f = (double)c;
                        for (size_t j = 0; j < WIDE; j++) {
                            z[j] = b[j];
                            for (size_t i = 0; i < inputs; i++) z[j] += x[r * inputs + i] * p[i * WIDE + j];
                        }
                        set->activate((una_activation)act, 1, WIDE, zero, z, h, d, NULL);
                        for (size_t j = 0; j < WIDE; j++) f += (double)h[j] * (double)v[j];
                        double slope = 2 * 0.7 * (f - (double)y[r]);
                        loss += 0.7 * (f - (double)y[r]) * (f - (double)y[r]);
                        bias += slope;
                        for (size_t j = 0; j < WIDE; j++) {
                            double dz = slope * (double)v[j] * (double)d[j];
                            truth[(inputs + 1) * WIDE + j] += slope * (double)h[j];
                            truth[inputs * WIDE + j] += dz;
                            for (size_t i = 0; i < inputs; i++) truth[i * WIDE + j] += dz * (double)x[r * inputs + i];
                        }
                    }
                    double got = set->shallow((una_activation)act, rows, inputs, WIDE, x, y, 0.7, (REAL(una_shallow)){ p, b, v, c },
                                              (REAL(una_shallow_gradient)){ g, g + inputs * WIDE, g + (inputs + 1) * WIDE, &dc }, work);
                    const double allowed = 2000 * (double)EPSILON;
                    assert_near(got, loss, allowed, 0);
                    assert_near((double)dc, bias, allowed, allowed);
                    for (size_t i = 0; i < (inputs + 2) * WIDE; i++) assert_near((double)g[i], truth[i], allowed, allowed);
                }
}
