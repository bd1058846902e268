/* SPDX-License-Identifier: MIT
 *
 * The checks of test_slots.c in one precision. Included once with `real` float and once with double: no guard on
 * purpose. EPSILON is the unit of rounding.
 */
#include "sets_here.h"

/* ---- fans ---------------------------------------------------------------------------------------------------- */

/* A list of some of `units`: how = 0: none, 1: all, 2: about half. Nobody bends. */
static uint16_t *REAL(random_list)(una_arena *arena, una_rng *rng, size_t units, size_t how)
{
    uint16_t *list = UNA_GET(arena, uint16_t, UNA_LIST_LENGTH(units)), count = 0;
    assert_non_null(list);
    for (size_t j = 0; j < units; j++)
        if (how == 1 || (how == 2 && una_rng_below(rng, 2))) UNA_LISTED(list)[count++] = (uint16_t)j;
    UNA_LISTED(list)[count] = UNA_LIST_END;
    list[0] = count;
    return list;
}

/* Fans of random numbers, zero beyond `directions`. */
static real *REAL(random_fans)(una_arena *arena, una_rng *rng, size_t count, size_t directions)
{
    size_t lanes = UNA_PADDED(directions);
    real *fans = UNA_GET(arena, real, count * lanes + 1);
    assert_non_null(fans);
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < directions; d++) fans[i * lanes + d] = (real)una_rng_normal(rng);
    return fans;
}

static void REAL(gram_is_lower_half)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 40; round++)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            size_t rows = una_rng_below(&rng, 30), n = 1 + una_rng_below(&rng, 90), wide = UNA_PADDED(n),
                   c_stride = wide + UNA_PAD;
            real *a = REAL(random_block)(&run->scratch, &rng, rows * wide + 1),
                 *c = UNA_GET(&run->scratch, real, n * c_stride);
            assert_non_null(c);

            for (size_t i = 0; i < n * c_stride; i++) c[i] = 1;
            set->gram(rows, n, a, wide, c, c_stride);

            for (size_t i = 0; i < n; i++) {
                for (size_t j = wide; j < c_stride; j++) assert_true(c[i * c_stride + j] == 1);
                for (size_t j = 0; j <= i; j++) {
                    long double truth = 1, size = 1;
                    for (size_t r = 0; r < rows; r++) {
                        long double term = (long double)a[r * wide + i] * a[r * wide + j];
                        truth += term;
                        size += fabsl(term);
                    }
                    assert_near((double)c[i * c_stride + j], (double)truth, 0,
                                (double)((long double)(rows + 1) * EPSILON * size));
                }
            }
            una_arena_release(&run->scratch, mark);
        }
}

/* Forward (in_step the stride) and backward (in_step 1), against sums in long double. */
static void REAL(fan_products)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 60; round++)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            size_t directions = 1 + una_rng_below(&rng, 40), lanes = UNA_PADDED(directions),
                   units = 1 + una_rng_below(&rng, 70);
            size_t outs = 1 + una_rng_below(&rng, 70), stride = UNA_PADDED(round % 2 ? outs : units);
            size_t in_step = round % 2 ? stride : 1, out_step = round % 2 ? 1 : stride;
            const uint16_t *in = REAL(random_list)(&run->scratch, &rng, units, round % 3);
            const uint16_t *out = REAL(random_list)(&run->scratch, &rng, outs, round / 3 % 3);
            real *m = REAL(random_block)(&run->scratch, &rng, units * UNA_PADDED(outs) + outs * UNA_PADDED(units));
            real *a = REAL(random_fans)(&run->scratch, &rng, in[0], directions);
            real *c = UNA_GET(&run->scratch, real, out[0] * lanes + 1);
            assert_non_null(c);

            c[out[0] * lanes] = 7;
            set->fans->product(lanes, (REAL(una_fans)){ in, a }, (REAL(una_factor)){ m, in_step, out_step }, out, c);

            for (size_t j = 0; j < out[0]; j++)
                for (size_t l = 0; l < lanes; l++) {
                    long double truth = 0, size = 0;
                    for (size_t k = 0; k < in[0]; k++) {
                        long double by = m[UNA_LISTED(in)[k] * in_step + UNA_LISTED(out)[j] * out_step],
                                    term = by * a[k * lanes + l];
                        truth += term;
                        size += fabsl(term);
                    }
                    assert_near((double)c[j * lanes + l], (double)truth, 0,
                                (double)((long double)(units + 1) * EPSILON * size));
                }
            assert_true(c[out[0] * lanes] == 7);
            una_arena_release(&run->scratch, mark);
        }
}

