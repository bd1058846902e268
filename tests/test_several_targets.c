/* SPDX-License-Identifier: MIT
 *
 * Models of several targets: each part is the model of its target alone, rows that lack a target are left out for it,
 * covariances and joint densities against closed forms, all or nothing in updates, sentences for what cannot be.
 */
#include "models/quick.h"
#include "one_run.h"

#include "model/several.h"

static const char *const linear = "linear(degree=2)";
/* Columns of a table of numbers, by their places. */
static una_dataset *some_columns(const una_dataset *data, const size_t *which, size_t count)
{
    const char *names[8];
    const double *numbers[8];
    una_dataset *out = NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = una_dataset_column_name(data, which[i]);
        numbers[i] = una_dataset_numbers(data, which[i]);
    }
    assert_ok(una_dataset_from_columns(&out, names, numbers, NULL, count, una_dataset_row_count(data), run), run);
    return out;
}

static bool same_bytes(const una_model *a, const una_model *b)
{
    void *one = NULL, *two = NULL;
    size_t size, other;
    assert_ok(una_model_save_memory(a, &one, &size, run), run);
    assert_ok(una_model_save_memory(b, &two, &other, run), run);
    bool same = size == other && memcmp(one, two, size) == 0;
    una_memory_free(one, run);
    una_memory_free(two, run);
    return same;
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static void one_of_a_list_is_that_target(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, false, run);
    una_model *listed = NULL, *named = NULL;
    assert_ok(una_fit(&listed, "nlm(width=6, steps=20, members=1)", data,
                      &SIZED(una_fit_settings, .targets = pair_targets, .target_count = 1), run), run);
    assert_ok(una_fit(&named, "nlm(width=6, steps=20, members=1)", data, &SIZED(una_fit_settings, .target = "a"), run),
              run);
    assert_true(same_bytes(listed, named));
    assert_int_equal(una_model_target_count(named), 1);
    assert_ptr_equal(una_model_target(named, 0), named);
    assert_null(una_model_target(named, 1));
    una_model_free(listed);
    una_model_free(named);
    una_dataset_free(data);
}

/* Kinds that fit each target by itself: to the last bit as if the other target were not there. */
static void parts_are_single_fits(void **state)
{
    (void)state;
    static const char *const specs[] = { "linear(degree=2)", "gp(restarts=1)", "nn(width=6, steps=30)",
                                         "mcd(width=6, steps=20, passes=5, members=3)" };
    for (size_t rows = 60; rows <= 220; rows += 160) {
        una_dataset *data = pair_data(rows, 0, false, run);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            una_model *whole = pair_fit(specs[k], data, run);
            assert_int_equal(una_model_target_count(whole), 2);
            assert_int_equal(una_model_input_count(whole), 2);
            assert_string_equal(una_model_info(whole)->target, "a, b");
            for (size_t t = 0; t < 2; t++) {
                una_dataset *own = some_columns(data, (size_t[]){ 0, 1, 2 + t }, 3);
                una_model *alone = fitted(specs[k], own, NULL, run);
                assert_true(same_bytes(una_model_target(whole, t), alone));
                una_model_free(alone);
                una_dataset_free(own);
            }
            una_model_free(whole);
        }
        una_dataset_free(data);
    }
}

/* The spec of the whole, with what is automatic left so, repeats the fit of all targets. */
static void the_spec_repeats(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, true, run);
    una_model *whole = pair_fit("nn(width=6, steps=30)", data, run);
    una_model *again = pair_fit(una_model_info(whole)->spec, data, run);
    assert_true(same_bytes(whole, again));
    una_model_free(whole);
    una_model_free(again);
    una_dataset_free(data);
}

static bool noted(const una_model *model, const char *part)
{
    const una_fit_info *info = una_model_info(model);
    for (size_t i = 0; i < info->note_count; i++)
        if (strstr(info->notes[i], part)) return true;
    return false;
}

static void missing_cells(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, true, run);
    una_model *whole = pair_fit(linear, data, run);
    const una_model *a = una_model_target(whole, 0), *b = una_model_target(whole, 1);
    size_t with_a = 0, with_b = 0, with_one = 0;
    for (size_t i = 0; i < 60; i++) {
        with_a += i % 5 != 1;
        with_b += i % 3 != 0;
        with_one += i % 5 != 1 || i % 3 != 0;
    }

    assert_int_equal(una_model_info(a)->rows, with_a);
    assert_int_equal(una_model_info(b)->rows, with_b);
    assert_int_equal(una_model_info(whole)->rows, with_one);
    assert_true(noted(a, "8 rows have no 'a'") && noted(b, "16 rows have no 'b'"));
    assert_true(noted(whole, "4 rows without any target"));

    /* Inputs are scaled by the rows that have a target, the same for both; targets by their own cells. */
    assert_ptr_equal(a->columns.inputs, b->columns.inputs);
    const double *cell = una_dataset_numbers(data, 3);
    double sum = 0;
    for (size_t i = 0; i < 60; i++) sum += isnan(cell[i]) ? 0 : cell[i];
    assert_near(b->columns.target_centre, sum / (double)with_b, 1e-14, 0);

    una_score score = UNA_INIT(una_score);
    assert_ok(una_model_score(&score, b, data, run), run);       /* so does scoring */
    assert_int_equal(score.rows, with_b);
    una_model_free(whole);
    una_dataset_free(data);
}

