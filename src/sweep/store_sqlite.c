/* SPDX-License-Identifier: MIT
 *
 * The store as one SQLite file. Every change is one transaction with the default rollback journal: a process that is
 * killed in the middle of one leaves a journal, and the next to open the file rolls it back. A write-ahead log would be
 * faster, but rows come one per fit; with the journal, a folder at rest holds one file, which can be copied, and it
 * works on network file systems too.
 *
 * A claim names its owner: host, process, the process's start time (numbers of processes come again) and the handle of
 * the store inside it. Whether a process of this host lives is asked of the system; one of another host (every
 * container has a name of its own) gives signs of life, and without one for a lease it counts as dead. So does a sign
 * that lies further in the future than a lease: clocks differ by less.
 *
 * SQLite takes its memory from malloc, not from the run: a few megabytes, whatever the size of the store.
 */
#include "sweep/store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 1, WAIT_MS = 60000, CANCELLED_MS = 1000, STEP_MS = 5, LEASE = 120 };

static const char schema[] =
    "CREATE TABLE fit (id INTEGER PRIMARY KEY, study TEXT NOT NULL, data TEXT NOT NULL, split INTEGER NOT NULL,"
    "  spec TEXT NOT NULL, seed INTEGER NOT NULL, results INTEGER NOT NULL, options TEXT NOT NULL,"
    "  made_by TEXT NOT NULL, kernels TEXT NOT NULL, seconds REAL NOT NULL,"
    "  UNIQUE (study, data, split, spec, seed, results));"
    "CREATE TABLE value (fit INTEGER NOT NULL, place INTEGER NOT NULL, measure TEXT NOT NULL, value REAL,"
    "  PRIMARY KEY (fit, place)) WITHOUT ROWID;"
    "CREATE TABLE claim (study TEXT NOT NULL, data TEXT NOT NULL, split INTEGER NOT NULL, spec TEXT NOT NULL,"
    "  seed INTEGER NOT NULL, results INTEGER NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL,"
    "  start TEXT NOT NULL, handle TEXT NOT NULL, since INTEGER NOT NULL,"
    "  PRIMARY KEY (study, data, split, spec, seed, results)) WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

/* The six parts of a key, bound as ?1 to ?6. */
#define KEY_IS "study = ?1 AND data = ?2 AND split = ?3 AND spec = ?4 AND seed = ?5 AND results = ?6"

struct una_store {
    una_run        *run;                 /* allocator                                                        */
    sqlite3        *db;
    pthread_mutex_t lock;                /* one transaction at a time                                        */
    const char     *path;                /* behind the struct                                                */
    char            host[256], start[32], handle[32];
};

const char *una_store_path(const una_store *store)
{
    return store->path;
}

size_t una_row_find(const una_row *row, const char *measure)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->measure[i], measure) == 0) return i;
    return SIZE_MAX;
}

/* ---- statements ---------------------------------------------------------------------------------------------- */

static una_status damaged(const una_store *store, const char *why, una_run *run)
{
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a store of results, or is damaged (%.200s); move it away, and results are "
             "taken from the CSV file beside it", store->path, why);
}

static una_status failed_with(sqlite3 *db, const una_store *store, una_run *run)
{
    int code = sqlite3_errcode(db) & 0xff;
    if (code == SQLITE_NOMEM) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory to work with %s", store->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return damaged(store, sqlite3_errmsg(db), run);
    if (code == SQLITE_BUSY && una_cancelled(run))
        UNA_FAIL(run, UNA_CANCELLED, "interrupted while waiting for %s, which another process writes", store->path);
    UNA_FAIL(run, UNA_E_IO, "cannot work with %s: %s", store->path, sqlite3_errmsg(db));
}

static una_status failed(const una_store *store, una_run *run)
{
    return failed_with(store->db, store, run);
}

static una_status prepare(sqlite3_stmt **statement, una_store *store, const char *sql, una_run *run)
{
    return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK ? UNA_OK : failed(store, run);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text ? text : "", -1, SQLITE_STATIC);
}

/* Whole numbers above 2^63 are stored as negative ones and come back as they were. */
static void bind_key(sqlite3_stmt *statement, const una_row_key *key)
{
    bind_text(statement, 1, key->study);
    bind_text(statement, 2, key->data);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)key->split);
    bind_text(statement, 4, key->spec);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)key->seed);
    sqlite3_bind_int64(statement, 6, (sqlite3_int64)key->results);
}

