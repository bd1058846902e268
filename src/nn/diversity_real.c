/* SPDX-License-Identifier: MIT
 *
 * LUNA's similarity of heads and its gradient. G = J W' holds the slopes of the M heads at all probes,
 * one column a head:
 *   S = G'G = W A W' with A = J'J,   q_i = S_ii,   P = sum_{i<j} S_ij^2 / (q_i q_j)
 *   K_ij = 2 S_ij/(q_i q_j),   K_ii = -sum_{j != i} 2 S_ij^2/(q_i^2 q_j)
 *   dP/dW = K W A,   dP/dJ = J W'K W:   G itself, probes x inputs x heads, is not formed.
 * Where there are few slopes, G is formed after all (W A = G'J, dP/dJ = G K W): products with A cost the same however
 * few they are. Per point, the same with S of each probe, and P averaged over the probes; G is formed there too.
 * A head without slope (q_i = 0) takes no part. Probes of ranks that train together are one set: their A, or G'J, are
 * added up, and every rank goes back into its own slopes.
 *
 * Several targets have M heads each, W_t, S^t = W_t A W_t' on the diagonal of S, in one of two ways:
 *   summed     each target by itself: P = (1/T) sum_t P(S^t), K^t = K(S^t)/T
 *   jacobian   head m maps to all targets, and its slopes are one vector: P = P(sum_t S^t), K^t = K(sum_t S^t)
 * K has the K^t on its diagonal and is zero elsewhere; the rest is as above.
 */
#include "nn/work.h"

/* By multiplications: of the slopes of all pieces, and of A. */
static bool worth_forming(const WORK *w, double features, double heads)
{
    double rows = (double)(w->piece[0]->pieces * w->most_probes * w->most_directions), squares = features * features;
    return !w->fans && rows * 3 * heads * features < rows * 1.5 * squares + heads * 2 * squares;
}

void REAL(una_diversity_take)(WORK *w, const una_work_size *size, una_arena *arena)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), heads = w->net->heads, heads_wide = UNA_PADDED(heads);
    size_t slopes = (size->per_point ? w->block : w->most_probes) * w->most_directions;
    bool few = size->path != UNA_PATH_PLAIN && worth_forming(w, (double)features, (double)heads_wide);
    const similarity *first = &w->piece[0]->similarity;
    similarity *to = &w->similarity;
    to->way = few ? BY_SLOPES : BY_FEATURES;
    if (size->per_point) to->way = BY_POINT;
    to->s = UNA_GET(arena, real, heads * heads_wide);
    to->k = UNA_GET(arena, real, heads * heads_wide);
    to->inverse = UNA_GET(arena, double, heads);
    if (to->way != BY_FEATURES) to->g = UNA_GET(arena, real, slopes * heads_wide);
    if (to->way == BY_POINT) to->dg = UNA_GET(arena, real, slopes * heads_wide);
    else to->kw = is_first(w) ? UNA_GET(arena, real, heads * wide) : first->kw;
    if (to->way == BY_SLOPES) to->wa = UNA_GET(arena, real, features * heads_wide);
    if (to->way != BY_FEATURES) return;
    to->a = UNA_GET(arena, real, features * wide);
    to->b = is_first(w) ? UNA_GET(arena, real, features * wide) : first->b;
    if (is_first(w)) to->wa = UNA_GET(arena, real, heads * wide);
}

/* What is summed over the probes: A or (W A)', and how many numbers that are; NULL per point. */
static real *sum_over_probes(const WORK *w, size_t *numbers)
{
    const similarity *at = &w->similarity;
    *numbers = w->net->features * UNA_PADDED(at->way == BY_SLOPES ? w->net->heads : w->net->features);
    return at->way == BY_SLOPES ? at->wa : at->a;
}

void REAL(una_diversity_begin)(WORK *w)
{
    size_t numbers;
    real *sum = sum_over_probes(w, &numbers);
    if (sum) memset(sum, 0, numbers * sizeof(real));
}

