/* SPDX-License-Identifier: MIT
 *
 * A rank group: ranks that make one call together, each with its own rows. They add up numbers, and all get the failure
 * of the first one that fails.
 * Between una_rank_group_enter and una_rank_group_leave every rank asks for the same sums, in the same order. A rank
 * that fails goes on to una_rank_group_leave, wherever the others are, and sends its sentence there: the next sum of
 * the others fails with that sentence, and so does every sum after it. So no rank waits for one that has given up, and
 * a failure may be checked late (una_rank_group_check).
 * A single rank, or a call outside of a group, sends nothing, and every sum is the value itself.
 */
#ifndef UNA_RANK_GROUP_H
#define UNA_RANK_GROUP_H

#include "base/ranks.h"

typedef struct una_rank_group {
    una_status status;           /* sticky: of the first failure, and its sentence                  */
    char       message[UNA_MESSAGE_SIZE];
} una_rank_group;

/* From here on the run is in a rank group, if its settings have ranks. A call inside of such a call is part of it. */
void       una_rank_group_enter(una_rank_group *rank_group, una_run *run);
/* Ends the call, with `status` on this rank: gives the status of all ranks, with its sentence. */
una_status una_rank_group_leave(una_rank_group *rank_group, una_status status, una_run *run);

size_t     una_rank_group_count(const una_run *run);        /* ranks that make this call; 1: alone     */
size_t     una_rank_group_rank(const una_run *run);
una_status una_rank_group_check(una_run *run);              /* of everything that was asked for so far */
/* Reports a failure of this rank, which continues for a while: the other ranks get it where they are, and no more sums
 * are made. Gives the status of all; does nothing for UNA_OK. */
una_status una_rank_group_fail(una_status mine, una_run *run);

/* Sums over all ranks, in place, with the same bits everywhere (base/ranks.h). After a failure the values are of no
 * use; _sum_size, _any and _max then return this rank's own value. */
una_status una_rank_group_sum_f64(double *values, size_t count, una_run *run);
una_status una_rank_group_sum_f32(float *values, size_t count, una_run *run);
size_t     una_rank_group_sum_size(size_t value, una_run *run);
bool       una_rank_group_any(bool value, una_run *run);
double     una_rank_group_max(double value, una_run *run);
/* all [count of ranks]: the value of each rank. */
una_status una_rank_group_gather_sizes(size_t *all, size_t mine, una_run *run);
/* The bytes of all ranks, one rank's behind the other's. */
una_status una_rank_group_gather_bytes(unsigned char **all, size_t *size, const void *mine, size_t mine_size,
                                       una_arena *arena, una_run *run);

#endif
