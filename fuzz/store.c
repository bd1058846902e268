/* SPDX-License-Identifier: MIT
 *
 * The store of sweeps. The first byte says which:
 *   0  rows made of the input: put, found and exported as they were, and imported from that again
 *   1  the input is a CSV file of rows: taken in or refused; exported and imported again it is the same
 *   2  the input is SQL, by which a stranger changed a store, and behind a NUL what lies beside it: refused, or read
 *      to its end, and no other file is touched
 *   3  the input is the file itself
 * The second bounds memory.
 */
#include "fuzz.h"
#include "sqlite.h"
#include "store/store_csv.h"

enum { MOST_ROWS = 6, MOST_VALUES = 4 };

static const char *const measures[MOST_VALUES] = { "rmse", "log_lik", "a, \"b\"", "other" };

typedef struct made {
    una_row rows[MOST_ROWS];
    size_t  count;
    double  value[MOST_ROWS][MOST_VALUES];
    char   *text[MOST_ROWS * 5];
    size_t  texts;
} made;

static const char *take_text(made *m, fuzz_bytes *bytes)
{
    return m->text[m->texts++] = fuzz_text(bytes);
}

static void make_rows(made *m, fuzz_bytes *bytes)
{
    *m = (made){ .count = 0 };
    while (bytes->left > 0 && m->count < MOST_ROWS) {
        una_row *row = &m->rows[m->count];
        uint8_t shape = fuzz_first(bytes);
        *row = (una_row){ .key = { shape & 1 ? "s(a=1)" : "s", NULL, fuzz_first(bytes), NULL, 0, 1 + shape / 128 },
                          .measure = measures, .value = m->value[m->count], .count = (shape >> 1) % (MOST_VALUES + 1) };
        row->key.data = take_text(m, bytes);
        row->key.spec = take_text(m, bytes);
        row->options = take_text(m, bytes);
        row->kernels = take_text(m, bytes);
        row->commit = take_text(m, bytes);
        row->key.seed = shape & 32 ? fuzz_word(bytes) : 7;
        row->seconds = shape & 64 ? fabs(fuzz_double(bytes)) : 0.5;
        if (!isfinite(row->seconds)) row->seconds = 0;
        /* No -0: a database does not keep it. */
        for (size_t i = 0; i < row->count; i++) m->value[m->count][i] = fuzz_double(bytes) + 0.0;
        m->count++;
    }
}

static void free_rows(made *m)
{
    for (size_t i = 0; i < m->texts; i++) free(m->text[i]);
}

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_row(const una_row *a, const una_row *b)
{
    FUZZ_CHECK(una_row_key_same(&a->key, &b->key), "another key");
    FUZZ_CHECK(a->count == b->count && a->seconds == b->seconds, "%zu values, not %zu", b->count, a->count);
    FUZZ_CHECK(strcmp(a->options, b->options) == 0 && strcmp(a->kernels, b->kernels) == 0 &&
               strcmp(a->commit, b->commit) == 0, "other texts");
    for (size_t i = 0; i < a->count; i++) {
        FUZZ_CHECK(strcmp(a->measure[i], b->measure[i]) == 0, "measure %s, not %s", b->measure[i], a->measure[i]);
        FUZZ_CHECK(same_value(a->value[i], b->value[i]), "%s is %.17g, not %.17g", a->measure[i], b->value[i],
                   a->value[i]);
    }
}

/* ---- out and in again ------------------------------------------------------------------------------------- */

static una_status count_row(void *context, const una_row *row, una_run *run)
{
    (void)run;
    FUZZ_CHECK(row->key.study && row->key.data && row->key.spec && row->options && row->kernels && row->commit,
               "a row without a text");
    for (size_t i = 0; i < row->count; i++) FUZZ_CHECK(row->measure[i], "a measure without a name");
    ++*(size_t *)context;
    return UNA_OK;
}

static una_status note_pair(void *context, const char *study, const char *data, una_run *run)
{
    (void)run;
    FUZZ_CHECK(study && data, "a pair without a text");
    ++*(size_t *)context;
    return UNA_OK;
}

