/* SPDX-License-Identifier: MIT
 *
 * The model gp: what the evidence chooses, grids, amplitude and units, inputs that do not matter, noise that varies,
 * text columns, and the sentences for settings that cannot be. Numbers of the process itself are tested in
 * tests/gp/test_gp.c.
 */
#include "quick.h"

#include "gp/gp.h"
#include "la/la.h"

static double wave(double x)
{
    return sin(2 * x);
}

static const una_gp *gp_of(const una_model *model)
{
    return member_state(model);
}

static double evidence_of(const char *spec, const una_dataset *data, una_run *run)
{
    una_model *model = fitted(spec, data, NULL, run);
    double evidence = una_model_info(model)->log_evidence;
    una_model_free(model);
    return evidence;
}

static bool noted(const una_model *model, const char *part)
{
    const una_fit_info *info = una_model_info(model);
    for (size_t i = 0; i < info->note_count; i++)
        if (strstr(info->notes[i], part)) return true;
    return false;
}

/* The truth's noise is found, and no other numbers nearby have more evidence. */
static void evidence_chooses(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, 120, run);
    una_model *model = fitted("gp(search_rows=0)", data, NULL, run);
    const una_fit_info *info = una_model_info(model);
    assert_near(info->noise_std, 0.1, 0.25, 0);
    assert_true(info->steps > 3 && isfinite(info->prior_var) && isnan(info->mean_cos2));

    const una_gp *gp = gp_of(model);
    double best = info->log_evidence, length = gp->kernel->parameter[1], var = gp->kernel->parameter[0];
    double s = sqrt(gp->noise_var);
    static const double by[] = { 0.97, 1.03 };
    for (size_t i = 0; i < 6; i++) {
        char spec[256];
        snprintf(spec, sizeof spec, "gp(kernel=rbf(var=%.17g, length=%.17g), noise_std=%.17g, optimise=no, "
                 "units=standardised)", var * (i < 2 ? by[i] : 1), length * (i / 2 == 1 ? by[i % 2] : 1),
                 s * (i / 2 == 2 ? by[i % 2] : 1));
        assert_true(evidence_of(spec, data, run) < best);
    }

    assert_true(std_between(model, 4, 6, run) > 5 * std_between(model, -2, 2, run));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* With a prior on log lengths the length is where evidence and prior together are largest: its neighbours, whose
 * evidence stands alone, say so, and the prior has moved it. */
