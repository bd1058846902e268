/* SPDX-License-Identifier: MIT
 *
 * Whatever stands in a cell that una writes, una reads the same bytes again, and so does any reader by RFC 4180.
 */
#include "one_run.h"

#include "base/record.h"
#include "read/csv.h"
#include "read/reader.h"

static const char *const hostile[] = {
    "", " ", "  lead", "tail ", "\ttab", "in\tside", "tab\t", "a,b", ",", "say \"hi\"", "\"", "\"\"", "\"quoted\"",
    "line\nbreak", "\n", "carriage\rreturn", "\r\n", "end\n", "#comment", "# a, b", "#", "=5", "=\"5\"", "=A1+B1", "NA",
    "nan", "?", "null", "5", " 5", "5 ", "1,5", "1.234,5", "1e999", "inf", "sep=;", "a;b", "a;b;c", "a|b",
    "\xEF\xBB\xBFmark", "\xEF\xBB\xBF", "-", "'", "+1", "@x", "Z\xC3\xBCrich", "\xC2\xA0", "latin \xFC", "plain"
};
enum { CELLS = sizeof hostile / sizeof *hostile, MOST = 3 };

typedef struct row { const char *cell[MOST]; } row;

static void write_rows(una_text *text, const row *rows, size_t count, size_t columns)
{
    *text = una_text_in(&run->scratch);
    for (size_t r = 0; r < count; r++) {
        una_record record = una_record_begin(text);
        for (size_t c = 0; c < columns; c++) una_record_words(&record, rows[r].cell[c]);
        una_record_end(&record);
    }
    assert_ok(una_arena_check(&run->scratch), run);
}

static void same_bytes(const char *at, size_t length, const char *cell, const char *who)
{
    if (length == strlen(cell) && memcmp(at, cell, length) == 0) return;
    fail_msg("%s reads '%.*s' where '%s' was written", who, (int)length, at, cell);
}

/* By una: the first row is the header. */
static void una_reads(const una_text *text, const row *rows, size_t count, size_t columns)
{
    una_csv *csv = NULL;
    bool more = true;
    una_arena arena;
    una_arena_init(&arena, run);
    assert_ok(una_csv_open(&csv, temp_file("record.csv", text->at, text->length), &arena), run);
    assert_int_equal(csv->columns, columns);
    for (size_t c = 0; c < columns; c++)
        same_bytes(csv->names[c], strlen(csv->names[c]), rows[0].cell[c], "una's header");
    for (size_t r = 1; r < count; r++) {
        assert_ok(una_csv_next(csv, &more), run);
        assert_true(more);
        for (size_t c = 0; c < columns; c++) {
            una_cell cell = una_cell_trimmed(&csv->cells[c]);
            same_bytes(cell.at, cell.length, rows[r].cell[c], "una");
        }
    }
    assert_ok(una_csv_next(csv, &more), run);
    assert_false(more);
    una_arena_free(&arena);
}

/* RFC 4180 said once more, with LF for line ends: blanks are a part of their cell. */
static void others_read(const una_text *text, const row *rows, size_t count, size_t columns)
{
    const char *at = text->at;
    char cell[64];
    for (size_t r = 0; r < count; r++)
        for (size_t c = 0; c < columns; c++) {
            size_t length = 0;
            bool quoted = *at == '"';
            for (at += quoted; quoted ? at[0] != '"' || at[1] == '"' : *at != ',' && *at != '\n'; at++) {
                if (quoted && *at == '"') at++;
                assert_true(length < sizeof cell);
                cell[length++] = *at;
            }
            at += quoted;
            same_bytes(cell, length, rows[r].cell[c], "a reader by RFC 4180");
            assert_int_equal(*at++, c + 1 < columns ? ',' : '\n');
        }
    assert_ptr_equal(at, text->at + text->length);
}

