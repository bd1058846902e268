/* SPDX-License-Identifier: MIT
 *
 * Expected improvement against its integral, its logarithm against numbers of higher precision and against the slope it
 * must have, every acquisition's slopes against differences, mixtures against sums over their parts, and the test
 * functions at and around their published minima.
 */
#include "test_support.h"

#include "bo/acquisition.h"
#include "known_functions.h"

/* The logarithm of the expected improvement: the first of the table. */
static double log_ei(double mean, double std, double best)
{
    una_belief at = { mean, std, best, NULL, 0, 0 };
    return una_acquisitions[0].value(&at);
}

/* Simpson's rule for the integral of (best - f) N(f; mean, std^2) up to best. */
static double by_integral(double mean, double std, double best)
{
    enum { STEPS = 20000 };
    double low = fmin(best, mean) - 12 * std, h = (best - low) / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double f = low + h * i, z = (f - mean) / std;
        sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * (best - f) * exp(-0.5 * z * z);
    }
    return sum * h / 3 / (std * 2.50662827463100050242);
}

static void improvement_is_its_integral(void **state)
{
    (void)state;
    static const double mean[] = { -1, 0, 0.5, 2, 4 }, std[] = { 0.3, 1, 2.5 };
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 3; j++)
            assert_near(una_expected_improvement(mean[i], std[j], 0.4), by_integral(mean[i], std[j], 0.4), 1e-9, 1e-18);
}

static void nothing_left_to_learn(void **state)
{
    (void)state;
    assert_near(una_expected_improvement(1, 0, 3), 2, 0, 0);
    assert_near(una_expected_improvement(3, 0, 1), 0, 0, 0);
    assert_near(log_ei(1, 0, 3), log(2), 1e-15, 0);
    assert_true(log_ei(3, 0, 1) == -HUGE_VAL);
    assert_near(una_expected_improvement(-1e6, 1, 0), 1e6, 1e-12, 0);       /* a sure gain is that gain */
}

