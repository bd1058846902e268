/* SPDX-License-Identifier: MIT
 *
 * Gaussian processes: kernel slots, derivatives against differences, closed forms of one and two rows, appended rows,
 * draws, text and files of kernels, and simulation-based calibration: where prior, noise and posterior belong together,
 * the rank of the truth among posterior draws is uniform (Talts et al. 2018).
 */
#include "ranks.h"
#include "test_support.h"

#include "gp/deferred.h"
#include "gp/gp.h"
#include "gp/pairs.h"

static const char *const names[] = { "a", "b", "long name" };
static const double centres[] = { 1, -2, 0.5 }, scales[] = { 2, 0.5, 3 };
static const una_kernel_inputs own = { names, centres, scales, 3, false }, standard = { names, NULL, NULL, 3, false };

static const char *const expressions[] = {
    "rbf", "1.3*rbf(length=[1, 0.3, 2])", "matern12(var=0.7, length=1.5)", "matern32(length=2)",
    "matern52(var=2, on=[a, b])", "periodic(period=[3, 1, 7], length=1.2)",
    "linear(var=0.4, centre=[1, 0, 2]) + constant(var=0.2)",
    "rbf(on=a)*periodic(period=2, on=b) + 0.5*matern32*linear + 2",
    "(rbf(on=a) + matern52(on=b))*(linear(on=b) + 0.3) + rbf(var=0, on=a)", "2*(0.5*(rbf + linear(var=2)))",
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

static una_kernel *parsed(const char *text, const una_kernel_inputs *inputs, una_run *run)
{
    una_kernel *kernel = NULL;
    assert_ok(una_kernel_parse(&kernel, text, inputs, &run->scratch, run), run);
    return kernel;
}

static double *invented(size_t count, uint64_t index, double std, una_run *run)
{
    double *x = UNA_GET(&run->scratch, double, count);
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, index);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) x[i] = std * una_rng_normal(&rng);
    return x;
}

static una_gp made(una_kernel *kernel, size_t rows, double noise_var, una_run *run)
{
    una_gp gp = { .noise_var = noise_var };
    double *x = invented(rows * 3, 1, 1, run), *y = invented(rows, 2, 1, run);
    assert_ok(una_gp_init(&gp, kernel, (una_gp_rows){ { x, rows, 3, 3 }, y, NULL }, &run->scratch), run);
    return gp;
}

/* ---- slots of the kernel sets ------------------------------------------------------------------------------------ */

