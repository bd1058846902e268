/* SPDX-License-Identifier: MIT
 *
 * Rows with equal inputs, against a comparison of every row with every other.
 */
#include "test_support.h"

#include "data/copies.h"

enum { ROWS = 300, COLS = 3, STRIDE = 4 };

static bool equal(const double *a, const double *b)
{
    for (size_t d = 0; d < COLS; d++)
        if (a[d] != b[d]) return false;
    return true;
}

/* Few values, so that there are groups of all sizes; what stands behind the columns differs always. */
static void fill(double *x, size_t values)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, values);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t d = 0; d < COLS; d++) x[i * STRIDE + d] = (double)una_rng_below(&rng, values);
        x[i * STRIDE + COLS] = (double)i;
    }
}

static void check_rings(const una_copies *copies, const double *x)
{
    size_t groups = 0, copied = 0, largest = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t others = 0, ring = 0;
        bool first = true;
        for (size_t j = 0; j < ROWS; j++) {
            bool same = equal(x + i * STRIDE, x + j * STRIDE);
            others += same;
            first = first && !(same && j < i);
        }
        for (size_t row = i;; row = copies->next[row]) {
            assert_true(row < ROWS && ++ring <= ROWS);
            assert_true(equal(x + i * STRIDE, x + row * STRIDE));
            if (copies->next[row] == i) break;
        }
        assert_int_equal(ring, others);
        groups += first;
        copied += others > 1;
        if (others > largest) largest = others;
    }
    assert_int_equal(copies->groups, groups);
    assert_int_equal(copies->copied, copied);
    assert_int_equal(copies->largest, largest);
}

static void rings_hold_the_copies_and_no_others(void **state)
{
    una_run *run = quiet_run();
    static double x[ROWS * STRIDE];
    (void)state;
    for (size_t values = 1; values <= 100; values = values * 3 + 1) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_copies copies;
        fill(x, values);
        assert_ok(una_copies_find(&copies, (una_view){ x, ROWS, COLS, STRIDE }, &run->scratch, run), run);
        check_rings(&copies, x);
        una_arena_release(&run->scratch, mark);
    }
    una_run_free(run);
}

static void zeros_are_equal(void **state)
{
    una_run *run = quiet_run();
    una_copies copies;
    const double x[] = { 0.0, -0.0, 1 };
    (void)state;
    assert_ok(una_copies_find(&copies, (una_view){ x, 3, 1, 1 }, &run->scratch, run), run);
    assert_int_equal(copies.groups, 2);
    assert_int_equal(copies.next[0], 1);
    assert_int_equal(copies.next[1], 0);
    assert_int_equal(copies.next[2], 2);

    assert_ok(una_copies_find(&copies, (una_view){ x, 0, 1, 1 }, &run->scratch, run), run);
    assert_int_equal(copies.groups, 0);
    assert_ok(una_copies_find(&copies, (una_view){ x, 3, 0, 1 }, &run->scratch, run), run);        /* no inputs: all are equal */
    assert_int_equal(copies.groups, 1);
    una_run_free(run);
}

/* Rings of a label hold the rows of that label, in order. */
static void labels_make_rings(void **state)
{
    una_run *run = quiet_run();
    una_copies copies;
    const uint32_t label[] = { 4, 9, 4, 0, 9, 4 };
    const uint32_t next[] = { 2, 4, 5, 3, 1, 0 };
    (void)state;
    assert_ok(una_copies_of_labels(&copies, label, 6, &run->scratch, run), run);
    assert_memory_equal(copies.next, next, sizeof next);
    assert_int_equal(copies.groups, 3);
    assert_int_equal(copies.copied, 5);
    assert_int_equal(copies.largest, 3);
    una_run_free(run);
}

static void a_tree_has_its_first_row_as_root(void **state)
{
    uint32_t parent[] = { 0, 1, 2, 3, 4, 5 };
    (void)state;
    una_unite_roots(parent, 5, 3);
    una_unite_roots(parent, 4, 5);
    una_unite_roots(parent, 1, 2);
    assert_int_equal(una_root_of(parent, 4), 3);
    assert_int_equal(una_root_of(parent, 5), 3);
    assert_int_equal(una_root_of(parent, 2), 1);
    assert_int_equal(una_root_of(parent, 0), 0);
}

static una_status find_some(void *context, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_copies copies;
    una_status status = una_copies_find(&copies, (una_view){ context, ROWS, COLS, STRIDE }, &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void memory_may_end(void **state)
{
    static double x[ROWS * STRIDE];
    (void)state;
    fill(x, 3);
    assert_true(sweep_allocations(find_some, x) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_hold_the_copies_and_no_others),
        cmocka_unit_test(zeros_are_equal),
        cmocka_unit_test(labels_make_rings),
        cmocka_unit_test(a_tree_has_its_first_row_as_root),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
