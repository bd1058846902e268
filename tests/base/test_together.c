/* SPDX-License-Identifier: MIT
 *
 * Tasks under way together: what they ask for arrives as one batch, for any number of threads, and also where some end
 * early, fail, are cancelled, or get no thread.
 */
#define _GNU_SOURCE              /* RTLD_NEXT */

#include "base/base.h"
#include "test_support.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TASKS = 20, EARLY = 7 };  /* EARLY asks only once */

/* ---- threads that cannot be started --------------------------------------------------------------------------- */

static atomic_int threads_left = 1000000;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context)
{
    union { void *at; int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *); } real;
    if (atomic_fetch_sub(&threads_left, 1) <= 0) return EAGAIN;
    real.at = dlsym(RTLD_NEXT, "pthread_create");
    return real.call(thread, attributes, body, context);
}

/* ---- tasks that ask ------------------------------------------------------------------------------------------- */

typedef struct batches { size_t count, size[100]; size_t fail_at; } batches;   /* fail_at: the batch that fails, from 1 */
typedef struct question { batches *of; double x, square; } question;

static una_status square_all(void *const *asked, size_t count, una_run *run)
{
    batches *b = ((question *)asked[0])->of;
    b->size[b->count++] = count;
    if (b->count == b->fail_at) UNA_FAIL(run, UNA_E_NUMERIC, "batch %zu failed", b->count);
    for (size_t i = 0; i < count; i++) {
        question *q = asked[i];
        q->square = q->x * q->x;
    }
    return UNA_OK;
}

typedef struct work { batches of; double out[TASKS]; size_t fails; } work;

static atomic_int at_once, most_at_once;

static una_status ask(question *q, una_run *run)
{
    void *const asked[] = { q };
    atomic_fetch_sub(&at_once, 1);
    una_status status = una_ask_together(square_all, asked, 1, run);
    int now = atomic_fetch_add(&at_once, 1) + 1;
    if (now > atomic_load(&most_at_once)) atomic_store(&most_at_once, now);
    return status;
}

/* index^2, then (index^2 + 1)^2; what is in scratch stays while others compute. */
static una_status ask_twice(void *context, size_t index, una_run *child)
{
    work *w = context;
    atomic_fetch_add(&at_once, 1);
    UNA_NEW(&child->scratch, question, q, 2);
    q[0] = (question){ &w->of, (double)index, 0 };
    una_status status = ask(&q[0], child);
    if (status == UNA_OK && index == w->fails)
        status = una_fail(child, UNA_E_INPUT, "task %zu failed", index);
    q[1] = (question){ &w->of, q[0].square + 1, 0 };
    if (status == UNA_OK && index != EARLY) status = ask(&q[1], child);
    w->out[index] = index == EARLY ? q[0].square : q[1].square;
    atomic_fetch_sub(&at_once, 1);
    return status;
}

static void check_answers(const work *w)
{
    for (size_t i = 0; i < TASKS; i++) {
        double square = (double)(i * i);
        assert_true(w->out[i] == (i == EARLY ? square : (square + 1) * (square + 1)));
    }
}

static void all_ask_as_one(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        una_run *run = quiet_run_threads(threads);
        work w = { .fails = SIZE_MAX };
        most_at_once = 0;
        assert_ok(una_pool_together(run, TASKS, ask_twice, &w), run);
        check_answers(&w);
        assert_int_equal(w.of.count, 2);
        assert_int_equal(w.of.size[0], TASKS);
        assert_int_equal(w.of.size[1], TASKS - 1);
        assert_true(most_at_once <= threads);
        assert_ok(una_pool_together(run, 0, ask_twice, &w), run);
        assert_true(run->used == 0);
        una_run_free(run);
    }
}

static void alone_it_is_answered_at_once(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    batches of = {0};
    question q = { &of, 3, 0 };
    assert_ok(ask(&q, run), run);
    assert_true(q.square == 9 && of.count == 1 && of.size[0] == 1);
    una_run_free(run);
}

/* ---- together in together ------------------------------------------------------------------------------------- */

static una_status a_group(void *context, size_t index, una_run *child)
{
    return una_pool_together(child, TASKS, ask_twice, (work *)context + index);
}