/* b is there in so few rows that folds, or the rows held out, are without it: then it is split by itself. */
static void few_cells(void **state)
{
    (void)state;
    static const double shares[] = { 0, 0.15 };
    for (size_t k = 0; k < 2; k++) {
        una_dataset *full = pair_data(60, 0, false, run), *data = NULL;
        double b[60];
        for (size_t i = 0; i < 60; i++) b[i] = i % 10 == 0 ? una_dataset_numbers(full, 3)[i] : NAN;
        static const char *const names[] = { "x1", "x2", "a", "b" };
        const double *const columns[] = { una_dataset_numbers(full, 0), una_dataset_numbers(full, 1),
                                          una_dataset_numbers(full, 2), b };
        assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 4, 60, run), run);

        una_model *whole = NULL;
        const una_fit_settings settings = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2,
                                                .valid_fraction = shares[k]);
        for (size_t kind = 0; kind < 3; kind++) {
            static const char *const specs[] = { "nn(width=4, steps=10)", "nlm(width=4, steps=10, members=1)",
                                                 "luna(width=4, heads=2, steps=10, members=1)" };
            assert_ok(una_fit(&whole, specs[kind], data, &settings, run), run);
            assert_int_equal(una_model_info(una_model_target(whole, 1))->rows, 6);
            assert_int_equal(una_model_info(una_model_target(whole, 0))->rows, 60);
            una_model_free(whole);
        }
        una_dataset_free(full);
        una_dataset_free(data);
    }
}

static void validation_rows(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, false, run), *valid = pair_data(30, 500, true, run), *none = NULL;
    una_model *whole = NULL, *alone = NULL;
    una_fit_settings settings = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2, .valid = valid);
    assert_ok(una_fit(&whole, "nn(width=4, steps=10)", data, &settings, run), run);
    assert_int_equal(una_model_info(una_model_target(whole, 1))->valid_rows, 20);
    assert_int_equal(una_model_info(una_model_target(whole, 1))->rows, 60);
    una_model_free(whole);

    size_t index[] = { 0, 3, 6 };                /* rows without b */
    assert_ok(una_dataset_rows(&none, valid, index, 3, run), run);
    settings.valid = none;
    assert_status(una_fit(&alone, "nn(width=4, steps=10)", data, &settings, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no rows to validate on with the target 'b'");
    una_dataset_free(none);
    una_dataset_free(valid);
    una_dataset_free(data);
}

/* Few rows that train, of a kind that would take all targets at once: as each alone. */
static void few_rows_train(void **state)
{
    (void)state;
    static const char *const spec = "nlm(width=4, steps=20, members=1)";
    una_dataset *data = pair_data(20, 0, false, run), *one = some_columns(data, (size_t[]){ 0, 1, 3 }, 3);
    una_model *whole = NULL, *alone = NULL;
    assert_ok(una_fit(&whole, spec, data, &SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2,
                      .valid_fraction = 0.85), run), run);
    assert_ok(una_fit(&alone, spec, one, &SIZED(una_fit_settings, .valid_fraction = 0.85), run), run);
    double *p = predicted(una_model_target(whole, 1), data, run), *q = predicted(alone, data, run);
    for (size_t i = 0; i < 40; i++) assert_true(p[i] == q[i]);
    free(p);
    free(q);
    una_model_free(whole);
    una_model_free(alone);
    una_dataset_free(data);
    una_dataset_free(one);
}

/* ---- what cannot be --------------------------------------------------------------------------------------------- */

static void refused(const una_dataset *data, const una_fit_settings *settings, una_status status, const char *part)
{
    una_model *model = NULL;
    assert_status(una_fit(&model, linear, data, settings, run), status, run);
    assert_null(model);
    assert_says(una_run_message(run), part);
}

static void refused_names(const char *csv, const char *one, const char *two, una_status status, const char *part)
{
    una_dataset *data = NULL;
    const char *const targets[] = { one, two };
    assert_ok(una_dataset_read(&data, temp_text_file("t.csv", csv), run), run);
    refused(data, &SIZED(una_fit_settings, .targets = targets, .target_count = 2), status, part);
    una_dataset_free(data);
}

