/* SPDX-License-Identifier: MIT
 *
 * Rows as CSV: see store_csv.h for the form.
 */
#include "store/store_csv.h"

#include "base/record.h"
#include "read/csv.h"

#include <inttypes.h>
#include <sys/stat.h>

enum { STUDY, DATA, SPLIT, SPEC, SEED, RESULTS, SECONDS, KERNELS, COMMIT, OPTIONS, FIXED };
static const char *const names[FIXED] = { "study", "data", "split", "spec", "seed", "results", "seconds", "kernels",
                                          "commit", "options" };

/* ---- out ----------------------------------------------------------------------------------------------------- */

typedef struct writing {
    una_file    *to;
    una_text     text;                   /* of one record                                                    */
    una_arena   *arena;
    const char **measure;                /* [count, room]: the columns                                       */
    size_t       count, room, rows;
} writing;

static void add_column(writing *w, const char *measure)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->measure[i], measure) == 0) return;
    const char **wider = una_arena_grow(w->arena, w->measure, w->count, &w->room, sizeof *wider);
    const char *name = una_arena_text(w->arena, measure);
    if (!wider || !name) return;
    w->measure = wider;
    w->measure[w->count++] = name;
}

static una_status collect_columns(void *context, const una_row *row, una_run *run)
{
    writing *w = context;
    (void)run;
    for (size_t i = 0; i < row->count; i++) add_column(w, row->measure[i]);
    return una_arena_check(w->arena);
}

static una_status put_record(writing *w, una_record *record, una_run *run)
{
    una_record_end(record);
    UNA_TRY(una_arena_check(w->arena));
    una_status status = una_file_write(w->to, w->text.at, w->text.length, run);
    w->text.length = 0;
    return status;
}

static una_status put_header(writing *w, una_run *run)
{
    una_record record = una_record_begin(&w->text);
    for (size_t i = 0; i < SECONDS; i++) una_record_words(&record, names[i]);
    for (size_t i = 0; i < w->count; i++) una_record_words(&record, w->measure[i]);
    for (size_t i = SECONDS; i < FIXED; i++) una_record_words(&record, names[i]);
    return put_record(w, &record, run);
}

/* Of what is not finite, too. */
static void put_number(una_record *record, double value)
{
    char number[32];
    una_number_text(number, value);
    una_record_bytes(record, number, strlen(number));
}

static una_status export_row(void *context, const una_row *row, una_run *run)
{
    writing *w = context;
    una_record record = una_record_begin(&w->text);
    una_record_quoted(&record, row->key.study);
    una_record_quoted(&record, row->key.data);
    una_record_count(&record, row->key.split);
    una_record_quoted(&record, row->key.spec);
    una_record_count(&record, row->key.seed);
    una_record_count(&record, row->key.results);

    for (size_t i = 0; i < w->count; i++) {
        size_t at = una_row_find(row, w->measure[i]);
        if (at == SIZE_MAX) una_record_words(&record, NULL);
        else put_number(&record, row->value[at]);
    }
    put_number(&record, row->seconds);
    una_record_quoted(&record, row->kernels);
    una_record_quoted(&record, row->commit);
    una_record_quoted(&record, row->options);
    w->rows++;
    return put_record(w, &record, run);
}

static una_status write_table(writing *w, una_store *store, const una_row_table *table, una_run *run)
{
    for (size_t i = 0; i < table->measure_count; i++) add_column(w, table->measures[i]);
    UNA_TRY(una_store_each(store, table->study, collect_columns, w, run));
    UNA_TRY(una_arena_check(w->arena));
    UNA_TRY(una_file_begin(w->to, table->path, w->arena, run));
    UNA_TRY(put_header(w, run));
    UNA_TRY(una_store_each(store, table->study, export_row, w, run));
    return una_file_commit(w->to, run);          /* which sees a failure of the stream */
}

una_status una_store_export(una_store *store, const una_row_table *table, size_t *count, una_run *run)
{
    una_arena arena;
    una_file file = {0};
    una_arena_init(&arena, run);
    writing w = { .to = &file, .text = una_text_in(&arena), .arena = &arena };
    una_status status = write_table(&w, store, table, run);
    una_file_abandon(&file);
    una_arena_free(&arena);
    if (count) *count = w.rows;
    return status;
}

