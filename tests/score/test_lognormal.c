/* SPDX-License-Identifier: MIT
 *
 * Scores of mixtures of lognormals: CRPS against its defining integral, many parts against pairs, the density of y,
 * refusals.
 */
#include "la/la.h"
#include "la/mixture.h"
#include "score/score.h"
#include "test_support.h"

/* Integral of (F(t) - [y <= t])^2 e^u du, t = e^u, by the midpoint rule in pieces that end at log y. */
static double crps_by_integral(double y, const double *mean, const double *var, const double *weight, size_t parts)
{
    enum { NODES = 200000 };
    double sum = 0, ends[3] = { -30, log(y), 40 };
    for (int side = 0; side < 2; side++) {
        double step = (ends[side + 1] - ends[side]) / NODES;
        for (size_t i = 0; i < NODES; i++) {
            double u = ends[side] + step * ((double)i + 0.5), above = 0;
            for (size_t m = 0; m < parts; m++)
                above += (weight ? weight[m] : 1) * una_normal_cdf((mean[m] - u) / sqrt(var[m]));
            above /= una_mixture_weights(weight, parts);
            sum += (side ? above * above : (1 - above) * (1 - above)) * exp(u) * step;
        }
    }
    return sum;
}

static void crps_is_its_integral(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double mean[] = { 0.3, -1, 2 }, var[] = { 0.25, 1.2, 0.01 }, weight[] = { 0.2, 1, 0.7 };
    for (size_t parts = 1; parts <= 3; parts++)
        for (double y = 0.05; y < 40; y *= 5) {
            double crps;
            assert_ok(una_crps(&crps, y, &(una_mixture){ mean, var, parts == 2 ? NULL : weight, parts, true }, run), run);
            assert_near(crps, crps_by_integral(y, mean, var, parts == 2 ? NULL : weight, parts), 1e-7, 1e-9);
        }
    una_run_free(run);
}

/* Many equal parts are one; many that differ are what pairs of them say. */
static void many_parts(void **state)
{
    (void)state;
    enum { PARTS = 200 };
    static double mean[PARTS], var[PARTS], weight[PARTS];
    una_run *run = quiet_run();
    double one, crps;
    for (size_t m = 0; m < PARTS; m++) mean[m] = 0.4, var[m] = 0.5;
    for (double y = 0.01; y < 100; y *= 4) {
        assert_ok(una_crps(&one, y, &(una_mixture){ mean, var, NULL, 1, true }, run), run);
        assert_ok(una_crps(&crps, y, &(una_mixture){ mean, var, NULL, PARTS, true }, run), run);
        assert_near(crps, one, 1e-7, 1e-9);
    }

    for (size_t m = 0; m < PARTS; m++) {
        mean[m] = sin((double)m);
        var[m] = 0.3 + 0.2 * cos(3.0 * (double)m);
        weight[m] = 1 + 0.5 * sin(7.0 * (double)m);
    }
    for (double y = 0.1; y < 20; y *= 6) {
        assert_ok(una_crps(&crps, y, &(una_mixture){ mean, var, weight, PARTS, true }, run), run);
        double pairs = 0, sum = 0, all = una_mixture_weights(weight, PARTS);
        for (size_t m = 0; m < PARTS; m++) {
            double two[2], own[2] = { var[m], 0 };
            assert_ok(una_crps(&one, y, &(una_mixture){ mean + m, var + m, NULL, 1, true }, run), run);
            for (size_t k = 0; k < m; k++) {     /* CRPS of pairs */
                two[0] = mean[m], two[1] = mean[k], own[1] = var[k];
                double both, other;
                assert_ok(una_crps(&both, y, &(una_mixture){ two, own, NULL, 2, true }, run), run);
                assert_ok(una_crps(&other, y, &(una_mixture){ mean + k, var + k, NULL, 1, true }, run), run);
                pairs += 4 * weight[m] * weight[k] * (both - (one + other) / 4);
            }
            sum += weight[m] * weight[m] * one;
        }
        /* with e = E|Y - y| and s = E|Y - Y'|/2 of pairs: 4 both - one - other = e_m + e_k - 2 s_mk */
        assert_near(crps, (sum + pairs) / (all * all), 1e-7, 0);
    }
    una_run_free(run);
}

static void rows_by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double y[] = { 1, exp(1.2), 3 }, mean[] = { 0, 1, 1 }, var[] = { 1, 0.04, 0.25 };
    const double epistemic[] = { 0.1, 0.2, 0.3 }, noise[] = { 1, 2, 3 };
    una_score score = UNA_INIT(una_score);
    una_score_sums sums = {0};
    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y, epistemic, noise, 3, NULL, { mean, var, NULL, 1, true } },
                                    run), run);
    assert_ok(una_score_finish(&score, &sums, run), run);

    double square = 0, log_lik = 0;
    for (size_t i = 0; i < 3; i++) {
        double z = (log(y[i]) - mean[i]) / sqrt(var[i]);
        square += pow(y[i] - exp(mean[i] + var[i] / 2), 2);
        log_lik += log(una_normal_pdf(z) / sqrt(var[i]) / y[i]);
    }
    assert_near(score.rmse, sqrt(square / 3), 1e-12, 0);
    assert_near(score.log_lik, log_lik / 3, 1e-12, 0);
    assert_near(score.coverage_50, 2.0 / 3, 1e-12, 0);           /* z = 0, 1, 0.197 */
    assert_near(score.mean_std_epistemic, 0.2, 1e-12, 0);
    assert_near(score.mean_std_noise, 2, 1e-12, 0);

    una_score_sums before = sums;
    const double zero = 0;
    assert_status(una_score_add_mixture(&sums,
                                        &(una_scored_rows){ &zero, epistemic, noise, 1, NULL, { mean, var, NULL, 1, true } },
                                        run), UNA_E_INPUT,
                  run);
    assert_says(una_run_message(run), "row 4 cannot be scored: its target is 0");
    const double wide = 5000;
    assert_status(una_score_add_mixture(&sums,
                                        &(una_scored_rows){ y, epistemic, noise, 1, NULL, { mean, &wide, NULL, 1, true } },
                                        run), UNA_E_NUMERIC,
                  run);
    assert_says(una_run_message(run), "beyond all numbers");
    assert_memory_equal(&sums, &before, sizeof sums);
    una_run_free(run);
}

static una_status job(void *context, una_run *run)
{
    const double *y = context;
    double mean[300], var[300], crps;
    for (size_t m = 0; m < 300; m++) mean[m] = 0.001 * (double)m, var[m] = 1;
    UNA_TRY(una_crps(&crps, *y, &(una_mixture){ mean, var, NULL, 300, true }, run));
    una_score_sums sums = {0};
    return una_score_add_mixture(&sums, &(una_scored_rows){ y, y, y, 1, NULL, { mean, var, NULL, 300, true } }, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    double y = 2;
    assert_true(sweep_allocations(job, &y) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crps_is_its_integral),
        cmocka_unit_test(many_parts),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
