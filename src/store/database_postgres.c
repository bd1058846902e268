/* SPDX-License-Identifier: MIT
 *
 * A server of PostgreSQL. One writer at a time, as with a file: every transaction first takes its own lock, which ends
 * with it. Servers are restarted and networks fail: a lost connection is made again for up to two minutes, and the
 * transaction begins again. A machine that dies in the middle of a transaction loses its lock within half a minute,
 * and a process that was stopped in the middle of one within five minutes, so that the others can go on.
 *
 * Numbers are sent as text: integers in full, reals with enough digits to read back the same. No message contains a
 * password: the address is shown without it, and an address that libpq would misread and quote is not passed to it.
 */
#include "store/database.h"

#ifdef UNA_HAS_postgres

#include "store/libpq.h"

#include <poll.h>

/* Seconds. */
static const double most_answer = 600, most_cancelled = 1;       /* one statement, with its wait for the turn        */
static const double most_dial = 10;      /* one attempt to reach it                                              */
static const double most_open = 30;      /* a server that is about to be there                                   */
static const double most_again = 120;

enum { LOOK_MS = 50, FIRST_PAUSE_MS = 100, MOST_PAUSE_MS = 2000 };
enum { INT2 = 21, INT4 = 23, INT8 = 20, FLOAT4 = 700, FLOAT8 = 701, NUMERIC = 1700, BOOL = 16, TEXT = 25 };  /* Oids */

typedef struct server {
    una_link    face;
    una_libpq   pq;                      /* its calls                                                            */
    PGconn     *link;                    /* NULL: there is none                                                  */
    bool        lost, given_up;          /* the last call; the last attempt to find it again                     */
} server;

/* ---- failures ------------------------------------------------------------------------------------------------ */

/* libpq's sentences have several lines. */
static void one_line(char *to, size_t room, const char *from)
{
    size_t length = 0;
    for (; *from && length + 1 < room; from++) {
        bool blank = strchr(" \n\r\t", *from) != NULL;
        if (blank && (length == 0 || to[length - 1] == ' ')) continue;
        to[length++] = blank ? ' ' : *from;
    }
    while (length > 0 && to[length - 1] == ' ') length--;
    to[length] = 0;
}

static bool is_state_of(const char *state, const char *const *list)
{
    for (; *list; list++)
        if (strncmp(state, *list, strlen(*list)) == 0) return true;
    return false;
}

/* The server or the connection has ended, or one of two conflicting transactions was aborted. */
static bool can_be_repeated(const server *s, const char *state)
{
    static const char *const states[] = { "08", "57P", "25P03", "40001", "40P01", NULL };
    return s->pq.PQstatus(s->link) != CONNECTION_OK || is_state_of(state, states);
}

