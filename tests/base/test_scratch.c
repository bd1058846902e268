/* SPDX-License-Identifier: MIT
 *
 * Rows in scratch files: when they are mapped, that they are right whether they are or not, and that nothing stays.
 * The disk's troubles are played: open, fallocate and fstatvfs of this program fail when told to.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "base_support.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

enum { LEAST = 16 << 20 };

static struct { bool no_nameless, no_blocks, interrupted, full, crowded; } disk;

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, unsigned) : 0;
    va_end(more);
    if ((flags & O_TMPFILE) == O_TMPFILE && disk.no_nameless) return errno = EOPNOTSUPP, -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fallocate(int handle, int mode, off_t from, off_t size)
{
    if (disk.interrupted) return disk.interrupted = false, errno = EINTR, -1;
    if (disk.no_blocks) return errno = ENOSPC, -1;
    return (int)syscall(SYS_fallocate, handle, mode, from, size);
}

int fstatvfs(int handle, struct statvfs *room)
{
    (void)handle;
    *room = (struct statvfs){ .f_frsize = 4096, .f_bavail = disk.full ? 2 * (LEAST >> 12) - 1 : 1 << 24 };
    if (disk.crowded) room->f_blocks = 20 * (room->f_bavail - (LEAST >> 12) + 1);         /* a twentieth must be left */
    return 0;
}

static int on_disk(void **state)
{
    char place[4096];
    disk.no_nameless = disk.no_blocks = disk.interrupted = disk.full = disk.crowded = false;
    if (!realpath(temp_folder(), place)) return 1;
    return setenv("TMPDIR", place, 1) || begin(state);
}

/* Is it a page of a file whose name is gone? */
static bool mapped(const void *at)
{
    char text[8192];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(text, sizeof text, maps)) {
        char *rest;
        uintptr_t from = (uintptr_t)strtoull(text, &rest, 16), to = (uintptr_t)strtoull(rest + 1, NULL, 16);
        if ((uintptr_t)at >= from && (uintptr_t)at < to) found = strstr(text, "(deleted)") != NULL;
    }
    if (maps) fclose(maps);
    return found;
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *at = opendir(folder);
    for (struct dirent *entry; at && (entry = readdir(at));) count += entry->d_name[0] != '.';
    if (at) closedir(at);
    return count;
}

static void need_mapping(void)
{
    void *at = una_scratch_map(LEAST);
    if (!at) {
        print_message("no scratch file can be had under %s\n", getenv("TMPDIR"));
        skip();
    }
    una_scratch_unmap(at, LEAST);
}

/* Zero, and one's own. */
static void check_rows(unsigned char *at, size_t size)
{
    assert_non_null(at);
    assert_int_equal((uintptr_t)at % 64, 0);
    for (size_t i = 0; i < size; i += 509) assert_int_equal(at[i], 0);
    assert_int_equal(at[size - 1], 0);
    for (size_t i = 0; i < size; i += 4093) at[i] = (unsigned char)(i % 251);
    for (size_t i = 0; i < size; i += 4093) assert_int_equal(at[i], i % 251);
}

static void many_rows_are_mapped(void **state)
{
    (void)state;
    need_mapping();
    unsigned char *few = una_arena_get_rows(&arena, LEAST / 8 - 1, 8);
    check_rows(few, LEAST - 8);
    assert_false(mapped(few));

    una_mark mark = una_arena_mark(&arena);
    uint64_t before = run->used;
    double *many = UNA_GET_ROWS(&arena, double, LEAST / 8 + 77);
    check_rows((unsigned char *)many, LEAST + 77 * 8);
    assert_true(mapped(many) && mapped(many + LEAST / 8 + 76));
    assert_true(run->used < before + 1000);              /* the head alone is counted */
    assert_int_equal(files_in(getenv("TMPDIR")), 0);

    una_arena_release(&arena, mark);
    assert_false(mapped(many));
    assert_true(run->used == before);

    float *again = UNA_GET_ROWS(&arena, float, LEAST);
    check_rows((unsigned char *)again, LEAST);           /* zero once more */
    una_arena_free(&arena);
    assert_false(mapped(again));
    assert_true(run->used == 0);
}

