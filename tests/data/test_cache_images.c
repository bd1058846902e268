/* SPDX-License-Identifier: MIT
 *
 * Packed images are unpacked once: the second reading maps the cache's file and has the same numbers; never old or
 * damaged ones, and no harm where the cache cannot be written.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "test_support.h"

#include "data/images.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { COUNT = 1050, SIDE = 32, EACH = SIDE * SIDE, SIZE = COUNT * EACH, HEAD = 16 };

static una_run *run;
static char cache[5000];
static unsigned char tensor[HEAD + SIZE];

static int set_up(void **state)
{
    (void)state;
    static const unsigned char head[HEAD] = { 0, 0, 8, 3, 0, 0, COUNT >> 8, COUNT & 255, [11] = SIDE, [15] = SIDE };
    char folder[PATH_MAX];
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    memcpy(tensor, head, HEAD);
    for (size_t i = 0; i < SIZE; i++) tensor[HEAD + i] = (unsigned char)una_rng_below(&rng, 256);
    run = quiet_run();
    if (!realpath(temp_folder(), folder)) return 1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    return setenv("XDG_CACHE_HOME", cache, 1);
}

static int tear_down(void **state)
{
    (void)state;
    una_run_free(run);
    temp_folder_empty(cache);
    return 0;
}

/* Random bytes do not shrink, so that the file is above the limit; and it is old enough to be cached. */
static const char *pack(const char *name, const void *head, unsigned head_size, const void *bytes, unsigned size)
{
    const char *path = temp_path(name);
    gzFile file = gzopen(path, "wb1");
    assert_true(file && gzwrite(file, head, head_size) == (int)head_size && gzwrite(file, bytes, size) == (int)size);
    assert_int_equal(gzclose(file), Z_OK);
    nanosleep(&(struct timespec){ .tv_nsec = 130 * 1000000 }, NULL);
    return path;
}

static const char *pack_idx(const char *name)
{
    temp_folder_empty(cache);
    return pack(name, tensor, HEAD, tensor + HEAD, SIZE);
}

/* The one file in the cache folder, or NULL. */
static const char *cached_file(void)
{
    static char path[8192];
    char folder[6000];
    bool found = false;
    snprintf(folder, sizeof folder, "%s/una", cache);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
        found = true;
    }
    if (open) closedir(open);
    return found ? path : NULL;
}

/* Reads, compares, and says whether the cache had them. */
static bool mapped(const char *path)
{
    una_images *images;
    assert_ok(una_images_read(&images, path, run), run);
    assert_int_equal(images->count, COUNT);
    assert_int_equal(images->shape.height, SIDE);
    assert_int_equal(images->shape.width, SIDE);
    assert_int_equal(images->shape.channels, 1);
    assert_int_equal(images->each, EACH);
    assert_memory_equal(images->bytes, tensor + HEAD, SIZE);
    bool from_cache = images->mapping != NULL;
    una_images_let_go(images);
    return from_cache;
}

static void unpacked_once(void **state)
{
    (void)state;
    const char *path = pack_idx("a.gz");
    run->settings.no_cache = 1;
    assert_false(mapped(path));
    assert_null(cached_file());                                  /* not wanted, not made */
    run->settings.no_cache = 0;
    assert_false(mapped(path));
    const char *file = cached_file();
    assert_true(file && strstr(file, ".images"));
    assert_true(mapped(path));
    run->settings.verify_cache = 1;
    assert_true(mapped(path));
    run->settings.verify_cache = 0;
    run->settings.no_cache = 1;
    assert_false(mapped(path));
    run->settings.no_cache = 0;

    temp_folder_empty(cache);                                    /* what is not packed is not copied */
    path = temp_file("plain.idx", tensor, sizeof tensor);
    nanosleep(&(struct timespec){ .tv_nsec = 130 * 1000000 }, NULL);
    assert_false(mapped(path) || mapped(path));
    assert_null(cached_file());
}

