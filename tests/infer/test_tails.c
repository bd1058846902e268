/* SPDX-License-Identifier: MIT
 *
 * Student's t as a mixture of Gaussians against the closed form, and what follows from it against quadrature.
 */
#include "infer_support.h"

#include "infer/tails.h"
#include "la/la.h"

static const double FREEDOM[] = { 2.5, 3, 4, 6, 10, 30, 200 };
enum { FREEDOMS = sizeof FREEDOM / sizeof *FREEDOM };

/* Density of t with scale 1. */
static double student(double nu, double r)
{
    return exp(lgamma(0.5 * (nu + 1)) - lgamma(0.5 * nu)) / sqrt(nu * acos(-1)) * pow(1 + r * r / nu, -0.5 * (nu + 1));
}

static void the_density_is_that_of_t(void **state)
{
    (void)state;
    for (size_t i = 0; i < FREEDOMS; i++) {
        double nu = FREEDOM[i], variance = nu / (nu - 2), mass = 0, square = 0;
        una_tails t;
        una_tails_make(&t, nu);
        assert_true(t.parts > 10 && t.parts < UNA_MOST_TAIL_PARTS);
        for (size_t k = 0; k < t.parts; k++) {
            assert_true(t.weight[k] > 0 && t.var[k] > 0);
            mass += t.weight[k];
            square += t.weight[k] * t.var[k];
        }
        assert_near(mass, 1, 1e-12, 0);
        assert_near(square, 1, 1e-12, 0);
        for (double r = 0; r <= 50; r += 0.05) {
            if (student(nu, r) < 1e-12) break;
            assert_near(exp(una_tails_log_pdf(&t, r * r, 0, variance)), student(nu, r), 1e-4, 0);
        }
    }
}

static void the_distribution_is_that_of_t(void **state)
{
    (void)state;
    const size_t whole[] = { 3, 4, 6, 10, 30 };
    const double share[] = { 0.1, 0.5, 0.9, 0.95, 0.99, 0.999 };
    for (size_t i = 0; i < 5; i++)
        for (size_t s = 0; s < 6; s++) {
            una_tails t;
            double nu = (double)whole[i], at = una_student_within(whole[i], share[s]);
            una_tails_make(&t, nu);
            assert_near(una_tails_cdf(&t, at, 0, nu / (nu - 2)), 0.5 + share[s] / 2, 0, 2e-5);
            assert_near(una_tails_cdf(&t, -at, 0, nu / (nu - 2)), 0.5 - share[s] / 2, 0, 2e-5);
            assert_near(una_tails_reach(&t, share[s], 0, nu / (nu - 2)), at, 1e-3, 0);
        }
}

/* Gaussian of variance v plus t of scale s, by quadrature over the Gaussian. */
static void a_prediction_is_the_convolution(void **state)
{
    (void)state;
    const double v = 0.7, s = 0.4;
    for (size_t i = 0; i < FREEDOMS; i++) {
        double nu = FREEDOM[i];
        una_tails t;
        una_tails_make(&t, nu);
        for (double e = 0; e <= 20; e += 2.5) {
            double sum = 0, step = 0.002;
            for (double g = -12; g <= 12; g += step)
                sum += step * una_normal_pdf(g) * student(nu, (e - sqrt(v) * g) / s) / s;
            if (sum < 1e-12) break;
            double log_pdf = una_tails_log_pdf(&t, e * e, v, s * s * nu / (nu - 2));
            assert_near(log_pdf, log(sum), 0, 1e-4);
        }
    }
}

/* E[l | e] = (nu + 1) / (nu + e^2/s^2) for a mean that is known; its mean over t errors is 1, before the factor. */
static void weights_are_those_of_the_closed_form(void **state)
{
    (void)state;
    for (size_t i = 1; i < FREEDOMS; i++) {
        double nu = FREEDOM[i], s = 0.3, factor = (nu + 1) / (nu + 3);
        una_tails t;
        una_tails_make(&t, nu);
        for (double r = 0; r <= 20; r += 0.5) {
            if (student(nu, r) < 1e-9) break;
            double weight = una_tails_row_weight(&t, r * r * s * s, 0, s * s * nu / (nu - 2));
            assert_near(weight, factor * (nu + 1) / (nu + r * r), 1e-3, 0);
        }
        assert_near(una_tails_square_scale(&t), (nu - 2) / nu, 1e-15, 0);
    }
}

static void a_wide_prediction_says_little_of_a_row(void **state)
{
    (void)state;
    una_tails t;
    una_tails_make(&t, 4);
    double far = una_tails_row_weight(&t, 100, 0.01, 1), unsure = una_tails_row_weight(&t, 100, 1000, 1);
    assert_true(far < 0.1 && unsure > 0.5);
}

static void outliers_leave_the_others_gaussian(void **state)
{
    (void)state;
    una_tails t;
    una_tails_make(&t, 0.02);
    double s2 = una_tails_square_scale(&t), mass = 0, square = 0;        /* of noise of variance 1 */
    for (size_t k = 0; k < t.parts; k++) mass += t.weight[k], square += t.weight[k] * t.var[k];
    assert_near(mass, 1, 1e-15, 0);
    assert_near(square, 1, 1e-15, 0);
    assert_near(exp(una_tails_log_pdf(&t, 0, 0, 1 / s2)), 0.98 * una_normal_pdf(0) + 0.02 * una_normal_pdf(0) *
                (0.4 / 4 + 0.35 / 10 + 0.25 / 25), 1e-12, 0);
    assert_near(una_tails_row_weight(&t, 1, 0, 1 / s2), 0.98, 1e-2, 0);
    assert_true(una_tails_row_weight(&t, 400, 0, 1 / s2) < 0.02);
    double reach = una_tails_reach(&t, 0.95, 0, 1 / s2);
    assert_true(reach > 1.96 && reach < 2.33);
    assert_true(una_tails_are(0.02) && una_tails_are(3) && una_tails_are(HUGE_VAL));
    assert_true(!una_tails_are(0) && !una_tails_are(0.5) && !una_tails_are(2) && !una_tails_are(NAN));
}

static void no_tails_are_a_gaussian(void **state)
{
    (void)state;
    una_tails t;
    una_tails_make(&t, HUGE_VAL);
    assert_int_equal(t.parts, 1);
    assert_near(una_tails_log_pdf(&t, 4, 0.5, 1.5), -0.5 * (UNA_LOG_TWO_PI + log(2) + 2), 1e-15, 0);
    assert_near(una_tails_cdf(&t, 1, 0.5, 1.5), una_normal_cdf(1 / sqrt(2)), 1e-15, 0);
    assert_near(una_tails_row_weight(&t, 400, 0.5, 1.5), 1, 1e-15, 0);
    assert_near(una_tails_square_scale(&t), 1, 0, 0);
    assert_near(una_tails_square_scale(NULL), 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_density_is_that_of_t), cmocka_unit_test(the_distribution_is_that_of_t),
        cmocka_unit_test(a_prediction_is_the_convolution), cmocka_unit_test(weights_are_those_of_the_closed_form),
        cmocka_unit_test(a_wide_prediction_says_little_of_a_row),
        cmocka_unit_test(outliers_leave_the_others_gaussian), cmocka_unit_test(no_tails_are_a_gaussian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
