/* SPDX-License-Identifier: MIT
 *
 * LUNA's similarity of heads and its gradient. G = J W' holds the slopes of the M heads at all probes (one column a head),
 *   S = G'G = W A W' with A = J'J,   q_i = S_ii,   P = sum_{i<j} S_ij^2 / (q_i q_j + e)
 *   K_ij = 2 S_ij/(q_i q_j + e),   K_ii = -sum_{j != i} 2 S_ij^2 q_j/(q_i q_j + e)^2
 *   dP/dW = K W A,   dP/dJ = J W'K W:   G itself, probes x inputs x heads, is never formed.
 * Per point, the same with S of each probe, and P averaged over the probes; there G is small and is formed.
 * A head without slope (q_i = 0) takes no part.
 */
#include "nn/work.h"

#include <string.h>

void REAL(una_diversity_take)(WORK *w, const una_net *net, bool per_point, una_arena *arena)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    w->heads_flipped = UNA_GET(arena, real, heads * wide);
    w->s = UNA_GET(arena, real, heads * heads_wide);
    w->k = UNA_GET(arena, real, heads * heads_wide);
    w->cosine = UNA_GET(arena, double, heads * heads);
    if (per_point) {
        w->slopes = UNA_GET(arena, real, w->most_probes * w->most_directions * heads_wide);
        return;
    }
    w->a = UNA_GET(arena, real, features * wide);
    w->b = UNA_GET(arena, real, features * wide);
    w->wa = UNA_GET(arena, real, heads * wide);
    w->kw = UNA_GET(arena, real, heads * wide);
    w->dw = UNA_GET(arena, real, heads * wide);
}

/* P from S [M, padded(M)], and K times `scale` into w->k. In double: products of four slopes overflow a float soon. */
static double similarity(const real *s, size_t heads, double scale, real *k, double *work)
{
    size_t wide = UNA_PADDED(heads);
    double mean = 0, sum = 0;
    for (size_t i = 0; i < heads; i++) mean += (double)s[i * wide + i] / (double)heads;
    double tiny = 1e-24 * mean * mean;           /* so small that heads a thousand times flatter keep their cosine */
    memset(work, 0, heads * heads * sizeof *work);
    for (size_t i = 0; i < heads; i++)
        for (size_t j = 0; j < i; j++) {
            double qi = (double)s[i * wide + i], qj = (double)s[j * wide + j], sij = (double)s[i * wide + j];
            if (!(qi > 0 && qj > 0)) continue;
            double inverse = 1 / (qi * qj + tiny), cos2 = sij * sij * inverse;
            sum += cos2;
            work[i * heads + j] = work[j * heads + i] = 2 * sij * inverse;
            work[i * heads + i] -= 2 * cos2 * qj * inverse;
            work[j * heads + j] -= 2 * cos2 * qi * inverse;
        }
    for (size_t i = 0; i < heads; i++)
        for (size_t j = 0; j < heads; j++) k[i * wide + j] = (real)(scale * work[i * heads + j]);
    return sum;
}

static void add_flipped(const real *dw, size_t heads, size_t features, real *gradient)
{
    size_t wide = UNA_PADDED(features), heads_wide = UNA_PADDED(heads);
    for (size_t m = 0; m < heads; m++)
        for (size_t j = 0; j < features; j++) gradient[j * heads_wide + m] += dw[m * wide + j];
}

static double stacked(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                      real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), rows = batch->probes * batch->directions;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    const real *j = w->layer[net->depth - 1].s, *heads_w = parameters + net->weights[net->depth], *flat = w->heads_flipped;
    w->kern->product(features, wide, rows, j, 1, wide, j, wide, w->a, wide, false);                   /* A = J'J    */
    w->kern->product(heads, wide, features, flat, wide, 1, w->a, wide, w->wa, wide, false);           /* W A        */
    w->kern->product(heads, heads_wide, features, w->wa, wide, 1, heads_w, heads_wide, w->s, heads_wide, false); /* W A W' */
    double p = similarity(w->s, heads, objective->diversity, w->k, w->cosine);
    w->kern->product(heads, wide, heads, w->k, heads_wide, 1, w->wa, wide, w->dw, wide, false);       /* K W A      */
    add_flipped(w->dw, heads, features, gradient + net->weights[net->depth]);
    w->kern->product(heads, wide, heads, w->k, heads_wide, 1, flat, wide, w->kw, wide, false);        /* K W        */
    w->kern->product(features, wide, heads, flat, 1, wide, w->kw, wide, w->b, wide, false);           /* W'K W      */
    w->kern->product(rows, wide, features, j, wide, 1, w->b, wide, w->gs[0], wide, false);            /* J W'K W    */
    return p;
}

static double per_point(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                        real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), each = batch->directions;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads), rows = batch->probes * each;
    const real *j = w->layer[net->depth - 1].s, *heads_w = parameters + net->weights[net->depth];
    double sum = 0, scale = objective->diversity / (double)batch->probes;
    w->kern->product(rows, heads_wide, features, j, wide, 1, heads_w, heads_wide, w->slopes, heads_wide, false);   /* G = J W' */
    for (size_t p = 0; p < batch->probes; p++) {
        const real *g = w->slopes + p * each * heads_wide;
        real *dg = w->gs[1] + p * each * heads_wide;
        w->kern->product(heads, heads_wide, each, g, 1, heads_wide, g, heads_wide, w->s, heads_wide, false);       /* G'G      */
        sum += similarity(w->s, heads, scale, w->k, w->cosine);
        w->kern->product(each, heads_wide, heads, g, heads_wide, 1, w->k, heads_wide, dg, heads_wide, false);      /* G K      */
    }
    const real *dg = w->gs[1];
    w->kern->product(features, heads_wide, rows, j, 1, wide, dg, heads_wide, gradient + net->weights[net->depth], heads_wide, true);
    w->kern->product(rows, wide, heads, dg, heads_wide, 1, w->heads_flipped, wide, w->gs[0], wide, false);
    return sum / (double)batch->probes;
}

void REAL(una_diversity)(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                         real *gradient, una_losses *losses, WORK *w)
{
    size_t heads = una_net_heads(net);
    REAL(una_net_flip)(net, parameters, net->depth, w->heads_flipped, w);
    losses->diverse = (objective->per_point ? per_point : stacked)(net, parameters, batch, objective, gradient, w);
    losses->mean_cos2 = heads > 1 ? losses->diverse / ((double)heads * (double)(heads - 1) / 2) : NAN;
}
