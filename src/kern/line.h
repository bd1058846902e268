/* SPDX-License-Identifier: MIT
 *
 * Kernels for a ReLU layer of one input as a broken line. For nn/line_real.c.
 */
#ifndef UNA_KERN_LINE_H
#define UNA_KERN_LINE_H

#include "kern/kern.h"

#define UNA_IN_BOTH "kern/line_slots.h"
#include "kern/both.h"

#endif
