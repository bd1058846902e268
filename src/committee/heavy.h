/* SPDX-License-Identifier: MIT
 *
 * Noise with heavier tails than a Gaussian, chosen by out-of-fold predictions: Student's t (infer/tails.h). Rows then
 * count by their out-of-fold errors, once and for all, in the posteriors that follow.
 */
#pragma once

#include "committee/oof.h"

/* What is asked before anything else is: whether t of this many degrees of freedom is clearly likelier than a Gaussian. */
#define UNA_FIRST_FREEDOM 4.0

typedef struct una_heavy_choice {
    double freedom;                      /* HUGE_VAL: Gaussian                                              */
    double log_lik;                      /* of all rows looked at, with the noise that suits best           */
    double spread;                       /* the Gaussian's variance over s^2 of t with UNA_FIRST_FREEDOM    */
} una_heavy_choice;

/* The degrees of freedom that make the out-of-fold rows likeliest, where they gain clearly; oof->tails does not matter. */
una_heavy_choice una_heavy_choose(una_oof *oof);
/* The same where the noise may have a shape, oof->shape: tails that make it needless drop it, *noise and oof->shape become
 * NULL, unless there must be one. */
una_heavy_choice una_heavy_choose_beside(una_noise **noise, una_oof *oof, bool must);
/* weight of each row of the problem, those that are held out last, as its out-of-fold error says under oof->tails. In
 * scratch. */
una_status una_heavy_weights(const double **weight, const una_oof *oof, double noise_var, const una_problem *problem,
                             una_run *run);
