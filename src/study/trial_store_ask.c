/* SPDX-License-Identifier: MIT
 *
 * The trial store of a study: asking. Trials that are no longer held, the turn, the search with renewals meanwhile,
 * and its points, which are written only if the turn is still held.
 */
#include "study/trial_store_inside.h"

#include "base/thread.h"

#include <errno.h>
#include <time.h>

enum { FIRST_WAIT_MS = 2, MOST_WAIT_MS = 100 };

/* ---- who holds what ------------------------------------------------------------------------------------------ */

#define HELD_COLUMNS "id, lease_until, " UNA_OWNER_COLUMNS

typedef struct freeing { una_trial_store *store; double now; uint64_t *id; size_t count, most; } freeing;

static una_status note_free(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const una_sql_row_form held_trial = { HELD_COLUMNS, "wn" UNA_OWNER_TYPES, "trial" };
    freeing *f = context;
    int64_t since;
    (void)count;
    UNA_TRY(una_database_check(f->store->db, &held_trial, cells, cells[0].whole, run));
    if (f->count == f->most) return UNA_OK;

    double until = una_trial_store_number(&cells[1]), most = f->store->facts.lease + UNA_OWNER_LEASE;
    una_owner_name owner = una_owner_in(cells + 2, &since);
    bool held = until > f->now && until - f->now <= most;
    if (until <= 0 && owner.process != 0)
        held = una_owner_same(&owner, &f->store->me) || una_owner_alive(&owner, since, f->now, &f->store->me);
    if (!held) f->id[f->count++] = (uint64_t)cells[0].whole;
    return UNA_OK;
}

typedef struct turning { una_trial_store *store; double now; bool found, is_free; } turning;

/* An owner that lives but does not renew loses the turn too: it may have forgotten it. */
static una_status note_turn(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const una_sql_row_form turn = { UNA_OWNER_COLUMNS, UNA_OWNER_TYPES, "the turn" };
    turning *t = context;
    int64_t since;
    (void)count;
    UNA_TRY(una_database_check(t->store->db, &turn, cells, 0, run));
    una_owner_name owner = una_owner_in(cells, &since);
    double age = t->now - (double)since;                         /* in an untrusted file it may be any number */
    t->found = true;
    t->is_free = owner.process == 0 || una_owner_same(&owner, &t->store->me) || age > UNA_OWNER_LEASE ||
                 age < -UNA_OWNER_LEASE || !una_owner_alive(&owner, since, t->now, &t->store->me);
    return UNA_OK;
}