una_status una_store_check_csv(const char *path, una_run *run)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s is not a plain file, as those of results are; move it away, or choose another file "
             "or folder", path);
}

/* ---- in ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    una_csv    *csv;
    const una_row_table *table;
    size_t      fixed[FIXED];            /* columns                                                         */
    bool       *is_measure;              /* [columns]                                                       */
    una_arena  *arena;
    una_row    *rows;                    /* [count, room]                                                   */
    size_t     *lines;                   /* [count, room] where they stand                                  */
    size_t      count, room;
    una_run    *run;
} reading;

static una_status not_ours(const reading *r, const char *why, const char *column)
{
    UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu, column '%s': %s, so this is not a row of results of '%s'; correct or "
             "remove the line, or choose another folder or file", r->csv->path, r->csv->record_line, column, why,
             r->table->study);
}

static una_status rows_find_columns(reading *r)
{
    UNA_NEW_AT(r->arena, r->is_measure, r->csv->columns);
    for (size_t c = 0; c < r->csv->columns; c++) r->is_measure[c] = true;

    for (size_t f = 0; f < FIXED; f++) {
        size_t c = 0;
        while (c < r->csv->columns && strcmp(r->csv->names[c], names[f]) != 0) c++;
        if (c == r->csv->columns)
            UNA_FAIL(r->run, UNA_E_INPUT, "%s has no column '%s', so it is not a table of results of this una; move it "
                     "away, or choose another folder or file", r->csv->path, names[f]);
        r->fixed[f] = c;
        r->is_measure[c] = false;
    }
    return UNA_OK;
}

static una_status import_text(const char **text, const reading *r, size_t fixed)
{
    const una_cell *cell = &r->csv->cells[r->fixed[fixed]];
    UNA_NEW(r->arena, char, copy, cell->length + 1);
    *text = memcpy(copy, cell->at, cell->length);
    if (cell->length == 0) return not_ours(r, "there is no text", names[fixed]);
    return UNA_OK;
}

static una_status take_count(uint64_t *count, const reading *r, size_t fixed)
{
    const una_cell *cell = &r->csv->cells[r->fixed[fixed]];
    bool good = cell->length > 0;
    *count = 0;
    for (size_t i = 0; i < cell->length && good; i++) {
        unsigned digit = (unsigned)(cell->at[i] - '0');
        good = digit <= 9 && *count <= (UINT64_MAX - digit) / 10;
        *count = 10 * *count + digit;
    }
    return good ? UNA_OK : not_ours(r, "there is no whole number", names[fixed]);
}

static bool cell_number(double *value, const una_cell *cell)
{
    una_cell_kind kind = una_cell_read(cell, value);
    size_t first = 0;                            /* behind blanks, as people write them */
    while (first < cell->length && (cell->at[first] == ' ' || cell->at[first] == '\t')) first++;
    if (kind == UNA_CELL_MISSING) *value = NAN;
    if (kind == UNA_CELL_INFINITE) *value = cell->at[first] == '-' ? -HUGE_VAL : HUGE_VAL;
    return kind != UNA_CELL_WORD;
}

static una_status take_values(una_row *row, const reading *r)
{
    UNA_NEW(r->arena, const char *, measure, r->csv->columns);
    UNA_NEW(r->arena, double, value, r->csv->columns);
    row->measure = measure;
    row->value = value;

    for (size_t c = 0; c < r->csv->columns; c++) {
        const una_cell *cell = &r->csv->cells[c];
        if (!r->is_measure[c] || cell->length == 0) continue;
        if (row->count == UNA_MOST_MEASURES) return not_ours(r, "there are too many measures", r->csv->names[c]);
        if (!cell_number(&value[row->count], cell)) return not_ours(r, "there is no number", r->csv->names[c]);
        measure[row->count++] = r->csv->names[c];
    }
    return UNA_OK;
}

