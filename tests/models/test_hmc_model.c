/* SPDX-License-Identifier: MIT
 *
 * The network's posterior as a target (gradient against differences, the noise's prior), the model around it (options,
 * noise, warnings, valid rows, files), and simulation-based calibration: ranks of the truth
 * among the draws are uniform.
 */
#include "models/quick.h"

#include "train/bnn.h"
#include "ranks.h"

static double cubic(double x) { return x * x * x; }

/* ---- the target ------------------------------------------------------------------------------------------------ */

static void take(una_bnn *bnn, una_arena *arena, una_run *run)
{
    una_net_shape(&bnn->net);
    assert_ok(una_bnn_take(bnn, una_kernels_named_f64(NULL), arena), run);
}

static void gradient_agrees_with_differences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double x[] = { 0.3, -1, 0.7, 0.2, -0.4, 1.5 }, y[] = { 0.5, -0.2, 1.1 };
    for (int i = 0; i < 6; i++) {
        int noise = i / 2;                                               /* given, lognormal, inverse gamma */
        una_arena arena;
        una_arena_init(&arena, run);
        una_bnn bnn = { .net = { .depth = 2, .size = { 2, 3, 2, 1 }, .activation = UNA_TANH }, .x = x, .y = y,
                        .rows = 3, .prior_var = 1.7, .fan_in = i % 2, .noise_var = 0.3,
                        .sample_noise = noise > 0, .noise_prior = noise - 1 };
        take(&bnn, &arena, run);
        size_t n = una_bnn_dimension(&bnn);
        assert_int_equal(n, 9 + 8 + 3 + (noise > 0));

        double q[32], g[32], unused[32];
        una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
        for (size_t k = 0; k < n; k++) q[k] = una_rng_normal(&rng) / 2;
        una_bnn_potential(&bnn, q, g);

        for (size_t k = 0; k < n; k++) {
            double kept = q[k], h = 1e-5;
            q[k] = kept + h;
            double up = una_bnn_potential(&bnn, q, unused);
            q[k] = kept - h;
            double down = una_bnn_potential(&bnn, q, unused);
            q[k] = kept;
            assert_near(g[k], (up - down) / (2 * h), 1e-7, 1e-7);
        }
        una_arena_free(&arena);
    }

    una_run_free(run);
}

/* With no weights' influence on the prior of log s: it integrates to one, in both forms. */
static void noise_priors_are_densities(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double x[] = { 0 }, y[] = { 0 };
    for (int prior = 0; prior < 2; prior++) {
        una_arena arena;
        una_arena_init(&arena, run);
        una_bnn bnn = { .net = { .depth = 1, .size = { 1, 1, 1 }, .activation = UNA_TANH }, .x = x, .y = y, .rows = 1,
                        .prior_var = 1, .noise_var = 0.3, .sample_noise = true, .noise_prior = prior }, plain;
        take(&bnn, &arena, run);
        plain = bnn;
        plain.sample_noise = false;

        double q[5] = {0}, g[5], mass = 0, mean = 0, h = 0.002;
        for (double e = -12; e < 12; e += h) {
            q[4] = e;
            plain.noise_var = exp(2 * e);
            double p = exp(una_bnn_potential(&plain, q, g) - una_bnn_potential(&bnn, q, g));
            mass += h * p;
            mean += h * p * (prior ? exp(2 * e) : e);
        }

        assert_near(mass, 1, 1e-6, 0);
        assert_near(mean, prior ? 0.3 : log(0.3) / 2, prior ? 1e-3 : 1e-6, 0);   /* a heavy tail */
        una_arena_free(&arena);
    }
    una_run_free(run);
}

/* ---- simulation-based calibration -------------------------------------------------------------------------------- */

enum { ROWS = 6, UNITS = 3, WEIGHTS = 3 * UNITS + 1, DRAWS = 19, MOST = 200, QUANTITIES = 3 };

