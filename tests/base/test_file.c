/* SPDX-License-Identifier: MIT
 *
 * Files are written whole or not at all; reading into memory; CRC-32.
 */
#define _XOPEN_SOURCE 700        /* mkfifo, symlink, realpath */

#include "base/archive.h"
#include "base_support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>

static void holds(const char *path, const char *wanted)
{
    unsigned char *bytes;
    size_t size;
    assert_ok(una_slurp(&bytes, &size, path, &arena, run), run);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal((const char *)bytes, wanted);
}

static void write_whole(const char *path, const char *text)
{
    una_file file;
    assert_ok(una_file_begin(&file, path, &arena, run), run);
    fputs(text, file.stream);
    assert_ok(una_file_commit(&file, run), run);
}

static void crc_known_answers(void **state)
{
    (void)state;
    assert_int_equal(una_crc32(0, "123456789", 9), 0xCBF43926u);
    assert_int_equal(una_crc32(0, "", 0), 0);
    assert_int_equal(una_crc32(una_crc32(0, "1234", 4), "56789", 5), 0xCBF43926u);
    unsigned char zeros[32] = {0};
    assert_int_equal(una_crc32(0, zeros, 32), 0x190A55ADu);
}

static void commit_and_abandon(void **state)
{
    (void)state;
    const char *path = temp_path("goal.txt");
    una_file file;
    mode_t old = umask(027);
    assert_ok(una_file_begin(&file, path, &arena, run), run);
    umask(old);
    fputs("first", file.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(una_file_commit(&file, run), run);
    una_file_abandon(&file);
    holds(path, "first");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);

    assert_ok(una_file_begin(&file, path, &arena, run), run);
    fputs("second", file.stream);
    una_file_abandon(&file);
    una_file_abandon(&file);
    holds(path, "first");

    assert_int_equal(chmod(path, 0600), 0);
    assert_ok(una_file_begin(&file, path, &arena, run), run);
    fputs("third", file.stream);
    assert_ok(una_file_commit(&file, run), run);
    holds(path, "third");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);        /* a private file stays private */
    remove(path);
    assert_int_equal(entries_of(temp_folder()), 0);
}

static void two_at_once(void **state)
{
    (void)state;
    const char *path = temp_path("both.txt");
    una_file a, b;
    assert_ok(una_file_begin(&a, path, &arena, run), run);
    assert_ok(una_file_begin(&b, path, &arena, run), run);
    fputs("a", a.stream);
    fputs("b", b.stream);
    assert_ok(una_file_commit(&b, run), run);
    assert_ok(una_file_commit(&a, run), run);
    holds(path, "a");
    remove(path);
}

static void in_this_folder(void **state)
{
    (void)state;
    int here = open(".", O_RDONLY);
    assert_true(here >= 0);
    assert_int_equal(chdir(temp_folder()), 0);

    una_file file;
    una_status began = una_file_begin(&file, "plain.txt", &arena, run);
    una_status done = began == UNA_OK ? una_file_commit(&file, run) : began;
    bool there = access("plain.txt", F_OK) == 0;
    remove("plain.txt");
    assert_int_equal(fchdir(here), 0);
    close(here);

    assert_ok(done, run);
    assert_true(there);
}

static void links_stay_links(void **state)
{
    (void)state;
    const char *goal = temp_text_file("real.txt", "old"), *link = temp_path("link.txt");
    assert_int_equal(symlink("real.txt", link), 0);

    una_file file;
    assert_ok(una_file_begin(&file, link, &arena, run), run);
    fputs("new", file.stream);
    assert_ok(una_file_commit(&file, run), run);

    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    holds(goal, "new");
    remove(goal);
    remove(link);
}

