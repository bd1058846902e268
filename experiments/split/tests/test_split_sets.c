/* SPDX-License-Identifier: MIT
 *
 * The sets of the split of doubt that are run where they are asked for: that their rows are what their names say, and
 * that claims judge each set by itself.
 */
#include "draws.h"
#include "test_support.h"

#include "split/split.h"

static una_split_rows rows_of(const char *name, uint64_t seed, una_run *run)
{
    una_split_rows r;
    assert_ok(una_split_rows_make(&r, name, seed, &run->scratch, run), run);
    return r;
}

static double mean_of(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += value[i];
    return sum / (double)count;
}

/* Mean of (y - f) / noise and of its square. */
static void standardised(double *mean, double *square, const una_truth *t)
{
    *mean = *square = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double z = (t->y[i] - t->f[i]) / t->noise[i];
        *mean += z / (double)t->rows;
        *square += z * z / (double)t->rows;
    }
}

static bool all_finite(const una_truth *t)
{
    bool finite = true;
    for (size_t i = 0; i < t->rows * t->inputs; i++) finite = finite && isfinite(t->x[i]);
    for (size_t i = 0; i < t->rows; i++)
        finite = finite && isfinite(t->f[i]) && isfinite(t->y[i]) && t->noise[i] > 0 && isfinite(t->noise[i]);
    return finite;
}

static void every_set_has_its_rows(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (const una_split_set *set = una_split_sets; set->name; set++) {
        una_mark mark = una_arena_mark(&run->scratch);
        if (set->rows > 600 || set->count > 0) continue;
        una_split_rows r = rows_of(set->name, 3, run), again = rows_of(set->name, 3, run);
        una_split_rows other = rows_of(set->name, 4, run);
        if (set->rows && !r.added.rows) assert_int_equal(r.train.rows, set->rows);
        if (r.added.rows) assert_int_equal(r.added.rows, set->rows);
        if (set->inputs) assert_int_equal(r.train.inputs, set->inputs);
        una_truth *part[] = { &r.train, &r.added, &r.fresh, &r.gap, &r.beyond };
        for (size_t i = 0; i < 5; i++) assert_true(all_finite(part[i]));
        assert_memory_equal(r.fresh.y, again.fresh.y, r.fresh.rows * sizeof *r.fresh.y);
        assert_true(memcmp(r.fresh.y, other.fresh.y, UNA_MIN(r.fresh.rows, other.fresh.rows) * sizeof *r.fresh.y) != 0);
        assert_true(r.fresh.x[0] != r.train.x[0]);
        una_arena_release(&run->scratch, mark);
    }
    una_run_free(run);
}

/* Of many functions: centred and scaled where their inputs lie, of several families, few inputs of 20 matter. */
static void cells_are_many_functions(void **state)
{
    una_run *run = quiet_run();
    double least = 9, most = 0;
    size_t normal = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        una_split_rows r = rows_of("cell n60 d5", seed, run), more = rows_of("cell n300 d5", seed, run);
        double square = 0, far = 0;
        for (size_t i = 0; i < r.fresh.rows; i++) square += r.fresh.f[i] * r.fresh.f[i] / (double)r.fresh.rows;
        for (size_t i = 0; i < r.fresh.rows; i++) far = fmax(far, fabs(r.fresh.x[5 * i]));
        assert_near(square, 1, 0, 0.25);
        assert_near(mean_of(r.fresh.f, r.fresh.rows), 0, 0, 0.15);
        assert_memory_equal(r.fresh.f, more.fresh.f, r.fresh.rows * sizeof *r.fresh.f);      /* the same function */
        normal += far > 2;
        least = fmin(least, r.train.noise[0]);
        most = fmax(most, r.train.noise[0]);
    }
    assert_true(normal > 2 && normal < 10);
    assert_true(least >= 0.1 && least < 0.25 && most <= 0.5 && most > 0.35);
    una_run_free(run);
}

static void few_of_twenty_inputs_matter(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        una_split_law law;
        double x[20], moved[20];
        size_t matter = 0;
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 1);
        assert_ok(una_split_law_draw(&law, 20, seed, UNA_SPLIT_FUNCTION, &run->scratch), run);
        for (size_t d = 0; d < 20; d++) x[d] = una_rng_normal(&rng);
        for (size_t d = 0; d < 20; d++) {
            memcpy(moved, x, sizeof x);
            moved[d] += 0.5;
            matter += una_split_value(&law.f, moved) != una_split_value(&law.f, x);
        }
        assert_true(matter >= 3 && matter <= 8);
    }
    una_run_free(run);
}