/* result: a failed one, or anything where there is no answer. */
static una_status postgres_failed(server *s, const PGresult *result, una_run *run)
{
    static const char *const full[] = { "53100", NULL }, *const damaged[] = { "XX001", "XX002", NULL };
    static const char *const forbidden[] = { "42501", "25006", NULL }, *const taken[] = { "42P07", NULL };
    const char *state = s->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = s->pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    char why[400];
    one_line(why, sizeof why, primary ? primary : s->pq.PQerrorMessage(s->link));
    if (!state) state = "";
    s->lost = !*state || can_be_repeated(s, state);

    if (s->lost) UNA_FAIL(run, UNA_E_IO, "the connection with %s was lost: %s", s->face.name, why);
    if (is_state_of(state, full))
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: its disk is full; nothing of this change was made", s->face.name);
    if (is_state_of(state, damaged)) UNA_FAIL(run, UNA_E_INPUT, "%s is damaged: %s", s->face.name, why);
    if (is_state_of(state, forbidden))
        UNA_FAIL(run, UNA_E_IO, "%s does not allow this user to write: %s", s->face.name, why);
    if (is_state_of(state, taken))
        UNA_FAIL(run, UNA_E_INPUT, "%s has tables of another program under the names that una needs (%s); give una a "
                 "database or a schema of its own", s->face.name, why);
    UNA_FAIL(run, UNA_E_IO, "cannot work with %s: %s", s->face.name, why);
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

static void hang_up(void *link)
{
    server *s = link;
    if (s->link) s->pq.PQfinish(s->link);
    s->link = NULL;
}

/* false: the connection is lost, or the run was cancelled, which shows in *status. Who is cancelled leaves the server
 * to find out: its answer may never come. */
static bool wait_for_answer(server *s, una_status *status, una_run *run)
{
    double most = most_answer, begun = una_clock();
    bool known = false;
    while (s->pq.PQisBusy(s->link)) {
        struct pollfd look = { .fd = s->pq.PQsocket(s->link), .events = POLLIN };
        if (poll(&look, 1, LOOK_MS) != 0 && !s->pq.PQconsumeInput(s->link)) return false;
        if (una_cancelled(run) && !known) most = una_clock() - begun + most_cancelled;
        known = una_cancelled(run);
        if (una_clock() - begun < most) continue;

        hang_up(s);
        *status = known
            ? una_fail(run, UNA_CANCELLED, "interrupted while waiting for %s, where others write", s->face.name)
            : una_fail(run, UNA_E_IO, "%s has not answered for %.0f minutes; see what keeps it (pg_stat_activity), or "
                       "try again later", s->face.name, most_answer / 60);
        return false;
    }
    return true;
}

static bool is_good(const server *s, const PGresult *result)
{
    ExecStatusType code = s->pq.PQresultStatus(result);
    return code == PGRES_COMMAND_OK || code == PGRES_TUPLES_OK || code == PGRES_EMPTY_QUERY;
}

/* The last result of what was sent, or the first failed one. */
static una_status postgres_receive(PGresult **result, server *s, bool sent, una_run *run)
{
    una_status status = UNA_OK;
    bool whole = false;
    PGresult *kept = NULL;
    while (sent && !whole && wait_for_answer(s, &status, run)) {
        PGresult *next = s->pq.PQgetResult(s->link);
        bool bad = kept && !is_good(s, kept);
        whole = !next;
        if (!whole) s->pq.PQclear(bad ? next : kept);
        if (!whole && !bad) kept = next;
    }

    if (status == UNA_OK && (!whole || !is_good(s, kept))) status = postgres_failed(s, kept, run);
    if (!whole) hang_up(s);
    *result = status == UNA_OK ? kept : NULL;
    if (status != UNA_OK) s->pq.PQclear(kept);
    return status;
}

static una_status check_link(server *s, una_run *run)
{
    s->lost = !s->link;
    if (s->lost) UNA_FAIL(run, UNA_E_IO, "there is no connection with %s", s->face.name);
    return UNA_OK;
}

/* A commit after a failed statement is silently a rollback. */
static una_status server_execute(void *link, const char *sql, una_run *run)
{
    server *s = link;
    PGresult *result;
    UNA_TRY(check_link(s, run));
    UNA_TRY(postgres_receive(&result, s, s->pq.PQsendQuery(s->link, sql), run));
    bool undone = strcmp(s->pq.PQcmdStatus(result), "ROLLBACK") == 0;
    s->pq.PQclear(result);
    if (undone) UNA_FAIL(run, UNA_E_IO, "nothing of this change was made in %s, because a part of it failed",
                         s->face.name);
    return UNA_OK;
}

typedef struct parameters {
    const char *text[UNA_MOST_SQL_VALUES];
    Oid         type[UNA_MOST_SQL_VALUES];
    char        digits[UNA_MOST_SQL_VALUES][32];
} parameters;

static void bind_parameters(parameters *p, const una_sql *sql)
{
    static const Oid types[] = { [UNA_SQL_NULL] = 0, [UNA_SQL_INTEGER] = INT8, [UNA_SQL_REAL] = FLOAT8,
                                 [UNA_SQL_TEXT] = TEXT };
    for (size_t i = 0; i < sql->count; i++) {
        const una_sql_value *given = &sql->given[i];
        p->type[i] = types[given->type];
        p->text[i] = given->type == UNA_SQL_INTEGER ? p->digits[i] : given->text;
        snprintf(p->digits[i], sizeof p->digits[i], "%lld", (long long)given->whole);
        if (given->type == UNA_SQL_REAL) p->text[i] = una_number_text(p->digits[i], given->real);
    }
}

static una_sql_value real_cell(const char *text)
{
    double value = NAN;
    if (strcmp(text, "Infinity") == 0) value = HUGE_VAL;
    else if (strcmp(text, "-Infinity") == 0) value = -HUGE_VAL;
    else if (!una_parse_number(text, strlen(text), &value)) value = NAN;
    return una_sql_real(value);
}

static una_sql_value whole_cell(const char *text)
{
    long long whole = strtoll(text, NULL, 10);
    return (una_sql_value){ .type = UNA_SQL_INTEGER, .whole = whole, .real = (double)whole };
}

static una_sql_value cell_at(const server *s, const PGresult *result, int row, int column)
{
    const char *text = s->pq.PQgetvalue(result, row, column);
    if (s->pq.PQgetisnull(result, row, column)) return (una_sql_value){ .type = UNA_SQL_NULL };
    switch (s->pq.PQftype(result, column)) {
    case INT2: case INT4: case INT8: return whole_cell(text);
    case FLOAT4: case FLOAT8:        return real_cell(text);
    case NUMERIC:                    return strchr(text, '.') || strlen(text) > 18 ? real_cell(text) : whole_cell(text);
    case BOOL:                       return whole_cell(*text == 't' ? "1" : "0");
    default:                         return una_sql_text(text);
    }
}

static una_status give_rows(const server *s, const PGresult *result, const char *sql, una_sql_row_task *task,
                            void *context, una_run *run)
{
    una_sql_value cells[UNA_MOST_SQL_VALUES];
    int columns = s->pq.PQnfields(result), rows = s->pq.PQntuples(result);
    if (columns > UNA_MOST_SQL_VALUES)
        UNA_FAIL(run, UNA_E_USAGE, "more than %d columns: %.100s", UNA_MOST_SQL_VALUES, sql);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < columns; i++) cells[i] = cell_at(s, result, row, i);
        UNA_TRY(task(context, cells, (size_t)columns, run));
    }
    return UNA_OK;
}

