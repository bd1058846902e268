/* SPDX-License-Identifier: MIT
 *
 * The store as three tables of a database: rows, their values, and claims. Every change is one transaction. Files use
 * the rollback journal: a write-ahead log would be faster, but rows come one per fit, and with the journal a folder at
 * rest holds a single file, which can be copied, and network file systems work too.
 *
 * If the server is lost in the middle of a transaction, its body runs again: bodies therefore begin by setting their
 * counts to zero.
 */
#include "store/store.h"

enum { FORMAT = 1, OWNER_CELLS = 5 };

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
    "PRAGMA user_version = 1;";          /* read by older versions of una */

#define IS_OF "(study = $1 OR substr(study, 1, length($1) + 1) = $1 || '(')"     /* una_row_is_of */
#define KEY "study, data, split, spec, seed, results"
#define KEY_IS "study = $1 AND data = $2 AND split = $3 AND spec = $4 AND seed = $5 AND results = $6"

/* Whole numbers above 2^63 are stored as negative ones and come back as they were. */
#define KEY_CELLS(key)                                                                                     \
    una_sql_text((key)->study), una_sql_text((key)->data), una_sql_integer((int64_t)(key)->split),          \
        una_sql_text((key)->spec), una_sql_integer((int64_t)(key)->seed), una_sql_integer((int64_t)(key)->results)

struct una_store {
    una_run       *run;                  /* allocator                                                        */
    una_database  *db;
    una_owner_name me;
};

const char *una_store_path(const una_store *store)
{
    return una_database_name(store->db);
}

size_t una_row_find(const una_row *row, const char *measure)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->measure[i], measure) == 0) return i;
    return SIZE_MAX;
}