static void links_may_lead_to_nothing_yet(void **state)
{
    (void)state;
    const char *link = temp_path("early.txt"), *goal = temp_path("later.txt"), *ring = temp_path("ring");
    assert_int_equal(symlink("later.txt", link), 0);
    una_file file;
    write_whole(link, "new");
    holds(goal, "new");
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));

    assert_int_equal(symlink("ring", ring), 0);
    assert_status(una_file_begin(&file, ring, &arena, run), UNA_E_IO, run);
    assert_says(run->message, "ring: ");
    assert_int_equal(lstat(ring, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    remove(ring);
    remove(goal);
    remove(link);
    assert_int_equal(entries_of(temp_folder()), 0);
}

/* A plain file is one wherever it stands. */
static void plain_files_among_devices(void **state)
{
    (void)state;
    char path[64];
    if (access("/dev/shm", W_OK) != 0) {
        print_message("skipped: there is no /dev/shm to write to\n");
        skip();
    }

    snprintf(path, sizeof path, "/dev/shm/una-test-%ld.txt", (long)getpid());
    write_whole(path, "a long first text");
    write_whole(path, "second");

    unsigned char *bytes;
    size_t size;
    una_status status = una_slurp(&bytes, &size, path, &arena, run);
    remove(path);
    assert_ok(status, run);
    assert_string_equal((const char *)bytes, "second");
}

/* A descriptor that was opened on a plain file: its file stays, with what was written before and after. */
static void redirected_streams(void **state)
{
    (void)state;
    const char *path = temp_path("redirected.txt"), *link = temp_path("stream");
    char name[64];
    int stream = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(stream >= 0);
    snprintf(name, sizeof name, "/dev/fd/%d", stream);
    if (access(name, F_OK) != 0) {
        close(stream);
        remove(path);
        print_message("skipped: there is no /dev/fd\n");
        skip();
    }
    assert_int_equal(symlink(name, link), 0);
    assert_int_equal(write(stream, "before, ", 8), 8);
    write_whole(name, "through the name, ");
    write_whole(link, "through a link, ");
    assert_int_equal(write(stream, "after", 5), 5);
    holds(path, "before, through the name, through a link, after");

    close(stream);
    una_file file;
    assert_status(una_file_begin(&file, name, &arena, run), UNA_E_IO, run);
    assert_says(run->message, "Bad file descriptor");
    remove(link);
    remove(path);
}

static void failures_name_the_path(void **state)
{
    (void)state;
    una_file file;
    assert_status(una_file_begin(&file, temp_path("none/x.csv"), &arena, run), UNA_E_IO, run);
    assert_says(run->message, "none/x.csv: No such file");
    una_file_abandon(&file);
    assert_status(una_file_begin(&file, temp_folder(), &arena, run), UNA_E_IO, run);
    assert_says(run->message, "folder");
    assert_status(una_file_begin(&file, "", &arena, run), UNA_E_IO, run);

    /* The goal becomes a folder that is not empty: the rename fails and nothing stays behind. */
    const char *path = temp_path("late");
    assert_ok(una_file_begin(&file, path, &arena, run), run);
    assert_int_equal(mkdir(path, 0777), 0);
    temp_text_file("late/inside", "x");
    assert_status(una_file_commit(&file, run), UNA_E_IO, run);
    assert_says(run->message, "late");
    una_file_abandon(&file);
    assert_int_equal(entries_of(temp_folder()), 1);
    remove(temp_path("late/inside"));
    remove(path);
}

static void read_only_files_stay(void **state)
{
    (void)state;
    const char *path = temp_text_file("kept.txt", "kept");
    assert_int_equal(chmod(path, 0444), 0);
    if (access(path, W_OK) == 0) {
        remove(path);
        print_message("skipped: this user may write to read-only files\n");
        skip();
    }
    una_file file;
    assert_status(una_file_begin(&file, path, &arena, run), UNA_E_IO, run);
    holds(path, "kept");
    remove(path);
}

static void a_full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    una_file file;
    assert_ok(una_file_begin(&file, "/dev/full", &arena, run), run);
    fputs("x", file.stream);
    assert_status(una_file_commit(&file, run), UNA_E_IO, run);
    assert_says(run->message, "/dev/full: No space left");
    assert_ok(una_file_begin(&file, "/dev/full", &arena, run), run);
    for (int i = 0; i < 100000; i++) fputs("much more than a buffer", file.stream);
    assert_status(una_file_commit(&file, run), UNA_E_IO, run);
}

