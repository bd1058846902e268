/* SPDX-License-Identifier: MIT
 *
 * Ranks without MPI: threads of the test, each with a run of its own. A send waits until the other side has received,
 * as one of MPI may, so that whoever relies on more hangs here. A thread that ends takes its rank with it: calls that
 * need it fail.
 */
#ifndef UNA_TEST_RANKS_HERE_H
#define UNA_TEST_RANKS_HERE_H

#include "test_support.h"

#include <pthread.h>

enum { MOST_RANKS_HERE = 8 };

typedef struct ranks_here {
    pthread_mutex_t lock;
    pthread_cond_t  news;
    int             count;
    const void     *bytes[MOST_RANKS_HERE][MOST_RANKS_HERE];     /* [from][to] on the way; NULL: nothing        */
    size_t          size[MOST_RANKS_HERE][MOST_RANKS_HERE];
    bool            gone[MOST_RANKS_HERE];
    size_t          sent;                /* messages so far                                                     */
} ranks_here;

typedef struct rank_here {
    ranks_here *all;
    una_ranks   ranks;
    int         threads;
    una_status (*job)(void *context, una_run *run);
    void       *context;
    volatile int *cancel;
    struct fail_after *memory;           /* NULL: all there is                                                  */
    una_status  status;
    char        message[1024];
} rank_here;

static inline int here_send(void *context, int to, const void *bytes, size_t count)
{
    rank_here *me = context;
    ranks_here *all = me->all;
    int from = me->ranks.rank;
    pthread_mutex_lock(&all->lock);
    all->bytes[from][to] = bytes;
    all->size[from][to] = count;
    all->sent++;
    pthread_cond_broadcast(&all->news);
    while (all->bytes[from][to] && !all->gone[to]) pthread_cond_wait(&all->news, &all->lock);
    int failed = all->bytes[from][to] != NULL;
    pthread_mutex_unlock(&all->lock);
    return failed;
}

static inline int here_receive(void *context, int from, void *bytes, size_t count)
{
    rank_here *me = context;
    ranks_here *all = me->all;
    int to = me->ranks.rank;
    pthread_mutex_lock(&all->lock);
    while (!all->bytes[from][to] && !all->gone[from]) pthread_cond_wait(&all->news, &all->lock);
    int failed = !all->bytes[from][to] || all->size[from][to] != count;
    if (!failed) memcpy(bytes, all->bytes[from][to], count);
    if (!failed) all->bytes[from][to] = NULL;
    pthread_cond_broadcast(&all->news);
    pthread_mutex_unlock(&all->lock);
    return failed;
}

static inline int here_arrived(void *context, int *from, size_t *count)
{
    rank_here *me = context;
    ranks_here *all = me->all;
    int to = me->ranks.rank, failed = 0;
    *from = -1;
    pthread_mutex_lock(&all->lock);
    for (int r = 0; r < all->count && *from < 0; r++) {
        if (all->bytes[r][to]) *from = r, *count = all->size[r][to];
        else if (all->gone[r]) failed = 1;
    }
    pthread_mutex_unlock(&all->lock);
    return *from < 0 && failed;
}

static inline void *be_rank_here(void *context)
{
    rank_here *me = context;
    una_run *run = NULL;
    una_run_settings settings = me->memory ? failing_settings(me->memory) : SIZED(una_run_settings, .seed = 0);
    settings.threads = me->threads;
    settings.ranks = &me->ranks;
    settings.cancel = me->cancel;
    me->status = una_run_new(&run, &settings);
    if (me->status == UNA_OK) {
        me->status = me->job(me->context, run);
        snprintf(me->message, sizeof me->message, "%s", una_run_message(run));
    }
    pthread_mutex_lock(&me->all->lock);
    me->all->gone[me->ranks.rank] = true;
    pthread_cond_broadcast(&me->all->news);
    pthread_mutex_unlock(&me->all->lock);
    una_run_free(run);
    return NULL;
}

/* job(context of rank r, run of rank r) on `count` ranks at once, context [count] items of `size` bytes; me [count] has
 * their statuses and messages afterwards. Fields threads, cancel and memory of `me` are taken from there. Returns the
 * number of messages. */
static inline size_t with_ranks_here(rank_here *me, int count, una_status (*job)(void *context, una_run *run),
                                     void *contexts, size_t size)
{
    pthread_t thread[MOST_RANKS_HERE];
    ranks_here all = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER, .count = count };
    for (int r = 0; r < count; r++) {
        me[r].all = &all;
        me[r].job = job;
        me[r].context = (char *)contexts + (size_t)r * size;
        me[r].ranks = SIZED(una_ranks, .rank = r, .count = count, .context = &me[r], .send = here_send,
                            .receive = here_receive, .arrived = here_arrived);
        if (me[r].threads == 0) me[r].threads = 1;
    }
    for (int r = 0; r < count; r++) assert_int_equal(pthread_create(&thread[r], NULL, be_rank_here, &me[r]), 0);
    for (int r = 0; r < count; r++) pthread_join(thread[r], NULL);
    return all.sent;
}

#endif
