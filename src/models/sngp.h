/* SPDX-License-Identifier: MIT
 *
 * The options of SNGP, for sngp.c and its tests. The state of one training is a una_basis.
 */
#pragma once

#include "train/basis.h"

typedef struct una_sngp_options {
    una_basis_options basis;             /* first; features: the random ones                                */
    double bound, lengthscale, covariance_momentum;
    int    head;                         /* UNA_POSTERIOR_EXACT, ...                                        */
} una_sngp_options;