static void sentences(void **state)
{
    (void)state;
    const char *csv = "x,a,b,w,k\n1,2,3,one,7\n2,3,5,two,7\n3,5,4,one,7\n4,4,4,two,7\n5,5,7,one,7\n";
    refused_names(csv, "a", "a", UNA_E_USAGE, "the target 'a' is named twice");
    refused_names(csv, "a", "c", UNA_E_INPUT, "no column 'c'");
    refused_names(csv, "a", "w", UNA_E_INPUT, "the target must be a number, but");
    refused_names(csv, "a", "k", UNA_E_INPUT, "the target 'k' has the same value in every row");
    refused_names("x,a,h\n1,2,3\n2,3,\n3,5,\n", "a", "h", UNA_E_INPUT, "the target 'h' has only one value");
    refused_names("x,a,h\n1,2,\n2,3,\n3,5,\n", "a", "h", UNA_E_INPUT, "the target 'h' has no values");
    refused_names("a,b\n1,2\n2,3\n", "a", "b", UNA_E_INPUT, "every column of");
    refused_names("x,a,b\n1,2,3\n,3,4\n3,3,7\n", "a", "b", UNA_E_INPUT, "column 'x' is missing; fill the cell");
    refused_names(csv, "a", NULL, UNA_E_USAGE, "target 2 of 2 has no name");

    una_dataset *data = pair_data(12, 0, false, run);
    refused(data, &SIZED(una_fit_settings, .target = "a", .targets = pair_targets, .target_count = 2), UNA_E_USAGE,
            "only one of them");
    refused(data, &SIZED(una_fit_settings, .target_count = 2), UNA_E_USAGE, "target 1 of 2 has no name");
    una_dataset_free(data);

    una_model *model = NULL;
    const char *few = "x,a,b\n1,2,3\n2,3,\n3,5,\n4,4,4\n5,5,\n6,7,\n7,7,\n8,1,\n";
    assert_ok(una_dataset_read(&data, temp_text_file("few.csv", few), run), run);
    assert_status(una_fit(&model, "luna", data, &SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2),
                          run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "only 2 with the target 'b'");
    una_dataset_free(data);
}

static void calls_for_one_target(void **state)
{
    (void)state;
    una_dataset *data = pair_data(40, 0, false, run);
    una_model *whole = pair_fit(linear, data, run), *other = NULL;
    double value[80], x[2] = { 0, 0 };
    size_t count;
    una_score score = UNA_INIT(una_score);
    una_prediction out = SIZED(una_prediction, .mean = value);
    una_parts parts = SIZED(una_parts, .mean = value);
    const char *path = temp_text_file("rows.csv", "x1,x2,a,b\n1,1,1,1\n");

    assert_status(una_model_predict(whole, data, 0.9, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "this model predicts 2 targets (a, b)");
    assert_status(una_model_predict_rows(whole, x, 1, 0.9, &out, run), UNA_E_USAGE, run);
    assert_status(una_model_functions(whole, data, &count, NULL, run), UNA_E_USAGE, run);
    assert_status(una_model_slope(whole, x, value, value + 2, run), UNA_E_USAGE, run);
    assert_status(una_model_parts(whole, x, 1, &parts, run), UNA_E_USAGE, run);
    assert_status(una_model_sample(&other, whole, 0, run), UNA_E_USAGE, run);
    assert_status(una_model_score(&score, whole, data, run), UNA_E_USAGE, run);
    assert_status(una_score_file(&score, whole, path, run), UNA_E_USAGE, run);
    assert_int_equal(una_model_part_count(whole), 0);
    assert_ok(una_model_predict(una_model_target(whole, 1), data, 0.9, &out, run), run);
    una_model_free(whole);
    una_dataset_free(data);
}

/* ---- covariance and joint density ------------------------------------------------------------------------------- */

static void make_joint(una_model *whole, double correlation)
{
    whole->coupling = (una_target_coupling){ .outputs = 2, .joint = true, .noise = UNA_GET(&whole->keep, double, 4) };
    assert_non_null(whole->coupling.noise);
    const double noise[] = { 0.04, 0.06 * correlation, 0.06 * correlation, 0.09 };
    memcpy(whole->coupling.noise, noise, sizeof noise);
}

/* Two linear heads of the same noise and prior variance, which is what a joint head is: cov f = S_ts v(x). */
static void covariance_of_a_head(void **state)
{
    (void)state;
    una_dataset *data = pair_data(50, 0, false, run);
    una_model *whole = pair_fit("linear(degree=1, prior_var=0.5, noise_std=0.3, noise=constant)", data, run);
    const una_model *a = una_model_target(whole, 0), *b = una_model_target(whole, 1);
    double *pa = predicted(a, data, run), *pb = predicted(b, data, run), cov[200];

    for (int noise = 0; noise <= 1; noise++) {           /* fitted apart: nothing in common */
        assert_ok(una_model_covariance(whole, data, noise, cov, run), run);
        for (size_t i = 0; i < 50; i++) {
            double va = pa[(noise ? 50 : 100) + i], vb = pb[(noise ? 50 : 100) + i];
            assert_near(cov[4 * i], va * va, 1e-12, 0);
            assert_near(cov[4 * i + 3], vb * vb, 1e-12, 0);
            assert_true(cov[4 * i + 1] == 0 && cov[4 * i + 2] == 0);
        }
    }

    make_joint(whole, 0.8);
    for (int noise = 0; noise <= 1; noise++) {
        assert_ok(una_model_covariance(whole, data, noise, cov, run), run);
        for (size_t i = 0; i < 50; i++) {
            double f = 0.8 * pa[100 + i] * pb[100 + i], n = 0.8 * pa[150 + i] * pb[150 + i];
            assert_near(cov[4 * i + 1], noise ? f + n : f, 1e-12, 0);
            assert_true(cov[4 * i + 1] == cov[4 * i + 2]);
        }
    }
    free(pa);
    free(pb);
    una_model_free(whole);
    una_dataset_free(data);
}

/* A mixture of members: moments and density from what una_model_parts says of each target. */
static void covariance_of_members(void **state)
{
    (void)state;
    enum { ROWS = 12, MEMBERS = 3 };
    una_dataset *data = pair_data(60, 0, false, run), *few = pair_data(ROWS, 700, false, run);
    una_model *whole = NULL;
    const char *set[] = { "weights=equal", "noise=constant", "relevance=off" };
    assert_ok(una_fit(&whole, "nlm(width=6, steps=20, members=3)", data,
                      &SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2, .set = set, .set_count = 3),
                      run), run);
    make_joint(whole, -0.5);

    double x[2 * ROWS], mean[2][ROWS * MEMBERS], std[2][ROWS * MEMBERS], weight[MEMBERS], cov[4 * ROWS], noise[2][ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = una_dataset_numbers(few, 0)[i];
        x[2 * i + 1] = una_dataset_numbers(few, 1)[i];
    }
    for (size_t t = 0; t < 2; t++) {
        const una_model *part = una_model_target(whole, t);
        assert_int_equal(una_model_part_count(part), MEMBERS);
        una_parts parts = SIZED(una_parts, .weight = weight, .mean = mean[t], .std = std[t]);
        assert_ok(una_model_parts(part, x, ROWS, &parts, run), run);
        assert_ok(una_model_predict(part, few, 0.9, &SIZED(una_prediction, .std_noise = noise[t]), run), run);
    }

    double log_lik, sum = 0;
    size_t rows;
    assert_ok(una_model_covariance(whole, few, 1, cov, run), run);
    assert_ok(una_model_joint_log_lik(&log_lik, &rows, whole, few, run), run);
    for (size_t i = 0; i < ROWS; i++) {
        double ma = 0, mb = 0, c = -0.5 * noise[0][i] * noise[1][i], density = 0;
        for (size_t m = 0; m < MEMBERS; m++) {
            ma += mean[0][i * MEMBERS + m] / MEMBERS;
            mb += mean[1][i * MEMBERS + m] / MEMBERS;
        }
        for (size_t m = 0; m < MEMBERS; m++) {
            size_t at = i * MEMBERS + m;
            c += (-0.5 * std[0][at] * std[1][at] + (mean[0][at] - ma) * (mean[1][at] - mb)) / MEMBERS;

            double va = std[0][at] * std[0][at] + noise[0][i] * noise[0][i];
            double vb = std[1][at] * std[1][at] + noise[1][i] * noise[1][i];
            double vc = -0.5 * (std[0][at] * std[1][at] + noise[0][i] * noise[1][i]), det = va * vb - vc * vc;
            double da = una_dataset_numbers(few, 2)[i] - mean[0][at], db = una_dataset_numbers(few, 3)[i] - mean[1][at];
            density += exp(-0.5 * (vb * da * da - 2 * vc * da * db + va * db * db) / det) /
                       (2 * acos(-1) * sqrt(det)) / MEMBERS;
        }
        assert_near(cov[4 * i + 1], c, 1e-9, 1e-12);
        sum += log(density) / ROWS;
    }
    assert_int_equal(rows, ROWS);
    assert_near(log_lik, sum, 1e-7, 1e-9);
    una_model_free(whole);
    una_dataset_free(data);
    una_dataset_free(few);
}