static void plain_memory_goes_on_around_them(void **state)
{
    (void)state;
    need_mapping();
    for (int round = 0; round < 6; round++) {
        int *before = UNA_GET(&arena, int, 100), *after;
        unsigned char *rows = una_arena_get_rows(&arena, LEAST, 1);
        una_mark mark = una_arena_mark(&arena);
        for (int i = 0; i < 3; i++) {
            after = UNA_GET(&arena, int, 5000);
            assert_non_null(after);
            assert_false(mapped(after));
            assert_int_equal(after[4999], 0);
            after[4999] = 7;
            una_arena_release(&arena, mark);
        }

        assert_true(mapped(rows));
        assert_int_equal(before[99], 0);
        before[99] = 1;
        rows[LEAST - 1] = 1;
        una_arena_reuse(&arena);
        assert_false(mapped(rows));
        assert_true(run->used == 0);                     /* nothing grows from round to round */
    }

    unsigned char *alone = una_arena_get_rows(&arena, LEAST, 1);
    alone[0] = 1;
    una_arena_reuse(&arena);
    assert_int_equal(*UNA_GET(&arena, char, 1), 0);
}

static size_t pages_in_memory(void *at, size_t size)
{
    static unsigned char in[LEAST >> 12];
    size_t count = 0, pages = size / (size_t)sysconf(_SC_PAGESIZE);
    if (mincore(at, size, in) != 0) fail_msg("%s", "mincore failed");
    for (size_t i = 0; i < pages; i++) count += in[i] & 1;
    return count;
}

