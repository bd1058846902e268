/* SPDX-License-Identifier: MIT
 *
 * What model.c and kinds.c do around any kind, with two made-up kinds in place of the registry: one that can do nothing
 * beyond the minimum, one that misbehaves.
 */
#include "models/quick.h"

typedef struct flat { double value, spread; } flat;
typedef struct flat_options { double value, spread; } flat_options;

static const una_option flat_table[] = {
    { "value", UNA_REAL, offsetof(flat_options, value), "0", -1e300, 1e300, false, NULL, "what is predicted, standardised" },
    { "spread", UNA_REAL, offsetof(flat_options, spread), "0.25", -1e300, 1e300, false, NULL, "its variance; below 0: not a number" },
    { .name = NULL }
};

static una_status flat_fit(void *state, void *options, const una_problem *p, una_fit_result *result, una_arena *keep, una_run *run)
{
    const flat_options *o = options;
    (void)p;
    (void)keep;
    (void)run;
    *(flat *)state = (flat){ o->value, o->spread };
    result->noise_var = 1;
    result->log_evidence = o->value > 1e200 ? NAN : -1;
    return UNA_OK;
}

static una_status flat_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const flat *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = m->value + x.at[r * x.stride];
        out->var_model[r] = m->spread < 0 ? NAN : m->spread;
        out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status flat_exchange(void *state, una_archive *ar)
{
    flat *m = state;
    UNA_TRY(una_archive_f64(ar, "value", &m->value));
    return una_archive_f64(ar, "spread", &m->spread);
}

static const una_kind flat_kind = {
    .name = "flat", .summary = "a plane", .source = "nobody", .options = flat_table, .options_size = sizeof(flat_options),
    .state_size = sizeof(flat), .thesis = "value=1", .least_rows = 4, .fit = flat_fit, .predict = flat_predict, .exchange = flat_exchange,
};
static const una_kind learning_kind = {
    .name = "learning", .summary = "a plane", .source = "nobody", .options = flat_table, .options_size = sizeof(flat_options),
    .state_size = sizeof(flat), .thesis = "", .least_rows = 4, .learns_features = true, .fit = flat_fit, .predict = flat_predict,
    .exchange = flat_exchange,
};
const una_kind *const una_kinds[] = { &flat_kind, &learning_kind, NULL };

static void registry_questions(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_option_info info;
    assert_int_equal(una_kind_count(), 2);
    assert_string_equal(una_kind_name(0), "flat");
    assert_string_equal(una_kind_summary(1), "a plane");
    assert_string_equal(una_kind_source(1), "nobody");
    assert_string_equal(una_kind_preset(0), "value=1");
    assert_int_equal(una_kind_updates(0), 0);
    assert_int_equal(una_kind_option_count(0), 2);
    assert_int_equal(una_kind_option_count(7), 0);
    assert_null(una_kind_name(2));
    assert_null(una_kind_summary(2));
    assert_null(una_kind_source(2));
    assert_null(una_kind_preset(2));
    assert_int_equal(una_kind_updates(2), 0);
    assert_ok(una_kind_option(&info, 0, 1, run), run);
    assert_string_equal(info.name, "spread");
    assert_string_equal(info.initial, "0.25");
    assert_string_equal(info.type, "number");
    assert_status(una_kind_option(&info, 0, 2, run), UNA_E_USAGE, run);
    assert_status(una_kind_option(&info, 9, 0, run), UNA_E_USAGE, run);
    assert_null(una_kind_find("none"));
    una_run_free(run);
}