static void prior_on_lengths(void **state)
{
    (void)state;
    const double width = 0.2, written = 3, step = 1e-3;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, 60, run);
    una_model *model = fitted("gp(kernel=rbf(length=3), length_prior=0.2, amplitude=1, noise_std=0.2, "
                              "units=standardised)", data, NULL, run);
    double length = gp_of(model)->kernel->parameter[1], value[3];

    for (int k = 0; k < 3; k++) {
        char spec[160];
        double at = length * exp((k - 1) * step), away = log(at / written) / width;
        snprintf(spec, sizeof spec, "gp(kernel=rbf(length=%.17g), optimise=no, amplitude=1, noise_std=0.2, "
                 "units=standardised)", at);
        value[k] = evidence_of(spec, data, run) - away * away / 2;
    }

    double slope = (value[2] - value[0]) / (2 * step), bend = (value[2] - 2 * value[1] + value[0]) / (step * step);
    assert_true(bend < 0);
    assert_near(slope / bend, 0, 0, 2e-5);               /* where the top lies, from here */
    assert_true(length < 0.9 * written);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void starts_and_priors(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(70, 0, run);
    double one = evidence_of("gp(kernel=rbf(length=0.01))", data, run);
    double four = evidence_of("gp(kernel=rbf(length=0.01), restarts=4)", data, run);
    assert_true(four >= one - 1e-9);
    assert_true(four > evidence_of("gp(optimise=no)", data, run));

    una_model *free = fitted("gp(ard=no)", data, NULL, run);
    una_model *held = fitted("gp(ard=no, length_prior=0.001, kernel=rbf(length=3))", data, NULL, run);
    const una_columns *c = &held->columns;
    /* a tight prior holds the length */
    assert_near(gp_of(held)->kernel->parameter[1] * c->inputs[0].scale, 3, 0.02, 0);
    assert_true(una_model_info(free)->log_evidence > una_model_info(held)->log_evidence);
    assert_near(gp_of(held)->kernel->parameter[1] / gp_of(held)->kernel->parameter[2],
                c->inputs[1].scale / c->inputs[0].scale, 1e-9, 0);                         /* ratios stay without ard */

    una_model_free(free);
    una_model_free(held);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- evidence of some rows ------------------------------------------------------------------------------------- */

enum { ALL = 150, SOME = 60 };

/* Encoded rows; the first SOME of a shuffle stand in `some`. */
static void take_rows(una_problem *all, una_problem *some, const una_model *like, const una_dataset *data, una_run *run)
{
    double *x, *y, *sx = UNA_GET(&run->scratch, double, 2 * SOME), *sy = UNA_GET(&run->scratch, double, SOME);
    size_t rows;
    uint32_t order[ALL];
    una_rng rng = una_rng_at(5, UNA_FOR_SPLIT, 3);
    assert_ok(una_columns_encode(&like->columns, data, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch), run);
    for (uint32_t i = 0; i < ALL; i++) order[i] = i;
    una_rng_permute(&rng, order, ALL);
    for (size_t i = 0; i < SOME; i++) {
        memcpy(sx + 2 * i, x + 2 * order[i], 2 * sizeof *sx);
        sy[i] = y[order[i]];
    }
    *all = (una_problem){ .x = { x, rows, 2, 2 }, .y = y, .outputs = 1, .columns = &like->columns, .seed = 5 };
    *some = *all;
    some->x = (una_view){ sx, SOME, 2, 2 };
    some->y = sy;
}

static const una_gp *fit_gp(const char *text, const una_problem *p, double *evidence, una_run *run)
{
    const una_kind *kind = una_kind_find("gp");
    una_spec spec;
    una_arena *keep = &run->scratch;
    void *options = una_arena_get(keep, 1, kind->options_size);
    una_members *m = una_arena_get(keep, 1, sizeof *m);
    una_fit_result result = una_fit_result_in(keep);
    assert_ok(una_options_default(options, kind->options, run), run);
    assert_ok(una_spec_parse(&spec, text, keep, run), run);
    assert_ok(una_options_apply(options, kind->options, "gp", &spec, keep, run), run);
    una_fit_target target = { m, options, &result };
    assert_ok(una_calls(kind)->fit(&(una_fitting){ .kind = kind, .problem = p, .target = &target, .keep = keep,
                                                   .run = run }), run);
    *evidence = result.log_evidence;
    return m->at[0].state;
}

/* Numbers are those that a process of these rows alone finds; the posterior is of all rows. */
static void some_rows_choose_for_all(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ALL, 0, run);
    una_model *like = fitted("linear", data, NULL, run);
    una_problem all, some;
    double of_all, of_some, of_each;
    take_rows(&all, &some, like, data, run);
    const una_gp *gp = fit_gp("gp(search_rows=60, noise=constant)", &all, &of_all, run);
    const una_gp *alone = fit_gp("gp(noise=constant)", &some, &of_some, run);
    const una_gp *whole = fit_gp("gp(noise=constant)", &all, &of_each, run);

    assert_int_equal(gp->rows, ALL);
    assert_int_equal(alone->rows, SOME);
    assert_near(gp->noise_var, alone->noise_var, 1e-12, 0);
    assert_arrays_near(gp->kernel->parameter, alone->kernel->parameter, 3, 1e-12, 0);
    assert_true(fabs(gp->noise_var / whole->noise_var - 1) > 1e-6);
    assert_true(of_all < of_each - 1e-6);                                /* the best for all rows is another */
    una_model_free(like);
    una_dataset_free(data);
    una_run_free(run);
}

/* As many as there are mean all, and 0 all to the end of the search; what is printed repeats the fit; the same bits for
 * any threads. */
