/* SPDX-License-Identifier: MIT
 *
 * LUNA's similarity of heads and its gradient. G = J W' holds the slopes of the M heads at all probes,
 * one column a head:
 *   S = G'G = W A W' with A = J'J,   q_i = S_ii,   P = sum_{i<j} S_ij^2 / (q_i q_j)
 *   K_ij = 2 S_ij/(q_i q_j),   K_ii = -sum_{j != i} 2 S_ij^2/(q_i^2 q_j)
 *   dP/dW = K W A,   dP/dJ = J W'K W:   G itself, probes x inputs x heads, is not formed.
 * Where there are few slopes, G is formed after all (W A = G'J, dP/dJ = G K W): products with A cost the same however
 * few they are. Per point, the same with S of each probe, and P averaged over the probes; G is formed there too.
 * A head without slope (q_i = 0) takes no part.
 */
#include "nn/work.h"

#include <string.h>

/* By multiplications: of the slopes of all pieces, and of A. */
static bool worth_forming(const WORK *w, double features, double heads)
{
    double rows = (double)(w->piece[0]->pieces * w->most_probes * w->most_directions), squares = features * features;
    return !w->lanes && rows * 3 * heads * features < rows * 1.5 * squares + heads * 2 * squares;
}

void REAL(una_diversity_take)(WORK *w, const una_net *net, bool per_point, una_arena *arena)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    w->forms_slopes = !per_point && worth_forming(w, (double)features, (double)heads_wide);
    w->s = UNA_GET(arena, real, heads * heads_wide);
    w->k = UNA_GET(arena, real, heads * heads_wide);
    w->inverse = UNA_GET(arena, double, heads);
    if (per_point || w->forms_slopes)
        w->slopes = UNA_GET(arena, real, (per_point ? w->block : w->most_probes) * w->most_directions * heads_wide);
    if (per_point) {
        w->dslopes = UNA_GET(arena, real, w->block * w->most_directions * heads_wide);
        return;
    }
    w->a = UNA_GET(arena, real, features * (w->forms_slopes ? heads_wide : wide));
    w->kw = is_first(w) ? UNA_GET(arena, real, heads * wide) : w->piece[0]->kw;
    if (w->forms_slopes) return;
    w->b = is_first(w) ? UNA_GET(arena, real, features * wide) : w->piece[0]->b;
    if (is_first(w)) w->wa = UNA_GET(arena, real, heads * wide);
}

void REAL(una_diversity_begin)(const una_net *net, const OBJECTIVE *objective, WORK *w)
{
    size_t features = una_net_features(net), columns = w->forms_slopes ? una_net_heads(net) : features;
    if (!objective->per_point) memset(w->a, 0, features * UNA_PADDED(columns) * sizeof(real));
}

/* G of a block: the first of its rows. */
static real *slopes_of(const BATCH *batch, probe_block block, size_t heads_wide, const WORK *w)
{
    return w->slopes + block.first * batch->directions * heads_wide;
}

/* A += J'J of the block, on and below the diagonal; or (W A)' += J'G. */
void REAL(una_diversity_gather)(const una_net *net, const real *parameters, const BATCH *batch,
                                const OBJECTIVE *objective, probe_block block, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads), rows = block.count * batch->directions;
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide);
    if (w->forms_slopes) {
        real *g = slopes_of(batch, block, heads_wide, w);
        w->kern->product(rows, heads_wide, features, j, wide, 1, parameters + net->weights[net->depth], heads_wide, g,
                         heads_wide, false);
        w->kern->product(features, heads_wide, rows, j, 1, wide, g, heads_wide, w->a, heads_wide, true);
    } else if (!objective->per_point) w->kern->gram(rows, features, j, wide, w->a, wide);
}

static void mirror(real *a, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) a[j * stride + i] = a[i * stride + j];
}

