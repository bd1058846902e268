/* SPDX-License-Identifier: MIT
 *
 * Which columns a fit uses and what it makes of missing cells and new words, through the public calls: what a model
 * remembers repeats its fit; arrays with missing numbers mean what tables mean; slopes are those of the numbers.
 */
#include "models/quick.h"
#include "one_run.h"

enum { ROWS = 80 };

/* age lacks every fourth cell, which moves y; x is whole; id means nothing. */
static una_dataset *lacking(void)
{
    static double age[ROWS], x[ROWS], id[ROWS], y[ROWS];
    static const char *const names[] = { "id", "age", "x", "y" };
    static const double *const numbers[] = { id, age, x, y };
    una_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        double a = sin(3.0 * (double)i);
        age[i] = i % 4 ? a : NAN;
        x[i] = cos(5.0 * (double)i);
        id[i] = (double)i;
        y[i] = (i % 4 ? a : 2) - 0.5 * x[i] + 0.01 * sin(11.0 * (double)i);
    }
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 4, ROWS, run), run);
    return data;
}

static una_model *fit_with(const char *spec, const una_dataset *data, una_fit_settings settings)
{
    una_model *model = NULL;
    settings.size = sizeof settings;
    assert_ok(una_fit(&model, spec, data, &settings, run), run);
    return model;
}

static una_model *copied(const una_model *model)
{
    void *bytes;
    size_t size;
    una_model *copy = NULL;
    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    assert_ok(una_model_load_memory(&copy, bytes, size, run), run);
    una_memory_free(bytes, run);
    return copy;
}

static void info_repeats_the_fit(void **state)
{
    (void)state;
    static const char *const id[] = { "id" }, *const x[] = { "x" };
    una_dataset *data = lacking();
    const una_fit_settings asked[] = { { .drop = id, .drop_count = 1, .missing = UNA_MISSING_MEAN },
                                       { .only = x, .only_count = 1, .missing = UNA_MISSING_MEAN } };
    for (size_t i = 0; i < 2; i++) {
        una_model *model = fit_with("linear", data, asked[i]), *loaded = copied(model);
        const una_fit_info *info = una_model_info(loaded);
        assert_int_equal(info->drop_count, asked[i].drop_count);
        assert_int_equal(info->only_count, asked[i].only_count);
        assert_int_equal(una_model_input_count(loaded), i ? 1 : 2);
        una_model *again = fit_with("linear", data, (una_fit_settings){
            .missing = info->missing, .drop = info->drop, .drop_count = info->drop_count, .only = info->only,
            .only_count = info->only_count });
        assert_same_bytes(model, again, run);
        una_model_free(again);
        una_model_free(loaded);
        una_model_free(model);
    }
    una_dataset_free(data);
}

static void several_targets_remember(void **state)
{
    (void)state;
    static const char *const id[] = { "id" }, *const targets[] = { "y", "x" };
    una_dataset *data = lacking();
    una_model *model = fit_with("linear", data, (una_fit_settings){ .drop = id, .drop_count = 1, .targets = targets,
                                                                  .target_count = 2, .missing = UNA_MISSING_MEAN });
    una_model *loaded = copied(model);
    assert_int_equal(una_model_info(loaded)->drop_count, 1);
    assert_string_equal(una_model_info(una_model_target(loaded, 1))->drop[0], "id");
    assert_int_equal(una_model_info(loaded)->inputs, 2);
    assert_same_bytes(model, loaded, run);
    una_model_free(loaded);
    una_model_free(model);
    una_dataset_free(data);
}

/* Rows of arrays with NAN, and the same as a table; the model after more of them, both ways. */
static void arrays_mean_what_tables_mean(void **state)
{
    (void)state;
    static const char *const id[] = { "id" };
    static const char *const specs[] = { "linear", "gp" };
    una_dataset *data = lacking();
    double rows[ROWS * 2], y[ROWS], mean[2][ROWS], std[2][ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        rows[2 * i] = una_dataset_numbers(data, 1)[i];
        rows[2 * i + 1] = una_dataset_numbers(data, 2)[i];
        y[i] = una_dataset_numbers(data, 3)[i];
    }
    for (size_t s = 0; s < 2; s++) {
        una_model *model = fit_with(specs[s], data, (una_fit_settings){ .drop = id, .drop_count = 1,
                                                                      .missing = UNA_MISSING_MEAN });
        una_model *other = copied(model);
        assert_int_equal(una_model_info(model)->inputs, 3);
        una_prediction one = SIZED(una_prediction, .mean = mean[0], .std = std[0]);
        una_prediction two = SIZED(una_prediction, .mean = mean[1], .std = std[1]);
        assert_ok(una_model_predict(model, data, 0.95, &one, run), run);
        assert_ok(una_model_predict_rows(model, rows, ROWS, 0.95, &two, run), run);
        assert_arrays_near(mean[0], mean[1], ROWS, 0, 0);
        assert_arrays_near(std[0], std[1], ROWS, 0, 0);
        assert_near(mean[0][4], y[4], 0.1, 0.1);                     /* its age is missing */

        assert_ok(una_model_update(model, data, run), run);
        assert_ok(una_model_update_rows(other, rows, y, ROWS, run), run);
        assert_same_bytes(model, other, run);
        una_model_free(other);
        una_model_free(model);
    }
    una_dataset_free(data);
}

