/* SPDX-License-Identifier: MIT
 *
 * What a model makes of the ignorance of its state: one factor for all rows, and more beyond the rows. The variance of
 * predictions, of draws and of parts is the same; slopes are those of the variance; files and updates keep both.
 */
#include "quick.h"

#include "model/beyond.h"
#include "model/widen.h"

enum { ROWS = 60, POINTS = 5, DRAWS = 4000 };
/* Inside, at the edge, beyond on one side, on the other, and along both inputs. */
static const double points[POINTS * 2] = { 0, 0, 2.2, 0.1, 5, 0.3, -6, 0, 4, -5 };

/* A stack with a spread and a growth that are large enough to be seen. */
static una_model *wide_model(const una_dataset *data, const char *spread, const char *growth, una_run *run)
{
    char spec[400];
    snprintf(spec, sizeof spec, "auto(luna=linear, gp=gp(noise=constant), trees=none,"
             "weights=[0.4, 0.6], spread=%s, growth_below=%s, growth_above=%s)", spread, growth, growth);
    return fitted(spec, data, NULL, run);
}

static void predict_std(double *mean, double *std, const una_model *model, una_run *run)
{
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, points, POINTS, 0.95, &out, run), run);
}

static void the_variance(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *plain = wide_model(data, "1", "0", run), *narrow = wide_model(data, "0.5", "0", run);
    una_model *grows = wide_model(data, "0.5", "0.7", run);
    double mean[3][POINTS], std[3][POINTS];
    predict_std(mean[0], std[0], plain, run);
    predict_std(mean[1], std[1], narrow, run);
    predict_std(mean[2], std[2], grows, run);
    const una_columns *c = &grows->columns;
    for (size_t r = 0; r < POINTS; r++) {
        double square = 0;
        for (size_t d = 0; d < 2; d++) {
            double low = HUGE_VAL, high = -HUGE_VAL, at = points[2 * r + d];
            for (size_t i = 0; i < ROWS; i++) {
                low = fmin(low, una_dataset_numbers(data, d)[i]);
                high = fmax(high, una_dataset_numbers(data, d)[i]);
            }
            square += pow(grows->beyond.scale[d] * (at - fmin(fmax(at, low), high)) / c->inputs[d].scale, 2);
        }
        assert_near(mean[1][r], mean[0][r], 1e-12, 1e-12);
        assert_near(std[1][r], 0.5 * std[0][r], 1e-12, 0);
        assert_near(std[2][r], hypot(std[1][r], 0.7 * square * c->target_scale), 1e-9, 0);
        assert_true((square == 0) == (r < 1) || r == 1);
    }
    una_model_free(plain);
    una_model_free(narrow);
    una_model_free(grows);
    una_dataset_free(data);
    una_run_free(run);
}

/* Draws, parts and bands of the same variance. */
static void draws_and_parts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run), *asked = NULL;
    una_model *model = wide_model(data, "0.6", "0.05", run);
    double mean[POINTS], std[POINTS];
    predict_std(mean, std, model, run);

    size_t parts = una_model_part_count(model);
    double *weight = calloc(parts, sizeof *weight), *of = calloc(2 * parts * POINTS, sizeof *of);
    una_parts out = { .size = sizeof out, .weight = weight, .mean = of, .std = of + parts * POINTS };
    assert_ok(una_model_parts(model, points, POINTS, &out, run), run);
    for (size_t r = 0; r < POINTS; r++) {
        double m = 0, square = 0;
        for (size_t k = 0; k < parts; k++) {
            m += weight[k] * of[r * parts + k];
            square += weight[k] * (pow(of[r * parts + k], 2) + pow(out.std[r * parts + k], 2));
        }
        assert_near(m, mean[r], 1e-9, 1e-9);
        assert_near(sqrt(square - m * m), std[r], 1e-7, 0);
    }

    double columns[2][POINTS], *f = calloc(DRAWS * POINTS, sizeof *f);
    for (size_t r = 0; r < POINTS; r++) columns[0][r] = points[2 * r], columns[1][r] = points[2 * r + 1];
    assert_ok(una_dataset_from_columns(&asked, (const char *const[]){ una_model_input_name(model, 0),
              una_model_input_name(model, 1) }, (const double *const[]){ columns[0], columns[1] }, NULL, 2, POINTS, run),
              run);
    assert_ok(una_model_draw(model, asked, DRAWS, 0, f, run), run);
    for (size_t r = 0; r < POINTS; r++) {
        double m = 0, square = 0;
        for (size_t k = 0; k < DRAWS; k++) m += f[k * POINTS + r] / DRAWS;
        for (size_t k = 0; k < DRAWS; k++) square += pow(f[k * POINTS + r] - m, 2) / DRAWS;
        assert_near(m, mean[r], 0, 5 * std[r] / sqrt(DRAWS));
        assert_near(sqrt(square), std[r], 0.08, 0);
    }
    free(weight);
    free(of);
    free(f);
    una_dataset_free(asked);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Slopes of the standard deviation against differences, inside and beyond. */
