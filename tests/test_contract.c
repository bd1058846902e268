/* SPDX-License-Identifier: MIT
 *
 * What every model of the registry promises, asked of each of them: same seed same bits for any number of threads,
 * files that hold nothing of the machine, options that are named when wrong, variances that stay positive, exact
 * updates, draws that agree with the predictions, and no leak whatever allocation fails. A new model is tested by its
 * registry line; one that sees images a second time, with images and a network of convolutions.
 */
#include "models/quick.h"

#include <float.h>

enum { INPUTS = IMAGE_SIZE };            /* the most that a subject has */

typedef struct subject { const una_kind *kind; size_t choice; bool images; } subject;

/* What is quick from here on is the subject's choice of its rows in quick.h. */
static int prepare(void **state)
{
    const subject *s = *state;
    quick_choice = s->choice;
    quick_images = s->images;
    return 0;
}

static const una_kind *kind_of(void **state)
{
    return ((const subject *)*state)->kind;
}

static una_run *run_with(una_run_settings settings)
{
    una_run *run = NULL;
    if (una_run_new(&run, &settings) != UNA_OK) fail_msg("%s", "no run could be made");
    return run;
}

/* ---- bits ------------------------------------------------------------------------------------------------- */

typedef struct saved { void *bytes; size_t size; una_run *run; } saved;

/* Fits and saves in a run of its own, so that nothing is shared between two of them. */
static saved fit_and_save(const una_kind *kind, size_t rows, bool mixed, una_run_settings settings)
{
    saved file = { .run = run_with(settings) };
    una_dataset *data = mixed ? mixed_data(rows, file.run) : quick_data(rows, 0, file.run);
    una_model *model = fitted(quick_spec(kind->name, NULL), data, mixed ? &mixed_settings : NULL, file.run);
    assert_ok(una_model_save_memory(model, &file.bytes, &file.size, file.run), file.run);
    una_model_free(model);
    una_dataset_free(data);
    return file;
}

static void forget(saved *file)
{
    una_memory_free(file->bytes, file->run);
    una_run_free(file->run);
}

static bool same_file(const saved *a, const saved *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void same_seed_same_bits(void **state)
{
    skip_if_sanitized();                 /* numbers, not memory */
    const una_kind *kind = kind_of(state);
    for (int mixed = 0; mixed <= !quick_images; mixed++) {
        for (size_t rows = 60; rows <= (quick_images ? 60 : 220); rows += 160) {     /* folds, and rows held out */
            saved first = fit_and_save(kind, rows, mixed, SIZED(una_run_settings, .threads = 1, .seed = 3));
            saved again = fit_and_save(kind, rows, mixed, SIZED(una_run_settings, .threads = 1, .seed = 3));
            saved wide = fit_and_save(kind, rows, mixed, SIZED(una_run_settings, .threads = 2, .seed = 3));

            assert_true(same_file(&first, &again));
            assert_true(same_file(&first, &wide));
            forget(&first);
            forget(&again);
            forget(&wide);
        }
    }
}

static void another_seed_other_bits(void **state)
{
    const una_kind *kind = kind_of(state);
    if (!has_option(kind, "initialisation")) skip();                     /* nothing random in it */
    saved a = fit_and_save(kind, 60, false, SIZED(una_run_settings, .threads = 1, .seed = 3));
    saved b = fit_and_save(kind, 60, false, SIZED(una_run_settings, .threads = 1, .seed = 4));
    assert_false(same_file(&a, &b));
    forget(&a);
    forget(&b);
}

static bool holds(const saved *file, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; length && i + length <= file->size; i++)
        if (memcmp((const char *)file->bytes + i, text, length) == 0) return true;
    return false;
}

static void files_hold_nothing_of_the_machine(void **state)
{
    char host[256] = "", folder[4096] = "";
    const una_kind *kind = kind_of(state);
    saved file = fit_and_save(kind, 60, !quick_images, SIZED(una_run_settings, .threads = 2));
    assert_true(holds(&file, "una model") && holds(&file, quick_images ? "index" : "colour"));   /* the search works */
    assert_false(holds(&file, "mixed.csv") || holds(&file, "quick.idx"));
    assert_false(holds(&file, temp_folder()));
    assert_false(holds(&file, "threads"));
    if (gethostname(host, sizeof host - 1) == 0 && strlen(host) > 4) assert_false(holds(&file, host));
    if (getcwd(folder, sizeof folder)) assert_false(holds(&file, folder));
    forget(&file);
}

