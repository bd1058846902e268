/* SPDX-License-Identifier: MIT
 *
 * Tables that somebody made to do harm, or that change while they are read: time and memory stay in proportion to the
 * bytes, and no table is half of one file and half of another.
 */
#define _XOPEN_SOURCE 700        /* mkfifo, setitimer */

#include "test_support.h"

#include "data/columns.h"
#include "data/copies.h"
#include "read/image_files.h"
#include "read/reader.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <zlib.h>

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static una_run *uncached_run(void)
{
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .no_cache = 1)), UNA_OK);
    return run;
}

/* ---- words and rows that meet in one slot ------------------------------------------------------------------ */

/* FNV-1a, as tables of words once hashed: known to everybody, so that words could be chosen. */
static uint64_t known_hash(const char *word)
{
    uint64_t hash = 14695981039346656037u;
    for (; *word; word++) hash = (hash ^ (unsigned char)*word) * 1099511628211u;
    return hash ^ hash >> 29;
}

enum { WORDS = 30000 };

/* chosen: all of them in 512 of the 65,536 slots that a table of so many has. */
static const char *write_words(const char *name, bool chosen)
{
    const char *path = temp_path(name);
    FILE *stream = fopen(path, "wb");
    fputs("word\n", stream);
    char word[9] = "";
    for (uint64_t n = 0, written = 0; written < WORDS; n++) {
        uint64_t left = n * 2654435761u % (1u << 31);
        for (size_t i = 0; i < 8; i++, left /= 15) word[i] = (char)('a' + left % 15);
        if (chosen && (known_hash(word) & 0xffff) >= 512) continue;
        fprintf(stream, "%s\n", word);
        written++;
    }
    fclose(stream);
    return path;
}

static double time_to_read(const char *path, una_run *run)
{
    una_dataset *data = NULL;
    double begun = cpu_now();
    assert_ok(una_dataset_read(&data, path, run), run);
    double seconds = cpu_now() - begun;
    una_dataset_free(data);
    return seconds;
}

/* It took a second and more where ordinary ones take a hundredth. */
static void chosen_words(void **state)
{
    (void)state;
    una_run *run = uncached_run();
    double ordinary = time_to_read(write_words("ordinary.csv", false), run);
    double chosen = time_to_read(write_words("chosen.csv", true), run);
    if (chosen > 10 * ordinary + 0.05) fail_msg("chosen words take %g s, ordinary ones %g", chosen, ordinary);
    una_run_free(run);
}

enum { ROWS = 40000 };

/* The hash that rows once had, undone for the second of two numbers: all rows have the same. */
static void choose_rows(double *x)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS;) {
        uint64_t word, hash = 1469598103934665603u;
        double first = una_rng_normal(&rng), second;
        memcpy(&word, &first, sizeof word);
        hash = (hash ^ word ^ word >> 32) * 1099511628211u ^ 12345;
        hash ^= hash >> 32;
        memcpy(&second, &hash, sizeof second);
        if (!isfinite(second)) continue;
        x[2 * i] = first;
        x[2 * i++ + 1] = second;
    }
}

static double time_to_compare(const double *x, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_copies copies;
    double begun = cpu_now();
    assert_ok(una_copies_find(&copies, (una_view){ x, ROWS, 2, 2 }, &run->scratch, run), run);
    double seconds = cpu_now() - begun;
    assert_int_equal(copies.groups, ROWS);
    una_arena_release(&run->scratch, mark);
    return seconds;
}

static void chosen_rows(void **state)
{
    (void)state;
    static double x[2 * ROWS];
    una_run *run = uncached_run();
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < 2 * ROWS; i++) x[i] = una_rng_normal(&rng);
    double ordinary = time_to_compare(x, run);
    choose_rows(x);
    double chosen = time_to_compare(x, run);
    if (chosen > 10 * ordinary + 0.05) fail_msg("chosen rows take %g s, ordinary ones %g", chosen, ordinary);
    una_run_free(run);
}