/* Fitted apart: the sum of the scores, over the rows that have both. */
static void density_of_parts(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, false, run), *gaps = pair_data(30, 500, true, run), *both = NULL;
    una_model *whole = pair_fit("mcd(width=6, steps=20, passes=5, members=3)", data, run);
    size_t index[30], count = 0, rows;
    for (size_t i = 0; i < 30; i++)
        if (i % 5 != 1 && i % 3 != 0) index[count++] = i;
    assert_ok(una_dataset_rows(&both, gaps, index, count, run), run);
    una_score a = UNA_INIT(una_score), b = UNA_INIT(una_score);
    double log_lik;
    assert_ok(una_model_score(&a, una_model_target(whole, 0), both, run), run);
    assert_ok(una_model_score(&b, una_model_target(whole, 1), both, run), run);
    assert_ok(una_model_joint_log_lik(&log_lik, &rows, whole, gaps, run), run);
    assert_int_equal(rows, count);
    assert_near(log_lik, a.log_lik + b.log_lik, 1e-9, 0);

    assert_ok(una_model_joint_log_lik(&log_lik, NULL, una_model_target(whole, 0), both, run), run);      /* of one */
    assert_near(log_lik, a.log_lik, 1e-9, 0);
    una_dataset_free(both);
    size_t none[] = { 0, 3 };
    assert_ok(una_dataset_rows(&both, gaps, none, 2, run), run);
    assert_ok(una_model_joint_log_lik(&log_lik, &rows, whole, both, run), run);
    assert_true(rows == 0 && isnan(log_lik));
    una_model_free(whole);
    una_dataset_free(data);
    una_dataset_free(gaps);
    una_dataset_free(both);
}

/* ---- functions of all targets at once --------------------------------------------------------------------------- */

