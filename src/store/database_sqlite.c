/* SPDX-License-Identifier: MIT
 *
 * A file of SQLite. Every transaction is IMMEDIATE: a second writer waits at the beginning, not in the middle. With
 * the default rollback journal a killed process leaves a journal, which the next one that opens the file rolls back; a
 * file at rest is a single file, which can be copied, also on network file systems. With the write-ahead log small
 * changes are faster and readers never wait; the log goes into the file when the last handle is closed.
 *
 * SQLite reports "busy" in many situations: while another process writes, while it recovers what a killed process
 * left, while it makes or removes the log. All of them are waited for here, and none is passed on.
 *
 * SQLite takes its memory from malloc, not from the run: a cache of 2 MB, whatever the size and the settings of the
 * file, and one row, whose texts are bounded. In addition, a copy holds the whole file, whose size is first compared
 * with the limit of memory; and where a table of an untrusted file has no key in the order of its rows, they are
 * sorted in memory, which takes at most the size of the file; nothing is spilled to the disk.
 */
#include "store/database.h"

#include "store/database_guard.h"

#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds. */
static const double most_wait = 300, most_cancelled = 1;         /* somebody else is at it                           */
static const double most_race = 3;       /* a file comes or goes under our feet, or it is not allowed                */
static const double last_moment = 0.5;   /* a cancelled run still writes down what it has, if it is soon             */

enum {
    STEP_MS = 5, KEPT = 32,
    LOOK_STEPS = 10000,                          /* of SQLite's machine, between two looks at the run            */
    COPY_PAGES = 1000                            /* the same for copies                                          */
};

typedef struct database_file {
    una_link      link;
    una_run      *asking;                /* of the call under way: it may be cancelled                           */
    sqlite3      *db;
    una_guard     guard;                 /* what the handle reaches, or that of the file it is copied from       */
    double        since;                 /* this call waits since; 0: it has not waited yet                      */
    double        cancelled;             /* this call has known since; 0: it does not know of it                 */
    const char   *open_as;               /* while it is opened                                                   */
    sqlite3_stmt *kept[KEPT];            /* prepared statements, the last one used first                         */
} database_file;

/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* false: it has waited long enough. A run that was cancelled does not wait for minutes, but so long as to write down
 * what it has if it can. */
static bool sqlite_wait(database_file *f, double most)
{
    struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
    double now = una_clock();
    if (f->since <= 0) f->since = now;
    if (una_cancelled(f->asking)) most = fmin(most, most_cancelled);
    if (now - f->since >= most) return false;
    nanosleep(&step, NULL);
    return true;
}

static int wait_for_lock(void *context, int before)
{
    (void)before;
    return sqlite_wait(context, most_wait);
}

/* Not 0: the statement under way is to end. */
static int is_enough(void *context)
{
    database_file *f = context;
    if (!una_cancelled(f->asking)) return 0;
    double now = una_clock();
    if (f->cancelled <= 0) f->cancelled = now;
    return now - f->cancelled >= last_moment;
}

static bool is_locked(int code)
{
    code &= 0xff;
    return code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_PROTOCOL;
}

/* The log and its index are made and removed by whoever comes first and goes last; who opens them in that moment finds
 * nothing there. */
static bool is_race(const database_file *f, int code)
{
    if (code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMMAP) return sqlite3_system_errno(f->db) != ENOSPC;
    if (code == SQLITE_READONLY_CANTINIT || code == SQLITE_READONLY_RECOVERY) return true;
    return (code & 0xff) == SQLITE_CANTOPEN && sqlite3_system_errno(f->db) == ENOENT;
}

/* Is it worth another try? */
static bool try_again(database_file *f, int code)
{
    if (is_locked(code)) return sqlite_wait(f, most_wait);
    return is_race(f, code) && sqlite_wait(f, most_race);
}

/* ---- failures ------------------------------------------------------------------------------------------------ */

static una_status sqlite_interrupted(const database_file *f, una_run *run)
{
    UNA_FAIL(run, UNA_CANCELLED, "interrupted while working with %s", f->link.name);
}

