/* SPDX-License-Identifier: MIT
 *
 * Bayesian linear regression through the whole model interface: known noise, exact polynomials, categories, units.
 */
#include "models/quick.h"

static double cube(double x)
{
    return 2 * x * x * x - x + 5;
}

static double line(double x)
{
    return 40 - 3 * x;
}

static void evidence_finds_the_noise(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (double noise = 0.05; noise < 10; noise *= 4) {
        una_dataset *data = curve_data(line, -2, 6, noise, 400, run);
        una_model *model = fitted("linear", data, NULL, run);
        assert_near(una_model_info(model)->noise_std, noise, 0.15, 0);
        una_model_free(model);
        una_dataset_free(data);
    }
    una_run_free(run);
}

static void cubic_is_exact(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(cube, -3, 3, 0, 30, run);
    una_model *model = fitted("linear(degree=3, prior_var=1000000, noise_std=0.0001)", data, NULL, run);

    for (double x = -5; x <= 5; x += 0.37) {
        double mean;
        una_prediction out = { .size = sizeof out, .mean = &mean };
        assert_ok(una_model_predict_rows(model, &x, 1, 0.95, &out, run), run);
        assert_near(mean, cube(x), 1e-6, 1e-5);
    }

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Conjugate posterior of y = w x + b in standardised units, written out for two features. */
static void posterior_in_closed_form(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(line, -2, 6, 1, 50, run);
    una_model *model = fitted("linear(noise_std=1, prior_var=2)", data, NULL, run);

    const double *x = una_dataset_numbers(data, 0), *y = una_dataset_numbers(data, 1);
    double n = 50, mx = 0, my = 0, sx = 0, sy = 0, xy = 0;
    for (size_t i = 0; i < 50; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (size_t i = 0; i < 50; i++) {
        sx += pow(x[i] - mx, 2) / n;
        sy += pow(y[i] - my, 2) / n;
        xy += (x[i] - mx) * (y[i] - my);
    }
    sx = sqrt(sx);
    sy = sqrt(sy);

    /* standardised: both features are orthogonal */
    double s2 = 1 / (sy * sy), vw = 1 / (1 / 2.0 + n / s2), w = vw * xy / (sx * sy) / s2;
    double at = 7.5, z = (at - mx) / sx, mean, std;
    una_prediction out = { .size = sizeof out, .mean = &mean, .std_epistemic = &std };
    assert_ok(una_model_predict_rows(model, &at, 1, 0.95, &out, run), run);
    assert_near(mean, my + sy * w * z, 1e-10, 0);
    assert_near(std, sy * sqrt(vw * z * z + vw), 1e-10, 0);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Categories have no powers: three numbers of degree 2 and three levels give 3*2 + 3 + 1 weights, and
 * level means are found. */
static void categories_have_no_powers(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(120, run);
    una_model *model = fitted("linear(degree=4)", data, &mixed_settings, run);

    double *p = predicted(model, data, run), error = 0;
    const double *y = una_dataset_numbers(data, 4);
    for (size_t i = 0; i < 120; i++) error += pow(p[i] - y[i], 2) / 120;
    assert_true(sqrt(error) < 0.25);                                     /* y spreads over 0.9 */
    assert_int_equal(una_model_info(model)->inputs, 2 + 1 + 5);          /* one may be missing; three, other, never seen */

    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void given_numbers_stay(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(line, -2, 6, 1, 50, run);
    una_model *model = fitted("linear(noise_std=3, prior_var=0.25)", data, NULL, run);
    assert_near(una_model_info(model)->noise_std, 3, 1e-12, 0);
    assert_near(una_model_info(model)->prior_var, 0.25, 1e-12, 0);
    assert_says(una_model_options_json(model), "\"noise_std\":3");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_finds_the_noise),
        cmocka_unit_test(cubic_is_exact),
        cmocka_unit_test(posterior_in_closed_form),
        cmocka_unit_test(categories_have_no_powers),
        cmocka_unit_test(given_numbers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