/* Mean of a product of deviations over draws, and how far it may be off by chance (four standard errors). */
static double draw_covariance(const double *f, const double *g, size_t draws, size_t step, double *off)
{
    double mf = 0, mg = 0, sum = 0, square = 0, n = (double)draws;
    for (size_t k = 0; k < draws; k++) mf += f[k * step] / n, mg += g[k * step] / n;
    for (size_t k = 0; k < draws; k++) {
        double product = (f[k * step] - mf) * (g[k * step] - mg);
        sum += product / n;
        square += product * product / n;
    }
    *off = 4 * sqrt((square - sum * sum) / n);
    return sum;
}

/* Functions drawn of a joint head have the covariance that is promised, also after more rows. */
static void draws_go_together(void **state)
{
    (void)state;
    enum { ROWS = 6, DRAWS = 4000 };
    static const char *const specs[] = { "nlm(width=6, steps=60, members=1, noise=constant, prior_var=1)",
                                         "luna(width=6, heads=3, steps=60, members=3, noise=constant, prior_var=1)" };
    una_dataset *data = pair_data(60, 0, false, run), *few = pair_data(ROWS, 700, false, run);
    double *f = malloc(2 * DRAWS * ROWS * sizeof *f), *alone = malloc(DRAWS * ROWS * sizeof *f), cov[4 * ROWS], off;
    assert_true(f && alone);
    for (size_t s = 0; s < 2; s++) {
        una_model *whole = pair_fit(specs[s], data, run);
        assert_true(whole->coupling.joint && fabs(whole->coupling.noise[1]) > 0);
        const double *a = f, *b = f + DRAWS * ROWS;
        for (int more = 0; more <= 1; more++) {
            if (more) assert_ok(una_model_update(whole, few, run), run);
            assert_ok(una_model_draw(whole, few, DRAWS, 0, f, run), run);
            assert_ok(una_model_covariance(whole, few, 0, cov, run), run);
            for (size_t i = 0; i < ROWS; i++) {
                const double *pair[] = { a + i, a + i, b + i, b + i }, *with[] = { a + i, b + i, a + i, b + i };
                for (size_t k = 0; k < 4; k++) {
                    double found = draw_covariance(pair[k], with[k], DRAWS, ROWS, &off);
                    assert_near(found, cov[4 * i + k], 0, off);
                }
                double size = draw_covariance(a + i, b + i, DRAWS, ROWS, &off);
                if (!more && s == 0) assert_true(fabs(size) > off);          /* there is something to be seen */
            }
        }

        assert_ok(una_model_draw(una_model_target(whole, 0), few, DRAWS, 0, alone, run), run);
        assert_true(memcmp(alone, f, DRAWS * ROWS * sizeof *f) == 0);        /* the first: as if it were alone */
        assert_ok(una_model_draw(whole, few, DRAWS, 1, f, run), run);
        for (size_t i = 0; i < ROWS; i++) {                                  /* the prior: correlated as the noise */
            double va = draw_covariance(a + i, a + i, DRAWS, ROWS, &off);
            double own = sqrt(va * draw_covariance(b + i, b + i, DRAWS, ROWS, &off));
            double both = draw_covariance(a + i, b + i, DRAWS, ROWS, &off);
            assert_near(both, una_correlation(&whole->coupling, 0, 1) * own, 0, off + 0.05 * own);
        }
        una_model_free(whole);
    }
    free(alone);
    free(f);
    una_dataset_free(data);
    una_dataset_free(few);
}

/* Fitted apart: functions that know nothing of each other. */
static void draws_go_apart(void **state)
{
    (void)state;
    enum { ROWS = 3, DRAWS = 2000 };
    una_dataset *data = pair_data(60, 0, false, run), *few = pair_data(ROWS, 700, false, run);
    una_model *whole = pair_fit("linear(degree=2, noise=constant)", data, run);
    static double f[2 * DRAWS * ROWS];
    double off;
    assert_ok(una_model_draw(whole, few, DRAWS, 0, f, run), run);
    for (size_t i = 0; i < ROWS; i++) {
        double both = draw_covariance(f + i, f + DRAWS * ROWS + i, DRAWS, ROWS, &off);
        assert_near(both, 0, 0, off);
    }
    una_model_free(whole);
    una_dataset_free(data);
    una_dataset_free(few);
}

/* Units so large, or so small, that a product of two is no number. */
static void covariance_beyond_numbers(void **state)
{
    (void)state;
    static const char *const names[] = { "x1", "x2", "a", "b" };
    una_dataset *data = pair_data(30, 0, false, run), *large = NULL;
    double cells[2][30], cov[120];
    for (int small = 0; small <= 1; small++) {
        for (size_t i = 0; i < 60; i++)
            cells[i / 30][i % 30] = (small ? 1e-200 : 1e200) * una_dataset_numbers(data, 2 + i / 30)[i % 30];
        const double *const columns[] = { una_dataset_numbers(data, 0), una_dataset_numbers(data, 1), cells[0],
                                          cells[1] };
        assert_ok(una_dataset_from_columns(&large, names, columns, NULL, 4, 30, run), run);
        una_model *whole = pair_fit(linear, large, run);
        assert_status(una_model_covariance(whole, large, 0, cov, run), UNA_E_NUMERIC, run);
        assert_says(una_run_message(run), "take other units");
        una_model_free(whole);
        una_dataset_free(large);
    }
    una_dataset_free(data);
}