/* C += a b' on the units of two lists; twice with the same work, which must not remember. */
static void REAL(check_fan_outer)(const REAL(una_kernels) *set, una_run *run, una_rng *rng, size_t round)
{
    bool lower = round % 2;
    size_t directions = 1 + una_rng_below(rng, 40), lanes = UNA_PADDED(directions), units = 1 + una_rng_below(rng, 150);
    size_t columns = lower ? units : 1 + una_rng_below(rng, 150), n = UNA_PADDED(columns);
    real *flat = UNA_GET(&run->scratch, real, (n + 1) * lanes), *c = UNA_GET(&run->scratch, real, units * n);
    long double *truth = UNA_GET(&run->scratch, long double, units * n),
                *size = UNA_GET(&run->scratch, long double, units * n);
    assert_non_null(size);

    for (size_t again = 0; again < 2; again++) {
        const uint16_t *rows = REAL(random_list)(&run->scratch, rng, units, (round / 2 + again) % 3);
        const uint16_t *across = lower ? rows : REAL(random_list)(&run->scratch, rng, columns, round / 6 % 3);
        const real *a = REAL(random_fans)(&run->scratch, rng, rows[0], directions);
        const real *b = lower ? a : REAL(random_fans)(&run->scratch, rng, across[0], directions);
        set->fans->outer(directions, (REAL(una_fans)){ rows, a }, (REAL(una_fans)){ across, b }, n, lower, flat, c);

        for (size_t i = 0; i < rows[0]; i++)
            for (size_t j = 0; j < across[0]; j++)
                for (size_t d = 0; d < directions; d++) {
                    size_t at = UNA_LISTED(rows)[i] * n + UNA_LISTED(across)[j];
                    long double term = (long double)a[i * lanes + d] * b[j * lanes + d];
                    truth[at] += term;
                    size[at] += fabsl(term);
                }
    }

    for (size_t i = 0; i < units; i++)
        for (size_t j = 0; j < (lower ? i + 1 : n); j++)
            assert_near((double)c[i * n + j], (double)truth[i * n + j], 0, (double)(90.0L * EPSILON * size[i * n + j]));
}

static void REAL(fan_outers)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 54; round++)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            REAL(check_fan_outer)(set, run, &rng, round);
            una_arena_release(&run->scratch, mark);
        }
}

/* A NAN among the slopes or in z must reach the result: it says that training went wrong. */
static void REAL(nan_passes)(void **state)
{
    una_run *run = *state;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        real z[3] = { -1, (real)NAN, -1 }, reach[3] = { 1, 1, 1 };
        uint16_t list[UNA_LIST_LENGTH(3)];
        set->fans->candidates(3, z, reach, (real)0.5, list);
        assert_int_equal(list[0], 1);
        assert_int_equal(UNA_LISTED(list)[0], 1);

        UNA_LISTED(list)[1] = UNA_LIST_END;
        real a[8] = { 1, (real)NAN }, m[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, c[8], outer[3 * 8] = {0}, flat[9 * 8] = {0};
        const REAL(una_fans) fans = { list, a };
        set->fans->product(8, fans, UNA_ROWS(m, 3), list, c);
        assert_true(isnan(c[1]) && !isnan(c[0]));
        set->fans->outer(2, fans, fans, 8, true, flat, outer);
        assert_true(isnan(outer[8 + 1]));
    }
    (void)run;
}

