/* SPDX-License-Identifier: MIT
 *
 * The crew: threads that stay, for many rounds of work of about ten microseconds each. A round is a word with one bit
 * for each piece that is still free. The thread that clears a bit owns the piece, and may then read what the round is
 * about, because no round ends before all its pieces are done. A late helper finds nothing to take and does no harm,
 * and the leader waits only for threads that are at work. Each piece has a preferred member, the same one in every
 * round, because the numbers that it wrote last time are still in the cache of its core; other members take the piece
 * only if that one does not come within a moment.
 * Where other programs want the cores too, helpers lose theirs in the middle of a piece, or take the leader's; then one
 * thread alone is faster. So both ways are timed from time to time, and the faster one is used until the next trial.
 */
#include "base/base.h"

#include "base/thread.h"

#include <sched.h>
#include <stdatomic.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { MOST_MEMBERS = 64, AT_ONCE = 64, PAUSES = 32 };   /* pauses between looks at the clock */
enum { TRIALS = 5, TRIAL = 100, SETTLED = 40000 };   /* of either way, by turns; rounds of each, and after them */
static const double LONG_GAP = 300e-6;           /* between rounds; what is longer is the leader's own affair */
typedef _Atomic uint64_t word;
static const double PATIENCE = 60e-6;    /* seconds of waiting awake: longer than a step's part for one thread alone */

typedef struct helper_thread { una_crew *crew; size_t member; pthread_t thread; } helper_thread;   /* of a helper */

struct una_crew {
    _Alignas(64) word left;                      /* pieces that nobody has taken, a bit each                        */
    _Alignas(64) word done;                      /* how many are finished                                           */
    _Alignas(64) una_piece *piece;               /* the round: written by the leader while there is no piece        */
    void         *context;
    size_t        first;                         /* piece of the first bit                                          */
    unsigned      modes;                         /* how the leader rounds and flushes                               */
    atomic_int    asleep;
    atomic_bool   over;
    pthread_mutex_t lock;
    pthread_cond_t  wake;
    bool          alone;
    size_t        rounds;                        /* since trials began                                              */
    double        cost[2][TRIALS], last_end;     /* seconds: of trials together, alone                              */
    size_t        helpers, members;              /* members wanted; helpers that came                               */
    helper_thread          helper[MOST_MEMBERS - 1];
};

/* ---- waiting ------------------------------------------------------------------------------------------ */

static void pause_processor(void)                           /* tells the processor that this thread only waits */
{
#if defined(__SSE__)
    _mm_pause();
#endif
}

/* Spins until *count is no longer `while_it_is` (true) or patience is over (false). */
static bool spin_while_equal(word *count, uint64_t while_it_is)
{
    double start = 0;
    for (;;) {
        for (int i = 0; i < PAUSES; i++) {
            if (atomic_load_explicit(count, memory_order_acquire) != while_it_is) return true;
            pause_processor();
        }
        double at = una_clock();
        if (start == 0) start = at;
        if (at - start > PATIENCE) return false;
    }
}

/* ---- work --------------------------------------------------------------------------------------------- */

static unsigned modes_here(void)
{
#if defined(__SSE__)
    return _mm_getcsr() & ~0x3fu;                /* without the flags of what has happened */
#else
    return 0;
#endif
}

static void take_modes(unsigned modes)
{
#if defined(__SSE__)
    if (modes_here() != modes) _mm_setcsr(modes);
#else
    (void)modes;
#endif
}

/* Takes pieces of the round while there are any, first those that prefer this member (member, member + members, ...).
 * It leaves the other pieces to their own members for a moment. */
static void take_pieces(una_crew *crew, size_t member)
{
    uint64_t suits = 0, left;
    for (size_t i = member; i < AT_ONCE; i += crew->members) suits |= (uint64_t)1 << i;

    for (int moment = 0; (left = atomic_load_explicit(&crew->left, memory_order_acquire)) != 0;) {
        if (!(left & suits) && moment++ < PAUSES) {
            pause_processor();
            continue;
        }

        size_t at = 0;
        for (uint64_t free = left & suits ? left & suits : left; !(free >> at & 1);) at++;
        uint64_t bit = (uint64_t)1 << at;
        if (!(atomic_fetch_and_explicit(&crew->left, ~bit, memory_order_acq_rel) & bit)) continue;
        take_modes(crew->modes);
        crew->piece(crew->context, crew->first + at);
        atomic_fetch_add_explicit(&crew->done, 1, memory_order_release);
    }
}

/* A helper raises `asleep` before it reads `left`, and the leader sets `left` before it reads `asleep`: one of them
 * sees the other. */