static void some_rows_or_all(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ALL, 0, run);
    una_model *plain = fitted("gp", data, NULL, run), *every = fitted("gp(search_rows=150)", data, NULL, run);
    assert_same_predictions(plain, every, data, 0, run);

    double quick = evidence_of("gp(noise=constant)", data, run);
    double thorough = evidence_of("gp(noise=constant, search_rows=0)", data, run);
    assert_true(thorough >= quick);
    assert_near(quick, thorough, 0, 5e-4 * ALL);

    void *first = NULL;
    size_t size = 0;
    for (int threads = 1; threads <= 4; threads += 1 + threads % 2) {    /* 1, 3, 4 */
        una_run *own = quiet_run_threads(threads);
        una_model *some = fitted("gp(search_rows=100, restarts=2)", data, NULL, own);
        void *bytes = NULL;
        size_t now;
        assert_ok(una_model_save_memory(some, &bytes, &now, own), own);
        if (first) {
            assert_int_equal(now, size);
            assert_memory_equal(bytes, first, size);
        } else {
            una_model *again = fitted(una_model_info(some)->spec, data, NULL, run);
            assert_same_predictions(again, some, data, 1e-9, run);
            assert_true(una_model_info(some)->noise_std != una_model_info(plain)->noise_std);
            una_model_free(again);
            size = now;
            first = malloc(size);
            assert_non_null(first);
            memcpy(first, bytes, size);
        }
        una_memory_free(bytes, own);
        una_model_free(some);
        una_run_free(own);
    }
    free(first);
    una_model_free(plain);
    una_model_free(every);
    una_dataset_free(data);
    una_run_free(run);
}

