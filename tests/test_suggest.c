/* SPDX-License-Identifier: MIT
 *
 * Where to measure next: against the closed form of Bayesian linear regression, against brute force over all rows, into
 * a gap; the same bits on any number of threads, and what cannot be answered.
 */
#include "test_support.h"

#include "una_study.h"

enum { POOL = 24, ROWS = 30, TERMS = 3 };

static una_model *fitted(const char *spec, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    assert_ok(una_fit(&model, spec, data, NULL, run), run);
    return model;
}

static una_dataset *table(const double *x, const double *y, size_t rows, size_t inputs, una_run *run)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, inputs, NULL, run), run);
    return data;
}

/* Two clusters of rows in one input: [-2, -1] and [1, 2]. */
static una_dataset *clusters(una_run *run)
{
    double x[ROWS], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        double t = (double)(i / 2) / (ROWS / 2 - 1);
        x[i] = i % 2 ? 1 + t : -1 - t;
        y[i] = sin(2 * x[i]) + 0.05 * cos(37 * (double)i);
    }
    return table(x, y, ROWS, 1, run);
}

static double rms(const una_model *model, const una_dataset *region, una_run *run)
{
    size_t rows = una_dataset_row_count(region);
    double *std = calloc(rows, sizeof *std), sum = 0;
    assert_non_null(std);
    assert_ok(una_model_predict(model, region, 0.95, &SIZED(una_prediction, .std_epistemic = std), run), run);
    for (size_t i = 0; i < rows; i++) sum += std[i] * std[i];
    free(std);
    return sqrt(sum / (double)rows);
}

/* ---- the closed form ------------------------------------------------------------------------------------- */

static void features(double phi[TERMS], double x, double centre, double scale)
{
    double z = (x - centre) / scale;
    phi[0] = 1, phi[1] = z, phi[2] = z * z;
}

/* S <- S - S p p'S / (p'S p + noise) */
static double observe(double s[TERMS][TERMS], const double p[TERMS], double noise)
{
    double sp[TERMS] = {0}, var = 0;
    for (size_t i = 0; i < TERMS; i++)
        for (size_t j = 0; j < TERMS; j++) sp[i] += s[i][j] * p[j];
    for (size_t i = 0; i < TERMS; i++) var += p[i] * sp[i];
    for (size_t i = 0; i < TERMS; i++)
        for (size_t j = 0; j < TERMS; j++) s[i][j] -= sp[i] * sp[j] / (var + noise);
    return var;
}

static double mean_var(double s[TERMS][TERMS], double (*phi)[TERMS], size_t rows)
{
    double sum = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < TERMS; i++)
            for (size_t j = 0; j < TERMS; j++) sum += phi[r][i] * s[i][j] * phi[r][j];
    return sum / (double)rows;
}

/* y on 1, z, z^2 with prior N(0, 1) on each weight: only inputs decide about variances. */
static void greedy_as_by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[12], y[12], pool[POOL], phi[POOL][TERMS], p[TERMS], s[TERMS][TERMS] = {{0}};
    double centre = 0, scale = 0, middle = 0, spread = 0;
    for (size_t i = 0; i < 12; i++) x[i] = 0.1 * (double)i + 0.3, y[i] = 1 + x[i] + 0.2 * sin(9 * (double)i);
    for (size_t i = 0; i < 12; i++) centre += x[i] / 12, middle += y[i] / 12;
    for (size_t i = 0; i < 12; i++) {
        scale += (x[i] - centre) * (x[i] - centre) / 12;
        spread += (y[i] - middle) * (y[i] - middle) / 12;
    }
    scale = sqrt(scale), spread = sqrt(spread);
    una_dataset *data = table(x, y, 12, 1, run);
    una_model *model = fitted("linear(degree=2, prior_var=1, noise_std=0.3)", data, run);
    const double noise = pow(una_model_info(model)->noise_std / spread, 2), prior = una_model_info(model)->prior_var;

    for (size_t i = 0; i < TERMS; i++) s[i][i] = prior;
    for (size_t i = 0; i < 12; i++) {
        features(p, x[i], centre, scale);
        observe(s, p, noise);
    }
    for (size_t i = 0; i < POOL; i++) {
        pool[i] = -1 + 3.5 * (double)(i * 7 % POOL) / POOL;
        features(phi[i], pool[i], centre, scale);
    }
    una_dataset *candidates = table(pool, NULL, POOL, 1, run);
    una_advice *advice;
    assert_ok(una_suggest(&advice, model, candidates, NULL, 4, run), run);
    assert_int_equal(advice->count, 4);
    assert_int_equal(advice->region, POOL);

    bool taken[POOL] = {0};
    for (size_t k = 0; k < 4; k++) {
        size_t best = SIZE_MAX;
        double least = HUGE_VAL, before = mean_var(s, phi, POOL);
        for (size_t c = 0; c < POOL; c++) {
            double t[TERMS][TERMS];
            memcpy(t, s, sizeof t);
            observe(t, phi[c], noise);
            double left = mean_var(t, phi, POOL);
            if (!taken[c] && left < least) least = left, best = c;
        }
        assert_int_equal(advice->row[k], best);
        taken[best] = true;
        assert_near(advice->before[k], spread * sqrt(before), 1e-9, 0);
        assert_near(advice->after[k], spread * sqrt(least), 1e-9, 0);
        assert_near(advice->std[k], spread * sqrt(observe(s, phi[best], noise)), 1e-9, 0);
        assert_near(una_dataset_numbers(advice->table, 0)[k], pool[best], 0, 0);
    }
    una_advice_free(advice);
    una_dataset_free(candidates);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- what any model shows -------------------------------------------------------------------------------- */