static void come_back(const row *rows, size_t count, size_t columns)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_text text;
    write_rows(&text, rows, count, columns);
    una_reads(&text, rows, count, columns);
    others_read(&text, rows, count, columns);
    una_arena_release(&run->scratch, mark);
}

static void cells_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < CELLS; i++) {
        const row alone[] = { { { "name" } }, { { hostile[i] } }, { { hostile[i] } }, { { "x" } } };
        come_back(alone, 4, 1);
        row pairs[CELLS + 1] = { { { "one", "two", "three" } } };
        for (size_t k = 0; k < CELLS; k++) pairs[k + 1] = (row){ { hostile[i], hostile[k], hostile[(i + k) % CELLS] } };
        come_back(pairs, CELLS + 1, 2);
        come_back(pairs, CELLS + 1, 3);
    }
}

static void names_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < CELLS; i++) {
        if (!*hostile[i]) continue;                              /* a column has a name */
        const row first[] = { { { hostile[i], "word" } }, { { "x", "y" } } };
        const row last[] = { { { "word", hostile[i] } }, { { "x", "y" } } };
        come_back(first, 2, 2);
        come_back(last, 2, 2);
        double number;
        char bytes[64] = { 0 };                                  /* with the slack that una_cell_read may look at */
        strcpy(bytes, hostile[i]);
        una_cell name = { bytes, strlen(bytes), true, false };
        if (una_cell_read(&name, &number) == UNA_CELL_NUMBER) continue;      /* taken for a row without a header */
        const row alone[] = { { { hostile[i] } }, { { "x" } }, { { "y" } } };
        come_back(alone, 3, 1);
    }
}

static void wrote(una_text *text, const char *wanted)
{
    assert_string_equal(text->at, wanted);
    *text = una_text_in(&run->scratch);
}

/* What needs no quotes has none. */
static void clean_cells_are_as_ever(void **state)
{
    (void)state;
    una_text text = una_text_in(&run->scratch);
    una_record record = una_record_begin(&text);
    una_record_words(&record, "plain words");
    una_record_words(&record, NULL);
    una_record_words(&record, "a;b|c");
    una_record_words(&record, "#2");
    una_record_number(&record, 0.1);
    una_record_number(&record, NAN);
    una_record_count(&record, UINT64_MAX);
    una_record_quoted(&record, "say \"hi\"");
    una_record_bytes(&record, "1.50", 4);
    una_record_end(&record);
    wrote(&text, "plain words,,a;b|c,#2,0.1,,18446744073709551615,\"say \"\"hi\"\"\",1.50\n");

    record = una_record_begin(&text);
    una_record_loose(&record, " b ");
    una_record_loose(&record, "");
    una_record_loose(&record, " 1,5 ");
    una_record_end(&record);
    wrote(&text, " b ,,\"1,5\"\n");
}

static void kept_cells_have_their_quotes(void **state)
{
    (void)state;
    una_reader *reader = NULL;
    una_dataset *chunk = NULL;
    const char *path = temp_text_file("kept.csv", "a,b\n\" x\", y\n\"\",\"say \"\"hi\"\"\"\n");
    assert_ok(una_reader_open(&reader, path, NULL, 0, 0, run), run);
    una_reader_keep(reader);
    assert_ok(una_reader_next(&chunk, reader, 9), run);
    assert_string_equal(una_reader_cell(reader, 0, 0), " x");
    assert_string_equal(una_reader_cell(reader, 0, 1), " y");
    assert_string_equal(una_reader_cell(reader, 1, 1), "say \"hi\"");
    assert_true(una_reader_quoted(reader, 0, 0) && una_reader_quoted(reader, 1, 0) && una_reader_quoted(reader, 1, 1));
    assert_false(una_reader_quoted(reader, 0, 1) || una_reader_quoted(reader, 2, 0) || una_reader_quoted(reader, 0, 2));
    una_dataset_free(chunk);
    una_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cells_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clean_cells_are_as_ever, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kept_cells_have_their_quotes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