/* G of a block: the first of its rows. */
static real *head_slopes(const WORK *w, probe_block block, size_t heads_wide)
{
    return w->similarity.g + slopes_at(w, block, heads_wide);
}

/* A += J'J of the block, on and below the diagonal; or (W A)' += J'G. Per point, nothing yet. */
void REAL(una_diversity_gather)(WORK *w, probe_block block)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), rows = slope_rows_in(w, block);
    size_t heads_wide = UNA_PADDED(w->net->heads);
    const real *j = features_slopes(w, block);
    if (w->similarity.way == BY_SLOPES) {
        real *g = head_slopes(w, block, heads_wide);
        w->kern->product(rows, heads_wide, features, UNA_ROWS(j, wide),
                         UNA_ROWS(weights_of(w, w->net->depth), heads_wide), UNA_INTO(g, heads_wide));
        w->kern->product(features, heads_wide, rows, UNA_COLUMNS(j, wide), UNA_ROWS(g, heads_wide),
                         UNA_ONTO(w->similarity.wa, heads_wide));
    } else if (w->similarity.way == BY_FEATURES) w->kern->gram(rows, features, j, wide, w->similarity.a, wide);
}

static void mirror_triangle(real *a, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) a[j * stride + i] = a[i * stride + j];
}

/* The sum of the diagonal blocks [each, each] of S, in the first. */
static void add_blocks(real *s, size_t stride, size_t each, size_t targets)
{
    for (size_t t = 1; t < targets; t++)
        for (size_t i = 0; i < each; i++)
            for (size_t j = 0; j < each; j++) s[i * stride + j] += s[(t * each + i) * stride + t * each + j];
}

static void copy_block(real *k, size_t stride, size_t each, size_t targets)
{
    for (size_t t = 1; t < targets; t++)
        for (size_t i = 0; i < each; i++)
            memcpy(k + (t * each + i) * stride + t * each, k + i * stride, each * sizeof(real));
}

/* P and K from S, of several targets. */
static double solve_targets(const WORK *w, size_t heads, double diversity)
{
    size_t targets = w->objective->targets, stride = UNA_PADDED(heads), each = heads / targets;
    real *s = w->similarity.s, *k = w->similarity.k;
    double *inverse = w->similarity.inverse, share = 1 / (double)targets, p = 0;
    memset(k, 0, heads * stride * sizeof(real));
    if (w->objective->jacobian) {
        add_blocks(s, stride, each, targets);
        p = w->kern->slopes->similarity(each, stride, s, diversity, k, inverse);
        copy_block(k, stride, each, targets);
        return p;
    }
    for (size_t t = 0; t < targets; t++) {
        size_t at = t * each * (stride + 1);
        p += share * w->kern->slopes->similarity(each, stride, s + at, share * diversity, k + at, inverse);
    }
    return p;
}

/* P and K from S. */
static double solve_heads(const WORK *w, double diversity)
{
    const similarity *to = &w->similarity;
    size_t heads = w->net->heads;
    if (w->objective->targets > 1) return solve_targets(w, heads, diversity);
    return w->kern->slopes->similarity(heads, UNA_PADDED(heads), to->s, diversity, to->k, to->inverse);
}

/* P, the heads' gradient, and K W and (from A) W'K W for the slopes' gradient. The pieces' parts are added up in their
 * order. Where others have probes too the sums are those of all, and one of them counts the heads' gradient. */
