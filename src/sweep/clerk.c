/* SPDX-License-Identifier: MIT
 *
 * Clerks: how the desks of several ranks are one. That of a rank other than 0 sends a letter whenever a thread wants a
 * key or has brought rows, and every now and then: how many keys are wanted, how the rank is, and the rows. Each letter
 * gets one answer: some keys, as they lie ready, and how the sweep is. So nobody ever sends to one who sends himself.
 * The last letter says that the rank leaves; it is answered when all have left, so that nothing that a rank says
 * afterwards can be taken for a letter.
 */
#include "sweep/desk.h"

#include "base/thread.h"

#include <string.h>
#include <time.h>

enum { POLL_US = 1000, LOOK_US = 50000, ASK_AGAIN_US = 3000, LATEST_US = 500000 };

typedef struct letter_head {
    uint64_t wanted, spare, parcels, leaves;     /* spare: keys besides, so that the next thread need not wait */
    int64_t  state;                      /* una_desk_state */
    double   worked, waited;             /* since the letter before */
} letter_head;
typedef struct parcel_head { uint64_t key, size; } parcel_head;
typedef struct answer_head { int64_t state; uint64_t count; } answer_head;     /* then, if any, keys: a message */

struct una_clerk {
    una_desk *desk;
    una_run   aside;
    pthread_t thread;
    int       present;                   /* rank 0: others that have not left                                */
    unsigned  in_vain;                   /* others: letters in a row that wanted more keys than came           */
    una_desk_state told;                 /* in the last letter,                                              */
    double    asked;                     /* which was then                                                   */
};

static void nap(long microseconds)
{
    struct timespec time = { .tv_nsec = microseconds * 1000 };
    nanosleep(&time, NULL);
}

/* With the lock. Fits look at the desk's flag: this rank's own interruption raises it, and that of any other. */
static void pass_on_interruption(una_desk *d)
{
    if (d->outer && *d->outer && d->state != UNA_DESK_INTERRUPTED) {
        d->state = UNA_DESK_INTERRUPTED;
        pthread_cond_broadcast(&d->news);
    }
    if (d->state == UNA_DESK_INTERRUPTED) d->cancel = 1;
}

static void take_state(una_desk *d, int64_t state)
{
    if (state == UNA_DESK_STOPPED || state == UNA_DESK_INTERRUPTED)
        una_desk_stop(d, state == UNA_DESK_INTERRUPTED ? UNA_CANCELLED : UNA_OK);
}

/* ---- rank 0 -------------------------------------------------------------------------------------------------- */

static una_status damaged(int from, una_run *run)
{
    UNA_FAIL(run, UNA_E_IO, "what rank %d sent cannot be read; every rank needs the same una", from);
}

/* The parcels behind the head, in memory of their own. */
static una_status unpack(una_clerk *c, int from, const char *at, size_t left, uint64_t count)
{
    una_desk *d = c->desk;
    for (uint64_t i = 0; i < count; i++) {
        parcel_head h;
        if (left < sizeof h) return damaged(from, &c->aside);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        left -= sizeof h;
        if (h.size > left || h.key >= d->sweep->plan->count) return damaged(from, &c->aside);
        una_parcel *parcel = una_desk_parcel((size_t)h.key, (size_t)h.size, &c->aside);
        if (!parcel) return UNA_E_MEMORY;
        memcpy(parcel->bytes, at, (size_t)h.size);
        at += h.size;
        left -= (size_t)h.size;
        pthread_mutex_lock(&d->lock);
        una_desk_add(d, parcel);
        pthread_mutex_unlock(&d->lock);
        d->tally->done++;
    }
    return UNA_OK;
}

/* With the lock: how many keys a rank gets. Spare ones only while there are many: in the end they would lie with one
 * rank while another has nothing to do. */
static size_t portion(const una_desk *d, uint64_t wanted, uint64_t spare)
{
    uint64_t left = d->count - d->first, enough = wanted + spare + 2 * d->ranks * (uint64_t)una_threads(d->run);
    if (left >= enough) wanted += spare;
    return wanted < left ? (size_t)wanted : (size_t)left;
}

