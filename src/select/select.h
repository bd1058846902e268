/* SPDX-License-Identifier: MIT
 *
 * Which of many specs is the best: the rules by which searches choose. Each candidate has scores on rows that did not
 * train it, means over splits and seeds. NAN: no score; such a candidate is never chosen where the rule needs the
 * score. Lists are sorted in scratch memory.
 */
#pragma once

#include "base/base.h"

typedef struct una_candidate { double log_lik, rmse, mean_cos2; } una_candidate;

/* "log_lik": highest; "rmse": lowest; "two_stage": the thesis's rule for LUNA: of the tenth with the highest log_lik
 * (rounded up; of those that have both numbers; whoever equals the last of them belongs to it) the lowest mean cos^2.
 * Of equal ones the first. *best SIZE_MAX: no candidate has the numbers. UNA_E_USAGE names the rules. */
una_status una_select(size_t *best, const char *rule, const una_candidate *candidates, size_t count, una_run *run);
/* The order of all of them under the rule, best first; order [count]. Under two_stage the tenth by mean cos^2, then the
 * others by log_lik; those without numbers last. */
una_status una_select_order(size_t *order, const char *rule, const una_candidate *candidates, size_t count,
                            una_run *run);
una_status una_select_check(const char *rule, una_run *run);     /* UNA_E_USAGE: there is no such rule               */
/* Of the candidates whose `first` is at most `loss` below the highest, the one with the lowest `then`: the second
 * number decides where the first does not distinguish them. *best SIZE_MAX: no candidate has both. */
una_status una_select_near(size_t *best, const double *first, const double *then, size_t count, double loss,
                           una_run *run);
