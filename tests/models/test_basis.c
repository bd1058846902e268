/* SPDX-License-Identifier: MIT
 *
 * What NLM, LUNA and TUNA share, and NLM itself: noise from rows the features did not see, restarts, stopping, held-out
 * rows, the three trainings of NLM, the rule for steps and batches, updates against a fresh posterior.
 */
#include "train/basis.h"
#include "models/quick.h"

static const una_fit_settings held_out = { .size = sizeof held_out, .valid_fraction = 0.2 };

static double wave(double x)
{
    return 2 * sin(1.5 * x) + x;
}

/* ---- automatic numbers ------------------------------------------------------------------------------------------ */

static una_basis_options automatic(void)
{
    return (una_basis_options){ .common.steps = UNA_AUTO, .width = 50, .depth = 2, .features = UNA_AUTO,
                                .epochs = UNA_AUTO, .batch = UNA_AUTO, .patience = UNA_AUTO, .rate = UNA_AUTO };
}

static void steps_epochs_and_batch(void **state)
{
    (void)state;
    una_basis_options o = automatic();
    una_basis_resolve(&o, 150, 150, false);
    assert_near(o.batch, 150, 0, 0);                                     /* small data: all rows every step */
    assert_near(o.features, 50, 0, 0);
    assert_near(o.common.steps, o.epochs, 0, 0);
    assert_true(o.common.steps >= 1000);

    o = automatic();
    una_basis_resolve(&o, 1000, 1000, false);
    assert_near(o.batch, 128, 0, 0);
    assert_near(o.epochs, floor(o.common.steps / 8 + 0.5), 0, 0);               /* 1000/128 is nearest to 8 batches */

    o = automatic();
    o.epochs = 30;
    una_basis_resolve(&o, 1000, 1000, false);
    assert_near(o.common.steps, 240, 0, 0);                                     /* epochs given: steps follow */

    o = automatic();
    o.epochs = 30;
    o.common.steps = 16;
    una_basis_resolve(&o, 1000, 1000, false);
    assert_near(o.common.steps, 16, 0, 0); /* both given: steps win, epochs say what they are */
    assert_near(o.epochs, 2, 0, 0);

    o = automatic();
    o.batch = 5000;
    una_basis_resolve(&o, 1000, 1000, false);
    assert_near(o.batch, 1000, 0, 0);
    una_basis_options again = o;
    una_basis_resolve(&again, 1000, 1000, false);
    assert_memory_equal(&again, &o, sizeof o);                           /* nothing is left to choose */
}

/* A member of several stops earlier: two steps a row, from 2,000 to 15,000, and to 30,000 from 100,000 rows on. */
static void members_take_fewer_steps(void **state)
{
    (void)state;
    static const struct { size_t rows; double alone, member; } rule[] = {
        { 150, 6000, 2000 }, { 500, 15000, 2000 }, { 1500, 15000, 3000 }, { 5000, 30000, 10000 },
        { 20000, 30000, 15000 }, { 200000, 30000, 30000 } };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        una_basis_options one = automatic(), some = automatic();
        una_basis_resolve(&one, rule[i].rows, rule[i].rows, false);
        una_basis_resolve(&some, rule[i].rows, rule[i].rows, true);
        assert_near(one.common.steps, rule[i].alone, 0, 0);
        assert_near(some.common.steps, rule[i].member, 0, 0);
    }
}

