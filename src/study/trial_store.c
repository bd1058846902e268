/* SPDX-License-Identifier: MIT
 *
 * The trial store of a study: opening, reading and telling. See trial_store.h for the rules and their reasons.
 */
#include "study/trial_store.h"

#include <inttypes.h>
#include <time.h>

static const char schema[] =
    "CREATE TABLE study (name TEXT PRIMARY KEY, space TEXT NOT NULL, model TEXT NOT NULL, acquisition TEXT NOT NULL,"
    "  goal TEXT NOT NULL, seed INTEGER NOT NULL, initial INTEGER NOT NULL, lease REAL NOT NULL, made INTEGER NOT NULL,"
    "  token TEXT NOT NULL);"
    "CREATE TABLE study_trial (study TEXT NOT NULL, id INTEGER NOT NULL, state TEXT NOT NULL, x TEXT NOT NULL,"
    "  value REAL, attempts INTEGER NOT NULL, note TEXT NOT NULL, asked INTEGER NOT NULL, told INTEGER NOT NULL,"
    "  expected REAL, doubt REAL, host TEXT NOT NULL, process INTEGER NOT NULL, start TEXT NOT NULL,"
    "  handle TEXT NOT NULL, since INTEGER NOT NULL, lease_until REAL NOT NULL, token TEXT NOT NULL,"
    "  PRIMARY KEY (study, id));"
    "CREATE TABLE study_turn (study TEXT PRIMARY KEY, host TEXT NOT NULL, process INTEGER NOT NULL,"
    "  start TEXT NOT NULL, handle TEXT NOT NULL, since INTEGER NOT NULL, token TEXT NOT NULL);";

void una_trial_store_next_token(una_trial_store *l)
{
    snprintf(l->token, sizeof l->token, "%s/%ld/%s/%s/%" PRId64 "/%" PRIu64, l->me.host, l->me.process, l->me.start,
             l->me.handle, l->opened, ++l->asks);
}

const char *const una_trial_state_words[UNA_TRIAL_STATES] = { "open", "told", "failed" };

