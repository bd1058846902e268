/* SPDX-License-Identifier: MIT
 *
 * What a public call gives away: a struct that the caller sees, with an arena of its own.
 */
#pragma once

#include "base/base.h"

/* Zeroed; what it points to lies in *keep. NULL: there is no memory. */
void *una_result_new(una_arena **keep, size_t size, una_run *run);
void  una_result_free(void *result);             /* with the arena; NULL is harmless */