/* Runs a statement that gives no rows, and ends it. A binding that failed shows here as a constraint. */
static una_status finish(sqlite3_stmt *statement, una_store *store, una_run *run)
{
    int code = sqlite3_step(statement);
    una_status status = code == SQLITE_DONE ? UNA_OK : failed(store, run);
    sqlite3_finalize(statement);
    return status;
}

static una_status execute(una_store *store, const char *sql, una_run *run)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? UNA_OK : failed(store, run);
}

static una_status execute_for(una_store *store, const char *sql, const una_row_key *key, una_run *run)
{
    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, sql, run));
    bind_key(statement, key);
    return finish(statement, store, run);
}

typedef una_status transaction(una_store *store, void *context, una_run *run);

/* The whole of it or nothing. IMMEDIATE: whoever is second waits at the beginning, not in the middle. */
static una_status transact(una_store *store, transaction *body, void *context, una_run *run)
{
    pthread_mutex_lock(&store->lock);
    una_status status = execute(store, "BEGIN IMMEDIATE", run);
    if (status == UNA_OK) {
        status = body(store, context, run);
        if (status == UNA_OK) status = execute(store, "COMMIT", run);
        if (status != UNA_OK) sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

static una_status read_number(sqlite3_int64 *number, una_store *store, const char *sql, una_run *run)
{
    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, sql, run));
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    una_status status = good ? UNA_OK : failed(store, run);
    if (good) *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

/* Pages that do not hang together are found here, before rows are lost between them. */
static una_status check_sound(una_store *store, una_run *run)
{
    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, "PRAGMA quick_check(1)", run));
    const char *word = sqlite3_step(statement) == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    una_status status = UNA_OK;
    if (!word) status = failed(store, run);
    else if (strcmp(word, "ok") != 0) status = damaged(store, word, run);
    sqlite3_finalize(statement);
    return status;
}

static una_status make_tables(una_store *store, void *context, una_run *run)
{
    sqlite3_int64 format = 0, tables = 0;
    (void)context;
    UNA_TRY(read_number(&format, store, "PRAGMA user_version", run));
    UNA_TRY(read_number(&tables, store, "SELECT count(*) FROM sqlite_master", run));
    if (format == 0 && tables == 0) return execute(store, schema, run);
    if (format == FORMAT) return check_sound(store, run);
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a store of results that this una can read (format %lld, and it knows %d); "
             "use a newer una, or another folder", store->path, (long long)format, FORMAT);
}

/* When a process began, from /proc/PID/stat; false: it has ended. Where there is no /proc, any process that exists is
 * taken for the one that is meant. */
static bool process_start(char start[32], long process)
{
    char path[64], line[1024], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    start[0] = 0;
    if (kill((pid_t)process, 0) != 0 && errno == ESRCH) return false;

    FILE *file = fopen(path, "r");
    if (!file) return true;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;

    /* The name of the program stands in brackets and may hold anything; the start is field 22. */
    char *at = strrchr(line, ')');
    static const char fields[] = " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %31s";
    if (!at || sscanf(at + 1, fields, &state, start) != 2) return true;
    return state != 'Z' && state != 'X';         /* killed, but not yet taken note of */
}

static void name_owner(una_store *store)
{
    if (gethostname(store->host, sizeof store->host) != 0) store->host[0] = 0;
    store->host[sizeof store->host - 1] = 0;
    process_start(store->start, (long)getpid());
    snprintf(store->handle, sizeof store->handle, "%p", (void *)store);
}

/* Somebody else is writing. A run that was cancelled does not wait for a minute, but so long as to write down what it
 * has if it can. */
static int wait_for_lock(void *context, int before)
{
    int most = una_cancelled(context) ? CANCELLED_MS : WAIT_MS;
    struct timespec time = { .tv_nsec = STEP_MS * 1000000L };
    if (before >= most / STEP_MS) return 0;
    nanosleep(&time, NULL);
    return 1;
}

/* SQLite may take a name that begins with file: for an address. */
static const char *plain_path(const char *path, una_run *run)
{
    una_text plain = una_text_in(&run->scratch);
    if (strncmp(path, "file:", 5) != 0) return path;
    una_text_add(&plain, "./%s", path);
    return plain.at ? plain.at : path;
}

