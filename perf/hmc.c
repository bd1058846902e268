/* SPDX-License-Identifier: MIT
 *
 * The sampler against the NumPy peer: a 1-50-1 tanh network on the cubic gap, prior N(0, 1) on all weights, noise std
 * 3, standardised data; one chain on one core.
 *
 *   hmc [--steps L] [--eps E] [--draws N] [--nuts N] [--depth D] [--kernels NAME]
 *
 * First line: the peer's own sampler (fixed step and length, unit mass, steps jittered as there by 20 % through the
 * length), for gradient evaluations a second. Second line: nuts with our adaptation, for the smallest effective sample
 * size a second over function values at nine inputs, by the peer's estimator (rank-free, pairs of autocorrelations
 * while positive).
 */
#include "models/hmc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 100, HIDDEN = 50, PROBES = 9 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void standardise(double *v, double *scale)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < ROWS; i++) mean += v[i] / ROWS;
    for (size_t i = 0; i < ROWS; i++) square += (v[i] - mean) * (v[i] - mean) / ROWS;
    *scale = sqrt(square);
    for (size_t i = 0; i < ROWS; i++) v[i] = (v[i] - mean) / *scale;
}

static double peer_ess(const double *z, size_t n)
{
    double mean = 0, variance = 0, tau = 1;
    for (size_t i = 0; i < n; i++) mean += z[i] / (double)n;
    for (size_t i = 0; i < n; i++) variance += (z[i] - mean) * (z[i] - mean);
    for (size_t k = 1; k + 1 < n; k += 2) {
        double pair = 0;
        for (size_t i = 0; i + k < n; i++)
            pair += (z[i] - mean) * ((z[i + k] - mean) + (i + k + 1 < n ? z[i + k + 1] - mean : 0));
        if (!(pair > 0)) break;
        tau += 2 * pair / variance;
    }
    return (double)n / tau;
}

static double f_at(const double *q, double x)
{
    double f = q[3 * HIDDEN];
    for (size_t j = 0; j < HIDDEN; j++) f += q[2 * HIDDEN + j] * tanh(q[j] * x + q[HIDDEN + j]);
    return f;
}

static double smallest_ess(const una_chain *chain, size_t dimension)
{
    double least = HUGE_VAL, *z = calloc(chain->count, sizeof *z);
    for (size_t i = 0; z && i < PROBES; i++) {
        for (size_t k = 0; k < chain->count; k++) z[k] = f_at(chain->draws + k * dimension, -1.2 + 0.3 * (double)i);
        least = fmin(least, peer_ess(z, chain->count));
    }
    free(z);
    return least;
}

/* seconds of the samples alone, as the peer counts them: the tick before the first sample starts the watch. */
typedef struct watch { double start, share; } watch;

static int tick(void *context, const una_progress *progress)
{
    watch *w = context;
    if (w->start == 0 && progress->fraction >= w->share) w->start = now();
    return 0;
}

static void report(const char *name, const una_bnn *bnn, const una_hmc *how, una_run_settings settings)
{
    watch w = { 0, ((double)how->warmup - 0.5) / (double)(how->warmup + how->samples) };
    una_run *run;
    settings.progress = tick;
    settings.callbacks = &w;
    if (una_run_new(&run, &settings) != UNA_OK) return;
    una_bnn b = *bnn;
    una_chain chain;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    una_arena arena;
    double start[3 * HIDDEN + 1];
    una_arena_init(&arena, run);
    for (size_t i = 0; i < 3 * HIDDEN + 1; i++) start[i] = 0.3 * una_rng_normal(&rng);
    una_status status = una_bnn_take(&b, una_kernels_named_f64(settings.kernels), &arena, run);
    una_target target = { 3 * HIDDEN + 1, &b, una_bnn_potential };
    if (status == UNA_OK) status = una_hmc_sample(&chain, &target, how, start, &rng, &arena, run);
    double seconds = now() - w.start, ess = status == UNA_OK ? smallest_ess(&chain, target.dimension) : NAN;
    if (status == UNA_OK)
        printf("{\"sampler\": \"una %s\", \"gradients_per_s\": %.0f, \"acceptance\": %.3f, \"step\": %.5f, "
               "\"gradients_per_draw\": %.0f, \"min_ess\": %.1f, \"min_ess_per_s\": %.2f, \"divergent\": %zu}\n", name,
               (double)chain.sample_gradients / seconds, chain.acceptance, chain.step_size,
               (double)chain.sample_gradients / (double)how->samples, ess, ess / seconds, chain.divergent);
    else fprintf(stderr, "hmc: %s\n", una_run_message(run));
    una_arena_free(&arena);
    una_run_free(run);
}

int main(int argc, char **argv)
{
    una_hmc same = { .trajectory = UNA_STATIC, .mass = UNA_MASS_UNIT, .warmup = 300, .samples = 1000, .thin = 1,
                     .step_size = 0.0015, .accept = 0.8, .leapfrog = 50, .jitter = 0.2, .max_depth = 10,
                     .stage = "sampling" };
    size_t nuts = 250;
    una_run_settings settings = { .threads = 1 };
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--steps") == 0) same.leapfrog = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--eps") == 0) same.step_size = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--draws") == 0) same.samples = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--nuts") == 0) nuts = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--depth") == 0) same.max_depth = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--kernels") == 0) settings.kernels = argv[i + 1];
        else return fprintf(stderr, "hmc: unknown argument %s\n", argv[i]), 1;
    }
    double x[ROWS], y[ROWS], scale;
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 1);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (i < ROWS / 2 ? -4 : 2) + 2 * una_rng_uniform(&rng);
        y[i] = x[i] * x[i] * x[i] + 3 * una_rng_normal(&rng);
    }
    standardise(x, &scale);
    standardise(y, &scale);
    una_bnn bnn = { .net = { .depth = 1, .size = { 1, HIDDEN, 1 }, .activation = UNA_TANH }, .x = x, .y = y,
                    .rows = ROWS, .prior_var = 1, .noise_var = 9 / (scale * scale) };
    una_net_shape(&bnn.net);
    report("static", &bnn, &same, settings);
    una_hmc adapted = same;
    adapted.trajectory = UNA_NUTS;
    adapted.mass = UNA_MASS_DIAGONAL;
    adapted.step_size = UNA_AUTO;
    adapted.warmup = 300;
    adapted.samples = nuts;
    if (nuts) report("nuts", &bnn, &adapted, settings);
    return 0;
}
