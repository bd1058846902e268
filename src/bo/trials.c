/* SPDX-License-Identifier: MIT
 *
 * The ledger of a study: see trials.h for what holds and why.
 */
#include "bo/trials.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_WAIT_MS = 2, MOST_WAIT_MS = 100, TOKEN_ROOM = 512 };

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

struct una_ledger {
    una_run         *run;                /* whose memory it is                                              */
    una_arena        keep;
    una_database    *db;
    const char      *study, *name;       /* its name in the database; and for people                        */
    una_ledger_facts facts;
    una_owner_name   me;
    uint64_t         asks;               /* so far, for tokens                                              */
    int64_t          opened;             /* nanoseconds: tells two ledgers at one address apart             */
    char             token[TOKEN_ROOM];  /* of the ask that is under way                                    */
    bool             holds;              /* something by process, to be given back at the end               */
};

const una_ledger_facts *una_ledger_facts_of(const una_ledger *ledger)
{
    return &ledger->facts;
}

const char *una_ledger_name(const una_ledger *ledger)
{
    return ledger->name;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void next_token(una_ledger *l)
{
    snprintf(l->token, sizeof l->token, "%s/%ld/%s/%s/%" PRId64 "/%" PRIu64, l->me.host, l->me.process, l->me.start,
             l->me.handle, l->opened, ++l->asks);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

/* "postgresql://host/base#name" is a server and a name in it; a path is a path, whatever is in it. */
static una_status split_where(una_ledger *l, const char **address, const char *where, una_run *run)
{
    const char *mark = where && una_database_is_server(where) ? strrchr(where, '#') : NULL;
    *address = where;
    l->study = "study";
    if (!mark) return UNA_OK;

    una_text text = una_text_in(&l->keep);
    una_text_bytes(&text, where, (size_t)(mark - where));
    *address = text.at;
    if (mark[1]) l->study = una_arena_text(&l->keep, mark + 1);
    (void)run;
    return una_arena_check(&l->keep);
}

static una_status name_ledger(una_ledger *l, const char *where)
{
    una_text text = una_text_in(&l->keep);
    una_text_add(&text, "%s", una_database_name(l->db));
    if (where && una_database_is_server(where)) una_text_add(&text, "#%s", l->study);
    l->name = text.at;
    return una_arena_check(&l->keep);
}

static una_status new_ledger(una_ledger **out, const char *where, una_database_mode mode, una_run *run)
{
    struct timespec time;
    const char *address;
    una_ledger *l = una_allocate(run, sizeof *l);
    *out = l;
    if (!l) return UNA_E_MEMORY;
    memset(l, 0, sizeof *l);
    l->run = run;
    una_arena_init(&l->keep, run);
    una_owner_here(&l->me, l);
    clock_gettime(CLOCK_REALTIME, &time);
    l->opened = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;

    UNA_TRY(split_where(l, &address, where, run));
    UNA_TRY(una_database_open(&l->db, address, mode, run));
    return name_ledger(l, where);
}

static una_status opened(una_ledger **out, una_ledger *l, una_status status)
{
    *out = NULL;
    if (status == UNA_OK) *out = l;
    else una_ledger_close(l);
    return status;
}

static una_status take_facts(void *context, const una_cell *cells, size_t count, una_run *run)
{
    una_ledger *l = context;
    (void)count;
    (void)run;
    l->facts = (una_ledger_facts){
        .space = una_arena_text(&l->keep, cells[0].text), .model = una_arena_text(&l->keep, cells[1].text),
        .acquisition = una_arena_text(&l->keep, cells[2].text),
        .maximize = cells[3].text && strcmp(cells[3].text, "maximize") == 0, .seed = (uint64_t)cells[4].whole,
        .initial = (size_t)cells[5].whole, .lease = cells[6].real };
    return una_arena_check(&l->keep);
}

static una_status read_facts(una_ledger *l, una_run *run)
{
    const una_cell given[] = { una_words(l->study) };
    l->facts = (una_ledger_facts){0};
    return una_database_each(l->db, "SELECT space, model, acquisition, goal, seed, initial, lease FROM study "
                             "WHERE name = $1", given, 1, take_facts, l, run);
}

static una_status expect(una_ledger *l, una_run *run)
{
    return una_database_expect(l->db, "study", UNA_LEDGER_FORMAT, schema, run);
}

static una_status find_study(una_database *db, void *context, una_run *run)
{
    una_ledger *l = context;
    (void)db;
    UNA_TRY(expect(l, run));
    UNA_TRY(read_facts(l, run));
    if (l->facts.space) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "there is no study in %s; 'una study new' makes one", l->name);
}

una_status una_ledger_open(una_ledger **out, const char *where, una_run *run)
{
    una_ledger *l;
    *out = NULL;
    una_status status = new_ledger(&l, where, UNA_DATABASE_PRESENT, run);
    if (!l) return status;
    if (status == UNA_OK) status = una_database_transact(l->db, find_study, l, run);
    return opened(out, l, status);
}

typedef struct making { una_ledger *ledger; const una_ledger_facts *facts; } making;

static una_status insert_study(una_ledger *l, const una_ledger_facts *f, una_run *run)
{
    const una_cell given[] = { una_words(l->study), una_words(f->space), una_words(f->model),
        una_words(f->acquisition), una_words(f->maximize ? "maximize" : "minimize"), una_whole((int64_t)f->seed),
        una_whole((int64_t)f->initial), una_real(f->lease), una_whole((int64_t)now()), una_words(l->token) };
    UNA_TRY(una_database_do(NULL, l->db, "INSERT INTO study (name, space, model, acquisition, goal, seed, initial, "
                            "lease, made, token) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", given, 10, run));
    return una_database_do(NULL, l->db, "INSERT INTO study_turn (study, host, process, start, handle, since, token) "
                           "VALUES ($1, '', 0, '', '', 0, '')", given, 1, run);
}

static una_status make_study(una_database *db, void *context, una_run *run)
{
    const making *m = context;
    una_ledger *l = m->ledger;
    una_cell token;
    UNA_TRY(expect(l, run));
    UNA_TRY(una_database_ask(&token, db, "SELECT token FROM study WHERE name = $1",
                             &(una_cell){ .type = UNA_CELL_TEXT, .text = l->study }, 1, &l->keep, run));
    if (token.type == UNA_CELL_NULL) UNA_TRY(insert_study(l, m->facts, run));
    else if (strcmp(token.text, l->token) != 0)
        UNA_FAIL(run, UNA_E_INPUT, "there is a study in %s already; go on with it, or choose another name", l->name);
    return read_facts(l, run);
}

una_status una_ledger_make(una_ledger **out, const char *where, const una_ledger_facts *facts, una_run *run)
{
    una_ledger *l;
    *out = NULL;
    una_status status = new_ledger(&l, where, UNA_DATABASE_LOG, run);
    if (!l) return status;
    if (status == UNA_OK) {
        next_token(l);
        status = una_database_transact(l->db, make_study, &(making){ l, facts }, run);
    }
    return opened(out, l, status);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

#define TRIAL_COLUMNS "id, state, x, value, attempts, note, asked, told, expected, doubt"

typedef struct reading { una_ledger_trials *to; size_t room; una_arena *arena; } reading;

static una_trial_state state_of(const char *word)
{
    return strcmp(word, "told") == 0 ? UNA_TRIAL_TOLD : strcmp(word, "failed") == 0 ? UNA_TRIAL_FAILED : UNA_TRIAL_OPEN;
}

static const char *state_word(una_trial_state state)
{
    return state == UNA_TRIAL_TOLD ? "told" : state == UNA_TRIAL_FAILED ? "failed" : "open";
}

static double number_in(const una_cell *cell)
{
    return cell->type == UNA_CELL_NULL ? NAN : cell->type == UNA_CELL_WHOLE ? (double)cell->whole : cell->real;
}

static una_status take_trial(void *context, const una_cell *cells, size_t count, una_run *run)
{
    reading *r = context;
    (void)count;
    (void)run;
    if (r->to->count == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        una_ledger_trial *wider = UNA_GET(r->arena, una_ledger_trial, room);
        UNA_TRY(una_arena_check(r->arena));
        if (r->to->count > 0) memcpy(wider, r->to->at, r->to->count * sizeof *wider);
        r->to->at = wider;
        r->room = room;
    }
    r->to->at[r->to->count++] = (una_ledger_trial){ .id = (uint64_t)cells[0].whole, .state = state_of(cells[1].text),
        .x = una_arena_text(r->arena, cells[2].text), .value = number_in(&cells[3]),
        .attempts = (unsigned)cells[4].whole, .note = una_arena_text(r->arena, cells[5].text),
        .asked = cells[6].whole, .told = cells[7].whole, .expected = number_in(&cells[8]),
        .doubt = number_in(&cells[9]) };
    return una_arena_check(r->arena);
}

una_status una_ledger_read(una_ledger_trials *all, una_ledger *l, una_arena *arena, una_run *run)
{
    reading r = { .to = all, .arena = arena };
    const una_cell given[] = { una_words(l->study) };
    *all = (una_ledger_trials){0};
    return una_database_each(l->db, "SELECT " TRIAL_COLUMNS " FROM study_trial WHERE study = $1 ORDER BY id", given, 1,
                             take_trial, &r, run);
}

/* What an ask was given, by its token. */
static una_status read_given(una_ledger_trials *given, una_ledger *l, una_arena *arena, una_run *run)
{
    reading r = { .to = given, .arena = arena };
    const una_cell cells[] = { una_words(l->study), una_words(l->token) };
    *given = (una_ledger_trials){0};
    return una_database_each(l->db, "SELECT " TRIAL_COLUMNS " FROM study_trial WHERE study = $1 AND token = $2 "
                             "ORDER BY id", cells, 2, take_trial, &r, run);
}

static una_status count_given(size_t *count, una_ledger *l, una_run *run)
{
    const una_cell cells[] = { una_words(l->study), una_words(l->token) };
    una_cell found;
    UNA_TRY(una_database_ask(&found, l->db, "SELECT count(*) FROM study_trial WHERE study = $1 AND token = $2", cells,
                             2, &run->scratch, run));
    *count = (size_t)found.whole;
    return UNA_OK;
}

/* ---- who holds what ------------------------------------------------------------------------------------------ */

/* The columns host, process, start, handle, since from `cells` on. */
static una_owner_name owner_in(const una_cell *cells, int64_t *since)
{
    una_owner_name him = { .process = (long)cells[1].whole };
    snprintf(him.host, sizeof him.host, "%s", cells[0].text ? cells[0].text : "");
    snprintf(him.start, sizeof him.start, "%s", cells[2].text ? cells[2].text : "");
    snprintf(him.handle, sizeof him.handle, "%s", cells[3].text ? cells[3].text : "");
    *since = cells[4].whole;
    return him;
}

typedef struct freeing { una_ledger *ledger; uint64_t *id; size_t count, most; } freeing;

static una_status note_free(void *context, const una_cell *cells, size_t count, una_run *run)
{
    freeing *f = context;
    int64_t since;
    double until = number_in(&cells[6]), time = now(), most = f->ledger->facts.lease + UNA_OWNER_LEASE;
    una_owner_name him = owner_in(cells + 1, &since);
    (void)count;
    (void)run;
    if (f->count == f->most) return UNA_OK;

    bool held = until > time && until - time <= most;
    if (until <= 0 && him.process != 0)
        held = una_owner_same(&him, &f->ledger->me) || una_owner_alive(&him, since, &f->ledger->me);
    if (!held) f->id[f->count++] = (uint64_t)cells[0].whole;
    return UNA_OK;
}

typedef struct turning { una_ledger *ledger; bool is_free; } turning;

/* Also an owner who lives loses it if he gives no sign of life: he may have forgotten it. */
static una_status note_turn(void *context, const una_cell *cells, size_t count, una_run *run)
{
    turning *t = context;
    int64_t since;
    una_owner_name him = owner_in(cells, &since);
    int64_t age = (int64_t)time(NULL) - since;
    (void)count;
    (void)run;
    t->is_free = him.process == 0 || una_owner_same(&him, &t->ledger->me) || age > UNA_OWNER_LEASE ||
                 age < -UNA_OWNER_LEASE || !una_owner_alive(&him, since, &t->ledger->me);
    return UNA_OK;
}

static una_status turn_is_free(bool *is_free, una_ledger *l, una_run *run)
{
    turning t = { l, false };
    const una_cell given[] = { una_words(l->study) };
    UNA_TRY(una_database_each(l->db, "SELECT host, process, start, handle, since FROM study_turn WHERE study = $1",
                              given, 1, note_turn, &t, run));
    *is_free = t.is_free;
    return UNA_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

typedef struct asking {
    una_ledger        *ledger;
    size_t             want, given;      /* trials that are ours already                                    */
    bool               by_process, turn, lost;
    una_ledger_trials *all;
    una_ledger_trial  *found;
    size_t             chosen;
} asking;

static double lease_end(const asking *a)
{
    return a->by_process ? 0 : now() + a->ledger->facts.lease;
}

static una_status offer_again(asking *a, uint64_t id, una_run *run)
{
    una_ledger *l = a->ledger;
    int64_t time = (int64_t)now();
    const una_cell given[] = { una_words(l->study), una_whole((int64_t)id), una_words(l->me.host),
        una_whole(l->me.process), una_words(l->me.start), una_words(l->me.handle), una_whole(time),
        una_real(lease_end(a)), una_words(l->token) };
    return una_database_do(NULL, l->db, "UPDATE study_trial SET host = $3, process = $4, start = $5, handle = $6, "
                           "since = $7, asked = $7, lease_until = $8, token = $9, attempts = attempts + 1 "
                           "WHERE study = $1 AND id = $2", given, 9, run);
}

static una_status take_turn(una_ledger *l, una_run *run)
{
    const una_cell given[] = { una_words(l->study), una_words(l->me.host), una_whole(l->me.process),
        una_words(l->me.start), una_words(l->me.handle), una_whole((int64_t)now()), una_words(l->token) };
    return una_database_do(NULL, l->db, "UPDATE study_turn SET host = $2, process = $3, start = $4, handle = $5, "
                           "since = $6, token = $7 WHERE study = $1", given, 7, run);
}

/* Trials that nobody holds any more; and the turn, if more are wanted and it is to be had. */
static una_status offer(una_database *db, void *context, una_run *run)
{
    asking *a = context;
    una_ledger *l = a->ledger;
    const una_cell cells[] = { una_words(l->study) };
    UNA_TRY(count_given(&a->given, l, run));
    freeing f = { .ledger = l, .most = a->want - (a->given < a->want ? a->given : a->want) };
    f.id = UNA_GET(&run->scratch, uint64_t, f.most);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_database_each(db, "SELECT id, host, process, start, handle, since, lease_until FROM study_trial "
                              "WHERE study = $1 AND state = 'open' ORDER BY id", cells, 1, note_free, &f, run));
    for (size_t i = 0; i < f.count; i++) UNA_TRY(offer_again(a, f.id[i], run));

    a->given += f.count;
    a->turn = false;
    if (a->given >= a->want) return UNA_OK;
    UNA_TRY(turn_is_free(&a->turn, l, run));
    return a->turn ? take_turn(l, run) : UNA_OK;
}

static una_status insert_trial(asking *a, const una_ledger_trial *trial, int64_t id, una_run *run)
{
    una_ledger *l = a->ledger;
    int64_t time = (int64_t)now();
    const una_cell given[] = { una_words(l->study), una_whole(id), una_words(trial->x), una_whole(time),
        una_real(trial->expected), una_real(trial->doubt), una_words(l->me.host), una_whole(l->me.process),
        una_words(l->me.start), una_words(l->me.handle), una_real(lease_end(a)), una_words(l->token) };
    return una_database_do(NULL, l->db, "INSERT INTO study_trial (study, id, state, x, value, attempts, note, asked, "
                           "told, expected, doubt, host, process, start, handle, since, lease_until, token) VALUES "
                           "($1, $2, 'open', $3, NULL, 1, '', $4, 0, $5, $6, $7, $8, $9, $10, $4, $11, $12)", given, 12,
                           run);
}

static una_status next_id(int64_t *id, una_ledger *l, una_run *run)
{
    const una_cell cells[] = { una_words(l->study) };
    una_cell last;
    UNA_TRY(una_database_ask(&last, l->db, "SELECT max(id) FROM study_trial WHERE study = $1", cells, 1, &run->scratch,
                             run));
    *id = last.type == UNA_CELL_NULL ? 1 : last.whole + 1;
    return UNA_OK;
}

#define END_TURN "UPDATE study_turn SET host = '', process = 0, start = '', handle = '', since = 0, token = '' " \
                 "WHERE study = $1 AND token = $2"

/* What was chosen, if the turn is still ours, and the turn back. */
static una_status write_chosen(una_database *db, void *context, una_run *run)
{
    asking *a = context;
    una_ledger *l = a->ledger;
    const una_cell cells[] = { una_words(l->study), una_words(l->token) };
    size_t there = 0, ended = 0;
    int64_t id = 0;
    UNA_TRY(count_given(&there, l, run));
    a->lost = false;
    if (there > a->given) return UNA_OK;         /* written before the server was lost */

    UNA_TRY(una_database_do(&ended, db, END_TURN, cells, 2, run));
    a->lost = ended == 0;
    if (a->lost) return UNA_OK;
    UNA_TRY(next_id(&id, l, run));
    for (size_t i = 0; i < a->chosen; i++) UNA_TRY(insert_trial(a, &a->found[i], id + (int64_t)i, run));
    return UNA_OK;
}

static una_status end_turn(una_database *db, void *context, una_run *run)
{
    const una_ledger *l = context;
    const una_cell cells[] = { una_words(l->study), una_words(l->token) };
    return una_database_do(NULL, db, END_TURN, cells, 2, run);
}

#define LET_GO "UPDATE study_trial SET host = '', process = 0, start = '', handle = '', since = 0, lease_until = 0 "

static una_status end_ask(una_database *db, void *context, una_run *run)
{
    const una_ledger *l = context;
    const una_cell cells[] = { una_words(l->study), una_words(l->token) };
    UNA_TRY(una_database_do(NULL, db, LET_GO "WHERE study = $1 AND token = $2 AND state = 'open'", cells, 2, run));
    return end_turn(db, context, run);
}

/* After a failure; what is said of that failure stays. Should this fail too, the turn ends without signs of life. */
static una_status give_up(una_ledger *l, una_status status, una_run *run)
{
    char message[sizeof run->message];
    memcpy(message, run->message, sizeof message);
    una_database_transact(l->db, end_ask, l, run);
    memcpy(run->message, message, sizeof message);
    return status;
}

/* ---- signs of life while the search works -------------------------------------------------------------------- */

typedef struct pulse {
    una_ledger     *ledger;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  bell;
    bool            started, ended;
} pulse;

static una_status send_pulse(una_database *db, void *context, una_run *run)
{
    const una_ledger *l = context;
    const una_cell cells[] = { una_words(l->study), una_whole((int64_t)now()), una_words(l->token),
        una_words(l->me.host), una_whole(l->me.process), una_words(l->me.start), una_words(l->me.handle) };
    UNA_TRY(una_database_do(NULL, db, "UPDATE study_turn SET since = $2 WHERE study = $1 AND token = $3", cells, 3,
                            run));
    const una_cell mine[] = { cells[0], cells[1], cells[3], cells[4], cells[5], cells[6] };
    return una_database_do(NULL, db, "UPDATE study_trial SET since = $2 WHERE study = $1 AND state = 'open' AND "
                           "lease_until = 0 AND host = $3 AND process = $4 AND start = $5 AND handle = $6", mine, 6,
                           run);
}

una_status una_ledger_pulse(una_ledger *l, una_run *run)
{
    return una_database_transact(l->db, send_pulse, l, run);
}

/* With a run of its own, made when the first sign is due: most searches have ended before. */
static void *beat(void *context)
{
    pulse *p = context;
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .cancel = p->ledger->run->settings.cancel };
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += UNA_LEDGER_PULSE;
        while (!p->ended && pthread_cond_timedwait(&p->bell, &p->lock, &until) != ETIMEDOUT) {}
        if (p->ended) break;
        pthread_mutex_unlock(&p->lock);
        if (run || una_run_new(&run, &settings) == UNA_OK) una_ledger_pulse(p->ledger, run);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    una_run_free(run);
    return NULL;
}

static void begin_pulse(pulse *p, una_ledger *l)
{
    *p = (pulse){ .ledger = l };
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->bell, NULL);
    p->started = pthread_create(&p->thread, NULL, beat, p) == 0;
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

static una_status choose_points(asking *a, una_chooser *choose, void *context, una_arena *arena, una_run *run)
{
    una_ledger_trials all;
    size_t want = a->want - a->given;
    UNA_TRY(una_ledger_read(&all, a->ledger, arena, run));
    a->found = UNA_GET(arena, una_ledger_trial, want);
    UNA_TRY(una_arena_check(arena));
    a->chosen = 0;
    una_status status = choose(context, &all, a->found, want, &a->chosen, arena, run);
    /* Where there are no more points, those that there are will do. */
    return status == UNA_E_INPUT && a->chosen + a->given > 0 ? UNA_OK : status;
}

static una_status wait_a_little(unsigned round, una_run *run)
{
    long ms = FIRST_WAIT_MS << (round < 6 ? round : 6);
    struct timespec pause = { .tv_nsec = (ms < MOST_WAIT_MS ? ms : MOST_WAIT_MS) * 1000000L };
    if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted while waiting for another who asks");
    nanosleep(&pause, NULL);
    return UNA_OK;
}

/* Until the trials are there or the turn is ours. The first look and those at a free turn are transactions, the others
 * only read, so that many who wait are in nobody's way. */
static una_status wait_for_turn(asking *a, una_run *run)
{
    UNA_TRY(una_database_transact(a->ledger->db, offer, a, run));
    for (unsigned round = 0; a->given < a->want && !a->turn; round++) {
        bool is_free = false;
        UNA_TRY(wait_a_little(round, run));
        UNA_TRY(turn_is_free(&is_free, a->ledger, run));
        if (is_free) UNA_TRY(una_database_transact(a->ledger->db, offer, a, run));
    }
    return UNA_OK;
}

static una_status ask_once(asking *a, una_chooser *choose, void *context, una_arena *arena, una_run *run)
{
    pulse p;
    UNA_TRY(wait_for_turn(a, run));
    if (a->given >= a->want) return UNA_OK;

    begin_pulse(&p, a->ledger);
    una_status status = choose_points(a, choose, context, arena, run);
    end_pulse(&p);
    if (status == UNA_OK) status = una_database_transact(a->ledger->db, write_chosen, a, run);
    return status;
}

una_status una_ledger_ask(una_ledger_trials *given, una_ledger *l, size_t count, bool by_process, una_chooser *choose,
                          void *context, una_arena *arena, una_run *run)
{
    asking a = { .ledger = l, .want = count, .by_process = by_process };
    una_status status;
    *given = (una_ledger_trials){0};
    next_token(l);
    if (by_process) l->holds = true;

    do {                                         /* again where the turn was lost: who had it next knows better */
        a.lost = false;
        status = ask_once(&a, choose, context, arena, run);
    } while (status == UNA_OK && a.lost);
    if (status != UNA_OK) return give_up(l, status, run);
    return read_given(given, l, arena, run);
}

/* ---- telling ------------------------------------------------------------------------------------------------- */

typedef struct telling {
    una_ledger     *ledger;
    uint64_t        id;
    una_trial_state state;
    double          value;
    const char     *note;
    bool            only_ours;
} telling;

static una_status no_such_trial(una_ledger *l, uint64_t id, una_run *run)
{
    int64_t next = 1;
    UNA_TRY(next_id(&next, l, run));
    if (next == 1) UNA_FAIL(run, UNA_E_INPUT, "there is no trial %" PRIu64 " in %s, and no other yet; ask for one", id,
                            l->name);
    UNA_FAIL(run, UNA_E_INPUT, "there is no trial %" PRIu64 " in %s; they have numbers from 1 to %" PRId64, id, l->name,
             next - 1);
}

typedef struct present { una_trial_state state; double value; bool there; } present;

static una_status take_present(void *context, const una_cell *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(present *)context = (present){ state_of(cells[0].text), number_in(&cells[1]), true };
    return UNA_OK;
}

static una_status find_trial(present *p, una_ledger *l, uint64_t id, una_run *run)
{
    const una_cell cells[] = { una_words(l->study), una_whole((int64_t)id) };
    *p = (present){0};
    if (id > 0 && id <= INT64_MAX)
        UNA_TRY(una_database_each(l->db, "SELECT state, value FROM study_trial WHERE study = $1 AND id = $2", cells, 2,
                                  take_present, p, run));
    return p->there ? UNA_OK : no_such_trial(l, id, run);
}

static una_status told_before(uint64_t id, const present *p, una_run *run)
{
    char number[32];
    if (p->state == UNA_TRIAL_FAILED) UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " was told to have failed before", id);
    UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " was told before (%s)", id, una_number_text(number, p->value));
}

