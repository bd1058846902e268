/* SPDX-License-Identifier: MIT
 *
 * Verdicts on small tables whose truth is known: numbers against plain sums, each finding where it belongs and not
 * elsewhere, rows by their place in the table; wrong use; memory that fails.
 */
#include "models/quick.h"

enum { ROWS = 300, INPUTS = 4 };

typedef struct table { double cell[INPUTS + 1][ROWS]; size_t rows; } table;      /* the target is the last */

static const char *const names[] = { "a", "b", "c", "d", "y" };
static const una_fit_settings asking = { .size = sizeof asking, .hold_out = 1 };

/* y = 50 + 3 a - 2 b + noise e, inputs normal around 20. */
static table plain(double noise, uint64_t seed)
{
    table t = { .rows = ROWS };
    for (size_t i = 0; i < ROWS; i++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, i);
        for (size_t d = 0; d < INPUTS; d++) t.cell[d][i] = 20 + 2 * una_rng_normal(&rng);
        t.cell[INPUTS][i] = 50 + 3 * (t.cell[0][i] - 20) - 2 * (t.cell[1][i] - 20) + noise * una_rng_normal(&rng);
    }
    return t;
}

static una_dataset *data_of(const table *t, una_run *run)
{
    const double *columns[INPUTS + 1];
    una_dataset *data = NULL;
    for (size_t c = 0; c <= INPUTS; c++) columns[c] = t->cell[c];
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, INPUTS + 1, t->rows, run), run);
    return data;
}

static una_verdict *judged(const table *t, const char *spec, una_run *run)
{
    una_dataset *data = data_of(t, run);
    una_model *model = fitted(spec, data, &asking, run);
    una_verdict *v = NULL;
    assert_ok(una_judge(&v, model, data, run), run);
    una_model_free(model);                               /* the verdict stands without both */
    una_dataset_free(data);
    return v;
}

static const una_finding *finding(const una_verdict *v, una_finding_kind kind)
{
    for (size_t i = 0; i < v->finding_count; i++)
        if (v->findings[i].kind == kind) return &v->findings[i];
    return NULL;
}

/* The least error that errors of .95 (units + 1) units do not exceed; size [rows]: rows that make one unit. */
static double reach_of_units(const una_held_out *h, const double *size)
{
    double units = 0, least = HUGE_VAL;
    for (size_t i = 0; i < h->rows; i++) units += 1 / size[i];
    for (size_t i = 0; i < h->rows; i++) {
        double error = fabs(h->y[i] - h->mean[i]), within = 0;
        for (size_t k = 0; k < h->rows; k++) within += fabs(h->y[k] - h->mean[k]) <= error ? 1 / size[k] : 0;
        if (within >= 0.95 * (units + 1) - 1e-9) least = fmin(least, error);
    }
    return least;
}