static una_status answer(una_clerk *c, int from, uint64_t wanted, uint64_t spare)
{
    una_desk *d = c->desk;
    if (wanted > d->count) wanted = d->count;
    if (spare > d->count) spare = d->count;
    uint64_t *keys = UNA_GET(&c->aside.scratch, uint64_t, (size_t)(wanted + spare));
    UNA_TRY(una_arena_check(&c->aside.scratch));

    answer_head h = { .count = 0 };
    pthread_mutex_lock(&d->lock);
    size_t most = portion(d, wanted, spare);
    h.state = d->state;
    while (d->state == UNA_DESK_OPEN && h.count < most && d->first < d->last) keys[h.count++] = d->stock[d->first++];
    d->unmet[from] = d->state == UNA_DESK_OPEN && wanted > h.count ? (size_t)(wanted - h.count) : 0;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    UNA_TRY(una_ranks_send(from, &h, sizeof h, &c->aside));
    return una_ranks_send(from, keys, (size_t)h.count * sizeof *keys, &c->aside);
}

static una_status take_letter(una_clerk *c, int from, size_t size)
{
    una_desk *d = c->desk;
    letter_head h;
    char *bytes = UNA_GET(&c->aside.scratch, char, size);
    UNA_TRY(una_arena_check(&c->aside.scratch));
    UNA_TRY(una_ranks_receive(from, bytes, size, &c->aside));
    if (size < sizeof h) return damaged(from, &c->aside);
    memcpy(&h, bytes, sizeof h);
    UNA_TRY(unpack(c, from, bytes + sizeof h, size - sizeof h, h.parcels));
    take_state(d, h.state);
    pthread_mutex_lock(&d->lock);
    d->worked += h.worked;
    d->waited += h.waited;
    pthread_mutex_unlock(&d->lock);
    if (!h.leaves) return answer(c, from, h.wanted, h.spare);
    c->present--;
    return UNA_OK;
}

static una_status serve(una_clerk *c)
{
    while (c->present > 0) {
        int from;
        size_t size;
        pthread_mutex_lock(&c->desk->lock);
        pass_on_interruption(c->desk);
        pthread_mutex_unlock(&c->desk->lock);
        UNA_TRY(una_ranks_arrived(&from, &size, &c->aside));
        if (from < 0) {
            nap(POLL_US);
            continue;
        }
        una_mark mark = una_arena_mark(&c->aside.scratch);
        una_status status = take_letter(c, from, size);
        una_arena_release(&c->aside.scratch, mark);
        UNA_TRY(status);
    }
    for (int r = 1; r < c->desk->sweep->ranks->count; r++) UNA_TRY(answer(c, r, 0, 0));
    return UNA_OK;
}

/* ---- the others ---------------------------------------------------------------------------------------------- */

/* Where there was nothing to be had it asks again, but less and less often. */
static long pause_of(const una_clerk *c)
{
    long pause = ASK_AGAIN_US;
    for (unsigned i = 1; i < c->in_vain && pause < LOOK_US; i++) pause *= 2;
    return c->in_vain == 0 ? 0 : pause < LOOK_US ? pause : LOOK_US;
}

/* With the lock. */
static bool has_to_write(const una_clerk *c)
{
    const una_desk *d = c->desk;
    double since = 1e6 * (una_clock() - c->asked);
    bool wants = d->state == UNA_DESK_OPEN && d->waiting > d->last - d->first;
    return d->finished || d->closed || d->state != c->told || (wants && since >= (double)pause_of(c)) ||
           since > LATEST_US;
}

/* With the lock: what the letter says; the parcels are the clerk's now. */
static letter_head begin_letter(una_clerk *c, una_parcel **parcels, size_t *size)
{
    una_desk *d = c->desk;
    letter_head h = { .leaves = d->closed, .state = d->state, .worked = d->worked, .waited = d->waited };
    size_t ready = d->last - d->first, threads = (size_t)una_threads(d->run);
    if (d->state == UNA_DESK_OPEN && d->waiting > ready) h.wanted = d->waiting - ready;
    if (d->state == UNA_DESK_OPEN && d->waiting + threads > ready) h.spare = d->waiting + threads - ready - h.wanted;
    *parcels = d->finished;
    *size = sizeof h;
    for (const una_parcel *p = *parcels; p; p = p->next, h.parcels++) *size += sizeof(parcel_head) + p->size;
    d->finished = NULL;
    d->end = &d->finished;
    d->worked = d->waited = 0;
    return h;
}