static void changed_files_are_unpacked_again(void **state)
{
    (void)state;
    const char *path = pack_idx("b.gz");
    assert_false(mapped(path));
    assert_true(mapped(path));
    struct timespec times[2] = { { .tv_sec = 1000, .tv_nsec = 5 }, { .tv_sec = 1000, .tv_nsec = 5 } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_false(mapped(path));

    tensor[HEAD + 5] ^= 1;
    pack("b.gz", tensor, HEAD, tensor + HEAD, SIZE);
    assert_false(mapped(path));
    assert_true(mapped(path));
}

/* Every bit of the head, some of the numbers, and files that were cut or are longer. */
static void damage_is_noticed(void **state)
{
    (void)state;
    static unsigned char bytes[SIZE + 8192], byte;
    const char *path = pack_idx("c.gz");
    assert_false(mapped(path));
    FILE *stream = fopen(cached_file(), "rb");
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    assert_true(size > SIZE && size < sizeof bytes);

    int handle = open(cached_file(), O_RDWR);
    assert_true(handle >= 0);
    una_images m = { .run = run, .origin = path };
    for (size_t bit = 0; bit < 8 * 144 + 40; bit++) {
        size_t at = bit < 8 * 144 ? bit / 8 : 144 + (bit - 8 * 144) * (size - 145) / 39;
        byte = bytes[at] ^ (unsigned char)(1u << bit % 8);
        assert_int_equal(pwrite(handle, &byte, 1, (off_t)at), 1);
        una_cache_map_images(&m);
        if (m.mapping) fail_msg("bit %zu of byte %zu was believed", bit % 8, at);
        assert_int_equal(pwrite(handle, bytes + at, 1, (off_t)at), 1);
    }
    for (size_t cut = 0; cut < size; cut += size / 7) {
        assert_int_equal(ftruncate(handle, (off_t)cut), 0);
        una_cache_map_images(&m);
        assert_null(m.mapping);
    }
    assert_int_equal(pwrite(handle, bytes, size, 0), (ssize_t)size);
    assert_int_equal(ftruncate(handle, (off_t)size + 64), 0);
    una_cache_map_images(&m);
    assert_null(m.mapping);
    close(handle);

    assert_false(mapped(path));                                  /* and it is written anew */
    assert_true(mapped(path));
}

/* ---- files from strangers -------------------------------------------------------------------------------- */

/* A few bytes changed, or the end cut off; whatever it says, there are not a million numbers in it. */
static void try_changed(const char *name, const unsigned char *seed, size_t whole, long times)
{
    unsigned char bytes[1024];
    for (long n = 0; n < times; n++) {
        una_rng rng = una_rng_at(4, UNA_FOR_TEST, (uint64_t)n);
        size_t size = whole;
        memcpy(bytes, seed, whole);
        for (size_t k = 1 + una_rng_below(&rng, 3); k > 0; k--) {
            size_t at = una_rng_below(&rng, una_rng_below(&rng, 2) && size > 40 ? 40 : size);
            if (una_rng_below(&rng, 11) == 0) size = at + 1;
            else bytes[at] = (unsigned char)una_rng_below(&rng, 256);
        }

        una_images *images = NULL;
        remove(temp_path(name));                                 /* a new file is not flushed, one written over is */
        una_status status = una_images_read(&images, temp_file(name, bytes, size), run);
        if (status != UNA_OK && (status != UNA_E_INPUT || strlen(una_run_message(run)) < 20))
            fail_msg("%s: status %d: %s", name, (int)status, una_run_message(run));
        if (status == UNA_OK && images->count * images->each > 1 << 20) fail_msg("%s has grown", name);
        una_images_let_go(images);
    }
}

static size_t slurp(const char *path, unsigned char *bytes, size_t room)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(bytes, 1, room, stream);
    fclose(stream);
    assert_true(size < room);
    return size;
}

static void changes_never_crash(void **state)
{
    (void)state;
    enum { EVERY = 1500 };
    static unsigned char idx[16 + 300] = { 0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 10, 0, 0, 0, 10 }, packed[1024];
    unsigned char npy[128 + 300] = "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, "
                                   "'shape': (3, 10, 10), }";
    for (size_t i = 0; i < 128; i++)
        if (i > 10 && npy[i] == 0) npy[i] = ' ';
    for (size_t i = 0; i < 300; i++) idx[16 + i] = npy[128 + i] = (unsigned char)(i * i >> 3);
    run->settings.no_cache = 1;
    try_changed("m.idx", idx, sizeof idx, EVERY);
    try_changed("m.npy", npy, sizeof npy, EVERY);
    try_changed("m.gz", packed, slurp(pack("whole.gz", idx, 16, idx + 16, 300), packed, sizeof packed), EVERY);
    try_changed("m.npy.gz", packed, slurp(pack("w.npy.gz", npy, 128, npy + 128, 300), packed, sizeof packed), EVERY);
    run->settings.no_cache = 0;
}

