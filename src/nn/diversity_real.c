/* SPDX-License-Identifier: MIT
 *
 * LUNA's similarity of heads and its gradient. G = J W' holds the slopes of the M heads at all probes,
 * one column a head:
 *   S = G'G = W A W' with A = J'J,   q_i = S_ii,   P = sum_{i<j} S_ij^2 / (q_i q_j)
 *   K_ij = 2 S_ij/(q_i q_j),   K_ii = -sum_{j != i} 2 S_ij^2/(q_i^2 q_j)
 *   dP/dW = K W A,   dP/dJ = J W'K W:   G itself, probes x inputs x heads, is not formed.
 * Where there are few slopes, G is formed after all (W A = G'J, dP/dJ = G K W): products with A cost the same however
 * few they are. Per point, the same with S of each probe, and P averaged over the probes; G is formed there too.
 * A head without slope (q_i = 0) takes no part. Probes of processes that train together are one set: their A, or G'J, are
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

static by_features *take_feature_gram(const WORK *w, size_t features, size_t heads, una_arena *arena)
{
    by_features *by = UNA_GET(arena, by_features, 1);
    size_t wide = UNA_PADDED(features);
    if (!by) return NULL;
    by->a = UNA_GET(arena, real, features * wide);
    if (is_first(w)) by->wa = UNA_GET(arena, real, heads * wide);
    by->kw = is_first(w) ? UNA_GET(arena, real, heads * wide) : w->piece[0]->similarity.features->kw;
    by->b = is_first(w) ? UNA_GET(arena, real, features * wide) : w->piece[0]->similarity.features->b;
    return by;
}

static by_slopes *take_slope_gram(const WORK *w, size_t features, size_t heads, una_arena *arena)
{
    by_slopes *by = UNA_GET(arena, by_slopes, 1);
    if (!by) return NULL;
    by->g = UNA_GET(arena, real, w->most_probes * w->most_directions * UNA_PADDED(heads));
    by->wa = UNA_GET(arena, real, features * UNA_PADDED(heads));
    by->kw = is_first(w) ? UNA_GET(arena, real, heads * UNA_PADDED(features)) : w->piece[0]->similarity.slopes->kw;
    return by;
}

static by_point *take_point(const WORK *w, size_t heads, una_arena *arena)
{
    by_point *by = UNA_GET(arena, by_point, 1);
    if (!by) return NULL;
    by->g = UNA_GET(arena, real, w->block * w->most_directions * UNA_PADDED(heads));
    by->dg = UNA_GET(arena, real, w->block * w->most_directions * UNA_PADDED(heads));
    return by;
}

void REAL(una_diversity_take)(WORK *w, const una_net *net, const una_work_size *size, una_arena *arena)
{
    size_t features = una_net_features(net), heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    bool few = size->path != UNA_PATH_PLAIN && worth_forming(w, (double)features, (double)heads_wide);
    similarity *to = &w->similarity;
    to->s = UNA_GET(arena, real, heads * heads_wide);
    to->k = UNA_GET(arena, real, heads * heads_wide);
    to->inverse = UNA_GET(arena, double, heads);
    if (size->per_point) to->point = take_point(w, heads, arena);
    else if (few) to->slopes = take_slope_gram(w, features, heads, arena);
    else to->features = take_feature_gram(w, features, heads, arena);
}

void REAL(una_diversity_begin)(const una_net *net, WORK *w)
{
    size_t features = una_net_features(net);
    if (w->similarity.features) memset(w->similarity.features->a, 0, features * UNA_PADDED(features) * sizeof(real));
    if (w->similarity.slopes)
        memset(w->similarity.slopes->wa, 0, features * UNA_PADDED(una_net_heads(net)) * sizeof(real));
}

/* G of a block: the first of its rows. */
static real *slopes_of(const BATCH *batch, probe_block block, size_t heads_wide, const WORK *w)
{
    return w->similarity.slopes->g + block.first * batch->directions * heads_wide;
}