static void twins_differ_by_outliers(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    una_split_rows odd = rows_of("outliers n300 d5", 2, run), clean = rows_of("clean n300 d5", 2, run);
    double far = 0;
    assert_memory_equal(odd.train.x, clean.train.x, 300 * 5 * sizeof *odd.train.x);
    for (size_t i = 0; i < 300; i++) {
        assert_true(odd.train.odd[i] == (i < 6));                            /* 2 % */
        assert_true((odd.train.y[i] != clean.train.y[i]) == (i < 6));
        if (i < 6) far += pow(odd.train.y[i] - clean.train.y[i], 2) / 6;
    }
    assert_true(far > 4 && far < 120);
    assert_near(odd.train.noise[0], 0.25, 0, 0);
    una_run_free(run);
}

static void noise_is_as_it_is_called(void **state)
{
    una_run *run = quiet_run();
    double mean, square, fourth = 0;
    (void)state;
    una_split_rows r = rows_of("heavy t4", 5, run);
    standardised(&mean, &square, &r.fresh);
    assert_near(mean, 0, 0, 0.1);
    assert_near(square, 1, 0, 0.25);
    assert_near(r.fresh.scale[0], r.fresh.noise[0] / sqrt(2), 1e-12, 0);
    for (size_t i = 0; i < r.fresh.rows; i++)
        fourth += pow((r.fresh.y[i] - r.fresh.f[i]) / r.fresh.noise[i], 4) / (double)r.fresh.rows;
    assert_true(fourth > 4);                                                 /* of a normal one 3 */

    r = rows_of("expab", 5, run);
    standardised(&mean, &square, &r.fresh);
    assert_near(square, 1, 0, 0.15);
    for (size_t i = 0; i < 50; i++)
        assert_near(r.fresh.noise[i], 0.25 * exp(r.fresh.x[5 * i] * r.fresh.x[5 * i + 1]), 1e-12, 0);
    una_run_free(run);
}

static void copies_and_groups_belong_together(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    una_split_rows exact = rows_of("copies", 1, run), near = rows_of("near copies", 1, run);
    double apart = 0;
    for (size_t i = 0; i < 300; i++) {
        size_t first = i - i % 5;
        assert_memory_equal(exact.train.x + 5 * i, exact.train.x + 5 * first, 5 * sizeof(double));
        if (i > first) assert_true(exact.train.y[i] != exact.train.y[first]);
        if (i > first) assert_true(near.train.x[5 * i] != near.train.x[5 * first]);
        apart = fmax(apart, fabs(near.train.x[5 * i] - near.train.x[5 * first]));
        assert_near(near.train.y[i] - near.train.f[i], near.train.y[first] - near.train.f[first], 0, 0.006);
    }
    assert_true(apart > 0 && apart < 0.006);
    assert_true(exact.train.x[0] != exact.train.x[25] && near.fresh.x[0] != near.fresh.x[5]);

    una_split_rows of = rows_of("groups", 1, run);
    assert_string_equal(of.train.names[5], "subject");
    for (size_t i = 0; i < 300; i++) {
        assert_near(of.train.x[6 * i + 5], of.train.x[6 * (i - i % 10) + 5], 0, 0);
        for (size_t k = 0; k < of.fresh.rows; k += 10) assert_true(of.fresh.x[6 * k + 5] != of.train.x[6 * i + 5]);
    }
    una_run_free(run);
}

static void targets_have_their_mean_and_noise(void **state)
{
    static const char *const names[] = { "half zeros", "shares" };
    una_run *run = quiet_run();
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        una_split_rows r = rows_of(names[n], 6, run);
        double mean, square, zeros = 0;
        standardised(&mean, &square, &r.fresh);
        assert_near(mean, 0, 0, 0.1);
        assert_near(square, 1, 0, 0.25);
        for (size_t i = 0; i < r.fresh.rows; i++) {
            zeros += r.fresh.y[i] == 0;
            assert_true(r.fresh.y[i] >= 0 && (n == 0 || r.fresh.y[i] < 1));
            assert_true(r.fresh.odd[i] == (r.fresh.y[i] == 0));
        }
        assert_near(zeros / (double)r.fresh.rows, n == 0 ? 0.5 : 0, 0, 0.1);
    }
    una_run_free(run);
}