/* The same from (W A)' = J'G: P, the heads' gradient, and K W for the slopes' gradient. */
static double solve_formed(const una_net *net, const OBJECTIVE *objective, real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *flat = w->flipped[net->depth];
    for (size_t i = 1; i < w->pieces; i++) w->kern->add(features * heads_wide, w->piece[i]->a, w->a);
    w->kern->product(heads, heads_wide, features, flat, wide, 1, w->a, heads_wide, w->s, heads_wide, false);
    double p = w->kern->slopes->similarity(heads, heads_wide, w->s, objective->diversity, w->k, w->inverse);
    w->kern->product(features, heads_wide, heads, w->a, heads_wide, 1, w->k, heads_wide,
                     gradient + net->weights[net->depth], heads_wide, true);
    w->kern->product(heads, wide, heads, w->k, heads_wide, 1, flat, wide, w->kw, wide, false);
    return p;
}

/* P, the heads' gradient, and W'K W for the slopes' gradient. The pieces' parts of A are added up in their order. */
double REAL(una_diversity_solve)(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient,
                                 WORK *w)
{
    if (objective->per_point) return 0;
    if (w->forms_slopes) return solve_formed(net, objective, gradient, w);
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *heads_w = parameters + net->weights[net->depth], *flat = w->flipped[net->depth];
    for (size_t i = 1; i < w->pieces; i++) w->kern->add(features * wide, w->piece[i]->a, w->a);
    mirror(w->a, features, wide);
    /* W A, W A W' */
    w->kern->product(heads, wide, features, flat, wide, 1, w->a, wide, w->wa, wide, false);
    w->kern->product(heads, heads_wide, features, w->wa, wide, 1, heads_w, heads_wide, w->s, heads_wide, false);
    double p = w->kern->slopes->similarity(heads, heads_wide, w->s, objective->diversity, w->k, w->inverse);
    /* (K W A)', K W, W'K W */
    w->kern->product(features, heads_wide, heads, w->wa, 1, wide, w->k, heads_wide, gradient + net->weights[net->depth],
                     heads_wide, true);
    w->kern->product(heads, wide, heads, w->k, heads_wide, 1, flat, wide, w->kw, wide, false);
    w->kern->product(features, wide, heads, flat, 1, wide, w->kw, wide, w->b, wide, false);
    return p;
}

static double per_point(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                        probe_block block, real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), each = batch->directions,
           rows = block.count * each;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide),
               *heads_w = parameters + net->weights[net->depth];
    double sum = 0, probes = w->all_probes;
    /* G = J W'; then G'G and G K of each probe */
    w->kern->product(rows, heads_wide, features, j, wide, 1, heads_w, heads_wide, w->slopes, heads_wide, false);
    for (size_t p = 0; p < block.count; p++) {
        const real *g = w->slopes + p * each * heads_wide;
        real *dg = w->dslopes + p * each * heads_wide;
        w->kern->product(heads, heads_wide, each, g, 1, heads_wide, g, heads_wide, w->s, heads_wide, false);
        sum += w->kern->slopes->similarity(heads, heads_wide, w->s, objective->diversity / probes, w->k, w->inverse);
        w->kern->product(each, heads_wide, heads, g, heads_wide, 1, w->k, heads_wide, dg, heads_wide, false);
    }
    w->kern->product(features, heads_wide, rows, j, 1, wide, w->dslopes, heads_wide,
                     gradient + net->weights[net->depth], heads_wide, true);
    w->kern->product(rows, wide, heads, w->dslopes, heads_wide, 1, w->flipped[net->depth], wide, w->gs[0], wide, false);
    return sum / probes;
}

double REAL(una_diversity_slopes)(const una_net *net, const real *parameters, const BATCH *batch,
                                  const OBJECTIVE *objective, probe_block block, real *gradient, WORK *w)
{
    if (objective->per_point) return per_point(net, parameters, batch, objective, block, gradient, w);
    size_t features = una_net_features(net), wide = UNA_PADDED(features), rows = block.count * batch->directions;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *j = w->layer[net->depth - 1].s + slopes_at(batch, block, wide);
    if (w->forms_slopes)                                         /* G K W, or J W'K W */
        w->kern->product(rows, wide, heads, slopes_of(batch, block, heads_wide, w), heads_wide, 1, w->kw, wide,
                         w->gs[0], wide, false);
    else w->kern->product(rows, wide, features, j, wide, 1, w->b, wide, w->gs[0], wide, false);
    return 0;
}