/* A += J'J of the block, on and below the diagonal; or (W A)' += J'G. Per point, nothing yet. */
void REAL(una_diversity_gather)(const una_net *net, const real *parameters, const BATCH *batch, probe_block block,
                                WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads), rows = block.count * batch->directions;
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide);
    if (w->similarity.slopes) {
        real *g = slopes_of(batch, block, heads_wide, w);
        w->kern->product(rows, heads_wide, features, j, wide, 1, parameters + net->weights[net->depth], heads_wide, g,
                         heads_wide, false);
        w->kern->product(features, heads_wide, rows, j, 1, wide, g, heads_wide, w->similarity.slopes->wa, heads_wide,
                         true);
    } else if (w->similarity.features) w->kern->gram(rows, features, j, wide, w->similarity.features->a, wide);
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
static double solve_targets(size_t heads, size_t targets, bool jacobian, double diversity, WORK *w)
{
    size_t stride = UNA_PADDED(heads), each = heads / targets;
    real *s = w->similarity.s, *k = w->similarity.k;
    double *inverse = w->similarity.inverse, share = 1 / (double)targets, p = 0;
    memset(k, 0, heads * stride * sizeof(real));
    if (jacobian) {
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
static double solve_heads(size_t heads, const OBJECTIVE *objective, double diversity, WORK *w)
{
    if (objective->targets > 1) return solve_targets(heads, objective->targets, objective->jacobian, diversity, w);
    return w->kern->slopes->similarity(heads, UNA_PADDED(heads), w->similarity.s, diversity, w->similarity.k,
                                       w->similarity.inverse);
}

/* From (W A)' = J'G: P, the heads' gradient, and K W for the slopes' gradient. */
static double solve_slopes(const una_net *net, const OBJECTIVE *objective, real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *flat = w->flipped[net->depth];
    const similarity *to = &w->similarity;
    const by_slopes *by = to->slopes;

    for (size_t i = 1; i < w->pieces; i++)
        w->kern->add(features * heads_wide, w->piece[i]->similarity.slopes->wa, by->wa);
    REAL(una_run_sum)(by->wa, features * heads_wide, objective->run);
    w->kern->product(heads, heads_wide, features, flat, wide, 1, by->wa, heads_wide, to->s, heads_wide, false);
    double p = solve_heads(heads, objective, objective->diversity, w);

    if (una_run_counts(objective->run))
        w->kern->product(features, heads_wide, heads, by->wa, heads_wide, 1, to->k, heads_wide,
                         gradient + net->weights[net->depth], heads_wide, true);
    w->kern->product(heads, wide, heads, to->k, heads_wide, 1, flat, wide, by->kw, wide, false);
    return p;
}

/* From A: P, the heads' gradient, and W'K W for the slopes' gradient. The pieces' parts are added up in their order. */
static double solve_features(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient,
                             WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *heads_w = parameters + net->weights[net->depth], *flat = w->flipped[net->depth];
    const similarity *to = &w->similarity;
    const by_features *by = to->features;
    for (size_t i = 1; i < w->pieces; i++)
        w->kern->add(features * wide, w->piece[i]->similarity.features->a, by->a);
    REAL(una_run_sum)(by->a, features * wide, objective->run);
    mirror_triangle(by->a, features, wide);

    /* W A, W A W' */
    w->kern->product(heads, wide, features, flat, wide, 1, by->a, wide, by->wa, wide, false);
    w->kern->product(heads, heads_wide, features, by->wa, wide, 1, heads_w, heads_wide, to->s, heads_wide, false);
    double p = solve_heads(heads, objective, objective->diversity, w);

    /* (K W A)', K W, W'K W */
    if (una_run_counts(objective->run))
        w->kern->product(features, heads_wide, heads, by->wa, 1, wide, to->k, heads_wide,
                         gradient + net->weights[net->depth], heads_wide, true);
    w->kern->product(heads, wide, heads, to->k, heads_wide, 1, flat, wide, by->kw, wide, false);
    w->kern->product(features, wide, heads, flat, 1, wide, by->kw, wide, by->b, wide, false);
    return p;
}

double REAL(una_diversity_solve)(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient,
                                 WORK *w)
{
    if (objective->per_point) return 0;
    if (w->similarity.slopes) return solve_slopes(net, objective, gradient, w);
    return solve_features(net, parameters, objective, gradient, w);
}

static double per_point(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                        probe_block block, real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), each = batch->directions,
           rows = block.count * each;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide),
               *heads_w = parameters + net->weights[net->depth];
    const similarity *to = &w->similarity;
    const by_point *by = to->point;
    double sum = 0, probes = w->all_probes;

    /* G = J W'; then G'G and G K of each probe */
    w->kern->product(rows, heads_wide, features, j, wide, 1, heads_w, heads_wide, by->g, heads_wide, false);
    for (size_t p = 0; p < block.count; p++) {
        const real *g = by->g + p * each * heads_wide;
        real *dg = by->dg + p * each * heads_wide;
        w->kern->product(heads, heads_wide, each, g, 1, heads_wide, g, heads_wide, to->s, heads_wide, false);
        sum += solve_heads(heads, objective, objective->diversity / probes, w);
        w->kern->product(each, heads_wide, heads, g, heads_wide, 1, to->k, heads_wide, dg, heads_wide, false);
    }

    w->kern->product(features, heads_wide, rows, j, 1, wide, by->dg, heads_wide, gradient + net->weights[net->depth],
                     heads_wide, true);
    w->kern->product(rows, wide, heads, by->dg, heads_wide, 1, w->flipped[net->depth], wide, w->gs[0], wide, false);
    return sum / probes;
}

double REAL(una_diversity_slopes)(const una_net *net, const real *parameters, const BATCH *batch,
                                  const OBJECTIVE *objective, probe_block block, real *gradient, WORK *w)
{
    if (objective->per_point) return per_point(net, parameters, batch, objective, block, gradient, w);
    size_t features = una_net_features(net), wide = UNA_PADDED(features), rows = block.count * batch->directions;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide);
    if (w->similarity.slopes)                                    /* G K W, or J W'K W */
        w->kern->product(rows, wide, heads, slopes_of(batch, block, heads_wide, w), heads_wide, 1,
                         w->similarity.slopes->kw, wide, w->gs[0], wide, false);
    else w->kern->product(rows, wide, features, j, wide, 1, w->similarity.features->b, wide, w->gs[0], wide, false);
    return 0;
}
