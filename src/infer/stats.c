/* SPDX-License-Identifier: MIT
 *
 * Sufficient statistics of the linear head: Phi'Phi, Phi'y, y'y, n, and the sum of log c of rows that count c times.
 * They add up, so chunks, ranks and later rows give the posterior of all rows at once, up to rounding.
 */
#include "infer/head.h"

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
    s->square = s->rows = s->log_count = 0;
}

double *una_phi_with_one(size_t rows, size_t features, una_arena *arena)
{
    double *phi = UNA_GET_ROWS(arena, double, rows * features);
    for (size_t r = 0; phi && r < rows; r++) phi[r * features + features - 1] = 1;
    return phi;
}

/* At most BLOCK rows. */
static void add_target_products(una_stats *stats, const double *phi, const double *y, size_t rows)
{
    una_combine(stats->moment, y, phi, stats->features, rows, stats->features);
    stats->square += una_dot(y, y, rows);
}

una_status una_stats_add(una_stats *stats, const double *phi, const double *y, size_t rows, una_run *run)
{
    size_t k = stats->features;
    UNA_TRY(una_gram_add(stats->gram, phi, rows, k, run));
    for (size_t from = 0; from < rows; from += BLOCK)
        add_target_products(stats, phi + from * k, y + from, rows - from < BLOCK ? rows - from : BLOCK);
    stats->rows += (double)rows;
    return UNA_OK;
}

/* Products of sqrt(c) phi and sqrt(c) y are those of rows that count c times; counts of 1 leave every bit. */
una_status una_stats_add_counted(una_stats *stats, double *phi, const double *y, const double *count, size_t rows,
                                 una_run *run)
{
    size_t k = stats->features;
    double scaled[BLOCK];
    if (!count) return una_stats_add(stats, phi, y, rows, run);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t some = rows - from < BLOCK ? rows - from : BLOCK;
        for (size_t r = 0; r < some; r++) {
            double root = sqrt(count[from + r]), *row = phi + (from + r) * k;
            for (size_t j = 0; j < k; j++) row[j] *= root;
            scaled[r] = root * y[from + r];
            stats->log_count += log(count[from + r]);
        }
        add_target_products(stats, phi + from * k, scaled, some);
    }
    UNA_TRY(una_gram_add(stats->gram, phi, rows, k, run));
    stats->rows += (double)rows;
    return UNA_OK;
}

void una_stats_merge(una_stats *stats, const una_stats *other)
{
    size_t k = stats->features;
    for (size_t i = 0; i < k * k; i++) stats->gram[i] += other->gram[i];
    for (size_t i = 0; i < k; i++) stats->moment[i] += other->moment[i];
    stats->square += other->square;
    stats->rows += other->rows;
    stats->log_count += other->log_count;
}

una_status una_stats_sum(una_stats *s, una_run *run)
{
    double rest[3] = { s->square, s->rows, s->log_count };
    UNA_TRY(una_run_sum_f64(s->gram, s->features * s->features, run));
    UNA_TRY(una_run_sum_f64(s->moment, s->features, run));
    UNA_TRY(una_run_sum_f64(rest, 3, run));
    s->square = rest[0];
    s->rows = rest[1];
    s->log_count = rest[2];
    return UNA_OK;
}

una_status una_stats_check(const una_stats *stats, una_run *run)
{
    size_t k = stats->features;
    bool gram = isfinite(stats->log_count), targets = isfinite(stats->square);
    for (size_t i = 0; i < k * k; i++) gram = gram && isfinite(stats->gram[i]);
    for (size_t i = 0; i < k; i++) targets = targets && isfinite(stats->moment[i]);
    if (!gram) UNA_FAIL(run, UNA_E_NUMERIC, "the features are not finite, or their squares overflow; scale the inputs");
    if (!targets) UNA_FAIL(run, UNA_E_NUMERIC, "the targets are not finite, or their squares overflow; scale them");
    return UNA_OK;
}
