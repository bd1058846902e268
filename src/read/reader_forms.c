/* SPDX-License-Identifier: MIT
 *
 * How the numbers of a file are written, as far as its reader finds out on the way: forms of columns whose types are
 * given, and points that may be thousands marks.
 */
#include "read/reader_inside.h"

#include "read/column_formats.h"

/* ---- the file as a whole ----------------------------------------------------------------------------------- */

/* Whether 1.234 means thousands where the rest of the file has decimal commas. With commas or tabs between cells older
 * versions read such points as decimal, and so it stays. */
bool una_reader_points_follow(const una_reader *reader)
{
    return strchr(";|", reader->csv->dialect.delimiter) != NULL;
}

void una_reader_begin_studies(una_reader *reader, una_cell_counts *study, size_t count)
{
    const una_read_settings *given = reader->run->settings.reading;
    if (!reader->csv) return;
    char decimal = given ? given->decimal : 0, order = given && given->dates ? given->dates[0] : 0;
    for (size_t c = 0; c < count; c++) study[c] = (una_cell_counts){ .decimal = decimal, .order = order };
    reader->commas = reader->csv->dialect.decimal == ',' && (una_reader_points_follow(reader) || decimal);
}

/* Hints from the file as a whole, for columns that leave the format open. */
void una_reader_give_hints(una_reader *reader, const una_cell_format_proof *proof)
{
    char decimal = una_proved_decimal(proof), order = una_proved_order(proof);
    /* Who writes semicolons between cells does so because of decimal commas. */
    char hint = decimal;
    if (!hint && reader->csv->dialect.delimiter == ';') hint = ',';
    for (size_t c = 0; c < reader->table_columns; c++) {
        una_cell_counts *s = &reader->study[c];
        s->hint = hint;
        s->plain_hint = una_reader_points_follow(reader) ? decimal : 0;
        s->against = decimal == ',' && !una_reader_points_follow(reader);
        s->order_hint = order;
    }
}

/* A number with a point is a word where commas are decimal marks. */
una_cell_kind una_reader_cell_kind(const una_reader *reader, const una_cell *cell, double *value)
{
    una_cell_kind kind = una_cell_read(cell, value);
    bool pointed = kind == UNA_CELL_NUMBER && reader->commas && memchr(cell->at, '.', cell->length);
    return pointed ? UNA_CELL_WORD : kind;
}

void una_cell_format_prove(una_cell_format_proof *proof, const una_cell_counts *s)
{
    bool numbers = s->numbers && !(s->dates + s->times + s->words);
    bool dates = s->dates && !(s->numbers + s->times + s->words);
    proof->points |= numbers && s->point && !s->comma;
    proof->commas |= numbers && s->comma && !s->point;
    proof->days_first |= dates && s->day_first && !s->month_first;
    proof->months_first |= dates && s->month_first && !s->day_first;
}

char una_proved_decimal(const una_cell_format_proof *proof)
{
    if (proof->points == proof->commas) return 0;
    return proof->commas ? ',' : '.';
}

char una_proved_order(const una_cell_format_proof *proof)
{
    if (proof->days_first == proof->months_first) return 0;
    return proof->days_first ? 'd' : 'm';
}

/* ---- forms of columns whose types are given ------------------------------------------------------------- */

static una_status check_unit(const una_reader *reader, size_t c)
{
    const char *own = reader->wanted[c].unit, *found = reader->form[c].unit, *second = reader->study[c].other_unit;
    if (!own || !*found) return UNA_OK;
    if (*second && strcmp(own, found) == 0) found = second;
    if (*second && !*own)
        UNA_FAIL(reader->run, UNA_E_INPUT, "%s: some cells of the column '%.60s' have the unit '%s' and others '%s'; "
                 "convert them to one", reader->path, reader->table_names[c], found, second);
    if (strcmp(own, found) == 0 || (!*own && strcmp(found, "%") == 0)) return UNA_OK;
    if (*own)
        UNA_FAIL(reader->run, UNA_E_INPUT, "%s: the cells of the column '%.60s' have the unit '%s', and the model was "
                 "fitted to '%s'; convert them", reader->path, reader->table_names[c], found, own);
    una_log(reader->run, UNA_LOG_WARNING, "column '%.60s' of %.200s: the unit '%s' was taken off, and the model was "
            "fitted to numbers without a unit", reader->table_names[c], reader->path, found);
    return UNA_OK;
}

static una_status decide_form(una_reader *reader, size_t c)
{
    una_cell_counts *s = &reader->study[c];
    una_cell_format *form = &reader->form[c];
    una_arena *work = &reader->run->scratch;
    UNA_TRY(una_check_cancelled(reader->run, "reading"));
    una_cell_format_decide(form, s, false);
    una_cell_format_kind wants = reader->wanted[c].any_format ? form->kind : reader->wanted[c].form;
    bool plain = !s->seen[0] && !s->missing && !s->blanks && form->decimal == '.';
    form->kind = plain ? UNA_CELLS_PLAIN : UNA_CELLS_NUMBER;
    if (una_is_moment(wants)) form->kind = wants;
    UNA_TRY(check_unit(reader, c));
    const char *doubt = una_column_formats_doubt(s, form, reader->table_names[c], work);
    if (doubt) una_log(reader->run, UNA_LOG_WARNING, "%s", doubt);
    return una_arena_check(work);
}

/* Goes back to the row that is read next or, with in_row, is being read. */
static una_status go_back(una_reader *reader, bool in_row)
{
    bool more = true;
    UNA_TRY(una_csv_rewind(reader->csv));
    for (size_t row = 0; more && row < reader->row + in_row; row++) UNA_TRY(una_csv_next(reader->csv, &more));
    if (!more) UNA_FAIL(reader->run, UNA_E_IO, "%s changed while it was being read", reader->path);
    return UNA_OK;
}