static const char *const quick[] = {
    "gp", "linear(degree=3)", "nlm(width=10, epochs=20, members=1)", "luna(width=10, epochs=20, members=2)",
    "auto(luna=luna(width=10, epochs=20, members=2))"
};

/* Committees, too: their members are pulled towards the mixture's mean. */
static void after_is_what_the_update_shows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = clusters(run);
    double pool[9], mean;
    for (size_t i = 0; i < 9; i++) pool[i] = -2 + 0.5 * (double)i;
    una_dataset *candidates = table(pool, NULL, 9, 1, run);
    for (size_t k = 0; k < sizeof quick / sizeof *quick; k++) {
        una_model *model = fitted(quick[k], data, run);
        una_advice *advice;
        assert_ok(una_suggest(&advice, model, candidates, data, 2, run), run);
        assert_near(advice->before[0], rms(model, data, run), 1e-9, 0);
        assert_near(advice->before[1], advice->after[0], 0, 0);
        for (size_t i = 0; i < 2; i++) {
            double x = pool[advice->row[i]];
            assert_ok(una_model_predict_rows(model, &x, 1, 0.95, &SIZED(una_prediction, .mean = &mean), run), run);
            assert_ok(una_model_update_rows(model, &x, &mean, 1, run), run);
            assert_near(advice->after[i], rms(model, data, run), 1e-6, 0);
        }
        una_advice_free(advice);
        una_model_free(model);
    }
    una_dataset_free(candidates);
    una_dataset_free(data);
    una_run_free(run);
}

/* With a pool that is looked through in two steps, and without one. */
static void the_gap_comes_first(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = clusters(run);
    una_model *model = fitted("gp", data, run);
    double pool[400];
    for (size_t i = 0; i < 400; i++) pool[i] = -2 + 4 * (double)i / 399;
    una_dataset *candidates = table(pool, NULL, 400, 1, run);
    una_advice *with, *without;
    assert_ok(una_suggest(&with, model, candidates, NULL, 1, run), run);
    assert_true(fabs(una_dataset_numbers(with->table, 0)[0]) < 0.9);
    assert_true(with->after[0] < with->before[0]);

    assert_ok(una_suggest(&without, model, NULL, data, 3, run), run);
    assert_null(without->row);
    assert_true(fabs(una_dataset_numbers(without->table, 0)[0]) < 0.9);
    for (size_t i = 0; i < 3; i++) assert_true(fabs(una_dataset_numbers(without->table, 0)[i]) <= 2);
    assert_string_equal(una_dataset_column_name(without->table, 0), "x1");

    /* Of all 400 rows none brings more than a little above what was found. */
    double best = HUGE_VAL;
    for (size_t i = 0; i < 400; i += 4) {
        una_model *copy = NULL;
        void *bytes;
        size_t size;
        const double y = 0;
        assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
        assert_ok(una_model_load_memory(&copy, bytes, size, run), run);
        assert_ok(una_model_update_rows(copy, &pool[i], &y, 1, run), run);
        best = fmin(best, rms(copy, candidates, run));
        una_model_free(copy);
        una_memory_free(bytes, run);
    }
    assert_true(with->before[0] - with->after[0] > 0.98 * (with->before[0] - best));

    una_advice_free(with);
    una_advice_free(without);
    una_dataset_free(candidates);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void the_same_on_two_threads(void **state)
{
    (void)state;
    una_run *run[] = { quiet_run_threads(1), quiet_run_threads(2) };
    una_dataset *data = clusters(run[0]);
    double pool[300];
    for (size_t i = 0; i < 300; i++) pool[i] = -3 + 6 * (double)(i * 77 % 300) / 299;
    una_dataset *candidates = table(pool, NULL, 300, 1, run[0]);
    una_model *model = fitted(quick[3], data, run[0]);
    una_advice *advice[2];
    for (size_t k = 0; k < 2; k++) assert_ok(una_suggest(&advice[k], model, candidates, NULL, 3, run[k]), run[k]);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(advice[0]->row[i], advice[1]->row[i]);
        assert_true(advice[0]->after[i] == advice[1]->after[i] && advice[0]->before[i] == advice[1]->before[i]);
        assert_true(advice[0]->std[i] == advice[1]->std[i]);
    }
    for (size_t k = 0; k < 2; k++) una_advice_free(advice[k]);
    una_model_free(model);
    una_dataset_free(candidates);
    una_dataset_free(data);
    una_run_free(run[1]);
    una_run_free(run[0]);
}

