/* SPDX-License-Identifier: MIT
 *
 * What all databases share: turns, transactions that begin again where the connection was lost, and the kind and
 * format that a database declares. The table una_kind has a line for every kind of thing in it.
 */
#include "store/database.h"

#include <ctype.h>
#include <pthread.h>
#include <unistd.h>

enum { MOST_REPEATS = 10 };              /* attempts, where the server goes down each time                       */

struct una_database {
    const una_driver  *driver;
    una_link          *link;             /* behind the struct                                                    */
    una_database_mode  mode;
    pthread_mutex_t    lock;             /* recursive: the body of a transaction makes calls too                 */
    bool               inside;           /* a transaction                                                        */
    pid_t              process;          /* that opened it                                                       */
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
    return db->link->name;
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

/* The database, its link, and the two texts of that, in one piece. */
static una_status new_database(una_database **out, const char *where, una_database_mode mode, una_run *run)
{
    bool server = una_database_is_server(where);
    const una_driver *driver = server ? driver_of_servers : &una_driver_sqlite;
    const char *name = where ? where : "a database in memory";
    size_t length = strlen(name) + 1, size = driver ? driver->size : sizeof(una_link);
    una_database *db = una_allocate(run, sizeof *db + size + 2 * length);
    pthread_mutexattr_t recursive;
    *out = db;
    if (!db) return UNA_E_MEMORY;
    memset(db, 0, sizeof *db + size);
    *db = (una_database){ .driver = driver, .link = (una_link *)(db + 1), .mode = mode, .process = getpid() };
    char *shown = (char *)db->link + size, *used = memcpy(shown + length, name, length);
    *db->link = (una_link){ run, memcpy(shown, name, length), where ? used : NULL };
    if (server) una_database_address(shown);

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
    una_status status = UNA_E_USAGE;
    if (db->driver) UNA_SCOPED_CALL(status, run, db->driver->open(db->link, mode, run));
    else
        una_fail(run, status, "%s is on a server of PostgreSQL, and una was built without these: build it with "
                 "-DUNA_POSTGRES=ON, or name a file", db->link->name);
    if (status == UNA_OK) *out = db;
    else una_database_close(db);
    return status;
}

void una_database_close(una_database *db)
{
    if (!db) return;
    if (db->driver && db->process == getpid()) db->driver->close(db->link);      /* else it is the parent's */
    pthread_mutex_destroy(&db->lock);
    una_release(db->link->run, db);
}

/* ---- turns --------------------------------------------------------------------------------------------------- */

/* Before the lock, which another thread may have held when this process was forked. */
static una_status check_process(const una_database *db, una_run *run)
{
    if (db->process == getpid()) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s was opened by process %ld, and this is process %ld: after a fork each process has "
             "to open it for itself", db->link->name, (long)db->process, (long)getpid());
}

/* After a failure: true if the connection was lost and is made again. Otherwise *status has the failure. */
static bool is_back(una_database *db, una_status *status, int *repeats, una_run *run)
{
    if (*status == UNA_OK || db->inside || !db->driver->lost) return false;
    if (!db->driver->lost(db->link) || ++*repeats > MOST_REPEATS) return false;
    *status = db->driver->again(db->link, run);
    return *status == UNA_OK;
}

/* One call of the driver, or all those of a transaction: no other thread comes between. */
static una_status work_alone(una_database *db, una_transaction *work, void *context, una_run *run)
{
    una_status status;
    int repeats = 0;
    UNA_TRY(check_process(db, run));
    pthread_mutex_lock(&db->lock);
    do status = work(db, context, run);
    while (is_back(db, &status, &repeats, run));
    pthread_mutex_unlock(&db->lock);
    return status;
}

typedef struct transaction { una_transaction *body; void *context; } transaction;

static una_status attempt_transaction(una_database *db, void *context, una_run *run)
{
    const transaction *t = context;
    if (db->inside) return t->body(db, t->context, run);     /* part of the one that is under way */
    UNA_TRY(db->driver->execute(db->link, db->driver->begin, run));
    db->inside = true;
    una_status status = t->body(db, t->context, run);
    if (status == UNA_OK) status = db->driver->execute(db->link, db->driver->commit, run);
    db->inside = false;
    if (status != UNA_OK) db->driver->undo(db->link);
    return status;
}

