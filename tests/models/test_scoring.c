/* SPDX-License-Identifier: MIT
 *
 * Scores of whole models: those of their predictions for a Gaussian, those of the parts for a mixture, the same from
 * memory and from a file. The mixture is a real model whose kind was exchanged for one with two parts.
 */
#include "models/quick.h"

#include "model/scoring.h"
#include "la/mixture.h"

enum { ROWS = 5000 };

/* Two parts on either side of what the linear model says, each with its variance, and as far away as leaves the
 * mean where it is. */
static const double two_weights[] = { 0.3, 0.7 }, two_steps[] = { -1.4, 0.6 };

static size_t two(const void *state)
{
    (void)state;
    return 2;
}

static una_status predict_two(const void *state, una_view x, una_predictive *out, una_run *run)
{
    UNA_TRY(una_calls(una_kind_find("linear"))->predict(state, x, out, run));
    for (size_t r = 0; r < x.rows; r++) {
        for (size_t m = 0; m < out->parts; m++) {
            out->part_mean[2 * r + m] = out->mean[r] + two_steps[m];
            out->part_weight[m] = two_weights[m];
            out->part_var[2 * r + m] = out->var_model[r] + out->var_noise[r];
        }
        out->var_model[r] += 0.84;               /* 0.3 1.4^2 + 0.7 0.6^2 */
    }
    return UNA_OK;
}

static una_model *two_model(una_kind *kind, una_run *run)
{
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("linear(degree=2)", data, NULL, run);
    static una_kind calls;
    calls = *una_calls(model->kind);
    calls.mixture = two;
    calls.predict = predict_two;
    *kind = *model->kind;
    kind->committee = &calls;
    model->kind = kind;
    una_dataset_free(data);
    return model;
}

static const char *write_wave(const char *name, const una_dataset *data)
{
    const char *path = temp_path(name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "x1,x2,y\n");
    for (size_t i = 0; i < una_dataset_row_count(data); i++)
        fprintf(out, "%.17g,%.17g,%.17g\n", una_dataset_numbers(data, 0)[i], una_dataset_numbers(data, 1)[i],
                una_dataset_numbers(data, 2)[i]);
    assert_int_equal(fclose(out), 0);
    return path;
}

static void assert_same_score(const una_score *a, const una_score *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_near(a->rmse, b->rmse, 1e-11, 0);
    assert_near(a->log_lik, b->log_lik, 1e-11, 0);
    assert_near(a->crps, b->crps, 1e-11, 0);
    assert_near(a->coverage_50, b->coverage_50, 0, 0);
    assert_near(a->coverage_90, b->coverage_90, 0, 0);
    assert_near(a->coverage_95, b->coverage_95, 0, 0);
    assert_near(a->calibration_error, b->calibration_error, 1e-11, 0);
    assert_near(a->mean_std_epistemic, b->mean_std_epistemic, 1e-11, 0);
    assert_near(a->mean_std_noise, b->mean_std_noise, 1e-11, 0);
}

static void a_gaussian_model(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *test = wave_data(ROWS, 1000, run);
    una_model *model = fitted("linear(degree=2)", data, NULL, run);
    una_score by_model = UNA_INIT(una_score), by_hand = UNA_INIT(una_score), by_file = UNA_INIT(una_score);
    una_score by_table = UNA_INIT(una_score);
    const double *y = una_dataset_numbers(test, 2);
    double *p = predicted(model, test, run), *below = malloc(ROWS * sizeof *below);
    assert_non_null(below);

    assert_ok(una_model_score(&by_model, model, test, run), run);
    assert_ok(una_score_gaussian(&by_hand, y, p, p + 2 * ROWS, p + 3 * ROWS, ROWS, run), run);
    assert_ok(una_score_file(&by_file, model, write_wave("gaussian.csv", test), run), run);
    assert_ok(una_model_score_rows(&by_table, below, model, test, run), run);

    assert_same_score(&by_model, &by_hand);
    assert_same_score(&by_model, &by_file);
    assert_same_score(&by_model, &by_table);
    for (size_t i = 0; i < ROWS; i++) assert_near(below[i], 0.5 * erfc((p[i] - y[i]) / p[ROWS + i] / sqrt(2)), 1e-9, 0);

    free(p);
    free(below);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(test);
    una_run_free(run);
}