/* All rows are here before the first is passed on, so that no task sees a row twice. */
static una_status server_each(void *link, size_t *changed, const una_sql *sql, una_sql_row_task *task, void *context,
                              una_run *run)
{
    server *s = link;
    parameters p;
    PGresult *result;
    if (changed) *changed = 0;
    UNA_TRY(check_link(s, run));
    bind_parameters(&p, sql);
    bool sent = s->pq.PQsendQueryParams(s->link, sql->text, (int)sql->count, p.type, p.text, NULL, NULL, 0);
    UNA_TRY(postgres_receive(&result, s, sent, run));

    una_status status = task ? give_rows(s, result, sql->text, task, context, run) : UNA_OK;
    if (changed && status == UNA_OK) *changed = (size_t)strtoull(s->pq.PQcmdTuples(result), NULL, 10);
    s->pq.PQclear(result);
    return status;
}

/* ---- schemas ------------------------------------------------------------------------------------------------- */

static size_t word_length(const char *at)
{
    return strspn(at, UNA_SQL_NAME_LETTERS);
}

/* Words of a schema, how PostgreSQL writes them, and how it names such a type itself. Texts are compared byte by byte,
 * as in SQLite, whatever the language of the server. */
static const struct { const char *word, *name_here, *named; } other_words[] = {
    { "INTEGER", "BIGINT", "bigint" }, { "REAL", "DOUBLE PRECISION", "double precision" },
    { "TEXT", "TEXT COLLATE \"C\"", "text" }, { "WITHOUT", "", "" }, { "ROWID", "", "" }
};

static void add_word(una_text *to, const char *word, size_t length, bool named)
{
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (strlen(other_words[i].word) == length && memcmp(other_words[i].word, word, length) == 0) {
            una_text_add(to, "%s", named ? other_words[i].named : other_words[i].name_here);
            return;
        }
    una_text_bytes(to, word, length);
}

/* A schema as PostgreSQL wants it: other names of types, and no settings of SQLite. Quoted texts stay as they are. */
static void server_translate(una_text *to, const char *sql)
{
    while (*sql) {
        const char *end = *sql == '\'' || *sql == '"' ? strchr(sql + 1, *sql) : NULL;
        size_t length = word_length(sql);
        if (length == 0) length = end ? (size_t)(end - sql) + 1 : 1;
        if (strncmp(sql, "PRAGMA ", 7) == 0) length = strcspn(sql, ";");
        else add_word(to, sql, length, false);
        sql += length;
    }
}