/* ---- words, and what cannot be ---------------------------------------------------------------------------- */

static una_dataset *with_words(const char *const *kind, const double *days, const double *y, size_t rows, una_run *run)
{
    una_dataset *data = NULL;
    const char *names[] = { "kind", "days", "y" };
    const double *numbers[] = { NULL, days, y };
    const char *const *words[] = { kind, NULL, NULL };
    assert_ok(una_dataset_from_columns(&data, names, numbers, words, y ? 3 : 2, rows, run), run);
    return data;
}

static void words_and_whole_numbers(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const char *kind[ROWS];
    double days[ROWS], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        kind[i] = i % 10 == 3 ? "B" : "A";                   /* three rows only */
        days[i] = (double)(i * 5 % 28);
        y[i] = days[i] + (i % 10 == 3 ? 4 : 0) + sin((double)i);
    }
    una_dataset *data = with_words(kind, days, y, ROWS, run);
    una_model *model = fitted("linear", data, run);
    una_advice *advice;
    assert_ok(una_suggest(&advice, model, NULL, data, 2, run), run);
    assert_string_equal(una_dataset_words(advice->table, 0)[0], "B");
    for (size_t i = 0; i < 2; i++) {
        double x = una_dataset_numbers(advice->table, 1)[i];
        assert_true(x == floor(x) && x >= 0 && x <= 27);
    }
    una_advice_free(advice);
    assert_ok(una_suggest(&advice, model, NULL, NULL, 1, run), run);
    una_advice_free(advice);
    assert_ok(una_suggest(&advice, model, data, NULL, 1, run), run);
    assert_string_equal(una_dataset_words(advice->table, 0)[0], "B");
    assert_int_equal(una_dataset_column_count(advice->table), 3);        /* all of the pool's */
    una_advice_free(advice);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = clusters(run), *other = NULL;
    const char *names[] = { "temperature" };
    const double column[] = { 1, 2 }, *numbers[] = { column };
    assert_ok(una_dataset_from_columns(&other, names, numbers, NULL, 1, 2, run), run);
    una_model *model = fitted("linear", data, run), *stiff = fitted("nn(epochs=5, width=5, members=1)", data, run);
    una_model *ensemble = fitted("ensemble(of=nn(epochs=5, width=5), members=2)", data, run);
    una_advice *advice;

    assert_status(una_suggest(&advice, model, other, NULL, 1, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "x1");
    assert_null(advice);
    assert_status(una_suggest(&advice, model, NULL, other, 1, run), UNA_E_INPUT, run);
    assert_status(una_suggest(&advice, model, data, NULL, 0, run), UNA_E_USAGE, run);
    assert_status(una_suggest(&advice, model, data, NULL, ROWS + 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "30 rows");
    assert_status(una_suggest(&advice, model, NULL, NULL, 5000, run), UNA_E_USAGE, run);
    assert_status(una_suggest(&advice, stiff, data, NULL, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "nn model cannot");
    assert_says(una_run_message(run), "luna");
    assert_status(una_suggest(&advice, ensemble, data, NULL, 1, run), UNA_E_USAGE, run);
    una_advice_free(NULL);

    una_model_free(ensemble);
    una_model_free(stiff);
    una_model_free(model);
    una_dataset_free(other);
    una_dataset_free(data);
    una_run_free(run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    una_run *sound = quiet_run();
    una_dataset *data = clusters(sound);
    una_model *model = fitted("linear", data, sound);
    struct fail_after memory = { .left = 0 };
    una_run_settings settings = failing_settings(&memory);
    una_status status = UNA_E_MEMORY;
    for (long after = 2; status != UNA_OK; after += 1 + after / (sanitized ? 4 : 9)) {
        una_run *run = NULL;
        una_advice *advice = NULL;
        memory.left = -1;
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        memory.left = after;
        status = una_suggest(&advice, model, NULL, data, 2, run);
        if (status != UNA_OK) assert_int_equal(status, UNA_E_MEMORY);
        una_advice_free(advice);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_as_by_hand), cmocka_unit_test(after_is_what_the_update_shows),
        cmocka_unit_test(the_gap_comes_first), cmocka_unit_test(the_same_on_two_threads),
        cmocka_unit_test(words_and_whole_numbers), cmocka_unit_test(refusals),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
