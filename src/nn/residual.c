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
