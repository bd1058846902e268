/* SPDX-License-Identifier: MIT
 *
 * Files of the cache. The input is such a file without the key and the path of the data file, which are put in here,
 * but for its last two bytes: the first bounds memory, the second says whether it is a table or images, and whether
 * all sums are made right, as somebody would who means harm. It is refused, or gives a table that is sound; and where
 * it is verified, the table is that of the text, whatever the file says. Memory is bounded by its bytes.
 */
#include "data/cache_layout.h"
#include "data/images.h"
#include "fuzz.h"

#include <sys/stat.h>
#include <time.h>

enum { IMAGES = 1, SUMS = 2, KEEP_SIZES = 4, WRITE = 3 << 4, VERIFY = 3 << 6 };  /* the last two take time: both bits */
enum { ROWS = 40, SIDE = 4, COUNT = 6 };

static struct fixed {                    /* made once                                                       */
    char          data[UNA_CACHE_PATH], images[UNA_CACHE_PATH];  /* data files; their paths with the zero byte are of a
                                            multiple of eight bytes                                         */
    una_cache_key data_key, images_key;
    una_dataset  *truth;
    fuzz_world    world;                 /* of the truth                                                    */
} fixed;

/* ---- what stays ------------------------------------------------------------------------------------------------- */

static void choose_path(char path[UNA_CACHE_PATH], const char *name, const char *ending)
{
    char padded[64];
    for (int fill = 0; fill < 8; fill++) {
        snprintf(padded, sizeof padded, "%s%.*s%s", name, fill, "xxxxxxxx", ending);
        snprintf(path, UNA_CACHE_PATH, "%s", fuzz_path(padded));
        if ((strlen(path) + 1) % 8 == 0) return;
    }
}

/* Large enough to be kept, by a name that is quickly read. */
static void write_text(const char *path)
{
    static const char *const words[] = { "red", "light blue", "NA" };
    FILE *to = fopen(path, "wb");
    FUZZ_CHECK(to, "no file");
    fputs("a,word,\"b", to);
    for (int i = 0; i < UNA_CACHE_LEAST; i++) fputc('x', to);
    fputs("\"\n", to);
    for (int i = 0; i < ROWS; i++) fprintf(to, "%d.25,%s,%d\n", i, words[i % 3], i * i);
    fclose(to);
}

static void write_images(const char *path)
{
    static const unsigned char head[16] = { 0, 0, 8, 3, 0, 0, 0, COUNT, [11] = SIDE, [15] = SIDE };
    FILE *to = fopen(path, "wb");
    FUZZ_CHECK(to, "no file");
    fwrite(head, 1, sizeof head, to);
    for (int i = 0; i < COUNT * SIDE * SIDE; i++) fputc(i, to);
    for (int i = 0; i < UNA_CACHE_LEAST; i++) fputc(0, to);      /* too many: who verifies, is refused */
    fclose(to);
}

static void begin_once(void)
{
    if (fixed.truth) return;
    FUZZ_CHECK(setenv("XDG_CACHE_HOME", fuzz_path("cache"), 1) == 0, "no environment");
    choose_path(fixed.data, "table", ".csv");
    choose_path(fixed.images, "images", ".idx");
    write_text(fixed.data);
    write_images(fixed.images);
    nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL); /* a file just written is not kept */
    FUZZ_CHECK(fuzz_begin(&fixed.world, (fuzz_limits){ .seed = 0 }), "no run");
    una_run *run = fixed.world.run;
    FUZZ_CHECK(una_dataset_read(&fixed.truth, fixed.data, run) == UNA_OK, "%s", una_run_message(run));
    run->settings.no_cache = 0;
    fixed.data_key = una_cache_key_of(fixed.data, run);
    fixed.images_key = una_cache_key_of(fixed.images, run);
    FUZZ_CHECK(fixed.data_key.size > 0 && fixed.images_key.size > 0, "it is not to be kept");
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

typedef struct bytes { unsigned char *at; size_t size; } bytes;

/* The path goes in at `where`, and zeroes up to `room`. */
static bytes with_path(fuzz_bytes file, size_t where, const char *path, size_t room)
{
    bytes b = { calloc(1, file.left + room + 64), file.left + room };
    FUZZ_CHECK(b.at, "no memory");
    memcpy(b.at, file.at, where);
    memcpy(b.at + where, path, strlen(path) < room ? strlen(path) : room);
    memcpy(b.at + where + room, file.at + where, file.left - where);
    return b;
}