/* Behind the comma that ends this part of a list, or at the bracket that ends the list. */
static const char *next_part(const char *at)
{
    for (int depth = 0; *at && !(depth == 0 && (*at == ',' || *at == ')')); at++) depth += (*at == '(') - (*at == ')');
    return *at == ',' ? at + 1 : at;
}

/* The columns and their types as `definition` gives them, of CREATE TABLE name (column TYPE ..., UNIQUE (...)). Keys
 * and constraints are left out: without one that is needed, or with one more, the server fails with a sentence. */
static void server_define(una_text *to, const char *statement)
{
    for (const char *at = strchr(statement, '(') + 1; *at && *at != ')'; at = next_part(at)) {
        at += strspn(at, " ");
        size_t length = word_length(at);
        bool column = strncmp(at, "PRIMARY ", 8) != 0 && strncmp(at, "UNIQUE ", 7) != 0;
        const char *type = at + length + strspn(at + length, " ");
        if (!column) continue;
        una_text_add(to, "%s%.*s ", to->length > 0 ? ", " : "", (int)length, at);
        add_word(to, type, word_length(type), true);
    }
}

/* ---- connections --------------------------------------------------------------------------------------------- */

static bool is_connected(const server *s)
{
    return s->link && s->pq.PQstatus(s->link) == CONNECTION_OK;
}

static void server_undo(void *link)
{
    server *s = link;
    if (is_connected(s) && s->pq.PQtransactionStatus(s->link) != PQTRANS_IDLE)
        s->pq.PQclear(s->pq.PQexec(s->link, "ROLLBACK"));
}

static void keep_quiet(void *context, const char *notice)
{
    (void)context;
    (void)notice;
}

/* What comes before dbname can be changed by the address. Step by step: a server that goes down in this moment says so,
 * and libpq would print it before anybody could tell it to keep quiet. */
static PGconn *postgres_connect(const server *s, una_run *run)
{
    static const char *const words[] = { "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", NULL };
    const char *values[] = { "10", "5", "4", "30000", "una", s->face.where, "UTF8", NULL };
    PGconn *link = s->pq.PQconnectStartParams(words, values, 1);
    if (!link) return NULL;
    s->pq.PQsetNoticeProcessor(link, keep_quiet, NULL);

    bool refused = s->pq.PQstatus(link) == CONNECTION_BAD;
    PostgresPollingStatusType next = refused ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    double begun = una_clock();
    while (next != PGRES_POLLING_OK && next != PGRES_POLLING_FAILED) {
        if (una_clock() - begun > (una_cancelled(run) ? most_cancelled : most_dial)) break;
        struct pollfd look = { .fd = s->pq.PQsocket(link),
                               .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT };
        if (poll(&look, 1, LOOK_MS) > 0) next = s->pq.PQconnectPoll(link);
    }
    return link;
}

/* What the server knows of these; a transaction that was acknowledged is on its disk. */
static const char session[] =
    "SELECT set_config(name, wanted, false) FROM pg_settings JOIN (VALUES ('extra_float_digits', '3'), "
    "('idle_in_transaction_session_timeout', '5min'), ('client_connection_check_interval', '10s'), "
    "('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '4'), "
    "('tcp_user_timeout', '30s')) AS w (setting_name, wanted) ON name = setting_name;"
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

static una_status connect_once(server *s, una_run *run)
{
    char why[500];
    hang_up(s);
    s->link = postgres_connect(s, run);
    if (!s->link) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory to work with %s", s->face.name);
    if (s->pq.PQstatus(s->link) == CONNECTION_OK) return server_execute(s, session, run);

    one_line(why, sizeof why, s->pq.PQerrorMessage(s->link));
    if (!*why) snprintf(why, sizeof why, "it does not answer");
    hang_up(s);
    UNA_FAIL(run, UNA_E_IO, "cannot reach the database %s: %s (check that the server runs there, lets this machine in, "
             "and knows the user and the password)", s->face.name, why);
}

