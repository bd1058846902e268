/* SPDX-License-Identifier: MIT
 *
 * The plain network: it learns, its noise is that of the rows it did not train on, its ignorance is zero, and settings
 * and files that cannot work are refused with a sentence.
 */
#include "train/basis.h"
#include "committee/committee.h"
#include "models/quick.h"

extern const una_kind una_kind_nn;

static const una_fit_settings held_out = { .size = sizeof held_out, .valid_fraction = 0.2 };

static double wave(double x) { return sin(x); }
static double straight(double x) { return 3 * x - 1; }

static void it_learns_and_knows_its_noise(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *few = curve_data(wave, -3, 3, 0.1, 120, run), *many = curve_data(wave, -3, 3, 0.1, 400, run);
    const una_dataset *sets[] = { few, many };           /* folds, and rows held out */

    for (size_t i = 0; i < 2; i++) {
        una_model *model = fitted("nn(width=20, steps=800, rate=0.01)", sets[i], i ? &held_out : NULL, run);
        const una_fit_info *info = una_model_info(model);
        double x[] = { -2, -0.5, 1, 2.5 }, mean[4], epistemic[4], noise[4];
        una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = epistemic, .std_noise = noise };
        assert_ok(una_model_predict_rows(model, x, 4, 0.95, &out, run), run);
        for (size_t r = 0; r < 4; r++) {
            assert_near(mean[r], sin(x[r]), 0, 0.15);
            assert_true(epistemic[r] == 0);
            assert_near(noise[r], info->noise_std, 1e-12, 0);
        }

        assert_true(info->noise_std > 0.07 && info->noise_std < 0.17);
        assert_int_equal(info->valid_rows, i == 0 ? 120 : 80);
        assert_true(info->valid_rmse > 0.07 && info->valid_rmse < 0.15);
        assert_true(info->curve.count > 10);
        una_model_free(model);
    }

    una_dataset_free(few);
    una_dataset_free(many);
    una_run_free(run);
}

/* The reported likelihood is that of Gaussian errors of the reported size and noise. */
static void likelihood_of_held_out_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, 100, run);
    una_model *model = fitted("nn(width=10, steps=200, noise_std=0.2)", data, &held_out, run);
    const una_fit_info *info = una_model_info(model);
    assert_near(info->noise_std, 0.2, 1e-12, 0);
    double ratio = info->valid_rmse / 0.2;
    assert_near(info->valid_log_lik, -0.5 * (log(2 * 3.14159265358979323846) + 2 * log(0.2) + ratio * ratio), 1e-9, 0);
    una_model_free(model);

    model = fitted("nn(width=10, steps=200, noise_std=0.2, units=standardised)", data, &held_out, run);
    double scale = model->columns.target_scale;
    assert_near(una_model_info(model)->noise_std, 0.2 * scale, 1e-12, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* The noise is the error of rows that did not train, one standard error of its logarithm up. How large that error is
 * for normal errors is simulated: log of a mean of n squares. */
static void noise_one_standard_error_up(void **state)
{
    (void)state;
    enum { ROWS = 100, TIMES = 4000 };
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -3, 3, 0.1, ROWS, run);
    una_model *model = fitted("nn(width=10, steps=200)", data, NULL, run);
    const una_fit_info *info = una_model_info(model);

    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 0);
    double sum = 0, square = 0;
    for (int k = 0; k < TIMES; k++) {
        double mean = 0;
        for (int i = 0; i < ROWS; i++) mean += pow(una_rng_normal(&rng), 2) / ROWS;
        sum += log(mean) / TIMES;
        square += log(mean) * log(mean) / TIMES;
    }

    assert_int_equal(info->valid_rows, ROWS);
    assert_near(2 * log(info->noise_std / info->valid_rmse), sqrt(square - sum * sum), 0.05, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Straight to the model, without held-out rows; gives its mean at x = 1. */
static double fit_bare(const una_problem *p, double penalty, una_status wanted, const char *says, una_run *run)
{
    double at = 1, mean = NAN, var, noise;
    una_predictive out = { .mean = &mean, .var_model = &var, .var_noise = &noise };
    una_arena keep;
    una_basis_options options = {0};                     /* as nn.c has it */
    una_fit_result result = { .valid_rmse = NAN };

    una_arena_init(&keep, run);
    void *state = una_arena_get(&keep, 1, sizeof(una_members));
    assert_ok(una_options_default(&options, una_kind_nn.options, run), run);
    options.common.steps = 400;
    options.width = 5;
    options.rate = 0.02;
    options.penalty = penalty;

    una_mark mark = una_arena_mark(&run->scratch);
    una_fit_target target = { state, &options, &result };
    una_fitting f = { .kind = &una_kind_nn, .problem = p, .target = &target, .keep = &keep, .run = run };
    assert_status(una_calls(&una_kind_nn)->fit(&f), wanted, run);
    if (says) assert_says(una_run_message(run), says);
    else {
        assert_true(result.noise_var > 0 && isfinite(result.log_evidence));
        assert_true(isnan(result.valid_rmse) && result.valid_rows == 0);
        assert_ok(una_calls(&una_kind_nn)->predict(state, (una_view){ &at, 1, 1, 1 }, &out, run), run);
    }

    una_arena_release(&run->scratch, mark);
    una_arena_free(&keep);
    return mean;
}

/* Without held-out rows the training error must do. A strong penalty leaves nothing; numbers beyond a float end in a
 * sentence. */
static void without_held_out_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[] = { -1, -0.5, 0, 0.5, 1, 1.5 }, y[] = { 1, 0.2, 0, 0.3, 1.1, 2 };
    una_input input = { .level = SIZE_MAX, .scale = 1 };
    una_columns columns = { .target_scale = 1, .inputs = &input, .input_count = 1 };
    una_problem p = { .x = { x, 6, 1, 1 }, .y = y, .columns = &columns };
    assert_near(fit_bare(&p, 0, UNA_OK, NULL, run), 1.1, 0, 0.2);
    assert_near(fit_bare(&p, 1e5, UNA_OK, NULL, run), 0, 0, 0.02);
    y[3] = 1e39;
    fit_bare(&p, 0, UNA_E_NUMERIC, "diverged", run);
    una_run_free(run);
}