static bool bends(const una_truth *t)
{
    double most = 0;                     /* second differences of one side: rows 1, 3, 5 ... are x = 2 to 4 */
    for (size_t i = 1; i + 4 < t->rows; i += 2) most = fmax(most, fabs(t->f[i] + t->f[i + 4] - 2 * t->f[i + 2]));
    return most > 1e-9;
}

static void beyond_is_outside_and_holes_are_empty(void **state)
{
    static const char *const holes[] = { "disc", "shell2" };
    una_run *run = quiet_run();
    (void)state;
    una_split_rows line = rows_of("beyond linear", 3, run), square = rows_of("beyond x2", 3, run);
    assert_true(!bends(&line.beyond) && bends(&square.beyond));
    assert_true(square.train.rows >= 60 && square.train.rows <= 100);
    for (size_t i = 0; i < square.train.rows; i++) assert_true(fabs(square.train.x[i]) <= 2);
    for (size_t i = 0; i < square.beyond.rows; i++)
        assert_true(fabs(square.beyond.x[i]) > 1.9999 && fabs(square.beyond.x[i]) < 4.0001);
    una_split_rows five = rows_of("beyond d5 exp", 3, run);
    for (size_t i = 0; i < five.beyond.rows; i++) {
        double most = 0;
        for (size_t d = 0; d < 5; d++) most = fmax(most, fabs(five.beyond.x[5 * i + d]));
        assert_true(most > 1.9999 && most < 4.0001);
    }
    for (size_t n = 0; n < 2; n++) {
        una_split_rows r = rows_of(holes[n], 3, run);
        double from = n ? 0.8 : 0, to = n ? 1.4 : 1;
        for (size_t i = 0; i < r.train.rows; i++) {
            double radius = hypot(r.train.x[2 * i], r.train.x[2 * i + 1]);
            assert_true(radius < from || radius >= to);
        }
        for (size_t i = 0; i < r.gap.rows; i++) {
            double radius = hypot(r.gap.x[2 * i], r.gap.x[2 * i + 1]);
            assert_true(radius >= from && radius < to);
        }
    }
    una_run_free(run);
}