static una_status turn_is_free(bool *is_free, una_trial_store *l, una_run *run)
{
    turning t = { .store = l };
    const una_sql_value given[] = { una_sql_text(l->study) };
    UNA_TRY(una_database_now(&t.now, l->db, run));
    UNA_TRY(una_database_each(l->db, "SELECT " UNA_OWNER_COLUMNS " FROM study_turn WHERE study = $1", given, 1,
                              note_turn, &t, run));
    if (!t.found)                                /* the wait would never end */
        UNA_FAIL(run, UNA_E_INPUT, "the study in %s is damaged: it does not say whose turn it is", l->name);
    *is_free = t.is_free;
    return UNA_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

typedef struct asking {
    una_trial_store   *store;
    size_t             want, given;      /* trials that are ours already                                    */
    bool               by_process, turn, lost;
    una_stored_trials *all;
    una_stored_trial  *found;
    size_t             chosen;
    double             now;              /* of the transaction under way                                    */
} asking;

static double lease_end(const asking *a)
{
    return a->by_process ? 0 : a->now + a->store->facts.lease;
}

static una_status offer_again(asking *a, uint64_t id, una_run *run)
{
    una_trial_store *l = a->store;
    const una_sql_value given[] = { una_sql_text(l->study), una_sql_integer((int64_t)id), una_sql_text(l->me.host),
        una_sql_integer(l->me.process), una_sql_text(l->me.start), una_sql_text(l->me.handle),
        una_sql_integer((int64_t)a->now),
        una_sql_real(lease_end(a)), una_sql_text(l->token) };
    return una_database_write(l->db, 1, "UPDATE study_trial SET host = $3, process = $4, start = $5, handle = $6, "
                              "since = $7, asked = $7, lease_until = $8, token = $9, attempts = attempts + 1 "
                              "WHERE study = $1 AND id = $2", given, 9, run);
}

static una_status take_turn(const asking *a, una_run *run)
{
    const una_trial_store *l = a->store;
    const una_sql_value given[] = { una_sql_text(l->study), una_sql_text(l->me.host), una_sql_integer(l->me.process),
        una_sql_text(l->me.start), una_sql_text(l->me.handle), una_sql_integer((int64_t)a->now),
        una_sql_text(l->token) };
    return una_database_write(l->db, 1, "UPDATE study_turn SET host = $2, process = $3, start = $4, handle = $5, "
                              "since = $6, token = $7 WHERE study = $1", given, 7, run);
}

/* Takes trials that are no longer held, and the turn if more are wanted and it is free. */
static una_status offer_trials(una_database *db, void *context, una_run *run)
{
    asking *a = context;
    una_trial_store *l = a->store;
    const una_sql_value cells[] = { una_sql_text(l->study) };
    UNA_TRY(una_database_now(&a->now, db, run));
    UNA_TRY(una_trial_store_count_given(&a->given, l, run));
    freeing f = { .store = l, .now = a->now, .most = a->want - (a->given < a->want ? a->given : a->want) };
    UNA_NEW_AT(&run->scratch, f.id, f.most);
    UNA_TRY(una_database_each(db, "SELECT " HELD_COLUMNS " FROM study_trial WHERE study = $1 AND state = 'open' "
                              "ORDER BY id", cells, 1, note_free, &f, run));
    for (size_t i = 0; i < f.count; i++) UNA_TRY(offer_again(a, f.id[i], run));

    a->given += f.count;
    a->turn = false;
    if (a->given >= a->want) return UNA_OK;
    UNA_TRY(turn_is_free(&a->turn, l, run));
    return a->turn ? take_turn(a, run) : UNA_OK;
}

static una_status insert_trial(asking *a, const una_stored_trial *trial, int64_t id, una_run *run)
{
    una_trial_store *l = a->store;
    const una_sql_value given[] = { una_sql_text(l->study), una_sql_integer(id), una_sql_text(trial->x),
        una_sql_integer((int64_t)a->now), una_sql_real(trial->expected), una_sql_real(trial->doubt),
        una_sql_text(l->me.host), una_sql_integer(l->me.process),
        una_sql_text(l->me.start), una_sql_text(l->me.handle), una_sql_real(lease_end(a)), una_sql_text(l->token) };
    return una_database_write(l->db, 1, "INSERT INTO study_trial (study, id, state, x, value, attempts, note, asked, "
                              "told, expected, doubt, " UNA_OWNER_COLUMNS ", lease_until, token) VALUES "
                              "($1, $2, 'open', $3, NULL, 1, '', $4, 0, $5, $6, $7, $8, $9, $10, $4, $11, $12)", given,
                              12, run);
}

static const una_sql_change ended_turn = { "study_turn", "host = '', process = 0, start = '', handle = '', since = 0, "
                                       "token = ''", "study = $1 AND token = $2" };

/* Writes the chosen points if the turn is still ours, and gives it back. */
static una_status write_chosen(una_database *db, void *context, una_run *run)
{
    asking *a = context;
    una_trial_store *l = a->store;
    const una_sql_value cells[] = { una_sql_text(l->study), una_sql_text(l->token) };
    size_t there = 0, ended = 0;
    int64_t id = 0;
    UNA_TRY(una_database_now(&a->now, db, run));
    UNA_TRY(una_trial_store_count_given(&there, l, run));
    a->lost = false;
    if (there > a->given) return UNA_OK;         /* written before the server was lost */

    UNA_TRY(una_database_change(&ended, db, &ended_turn, cells, 2, run));
    a->lost = ended == 0;
    if (a->lost) return UNA_OK;
    UNA_TRY(una_trial_store_next_id(&id, l, run));
    for (size_t i = 0; i < a->chosen; i++) UNA_TRY(insert_trial(a, &a->found[i], id + (int64_t)i, run));
    return UNA_OK;
}

static una_status end_turn(una_database *db, void *context, una_run *run)
{
    const una_trial_store *l = context;
    const una_sql_value cells[] = { una_sql_text(l->study), una_sql_text(l->token) };
    return una_database_change(NULL, db, &ended_turn, cells, 2, run);
}

/* Trials that were not given out are offered to the next asker. */
static una_status end_ask(una_database *db, void *context, una_run *run)
{
    static const una_sql_change given = { "study_trial", UNA_LET_GO ", token = '', attempts = attempts - 1",
                                      "study = $1 AND token = $2 AND state = 'open'" };
    const una_trial_store *l = context;
    const una_sql_value cells[] = { una_sql_text(l->study), una_sql_text(l->token) };
    UNA_TRY(end_turn(db, context, run));
    return una_database_change(NULL, db, &given, cells, 2, run);
}

/* The message of the failure stays. If this fails too, the turn ends because it is not renewed. */
una_status una_trial_store_give_up(una_trial_store *l, una_status status, una_run *run)
{
    char message[sizeof run->message];
    memcpy(message, run->message, sizeof message);
    una_database_transact(l->db, end_ask, l, run);
    memcpy(run->message, message, sizeof message);
    return status;
}

/* ---- signs of life while the search works -------------------------------------------------------------------- */

typedef struct pulse {
    una_trial_store *store;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  bell;
    bool            started, ended;
} pulse;

static una_status send_pulse(una_database *db, void *context, una_run *run)
{
    static const una_sql_change turn = { "study_turn", "since = $2", "study = $1 AND token = $7" };
    static const una_sql_change trials = { "study_trial", "since = $2",
        "study = $1 AND state = 'open' AND lease_until = 0 AND " UNA_IS_MINE };
    const una_trial_store *l = context;
    double now = 0;
    UNA_TRY(una_database_now(&now, db, run));
    const una_sql_value cells[] = { una_sql_text(l->study), una_sql_integer((int64_t)now), una_sql_text(l->me.host),
        una_sql_integer(l->me.process), una_sql_text(l->me.start), una_sql_text(l->me.handle), una_sql_text(l->token) };
    UNA_TRY(una_database_change(NULL, db, &turn, cells, 7, run));
    return una_database_change(NULL, db, &trials, cells, 6, run);
}

una_status una_trial_store_heartbeat(una_trial_store *l, una_run *run)
{
    return una_database_transact(l->db, send_pulse, l, run);
}

/* With its own run, made when the first renewal is due: most searches end before that. */
static void *renew_turn_thread(void *context)
{
    pulse *p = context;
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .cancel = p->store->run->settings.cancel };
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += UNA_TRIAL_STORE_HEARTBEAT;
        while (!p->ended && pthread_cond_timedwait(&p->bell, &p->lock, &until) != ETIMEDOUT) {}
        if (p->ended) break;
        pthread_mutex_unlock(&p->lock);
        if (run || una_run_new(&run, &settings) == UNA_OK) una_trial_store_heartbeat(p->store, run);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    una_run_free(run);
    return NULL;
}

