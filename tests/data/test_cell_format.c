/* SPDX-License-Identifier: MIT
 *
 * Cells as people write them: what each means, which form a column has, that random bytes do no harm; and tables in
 * other conventions are the tables of their plain files.
 */
#include "test_support.h"

#include "base/calendar.h"
#include "data/columns.h"
#include "read/reader.h"

#include <stdlib.h>

static una_run *run;

static int begin(void **state)
{
    (void)state;
    run = quiet_run();
    return 0;
}

static int end(void **state)
{
    (void)state;
    una_run_free(run);
    return 0;
}

/* ---- columns of cells ------------------------------------------------------------------------------------------ */

enum { CELLS = 6 };
typedef struct column_case {
    const char   *cell[CELLS];
    una_cell_format_kind kind;
    const char   *unit;
    double        value[CELLS];
    char          hint;
} column_case;

static una_cell_counts study_of(const char *const *cell, char hint)
{
    una_cell_counts s = { .hint = hint };
    for (size_t i = 0; i < CELLS && cell[i]; i++) una_cell_counts_add(&s, cell[i], strlen(cell[i]));
    return s;
}

#define NBSP "\xC2\xA0"
#define NARROW "\xE2\x80\xAF"

static void numbers_in_forms(void **state)
{
    (void)state;
    static const column_case cases[] = {
        { { "30%", "12.5 %", "-4%" }, UNA_CELLS_NUMBER, "%", { 30, 12.5, -4 }, 0 },
        { { "$5", "$1,234.50", "-$7", "$ -8" }, UNA_CELLS_NUMBER, "$", { 5, 1234.5, -7, -8 }, 0 },
        { { "5 \xE2\x82\xAC", "1.234,50 \xE2\x82\xAC" }, UNA_CELLS_NUMBER, "\xE2\x82\xAC", { 5, 1234.5 }, 0 },
        { { "USD 5", "USD 6.5" }, UNA_CELLS_NUMBER, "USD", { 5, 6.5 }, 0 },
        { { "12 kg", "5.2kg", "1e3 kg" }, UNA_CELLS_NUMBER, "kg", { 12, 5.2, 1000 }, 0 },
        { { "3 m2", "4.5 m2" }, UNA_CELLS_NUMBER, "m2", { 3, 4.5 }, 0 },
        { { "21 \xC2\xB0" "C", "-3\xC2\xB0" "C" }, UNA_CELLS_NUMBER, "\xC2\xB0" "C", { 21, -3 }, 0 },
        { { "1,234", "12,345,678", "7" }, UNA_CELLS_NUMBER, "", { 1234, 12345678, 7 }, 0 },
        { { "1.234,5", "1.234", "7" }, UNA_CELLS_NUMBER, "", { 1234.5, 1234, 7 }, 0 },
        { { "1 234,5", "1" NBSP "234", "2" NARROW "000" NARROW "000" }, UNA_CELLS_NUMBER, "", { 1234.5, 1234, 2e6 },
          0 },
        { { "1'234.5", "1\xE2\x80\x99" "000" }, UNA_CELLS_NUMBER, "", { 1234.5, 1000 }, 0 },
        { { "1,5", "0,25", "-3" }, UNA_CELLS_NUMBER, "", { 1.5, 0.25, -3 }, 0 },
        { { "1,234", "5,678" }, UNA_CELLS_NUMBER, "", { 1.234, 5.678 }, ',' },
        { { "1.234", "5.678", "x" NBSP }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "1", "-", "#N/A" }, UNA_CELLS_NUMBER, "", { 1, NAN, NAN }, 0 },
        { { "\xE2\x88\x92" "5", "+6", ".5" }, UNA_CELLS_NUMBER, "", { -5, 6, 0.5 }, 0 },
        { { "10.5-", "4-", "3.25", "1,234-", "$5" , "$6-" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "10.5-", "4-", "3.25", "1,234-" }, UNA_CELLS_NUMBER, "", { -10.5, -4, 3.25, -1234 }, 0 },
        { { "1.234,50-", "4" "\xE2\x88\x92" }, UNA_CELLS_NUMBER, "", { -1234.5, -4 }, 0 },
        { { "(1,234.50)", "( 7 )", "8" }, UNA_CELLS_NUMBER, "", { -1234.5, -7, 8 }, 0 },
        { { "($5)", "$(6)", "$7", "-$8", "$9-", "$ - 1" }, UNA_CELLS_NUMBER, "$", { -5, -6, 7, -8, -9, -1 }, 0 },
        { { "(5%)", "6%" }, UNA_CELLS_NUMBER, "%", { -5, 6 }, 0 },
        { { "\xE2\x80\x93" "5", "- 5", "-\xC2\xA0" "6", "7" }, UNA_CELLS_NUMBER, "", { -5, -5, -6, 7 }, 0 },
        { { "1,23,456.78", "12,34,567", "1,234", "99", "1,23,45,678", "-1,00,000" }, UNA_CELLS_NUMBER, "",
          { 123456.78, 1234567, 1234, 99, 12345678, -100000 }, 0 },
        { { "=\"5\"", "=\" 6.5 \"", "7" }, UNA_CELLS_NUMBER, "", { 5, 6.5, 7 }, 0 },
        { { "(5", "5)", "-(5)", "-5-", "(-5)", "()" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "1,23", "1,23,45", "123,45,678", "1,234,56", "1,23,456,789", "0,12,345" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "20-29", "5-kg", "12-pack", "5--", "- ", "=\"" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "12", "12 kg" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "12 lb", "12 kg" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "1,5", "1.25" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "0x10", "1-2", "3/4", "1.2.3", "1 2", "12,34" NBSP "5" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "-", "n/a", "none" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
        { { "a1", "b2" }, UNA_CELLS_PLAIN, "", { 0 }, 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const column_case *c = &cases[k];
        una_cell_counts s = study_of(c->cell, c->hint);
        una_cell_format form = {0};
        bool found = una_cell_format_decide(&form, &s, true) == UNA_ONE_FORMAT;
        if (found != (c->kind != UNA_CELLS_PLAIN)) fail_msg("case %zu, '%s': %d", k, c->cell[0], (int)found);
        if (!found) continue;
        assert_string_equal(form.unit, c->unit);
        for (size_t i = 0; i < CELLS && c->cell[i]; i++) {
            double value = NAN;
            una_cell_kind kind = una_cell_format_value(&value, &form, c->cell[i], strlen(c->cell[i]));
            if (kind != (isnan(c->value[i]) ? UNA_CELL_MISSING : UNA_CELL_NUMBER) ||
                (kind == UNA_CELL_NUMBER && value != c->value[i]))
                fail_msg("'%s' is %g", c->cell[i], value);
        }
    }
}

static void words_near_numbers(void **state)
{
    (void)state;
    static const char *const near[] = { "20-29", "<5", "> 10", "~3x", "(5", "$ 5 to 6", "Jan-24", "Jan 2024", "2024-Q1",
                                        "Q1 2024", "Mon, 01 Jan 2024 10:00", "Sept. '24", "Sunday 5 May", "1,2,3" };
    static const char *const far[] = { "a", "Jan", "Q1", "Monkey 5", "A1", "q", "(a)", "$x", "Marge-24", "+", "x 5" };
    una_cell_counts s = {0};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        una_cell_counts_add(&s, near[i], strlen(near[i]));
        if (s.near_words != i + 1) fail_msg("%s", near[i]);
    }
    size_t before = s.near_words;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        una_cell_counts_add(&s, far[i], strlen(far[i]));
        if (s.near_words != before) fail_msg("%s", far[i]);
    }
    assert_string_equal(s.near_word, "20-29");
}

