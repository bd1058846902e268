/* SPDX-License-Identifier: MIT
 *
 * The split of doubt, with a kind that knows the true function of five inputs and is told how wrong to be: its measures
 * and claims follow. And the data itself: that functions and noise are what they are said to be.
 */
#include "draws.h"
#include "test_support.h"

#include "split/split.h"
#include "model/kind.h"

/* ---- a kind that knows f -------------------------------------------------------------------------------------- */

typedef struct knows { double off, std, noise, grows, centre[5], scale[5], y_centre, y_scale; } knows;
typedef struct knows_options { double off, std, noise, grows; } knows_options;

static const una_option table[] = {
    { "off", UNA_REAL, offsetof(knows_options, off), "0", -9, 9, false, NULL, "error of the mean" },
    { "std", UNA_REAL, offsetof(knows_options, std), "0.1", 0, 9, false, NULL, "epistemic std" },
    { "noise", UNA_REAL, offsetof(knows_options, noise), "0.3", 0, 9, false, NULL, "noise std where x1 is -2" },
    { "grows", UNA_REAL, offsetof(knows_options, grows), "1", 0, 99, false, NULL, "so many times at x1 = 2" },
    { .name = NULL }
};

/* Written down anew, with the std of the function from a sample of its own. */
static double truth(const double *x)
{
    static double std;
    if (std == 0) {
        una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
        double sum = 0, square = 0, n = 400000;
        for (size_t i = 0; i < (size_t)n; i++) {
            double u[5];
            for (size_t d = 0; d < 5; d++) u[d] = 4 * una_rng_uniform(&rng) - 2;
            double f = sin(2 * u[0]) + u[1] * u[2] / 2 + fabs(u[3]) - u[4] / 2;
            sum += f, square += f * f;
        }
        std = sqrt(square / n - sum * sum / n / n);
    }
    return (sin(2 * x[0]) + x[1] * x[2] / 2 + fabs(x[3]) - x[4] / 2) / std;
}

static una_status knows_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    knows *k = f->target->state;
    const knows_options *o = f->target->options;
    *k = (knows){ o->off, o->std, o->noise, o->grows, .y_centre = p->columns->target_centre,
                  .y_scale = p->columns->target_scale };
    for (size_t d = 0; d < 5 && d < p->x.cols; d++) {
        k->centre[d] = p->columns->inputs[d].centre;
        k->scale[d] = p->columns->inputs[d].scale;
    }
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status knows_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const knows *k = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        double own[5] = {0};
        for (size_t d = 0; d < 5 && d < x.cols; d++) own[d] = k->centre[d] + k->scale[d] * x.at[r * x.stride + d];
        double noise = k->noise * pow(k->grows, (own[0] + 2) / 4) / k->y_scale;
        out->mean[r] = (truth(own) + k->off - k->y_centre) / k->y_scale;
        out->var_model[r] = k->std * k->std / k->y_scale / k->y_scale;
        out->var_noise[r] = noise * noise;
    }
    return UNA_OK;
}

static una_status knows_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "off", &((knows *)state)->off);
}

static const una_kind knows_kind = { .name = "knows", .summary = "", .source = "", .options = table,
    .options_size = sizeof(knows_options), .state_size = sizeof(knows), .thesis = "", .least_rows = 4,
    .fit = knows_fit, .predict = knows_predict, .exchange = knows_exchange };
const una_kind *const una_kinds[] = { &knows_kind, NULL };

/* ---- measures and claims -------------------------------------------------------------------------------------- */

static una_bench_result *run_it(const char *model, const char *sets, const char *seeds, una_run *run)
{
    static int number;
    char folder[40];
    const char *set[] = { sets, seeds };
    una_bench_result *result = NULL;
    snprintf(folder, sizeof folder, "split%d", number++);
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .models = &model,
                                    .model_count = 1, .set = set, .set_count = 2 };
    assert_ok(una_bench_run(&result, "split", &settings, run), run);
    return result;
}

