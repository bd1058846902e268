/* SPDX-License-Identifier: MIT
 *
 * Packed images are unpacked once: the second reading maps the cache's file and has the same numbers; never old or
 * damaged ones, none that another user may have written, and no harm where the cache cannot be written.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "test_support.h"

#include "base/temporary.h"
#include "read/image_files.h"

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

static char listed[8192];

/* How many files there are in the cache folder; one of them is in `listed`. */
static size_t count_files(void)
{
    size_t count = 0;
    char folder[6000];
    snprintf(folder, sizeof folder, "%s/una", cache);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(listed, sizeof listed, "%s/%.255s", folder, entry->d_name);
        count++;
    }
    if (open) closedir(open);
    return count;
}

static const char *cached_file(void)
{
    return count_files() ? listed : NULL;
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
    size_t head = size - SIZE;                                   /* with the path, and some of the numbers */
    for (size_t bit = 0; bit < 8 * head + 40; bit++) {
        size_t at = bit < 8 * head ? bit / 8 : head + (bit - 8 * head) * (SIZE - 1) / 39;
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

/* ---- strangers ---------------------------------------------------------------------------------------- */

/* Other images, whole and with all their sums: what somebody writes who means harm. */
static void forge(const char *path)
{
    static unsigned char others[SIZE];
    memcpy(others, tensor + HEAD, SIZE);
    others[7] ^= 1;
    una_images m = { .run = run, .origin = path }, forged = { .run = run, .origin = path, .shape = { SIDE, SIDE, 1 },
                     .count = COUNT, .each = EACH, .bytes = others };
    una_cache_key key = una_cache_key_of(path, run);
    una_cache_write_images(&forged, &key);
    una_cache_map_images(&m);
    assert_true(m.mapping && m.bytes[7] == others[7]);           /* it would be believed */
    una_images_unmap(&m);
}

static void verified_is_replaced(void **state)
{
    (void)state;
    const char *path = pack_idx("v.gz");
    forge(path);
    run->settings.verify_cache = 1;
    assert_false(mapped(path));
    run->settings.verify_cache = 0;
    assert_true(mapped(path));
}

static int notes;
static char noted[5000];
static void keep_note(void *context, una_log_level level, const char *sentence)
{
    (void)context;
    notes += level == UNA_LOG_NOTE;
    snprintf(noted, sizeof noted, "%s", sentence);
}

/* Reads as a run that hears notes: was the file unpacked, and how many notes were there? */
static void assert_not_believed(const char *path, int expected)
{
    una_run *quiet = run;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .log = keep_note)), run);
    notes = 0;
    assert_true(!mapped(path) || expected == 0);                 /* `mapped` compares with the truth */
    assert_int_equal(notes, expected);
    una_run_free(run);
    run = quiet;
}

static void others_are_not_believed(void **state)
{
    (void)state;
    char path[8192], file[8192], folder[6000], away[8300];
    struct stat about;
    snprintf(path, sizeof path, "%s", pack_idx("o.gz"));
    snprintf(folder, sizeof folder, "%s/una", cache);
    snprintf(away, sizeof away, "%s/away", temp_folder());
    forge(path);
    snprintf(file, sizeof file, "%s", cached_file());
    assert_true(stat(file, &about) == 0 && (about.st_mode & 07777) == 0600);
    assert_true(stat(folder, &about) == 0 && (about.st_mode & 07777) == 0700);

    static const mode_t loose[] = { 0620, 0602, 0666 };
    for (size_t i = 0; i < 3; i++) {
        forge(path);
        assert_int_equal(chmod(file, loose[i]), 0);
        assert_not_believed(path, 1);
        assert_says(noted, "was not believed");
        assert_true(stat(file, &about) == 0 && (about.st_mode & 07777) == 0600);     /* unpacked anew and replaced */
        assert_not_believed(path, 0);
    }

    forge(path);                                                 /* a link, even to a file of one's own */
    remove(away);
    assert_true(rename(file, away) == 0 && symlink(away, file) == 0);
    assert_not_believed(path, 1);
    assert_true(lstat(file, &about) == 0 && S_ISREG(about.st_mode));
    assert_true(unlink(file) == 0 && mkfifo(file, 0600) == 0);   /* no file at all: nobody waits */
    assert_not_believed(path, 1);

    forge(path);                                                 /* the folder: neither read nor written */
    static const mode_t open_to_all[] = { 0770, 0702, 01777 };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(folder, open_to_all[i]), 0);
        assert_not_believed(path, 1);
        assert_says(noted, "is not used");
    }
    assert_int_equal(chmod(folder, 0700), 0);
    remove(away);
    assert_true(rename(folder, away) == 0 && symlink(away, folder) == 0);
    assert_not_believed(path, 1);
    assert_true(unlink(folder) == 0 && rename(away, folder) == 0);

    if (geteuid() == 0) {
        assert_int_equal(chown(file, 12345, (gid_t)-1), 0);
        assert_not_believed(path, 1);
        assert_true(stat(file, &about) == 0 && about.st_uid == 0);
        forge(path);
        assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
        assert_not_believed(path, 1);
        assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    } else {
        print_message("not tried: files of another user, which only root can make\n");
    }
}

