/* SPDX-License-Identifier: MIT
 *
 * Scores and quantiles of mixtures of Gaussians: one part is the Gaussian, the CRPS is that of its defining integral,
 * quantiles invert the distribution function, also where it is flat; weights are ratios, and count as copies would.
 */
#include "la/la.h"
#include "la/mixture.h"
#include "score/score.h"
#include "test_support.h"

enum { MOST = 2000 };

/* Means with the given spread, stds in [narrow, narrow * ratio]. */
static void make_parts(double *mean, double *var, size_t parts, double spread, double narrow, double ratio,
                       uint64_t key)
{
    una_rng rng = una_rng_at(11, UNA_FOR_TEST, key);
    for (size_t m = 0; m < parts; m++) {
        double std = narrow * pow(ratio, una_rng_uniform(&rng));
        mean[m] = spread * una_rng_normal(&rng);
        var[m] = std * std;
    }
}

/* Weights that differ by up to a thousandfold and add up to 1. */
static void make_weights(double *weight, size_t parts, uint64_t key)
{
    una_rng rng = una_rng_at(12, UNA_FOR_TEST, key);
    double sum = 0;
    for (size_t m = 0; m < parts; m++) sum += weight[m] = pow(1000, una_rng_uniform(&rng));
    for (size_t m = 0; m < parts; m++) weight[m] /= sum;
}

/* F, written out once more; weights that add up to 1, or none. */
static double share(const double *weight, size_t m, size_t parts)
{
    return weight ? weight[m] : 1 / (double)parts;
}

static double cdf_by_erfc(double t, const double *mean, const double *var, const double *weight, size_t parts)
{
    double sum = 0;
    for (size_t m = 0; m < parts; m++) sum += share(weight, m, parts) * 0.5 * erfc((mean[m] - t) / sqrt(2 * var[m]));
    return sum;
}

static double square_gap(double t, double target, const double *mean, const double *var, const double *weight,
                         size_t parts)
{
    double f = cdf_by_erfc(t, mean, var, weight, parts);
    return t < target ? f * f : (1 - f) * (1 - f);
}

/* Simpson's rule on [from, to], which lies above y or below it. */
static double simpson(double from, double to, size_t pieces, bool above, const double *mean, const double *var,
                      const double *weight, size_t parts)
{
    double h = (to - from) / (2 * (double)pieces), sum = 0, y = above ? from : HUGE_VAL;
    for (size_t i = 0; i <= 2 * pieces; i++) {
        double t = i == 2 * pieces ? to : from + (double)i * h;
        sum += (i == 0 || i == 2 * pieces ? 1 : i % 2 ? 4 : 2) * square_gap(t, y, mean, var, weight, parts);
    }
    return sum * h / 3;
}

static double crps_by_integral(double y, const double *mean, const double *var, const double *weight, size_t parts)
{
    double low = y, high = y;
    for (size_t m = 0; m < parts; m++) {
        low = fmin(low, mean[m] - 9 * sqrt(var[m]));
        high = fmax(high, mean[m] + 9 * sqrt(var[m]));
    }
    return simpson(low, y, 4000, false, mean, var, weight, parts) +
           simpson(y, high, 4000, true, mean, var, weight, parts);
}

/* The closed form, written out once more and without its symmetry. */
static double size_of(double m, double v)
{
    return m * erf(m / sqrt(2 * v)) + sqrt(2 * v / acos(-1)) * exp(-m * m / (2 * v));
}

static double crps_by_pairs(double y, const double *mean, const double *var, const double *weight, size_t parts)
{
    double near = 0, far = 0;
    for (size_t m = 0; m < parts; m++) {
        double own = share(weight, m, parts);
        near += own * size_of(y - mean[m], var[m]);
        for (size_t k = 0; k < parts; k++)
            far += own * share(weight, k, parts) * size_of(mean[m] - mean[k], var[m] + var[k]);
    }
    return near - far / 2;
}

