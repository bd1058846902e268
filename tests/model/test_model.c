/* SPDX-License-Identifier: MIT
 *
 * What model.c and kinds.c do around any kind, with made-up kinds in place of the registry: one that can do nothing
 * beyond the minimum, one that wants rows held out, one that predicts a mixture, one that says which inputs matter.
 */
#include "models/quick.h"

#include "la/mixture.h"

typedef struct flat { double value, spread; } flat;
typedef struct flat_options { double value, spread; } flat_options;

static const una_option flat_table[] = {
    { "value", UNA_REAL, offsetof(flat_options, value), "0", -1e300, 1e300, false, NULL,
      "what is predicted, standardised" },
    { "spread", UNA_REAL, offsetof(flat_options, spread), "0.25", -1e300, 1e300, false, NULL,
      "its variance; below 0: not a number" },
    { .name = NULL }
};

static size_t leaked, validated;         /* of the last fit: rows held out, or in turn, and those that also train */

static bool same_inputs(una_view a, size_t i, una_view b, size_t j)
{
    return memcmp(a.at + i * a.stride, b.at + j * b.stride, a.cols * sizeof *a.at) == 0;
}

static void compare_parts(const una_problem *p)
{
    una_view held = p->folds ? p->x : p->valid_x;
    leaked = 0;
    validated = held.rows;
    for (size_t i = 0; i < held.rows; i++) {
        bool found = false;
        for (size_t j = 0; j < p->x.rows && !found; j++)
            found = !(p->folds && p->fold[i] == p->fold[j]) && same_inputs(held, i, p->x, j);
        leaked += found;
    }
}

static una_status flat_fit(una_fitting *f)
{
    void *state = f->target->state;
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    const flat_options *o = f->target->options;
    compare_parts(p);
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
    .name = "flat", .summary = "a plane", .source = "nobody", .options = flat_table,
    .options_size = sizeof(flat_options), .state_size = sizeof(flat), .thesis = "value=1", .least_rows = 4,
    .fit = flat_fit, .predict = flat_predict, .exchange = flat_exchange,
};
static const una_kind learning_kind = {
    .name = "learning", .summary = "a plane", .source = "nobody", .options = flat_table,
    .options_size = sizeof(flat_options), .state_size = sizeof(flat), .thesis = "", .least_rows = 4,
    .validation = &una_validates, .fit = flat_fit, .predict = flat_predict, .exchange = flat_exchange,
};

/* PARTS parts at value + x + 4 m/(PARTS - 1) - 2 with the variance 1/4 + m spread, and weights that rise with m where
 * the value is 2. Blocks must not be larger than 16 MiB. */
enum { PARTS = 300 };

static size_t comb_mixture(const void *state)
{
    (void)state;
    return PARTS;
}

static double comb_mean(const flat *m, double x, size_t part)
{
    return m->value + x + 4 * (double)part / (PARTS - 1) - 2;
}
static double comb_var(const flat *m, size_t part) { return 0.25 + m->spread * (double)part; }

static double comb_weight(size_t part) { return 2 * (double)(part + 1) / (PARTS * (PARTS + 1)); }

static una_status comb_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const flat *c = state;
    UNA_TRY(flat_predict(state, x, out, run));
    assert_true(!out->part_mean == !out->parts && !out->part_var == !out->parts);
    for (size_t m = 0; m < out->parts; m++) {
        assert_near(out->part_weight[m], 1.0 / PARTS, 0, 0);             /* equal at first, in every block */
        if (c->value == 2) out->part_weight[m] = comb_weight(m);
        if (c->value == -2 && m == 7) out->part_weight[m] = 0;           /* more trouble */
        if (c->value == -3 && m == 7) out->part_weight[m] += 2e-9;
    }
    if (out->parts) assert_true(out->parts == PARTS && x.rows * PARTS * 16 <= 16u << 20);
    for (size_t r = 0; r < x.rows; r++)
        for (size_t m = 0; m < out->parts; m++) {
            out->part_mean[r * PARTS + m] = comb_mean(c, x.at[r * x.stride], m);
            out->part_var[r * PARTS + m] = comb_var(c, m);
        }
    for (size_t r = 0; r < x.rows && c->value == -1; r++)        /* a value of -1 asks for trouble in the last part */
        if (out->parts) out->part_var[(r + 1) * PARTS - 1] = 0;
    return UNA_OK;
}

