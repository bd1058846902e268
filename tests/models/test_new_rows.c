/* SPDX-License-Identifier: MIT
 *
 * Updates look at rows before they take them in: the same law is silent, other laws are named, the record holds what was
 * predicted, and an update that adapts has the noise of the new rows, exactly as a posterior under that noise.
 */
#include "models/quick.h"
#include "one_run.h"

#include "model/several.h"

enum { OLD = 200, INPUTS = 2 };
typedef enum law { SAME, WIDER, OTHER, REVERSED, LOUD } law;
static const double NOISE = 0.2;
static const char CONTRADICTS[] = "the new rows contradict the model: ";

static const char *const gp = "gp(kernel=rbf, restarts=1, noise=constant)";
static const char *const line = "linear(degree=2, noise=constant)";

/* f is what `linear` can follow, g is not. */
static double truth(law kind, const double *x)
{
    double f = 1 + x[0] - 0.5 * x[1] * x[1];
    if (kind == REVERSED) return -f;
    return kind == OTHER ? cos(3 * x[0]) + x[1] : f;
}

static una_dataset *some_rows(law kind, size_t rows, uint64_t seed, una_run *by)
{
    double *x = calloc(rows * INPUTS, sizeof *x), *y = calloc(rows, sizeof *y);
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0);
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        for (size_t d = 0; d < INPUTS; d++)
            x[i * INPUTS + d] = (kind == WIDER ? 4 : 2) * una_rng_uniform(&rng) - (kind == WIDER ? 2 : 1);
        y[i] = truth(kind, x + i * INPUTS) + NOISE * (kind == LOUD ? 4 : 1) * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, INPUTS, NULL, by), by);
    free(x);
    free(y);
    return data;
}

static una_model *fit_old(const char *spec, uint64_t seed, una_run *by)
{
    una_model *model = NULL;
    una_dataset *old = some_rows(SAME, OLD, seed, by);
    assert_ok(una_fit(&model, spec, old, NULL, by), by);
    una_dataset_free(old);
    return model;
}

static const char *warning_of(const una_model *model)
{
    const una_fit_info *info = una_model_info(model);
    for (size_t i = 0; i < info->warning_count; i++)
        if (strncmp(info->warnings[i], CONTRADICTS, sizeof CONTRADICTS - 1) == 0) return info->warnings[i];
    return NULL;
}

static double coverage(const una_model *model, law kind, uint64_t seed)
{
    una_dataset *fresh = some_rows(kind, 1000, seed, run);
    una_score score = { .size = sizeof score };
    assert_ok(una_model_score(&score, model, fresh, run), run);
    una_dataset_free(fresh);
    return score.coverage_95;
}

static void update(una_model *model, law kind, size_t rows, uint64_t seed, int adapt)
{
    una_dataset *more = some_rows(kind, rows, seed, run);
    assert_ok(una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = adapt), run), run);
    una_dataset_free(more);
}

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

static void the_same_law_is_silent(void **state)
{
    (void)state;
    static const size_t rows[] = { 1, 4, 20, 200 };
    const char *const specs[] = { gp, line };
    for (uint64_t seed = 0; seed < 20; seed++) {
        una_model *model = fit_old(specs[seed % 2], 1000 + seed, run);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            update(model, SAME, rows[k], 2000 + 10 * seed + k, 0);
            assert_null(warning_of(model));
        }
        una_model_free(model);
    }
}

/* After every one the coverage is right, or there is a warning; it tells function and noise apart. */
static void other_laws_are_named(void **state)
{
    (void)state;
    const char *const specs[] = { gp, line };
    for (uint64_t seed = 0; seed < 10; seed++) {
        una_model *model = fit_old(specs[seed % 2], 1000 + seed, run);
        for (law kind = SAME; kind <= LOUD; kind++) {
            una_model *own = copied_model(model, run);
            update(own, kind, 500, 3000 + seed, 0);
            const char *warning = warning_of(own);
            assert_true(warning || coverage(own, kind, 4000 + seed) >= 0.9);
            assert_true((kind < OTHER) == !warning);
            bool pattern = warning && strstr(warning, "do not follow one function");
            assert_true(pattern == (kind == OTHER || kind == REVERSED));
            if (kind == LOUD) assert_non_null(strstr(warning, "--adapt"));
            una_model_free(own);
        }
        una_model_free(model);
    }
}