/* ---- updates ---------------------------------------------------------------------------------------------------- */

static void rows_reach_the_targets_they_have(void **state)
{
    (void)state;
    una_dataset *data = pair_data(50, 0, false, run), *more = pair_data(20, 500, false, run);
    una_model *whole = pair_fit(linear, data, run), *before = copied_model(whole, run), *alone = NULL;
    double x[40], y[40];
    for (size_t i = 0; i < 20; i++) {
        for (size_t d = 0; d < 2; d++) x[2 * i + d] = una_dataset_numbers(more, d)[i];
        y[2 * i] = una_dataset_numbers(more, 2)[i];
        y[2 * i + 1] = NAN;
    }
    assert_ok(una_model_update_rows(whole, x, y, 20, run), run);
    assert_int_equal(una_model_info(whole)->rows, 70);
    assert_int_equal(una_model_info(una_model_target(whole, 0))->rows, 70);
    assert_int_equal(una_model_info(una_model_target(whole, 1))->rows, 50);
    assert_true(same_bytes(una_model_target(whole, 1), una_model_target(before, 1)));

    alone = copied_model(una_model_target(before, 0), run);              /* as its part alone is updated */
    assert_ok(una_model_update(alone, more, run), run);
    assert_true(same_bytes(una_model_target(whole, 0), alone));
    una_model_free(alone);
    una_model_free(before);
    una_model_free(whole);
    una_dataset_free(data);
    una_dataset_free(more);
}

static void updates_are_whole_or_not_at_all(void **state)
{
    (void)state;
    una_dataset *data = pair_data(50, 0, false, run), *huge = NULL;
    una_model *whole = pair_fit(linear, data, run), *before = copied_model(whole, run);
    char text[200000] = "x1,x2,a,b\n";
    size_t rows = 7;
    const double x[] = { 0, 0 }, y[] = { 3, 1e200 };     /* its square is beyond a double */
    assert_status(una_model_update_rows(whole, x, y, 1, run), UNA_E_NUMERIC, run);
    assert_true(same_bytes(whole, before));

    size_t length = strlen(text);
    for (int i = 0; i < 5000; i++)                       /* the second piece of the file fails */
        length += (size_t)snprintf(text + length, sizeof text - length, "%d,1,%d,%s\n", i % 3, i % 5,
                                   i == 4900 ? "1e200" : i % 2 ? "21" : "");
    assert_status(una_update_file(whole, temp_text_file("more.csv", text), &rows, run), UNA_E_NUMERIC, run);
    assert_int_equal(rows, 0);
    assert_true(same_bytes(whole, before));
    assert_ok(una_model_update(whole, data, run), run);  /* and it is as good as new */
    assert_false(same_bytes(whole, before));
    una_model_free(whole);
    una_model_free(before);
    una_dataset_free(huge);
    una_dataset_free(data);
}

static void files_in_pieces(void **state)
{
    (void)state;
    una_dataset *data = pair_data(50, 0, false, run), *more = NULL;
    una_model *whole = pair_fit(linear, data, run), *once = copied_model(whole, run);
    char text[200000] = "b,x2,x1,a\n";
    size_t rows, length = strlen(text);
    for (int i = 0; i < 5000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s,%d,%d,%d\n", i % 3 ? "" : "19", i % 4,
                                   i % 3, i % 5);
    const char *path = temp_text_file("more.csv", text);
    assert_ok(una_update_file(whole, path, &rows, run), run);
    assert_int_equal(rows, 5000);
    assert_ok(una_dataset_read(&more, path, run), run);
    assert_ok(una_model_update(once, more, run), run);
    for (size_t t = 0; t < 2; t++)
        assert_same_predictions(una_model_target(whole, t), una_model_target(once, t), data, 1e-9, run);
    assert_int_equal(una_model_info(una_model_target(whole, 1))->rows, 50 + 1667);
    una_model_free(whole);
    una_model_free(once);
    una_dataset_free(data);
    una_dataset_free(more);
}

