/* SPDX-License-Identifier: MIT
 *
 * What all databases share: turns, transactions that begin again where the connection was lost, and the kind and
 * format that a database declares. The table una_kind has a line for every kind of thing in it.
 */
#include "store/database.h"

#include <ctype.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MOST_REPEATS = 10 };              /* attempts, where the server goes down each time                       */

struct una_database {
    una_run           *run;              /* allocator                                                            */
    const una_driver  *driver;
    void              *link;
    una_database_mode  mode;
    pthread_mutex_t    lock;             /* recursive: the body of a transaction makes calls too                 */
    bool               inside;           /* a transaction                                                        */
    pid_t              process;          /* that opened it                                                       */
    char              *name;             /* behind the struct                                                    */
};

static bool text_begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool una_database_is_server(const char *where)
{
    return where && (text_begins_with(where, "postgresql://") || text_begins_with(where, "postgres://"));
}

const char *una_database_name(const una_database *db)
{
    return db->name;
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static void cut_out(char *from, const char *to)
{
    memmove(from, to, strlen(to) + 1);
}

/* postgresql://user:PASSWORD@host/db?password=PASSWORD#name */
const char *una_database_address(char *address)
{
    char *user = strstr(address, "://") + 3, *at = strrchr(address, '@'), *colon = strchr(user, ':');
    if (at && colon && colon < at) cut_out(colon, at);
    char *fragment = strrchr(address, '#');
    if (fragment) *fragment = 0;

    for (char *word = strchr(address, '?'); word && *word;) {
        char *next = strchr(word + 1, '&'), *end = next ? next : word + strlen(word);
        if (!text_begins_with(word + 1, "password=") && !text_begins_with(word + 1, "sslpassword=")) word = end;
        else if (next) cut_out(word + 1, next + 1);
        else *word = 0;
    }
    return address;
}

#ifdef UNA_HAS_postgres
static const una_driver *const driver_of_servers = &una_driver_postgres;
#else
static const una_driver *const driver_of_servers = NULL;
#endif

static una_status new_database(una_database **out, const char *where, una_database_mode mode, una_run *run)
{
    const char *name = where ? where : "a database in memory";
    size_t length = strlen(name) + 1;
    una_database *db = una_allocate(run, sizeof *db + length);
    pthread_mutexattr_t recursive;
    *out = db;
    if (!db) return UNA_E_MEMORY;
    bool server = una_database_is_server(where);
    *db = (una_database){ .run = run, .driver = server ? driver_of_servers : &una_driver_sqlite, .mode = mode,
                          .process = getpid() };
    db->name = memcpy(db + 1, name, length);
    if (server) una_database_address(db->name);

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&db->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    return UNA_OK;
}

una_status una_database_open(una_database **out, const char *where, una_database_mode mode, una_run *run)
{
    una_database *db;
    *out = NULL;
    UNA_TRY(new_database(&db, where, mode, run));
    una_status status = db->driver ? db->driver->open(&db->link, where, mode, run)
        : una_fail(run, UNA_E_USAGE, "%s is on a server of PostgreSQL, and una was built without these: build it with "
                   "-DUNA_POSTGRES=ON, or name a file", db->name);
    if (status == UNA_OK) *out = db;
    else una_database_close(db);
    return status;
}

void una_database_close(una_database *db)
{
    if (!db) return;
    if (db->link && db->process == getpid()) db->driver->close(db->link);        /* else it is the parent's */
    pthread_mutex_destroy(&db->lock);
    una_release(db->run, db);
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

/* Before the lock, which another thread may have held when this process was forked. */
static una_status check_process(const una_database *db, una_run *run)
{
    if (db->process == getpid()) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s was opened by process %ld, and this is process %ld: after a fork each process has "
             "to open it for itself", db->name, (long)db->process, (long)getpid());
}

/* After a failure: true if the connection was lost and is made again. Otherwise *status has the failure. */
static bool is_back(una_database *db, una_status *status, int *repeats, una_run *run)
{
    if (*status == UNA_OK || db->inside || !db->driver->lost(db->link) || ++*repeats > MOST_REPEATS) return false;
    *status = db->driver->again(db->link, run);
    return *status == UNA_OK;
}

static una_status perform_statement(size_t *changed, una_database *db, const char *sql, const una_sql_value *given,
                                    size_t count, una_sql_row_task *task, void *context, una_run *run)
{
    una_status status;
    int repeats = 0;
    if (count > UNA_MOST_SQL_VALUES)
        UNA_FAIL(run, UNA_E_USAGE, "more than %d values: %.100s", UNA_MOST_SQL_VALUES, sql);
    UNA_TRY(check_process(db, run));
    pthread_mutex_lock(&db->lock);
    do status = db->driver->each(db->link, changed, sql, given, count, task, context, run);
    while (is_back(db, &status, &repeats, run));
    pthread_mutex_unlock(&db->lock);
    return status;
}

una_status una_database_do(size_t *changed, una_database *db, const char *sql, const una_sql_value *given, size_t count,
                           una_run *run)
{
    return perform_statement(changed, db, sql, given, count, NULL, NULL, run);
}

una_status una_database_write(una_database *db, size_t rows, const char *sql, const una_sql_value *given, size_t count,
                              una_run *run)
{
    size_t changed = 0;
    UNA_TRY(una_database_do(&changed, db, sql, given, count, run));
    if (changed == rows) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "%s did not take what una wrote: %zu rows were changed instead of %zu, and nothing was "
             "kept; a trigger, rule, policy or constraint that una has not made stands between (%.40s ...), and must "
             "be removed", db->name, changed, rows, sql);
}

