/* SPDX-License-Identifier: MIT
 *
 * One sweep: lists the keys without a row, and lets the threads of the pool take keys from the queue until there are
 * none. With several ranks: first all ranks must have the same plan, and in the end all get all rows.
 */
#include "store/worker.h"

#include "store/packet.h"
#include "store/queue.h"

enum { RENEW_MS = 20000 };

/* The call among these ranks, in place of those of the run; the scratch memory that it took is given back. */
#define RETURN_AMONG(theirs, run, call)                         \
    do {                                                        \
        const una_ranks *run_ranks = (run)->settings.ranks;     \
        una_status status_among;                                \
        una_ranks_show(run, theirs);                            \
        UNA_SCOPED_CALL(status_among, run, call);               \
        una_ranks_show(run, run_ranks);                         \
        return status_among;                                    \
    } while (0)

/* ---- one key ------------------------------------------------------------------------------------------------- */

static una_status explain_key(const una_row_key *key, una_status status, una_run *run)
{
    if (status == UNA_CANCELLED) return status;
    const char *name = una_row_key_describe(key, &run->scratch);
    UNA_FAIL(run, status, "%.200s: %.800s", name, run->message);
}

/* The row and the extra rows, in one list. */
static una_status queue_row(una_queue *queue, size_t at, const una_outcome *outcome, double seconds, una_run *run)
{
    const una_sweep *sweep = queue->sweep;
    size_t count = 1 + outcome->extra_count;
    UNA_NEW(outcome->arena, una_row, rows, count);
    rows[0] = (una_row){ .key = sweep->plan->keys[at], .measure = sweep->measures, .value = outcome->value,
        .count = sweep->measure_count, .options = outcome->options, .kernels = una_run_kernels(run),
        .commit = una_build_commit(), .seconds = outcome->seconds };
    if (count > 1) memcpy(rows + 1, outcome->extra, outcome->extra_count * sizeof *rows);
    return una_queue_put(queue, at, rows, count, seconds, run);
}

static una_status make_key(una_queue *queue, size_t at, una_arena *arena, una_run *run)
{
    const una_sweep *sweep = queue->sweep;
    const una_row_key *key = &sweep->plan->keys[at];
    double begun = una_clock();
    una_outcome outcome = { .arena = arena, .options = key->spec };      /* unless the experiment sets them */
    UNA_NEW_AT(arena, outcome.value, sweep->measure_count);
    for (size_t i = 0; i < sweep->measure_count; i++) outcome.value[i] = NAN;

    run->settings.seed = key->seed;
    UNA_TRY(sweep->make(sweep->context, key, &outcome, run));
    return queue_row(queue, at, &outcome, una_clock() - begun, run);
}

static una_status make_rows(una_queue *queue, size_t at, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_status status = make_key(queue, at, &arena, run);
    una_arena_free(&arena);
    return status == UNA_OK ? status : explain_key(&queue->sweep->plan->keys[at], status, run);
}

/* A task is a turn at the queue, not a key: whichever thread comes first gets the next key, on any rank. */
static una_status one_key(void *context, size_t index, una_run *run)
{
    una_queue *queue = context;
    size_t key;
    (void)index;
    if (queue->ranks > 1) {                      /* including what other ranks have done */
        double width = queue->run->progress_to - queue->run->progress_from, all = (double)queue->count;
        double done = (double)(queue->tally.done - queue->tally.before);
        run->progress_from = queue->run->progress_from + width * done / all;
        run->progress_to = fmin(run->progress_from + width / all, queue->run->progress_to);
    }
    una_status status = una_queue_take(&key, queue, run);
    if (status == UNA_OK && key != SIZE_MAX) status = make_rows(queue, key, run);
    if (status != UNA_OK) una_queue_stop(queue, status);
    return status;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static una_status list_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run)
{
    for (size_t i = 0; i < sweep->plan->count; i++) {
        bool done;
        UNA_SCOPED(run, una_sweep_has_row(&done, sweep, &sweep->plan->keys[i], run));
        if (!done) todo[(*count)++] = i;
    }
    return UNA_OK;
}

static una_status share_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run)
{
    *count = 0;
    UNA_TRY(una_ranks_agree(una_sweep_writes(sweep->ranks) ? list_missing(todo, count, sweep, run) : UNA_OK, run));
    UNA_TRY(una_ranks_broadcast(count, sizeof *count, run));
    return una_ranks_broadcast(todo, *count * sizeof *todo, run);
}

una_status una_sweep_missing(size_t *todo, size_t *count, const una_sweep *sweep, una_run *run)
{
    RETURN_AMONG(sweep->ranks, run, share_missing(todo, count, sweep, run));
}