static void one_part_is_the_gaussian(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    double y[ROWS], mean[ROWS], epistemic[ROWS], noise[ROWS], var[ROWS];
    una_run *run = quiet_run();
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);

    for (size_t i = 0; i < ROWS; i++) {
        y[i] = 10 * una_rng_normal(&rng), mean[i] = 10 * una_rng_normal(&rng);
        epistemic[i] = 8 * una_rng_uniform(&rng), noise[i] = 0.1 + 5 * una_rng_uniform(&rng);
        var[i] = epistemic[i] * epistemic[i] + noise[i] * noise[i];
    }

    una_score gaussian = UNA_INIT(una_score), mixture = UNA_INIT(una_score);
    una_score_sums sums = {0};
    assert_ok(una_score_gaussian(&gaussian, y, mean, epistemic, noise, ROWS, run), run);
    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y, epistemic, noise, 0, NULL, { mean, var, NULL, 1, false } },
                                    run), run);
    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y, epistemic, noise, ROWS, NULL, { mean, var, NULL, 1, false } },
                                    run), run);
    assert_ok(una_score_finish(&mixture, &sums, run), run);

    assert_int_equal(mixture.rows, ROWS);
    assert_near(mixture.rmse, gaussian.rmse, 1e-12, 0);
    assert_near(mixture.log_lik, gaussian.log_lik, 1e-12, 0);
    assert_near(mixture.crps, gaussian.crps, 1e-12, 0);
    assert_near(mixture.coverage_50, gaussian.coverage_50, 0, 0);
    assert_near(mixture.coverage_90, gaussian.coverage_90, 0, 0);
    assert_near(mixture.coverage_95, gaussian.coverage_95, 0, 0);
    assert_near(mixture.calibration_error, gaussian.calibration_error, 1e-12, 0);
    assert_near(mixture.mean_std_epistemic, gaussian.mean_std_epistemic, 1e-12, 0);
    assert_near(mixture.mean_std_noise, gaussian.mean_std_noise, 1e-12, 0);
    una_run_free(run);
}

/* y = 0 between N(-2, 1) and N(2, 1): error 0, density phi(2), F = 1/2. The Gaussian of equal
 * moments would say other. */
static void two_parts_by_hand(void **state)
{
    (void)state;
    const double mean[] = { -2, 2, -2, 2 }, var[] = { 1, 1, 1, 1 }, y[] = { 0, 4 }, epistemic[] = { 2, 2 };
    const double noise[] = { 1, 1 };
    una_run *run = quiet_run();
    una_score_sums sums = {0};
    una_score score = UNA_INIT(una_score);

    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y, epistemic, noise, 1, NULL, { mean, var, NULL, 2, false } },
                                    run), run);
    assert_ok(una_score_finish(&score, &sums, run), run);
    assert_near(score.rmse, 0, 0, 1e-15);
    assert_near(score.log_lik, -0.5 * log(2 * acos(-1)) - 2, 1e-14, 0);
    assert_near(score.coverage_50, 1, 0, 0);

    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ y + 1, epistemic + 1, noise + 1, 1, NULL, { mean + 2, var + 2, NULL, 2, false } },
                                    run), run);
    assert_ok(una_score_finish(&score, &sums, run), run);
    /* F(4) = (Phi(6) + Phi(2))/2 = 0.98862: outside 95 %, and outside every narrower band. */
    assert_near(score.coverage_95, 0.5, 0, 0);
    assert_near(score.rmse, sqrt(8), 1e-14, 0);
    assert_near(score.mean_std_epistemic, 2, 1e-15, 0);
    una_run_free(run);
}

static void log_density_far_away(void **state)
{
    (void)state;
    const double mean[] = { 0, 1 }, var[] = { 1, 1 };
    double wanted = -0.5 * log(2 * acos(-1)) - 0.5 * 99 * 99 - log(2);       /* the far part adds exp(-99.5) */
    assert_near(una_mixture_log_pdf(100, mean, var, NULL, 2), wanted, 1e-14, 0);
    assert_near(una_mixture_cdf(0.5, mean, var, NULL, 2), 0.5, 1e-15, 0);
}

static void crps_is_its_integral(void **state)
{
    (void)state;
    static double mean[MOST], var[MOST], some[MOST];
    static const size_t parts[] = { 1, 2, 7, 64 };
    static const double at[] = { -4, -0.3, 0, 1.7, 30 };
    una_run *run = quiet_run();

    for (size_t i = 0; i < 8; i++) {
        size_t n = parts[i / 2];
        const double *weight = i % 2 ? some : NULL;
        make_parts(mean, var, n, 1.5, 0.2, 10, i / 2);
        make_weights(some, n, i);
        for (size_t k = 0; k < 5; k++) {
            double crps = NAN;
            assert_ok(una_crps(&crps, at[k], &(una_mixture){ mean, var, weight, n, false }, run), run);
            assert_near(crps, crps_by_integral(at[k], mean, var, weight, n), 1e-8, 0);
            assert_near(crps, crps_by_pairs(at[k], mean, var, weight, n), 1e-12, 0);
        }
    }
    una_run_free(run);
}