static void grids(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, 60, run);
    una_model *model = fitted("gp(optimise=grid, amplitude=1, units=standardised, noise=constant)", data, NULL, run);
    assert_near(gp_of(model)->kernel->parameter[1], 1, 0.95, 0);             /* 0.1 or 1, not 0.001 or 10 */
    assert_near(gp_of(model)->kernel->parameter[0], 1, 0, 0);
    assert_int_equal(una_model_info(model)->valid_rows, 0);

    double best = una_model_info(model)->log_evidence;
    static const char *const others[] = { "0.001", "0.01", "0.1", "1", "5", "10" };
    for (size_t i = 0; i < 6; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "gp(kernel=rbf(length=%s), amplitude=1, optimise=no, units=standardised)",
                 others[i]);
        assert_true(evidence_of(spec, data, run) <= best + 1e-6);
    }
    una_model_free(model);

    model = fitted("gp(optimise=grid, grid_rule=validation, grid=[0.02, 0.4, 30], noise=constant)", data, NULL, run);
    assert_near(gp_of(model)->kernel->parameter[1], 0.4, 1e-12, 0);
    assert_int_equal(una_model_info(model)->valid_rows, 12);
    assert_true(una_model_info(model)->valid_rmse < 0.3);
    una_model_free(model);

    model = fitted("gp", data, &SIZED(una_fit_settings, .preset = "thesis"), run);
    assert_near(gp_of(model)->kernel->parameter[0], 1, 0, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* amplitude=2 is a kernel with four times the variance; own units are standardised ones times the scale. */
static void amplitude_and_units(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(50, 0, run);
    una_model *a = fitted("gp(amplitude=2, kernel=rbf + 1, noise_std=0.3, optimise=no)", data, NULL, run);
    una_model *b = fitted("gp(kernel=rbf(var=4) + 4, noise_std=0.3, optimise=no)", data, NULL, run);
    assert_same_predictions(a, b, data, 1e-9, run);
    una_model_free(b);

    b = fitted(una_model_info(a)->spec, data, NULL, run);
    assert_same_predictions(a, b, data, 1e-9, run);
    una_model_free(a);

    char spec[256];
    double scale = b->columns.inputs[0].scale, unit = b->columns.target_scale;
    snprintf(spec, sizeof spec, "gp(kernel=rbf(length=%.17g, on=x1), noise_std=%.17g, optimise=no)", 0.5 * scale,
             0.2 * unit);
    a = fitted(spec, data, NULL, run);
    una_model_free(b);
    b = fitted("gp(kernel=rbf(length=0.5, on=x1), noise_std=0.2, optimise=no, units=standardised)", data, NULL, run);
    assert_same_predictions(a, b, data, 1e-9, run);
    una_model_free(a);
    una_model_free(b);
    una_dataset_free(data);
    una_run_free(run);
}

static void inputs_that_do_not_matter(void **state)
{
    enum { ROWS = 60 };
    static const char *const names[] = { "real one", "nothing", "y" };
    double x[2 * ROWS], y[ROWS];
    (void)state;
    una_run *run = quiet_run();
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    una_dataset *data = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = 4 * una_rng_uniform(&rng);
        x[2 * i + 1] = una_rng_normal(&rng);
        y[i] = sin(2 * x[2 * i]) + 0.05 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 2, names, run), run);

    una_model *model = fitted("gp(range=1000)", data, NULL, run);
    const double *length = gp_of(model)->kernel->parameter + 1;
    assert_true(length[1] > 10 * length[0]);
    if (length[1] > 999) assert_true(noted(model, "nothing"));

    const double *relevance = una_model_info(model)->relevance;              /* 1/length, of mean square 1 */
    double norm = sqrt((pow(length[0], -2) + pow(length[1], -2)) / 2);
    assert_near(relevance[0], 1 / (length[0] * norm), 1e-3, 0);
    assert_true(relevance[1] >= 0.0099 && relevance[1] < 0.15);

    una_model *named = fitted("gp(kernel=\"rbf(on=\\\"real one\\\") + 0.1*linear(on=nothing)\")", data, NULL, run);
    una_model *again = fitted(una_model_info(named)->spec, data, NULL, run);
    assert_same_predictions(named, again, data, 1e-8, run);
    assert_null(una_model_info(named)->relevance);                           /* a sum has no one length an input */
    una_model_free(model);
    model = fitted("gp(ard=no)", data, NULL, run);
    assert_null(una_model_info(model)->relevance);
    una_model_free(model);

    model = fitted("gp(optimise=no, noise_std=0.1, kernel=rbf(on=[nothing, \"real one\"], length=[3, 1]), "
                   "units=standardised)", data, NULL, run);
    relevance = una_model_info(model)->relevance;                            /* in the order of the table */
    assert_near(relevance[0] / relevance[1], 3, 1e-12, 0);
    una_model_free(model);
    una_model_free(named);
    una_model_free(again);
    una_dataset_free(data);
    una_run_free(run);
}

static void text_columns_share_a_length(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(60, run);
    una_model *model = fitted("gp", data, &mixed_settings, run);

    const una_columns *c = &model->columns;
    const double *length = gp_of(model)->kernel->parameter + 1;
    size_t levels = 0;
    for (size_t d = 1; d < c->input_count; d++)
        if (c->inputs[d].source == c->inputs[d - 1].source) {
            assert_near(length[d], length[d - 1], 1e-12, 0);
            levels++;
        }
    assert_true(levels >= 2);
    assert_non_null(una_model_info(model)->relevance);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- noise that varies ------------------------------------------------------------------------------------------ */

enum { STEP_INPUTS = 5, STEP_ROWS = 500, STEP_FRESH = 2000 };

/* Noise of std 0.1 on one side of x1 = 0 and 0.8 on the other, or 0.3 on both; *log_lik: of the truth, per row. */
static una_dataset *step_data(size_t rows, bool varies, uint64_t seed, double *log_lik, una_run *run)
{
    double *x = malloc(rows * STEP_INPUTS * sizeof *x), *y = malloc(rows * sizeof *y);
    una_dataset *data = NULL;
    if (!x || !y) fail_msg("%s", "no memory for the test's own data");
    *log_lik = 0;
    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, i);
        double *at = x + i * STEP_INPUTS;
        for (size_t d = 0; d < STEP_INPUTS; d++) at[d] = 4 * una_rng_uniform(&rng) - 2;
        double std = !varies ? 0.3 : at[0] < 0 ? 0.1 : 0.8, e = una_rng_normal(&rng);
        y[i] = sin(2 * at[0]) + 0.35 * at[1] * at[2] + fabs(at[3]) - at[4] / 2 + std * e;
        *log_lik -= (0.5 * UNA_LOG_TWO_PI + log(std) + 0.5 * e * e) / (double)rows;
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, STEP_INPUTS, NULL, run), run);
    free(x);
    free(y);
    return data;
}

