/* SPDX-License-Identifier: MIT
 *
 * The largest singular value of a matrix by power iteration, and its upper bound:
 *   v <- W'u/|W'u|,  u <- W v/|W v|,  sigma = |W v|;   W <- c W/sigma where sigma > c.
 * u and v persist from one step of training to the next, so one iteration a step is enough to follow a slowly moving W.
 * Source: Miyato et al., Spectral normalization, 2018; the bound as in Liu et al. (SNGP), 2020.
 */
#pragma once

#include "kern/kern.h"

#define UNA_IN_BOTH "nn/spectral_calls.h"
#include "kern/both.h"
