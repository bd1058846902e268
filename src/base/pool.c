/* SPDX-License-Identifier: MIT
 *
 * The task pool: workers take indices from one counter; each has a child run, whose scratch memory passes from task to
 * task. Results may not depend on who ran what, so tasks write only to places of their own.
 */
#include "base/base.h"

#include "base/thread.h"

#include <stdatomic.h>

typedef struct pool {
    una_run      *run;
    una_task     *task;
    void         *context;
    size_t        tasks;
    int           share;         /* threads of each task */
    struct una_rank_group *rank_group; /* of tasks done in turn, so that all ranks do them in one order; NULL: none */
    atomic_size_t next;
    atomic_bool   stop;
    pthread_mutex_t lock;
    size_t        failed_at;     /* lowest index that failed */
    una_status    status;
    char          message[UNA_MESSAGE_SIZE];
} pool;

int una_threads(const una_run *run)
{
    return run->settings.threads;
}

static void one_task(pool *p, size_t index, una_run *child)
{
    double tasks = (double)p->tasks, width = p->run->progress_to - p->run->progress_from;
    child->progress_from = p->run->progress_from + width * (double)index / tasks;
    child->progress_to = p->run->progress_from + width * (double)(index + 1) / tasks;
    una_status status = una_cancelled(child) ? una_fail(child, UNA_CANCELLED, "interrupted")
                                             : p->task(p->context, index, child);
    if (status != UNA_OK) {
        pthread_mutex_lock(&p->lock);
        bool first = index < p->failed_at;
        if (first) memcpy(p->message, child->message, sizeof p->message);
        if (first) p->failed_at = index, p->status = status;
        pthread_mutex_unlock(&p->lock);
        atomic_store(&p->stop, true);
    }
    una_clear_message(child);
    una_arena_free(&child->texts);
    una_arena_reuse(&child->scratch);
}

/* What a task has of its caller, with so many threads; other ranks do not do the same tasks at the same time. */
static void take_settings(una_run *child, const una_run *parent, int threads)
{
    child->settings = parent->settings;
    child->settings.threads = threads;
    child->settings.ranks = NULL;
    child->tally = parent->tally;
    child->rows = parent->rows;
    child->first_row = parent->first_row;
    child->progress_from = parent->progress_from;
    child->progress_to = parent->progress_to;
}

static void all_tasks(pool *p, una_run *child)
{
    take_settings(child, p->run, p->share);
    if (p->rank_group) child->settings.ranks = p->run->settings.ranks;
    child->rank_group = p->rank_group;
    /* After a failure no new task starts: every index below the failed one was already taken. */
    while (!atomic_load(&p->stop)) {
        size_t index = atomic_fetch_add(&p->next, 1);
        if (index >= p->tasks) break;
        one_task(p, index, child);
    }
}

static void begin_child(una_run *child, una_run *parent)
{
    child->parent = parent;
    una_arena_init(&child->scratch, child);
    una_arena_init(&child->texts, child);
}

void una_run_of_task(una_run *child, una_run *parent, int threads)
{
    begin_child(child, parent);
    take_settings(child, parent, threads);
}

static void *run_tasks(void *context)
{
    una_run child = {0};
    begin_child(&child, ((pool *)context)->run);
    all_tasks(context, &child);
    una_arena_free(&child.scratch);
    return NULL;
}

/* The same with a child run that is kept for the next pool of this run. */
static una_status work_kept(pool *p)
{
    una_run *run = p->run;
    if (!run->child) {
        run->child = una_allocate(run, sizeof *run->child);
        if (!run->child) return UNA_E_MEMORY;
        memset(run->child, 0, sizeof *run->child);
        begin_child(run->child, run);
        run->child->scratch.keeps = true;
    }
    all_tasks(p, run->child);
    return UNA_OK;
}

static una_status do_tasks(una_run *run, size_t tasks, una_task *task, void *context, struct una_rank_group *rank_group)
{
    pool p = { .run = run, .task = task, .context = context, .tasks = tasks, .failed_at = SIZE_MAX,
               .rank_group = rank_group };
    pthread_mutex_init(&p.lock, NULL);
    enum { MOST = 256 };
    pthread_t helper[MOST];

    size_t wanted = (size_t)una_threads(run), started = 0, at_once = rank_group && tasks > 0 ? 1 : tasks;
    p.share = at_once > 0 && wanted > at_once ? (int)(wanted / at_once) : 1;
    if (wanted > at_once) wanted = at_once;
    if (wanted > MOST) wanted = MOST;
    while (started + 1 < wanted && una_thread_start(&helper[started], run_tasks, &p) == 0) started++;

    una_status status = UNA_OK;
    if (run->scratch.keeps) status = work_kept(&p);
    else run_tasks(&p);
    for (size_t i = 0; i < started; i++) pthread_join(helper[i], NULL);
    pthread_mutex_destroy(&p.lock);

    if (p.status == UNA_OK) return status;
    memcpy(run->message, p.message, sizeof run->message);
    return p.status;
}

una_status una_pool(una_run *run, size_t tasks, una_task *task, void *context)
{
    return do_tasks(run, tasks, task, context, NULL);
}

una_status una_pool_in_group(una_run *run, size_t tasks, una_task *task, void *context)
{
    return do_tasks(run, tasks, task, context, run->rank_group);
}

/* ---- tasks whose results outlive them ------------------------------------------------------------------------ */

typedef struct jobs { unsigned char *at; size_t size; una_task *task; void *context; bool again; } jobs;

static una_arena *arena_of(void *at, size_t size, size_t index)
{
    return (una_arena *)(void *)((unsigned char *)at + index * size);
}

static una_status one_job(void *context, size_t index, una_run *child)
{
    const jobs *all = context;
    una_arena *arena = arena_of(all->at, all->size, index);
    if (all->again) arena->run = child;
    else una_arena_init(arena, child);
    una_status status = all->task(all->context, index, child);
    arena->run = child->parent;          /* the child ends here, its results do not */
    return status;
}

una_status una_jobs_run(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context)
{
    jobs all = { at, size, task, context, false };
    return una_pool_in_group(run, count, one_job, &all);
}

una_status una_jobs_together(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context)
{
    jobs all = { at, size, task, context, false };
    return (run->rank_group ? una_pool_in_group : una_pool_together)(run, count, one_job, &all);
}

una_status una_jobs_again(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context)
{
    jobs all = { at, size, task, context, true };
    return una_pool_in_group(run, count, one_job, &all);
}

void una_jobs_free(void *at, size_t size, size_t count)
{
    for (size_t i = 0; at && i < count; i++)
        if (arena_of(at, size, i)->run) una_arena_free(arena_of(at, size, i));
}
