/* SPDX-License-Identifier: MIT
 *
 * Rows of a Gaussian process that count c times, e_i ~ N(0, s2/c_i): a dense computation, the gradient against
 * differences, counts of one and two, appended rows.
 */
#include "test_support.h"

#include "gp/gp.h"
#include "la/la.h"

enum { ROWS = 130, INPUTS = 2 };

typedef struct table { double x[ROWS * INPUTS], y[ROWS], weight[ROWS]; } table;

static void make_table(table *t)
{
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 2);
    for (size_t i = 0; i < ROWS * INPUTS; i++) t->x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) {
        t->weight[i] = pow(30, 2 * una_rng_uniform(&rng) - 1);
        t->y[i] = sin(t->x[2 * i]) + 0.2 / sqrt(t->weight[i]) * una_rng_normal(&rng);
    }
}

static una_gp solved(const table *t, const double *weight, size_t rows, una_run *run)
{
    static const char *const names[] = { "a", "b" };
    una_kernel *kernel = NULL;
    una_gp gp = { .noise_var = 0.04 };
    assert_ok(una_kernel_parse(&kernel, "1.5*rbf(length=[0.8, 2])", &(una_kernel_inputs){ names, NULL, NULL, 2, false },
                               &run->scratch, run), run);
    assert_ok(una_gp_init(&gp, kernel, (una_gp_rows){ { t->x, rows, INPUTS, INPUTS }, t->y, weight },
                          &run->scratch), run);
    assert_ok(una_gp_solve(&gp, 0, run), run);
    return gp;
}

static double covariance(const double *a, const double *b)
{
    return 1.5 * exp(-0.5 * (pow((a[0] - b[0]) / 0.8, 2) + pow((a[1] - b[1]) / 2, 2)));
}

static void dense(void **state)
{
    (void)state;
    static table t;
    static double c[ROWS * ROWS], z[ROWS], cross[ROWS];
    una_run *run = quiet_run();
    make_table(&t);
    una_gp gp = solved(&t, t.weight, ROWS, run);
    double probe[2] = { 0.3, -0.4 }, mean, var, true_mean = 0, true_var = 1.5, evidence = 0;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            c[i * ROWS + j] = covariance(t.x + 2 * i, t.x + 2 * j) + (i == j ? 0.04 / t.weight[i] : 0);
    assert_ok(una_chol(c, ROWS, "the test", run), run);
    for (size_t i = 0; i < ROWS; i++) z[i] = t.y[i], cross[i] = covariance(t.x + 2 * i, probe);
    una_chol_lower_solve(c, ROWS, z, 1);
    una_chol_lower_solve(c, ROWS, cross, 1);
    for (size_t i = 0; i < ROWS; i++) {
        true_mean += cross[i] * z[i];
        true_var -= cross[i] * cross[i];
        evidence -= 0.5 * (UNA_LOG_TWO_PI + z[i] * z[i]) + log(c[i * ROWS + i]);
    }

    assert_ok(una_gp_predict(&gp, (una_view){ probe, 1, 2, 2 }, &mean, &var, run), run);
    assert_near(mean, true_mean, 1e-9, 1e-10);
    assert_near(var, true_var, 1e-8, 1e-10);
    assert_near(gp.log_evidence, evidence, 1e-10, 0);
    una_run_free(run);
}

static void gradient(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    make_table(&t);
    una_gp gp = solved(&t, t.weight, ROWS, run);
    una_hyper hyper;
    assert_ok(una_hyper_init(&hyper, gp.kernel, &(una_hyper_plan){ .ard = true }, &run->scratch), run);
    double *work = UNA_GET(&run->scratch, double, una_gp_work(ROWS));
    double *slope = UNA_GET(&run->scratch, double, hyper.count + 1);
    double *theta = UNA_GET(&run->scratch, double, hyper.count);
    assert_ok(una_arena_check(&run->scratch), run);
    assert_ok(una_gp_gradient(&gp, &hyper, work, slope, run), run);

    for (size_t h = 0; h <= hyper.count; h++) {
        double value[2], step = 1e-5;
        for (int side = 0; side < 2; side++) {
            double away = side ? step : -step;
            for (size_t i = 0; i < hyper.count; i++) theta[i] = hyper.origin[i] + (i == h ? away : 0);
            una_hyper_put(&hyper, theta, gp.kernel);
            gp.noise_var = 0.04 * exp(h == hyper.count ? away : 0);
            assert_ok(una_gp_solve(&gp, 0, run), run);
            value[side] = gp.log_evidence;
        }
        assert_near(slope[h], (value[1] - value[0]) / (2 * step), 1e-6, 1e-5);
    }
    una_run_free(run);
}