static uint64_t sum_of(const unsigned char *at, size_t size)
{
    una_sum s = una_sum_begin();
    una_sum_add(&s, at, size / 8 * 8);
    return una_sum_end(&s);
}

static void mend_head_sum(bytes b, size_t at, size_t size)
{
    memset(b.at + at, 0, 8);
    uint64_t sum = sum_of(b.at, size);
    memcpy(b.at + at, &sum, sizeof sum);
}

/* Sums of all columns that lie within the file; sizes are taken at their word. */
static void mend_table_sums(bytes b)
{
    una_cache_table h;
    memcpy(&h, b.at, sizeof h);
    size_t before = sizeof h + h.columns * sizeof(una_cache_column) + h.text_size, at = before;
    if (h.columns > b.size / sizeof(una_cache_column) || h.text_size > b.size || before > b.size) return;
    for (size_t c = 0; c < h.columns; c++) {
        una_cache_column d;
        unsigned char *place = b.at + sizeof h + c * sizeof d;
        memcpy(&d, place, sizeof d);
        if (h.rows > b.size || d.words_size > b.size) break;
        size_t size = d.is_text ? d.words_size + (4 * h.rows + 7) / 8 * 8 : 8 * h.rows;
        if (size > b.size - at) break;
        d.sum = sum_of(b.at + at, size);
        memcpy(place, &d, sizeof d);
        at += size;
    }
    h.lines_sum = sum_of(b.at + at, b.size - at);
    memcpy(b.at, &h, sizeof h);
    mend_head_sum(b, offsetof(una_cache_table, sum), before);
}

static bytes make_table(fuzz_bytes file, uint8_t how)
{
    una_cache_table h;
    memcpy(&h, file.at, sizeof h);
    size_t path = strlen(fixed.data) + 1, where = sizeof h;
    if (h.columns <= (file.left - where) / sizeof(una_cache_column)) where += h.columns * sizeof(una_cache_column);
    bytes b = with_path(file, where, fixed.data, path);
    h.kind = how & KEEP_SIZES ? h.kind : una_cache_tables;
    h.key = fixed.data_key;
    h.text_size += path;
    memcpy(b.at, &h, sizeof h);
    if (how & SUMS) mend_table_sums(b);
    return b;
}

static bytes make_images(fuzz_bytes file, uint8_t how)
{
    una_cache_tensor h;
    memcpy(&h, file.at, sizeof h);
    size_t room = (sizeof h + strlen(fixed.images) + 1 + 63) / 64 * 64 - sizeof h;
    bytes b = with_path(file, sizeof h, fixed.images, room);
    h.kind = how & KEEP_SIZES ? h.kind : una_cache_tensors;
    h.key = fixed.images_key;
    if (!(how & KEEP_SIZES)) h.path_size = room;
    if (how & SUMS) h.numbers_sum = sum_of(b.at + sizeof h + room, b.size - sizeof h - room);
    memcpy(b.at, &h, sizeof h);
    if (how & SUMS) mend_head_sum(b, offsetof(una_cache_tensor, sum), sizeof h + room);
    return b;
}

/* As the cache would write it: in a folder and a file that are this user's alone. */
static void put_in_place(bytes b, const char *path, const una_cache_kind *kind)
{
    una_cache_place place;
    FUZZ_CHECK(una_cache_find(&place, path, kind), "no place in the cache");
    mkdir(fuzz_path("cache"), 0700);
    mkdir(place.folder, 0700);
    FILE *to = fopen(place.file, "wb");
    FUZZ_CHECK(to && fwrite(b.at, 1, b.size, to) == b.size && fclose(to) == 0, "%s cannot be written", place.file);
    FUZZ_CHECK(chmod(place.file, 0600) == 0, "no mode");
}

/* ---- oracles ------------------------------------------------------------------------------------------------------ */

static void check_table(const una_dataset *t)
{
    FUZZ_CHECK(t->rows > 0 && t->columns > 0 && t->line, "an empty table");
    for (size_t c = 0; c < t->columns; c++) {
        const una_table_column *column = &t->column[c];
        FUZZ_CHECK(column->name && memchr(column->form.unit, 0, sizeof column->form.unit), "a column without an end");
        for (size_t i = 0; i < t->rows; i++)
            FUZZ_CHECK(column->is_text ? !column->word[i] || strlen(column->word[i]) < SIZE_MAX
                                       : !isinf(column->number[i]), "an infinite number");
        FUZZ_CHECK(!column->is_text || column->word[column->first_word], "the first word is none");
    }
    for (size_t i = 0; i < t->notes; i++)
        FUZZ_CHECK(t->note[i].text && t->note[i].way < UNA_WAYS, "a note without a text");
}

