/* SPDX-License-Identifier: MIT
 *
 * The cache of parsed tables: the same table as from the text, never an old or a damaged one, and no harm where it
 * cannot be written.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "test_support.h"

#include "data/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static una_run *run;
static char cache[5000];

/* The one file in the cache folder, or NULL. */
static const char *cached_file(void)
{
    static char path[8192];
    char folder[6000];
    snprintf(folder, sizeof folder, "%s/una", cache);
    bool found = false;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
        found = true;
    }
    if (open) closedir(open);
    return found ? path : NULL;
}

static int set_up(void **state)
{
    (void)state;
    char folder[PATH_MAX];
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

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* A file above the limit with few cells: blanks around them do not count. Numbers, words, missing cells, lines that do
 * not count up (where `broken`), and `first` in the first cell. */
static const char *write_data(const char *name, int rows, double first, bool broken)
{
    const char *path = temp_path(name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fprintf(stream, "a,word,\"b\nb\",other\n");
    int width = (UNA_CACHE_LEAST + 40 * rows) / rows;
    for (int i = 0; i < rows; i++) {
        const char *word = i % 7 == 3 ? "NA" : i % 3 ? "red" : broken && i % 5 == 0 ? "\"two\nlines\"" : "light blue";
        fprintf(stream, "%.17g,%s,%*d.5,%s\n", i ? 1.0 / i : first, word, width, i, i % 2 ? "red" : "green");
    }
    fclose(stream);
    wait_ms(130);                                                /* a file just written is not cached */
    return path;
}

static una_dataset *read_with(const char *path, una_run *with)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, path, with), with);
    return data;
}

/* From the text, whatever the cache says. */
static una_dataset *parsed(const char *path)
{
    run->settings.no_cache = 1;
    una_dataset *data = read_with(path, run);
    run->settings.no_cache = 0;
    return data;
}

static bool same_words(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_tables(const una_dataset *a, const una_dataset *b)
{
    if (a->rows != b->rows || a->columns != b->columns || strcmp(a->origin, b->origin) != 0) return false;
    if (strcmp(a->unit, b->unit) != 0 || memcmp(a->line, b->line, a->rows * sizeof *a->line) != 0) return false;
    for (size_t c = 0; c < a->columns; c++) {
        const una_table_column *x = &a->column[c], *y = &b->column[c];
        if (strcmp(x->name, y->name) != 0 || x->is_text != y->is_text || x->first_word != y->first_word) return false;
        if (!x->is_text && memcmp(x->number, y->number, a->rows * sizeof(double)) != 0) return false;
        for (size_t i = 0; x->is_text && i < a->rows; i++)
            if (!same_words(x->word[i], y->word[i])) return false;
    }
    return true;
}

static void hit_is_the_same_table(void **state)
{
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        temp_folder_empty(cache);
        const char *path = write_data("a.csv", 201, 0.1, broken);
        una_dataset *truth = parsed(path), *first, *hit = NULL;
        assert_null(cached_file());                              /* not wanted, not made */
        first = read_with(path, run);
        assert_non_null(cached_file());
        una_cache_key key = una_cache_read(&hit, path, run);
        assert_true(key.size >= UNA_CACHE_LEAST);
        assert_non_null(hit);
        assert_true(same_tables(first, truth) && same_tables(hit, truth));
        assert_true(hit->column[1].word[1] == hit->column[3].word[1]);     /* "red": one word in the whole table */
        una_dataset_free(hit);
        hit = read_with(path, run);
        assert_true(same_tables(hit, truth));
        una_dataset_free(hit);
        una_dataset_free(first);
        una_dataset_free(truth);
    }
}

static una_dataset *looked_up(const char *path)
{
    una_dataset *data = NULL;
    una_cache_read(&data, path, run);
    return data;
}

static void changed_files_are_parsed_again(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    const char *path = write_data("b.csv", 100, 0.5, false);
    una_dataset_free(read_with(path, run));
    una_dataset *data = looked_up(path);
    assert_non_null(data);
    una_dataset_free(data);
    struct timespec times[2] = { { .tv_sec = 1000, .tv_nsec = 5 }, { .tv_sec = 1000, .tv_nsec = 5 } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);    /* the same bytes at another time */
    assert_null(looked_up(path));
    write_data("b.csv", 100, 0.25, false);                       /* other bytes, another size, the same time */
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    wait_ms(130);
    assert_null(looked_up(path));
    data = read_with(path, run);
    assert_true(data->column[0].number[0] == 0.25);
    una_dataset_free(data);
    data = looked_up(path);                                      /* and the new one is kept */
    assert_true(data && data->column[0].number[0] == 0.25);
    una_dataset_free(data);
    FILE *stream = fopen(path, "ab");
    fputs("7,red,1,green\n", stream);
    fclose(stream);
    data = read_with(path, run);                                 /* too fresh to be kept */
    assert_int_equal(data->rows, 101);
    una_dataset_free(data);
    assert_null(looked_up(path));
}

static size_t slurp(unsigned char *bytes, size_t room)
{
    FILE *stream = fopen(cached_file(), "rb");
    size_t size = fread(bytes, 1, room, stream);
    fclose(stream);
    return size;
}

