/* SPDX-License-Identifier: MIT
 *
 * Time of one LUNA training step in the three cases of the PyTorch peer: 50-50 network, fit, penalty, diversity with a
 * fresh perturbation per point and input, Adam; one core unless --threads says otherwise.
 *
 *   luna_step --case cubic|boston|kin8nm [--steps N] [--tanh] [--nlm] [--exact] [--kernels NAME] [--path plain]
 *             [--block N] [--threads N] [--json] [--check [--seeds N]] [--count]
 *
 * Prints microseconds per step (minimum and median over blocks of 50 steps, or N), the floating-point rate counted
 * without padding, and the rate of the product kernel at its best size. --check compares the first 20 losses with the
 * double reference. --path plain goes through the slopes row by row whatever the shape. --count trains and prints
 * nothing, for a tool that counts instructions.
 */
#include "cases.h"

enum { MOST_BLOCKS = 4096 };
typedef struct stopwatch { double last, block[MOST_BLOCKS]; size_t blocks, steps; } stopwatch;

static una_status lap(void *context, const float *parameters, double *score, una_run *run)
{
    (void)parameters;
    (void)run;
    stopwatch *w = context;
    double at = now();
    if (w->last > 0 && w->blocks < MOST_BLOCKS) w->block[w->blocks++] = (at - w->last) / (double)w->steps;
    w->last = now();
    *score = 0;
    return UNA_OK;
}

/* Flops of a step without padding: network, heads, A and J B, S and K. */
static double flops(const perf_case *c, size_t rows, bool plain)
{
    double n = (double)rows, d = (double)c->inputs, h = 50, m = plain ? 1 : (double)c->heads;
    if (plain) return 6 * n * (d * h + h * h) + 6 * n * h;
    return 6 * n * (d + 1) * (d * h + h * h) + 6 * n * h * m + 4 * n * d * h * h + 6 * m * h * h + 4 * m * m * h;
}

static double peak(const una_kernels_f32 *kern)
{
    static float a[96 * 64], b[64 * 64], c[96 * 64];
    double best = 0;
    for (int size = 16; size <= 64; size += 16)
        for (int again = 0; again < 40; again++) {
            double start = now();
            for (int i = 0; i < 50; i++) kern->product(96, (size_t)size, 64, UNA_ROWS(a, 64), UNA_ROWS(b, 64),
                                                       UNA_ONTO(c, 64));
            double rate = 50 * 2.0 * 96 * size * 64 / (now() - start) * 1e-3;
            if (rate > best) best = rate;
        }
    return best;
}

/* The largest relative difference among the first 20 losses, float against double; NAN if training failed. */
static double disagreement(const perf_case *c, const una_net *net, const numbers *data, una_training_settings how,
                           una_run *run)
{
    how.descent.validate_every = 1;
    una_trained a, b;
    una_arena arena;
    una_arena_init(&arena, run);
    float *p32 = UNA_GET(&arena, float, net->parameters);
    double *p64 = UNA_GET(&arena, double, net->parameters), worst = 0;

    una_rng rng = una_rng_at(1 + how.seed, UNA_FOR_TEST, 0);
    una_net_initialise_f64(net, 0, 1, &rng, p64, NULL);
    for (size_t i = 0; i < net->parameters; i++) p64[i] = p32[i] = (float)p64[i];

    una_train_data_f32 d32 = { data->x32, data->y32, c->rows, 1, { c->inputs, NULL } };
    una_train_data_f64 d64 = { data->x64, data->y64, c->rows, 1, { c->inputs, NULL } };
    int bad = una_train_f32(net, p32, &d32, &how, NULL, &a, &arena, run)
           || una_train_f64(net, p64, &d64, &how, NULL, &b, &arena, run);
    for (size_t i = 0; !bad && i < 20; i++) worst = fmax(worst, fabs(a.loss[i] / b.loss[i] - 1));

    una_arena_free(&arena);
    return bad ? NAN : worst;
}

/* The first seed is judged; more of them say how usual that is: once in a while a probe's step ends across a kink in
 * one precision and not in the other. */