static una_status connect_to(sqlite3 **db, const char *path, int flags, una_store *store, una_run *run)
{
    if (sqlite3_open_v2(plain_path(path, run), db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return failed_with(*db, store, run);
    sqlite3_busy_handler(*db, wait_for_lock, run);
    return UNA_OK;
}

static una_status new_store(una_store **out, const char *path, una_run *run)
{
    size_t length = strlen(path) + 1;
    una_store *store = una_allocate(run, sizeof *store + length);
    *out = store;
    if (!store) return UNA_E_MEMORY;
    memset(store, 0, sizeof *store);
    store->run = run;
    store->path = memcpy(store + 1, path, length);
    pthread_mutex_init(&store->lock, NULL);
    name_owner(store);
    return UNA_OK;
}

static una_status opened(una_store **out, una_store *store, una_status status)
{
    *out = NULL;
    if (status == UNA_OK) *out = store;
    else una_store_close(store);
    return status;
}

una_status una_store_open(una_store **out, const char *path, una_run *run)
{
    una_store *store;
    *out = NULL;
    UNA_TRY(new_store(&store, path, run));
    una_status status = connect_to(&store->db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, store, run);
    if (status == UNA_OK) status = transact(store, make_tables, NULL, run);
    return opened(out, store, status);
}

/* Opened for writing where that is allowed: what a killed process left behind is rolled back then. */
static una_status copy_file(una_store *store, una_run *run)
{
    sqlite3 *from = NULL;
    una_status status = connect_to(&from, store->path, SQLITE_OPEN_READWRITE, store, run);
    if (status == UNA_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(store->db, "main", from, "main");
        bool good = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
        good = sqlite3_backup_finish(backup) == SQLITE_OK && good;
        if (!good) status = failed_with(store->db, store, run);
    }
    sqlite3_close(from);
    return status;
}

una_status una_store_open_copy(una_store **out, const char *path, una_run *run)
{
    una_store *store;
    *out = NULL;
    UNA_TRY(new_store(&store, path, run));
    una_status status = connect_to(&store->db, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, store, run);
    if (status == UNA_OK && access(path, F_OK) == 0) status = copy_file(store, run);
    if (status == UNA_OK) status = transact(store, make_tables, NULL, run);
    return opened(out, store, status);
}

#define IS_MINE "host = ?7 AND process = ?8 AND start = ?9 AND handle = ?10"

static void bind_owner(sqlite3_stmt *statement, const una_store *store)
{
    bind_text(statement, 7, store->host);
    sqlite3_bind_int64(statement, 8, (sqlite3_int64)getpid());
    bind_text(statement, 9, store->start);
    bind_text(statement, 10, store->handle);
    sqlite3_bind_int64(statement, 11, (sqlite3_int64)time(NULL));
}

/* For all claims of this handle. Nobody is there to hear of a failure: claims that are not dropped end with the
 * process, and those that are not renewed now are renewed next time. */
static void for_own_claims(una_store *store, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK) return;
    bind_owner(statement, store);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

void una_store_close(una_store *store)
{
    if (!store) return;
    if (store->db) for_own_claims(store, "DELETE FROM claim WHERE " IS_MINE);
    sqlite3_close(store->db);
    pthread_mutex_destroy(&store->lock);
    una_release(store->run, store);
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

typedef struct claiming { const una_row_key *key; bool granted; } claiming;

static bool is_alive(const una_store *store, const char *host, long process, const char *start, const char *handle,
                     int64_t since)
{
    char now[32];
    int64_t age = (int64_t)time(NULL) - since;
    if (strcmp(host, store->host) != 0) return age < LEASE && age > -LEASE;
    if (process == (long)getpid() && strcmp(start, store->start) == 0) return strcmp(handle, store->handle) != 0;
    return process_start(now, process) && (!*now || strcmp(now, start) == 0);
}

static una_status is_held(bool *held, una_store *store, const una_row_key *key, una_run *run)
{
    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, "SELECT host, process, start, handle, since FROM claim WHERE " KEY_IS, run));
    bind_key(statement, key);
    int code = sqlite3_step(statement);
    *held = code == SQLITE_ROW && is_alive(store, (const char *)sqlite3_column_text(statement, 0),
                                           (long)sqlite3_column_int64(statement, 1),
                                           (const char *)sqlite3_column_text(statement, 2),
                                           (const char *)sqlite3_column_text(statement, 3),
                                           sqlite3_column_int64(statement, 4));
    una_status status = code == SQLITE_ROW || code == SQLITE_DONE ? UNA_OK : failed(store, run);
    sqlite3_finalize(statement);
    return status;
}

static una_status take_claim(una_store *store, void *context, una_run *run)
{
    claiming *c = context;
    bool held = false;
    UNA_TRY(is_held(&held, store, c->key, run));
    if (held) return UNA_OK;

    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, "INSERT OR REPLACE INTO claim (study, data, split, spec, seed, results, host, "
                    "process, start, handle, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)", run));
    bind_key(statement, c->key);
    bind_owner(statement, store);
    UNA_TRY(finish(statement, store, run));
    c->granted = true;
    return UNA_OK;
}

