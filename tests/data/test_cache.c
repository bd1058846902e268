/* SPDX-License-Identifier: MIT
 *
 * The cache of parsed tables: the same table as from the text, never an old or a damaged one, and no harm where it
 * cannot be written. Verified: not even where bytes change and times do not, as they do under a mapping of the file,
 * nor where somebody wrote a table of his own. What another user may have written is not believed at all.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "test_support.h"

#include "base/temporary.h"
#include "data/cache_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
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
static const char *write_fresh(const char *name, int rows, double first, bool broken)
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
    return path;
}

/* The same; and it may be cached, which a file just written may not. */
static const char *write_data(const char *name, int rows, double first, bool broken)
{
    const char *path = write_fresh(name, rows, first, broken);
    wait_ms(130);
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

/* Every single bit of the head, the sum of the data's bytes among them; verified or not. */
static void every_bit_of_the_head_counts(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    temp_folder_empty(cache);
    const char *path = write_data("h.csv", 60, 0.1, false);
    una_dataset_free(read_with(path, run));
    size_t size = slurp(bytes, sizeof bytes);

    for (size_t bit = 0; bit < 8 * 200; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        put_back(bytes, size);
        run->settings.verify_cache = bit % 16 == 0;
        assert_null(looked_up(path));
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }

    put_back(bytes, size);
    run->settings.verify_cache = 1;
    una_dataset *data = looked_up(path);
    assert_non_null(data);
    una_dataset_free(data);
    run->settings.verify_cache = 0;
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

/* ---- verified ------------------------------------------------------------------------------------------ */

typedef struct mapped { unsigned char *at; size_t size; } mapped;

/* A page's first store through a mapping moves the times of the file; those that follow do not, until the page has
 * been written to the disk. So each page gets its first store here. */
static mapped map_data(const char *path)
{
    struct stat about;
    int handle = open(path, O_RDWR);
    assert_true(handle >= 0 && fstat(handle, &about) == 0);
    mapped m = { mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0),
                 (size_t)about.st_size };
    assert_true(m.at != MAP_FAILED);
    close(handle);
    for (size_t i = 0; i < m.size; i += 512) ((volatile unsigned char *)m.at)[i] = m.at[i];
    wait_ms(130);
    return m;
}

static una_cache_key key_now(const char *path)
{
    una_dataset *data;
    una_cache_key key = una_cache_read(&data, path, run);
    una_dataset_free(data);
    return key;
}

static char logged[1024];
static int  logs;

static void keep_log(void *context, una_log_level level, const char *sentence)
{
    (void)context;
    assert_int_equal(level, UNA_LOG_WARNING);
    snprintf(logged, sizeof logged, "%s", sentence);
    logs++;
}

static una_run *verifying_run(void)
{
    una_run *other = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .verify_cache = 1, .log = keep_log };
    assert_int_equal(una_run_new(&other, &settings), UNA_OK);
    logs = 0;
    logged[0] = 0;
    return other;
}

static double first_number(const char *path, una_run *with)
{
    una_dataset *data = read_with(path, with);
    double first = data->column[0].number[0];
    una_dataset_free(data);
    return first;
}

/* Puts the table with 0.5 into the cache and then makes the text 0.7, under the same key; false where times move. */
static bool change_unseen(const char *path, mapped m)
{
    unsigned char *digit = (unsigned char *)strstr((char *)m.at, "\n0.5,") + 3;
    for (int trial = 0; trial < 5; trial++) {
        temp_folder_empty(cache);
        assert_true(first_number(path, run) == 0.5 && cached_file());
        una_cache_key before = key_now(path);
        *(volatile unsigned char *)digit = '7';
        una_cache_key after = key_now(path);
        if (memcmp(&before, &after, sizeof after) == 0) return true;
        *(volatile unsigned char *)digit = '5';                  /* the disk came in between */
        wait_ms(200);
    }
    return false;
}

static void changed_bytes_are_noticed(void **state)
{
    (void)state;
    char path[8192];
    snprintf(path, sizeof path, "%s", write_fresh("g.csv", 80, 0.5, false));
    mapped m = map_data(path);
    bool unseen = change_unseen(path, m);

    if (unseen) {
        una_run *careful = verifying_run();
        una_dataset *data = NULL;
        assert_true(first_number(path, run) == 0.5);             /* believed, for nobody asked */
        una_cache_read(&data, path, careful);
        assert_null(data);
        assert_int_equal(logs, 1);
        assert_says(logged, "g.csv have changed since it was cached");
        assert_string_equal(una_run_message(careful), "");

        assert_true(first_number(path, careful) == 0.7);         /* parsed, and kept in place of the old one */
        assert_int_equal(logs, 2);
        assert_true(first_number(path, careful) == 0.7 && first_number(path, run) == 0.7);
        assert_int_equal(logs, 2);

        careful->settings.no_cache = 1;                          /* which wins */
        m.at[m.size - 1] ^= 2;
        una_cache_read(&data, path, careful);
        assert_null(data);
        assert_int_equal(logs, 2);
        una_run_free(careful);
    }

    munmap(m.at, m.size);
    if (!unseen) {
        print_message("skipped: this file system moves the times of a file with every store through a mapping\n");
        skip();
    }
}