static void slopes(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = wide_model(data, "0.6", "0.3", run);
    for (size_t r = 2; r < POINTS; r++) {
        double dmean[2], dstd[2], h = 1e-5;
        assert_ok(una_model_slope(model, points + 2 * r, dmean, dstd, run), run);
        for (size_t d = 0; d < 2; d++) {
            double x[4], mean[2], std[2];
            for (size_t i = 0; i < 4; i++) x[i] = points[2 * r + i % 2] + (i % 2 == d ? (i < 2 ? -h : h) : 0);
            una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
            assert_ok(una_model_predict_rows(model, x, 2, 0.95, &out, run), run);
            assert_near(dstd[d], (std[1] - std[0]) / (2 * h), 1e-4, 1e-6);
        }
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Rows at the ends of a parabola that a straight line predicted: the rate is its curvature; of those that were predicted
 * without error it is 0; the larger of both sides counts. */
static void the_rate(void **state)
{
    (void)state;
    double x[ROWS], y[ROWS], mean[ROWS], noise[ROWS];
    unsigned char rows[ROWS];
    una_input input = { .level = SIZE_MAX, .scale = 1 };
    const una_columns columns = { .input_count = 1, .inputs = &input };
    double edge = -HUGE_VAL;
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = -1.5 + 3 * (double)i / (ROWS - 1);
        rows[i] = i < 10 || i >= ROWS - 10;
        noise[i] = 0;
        if (!rows[i]) edge = fmax(edge, x[i]);
    }
    for (size_t i = 0; i < ROWS; i++) {
        double d = x[i] > edge ? x[i] - edge : 0;
        mean[i] = rows[i] ? 0.3 * x[i] : NAN;
        y[i] = 0.3 * x[i] + 0.8 * d * d;
    }
    const una_problem p = { .x = { x, ROWS, 1, 1 }, .y = y, .outputs = 1, .columns = &columns };
    const una_ends ends = { rows, 0, mean, noise };
    double below, above;
    una_beyond_rates(&below, &above, &ends, &p, NULL);
    assert_near(above, 1.6 * 0.8, 1e-9, 0);
    assert_true(below == 0);
    una_beyond_rates(&below, &above, &ends, &p, (double[]){ 2 });
    assert_near(above, 1.6 * 0.8 / 4, 1e-9, 0);
    for (size_t i = 0; i < ROWS; i++) y[i] = 0.3 * x[i];
    una_beyond_rates(&below, &above, &ends, &p, NULL);
    assert_true(below == 0 && above == 0);
    una_beyond one_side = { .above = 2, .scale = (double[]){ 1 }, .low = (double[]){ -1 }, .high = (double[]){ 1 } };
    assert_true(una_beyond_var(&one_side, (double[]){ -3 }, 1, NULL) == 0);
    assert_near(una_beyond_var(&one_side, (double[]){ 2.5 }, 1, NULL), pow(2 * 1.5 * 1.5, 2), 1e-12, 0);
}

/* Files keep both; rows of an update widen the range, within which nothing is added. */
static void files_and_updates(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = wide_model(data, "0.6", "0.3", run);
    una_model *copy = copied_model(model, run);
    double mean[2][POINTS], std[2][POINTS];
    predict_std(mean[0], std[0], model, run);
    predict_std(mean[1], std[1], copy, run);
    assert_memory_equal(std[0], std[1], sizeof std[0]);
    assert_same_bytes(model, copy, run);

    assert_true(una_beyond_var(&model->beyond, (double[]){ 0, 9 }, 2, NULL) > 0);
    const double low = model->beyond.low[0];
    assert_ok(una_model_update_rows(model, (double[]){ 30, -30, -30, 30 }, (double[]){ 0, 0 }, 2, run), run);
    assert_true(model->beyond.low[0] < low);
    assert_true(una_beyond_var(&model->beyond, (double[]){ 0, 9 }, 2, NULL) == 0);
    una_model_free(model);
    una_model_free(copy);
    una_dataset_free(data);
    una_run_free(run);
}

/* A parabola: what the default finds by itself opens beyond the rows as fast as the function bends. */
static void found_by_rows(void **state)
{
    (void)state;
    enum { MANY = 80 };
    una_run *run = quiet_run();
    double x[MANY], y[MANY], at[2] = { -1.9, 1.9 }, mean[2], std[2];
    una_dataset *data = NULL;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = 2 * una_rng_uniform(&rng) - 1;
        y[i] = x[i] * x[i] + 0.03 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, MANY, 1, (const char *const[]){ "x", "y" }, run), run);
    una_model *model = fitted("luna(steps=300, members=5)", data, NULL, run);
    una_model *without = fitted("luna(steps=300, members=5, growth_below=0, growth_above=0)", data, NULL, run);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_true(una_beyond_any(&model->beyond) && !una_beyond_any(&without->beyond));
    assert_ok(una_model_predict_rows(model, at, 2, 0.95, &out, run), run);
    for (size_t k = 0; k < 2; k++) assert_true(fabs(mean[k] - at[k] * at[k]) < 1.96 * std[k]);
    assert_ok(una_model_predict_rows(without, at, 2, 0.95, &out, run), run);
    assert_true(fabs(mean[0] - 3.61) > 1.96 * std[0] || fabs(mean[1] - 3.61) > 1.96 * std[1]);
    una_model_free(model);
    una_model_free(without);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variance),
        cmocka_unit_test(draws_and_parts),
        cmocka_unit_test(slopes),
        cmocka_unit_test(the_rate),
        cmocka_unit_test(files_and_updates),
        cmocka_unit_test(found_by_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
