/* SPDX-License-Identifier: MIT
 *
 * A residual network of constant width under random Fourier features, with one linear head for training:
 *   h_0 = A'x,  h_{l+1} = h_l + act(W_l' h_l + b_l),  phi = sqrt(2/F) cos(S'h + p),  f = w'phi + b.
 * A (lift), S and p are drawn once and never trained; W_l, b_l, w, b are. With singular values of W_l at most c < 1
 * each block keeps distances within the factors 1 - c and 1 + c, so phi knows how far a row is from the others.
 * Source: Liu et al., Simple and principled uncertainty estimation (SNGP), 2020; Rahimi and Recht 2007.
 */
#pragma once

#include "nn/net.h"

typedef struct una_residual {
    size_t inputs, width, depth, features;
    una_activation activation;
    /* derived by una_residual_shape; both blocks padded in the last dimension, as in kern.h: */
    size_t layer;                                /* parameters of one block: W [width, padded], b [padded]     */
    size_t head;                                 /* offset of w [features, UNA_PAD], then b [UNA_PAD]           */
    size_t parameters;
    size_t spread, phase;                        /* offsets of S [width, padded] and p [padded]; A is at 0      */
    size_t frozen;
} una_residual;

void una_residual_shape(una_residual *net);
/* lift A; spread S with p for its last row; a block's W with b for its last row, each; weights w, then b. */
bool una_residual_matrix(const void *net, size_t index, una_matrix *matrix);

#define UNA_IN_BOTH "nn/residual_calls.h"
#include "kern/both.h"
