/* SPDX-License-Identifier: MIT
 *
 * Growing text, JSON strings, numbers out and in, nearest names, status texts.
 */
#include "base/base.h"
#include "test_support.h"

#include <float.h>
#include <locale.h>

static double parsed(const char *text)
{
    double value = NAN;
    if (!una_parse_number(text, strlen(text), &value)) fail_msg("'%s' should be a number", text);
    return value;
}

static bool refused(const char *text)
{
    double value;
    return !una_parse_number(text, strlen(text), &value);
}

static void numbers_are_read(void **state)
{
    (void)state;
    assert_true(parsed("0") == 0 && parsed("-0") == 0 && signbit(parsed("-0")));
    assert_true(parsed("42") == 42 && parsed("+42") == 42 && parsed("-42") == -42);
    assert_true(parsed(" \t1.5 \t") == 1.5 && parsed(".5") == 0.5 && parsed("5.") == 5);
    assert_true(parsed("1e3") == 1000 && parsed("1E+3") == 1000 && parsed("1e-3") == 0.001);
    assert_true(parsed("0.1") == 0.1 && parsed("123456789.123456789") == 123456789.123456789);
    assert_true(parsed("00000000000000000000000000001") == 1);
    assert_true(parsed("0.00000000000000000000000000001") == 1e-29);

    assert_true(parsed("9007199254740993") == 9007199254740992.0);           /* 2^53 + 1: tie to even */
    assert_true(parsed("9007199254740993.0000000000000000000001") == 9007199254740994.0);
    assert_true(parsed("1e23") == 1e23 && parsed("8.5e-23") == 8.5e-23);

    assert_true(parsed("1.7976931348623157e308") == DBL_MAX);
    assert_true(parsed("2.2250738585072014e-308") == DBL_MIN);
    assert_true(parsed("4.9e-324") == 0x1p-1074 && parsed("2e-324") == 0);
    assert_true(parsed("12345678901234567890123") == 12345678901234567890123.0);
}

static void numbers_beyond_doubles(void **state)
{
    (void)state;
    assert_true(parsed("1e999") == HUGE_VAL && parsed("-1e999") == -HUGE_VAL);
    assert_true(parsed("1e99999999999999999999999999") == HUGE_VAL);
    assert_true(parsed("1e-99999999999999999999999999") == 0);
    assert_true(parsed("0e99999999999999999999999999") == 0);
}

static void very_long_numbers(void **state)
{
    (void)state;
    enum { ZEROS = 2000 };
    char text[ZEROS + 64];

    /* 2^53 + 1 is a tie; the 1 two thousand digits behind the point breaks it upwards. */
    int length = snprintf(text, sizeof text, "9007199254740993.");
    memset(text + length, '0', ZEROS);
    snprintf(text + length + ZEROS, 8, "1");
    assert_true(parsed(text) == 9007199254740994.0);

    /* 10^2000 as digits, brought back by the exponent. */
    text[0] = '1';
    memset(text + 1, '0', ZEROS);
    snprintf(text + 1 + ZEROS, 8, "e-2000");
    assert_true(parsed(text) == 1);
    snprintf(text + 1 + ZEROS, 8, "e-1999");
    assert_true(parsed(text) == 10);
}

static void not_numbers(void **state)
{
    (void)state;
    const char *wrong[] = { "", " ", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e-", "1x", "x1", "0x10", "0x1p3", "inf",
                            "-inf", "nan", "NaN", "infinity", "1,5", "1 2", "--1", "+-1", "1..2", "1.2.3", "1e5.5",
                            "1\n", "1e5 x", "1_000", "1e5e5" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!refused(wrong[i])) fail_msg("'%s' should be refused", wrong[i]);
    double value = 0;
    assert_true(una_parse_number("12345", 3, &value) && value == 123);       /* the length counts, not the 0 */
    assert_false(una_parse_number("1\0", 2, &value));
}

/* Against the C library in the C locale, on random decimals. */
static void agrees_with_strtod(void **state)
{
    (void)state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        char text[80];
        unsigned long long word = (unsigned long long)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
        word >>= una_rng_below(&rng, 64);
        int power = (int)una_rng_below(&rng, i % 2 ? 60 : 660) - (i % 2 ? 30 : 340);
        snprintf(text, sizeof text, i % 3 ? "%llue%d" : "0.%llue%d", word, power);
        if (parsed(text) != strtod(text, NULL)) fail_msg("%s: %a, not %a", text, parsed(text), strtod(text, NULL));
    }
}

static void number_shows(double value, const char *wanted)
{
    char buffer[32];
    assert_string_equal(una_number_text(buffer, value), wanted);
}

static void numbers_are_written(void **state)
{
    (void)state;
    number_shows(0, "0");
    number_shows(50, "50");
    number_shows(100000, "100000");
    number_shows(-0.1, "-0.1");
    number_shows(1.0 / 3, "0.3333333333333333");
    number_shows(0.1 + 0.2, "0.30000000000000004");
    number_shows(0x1p-1074, "5e-324");
    number_shows(DBL_MAX, "1.7976931348623157e+308");
    number_shows(NAN, "nan");
    number_shows(HUGE_VAL, "inf");
    number_shows(-HUGE_VAL, "-inf");

    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
        double value;
        char buffer[32];
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && parsed(una_number_text(buffer, value)) != value) fail_msg("%a became %s", value, buffer);
    }
}

static void digits_show(double value, int digits, const char *wanted)
{
    char buffer[32];
    assert_string_equal(una_number_digits(buffer, value, digits), wanted);
}

