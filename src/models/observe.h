/* SPDX-License-Identifier: MIT
 *
 * More rows into a linear head, whole or not at all.
 */
#ifndef UNA_OBSERVE_H
#define UNA_OBSERVE_H

#include "infer/head.h"

/* Adds the sums `more` to a solved head and solves again. After a failure the head is what it was. */
una_status una_head_observe(una_head *head, const una_stats *more, una_run *run);

#endif