bool una_row_is_of(const char *study, const char *name)
{
    size_t length = strlen(name);
    return strncmp(study, name, length) == 0 && (study[length] == 0 || study[length] == '(');
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

una_status una_store_open(una_store **out, const char *path, una_database_mode mode, una_run *run)
{
    una_store *store = una_allocate(run, sizeof *store);
    *out = NULL;
    if (!store) return UNA_E_MEMORY;
    *store = (una_store){ .run = run };
    una_owner_here(&store->me, store);

    una_status status = una_database_open(&store->db, path, mode, run);
    if (status == UNA_E_INPUT && !una_database_is_server(path))
        una_fail(run, status, "%.799s. A file that is not a store of results can be moved away: results are taken from "
                 "the CSV file beside it", run->message);
    if (status == UNA_OK) status = una_database_expect(store->db, "store of results", FORMAT, schema, run);
    if (status == UNA_OK) *out = store;
    else una_store_close(store);
    return status;
}

/* For all claims of this handle. A failure is not reported, because this is not the thread of the run, whose message
 * must stay: claims that are not dropped end with the process, and claims that are not renewed now are renewed next
 * time. */
static void for_own_claims(una_store *store, const char *set)
{
    una_run child = { .settings = store->run->settings, .parent = store->run };
    double now = 0;
    if (una_database_now(&now, store->db, &child) != UNA_OK) return;
    una_sql sql = UNA_SQL("host = $1 AND process = $2 AND start = $3 AND handle = $4", UNA_OWNER_CELLS(store->me),
                          una_sql_integer((int64_t)now));
    (void)una_database_change(NULL, store->db, "claim", set, sql, &child);
}

void una_store_close(una_store *store)
{
    if (!store) return;
    if (store->db) for_own_claims(store, NULL);
    una_database_close(store->db);
    una_release(store->run, store);
}

void una_store_renew(una_store *store)
{
    for_own_claims(store, "since = $5");
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

una_status una_store_owner(bool *held, una_owner_name *owner, una_store *store, const una_row_key *key, una_run *run)
{
    static const una_sql_row_form claim = { UNA_OWNER_COLUMNS, UNA_OWNER_TYPES, "a claim" };
    una_sql_value cells[OWNER_CELLS];
    *owner = (una_owner_name){0};
    una_sql sql = UNA_SQL("SELECT " UNA_OWNER_COLUMNS " FROM claim WHERE " KEY_IS, KEY_CELLS(key));
    UNA_TRY(una_database_ask(cells, store->db, sql, &claim, run));
    *held = cells[0].text != NULL;
    if (*held) *owner = una_owner_in(cells);
    return UNA_OK;
}

static una_status take_claim(bool *granted, una_store *store, const una_row_key *key, double now, una_run *run)
{
    const una_owner_name *me = &store->me;
    una_owner_name holder;
    bool held;
    *granted = false;
    UNA_TRY(una_store_owner(&held, &holder, store, key, run));
    if (held && !una_owner_same(&holder, me) && una_owner_alive(&holder, now, me)) return UNA_OK;
    una_sql sql = UNA_SQL("INSERT INTO claim (" KEY ", " UNA_OWNER_COLUMNS ") "
                          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (" KEY ") DO "
                          "UPDATE SET host = $7, process = $8, start = $9, handle = $10, since = $11",
                          KEY_CELLS(key), UNA_OWNER_CELLS(*me), una_sql_integer((int64_t)now));
    UNA_TRY(una_database_write(store->db, sql, run));
    *granted = true;
    return UNA_OK;
}

typedef struct claiming {
    una_store                *store;
    const una_row_key *const *keys;
    size_t                    count;
    bool                     *granted;
} claiming;

static una_status take_claims(una_database *db, void *context, una_run *run)
{
    const claiming *c = context;
    double now = 0;
    UNA_TRY(una_database_now(&now, db, run));
    for (size_t i = 0; i < c->count; i++) UNA_SCOPED(run, take_claim(&c->granted[i], c->store, c->keys[i], now, run));
    return UNA_OK;
}

una_status una_store_claim_all(bool *granted, una_store *store, const una_row_key *const *keys, size_t count,
                               una_run *run)
{
    claiming c = { store, keys, count, granted };
    una_status status = una_database_transact(store->db, take_claims, &c, run);
    for (size_t i = 0; status != UNA_OK && i < count; i++) granted[i] = false;
    return status;
}

/* Only its own claim: another process may have taken it over. */
una_status una_store_drop(una_store *store, const una_row_key *key, una_run *run)
{
    una_sql sql = UNA_SQL(KEY_IS " AND host = $7 AND process = $8 AND start = $9 AND handle = $10", KEY_CELLS(key),
                          UNA_OWNER_CELLS(store->me));
    return una_database_change(NULL, store->db, "claim", NULL, sql, run);
}

/* ---- rows out ------------------------------------------------------------------------------------------------ */

#define ROW_COLUMNS "f.study, f.data, f.split, f.spec, f.seed, f.results, f.options, f.made_by, f.kernels, " \
                    "f.seconds, f.id, v.measure, v.value"
#define ROWS ROW_COLUMNS " FROM fit f LEFT JOIN value v ON v.fit = f.id "
enum { AT_OPTIONS = 6, AT_MADE_BY, AT_KERNELS, AT_SECONDS, AT_ID, AT_MEASURE, AT_VALUE };

typedef struct building {                /* a row put together from the lines of a query                    */
    una_store    *store;
    una_row_task *task;                  /* NULL: one row is looked for                                     */
    void         *context;
    una_arena    *texts;                 /* of this row                                                     */
    una_row       row;
    int64_t       id;                    /* -1: there is none yet                                           */
    const char   *measure[UNA_MOST_MEASURES];
    double        value[UNA_MOST_MEASURES];
} building;

static const char *text_of(const building *b, const una_sql_value *cell)
{
    return una_arena_text(b->texts, cell->text ? cell->text : "");
}

static void begin_row(building *b, const una_sql_value *cells)
{
    una_row_key key = { .study = text_of(b, &cells[0]), .data = text_of(b, &cells[1]),
        .split = (uint64_t)cells[2].whole, .spec = text_of(b, &cells[3]), .seed = (uint64_t)cells[4].whole,
        .results = (unsigned)cells[5].whole };
    b->row = (una_row){ .key = key, .measure = b->measure, .value = b->value,
        .options = text_of(b, &cells[AT_OPTIONS]), .commit = text_of(b, &cells[AT_MADE_BY]),
        .kernels = text_of(b, &cells[AT_KERNELS]), .seconds = cells[AT_SECONDS].real };
    b->id = cells[AT_ID].whole;
}

static una_status row_add_value(building *b, const una_sql_value *measure, const una_sql_value *value, una_run *run)
{
    if (measure->type == UNA_SQL_NULL) return una_arena_check(b->texts);        /* without measures */
    if (b->row.count == UNA_MOST_MEASURES)
        UNA_FAIL(run, UNA_E_INPUT, "a row of %s has more than %d measures", una_store_path(b->store),
                 UNA_MOST_MEASURES);
    b->measure[b->row.count] = text_of(b, measure);
    b->value[b->row.count++] = una_sql_number(value);
    return una_arena_check(b->texts);
}

static const una_sql_row_form row_line = { ROW_COLUMNS, "ttwtwwtttnwTN", "row" };

static una_status take_line(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    building *b = context;
    (void)count;
    if (cells[AT_ID].whole != b->id) {
        if (b->task && b->id >= 0) UNA_TRY(b->task(b->context, &b->row, run));
        if (b->task) una_arena_reuse(b->texts);
        begin_row(b, cells);
    }
    return row_add_value(b, &cells[AT_MEASURE], &cells[AT_VALUE], run);
}

una_status una_store_find(bool *found, una_row *row, una_store *store, const una_row_key *key, una_arena *arena,
                          una_run *run)
{
    building b = { .store = store, .texts = arena, .id = -1 };
    *found = false;
    UNA_TRY(una_database_each(store->db, UNA_SQL("SELECT " ROWS "WHERE " KEY_IS " ORDER BY v.place", KEY_CELLS(key)),
                              &row_line, take_line, &b, run));
    if (b.id < 0) return UNA_OK;
    UNA_NEW(arena, const char *, measure, b.row.count);
    UNA_NEW(arena, double, value, b.row.count);
    memcpy(measure, b.measure, b.row.count * sizeof *measure);
    memcpy(value, b.value, b.row.count * sizeof *value);
    *row = b.row;
    row->measure = measure;
    row->value = value;
    *found = true;
    return UNA_OK;
}

una_status una_store_each(una_store *store, const char *study, una_row_task *task, void *context, una_run *run)
{
    una_arena texts;
    building b = { .store = store, .task = task, .context = context, .texts = &texts, .id = -1 };
    una_arena_init(&texts, run);
    una_status status = una_database_each(
        store->db, UNA_SQL("SELECT " ROWS "WHERE " IS_OF " ORDER BY " KEY ", v.place", una_sql_text(study)), &row_line, take_line, &b, run);
    if (status == UNA_OK && b.id >= 0) status = task(context, &b.row, run);
    una_arena_free(&texts);
    return status;
}

typedef struct pairing { una_pair_task *task; void *context; } pairing;

static una_status take_pair(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    const pairing *p = context;
    (void)count;
    return p->task(p->context, cells[0].text, cells[1].text, run);
}

una_status una_store_pairs(una_store *store, una_pair_task *task, void *context, una_run *run)
{
    static const una_sql_row_form pair = { "study, data", "tt", "a row" };
    return una_database_each(store->db, una_sql_plain("SELECT DISTINCT study, data FROM fit ORDER BY study, data"),
                             &pair, take_pair, &(pairing){ task, context }, run);
}

una_status una_store_foreign_study(const char **foreign, una_store *store, const char *const *studies, size_t count,
                                   una_arena *arena, una_run *run)
{
    static const una_sql_row_form first = { "study", "T", "a row" };
    una_sql_value cell;
    *foreign = NULL;
    for (size_t i = 0; i < count; i++) {
        una_sql known = UNA_SQL("SELECT count(*) FROM fit WHERE " IS_OF, una_sql_text(studies[i]));
        UNA_TRY(una_database_ask(&cell, store->db, known, NULL, run));
        if (cell.whole > 0) return UNA_OK;
    }
    UNA_TRY(una_database_ask(&cell, store->db, una_sql_plain("SELECT min(study) FROM fit"), &first, run));
    *foreign = una_arena_text(arena, cell.text);
    return una_arena_check(arena);
}

/* ---- rows in ------------------------------------------------------------------------------------------------- */

typedef struct putting {
    una_store     *store;
    const una_row *rows;
    size_t         count;
    bool           replace;
    una_put_result result;
} putting;

/* Is there a row with this key? A contradiction is refused. */
static una_status find_stored(bool *found, putting *p, size_t at, una_run *run)
{
    const una_row *row = &p->rows[at];
    una_row stored;
    UNA_TRY(una_store_find(found, &stored, p->store, &row->key, &run->scratch, run));
    if (!*found || strcmp(row->kernels, stored.kernels) != 0) return UNA_OK;
    for (size_t i = 0; i < row->count; i++) {
        size_t same = una_row_find(&stored, row->measure[i]);
        double here = row->value[i], there = same == SIZE_MAX ? here : stored.value[same];
        if (here == there || (isnan(here) && isnan(there))) continue;
        p->result = (una_put_result){ 0, at, row->measure[i], here, there };
        UNA_FAIL(run, UNA_E_INPUT, "%s has another value of '%s' for a row that is put into it",
                 una_store_path(p->store), row->measure[i]);
    }
    return UNA_OK;
}

static una_status delete_row(una_database *db, const una_row_key *key, una_run *run)
{
    UNA_TRY(una_database_change(NULL, db, "value", NULL, UNA_SQL("fit = (SELECT id FROM fit WHERE " KEY_IS ")",
                                                                 KEY_CELLS(key)), run));
    return una_database_change(NULL, db, "fit", NULL, UNA_SQL(KEY_IS, KEY_CELLS(key)), run);
}

/* The transaction is the only writer, so the next number is free. */
static una_status insert_row(una_database *db, const una_row *row, una_run *run)
{
    una_sql_value id;
    UNA_TRY(una_database_ask(&id, db, una_sql_plain("SELECT coalesce(max(id), 0) + 1 FROM fit"), NULL, run));
    una_sql sql = UNA_SQL("INSERT INTO fit (" KEY ", options, made_by, kernels, seconds, id) VALUES "
                          "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                          KEY_CELLS(&row->key), una_sql_text(row->options), una_sql_text(row->commit),
                          una_sql_text(row->kernels), una_sql_real(row->seconds), id);
    UNA_TRY(una_database_write(db, sql, run));
    for (size_t i = 0; i < row->count; i++)
        UNA_TRY(una_database_write(db, UNA_SQL("INSERT INTO value (fit, place, measure, value) VALUES ($1, $2, $3, $4)",
                                               id, una_sql_integer((int64_t)i), una_sql_text(row->measure[i]),
                                               una_sql_real(row->value[i])), run));
    return UNA_OK;
}

static una_status store_put_row(una_database *db, size_t at, putting *p, una_run *run)
{
    const una_row *row = &p->rows[at];
    bool there = false;
    if (p->replace) UNA_TRY(delete_row(db, &row->key, run));
    else UNA_TRY(find_stored(&there, p, at, run));
    if (!there) UNA_TRY(insert_row(db, row, run));
    p->result.added += !there;
    return una_database_change(NULL, db, "claim", NULL, UNA_SQL(KEY_IS, KEY_CELLS(&row->key)), run);
}

static una_status put_rows(una_database *db, void *context, una_run *run)
{
    putting *p = context;
    p->result = (una_put_result){ .clash = SIZE_MAX };
    for (size_t i = 0; i < p->count; i++) UNA_SCOPED(run, store_put_row(db, i, p, run));
    return UNA_OK;
}

una_status una_store_put(una_store *store, const una_row *rows, size_t count, bool replace, una_put_result *result,
                         una_run *run)
{
    putting p = { .store = store, .rows = rows, .count = count, .replace = replace, .result.clash = SIZE_MAX };
    una_status status = una_database_transact(store->db, put_rows, &p, run);
    if (status != UNA_OK) p.result.added = 0;
    if (result) *result = p.result;
    return status;
}
