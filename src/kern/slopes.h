/* SPDX-License-Identifier: MIT
 *
 * Kernels on rows of slopes: through activations and back, and the similarity of heads whose slopes they are. For
 * nn/slopes_real.c and nn/diversity_real.c.
 */
#ifndef UNA_KERN_SLOPES_H
#define UNA_KERN_SLOPES_H

#include "kern/kern.h"

/* Rows of slopes: `points` points with `directions` slope rows each, `width` (padded) columns. */
typedef struct una_slope_shape { size_t points, directions, width; } una_slope_shape;

#define UNA_IN_BOTH "kern/slopes_slots.h"
#include "kern/both.h"

#endif
