/* SPDX-License-Identifier: MIT
 *
 * Expected improvement against its integral, its logarithm against numbers of higher precision and against the slope it
 * must have, and the test functions at and around their published minima.
 */
#include "test_support.h"

#include "bo/acquisition.h"
#include "bo/functions.h"

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
    assert_near(una_log_expected_improvement(1, 0, 3), log(2), 1e-15, 0);
    assert_true(una_log_expected_improvement(3, 0, 1) == -HUGE_VAL);
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
        assert_near(una_log_expected_improvement(mean, 0.7, 0.1), log(una_expected_improvement(mean, 0.7, 0.1)), 1e-12,
                    1e-13);
    assert_true(una_expected_improvement(100, 1, 0) == 0); /* too small for a double, not for a logarithm */
    assert_true(una_log_expected_improvement(100, 1, 0) > una_log_expected_improvement(101, 1, 0));
    assert_true(isfinite(una_log_expected_improvement(1e8, 1e-3, 0)));
}

/* No point of a grid around a minimum, and no point of the box, lies lower. */
static void functions_have_their_minima(void **state)
{
    (void)state;
    static const double branin[3][2] = { { -3.14159265358979323846, 12.275 }, { 3.14159265358979323846, 2.275 },
                                         { 9.42477796076937971539, 2.475 } };
    static const double hartmann[6] = { 0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573 };

    const una_test_function *b = una_test_function_find("branin"), *h = una_test_function_find("hartmann6");
    assert_non_null(b);
    assert_non_null(h);
    assert_null(una_test_function_find("rosenbrock"));

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
        cmocka_unit_test(functions_have_their_minima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