/* A newer warning takes the place of an older one; sentences of the fit stay. */
static void a_model_keeps_one_warning(void **state)
{
    (void)state;
    una_model *model = fit_old(line, 1001, run);
    size_t before = una_model_info(model)->warning_count;
    for (uint64_t seed = 0; seed < 3; seed++) update(model, REVERSED, 100, 3100 + seed, 0);
    assert_int_equal(una_model_info(model)->warning_count, before + 1);
    una_model_free(model);
}

/* 400 rows of four different inputs say no more than four rows. */
static void equal_inputs_count_as_one(void **state)
{
    (void)state;
    double x[400 * INPUTS], y[400];
    una_model *model = fit_old(line, 1002, run), *other = copied_model(model, run);
    for (size_t different = 4; different <= 40; different += 36) {
        for (size_t i = 0; i < 400; i++) {
            x[i * INPUTS] = x[i * INPUTS + 1] = (double)(i % different) / (double)different;
            y[i] = truth(REVERSED, x + i * INPUTS);
        }
        assert_ok(una_model_update_rows(different == 4 ? model : other, x, y, 400, run), run);
    }
    assert_null(warning_of(model));
    assert_non_null(warning_of(other));
    una_model_free(model);
    una_model_free(other);
}

/* ---- the record -------------------------------------------------------------------------------------------------- */

static void add_z2(double *sum, double *log_lik, const una_model *model, const una_dataset *data)
{
    size_t rows = una_dataset_row_count(data);
    double mean[300], std[300];
    const double *y = una_dataset_numbers(data, INPUTS);
    assert_ok(una_model_predict(model, data, 0.95, &SIZED(una_prediction, .mean = mean, .std = std), run), run);
    for (size_t i = 0; i < rows; i++) {
        double z = (y[i] - mean[i]) / std[i];
        *sum += z * z;
        *log_lik -= 0.5 * (log(2 * 3.141592653589793) + z * z) + log(std[i]);
    }
}

static void the_record_is_what_was_predicted(void **state)
{
    (void)state;
    una_model *model = fit_old(line, 1003, run);
    double z2 = 0, log_lik = 0;
    assert_int_equal(una_model_info(model)->updates, 0);
    for (size_t k = 1; k <= 3; k++) {
        una_dataset *more = some_rows(SAME, 100 * k, 3200 + k, run);
        add_z2(&z2, &log_lik, model, more);
        assert_ok(una_model_update(model, more, run), run);
        una_dataset_free(more);
    }
    una_model *loaded = copied_model(model, run);
    for (int pass = 0; pass < 2; pass++) {
        const una_fit_info *info = una_model_info(pass ? loaded : model);
        assert_int_equal(info->rows, OLD + 600);
        assert_int_equal(info->updates, 3);
        assert_int_equal(info->rows_added, 600);
        assert_int_equal(info->added_scored, 600);
        assert_near(info->added_z2, z2 / 600, 1e-9, 0);
        assert_near(info->added_log_lik, log_lik / 600, 1e-9, 0);
    }
    una_model_free(loaded);
    una_model_free(model);
}

/* Of a long table the first 4,096 rows are predicted, and 512 of the next piece; what is learnt anew has no record. */
static void a_long_table_is_predicted_in_part(void **state)
{
    (void)state;
    static const char *const targets[] = { "y", "x2" };
    una_text text = una_text_in(&run->scratch);
    una_dataset *old = some_rows(SAME, OLD, 1011, run);
    una_model *model = NULL, *again = NULL;
    una_rng rng = una_rng_at(3250, UNA_FOR_DATA, 0);
    assert_ok(una_fit(&model, "linear", old, &SIZED(una_fit_settings, .targets = targets, .target_count = 2), run), run);
    una_text_add(&text, "x1,x2,y\n");
    for (size_t i = 0; i < 5000; i++) {
        double x[] = { 2 * una_rng_uniform(&rng) - 1, 2 * una_rng_uniform(&rng) - 1 };
        una_text_add(&text, "%.9g,%.9g,%.9g\n", x[0], x[1], truth(SAME, x) + NOISE * una_rng_normal(&rng));
    }
    assert_ok(una_update_file(model, temp_text_file("long.csv", text.at), NULL, run), run);
    const una_fit_info *info = una_model_info(una_model_target(model, 0));
    assert_int_equal(una_model_info(model)->rows_added, 5000);
    assert_int_equal(info->rows_added, 5000);
    assert_int_equal(info->added_scored, 4096 + 512);
    assert_near(info->added_z2, 1, 0.25, 0);

    assert_ok(una_model_relearn(&again, model, old, NULL, 0, run), run);
    assert_int_equal(una_model_info(again)->updates, 0);
    una_model *loaded = copied_model(again, run);
    assert_int_equal(una_model_info(loaded)->rows, OLD);
    una_model_free(loaded);
    una_model_free(again);
    una_model_free(model);
    una_dataset_free(old);
}

