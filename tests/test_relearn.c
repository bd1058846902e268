/* SPDX-License-Identifier: MIT
 *
 * Relearning: a new posterior on the same features (una_model_relearn), for every model of the registry that can: the
 * same rows give the same posterior, a target in other units the same one in other units, other variances what a fit
 * with them gives; the model it came from stays as it was.
 */
#include "models/quick.h"

enum { INPUTS = 2, ROWS = 60, POINTS = 40 };

typedef struct answers { double mean[POINTS], std[POINTS], epistemic[POINTS]; } answers;

static answers ask(const una_model *model, una_run *run)
{
    double x[INPUTS * POINTS];
    answers a;
    for (size_t i = 0; i < INPUTS * POINTS; i++) x[i] = (double)(i * 2654435761u % 6001) / 1000 - 3;
    una_prediction out = { .size = sizeof out, .mean = a.mean, .std = a.std, .std_epistemic = a.epistemic };
    assert_ok(una_model_predict_rows(model, x, POINTS, 0.95, &out, run), run);
    return a;
}

/* b is a in other units: shift + scale a. */
static void assert_same(const answers *a, const answers *b, double shift, double scale, double tolerance)
{
    for (size_t i = 0; i < POINTS; i++) {
        double unit = scale * (1 + fabs(a->mean[i]));
        assert_true(fabs(shift + scale * a->mean[i] - b->mean[i]) <= tolerance * unit);
        assert_true(fabs(scale * a->std[i] - b->std[i]) <= tolerance * unit);
        assert_true(fabs(scale * a->epistemic[i] - b->epistemic[i]) <= tolerance * unit);
    }
}

static una_dataset *with_target(const una_dataset *data, double shift, double scale, una_run *run)
{
    double x[INPUTS * ROWS], y[ROWS];
    const double *column[INPUTS + 1];
    una_dataset *other = NULL;
    for (size_t c = 0; c <= INPUTS; c++) column[c] = una_dataset_numbers(data, c);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t d = 0; d < INPUTS; d++) x[INPUTS * i + d] = column[d][i];
        y[i] = shift + scale * column[INPUTS][i];
    }
    assert_ok(una_dataset_from_arrays(&other, x, y, ROWS, INPUTS, NULL, run), run);
    return other;
}

static una_model *relearnt(const una_model *model, const una_dataset *data, const char *set, una_run *run)
{
    una_model *out = NULL;
    const char *sets[] = { set };
    assert_ok(una_model_relearn(&out, model, data, sets, set ? 1 : 0, run), run);
    return out;
}

/* The noise after relearning is constant. */
static una_model *plain_fit(const una_kind *kind, const una_dataset *data, una_run *run)
{
    return fitted(quick_spec(kind->name, has_option(kind, "noise") ? "noise=constant" : NULL), data, NULL, run);
}

/* ---- every kind ------------------------------------------------------------------------------------------------ */

static void same_rows_same_posterior(const una_kind *kind, una_run *run)
{
    una_dataset *data = wave_data(ROWS, 0, run), *other = with_target(data, 100, -20, run);
    una_model *model = plain_fit(kind, data, run), *same = relearnt(model, data, NULL, run);
    answers before = ask(model, run), again = ask(same, run);
    assert_same(&before, &again, 0, 1, 1e-6);
    assert_int_equal(una_model_info(same)->rows, ROWS);
    assert_int_equal(una_model_info(same)->valid_rows, 0);
    size_t found = 0;
    for (size_t i = 0; i < una_model_info(same)->note_count; i++)
        found += strstr(una_model_info(same)->notes[i], "those of another fit") != NULL;
    assert_int_equal(found, 1);

    /* Another quantity, its noise in its own units: turned round, moved and stretched. */
    char noise[64];
    snprintf(noise, sizeof noise, "noise_std=%.17g", 20 * una_model_info(model)->noise_std);
    una_model *moved = relearnt(model, other, noise, run);
    answers there = ask(moved, run);
    for (size_t i = 0; i < POINTS; i++) before.mean[i] = -before.mean[i];
    assert_same(&before, &there, 100, 20, 1e-6);

    answers after = ask(model, run);
    for (size_t i = 0; i < POINTS; i++) assert_true(after.mean[i] == -before.mean[i]);   /* as it was */
    una_model_free(moved);
    una_model_free(same);
    una_model_free(model);
    una_dataset_free(other);
    una_dataset_free(data);
}