static void sleep_until_called(una_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep, 1);
    while (atomic_load(&crew->left) == 0 && !atomic_load(&crew->over)) pthread_cond_wait(&crew->wake, &crew->lock);
    atomic_fetch_sub(&crew->asleep, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void wake_helpers(una_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

static void *helper_main(void *context)
{
    const helper_thread *own = context;
    una_crew *crew = own->crew;
    while (!atomic_load(&crew->over)) {
        if (!spin_while_equal(&crew->left, 0)) sleep_until_called(crew);
        take_pieces(crew, own->member);
    }
    return NULL;
}

static double median_cost(const double cost[TRIALS])
{
    for (size_t i = 0; i < TRIALS; i++) {
        size_t less = 0, same = 0;
        for (size_t j = 0; j < TRIALS; j++) {
            less += cost[j] < cost[i];
            same += cost[j] == cost[i];
        }
        if (less <= TRIALS / 2 && less + same > TRIALS / 2) return cost[i];
    }
    return cost[0];
}

/* Counts and times a round, with the time since the last one: a helper that takes the leader's core shows up there. */
static void time_round(una_crew *crew, double start, double end)
{
    enum { LAST = 2 * TRIALS * TRIAL };
    double gap = start - crew->last_end;
    if (crew->rounds < LAST)
        crew->cost[crew->alone][crew->rounds / TRIAL / 2] += end - start + (gap < LONG_GAP ? gap : LONG_GAP);
    crew->last_end = end;

    size_t rounds = ++crew->rounds;
    if (rounds < LAST) crew->alone = rounds / TRIAL % 2;
    else if (rounds == LAST) crew->alone = median_cost(crew->cost[1]) < median_cost(crew->cost[0]);
    else if (rounds == LAST + SETTLED) {
        crew->rounds = 0;
        crew->alone = false;
        memset(crew->cost, 0, sizeof crew->cost);
    }
}

/* A round of at most AT_ONCE pieces. */
static void one_round(una_crew *crew, size_t first, size_t pieces)
{
    crew->first = first;
    atomic_store(&crew->done, 0);
    atomic_store(&crew->left, ~(uint64_t)0 >> (AT_ONCE - pieces));
    if (atomic_load(&crew->asleep) > 0) wake_helpers(crew);
    take_pieces(crew, 0);
    uint64_t done;
    while ((done = atomic_load_explicit(&crew->done, memory_order_acquire)) < pieces)
        if (!spin_while_equal(&crew->done, done)) sched_yield();    /* more threads than cores: let the others get on */
}

void una_crew_do(una_crew *crew, size_t pieces, una_piece *piece, void *context)
{
    bool nobody = !crew || crew->helpers == 0 || pieces < 2, alone = nobody || crew->alone;
    double start = nobody ? 0 : una_clock();
    for (size_t i = 0; alone && i < pieces; i++) piece(context, i);
    if (nobody) return;
    crew->piece = piece;
    crew->context = context;
    crew->modes = modes_here();
    for (size_t first = 0; !alone && first < pieces; first += AT_ONCE)
        one_round(crew, first, pieces - first < AT_ONCE ? pieces - first : AT_ONCE);
    time_round(crew, start, una_clock());
}

void una_crew_claim(const una_crew *crew, void *at, size_t size)
{
    enum { LINE = 64 };
    if (!crew || crew->helpers == 0 || crew->alone) return;
    for (size_t i = 0; i < size; i += LINE) {
#if defined(__x86_64__)
        __asm__ volatile("prefetchw %0" : : "m"(((char *)at)[i]));   /* of the builtin, compilers make a read */
#elif defined(__GNUC__)
        __builtin_prefetch((char *)at + i, 1);
#endif
    }
}

una_range una_piece_range(size_t count, size_t index, size_t pieces)
{
    size_t lines = count / 16, first = index * lines / pieces * 16;
    size_t end = index + 1 == pieces ? count : (index + 1) * lines / pieces * 16;
    return (una_range){ first, end - first };
}

/* ---- life --------------------------------------------------------------------------------------------- */

una_status una_crew_new(una_crew **out, int members, una_arena *arena)
{
    una_crew *crew = *out = UNA_GET(arena, una_crew, 1);
    if (!crew) return UNA_E_MEMORY;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    crew->members = members < 1 ? 1 : (size_t)members;
    if (crew->members > MOST_MEMBERS) crew->members = MOST_MEMBERS;
    while (crew->helpers + 1 < crew->members) {
        helper_thread *next = &crew->helper[crew->helpers];
        *next = (helper_thread){ .crew = crew, .member = crew->helpers + 1 };
        if (una_thread_start(&next->thread, helper_main, next) != 0) break;
        crew->helpers++;
    }
    return UNA_OK;
}

int una_crew_members(const una_crew *crew)
{
    return crew ? (int)crew->helpers + 1 : 1;
}

void una_crew_free(una_crew *crew)
{
    if (!crew) return;
    atomic_store(&crew->over, true);
    wake_helpers(crew);
    for (size_t i = 0; i < crew->helpers; i++) pthread_join(crew->helper[i].thread, NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
}