/* A server that says no, but not for long: it starts, or recovers. */
static bool is_starting(const server *s)
{
    const char *const words[] = { "connect_timeout", "dbname", NULL }, *const values[] = { "5", s->face.where, NULL };
    return s->pq.PQpingParams(words, values, 1) == PQPING_REJECT;
}

/* Twice as long each time. */
static void make_pause(int *ms, una_run *run)
{
    struct timespec step = { .tv_nsec = LOOK_MS * 1000000L };
    double until = una_clock() + 1e-3 * *ms;
    while (una_clock() < until && !una_cancelled(run)) nanosleep(&step, NULL);
    if (*ms < MOST_PAUSE_MS) *ms *= 2;
}

static una_status connect_first(server *s, una_run *run)
{
    double begun = una_clock();
    for (int pause = FIRST_PAUSE_MS;; make_pause(&pause, run)) {
        una_status status = connect_once(s, run);
        if (status != UNA_E_IO || una_clock() - begun > most_open || una_cancelled(run)) return status;
        if (!is_starting(s)) return status;
    }
}

static bool server_lost(void *link)
{
    return ((server *)link)->lost;
}

/* After a failed attempt the next call does not wait as long again. */
static una_status server_again(void *link, una_run *run)
{
    server *s = link;
    double most = una_clock() + (s->given_up ? 0 : most_again);
    if (is_connected(s) && s->pq.PQtransactionStatus(s->link) == PQTRANS_IDLE) return UNA_OK;
    una_log(run, UNA_LOG_WARNING, "lost the connection to %s; connecting again", s->face.name);

    for (int pause = FIRST_PAUSE_MS;; make_pause(&pause, run)) {
        una_status status = connect_once(s, run);
        s->given_up = status != UNA_OK && una_clock() >= most;
        if (status != UNA_E_IO || s->given_up) return status;
        if (una_cancelled(run))
            UNA_FAIL(run, UNA_CANCELLED, "interrupted while the connection with %s was lost", s->face.name);
    }
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

/* Where a password has signs in it that end it, libpq takes its rest for the name of a host, and says so. */
static una_status check_address(const char *where, una_run *run)
{
    const char *host = strstr(where, "://") + 3, *at = strrchr(where, '@');
    bool astray = at && (strchr(host, '@') != at || (size_t)(at - host) > strcspn(host, "/?#"));
    if (!astray) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the address of the server has an @ in the wrong place; in the user's name and password "
             "write @ as %%40, / as %%2F, ? as %%3F and # as %%23");
}

static una_status check_server_settings(const server *s, una_run *run)
{
    char *why = NULL;
    PQconninfoOption *parts = s->pq.PQconninfoParse(s->face.where, &why);
    bool good = parts != NULL;
    s->pq.PQconninfoFree(parts);
    s->pq.PQfreemem(why);                /* it quotes the address, password and all */
    if (good) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s is not the address of a database; such an address looks like "
             "postgresql://user@host:5432/database", s->face.name);
}

static una_status server_open(void *link, una_database_mode mode, una_run *run)
{
    server *s = link;
    if (mode == UNA_DATABASE_COPY)
        UNA_FAIL(run, UNA_E_USAGE, "only a file can be opened as a copy in memory, and a server was named");
    UNA_TRY(check_address(s->face.where, run));
    char *fragment = strrchr(s->face.where, '#');
    if (fragment) *fragment = 0;
    UNA_TRY(una_library_load(&s->pq, &una_libpq_library, run));
    UNA_TRY(check_server_settings(s, run));
    return connect_first(s, run);
}

/* The number of the lock is "una" in letters; such locks are those of one database. Read committed: what the one before
 * has written is seen as soon as the lock is ours. */
const una_driver una_driver_postgres = {
    .size = sizeof(server), .open = server_open, .close = hang_up, .each = server_each, .execute = server_execute,
    .undo = server_undo, .lost = server_lost, .again = server_again, .translate = server_translate,
    .begin = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(7695969)",
    .commit = "COMMIT",
    .tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND ($1 = '' OR tablename = $1)",
    .version = "SELECT 0",
    .sound = "SELECT 'ok'",
    .definition = "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) "
                  "FROM pg_attribute WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped",
    .define = server_define,
    .now = "SELECT extract(epoch FROM clock_timestamp())::float8"
};

#endif