/* Starts writer and messenger, runs the pool, and joins them. */
static una_status run_queue(una_queue *queue)
{
    una_run *run = queue->run;
    una_helper *writer = NULL, *messenger = NULL;
    bool first = una_sweep_writes(queue->sweep->ranks), several = queue->ranks > 1;
    if (several) run->settings.cancel = &queue->cancel;
    una_status status = first ? una_writer_start(&writer, queue) : UNA_OK;
    if (status == UNA_OK && several) status = una_messenger_start(&messenger, queue);
    bool alone = several && !messenger;
    if (status == UNA_OK) status = una_pool(run, queue->count, one_key, queue);
    else una_queue_stop(queue, status);

    if (first) una_helper_join(messenger);    /* until the others have left */
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (!first) una_helper_join(messenger);
    una_helper_join(writer);
    run->settings.cancel = queue->caller_cancel;
    queue->alone = queue->alone || alone;
    if (status == UNA_OK && queue->status != UNA_OK) status = una_fail(run, queue->status, "%s", queue->message);
    if (status == UNA_OK && queue->state == UNA_QUEUE_INTERRUPTED) status = una_fail(run, UNA_CANCELLED, "interrupted");
    return status;
}

/* Of a claim: one fit may last for hours. Without the thread another machine may repeat it: only time is lost. */
static void renew_claims(void *store)
{
    una_store_renew(store);
}

static una_status work_through(una_queue *queue)
{
    const una_sweep *sweep = queue->sweep;
    una_run *run = queue->run;
    const una_tally *caller_tally = run->tally;
    una_pulse pulse = { .beat = renew_claims, .context = sweep->store,
                        .every = 1e-3 * (double)(sweep->renew_ms ? sweep->renew_ms : RENEW_MS) };
    una_span span = una_progress_part(run, 1 - (double)queue->count / (double)sweep->plan->count, 1);
    una_status status = una_queue_open(queue);
    run->tally = &queue->tally;
    if (una_sweep_writes(sweep->ranks)) una_pulse_begin(&pulse);
    if (status == UNA_OK) status = run_queue(queue);
    else queue->alone = queue->ranks > 1;
    if (una_sweep_writes(sweep->ranks)) una_pulse_end(&pulse);
    una_queue_free(queue);
    una_progress_back(run, span);
    run->tally = caller_tally;
    return status;
}

/* ---- several ranks ------------------------------------------------------------------------------------------- */

typedef struct plan_signature { uint64_t plan, count; char version[32], host[64]; } plan_signature;

static plan_signature signature_of(const una_sweep *sweep)
{
    plan_signature p = { .count = sweep->plan->count };
    for (size_t i = 0; i < sweep->plan->count; i++)
        p.plan = p.plan * UINT64_C(0x9e3779b97f4a7c15) + una_row_key_hash(&sweep->plan->keys[i]);
    snprintf(p.version, sizeof p.version, "%s", una_version());
    una_ranks_host(p.host);
    return p;
}

static una_status compare_signatures(const plan_signature *mine, const una_message *all, int count, una_run *run)
{
    for (int r = 1; r < count; r++) {
        const plan_signature *his = all[r].bytes;
        if (all[r].count != sizeof *his || strcmp(his->version, mine->version) != 0)
            UNA_FAIL(run, UNA_E_USAGE, "rank %d on host %s has una %s, and rank 0 has una %s; every rank needs the "
                     "same", r, all[r].count == sizeof *his ? his->host : "unknown",
                     all[r].count == sizeof *his ? his->version : "of another kind", mine->version);
        if (his->count != mine->count || his->plan != mine->plan)
            UNA_FAIL(run, UNA_E_INPUT, "rank %d on host %s has planned %llu fits that are not the %llu of rank 0; "
                     "every rank needs the same command, the same data files and the same una", r, his->host,
                     (unsigned long long)his->count, (unsigned long long)mine->count);
    }
    return UNA_OK;
}

static una_status check_plans(const una_sweep *sweep, una_run *run)
{
    int count = una_rank_count(run);
    plan_signature mine = signature_of(sweep);
    una_message *all = UNA_GET(&run->scratch, una_message, (size_t)count);
    una_status status = una_ranks_agree(una_arena_check(&run->scratch), run);
    if (status == UNA_OK) status = una_ranks_gather(all, &mine, sizeof mine, &run->scratch, run);
    if (status == UNA_OK && una_rank(run) == 0) status = compare_signatures(&mine, all, count, run);
    return una_ranks_broadcast_status(status, run);
}

