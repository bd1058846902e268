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
        "mcd(width=12, steps=600, dropout=0.02, passes=20)" };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(150, run);
    for (size_t k = 0; k < 4; k++) {
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
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