static double moment_of(const char *text, char order)
{
    una_cell_format form = { .kind = UNA_CELLS_DATE, .decimal = '.', .order = order };
    double value = NAN;
    if (una_cell_format_value(&value, &form, text, strlen(text)) == UNA_CELL_NUMBER) return value;
    form.kind = UNA_CELLS_TIME;
    return una_cell_format_value(&value, &form, text, strlen(text)) == UNA_CELL_NUMBER ? value : NAN;
}

static void dates_in_forms(void **state)
{
    (void)state;
    static const struct { const char *text; double value; } same[] = {
        { "2024-03-01", 19783 }, { "2024-3-1", 19783 }, { "2024/03/01", 19783 }, { "2024-03", 19783 },
        { "01.03.2024", 19783 }, { "1.3.2024", 19783 }, { "01.03.24", 19783 }, { "01/03/2024", 19783 },
        { "1/3/24", 19783 }, { "01-03-2024", 19783 }, { "1 Mar 2024", 19783 }, { "1. March 2024", 19783 },
        { "01-Mar-2024", 19783 }, { "1-mar-24", 19783 }, { "Mar 1, 2024", 19783 }, { "March 1 2024", 19783 },
        { " 2024-03-01 ", 19783 }, { "2024-03-01T12:00", 19783.5 }, { "2024-03-01 12:00:00", 19783.5 },
        { "2024-03-01T12:00:00.0Z", 19783.5 }, { "2024-03-01T14:00+02:00", 19783.5 },
        { "2024-03-01T07:00:00-0500", 19783.5 }, { "01.03.2024 18:00", 19783.75 }, { "1/3/2024 6:00 PM", 19783.75 },
        { "Mar 1, 2024 12:00 am", 19783 }, { "12:00", 0.5 }, { "6:00:00 PM", 0.75 }, { "00:00:43.2", 0.0005 },
        { "12:00 AM", 0 }, { "1969-12-31", -1 },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (fabs(moment_of(same[i].text, 'd') - same[i].value) > 1e-12) fail_msg("%s", same[i].text);
    assert_true(moment_of("3/1/2024", 'm') == 19783 && moment_of("3/1/2024", 'd') == 19725);

    static const char *const none[] = { "2024-13-01", "2023-02-29", "31.04.2024", "2024-03-01T", "2024-03-01 25:00",
                                        "24:01", "12:60", "12:3", "13:00 PM", "1:2:3", "2024", "3/2024", "12-15", "Mar",
                                        "2024-03-01T12:00+2", "1 Mrz 2024", "2024-03-01x", "", "99/99/9999" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!isnan(moment_of(none[i], 'd'))) fail_msg("%s", none[i]);
}

static void order_of_dates(void **state)
{
    (void)state;
    una_cell_format form;
    una_cell_counts s = study_of((const char *const[CELLS]){ "3/1/2024", "3/13/2024" }, 0);
    assert_int_equal(una_cell_format_decide(&form, &s, true), UNA_ONE_FORMAT);
    assert_int_equal(form.order, 'm');
    s = study_of((const char *const[CELLS]){ "3/1/2024", "13/3/2024" }, 0);
    assert_int_equal(una_cell_format_decide(&form, &s, true), UNA_ONE_FORMAT);
    assert_int_equal(form.order, 'd');
    s = study_of((const char *const[CELLS]){ "3/13/2024", "13/3/2024" }, 0);
    assert_int_equal(una_cell_format_decide(&form, &s, true), UNA_MIXED_FORMATS);
    s = study_of((const char *const[CELLS]){ "3/1/2024", "4/2/2024", "-" }, 0);
    assert_int_equal(una_cell_format_decide(&form, &s, true), UNA_ONE_FORMAT);
    assert_true(form.order == 'd' && s.either_first == 2 && s.missing == 1);
    s = study_of((const char *const[CELLS]){ "2024-03-01", "12:30" }, 0);
    assert_int_equal(una_cell_format_decide(&form, &s, true), UNA_MIXED_FORMATS);
}

static void random_bytes_do_no_harm(void **state)
{
    (void)state;
    static const char spice[] = "0123456789 .,'-+$%eE:/TZapmJanMar\xC2\xA0\xE2\x80\xAF\x99\xAC\xB0#NA()k=\"\x93";
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        size_t length = (size_t)(s % 24);
        char *text = malloc(length + 1);                         /* so that a sanitizer sees what is beyond */
        for (size_t k = 0; k < length; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            text[k] = i % 3 ? spice[(s >> 33) % (sizeof spice - 1)] : (char)(s >> 40);
        }
        una_cell_counts study = { .hint = i % 2 ? ',' : 0 };
        una_cell_format form;
        double value;
        una_cell_counts_add(&study, text, length);
        una_cell_counts_add(&study, text, length);
        una_format_decision found = una_cell_format_decide(&form, &study, true);
        una_cell_kind kind = una_cell_format_value(&value, &form, text, length);
        if (found == UNA_ONE_FORMAT && kind == UNA_CELL_WORD) fail_msg("'%.*s'", (int)length, text);
        una_cell_decimal_mark(text, length);
        free(text);
        s ^= s >> 29;
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static una_dataset *read_text(const char *name, const char *text)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file(name, text), run), run);
    return data;
}