/* Above 64 parts the integral of F (1 - F) takes over, or does not where stds are too unlike:
 * always the same number. */
static void many_parts_are_the_closed_form(void **state)
{
    (void)state;
    static double mean[MOST], var[MOST], some[MOST];
    static const struct { size_t parts; double spread, narrow, ratio; } cases[] = {
        { 65, 1, 0.5, 1 }, { 65, 0, 1, 1 }, { 100, 3, 0.1, 1.2 }, { 300, 1, 0.3, 4 }, { 1000, 100, 1, 3 },
        { 1000, 0.01, 5, 1 }, { 70, 1, 1e-3, 100 }, { 80, 1, 1e-8, 1 }, { 80, 1e6, 1e-200, 1 },
    };
    una_run *run = quiet_run();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double crps = NAN, y = 0.7 * cases[i].spread + 0.2 * cases[i].narrow;
        make_parts(mean, var, cases[i].parts, cases[i].spread, cases[i].narrow, cases[i].ratio, 50 + i);
        if (cases[i].narrow < 1e-100) for (size_t m = 0; m < cases[i].parts; m++) var[m] = 1e-300;
        make_weights(some, cases[i].parts, i);
        for (int weighted = 0; weighted <= 1; weighted++) {
            const double *weight = weighted ? some : NULL;
            assert_ok(una_crps(&crps, y, &(una_mixture){ mean, var, weight, cases[i].parts, false }, run), run);
            assert_near(crps, crps_by_pairs(y, mean, var, weight, cases[i].parts), 1e-8, 1e-9 * cases[i].narrow);
        }
    }
    una_run_free(run);
}

static void quantiles_invert(void **state)
{
    (void)state;
    static double mean[MOST], var[MOST], some[MOST];
    static const size_t parts[] = { 1, 2, 5, 100 };
    static const double ratio[] = { 1, 3, 1e4 }, spread[] = { 0, 1, 50 };
    static const double level[] = { 1e-12, 1e-3, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999 };

    for (size_t i = 0; i < 2 * 4 * 3 * 3 * 8; i++) {
        size_t n = parts[i % 4];
        double p = level[i / 36 % 8], s = spread[i / 4 % 3];
        const double *weight = i / 288 ? some : NULL;
        make_weights(some, n, i);
        make_parts(mean, var, n, s, 0.01, ratio[i / 12 % 3], i);
        double t = una_mixture_quantile(p, mean, var, weight, n), below = una_mixture_cdf(t, mean, var, weight, n);
        double narrow = HUGE_VAL, slope = exp(una_mixture_log_pdf(t, mean, var, weight, n));
        for (size_t m = 0; m < n; m++) narrow = fmin(narrow, sqrt(var[m]));

        /* t to 1e-10: the probability may be off by that times the density, and by rounding. */
        assert_near(below, p, 1e-13, slope * 1e-10 * (fabs(t) + narrow) + 2e-16);
    }
}

static void quantiles_of_one_part(void **state)
{
    (void)state;
    static const double mean[] = { 3, 3, 3 }, var[] = { 4, 4, 4 };
    for (size_t parts = 1; parts <= 3; parts++) {
        assert_near(una_mixture_quantile(0.975, mean, var, NULL, parts), 3 + 2 * 1.959963984540054, 1e-14, 0);
        assert_near(una_mixture_quantile(0.025, mean, var, NULL, parts), 3 - 2 * 1.959963984540054, 1e-13, 0);
        assert_near(una_mixture_quantile(0.5, mean, var, NULL, parts), 3, 1e-15, 0);
    }
}

/* Symmetric, and flat between the parts: 2.5 % of all is 5 % of the left one; the median is anywhere between them. */
static void quantiles_between_far_parts(void **state)
{
    (void)state;
    static const double mean[] = { -1000, 1000 }, var[] = { 1, 1 };
    assert_near(una_mixture_quantile(0.025, mean, var, NULL, 2), -1000 + una_normal_quantile(0.05), 1e-13, 0);
    assert_near(una_mixture_quantile(0.975, mean, var, NULL, 2), 1000 + una_normal_quantile(0.95), 1e-13, 0);
    assert_near(una_mixture_quantile(0.5 - 1e-9, mean, var, NULL, 2), -1000 + una_normal_quantile(1 - 2e-9), 1e-10, 0);
    double middle = una_mixture_quantile(0.5, mean, var, NULL, 2);
    assert_near(una_mixture_cdf(middle, mean, var, NULL, 2), 0.5, 0, 1e-15);
}

