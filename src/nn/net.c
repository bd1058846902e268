/* SPDX-License-Identifier: MIT
 *
 * The layout of a network's parameters: one contiguous block, weights then bias, layer by layer.
 */
#include "nn/net.h"

#include <string.h>

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

una_range una_net_range(const una_net *net, size_t index, size_t pieces)
{
    return una_piece_range(net->parameters, index, pieces);
}

size_t una_net_packed(const una_net *net)
{
    size_t count = 0;
    for (size_t l = 0; l <= net->depth; l++) count += (net->size[l] + 1) * net->size[l + 1];
    return count;
}

/* Weights and bias of a layer are one block of size[l] + 1 rows. */
void una_net_pack(const una_net *net, const float *parameters, float *packed)
{
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++, packed += net->size[l + 1])
            memcpy(packed, parameters + net->weights[l] + i * UNA_PADDED(net->size[l + 1]),
                   net->size[l + 1] * sizeof *packed);
}

void una_net_unpack(const una_net *net, const float *packed, float *parameters)
{
    memset(parameters, 0, net->parameters * sizeof *parameters);
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++, packed += net->size[l + 1])
            memcpy(parameters + net->weights[l] + i * UNA_PADDED(net->size[l + 1]), packed,
                   net->size[l + 1] * sizeof *packed);
}
