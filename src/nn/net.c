/* SPDX-License-Identifier: MIT
 *
 * The layout of a network's parameters: one contiguous block, weights then bias, layer by layer.
 */
#include "nn/net.h"

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
    net->parameters = at;
}

size_t una_net_features(const una_net *net)
{
    return net->size[net->depth];
}

size_t una_net_heads(const una_net *net)
{
    return net->size[net->depth + 1];
}
