/* SPDX-License-Identifier: MIT
 *
 * The search for the numbers of a process of nearest rows: the likelihood of rows given their neighbours against the
 * exact process of those, its gradient against differences, lengths that a thin sample missed, and failures.
 */
#include "test_support.h"

#include "gp/near_search.c"

static const char *const names[] = { "a", "b", "c" };
static const una_kernel_inputs standard = { names, NULL, NULL, 3, false };

enum { ROWS = 120 };

static double wave(const double *x)
{
    return sin(1.5 * x[0]) + 0.5 * sin(3 * x[1]);        /* c does not matter */
}

static una_gp process(const char *text, size_t rows, bool weighted, una_run *run)
{
    una_gp gp = { .noise_var = 0.02 };
    una_kernel *kernel = NULL;
    una_rng rng = una_rng_at(29, UNA_FOR_TEST, 0);
    double *x = UNA_GET(&run->scratch, double, rows * 3), *y = UNA_GET(&run->scratch, double, rows),
           *weight = UNA_GET(&run->scratch, double, rows);
    assert_ok(una_kernel_parse(&kernel, text, &standard, &run->scratch, run), run);
    for (size_t i = 0; i < 3 * rows; i++) x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < rows; i++) y[i] = wave(x + 3 * i) + 0.1 * una_rng_normal(&rng);
    for (size_t i = 0; i < rows; i++) weight[i] = 1 + (double)(i % 3);
    assert_ok(una_gp_init_near(&gp, kernel, (una_gp_rows){ { x, rows, 3, 3 }, y, weighted ? weight : NULL }, 40,
                               &run->scratch), run);
    return gp;
}

static const una_hyper_plan all_free = { .ard = true }, fixed = { .fix_variances = true, .fix_lengths = true };

static void gradient(void **state)
{
    static const char *const kernels[] = { "1.3*matern52(length=[1, 2, 3])", "rbf + 0.2*linear",
                                           "matern32(on=a)*rbf(on=[b, c]) + periodic(period=5, on=a)" };
    (void)state;
    una_run *run = quiet_run();
    for (size_t k = 0; k < 6; k++) {
        una_gp gp = process(kernels[k % 3], ROWS, k >= 3, run);
        una_near_search search = { .gp = &gp, .plan = &all_free, .free_noise = true, .range = 1e5, .seed = 1 };
        sample_rows s;
        double theta[24], slope[24], value, up, down;
        assert_ok(begin_sample(&s, &search, run), run);
        for (size_t h = 0; h < s.hyper.count; h++) theta[h] = s.hyper.origin[h];
        theta[s.hyper.count] = log(gp.noise_var);
        assert_ok(find_neighbours(&s, run), run);
        assert_ok(minus_log_lik(&s, theta, &value, slope, run), run);
        for (size_t h = 0; h < s.numbers; h++) {
            const double step = 1e-5, at = theta[h];
            theta[h] = at + step;
            assert_ok(minus_log_lik(&s, theta, &up, NULL, run), run);
            theta[h] = at - step;
            assert_ok(minus_log_lik(&s, theta, &down, NULL, run), run);
            theta[h] = at;
            assert_near(slope[h], (up - down) / (2 * step), 1e-5, 1e-4);
        }
    }
    una_run_free(run);
}

/* The sum is that of exact processes of the neighbours, none of which is the row itself. */
static void likelihood(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = process("matern52(length=[1, 2, 3])", ROWS, false, run);
    una_near_search search = { .gp = &gp, .plan = &fixed, .free_noise = true, .range = 1e5, .seed = 1 };
    sample_rows s;
    double sum = 0, value, theta = log(gp.noise_var);
    assert_ok(begin_sample(&s, &search, run), run);
    assert_ok(loss_at(&s, &theta, &value, run), run);
    assert_int_equal(s.rows, ROWS);
    for (size_t i = 0; i < s.rows; i++) {
        double x[NEAR * 3], y[NEAR], mean, var;
        una_gp few = { .noise_var = gp.noise_var };
        assert_int_equal(s.count[i], NEAR);
        for (size_t n = 0; n < NEAR; n++) {
            size_t row = s.near[i * NEAR + n];
            assert_int_not_equal(row, s.row[i]);
            memcpy(x + 3 * n, gp.x + 3 * row, 3 * sizeof *x);
            y[n] = gp.y[row];
        }
        assert_ok(una_gp_init(&few, gp.kernel, (una_gp_rows){ { x, NEAR, 3, 3 }, y, NULL }, &run->scratch), run);
        assert_ok(una_gp_solve(&few, 0, run), run);
        assert_ok(una_gp_predict(&few, (una_view){ gp.x + 3 * s.row[i], 1, 3, 3 }, &mean, &var, run), run);
        var += gp.noise_var;
        sum += 0.5 * (UNA_LOG_TWO_PI + log(var) + pow(gp.y[s.row[i]] - mean, 2) / var);
    }
    assert_near(value, sum, 1e-9, 0);
    una_run_free(run);
}

