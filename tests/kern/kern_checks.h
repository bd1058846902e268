/* SPDX-License-Identifier: MIT
 *
 * The checks of test_kern.c in one precision. Included once with `real` float and once with double: no guard on
 * purpose. EPSILON is the unit of rounding.
 */
#include "sets_here.h"

/* ---- names ---------------------------------------------------------------------------------------- */

static void REAL(names)(void **state)
{
    (void)state;
    assert_null(REAL(una_kernels_named)("sse"));
    assert_null(REAL(una_kernels_named)(""));
    assert_null(REAL(una_kernels_named)("GENERIC"));
    assert_string_equal(REAL(una_kernels_named)("generic")->name, "generic");
    assert_non_null(REAL(una_kernels_named)(NULL));
    assert_ptr_equal(REAL(una_kernels_named)(NULL), REAL(una_kernels_named)("auto"));

    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        assert_ptr_equal(REAL(una_kernels_named)(set->name), set);
        assert_non_null(set->product);
        assert_non_null(set->activate);
        assert_non_null(set->slopes->secant);
        assert_non_null(set->slopes->secant_back);
        assert_non_null(set->slopes->tangent);
        assert_non_null(set->slopes->tangent_back);
        assert_non_null(set->multiply);
        assert_non_null(set->add_rows);
        assert_non_null(set->transpose);
        assert_non_null(set->ridge);
        assert_non_null(set->adam);
        assert_non_null(set->descend);
        assert_non_null(set->gram);
        assert_non_null(set->fans->product);
        assert_non_null(set->fans->outer);
        assert_non_null(set->fans->add);
        assert_non_null(set->fans->steps);
        assert_non_null(set->fans->candidates);
        assert_non_null(set->fans->relu);
        assert_non_null(set->fans->relu_back);
        assert_non_null(set->line->make);
        assert_non_null(set->line->rows);
        assert_non_null(set->line->slopes);
        assert_non_null(set->line->slopes_back);
        assert_non_null(set->line->rows_back);
        assert_non_null(set->line->finish);
        assert_non_null(set->slopes->similarity);
        assert_non_null(set->residual);
        assert_non_null(set->add);
        assert_non_null(set->scale);
        assert_non_null(set->normals);
        assert_non_null(set->density->sweep);
        assert_non_null(set->density->shallow);
        assert_non_null(set->pairs->exp);
        assert_non_null(set->pairs->distances);
        assert_non_null(set->pairs->weighted_distances);
    }
}

/* ---- products --------------------------------------------------------------------------------------- */

typedef struct REAL(factors) {
    size_t m, n, k, a_row, a_col, b_stride, c_stride;
    real *a, *b, *c;
    bool add;
} REAL(factors);

/* Ragged shapes, strides beyond the widths, A read transposed in every other case. */
static REAL(factors) REAL(random_factors)(una_arena *arena, una_rng *rng)
{
    REAL(factors) f = { .m = 1 + una_rng_below(rng, 40), .n = UNA_PAD * (1 + una_rng_below(rng, 18)),
        .k = 1 + una_rng_below(rng, 70) };
    bool transposed = una_rng_below(rng, 2);
    size_t spare = una_rng_below(rng, 4);

    f.a_row = transposed ? 1 : f.k + spare;
    f.a_col = transposed ? f.m + spare : 1;
    f.b_stride = f.n + UNA_PAD * una_rng_below(rng, 3);
    f.c_stride = f.n + UNA_PAD * una_rng_below(rng, 3);
    f.add = una_rng_below(rng, 2);

    f.a = REAL(random_block)(arena, rng, (f.m + spare) * (f.k + spare));
    f.b = REAL(random_block)(arena, rng, f.k * f.b_stride);
    f.c = REAL(random_block)(arena, rng, f.m * f.c_stride);
    return f;
}