/* Images are seen thirty times, few of them for 300 steps; what a person says stays. */
static void images_take_fewer_passes(void **state)
{
    (void)state;
    static const struct { size_t rows; double steps; } rule[] = { { 49332, 10 * 385 }, { 409, 94 * 3 }, { 150, 256 } };
    una_source source = { .image = { 8, 8, 1 } };
    una_columns columns = { .sources = &source, .source_count = 1 };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        una_problem p = { .x = { .rows = rule[i].rows }, .columns = &columns };
        una_basis_options o = automatic(), explicit = automatic();
        una_basis_resolve_for(&o, &p, false, 0.02);
        assert_near(o.common.steps, rule[i].steps, 0, 0);
        assert_near(o.rate, 0.001, 0, 0);
        explicit.epochs = 2;
        explicit.rate = 0.5;
        una_basis_resolve_for(&explicit, &p, false, 0.02);
        assert_true(explicit.common.steps <= 2 * 385);
        assert_near(explicit.rate, 0.5, 0, 0);
        una_basis_options plain = automatic();
        plain.body = "mlp";
        una_basis_resolve_for(&plain, &p, false, 0.02);
        assert_true(plain.common.steps >= 6000);
        assert_near(plain.rate, 0.02, 0, 0);
        plain = automatic();
        source.image.height = 0;
        una_basis_resolve_for(&plain, &p, false, 0.02);
        assert_true(plain.common.steps >= 6000);
        source.image.height = 8;
    }
}

/* Rules go by the table: the 1,700 rows that train of 2,000 get the steps and batch of 2,000, as do the members of an
 * ensemble; a pass is over the rows that train. */
