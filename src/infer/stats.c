/* SPDX-License-Identifier: MIT
 *
 * Sufficient statistics of the linear head: Phi'Phi, Phi'y, y'y, n. They add up, so chunks, ranks and later rows
 * give the posterior of all rows at once, up to rounding.
 */
#include "infer/head.h"

#include <string.h>

enum { BLOCK = 64 };

void una_stats_init(una_stats *stats, size_t features, una_arena *arena)
{
    *stats = (una_stats){ .features = features };
    /* Two factors: the arena refuses a product that overflows. */
    stats->gram = una_arena_get(arena, features, features * sizeof(double));
    stats->moment = UNA_GET(arena, double, features);
}

void una_stats_clear(una_stats *s)
{
    memset(s->gram, 0, s->features * s->features * sizeof *s->gram);
    memset(s->moment, 0, s->features * sizeof *s->moment);
    s->square = s->rows = 0;
}

double *una_phi_with_one(size_t rows, size_t features, una_arena *arena)
{
    double *phi = UNA_GET_ROWS(arena, double, rows * features);
    for (size_t r = 0; phi && r < rows; r++) phi[r * features + features - 1] = 1;
    return phi;
}

void una_stats_add(una_stats *stats, const double *phi, const double *y, size_t rows)
{
    size_t k = stats->features;
    una_gram_add(stats->gram, phi, rows, k);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        una_combine(stats->moment, y + from, phi + from * k, k, count, k);
        stats->square += una_dot(y + from, y + from, count);
    }
    stats->rows += (double)rows;
}

void una_stats_merge(una_stats *stats, const una_stats *other)
{
    size_t k = stats->features;
    for (size_t i = 0; i < k * k; i++) stats->gram[i] += other->gram[i];
    for (size_t i = 0; i < k; i++) stats->moment[i] += other->moment[i];
    stats->square += other->square;
    stats->rows += other->rows;
}

una_status una_stats_check(const una_stats *stats, una_run *run)
{
    size_t k = stats->features;
    bool gram = true, targets = isfinite(stats->square);
    for (size_t i = 0; i < k * k; i++) gram = gram && isfinite(stats->gram[i]);
    for (size_t i = 0; i < k; i++) targets = targets && isfinite(stats->moment[i]);
    if (!gram) UNA_FAIL(run, UNA_E_NUMERIC, "the features are not finite, or their squares overflow; scale the inputs");
    if (!targets) UNA_FAIL(run, UNA_E_NUMERIC, "the targets are not finite, or their squares overflow; scale them");
    return UNA_OK;
}