/* Everything that reads a store. */
static void read_all(una_store *store, fuzz_world *w)
{
    static const char *const known[] = { "s" };
    size_t rows = 0, pairs = 0;
    const char *foreign = NULL;
    bool found = false, granted = false;
    una_row row;
    una_owner_name owner;
    bool held;
    una_row_key key = { "s", "d", 1, "luna", 7, 1 };
    const una_row_key *keys[] = { &key };
    FUZZ_EXPLAIN(una_store_each(store, "s", count_row, &rows, w->run), w);
    FUZZ_EXPLAIN(una_store_pairs(store, note_pair, &pairs, w->run), w);
    FUZZ_EXPLAIN(una_store_foreign_study(&foreign, store, known, 1, &w->run->scratch, w->run), w);
    if (FUZZ_EXPLAIN(una_store_find(&found, &row, store, &key, &w->run->scratch, w->run), w) == UNA_OK && found)
        count_row(&rows, &row, w->run);
    if (FUZZ_EXPLAIN(una_store_claim_all(&granted, store, keys, 1, w->run), w) == UNA_OK && granted) {
        FUZZ_EXPLAIN(una_store_owner(&held, &owner, store, &key, w->run), w);
        FUZZ_EXPLAIN(una_store_drop(store, &key, w->run), w);
    }
}

static bool is_utf8(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0, n; i < size; i += n)
        if ((n = una_utf8_length((const char *)bytes + i)) == 0) return false;
    return true;
}

/* What a store exports, another takes in, and exports the same. Bytes that are no UTF-8 are read as Latin-1. */
static void check_exported(una_store *store, const char *first, bool whole, fuzz_world *w)
{
    una_store *second = NULL;
    size_t rows = 0, read = 0, added = 0, sizes[2];
    if (FUZZ_EXPLAIN(una_store_export(store, &(una_row_table){ "s", measures, 2, first }, &rows, w->run), w)) return;
    unsigned char *one = fuzz_slurp(first, &sizes[0]);
    if (one && is_utf8(one, sizes[0]) &&
        FUZZ_EXPLAIN(una_store_open(&second, NULL, UNA_DATABASE_COPY, w->run), w) == UNA_OK) {
        una_status status =
            FUZZ_EXPLAIN(una_store_import(second, &(una_row_table){ "s", NULL, 0, first }, &read, &added, w->run), w);
        FUZZ_CHECK(status == UNA_OK || w->starved || !whole, "rows are exported, and refused: %s",
                   una_run_message(w->run));
        const char *again = fuzz_path("again.csv");
        if (status == UNA_OK) {
            FUZZ_CHECK(read == rows && added == rows, "%zu rows are %zu, of which %zu are new", rows, read, added);
            if (FUZZ_EXPLAIN(una_store_export(second, &(una_row_table){ "s", measures, 2, again }, &rows, w->run), w) ==
                UNA_OK) {
                unsigned char *two = fuzz_slurp(again, &sizes[1]);
                FUZZ_CHECK(two && sizes[0] == sizes[1] && memcmp(one, two, sizes[0]) == 0, 
                           "other rows come back:\n%s%s", one, two);
                free(two);
            }
        }
    }
    una_store_close(second);
    free(one);
}

/* ---- rows that are put ---------------------------------------------------------------------------------------- */

static bool has_all_texts(const una_row *row)
{
    return *row->key.data && *row->key.spec && *row->options && *row->kernels && *row->commit;
}

static void put_rows(fuzz_bytes bytes, fuzz_world *w)
{
    made m;
    una_store *store = NULL;
    una_put_result put = { .added = 0 };
    bool whole = true, replace = fuzz_first(&bytes) & 1;
    make_rows(&m, &bytes);
    if (FUZZ_EXPLAIN(una_store_open(&store, NULL, UNA_DATABASE_COPY, w->run), w) == UNA_OK) {
        una_status status = FUZZ_EXPLAIN(una_store_put(store, m.rows, m.count, replace, &put, w->run), w);
        FUZZ_CHECK(status != UNA_OK || put.added <= m.count, "%zu rows of %zu", put.added, m.count);
        for (size_t i = 0; status == UNA_OK && i < m.count; i++) {
            una_row got;
            bool found = false, last = true;
            for (size_t j = i + 1; j < m.count; j++) last = last && !una_row_key_same(&m.rows[i].key, &m.rows[j].key);
            for (size_t j = 0; j < i && !replace; j++) last = last && !una_row_key_same(&m.rows[i].key, &m.rows[j].key);
            whole = whole && has_all_texts(&m.rows[i]);
            if (FUZZ_EXPLAIN(una_store_find(&found, &got, store, &m.rows[i].key, &w->run->scratch, w->run), w)) break;
            FUZZ_CHECK(found, "row %zu is put, and not found", i);
            if (last) check_row(&m.rows[i], &got);
        }
        read_all(store, w);
        check_exported(store, fuzz_path("rows.csv"), whole, w);
    }
    una_store_close(store);
    free_rows(&m);
}

