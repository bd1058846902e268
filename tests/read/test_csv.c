/* SPDX-License-Identifier: MIT
 *
 * Reading CSV and TSV: what is read, and the sentence for everything that is refused.
 */
#include "one_run.h"

#include "read/reader.h"

#include <zlib.h>

static una_dataset *read_text(const char *name, const char *text)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file(name, text), run), run);
    return data;
}

static void refused_bytes(const char *name, const void *bytes, size_t size, una_status status, const char *part)
{
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, temp_file(name, bytes, size), run), status, run);
    assert_null(data);
    assert_says(una_run_message(run), part);
}

static void refused(const char *text, const char *part)
{
    refused_bytes("bad.csv", text, strlen(text), UNA_E_INPUT, part);
    assert_says(una_run_message(run), "bad.csv");
}

static void plain_numbers(void **state)
{
    (void)state;
    una_dataset *data = read_text("a.csv", "a,b , c\n1,2,3\n-4.5, 1e3 ,+.25\n");
    assert_int_equal(una_dataset_row_count(data), 2);
    assert_int_equal(una_dataset_column_count(data), 3);
    assert_string_equal(una_dataset_column_name(data, 1), "b");
    assert_string_equal(una_dataset_column_name(data, 2), "c");
    assert_null(una_dataset_column_name(data, 3));
    assert_null(una_dataset_numbers(data, 3));

    const double b[] = { 2, 1000 };
    assert_arrays_near(una_dataset_numbers(data, 1), b, 2, 0, 0);
    assert_true(una_dataset_numbers(data, 0)[1] == -4.5 && una_dataset_numbers(data, 2)[1] == 0.25);
    assert_int_equal(data->line[0], 2);
    assert_int_equal(data->line[1], 3);

    una_dataset_free(data);
    una_dataset_free(NULL);
}

static void line_ends_mark_and_trailing_lines(void **state)
{
    (void)state;
    const char *texts[] = { "a,b\r\n1,2\r\n3,4\r\n", "\xEF\xBB\xBF\x61,b\n1,2\n3,4", "a,b\n1,2\n3,4\n\n  \n\r\n",
                            "a,b\n1,2\n3,4\r", "\"a\",\"b\"\n\"1\",2\n3,\" 4\"\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        una_dataset *data = read_text("a.csv", texts[i]);
        assert_int_equal(data->rows, 2);
        assert_string_equal(data->column[0].name, "a");
        assert_true(data->column[1].number[1] == 4);
        una_dataset_free(data);
    }
}

static void tabs_by_name_or_by_sight(void **state)
{
    (void)state;
    const char *names[] = { "a.tsv", "a.txt", "a.TSV", "plain" };
    for (size_t i = 0; i < 4; i++) {
        una_dataset *data = read_text(names[i], "a, b\tc\td\n1\t2\t3\n");
        assert_int_equal(data->columns, 3);
        assert_string_equal(data->column[0].name, "a, b");
        una_dataset_free(data);
    }
    una_dataset *data = read_text("b.txt", "\"a\t\t\",b\n1,2\n");
    assert_int_equal(data->columns, 2);
    una_dataset_free(data);
}

static void quotes_and_line_numbers(void **state)
{
    (void)state;
    una_dataset *data = read_text("a.csv", "name,v\n\"a \"\"b\"\"\",1\n\"two\nlines, \r\nthree\",2\nplain \"x\" ,3\n");
    assert_true(data->column[0].is_text);
    assert_string_equal(data->column[0].word[0], "a \"b\"");
    assert_string_equal(data->column[0].word[1], "two\nlines, \r\nthree");
    assert_string_equal(data->column[0].word[2], "plain \"x\"");
    assert_null(una_dataset_numbers(data, 0));
    const size_t lines[] = { 2, 3, 6 };
    assert_memory_equal(data->line, lines, sizeof lines);
    una_dataset_free(data);

    refused("a,b\n\"x\ny\",1\n2\n", "line 4 has 1 cell where the header has 2");
    refused("a,b\n1,\"open\n2,3\n", "line 2 (cell 2) is never closed");
    refused("a,b\n1,\"x\"y\n", "line 2: cell 2 goes on after its closing quote");
    refused("a,b\n1,\"", "never closed");
}

