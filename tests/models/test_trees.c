/* SPDX-License-Identifier: MIT
 *
 * The kind `trees` as a whole: steps, words and missing cells are learnt; doubt grows away from the rows; rows that
 * trained teach the head nothing, others do; damaged files are refused.
 */
#include "models/quick.h"

#include <math.h>

enum { ROWS = 300 };

static una_dataset *table_of(const char *text, una_run *run)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file("trees.csv", text), run), run);
    return data;
}

/* A step at x = 0, a bonus for two of four words, and a cell of z missing in every fifth row, where y is lower. */
static char *stepped_rows(size_t rows, uint64_t stream)
{
    static const char *const word[] = { "red", "green", "blue", "black" };
    char *text = calloc(rows + 2, 64);
    assert_non_null(text);
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, stream);
    size_t used = (size_t)sprintf(text, "x,colour,z,y\n");
    for (size_t i = 0; i < rows; i++) {
        double x = 2 * una_rng_uniform(&rng) - 1, z = una_rng_normal(&rng);
        size_t w = una_rng_below(&rng, 4);
        double y = 2 * (x > 0) + (w % 2 == 0) - (i % 5 == 0) + 0.1 * una_rng_normal(&rng);
        if (i % 5 == 0) used += (size_t)sprintf(text + used, "%.6f,%s,,%.6f\n", x, word[w], y);
        else used += (size_t)sprintf(text + used, "%.6f,%s,%.6f,%.6f\n", x, word[w], z, y);
    }
    return text;
}

static void steps_words_and_missing_cells_are_learnt(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    char *known = stepped_rows(ROWS, 0), *fresh = stepped_rows(200, 1);
    una_dataset *data = table_of(known, run), *asked = table_of(fresh, run);
    una_model *model = fitted("trees", data, &SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN), run);
    una_score score = { .size = sizeof score };
    assert_ok(una_model_score(&score, model, asked, run), run);
    assert_true(score.rmse < 0.2);                                       /* the noise is 0.1, the target's std 1.2 */
    assert_true(score.coverage_95 > 0.85);
    una_model_free(model);

    model = fitted("trees(relevance=on)", data, &SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN), run);
    assert_ok(una_model_score(&score, model, asked, run), run);          /* words are words at any scale */
    assert_true(score.rmse < 0.25);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(asked);
    free(known);
    free(fresh);
    una_run_free(run);
}

/* In the middle of a hole and beyond the ends, up to the square root of prior_var; the mean stays what trees say. */
static void doubt_grows_away_from_the_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[ROWS], y[ROWS];
    una_dataset *data = NULL;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (i % 2 ? 1 : -1) * (1 + una_rng_uniform(&rng));           /* -2 to -1 and 1 to 2 */
        y[i] = sin(2 * x[i]) + 0.05 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 1, NULL, run), run);
    una_model *model = fitted("trees(prior_var=1)", data, NULL, run);
    const double at[] = { 1.5, -1.5, 0, 0.5, 30 };
    double std[5];
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, at, 5, 0.95, &out, run), run);
    assert_true(std[2] > 5 * std[0] && std[2] > 5 * std[1] && std[3] > 5 * std[0]);
    assert_near(std[4], model->columns.target_scale, 0.05, 0);           /* far from everything: prior_var */
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* The same rows again change nothing; new ones that lie higher lift the answer. */
static void rows_that_trained_teach_nothing(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *higher = wave_data(60, 700, run);
    double x[2 * 60], y[60];
    for (size_t i = 0; i < 60; i++) {
        for (size_t d = 0; d < 2; d++) x[2 * i + d] = una_dataset_numbers(higher, d)[i];
        y[i] = una_dataset_numbers(higher, 2)[i] + 3;
    }
    una_dataset *lifted = NULL;
    assert_ok(una_dataset_from_arrays(&lifted, x, y, 60, 2, NULL, run), run);
    una_model *model = fitted("trees(members=1, trees=50, noise=constant)", data, NULL, run);
    double before[60], same[60], after[60];
    una_prediction out = { .size = sizeof out, .mean = before };
    assert_ok(una_model_predict_rows(model, x, 60, 0.95, &out, run), run);
    assert_ok(una_model_update(model, data, run), run);
    out.mean = same;
    assert_ok(una_model_predict_rows(model, x, 60, 0.95, &out, run), run);
    assert_memory_equal(before, same, sizeof before);
    assert_ok(una_model_update(model, lifted, run), run);
    out.mean = after;
    assert_ok(una_model_predict_rows(model, x, 60, 0.95, &out, run), run);
    double lift = 0;
    for (size_t i = 0; i < 60; i++) lift += (after[i] - before[i]) / 60;
    assert_true(lift > 1 && lift < 4);
    una_model_free(model);
    una_dataset_free(lifted);
    una_dataset_free(higher);
    una_dataset_free(data);
    una_run_free(run);
}