/* Whatever the size is a multiple of: a file that stayed as it was is a hit, and its last byte counts. */
static void tails_are_summed(void **state)
{
    (void)state;
    static const size_t tails[] = { 0, 8, 31 };
    una_run *careful = verifying_run();
    int unseen = 0;

    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const char *path = write_fresh("t.csv", 40, 0.5, false);
        FILE *stream = fopen(path, "ab");
        do fputc('\n', stream);                                  /* empty lines at the end are no rows */
        while ((size_t)ftell(stream) % 32 != tails[i]);
        fclose(stream);
        mapped m = map_data(path);
        assert_int_equal(m.size % 32, tails[i]);

        temp_folder_empty(cache);
        una_dataset *truth = read_with(path, careful), *data = NULL;
        una_cache_key before = una_cache_read(&data, path, careful);
        assert_true(data && same_tables(data, truth));
        una_dataset_free(data);

        m.at[m.size - 1] = ' ';
        una_cache_key after = una_cache_read(&data, path, careful);
        assert_null(data);                                       /* for its times or for its bytes */
        unseen += memcmp(&before, &after, sizeof after) == 0;
        munmap(m.at, m.size);
        una_dataset_free(truth);
    }
    assert_int_equal(logs, unseen);
    una_run_free(careful);
}

/* A memory that does something to the data file when it is asked for the piece that its bytes are summed in, or for
 * anything: as if somebody else had been at work just then. */
typedef struct meddler { const char *path; long change; bool at_once, done; } meddler;

static void *meddle(void *context, size_t size)
{
    meddler *m = context;
    struct stat about;
    char away[8200];
    if (!m->done && (m->at_once || size >= 1 << 18)) {
        m->done = true;
        snprintf(away, sizeof away, "%s.away", m->path);
        if (m->change == 0) assert_int_equal(rename(m->path, away), 0);
        else assert_true(stat(m->path, &about) == 0 && truncate(m->path, about.st_size + m->change) == 0);
    }
    return malloc(size);
}

static void forget(void *context, void *block)
{
    (void)context;
    free(block);
}

static una_run *meddling_run(meddler *m)
{
    una_run *other = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .verify_cache = 1, .log = keep_log,
                                  .allocate = meddle, .release = forget, .allocator = m };
    m->done = true;                                              /* not while the run is made */
    assert_int_equal(una_run_new(&other, &settings), UNA_OK);
    m->done = false;
    logs = 0;
    return other;
}