static void devices_are_written_straight(void **state)
{
    (void)state;
    una_file file;
    assert_ok(una_file_begin(&file, "/dev/null", &arena, run), run);
    assert_null(file.temporary);
    fputs("x", file.stream);
    assert_ok(una_file_commit(&file, run), run);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void *read_pipe(void *context)
{
    static char got[64];
    FILE *stream = fopen(context, "rb");
    if (!stream) return NULL;
    got[fread(got, 1, sizeof got - 1, stream)] = 0;
    fclose(stream);
    return got;
}

static void *write_pipe(void *context)
{
    FILE *stream = fopen(context, "wb");
    for (int i = 0; stream && i < 200000; i++) fputc('p', stream);
    if (stream) fclose(stream);
    return NULL;
}

static void pipes(void **state)
{
    (void)state;
    char path[8192];
    snprintf(path, sizeof path, "%s", temp_path("pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t other;
    void *got = NULL;
    assert_int_equal(pthread_create(&other, NULL, read_pipe, path), 0);
    una_file file;
    assert_ok(una_file_begin(&file, path, &arena, run), run);
    fputs("through", file.stream);
    assert_ok(una_file_commit(&file, run), run);
    pthread_join(other, &got);
    assert_string_equal(got, "through");

    unsigned char *bytes;
    size_t size;
    assert_int_equal(pthread_create(&other, NULL, write_pipe, path), 0);
    assert_ok(una_slurp(&bytes, &size, path, &arena, run), run);
    pthread_join(other, NULL);
    assert_int_equal(size, 200000);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 'p');
    remove(path);
}

/* Memory is asked for when the file is open and nothing of it was read: then somebody writes to it. */
static void *allocate_and_write(void *path, size_t size)
{
    FILE *file = size > 200000 ? fopen(path, "ae") : NULL;
    if (file) fputs("more", file), fclose(file);
    return malloc(size);
}

static void release_plainly(void *path, void *block)
{
    (void)path;
    free(block);
}

static void slurp_notices_changes(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size;
    char path[8192], *much = calloc(1, 200000);
    snprintf(path, sizeof path, "%s", temp_file("changing", much, 200000));
    free(much);
    una_run *other;
    assert_ok(una_run_new(&other, &SIZED(una_run_settings, .threads = 1, .allocate = allocate_and_write,
                                         .release = release_plainly, .allocator = path)), NULL);
    assert_status(una_slurp(&bytes, &size, path, &other->scratch, other), UNA_E_IO, other);
    assert_says(other->message, "changing was changed while it was read; read it again once it stays as it is");
    una_run_free(other);
}

static void slurp_refuses(void **state)
{
    (void)state;
    unsigned char *bytes;
    size_t size;
    assert_status(una_slurp(&bytes, &size, temp_path("absent"), &arena, run), UNA_E_IO, run);
    assert_says(run->message, "absent: No such file");
    assert_null(bytes);
    assert_status(una_slurp(&bytes, &size, temp_folder(), &arena, run), UNA_E_IO, run);
    assert_says(run->message, "folder");
    holds(temp_text_file("empty", ""), "");

    una_run *small;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .memory_limit = 100000 };
    assert_ok(una_run_new(&small, &settings), NULL);
    una_arena keep;
    una_arena_init(&keep, small);
    char *much = calloc(1, 200000);
    assert_non_null(much);
    const char *path = temp_file("large", much, 200000);
    free(much);
    assert_status(una_slurp(&bytes, &size, path, &keep, small), UNA_E_MEMORY, small);
    assert_says(small->message, "large is too large: this needs 0.2 MB");
    una_arena_free(&keep);
    una_run_free(small);
}

static void reading_in_parts(void **state)
{
    (void)state;
    una_stream stream;

    assert_ok(una_stream_open(&stream, temp_text_file("parts", "abcdef"), &arena, run), run);
    assert_ok(una_stream_take(&stream, 4, 0), run);
    assert_int_equal(stream.size, 4);
    assert_string_equal((char *)stream.bytes, "abcd");
    assert_ok(una_stream_take(&stream, SIZE_MAX, 1), run);
    assert_string_equal((char *)stream.bytes, "abcdef");
    fclose(stream.file);

    /* A stream that cannot be read. */
    stream = (una_stream){ .file = fopen(temp_path("out"), "wb"), .path = "out", .arena = &arena, .run = run };
    assert_non_null(stream.file);
    assert_status(una_stream_take(&stream, 4, 0), UNA_E_IO, run);
    fclose(stream.file);
}

/* ---- temporaries ------------------------------------------------------------------------------------------ */

static bool is_there(const char *name)
{
    return access(temp_path(name), F_OK) == 0;
}

/* What nobody holds goes with the next file; what is not ours for certain stays. */
static void left_temporaries_go(void **state)
{
    (void)state;
    static const char *const left[] = { ".una-1-0.tmp", ".una-999999-12.tmp" };
    static const char *const not_ours[] = { ".una-1.tmp", ".una-1-0.tmp2", ".una--0.tmp", ".una-1-.tmp", "una-1-0.tmp",
                                            ".una-x1-0.tmp", ".una-2-0.tmp.whole" };
    for (size_t i = 0; i < 2; i++) temp_text_file(left[i], "half");
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) temp_text_file(not_ours[i], "whole");
    temp_text_file(".una-3-0.tmp", "under way");
    int held = open(temp_path(".una-3-0.tmp"), O_RDWR);
    assert_int_equal(flock(held, LOCK_EX), 0);
    temp_text_file("linked", "twice");
    assert_int_equal(link(temp_path("linked"), temp_path(".una-4-0.tmp")), 0);
    assert_int_equal(symlink("linked", temp_path(".una-5-0.tmp")), 0);
    assert_int_equal(mkdir(temp_path(".una-6-0.tmp"), 0777), 0);
    assert_int_equal(mkfifo(temp_path(".una-7-0.tmp"), 0666), 0);

    write_whole(temp_path("goal.txt"), "new");
    holds(temp_path("goal.txt"), "new");
    for (size_t i = 0; i < 2; i++) assert_false(is_there(left[i]));
    for (size_t i = 0; i < sizeof not_ours / sizeof *not_ours; i++) assert_true(is_there(not_ours[i]));
    for (int i = 3; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, ".una-%d-0.tmp", i);
        assert_true(is_there(name));
    }

    close(held);
    write_whole(temp_path("goal.txt"), "newer");
    assert_false(is_there(".una-3-0.tmp"));
    temp_folder_empty(temp_folder());
}

