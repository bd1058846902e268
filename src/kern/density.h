/* SPDX-License-Identifier: MIT
 *
 * Kernels of densities that are sampled, where a gradient is asked for thousands of times: a small network in one pass,
 * and the heads of a larger one integrated out. For the two targets of hmc.
 */
#ifndef UNA_KERN_DENSITY_H
#define UNA_KERN_DENSITY_H

#include "kern/kern.h"

enum { UNA_SHALLOW_ROWS = 8 };           /* rows of a network of one hidden layer that are in hand at a time */

#define UNA_IN_BOTH "kern/density_slots.h"
#include "kern/both.h"

#endif