static void rules_count_held_out_rows(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_basis_options o = automatic(), all = automatic(), few = automatic();
    o.common.restarts = all.common.restarts = few.common.restarts = UNA_AUTO;
    una_basis_resolve(&o, 1700, 2000, false);
    una_basis_resolve(&all, 2000, 2000, false);
    una_basis_resolve(&few, 1700, 1700, false);
    assert_near(o.common.steps, all.common.steps, 0, 0);
    assert_near(o.common.restarts, 1, 0, 0);                             /* members keep what restarts threw away */
    assert_near(o.batch, 128, 0, 0);
    assert_true(few.common.steps != all.common.steps);
    o = automatic();
    o.epochs = 30;
    una_basis_resolve(&o, 850, 1000, false);
    assert_near(o.common.steps, 30 * 7, 0, 0);                                  /* 850/128 is nearest to 7 batches */
    o = automatic();
    una_basis_resolve(&o, 120, 150, false);
    assert_near(o.batch, 120, 0, 0);

    char steps[32];
    snprintf(steps, sizeof steps, "steps=%g,", all.common.steps);
    una_run *run = quiet_run();
    una_dataset *data = wave_data(2000, 0, run);
    una_model *model = fitted("nlm(width=2, depth=1, members=1, noise=constant)", data, NULL, run);
    assert_int_equal(una_model_info(model)->valid_rows, 300);
    assert_says(una_model_info(model)->spec, steps);
    una_model_free(model);

    model = fitted("ensemble(members=2, of=nn(width=2, depth=1))", data, NULL, run);
    assert_int_equal(una_model_info(model)->steps, 2 * (size_t)all.common.steps);
    una_model_free(model);
    model = fitted("mcd(width=2, depth=1, passes=2, validate=no)", data, NULL, run);
    assert_says(una_model_info(model)->spec, steps);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* The evidence of rows that trained the features collapses (NLM with enough steps fits the noise); the noise that is
 * chosen must be the true one. */
static void noise_comes_from_held_out_rows(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run();
    for (size_t rows = 120; rows <= 300; rows += 180) {                  /* five folds, and rows held out */
        una_dataset *data = curve_data(wave, -3, 3, 0.3, rows, run);
        una_model *nlm = fitted("nlm(steps=1200, width=30)", data, NULL, run);
        assert_near(una_model_info(nlm)->noise_std, 0.3, 0.3, 0);
        assert_true(una_model_info(nlm)->valid_rows > 0);
        assert_near(una_model_info(nlm)->valid_rmse, 0.3, 0.4, 0);
        una_model_free(nlm);
        una_dataset_free(data);
    }

    una_dataset *data = curve_data(wave, -3, 3, 0.3, 120, run);
    una_model *luna = fitted("luna(steps=1000, width=20, heads=8)", data, NULL, run);
    assert_near(una_model_info(luna)->noise_std, 0.3, 0.3, 0);
    una_model_free(luna);
    una_dataset_free(data);
    una_run_free(run);
}

/* The other rule: the evidence of the held-out rows alone. */
static void noise_by_the_evidence_of_held_out_rows(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.3, 300, run);
    una_model *model = fitted("nlm(steps=600, width=20, noise_rule=evidence)", data, NULL, run);
    assert_near(una_model_info(model)->noise_std, 0.3, 0.35, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Above 4096 rows a look takes every second or third only; the posterior takes all. */
static void looks_stay_cheap_on_many_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40000, 0, run);
    una_model *model = fitted("nlm(steps=30, width=4, train_noise_std=0.3)", data, &held_out, run);
    const una_basis *basis = member_state(model);
    assert_near(basis->head.stats.rows, 40000, 0, 0);
    assert_int_equal(una_model_info(model)->valid_rows, 8000);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void contradicting_noise_is_reported(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.3, 120, run);
    una_model *narrow = fitted("nlm(steps=600, width=20, noise_std=0.01)", data, NULL, run);
    assert_true(warned(narrow, "the bands are too narrow"));
    una_model *wide = fitted("nlm(steps=600, width=20, noise_std=30)", data, NULL, run);
    assert_true(warned(wide, "noise_std is too large"));
    una_model_free(narrow);
    una_model_free(wide);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- trainings --------------------------------------------------------------------------------------------------- */

static void mle_has_no_penalty(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *mle = fitted("nlm(training=mle, penalty=5, steps=100, width=8)", data, NULL, run);
    una_model *map = fitted("nlm(training=map, penalty=0, steps=100, width=8)", data, NULL, run);
    assert_says(una_model_info(mle)->spec, "penalty=0,");
    assert_same_predictions(mle, map, data, 0, run);
    una_model_free(mle);
    una_model_free(map);
    una_dataset_free(data);
    una_run_free(run);
}

/* With weights that stand still, the losses of the batches of an epoch add up to that of all rows: a batch of n of N
 * rows bears n/N of the penalty. */
static void losses_of_an_epoch_add_up(void **state)
{
    (void)state;
    static const char *const kinds[] = { "nlm(width=5, penalty=3", "luna(width=5, heads=3, penalty=3, diversity=0",
                                         "nn(width=5, penalty=3", "sngp(width=5, features=12, penalty=3" };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(100, 0, run), *valid = wave_data(20, 900, run);
    const una_fit_settings settings = { .size = sizeof settings, .valid = valid };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double loss[2] = {0};
        for (int k = 0; k < 2; k++) {
            char spec[200];
            snprintf(spec, sizeof spec, "%s, steps=120, rate=1e-9, train_noise_std=0.5, batch=%d)", kinds[i],
                     k ? 25 : 100);
            una_model *model = fitted(spec, data, &settings, run);
            const una_curve *curve = &una_model_info(model)->curve;
            assert_int_equal(curve->step[0], 4);                         /* between validations: four batches */
            loss[k] = curve->loss[0];
            una_model_free(model);
        }
        if (!(fabs(4 * loss[1] - loss[0]) <= 1e-4 * loss[0]))
            fail_msg("%s: an epoch of four batches costs %g, all rows %g", kinds[i], 4 * loss[1], loss[0]);
    }
    una_dataset_free(data);
    una_dataset_free(valid);
    una_run_free(run);
}