static void REAL(fan_steps_and_sums)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        const real delta[10] = { (real)0.5, -2, 1, 1, 1, 1, 1, 1, 1, (real)-0.25 };
        real step[16], inverse[16], sum[3 * 8] = {0};
        assert_near((double)set->fans->steps(10, 16, delta, step, inverse), 2, 0, 0);
        for (size_t d = 0; d < 16; d++) {
            assert_true(step[d] == (d < 10 ? delta[d] : 0));
            assert_true(inverse[d] == (d < 10 ? 1 / delta[d] : 0));
        }

        const uint16_t list[] = { 2, 0, 0, 2, UNA_LIST_END };
        real fans[16];
        for (size_t i = 0; i < 16; i++) fans[i] = (real)i;
        set->fans->add(8, (REAL(una_fans)){ list, fans }, sum);
        set->fans->add(8, (REAL(una_fans)){ list, fans }, sum);
        for (size_t i = 0; i < 8; i++)
            assert_true(sum[i] == 2 * (real)i && sum[8 + i] == 0 && sum[16 + i] == 2 * (real)(8 + i));
    }
}

/* Secants of ReLU by unit, and their derivative, lane by lane. Nobody who is on somewhere is
 * left out, whatever the reach. */
static void REAL(check_fan_relu)(const REAL(una_kernels) *set, una_run *run, una_rng *rng, bool by_unit)
{
    enum { UNITS = 37 };
    size_t directions = 1 + una_rng_below(rng, 30), lanes = UNA_PADDED(directions);
    real z[UNITS], reach[UNITS], *u = REAL(random_fans)(&run->scratch, rng, UNITS, directions);
    real *delta = REAL(random_block)(&run->scratch, rng, directions), *step = UNA_GET(&run->scratch, real, 2 * lanes);
    real *s = UNA_GET(&run->scratch, real, (UNITS + 1) * lanes), *e = UNA_GET(&run->scratch, real, UNITS * lanes);
    real *packed = UNA_GET(&run->scratch, real, UNITS * lanes);
    assert_non_null(packed);

    for (size_t j = 0; j < UNITS; j++) {
        z[j] = (real)una_rng_normal(rng);
        reach[j] = 0;
        for (size_t d = 0; d < directions; d++) reach[j] = (real)fmax((double)reach[j], fabs((double)u[j * lanes + d]));
    }

    uint16_t candidates[UNA_LIST_LENGTH(UNITS)], list[UNA_LIST_LENGTH(UNITS)];
    real *inverse = step + lanes, longest = set->fans->steps(directions, lanes, delta, step, inverse);
    set->fans->candidates(UNITS, z, reach, longest, candidates);
    for (size_t i = 0; i < candidates[0]; i++)
        memcpy(packed + i * lanes, u + UNA_LISTED(candidates)[i] * lanes, lanes * sizeof *u);
    const REAL(una_fan_layer) layer = { lanes, UNITS, step, inverse, z, list, e };
    set->fans->relu(&layer, candidates, by_unit ? u : packed, by_unit, s);

    size_t at = 0, bends = 0;
    for (size_t j = 0; j < UNITS; j++) {
        bool some = z[j] > 0, all = z[j] > 0;
        for (size_t d = 0; d < directions; d++) {
            bool on = z[j] + delta[d] * u[j * lanes + d] > 0;
            some |= on;
            all &= on;
        }
        if (!some) continue;

        assert_int_equal(UNA_LISTED(list)[at], j);
        bool bent = bends < list[1] && UNA_BENT(list, UNITS)[bends] == at;
        assert_int_equal(bent, !all);
        for (size_t d = 0; d < directions; d++) {
            double far = (double)z[j] + (double)delta[d] * (double)u[j * lanes + d];
            double truth = (fmax(far, 0) - fmax((double)z[j], 0)) / (double)delta[d];
            assert_near((double)s[at * lanes + d], truth, 16 * EPSILON,
                        16 * EPSILON * (1 + fabs(far)) / fabs((double)delta[d]));
            if (bent) assert_true(e[bends * lanes + d] == (z[j] + delta[d] * u[j * lanes + d] > 0 ? 1 : 0));
        }
        bends += bent;
        at++;
    }

    assert_int_equal(list[0], at);
    assert_int_equal(list[1], bends);
    assert_int_equal(UNA_LISTED(list)[at], UNA_LIST_END);
}

static void REAL(fan_relus)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    for (size_t round = 0; round < 60; round++)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            REAL(check_fan_relu)(set, run, &rng, round % 2);
            una_arena_release(&run->scratch, mark);
        }
}