/* ---- where, and how much ---------------------------------------------------------------------------------- */

static void no_harm_without(void **state)
{
    (void)state;
    char path[8192];
    snprintf(path, sizeof path, "%s", pack_idx("f.gz"));
    const char *places[] = { "/dev/null", "/proc/none", "relative", "" };    /* no folder can be made; HOME */
    assert_int_equal(setenv("HOME", "/dev/null", 1), 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(setenv("XDG_CACHE_HOME", places[i], 1), 0);
        bool with = mapped(path) || mapped(path);
        assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
        assert_false(with);
    }
    assert_null(cached_file());

    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    bool with = mapped(path) || mapped(path);
    setenv("HOME", cache, 1);                                    /* ~/.cache/una */
    mkdir(cache, 0700);
    bool first = mapped(path), second = mapped(path);
    setenv("XDG_CACHE_HOME", cache, 1);
    assert_true(!with && !first && second);

    const char *small = pack("small.gz", tensor, HEAD, tensor + HEAD, 4);    /* small files are not worth it */
    assert_int_equal(una_cache_key_of(small, run).size, 0);
}

/* Of a process that is gone, and of other versions; what somebody is writing stays. */
static void what_others_left_goes(void **state)
{
    (void)state;
    const char *path = pack_idx("e.gz"), *names[] = { ".una-1-0.tmp", "0123456789abcdef.table",
                 "0123456789abcdef.images", "0123456789abcdef.images.tmp", "0123456789abcdef.table.tmp" };
    char left[8300], held[8300], folder[6000];
    assert_false(mapped(path));
    snprintf(folder, sizeof folder, "%s/una", cache);
    for (size_t i = 0; i < 5; i++) {
        snprintf(left, sizeof left, "%s/%s", folder, names[i]);
        FILE *stream = fopen(left, "wb");
        assert_true(stream && fputs("unaimage and another version", stream) >= 0 && fclose(stream) == 0);
    }
    int handle = una_temporary_open(held, folder, 0600);
    assert_true(handle >= 0);

    forge(path);
    for (size_t i = 0; i < 5; i++) {
        snprintf(left, sizeof left, "%s/%s", folder, names[i]);
        assert_int_not_equal(access(left, F_OK), 0);
    }
    assert_int_equal(access(held, F_OK), 0);
    assert_int_equal(count_files(), 1);
    unlink(held);
    close(handle);
}

static bool is_kept(const char *path)
{
    una_images m = { .run = run, .origin = path };
    una_cache_map_images(&m);
    bool kept = m.mapping != NULL;
    una_images_unmap(&m);
    return kept;
}

/* Three fit. The one that was not used for longest goes. */
static void the_oldest_go(void **state)
{
    (void)state;
    enum { FILES = 4 };
    static const struct timespec a_while = { .tv_nsec = 20 * 1000000 };
    char path[FILES][4096], name[32];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "z%d.gz", i);
        snprintf(path[i], sizeof path[i], "%s", pack_idx(name));
    }
    assert_int_equal(setenv("UNA_CACHE_LIMIT", "3.5M", 1), 0);
    for (int i = 0; i < 3; i++) {
        assert_false(mapped(path[i]));
        nanosleep(&a_while, NULL);
    }
    assert_int_equal(count_files(), 3);
    assert_true(is_kept(path[0]));                               /* used: 1 is the oldest now */
    nanosleep(&a_while, NULL);
    assert_false(mapped(path[3]));
    assert_int_equal(count_files(), 3);
    assert_true(is_kept(path[0]) && !is_kept(path[1]) && is_kept(path[2]) && is_kept(path[3]));

    assert_int_equal(setenv("UNA_CACHE_LIMIT", "0", 1), 0);      /* nothing is written any more */
    assert_false(mapped(path[1]) || is_kept(path[1]));
    assert_true(is_kept(path[3]));
    assert_int_equal(unsetenv("UNA_CACHE_LIMIT"), 0);
    assert_false(mapped(path[1]));
    assert_true(is_kept(path[1]) && count_files() == 4);
}

static void limits(void **state)
{
    (void)state;
    static const struct { const char *given; double most; } known[] = {
        { "0", 0 }, { "17", 17 }, { "3k", 3e3 }, { "1.5M", 1.5e6 }, { "4G", 4e9 }, { "2T", 2e12 },
        { "", 1e8 }, { "much", 1e8 }, { "-5", 1e8 }, { "G", 1e8 }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(setenv("UNA_CACHE_LIMIT", known[i].given, 1), 0);
        assert_true(una_cache_most(1e9) == known[i].most);
    }
    assert_int_equal(unsetenv("UNA_CACHE_LIMIT"), 0);
    assert_true(una_cache_most(1e9) == 1e8 && una_cache_most(1e12) == 2e9);
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
        cmocka_unit_test(verified_is_replaced), cmocka_unit_test(others_are_not_believed),
        cmocka_unit_test(what_others_left_goes), cmocka_unit_test(the_oldest_go), cmocka_unit_test(limits),
        cmocka_unit_test(allocations_may_fail), cmocka_unit_test(changes_never_crash),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
