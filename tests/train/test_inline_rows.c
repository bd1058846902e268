/* SPDX-License-Identifier: MIT
 *
 * Rows written out in an option: what is read, and that whatever cannot be read gets a sentence.
 */
#include "test_support.h"

#include "train/inline_rows.h"
#include "model/kind.h"

const una_kind *const una_kinds[] = { NULL };

static una_input inputs[] = { { 0, SIZE_MAX, 1, 2, 0 }, { 1, SIZE_MAX, 0, 10, 0 },
                              { 2, SIZE_MAX, 5, 1, 0 } };
static una_source sources[] = { { .name = "x1" }, { .name = "flow rate" }, { .name = "x3" } };
static const una_columns columns = { .sources = sources, .source_count = 3, .inputs = inputs, .input_count = 3 };

static void grid_is_every_combination(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double *x;
    size_t rows;
    assert_ok(una_inline_grid(&x, &rows, " x1 = -1:3:3, flow rate=0:20:2", &columns, "tuna: grid", run), run);
    assert_int_equal(rows, 6);
    for (size_t i = 0; i < 6; i++) {
        double x1 = -1 + 2.0 * (double)(i / 2), flow = i % 2 ? 20 : 0;
        assert_near(x[3 * i], (x1 - 1) / 2, 1e-15, 0);
        assert_near(x[3 * i + 1], flow / 10, 1e-15, 0);
        assert_near(x[3 * i + 2], 0, 0, 0);                              /* not named: its mean */
    }
    assert_ok(una_inline_grid(&x, &rows, "x3=7:7:1", &columns, "tuna: grid", run), run);
    assert_int_equal(rows, 1);
    assert_near(x[2], 2, 1e-15, 0);
    una_run_free(run);
}

static void grids_that_are_refused(void **state)
{
    static const struct { const char *text, *says; } bad[] = {
        { "", "''" }, { "x1", "NAME=LOW:HIGH:COUNT" }, { "x1=", "NAME=LOW:HIGH:COUNT" },
        { "x1=1:2", "NAME=LOW:HIGH:COUNT" },
        { "x1=1:2:3:4", "NAME=LOW:HIGH:COUNT" }, { "x1=a:2:3", "NAME=LOW:HIGH:COUNT" },
        { "x1=1:2:0", "NAME=LOW:HIGH:COUNT" }, { "x1=1:2:2.5", "NAME=LOW:HIGH:COUNT" },
        { "x1=1:2:1e9", "NAME=LOW:HIGH:COUNT" }, { "x1=1:inf:3", "NAME=LOW:HIGH:COUNT" },
        { "x1=2:1:3", "begins above its end" }, { "x1=1:2:3, x1=1:2:3", "named twice" },
        { "x1=1:2:3,", "NAME=LOW:HIGH:COUNT" }, { "y1=1:2:3", "no numeric input 'y1'" },
        { "flow rat=1:2:3", "did you mean 'flow rate'" },
        { "x1=1:2:200, x3=1:2:200", "more than 20000 points" },
        { "x1=1:2:20000, x3=1:2:20000, flow rate=1:2:20000", "more than 20000 points" },
    };
    (void)state;
    una_run *run = quiet_run();
    double *x;
    size_t rows;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(una_inline_grid(&x, &rows, bad[i].text, &columns, "tuna: grid", run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), bad[i].says);
        assert_says(una_run_message(run), "tuna: grid");
    }
    inputs[2].level = 0;
    assert_status(una_inline_grid(&x, &rows, "x1=1:2:3", &columns, "tuna: grid", run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "x3 holds words");
    inputs[2].level = SIZE_MAX;
    una_run_free(run);
}

static void tables_are_read(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    assert_ok(una_inline_table(&data, "x, flow rate ,low;-1,2e1,3 ;\n 4, 5,-6.5;", "tuna: pseudo_rows", run), run);
    assert_int_equal(una_dataset_row_count(data), 2);
    assert_string_equal(una_dataset_column_name(data, 1), "flow rate");
    assert_near(una_dataset_numbers(data, 0)[0], -1, 0, 0);
    assert_near(una_dataset_numbers(data, 1)[0], 20, 0, 0);
    assert_near(una_dataset_numbers(data, 2)[1], -6.5, 0, 0);
    una_dataset_free(data);
    una_run_free(run);
}

static void tables_that_are_refused(void **state)
{
    static const struct { const char *text, *says; } bad[] = {
        { "", "names of the columns" }, { "x,y", "names of the columns" }, { "x,y;", "names of the columns" },
        { "x,y;1", "row 1, '1', must hold 2 numbers" }, { "x,y;1,2;1,2,3", "row 2" }, { "x,y;1,2;;1,2", "row 2" },
        { "x,y;1,two", "row 1" }, { "x,y;1,nan", "row 1" }, { "x,y;1,inf", "row 1" },
    };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(una_inline_table(&data, bad[i].text, "tuna: pseudo_rows", run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), bad[i].says);
    }
    una_run_free(run);
}

/* Any request for memory may be refused. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    una_status status = UNA_E_MEMORY;
    for (long left = 0; status != UNA_OK; left++) {
        struct fail_after memory = { .left = -1 };
        una_run *run = NULL;
        una_dataset *data = NULL;
        double *x;
        size_t rows;
        una_run_settings settings = failing_settings(&memory);
        assert_ok(una_run_new(&run, &settings), NULL);
        memory.left = left;
        status = una_inline_grid(&x, &rows, "x1=-1:3:30, x3=0:1:40", &columns, "tuna: grid", run);
        if (status == UNA_OK) status = una_inline_table(&data, "x,y;1,2;3,4", "tuna: pseudo_rows", run);
        assert_true(status == UNA_OK || status == UNA_E_MEMORY);
        una_dataset_free(data);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
        assert_true(left < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_every_combination),
        cmocka_unit_test(grids_that_are_refused),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(tables_that_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
