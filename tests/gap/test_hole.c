/* SPDX-License-Identifier: MIT
 *
 * Holes cut into tables: the middle third, ties, zeros for half of the rows, few values, words, boxes.
 */
#include "test_support.h"

#include "gap/hole.h"
#include "model/kind.h"

const una_kind *const una_kinds[] = { NULL };            /* no model is fitted here */

enum { ROWS = 90 };

static una_dataset *table_of(const double *a, const double *b, size_t rows, una_run *run)
{
    static const char *const names[] = { "a", "b" };
    const double *const numbers[] = { a, b ? b : a };
    una_dataset *data = NULL;
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 2, rows, run), run);
    return data;
}

/* A hole counts its rows, holds exactly those of its closed range, and leaves rows on both sides. */
static void check_hole(const una_hole *hole, const double *value, size_t rows)
{
    size_t count = 0, below = 0, above = 0;
    for (size_t i = 0; i < rows; i++) {
        bool in = value[i] >= hole->low[0] && value[i] <= hole->high[0];
        assert_int_equal(hole->inside[i], in);
        count += in;
        below += value[i] < hole->low[0];
        above += value[i] > hole->high[0];
    }
    assert_int_equal(count, hole->count);
    assert_true(below > 0 && above > 0);
    assert_true(count >= UNA_HOLE_LEAST_ROWS && count <= rows / 2);
}

static una_hole cut(const double *value, size_t rows, una_run *run, una_arena *arena)
{
    una_hole hole;
    una_dataset *data = table_of(value, NULL, rows, run);
    assert_ok(una_hole_cut(&hole, data, 0, SIZE_MAX, arena, run), run);
    una_dataset_free(data);
    return hole;
}

static void test_middle_third(void **state)
{
    double value[ROWS];
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < ROWS; i++) value[i] = (double)((i * 37) % ROWS);      /* 0 ... 89, shuffled */
    una_hole hole = cut(value, ROWS, run, &arena);
    assert_null(hole.why_not);
    assert_true(hole.low[0] == 30 && hole.high[0] == 59 && hole.count == 30);
    check_hole(&hole, value, ROWS);
    una_arena_free(&arena);
    una_run_free(run);
}

static void test_ties(void **state)
{
    double value[ROWS];
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);

    /* Half of the rows 0: they stay together, below the hole. 45 is the nearest edge to 30, 60 is two thirds. */
    for (size_t i = 0; i < ROWS; i++) value[i] = i % 2 ? 0 : (double)i + 1;
    una_hole hole = cut(value, ROWS, run, &arena);
    assert_null(hole.why_not);
    assert_int_equal(hole.count, 15);
    assert_true(hole.low[0] == 1);
    check_hole(&hole, value, ROWS);

    /* Days 1, 7, 28, 90: 28 has the middle, whose edges are 25 and 65. */
    for (size_t i = 0; i < ROWS; i++) value[i] = i < 10 ? 1 : i < 25 ? 7 : i < 65 ? 28 : 90;
    hole = cut(value, ROWS, run, &arena);
    assert_true(hole.low[0] == 28 && hole.high[0] == 28 && hole.count == 40);
    check_hole(&hole, value, ROWS);

    /* A value with more than half of the rows cannot go: the stretch beside it does. */
    for (size_t i = 0; i < ROWS; i++) value[i] = i < 5 ? 1 : i < 60 ? 2 : i < 75 ? 3 : 4;
    hole = cut(value, ROWS, run, &arena);
    assert_true(hole.low[0] == 3 && hole.high[0] == 3 && hole.count == 15);
    una_arena_free(&arena);
    una_run_free(run);
}

static void test_no_hole(void **state)
{
    double value[ROWS] = {0};
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    assert_says(cut(value, ROWS, run, &arena).why_not, "one value only");
    for (size_t i = 0; i < ROWS; i++) value[i] = (double)(i % 2);
    assert_says(cut(value, ROWS, run, &arena).why_not, "two values only");
    for (size_t i = 0; i < ROWS; i++) value[i] = i < 2 ? -1 : i > 87 ? 1 : 0;
    assert_says(cut(value, ROWS, run, &arena).why_not, "10 to 45 rows");
    una_arena_free(&arena);
    una_run_free(run);
}

/* A missing cell is not in the hole, and does not count for its place. */
static void test_missing(void **state)
{
    double value[ROWS];
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < ROWS; i++) value[i] = i < 30 ? NAN : (double)i;
    una_hole hole = cut(value, ROWS, run, &arena);
    assert_true(hole.low[0] == 50 && hole.high[0] == 69 && hole.count == 20);
    assert_false(hole.inside[0]);
    una_arena_free(&arena);
    una_run_free(run);
}

static void test_words(void **state)
{
    static const char *const names[] = { "kind" };
    const char *word[ROWS];
    const char *const *const words[] = { word };
    una_run *run = quiet_run();
    una_arena arena;
    una_dataset *data = NULL;
    una_hole hole;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < ROWS; i++) word[i] = i < 50 ? "oak" : i < 77 ? "ash" : "elm";
    assert_ok(una_dataset_from_columns(&data, names, NULL, words, 1, ROWS, run), run);
    assert_ok(una_hole_cut(&hole, data, 0, SIZE_MAX, &arena, run), run);
    assert_null(hole.why_not);
    assert_string_equal(hole.level, "ash");              /* 27 rows; oak has more than half */
    assert_int_equal(hole.count, 27);
    assert_true(hole.inside[50] && !hole.inside[0] && !hole.inside[80]);
    una_dataset_free(data);

    for (size_t i = 0; i < ROWS; i++) word[i] = i < 50 ? "oak" : "ash";
    assert_ok(una_dataset_from_columns(&data, names, NULL, words, 1, ROWS, run), run);
    assert_ok(una_hole_cut(&hole, data, 0, SIZE_MAX, &arena, run), run);
    assert_says(hole.why_not, "two words only");
    una_dataset_free(data);
    una_arena_free(&arena);
    una_run_free(run);
}

static void test_box(void **state)
{
    enum { SIDE = 20 };
    double a[SIDE * SIDE], b[SIDE * SIDE];
    una_run *run = quiet_run();
    una_arena arena;
    una_hole hole;
    una_text where;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < SIDE * SIDE; i++) a[i] = (double)(i / SIDE), b[i] = (double)(i % SIDE);
    una_dataset *data = table_of(a, b, SIDE * SIDE, run);
    assert_ok(una_hole_cut(&hole, data, 0, 1, &arena, run), run);
    assert_null(hole.why_not);
    assert_int_equal(hole.count, 64);                    /* 8 x 8 of 400 is nearest to 15 % */
    for (size_t i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(hole.inside[i], a[i] >= 6 && a[i] <= 13 && b[i] >= 6 && b[i] <= 13);
    where = una_text_in(&arena);
    una_hole_where(&where, &hole);
    assert_string_equal(where.at, "from 6 to 13 and from 6 to 13");
    una_dataset_free(data);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_middle_third), cmocka_unit_test(test_ties), cmocka_unit_test(test_no_hole),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_words), cmocka_unit_test(test_box)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
