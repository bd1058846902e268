/* SPDX-License-Identifier: MIT
 *
 * IDX files made here: what is in them, plain and compressed, and everything that can be wrong with one.
 */
#include "test_support.h"

#include "read/idx.h"

#include <zlib.h>

enum { ITEMS = 3, ROWS = 2, COLUMNS = 4, SIZE = 16 + ITEMS * ROWS * COLUMNS };

/* 3 images of 2 x 4, bytes 0, 7, 14 ... */
static void make_images(unsigned char file[SIZE])
{
    static const unsigned char head[16] = { 0, 0, 8, 3, 0, 0, 0, ITEMS, 0, 0, 0, ROWS, 0, 0, 0, COLUMNS };
    memcpy(file, head, sizeof head);
    for (size_t i = 16; i < SIZE; i++) file[i] = (unsigned char)(7 * (i - 16));
}

static const char *packed(const char *name, const void *bytes, unsigned size)
{
    const char *path = temp_path(name);
    gzFile file = gzopen(path, "wb");
    assert_true(file && gzwrite(file, bytes, size) == (int)size && gzclose(file) == Z_OK);
    return path;
}

static void refused(const char *path, const char *words)
{
    una_run *run = quiet_run();
    una_idx idx;
    assert_status(una_idx_read(&idx, path, &run->scratch, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), words);
    assert_says(una_run_message(run), path);
    una_run_free(run);
}

static void test_images(void **state)
{
    (void)state;
    unsigned char file[SIZE];
    una_run *run = quiet_run();
    make_images(file);
    const char *paths[] = { temp_file("plain-idx3-ubyte", file, SIZE), packed("images.gz", file, SIZE) };
    for (size_t p = 0; p < 2; p++) {
        una_idx idx;
        assert_ok(una_idx_read(&idx, paths[p], &run->scratch, run), run);
        assert_int_equal(idx.size_count, 3);
        assert_int_equal(idx.sizes[0], ITEMS);
        assert_int_equal(idx.sizes[1], ROWS);
        assert_int_equal(idx.sizes[2], COLUMNS);
        assert_int_equal(idx.each, ROWS * COLUMNS);
        assert_memory_equal(idx.bytes, file + 16, SIZE - 16);
    }
    una_run_free(run);
}

/* More than the first block of memory. */
static void test_large(void **state)
{
    (void)state;
    enum { COUNT = 3 << 20 };
    una_run *run = quiet_run();
    una_idx idx;
    unsigned char *file = malloc(8 + COUNT);
    assert_non_null(file);
    memcpy(file, "\0\0\10\1\0\60\0\0", 8);
    for (size_t i = 0; i < COUNT; i++) file[8 + i] = (unsigned char)(i * i >> 5);
    assert_ok(una_idx_read(&idx, packed("large.gz", file, 8 + COUNT), &run->scratch, run), run);
    assert_int_equal(idx.sizes[0], COUNT);
    assert_int_equal(idx.each, 1);
    assert_memory_equal(idx.bytes, file + 8, COUNT);
    free(file);
    una_run_free(run);
}

static void test_malformed(void **state)
{
    (void)state;
    unsigned char good[SIZE], bad[SIZE + 1] = {0};
    make_images(good);
    for (size_t length = 0; length < SIZE; length++)
        refused(temp_file("cut", good, length), length < 16 ? "within its header" : "fewer");

    memcpy(bad, good, SIZE);
    refused(temp_file("longer", bad, SIZE + 1), "more");
    bad[0] = 1;
    refused(temp_file("magic", bad, SIZE), "two zeros");
    memcpy(bad, good, SIZE);
    bad[2] = 13;
    refused(temp_file("type", bad, SIZE), "unsigned bytes");
    bad[2] = 8, bad[3] = 0;
    refused(temp_file("none", bad, SIZE), "no sizes");
    bad[3] = 9;
    refused(temp_file("many", bad, SIZE), "no sizes");
    memcpy(bad, good, SIZE);
    bad[7] = 0;
    refused(temp_file("zero", bad, SIZE), "is 0");
    memset(bad + 4, 255, 12);
    refused(temp_file("absurd", bad, SIZE), "beyond any file");
    memcpy(bad, good, SIZE);
    bad[4] = 127;                                                /* two thousand million images, and no memory */
    refused(temp_file("hopeful", bad, SIZE), "fewer");
}

static void test_damaged_gzip(void **state)
{
    (void)state;
    unsigned char file[SIZE], bytes[512];
    make_images(file);
    FILE *stream = fopen(packed("whole.gz", file, SIZE), "rb");
    assert_non_null(stream);
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    refused(temp_file("short.gz", bytes, size - 9), "ends too early");
    bytes[size - 6] ^= 1;                                        /* its sum */
    refused(temp_file("sum.gz", bytes, size), "damaged");
}

static void test_labelled(void **state)
{
    (void)state;
    static const unsigned char three[] = { 0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 9 }, two[] = { 0, 0, 8, 1, 0, 0, 0, 2, 5, 0 };
    unsigned char file[SIZE];
    una_run *run = quiet_run();
    una_arena *arena = &run->scratch;
    una_idx images, labels;
    make_images(file);
    const char *path = temp_file("images", file, SIZE);
    assert_ok(una_idx_read_labelled(&images, &labels, path, temp_file("three", three, sizeof three), arena, run), run);
    assert_int_equal(labels.bytes[2], 9);
    assert_status(una_idx_read_labelled(&images, &labels, path, temp_file("two", two, sizeof two), arena, run),
                  UNA_E_INPUT, run);
    assert_says(una_run_message(run), "has 2 labels");
    assert_status(una_idx_read_labelled(&images, &labels, path, path, arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no labels");
    assert_status(una_idx_read(&images, temp_path("nowhere"), arena, run), UNA_E_IO, run);
    assert_status(una_idx_read(&images, temp_folder(), arena, run), UNA_E_IO, run);
    una_run_free(run);
}

static una_status read_one(void *context, una_run *run)
{
    una_idx idx;
    UNA_SCOPED(run, una_idx_read(&idx, context, &run->scratch, run));
    return UNA_OK;
}

static void test_allocations(void **state)
{
    (void)state;
    unsigned char file[SIZE];
    make_images(file);
    assert_true(sweep_allocations(read_one, (void *)(uintptr_t)temp_file("memory", file, SIZE)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images), cmocka_unit_test(test_large), cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_damaged_gzip), cmocka_unit_test(test_labelled), cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
