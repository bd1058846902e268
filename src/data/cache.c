/* SPDX-License-Identifier: MIT
 *
 * A cache file: head, one descriptor per column, the absolute path and the names; then the columns one after the other,
 * numbers as they are in memory, words as their levels and a 32-bit position per row (0: missing); then the line
 * numbers, unless they simply count up. Each part has a sum, all are checked, and no count is believed before it fits
 * the size of the file.
 */
#include "data/cache_layout.h"

#include "data/build.h"
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_COLUMNS = 1 << 20, AT_ONCE = 1 << 16 };      /* rows between two looks at whether to go on       */

static size_t eights(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Do the counts make up exactly a file of this size? Each is bounded before it is multiplied. */
static bool fits(const una_cache_table *h, const una_cache_column *d, size_t file_size)
{
    uint64_t left = file_size - sizeof *h - h->columns * sizeof *d - h->text_size;
    for (size_t c = 0; c < h->columns; c++) {
        if (d[c].is_text > 1 || d[c].words_size % 32 || d[c].words_size > left || d[c].first_word >= h->rows)
            return false;
        if ((d[c].form & 255) > UNA_FORM_COUNT || d[c].form >> 24 || d[c].unit[UNA_UNIT_ROOM - 1]) return false;
        if (d[c].levels > d[c].words_size || d[c].levels > UINT32_MAX - 1) return false;
        uint64_t size = d[c].is_text ? d[c].words_size + eights(4 * h->rows) : 8 * h->rows;
        if (size > left) return false;
        left -= size;
    }
    return left == (h->has_lines ? 8 * h->rows : 0);
}

/* Head, descriptors and text into *bytes (scratch); false unless all of it is sound and about this very file. */
static bool read_head(int handle, una_cache_table *h, unsigned char **bytes, const una_cache_key *key, una_run *run)
{
    struct stat about;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof *h) return false;
    if (!una_cache_take(handle, h, sizeof *h, run)) return false;
    if (memcmp(&h->kind, &una_cache_tables, sizeof h->kind) != 0) return false;
    if (memcmp(&h->key, key, sizeof *key) != 0) return false;

    uint64_t size = (uint64_t)about.st_size, rest = size - sizeof *h;
    if (h->columns == 0 || h->columns > MOST_COLUMNS || h->columns > rest / sizeof(una_cache_column)) return false;
    rest -= h->columns * sizeof(una_cache_column);
    if (h->notes > h->text_size) return false;
    if (h->rows == 0 || h->rows > size / 4 || h->text_size % 8 || h->text_size > rest || h->has_lines > 1) return false;

    size_t more = h->columns * sizeof(una_cache_column) + h->text_size;
    *bytes = UNA_GET(&run->scratch, unsigned char, sizeof *h + more);
    if (!*bytes) return false;
    memcpy(*bytes, h, sizeof *h);
    memset(*bytes + offsetof(una_cache_table, sum), 0, sizeof h->sum);
    if (!una_cache_take(handle, *bytes + sizeof *h, more, run)) return false;

    una_sum s = una_sum_begin();
    una_sum_add(&s, *bytes, sizeof *h + more);
    return una_sum_end(&s) == h->sum && fits(h, (una_cache_column *)(*bytes + sizeof *h), (size_t)size);
}

/* The texts of a block with `count` of them, each ended by a zero byte. */
static const char **split_texts(const char *at, size_t size, size_t count, una_arena *arena)
{
    const char **text = UNA_GET(arena, const char *, count + 1), *end = at + size;
    for (size_t i = 0; text && i < count; i++) {
        const char *stop = memchr(at, 0, (size_t)(end - at));
        if (!stop) return NULL;
        text[i] = at;
        at = stop + 1;
    }
    return text;
}

static bool has_infinity(const double *number, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) count += fabs(number[i]) > 1.7976931348623157e308;
    return count > 0;
}

static bool read_numbers(int handle, una_table_column *column, size_t rows, const una_cache_column *d, una_run *run)
{
    una_sum s = una_sum_begin();
    return una_cache_take_summed(handle, column->number, rows * sizeof(double), &s, run)
           && una_sum_end(&s) == d->sum && !has_infinity(column->number, rows);
}