static void assert_same(const char *text, const char *plain)
{
    una_dataset *a = read_text("a.csv", text), *b = read_text("b.csv", plain);
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->rows, b->rows);
    for (size_t c = 0; c < a->columns; c++) {
        assert_string_equal(a->column[c].name, b->column[c].name);
        if (a->column[c].is_text != b->column[c].is_text) fail_msg("column %s of %s", a->column[c].name, text);
        for (size_t i = 0; i < a->rows; i++) {
            if (a->column[c].is_text) assert_string_equal(a->column[c].word[i], b->column[c].word[i]);
            else if (memcmp(&a->column[c].number[i], &b->column[c].number[i], sizeof(double)) != 0)
                fail_msg("%s, row %zu of %s: %g", a->column[c].name, i, text, a->column[c].number[i]);
        }
    }
    una_dataset_free(a);
    una_dataset_free(b);
}

static void tables_in_conventions(void **state)
{
    (void)state;
    const char *plain = "d,p,n,m,w\n2024-03-01,30,1234.5,1,x y\n2024-03-14,12.5,950,NA,z\n";
    assert_same("d,p,n,m,w\n3/1/2024,30%,\"1,234.5\",1,x y\n3/14/2024,12.5%,950,#N/A,z\n", plain);
    assert_same("d;p;n;m;w\n01.03.2024;30 %;1.234,5;1;x y\n14.03.2024;12,5 %;950;-;z\n", plain);
    assert_same("d;p;n;m;w\r\n01/03/2024;30" NBSP "%;1" NARROW "234,5;1;x y\r\n14/03/2024;12,5" NBSP "%;950;n/a;z\r\n",
                plain);
    assert_same("d\tp\tn\tm\tw\n01.03.2024\t30 %\t1.234,5\t1\tx y\n14.03.2024\t12,5 %\t950\t-\tz\n", plain);
    assert_same("sep=;\nd;p;n;m;w\n01.03.2024;30;1.234,5;1;x y\n14.03.2024;12,5;950;;z\n", plain);
    assert_same("d|p|n|m|w\n1 Mar 2024|30%|$1234.5|1|x y\n14 Mar 2024|12.5%|$950|none|z\n", plain);
    assert_same("# made by hand\n#\nd,p,n,m,w\n2024-03-01,30,1234.5,1,x y\n# a remark\n2024-03-14,12.5,950,NA,z\n# end",
                plain);
    assert_same("d,p,n,m,w,\n2024-03-01,30,1234.5,1,x y,\n2024-03-14,12.5,950,NA,z,\n", plain);
    /* Points alone are thousands where the rest of a file that could not be read before has decimal commas. */
    assert_same("a;b\n1,5;1.234\n2,5;950\n", "a,b\n1.5,1234\n2.5,950\n");
    assert_same("a;b\n1,5;0.234\n2,5;950\n", "a,b\n1.5,0.234\n2.5,950\n");
    assert_same("a;b\n1;1.234\n2;9.5\n", "a,b\n1,1.234\n2,9.5\n");
    /* What one column proves decides for those that could be either. */
    assert_same("a,b\n\"2,033\",\"0,5\"\n\"3,120\",\"0,1\"\n", "a,b\n2.033,0.5\n3.12,0.1\n");
    assert_same("a,b\n\"2,033\",0.5\n\"3,120\",0.1\n", "a,b\n2033,0.5\n3120,0.1\n");
    assert_same("a,b,c\n\"2,033\",0.5,\"0,5\"\n\"3,120\",0.1,\"1,5\"\n", "a,b,c\n2033,0.5,0.5\n3120,0.1,1.5\n");
    assert_same("a\tb\n2,033\t0,5\n3,120\t0,1\n", "a,b\n2.033,0.5\n3.12,0.1\n");
    assert_same("a,b\n3/4/2024,3/14/2024\n4/5/2024,4/15/2024\n", "a,b\n2024-03-04,2024-03-14\n2024-04-05,2024-04-15\n");
    assert_same("a,b\n3/4/2024,14/3/2024\n4/5/2024,15/4/2024\n", "a,b\n2024-04-03,2024-03-14\n2024-05-04,2024-04-15\n");
}