/* ---- adapting ---------------------------------------------------------------------------------------------------- */

static void adapted_noise_is_that_of_the_new_rows(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "linear(degree=2)", "gp(kernel=rbf, restarts=1)", "gp(neighbours=40, restarts=1)",
        "nlm(width=20, steps=300, members=2)", "luna(width=20, steps=300, members=2)", "trees(trees=60, members=2)",
        "sngp(width=20, features=40, steps=300)", "sngp(width=20, features=40, steps=300, head=gp)",
        "ensemble(style=bootstrap, members=2, of=linear(degree=2))", "linear(degree=2, noise=varying)",
        "auto(luna=nlm(width=20, steps=300, members=2), trees=trees(trees=60, members=2))"
    };
    una_dataset *fresh = some_rows(LOUD, 100, 4301, run);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        una_model *model = fit_old(specs[k], 1004, run);
        update(model, LOUD, 600, 3300, 1);
        assert_null(warning_of(model));
        assert_near(una_model_info(model)->noise_std, 4 * NOISE, 0.1, 0);
        assert_in_range((unsigned)(1000 * coverage(model, LOUD, 4300)), 900, 985);
        una_model *loaded = copied_model(model, run);
        assert_same_predictions(model, loaded, fresh, 1e-9, run);
        update(loaded, LOUD, 20, 3301, 1);           /* also after loading */
        una_model_free(loaded);
        una_model_free(model);
    }
    una_dataset_free(fresh);
}

/* Where nothing is known, and errors are smaller than ignorance, they say nothing about the noise. */
static void small_errors_far_away_leave_the_noise(void **state)
{
    (void)state;
    double x[100 * INPUTS] = {0}, y[100];
    una_model *model = fit_old(gp, 1012, run);
    double before = una_model_info(model)->noise_std;
    for (size_t i = 0; i < 100; i++) {
        x[i * INPUTS] = 100 * (double)(i + 1);
        y[i] = model->columns.target_centre;
    }
    una_dataset *far = NULL;
    assert_ok(una_dataset_from_arrays(&far, x, y, 100, INPUTS, NULL, run), run);
    assert_ok(una_model_update_with(model, far, &SIZED(una_update_settings, .adapt = 1), run), run);
    assert_near(una_model_info(model)->noise_std, before, 1e-12, 0);
    una_dataset_free(far);
    una_model_free(model);
}

typedef struct posterior { double mean[500], var[500], noise[500]; } posterior;

static void ask_within(posterior *p, const una_model *model, const una_problem *rows)
{
    una_predictive out = { .mean = p->mean, .var_model = p->var, .var_noise = p->noise };
    assert_ok(una_members_predict(model->state, rows->x, &out, run), run);
}

/* A posterior of these rows alone, with the features and the noise of the model. */
static void learn_within(una_model *model, const una_problem *rows)
{
    char set[64];
    void *options;
    una_spec part;
    snprintf(set, sizeof set, "noise_std=%.17g", una_model_info(model)->noise_std);
    assert_ok(una_kind_options(&options, model->kind, una_model_info(model)->spec, &run->scratch, run), run);
    assert_ok(una_spec_parse_items(&part, set, &run->scratch, run), run);
    assert_ok(una_options_apply(options, model->kind->options, model->kind->name, &part, &run->scratch, run), run);
    una_fit_result result = una_fit_result_in(&model->keep);
    assert_ok(una_model_learn(una_calls(model->kind)->relearn,
                              &(una_model){ .kind = model->kind, .state = model->state, .options = options }, rows,
                              &result, &model->keep, run), run);
}

