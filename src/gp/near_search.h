/* SPDX-License-Identifier: MIT
 *
 * Lengths, variances and noise by how likely rows are given their neighbours: the sum over a sample of rows of
 * log p(y_i | the nearest of all others), by L-BFGS, with the exact gradient. A sample of rows alone is too thin to
 * show what the target does between them; its rows' neighbours in the whole table are not. Few neighbours make smooth
 * functions of many inputs seem rough; so the search ends with fewer rows of more neighbours.
 *   A = K_N + noise,  w = A^-1 k,  a = A^-1 y,  r = y_i - w'y,  s = k_ii + noise_i - w'k,  c = (r^2/s - 1)/(2 s)
 *   dlog p = (r/s)(a'dk - w'dA a) + c (dk_ii + dnoise_i - 2 w'dk + w'dA w)
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.2 (leaving one out), with
 * Vecchia's neighbours.
 */
#pragma once

#include "gp/near.h"

typedef struct una_near_search {         /* the caller sets all but the last                                  */
    una_gp  *gp;                         /* by nearest rows; the search begins at its numbers                 */
    const una_hyper_plan *plan;
    bool     free_noise;
    double   range;                      /* of lengths, variances and noise variance                          */
    uint64_t seed;
    size_t   calls;
} una_near_search;

una_status una_near_search_run(una_near_search *search, una_run *run);