static void REAL(check_product)(const REAL(una_kernels) *set, const REAL(factors) *f, real *c)
{
    memcpy(c, f->c, f->m * f->c_stride * sizeof *c);
    set->product(f->m, f->n, f->k, (REAL(una_factor)){ f->a, f->a_row, f->a_col }, UNA_ROWS(f->b, f->b_stride),
                 (REAL(una_product)){ c, f->c_stride, f->add });

    for (size_t i = 0; i < f->m; i++)
        for (size_t j = 0; j < f->c_stride; j++) {
            real before = f->c[i * f->c_stride + j], got = c[i * f->c_stride + j];
            if (j >= f->n) {
                assert_true(got == before);                      /* beyond n nothing is touched */
                continue;
            }

            long double truth = f->add ? before : 0, size = fabsl(truth);
            for (size_t p = 0; p < f->k; p++) {
                long double term = (long double)f->a[i * f->a_row + p * f->a_col] * f->b[p * f->b_stride + j];
                truth += term;
                size += fabsl(term);
            }
            if (!(fabsl(truth - got) <= (long double)(f->k + 1) * EPSILON * size))
                fail_msg("%s: m %zu n %zu k %zu: c(%zu, %zu) = %.9g, not %.9Lg", set->name, f->m, f->n, f->k, i, j,
                    (double)got, truth);
        }
}

static void REAL(products)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 1);
    for (int round = 0; round < 120; round++) {
        una_mark mark = una_arena_mark(&run->scratch);
        REAL(factors) f = REAL(random_factors)(&run->scratch, &rng);
        real *c = UNA_GET(&run->scratch, real, f.m * f.c_stride);
        assert_non_null(c);
        const REAL(una_kernels) *set;
        for EACH_SET(set) REAL(check_product)(set, &f, c);
        una_arena_release(&run->scratch, mark);
    }
}

/* Every height of a tile and every width in half vectors, alone and beside others. */
static void REAL(every_tile)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 1);
    enum { DEEP = 5, MOST_ROWS = 13, MOST_WIDE = 80 };
    una_mark mark = una_arena_mark(&run->scratch);
    real *a = REAL(random_block)(&run->scratch, &rng, MOST_ROWS * DEEP);
    real *b = REAL(random_block)(&run->scratch, &rng, DEEP * MOST_WIDE);
    real *c = REAL(random_block)(&run->scratch, &rng, MOST_ROWS * MOST_WIDE);
    real *work = UNA_GET(&run->scratch, real, MOST_ROWS * MOST_WIDE);
    assert_non_null(work);

    const REAL(una_kernels) *set;
    for (size_t m = 1; m <= MOST_ROWS; m++)
        for (size_t n = UNA_PAD; n <= MOST_WIDE; n += UNA_PAD)
            for EACH_SET(set) {
                REAL(factors) f = { m, n, DEEP, DEEP, 1, MOST_WIDE, MOST_WIDE, a, b, c, (m + n / UNA_PAD) % 2 };
                REAL(check_product)(set, &f, work);
            }

    una_arena_release(&run->scratch, mark);
}

/* k = 0: the empty sum. */
static void REAL(empty_product)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    real a[1] = { 1 }, b[16] = { 1 }, c[16];
    for EACH_SET(set) {
        for (size_t j = 0; j < 16; j++) c[j] = 3;
        set->product(1, 16, 0, UNA_ROWS(a, 1), UNA_ROWS(b, 16), UNA_ONTO(c, 16));
        for (size_t j = 0; j < 16; j++) assert_true(c[j] == 3);
        set->product(1, 16, 0, UNA_ROWS(a, 1), UNA_ROWS(b, 16), UNA_INTO(c, 16));
        for (size_t j = 0; j < 16; j++) assert_true(c[j] == 0);
        set->product(0, 16, 1, UNA_ROWS(a, 1), UNA_ROWS(b, 16), UNA_INTO(c, 16));    /* no rows */
    }
}

