/* SPDX-License-Identifier: MIT
 *
 * Targets that are learnt by their logarithm, beside the same model fitted to a column that holds log y: what is known
 * of one follows from the other. Quantiles, digits, and what a logarithm refuses.
 */
#include "test_support.h"

#include <float.h>

enum { ROWS = 200, NEW = 40, DRAWS = 4000 };

typedef struct pair {                    /* the same rows, y and log y                                      */
    una_dataset *y, *logs, *new_y, *new_logs;
    una_model   *model, *plain;
} pair;

static double uniform(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *s)
{
    double u = uniform(s), v = uniform(s);
    return sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}

/* y = exp(1 + 0.8 a - 0.5 b + 0.4 noise), and z likewise where there are two targets. */
static una_dataset *table(size_t rows, uint64_t seed, bool logs, size_t targets, una_run *run)
{
    static double at[4][4 * ROWS];
    const double *numbers[4] = { at[0], at[1], at[2], at[3] };
    static const char *const names[] = { "a", "b", "y", "z" };
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        double a = 4 * uniform(&seed) - 2, b = 3 * uniform(&seed), shared = 0.3 * normal(&seed);
        double y = 1 + 0.8 * a - 0.5 * b + shared + 0.2 * normal(&seed), z = 3 - a + shared + 0.3 * normal(&seed);
        at[0][i] = a;
        at[1][i] = b;
        at[2][i] = logs ? y : exp(y);
        at[3][i] = logs ? z : exp(z);
    }
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 2 + targets, rows, run), run);
    return data;
}

static pair fit_pair(const char *spec, size_t targets, una_run *run)
{
    static const char *const names[] = { "y", "z" };
    pair p = { .y = table(ROWS, 1, false, targets, run), .logs = table(ROWS, 1, true, targets, run),
               .new_y = table(NEW, 2, false, targets, run), .new_logs = table(NEW, 2, true, targets, run) };
    una_fit_settings settings = SIZED(una_fit_settings, .targets = names, .target_count = targets, .log_target = 1);
    assert_ok(una_fit(&p.model, spec, p.y, &settings, run), run);
    settings.log_target = 0;
    assert_ok(una_fit(&p.plain, spec, p.logs, &settings, run), run);
    return p;
}

static void free_pair(pair *p)
{
    una_model_free(p->model);
    una_model_free(p->plain);
    una_dataset_free(p->y);
    una_dataset_free(p->logs);
    una_dataset_free(p->new_y);
    una_dataset_free(p->new_logs);
}

typedef struct answers { double mean[NEW], std[NEW], epistemic[NEW], noise[NEW], lower[NEW], upper[NEW]; } answers;

static answers ask(const una_model *model, const una_dataset *data, una_run *run)
{
    answers a;
    una_prediction out = { sizeof out, a.mean, a.std, a.epistemic, a.noise, a.lower, a.upper };
    assert_ok(una_model_predict(model, data, 0.9, &out, run), run);
    return a;
}

/* ---- one Gaussian: closed forms -------------------------------------------------------------------------------- */