static void updates_bring_another_law(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    una_split_rows same = rows_of("update same", 2, run), wider = rows_of("update wider", 2, run);
    una_split_rows other = rows_of("update other", 2, run), back = rows_of("update reversed", 2, run);
    una_split_rows loud = rows_of("update noise4", 2, run);
    assert_int_equal(same.train.rows, 200);
    assert_int_equal(same.added.rows, 2000);
    for (size_t i = 0; i < 50; i++) {
        assert_near(wider.added.x[i], 2 * same.added.x[i], 1e-12, 0);
        assert_near(back.added.f[i], -same.added.f[i], 1e-12, 0);
        assert_near(loud.added.noise[i], 4 * same.added.noise[i], 1e-12, 0);
        assert_near(other.train.f[i], same.train.f[i], 0, 0);
        assert_true(other.added.f[i] != same.added.f[i]);
        assert_near(back.fresh.f[i], -same.fresh.f[i], 1e-12, 0);
    }
    una_run_free(run);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* A straight line learns a straight line; some rows then get outliers and louder noise. */
static void scores_are_of_the_right_rows(void **state)
{
    una_run *run = quiet_run();
    una_truth_scores clean, odd;
    una_model *model;
    (void)state;
    una_split_rows r = rows_of("beyond linear", 1, run);
    assert_ok(una_truth_fit(&model, "linear(noise_std=0.1, prior_var=10, noise=constant)", &r.train, run), run);
    assert_ok(una_truth_score(&clean, model, &r.fresh, run), run);
    assert_true(isnan(clean.clean_coverage) && isnan(clean.loud_coverage));
    assert_near(clean.scale_ratio, 1, 1e-9, 0);
    assert_near(clean.coverage_95, 0.95, 0, 0.02);
    assert_near(clean.z2, pow(clean.error / clean.std_epistemic, 2), 0.3, 0);

    r.fresh.odd = UNA_GET(&run->scratch, bool, r.fresh.rows);
    r.fresh.scale = UNA_GET(&run->scratch, double, r.fresh.rows);
    for (size_t i = 0; i < r.fresh.rows; i++) {
        r.fresh.scale[i] = 0.05;
        r.fresh.odd[i] = i < 200;
        if (i < 200) r.fresh.y[i] += 5;
        if (i >= 1500) r.fresh.noise[i] = 0.2, r.fresh.y[i] += r.fresh.y[i] - r.fresh.f[i];
    }
    assert_ok(una_truth_score(&odd, model, &r.fresh, run), run);
    assert_near(odd.scale_ratio, 2, 1e-9, 0);
    assert_near(odd.coverage_95, (0.95 * 1300 + 0.672 * 500) / 2000, 0, 0.02);
    assert_near(odd.clean_coverage, (0.95 * 1300 + 0.672 * 500) / 1800, 0, 0.02);
    assert_near(odd.loud_coverage, 0.672, 0, 0.05);              /* P(|z| < 0.98); a quarter of the rows is loud */
    una_run_free(run);
}

/* ---- claims, on rows that are written here ----------------------------------------------------------------------- */

/* A measure's value for one fit; all other measures of that fit are 0.5. */
typedef struct told { const char *data, *spec; int seed; size_t measure; double value; } told;

static void write_rows(const char *path, const told *row, size_t count)
{
    FILE *file = fopen(path, "w");
    size_t split = 0;
    assert_non_null(file);
    while (strcmp(una_bench_name(split), "split") != 0) split++;
    size_t measures = una_bench_measure_count(split);
    fprintf(file, "study,data,split,spec,seed,results");
    for (size_t m = 0; m < measures; m++) fprintf(file, ",%s", una_bench_measure_at(split, m)->name);
    fprintf(file, ",kernels,commit,options\n");
    unsigned results = 0;
    for (size_t i = 0; i < count; i++) {
        una_run *run = quiet_run();
        assert_ok(una_spec_check(row[i].spec, &results, run), run);
        una_run_free(run);
        fprintf(file, "split,%s,0,%s,%d,%u", row[i].data, row[i].spec, row[i].seed, results);
        for (size_t m = 0; m < measures; m++) fprintf(file, ",%.17g", m == row[i].measure ? row[i].value : 0.5);
        fprintf(file, ",generic,none,%s\n", row[i].spec);
    }
    fclose(file);
}

/* What the claim with these words comes to; its numbers are in `numbers`. */
static int judged(char *numbers, size_t room, const char *words, const told *row, size_t count)
{
    static int number;
    static const char *const models[] = { "linear", "gp" };
    char folder[40], file[60];
    const char *set[] = { "sets=\"cell,outliers,clean,disc,update\"", "seeds=3" };
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    size_t rows, added;
    int holds = -9;
    snprintf(folder, sizeof folder, "told%d", number++);
    snprintf(file, sizeof file, "%s.csv", folder);
    write_rows(temp_path(file), row, count);
    assert_ok(una_bench_import(&rows, &added, "split", temp_path(folder), temp_path(file), run), run);
    assert_int_equal(added, count);
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .models = models,
                                    .model_count = 2, .set = set, .set_count = 2, .kept = 1 };
    assert_ok(una_bench_run(&result, "split", &settings, run), run);
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, words)) {
            holds = result->claims[i].holds;
            snprintf(numbers, room, "%s", result->claims[i].numbers);
        }
    una_bench_free(result);
    una_run_free(run);
    return holds;
}
#define JUDGED(words, rows) judged(numbers, sizeof numbers, words, rows, sizeof rows / sizeof *rows)