static void saved_like_any_other(const una_kind *kind, una_run *run)
{
    una_dataset *data = wave_data(ROWS, 0, run), *fewer = wave_data(ROWS / 2, 500, run);
    una_model *model = plain_fit(kind, data, run), *out = relearnt(model, fewer, "noise_std=auto", run), *loaded = NULL;
    void *bytes = NULL;
    size_t size;
    assert_true(una_model_info(out)->noise_std > 0 && isfinite(una_model_info(out)->log_evidence));
    assert_int_equal(una_model_info(out)->rows, ROWS / 2);

    assert_ok(una_model_save_memory(out, &bytes, &size, run), run);
    assert_ok(una_model_load_memory(&loaded, bytes, size, run), run);
    answers a = ask(out, run), b = ask(loaded, run);
    assert_memory_equal(&a, &b, sizeof a);

    una_memory_free(bytes, run);
    una_model_free(loaded);
    una_model_free(out);
    una_model_free(model);
    una_dataset_free(fewer);
    una_dataset_free(data);
}

static void every_kind(void **state)
{
    una_run *run = quiet_run();
    size_t can = 0;
    (void)state;
    for (size_t k = 0; una_kinds[k]; k++) {
        if (!una_kinds[k]->relearn || una_kinds[k] == una_kind_find("trees")) continue;
        same_rows_same_posterior(una_kinds[k], run);
        saved_like_any_other(una_kinds[k], run);
        can++;
    }
    assert_true(can >= 6);
    una_run_free(run);
}

/* ---- against a fit ------------------------------------------------------------------------------------------ */

/* Linear features never train, so a fit with these variances is the same posterior. */
static void other_variances(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("linear(noise=constant)", data, NULL, run);
    una_model *wanted = fitted("linear(noise_std=0.7, prior_var=0.01)", data, NULL, run);
    (void)state;
    una_model *out = relearnt(model, data, "noise_std=0.7, prior_var=0.01", run);
    answers a = ask(wanted, run), b = ask(out, run);
    assert_same(&a, &b, 0, 1, 1e-12);
    assert_true(fabs(una_model_info(wanted)->log_evidence - una_model_info(out)->log_evidence) < 1e-9);
    assert_string_equal(una_model_info(wanted)->spec, una_model_info(out)->spec);

    una_model_free(out);
    una_model_free(wanted);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- refusals ----------------------------------------------------------------------------------------------- */

static void refusals_say_why(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run), *flat = with_target(data, 4, 0, run);
    una_model *linear = fitted("linear(noise=constant)", data, NULL, run);
    una_model *nn = fitted(quick_spec("nn", NULL), data, NULL, run);
    una_model *laplace = fitted("sngp(steps=20, width=4, features=8, head=laplace)", data, NULL, run), *out = NULL;
    const char *degree[] = { "degree=3" }, *wrong[] = { "noise_std=-1" };
    (void)state;

    assert_status(una_model_relearn(&out, linear, data, degree, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "degree is part of what is kept");
    assert_status(una_model_relearn(&out, linear, data, wrong, 1, run), UNA_E_USAGE, run);
    assert_status(una_model_relearn(&out, linear, flat, NULL, 0, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "is the same");
    assert_status(una_model_relearn(&out, nn, data, NULL, 0, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "fit it again");
    assert_status(una_model_relearn(&out, laplace, data, NULL, 0, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "head=exact");
    una_model *trees = fitted(quick_spec("trees", NULL), data, NULL, run);
    assert_status(una_model_relearn(&out, trees, data, NULL, 0, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "fit them again");
    assert_null(out);

    una_model_free(trees);
    una_model_free(laplace);
    una_model_free(nn);
    una_model_free(linear);
    una_dataset_free(flat);
    una_dataset_free(data);
    una_run_free(run);
}

/* A target of another size, on which a thousandth is still a signal: the same posterior in those units. */
static void small_signals_on_large_targets(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run), *large = with_target(data, 1e9, 1e-3, run);
    una_dataset *zero = with_target(data, 0, 0, run);
    una_model *model = fitted("linear(noise=constant)", data, NULL, run), *out = NULL;

    assert_ok(una_model_relearn(&out, model, large, (const char *[]){ "noise_std=auto" }, 1, run), run);
    assert_near(out->columns.target_scale, 1e-3 * model->columns.target_scale, 1e-4, 0);
    assert_near(una_model_info(out)->noise_std, 1e-3 * una_model_info(model)->noise_std, 0.01, 0);
    una_model_free(out);
    assert_status(una_model_relearn(&out, model, zero, NULL, 0, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "is the same");

    una_model_free(model);
    una_dataset_free(zero);
    una_dataset_free(large);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(other_variances),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(small_signals_on_large_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