static void the_lognormal_of_a_gaussian(void **state)
{
    (void)state;
    static const char *const specs[] = { "linear", "gp(noise=constant)" };
    static const double levels[] = { 0.01, 0.5, 0.95 };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 2; s++) {
        pair p = fit_pair(specs[s], 1, run);
        answers y = ask(p.model, p.new_y, run), f = ask(p.plain, p.new_y, run);
        double q[3 * NEW], r[3 * NEW];
        assert_ok(una_model_quantiles(p.model, p.new_y, levels, 3, q, run), run);
        assert_ok(una_model_quantiles(p.plain, p.new_y, levels, 3, r, run), run);
        for (size_t i = 0; i < NEW; i++) {
            double v = f.epistemic[i] * f.epistemic[i], n = f.noise[i] * f.noise[i];
            double mean = exp(f.mean[i] + (v + n) / 2);
            assert_near(y.mean[i], mean, 1e-7, 0);
            assert_near(y.std[i], mean * sqrt(expm1(v + n)), 1e-7, 0);
            assert_near(y.epistemic[i], mean * sqrt(expm1(v)), 1e-6, 0);
            assert_near(y.noise[i], mean * sqrt(exp(v) * expm1(n)), 1e-6, 0);
            assert_near(y.lower[i], exp(f.lower[i]), 1e-7, 0);
            assert_near(y.upper[i], exp(f.upper[i]), 1e-7, 0);
            for (size_t k = 0; k < 3; k++) assert_near(q[3 * i + k], exp(r[3 * i + k]), 1e-7, 0);
            assert_near(q[3 * i + 2], y.upper[i], 1e-9, 0);      /* 0.9 between them */
        }
        const una_fit_info *info = una_model_info(p.model), *plain = una_model_info(p.plain);
        assert_int_equal(info->log_target, 1);
        assert_int_equal(plain->log_target, 0);
        assert_near(info->noise_std, plain->noise_std, 1e-7, 0);
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) sum += una_dataset_numbers(p.logs, 2)[i] / ROWS;
        assert_int_equal(info->valid_rows, s == 0 ? ROWS : 0);
        if (s == 0) assert_near(info->valid_rmse, plain->valid_rmse, 1e-6, 0);
        if (s == 0) assert_near(info->valid_log_lik, plain->valid_log_lik - sum, 1e-6, 0);

        double x[2] = { 0.3, 1 }, dmean[2], dstd[2], dm[2], ds[2], m, v, n;
        una_prediction out = { .size = sizeof out, .mean = &m, .std_epistemic = &v, .std_noise = &n };
        assert_ok(una_model_slope(p.model, x, dmean, dstd, run), run);
        assert_ok(una_model_slope(p.plain, x, dm, ds, run), run);
        assert_ok(una_model_predict_rows(p.plain, x, 1, 0.95, &out, run), run);
        double mean = exp(m + (v * v + n * n) / 2), std = mean * sqrt(expm1(v * v));
        for (size_t d = 0; d < 2; d++) {                         /* the noise is the same everywhere */
            assert_near(dmean[d], mean * (dm[d] + v * ds[d]), 1e-6, 0);
            assert_near(dstd[d], std * (dm[d] + v * ds[d]) + mean * mean / std * exp(v * v) * v * ds[d], 1e-5, 0);
        }
        free_pair(&p);
    }
    una_run_free(run);
}

/* ---- mixtures: against draws of what is predicted --------------------------------------------------------------- */

/* Moments of exp(Q(u)) over the quantiles of log y. */
static void mixtures_by_their_quantiles(void **state)
{
    (void)state;
    enum { LEVELS = 4000 };
    static double levels[LEVELS], q[NEW * LEVELS];
    una_run *run = quiet_run();
    pair p = fit_pair("ensemble(members=3, epochs=30, of=nn(width=8))", 1, run);
    answers y = ask(p.model, p.new_y, run);
    for (size_t k = 0; k < LEVELS; k++) levels[k] = ((double)k + 0.5) / LEVELS;
    assert_ok(una_model_quantiles(p.plain, p.new_y, levels, LEVELS, q, run), run);
    for (size_t i = 0; i < NEW; i++) {
        double mean = 0, square = 0;
        for (size_t k = 0; k < LEVELS; k++) mean += exp(q[i * LEVELS + k]) / LEVELS;
        for (size_t k = 0; k < LEVELS; k++) square += pow(exp(q[i * LEVELS + k]) - mean, 2) / LEVELS;
        assert_near(y.mean[i], mean, 3e-3, 0);
        assert_near(y.std[i], sqrt(square), 0.02, 0);
        assert_near(y.std[i], hypot(y.epistemic[i], y.noise[i]), 1e-12, 0);
        assert_true(y.lower[i] > 0 && y.epistemic[i] > 0 && y.noise[i] > 0);
    }
    free_pair(&p);
    una_run_free(run);
}

