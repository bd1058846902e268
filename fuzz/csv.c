/* SPDX-License-Identifier: MIT
 *
 * Tables of text. The input is the file but for its last four bytes, which say how it is named and packed, how it is
 * read, how much memory there is, and what is done with it; with a condition, that stands before the first zero byte.
 * What is read has no infinite number; written plainly it reads back to the same bits; read with little memory, or in
 * chunks by somebody who knows its columns, it is the same table; what is learnt from it encodes it to finite numbers.
 * Memory is bounded by the bytes that are there.
 */
#include "data/columns.h"
#include "read/csv.h"
#include "read/reader.h"
#include "fuzz.h"

#include <zlib.h>

typedef struct file {
    fuzz_bytes bytes;            /* as they are read: not packed                                    */
    const char *name;
    uint8_t how, reading, doing;
    una_read_settings settings;
} file;

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* Two members, as gzip may have, where there is enough for both. */
static const char *packed_file(const file *f)
{
    const char *path = fuzz_path(f->name);
    size_t half = f->bytes.left > 20 ? f->bytes.left / 3 : f->bytes.left;
    for (int part = 0; part < 2; part++) {
        gzFile out = gzopen(path, part ? "ab1" : "wb1");
        size_t from = part ? half : 0, size = part ? f->bytes.left - half : half;
        FUZZ_CHECK(out && gzwrite(out, f->bytes.at + from, (unsigned)size) == (int)size, "zlib does not compress");
        FUZZ_CHECK(gzclose(out) == Z_OK, "zlib does not close");
    }
    return path;
}

/* By us or by whoever made the input. */
static bool is_packed(const file *f)
{
    return f->how & 8 || (f->bytes.left > 1 && f->bytes.at[0] == 0x1F && f->bytes.at[1] == 0x8B);
}

static file take_options(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "a.csv", "a.tsv", "a.txt", "a.csv.gz", "a.gz", "a.csv", "a", "A.CSV" };
    static const char delimiters[] = { 0, 0, ',', ';', '\t', '|', 0, 0 }, *dates[] = { NULL, NULL, "dmy", "mdy" };
    static const char *words[] = { "a", "b" };
    file f = { .bytes = { data, size } };
    f.how = fuzz_last(&f.bytes);
    f.reading = fuzz_last(&f.bytes);
    f.doing = fuzz_last(&f.bytes);
    f.name = names[f.how & 7];
    f.settings = (una_read_settings){ .size = sizeof f.settings, .delimiter = delimiters[f.reading & 7],
                                      .decimal = f.reading & 8 ? f.reading & 16 ? ',' : '.' : 0,
                                      .dates = dates[f.reading >> 5 & 3] };
    if (f.how & 16) {
        f.settings.words = words;
        f.settings.word_count = f.how & 32 ? 1 : 2;
    }
    return f;
}

/* ---- the same table ------------------------------------------------------------------------------------------- */

static void check_cells(const una_dataset *data)
{
    FUZZ_CHECK(data->rows > 0 && data->columns > 0, "an empty table");
    for (size_t c = 0; c < data->columns; c++) {
        const una_table_column *column = &data->column[c];
        FUZZ_CHECK(*column->name && una_table_find(data, column->name) == c, "column %zu has no name of its own", c);
        for (size_t i = 0; !column->is_text && i < data->rows; i++)
            FUZZ_CHECK(!isinf(column->number[i]), "an infinite number");
        for (size_t i = 1; column->is_text && i < data->rows; i++)
            FUZZ_CHECK(!column->word[i] || !column->word[i - 1] || column->word[i] == column->word[i - 1]
                       || strcmp(column->word[i], column->word[i - 1]) != 0, "one word, two pointers");
    }
    for (size_t i = 1; data->line && i < data->rows; i++)
        FUZZ_CHECK(data->line[i] > data->line[i - 1], "lines do not count up");
}