static void marginal_raises_the_evidence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("nlm(training=marginal, steps=400, width=10, train_noise_std=0.3)", data, NULL, run);
    const una_curve *curve = &una_model_info(model)->curve;
    assert_true(curve->count > 10);
    assert_true(curve->loss[curve->count - 1] < curve->loss[0] - 10);    /* -log evidence in nats */
    una_model_free(model);

    assert_status(una_fit(&model, "nlm(training=marginal, batch=10)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "needs all rows every step");
    assert_says(una_run_message(run), "60 rows");
    una_dataset_free(data);
    una_run_free(run);
}

/* Where the penalty is nearly all of the loss, a step along the gradient of gamma |theta|^2 shrinks every weight by
 * 1 - 2 rate gamma, so that losses fall by its square, step by step. */
static void marginal_shrinks_by_its_penalty(void **state)
{
    (void)state;
    const double rate = 1e-8, gamma = 1e6;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *valid = wave_data(20, 900, run);
    const una_fit_settings settings = { .size = sizeof settings, .valid = valid };
    una_model *model = fitted("nlm(training=marginal, penalty=1e6, optimiser=gd, rate=1e-8, momentum=0, steps=40, "
                              "width=8, rate_schedule=constant, train_noise_std=1, units=standardised)", data,
                              &settings, run);
    const una_curve *curve = &una_model_info(model)->curve;
    double between = curve->step[1] - curve->step[0];
    assert_near(curve->loss[1] / curve->loss[0], pow(1 - 2 * rate * gamma, 2 * between), 1e-4, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(valid);
    una_run_free(run);
}

/* What is printed repeats the fit, also where the prior variance was chosen. */
static void marginal_spec_can_be_passed_back(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("nlm(training=marginal, steps=60, width=8, prior_var=auto)", data, NULL, run);
    una_model *again = fitted(una_model_info(model)->spec, data, NULL, run);
    assert_same_predictions(again, model, data, 1e-9, run);
    una_model_free(model);
    una_model_free(again);
    una_dataset_free(data);
    una_run_free(run);
}

static void every_optimiser_trains(void **state)
{
    skip_if_sanitized();
    (void)state;
    static const char *const ways[] = { "optimiser=adam", "optimiser=sgd, rate=0.0003", "optimiser=gd, rate=0.0003",
                                        "optimiser=sgd, rate=0.0003, batch=16, rate_schedule=linear",
                                        "initialisation=glorot", "initialisation=lecun", "depth=1",
                                        "depth=4, features=7", "activation=silu" };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(100, 0, run);

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char spec[256];
        snprintf(spec, sizeof spec, "nlm(width=16, steps=300, penalty=0.1, %s)", ways[i]);
        una_model *model = fitted(spec, data, NULL, run);
        const una_curve *curve = &una_model_info(model)->curve;
        if (!(curve->loss[curve->count - 1] < 0.5 * curve->loss[0]))
            fail_msg("%s: the loss goes from %g to %g", ways[i], curve->loss[0], curve->loss[curve->count - 1]);
        una_model_free(model);
    }

    una_model *model = NULL;
    assert_status(una_fit(&model, "nlm(width=16, steps=300, optimiser=gd, rate=10)", data, NULL, run), UNA_E_NUMERIC,
                  run);
    assert_says(una_run_message(run), "use a smaller rate (now 10)");
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- held-out rows ----------------------------------------------------------------------------------------------- */

static void restarts_keep_the_best(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, 260, run);
    una_model *one = fitted("nlm(width=6, steps=150, restarts=1, members=1, noise=constant)", data, &held_out, run);
    una_model *six = fitted("nlm(width=6, steps=150, restarts=6, members=1, noise=constant)", data, &held_out, run);
    assert_true(una_model_info(six)->valid_log_lik > una_model_info(one)->valid_log_lik);
    assert_int_equal(una_model_info(six)->steps, 6 * una_model_info(one)->steps);
    una_model_free(one);
    una_model_free(six);
    una_dataset_free(data);
    una_run_free(run);
}

static void patience_stops_early(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.5, 260, run);
    una_model *all = fitted("nlm(width=30, steps=2000, penalty=0, restarts=1, members=1, noise=constant)", data,
                            &held_out, run);
    una_model *brief = fitted("nlm(width=30, steps=2000, penalty=0, patience=2, restarts=1, members=1, "
                              "noise=constant)", data, &held_out, run);
    assert_int_equal(una_model_info(all)->steps, 2000);
    assert_true(una_model_info(brief)->steps < 2000);
    una_model_free(all);
    una_model_free(brief);
    una_dataset_free(data);
    una_run_free(run);
}

