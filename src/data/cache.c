/* SPDX-License-Identifier: MIT
 *
 * A cache file: head, one descriptor per column, the absolute path and the names; then the columns one after the other,
 * numbers as they are in memory, words as their levels and a 32-bit position per row (0: missing); then the line
 * numbers, unless they simply count up. Each part has a sum, all are checked, and no count is believed before it fits
 * the size of the file.
 */
#include "data/cache_file.h"

#include "data/build.h"
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 6, MOST_COLUMNS = 1 << 20 };
static const char ENDING[] = ".table";
static const char MAGIC[8] = { 'u', 'n', 'a', 'c', 'a', 'c', 'h', 'e' };

typedef struct head {
    char          magic[8];
    uint32_t      version, order;
    uint64_t      sum;           /* of head (with sum 0), descriptors and text                      */
    una_cache_key key;
    uint64_t      content;       /* sum of the data file's bytes, with zeroes to a multiple of 32   */
    uint64_t      rows, columns, text_size;      /* text: path, names, notes, each with its zero byte, then zeroes */
    uint64_t      notes;
    uint64_t      first_line, has_lines, lines_sum;
} head;

typedef struct descriptor {
    uint64_t is_text, first_word, levels, words_size, sum;     /* words_size in bytes, a multiple of 32 */
    uint64_t form;                       /* its kind, decimal mark and order, a byte each                */
    char     unit[UNA_UNIT_ROOM];
} descriptor;