static void unknown_models_are_named(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = NULL;
    assert_status(una_fit(&model, "flatt(value=1)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "there is no model 'flatt'; did you mean 'flat'?");
    assert_says(una_run_message(run), "flat, learning");
    assert_status(una_fit(&model, "quite_another", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, "flat(value=1", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, NULL, data, NULL, run), UNA_E_USAGE, run);      /* the default is not in this registry */
    una_dataset_free(data);
    una_run_free(run);
}

static void later_options_win(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    const char *set[] = { "spread=4", "spread=9" };
    una_fit_settings settings = { .preset = "thesis", .set = set, .set_count = 2 };
    una_model *model = fitted("flat(spread=1)", data, &settings, run);
    assert_string_equal(una_model_info(model)->spec, "flat(value=1, spread=9)");
    assert_string_equal(una_model_options_json(model), "{\"value\":1,\"spread\":9}");
    assert_int_equal(una_model_input_count(model), 2);
    assert_string_equal(una_model_input_name(model, 1), "x2");
    assert_null(una_model_input_name(model, 2));
    una_model_free(model);
    una_model_free(NULL);
    una_dataset_free(data);
    una_run_free(run);
}

/* mean = centre + scale (value + z1), whatever the units of the data. */
static void units_are_the_users(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double x[] = { 10, 20, 30, 40 }, y[] = { -300, -100, 100, 300 };
    una_dataset *data = NULL;
    assert_ok(una_dataset_from_arrays(&data, x, y, 4, 1, NULL, run), run);
    una_model *model = fitted("flat(value=2)", data, NULL, run);
    double sx = sqrt(125.0), sy = sqrt(50000.0), mean, std, epistemic, noise, lower, upper, at = 35;
    una_prediction out = { &mean, &std, &epistemic, &noise, &lower, &upper };
    assert_ok(una_model_predict_rows(model, &at, 1, 0.5, &out, run), run);
    assert_near(mean, sy * (2 + (35 - 25) / sx), 1e-12, 0);
    assert_near(std, sy * sqrt(1.25), 1e-12, 0);
    assert_near(epistemic, sy * 0.5, 1e-12, 0);
    assert_near(noise, sy, 1e-12, 0);
    assert_near(upper - mean, 0.6744897501960817 * std, 1e-9, 0);
    assert_near(mean - lower, upper - mean, 1e-12, 0);
    assert_near(una_model_info(model)->noise_std, sy, 1e-12, 0);
    double dmean, dstd;
    assert_ok(una_model_slope(model, &at, &dmean, &dstd, run), run);     /* by differences: flat has no slope of its own */
    assert_near(dmean, sy / sx, 1e-6, 0);
    assert_near(dstd, 0, 0, 1e-6);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void what_a_kind_cannot_is_said(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat", data, NULL, run);
    double f[20];
    size_t count = 5;
    assert_status(una_model_draw(model, data, 1, 0, f, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "flat cannot draw functions");
    assert_status(una_model_update(model, data, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "fit it again on all rows");
    assert_ok(una_model_parts(model, data, &count, f, run), run);
    assert_int_equal(count, 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void bad_numbers_are_stopped(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = NULL;
    double mean[20];
    una_prediction out = { .mean = mean };
    assert_status(una_fit(&model, "flat(value=1e250)", data, NULL, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "evidence that is not a number");
    model = fitted("flat(spread=-1)", data, NULL, run);
    assert_status(una_model_predict(model, data, 0.95, &out, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "row 1");
    assert_status(una_model_predict(model, data, 1, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "level");
    double x[] = { 0, 0, 0, NAN };
    assert_status(una_model_predict_rows(model, x, 2, 0.95, &out, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'x2'");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void words_need_a_table(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(30, run);
    una_model *model = fitted("flat", data, &mixed_settings, run);
    double x[] = { 1, 1, 1 }, mean;
    una_prediction out = { .mean = &mean };
    assert_status(una_model_predict_rows(model, x, 1, 0.95, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'colour' holds words");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void missing_numbers_become_the_mean(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat", data, &(una_fit_settings){ .missing = UNA_MISSING_MEAN }, run);
    double x[] = { NAN, 0 }, mean;
    una_prediction out = { .mean = &mean };
    assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    assert_near(mean, model->columns.target_centre, 1e-12, 0);           /* z1 = 0 */
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void rows_are_split(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run), *none = NULL;
    una_model *model = NULL;
    assert_status(una_fit(&model, "learning", data, &(una_fit_settings){ .valid_fraction = -0.1 }, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, "learning", data, &(una_fit_settings){ .valid_fraction = NAN }, run), UNA_E_USAGE, run);
    size_t index = 0;
    una_status status = una_dataset_rows(&none, data, &index, 0, run);
    if (status == UNA_OK) {
        assert_status(una_fit(&model, "learning", data, &(una_fit_settings){ .valid = none }, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "no rows to validate on");
    }
    for (double fraction = 0.01; fraction < 1; fraction += 0.33) {       /* never nothing, never all */
        model = fitted("learning", data, &(una_fit_settings){ .valid_fraction = fraction }, run);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_dataset_free(none);
    una_run_free(run);
}

static void files_of_other_kinds_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat", data, NULL, run), *back = NULL;
    una_kind stranger = flat_kind;
    void *bytes;
    size_t size;
    stranger.name = "stranger";
    model->kind = &stranger;
    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    assert_status(una_model_load_memory(&back, bytes, size, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "names a model that this una does not have");
    una_memory_free(bytes, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void snapshots_restore(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat(value=2)", data, NULL, run), *before = copied_model(model, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive bytes;
    assert_ok(una_model_snapshot(&bytes, model, &run->scratch, run), run);
    ((flat *)model->state)->value = 5;
    assert_ok(una_model_restore(model, &bytes, run), run);
    assert_same_predictions(model, before, data, 0, run);
    ((flat *)model->state)->value = 5;
    bytes.bytes[bytes.size - 20] ^= 1;                                   /* what cannot be read changes nothing */
    assert_status(una_model_restore(model, &bytes, run), UNA_E_INPUT, run);
    assert_near(((flat *)model->state)->value, 5, 0, 0);
    una_arena_release(&run->scratch, mark);
    una_model_free(model);
    una_model_free(before);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_questions),
        cmocka_unit_test(unknown_models_are_named),
        cmocka_unit_test(later_options_win),
        cmocka_unit_test(units_are_the_users),
        cmocka_unit_test(what_a_kind_cannot_is_said),
        cmocka_unit_test(bad_numbers_are_stopped),
        cmocka_unit_test(words_need_a_table),
        cmocka_unit_test(missing_numbers_become_the_mean),
        cmocka_unit_test(rows_are_split),
        cmocka_unit_test(files_of_other_kinds_are_refused),
        cmocka_unit_test(snapshots_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