static una_status write_told(una_database *db, void *context, una_run *run)
{
    const telling *t = context;
    present p;
    UNA_TRY(find_trial(&p, t->ledger, t->id, run));
    if (p.state != UNA_TRIAL_OPEN) {
        bool same = p.state == t->state && (p.state == UNA_TRIAL_FAILED || p.value == t->value);
        return same ? UNA_OK : told_before(t->id, &p, run);
    }

    const una_cell cells[] = { una_words(t->ledger->study), una_whole((int64_t)t->id),
        una_words(state_word(t->state)), una_real(t->value), una_words(t->note), una_whole((int64_t)now()) };
    return una_database_do(NULL, db, "UPDATE study_trial SET state = $3, value = $4, note = $5, told = $6, host = '', "
                           "process = 0, start = '', handle = '', since = 0, lease_until = 0 "
                           "WHERE study = $1 AND id = $2", cells, 6, run);
}

una_status una_ledger_tell(una_ledger *l, uint64_t id, una_trial_state state, double value, const char *note,
                           una_run *run)
{
    telling t = { l, id, state, state == UNA_TRIAL_TOLD ? value : NAN, note, false };
    return una_database_transact(l->db, write_told, &t, run);
}

#define IS_MINE "host = $3 AND process = $4 AND start = $5 AND handle = $6"

