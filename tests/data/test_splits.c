/* SPDX-License-Identifier: MIT
 *
 * Index lists: disjoint, complete, reproducible; published files where they are at hand.
 */
#include "one_run.h"

#include "data/table.h"

static void assert_partition(const una_split *split, size_t rows)
{
    unsigned char *seen = calloc(rows, 1);
    assert_int_equal(split->train_count + split->test_count, rows);
    for (size_t i = 0; i < split->train_count; i++) assert_true(split->train[i] < rows && !seen[split->train[i]]++);
    for (size_t i = 0; i < split->test_count; i++) assert_true(split->test[i] < rows && !seen[split->test[i]]++);
    free(seen);
}

static void at_random(void **state)
{
    (void)state;
    una_split a = UNA_INIT(una_split), b = UNA_INIT(una_split), c = UNA_INIT(una_split);
    assert_ok(una_split_random(&a, 101, 0.1, 7, run), run);
    assert_ok(una_split_random(&b, 101, 0.1, 7, run), run);
    assert_ok(una_split_random(&c, 101, 0.1, 8, run), run);

    assert_partition(&a, 101);
    assert_int_equal(a.test_count, 10);
    assert_memory_equal(a.train, b.train, a.train_count * sizeof *a.train);
    assert_true(memcmp(a.test, c.test, 10 * sizeof *a.test) != 0);
    una_split_free(&a, run);
    una_split_free(&b, run);
    una_split_free(&c, run);
    una_split_free(NULL, run);
    assert_null(a.train);

    assert_ok(una_split_random(&a, 2, 0.001, 7, run), run);
    assert_int_equal(a.test_count, 1);
    una_split_free(&a, run);
    assert_ok(una_split_random(&a, 2, 0.999, 7, run), run);
    assert_int_equal(a.train_count, 1);
    una_split_free(&a, run);

    assert_status(una_split_random(&a, 1, 0.5, 7, run), UNA_E_INPUT, run);
    assert_status(una_split_random(&a, 10, 1, 7, run), UNA_E_USAGE, run);
    assert_status(una_split_random(&a, 10, NAN, 7, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "must lie between 0 and 1");
}

static void with_a_gap(void **state)
{
    (void)state;
    /* sorted: rows 5 0 | 2 4 | 1 3, and 4 ties with 2 and, across the border, with 1 */
    const double x[] = { 2, 4, 3, 9, 4, 1 };
    una_dataset *data = NULL;
    una_split split = UNA_INIT(una_split);
    assert_ok(una_dataset_from_arrays(&data, x, NULL, 6, 1, NULL, run), run);

    assert_ok(una_split_gap(&split, data, "x1", run), run);
    assert_partition(&split, 6);
    assert_int_equal(split.test_count, 2);
    assert_int_equal(split.test[0], 2);
    assert_int_equal(split.test[1], 1);                          /* stable: row 1 comes before row 4 */
    assert_int_equal(split.train[2], 4);
    assert_int_equal(split.tied, 1);
    una_split_free(&split, run);

    assert_status(una_split_gap(&split, data, "x2", run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no column 'x2' (did you mean 'x1'?); its columns are: x1");
    una_dataset_free(data);

    assert_ok(una_dataset_from_arrays(&data, x, NULL, 2, 1, NULL, run), run);
    assert_status(una_split_gap(&split, data, "x1", run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "fewer than three rows");
    una_dataset_free(data);

    assert_ok(una_dataset_read(&data, temp_text_file("g.csv", "a,b\n1,x\n2,y\nNA,z\n"), run), run);
    assert_status(una_split_gap(&split, data, "a", run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 4, column 'a' is missing");
    assert_status(una_split_gap(&split, data, "b", run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "holds words");
    una_dataset_free(data);
}

/* Shares and thirds are rounded to the nearest row, whatever the number of rows. */
static void nearest_rows(void **state)
{
    (void)state;
    for (size_t rows = 3; rows <= 60; rows++) {
        double x[60], third = (double)rows / 3;
        una_dataset *data = NULL;
        una_split split = { .size = sizeof split };

        assert_ok(una_split_random(&split, rows, 0.3, rows, run), run);
        assert_partition(&split, rows);
        assert_true(fabs((double)split.test_count - 0.3 * (double)rows) <= 0.5 + 1e-9);
        una_split_free(&split, run);

        for (size_t i = 0; i < rows; i++) x[i] = -(double)i;     /* row i has the rank rows - 1 - i */
        assert_ok(una_dataset_from_arrays(&data, x, NULL, rows, 1, NULL, run), run);
        assert_ok(una_split_gap(&split, data, "x1", run), run);
        assert_partition(&split, rows);
        size_t from = (size_t)lround(third), to = (size_t)lround(2 * third);
        assert_int_equal(split.test_count, to - from);
        for (size_t i = 0; i < split.test_count; i++) {
            size_t rank = rows - 1 - split.test[i];
            assert_true(rank >= from && rank < to);
        }
        una_split_free(&split, run);
        una_dataset_free(data);
    }
}

static void refused(const char *text, const char *group, size_t index, una_status status, const char *part)
{
    una_split split = UNA_INIT(una_split);
    assert_status(una_split_read(&split, temp_text_file("s.json", text), group, index, 4, run), status, run);
    assert_says(una_run_message(run), part);
    assert_null(split.train);
}

static void from_a_file(void **state)
{
    (void)state;
    const char *good = "{\"rows\": 4, \"gap\": [{\"train\": [0, 3], \"test\": [2, 1], \"train_rows_tied_inside\": 1}]}";
    una_split split = UNA_INIT(una_split);
    assert_ok(una_split_read(&split, temp_text_file("s.json", good), "gap", 0, 4, run), run);
    assert_partition(&split, 4);
    assert_int_equal(split.tied, 1);
    assert_int_equal(split.test[0], 2);
    una_split_free(&split, run);

    refused(good, "gap", 1, UNA_E_USAGE, "split 1 of 'gap' was asked for");
    refused(good, "standard", 0, UNA_E_INPUT, "no group 'standard'");
    refused("{\"rows\": 5, \"gap\": []}", "gap", 0, UNA_E_INPUT, "splits 5 rows, and the data has 4");
    refused("{\"gap\": []}", "gap", 0, UNA_E_INPUT, "how many 'rows'");
    refused("[1, 2]", "gap", 0, UNA_E_INPUT, "how many 'rows'");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, 4], \"test\": [1]}]}", "gap", 0, UNA_E_INPUT,
            "split 0 of 'gap' names row 4, which does not exist: the data has rows 0 to 3");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, -1], \"test\": [1]}]}", "gap", 0, UNA_E_INPUT,
            "names row -1, which does not exist");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, \"1\"], \"test\": [1]}]}", "gap", 0, UNA_E_INPUT,
            "not the number of a row");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, 1], \"test\": [1]}]}", "gap", 0, UNA_E_INPUT, "names row 1 twice");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, 1, 2, 3], \"test\": [1]}]}", "gap", 0, UNA_E_INPUT,
            "names row 1 twice");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, 1, 2, 3], \"test\": [9]}]}", "gap", 0, UNA_E_INPUT,
            "names row 9, which does not exist");
    refused("{\"rows\": 4, \"gap\": [{\"train\": [0, 1]}]}", "gap", 0, UNA_E_INPUT, "no rows in 'train' or in 'test'");
    refused("{\"rows\": 4,\n \"gap\": [", "gap", 0, UNA_E_INPUT, "line 2");

    assert_status(una_split_read(&split, temp_path("none.json"), "gap", 0, 4, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "none.json");
}