static size_t eights(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Do the counts make up exactly a file of this size? Each is bounded before it is multiplied. */
static bool fits(const head *h, const descriptor *d, size_t file_size)
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
static bool read_head(int handle, head *h, unsigned char **bytes, const una_cache_key *key, una_run *run)
{
    struct stat about;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof *h) return false;
    if (!una_cache_take(handle, h, sizeof *h) || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return false;
    if (h->version != VERSION || h->order != UNA_CACHE_ORDER || memcmp(&h->key, key, sizeof *key) != 0) return false;

    uint64_t size = (uint64_t)about.st_size, rest = size - sizeof *h;
    if (h->columns == 0 || h->columns > MOST_COLUMNS || h->columns > rest / sizeof(descriptor)) return false;
    rest -= h->columns * sizeof(descriptor);
    if (h->notes > h->text_size) return false;
    if (h->rows == 0 || h->rows > size / 4 || h->text_size % 8 || h->text_size > rest || h->has_lines > 1) return false;

    size_t more = h->columns * sizeof(descriptor) + h->text_size;
    *bytes = UNA_GET(&run->scratch, unsigned char, sizeof *h + more);
    if (!*bytes) return false;
    memcpy(*bytes, h, sizeof *h);
    memset(*bytes + offsetof(head, sum), 0, sizeof h->sum);
    if (!una_cache_take(handle, *bytes + sizeof *h, more)) return false;

    una_sum s = una_sum_begin();
    una_sum_add(&s, *bytes, sizeof *h + more);
    return una_sum_end(&s) == h->sum && fits(h, (descriptor *)(*bytes + sizeof *h), (size_t)size);
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

static bool read_numbers(int handle, una_table_column *column, size_t rows, const descriptor *d)
{
    una_sum s = una_sum_begin();
    return una_cache_take_summed(handle, column->number, rows * sizeof(double), &s) && una_sum_end(&s) == d->sum
           && !has_infinity(column->number, rows);
}

static bool read_words(int handle, una_table_column *column, size_t rows, const descriptor *d, una_words *words,
                       una_arena *work)
{
    una_sum s = una_sum_begin();
    size_t size = eights(4 * rows);
    char *block = UNA_GET(work, char, d->words_size);
    uint32_t *position = UNA_GET(work, uint32_t, size / 4);
    column->first_word = d->first_word;
    if (!block || !position) return false;

    if (!una_cache_take(handle, block, d->words_size) || !una_cache_take(handle, position, size)) return false;
    una_sum_add(&s, block, d->words_size);
    una_sum_add(&s, position, size);
    if (una_sum_end(&s) != d->sum) return false;

    const char **level = split_texts(block, d->words_size, d->levels, work);
    for (size_t i = 0; level && i < d->levels; i++)              /* equal words of two columns are one */
        if (!(level[i] = una_words_get(words, level[i], strlen(level[i])))) return false;
    for (size_t i = 0; level && i < rows; i++) {
        if (position[i] > d->levels) return false;
        column->word[i] = position[i] ? level[position[i] - 1] : NULL;
    }
    return level && column->word[d->first_word];
}

static bool read_lines(int handle, una_dataset *data, const head *h)
{
    una_sum s = una_sum_begin();
    data->line = UNA_GET_ROWS(&data->arena, size_t, data->rows);
    if (!data->line) return false;
    for (size_t i = 0; !h->has_lines && i < data->rows; i++) data->line[i] = h->first_line + i;
    return !h->has_lines || (una_cache_take_summed(handle, data->line, data->rows * sizeof(uint64_t), &s) &&
                             una_sum_end(&s) == h->lines_sum);
}

static una_form form_of(const descriptor *d)
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
    head h;
    unsigned char *bytes = NULL;
    una_arena *work = &run->scratch;
    if (!read_head(handle, &h, &bytes, key, run)) return false;

    const descriptor *d = (const descriptor *)(bytes + sizeof h);
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
        bool good = d[c].is_text ? read_words(handle, &t->column[c], t->rows, &d[c], &words, work)
                                 : read_numbers(handle, &t->column[c], t->rows, &d[c]);
        if (!good) return false;
    }
    for (size_t i = 0; i < h.notes; i++)
        if (!read_note(t, text[1 + h.columns + i])) return false;
    return read_lines(handle, t, &h);
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
    int handle = una_cache_find(&p, path, ENDING) ? una_cache_open(&p) : -1;
    if (handle < 0) return key;

    una_mark mark = una_arena_mark(&run->scratch);
    if (!read_table(handle, data, path, &p, &key, run)) {
        una_dataset_free(*data);
        *data = NULL;
        una_clear_message(run);                                  /* of memory that was not there */
    }
    una_arena_release(&run->scratch, mark);
    close(handle);
    return key;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static bool write_words(int handle, const una_table_column *column, size_t rows, descriptor *d, una_arena *work)
{
    static const char zeroes[32];
    size_t size = eights(4 * rows);
    uint32_t *position = UNA_GET(work, uint32_t, size / 4);
    una_numbering levels = una_numbering_in(work);
    una_text text = una_text_in(work);                           /* the words, each with its zero byte */
    for (size_t i = 0; position && !work->failed && i < rows; i++) {
        size_t before = levels.count;
        position[i] = una_number_of(&levels, column->word[i]);
        if (levels.count > before) una_text_bytes(&text, column->word[i], strlen(column->word[i]) + 1);
    }
    una_text_bytes(&text, zeroes, 32 - text.length % 32);
    if (work->failed || levels.count >= UINT32_MAX) return false;
    una_sum s = una_sum_begin();
    una_sum_add(&s, text.at, text.length);
    una_sum_add(&s, position, size);
    *d = (descriptor){ .is_text = 1, .first_word = column->first_word, .levels = levels.count,
                       .words_size = text.length, .sum = una_sum_end(&s) };
    return una_cache_put(handle, text.at, text.length) && una_cache_put(handle, position, size);
}

static bool counts_up(const size_t *line, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (line[i] != line[0] + i) return false;
    return true;
}

/* Everything behind the head, then the head with all sums. */
static bool write_table(int handle, const una_dataset *data, const una_cache_place *p, const una_cache_key *key,
                        uint64_t content, una_arena *work)
{
    static const char zeroes[8];
    head h = { .version = VERSION, .order = UNA_CACHE_ORDER, .key = *key, .content = content, .rows = data->rows,
               .columns = data->columns, .notes = data->notes, .first_line = data->line[0],
               .has_lines = !counts_up(data->line, data->rows) };
    memcpy(h.magic, MAGIC, sizeof MAGIC);

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
    size_t before = data->columns * sizeof(descriptor), size = sizeof h + before + text.length;
    unsigned char *bytes = UNA_GET(work, unsigned char, size);
    if (work->failed || lseek(handle, (off_t)size, SEEK_SET) < 0) return false;

    descriptor *d = (descriptor *)(bytes + sizeof h);
    for (size_t c = 0; c < data->columns; c++) {
        const una_table_column *column = &data->column[c];
        una_mark mark = una_arena_mark(work);
        bool good = column->is_text ? write_words(handle, column, data->rows, &d[c], work)
                                    : una_cache_put_summed(handle, column->number, data->rows * sizeof(double),
                                                           &d[c].sum);
        una_arena_release(work, mark);
        if (!good) return false;
        const una_form *form = &column->form;
        d[c].form = (uint64_t)form->kind | (uint64_t)form->decimal << 8 | (uint64_t)form->order << 16;
        memcpy(d[c].unit, form->unit, sizeof form->unit);
    }
    size_t lines = h.has_lines ? data->rows * sizeof *data->line : 0;
    if (lines > 0 && !una_cache_put_summed(handle, data->line, lines, &h.lines_sum)) return false;

    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h + before, text.at, text.length);
    una_sum s = una_sum_begin();
    una_sum_add(&s, bytes, size);
    h.sum = una_sum_end(&s);
    memcpy(bytes, &h, sizeof h);
    return lseek(handle, 0, SEEK_SET) == 0 && una_cache_put(handle, bytes, size);
}

void una_cache_write(const una_dataset *data, const char *path, const una_cache_key *key, una_run *run)
{
    una_cache_writer w;
    double size = 8.0 * (double)data->rows * (double)data->columns;
    if (data->doubts) return;                  /* warnings are given with each reading */
    if (!data->line || data->rows == 0 || data->columns > MOST_COLUMNS) return;
    if (!una_cache_begin(&w, path, ENDING, key, size, run)) return;
    una_mark mark = una_arena_mark(&run->scratch);
    bool good = write_table(w.handle, data, &w.place, key, w.content, &run->scratch);
    una_arena_release(&run->scratch, mark);
    una_cache_end(&w, good, run);
}
