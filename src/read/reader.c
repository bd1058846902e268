/* SPDX-License-Identifier: MIT
 *
 * Files by chunks: CSV, TSV and NPY behind one face. Columns are chosen by name when the file is opened; each
 * chunk is a small table of its own. Where the types of the columns are not known, a column is one of numbers
 * until a cell says otherwise.
 */
#include "read/reader_inside.h"

#include "base/ranks.h"
#include "read/column_formats.h"

#include <sys/stat.h>

/* ---- opening ---------------------------------------------------------------------------------------- */

static una_status open_table_file(una_reader *reader, const char *path)
{
    una_arena *arena = &reader->arena;
    reader->path = una_arena_text(arena, una_path_shown(path));
    UNA_TRY(una_arena_check(arena));
    if (!una_path_ends(path, strlen(path), ".npy")) {
        UNA_TRY(una_csv_open(&reader->csv, path, arena));
        reader->columns = reader->csv->columns;
        reader->names = reader->csv->names;
        return UNA_OK;
    }
    UNA_TRY(una_npy_open(&reader->npy, path, arena));
    if (reader->npy->size_count > 2)
        UNA_FAIL(reader->run, UNA_E_INPUT, "%s is not a readable NPY array: it has more than two dimensions; "
                 "rows and columns are needed (images go with a table that names them)", path);
    reader->columns = reader->npy->columns;
    UNA_NEW_AT(arena, reader->names, reader->columns);
    for (size_t i = 0; i < reader->columns && !arena->failed; i++) {
        una_text name = una_text_in(arena);
        una_text_add(&name, "x%zu", i + 1);
        reader->names[i] = name.at;
    }
    return una_arena_check(arena);
}

/* Room for `count` columns of tables, of which none is chosen yet. */
static una_status take_columns(una_reader *reader, size_t count, una_names *names)
{
    una_arena *arena = &reader->arena;
    UNA_NEW_AT(arena, reader->from, count);
    UNA_NEW_AT(arena, reader->table_names, count);
    UNA_NEW_AT(arena, reader->is_text, count);
    UNA_NEW_AT(arena, reader->first_word, count);
    UNA_NEW_AT(arena, reader->infinite, count);
    UNA_NEW_AT(arena, reader->study, count);
    UNA_NEW_AT(arena, reader->form, count);
    UNA_NEW_AT(arena, reader->wanted, count);
    UNA_NEW_AT(arena, reader->stays, count);
    UNA_NEW_AT(arena, reader->unwanted, reader->columns);
    UNA_NEW_AT(arena, reader->values, reader->columns);
    UNA_NEW_AT(arena, reader->watch, reader->columns);
    memset(reader->unwanted, true, reader->columns * sizeof *reader->unwanted);
    return una_names_index(names, reader->names, reader->columns, arena);
}

static void choose_column(una_reader *reader, size_t from)
{
    size_t to = reader->table_columns++;
    reader->from[to] = from;
    reader->unwanted[from] = false;
    reader->table_names[to] = reader->names[from];
}