/* An untrusted file may hold anything under our names. */
static una_status trial_store_damaged(const una_trial_store *l, uint64_t id, const char *why, una_run *run)
{
    if (id == 0) UNA_FAIL(run, UNA_E_INPUT, "the study in %s is damaged: %s", l->name, why);
    UNA_FAIL(run, UNA_E_INPUT, "the study in %s is damaged: trial %" PRIu64 " %s", l->name, id, why);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

#define FACT_COLUMNS "space, model, acquisition, goal, seed, initial, lease"

static una_status read_facts(una_trial_store *l, una_run *run)
{
    static const una_sql_row_form form = { FACT_COLUMNS, "ttttwwn", "the study" };
    una_sql_value cells[7];
    una_sql sql = UNA_SQL("SELECT " FACT_COLUMNS " FROM study WHERE name = $1", una_sql_text(l->study));
    UNA_TRY(una_database_ask(cells, l->db, sql, &form, run));
    if (!cells[0].text)
        UNA_FAIL(run, UNA_E_INPUT, "there is no study in %s; 'una study new' makes one", l->name);
    if (cells[5].whole < 0 || !(cells[6].real >= 0 && isfinite(cells[6].real)))
        return trial_store_damaged(l, 0, "its lease or number of initial points makes no sense", run);
    l->facts = (una_trial_store_facts){
        .space = una_arena_text(&l->keep, cells[0].text), .model = una_arena_text(&l->keep, cells[1].text),
        .acquisition = una_arena_text(&l->keep, cells[2].text),
        .maximize = strcmp(cells[3].text, "maximize") == 0, .seed = (uint64_t)cells[4].whole,
        .initial = (size_t)cells[5].whole, .lease = cells[6].real };
    return una_arena_check(&l->keep);
}

static una_status insert_study(una_trial_store *l, const una_trial_store_facts *f, una_run *run)
{
    double now = 0;
    UNA_TRY(una_database_now(&now, l->db, run));
    una_sql sql =
        UNA_SQL("INSERT INTO study (name, space, model, acquisition, goal, seed, initial, lease, made, token) "
                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                una_sql_text(l->study), una_sql_text(f->space), una_sql_text(f->model), una_sql_text(f->acquisition),
                una_sql_text(f->maximize ? "maximize" : "minimize"), una_sql_integer((int64_t)f->seed),
                una_sql_integer((int64_t)f->initial), una_sql_real(f->lease), una_sql_integer((int64_t)now),
                una_sql_text(l->token));
    UNA_TRY(una_database_write(l->db, sql, run));
    return una_database_write(l->db, UNA_SQL("INSERT INTO study_turn (study, " UNA_OWNER_COLUMNS ", token) "
                                             "VALUES ($1, '', 0, '', '', 0, '')", una_sql_text(l->study)), run);
}

typedef struct opening { una_trial_store *store; const una_trial_store_facts *facts; } opening;

static una_status enter_study(una_database *db, void *context, una_run *run)
{
    static const una_sql_row_form form = { "token", "t", "the study" };
    const opening *o = context;
    una_trial_store *l = o->store;
    una_sql_value token = { .text = l->token };
    UNA_TRY(una_database_expect(db, "study", UNA_TRIAL_STORE_FORMAT, schema, run));
    if (o->facts)
        UNA_TRY(una_database_ask(&token, db, UNA_SQL("SELECT token FROM study WHERE name = $1",
                                                     una_sql_text(l->study)), &form, run));
    if (!token.text) UNA_TRY(insert_study(l, o->facts, run));
    else if (strcmp(token.text, l->token) != 0)
        UNA_FAIL(run, UNA_E_INPUT, "there is a study in %s already; go on with it, or choose another name", l->name);
    return read_facts(l, run);
}

/* "postgresql://host/base#name" is a server and a name in it; a path is a path, whatever is in it. */
static una_status open_study(una_trial_store *l, const char *where, const una_trial_store_facts *facts, una_run *run)
{
    bool server = una_database_is_server(where);
    const char *mark = server ? strrchr(where, '#') : NULL;
    una_text address = una_text_in(&l->keep), name = una_text_in(&l->keep);
    if (mark) una_text_bytes(&address, where, (size_t)(mark - where));
    l->study = mark && mark[1] ? una_arena_text(&l->keep, mark + 1) : "study";
    UNA_TRY(una_arena_check(&l->keep));

    UNA_TRY(una_database_open(&l->db, mark ? address.at : where, facts ? UNA_DATABASE_LOG : UNA_DATABASE_PRESENT, run));
    una_text_add(&name, server ? "%s#%s" : "%s", una_database_name(l->db), l->study);
    UNA_TRY(una_arena_check(&l->keep));
    l->name = name.at;
    una_trial_store_next_token(l);
    return una_database_transact(l->db, enter_study, &(opening){ l, facts }, run);
}

una_status una_trial_store_open(una_trial_store **out, const char *where, const una_trial_store_facts *facts,
                                una_run *run)
{
    struct timespec time;
    una_trial_store *l = una_allocate(run, sizeof *l);
    *out = NULL;
    if (!l) return UNA_E_MEMORY;
    memset(l, 0, sizeof *l);
    l->run = run;
    una_arena_init(&l->keep, run);
    una_owner_here(&l->me, l);
    clock_gettime(CLOCK_REALTIME, &time);
    l->opened = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    una_status status = open_study(l, where, facts, run);
    if (status == UNA_OK) *out = l;
    else una_trial_store_close(l);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

#define TRIAL_COLUMNS "id, state, x, value, attempts, note, asked, told, expected, doubt"

typedef struct reading { una_stored_trials *to; size_t room; const una_trial_store *store; una_arena *arena; } reading;

static una_trial_state state_of(const char *word)
{
    una_trial_state state = UNA_TRIAL_FAILED;
    while (state != UNA_TRIAL_OPEN && strcmp(una_trial_state_words[state], word) != 0) state--;
    return state;
}

static una_status take_trial(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    reading *r = context;
    una_stored_trial trial = { .id = (uint64_t)cells[0].whole, .state = state_of(cells[1].text),
        .x = una_arena_text(r->arena, cells[2].text), .value = una_sql_number(&cells[3]),
        .attempts = (unsigned)cells[4].whole, .note = una_arena_text(r->arena, cells[5].text),
        .asked = cells[6].whole, .told = cells[7].whole, .expected = una_sql_number(&cells[8]),
        .doubt = una_sql_number(&cells[9]) };
    (void)count;
    if (trial.state == UNA_TRIAL_TOLD && !isfinite(trial.value))
        return trial_store_damaged(r->store, trial.id, "was told a value that is not finite", run);
    r->to->at = una_arena_grow(r->arena, r->to->at, r->to->count, &r->room, sizeof trial);
    UNA_TRY(una_arena_check(r->arena));
    r->to->at[r->to->count++] = trial;
    return UNA_OK;
}

static una_status read_trials(una_stored_trials *all, una_trial_store *l, una_sql sql, una_arena *arena, una_run *run)
{
    static const una_sql_row_form form = { TRIAL_COLUMNS, "wttNwtwwNN", "trial" };
    reading r = { .to = all, .store = l, .arena = arena };
    *all = (una_stored_trials){0};
    return una_database_each(l->db, sql, &form, take_trial, &r, run);
}

una_status una_trial_store_read(una_stored_trials *all, una_trial_store *l, una_arena *arena, una_run *run)
{
    una_sql sql =
        UNA_SQL("SELECT " TRIAL_COLUMNS " FROM study_trial WHERE study = $1 ORDER BY id", una_sql_text(l->study));
    return read_trials(all, l, sql, arena, run);
}

/* The trials that an ask got, by its token. */
una_status una_trial_store_read_given(una_stored_trials *given, una_trial_store *l, una_run *run)
{
    una_sql sql = UNA_SQL("SELECT " TRIAL_COLUMNS " FROM study_trial WHERE study = $1 AND token = $2 "
                          "ORDER BY id",
                          una_sql_text(l->study), una_sql_text(l->token));
    return read_trials(given, l, sql, &run->scratch, run);
}

una_status una_trial_store_count_given(size_t *count, una_trial_store *l, una_run *run)
{
    una_sql_value found;
    una_sql sql = UNA_SQL("SELECT count(*) FROM study_trial WHERE study = $1 AND token = $2", una_sql_text(l->study),
                          una_sql_text(l->token));
    UNA_TRY(una_database_ask(&found, l->db, sql, NULL, run));
    *count = (size_t)found.whole;
    return UNA_OK;
}

una_status una_trial_store_next_id(int64_t *id, una_trial_store *l, una_run *run)
{
    una_sql_value last;
    una_sql sql = UNA_SQL("SELECT max(id) FROM study_trial WHERE study = $1", una_sql_text(l->study));
    UNA_TRY(una_database_ask(&last, l->db, sql, NULL, run));
    bool number = last.type == UNA_SQL_INTEGER || last.type == UNA_SQL_NULL;
    if (!number || last.whole < 0 || last.whole == INT64_MAX)
        return trial_store_damaged(l, 0, "numbers of trials begin with 1", run);
    *id = last.whole + 1;                        /* 0 where there is none */
    return UNA_OK;
}

una_status una_trial_store_insert(const una_trial_store *l, const una_stored_trial *t, const una_owner_name *owner,
                                  double until, una_run *run)
{
    una_sql sql = UNA_SQL("INSERT INTO study_trial (study, " TRIAL_COLUMNS ", " UNA_OWNER_COLUMNS ", lease_until, token) "
                          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
                          una_sql_text(l->study), una_sql_integer((int64_t)t->id),
                          una_sql_text(una_trial_state_words[t->state]), una_sql_text(t->x), una_sql_real(t->value),
                          una_sql_integer(t->attempts), una_sql_text(t->note), una_sql_integer(t->asked),
                          una_sql_integer(t->told), una_sql_real(t->expected), una_sql_real(t->doubt),
                          UNA_OWNER_CELLS(*owner), una_sql_integer(owner->since), una_sql_real(until),
                          una_sql_text(l->token));
    return una_database_write(l->db, sql, run);
}

/* ---- telling ------------------------------------------------------------------------------------------------- */

typedef struct telling {
    una_trial_store *store;
    uint64_t        id;
    una_trial_state state;
    double          value;
    const char     *note;
    bool            only_ours;
} telling;

static una_status no_such_trial(una_trial_store *l, uint64_t id, una_run *run)
{
    int64_t next = 1;
    UNA_TRY(una_trial_store_next_id(&next, l, run));
    if (next == 1) UNA_FAIL(run, UNA_E_INPUT, "there is no trial %" PRIu64 " in %s, and no other yet; ask for one", id,
                            l->name);
    UNA_FAIL(run, UNA_E_INPUT, "there is no trial %" PRIu64 " in %s; they have numbers from 1 to %" PRId64, id, l->name,
             next - 1);
}

typedef struct present { una_trial_state state; double value; bool there; } present;

static una_status take_present(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(present *)context = (present){ state_of(cells[0].text), una_sql_number(&cells[1]), true };
    return UNA_OK;
}

/* Takes no memory: what has come out can be told where none is left. */
static una_status find_trial(present *p, una_trial_store *l, uint64_t id, una_run *run)
{
    static const una_sql_row_form form = { "state, value, id", "tNw", "trial" };
    una_sql sql = UNA_SQL("SELECT state, value, id FROM study_trial WHERE study = $1 AND id = $2",
                          una_sql_text(l->study), una_sql_integer((int64_t)id));
    *p = (present){ .there = false };
    if (id > 0 && id <= INT64_MAX) UNA_TRY(una_database_each(l->db, sql, &form, take_present, p, run));
    return p->there ? UNA_OK : no_such_trial(l, id, run);
}

static una_status told_before(uint64_t id, const present *p, una_run *run)
{
    char number[32];
    if (p->state == UNA_TRIAL_FAILED)
        UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " was told to have failed before", id);
    UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " was told before (%s)", id, una_number_text(number, p->value));
}