una_status una_database_each(una_database *db, const char *sql, const una_sql_value *given, size_t count,
                             una_sql_row_task *task, void *context, una_run *run)
{
    return perform_statement(NULL, db, sql, given, count, task, context, run);
}

una_status una_database_script(una_database *db, const char *sql, una_run *run)
{
    una_status status;
    int repeats = 0;
    UNA_TRY(check_process(db, run));
    pthread_mutex_lock(&db->lock);
    do status = db->driver->script(db->link, sql, run);
    while (is_back(db, &status, &repeats, run));
    pthread_mutex_unlock(&db->lock);
    return status;
}

typedef struct asking { una_sql_value *cell; una_arena *arena; bool found; } asking;

static una_status take_cell(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    asking *a = context;
    (void)run;
    if (a->found || count == 0) return UNA_OK;
    a->found = true;
    *a->cell = cells[0];
    if (a->cell->type == UNA_SQL_TEXT) a->cell->text = una_arena_text(a->arena, cells[0].text);
    return una_arena_check(a->arena);
}

una_status una_database_ask(una_sql_value *cell, una_database *db, const char *sql, const una_sql_value *given,
                            size_t count, una_arena *arena, una_run *run)
{
    asking a = { .cell = cell, .arena = arena };
    *cell = (una_sql_value){ .type = UNA_SQL_NULL };
    una_status status = una_database_each(db, sql, given, count, take_cell, &a, run);
    if (status != UNA_OK) *cell = (una_sql_value){ .type = UNA_SQL_NULL };
    return status;
}

static una_status note_number(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(una_sql_value *)context = cells[0];
    return UNA_OK;
}

/* The same for a number, without memory of the run, also after it has ended. */
static una_status ask_number(una_sql_value *number, una_database *db, const char *sql, const una_sql_value *given,
                             size_t count, una_run *run)
{
    *number = (una_sql_value){ .type = UNA_SQL_NULL };
    UNA_TRY(una_database_each(db, sql, given, count, note_number, number, run));
    number->text = NULL;                                     /* of a text, which ended with the call */
    return UNA_OK;
}

/* ---- cells --------------------------------------------------------------------------------------------------- */

static bool value_has_type(const una_sql_value *cell, char type)
{
    switch (cell->type) {
    case UNA_SQL_NULL:  return type == 'T' || type == 'W' || type == 'N';
    case UNA_SQL_INTEGER: return type == 'w' || type == 'W' || type == 'n' || type == 'N';
    case UNA_SQL_REAL:  return type == 'n' || type == 'N';
    case UNA_SQL_TEXT:  return type == 't' || type == 'T';
    default:             return false;
    }
}

/* The name in `columns` behind so many commas, without the table before it. */
static void column_name(char name[64], const char *columns, size_t at)
{
    for (; at > 0; at--) columns = strchr(columns, ',') + 1;
    columns += strspn(columns, " ");
    size_t table = strcspn(columns, ".,");
    if (columns[table] == '.') columns += table + 1;
    snprintf(name, 64, "%.*s", (int)strcspn(columns, ", "), columns);
}

static una_status refuse_cell(const una_database *db, const una_sql_row_form *form, const una_sql_value *cells,
                              size_t at, int64_t id, una_run *run)
{
    static const char *const found[] = { "nothing", "a whole number", "a number", "a text", "bytes" };
    char type = (char)tolower((unsigned char)form->types[at]), name[64], row[96];
    const char *wanted = type == 't' ? "a text" : "a number";
    if (type == 'w') wanted = "a whole number";
    column_name(name, form->columns, at);
    snprintf(row, sizeof row, id > 0 ? "%s %lld" : "%s", form->row, (long long)id);
    UNA_FAIL(run, UNA_E_INPUT, "%s is damaged: the column '%s' of %s holds %s, and %s belongs there; take a copy that "
             "is as una wrote it", db->name, name, row, found[cells[at].type], wanted);
}