/* log h at numbers worked out with sixty digits. */
static void logarithm_in_the_tail(void **state)
{
    (void)state;
    static const struct { double z, truth; } at[] = {
        { -1e6, -500000000028.54995965 }, { -1000, -500014.73445209115845 }, { -40, -808.29856835661996024 },
        { -20, -206.91783850942509785 }, { -8, -37.122364261692633 }, { -5, -16.744301162660990143 },
        { -3.0001, -7.8700392977567784038 }, { -2.9999, -7.8693328302532364857 }, { -2, -4.7687835239171141569 },
        { -1, -2.4851210257126413368 }, { -0.5, -1.6205162643873199193 }, { 0, -0.91893853320467274178 },
        { 0.5, -0.35982768374506381859 }, { 3, 1.0987396653277077727 }, { 100, 4.605170185988091368 },
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_near(una_log_improvement(at[i].z), at[i].truth, 2e-15, 2e-14);
}

/* (log h)' = Phi/h: continuous and rising across the change of formula. */
static void logarithm_is_smooth(void **state)
{
    (void)state;
    double last = -HUGE_VAL;
    for (double z = -12; z < 4; z += 0.01) {
        double now = una_log_improvement(z), step = 1e-4;
        double slope = (una_log_improvement(z + step) - una_log_improvement(z - step)) / (2 * step);
        assert_true(now > last);
        assert_near(slope, 0.5 * erfc(-z / sqrt(2)) / exp(now), 1e-6, 0);
        last = now;
    }
}

static void logarithm_is_that_of_the_improvement(void **state)
{
    (void)state;
    for (double mean = -3; mean < 9; mean += 0.37)
        assert_near(log_ei(mean, 0.7, 0.1), log(una_expected_improvement(mean, 0.7, 0.1)), 1e-12,
                    1e-13);
    assert_true(una_expected_improvement(100, 1, 0) == 0); /* too small for a double, not for a logarithm */
    assert_true(log_ei(100, 1, 0) > log_ei(101, 1, 0));
    assert_true(isfinite(log_ei(1e8, 1e-3, 0)));
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static const una_acquisition *named(const char *spec, una_acquisition_options *options)
{
    const una_acquisition *a;
    una_run *run = quiet_run();
    assert_ok(una_acquisition_need_named(&a, options, spec, run), run);
    una_run_free(run);
    return a;
}

static double value_of(const una_acquisition *a, double mean, double std, double best,
                       const una_acquisition_options *o, double *dmean, double *dstd)
{
    una_belief at = { mean, std, best, o, NAN, NAN };
    double value = a->value(&at);
    *dmean = at.dmean;
    *dstd = at.dstd;
    return value;
}

/* Central differences, at steps that suit the place: log EI bends on the scale of std/|z|. */
static void slopes_are_differences(void **state)
{
    (void)state;
    static const double z[] = { -1000, -40, -12, -3.01, -2.99, -1, 0, 0.5, 3, 8, 40 }, std[] = { 1e-3, 0.4, 1, 50 };
    for (size_t k = 0; una_acquisitions[k].name; k++) {
        una_acquisition_options o;
        const una_acquisition *a = named(una_acquisitions[k].name, &o);
        assert_true((a->value == NULL) == (a->need == UNA_NEEDS_NOTHING));
        for (size_t i = 0; a->value && i < sizeof z / sizeof *z; i++)
            for (size_t j = 0; j < sizeof std / sizeof *std; j++) {
                double s = std[j], best = 0.3, mean = best - z[i] * s, h = 1e-4 * s / fmax(1, fabs(z[i]));
                double dm, ds, no[2];
                double value = value_of(a, mean, s, best, &o, &dm, &ds);
                double rise = value_of(a, mean + h, s, best, &o, &no[0], &no[1]) -
                              value_of(a, mean - h, s, best, &o, &no[0], &no[1]);
                double widen = value_of(a, mean, s + h, best, &o, &no[0], &no[1]) -
                               value_of(a, mean, s - h, best, &o, &no[0], &no[1]);
                double rounding = 1e-15 * (fabs(value) + fabs(mean)) / h;
                assert_true(isfinite(value));
                assert_near(rise / (2 * h), dm, 2e-6, rounding);
                assert_near(widen / (2 * h), ds, 2e-6, rounding + 1e-7 * fabs(dm));
            }
    }
}

static void ei_and_its_logarithm_agree(void **state)
{
    (void)state;
    una_acquisition_options o;
    const una_acquisition *ei = named("ei", &o), *log_ei = named("log_ei", &o), *noisy = named("noisy_ei", &o);
    assert_true(!ei->is_log && log_ei->is_log && noisy->is_log);
    assert_near(o.draws, 16, 0, 0);
    for (double mean = -4; mean < 20; mean += 0.173) {
        double a[3], b[3], c[3];
        a[0] = value_of(ei, mean, 0.6, 0.1, &o, &a[1], &a[2]);
        b[0] = value_of(log_ei, mean, 0.6, 0.1, &o, &b[1], &b[2]);
        c[0] = value_of(noisy, mean, 0.6, 0.1, &o, &c[1], &c[2]);
        assert_near(exp(b[0]), a[0], 1e-11, 0);
        assert_near(a[0] * b[1], a[1], 1e-11, 0);                        /* EI' = EI (log EI)' */
        assert_near(a[0] * b[2], a[2], 1e-11, 0);
        assert_memory_equal(b, c, sizeof b);
    }
}

static void nothing_left_to_learn_in_the_table(void **state)
{
    (void)state;
    for (size_t k = 0; una_acquisitions[k].name; k++) {
        una_acquisition_options o;
        double dmean, dstd;
        const una_acquisition *a = named(una_acquisitions[k].name, &o);
        if (!a->value) continue;
        double good = value_of(a, 1, 0, 3, &o, &dmean, &dstd);
        assert_true(isfinite(good) && isfinite(dmean) && isfinite(dstd) && dmean <= 0);
        if (strstr("log_ei noisy_ei ucb thompson", a->name)) assert_true(dmean < 0);
        double bad = value_of(a, 4, 0, 3, &o, &dmean, &dstd);
        assert_true(bad < good && !isnan(bad) && isfinite(dmean) && isfinite(dstd));
        if (strcmp(a->name, "ei") == 0) assert_true(good == 2 && bad == 0);
        if (strcmp(a->name, "log_ei") == 0) assert_true(good == log(2) && bad == -HUGE_VAL);
    }
}

static void options_are_read_and_wrong_ones_named(void **state)
{
    (void)state;
    static const struct { const char *spec, *says; } wrong[] = {
        { "log_ie", "there is no acquisition 'log_ie'; did you mean 'log_ei'? There are: log_ei, ei" },
        { "zzzzzzzzzz", "acquisition 'zzzzzzzzzz'; there are: log_ei, ei, noisy_ei, ucb, thompson, quasi, random" },
        { "ucb(beta=-1)", "beta" }, { "ucb(beta=much)", "beta" }, { "ucb(bta=2)", "bta" }, { "ei(beta=2)", "beta" },
        { "noisy_ei(draws=0)", "draws" }, { "noisy_ei(draws=2.5)", "draws" }, { "ucb(beta=2", "ucb" }, { "", "" },
    };
    una_run *run = quiet_run();
    const una_acquisition *a;
    una_acquisition_options o;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(una_acquisition_need_named(&a, &o, wrong[i].spec, run), UNA_E_USAGE, run);
        assert_true(*una_run_message(run) != 0);
        assert_says(una_run_message(run), wrong[i].says);
    }
    assert_ok(una_acquisition_need_named(&a, &o, "ucb(beta=0.5)", run), run);
    assert_true(a->of_whole && o.beta == 0.5);
    assert_ok(una_acquisition_need_named(&a, &o, "ucb", run), run);
    assert_near(o.beta, 2, 0, 0);
    una_run_free(run);
}

/* ---- mixtures -------------------------------------------------------------------------------------------------- */

enum { PARTS = 3, ALONG = 2 };

/* Means and stds that move along two inputs, so that slopes of the mixture can be compared with differences. */
static double mixture_at(const una_acquisition *a, const una_acquisition_options *o, const double u[ALONG], double up,
                         double *slope)
{
    static const double weight[PARTS] = { 0.5, 0.3, 0.2 };
    double mean[PARTS], std[PARTS], dmean[PARTS * ALONG], dstd[PARTS * ALONG];
    for (size_t m = 0; m < PARTS; m++) {
        double k = (double)m + 1;
        mean[m] = up + sin(k * u[0]) + k * u[1] * u[1];
        std[m] = 0.3 * k + 0.1 * cos(u[0] + k * u[1]);
        dmean[m * ALONG] = k * cos(k * u[0]);
        dmean[m * ALONG + 1] = 2 * k * u[1];
        dstd[m * ALONG] = -0.1 * sin(u[0] + k * u[1]);
        dstd[m * ALONG + 1] = -0.1 * k * sin(u[0] + k * u[1]);
    }
    una_mixture_point at = { PARTS, ALONG, weight, mean, std, dmean, dstd };
    double value = una_acquisition_mixture(a, o, &at, 0.2, slope);

    double improvement = 0, middle = 0, square = 0;
    for (size_t m = 0; m < PARTS; m++) {
        improvement += weight[m] * una_expected_improvement(mean[m], std[m], 0.2);
        middle += weight[m] * mean[m];
        square += weight[m] * (std[m] * std[m] + mean[m] * mean[m]);
    }
    if (strcmp(a->name, "ei") == 0) assert_near(value, improvement, 1e-14, 0);
    if (strcmp(a->name, "log_ei") == 0 && up < 20) assert_near(value, log(improvement), 1e-12, 1e-13);
    if (strcmp(a->name, "ucb") == 0) assert_near(value, 2 * sqrt(square - middle * middle) - middle, 1e-11, 0);
    if (strcmp(a->name, "thompson") == 0) assert_near(value, -middle, 1e-14, 0);
    return value;
}

static void mixtures_are_means_over_their_parts(void **state)
{
    (void)state;
    for (size_t k = 0; una_acquisitions[k].name; k++) {
        una_acquisition_options o;
        const una_acquisition *a = named(una_acquisitions[k].name, &o);
        for (size_t i = 0; a->value && i < 40; i++) {
            double up = i < 30 ? 0 : 30, slope[ALONG], h = 1e-5;     /* the last are far out in the tail */
            double u[ALONG] = { 0.1 * (double)i - 1.4, 0.7 - 0.05 * (double)i };
            double value = mixture_at(a, &o, u, up, slope);
            assert_true(isfinite(value));
            for (size_t d = 0; d < ALONG; d++) {
                double there[ALONG] = { u[0], u[1] };
                there[d] += h;
                double high = mixture_at(a, &o, there, up, NULL);
                there[d] -= 2 * h;
                assert_near((high - mixture_at(a, &o, there, up, NULL)) / (2 * h), slope[d], 1e-5, 1e-7);
            }
        }
    }
}

static void parts_that_are_sure_do_no_harm(void **state)
{
    (void)state;
    una_acquisition_options o;
    static const double weight[2] = { 0.25, 0.75 }, mean[2] = { 5, 1 }, std[2] = { 0, 0 }, d[2] = { 1, 1 };
    double slope;
    una_mixture_point at = { 2, 1, weight, mean, std, d, d };
    assert_near(una_acquisition_mixture(named("log_ei", &o), &o, &at, 3, &slope), log(0.75 * 2), 1e-15, 0);
    assert_near(slope, -0.5, 1e-15, 0);                                  /* of the one that gains */
    assert_true(una_acquisition_mixture(named("log_ei", &o), &o, &at, 0, &slope) == -HUGE_VAL);
    assert_near(slope, 0, 0, 0);
    assert_near(una_acquisition_mixture(named("ei", &o), &o, &at, 3, &slope), 1.5, 1e-15, 0);
    una_mixture_point one = { 1, 1, (double[]){ 1 }, mean, std, d, d };
    assert_near(una_acquisition_mixture(named("ucb", &o), &o, &one, 3, &slope), -5, 0, 0);
    assert_near(slope, -1, 0, 0);                                        /* a std of 0 has no slope */
}

/* No point of a grid around a minimum, and no point of the box, lies lower. */
static void functions_have_their_minima(void **state)
{
    (void)state;
    static const double branin[3][2] = { { -3.14159265358979323846, 12.275 }, { 3.14159265358979323846, 2.275 },
                                         { 9.42477796076937971539, 2.475 } };
    static const double hartmann[6] = { 0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573 };

    const known_function *b = known_function_find("branin"), *h = known_function_find("hartmann6");
    assert_non_null(b);
    assert_non_null(h);
    assert_null(known_function_find("rosenbrock"));

    for (size_t i = 0; i < 3; i++) assert_near(b->value(branin[i]), b->least, 1e-9, 0);
    assert_near(h->value(hartmann), h->least, 1e-8, 0);

    for (double x = b->low[0]; x <= b->high[0]; x += 0.05)
        for (double y = b->low[1]; y <= b->high[1]; y += 0.05) assert_true(una_branin((double[]){ x, y }) >= b->least);
    for (size_t d = 0; d < h->inputs; d++) {
        double x[6];
        for (double t = h->low[d]; t <= h->high[d]; t += 0.01) {
            memcpy(x, hartmann, sizeof x);
            x[d] = t;
            assert_true(una_hartmann6(x) >= h->least);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(improvement_is_its_integral),
        cmocka_unit_test(nothing_left_to_learn),
        cmocka_unit_test(logarithm_in_the_tail),
        cmocka_unit_test(logarithm_is_smooth),
        cmocka_unit_test(logarithm_is_that_of_the_improvement),
        cmocka_unit_test(slopes_are_differences),
        cmocka_unit_test(ei_and_its_logarithm_agree),
        cmocka_unit_test(nothing_left_to_learn_in_the_table),
        cmocka_unit_test(options_are_read_and_wrong_ones_named),
        cmocka_unit_test(mixtures_are_means_over_their_parts),
        cmocka_unit_test(parts_that_are_sure_do_no_harm),
        cmocka_unit_test(functions_have_their_minima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
