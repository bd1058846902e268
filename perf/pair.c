/* SPDX-License-Identifier: MIT
 *
 * Two models at once on two cores against one alone: time of both / time of one, 1.00 when nothing is shared. Beside it
 * the same for a bare loop of products in registers and first cache, which shows what the machine itself gives.
 *
 *   pair [--case cubic|boston|kin8nm] [--steps N] [--pairs N]
 *
 * Pairs are interleaved, so that a slow spell of the machine hits both sides; medians are printed.
 */
#define _GNU_SOURCE
#include "cases.h"

#include <pthread.h>
#include <sched.h>

#ifdef UNA_HAS_libxsmm
#include <libxsmm.h>
static const char bare[] = "libxsmm product";
#else
static const char bare[] = "product kernel";
#endif

enum { MOST_PAIRS = 101, ROWS = 96, WIDE = 48 };

typedef struct worker {
    const perf_case *c;                  /* NULL: products only */
    const numbers *data;
    size_t steps;
    size_t core;
    int bad;
    pthread_barrier_t *start;
    double end;
} worker;

static int train(const worker *w)
{
    una_run *run;
    if (una_run_new(&run, &(una_run_settings){ .size = sizeof(una_run_settings), .threads = 1 })) return 1;

    una_net net = network(w->c, false, false);
    una_training_settings how = settings(w->c, w->steps, false, false);
    una_train_data_f32 rows = { w->data->x32, w->data->y32, w->c->rows, 1, { w->c->inputs, NULL } };
    una_trained trained;
    una_arena arena;
    una_arena_init(&arena, run);
    float *parameters = UNA_GET(&arena, float, net.parameters);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);

    int bad = !parameters;
    if (!bad) una_net_initialise_f32(&net, 0, 1, &rng, parameters, NULL);
    bad = bad || una_train_f32(&net, parameters, &rows, &how, NULL, &trained, &arena, run) != UNA_OK;

    una_arena_free(&arena);
    una_run_free(run);
    return bad;
}

static int multiply(const worker *w)
{
    float *a = calloc(ROWS * WIDE, 4), *b = calloc(WIDE * WIDE, 4), *c = calloc(ROWS * WIDE, 4);
    int bad = !a || !b || !c;

#ifdef UNA_HAS_libxsmm
    const float one = 1, zero = 0;       /* column-major: C' = B'A' */
    libxsmm_smmfunction product = libxsmm_smmdispatch(WIDE, ROWS, WIDE, NULL, NULL, NULL, &one, &zero, NULL, NULL);
    bad |= !product;
    for (size_t i = 0; !bad && i < 200 * w->steps; i++) product(b, a, c);
#else
    const una_kernels_f32 *kern = una_kernels_named_f32(NULL);
    for (size_t i = 0; !bad && i < 200 * w->steps; i++)
        kern->product(ROWS, WIDE, WIDE, UNA_ROWS(a, WIDE), UNA_ROWS(b, WIDE), UNA_INTO(c, WIDE));
#endif

    free(a);
    free(b);
    free(c);
    return bad;
}

static void *work(void *context)
{
    worker *w = context;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(w->core, &cores);
    w->bad = pthread_setaffinity_np(pthread_self(), sizeof cores, &cores);
    pthread_barrier_wait(w->start);
    w->bad |= w->c ? train(w) : multiply(w);
    w->end = now();
    return NULL;
}

/* Microseconds from the start of `count` workers to the end of the last; below zero when one failed. */
static double race(const worker *like, size_t count, const size_t cores[2])
{
    worker w[2] = { *like, *like };
    pthread_t thread[2];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)count + 1);

    for (size_t i = 0; i < count; i++) {
        w[i].core = cores[i];
        w[i].start = &start;
        if (pthread_create(&thread[i], NULL, work, &w[i])) return -1;
    }

    pthread_barrier_wait(&start);
    double from = now(), to = from;
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
        to = fmax(to, w[i].end);
        bad |= w[i].bad;
    }
    pthread_barrier_destroy(&start);
    return bad ? -1 : to - from;
}

static int compare(const char *what, const worker *like, size_t pairs, const size_t cores[2])
{
    double ratio[MOST_PAIRS];
    for (size_t i = 0; i < pairs; i++) {
        size_t first = i % 2 ? 2 : 1;                            /* each in turn begins */
        double a = race(like, first, cores), b = race(like, 3 - first, cores);
        if (a <= 0 || b <= 0) return fprintf(stderr, "pair: %s failed\n", what), 1;
        ratio[i] = first == 1 ? b / a : a / b;
    }
    qsort(ratio, pairs, sizeof *ratio, by_value);
    printf("| %s | %zu | %.3f | %.3f | %.3f |\n", what, pairs, ratio[pairs / 2], ratio[0], ratio[pairs - 1]);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = "boston";
    size_t steps = 300, pairs = 11;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--case") == 0) name = argv[i + 1];
        else if (strcmp(argv[i], "--steps") == 0) steps = (size_t)atol(argv[i + 1]);
        else if (strcmp(argv[i], "--pairs") == 0) pairs = (size_t)atol(argv[i + 1]);
        else return fprintf(stderr, "pair: unknown argument %s\n", argv[i]), 1;
    }

    const perf_case *c = case_named(name);
    cpu_set_t allowed;
    size_t cores[2] = { 0, 0 }, found = 0;
    if (!c || pairs == 0 || pairs > MOST_PAIRS)
        return fprintf(stderr, "pair: the cases are cubic, boston and kin8nm\n"), 1;
    if (sched_getaffinity(0, sizeof allowed, &allowed)) return 1;
    for (size_t i = CPU_SETSIZE; i-- > 0 && found < 2;)
        if (CPU_ISSET(i, &allowed)) cores[found++] = i;
    if (found < 2) return fprintf(stderr, "pair: two cores are needed\n"), 1;

    numbers data = invent(c);
    char title[64];
    snprintf(title, sizeof title, "two LUNA models (%s)", name);
    int bad = compare(title, &(worker){ .c = c, .data = &data, .steps = steps }, pairs, cores)
           || compare(bare, &(worker){ .steps = steps }, pairs, cores);
    forget(&data);
    return bad;
}
