/* SPDX-License-Identifier: MIT
 *
 * Scores of four rows worked out by hand (CRPS from its defining integral), chunks, refusals.
 */
#include "la/la.h"
#include "score/score.h"
#include "test_support.h"

/* std = 5, 1, 1, 0.5; z = 0.2, 0, -2, -1; Phi(z) = 0.5793, 0.5, 0.0228, 0.1587 */
static const double y[4] = { 1, 2, -1, 0 }, mean[4] = { 0, 2, 1, 0.5 };
static const double epistemic[4] = { 3, 0, 0.6, 0.3 }, noise[4] = { 4, 1, 0.8, 0.4 };

static void four_rows_by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_score score = UNA_INIT(una_score);
    assert_ok(una_score_gaussian(&score, y, mean, epistemic, noise, 4, run), run);

    assert_int_equal(score.rows, 4);
    assert_near(score.rmse, sqrt((1 + 0 + 4 + 0.25) / 4), 1e-14, 0);
    assert_near(score.log_lik, -0.5 * log(2 * acos(-1)) - (log(5) + log(0.5)) / 4 - (0.04 + 4 + 1) / 8, 1e-14, 0);
    assert_near(score.crps, 0.8089264796622009, 1e-9, 0);      /* integral of (F(x) - [y <= x])^2, by quadrature */
    assert_near(score.coverage_50, 0.5, 0, 0);                 /* |z| <= 0.674: rows 1 and 2 */
    assert_near(score.coverage_90, 0.75, 0, 0);                /* |z| <= 1.645: row 4 as well */
    assert_near(score.coverage_95, 0.75, 0, 0);                /* |z| <= 1.960 */
    assert_near(score.mean_std_epistemic, 3.9 / 4, 1e-14, 0);
    assert_near(score.mean_std_noise, 6.2 / 4, 1e-14, 0);

    /* Fraction below p: 0 to 0.02, 1/4 from 0.03, 1/2 from 0.16, 3/4 from 0.50, 1 from 0.58. */
    double off = 0;
    for (int i = 1; i < 100; i++) off += abs((i < 3 ? 0 : i < 16 ? 25 : i < 50 ? 50 : i < 58 ? 75 : 100) - i) / 100.0;
    assert_near(score.calibration_error, off / 99, 1e-13, 0);
    una_run_free(run);
}

static void chunks_add_up(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_score whole = UNA_INIT(una_score), pieces = UNA_INIT(una_score);
    una_score_sums sums = {0};
    assert_ok(una_score_gaussian(&whole, y, mean, epistemic, noise, 4, run), run);
    assert_ok(una_score_add(&sums,
                            &(una_scored_rows){ .y = y, .mean = mean, .std_epistemic = epistemic, .std_noise = noise, .rows = 1 },
                            run), run);
    assert_ok(una_score_add(&sums,
                            &(una_scored_rows){ .y = y + 1, .mean = mean + 1, .std_epistemic = epistemic + 1, .std_noise = noise + 1, .rows = 0 },
                            run), run);
    assert_ok(una_score_add(&sums,
                            &(una_scored_rows){ .y = y + 1, .mean = mean + 1, .std_epistemic = epistemic + 1, .std_noise = noise + 1, .rows = 3 },
                            run), run);
    assert_ok(una_score_finish(&pieces, &sums, run), run);
    assert_memory_equal(&pieces, &whole, sizeof whole);
    una_run_free(run);
}

/* Predictions at the truth: y at the quantiles of its own distribution. */
static void honest_predictions_are_calibrated(void **state)
{
    (void)state;
    enum { N = 10000 };
    static double target[N], centre[N], own[N], other[N];
    una_run *run = quiet_run();

    for (size_t i = 0; i < N; i++) {
        centre[i] = (double)i, own[i] = 0.6, other[i] = 0.8;
        target[i] = centre[i] + una_normal_quantile(((double)i + 0.5) / N);
    }

    una_score score = UNA_INIT(una_score);
    assert_ok(una_score_gaussian(&score, target, centre, own, other, N, run), run);
    assert_near(score.coverage_50, 0.5, 0, 1e-4);
    assert_near(score.coverage_90, 0.9, 0, 1e-4);
    assert_near(score.coverage_95, 0.95, 0, 1e-4);
    assert_near(score.calibration_error, 0, 0, 1e-4);
    assert_near(score.rmse, 1, 1e-3, 0);
    assert_near(score.log_lik, -0.5 * log(2 * acos(-1)) - 0.5, 1e-3, 0);
    assert_near(score.crps, 1 / sqrt(acos(-1)), 1e-3, 0);     /* E CRPS = std / sqrt(pi) */
    una_run_free(run);
}

static void one_bad(double wrong, double *where, const double *row, una_status status, const char *part)
{
    una_run *run = quiet_run();
    double kept = *where;
    *where = wrong;

    una_score_sums sums = {0};
    assert_ok(una_score_add(&sums,
                            &(una_scored_rows){ .y = y, .mean = mean, .std_epistemic = epistemic, .std_noise = noise, .rows = 4 },
                            run), run);
    una_score_sums before = sums;

    double two[4][2] = { { 1, row[0] }, { 1, row[1] }, { 1, row[2] }, { 1, row[3] } };
    assert_status(una_score_add(&sums,
                                &(una_scored_rows){ .y = two[0], .mean = two[1], .std_epistemic = two[2], .std_noise = two[3], .rows = 2 },
                                run), status, run);
    assert_says(una_run_message(run), "row 6 ");
    assert_says(una_run_message(run), part);
    assert_memory_equal(&sums, &before, sizeof sums);

    *where = kept;
    una_run_free(run);
}

static void bad_rows_are_named_and_not_counted(void **state)
{
    (void)state;
    double row[4] = { 1, 1, 1, 1 };
    one_bad(NAN, &row[0], row, UNA_E_INPUT, "target");
    one_bad(HUGE_VAL, &row[1], row, UNA_E_NUMERIC, "mean");
    one_bad(NAN, &row[2], row, UNA_E_NUMERIC, "standard deviations");
    one_bad(-1, &row[2], row, UNA_E_NUMERIC, "standard deviations");
    one_bad(-1, &row[3], row, UNA_E_NUMERIC, "standard deviations");
    one_bad(HUGE_VAL, &row[3], row, UNA_E_NUMERIC, "standard deviations");
    row[2] = 0;
    one_bad(0, &row[3], row, UNA_E_NUMERIC, "standard deviations");
}

static void no_rows_is_an_error(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_score score = UNA_INIT(una_score);
    assert_status(una_score_gaussian(&score, y, mean, epistemic, noise, 0, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no rows");
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_rows_by_hand),
        cmocka_unit_test(chunks_add_up),
        cmocka_unit_test(honest_predictions_are_calibrated),
        cmocka_unit_test(bad_rows_are_named_and_not_counted),
        cmocka_unit_test(no_rows_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
