/* SPDX-License-Identifier: MIT
 *
 * The crew: every piece once and only once, over many rounds, awake and asleep, with any number of members, also when
 * the system gives no threads; members work in the leader's floating-point modes.
 */
#include "base/base.h"
#include "test_support.h"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED 1
#endif

enum { MOST_PIECES = 131 };              /* more than one word has bits */

/* Plain numbers, on lines of their own: a missing order between rounds would show, to the eye or to ThreadSanitizer. */
typedef struct tally {
    size_t round;                        /* written by the leader between rounds */
    struct { _Alignas(64) size_t times, seen; } of[MOST_PIECES];
} tally;

static void count(void *context, size_t index)
{
    tally *t = context;
    t->of[index].times++;
    t->of[index].seen = t->round;
}

static void rounds(una_crew *crew, size_t many, tally *t)
{
    size_t expected[MOST_PIECES];
    for (size_t i = 0; i < MOST_PIECES; i++) expected[i] = t->of[i].times;
    for (size_t r = 0; r < many; r++) {
        size_t pieces = r % 97 == 0 ? r % (MOST_PIECES + 1) : r % 10;
        t->round++;
        una_crew_do(crew, pieces, count, t);
        for (size_t i = 0; i < MOST_PIECES; i++) {
            expected[i] += i < pieces;
            assert_int_equal(t->of[i].times, expected[i]);
            if (i < pieces) assert_int_equal(t->of[i].seen, t->round);
        }
    }
}

static void wait_for(long nanoseconds)
{
    struct timespec pause = { 0, nanoseconds };
    nanosleep(&pause, NULL);
}

static una_crew *crew_of(int members, una_run *run)
{
    una_crew *crew = NULL;
    assert_ok(una_crew_new(&crew, members, &run->scratch), run);
    return crew;
}

/* First: stacks of threads that have ended would be used again, and need no memory. */
static void does_without_threads(void **state)
{
    una_run *run = *state;
#if defined(WATCHED)
    print_message("skipped: a sanitizer needs memory of its own for every thread\n");
    skip();
#endif

    assert_non_null(una_arena_get(&run->scratch, 1, 1));             /* the arena has room now, and need not grow */
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 1;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);

    una_crew *crew = NULL;
    una_status status = una_crew_new(&crew, 4, &run->scratch);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_ok(status, run);
    assert_int_equal(una_crew_members(crew), 1);

    tally t = {0};
    rounds(crew, 100, &t);
    una_crew_free(crew);
}

static void every_piece_once(void **state)
{
    una_run *run = *state;
    for (int members = 0; members <= 4; members++) {
        una_crew *crew = crew_of(members, run);
        assert_int_equal(una_crew_members(crew), members ? members : 1);
        tally t = {0};
        rounds(crew, 20000, &t);
        una_crew_free(crew);
    }
}

/* Pauses longer than anybody's patience: the helpers sleep and are called. */
static void wakes_who_sleeps(void **state)
{
    una_run *run = *state;
    una_crew *crew = crew_of(3, run);
    tally t = {0};
    for (int i = 0; i < 100; i++) {
        wait_for(i % 2 ? 500000 : 60000);
        rounds(crew, 30, &t);
    }
    una_crew_free(crew);
}

/* More members than any machine has cores; and crews that come and go without a round. */
static void comes_in_any_size(void **state)
{
    una_run *run = *state;
    una_crew *crew = crew_of(100000, run);
    assert_in_range(una_crew_members(crew), 1, 64);
    tally t = {0};
    rounds(crew, 200, &t);
    una_crew_free(crew);
    for (int i = 0; i < 200; i++) una_crew_free(crew_of(2, run));
    una_crew_free(NULL);
    t = (tally){0};
    rounds(NULL, 50, &t);
    assert_int_equal(una_crew_members(NULL), 1);
}

typedef struct meeting {
    _Atomic int here;
    _Atomic bool met;
    unsigned seen[2];                    /* floating-point modes */
    pthread_t who[2];
    long pause;                          /* nanoseconds that helpers sleep in their piece */
    pthread_t leader;
} meeting;

static void meet(void *context, size_t index)            /* waits for the other, but not for ever */
{
    meeting *m = context;
    m->who[index] = pthread_self();
#if defined(__SSE__)
    m->seen[index] = _mm_getcsr() & ~0x3fu;
#endif
    m->here++;
    for (int i = 0; i < 1000 && m->here < 2; i++) wait_for(100000);
    if (m->here == 2 && !pthread_equal(m->who[0], m->who[1])) m->met = true;
}

static void two_at_once(void **state)
{
    una_run *run = *state;
    meeting m = {0};
    for (int i = 0; i < 20 && !m.met; i++) {
        una_crew *crew = crew_of(2, run);
        m = (meeting){0};
        if (una_crew_members(crew) == 2) una_crew_do(crew, 2, meet, &m);
        else m.met = true;                               /* no thread to meet */
        una_crew_free(crew);
    }
    assert_true(m.met);
}

static void dawdle(void *context, size_t index)
{
    meeting *m = context;
    m->who[index] = pthread_self();
    if (!pthread_equal(m->who[index], m->leader)) wait_for(m->pause);
    else wait_for(20000);                                /* long enough for the other to take one */
}

/* Helpers that keep the leader waiting are not asked any more, once both ways have been tried. */
static void works_alone_where_that_is_faster(void **state)
{
    una_run *run = *state;
    una_crew *crew = crew_of(2, run);
    meeting m = { .pause = 1000000, .leader = pthread_self() };
    int helped = 0, helped_late = 0;
    for (int i = 0; i < 1500 && una_crew_members(crew) == 2; i++) {
        una_crew_do(crew, 2, dawdle, &m);
        bool both = !pthread_equal(m.who[0], m.leader) || !pthread_equal(m.who[1], m.leader);
        helped += both;
        helped_late += both && i >= 1000;
    }
    if (helped > 250) assert_int_equal(helped_late, 0);  /* fewer: the machine is too busy to say */
    una_crew_free(crew);
}

#if defined(__SSE__)
static void works_in_the_leaders_modes(void **state)
{
    una_run *run = *state;
    una_crew *crew = crew_of(2, run);
    unsigned before = _mm_getcsr();

    for (unsigned round = 0; round < 6; round++) {
        unsigned wanted = round % 2 ? before | 0x8040u : before & ~0x8040u;
        _mm_setcsr(wanted);
        meeting m = {0};
        una_crew_do(crew, 2, meet, &m);
        _mm_setcsr(before);
        assert_int_equal(m.seen[0], wanted & ~0x3fu);
        assert_int_equal(m.seen[1], wanted & ~0x3fu);
    }
    una_crew_free(crew);
}
#endif

static una_status make_one(void *context, una_run *run)
{
    (void)context;
    una_mark mark = una_arena_mark(&run->scratch);
    una_crew *crew = NULL;
    una_status status = una_crew_new(&crew, 2, &run->scratch);
    una_crew_free(crew);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void no_memory_has_a_sentence(void **state)
{
    (void)state;
    assert_true(sweep_allocations_threads(make_one, NULL, 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_without_threads), cmocka_unit_test(every_piece_once), cmocka_unit_test(wakes_who_sleeps),
        cmocka_unit_test(comes_in_any_size), cmocka_unit_test(two_at_once),
        cmocka_unit_test(works_alone_where_that_is_faster),
#if defined(__SSE__)
        cmocka_unit_test(works_in_the_leaders_modes),
#endif
        cmocka_unit_test(no_memory_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, begin_run, end_run);
}