/* The bits of a row are those it has alone, wherever the block begins, and whatever stands beside its columns. */
static void REAL(rows_alone)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 1);
    const REAL(una_kernels) *set;
    enum { ROWS_HERE = 50, DEEP = 37, WIDE = 120 };

    for (int add = 0; add < 2; add++)
        for (int transposed = 0; transposed < 2; transposed++)
            for EACH_SET(set) {
                una_mark mark = una_arena_mark(&run->scratch);
                size_t a_row = transposed ? 1 : DEEP, a_col = transposed ? ROWS_HERE : 1;
                real *a = REAL(random_block)(&run->scratch, &rng, ROWS_HERE * DEEP);
                real *b = REAL(random_block)(&run->scratch, &rng, DEEP * WIDE);
                real *c = REAL(random_block)(&run->scratch, &rng, ROWS_HERE * WIDE);
                real *alone = UNA_GET(&run->scratch, real, WIDE);
                real *all = UNA_GET(&run->scratch, real, ROWS_HERE * WIDE);
                assert_non_null(all);

                memcpy(all, c, ROWS_HERE * WIDE * sizeof *c);
                set->product(ROWS_HERE, WIDE, DEEP, (REAL(una_factor)){ a, a_row, a_col }, UNA_ROWS(b, WIDE),
                             (REAL(una_product)){ all, WIDE, add });
                for (size_t i = 0; i < ROWS_HERE; i++) {
                    memcpy(alone, c + i * WIDE, WIDE * sizeof *c);
                    set->product(1, WIDE, DEEP, (REAL(una_factor)){ a + i * a_row, a_row, a_col }, UNA_ROWS(b, WIDE),
                                 (REAL(una_product)){ alone, WIDE, add });
                    assert_memory_equal(alone, all + i * WIDE, WIDE * sizeof *c);

                    size_t from = i % (WIDE / UNA_PAD) * UNA_PAD;
                    memcpy(alone, c + i * WIDE + from, UNA_PAD * sizeof *c);
                    set->product(1, UNA_PAD, DEEP, (REAL(una_factor)){ a + i * a_row, a_row, a_col },
                                 UNA_ROWS(b + from, WIDE), (REAL(una_product)){ alone, UNA_PAD, add });
                    assert_memory_equal(alone, all + i * WIDE + from, UNA_PAD * sizeof *c);
                }
                una_arena_release(&run->scratch, mark);
            }
}

/* ---- activations -------------------------------------------------------------------------------------- */

static void REAL(activations)(void **state)
{
    (void)state;
    enum { COUNT = 16 * 160 };
    static real z[COUNT], h[COUNT], d[COUNT], dd[COUNT], d_alone[COUNT];
    const REAL(una_kernels) *set;
    const double allowed = 8 * EPSILON;

    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set) {
            real bias[16];
            for (size_t j = 0; j < 16; j++) bias[j] = (real)j / 16;
            for (size_t i = 0; i < COUNT; i++) z[i] = (real)(((double)i - COUNT / 2) * 0.02);
            set->activate((una_activation)act, COUNT / 16, 16, bias, (REAL(una_activated)){ z, h, d, dd });
            for (size_t i = 0; i < COUNT; i++) {
                assert_true(z[i] == (real)(((double)i - COUNT / 2) * 0.02) + bias[i % 16]);
                long double at = z[i], size = 1 + fabsl(at);
                const double near = (allowed + truth_slack(act)) * (double)size;
                assert_near((double)h[i], (double)truth_0(act, at), allowed, near);
                assert_near((double)d[i], (double)truth_1(act, at), allowed, near);
                assert_near((double)dd[i], (double)truth_2(act, at), allowed, near);
            }

            for (size_t i = 0; i < COUNT; i++) z[i] = (real)(((double)i - COUNT / 2) * 0.02);
            set->activate((una_activation)act, COUNT / 16, 16, bias, (REAL(una_activated)){ z, h, d_alone, NULL });
            assert_memory_equal(d, d_alone, sizeof d);           /* dd is optional and changes nothing */
        }
}