/* Another file in the same folder leaves one alone that is being written, whoever writes it. */
static void files_under_way_stay(void **state)
{
    (void)state;
    una_file slow;
    assert_ok(una_file_begin(&slow, temp_path("slow.txt"), &arena, run), run);
    fputs("slow", slow.stream);
    for (int i = 0; i < 3; i++) write_whole(temp_path("quick.txt"), "quick");
    assert_int_equal(access(slow.temporary, F_OK), 0);
    assert_ok(una_file_commit(&slow, run), run);
    holds(temp_path("slow.txt"), "slow");
    temp_folder_empty(temp_folder());
}

static void *write_often(void *context)
{
    una_run *own = quiet_run();
    una_arena memory;
    una_arena_init(&memory, own);
    for (int i = 0; i < 200; i++) {
        una_file file;
        assert_ok(una_file_begin(&file, context, &memory, own), own);
        fputs("all of it", file.stream);
        assert_ok(una_file_commit(&file, own), own);
    }
    una_arena_free(&memory);
    una_run_free(own);
    return NULL;
}

/* Whoever makes one just when another looks for what was left makes the next. */
static void writers_do_not_sweep_each_other(void **state)
{
    (void)state;
    enum { WRITERS = 4 };
    pthread_t writer[WRITERS];
    char goal[WRITERS][4200];
    for (int i = 0; i < WRITERS; i++) {
        snprintf(goal[i], sizeof goal[i], "%s/goal-%d", temp_folder(), i);
        assert_int_equal(pthread_create(&writer[i], NULL, write_often, goal[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) pthread_join(writer[i], NULL);
    for (int i = 0; i < WRITERS; i++) holds(goal[i], "all of it");
    assert_int_equal(entries_of(temp_folder()), WRITERS);
    temp_folder_empty(temp_folder());
}

static una_status write_and_read(void *context, una_run *failing)
{
    (void)context;
    una_arena keep;
    una_arena_init(&keep, failing);
    una_file file;
    unsigned char *bytes;
    size_t size;
    const char *path = temp_path("swept");

    una_status status = una_file_begin(&file, path, &keep, failing);
    if (status == UNA_OK) {
        for (int i = 0; i < 100000; i++) fputs("word ", file.stream);
        status = una_file_commit(&file, failing);
    }
    if (status == UNA_OK) status = una_slurp(&bytes, &size, path, &keep, failing);

    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(write_and_read, NULL) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_known_answers), cmocka_unit_test(commit_and_abandon), cmocka_unit_test(two_at_once),
        cmocka_unit_test(in_this_folder), cmocka_unit_test(links_stay_links),
        cmocka_unit_test(links_may_lead_to_nothing_yet), cmocka_unit_test(plain_files_among_devices),
        cmocka_unit_test(redirected_streams), cmocka_unit_test(failures_name_the_path),
        cmocka_unit_test(read_only_files_stay), cmocka_unit_test(a_full_disk),
        cmocka_unit_test(devices_are_written_straight), cmocka_unit_test(pipes),
        cmocka_unit_test(slurp_notices_changes), cmocka_unit_test(slurp_refuses),
        cmocka_unit_test(reading_in_parts), cmocka_unit_test(left_temporaries_go),
        cmocka_unit_test(files_under_way_stay), cmocka_unit_test(writers_do_not_sweep_each_other),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
