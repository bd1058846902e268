/* SPDX-License-Identifier: MIT
 *
 * A residual network of convolutions on images, with linear heads: ResNet-18 and its smaller kin.
 *   stem    convolution 7 x 7 by two places, normalised, rectified, the largest of 3 x 3 by two (as for ImageNet),
 *           or (small) convolution 3 x 3, normalised, rectified
 *   block   out = max(0, N2(C2 max(0, N1(C1 in))) + skip),  skip = in, or where the map changes N3(C3 in), 1 x 1
 *   phi     h, the mean of the last map over its places, or (fourier) sqrt(2/F) cos(S'h + p);  f = w'phi + b
 * N(z) = scale (z - mean)/sqrt(var + 1e-5) + shift, with mean and variance of the rows at hand while it trains, which
 * are carried along as running means for afterwards.
 *
 * Maps are [rows, height, width, channels], weights of a convolution [kernel, kernel, channels in, channels out].
 * Parameters: weights, scale and shift of every convolution; heads; then what is carried and never trained, mean and
 * variance of every convolution. S and p, where there are any, are frozen (nn/residual.h).
 * Source: He, Zhang, Ren and Sun, Deep residual learning for image recognition, 2016; Ioffe and Szegedy 2015.
 */
#pragma once

#include "nn/body.h"

enum { UNA_MOST_STAGES = 6, UNA_MOST_BLOCKS = 64, UNA_MOST_CONVOLUTIONS = 3 * UNA_MOST_BLOCKS + 1 };

typedef struct una_convolution {         /* and its normalisation                                           */
    una_windows at;
    size_t channels;                     /* out                                                             */
    size_t weights, scale, shift, mean, var;     /* where they stand among the parameters                   */
} una_convolution;

typedef struct una_conv_block { size_t first, second, skip; } una_conv_block;    /* convolutions; skip SIZE_MAX: none */

typedef struct una_conv {
    una_image_shape image;
    bool   small;                        /* stem for small images                                           */
    size_t width;                        /* channels of the first stage; each stage has twice the last one's */
    size_t stages, blocks[UNA_MOST_STAGES];
    size_t fourier;                      /* random Fourier features F at its end; 0: none                   */
    size_t heads;
    /* derived by una_conv_shape: */
    size_t count, block_count;
    size_t channels, features;           /* of the last map, that is of h; of phi                           */
    una_convolution convolution[UNA_MOST_CONVOLUTIONS];  /* the stem's is the first                         */
    una_conv_block  block[UNA_MOST_BLOCKS];
    una_windows     pool;                /* of the stem                                                     */
    size_t head, carried, parameters;    /* where heads begin, and what is carried; all                     */
    size_t phase, frozen;                /* where p stands behind S [channels, padded(F)]; both             */
} una_conv;

void una_conv_shape(una_conv *net);
/* For each convolution its weights, then scale and shift as two rows; heads with b for their last row; for each
 * convolution mean and variance; S with p for its last row, frozen. */
bool una_conv_matrix(const void *net, size_t index, una_matrix *matrix);

static inline size_t una_conv_places(const una_convolution *c)   /* of a map that comes out                 */
{
    return c->at.out_height * c->at.out_width;
}

/* How convolutions in float are computed, but for kernels "generic", which are plain: by oneDNN; plainly, because una
 * was built without it, or because its library is not installed here. */
typedef enum una_conv_way { UNA_CONV_PLAIN, UNA_CONV_DNNL, UNA_CONV_DNNL_MISSING } una_conv_way;
una_conv_way una_conv_way_here(void);

#define UNA_IN_BOTH "nn/conv_calls.h"
#include "kern/both.h"
