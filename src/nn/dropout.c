/* SPDX-License-Identifier: MIT
 *
 * Masks of dropout, and the network that is left of one pass.
 */
#include "nn/dropout.h"

void una_dropout_mask(una_rng *rng, double p, size_t n, float *mask)
{
    const float kept = (float)(1 / (1 - p));
    const double below = p * 4294967296.0;
    for (size_t i = 0; i < n; i++) mask[i] = (double)una_rng_u32(rng) < below ? 0 : kept;
}

void una_dropout_pass(const una_net *net, una_rng *rng, double p, bool inputs, float *packed)
{
    float *row = packed;
    for (size_t l = 0; l <= net->depth; l++) {
        size_t out = net->size[l + 1];
        for (size_t i = 0; i < net->size[l]; i++, row += out) {
            float mask = 1;
            if (l > 0 || inputs) una_dropout_mask(rng, p, 1, &mask);
            for (size_t j = 0; j < out; j++) row[j] *= mask;
        }
        row += out;                              /* biases */
    }
}
