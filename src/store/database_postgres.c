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
#include <time.h>

enum {
    ANSWER_MS = 600000, CANCELLED_MS = 1000,     /* one statement, with its wait for the turn                    */
    DIAL_MS = 10000,                             /* one attempt to reach it                                      */
    OPEN_MS = 30000,                             /* a server that is about to be there                           */
    AGAIN_MS = 120000, LOOK_MS = 50
};
enum { INT2 = 21, INT4 = 23, INT8 = 20, FLOAT4 = 700, FLOAT8 = 701, NUMERIC = 1700, BOOL = 16, TEXT = 25 };  /* Oids */

typedef struct server {
    una_run    *run;                     /* allocator                                                            */
    una_libpq   pq;                      /* its calls                                                            */
    PGconn     *link;                    /* NULL: there is none                                                  */
    bool        lost, given_up;          /* the last call; the last attempt to find it again                     */
    const char *name, *address;          /* to be shown; to be used; behind the struct                           */
} server;

static int64_t postgres_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

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

    if (s->lost) UNA_FAIL(run, UNA_E_IO, "the connection with %s was lost: %s", s->name, why);
    if (is_state_of(state, full))
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: its disk is full; nothing of this change was made", s->name);
    if (is_state_of(state, damaged)) UNA_FAIL(run, UNA_E_INPUT, "%s is damaged: %s", s->name, why);
    if (is_state_of(state, forbidden))
        UNA_FAIL(run, UNA_E_IO, "%s does not allow this user to write: %s", s->name, why);
    if (is_state_of(state, taken))
        UNA_FAIL(run, UNA_E_INPUT, "%s has tables of another program under the names that una needs (%s); give una a "
                 "database or a schema of its own", s->name, why);
    UNA_FAIL(run, UNA_E_IO, "cannot work with %s: %s", s->name, why);
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

static void hang_up(server *s)
{
    if (s->link) s->pq.PQfinish(s->link);
    s->link = NULL;
}

/* false: the connection is lost, or the run was cancelled, which shows in *status. Who is cancelled leaves the server
 * to find out: its answer may never come. */
static bool wait_for_answer(server *s, una_status *status, una_run *run)
{
    int64_t most = ANSWER_MS, begun = postgres_milliseconds();
    while (s->pq.PQisBusy(s->link)) {
        struct pollfd postgres_check = { .fd = s->pq.PQsocket(s->link), .events = POLLIN };
        if (poll(&postgres_check, 1, LOOK_MS) != 0 && !s->pq.PQconsumeInput(s->link)) return false;
        if (una_cancelled(run) && most == ANSWER_MS) most = postgres_milliseconds() - begun + CANCELLED_MS;
        if (postgres_milliseconds() - begun < most) continue;

        hang_up(s);
        *status = una_cancelled(run)
            ? una_fail(run, UNA_CANCELLED, "interrupted while waiting for %s, where others write", s->name)
            : una_fail(run, UNA_E_IO, "%s has not answered for %d minutes; see what keeps it (pg_stat_activity), or "
                       "try again later", s->name, ANSWER_MS / 60000);
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

static una_status table_exists(server *s, una_run *run)
{
    s->lost = !s->link;
    if (s->lost) UNA_FAIL(run, UNA_E_IO, "there is no connection with %s", s->name);
    return UNA_OK;
}

static una_status postgres_execute(server *s, const char *sql, una_run *run)
{
    PGresult *result;
    UNA_TRY(table_exists(s, run));
    UNA_TRY(postgres_receive(&result, s, s->pq.PQsendQuery(s->link, sql), run));
    s->pq.PQclear(result);
    return UNA_OK;
}

typedef struct parameters {
    const char *text[UNA_MOST_SQL_VALUES];
    Oid         type[UNA_MOST_SQL_VALUES];
    char        digits[UNA_MOST_SQL_VALUES][32];
} parameters;

static void bind_parameters(parameters *p, const una_sql_value *given, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        static const Oid types[] = { [UNA_SQL_NULL] = 0, [UNA_SQL_INTEGER] = INT8, [UNA_SQL_REAL] = FLOAT8,
                                     [UNA_SQL_TEXT] = TEXT };
        p->type[i] = types[given[i].type];
        p->text[i] = NULL;
        if (given[i].type == UNA_SQL_TEXT) p->text[i] = given[i].text;
        if (given[i].type == UNA_SQL_REAL) p->text[i] = una_number_text(p->digits[i], given[i].real);
        if (given[i].type != UNA_SQL_INTEGER) continue;
        snprintf(p->digits[i], sizeof p->digits[i], "%lld", (long long)given[i].whole);
        p->text[i] = p->digits[i];
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
    if (columns > UNA_MOST_SQL_VALUES) UNA_FAIL(run, UNA_E_USAGE, "more than %d columns: %.100s", UNA_MOST_SQL_VALUES,
                                                sql);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < columns; i++) cells[i] = cell_at(s, result, row, i);
        UNA_TRY(task(context, cells, (size_t)columns, run));
    }
    return UNA_OK;
}