typedef struct stepped { una_model *model; double evidence, held, fresh, truth, coverage; bool varies; } stepped;

/* Evidence and held-out log-likelihood per row; on fresh rows log-likelihood, that of the truth, coverage. */
static stepped fit_step(const char *spec, bool varies, uint64_t seed, una_run *run)
{
    double own;
    una_score score = UNA_INIT(una_score);
    stepped out = {0};
    una_dataset *data = step_data(STEP_ROWS, varies, seed, &own, run);
    una_dataset *fresh = step_data(STEP_FRESH, varies, seed + 1000, &out.truth, run);
    out.model = fitted(spec, data, NULL, run);
    assert_ok(una_model_score(&score, out.model, fresh, run), run);
    const una_fit_info *info = una_model_info(out.model);
    out.evidence = info->log_evidence / STEP_ROWS;
    out.held = info->valid_log_lik;
    out.fresh = score.log_lik;
    out.coverage = score.coverage_95;
    out.varies = strstr(info->spec, "noise=varying") != NULL;
    una_dataset_free(data);
    una_dataset_free(fresh);
    return out;
}

/* Lengths and variance of the model, as they stand in its spec, under a noise that must vary. */
static una_model *with_lengths_of(const una_model *model, uint64_t seed, una_run *run)
{
    const char *spec = una_model_info(model)->spec, *end = strchr(spec, ']');
    char again[1024];
    double own;
    assert_non_null(end);
    snprintf(again, sizeof again, "%.*s), optimise=no, amplitude=1, noise=varying)", (int)(end + 1 - spec), spec);
    una_dataset *data = step_data(STEP_ROWS, true, seed, &own, run);
    una_model *out = fitted(again, data, NULL, run);
    una_dataset_free(data);
    return out;
}

/* Noise, its shape and the lengths belong together: fresh rows are as likely as the rows left out were, and nearly as
 * under the truth. The evidence is that of the saved model, and above that with the lengths of a constant noise. */
static void shape_and_lengths_go_together(void **state)
{
    static const uint64_t seeds[] = { 2, 3, 8 };
    (void)state;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        una_run *run = quiet_run();
        stepped constant = fit_step("gp(noise=constant)", true, seeds[k], run);
        stepped own = fit_step("gp", true, seeds[k], run);
        assert_true(own.varies && !constant.varies);
        assert_true(own.evidence > constant.evidence + 0.3 && own.evidence > -0.55);
        assert_true(own.fresh > constant.fresh + 0.4 && own.fresh > own.truth - 0.4);
        assert_near(own.held, own.fresh, 0, 0.1);
        assert_true(own.coverage > 0.92 && own.coverage < 0.97);

        una_model *old = with_lengths_of(constant.model, seeds[k], run);
        una_model *same = with_lengths_of(own.model, seeds[k], run);
        assert_true(own.evidence > una_model_info(old)->log_evidence / STEP_ROWS + 0.01);
        assert_near(una_model_info(same)->log_evidence / STEP_ROWS, own.evidence, 0, 1e-6);
        una_model_free(old);
        una_model_free(same);
        una_model_free(constant.model);
        una_model_free(own.model);
        una_run_free(run);
    }
}

/* And where the noise is constant it stays so, with the bits of a fit with noise=constant. */
static void constant_noise_stays(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    stepped own = fit_step("gp", false, 1, run), constant = fit_step("gp(noise=constant)", false, 1, run);
    assert_false(own.varies);
    assert_true(own.evidence == constant.evidence && own.fresh == constant.fresh);
    assert_true(own.fresh > own.truth - 0.2);
    una_model_free(own.model);
    una_model_free(constant.model);
    una_run_free(run);
}