/* What the system does when memory runs short, done here by hand. */
static void the_system_may_take_them_back(void **state)
{
    (void)state;
    need_mapping();
    unsigned char *at = una_arena_get_rows(&arena, LEAST, 1);
    check_rows(at, LEAST);
    size_t before = pages_in_memory(at, LEAST);
    assert_int_equal(msync(at, LEAST, MS_SYNC), 0);
#if defined(MADV_PAGEOUT)
    if (madvise(at, LEAST, MADV_PAGEOUT) != 0) skip();   /* a kernel before 5.4 */
    assert_true(pages_in_memory(at, LEAST) < before / 10);
#endif
    assert_true(before == LEAST / (size_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 0; i < LEAST; i += 4093) assert_int_equal(at[i], i % 251);
}

/* Rows of LEAST bytes, mapped or not as wanted; right in any case. */
static void rows_come(bool by_file)
{
    size_t files = files_in(getenv("TMPDIR"));
    una_mark mark = una_arena_mark(&arena);
    unsigned char *at = una_arena_get_rows(&arena, LEAST, 1);
    check_rows(at, LEAST);
    assert_int_equal(mapped(at), by_file);
    assert_int_equal(files_in(getenv("TMPDIR")), files);
    una_arena_release(&arena, mark);
    assert_ok(una_arena_check(&arena), run);
    assert_string_equal(run->message, "");
}

static void without_a_folder_there_is_memory(void **state)
{
    (void)state;
    char name[6000], own[4096];
    snprintf(own, sizeof own, "%s", getenv("TMPDIR"));

    setenv("TMPDIR", temp_path("nowhere"), 1);
    char *whole = realpath(temp_folder(), NULL);
    snprintf(name, sizeof name, "%s/nowhere", whole);
    free(whole);
    setenv("TMPDIR", name, 1);
    rows_come(false);
    setenv("TMPDIR", "/dev/null", 1);
    rows_come(false);

    memset(name, 'a', sizeof name);
    name[0] = '/';
    name[sizeof name - 1] = 0;
    setenv("TMPDIR", name, 1);
    rows_come(false);

    snprintf(name, sizeof name, "%s/locked", own);
    assert_int_equal(mkdir(name, 0500), 0);
    setenv("TMPDIR", name, 1);
    if (access(name, W_OK) != 0) rows_come(false);       /* but root may write everywhere */
    rmdir(name);

    struct statfs about;
    bool in_memory = statfs("/dev/shm", &about) == 0 && about.f_type == 0x01021994;  /* tmpfs; not so under chroot */
    if (in_memory && access("/dev/shm", W_OK) == 0) {
        setenv("TMPDIR", "/dev/shm", 1);
        assert_null(una_scratch_map(LEAST));
    }
}

static void without_room_there_is_memory(void **state)
{
    (void)state;
    need_mapping();

    disk.full = true;
    rows_come(false);
    disk.full = false;
    disk.crowded = true;
    rows_come(false);
    disk.crowded = false;
    disk.no_blocks = true;
    rows_come(false);
    disk.no_blocks = false;
    disk.interrupted = true;
    rows_come(true);

    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = LEAST - 1;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);        /* beyond it there would be a signal */
    rows_come(false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
}

static void files_that_had_a_name(void **state)
{
    (void)state;
    need_mapping();
    disk.no_nameless = true;
    rows_come(true);
}

static void a_folder_by_default(void **state)
{
    (void)state;
    const char *folders[] = { "", "tests", NULL };       /* none is absolute: /var/tmp, which may be of any kind */
    for (size_t i = 0; i < 3; i++) {
        if (folders[i]) setenv("TMPDIR", folders[i], 1);
        else unsetenv("TMPDIR");
        unsigned char *at = una_arena_get_rows(&arena, LEAST, 1);
        check_rows(at, LEAST);
        una_arena_free(&arena);
    }
}

static una_status see_plain(void *context, size_t index, una_run *child)
{
    (void)index;
    unsigned char *at = una_arena_get_rows(&child->scratch, LEAST, 1);
    if (at && mapped(at) != *(bool *)context) UNA_FAIL(child, UNA_E_INPUT, "not as it was wanted");
    return una_arena_check(&child->scratch);
}

static void who_wants_none_gets_none(void **state)
{
    (void)state;
    need_mapping();
    struct fail_after memory = { .left = -1 };
    una_run_settings own = failing_settings(&memory), none = SIZED(una_run_settings, .threads = 1, .no_scratch = 1);
    const una_run_settings *settings[] = { &own, &none };

    for (int i = 0; i < 2; i++) {
        una_run *other = NULL;
        bool wanted = false;
        assert_ok(una_run_new(&other, settings[i]), NULL);
        assert_ok(una_pool(other, 2, see_plain, &wanted), other);        /* its children neither */
        unsigned char *at = una_arena_get_rows(&other->scratch, LEAST, 1);
        check_rows(at, LEAST);
        assert_false(mapped(at));
        una_run_free(other);
    }

    assert_int_equal(memory.live, 0);
    bool wanted = true;
    assert_ok(una_pool(run, 2, see_plain, &wanted), run);
}

static void heads_may_fail(void **state)
{
    (void)state;
    need_mapping();
    int failures = 0;
    run->settings.memory_limit = 0;
    for (una_status status = UNA_E_MEMORY; status != UNA_OK; run->settings.memory_limit += 32) {
        una_clear_message(run);
        void *first = una_arena_get_rows(&arena, LEAST, 1), *second = una_arena_get_rows(&arena, LEAST, 1);
        status = una_arena_check(&arena);
        if (status != UNA_OK) {
            failures++;
            assert_null(second);
            assert_says(run->message, "memory");
            assert_null(una_arena_get_rows(&arena, LEAST, 1));   /* sticky */
        }
        una_arena_free(&arena);
        assert_true(run->used == 0);
        assert_false(first && mapped(first));
    }

    assert_true(failures > 2);
    assert_null(una_arena_get_rows(&arena, SIZE_MAX / 16, 8));
    assert_null(una_arena_get_rows(&arena, SIZE_MAX, 8));
}

int main(void)
{
#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, on_disk, end)
    const struct CMUnitTest tests[] = {
        SCRATCH(many_rows_are_mapped), SCRATCH(plain_memory_goes_on_around_them),
        SCRATCH(without_a_folder_there_is_memory), SCRATCH(without_room_there_is_memory),
        SCRATCH(files_that_had_a_name), SCRATCH(a_folder_by_default), SCRATCH(who_wants_none_gets_none),
        SCRATCH(heads_may_fail), SCRATCH(the_system_may_take_them_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void there_are_none_here(void **state)
{
    (void)state;
    assert_null(una_scratch_map(16 << 20));
    assert_non_null(una_arena_get_rows(&arena, 16 << 20, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(there_are_none_here, begin, end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