/* In whatever row the proof stands. */
static void proof_in_any_row(void **state)
{
    (void)state;
    enum { ROWS = 9000 };
    char *text = malloc(ROWS * 20), *plain = malloc(ROWS * 20);
    for (size_t proof = 0; proof < ROWS; proof += ROWS / 3) {
        size_t t = (size_t)sprintf(text, "a;b;c\n"), p = (size_t)sprintf(plain, "a,b,c\n");
        for (size_t i = 0; i < ROWS; i++) {
            t += (size_t)sprintf(text + t, "1.%03zu;%s;%zu\n", 100 + i % 800, i == proof ? "0,5" : "1", i);
            p += (size_t)sprintf(plain + p, "1%03zu;%s;%zu\n", 100 + i % 800, i == proof ? "0.5" : "1", i);
        }
        for (char *c = plain; *c; c++) *c = *c == ';' ? ',' : *c;
        assert_same(text, plain);
    }
    free(text);
    free(plain);
}

static void doubts_of_points(void **state)
{
    (void)state;
    una_dataset *data = read_text("t.tsv", "a\tb\tc\n1,5\t1.234\t1.5\n2,5\t5.678\t2.345\n");
    assert_int_equal(data->doubts.count, 0);                           /* c has decimal points, too */
    una_dataset_free(data);
    data = read_text("t.tsv", "a\tb\tc\n1,5\t1.234\t7\n2,5\t5.678\t8\n");
    assert_true(data->doubts.count == 1 && data->column[1].number[0] == 1.234);
    assert_says(data->doubts.at[0].text, "column 'b': numbers such as '1.234' were read with a decimal point");
    assert_says(data->doubts.at[0].text, "say --decimal comma");
    una_dataset_free(data);
    data = read_text("d.csv", "a,b\n3/4/2024,3/14/2024\n4/5/2024,4/15/2024\n");
    assert_int_equal(data->doubts.count, 0);
    una_dataset_free(data);
}