/* ---- many columns -------------------------------------------------------------------------------------------- */

/* Each a number; the last three rows have dates in every second one of `dated`. */
static const char *write_wide(const char *name, size_t columns)
{
    const char *path = temp_path(name);
    FILE *stream = fopen(path, "wb");
    for (size_t row = 0; row < 4; row++)
        for (size_t c = 0; c < columns; c++) {
            const char *end = c + 1 < columns ? "," : "\n";
            if (row == 0) fprintf(stream, "column%zu%s", c, end);
            else fprintf(stream, "%zu%s", (c * 7 + row * row * 13) % 10007, end);
        }
    fclose(stream);
    return path;
}

/* Read, learnt from, read again by name, encoded, joined. */
static double time_of_wide(const char *path, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_columns columns, *one = &columns;
    una_dataset *data, *chunk, *joined;
    una_reader *reader;
    double *x, *y, begun = cpu_now();
    size_t *kept, rows;

    assert_ok(una_dataset_read(&data, path, run), run);
    assert_ok(una_columns_learn(&one, &(una_learning){ .data = data }, &run->scratch, run), run);
    una_wanted *wanted = una_columns_wanted((const una_columns *const *)&one, 1, &run->scratch);
    assert_ok(una_reader_open(&reader, path, wanted, columns.source_count + 1, SIZE_MAX, run), run);
    assert_ok(una_reader_next(&chunk, reader, 100), run);
    assert_ok(una_columns_encode(&columns, chunk, &(una_encoding){ &x, &y, &kept, &rows }, &run->scratch), run);
    assert_int_equal(rows, 3);
    assert_ok(una_dataset_join(&joined, data, chunk, run), run);

    double seconds = cpu_now() - begun;
    una_reader_close(reader);
    una_dataset_free(joined);
    una_dataset_free(chunk);
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    return seconds;
}

/* Twice the columns, at most twice the time and some; where each column is looked for among all, it is four times. */
static void wide_tables(void **state)
{
    (void)state;
    enum { COLUMNS = 15000 };
    double once = INFINITY, twice = INFINITY;
    una_run *run = uncached_run();
    write_wide("wide.csv", COLUMNS);
    write_wide("wider.csv", 2 * COLUMNS);
    for (int trial = 0; trial < 3; trial++) {
        once = fmin(once, time_of_wide(temp_path("wide.csv"), run));
        twice = fmin(twice, time_of_wide(temp_path("wider.csv"), run));
    }
    if (twice > 3 * once) fail_msg("%d columns take %g s, twice as many %g", COLUMNS, once, twice);
    una_run_free(run);
}

/* A name of its own for each, as short as can be. */
static void short_name(char *name, size_t number)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    do *name++ = letters[number % 52];
    while ((number /= 52));
    *name = 0;
}

static const char *write_small_cells(const char *cell, size_t columns, size_t rows)
{
    const char *path = temp_path("small.csv");
    FILE *stream = fopen(path, "wbe");
    char name[16];
    for (size_t c = 0; c < columns; c++) {
        short_name(name, c);
        fprintf(stream, "%s%s", c ? "," : "", name);
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) fprintf(stream, "%s%s", c ? "," : "\n", c ? cell : r ? "b" : "a");
    fclose(stream);
    return path;
}

/* Columns need descriptions, and cells are larger than their bytes: what docs/use/SECURITY.md says is enough. */
static void memory_is_justified(void **state)
{
    (void)state;
    static const struct { const char *cell; size_t columns, rows; } shapes[] = {
        { "", 1, 1 }, { "", 60, 1 }, { "", 600, 1 }, { "", 3000, 1 }, { "", 10000, 1 }, { "", 60000, 1 },
        { "1", 3000, 1 }, { "1.5 kg", 3000, 1 }, { "b", 600, 1 }, { "b", 10000, 1 }, { "", 600, 3 }, { "1", 1, 300000 },
        { "", 8, 30000 }, { "a", 8, 3000 }, { "2020-01-02", 600, 2 },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct stat about;
        const char *path = write_small_cells(shapes[i].cell, shapes[i].columns, shapes[i].rows);
        assert_int_equal(stat(path, &about), 0);
        una_run *run = NULL;
        una_dataset *data = NULL;
        assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .no_cache = 1, .no_scratch = 1,
                                                  .memory_limit = 512 * (uint64_t)about.st_size + 4000000)), UNA_OK);
        assert_ok(una_dataset_read(&data, path, run), run);
        una_dataset_free(data);
        una_run_free(run);
    }
}