static void words_below_the_first_row(void **state)
{
    (void)state;
    una_dataset *data = read_text("a.csv", "a,b,c\n1,na,inf\n2,?,x\nred,,\n1,green,inf\n");
    assert_true(data->column[0].is_text && data->column[1].is_text && data->column[2].is_text);
    assert_string_equal(data->column[0].word[0], "1");
    assert_int_equal(data->column[0].first_word, 2);
    assert_ptr_equal(data->column[0].word[0], data->column[0].word[3]);

    assert_null(data->column[1].word[0]);
    assert_null(data->column[1].word[1]);
    assert_string_equal(data->column[1].word[3], "green");
    assert_int_equal(data->column[1].first_word, 3);

    assert_string_equal(data->column[2].word[0], "inf");
    assert_int_equal(data->rows, 4);
    una_dataset_free(data);
}

static void missing_words(void **state)
{
    (void)state;
    una_dataset *data = read_text("a.csv", "a,b\n,1\nNA,2\nnan,3\nNULL,4\n?,5\n\"\",6\n na ,7\n9,8\n");
    for (size_t i = 0; i < 7; i++) assert_true(isnan(data->column[0].number[i]));
    assert_true(data->column[0].number[7] == 9);
    una_dataset_free(data);
}

/* Every number is the nearest double to what is written, by whatever way it is read. */
static void numbers_are_exact(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    static char text[COUNT * 40], written[COUNT][32];
    size_t size = (size_t)snprintf(text, sizeof text, "a\n");
    uint64_t word = 88172645463325252u;
    for (size_t i = 0; i < COUNT; i++) {
        word ^= word << 13; word ^= word >> 7; word ^= word << 17;
        double value = (double)(int64_t)word / (double)(1 + (word >> (word % 60)));
        snprintf(written[i], 32, i % 3 ? (i % 3 == 1 ? "%.*f" : "%.*e") : "%.*g", (int)(word % 18), fmod(value, 1e9));
        size += (size_t)snprintf(text + size, sizeof text - size, "%s\n", written[i]);
    }

    una_dataset *data = read_text("n.csv", text);
    for (size_t i = 0; i < COUNT; i++) assert_true(data->column[0].number[i] == strtod(written[i], NULL));
    una_dataset_free(data);

    data = read_text("n.csv", "a\n.5\n-.5\n5.\n+1\n-0\n000000000000000000001\n");
    const double odd[] = { 0.5, -0.5, 5, 1, 0, 1 };
    assert_arrays_near(data->column[0].number, odd, 6, 0, 0);
    una_dataset_free(data);

    static const char *const words[] = { "a\n.\n", "a\n-\n", "a\n1.2.3\n", "a\n1 2\n", "a\n--1\n", "a\n0x10\n" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        data = read_text("n.csv", words[i]);
        assert_true(data->column[0].is_text);
        una_dataset_free(data);
    }
}

static void headers(void **state)
{
    (void)state;
    refused("a,,c,,\n1,2,3,,\n", "line 1: column 2 of 5 has no name");
    refused("a,c,,\n1,2,,\n1,2,,3\n", "line 3 has a cell behind the column 'c'");
    refused(",,\n1,,\n", "line 1: column 1 of 3 has no name");
    refused(",5,7\n1,2,3\n", "holds numbers only");
    refused("a,,c\n1,2,3\n", "line 1: column 2 of 3 has no name");
    refused("a,b,a\n1,2,3\n", "the name 'a' stands twice in the header, in columns 1 and 3");
    refused("1.5,2,3\n1,2,3\n", "holds numbers only, so the header is missing");
    una_dataset *data = read_text("a.csv", "a;b;c\n1;2;3\n");    /* refused before delimiters were looked for */
    assert_int_equal(data->columns, 3);
    una_dataset_free(data);
    data = read_text("a.csv", "0,1,2\n1,2,3\n");
    assert_string_equal(data->column[2].name, "2");
    una_dataset_free(data);
    una_dataset_free(read_text("a.csv", "1,2\n1,2\n"));

    /* A header is no comment, also where a comma stands in quotes. */
    una_dataset *numbered = read_text("a.csv", "#,\"b, c\"\n1,2\n# a comment\n3,4\n");
    assert_true(numbered->columns == 2 && numbered->rows == 2);
    assert_string_equal(numbered->column[0].name, "#");
    assert_string_equal(numbered->column[1].name, "b, c");
    una_dataset_free(numbered);
}