/* A look at the held-out rows costs nothing of what is kept: with kept=last the end is kept, best look or not. */
static void the_end_of_a_training_may_be_kept(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.5, 260, run);
    una_model *best = fitted("nlm(width=30, steps=2000, penalty=0, restarts=1, members=1, noise=constant)", data,
                             &held_out, run);
    una_model *last = fitted("nlm(width=30, steps=2000, penalty=0, restarts=1, members=1, noise=constant, kept=last)",
                             data, &held_out, run);
    assert_int_equal(una_model_info(last)->steps, 2000);
    assert_true(una_model_info(best)->valid_log_lik > una_model_info(last)->valid_log_lik);
    una_model_free(best);
    una_model_free(last);
    una_dataset_free(data);
    una_run_free(run);
}

static void rows_to_validate_on(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *valid = wave_data(25, 900, run);
    una_model *model = fitted(quick_spec("nlm", NULL), data, &SIZED(una_fit_settings, .valid = valid), run);
    assert_int_equal(una_model_info(model)->valid_rows, 25);
    assert_int_equal(una_model_info(model)->rows, 60);                   /* they stay out of the posterior */
    una_basis *basis = member_state(model);
    assert_near(basis->head.stats.rows, 60, 0, 0);
    una_model_free(model);

    model = fitted(quick_spec("nlm", NULL), data, &SIZED(una_fit_settings, .valid_fraction = 0.25), run);
    assert_int_equal(una_model_info(model)->valid_rows, 15);
    basis = member_state(model);
    assert_near(basis->head.stats.rows, 60, 0, 0);                       /* these join it */
    una_model_free(model);

    model = fitted(quick_spec("nlm", NULL), data, NULL, run);
    assert_int_equal(una_model_info(model)->valid_rows, 60);             /* five folds: every row once */
    una_model_free(model);

    assert_status(una_fit(&model, "nlm", data, &SIZED(una_fit_settings, .valid_fraction = 1), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "below 1");
    una_dataset_free(data);
    una_dataset_free(valid);
    una_run_free(run);
}

/* Every row is held out once: wherever the one wild row stands, it is missed by its whole height. */
static void folds_hold_every_row_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (size_t wild = 0; wild < 10; wild++) {
        double x[50], y[50];
        una_dataset *data = NULL;
        for (size_t i = 0; i < 50; i++) {
            x[i] = (double)i;
            y[i] = i == 5 * wild ? 100 : sin(0.1 * (double)i);
        }

        assert_ok(una_dataset_from_arrays(&data, x, y, 50, 1, NULL, run), run);
        una_model *model = fitted("nlm(width=5, steps=30)", data, NULL, run);
        assert_true(una_model_info(model)->valid_rmse > 0.8 * 100 / sqrt(50));
        una_model_free(model);
        una_dataset_free(data);
    }
    una_run_free(run);
}

static void copies_are_reported(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(120, 0, run), *twice = NULL;
    size_t index[240];
    for (size_t i = 0; i < 240; i++) index[i] = i % 120;
    assert_ok(una_dataset_rows(&twice, data, index, 240, run), run);
    una_model *model = fitted(quick_spec("nlm", NULL), twice, NULL, run);
    assert_false(warned(model, "same inputs"));
    assert_says(una_model_info(model)->notes[0], "copies share a fold");
    una_model_free(model);

    una_dataset *plain = wave_data(240, 0, run);
    model = fitted(quick_spec("nlm", NULL), plain, NULL, run);
    assert_false(warned(model, "same inputs"));
    una_model_free(model);

    una_dataset_free(data);
    una_dataset_free(twice);
    una_dataset_free(plain);
    una_run_free(run);
}

