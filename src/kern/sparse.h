/* SPDX-License-Identifier: MIT
 *
 * Kernels on rows of which most numbers are zero and only the others are written down. For bayesopt/softmax.c.
 */
#ifndef UNA_KERN_SPARSE_H
#define UNA_KERN_SPARSE_H

#include "kern/kern.h"

enum { UNA_SPARSE_WIDTH = 16 };          /* columns of the matrices */

#define UNA_IN_BOTH "kern/sparse_slots.h"
#include "kern/both.h"

#endif