static bool is_same_result(const present *p, const telling *t)
{
    return p->state == t->state && (p->state != UNA_TRIAL_TOLD || p->value == t->value);
}

/* Read again after writing: only what is stored is acknowledged. */
static una_status write_told(una_database *db, void *context, una_run *run)
{
    const telling *t = context;
    double now = 0;
    present p;
    UNA_TRY(find_trial(&p, t->store, t->id, run));
    if (p.state != UNA_TRIAL_OPEN) return is_same_result(&p, t) ? UNA_OK : told_before(t->id, &p, run);

    UNA_TRY(una_database_now(&now, db, run));
    una_sql sql = UNA_SQL("UPDATE study_trial SET state = $3, value = $4, note = $5, told = $6, " UNA_LET_GO
                          " WHERE study = $1 AND id = $2",
                          una_sql_text(t->store->study), una_sql_integer((int64_t)t->id),
                          una_sql_text(una_trial_state_words[t->state]), una_sql_real(t->value), una_sql_text(t->note),
                          una_sql_integer((int64_t)now));
    UNA_TRY(una_database_write(db, sql, run));
    UNA_TRY(find_trial(&p, t->store, t->id, run));
    if (is_same_result(&p, t)) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "%s changed what trial %" PRIu64 " was told, and nothing was kept; remove the trigger "
             "or rule of the database that did it", t->store->name, t->id);
}

