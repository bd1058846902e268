/* SPDX-License-Identifier: MIT
 *
 * Where to evaluate next to find the least value: expected improvement on the best value so far,
 *   EI = E max(best - f, 0) = s h(z),  h(z) = z Phi(z) + phi(z),  z = (best - mean)/s,  f ~ N(mean, s^2),
 * its logarithm, which still tells points apart where EI itself is too small for a double, and others: one line of a
 * table each. Those of a mixture are the mean over its parts.
 * Source: Jones, Schonlau and Welch 1998; the logarithm as in Ament et al. 2023.
 */
#pragma once

#include "base/option.h"

/* std is that of the function (epistemic), at least 0. Not negative. */
double una_expected_improvement(double mean, double std, double best);
/* log h(z) to full relative precision of h for every finite z. */
double una_log_improvement(double z);

typedef struct una_acquisition_options { double beta, draws; } una_acquisition_options;

typedef enum una_acquisition_need {      /* what it needs from the search                                           */
    UNA_NEEDS_NOTHING,                   /* not even a model                                                        */
    UNA_NEEDS_MODEL,
    UNA_NEEDS_FANTASIES,                 /* models whose noisy values were replaced by draws of the function        */
    UNA_NEEDS_DRAW                       /* one function drawn from the posterior                                   */
} una_acquisition_need;

typedef struct una_belief {              /* about the function at one point                                         */
    double mean, std, best;              /* one Gaussian of its value; the least value known so far                 */
    const una_acquisition_options *options;
    double dmean, dstd;                  /* out: derivatives of the acquisition's value                             */
} una_belief;

typedef struct una_acquisition {
    const char          *name, *summary;
    una_acquisition_need need;
    double             (*value)(una_belief *at); /* higher is better; NULL: UNA_NEEDS_NOTHING                       */
    const una_option    *options;        /* NULL: none                                                              */
    bool                 quasi;          /* without a model: evenly spread instead of at random                     */
    bool                 is_log;         /* the value is a logarithm: means over parts are taken of what it is of   */
    bool                 of_whole;       /* of a mixture's mean and std, not the mean over its parts                */
} una_acquisition;

extern const una_acquisition una_acquisitions[];                 /* ends with name NULL                            */

/* From "name(key=value)"; the options go to *options. UNA_E_USAGE lists what there is. */
una_status una_acquisition_need_named(const una_acquisition **acquisition, una_acquisition_options *options,
                                      const char *spec, una_run *run);

typedef struct una_mixture_point {       /* a mixture of Gaussians at one point, with its slopes                    */
    size_t        count, inputs;
    const double *weight, *mean, *std;   /* [count]                                                                 */
    const double *dmean, *dstd;          /* [count, inputs]; NULL: slopes are not wanted                            */
} una_mixture_point;

/* The mean over parts, on the acquisition's own scale; slope [inputs] (may be NULL). */
double una_acquisition_mixture(const una_acquisition *acquisition, const una_acquisition_options *options,
                               const una_mixture_point *at, double best, double *slope);
