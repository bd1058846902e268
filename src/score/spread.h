/* SPDX-License-Identifier: MIT
 *
 * Half the expected distance of two draws from a mixture of many parts (spread.c).
 */
#ifndef UNA_SPREAD_H
#define UNA_SPREAD_H

#include "base/base.h"

typedef struct una_spread_parts {
    const double *mean, *var, *weight;   /* [count] of the parts; weight NULL: equal                        */
    size_t count;
    bool   log_target;                       /* they are those of log y, and the distance is that of y          */
} una_spread_parts;

/* To some 1e-10 of itself, in work that grows as the parts do. Infinite where the parts are farther apart than numbers
 * reach. */
una_status una_half_spread(double *half, const una_spread_parts *parts, una_run *run);

#endif
