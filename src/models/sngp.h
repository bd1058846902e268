/* SPDX-License-Identifier: MIT
 *
 * The state of one training of SNGP, for sngp.c and its tests.
 */
#pragma once

#include "train/basis.h"
#include "committee/committee.h"
#include "train/network.h"
#include "train/process.h"
#include "nn/residual.h"

enum { UNA_SNGP_EXACT, UNA_SNGP_LAPLACE, UNA_SNGP_GP };

typedef struct una_sngp_options {
    una_basis_options basis;             /* first; features: the random ones                                */
    double bound, lengthscale, covariance_momentum;
    int    head;
} una_sngp_options;

typedef struct una_sngp {
    una_network_f32 net;                 /* una_residual for tables, una_conv for images; its frozen part is this
                                            struct's */
    float   *frozen, *parameters;
    int      posterior;                  /* UNA_SNGP_EXACT, ...; LAPLACE: the mean is that of the trained head */
    una_head head;                       /* EXACT, LAPLACE: on [phi, 1]                                     */
    una_gp   gp;                         /* GP: on the last layer h                                         */
} una_sngp;

/* What the head works on: [phi, 1], or h for the Gaussian process; see m->posterior. */
una_feature_map una_sngp_map(const una_sngp *m);
