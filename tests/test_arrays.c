/* SPDX-License-Identifier: MIT
 *
 * Data that never was a file: tables of columns with numbers and words, and rows that join a model from arrays. Both do
 * what the same data does as a file or a table.
 */
#include "models/quick.h"

enum { ROWS = 60, MOST = 8 };

/* ---- columns -------------------------------------------------------------------------------------------------- */

/* The same table, column by column. */
static una_dataset *rebuilt(const una_dataset *from, una_run *run)
{
    const char *names[MOST];
    const double *numbers[MOST];
    const char *const *words[MOST];
    una_dataset *data = NULL;
    size_t columns = una_dataset_column_count(from);
    assert_true(columns <= MOST);

    for (size_t c = 0; c < columns; c++) {
        names[c] = una_dataset_column_name(from, c);
        numbers[c] = una_dataset_numbers(from, c);
        words[c] = una_dataset_words(from, c);
        assert_true((numbers[c] == NULL) != (words[c] == NULL));
    }

    assert_ok(una_dataset_from_columns(&data, names, numbers, words, columns, una_dataset_row_count(from), run), run);
    return data;
}

static void columns_are_a_table(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *file = mixed_data(ROWS, run), *columns = rebuilt(file, run);
    una_model *a = fitted("linear", file, &mixed_settings, run), *b = fitted("linear", columns, &mixed_settings, run);

    assert_same_bytes(a, b, run);
    double *from_file = predicted(a, file, run), *from_columns = predicted(a, columns, run);
    assert_memory_equal(from_file, from_columns, 6 * ROWS * sizeof *from_file);

    free(from_file);
    free(from_columns);
    una_model_free(a);
    una_model_free(b);
    una_dataset_free(file);
    una_dataset_free(columns);
    una_run_free(run);
}

static void cells_are_copied(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    char red[] = "red";
    double size[] = { 1, NAN, 3 };
    const char *colour[] = { red, NULL, "" };
    const double *const numbers[] = { size, NULL };
    const char *const *const words[] = { NULL, colour };
    assert_ok(una_dataset_from_columns(&data, NULL, numbers, words, 2, 3, run), run);
    red[0] = 'b';
    size[0] = 7;
    colour[1] = "late";

    assert_int_equal(una_dataset_row_count(data), 3);
    assert_string_equal(una_dataset_column_name(data, 1), "x2");
    assert_true(una_dataset_numbers(data, 0)[0] == 1 && isnan(una_dataset_numbers(data, 0)[1]));
    assert_null(una_dataset_words(data, 0));
    assert_null(una_dataset_numbers(data, 1));
    assert_string_equal(una_dataset_words(data, 1)[0], "red");
    assert_null(una_dataset_words(data, 1)[1]);
    assert_null(una_dataset_words(data, 1)[2]);
    assert_null(una_dataset_words(data, 2));
    una_dataset_free(data);

    assert_ok(una_dataset_from_columns(&data, (const char *[]){ "a" }, numbers, NULL, 1, 3, run), run);
    una_dataset_free(data);
    assert_ok(una_dataset_from_columns(&data, (const char *[]){ "b" }, NULL, words + 1, 1, 3, run), run);
    una_dataset_free(data);
    una_run_free(run);
}