/* Row after row another column begins with such as 1.234, for which a file of known types is looked into. */
static const char *write_points(const char *name, size_t columns, bool points)
{
    enum { BEFORE = 1001 };
    const char *path = temp_path(name);
    FILE *stream = fopen(path, "wb");
    for (size_t c = 0; c < columns; c++) fprintf(stream, "c%zu%s", c, c + 1 < columns ? "," : "\n");
    for (size_t row = 0; row < BEFORE + columns; row++)
        for (size_t c = 0; c < columns; c++)
            fprintf(stream, "%s%s", points && row == BEFORE + c ? "1.234" : "1", c + 1 < columns ? "," : "\n");
    fclose(stream);
    return path;
}

static double time_of_points(const char *path, size_t columns, una_run *run)
{
    static una_wanted wanted[1000];
    static char names[1000][24];
    una_reader *reader;
    for (size_t c = 0; c < columns; c++) {
        snprintf(names[c], sizeof names[c], "c%zu", c);
        wanted[c] = (una_wanted){ .name = names[c], .unit = "" };
    }
    double begun = cpu_now();
    assert_ok(una_reader_open(&reader, path, wanted, columns, SIZE_MAX, run), run);
    for (una_dataset *chunk = NULL;; una_dataset_free(chunk)) {
        assert_ok(una_reader_next(&chunk, reader, 4096), run);
        if (!chunk) break;
        for (size_t i = 0; i < chunk->rows; i++)
            for (size_t c = 0; c < columns; c++)
                assert_true(chunk->column[c].number[i] == 1 || chunk->column[c].number[i] == 1.234);
    }
    una_reader_close(reader);
    return cpu_now() - begun;
}

static void points_again_and_again(void **state)
{
    (void)state;
    enum { COLUMNS = 150 };
    una_run *run = uncached_run();
    double plain = time_of_points(write_points("plain.csv", COLUMNS, false), COLUMNS, run);
    double pointed = time_of_points(write_points("pointed.csv", COLUMNS, true), COLUMNS, run);
    if (pointed > 60 * plain) fail_msg("points take %g s, none %g", pointed, plain);
    una_run_free(run);
}

/* ---- lines without an end ------------------------------------------------------------------------------------- */

struct counted { size_t live, peak; };

static void *count_up(void *context, size_t size)
{
    struct counted *c = context;
    size_t *block = malloc(size + 64);
    if (!block) return NULL;
    *block = size;
    c->live += size;
    if (c->live > c->peak) c->peak = c->live;
    return (char *)block + 64;
}

static void count_down(void *context, void *block)
{
    struct counted *c = context;
    size_t *head = (size_t *)(void *)((char *)block - 64);
    c->live -= *head;
    free(head);
}

enum { LIMIT = 64000000 };               /* of memory; a line may have 8 MB */

static void read_long(const char *path, const char *sentence)
{
    struct counted counted = { 0, 0 };
    una_run *run = NULL;
    una_dataset *data = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .no_cache = 1, .memory_limit = LIMIT,
                                              .allocate = count_up, .release = count_down, .allocator = &counted)),
                     UNA_OK);
    if (sentence) {
        assert_status(una_dataset_read(&data, path, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), sentence);
        assert_says(una_run_message(run), "and a line may have 8 MB");
    } else {
        assert_ok(una_dataset_read(&data, path, run), run);
        una_dataset_free(data);
    }
    una_run_free(run);
    if (counted.peak > LIMIT / 2) fail_msg("%s took %zu bytes", path, counted.peak);
}