static bool same_word(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Rows of b are those of a from `from` on. */
static void check_column(const una_table_column *a, const una_table_column *b, size_t from, size_t rows,
                         const char *what)
{
    FUZZ_CHECK(a->is_text == b->is_text, "%s: '%s' has another type", what, a->name);
    for (size_t i = 0; i < rows; i++) {
        double x = a->is_text ? 0 : a->number[from + i], y = a->is_text ? 0 : b->number[i];
        bool same = a->is_text ? same_word(a->word[from + i], b->word[i])
                               : (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
        FUZZ_CHECK(same, "%s: row %zu of '%s': %.17g and %.17g", what, from + i, a->name, x, y);
    }
}

static void check_same(const una_dataset *a, const una_dataset *b, const char *what)
{
    FUZZ_CHECK(a->rows == b->rows && a->columns == b->columns, "%s: %zu x %zu and %zu x %zu", what, a->rows, a->columns,
               b->rows, b->columns);
    for (size_t c = 0; c < a->columns; c++) {
        FUZZ_CHECK(strcmp(a->column[c].name, b->column[c].name) == 0, "%s: another name", what);
        check_column(&a->column[c], &b->column[c], 0, a->rows, what);
    }
}

/* ---- written and read again ------------------------------------------------------------------------------------ */

static void put_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static const char *write_plainly(const una_dataset *data)
{
    const char *path = fuzz_path("plain.csv");
    FILE *to = fopen(path, "wb");
    FUZZ_CHECK(to, "no file");
    for (size_t c = 0; c < data->columns; c++) {
        if (c) fputc(',', to);
        put_quoted(to, data->column[c].name);
    }
    for (size_t i = 0; i < data->rows; i++)
        for (size_t c = 0; c < data->columns; c++) {
            const una_table_column *column = &data->column[c];
            char number[32];
            fputc(c ? ',' : '\n', to);
            if (column->is_text ? !column->word[i] : isnan(column->number[i])) fputs("NA", to);
            else if (column->is_text) put_quoted(to, column->word[i]);
            else fputs(una_number_text(number, column->number[i]), to);
        }
    fclose(to);
    return path;
}

static void read_again(const una_dataset *data)
{
    fuzz_world w;
    una_dataset *again = NULL;
    const char **words = malloc((data->columns + 1) * sizeof *words);
    una_read_settings plain = { .size = sizeof plain, .delimiter = ',', .decimal = '.', .words = words };
    FUZZ_CHECK(words, "no memory");
    for (size_t c = 0; c < data->columns; c++)
        if (data->column[c].is_text) words[plain.word_count++] = data->column[c].name;
    if (fuzz_begin(&w, (fuzz_limits){ .reading = &plain })) {
        FUZZ_CHECK(FUZZ_EXPLAIN(una_dataset_read(&again, write_plainly(data), w.run), &w) == UNA_OK, "%s",
                   una_run_message(w.run));
        check_same(data, again, "written plainly");
        una_dataset_free(again);
        fuzz_end(&w);
    }
    free(words);
}

/* ---- otherwise --------------------------------------------------------------------------------------------------- */

static void read_in_little_memory(const una_dataset *data, const char *path, const file *f)
{
    fuzz_world w;
    una_dataset *again = NULL;
    if (!fuzz_begin(&w, (fuzz_limits){ .reading = &f->settings, .memory = (uint64_t)1 << (17 + f->doing % 8) })) return;
    una_status status = FUZZ_EXPLAIN(una_dataset_read(&again, path, w.run), &w);
    FUZZ_CHECK(status == UNA_OK || status == UNA_E_MEMORY || status == UNA_E_INPUT, "status %d", (int)status);
    if (status == UNA_OK) check_same(data, again, "in little memory");
    una_dataset_free(again);
    fuzz_end(&w);
}

/* As predict does: the columns are known, and rows come some at a time. */
static void read_in_chunks(const una_dataset *data, const char *path, const file *f, fuzz_world *w)
{
    una_mark mark = una_arena_mark(&w->run->scratch);
    una_wanted *wanted = UNA_GET(&w->run->scratch, una_wanted, data->columns);
    una_reader *reader = NULL;
    size_t from = 0;
    for (size_t c = 0; wanted && c < data->columns; c++) {
        const una_cell_format *form = &data->column[c].form;
        bool moment = form->kind == UNA_CELLS_DATE || form->kind == UNA_CELLS_TIME;
        wanted[c] = (una_wanted){ .name = data->column[c].name, .is_text = data->column[c].is_text,
                                  .form = moment ? form->kind : UNA_CELLS_PLAIN, .unit = form->unit };
    }
    una_status status = una_arena_check(&w->run->scratch);
    if (status == UNA_OK)
        status = FUZZ_EXPLAIN(una_reader_open(&reader, path, wanted, data->columns, SIZE_MAX, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "%s", una_run_message(w->run));
    if (status == UNA_OK && f->doing & 8) una_reader_keep(reader);
    for (una_dataset *chunk = NULL; status == UNA_OK; una_dataset_free(chunk)) {
        status = FUZZ_EXPLAIN(una_reader_next(&chunk, reader, 1 + f->doing % 7), w);
        FUZZ_CHECK(status == UNA_OK || w->starved, "%s", una_run_message(w->run));
        if (status != UNA_OK || !chunk) break;
        for (size_t c = 0; c < data->columns; c++)
            check_column(&data->column[c], &chunk->column[c], from, chunk->rows, "in chunks");
        FUZZ_CHECK(!(f->doing & 8) || una_reader_cell(reader, chunk->rows - 1, 0), "a cell is not kept");
        from += chunk->rows;
    }
    FUZZ_CHECK(status != UNA_OK || from == data->rows, "%zu rows of %zu come in chunks", from, data->rows);
    una_reader_close(reader);
    una_arena_release(&w->run->scratch, mark);
}

static void learn(const una_dataset *data, const file *f, fuzz_world *w)
{
    una_mark mark = una_arena_mark(&w->run->scratch);
    una_arena keep;
    una_columns columns;
    double *x = NULL, *y = NULL;
    size_t *kept, rows = 0, other = f->doing & 16 ? 2 : 0;
    una_arena_init(&keep, w->run);
    una_notes notes = { .arena = &keep };
    una_learning from = { .data = data, .missing = (una_missing)(f->doing % 3), .other = other, .notes = &notes };
    una_status status = FUZZ_EXPLAIN(una_columns_learn((una_columns *[]){ &columns }, &from, &keep, w->run), w);
    if (status == UNA_OK)
        status = FUZZ_EXPLAIN(una_columns_encode(&columns, data, &(una_encoding){ &x, &y, &kept, &rows }, &keep), w);
    if (status == UNA_OK) {
        fuzz_finite(x, rows * columns.input_count, "an input");
        fuzz_finite(y, rows, "a target");
    }
    una_arena_free(&keep);
    una_arena_release(&w->run->scratch, mark);
}

static void choose(const una_dataset *data, const char *condition, fuzz_world *w)
{
    una_dataset *some = NULL;
    size_t *index = malloc(data->rows * sizeof *index), count = 0;
    FUZZ_CHECK(index, "no memory");
    una_status matched = FUZZ_EXPLAIN(una_dataset_match(index, &count, data, condition, w->run), w);
    una_status status = FUZZ_EXPLAIN(una_dataset_where(&some, data, condition, w->run), w);
    FUZZ_CHECK(w->starved || (status == UNA_OK) == (matched == UNA_OK && count > 0), "they match, and do not");
    if (status == UNA_OK && matched == UNA_OK)
        for (size_t i = 0; i < count; i++)
            for (size_t c = 0; c < data->columns; c++) {
                una_table_column one = some->column[c];
                if (one.is_text) one.word += i;
                else one.number += i;
                check_column(&data->column[c], &one, index[i], 1, "a row that matches");
            }
    una_dataset_free(some);
    free(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w;
    file f = take_options(data, size);
    long allocations = fuzz_allocations(fuzz_last(&f.bytes));
    char *condition = f.how & 128 ? fuzz_text(&f.bytes) : NULL;
    if (!fuzz_begin(&w, (fuzz_limits){ .reading = &f.settings, .allocations = allocations })) {
        free(condition);
        return 0;
    }
    const char *path = f.how & 8 ? packed_file(&f) : fuzz_file(f.name, f.bytes.at, f.bytes.left);
    una_dataset *table = NULL;
    fuzz_memory_from(&w);
    una_status status = FUZZ_EXPLAIN(una_dataset_read(&table, path, w.run), &w);
    if (!is_packed(&f)) fuzz_memory_text(&w, f.bytes.left, "a table of text");
    if (status == UNA_OK) {
        check_cells(table);
        read_again(table);
        read_in_little_memory(table, path, &f);
        read_in_chunks(table, path, &f, &w);
        learn(table, &f, &w);
        if (condition) choose(table, condition, &w);
    }
    una_dataset_free(table);
    free(condition);
    fuzz_end(&w);
    return 0;
}