static una_status sqlite_failed(sqlite3 *db, const database_file *f, una_run *run)
{
    const char *path = f->link.name;
    int extended = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM, code = extended & 0xff;
    int system = db ? sqlite3_system_errno(db) : 0;
    if (code == SQLITE_NOMEM) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory to work with %s", path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        UNA_FAIL(run, UNA_E_INPUT, "%s is not a database that una can read, or is damaged (%.200s)", path,
                 sqlite3_errmsg(db));
    if (is_locked(code) && una_cancelled(run))
        UNA_FAIL(run, UNA_CANCELLED, "interrupted while waiting for %s, which another process writes", path);
    if (is_locked(code))
        UNA_FAIL(run, UNA_E_IO, "another process has been writing %s for %.0f minutes; see who has it open (fuser %s) "
                 "and end it, or try again later", path, most_wait / 60, path);
    if (code == SQLITE_INTERRUPT) return sqlite_interrupted(f, run);
    if (code == SQLITE_TOOBIG)
        UNA_FAIL(run, UNA_E_MEMORY, "a text of %s has more than %.3g MB, which are allowed for one of them; give a "
                 "shorter one, or raise the limit of memory", path,
                 1e-6 * una_untrusted_longest_text(f->link.run));
    if (code == SQLITE_PERM && f->guard.refused) return una_guard_fail(&f->guard, path, run);
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT || system == EFBIG)))
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: there is no space left for it; nothing of this change was made, and "
                 "what was there before is intact", path);
    if (extended == SQLITE_IOERR_WRITE)                  /* SQLite has forgotten why */
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: the system refuses it (no space left, a limit on the size of files, "
                 "or a bad disk); nothing of this change was made, and what was there before is intact", path);
    if (code == SQLITE_READONLY) UNA_FAIL(run, UNA_E_IO, "cannot write %s: it or its folder is read-only", path);
    if ((code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && system)
        UNA_FAIL(run, UNA_E_IO, "cannot work with %s: %s (%s)", path, sqlite3_errmsg(db), strerror(system));
    UNA_FAIL(run, UNA_E_IO, "cannot work with %s: %s", path, sqlite3_errmsg(db));
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

/* At the beginning of every call from outside. */
static void begin_call(database_file *f, una_run *run)
{
    f->asking = run;
    f->since = f->cancelled = 0;
}

static una_status file_execute(void *link, const char *sql, una_run *run)
{
    database_file *f = link;
    int code;
    begin_call(f, run);
    do code = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
    while (code != SQLITE_OK && try_again(f, code));
    return code == SQLITE_OK ? UNA_OK : sqlite_failed(f->db, f, run);
}

/* Puts a statement first in the list; the last one falls out of it. */
static void keep_statement(database_file *f, sqlite3_stmt *statement, size_t from)
{
    if (from == KEPT) sqlite3_finalize(f->kept[--from]);
    memmove(&f->kept[1], &f->kept[0], from * sizeof *f->kept);
    f->kept[0] = statement;
}

static una_status sqlite_prepare(sqlite3_stmt **statement, database_file *f, const char *sql, una_run *run)
{
    size_t i = 0;
    int code = SQLITE_OK;
    while (i < KEPT && f->kept[i] && strcmp(sqlite3_sql(f->kept[i]), sql) != 0) i++;
    *statement = i < KEPT ? f->kept[i] : NULL;
    if (!*statement) {
        do code = sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
        while (code != SQLITE_OK && try_again(f, code));
    }
    if (code != SQLITE_OK) return sqlite_failed(f->db, f, run);
    keep_statement(f, *statement, i);
    return UNA_OK;
}

static int bind_cell(sqlite3_stmt *statement, int at, const una_sql_value *cell)
{
    switch (cell->type) {
    case UNA_SQL_INTEGER: return sqlite3_bind_int64(statement, at, cell->whole);
    case UNA_SQL_REAL:  return sqlite3_bind_double(statement, at, cell->real);
    case UNA_SQL_TEXT:  return sqlite3_bind_text(statement, at, cell->text, -1, SQLITE_STATIC);
    default:             return sqlite3_bind_null(statement, at);
    }
}

/* $1 is a name to SQLite, which gives names numbers as it meets them. */
static una_status sqlite_bind(sqlite3_stmt *statement, database_file *f, const una_sql *sql, una_run *run)
{
    for (size_t i = 0; i < sql->count; i++) {
        char name[24];
        snprintf(name, sizeof name, "$%zu", i + 1);
        int at = sqlite3_bind_parameter_index(statement, name);
        if (at && bind_cell(statement, at, &sql->given[i]) != SQLITE_OK) return sqlite_failed(f->db, f, run);
    }
    return UNA_OK;
}

static una_sql_value cell_at(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return (una_sql_value){ .type = UNA_SQL_NULL };
    case SQLITE_INTEGER:
        return (una_sql_value){ .type = UNA_SQL_INTEGER, .whole = sqlite3_column_int64(statement, column),
                           .real = sqlite3_column_double(statement, column) };
    case SQLITE_FLOAT:
        return (una_sql_value){ .type = UNA_SQL_REAL, .real = sqlite3_column_double(statement, column) };
    case SQLITE_TEXT:
        return una_sql_text((const char *)sqlite3_column_text(statement, column));
    default:
        return (una_sql_value){ .type = UNA_SQL_BYTES };
    }
}