static una_status choose_wanted(una_reader *reader, const una_wanted *wanted, size_t count, size_t optional_from)
{
    una_names names;
    UNA_TRY(take_columns(reader, count, &names));
    reader->typed = true;
    for (size_t i = 0; i < count; i++) {
        size_t from = una_names_find(&names, wanted[i].name), to = reader->table_columns;
        if (from == SIZE_MAX && i >= optional_from) continue;
        if (from == SIZE_MAX) {
            const char *near = una_nearest(wanted[i].name, reader->names, reader->columns);
            UNA_FAIL(reader->run, UNA_E_INPUT, "%s has no column '%.60s', which is needed%s%.60s%s", reader->path,
                     wanted[i].name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        if (reader->npy && wanted[i].is_text)
            UNA_FAIL(reader->run, UNA_E_INPUT, "column '%.60s' holds words, and the array %s holds numbers only",
                     wanted[i].name, reader->path);
        choose_column(reader, from);
        reader->is_text[to] = wanted[i].is_text;
        reader->wanted[to] = wanted[i];
    }
    return UNA_OK;
}

/* Some columns a person wants as words, whatever is in them. */
static una_status choose_all(una_reader *reader)
{
    const una_read_settings *given = reader->run->settings.reading;
    una_names names;
    UNA_TRY(take_columns(reader, reader->columns, &names));
    for (size_t i = 0; i < reader->columns; i++) choose_column(reader, i);
    for (size_t i = 0, column; reader->csv && given && i < given->word_count; i++) {
        UNA_TRY(una_names_need(&column, &names, reader->path, given->words[i], reader->run));
        reader->is_text[column] = reader->stays[column] = true;
    }
    return UNA_OK;
}

/* Whether a person has given the decimal mark, so that nothing is left to detect. */
static void begin_watch(una_reader *reader)
{
    const una_read_settings *given = reader->run->settings.reading;
    for (size_t c = 0; reader->csv && c < reader->table_columns; c++) {
        bool open = !reader->is_text[c] && !(given && given->decimal);
        reader->watch[reader->from[c]] = open ? UNA_WATCH_POINTS : UNA_WATCH_NOTHING;
    }
}

static una_status choose_columns(una_reader *reader, const char *path, const una_wanted *wanted, size_t count,
                                 size_t optional_from)
{
    UNA_TRY(open_table_file(reader, path));
    UNA_TRY(count ? choose_wanted(reader, wanted, count, optional_from) : choose_all(reader));
    una_reader_begin_studies(reader, reader->study, reader->table_columns);
    begin_watch(reader);
    return UNA_OK;
}

static una_status give_reader(una_reader **reader, una_status status)
{
    if (status != UNA_OK) una_reader_close(*reader);
    if (status != UNA_OK) *reader = NULL;
    return status;
}

una_status una_reader_begin(una_reader **out, const char *path, const una_wanted *wanted, size_t count,
                            size_t optional_from, una_run *run)
{
    una_reader *reader = *out = una_allocate(run, sizeof *reader);
    if (!reader) return UNA_E_MEMORY;
    *reader = (una_reader){ .run = run, .parts = 1 };
    una_arena_init(&reader->arena, run);
    una_arena_init(&reader->kept_arena, run);
    return give_reader(out, choose_columns(reader, path, wanted, count, optional_from));
}

static una_status rewind_reader(una_reader *reader)
{
    reader->row = 0;
    if (!reader->typed) {
        una_reader_begin_studies(reader, reader->study, reader->table_columns);
        begin_watch(reader);
    }
    return reader->csv ? una_csv_rewind(reader->csv) : UNA_OK;
}

static bool is_kept_row(const una_reader *reader, size_t row)
{
    return row % reader->parts == reader->part;
}

/* Rows that are kept of the first `rows` of the file. */
static size_t kept_before(const una_reader *reader, size_t rows)
{
    return rows / reader->parts + (rows % reader->parts > reader->part);
}

void una_reader_close(una_reader *reader)
{
    if (!reader) return;
    una_run *run = reader->run;
    una_arena_free(&reader->kept_arena);
    una_arena_free(&reader->arena);
    una_release(run, reader);
}

/* ---- the cells of the last chunk, as they were --------------------------------------------------------- */

static una_status keep_row(una_reader *reader, const double *values)
{
    una_arena *arena = &reader->kept_arena;
    reader->kept = una_arena_grow(arena, reader->kept, reader->kept_rows, &reader->kept_room, sizeof *reader->kept);
    UNA_TRY(una_arena_check(arena));
    size_t size = 0;
    for (size_t i = 0; i < reader->columns; i++) size += 1 + (reader->csv ? reader->csv->cells[i].length + 1 : 32);
    UNA_NEW(arena, const char *, row, reader->columns);
    UNA_NEW(arena, char, text, size);

    for (size_t i = 0; i < reader->columns; i++) {
        *text++ = reader->csv && reader->csv->cells[i].quoted;
        row[i] = text;
        if (reader->csv) {
            una_cell cell = reader->csv->cells[i];
            memcpy(text, cell.at, cell.length);
            text += cell.length + 1;                             /* the arena gives zeroes */
        } else {
            una_number_text(text, values[i]);
            text += 32;
        }
    }

    reader->kept[reader->kept_rows++] = row;
    return UNA_OK;
}

void una_reader_keep(una_reader *reader)
{
    reader->keeping = true;
}

const char *una_reader_cell(const una_reader *reader, size_t row, size_t column)
{
    return row < reader->kept_rows && column < reader->columns ? reader->kept[row][column] : NULL;
}

size_t una_reader_columns(const una_reader *reader)
{
    return reader->columns;
}

bool una_reader_quoted(const una_reader *reader, size_t row, size_t column)
{
    const char *cell = una_reader_cell(reader, row, column);
    return cell && cell[-1];                     /* which stands before it */
}

const char *una_reader_name(const una_reader *reader, size_t column)
{
    return column < reader->columns ? reader->names[column] : NULL;
}

/* ---- rows of a text file ------------------------------------------------------------------------------- */

static const char *shortened_cell(char text[64], una_cell cell)
{
    size_t length = cell.length < 63 ? cell.length : 63;
    memcpy(text, cell.at, length);
    text[length] = 0;
    return text;
}

/* A word in a column of numbers. */
static una_status meet_word_in_numbers(una_reader *reader, size_t column, una_cell cell, size_t rows_before,
                                       bool *again)
{
    char text[64];
    una_cell_format_kind wants = reader->wanted[column].form;
    if (reader->typed && una_is_moment(wants))
        UNA_FAIL(reader->run, UNA_E_INPUT, "%s, line %zu, column '%.60s': '%.40s' is not a %s, and the model knows "
                 "this column as such; write %s, or NA for a missing value", reader->path, reader->csv->record_line,
                 reader->table_names[column], shortened_cell(text, cell), wants == UNA_CELLS_DATE ? "date"
                     : "time of day",
                 wants == UNA_CELLS_DATE ? "2024-03-31 or 2024-03-31 12:30" : "12:30");
    if (reader->typed)
        UNA_FAIL(reader->run, UNA_E_INPUT,
                 "%s, line %zu, column '%.60s': '%.40s' is not a number; correct it, or write NA "
                 "for a missing value",
                 reader->path, reader->csv->record_line, reader->table_names[column], shortened_cell(text, cell));
    reader->is_text[column] = true;
    reader->first_word[column] = reader->row;
    if (rows_before > 0) *again = true;
    return UNA_OK;
}

static una_status refuse_infinite(const una_reader *reader, const infinity *it, size_t column)
{
    UNA_FAIL(reader->run, UNA_E_INPUT, "%s, line %zu, column '%.60s': '%.40s' is infinite or too large for a number; "
             "correct it, or write NA for a missing value", reader->path, it->line, reader->table_names[column],
             it->text);
}

static una_status meet_infinity(una_reader *reader, size_t column, una_cell cell)
{
    char text[64];
    infinity it = { reader->csv->record_line, shortened_cell(text, cell) };
    if (reader->typed) return refuse_infinite(reader, &it, column);
    if (reader->infinite[column].line != 0) return UNA_OK;
    reader->infinite[column] = (infinity){ it.line, una_arena_text(&reader->arena, text) };
    return una_arena_check(&reader->arena);
}

/* A number, date or time of a column whose form is known. */
static una_status read_formatted(una_reader *reader, size_t column, una_build *build)
{
    una_cell cell = una_cell_trimmed(&reader->csv->cells[reader->from[column]]);
    double value = NAN;
    una_cell_kind kind = una_cell_format_value(&value, &reader->form[column], cell.at, cell.length);
    bool again = false;
    if (kind == UNA_CELL_INFINITE) return meet_infinity(reader, column, cell);
    if (kind == UNA_CELL_WORD) return meet_word_in_numbers(reader, column, cell, 0, &again);
    una_build_number(build, column, kind == UNA_CELL_NUMBER ? value : NAN);
    return UNA_OK;
}

static una_status read_cell(una_reader *reader, size_t column, una_build *build, bool *again)
{
    const una_cell *cell = &reader->csv->cells[reader->from[column]];
    bool text = reader->is_text[column], number;
    double value = NAN;
    if (reader->form[column].kind != UNA_CELLS_PLAIN) return read_formatted(reader, column, build);
    una_cell_kind kind = una_reader_cell_kind(reader, cell, &value);

    number = !text && (kind == UNA_CELL_NUMBER || kind == UNA_CELL_MISSING);
    if (number && kind == UNA_CELL_NUMBER) una_reader_watch(reader, column, cell);
    if (number && reader->typed && reader->watch[reader->from[column]] == UNA_WATCH_PROOF)
        UNA_TRY(una_reader_settle_points(reader));
    if (!text && kind == UNA_CELL_WORD && reader->typed && !reader->studied) UNA_TRY(una_reader_study(reader, true));
    if (reader->form[column].kind != UNA_CELLS_PLAIN) return read_formatted(reader, column, build);
    if (number || (!text && kind == UNA_CELL_INFINITE))
        una_build_number(build, column, kind == UNA_CELL_NUMBER ? value : NAN);
    if (number) return UNA_OK;

    una_cell trimmed = una_cell_trimmed(&reader->csv->cells[reader->from[column]]);
    if (!text && kind == UNA_CELL_INFINITE) return meet_infinity(reader, column, trimmed);
    if (!text) UNA_TRY(meet_word_in_numbers(reader, column, trimmed, reader->row, again));
    if (kind != UNA_CELL_MISSING && !reader->typed)
        una_cell_counts_add(&reader->study[column], trimmed.at, trimmed.length);
    una_build_word(build, column, kind == UNA_CELL_MISSING || *again ? NULL : trimmed.at, trimmed.length);
    return UNA_OK;
}

static bool only_numbers(const una_reader *reader)
{
    for (size_t c = 0; c < reader->table_columns; c++)
        if (reader->is_text[c] || reader->form[c].kind != UNA_CELLS_PLAIN) return false;
    return !reader->keeping && !reader->commas;
}

/* Counts the cells of a row that is not kept. */
static una_status pass_record(una_reader *reader, bool *more, bool *again)
{
    UNA_TRY(una_csv_next(reader->csv, more));
    for (size_t c = 0; *more && c < reader->table_columns; c++) {
        const una_cell *cell = &reader->csv->cells[reader->from[c]];
        double value;
        una_cell_kind kind = una_reader_cell_kind(reader, cell, &value);
        una_cell trimmed = una_cell_trimmed(cell);
        bool text = reader->is_text[c];
        if (kind == UNA_CELL_NUMBER && !text) una_reader_watch(reader, c, cell);
        if (kind == UNA_CELL_INFINITE && !text) UNA_TRY(meet_infinity(reader, c, trimmed));
        if (kind == UNA_CELL_WORD && !text) UNA_TRY(meet_word_in_numbers(reader, c, trimmed, reader->row, again));
        if (text ? kind != UNA_CELL_MISSING : kind == UNA_CELL_WORD)
            una_cell_counts_add(&reader->study[c], trimmed.at, trimmed.length);
    }
    return UNA_OK;
}

/* One row, by its cells. */
static una_status read_record_by_cells(una_reader *reader, una_build *build, bool *more, bool *again)
{
    UNA_TRY(una_csv_next(reader->csv, more));
    if (!*more) return UNA_OK;
    UNA_TRY(una_build_row(build, reader->csv->record_line));
    for (size_t c = 0; c < reader->table_columns; c++) UNA_TRY(read_cell(reader, c, build, again));
    return reader->keeping ? keep_row(reader, NULL) : UNA_OK;
}

static una_status read_text_rows(una_reader *reader, una_build *build, size_t max_rows, bool *again)
{
    bool fast = only_numbers(reader), more = true;
    size_t start = reader->row;
    while (build->data->rows < max_rows) {
        bool kept = is_kept_row(reader, reader->row);
        if (fast && una_csv_numbers(reader->csv, reader->values, reader->unwanted, reader->watch)) {
            if (kept)
                UNA_TRY(una_build_numbers(build, reader->csv->record_line, reader->values, reader->from));
        } else {
            UNA_TRY(kept ? read_record_by_cells(reader, build, &more, again) : pass_record(reader, &more, again));
            if (!more) break;
            fast = only_numbers(reader);
        }
        reader->row++;
        if (!reader->typed && reader->row % 65536 == 0)
            UNA_TRY(una_tick(reader->run, "reading", una_csv_fraction(reader->csv), NAN));
    }

    size_t before = kept_before(reader, start);
    for (size_t c = 0; c < reader->table_columns; c++) {
        una_table_column *column = &build->data->column[c];
        size_t first = reader->first_word[c];
        bool here = first > start && first < reader->row && is_kept_row(reader, first);
        column->is_text = reader->is_text[c];
        column->form = reader->form[c];
        column->first_word = here ? kept_before(reader, first) - before : 0;
    }
    return una_build_end(build, true);
}

static una_status check_finite(const una_reader *reader)
{
    size_t first = SIZE_MAX;
    for (size_t c = 0; c < reader->table_columns; c++) {
        if (reader->is_text[c] || reader->infinite[c].line == 0) continue;
        if (first == SIZE_MAX || reader->infinite[c].line < reader->infinite[first].line) first = c;
    }
    if (first == SIZE_MAX) return UNA_OK;
    return refuse_infinite(reader, &reader->infinite[first], first);
}

/* A first column without a name: the numbers of the rows are no inputs. */
static una_status take_unnamed(const una_reader *reader, una_dataset *data)
{
    if (!reader->csv->unnamed || data->rows == 0) return UNA_OK;
    una_table_column *column = data->column;
    double first = column->is_text ? NAN : column->number[0] - (double)reader->part;
    bool counts = first == 0 || first == 1;              /* 0, 1, 2 ... or 1, 2, 3 ... down the file */
    for (size_t i = 0; i < data->rows && counts; i++)
        counts = column->number[i] == first + (double)(reader->part + i * reader->parts);
    if (counts) column->form.kind = UNA_CELLS_COUNT;
    if (counts)
        return una_table_add_sentence(data, 0, "the first column has no name and was called '%s'", column->name);
    return una_table_add_sentence(data, 0,
                                  "the first column has no name and was called '%.60s'; leave it out with --drop "
                                  "'%.60s' if it does no more than name the rows", column->name, column->name);
}

static una_cell_format_proof proof_of(const una_reader *reader)
{
    una_cell_format_proof proof = {0};
    for (size_t c = 0; c < reader->table_columns; c++)
        if (!reader->stays[c]) una_cell_format_prove(&proof, &reader->study[c]);
    return proof;
}

/* After all rows: whether the file proves decimal commas and has columns of nothing but cells such as 1.234, which are
 * thousands then. If so, and if that was not known before, the file must be read once more. */
static bool found_commas(una_reader *reader)
{
    if (!reader->csv || reader->commas || !una_reader_points_follow(reader)) return false;
    una_cell_format_proof proof = proof_of(reader);
    bool any = false;
    for (size_t c = 0; c < reader->table_columns && una_proved_decimal(&proof) == ','; c++) {
        if (reader->is_text[c] || reader->watch[reader->from[c]] != UNA_WATCH_PROOF) continue;
        any = reader->is_text[c] = true;
    }
    if (any) reader->csv->dialect.decimal = ',';
    return any;
}

/* After all rows: columns of words that are numbers or dates in some format become numbers, and the notes of the table
 * report how the file is written. */
static una_status apply_file_formats(una_reader *reader, una_dataset *data)
{
    if (!reader->csv) return UNA_OK;
    una_cell_format_proof proof = proof_of(reader);
    una_reader_give_hints(reader, &proof);
    UNA_TRY(una_column_formats_note_file(data, reader->csv));
    UNA_SCOPED(reader->run, una_column_formats_apply(data, reader->study, reader->stays, reader->run));
    return take_unnamed(reader, data);
}

/* ---- rows of an array ------------------------------------------------------------------------------------ */

static una_status read_array_rows(una_reader *reader, una_dataset *data, size_t max_rows, una_arena *work)
{
    una_npy *npy = reader->npy;
    data->unit = "row";
    size_t left = kept_before(reader, npy->rows) - kept_before(reader, reader->row), rows = UNA_MIN(left, max_rows);
    size_t strip = UNA_MIN(npy->rows, 1 + (1 << 16) / npy->columns);
    UNA_NEW(work, double, values, strip * npy->columns);         /* [strip, columns] */

    data->rows = rows;
    if (reader->row > 0 || reader->parts > 1) data->line = UNA_GET_ROWS(&data->arena, size_t, rows);
    UNA_TRY(una_table_cells(data));

    for (size_t done = 0; done < rows;) {
        size_t now = UNA_MIN(reader->parts == 1 ? UNA_MIN(rows - done, strip) : strip, npy->rows - reader->row);
        UNA_SCOPED(reader->run, una_npy_rows(npy, reader->row, now, values));        /* which heeds interruptions */
        for (size_t i = 0; i < now && done < rows; i++, reader->row++) {
            const double *row = values + i * npy->columns;
            if (!is_kept_row(reader, reader->row)) continue;
            if (data->line) data->line[done] = reader->row + 1;
            for (size_t c = 0; c < data->columns; c++) {
                double value = row[reader->from[c]];
                if (isinf(value))
                    UNA_FAIL(reader->run, UNA_E_INPUT, "%s, row %zu, column '%.60s' is infinite; correct it, or write "
                             "NaN for a missing value", reader->path, reader->row + 1, reader->table_names[c]);
                data->column[c].number[done] = value;
            }
            if (reader->keeping) UNA_TRY(keep_row(reader, row));
            done++;
        }
    }
    return rows == left ? una_packed_check(npy->packed) : UNA_OK;
}

/* ---- chunks ---------------------------------------------------------------------------------------------- */

/* Next rows; *again says that a column was found to be text too late: the chunk is of no use, and the rest of the file
 * should be read (to learn of other columns) before rewind_reader. Infinities in columns of numbers are only
 * remembered: check_finite refuses them when the types are known. */
static una_status fill_chunk(una_dataset **chunk, bool *again, una_reader *reader, size_t max_rows)
{
    *chunk = NULL;
    *again = false;
    una_arena_free(&reader->kept_arena);
    reader->kept = NULL;
    reader->kept_rows = reader->kept_room = 0;
    if (max_rows == 0) UNA_FAIL(reader->run, UNA_E_USAGE, "a chunk must have at least one row");

    una_dataset *data;
    size_t parts = reader->parts;
    una_arena *work = &reader->run->scratch;
    UNA_TRY(una_table_new(&data, reader->path, reader->table_names, reader->table_columns, reader->run));
    data->first_row = reader->row + (reader->part + parts - reader->row % parts) % parts;       /* that is kept */
    data->row_step = parts;
    una_build build = una_build_begin(data, max_rows, work);
    una_status status;
    UNA_SCOPED_CALL(status, reader->run, reader->npy ? read_array_rows(reader, data, max_rows, work)
                                                     : read_text_rows(reader, &build, max_rows, again));

    if (status == UNA_OK && data->rows > 0) *chunk = data;
    else una_dataset_free(data);
    return status;
}

una_status una_reader_next(una_dataset **chunk, una_reader *reader, size_t max_rows)
{
    bool again;
    return fill_chunk(chunk, &again, reader, max_rows);
}

/* ---- opening, where the types of the columns are to be known ------------------------------------------------- */

/* Reads through the file for the types of its columns. */
static una_status learn_types(una_reader *reader)
{
    for (bool more = true; more;) {
        una_dataset *chunk;
        bool again;
        UNA_TRY(fill_chunk(&chunk, &again, reader, 4096));
        more = chunk != NULL;
        una_dataset_free(chunk);
    }
    UNA_TRY(check_finite(reader));
    reader->typed = true;
    for (size_t i = 0; i < reader->columns; i++) reader->watch[i] = UNA_WATCH_NOTHING;
    return rewind_reader(reader);
}

una_status una_reader_open(una_reader **out, const char *path, const una_wanted *wanted, size_t count,
                           size_t optional_from, una_run *run)
{
    UNA_TRY(una_reader_begin(out, path, wanted, count, optional_from, run));
    una_reader *reader = *out;
    if (reader->npy) return UNA_OK;
    if (count == 0) return give_reader(out, learn_types(reader));

    /* The file is read beforehand where the model needs dates, since the format of a date needs all cells. */
    bool any = reader->commas;
    for (size_t c = 0; c < reader->table_columns; c++) any = any || una_is_moment(reader->wanted[c].form);
    return any ? give_reader(out, una_reader_study(reader, false)) : UNA_OK;
}

/* ---- a whole file as one table, read a second time if a column turned out to be text below its first row -------- */

static una_status read_once_more(una_dataset **data, bool *again, una_reader *reader)
{
    una_dataset_free(*data);
    *data = NULL;
    UNA_TRY(rewind_reader(reader));
    return fill_chunk(data, again, reader, SIZE_MAX);
}

static una_status read_all_rows(una_dataset **data, una_reader *reader)
{
    bool again;
    UNA_TRY(fill_chunk(data, &again, reader, SIZE_MAX));
    UNA_TRY(check_finite(reader));
    if (again) UNA_TRY(read_once_more(data, &again, reader));
    if (!again && found_commas(reader)) UNA_TRY(read_once_more(data, &again, reader));
    if (again) UNA_FAIL((*data)->run, UNA_E_IO, "%s changed while it was being read", (*data)->origin);
    return *data ? apply_file_formats(reader, *data) : UNA_OK;
}

una_status una_dataset_read(una_dataset **data, const char *path, una_run *run)
{
    una_reader *reader;
    *data = NULL;
    UNA_TRY(una_reader_begin(&reader, path, NULL, 0, 0, run));
    una_status status = read_all_rows(data, reader);
    una_reader_close(reader);
    if (status == UNA_OK && !*data)
        status = una_fail(run, UNA_E_INPUT, "%s has a header but no rows", una_path_shown(path));
    return una_table_give(data, status);
}

/* ---- a part of a file for each rank ------------------------------------------------------------------------ */

/* A file that differs between machines is refused: parts of two versions would make one table. */
static una_status read_rows_of_rank(una_dataset **data, una_reader *reader, const char *path, una_run *run)
{
    struct stat about;
    size_t mine = stat(path, &about) == 0 ? (size_t)about.st_size : 0, ranks = una_rank_group_count(run);
    UNA_NEW(&run->scratch, size_t, all, ranks);
    reader->part = una_rank_group_rank(run);
    reader->parts = ranks;
    UNA_TRY(una_rank_group_gather_sizes(all, mine, run));
    if (mine != all[0])
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu bytes, and %zu on rank 0; every rank needs the same file, or one of its "
                 "own with %%r in its name", path, mine, all[0]);
    UNA_TRY(read_all_rows(data, reader));
    if (*data) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has too few rows: each of the %zu ranks needs some", path, ranks);
}

static una_status read_share(una_dataset **data, const char *path, una_run *run)
{
    una_reader *reader;
    UNA_TRY(una_reader_begin(&reader, path, NULL, 0, 0, run));
    una_status status = read_rows_of_rank(data, reader, path, run);
    una_reader_close(reader);
    return status;
}

/* The own file of this rank, whose number stands in place of %r; or its part of the file that all read. */
static una_status read_part(una_dataset **data, const char *path, una_run *run)
{
    const char *mark = strstr(path, "%r");
    if (!mark) return read_share(data, path, run);
    una_text own = una_text_in(&run->scratch);
    una_text_bytes(&own, path, (size_t)(mark - path));
    una_text_add(&own, "%d%s", una_rank(run), mark + 2);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_dataset_read(data, own.at, run);
}

una_status una_dataset_read_part(una_dataset **data, const char *path, una_run *run)
{
    *data = NULL;
    if (una_rank_count(run) < 2) return una_dataset_read(data, path, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status;
    UNA_SHARED_CALL(status, run, read_part(data, path, run));
    una_arena_release(&run->scratch, mark);
    return una_table_give(data, status);
}
