/* SPDX-License-Identifier: MIT
 *
 * The sampler against a peer: a 1-50-1 tanh network on the cubic gap, prior N(0, 1) on all weights, noise std 3,
 * standardised data; one chain on one core.
 *
 *   hmc [--runs R] [--steps L] [--eps E] [--draws N] [--nuts N] [--sampled N] [--accept A] [--depth D] [--kernels NAME]
 *       [--data FILE] [--peer COMMAND]
 *
 * Every run has its own seed and prints, in turn,
 *   peer         what COMMAND prints, called with --steps, --eps and --draws: one line of JSON with gradients_per_s and
 *                min_ess_per_s
 *   static       the peer's own sampler: all weights, fixed step and length, unit mass; for gradients a second
 *   sampled      nuts on all weights with our adaptation (--sampled draws; none by default)
 *   integrated   the model's default: nuts on the hidden weights, the head integrated out and drawn exactly
 * and at the end the medians over the runs and their ratios to the peer's. The smallest effective sample size is over
 * function values at nine inputs, by the peer's estimator (rank-free, pairs of autocorrelations while positive).
 * Seconds are those of the samples alone, as the peer counts them, the drawing of heads included. --data: 100 lines
 * "x,y" in place of our own rows, so that both have the same. Flops of a gradient of all weights, for each row and
 * unit: PASSES (z, f, 1 - h^2, back to w, b, v) and TANH more, as tanh_avx512.h has them.
 * The peak is the double product kernel on matrices in the cache.
 */
#define _POSIX_C_SOURCE 200809L
#include "train/bnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 100, HIDDEN = 50, WEIGHTS = 3 * HIDDEN + 1, PROBES = 9, MOST_RUNS = 64, PASSES = 13, TANH = 27 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak(const una_kernels_f64 *kern)          /* GFLOP/s */
{
    static double a[96 * 64], b[64 * 64], c[96 * 64];
    double best = 0;
    for (int size = 16; size <= 64; size += 16)
        for (int again = 0; again < 40; again++) {
            double start = now();
            for (int i = 0; i < 50; i++) kern->product(96, (size_t)size, 64, UNA_ROWS(a, 64), UNA_ROWS(b, 64),
                                                       UNA_ONTO(c, 64));
            best = fmax(best, 50 * 2.0 * 96 * size * 64 / (now() - start) * 1e-9);
        }
    return best;
}

/* ---- data ----------------------------------------------------------------------------------------------------- */

static bool read_rows(const char *path, double *x, double *y)
{
    FILE *file = fopen(path, "r");
    size_t rows = 0;
    while (file && rows < ROWS && fscanf(file, "%lf,%lf", &x[rows], &y[rows]) == 2) rows++;
    if (file) fclose(file);
    return rows == ROWS;
}

static void make_rows(double *x, double *y)
{
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 1);
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (i < ROWS / 2 ? -4 : 2) + 2 * una_rng_uniform(&rng);
        y[i] = x[i] * x[i] * x[i] + 3 * una_rng_normal(&rng);
    }
}

static void standardise(double *v, double *scale)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < ROWS; i++) mean += v[i] / ROWS;
    for (size_t i = 0; i < ROWS; i++) square += (v[i] - mean) * (v[i] - mean) / ROWS;
    *scale = sqrt(square);
    for (size_t i = 0; i < ROWS; i++) v[i] = (v[i] - mean) / *scale;
}

/* ---- effective sample size --------------------------------------------------------------------------------------- */

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

