/* SPDX-License-Identifier: MIT
 *
 * Fits under noise with heavy tails: outliers leave scale and function alone, printed specs repeat the fit, rows of an
 * update count by their errors under the model before the call, and given the weights an update is a solve of all rows;
 * what cannot have tails says so.
 */
#include "committee/committee.h"
#include "models/quick.h"

enum { MOST = 400 };

static const una_members *members_of(const una_model *model)
{
    return model->state;
}

/* y = sin 2x + 0.2 e; of every 30th row (with outliers) the error is 20 times as large. Two targets: the second has no
 * outliers. */
static una_dataset *wavy(size_t rows, uint64_t seed, bool outliers, bool two, una_run *run)
{
    static double x[MOST], y[MOST], z[MOST];
    static const char *const names[] = { "x", "y", "z" };
    const double *columns[] = { x, y, z };
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, i);
        x[i] = 4 * una_rng_uniform(&rng) - 2;
        double e = 0.2 * una_rng_normal(&rng);
        y[i] = sin(2 * x[i]) + (outliers && i % 30 == 7 ? 20 : 1) * e;
        z[i] = cos(2 * x[i]) + 0.2 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, two ? 3 : 2, rows, run), run);
    return data;
}

static double error_of(const una_model *model, una_run *run)
{
    double x[81], mean[81], sum = 0;
    for (size_t i = 0; i < 81; i++) x[i] = -2 + 0.05 * (double)i;
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_predict_rows(model, x, 81, 0.95, &out, run), run);
    for (size_t i = 0; i < 81; i++) sum += pow(mean[i] - sin(2 * x[i]), 2) / 81;
    return sqrt(sum);
}

static void outliers_leave_scale_and_function_alone(void **state)
{
    (void)state;
    static const struct { const char *spec; double scale, worse; } cases[] = {
        { "linear(degree=7)", 1.3, 1.3 }, { "gp", 1.3, 1.3 },
        { "luna(width=20, heads=4, steps=300, members=5, relevance=off)", 1.5, 1.5 },
    };
    una_run *run = quiet_run();
    una_dataset *with = wavy(240, 1001, true, false, run), *without = wavy(240, 1001, false, false, run);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_model *model = fitted(cases[i].spec, with, NULL, run), *twin = fitted(cases[i].spec, without, NULL, run);
        const una_fit_info *info = una_model_info(model), *clean = una_model_info(twin);
        print_message("%s: scale %.3f of %g, without outliers %.3f; error %.3f, %.3f\n", info->kind, info->noise_scale,
                      info->noise_freedom, clean->noise_scale, error_of(model, run), error_of(twin, run));
        assert_true(isfinite(info->noise_freedom) && info->noise_scale < info->noise_std);
        assert_true(clean->noise_scale == clean->noise_std || isfinite(clean->noise_freedom));
        assert_true(info->noise_scale < cases[i].scale * clean->noise_scale);
        assert_true(error_of(model, run) < cases[i].worse * error_of(twin, run));
        una_model_free(model);
        una_model_free(twin);
    }
    una_dataset_free(with);
    una_dataset_free(without);
    una_run_free(run);
}

static const char *const specs[] = { "linear(degree=5)", "gp", "gp(tails=3, noise=varying)", "linear(degree=5, tails=6)",
                                     "trees(trees=30, members=5)", "luna(width=6, heads=3, steps=60, members=5)",
                                     "nlm(width=6, steps=40, members=5, tails=0.03, noise=constant)",
                                     "auto(luna=luna(width=6, heads=2, steps=20, members=5), trees=none)" };