/* The derivative, on three units: the first bends, the second is on all along, the third bends from below. */
static void REAL(fan_relu_derivative)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        const real z[3] = { 1, 2, -1 }, inverse[8] = { 2, -4 };
        uint16_t list[UNA_LIST_LENGTH(3)] = { 3, 2, 0, 1, 2, UNA_LIST_END, 0, 2 };
        real e[16] = { 0, 1, 0, 0, 0, 0, 0, 0, 1, 0 };
        real g[24] = { 3, 5, 0, 0, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 0, 0, 9, 10 }, dz[3] = { 100, 200, 300 };
        const REAL(una_fan_layer) layer = { 8, 3, NULL, inverse, z, list, e };
        set->fans->relu_back(&layer, g, dz);
        assert_true(dz[0] == 100 + 3 * (0 - 1) * 2 && dz[1] == 200 && dz[2] == 300 + 9 * (1 - 0) * 2);
        assert_true(g[0] == 0 && g[1] == 5 && g[8] == 7 && g[9] == 8 && g[16] == 9 && g[17] == 0);
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
    double p = set->slopes->similarity(heads, stride, s, scale, k, inverse);

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
                if (none == 0 || (none == 1 && i / REAL(SLOPES) % 3))
                    g[i] = una_rng_normal(&rng) * (1 + (double)(i % 5));
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
        double p = set->slopes->similarity(HEADS, STRIDE, s, 1, k, inverse);
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
                double sum = set->residual(rows, heads, weight, t, t_stride, g), truth = 0;
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

/* ---- broken lines ---------------------------------------------------------------------------------------------- */

enum { REAL(LINE_POINTS) = 21 };

typedef struct REAL(line_case) {
    REAL(una_line) line;
    REAL(una_line_gradient) gradient;
    real *bias, *x, *delta, *g, *gz, way;
    real *z, *h, *d, *u;                 /* [LINE_POINTS, width]: what comes out                            */
} REAL(line_case);

/* Some units without a bend, some bends in one place, steps across many of them. */
static REAL(line_case) REAL(random_line)(una_run *run, una_rng *rng)
{
    una_arena *arena = &run->scratch;
    size_t units = 1 + una_rng_below(rng, 40), width = UNA_PADDED(1 + una_rng_below(rng, 30));
    size_t tables = (units + 2) * width;
    real *w = REAL(random_block)(arena, rng, units), *b = REAL(random_block)(arena, rng, units);
    REAL(line_case) c = { .line = { .units = units, .width = width, .w = w, .b = b } };

    for (size_t j = 0; j < units; j++) {
        if (una_rng_below(rng, 6) == 0) w[j] = 0;
        if (una_rng_below(rng, 6) == 0) b[j] = w[j] / 4;
    }

    c.line.above = REAL(random_block)(arena, rng, units * width);
    c.line.bend = UNA_GET(arena, real, units);
    c.line.unit = UNA_GET(arena, uint16_t, units);
    c.line.slope = UNA_GET(arena, real, tables);
    c.line.offset = UNA_GET(arena, real, tables);
    c.gradient = (REAL(una_line_gradient)){ UNA_GET(arena, real, tables), UNA_GET(arena, real, tables),
        UNA_GET(arena, real, units), UNA_GET(arena, real, units), UNA_GET(arena, real, units * width),
        UNA_GET(arena, real, width) };
    assert_ok(una_arena_check(arena), run);

    for (size_t j = 0; j < units; j++) c.line.unit[j] = (uint16_t)(units - 1 - j);       /* any order will do */
    c.bias = REAL(random_block)(arena, rng, width);
    c.x = REAL(random_block)(arena, rng, REAL(LINE_POINTS));
    c.delta = REAL(random_block)(arena, rng, REAL(LINE_POINTS));
    for (size_t p = 0; p < REAL(LINE_POINTS); p++) c.delta[p] += (real)(c.delta[p] < 0 ? -0.1 : 0.1);
    real **block[] = { &c.g, &c.gz, &c.z, &c.h, &c.d, &c.u };
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        *block[i] = REAL(random_block)(arena, rng, REAL(LINE_POINTS) * width);
    c.way = una_rng_below(rng, 2) ? 1 : -1;
    return c;
}