static void draws_vary_as_predicted(void **state)
{
    (void)state;
    static double f[DRAWS * NEW];
    static const char *const specs[] = { "linear", "nlm(epochs=20, width=8, members=2, noise=constant)" };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 2; s++) {
        pair p = fit_pair(specs[s], 1, run);
        answers y = ask(p.model, p.new_y, run);
        assert_ok(una_model_draw(p.model, p.new_y, DRAWS, 0, f, run), run);
        for (size_t i = 0; i < NEW; i++) {
            double mean = 0, square = 0;
            for (size_t k = 0; k < DRAWS; k++) mean += f[k * NEW + i] / DRAWS;
            for (size_t k = 0; k < DRAWS; k++) square += pow(f[k * NEW + i] - mean, 2) / (DRAWS - 1);
            assert_near(mean, y.mean[i], 0, 5 * y.epistemic[i] / sqrt(DRAWS) + 0.003 * y.mean[i]);
            assert_near(sqrt(square), y.epistemic[i], 0.12, 0);
        }
        una_model *one = NULL;
        double x[2] = { 0.3, 1 }, mean, std, dmean[2], dstd[2], near[2];
        una_prediction out = { .size = sizeof out, .mean = &mean, .std_epistemic = &std };
        assert_ok(una_model_sample(&one, p.model, 3, run), run);
        assert_ok(una_model_predict_rows(one, x, 1, 0.95, &out, run), run);
        assert_near(std, 0, 0, 1e-9);
        una_model_free(one);

        assert_ok(una_model_slope(p.model, x, dmean, dstd, run), run);
        for (size_t d = 0; d < 2; d++)
            for (int which = 0; which < 2; which++) {
                for (int side = 0; side < 2; side++) {
                    double moved[2] = { x[0], x[1] };
                    moved[d] += side ? 1e-2 : -1e-2;
                    assert_ok(una_model_predict_rows(p.model, moved, 1, 0.95, &out, run), run);
                    near[side] = which ? std : mean;
                }
                assert_near((which ? dstd : dmean)[d], (near[1] - near[0]) / 2e-2, 2e-2, 1e-4);
            }
        free_pair(&p);
    }
    una_run_free(run);
}

/* A column with missing cells is two inputs, and its slope is that of the number. */
static void slopes_beside_missing_cells(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    static const char *const names[] = { "a", "b", "y" };
    double a[COUNT], b[COUNT], y[COUNT], mean, dmean[2], dstd[2], near[2];
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = (double)(i * 7 % 23) / 10, b[i] = (double)(i * 5 % 17) / 10;
        y[i] = exp(0.5 * a[i] - 0.3 * b[i] + 0.01 * (double)(i % 3));
        if (i % 6 == 0) a[i] = NAN;
    }
    const double *const columns[] = { a, b, y };
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 3, COUNT, run), run);
    una_fit_settings settings = SIZED(una_fit_settings, .missing = UNA_MISSING_MEAN, .log_target = 1);
    una_model *model = NULL;
    assert_ok(una_fit(&model, "linear", data, &settings, run), run);
    assert_int_equal(una_model_info(model)->inputs, 3);
    const double x[2] = { 1, 0.7 };
    una_prediction out = { .size = sizeof out, .mean = &mean };
    assert_ok(una_model_slope(model, x, dmean, dstd, run), run);
    for (size_t d = 0; d < 2; d++) {
        for (int side = 0; side < 2; side++) {
            double moved[2] = { x[0], x[1] };
            moved[d] += side ? 1e-3 : -1e-3;
            assert_ok(una_model_predict_rows(model, moved, 1, 0.95, &out, run), run);
            near[side] = mean;
        }
        assert_near(dmean[d], (near[1] - near[0]) / 2e-3, 1e-3, 1e-4);
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

static void scores_are_those_of_y(void **state)
{
    (void)state;
    static const char *const specs[] = { "linear", "ensemble(members=3, epochs=30, of=nn(width=8))" };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 2; s++) {
        pair p = fit_pair(specs[s], 1, run);
        una_score own = UNA_INIT(una_score), logs = UNA_INIT(una_score);
        double below[NEW], other[NEW], sum = 0, square = 0;
        assert_ok(una_model_score_rows(&own, below, p.model, p.new_y, run), run);
        assert_ok(una_model_score_rows(&logs, other, p.plain, p.new_logs, run), run);
        assert_arrays_near(below, other, NEW, 1e-6, 1e-9);
        answers y = ask(p.model, p.new_y, run);
        for (size_t i = 0; i < NEW; i++) {
            sum += una_dataset_numbers(p.new_logs, 2)[i] / NEW;
            square += pow(una_dataset_numbers(p.new_y, 2)[i] - y.mean[i], 2) / NEW;
        }
        assert_near(own.log_lik, logs.log_lik - sum, 1e-6, 0);
        assert_near(own.rmse, sqrt(square), 1e-6, 0);
        assert_near(own.coverage_90, logs.coverage_90, 0, 0);
        assert_true(own.crps > 0 && own.crps < own.rmse);
        free_pair(&p);
    }
    una_run_free(run);
}

