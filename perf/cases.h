/* SPDX-License-Identifier: MIT
 *
 * The three cases that are timed, the same as those of the PyTorch peer, and the clock. For luna_step.c and pair.c.
 */
#ifndef UNA_PERF_CASES_H
#define UNA_PERF_CASES_H

#include "base/base.h"
#include "nn/luna_step.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct perf_case { const char *name; size_t rows, inputs, batch, heads; } perf_case;

/* Rows are whole batches, so that every step has `batch` rows. NULL for an unknown name. */
static inline const perf_case *case_named(const char *name)
{
    static const perf_case cases[] = {
        { "cubic", 100, 1, 100, 25 }, { "boston", 256, 13, 128, 50 }, { "kin8nm", 6528, 8, 128, 50 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

static inline double now(void)           /* microseconds */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static inline int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct numbers { float *x32, *y32; double *x64, *y64; } numbers;

static inline numbers invent(const perf_case *c)
{
    size_t cells = c->rows * c->inputs;
    numbers n = { calloc(cells, 4), calloc(c->rows, 4), calloc(cells, 8), calloc(c->rows, 8) };
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < c->rows; i++)
        for (size_t d = 0; d < c->inputs; d++) {
            double x = una_rng_normal(&rng);
            n.x64[i * c->inputs + d] = n.x32[i * c->inputs + d] = (float)x;
            n.y64[i] += x * x * x;
            n.y32[i] = (float)n.y64[i];
        }
    return n;
}

static inline void forget(numbers *n)
{
    free(n->x32);
    free(n->y32);
    free(n->x64);
    free(n->y64);
}

static inline una_training_settings settings(const perf_case *c, size_t steps, bool plain, bool exact)
{
    double heads = (double)c->heads, scale = 2 * (double)c->batch / (heads * (heads - 1));
    return (una_training_settings){ .descent = { .steps = steps, .rate = 1e-3, .validate_every = 50,
                                                 .stage = "timing" },
                                    .batch = c->batch, .fit_weight = 1 / (2 * 9.0), .penalty = 1e-4,
                                    .diversity = plain ? 0 : 0.1 / scale, .exact = exact, .perturbation_std = 0.1 };
}

static inline una_net network(const perf_case *c, bool tanh_net, bool plain)
{
    una_net net = { .depth = 2, .size = { c->inputs, 50, 50, plain ? 1 : c->heads },
                    .activation = tanh_net ? UNA_TANH : UNA_RELU };
    una_net_shape(&net);
    return net;
}

#endif
