/* SPDX-License-Identifier: MIT
 *
 * The gap test from end to end: a hole that matters and one that does not, words, the same bits on any number of
 * threads, what cannot be asked, and every allocation that may fail.
 */
#include "draws.h"
#include "test_support.h"

#include "una_bench.h"

enum { ROWS = 240 };
static const char *const names[] = { "wave", "nothing", "bump", "same", "y" };

/* Halton's numbers: even over the square, and no two rows alike. */
static double even(size_t i, size_t base)
{
    double value = 0, part = 1;
    for (i++; i > 0; i /= base) {
        part /= (double)base;
        value += part * (double)(i % base);
    }
    return value;
}

/* y goes up and down along `wave`, not at all along `nothing`, and has a bump in the middle of `bump` alone. */
static una_dataset *made_up(size_t rows, una_run *run)
{
    static double wave[ROWS], nothing[ROWS], bump[ROWS], same[ROWS], y[ROWS];
    const double *const numbers[] = { wave, nothing, bump, same, y };
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        wave[i] = 4 * even(i, 2) - 2;
        nothing[i] = 4 * even(i, 3) - 2;
        bump[i] = 4 * even(i, 5) - 2;
        same[i] = 7;
        y[i] = sin(3 * wave[i]) + 2 * exp(-6 * bump[i] * bump[i]) + 0.3 * (even(i, 7) - 0.5);
    }
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 5, rows, run), run);
    return data;
}

static void test_verdicts(void **state)
{
    una_run *run = quiet_run_threads(2);
    una_dataset *data = made_up(ROWS, run);
    una_gap *gap = NULL;
    una_gap_settings settings = SIZED(una_gap_settings, .model = "gp", .pairs = 1);
    (void)state;
    assert_ok(una_gap_test(&gap, data, &settings, run), run);
    assert_int_equal(gap->column_count, 4);
    assert_int_equal(gap->pair_count, 1);
    assert_int_equal(gap->fits, 3 + 3 + 1);
    assert_int_equal(gap->rows, ROWS);
    assert_string_equal(gap->target, "y");

    /* Both sides of the wave's hole show how fast it goes: it is noticed. Of the bump nothing can be seen. */
    assert_string_equal(gap->hole[0].name, "wave");
    assert_int_equal(gap->hole[0].noticed, 1);
    assert_int_equal(gap->hole[0].matters, 1);
    assert_int_equal(gap->hole[1].kind, UNA_GAP_HARMLESS);
    assert_int_equal(gap->hole[2].kind, UNA_GAP_UNNOTICED);
    assert_true(gap->hole[2].log_lik_inside < gap->hole[2].log_lik_outside - 1);
    assert_int_equal(gap->hole[3].kind, UNA_GAP_NO_HOLE);
    assert_true(isnan(gap->hole[3].auroc));
    assert_says(gap->answer, "one hole would go unnoticed and it matters: bump");
    assert_int_equal(gap->hole[0].rows, ROWS / 3);
    assert_says(gap->hole[4].name, " and ");

    const char *page = temp_path("gap.html"), *chart = temp_path("gap.svg");
    assert_ok(una_gap_page(gap, page, run), run);
    assert_ok(una_gap_chart(gap, chart, run), run);
    assert_int_equal(access(page, R_OK), 0);
    assert_int_equal(access(chart, R_OK), 0);
    assert_status(una_gap_chart(gap, temp_path("gap.txt"), run), UNA_E_USAGE, run);
    una_gap_free(gap);
    una_dataset_free(data);
    una_run_free(run);
}

static void test_threads(void **state)
{
    una_gap *gap[2] = { NULL, NULL };
    una_run *run[2] = { quiet_run_threads(1), quiet_run_threads(3) };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        una_dataset *data = made_up(120, run[i]);
        una_gap_settings settings = SIZED(una_gap_settings, .model = "linear", .repeats = 2);
        assert_ok(una_gap_test(&gap[i], data, &settings, run[i]), run[i]);
        una_dataset_free(data);
    }
    assert_int_equal(gap[0]->fits, 2 * (3 + 3 + 3));
    for (size_t k = 0; k < gap[0]->column_count; k++) {
        const una_gap_hole *a = &gap[0]->hole[k], *b = &gap[1]->hole[k];
        assert_string_equal(a->verdict, b->verdict);
        if (a->why_not) continue;
        assert_true(a->auroc == b->auroc && a->error == b->error && a->log_lik_inside == b->log_lik_inside);
        assert_true(a->wider_low <= a->wider && a->wider <= a->wider_high);
    }
    for (size_t i = 0; i < 2; i++) {
        una_gap_free(gap[i]);
        una_run_free(run[i]);
    }
}

