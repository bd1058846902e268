/* SPDX-License-Identifier: MIT
 *
 * L-BFGS against minima that are known: quadratics, Rosenbrock's valley, boxes, places where the function ends.
 */
#include "test_support.h"

#include "opt/lbfgs.h"

typedef struct counted { size_t calls; una_status fail_at; size_t fail_call; } counted;

static una_status rosenbrock(void *context, const double *x, double *value, double *gradient, una_run *run)
{
    counted *c = context;
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    if (c->fail_at && ++c->calls >= c->fail_call) return una_fail(run, c->fail_at, "stopped");
    *value = a * a + 100 * b * b;
    if (gradient) {
        gradient[0] = -2 * a - 400 * x[0] * b;
        gradient[1] = 200 * b;
    }
    return UNA_OK;
}

static void the_valley(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    counted c = {0};
    double x[2] = { -1.2, 1 };
    una_lbfgs_report report;
    una_lbfgs_settings exact = { .gradient_tolerance = 1e-9, .value_tolerance = 1e-30 };

    assert_ok(una_lbfgs(x, 2, rosenbrock, &c, &exact, &report, run), run);
    assert_near(x[0], 1, 1e-8, 0);
    assert_near(x[1], 1, 1e-8, 0);
    assert_true(report.converged && report.calls < 80 && report.steps < 60 && report.value < 1e-16);

    double y[2] = { -1.2, 1 };                           /* too few steps are not called the end */
    assert_ok(una_lbfgs(y, 2, rosenbrock, &c, &(una_lbfgs_settings){ .most_steps = 3 }, &report, run), run);
    assert_false(report.converged);
    assert_int_equal(report.steps, 3);

    double z[2] = { -1.2, 1 };                           /* two steps that gain less than the least are the end */
    assert_ok(una_lbfgs(z, 2, rosenbrock, &c, &(una_lbfgs_settings){ .least_drop = 100 }, &report, run), run);
    assert_true(report.converged);
    assert_int_equal(report.steps, 2);
    una_run_free(run);
}

/* In the box x <= 0.5 the minimum lies on the bound: (0.5, 0.25). */
static void a_bound_holds(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    counted c = {0};
    const double low[] = { -2, -2 }, high[] = { 0.5, 2 };
    double x[2] = { -5, 1 };
    una_lbfgs_report report;
    una_lbfgs_settings settings = { .low = low, .high = high, .gradient_tolerance = 1e-8, .value_tolerance = 1e-30 };
    assert_ok(una_lbfgs(x, 2, rosenbrock, &c, &settings, &report, run), run);
    assert_near(x[0], 0.5, 0, 0);
    assert_near(x[1], 0.25, 1e-7, 0);
    assert_near(report.value, 0.25, 1e-10, 0);
    una_run_free(run);
}

enum { MANY = 40 };

static una_status bowl(void *context, const double *x, double *value, double *gradient, una_run *run)
{
    (void)context;
    (void)run;
    *value = 0;
    for (size_t i = 0; i < MANY; i++) {
        double steep = pow(10, 4.0 * (double)i / MANY), away = x[i] - (double)i;
        *value += 0.5 * steep * away * away;
        gradient[i] = steep * away;
    }
    return UNA_OK;
}

static void many_variables(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[MANY] = {0}, low[MANY], high[MANY];
    una_lbfgs_report report;
    una_lbfgs_settings settings = { .gradient_tolerance = 1e-8, .value_tolerance = 1e-30, .memory = 20,
                                    .most_steps = 2000 };

    assert_ok(una_lbfgs(x, MANY, bowl, NULL, &settings, &report, run), run);
    for (size_t i = 0; i < MANY; i++) assert_near(x[i], (double)i, 0, 1e-6);

    for (size_t i = 0; i < MANY; i++) {                  /* half of them held */
        low[i] = i % 2 ? (double)i + 1 : -100;
        high[i] = 1000;
        x[i] = 50;
    }
    settings.low = low;
    settings.high = high;
    assert_ok(una_lbfgs(x, MANY, bowl, NULL, &settings, &report, run), run);
    for (size_t i = 0; i < MANY; i++) assert_near(x[i], i % 2 ? (double)i + 1 : (double)i, 0, 1e-5);
    assert_true(report.converged);
    una_run_free(run);
}

/* x - log x exists above zero only; some of the points beyond are failures, some values that are not finite. */
static una_status half_line(void *context, const double *x, double *value, double *gradient, una_run *run)
{
    size_t *wrong = context;
    if (x[0] <= 0) {
        if (++*wrong % 2) return una_fail(run, UNA_E_NUMERIC, "no logarithm");
        *value = NAN;
        gradient[0] = 0;
        return UNA_OK;
    }
    *value = x[0] - log(x[0]);
    gradient[0] = 1 - 1 / x[0];
    return UNA_OK;
}

static void where_it_does_not_exist(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t wrong = 0;
    double x = 30;
    una_lbfgs_report report;
    una_lbfgs_settings exact = { .gradient_tolerance = 1e-9, .value_tolerance = 1e-30 };

    assert_ok(una_lbfgs(&x, 1, half_line, &wrong, &exact, &report, run), run);
    assert_near(x, 1, 1e-8, 0);
    assert_string_equal(una_run_message(run), "");
    assert_true(wrong > 0);

    x = -1;
    wrong = 0;
    assert_status(una_lbfgs(&x, 1, half_line, &wrong, &(una_lbfgs_settings){0}, &report, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "no logarithm");
    una_run_free(run);

    run = quiet_run();
    assert_status(una_lbfgs(&x, 1, half_line, &wrong, &(una_lbfgs_settings){0}, &report, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "not finite at the start");
    assert_near(x, -1, 0, 0);
    una_run_free(run);
}

static void other_failures_end_it(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_lbfgs_report report;
    for (size_t call = 1; call < 6; call++) {
        counted c = { .fail_at = UNA_CANCELLED, .fail_call = call };
        double x[2] = { -1.2, 1 };
        assert_status(una_lbfgs(x, 2, rosenbrock, &c, &(una_lbfgs_settings){0}, &report, run), UNA_CANCELLED, run);
        assert_near(x[0], -1.2, 0, 0);
    }
    una_run_free(run);
}

static una_status job(void *context, una_run *run)
{
    counted c = {0};
    double x[2] = { -1.2, 1 };
    una_lbfgs_report report;
    (void)context;
    return una_lbfgs(x, 2, rosenbrock, &c, &(una_lbfgs_settings){0}, &report, run);
}

/* A gradient with the wrong sign gives no step down: the search ends instead of running on. */
static una_status liar(void *context, const double *x, double *value, double *gradient, una_run *run)
{
    (void)context;
    (void)run;
    *value = x[0] * x[0];
    gradient[0] = -2 * x[0];
    return UNA_OK;
}

static void a_wrong_gradient_ends_it(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x = 3;
    una_lbfgs_report report;
    assert_ok(una_lbfgs(&x, 1, liar, NULL, &(una_lbfgs_settings){0}, &report, run), run);
    assert_true(report.calls < 60);
    una_run_free(run);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(job, NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_valley),
        cmocka_unit_test(a_bound_holds),
        cmocka_unit_test(many_variables),
        cmocka_unit_test(where_it_does_not_exist),
        cmocka_unit_test(other_failures_end_it),
        cmocka_unit_test(a_wrong_gradient_ends_it),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