/* study [columns]: counts of the whole file, for what other columns prove. A word ends the study of a column that is
 * not needed. */
static una_status study_rows(una_reader *reader, una_cell_counts *study)
{
    bool more = true;
    UNA_TRY(una_csv_rewind(reader->csv));
    for (size_t row = 0;; row++) {
        UNA_TRY(una_csv_next(reader->csv, &more));
        if (!more) return UNA_OK;
        for (size_t i = 0; i < reader->columns; i++) {
            const una_cell *cell = &reader->csv->cells[i];
            double value;
            if (reader->unwanted[i] && study[i].words) continue;
            if (una_cell_read(cell, &value) != UNA_CELL_MISSING) una_cell_counts_add(&study[i], cell->at, cell->length);
        }
        if (row % 65536 == 65535) UNA_TRY(una_tick(reader->run, "reading", 0, NAN));
    }
}

/* Looks through the whole file, then goes back to the row that is being read. */
una_status una_reader_study(una_reader *reader, bool in_row)
{
    una_cell_format_proof proof = {0};
    UNA_NEW(&reader->arena, una_cell_counts, study, reader->columns);
    una_reader_begin_studies(reader, study, reader->columns);
    UNA_TRY(study_rows(reader, study));
    for (size_t c = 0; c < reader->table_columns; c++) {
        una_cell_counts *own = &study[reader->from[c]];
        reader->study[c] = *own;
        if (reader->is_text[c]) *own = (una_cell_counts){0};
    }
    for (size_t i = 0; i < reader->columns; i++) {
        una_cell_format_prove(&proof, &study[i]);
        reader->watch[i] = UNA_WATCH_NOTHING;
    }
    una_reader_give_hints(reader, &proof);
    for (size_t c = 0; c < reader->table_columns; c++)
        if (!reader->is_text[c]) UNA_SCOPED(reader->run, decide_form(reader, c));
    reader->studied = true;
    reader->commas = false;
    return go_back(reader, in_row);
}

/* ---- points that may be thousands marks ------------------------------------------------------------------ */

/* Watches a plain number: 1.5 proves that the point of its column is decimal, 1.234 leaves it open. True: that is
 * new. */
static bool watch_number(una_point_watch *watch, const una_cell *cell)
{
    enum { LONGEST = 32 };
    una_point_watch before = *watch;
    if (before == UNA_WATCH_NOTHING || !memchr(cell->at, '.', cell->length)) return false;
    bool open = cell->length <= LONGEST && una_cell_decimal_mark(cell->at, cell->length) == 0;
    *watch = open ? UNA_WATCH_PROOF : UNA_WATCH_NOTHING;
    return *watch != before;
}

/* The same for a cell of the table. Where types are unknown, the counts of a column of plain numbers get only what is
 * new. */
void una_reader_watch(una_reader *reader, size_t column, const una_cell *cell)
{
    bool news = watch_number(&reader->watch[reader->from[column]], cell);
    if (news && !reader->typed) una_cell_counts_add(&reader->study[column], cell->at, cell->length);
}

static bool any_open(const una_reader *reader)
{
    bool any = false;
    for (size_t i = 0; i < reader->columns; i++) any = any || reader->watch[i] == UNA_WATCH_PROOF;
    return any;
}

/* Whether a number of the first rows may have a decimal comma. The search stops at the row that proves all open points
 * decimal. */
static una_status find_comma(una_reader *reader, size_t rows, bool *found)
{
    UNA_NEW(&reader->arena, bool, none, reader->columns);
    bool more = true;
    UNA_TRY(una_csv_rewind(reader->csv));
    *found = false;
    for (size_t row = 0; row < rows && any_open(reader) && !*found; row++) {
        while (row < rows && una_csv_numbers(reader->csv, reader->values, none, reader->watch)) row++;
        UNA_TRY(una_csv_next(reader->csv, &more));
        if (!more) break;
        for (size_t i = 0; i < reader->columns; i++) {
            const una_cell *cell = &reader->csv->cells[i];
            double value;
            una_cell_kind kind = una_cell_read(cell, &value);
            if (kind == UNA_CELL_NUMBER) watch_number(&reader->watch[i], cell);
            una_cell_counts counts = {0};
            if (kind == UNA_CELL_WORD) una_cell_counts_add(&counts, cell->at, cell->length);
            *found = *found || counts.comma + counts.either_comma > 0;
        }
    }
    return UNA_OK;
}

/* Earlier rows are already answered, so 1.234 must be decided when a column has its first such cell. A pipe cannot be
 * read ahead: a later comma is an error there. Where such columns keep coming, the whole file is counted once. */
una_status una_reader_settle_points(una_reader *reader)
{
    enum { FEW = 1000, OFTEN = 8 };
    bool comma = false, may_come = false;
    if (reader->csv->size > 0) {                 /* no pipe */
        if (reader->settled++ >= OFTEN) return una_reader_study(reader, true);
        UNA_TRY(find_comma(reader, FEW, &comma));
        if (!comma && any_open(reader)) {
            UNA_TRY(una_csv_rewind(reader->csv));
            UNA_TRY(una_csv_glance(reader->csv, &may_come));
        }
        if (may_come) UNA_TRY(find_comma(reader, SIZE_MAX, &comma));
        if (comma) return una_reader_study(reader, true);
        UNA_TRY(go_back(reader, true));
    }
    for (size_t i = 0; i < reader->columns; i++)
        if (reader->watch[i] == UNA_WATCH_PROOF) reader->watch[i] = UNA_WATCH_NOTHING;
    return UNA_OK;
}