una_status una_trial_store_tell(una_trial_store *l, uint64_t id, una_trial_state state, double value, const char *note,
                                una_run *run)
{
    telling t = { l, id, state, state == UNA_TRIAL_TOLD ? value : NAN, note, false };
    return una_database_transact(l->db, write_told, &t, run);
}

static una_status write_dropped(una_database *db, void *context, una_run *run)
{
    const telling *t = context;
    const una_trial_store *l = t->store;
    una_sql_value study = una_sql_text(l->study), id = una_sql_integer((int64_t)t->id);
    present p;
    UNA_TRY(find_trial(&p, t->store, t->id, run));
    if (p.state != UNA_TRIAL_OPEN) return t->only_ours ? UNA_OK : told_before(t->id, &p, run);
    if (t->only_ours)
        return una_database_change(NULL, db, "study_trial", UNA_LET_GO,
                                   UNA_SQL("study = $1 AND id = $2 AND " UNA_IS_MINE, study, id,
                                           UNA_OWNER_CELLS(l->me)), run);
    una_sql sql = UNA_SQL("UPDATE study_trial SET " UNA_LET_GO " WHERE study = $1 AND id = $2", study, id);
    return una_database_write(db, sql, run);
}

una_status una_trial_store_drop(una_trial_store *l, uint64_t id, bool only_ours, una_run *run)
{
    telling t = { .store = l, .id = id, .only_ours = only_ours };
    return una_database_transact(l->db, write_dropped, &t, run);
}

typedef struct renewing { una_trial_store *store; const uint64_t *id; size_t count; } renewing;

static una_status write_renewed(una_database *db, void *context, una_run *run)
{
    const renewing *r = context;
    const una_trial_store *l = r->store;
    double time = 0;
    UNA_TRY(una_database_now(&time, db, run));
    for (size_t i = 0; i < r->count; i++) {
        size_t changed = 0;
        una_sql sql = UNA_SQL("study = $1 AND id = $2 AND state = 'open' AND " UNA_IS_MINE, una_sql_text(l->study),
                              una_sql_integer((int64_t)r->id[i]), UNA_OWNER_CELLS(l->me),
                              una_sql_integer((int64_t)time), una_sql_real(time + l->facts.lease));
        UNA_TRY(una_database_change(&changed, db, "study_trial",
                                    "since = $7, lease_until = CASE WHEN lease_until > 0 THEN $8 ELSE lease_until END",
                                    sql, run));
        if (changed == 0)
            UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " of %s is not held by this process: it was told, given back "
                     "or given to another process", r->id[i], l->name);
    }
    return UNA_OK;
}

una_status una_trial_store_renew(una_trial_store *l, const uint64_t *id, size_t count, una_run *run)
{
    renewing r = { l, id, count };
    return una_database_transact(l->db, write_renewed, &r, run);
}

static void let_all_go(una_trial_store *l)
{
    una_sql sql = UNA_SQL("study = $1 AND state = $2 AND lease_until = 0 AND " UNA_IS_MINE, una_sql_text(l->study),
                          una_sql_text("open"), UNA_OWNER_CELLS(l->me));
    (void)una_database_change(NULL, l->db, "study_trial", UNA_LET_GO, sql, l->run);
}

void una_trial_store_close(una_trial_store *l)
{
    if (!l) return;
    if (l->holds && l->db && l->facts.space) let_all_go(l);
    una_database_close(l->db);
    una_arena_free(&l->keep);
    una_release(l->run, l);
}