static void write_long(const char *name, const char *before, size_t size, const char *after)
{
    gzFile file = gzopen(temp_path(name), strstr(name, ".gz") ? "wb1" : "wbT");
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    gzputs(file, before);
    for (size_t left = size; left > 0; left -= left < sizeof block ? left : sizeof block)
        gzwrite(file, block, (unsigned)(left < sizeof block ? left : sizeof block));
    gzputs(file, after);
    assert_int_equal(gzclose(file), Z_OK);
}

static void long_lines(void **state)
{
    (void)state;
    write_long("quote.csv", "a,b\n1,2\n3,\"", 12000000, "\n4,5\n");            /* never closed */
    read_long(temp_path("quote.csv"), "quote.csv, line 3 goes on for");
    write_long("header.csv", "", 12000000, ",b\n1,2\n");
    read_long(temp_path("header.csv"), "header.csv, line 1 goes on for");
    write_long("bomb.csv.gz", "a,b\n1,", 40000000, "\n");
    read_long(temp_path("bomb.csv.gz"), "bomb.csv.gz, line 2 goes on for");
    write_long("long.csv", "a,b\n1,", 6000000, "\n2,word\n");                  /* and one that is not too long */
    read_long(temp_path("long.csv"), NULL);
}

/* ---- files that change while they are read ------------------------------------------------------------------- */

/* A memory that writes the file anew, in place, when it is asked for the n-th time: as somebody else would. */
struct rewriter { const char *path; const void *bytes; size_t size; long left; };

static void *rewrite(void *context, size_t size)
{
    struct rewriter *r = context;
    if (r->left-- == 0) {
        int handle = open(r->path, O_WRONLY);
        assert_true(handle >= 0 && write(handle, r->bytes, r->size) == (ssize_t)r->size);
        close(handle);
    }
    return malloc(size);
}

static void let_go(void *context, void *block)
{
    (void)context;
    free(block);
}

typedef una_status reading(const char *path, double value[2], una_run *run);

/* What is read is all of one file or all of the other, or it is refused: `first` and `second` hold cells of one value
 * each, and have the same size. */
static void read_while_it_changes(const char *name, const void *first, const void *second, size_t size, reading *read,
                                  long step)
{
    size_t refused = 0;
    bool late = false;
    for (long n = 3; !late && n < 2000; n += step) {
        remove(temp_path(name));                                 /* a new file is not flushed, one written over is */
        const char *path = temp_file(name, first, size);
        struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        struct rewriter r = { path, second, size, n };
        una_run *run = NULL;
        double value[2] = { NAN, NAN };
        assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .no_cache = 1, .allocate = rewrite,
                                                  .release = let_go, .allocator = &r)), UNA_OK);
        una_status status = read(path, value, run);
        if (status == UNA_OK && value[0] != value[1]) fail_msg("%s: half of both, at request %ld", name, n);
        if (status != UNA_OK) assert_says(una_run_message(run), "was changed while it was read; read it again");
        refused += status != UNA_OK;
        late = r.left >= 0;
        una_run_free(run);
    }
    if (!late || refused == 0) fail_msg("%s: late %d, refused %zu", name, late, refused);
}

static una_status read_table(const char *path, double value[2], una_run *run)
{
    una_dataset *data;
    UNA_TRY(una_dataset_read(&data, path, run));
    value[0] = value[1] = data->column[0].number[0];
    for (size_t i = 0; i < data->rows; i++)
        if (data->column[0].number[i] != value[0]) value[1] = data->column[0].number[i];
    una_dataset_free(data);
    return UNA_OK;
}