una_status una_store_claim(bool *granted, una_store *store, const una_row_key *key, una_run *run)
{
    claiming c = { key, false };
    una_status status = transact(store, take_claim, &c, run);
    *granted = status == UNA_OK && c.granted;
    return status;
}

/* Its own only: another may have taken it over meanwhile. */
static una_status end_claim(una_store *store, void *context, una_run *run)
{
    sqlite3_stmt *statement;
    UNA_TRY(prepare(&statement, store, "DELETE FROM claim WHERE " KEY_IS " AND " IS_MINE, run));
    bind_key(statement, context);
    bind_owner(statement, store);
    return finish(statement, store, run);
}

una_status una_store_drop(una_store *store, const una_row_key *key, una_run *run)
{
    return transact(store, end_claim, (void *)key, run);
}

void una_store_renew(una_store *store)
{
    pthread_mutex_lock(&store->lock);
    for_own_claims(store, "UPDATE claim SET since = ?11 WHERE " IS_MINE);
    pthread_mutex_unlock(&store->lock);
}

una_status una_store_owner(una_owner *owner, una_store *store, const una_row_key *key, una_run *run)
{
    sqlite3_stmt *statement;
    *owner = (una_owner){0};

    pthread_mutex_lock(&store->lock);
    una_status status = prepare(&statement, store, "SELECT host, process FROM claim WHERE " KEY_IS, run);
    if (status == UNA_OK) {
        bind_key(statement, key);
        int code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            snprintf(owner->host, sizeof owner->host, "%s", (const char *)sqlite3_column_text(statement, 0));
            owner->process = (long)sqlite3_column_int64(statement, 1);
        } else if (code != SQLITE_DONE) {
            status = failed(store, run);
        }
        sqlite3_finalize(statement);
    }
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* ---- rows out ------------------------------------------------------------------------------------------------ */

#define ROW_COLUMNS "f.study, f.data, f.split, f.spec, f.seed, f.results, f.options, f.made_by, f.kernels, " \
                    "f.seconds, f.id, v.measure, v.value FROM fit f LEFT JOIN value v ON v.fit = f.id "
enum { AT_OPTIONS = 6, AT_MADE_BY, AT_KERNELS, AT_SECONDS, AT_ID, AT_MEASURE, AT_VALUE };

typedef struct building {                /* a row put together from the lines of a query                    */
    una_row       row;
    sqlite3_int64 id;
    const char   *measure[UNA_MOST_MEASURES];
    double        value[UNA_MOST_MEASURES];
} building;

static const char *text_at(sqlite3_stmt *statement, int column, una_arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return una_arena_text(arena, text ? text : "");
}

static void begin_row(building *b, sqlite3_stmt *s, una_arena *arena)
{
    una_row_key key = { .study = text_at(s, 0, arena), .data = text_at(s, 1, arena),
        .split = (uint64_t)sqlite3_column_int64(s, 2), .spec = text_at(s, 3, arena),
        .seed = (uint64_t)sqlite3_column_int64(s, 4), .results = (unsigned)sqlite3_column_int64(s, 5) };
    b->row = (una_row){ .key = key, .measure = b->measure, .value = b->value,
        .options = text_at(s, AT_OPTIONS, arena), .commit = text_at(s, AT_MADE_BY, arena),
        .kernels = text_at(s, AT_KERNELS, arena), .seconds = sqlite3_column_double(s, AT_SECONDS) };
    b->id = sqlite3_column_int64(s, AT_ID);
}