static void import_rows(fuzz_bytes bytes, fuzz_world *w)
{
    una_store *store = NULL;
    size_t rows = 0, added = 0;
    const char *path = fuzz_file("in.csv", bytes.at, bytes.left);
    if (FUZZ_EXPLAIN(una_store_open(&store, NULL, UNA_DATABASE_COPY, w->run), w) == UNA_OK &&
        FUZZ_EXPLAIN(una_store_import(store, &(una_row_table){ "s", measures, 2, path }, &rows, &added, w->run), w) ==
            UNA_OK) {
        FUZZ_CHECK(added <= rows, "%zu rows of %zu", added, rows);
        read_all(store, w);
        check_exported(store, fuzz_path("rows.csv"), true, w);
    }
    una_store_close(store);
}

/* ---- stores of strangers -------------------------------------------------------------------------------------- */

/* A store with two rows, as una makes it. */
static const unsigned char *template_bytes(size_t *size)
{
    static unsigned char *bytes;
    static size_t length;
    if (!bytes) {
        fuzz_world w;
        una_store *store = NULL;
        static const double value[] = { 1, NAN };
        una_row row = { .key = { "s", "d", 1, "luna", 7, 1 }, .measure = measures, .value = value, .count = 2,
                        .options = "luna()", .kernels = "k", .commit = "c", .seconds = 0.5 };
        const char *path = fuzz_path("template.sqlite");
        FUZZ_CHECK(fuzz_begin(&w, (fuzz_limits){0}), "no run");
        FUZZ_CHECK(una_store_open(&store, path, UNA_DATABASE_JOURNAL, w.run) == UNA_OK, "%s", una_run_message(w.run));
        FUZZ_CHECK(una_store_put(store, &row, 1, false, NULL, w.run) == UNA_OK, "%s", una_run_message(w.run));
        una_store_close(store);
        fuzz_end(&w);
        bytes = fuzz_slurp(path, &length);
        FUZZ_CHECK(bytes, "no template");
    }
    *size = length;
    return bytes;
}

static void open_file(const char *path, fuzz_world *w)
{
    una_store *store = NULL;
    if (FUZZ_EXPLAIN(una_store_open(&store, path, UNA_DATABASE_COPY, w->run), w) == UNA_OK) read_all(store, w);
    una_store_close(store);
    store = NULL;
    if (FUZZ_EXPLAIN(una_store_open(&store, path, UNA_DATABASE_JOURNAL, w->run), w) == UNA_OK) {
        read_all(store, w);
        check_exported(store, fuzz_path("rows.csv"), false, w);
    }
    una_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes), memory = fuzz_first(&bytes);
    size_t length = 0;
    const unsigned char *made_by_una = how % 4 == 2 ? template_bytes(&length) : NULL;
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(memory) })) return 0;
    if (how % 4 == 0) put_rows(bytes, &world);
    else if (how % 4 == 1) import_rows(bytes, &world);
    else if (how % 4 == 2) {
        char *sql = fuzz_text(&bytes);
        open_file(fuzz_database("store.sqlite", made_by_una, length, sql, bytes), &world);
        free(sql);
        fuzz_database_kept();
    } else {
        open_file(fuzz_database("store.sqlite", bytes.at, bytes.left, NULL, (fuzz_bytes){ NULL, 0 }), &world);
    }
    fuzz_end(&world);
    return 0;
}