static void refusals(void **state)
{
    (void)state;
    refused("", "is empty");
    refused("\n \n", "is empty");
    refused("\xEF\xBB\xBF", "is empty");
    refused("a,b\n", "has a header but no rows");
    refused("a,b\n1,2\n3\n", "line 3 has 1 cell where the header has 2");
    refused("a,b\n1,2,3\n", "line 2 has 3 cells where the header has 2");
    refused("a,b\n1,2\n\n3,4\n", "line 3 is empty but other lines follow");
    refused("a,b\r1,2\r", "line 1: a carriage return stands alone");
    refused("a,b\n1,2\n3,inf\n4,5\n", "line 3, column 'b': 'inf' is infinite");
    refused("a,b\n1e999,2\n3,-Infinity\n", "line 2, column 'a': '1e999' is infinite or too large");
    refused("a,b\n3 kg,2\n1e999 kg,4\n", "line 3, column 'a': '1e999 kg' is infinite or too large");
    refused("a,b\n1,+INF\nInf,2\n", "line 2, column 'b': '+INF'");
    refused_bytes("bad.csv", "a,b\n1,\0\n", 8, UNA_E_INPUT, "line 2: there is a zero byte");
    refused_bytes("bad.csv", "a,b\n1,\"\0\"\n", 10, UNA_E_INPUT, "line 2: there is a zero byte");

    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, temp_path("none.csv"), run), UNA_E_IO, run);
    assert_says(una_run_message(run), "none.csv: No such file");
    assert_status(una_dataset_read(&data, temp_folder(), run), UNA_E_IO, run);
    assert_says(una_run_message(run), "cannot read");
}

static size_t squeeze(const char *name, const char *text, size_t size)
{
    gzFile file = gzopen(temp_path(name), "wb9");
    assert_int_equal(gzwrite(file, text, (unsigned)size), (int)size);
    assert_int_equal(gzclose(file), Z_OK);
    struct stat about;
    assert_int_equal(stat(temp_path(name), &about), 0);
    return (size_t)about.st_size;
}

static void compressed(void **state)
{
    (void)state;
    char text[20000];
    size_t size = (size_t)snprintf(text, sizeof text, "a\tb\n");
    for (int i = 0; size < sizeof text - 40; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%d\t%d\n", i, (i * 7919) % 10007);
    size_t packed = squeeze("a.tsv.gz", text, size);
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_path("a.tsv.gz"), run), run);
    assert_true(data->rows > 1000 && data->column[1].number[3] == 3 * 7919 % 10007);
    una_dataset_free(data);

    unsigned char bytes[20000];
    FILE *stream = fopen(temp_path("a.tsv.gz"), "rb");
    assert_int_equal(fread(bytes, 1, packed, stream), packed);
    fclose(stream);
    refused_bytes("cut.tsv.gz", bytes, packed / 2, UNA_E_INPUT, "cut.tsv.gz ends in the middle of its compressed data");
    bytes[packed / 2] ^= 0x55;
    bytes[packed / 2 + 1] ^= 0xFF;
    refused_bytes("torn.tsv.gz", bytes, packed, UNA_E_INPUT, "torn.tsv.gz is damaged");
    refused_bytes("plain.csv.gz", "a,b\n1,2\n", 8, UNA_E_INPUT, "is not compressed with gzip");
}

/* Longer than one block of the buffer, rows that straddle blocks, one row longer than a block. */
static void long_files_and_lines(void **state)
{
    (void)state;
    FILE *stream = fopen(temp_path("long.csv"), "wb");
    fputs("a,b,c\n", stream);
    for (int i = 0; i < 120000; i++) fprintf(stream, "%d,%d.25,\"%d\"\r\n", i, i, -i);
    fputs("1,2,\"", stream);
    for (int i = 0; i < 3000000; i++) fputc(i % 1000 ? 'x' : '\n', stream);
    fputs("\"\n7,8,9\n", stream);
    fclose(stream);

    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_path("long.csv"), run), run);
    assert_int_equal(data->rows, 120002);
    for (size_t i = 0; i < 120000; i++) {
        if (data->column[0].number[i] != (double)i || data->column[1].number[i] != (double)i + 0.25) fail();
        if (data->line[i] != i + 2) fail();
        if (atol(data->column[2].word[i]) != -(long)i) fail();
    }

    assert_int_equal(strlen(data->column[2].word[120000]), 3000000);
    assert_int_equal(data->line[120001], 120002 + 3000 + 1);
    una_dataset_free(data);
}

