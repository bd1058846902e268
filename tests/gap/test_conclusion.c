/* SPDX-License-Identifier: MIT
 *
 * From numbers to verdicts: every kind, the numbers behind them by hand, and the sentences.
 */
#include "test_support.h"

#include "gap/conclusion.h"
#include "model/kind.h"

const una_kind *const una_kinds[] = { NULL };            /* no model is fitted here */

/* Four rows inside, four outside. Ordinary rows: ratios 1, 1, 2, 2, of which the median is 1.5. */
static void test_numbers(void **state)
{
    static const double with[] = { 4, 1.6, 1.7, 1.64 }, known[] = { 1, 1, 1, 1 };
    static const double error[] = { 3, -3, 3, -3 }, error_known[] = { 1, -1, -1, 1 };
    static const double outside[] = { 1, 1, 2, 2 }, outside_known[] = { 1, 1, 1, 1 };
    const una_gap_pairs pairs = { .rows = 4, .others = 4, .with = with, .known = known, .error = error,
        .error_known = error_known, .with_outside = outside, .known_outside = outside_known };
    una_gap_hole hole = {0};
    una_run *run = quiet_run();
    (void)state;
    assert_ok(una_gap_measure(&hole, &pairs, run), run);
    assert_near(hole.wider, 0.5, 0, 0);                  /* above 1.1 * 1.5 = 1.65 */
    assert_near(hole.spread, 1.67, 1e-12, 0);
    assert_near(hole.auroc, (4 + 3 * 2) / 16.0, 1e-12, 0);
    assert_near(hole.increase, 100 * (8.94 / 6 - 1), 1e-12, 0);
    assert_near(hole.rmse_inside, 3, 1e-12, 0);
    assert_near(hole.rmse_known, 1, 1e-12, 0);
    assert_near(hole.error, 3, 1e-12, 0);
    assert_near(hole.error_low, 3, 1e-12, 0);            /* every row says the same */
    assert_near(hole.error_high, 3, 1e-12, 0);
    una_run_free(run);
}

/* Sizes less 1: 0, 0, 2, 2 of 1 known: mean 1, sd sqrt(4/3), interval 1 +- 1.96 sqrt(1/3). */
static void test_interval(void **state)
{
    static const double one[] = { 1, 1, 1, 1 }, error[] = { 1, 1, 3, 3 };
    const una_gap_pairs pairs = { .rows = 4, .others = 4, .with = one, .known = one, .error = error,
        .error_known = one, .with_outside = one, .known_outside = one };
    una_gap_hole hole = {0};
    una_run *run = quiet_run();
    (void)state;
    assert_ok(una_gap_measure(&hole, &pairs, run), run);
    assert_near(hole.wider, 0, 0, 0);
    assert_near(hole.error, 2, 1e-12, 0);
    assert_near(hole.error_low, 2 - 1.959964 * sqrt(1 / 3.0), 1e-6, 0);
    assert_near(hole.error_high, 2 + 1.959964 * sqrt(1 / 3.0), 1e-6, 0);
    assert_near(hole.worse, 0.5, 0, 0);
    assert_near(hole.rmse_inside, sqrt(5), 1e-12, 0);
    assert_near(hole.rmse_known, 1, 1e-12, 0);
    una_run_free(run);
}

/* A target that both models know exactly: what is left of the errors is rounding, however their sizes compare. */
static void test_rounding(void **state)
{
    static const double one[] = { 1, 1, 1, 1 }, error[] = { 5e-13, -7e-13, 9e-13, 0 }, less[] = { 0, 1e-13, 0, 2e-13 };
    una_gap_pairs pairs = { .rows = 4, .others = 4, .with = one, .known = one, .error = error, .error_known = less,
        .with_outside = one, .known_outside = one, .least = 1e-9 };
    una_gap_hole hole = {0};
    una_run *run = quiet_run();
    (void)state;
    assert_ok(una_gap_measure(&hole, &pairs, run), run);
    una_gap_classify(&hole);
    assert_near(hole.error, 1, 0, 0);
    assert_near(hole.worse, 0, 0, 0);
    assert_int_equal(hole.kind, UNA_GAP_HARMLESS);

    /* What is above rounding still counts, against an error of nothing too. */
    static const double large[] = { 1, 1, 1, 1 }, nothing[] = { 0, 0, 0, 0 };
    pairs.error = large;
    pairs.error_known = nothing;
    assert_ok(una_gap_measure(&hole, &pairs, run), run);
    una_gap_classify(&hole);
    assert_near(hole.error, 1e9, 1e-6, 1e-12);
    assert_int_equal(hole.kind, UNA_GAP_UNNOTICED);
    una_run_free(run);
}

static una_gap_hole hole_of(double wider, double error, double low, double coverage)
{
    una_gap_hole hole = { .name = "Age", .where = "from 3 to 7", .wider = wider, .error = error, .error_low = low,
        .error_high = 2 * error - low, .coverage_inside = coverage, .spread = 1.7, .log_lik_inside = -9,
        .log_lik_outside = -2.5 };
    una_gap_classify(&hole);
    return hole;
}

