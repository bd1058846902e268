/* SPDX-License-Identifier: MIT
 *
 * The plain network, as `nn` and as the member that anchored ensembles pull towards their anchors.
 */
#ifndef UNA_NN_H
#define UNA_NN_H

#include "fit/basis.h"

typedef struct una_nn_options { una_basis_options basis; } una_nn_options;

/* Instead of the penalty: parameters near an anchor ~ N(0, prior_var), starting from N(0, init_var). Standardised. */
typedef struct una_nn_anchor { double noise_var, prior_var, init_var; } una_nn_anchor;

/* anchor NULL: the plain fit, as the kind does it. */
una_status una_nn_fit(void *state, una_nn_options *options, const una_nn_anchor *anchor, const una_problem *problem,
                      una_fit_result *result, una_arena *keep, una_run *run);

#endif