static una_status write_dropped(una_database *db, void *context, una_run *run)
{
    const telling *t = context;
    const una_ledger *l = t->ledger;
    present p;
    UNA_TRY(find_trial(&p, t->ledger, t->id, run));
    if (p.state != UNA_TRIAL_OPEN) return t->only_ours ? UNA_OK : told_before(t->id, &p, run);

    const una_cell cells[] = { una_words(l->study), una_whole((int64_t)t->id), una_words(l->me.host),
        una_whole(l->me.process), una_words(l->me.start), una_words(l->me.handle) };
    if (t->only_ours) return una_database_do(NULL, db, LET_GO "WHERE study = $1 AND id = $2 AND " IS_MINE, cells, 6, run);
    return una_database_do(NULL, db, LET_GO "WHERE study = $1 AND id = $2", cells, 2, run);
}

una_status una_ledger_drop(una_ledger *l, uint64_t id, bool only_ours, una_run *run)
{
    telling t = { .ledger = l, .id = id, .only_ours = only_ours };
    return una_database_transact(l->db, write_dropped, &t, run);
}

typedef struct renewing { una_ledger *ledger; const uint64_t *id; size_t count; } renewing;

static una_status write_renewed(una_database *db, void *context, una_run *run)
{
    const renewing *r = context;
    const una_ledger *l = r->ledger;
    for (size_t i = 0; i < r->count; i++) {
        size_t changed = 0;
        double time = now();
        const una_cell cells[] = { una_words(l->study), una_whole((int64_t)r->id[i]), una_words(l->me.host),
            una_whole(l->me.process), una_words(l->me.start), una_words(l->me.handle), una_whole((int64_t)time),
            una_real(time + l->facts.lease) };
        UNA_TRY(una_database_do(&changed, db, "UPDATE study_trial SET since = $7, lease_until = CASE WHEN "
                                "lease_until > 0 THEN $8 ELSE lease_until END WHERE study = $1 AND id = $2 AND "
                                "state = 'open' AND " IS_MINE, cells, 8, run));
        if (changed == 0)
            UNA_FAIL(run, UNA_E_INPUT, "trial %" PRIu64 " of %s is not in our hands: it was told, given back or given "
                     "to somebody else", r->id[i], l->name);
    }
    return UNA_OK;
}

