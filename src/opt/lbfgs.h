/* SPDX-License-Identifier: MIT
 *
 * Minimum of a smooth function of a few hundred variables inside a box: L-BFGS with a strong Wolfe line search.
 */
#pragma once

#include "base/base.h"

/* value of f at x, and its gradient where `gradient` is not NULL. UNA_E_NUMERIC, or a value that is not finite, means
 * that f does not exist there: the search goes back. Every other failure ends it. */
typedef una_status una_smooth_function(void *context, const double *x, double *value, double *gradient, una_run *run);

typedef struct una_lbfgs_settings {
    const double *low, *high;            /* [n] the box; NULL: none                                            */
    size_t memory;                       /* pairs remembered; 0 = 10                                           */
    size_t most_steps;                   /* 0 = 200                                                            */
    double gradient_tolerance;           /* largest entry of the projected gradient; 0 = 1e-5                  */
    double value_tolerance;              /* relative decrease of f, twice in turn; 0 = 1e-9                    */
    double least_drop;                   /* the same, not relative; 0: by value_tolerance alone                */
} una_lbfgs_settings;

typedef struct una_lbfgs_report {
    double value;                        /* f at the end                                                       */
    size_t steps, calls;
    bool   converged;                    /* by gradient or value, not by the number of steps                   */
} una_lbfgs_report;

/* x [n] is the start (moved into the box) and becomes the end. UNA_E_NUMERIC if f does not exist at the start. */
una_status una_lbfgs(double *x, size_t n, una_smooth_function *f, void *context, const una_lbfgs_settings *settings,
                     una_lbfgs_report *report, una_run *run);