static void jitter_is_told(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0, 80, run);
    una_model *model = fitted("gp(kernel=rbf(length=30), noise_std=1e-12, optimise=no)", data, NULL, run);
    assert_true(noted(model, "no Cholesky factor without it"));
    una_model *again = fitted(una_model_info(model)->spec, data, NULL, run);
    assert_near(gp_of(again)->jitter_var, gp_of(model)->jitter_var, 1e-9, 0);
    una_model_free(again);
    una_model_free(model);

    model = fitted("gp(jitter=0.01, optimise=no, noise_std=0.1)", data, NULL, run);
    assert_true(noted(model, "jitter of 0.01"));
    assert_near(gp_of(model)->jitter_var, 0.01, 1e-9, 0);
    una_model_free(model);

    model = fitted("gp(range=1000)", data, NULL, run);                       /* a curve without noise */
    assert_true(warned(model, "lower bound"));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void cannot_be(void **state)
{
    static const struct { const char *spec, *says; } cases[] = {
        { "gp(kernel=rbf(length=0))", "greater than 0" }, { "gp(kernel=rbf(length=-1))", "greater than 0" },
        { "gp(kernel=rbf(on=x3))", "no input \"x3\"" }, { "gp(kernel=rbff)", "did you mean" },
        { "gp(kernel=\"\")", "kernel" }, { "gp(optimise=grid, kernel=linear)", "has none" },
        { "gp(optimise=grid, grid=[0.1, -1])", "greater than 0" }, { "gp(optimise=grid, grid=[])", "give 1 to" },
        { "gp(optimise=grid, grid=abc)", "greater than 0" }, { "gp(optimise=maybe)", "optimise" },
        { "gp(kernel=rbf(on=x1)*rbf(on=x4), amplitude=2)", "no input" },
        { "gp(optimise=grid, neighbours=20)", "use neighbours=0" }, { "gp(neighbours=1000)", "neighbours" },
    };

    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run), *few = wave_data(4, 0, run);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_model *model = NULL;
        assert_status(una_fit(&model, cases[i].spec, data, NULL, run), UNA_E_USAGE, run);
        assert_null(model);
        assert_says(una_run_message(run), cases[i].says);
    }

    una_model *model = NULL;
    assert_status(una_fit(&model, "gp(optimise=grid, grid_rule=validation)", few, NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "at least 5 rows");
    assert_status(una_fit(&model, "gp(kernel=rbf(length=30), noise_std=1e-12, optimise=no, jitter=0)", data, NULL,
                          run), UNA_E_NUMERIC, run);

    una_run *poor = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .memory_limit = 1 << 20 };
    assert_int_equal(una_run_new(&poor, &settings), UNA_OK);
    una_dataset *many = wave_data(400, 0, run);
    assert_status(una_fit(&model, "gp", many, NULL, poor), UNA_E_MEMORY, poor);
    assert_says(una_run_message(poor), "400 rows need");
    assert_says(una_run_message(poor), "MB are allowed");

    una_run_free(poor);
    una_dataset_free(many);
    una_dataset_free(data);
    una_dataset_free(few);
    una_run_free(run);
}

/* Beyond 2,000 rows the nearest answer, and the fit says so; what it prints leads to the same answers. Up to there, and
 * where it is asked for, all rows do. */