una_status una_ledger_renew(una_ledger *l, const uint64_t *id, size_t count, una_run *run)
{
    renewing r = { l, id, count };
    return una_database_transact(l->db, write_renewed, &r, run);
}

static una_status let_all_go(una_database *db, void *context, una_run *run)
{
    const una_ledger *l = context;
    const una_cell cells[] = { una_words(l->study), una_words("open"), una_words(l->me.host),
        una_whole(l->me.process), una_words(l->me.start), una_words(l->me.handle) };
    return una_database_do(NULL, db, LET_GO "WHERE study = $1 AND state = $2 AND lease_until = 0 AND " IS_MINE, cells,
                           6, run);
}

void una_ledger_close(una_ledger *l)
{
    if (!l) return;
    if (l->holds && l->db && l->facts.space) una_database_transact(l->db, let_all_go, l, l->run);
    una_database_close(l->db);
    una_arena_free(&l->keep);
    una_release(l->run, l);
}

/* ---- trials made elsewhere ----------------------------------------------------------------------------------- */

typedef struct adding {
    una_ledger              *ledger;
    const una_ledger_trials *more;
    bool                     passed;
    bool                    *there;      /* [more->count]                                                   */
    size_t                   added;
} adding;

static int by_content(const void *a, const void *b)
{
    const una_ledger_trial *x = *(const una_ledger_trial *const *)a, *y = *(const una_ledger_trial *const *)b;
    int order = strcmp(x->x, y->x);
    if (order != 0) return order;
    if (x->state != y->state) return x->state < y->state ? -1 : 1;
    if (x->state != UNA_TRIAL_TOLD || x->value == y->value) return 0;
    return x->value < y->value ? -1 : 1;
}