/* --preset thesis reads the noise as standardised. */
static void preset_reads_standardised_noise(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    const char *set[] = { "epochs=5", "noise_std=0.5" };
    una_model *thesis = fitted("nlm", data, &SIZED(una_fit_settings, .preset = "thesis", .set = set, .set_count = 2),
                               run);
    double scale = thesis->columns.target_scale;
    assert_near(una_model_info(thesis)->noise_std, 0.5 * scale, 1e-12, 0);
    assert_says(una_model_info(thesis)->spec, "noise_std=0.5");

    una_model *own = fitted("nlm(noise_std=0.5, steps=5, width=8)", data, NULL, run);
    assert_near(una_model_info(own)->noise_std, 0.5, 1e-12, 0);
    assert_true(fabs(scale - 1) > 0.01);

    una_model_free(thesis);
    una_model_free(own);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- updates against relearning on the same features ------------------------------------------------------------- */

static void update_is_a_fresh_posterior(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *more = wave_data(23, 600, run);
    una_model *model = fitted(quick_spec("luna", NULL), data, NULL, run);
    const una_dataset *parts[] = { data, more };
    assert_ok(una_model_update(model, more, run), run);

    una_mark mark = una_arena_mark(&run->scratch);
    una_basis *basis = member_state(model);
    una_head fresh;
    double *x = NULL, *y = NULL, *mean, *var;
    una_view phi = {0};
    size_t rows = 0, k = basis->head.stats.features;
    una_head_init(&fresh, k, &run->scratch);
    fresh.noise_var = basis->head.noise_var;
    fresh.prior_var = basis->head.prior_var;

    for (size_t i = 0; i < 2; i++) {
        assert_ok(una_columns_encode(&model->columns, parts[i], &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch),
                  run);
        assert_ok(una_basis_phi(basis, (una_view){ x, rows, 2, 2 }, &phi, run), run);
        una_stats_add(&fresh.stats, phi.at, y, rows, NULL);
    }
    assert_ok(una_head_solve(&fresh, run), run);
    mean = UNA_GET(&run->scratch, double, rows);
    var = UNA_GET(&run->scratch, double, rows);
    assert_ok(una_head_predict(&fresh, phi.at, rows, mean, var, run), run);

    double *p = predicted(model, more, run), scale = model->columns.target_scale;
    for (size_t i = 0; i < rows; i++) {
        assert_near(p[i], model->columns.target_centre + scale * mean[i], 1e-9, 0);
        assert_near(p[2 * rows + i], scale * sqrt(var[i]), 1e-9, 0);
    }
    assert_near(una_model_info(model)->log_evidence, fresh.log_evidence, 1e-9, 0);

    free(p);
    una_arena_release(&run->scratch, mark);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_epochs_and_batch),
        cmocka_unit_test(members_take_fewer_steps), cmocka_unit_test(images_take_fewer_passes),
        cmocka_unit_test(rules_count_held_out_rows),
        cmocka_unit_test(noise_comes_from_held_out_rows),
        cmocka_unit_test(noise_by_the_evidence_of_held_out_rows),
        cmocka_unit_test(looks_stay_cheap_on_many_rows),
        cmocka_unit_test(contradicting_noise_is_reported),
        cmocka_unit_test(mle_has_no_penalty),
        cmocka_unit_test(losses_of_an_epoch_add_up),
        cmocka_unit_test(marginal_raises_the_evidence),
        cmocka_unit_test(marginal_shrinks_by_its_penalty),
        cmocka_unit_test(marginal_spec_can_be_passed_back),
        cmocka_unit_test(every_optimiser_trains),
        cmocka_unit_test(restarts_keep_the_best),
        cmocka_unit_test(patience_stops_early),
        cmocka_unit_test(the_end_of_a_training_may_be_kept),
        cmocka_unit_test(rows_to_validate_on),
        cmocka_unit_test(folds_hold_every_row_out),
        cmocka_unit_test(copies_are_reported),
        cmocka_unit_test(preset_reads_standardised_noise),
        cmocka_unit_test(update_is_a_fresh_posterior),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
