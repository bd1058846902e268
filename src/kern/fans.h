/* SPDX-License-Identifier: MIT
 *
 * Kernels on fans: the slopes of one point along all directions, a row of `lanes` = UNA_PADDED(directions) for each
 * unit of a list, padding zero. For nn/fans_real.c.
 */
#ifndef UNA_KERN_FANS_H
#define UNA_KERN_FANS_H

#include "kern/kern.h"

/* Lists of units: how many, how many of these bend (see relu), which ones, ascending, UNA_LIST_END; and from
 * UNA_BENT on the places in the list of those that bend. */
enum { UNA_LIST_END = 0xFFFF };
#define UNA_LIST_LENGTH(units) (2 * (size_t)(units) + 4)
#define UNA_LISTED(list) ((list) + 2)
#define UNA_BENT(list, units) ((list) + 3 + (units))

#define UNA_IN_BOTH "kern/fans_slots.h"
#include "kern/both.h"

#endif