static long double REAL(unit_at)(const REAL(una_line) *line, size_t unit, long double x)
{
    long double z = (long double)line->w[unit] * x + (long double)line->b[unit];
    return z > 0 ? z : 0;
}

static void REAL(check_line_rows)(const REAL(line_case) *c)
{
    size_t width = c->line.width;
    for (size_t i = 0; i < REAL(LINE_POINTS) * width; i++) {
        size_t p = i / width, j = i % width;
        long double x = c->x[p], end = x + c->way * c->delta[p], truth = c->bias[j], slope = 0, size = 1;
        for (size_t k = 0; k < c->line.units; k++) {
            long double by = c->line.above[k * width + j], here = REAL(unit_at)(&c->line, k, x);
            truth += by * here;
            slope += by * (REAL(unit_at)(&c->line, k, end) - here) / c->delta[p];
            size += fabsl(by) * (fabsl(c->line.w[k]) * (1 + fabsl(x)) + fabsl(c->line.b[k]));
        }

        assert_near((double)c->z[i], (double)truth, 0, (double)(60 * EPSILON * size));
        assert_near((double)c->u[i], (double)slope, 0, (double)(60 * EPSILON * size * (1 + 1 / fabsl(c->delta[p]))));
        assert_true(c->h[i] == (c->z[i] > 0 ? c->z[i] : 0) && c->d[i] == (c->z[i] > 0));
    }
}

/* Gradients of sum g u + sum gz z: of the units of the layer ... */
static void REAL(check_line_units)(const REAL(line_case) *c)
{
    size_t width = c->line.width;
    for (size_t k = 0; k < c->line.units; k++) {
        long double dw = 0, db = 0, size = 1, most = 1, w = c->line.w[k], b = c->line.b[k];
        for (size_t p = 0; p < REAL(LINE_POINTS); p++) {
            long double x = c->x[p], step = c->delta[p], end = x + c->way * step;
            long double on = w * x + b > 0, ends_on = w * end + b > 0;
            most = fmaxl(most, (1 + fabsl(x)) / fabsl(step));
            for (size_t j = 0; j < width; j++) {
                long double by = c->line.above[k * width + j], g = c->g[p * width + j], gz = c->gz[p * width + j];
                dw += by * (gz * on * x + g * (ends_on * end - on * x) / step);
                db += by * (gz * on + g * (ends_on - on) / step);
                size += fabsl(by) * (fabsl(gz) * (1 + fabsl(x)) + fabsl(g));
            }
        }

        assert_near((double)c->gradient.w[k], (double)dw, 0, (double)(40 * EPSILON * size * most));
        assert_near((double)c->gradient.b[k], (double)db, 0, (double)(40 * EPSILON * size * most));
    }
}

/* ... and of the layer above: weights, then (k = units) bias. */
static void REAL(check_line_above)(const REAL(line_case) *c)
{
    size_t width = c->line.width, units = c->line.units;
    for (size_t i = 0; i < (units + 1) * width; i++) {
        size_t k = i / width, j = i % width;
        long double truth = 0, size = 1, unit = k < units ? fabsl(c->line.w[k]) + fabsl(c->line.b[k]) : 1;
        for (size_t p = 0; p < REAL(LINE_POINTS); p++) {
            long double x = c->x[p], step = c->delta[p], end = x + c->way * step;
            long double g = c->g[p * width + j] / step, gz = c->gz[p * width + j];
            long double here = k < units ? REAL(unit_at)(&c->line, k, x) : 1;
            long double there = k < units ? REAL(unit_at)(&c->line, k, end) : 1;
            truth += gz * here + g * (there - here);
            size += (fabsl(gz) + fabsl(g)) * (1 + fabsl(x)) * unit;
        }

        double got = (double)(k < units ? c->gradient.above[i] : c->gradient.bias[j]);
        assert_near(got, (double)truth, 0, (double)(40 * EPSILON * size));
    }
}