static void many_rows(void **state)
{
    enum { MANY = 2001 };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, MANY, run), *few = curve_data(wave, -3, 3, 0.1, 40, run);
    una_model *model = fitted("gp(search_rows=60, noise=constant)", data, NULL, run);
    const una_gp *gp = gp_of(model);
    assert_true(gp->near && gp->neighbours >= 32 && gp->neighbours <= 256 && gp->rows == MANY);
    assert_true(noted(model, "nearest rows") && noted(model, "All 2001 rows are kept in the model and its file"));
    assert_near(una_model_info(model)->noise_std, 0.1, 0.1, 0);
    assert_true(isfinite(una_model_info(model)->log_evidence));

    una_model *again = fitted(una_model_info(model)->spec, data, NULL, run);
    double mean[40], other[40];
    una_prediction out = { .size = sizeof out, .mean = mean }, next = { .size = sizeof next, .mean = other };
    assert_ok(una_model_predict(model, few, 0.95, &out, run), run);
    assert_ok(una_model_predict(again, few, 0.95, &next, run), run);
    assert_int_equal(gp_of(again)->neighbours, gp->neighbours);
    assert_arrays_near(other, mean, 40, 1e-9, 1e-9);
    una_model_free(again);
    una_model_free(model);

    model = fitted("gp(noise=constant)", few, NULL, run);
    assert_true(gp_of(model)->neighbours == 0 && !noted(model, "nearest"));
    una_model_free(model);
    model = fitted("gp(neighbours=20, noise=constant)", few, NULL, run); /* and an update keeps the form */
    assert_ok(una_model_update(model, few, run), run);
    assert_true(gp_of(model)->neighbours == 20 && gp_of(model)->rows == 80);
    una_model_free(model);
    una_dataset_free(few);
    una_dataset_free(data);
    una_run_free(run);
}

/* A file whose numbers cannot be a process is refused with its block. */
static void files_are_checked(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("gp(optimise=no, noise_std=0.1, kernel=rbf(length=100))", data, NULL, run), *copy = NULL;
    una_gp *gp = member_state(model), before = *gp;
    static const char *const says[] = { "noise_var", "jitter_var", "without a factor" };
    double mean[20];
    una_prediction out = { .size = sizeof out, .mean = mean };

    for (int i = 0; i < 3; i++) {
        void *bytes = NULL;
        size_t size;
        if (i == 0) gp->noise_var = -1;
        if (i == 1) gp->jitter_var = -1;
        if (i == 2) gp->noise_var = 1e-300;

        assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
        if (i < 2) {
            assert_status(una_model_load_memory(&copy, bytes, size, run), UNA_E_INPUT, run);
        } else {                                         /* the factor is made when somebody asks */
            assert_ok(una_model_load_memory(&copy, bytes, size, run), run);
            assert_status(una_model_predict(copy, data, 0.95, &out, run), UNA_E_INPUT, run);
            una_model_free(copy);
        }
        assert_says(una_run_message(run), says[i]);
        una_memory_free(bytes, run);
        *gp = before;
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Noise in y alone, every row six times: what a short length remembers of the copies would look like knowledge. */
static void copies_do_not_choose_the_length(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    double x[72], y[72];
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < 72; i++) {
        x[i] = (double)(i % 12);
        y[i] = i < 12 ? una_rng_normal(&rng) : y[i - 12];
    }

    assert_ok(una_dataset_from_arrays(&data, x, y, 72, 1, NULL, run), run);
    una_model *model = fitted("gp(optimise=grid, grid_rule=validation, grid=[0.02, 30], noise=constant)", data, NULL,
                              run);
    assert_int_equal(una_model_info(model)->valid_rows, 12);                 /* two whole groups: 14 rows have room */
    assert_true(una_model_info(model)->valid_rmse > 0.3);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_chooses),
        cmocka_unit_test(prior_on_lengths),
        cmocka_unit_test(starts_and_priors),
        cmocka_unit_test(some_rows_choose_for_all),
        cmocka_unit_test(some_rows_or_all),
        cmocka_unit_test(grids),
        cmocka_unit_test(copies_do_not_choose_the_length),
        cmocka_unit_test(amplitude_and_units),
        cmocka_unit_test(inputs_that_do_not_matter),
        cmocka_unit_test(text_columns_share_a_length),
        cmocka_unit_test(shape_and_lengths_go_together),
        cmocka_unit_test(constant_noise_stays),
        cmocka_unit_test(jitter_is_told),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(cannot_be),
        cmocka_unit_test(files_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