/* Halving what lies between the outer parts would take 500 steps to come to the one in the middle. */
static void quantiles_between_parts_of_other_orders(void **state)
{
    (void)state;
    static const double mean[] = { -1e150, 5, 3e150 }, var[] = { 1, 4, 1 }, p[] = { 0.4, 0.5, 0.6 };
    for (size_t i = 0; i < 3; i++)
        assert_near(una_mixture_quantile(p[i], mean, var, NULL, 3), 5 + 2 * una_normal_quantile(3 * p[i] - 1), 1e-11, 0);
    assert_near(una_mixture_quantile(0.2, mean, var, NULL, 3), -1e150, 1e-12, 0);
    assert_near(una_mixture_quantile(0.8, mean, var, NULL, 3), 3e150, 1e-12, 0);
}

/* ---- weights ------------------------------------------------------------------------------------------------ */

/* The density is the slope of F: its integral from far below to t is F(t), which is a sum of weights times erfc. */
static void weighted_density_adds_up(void **state)
{
    (void)state;
    enum { PIECES = 20000 };
    double mean[5], var[5], weight[5];
    make_parts(mean, var, 5, 2, 0.3, 4, 7);
    make_weights(weight, 5, 7);
    for (double t = -3; t <= 3; t += 0.75) {
        double from = -20, h = (t - from) / (2 * PIECES), sum = 0;
        for (size_t i = 0; i <= 2 * PIECES; i++)
            sum += (i == 0 || i == 2 * PIECES ? 1 : i % 2 ? 4 : 2) *
                   exp(una_mixture_log_pdf(from + (double)i * h, mean, var, weight, 5));
        assert_near(sum * h / 3, cdf_by_erfc(t, mean, var, weight, 5), 1e-10, 1e-13);
        assert_near(una_mixture_cdf(t, mean, var, weight, 5), cdf_by_erfc(t, mean, var, weight, 5), 1e-13, 0);
    }
}

/* Ratios count, and ones are no weights to the last bit. */
static void weights_are_ratios(void **state)
{
    (void)state;
    static const double mean[] = { 0.2, -1, 3 }, var[] = { 1, 0.3, 2 }, ones[] = { 1, 1, 1 }, some[] = { 6, 3, 1.5 };
    static const double scaled[] = { 2e-5, 1e-5, 0.5e-5 }, third[] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 };
    una_run *run = quiet_run();
    for (double t = -2; t < 4; t += 0.37) {
        double crps[4];
        const double *weights[4] = { NULL, ones, some, scaled };
        for (size_t i = 0; i < 4; i++) assert_ok(una_crps(&crps[i], t, &(una_mixture){ mean, var, weights[i], 3, false },
                                                          run), run);
        assert_true(una_mixture_cdf(t, mean, var, ones, 3) == una_mixture_cdf(t, mean, var, NULL, 3));
        assert_true(una_mixture_log_pdf(t, mean, var, ones, 3) == una_mixture_log_pdf(t, mean, var, NULL, 3));
        assert_true(crps[0] == crps[1]);
        assert_near(crps[2], crps[3], 1e-13, 0);
        assert_near(una_mixture_cdf(t, mean, var, some, 3), una_mixture_cdf(t, mean, var, scaled, 3), 1e-14, 0);
        assert_near(una_mixture_log_pdf(t, mean, var, third, 3), una_mixture_log_pdf(t, mean, var, NULL, 3), 1e-14, 0);
    }
    for (double p = 0.01; p < 1; p += 0.07) {
        assert_true(una_mixture_quantile(p, mean, var, ones, 3) == una_mixture_quantile(p, mean, var, NULL, 3));
        assert_near(una_mixture_quantile(p, mean, var, some, 3), una_mixture_quantile(p, mean, var, scaled, 3), 1e-11,
                    1e-12);
    }
    una_run_free(run);
}

