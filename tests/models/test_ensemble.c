/* SPDX-License-Identifier: MIT
 *
 * Ensembles: one member is that member, moments are those of the members, rows are resampled, anchors hold, the noise
 * is the best of the mixture, updates reach all members or none, and what cannot be is refused with a sentence.
 */
#include "committee/members.h"
#include "models/quick.h"

#include "nn/anchor.h"
#include "nn/net.h"

extern const una_kind una_kind_ensemble;

static const una_fit_settings held_out = { .size = sizeof held_out, .valid_fraction = 0.2 };

static double bump(double x) { return x * x * x / 9; }

/* ---- members ---------------------------------------------------------------------------------------------- */

static void one_member_is_that_member(void **state)
{
    (void)state;
    static const char *const kinds[] = { "nn(width=6, steps=40)", "nlm(width=6, steps=40, members=1)",
                                         "linear(degree=2, noise=constant)" };
    una_run *run = quiet_run();
    for (size_t i = 0; i < 3; i++)
        for (size_t rows = 60; rows <= 220; rows += 160) {               /* folds, and rows held out */
            char spec[128];
            if (i == 2 && rows == 220) continue;                         /* linear alone holds no rows out */
            una_dataset *data = wave_data(rows, 0, run);
            snprintf(spec, sizeof spec, "ensemble(members=1, of=%s)", kinds[i]);
            una_model *alone = fitted(kinds[i], data, NULL, run), *one = fitted(spec, data, NULL, run);

            double *a = predicted(alone, data, run), *b = predicted(one, data, run);
            if (i != 1) assert_memory_equal(a, b, rows * sizeof *a);
            assert_arrays_near(b, a, rows, 1e-6, 1e-9); /* nlm takes the held-out rows in by an update ... */
            if (i == 1) assert_arrays_near(b + 2 * rows, a + 2 * rows, rows, 0.5, 0);    /* ... at its own noise */
            else assert_arrays_near(b + 2 * rows, a + 2 * rows, rows, 1e-12, 0);

            free(a);
            free(b);
            una_model_free(alone);
            una_model_free(one);
            una_dataset_free(data);
        }
    una_run_free(run);
}