static void relearnt(void **state)
{
    (void)state;
    una_dataset *data = pair_data(50, 0, false, run), *more = pair_data(40, 500, true, run);
    una_model *whole = pair_fit("nlm(width=6, steps=20, members=1)", data, run), *again = NULL, *alone = NULL;
    make_joint(whole, 0.25);
    assert_ok(una_model_relearn(&again, whole, more, NULL, 0, run), run);
    assert_int_equal(una_model_target_count(again), 2);
    assert_true(again->coupling.joint && again->coupling.noise[1] == 0.015);
    assert_true(noted(again, "features are those of another fit"));
    for (size_t t = 0; t < 2; t++) {
        una_dataset *own = NULL;                         /* as the part alone, of the rows that it has */
        size_t index[40], count = 0;
        for (size_t i = 0; i < 40; i++)
            if (!isnan(una_dataset_numbers(more, 2 + t)[i])) index[count++] = i;
        assert_ok(una_dataset_rows(&own, more, index, count, run), run);
        assert_ok(una_model_relearn(&alone, una_model_target(whole, t), own, NULL, 0, run), run);
        assert_true(same_bytes(una_model_target(again, t), alone));
        una_model_free(alone);
        una_dataset_free(own);
    }
    una_model_free(again);
    una_model_free(whole);
    una_dataset_free(data);
    una_dataset_free(more);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void saved_and_loaded(void **state)
{
    (void)state;
    una_dataset *data = pair_data(60, 0, true, run);
    una_model *whole = pair_fit(linear, data, run);
    for (int joint = 0; joint <= 1; joint++) {
        if (joint) make_joint(whole, 0.7);
        una_model *copy = copied_model(whole, run), *file = NULL;
        const char *path = temp_path("pair.una");
        double one[240], two[240];
        char *json = NULL;
        assert_true(same_bytes(whole, copy));
        assert_ok(una_model_save(whole, path, run), run);
        assert_ok(una_model_load(&file, path, run), run);
        assert_true(same_bytes(whole, file));
        assert_string_equal(una_model_info(file)->spec, una_model_info(whole)->spec);
        assert_string_equal(una_model_info(file)->target, "a, b");
        assert_int_equal(una_model_info(file)->inputs, 2);
        assert_true(file->target[1]->columns.one_of_several);

        assert_ok(una_model_covariance(whole, data, 1, one, run), run);
        assert_ok(una_model_covariance(file, data, 1, two, run), run);
        assert_memory_equal(one, two, sizeof one);
        assert_ok(una_file_info(&json, path, run), run);
        assert_says(json, joint ? "\"joint\": true" : "\"joint\": false");
        assert_says(json, "\"targets\": [\"a\", \"b\"]");
        if (joint) assert_says(json, "\"noise_correlation\": [[1, 0.7");
        una_memory_free(json, run);
        una_model_free(copy);
        una_model_free(file);
    }
    una_model_free(whole);
    una_dataset_free(data);
}

/* A covariance that no noise has, written as if it were one. */
static void strangers_covariance(void **state)
{
    (void)state;
    static const double wrong[][4] = { { 0.04, 0.07, 0.07, 0.09 }, { 0.04, 0.01, 0.02, 0.09 }, { 0, 0, 0, 1 },
                                       { -1, 0, 0, 1 } };
    una_dataset *data = pair_data(40, 0, false, run);
    una_model *whole = pair_fit(linear, data, run), *copy = NULL;
    make_joint(whole, 0);
    for (size_t k = 0; k < 4; k++) {
        void *bytes = NULL;
        size_t size;
        memcpy(whole->coupling.noise, wrong[k], sizeof wrong[k]);
        assert_ok(una_model_save_memory(whole, &bytes, &size, run), run);
        assert_status(una_model_load_memory(&copy, bytes, size, run), UNA_E_INPUT, run);
        assert_null(copy);
        assert_says(una_run_message(run), "is not a covariance");
        una_memory_free(bytes, run);
    }
    una_model_free(whole);
    una_dataset_free(data);
}

/* Each pair could be, all three together could not. */
static void strangers_three(void **state)
{
    (void)state;
    static const char *const targets[] = { "x2", "a", "b" };
    una_dataset *data = pair_data(40, 0, false, run);
    una_model *whole = NULL, *copy = NULL;
    void *bytes = NULL;
    size_t size;
    assert_ok(una_fit(&whole, linear, data, &SIZED(una_fit_settings, .targets = targets, .target_count = 3), run), run);
    for (int wrong = 0; wrong <= 1; wrong++) {
        double noise[] = { 1, 0.9, 0.9, 0.9, 1, 0.9, 0.9, 0.9, 1 };
        if (wrong) noise[5] = noise[7] = -0.9;
        whole->coupling = (una_target_coupling){ .outputs = 3, .joint = true, .noise = noise };
        assert_ok(una_model_save_memory(whole, &bytes, &size, run), run);
        assert_status(una_model_load_memory(&copy, bytes, size, run), wrong ? UNA_E_INPUT : UNA_OK, run);
        if (wrong) assert_says(una_run_message(run), "targets.noise is not a covariance");
        una_model_free(copy);
        una_memory_free(bytes, run);
    }
    una_model_free(whole);
    una_dataset_free(data);
}

/* Names that would give two columns of answers one title: no fit, and no file of a stranger. */
static void titles_alike(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "a", "epistemic_a" }, { "noise_b", "b" } };
    static const char *const titles[] = { "'std_epistemic_a'", "'std_noise_b'" };
    una_dataset *data = pair_data(40, 0, false, run);
    una_model *whole = pair_fit(linear, data, run), *copy = NULL;
    for (size_t k = 0; k < 2; k++) {
        const char *names[] = { "x1", "x2", pairs[k][0], pairs[k][1] };
        const double *columns[4];
        una_dataset *odd = NULL;
        void *bytes = NULL;
        size_t size;
        for (size_t i = 0; i < 4; i++) columns[i] = una_dataset_numbers(data, i);
        assert_ok(una_dataset_from_columns(&odd, names, columns, NULL, 4, 40, run), run);
        refused(odd, &SIZED(una_fit_settings, .targets = pairs[k], .target_count = 2), UNA_E_USAGE, titles[k]);
        una_dataset_free(odd);

        for (size_t t = 0; t < 2; t++) whole->target[t]->columns.target = pairs[k][t];
        assert_ok(una_model_save_memory(whole, &bytes, &size, run), run);
        assert_status(una_model_load_memory(&copy, bytes, size, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "columns of one name");
        una_memory_free(bytes, run);
    }
    una_model_free(whole);
    una_dataset_free(data);
}

