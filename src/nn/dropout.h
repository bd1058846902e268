/* SPDX-License-Identifier: MIT
 *
 * Dropout (Srivastava et al. 2014; Gal and Ghahramani 2016), inverted: a unit that is kept counts 1/(1 - p), one that
 * is dropped counts 0, so that the mean over masks is the plain network's. Training drops units of each row anew; a
 * pass at prediction time drops the same units for every row, so that it is a function.
 */
#pragma once

#include "nn/net.h"

/* n numbers, each 0 with probability p and else 1/(1 - p); 0 <= p < 1. For una_batch.mask. */
void una_dropout_mask(una_rng *rng, double p, size_t n, float *mask);
/* One pass as a network of its own: the rows of packed weights (in the order of una_matrices_pack) that leave a dropped unit
 * become 0, the others grow by 1/(1 - p). Inputs are dropped too if `inputs`. In place. */
void una_dropout_pass(const una_net *net, una_rng *rng, double p, bool inputs, float *packed);