static void test_kinds(void **state)
{
    (void)state;
    assert_int_equal(hole_of(0.95, 2, 1.7, 0.93).kind, UNA_GAP_RIGHTLY);
    assert_int_equal(hole_of(0.6, 1.25, 1.01, 0.8).kind, UNA_GAP_RIGHTLY);
    assert_int_equal(hole_of(0.95, 4, 3, 0.5).kind, UNA_GAP_TOO_LITTLE);
    assert_int_equal(hole_of(0.95, 1.05, 1, 0.99).kind, UNA_GAP_TOO_CAREFUL);
    assert_int_equal(hole_of(0.1, 3, 2, 0.4).kind, UNA_GAP_UNNOTICED);
    assert_int_equal(hole_of(0.1, 3, 2, 0.95).kind, UNA_GAP_UNNOTICED);
    assert_int_equal(hole_of(0.1, 1.05, 0.9, 0.95).kind, UNA_GAP_HARMLESS);
    assert_int_equal(hole_of(0.55, 1.05, 0.9, 0.95).kind, UNA_GAP_HARMLESS);     /* noticed or not: no matter */
    assert_int_equal(hole_of(0.55, 2, 1.7, 0.95).kind, UNA_GAP_UNCLEAR);
    assert_int_equal(hole_of(0.95, 1.5, 0.8, 0.95).kind, UNA_GAP_UNCLEAR);
    assert_int_equal(hole_of(0.95, NAN, NAN, 0.95).kind, UNA_GAP_UNCLEAR);
    assert_int_equal(hole_of(0.55, 2, 1.7, 0.95).noticed, -1);
    assert_int_equal(hole_of(0.95, 1.5, 0.8, 0.95).matters, -1);

    una_gap_hole none = { .name = "Age", .why_not = "it has one value only" };
    una_gap_classify(&none);
    assert_int_equal(none.kind, UNA_GAP_NO_HOLE);
    for (una_gap_kind kind = UNA_GAP_NO_HOLE; kind <= UNA_GAP_UNCLEAR; kind++) assert_non_null(una_gap_word(kind));
}

static void assert_sentence(una_gap_hole hole, const char *wanted, una_arena *arena)
{
    una_text text = una_text_in(arena);
    una_gap_sentence(&text, &hole);
    assert_string_equal(text.at, wanted);
}

static void test_sentences(void **state)
{
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    assert_sentence(hole_of(0.95, 2, 1.7, 0.93), "A hole in Age (from 3 to 7) would be noticed: 95 of 100 rows there "
        "get wider bands (ignorance 1.7 times as large); and rightly: the error is twice as large.", &arena);
    assert_sentence(hole_of(0.999, 4, 3, 0.5), "A hole in Age (from 3 to 7) would be noticed: 99 of 100 rows there get "
        "wider bands (ignorance 1.7 times as large); but not enough: the error is 4 times as large, and only 50 of 100 "
        "rows lie inside their 95 % band.", &arena);
    assert_sentence(hole_of(0.7, 1.15, 1, 0.99), "A hole in Age (from 3 to 7) would be noticed: 70 of 100 rows there "
        "get wider bands (ignorance 1.7 times as large); although it hardly matters: the error is only 15 % larger.",
        &arena);
    assert_sentence(hole_of(0.1, 3, 2, 0.4), "A hole in Age (from 3 to 7) would go UNNOTICED, and it matters: the "
        "error is 3 times as large, and only 10 of 100 rows there get wider bands; 40 of 100 rows lie inside their "
        "95 % band.", &arena);
    assert_sentence(hole_of(0, 1, 0.9, 0.95), "A hole in Age (from 3 to 7) would not be noticed, and need not be: the "
        "error is no larger than with rows there (no row there gets a wider band).",
        &arena);
    assert_sentence(hole_of(0.95, 1.5, 0.8, 0.95), "A hole in Age (from 3 to 7): it cannot be told whether it matters: "
        "95 of 100 rows there get wider bands, the error is 1.5 times as large (0.8 to 2.2 times: too few rows to be "
        "sure).", &arena);
    una_arena_free(&arena);
    una_run_free(run);
}

static void test_answer(void **state)
{
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    una_gap_hole hole[] = { hole_of(0.95, 2, 1.7, 0.93), hole_of(0.1, 3, 2, 0.4), hole_of(0.1, 1, 0.9, 0.95),
        { .name = "same", .why_not = "it has one value only" }, hole_of(0.95, 2, 1.7, 0.93) };
    una_gap_classify(&hole[3]);
    hole[1].name = "Water";
    una_text text = una_text_in(&arena);
    una_gap_answer(&text, hole, 4, 1);
    assert_string_equal(text.at, "Of 4 columns, a hole in 1 would be noticed; one hole would go unnoticed and it "
        "matters: Water; one would go unnoticed and does no harm; in one no hole could be cut: same. A hole in the "
        "one pair of columns would be noticed.");
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_interval), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_sentences), cmocka_unit_test(test_answer)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