static void specs_and_files_repeat_the_fit(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wavy(120, 1002, true, false, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_model *model = fitted(specs[i], data, NULL, run), *copy = copied_model(model, run);
        const una_fit_info *info = una_model_info(model);
        una_model *again = fitted(info->spec, data, NULL, run);
        assert_true(isfinite(info->noise_freedom));
        assert_same_predictions(copy, model, data, 0, run);
        assert_true(una_model_info(copy)->noise_scale == info->noise_scale);
        assert_true(una_model_info(copy)->noise_freedom == info->noise_freedom);
        assert_same_predictions(again, model, data, 1e-9, run);
        una_model_free(again);
        una_model_free(copy);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static una_problem encoded(const una_model *model, const una_dataset *data, una_run *run)
{
    double *x, *y;
    size_t rows;
    assert_ok(una_columns_encode(&model->columns, data, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch), run);
    return (una_problem){ .x = { x, rows, 1, 1 }, .y = y, .outputs = 1, .columns = &model->columns, .seed = 1 };
}

static void new_rows_count_by_their_errors(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wavy(120, 1003, true, false, run), *more = wavy(40, 1004, true, false, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs - 1; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_model *model = fitted(specs[i], data, NULL, run), *by_hand = copied_model(model, run);
        una_members *all = by_hand->state;
        una_problem p = encoded(model, more, run);
        una_predictive at = {0};
        una_fit_result result = una_fit_result_in(&run->scratch);
        double *weight = UNA_GET(&run->scratch, double, p.x.rows), least = 1;
        assert_ok(una_predictive_new(&at, p.x.rows, &run->scratch), run);
        assert_ok(una_members_predict(all, p.x, &at, run), run);
        for (size_t r = 0; r < p.x.rows; r++) {
            weight[r] = una_tails_row_weight(all->tails, pow(p.y[r] - at.mean[r], 2), at.var_model[r], at.var_noise[r]);
            least = fmin(least, weight[r]);
        }
        assert_true(least < 0.1);
        const una_tails *tails = all->tails;
        all->tails = NULL;                               /* so that the given weights are the only ones */
        p.weight = weight;
        assert_ok(una_members_observe(all, &p, &result, &by_hand->keep, run), run);
        all->tails = tails;
        assert_ok(una_model_update(model, more, run), run);
        assert_same_predictions(model, by_hand, data, 1e-9, run);
        una_model_free(model);
        una_model_free(by_hand);
        una_arena_release(&run->scratch, mark);
    }
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* One member relearnt from the first rows, the others added; or from all of them at once. */
static void given_weights_an_update_is_a_solve_of_all_rows(void **state)
{
    (void)state;
    enum { FIRST = 90, ALL = 130 };
    una_run *run = quiet_run();
    una_dataset *data = wavy(ALL, 1005, true, false, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs - 1; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_model *model = fitted(specs[i], data, NULL, run), *whole = copied_model(model, run);
        una_problem p = encoded(model, data, run), first = p, rest = p;
        double *weight = UNA_GET(&run->scratch, double, ALL);
        for (size_t r = 0; r < ALL; r++) weight[r] = 0.1 + 0.05 * (double)(r % 23);
        p.weight = weight;
        first.weight = weight, first.x.rows = FIRST;
        rest.weight = weight + FIRST, rest.x.at += FIRST, rest.y += FIRST, rest.x.rows = ALL - FIRST;
        const una_kind *kind = model->kind;
        una_fit_result result = una_fit_result_in(&run->scratch);
        una_fit_target one = { members_of(whole)->at[0].state, model->options, &result };
        assert_ok(kind->relearn(&(una_fitting){ .kind = kind, .problem = &p, .target = &one, .keep = &whole->keep,
                                                .run = run }), run);
        one.state = members_of(model)->at[0].state;
        assert_ok(kind->relearn(&(una_fitting){ .kind = kind, .problem = &first, .target = &one, .keep = &model->keep,
                                                .run = run }), run);
        assert_ok(kind->observe(one.state, &rest, &result, &model->keep, run), run);
        assert_same_predictions(model, whole, data, 1e-9, run);
        una_model_free(model);
        una_model_free(whole);
        una_arena_release(&run->scratch, mark);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- what cannot have tails, and what has them apart ------------------------------------------------------------- */

static void what_is_not_possible_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wavy(60, 1006, true, false, run);
    una_model *model = NULL;
    assert_status(una_fit(&model, "linear(tails=1.5)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "degrees of freedom of 2.5 or more");
    assert_status(una_fit(&model, "luna(tails=4, members=1, steps=10)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "needs out-of-fold predictions");
    assert_status(una_fit(&model, "nn(tails=4)", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, "ensemble(of=gp(tails=4))", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "an ensemble's noise is Gaussian");

    const char *names[] = { "x", "y" };
    double x[60], y[60];
    for (size_t i = 0; i < 60; i++) x[i] = (double)i, y[i] = i % 20 == 3 ? 1e6 : 1 + 0.01 * (double)i;
    una_dataset *positive = NULL;
    assert_ok(una_dataset_from_columns(&positive, names, (const double *[]){ x, y }, NULL, 2, 60, run), run);
    una_fit_settings log_of = SIZED(una_fit_settings, .log_target = 1);
    assert_status(una_fit(&model, "linear(tails=4)", positive, &log_of, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "whose mean would not exist");
    model = fitted("linear", positive, &log_of, run);
    assert_null(members_of(model)->tails);               /* however far out they are */
    una_model_free(model);
    model = fitted("linear(noise_std=0.3)", data, NULL, run);
    assert_null(members_of(model)->tails);
    una_model_free(model);
    una_dataset_free(positive);
    una_dataset_free(data);
    una_run_free(run);
}

static void relearning_ends_them(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wavy(120, 1008, true, false, run), *other = wavy(80, 1009, false, false, run);
    una_model *model = fitted("gp", data, NULL, run), *relearnt = NULL;
    const char *set[] = { "noise_std=auto" };
    assert_non_null(members_of(model)->tails);
    assert_ok(una_model_relearn(&relearnt, model, other, set, 1, run), run);
    assert_null(members_of(relearnt)->tails);
    const una_fit_info *info = una_model_info(relearnt);
    bool named = false;
    for (size_t i = 0; i < info->note_count; i++) named = named || strstr(info->notes[i], "The noise is Gaussian now");
    assert_true(named && !isfinite(info->noise_freedom));
    assert_near(info->noise_scale, info->noise_std, 0, 0);
    assert_near(info->noise_std, 0.2, 0.2, 0);
    una_model_free(relearnt);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(other);
    una_run_free(run);
}

static void targets_with_tails_stand_alone(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wavy(120, 1007, true, true, run);
    const char *targets[] = { "y", "z" };
    una_model *model = fitted("luna(width=12, heads=4, steps=200, members=5, relevance=off)", data,
                              &SIZED(una_fit_settings, .targets = targets, .target_count = 2), run);
    double log_lik;
    size_t rows;
    assert_ok(una_model_joint_log_lik(&log_lik, &rows, model, data, run), run);
    assert_true(rows == 120 && log_lik > -3 && !model->coupling.joint);
    assert_non_null(((const una_members *)una_model_target(model, 0)->state)->tails);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outliers_leave_scale_and_function_alone), cmocka_unit_test(specs_and_files_repeat_the_fit),
        cmocka_unit_test(new_rows_count_by_their_errors),
        cmocka_unit_test(given_weights_an_update_is_a_solve_of_all_rows),
        cmocka_unit_test(what_is_not_possible_is_refused), cmocka_unit_test(relearning_ends_them),
        cmocka_unit_test(targets_with_tails_stand_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