static una_status send_letter(una_clerk *c, const letter_head *h, const una_parcel *parcels, size_t size)
{
    char *bytes = UNA_GET(&c->aside.scratch, char, size), *at = bytes;
    UNA_TRY(una_arena_check(&c->aside.scratch));
    memcpy(at, h, sizeof *h);
    at += sizeof *h;
    for (const una_parcel *p = parcels; p; p = p->next) {
        parcel_head one = { p->key, p->size };
        memcpy(at, &one, sizeof one);
        memcpy(at + sizeof one, p->bytes, p->size);
        at += sizeof one + p->size;
    }
    return una_ranks_send(0, bytes, size, &c->aside);
}

static una_status take_answer(una_clerk *c, uint64_t wanted)
{
    una_desk *d = c->desk;
    answer_head h;
    UNA_TRY(una_ranks_receive(0, &h, sizeof h, &c->aside));
    if (h.count > d->count - d->last) return damaged(0, &c->aside);
    uint64_t *keys = UNA_GET(&c->aside.scratch, uint64_t, (size_t)h.count);
    UNA_TRY(una_arena_check(&c->aside.scratch));
    UNA_TRY(una_ranks_receive(0, keys, (size_t)h.count * sizeof *keys, &c->aside));

    take_state(d, h.state);
    pthread_mutex_lock(&d->lock);
    for (size_t i = 0; i < h.count; i++) d->stock[d->last++] = (size_t)keys[i];
    if (h.state == UNA_DESK_OVER && d->state == UNA_DESK_OPEN) d->state = UNA_DESK_OVER;
    pthread_cond_broadcast(&d->news);
    pthread_mutex_unlock(&d->lock);
    c->in_vain = h.count < wanted ? c->in_vain + 1 : 0;
    return UNA_OK;
}

static una_status write_once(una_clerk *c, bool *left)
{
    una_desk *d = c->desk;
    una_parcel *parcels;
    size_t size;
    pthread_mutex_lock(&d->lock);
    for (pass_on_interruption(d); !has_to_write(c); pass_on_interruption(d))
        una_desk_wait(d, d->waiting > 0 && c->in_vain > 0 ? pause_of(c) : LOOK_US);
    letter_head h = begin_letter(c, &parcels, &size);
    c->told = d->state;
    pthread_mutex_unlock(&d->lock);
    *left = h.leaves;
    c->asked = una_clock();

    una_mark mark = una_arena_mark(&c->aside.scratch);
    una_status status = send_letter(c, &h, parcels, size);
    for (una_parcel *next; parcels; parcels = next) {
        next = parcels->next;
        una_release(&c->aside, parcels);
    }
    if (status == UNA_OK) status = take_answer(c, h.wanted);
    una_arena_release(&c->aside.scratch, mark);
    return status;
}

static una_status correspond(una_clerk *c)
{
    for (bool left = false; !left;) UNA_TRY(write_once(c, &left));
    return UNA_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

static void *work(void *context)
{
    una_clerk *c = context;
    una_status status = c->desk->sweep->ranks->rank == 0 ? serve(c) : correspond(c);
    if (status != UNA_OK) {
        una_desk_fail(c->desk, status, c->aside.message);
        c->desk->alone = true;                           /* read once this thread has ended */
    }
    una_desk_aside_free(&c->aside);
    return NULL;
}

una_status una_clerk_start(una_clerk **out, una_desk *desk, una_arena *arena)
{
    una_clerk *c = UNA_GET(arena, una_clerk, 1);
    *out = NULL;
    UNA_TRY(una_arena_check(arena));
    *c = (una_clerk){ .desk = desk, .present = desk->sweep->ranks->count - 1, .asked = una_clock() };
    una_desk_aside(&c->aside, desk->run);
    c->aside.settings.ranks = desk->sweep->ranks;
    if (una_thread_start(&c->thread, work, c) != 0)
        UNA_FAIL(desk->run, UNA_E_MEMORY, "no thread could be started to speak with the other ranks");
    *out = c;
    return UNA_OK;
}

void una_clerk_join(una_clerk *c)
{
    if (c) pthread_join(c->thread, NULL);
}
