/* SPDX-License-Identifier: MIT
 *
 * The sampler on targets whose answers are known: leapfrog (reversible, error of second order, the last half step), the
 * exact posterior of a linear Gaussian model, a correlated Gaussian, adaptation, divergences, and step sizes that
 * cannot work.
 */
#include "test_support.h"

#include "infer/diagnostics.h"
#include "infer/head.h"
#include "infer/hmc.h"

/* ---- targets -------------------------------------------------------------------------------------------------- */

typedef struct gaussian { size_t n; double *precision, *mean; long calls; } gaussian;

static double gaussian_potential(void *context, const double *q, double *g)
{
    gaussian *t = context;
    double u = 0;
    t->calls++;
    for (size_t i = 0; i < t->n; i++) {
        g[i] = 0;
        for (size_t j = 0; j < t->n; j++) g[i] += t->precision[i * t->n + j] * (q[j] - t->mean[j]);
        u += g[i] * (q[i] - t->mean[i]) / 2;
    }
    return u;
}

static double quartic(void *context, const double *q, double *g)         /* u = q^4/4 + q^2/2, not linear */
{
    (void)context;
    g[0] = q[0] * q[0] * q[0] + q[0];
    return pow(q[0], 4) / 4 + q[0] * q[0] / 2;
}

static double half_line(void *context, const double *q, double *g)       /* exp(-q) for q > 0, nothing below */
{
    (void)context;
    g[0] = 1;
    return q[0] > 0 ? q[0] : NAN;
}

static double nowhere(void *context, const double *q, double *g)
{
    (void)context;
    (void)q;
    g[0] = 0;
    return NAN;
}

static double cliff(void *context, const double *q, double *g)           /* finite at the start only */
{
    (void)context;
    g[0] = 0;
    return q[0] == 0 ? 0 : NAN;
}

static const una_hmc plain = { .trajectory = UNA_NUTS, .mass = UNA_MASS_DIAGONAL, .warmup = 300, .samples = 1000,
                               .thin = 1, .step_size = UNA_AUTO, .accept = 0.8, .leapfrog = 20, .jitter = 0.2,
                               .max_depth = 8, .stage = "sampling" };

/* ---- leapfrog --------------------------------------------------------------------------------------------------- */

/* H after time 1 less H before, from a fixed state. */
static double energy_error(double step, double *q_end, bool back)
{
    double q = 0.7, p = -0.4, g, one = 1;
    una_target target = { 1, NULL, quartic };
    una_sampler s = { .target = &target, .inverse_mass = &one };
    una_phase z = { &q, &p, &g, 0 };

    z.u = quartic(NULL, &q, &g);
    double before = una_energy(&s, &z);
    una_leapfrog(&s, &z, step, (size_t)(1 / step + 0.5));
    double error = una_energy(&s, &z) - before;

    if (back) {
        p = -p;
        una_leapfrog(&s, &z, step, (size_t)(1 / step + 0.5));
        assert_near(q, 0.7, 0, 1e-14);
        assert_near(-p, -0.4, 0, 1e-14);
    }
    if (q_end) *q_end = q;
    return error;
}

static void leapfrog_is_reversible(void **state)
{
    (void)state;
    energy_error(0.1, NULL, true);
    energy_error(0.01, NULL, true);
}

/* An algorithm that overwrites or forgets the last half step has an error of first order and fails here. */
static void last_half_step_energy_is_second_order(void **state)
{
    (void)state;
    for (double step = 0.1; step > 0.01; step /= 2) {
        double ratio = energy_error(step, NULL, false) / energy_error(step / 2, NULL, false);
        assert_near(ratio, 4, 0.15, 0);
    }
}

static void one_step_by_hand(void **state)
{
    (void)state;
    double precision = 2, mean = 0, q = 1, p = 0.5, g, inverse = 0.25;
    gaussian t = { 1, &precision, &mean, 0 };
    una_target target = { 1, &t, gaussian_potential };
    una_sampler s = { .target = &target, .inverse_mass = &inverse };
    una_phase z = { &q, &p, &g, gaussian_potential(&t, &q, &g) };

    una_leapfrog(&s, &z, 0.1, 2);
    double p1 = 0.5 - 0.05 * 2, q1 = 1 + 0.1 * 0.25 * p1, p2 = p1 - 0.1 * 2 * q1, q2 = q1 + 0.1 * 0.25 * p2;
    double p3 = p2 - 0.05 * 2 * q2;

    assert_near(q, q2, 1e-15, 0);
    assert_near(p, p3, 1e-15, 0);
    assert_near(z.u, q2 * q2, 1e-15, 0);
    assert_int_equal(t.calls, 3);                                        /* one gradient a step, and the first */
    assert_near(una_energy(&s, &z), q2 * q2 + 0.125 * p3 * p3, 1e-15, 0);
}