/* Every activation's derivatives belong to its value: against central differences, in double, of the same set. */
static void REAL(activation_differences)(void **state)
{
    (void)state;
    enum { COUNT = 16 * 25 };
    real z[COUNT], h[COUNT], d[COUNT], dd[COUNT], bias[16] = { 0 };
    const REAL(una_kernels) *set;

    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set) {
            const una_kernels_f64 *doubles = una_kernels_named_f64(set->name);
            for (size_t i = 0; i < COUNT; i++) z[i] = (real)(((double)i - COUNT / 2) * 0.03 + 0.015);
            set->activate((una_activation)act, COUNT / 16, 16, bias, (REAL(una_activated)){ z, h, d, dd });

            for (size_t i = 0; i < COUNT; i++) {
                double at = (double)z[i], size = 1 + fabs(at);
                if (fabs(at) < 0.025) continue;                  /* there may be a kink within the steps */
                assert_near((double)h[i], act_by(doubles, act, at), 0, 8 * EPSILON * size);
                assert_near((double)d[i], slope_by(doubles, act, at), 0, (8 * EPSILON + 1e-9) * size);
                assert_near((double)dd[i], bend_by(doubles, act, at), 0, (8 * EPSILON + 1e-8) * size);
            }
        }
}

/* Far out nothing overflows or becomes NAN. */
static void REAL(activations_far_out)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set) {
            real z[16], h[16], d[16], dd[16], bias[16] = { 0 };
            for (size_t i = 0; i < 16; i++) z[i] = (i % 2 ? -1 : 1) * (real)pow(10, (double)(i / 2) - 1);
            set->activate((una_activation)act, 1, 16, bias, (REAL(una_activated)){ z, h, d, dd });

            for (size_t i = 0; i < 16; i++) {
                assert_near((double)h[i], (double)truth_0(act, z[i]), 8 * EPSILON, 1e-30);
                assert_near((double)d[i], (double)truth_1(act, z[i]), 8 * EPSILON,
                    4 * EPSILON + truth_slack(act) * (1 + fabs((double)z[i])));
                assert_true(isfinite(dd[i]));
            }
        }
}

/* ---- secants ---------------------------------------------------------------------------------------------- */

/* s and e for one direction per point, 16 columns; delta[p] of point p. */
typedef struct REAL(slopes) {
    real z[64 * 16], h[64 * 16], d[64 * 16], dd[64 * 16], u[64 * 16], s[64 * 16], e[64 * 16], delta[64];
} REAL(slopes);

static REAL(una_slope_rows) REAL(slope_rows)(REAL(slopes) *at, real *dz, real *s)
{
    return (REAL(una_slope_rows)){ { 64, 1, 16 }, at->z, at->h, at->d, at->dd, at->u, 16, at->delta, s, at->e, dz };
}

static void REAL(take_secants)(const REAL(una_kernels) *set, int act, REAL(slopes) *at, una_rng *rng, double delta)
{
    real bias[16] = { 0 };
    for (size_t i = 0; i < 64 * 16; i++) {
        at->z[i] = (real)(2 * una_rng_normal(rng));
        at->u[i] = (real)una_rng_normal(rng);
    }
    for (size_t p = 0; p < 64; p++) at->delta[p] = (real)(p % 2 ? -delta : delta);
    set->activate((una_activation)act, 64, 16, bias, (REAL(una_activated)){ at->z, at->h, at->d, at->dd });
    const REAL(una_slope_rows) rows = REAL(slope_rows)(at, NULL, at->s);
    set->slopes->secant((una_activation)act, &rows);
}

/* Against (act(z + delta u) - act(z))/delta in long double, from tiny to large steps. relu, leaky, tanh and sin lose
 * nothing to cancellation however small the step; the others lose rounding of h over delta, and no more. */