static una_status keep_bytes(void *context, const char *bytes, size_t count)
{
    char *to = context;
    size_t length = strlen(to);
    if (length + count >= 20000) return UNA_E_IO;
    memcpy(to + length, bytes, count);
    to[length + count] = 0;
    return UNA_OK;
}

static void columns_of_each_target(void **state)
{
    (void)state;
    static char text[20000];
    una_dataset *data = pair_data(40, 0, false, run), *rows = NULL, *answers = NULL;
    una_model *whole = pair_fit(linear, data, run);
    const char *path = temp_text_file("new.csv", "x2,x1\n1,0.5\n-1,0\n");
    una_predict_settings settings = SIZED(una_predict_settings, .write = keep_bytes, .writer = text, .keep = 1,
                                          .draws = 2, .digits = 17);
    *text = 0;
    assert_ok(una_predict_file(whole, path, &settings, NULL, NULL, run), run);
    assert_true(strncmp(text, "x2,x1,mean_a,std_a,std_epistemic_a,std_noise_a,lower_a,upper_a,draw_1_a,draw_2_a,mean_b,"
                        "std_b,std_epistemic_b,std_noise_b,lower_b,upper_b,draw_1_b,draw_2_b\n1,0.5,", 140) == 0);

    assert_ok(una_dataset_read(&rows, path, run), run);
    assert_ok(una_dataset_read(&answers, temp_text_file("answers.csv", text), run), run);
    for (size_t t = 0; t < 2; t++) {
        double *p = predicted(una_model_target(whole, t), rows, run);
        for (size_t k = 0; k < 12; k++)
            assert_true(una_dataset_numbers(answers, 2 + 8 * t + k / 2)[k % 2] == p[k]);
        double draw = (una_dataset_numbers(answers, 2 + 8 * t + 6)[0] - p[0]) / p[4];
        static double first;
        if (t) assert_true(fabs(draw - first) > 1e-3);   /* not the same draw twice */
        first = draw;
        free(p);
    }
    una_model_free(whole);
    una_dataset_free(answers);
    una_dataset_free(rows);
    una_dataset_free(data);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static una_status all_of_it(void *context, una_run *poor)
{
    const una_dataset *data = context;
    una_model *whole = NULL, *copy = NULL, *again = NULL;
    void *bytes = NULL;
    size_t size;
    double cov[80], log_lik;
    const una_fit_settings settings = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2);
    una_status status = una_fit(&whole, "linear(degree=1)", data, &settings, poor);
    if (status == UNA_OK) status = una_model_save_memory(whole, &bytes, &size, poor);
    if (status == UNA_OK) status = una_model_load_memory(&copy, bytes, size, poor);
    if (status == UNA_OK) {
        una_fit_info before = *una_model_info(una_model_target(copy, 0));
        status = una_model_update(copy, data, poor);
        if (status != UNA_OK) assert_int_equal(una_model_info(una_model_target(copy, 0))->rows, before.rows);
    }
    if (status == UNA_OK) status = una_model_covariance(copy, data, 1, cov, poor);
    if (status == UNA_OK) status = una_model_joint_log_lik(&log_lik, NULL, copy, data, poor);
    if (status == UNA_OK) status = una_model_relearn(&again, copy, data, NULL, 0, poor);
    una_memory_free(bytes, poor);
    una_model_free(whole);
    una_model_free(copy);
    una_model_free(again);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    una_dataset *data = pair_data(20, 0, true, run);
    assert_true(sweep_allocations(all_of_it, data) > 30);
    una_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_a_list_is_that_target),
        cmocka_unit_test(parts_are_single_fits),
        cmocka_unit_test(the_spec_repeats),
        cmocka_unit_test(missing_cells),
        cmocka_unit_test(few_cells),
        cmocka_unit_test(few_rows_train),
        cmocka_unit_test(validation_rows),
        cmocka_unit_test(sentences),
        cmocka_unit_test(calls_for_one_target),
        cmocka_unit_test(covariance_of_a_head),
        cmocka_unit_test(covariance_of_members),
        cmocka_unit_test(density_of_parts),
        cmocka_unit_test(draws_go_together),
        cmocka_unit_test(draws_go_apart),
        cmocka_unit_test(covariance_beyond_numbers),
        cmocka_unit_test(rows_reach_the_targets_they_have),
        cmocka_unit_test(updates_are_whole_or_not_at_all),
        cmocka_unit_test(files_in_pieces),
        cmocka_unit_test(relearnt),
        cmocka_unit_test(saved_and_loaded),
        cmocka_unit_test(strangers_covariance),
        cmocka_unit_test(strangers_three),
        cmocka_unit_test(titles_alike),
        cmocka_unit_test(columns_of_each_target),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("several targets", tests, set_up, tear_down);
}