static una_status add_value(building *b, sqlite3_stmt *s, una_store *store, una_arena *arena, una_run *run)
{
    if (sqlite3_column_type(s, AT_MEASURE) == SQLITE_NULL) return una_arena_check(arena);    /* without measures */
    if (b->row.count == UNA_MOST_MEASURES)
        UNA_FAIL(run, UNA_E_INPUT, "a row of %s has more than %d measures", store->path, UNA_MOST_MEASURES);
    bool missing = sqlite3_column_type(s, AT_VALUE) == SQLITE_NULL;
    b->measure[b->row.count] = text_at(s, AT_MEASURE, arena);
    b->value[b->row.count++] = missing ? NAN : sqlite3_column_double(s, AT_VALUE);
    return una_arena_check(arena);
}

/* Calls the task with each row of a statement made of ROW_COLUMNS; its texts last until the task returns. */
static una_status walk(sqlite3_stmt *statement, una_store *store, una_row_task *task, void *context, una_run *run)
{
    building b = { .id = -1 };
    una_status status = UNA_OK;
    int code = SQLITE_ROW;
    una_arena texts;
    una_arena_init(&texts, run);

    while (status == UNA_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_int64(statement, AT_ID) != b.id) {
            if (b.id >= 0) status = task(context, &b.row, run);
            una_arena_reuse(&texts);
            begin_row(&b, statement, &texts);
        }
        if (status == UNA_OK) status = add_value(&b, statement, store, &texts, run);
    }

    if (status == UNA_OK && code != SQLITE_DONE) status = failed(store, run);
    if (status == UNA_OK) status = una_arena_check(&texts);
    if (status == UNA_OK && b.id >= 0) status = task(context, &b.row, run);
    una_arena_free(&texts);
    return status;
}

typedef struct finding { una_row *row; una_arena *arena; bool found; } finding;

static una_status copy_row(void *context, const una_row *row, una_run *run)
{
    finding *f = context;
    const char **measure = UNA_GET(f->arena, const char *, row->count);
    double *value = UNA_GET(f->arena, double, row->count);
    (void)run;
    UNA_TRY(una_arena_check(f->arena));
    for (size_t i = 0; i < row->count; i++) {
        measure[i] = una_arena_text(f->arena, row->measure[i]);
        value[i] = row->value[i];
    }

    *f->row = *row;
    f->row->measure = measure;
    f->row->value = value;
    f->row->key.study = una_arena_text(f->arena, row->key.study);
    f->row->key.data = una_arena_text(f->arena, row->key.data);
    f->row->key.spec = una_arena_text(f->arena, row->key.spec);
    f->row->options = una_arena_text(f->arena, row->options);
    f->row->kernels = una_arena_text(f->arena, row->kernels);
    f->row->commit = una_arena_text(f->arena, row->commit);
    f->found = true;
    return una_arena_check(f->arena);
}

una_status una_store_find(bool *found, una_row *row, una_store *store, const una_row_key *key, una_arena *arena,
                          una_run *run)
{
    finding f = { row, arena, false };
    sqlite3_stmt *statement;
    pthread_mutex_lock(&store->lock);
    una_status status = prepare(&statement, store, "SELECT " ROW_COLUMNS "WHERE " KEY_IS " ORDER BY v.place", run);
    if (status == UNA_OK) {
        bind_key(statement, key);
        status = walk(statement, store, copy_row, &f, run);
        sqlite3_finalize(statement);
    }
    pthread_mutex_unlock(&store->lock);
    *found = status == UNA_OK && f.found;
    return status;
}