static void numbers_are_plain_sums(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 1);
    una_dataset *data = data_of(&t, run);
    una_model *model = fitted("linear", data, &asking, run);
    const una_held_out *h = una_model_held_out(model);
    una_verdict *v = NULL;
    double sum = 0, error = 0, spread = 0, inside = 0;
    assert_ok(una_judge(&v, model, data, run), run);
    for (size_t i = 0; i < ROWS; i++) sum += h->y[i];
    for (size_t i = 0; i < ROWS; i++) {
        error += pow(h->y[i] - h->mean[i], 2);
        spread += pow(h->y[i] - sum / ROWS, 2);
        inside += h->below[i] >= 0.025 && h->below[i] <= 0.975;
    }
    assert_int_equal(v->rows, ROWS);
    assert_near(v->explained, 1 - error / spread, 1e-9, 1e-9);
    assert_near(v->rmse, sqrt(error / ROWS), 1e-9, 0);
    assert_near(v->rmse_mean, sqrt(spread / ROWS), 1e-9, 0);
    assert_near(v->coverage_95, inside / ROWS, 1e-12, 0);
    assert_near(v->explained_linear, v->explained, 0, 0.01);             /* it is linear regression */
    assert_true(v->explained_low < v->explained && v->explained < v->explained_high && v->explained_high < 1);
    assert_true(v->band > 6.5 && v->band < 9.5);                         /* 2 1.96 2 */
    assert_int_equal(v->finding_count, 0);
    assert_int_equal(v->suspect_count, 0);
    assert_says(v->sentence, "una explains 9");
    double one[ROWS];
    for (size_t i = 0; i < ROWS; i++) one[i] = 1;
    assert_true(v->error_95 == reach_of_units(h, one));
    assert_says(v->sentence, "19 of 20 new values should lie within \u00b13.5 of its answer.");
    assert_int_equal(v->rows_aside, 0);
    assert_true(isnan(v->explained_aside) && v->error_factor_95 == 0);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void noise_teaches_nothing(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(0, 2);
    for (size_t i = 0; i < ROWS; i++) {
        una_rng rng = una_rng_at(3, UNA_FOR_TEST, i);
        t.cell[INPUTS][i] = una_rng_normal(&rng);
    }
    una_verdict *v = judged(&t, "linear", run);
    assert_non_null(finding(v, UNA_FOUND_NOTHING_LEARNT));
    assert_string_equal(finding(v, UNA_FOUND_NOTHING_LEARNT)->name, "nothing_learnt");
    assert_says(v->sentence, "una found nothing in these columns that predicts y");
    assert_true(v->explained_low < 0 && v->explained < 0.05);
    una_verdict_free(v);
    una_run_free(run);
}

/* A network that has hardly been trained, where a line would do. */
static void a_line_is_better(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 4);
    una_verdict *v = judged(&t, "nn(width=3, steps=2, members=5)", run);
    const una_finding *f = finding(v, UNA_FOUND_WORSE_THAN_LINEAR);
    assert_non_null(f);
    assert_null(finding(v, UNA_FOUND_NOTHING_LEARNT));
    assert_says(f->sentence, "Linear regression explains more");
    una_verdict_free(v);
    una_run_free(run);
}

static void leaks_are_named(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (int way = 0; way < 5; way++) {
        table t = plain(4, 5);
        for (size_t i = 0; i < ROWS; i++) {
            una_rng rng = una_rng_at(6, UNA_FOR_TEST, i);
            double y = t.cell[INPUTS][i], small = 0.05 * una_rng_normal(&rng);
            double leak[] = { y, 9.8 * y - 3, y + small, exp(y / 10), t.cell[2][i] };    /* the last is none */
            t.cell[2][i] = leak[way];
        }
        una_verdict *v = judged(&t, "linear", run);
        const una_finding *f = finding(v, UNA_FOUND_TOO_GOOD);
        assert_true(way == 4 ? !f : f && strcmp(f->column, "c") == 0);
        if (way == 1) assert_says(f->sentence, "c is y in other units");
        una_verdict_free(v);
    }
    table t = plain(0, 7);                               /* no noise, and no leak */
    for (size_t i = 0; i < ROWS; i++) t.cell[INPUTS][i] += 5 * t.cell[0][i];
    una_verdict *v = judged(&t, "linear", run);
    assert_null(finding(v, UNA_FOUND_TOO_GOOD));
    una_verdict_free(v);
    una_run_free(run);
}

static void slips_are_found(void **state)
{
    (void)state;
    static const size_t rows[] = { 7, 100, 250 };
    una_run *run = quiet_run();
    for (int way = 0; way < 5; way++)
        for (size_t column = 2; column <= INPUTS; column += 2) {
            table t = plain(2, 8);
            for (size_t k = 0; k < 3; k++) {
                double *cell = &t.cell[column][rows[k]];
                double slip[] = { *cell * 100, *cell / 100, -*cell, 999, -999 };
                *cell = slip[way];
            }
            una_verdict *v = judged(&t, "linear", run);
            assert_int_equal(v->suspect_count, 3);
            for (size_t k = 0; k < 3; k++) {
                assert_int_equal(v->suspects[k].row, rows[k]);
                assert_int_equal(v->suspects[k].line, 0);
                assert_string_equal(v->suspects[k].column, names[column]);
                assert_true(v->suspects[k].value == t.cell[column][rows[k]]);
            }
            assert_says(finding(v, UNA_FOUND_SUSPECT_ROWS)->sentence, "3 rows look wrong: row 8, ");
            static const char *const why[] = { "100 times less", "100 times more", "with the other sign", "code",
                                               "code" };
            assert_says(v->suspects[0].why, why[way]);
            una_verdict_free(v);
        }

    table t = plain(0.5, 9);                             /* usual in its column, but not in its row */
    t.cell[INPUTS][20] = 100 - t.cell[INPUTS][20] + (t.cell[INPUTS][20] > 50 ? -6 : 6);
    una_verdict *v = judged(&t, "linear", run);
    assert_int_equal(v->suspect_count, 1);
    assert_int_equal(v->suspects[0].row, 20);
    assert_says(v->suspects[0].why, "una expected");
    una_verdict_free(v);
    una_run_free(run);
}