static void once_and_twice(void **state)
{
    (void)state;
    static table t;
    static double ones[ROWS];
    una_run *run = quiet_run();
    make_table(&t);
    for (size_t i = 0; i < ROWS; i++) ones[i] = 1;
    una_gp none = solved(&t, NULL, ROWS, run), once = solved(&t, ones, ROWS, run);
    assert_memory_equal(once.alpha, none.alpha, ROWS * sizeof(double));
    assert_true(once.log_evidence == none.log_evidence);

    /* The first 65 rows again where the others stood, against the first 65 with weight 2. */
    memcpy(t.x + ROWS, t.x, ROWS * sizeof(double));
    memcpy(t.y + ROWS / 2, t.y, ROWS / 2 * sizeof(double));
    for (size_t i = 0; i < ROWS; i++) ones[i] = 2;
    una_gp copies = solved(&t, NULL, ROWS, run), twice = solved(&t, ones, ROWS / 2, run);
    for (double at = -3; at < 3; at += 0.5) {
        double probe[2] = { at, 0.3 * at }, mean[2], var[2];
        assert_ok(una_gp_predict(&copies, (una_view){ probe, 1, 2, 2 }, &mean[0], &var[0], run), run);
        assert_ok(una_gp_predict(&twice, (una_view){ probe, 1, 2, 2 }, &mean[1], &var[1], run), run);
        assert_near(mean[1], mean[0], 1e-8, 1e-9);
        assert_near(var[1], var[0], 1e-8, 1e-9);
    }
    una_run_free(run);
}

/* Weights come with rows at any time: those before, and those that come without, count once. */
static void appended_rows(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    make_table(&t);
    for (size_t i = 0; i < 40; i++) t.weight[i] = t.weight[ROWS - 1 - i] = 1;
    una_gp all = solved(&t, t.weight, ROWS, run), some = solved(&t, NULL, 40, run);
    const size_t ends[] = { 41, 50, 90, ROWS };
    for (size_t e = 0, from = 40; e < 4; from = ends[e++]) {
        const double *weight = e < 3 ? t.weight + from : NULL;
        assert_ok(una_gp_append(&some, (una_gp_rows){ { t.x + 2 * from, ends[e] - from, 2, 2 }, t.y + from, weight },
                                &run->scratch, run), run);
    }
    assert_memory_equal(some.alpha, all.alpha, ROWS * sizeof(double));
    assert_memory_equal(some.weight, all.weight, ROWS * sizeof(double));
    assert_true(some.log_evidence == all.log_evidence);

    const double huge = 1e300, heavy = 3;
    una_gp before = solved(&t, NULL, 40, run);
    assert_status(una_gp_append(&before, (una_gp_rows){ { t.x, 1, 2, 2 }, &huge, &heavy }, &run->scratch,
                                run), UNA_E_NUMERIC, run);
    assert_true(before.rows == 40 && !before.weight);
    una_run_free(run);
}

static una_status weigh_and_append(void *context, una_run *run)
{
    const table *t = context;
    static const char *const names[] = { "a", "b" };
    una_kernel *kernel = NULL;
    una_gp gp = { .noise_var = 0.04 };
    una_arena keep;
    una_arena_init(&keep, run);
    una_kernel_inputs inputs = { names, NULL, NULL, 2, false };
    una_status status = una_kernel_parse(&kernel, "rbf", &inputs, &keep, run);
    if (status == UNA_OK) status = una_gp_init(&gp, kernel, (una_gp_rows){ { t->x, 20, INPUTS, INPUTS }, t->y, NULL },
                                               &keep);
    if (status == UNA_OK) status = una_gp_solve(&gp, 0, run);
    if (status == UNA_OK) status = una_gp_append(&gp,
                                                 (una_gp_rows){ { t->x + 40, 70, INPUTS, INPUTS }, t->y + 20, t->weight },
                                                 &keep, run);
    if (status == UNA_OK) status = una_gp_init(&gp, kernel,
                                               (una_gp_rows){ { t->x, 90, INPUTS, INPUTS }, t->y, t->weight }, &keep);
    if (status == UNA_OK) status = una_gp_solve(&gp, 0, run);
    if (status == UNA_OK) status = una_gp_append(&gp,
                                                 (una_gp_rows){ { t->x + 180, 40, INPUTS, INPUTS }, t->y + 90, NULL },
                                                 &keep, run);
    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static table t;
    make_table(&t);
    assert_true(sweep_allocations(weigh_and_append, &t) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense),
        cmocka_unit_test(gradient),
        cmocka_unit_test(once_and_twice),
        cmocka_unit_test(appended_rows),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