static const una_kind comb_kind = {
    .name = "comb", .summary = "parts side by side", .source = "nobody", .options = flat_table,
    .options_size = sizeof(flat_options), .state_size = sizeof(flat), .thesis = "", .least_rows = 4, .fit = flat_fit,
    .predict = comb_predict, .exchange = flat_exchange, .mixture = comb_mixture,
};

/* Column c of the table has the relevance c + 1/2; relearning does not learn it. */
static una_status keen_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    UNA_NEW(f->keep, double, relevance, p->x.cols);
    for (size_t d = 0; d < p->x.cols; d++) relevance[d] = (double)p->columns->inputs[d].source + 0.5;
    f->target->result->relevance = relevance;
    return flat_fit(f);
}

static const una_kind keen_kind = {
    .name = "keen", .summary = "a plane that looks at its inputs", .source = "nobody", .options = flat_table,
    .options_size = sizeof(flat_options), .state_size = sizeof(flat), .thesis = "", .least_rows = 4, .fit = keen_fit,
    .predict = flat_predict, .exchange = flat_exchange, .relearn = flat_fit,
};
const una_kind *const una_kinds[] = { &flat_kind, &learning_kind, &comb_kind, &keen_kind, NULL };

static void registry_questions(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_option_info info = UNA_INIT(una_option_info);

    assert_int_equal(una_kind_count(), 4);
    assert_string_equal(una_kind_name(0), "flat");
    assert_string_equal(una_kind_summary(1), "a plane");
    assert_string_equal(una_kind_source(1), "nobody");
    assert_string_equal(una_kind_preset(0), "value=1");
    assert_int_equal(una_kind_updates(0), 0);
    assert_int_equal(una_kind_relearns(0), 0);
    assert_int_equal(una_kind_option_count(0), 2);
    assert_int_equal(una_kind_option_count(7), 0);

    assert_null(una_kind_name(4));
    assert_null(una_kind_summary(4));
    assert_null(una_kind_source(4));
    assert_null(una_kind_preset(4));
    assert_int_equal(una_kind_updates(4), 0);
    assert_int_equal(una_kind_relearns(4), 0);

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
    assert_says(una_run_message(run), "flat, learning, comb, keen");
    assert_status(una_fit(&model, "quite_another", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, "flat(value=1", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&model, NULL, data, NULL, run), UNA_E_USAGE, run); /* the default is not in this registry */
    una_dataset_free(data);
    una_run_free(run);
}