static bool read_words(int handle, una_table_column *column, size_t rows, const una_cache_column *d, una_words *words,
                       una_run *run)
{
    una_sum s = una_sum_begin();
    una_arena *work = &run->scratch;
    size_t size = eights(4 * rows);
    char *block = UNA_GET(work, char, d->words_size);
    uint32_t *position = UNA_GET(work, uint32_t, size / 4);
    column->first_word = d->first_word;
    if (!block || !position) return false;

    if (!una_cache_take_summed(handle, block, d->words_size, &s, run)) return false;
    if (!una_cache_take_summed(handle, position, size, &s, run) || una_sum_end(&s) != d->sum) return false;

    const char **level = split_texts(block, d->words_size, d->levels, work);
    for (size_t i = 0; level && i < d->levels; i++)              /* equal words of two columns are one */
        if (!(level[i] = una_words_get(words, level[i], strlen(level[i])))) return false;
    for (size_t i = 0; level && i < rows; i++) {
        if (position[i] > d->levels || (i % AT_ONCE == 0 && una_cancelled(run))) return false;
        column->word[i] = position[i] ? level[position[i] - 1] : NULL;
    }
    return level && column->word[d->first_word];
}

static bool read_lines(int handle, una_dataset *data, const una_cache_table *h, una_run *run)
{
    una_sum s = una_sum_begin();
    data->line = UNA_GET_ROWS(&data->arena, size_t, data->rows);
    if (!data->line) return false;
    for (size_t i = 0; !h->has_lines && i < data->rows; i++) data->line[i] = h->first_line + i;
    return !h->has_lines || (una_cache_take_summed(handle, data->line, data->rows * sizeof(uint64_t), &s, run) &&
                             una_sum_end(&s) == h->lines_sum);
}

static una_form form_of(const una_cache_column *d)
{
    una_form form = { (una_form_kind)(d->form & 255), (char)(d->form >> 8 & 127), (char)(d->form >> 16 & 127), "" };
    memcpy(form.unit, d->unit, sizeof form.unit);
    return form;
}

/* "3 5 dates became days": column (0: the file) and way before the text. */
static bool read_note(una_dataset *data, const char *text)
{
    char *way, *end;
    unsigned long long column = strtoull(text, &way, 10), number = strtoull(way, &end, 10);
    if (*end != ' ' || column > data->columns || number >= UNA_WAYS) return false;
    una_table_note note = { column ? (size_t)column - 1 : SIZE_MAX, (unsigned)number, end + 1 };
    return una_table_say(data, note) == UNA_OK;
}

static bool read_table(int handle, una_dataset **data, const char *path, const una_cache_place *p,
                       const una_cache_key *key, una_run *run)
{
    una_cache_table h;
    unsigned char *bytes = NULL;
    una_arena *work = &run->scratch;
    if (!read_head(handle, &h, &bytes, key, run)) return false;

    const una_cache_column *d = (const una_cache_column *)(bytes + sizeof h);
    const char **text = split_texts((const char *)(d + h.columns), h.text_size, h.columns + 1 + h.notes, work);
    if (!text || strcmp(text[0], p->path) != 0) return false;
    if (run->settings.verify_cache && !una_cache_verified(&h.key, h.content, path, run)) return false;
    if (una_table_new(data, path, text + 1, h.columns, run) != UNA_OK) return false;

    una_dataset *t = *data;
    una_words words = una_words_in(&t->arena, work);
    t->rows = h.rows;
    for (size_t c = 0; c < h.columns; c++) {
        t->column[c].is_text = d[c].is_text;
        t->column[c].form = form_of(&d[c]);
    }
    if (una_table_cells(t) != UNA_OK) return false;

    for (size_t c = 0; c < h.columns; c++) {
        bool good = d[c].is_text ? read_words(handle, &t->column[c], t->rows, &d[c], &words, run)
                                 : read_numbers(handle, &t->column[c], t->rows, &d[c], run);
        if (!good) return false;
    }
    for (size_t i = 0; i < h.notes; i++)
        if (!read_note(t, text[1 + h.columns + i])) return false;
    return read_lines(handle, t, &h, run);
}