static double smallest_ess(const double *draws, size_t count)
{
    double least = HUGE_VAL, *z = calloc(count, sizeof *z);
    for (size_t i = 0; z && i < PROBES; i++) {
        for (size_t k = 0; k < count; k++) z[k] = f_at(draws + k * WEIGHTS, -1.2 + 0.3 * (double)i);
        least = fmin(least, peer_ess(z, count));
    }
    free(z);
    return least;
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

typedef struct figures { double gradients[MOST_RUNS], ess[MOST_RUNS]; size_t runs; } figures;    /* a second */

/* The tick before the first sample starts the watch. */
typedef struct watch { double start, share; } watch;

static int tick(void *context, const una_progress *progress)
{
    watch *w = context;
    if (w->start == 0 && progress->fraction >= w->share) w->start = now();
    return 0;
}

static una_status sample(una_chain *chain, una_bnn *bnn, const una_hmc *how, bool integrated, una_rng *rng,
                         una_arena *arena, una_run *run)
{
    double start[WEIGHTS];
    UNA_TRY(una_bnn_take(bnn, una_kernels_named_f64(run->settings.kernels), arena));
    UNA_TRY(una_bnn_marginal_take(bnn, arena));

    una_target target = { WEIGHTS, bnn, una_bnn_potential };
    if (integrated) target = (una_target){ una_bnn_marginal_dimension(bnn), bnn, una_bnn_marginal };
    for (size_t i = 0; i < WEIGHTS; i++) start[i] = 0.3 * una_rng_normal(rng);
    UNA_TRY(una_hmc_sample(chain, &target, how, start, rng, arena, run));
    if (!integrated) return UNA_OK;

    const double *moved = chain->draws;
    chain->draws = UNA_GET(arena, double, chain->count * WEIGHTS);
    UNA_TRY(una_arena_check(arena));
    for (size_t k = 0; k < chain->count; k++)
        una_bnn_complete(bnn, moved + k * target.dimension, rng, chain->draws + k * WEIGHTS);
    return UNA_OK;
}

static void report(const char *name, const una_bnn *of, const una_hmc *how, size_t seed, una_run_settings settings,
                   figures *all)
{
    bool integrated = strcmp(name, "integrated") == 0;
    watch w = { 0, ((double)how->warmup - 0.5) / (double)(how->warmup + how->samples) };
    una_run *run;
    settings.progress = tick;
    settings.callbacks = &w;
    if (how->samples == 0 || una_run_new(&run, &settings) != UNA_OK) return;

    una_bnn bnn = *of;
    una_chain chain;
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    una_arena arena;
    una_arena_init(&arena, run);

    double begun = now();
    una_status status = sample(&chain, &bnn, how, integrated, &rng, &arena, run);
    double end = now(), seconds = end - w.start;
    if (status == UNA_OK) {
        double ess = smallest_ess(chain.draws, chain.count), rate = (double)chain.sample_gradients / seconds;
        printf("{\"sampler\": \"una %s\", \"gradients_per_s\": %.0f, \"acceptance\": %.3f, \"step\": %.5f, "
               "\"gradients_per_draw\": %.1f, \"min_ess\": %.1f, \"min_ess_per_s\": %.2f, \"divergent\": %zu, "
               "\"warmup_s\": %.3f}\n", name, rate, chain.acceptance, chain.step_size,
               (double)chain.sample_gradients / (double)how->samples, ess, ess / seconds, chain.divergent,
               w.start - begun);
        all->gradients[all->runs] = rate;
        all->ess[all->runs++] = ess / seconds;
    } else fprintf(stderr, "hmc: %s\n", una_run_message(run));

    fflush(stdout);
    una_arena_free(&arena);
    una_run_free(run);
}

static double field(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    return at && (at = strchr(at, ':')) ? strtod(at + 1, NULL) : NAN;
}

static void run_peer(const char *command, const una_hmc *how, figures *all)
{
    char text[1024], line[1024];
    snprintf(text, sizeof text, "%s --steps %zu --eps %g --draws %zu", command, how->leapfrog, how->step_size,
             how->samples);
    FILE *pipe = popen(text, "r");
    if (pipe && fgets(line, sizeof line, pipe)) {
        fputs(line, stdout);
        all->gradients[all->runs] = field(line, "\"gradients_per_s\"");
        all->ess[all->runs++] = field(line, "\"min_ess_per_s\"");
    }
    if (pipe) pclose(pipe);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, ascending);
    return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : NAN;
}