/* ---- exact posteriors -------------------------------------------------------------------------------------------- */

/* Means within 4 standard errors by the draws' own effective size, variances within `rtol`. */
static void check_moments(const una_chain *chain, size_t n, const double *mean, const double *variance, double rtol,
                          una_run *run)
{
    double *v = malloc(chain->count * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < n; i++) {
        double sum = 0, square = 0, ess;
        for (size_t k = 0; k < chain->count; k++) sum += v[k] = chain->draws[k * n + i];
        for (size_t k = 0; k < chain->count; k++) square += pow(v[k] - sum / (double)chain->count, 2);
        assert_ok(una_ess(&ess, v, 1, chain->count, run), run);
        assert_near(sum / (double)chain->count, mean[i], 0, 4 * sqrt(variance[i] / ess));
        assert_near(square / (double)chain->count, variance[i], rtol, 0);
    }
    free(v);
}

/* The posterior of a linear model by una_head, and by the sampler from its precision: unit, scalar and diagonal mass,
 * both trajectories. */
static void linear_gaussian_posterior(void **state)
{
    (void)state;
    enum { K = 4, ROWS = 30 };
    una_run *run = quiet_run();
    una_arena arena;
    una_head head;
    double phi[ROWS * K], y[ROWS], precision[K * K] = {0}, cov[K * K] = {0}, variance[K], start[K] = {0};
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    una_arena_init(&arena, run);

    for (size_t i = 0; i < ROWS * K; i++) phi[i] = i % K == K - 1 ? 1 : una_rng_normal(&rng) * (1 + (double)(i % K));
    for (size_t r = 0; r < ROWS; r++) y[r] = phi[r * K] - 0.5 * phi[r * K + 1] + 0.5 * una_rng_normal(&rng);
    una_head_init(&head, K, &arena);
    head.noise_var = 0.25;
    head.prior_var = 2;
    una_stats_add(&head.stats, phi, y, ROWS, NULL);
    assert_ok(una_head_solve(&head, run), run);

    for (size_t i = 0; i < K; i++) {
        for (size_t j = 0; j < K; j++) precision[i * K + j] = head.stats.gram[i * K + j] / 0.25 + (i == j ? 0.5 : 0);
        cov[i * K + i] = 1;
    }
    una_chol_solve(head.chol, K, cov, K);
    for (size_t i = 0; i < K; i++) variance[i] = cov[i * K + i];
    gaussian t = { K, precision, head.mean, 0 };
    una_target target = { K, &t, gaussian_potential };

    for (int mass = UNA_MASS_UNIT; mass <= UNA_MASS_DIAGONAL; mass++)
        for (int trajectory = UNA_NUTS; trajectory <= UNA_STATIC; trajectory++) {
            una_chain chain;
            una_hmc how = plain;
            how.mass = mass;
            how.trajectory = trajectory;
            how.samples = 4000;
            how.leapfrog = 12;
            t.calls = 0;
            rng = una_rng_at(9, UNA_FOR_TEST, (uint64_t)(2 * mass + trajectory));

            assert_ok(una_hmc_sample(&chain, &target, &how, start, &rng, &arena, run), run);
            assert_int_equal(chain.count, 4000);
            assert_int_equal(chain.gradients, t.calls);
            assert_true(chain.sample_gradients < chain.gradients && chain.divergent == 0);
            assert_true(chain.acceptance > 0.6 && chain.acceptance < 0.97);
            check_moments(&chain, K, head.mean, variance, 0.1, run);
            for (size_t i = 1; i < K; i++) {
                if (mass == UNA_MASS_DIAGONAL) assert_near(chain.inverse_mass[i], variance[i], 0.6, 0.002);
                else assert_near(chain.inverse_mass[i], mass == UNA_MASS_UNIT ? 1 : chain.inverse_mass[0], 1e-15, 0);
            }
            double last = gaussian_potential(&t, chain.draws + 3999 * K, start);
            assert_near(chain.potential[3999], last, 1e-9, 1e-9);
            memset(start, 0, sizeof start);
        }

    una_arena_free(&arena);
    una_run_free(run);
}