/* Two equal parts are one, however they share; a part of weight 3 is that part three times, in every score. */
static void weights_are_counts(void **state)
{
    (void)state;
    static const double mean[] = { 1, 1 }, var[] = { 4, 4 }, half[] = { 0.5, 0.5 }, skew[] = { 0.9, 0.1 };
    const double *weights[] = { half, skew };
    una_run *run = quiet_run();
    for (size_t i = 0; i < 2; i++) {
        double two, one;
        assert_ok(una_crps(&two, 2.5, &(una_mixture){ mean, var, weights[i], 2, false }, run), run);
        assert_ok(una_crps(&one, 2.5, &(una_mixture){ mean, var, NULL, 1, false }, run), run);
        assert_near(two, one, 1e-14, 0);
        assert_near(una_mixture_cdf(2.5, mean, var, weights[i], 2), una_normal_cdf(0.75), 1e-15, 0);
        assert_near(una_mixture_log_pdf(2.5, mean, var, weights[i], 2), una_mixture_log_pdf(2.5, mean, var, NULL, 1),
                    1e-14, 0);
        assert_near(una_mixture_quantile(0.975, mean, var, weights[i], 2), 1 + 2 * 1.959963984540054, 1e-13, 0);
    }

    enum { ROWS = 60 };
    double y[ROWS], few[2][2 * ROWS], many[2][4 * ROWS], std[ROWS];
    static const double weight[] = { 0.75, 0.25 };
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = 2 * sin(1.3 * (double)i);
        std[i] = 1;
        for (size_t m = 0; m < 4; m++) {
            size_t from = m == 3;
            few[0][2 * i + from] = many[0][4 * i + m] = from ? 1.5 : cos((double)i);
            few[1][2 * i + from] = many[1][4 * i + m] = from ? 0.2 : 1;
        }
    }
    una_score_sums a = {0}, b = {0};
    assert_ok(una_score_add_mixture(&a,
                                    &(una_scored_rows){ y, std, std, ROWS, NULL, { few[0], few[1], weight, 2, false } },
                                    run), run);
    assert_ok(una_score_add_mixture(&b,
                                    &(una_scored_rows){ y, std, std, ROWS, NULL, { many[0], many[1], NULL, 4, false } },
                                    run), run);
    assert_near(a.square, b.square, 1e-13, 0);
    assert_near(a.log_lik, b.log_lik, 1e-13, 0);
    assert_near(a.crps, b.crps, 1e-13, 0);
    assert_true(a.inside_50 == b.inside_50 && a.inside_90 == b.inside_90 && a.inside_95 == b.inside_95);
    assert_memory_equal(a.below, b.below, sizeof a.below);
    una_run_free(run);
}

/* A part that hardly counts moves nothing, except where there is nothing else. */
static void a_part_may_weigh_almost_nothing(void **state)
{
    (void)state;
    static const double mean[] = { 0, 1000 }, var[] = { 1, 1 }, weight[] = { 1 - 2e-12, 2e-12 };
    una_run *run = quiet_run();
    double crps, alone;
    assert_near(una_mixture_quantile(0.975, mean, var, weight, 2), 1.959963984540054, 1e-9, 0);
    assert_near(una_mixture_quantile(0.025, mean, var, weight, 2), -1.959963984540054, 1e-9, 0);
    assert_near(una_mixture_quantile(1 - 1e-12, mean, var, weight, 2), 1000, 1e-3, 0);
    assert_near(una_mixture_log_pdf(0, mean, var, weight, 2), -0.5 * log(2 * acos(-1)), 1e-11, 0);
    assert_near(una_mixture_log_pdf(1000, mean, var, weight, 2), log(2e-12) - 0.5 * log(2 * acos(-1)), 1e-13, 0);
    assert_ok(una_crps(&crps, 0.5, &(una_mixture){ mean, var, weight, 2, false }, run), run);
    assert_ok(una_crps(&alone, 0.5, &(una_mixture){ mean, var, NULL, 1, false }, run), run);
    assert_near(crps, alone, 1e-7, 0);
    una_run_free(run);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    static const double wrong[] = { 0, -1, NAN, HUGE_VAL }, fine[] = { 1, 1, 1, 1 };
    una_run *run = quiet_run();
    for (size_t i = 0; i < 4; i++) {
        una_score_sums sums = {0}, none = {0};
        double weight[] = { 0.5, wrong[i] };
        assert_status(una_score_add_mixture(&sums,
                                            &(una_scored_rows){ fine, fine, fine, 2, NULL, { fine, fine, weight, 2, false } },
                                            run), UNA_E_NUMERIC,
                      run);
        assert_says(una_run_message(run), "part 2 has the weight");
        assert_memory_equal(&sums, &none, sizeof sums);
    }
    una_run_free(run);
}