static void targets_are_known(void **state)
{
    (void)state;
    static const una_finding_kind kinds[] = { UNA_FOUND_BINARY_TARGET, UNA_FOUND_COUNT_TARGET,
                                              UNA_FOUND_POSITIVE_TARGET };
    una_run *run = quiet_run();
    for (int way = 0; way < 3; way++) {
        table t = plain(2, 10);
        for (size_t i = 0; i < ROWS; i++) {
            double z = (t.cell[INPUTS][i] - 50) / 5;
            double as[] = { z > 0, floor(exp(z)), exp(z) };
            t.cell[INPUTS][i] = as[way];
        }
        una_verdict *v = judged(&t, "linear", run);
        for (int k = 0; k < 3; k++) assert_true((finding(v, kinds[k]) != NULL) == (k == way));
        if (way == 2) assert_says(finding(v, kinds[way])->sentence, "--log");
        una_verdict_free(v);
    }
    table t = plain(2, 11);
    t.rows = 6;
    una_verdict *v = judged(&t, "linear", run);
    assert_says(finding(v, UNA_FOUND_FEW_ROWS)->sentence, "too few to judge");
    una_verdict_free(v);
    t.rows = 4;
    v = judged(&t, "linear", run);
    assert_says(finding(v, UNA_FOUND_FEW_ROWS)->sentence, "no more rows (4) than inputs (4)");
    una_verdict_free(v);
    una_run_free(run);
}

/* Rows with equal inputs are one unit, here of one to four rows. */
static void copies_reach_as_one(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 40);
    double size[ROWS];
    for (size_t i = 0, from = 0, many = 1, units = 1; i < ROWS; i++) {
        if (i >= from + many) from = i, many = 1 + units++ % 4;
        for (size_t d = 0; d < INPUTS; d++) t.cell[d][i] = t.cell[d][from];
        if (many == 4) t.cell[INPUTS][i] += 5 * (double)(i - from);      /* they miss by more than others do */
        size[i] = (double)(from + many <= ROWS ? many : ROWS - from);
    }
    una_dataset *data = data_of(&t, run);
    una_model *model = fitted("linear", data, &asking, run);
    una_verdict *v = NULL;
    assert_ok(una_judge(&v, model, data, run), run);
    const una_held_out *h = una_model_held_out(model);
    double one[ROWS];
    for (size_t i = 0; i < ROWS; i++) one[i] = 1;
    assert_true(v->error_95 == reach_of_units(h, size));
    assert_true(v->error_95 < reach_of_units(h, one));
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Factors where the logarithm was learnt; with 12 rows the largest error. */
static void reach_may_be_a_factor(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 41);
    for (size_t i = 0; i < ROWS; i++) t.cell[INPUTS][i] = exp(t.cell[INPUTS][i] / 10);
    una_dataset *data = data_of(&t, run);
    una_fit_settings logs = SIZED(una_fit_settings, .hold_out = 1, .log_target = 1);
    una_model *model = fitted("linear", data, &logs, run);
    una_verdict *v = NULL;
    assert_ok(una_judge(&v, model, data, run), run);
    assert_near(log(v->error_factor_95), 0.2 * 1.96, 0, 0.05);           /* noise of log y: .2 */
    assert_says(v->sentence, "within a factor of 1.");
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);

    t = plain(2, 42);
    t.rows = 12;
    data = data_of(&t, run);
    model = fitted("linear", data, &asking, run);
    assert_ok(una_judge(&v, model, data, run), run);
    const una_held_out *h = una_model_held_out(model);
    double largest = 0;
    for (size_t i = 0; i < h->rows; i++) largest = fmax(largest, fabs(h->y[i] - h->mean[i]));
    assert_true(v->error_95 == largest);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* One cell drowns the others: the target's, far and farther, and an input's. */
