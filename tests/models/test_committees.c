/* SPDX-License-Identifier: MIT
 *
 * Kinds as committees: the same bits whatever the threads, updates against relearning on all rows, specs that
 * repeat the fit, members with and without relevance, noise that varies, heads of sngp, networks without a posterior.
 */
#include "committee/committee.h"
#include "models/quick.h"

static const una_members *members_of(const una_model *model)
{
    return model->state;
}

static una_model *luna_with(const char *more, const una_dataset *data, una_run *run)
{
    char spec[256];
    snprintf(spec, sizeof spec, "luna(width=6, heads=3, steps=30, %s)", more);
    return fitted(spec, data, NULL, run);
}

/* Noise whose std grows sixteenfold along x1. */
static una_dataset *fan_data(size_t rows, una_run *run)
{
    double *x = malloc(rows * 2 * sizeof *x), *y = malloc(rows * sizeof *y);
    una_dataset *data = NULL;
    assert_true(x && y);
    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(31, UNA_FOR_TEST, i);
        x[2 * i] = 4 * una_rng_uniform(&rng) - 2;
        x[2 * i + 1] = 4 * una_rng_uniform(&rng) - 2;
        y[i] = x[2 * i] + 0.2 * exp(0.7 * x[2 * i]) * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, 2, NULL, run), run);
    free(x);
    free(y);
    return data;
}

/* ---- bits ------------------------------------------------------------------------------------------------------ */

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    static const char *const specs[] = { "luna(width=6, heads=3, steps=20, members=7)",
                                         "nn(width=6, steps=20, members=7, relevance=auto, noise=varying)",
                                         "sngp(width=5, features=12, steps=20, members=3, prior_var=auto)" };
    static const int threads[] = { 1, 2, 5 };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int held = 0; held <= 1; held++) {
            void *first = NULL;
            size_t size = 0;
            una_run *first_run = NULL;
            for (size_t k = 0; k < 3; k++) {
                una_run *run = quiet_run_threads(threads[k]);
                una_dataset *data = wave_data(70, 0, run);
                una_model *model = fitted(specs[i], data, &SIZED(una_fit_settings, .valid_fraction = held ? 0.3 : 0),
                                          run);
                void *bytes = NULL;
                size_t now;
                assert_ok(una_model_save_memory(model, &bytes, &now, run), run);
                una_model_free(model);
                una_dataset_free(data);
                if (k == 0) {
                    first = bytes, size = now, first_run = run;
                    continue;
                }
                assert_int_equal(now, size);
                assert_memory_equal(bytes, first, size);
                una_memory_free(bytes, run);
                una_run_free(run);
            }
            una_memory_free(first, first_run);
            una_run_free(first_run);
        }
}