una_status una_database_check(const una_database *db, const una_sql_row_form *form, const una_sql_value *cells,
                              int64_t id, una_run *run)
{
    for (size_t i = 0; form->types[i]; i++)
        if (!value_has_type(&cells[i], form->types[i])) return refuse_cell(db, form, cells, i, id, run);
    return UNA_OK;
}

/* ---- time ---------------------------------------------------------------------------------------------------- */

una_status una_database_now(double *seconds, una_database *db, una_run *run)
{
    una_sql_value cell;
    struct timespec time;
    if (db->driver->now) {
        UNA_TRY(ask_number(&cell, db, db->driver->now, NULL, 0, run));
        *seconds = cell.real;
        return UNA_OK;
    }
    clock_gettime(CLOCK_REALTIME, &time);
    *seconds = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    return UNA_OK;
}

/* ---- transactions -------------------------------------------------------------------------------------------- */

static una_status attempt_transaction(una_database *db, una_transaction *body, void *context, una_run *run)
{
    UNA_TRY(db->driver->begin(db->link, run));
    db->inside = true;
    una_status status = body(db, context, run);
    if (status == UNA_OK) status = db->driver->commit(db->link, run);
    db->inside = false;
    if (status != UNA_OK) db->driver->undo(db->link);
    return status;
}

una_status una_database_transact(una_database *db, una_transaction *body, void *context, una_run *run)
{
    una_status status;
    int repeats = 0;
    UNA_TRY(check_process(db, run));
    pthread_mutex_lock(&db->lock);
    if (db->inside) {                                        /* part of the one that is under way */
        status = body(db, context, run);
    } else {
        do status = attempt_transaction(db, body, context, run);
        while (is_back(db, &status, &repeats, run));
    }
    pthread_mutex_unlock(&db->lock);
    return status;
}

/* ---- changes of all rows that are found -------------------------------------------------------------------------- */

enum { LONGEST_CHANGE = 1024 };

typedef struct changing { const una_sql_change *change; const una_sql_value *given; size_t count, changed; } changing;

/* Takes no memory of the run, so that claims can be given back even where none is left. */
static una_status write_found(una_database *db, void *context, una_run *run)
{
    changing *c = context;
    const una_sql_change *what = c->change;
    char check_definitions[LONGEST_CHANGE], write[LONGEST_CHANGE];
    una_sql_value found;
    int length = snprintf(check_definitions, sizeof check_definitions, "SELECT count(*) FROM %s WHERE %s", what->table,
                          what->condition);
    int longer = what->set
        ? snprintf(write, sizeof write, "UPDATE %s SET %s WHERE %s", what->table, what->set, what->condition)
        : snprintf(write, sizeof write, "DELETE FROM %s WHERE %s", what->table, what->condition);
    if (length >= LONGEST_CHANGE || longer >= LONGEST_CHANGE)
        UNA_FAIL(run, UNA_E_USAGE, "a statement for %s has more than %d letters", what->table, LONGEST_CHANGE);

    UNA_TRY(ask_number(&found, db, check_definitions, c->given, c->count, run));
    c->changed = (size_t)found.whole;
    return una_database_write(db, c->changed, write, c->given, c->count, run);
}

una_status una_database_change(size_t *changed, una_database *db, const una_sql_change *change,
                               const una_sql_value *given, size_t count, una_run *run)
{
    changing c = { change, given, count, 0 };
    una_status status = una_database_transact(db, write_found, &c, run);
    if (changed) *changed = status == UNA_OK ? c.changed : 0;
    return status;
}

/* ---- what a database holds ----------------------------------------------------------------------------------- */

typedef struct expecting { const char *kind, *schema; int format; } expecting;

static una_status ask_for(int64_t *number, una_database *db, const char *sql, const char *given, una_run *run)
{
    una_sql_value cell, word = una_sql_text(given);
    UNA_TRY(ask_number(&cell, db, sql, &word, given ? 1 : 0, run));
    *number = cell.whole;
    return UNA_OK;
}

static const char table_begins[] = "CREATE TABLE ";

/* From there on, the next statement of a schema that makes a table, and the table's name; NULL: there is none. */
static const char *next_table(char name[64], const char *schema)
{
    const char *statement = strstr(schema, table_begins);
    const char *at = statement ? statement + strlen(table_begins) : "";
    size_t length = 0;
    while (length < 63 && (isalnum((unsigned char)at[length]) || at[length] == '_')) length++;
    memcpy(name, at, length);
    name[length] = 0;
    return statement;
}

