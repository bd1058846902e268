/* SPDX-License-Identifier: MIT
 *
 * Anchors: drawn, and pulling. See anchor.h.
 */
#include "nn/anchor.h"

#include "kern/real.h"

void REAL(una_anchor_draw)(const una_net *net, double variance, una_rng *rng, real *parameters)
{
    double std = sqrt(variance);
    memset(parameters, 0, net->parameters * sizeof *parameters);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t out = net->size[l + 1], wide = UNA_PADDED(out);
        for (size_t i = 0; i <= net->size[l]; i++)               /* the bias is the row after the weights */
            for (size_t j = 0; j < out; j++)
                parameters[net->weights[l] + i * wide + j] = (real)(std * una_rng_normal(rng));
    }
}

double REAL(una_anchor_add)(size_t count, double weight, const real *parameters, const real *anchor, real *gradient)
{
    double square = 0;
    real slope = (real)(2 * weight);
    for (size_t i = 0; i < count; i++) {
        real off = parameters[i] - anchor[i];
        gradient[i] += slope * off;
        square += (double)off * (double)off;
    }
    return weight * square;
}