static double mean_of(const una_bench_result *result, const char *data, const char *measure)
{
    for (size_t i = 0; i < result->mean_count; i++)
        if (strcmp(result->means[i].key->data, data) == 0 && strcmp(result->means[i].measure, measure) == 0)
            return result->means[i].mean;
    fail_msg("no %s of %s", measure, data);
    return NAN;
}

static int claim_holds(const una_bench_result *result, const char *words)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, words)) return result->claims[i].holds;
    fail_msg("no claim %s", words);
    return 0;
}

static void the_truth_is_inside_or_not(void **state)
{
    static const struct { const char *spec; double inside, error, ratio; int band, noise; } cases[] = {
        { "knows", 1, 0, 1, 1, 1 },
        { "knows(off=0.19, noise=0.33)", 1, 0.19, 1.1, 1, 1 },               /* 1.96 0.1 = 0.196 */
        { "knows(off=0.21, noise=0.36)", 0, 0.21, 1.2, 0, 0 },
        { "knows(off=-0.21, std=0.11)", 1, 0.21, 1, 1, 1 },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_bench_result *result = run_it(cases[i].spec, "sets=\"d5 n600, d20\"", "seeds=2", run);
        assert_int_equal(result->fits, 8);                                   /* d20 with 200, 600 and 2000 rows */
        for (size_t s = 0; s < 2; s++) {
            const char *data = s ? "d20 n600" : "d5 n600";
            assert_near(mean_of(result, data, "inside"), cases[i].inside, 0, 0);
            assert_near(mean_of(result, data, "error"), cases[i].error, 0, 0.005);
            assert_near(mean_of(result, data, "noise_ratio"), cases[i].ratio, 1e-9, 0);
            assert_near(mean_of(result, data, "noise_error"), cases[i].ratio - 1, 1e-9, 1e-9);
            assert_near(mean_of(result, data, "noise_range"), 1, 1e-9, 0);
            assert_true(isnan(mean_of(result, data, "gap_inside")));
        }
        assert_int_equal(claim_holds(result, "5 inputs, 600 rows: the function"), cases[i].band);
        assert_int_equal(claim_holds(result, "20 inputs, 2000 rows: the function"), cases[i].band);
        assert_int_equal(claim_holds(result, "5 inputs, 600 rows: ignorance"), cases[i].noise);
        assert_int_equal(claim_holds(result, "5 inputs, 2000 rows"), -1);
        assert_int_equal(claim_holds(result, "Lines"), -1);
        assert_int_equal(claim_holds(result, "constant stays"), -1);
        una_bench_free(result);
    }
    una_run_free(run);
}

/* The log-likelihood of the truth itself is that of the noise, in units of the target's std. */
static void likelihood_is_in_units_of_the_target(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    una_bench_result *result = run_it("knows(std=0)", "sets=\"d5 n2000\"", "seeds=4", run);
    double std = sqrt(1 + 0.3 * 0.3), expected = log(std / 0.3) - 0.5 * log(2 * acos(-1)) - 0.5;
    assert_near(mean_of(result, "d5 n2000", "log_lik"), expected, 0, 0.03);
    assert_near(mean_of(result, "d5 n2000", "coverage_95"), 0.95, 0, 0.01);
    una_bench_free(result);
    una_run_free(run);
}

static void varying_noise_is_scored(void **state)
{
    static const struct { const char *spec; int found, varies, stays; double range; } cases[] = {
        { "knows(noise=0.1, grows=10)", 1, 1, 0, 10 },
        { "knows(noise=0.12, grows=10)", 0, 1, 0, 10 },
        { "knows(noise=0.3)", 0, 0, 1, 1 },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_bench_result *result = run_it(cases[i].spec, "sets=\"varying, constant\"", "seeds=2", run);
        assert_int_equal(claim_holds(result, "varies tenfold is found"), cases[i].found);
        assert_int_equal(claim_holds(result, "seen to vary"), cases[i].varies);
        assert_int_equal(claim_holds(result, "constant stays"), cases[i].stays);
        assert_near(mean_of(result, "varying", "noise_range"), cases[i].range, 0.01, 0);
        una_bench_free(result);
    }
    una_run_free(run);
}

