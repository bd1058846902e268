/* SPDX-License-Identifier: MIT
 *
 * One table after another: columns found by name, words and numbers, what does not go together.
 */
#include "data/table.h"
#include "test_support.h"

static una_dataset *read_text(const char *name, const char *text, una_run *run)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file(name, text), run), run);
    return data;
}

static void columns_are_found_by_name(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *a = read_text("a.csv", "size,colour,y\n1,red,10\n,blue,20\n3,,30\n", run);
    una_dataset *b = read_text("b.csv", "y,extra,colour,size\n40,q,red,4\n,q,green,5\n", run), *both = NULL;
    assert_ok(una_dataset_join(&both, a, b, run), run);
    una_dataset_free(a);                                         /* the joined table stands alone */
    una_dataset_free(b);

    assert_int_equal(una_dataset_row_count(both), 5);
    assert_int_equal(una_dataset_column_count(both), 3);
    static const char *const names[] = { "size", "colour", "y" };
    for (size_t i = 0; i < 3; i++) assert_string_equal(una_dataset_column_name(both, i), names[i]);
    const double *size = una_dataset_numbers(both, 0), *y = una_dataset_numbers(both, 2);
    assert_true(size[0] == 1 && isnan(size[1]) && size[2] == 3 && size[3] == 4 && size[4] == 5);
    assert_true(y[0] == 10 && y[2] == 30 && y[3] == 40 && isnan(y[4]));
    assert_null(una_dataset_numbers(both, 1));

    const char **word = both->column[1].word;
    assert_null(word[2]);
    assert_string_equal(word[4], "green");
    assert_string_equal(word[0], "red");
    assert_ptr_equal(word[0], word[3]);                          /* equal words share one pointer */

    una_text place = una_text_in(&run->scratch);
    una_table_place(&place, both, 3, 1);
    assert_says(place.at, "b.csv, line 2, column 'colour'");
    assert_null(strstr(place.at, "a.csv"));
    una_dataset_free(both);
    una_run_free(run);
}

/* Each row keeps its place in its own file, also where some were left out before or after. */
static void rows_keep_their_places(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *a = read_text("a.csv", "# two lines\nsize,y\n\"1\",10\n2,20\n3,30\n", run), *some = NULL;
    una_dataset *b = read_text("b.csv", "size,y\n4,40\n5,50\n", run), *both = NULL, *all = NULL, *last = NULL;
    assert_ok(una_dataset_where(&some, a, "size > 1", run), run);
    assert_int_equal(una_dataset_row_number(some, 0), 2);
    assert_int_equal(una_dataset_row_number(some, 2), 0);
    assert_ok(una_dataset_join(&both, some, b, run), run);
    assert_ok(una_dataset_join(&all, both, a, run), run);
    const size_t chosen[] = { 6, 1, 3 };
    assert_ok(una_dataset_rows(&last, all, chosen, 3, run), run);
    una_dataset_free(a);
    una_dataset_free(some);
    una_dataset_free(b);
    una_dataset_free(both);
    una_dataset_free(all);                                       /* the last table stands alone */

    const struct { const char *place; size_t number; } wanted[] = { { "a.csv, line 5", 3 }, { "a.csv, line 5", 3 },
                                                                    { "b.csv, line 3", 2 } };
    for (size_t r = 0; r < 3; r++) {
        una_text place = una_text_in(&run->scratch);
        una_table_row(&place, last, r);
        assert_says(place.at, wanted[r].place);
        assert_int_equal(una_dataset_row_number(last, r), wanted[r].number);
    }
    una_dataset_free(last);
    una_run_free(run);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *a = read_text("a.csv", "size,colour,y\n1,red,10\n2,blue,11\n", run), *both = NULL;
    una_dataset *b = read_text("b.csv", "size,color,y\n1,red,10\n", run);
    una_dataset *c = read_text("c.csv", "size,colour,y\n1,7,10\n", run);
    una_dataset *d = read_text("d.csv", "size,colour,y\nbig,red,10\n", run);

    assert_status(una_dataset_join(&both, a, b, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "b.csv has no column 'colour' (did you mean 'color'?)");
    assert_null(both);

    assert_status(una_dataset_join(&both, a, c, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "the column 'colour' holds words in");
    assert_says(una_run_message(run), "a.csv and numbers in");

    assert_status(una_dataset_join(&both, a, d, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "'size' holds words in");
    assert_says(una_run_message(run), "d.csv and numbers in");
    assert_null(both);

    una_dataset_free(a);
    una_dataset_free(b);
    una_dataset_free(c);
    una_dataset_free(d);
    una_run_free(run);
}

/* A column that is empty in one of the tables takes its type from the other, whichever comes first. */
static void empty_columns_have_no_type(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *a = read_text("a.csv", "colour,y\nred,1\n", run), *b = read_text("b.csv", "colour,y\nNA,2\n", run);
    una_dataset *none = NULL, *both = NULL, *again = NULL, *third = NULL;
    assert_false(b->column[0].is_text);

    assert_ok(una_dataset_join(&both, a, b, run), run);
    assert_true(both->column[0].is_text);
    assert_string_equal(both->column[0].word[0], "red");
    assert_null(both->column[0].word[1]);
    assert_ok(una_dataset_join(&again, b, both, run), run);
    assert_true(again->column[0].is_text);
    assert_null(again->column[0].word[0]);
    assert_string_equal(again->column[0].word[1], "red");
    assert_int_equal(again->column[0].first_word, 1);

    assert_ok(una_dataset_rows(&none, a, NULL, 0, run), run);    /* text by its type, but without a word */
    una_dataset *numbers = read_text("c.csv", "colour,y\n5,2\n", run);
    assert_ok(una_dataset_join(&third, none, numbers, run), run);
    assert_true(third->rows == 1 && third->column[0].number[0] == 5);
    una_dataset_free(third);
    assert_ok(una_dataset_join(&third, numbers, none, run), run);
    assert_true(third->rows == 1 && third->column[0].number[0] == 5);

    una_dataset *const all[] = { a, b, none, both, again, third, numbers };
    for (size_t i = 0; i < 7; i++) una_dataset_free(all[i]);
    una_run_free(run);
}

static una_status job_join(void *context, una_run *run)
{
    una_dataset *data = NULL, *both = NULL;
    una_status status = una_dataset_read(&data, context, run);
    if (status == UNA_OK) status = una_dataset_join(&both, data, data, run);
    if (status != UNA_OK) assert_null(both);
    una_dataset_free(both);
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char text[40000] = "a,b,c\n", path[4096];
    for (int i = 0; i < 700; i++) snprintf(text + strlen(text), 60, "%d,word %d,%d\n", i, i, i);
    snprintf(path, sizeof path, "%s", temp_text_file("f.csv", text));
    assert_true(sweep_allocations(job_join, path) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(rows_keep_their_places),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(empty_columns_have_no_type),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
