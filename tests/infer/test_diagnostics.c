/* SPDX-License-Identifier: MIT
 *
 * R-hat and effective sample size: closed forms of autoregressive series, chains that disagree in place or width,
 * drift, and values that never change.
 */
#include "test_support.h"

#include "infer/diagnostics.h"

enum { CHAINS = 4, DRAWS = 2000 };

/* x_t = a x_{t-1} + sqrt(1 - a^2) e: unit variance, ESS = n (1 - a)/(1 + a). */
static void series(double *v, size_t chains, size_t draws, double a, uint64_t seed)
{
    for (size_t c = 0; c < chains; c++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, c);
        double x = una_rng_normal(&rng);
        for (size_t i = 0; i < draws; i++) {
            v[c * draws + i] = x;
            x = a * x + sqrt(1 - a * a) * una_rng_normal(&rng);
        }
    }
}

static void independent_draws(void **state)
{
    (void)state;
    static double v[CHAINS * DRAWS];
    una_run *run = quiet_run();
    una_convergence c;
    series(v, CHAINS, DRAWS, 0, 1);
    assert_ok(una_convergence_of(&c, v, CHAINS, DRAWS, run), run);
    assert_near(c.rhat, 1, 0, 0.005);
    assert_near(c.ess_bulk, CHAINS * DRAWS, 0.1, 0);
    assert_near(c.ess_tail, CHAINS * DRAWS, 0.15, 0);
    una_run_free(run);
}

static void autoregressive_ess(void **state)
{
    (void)state;
    static double v[CHAINS * DRAWS];
    una_run *run = quiet_run();
    static const double as[] = { 0.5, 0.9, -0.5 };
    for (size_t i = 0; i < 3; i++) {
        double ess, a = as[i], truth = CHAINS * DRAWS * (1 - a) / (1 + a);
        series(v, CHAINS, DRAWS, a, 2);
        assert_ok(una_ess(&ess, v, CHAINS, DRAWS, run), run);
        assert_near(ess, truth, 0.3, 0);
    }
    una_run_free(run);
}

static void chains_apart_are_seen(void **state)
{
    (void)state;
    static double v[CHAINS * DRAWS];
    una_run *run = quiet_run();
    una_convergence c;

    series(v, CHAINS, DRAWS, 0, 3);
    for (size_t i = 0; i < DRAWS; i++) v[i] += 1;                        /* another place */
    assert_ok(una_convergence_of(&c, v, CHAINS, DRAWS, run), run);
    assert_true(c.rhat > 1.05 && c.ess_bulk < 100);

    series(v, CHAINS, DRAWS, 0, 3);
    for (size_t i = 0; i < DRAWS; i++) v[i] *= 4;                        /* another width: only folding shows it */
    assert_near(una_rhat(v, CHAINS, DRAWS), 1, 0, 0.01);
    assert_ok(una_convergence_of(&c, v, CHAINS, DRAWS, run), run);
    assert_true(c.rhat > 1.05);

    series(v, 1, DRAWS, 0, 4);
    for (size_t i = 0; i < DRAWS; i++) v[i] += 3.0 * (double)i / DRAWS;  /* a drift within one chain */
    assert_ok(una_convergence_of(&c, v, 1, DRAWS, run), run);
    assert_true(c.rhat > 1.05);

    una_run_free(run);
}

/* Ranks do not mind a monotone change of the values, nor tails without a variance. */
static void ranks_only(void **state)
{
    (void)state;
    static double v[2 * DRAWS], w[2 * DRAWS];
    una_run *run = quiet_run();
    una_convergence a, b;
    series(v, 2, DRAWS, 0.3, 5);
    for (size_t i = 0; i < 2 * DRAWS; i++) w[i] = exp(5 * v[i]);
    assert_ok(una_convergence_of(&a, v, 2, DRAWS, run), run);
    assert_ok(una_convergence_of(&b, w, 2, DRAWS, run), run);
    assert_near(a.ess_bulk, b.ess_bulk, 1e-12, 0);
    assert_near(a.ess_tail, b.ess_tail, 0.02, 0);
    una_run_free(run);
}

/* Worked by hand: chains (1, 2) and (3, 4): W = 1/2, B = 4, var+ = 1/4 + 2, R-hat^2 = 4.5. */
static void by_hand(void **state)
{
    (void)state;
    const double v[] = { 1, 2, 3, 4 };
    assert_near(una_rhat(v, 2, 2), sqrt(4.5), 1e-15, 0);
}

static void nothing_to_judge(void **state)
{
    (void)state;
    const double same[] = { 1, 1, 1, 1, 1, 1, 1, 1 }, apart[] = { 1, 1, 1, 1, 2, 2, 2, 2 };
    una_run *run = quiet_run();
    una_convergence c;
    double ess;

    assert_ok(una_convergence_of(&c, same, 2, 4, run), run);
    assert_true(isnan(c.rhat) && isnan(c.ess_bulk) && isnan(c.ess_tail));
    assert_ok(una_convergence_of(&c, apart, 2, 4, run), run);
    assert_true(c.rhat == HUGE_VAL);
    assert_true(una_rhat(apart, 2, 4) == HUGE_VAL);
    assert_ok(una_convergence_of(&c, apart, 2, 3, run), run);            /* too few */
    assert_true(isnan(c.rhat));

    assert_ok(una_ess(&ess, same, 2, 4, run), run);
    assert_true(isnan(ess));
    una_run_free(run);
}

static una_status memory_job(void *context, una_run *run)
{
    una_convergence c;
    return una_convergence_of(&c, context, 2, 1000, run);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static double v[2000];
    series(v, 2, 1000, 0.5, 6);
    assert_true(sweep_allocations(memory_job, v) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_draws), cmocka_unit_test(autoregressive_ess),
        cmocka_unit_test(chains_apart_are_seen), cmocka_unit_test(ranks_only), cmocka_unit_test(by_hand),
        cmocka_unit_test(nothing_to_judge), cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