static void each_cell_is_judged_by_itself(void **state)
{
    const told all[] = { { "cell n60 d1", "linear", 0, UNA_SPLIT_INSIDE, 0.80 },     /* 0.88 +- 0.08 */
                         { "cell n60 d1", "linear", 1, UNA_SPLIT_INSIDE, 0.88 },
                         { "cell n60 d1", "linear", 2, UNA_SPLIT_INSIDE, 0.96 },
                         { "cell n60 d5", "linear", 0, UNA_SPLIT_INSIDE, 0.95 },
                         { "cell n60 d5", "gp", 0, UNA_SPLIT_INSIDE, 0.1 } };
    const told one[] = { { "cell n60 d1", "linear", 0, UNA_SPLIT_INSIDE, 0.87 },     /* 0.88 +- 0.01 */
                         { "cell n60 d1", "linear", 1, UNA_SPLIT_INSIDE, 0.88 },
                         { "cell n60 d1", "linear", 2, UNA_SPLIT_INSIDE, 0.89 },
                         { "cell n60 d5", "linear", 0, UNA_SPLIT_INSIDE, 0.95 } };
    const told high[] = { { "cell n60 d5", "linear", 0, UNA_SPLIT_INSIDE, 0.999 } };
    char numbers[400];
    (void)state;
    assert_int_equal(JUDGED("Cells: the function", all), 1);
    assert_says(numbers, "linear: 2 of 2 sets");
    assert_int_equal(JUDGED("Cells: the function", one), 0);
    assert_says(numbers, "1 of 2 sets (0.90 to 0.99 asked); not cell n60 d1 0.88");
    assert_int_equal(JUDGED("Cells: the function", high), 0);
    const told errors[] = { { "cell n60 d5", "linear", 0, UNA_SPLIT_Z2, 0.2 },       /* 1.5 +- 2.6: the mean itself */
                            { "cell n60 d5", "linear", 1, UNA_SPLIT_Z2, 2.8 } };
    assert_int_equal(JUDGED("Cells: errors", errors), 0);
    assert_int_equal(JUDGED("Updates: coverage", high), -9);                 /* not asked, so not shown */
}

static void twins_are_compared(void **state)
{
    told rows[] = { { "outliers n300 d5", "linear", 0, UNA_SPLIT_ERROR, 0.26 },
                    { "clean n300 d5", "linear", 0, UNA_SPLIT_ERROR, 0.21 },
                    { "clean n1000 d1", "linear", 0, UNA_SPLIT_ERROR, 0.01 } };
    char numbers[400];
    (void)state;
    assert_int_equal(JUDGED("Outliers: the error", rows), 1);
    rows[1].value = 0.19;
    assert_int_equal(JUDGED("Outliers: the error", rows), 0);
    assert_says(numbers, "not outliers n300 d5 1.37");
    rows[1].data = "cell n60 d1";
    assert_int_equal(JUDGED("Outliers: the error", rows), -1);
    assert_says(numbers, "needs clean");
}

static void holes_are_compared_with_other_models(void **state)
{
    told rows[] = { { "disc", "linear", 0, UNA_SPLIT_GAP_LOG_LIK, -0.31 },
                    { "disc", "gp", 0, UNA_SPLIT_GAP_LOG_LIK, -0.22 } };
    char numbers[400];
    (void)state;
    assert_int_equal(JUDGED("Holes", rows), 1);
    rows[1].value = -0.2;
    assert_int_equal(JUDGED("Holes", rows), 0);
    assert_says(numbers, "not disc \u22120.31 against \u22120.20");
}

static void a_warning_excuses_an_update(void **state)
{
    told rows[] = { { "update other", "linear", 0, UNA_SPLIT_WARNED, 1 },            /* coverage 0.5 */
                    { "update other", "linear", 1, UNA_SPLIT_WARNED, 1 },
                    { "update same", "linear", 0, UNA_SPLIT_COVERAGE, 0.91 } };
    told quiet[] = { { "update false n20", "linear", 0, UNA_SPLIT_WARNED, 0 } };
    char numbers[400];
    (void)state;
    assert_int_equal(JUDGED("Updates: coverage", rows), 1);
    rows[1].value = 0;
    assert_int_equal(JUDGED("Updates: coverage", rows), 0);
    assert_says(numbers, "not update other 0.50, warned in 0.50");
    assert_int_equal(JUDGED("Updates with 20 rows", quiet), 1);
    quiet[0].value = 0.02;
    assert_int_equal(JUDGED("Updates with 20 rows", quiet), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_has_its_rows),
        cmocka_unit_test(cells_are_many_functions),
        cmocka_unit_test(few_of_twenty_inputs_matter),
        cmocka_unit_test(twins_differ_by_outliers),
        cmocka_unit_test(noise_is_as_it_is_called),
        cmocka_unit_test(copies_and_groups_belong_together),
        cmocka_unit_test(targets_have_their_mean_and_noise),
        cmocka_unit_test(beyond_is_outside_and_holes_are_empty),
        cmocka_unit_test(updates_bring_another_law),
        cmocka_unit_test(scores_are_of_the_right_rows),
        cmocka_unit_test(each_cell_is_judged_by_itself),
        cmocka_unit_test(twins_are_compared),
        cmocka_unit_test(holes_are_compared_with_other_models),
        cmocka_unit_test(a_warning_excuses_an_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