static void REAL(secants)(void **state)
{
    (void)state;
    static REAL(slopes) at;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 1);
    const REAL(una_kernels) *set;
    const double steps[] = { 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10 };

    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set)
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
                REAL(take_secants)(set, act, &at, &rng, steps[k]);
                bool exact = act == UNA_RELU || act == UNA_LEAKY || act == UNA_TANH || act == UNA_SIN;
                for (size_t i = 0; i < 64 * 16; i++) {
                    long double z = at.z[i], u = at.u[i], delta = at.delta[i / 16];
                    double truth = (double)secant_truth(act, z, u, delta), t = (double)(z + delta * u);
                    /* rounding of the result, then of the truth itself */
                    double allowed = 16 * EPSILON * (fabs((double)u) * (1 + fabs((double)z) + fabs(t)));
                    allowed += 2 * (double)LDBL_EPSILON * (1 + fabs((double)z) + fabs(t)) / fabs((double)delta);
                    allowed += truth_slack(act) * (1 + fabs((double)z)) * fabs((double)u);
                    if (!exact) allowed += 8 * EPSILON * (1 + fabs((double)z) + fabs(t)) / fabs((double)delta);

                    assert_near((double)at.s[i], truth, 0, allowed);
                    if (has_kink(act) && fabs(t) < 1e-5) continue;               /* on the kink */
                    assert_near((double)at.e[i], (double)truth_1(act, z + delta * u), 0,
                        (16 * EPSILON + truth_slack(act)) * (1 + fabs((double)z) + fabs(t)));
                }
            }
}

/* As delta goes to zero the secant is the tangent. */
static void REAL(secant_to_tangent)(void **state)
{
    (void)state;
    static REAL(slopes) at;
    static real tangent[64 * 16];
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 1);
    const REAL(una_kernels) *set;
    const double delta = sizeof(real) == 4 ? 1e-3 : 1e-7;

    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set) {
            REAL(take_secants)(set, act, &at, &rng, delta);
            const REAL(una_slope_rows) rows = REAL(slope_rows)(&at, NULL, tangent);
            set->slopes->tangent(&rows);
            for (size_t i = 0; i < 64 * 16; i++) {
                if (fabs((double)at.z[i]) <= 2 * delta * fabs((double)at.u[i])) continue;        /* on the kink */
                assert_near((double)at.s[i], (double)tangent[i], 0, 8 * delta * (1 + (double)(at.u[i] * at.u[i])));
            }
        }
}

/* ---- their derivatives: several points and directions, u shared and own ------------------------------------ */

static void REAL(secant_backward)(void **state)
{
    (void)state;
    enum { POINTS = 3, EACH = 5, WIDE = 32, ROWS_HERE = POINTS * EACH };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 1);
    const REAL(una_kernels) *set;
    for EACH_SET(set)
        for (size_t shared = 0; shared < 2; shared++) {
            real d[POINTS * WIDE], dd[POINTS * WIDE], e[ROWS_HERE * WIDE], u[ROWS_HERE * WIDE], delta[ROWS_HERE];
            real g[ROWS_HERE * WIDE], g0[ROWS_HERE * WIDE], dz[POINTS * WIDE], s[ROWS_HERE * WIDE];
            for (size_t i = 0; i < POINTS * WIDE; i++) d[i] = (real)una_rng_normal(&rng),
                dd[i] = (real)una_rng_normal(&rng);
            for (size_t i = 0; i < ROWS_HERE * WIDE; i++)
                e[i] = (real)una_rng_normal(&rng), u[i] = (real)una_rng_normal(&rng),
                    g0[i] = (real)una_rng_normal(&rng);
            for (size_t i = 0; i < ROWS_HERE; i++) delta[i] = (real)(0.1 + una_rng_uniform(&rng));
            size_t u_point = shared ? 0 : EACH * WIDE;

            const REAL(una_slope_rows) rows = { { POINTS, EACH, WIDE }, NULL, NULL, d, dd, u, u_point, delta, s, e, dz };
            set->slopes->tangent(&rows);
            for (size_t r = 0; r < ROWS_HERE; r++)
                for (size_t j = 0; j < WIDE; j++) {
                    real along = u[r / EACH * u_point + r % EACH * WIDE + j];
                    assert_true(s[r * WIDE + j] == d[r / EACH * WIDE + j] * along);
                }

            for (int exact = 0; exact < 2; exact++) {
                for (size_t i = 0; i < POINTS * WIDE; i++) dz[i] = 1;                /* added to, not overwritten */
                memcpy(g, g0, sizeof g);
                if (exact) set->slopes->tangent_back(&rows, g);
                else set->slopes->secant_back(&rows, g);
                for (size_t p = 0; p < POINTS; p++)
                    for (size_t j = 0; j < WIDE; j++) {
                        double sum = 1;
                        for (size_t k = 0; k < EACH; k++) {
                            size_t row = p * EACH + k, at = row * WIDE + j, here = p * WIDE + j;
                            double slope = exact ? (double)d[here] : (double)e[at];
                            assert_near((double)g[at], (double)g0[at] * slope, 2 * EPSILON, 0);
                            sum += (double)g0[at] * (exact ? (double)dd[here] * (double)u[p * u_point + k * WIDE + j]
                                                           : ((double)e[at] - (double)d[here]) / (double)delta[row]);
                        }
                        assert_near((double)dz[p * WIDE + j], sum, 0, 1000 * EPSILON);
                    }
            }
        }
}

