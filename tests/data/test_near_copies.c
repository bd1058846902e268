/* SPDX-License-Identifier: MIT
 *
 * Near copies are found, each group as one, in few and many inputs; dense, rounded and clustered rows are not taken for
 * them, and neither are equal ones.
 */
#include "test_support.h"

#include "data/near_copies.h"

enum { MOST_ROWS = 3000, MOST_COLS = 20 };

static double x[MOST_ROWS * MOST_COLS], y[MOST_ROWS];
static uint32_t label[MOST_ROWS];

/* Groups of `times` rows that lie `away` from their middle, which is normal, in random order; y: noise of the group. */
static void fill(size_t rows, size_t cols, size_t times, double away, uint64_t seed)
{
    for (size_t i = 0; i < rows; i++) {
        una_rng middle = una_rng_at(seed, UNA_FOR_TEST, i % (rows / times));
        una_rng own = una_rng_at(seed + 1, UNA_FOR_TEST, i);
        for (size_t d = 0; d < cols; d++) x[i * cols + d] = una_rng_normal(&middle) + away * una_rng_normal(&own);
        y[i] = una_rng_normal(&middle) + away * una_rng_normal(&own);
    }
}

static una_near_copies find(size_t rows, size_t cols, bool target, una_run *run)
{
    una_near_copies found;
    const una_near_rows of = { { x, rows, cols, cols }, target ? y : NULL, 1 };
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_near_copies_find(&found, label, &of, run), run);
    una_arena_release(&run->scratch, mark);
    if (found.copied == 0)
        for (size_t i = 0; i < rows; i++) assert_int_equal(label[i], i);
    return found;
}

static void copies_form_their_groups(void **state)
{
    static const struct { size_t rows, cols, times; double away; bool target; } cases[] = {
        { 1000, 1, 5, 1e-3, true }, { 300, 5, 5, 1e-3, true }, { 300, 5, 5, 1e-3, false }, { 60, 3, 2, 1e-4, true },
        { 300, 20, 5, 1e-3, true }, { 300, 20, 5, 3e-3, true }, { 3000, 2, 3, 1e-4, true }, { 120, 10, 30, 1e-3, false }
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t rows = cases[c].rows, groups = rows / cases[c].times, wrong = 0;
        if (groups < 10) continue;
        fill(rows, cases[c].cols, cases[c].times, cases[c].away, 10 + c);
        una_near_copies found = find(rows, cases[c].cols, cases[c].target, run);
        for (size_t i = 0; i < rows; i++) wrong += label[i] != i % groups;
        if (100 * wrong > 2 * rows || found.groups + groups / 50 < groups || 100 * found.copied < 98 * rows)
            fail_msg("case %zu: %zu of %zu rows are in a wrong group, %zu groups", c, wrong, rows, found.groups);
    }
    una_run_free(run);
}

/* A part of the rows alone. */
static void a_fifth_of_copies_is_seen(void **state)
{
    una_run *run = quiet_run();
    size_t together = 0;
    (void)state;
    fill(500, 4, 1, 0, 30);
    for (size_t i = 0; i < 50; i++) {
        una_rng rng = una_rng_at(31, UNA_FOR_TEST, i);
        for (size_t d = 0; d < 4; d++) x[(450 + i) * 4 + d] = x[i * 4 + d] + 1e-4 * una_rng_normal(&rng);
        y[450 + i] = y[i];
    }
    una_near_copies found = find(500, 4, true, run);
    for (size_t i = 0; i < 50; i++) together += label[450 + i] == i;
    assert_true(together >= 49);
    assert_in_range(found.copied, 98, 104);
    una_run_free(run);
}

typedef void make_rows(size_t rows, size_t cols, una_rng *rng);

static void normal_rows(size_t rows, size_t cols, una_rng *rng)
{
    for (size_t i = 0; i < rows * cols; i++) x[i] = una_rng_normal(rng);
}

static void rounded_rows(size_t rows, size_t cols, una_rng *rng)
{
    for (size_t i = 0; i < rows * cols; i++) x[i] = floor(50 * una_rng_normal(rng)) / 50;
}

static void clustered_rows(size_t rows, size_t cols, una_rng *rng)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t d = 0, k = una_rng_below(rng, 4); d < cols; d++)
            x[i * cols + d] = (double)(k * (d + 1) % 4) + 0.05 * una_rng_normal(rng);
}

static void walking_rows(size_t rows, size_t cols, una_rng *rng)
{
    for (size_t i = 0; i < rows * cols; i++)
        x[i] = (i < cols ? 0 : x[i - cols]) + 0.02 * una_rng_normal(rng);
}

static void heavy_rows(size_t rows, size_t cols, una_rng *rng)
{
    for (size_t i = 0; i < rows * cols; i++) x[i] = 0.05 * exp(2 * una_rng_normal(rng));
}

/* How near is no proof. */
static void dense_rows_are_no_copies(void **state)
{
    static make_rows *const makes[] = { normal_rows, rounded_rows, clustered_rows, walking_rows, heavy_rows };
    static const struct { size_t rows, cols; } cases[] = { { 30, 1 }, { 60, 1 }, { 300, 1 }, { 1000, 1 }, { 3000, 1 }, { 60, 2 },
                                                           { 1000, 2 }, { 1000, 3 }, { 300, 20 } };
    enum { SEEDS = 5 };
    una_run *run = quiet_run();
    (void)state;
    for (size_t m = 0; m < sizeof makes / sizeof *makes; m++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                una_rng rng = una_rng_at(40 + seed, UNA_FOR_TEST, 100 * m + c);
                makes[m](cases[c].rows, cases[c].cols, &rng);
                for (size_t i = 0; i < cases[c].rows; i++) y[i] = una_rng_normal(&rng);
                for (int target = 0; target < 2; target++)
                    if (find(cases[c].rows, cases[c].cols, target, run).copied > 0)
                        fail_msg("maker %zu, %zu rows of %zu columns, seed %d: taken for copies", m, cases[c].rows,
                                 cases[c].cols, (int)seed);
            }
    una_run_free(run);
}

/* Equal rows are for data/copies.h; a missing target is like any. */
static void equal_rows_alone_are_no_near_copies(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    fill(300, 3, 5, 0, 50);
    assert_int_equal(find(300, 3, true, run).copied, 0);
    fill(300, 3, 5, 1e-3, 51);
    for (size_t i = 0; i < 300; i += 10) y[i] = NAN;
    assert_in_range(find(300, 3, true, run).groups, 60, 300);
    assert_int_equal(find(10, 3, true, run).copied, 0);  /* too few rows to tell */
    una_run_free(run);
}

static una_status find_some(void *context, una_run *run)
{
    una_near_copies found;
    const una_near_rows of = { { context, 300, 5, 5 }, y, 1 };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_near_copies_find(&found, label, &of, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void memory_may_end(void **state)
{
    (void)state;
    fill(300, 5, 5, 1e-3, 60);
    assert_true(sweep_allocations(find_some, x) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_form_their_groups),
        cmocka_unit_test(a_fifth_of_copies_is_seen),
        cmocka_unit_test(dense_rows_are_no_copies),
        cmocka_unit_test(equal_rows_alone_are_no_near_copies),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