/* Mean and population variance of the parts; the likelihood is the mixture's. */
static void moments_are_those_of_the_members(void **state)
{
    (void)state;
    enum { ROWS = 50, MEMBERS = 4 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("ensemble(members=4, of=nn(width=6, steps=40))", data, &held_out, run);
    size_t count = 0;
    assert_ok(una_model_functions(model, data, &count, NULL, run), run);
    assert_int_equal(count, MEMBERS);
    assert_int_equal(una_calls(model->kind)->mixture(model->state), MEMBERS);

    double f[MEMBERS * ROWS], *p = predicted(model, data, run);
    assert_ok(una_model_functions(model, data, &count, f, run), run);
    for (size_t r = 0; r < ROWS; r++) {
        double mean = 0, square = 0;
        for (size_t m = 0; m < MEMBERS; m++) mean += f[m * ROWS + r] / MEMBERS;
        for (size_t m = 0; m < MEMBERS; m++) square += pow(f[m * ROWS + r] - mean, 2) / MEMBERS;
        assert_near(p[r], mean, 1e-9, 1e-9);
        assert_near(p[2 * ROWS + r], sqrt(square), 1e-9, 0);
    }

    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* The parts that a score asks for: a block larger than is asked of members at a time gives what one row gives. */
static void parts_of_the_predictive(void **state)
{
    (void)state;
    enum { ROWS = 1500, MEMBERS = 3 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("ensemble(members=3, of=nlm(width=5, steps=20))", data, NULL, run);
    double *x = malloc(ROWS * 2 * sizeof *x), *out = malloc(ROWS * (3 + 2 * MEMBERS) * sizeof *out);
    double one[3 + 2 * MEMBERS];
    assert_true(x && out);

    for (size_t i = 0; i < 2 * ROWS; i++) x[i] = sin((double)i);
    una_predictive all = { .mean = out, .var_model = out + ROWS, .var_noise = out + 2 * ROWS, .parts = MEMBERS,
                           .part_mean = out + 3 * ROWS, .part_var = out + (3 + MEMBERS) * ROWS };
    assert_ok(una_calls(model->kind)->predict(model->state, (una_view){ x, ROWS, 2, 2 }, &all, run), run);

    for (size_t r = 0; r < ROWS; r += 83) {
        una_predictive row = { .mean = one, .var_model = one + 1, .var_noise = one + 2, .parts = MEMBERS,
                               .part_mean = one + 3, .part_var = one + 3 + MEMBERS };
        assert_ok(una_calls(model->kind)->predict(model->state, (una_view){ x + 2 * r, 1, 2, 2 }, &row, run), run);
        assert_memory_equal(row.part_mean, all.part_mean + r * MEMBERS, MEMBERS * sizeof *one);
        assert_memory_equal(row.part_var, all.part_var + r * MEMBERS, MEMBERS * sizeof *one);
        double var = 0;
        for (size_t m = 0; m < MEMBERS; m++) var += (pow(one[3 + m] - one[0], 2) + one[3 + MEMBERS + m]) / MEMBERS;
        assert_near(one[1] + one[2], var, 1e-12, 0);
    }

    free(x);
    free(out);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Members that are mixtures: their parts, with the ensemble's noise, are those of the ensemble. */
static void parts_of_members_that_are_mixtures(void **state)
{
    (void)state;
    enum { ROWS = 30, MEMBERS = 3, PASSES = 4, PARTS = MEMBERS * PASSES };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("ensemble(members=3, of=mcd(width=6, steps=40, passes=4))", data, NULL, run);
    const una_members *all = model->state;
    assert_int_equal(una_calls(model->kind)->mixture(model->state), PARTS);

    double x[2] = { 0.4, -0.3 }, f[PASSES], moments[3], mean[PARTS], var[PARTS], weight[PARTS];
    una_view at = { x, 1, 2, 2 };
    una_predictive out = { .mean = moments, .var_model = moments + 1, .var_noise = moments + 2, .parts = PARTS,
                           .part_mean = mean, .part_var = var, .part_weight = weight };
    assert_ok(una_calls(model->kind)->predict(model->state, at, &out, run), run);

    double middle = 0, square = 0;
    for (size_t m = 0; m < MEMBERS; m++) {
        size_t count;
        assert_ok(all->at[m].calls->functions(all->at[m].state, at, &count, f, run), run);
        assert_int_equal(count, PASSES);
        assert_arrays_near(mean + m * PASSES, f, PASSES, 1e-12, 0);
        for (size_t k = 0; k < PASSES; k++) middle += f[k] / PARTS;
    }
    for (size_t k = 0; k < PARTS; k++) {
        square += pow(mean[k] - middle, 2) / PARTS;
        assert_near(weight[k], 1.0 / PARTS, 1e-15, 0);
        assert_near(var[k], all->noise_var, 1e-15, 0);
    }
    assert_near(moments[0], middle, 1e-12, 0);
    assert_near(moments[1], square, 1e-10, 0);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void *saved_bytes(const char *spec, const una_fit_settings *settings, int threads, size_t *size)
{
    una_run *run = quiet_run_threads(threads);
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted(spec, data, settings, run);
    void *bytes = NULL, *copy = NULL;

    assert_ok(una_model_save_memory(model, &bytes, size, run), run);
    copy = malloc(*size);
    assert_non_null(copy);
    memcpy(copy, bytes, *size);

    una_memory_free(bytes, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    return copy;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    static const char *const styles[] = { "plain", "bootstrap", "anchored" };
    for (size_t i = 0; i < 3; i++)
        for (int folds = 0; folds <= 1; folds++) {
            char spec[128];
            size_t a_size, b_size;
            snprintf(spec, sizeof spec, "ensemble(style=%s, members=5, of=nn(width=5, steps=20, batch=16))", styles[i]);

            const una_fit_settings *settings = folds ? NULL : &held_out;
            void *a = saved_bytes(spec, settings, 1, &a_size), *b = saved_bytes(spec, settings, 2, &b_size);
            assert_int_equal(a_size, b_size);
            assert_memory_equal(a, b, a_size);
            free(a);
            free(b);
        }
}

/* Members of a plain ensemble of a model without chance are one; resampled rows tell them apart,
 * around the same mean. */
static void bootstrap_resamples_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(150, 0, run);
    una_model *alone = fitted("linear(degree=2, noise_std=0.3, prior_var=1)", data, NULL, run);
    una_model *plain = fitted("ensemble(members=3, of=linear(degree=2, noise_std=0.3, prior_var=1))", data, NULL, run);
    una_model *boot = fitted("ensemble(style=bootstrap, members=200, of=linear(degree=2, noise_std=0.3, prior_var=1))",
                             data, NULL, run);

    double x[2] = { 0.5, -0.5 }, mean[3], std[3];
    una_model *models[] = { alone, plain, boot };
    for (size_t i = 0; i < 3; i++) {
        una_prediction out = { .size = sizeof out, .mean = &mean[i], .std_epistemic = &std[i] };
        assert_ok(una_model_predict_rows(models[i], x, 1, 0.95, &out, run), run);
        una_model_free(models[i]);
    }

    assert_near(mean[1], mean[0], 1e-12, 0);
    assert_near(std[1], std[0], 1e-12, 0);
    assert_true(std[2] > 1.1 * std[0]);
    assert_near(mean[2], mean[0], 0, 0.5 * std[2]);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- anchors ---------------------------------------------------------------------------------------------- */

/* Drawn with the variance asked for, nothing in the padding; pulling with weight |theta - anchor|^2. */
static void anchors_are_a_penalty(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_net net = { .depth = 1, .size = { 20, 50, 1 }, .activation = UNA_RELU };
    una_net_shape(&net);
    double *anchor = UNA_GET(&arena, double, net.parameters), *at = UNA_GET(&arena, double, net.parameters);
    double *gradient = UNA_GET(&arena, double, net.parameters), square = 0, expected = 0;
    assert_ok(una_arena_check(&arena), run);

    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
    una_anchor_draw_f64(una_net_matrix, &net, 0.25, &rng, anchor);
    for (size_t i = 0; i < net.parameters; i++) square += anchor[i] * anchor[i];
    assert_near(square / (double)una_matrices_packed(una_net_matrix, &net), 0.25, 0.15, 0);
    for (size_t i = 0; i <= 20; i++)
        for (size_t j = 50; j < UNA_PADDED(50); j++) assert_true(anchor[i * UNA_PADDED(50) + j] == 0);

    for (size_t i = 0; i < net.parameters; i++) {
        at[i] = 0.001 * (double)i;
        gradient[i] = 1;
        expected += 0.3 * (at[i] - anchor[i]) * (at[i] - anchor[i]);
    }
    assert_near(una_anchor_add_f64(net.parameters, 0.3, at, anchor, gradient), expected, 1e-12, 0);
    for (size_t i = 0; i < net.parameters; i += 37) assert_near(gradient[i], 1 + 0.6 * (at[i] - anchor[i]), 1e-12, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

static void anchors_hold_and_let_go(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(bump, -3, 3, 0.05, 60, run);
    /* Rows not trusted at all: every member ends at its anchor, and the ensemble is the prior. */
    una_model *held = fitted("ensemble(style=anchored, members=8, anchor_noise_var=1000000, of=nn(width=20, "
                             "steps=1500, rate=0.01, rate_schedule=constant))", data, &held_out, run);
    una_model *loose = fitted("ensemble(style=anchored, members=8, anchor_noise_var=0.001, of=nn(width=20, steps=1500, "
                              "rate=0.01))", data, &held_out, run);

    assert_true(una_model_info(loose)->valid_rmse < 0.3);
    assert_true(una_model_info(held)->valid_rmse > 2 * una_model_info(loose)->valid_rmse);
    assert_true(std_between(held, -2, 2, run) > 3 * std_between(loose, -2, 2, run));
    /* beyond the rows the prior is back */
    assert_true(std_between(loose, 6, 7, run) > 3 * std_between(loose, -2, 2, run));
    assert_int_equal(una_model_info(held)->curve.count, una_model_info(loose)->curve.count);

    una_model_free(held);
    una_model_free(loose);
    una_dataset_free(data);
    una_run_free(run);
}

/* |y - f|^2/N + sigma_eps^2/sigma_prior^2 |theta - anchor|^2/N: every row twice and sigma_eps^2 twice as large is the
 * same objective, so the same network comes out. */
static void anchors_weigh_less_with_more_rows(void **state)
{
    (void)state;
    enum { COUNT = 40, ASKED = 5 };
    una_run *run = quiet_run();
    una_dataset *once = curve_data(bump, -3, 3, 0.2, COUNT, run), *valid = curve_data(bump, -3, 3, 0.2, 20, run);
    una_dataset *twice = NULL;
    const una_fit_settings settings = { .size = sizeof settings, .valid = valid };
    double x[2 * COUNT], y[2 * COUNT], at[ASKED] = { -2.5, -1, 0, 1.2, 2.8 }, mean[2][ASKED];
    for (size_t i = 0; i < 2 * COUNT; i++) {
        x[i] = una_dataset_numbers(once, 0)[i / 2];
        y[i] = una_dataset_numbers(once, 1)[i / 2];
    }
    const char *const names[] = { "x", "y" };
    assert_ok(una_dataset_from_arrays(&twice, x, y, 2 * COUNT, 1, names, run), run);

    for (int k = 0; k < 2; k++) {
        char spec[160];
        snprintf(spec, sizeof spec, "ensemble(style=anchored, members=1, anchor_noise_var=%g, of=nn(width=8, "
                 "steps=80))", k ? 0.2 : 0.1);
        una_model *model = fitted(spec, k ? twice : once, &settings, run);
        una_prediction out = { .size = sizeof out, .mean = mean[k] };
        assert_ok(una_model_predict_rows(model, at, ASKED, 0.95, &out, run), run);
        una_model_free(model);
    }

    assert_arrays_near(mean[1], mean[0], ASKED, 0, 2e-4);
    una_dataset_free(once);
    una_dataset_free(twice);
    una_dataset_free(valid);
    una_run_free(run);
}

static void gaps_are_seen(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run_threads(2);
    una_dataset *data = NULL;
    assert_ok(una_dataset_synthetic(&data, "cubic", 100, 1, 0, run), run);
    una_model *model = fitted("ensemble(style=bootstrap, members=10, of=nn(width=30, steps=1500, rate=0.01))", data,
                              &held_out, run);
    assert_true(std_between(model, -1, 1, run) > std_between(model, 2.5, 3.5, run));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- noise ------------------------------------------------------------------------------------------------ */

static double log_lik_at(double noise_std, const una_dataset *data, una_run *run)
{
    char spec[128];
    snprintf(spec, sizeof spec, "ensemble(members=3, noise_std=%.17g, of=nn(width=6, steps=200))", noise_std);
    una_model *model = fitted(spec, data, &held_out, run);
    double log_lik = una_model_info(model)->valid_log_lik;
    una_model_free(model);
    return log_lik;
}

/* The chosen noise is one standard error above the best, and no other is better than that best. */
static void noise_is_the_best_of_the_mixture(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(100, 0, run);
    una_model *model = fitted("ensemble(members=3, of=nn(width=6, steps=200))", data, &held_out, run);

    double chosen = una_model_info(model)->noise_std, best = chosen * exp(-0.5 * sqrt(2.0 / 20));
    assert_near(log_lik_at(chosen, data, run), una_model_info(model)->valid_log_lik, 1e-9, 0);
    double top = log_lik_at(best, data, run);
    assert_true(top >= log_lik_at(0.97 * best, data, run) && top >= log_lik_at(1.03 * best, data, run));
    assert_true(top > log_lik_at(0.7 * best, data, run) && top > log_lik_at(1.4 * best, data, run));
    una_model_free(model);

    model = fitted("ensemble(members=2, noise_std=0.5, units=standardised, of=linear)", data, NULL, run);
    assert_near(una_model_info(model)->noise_std, 0.5 * model->columns.target_scale, 1e-12, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- sentences -------------------------------------------------------------------------------------------- */

static void refused(const char *spec, una_status wanted, const char *says, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    assert_status(una_fit(&model, spec, data, NULL, run), wanted, run);
    assert_null(model);
    assert_says(una_run_message(run), says);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run);

    refused("ensemble(members=0)", UNA_E_USAGE, "members", data, run);
    refused("ensemble(of=ensemble)", UNA_E_USAGE, "of=ensemble is not possible", data, run);
    refused("ensemble(of=lunar)", UNA_E_USAGE, "of=lunar names no model", data, run);
    refused("ensemble(of=nn(widht=4))", UNA_E_USAGE, "nn has no option 'widht'", data, run);
    refused("ensemble(of=nn(width=0))", UNA_E_USAGE, "width", data, run);
    refused("ensemble(of=\"nn(width\")", UNA_E_USAGE, "cannot be read", data, run);
    refused("ensemble(of=a(b=c(d=e(f=g(h=1)))))", UNA_E_USAGE, "four deep", data, run);
    refused("ensemble(style=anchored, of=nlm)", UNA_E_USAGE, "style=anchored needs of=nn, not of=nlm", data, run);
    refused("ensemble(epochs=3, of=linear)", UNA_E_USAGE, "linear has no option 'epochs'", data, run);
    refused("ensemble(members=2, of=ensemble(of=nn))", UNA_E_USAGE, "raise members", data, run);

    una_dataset_free(data);
    una_run_free(run);
}

static void epochs_reach_the_members(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("ensemble(members=2, epochs=7, of=nn(width=4, steps=5000))", data, &held_out, run);
    assert_int_equal(una_model_info(model)->steps, 14);
    una_model_free(model);

    model = fitted("ensemble(style=anchored, of=nn(width=3, steps=4))", data, &held_out, run);
    assert_non_null(strstr(una_model_info(model)->spec, "members=5"));
    una_model_free(model);

    model = fitted("ensemble(of=nn(width=3, steps=4))", data, &held_out, run);
    assert_non_null(strstr(una_model_info(model)->spec, "members=20"));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- updates ---------------------------------------------------------------------------------------------- */

static void update_reaches_all_members(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run), *more = wave_data(8, 900, run);
    una_model *network = fitted("ensemble(members=2, of=nn(width=4, steps=10))", data, NULL, run);
    assert_status(una_model_update(network, more, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "nn has no exact update: fit it again");
    una_model_free(network);

    una_model *one = fitted("nlm(width=5, steps=30, members=1)", data, NULL, run);
    una_model *many = fitted("ensemble(members=3, of=nlm(width=5, steps=30))", data, NULL, run);
    size_t count;
    double before[3 * 8], after[3 * 8], alone[8];

    assert_ok(una_model_functions(many, more, &count, before, run), run);
    assert_ok(una_model_update(many, more, run), run);
    assert_ok(una_model_update(one, more, run), run);
    assert_ok(una_model_functions(many, more, &count, after, run), run);
    una_prediction out = { .size = sizeof out, .mean = alone };
    assert_ok(una_model_predict(one, more, 0.95, &out, run), run);
    for (size_t i = 0; i < 24; i++) assert_true(before[i] != after[i]);
    assert_arrays_near(after, alone, 8, 1e-9, 1e-9);     /* the first member is the one that was fitted alone */

    una_model_free(one);
    una_model_free(many);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

typedef struct update_job { const una_dataset *data, *more; const void *bytes; size_t size; } update_job;

/* Whatever allocation fails, all members have the rows or none has. */
static una_status update_with_little_memory(void *context, una_run *run)
{
    const update_job *job = context;
    una_model *model = NULL;
    una_status status = una_model_load_memory(&model, job->bytes, job->size, run);
    if (status == UNA_OK) {
        una_run *calm = quiet_run();
        double *before = predicted(model, job->data, calm);
        status = una_model_update(model, job->more, run);
        double *after = predicted(model, job->data, calm);
        if (status != UNA_OK) assert_memory_equal(before, after, 6 * una_dataset_row_count(job->data) * sizeof *before);
        free(before);
        free(after);
        una_run_free(calm);
    }

    una_model_free(model);
    return status;
}

static void updates_are_all_or_nothing(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run), *more = wave_data(300, 900, run);
    una_model *model = fitted("ensemble(members=3, of=nlm(width=40, depth=1, steps=2))", data, NULL, run);
    update_job job = { .data = data, .more = more };
    void *bytes = NULL;

    assert_ok(una_model_save_memory(model, &bytes, &job.size, run), run);
    job.bytes = bytes;
    assert_true(sweep_allocations(update_with_little_memory, &job) > 10);

    una_memory_free(bytes, run);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* Many small updates do not pile up memory. */
static void updates_do_not_grow(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run), *more = wave_data(1, 900, run);
    una_model *model = fitted("ensemble(members=3, of=nlm(width=4, steps=5))", data, NULL, run);
    assert_ok(una_model_update(model, more, run), run);
    uint64_t used = run->used;
    for (int i = 0; i < 20; i++) assert_ok(una_model_update(model, more, run), run);
    assert_int_equal(run->used, used);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

/* Saves `state` as it is and loads it again; what saving already refuses is UNA_E_NUMERIC. */
static void refused_state(una_members *state, una_status wanted, const char *says, una_run *run)
{
    una_arena arena;
    una_archive out = {0}, in = {0};
    una_arena_init(&arena, run);
    assert_ok(una_archive_save_begin(&out, "{}", &arena, run), run);
    out.inputs = 2;

    una_status status = una_kind_ensemble.exchange(state, &out);
    if (status == UNA_OK) {
        assert_ok(una_archive_save_end(&out), run);
        assert_ok(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, &arena, run), run);
        in.inputs = 2;
        void *other = una_arena_get(&arena, 1, sizeof(una_members));
        assert_non_null(other);
        status = una_kind_ensemble.exchange(other, &in);
    }

    assert_int_equal(status, wanted);
    if (says) assert_says(una_run_message(run), says);
    una_arena_free(&arena);
}

static void damaged_states_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("ensemble(members=2, of=linear)", data, NULL, run);
    una_members good = *(una_members *)model->state, bad = good;
    refused_state(&bad, UNA_OK, NULL, run);
    bad.count = 0;
    refused_state(&bad, UNA_E_NUMERIC, "members", run);

    una_member inner = { .kind = &una_kind_ensemble, .calls = &una_kind_ensemble, .state = &good, .weight = 1 };
    bad = good;
    bad.count = 1;
    bad.at = &inner;
    refused_state(&bad, UNA_E_NUMERIC, "is an ensemble in an ensemble", run);

    una_kind renamed = *good.at[0].kind;
    renamed.name = "stranger";
    inner = (una_member){ .kind = &renamed, .calls = una_calls(&renamed), .state = good.at[0].state, .weight = 1 };
    refused_state(&bad, UNA_E_INPUT, "names a model that this una does not have", run);

    bad = good;
    bad.noise_var = 0;
    refused_state(&bad, UNA_E_NUMERIC, "is not positive", run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Slopes of members that know none are taken by differences. */
static void slopes_of_linear_members(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("ensemble(style=bootstrap, members=4, of=linear)", data, NULL, run);
    double x[2] = { 0.3, 0.4 }, dmean[2], dstd[2], at[4] = { 0.2, 0.4, 0.4, 0.4 }, mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_slope(model, x, dmean, dstd, run), run);
    assert_ok(una_model_predict_rows(model, at, 2, 0.95, &out, run), run);
    assert_near(dmean[0], (mean[1] - mean[0]) / 0.2, 1e-6, 0);           /* straight, so any step will do */
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- draws -------------------------------------------------------------------------------------------------- */

/* Members that cannot draw: every draw is one of the parts, each of them about equally often, the same
 * ones by the seed. */
static void draws_are_members(void **state)
{
    (void)state;
    enum { ROWS = 50, MEMBERS = 4, DRAWS = 2000 };
    una_run *run = quiet_run(), *seeded = NULL;
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("ensemble(members=4, of=nn(width=6, steps=40))", data, &held_out, run);
    static double f[DRAWS * ROWS], again[DRAWS * ROWS];
    double part[MEMBERS * ROWS];
    size_t count, times[MEMBERS] = {0}, moved = 0;

    assert_ok(una_model_functions(model, data, &count, part, run), run);
    assert_ok(una_model_draw(model, data, DRAWS, 0, f, run), run);
    for (size_t k = 0; k < DRAWS; k++) {
        size_t m = 0;
        while (m < MEMBERS && memcmp(f + k * ROWS, part + m * ROWS, ROWS * sizeof *f) != 0) m++;
        assert_true(m < MEMBERS);
        times[m]++;
    }
    for (size_t m = 0; m < MEMBERS; m++) assert_true(times[m] > 400 && times[m] < 600);

    assert_ok(una_model_draw(model, data, 7, 0, again, run), run);       /* fewer draws are the first of many */
    assert_memory_equal(again, f, 7 * ROWS * sizeof *f);
    assert_ok(una_run_new(&seeded, &SIZED(una_run_settings, .threads = 1, .seed = 9)), NULL);
    assert_ok(una_model_draw(model, data, DRAWS, 0, again, seeded), seeded);
    for (size_t k = 0; k < DRAWS; k++) moved += memcmp(again + k * ROWS, f + k * ROWS, ROWS * sizeof *f) != 0;
    assert_true(moved > DRAWS / 2);

    assert_status(una_model_draw(model, data, 1, 1, f, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "nn has no prior to draw functions from");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(seeded);
    una_run_free(run);
}

/* Members that can: one alone draws as it does, two do not share their random numbers. */
static void members_draw_for_themselves(void **state)
{
    (void)state;
    enum { ROWS = 30, DRAWS = 400 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *alone = fitted("linear(degree=2, noise_std=0.3)", data, NULL, run);
    una_model *one = fitted("ensemble(members=1, of=linear(degree=2, noise_std=0.3))", data, NULL, run);
    una_model *two = fitted("ensemble(members=2, of=linear(degree=2, noise_std=0.3))", data, NULL, run);
    static double a[DRAWS * ROWS], b[DRAWS * ROWS];

    for (int prior = 0; prior <= 1; prior++) {
        assert_ok(una_model_draw(alone, data, DRAWS, prior, a, run), run);
        assert_ok(una_model_draw(one, data, DRAWS, prior, b, run), run);
        assert_arrays_near(b, a, DRAWS * ROWS, 1e-9, 1e-9);
        assert_int_equal(run->settings.seed, 0);

        /* two members alike: as many different functions */
        assert_ok(una_model_draw(two, data, DRAWS, prior, b, run), run);
        for (size_t k = 1; k < DRAWS; k++)
            for (size_t l = 0; l < k; l++) assert_true(b[k * ROWS] != b[l * ROWS]);
    }

    una_model_free(alone);
    una_model_free(one);
    una_model_free(two);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member_is_that_member),
        cmocka_unit_test(moments_are_those_of_the_members),
        cmocka_unit_test(parts_of_the_predictive),
        cmocka_unit_test(parts_of_members_that_are_mixtures),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(bootstrap_resamples_rows),
        cmocka_unit_test(anchors_are_a_penalty),
        cmocka_unit_test(anchors_hold_and_let_go),
        cmocka_unit_test(anchors_weigh_less_with_more_rows),
        cmocka_unit_test(gaps_are_seen),
        cmocka_unit_test(noise_is_the_best_of_the_mixture),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(epochs_reach_the_members),
        cmocka_unit_test(update_reaches_all_members),
        cmocka_unit_test(updates_are_all_or_nothing),
        cmocka_unit_test(updates_do_not_grow),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(slopes_of_linear_members),
        cmocka_unit_test(draws_are_members),
        cmocka_unit_test(members_draw_for_themselves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