static una_status give_row(sqlite3_stmt *statement, una_sql_row_task *task, void *context, una_run *run)
{
    una_sql_value cells[UNA_MOST_SQL_VALUES];
    int columns = sqlite3_column_count(statement);
    if (columns > UNA_MOST_SQL_VALUES)
        UNA_FAIL(run, UNA_E_USAGE, "more than %d columns: %.100s", UNA_MOST_SQL_VALUES, sqlite3_sql(statement));
    for (int i = 0; i < columns; i++) cells[i] = cell_at(statement, i);
    return task(context, cells, (size_t)columns, run);
}

static una_status sqlite_step_rows(sqlite3_stmt *statement, database_file *f, una_sql_row_task *task, void *context,
                                   una_run *run)
{
    for (bool begun = false;;) {
        int code = sqlite3_step(statement);
        if (code == SQLITE_DONE) return UNA_OK;
        if (code == SQLITE_ROW) {
            begun = true;
            if (task) UNA_TRY(give_row(statement, task, context, run));
            continue;
        }
        if (begun || !try_again(f, code)) return sqlite_failed(f->db, f, run);
        sqlite3_reset(statement);
    }
}

static una_status file_each(void *link, size_t *changed, const una_sql *sql, una_sql_row_task *task, void *context,
                            una_run *run)
{
    database_file *f = link;
    sqlite3_stmt *statement;
    begin_call(f, run);
    UNA_TRY(sqlite_prepare(&statement, f, sql->text, run));

    int before = sqlite3_total_changes(f->db);
    una_status status = sqlite_bind(statement, f, sql, run);
    if (status == UNA_OK) status = sqlite_step_rows(statement, f, task, context, run);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);                   /* what was given does not outlive the call */
    if (changed) *changed = status == UNA_OK ? (size_t)(sqlite3_total_changes(f->db) - before) : 0;
    return status;
}