/* Shorter, longer or gone while its bytes are summed: no hit, no table kept, and no word of changed bytes. */
static void moving_files_are_left_alone(void **state)
{
    (void)state;
    static const meddler cases[] = { { .change = -40 }, { .change = 40 }, { .change = 0, .at_once = true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[8192], away[8300];
        snprintf(path, sizeof path, "%s", write_data("m.csv", 50, 0.5, false));
        snprintf(away, sizeof away, "%s.away", path);
        temp_folder_empty(cache);
        una_dataset *data = NULL, *table = read_with(path, run);

        meddler m = cases[i];
        m.path = path;
        una_run *other = meddling_run(&m);
        una_cache_read(&data, path, other);
        assert_true(m.done && !data && logs == 0);
        una_run_free(other);

        if (m.change == 0) {
            assert_int_equal(rename(away, path), 0);
        } else {
            temp_folder_empty(cache);
            wait_ms(130);
            una_cache_key key = key_now(path);
            other = meddling_run(&m);
            una_cache_write(table, path, &key, other);
            assert_true(m.done && !cached_file());
            assert_string_equal(una_run_message(other), "");
            una_run_free(other);
        }
        una_dataset_free(table);
    }
}

static void verifying_can_be_cancelled(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    const char *path = write_data("i.csv", 50, 0.5, false);
    una_dataset_free(read_with(path, run));
    volatile int stop = 1;
    una_run *careful = verifying_run();
    careful->settings.cancel = &stop;

    una_dataset *data = NULL;
    una_cache_read(&data, path, careful);
    assert_true(!data && logs == 0);
    assert_int_equal(una_dataset_read(&data, path, careful), UNA_CANCELLED);
    assert_null(data);

    stop = 0;
    una_cache_read(&data, path, careful);
    assert_true(data && logs == 0);
    una_dataset_free(data);
    una_run_free(careful);
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

/* Of a process that is gone, also of an older version; what somebody is writing stays. */
static void what_a_crash_left_goes(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    char path[8192], old[8300], left[8300], held[8300], folder[6000];
    snprintf(path, sizeof path, "%s", write_data("e.csv", 50, 0.1, false));
    una_dataset_free(read_with(path, run));
    snprintf(folder, sizeof folder, "%s/una", cache);
    snprintf(old, sizeof old, "%s.tmp", cached_file());
    snprintf(left, sizeof left, "%s/.una-1-0.tmp", folder);
    fclose(fopen(old, "wb"));
    fclose(fopen(left, "wb"));
    int handle = una_temporary_open(held, folder, 0600);
    assert_true(handle >= 0);
    struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);

    write_data("e.csv", 50, 0.2, false);
    una_dataset_free(read_with(path, run));
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_not_equal(access(left, F_OK), 0);
    assert_int_equal(access(held, F_OK), 0);
    unlink(held);
    close(handle);
    una_dataset *data = looked_up(path);
    assert_true(data && data->column[0].number[0] == 0.2);
    una_dataset_free(data);
}

/* ---- strangers ---------------------------------------------------------------------------------------- */

/* A table with another number, whole and with all its sums: what somebody writes who means harm. */
static void forge(const char *path, double number)
{
    una_dataset *table = parsed(path);
    una_cache_key key = key_now(path);
    table->column[0].number[0] = number;
    una_cache_write(table, path, &key, run);
    una_dataset_free(table);
    table = looked_up(path);
    assert_true(table && table->column[0].number[0] == number);          /* it would be believed */
    una_dataset_free(table);
}

static void verified_is_compared(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    char path[8192];
    snprintf(path, sizeof path, "%s", write_data("v.csv", 60, 0.5, true));
    forge(path, 77);
    assert_true(first_number(path, run) == 77);

    una_run *careful = verifying_run();
    assert_true(first_number(path, careful) == 0.5);
    assert_int_equal(logs, 1);
    assert_says(logged, "v.csv in the cache is not what the file holds");
    assert_true(first_number(path, careful) == 0.5 && first_number(path, run) == 0.5);       /* and it was replaced */
    assert_int_equal(logs, 1);
    una_run_free(careful);
}

static int notes;
static void keep_note(void *context, una_log_level level, const char *sentence)
{
    (void)context;
    notes += level == UNA_LOG_NOTE;
    snprintf(logged, sizeof logged, "%s", sentence);
}

/* Reads as a run that hears notes: was the text read, and how many notes were there? */
static void assert_not_believed(const char *path, int expected)
{
    una_run *other = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .log = keep_note };
    assert_int_equal(una_run_new(&other, &settings), UNA_OK);
    notes = 0;
    assert_true(first_number(path, other) == 0.5);
    assert_int_equal(notes, expected);
    una_run_free(other);
}

static void others_are_not_believed(void **state)
{
    (void)state;
    char path[8192], file[8192], folder[6000], away[8300];
    struct stat about;
    snprintf(path, sizeof path, "%s", write_data("o.csv", 60, 0.5, false));
    snprintf(folder, sizeof folder, "%s/una", cache);
    snprintf(away, sizeof away, "%s/away", temp_folder());

    temp_folder_empty(cache);
    forge(path, 77);
    snprintf(file, sizeof file, "%s", cached_file());
    assert_true(stat(file, &about) == 0 && (about.st_mode & 07777) == 0600);
    assert_true(stat(folder, &about) == 0 && (about.st_mode & 07777) == 0700);

    static const mode_t loose[] = { 0620, 0602, 0666 };
    for (size_t i = 0; i < 3; i++) {
        forge(path, 77);
        assert_int_equal(chmod(file, loose[i]), 0);
        assert_not_believed(path, 1);
        assert_says(logged, "was not believed");
        assert_true(stat(file, &about) == 0 && (about.st_mode & 07777) == 0600);     /* read anew and replaced */
        assert_not_believed(path, 0);
    }

    forge(path, 77);                                             /* a link, even to a file of one's own */
    remove(away);
    assert_true(rename(file, away) == 0 && symlink(away, file) == 0);
    assert_not_believed(path, 1);
    assert_true(lstat(file, &about) == 0 && S_ISREG(about.st_mode));
    assert_true(unlink(file) == 0 && mkfifo(file, 0600) == 0);   /* no file at all: nobody waits */
    assert_not_believed(path, 1);

    forge(path, 77);                                             /* the folder: neither read nor written */
    static const mode_t open_to_all[] = { 0770, 0702, 01777 };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(folder, open_to_all[i]), 0);
        assert_not_believed(path, 1);
        assert_says(logged, "is not used");
        assert_int_equal(chmod(folder, 0700), 0);
        assert_true(first_number(path, run) == 77);
    }
    remove(away);
    assert_true(rename(folder, away) == 0 && symlink(away, folder) == 0);
    assert_not_believed(path, 1);
    assert_true(unlink(folder) == 0 && rename(away, folder) == 0);

    if (geteuid() == 0) {
        assert_int_equal(chown(file, 12345, (gid_t)-1), 0);
        assert_not_believed(path, 1);
        assert_true(stat(file, &about) == 0 && about.st_uid == 0);
        forge(path, 77);
        assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
        assert_not_believed(path, 1);
        assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    } else {
        print_message("not tried: files of another user, which only root can make\n");
    }
}