/* A boundary beyond which there is no density: proposals there are divergences and are never kept. */
static void divergences_are_counted(void **state)
{
    (void)state;
    for (int trajectory = UNA_NUTS; trajectory <= UNA_STATIC; trajectory++) {
        una_run *run = quiet_run();
        una_arena arena;
        una_chain chain;
        una_target target = { 1, NULL, half_line };
        una_hmc how = plain;
        una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
        double start = 1;
        una_arena_init(&arena, run);
        how.trajectory = trajectory;
        how.step_size = 0.3;
        how.leapfrog = 3;
        how.mass = UNA_MASS_UNIT;

        assert_ok(una_hmc_sample(&chain, &target, &how, &start, &rng, &arena, run), run);
        assert_true(chain.divergent > 0 && chain.warmup_divergent > 0 && chain.divergent < 1000);
        for (size_t k = 0; k < chain.count; k++) assert_true(chain.draws[k] > 0);

        una_arena_free(&arena);
        una_run_free(run);
    }
}

static void thinning_and_depth(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_chain chain;
    double precision = 1, mean = 0, start = 0.5;
    gaussian t = { 1, &precision, &mean, 0 };
    una_target target = { 1, &t, gaussian_potential };
    una_hmc how = plain;
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    una_arena_init(&arena, run);

    how.warmup = 0;
    how.samples = 107;
    how.thin = 5;
    how.step_size = 0.001;
    how.max_depth = 3;
    assert_ok(una_hmc_sample(&chain, &target, &how, &start, &rng, &arena, run), run);
    assert_int_equal(chain.count, 21);
    assert_int_equal(chain.deepest, 107);                                /* far too short to turn */
    assert_int_equal(chain.sample_gradients, 107 * 7);

    how.warmup = 15; /* too short for windows: the step alone adapts */
    how.step_size = UNA_AUTO;
    how.max_depth = 8;
    assert_ok(una_hmc_sample(&chain, &target, &how, &start, &rng, &arena, run), run);
    assert_near(chain.inverse_mass[0], 1, 0, 0);
    assert_true(chain.step_size > 0.1);

    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void hopeless_targets_get_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_chain chain;
    double precision = 1e8, mean = 0, start = 0;
    gaussian t = { 1, &precision, &mean, 0 };
    una_target stiff = { 1, &t, gaussian_potential }, none = { 1, NULL, nowhere }, edge = { 1, NULL, cliff };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    una_hmc how = plain;
    una_arena_init(&arena, run);

    assert_status(una_hmc_sample(&chain, &none, &how, &start, &rng, &arena, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "not finite where the chain starts");
    assert_status(una_hmc_sample(&chain, &edge, &how, &start, &rng, &arena, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "no step size");

    how.step_size = 1;
    for (how.trajectory = UNA_NUTS; how.trajectory <= UNA_STATIC; how.trajectory++) {
        assert_status(una_hmc_sample(&chain, &stiff, &how, &start, &rng, &arena, run), UNA_E_NUMERIC, run);
        assert_says(una_run_message(run), "step_size=1");
    }

    una_arena_free(&arena);
    una_run_free(run);
}

static una_status memory_job(void *context, una_run *run)
{
    const una_hmc *how = context;
    double precision[4] = { 1, 0, 0, 1 }, mean[2] = { 0, 0 }, start[2] = { 0, 1 };
    gaussian t = { 2, precision, mean, 0 };
    una_target target = { 2, &t, gaussian_potential };
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0);
    una_chain chain;
    una_arena arena;
    una_arena_init(&arena, run);
    una_status status = una_hmc_sample(&chain, &target, how, start, &rng, &arena, run);
    una_arena_free(&arena);
    return status;
}

static int stop_now(void *context, const una_progress *progress)
{
    (void)context;
    return progress->fraction > 0.5;
}

static void memory_may_fail_and_people_may_stop(void **state)
{
    (void)state;
    una_hmc how = plain;
    how.warmup = how.samples = 30;
    assert_true(sweep_allocations(memory_job, &how) >= 2);
    how.max_depth = UNA_MOST_DEPTH;
    how.samples = 4000;                                                  /* more blocks */
    assert_true(sweep_allocations(memory_job, &how) >= 3);
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .progress = stop_now)), UNA_OK);
    assert_status(memory_job(&how, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "sampling");
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leapfrog_is_reversible), cmocka_unit_test(last_half_step_energy_is_second_order),
        cmocka_unit_test(one_step_by_hand), cmocka_unit_test(linear_gaussian_posterior),
        cmocka_unit_test(divergences_are_counted), cmocka_unit_test(thinning_and_depth),
        cmocka_unit_test(hopeless_targets_get_a_sentence), cmocka_unit_test(memory_may_fail_and_people_may_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