/* ---- readers --------------------------------------------------------------------------------------------- */

static void chunks_of_wanted_columns(void **state)
{
    (void)state;
    const char *path = temp_text_file("r.csv", "extra,b,a,colour\nword,1,10, red\nx,2,20,\ny,3,NA,blue\n");
    una_wanted wanted[] = { { .name = "a", .is_text = false }, { .name = "colour", .is_text = true }, { .name = "none", .is_text = false } };
    una_reader *reader = NULL;
    assert_ok(una_reader_open(&reader, path, wanted, 3, 2, run), run);
    una_reader_keep(reader);
    assert_int_equal(una_reader_columns(reader), 4);
    assert_string_equal(una_reader_name(reader, 3), "colour");
    assert_null(una_reader_name(reader, 4));

    una_dataset *chunk = NULL;
    assert_ok(una_reader_next(&chunk, reader, 2), run);
    assert_int_equal(chunk->rows, 2);
    assert_int_equal(chunk->columns, 2);
    assert_true(chunk->column[0].number[1] == 20);
    assert_string_equal(chunk->column[1].word[0], "red");
    assert_null(chunk->column[1].word[1]);
    assert_string_equal(una_reader_cell(reader, 0, 3), " red");
    assert_string_equal(una_reader_cell(reader, 1, 0), "x");
    assert_null(una_reader_cell(reader, 2, 0));
    assert_null(una_reader_cell(reader, 0, 4));
    una_dataset_free(chunk);

    assert_ok(una_reader_next(&chunk, reader, 2), run);
    assert_int_equal(chunk->rows, 1);
    assert_int_equal(chunk->line[0], 4);
    assert_true(isnan(chunk->column[0].number[0]));
    assert_string_equal(una_reader_cell(reader, 0, 2), "NA");
    una_dataset_free(chunk);

    assert_ok(una_reader_next(&chunk, reader, 2), run);
    assert_null(chunk);
    assert_status(una_reader_next(&chunk, reader, 0), UNA_E_USAGE, run);
    una_reader_close(reader);
    una_reader_close(NULL);
}