/* Somebody said how files are written: what is kept was read without that. */
static bool is_told(const una_run *run)
{
    const una_read_settings *given = run->settings.reading;
    return given && (given->delimiter || given->decimal || given->dates || given->word_count);
}

una_cache_key una_cache_read(una_dataset **data, const char *path, una_run *run)
{
    una_cache_place p;
    *data = NULL;
    una_cache_key key = una_cache_key_of(path, run);
    if (is_told(run) || una_is_input(path) || una_path_ends(path, strlen(path), ".npy")) key.size = 0;
    if (key.size == 0) return (una_cache_key){0};
    int handle = una_cache_find(&p, path, &una_cache_tables) ? una_cache_open(&p, run) : -1;
    if (handle < 0) return key;

    una_mark mark = una_arena_mark(&run->scratch);
    if (read_table(handle, data, path, &p, &key, run)) {
        una_cache_used(handle);
    } else {
        una_dataset_free(*data);
        *data = NULL;
        una_clear_message(run);                                  /* of memory that was not there */
    }
    una_arena_release(&run->scratch, mark);
    close(handle);
    return key;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

static bool same_words(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_cells(const una_table_column *a, const una_table_column *b, size_t rows, const una_run *run)
{
    if (!a->is_text) return memcmp(a->number, b->number, rows * sizeof *a->number) == 0;
    for (size_t i = 0; i < rows; i++)
        if (!same_words(a->word[i], b->word[i]) || (i % AT_ONCE == 0 && una_cancelled(run))) return false;
    return true;
}

static bool same_column(const una_table_column *a, const una_table_column *b, size_t rows, const una_run *run)
{
    bool same = strcmp(a->name, b->name) == 0 && a->is_text == b->is_text && a->first_word == b->first_word;
    same = same && a->form.kind == b->form.kind && a->form.decimal == b->form.decimal && a->form.order == b->form.order;
    return same && strcmp(a->form.unit, b->form.unit) == 0 && !una_cancelled(run) && same_cells(a, b, rows, run);
}

static bool same_notes(const una_dataset *a, const una_dataset *b)
{
    for (size_t i = 0; i < a->notes; i++) {
        const una_table_note *one = &a->note[i], *other = &b->note[i];
        if (one->column != other->column || one->way != other->way || strcmp(one->text, other->text) != 0) return false;
    }
    return true;
}

static bool same_table(const una_dataset *a, const una_dataset *b, const una_run *run)
{
    if (a->rows != b->rows || a->columns != b->columns || a->notes != b->notes) return false;
    if (memcmp(a->line, b->line, a->rows * sizeof *a->line) != 0 || !same_notes(a, b)) return false;
    for (size_t c = 0; c < a->columns; c++)
        if (!same_column(&a->column[c], &b->column[c], a->rows, run)) return false;
    return true;
}

bool una_cache_agrees(const una_dataset *kept, const una_dataset *parsed, const char *path, una_run *run)
{
    if (!parsed->doubts && same_table(kept, parsed, run)) return true;
    if (!una_cancelled(run)) una_cache_denied(path, run);
    return false;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static bool write_words(int handle, const una_table_column *column, size_t rows, una_cache_column *d, una_run *run)
{
    static const char zeroes[32];
    una_arena *work = &run->scratch;
    size_t size = eights(4 * rows);
    uint32_t *position = UNA_GET(work, uint32_t, size / 4);
    una_numbering levels = una_numbering_in(work);
    una_text text = una_text_in(work);                           /* the words, each with its zero byte */
    for (size_t i = 0; position && !work->failed && i < rows; i++) {
        size_t before = levels.count;
        if (i % AT_ONCE == 0 && una_cancelled(run)) return false;
        position[i] = una_number_of(&levels, column->word[i]);
        if (levels.count > before) una_text_bytes(&text, column->word[i], strlen(column->word[i]) + 1);
    }
    una_text_bytes(&text, zeroes, 32 - text.length % 32);
    if (work->failed || levels.count >= UINT32_MAX) return false;
    una_sum s = una_sum_begin();
    bool good = una_cache_put_summed(handle, text.at, text.length, &s, run)
                && una_cache_put_summed(handle, position, size, &s, run);
    *d = (una_cache_column){ .is_text = 1, .first_word = column->first_word, .levels = levels.count,
                       .words_size = text.length, .sum = una_sum_end(&s) };
    return good;
}

static bool write_numbers(int handle, const void *from, size_t size, uint64_t *sum, una_run *run)
{
    una_sum s = una_sum_begin();
    bool good = una_cache_put_summed(handle, from, size, &s, run);
    *sum = una_sum_end(&s);
    return good;
}

static bool counts_up(const size_t *line, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (line[i] != line[0] + i) return false;
    return true;
}

/* Everything behind the head, then the head with all sums. */
static bool write_table(int handle, const una_dataset *data, const una_cache_place *p, const una_cache_key *key,
                        uint64_t content, una_run *run)
{
    static const char zeroes[8];
    una_arena *work = &run->scratch;
    una_cache_table h = { .kind = una_cache_tables, .key = *key, .content = content, .rows = data->rows,
               .columns = data->columns, .notes = data->notes, .first_line = data->line[0],
               .has_lines = !counts_up(data->line, data->rows) };

    una_text text = una_text_in(work);
    una_text_bytes(&text, p->path, strlen(p->path) + 1);
    for (size_t c = 0; c < data->columns; c++)
        una_text_bytes(&text, data->column[c].name, strlen(data->column[c].name) + 1);
    for (size_t i = 0; i < data->notes; i++) {
        const una_table_note *note = &data->note[i];
        una_text_add(&text, "%zu %u %s", note->column == SIZE_MAX ? 0 : note->column + 1, note->way, note->text);
        una_text_bytes(&text, zeroes, 1);
    }
    una_text_bytes(&text, zeroes, eights(text.length) - text.length);
    h.text_size = text.length;
    size_t before = data->columns * sizeof(una_cache_column), size = sizeof h + before + text.length;
    unsigned char *bytes = UNA_GET(work, unsigned char, size);
    if (work->failed || lseek(handle, (off_t)size, SEEK_SET) < 0) return false;

    una_cache_column *d = (una_cache_column *)(bytes + sizeof h);
    for (size_t c = 0; c < data->columns; c++) {
        const una_table_column *column = &data->column[c];
        una_mark mark = una_arena_mark(work);
        bool good = column->is_text
                        ? write_words(handle, column, data->rows, &d[c], run)
                        : write_numbers(handle, column->number, data->rows * sizeof(double), &d[c].sum, run);
        una_arena_release(work, mark);
        if (!good) return false;
        const una_form *form = &column->form;
        d[c].form = (uint64_t)form->kind | (uint64_t)form->decimal << 8 | (uint64_t)form->order << 16;
        memcpy(d[c].unit, form->unit, sizeof form->unit);
    }
    size_t lines = h.has_lines ? data->rows * sizeof *data->line : 0;
    if (lines > 0 && !write_numbers(handle, data->line, lines, &h.lines_sum, run)) return false;

    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h + before, text.at, text.length);
    una_sum s = una_sum_begin();
    una_sum_add(&s, bytes, size);
    h.sum = una_sum_end(&s);
    memcpy(bytes, &h, sizeof h);
    return lseek(handle, 0, SEEK_SET) == 0 && una_cache_put(handle, bytes, size, run);
}

void una_cache_write(const una_dataset *data, const char *path, const una_cache_key *key, una_run *run)
{
    una_cache_writer w;
    double size = 8.0 * (double)data->rows * (double)data->columns;
    if (data->doubts) return;                  /* warnings are given with each reading */
    if (!data->line || data->rows == 0 || data->columns > MOST_COLUMNS) return;
    if (!una_cache_begin(&w, path, &una_cache_tables, key, size, run)) return;
    una_mark mark = una_arena_mark(&run->scratch);
    bool good = write_table(w.handle, data, &w.place, key, w.content, run);
    una_arena_release(&run->scratch, mark);
    una_cache_end(&w, good, run);
}