static void check_truth(const una_dataset *t)
{
    const una_dataset *own = fixed.truth;
    FUZZ_CHECK(t->rows == own->rows && t->columns == own->columns, "%zu x %zu", t->rows, t->columns);
    for (size_t c = 0; c < own->columns; c++) {
        const una_table_column *a = &own->column[c], *b = &t->column[c];
        FUZZ_CHECK(strcmp(a->name, b->name) == 0 && a->is_text == b->is_text, "another column");
        if (!a->is_text) fuzz_same(a->number, b->number, own->rows, "a verified table");
        for (size_t i = 0; a->is_text && i < own->rows; i++)
            FUZZ_CHECK(a->word[i] == b->word[i] || strcmp(a->word[i], b->word[i]) == 0, "another word");
    }
}

static void try_table(bytes b, uint8_t how, fuzz_world *w)
{
    una_dataset *table = NULL;
    put_in_place(b, fixed.data, &una_cache_tables);
    fuzz_memory_from(w);
    una_cache_read(&table, fixed.data, w->run);
    fuzz_memory(w, b.size, "a table of the cache");
    FUZZ_CHECK(!*una_run_message(w->run), "a sentence for nobody: %s", una_run_message(w->run));
    if (table) check_table(table);
    bool believed = table != NULL;
    una_dataset_free(table);
    if ((how & VERIFY) != VERIFY || !believed) return;

    w->run->settings.verify_cache = 1;
    una_status status = FUZZ_SAID(una_dataset_read(&table, fixed.data, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "%s", una_run_message(w->run));
    if (status == UNA_OK) check_truth(table);
    una_dataset_free(table);
}

static void try_images(bytes b, uint8_t how, fuzz_world *w)
{
    una_images m = { .run = w->run, .origin = fixed.images }, *verified = NULL;
    put_in_place(b, fixed.images, &una_cache_tensors);
    una_cache_map_images(&m);
    bool believed = m.mapping != NULL;
    double sum = 0;
    size_t all = believed ? m.count * m.each : 0;
    for (size_t i = 0; i < all; i++) sum += m.bytes ? m.bytes[i] : isfinite(m.numbers[i]);
    FUZZ_CHECK(sum >= 0 && all <= b.size, "%zu numbers in %zu bytes", all, b.size);
    una_cache_unmap_images(&m);
    if ((how & VERIFY) != VERIFY || !believed) return;
    w->run->settings.verify_cache = 1;                           /* the file itself has bytes too many */
    FUZZ_CHECK(FUZZ_SAID(una_images_read(&verified, fixed.images, w->run), w) != UNA_OK, "images that are none");
}

/* What is written is read again. */
static void try_writing(fuzz_world *w)
{
    una_dataset *table = NULL;
    una_cache_write(fixed.truth, fixed.data, &fixed.data_key, w->run);
    una_cache_read(&table, fixed.data, w->run);
    FUZZ_CHECK(table || w->starved, "it was written, and cannot be read");
    if (table) check_truth(table);
    una_dataset_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes file = { data, size };
    fuzz_world w;
    uint8_t how = fuzz_last(&file);
    long allocations = fuzz_allocations(fuzz_last(&file));
    if (file.left < (how & IMAGES ? sizeof(una_cache_tensor) : sizeof(una_cache_table))) return 0;
    begin_once();
    if (!fuzz_begin(&w, (fuzz_limits){ .allocations = allocations })) return 0;
    w.run->settings.no_cache = 0;
    bytes b = how & IMAGES ? make_images(file, how) : make_table(file, how);
    if ((how & WRITE) == WRITE) try_writing(&w);
    if (how & IMAGES) try_images(b, how, &w);
    else try_table(b, how, &w);
    free(b.at);
    fuzz_end(&w);
    return 0;
}

/* Half of the time a field of eight bytes becomes a number that is near to what it should be, or far from it. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
    static const uint64_t numbers[] = { 0, 1, 2, 3, 8, 32, 255, 1 << 20, UINT32_MAX, (uint64_t)1 << 61, UINT64_MAX };
    if (seed % 2 || size < 64) return LLVMFuzzerMutate(data, size, room);
    uint64_t field, turn = seed / 2;
    size_t at = turn / 64 % (size / 8) * 8;
    memcpy(&field, data + at, sizeof field);
    if (turn % 2) field = numbers[turn / 2 % (sizeof numbers / sizeof *numbers)];
    else field += (uint64_t)(turn / 2 % 17) - 8;
    memcpy(data + at, &field, sizeof field);
    return size;
}
