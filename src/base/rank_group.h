/* SPDX-License-Identifier: MIT
 *
 * A rank group: ranks that make one call together (UNA_SHARED_CALL), each with its own rows. They add up numbers, and all
 * get the failure of the first one that fails. Who only sums needs nothing but base.h; this is for the few that must
 * know how many ranks there are.
 * Between una_rank_group_enter and una_rank_group_leave every rank asks for the same sums, in the same order. A rank
 * that fails goes on to una_rank_group_leave, wherever the others are, and sends its sentence there: the next sum of
 * the others fails with that sentence, and so does every sum after it. So no rank waits for one that has given up, and
 * a failure may be checked late (una_run_sums_check).
 * A single rank, or a call outside of a group, sends nothing, and every sum is the value itself.
 */
#pragma once

#include "base/ranks.h"

size_t     una_rank_group_count(const una_run *run);        /* ranks that make this call; 1: alone     */
size_t     una_rank_group_rank(const una_run *run);
/* all [count of ranks]: the value of each rank. */
una_status una_rank_group_gather_sizes(size_t *all, size_t mine, una_run *run);