static void bad_rows_are_named_and_not_counted(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double fine[] = { 1, 1, 1, 1 };
    double y[] = { 0, 0 }, mean[] = { 0, 1, 0, 1 }, var[] = { 1, 1, 1, 1 }, epistemic[] = { 1, 1 }, noise[] = { 1, 1 };
    struct { double *where, wrong; una_status status; const char *says; } cases[] = {
        { &y[1], NAN, UNA_E_INPUT, "target" }, { &mean[3], HUGE_VAL, UNA_E_NUMERIC, "part 2" },
        { &var[2], 0, UNA_E_NUMERIC, "part 1" }, { &var[2], NAN, UNA_E_NUMERIC, "variance" },
        { &var[3], HUGE_VAL, UNA_E_NUMERIC, "variance" }, { &epistemic[1], -1, UNA_E_NUMERIC, "epistemic" },
        { &noise[1], NAN, UNA_E_NUMERIC, "noise" },
    };

    una_score_sums sums = {0};
    assert_ok(una_score_add_mixture(&sums,
                                    &(una_scored_rows){ fine, fine, fine, 2, NULL, { fine, fine, NULL, 2, false } },
                                    run), run);
    una_score_sums before = sums;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double kept = *cases[i].where;
        *cases[i].where = cases[i].wrong;
        assert_status(una_score_add_mixture(&sums,
                                            &(una_scored_rows){ y, epistemic, noise, 2, NULL, { mean, var, NULL, 2, false } },
                                            run), cases[i].status,
                      run);
        assert_says(una_run_message(run), "row 4 ");
        assert_says(una_run_message(run), cases[i].says);
        assert_memory_equal(&sums, &before, sizeof sums);
        *cases[i].where = kept;
    }

    assert_status(una_score_add_mixture(&sums,
                                        &(una_scored_rows){ y, epistemic, noise, 2, NULL, { mean, var, NULL, 0, false } },
                                        run), UNA_E_USAGE, run);
    una_run_free(run);
}

typedef struct table { double y[150], mean[150 * 70], var[150 * 70], epistemic[150], noise[150]; } table;

static void fill(table *t)
{
    make_parts(t->mean, t->var, 150 * 70, 1, 0.5, 1.2, 99);
    for (size_t i = 0; i < 150; i++) t->y[i] = sin((double)i), t->epistemic[i] = 1, t->noise[i] = 0.5;
}

static una_status job_score(void *context, una_run *run)
{
    const table *t = context;
    una_score_sums sums = {0};
    una_status status = una_score_add_mixture(&sums,
                                              &(una_scored_rows){ t->y, t->epistemic, t->noise, 150, NULL, { t->mean, t->var, NULL, 70, false } },
                                              run);
    if (status != UNA_OK) assert_int_equal(sums.rows, 0);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    assert_true(sweep_allocations(job_score, &t) > 2);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static table t;
    fill(&t);
    una_score_sums sums[2] = {0};
    for (int i = 0; i < 2; i++) {
        una_run *run = quiet_run_threads(i ? 4 : 1);
        assert_ok(una_score_add_mixture(&sums[i],
                                        &(una_scored_rows){ t.y, t.epistemic, t.noise, 150, NULL, { t.mean, t.var, NULL, 70, false } },
                                        run), run);
        una_run_free(run);
    }
    assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_is_the_gaussian),
        cmocka_unit_test(two_parts_by_hand),
        cmocka_unit_test(log_density_far_away),
        cmocka_unit_test(crps_is_its_integral),
        cmocka_unit_test(many_parts_are_the_closed_form),
        cmocka_unit_test(quantiles_invert),
        cmocka_unit_test(quantiles_of_one_part),
        cmocka_unit_test(quantiles_between_far_parts),
        cmocka_unit_test(quantiles_between_parts_of_other_orders),
        cmocka_unit_test(weighted_density_adds_up),
        cmocka_unit_test(weights_are_ratios),
        cmocka_unit_test(weights_are_counts),
        cmocka_unit_test(a_part_may_weigh_almost_nothing),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(bad_rows_are_named_and_not_counted),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(threads_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
