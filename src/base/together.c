/* SPDX-License-Identifier: MIT
 *
 * Tasks that are under way together, so that what they ask for can be done as one batch: each has a thread and a child
 * run of its own, and as many compute at once as there are threads. A task that asks sleeps until all others have asked
 * too or ended; then the caller's thread answers them all. Which task computes when depends on the numbers of threads
 * and on chance, what is asked and answered does not.
 */
#include "base/base.h"

#include "base/thread.h"

enum { MOST_TOGETHER = 64 };             /* tasks that are begun and have not ended                          */
enum { SHARE_OF_MEMORY = 8 };            /* no more tasks begin when they hold one part in so many of what is allowed */

typedef enum lane_state { LANE_WAITS, LANE_RUNS, LANE_ASKS, LANE_ENDED } lane_state;

typedef struct una_lane {                      /* of one task                                                      */
    struct meeting *meeting;
    lane_state  state;
    bool        begun, has_asked;
    bool        dismissed;               /* another task has failed, which counts                           */
    pthread_t   thread;
    una_run     run;
    una_span    part;                    /* of the whole progress                                           */
    void *const *asked;                  /* [asked_count] what it waits for                                  */
    size_t      asked_count;
    una_status  answer, status;
} una_lane;

typedef struct meeting {
    una_run    *run;
    una_task   *task;
    void       *context;
    una_lane   *lane;                    /* [lanes]                                                          */
    size_t      lanes, running, present; /* present: begun and not ended                                     */
    uint64_t    used;                    /* memory held before it began                                      */
    bool        failed, no_threads;
    una_answer *how;                     /* what is asked for is done by it                                  */
    pthread_mutex_t lock;
    pthread_cond_t  changed;
} meeting;

/* ---- a task --------------------------------------------------------------------------------------------------- */

static void wait_for_turn(una_lane *lane)
{
    while (lane->state != LANE_RUNS) pthread_cond_wait(&lane->meeting->changed, &lane->meeting->lock);
}

static void leave_turn(una_lane *lane, lane_state state)
{
    meeting *m = lane->meeting;
    lane->state = state;
    m->running--;
    if (state == LANE_ENDED) m->present--;
    if (lane->status != UNA_OK) m->failed = true;
    pthread_cond_broadcast(&m->changed);
}

static void do_task(una_lane *lane)
{
    meeting *m = lane->meeting;
    size_t index = (size_t)(lane - m->lane);
    lane->status = una_cancelled(&lane->run) ? una_fail(&lane->run, UNA_CANCELLED, "interrupted")
                                             : m->task(m->context, index, &lane->run);
    una_arena_free(&lane->run.texts);
    una_arena_free(&lane->run.scratch);
}

static void *task_thread(void *context)
{
    una_lane *lane = context;
    meeting *m = lane->meeting;
    pthread_mutex_lock(&m->lock);
    wait_for_turn(lane);
    pthread_mutex_unlock(&m->lock);
    do_task(lane);
    pthread_mutex_lock(&m->lock);
    leave_turn(lane, LANE_ENDED);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* A task that asks goes on with all others, so it shows the whole progress: of it the share that it has reached of its
 * own part. One that never asks shows its part. */
double una_progress_shown(const una_run *run, double reached)
{
    for (; run; run = run->parent) {
        const una_lane *lane = run->lane;
        if (!lane || !lane->has_asked) continue;
        const una_run *whole = lane->meeting->run;
        double share = (reached - lane->part.from) / (lane->part.to - lane->part.from);
        reached = whole->progress_from + share * (whole->progress_to - whole->progress_from);
    }
    return reached;
}

una_status una_ask_together(una_answer *how, void *const *asked, size_t count, una_run *run)
{
    una_lane *lane = run->lane;
    if (!lane) {
        UNA_SCOPED(run, how(asked, count, run));
        return UNA_OK;
    }

    meeting *m = lane->meeting;
    pthread_mutex_lock(&m->lock);
    m->how = how;
    lane->has_asked = true;
    lane->asked = asked;
    lane->asked_count = count;
    leave_turn(lane, LANE_ASKS);
    wait_for_turn(lane);
    una_status answer = lane->answer;
    if (answer != UNA_OK && !lane->dismissed) memcpy(run->message, m->run->message, sizeof run->message);
    pthread_mutex_unlock(&m->lock);
    return answer;
}

/* ---- the caller's thread --------------------------------------------------------------------------------------- */

/* The first of those that wait and may go on. */
static una_lane *next_lane(const meeting *m)
{
    bool full = m->present >= MOST_TOGETHER || m->no_threads || m->failed ||
                una_memory_used(m->run) > m->used + m->run->settings.memory_limit / SHARE_OF_MEMORY;
    if (m->present < (size_t)una_threads(m->run) && !m->no_threads && !m->failed) full = false;
    for (size_t i = 0; i < m->lanes; i++)
        if (m->lane[i].state == LANE_WAITS && (m->lane[i].begun || !full)) return &m->lane[i];
    return NULL;
}

/* Lets tasks compute, as many as there are threads; without a thread for a task it waits until the others have ended. */
static void give_turns(meeting *m)
{
    una_lane *lane;
    while (m->running < (size_t)una_threads(m->run) && (lane = next_lane(m))) {
        if (!lane->begun && una_thread_start(&lane->thread, task_thread, lane) != 0) {
            m->no_threads = true;
            continue;
        }
        if (!lane->begun) m->present++;
        lane->begun = true;
        lane->state = LANE_RUNS;
        m->running++;
    }
    pthread_cond_broadcast(&m->changed);
}

static una_status answer_all(const meeting *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->lanes; i++) count += m->lane[i].state == LANE_ASKS ? m->lane[i].asked_count : 0;
    UNA_NEW(&m->run->scratch, void *, asked, count);
    for (size_t i = 0, next = 0; i < m->lanes; i++)
        for (size_t k = 0; m->lane[i].state == LANE_ASKS && k < m->lane[i].asked_count; k++)
            asked[next++] = m->lane[i].asked[k];
    return una_ask_together(m->how, asked, count, m->run);
}

