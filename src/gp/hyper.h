/* SPDX-License-Identifier: MIT
 *
 * Which numbers of a kernel are free, and how they move: each free number theta is the logarithm of one parameter, or
 * of several that keep their ratios (the lengths of an isotropic kernel, those of the levels of one text column).
 * In a product only one factor's variance is free: the others would be the same direction again.
 */
#pragma once

#include "gp/program.h"

typedef struct una_hyper_plan {
    bool ard;                            /* a length for each input (or text column) instead of one per leaf   */
    bool fix_variances, fix_lengths;     /* lengths: also periods                                              */
    const size_t *group;                 /* [inputs] inputs with the same number share a length; NULL: none do */
} una_hyper_plan;

typedef struct una_hyper {
    size_t  count;                       /* free numbers                                                       */
    size_t *of;                          /* [parameter_count] which of them moves it; SIZE_MAX: none           */
    double *start;                       /* [parameter_count] as parsed                                        */
    double *origin;                      /* [count] theta at the start                                         */
    bool   *is_length;                   /* [count] a length or period                                         */
    bool   *common;                      /* [op_count] all lengths of the leaf move together                   */
} una_hyper;

una_status una_hyper_init(una_hyper *hyper, const una_kernel *kernel, const una_hyper_plan *plan, una_arena *arena);
/* Parameters from theta [count]. */
void una_hyper_put(const una_hyper *hyper, const double *theta, una_kernel *kernel);
/* And theta [count] from the parameters of such a kernel. */
void una_hyper_get(const una_hyper *hyper, const una_kernel *kernel, double *theta);
/* gradient [count] += that by log parameters, sum [parameter_count, UNA_PAD]. */
void una_hyper_fold(const una_hyper *hyper, const una_kernel *kernel, const double *sum, double *gradient);