/* Every published list is disjoint; our gap cut has the same sizes and ties. */
static void published(void **state)
{
    (void)state;
    static const char *const sets[] = { "boston", "concrete", "energy", "yacht", "wine-quality-red", "power-plant" };
    if (!shared_path("data/uci/splits/boston.json")) {
        print_message("the published splits are not at hand (data/uci/splits); skipped\n");
        skip();
    }

    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        char name[256], file[4096];
        snprintf(name, sizeof name, "data/uci/splits/%s.json", sets[s]);
        snprintf(file, sizeof file, "%s", shared_path(name));
        snprintf(name, sizeof name, "data/uci/%s.csv", sets[s]);
        una_dataset *data = NULL;
        assert_ok(una_dataset_read(&data, shared_path(name), run), run);

        for (size_t i = 0; i < 20; i += 7) {
            una_split split = UNA_INIT(una_split);
            assert_ok(una_split_read(&split, file, "standard", i, data->rows, run), run);
            assert_partition(&split, data->rows);
            una_split_free(&split, run);
        }

        for (size_t c = 0; c + 1 < data->columns; c++) {
            una_split theirs = UNA_INIT(una_split), ours = UNA_INIT(una_split);
            assert_ok(una_split_read(&theirs, file, "gap", c, data->rows, run), run);
            assert_ok(una_split_gap(&ours, data, data->column[c].name, run), run);
            assert_partition(&theirs, data->rows);
            assert_partition(&ours, data->rows);

            double low = INFINITY, high = -INFINITY;
            for (size_t i = 0; i < theirs.test_count; i++) {
                low = fmin(low, data->column[c].number[theirs.test[i]]);
                high = fmax(high, data->column[c].number[theirs.test[i]]);
            }
            size_t tied = 0;
            for (size_t i = 0; i < theirs.train_count; i++) {
                double value = data->column[c].number[theirs.train[i]];
                tied += value >= low && value <= high;
            }
            assert_int_equal(theirs.tied, tied);

            /* The wine lists were cut one row shorter than a third. */
            if (data->rows != 1599) {
                assert_int_equal(ours.test_count, theirs.test_count);
                double span = ours.test_count ? data->column[c].number[ours.test[0]] : 0;
                if (theirs.tied == 0) assert_true(span == low);
            }
            una_split_free(&theirs, run);
            una_split_free(&ours, run);
        }
        una_dataset_free(data);
    }
}

static una_status split_all(void *context, una_run *other)
{
    una_dataset *data = NULL;
    una_split split = UNA_INIT(una_split);
    una_status status = una_dataset_read(&data, temp_path("g.csv"), other);
    if (status == UNA_OK) status = una_split_gap(&split, data, "a", other);
    una_split_free(&split, other);
    if (status == UNA_OK) status = una_split_random(&split, 300, 0.5, 1, other);
    una_split_free(&split, other);
    if (status == UNA_OK) status = una_split_read(&split, context, "gap", 0, 4, other);
    una_split_free(&split, other);
    una_dataset_free(data);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    char path[4096];
    temp_text_file("g.csv", "a\n1\n2\n3\n");
    snprintf(path, sizeof path, "%s",
             temp_text_file("s.json", "{\"rows\": 4, \"gap\": [{\"train\": [0, 3], \"test\": [2, 1]}]}"));
    assert_true(sweep_allocations(split_all, path) > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_random), cmocka_unit_test(with_a_gap),          cmocka_unit_test(from_a_file),
        cmocka_unit_test(published), cmocka_unit_test(allocations_may_fail), cmocka_unit_test(nearest_rows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