static void usual_sets(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = run_it("knows", "sets=\"\"", "seeds=auto", run);
    (void)state;
    assert_int_equal(result->fits, 4 * 3 + 20 + 2 * 20);
    una_bench_free(result);
    result = run_it("knows", "sets=\"line cubic 2, line sine\"", "seeds=1", run);
    assert_int_equal(result->fits, 5);
    assert_string_equal(result->rows[0].key->data, "line cubic 2");
    assert_true(claim_holds(result, "Lines: the function is inside the band in the gap") >= 0);
    una_bench_free(result);

    const char *wrong[] = { "sets=\"d6\"", "sets=\"line cubic 5\"", "sets=\"line cubi\"", "sets=\"d5 n6000\"" };
    const char *model = "knows";
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_bench_settings settings = { .size = sizeof settings, .out = temp_path("wrong"), .models = &model,
                                        .model_count = 1, .set = &wrong[i], .set_count = 1 };
        assert_status(una_bench_run(&result, "split", &settings, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "there is no data set");
    }
    una_run_free(run);
}

/* ---- the data ------------------------------------------------------------------------------------------------- */

static double mean_square(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sum / (double)count;
}

static void check_places(const una_split_rows *r)
{
    for (size_t i = 0; i < r->train.rows; i++) assert_true(fabs(r->train.x[i]) >= 2 && fabs(r->train.x[i]) <= 4);
    for (size_t i = 0; i < r->gap.rows; i++) assert_true(fabs(r->gap.x[i]) <= 2);
    double left = 0, right = 0;
    for (size_t i = 0; i < r->beyond.rows; i++) {
        assert_true(fabs(r->beyond.x[i]) >= 4 && fabs(r->beyond.x[i]) <= 8);
        left = fmin(left, r->beyond.x[i]);
        right = fmax(right, r->beyond.x[i]);
    }
    assert_near(left, -8, 1e-12, 0);
    assert_near(right, 8, 1e-12, 0);
}

/* Largest and second largest size of the k-th differences of f on the even grid of the gap. */
static void differences(double *most, double *typical, const una_truth *t, size_t k)
{
    double d[300], sizes = 0;
    memcpy(d, t->f, t->rows * sizeof *d);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i + j + 1 < t->rows; i++) d[i] = d[i + 1] - d[i];
    *most = 0;
    for (size_t i = 0; i + k < t->rows; i++) {
        *most = fmax(*most, fabs(d[i]));
        sizes += fabs(d[i]);
    }
    *typical = sizes / (double)(t->rows - k);
}

static void lines_are_what_they_are_called(void **state)
{
    static const char *const families[] = { "smooth", "matern", "cubic", "sine", "kinks" };
    una_run *run = quiet_run();
    (void)state;
    for (size_t f = 0; f < 5; f++) {
        double rough = 0, noise = 0;
        for (size_t number = 1; number <= 4; number++) {
            char name[40];
            una_split_rows r, again;
            double most, typical;
            snprintf(name, sizeof name, "line %s %zu", families[f], number);
            assert_ok(una_split_rows_make(&r, name, 7, &run->scratch, run), run);
            assert_ok(una_split_rows_make(&again, name, 7, &run->scratch, run), run);
            assert_memory_equal(r.train.y, again.train.y, r.train.rows * sizeof *r.train.y);
            check_places(&r);
            assert_near(mean_square(r.fresh.f, NULL, r.fresh.rows), 1, 0.03, 0);
            noise += mean_square(r.fresh.y, r.fresh.f, r.fresh.rows) / 4;

            differences(&most, &typical, &r.gap, f == 2 ? 4 : 2);
            if (f == 2) assert_near(most, 0, 0, 1e-11);                      /* of a cubic there are none */
            if (f == 4) assert_true(most < 1e-12 || typical < 0.05 * most);  /* of kinks few */
            rough += typical / 4;
        }
        assert_near(sqrt(noise), 0.1, 0.1, 0);
        if (f == 0) assert_true(rough < 1e-3);                               /* step 0.02: f'' about 1 */
        if (f == 1) assert_true(rough > 1e-3);
    }
    una_run_free(run);
}