/* 95 of 100 new rows lie in their band. */
static void bands_hold_what_they_claim(void **state)
{
    (void)state;
    skip_if_sanitized();
    static const char *const specs[] = { "linear", "gp" };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 2; s++) {
        size_t inside = 0, all = 0;
        for (uint64_t seed = 0; seed < 5; seed++) {
            una_dataset *data = table(ROWS, 10 + seed, false, 1, run);
            una_dataset *fresh = table(4 * ROWS, 90 + seed, false, 1, run);
            una_model *model = NULL;
            una_score score = UNA_INIT(una_score);
            assert_ok(una_fit(&model, specs[s], data, &SIZED(una_fit_settings, .log_target = 1), run), run);
            assert_ok(una_model_score(&score, model, fresh, run), run);
            inside += (size_t)lround(score.coverage_95 * 4 * ROWS);
            all += 4 * ROWS;
            una_model_free(model);
            una_dataset_free(data);
            una_dataset_free(fresh);
        }
        assert_true((double)inside > 0.93 * (double)all && (double)inside < 0.97 * (double)all);
    }
    una_run_free(run);
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

static void several_targets_at_once(void **state)
{
    (void)state;
    static double f[2 * DRAWS * NEW], cov[4 * NEW], logs[4 * NEW];
    una_run *run = quiet_run();
    pair p = fit_pair("linear", 2, run);
    double own, plain, sum = 0;
    size_t rows;
    assert_int_equal(una_model_info(p.model)->log_target, 1);
    assert_ok(una_model_joint_log_lik(&own, &rows, p.model, p.new_y, run), run);
    assert_ok(una_model_joint_log_lik(&plain, NULL, p.plain, p.new_logs, run), run);
    for (size_t i = 0; i < NEW; i++)
        sum += (una_dataset_numbers(p.new_logs, 2)[i] + una_dataset_numbers(p.new_logs, 3)[i]) / NEW;
    assert_int_equal(rows, NEW);
    assert_near(own, plain - sum, 1e-6, 0);

    answers y = ask(una_model_target(p.model, 0), p.new_y, run), z = ask(una_model_target(p.model, 1), p.new_y, run);
    for (int noise = 0; noise < 2; noise++) {
        assert_ok(una_model_covariance(p.model, p.new_y, noise, cov, run), run);
        assert_ok(una_model_covariance(p.plain, p.new_y, noise, logs, run), run);
        for (size_t i = 0; i < NEW; i++) {
            assert_near(cov[4 * i], noise ? pow(y.std[i], 2) : pow(y.epistemic[i], 2), 1e-9, 0);
            assert_near(cov[4 * i + 3], noise ? pow(z.std[i], 2) : pow(z.epistemic[i], 2), 1e-9, 0);
            assert_near(cov[4 * i + 1], y.mean[i] * z.mean[i] * expm1(logs[4 * i + 1]), 1e-6, 0);
            assert_near(cov[4 * i + 1], cov[4 * i + 2], 1e-12, 0);
        }
    }
    assert_ok(una_model_covariance(p.model, p.new_y, 0, cov, run), run);
    assert_ok(una_model_draw(p.model, p.new_y, DRAWS, 0, f, run), run);
    for (size_t i = 0; i < NEW; i++) {
        double both = 0;
        for (size_t k = 0; k < DRAWS; k++)
            both += (f[k * NEW + i] - y.mean[i]) * (f[(DRAWS + k) * NEW + i] - z.mean[i]) / DRAWS;
        assert_near(both, cov[4 * i + 1], 0, 0.08 * y.epistemic[i] * z.epistemic[i]);
    }
    free_pair(&p);
    una_run_free(run);
}