/* What a stranger's file could hold is refused by name. */
static void damaged_states_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = quick_fit(&una_kind_nn, data, run);
    una_archive bytes = {0}, in = {0};
    una_arena arena;
    una_arena_init(&arena, run);
    assert_ok(una_archive_save_begin(&bytes, "{}", &arena, run), run);
    bytes.inputs = 2;
    assert_ok(una_kind_exchange(&una_kind_nn, una_calls(&una_kind_nn), model->state, &bytes), run);
    assert_ok(una_archive_save_end(&bytes), run);

    void *other = una_arena_get(&arena, 1, sizeof(una_members));
    assert_ok(una_archive_load_begin(&in, bytes.bytes, bytes.size, "memory", NULL, &arena, run), run);
    in.inputs = 3;                                       /* the network has two */
    assert_status(una_kind_exchange(&una_kind_nn, una_calls(&una_kind_nn), other, &in), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "does not fit the columns");

    una_arena_free(&arena);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void every_optimiser_trains(void **state)
{
    (void)state;
    static const char *const ways[] = { "optimiser=sgd, rate=0.0005, batch=16", "optimiser=gd, rate=0.0003",
                                        "optimiser=adam, batch=16", "patience=2",
                                        "activation=silu, initialisation=glorot" };
    una_run *run = quiet_run();
    una_dataset *data = curve_data(straight, -1, 1, 0.05, 80, run);

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char spec[160];
        snprintf(spec, sizeof spec, "nn(width=10, steps=400, %s)", ways[i]);
        una_model *model = fitted(spec, data, &held_out, run);
        if (!(una_model_info(model)->valid_rmse < 1))
            fail_msg("%s: rmse %g", ways[i], una_model_info(model)->valid_rmse);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_and_knows_its_noise),
        cmocka_unit_test(likelihood_of_held_out_rows),
        cmocka_unit_test(noise_one_standard_error_up),
        cmocka_unit_test(without_held_out_rows),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(every_optimiser_trains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