static void as_ever(void **state)
{
    (void)state;
    /* Points in files with commas and tabs are decimal, whatever the other columns have. */
    una_dataset *data = read_text("t.tsv", "a\tb\n1,5\t1.234\n2,5\t5.678\n");
    assert_true(!data->column[0].is_text && data->column[0].number[0] == 1.5 && data->column[1].number[0] == 1.234);
    una_dataset_free(data);
    /* A first line with # and as many cells as the others is the header; so is such a row a row. */
    data = read_text("h.csv", "#id,b\n1,2\n#3,4\n");
    assert_string_equal(data->column[0].name, "#id");
    assert_true(data->rows == 2 && data->column[0].is_text);
    assert_string_equal(data->column[0].word[1], "#3");
    una_dataset_free(data);
    /* Semicolons within cells of a file with commas are words. */
    data = read_text("s.csv", "a,b\nx;y,1\nz;w,2\n");
    assert_true(data->columns == 2 && data->column[0].is_text && data->notes.count == 0);
    una_dataset_free(data);
    /* A .tsv has tabs. */
    data = read_text("u.tsv", "a;b\n1;2\n");
    assert_int_equal(data->columns, 1);
    una_dataset_free(data);
}

static void settings_win(void **state)
{
    (void)state;
    una_read_settings reading = SIZED(una_read_settings, .delimiter = ';', .decimal = '.', .dates = "mdy",
                                      .words = (const char *const[]){ "zip" }, .word_count = 1);
    una_run_settings settings = SIZED(una_run_settings, .threads = 1, .no_cache = 1, .reading = &reading);
    una_run *own;
    assert_int_equal(una_run_new(&own, &settings), UNA_OK);
    una_dataset *data = NULL;
    const char *text = "zip;n;d,x\n10115;1,234;3/1/2024\n20095;5;3/2/2024\n";
    assert_ok(una_dataset_read(&data, temp_text_file("g.csv", text), own), own);
    assert_true(data->columns == 3 && data->column[0].is_text && data->column[1].number[0] == 1234);
    assert_true(data->column[2].number[0] == 19783 && data->doubts.count == 0);
    una_dataset_free(data);
    assert_status(una_dataset_read(&data, temp_text_file("g.csv", "zipp;n\n1;2\n"), own), UNA_E_INPUT, own);
    assert_says(una_run_message(own), "has no column 'zip' (did you mean 'zipp'?)");
    una_run_free(own);

    reading.delimiter = 'x';
    assert_int_equal(una_run_new(&own, &settings), UNA_E_USAGE);
}

/* ---- by chunks, and models -------------------------------------------------------------------------------------- */