/* The far end's e and dz belong to s: differences of the kernel itself, through z and through u. */
static void REAL(secant_differences)(void **state)
{
    (void)state;
    static REAL(slopes) at, moved;
    const REAL(una_kernels) *set;
    const bool single = sizeof(real) == sizeof(float);
    const real step = (real)(single ? 1e-2 : 1e-6), delta = (real)0.3;
    const double kink = single ? 0.1 : 1e-4, allowed = single ? 5e-3 : 1e-6;

    for (int act = 0; act < UNA_ACTIVATION_COUNT; act++)
        for EACH_SET(set) {
            una_rng rng = una_rng_at(6, UNA_FOR_TEST, 1);
            real bias[16] = { 0 }, g[64 * 16], dz[64 * 16] = { 0 }, s[2][64 * 16];
            REAL(take_secants)(set, act, &at, &rng, (double)delta);
            for (size_t i = 0; i < 64 * 16; i++) g[i] = 1;
            const REAL(una_slope_rows) back = REAL(slope_rows)(&at, dz, NULL);
            set->slopes->secant_back(&back, g);

            for (int through_u = 0; through_u < 2; through_u++) {
                for (int side = 0; side < 2; side++) {
                    moved = at;
                    for (size_t i = 0; i < 64 * 16; i++) *(through_u ? &moved.u[i] : &moved.z[i]) += side ? step
                        : -step;
                    set->activate((una_activation)act, 64, 16, bias,
                                  (REAL(una_activated)){ moved.z, moved.h, moved.d, moved.dd });
                    const REAL(una_slope_rows) rows = REAL(slope_rows)(&moved, NULL, s[side]);
                    set->slopes->secant((una_activation)act, &rows);
                }

                for (size_t i = 0; i < 64 * 16; i++) {
                    real t = at.z[i] + at.delta[i / 16] * at.u[i];
                    if (fabs((double)at.z[i]) < kink || fabs((double)t) < kink) continue;
                    double slope = (double)((s[1][i] - s[0][i]) / (2 * step));
                    assert_near((double)(through_u ? g[i] : dz[i]), slope, allowed, allowed);
                }
            }
        }
}

/* ---- the rest ------------------------------------------------------------------------------------------------- */