static una_status check_sound(una_database *db, una_run *run)
{
    una_sql_value word;
    UNA_TRY(una_database_ask(&word, db, db->driver->sound, NULL, 0, &run->scratch, run));
    if (word.type == UNA_SQL_TEXT && strcmp(word.text, "ok") == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s is damaged (%.200s); take a copy of it that is whole, or move it away", db->name,
             word.type == UNA_SQL_TEXT ? word.text : "no answer");
}

/* A table of the schema's names that is defined in another way could lose a row without a word, or change it. */
static una_status check_table(una_database *db, const char *statement, const char *table, una_run *run)
{
    una_sql_value found, name = una_sql_text(table);
    una_text text = una_text_in(&run->scratch), wanted = una_text_in(&run->scratch);
    una_text_bytes(&text, statement, strcspn(statement, ";"));
    UNA_TRY(una_arena_check(&run->scratch));
    if (db->driver->define) db->driver->define(&wanted, text.at);
    else una_text_add(&wanted, "%s", text.at);
    UNA_TRY(una_arena_check(&run->scratch));

    UNA_TRY(una_database_ask(&found, db, db->driver->definition, &name, 1, &run->scratch, run));
    if (found.type == UNA_SQL_TEXT && strcmp(found.text, wanted.at) == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s was not written by una, or was changed since: its table '%s' is not defined as una "
             "defines it (%.200s); take a copy that is as una wrote it, or another place", db->name, table,
             found.type == UNA_SQL_TEXT ? found.text : "it is not there");
}

static una_status check_tables(una_database *db, const char *schema, una_run *run)
{
    char name[64];
    for (const char *at = next_table(name, schema); at; at = next_table(name, at + 1))
        UNA_TRY(check_table(db, at, name, run));
    return UNA_OK;
}

static una_status check_format(una_database *db, const expecting *e, int64_t format, una_run *run)
{
    if (format == e->format) {
        UNA_TRY(check_sound(db, run));
        return check_tables(db, e->schema, run);
    }
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a %s that this una can read (format %lld, and it knows %d); use a newer una, "
             "or another place", db->name, e->kind, (long long)format, e->format);
}

static una_status make_schema(una_database *db, const expecting *e, una_run *run)
{
    una_sql_value line[] = { una_sql_text(e->kind), una_sql_integer(e->format) };
    if (db->mode == UNA_DATABASE_PRESENT) UNA_FAIL(run, UNA_E_INPUT, "there is no %s in %s", e->kind, db->name);
    UNA_TRY(una_database_script(db, "CREATE TABLE IF NOT EXISTS una_kind (kind TEXT PRIMARY KEY, format INTEGER NOT "
                                "NULL)", run));
    UNA_TRY(una_database_write(db, 1, "INSERT INTO una_kind (kind, format) VALUES ($1, $2)", line, 2, run));
    return una_database_script(db, e->schema, run);
}

/* Of a file without una_kind: empty, of an older una, or another program's. */
static una_status without_kinds(una_database *db, const expecting *e, una_run *run)
{
    int64_t tables = 0, format = 0, known = 0;
    char table[64];
    UNA_TRY(ask_for(&tables, db, db->driver->tables, "", run));
    UNA_TRY(ask_for(&format, db, db->driver->version, NULL, run));
    if (tables == 0 && format == 0) return make_schema(db, e, run);
    next_table(table, e->schema);
    UNA_TRY(ask_for(&known, db, db->driver->tables, table, run));
    if (known || format > e->format) return check_format(db, e, format, run);
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a %s: its tables are those of another program", db->name, e->kind);
}

static una_status expect_kind(una_database *db, void *context, una_run *run)
{
    const expecting *e = context;
    bool server = una_database_is_server(db->name);
    int64_t kinds = 0;
    una_sql_value format, other, kind = una_sql_text(e->kind);
    UNA_TRY(ask_for(&kinds, db, db->driver->tables, "una_kind", run));
    if (!kinds) return server ? make_schema(db, e, run) : without_kinds(db, e, run);

    UNA_TRY(una_database_ask(&format, db, "SELECT format FROM una_kind WHERE kind = $1", &kind, 1, &run->scratch, run));
    if (format.type != UNA_SQL_NULL) return check_format(db, e, format.whole, run);
    if (server) return make_schema(db, e, run);
    UNA_TRY(una_database_ask(&other, db, "SELECT kind FROM una_kind", NULL, 0, &run->scratch, run));
    UNA_FAIL(run, UNA_E_INPUT, "%s is a %s, not a %s", db->name,
             other.type == UNA_SQL_TEXT ? other.text : "thing of una's", e->kind);
}

una_status una_database_expect(una_database *db, const char *kind, int format, const char *schema, una_run *run)
{
    expecting e = { kind, schema, format };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_database_transact(db, expect_kind, &e, run);
    una_arena_release(&run->scratch, mark);
    return status;
}