/* All have asked or ended, and wait for an answer: the same failure for all, or none where a task has failed by itself,
 * which is then the one to be told. */
static void answer(meeting *m)
{
    una_status status = UNA_CANCELLED;
    una_mark mark = una_arena_mark(&m->run->scratch);
    if (!m->failed) status = answer_all(m);
    una_arena_release(&m->run->scratch, mark);
    for (size_t i = 0; i < m->lanes; i++) {
        una_lane *lane = &m->lane[i];
        if (lane->state != LANE_ASKS) continue;
        lane->answer = status;
        lane->dismissed = m->failed;
        lane->state = LANE_WAITS;
    }
}

static void hold(meeting *m)
{
    pthread_mutex_lock(&m->lock);
    for (;;) {
        give_turns(m);
        if (m->running > 0) pthread_cond_wait(&m->changed, &m->lock);
        else if (m->present > 0) answer(m);
        else break;
    }
    pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < m->lanes; i++)
        if (m->lane[i].begun) pthread_join(m->lane[i].thread, NULL);
}

/* Tasks without a thread, one after the other, each of which gets its answers at once. */
static void do_rest(meeting *m)
{
    for (size_t i = 0; i < m->lanes && !m->failed; i++) {
        if (m->lane[i].begun) continue;
        m->lane[i].run.lane = NULL;
        do_task(&m->lane[i]);
        m->failed = m->lane[i].status != UNA_OK;
    }
}

static una_status first_failure(const meeting *m)
{
    for (size_t i = 0; i < m->lanes; i++) {
        const una_lane *lane = &m->lane[i];
        if (lane->status == UNA_OK || lane->dismissed) continue;
        memcpy(m->run->message, lane->run.message, sizeof m->run->message);
        return lane->status;
    }
    return UNA_OK;
}

una_status una_pool_together(una_run *run, size_t tasks, una_task *task, void *context)
{
    meeting m = { .run = run, .task = task, .context = context, .lanes = tasks, .used = una_memory_used(run) };
    una_mark mark = una_arena_mark(&run->scratch);
    UNA_NEW_AT(&run->scratch, m.lane, tasks);
    int threads = una_threads(run), share = (size_t)threads > tasks && tasks ? threads / (int)tasks : 1;
    for (size_t i = 0; i < tasks; i++) {
        m.lane[i].meeting = &m;
        m.lane[i].run.lane = &m.lane[i];
        una_run_of_task(&m.lane[i].run, run, share);
        una_progress_part(&m.lane[i].run, (double)i / (double)tasks, (double)(i + 1) / (double)tasks);
        m.lane[i].part = (una_span){ m.lane[i].run.progress_from, m.lane[i].run.progress_to };
    }
    pthread_mutex_init(&m.lock, NULL);
    pthread_cond_init(&m.changed, NULL);
    hold(&m);
    do_rest(&m);
    pthread_cond_destroy(&m.changed);
    pthread_mutex_destroy(&m.lock);
    una_status status = first_failure(&m);
    una_arena_release(&run->scratch, mark);
    return status;
}