static void chunks_in_forms(void **state)
{
    (void)state;
    const una_wanted wanted[] = { { .name = "d", .form = UNA_CELLS_DATE }, { .name = "p" },
                                  { .name = "w", .unit = "kg" } };
    const char *path = temp_text_file("c.csv", "w,x,d,p\n1,q,2024-03-01,5\n2 kg,r,1 Mar 2024,30%\n"
                                               "-,s,n/a,\"1,234%\"\n");
    una_reader *reader = NULL;
    una_dataset *chunk = NULL;
    assert_ok(una_reader_open(&reader, path, wanted, 3, 3, run), run);
    for (size_t i = 0; i < 3; i++) {
        static const double d[] = { 19783, 19783, NAN }, p[] = { 5, 30, 1234 }, w[] = { 1, 2, NAN };
        assert_ok(una_reader_next(&chunk, reader, 1), run);
        assert_true(chunk->rows == 1 && chunk->line[0] == i + 2);
        const double got[] = { chunk->column[0].number[0], chunk->column[1].number[0], chunk->column[2].number[0] };
        assert_true((isnan(d[i]) ? isnan(got[0]) : got[0] == d[i]) && got[1] == p[i]);
        assert_true(isnan(w[i]) ? isnan(got[2]) : got[2] == w[i]);
        una_dataset_free(chunk);
    }
    una_reader_close(reader);

    path = temp_text_file("c.csv", "w,d,p\n2 lb,2024-03-01,1\n");
    assert_status(una_reader_open(&reader, path, wanted, 3, 3, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "have the unit 'lb', and the model was fitted to 'kg'");
    path = temp_text_file("c.csv", "w,d,p\n2 kg,19783,1\n");
    assert_ok(una_reader_open(&reader, path, wanted, 3, 3, run), run);
    assert_status(una_reader_next(&chunk, reader, 10), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 2, column 'd': '19783' is not a date");
    una_reader_close(reader);
}

/* Rows of cells that leave much open; wanted columns are those of numbers. */
static void random_table(char *text, size_t room, size_t rows, uint64_t *s)
{
    static const char *const cell[] = { "1.100", "12.345", "7", "950", "1.5", "1,5", "1.234,5", "1,100", "1.234.567",
                                        "-", "2.500 kg", "3,250 kg" };
    static const char *const kinds[] = { "a", "ab", "c", "abc", "ae", "acf", "hc", "hd", "abg", "aci", "aj", "bk", "l",
                                         "ah", "ce", "fd", "kc" };
    static const char delimiters[] = ",;\t|";
    char d = delimiters[*s >> 60 & 3];
    const char *kind[3];
    size_t at = (size_t)snprintf(text, room, "x%cy%cz\n", d, d);
    for (size_t c = 0; c < 3; c++) {
        *s = *s * 6364136223846793005u + 1442695040888963407u;
        kind[c] = kinds[(*s >> 33) % (sizeof kinds / sizeof *kinds)];
    }
    for (size_t i = 0; i < 3 * rows; i++) {
        *s = *s * 6364136223846793005u + 1442695040888963407u;
        const char *now = cell[kind[i % 3][(*s >> 33) % strlen(kind[i % 3])] - 'a'];
        at += (size_t)snprintf(text + at, room - at, strchr(now, d) ? "\"%s\"%c" : "%s%c", now, i % 3 == 2 ? '\n' : d);
    }
}

/* By chunks of one row as in one piece. */
static void chunks_are_the_table(void **state)
{
    (void)state;
    enum { ROWS = 12 };
    uint64_t s = 88172645463325252u;
    size_t numbers = 0;
    for (int i = 0; i < (long_tier() ? 10000 : 1000); i++) {
        char text[2000];
        random_table(text, sizeof text, ROWS, &s);
        una_dataset *data = read_text("r.txt", text), *chunk;
        una_wanted wanted[3];
        size_t count = 0, from[3];
        for (size_t c = 0; c < data->columns; c++) {
            if (data->column[c].is_text) continue;
            from[count] = c;
            wanted[count++] = (una_wanted){ .name = data->column[c].name };
        }
        una_reader *reader = NULL;
        if (count) assert_ok(una_reader_open(&reader, temp_path("r.txt"), wanted, count, count, run), run);
        for (size_t r = 0; count && r < ROWS; r++) {
            assert_ok(una_reader_next(&chunk, reader, 1), run);
            for (size_t c = 0; c < count; c++, numbers++) {
                double a = data->column[from[c]].number[r], b = chunk->column[c].number[0];
                if (a != b && !(isnan(a) && isnan(b))) fail_msg("row %zu: %g and %g of\n%s", r, a, b, text);
            }
            una_dataset_free(chunk);
        }
        una_reader_close(reader);
        una_dataset_free(data);
    }
    assert_true(numbers > 10000);
}

static una_status read_and_learn(void *context, una_run *other)
{
    una_dataset *data = NULL, *part = NULL;
    una_reader *reader = NULL;
    una_arena keep;
    una_columns columns;
    una_arena_init(&keep, other);
    una_notes notes = { .arena = &keep };
    const char *target = "y";
    double *x, *y;
    size_t *kept, rows;
    una_status status = una_dataset_read(&data, context, other);
    una_learning from = { data, &target, 1, NULL, UNA_MISSING_MEAN, 0, &notes };
    if (status == UNA_OK) status = una_dataset_rows(&part, data, (size_t[]){ 1, 0 }, 2, other);
    if (status == UNA_OK) status = una_columns_learn((una_columns *[]){ &columns }, &from, &keep, other);
    if (status == UNA_OK) status = una_columns_encode(&columns, data, &(una_encoding){ &x, &y, &kept, &rows }, &keep);
    una_wanted *wanted = status == UNA_OK ? una_columns_wanted((const una_columns *[]){ &columns }, 1, &keep) : NULL;
    if (status == UNA_OK && !wanted) status = UNA_E_MEMORY;
    if (status == UNA_OK) status = una_reader_open(&reader, context, wanted, columns.source_count + 1, 9, other);
    una_dataset *chunk = NULL;
    if (status == UNA_OK) status = una_reader_next(&chunk, reader, 20);
    una_dataset_free(chunk);
    una_reader_close(reader);
    una_dataset_free(part);
    una_dataset_free(data);
    una_arena_free(&keep);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    char text[9000] = "d;w;mixed;y\n", path[4096];
    for (int i = 0; i < 80; i++)
        snprintf(text + strlen(text), 90, "%02d.%02d.2024;%d,%d kg;%d %s;%d,5\n", 1 + i % 28, 1 + i / 28, i, i % 10, i,
                 i % 2 ? "kg" : "lb", i + 9 * (i % 7 > 4));
    snprintf(path, sizeof path, "%s", temp_text_file("f.csv", text));
    assert_true(sweep_allocations(read_and_learn, path) > 10);
}

static void cuts_and_changes(void **state)
{
    (void)state;
    static const char seed[] = "# head\nd;p;n;w;\n01.03.2024;30 %;1.234,5;\"a;b\";\n14.03.2024 12:30;12,5 %;-;c;\n# x\n"
                               "1/4/2024;3%;1,2;12 kg;\n";
    static const char spice[] = "\"\n\r,\t\0 ;|#?%$-.:/0123TZkg\xC2\xA0";
    uint64_t word = 88172645463325252u;
    size_t fine = 0;
    for (int i = 0; i < 4000; i++) {
        char bytes[sizeof seed];
        size_t size = i < (int)sizeof seed - 1 ? (size_t)i : sizeof seed - 1;
        memcpy(bytes, seed, sizeof seed);
        for (int k = 0; k <= i % 5 && i >= (int)sizeof seed; k++) {
            word ^= word << 13; word ^= word >> 7; word ^= word << 17;
            bytes[(size_t)(word >> 8) % size] = spice[(word >> 40) % (sizeof spice - 1)];
        }
        una_dataset *data = NULL;
        remove(temp_path("m.csv"));
        una_status status = una_dataset_read(&data, temp_file("m.csv", bytes, size), run);
        if (status != UNA_OK && status != UNA_E_INPUT) fail_msg("status %d: %s", (int)status, una_run_message(run));
        if (status != UNA_OK && !*una_run_message(run)) fail();
        fine += status == UNA_OK;
        una_dataset_free(data);
    }
    assert_true(fine > 50 && fine < 3950);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_forms), cmocka_unit_test(words_near_numbers),
        cmocka_unit_test(dates_in_forms), cmocka_unit_test(order_of_dates),
        cmocka_unit_test(random_bytes_do_no_harm), cmocka_unit_test(tables_in_conventions), cmocka_unit_test(as_ever),
        cmocka_unit_test(proof_in_any_row), cmocka_unit_test(doubts_of_points),
        cmocka_unit_test(settings_win), cmocka_unit_test(chunks_in_forms), cmocka_unit_test(chunks_are_the_table),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(cuts_and_changes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
