/* SPDX-License-Identifier: MIT
 *
 * The kernel slot table: arrays in, arrays out, no meaning. The reference set (kern_real.c) fills every slot and judges
 * the fast sets (kern_fast.c, compiled once per instruction set), which overwrite what they do better.
 *
 * Matrices are row-major; the last dimension is padded to a multiple of UNA_PAD, the padding of parameters is zero and
 * stays zero. Everything exists in float (training) and in double (golden vectors): names end in _f32 and _f64.
 */
#ifndef UNA_KERN_H
#define UNA_KERN_H

#include "base/base.h"

enum { UNA_PAD = 8 };
#define UNA_PADDED(n) (((size_t)(n) + UNA_PAD - 1) / UNA_PAD * UNA_PAD)

#define UNA_ACTIVATIONS "relu|tanh|leaky|elu|softplus|silu|sin"
typedef enum una_activation {
    UNA_RELU, UNA_TANH, UNA_LEAKY, UNA_ELU, UNA_SOFTPLUS, UNA_SILU, UNA_SIN
} una_activation;

/* Lists of units: how many, how many of these bend (see fan_relu), which ones, ascending, UNA_LIST_END; and from
 * UNA_BENT on the places in the list of those that bend. */
enum { UNA_LIST_END = 0xFFFF };
#define UNA_LIST_LENGTH(units) (2 * (size_t)(units) + 4)
#define UNA_LISTED(list) ((list) + 2)
#define UNA_BENT(list, units) ((list) + 3 + (units))

enum { UNA_SHALLOW_ROWS = 8 };           /* rows of a network of one hidden layer that are in hand at a time */

/* Rows of slopes: `points` points with `directions` slope rows each, `width` (padded) columns. */
typedef struct una_slope_shape { size_t points, directions, width; } una_slope_shape;

#define UNA_IN_BOTH "kern/kern_slots.h"
#include "kern/both.h"

/* Refuses a kernel set that does not exist or that this machine cannot run. */
una_status una_kernels_need(una_run *run);

#endif
