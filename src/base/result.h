/* SPDX-License-Identifier: MIT
 *
 * What a public call gives away: a struct that the caller sees, with an arena of its own.
 */
#ifndef UNA_RESULT_H
#define UNA_RESULT_H

#include "base/base.h"

/* Zeroed; what it points to lies in *keep. NULL: there is no memory. */
void *una_result_new(una_arena **keep, size_t size, una_run *run);
void  una_result_free(void *result);             /* with the arena; NULL is harmless */

#endif