/* Of many rows the trees of the inner split stay, and the rows that chose their number teach the head. */
static void many_rows_grow_once(void **state)
{
    (void)state;
    enum { MANY = 118000, INSIDE = 100 };
    una_run *run = quiet_run();
    double *x = calloc(MANY, sizeof *x), *y = calloc(MANY, sizeof *y), at[] = { -0.5, 0.5 }, mean[2];
    assert_true(x && y);
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 77);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = 2 * una_rng_uniform(&rng) - 1;
        y[i] = (x[i] > 0 ? 3 : -3) + 0.1 * una_rng_normal(&rng);
    }
    una_dataset *many = NULL, *few = NULL;
    assert_ok(una_dataset_from_arrays(&many, x, y, MANY, 1, NULL, run), run);
    assert_ok(una_dataset_from_arrays(&few, x, y, INSIDE, 1, NULL, run), run);
    const char *spec = "trees(members=1, trees=3, depth=1, rate=0.1, noise=constant)";
    una_model *model = fitted(spec, many, NULL, run), *small = fitted(spec, few, NULL, run);
    assert_int_equal(una_model_info(model)->steps, 3);
    assert_int_equal(una_model_info(small)->steps, 6);
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_predict_rows(model, at, 2, 0.95, &out, run), run);
    assert_near(mean[0], -3, 0.02, 0);                   /* three trees of rate .1 reach .8 alone */
    assert_near(mean[1], 3, 0.02, 0);
    una_model_free(model);
    una_model_free(small);
    una_dataset_free(few);
    una_dataset_free(many);
    free(x);
    free(y);
    una_run_free(run);
}

/* What the kind says of prior_var, and a committee relies on: it moves the model's variance along a line, and nothing
 * else. */
static void the_prior_moves_variances_along_a_line(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    char *known = stepped_rows(ROWS, 0), *fresh = stepped_rows(100, 1);
    una_dataset *data = table_of(known, run), *asked = table_of(fresh, run);
    static const char *const prior[3] = { "0.25", "1", "4" };
    size_t rows = una_dataset_row_count(asked);
    double *at[3], most = 0;
    for (size_t k = 0; k < 3; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "trees(members=1, prior_var=%s)", prior[k]);
        una_model *model = fitted(spec, data, &SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN), run);
        at[k] = predicted(model, asked, run);
        una_model_free(model);
    }

    const una_kind *kind;
    assert_ok(una_kind_need(&kind, "trees", run), run);
    assert_true(kind->prior_is_linear);
    assert_arrays_near(at[0], at[1], rows, 0, 0);                        /* the mean */
    for (size_t i = 2 * rows; i < 3 * rows; i++) {                       /* the model's std */
        double low = at[0][i] * at[0][i], middle = at[1][i] * at[1][i], high = at[2][i] * at[2][i];
        assert_near(middle, low + (1 - 0.25) / (4 - 0.25) * (high - low), 1e-9, 1e-12);
        most = fmax(most, high - low);
    }
    assert_true(most > 0.01);
    for (size_t k = 0; k < 3; k++) free(at[k]);
    una_dataset_free(data);
    una_dataset_free(asked);
    free(known);
    free(fresh);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_words_and_missing_cells_are_learnt),
        cmocka_unit_test(doubt_grows_away_from_the_rows),
        cmocka_unit_test(rows_that_trained_teach_nothing),
        cmocka_unit_test(many_rows_grow_once),
        cmocka_unit_test(the_prior_moves_variances_along_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
