/* SPDX-License-Identifier: MIT
 *
 * Draws from a GP prior: their covariance is K within Monte Carlo error, jitter as promised, same seed same bits.
 */
#include "gp_support.h"

#include "gp/kernel.h"

static const char *const names[] = { "x1", "x2" };
static const una_kernel_inputs plain = { names, NULL, NULL, 2, false };

static una_kernel *parsed(room *r, const char *text)
{
    una_kernel *kernel = NULL;
    assert_ok(una_kernel_parse(&kernel, text, &plain, &r->arena, r->run), r->run);
    return kernel;
}

static void covariance_is_that_of_the_kernel(void **state)
{
    enum { N = 12, DRAWS = 20000 };
    room *r = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double x[N * 2], k[N * N], jitter = 0, *f = calloc((size_t)N * DRAWS, sizeof *f);
    assert_non_null(f);
    for (size_t i = 0; i < N * 2; i++) x[i] = una_rng_normal(&rng);

    una_kernel *kernel = parsed(r, "2*matern32(length=0.7) + linear(var=0.5, on=x1)*rbf + 0.2");
    una_kernel_matrix(kernel, x, N, x, N, 2, k);
    assert_ok(una_gp_prior_draws(kernel, (una_view){ x, N, 2, 2 }, DRAWS, &rng, f, &jitter, r->run), r->run);
    assert_near(jitter, 1e-10, 1e-12, 0);

    for (size_t i = 0; i < N; i++) {
        double mean = 0;
        for (size_t d = 0; d < DRAWS; d++) mean += f[i * DRAWS + d] / DRAWS;
        assert_near(mean, 0, 0, 5 * sqrt(k[i * N + i] / DRAWS));
        for (size_t j = 0; j <= i; j++) {
            double product = 0;
            for (size_t d = 0; d < DRAWS; d++) product += f[i * DRAWS + d] * f[j * DRAWS + d] / DRAWS;
            double error = sqrt((k[i * N + i] * k[j * N + j] + k[i * N + j] * k[i * N + j]) / DRAWS);
            assert_near(product, k[i * N + j], 0, 5 * error);
        }
    }
    free(f);
}

/* With one row the draw is sqrt(k) z: exact. Draws come one after the other from the stream. */
static void first_draws_do_not_depend_on_how_many(void **state)
{
    room *r = *state;
    double x[] = { 0.5, 1, -0.5, 2, 1.5, 0 }, few[3 * 2], many[3 * 5], one[2];
    una_kernel *kernel = parsed(r, "4*rbf");
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0), same = rng, again = rng;
    assert_ok(una_gp_prior_draws(kernel, (una_view){ x, 3, 2, 2 }, 2, &rng, few, NULL, r->run), r->run);
    assert_ok(una_gp_prior_draws(kernel, (una_view){ x, 3, 2, 2 }, 5, &same, many, NULL, r->run), r->run);
    for (size_t i = 0; i < 3; i++)
        for (size_t d = 0; d < 2; d++) assert_true(few[i * 2 + d] == many[i * 5 + d]);
    una_rng normals = again;
    assert_ok(una_gp_prior_draws(kernel, (una_view){ x, 1, 2, 2 }, 2, &again, one, NULL, r->run), r->run);
    assert_near(one[0], 2 * una_rng_normal(&normals), 1e-9, 0);
    assert_near(one[1], 2 * una_rng_normal(&normals), 1e-9, 0);
}

static void on_makes_draws_constant_along_the_rest(void **state)
{
    room *r = *state;
    double x[] = { 0.5, -3, 0.5, 0, 0.5, 9 }, f[3], jitter = 0;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    assert_ok(una_gp_prior_draws(parsed(r, "rbf(on=x1)"), (una_view){ x, 3, 2, 2 }, 1, &rng, f, &jitter,
                                 r->run), r->run);
    assert_true(jitter > 0 && jitter <= 1e-4);
    assert_near(f[1], f[0], 0, 10 * sqrt(jitter));
    assert_near(f[2], f[0], 0, 10 * sqrt(jitter));
    assert_string_equal(una_run_message(r->run), "");
}

