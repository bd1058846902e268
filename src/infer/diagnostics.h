/* SPDX-License-Identifier: MIT
 *
 * Whether chains agree and how many independent draws theirs are worth. Source: Vehtari, Gelman, Simpson, Carpenter and
 * Buerkner, Rank-normalization, folding, and localization: an improved R-hat, 2021.
 */
#pragma once

#include "base/base.h"

typedef struct una_convergence {         /* NAN for fewer than four draws a chain, or draws that never change */
    double rhat;                         /* split, rank-normalised; the larger of plain and folded          */
    double ess_bulk, ess_tail;           /* of all chains together; tail: the worse of the 5 % and 95 % quantiles */
} una_convergence;

/* values [chains, draws] of one quantity. */
una_status una_convergence_of(una_convergence *out, const double *values, size_t chains, size_t draws, una_run *run);
/* Effective sample size of the values themselves, chains not split: initial monotone sequence (Geyer 1992). */
una_status una_ess(double *ess, const double *values, size_t chains, size_t draws, una_run *run);
/* sqrt of (between + within) / within variance, chains not split; infinite if each chain
 * stands still at its own place. */
double una_rhat(const double *values, size_t chains, size_t draws);