/* One word of three is left out; rows of rare words, which may be in no row that trains, do no harm. */
static void test_words(void **state)
{
    static const char *const columns[] = { "x", "kind", "y" };
    double x[120], y[120];
    const char *kind[120];
    const double *const numbers[] = { x, NULL, y };
    const char *const *const words[] = { NULL, kind, NULL };
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    una_gap *gap = NULL;
    una_gap_settings settings = SIZED(una_gap_settings, .model = "gp", .pairs = -1);
    (void)state;
    for (size_t i = 0; i < 120; i++) {
        x[i] = even(i, 2);
        kind[i] = i == 7 ? "rare" : i % 3 == 0 ? "ash" : i % 3 == 1 ? "elm" : "oak";
        y[i] = x[i] + (double)(i % 3) + 0.1 * even(i, 5);
    }
    assert_ok(una_dataset_from_columns(&data, columns, numbers, words, 3, 120, run), run);
    assert_ok(una_gap_test(&gap, data, &settings, run), run);
    assert_string_equal(gap->hole[1].where, "ash");
    assert_int_equal(gap->hole[1].matters, 1);
    assert_ok(una_gap_page(gap, temp_path("words.html"), run), run);
    una_gap_free(gap);
    una_dataset_free(data);
    una_run_free(run);
}

static void refuse(una_status status, const char *words, size_t rows, una_gap_settings settings)
{
    una_run *run = quiet_run();
    una_dataset *data = made_up(rows, run);
    una_gap *gap = NULL;
    assert_status(una_gap_test(&gap, data, &settings, run), status, run);
    assert_null(gap);
    assert_says(una_run_message(run), words);
    una_dataset_free(data);
    una_run_free(run);
}

static void test_refusals(void **state)
{
    static const char *const wrong[] = { "wafe" }, *const target[] = { "y" }, *const twice[] = { "bump", "bump" };
    static const char *const same[] = { "same" };
    (void)state;
    refuse(UNA_E_INPUT, "50 rows that can be used, and a hole needs 60", 50, SIZED(una_gap_settings, .model = NULL));
    refuse(UNA_E_INPUT, "did you mean 'wave'", 90, SIZED(una_gap_settings, .columns = wrong, .column_count = 1));
    refuse(UNA_E_USAGE, "'y' is the target", 90, SIZED(una_gap_settings, .columns = target, .column_count = 1));
    refuse(UNA_E_USAGE, "given twice", 90, SIZED(una_gap_settings, .columns = twice, .column_count = 2));
    refuse(UNA_E_INPUT, "no hole can be cut", 90, SIZED(una_gap_settings, .columns = same, .column_count = 1));
    refuse(UNA_E_USAGE, "no model", 90, SIZED(una_gap_settings, .model = "oracle"));
    refuse(UNA_E_USAGE, "at most", 90, SIZED(una_gap_settings, .pairs = 2000));
    refuse(UNA_E_INPUT, "z", 90, SIZED(una_gap_settings, .fit = SIZED(una_fit_settings, .target = "z")));
}

static una_status small_test(void *context, una_run *run)
{
    static const char *const column[] = { "wave" };
    double x[60], y[60];
    const double *const numbers[] = { x, y };
    una_dataset *data = NULL;
    una_gap *gap = NULL;
    (void)context;
    for (size_t i = 0; i < 60; i++) x[i] = even(i, 2), y[i] = 2 * x[i] + even(i, 3);
    una_gap_settings settings = SIZED(una_gap_settings, .model = "linear", .columns = column, .column_count = 1);
    static const char *const pair[] = { "wave", "y" };
    una_status status = una_dataset_from_columns(&data, pair, numbers, NULL, 2, 60, run);
    if (status == UNA_OK) status = una_gap_test(&gap, data, &settings, run);
    if (status == UNA_OK) status = una_gap_page(gap, temp_path("small.html"), run);
    una_gap_free(gap);
    una_dataset_free(data);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(sweep_allocations(small_test, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts), cmocka_unit_test(test_threads), cmocka_unit_test(test_words),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
