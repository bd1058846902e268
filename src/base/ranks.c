/* SPDX-License-Identifier: MIT
 *
 * Sums and broadcasts go along a binary tree over the ranks: in round s = 1, 2, 4 ... the ranks whose number is an odd
 * multiple of s send to the rank s below. The tree depends on the number of ranks alone, and so do the bits.
 */
#include "base/ranks.h"

#include <unistd.h>

enum { MOST_AT_ONCE = 1 << 28, PIECE = 1 << 16 };        /* bytes of a message; of a piece of a sum */

una_status una_ranks_check(const una_ranks *ranks)
{
    bool whole = ranks->send && ranks->receive && ranks->arrived;
    bool within = ranks->count >= 1 && ranks->rank >= 0 && ranks->rank < ranks->count;
    return whole && within ? UNA_OK : UNA_E_USAGE;
}

const una_ranks *una_ranks_hide(una_run *run)
{
    const una_ranks *hidden = run->settings.ranks;
    run->settings.ranks = NULL;
    return hidden;
}

void una_ranks_show(una_run *run, const una_ranks *hidden)
{
    run->settings.ranks = hidden;
}

const char *una_ranks_host(char name[64])
{
    if (gethostname(name, 64) != 0) snprintf(name, 64, "unknown");
    name[63] = 0;
    return name;
}

/* ---- messages ------------------------------------------------------------------------------------------------ */

static una_status fail_lost_rank(int other, una_run *run)
{
    char host[64];
    UNA_FAIL(run, UNA_E_IO, "rank %d on host %s cannot reach rank %d: it has ended, or makes other calls; what was "
             "finished is kept, and the same command goes on from there", una_rank(run), una_ranks_host(host), other);
}

una_status una_ranks_send(int to, const void *bytes, size_t count, una_run *run)
{
    const una_ranks *r = run->settings.ranks;
    for (size_t at = 0; at < count; at += MOST_AT_ONCE) {
        size_t some = UNA_MIN(count - at, MOST_AT_ONCE);
        if (r->send(r->context, to, (const unsigned char *)bytes + at, some) != 0) return fail_lost_rank(to, run);
    }
    return UNA_OK;
}

una_status una_ranks_receive(int from, void *bytes, size_t count, una_run *run)
{
    const una_ranks *r = run->settings.ranks;
    for (size_t at = 0; at < count; at += MOST_AT_ONCE) {
        size_t some = UNA_MIN(count - at, MOST_AT_ONCE);
        if (r->receive(r->context, from, (unsigned char *)bytes + at, some) != 0) return fail_lost_rank(from, run);
    }
    return UNA_OK;
}

una_status una_ranks_arrived(int *from, size_t *count, una_run *run)
{
    const una_ranks *r = run->settings.ranks;
    *from = -1;
    *count = 0;
    if (r->arrived(r->context, from, count) == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "rank %d has lost the others; what was finished is kept, and the same command goes on "
             "from there", r->rank);
}

/* ---- down the tree ------------------------------------------------------------------------------------------- */

/* The round in which a rank sends; for rank 0 the first round in which none sends. */
static int last_round(int rank, int count)
{
    int s = 1;
    while (s < count && rank % (2 * s) == 0) s *= 2;
    return s;
}

una_status una_ranks_broadcast(void *bytes, size_t count, una_run *run)
{
    int rank = una_rank(run), ranks = una_rank_count(run), last = last_round(rank, ranks);
    if (rank > 0) UNA_TRY(una_ranks_receive(rank - last, bytes, count, run));
    for (int s = last / 2; s >= 1; s /= 2)
        if (rank + s < ranks) UNA_TRY(una_ranks_send(rank + s, bytes, count, run));
    return UNA_OK;
}

una_status una_ranks_broadcast_block(void **bytes, size_t *count, una_arena *arena, una_run *run)
{
    if (una_rank_count(run) == 1) return UNA_OK;
    uint64_t size = *count;
    UNA_TRY(una_ranks_broadcast(&size, sizeof size, run));
    una_status status = UNA_OK;
    if (una_rank(run) > 0) {
        *count = (size_t)size;
        *bytes = una_arena_get(arena, *count, 1);
        status = una_arena_check(arena);
    }
    UNA_TRY(una_ranks_agree(status, run));               /* before much is sent to one that cannot take it */
    return una_ranks_broadcast(*bytes, *count, run);
}

/* ---- up the tree --------------------------------------------------------------------------------------------- */

