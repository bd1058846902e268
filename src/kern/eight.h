/* SPDX-License-Identifier: MIT
 *
 * UNA_PAD numbers at once, for loops that the compiler would not turn into vectors by itself.
 */
#pragma once

#include "kern/kern.h"

#include "kern/real.h"

/* UNA_PAD numbers at once, in whatever registers there are. */
typedef real eight __attribute__((vector_size(UNA_PAD * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef double eight_doubles __attribute__((vector_size(UNA_PAD * sizeof(double))));
#define EIGHT(array, j) (*(eight *)((real *)(array) + (j)))

static inline double sum_of(const eight_doubles *parts)
{
    const eight_doubles part = *parts;
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}