/* Weights from the prior, data from the weights, draws from the posterior: adds the ranks of the truth among them. */
static void one_replicate(size_t index, bool integrated, bool fan_in, size_t rank[QUANTITIES][DRAWS + 1], una_run *run)
{
    static const double at[QUANTITIES] = { -1, 0.2, 2.5 };
    una_arena arena;
    una_chain chain;
    una_rng rng = una_rng_at(40, UNA_FOR_TEST, index);
    double truth[WEIGHTS], x[ROWS], y[ROWS], value[QUANTITIES], f, start[WEIGHTS], whole[WEIGHTS];
    una_arena_init(&arena, run);
    una_bnn bnn = { .net = { .depth = 1, .size = { 1, UNITS, 1 }, .activation = UNA_TANH }, .x = x, .y = y,
                    .rows = ROWS, .prior_var = 1, .fan_in = fan_in, .noise_var = 0.25 };
    take(&bnn, &arena, run);

    for (size_t i = 0; i < WEIGHTS; i++) truth[i] = una_rng_normal(&rng);
    for (size_t i = 2 * UNITS; fan_in && i + 1 < WEIGHTS; i++) truth[i] /= sqrt(UNITS);  /* the head; one input */
    for (size_t i = 0; i < WEIGHTS; i++) start[i] = una_rng_normal(&rng);
    una_bnn_unpack(&bnn, truth, bnn.padded);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = una_rng_normal(&rng);
        una_net_forward_f64(bnn.work, bnn.padded, x + i, 1, (una_outputs){ .f = &f });
        y[i] = f + 0.5 * una_rng_normal(&rng);
    }
    for (size_t v = 0; v < QUANTITIES; v++)
        una_net_forward_f64(bnn.work, bnn.padded, at + v, 1, (una_outputs){ .f = &value[v] });

    una_hmc how = { .trajectory = UNA_NUTS, .mass = UNA_MASS_DIAGONAL, .warmup = 150, .samples = DRAWS * 12, .thin = 12,
                    .step_size = UNA_AUTO, .accept = 0.8, .max_depth = 6, .stage = "sampling" };
    una_target target = { WEIGHTS, &bnn, una_bnn_potential };
    assert_ok(una_bnn_marginal_take(&bnn, &arena), run);
    if (integrated) target = (una_target){ una_bnn_marginal_dimension(&bnn), &bnn, una_bnn_marginal };
    assert_ok(una_hmc_sample(&chain, &target, &how, start, &rng, &arena, run), run);

    size_t below[QUANTITIES] = {0};
    for (size_t k = 0; k < DRAWS; k++) {
        const double *q = chain.draws + k * target.dimension;
        if (integrated) una_bnn_complete(&bnn, q, &rng, whole);
        una_bnn_unpack(&bnn, integrated ? whole : q, bnn.padded);
        for (size_t v = 0; v < QUANTITIES; v++) {
            una_net_forward_f64(bnn.work, bnn.padded, at + v, 1, (una_outputs){ .f = &f });
            below[v] += f < value[v];
        }
    }
    for (size_t v = 0; v < QUANTITIES; v++) rank[v][below[v]]++;
    una_arena_free(&arena);
}

