/* SPDX-License-Identifier: MIT
 *
 * The layout of a network's parameters: one contiguous block, weights then bias, layer by layer.
 */
#include "nn/net.h"
#include "nn/luna_step.h"

void una_net_shape(una_net *net)
{
    size_t at = 0;
    for (size_t l = 0; l <= net->depth; l++) {
        size_t width = UNA_PADDED(net->size[l + 1]);
        if (l == net->depth) net->hidden_parameters = at;
        net->weights[l] = at;
        at += net->size[l] * width;
        net->biases[l] = at;
        at += width;
    }
    net->features = net->size[net->depth];
    net->heads = net->size[net->depth + 1];
    net->parameters = at;
}

/* Weights and bias of a layer are one block of size[l] + 1 rows. */
bool una_net_matrix(const void *shape, size_t l, una_matrix *matrix)
{
    const una_net *net = shape;
    if (l > net->depth) return false;
    *matrix = (una_matrix){ "layer", false, net->weights[l], net->size[l] + 1, net->size[l + 1],
                            UNA_PADDED(net->size[l + 1]), net->size[l] };
    return true;
}

double una_steer_diversity(double lambda, double mean_cos2, double target_cos2)
{
    double pull = log((mean_cos2 + 1e-6) / (target_cos2 + 1e-6));
    return fmax(1e-8, fmin(1e8, lambda * exp(0.01 * fmax(-1, fmin(1, pull)))));
}
