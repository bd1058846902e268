/* SPDX-License-Identifier: MIT
 *
 * One LUNA step, written to be read: loss and gradient in double, in the order and the letters of the method, one row,
 * one probe, one head at a time. The library's step (src/nn) goes other ways to the same numbers, and is compared with
 * this one on each of them (test_luna_ways.c).
 *
 *   f_m(x) = w_m' phi(x) + b_m                M heads on one feature network phi; Psi: all weights and biases
 *   J(Psi) = (1/M) sum_m sum_i (y_i - f_m(x_i))^2 / (2 sigma2)  +  gamma |Psi|^2  +  lambda C P,   C = 2n / (M (M-1))
 *   P      = sum_{i<j} cos^2(g_i, g_j)        the similarity of heads
 *   g_m    = (f_m(x + delta v) - f_m(x)) / delta at all probes x along all directions v, stacked into one vector
 *
 * With S_ij = g_i'g_j and q_i = S_ii:  P = sum_{i<j} S_ij^2 / (q_i q_j),
 *   dP/dg_i = sum_{j != i} 2 S_ij / (q_i q_j) (g_j - S_ij/q_i g_i);  heads without slope (q_i = 0) take no part.
 * Source: Lorsung, Understanding Uncertainty in Bayesian Deep Learning, 2021.
 */
#ifndef UNA_LUNA_REFERENCE_H
#define UNA_LUNA_REFERENCE_H

#include "kern/activation_truth.h"
#include "test_support.h"

#include "nn/net.h"

enum { LUNA_DEEP = 4, LUNA_WIDE = 96 };          /* the most hidden layers, and units of one */

typedef struct luna_weights { double sigma2, gamma, lambda; } luna_weights;
typedef struct luna_at {                         /* phi at a point: z and h of each layer, h[0] = x */
    double z[LUNA_DEEP][LUNA_WIDE], h[LUNA_DEEP + 1][LUNA_WIDE];
} luna_at;

/* The place in Psi of the weight from unit i to unit j of layer l; the heads are the last layer. */
static inline size_t luna_w(const una_net *net, size_t l, size_t i, size_t j)
{
    return net->weights[l] + i * UNA_PADDED(net->size[l + 1]) + j;
}

/* phi(x + step v): z = W'h + b, h = act(z), layer by layer. Returns phi [L]. */
static const double *luna_phi(const una_net *net, const double *Psi, const double *x, double step, const double *v,
                              luna_at *at)
{
    for (size_t i = 0; i < net->size[0]; i++) at->h[0][i] = x[i] + (v ? step * v[i] : 0);
    for (size_t l = 0; l < net->depth; l++)
        for (size_t j = 0; j < net->size[l + 1]; j++) {
            double z = Psi[net->biases[l] + j];
            for (size_t i = 0; i < net->size[l]; i++) z += at->h[l][i] * Psi[luna_w(net, l, i, j)];
            at->z[l][j] = z;
            at->h[l + 1][j] = (double)truth_0((int)net->activation, z);
        }
    return at->h[net->depth];
}

/* The way back: dPsi += (dphi/dPsi)' dphi, dphi [L]. */
static void luna_phi_back(const una_net *net, const double *Psi, const luna_at *at, const double *dphi, double *dPsi)
{
    double dh[LUNA_WIDE], below[LUNA_WIDE];
    memcpy(dh, dphi, net->size[net->depth] * sizeof *dh);

    for (size_t l = net->depth; l-- > 0;) {
        memset(below, 0, sizeof below);
        for (size_t j = 0; j < net->size[l + 1]; j++) {
            double dz = dh[j] * (double)truth_1((int)net->activation, at->z[l][j]);
            dPsi[net->biases[l] + j] += dz;
            for (size_t i = 0; i < net->size[l]; i++) {
                dPsi[luna_w(net, l, i, j)] += at->h[l][i] * dz;
                below[i] += Psi[luna_w(net, l, i, j)] * dz;
            }
        }
        memcpy(dh, below, sizeof dh);
    }
}

/* (1/M) sum_m sum_i (y_i - f_m(x_i))^2 / (2 sigma2) */
static double luna_fit(const una_net *net, const double *Psi, const una_batch_f64 *batch, double sigma2, double *dPsi)
{
    size_t M = net->heads, L = net->features, top = net->depth;
    double sum = 0;
    luna_at at;

    for (size_t i = 0; i < batch->rows; i++) {
        const double *phi = luna_phi(net, Psi, batch->x + i * net->size[0], 0, NULL, &at);
        double dphi[LUNA_WIDE] = { 0 };
        for (size_t m = 0; m < M; m++) {
            double f = Psi[net->biases[top] + m];
            for (size_t k = 0; k < L; k++) f += Psi[luna_w(net, top, k, m)] * phi[k];
            double miss = f - batch->target[i], df = miss / (sigma2 * (double)M);
            sum += miss * miss / (2 * sigma2 * (double)M);
            dPsi[net->biases[top] + m] += df;
            for (size_t k = 0; k < L; k++) {
                dPsi[luna_w(net, top, k, m)] += df * phi[k];
                dphi[k] += df * Psi[luna_w(net, top, k, m)];
            }
        }
        luna_phi_back(net, Psi, &at, dphi, dPsi);
    }
    return sum;
}

