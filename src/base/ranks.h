/* SPDX-License-Identifier: MIT
 *
 * Collective calls of several processes, on top of the three calls of a una_ranks. Every rank makes the same calls in
 * the same order, from the thread that owns the run. Alone (no ranks, or one) each call does what is right for one
 * process and cannot fail.
 *
 * A rank that fails by itself reports that with una_ranks_agree before it stops; otherwise the others would wait for
 * it.
 */
#pragma once

#include "base/base.h"

/* UNA_E_USAGE: a call is missing, or the rank is none of them. */
una_status una_ranks_check(const una_ranks *ranks);

static inline int una_rank_count(const una_run *run) { return run->settings.ranks ? run->settings.ranks->count : 1; }
static inline int una_rank(const una_run *run) { return run->settings.ranks ? run->settings.ranks->rank : 0; }

/* Until una_ranks_show the run is alone: for work that each rank does by itself, or that only one of them does. */
const una_ranks *una_ranks_hide(una_run *run);
void             una_ranks_show(una_run *run, const una_ranks *hidden);

/* Broadcast: bytes [count] of rank 0 become those of all. */
una_status una_ranks_broadcast(void *bytes, size_t count, una_run *run);
/* The same where only rank 0 knows how many there are: on the others *bytes are in `arena`. */
una_status una_ranks_broadcast_block(void **bytes, size_t *count, una_arena *arena, una_run *run);

/* value [count], doubles or floats of `width` bytes, becomes the sum over all ranks: the same bits on every rank, and
 * every time for the same number of ranks. Neighbours are added first, then pairs of neighbours, and so on. Allocates
 * nothing. */
una_status una_ranks_sum(void *value, size_t count, size_t width, una_run *run);

/* Gathers what each rank has, of any length, on rank 0: there all [ranks], in `arena`; on the others `all` stays as it
 * is. Alone it is a copy. */
typedef struct una_message { void *bytes; size_t count; } una_message;
una_status una_ranks_gather(una_message *all, const void *bytes, size_t count, una_arena *arena, una_run *run);

/* Each rank passes its status. All get the status of the lowest rank that failed, with its sentence and its name before
 * it: "rank 2 on host gauss: cannot open big.csv". An interruption has no name. */
una_status una_ranks_agree(una_status status, una_run *run);
/* All get the status of rank 0 and its sentence, unchanged. */
una_status una_ranks_broadcast_status(una_status status, una_run *run);

/* The calls themselves, of any length, with sentences. _arrived: *from -1 if nothing is there. */
una_status una_ranks_send(int to, const void *bytes, size_t count, una_run *run);
una_status una_ranks_receive(int from, void *bytes, size_t count, una_run *run);
una_status una_ranks_arrived(int *from, size_t *count, una_run *run);
const char *una_ranks_host(char name[64]);               /* of this machine                                         */