/* The largest distance of the ranks' distribution from a uniform one stays inside the 99 % band (ranks.h). */
static void ranks_are_uniform(void **state)
{
    (void)state;
    const char *word = getenv("UNA_TEST_LONG");
    size_t replicates = word && *word ? MOST : 40;
    skip_if_sanitized();
    una_run *run = quiet_run();

    for (int way = 0; way < 4; way++) {
        bool integrated = way % 2, fan_in = way / 2;
        size_t rank[QUANTITIES][DRAWS + 1] = {0};
        for (size_t s = 0; s < replicates; s++) one_replicate(s, integrated, fan_in, rank, run);
        double band = ranks_band(replicates, 0.01), worst = 0;
        for (size_t v = 0; v < QUANTITIES; v++) worst = fmax(worst, ranks_off(rank[v], DRAWS + 1));
        print_message("head %s, prior by %s, %zu replicates: the ranks are off by at most %.3f, the band is %.3f\n",
                      integrated ? "integrated" : "sampled", fan_in ? "fan-in" : "weight", replicates, worst, band);
        assert_true(worst < band);
    }
    una_run_free(run);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static const char *const small =
    "hmc(width=8, warmup=100, samples=100, thin=1, max_depth=5, start_steps=200, noise_std=3)";

static void doubt_grows_in_the_gap(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run_threads(2);
    una_dataset *data = NULL;
    assert_ok(una_dataset_synthetic(&data, "cubic", 60, 1, 1, run), run);
    una_model *model = fitted(small, data, NULL, run);

    double gap = std_between(model, -0.5, 0.5, run), beside = std_between(model, 2.5, 3.5, run);
    assert_true(gap > 1.5 * beside);
    assert_near(una_model_info(model)->noise_std, 3, 1e-12, 0);
    assert_true(una_model_info(model)->steps > 400);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* At the centre of the inputs f = b + sum_j v_j tanh(c_j) with b, c_j ~ N(0, alpha) and v_j ~ N(0, alpha/n), so that
 * its variance is alpha (1 + E tanh^2 c) for any number n of units, and alpha (1 + n E tanh^2 c) without the scale. */
static void prior_does_not_grow_with_the_width(void **state)
{
    (void)state;
    enum { PRIOR_DRAWS = 4000, HALF = 2000 };
    una_run *run = quiet_run();
    double x[] = { -1, 0, 1, -0.5, 0.5, 0 }, y[] = { 2, 1, 0, 3, 4, 2 }, f[PRIOR_DRAWS];       /* mean and std: 2, */
    una_dataset *data = NULL, *centre = NULL;                                                  /* sqrt(5/3)        */
    assert_ok(una_dataset_from_arrays(&data, x, y, 6, 1, NULL, run), run);
    assert_ok(una_dataset_from_arrays(&centre, x + 1, y, 1, 1, NULL, run), run);

    for (int i = 0; i < 3; i++) {
        bool scaled = i < 2;
        double alpha = scaled ? 4 : 1, units = i == 1 ? 20 : 5, mean_square = 0, h = 0.005, square = 0;
        char spec[200];
        snprintf(spec, sizeof spec, "hmc(width=%g, warmup=20, samples=5, start_steps=0, max_depth=2, noise_std=1%s)",
                 units, scaled ? "" : ", prior_scale=none");
        una_model *first = fitted(spec, data, NULL, run), *model = copied_model(first, run);
        assert_near(una_model_info(model)->prior_var, alpha, 0, 0);
        assert_ok(una_model_draw(model, centre, PRIOR_DRAWS, 1, f, run), run);

        for (int k = -HALF; k <= HALF; k++) {
            double c = h * k;
            mean_square += h * pow(tanh(sqrt(alpha) * c), 2) * exp(-c * c / 2) / sqrt(2 * acos(-1));
        }
        for (size_t d = 0; d < PRIOR_DRAWS; d++) square += pow(f[d] - 2, 2) / PRIOR_DRAWS;
        double want = alpha * (1 + (scaled ? 1 : units) * mean_square);
        assert_near(square / (5.0 / 3), want, 0.1, 0);           /* 4 standard errors of a variance: 9 % */
        una_model_free(first);
        una_model_free(model);
    }
    una_dataset_free(centre);
    una_dataset_free(data);
    una_run_free(run);
}

/* The posterior of the noise finds it, as the default does; the error of a plain network is near. */
static void noise_is_found(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run_threads(2);
    una_dataset *data = curve_data(cubic, -2, 2, 0.5, 150, run);
    static const char *const how[] = { "noise_std=auto", "sample_noise=yes, noise_prior=inverse_gamma",
                                       "sample_noise=no" };

    for (size_t i = 0; i < 3; i++) {
        char spec[256];
        snprintf(spec, sizeof spec, "hmc(width=6, warmup=150, samples=100, thin=1, max_depth=6, start_steps=500, %s)",
                 how[i]);
        una_model *model = fitted(spec, data, NULL, run);
        assert_near(una_model_info(model)->noise_std, 0.5, i < 2 ? 0.15 : 0.3, 0);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* Own numbers instead of standardised ones: another prior, but the same data and units of the answer. */
static void scaling_and_static_trajectories(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(cubic, -2, 2, 0.5, 40, run);
    una_model *model = fitted("hmc(width=8, scaling=own, prior_var=4, noise_std=0.5, trajectory=static, leapfrog=15, "
                              "warmup=100, samples=60, start_steps=800, mass=scalar, chains=1)", data, NULL, run),
              *copy = copied_model(model, run);

    double at[] = { -1.5, 1.5 }, mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_predict_rows(copy, at, 2, 0.95, &out, run), run);
    assert_near(mean[0], -3.375, 0, 1);
    assert_near(mean[1], 3.375, 0, 1);
    assert_near(una_model_info(model)->noise_std, 0.5, 1e-12, 0);

    una_model_free(model);
    una_model_free(copy);
    una_dataset_free(data);
    una_run_free(run);
}

static void warnings_are_given(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(cubic, -2, 2, 0.5, 30, run);
    una_model *model = fitted("hmc(width=4, warmup=20, samples=12, thin=1, max_depth=1, start_steps=0, noise_std=0.2)",
                              data, NULL, run);
    assert_true(warned(model, "disagree about the function"));
    assert_true(warned(model, "independent ones"));
    assert_true(warned(model, "max_depth=1"));
    una_model_free(model);

    model = fitted("hmc(width=4, head=sampled, warmup=0, mass=unit, samples=300, chains=1, step_size=0.01, "
                   "noise_std=0.2, max_depth=5)", data, NULL, run);
    assert_true(warned(model, "diverged"));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void wrong(const char *spec, una_status status, const char *part, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    assert_status(una_fit(&model, spec, data, NULL, run), status, run);
    assert_null(model);
    assert_says(una_run_message(run), part);
}

static void bad_settings_get_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(cubic, -2, 2, 0.5, 30, run);
    wrong("hmc(thin=10, samples=5)", UNA_E_USAGE, "thin=10", data, run);
    wrong("hmc(warmup=5)", UNA_E_USAGE, "warmup=5", data, run);
    wrong("hmc(warmup=12)", UNA_E_USAGE, "mass", data, run);
    wrong("hmc(step_size=5, noise_std=0.1, mass=unit, max_depth=4)", UNA_E_NUMERIC, "step_size=5", data, run);
    wrong("hmc(step_size=5, noise_std=0.1, mass=unit, trajectory=static)", UNA_E_NUMERIC, "step_size=5", data, run);
    una_dataset_free(data);
    una_run_free(run);
}

/* Rows of the caller's do not join the posterior and are scored by the mixture. */
static void own_valid_rows_are_scored(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(cubic, -2, 2, 0.5, 40, run), *valid = curve_data(cubic, -1.9, 1.9, 0.5, 21, run);
    const char *spec = "hmc(width=6, warmup=60, samples=60, max_depth=5, start_steps=300, noise_std=0.5)";
    una_model *model = fitted(spec, data, &SIZED(una_fit_settings, .valid = valid), run);

    const una_fit_info *info = una_model_info(model);
    assert_int_equal(info->valid_rows, 21);
    double *p = predicted(model, valid, run), square = 0;
    for (size_t i = 0; i < 21; i++) square += pow(p[i] - una_dataset_numbers(valid, 1)[i], 2);
    assert_near(info->valid_rmse, sqrt(square / 21), 1e-9, 0);
    assert_true(info->valid_log_lik < 0.5 && info->valid_log_lik > -3);

    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(valid);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_agrees_with_differences), cmocka_unit_test(noise_priors_are_densities),
        cmocka_unit_test(ranks_are_uniform), cmocka_unit_test(doubt_grows_in_the_gap),
        cmocka_unit_test(prior_does_not_grow_with_the_width), cmocka_unit_test(noise_is_found),
        cmocka_unit_test(scaling_and_static_trajectories), cmocka_unit_test(warnings_are_given),
        cmocka_unit_test(bad_settings_get_a_sentence), cmocka_unit_test(own_valid_rows_are_scored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