/* P of heads whose slopes are the columns of g [count, M], and its gradient dg. */
static double luna_similarity(size_t M, size_t count, const double *g, double *dg)
{
    double P = 0;
    double *S = calloc(M * M, sizeof *S);
    assert_non_null(S);

    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < M; j++) S[i * M + j] += g[r * M + i] * g[r * M + j];

    memset(dg, 0, count * M * sizeof *dg);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) {
            double s = S[i * M + j], q_i = S[i * M + i], q_j = S[j * M + j];
            if (i == j || !(q_i > 0) || !(q_j > 0)) continue;
            P += s * s / (q_i * q_j) / 2;                        /* each pair is met twice */
            for (size_t r = 0; r < count; r++)
                dg[r * M + i] += 2 * s / (q_i * q_j) * (g[r * M + j] - s / q_i * g[r * M + i]);
        }

    free(S);
    return P;
}

typedef struct luna_pair { luna_at here, there; double delta, s[LUNA_WIDE]; } luna_pair;

/* The slopes s [L] of phi at probe p along direction d: s = (phi(x + delta v) - phi(x)) / delta. */
static void luna_slopes(const una_net *net, const double *Psi, const una_batch_f64 *batch, size_t p, size_t d,
                        luna_pair *pair)
{
    size_t inputs = net->size[0], row = (batch->own_probes ? batch->rows : 0) + p;
    double v[LUNA_WIDE] = { 0 };
    for (size_t i = 0; i < inputs; i++) v[i] = batch->direction ? batch->direction[d * inputs + i] : i == d;
    pair->delta = batch->delta[p * batch->directions + d];
    const double *here = luna_phi(net, Psi, batch->x + row * inputs, 0, NULL, &pair->here);
    const double *there = luna_phi(net, Psi, batch->x + row * inputs, pair->delta, v, &pair->there);
    for (size_t k = 0; k < net->features; k++) pair->s[k] = (there[k] - here[k]) / pair->delta;
}

/* P, and dPsi += by dP/dPsi. */
static double luna_diverse(const una_net *net, const double *Psi, const una_batch_f64 *batch, double by, double *dPsi)
{
    size_t M = net->heads, L = net->features, top = net->depth, each = batch->directions;
    size_t count = batch->probes * each;
    double *g = calloc(2 * count * M, sizeof *g), *dg = g + count * M;
    luna_pair pair;
    assert_non_null(g);
    for (size_t r = 0; r < count; r++) {                         /* g_m = w_m' s */
        luna_slopes(net, Psi, batch, r / each, r % each, &pair);
        for (size_t m = 0; m < M; m++)
            for (size_t k = 0; k < L; k++) g[r * M + m] += Psi[luna_w(net, top, k, m)] * pair.s[k];
    }

    double P = luna_similarity(M, count, g, dg);

    for (size_t r = 0; r < count; r++) {                         /* back: to w_m, to phi(x + delta v) and phi(x) */
        double dphi[LUNA_WIDE] = { 0 };
        luna_slopes(net, Psi, batch, r / each, r % each, &pair);
        for (size_t m = 0; m < M; m++)
            for (size_t k = 0; k < L; k++) {
                dPsi[luna_w(net, top, k, m)] += by * dg[r * M + m] * pair.s[k];
                dphi[k] += by * dg[r * M + m] * Psi[luna_w(net, top, k, m)] / pair.delta;
            }
        luna_phi_back(net, Psi, &pair.there, dphi, dPsi);
        for (size_t k = 0; k < L; k++) dphi[k] = -dphi[k];
        luna_phi_back(net, Psi, &pair.here, dphi, dPsi);
    }
    free(g);
    return P;
}

/* J(Psi) in its three terms, and its gradient dPsi [parameters]. */
static una_losses luna_step(const una_net *net, const double *Psi, const una_batch_f64 *batch, luna_weights how,
                            double *dPsi)
{
    double n = (double)batch->rows, M = (double)net->heads, C = 2 * n / (M * (M - 1));
    una_losses J = { 0 };
    memset(dPsi, 0, net->parameters * sizeof *dPsi);
    J.fit = luna_fit(net, Psi, batch, how.sigma2, dPsi);
    for (size_t i = 0; i < net->parameters; i++) {
        J.penalty += how.gamma * Psi[i] * Psi[i];
        dPsi[i] += 2 * how.gamma * Psi[i];
    }
    J.diverse = luna_diverse(net, Psi, batch, how.lambda * C, dPsi);
    J.mean_cos2 = J.diverse / (M * (M - 1) / 2);
    J.total = J.fit + J.penalty + how.lambda * C * J.diverse;
    return J;
}

#endif