static void so_many_digits(void **state)
{
    (void)state;
    digits_show(0, 3, "0");
    digits_show(1.0 / 3, 3, "0.333");
    digits_show(-2.0 / 3, 9, "-0.666666667");
    digits_show(99999, 3, "100000");
    digits_show(0.00099996, 4, "0.001");
    digits_show(123456.75, 2, "120000");
    digits_show(1.25, 2, "1.3");
    digits_show(1e-300 / 3, 2, "3.3e-301");
    digits_show(DBL_MIN, 3, "2.23e-308");
    digits_show(1.0 / 3, 17, "0.3333333333333333");
    digits_show(NAN, 3, "nan");

    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
        int digits = 1 + (int)una_rng_below(&rng, 16);
        double value;
        char buffer[32];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || fabs(value) > 1e300 || fabs(value) < 1e-300) continue;
        double off = parsed(una_number_digits(buffer, value, digits)) / value - 1;
        if (!(fabs(off) <= 5.0001 * pow(10, -digits) + 1e-15)) fail_msg("%a became %s", value, buffer);
    }
}

static void no_locale_matters(void **state)
{
    (void)state;
    const char *names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8", "fa_IR.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }

    number_shows(0.5, "0.5");
    number_shows(1.0 / 3, "0.3333333333333333");
    bool good = parsed("0.1") == 0.1 && parsed("1.7976931348623157e308") == DBL_MAX && refused("0,1");
    setlocale(LC_NUMERIC, "C");
    assert_true(good);
}

static void text_grows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    una_text text = una_text_in(&arena);
    assert_string_equal(text.at, "");
    una_text_add(&text, "%s", "");
    assert_string_equal(text.at, "");
    for (int i = 0; i < 1000; i++) una_text_add(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_memory_equal(text.at + 1990, "5,6,7,8,9,", 11);
    una_text_bytes(&text, "a\0b", 3);
    assert_memory_equal(text.at + 2000, "a\0b", 4);

    text = una_text_in(&arena);
    una_text_bytes(&text, "", 0);
    una_text_number(&text, 2.5);
    una_text_number(&text, NAN);
    assert_string_equal(text.at, "2.5null");
    una_text_bytes(&text, "x", SIZE_MAX - 2);
    assert_status(una_arena_check(&arena), UNA_E_MEMORY, run);
    assert_string_equal(text.at, "2.5null");

    una_arena_free(&arena);
    una_run_free(run);
}

static void json_shows(una_arena *arena, const char *string, const char *wanted)
{
    una_text text = una_text_in(arena);
    una_text_json(&text, string);
    assert_string_equal(text.at, wanted);
}

static void json_strings(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    json_shows(&arena, "", "\"\"");
    json_shows(&arena, "a\"b\\c\n\x01", "\"a\\\"b\\\\c\\u000a\\u0001\"");
    json_shows(&arena, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    json_shows(&arena, "\xff|\xc3|\xc0\x80|\xe2\x82", "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\"");
    json_shows(&arena, "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");                 /* a surrogate */
    json_shows(&arena, "\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\"");                 /* too long a form */
    json_shows(&arena, "\xf0\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    json_shows(&arena, "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");      /* above U+10FFFF */

    una_arena_free(&arena);
    una_run_free(run);
}

static void nearest_names(void **state)
{
    (void)state;
    const char *names[] = { "width", "depth", "activation", "rate", "epochs", "heads",
        "a_name_that_is_so_long_that_nobody_would_ever_type_it_and_so_is_left_out" };
    enum { N = sizeof names / sizeof *names };

    assert_string_equal(una_nearest("widht", names, N), "width");
    assert_string_equal(una_nearest("WIDTH", names, N), "width");
    assert_string_equal(una_nearest("witdh", names, N), "width");
    assert_string_equal(una_nearest("dpth", names, N), "depth");
    assert_string_equal(una_nearest("act", names, N), "activation");
    assert_string_equal(una_nearest("epoch", names, N), "epochs");
    assert_string_equal(una_nearest("raate", names, N), "rate");

    assert_null(una_nearest("", names, N));
    assert_null(una_nearest("x", names, N));
    assert_null(una_nearest("q", names, N));
    assert_null(una_nearest("penalty", names, N));
    assert_null(una_nearest("width", names, 0));

    char long_name[200];
    memset(long_name, 'w', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_null(una_nearest(long_name, names, N));
}

static void statuses_have_texts(void **state)
{
    (void)state;
    assert_string_equal(una_status_text(UNA_OK), "done");
    assert_string_equal(una_status_text(UNA_CANCELLED), "interrupted");
    assert_string_equal(una_status_text((una_status)77), "unknown status");
    assert_int_equal(UNA_CANCELLED, 130);
}

static una_status write_some(void *context, una_run *run)
{
    (void)context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_text text = una_text_in(&arena);
    for (int i = 0; i < 20000; i++) una_text_json(&text, "word");
    una_text_add(&text, "%s", "end");
    una_status status = una_arena_check(&arena);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(write_some, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read), cmocka_unit_test(numbers_beyond_doubles),
        cmocka_unit_test(very_long_numbers), cmocka_unit_test(not_numbers), cmocka_unit_test(agrees_with_strtod),
        cmocka_unit_test(so_many_digits),
        cmocka_unit_test(numbers_are_written), cmocka_unit_test(no_locale_matters), cmocka_unit_test(text_grows),
        cmocka_unit_test(json_strings), cmocka_unit_test(nearest_names), cmocka_unit_test(statuses_have_texts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
