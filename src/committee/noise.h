/* SPDX-License-Identifier: MIT
 *
 * Noise that varies with the inputs, for every kind:  var(x) = noise_var g(x),  log g additive in the inputs and in
 * products of two of them, g of geometric mean 1 over the rows that taught it. It is learnt from out-of-fold
 * predictions, and replaces a constant as far as such rows show that it is better: log g may count in part. A linear
 * head counts a row 1/g(x) times: una_problem.weight.
 */
#pragma once

#include "model/kind.h"

typedef struct una_noise una_noise;

typedef struct una_noise_rows {          /* rows with their out-of-fold predictions                         */
    una_view      x;
    const double *y, *mean, *var;        /* [rows] var: of the model, without noise                         */
    const unsigned char *part;           /* [rows] the fold of each; NULL: none                             */
    size_t        parts;
    const uint32_t *team;                /* [rows] rows of one team (subject) are left out together; NULL: those that
                                            nearly agree are */
    bool          shape_per_fold;        /* learn the shape without each part, too: una_noise_without. Whether the
                                            noise varies does not depend on parts */
} una_noise_rows;

/* The shape in keep; NULL in *noise where left-out rows do not show one. required: never NULL. */
una_status una_noise_learn(una_noise **noise, const una_noise_rows *noise_rows, bool required, una_arena *keep,
                           una_run *run);
/* g [rows]; nothing is allocated. Beyond the rows that taught it, g keeps its value at their edge. */
void       una_noise_shape(const una_noise *noise, una_view x, double *g);
/* The shape learnt without one part; the shape itself where shape_per_fold was not set, or nothing was learnt. */
const una_noise *una_noise_without(const una_noise *noise, size_t part);
una_status una_noise_exchange(una_noise **noise, una_archive *ar);       /* NULL stays NULL */