/* Members that differ: covariances are those of the functions that are drawn. */
static void members_of_several_targets(void **state)
{
    (void)state;
    static double f[2 * DRAWS * NEW], cov[4 * NEW];
    una_run *run = quiet_run();
    pair p = fit_pair("nlm(epochs=20, width=6, members=2)", 2, run);
    assert_ok(una_model_covariance(p.model, p.new_y, 0, cov, run), run);
    assert_ok(una_model_draw(p.model, p.new_y, DRAWS, 0, f, run), run);
    for (size_t i = 0; i < NEW; i++) {
        double one = 0, two = 0, both = 0, var = 0;
        for (size_t k = 0; k < DRAWS; k++) one += f[k * NEW + i] / DRAWS, two += f[(DRAWS + k) * NEW + i] / DRAWS;
        for (size_t k = 0; k < DRAWS; k++) {
            both += (f[k * NEW + i] - one) * (f[(DRAWS + k) * NEW + i] - two) / DRAWS;
            var += pow(f[k * NEW + i] - one, 2) / DRAWS;
        }
        assert_near(var, cov[4 * i], 0.25, 0);
        assert_near(both, cov[4 * i + 1], 0, 0.15 * sqrt(cov[4 * i] * cov[4 * i + 3]));
    }
    free_pair(&p);
    una_run_free(run);
}

/* ---- what follows a fit ------------------------------------------------------------------------------------------ */

