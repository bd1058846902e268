/* SPDX-License-Identifier: MIT
 *
 * Kernels on pairs of points: distances, and exp of them. For gp/pairs.c.
 */
#ifndef UNA_KERN_PAIRS_H
#define UNA_KERN_PAIRS_H

#include "kern/kern.h"

#define UNA_IN_BOTH "kern/pairs_slots.h"
#include "kern/both.h"

#endif
