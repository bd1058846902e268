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
#include "store/database.h"
#include "store/owner.h"

enum { FORMAT = 1, KEY_CELLS = 6 };

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

#define KEY "study, data, split, spec, seed, results"
#define KEY_IS "study = $1 AND data = $2 AND split = $3 AND spec = $4 AND seed = $5 AND results = $6"

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

/* Whole numbers above 2^63 are stored as negative ones and come back as they were. */
static void give_key(una_sql_value cells[KEY_CELLS], const una_row_key *key)
{
    cells[0] = una_sql_text(key->study);
    cells[1] = una_sql_text(key->data);
    cells[2] = una_sql_integer((int64_t)key->split);
    cells[3] = una_sql_text(key->spec);
    cells[4] = una_sql_integer((int64_t)key->seed);
    cells[5] = una_sql_integer((int64_t)key->results);
}

static una_status delete_of(una_database *db, const char *table, const char *condition, const una_row_key *key,
                            una_run *run)
{
    una_sql_value cells[KEY_CELLS];
    give_key(cells, key);
    return una_database_change(NULL, db, &(una_sql_change){ table, NULL, condition }, cells, KEY_CELLS, run);
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

/* The reason of a refusal, and what happens to the results. */
static void fail_with_consequence(una_run *run)
{
    char why[800];
    snprintf(why, sizeof why, "%.799s", una_run_message(run));
    una_fail(run, UNA_E_INPUT, "%s. A file that is not a store of results can be moved away: results are taken from "
             "the CSV file beside it", why);
}

static una_status open_as(una_store **out, const char *path, una_database_mode mode, una_run *run)
{
    una_store *store = una_allocate(run, sizeof *store);
    *out = NULL;
    if (!store) return UNA_E_MEMORY;
    *store = (una_store){ .run = run };
    una_owner_here(&store->me, store);

    una_status status = una_database_open(&store->db, path, mode, run);
    if (status == UNA_E_INPUT && !una_database_is_server(path)) fail_with_consequence(run);
    if (status == UNA_OK) status = una_database_expect(store->db, "store of results", FORMAT, schema, run);
    if (status == UNA_OK) *out = store;
    else una_store_close(store);
    return status;
}

una_status una_store_open(una_store **store, const char *path, una_run *run)
{
    return open_as(store, path, UNA_DATABASE_JOURNAL, run);
}

una_status una_store_open_copy(una_store **store, const char *path, una_run *run)
{
    return open_as(store, path, UNA_DATABASE_COPY, run);
}

#define IS_MINE "host = $1 AND process = $2 AND start = $3 AND handle = $4"
enum { OWNER_CELLS = 4 };

static void give_owner(una_sql_value cells[OWNER_CELLS], const una_store *store)
{
    cells[0] = una_sql_text(store->me.host);
    cells[1] = una_sql_integer(store->me.process);
    cells[2] = una_sql_text(store->me.start);
    cells[3] = una_sql_text(store->me.handle);
}

/* For all claims of this handle. A failure is not reported, because this is not the thread of the run, whose message
 * must stay: claims that are not dropped end with the process, and claims that are not renewed now are renewed next
 * time. */
static void for_own_claims(una_store *store, const char *set)
{
    una_run child = { .settings = store->run->settings, .parent = store->run };
    una_sql_value cells[OWNER_CELLS + 1];
    double now = 0;
    if (una_database_now(&now, store->db, &child) != UNA_OK) return;
    give_owner(cells, store);
    cells[OWNER_CELLS] = una_sql_integer((int64_t)now);
    (void)una_database_change(NULL, store->db, &(una_sql_change){ "claim", set, IS_MINE }, cells, OWNER_CELLS + 1,
                              &child);
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

typedef struct holder { const una_database *db; una_owner_name name; int64_t since; bool found; } holder;

static una_status take_holder(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const una_sql_row_form claim = { UNA_OWNER_COLUMNS, UNA_OWNER_TYPES, "a claim" };
    holder *h = context;
    (void)count;
    UNA_TRY(una_database_check(h->db, &claim, cells, 0, run));
    h->name = una_owner_in(cells, &h->since);
    h->found = true;
    return UNA_OK;
}

static una_status find_holder(holder *h, una_database *db, const una_row_key *key, una_run *run)
{
    una_sql_value cells[KEY_CELLS];
    *h = (holder){ .db = db };
    give_key(cells, key);
    return una_database_each(db, "SELECT " UNA_OWNER_COLUMNS " FROM claim WHERE " KEY_IS, cells, KEY_CELLS, take_holder,
                             h, run);
}

static una_status take_claim(bool *granted, const una_store *store, const una_row_key *key, double now, una_run *run)
{
    una_database *db = store->db;
    const una_owner_name *me = &store->me;
    una_sql_value cells[KEY_CELLS + OWNER_CELLS + 1];
    holder h;
    *granted = false;
    UNA_TRY(find_holder(&h, db, key, run));
    if (h.found && !una_owner_same(&h.name, me) && una_owner_alive(&h.name, h.since, now, me)) return UNA_OK;

    give_key(cells, key);
    give_owner(cells + KEY_CELLS, store);
    cells[KEY_CELLS + OWNER_CELLS] = una_sql_integer((int64_t)now);
    UNA_TRY(una_database_write(db, 1, "INSERT INTO claim (" KEY ", " UNA_OWNER_COLUMNS ") "
                               "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (" KEY ") DO UPDATE "
                               "SET host = $7, process = $8, start = $9, handle = $10, since = $11", cells,
                               KEY_CELLS + OWNER_CELLS + 1, run));
    *granted = true;
    return UNA_OK;
}

typedef struct claiming {
    const una_store          *store;
    const una_row_key *const *keys;
    size_t                    count;
    bool                     *granted;
} claiming;

static una_status take_claims(una_database *db, void *context, una_run *run)
{
    const claiming *c = context;
    double now = 0;
    UNA_TRY(una_database_now(&now, db, run));
    for (size_t i = 0; i < c->count; i++) UNA_TRY(take_claim(&c->granted[i], c->store, c->keys[i], now, run));
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
    static const una_sql_change own = { "claim", NULL,
        KEY_IS " AND host = $7 AND process = $8 AND start = $9 AND handle = $10" };
    una_sql_value cells[KEY_CELLS + OWNER_CELLS];
    give_key(cells, key);
    give_owner(cells + KEY_CELLS, store);
    return una_database_change(NULL, store->db, &own, cells, KEY_CELLS + OWNER_CELLS, run);
}

una_status una_store_owner(una_owner *owner, una_store *store, const una_row_key *key, una_run *run)
{
    holder h;
    *owner = (una_owner){0};
    UNA_TRY(find_holder(&h, store->db, key, run));
    if (!h.found) return UNA_OK;
    una_owner_host_name(owner->host, h.name.host);
    owner->process = h.name.process;
    return UNA_OK;
}

/* ---- rows out ------------------------------------------------------------------------------------------------ */

#define ROW_COLUMNS "f.study, f.data, f.split, f.spec, f.seed, f.results, f.options, f.made_by, f.kernels, " \
                    "f.seconds, f.id, v.measure, v.value"
#define ROWS ROW_COLUMNS " FROM fit f LEFT JOIN value v ON v.fit = f.id "
enum { AT_OPTIONS = KEY_CELLS, AT_MADE_BY, AT_KERNELS, AT_SECONDS, AT_ID, AT_MEASURE, AT_VALUE };

typedef struct building {                /* a row put together from the lines of a query                    */
    una_store    *store;
    una_row_task *task;
    void         *context;
    una_arena     texts;                 /* of this row                                                     */
    una_row       row;
    int64_t       id;                    /* -1: there is none yet                                           */
    const char   *measure[UNA_MOST_MEASURES];
    double        value[UNA_MOST_MEASURES];
} building;

static const char *text_of(building *b, const una_sql_value *cell)
{
    return una_arena_text(&b->texts, cell->text ? cell->text : "");
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
    if (measure->type == UNA_SQL_NULL) return una_arena_check(&b->texts);        /* without measures */
    if (b->row.count == UNA_MOST_MEASURES)
        UNA_FAIL(run, UNA_E_INPUT, "a row of %s has more than %d measures", una_store_path(b->store),
                 UNA_MOST_MEASURES);
    b->measure[b->row.count] = text_of(b, measure);
    b->value[b->row.count++] = value->type == UNA_SQL_NULL ? NAN : value->real;
    return una_arena_check(&b->texts);
}

static una_status take_line(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const una_sql_row_form line = { ROW_COLUMNS, "ttwtwwtttnwTN", "row" };
    building *b = context;
    (void)count;
    UNA_TRY(una_database_check(b->store->db, &line, cells, cells[AT_ID].whole, run));
    if (cells[AT_ID].whole != b->id) {
        if (b->id >= 0) UNA_TRY(b->task(b->context, &b->row, run));
        una_arena_reuse(&b->texts);
        begin_row(b, cells);
    }
    return row_add_value(b, &cells[AT_MEASURE], &cells[AT_VALUE], run);
}

/* Calls the task with each row of a statement made of ROW_COLUMNS; its texts last until the task returns. */
static una_status store_each_row(una_store *store, const char *sql, const una_sql_value *cells, size_t count,
                                 una_row_task *task, void *context, una_run *run)
{
    building b = { .store = store, .task = task, .context = context, .id = -1 };
    una_arena_init(&b.texts, run);
    una_status status = una_database_each(store->db, sql, cells, count, take_line, &b, run);
    if (status == UNA_OK) status = una_arena_check(&b.texts);
    if (status == UNA_OK && b.id >= 0) status = task(context, &b.row, run);
    una_arena_free(&b.texts);
    return status;
}

/* The row of a key, if it is there. */
static una_status walk_key(una_store *store, const una_row_key *key, una_row_task *task, void *context, una_run *run)
{
    una_sql_value cells[KEY_CELLS];
    give_key(cells, key);
    return store_each_row(store, "SELECT " ROWS "WHERE " KEY_IS " ORDER BY v.place", cells, KEY_CELLS, task, context,
                          run);
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
    una_status status = walk_key(store, key, copy_row, &f, run);
    *found = status == UNA_OK && f.found;
    return status;
}

una_status una_store_each(una_store *store, const char *study, una_row_task *task, void *context, una_run *run)
{
    una_sql_value name = una_sql_text(study);
    return store_each_row(store, "SELECT " ROWS "WHERE study = $1 OR substr(study, 1, length($1) + 1) = $1 || '(' "
                          "ORDER BY " KEY ", v.place", &name, 1, task, context, run);
}

typedef struct pairing { const una_store *store; una_pair_task *task; void *context; } pairing;

static una_status take_pair(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const una_sql_row_form pair = { "study, data", "tt", "a row" };
    pairing *p = context;
    (void)count;
    UNA_TRY(una_database_check(p->store->db, &pair, cells, 0, run));
    return p->task(p->context, cells[0].text, cells[1].text, run);
}

una_status una_store_pairs(una_store *store, una_pair_task *task, void *context, una_run *run)
{
    pairing p = { store, task, context };
    return una_database_each(store->db, "SELECT DISTINCT study, data FROM fit ORDER BY study, data", NULL, 0, take_pair,
                             &p, run);
}

typedef struct meeting { const char *const *known; size_t count; bool met; char *foreign; una_arena *arena; } meeting;

static una_status note_foreign_study(void *context, const char *study, const char *data, una_run *run)
{
    meeting *m = context;
    (void)data;
    (void)run;
    for (size_t i = 0; i < m->count; i++) {
        size_t length = strlen(m->known[i]);
        bool same = strncmp(study, m->known[i], length) == 0;
        m->met = m->met || (same && (study[length] == 0 || study[length] == '('));
    }
    if (!m->foreign) m->foreign = una_arena_text(m->arena, study);
    return una_arena_check(m->arena);
}

una_status una_store_foreign_study(const char **foreign, una_store *store, const char *const *studies, size_t count,
                                   una_arena *arena, una_run *run)
{
    meeting m = { .known = studies, .count = count, .arena = arena };
    *foreign = NULL;
    UNA_TRY(una_store_pairs(store, note_foreign_study, &m, run));
    if (!m.met) *foreign = m.foreign;
    return UNA_OK;
}

/* ---- rows in ------------------------------------------------------------------------------------------------- */

typedef struct putting {
    una_store     *store;
    const una_row *rows;
    size_t         count, added;
    bool           replace;
    una_clash      clash;
} putting;

static una_status remove_row(una_database *db, const una_row_key *key, una_run *run)
{
    UNA_TRY(delete_of(db, "value", "fit = (SELECT id FROM fit WHERE " KEY_IS ")", key, run));
    return delete_of(db, "fit", KEY_IS, key, run);
}

static una_status insert_values(una_database *db, const una_row *row, una_sql_value fit, una_run *run)
{
    for (size_t i = 0; i < row->count; i++) {
        una_sql_value cells[] = { fit, una_sql_integer((int64_t)i), una_sql_text(row->measure[i]),
            una_sql_real(row->value[i]) };
        UNA_TRY(una_database_write(db, 1, "INSERT INTO value (fit, place, measure, value) VALUES ($1, $2, $3, $4)",
                                   cells, 4, run));
    }
    return UNA_OK;
}

typedef struct comparing { const una_row *here; una_clash *clash; size_t row; bool there; } comparing;

static una_status compare_row(void *context, const una_row *there, una_run *run)
{
    comparing *c = context;
    (void)run;
    c->there = true;
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

/* Is there a row with this key? A contradiction is refused. */
static una_status find_stored(bool *there, putting *p, size_t row, una_run *run)
{
    comparing c = { .here = &p->rows[row], .clash = &p->clash, .row = row };
    UNA_TRY(walk_key(p->store, &p->rows[row].key, compare_row, &c, run));
    *there = c.there;
    if (p->clash.row == SIZE_MAX) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has another value of '%s' for a row that is put into it", una_store_path(p->store),
             p->clash.measure);
}

/* The transaction is the only writer, so the next number is free. */
static una_status insert_row(una_database *db, const una_row *row, una_run *run)
{
    una_sql_value cells[KEY_CELLS + 5], id;
    UNA_TRY(una_database_ask(&id, db, "SELECT coalesce(max(id), 0) + 1 FROM fit", NULL, 0, &run->scratch, run));
    give_key(cells, &row->key);
    cells[6] = una_sql_text(row->options);
    cells[7] = una_sql_text(row->commit);
    cells[8] = una_sql_text(row->kernels);
    cells[9] = una_sql_real(row->seconds);
    cells[10] = id;
    UNA_TRY(una_database_write(db, 1, "INSERT INTO fit (" KEY ", options, made_by, kernels, seconds, id) VALUES "
                               "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", cells, KEY_CELLS + 5, run));
    return insert_values(db, row, id, run);
}

static una_status store_put_row(una_database *db, size_t at, putting *p, una_run *run)
{
    const una_row *row = &p->rows[at];
    bool there = false;
    if (p->replace) UNA_TRY(remove_row(db, &row->key, run));
    else UNA_TRY(find_stored(&there, p, at, run));
    if (!there) UNA_TRY(insert_row(db, row, run));
    p->added += !there;
    return delete_of(db, "claim", KEY_IS, &row->key, run);
}

static una_status put_rows(una_database *db, void *context, una_run *run)
{
    putting *p = context;
    p->added = 0;
    p->clash = (una_clash){ .row = SIZE_MAX };
    for (size_t i = 0; i < p->count; i++) UNA_TRY(store_put_row(db, i, p, run));
    return UNA_OK;
}

una_status una_store_put(una_store *store, const una_row *rows, size_t count, bool replace, size_t *added,
                         una_clash *clash, una_run *run)
{
    putting p = { .store = store, .rows = rows, .count = count, .replace = replace, .clash.row = SIZE_MAX };
    una_status status = una_database_transact(store->db, put_rows, &p, run);
    if (clash) *clash = p.clash;
    if (added) *added = status == UNA_OK ? p.added : 0;
    return status;
}