static void one_bad_cell_is_set_aside(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (int way = 0; way < 4; way++) {
        table t = plain(2, 43);
        size_t column = way == 2 ? 0 : INPUTS;
        if (way == 0) t.cell[column][7] *= 10;
        else if (way < 3) t.cell[column][7] *= 1000;
        una_verdict *v = judged(&t, "linear(tails=inf)", run);
        assert_null(finding(v, UNA_FOUND_NOTHING_LEARNT));
        assert_null(finding(v, UNA_FOUND_POSITIVE_TARGET));
        assert_int_equal(v->rows_aside, way < 3);
        if (way < 3) {
            assert_true(v->explained < 0.5);
            assert_true(v->linear_aside > 0.9);
            assert_says(v->sentence, "One row looks wrong and holds ");
            assert_says(v->sentence, way == 2 ? "of the spread of a: row 8, a = " : "of the spread of y: row 8, y = ");
            assert_says(v->sentence, "Without it linear regression explains 9");
            assert_says(v->sentence, "take the row out, and fit again");
            assert_non_null(finding(v, UNA_FOUND_SUSPECT_ROWS));
        }
        una_verdict_free(v);
    }
    table t = plain(2, 8);                               /* the model is worth something all the same */
    t.cell[2][9] *= 100;
    una_verdict *v = judged(&t, "linear(tails=inf)", run);
    assert_int_equal(v->rows_aside, 1);
    assert_true(v->explained_aside > v->explained + 0.05);
    assert_says(v->sentence, "Without it una explains 94 % of the spread of y on rows it had not seen, with it 87 %;");
    una_verdict_free(v);
    t = plain(0.5, 9);                                   /* most of the squared errors, but no other story */
    t.cell[INPUTS][20] = 100 - t.cell[INPUTS][20] + (t.cell[INPUTS][20] > 50 ? -6 : 6);
    v = judged(&t, "linear(tails=inf)", run);
    assert_int_equal(v->suspect_count, 1);
    assert_int_equal(v->rows_aside, 0);
    assert_says(v->sentence, "una explains 9");
    una_verdict_free(v);
    una_run_free(run);
}

/* Coverage of .84, .945 and .99: only what matters is said. */
static void small_differences_are_no_alarm(void **state)
{
    (void)state;
    static const struct { const char *spec, *says; } ways[] = {
        { "linear(noise_std=1.4)", "too narrow" }, { "linear(noise_std=1.95)", NULL }, { "linear(noise_std=2)", NULL },
        { "linear(noise_std=2.3)", NULL }, { "linear(noise_std=4)", "too wide" } };
    una_run *run = quiet_run();
    table t = plain(2, 45);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        una_verdict *v = judged(&t, ways[k].spec, run);
        bool told = strstr(v->sentence, "The bands it gives") != NULL;
        assert_true(told == (ways[k].says != NULL));
        if (told) assert_says(v->sentence, ways[k].says);
        assert_says(v->sentence, "19 of 20 new values should lie within \u00b13.");
        una_verdict_free(v);
    }
    una_run_free(run);
}

