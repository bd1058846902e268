/* SPDX-License-Identifier: MIT
 *
 * The task pool: same results for any number of threads, the lowest failure wins, cancel stops it.
 */
#include "base/base.h"
#include "test_support.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { TASKS = 100 };

/* Threads of each of 100 tasks, or of 2 where there are more threads. */
static int share_of(const una_run *run)
{
    return una_threads(run) > TASKS ? una_threads(run) / 2 : 1;
}

static una_status draw(void *context, size_t index, una_run *child)
{
    double *out = context;
    if (una_threads(child) != share_of(child->parent)) UNA_FAIL(child, UNA_E_USAGE, "a child has its share");
    double *scratch = UNA_GET(&child->scratch, double, 1000);
    UNA_TRY(una_arena_check(&child->scratch));
    una_rng rng = una_rng_at(child->settings.seed, UNA_FOR_TEST, index);
    for (size_t i = 0; i < 1000; i++) scratch[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < 1000; i++) out[index] += scratch[i];
    return UNA_OK;
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    double one[TASKS] = {0}, many[TASKS] = {0};
    una_run *run = quiet_run_threads(1);
    assert_ok(una_pool(run, TASKS, draw, one), run);
    assert_true(run->used == 0);
    una_run_free(run);
    run = quiet_run_threads(7);
    assert_ok(una_pool(run, TASKS, draw, many), run);
    assert_ok(una_pool(run, 0, draw, NULL), run);
    assert_true(run->used == 0);                         /* the children gave back all of it */
    una_run_free(run);
    assert_memory_equal(one, many, sizeof one);
}

static void more_threads_than_anybody_needs(void **state)
{
    (void)state;
    double out[2] = {0};
    una_run *run = quiet_run_threads(100000);
    assert_ok(una_pool(run, 2, draw, out), run);
    una_run_free(run);
}

static una_status draw_many(void *context, size_t index, una_run *child)
{
    double (*out)[TASKS] = context;
    if (una_threads(child) != 4) UNA_FAIL(child, UNA_E_USAGE, "two tasks share eight threads");
    return una_pool(child, TASKS, draw, out[index]);
}

/* What a call gives out for the run's life is there until the task ends. */
static una_status write_text(void *context, size_t index, una_run *child)
{
    char *first = una_arena_text(&child->texts, "first"), *second = una_arena_text(&child->texts, "second");
    UNA_TRY(una_arena_check(&child->texts));
    ((bool *)context)[index] = strcmp(first, "first") == 0 && strcmp(second, "second") == 0;
    return UNA_OK;
}

static void tasks_have_texts(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        bool good[TASKS] = { false };
        una_run *run = quiet_run_threads(threads);
        assert_ok(una_pool(run, TASKS, write_text, good), run);
        for (size_t i = 0; i < TASKS; i++) assert_true(good[i]);
        una_run_free(run);
    }
}

static void a_pool_in_a_pool(void **state)
{
    (void)state;
    double one[TASKS] = {0}, many[2][TASKS] = {{0}};
    una_run *run = quiet_run_threads(8);
    assert_ok(una_pool(run, TASKS, draw, one), run);
    assert_ok(una_pool(run, 2, draw_many, many), run);
    assert_true(run->used == 0);
    una_run_free(run);
    assert_memory_equal(one, many[0], sizeof one);
    assert_memory_equal(one, many[1], sizeof one);
}

static una_status fail_some(void *context, size_t index, una_run *child)
{
    (void)context;
    /* The lower one takes longer, so that it is usually not the first to fail. */
    for (volatile int i = 0; index == 20 && i < 2000000;) i++;
    if (index == 20) UNA_FAIL(child, UNA_E_NUMERIC, "task %zu failed", index);
    if (index == 21 || index == 25) UNA_FAIL(child, UNA_E_INPUT, "task %zu failed", index);
    return UNA_OK;
}

static void the_lowest_failure_is_reported(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        una_run *run = quiet_run_threads(threads);
        for (int round = 0; round < 5; round++) {
            assert_status(una_pool(run, TASKS, fail_some, NULL), UNA_E_NUMERIC, run);
            assert_string_equal(run->message, "task 20 failed");
        }
        una_run_free(run);
    }
}

typedef struct watched {
    volatile int cancel;
    _Atomic int  started;
    int          inside, calls, overlaps;
    double       least, most;
} watched;

static una_status cancel_at_five(void *context, size_t index, una_run *child)
{
    watched *w = context;
    w->started++;
    if (index == 5) w->cancel = 1;
    return una_tick(child, "working", 0.5, NAN);
}

static void cancel_stops_it(void **state)
{
    (void)state;
    watched w = {0};
    una_run *run;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .cancel = &w.cancel };
    assert_ok(una_run_new(&run, &settings), NULL);
    assert_status(una_pool(run, TASKS, cancel_at_five, &w), UNA_CANCELLED, run);
    assert_says(run->message, "interrupted");
    assert_int_equal(w.started, 6);
    w.started = 0;
    assert_status(una_pool(run, TASKS, cancel_at_five, &w), UNA_CANCELLED, run);
    assert_int_equal(w.started, 0);                      /* cancelled before: no task begins */
    una_run_free(run);
}