/* Of floats, in an NPY file. */
static void arrays_too(void **state)
{
    (void)state;
    enum { FEW = 300, LENGTH = 118 };
    static float numbers[FEW * EACH];
    static char head[10 + LENGTH] = "\x93NUMPY\x01\x00\x76\x00";
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < FEW * EACH; i++) numbers[i] = (float)una_rng_uniform(&rng);
    memset(head + 10, ' ', LENGTH);
    head[10 + snprintf(head + 10, LENGTH, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }", FEW,
                       SIDE, SIDE)] = ' ';
    temp_folder_empty(cache);
    for (int again = 0; again < 2; again++) {
        una_images *images;
        const char *path = again ? temp_path("d.npy.gz") : pack("d.npy.gz", head, sizeof head, numbers, sizeof numbers);
        assert_ok(una_images_read(&images, path, run), run);
        assert_int_equal(images->count, FEW);
        assert_memory_equal(images->numbers, numbers, sizeof numbers);
        assert_true(again == (images->mapping != NULL));
        una_images_let_go(images);
    }

    una_images *none;
    assert_status(una_images_read(&none, pack("e.npy.gz", head, sizeof head, numbers, sizeof numbers - 4), run),
                  UNA_E_INPUT, run);
    assert_says(una_run_message(run), "ends too early");
    gzFile longer = gzopen(temp_path("e.npy.gz"), "ab");         /* a second member, with a number too many */
    assert_true(longer && gzwrite(longer, numbers, 8) == 8 && gzclose(longer) == Z_OK);
    assert_status(una_images_read(&none, temp_path("e.npy.gz"), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "more items than its header promises");
}

/* Other images, whole and with all their sums. */
static void verified_is_compared(void **state)
{
    (void)state;
    static unsigned char others[SIZE];
    const char *path = pack_idx("v.gz");
    memcpy(others, tensor + HEAD, SIZE);
    others[7] ^= 1;
    una_images m = { .run = run, .origin = path }, forged = { .run = run, .origin = path, .shape = { SIDE, SIDE, 1 },
                     .count = COUNT, .each = EACH, .bytes = others };
    una_cache_key key = una_cache_map_images(&m);
    una_cache_write_images(&forged, &key);
    una_cache_map_images(&m);
    assert_true(m.mapping && m.bytes[7] == others[7]);           /* it would be believed */
    una_cache_unmap_images(&m);

    run->settings.verify_cache = 1;
    assert_false(mapped(path));
    assert_true(mapped(path));                                   /* and it was replaced */
    run->settings.verify_cache = 0;
    assert_true(mapped(path));

    una_cache_write_images(&forged, &key);                       /* others may write to it */
    assert_int_equal(chmod(cached_file(), 0666), 0);
    assert_false(mapped(path));
    assert_true(mapped(path));
}

static void no_harm_without(void **state)
{
    (void)state;
    const char *path = pack_idx("f.gz");
    assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null", 1), 0);           /* no folder can be made in it */
    bool with = mapped(path) || mapped(path);
    assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
    assert_false(with);
}

static una_status read_one(void *context, una_run *with)
{
    una_images *images = NULL;
    una_status status = una_images_read(&images, context, with);
    una_images_let_go(images);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    const char *path = pack_idx("g.gz");
    assert_true(sweep_allocations(read_one, (void *)(uintptr_t)path) > 2);
    mapped(path);
    assert_true(mapped(path));
    assert_true(sweep_allocations(read_one, (void *)(uintptr_t)path) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacked_once), cmocka_unit_test(changed_files_are_unpacked_again),
        cmocka_unit_test(damage_is_noticed), cmocka_unit_test(arrays_too), cmocka_unit_test(no_harm_without),
        cmocka_unit_test(verified_is_compared),
        cmocka_unit_test(allocations_may_fail), cmocka_unit_test(changes_never_crash),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
