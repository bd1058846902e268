/* SPDX-License-Identifier: MIT
 *
 * Files of concepts: what they may say, and a sentence for everything else.
 */
#include "diagnose/concepts.h"
#include "model/kind.h"
#include "test_support.h"

const una_kind *const una_kinds[] = { NULL };            /* none is asked for */

static void lines_are_read(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_concepts *c;
    const char *path = temp_text_file("c.txt", "# a comment\n\n  old: days > 28 \r\ntwo words : sex == 0\n"
                                      "odd: rows 3, 17, 20-22\nlong: rows > 3\nlast: a < 1");
    assert_ok(una_concepts_read(&c, path, run), run);
    assert_int_equal(c->count, 5);
    assert_string_equal(c->at[0].name, "old");
    assert_string_equal(c->at[0].where, "days > 28");
    assert_string_equal(c->at[1].name, "two words");
    assert_null(c->at[2].where);
    assert_int_equal(c->at[2].row_count, 5);
    const size_t rows[] = { 2, 16, 19, 20, 21 };
    assert_memory_equal(c->at[2].rows, rows, sizeof rows);
    assert_string_equal(c->at[3].where, "rows > 3");     /* a column may be called so */
    assert_string_equal(c->at[4].name, "last");
    una_concepts_free(c);

    path = temp_text_file("c.json", " {\"old\": \"days > 28\", \"odd\": [3, 17]}");
    assert_ok(una_concepts_read(&c, path, run), run);
    assert_int_equal(c->count, 2);
    assert_string_equal(c->at[0].where, "days > 28");
    assert_int_equal(c->at[1].rows[1], 16);
    una_concepts_free(c);
    una_concepts_free(NULL);
    una_run_free(run);
}

static void damaged_files_get_a_sentence(void **state)
{
    (void)state;
    const struct { const char *text, *says; } cases[] = {
        { "", "names no concept" }, { "# only this\n", "names no concept" },
        { "old days > 28\n", "line 1: there is no colon" }, { "\nold:\n", "line 2: nothing stands behind the colon" },
        { ": a > 1\n", "has no name" }, { "a: x >\n", "line 1" }, { "a: x > 1\nb: (x > 1\n", "line 2" },
        { "a: rows 3, x\n", "is no list of rows" }, { "a: rows 0\n", "is no list of rows" },
        { "a: rows 5-3\n", "is no list of rows" }, { "a: rows 3,\n", "is no list of rows" },
        { "a: rows 99999999999999999999999\n", "is no list of rows" }, { "a: rows 1-\n", "is no list of rows" },
        { "a: x > 1\na: x > 2\n", "two concepts are called 'a'" }, { "other: x > 1\n", "no concept can be called" },
        { "{\"a\": 1}", "neither a condition" }, { "{\"a\": [0]}", "item 1 of its list" },
        { "{\"a\": [1.5]}", "item 1 of its list" }, { "{\"a\": \"x >\"}", "c.txt" }, { "{\"a\": ", "not JSON" },
        { "{}", "names no concept" }, { "{\"a\": \"x > 1\", \"a\": \"x > 2\"}", "not JSON" },
        { "{\"\": \"x > 1\"}", "has no name" },
    };
    una_run *run = quiet_run();
    una_concepts *c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = temp_text_file("c.txt", cases[i].text);
        assert_status(una_concepts_read(&c, path, run), UNA_E_INPUT, run);
        assert_null(c);
        assert_says(una_run_message(run), cases[i].says);
        assert_says(una_run_message(run), "c.txt");
    }
    assert_status(una_concepts_read(&c, temp_file("c.txt", "a: x\0> 1", 8), run), UNA_E_INPUT, run);
    assert_status(una_concepts_read(&c, temp_path("none.txt"), run), UNA_E_IO, run);

    char many[70 * 16], *at = many;
    for (int i = 0; i < 65; i++) at += sprintf(at, "c%d: x > %d\n", i, i);
    assert_status(una_concepts_read(&c, temp_text_file("c.txt", many), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "more than 64");
    una_run_free(run);
}

static void rows_that_show_them(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data;
    const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    assert_ok(una_dataset_from_arrays(&data, x, NULL, 4, 2, NULL, run), run);
    const size_t rows[] = { 3, 0 }, beyond[] = { 4 };
    bool holds[8] = {0};
    una_concept c[] = { SIZED(una_concept, .name = "large", .where = "x1 > 3"),
                        SIZED(una_concept, .name = "ends", .rows = rows, .row_count = 2) };
    assert_ok(una_concepts_holds(holds, c, 2, data, run), run);
    const bool wanted[] = { false, false, true, true, true, false, false, true };
    assert_memory_equal(holds, wanted, sizeof wanted);

    const struct { una_concept second; una_status status; const char *says; } cases[] = {
        { SIZED(una_concept, .name = "b", .where = "x9 > 3"), UNA_E_INPUT, "concept 'b':" },
        { SIZED(una_concept, .name = "b", .where = "x1 > 100"), UNA_E_INPUT, "holds in no row" },
        { SIZED(una_concept, .name = "b"), UNA_E_INPUT, "holds in no row" },
        { SIZED(una_concept, .name = "b", .rows = beyond, .row_count = 1), UNA_E_INPUT, "names row 5" },
        { SIZED(una_concept, .name = "b", .where = "x1 >= 5"), UNA_E_INPUT, "hold in the same rows" },
        { SIZED(una_concept, .name = "large", .where = "x1 > 1"), UNA_E_USAGE, "two concepts" },
        { SIZED(una_concept, .where = "x1 > 1"), UNA_E_USAGE, "has no name" },
        { SIZED(una_concept, .name = "b", .where = "x1 >"), UNA_E_USAGE, "concept 'b':" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(holds, 0, sizeof holds);
        c[1] = cases[i].second;
        assert_status(una_concepts_holds(holds, c, 2, data, run), cases[i].status, run);
        assert_says(una_run_message(run), cases[i].says);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static una_status read_once(void *context, una_run *run)
{
    una_concepts *c;
    una_status status = una_concepts_read(&c, context, run);
    una_concepts_free(c);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", temp_text_file("m.txt", "a: x > 1\nb: rows 3-9\n"));
    assert_true(sweep_allocations(read_once, path) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read), cmocka_unit_test(damaged_files_get_a_sentence),
        cmocka_unit_test(rows_that_show_them), cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