/* Whatever word the option has: a model trained with it can be saved, and what is loaded predicts the same. */
static void every_activation(void **state)
{
    const una_kind *kind = kind_of(state);
    const una_option *option = kind->options;
    while (option->name && strcmp(option->name, "activation") != 0) option++;
    if (!option->name) skip();
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);

    for (const char *word = option->choices; *word; word += strcspn(word, "|"), word += *word == '|') {
        char more[64];
        snprintf(more, sizeof more, "activation=%.*s", (int)strcspn(word, "|"), word);
        una_model *model = fitted(quick_spec(kind->name, more), data, NULL, run), *copy = copied_model(model, run);
        assert_same_predictions(model, copy, data, 0, run);
        una_model_free(model);
        una_model_free(copy);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void save_load_save(void **state)
{
    const una_kind *kind = kind_of(state);
    for (int mixed = 0; mixed <= !quick_images; mixed++) {
        una_run *run = quiet_run();
        una_dataset *data = mixed ? mixed_data(60, run) : quick_data(60, 0, run);
        una_model *model = fitted(quick_spec(kind->name, NULL), data, mixed ? &mixed_settings : NULL, run);
        una_model *copy = copied_model(model, run), *third = NULL;
        saved a = { .run = run }, b = { .run = run };

        assert_ok(una_model_save_memory(model, &a.bytes, &a.size, run), run);
        assert_ok(una_model_save_memory(copy, &b.bytes, &b.size, run), run);
        assert_true(same_file(&a, &b));
        assert_same_predictions(model, copy, data, 0, run);

        const char *path = temp_path("saved.una");                       /* a file holds what memory holds */
        assert_ok(una_model_save(model, path, run), run);
        assert_ok(una_model_load(&third, path, run), run);
        assert_same_predictions(model, third, data, 0, run);
        assert_string_equal(una_model_info(third)->spec, una_model_info(model)->spec);
        assert_string_equal(una_model_options_json(third), una_model_options_json(model));

        una_memory_free(a.bytes, run);
        una_memory_free(b.bytes, run);
        una_model_free(model);
        una_model_free(copy);
        una_model_free(third);
        una_dataset_free(data);
        una_run_free(run);
    }
}

static una_dataset *some_rows(const una_dataset *data, size_t from, size_t count, una_run *run)
{
    size_t index[256];
    una_dataset *part = NULL;
    for (size_t i = 0; i < count; i++) index[i] = from + i;
    assert_ok(una_dataset_rows(&part, data, index, count, run), run);
    return part;
}

/* By its numbers, or where it names an image by a table of one row. */
static void predict_one(const una_model *model, const una_dataset *data, size_t row, double one[6], una_run *run)
{
    una_prediction out = { sizeof out, one, one + 1, one + 2, one + 3, one + 4, one + 5 };
    if (quick_images) {
        una_dataset *single = some_rows(data, row, 1, run);
        assert_ok(una_model_predict(model, single, 0.95, &out, run), run);
        una_dataset_free(single);
    } else {
        double x[2] = { una_dataset_numbers(data, 0)[row], una_dataset_numbers(data, 1)[row] };
        assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    }
}

static void batch_is_one_by_one(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *many = quick_data(301, 1000, run);
    una_model *model = quick_fit(kind_of(state), data, run);
    size_t rows = una_dataset_row_count(many);
    double *all = predicted(model, many, run), one[6];

    for (size_t i = 0; i < rows; i += 7) {
        predict_one(model, many, i, one, run);
        for (size_t j = 0; j < 6; j++) assert_true(one[j] == all[j * rows + i]);
    }

    free(all);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(many);
    una_run_free(run);
}

static void means_alone_are_the_same(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *many = quick_data(301, 1000, run);
    una_model *model = quick_fit(kind_of(state), data, run);
    size_t rows = una_dataset_row_count(many);
    double *all = predicted(model, many, run), mean[301], noise[301];

    assert_ok(una_model_predict(model, many, 0.95, &SIZED(una_prediction, .mean = mean, .std_noise = noise), run), run);
    assert_memory_equal(mean, all, rows * sizeof *mean);
    assert_memory_equal(noise, all + 3 * rows, rows * sizeof *noise);

    free(all);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(many);
    una_run_free(run);
}

static void kernel_sets(void **state)
{
    const una_kind *kind = kind_of(state);
    static const char *const names[] = { "generic", "avx2", "avx512" };
    if (quick_images) skip_if_sanitized();
    size_t worked = 0;
    for (size_t i = 0; i < 3; i++) {
        una_run *run = run_with(SIZED(una_run_settings, .threads = 1, .kernels = names[i]));
        una_dataset *data = quick_data(60, 0, run);
        una_model *model = NULL;
        una_status status = una_fit(&model, quick_spec(kind->name, NULL), data, NULL, run);

        if (status != UNA_OK) {                                          /* a machine without that set says so */
            assert_int_equal(status, UNA_E_USAGE);
            assert_says(una_run_message(run), names[i]);
            print_message("%s: kernels %s are not on this machine\n", kind->name, names[i]);
        } else {
            una_model *again = sanitized ? NULL : quick_fit(kind, data, run);
            if (again) assert_same_predictions(model, again, data, 0, run);
            una_model_free(again);
            worked++;
        }

        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
    assert_true(worked >= 1);
}

/* ---- options ------------------------------------------------------------------------------------------------ */

static void refused(const una_kind *kind, const char *key, const char *value, const una_dataset *data, una_run *run)
{
    char spec[512];
    una_model *model = NULL;
    snprintf(spec, sizeof spec, "%s(%s=%s)", kind->name, key, value);
    assert_status(una_fit(&model, spec, data, NULL, run), UNA_E_USAGE, run);
    assert_null(model);
    assert_says(una_run_message(run), kind->name);
    assert_says(una_run_message(run), key);
    assert_says(una_run_message(run), value);
}

static void wrong_options_are_named(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(20, 0, run);

    for (const una_option *o = kind->options; o->name; o++) {
        char text[64];
        bool number = o->type == UNA_REAL || o->type == UNA_COUNT;
        if (o->type == UNA_TEXT || o->type == UNA_FILE) continue;
        refused(kind, o->name, "nonsense", data, run);
        if (o->type == UNA_COUNT) refused(kind, o->name, "2.5", data, run);
        if (!number) continue;
        refused(kind, o->name, "-3", data, run);
        if (o->high < DBL_MAX / 10) {
            snprintf(text, sizeof text, "%g", 10 * o->high);
            refused(kind, o->name, text, data, run);
        }
    }

    char wrong[128], spec[256];
    una_model *model = NULL;
    snprintf(wrong, sizeof wrong, "%sx", kind->options[0].name);
    snprintf(spec, sizeof spec, "%s(%s=1)", kind->name, wrong);
    assert_status(una_fit(&model, spec, data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), wrong);
    assert_says(una_run_message(run), kind->options[0].name);
    assert_says(una_run_message(run), "did you mean");

    const char *set[] = { "no_such_option=1" };                          /* --set is checked like the spec */
    assert_status(una_fit(&model, kind->name, data, &SIZED(una_fit_settings, .set = set, .set_count = 1), run),
                  UNA_E_USAGE, run);
    assert_says(una_run_message(run), "no_such_option");
    una_dataset_free(data);
    una_run_free(run);
}

/* Every option at its default text, as --set gives it, is the model with no options. */
static void defaults_are_accepted(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(30, 0, run);
    char text[128][256];
    const char *set[128];
    size_t count = 0;

    for (const una_option *o = kind->options; o->name; o++, count++) {
        snprintf(text[count], sizeof text[0], "%s=%s%s%s", o->name, *o->initial ? "" : "\"", o->initial,
                 *o->initial ? "" : "\"");
        set[count] = text[count];
    }
    const char *quick = quick_options(kind->name);
    if (*quick) set[count++] = quick;

    una_model *spelt = fitted(kind->name, data, &SIZED(una_fit_settings, .set = set, .set_count = count), run);
    una_model *silent = quick_fit(kind, data, run);
    assert_string_equal(una_model_info(spelt)->spec, una_model_info(silent)->spec);
    assert_same_predictions(spelt, silent, data, 0, run);

    una_model_free(spelt);
    una_model_free(silent);
    una_dataset_free(data);
    una_run_free(run);
}

/* The printed spec with every choice filled in repeats the fit. */
static void spec_can_be_passed_back(void **state)
{
    skip_if_sanitized();                 /* numbers, not memory */
    const una_kind *kind = kind_of(state);
    for (int mixed = 0; mixed <= !quick_images; mixed++) {
        for (size_t rows = 60; rows <= (quick_images ? 60 : 220); rows += 160) {
            una_run *run = quiet_run();
            una_dataset *data = mixed ? mixed_data(rows, run) : quick_data(rows, 0, run);
            const una_fit_settings *settings = mixed ? &mixed_settings : NULL;
            const char *more = has_option(kind, "restarts") ? "prior_var=auto, restarts=2" : "prior_var=auto";

            una_model *model = fitted(quick_spec(kind->name, has_option(kind, "prior_var") ? more : NULL), data,
                                      settings, run);
            una_model *again = fitted(una_model_info(model)->spec, data, settings, run);
            assert_same_predictions(again, model, data, 1e-9, run);

            una_model_free(model);
            una_model_free(again);
            una_dataset_free(data);
            una_run_free(run);
        }
    }
}

static void presets_work(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(40, 0, run);
    una_model *model = NULL;
    /* a kind of other budgets is as small as in the other tests, in the first of its ways; one that is quick has no row */
    const char *set[] = { has_option(kind, "epochs") ? "epochs=5" : quick_row(kind->name, 0) };
    una_fit_settings settings = { .size = sizeof settings, .preset = "thesis", .set = set, .set_count = *set ? 1 : 0 };

    assert_status(una_fit(&model, kind->name, data, &settings, run), UNA_OK, run);
    una_model_free(model);
    assert_status(una_fit(&model, kind->name, data, &SIZED(una_fit_settings, .preset = "thesys"), run), UNA_E_USAGE,
                  run);
    assert_says(una_run_message(run), "thesys");

    una_dataset_free(data);
    una_run_free(run);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static void variances_are_positive(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = quick_fit(kind_of(state), data, run);
    double *p = predicted(model, data, run);

    for (size_t i = 0; i < 60; i++) {
        assert_true(p[60 + i] > 0 && isfinite(p[60 + i]));
        assert_true(p[120 + i] >= 0 && p[180 + i] > 0);
        assert_near(p[60 + i] * p[60 + i], p[120 + i] * p[120 + i] + p[180 + i] * p[180 + i], 1e-12, 0);
        assert_true(p[240 + i] < p[i] && p[i] < p[300 + i]);
        if (!una_calls(model->kind)->mixture) assert_near(p[300 + i] - p[i], 1.959963984540054 * p[60 + i], 1e-9, 0);
    }
    free(p);

    static const double far[] = { 1e3, 1e6, 1e12, 1e100, 1e300 };
    for (size_t i = 0; i < 5 && !quick_images; i++) {                    /* an answer or a sentence, never a crash */
        double x[2] = { far[i], -far[i] }, value[3];
        una_prediction out = { .size = sizeof out, .mean = value, .std = value + 1, .std_epistemic = value + 2 };
        una_status status = una_model_predict_rows(model, x, 1, 0.95, &out, run);
        if (status == UNA_OK) assert_true(isfinite(value[0]) && value[1] > 0 && isfinite(value[1]));
        else assert_int_equal(status, UNA_E_NUMERIC);
        if (status != UNA_OK) assert_true(strlen(una_run_message(run)) > 20);
        if (far[i] <= 1e6) assert_int_equal(status, UNA_OK);
    }

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* With `other`, a word never seen has a level, which may be 0 in every training row. */
static void words_never_seen(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = NULL, *new_word = NULL;
    char text[4000] = "x,colour,y\n";
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), 60, "%g,%s,%g\n", sin(i), i % 2 ? "red" : "blue",
                 i % 2 + sin(i) + 0.1 * cos(9 * i));
    assert_ok(una_dataset_read(&data, temp_text_file("seen.csv", text), run), run);
    assert_ok(una_dataset_read(&new_word, temp_text_file("unseen.csv", "x,colour\n0.5,green\n"), run), run);

    una_model *model = fitted(quick_spec(kind->name, NULL), data, &SIZED(una_fit_settings, .other = 5), run);
    assert_int_equal(una_model_info(model)->inputs, 4);
    double mean = NAN, std = NAN;
    una_prediction out = { .size = sizeof out, .mean = &mean, .std = &std };
    assert_ok(una_model_predict(model, new_word, 0.95, &out, run), run);
    assert_true(fabs(mean) < 100 && std > 0 && isfinite(std));
    una_model_free(model);

    model = fitted(quick_spec(kind->name, NULL), data, NULL, run);
    assert_status(una_model_predict(model, new_word, 0.95, &out, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "--other");
    una_model_free(model);
    una_dataset_free(new_word);
    una_dataset_free(data);
    una_run_free(run);
}

static double standard_at(const una_model *model, const double *x, bool variance, una_run *run)
{
    double mean, var, noise;
    una_predictive out = { .mean = &mean, .var_model = &var, .var_noise = &noise };
    size_t inputs = model->columns.input_count;
    assert_ok(una_calls(model->kind)->predict(model->state, (una_view){ x, 1, inputs, inputs }, &out, run), run);
    return variance ? var : mean;
}

typedef struct agreement { double square, all; } agreement;

/* Smooth functions agree in every slope. A network of ramps has kinks, some of them within the difference: what counts
 * is the sum of squares. */
static void add_slopes(agreement *off, double slope, double difference)
{
    if (!quick_images) assert_near(slope, difference, 2e-3, 1e-3);
    off->square += pow(slope - difference, 2);
    off->all += pow(difference, 2);
}

static void slope_agrees_with_differences(void **state)
{
    const una_kind *kind = kind_of(state);
    if (!kind->slope) skip();
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);
    const char *smooth = has_option(kind, "activation") ? "activation=tanh" : NULL;
    una_model *model = fitted(quick_spec(kind->name, smooth), data, NULL, run);

    const double h = has_option(kind, "leaf_rows") ? 1e-6 : 0.01;       /* between the steps of trees */
    for (int point = 0; point < (quick_images ? 1 : 4); point++) {
        double x[INPUTS] = { 0.3 * point - 0.5, 0.7 - 0.4 * point }, dmean[INPUTS], dvar[INPUTS];
        for (size_t d = 2; d < INPUTS; d++) x[d] = sin((double)d);
        una_slope at = { .dmean = dmean, .dvar = dvar };
        assert_ok(una_calls(kind)->slope(model->state, x, &at, run), run);
        assert_near(at.mean, standard_at(model, x, false, run), 1e-6, 1e-6);
        assert_near(at.var, standard_at(model, x, true, run), 1e-6, 1e-6);
        agreement off = {0};
        for (size_t d = 0; d < model->columns.input_count; d++) {
            double up[INPUTS], down[INPUTS];
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[d] += h;
            down[d] -= h;
            double by_mean = (standard_at(model, up, false, run) - standard_at(model, down, false, run)) / (2 * h);
            double by_var = (standard_at(model, up, true, run) - standard_at(model, down, true, run)) / (2 * h);
            add_slopes(&off, dmean[d], by_mean);
            add_slopes(&off, dvar[d], by_var);
        }
        assert_true(!quick_images || off.square < 0.01 * off.all);
    }

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* In the user's units, for every kind: those without slopes of their own take differences. */
static void public_slope(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *words = mixed_data(30, run);
    const char *smooth = has_option(kind, "activation") ? "activation=tanh" : NULL;
    una_model *model = fitted(quick_spec(kind->name, smooth), data, NULL, run);
    double x[2] = { 0.4, -0.3 }, dmean[2], dstd[2];
    const double h = has_option(kind, "leaf_rows") ? 1e-6 : 0.01;       /* between the steps of trees */

    assert_ok(una_model_slope(model, x, dmean, dstd, run), run);
    for (size_t d = 0; d < 2; d++) {
        double at[4] = { x[0], x[1], x[0], x[1] }, mean[2], std[2];
        at[d] -= h;
        at[2 + d] += h;
        una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
        assert_ok(una_model_predict_rows(model, at, 2, 0.95, &out, run), run);
        assert_near(dmean[d], (mean[1] - mean[0]) / (2 * h), 2e-3, 1e-3);
        assert_near(dstd[d], (std[1] - std[0]) / (2 * h), 2e-3, 1e-3);
    }

    x[1] = NAN;
    assert_status(una_model_slope(model, x, dmean, dstd, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "x2");
    una_model_free(model);
    model = fitted(quick_spec(kind->name, NULL), words, &mixed_settings, run);
    assert_status(una_model_slope(model, x, dmean, dstd, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "colour");

    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(words);
    una_run_free(run);
}

/* Numbers say nothing to a model of images. */
static void images_are_no_numbers(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = quick_fit(kind_of(state), data, run);
    double x[1] = { 3 }, y[1] = { 1 }, value[2];
    una_prediction out = { .size = sizeof out, .mean = value };
    assert_int_equal(una_model_input_count(model), 1);
    assert_status(una_model_predict_rows(model, x, 1, 0.95, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "una_dataset_add_images");
    assert_status(una_model_update_rows(model, x, y, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "una_model_update");
    assert_status(una_model_slope(model, x, value, value + 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "images");
    assert_status(una_model_parts(model, x, 1, &SIZED(una_parts, .mean = value), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "images");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void draws_agree_with_predictions(void **state)
{
    enum { DRAWS = 4000, ROWS = 5 };
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *few = quick_data(ROWS, 500, run);
    una_model *model = quick_fit(kind, data, run);
    double *f = malloc(DRAWS * ROWS * sizeof *f), prior[3 * ROWS], first[3 * ROWS];
    assert_non_null(f);

    if (!kind->draw) {
        assert_status(una_model_draw(model, few, 3, 0, f, run), UNA_E_USAGE, run);
    } else {
        double *p = predicted(model, few, run);
        assert_ok(una_model_draw(model, few, DRAWS, 0, f, run), run);
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, square = 0;
            for (size_t s = 0; s < DRAWS; s++) sum += f[s * ROWS + r];
            for (size_t s = 0; s < DRAWS; s++) square += pow(f[s * ROWS + r] - sum / DRAWS, 2);
            assert_near(sum / DRAWS, p[r], 1e-12, 5 * p[2 * ROWS + r] / sqrt(DRAWS));
            assert_near(sqrt(square / DRAWS), p[2 * ROWS + r], 0.06, 0);
        }

        assert_ok(una_model_draw(model, few, 3, 0, first, run), run);    /* fewer draws are the first of many */
        assert_memory_equal(first, f, sizeof first);
        bool none = quick_images && strcmp(kind->name, "mcd") == 0;      /* normalised by the images that it saw */
        if (none) assert_status(una_model_draw(model, few, 3, 1, prior, run), UNA_E_USAGE, run);
        else assert_ok(una_model_draw(model, few, 3, 1, prior, run), run);
        for (size_t i = 0; !none && i < 3 * ROWS; i++) assert_true(prior[i] != first[i] && isfinite(prior[i]));
        free(p);
    }

    free(f);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(few);
    una_run_free(run);
}

static void parts_are_functions(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = quick_fit(kind, data, run);
    size_t count = 99;
    assert_ok(una_model_functions(model, data, &count, NULL, run), run);
    assert_true(kind->functions || kind->validation ? count > 0 && count < 99 : count == 0);

    double *f = calloc((count + 1) * 60, sizeof *f), sum = 0;
    assert_non_null(f);
    assert_ok(una_model_functions(model, data, &count, f, run), run);
    for (size_t i = 0; i < count * 60; i++) assert_true(isfinite(f[i]));
    for (size_t i = 0; i < count * 60; i++) sum += fabs(f[i]);
    if (count) assert_true(sum > 0);

    free(f);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void too_few_rows(void **state)
{
    const una_kind *kind = kind_of(state);
    if (kind->least_rows < 2) skip();
    una_run *run = quiet_run();
    una_dataset *data = quick_data(kind->least_rows, 0, run), *few = NULL;
    size_t index[64];
    una_model *model = NULL;
    for (size_t i = 0; i < 64; i++) index[i] = i;

    assert_ok(una_dataset_rows(&few, data, index, kind->least_rows - 1, run), run);
    assert_status(una_fit(&model, kind->name, few, NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "at least");
    assert_null(model);
    model = quick_fit(kind, data, run);                                  /* and just enough is enough */
    una_model_free(model);

    una_dataset_free(data);
    una_dataset_free(few);
    una_run_free(run);
}

/* ---- updates ---------------------------------------------------------------------------------------------------- */

static void update_in_steps(una_model *model, const una_dataset *more, size_t step, una_run *run)
{
    for (size_t from = 0, rows = una_dataset_row_count(more); from < rows; from += step) {
        una_dataset *part = some_rows(more, from, rows - from < step ? rows - from : step, run);
        assert_ok(una_model_update(model, part, run), run);
        una_dataset_free(part);
    }
}

/* Data only takes doubt away: from every part of a mixture, whose means may well part. */
static void less_doubt(const una_model *before, const una_model *after, una_run *run)
{
    enum { POINTS = 20 };
    const una_kind *calls = una_calls(before->kind);
    size_t parts = calls->mixture ? calls->mixture(before->state) : 0, count = parts ? parts : 1;
    size_t inputs = before->columns.input_count;
    double x[INPUTS * POINTS], mean[POINTS], var[2][POINTS], noise[POINTS], weight[64];
    double *part = calloc(3 * count * POINTS, sizeof *part);
    if (!part || parts > 64) fail_msg("%s", "no room for the parts");
    for (size_t i = 0; i < inputs * POINTS; i++) x[i] = (double)(i * 37 % 41) / 10 - 2;

    const una_model *model[] = { before, after };
    for (int k = 0; k < 2; k++) {
        una_predictive out = { .mean = mean, .var_model = var[k], .var_noise = noise, .parts = parts };
        if (parts) out.part_mean = part + 2 * count * POINTS, out.part_var = part + (size_t)k * count * POINTS;
        if (parts) out.part_weight = weight;
        assert_ok(calls->predict(model[k]->state, (una_view){ x, POINTS, inputs, inputs }, &out, run), run);
    }
    for (size_t i = 0; i < POINTS * count; i++)
        assert_true(parts ? part[count * POINTS + i] < part[i] : var[1][i] < var[0][i]);
    free(part);
}

static void updates_are_exact(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *more = quick_data(23, 600, run);
    una_model *one = quick_fit(kind, data, run);

    if (!kind->observe) {
        assert_status(una_model_update(one, more, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "fit it again");
    } else {
        una_model *chunks = copied_model(one, run), *all = copied_model(one, run), *before = copied_model(one, run);
        update_in_steps(one, more, 1, run);
        update_in_steps(chunks, more, 10, run);
        update_in_steps(all, more, 23, run);
        assert_same_predictions(one, all, data, 1e-9, run);
        assert_same_predictions(chunks, all, data, 1e-9, run);
        assert_near(una_model_info(one)->log_evidence, una_model_info(all)->log_evidence, 1e-9, 1e-9);
        assert_int_equal(una_model_info(one)->rows, 83);

        less_doubt(before, all, run);
        una_model_free(chunks);
        una_model_free(all);
        una_model_free(before);
    }

    una_model_free(one);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* An update that fails leaves the model as it was. */
static void failed_update_changes_nothing(void **state)
{
    const una_kind *kind = kind_of(state);
    if (!kind->observe) skip();
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run), *huge = NULL;
    una_model *model = quick_fit(kind, data, run), *before = copied_model(model, run);
    const double x[] = { 0, 0, 1, 1 }, y[] = { 1e200, -1e200 };          /* their squares are beyond a double */
    const double *const columns[] = { x + 1, y };
    static const char *const names[] = { "index", "y" };
    if (quick_images) assert_ok(una_dataset_from_columns(&huge, names, columns, NULL, 2, 2, run), run);
    else assert_ok(una_dataset_from_arrays(&huge, x, y, 2, 2, NULL, run), run);
    if (quick_images) assert_ok(una_dataset_add_images(huge, image_file(), "index", run), run);

    assert_status(una_model_update(model, huge, run), UNA_E_NUMERIC, run);
    assert_same_predictions(model, before, data, 0, run);
    assert_int_equal(una_model_info(model)->rows, 60);
    una_model *copy = copied_model(model, run);                          /* it can still be saved */
    una_model_free(copy);

    una_model_free(model);
    una_model_free(before);
    una_dataset_free(data);
    una_dataset_free(huge);
    una_run_free(run);
}

/* ---- several targets ------------------------------------------------------------------------------------------ */

static saved fit_pair(const una_kind *kind, bool gaps, int threads)
{
    saved file = { .run = run_with(SIZED(una_run_settings, .threads = threads, .seed = 3)) };
    una_dataset *data = pair_data(60, 0, gaps, file.run);
    una_model *model = pair_fit(quick_spec(kind->name, NULL), data, file.run);
    assert_ok(una_model_save_memory(model, &file.bytes, &file.size, file.run), file.run);
    una_model_free(model);
    una_dataset_free(data);
    return file;
}

/* Complete, and with missing cells: the same bits whatever the threads, and after loading. */
static void several_targets(void **state)
{
    const una_kind *kind = kind_of(state);
    for (int gaps = 0; gaps <= 1; gaps++) {
        saved one = fit_pair(kind, gaps, 1), two = fit_pair(kind, gaps, 2), copy = { .run = one.run };
        una_model *model = NULL;
        assert_true(same_file(&one, &two));
        assert_ok(una_model_load_memory(&model, one.bytes, one.size, one.run), one.run);
        assert_ok(una_model_save_memory(model, &copy.bytes, &copy.size, one.run), one.run);
        assert_true(same_file(&one, &copy));

        assert_int_equal(una_model_target_count(model), 2);
        assert_int_equal(una_model_info(una_model_target(model, 0))->rows, gaps ? 48 : 60);
        assert_int_equal(una_model_info(una_model_target(model, 1))->rows, gaps ? 40 : 60);
        una_dataset *data = pair_data(60, 0, false, one.run);
        double cov[240];
        assert_ok(una_model_covariance(model, data, 1, cov, one.run), one.run);
        for (size_t t = 0; t < 2; t++) {
            double *p = predicted(una_model_target(model, t), data, one.run);
            for (size_t i = 0; i < 60; i++) assert_near(cov[4 * i + 3 * t], p[60 + i] * p[60 + i], 1e-9, 0);
            for (size_t i = 0; i < 60; i++) assert_true(cov[4 * i + 1] * cov[4 * i + 1] < cov[4 * i] * cov[4 * i + 3]);
            free(p);
        }
        una_dataset_free(data);
        una_model_free(model);
        una_memory_free(copy.bytes, one.run);
        forget(&one);
        forget(&two);
    }
}

/* Row by row, in pieces and at once is the same, as it is for one target; a row reaches the targets that it has. */
static void several_updates(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *run = quiet_run();
    una_dataset *data = pair_data(60, 0, true, run), *more = pair_data(23, 600, true, run);
    una_model *one = pair_fit(quick_spec(kind->name, NULL), data, run);

    if (!kind->observe) {
        assert_status(una_model_update(one, more, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "fit it again");
    } else {
        una_model *chunks = copied_model(one, run), *all = copied_model(one, run);
        update_in_steps(one, more, 1, run);
        update_in_steps(chunks, more, 10, run);
        update_in_steps(all, more, 23, run);
        for (size_t t = 0; t < 2; t++) {
            assert_same_predictions(una_model_target(one, t), una_model_target(all, t), data, 1e-9, run);
            assert_same_predictions(una_model_target(chunks, t), una_model_target(all, t), data, 1e-9, run);
            assert_int_equal(una_model_info(una_model_target(one, t))->rows, t ? 40 + 15 : 48 + 18);
        }
        una_model_free(chunks);
        una_model_free(all);
    }
    una_model_free(one);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* ---- memory and cancelling -------------------------------------------------------------------------------------- */

typedef struct sweep {
    const una_kind *kind;
    const una_dataset *data, *more;
    const void *bytes;
    size_t size;
} sweep;

/* Few steps, and of committees two members: what is asked for memory, but no more time than it takes. */
static una_fit_settings short_fit(const sweep *s, una_fit_settings settings, const char *set[2])
{
    bool restarts = has_option(s->kind, "restarts"), committee = quick_choice == 1 && has_option(s->kind, "members");
    size_t count = 0;
    if (has_option(s->kind, "steps")) set[count++] = restarts ? "steps=3, restarts=2" : "steps=3";
    if (committee) set[count++] = "members=2";
    settings.set = set;
    settings.set_count = count;
    return settings;
}

static una_status fit_and_forget(const sweep *s, const una_dataset *data, una_fit_settings settings, una_run *run)
{
    una_model *model = NULL;
    const char *set[2];
    settings = short_fit(s, settings, set);
    una_status status = una_fit(&model, quick_spec(s->kind->name, NULL), data, &settings, run);
    una_model_free(model);
    return status;
}

static una_status job_fit(sweep *s, una_run *run)
{
    return fit_and_forget(s, s->data, SIZED(una_fit_settings, .set_count = 0), run);
}

static una_status job_fit_mixed(sweep *s, una_run *run)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_read(&data, temp_path("sweep.csv"), run);
    if (status == UNA_OK) status = fit_and_forget(s, data, mixed_settings, run);
    una_dataset_free(data);
    return status;
}

static una_status job_fit_images(sweep *s, una_run *run)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_read(&data, temp_path("index.csv"), run);
    if (status == UNA_OK) status = una_dataset_add_images(data, image_file(), "index", run);
    if (status == UNA_OK) status = fit_and_forget(s, data, SIZED(una_fit_settings, .set_count = 0), run);
    una_dataset_free(data);
    return status;
}

static una_status job_fit_pair(sweep *s, una_run *run)
{
    una_dataset *data = NULL;
    const una_fit_settings two = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2);
    una_status status = una_dataset_read(&data, temp_path("pair.csv"), run);
    if (status == UNA_OK) status = fit_and_forget(s, data, two, run);
    una_dataset_free(data);
    return status;
}

static una_status job_load(sweep *s, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_model_load_memory(&model, s->bytes, s->size, run);
    if (status != UNA_OK) assert_null(model);
    una_model_free(model);
    return status;
}

static una_status job_use(sweep *s, una_run *run)
{
    una_model *model = NULL;
    void *bytes = NULL;
    size_t size, count;
    double value[400], f[400 * 4];
    una_prediction out = { .size = sizeof out, .mean = value };
    una_prediction bands = { .size = sizeof bands, .mean = value, .lower = value };

    una_status status = una_model_load_memory(&model, s->bytes, s->size, run);
    if (status == UNA_OK) status = una_model_predict(model, s->more, 0.9, &out, run);
    if (status == UNA_OK) status = una_model_predict(model, s->more, 0.9, &bands, run);
    if (status == UNA_OK && s->kind->draw) status = una_model_draw(model, s->more, 2, 0, f, run);
    if (status == UNA_OK) status = una_model_functions(model, s->more, &count, f, run);
    if (status == UNA_OK) status = una_model_save_memory(model, &bytes, &size, run);

    una_memory_free(bytes, run);
    una_model_free(model);
    return status;
}

static una_status job_files(sweep *s, una_run *run)
{
    una_model *model = NULL;
    char *json = NULL;
    const char *path = temp_path("sweep.una");
    una_status status = una_model_load_memory(&model, s->bytes, s->size, run);
    if (status == UNA_OK) status = una_model_save(model, path, run);
    una_model_free(model);
    model = NULL;
    if (status == UNA_OK) status = una_file_info(&json, path, run);
    una_memory_free(json, run);
    if (status == UNA_OK) status = una_model_load(&model, path, run);
    una_model_free(model);
    return status;
}

/* What cannot have its memory leaves the model as it was. */
static una_status job_update(sweep *s, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_model_load_memory(&model, s->bytes, s->size, run);

    if (status == UNA_OK && s->kind->observe) {
        una_run *calm = quiet_run();
        void *bytes = NULL;
        size_t size;
        status = una_model_update(model, s->more, run);
        assert_ok(una_model_save_memory(model, &bytes, &size, calm), calm);
        if (status != UNA_OK) {
            assert_int_equal(size, s->size);
            assert_memory_equal(bytes, s->bytes, size);
        }
        una_memory_free(bytes, calm);
        una_run_free(calm);
    }
    una_model_free(model);
    return status;
}

/* Fails the n-th allocation until the job succeeds. */
static void sweep_job(una_status (*job)(sweep *, una_run *), sweep *s, const char *what)
{
    long n = 0, each = quick_images ? 20 : sanitized ? 50 : 100;
    for (;; n = next_allocation(n, each)) {
        struct fail_after memory = { .left = n };
        una_run_settings settings = failing_settings(&memory);
        una_run *run = NULL;
        una_status status = una_run_new(&run, &settings);
        bool started = status == UNA_OK;
        if (started) status = job(s, run);

        if (status != UNA_OK && status != UNA_E_MEMORY)
            fail_msg("%s, %s: allocation %ld fails with status %d, %s", s->kind->name, what, n, (int)status,
                     una_run_message(run));
        if (started && status != UNA_OK && !*una_run_message(run))
            fail_msg("%s, %s: allocation %ld fails silently", s->kind->name, what, n);

        una_run_free(run);
        if (memory.live != 0)
            fail_msg("%s, %s: allocation %ld fails and %ld blocks leak", s->kind->name, what, n, (long)memory.live);
        if (status == UNA_OK) break;
        if (n > 1000000) fail_msg("%s, %s never succeeds", s->kind->name, what);
    }
    assert_true(n > 2);
}

static void every_allocation_may_fail(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = quick_data(12, 0, run), *more = quick_data(4, 600, run);
    sweep s = { .kind = kind_of(state), .data = data, .more = more };
    una_model *model = quick_fit(s.kind, data, run);
    void *bytes = NULL;
    assert_ok(una_model_save_memory(model, &bytes, &s.size, run), run);
    s.bytes = bytes;
    temp_text_file("sweep.csv", mixed_csv(12));
    char pair[1000] = "x,a,b\n";
    for (int i = 0; i < 12; i++) snprintf(pair + strlen(pair), 40, "%g,%g,%g\n", sin(i), sin(2 * i), cos(3 * i));
    temp_text_file("pair.csv", pair);

    temp_text_file("index.csv", "index,y\n0,1\n1,2\n5,1.5\n3,0\n9,4\n2,3\n11,1\n12,2\n15,3\n13,0\n");

    if (quick_images) sweep_job(job_fit_images, &s, "fit to images");
    else sweep_job(job_fit, &s, "fit");
    if (!quick_images) sweep_job(job_fit_mixed, &s, "fit with categories");
    if (s.kind->fit_to.targets && !quick_images) sweep_job(job_fit_pair, &s, "fit to two targets");
    sweep_job(job_load, &s, "load");
    sweep_job(job_use, &s, "predict, draw, save");
    sweep_job(job_files, &s, "files");
    sweep_job(job_update, &s, "update");

    una_memory_free(bytes, run);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* Blocks taken from the allocator by one prediction, bands and all. */
static long blocks_taken(const una_model *model, const double *x, size_t rows, double *out, int threads)
{
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    settings.threads = threads;
    una_run *run = run_with(settings);
    long before = memory.taken;
    una_prediction p = { sizeof p, out, out + rows, out + 2 * rows, out + 3 * rows, out + 4 * rows, out + 5 * rows };
    assert_ok(una_model_predict_rows(model, x, rows, 0.95, &p, run), run);
    long taken = memory.taken - before;
    una_run_free(run);
    assert_int_equal(memory.live, 0);
    return taken;
}

static void no_memory_for_each_row(void **state)
{
    skip_if_sanitized();                 /* blocks are counted, whatever is in them */
    enum { FEW = 1000, MANY = 10000, MORE = 12 };
    una_run *run = quiet_run();
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = quick_fit(kind_of(state), data, run);
    double *x = malloc(2 * MANY * sizeof *x), *out = malloc(6 * MANY * sizeof *out);
    if (!x || !out) fail_msg("%s", "no memory for the test's own data");
    for (size_t i = 0; i < 2 * MANY; i++) x[i] = (double)(i * 2654435761u % 4001) / 1000 - 2;

    for (int threads = 1; threads <= 2; threads++) {
        long few = blocks_taken(model, x, FEW, out, threads), many = blocks_taken(model, x, MANY, out, threads);
        print_message("%s, %d threads: %ld blocks for %d rows, %ld for %d\n", kind_of(state)->name, threads, few, FEW,
                      many, MANY);
        assert_true(many <= 2 * few + MORE);             /* for each of the two blocks of rows, at most */
    }

    free(x);
    free(out);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void memory_limit_names_both_numbers(void **state)
{
    una_run *run = quiet_run(), *poor = run_with(SIZED(una_run_settings, .threads = 1, .memory_limit = 21000));
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = NULL;
    assert_status(una_fit(&model, quick_spec(kind_of(state)->name, NULL), data, NULL, poor), UNA_E_MEMORY, poor);
    assert_null(model);
    const char *needs = strstr(una_run_message(poor), "MB of memory");
    assert_non_null(needs);
    assert_non_null(strstr(needs + 1, "MB are allowed"));
    una_dataset_free(data);
    una_run_free(run);
    una_run_free(poor);
}

typedef struct stop_at { long left, calls; double last; } stop_at;

static int stop_progress(void *context, const una_progress *progress)
{
    stop_at *s = context;
    s->calls++;
    assert_true(progress->fraction >= s->last && progress->fraction <= 1);   /* it never goes back */
    s->last = progress->fraction;
    return s->left >= 0 && s->left-- == 0;
}

static void cancelling_leaks_nothing(void **state)
{
    const una_kind *kind = kind_of(state);
    una_run *calm = quiet_run();
    una_dataset *data = quick_data(60, 0, calm);
    long calls = 1;

    for (long n = -1; n < calls; n += n < 0 ? 1 : 1 + calls / (sanitized ? 3 : 6)) { /* -1: never, to count the calls */
        struct fail_after memory = { .left = -1 };
        stop_at when = { .left = n };
        una_run_settings settings = failing_settings(&memory);
        settings.progress = stop_progress;
        settings.callbacks = &when;
        una_run *run = run_with(settings);
        una_model *model = NULL;

        una_status status = una_fit(&model, quick_spec(kind->name, NULL), data, NULL, run);
        assert_int_equal(status, n < 0 || n >= when.calls ? UNA_OK : UNA_CANCELLED);
        if (status != UNA_OK) {
            assert_null(model);
            assert_says(una_run_message(run), "interrupted");
        }
        if (n < 0) calls = when.calls;

        when = (stop_at){ .left = -1 };                                  /* the run is as good as new */
        if (status != UNA_OK) {
            assert_ok(una_fit(&model, quick_spec(kind->name, NULL), data, NULL, run), run);
            assert_true(when.calls == 0 || when.last > 0.8);
        }
        una_model_free(model);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
    }
    if (has_option(kind, "steps")) assert_true(calls > 1);
    una_dataset_free(data);
    una_run_free(calm);
}

static void cancel_flag(void **state)
{
    const una_kind *kind = kind_of(state);
    if (!has_option(kind, "steps")) skip();                              /* too quick to look at the flag */
    volatile int cancel = 0;
    una_run *run = run_with(SIZED(una_run_settings, .threads = 2, .cancel = &cancel));
    una_dataset *data = quick_data(60, 0, run);
    una_model *model = NULL;
    cancel = 1;
    assert_status(una_fit(&model, quick_spec(kind->name, NULL), data, NULL, run), UNA_CANCELLED, run);
    cancel = 0;
    assert_ok(una_fit(&model, quick_spec(kind->name, NULL), data, NULL, run), run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- all checks for all kinds ----------------------------------------------------------------------------------- */

/* Whom to ask: kinds with their tables, and those that see images once more, with images. */
enum { TABLES = 1, PICTURES = 2, BOTH = TABLES | PICTURES };
static const struct { const char *name; CMUnitTestFunction test; int about; } checks[] = {
    { "same seed, same bits, whatever the threads", same_seed_same_bits, BOTH },
    { "another seed, other bits", another_seed_other_bits, BOTH },
    { "files hold nothing of the machine", files_hold_nothing_of_the_machine, BOTH },
    { "save, load, save", save_load_save, BOTH },
    { "every activation can be saved", every_activation, TABLES },
    { "a batch is its rows one by one", batch_is_one_by_one, BOTH },
    { "means alone", means_alone_are_the_same, BOTH },
    { "every kernel set", kernel_sets, BOTH },
    { "wrong options are named", wrong_options_are_named, TABLES },
    { "defaults are accepted", defaults_are_accepted, TABLES },
    { "the spec can be passed back", spec_can_be_passed_back, BOTH },
    { "presets", presets_work, TABLES },
    { "variances are positive, also far away", variances_are_positive, BOTH },
    { "words never seen", words_never_seen, TABLES },
    { "slope against differences", slope_agrees_with_differences, BOTH },
    { "slope in the user's units", public_slope, TABLES },
    { "images are no numbers", images_are_no_numbers, PICTURES },
    { "draws agree with predictions", draws_agree_with_predictions, BOTH },
    { "parts", parts_are_functions, BOTH },
    { "too few rows", too_few_rows, BOTH },
    { "updates are exact", updates_are_exact, BOTH },
    { "a failed update changes nothing", failed_update_changes_nothing, BOTH },
    { "several targets", several_targets, TABLES },
    { "several targets, updates", several_updates, TABLES },
    { "every allocation may fail", every_allocation_may_fail, BOTH },
    { "no memory for each row", no_memory_for_each_row, TABLES },
    { "a memory limit names both numbers", memory_limit_names_both_numbers, BOTH },
    { "cancelling leaks nothing", cancelling_leaks_nothing, BOTH },
    { "the cancel flag", cancel_flag, BOTH },
};

/* test_contract [PATTERN]: only checks whose name fits, as 'nlm*' or '*: presets'. */
int main(int argc, char **argv)
{
    enum { CHECKS = sizeof checks / sizeof *checks, MOST = 64 };
    static struct CMUnitTest tests[CHECKS * MOST];
    static char names[CHECKS * MOST][96];
    static subject subjects[MOST];
    size_t count = 0, many = 0;

    for (size_t k = 0; una_kinds[k]; k++) {
        quick_images = false;
        for (size_t c = 0; c < quick_choices(una_kinds[k]->name) && many < MOST; c++)
            subjects[many++] = (subject){ .kind = una_kinds[k], .choice = c };
        quick_images = true;
        if (una_kinds[k]->fit_to.images && quick_row(una_kinds[k]->name, 0) && many < MOST)
            subjects[many++] = (subject){ .kind = una_kinds[k], .images = true };
    }

    for (size_t s = 0; s < many; s++) {
        for (size_t c = 0; c < CHECKS; c++) {
            const char *which = subjects[s].images ? ", images" : subjects[s].choice ? ", its other way" : "";
            if (!(checks[c].about & (subjects[s].images ? PICTURES : TABLES))) continue;
            snprintf(names[count], sizeof names[count], "%s%s: %s", subjects[s].kind->name, which, checks[c].name);
            tests[count] = (struct CMUnitTest){ .name = names[count], .test_func = checks[c].test,
                                                .setup_func = prepare, .initial_state = &subjects[s] };
            count++;
        }
    }

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("contract", tests, count, NULL, NULL);
}