static void begin_pulse(pulse *p, una_trial_store *l)
{
    *p = (pulse){ .store = l };
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->bell, NULL);
    p->started = una_thread_start(&p->thread, renew_turn_thread, p) == 0;
}

static void end_pulse(pulse *p)
{
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_signal(&p->bell);
    pthread_mutex_unlock(&p->lock);
    if (p->started) pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->bell);
    pthread_mutex_destroy(&p->lock);
}

static una_status choose_points(asking *a, una_point_chooser *choose, void *context, una_arena *arena, una_run *run)
{
    una_stored_trials all;
    size_t want = a->want - a->given;
    UNA_TRY(una_trial_store_read(&all, a->store, arena, run));
    UNA_NEW_AT(arena, a->found, want);
    a->chosen = 0;
    una_status status = choose(context, &all, a->found, want, &a->chosen, arena, run);
    /* Where there are no more points, fewer are enough. */
    return status == UNA_E_INPUT && a->chosen + a->given > 0 ? UNA_OK : status;
}

static una_status wait_before_retry(unsigned tries, una_run *run)
{
    long ms = FIRST_WAIT_MS << (tries < 6 ? tries : 6);
    struct timespec pause = { .tv_nsec = (ms < MOST_WAIT_MS ? ms : MOST_WAIT_MS) * 1000000L };
    UNA_TRY(una_check_cancelled(run, "waiting for another who asks"));
    nanosleep(&pause, NULL);
    return UNA_OK;
}

/* Until the trials are there or the turn is ours. The first check and checks of a free turn are transactions; the
 * others only read, so that many waiting askers do not block anyone. */
static una_status wait_for_turn(asking *a, una_run *run)
{
    UNA_TRY(una_database_transact(a->store->db, offer_trials, a, run));
    for (unsigned tries = 0; a->given < a->want && !a->turn; tries++) {
        bool is_free = false;
        UNA_TRY(wait_before_retry(tries, run));
        UNA_TRY(turn_is_free(&is_free, a->store, run));
        if (is_free) UNA_TRY(una_database_transact(a->store->db, offer_trials, a, run));
    }
    return UNA_OK;
}

static una_status ask_once(asking *a, una_point_chooser *choose, void *context, una_arena *arena, una_run *run)
{
    pulse p;
    UNA_TRY(wait_for_turn(a, run));
    if (a->given >= a->want) return UNA_OK;

    begin_pulse(&p, a->store);
    una_status status = choose_points(a, choose, context, arena, run);
    end_pulse(&p);
    if (status == UNA_OK) status = una_database_transact(a->store->db, write_chosen, a, run);
    return status;
}

una_status una_trial_store_ask(una_stored_trials *given, una_trial_store *l, size_t count, bool by_process,
                               una_point_chooser *choose, void *context, una_arena *arena, una_run *run)
{
    asking a = { .store = l, .want = count, .by_process = by_process };
    una_status status;
    *given = (una_stored_trials){0};
    una_trial_store_next_token(l);
    if (by_process) l->holds = true;

    do {                                         /* again if the turn was lost: the next owner knows more       */
        a.lost = false;
        status = ask_once(&a, choose, context, arena, run);
    } while (status == UNA_OK && a.lost);
    if (status == UNA_OK) status = una_trial_store_read_given(given, l, arena, run);
    return status == UNA_OK ? status : una_trial_store_give_up(l, status, run);
}
