/* SPDX-License-Identifier: MIT
 *
 * Made-up regressions, and the evidence the slow way: the density of y under N(0, s2 I + alpha Phi Phi'), an N x N
 * matrix factored in long double. Nothing here uses the code under test.
 */
#ifndef UNA_INFER_SUPPORT_H
#define UNA_INFER_SUPPORT_H

#include "infer/head.h"
#include "test_support.h"

enum { MOST_ROWS = 400, MOST_FEATURES = 60 };

typedef struct made {
    size_t rows, features;
    double phi[MOST_ROWS * MOST_FEATURES], y[MOST_ROWS];
} made;

/* Gaussian features and a column of ones, last; y from the model with the given standard deviations. */
static inline void make(made *m, size_t rows, size_t features, double weight_std, double noise_std, uint64_t index)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, index);
    double w[MOST_FEATURES];
    m->rows = rows;
    m->features = features;
    for (size_t j = 0; j < features; j++) w[j] = weight_std * una_rng_normal(&rng);

    for (size_t i = 0; i < rows; i++) {
        m->y[i] = noise_std * una_rng_normal(&rng);
        for (size_t j = 0; j < features; j++) {
            double value = j + 1 < features ? una_rng_normal(&rng) : 1;
            m->phi[i * features + j] = value;
            m->y[i] += value * w[j];
        }
    }
}

static inline double evidence_plainly(const made *m, double noise_var, double prior_var)
{
    size_t n = m->rows, k = m->features;
    long double *c = calloc(n * n, sizeof *c), *z = calloc(n, sizeof *z), sum = 0;
    assert_non_null(c);
    assert_non_null(z);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double entry = i == j ? noise_var : 0;
            for (size_t f = 0; f < k; f++) entry += (long double)prior_var * m->phi[i * k + f] * m->phi[j * k + f];
            for (size_t f = 0; f < j; f++) entry -= c[i * n + f] * c[j * n + f];
            c[i * n + j] = i == j ? sqrtl(entry) : entry / c[j * n + j];
        }
        z[i] = m->y[i];
        for (size_t f = 0; f < i; f++) z[i] -= c[i * n + f] * z[f];
        z[i] /= c[i * n + i];
        sum += logl(2 * acosl(-1)) + 2 * logl(c[i * n + i]) + z[i] * z[i];
    }

    free(c);
    free(z);
    return (double)(-sum / 2);
}

/* A solved head of all rows, in `arena`. */
static inline una_head solved(const made *m, double noise_var, double prior_var, una_arena *arena, una_run *run)
{
    una_head head;
    una_head_init(&head, m->features, arena);
    assert_ok(una_arena_check(arena), run);
    una_stats_add(&head.stats, m->phi, m->y, m->rows, NULL);
    head.noise_var = noise_var;
    head.prior_var = prior_var;
    assert_ok(una_head_solve(&head, run), run);
    return head;
}

#endif