/* The same posterior as one that is learnt from all rows under that noise, standardised as at the fit. */
static void an_adapted_posterior_is_that_of_its_noise(void **state)
{
    (void)state;
    const char *const specs[] = { line, gp, "nlm(width=8, steps=60, members=1, noise=constant)" };
    una_dataset *old = some_rows(SAME, OLD, 1005, run), *more = some_rows(LOUD, 300, 3400, run), *all = NULL;
    assert_ok(una_dataset_join(&all, old, more, run), run);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        una_model *model = NULL;
        posterior adapted, learnt;
        double *x, *y;
        size_t rows;
        assert_ok(una_fit(&model, specs[k], old, NULL, run), run);
        assert_ok(una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = 1), run), run);
        const una_columns *columns = &model->columns;
        assert_ok(una_columns_encode_several(&columns, 1, all, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch),
                  run);
        const una_problem problem = { .x = { x, rows, INPUTS, INPUTS }, .y = y, .outputs = 1, .columns = columns,
                                      .data = all, .table_rows = rows };
        ask_within(&adapted, model, &problem);
        learn_within(model, &problem);
        ask_within(&learnt, model, &problem);
        for (size_t i = 0; i < rows; i++) {
            assert_near(adapted.mean[i], learnt.mean[i], 1e-8, 1e-9);
            assert_near(adapted.var[i], learnt.var[i], 1e-7, 1e-10);
            assert_near(adapted.noise[i], learnt.noise[i], 1e-12, 0);
        }
        una_model_free(model);
    }
    una_dataset_free(all);
    una_dataset_free(more);
    una_dataset_free(old);
}

/* Rows of the same law count as many as they are: the noise hardly moves. */
static void few_rows_hardly_move_the_noise(void **state)
{
    (void)state;
    una_model *model = fit_old(line, 1006, run);
    double before = una_model_info(model)->noise_std;
    update(model, SAME, 20, 3500, 1);
    assert_near(una_model_info(model)->noise_std, before, 0.06, 0);
    assert_true(una_model_info(model)->noise_std != before);
    una_model_free(model);
}

static una_status save_adapted(void **bytes, size_t *size, int threads)
{
    una_run *own = quiet_run_threads(threads);
    una_model *model = fit_old("auto(luna=nlm(width=8, steps=40, members=2), trees=trees(trees=20, members=2))", 1007, own);
    una_dataset *more = some_rows(LOUD, 300, 3600, own);
    assert_ok(una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = 1), own), own);
    void *saved = NULL;
    una_status status = una_model_save_memory(model, &saved, size, own);
    *bytes = malloc(*size);
    memcpy(*bytes, saved, *size);
    una_memory_free(saved, own);
    una_dataset_free(more);
    una_model_free(model);
    una_run_free(own);
    return status;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    void *one, *three;
    size_t size, other;
    assert_int_equal(save_adapted(&one, &size, 1), UNA_OK);
    assert_int_equal(save_adapted(&three, &other, 3), UNA_OK);
    assert_int_equal(size, other);
    assert_memory_equal(one, three, size);
    free(one);
    free(three);
}

static una_dataset *pair_rows(size_t rows, double noise, uint64_t seed)
{
    static const char *const names[] = { "x", "a", "b" };
    double x[500], a[500], b[500];
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0);
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        x[i] = una_rng_uniform(&rng);
        a[i] = 3 * x[i] + NOISE * una_rng_normal(&rng);
        b[i] = i % 5 ? -x[i] + noise * una_rng_normal(&rng) : NAN;
    }
    const double *const numbers[] = { x, a, b };
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 3, rows, run), run);
    return data;
}