una_status una_database_transact(una_database *db, una_transaction *body, void *context, una_run *run)
{
    return work_alone(db, attempt_transaction, &(transaction){ body, context }, run);
}

/* ---- cells --------------------------------------------------------------------------------------------------- */

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
                              size_t at, una_run *run)
{
    static const char *const found[] = { "nothing", "a whole number", "a number", "a text", "bytes" };
    char type = (char)tolower((unsigned char)form->types[at]), name[64], row[96];
    const char *wanted = type == 't' ? "a text" : "a number";
    long long id = 0;
    if (type == 'w') wanted = "a whole number";
    for (size_t i = 0; form->types[i]; i++) {
        column_name(name, form->columns, i);
        if (strcmp(name, "id") == 0) id = (long long)cells[i].whole;
    }
    column_name(name, form->columns, at);
    snprintf(row, sizeof row, id > 0 ? "%s %lld" : "%s", form->row, id);
    UNA_FAIL(run, UNA_E_INPUT, "%s is damaged: the column '%s' of %s holds %s, and %s belongs there; take a copy that "
             "is as una wrote it", db->link->name, name, row, found[cells[at].type], wanted);
}

static una_status check_cells(const una_database *db, const una_sql_row_form *form, const una_sql_value *cells,
                              una_run *run)
{
    static const char *const suits[] = { [UNA_SQL_NULL] = "TWN", [UNA_SQL_INTEGER] = "wWnN", [UNA_SQL_REAL] = "nN",
                                         [UNA_SQL_TEXT] = "tT", [UNA_SQL_BYTES] = "" };
    for (size_t i = 0; form->types[i]; i++)
        if (!strchr(suits[cells[i].type], form->types[i])) return refuse_cell(db, form, cells, i, run);
    return UNA_OK;
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

typedef struct performing {
    una_sql           sql;
    size_t           *changed;
    const una_database *db;
    const una_sql_row_form *form;
    una_sql_row_task *task;
    void             *context;
} performing;

static una_status give_checked(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    const performing *p = context;
    if (p->form) UNA_TRY(check_cells(p->db, p->form, cells, run));
    return p->task(p->context, cells, count, run);
}

static una_status perform(una_database *db, void *context, una_run *run)
{
    const performing *p = context;
    return db->driver->each(db->link, p->changed, &p->sql, p->task ? give_checked : NULL, context, run);
}

static una_status perform_statement(una_database *db, performing p, una_run *run)
{
    if (p.sql.count > UNA_MOST_SQL_VALUES)
        UNA_FAIL(run, UNA_E_USAGE, "more than %d values: %.100s", UNA_MOST_SQL_VALUES, p.sql.text);
    return work_alone(db, perform, &p, run);
}

una_status una_database_do(size_t *changed, una_database *db, una_sql sql, una_run *run)
{
    return perform_statement(db, (performing){ .sql = sql, .changed = changed }, run);
}

una_status una_database_each(una_database *db, una_sql sql, const una_sql_row_form *form, una_sql_row_task *task,
                             void *context, una_run *run)
{
    return perform_statement(db, (performing){ sql, NULL, db, form, task, context }, run);
}

typedef struct asking { una_sql_value *cells; size_t count; bool found; } asking;

static una_status take_first(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    asking *a = context;
    for (size_t i = 0; i < a->count && i < count && !a->found; i++) {
        a->cells[i] = cells[i];
        if (!cells[i].text) continue;            /* numbers come also where there is no memory left */
        a->cells[i].text = una_arena_text(&run->scratch, cells[i].text);
        UNA_TRY(una_arena_check(&run->scratch));
    }
    a->found = true;
    return UNA_OK;
}

una_status una_database_ask(una_sql_value *cells, una_database *db, una_sql sql, const una_sql_row_form *form,
                            una_run *run)
{
    asking a = { .cells = cells, .count = form ? strlen(form->types) : 1 };
    memset(cells, 0, a.count * sizeof *cells);
    una_status status = una_database_each(db, sql, form, take_first, &a, run);
    if (status != UNA_OK) memset(cells, 0, a.count * sizeof *cells);
    return status;
}

static una_status execute_script(una_database *db, void *context, una_run *run)
{
    return db->driver->execute(db->link, context, run);
}

una_status una_database_script(una_database *db, const char *sql, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    if (db->driver->translate) db->driver->translate(&text, sql);
    else una_text_add(&text, "%s", sql);
    UNA_TRY(una_arena_check(&run->scratch));
    return work_alone(db, execute_script, text.at, run);
}

una_status una_database_now(double *seconds, una_database *db, una_run *run)
{
    una_sql_value cell;
    struct timespec time;
    if (db->driver->now) {
        UNA_TRY(una_database_ask(&cell, db, una_sql_plain(db->driver->now), NULL, run));
        *seconds = cell.real;
        return UNA_OK;
    }
    clock_gettime(CLOCK_REALTIME, &time);
    *seconds = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    return UNA_OK;
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

static una_status write_rows(una_database *db, size_t rows, una_sql sql, una_run *run)
{
    size_t changed = 0;
    UNA_TRY(una_database_do(&changed, db, sql, run));
    if (changed == rows) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "%s did not take what una wrote: %zu rows were changed instead of %zu, and nothing was "
             "kept; a trigger, rule, policy or constraint that una has not made stands between (%.40s ...), and must "
             "be removed", db->link->name, changed, rows, sql.text);
}

una_status una_database_write(una_database *db, una_sql sql, una_run *run)
{
    return write_rows(db, 1, sql, run);
}

enum { LONGEST_CHANGE = 1024 };

typedef struct changing { const char *table, *set; una_sql where; size_t changed; } changing;

/* Takes no memory of the run, so that claims can be given back even where none is left. */
static una_status write_found(una_database *db, void *context, una_run *run)
{
    changing *c = context;
    una_sql count = c->where, write = c->where;
    char count_text[LONGEST_CHANGE], write_text[LONGEST_CHANGE];
    una_sql_value found;
    int length = snprintf(count_text, LONGEST_CHANGE, "SELECT count(*) FROM %s WHERE %s", c->table, c->where.text);
    int longer = c->set
        ? snprintf(write_text, LONGEST_CHANGE, "UPDATE %s SET %s WHERE %s", c->table, c->set, c->where.text)
        : snprintf(write_text, LONGEST_CHANGE, "DELETE FROM %s WHERE %s", c->table, c->where.text);
    if (length >= LONGEST_CHANGE || longer >= LONGEST_CHANGE)
        UNA_FAIL(run, UNA_E_USAGE, "a statement for %s has more than %d letters", c->table, LONGEST_CHANGE);

    count.text = count_text;
    write.text = write_text;
    UNA_TRY(una_database_ask(&found, db, count, NULL, run));
    c->changed = (size_t)found.whole;
    return write_rows(db, c->changed, write, run);
}

una_status una_database_change(size_t *changed, una_database *db, const char *table, const char *set, una_sql where,
                               una_run *run)
{
    changing c = { table, set, where, 0 };
    una_status status = una_database_transact(db, write_found, &c, run);
    if (changed) *changed = status == UNA_OK ? c.changed : 0;
    return status;
}

/* ---- what a database holds ----------------------------------------------------------------------------------- */

typedef struct expecting { const char *kind, *schema; int format; } expecting;

static const char table_begins[] = "CREATE TABLE ";

/* From there on, the next statement of a schema that makes a table, and the table's name; NULL: there is none. */
static const char *next_table(char name[64], const char *schema)
{
    const char *statement = strstr(schema, table_begins);
    const char *at = statement ? statement + strlen(table_begins) : "";
    snprintf(name, 64, "%.*s", (int)strspn(at, UNA_SQL_NAME_LETTERS), at);
    return statement;
}

static una_status check_sound(una_database *db, una_run *run)
{
    una_sql_value word;
    UNA_TRY(una_database_ask(&word, db, una_sql_plain(db->driver->sound), NULL, run));
    if (word.text && strcmp(word.text, "ok") == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s is damaged (%.200s); take a copy of it that is whole, or move it away",
             db->link->name, word.text ? word.text : "no answer");
}

/* A table of the schema's names that is defined in another way could lose a row without a word, or change it. */
static una_status check_table(una_database *db, const char *statement, const char *table, una_run *run)
{
    una_sql_value found;
    una_text text = una_text_in(&run->scratch), wanted = una_text_in(&run->scratch);
    una_text_bytes(&text, statement, strcspn(statement, ";"));
    UNA_TRY(una_arena_check(&run->scratch));
    if (db->driver->define) db->driver->define(&wanted, text.at);
    else wanted = text;
    UNA_TRY(una_arena_check(&run->scratch));

    UNA_TRY(una_database_ask(&found, db, UNA_SQL(db->driver->definition, una_sql_text(table)), NULL, run));
    if (found.text && strcmp(found.text, wanted.at) == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s was not written by una, or was changed since: its table '%s' is not defined as una "
             "defines it (%.200s); take a copy that is as una wrote it, or another place", db->link->name, table,
             found.text ? found.text : "it is not there");
}

static una_status check_format(una_database *db, const expecting *e, int64_t format, una_run *run)
{
    char name[64];
    if (format != e->format)
        UNA_FAIL(run, UNA_E_INPUT, "%s is not a %s that this una can read (format %lld, and it knows %d); use a newer "
                 "una, or another place", db->link->name, e->kind, (long long)format, e->format);
    UNA_TRY(check_sound(db, run));
    for (const char *at = next_table(name, e->schema); at; at = next_table(name, at + 1))
        UNA_TRY(check_table(db, at, name, run));
    return UNA_OK;
}

static una_status make_schema(una_database *db, const expecting *e, una_run *run)
{
    if (db->mode == UNA_DATABASE_PRESENT) UNA_FAIL(run, UNA_E_INPUT, "there is no %s in %s", e->kind, db->link->name);
    UNA_TRY(una_database_script(db, "CREATE TABLE IF NOT EXISTS una_kind (kind TEXT PRIMARY KEY, format INTEGER NOT "
                                "NULL)", run));
    una_sql sql = UNA_SQL("INSERT INTO una_kind (kind, format) VALUES ($1, $2)", una_sql_text(e->kind),
                          una_sql_integer(e->format));
    UNA_TRY(una_database_write(db, sql, run));
    return una_database_script(db, e->schema, run);
}

static una_status count_tables(int64_t *count, una_database *db, const char *name, una_run *run)
{
    una_sql_value cell;
    UNA_TRY(una_database_ask(&cell, db, UNA_SQL(db->driver->tables, una_sql_text(name)), NULL, run));
    *count = cell.whole;
    return UNA_OK;
}

/* Of a file without una_kind: empty, of an older una, or another program's. */
static una_status without_kinds(una_database *db, const expecting *e, una_run *run)
{
    int64_t tables = 0, known = 0;
    una_sql_value format;
    char table[64];
    UNA_TRY(count_tables(&tables, db, "", run));
    UNA_TRY(una_database_ask(&format, db, una_sql_plain(db->driver->version), NULL, run));
    if (tables == 0 && format.whole == 0) return make_schema(db, e, run);
    next_table(table, e->schema);
    UNA_TRY(count_tables(&known, db, table, run));
    if (known || format.whole > e->format) return check_format(db, e, format.whole, run);
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a %s: its tables are those of another program", db->link->name, e->kind);
}

static una_status expect_kind(una_database *db, void *context, una_run *run)
{
    const expecting *e = context;
    bool server = una_database_is_server(db->link->name);
    int64_t kinds = 0;
    una_sql_value cell;
    UNA_TRY(count_tables(&kinds, db, "una_kind", run));
    if (!kinds) return server ? make_schema(db, e, run) : without_kinds(db, e, run);

    una_sql format = UNA_SQL("SELECT format FROM una_kind WHERE kind = $1", una_sql_text(e->kind));
    UNA_TRY(una_database_ask(&cell, db, format, NULL, run));
    if (cell.type != UNA_SQL_NULL) return check_format(db, e, cell.whole, run);
    if (server) return make_schema(db, e, run);
    UNA_TRY(una_database_ask(&cell, db, una_sql_plain("SELECT kind FROM una_kind"), NULL, run));
    UNA_FAIL(run, UNA_E_INPUT, "%s is a %s, not a %s", db->link->name, cell.text ? cell.text : "thing of una's",
             e->kind);
}

una_status una_database_expect(una_database *db, const char *kind, int format, const char *schema, una_run *run)
{
    UNA_SCOPED(run, una_database_transact(db, expect_kind, &(expecting){ kind, schema, format }, run));
    return UNA_OK;
}