static void REAL(lines)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 2);
    const REAL(una_kernels) *set;
    enum { POINTS = REAL(LINE_POINTS) };
    for (size_t round = 0; round < 60; round++)
        for EACH_SET(set) {
            una_mark mark = una_arena_mark(&run->scratch);
            uint16_t place[POINTS], far[POINTS];
            REAL(line_case) c = REAL(random_line)(run, &rng);

            set->line->make(&c.line, c.bias);
            set->line->rows(&c.line, POINTS, c.x, place, c.z, c.h, c.d);
            const REAL(una_line_steps) steps = { POINTS, c.x, c.delta, c.way, place, far };
            set->line->slopes(&c.line, &steps, c.u);
            REAL(check_line_rows)(&c);

            set->line->slopes_back(&c.line, &steps, c.g, &c.gradient);
            set->line->rows_back(&c.line, POINTS, c.x, place, c.gz, &c.gradient);
            set->line->finish(&c.line, &c.gradient);
            REAL(check_line_units)(&c);
            REAL(check_line_above)(&c);
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
            set->activate(UNA_TANH, 1, 24, bias, (REAL(una_activated)){ z, h, d, dd });

            for (size_t i = 0; i < 24; i++) {
                assert_int_equal(!!isnan(h[i]), i == at);
                assert_int_equal(!!isnan(d[i]), i == at);
                assert_int_equal(!!isnan(dd[i]), i == at);
            }
        }
}

/* ---- sweeps and shallow networks ---------------------------------------------------------------------------- */

/* A = X'X + I with a column b beside it: the inverse, A^-1 b and what is left of c, by A times them; the determinant by
 * its own elimination in long double. Nothing beyond the last row is touched. */
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
                    a[i * WIDE + j] = kept[i * WIDE + j] = kept[j * WIDE + i] =
                        i < n ? sum : (real)una_rng_normal(&rng);
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
            assert_near(set->density->sweep(n + 1, n, WIDE, a, column), (double)log_det, allowed, allowed);
            for (size_t i = 0; i < n; i++) {
                double back = 0;                         /* A times A^-1 b */
                for (size_t k = 0; k < n; k++) back += (double)kept[i * WIDE + k] * (double)a[n * WIDE + k];
                assert_near(back, (double)kept[n * WIDE + i], 0, 10 * allowed);
                for (size_t j = 0; j < n; j++) {
                    double one = 0;
                    for (size_t k = 0; k < n; k++)
                        one -= (double)kept[i * WIDE + k] * (double)a[k > j ? k * WIDE + j : j * WIDE + k];
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
        assert_true(isnan(set->density->sweep(2, 2, UNA_PAD, a, column)));
        a[0] = (real)NAN;
        assert_true(isnan(set->density->sweep(2, 2, UNA_PAD, a, column)));
    }
}

/* Loss and gradient of every activation by the definition, in double; each row count about the rows in hand. */
static void REAL(shallow_networks)(void **state)
{
    (void)state;
    enum { MOST = 17, UNITS = 13, WIDE = 16, INPUTS = 3 };
    const REAL(una_kernels) *set;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 2);
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for (size_t rows = 1; rows <= MOST; rows += 4)
            for (size_t inputs = 1; inputs <= INPUTS; inputs++)
                for EACH_SET(set) {
                    real x[MOST * INPUTS], y[MOST], p[(INPUTS + 2) * WIDE] = {0}, g[(INPUTS + 2) * WIDE],
                         work[2 * UNA_SHALLOW_ROWS * WIDE];
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
                        set->activate((una_activation)act, 1, WIDE, zero, (REAL(una_activated)){ z, h, d, NULL });
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

                    REAL(una_shallow) at = { (una_activation)act, inputs, WIDE, p, b, v, c };
                    REAL(una_shallow_gradient) to = { g, g + inputs * WIDE, g + (inputs + 1) * WIDE, &dc };
                    double got = set->density->shallow(&at, rows, x, y, 0.7, &to, work);
                    const double allowed = 2000 * (double)EPSILON;
                    assert_near(got, loss, allowed, 0);
                    assert_near((double)dc, bias, allowed, allowed);
                    for (size_t i = 0; i < (inputs + 2) * WIDE; i++)
                        assert_near((double)g[i], truth[i], allowed, allowed);
                }
}
