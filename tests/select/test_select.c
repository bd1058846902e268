/* SPDX-License-Identifier: MIT
 *
 * Rules of selection, on candidates whose best is plain to see.
 */
#include "store/sweep_support.h"

#include "select/select.h"

static size_t best_of(const char *rule, const una_candidate *c, size_t count, una_run *run)
{
    size_t best = 99;
    assert_ok(una_select(&best, rule, c, count, run), run);
    return best;
}

static void one_number(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_candidate c[] = { { NAN, 0.1, NAN }, { -1, 0.5, NAN }, { 2, NAN, NAN }, { 2, 0.5, NAN },
                                { -HUGE_VAL, 3, NAN } };
    assert_int_equal(best_of("log_lik", c, 5, run), 2);          /* of equal ones the first */
    assert_int_equal(best_of("rmse", c, 5, run), 0);
    assert_int_equal(best_of("rmse", c + 1, 4, run), 0);
    assert_int_equal(best_of("two_stage", c, 5, run), SIZE_MAX);
    assert_int_equal(best_of("log_lik", c, 1, run), SIZE_MAX);
    assert_int_equal(best_of("log_lik", c + 4, 1, run), 0);
    assert_int_equal(best_of("log_lik", c, 0, run), SIZE_MAX);

    size_t order[5];
    static const size_t by_log_lik[] = { 2, 3, 1, 4, 0 }, by_rmse[] = { 0, 1, 3, 4, 2 };
    assert_ok(una_select_order(order, "log_lik", c, 5, run), run);
    assert_memory_equal(order, by_log_lik, sizeof order);
    assert_ok(una_select_order(order, "rmse", c, 5, run), run);
    assert_memory_equal(order, by_rmse, sizeof order);

    assert_status(una_select(order, "luck", c, 5, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "log_lik (highest), rmse (lowest) and two_stage");
    una_run_free(run);
}

/* log_lik falls with the index, mean cos^2 too: the last one inside the tenth is chosen. */
static void tenths(void **state)
{
    (void)state;
    static const struct { size_t count, inside; } cases[] = { { 1, 1 }, { 9, 1 }, { 10, 1 }, { 11, 2 }, { 20, 2 },
                                                              { 21, 3 }, { 30, 3 }, { 70, 7 }, { 71, 8 } };
    una_run *run = quiet_run();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        una_candidate c[71];
        size_t n = cases[k].count;
        for (size_t i = 0; i < n; i++) c[i] = (una_candidate){ -(double)i, 1, 1 - (double)i / 100 };
        assert_int_equal(best_of("two_stage", c, n, run), cases[k].inside - 1);
        for (size_t i = 0; i < n; i++) c[i].log_lik = -(double)(n - 1 - i), c[i].mean_cos2 = (double)i / 100;
        assert_int_equal(best_of("two_stage", c, n, run), n - cases[k].inside);
    }
    una_run_free(run);
}

static void ties_and_gaps(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    /* Three are as good as the one of the tenth; the lowest mean cos^2 of these, whichever came first. */
    una_candidate c[10];
    for (size_t i = 0; i < 10; i++) c[i] = (una_candidate){ i >= 7 ? 5 : (double)i / 2, 1, i == 8 ? 0.2 : 0.5 };
    c[2].mean_cos2 = 0.1;                                         /* lower, but not of the tenth */
    assert_int_equal(best_of("two_stage", c, 10, run), 8);
    c[7].mean_cos2 = 0.2;
    assert_int_equal(best_of("two_stage", c, 10, run), 7);

    /* Without a mean cos^2 the best likelihood counts for nothing. */
    c[7].mean_cos2 = c[8].mean_cos2 = c[9].mean_cos2 = NAN;
    assert_int_equal(best_of("two_stage", c, 10, run), 6);
    size_t order[10];
    static const size_t wanted[] = { 6, 7, 8, 9, 5, 4, 3, 2, 1, 0 };
    assert_ok(una_select_order(order, "two_stage", c, 10, run), run);
    assert_memory_equal(order, wanted, sizeof order);
    una_run_free(run);
}

static void the_second_number_decides_ties(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t best;
    const double first[] = { 1, 4, 3.9, 3.7, NAN }, then[] = { 0, 3, 2, 1, -9 };
    assert_ok(una_select_near(&best, first, then, 5, 0.15, run), run);
    assert_int_equal(best, 2);
    assert_ok(una_select_near(&best, first, then, 5, 0, run), run);
    assert_int_equal(best, 1);
    assert_ok(una_select_near(&best, first, then, 5, 10, run), run);
    assert_int_equal(best, 0);
    assert_ok(una_select_near(&best, first + 4, then + 4, 1, 1, run), run);
    assert_int_equal(best, SIZE_MAX);
    assert_status(una_select_near(&best, first, then, 5, -1, run), UNA_E_USAGE, run);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_number), cmocka_unit_test(tenths),
                                        cmocka_unit_test(ties_and_gaps),
                                        cmocka_unit_test(the_second_number_decides_ties) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