/* ---- how much ------------------------------------------------------------------------------------------ */

static size_t count_files(void)
{
    size_t count = 0;
    char folder[6000];
    snprintf(folder, sizeof folder, "%s/una", cache);
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) count += entry->d_name[0] != '.';
    if (open) closedir(open);
    return count;
}

static bool is_kept(const char *path)
{
    una_dataset *data = looked_up(path);
    una_dataset_free(data);
    return data != NULL;
}

/* Each takes some 6 kB: three fit. The one that was not used for longest goes, and what is of another version. */
static void the_oldest_go(void **state)
{
    (void)state;
    enum { FILES = 4 };
    char path[FILES][4096], stranger[8192];
    temp_folder_empty(cache);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "z%d.csv", i);
        snprintf(path[i], sizeof path[i], "%s", write_fresh(name, 250, 0.5, false));
    }
    wait_ms(130);
    assert_int_equal(setenv("UNA_CACHE_LIMIT", "22k", 1), 0);
    for (int i = 0; i < 3; i++) {
        una_dataset_free(read_with(path[i], run));
        wait_ms(20);
    }
    assert_int_equal(count_files(), 3);
    assert_true(is_kept(path[0]));                               /* used: 1 is the oldest now */
    wait_ms(20);
    snprintf(stranger, sizeof stranger, "%s/una/0123456789abcdef.table", cache);
    FILE *stream = fopen(stranger, "wb");
    fputs("unacache and another version", stream);
    fclose(stream);

    una_dataset_free(read_with(path[3], run));
    assert_int_equal(count_files(), 3);
    assert_int_not_equal(access(stranger, F_OK), 0);
    assert_true(is_kept(path[0]) && !is_kept(path[1]) && is_kept(path[2]) && is_kept(path[3]));

    assert_int_equal(setenv("UNA_CACHE_LIMIT", "0", 1), 0);      /* nothing is written any more */
    una_dataset_free(read_with(path[1], run));
    assert_false(is_kept(path[1]));
    assert_true(is_kept(path[3]));
    assert_int_equal(unsetenv("UNA_CACHE_LIMIT"), 0);
    una_dataset_free(read_with(path[1], run));
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

static void allocations_may_fail(void **state)
{
    (void)state;
    temp_folder_empty(cache);
    const char *path = write_data("f.csv", 3000, 0.1, true);
    una_dataset *truth = parsed(path);

    for (int kept = 0; kept < 3; kept++) {                       /* while it is written, read, verified */
        bool whole = false;
        for (long n = 2; !whole; n++) {
            struct fail_after memory = { .left = n };
            una_run_settings settings = failing_settings(&memory);
            una_run *other = NULL;
            una_dataset *data = NULL;
            settings.verify_cache = kept == 2;
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
    assert_int_equal(una_run_new(&tight, &SIZED(una_run_settings, .threads = 1, .memory_limit = 100000)), UNA_OK);
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, path, tight), UNA_E_MEMORY, tight);      /* the limit holds for hits too */
    una_run_free(tight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_is_the_same_table),
        cmocka_unit_test(changed_files_are_parsed_again),
        cmocka_unit_test(every_bit_of_the_head_counts),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(tails_are_summed),
        cmocka_unit_test(moving_files_are_left_alone),
        cmocka_unit_test(verifying_can_be_cancelled),
        cmocka_unit_test(no_cache_no_harm),
        cmocka_unit_test(what_a_crash_left_goes),
        cmocka_unit_test(verified_is_compared),
        cmocka_unit_test(others_are_not_believed),
        cmocka_unit_test(the_oldest_go),
        cmocka_unit_test(limits),
        cmocka_unit_test(allocations_may_fail),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