static void bad_columns_are_named(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    const double size[] = { 1, INFINITY };
    const char *const colour[] = { "red", "blue" };
    const double *const numbers[] = { size, NULL };
    const char *const *const words[] = { NULL, colour }, *const *const none[] = { NULL, NULL };
    const char *const names[] = { "size", "colour" }, *const twice[] = { "size", "size" };

    assert_status(una_dataset_from_columns(&data, names, numbers, words, 2, 2, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'size' is infinite");
    assert_null(data);
    assert_status(una_dataset_from_columns(&data, names, numbers, none, 2, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "column 2 has neither numbers nor words");
    assert_status(una_dataset_from_columns(&data, twice, numbers, words, 2, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'size'");
    assert_status(una_dataset_from_columns(&data, names, numbers, words, 2, 0, run), UNA_E_INPUT, run);
    assert_status(una_dataset_from_columns(&data, names, numbers, words, 0, 1, run), UNA_E_INPUT, run);
    assert_null(data);
    una_run_free(run);
}

/* A new word is reported with its place, and numbers alone get a remedy. */
static void words_at_prediction(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *train = mixed_data(ROWS, run), *data = NULL;
    una_model *model = fitted("linear", train, &SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN), run);
    const double size[] = { 0.5, 0.2 }, weight[] = { 0, 1 }, row[] = { 1, 1, 1 }, y = 1;
    const char *const colour[] = { "red", "mauve" };
    const double *const numbers[] = { size, NULL, weight };
    const char *const *const words[] = { NULL, colour, NULL };
    const char *const names[] = { "size", "colour", "weight" };
    double mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };

    assert_ok(una_dataset_from_columns(&data, names, numbers, words, 3, 1, run), run);
    assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
    una_dataset_free(data);
    assert_ok(una_dataset_from_columns(&data, names, numbers, words, 3, 2, run), run);
    assert_status(una_model_predict(model, data, 0.95, &out, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'colour'");
    assert_says(una_run_message(run), "mauve");

    assert_status(una_model_predict_rows(model, row, 1, 0.95, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "una_dataset_from_columns");
    assert_says(una_run_message(run), "una_model_predict");
    assert_status(una_model_update_rows(model, row, &y, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "una_model_update");
    assert_status(una_model_slope(model, row, mean, mean, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'colour'");
    una_model_free(model);
    una_dataset_free(train);
    una_dataset_free(data);
    una_run_free(run);
}

static una_status job_columns(void *context, una_run *run)
{
    const double size[] = { 1, 2, 3 };
    const char *const colour[] = { "red", "blue", "red" };
    const double *const numbers[] = { size, NULL };
    const char *const *const words[] = { NULL, colour };
    una_dataset *data = NULL;
    (void)context;
    una_status status = una_dataset_from_columns(&data, NULL, numbers, words, 2, 3, run);
    assert_true((data != NULL) == (status == UNA_OK));
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(job_columns, NULL) > 2);
}

/* ---- rows that join a model -------------------------------------------------------------------------------------- */

static void update_kind(const una_kind *kind, una_run *run)
{
    una_dataset *data = wave_data(ROWS, 0, run), *more = wave_data(10, 900, run);
    una_model *a = quick_fit(kind, data, run), *b = quick_fit(kind, data, run);
    double x[20];
    const double *y = una_dataset_numbers(more, 2);
    for (size_t i = 0; i < 10; i++) {
        x[2 * i] = una_dataset_numbers(more, 0)[i];
        x[2 * i + 1] = una_dataset_numbers(more, 1)[i];
    }

    una_status wanted = una_model_update(a, more, run);              /* some states of a kind cannot, either */
    assert_true(kind->observe || wanted == UNA_E_USAGE);
    assert_status(una_model_update_rows(b, x, y, 10, run), wanted, run);
    assert_same_bytes(a, b, run);
    assert_int_equal(una_model_info(b)->rows, wanted == UNA_OK ? ROWS + 10 : ROWS);

    una_model_free(a);
    una_model_free(b);
    una_dataset_free(data);
    una_dataset_free(more);
}

static void rows_are_a_table(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t able = 0;
    for (size_t k = 0; una_kinds[k]; k++) {
        update_kind(una_kinds[k], run);
        able += una_kinds[k]->observe != NULL;
    }
    assert_true(able >= 5);
    una_run_free(run);
}

static void bad_rows_change_nothing(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("linear", data, NULL, run), *before = copied_model(model, run);
    const double x[] = { 0, 0, NAN, 0 }, y[] = { 1, 2 }, wrong[] = { 1, INFINITY };

    assert_status(una_model_update_rows(model, x, y, 2, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'x1'");
    assert_status(una_model_update_rows(model, x, wrong, 2, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'y'");
    assert_status(una_model_update_rows(model, x, y, 0, run), UNA_E_INPUT, run);
    assert_status(una_model_update_rows(model, x, NULL, 1, run), UNA_E_USAGE, run);
    assert_status(una_model_update_rows(model, NULL, y, 1, run), UNA_E_USAGE, run);
    assert_same_bytes(model, before, run);

    assert_ok(una_model_update_rows(model, x, y, 1, run), run);
    assert_int_equal(una_model_info(model)->rows, ROWS + 1);
    una_model_free(model);
    una_model_free(before);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_a_table),
        cmocka_unit_test(cells_are_copied),
        cmocka_unit_test(bad_columns_are_named),
        cmocka_unit_test(words_at_prediction),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(rows_are_a_table),
        cmocka_unit_test(bad_rows_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