static int check(const perf_case *c, const una_net *net, const numbers *data, una_training_settings how, size_t seeds,
                 una_run *run)
{
    double worst[1000], first = worst[0] = disagreement(c, net, data, how, run);
    printf("first 20 losses, float against double: worst relative difference %.2g (%s)\n", first,
           first < 1e-4 ? "good" : "BAD");
    for (how.seed = 1; how.seed < seeds && how.seed < 1000; how.seed++)
        worst[how.seed] = disagreement(c, net, data, how, run);
    qsort(worst, how.seed, sizeof *worst, by_value);
    if (seeds > 1)
        printf("%zu seeds: median %.2g, nine in ten below %.2g, worst %.2g\n", (size_t)how.seed, worst[how.seed / 2],
               worst[how.seed * 9 / 10], worst[how.seed - 1]);
    return !(first < 1e-4);
}

int main(int argc, char **argv)
{
    const char *name = "boston", *kernels = NULL, *path = NULL;
    size_t steps = 4000, block = 50, seeds = 1;
    int threads = 1;
    bool json = false, tanh_net = false, plain = false, exact = false, checking = false, counting = false;

    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--case") == 0 && more) name = argv[++i];
        else if (strcmp(argv[i], "--steps") == 0 && more) steps = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--block") == 0 && more) block = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && more) threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--kernels") == 0 && more) kernels = argv[++i];
        else if (strcmp(argv[i], "--path") == 0 && more) path = argv[++i];
        else if (strcmp(argv[i], "--seeds") == 0 && more) seeds = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--json") == 0) json = true;
        else if (strcmp(argv[i], "--tanh") == 0) tanh_net = true;
        else if (strcmp(argv[i], "--nlm") == 0) plain = true;
        else if (strcmp(argv[i], "--exact") == 0) exact = true;
        else if (strcmp(argv[i], "--check") == 0) checking = true;
        else if (strcmp(argv[i], "--count") == 0) counting = true;
        else return fprintf(stderr, "luna_step: unknown argument %s\n", argv[i]), 1;
    }

    const perf_case *c = case_named(name);
    if (!c) return fprintf(stderr, "luna_step: the cases are cubic, boston and kin8nm\n"), 1;
    if (block == 0) return fprintf(stderr, "luna_step: a block has at least one step\n"), 1;

    una_run *run;
    una_run_settings with = { .size = sizeof with, .threads = threads, .kernels = kernels, .path = path };
    if (una_run_new(&run, &with)) return 4;
    if (una_kernels_need(run)) return fprintf(stderr, "luna_step: %s\n", una_run_message(run)), 1;
    numbers data = invent(c);
    una_net net = network(c, tanh_net, plain);
    if (checking) return check(c, &net, &data, settings(c, 20, plain, exact), seeds, run);

    una_training_settings how = settings(c, steps, plain, exact);
    how.descent.validate_every = block;
    static stopwatch watch;
    watch.steps = how.descent.validate_every;
    una_validator_f32 laps = { &watch, lap };
    una_train_data_f32 rows = { data.x32, data.y32, c->rows, 1, { c->inputs, NULL } };
    una_trained trained;
    una_arena arena;
    una_arena_init(&arena, run);
    float *parameters = UNA_GET(&arena, float, net.parameters);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    una_net_initialise_f32(&net, 0, 1, &rng, parameters, NULL);
    if (una_train_f32(&net, parameters, &rows, &how, &laps, &trained, &arena, run))
        return fprintf(stderr, "luna_step: %s\n", una_run_message(run)), 3;
    if (counting || watch.blocks == 0) return 0;

    qsort(watch.block, watch.blocks, sizeof *watch.block, by_value);
    double least = watch.block[0], median = watch.block[watch.blocks / 2];
    double rate = flops(c, c->batch, plain) / least * 1e-3;
    const una_kernels_f32 *kern = una_kernels_named_f32(kernels);
    printf(json ? "{\"case\": \"%s\", \"us_per_step\": %.2f, \"us_median\": %.2f, \"gflops\": %.1f, \"peak_gflops\": "
           "%.1f, \"kernels\": \"%s\"}\n"
                : "%s: %.2f us a step (median %.2f), %.1f GFLOP/s, peak %.1f, kernels %s\n",
           name, least, median, rate, peak(kern), kern->name);

    una_arena_free(&arena);
    una_run_free(run);
    forget(&data);
    return 0;
}
