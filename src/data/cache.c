/* SPDX-License-Identifier: MIT
 *
 * A cache file: head, one descriptor per column, the absolute path and the names; then the columns one after the other,
 * numbers as they are in memory, words as their levels and a 32-bit position per row (0: missing); then the line
 * numbers, unless they simply count up. Each part has a sum, all are checked, and no count is believed before it fits
 * the size of the file. The name comes from the path alone, so that a new version of the data replaces the old one here
 * too.
 *
 * A data file is known by its key: size, inode, device and times. Bytes may change under the same key, where a program
 * stores through a mapping of the file or a file system is careless about times; for those who ask (verify_cache), the
 * head has a sum of the data file's bytes too, and they are read again. It is made after parsing, from bytes that are
 * still in memory; a change of that kind in between is not noticed.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "data/cache.h"

#include "data/build.h"
#include "data/csv.h"
#include "data/sum.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum { VERSION = 3, ORDER = 0x01020304, CHUNK = 1 << 18, MOST_COLUMNS = 1 << 20, STALE_SECONDS = 3600 };
static const char MAGIC[8] = { 'u', 'n', 'a', 'c', 'a', 'c', 'h', 'e' };

typedef struct head {
    char          magic[8];
    uint32_t      version, order;
    uint64_t      sum;           /* of head (with sum 0), descriptors and text                      */
    una_cache_key key;
    uint64_t      content;       /* sum of the data file's bytes, with zeroes to a multiple of 32   */
    uint64_t      rows, columns, text_size;      /* text: path and names, each with its zero byte, then zeroes  */
    uint64_t      first_line, has_lines, lines_sum;
} head;

typedef struct descriptor {
    uint64_t is_text, first_word, levels, words_size, sum;     /* words_size in bytes, a multiple of 32 */
} descriptor;

typedef struct place { char path[PATH_MAX], file[PATH_MAX], folder[PATH_MAX]; } place;