/* A slope along age is that of the number: whether it is missing has none. */
static void slopes_are_of_numbers(void **state)
{
    (void)state;
    static const char *const id[] = { "id" };
    una_dataset *data = lacking();
    una_model *model = fit_with("linear", data, (una_fit_settings){ .drop = id, .drop_count = 1,
                                                                  .missing = UNA_MISSING_MEAN });
    double x[2] = { 0.2, 0.1 }, dmean[2], dstd[2], at[2];
    assert_ok(una_model_slope(model, x, dmean, dstd, run), run);
    assert_near(dmean[0], 1, 0.05, 0);
    assert_near(dmean[1], -0.5, 0.05, 0);
    for (size_t i = 0; i < 2; i++) {
        una_prediction out = SIZED(una_prediction, .mean = &at[i]);
        x[0] = i ? 0.21 : 0.19;
        assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    }
    assert_near(dmean[0], (at[1] - at[0]) / 0.02, 1e-6, 0);
    una_model_free(model);
    una_dataset_free(data);
}

/* Ignorance at a word that no row had is at least that at any word that some row had. */
static void new_words(void **state)
{
    (void)state;
    static const char *const specs[] = { "linear", "gp", "luna(epochs=40, width=12, members=2)",
                                         "nlm(epochs=40, width=12)",
                                         "bbvi(epochs=40, width=8)", "sngp(epochs=20)",
                                         "mcd(epochs=40, width=12)", "tuna(epochs=20, width=12)",
                                         "auto(luna=luna(members=2, epochs=20))" };
    static const char *const words[] = { "red", "blue", "green" };
    for (size_t rare = 0; rare < 2; rare++) {
        char text[8000] = "w,x,y\n";
        for (int i = 0; i < 90; i++) {
            char word[16];
            if (rare && i < 30) snprintf(word, sizeof word, "r%d", i);
            else snprintf(word, sizeof word, "%s", words[i % 3]);
            snprintf(text + strlen(text), 60, "%s,%.4f,%.4f\n", word, sin(3.0 * i),
                     sin(3.0 * i) + i % 3 + 0.1 * cos(7.0 * i));
        }
        una_dataset *data = NULL, *asked = NULL;
        double std[4];
        assert_ok(una_dataset_read(&data, temp_text_file("t.csv", text), run), run);
        assert_ok(una_dataset_read(&asked, temp_text_file("a.csv", "w,x\nred,0.1\nblue,0.1\ngreen,0.1\nviolet,0.1\n"),
                                   run), run);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            una_model *model = fit_with(specs[s], data, (una_fit_settings){ .other = 5 });
            una_prediction out = SIZED(una_prediction, .std_epistemic = std);
            assert_ok(una_model_predict(model, asked, 0.95, &out, run), run);
            for (size_t i = 0; i < 3; i++) assert_true(std[3] >= std[i]);
            una_model_free(model);
        }
        una_dataset_free(asked);
        una_dataset_free(data);
    }
}

static una_dataset *worded(const char *name, size_t rows, bool new_words)
{
    static const char *const words[] = { "red", "blue", "green" };
    char text[8000] = "w,x,y\n";
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++)
        snprintf(text + strlen(text), 60, "%s,%.4f,%.4f\n", new_words && i % 2 ? "violet" : words[i % 3],
                 sin(3.0 * (double)i), sin(3.0 * (double)i) + (double)(i % 3) + 0.1 * cos(7.0 * (double)i));
    assert_ok(una_dataset_read(&data, temp_text_file(name, text), run), run);
    return data;
}

/* Draws and explanations have the ignorance that predictions have, also at such words; one row is as good as many. */
static void new_words_everywhere(void **state)
{
    (void)state;
    enum { ASKED = 6, DRAWS = 4000 };
    una_dataset *data = worded("t.csv", 60, false), *asked = worded("a.csv", ASKED, true);
    una_model *model = fit_with("luna(epochs=40, width=12, members=2)", data, (una_fit_settings){ .other = 5 });
    double std[ASKED], mean[ASKED], *f = calloc(DRAWS * ASKED, sizeof *f);
    una_prediction out = SIZED(una_prediction, .mean = mean, .std_epistemic = std);
    assert_ok(una_model_predict(model, asked, 0.95, &out, run), run);
    assert_ok(una_model_draw(model, asked, DRAWS, 0, f, run), run);
    for (size_t r = 0; r < ASKED; r++) {
        double square = 0, one;
        for (size_t k = 0; k < DRAWS; k++) square += pow(f[k * ASKED + r] - mean[r], 2) / DRAWS;
        assert_near(sqrt(square), std[r], 0.06, 0);
        una_dataset *single = NULL;
        una_prediction alone = SIZED(una_prediction, .std_epistemic = &one);
        assert_ok(una_dataset_rows(&single, asked, &r, 1, run), run);
        assert_ok(una_model_predict(model, single, 0.95, &alone, run), run);
        assert_true(one == std[r]);
        una_dataset_free(single);
    }

    const una_concept concept = SIZED(una_concept, .name = "high", .where = "x > 0");
    const una_explain_settings how = SIZED(una_explain_settings, .concepts = &concept, .concept_count = 1,
                                           .shown = data);
    una_explanation *e = NULL;
    assert_ok(una_explain(&e, model, asked, &how, run), run);
    for (size_t r = 0; r < ASKED; r++) {
        double sum = 0;
        for (size_t p = 0; p < e->parts; p++) sum += e->part[r * e->parts + p];
        assert_near(sqrt(sum), std[r], 1e-6, 0);
    }
    una_explanation_free(e);
    free(f);
    una_model_free(model);
    una_dataset_free(asked);
    una_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_repeats_the_fit),
        cmocka_unit_test(several_targets_remember),
        cmocka_unit_test(arrays_mean_what_tables_mean),
        cmocka_unit_test(slopes_are_of_numbers),
        cmocka_unit_test(new_words),
        cmocka_unit_test(new_words_everywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