static void saved_updated_and_relearnt(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    pair p = fit_pair("linear", 1, run);
    una_model *loaded = NULL, *relearnt = NULL, *other = NULL;
    void *bytes = NULL, *again = NULL;
    size_t size, as_large;
    assert_ok(una_model_save_memory(p.model, &bytes, &size, run), run);
    assert_ok(una_model_load_memory(&loaded, bytes, size, run), run);
    assert_ok(una_model_save_memory(loaded, &again, &as_large, run), run);
    assert_int_equal(size, as_large);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(una_model_info(loaded)->log_target, 1);
    answers before = ask(p.model, p.new_y, run), after = ask(loaded, p.new_y, run);
    assert_memory_equal(&before, &after, sizeof after);

    /* A value that has no logarithm leaves the model as it was. */
    const double x[] = { 0, 1, 0.5, 1 }, bad[] = { 2, 0 }, good[] = { 2, 0.7 }, logs[] = { log(2), log(0.7) };
    assert_status(una_model_update_rows(loaded, x, bad, 2, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "column 'y': the target is 0, and a model of its logarithm (--log) needs values "
                "above 0");
    after = ask(loaded, p.new_y, run);
    assert_memory_equal(&before, &after, sizeof after);

    assert_ok(una_model_update_rows(loaded, x, good, 2, run), run);
    assert_ok(una_model_update_rows(p.plain, x, logs, 2, run), run);
    answers y = ask(loaded, p.new_y, run), f = ask(p.plain, p.new_y, run);
    for (size_t i = 0; i < NEW; i++) assert_near(y.upper[i], exp(f.upper[i]), 1e-7, 0);
    assert_true(fabs(y.mean[0] - before.mean[0]) > 1e-6);

    assert_ok(una_model_relearn(&relearnt, p.model, p.new_y, NULL, 0, run), run);
    assert_ok(una_model_relearn(&other, p.plain, p.new_logs, NULL, 0, run), run);
    y = ask(relearnt, p.new_y, run);
    f = ask(other, p.new_y, run);
    for (size_t i = 0; i < NEW; i++) assert_near(y.lower[i], exp(f.lower[i]), 1e-6, 0);

    una_memory_free(bytes, run);
    una_memory_free(again, run);
    una_model_free(loaded);
    una_model_free(relearnt);
    una_model_free(other);
    free_pair(&p);
    una_run_free(run);
}

static void ignorance_of_the_logarithm_is_explained(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    pair p = fit_pair("linear", 1, run);
    const una_concept concept = SIZED(una_concept, .name = "high", .where = "a > 0");
    const una_explain_settings settings = SIZED(una_explain_settings, .concepts = &concept, .concept_count = 1);
    una_explanation *y = NULL, *f = NULL;
    assert_ok(una_explain(&y, p.model, p.new_y, &settings, run), run);
    assert_ok(una_explain(&f, p.plain, p.new_y, &settings, run), run);
    assert_arrays_near(y->std_epistemic, f->std_epistemic, NEW, 1e-6, 0);
    assert_arrays_near(y->part, f->part, NEW * f->parts, 1e-5, 1e-9);
    assert_says(y->warnings[0], "learnt the logarithm of 'y'");
    una_explanation_free(y);
    una_explanation_free(f);
    free_pair(&p);
    una_run_free(run);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    pair p = fit_pair("linear", 1, run);
    una_model *none = NULL;
    assert_status(una_fit(&none, "linear", p.logs, &SIZED(una_fit_settings, .log_target = 1), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "column 'y': the target is -");
    assert_says(una_run_message(run), "leave such rows out with --where, or fit without --log");
    assert_null(none);

    double x[] = { 1e6, 0, 0, 1e4 }, mean[2], weight;
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_status(una_model_predict_rows(p.model, x, 2, 0.95, &out, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "row 1: log y is ");
    assert_says(una_run_message(run), "so that y itself is beyond all numbers");
    una_model *sure = NULL;
    assert_ok(una_model_sample(&sure, p.model, 0, run), run);
    assert_ok(una_model_predict_rows(sure, x + 2, 1, 0.95, &out, run), run);     /* log y is about -5000 */
    assert_true(*mean >= DBL_MIN && *mean < 1e-300);
    una_model_free(sure);
    assert_status(una_model_parts(p.model, x, 1, &SIZED(una_parts, .weight = &weight), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "no mixture of Gaussians");

    double q[2 * NEW];
    const double unordered[] = { 0.5, 0.1 }, outside[] = { 0.5, 1 }, zero[] = { 0, 0.5 }, twice[] = { 0.5, 0.5 };
    assert_status(una_model_quantiles(p.model, p.new_y, unordered, 2, q, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "the quantile 0.1 comes behind 0.5");
    assert_status(una_model_quantiles(p.model, p.new_y, twice, 2, q, run), UNA_E_USAGE, run);
    assert_status(una_model_quantiles(p.model, p.new_y, outside, 2, q, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "the quantile 1 cannot be given");
    assert_status(una_model_quantiles(p.model, p.new_y, zero, 2, q, run), UNA_E_USAGE, run);
    assert_status(una_model_quantiles(p.model, p.new_y, zero, 0, q, run), UNA_E_USAGE, run);
    free_pair(&p);
    una_run_free(run);
}

static una_status job(void *context, una_run *run)
{
    const double *numbers = context;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score);
    double q[60], f[40], cov[80];
    const double levels[] = { 0.1, 0.5, 0.9 };
    static const char *const names[] = { "y", "z" };
    const double *columns[] = { numbers, numbers + 20, numbers + 40 };
    static const char *const titles[] = { "x", "y", "z" };
    una_fit_settings settings = SIZED(una_fit_settings, .targets = names, .target_count = 2, .log_target = 1);
    una_status status = una_dataset_from_columns(&data, titles, columns, NULL, 3, 20, run);
    if (status == UNA_OK) status = una_fit(&model, "linear", data, &settings, run);
    const una_model *part = model ? una_model_target(model, 0) : NULL;
    if (status == UNA_OK) status = una_model_quantiles(part, data, levels, 3, q, run);
    if (status == UNA_OK) status = una_model_score(&score, part, data, run);
    if (status == UNA_OK) status = una_model_draw(model, data, 1, 0, f, run);
    if (status == UNA_OK) status = una_model_covariance(model, data, 1, cov, run);
    if (status == UNA_OK) status = una_model_slope(part, numbers, q, q + 1, run);
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    double numbers[60];
    for (size_t i = 0; i < 60; i++) numbers[i] = i < 20 ? sin(7.0 * (double)i) : exp(sin(3.0 * (double)i));
    assert_true(sweep_allocations(job, numbers) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lognormal_of_a_gaussian),
        cmocka_unit_test(mixtures_by_their_quantiles),
        cmocka_unit_test(draws_vary_as_predicted),
        cmocka_unit_test(slopes_beside_missing_cells),
        cmocka_unit_test(scores_are_those_of_y),
        cmocka_unit_test(bands_hold_what_they_claim),
        cmocka_unit_test(several_targets_at_once),
        cmocka_unit_test(members_of_several_targets),
        cmocka_unit_test(saved_updated_and_relearnt),
        cmocka_unit_test(ignorance_of_the_logarithm_is_explained),
        cmocka_unit_test(refusals),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
