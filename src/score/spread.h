/* SPDX-License-Identifier: MIT
 *
 * Half the expected distance of two draws from a mixture of many parts (spread.c).
 */
#pragma once

#include "score/score.h"

/* To some 1e-10 of itself, in work that grows as the parts do. Infinite where the parts are farther apart than numbers
 * reach. */
una_status una_half_spread(double *half, const una_mixture *parts, una_run *run);
