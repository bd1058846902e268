/* SPDX-License-Identifier: MIT
 *
 * Multi-layer perceptrons of any depth and width with M linear heads, their losses and exact gradients:
 *   f_m(x) = w_m' phi(x) + b_m,   phi = last hidden layer.
 * Besides plain rows the network carries slope rows: directional derivatives of phi at probe points, either by finite
 * differences in secant form, s = (act(z + delta u) - act(z))/delta, or exactly, s = act'(z) u. Slopes pass through the
 * same weights without biases; the first layer's slopes along input d are row d of its weights.
 */
#pragma once

#include "nn/body.h"

enum { UNA_MAX_LAYERS = 16 };

enum { UNA_MOST_PIECES = 4 };                 /* of one step, for threads to share                    */

#define UNA_INITIALISATIONS "he|glorot|lecun|normal"

/* Layer l maps size[l] inputs to size[l + 1] outputs; hidden layers l < depth, heads at l = depth. */
typedef struct una_net {
    size_t depth;                              /* hidden layers, at least 1                            */
    size_t size[UNA_MAX_LAYERS + 2];
    una_activation activation;
    /* derived by una_net_shape: */
    size_t features, heads;                    /* L, without the one; M                                */
    size_t weights[UNA_MAX_LAYERS + 1];        /* offset of W [size[l], padded(size[l+1])]             */
    size_t biases[UNA_MAX_LAYERS + 1];         /* offset of b [padded(size[l+1])]                      */
    size_t parameters;                         /* floats or doubles in all                             */
    size_t hidden_parameters;                  /* those before the heads                               */
} una_net;

void   una_net_shape(una_net *net);
bool   una_net_matrix(const void *net, size_t index, una_matrix *matrix);    /* weights and bias of a layer */

typedef struct una_work_size {                 /* what buffers are made for; what is not said is none   */
    size_t rows, probes, directions;           /* the most of a step, or of its largest piece          */
    bool   own_probes;                         /* probes are rows of their own                         */
    bool   exact, per_point;                   /* slopes: exact or by differences; cosines per probe or stacked */
    bool   one_point;                          /* slopes, or phi, of one row: no training, no heads     */
    size_t pieces;                             /* at most UNA_MOST_PIECES, of about as many rows and probes; 0: 1 */
    una_path path;                             /* UNA_PATH_PLAIN: by row and through every layer, always */
} una_work_size;

typedef struct una_slope_method {                     /* through the slopes: the plain one is without the first three */
    bool   fans, line, forms_slopes;           /* fans_real.c, line_real.c, G formed in diversity_real.c */
    size_t blocks, pieces;                     /* of probes, in the largest piece; of the step         */
} una_slope_method;

#define UNA_IN_BOTH "nn/net_calls.h"
#include "kern/both.h"