/* Sends what rank 0 has packed to all ranks, which store it. */
static una_status spread_rows(una_status status, una_text *bytes, una_store *store, una_run *run)
{
    una_row *rows;
    size_t size = bytes->length, count;
    void *at = bytes->at;
    UNA_TRY(una_ranks_broadcast_status(status, run));
    UNA_TRY(una_ranks_broadcast_block(&at, &size, &run->scratch, run));
    if (una_rank(run) > 0) status = una_packet_unpack(&rows, &count, at, size, &run->scratch, run);
    if (una_rank(run) > 0 && status == UNA_OK) status = una_store_put(store, rows, count, true, NULL, run);
    return una_ranks_agree(status, run);
}

static una_status pack_plan(una_text *bytes, const una_sweep *sweep, size_t from, size_t to, una_run *run)
{
    for (size_t i = from; i < to; i++) {
        una_row row;
        bool found;
        UNA_TRY(una_store_find(&found, &row, sweep->store, &sweep->plan->keys[i], &run->scratch, run));
        if (found) una_packet_pack(bytes, &row);
    }
    return una_arena_check(&run->scratch);
}

enum { SPREAD_AT_ONCE = 1000 };

static una_status spread_part(const una_sweep *sweep, size_t from, una_run *run)
{
    size_t to = UNA_MIN(from + SPREAD_AT_ONCE, sweep->plan->count);
    una_text bytes = una_text_in(&run->scratch);
    una_status status = una_rank(run) == 0 ? pack_plan(&bytes, sweep, from, to, run) : UNA_OK;
    return spread_rows(status, &bytes, sweep->store, run);
}

static una_status spread_totals(una_sweep *sweep, una_run *run)
{
    UNA_TRY(una_ranks_broadcast(&sweep->made, sizeof sweep->made, run));
    UNA_TRY(una_ranks_broadcast(&sweep->extra, sizeof sweep->extra, run));
    UNA_TRY(una_ranks_broadcast(&sweep->worked, sizeof sweep->worked, run));
    return una_ranks_broadcast(&sweep->waited, sizeof sweep->waited, run);
}

/* ---- the call ------------------------------------------------------------------------------------------------ */

static una_status sweep_all(una_sweep *sweep, una_run *run)
{
    una_arena *arena = &run->scratch;
    size_t *todo = UNA_GET(arena, size_t, sweep->plan->count);
    una_queue queue = { .sweep = sweep, .run = run, .arena = arena, .todo = todo };
    una_status status = UNA_OK;
    if (sweep->ranks) UNA_TRY(check_plans(sweep, run));
    UNA_TRY(una_ranks_agree(una_arena_check(arena), run));
    UNA_TRY(share_missing(todo, &queue.count, sweep, run));
    if (queue.count > 0) status = work_through(&queue);
    if (queue.alone || una_rank_count(run) == 1) return status;
    UNA_TRY(una_ranks_agree(status, run));
    UNA_TRY(spread_totals(sweep, run));
    for (size_t from = 0; from < sweep->plan->count; from += SPREAD_AT_ONCE)
        UNA_SCOPED(run, spread_part(sweep, from, run));
    return UNA_OK;
}

una_status una_sweep_run(una_sweep *sweep, una_run *run)
{
    sweep->made = sweep->extra = 0;
    sweep->worked = sweep->waited = 0;
    if (sweep->ranks && sweep->ranks->count == 1) sweep->ranks = NULL;
    RETURN_AMONG(sweep->ranks, run, sweep_all(sweep, run));
}

/* ---- for those who sweep ------------------------------------------------------------------------------------- */

una_status una_sweep_store(una_store **store, const char *path, const una_ranks *ranks, una_run *run)
{
    return una_store_open(store, una_sweep_writes(ranks) ? path : NULL, UNA_DATABASE_JOURNAL, run);
}

una_status una_sweep_agree(una_status status, const una_ranks *ranks, una_run *run)
{
    RETURN_AMONG(ranks, run, una_ranks_agree(status, run));
}

static una_status pack_row(void *context, const una_row *row, una_run *run)
{
    una_text *bytes = context;
    (void)run;
    una_packet_pack(bytes, row);
    return una_arena_check(bytes->arena);
}

static una_status share_study(una_store *store, const char *study, una_run *run)
{
    una_text bytes = una_text_in(&run->scratch);
    una_status status = una_rank(run) == 0 ? una_store_each(store, study, pack_row, &bytes, run) : UNA_OK;
    return spread_rows(status, &bytes, store, run);
}

una_status una_sweep_share(una_store *store, const char *study, const una_ranks *ranks, una_run *run)
{
    if (!ranks || ranks->count == 1) return UNA_OK;
    RETURN_AMONG(ranks, run, share_study(store, study, run));
}