static const una_ledger_trial **sorted(const una_ledger_trials *list, una_run *run)
{
    const una_ledger_trial **order = UNA_GET(&run->scratch, const una_ledger_trial *, list->count);
    if (!order) return NULL;
    for (size_t i = 0; i < list->count; i++) order[i] = &list->at[i];
    qsort(order, list->count, sizeof *order, by_content);
    return order;
}

/* Both in order, one for one: three equal rows where two are there already are one more. */
static una_status mark_present(adding *a, una_run *run)
{
    una_ledger_trials all;
    UNA_TRY(una_ledger_read(&all, a->ledger, &run->scratch, run));
    const una_ledger_trial **here = sorted(a->more, run), **there = sorted(&all, run);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0, k = 0; i < a->more->count && k < all.count;) {
        int order = by_content(&here[i], &there[k]);
        if (order == 0) a->there[here[i] - a->more->at] = true;
        i += order <= 0;
        k += order >= 0;
    }
    return UNA_OK;
}

static una_status insert_added(una_ledger *l, const una_ledger_trial *trial, int64_t id, una_run *run)
{
    const una_cell given[] = { una_words(l->study), una_whole(id), una_words(state_word(trial->state)),
        una_words(trial->x), una_real(trial->state == UNA_TRIAL_TOLD ? trial->value : NAN), una_words(trial->note),
        una_whole((int64_t)now()), una_words(l->token) };
    return una_database_do(NULL, l->db, "INSERT INTO study_trial (study, id, state, x, value, attempts, note, asked, "
                           "told, expected, doubt, host, process, start, handle, since, lease_until, token) VALUES "
                           "($1, $2, $3, $4, $5, 0, $6, 0, $7, NULL, NULL, '', 0, '', '', 0, 0, $8)", given, 8, run);
}

static una_status write_added(una_database *db, void *context, una_run *run)
{
    adding *a = context;
    int64_t id = 0;
    (void)db;
    UNA_TRY(count_given(&a->added, a->ledger, run));
    if (a->added > 0) return UNA_OK;             /* written before the server was lost */

    memset(a->there, 0, a->more->count * sizeof *a->there);
    if (a->passed) UNA_TRY(mark_present(a, run));
    UNA_TRY(next_id(&id, a->ledger, run));
    for (size_t i = 0; i < a->more->count; i++) {
        if (a->there[i]) continue;
        UNA_TRY(insert_added(a->ledger, &a->more->at[i], id + (int64_t)a->added, run));
        a->added++;
    }
    return UNA_OK;
}

una_status una_ledger_add(size_t *added, una_ledger *l, const una_ledger_trials *more, bool passed, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    adding a = { .ledger = l, .more = more, .passed = passed, .there = UNA_GET(&run->scratch, bool, more->count) };
    una_status status = una_arena_check(&run->scratch);
    next_token(l);
    if (status == UNA_OK) status = una_database_transact(l->db, write_added, &a, run);
    una_arena_release(&run->scratch, mark);
    if (added) *added = status == UNA_OK ? a.added : 0;
    return status;
}
