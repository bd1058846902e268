/* SPDX-License-Identifier: MIT
 *
 * Cells that drown all others are called out, with their place; heavy tails, counts and rare events are not.
 */
#include "models/quick.h"

enum { ROWS = 200, SPAN = 7 };

/* Warnings about arrays x [rows, inputs] and y, which are in the run's scratch. */
static una_notes doubts(const double *x, const double *y, size_t rows, size_t inputs, una_missing missing, una_run *run)
{
    una_notes notes = { .arena = &run->scratch };
    una_columns columns;
    una_dataset *data = NULL;
    double *encoded, *target;
    size_t *kept, count;
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, inputs, NULL, run), run);
    assert_ok(una_columns_learn((una_columns *[]){ &columns }, &(una_learning){ .data = data, .missing = missing },
                                &run->scratch, run), run);
    assert_ok(una_columns_encode(&columns, data, &(una_encoding){ &encoded, &target, &kept, &count }, &run->scratch),
              run);
    una_encoded found = { encoded, target, kept, count };
    assert_ok(una_columns_warn_outliers(&columns, data, &found, &notes, run), run);
    una_dataset_free(data);
    return notes;
}

static void plain_numbers(double *x, double *y, size_t rows, size_t inputs)
{
    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(3, UNA_FOR_TEST, i);
        for (size_t d = 0; d < inputs; d++) x[i * inputs + d] = una_rng_normal(&rng);
        y[i] = 3 + una_rng_normal(&rng);
    }
}

static void a_slip_is_called_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[ROWS * 2], y[ROWS];
    plain_numbers(x, y, ROWS, 2);
    assert_int_equal(doubts(x, y, ROWS, 2, UNA_MISSING_ERROR, run).count, 0);

    y[56] = 1e6;
    una_notes notes = doubts(x, y, ROWS, 2, UNA_MISSING_ERROR, run);
    assert_int_equal(notes.count, 1);
    assert_says(notes.text[0], "row 57, column 'y': the target 1e+06 lies");
    assert_says(notes.text[0], "100 % of the column's variance");
    assert_says(notes.text[0], "take the row out");

    y[90] = -1e6;                                        /* two, neither of which has more than half */
    x[2 * 10 + 1] = -12345;
    notes = doubts(x, y, ROWS, 2, UNA_MISSING_ERROR, run);
    assert_int_equal(notes.count, 2);
    assert_says(notes.text[0], "(2 cells are like that)");
    assert_says(notes.text[1], "row 11, column 'x2': the value -12345 lies");

    for (size_t i = 0; i < ROWS; i++) y[i] = i % 3 ? 0 : 1 + (double)(i % 5);   /* more than half are 0 */
    y[56] = 1e6;
    assert_says(doubts(x, y, ROWS, 2, UNA_MISSING_ERROR, run).text[0], "row 57, column 'y': the target 1e+06 lies");

    x[0] = NAN;                                          /* rows are those of the table, not of what was kept */
    notes = doubts(x, y, ROWS, 2, UNA_MISSING_DROP, run);
    assert_says(notes.text[0], "row 57, column 'y'");
    una_run_free(run);
}

static void sentences_are_few(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static double x[ROWS * SPAN], y[ROWS];
    plain_numbers(x, y, ROWS, SPAN);
    for (size_t d = 0; d < SPAN; d++) x[d] = 1e9;
    una_notes notes = doubts(x, y, ROWS, SPAN, UNA_MISSING_ERROR, run);
    assert_int_equal(notes.count, 5);
    assert_says(notes.text[4], "3 more columns like that.");
    una_run_free(run);
}

/* ---- what is no slip ----------------------------------------------------------------------------------------- */

static double lognormal(una_rng *rng) { return exp(una_rng_normal(rng)); }

/* Knuth's product of uniforms. */
static double poisson(una_rng *rng, double mean)
{
    double product = una_rng_uniform(rng), count = 0;
    while (product > exp(-mean)) product *= una_rng_uniform(rng), count++;
    return count;
}

static double count_of_three(una_rng *rng) { return poisson(rng, 3); }
static double rare_count(una_rng *rng) { return una_rng_uniform(rng) < 0.9 ? 0 : 1 + poisson(rng, 2); }
static double flag(una_rng *rng) { return una_rng_uniform(rng) < 0.004; }
/* Of counts with a rate of its own in each row: waiting times, visits. */
static double mixed_count(una_rng *rng) { return poisson(rng, 3 * exp(una_rng_normal(rng))); }

static void tails_and_counts_are_not(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static double (*const law[])(una_rng *) = { lognormal, count_of_three, rare_count, flag, mixed_count };
    static double x[MOST], y[MOST];
    una_run *run = quiet_run();

    for (size_t k = 0; k < sizeof law / sizeof *law; k++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            size_t rows = seed % 4 == 0 ? 50 : seed % 4 == 1 ? 200 : seed % 4 == 2 ? 1000 : MOST;
            una_rng rng = una_rng_at(4, UNA_FOR_TEST, seed << 8 | k);
            for (size_t i = 0; i < rows; i++) {
                x[i] = una_rng_normal(&rng);
                y[i] = law[k](&rng);
            }
            y[0] = 1, y[1] = 0;                          /* never constant */
            una_mark mark = una_arena_mark(&run->scratch);
            una_notes notes = doubts(x, y, rows, 1, UNA_MISSING_ERROR, run);
            if (notes.count) fail_msg("law %zu, seed %d, %zu rows: %s", k, (int)seed, rows, notes.text[0]);
            una_arena_release(&run->scratch, mark);
        }
    una_run_free(run);
}

/* ---- whole models ------------------------------------------------------------------------------------------- */

/* Every kind passes it on; and what is said of the noise is true where it was chosen, and where it was given. */
static void models_warn(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[ROWS * 2], y[ROWS];
    una_dataset *data = NULL;
    plain_numbers(x, y, ROWS, 2);
    y[56] = 1e6;
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 2, NULL, run), run);

    const char *const specs[] = { "nn(width=4, steps=40)", "ensemble(members=2, of=nn(width=4, steps=40))",
                                  "luna(width=6, heads=3, steps=40, restarts=1)", "nlm(width=4, steps=40, restarts=1)",
                                  "nlm(width=4, steps=40, restarts=1, noise_std=1)" };
    for (size_t i = 0; i < 5; i++) {
        una_model *model = fitted(specs[i], data, NULL, run);
        assert_true(warned(model, "row 57, column 'y': the target 1e+06 lies"));
        if (i == 3) assert_true(warned(model, "look for extreme values") && !warned(model, "leave noise_std"));
        if (i == 4) assert_true(warned(model, "leave noise_std to be chosen") && !warned(model, "look for extreme"));
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static una_status fit_it(void *context, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_fit(&model, "linear", context, NULL, run);
    una_model_free(model);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[ROWS], y[ROWS];
    una_dataset *data = NULL;
    plain_numbers(x, y, ROWS, 1);
    y[3] = 1e6;
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 1, NULL, run), run);
    assert_true(sweep_allocations(fit_it, data) > 5);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_is_called_out), cmocka_unit_test(sentences_are_few),
        cmocka_unit_test(tails_and_counts_are_not), cmocka_unit_test(models_warn),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
