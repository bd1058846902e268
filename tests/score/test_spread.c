/* SPDX-License-Identifier: MIT
 *
 * Half the expected distance of two draws from a mixture: what pairs say, for parts of any widths and places, of
 * Gaussians and of lognormals; work that grows as the parts do; a word is enough to end it.
 */
#include "la/la.h"
#include "score/score.h"
#include "score/score.h"
#include "test_support.h"

#include <time.h>

enum { MOST = 40000 };
static double mean[MOST], var[MOST], weight[MOST];

static void make_parts(size_t parts, double spread, double narrow, double ratio, uint64_t key)
{
    una_rng rng = una_rng_at(14, UNA_FOR_TEST, key);
    for (size_t m = 0; m < parts; m++) {
        double std = narrow * pow(ratio, una_rng_uniform(&rng));
        mean[m] = spread * una_rng_normal(&rng);
        var[m] = std * std;
        weight[m] = pow(1000, una_rng_uniform(&rng));
    }
}

static double distance(size_t a, size_t b, bool logged)
{
    double off = mean[a] - mean[b], std = sqrt(var[a] + var[b]), z = off / std;
    if (!logged) return off * erf(z / sqrt(2)) + 2 * std * una_normal_pdf(z);
    double own = exp(mean[a] + 0.5 * var[a]), other = exp(mean[b] + 0.5 * var[b]);
    return own * erf((off + var[a]) / std / sqrt(2)) + other * erf((var[b] - off) / std / sqrt(2));
}

static double by_pairs(size_t parts, bool weighted, bool logged)
{
    double sum = 0, weights = 0;
    for (size_t a = 0; a < parts; a++) {
        weights += weighted ? weight[a] : 1;
        for (size_t b = 0; b < parts; b++)
            sum += (weighted ? weight[a] * weight[b] : 1) * distance(a, b, logged);
    }
    return 0.5 * sum / (weights * weights);
}

static void pairs_say_the_same(void **state)
{
    (void)state;
    static const struct { size_t parts; double spread, narrow, ratio; } cases[] = {
        { 1, 1, 1, 1 }, { 2, 5, 0.1, 100 }, { 300, 1, 1, 1 }, { 300, 0, 1e-3, 1e6 }, { 300, 1, 1e-8, 1e7 },
        { 300, 1e6, 1e-6, 1e3 }, { 300, 1e-3, 1, 3 }, { 50, 1e200, 1e-140, 1e100 }, { 300, 1, 1e-150, 1e150 },
    };
    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_parts(cases[i].parts, cases[i].spread, cases[i].narrow, cases[i].ratio, i);
        for (int weighted = 0; weighted <= 1; weighted++) {
            double half = NAN;
            una_mixture of = { mean, var, weighted ? weight : NULL, cases[i].parts, false };
            assert_ok(una_half_spread(&half, &of, run), run);
            assert_near(half, by_pairs(cases[i].parts, weighted, false), 1e-9, 0);
        }
    }
    una_run_free(run);
}

static void of_lognormals_too(void **state)
{
    (void)state;
    static const struct { size_t parts; double spread, narrow, ratio; } cases[] = {
        { 1, 1, 1, 1 }, { 2, 3, 0.1, 30 }, { 200, 1, 0.5, 1 }, { 200, 0.2, 1e-4, 1e4 }, { 200, 4, 0.01, 300 },
        { 100, 20, 1e-6, 1e7 }, { 20, 0.5, 6, 1.5 },
    };
    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_parts(cases[i].parts, cases[i].spread, cases[i].narrow, cases[i].ratio, 30 + i);
        for (int weighted = 0; weighted <= 1; weighted++) {
            double half = NAN;
            una_mixture of = { mean, var, weighted ? weight : NULL, cases[i].parts, true };
            assert_ok(una_half_spread(&half, &of, run), run);
            assert_near(half, by_pairs(cases[i].parts, weighted, true), 1e-9, 0);
        }
    }
    una_run_free(run);
}

static double seconds(size_t parts, bool logged, una_run *run)
{
    double crps = NAN;
    clock_t begun = clock();
    assert_ok(una_crps(&crps, 1, &(una_mixture){ mean, var, NULL, parts, logged }, run), run);
    assert_true(isfinite(crps));
    return (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/* Twentyfold parts: pairs would take 400 times as long, and no grid is fine and long enough. */
static void work_grows_as_the_parts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    make_parts(MOST, 1e3, 1e-9, 1e3, 60);
    for (int logged = 0; logged <= 1; logged++) {
        for (size_t m = 0; logged && m < MOST; m++) mean[m] /= 100;
        double few = seconds(MOST / 20, logged, run), many = seconds(MOST, logged, run);
        if (many > 120 * few + 0.05)
            fail_msg("%d parts take %.3g s, and %d of them %.3g s", MOST, many, MOST / 20, few);
    }
    una_run_free(run);
}

static void a_word_ends_it(void **state)
{
    (void)state;
    volatile int stop = 1;
    una_run_settings settings = { .size = sizeof settings, .cancel = &stop };
    una_run *run = NULL;
    double half, crps;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    make_parts(100, 1, 0.1, 10, 1);
    assert_int_equal(una_half_spread(&half, &(una_mixture){ mean, var, NULL, 100, false }, run), UNA_CANCELLED);
    assert_int_equal(una_crps(&crps, 1, &(una_mixture){ mean, var, NULL, 2, false }, run), UNA_CANCELLED);
    assert_int_equal(una_crps(&crps, 1, &(una_mixture){ mean, var, NULL, 2, true }, run), UNA_CANCELLED);
    una_run_free(run);
}

static una_status job(void *context, una_run *run)
{
    double half;
    (void)context;
    return una_half_spread(&half, &(una_mixture){ mean, var, weight, 300, false }, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    make_parts(300, 1, 1e-6, 1e6, 2);
    assert_true(sweep_allocations(job, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_say_the_same),
        cmocka_unit_test(of_lognormals_too),
        cmocka_unit_test(work_grows_as_the_parts),
        cmocka_unit_test(a_word_ends_it),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