/* Many zeros, a cap, shares; and none of these: whole numbers whose least is frequent, numbers from 0.1 to 0.4. */
static void ends_of_targets_are_named(void **state)
{
    (void)state;
    static const una_finding_kind expected[] = { UNA_FOUND_PILED_TARGET, UNA_FOUND_PILED_TARGET, UNA_FOUND_SHARE_TARGET,
                                                 UNA_FOUND_COUNT_TARGET, UNA_FOUND_BINARY_TARGET };
    static const char *const says[] = { "% of y are exactly 0, its smallest value", "are exactly 55, its largest value",
                                        "log(y / (1 - y))", "is a count" };
    una_run *run = quiet_run();
    for (int way = 0; way < 5; way++) {
        table t = plain(2, 46);
        for (size_t i = 0; i < ROWS; i++) {
            double y = t.cell[INPUTS][i], z = (y - 50) / 6;
            double as[] = { fmax(0, y - 50), fmin(y, 55), 1 / (1 + exp(-2 * z)), floor(exp(z - 1)),
                            0.25 + 0.02 * fmax(-3, fmin(3, z)) };
            t.cell[INPUTS][i] = as[way];
        }
        una_verdict *v = judged(&t, "linear", run);
        for (size_t k = 0; k < v->finding_count && way < 4; k++)
            assert_int_equal(v->findings[k].kind, expected[way]);
        assert_int_equal(v->finding_count, way < 4);
        if (way < 4) assert_says(v->findings[0].sentence, says[way]);
        if (way == 0) assert_says(v->findings[0].sentence, "--log and --where 'y > 0'");
        if (way == 0) assert_says(v->findings[0].sentence, "of the lower bounds lie below it");
        una_verdict_free(v);
    }
    una_run_free(run);
}

/* y = 3 a - 2 b + noise: shuffling a adds 2 9 var(a). */
static void importance_is_what_shuffling_costs(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 47);
    una_verdict *v = judged(&t, "linear", run);
    double var = v->rmse_mean * v->rmse_mean, rise[INPUTS] = { 2 * 9 * 4 / var, 2 * 4 * 4 / var, 0, 0 };
    assert_int_equal(v->inputs, INPUTS);
    for (size_t d = 0; d < INPUTS; d++) {
        assert_string_equal(v->input_names[d], names[d]);
        assert_near(v->importance[d], rise[d], 0, d < 2 ? 0.2 : 0.02);
    }
    una_verdict_free(v);
    for (size_t i = 0; i < ROWS; i++) t.cell[INPUTS][i] = t.cell[3][(i + 1) % ROWS];
    v = judged(&t, "linear", run);                       /* nothing to learn */
    assert_int_equal(v->inputs, 0);
    assert_null(v->importance);
    una_verdict_free(v);
    una_run_free(run);
}

/* Rows of pure noise, each of them three times: whoever is asked of one has not seen its copies. */
static void copies_are_no_news(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (uint64_t seed = 20; seed < 26; seed++) {
        table t = plain(0, seed);
        for (size_t i = 0; i < ROWS; i++) {
            una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 1000 + i % 100);
            for (size_t d = 0; d <= INPUTS; d++) t.cell[d][i] = una_rng_normal(&rng);
        }
        una_verdict *v = judged(&t, "linear", run);
        assert_non_null(finding(v, UNA_FOUND_NOTHING_LEARNT));
        assert_null(finding(v, UNA_FOUND_WORSE_THAN_LINEAR));
        assert_true(v->explained_linear < 0.05);
        assert_says(finding(v, UNA_FOUND_COPIED_ROWS)->sentence, "200 of the 300 rows are copies");
        una_verdict_free(v);
    }
    una_run_free(run);
}

/* Rare and right: events of a 0/1 target, what a rare flag leads to, a clump of cells; and one lost sign. */
static void rare_rows_are_not_wrong(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (int way = 0; way < 4; way++) {
        table t = plain(1, 30);
        for (size_t i = 0; i < ROWS; i++) {
            bool rare = i % 60 == 7;
            if (way == 0) t.cell[INPUTS][i] = rare;
            if (way == 1) t.cell[3][i] = rare, t.cell[INPUTS][i] += 150 * rare;
            if (way == 2 && rare) t.cell[2][i] = 90 + 0.1 * t.cell[3][i];
            if (way == 3 && i == 40) t.cell[2][i] = -t.cell[2][i];
        }
        una_verdict *v = judged(&t, "linear", run);
        assert_int_equal(v->suspect_count, way == 3);
        if (way == 3) assert_says(v->suspects[0].why, "with the other sign");
        una_verdict_free(v);
    }
    una_run_free(run);
}