/* A length at which an input does not seem to matter is found again, and so is the noise; on any number of threads. */
static void missed_lengths(void **state)
{
    (void)state;
    una_run *run = quiet_run(), *wide = quiet_run_threads(4);
    una_gp gp = process("matern52(length=[2, 1000, 1000])", 200, false, run),
           other = process("matern52(length=[2, 1000, 1000])", 200, false, wide);
    gp.noise_var = other.noise_var = 0.3;
    una_near_search search = { .gp = &gp, .plan = &all_free, .free_noise = true, .range = 1e5, .seed = 1 },
                    again = search;
    again.gp = &other;
    assert_ok(una_near_search_run(&search, run), run);
    assert_ok(una_near_search_run(&again, wide), wide);
    const double *length = gp.kernel->parameter + 1;
    assert_true(search.calls > 5 && length[1] < length[0] * 2 && length[2] > 3 * length[1]);
    assert_near(sqrt(gp.noise_var), 0.1, 0.2, 0);
    assert_memory_equal(gp.kernel->parameter, other.kernel->parameter, 4 * sizeof(double));
    assert_true(gp.noise_var == other.noise_var);
    assert_null(gp.near->made.block);
    una_run_free(wide);
    una_run_free(run);
}

/* Nothing free: nothing is done; no factor: the numbers stay. */
static void nothing_to_find(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = process("rbf", ROWS, false, run);
    una_near_search search = { .gp = &gp, .plan = &fixed, .range = 1e5 };
    assert_ok(una_near_search_run(&search, run), run);
    assert_true(search.calls == 0 && gp.noise_var == 0.02);

    una_gp none = process("constant(var=1e300)*constant(var=1e300)", ROWS, false, run);
    search = (una_near_search){ .gp = &none, .plan = &fixed, .free_noise = true, .range = 1e5 };
    assert_ok(una_near_search_run(&search, run), run);
    assert_near(none.noise_var, 0.02, 1e-12, 0);
    assert_string_equal(una_run_message(run), "");
    una_run_free(run);
}

static una_status everything(void *context, una_run *run)
{
    una_kernel *k;
    una_gp gp = { .noise_var = 0.1 };
    double x[45], y[15];
    (void)context;
    for (int i = 0; i < 45; i++) x[i] = sin(i);
    for (int i = 0; i < 15; i++) y[i] = cos(i);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_kernel_parse(&k, "matern52", &standard, &run->scratch, run);
    if (status == UNA_OK) status = una_gp_init_near(&gp, k, (una_gp_rows){ { x, 15, 3, 3 }, y, NULL }, 12,
                                                 &run->scratch);
    una_near_search search = { .gp = &gp, .plan = &all_free, .free_noise = true, .range = 1e5 };
    if (status == UNA_OK) status = una_near_search_run(&search, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(everything, NULL) >= 4);
}

/* The last rounds have more neighbours, go a little way, and end no worse than they began. */
static void more_neighbours(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_gp gp = process("2*matern52(length=[0.7, 0.5, 2])", 500, false, run);
    una_near_search search = { .gp = &gp, .plan = &all_free, .free_noise = true, .range = 1e5, .seed = 1 };
    sample_rows s;
    double theta[8], from[8], before, after;
    assert_ok(begin_sample(&s, &search, run), run);
    for (size_t h = 0; h < s.hyper.count; h++) theta[h] = s.hyper.origin[h];
    theta[s.hyper.count] = log(gp.noise_var);
    set_bounds(&s, theta);
    memcpy(from, theta, sizeof from);
    set_sample(&s, LAST_SAMPLE, MOST_NEAR);
    assert_ok(loss_at(&s, theta, &before, run), run);
    assert_true(s.rows == LAST_SAMPLE && s.count[0] == MOST_NEAR && s.count[LAST_SAMPLE - 1] == MOST_NEAR);
    assert_ok(search_more(&s, theta, run), run);
    assert_ok(loss_at(&s, theta, &after, run), run);
    assert_true(after < before - 1);
    for (size_t h = 0; h < s.numbers; h++) assert_true(fabs(theta[h] - from[h]) <= LAST_ROUNDS * 0.25 + 1e-9);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_neighbours),
        cmocka_unit_test(gradient),        cmocka_unit_test(likelihood),          cmocka_unit_test(missed_lengths),
        cmocka_unit_test(nothing_to_find), cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
