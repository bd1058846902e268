/* SPDX-License-Identifier: MIT
 *
 * NPY arrays: every type, both orders, both byte orders, and files that lie.
 */
#include "one_run.h"

#include "read/reader.h"

/* An NPY file with this dictionary and these item bytes. */
static size_t make_npy(unsigned char *file, int version, const char *dictionary, const void *items, size_t size)
{
    size_t length = strlen(dictionary), at = 8;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 0; i < (version == 1 ? 2u : 4u); i++) file[at++] = (unsigned char)(length >> (8 * i));
    memcpy(file + at, dictionary, length);
    if (size) memcpy(file + at + length, items, size);
    return at + length + size;
}

static const char *write_npy(int version, const char *dictionary, const void *items, size_t size)
{
    unsigned char file[4096];
    return temp_file("a.npy", file, make_npy(file, version, dictionary, items, size));
}

static void expect(const char *dictionary, const void *items, size_t size, const double *values, size_t rows,
                   size_t columns)
{
    for (int version = 1; version <= 3; version++) {
        una_dataset *data = NULL;
        assert_ok(una_dataset_read(&data, write_npy(version, dictionary, items, size), run), run);
        assert_int_equal(data->rows, rows);
        assert_int_equal(data->columns, columns);
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < columns; c++) assert_true(data->column[c].number[i] == values[i * columns + c]);
        assert_null(data->line);
        una_dataset_free(data);
    }
}

static void refused(const char *dictionary, const void *items, size_t size, const char *part)
{
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, write_npy(1, dictionary, items, size), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
    assert_says(una_run_message(run), "a.npy");
    assert_null(data);
}

static void doubles(void **state)
{
    (void)state;
    const double items[] = { 1, -2.5, 3, 4, 5e300, 6 };
    const double turned[] = { 1, 3, 5e300, -2.5, 4, 6 };
    expect("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n", items, sizeof items, items, 2, 3);
    expect("{'descr':'<f8','fortran_order':False,'shape':(6,)}", items, sizeof items, items, 6, 1);
    expect("{\"shape\": (2L, 3), 'fortran_order': True, 'descr': '<f8'}\n", items, sizeof items, turned, 2, 3);
    unsigned char big[sizeof items];
    for (size_t i = 0; i < sizeof items; i++) big[i] = ((const unsigned char *)items)[i / 8 * 8 + 7 - i % 8];
    expect("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", big, sizeof big, items, 2, 3);
}

static void other_types(void **state)
{
    (void)state;
    const float singles[] = { 1.5f, -2 };
    expect("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", singles, 8, (double[]){ 1.5, -2 }, 2, 1);
    expect("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "\x3f\xc0\0\0", 4, (double[]){ 1.5 }, 1, 1);

    expect("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "\x7f\x80\xff", 3, (double[]){ 127, -128, -1 },
           3, 1);
    expect("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\x7f\x80", 2, (double[]){ 127, 128 }, 2, 1);
    expect("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\0\1", 2, (double[]){ 0, 1 }, 2, 1);

    expect("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "\1\0\xfe\xff", 4, (double[]){ 1, -2 }, 2, 1);
    expect("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "\xff\xff\xff\xf0", 4, (double[]){ -16 }, 1, 1);
    expect("{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", "\xff\xff\xff\xff", 4,
           (double[]){ 4294967295.0 }, 1, 1);
    expect("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", "\0\0\0\0\0\0\0\x80", 8, (double[]){ 0x1p63 },
           1, 1);
    expect("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }",
           "\0\0\0\0\0\0\0\x80\xff\xff\xff\xff\xff\xff\xff\xff", 16, (double[]){ -0x1p63, -1 }, 2, 1);
    expect("{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\1\2", 2, (double[]){ 513 }, 1, 1);
}

static void names_missing_and_infinite(void **state)
{
    (void)state;
    const double items[] = { 1, NAN, 3, INFINITY };
    una_dataset *data = NULL;
    const char *path = write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }", items, 24);
    assert_ok(una_dataset_read(&data, path, run), run);
    assert_string_equal(data->column[0].name, "x1");
    assert_string_equal(data->column[2].name, "x3");
    assert_true(isnan(data->column[1].number[0]));
    una_dataset_free(data);
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", items, 32, "row 2, column 'x2' is infinite");
}

static void refusals(void **state)
{
    (void)state;
    const double items[] = { 1, 2, 3, 4 };
    refused("{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }", items, 32, "holds items of type '<c16'");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", items, 4, "astype('float64')");
    refused("{'descr': [('a','<f8')], 'fortran_order': False, 'shape': (2,), }", items, 16, "no simple type");

    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2,2,1), }", items, 32, "more than two dimensions");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", items, 8, "single number");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", items, 0, "no rows");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", items, 0, "no columns");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }", items, 32, "not a list of sizes");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2 2), }", items, 32, "not a list of sizes");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': 4, }", items, 32, "has no shape");

    refused("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (4,), }", items, 32, "neither True nor False");
    refused("{'descr': '<f8', 'descr': '<f8', 'shape': (4,), }", items, 32, "unknown or repeated key");
    refused("{'descr': '<f8', 'colour': 'red', 'shape': (4,), }", items, 32, "unknown or repeated key");
    refused("{'descr': '<f8', 'fortran_order': False}", items, 32, "lacks descr");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), } x", items, 32, "behind the dictionary");
    refused("{'descr': '<f8' 'fortran_order': False, 'shape': (4,), }", items, 32, "not a dictionary");
    refused("'descr'", items, 32, "not a dictionary");
    refused("{descr: '<f8'}", items, 32, "not a dictionary");
    refused("{'de\\scr': '<f8'}", items, 32, "not a dictionary");
    refused("{'a very long key indeed': '<f8'}", items, 32, "not a dictionary");

    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", items, 32,
            "not a list of sizes");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000), }", items, 32,
            "beyond any file");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }", items, 32, "where its header promises");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", items, 32, "where its header promises");
}