static void specs_are_checked(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    assert_ok(una_spec_check("flat(value=2)", NULL, run), run);
    assert_status(una_spec_check("flatt", NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'flat'");
    assert_status(una_spec_check("flat(valu=2)", NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'value'");
    assert_status(una_spec_check("flat(value=two)", NULL, run), UNA_E_USAGE, run);
    assert_ok(una_spec_check("flat", NULL, run), run);
    assert_string_equal(una_run_message(run), "");
    assert_true(run->used == 0);
    una_run_free(run);
}

static void specs_have_one_form(void **state)
{
    una_run *run = quiet_run();
    const char *text;
    (void)state;
    assert_ok(una_spec_text(&text, " flat( value = 2.0e0 )", run), run);
    assert_string_equal(text, "flat(value=2)");
    assert_status(una_spec_text(&text, "flat(valu=2)", run), UNA_E_USAGE, run);
    assert_null(text);
    una_run_free(run);
}

static void callers_have_sentences_too(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    assert_int_equal(una_run_fail(run, UNA_E_IO, "100 % of the tape is full"), UNA_E_IO);
    assert_string_equal(una_run_message(run), "100 % of the tape is full");
    assert_string_equal(una_version(), UNA_VERSION);
    una_run_free(run);
}

static void later_options_win(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    const char *set[] = { "spread=4", "spread=9" };
    una_fit_settings settings = { .size = sizeof settings, .preset = "thesis", .set = set, .set_count = 2 };
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
    una_prediction out = { sizeof out, &mean, &std, &epistemic, &noise, &lower, &upper };
    assert_ok(una_model_predict_rows(model, &at, 1, 0.5, &out, run), run);
    assert_near(mean, sy * (2 + (35 - 25) / sx), 1e-12, 0);
    assert_near(std, sy * sqrt(1.25), 1e-12, 0);
    assert_near(epistemic, sy * 0.5, 1e-12, 0);
    assert_near(noise, sy, 1e-12, 0);
    assert_near(upper - mean, 0.6744897501960817 * std, 1e-9, 0);
    assert_near(mean - lower, upper - mean, 1e-12, 0);
    assert_near(una_model_info(model)->noise_std, sy, 1e-12, 0);

    double dmean, dstd;
    assert_ok(una_model_slope(model, &at, &dmean, &dstd, run), run); /* by differences: flat has no slope of its own */
    assert_near(dmean, sy / sx, 1e-6, 0);
    assert_near(dstd, 0, 0, 1e-6);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Bands end at quantiles of the mixture in the user's units; mean and std are those that the kind says. */
static void bands_of_a_mixture(void **state)
{
    (void)state;
    enum { ROWS = 4000 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run), *many = wave_data(ROWS, 100, run);
    una_model *model = fitted("comb(value=2, spread=0.01)", data, NULL, run);
    const una_columns *c = &model->columns;
    double *p = predicted(model, many, run), mean[PARTS], var[PARTS], weight[PARTS];

    for (size_t r = 0; r < ROWS; r += 97) {
        double x = (una_dataset_numbers(many, 0)[r] - c->inputs[0].centre) / c->inputs[0].scale;
        for (size_t m = 0; m < PARTS; m++) {
            mean[m] = c->target_centre + c->target_scale * comb_mean(model->state, x, m);
            var[m] = c->target_scale * c->target_scale * comb_var(model->state, m);
            weight[m] = comb_weight(m);
        }
        assert_near(p[r], c->target_centre + c->target_scale * (2 + x), 1e-12, 0);
        assert_near(p[ROWS + r], c->target_scale * sqrt(1.01), 1e-12, 0);
        assert_near(una_mixture_cdf(p[4 * ROWS + r], mean, var, weight, PARTS), 0.025, 1e-9, 0);
        assert_near(una_mixture_cdf(p[5 * ROWS + r], mean, var, weight, PARTS), 0.975, 1e-9, 0);
    }

    double upper, x[2] = { una_dataset_numbers(many, 0)[ROWS - 1], una_dataset_numbers(many, 1)[ROWS - 1] };
    assert_ok(una_model_predict_rows(model, x, 1, 0.95, &SIZED(una_prediction, .upper = &upper), run), run);
    assert_true(upper == p[6 * ROWS - 1]);                               /* alone as among others */

    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(many);
    una_run_free(run);
}

static void bad_parts_are_stopped(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("comb(value=-1)", data, NULL, run);
    double mean[20], lower[20];

    /* parts not asked for */
    assert_ok(una_model_predict(model, data, 0.95, &SIZED(una_prediction, .mean = mean), run), run);
    assert_status(una_model_predict(model, data, 0.95, &SIZED(una_prediction, .lower = lower), run), UNA_E_NUMERIC,
                  run);
    assert_says(una_run_message(run), "row 1");
    una_model_free(model);

    for (int i = 0; i < 2; i++) {
        model = fitted(i ? "comb(value=-3)" : "comb(value=-2)", data, NULL, run);
        assert_ok(una_model_predict(model, data, 0.95, &SIZED(una_prediction, .mean = mean), run), run);
        assert_status(una_model_predict(model, data, 0.95, &SIZED(una_prediction, .lower = lower), run), UNA_E_NUMERIC,
                      run);
        assert_says(una_run_message(run), "comb: the weights of its parts are not positive numbers that add up to 1");
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* What a fit needs to be repeated goes with the model. */
static void settings_are_remembered(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(30, run);
    una_model *model = fitted("flat", data, &mixed_settings, run), *copy = copied_model(model, run);
    const una_model *both[] = { model, copy };

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(una_model_info(both[i])->missing, UNA_MISSING_MEAN);
        assert_int_equal(una_model_info(both[i])->other, 2);
    }

    const char *path = temp_path("settings.una");
    char *json = NULL;
    assert_ok(una_model_save(copy, path, run), run);
    assert_ok(una_file_info(&json, path, run), run);
    assert_says(json, "\"missing\": \"mean\", \"other\": 2");

    una_memory_free(json, run);
    una_model_free(model);
    una_model_free(copy);
    una_dataset_free(data);
    una_run_free(run);
}

static void what_a_kind_cannot_is_reported(void **state)
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
    assert_ok(una_model_functions(model, data, &count, f, run), run);
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
    una_prediction out = { .size = sizeof out, .mean = mean };

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
    una_prediction out = { .size = sizeof out, .mean = &mean };
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
    una_model *model = fitted("flat", data, &SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN), run);
    double x[] = { NAN, 0 }, mean;
    una_prediction out = { .size = sizeof out, .mean = &mean };
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
    assert_status(una_fit(&model, "learning", data, &SIZED(una_fit_settings, .valid_fraction = -0.1), run), UNA_E_USAGE,
                  run);
    assert_status(una_fit(&model, "learning", data, &SIZED(una_fit_settings, .valid_fraction = NAN), run), UNA_E_USAGE,
                  run);

    size_t index = 0;
    una_status status = una_dataset_rows(&none, data, &index, 0, run);
    if (status == UNA_OK) {
        assert_status(una_fit(&model, "learning", data, &SIZED(una_fit_settings, .valid = none), run), UNA_E_INPUT,
                      run);
        assert_says(una_run_message(run), "no rows to validate on");
    }

    for (double fraction = 0.01; fraction < 1; fraction += 0.33) {       /* never nothing, never all */
        model = fitted("learning", data, &SIZED(una_fit_settings, .valid_fraction = fraction), run);
        una_model_free(model);
    }

    una_dataset_free(data);
    una_dataset_free(none);
    una_run_free(run);
}

/* `copies` of the rows are copies of the first ones. */
static una_model *fit_copies(size_t rows, size_t copies, bool valid, una_run *run)
{
    una_dataset *data = wave_data(rows, 0, run), *copied = NULL;
    static size_t index[2400];
    assert_true(rows <= 2400 && 2 * copies <= rows);
    for (size_t i = 0; i < rows; i++) index[i] = i < rows - copies ? i : i - (rows - copies);
    assert_ok(una_dataset_rows(&copied, data, index, rows, run), run);
    una_model *model = fitted("learning", copied, &SIZED(una_fit_settings, .valid = valid ? data : NULL), run);
    una_dataset_free(copied);
    una_dataset_free(data);
    return model;
}

/* Rows of the table stand on one side with their copies, and a note says so; rows of another table cannot. */
static void copies_stay_together(void **state)
{
    (void)state;
    static const struct { size_t rows, copies; bool valid; const char *note, *warning; } cases[] = {
        { 60, 30, false, "60 of the 60 rows have the same inputs as another row: copies share a fold", NULL },
        { 150, 20, false, "40 of the 150 rows have the same inputs as another row: copies share a fold", NULL },
        { 60, 1, false, NULL, NULL }, { 60, 0, false, NULL, NULL },
        { 2400, 1200, false, "2400 of the 2400 rows have the same inputs as another row: copies are held out together",
          NULL },
        { 2400, 0, false, NULL, NULL },
        { 60, 20, true, NULL, "%zu of the %zu held-out rows have the same inputs as a training row" },
    };

    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[200] = "";
        una_model *model = fit_copies(cases[i].rows, cases[i].copies, cases[i].valid, run);
        const una_fit_info *info = una_model_info(model);
        assert_true(cases[i].warning ? leaked > validated / 10 : leaked == 0);
        assert_int_equal(info->warning_count, cases[i].warning != NULL);
        if (cases[i].warning) {
            snprintf(wanted, sizeof wanted, cases[i].warning, leaked, validated);
            assert_says(info->warnings[0], wanted);
        }
        assert_int_equal(info->note_count, cases[i].note != NULL);
        if (cases[i].note) assert_says(info->notes[0], cases[i].note);
        una_model_free(model);
    }
    una_run_free(run);
}

/* Four different inputs only: to leave one out would ask for what no row shows, so copies are parted, and a note
 * says so. */
static void few_inputs_are_parted(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(4, 0, run), *copied = NULL;
    size_t index[100];
    for (size_t i = 0; i < 100; i++) index[i] = i % 4;
    assert_ok(una_dataset_rows(&copied, data, index, 100, run), run);
    una_model *model = fitted("learning", copied, NULL, run);
    assert_int_equal(leaked, 100);
    assert_says(una_model_info(model)->warnings[0], "100 of the 100 rows have the same inputs as a row of another");
    una_model_free(model);
    una_dataset_free(copied);
    una_dataset_free(data);
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

static void states_are_copied(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat(value=2)", data, NULL, run), *before = copied_model(model, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive bytes = {0}, in = {0};
    const una_learnt fitted_state = una_model_learnt(model);
    una_arena spare;
    flat none = {0};
    void *state_before = NULL;
    una_arena_init(&spare, run);
    assert_ok(una_state_copy(&state_before, &fitted_state, &spare, run), run);
    assert_ok(una_archive_save_begin(&bytes, "{}", &run->scratch, run), run);
    assert_ok(una_kind_exchange(model->kind, una_calls(model->kind), model->state, &bytes), run);
    assert_ok(una_archive_save_end(&bytes), run);
    ((flat *)model->state)->value = 5;
    assert_near(((flat *)model->state)->value, 5, 0, 0);                 /* it stands beside the model's */
    model->state = state_before;
    una_arena_join(&model->keep, &spare);
    assert_same_predictions(model, before, data, 0, run);

    bytes.bytes[bytes.size - 20] ^= 1;
    una_status status = una_archive_load_begin(&in, bytes.bytes, bytes.size, "memory", NULL, &spare, run);
    if (status == UNA_OK) status = una_kind_exchange(model->kind, una_calls(model->kind), &none, &in);
    assert_status(status == UNA_OK ? una_archive_load_end(&in) : status, UNA_E_INPUT, run);

    una_arena_free(&spare);
    una_arena_release(&run->scratch, mark);
    una_model_free(model);
    una_model_free(before);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- relevance --------------------------------------------------------------------------------------------------- */

static void assert_relevance(const una_model *model)
{
    const double *relevance = una_model_info(model)->relevance;
    assert_non_null(relevance);
    assert_true(una_model_input_count(model) >= 3 && una_model_info(model)->inputs > una_model_input_count(model));
    for (size_t c = 0; c < una_model_input_count(model); c++) assert_near(relevance[c], (double)c + 0.5, 0, 0);
}

/* One number for a column, also for a text column of several levels; kept by files and by relearning. */
static void relevance_is_told_and_kept(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(60, run);
    una_model *model = fitted("keen", data, &mixed_settings, run), *copy = copied_model(model, run), *relearnt = NULL;
    assert_relevance(model);
    assert_relevance(copy);
    assert_ok(una_model_relearn(&relearnt, model, data, NULL, 0, run), run);
    assert_relevance(relearnt);

    char *header = NULL, wanted[64];
    const char *path = temp_path("keen.una");
    assert_ok(una_model_save(model, path, run), run);
    assert_ok(una_file_info(&header, path, run), run);
    assert_says(header, "\"relevance\": {\"");
    snprintf(wanted, sizeof wanted, "\"%s\": 1.5", una_model_input_name(model, 1));
    assert_says(header, wanted);

    una_memory_free(header, run);
    una_model_free(relearnt);
    una_model_free(copy);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Where it was not learnt nothing is reported, nor written: such files are as before. */
static void no_relevance_no_block(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("flat", data, NULL, run), *copy = copied_model(model, run);
    void *bytes;
    size_t size;
    assert_null(una_model_info(model)->relevance);
    assert_null(una_model_info(copy)->relevance);
    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    for (size_t i = 0; i + 9 <= size; i++) assert_memory_not_equal((const char *)bytes + i, "relevance", 9);

    una_memory_free(bytes, run);
    una_model_free(copy);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void bad_relevance_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run);
    una_model *model = fitted("keen", data, NULL, run), *copy = NULL;
    double bad[][2] = { { 0, 1 }, { 1, -1 } }, odd[] = { 1, NAN };
    void *bytes;
    size_t size;
    for (size_t i = 0; i < 2; i++) {
        model->info.relevance = bad[i];
        assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
        assert_status(una_model_load_memory(&copy, bytes, size, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "column_relevance");
        una_memory_free(bytes, run);
    }

    model->info.relevance = odd;                         /* what could not be loaded is not saved */
    assert_status(una_model_save_memory(model, &bytes, &size, run), UNA_E_NUMERIC, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registry_questions),
        cmocka_unit_test(unknown_models_are_named),
        cmocka_unit_test(specs_are_checked),
        cmocka_unit_test(specs_have_one_form),
        cmocka_unit_test(callers_have_sentences_too),
        cmocka_unit_test(later_options_win),
        cmocka_unit_test(units_are_the_users),
        cmocka_unit_test(bands_of_a_mixture),
        cmocka_unit_test(bad_parts_are_stopped),
        cmocka_unit_test(settings_are_remembered),
        cmocka_unit_test(what_a_kind_cannot_is_reported),
        cmocka_unit_test(bad_numbers_are_stopped),
        cmocka_unit_test(words_need_a_table),
        cmocka_unit_test(missing_numbers_become_the_mean),
        cmocka_unit_test(rows_are_split),
        cmocka_unit_test(copies_stay_together),
        cmocka_unit_test(few_inputs_are_parted),
        cmocka_unit_test(files_of_other_kinds_are_refused),
        cmocka_unit_test(states_are_copied),
        cmocka_unit_test(relevance_is_told_and_kept),
        cmocka_unit_test(no_relevance_no_block),
        cmocka_unit_test(bad_relevance_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