/* Every target by itself: the noise of b is larger, that of a is not. */
static void targets_are_adapted_one_by_one(void **state)
{
    (void)state;
    static const char *const targets[] = { "a", "b" };
    una_dataset *old = pair_rows(200, NOISE, 1008), *more = pair_rows(500, 5 * NOISE, 3700);
    una_model *model = NULL;
    assert_ok(una_fit(&model, "linear", old, &SIZED(una_fit_settings, .targets = targets, .target_count = 2), run), run);
    una_model *plain = copied_model(model, run);
    assert_ok(una_model_update(plain, more, run), run);
    assert_null(warning_of(una_model_target(plain, 0)));
    assert_non_null(strstr(warning_of(una_model_target(plain, 1)), "of the target 'b'"));
    assert_ok(una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = 1), run), run);
    assert_near(una_model_info(una_model_target(model, 0))->noise_std, NOISE, 0.1, 0);
    assert_near(una_model_info(una_model_target(model, 1))->noise_std, 5 * NOISE, 0.1, 0);
    assert_int_equal(una_model_info(model)->rows_added, 500);
    assert_int_equal(una_model_info(una_model_target(model, 1))->rows_added, 400);
    una_model_free(plain);
    una_model_free(model);
    una_dataset_free(more);
    una_dataset_free(old);
}

/* ---- all or nothing ---------------------------------------------------------------------------------------------- */

static void a_failed_update_changes_nothing(void **state)
{
    (void)state;
    const char *const specs[] = { line, gp, "nn(width=6, steps=20)" };
    for (size_t k = 0; k < 3; k++) {
        una_model *model = fit_old(specs[k], 1009, run);
        una_dataset *more = some_rows(LOUD, 60, 3800, run);
        ((double *)una_dataset_numbers(more, INPUTS))[59] = k < 2 ? 1e200 : 0;
        una_model *before = copied_model(model, run);
        una_status status = una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = 1), run);
        assert_int_equal(status, k < 2 ? UNA_E_NUMERIC : UNA_E_USAGE);
        assert_same_bytes(model, before, run);
        una_model_free(before);
        una_dataset_free(more);
        una_model_free(model);
    }
}

static una_status job_adapt(void *context, una_run *by)
{
    const una_model *from = context;
    void *bytes = NULL;
    size_t size;
    una_model *model = NULL;
    una_dataset *more = NULL;
    double x[120], y[60];
    for (int i = 0; i < 60; i++) x[2 * i] = i / 60.0, x[2 * i + 1] = i % 7 / 7.0, y[i] = sin(i);
    una_status status = una_model_save_memory(from, &bytes, &size, by);
    if (status == UNA_OK) status = una_model_load_memory(&model, bytes, size, by);
    if (status == UNA_OK) status = una_dataset_from_arrays(&more, x, y, 60, INPUTS, NULL, by);
    if (status == UNA_OK) status = una_model_update_with(model, more, &SIZED(una_update_settings, .adapt = 1), by);
    if (status == UNA_E_MEMORY && model && more) {
        assert_int_equal(una_model_info(model)->rows, OLD);
        assert_int_equal(una_model_info(model)->updates, 0);
        assert_true(una_model_info(model)->noise_std == una_model_info(from)->noise_std);
    }
    una_dataset_free(more);
    una_model_free(model);
    una_memory_free(bytes, by);
    return status;
}

static void no_memory_is_no_half_adaptation(void **state)
{
    (void)state;
    const char *const specs[] = { line, "gp(neighbours=20, restarts=1, noise=constant)" };
    for (size_t k = 0; k < 2; k++) {
        una_model *model = fit_old(specs[k], 1010, run);
        assert_true(sweep_allocations(job_adapt, model) > 10);
        una_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_law_is_silent),
        cmocka_unit_test(other_laws_are_named),
        cmocka_unit_test(a_model_keeps_one_warning),
        cmocka_unit_test(equal_inputs_count_as_one),
        cmocka_unit_test(the_record_is_what_was_predicted),
        cmocka_unit_test(a_long_table_is_predicted_in_part),
        cmocka_unit_test(adapted_noise_is_that_of_the_new_rows),
        cmocka_unit_test(small_errors_far_away_leave_the_noise),
        cmocka_unit_test(an_adapted_posterior_is_that_of_its_noise),
        cmocka_unit_test(few_rows_hardly_move_the_noise),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(targets_are_adapted_one_by_one),
        cmocka_unit_test(a_failed_update_changes_nothing),
        cmocka_unit_test(no_memory_is_no_half_adaptation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