static void broken_files(void **state)
{
    (void)state;
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, temp_text_file("b.npy", "hello, world"), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "does not begin as one");
    assert_status(una_dataset_read(&data, temp_text_file("b.npy", ""), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "ends too early");
    assert_status(una_dataset_read(&data, temp_file("b.npy", "\x93NUMPY\4\0\1\0\0\0{", 13), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "version is not 1, 2 or 3");
    assert_status(una_dataset_read(&data, temp_file("b.npy", "\x93NUMPY\2\0\1\0\0\x7f{", 13), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "header is too long");

    assert_status(una_dataset_read(&data, temp_path("none.npy"), run), UNA_E_IO, run);
    assert_says(una_run_message(run), "none.npy: No such file");
    assert_status(una_dataset_read(&data, "/dev/null/x.npy", run), UNA_E_IO, run);
    mkdir(temp_path("folder.npy"), 0700);
    assert_status(una_dataset_read(&data, temp_path("folder.npy"), run), UNA_E_IO, run);
    assert_says(una_run_message(run), "it is a folder");
}

static void chunks(void **state)
{
    (void)state;
    static double items[5][3];
    for (size_t i = 0; i < 15; i++) items[i / 3][i % 3] = (double)i / 4;
    const char *path = write_npy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }", items, sizeof items);
    una_wanted wanted[] = { { .name = "x3", .is_text = false }, { .name = "x1", .is_text = false } };
    una_reader *reader = NULL;
    assert_ok(una_reader_open(&reader, path, wanted, 2, 2, run), run);
    una_reader_keep(reader);

    size_t row = 0;
    for (una_dataset *chunk = NULL;; una_dataset_free(chunk)) {
        assert_ok(una_reader_next(&chunk, reader, 2), run);
        if (!chunk) break;
        for (size_t i = 0; i < chunk->rows; i++, row++) {
            assert_true(chunk->column[0].number[i] == items[row][2] && chunk->column[1].number[i] == items[row][0]);
            if (chunk->line) assert_int_equal(chunk->line[i], row + 1);
        }
        assert_true(atof(una_reader_cell(reader, 0, 1)) == items[row - chunk->rows][1]);
    }
    assert_int_equal(row, 5);
    una_reader_close(reader);

    wanted[1].is_text = true;
    assert_status(una_reader_open(&reader, path, wanted, 2, 2, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "column 'x1' holds words, and the array");
    assert_ok(una_reader_open(&reader, path, NULL, 0, 0, run), run);
    una_reader_close(reader);
}

static una_status read_it(void *context, una_run *other)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_read(&data, context, other);
    una_dataset_free(data);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    const double items[] = { 1, 2, 3, 4 };
    char path[4096];
    snprintf(path, sizeof path, "%s",
             write_npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", items, 32));
    assert_true(sweep_allocations(read_it, path) > 3);
}

static void mutations_never_crash(void **state)
{
    (void)state;
    unsigned char seed[256], bytes[256];
    const double items[] = { 1, 2, 3, 4, 5, 6 };
    size_t whole =
        make_npy(seed, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", items, sizeof items);
    uint64_t word = 88172645463325252u;

    for (int i = 0; i < 5000; i++) {
        size_t size = whole;
        memcpy(bytes, seed, size);
        for (int k = 0; k <= i % 3; k++) {
            word ^= word << 13; word ^= word >> 7; word ^= word << 17;
            size_t at = (size_t)(word >> 8) % size;
            if (word % 11 == 0) size = at + 1;
            else if (word % 2) bytes[at] = (unsigned char)(word >> 40);
            else bytes[at] = (unsigned char)"{}()',:<>|fiub0123456789TrueFalse "[(word >> 40) % 33];
        }

        una_dataset *data = NULL;
        remove(temp_path("m.npy"));                              /* a new file is not flushed, one written over is */
        una_status status = una_dataset_read(&data, temp_file("m.npy", bytes, size), run);
        if (status != UNA_OK && status != UNA_E_INPUT) fail_msg("status %d: %s", (int)status, una_run_message(run));
        una_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles),          cmocka_unit_test(other_types), cmocka_unit_test(names_missing_and_infinite),
        cmocka_unit_test(refusals),         cmocka_unit_test(broken_files), cmocka_unit_test(chunks),
        cmocka_unit_test(allocations_may_fail), cmocka_unit_test(mutations_never_crash),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