static size_t eights(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- where --------------------------------------------------------------------------------------------- */

static bool joined(char to[PATH_MAX], const char *folder, const char *name)
{
    int length = snprintf(to, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX;
}

/* The cache file of a data file, and its folder, which is made if need be. */
static bool find_place(place *p, const char *path)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char name[32], above[PATH_MAX];
    if (!realpath(path, p->path)) return false;

    if (base && base[0] == '/') {
        if (!joined(above, base, "")) return false;
    } else if (!home || home[0] != '/' || !joined(above, home, ".cache")) {
        return false;
    }
    if (!joined(p->folder, above, "una")) return false;

    uint64_t hash = UINT64_C(14695981039346656037);              /* FNV-1a */
    for (const char *c = p->path; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    snprintf(name, sizeof name, "%016llx.table", (unsigned long long)hash);
    return joined(p->file, p->folder, name);
}

static una_cache_key key_of(const struct stat *about)
{
    return (una_cache_key){ (uint64_t)about->st_size, (uint64_t)about->st_ino, (uint64_t)about->st_dev,
                            (int64_t)about->st_mtim.tv_sec, (int64_t)about->st_mtim.tv_nsec,
                            (int64_t)about->st_ctim.tv_sec, (int64_t)about->st_ctim.tv_nsec };
}

static bool same_key(const struct stat *about, const una_cache_key *key)
{
    una_cache_key now = key_of(about);
    return memcmp(&now, key, sizeof now) == 0;
}

/* A file written just now might be written again without its time changing: clocks of file systems are coarse. */
static bool settled(const una_cache_key *key)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - key->changed) + 1e-9 * (double)(now.tv_nsec - key->changed_ns);
    return age > (key->changed_ns == 0 ? 3 : 0.1);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static bool read_whole(int handle, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        ssize_t got = read(handle, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Reads and sums up; in pieces, so that each is summed while it is in the cache of the processor. */
static bool read_summed(int handle, void *to, size_t size, una_sum *s)
{
    for (size_t from = 0; from < size; from += CHUNK) {
        size_t now = size - from < CHUNK ? size - from : CHUNK;
        if (!read_whole(handle, (char *)to + from, now)) return false;
        una_sum_add(s, (char *)to + from, now);
    }
    return true;
}

static bool read_content(int handle, uint64_t size, uint64_t *content, una_run *run)
{
    una_sum s = una_sum_begin();
    unsigned char *piece = UNA_GET(&run->scratch, unsigned char, CHUNK);
    if (!piece) return false;
    for (uint64_t left = size; left > 0;) {
        size_t now = left < CHUNK ? (size_t)left : CHUNK, padded = (now + 31) / 32 * 32;
        if (una_cancelled(run) || !read_whole(handle, piece, now)) return false;
        memset(piece + now, 0, padded - now);
        una_sum_add(&s, piece, padded);
        left -= now;
    }
    *content = una_sum_end(&s);
    return true;
}

/* The sum of the data file's bytes; false unless it still has this key after they were read. */
static bool sum_content(uint64_t *content, const char *path, const una_cache_key *key, una_run *run)
{
    struct stat about;
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (handle < 0) return false;
    una_mark mark = una_arena_mark(&run->scratch);
    bool good = read_content(handle, key->size, content, run);
    una_arena_release(&run->scratch, mark);
    good = good && fstat(handle, &about) == 0 && same_key(&about, key);
    close(handle);
    return good;
}

/* Has the data file the bytes that it was cached with? Under the same key, so that nothing else would tell. */
static bool verified(const head *h, const char *path, una_run *run)
{
    uint64_t content;
    if (!sum_content(&content, path, &h->key, run)) return false;
    if (content == h->content) return true;
    una_log(run, UNA_LOG_WARNING, "the bytes of %s have changed since it was cached, although its size and times have "
            "not; it is parsed anew now, but fit models again that were fitted to it since the change", path);
    return false;
}

/* Do the counts make up exactly a file of this size? Each is bounded before it is multiplied. */
static bool fits(const head *h, const descriptor *d, size_t file_size)
{
    uint64_t left = file_size - sizeof *h - h->columns * sizeof *d - h->text_size;
    for (size_t c = 0; c < h->columns; c++) {
        if (d[c].is_text > 1 || d[c].words_size % 32 || d[c].words_size > left || d[c].first_word >= h->rows)
            return false;
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
    if (!read_whole(handle, h, sizeof *h) || memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return false;
    if (h->version != VERSION || h->order != ORDER || memcmp(&h->key, key, sizeof *key) != 0) return false;

    uint64_t size = (uint64_t)about.st_size, rest = size - sizeof *h;
    if (h->columns == 0 || h->columns > MOST_COLUMNS || h->columns > rest / sizeof(descriptor)) return false;
    rest -= h->columns * sizeof(descriptor);
    if (h->rows == 0 || h->rows > size / 4 || h->text_size % 8 || h->text_size > rest || h->has_lines > 1) return false;

    size_t more = h->columns * sizeof(descriptor) + h->text_size;
    *bytes = UNA_GET(&run->scratch, unsigned char, sizeof *h + more);
    if (!*bytes) return false;
    memcpy(*bytes, h, sizeof *h);
    memset(*bytes + offsetof(head, sum), 0, sizeof h->sum);
    if (!read_whole(handle, *bytes + sizeof *h, more)) return false;

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
    return read_summed(handle, column->number, rows * sizeof(double), &s) && una_sum_end(&s) == d->sum
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

    if (!read_whole(handle, block, d->words_size) || !read_whole(handle, position, size)) return false;
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
    return !h->has_lines || (read_summed(handle, data->line, data->rows * sizeof(uint64_t), &s) &&
                             una_sum_end(&s) == h->lines_sum);
}

static bool read_table(int handle, una_dataset **data, const char *path, const place *p, const una_cache_key *key,
                       una_run *run)
{
    head h;
    unsigned char *bytes = NULL;
    una_arena *work = &run->scratch;
    if (!read_head(handle, &h, &bytes, key, run)) return false;

    const descriptor *d = (const descriptor *)(bytes + sizeof h);
    const char **text = split_texts((const char *)(d + h.columns), h.text_size, h.columns + 1, work);
    if (!text || strcmp(text[0], p->path) != 0) return false;
    if (run->settings.verify_cache && !verified(&h, path, run)) return false;
    if (una_table_new(data, path, text + 1, h.columns, run) != UNA_OK) return false;

    una_dataset *t = *data;
    una_words words = una_words_in(&t->arena, work);
    t->rows = h.rows;
    for (size_t c = 0; c < h.columns; c++) t->column[c].is_text = d[c].is_text;
    if (una_table_cells(t) != UNA_OK) return false;

    for (size_t c = 0; c < h.columns; c++) {
        bool good = d[c].is_text ? read_words(handle, &t->column[c], t->rows, &d[c], &words, work)
                                 : read_numbers(handle, &t->column[c], t->rows, &d[c]);
        if (!good) return false;
    }
    return read_lines(handle, t, &h);
}

una_cache_key una_cache_read(una_dataset **data, const char *path, una_run *run)
{
    struct stat about;
    place p;
    *data = NULL;
    if (run->settings.no_cache || sizeof(size_t) != 8 || una_path_ends(path, strlen(path), ".npy"))
        return (una_cache_key){0};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < UNA_CACHE_LEAST)
        return (una_cache_key){0};

    una_cache_key key = key_of(&about);
    int handle = find_place(&p, path) ? open(p.file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
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

static bool write_whole(int handle, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        ssize_t put = write(handle, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool write_summed(int handle, const void *from, size_t size, uint64_t *result)
{
    una_sum s = una_sum_begin();
    una_sum_add(&s, from, size);
    *result = una_sum_end(&s);
    return write_whole(handle, from, size);
}

typedef struct levels {                  /* words to positions: equal words share one pointer            */
    const char **slot;
    uint32_t    *position;               /* from 1                                                       */
    size_t       slots, count;
    una_text     text;                   /* the words, each with its zero byte                           */
} levels;

static size_t slot_of(const levels *l, const char *word)
{
    size_t i = (size_t)((uint64_t)(uintptr_t)word * UINT64_C(0x9E3779B185EBCA87) >> 20) & (l->slots - 1);
    while (l->slot[i] && l->slot[i] != word) i = (i + 1) & (l->slots - 1);
    return i;
}

static bool grow_levels(levels *l, una_arena *work)
{
    levels old = *l;
    l->slots = old.slots ? 2 * old.slots : 1024;
    l->slot = UNA_GET(work, const char *, l->slots);
    l->position = UNA_GET(work, uint32_t, l->slots);
    if (!l->slot || !l->position) return false;
    for (size_t i = 0; i < old.slots; i++) {
        if (!old.slot[i]) continue;
        size_t to = slot_of(l, old.slot[i]);
        l->slot[to] = old.slot[i];
        l->position[to] = old.position[i];
    }
    return true;
}

static uint32_t position_of(levels *l, const char *word, una_arena *work)
{
    if (!word) return 0;
    if (2 * l->count >= l->slots && !grow_levels(l, work)) return 0;
    size_t i = slot_of(l, word);
    if (!l->slot[i]) {
        l->slot[i] = word;
        l->position[i] = (uint32_t)++l->count;
        una_text_bytes(&l->text, word, strlen(word) + 1);
    }
    return l->position[i];
}

static bool write_words(int handle, const una_table_column *column, size_t rows, descriptor *d, una_arena *work)
{
    static const char zeroes[32];
    size_t size = eights(4 * rows);
    uint32_t *position = UNA_GET(work, uint32_t, size / 4);
    levels l = { .text = una_text_in(work) };
    for (size_t i = 0; position && !work->failed && i < rows; i++) position[i] = position_of(&l, column->word[i], work);
    una_text_bytes(&l.text, zeroes, 32 - l.text.length % 32);
    if (work->failed || l.count >= UINT32_MAX) return false;
    una_sum s = una_sum_begin();
    una_sum_add(&s, l.text.at, l.text.length);
    una_sum_add(&s, position, size);
    *d = (descriptor){ 1, column->first_word, l.count, l.text.length, una_sum_end(&s) };
    return write_whole(handle, l.text.at, l.text.length) && write_whole(handle, position, size);
}

static bool counts_up(const size_t *line, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (line[i] != line[0] + i) return false;
    return true;
}

/* Everything behind the head, then the head with all sums. */
static bool write_table(int handle, const una_dataset *data, const place *p, const una_cache_key *key,
                        uint64_t content, una_arena *work)
{
    static const char zeroes[8];
    head h = { .version = VERSION, .order = ORDER, .key = *key, .content = content, .rows = data->rows,
               .columns = data->columns, .first_line = data->line[0], .has_lines = !counts_up(data->line, data->rows) };
    memcpy(h.magic, MAGIC, sizeof MAGIC);

    una_text text = una_text_in(work);
    una_text_bytes(&text, p->path, strlen(p->path) + 1);
    for (size_t c = 0; c < data->columns; c++)
        una_text_bytes(&text, data->column[c].name, strlen(data->column[c].name) + 1);
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
                                    : write_summed(handle, column->number, data->rows * sizeof(double), &d[c].sum);
        una_arena_release(work, mark);
        if (!good) return false;
    }
    if (h.has_lines && !write_summed(handle, data->line, data->rows * sizeof *data->line, &h.lines_sum)) return false;

    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h + before, text.at, text.length);
    una_sum s = una_sum_begin();
    una_sum_add(&s, bytes, size);
    h.sum = una_sum_end(&s);
    memcpy(bytes, &h, sizeof h);
    return lseek(handle, 0, SEEK_SET) == 0 && write_whole(handle, bytes, size);
}

/* Is there room for the table without filling the disk up? */
static bool has_room(const char *folder, const una_dataset *data)
{
    struct statvfs about;
    if (statvfs(folder, &about) != 0) return false;
    return (double)about.f_bavail * (double)about.f_frsize > 4.0 * 8 * (double)data->rows * (double)data->columns;
}

/* One writer at a time; what a crash left over gives way after an hour. */
static int open_temporary(const char *path)
{
    struct stat about;
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (handle >= 0 || errno != EEXIST || stat(path, &about) != 0 || time(NULL) - about.st_mtime < STALE_SECONDS)
        return handle;
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

void una_cache_write(const una_dataset *data, const char *path, const una_cache_key *key, una_run *run)
{
    struct stat about;
    place p;
    char temporary[PATH_MAX + 8];
    uint64_t content = 0;
    if (key->size == 0 || !data->line || data->rows == 0 || data->columns > MOST_COLUMNS || !settled(key)) return;
    if (stat(path, &about) != 0 || !same_key(&about, key) || !find_place(&p, path)) return;

    char *slash = strrchr(p.folder, '/');
    *slash = 0;
    mkdir(p.folder, 0700);                                       /* where it cannot be made, opening fails */
    *slash = '/';
    mkdir(p.folder, 0700);
    if (!has_room(p.folder, data)) return;

    snprintf(temporary, sizeof temporary, "%s.tmp", p.file);
    int handle = open_temporary(temporary);
    if (handle < 0) return;

    una_mark mark = una_arena_mark(&run->scratch);
    bool good = sum_content(&content, path, key, run)
                && write_table(handle, data, &p, key, content, &run->scratch);
    una_arena_release(&run->scratch, mark);
    good = close(handle) == 0 && good;
    if (!good || rename(temporary, p.file) != 0) unlink(temporary);
    if (!good) una_clear_message(run);
}