/* All rows are here before the first is passed on, so that no task sees a row twice. */
static una_status server_each(void *link, size_t *changed, const char *sql, const una_sql_value *given, size_t count,
                              una_sql_row_task *task, void *context, una_run *run)
{
    server *s = link;
    parameters p;
    PGresult *result;
    if (changed) *changed = 0;
    UNA_TRY(table_exists(s, run));
    bind_parameters(&p, given, count);
    bool sent = s->pq.PQsendQueryParams(s->link, sql, (int)count, p.type, p.text, NULL, NULL, 0);
    UNA_TRY(postgres_receive(&result, s, sent, run));

    una_status status = task ? give_rows(s, result, sql, task, context, run) : UNA_OK;
    if (changed && status == UNA_OK) *changed = (size_t)strtoull(s->pq.PQcmdTuples(result), NULL, 10);
    s->pq.PQclear(result);
    return status;
}

/* ---- schemas ------------------------------------------------------------------------------------------------- */

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_word(char c)
{
    return is_name_letter(c) || (c >= '0' && c <= '9');
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_in_word(at[length])) length++;
    return length;
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
static void postgres_schema(una_text *to, const char *sql)
{
    while (*sql) {
        size_t length = 1;
        if (strncmp(sql, "PRAGMA ", 7) == 0) {
            sql += strcspn(sql, ";");
            continue;
        }
        if (*sql == '\'' || *sql == '"') {
            const char *end = strchr(sql + 1, *sql);
            length = end ? (size_t)(end - sql) + 1 : strlen(sql);
        } else if (is_in_word(*sql)) {
            length = word_length(sql);
            add_word(to, sql, length, false);
            sql += length;
            continue;
        }
        una_text_bytes(to, sql, length);
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

static una_status server_script(void *link, const char *sql, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    postgres_schema(&text, sql);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = postgres_execute(link, text.at ? text.at : "", run);
    else ((server *)link)->lost = false;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- transactions -------------------------------------------------------------------------------------------- */

/* The number is "una" in letters; such locks are those of one database. Read committed: what the one before has written
 * is seen as soon as the lock is ours. */
static una_status server_begin(void *link, una_run *run)
{
    return postgres_execute(link,
                            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(7695969)",
                            run);
}

/* A commit after a failed statement is silently a rollback. */
static una_status server_commit(void *link, una_run *run)
{
    server *s = link;
    PGresult *result;
    UNA_TRY(table_exists(s, run));
    UNA_TRY(postgres_receive(&result, s, s->pq.PQsendQuery(s->link, "COMMIT"), run));
    bool done = strcmp(s->pq.PQcmdStatus(result), "COMMIT") == 0;
    s->pq.PQclear(result);
    if (!done) UNA_FAIL(run, UNA_E_IO, "nothing of this change was made in %s, because a part of it failed", s->name);
    return UNA_OK;
}

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

/* ---- connections --------------------------------------------------------------------------------------------- */

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
    const char *values[] = { "10", "5", "4", "30000", "una", s->address, "UTF8", NULL };
    PGconn *link = s->pq.PQconnectStartParams(words, values, 1);
    if (!link) return NULL;
    s->pq.PQsetNoticeProcessor(link, keep_quiet, NULL);

    bool refused = s->pq.PQstatus(link) == CONNECTION_BAD;
    PostgresPollingStatusType next = refused ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    int64_t begun = postgres_milliseconds();
    while (next != PGRES_POLLING_OK && next != PGRES_POLLING_FAILED) {
        if (postgres_milliseconds() - begun > (una_cancelled(run) ? CANCELLED_MS : DIAL_MS)) break;
        struct pollfd postgres_check = { .fd = s->pq.PQsocket(link),
                                         .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT };
        if (poll(&postgres_check, 1, LOOK_MS) > 0) next = s->pq.PQconnectPoll(link);
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
    if (!s->link) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory to work with %s", s->name);
    if (s->pq.PQstatus(s->link) == CONNECTION_OK) return postgres_execute(s, session, run);

    one_line(why, sizeof why, s->pq.PQerrorMessage(s->link));
    if (!*why) snprintf(why, sizeof why, "it does not answer");
    hang_up(s);
    UNA_FAIL(run, UNA_E_IO, "cannot reach the database %s: %s (check that the server runs there, lets this machine in, "
             "and knows the user and the password)", s->name, why);
}

/* A server that says no, but not for long: it starts, or recovers. */
static bool is_starting(const server *s)
{
    const char *const words[] = { "connect_timeout", "dbname", NULL }, *const values[] = { "5", s->address, NULL };
    return s->pq.PQpingParams(words, values, 1) == PQPING_REJECT;
}

static void postgres_pause(int64_t *pause, una_run *run)
{
    struct timespec step = { .tv_nsec = LOOK_MS * 1000000L };
    int64_t until = postgres_milliseconds() + *pause;
    while (postgres_milliseconds() < until && !una_cancelled(run)) nanosleep(&step, NULL);
    if (*pause < 2000) *pause *= 2;
}

static una_status connect_first(server *s, una_run *run)
{
    int64_t begun = postgres_milliseconds(), pause = 100;
    for (;;) {
        una_status status = connect_once(s, run);
        if (status != UNA_E_IO || postgres_milliseconds() - begun > OPEN_MS || una_cancelled(run)) return status;
        if (!is_starting(s)) return status;
        postgres_pause(&pause, run);
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
    int64_t most = postgres_milliseconds() + (s->given_up ? 0 : AGAIN_MS), pause = 100;
    if (is_connected(s) && s->pq.PQtransactionStatus(s->link) == PQTRANS_IDLE) return UNA_OK;
    una_log(run, UNA_LOG_WARNING, "lost the connection to %s; connecting again", s->name);

    for (;;) {
        una_status status = connect_once(s, run);
        s->given_up = status != UNA_OK && postgres_milliseconds() >= most;
        if (status != UNA_E_IO || s->given_up) return status;
        if (una_cancelled(run))
            UNA_FAIL(run, UNA_CANCELLED, "interrupted while the connection with %s was lost", s->name);
        postgres_pause(&pause, run);
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

static una_status new_server(server **out, const char *where, una_run *run)
{
    size_t length = strlen(where) + 1;
    server *s = una_allocate(run, sizeof *s + 2 * length);
    *out = s;
    if (!s) return UNA_E_MEMORY;
    *s = (server){ .run = run };

    char *text = (char *)(s + 1), *fragment;
    s->name = una_database_address(memcpy(text, where, length));
    s->address = memcpy(text + length, where, length);
    if ((fragment = strrchr(s->address, '#'))) *fragment = 0;
    return UNA_OK;
}

static una_status check_server_settings(const server *s, una_run *run)
{
    char *why = NULL;
    PQconninfoOption *parts = s->pq.PQconninfoParse(s->address, &why);
    bool good = parts != NULL;
    s->pq.PQconninfoFree(parts);
    s->pq.PQfreemem(why);                /* it quotes the address, password and all */
    if (good) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s is not the address of a database; such an address looks like "
             "postgresql://user@host:5432/database", s->name);
}

static void server_close(void *link)
{
    server *s = link;
    hang_up(s);
    una_release(s->run, s);
}

static una_status server_open(void **link, const char *where, una_database_mode mode, una_run *run)
{
    server *s;
    *link = NULL;
    if (mode == UNA_DATABASE_COPY)
        UNA_FAIL(run, UNA_E_USAGE, "only a file can be opened as a copy in memory, and a server was named");
    UNA_TRY(check_address(where, run));
    UNA_TRY(new_server(&s, where, run));
    una_status status = una_library_load(&s->pq, &una_libpq_library, run);
    if (status == UNA_OK) status = check_server_settings(s, run);
    if (status == UNA_OK) status = connect_first(s, run);
    if (status == UNA_OK) *link = s;
    else server_close(s);
    return status;
}

const una_driver una_driver_postgres = {
    .name = "PostgreSQL", .open = server_open, .close = server_close, .each = server_each, .script = server_script,
    .begin = server_begin, .commit = server_commit, .undo = server_undo, .lost = server_lost, .again = server_again,
    .tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND ($1 = '' OR tablename = $1)",
    .version = "SELECT 0",
    .sound = "SELECT 'ok'",
    .definition = "SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) "
                  "FROM pg_attribute WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped",
    .define = server_define,
    .now = "SELECT extract(epoch FROM clock_timestamp())::float8"
};

#endif
