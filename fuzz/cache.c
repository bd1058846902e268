/* SPDX-License-Identifier: MIT
 *
 * Files of the cache, which holds unpacked images. The input is such a file without the key and the path of the data
 * file, which are put in here, but for its last two bytes: the first bounds memory, the second says whether all sums
 * are made right, as somebody would who means harm. It is refused, or gives images of no more numbers than it has
 * bytes; and where they are to be unpacked anew, it does not matter what it says.
 */
#include "read/cache.c"                  /* what a file looks like is its own affair                        */
#include "fuzz.h"

#include <sys/stat.h>
#include <time.h>

enum { SUMS = 2, KEEP_SIZES = 4, VERIFY = 3 << 6 };      /* the last takes time: both bits */
enum { SIDE = 4, COUNT = 6 };

static struct fixed {                    /* made once                                                       */
    char          path[PATH_ROOM];
    una_cache_key key;
} fixed;

/* Large enough to be kept. */
static void write_images(const char *path)
{
    static const unsigned char head[16] = { 0, 0, 8, 3, 0, 0, 0, COUNT, [11] = SIDE, [15] = SIDE };
    FILE *to = fopen(path, "wb");
    FUZZ_CHECK(to, "no file");
    fwrite(head, 1, sizeof head, to);
    for (int i = 0; i < COUNT * SIDE * SIDE; i++) fputc(i, to);
    for (int i = 0; i < UNA_CACHE_LEAST; i++) fputc(0, to);      /* too many: unpacked, it is refused */
    fclose(to);
}

static void begin_once(una_run *run)
{
    if (fixed.key.size > 0) return;
    FUZZ_CHECK(setenv("XDG_CACHE_HOME", fuzz_path("cache"), 1) == 0, "no environment");
    snprintf(fixed.path, sizeof fixed.path, "%s", fuzz_path("images.idx"));
    write_images(fixed.path);
    nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL); /* a file just written is not kept */
    fixed.key = una_cache_key_of(fixed.path, run);
    FUZZ_CHECK(fixed.key.size > 0, "it is not to be kept");
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

typedef struct bytes { unsigned char *at; size_t size; } bytes;

static bytes make_images(fuzz_bytes file, uint8_t how)
{
    cache_head h;
    size_t room = (sizeof h + strlen(fixed.path) + 1 + 63) / 64 * 64 - sizeof h, before = sizeof h + room;
    bytes b = { calloc(1, file.left + room), file.left + room };
    FUZZ_CHECK(b.at, "no memory");
    memcpy(&h, file.at, sizeof h);
    memcpy(b.at + sizeof h, fixed.path, strlen(fixed.path));
    memcpy(b.at + before, file.at + sizeof h, file.left - sizeof h);

    h.key = fixed.key;
    if (!(how & KEEP_SIZES)) {
        h.begin = our_beginning;
        h.path_size = room;
    }
    if (how & SUMS) {
        h.numbers_sum = una_crc32(0, b.at + before, b.size - before);
        h.sum = 0;
    }
    memcpy(b.at, &h, sizeof h);
    if (how & SUMS) h.sum = una_crc32(0, b.at, before);
    memcpy(b.at, &h, sizeof h);
    return b;
}

/* As the cache would write it: in a folder and a file that are this user's alone. */
static void put_in_place(bytes b)
{
    place p;
    FUZZ_CHECK(find_place(&p, fixed.path), "no place in the cache");
    mkdir(fuzz_path("cache"), 0700);
    mkdir(p.folder, 0700);
    FILE *to = fopen(p.file, "wb");
    FUZZ_CHECK(to && fwrite(b.at, 1, b.size, to) == b.size && fclose(to) == 0, "%s cannot be written", p.file);
    FUZZ_CHECK(chmod(p.file, 0600) == 0, "no mode");
}

static void try_images(bytes b, uint8_t how, fuzz_world *w)
{
    una_images m = { .run = w->run, .origin = fixed.path }, *anew = NULL;
    put_in_place(b);
    fuzz_memory_from(w);
    una_cache_map_images(&m);
    fuzz_memory(w, b.size, "images of the cache");
    FUZZ_CHECK(!*una_run_message(w->run), "a sentence for nobody: %s", una_run_message(w->run));
    bool believed = m.mapping != NULL;
    double sum = 0;
    size_t all = believed ? m.count * m.each : 0;
    for (size_t i = 0; i < all; i++) sum += m.bytes ? m.bytes[i] : isfinite(m.numbers[i]);
    FUZZ_CHECK(sum >= 0 && all <= b.size, "%zu numbers in %zu bytes", all, b.size);
    una_images_unmap(&m);
    if ((how & VERIFY) != VERIFY || !believed) return;
    w->run->settings.verify_cache = 1;                           /* the file itself has bytes too many */
    FUZZ_CHECK(FUZZ_EXPLAIN(una_images_read(&anew, fixed.path, w->run), w) != UNA_OK, "images that are none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes file = { data, size };
    fuzz_world w;
    uint8_t how = fuzz_last(&file);
    long allocations = fuzz_allocations(fuzz_last(&file));
    if (file.left < sizeof(cache_head) || !fuzz_begin(&w, (fuzz_limits){ .allocations = allocations })) return 0;
    w.run->settings.no_cache = 0;
    begin_once(w.run);
    bytes b = make_images(file, how);
    try_images(b, how, &w);
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