static una_status read_images(const char *path, double value[2], una_run *run)
{
    una_images *images;
    UNA_TRY(una_images_read(&images, path, run));
    double *one = malloc(images->each * sizeof *one);
    for (size_t i = 0; i < images->count; i++) {
        una_images_take(images, i, 0, 1, one);
        if (i == 0) value[0] = value[1] = one[0];
        for (size_t k = 0; k < images->each; k++)
            if (one[k] != value[0]) value[1] = one[k];
    }
    free(one);
    una_images_let_go(images);
    return UNA_OK;
}

static void changing_text(void **state)
{
    (void)state;
    enum { CELLS = 1200000 };            /* of two bytes: more than two blocks */
    char *text[2];
    for (int k = 0; k < 2; k++) {
        text[k] = malloc(2 * CELLS + 2);
        memcpy(text[k], "a\n", 2);
        for (size_t i = 0; i < CELLS; i++) memcpy(text[k] + 2 + 2 * i, k ? "2\n" : "1\n", 2);
    }
    read_while_it_changes("c.csv", text[0], text[1], 2 * CELLS + 2, read_table, 1);
    free(text[0]);
    free(text[1]);
}

static void changing_arrays(void **state)
{
    (void)state;
    enum { HEAD = 128, NUMBERS = 400000 };
    unsigned char *npy[2], *idx[2];
    for (int k = 0; k < 2; k++) {
        double value = k + 1;
        npy[k] = malloc(HEAD + 8 * NUMBERS);
        memset(npy[k], ' ', HEAD);
        static const char begin[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, "
                                    "'shape': (400000, 1), }";
        memcpy(npy[k], begin, sizeof begin - 1);
        for (size_t i = 0; i < NUMBERS; i++) memcpy(npy[k] + HEAD + 8 * i, &value, sizeof value);
        static const unsigned char head[16] = { 0, 0, 8, 3, 0, 0, 0x9c, 0x40, [11] = 10, [15] = 10 };     /* 40,000 */
        idx[k] = malloc(16 + 100 * 40000);
        memcpy(idx[k], head, 16);
        memset(idx[k] + 16, k + 1, 100 * 40000);
    }
    read_while_it_changes("c.npy", npy[0], npy[1], HEAD + 8 * NUMBERS, read_table, 1);
    read_while_it_changes("c.idx", idx[0], idx[1], 16 + 100 * 40000, read_images, 1);
    for (int k = 0; k < 2; k++) {
        free(npy[k]);
        free(idx[k]);
    }
}

/* ---- pipes that give nothing ----------------------------------------------------------------------------------- */

static volatile int stop;

static void on_alarm(int number)
{
    (void)number;
    stop = 1;
}

/* One signal is enough, with a handler that interrupts calls or without: nobody has opened the other end; somebody has,
 * and says nothing; or said something and then nothing. */
static void silent_pipes(void **state)
{
    (void)state;
    const char *path = temp_path("pipe.csv");
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int trial = 0; trial < 4; trial++) {
        una_run *run = NULL;
        una_dataset *data = NULL;
        struct sigaction action = { .sa_handler = on_alarm, .sa_flags = trial == 1 ? SA_RESTART : 0 }, before;
        struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
        stop = 0;
        assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .cancel = &stop)), UNA_OK);
        int other = trial >= 2 ? open(path, O_RDWR) : -1;
        if (trial == 3) assert_int_equal(write(other, "a,b\n1,2\n", 8), 8);
        assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
        assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        assert_status(una_dataset_read(&data, path, run), UNA_CANCELLED, run);
        assert_says(una_run_message(run), "interrupted while reading");
        sigaction(SIGALRM, &before, NULL);
        if (other >= 0) close(other);
        una_run_free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_words), cmocka_unit_test(chosen_rows), cmocka_unit_test(wide_tables),
        cmocka_unit_test(memory_is_justified),
        cmocka_unit_test(points_again_and_again), cmocka_unit_test(long_lines), cmocka_unit_test(changing_text),
        cmocka_unit_test(changing_arrays), cmocka_unit_test(silent_pipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
