/* SPDX-License-Identifier: MIT
 *
 * The trial store of a study: asking. Trials that are no longer held, the turn, the search with renewals meanwhile,
 * and its points, which are written only if the turn is still held.
 */
#include "study/trial_store.h"

#include "store/pulse.h"

#include <time.h>

enum { FIRST_WAIT_MS = 2, MOST_WAIT_MS = 100 };

/* ---- who holds what ------------------------------------------------------------------------------------------ */

#define HELD_COLUMNS "id, lease_until, " UNA_OWNER_COLUMNS

typedef struct freeing { una_trial_store *store; double now; uint64_t *id; size_t count, most; } freeing;

static una_status note_free(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    freeing *f = context;
    (void)count;
    (void)run;
    if (f->count == f->most) return UNA_OK;
    double until = cells[1].real, most = f->store->facts.lease + UNA_OWNER_LEASE;
    una_owner_name owner = una_owner_in(cells + 2);
    bool held = until > f->now && until - f->now <= most;
    if (until <= 0 && owner.process != 0)
        held = una_owner_same(&owner, &f->store->me) || una_owner_alive(&owner, f->now, &f->store->me);
    if (!held) f->id[f->count++] = (uint64_t)cells[0].whole;
    return UNA_OK;
}

/* An owner that lives but does not renew loses the turn too: it may have forgotten it. */
static una_status turn_is_free(bool *is_free, una_trial_store *l, una_run *run)
{
    static const una_sql_row_form form = { UNA_OWNER_COLUMNS, UNA_OWNER_TYPES, "the turn" };
    una_sql_value cells[5];
    double now = 0;
    UNA_TRY(una_database_now(&now, l->db, run));
    una_sql sql = UNA_SQL("SELECT " UNA_OWNER_COLUMNS " FROM study_turn WHERE study = $1", una_sql_text(l->study));
    UNA_TRY(una_database_ask(cells, l->db, sql, &form, run));
    if (!cells[0].text)                          /* the wait would never end */
        UNA_FAIL(run, UNA_E_INPUT, "the study in %s is damaged: it does not say whose turn it is", l->name);
    una_owner_name owner = una_owner_in(cells);
    *is_free = owner.process == 0 || una_owner_same(&owner, &l->me) || !una_owner_is_recent(&owner, now) ||
               !una_owner_alive(&owner, now, &l->me);
    return UNA_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

typedef struct asking {
    una_trial_store   *store;
    const una_trial_request *request;
    size_t             given;            /* trials that are ours already                                    */
    bool               turn, lost;
    una_stored_trial  *found;
    size_t             chosen;
    double             now;              /* of the transaction under way                                    */
} asking;

static double lease_end(const asking *a)
{
    return a->request->by_process ? 0 : a->now + a->store->facts.lease;
}

static una_status offer_again(asking *a, uint64_t id, una_run *run)
{
    const una_trial_store *l = a->store;
    una_sql sql =
        UNA_SQL("UPDATE study_trial SET host = $3, process = $4, start = $5, handle = $6, since = $7, "
                "asked = $7, lease_until = $8, token = $9, attempts = attempts + 1 WHERE study = $1 AND id = $2",
                una_sql_text(l->study), una_sql_integer((int64_t)id), UNA_OWNER_CELLS(l->me),
                una_sql_integer((int64_t)a->now), una_sql_real(lease_end(a)), una_sql_text(l->token));
    return una_database_write(l->db, sql, run);
}

static una_status take_turn(const asking *a, una_run *run)
{
    const una_trial_store *l = a->store;
    una_sql sql = UNA_SQL("UPDATE study_turn SET host = $2, process = $3, start = $4, handle = $5, "
                          "since = $6, token = $7 WHERE study = $1",
                          una_sql_text(l->study), UNA_OWNER_CELLS(l->me), una_sql_integer((int64_t)a->now),
                          una_sql_text(l->token));
    return una_database_write(l->db, sql, run);
}

/* Takes trials that are no longer held, and the turn if more are wanted and it is free. */
static una_status offer_trials(una_database *db, void *context, una_run *run)
{
    static const una_sql_row_form form = { HELD_COLUMNS, "wn" UNA_OWNER_TYPES, "trial" };
    asking *a = context;
    una_trial_store *l = a->store;
    size_t want = a->request->count;
    UNA_TRY(una_database_now(&a->now, db, run));
    UNA_TRY(una_trial_store_count_given(&a->given, l, run));
    freeing f = { .store = l, .now = a->now, .most = want - (a->given < want ? a->given : want) };
    UNA_NEW_AT(&run->scratch, f.id, f.most);
    una_sql sql = UNA_SQL("SELECT " HELD_COLUMNS " FROM study_trial WHERE study = $1 AND state = "
                          "'open' ORDER BY id",
                          una_sql_text(l->study));
    UNA_TRY(una_database_each(db, sql, &form, note_free, &f, run));
    for (size_t i = 0; i < f.count; i++) UNA_TRY(offer_again(a, f.id[i], run));

    a->given += f.count;
    a->turn = false;
    if (a->given >= want) return UNA_OK;
    UNA_TRY(turn_is_free(&a->turn, l, run));
    return a->turn ? take_turn(a, run) : UNA_OK;
}

/* *ended (may be NULL): 0 where the turn was not ours. */
static una_status end_turn(size_t *ended, const una_trial_store *l, una_run *run)
{
    return una_database_change(ended, l->db, "study_turn", "host = '', process = 0, start = '', handle = '', "
                               "since = 0, token = ''", UNA_SQL("study = $1 AND token = $2", una_sql_text(l->study),
                                                                una_sql_text(l->token)), run);
}

/* Writes the chosen points if the turn is still ours, and gives it back. */
static una_status write_chosen(una_database *db, void *context, una_run *run)
{
    asking *a = context;
    una_trial_store *l = a->store;
    size_t there = 0, ended = 0;
    int64_t id = 0;
    UNA_TRY(una_database_now(&a->now, db, run));
    UNA_TRY(una_trial_store_count_given(&there, l, run));
    a->lost = false;
    if (there > a->given) return UNA_OK;         /* written before the server was lost */

    UNA_TRY(end_turn(&ended, l, run));
    a->lost = ended == 0;
    if (a->lost) return UNA_OK;
    UNA_TRY(una_trial_store_next_id(&id, l, run));
    una_owner_name me = l->me;
    me.since = (int64_t)a->now;
    for (size_t i = 0; i < a->chosen; i++) {
        const una_stored_trial trial = { .id = (uint64_t)id + i, .state = UNA_TRIAL_OPEN, .x = a->found[i].x,
            .value = NAN, .attempts = 1, .asked = me.since, .expected = a->found[i].expected,
            .doubt = a->found[i].doubt };
        UNA_TRY(una_trial_store_insert(l, &trial, &me, lease_end(a), run));
    }
    return UNA_OK;
}

/* Trials that were not given out are offered to the next asker. */
static una_status end_ask(una_database *db, void *context, una_run *run)
{
    const una_trial_store *l = context;
    UNA_TRY(end_turn(NULL, l, run));
    una_sql sql =
        UNA_SQL("study = $1 AND token = $2 AND state = 'open'", una_sql_text(l->study), una_sql_text(l->token));
    return una_database_change(NULL, db, "study_trial", UNA_LET_GO ", token = '', attempts = attempts - 1", sql, run);
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

static una_status send_pulse(una_database *db, void *context, una_run *run)
{
    const una_trial_store *l = context;
    double now = 0;
    UNA_TRY(una_database_now(&now, db, run));
    una_sql turn = UNA_SQL("study = $1 AND token = $7", una_sql_text(l->study), una_sql_integer((int64_t)now),
                           UNA_OWNER_CELLS(l->me), una_sql_text(l->token));
    una_sql trials = { "study = $1 AND state = 'open' AND lease_until = 0 AND " UNA_IS_MINE, turn.given, 6 };
    UNA_TRY(una_database_change(NULL, db, "study_turn", "since = $2", turn, run));
    return una_database_change(NULL, db, "study_trial", "since = $2", trials, run);
}

una_status una_trial_store_heartbeat(una_trial_store *l, una_run *run)
{
    return una_database_transact(l->db, send_pulse, l, run);
}

typedef struct turn_pulse { una_trial_store *store; una_run *run; } turn_pulse;

/* With its own run, made when the first renewal is due: most searches end before that. */
static void renew_turn(void *context)
{
    turn_pulse *t = context;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .cancel = t->store->run->settings.cancel };
    if (t->run || una_run_new(&t->run, &settings) == UNA_OK) una_trial_store_heartbeat(t->store, t->run);
}

static una_status choose_points(asking *a, una_run *run)
{
    const una_trial_request *r = a->request;
    una_stored_trials all;
    size_t want = r->count - a->given;
    UNA_TRY(una_trial_store_read(&all, a->store, &run->scratch, run));
    UNA_NEW_AT(&run->scratch, a->found, want);
    a->chosen = 0;
    una_status status = r->choose(r->context, &all, a->found, want, &a->chosen, run);
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
    bool is_free = true;
    for (unsigned tries = 0;; tries++) {
        if (is_free) UNA_SCOPED(run, una_database_transact(a->store->db, offer_trials, a, run));
        if (a->given >= a->request->count || a->turn) return UNA_OK;
        UNA_TRY(wait_before_retry(tries, run));
        UNA_SCOPED(run, turn_is_free(&is_free, a->store, run));
    }
}

static una_status ask_once(asking *a, una_run *run)
{
    turn_pulse turn = { .store = a->store };
    una_pulse pulse = { .beat = renew_turn, .context = &turn, .every = UNA_TRIAL_STORE_HEARTBEAT };
    UNA_TRY(wait_for_turn(a, run));
    if (a->given >= a->request->count) return UNA_OK;

    una_pulse_begin(&pulse);
    una_status status = choose_points(a, run);
    una_pulse_end(&pulse);
    una_run_free(turn.run);
    if (status == UNA_OK) status = una_database_transact(a->store->db, write_chosen, a, run);
    return status;
}

una_status una_trial_store_ask(una_stored_trials *given, una_trial_store *l, const una_trial_request *request,
                               una_run *run)
{
    asking a = { .store = l, .request = request };
    una_status status;
    *given = (una_stored_trials){0};
    una_trial_store_next_token(l);
    if (request->by_process) l->holds = true;

    do {                                         /* again if the turn was lost: the next owner knows more       */
        a.lost = false;
        status = ask_once(&a, run);
    } while (status == UNA_OK && a.lost);
    if (status == UNA_OK) status = una_trial_store_read_given(given, l, run);
    return status == UNA_OK ? status : una_trial_store_give_up(l, status, run);
}