static void specs_repeat_the_fit(void **state)
{
    (void)state;
    static const char *const specs[] = { "luna(width=6, heads=3, steps=20, members=10)",
                                         "nlm(width=6, steps=20, members=6, relevance=on, noise=varying)",
                                         "nn(width=6, steps=20, members=5, weights=equal)",
                                         "bbvi(width=5, steps=20, samples=2, draws=5, members=5, noise=varying)",
                                         "sngp(width=5, features=12, steps=20, members=5, head=laplace)" };
    una_run *run = quiet_run();
    una_dataset *data = fan_data(80, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_model *model = fitted(specs[i], data, NULL, run);
        una_model *again = fitted(una_model_info(model)->spec, data, NULL, run);
        assert_same_predictions(again, model, data, 1e-9, run);
        una_model_free(model);
        una_model_free(again);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

/* Every member relearnt from old rows and new, in its own scale, rows counting as the noise says. */
static void relearn_all(una_model *model, void *options, const una_dataset *const *parts, size_t count, una_run *run)
{
    una_members *all = model->state;
    double *x[2], *y[2];
    size_t rows[2] = {0}, sum = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        assert_ok(una_columns_encode(&model->columns, parts[i], &(una_encoding){ &x[i], &y[i], NULL, &rows[i] },
                                     &run->scratch),
                  run);
        sum += rows[i];
    }
    double *xs = UNA_GET(&run->scratch, double, 2 * sum), *ys = UNA_GET(&run->scratch, double, sum);
    double *weight = UNA_GET(&run->scratch, double, sum);
    for (size_t i = 0; i < count; at += rows[i++]) {
        memcpy(xs + 2 * at, x[i], 2 * rows[i] * sizeof *xs);
        memcpy(ys + at, y[i], rows[i] * sizeof *ys);
    }
    una_view view = { xs, sum, 2, 2 };
    for (size_t i = 0; i < sum; i++) weight[i] = 1;
    if (all->noise) una_noise_shape(all->noise, view, weight);
    for (size_t i = 0; i < sum; i++) weight[i] = 1 / weight[i];

    for (size_t m = 0; m < all->count; m++) {
        una_problem p = { .x = view, .y = ys, .outputs = 1, .columns = &model->columns, .weight = weight, .seed = 1 };
        una_fit_result result = una_fit_result_in(&model->keep);
        assert_ok(una_scaled(&p.x, view, all->at[m].scale, run), run);
        una_fit_target target = { all->at[m].state, options, &result };
        assert_ok(all->at[m].calls->relearn(&(una_fitting){ .kind = model->kind, .problem = &p, .target = &target,
                                                            .keep = &model->keep, .run = run }), run);
    }
}

#define STILL "growth_below=0, growth_above=0, "
static void updates_are_posteriors_of_all_rows(void **state)
{
    (void)state;
    static const char *const specs[] = { "luna(width=6, heads=3, steps=30, members=6, " STILL "noise=varying, tails=inf)",
                                         "luna(width=6, heads=3, steps=30, members=6, " STILL "noise=constant, tails=inf)",
                                         "nlm(width=6, steps=30, members=5, relevance=on, tails=inf)",
                                         "sngp(width=5, features=12, steps=20, members=3, tails=inf)",
                                         "sngp(width=5, features=12, steps=20, members=3, head=gp, tails=inf)" };
    una_run *run = quiet_run();
    una_dataset *data = fan_data(60, run), *more = wave_data(23, 600, run);
    const una_dataset *parts[] = { data, more };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_model *model = fitted(specs[i], data, NULL, run), *fresh = copied_model(model, run);
        assert_ok(una_model_update(model, more, run), run);
        relearn_all(fresh, model->options, parts, 2, run);
        assert_same_predictions(model, fresh, more, 1e-9, run);
        una_model_free(model);
        una_model_free(fresh);
        una_arena_release(&run->scratch, mark);
    }
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* Rows that were held out, in whatever scale, are in every posterior at the end. */
static void held_out_rows_join(void **state)
{
    (void)state;
    static const char *const specs[] = { "luna(width=6, heads=3, steps=30, members=4, relevance=on, noise=constant, "
                                         "tails=inf)",
                                         "luna(width=6, heads=3, steps=30, members=4, noise=varying, tails=inf)",
                                         "sngp(width=5, features=12, steps=20, members=2, head=gp, relevance=auto, "
                                         "tails=inf)" };
    una_run *run = quiet_run();
    una_dataset *data = fan_data(90, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_model *model = fitted(specs[i], data, &SIZED(una_fit_settings, .valid_fraction = 0.3), run);
        una_model *fresh = copied_model(model, run);
        assert_int_equal(una_model_info(model)->valid_rows, 27);
        relearn_all(fresh, model->options, (const una_dataset *[]){ data }, 1, run);
        assert_same_predictions(model, fresh, data, 1e-9, run);
        una_model_free(model);
        una_model_free(fresh);
        una_arena_release(&run->scratch, mark);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- relevance, weights, noise --------------------------------------------------------------------------------- */

static void relevance_in_every_other_repeat(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *both = luna_with("members=25, relevance=auto", data, run);
    for (size_t m = 0; m < 25; m++) assert_true((members_of(both)->at[m].scale != NULL) == (m / 5 % 2 == 0));
    assert_non_null(una_model_info(both)->relevance);
    una_model *on = luna_with("members=10, relevance=on", data, run);
    for (size_t m = 0; m < 10; m++) assert_non_null(members_of(on)->at[m].scale);
    una_model *off = luna_with("members=10, relevance=off", data, run);
    for (size_t m = 0; m < 10; m++) assert_null(members_of(off)->at[m].scale);
    assert_null(una_model_info(off)->relevance);

    una_model *one = luna_with("members=1, relevance=on", data, run), *copy = copied_model(one, run);
    assert_non_null(members_of(one)->at[0].scale);
    assert_same_predictions(one, copy, data, 0, run);
    una_model *models[] = { both, on, off, one, copy };
    for (size_t i = 0; i < 5; i++) una_model_free(models[i]);
    una_dataset_free(data);
    una_run_free(run);
}

/* With few rows for each length a member's scale knows nothing of the fold that it leaves out: other targets there leave
 * it as it is. With many rows all have one. */
static void scales_do_not_know_the_fold(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *few = wave_data(60, 0, run), *many = wave_data(120, 0, run);
    una_model *own = luna_with("members=10, relevance=on", few, run);
    una_model *common = luna_with("members=10, relevance=on", many, run);
    for (size_t m = 0; m < 10; m++) {
        const double *first = members_of(own)->at[m % 5].scale, *scale = members_of(own)->at[m].scale;
        assert_true(first[0] == scale[0]);               /* of the same fold */
        if (m > 0) assert_true((members_of(own)->at[m - 1].scale[0] == scale[0]) == false);
        assert_true(members_of(common)->at[m].scale[0] == una_model_info(common)->relevance[0]);
    }
    una_model_free(own);
    una_model_free(common);
    una_dataset_free(few);
    una_dataset_free(many);
    una_run_free(run);
}

static void weights_as_asked(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *equal = luna_with("members=7, weights=equal", data, run), *stacked = luna_with("members=7", data, run);
    double sum = 0;
    for (size_t m = 0; m < 7; m++) {
        assert_near(members_of(equal)->at[m].weight, 1. / 7, 1e-12, 0);
        sum += members_of(stacked)->at[m].weight;
    }
    assert_near(sum, 1, 1e-12, 0);
    una_model_free(equal);
    una_model_free(stacked);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- repeats of luna --------------------------------------------------------------------------------------------- */

static una_model *luna_of_repeats(const char *more, const una_dataset *data, una_run *run)
{
    char spec[256];
    snprintf(spec, sizeof spec, "luna(width=6, heads=3, steps=30, members=8, relevance=off, prior_var=1, "
             "noise_std=0.5, train_noise_std=0.5, %s)", more);
    return fitted(spec, data, &SIZED(una_fit_settings, .valid_fraction = 0.3), run);
}

static double answer_of(const una_model *model, size_t member, una_run *run)
{
    double x[6] = { 0.3, -0.4, 0.2, 0.9, -1, 0.5 }, mean, var, noise;
    const una_member *m = &members_of(model)->at[member];
    una_predictive out = { .mean = &mean, .var_model = &var, .var_noise = &noise };
    assert_ok(m->calls->predict(m->state, (una_view){ x, 1, 6, 6 }, &out, run), run);
    return mean;
}

/* Held-out rows: every member is a repeat. It does what the same member does with the options of that repeat. */
static void repeats_of_luna_vary(void **state)
{
    (void)state;
    enum { ROWS = 80, INPUTS = 6 };
    double x[ROWS * INPUTS], y[ROWS];
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        una_rng rng = una_rng_at(9, UNA_FOR_TEST, i);
        for (size_t d = 0; d < INPUTS; d++) x[i * INPUTS + d] = una_rng_normal(&rng);
        y[i] = sin(x[i * INPUTS]) + x[i * INPUTS + 1] + 0.1 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, INPUTS, NULL, run), run);

    una_model *chosen = luna_of_repeats("diversity_every=auto, probes=both", data, run), *explicit[2][2];
    for (int third = 0; third < 2; third++)
        for (int beyond = 0; beyond < 2; beyond++) {
            char more[64];
            snprintf(more, sizeof more, "diversity_every=%d, probes=%s", third ? 3 : 1, beyond ? "beyond" : "between");
            explicit[third][beyond] = luna_of_repeats(more, data, run);
        }
    for (size_t m = 0; m < 8; m++)
        for (int third = 0; third < 2; third++)
            for (int beyond = 0; beyond < 2; beyond++) {
                bool like = third && beyond == (m % 4 == 1);
                assert_true((answer_of(chosen, m, run) == answer_of(explicit[third][beyond], m, run)) == like);
            }

    assert_says(una_model_info(chosen)->spec, "diversity_every=3");
    assert_says(una_model_info(chosen)->spec, "probes=both");
    for (size_t i = 0; i < 4; i++) una_model_free(explicit[i / 2][i % 2]);
    una_model_free(chosen);
    una_dataset_free(data);
    una_run_free(run);
}

static double noise_at(const una_model *model, double x1, una_run *run)
{
    double x[] = { x1, 0 }, noise;
    una_prediction out = { .size = sizeof out, .std_noise = &noise };
    assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    return noise;
}

/* Of a fan of noise every kind finds the fan, alone or as a committee, unless noise=constant. */
static void noise_that_varies(void **state)
{
    skip_if_sanitized();
    (void)state;
    static const char *const specs[] = { "luna(width=8, heads=3, steps=100, members=5", "linear(",
                                         "nlm(width=8, steps=100, members=5",
                                         "nn(width=8, steps=600, rate=0.01, members=5",
                                         "mcd(width=8, steps=600, rate=0.01, passes=10, members=5", "gp(",
                                         "tuna(width=10, heads=3, steps=100, reference_rows=50" };
    una_run *run = quiet_run();
    una_dataset *data = fan_data(300, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char spec[256];
        const char *comma = specs[i][strlen(specs[i]) - 1] == '(' ? "" : ", ";
        snprintf(spec, sizeof spec, "%s%snoise=auto)", specs[i], comma);
        una_model *model = fitted(spec, data, NULL, run);
        double ratio = noise_at(model, 1.9, run) / noise_at(model, -1.9, run);       /* truth: e^(0.7 3.8) = 14 */
        if (!(ratio > 5 && ratio < 40)) fail_msg("%s: the noise grows %g times", spec, ratio);
        assert_says(una_model_info(model)->spec, "noise=varying");
        una_model_free(model);

        snprintf(spec, sizeof spec, "%s%snoise_std=0.5)", specs[i], comma);
        model = fitted(spec, data, NULL, run);
        assert_near(noise_at(model, 1.9, run), 0.5, 1e-9, 0);
        assert_near(noise_at(model, -1.9, run), 0.5, 1e-9, 0);
        assert_says(una_model_info(model)->spec, "noise=constant");
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- single kinds ---------------------------------------------------------------------------------------------- */

/* Networks that differ are what ignorance a plain network can have. */
static void networks_that_differ(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("nn(width=6, steps=40, members=5)", data, NULL, run);
    double x[] = { 0, 0 }, std, mean, f[5 * 60], sum = 0;
    size_t count;
    una_prediction out = { .size = sizeof out, .mean = &mean, .std_epistemic = &std };
    assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    assert_true(std > 0);
    assert_ok(una_model_functions(model, data, &count, f, run), run);
    assert_int_equal(count, 5);
    double *p = predicted(model, data, run);
    for (size_t m = 0; m < 5; m++) sum += members_of(model)->at[m].weight * f[m * 60];
    assert_near(p[0], sum, 1e-9, 0);
    free(p);
    assert_status(una_model_update(model, data, run), UNA_E_USAGE, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Around the weights that training ended with: the noise and prior variance that were given, and no update. */
static void heads_of_sngp(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    static const char *const heads[] = { "laplace", "gp", "exact" };
    for (size_t i = 0; i < 3; i++) {
        char spec[160];
        double doubt[2];
        for (int k = 0; k < 2; k++) {
            snprintf(spec, sizeof spec, "sngp(width=5, features=12, steps=20, members=3, head=%s, prior_var=%g)",
                     heads[i], k ? 1. : 1e-4);
            una_model *model = fitted(spec, data, NULL, run), *copy = copied_model(model, run);
            assert_same_predictions(model, copy, data, 0, run);
            double *p = predicted(model, data, run);
            doubt[k] = p[120];
            free(p);
            una_model_free(copy);
            una_model_free(model);
        }
        assert_true(doubt[0] < doubt[1]);                                /* a narrow prior knows more */
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* Pseudo-data shows y to the features: no row is left to learn a shape from, and it says so. */
static void pseudo_data_leaves_no_row(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = fan_data(60, run);
    char spec[512];
    const char *path = temp_text_file("pseudo.csv", "x1,x2,a,b\n-3,0,1,2\n3,0,-1,0\n0,3,1,1\n");
    snprintf(spec, sizeof spec, "tuna(width=6, steps=30, pseudo=\"%s\")", path);
    una_model *model = fitted(spec, data, NULL, run);
    const una_fit_info *info = una_model_info(model);
    bool noted = false;
    for (size_t i = 0; i < info->note_count; i++) noted = noted || strstr(info->notes[i], "The noise is constant");
    assert_true(noted);
    assert_near(noise_at(model, 1.9, run), noise_at(model, -1.9, run), 1e-12, 0);
    una_model_free(model);
    snprintf(spec, sizeof spec, "tuna(width=6, steps=30, noise=varying, pseudo=\"%s\")", path);
    assert_status(una_fit(&model, spec, data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "use noise=constant");
    una_dataset_free(data);
    una_run_free(run);
}

/* An ensemble is of single trainings with one noise, unless its spec says otherwise. */
static void ensembles_are_of_single_trainings(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("ensemble(members=2, of=luna(width=5, heads=2, steps=10))", data, NULL, run);
    for (size_t m = 0; m < 2; m++) {
        const una_members *inner = members_of(model)->at[m].state;
        assert_int_equal(inner->count, 1);
        assert_null(inner->noise);
    }
    una_model_free(model);
    model = fitted("ensemble(members=2, of=nn(width=5, steps=10, members=3))", data, NULL, run);
    assert_int_equal(una_calls(model->kind)->mixture(model->state), 6);
    una_model *copy = copied_model(model, run);
    assert_same_predictions(model, copy, data, 0, run);
    una_model_free(copy);
    una_model_free(model);

    static const struct { const char *spec, *says; } wrong[] = {
        { "ensemble(of=nn(noise=varying))", "an ensemble has one noise" },
        { "ensemble(style=anchored, members=2, of=nn(steps=5, members=3))", "leave members out" },
        { "hmc(relevance=on, scaling=own)", "give up one of them" } };
    for (size_t i = 0; i < 3; i++) {
        assert_status(una_fit(&model, wrong[i].spec, data, NULL, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), wrong[i].says);
    }
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(specs_repeat_the_fit),
        cmocka_unit_test(updates_are_posteriors_of_all_rows),
        cmocka_unit_test(held_out_rows_join),
        cmocka_unit_test(repeats_of_luna_vary),
        cmocka_unit_test(relevance_in_every_other_repeat),
        cmocka_unit_test(scales_do_not_know_the_fold),
        cmocka_unit_test(weights_as_asked),
        cmocka_unit_test(noise_that_varies),
        cmocka_unit_test(networks_that_differ),
        cmocka_unit_test(heads_of_sngp),
        cmocka_unit_test(pseudo_data_leaves_no_row),
        cmocka_unit_test(ensembles_are_of_single_trainings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