/* An answer that is the mean explains nothing, to the last digit. */
static void the_mean_explains_nothing(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(1, 31);
    t.rows = 40;
    for (size_t i = 0; i < 40; i++) t.cell[INPUTS][i] = i % 2 ? 1.5 : (double)(i % 4);
    una_verdict *v = judged(&t, "linear(prior_var=1e-12)", run);
    assert_true(fabs(v->explained) < 1e-6);
    una_verdict_free(v);
    una_run_free(run);
}

static void wrong_use_is_told(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = plain(2, 12), u = plain(2, 13);
    una_dataset *data = data_of(&t, run), *other = data_of(&u, run), *pairs = pair_data(60, 0, true, run);
    una_model *without = fitted("linear", data, NULL, run), *model = fitted("linear", data, &asking, run);
    una_verdict *v = (una_verdict *)&t;
    assert_status(una_judge(&v, without, data, run), UNA_E_USAGE, run);
    assert_null(v);
    assert_says(una_run_message(run), "hold_out");
    assert_status(una_judge(&v, model, other, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "not the table");

    una_fit_settings two = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2, .hold_out = 1);
    una_model *several = fitted("linear", pairs, &two, run);
    assert_status(una_judge(&v, several, pairs, run), UNA_E_USAGE, run);
    for (size_t k = 0; k < 2; k++) {
        assert_ok(una_judge(&v, una_model_target(several, k), pairs, run), run);
        assert_true(v->rows < 60 && v->rows > 30);
        una_verdict_free(v);
    }
    una_verdict_free(NULL);
    una_model_free(several);
    una_model_free(without);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(other);
    una_dataset_free(pairs);
    una_run_free(run);
}

typedef struct judging { const table *t; const char *spec; } judging;

static una_status judge_once(void *context, una_run *run)
{
    const judging *j = context;
    const table *t = j->t;
    const double *columns[INPUTS + 1];
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_verdict *v = NULL;
    for (size_t c = 0; c <= INPUTS; c++) columns[c] = t->cell[c];
    una_status status = una_dataset_from_columns(&data, names, columns, NULL, INPUTS + 1, t->rows, run);
    if (status == UNA_OK) status = una_fit(&model, j->spec, data, &asking, run);
    /* A model has no held-out rows where memory lasts for it alone. */
    if (status == UNA_OK && !una_model_held_out(model)) status = una_run_fail(run, UNA_E_MEMORY, "none held out");
    if (status == UNA_OK) status = una_judge(&v, model, data, run);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static void memory_may_fail(void **state)
{
    (void)state;
    table t = plain(2, 14);
    t.rows = 40;
    t.cell[2][7] *= 100;
    for (size_t i = 0; i < ROWS; i++) t.cell[3][i] = exp(t.cell[INPUTS][i] / 10);
    static const char *const specs[] = { "linear(noise=constant)", "gp(kernel=rbf(length=1), optimise=no, noise_std=1)",
                                         "nn(width=2, steps=2, members=1, noise_std=1)" };
    for (size_t s = 0; s < 3; s++) assert_true(sweep_allocations(judge_once, &(judging){ &t, specs[s] }) > 20);
    t.cell[INPUTS][9] *= 1000;                           /* a row that is set aside */
    assert_true(sweep_allocations(judge_once, &(judging){ &t, specs[0] }) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_plain_sums), cmocka_unit_test(noise_teaches_nothing),
        cmocka_unit_test(a_line_is_better), cmocka_unit_test(leaks_are_named), cmocka_unit_test(slips_are_found),
        cmocka_unit_test(targets_are_known), cmocka_unit_test(copies_are_no_news),
        cmocka_unit_test(copies_reach_as_one), cmocka_unit_test(reach_may_be_a_factor),
        cmocka_unit_test(one_bad_cell_is_set_aside), cmocka_unit_test(small_differences_are_no_alarm),
        cmocka_unit_test(ends_of_targets_are_named), cmocka_unit_test(importance_is_what_shuffling_costs),
        cmocka_unit_test(rare_rows_are_not_wrong), cmocka_unit_test(the_mean_explains_nothing),
        cmocka_unit_test(wrong_use_is_told),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
