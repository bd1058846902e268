/* SPDX-License-Identifier: MIT
 *
 * The losses of net.h in the plainest form, for test_net.c: point by point and head by head, slopes by moving the input
 * (finite differences as they are defined) or by the chain rule (exact). Nothing is shared with the library's code.
 * The method itself, with its gradient, is in luna_reference.h; here are the variants: exact slopes, cosines per probe,
 * a target for each head, heads spared a share of the penalty, several targets of which cells are missing.
 */
#ifndef UNA_NET_TRUTH_H
#define UNA_NET_TRUTH_H

#include "kern/activation_truth.h"
#include "test_support.h"

#include "nn/net.h"

enum { MOST_WIDE = 96 };

/* phi [features] at x; and its exact slope along v into slope [features], if not NULL. */
static void truth_phi(const una_net *net, const double *parameters, const double *x, const double *v, double *phi,
    double *slope)
{
    double h[MOST_WIDE], s[MOST_WIDE], below_h[MOST_WIDE], below_s[MOST_WIDE];
    for (size_t i = 0; i < net->size[0]; i++) h[i] = x[i], s[i] = slope ? v[i] : 0;

    for (size_t l = 0; l < net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(out);
        memcpy(below_h, h, sizeof h);
        memcpy(below_s, s, sizeof s);
        for (size_t j = 0; j < out; j++) {
            double z = parameters[net->biases[l] + j], u = 0;
            for (size_t i = 0; i < in; i++) {
                z += below_h[i] * parameters[net->weights[l] + i * wide + j];
                u += below_s[i] * parameters[net->weights[l] + i * wide + j];
            }
            h[j] = (double)truth_0((int)net->activation, z);
            s[j] = (double)truth_1((int)net->activation, z) * u;
        }
    }

    for (size_t j = 0; j < net->features; j++) {
        phi[j] = h[j];
        if (slope) slope[j] = s[j];
    }
}

static double truth_head(const una_net *net, const double *parameters, const double *phi, size_t m, bool bias)
{
    size_t l = net->depth, wide = UNA_PADDED(net->heads);
    double f = bias ? parameters[net->biases[l] + m] : 0;
    for (size_t j = 0; j < net->size[l]; j++) f += phi[j] * parameters[net->weights[l] + j * wide + m];
    return f;
}

/* Slopes of all heads at probe p along direction k: g [heads]. */
static void truth_slopes(const una_net *net, const double *parameters, const una_batch_f64 *batch, size_t p,
    size_t k, double *g)
{
    size_t inputs = net->size[0], row = p + (batch->own_probes ? batch->rows : 0);
    const double *x = batch->x + row * inputs;
    double v[MOST_WIDE], moved[MOST_WIDE], phi[MOST_WIDE], far[MOST_WIDE], slope[MOST_WIDE];
    for (size_t i = 0; i < inputs; i++) v[i] = batch->direction ? batch->direction[k * inputs + i] : i == k;
    if (batch->delta) {
        double delta = batch->delta[p * batch->directions + k];
        for (size_t i = 0; i < inputs; i++) moved[i] = x[i] + delta * v[i];
        truth_phi(net, parameters, x, NULL, phi, NULL);
        truth_phi(net, parameters, moved, NULL, far, NULL);
        for (size_t j = 0; j < net->features; j++) slope[j] = (far[j] - phi[j]) / delta;
    } else truth_phi(net, parameters, x, v, phi, slope);
    for (size_t m = 0; m < net->heads; m++) g[m] = truth_head(net, parameters, slope, m, false);
}

/* sum_{i<j} cos^2 of the columns of g [rows, heads]. */
static double truth_similarity(const double *g, size_t rows, size_t heads)
{
    double sum = 0;
    for (size_t i = 0; i < heads; i++)
        for (size_t j = 0; j < i; j++) {
            double ij = 0, ii = 0, jj = 0;
            for (size_t r = 0; r < rows; r++) {
                ij += g[r * heads + i] * g[r * heads + j];
                ii += g[r * heads + i] * g[r * heads + i];
                jj += g[r * heads + j] * g[r * heads + j];
            }
            if (ii > 0 && jj > 0) sum += ij * ij / (ii * jj);
        }
    return sum;
}

/* The same of several targets, heads target by target: the mean over targets; or of maps to all targets, whose slopes
 * [rows, targets] are one vector. */
static double truth_targets(const double *g, size_t rows, size_t heads, const una_objective_f64 *objective)
{
    size_t targets = objective->targets ? objective->targets : 1, each = heads / targets;
    static double own[4096];
    double sum = 0;
    for (size_t t = 0; t < targets; t++) {
        size_t first = objective->jacobian ? t * rows : 0;
        for (size_t r = 0; r < rows; r++)
            memcpy(own + (first + r) * each, g + r * heads + t * each, each * sizeof *own);
        if (!objective->jacobian) sum += truth_similarity(own, rows, each) / (double)targets;
    }
    return objective->jacobian ? truth_similarity(own, targets * rows, each) : sum;
}

static double truth_diverse(const una_net *net, const double *parameters, const una_batch_f64 *batch,
                            const una_objective_f64 *objective)
{
    size_t heads = net->heads, each = batch->directions;
    static double g[4096];
    assert_true(batch->probes * each * heads <= sizeof g / sizeof *g);
    for (size_t p = 0; p < batch->probes; p++)
        for (size_t k = 0; k < each; k++) truth_slopes(net, parameters, batch, p, k, g + (p * each + k) * heads);
    if (!objective->per_point) return truth_targets(g, batch->probes * each, heads, objective);
    double sum = 0;
    for (size_t p = 0; p < batch->probes; p++) sum += truth_targets(g + p * each * heads, each, heads, objective);
    return sum / (double)batch->probes;
}

static bool is_missing(const una_batch_f64 *batch, size_t place, size_t each)
{
    for (size_t i = 0; i < batch->missing_count; i++)
        if (place >= batch->missing[i] && place < batch->missing[i] + each) return true;
    return false;
}

static una_losses truth_losses(const una_net *net, const double *parameters, const una_batch_f64 *batch,
                               const una_objective_f64 *objective)
{
    una_losses losses = { .mean_cos2 = NAN };
    size_t heads = net->heads, wide = batch->target_heads == 1 ? 1 : UNA_PADDED(batch->target_heads);
    size_t each = heads / (objective->targets ? objective->targets : 1);

    for (size_t r = 0; r < batch->rows; r++) {
        double phi[MOST_WIDE];
        truth_phi(net, parameters, batch->x + r * net->size[0], NULL, phi, NULL);
        for (size_t m = 0; m < heads; m++) {
            double t = batch->target[r * wide + (wide == 1 ? 0 : m)], f = truth_head(net, parameters, phi, m, true);
            if (!is_missing(batch, r * wide + m, each)) losses.fit += objective->fit_weight * (t - f) * (t - f);
        }
    }

    for (size_t i = 0; i < net->parameters; i++) {
        double share = i < net->hidden_parameters ? 1 : 1 - objective->head_relief;
        losses.penalty += objective->penalty * share * parameters[i] * parameters[i];
    }

    if (batch->probes) {
        losses.diverse = truth_diverse(net, parameters, batch, objective);
        losses.mean_cos2 = losses.diverse / ((double)each * ((double)each - 1) / 2);
    }

    losses.total = losses.fit + losses.penalty + objective->diversity * losses.diverse;
    return losses;
}

#endif