double REAL(una_diversity_solve)(WORK *w)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), heads = w->net->heads, heads_wide = UNA_PADDED(heads);
    size_t depth = w->net->depth, numbers;
    const real *flat = w->flipped[depth];
    const similarity *to = &w->similarity;
    bool by_slopes = to->way == BY_SLOPES;
    real *sum = sum_over_probes(w, &numbers);
    if (w->objective->per_point) return 0;               /* block by block */
    for (size_t i = 1; i < w->pieces; i++) w->kern->add(numbers, sum_over_probes(w->piece[i], &numbers), sum);
    REAL(una_run_sum)(sum, numbers, w->objective->run);

    if (by_slopes)
        w->kern->product(heads, heads_wide, features, UNA_ROWS(flat, wide), UNA_ROWS(sum, heads_wide),
                         UNA_INTO(to->s, heads_wide));
    else {                                               /* W A, W A W' */
        mirror_triangle(sum, features, wide);
        w->kern->product(heads, wide, features, UNA_ROWS(flat, wide), UNA_ROWS(sum, wide), UNA_INTO(to->wa, wide));
        w->kern->product(heads, heads_wide, features, UNA_ROWS(to->wa, wide),
                         UNA_ROWS(weights_of(w, depth), heads_wide), UNA_INTO(to->s, heads_wide));
    }
    double p = solve_heads(w, w->objective->diversity);

    if (una_run_counts(w->objective->run))               /* (K W A)' */
        w->kern->product(features, heads_wide, heads,
                         by_slopes ? UNA_ROWS(sum, heads_wide) : UNA_COLUMNS(to->wa, wide),
                         UNA_ROWS(to->k, heads_wide), UNA_ONTO(weights_gradient(w, depth), heads_wide));
    w->kern->product(heads, wide, heads, UNA_ROWS(to->k, heads_wide), UNA_ROWS(flat, wide), UNA_INTO(to->kw, wide));
    if (!by_slopes)
        w->kern->product(features, wide, heads, UNA_COLUMNS(flat, wide), UNA_ROWS(to->kw, wide), UNA_INTO(to->b, wide));
    return p;
}

/* Of the probes of a block: G = J W'; then G'G and G K of each. */
static double per_point(WORK *w, probe_block block)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), each = w->batch->directions;
    size_t heads = w->net->heads, heads_wide = UNA_PADDED(heads), rows = slope_rows_in(w, block), depth = w->net->depth;
    const real *j = features_slopes(w, block);
    const similarity *to = &w->similarity;
    double sum = 0;

    w->kern->product(rows, heads_wide, features, UNA_ROWS(j, wide), UNA_ROWS(weights_of(w, depth), heads_wide),
                     UNA_INTO(to->g, heads_wide));
    for (size_t p = 0; p < block.count; p++) {
        const real *g = to->g + p * each * heads_wide;
        real *dg = to->dg + p * each * heads_wide;
        w->kern->product(heads, heads_wide, each, UNA_COLUMNS(g, heads_wide), UNA_ROWS(g, heads_wide),
                         UNA_INTO(to->s, heads_wide));
        sum += solve_heads(w, w->objective->diversity / w->all_probes);
        w->kern->product(each, heads_wide, heads, UNA_ROWS(g, heads_wide), UNA_ROWS(to->k, heads_wide),
                         UNA_INTO(dg, heads_wide));
    }

    w->kern->product(features, heads_wide, rows, UNA_COLUMNS(j, wide), UNA_ROWS(to->dg, heads_wide),
                     UNA_ONTO(weights_gradient(w, depth), heads_wide));
    w->kern->product(rows, wide, heads, UNA_ROWS(to->dg, heads_wide), UNA_ROWS(w->flipped[depth], wide),
                     UNA_INTO(w->gs[0], wide));
    return sum / w->all_probes;
}

double REAL(una_diversity_slopes)(WORK *w, probe_block block)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), rows = slope_rows_in(w, block);
    size_t heads = w->net->heads, heads_wide = UNA_PADDED(heads);
    if (w->objective->per_point) return per_point(w, block);
    if (w->similarity.way == BY_SLOPES)                          /* G K W, or J W'K W */
        w->kern->product(rows, wide, heads, UNA_ROWS(head_slopes(w, block, heads_wide), heads_wide),
                         UNA_ROWS(w->similarity.kw, wide), UNA_INTO(w->gs[0], wide));
    else w->kern->product(rows, wide, features, UNA_ROWS(features_slopes(w, block), wide),
                          UNA_ROWS(w->similarity.b, wide), UNA_INTO(w->gs[0], wide));
    return 0;
}