static void slots(void **state)
{
    static const char *const sets[] = { "generic", "avx2", "avx512" };
    (void)state;
    for (size_t s = 0; s < 3; s++) {
        const una_kernels_f64 *k = una_kernels_named_f64(sets[s]);
        const una_kernels_f32 *f = una_kernels_named_f32(sets[s]);
        if (!k) continue;

        double x[64], e[64], worst = 0;
        for (int block = 0; block < 400; block++) {
            for (int i = 0; i < 64; i++) x[i] = -699.9 + 1400 * ((block * 64 + i) / 25600.0);
            k->pairs->exp(64, 1, x, 1, e);
            for (int i = 0; i < 64; i++) worst = fmax(worst, fabs(e[i] - exp(x[i])) / exp(x[i]));
        }
        assert_true(worst < 4.5e-16);

        double edge[8] = { 0, -HUGE_VAL, -1e300, -701, 1, -1, -0.0, NAN };
        k->pairs->exp(8, 1, edge, 1, e);
        assert_true(e[0] == 1 && e[1] == 0 && e[2] == 0 && e[3] == 0 && e[6] == 1 && isnan(e[7]));
        double plain[8], half[8];
        for (int i = 0; i < 8; i++) half[i] = -0.5 * x[i];
        k->pairs->exp(8, 1, half, 1, plain);
        k->pairs->exp(8, -0.5, x, 3, e);
        for (int i = 0; i < 8; i++) assert_true(e[i] == 3 * plain[i]);

        float fx[8] = { 0, -1, 1, -50, 3, -87.5f, -1000, 80 }, fe[8];
        f->pairs->exp(8, 1, fx, 1, fe);
        for (int i = 0; i < 5; i++) assert_near((double)fe[i], exp((double)fx[i]), 3e-7, 0);
        assert_true(fe[5] == 0 && fe[6] == 0);

        double a[6] = { 1, 0, -2, 0, 0.5, 0 }, b[48], w[16], r[16], sum[24] = {0};
        for (int i = 0; i < 48; i++) b[i] = sin(i);
        for (int i = 0; i < 16; i++) w[i] = cos(3 * i);
        k->pairs->distances(&(una_pair_rows_f64){ 16, 3, a, b, 2, 16 }, r);
        k->pairs->weighted_distances(&(una_pair_rows_f64){ 16, 3, a, b, 2, 16 }, w, sum);
        for (size_t d = 0; d < 3; d++) {
            double all = 0, lanes = 0;
            for (size_t j = 0; j < 16; j++) all += w[j] * pow(a[2 * d] - b[16 * d + j], 2);
            for (size_t j = 0; j < 8; j++) lanes += sum[8 * d + j];
            assert_near(lanes, all, 1e-13, 1e-14);
        }
        for (size_t j = 0; j < 16; j++)
            assert_near(r[j], pow(1 - b[j], 2) + pow(-2 - b[16 + j], 2) + pow(0.5 - b[32 + j], 2), 1e-14, 0);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void pairs_agree_with_the_program(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (size_t e = 0; e < EXPRESSIONS; e++) {
        una_kernel *kernel = parsed(expressions[e], &own, run);
        double *x = invented(100 * 3, 5, 1, run), k[100], out[UNA_TILE];
        una_side side;
        una_pairs pairs;
        assert_ok(una_side_make(&side, kernel, (una_view){ x, 100, 3, 3 }, &run->scratch), run);
        assert_ok(una_pairs_init(&pairs, kernel, &run->scratch, run), run);

        for (size_t i = 0; i < 100; i += 9) {
            una_kernel_matrix(kernel, x + 3 * i, 1, x, 100, 3, k);
            una_pairs_values(&pairs, (una_pair_tile){ &side, i, &side, 64, 40 }, out);
            assert_arrays_near(out, k + 64, 36, 1e-12, 1e-14);
        }
    }
    una_run_free(run);
}

/* sum_j w_j k(a_i, b_j): derivatives by log parameters and by inputs against central differences. */
static double weighted_sum(una_kernel *kernel, const double *x, size_t rows, size_t i, const double *weight,
                           una_run *run)
{
    double *k = UNA_GET(&run->scratch, double, rows), sum = 0;
    una_kernel_matrix(kernel, x + 3 * i, 1, x, rows, 3, k);
    for (size_t j = 0; j < rows; j++) sum += weight[j] * k[j];
    return sum;
}

static void derivatives(void **state)
{
    enum { ROWS = 24, I = 5 };
    const double h = 1e-5;
    (void)state;
    una_run *run = quiet_run();
    for (size_t e = 0; e < EXPRESSIONS; e++) {
        una_kernel *k = parsed(expressions[e], &own, run);
        double *x = invented(ROWS * 3, 6, 1, run), *w = invented(ROWS, 7, 1, run), slope[3] = {0};
        double *sum = UNA_GET(&run->scratch, double, k->parameter_count * UNA_PAD);
        w[I] = 0;                                        /* the pair with itself moves twice */
        una_side side;
        una_pairs pairs;
        assert_ok(una_side_make(&side, k, (una_view){ x, ROWS, 3, 3 }, &run->scratch), run);
        assert_ok(una_pairs_init(&pairs, k, &run->scratch, run), run);
        una_pairs_gradient(&pairs, (una_pair_tile){ &side, I, &side, 0, ROWS }, w, sum);
        una_pairs_slope(&pairs, (una_pair_tile){ &side, I, &side, 0, ROWS }, w, slope);

        for (size_t o = 0; o < k->op_count; o++) {
            size_t moves = k->op[o].code == UNA_KERNEL_LINEAR ? 1 : una_kernel_owns(&k->op[o]);
            for (size_t p = k->op[o].parameter; p < k->op[o].parameter + moves; p++) {
                double start = k->parameter[p], got = 0;
                k->parameter[p] = start * exp(h);
                double up = weighted_sum(k, x, ROWS, I, w, run);
                k->parameter[p] = start * exp(-h);
                double down = weighted_sum(k, x, ROWS, I, w, run);
                k->parameter[p] = start;
                for (size_t lane = 0; lane < UNA_PAD; lane++) got += sum[p * UNA_PAD + lane];
                assert_near(got, (up - down) / (2 * h), 1e-6, 1e-8);
            }
        }

        for (size_t d = 0; d < 3; d++) {
            double at = x[3 * I + d];
            x[3 * I + d] = at + h;
            double up = weighted_sum(k, x, ROWS, I, w, run);
            x[3 * I + d] = at - h;
            double down = weighted_sum(k, x, ROWS, I, w, run);
            x[3 * I + d] = at;
            assert_near(slope[d], (up - down) / (2 * h), 1e-6, 1e-8);
        }
    }
    una_run_free(run);
}

static void evidence_gradient(void **state)
{
    const double h = 1e-4;
    static const size_t group[] = { 0, 1, 1 };
    (void)state;
    una_run *run = quiet_run_threads(2);
    for (size_t e = 0; e < EXPRESSIONS; e++)
        for (int ard = 0; ard < 3; ard++) {
            una_kernel *k = parsed(expressions[e], &own, run);
            una_gp gp = made(k, 150, 0.3, run);
            una_hyper hyper;
            una_hyper_plan plan = { .ard = ard > 0, .group = ard == 2 ? group : NULL };
            assert_ok(una_hyper_init(&hyper, k, &plan, &run->scratch), run);
            double *inverse = UNA_GET(&run->scratch, double, una_gp_work(150)), got[32], theta[32], up = 0;
            assert_true(hyper.count < 31);

            memcpy(theta, hyper.origin, hyper.count * sizeof *theta);
            una_hyper_put(&hyper, theta, k);
            assert_arrays_near(k->parameter, hyper.start, k->parameter_count, 1e-15, 0);
            assert_ok(una_gp_solve(&gp, 0, run), run);
            assert_ok(una_gp_gradient(&gp, &hyper, inverse, got, run), run);

            for (size_t p = 0; p <= hyper.count; p++) {
                for (int side = 0; side < 2; side++) {
                    double by = side ? -h : h;
                    if (p < hyper.count) theta[p] = hyper.origin[p] + by;
                    else gp.noise_var = 0.3 * exp(by);
                    una_hyper_put(&hyper, theta, k);
                    assert_ok(una_gp_solve(&gp, 0, run), run);
                    if (side == 0) up = gp.log_evidence;
                    if (p < hyper.count) theta[p] = hyper.origin[p];
                    gp.noise_var = 0.3;
                }
                assert_near(got[p], (up - gp.log_evidence) / (2 * h), 1e-5, 1e-4);
            }
        }
    una_run_free(run);
}

static void free_numbers(void **state)
{
    static const struct { const char *text; bool ard; size_t count; } cases[] = {
        { "rbf", true, 4 }, { "rbf", false, 2 }, { "2*rbf", false, 2 }, { "2*(3*rbf)", false, 2 },
        { "rbf + linear", true, 5 }, { "(rbf(on=a) + linear)*constant", false, 3 },
        { "3*(rbf(on=a) + linear)", false, 3 }, { "periodic(period=2)", true, 7 }, { "rbf(var=0, on=a)", true, 1 },
        { "2*rbf(var=0, on=a)", true, 2 }, { "rbf*rbf", false, 3 },
    };
    (void)state;
    una_run *run = quiet_run();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_hyper hyper;
        una_kernel *k = parsed(cases[i].text, &standard, run);
        assert_ok(una_hyper_init(&hyper, k, &(una_hyper_plan){ .ard = cases[i].ard }, &run->scratch), run);
        assert_int_equal(hyper.count, cases[i].count);
        assert_ok(una_hyper_init(&hyper, k, &(una_hyper_plan){ .fix_variances = true, .fix_lengths = true },
                                 &run->scratch), run);
        assert_int_equal(hyper.count, 0);
    }
    una_run_free(run);
}

/* ---- text and files ---------------------------------------------------------------------------------------------- */

static void text_reads_back(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (size_t e = 0; e < EXPRESSIONS; e++)
        for (int units = 0; units < 2; units++) {
            const una_kernel_inputs *inputs = units ? &own : &standard;
            una_kernel *k = parsed(expressions[e], inputs, run);
            double *x = invented(20 * 3, 8, 1, run), before[400], after[400];
            una_text text = una_text_in(&run->scratch);

            una_kernel_text(&text, k, inputs);
            una_kernel_matrix(k, x, 20, x, 20, 3, before);
            una_kernel_matrix(parsed(text.at, inputs, run), x, 20, x, 20, 3, after);
            assert_arrays_near(after, before, 400, 1e-12, 1e-14);
        }
    una_run_free(run);
}

/* A name with both sorts of quotes in it reads back, too. */
static void names_with_quotes_read_back(void **state)
{
    (void)state;
    static const char *const two[] = { "a", "5' 10\"" };
    una_kernel_inputs inputs = { two, NULL, NULL, 2, false };
    una_run *run = quiet_run();
    una_kernel *k = parsed("rbf(on=\"5' 10\"\"\", length=2)", &inputs, run);
    una_text text = una_text_in(&run->scratch);
    una_kernel_text(&text, k, &inputs);
    assert_int_equal(parsed(text.at, &inputs, run)->input[0], 1);
    una_run_free(run);
}

static void exchanged(una_kernel **kernel, una_kernel *given, size_t inputs, una_status wanted, una_run *run)
{
    una_archive save, load;
    assert_ok(una_archive_save_begin(&save, "{}", &run->scratch, run), run);
    save.inputs = 3;
    assert_ok(una_kernel_exchange(&given, &save), run);
    assert_ok(una_archive_save_end(&save), run);
    assert_ok(una_archive_load_begin(&load, save.bytes, save.size, "memory", NULL, &run->scratch, run), run);
    load.inputs = inputs;
    *kernel = NULL;
    assert_status(una_kernel_exchange(kernel, &load), wanted, run);
}

static void files_of_kernels(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_kernel *copy;
    for (size_t e = 0; e < EXPRESSIONS; e++) {
        una_kernel *k = parsed(expressions[e], &own, run);
        double *x = invented(20 * 3, 8, 1, run), before[400], after[400];
        exchanged(&copy, k, 3, UNA_OK, run);
        una_kernel_matrix(k, x, 20, x, 20, 3, before);
        una_kernel_matrix(copy, x, 20, x, 20, 3, after);
        assert_memory_equal(before, after, sizeof before);
    }

    una_kernel *k = parsed("rbf + linear(on=a)", &own, run);
    exchanged(&copy, k, 2, UNA_E_INPUT, run);
    assert_says(una_run_message(run), "input that does not exist");

    const una_kernel_op rbf = k->op[0], join = k->op[2];
    k->op[0].code = UNA_KERNEL_ADD;                                     /* nothing to add yet */
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no covariance");
    k->op[0] = rbf;
    k->op[2] = rbf;                                                     /* two values are left */
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    k->op[2] = join;
    k->op[2].count = 1;
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    k->op[2] = join;
    k->op[0].count = 9;
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    k->op[0] = rbf;
    k->op[0].parameter = 6;
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    k->op[0] = rbf;
    k->op[0].code = UNA_KERNEL_CONSTANT;
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    k->op[0] = rbf;

    k->parameter[2] = 0;                                                /* a length */
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    assert_says(una_run_message(run), "out of its range");
    k->parameter[2] = 1;
    k->parameter[0] = -1;
    exchanged(&copy, k, 3, UNA_E_INPUT, run);
    una_run_free(run);
}

/* ---- closed forms ------------------------------------------------------------------------------------------------ */

/* One row with A = v + s2: the mean is (k/A) y and the variance v - k^2/A. */
static void one_row(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = { .noise_var = 0.25 };
    const double x[3] = { 0.5, 0, 0 }, y = 2, star[3] = { 1.5, 0, 0 };
    double mean, var, k = 1.5 * exp(-0.5), a = 1.75, dmean[3], dvar[3];

    assert_ok(una_gp_init(&gp, parsed("rbf(var=1.5)", &standard, run), (una_gp_rows){ { x, 1, 3, 3 }, &y, NULL },
                          &run->scratch), run);
    assert_ok(una_gp_solve(&gp, 0, run), run);
    assert_ok(una_gp_predict(&gp, (una_view){ star, 1, 3, 3 }, &mean, &var, run), run);
    assert_near(mean, k / a * y, 1e-14, 0);
    assert_near(var, 1.5 - k * k / a, 1e-14, 0);
    assert_near(gp.log_evidence, -0.5 * y * y / a - 0.5 * log(a) - 0.5 * log(2 * acos(-1)), 1e-14, 0);
    assert_near(una_gp_prior_mean_var(&gp), 1.5, 1e-15, 0);

    assert_ok(una_gp_slope(&gp, star, &mean, &var, dmean, dvar, run), run);
    assert_near(dmean[0], -k / a * y, 1e-13, 0);
    assert_near(dvar[0], 2 * k * k / a, 1e-13, 0);
    assert_near(dmean[1], 0, 0, 0);

    una_run_free(run);
}

/* A linear kernel is Bayesian linear regression through the origin: slope variance 1/(1/v + x'x/s2). */
static void linear_regression(void **state)
{
    enum { ROWS = 70 };
    static const char *const one[] = { "x" };
    (void)state;
    una_run *run = quiet_run();
    una_kernel *k = NULL;
    una_gp gp = { .noise_var = 0.09 };
    double *x = invented(ROWS, 11, 1, run), *y = invented(ROWS, 12, 0.3, run), xx = 0, xy = 0, star = 1.7, mean, var;

    for (size_t i = 0; i < ROWS; i++) y[i] += 2 * x[i], xx += x[i] * x[i], xy += x[i] * y[i];
    una_kernel_inputs single = { .name = one, .count = 1 };
    assert_ok(una_kernel_parse(&k, "4*linear", &single, &run->scratch, run), run);
    assert_ok(una_gp_init(&gp, k, (una_gp_rows){ { x, ROWS, 1, 1 }, y, NULL }, &run->scratch), run);
    assert_ok(una_gp_solve(&gp, 0, run), run);
    assert_ok(una_gp_predict(&gp, (una_view){ &star, 1, 1, 1 }, &mean, &var, run), run);

    double v = 1 / (1 / 4.0 + xx / 0.09), m = v * xy / 0.09;
    assert_near(mean, m * star, 1e-10, 0);
    assert_near(var, v * star * star, 1e-8, 0);

    double dmean, dvar;
    assert_ok(una_gp_slope(&gp, &star, &mean, &var, &dmean, &dvar, run), run);
    assert_near(dmean, m, 1e-9, 0);
    assert_near(dvar, 2 * v * star, 1e-7, 0);
    una_run_free(run);
}

static void slopes_against_differences(void **state)
{
    const double h = 1e-4;
    (void)state;
    una_run *run = quiet_run();
    for (size_t e = 0; e < EXPRESSIONS; e++) {
        una_gp gp = made(parsed(expressions[e], &own, run), 90, 0.2, run);
        double x[3] = { 0.3, -0.2, 0.9 }, dmean[3], dvar[3], at_mean, at_var, mean_at_x, var_at_x;
        assert_ok(una_gp_solve(&gp, 0, run), run);
        assert_ok(una_gp_slope(&gp, x, &at_mean, &at_var, dmean, dvar, run), run);
        assert_ok(una_gp_predict(&gp, (una_view){ x, 1, 3, 3 }, &mean_at_x, &var_at_x, run), run);
        assert_near(at_mean, mean_at_x, 1e-12, 1e-14);
        assert_near(at_var, var_at_x, 1e-10, 1e-13);

        for (size_t d = 0; d < 3; d++) {
            double both[6] = { x[0], x[1], x[2], x[0], x[1], x[2] }, mean[2], var[2];
            both[d] += h;
            both[3 + d] -= h;
            assert_ok(una_gp_predict(&gp, (una_view){ both, 2, 3, 3 }, mean, var, run), run);
            assert_near(dmean[d], (mean[0] - mean[1]) / (2 * h), 1e-4, 1e-5);
            assert_near(dvar[d], (var[0] - var[1]) / (2 * h), 1e-4, 1e-5);
        }
    }
    una_run_free(run);
}

/* ---- rows and threads -------------------------------------------------------------------------------------------- */

static void one_by_one_and_threads(void **state)
{
    enum { ROWS = 200, STARS = 150 };
    (void)state;
    una_run *run = quiet_run(), *wide = quiet_run_threads(3);
    una_gp gp = made(parsed("rbf(length=2) + 0.3*matern32", &standard, run), ROWS, 0.1, run);
    double *x = invented(STARS * 3, 13, 2, run), mean[STARS], var[STARS], again[STARS], only[STARS], m, v;

    assert_ok(una_gp_solve(&gp, 0, run), run);
    double evidence = gp.log_evidence;
    assert_ok(una_gp_predict(&gp, (una_view){ x, STARS, 3, 3 }, mean, var, run), run);

    assert_ok(una_gp_solve(&gp, 0, wide), wide);
    assert_true(evidence == gp.log_evidence);
    assert_ok(una_gp_predict(&gp, (una_view){ x, STARS, 3, 3 }, again, NULL, wide), wide);
    assert_ok(una_gp_predict(&gp, (una_view){ x, STARS, 3, 3 }, NULL, only, wide), wide);
    assert_memory_equal(mean, again, sizeof mean);
    assert_memory_equal(var, only, sizeof var);

    for (size_t i = 0; i < STARS; i++) {
        assert_ok(una_gp_predict(&gp, (una_view){ x + 3 * i, 1, 3, 3 }, &m, &v, run), run);
        assert_true(m == mean[i] && v == var[i]);
        assert_true(v > 0 && v < 1.3);
    }
    una_run_free(run);
    una_run_free(wide);
}

static void appended_rows(void **state)
{
    enum { ROWS = 180 };
    (void)state;
    una_run *run = quiet_run();
    una_kernel *k = parsed("matern52(length=1.5)", &standard, run);
    una_gp all = made(k, ROWS, 0.05, run), some = { .noise_var = 0.05 };

    assert_ok(una_gp_solve(&all, 0, run), run);
    assert_ok(una_gp_init(&some, k, (una_gp_rows){ { all.x, 100, 3, 3 }, all.y, NULL }, &run->scratch), run);
    assert_ok(una_gp_solve(&some, 0, run), run);
    for (size_t from = 100, step = 1; from < ROWS; from += step, step += 3) {
        if (step > ROWS - from) step = ROWS - from;
        assert_ok(una_gp_append(&some, (una_gp_rows){ { all.x + 3 * from, step, 3, 3 }, all.y + from, NULL },
                                &run->scratch, run), run);
    }

    assert_int_equal(some.rows, ROWS);
    assert_true(some.log_evidence == all.log_evidence);                /* the bits of a factor of all rows */
    assert_memory_equal(some.alpha, all.alpha, ROWS * sizeof(double));

    const double huge = 1e300, before = some.log_evidence;
    assert_status(una_gp_append(&some, (una_gp_rows){ { all.x, 1, 3, 3 }, &huge, NULL }, &run->scratch,
                                run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "too large");
    assert_true(some.rows == ROWS && some.log_evidence == before);
    assert_memory_equal(some.alpha, all.alpha, ROWS * sizeof(double));
    una_run_free(run);
}

static void jitter_and_memory(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = made(parsed("rbf(length=50, var=2)", &standard, run), 60, 1e-30, run);
    assert_status(una_gp_solve(&gp, 0, run), UNA_E_NUMERIC, run);
    assert_ok(una_gp_solve_jittered(&gp, run), run);
    assert_true(gp.jitter_var > 0 && gp.jitter_var <= 2e-4);
    assert_string_equal(una_run_message(run), "");

    gp.kernel = parsed("constant(var=1e300)*constant(var=1e300)", &standard, run);
    assert_status(una_gp_solve_jittered(&gp, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "raise noise_std");

    assert_status(una_gp_memory(10000000, 2, run), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "10000000 rows");
    assert_says(una_run_message(run), "MB are allowed");
    una_run_free(run);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

static void joint_draws(void **state)
{
    enum { STARS = 70, DRAWS = 3000 };
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = made(parsed("rbf(length=1.5)", &standard, run), 40, 0.1, run);
    double *x = invented(STARS * 3, 14, 1, run), mean[STARS], var[STARS];
    double *f = UNA_GET(&run->scratch, double, STARS * DRAWS), first[STARS];
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0), again = rng;
    for (size_t d = 0; d < 3; d++) x[3 * 69 + d] = x[d];                /* the same place twice: the same value twice */

    assert_ok(una_gp_solve(&gp, 0, run), run);
    assert_ok(una_gp_predict(&gp, (una_view){ x, STARS, 3, 3 }, mean, var, run), run);
    assert_ok(una_gp_draw(&gp, (una_view){ x, STARS, 3, 3 }, DRAWS, &rng, f, run), run);

    for (size_t i = 0; i < STARS; i += 23) {
        double sum = 0, square = 0;
        for (size_t s = 0; s < DRAWS; s++) sum += f[s * STARS + i], square += pow(f[s * STARS + i] - mean[i], 2);
        assert_near(sum / DRAWS, mean[i], 0, 5 * sqrt(var[i] / DRAWS));
        assert_near(square / DRAWS, var[i], 0.15, 0);
    }
    for (size_t s = 0; s < DRAWS; s++) assert_near(f[s * STARS], f[s * STARS + 69], 0, 1e-3);

    assert_ok(una_gp_draw(&gp, (una_view){ x, STARS, 3, 3 }, 1, &again, first, run), run);
    assert_memory_equal(first, f, sizeof first);
    assert_ok(una_gp_draw(&gp, (una_view){ x, 0, 3, 3 }, 1, &again, first, run), run);
    una_run_free(run);
}

/* Ranks of the truth at a new place, within the 99 % band. */
static void calibration(void **state)
{
    enum { ROWS = 12, DRAWS = 49, REPLICATES = 500 };
    size_t count[DRAWS + 1] = {0};
    (void)state;
    una_run *run = quiet_run();
    una_kernel *k = parsed("1.5*rbf(length=[1, 2, 1.5])", &standard, run);

    for (size_t r = 0; r < REPLICATES; r++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_rng rng = una_rng_at(40, UNA_FOR_TEST, r);
        una_gp gp = { .noise_var = 0.2 };
        double *x = invented((ROWS + 1) * 3, 1000 + r, 1, run), f[ROWS + 1], y[ROWS], draws[DRAWS];
        assert_ok(una_gp_prior_draws(k, (una_view){ x, ROWS + 1, 3, 3 }, 1, &rng, f, NULL, run), run);
        for (size_t i = 0; i < ROWS; i++) y[i] = f[i] + sqrt(0.2) * una_rng_normal(&rng);
        assert_ok(una_gp_init(&gp, k, (una_gp_rows){ { x, ROWS, 3, 3 }, y, NULL }, &run->scratch), run);
        assert_ok(una_gp_solve(&gp, 0, run), run);
        assert_ok(una_gp_draw(&gp, (una_view){ x + 3 * ROWS, 1, 3, 3 }, DRAWS, &rng, draws, run), run);

        size_t rank = 0;
        for (size_t s = 0; s < DRAWS; s++) rank += draws[s] < f[ROWS];
        count[rank]++;
        una_arena_release(&run->scratch, mark);
    }

    double band = ranks_band(REPLICATES, 0.01), worst = ranks_off(count, DRAWS + 1);
    print_message("%d replicates: the ranks are off by at most %.3f, the 99 %% band is %.3f\n", REPLICATES, worst,
                  band);
    assert_true(worst < band);
    una_run_free(run);
}

static una_status everything(void *context, una_run *run)
{
    una_kernel *k;
    una_gp gp = { .noise_var = 0.1 };
    double x[30], y[10], inverse[64 * 10], gradient[8], f[20];
    una_hyper hyper;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 1);
    (void)context;
    for (int i = 0; i < 30; i++) x[i] = sin(i);
    for (int i = 0; i < 10; i++) y[i] = cos(i);

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_kernel_parse(&k, "rbf + linear", &standard, &run->scratch, run);
    if (status == UNA_OK) status = una_hyper_init(&hyper, k, &(una_hyper_plan){ .ard = true }, &run->scratch);
    if (status == UNA_OK) status = una_gp_init(&gp, k, (una_gp_rows){ { x, 8, 3, 3 }, y, NULL }, &run->scratch);
    if (status == UNA_OK) status = una_gp_solve(&gp, 0, run);
    if (status == UNA_OK) status = una_gp_gradient(&gp, &hyper, inverse, gradient, run);
    if (status == UNA_OK) status = una_gp_append(&gp, (una_gp_rows){ { x + 24, 2, 3, 3 }, y + 8, NULL }, &run->scratch,
                                                 run);
    if (status == UNA_OK) status = una_gp_draw(&gp, (una_view){ x, 10, 3, 3 }, 2, &rng, f, run);
    if (status == UNA_OK) status = una_gp_slope(&gp, x, f, f + 1, f + 3, f + 6, run);

    una_arena_release(&run->scratch, mark);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(everything, NULL) >= 4);
}

/* What a file makes una take beyond its bytes is counted for a run, until it is dropped, unless a limit was chosen. */
static void files_of_many_rows(void **state)
{
    enum { ROWS = 9000 };
    (void)state;
    una_run *run = NULL;
    const una_run_settings settings = { .size = sizeof settings, .threads = 1 };
    assert_ok(una_run_new(&run, &settings), run);
    una_deferred one = {0}, two = {0};
    assert_ok(una_deferred_init(&one, &run->scratch), run);
    assert_ok(una_deferred_init(&two, &run->scratch), run);
    assert_true(una_deferred_charge(&one, 64e6, 1e6) && one.charged == 0);
    assert_true(una_deferred_charge(&one, 300e6, 1e6) && one.charged == 236000000);
    assert_true(!una_deferred_charge(&two, 400e6, 1e6) && two.charged == 0);
    assert_true(!una_deferred_charge(&two, HUGE_VAL, 1e6) && !una_deferred_charge(&two, 1e300, 1));
    una_deferred_drop(&one);
    assert_true(una_deferred_charge(&two, 400e6, 1e6));
    una_deferred_drop(&two);
    assert_true(run->unearned == 0);

    una_kernel *kernel = NULL;
    const char *const name = "x";
    const una_kernel_inputs inputs = { &name, NULL, NULL, 1, false };
    assert_ok(una_kernel_parse(&kernel, "rbf", &inputs, &run->scratch, run), run);
    double *x = UNA_GET(&run->scratch, double, ROWS), at = 1, y = 2, mean;
    una_gp gp = { .kernel = kernel, .noise_var = 0.1, .rows = ROWS, .inputs = 1, .x = x,
                  .y = UNA_GET(&run->scratch, double, ROWS) };
    assert_ok(una_gp_defer(&gp, &run->scratch), run);
    assert_status(una_gp_predict(&gp, (una_view){ &at, 1, 1, 1 }, &mean, NULL, run), UNA_E_MEMORY, run);
    assert_status(una_gp_append(&gp, (una_gp_rows){ { &at, 1, 1, 1 }, &y, NULL }, &run->scratch, run), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "9001 rows in the model file");
    assert_true(gp.rows == ROWS && run->unearned == 0);
    una_run_free(run);

    const una_run_settings chosen = { .size = sizeof chosen, .threads = 1, .memory_limit = 1000000000 };
    assert_ok(una_run_new(&run, &chosen), run);
    assert_ok(una_deferred_init(&one, &run->scratch), run);
    assert_true(una_deferred_charge(&one, 1e12, 1));     /* the limit itself says no, where it is asked for */
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_many_rows),
        cmocka_unit_test(slots),
        cmocka_unit_test(pairs_agree_with_the_program),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(evidence_gradient),
        cmocka_unit_test(free_numbers),
        cmocka_unit_test(text_reads_back), cmocka_unit_test(names_with_quotes_read_back),
        cmocka_unit_test(files_of_kernels),
        cmocka_unit_test(one_row),
        cmocka_unit_test(linear_regression),
        cmocka_unit_test(slopes_against_differences),
        cmocka_unit_test(one_by_one_and_threads),
        cmocka_unit_test(appended_rows),
        cmocka_unit_test(jitter_and_memory),
        cmocka_unit_test(joint_draws),
        cmocka_unit_test(calibration),
        cmocka_unit_test(allocations_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
