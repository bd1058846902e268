/* SPDX-License-Identifier: MIT
 *
 * Which inputs matter: the real ones rank above useless ones, words and levels count, same seed same numbers on any
 * number of threads, and what cannot be asked is refused in a sentence. How often they rank right: perf/importance.
 */
#include "models/quick.h"

/* y = 2 x2 + words of column w, and x1 and x3 of no use. */
static una_dataset *make_table(size_t rows, una_run *run)
{
    static const char *const names[] = { "x1", "x2", "x3", "w", "y" };
    static double cells[4][400];
    static const char *word[400];
    una_dataset *data = NULL;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < 3; c++) cells[c][i] = una_rng_normal(&rng);
        word[i] = una_rng_below(&rng, 2) ? "high" : "low";
        cells[3][i] = 2 * cells[1][i] + (word[i][0] == 'h' ? 3 : 0) + 0.5 * una_rng_normal(&rng);
    }
    const double *const numbers[] = { cells[0], cells[1], cells[2], NULL, cells[3] };
    const char *const *const words[] = { NULL, NULL, NULL, word, NULL };
    assert_ok(una_dataset_from_columns(&data, names, numbers, words, 5, rows, run), run);
    return data;
}

static void real_inputs_come_first(void **state)
{
    static const char *const specs[] = { "linear", "gp(restarts=1)", "nlm(width=12, steps=400, members=5)",
        "mcd(width=12, steps=600, dropout=0.02, passes=20)", "auto(luna=none, trees=none)" };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(150, run);
    for (size_t k = 0; k < 5; k++) {
        una_model *model = fitted(specs[k], data, NULL, run);
        una_importance *got;
        assert_ok(una_importance_of(&got, model, data, run), run);
        assert_int_equal(got->inputs, 4);
        assert_string_equal(got->names[3], "w");
        assert_int_equal(got->rows, k < 2 ? 150 : k == 2 ? 90 : 45);     /* five folds, two parts, one part */
        assert_true(got->order[0] == 1 || (k >= 2 && got->order[0] == 3));       /* few steps learn words first */
        assert_int_equal(got->order[0] + got->order[1], 1 + 3);
        for (size_t i = 0; i < 4; i++) assert_true(got->low[i] <= got->rise[i] && got->rise[i] <= got->high[i]);
        assert_true(got->low[1] > (k < 2 ? 0.3 : 0) && got->low[3] > (k < 2 ? 0.1 : 0));
        assert_true(got->error > 0 && got->error < 1);
        if (k < 2) assert_true(fabs(got->rise[0]) < 0.05 && fabs(got->rise[2]) < 0.05);
        una_importance_free(got);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void same_numbers_on_any_threads(void **state)
{
    double rise[2][4];
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        una_run_settings settings = SIZED(una_run_settings, .threads = threads);
        una_run *run;
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        una_dataset *data = make_table(60, run);
        una_model *model = fitted("gp(restarts=1)", data, NULL, run);
        una_importance *got;
        assert_ok(una_importance_of(&got, model, data, run), run);
        memcpy(rise[threads - 1], got->rise, sizeof rise[0]);
        una_importance_free(got);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
    assert_memory_equal(rise[0], rise[1], sizeof rise[0]);
}

/* Kinds that are fitted again see the model's columns, and no others: as if the table had no others. */
/* A model that was saved and loaded says the same of its inputs. */
static void loaded_models_are_asked(void **state)
{
    static const char *const specs[] = { "linear", "gp(restarts=1)" };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(60, run);
    for (size_t k = 0; k < 2; k++) {
        una_model *model = fitted(specs[k], data, NULL, run), *loaded;
        una_importance *here, *there;
        void *bytes;
        size_t size;
        assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
        assert_ok(una_model_load_memory(&loaded, bytes, size, run), run);
        assert_ok(una_importance_of(&here, model, data, run), run);
        assert_ok(una_importance_of(&there, loaded, data, run), run);
        assert_memory_equal(here->rise, there->rise, 4 * sizeof *here->rise);
        una_importance_free(there);
        una_importance_free(here);
        una_memory_free(bytes, run);
        una_model_free(loaded);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void judges_see_what_the_model_sees(void **state)
{
    static const char *const x2 = "x2";
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(80, run), *less = NULL;
    static const char *const names[] = { "x1", "x3", "w", "y" };
    const double *numbers[] = { una_dataset_numbers(data, 0), una_dataset_numbers(data, 2), NULL,
                                una_dataset_numbers(data, 4) };
    const char *const *const words[] = { NULL, NULL, una_dataset_words(data, 3), NULL };
    assert_ok(una_dataset_from_columns(&less, names, numbers, words, 4, 80, run), run);
    una_fit_settings drop = SIZED(una_fit_settings, .drop = &x2, .drop_count = 1);
    const char *spec = "nlm(width=8, steps=100, members=3)";
    una_model *one = fitted(spec, data, &drop, run), *two = fitted(spec, less, NULL, run);
    una_importance *a, *b;
    assert_ok(una_importance_of(&a, one, data, run), run);
    assert_ok(una_importance_of(&b, two, less, run), run);
    assert_int_equal(a->inputs, 3);
    assert_memory_equal(a->rise, b->rise, 3 * sizeof *a->rise);
    una_importance_free(a);
    una_importance_free(b);
    una_model_free(one);
    una_model_free(two);
    una_dataset_free(data);
    una_dataset_free(less);
    una_run_free(run);
}

/* Refits learn the logarithm, too: y = exp(2 x2 + ...) is beyond what the same network makes of y itself. */
static void judges_learn_the_logarithm(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(150, run), *bent = NULL;
    static const char *const names[] = { "x1", "x2", "y" };
    double y[150], error[2];
    for (size_t i = 0; i < 150; i++) y[i] = exp(una_dataset_numbers(data, 1)[i]);
    const double *numbers[] = { una_dataset_numbers(data, 0), una_dataset_numbers(data, 1), y };
    assert_ok(una_dataset_from_columns(&bent, names, numbers, NULL, 3, 150, run), run);
    for (int log = 0; log < 2; log++) {
        una_fit_settings settings = SIZED(una_fit_settings, .log_target = log);
        una_model *model = fitted("nlm(activation=relu, width=2, steps=300, members=2)", bent, &settings, run);
        una_importance *got;
        assert_ok(una_importance_of(&got, model, bent, run), run);
        error[log] = got->error;
        una_importance_free(got);
        una_model_free(model);
    }
    assert_true(error[1] < 0.5 * error[0]);
    una_dataset_free(data);
    una_dataset_free(bent);
    una_run_free(run);
}

static void refusals_say_why(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(60, run), *pair = pair_data(60, 0, false, run), *few = make_table(9, run);
    una_model *model = fitted("linear", data, NULL, run), *both = pair_fit("linear", pair, run);
    una_importance *got;
    assert_status(una_importance_of(&got, both, pair, run), UNA_E_USAGE, run);
    assert_null(got);
    assert_ok(una_importance_of(&got, una_model_target(both, 1), pair, run), run);
    una_importance_free(got);
    assert_status(una_importance_of(&got, model, few, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "9 rows are too few");
    assert_status(una_importance_of(&got, model, pair, run), UNA_E_INPUT, run);
    una_importance_free(NULL);
    una_model_free(model);
    una_model_free(both);
    una_dataset_free(data);
    una_dataset_free(pair);
    una_dataset_free(few);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_inputs_come_first),
        cmocka_unit_test(same_numbers_on_any_threads),
        cmocka_unit_test(loaded_models_are_asked), cmocka_unit_test(judges_see_what_the_model_sees),
        cmocka_unit_test(judges_learn_the_logarithm),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
