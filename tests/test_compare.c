/* SPDX-License-Identifier: MIT
 *
 * Comparisons: the numbers of a fold are those of a fit by hand, errors and intervals those of the formula, the
 * baseline that of its definition; the order, and memory that runs out.
 */
#include "test_support.h"

#include "una_study.h"

enum { ROWS = 80, FOLDS = 4 };

static una_dataset *made_up(una_run *run)
{
    una_dataset *data;
    double x[2 * ROWS], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = sin((double)i * 1.7) * 2;
        x[2 * i + 1] = (double)(i % 11);
        y[i] = 1 + 2 * x[2 * i] + 0.3 * x[2 * i] * x[2 * i] + 0.2 * cos((double)(i * i));
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 2, NULL, run), run);
    return data;
}

static const char *const two[] = { "linear", "linear(degree=2)" };

static void formula(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = made_up(run);
    una_compared *c;
    una_compare_settings s = { .size = sizeof s, .models = two, .model_count = 2, .folds = FOLDS };
    assert_ok(una_compare(&c, data, &s, run), run);
    assert_int_equal(c->count, 3);
    assert_int_equal(c->folds, FOLDS);
    assert_int_equal(c->made, 3 * FOLDS);
    assert_string_equal(c->model[0].spec, "linear(degree=2)");
    assert_string_equal(c->model[1].spec, "linear");
    assert_string_equal(c->model[2].spec, "mean");
    assert_int_equal(c->model[0].worse, -1);
    assert_true(isnan(c->model[0].rmse.difference));
    assert_int_equal(c->model[2].worse, 1);
    assert_says(c->sentence, "linear(degree=2) is best");

    /* By hand: 20 rows tested, 60 trained on; t of 3 degrees of freedom. */
    const double *a = c->model[0].rmse.fold, *b = c->model[1].rmse.fold;
    double mean = 0, square = 0, value = 0;
    for (size_t k = 0; k < FOLDS; k++) mean += (b[k] - a[k]) / FOLDS, value += b[k] / FOLDS;
    for (size_t k = 0; k < FOLDS; k++) square += (b[k] - a[k] - mean) * (b[k] - a[k] - mean);
    double half = 3.182446305 * sqrt(square / 3 * (1.0 / FOLDS + 20.0 / 60));
    assert_near(c->model[1].rmse.mean, value, 1e-12, 0);
    assert_near(c->model[1].rmse.difference, mean, 1e-12, 1e-14);
    assert_near(c->model[1].rmse.low, mean - half, 1e-8, 1e-10);
    assert_near(c->model[1].rmse.high, mean + half, 1e-8, 1e-10);
    una_compared_free(c);

    s.select = "crps";
    assert_ok(una_compare(&c, data, &s, run), run);
    assert_string_equal(c->select, "crps");
    assert_true(c->model[0].crps.mean < c->model[1].crps.mean);
    una_compared_free(c);
    s.select = "luck";
    assert_status(una_compare(&c, data, &s, run), UNA_E_USAGE, run);
    assert_null(c);
    una_dataset_free(data);
    una_run_free(run);
}

/* With time the parts are known: half of the rows train, the others test. */
static void by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data, *train, *test;
    double x[2 * ROWS], y[ROWS], mean[ROWS], none[ROWS] = {0}, std[ROWS];
    size_t first[ROWS / 2], last[ROWS / 2];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = (double)i;
        x[2 * i + 1] = sin((double)i);
        y[i] = x[2 * i + 1] + 0.1 * cos((double)(i * i));
        if (i < ROWS / 2) first[i] = i, last[i] = ROWS / 2 + i;
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 2, NULL, run), run);
    assert_ok(una_dataset_rows(&train, data, first, ROWS / 2, run), run);
    assert_ok(una_dataset_rows(&test, data, last, ROWS / 2, run), run);

    una_compared *c;
    una_compare_settings s = { .size = sizeof s, .models = two, .model_count = 1, .folds = 1, .time = "x1" };
    assert_ok(una_compare(&c, data, &s, run), run);
    una_model *model;
    una_score score = UNA_INIT(una_score);
    assert_ok(una_fit(&model, "linear", train, NULL, run), run);
    assert_ok(una_model_score(&score, model, test, run), run);
    assert_string_equal(c->model[0].spec, "linear");
    assert_true(c->model[0].log_lik.mean == score.log_lik);
    assert_true(c->model[0].rmse.mean == score.rmse);
    assert_true(c->model[0].crps.mean == score.crps);
    assert_true(c->model[0].coverage_95.mean == score.coverage_95);
    assert_true(isnan(c->model[0].rmse.error));           /* of one fold */
    assert_int_equal(c->model[1].worse, 0);

    double sum = 0, square = 0, n = ROWS / 2;
    for (size_t i = 0; i < ROWS / 2; i++) sum += y[i];
    for (size_t i = 0; i < ROWS / 2; i++) square += (y[i] - sum / n) * (y[i] - sum / n);
    for (size_t i = 0; i < ROWS / 2; i++) mean[i] = sum / n, std[i] = sqrt(square / (n - 1));
    assert_ok(una_score_gaussian(&score, y + ROWS / 2, mean, none, std, ROWS / 2, run), run);
    assert_string_equal(c->model[1].spec, "mean");
    assert_near(c->model[1].log_lik.mean, score.log_lik, 1e-12, 0);
    assert_near(c->model[1].rmse.mean, score.rmse, 1e-12, 0);
    una_compared_free(c);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(train);
    una_dataset_free(test);
    una_run_free(run);
}

static una_status little(void *context, una_run *run)
{
    (void)context;
    una_compared *c = NULL;
    una_dataset *data = NULL;
    una_compare_settings s = { .size = sizeof s, .models = two, .model_count = 1, .folds = 2 };
    una_status status = una_dataset_synthetic(&data, "cubic", 12, 1, 0, run);
    if (status == UNA_OK) status = una_compare(&c, data, &s, run);
    if (status == UNA_OK) status = una_compare_chart(c, "/dev/null", run) == UNA_E_USAGE ? UNA_OK : UNA_E_MEMORY;
    una_compared_free(c);
    una_dataset_free(data);
    return status;
}

static void little_memory(void **state)
{
    (void)state;
    assert_true(sweep_allocations(little, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula), cmocka_unit_test(by_hand), cmocka_unit_test(little_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