static una_status take_row(una_row *row, const reading *r)
{
    uint64_t results = 0;
    *row = (una_row){0};
    UNA_TRY(import_text(&row->key.study, r, STUDY));
    UNA_TRY(import_text(&row->key.data, r, DATA));
    UNA_TRY(take_count(&row->key.split, r, SPLIT));
    UNA_TRY(import_text(&row->key.spec, r, SPEC));
    UNA_TRY(take_count(&row->key.seed, r, SEED));
    UNA_TRY(take_count(&results, r, RESULTS));
    UNA_TRY(import_text(&row->kernels, r, KERNELS));
    UNA_TRY(import_text(&row->commit, r, COMMIT));
    UNA_TRY(import_text(&row->options, r, OPTIONS));

    if (!una_row_is_of(row->key.study, r->table->study)) return not_ours(r, "this is another study", names[STUDY]);
    if (results > UINT32_MAX) return not_ours(r, "there is no results version", names[RESULTS]);
    row->key.results = (unsigned)results;
    if (!cell_number(&row->seconds, &r->csv->cells[r->fixed[SECONDS]]) || !isfinite(row->seconds))
        return not_ours(r, "there is no number", names[SECONDS]);
    return take_values(row, r);
}

static una_status import_lines(reading *r)
{
    UNA_TRY(rows_find_columns(r));
    for (bool more = true;; r->count++) {
        UNA_TRY(una_csv_next(r->csv, &more));
        if (!more) return UNA_OK;
        size_t room = r->room;
        r->rows = una_arena_grow(r->arena, r->rows, r->count, &r->room, sizeof *r->rows);
        r->lines = una_arena_grow(r->arena, r->lines, r->count, &room, sizeof *r->lines);
        UNA_TRY(una_arena_check(r->arena));
        r->lines[r->count] = r->csv->record_line;
        UNA_TRY(take_row(&r->rows[r->count], r));
    }
}

/* A measure of another version, or a typing error: a warning, because nothing will read it. */
static void warn_of_others(const reading *r)
{
    const una_row_table *t = r->table;
    for (size_t c = 0; c < r->csv->columns; c++) {
        bool known = !r->is_measure[c] || !t->measures;
        for (size_t m = 0; m < t->measure_count && !known; m++) known = strcmp(r->csv->names[c], t->measures[m]) == 0;
        if (!known)
            una_log(r->run, UNA_LOG_WARNING, "%.400s has a column '%.80s', which is no measure of %s here; it is kept "
                    "and not used", r->csv->path, r->csv->names[c], t->study);
    }
}

/* A row contradicts another one of the same key: an earlier line, or a row of the store. */
static una_status report_clash(const reading *r, const una_put_result *put, const una_store *store)
{
    char here[32], there[32];
    size_t clash = put->clash, other = 0;
    const una_row_key *key = &r->rows[clash].key;
    const char *name = una_row_key_describe(key, r->arena);
    UNA_TRY(una_arena_check(r->arena));
    una_number_text(here, put->here);
    una_number_text(there, put->there);

    while (other < clash && !una_row_key_same(key, &r->rows[other].key)) other++;
    if (other < clash)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s, lines %zu and %zu: two rows of %s, in which '%s' is %s and %s; remove the "
                 "line that is wrong", r->csv->path, r->lines[other], r->lines[clash], name, put->measure, there,
                 here);
    UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu: '%s' of %s is %s, and in the store %s it is %s; remove one of the two "
             "files: the table, to go on with the rows of the store, or the store, to go on with those of the table",
             r->csv->path, r->lines[clash], put->measure, name, here, una_store_path(store), there);
}

static una_status read_table(reading *r, una_put_result *put, una_store *store)
{
    UNA_TRY(una_store_check_csv(r->table->path, r->run));
    UNA_TRY(una_csv_open(&r->csv, r->table->path, r->arena));
    UNA_TRY(import_lines(r));
    warn_of_others(r);
    una_status status = una_store_put(store, r->rows, r->count, false, put, r->run);
    return status == UNA_E_INPUT && put->clash != SIZE_MAX ? report_clash(r, put, store) : status;
}

una_status una_store_import(una_store *store, const una_row_table *table, size_t *count, size_t *added, una_run *run)
{
    una_put_result put = { .added = 0 };
    reading r = { .table = table, .arena = &run->scratch, .run = run };
    una_status status;
    UNA_SCOPED_CALL(status, run, read_table(&r, &put, store));
    *count = status == UNA_OK ? r.count : 0;
    *added = put.added;
    return status;
}
