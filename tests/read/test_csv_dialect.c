/* SPDX-License-Identifier: MIT
 *
 * What the beginning of a file tells of the rest, and which files are no text at all.
 */
#include "test_support.h"

#include "read/csv_dialect.h"

#include <stdlib.h>

static una_csv_dialect of(const char *text)
{
    return una_csv_dialect_detect(text, strlen(text), true, ',', false, 0);
}

static void delimiters(void **state)
{
    (void)state;
    static const struct { const char *text; char delimiter; } cases[] = {
        { "a,b\n1,2\n", ',' }, { "a;b\n1;2\n", ';' }, { "a\tb\n1\t2\n", '\t' }, { "a|b\n1|2\n", '|' },
        { "a;b\n1,5;2,5\n", ';' }, { "a;b;c\n1,5;2,5;x, y\n", ';' }, { "\"a;b\",c\n1,2\n", ',' },
        { "a,b;c\n1,5;2\n", ',' },               /* as ever: it can be read with commas */
        { "a,b\n1;2,3\n4;5,6\n", ',' }, { "a\n1\n2\n", ',' }, { "a;b\n1;2\n3\n", ';' }, { "a,b\n1,2,3\n1;2\n", ',' },
        { "sep=|\na|b\n1|2\n", '|' }, { "# x, y; z\na;b\n1;2\n", ';' }, { "a;b\n\"x\ny\";2\n", ';' }, { "", ',' },
        { "a b\n1 2\n", ',' },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (of(cases[i].text).delimiter != cases[i].delimiter) fail_msg("case %zu: %s", i, cases[i].text);
    assert_true(of("a;b\n1;2\n").found && !of("a,b\n1,2\n").found);
    const char *text = "a;b\n1;2\n";
    assert_int_equal(una_csv_dialect_detect(text, strlen(text), true, '\t', true, 0).delimiter, '\t');
    assert_int_equal(una_csv_dialect_detect(text, strlen(text), true, ',', false, '|').delimiter, '|');
}

static void decimals_and_beginnings(void **state)
{
    (void)state;
    assert_int_equal(of("a;b\n1,5;2\n").decimal, ',');
    assert_int_equal(of("a;b\n1.5;2\n").decimal, '.');
    assert_int_equal(of("a;b\n1.5;2,5\n").decimal, 0);
    assert_int_equal(of("a;b\n1,234;2\n").decimal, 0);
    assert_int_equal(of("a,b\n1.5,2\n").decimal, 0);             /* not asked for */

    una_csv_dialect f = of("sep=;\n# one\n# two\na;b\n1;2\n");
    assert_true(f.skip == 18 && f.lines == 3 && f.comments == 2);
    f = of("#a,b\n1,2\n");
    assert_true(f.skip == 0 && f.comments == 0);
    f = of("#a\n1\n");
    assert_int_equal(f.skip, 0);
    assert_true(of("a,b\nK\xF6ln,1\n").latin && !of("a,b\nK\xC3\xB6ln,1\n").latin);
}

static void other_files(void **state)
{
    (void)state;
    assert_says(una_describe_binary("PK\3\4....[Content_Types].xml", 27), "an Excel workbook (.xlsx)");
    assert_says(una_describe_binary("PK\3\4mimetypeapplication/vnd.oasis.opendocument.spreadsheet", 58), "(.ods)");
    assert_says(una_describe_binary("PK\3\4 data.csv", 13), "a zip archive");
    assert_says(una_describe_binary("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8), "old Excel workbook");
    assert_says(una_describe_binary("PAR1....", 8), "Parquet");
    assert_says(una_describe_binary("%PDF-1.7", 8), "PDF");
    assert_says(una_describe_binary("\xFF\xFE" "a\0", 4), "UTF-16");
    assert_null(una_describe_binary("PKW,a\n", 6));
    assert_null(una_describe_binary("PK", 2));
    assert_null(una_describe_binary("", 0));
    assert_string_equal(una_delimiter_name('\t'), "tabs");
}

/* No byte beyond the sample is looked at, whatever it holds. */
static void random_bytes(void **state)
{
    (void)state;
    static const char spice[] = "\n\n,;\t|\"#01.,a\r sep=\xC3\xB6";
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        size_t size = (size_t)(s >> 8) % 60;
        char *bytes = malloc(size + 1);
        for (size_t k = 0; k < size; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = i % 4 ? spice[(s >> 33) % (sizeof spice - 1)] : (char)(s >> 40);
        }
        char *exact = size ? realloc(bytes, size) : bytes;
        una_csv_dialect f = una_csv_dialect_detect(exact, size, i % 2, ',', false, 0);
        assert_true(f.skip <= size && strchr(",;\t|", f.delimiter));
        una_describe_binary(exact, size);
        free(exact);
        s ^= s >> 29;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delimiters), cmocka_unit_test(decimals_and_beginnings), cmocka_unit_test(other_files),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
