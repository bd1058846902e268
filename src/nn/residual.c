/* SPDX-License-Identifier: MIT
 *
 * The layout of a residual network: trained and frozen numbers are two contiguous blocks.
 */
#include "nn/residual.h"

void una_residual_shape(una_residual *net)
{
    size_t wide = UNA_PADDED(net->width), features = UNA_PADDED(net->features);
    net->layer = (net->width + 1) * wide;
    net->head = net->depth * net->layer;
    net->parameters = net->head + (net->features + 1) * UNA_PAD;
    net->spread = net->inputs * wide;
    net->phase = net->spread + net->width * features;
    net->frozen = net->phase + features;
}

bool una_residual_matrix(const void *shape, size_t index, una_matrix *matrix)
{
    const una_residual *net = shape;
    size_t wide = UNA_PADDED(net->width), last = net->depth + 2;
    if (index > last) return false;
    if (index == 0) *matrix = (una_matrix){ "lift", true, 0, net->inputs, net->width, wide, net->inputs };
    else if (index == 1)
        *matrix = (una_matrix){ "spread", true, net->spread, net->width + 1, net->features, UNA_PADDED(net->features),
                                net->width };
    else if (index < last)
        *matrix = (una_matrix){ "block", false, (index - 2) * net->layer, net->width + 1, net->width, wide,
                                net->width };
    else *matrix = (una_matrix){ "weights", false, net->head, net->features + 1, 1, UNA_PAD, net->features };
    return true;
}