static void file_undo(void *link)
{
    database_file *f = link;
    begin_call(f, f->link.run);
    if (!sqlite3_get_autocommit(f->db)) sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static una_status connect_to(sqlite3 **db, const char *path, int flags, database_file *f, una_run *run)
{
    int code = una_guard_open(db, &f->guard, path, flags | SQLITE_OPEN_NOMUTEX);
    if (code != SQLITE_OK) return sqlite_failed(*db, f, run);
    sqlite3_extended_result_codes(*db, 1);
    sqlite3_busy_handler(*db, wait_for_lock, f);
    sqlite3_progress_handler(*db, LOOK_STEPS, is_enough, f);
    una_untrusted_limit(*db, run);
    return UNA_OK;
}

/* The address of a file that nobody changes, in a folder where SQLite cannot write: a log that is at rest has left no
 * trace there, but SQLite would want to make one. */
static void still_address(una_text *address, const char *path)
{
    una_text_add(address, "file:");
    for (const char *at = path; *at; at++) {
        if (strchr("?#%", *at)) una_text_add(address, "%%%02X", (unsigned)(unsigned char)*at);
        else una_text_bytes(address, at, 1);
    }
    una_text_add(address, "?immutable=1");
}

/* One state of the file, whoever writes meanwhile: it is read in the transaction that is begun here. What goes wrong
 * with that, goes wrong with the copy too, which says it. */
static una_status copy_pages(database_file *f, sqlite3 *from, una_run *run)
{
    sqlite3_exec(from, "BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
    sqlite3_backup *backup = sqlite3_backup_init(f->db, "main", from, "main");
    int code;
    do {
        if (!backup) code = SQLITE_ERROR;
        else code = is_enough(f) ? SQLITE_INTERRUPT : sqlite3_backup_step(backup, COPY_PAGES);
    } while (code == SQLITE_OK || (is_locked(code) && sqlite_wait(f, most_wait)));

    bool good = sqlite3_backup_finish(backup) == SQLITE_OK && code == SQLITE_DONE;
    if (code == SQLITE_INTERRUPT) return sqlite_interrupted(f, run);
    return good ? UNA_OK : sqlite_failed(f->db, f, run);
}

static una_status copy_from(database_file *f, const char *path, int flags, una_run *run)
{
    sqlite3 *from = NULL;
    una_status status = connect_to(&from, path, flags, f, run);
    if (status == UNA_OK) status = copy_pages(f, from, run);
    una_guard_close(&f->guard, from);
    return status;
}

static uint64_t sqlite_file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

/* A log, or a journal of somebody who was killed: the file alone is not all of it, or half of something. */
static bool has_beside(const database_file *f, const char *end, una_run *run)
{
    una_text name = una_text_in(&run->scratch);
    una_text_add(&name, "%s%s", f->open_as, end);
    return !name.at || sqlite_file_size(name.at) > 0;
}

static una_status check_room(const database_file *f, una_run *run)
{
    const una_run *root = una_run_root(run);
    uint64_t size = sqlite_file_size(f->open_as), limit = root->settings.memory_limit, used = root->used;
    if (used <= limit && size <= limit - used) return UNA_OK;
    UNA_FAIL(run, UNA_E_MEMORY, "%s is read into memory and has %.3g MB; %.3g MB are taken and %.3g MB are allowed: "
             "raise the limit", f->link.name, 1e-6 * (double)size, 1e-6 * (double)used, 1e-6 * (double)limit);
}

/* Opened for writing where that is allowed: what a killed process left behind is rolled back then. */
static una_status copy_file(database_file *f, una_run *run)
{
    UNA_TRY(check_room(f, run));
    una_status status = copy_from(f, f->open_as, SQLITE_OPEN_READWRITE, run);
    int code = sqlite3_errcode(f->db) & 0xff;            /* nothing can be written beside it, not even a log's index */
    bool still = code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR || code == SQLITE_FULL;
    if (status != UNA_E_IO || !still || has_beside(f, "-wal", run) || has_beside(f, "-journal", run)) return status;

    una_text address = una_text_in(&run->scratch);
    still_address(&address, f->open_as);
    UNA_TRY(una_arena_check(&run->scratch));
    return copy_from(f, address.at, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, run);
}

/* Before anything else is asked of it. */
static una_status check_schema(database_file *f, una_run *run)
{
    const una_sql all = una_sql_plain("SELECT type, name, sql FROM sqlite_master");
    UNA_TRY(file_execute(f, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA cache_size = -2000", run));
    return file_each(f, NULL, &all, una_untrusted_check, (void *)f->link.name, run);
}

static una_status note_ours(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(bool *)context = cells[0].whole != 0;
    return UNA_OK;
}

/* A change that was acknowledged is there after a loss of power too: of the journal the folder is written as well. In a
 * file of another program's nothing is changed, not even how it is written: whoever opened it will refuse it. */
static una_status choose_mode(database_file *f, una_database_mode mode, una_run *run)
{
    const una_sql is_ours = una_sql_plain("SELECT count(*) = 0 OR max(name = 'una_kind') FROM sqlite_master");
    bool ours = false;
    UNA_TRY(file_execute(f, "PRAGMA synchronous = EXTRA", run));
    if (mode == UNA_DATABASE_JOURNAL) return UNA_OK;
    UNA_TRY(file_each(f, NULL, &is_ours, note_ours, &ours, run));
    return ours ? file_execute(f, "PRAGMA journal_mode = WAL", run) : UNA_OK;
}

/* SQLite takes names that begin with "file:" or ":" for something else. */
static una_status file_open(void *link, una_database_mode mode, una_run *run)
{
    database_file *f = link;
    const char *where = f->link.where;
    int flags = SQLITE_OPEN_READWRITE | (mode == UNA_DATABASE_PRESENT ? 0 : SQLITE_OPEN_CREATE);
    bool in_memory = !where || mode == UNA_DATABASE_COPY;
    una_text path = una_text_in(&run->scratch);
    begin_call(f, run);
    if (where && !*where) UNA_FAIL(run, UNA_E_IO, "the name of the database is empty; give the path of a file");
    if (where) una_text_add(&path, "%s%s", strncmp(where, "file:", 5) == 0 || *where == ':' ? "./" : "", where);
    UNA_TRY(una_arena_check(&run->scratch));
    f->open_as = path.at;
    if (where && mode == UNA_DATABASE_PRESENT && access(where, F_OK) != 0)
        UNA_FAIL(run, UNA_E_IO, "cannot open %s: %s", where, strerror(errno));

    UNA_TRY(connect_to(&f->db, in_memory ? ":memory:" : f->open_as, flags, f, run));
    if (in_memory && where && access(where, F_OK) == 0) UNA_TRY(copy_file(f, run));
    UNA_TRY(check_schema(f, run));
    return in_memory ? UNA_OK : choose_mode(f, mode, run);
}

static void file_close(void *link)
{
    database_file *f = link;
    begin_call(f, f->link.run);
    for (size_t i = 0; i < KEPT; i++) sqlite3_finalize(f->kept[i]);
    una_guard_close(&f->guard, f->db);
}

const una_driver una_driver_sqlite = {
    .size = sizeof(database_file), .open = file_open, .close = file_close, .each = file_each, .execute = file_execute,
    .undo = file_undo, .begin = "BEGIN IMMEDIATE", .commit = "COMMIT",
    .tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND ($1 = '' OR name = $1)",
    .version = "PRAGMA user_version",
    .sound = "PRAGMA quick_check(1)",
    .definition = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = $1"
};