static int watch(void *context, const una_progress *progress)
{
    watched *w = context;
    w->overlaps += w->inside++ != 0;
    w->calls++;
    w->least = fmin(w->least, progress->fraction);
    w->most = fmax(w->most, progress->fraction);
    w->inside--;
    return 0;
}

static una_status tick_often(void *context, size_t index, una_run *child)
{
    (void)context;
    (void)index;
    for (int i = 0; i <= 10; i++) UNA_TRY(una_tick(child, "working", i / 10.0, NAN));
    una_log(child, UNA_LOG_NOTE, "done");
    return UNA_OK;
}

static void callbacks_are_never_concurrent(void **state)
{
    (void)state;
    watched w = { .least = 2, .most = -1 };
    una_run *run;
    una_run_settings settings = { .size = sizeof settings, .threads = 4, .progress = watch, .callbacks = &w };
    assert_ok(una_run_new(&run, &settings), NULL);
    assert_ok(una_pool(run, TASKS, tick_often, NULL), run);
    assert_int_equal(w.calls, 11 * TASKS);
    assert_int_equal(w.overlaps, 0);
    assert_near(w.least, 0, 0, 1e-12);
    assert_near(w.most, 1, 0, 1e-12);
    una_run_free(run);
}

static una_status nested(void *context, size_t index, una_run *child)
{
    double *out = context;
    return una_pool(child, 3, draw, out + 3 * index);
}

static void pools_in_pools(void **state)
{
    (void)state;
    double a[9] = {0}, b[9] = {0};
    una_run *run = quiet_run_threads(3);
    assert_ok(una_pool(run, 3, nested, a), run);
    for (size_t i = 0; i < 3; i++) assert_ok(una_pool(run, 3, draw, b + 3 * i), run);
    assert_memory_equal(a, b, sizeof a);
    una_run_free(run);
}

static una_status pool_job(void *context, una_run *run)
{
    (void)context;
    double out[TASKS] = {0};
    return una_pool(run, TASKS, draw, out);
}

static una_status no_job(void *context, una_run *run)
{
    (void)context;
    (void)run;
    return UNA_OK;
}

typedef struct kept { una_arena arena; double *value; } kept;

static una_status keep_a_number(void *context, size_t index, una_run *child)
{
    kept *k = (kept *)context + index;
    k->value = UNA_GET(&k->arena, double, 5000);
    UNA_TRY(una_arena_check(&k->arena));
    if (index == 30) UNA_FAIL(child, UNA_E_INPUT, "task %zu failed", index);
    k->value[4999] = (double)index;
    return UNA_OK;
}

/* What a job keeps lives on after it, and ends with una_jobs_free, whether all jobs ran or not. */
static void results_outlive_their_jobs(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        una_run *run = quiet_run_threads(threads);
        kept some[20] = {0}, more[TASKS] = {0};
        assert_ok(una_jobs_run(run, some, sizeof *some, 20, keep_a_number, some), run);
        for (size_t i = 0; i < 20; i++) assert_true(some[i].value[4999] == (double)i);
        una_jobs_free(some, sizeof *some, 20);

        assert_status(una_jobs_run(run, more, sizeof *more, TASKS, keep_a_number, more), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "task 30 failed");
        una_jobs_free(more, sizeof *more, TASKS);
        una_jobs_free(NULL, sizeof *more, TASKS);        /* not even begun */

        assert_true(run->used == 0);
        una_run_free(run);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    long own = sweep_allocations(no_job, NULL);          /* of the run itself */
    assert_int_equal(sweep_allocations(pool_job, NULL), own + 1);
    long wide = sweep_allocations_threads(pool_job, NULL, 3);            /* scratch passes from task to task */
    assert_true(wide > own && wide <= own + 3);
}

/* A signal to the process must reach the caller's thread, where it interrupts what waits. */
static una_status look_at_mask(void *context, size_t index, una_run *child)
{
    static const int sent[] = { SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGUSR1, SIGHUP };
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGPIPE, SIGXFSZ };
    sigset_t mask;
    (void)index;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    bool helper = !pthread_equal(pthread_self(), *(pthread_t *)context);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        if (sigismember(&mask, sent[i]) != helper) UNA_FAIL(child, UNA_E_USAGE, "signal %d, %d", sent[i], helper);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (sigismember(&mask, own[i])) UNA_FAIL(child, UNA_E_USAGE, "signal %d is blocked", own[i]);
    struct timespec moment = { .tv_nsec = 1000000 };
    nanosleep(&moment, NULL);                    /* so that all of them come to do some */
    return UNA_OK;
}

static void threads_take_no_signals(void **state)
{
    (void)state;
    una_run *run = quiet_run_threads(4);
    pthread_t caller = pthread_self();
    assert_ok(una_pool(run, TASKS, look_at_mask, &caller), run);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads), cmocka_unit_test(more_threads_than_anybody_needs),
        cmocka_unit_test(a_pool_in_a_pool), cmocka_unit_test(tasks_have_texts),
        cmocka_unit_test(the_lowest_failure_is_reported), cmocka_unit_test(cancel_stops_it),
        cmocka_unit_test(callbacks_are_never_concurrent), cmocka_unit_test(pools_in_pools),
        cmocka_unit_test(threads_take_no_signals), cmocka_unit_test(results_outlive_their_jobs),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
