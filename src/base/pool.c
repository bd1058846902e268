/* SPDX-License-Identifier: MIT
 *
 * The task pool: workers take indices from one counter; each task gets a child run of its own. Results may not
 * depend on who ran what, so tasks write only to places of their own.
 */
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct pool {
    una_run      *run;
    una_task     *task;
    void         *context;
    size_t        tasks;
    int           share;         /* threads of each task */
    atomic_size_t next;
    atomic_bool   stop;
    pthread_mutex_t lock;
    size_t        failed_at;     /* lowest index that failed */
    una_status    status;
    char          message[sizeof((una_run *)0)->message];
} pool;

int una_threads(const una_run *run)
{
    return run->settings.threads;
}

static void note_failure(pool *p, size_t index, una_status status, const char *message)
{
    pthread_mutex_lock(&p->lock);
    if (index < p->failed_at) {
        p->failed_at = index;
        p->status = status;
        memcpy(p->message, message, sizeof p->message);
    }
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->stop, true);
}

static void one_task(pool *p, size_t index)
{
    una_run child = { .settings = p->run->settings, .parent = p->run };
    double width = p->run->progress_to - p->run->progress_from;
    child.settings.threads = p->share;
    child.progress_from = p->run->progress_from + width * (double)index / (double)p->tasks;
    child.progress_to = p->run->progress_from + width * (double)(index + 1) / (double)p->tasks;
    una_arena_init(&child.scratch, &child);
    una_status status = una_cancelled(&child) ? una_fail(&child, UNA_CANCELLED, "interrupted")
                                              : p->task(p->context, index, &child);
    una_arena_free(&child.scratch);
    if (status != UNA_OK) note_failure(p, index, status, child.message);
}

static void *work(void *context)
{
    pool *p = context;
    /* After a failure no new task starts: every index below the failed one was already taken. */
    while (!atomic_load(&p->stop)) {
        size_t index = atomic_fetch_add(&p->next, 1);
        if (index >= p->tasks) break;
        one_task(p, index);
    }
    return NULL;
}

una_status una_pool(una_run *run, size_t tasks, una_task *task, void *context)
{
    pool p = { .run = run, .task = task, .context = context, .tasks = tasks, .failed_at = SIZE_MAX };
    pthread_mutex_init(&p.lock, NULL);
    enum { MOST = 256 };
    pthread_t helper[MOST];
    size_t wanted = (size_t)una_threads(run), started = 0;
    p.share = tasks > 0 && wanted > tasks ? (int)(wanted / tasks) : 1;
    if (wanted > tasks) wanted = tasks;
    if (wanted > MOST) wanted = MOST;
    while (started + 1 < wanted && pthread_create(&helper[started], NULL, work, &p) == 0) started++;
    work(&p);
    for (size_t i = 0; i < started; i++) pthread_join(helper[i], NULL);
    pthread_mutex_destroy(&p.lock);
    if (p.status != UNA_OK) memcpy(run->message, p.message, sizeof run->message);
    return p.status;
}