static void a_mixture_model(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_kind kind;
    una_model *model = two_model(&kind, run);
    una_dataset *test = wave_data(ROWS, 1000, run);
    const double *y = una_dataset_numbers(test, 2), scale = model->columns.target_scale;
    double *p = predicted(model, test, run), *parts = malloc(4 * ROWS * sizeof *parts);
    double *below = malloc(ROWS * sizeof *below);
    una_score by_model = UNA_INIT(una_score), by_hand = UNA_INIT(una_score), by_file = UNA_INIT(una_score);
    una_score as_gaussian = UNA_INIT(una_score);
    una_score_sums sums = {0};
    assert_true(parts && below);

    for (size_t r = 0; r < ROWS; r++) {
        double own = p[2 * ROWS + r] * p[2 * ROWS + r] - 0.84 * scale * scale + p[3 * ROWS + r] * p[3 * ROWS + r];
        for (size_t m = 0; m < 2; m++)
            parts[2 * r + m] = p[r] + scale * two_steps[m], parts[2 * ROWS + 2 * r + m] = own;
    }

    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y, p + 2 * ROWS, p + 3 * ROWS, ROWS, NULL, { parts, parts + 2 * ROWS, two_weights, 2, false } },
                                    run), run);
    assert_ok(una_score_finish(&by_hand, &sums, run), run);
    assert_ok(una_model_score_rows(&by_model, below, model, test, run), run);
    assert_ok(una_score_file(&by_file, model, write_wave("mixture.csv", test), run), run);
    assert_ok(una_score_gaussian(&as_gaussian, y, p, p + 2 * ROWS, p + 3 * ROWS, ROWS, run), run);

    assert_same_score(&by_model, &by_hand);
    assert_same_score(&by_model, &by_file);
    assert_true(fabs(by_model.log_lik - as_gaussian.log_lik) > 1e-3);            /* the parts did matter */
    for (size_t r = 0; r < ROWS; r += 50) {
        double wanted = una_mixture_cdf(y[r], parts + 2 * r, parts + 2 * ROWS + 2 * r, two_weights, 2);
        assert_near(below[r], wanted, 1e-9, 0);
        /* Inside the bands of predict exactly where the score counts it. */
        assert_true((y[r] >= p[4 * ROWS + r] && y[r] <= p[5 * ROWS + r]) == (fabs(2 * wanted - 1) <= 0.95));
    }

    free(p);
    free(parts);
    free(below);
    una_model_free(model);
    una_dataset_free(test);
    una_run_free(run);
}

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *none = NULL, *bare = NULL;
    una_model *model = fitted("linear", data, NULL, run);
    una_score score = UNA_INIT(una_score);
    double x[] = { 1, 2 };

    assert_ok(una_dataset_rows(&none, data, NULL, 0, run), run);
    assert_status(una_model_score(&score, model, none, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no rows to score");
    assert_ok(una_dataset_from_arrays(&bare, x, NULL, 1, 2, NULL, run), run);
    assert_status(una_model_score(&score, model, bare, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "'y'");

    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(none);
    una_dataset_free(bare);
    una_run_free(run);
}

static una_status job_score(void *context, una_run *run)
{
    una_kind kind;
    const double *x = context;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score);

    una_status status = una_dataset_from_arrays(&data, x, x + 40, 20, 2, NULL, run);
    if (status == UNA_OK) status = una_fit(&model, "linear", data, NULL, run);
    if (status == UNA_OK) {
        kind = *model->kind;
        kind.mixture = two;
        kind.predict = predict_two;
        model->kind = &kind;
        status = una_model_score(&score, model, data, run);
    }

    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    double x[60];
    for (size_t i = 0; i < 60; i++) x[i] = sin(7.0 * (double)i);
    assert_true(sweep_allocations(job_score, x) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gaussian_model),
        cmocka_unit_test(a_mixture_model),
        cmocka_unit_test(refusals),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