static void REAL(small_ones)(void **state)
{
    una_run *run = *state;
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 1);
    const REAL(una_kernels) *set;
    for EACH_SET(set)
        for (size_t n = 1; n < 40; n += 3) {
            una_mark mark = una_arena_mark(&run->scratch);
            size_t rows = 7, stride = n + 2, t_stride = rows + 3;
            real *a = REAL(random_block)(&run->scratch, &rng, rows * stride),
                *b = REAL(random_block)(&run->scratch, &rng, n);
            real *kept = UNA_GET(&run->scratch, real, n), *sum = UNA_GET(&run->scratch, real, n);
            real *t = UNA_GET(&run->scratch, real, n * t_stride);
            assert_int_equal(una_arena_check(&run->scratch), UNA_OK);

            memcpy(kept, b, n * sizeof *b);
            set->multiply(n, a, b);
            double square = 0;
            for (size_t i = 0; i < n; i++) {
                assert_true(b[i] == kept[i] * a[i]);
                square += (double)kept[i] * (double)kept[i];
                sum[i] = 2;
            }
            assert_near(set->ridge(n, (real)0.75, kept, b), square, 1e-14, 0);
            for (size_t i = 0; i < n; i++) assert_true(b[i] == (real)0.75 * kept[i]);

            memcpy(b, kept, n * sizeof *b);
            set->add(n, a, b);
            for (size_t i = 0; i < n; i++) assert_true(b[i] == kept[i] + a[i]);
            set->scale(n, (real)-1.75, a, b);
            for (size_t i = 0; i < n; i++) assert_true(b[i] == (real)-1.75 * a[i]);

            set->add_rows(rows, n, a, sum);
            for (size_t j = 0; j < n; j++) {
                double truth = 2;
                for (size_t r = 0; r < rows; r++) truth += (double)a[r * n + j];
                assert_near((double)sum[j], truth, 0, 100 * EPSILON);
            }

            set->transpose(rows, n, a, stride, t, t_stride);
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < n; j++) assert_true(t[j * t_stride + i] == a[i * stride + j]);
            for (size_t j = 0; j < n; j++) assert_true(t[j * t_stride + rows] == 0);             /* beyond: untouched */
            una_arena_release(&run->scratch, mark);
        }

    real untouched = 1;
    assert_near(REAL(una_kernels_named)("generic")->ridge(0, 2, &untouched, &untouched), 0, 0, 0);
    assert_true(untouched == 1);
}

/* Adam by hand: after one step every parameter moved by rate * g/(|g| + 1e-8), whatever g; a constant gradient keeps
 * that pace; then a step worked out in double with the textbook's formulas. */
static void REAL(adam_steps)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    const double rate = 0.01, beta1 = 0.9, beta2 = 0.999;
    for EACH_SET(set) {
        real p[19], m[19] = { 0 }, v[19] = { 0 }, g[19];
        double dp[19], dm[19] = { 0 }, dv[19] = { 0 };
        for (size_t i = 0; i < 19; i++) {
            g[i] = (real)((double)i - 9) / 4;                    /* one of them is zero: it must stay */
            p[i] = 1;
            dp[i] = 1;
        }

        for (int t = 1; t <= 5; t++) {
            double c1 = 1 - pow(beta1, t), c2 = 1 - pow(beta2, t);
            if (t == 4)
                for (size_t i = 0; i < 19; i++) g[i] = -g[i] / 2;
            set->adam(19, p, m, v, g, &(REAL(una_adam)){ (real)rate, (real)beta1, (real)beta2, (real)c1, (real)c2 });
            for (size_t i = 0; i < 19; i++) {
                dm[i] = beta1 * dm[i] + (1 - beta1) * (double)g[i];
                dv[i] = beta2 * dv[i] + (1 - beta2) * (double)g[i] * (double)g[i];
                dp[i] -= rate * (dm[i] / c1) / (sqrt(dv[i] / c2) + 1e-8);
                double steady = 1 - (g[i] > 0 ? rate : g[i] < 0 ? -rate : 0) * t;
                if (t < 4) assert_near((double)p[i], steady, 0, 1e-6);
                assert_near((double)p[i], dp[i], 0, sizeof(real) == 4 ? 2e-6 : 1e-14);
            }
        }
        assert_true(p[9] == 1);
    }
}

static void REAL(descents)(void **state)
{
    (void)state;
    const REAL(una_kernels) *set;
    for EACH_SET(set) {
        real p[17], v[17] = { 0 }, g[17];
        for (size_t i = 0; i < 17; i++) p[i] = (real)i, g[i] = 2;
        set->descend(17, p, v, g, (real)0.5, 0);
        for (size_t i = 0; i < 17; i++) assert_near((double)p[i], (double)i - 1, 0, 1e-6);
        set->descend(17, p, v, g, (real)0.5, (real)0.5);         /* v = 0.5*2 + 2 = 3 */
        for (size_t i = 0; i < 17; i++) assert_near((double)p[i], (double)i - 2.5, 0, 1e-6);
    }
}