static void put_back(const void *bytes, size_t size)
{
    int handle = open(cached_file(), O_WRONLY);                  /* emptied first, some file systems would sync it */
    assert_true(write(handle, bytes, size) == (ssize_t)size && ftruncate(handle, (off_t)size) == 0);
    close(handle);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16], bad[sizeof bytes + 64];
    temp_folder_empty(cache);
    const char *path = write_data("c.csv", 60, 0.1, true);
    una_dataset *truth = parsed(path);
    una_dataset_free(read_with(path, run));
    size_t size = slurp(bytes, sizeof bytes), hits = 0;
    assert_true(size > 1000 && size < sizeof bytes);
    uint64_t word = 88172645463325252u;
    for (int i = 0; i < 5000; i++) {
        size_t now = size;
        memcpy(bad, bytes, size);
        for (int k = 0; k <= i % 3; k++) {
            word ^= word << 13; word ^= word >> 7; word ^= word << 17;
            size_t at = (size_t)(word >> 8) % (i % 2 ? size : 400);          /* the head in half of the cases */
            if (word % 11 == 0) now = at;
            else if (word % 13 == 0) now = size + word % 64;
            else bad[at] = (unsigned char)(word % 5 ? bad[at] ^ UINT64_C(1) << word % 8 : word >> 50);
        }
        put_back(bad, now);
        una_dataset *data = looked_up(path);
        if (data && !same_tables(data, truth)) fail_msg("mutation %d was believed", i);
        hits += data != NULL;
        una_dataset_free(data);
    }
    assert_true(hits < 100);
    put_back("", 0);
    una_dataset_free(read_with(path, run));                      /* and it is written anew */
    una_dataset *data = looked_up(path);
    assert_true(data && same_tables(data, truth));
    una_dataset_free(data);
    una_dataset_free(truth);
}

static void no_cache_no_harm(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    char path[8192], blocked[8192];
    snprintf(path, sizeof path, "%s", write_data("d.csv", 50, 0.1, false));
    snprintf(blocked, sizeof blocked, "%s/file", temp_folder());
    una_dataset *truth = parsed(path);
    fclose(fopen(blocked, "wb"));
    char *real = realpath(blocked, NULL);
    const char *places[] = { real, "/proc/none", "relative", "" }; /* a file, no such folder, not absolute: HOME */
    setenv("HOME", real, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        setenv("XDG_CACHE_HOME", places[i], 1);
        una_dataset *data = read_with(path, run);
        assert_true(same_tables(data, truth));
        una_dataset_free(data);
        assert_null(looked_up(path));
    }
    unsetenv("HOME");
    una_dataset_free(read_with(path, run));
    setenv("HOME", cache, 1);                                    /* ~/.cache/una */
    mkdir(cache, 0700);
    una_dataset_free(read_with(path, run));
    una_dataset *data = looked_up(path);
    assert_true(data && same_tables(data, truth));
    una_dataset_free(data);
    una_dataset_free(truth);
    free(real);
    setenv("XDG_CACHE_HOME", cache, 1);
    assert_null(cached_file());
    una_dataset_free(read_with(temp_text_file("small.csv", "a,b\n1,2\n3,4\n"), run));
    assert_null(cached_file());                                  /* small files are not worth it */
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    char path[8192], temporary[8300];
    snprintf(path, sizeof path, "%s", write_data("e.csv", 50, 0.1, false));
    una_dataset_free(read_with(path, run));
    snprintf(temporary, sizeof temporary, "%s.tmp", cached_file());
    put_back("", 0);
    fclose(fopen(temporary, "wb"));                              /* somebody is writing */
    una_dataset_free(read_with(path, run));
    assert_null(looked_up(path));
    struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(utimensat(AT_FDCWD, temporary, times, 0), 0);   /* or was, long ago */
    una_dataset_free(read_with(path, run));
    una_dataset *data = looked_up(path);
    assert_non_null(data);
    una_dataset_free(data);
    assert_int_not_equal(access(temporary, F_OK), 0);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    const char *path = write_data("f.csv", 3000, 0.1, true);
    una_dataset *truth = parsed(path);
    for (int kept = 0; kept < 2; kept++) {                       /* while it is written, while it is read */
        bool whole = false;
        for (long n = 2; !whole; n++) {
            struct fail_after memory = { .left = n };
            una_run_settings settings = failing_settings(&memory);
            una_run *other = NULL;
            una_dataset *data = NULL;
            if (!kept) temp_folder_empty(cache);
            assert_int_equal(una_run_new(&other, &settings), UNA_OK);
            una_status status = una_dataset_read(&data, path, other);
            assert_true(status == UNA_OK || status == UNA_E_MEMORY);
            if (status == UNA_OK && !same_tables(data, truth)) fail_msg("allocation %ld failed unnoticed", n);
            if (status == UNA_OK && kept) assert_string_equal(una_run_message(other), "");
            una_dataset_free(data);
            una_run_free(other);
            assert_int_equal(memory.live, 0);
            whole = memory.left > 0;
        }
    }
    una_dataset_free(truth);
    una_run *tight;
    assert_int_equal(una_run_new(&tight, &(una_run_settings){ .threads = 1, .memory_limit = 100000 }), UNA_OK);
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, path, tight), UNA_E_MEMORY, tight);      /* the limit holds for hits too */
    una_run_free(tight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_is_the_same_table),
        cmocka_unit_test(changed_files_are_parsed_again),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(no_cache_no_harm),
        cmocka_unit_test(one_writer_at_a_time),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