static void a_prior_without_variance_is_zero(void **state)
{
    room *r = *state;
    double x[] = { 0.5, -3, 0.5, 0 }, f[4] = { 9, 9, 9, 9 }, jitter = 7;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    assert_ok(una_gp_prior_draws(parsed(r, "0*rbf"), (una_view){ x, 2, 2, 2 }, 2, &rng, f, &jitter, r->run), r->run);
    for (size_t i = 0; i < 4; i++) assert_true(f[i] == 0);
    assert_true(jitter == 0);
    jitter = 7;
    assert_ok(una_gp_prior_draws(parsed(r, "rbf"), (una_view){ x, 0, 2, 2 }, 2, &rng, f, &jitter, r->run), r->run);
    assert_ok(una_gp_prior_draws(parsed(r, "rbf"), (una_view){ x, 2, 2, 2 }, 0, &rng, f, &jitter, r->run), r->run);
    assert_true(jitter == 0 && f[0] == 0);
}

static void failures_have_their_sentences(void **state)
{
    room *r = *state;
    double x[] = { 0.5, -3, 1e200, 0 }, f[2], jitter = 7;
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    assert_status(una_gp_prior_draws(parsed(r, "linear"), (una_view){ x, 2, 2, 2 }, 1, &rng, f, &jitter,
                                     r->run), UNA_E_NUMERIC, r->run);
    assert_says(una_run_message(r->run), "the prior variance is not finite at some of the rows");
    assert_true(jitter == 0);
    /* k(a, b) is not a number though both variances are: no jitter helps. */
    double apart[] = { 1e308, 0, -1e308, 0 };
    una_kernel *kernel = parsed(r, "periodic(period=1)");
    assert_status(una_gp_prior_draws(kernel, (una_view){ apart, 2, 2, 2 }, 1, &rng, f, &jitter,
                                     r->run), UNA_E_NUMERIC, r->run);
    assert_says(una_run_message(r->run), "has no Cholesky factor even with 0.0001 of its mean variance");
}

static void it_can_be_interrupted(void **state)
{
    room *r = *state;
    double x[] = { 0.5, -3, 1, 0 }, f[2], jitter = 7;
    volatile int cancel = 1;
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0);
    r->run->settings.cancel = &cancel;
    assert_status(una_gp_prior_draws(parsed(r, "rbf"), (una_view){ x, 2, 2, 2 }, 1, &rng, f, &jitter,
                                     r->run), UNA_CANCELLED, r->run);
    assert_says(una_run_message(r->run), "interrupted while");
    r->run->settings.cancel = NULL;
}

static void a_size_beyond_memory_is_refused(void **state)
{
    enum { N = 3000 };
    room *r = *state;
    double *x = calloc(N * 2, sizeof *x), *f = calloc(N, sizeof *f);
    assert_true(x && f);
    una_kernel *kernel = parsed(r, "rbf");
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 0);
    uint64_t before = r->run->used;

    r->run->settings.memory_limit = 50u << 20;
    assert_status(una_gp_prior_draws(kernel, (una_view){ x, N, 2, 2 }, 1, &rng, f, NULL, r->run), UNA_E_MEMORY, r->run);
    assert_says(una_run_message(r->run), "MB");
    assert_true(r->run->used == before && !r->run->scratch.failed);

    free(x);
    free(f);
}

static una_status draw_job(void *context, una_run *run)
{
    (void)context;
    una_arena arena;
    una_kernel *kernel;
    double x[40], f[60];
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < 40; i++) x[i] = una_rng_normal(&rng);
    una_arena_init(&arena, run);
    una_status status = una_kernel_parse(&kernel, "matern52 + 1", &plain, &arena, run);
    if (status == UNA_OK) status = una_gp_prior_draws(kernel, (una_view){ x, 20, 2, 2 }, 3, &rng, f, NULL, run);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(draw_job, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(covariance_is_that_of_the_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(first_draws_do_not_depend_on_how_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(on_makes_draws_constant_along_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_prior_without_variance_is_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failures_have_their_sentences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_can_be_interrupted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_size_beyond_memory_is_refused, set_up, tear_down),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
