/* SPDX-License-Identifier: MIT
 *
 * Sampling bias by concepts: does the ignorance of people who were left out lie along the directions that tell them
 * from those who trained (una_explain)?
 */
#ifndef UNA_BIAS_CONCEPTS_H
#define UNA_BIAS_CONCEPTS_H

#include "base/base.h"

/* "Was left out", as every second row of both groups shows it, at the other rows. */
typedef struct una_bias_concept {
    double share_in, share_out;          /* of the ignorance of others like the trained ones, and of those left out */
    double auroc;                        /* how often one who was left out has the larger part of it        */
    double auroc_low, auroc_high;        /* its 95 % bootstrap interval                                     */
} una_bias_concept;

/* All NAN for a model without a linear head. in, out: tables of one origin, two rows each at least. */
una_status una_bias_concept_of(una_bias_concept *concept, const una_model *model, const una_dataset *in,
                               const una_dataset *out, una_run *run);

#endif