/* Adds piece by piece, through a buffer on the stack, which cannot run out of memory. */
static una_status add_from(int from, void *value, size_t count, size_t width, una_run *run)
{
    _Alignas(64) unsigned char buffer[PIECE];
    double *wide = value;
    float *narrow = value;
    for (size_t at = 0, most = PIECE / width; at < count; at += most) {
        size_t some = UNA_MIN(count - at, most);
        UNA_TRY(una_ranks_receive(from, buffer, some * width, run));
        if (width == sizeof *wide)
            for (size_t i = 0; i < some; i++) wide[at + i] += ((const double *)(const void *)buffer)[i];
        else
            for (size_t i = 0; i < some; i++) narrow[at + i] += ((const float *)(const void *)buffer)[i];
    }
    return UNA_OK;
}

una_status una_ranks_sum(void *value, size_t count, size_t width, una_run *run)
{
    int rank = una_rank(run), ranks = una_rank_count(run), last = last_round(rank, ranks);
    size_t most = PIECE / width;
    for (int s = 1; s < last; s *= 2)
        if (rank + s < ranks) UNA_TRY(add_from(rank + s, value, count, width, run));
    for (size_t at = 0; rank > 0 && at < count; at += most)
        UNA_TRY(una_ranks_send(rank - last, (char *)value + at * width, UNA_MIN(count - at, most) * width, run));
    return una_ranks_broadcast(value, count * width, run);
}

/* Rank 0 first tells the others whether it has room: a rank that has given up receives nothing any more. */
una_status una_ranks_gather(una_message *all, const void *bytes, size_t count, una_arena *arena, una_run *run)
{
    uint64_t size = count;
    int rank = una_rank(run), ranks = rank == 0 ? una_rank_count(run) : 0;
    if (rank > 0) UNA_TRY(una_ranks_send(0, &size, sizeof size, run));
    for (int r = 0; r < ranks; r++) {
        if (r > 0) UNA_TRY(una_ranks_receive(r, &size, sizeof size, run));
        all[r].count = (size_t)size;
        all[r].bytes = una_arena_get(arena, all[r].count, 1);
    }
    UNA_TRY(una_ranks_broadcast_status(rank == 0 ? una_arena_check(arena) : UNA_OK, run));

    if (rank > 0) return una_ranks_send(0, bytes, count, run);
    for (int r = 1; r < ranks; r++) UNA_TRY(una_ranks_receive(r, all[r].bytes, all[r].count, run));
    if (count) memcpy(all[0].bytes, bytes, count);
    return UNA_OK;
}

/* ---- how it went --------------------------------------------------------------------------------------------- */

typedef struct rank_failure {                 /* of the lowest rank that failed, if there is one                  */
    int  rank, status;
    char host[64], message[UNA_MESSAGE_SIZE];
} rank_failure;

static una_status take_failure(const rank_failure *v, bool named, una_run *run)
{
    if (v->status == UNA_OK) return UNA_OK;
    if (!named || v->status == UNA_CANCELLED) UNA_FAIL(run, (una_status)v->status, "%s", v->message);
    UNA_FAIL(run, (una_status)v->status, "rank %d on host %s: %.900s", v->rank, v->host, v->message);
}

una_status una_ranks_agree(una_status status, una_run *run)
{
    int rank = una_rank(run), ranks = una_rank_count(run), last = last_round(rank, ranks);
    if (ranks == 1) return status;
    rank_failure v = { .rank = rank, .status = (int)status }, other;
    memcpy(v.message, run->message, sizeof v.message);
    una_ranks_host(v.host);
    for (int s = 1; s < last; s *= 2) {
        if (rank + s >= ranks) continue;
        UNA_TRY(una_ranks_receive(rank + s, &other, sizeof other, run));
        if (v.status == UNA_OK) v = other;
    }
    if (rank > 0) UNA_TRY(una_ranks_send(rank - last, &v, sizeof v, run));
    UNA_TRY(una_ranks_broadcast(&v, sizeof v, run));
    return take_failure(&v, true, run);
}

una_status una_ranks_broadcast_status(una_status status, una_run *run)
{
    if (una_rank_count(run) == 1) return status;
    rank_failure v = { .status = (int)status };
    memcpy(v.message, run->message, sizeof v.message);
    UNA_TRY(una_ranks_broadcast(&v, sizeof v, run));
    return take_failure(&v, false, run);
}