static void summarise(figures *peer, figures *same, figures *own, double most)
{
    double flops = (double)(PASSES + TANH) * ROWS * HIDDEN, rate = median(same->gradients, same->runs),
           ess = median(own->ess, own->runs);
    printf("medians of %zu: static %.0f gradients/s, %.1f GFLOP/s of %.1f (%.0f %%; %.1f without the tanh); integrated "
           "%.1f ESS/s\n", same->runs, rate, rate * flops * 1e-9, most, rate * flops * 1e-7 / most,
           rate * 1e-9 * PASSES * ROWS * HIDDEN, ess);
    if (peer->runs == 0) return;
    double peer_rate = median(peer->gradients, peer->runs), peer_ess_rate = median(peer->ess, peer->runs);
    printf("peer %.0f gradients/s, %.2f ESS/s: %.1f times its gradients, %.1f times its effective samples\n", peer_rate,
           peer_ess_rate, rate / peer_rate, ess / peer_ess_rate);
}

typedef struct order {
    una_hmc same;
    size_t runs, nuts, sampled;
    const char *data, *peer;
    una_run_settings settings;
} order;

static int parse(int argc, char **argv, order *o)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--steps") == 0) o->same.leapfrog = (size_t)atol(value);
        else if (strcmp(name, "--eps") == 0) o->same.step_size = atof(value);
        else if (strcmp(name, "--draws") == 0) o->same.samples = (size_t)atol(value);
        else if (strcmp(name, "--runs") == 0) o->runs = (size_t)atol(value);
        else if (strcmp(name, "--nuts") == 0) o->nuts = (size_t)atol(value);
        else if (strcmp(name, "--sampled") == 0) o->sampled = (size_t)atol(value);
        else if (strcmp(name, "--accept") == 0) o->same.accept = atof(value);
        else if (strcmp(name, "--depth") == 0) o->same.max_depth = (size_t)atol(value);
        else if (strcmp(name, "--kernels") == 0) o->settings.kernels = value;
        else if (strcmp(name, "--data") == 0) o->data = value;
        else if (strcmp(name, "--peer") == 0) o->peer = value;
        else return fprintf(stderr, "hmc: unknown argument %s\n", name), 1;
    }

    return o->runs > MOST_RUNS ? fprintf(stderr, "hmc: at most %d runs\n", MOST_RUNS), 1 : 0;
}

int main(int argc, char **argv)
{
    order o = { .runs = 1, .nuts = 1000, .settings = { .size = sizeof o.settings, .threads = 1 },
                .same = { .trajectory = UNA_STATIC, .mass = UNA_MASS_UNIT, .warmup = 300, .samples = 1000, .thin = 1,
                          .step_size = 0.0015, .accept = 0.8, .leapfrog = 50, .jitter = 0.2, .max_depth = 9,
                          .stage = "sampling" } };
    if (parse(argc, argv, &o)) return 1;

    double x[ROWS], y[ROWS], scale;
    if (!o.data) make_rows(x, y);
    else if (!read_rows(o.data, x, y)) return fprintf(stderr, "hmc: %s does not hold %d lines x,y\n", o.data, ROWS), 1;
    standardise(x, &scale);
    standardise(y, &scale);

    una_bnn bnn = { .net = { .depth = 1, .size = { 1, HIDDEN, 1 }, .activation = UNA_TANH }, .x = x, .y = y,
                    .rows = ROWS, .prior_var = 1, .noise_var = 9 / (scale * scale) };
    una_net_shape(&bnn.net);

    figures peer = { .runs = 0 }, same = peer, sampled = peer, own = peer;
    una_hmc adapted = o.same, all_weights;
    adapted.trajectory = UNA_NUTS;
    adapted.mass = UNA_MASS_DIAGONAL;
    adapted.step_size = UNA_AUTO;
    adapted.samples = o.nuts;
    all_weights = adapted;
    all_weights.samples = o.sampled;

    for (size_t r = 0; r < o.runs; r++) {
        if (o.peer) run_peer(o.peer, &o.same, &peer);
        report("static", &bnn, &o.same, r + 1, o.settings, &same);
        report("sampled", &bnn, &all_weights, r + 1, o.settings, &sampled);
        report("integrated", &bnn, &adapted, r + 1, o.settings, &own);
    }
    summarise(&peer, &same, &own, peak(una_kernels_named_f64(o.settings.kernels)));
    return 0;
}