una_status una_store_each(una_store *store, const char *study, una_row_task *task, void *context, una_run *run)
{
    sqlite3_stmt *statement;
    pthread_mutex_lock(&store->lock);
    una_status status = prepare(&statement, store, "SELECT " ROW_COLUMNS "WHERE study = ?1 OR "
                                "substr(study, 1, length(?1) + 1) = ?1 || '(' ORDER BY study, data, split, spec, seed, "
                                "results, v.place", run);
    if (status == UNA_OK) {
        bind_text(statement, 1, study);
        status = walk(statement, store, task, context, run);
        sqlite3_finalize(statement);
    }
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* ---- rows in ------------------------------------------------------------------------------------------------- */

typedef struct putting { const una_row *rows; size_t count; bool replace; size_t added; una_clash clash; } putting;

static una_status remove_row(una_store *store, const una_row_key *key, una_run *run)
{
    UNA_TRY(execute_for(store, "DELETE FROM value WHERE fit = (SELECT id FROM fit WHERE " KEY_IS ")", key, run));
    return execute_for(store, "DELETE FROM fit WHERE " KEY_IS, key, run);
}

static una_status insert_values(una_store *store, const una_row *row, sqlite3_int64 fit, una_run *run)
{
    sqlite3_stmt *statement;
    una_status status = UNA_OK;
    UNA_TRY(prepare(&statement, store, "INSERT INTO value (fit, place, measure, value) VALUES (?1, ?2, ?3, ?4)", run));

    for (size_t i = 0; i < row->count && status == UNA_OK; i++) {
        sqlite3_bind_int64(statement, 1, fit);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)i);
        bind_text(statement, 3, row->measure[i]);
        sqlite3_bind_double(statement, 4, row->value[i]);        /* NAN becomes NULL */
        if (sqlite3_step(statement) != SQLITE_DONE) status = failed(store, run);
        sqlite3_reset(statement);
    }

    sqlite3_finalize(statement);
    return status;
}

typedef struct comparing { const una_row *here; una_clash *clash; size_t row; } comparing;

static una_status compare_row(void *context, const una_row *there, una_run *run)
{
    const comparing *c = context;
    (void)run;
    if (strcmp(c->here->kernels, there->kernels) != 0) return UNA_OK;
    for (size_t i = 0; i < c->here->count; i++) {
        size_t at = una_row_find(there, c->here->measure[i]);
        if (at == SIZE_MAX) continue;
        double here = c->here->value[i], other = there->value[at];
        if (here == other || (isnan(here) && isnan(other))) continue;
        *c->clash = (una_clash){ c->row, c->here->measure[i], here, other };
        return UNA_OK;
    }
    return UNA_OK;
}

static una_status refuse_clash(una_store *store, putting *p, size_t row, una_run *run)
{
    sqlite3_stmt *statement;
    comparing c = { &p->rows[row], &p->clash, row };
    UNA_TRY(prepare(&statement, store, "SELECT " ROW_COLUMNS "WHERE " KEY_IS " ORDER BY v.place", run));
    bind_key(statement, &p->rows[row].key);
    una_status status = walk(statement, store, compare_row, &c, run);
    sqlite3_finalize(statement);
    UNA_TRY(status);
    if (p->clash.row == SIZE_MAX) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has another value of '%s' for a row that is put into it", store->path,
             p->clash.measure);
}

static una_status put_row(una_store *store, size_t at, putting *p, una_run *run)
{
    const una_row *row = &p->rows[at];
    sqlite3_stmt *statement;
    if (p->replace) UNA_TRY(remove_row(store, &row->key, run));
    UNA_TRY(prepare(&statement, store, "INSERT INTO fit (study, data, split, spec, seed, results, options, made_by, "
                    "kernels, seconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
                    "ON CONFLICT (study, data, split, spec, seed, results) DO NOTHING", run));
    bind_key(statement, &row->key);
    bind_text(statement, 7, row->options);
    bind_text(statement, 8, row->commit);
    bind_text(statement, 9, row->kernels);
    sqlite3_bind_double(statement, 10, row->seconds);
    UNA_TRY(finish(statement, store, run));

    if (sqlite3_changes(store->db) == 0) UNA_TRY(refuse_clash(store, p, at, run));        /* it was there */
    else {
        UNA_TRY(insert_values(store, row, sqlite3_last_insert_rowid(store->db), run));
        p->added++;
    }
    return execute_for(store, "DELETE FROM claim WHERE " KEY_IS, &row->key, run);
}

static una_status put_rows(una_store *store, void *context, una_run *run)
{
    putting *p = context;
    for (size_t i = 0; i < p->count; i++) UNA_TRY(put_row(store, i, p, run));
    return UNA_OK;
}

una_status una_store_put(una_store *store, const una_row *rows, size_t count, bool replace, size_t *added,
                         una_clash *clash, una_run *run)
{
    putting p = { .rows = rows, .count = count, .replace = replace, .clash.row = SIZE_MAX };
    una_status status = transact(store, put_rows, &p, run);
    if (clash) *clash = p.clash;
    if (added) *added = status == UNA_OK ? p.added : 0;
    return status;
}