/* f(x + h) + f(x - h) - 2 f = (2 cos wh - 2)(f - centre), so these sums and f lie on a straight line. */
static void a_sine_is_a_sine(void **state)
{
    una_run *run = quiet_run();
    una_split_rows r;
    (void)state;
    assert_ok(una_split_rows_make(&r, "line sine 3", 1, &run->scratch, run), run);
    const double *f = r.gap.f;
    size_t a = 20, b = 90, n = r.gap.rows;
#define BEND(i) (f[(i) + 1] + f[(i) - 1] - 2 * f[i])
    double slope = (BEND(b) - BEND(a)) / (f[b] - f[a]);
    for (size_t i = 1; i + 1 < n; i++) assert_near(BEND(i) - BEND(a), slope * (f[i] - f[a]), 0, 1e-12);
    assert_true(acos(1 + slope / 2) / 0.02 > 0.49 && acos(1 + slope / 2) / 0.02 < 2.01);     /* the frequency */
#undef BEND
    una_run_free(run);
}

static void names_and_seeds_make_other_rows(void **state)
{
    una_run *run = quiet_run();
    una_split_rows a, b, c, d;
    (void)state;
    assert_ok(una_split_rows_make(&a, "line smooth 1", 7, &run->scratch, run), run);
    assert_ok(una_split_rows_make(&b, "line smooth 2", 7, &run->scratch, run), run);
    assert_ok(una_split_rows_make(&c, "line smooth 1", 8, &run->scratch, run), run);
    assert_true(a.gap.f[5] != b.gap.f[5] && a.gap.f[5] != c.gap.f[5] && a.train.x[3] != b.train.x[3]);

    assert_ok(una_split_rows_make(&c, "varying", 7, &run->scratch, run), run);
    assert_ok(una_split_rows_make(&d, "constant", 7, &run->scratch, run), run);
    assert_memory_equal(c.train.f, d.train.f, c.train.rows * sizeof *c.train.f);             /* twins */
    assert_int_equal(c.fresh.rows, 2000);
    assert_true(c.fresh.x[0] != c.train.x[0]);
    double least = 9, most = 0, square = 0;
    for (size_t i = 0; i < c.train.rows; i++) {
        double z = (c.train.y[i] - c.train.f[i]) / c.train.noise[i];
        least = fmin(least, c.train.noise[i]);
        most = fmax(most, c.train.noise[i]);
        square += z * z / (double)c.train.rows;
        assert_near(d.train.noise[i], 0.3, 0, 0);
    }
    assert_near(least, 0.1, 0.01, 0);
    assert_near(most, 1, 0.01, 0);
    assert_near(square, 1, 0.1, 0);
    assert_status(una_split_rows_make(&a, "d7 n600", 0, &run->scratch, run), UNA_E_INPUT, run);
    una_run_free(run);
}

static una_status make_some(void *context, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_split_rows r;
    una_status status = una_split_rows_make(&r, context, 1, &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void memory_may_end(void **state)
{
    char names[][20] = { "d5 n600", "line cubic 1", "outliers n300 d5", "groups", "half zeros", "beyond exp", "disc",
                         "update other" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(sweep_allocations(make_some, names[i]) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_is_inside_or_not),
        cmocka_unit_test(likelihood_is_in_units_of_the_target),
        cmocka_unit_test(varying_noise_is_scored),
        cmocka_unit_test(usual_sets),
        cmocka_unit_test(lines_are_what_they_are_called),
        cmocka_unit_test(a_sine_is_a_sine),
        cmocka_unit_test(names_and_seeds_make_other_rows),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
