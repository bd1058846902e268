/* SPDX-License-Identifier: MIT
 *
 * For those who make a una_split: at random, with a gap (splits.c), as published (read/published_splits.c).
 */
#pragma once

#include "base/base.h"

/* Starts with empty lists, so that there are none after a failure. */
una_status una_split_begin(una_split *split, una_run *run);
una_status una_split_lists(una_split *split, size_t train, size_t test, una_run *run);
/* Hands over the result, as many fields as the caller knows; after a failure, frees it. */
una_status una_split_give(una_split *split, una_split *made, una_status status, una_run *run);
