/* SPDX-License-Identifier: MIT
 *
 * What golden.c and golden_net.h share: one reference file, the network problem in it, and named results.
 */
#ifndef UNA_GOLDEN_H
#define UNA_GOLDEN_H

#include "infer/head.h"
#include "nn/net.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct golden {                          /* one file being checked */
    una_run *run;
    una_arena *arena;                            /* all memory of the file */
    json_t *in, *out;
    const char *kind;
    double rtol, atol;
    char reason[400];                            /* why it failed */
} golden;

typedef struct problem {                         /* `in` of a network kind; what a kind has not is NULL or 0 */
    una_net net;
    double *parameters;                          /* [net.parameters] */
    size_t rows, stars;
    double *x, *y, *g, *delta, *x_star;
    double noise_var, prior_var, gamma, lambda;
} problem;

/* A result: rank 0, 1 or 2. scale: the size of the terms that were added up to it, 0 for its own size. */
typedef struct tensor {
    char name[32];
    size_t rank, shape[2];
    double *value, scale;
} tensor;

typedef struct answer {
    tensor tensor[2 * (UNA_MAX_LAYERS + 1) + 8];
    size_t count;
} answer;

/* Writes why the file failed; always false. */
static bool refuse(golden *file, const char *format, ...) UNA_PRINTF(2, 3);

/* Room for a result in the answer; the caller fills it. rows or cols 0 leaves that dimension out. */
static double *put(golden *file, answer *results, const char *name, size_t rows, size_t cols)
{
    tensor *at = &results->tensor[results->count++];
    snprintf(at->name, sizeof at->name, "%s", name);
    at->rank = rows == 0 ? 0 : cols == 0 ? 1 : 2;
    at->shape[0] = rows ? rows : 1;
    at->shape[1] = cols ? cols : 1;
    at->scale = 0;
    at->value = UNA_GET(file->arena, double, at->shape[0] * at->shape[1]);
    return at->value;
}

static bool put_scalar(golden *file, answer *results, const char *name, double value, double scale)
{
    double *at = put(file, results, name, 0, 0);
    if (!at) return refuse(file, "%s", "out of memory");
    *at = value;
    results->tensor[results->count - 1].scale = scale;
    return true;
}

/* N/2 log(2 pi s2), which the library leaves out of the loss. */
static double noise_constant(const problem *p)
{
    return 0.5 * (double)p->rows * log(2 * 3.14159265358979323846 * p->noise_var);
}

static const char *const kernel_sets[] = { "generic", "avx2", "avx512" };
enum { KERNEL_SETS = 3 };

#endif