static void groups_ask_as_one_too(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        una_run *run = quiet_run_threads(threads);
        work w[3];
        for (size_t i = 0; i < 3; i++) w[i] = (work){ .fails = SIZE_MAX };
        assert_ok(una_pool_together(run, 3, a_group, w), run);
        for (size_t i = 0; i < 3; i++) check_answers(&w[i]);
        assert_int_equal(w[0].of.count, 2);              /* the first of the batch counts for all */
        assert_int_equal(w[0].of.size[0], 3 * TASKS);
        una_run_free(run);
    }
}

/* ---- failures ------------------------------------------------------------------------------------------------- */

static void failures_are_told_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        una_run *run = quiet_run_threads(threads);
        work w = { .of.fail_at = 2, .fails = SIZE_MAX };
        assert_status(una_pool_together(run, TASKS, ask_twice, &w), UNA_E_NUMERIC, run);
        assert_string_equal(run->message, "batch 2 failed");
        w = (work){ .fails = 11 };
        assert_status(una_pool_together(run, TASKS, ask_twice, &w), UNA_E_INPUT, run);
        assert_string_equal(run->message, "task 11 failed");
        assert_int_equal(w.of.count, 1);                 /* nobody's second question is answered any more */
        assert_true(run->used == 0);
        una_run_free(run);
    }
}

static void cancelled_before_it_begins(void **state)
{
    (void)state;
    volatile int cancel = 1;
    una_run *run;
    una_run_settings settings = { .size = sizeof settings, .threads = 2, .cancel = &cancel };
    work w = { .fails = SIZE_MAX };
    assert_ok(una_run_new(&run, &settings), NULL);
    assert_status(una_pool_together(run, TASKS, ask_twice, &w), UNA_CANCELLED, run);
    assert_says(run->message, "interrupted");
    assert_int_equal(w.of.count, 0);
    una_run_free(run);
}

static void without_threads_in_turn(void **state)
{
    (void)state;
    for (int left = 0; left < TASKS; left += 9) {
        una_run *run = quiet_run_threads(3);
        work w = { .fails = SIZE_MAX };
        threads_left = left;
        assert_ok(una_pool_together(run, TASKS, ask_twice, &w), run);
        threads_left = 1000000;
        check_answers(&w);
        assert_int_equal(w.of.size[0], left > 0 ? left : 1);
        una_run_free(run);
    }
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static una_status hold_much(void *context, size_t index, una_run *child)
{
    work *w = context;
    UNA_NEW(&child->scratch, double, much, 1 << 17);     /* 1 MB */
    question q = { &w->of, (double)index, 0 };
    void *const asked[] = { &q };
    UNA_TRY(una_ask_together(square_all, asked, 1, child));
    w->out[index] = q.square + much[17];
    return UNA_OK;
}

/* One part in eight of what is allowed, then no more of them begin; but as many as there are threads always do. */
static void memory_limits_the_batch(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads += 7) {
        una_run *run;
        una_run_settings settings = { .size = sizeof settings, .threads = threads, .memory_limit = 36 << 20 };
        work w = { .fails = SIZE_MAX };
        assert_ok(una_run_new(&run, &settings), NULL);
        assert_ok(una_pool_together(run, TASKS, hold_much, &w), run);
        for (size_t i = 0; i < TASKS; i++) assert_true(w.out[i] == (double)(i * i));
        if (threads == 1) assert_true(w.of.size[0] > 1 && w.of.size[0] < 8);
        else assert_true(w.of.size[0] >= 8 && w.of.size[0] < TASKS);
        una_run_free(run);
    }
}

static una_status together_job(void *context, una_run *run)
{
    (void)context;
    work w = { .fails = SIZE_MAX };
    return una_pool_together(run, 3, ask_twice, &w);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(together_job, NULL) > 3);
    assert_true(sweep_allocations_threads(together_job, NULL, 3) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ask_as_one), cmocka_unit_test(alone_it_is_answered_at_once),
        cmocka_unit_test(groups_ask_as_one_too), cmocka_unit_test(failures_are_told_once),
        cmocka_unit_test(cancelled_before_it_begins), cmocka_unit_test(without_threads_in_turn),
        cmocka_unit_test(memory_limits_the_batch), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