static void reader_refusals(void **state)
{
    (void)state;
    const char *path = temp_text_file("r.csv", "weight,age\n1,2\n3,old\n4,inf\n");
    una_wanted wanted[] = { { .name = "wieght", .is_text = false }, { .name = "age", .is_text = false } };
    una_reader *reader = NULL;
    assert_status(una_reader_open(&reader, path, wanted, 2, 2, run), UNA_E_INPUT, run);
    assert_null(reader);
    assert_says(una_run_message(run), "no column 'wieght', which is needed; did you mean 'weight'?");

    una_dataset *chunk = NULL;
    assert_ok(una_reader_open(&reader, path, wanted + 1, 1, 1, run), run);
    assert_status(una_reader_next(&chunk, reader, 100), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 3, column 'age': 'old' is not a number");
    una_reader_close(reader);

    path = temp_text_file("r.csv", "weight,age\n1,2\n4,inf\n");
    assert_ok(una_reader_open(&reader, path, wanted + 1, 1, 1, run), run);
    assert_status(una_reader_next(&chunk, reader, 100), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 3, column 'age': 'inf' is infinite");
    una_reader_close(reader);

    assert_status(una_reader_open(&reader, path, NULL, 0, 0, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 3, column 'age': 'inf' is infinite");
    assert_null(reader);
}

/* Without wanted columns the types come from the whole file, so they are the same in every chunk. */
static void chunks_of_all_columns(void **state)
{
    (void)state;
    const char *path = temp_text_file("r.csv", "a,b\n1,2\n3,4\n5,word\n7,8\n");
    una_reader *reader = NULL;
    assert_ok(una_reader_open(&reader, path, NULL, 0, 0, run), run);
    una_dataset *chunk = NULL;
    for (size_t i = 0; i < 4; i++) {
        assert_ok(una_reader_next(&chunk, reader, 1), run);
        assert_true(!chunk->column[0].is_text && chunk->column[1].is_text);
        assert_int_equal(chunk->line[0], i + 2);
        una_dataset_free(chunk);
    }
    una_reader_close(reader);
}

static int stop_at_once(void *context, const una_progress *progress)
{
    *(double *)context = progress->fraction;
    return 1;
}

static void cancelling(void **state)
{
    (void)state;
    volatile int cancel = 1;
    una_run *other = NULL;
    assert_ok(una_run_new(&other, &SIZED(una_run_settings, .threads = 1, .cancel = &cancel)), NULL);
    una_dataset *data = NULL;
    assert_status(una_dataset_read(&data, temp_text_file("c.csv", "a,b\n1,2\n"), other), UNA_CANCELLED, other);
    assert_says(una_run_message(other), "interrupted while reading");
    una_run_free(other);

    double fraction = -1;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .progress = stop_at_once,
                                  .callbacks = &fraction };
    assert_ok(una_run_new(&other, &settings), NULL);
    FILE *stream = fopen(temp_path("c.csv"), "wb");
    fputs("a,b\n", stream);
    for (int i = 0; i < 300000; i++) fputs("1,2\n", stream);
    fclose(stream);
    assert_status(una_dataset_read(&data, temp_path("c.csv"), other), UNA_CANCELLED, other);
    assert_true(fraction >= 0 && fraction <= 1);
    una_run_free(other);
}

/* ---- rows of tables ----------------------------------------------------------------------------------------- */

static void subsets(void **state)
{
    (void)state;
    una_dataset *data = read_text("a.csv", "a,b\n1,red\n2,7\n3,\n4,red\n"), *part = NULL;
    const size_t index[] = { 3, 2, 0, 1 };
    assert_ok(una_dataset_rows(&part, data, index, 4, run), run);
    assert_true(part->column[0].number[0] == 4 && part->column[0].number[2] == 1);
    assert_null(part->column[1].word[1]);
    assert_ptr_equal(part->column[1].word[0], part->column[1].word[2]);
    assert_int_equal(part->line[0], 5);

    una_dataset *again = NULL;
    assert_ok(una_dataset_rows(&again, part, (size_t[]){ 1, 3 }, 2, run), run);
    assert_int_equal(again->column[1].first_word, 1);

    una_dataset_free(data);                                      /* the part stands alone */
    assert_string_equal(part->column[1].word[2], "red");
    assert_string_equal(part->origin, temp_path("a.csv"));

    assert_status(una_dataset_rows(&data, part, (size_t[]){ 4 }, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "row 4 was asked for");
    assert_null(data);
    assert_ok(una_dataset_rows(&data, part, NULL, 0, run), run);
    assert_int_equal(data->rows, 0);
    una_dataset_free(data);
    una_dataset_free(again);
    una_dataset_free(part);
}

static void arrays(void **state)
{
    (void)state;
    const double x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 7, NAN, 9 };
    una_dataset *data = NULL, *part = NULL;
    assert_ok(una_dataset_from_arrays(&data, x, y, 3, 2, NULL, run), run);
    assert_string_equal(data->column[1].name, "x2");
    assert_string_equal(data->column[2].name, "y");
    assert_true(data->column[1].number[2] == 6 && isnan(data->column[2].number[1]));

    una_text text = una_text_in(&run->scratch);
    una_table_place(&text, data, 1, 2);
    assert_string_equal(text.at, "array, row 2, column 'y'");
    assert_ok(una_dataset_rows(&part, data, (size_t[]){ 2 }, 1, run), run);
    text = una_text_in(&run->scratch);
    una_table_place(&text, part, 0, 0);
    assert_string_equal(text.at, "array, row 3, column 'x1'");
    una_dataset_free(part);
    una_dataset_free(data);

    assert_ok(una_dataset_from_arrays(&data, x, NULL, 2, 3, (const char *[]){ "a", "b", "c" }, run), run);
    assert_true(data->column[2].number[0] == 3);
    size_t column;
    assert_ok(una_table_need(&column, data, "c", run), run);
    assert_int_equal(column, 2);
    una_dataset_free(data);

    assert_status(una_dataset_from_arrays(&data, x, y, 0, 2, NULL, run), UNA_E_INPUT, run);
    assert_status(una_dataset_from_arrays(&data, x, NULL, 3, 0, NULL, run), UNA_E_INPUT, run);
    assert_status(una_dataset_from_arrays(&data, NULL, y, 3, 2, NULL, run), UNA_E_USAGE, run);
    for (size_t shift = 0; shift < 5; shift++)
        assert_status(una_dataset_from_arrays(&data, x, NULL, SIZE_MAX >> shift, 1, NULL, run), UNA_E_MEMORY, run);
    assert_status(una_dataset_from_arrays(&data, x, NULL, 3, 2, (const char *[]){ "a", "a" }, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "'a': 1 and 2");
    assert_status(una_dataset_from_arrays(&data, x, NULL, 3, 2, (const char *[]){ "a", "" }, run), UNA_E_USAGE, run);
    const double bad[] = { 1, -INFINITY };
    assert_status(una_dataset_from_arrays(&data, x, bad, 2, 1, NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "array, row 2, column 'y' is infinite");
    assert_null(data);
}

/* ---- hard times ------------------------------------------------------------------------------------------------ */

static una_status read_and_part(void *context, una_run *other)
{
    una_dataset *data = NULL, *part = NULL;
    una_reader *reader = NULL;
    una_status status = una_dataset_read(&data, context, other);
    if (status == UNA_OK) status = una_dataset_rows(&part, data, (size_t[]){ 1, 0 }, 2, other);
    una_dataset_free(part);
    una_dataset_free(data);
    data = NULL;

    if (status == UNA_OK) status = una_reader_open(&reader, context, NULL, 0, 0, other);
    if (status == UNA_OK) una_reader_keep(reader);
    if (status == UNA_OK) status = una_reader_next(&data, reader, 10);
    una_dataset_free(data);
    una_reader_close(reader);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    char text[40000] = "a,b,c\n", path[4096];
    for (int i = 0; i < 700; i++) snprintf(text + strlen(text), 60, "%d,word %d,%s\n", i, i, i > 300 ? "late" : "1");
    snprintf(path, sizeof path, "%s", temp_text_file("f.csv", text));
    assert_true(sweep_allocations(read_and_part, path) > 10);
}

static void mutations_never_crash(void **state)
{
    (void)state;
    static const char seed[] = "a,\"b,b\",c\n1,2,3\n\"4\",\"x\"\"y\",inf\n-1e5,NA,red\r\n7,8,\"two\nlines\"\n";
    static const char spice[] = "\"\n\r,\t\0 ;?eE.-+019axNA\xEF\xBB\xBF";
    uint64_t word = 88172645463325252u;
    size_t fine = 0;

    for (int i = 0; i < 5000; i++) {
        char bytes[sizeof seed + 8];
        size_t size = sizeof seed - 1;
        memcpy(bytes, seed, size);
        for (int k = 0; k <= i % 4; k++) {
            word ^= word << 13; word ^= word >> 7; word ^= word << 17;
            size_t at = (size_t)(word >> 8) % size;
            if (word % 7 == 0) size = at + 1;
            else bytes[at] = spice[(word >> 40) % (sizeof spice - 1)];
        }

        una_dataset *data = NULL;
        remove(temp_path("m.csv"));                              /* a new file is not flushed, one written over is */
        una_status status = una_dataset_read(&data, temp_file("m.csv", bytes, size), run);
        if (status != UNA_OK && status != UNA_E_INPUT) fail_msg("status %d: %s", (int)status, una_run_message(run));
        if (status == UNA_OK && !(data->rows > 0 && data->columns > 0)) fail();
        if (status != UNA_OK && !*una_run_message(run)) fail();
        fine += status == UNA_OK;
        una_dataset_free(data);
    }
    assert_true(fine > 50 && fine < 4950);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers),
        cmocka_unit_test(line_ends_mark_and_trailing_lines),
        cmocka_unit_test(tabs_by_name_or_by_sight),
        cmocka_unit_test(quotes_and_line_numbers),
        cmocka_unit_test(words_below_the_first_row),
        cmocka_unit_test(missing_words),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(headers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(compressed),
        cmocka_unit_test(long_files_and_lines),
        cmocka_unit_test(chunks_of_wanted_columns),
        cmocka_unit_test(reader_refusals),
        cmocka_unit_test(chunks_of_all_columns),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(subsets),
        cmocka_unit_test(arrays),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(mutations_never_crash),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
