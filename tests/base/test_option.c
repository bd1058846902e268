/* SPDX-License-Identifier: MIT
 *
 * Options: defaults, checks, messages, and texts that can be passed back.
 */
#include "base/option.h"
#include "base_support.h"

#include <float.h>

typedef struct options {
    double width, rate, penalty, shift, low;
    int    activation, verbose;
    const char *of, *note;
} options;

static const una_option table[] = {
    { "width", UNA_COUNT, offsetof(options, width), "50", 1, 10000, true, NULL, "units of a layer" },
    { "rate", UNA_REAL, offsetof(options, rate), "0.001", DBL_MIN, 1, false, NULL, "step size" },
    { "penalty", UNA_REAL, offsetof(options, penalty), "auto", 0, HUGE_VAL, true, NULL, "weight of the penalty" },
    { "shift", UNA_REAL, offsetof(options, shift), "-2.5", -HUGE_VAL, HUGE_VAL, false, NULL, "added to the answer" },
    { "low", UNA_REAL, offsetof(options, low), "-1", -HUGE_VAL, 3, false, NULL, "never above 3" },
    { "activation", UNA_WORD, offsetof(options, activation), "relu", 0, 0, false, "relu|tanh|leaky", "of every layer" },
    { "verbose", UNA_FLAG, offsetof(options, verbose), "no", 0, 0, false, NULL, "say more" },
    { "of", UNA_TEXT, offsetof(options, of), "nn(width=50)", 0, 0, false, NULL, "the members" },
    { "note", UNA_TEXT, offsetof(options, note), NULL, 0, 0, false, NULL, "anything" },
    { .name = NULL }
};

static options defaults(void)
{
    options o;
    assert_ok(una_options_default(&o, table, run), run);
    return o;
}

static una_status set(options *o, const char *key, const char *value)
{
    return una_option_set(o, table, "luna", key, value, &arena, run);
}

static void refused(const char *key, const char *value, const char *says)
{
    options o = defaults();
    assert_status(set(&o, key, value), UNA_E_USAGE, run);
    assert_says(run->message, says);
    assert_says(run->message, "luna");
    options untouched = defaults();
    assert_true(o.width == untouched.width && o.rate == untouched.rate && o.activation == untouched.activation);
}

static void defaults_come_from_the_table(void **state)
{
    (void)state;
    options o = defaults();
    assert_true(o.width == 50 && o.rate == 0.001 && UNA_IS_AUTO(o.penalty) && o.shift == -2.5 && o.low == -1);
    assert_int_equal(o.activation, 0);
    assert_int_equal(o.verbose, 0);
    assert_string_equal(o.of, "nn(width=50)");
    assert_string_equal(o.note, "");
    const una_option wrong[] = { { "n", UNA_COUNT, 0, "x", 0, 1, false, NULL, "" }, { .name = NULL } };
    double n;
    assert_status(una_options_default(&n, wrong, run), UNA_E_USAGE, run);
}

static void values_are_set(void **state)
{
    (void)state;
    options o = defaults();
    char text[] = "my text";

    assert_ok(set(&o, "width", "1e3"), run);
    assert_ok(set(&o, "penalty", "3"), run);
    assert_ok(set(&o, "activation", "leaky"), run);
    assert_ok(set(&o, "note", text), run);
    text[0] = 'x';                                                   /* it was copied */
    assert_true(o.width == 1000 && o.penalty == 3 && o.activation == 2);
    assert_string_equal(o.note, "my text");

    assert_ok(set(&o, "width", "auto"), run);
    assert_true(UNA_IS_AUTO(o.width));

    const char *yes[] = { "yes", "true", "1" }, *no[] = { "no", "false", "0" };
    for (size_t i = 0; i < 3; i++) {
        assert_ok(set(&o, "verbose", yes[i]), run);
        assert_int_equal(o.verbose, 1);
        assert_ok(set(&o, "verbose", no[i]), run);
        assert_int_equal(o.verbose, 0);
    }
}

static void wrong_names_get_help(void **state)
{
    (void)state;
    refused("widht", "5", "luna has no option 'widht'; did you mean 'width'? `una models luna` lists them all");
    refused("Width", "5", "did you mean 'width'?");
    refused("zzzzzz", "5", "luna has no option 'zzzzzz'; `una models luna` lists them all");
}

static void wrong_values_get_help(void **state)
{
    (void)state;
    refused("width", "0", "luna does not take width=0: width is a whole number, 1 to 10000, or auto");
    refused("width", "10001", "1 to 10000");
    refused("width", "2.5", "a whole number");
    refused("width", "many", "width=many");
    refused("width", "", "a whole number");

    refused("rate", "auto", "a number, above 0, at most 1");
    refused("rate", "0", "above 0, at most 1");
    refused("rate", "nan", "rate=nan");
    refused("penalty", "-1", "at least 0, or auto");
    refused("penalty", "inf", "penalty=inf");
    refused("penalty", "1e999", "penalty=1e999");
    refused("low", "4", "at most 3");
    refused("shift", "x", "a number, any");

    refused("activation", "rleu", "activation is one of relu|tanh|leaky; did you mean 'relu'?");
    refused("activation", "rel", "did you mean 'relu'?");
    refused("activation", "sigmoid", "one of relu|tanh|leaky");
    refused("verbose", "maybe", "verbose is one of yes|no");
}

static void counts_are_never_negative(void **state)
{
    (void)state;
    const una_option loose[] = { { "n", UNA_COUNT, 0, "0", -5, HUGE_VAL, false, NULL, "" },
                                 { "p", UNA_REAL, 0, "1", DBL_MIN, HUGE_VAL, false, NULL, "" }, { .name = NULL } };
    double n;
    assert_status(una_option_set(&n, loose, "x", "n", "-1", &arena, run), UNA_E_USAGE, run);
    assert_says(run->message, "at least 0");
    assert_status(una_option_set(&n, loose, "x", "n", "1e300", &arena, run), UNA_E_USAGE, run);
    assert_status(una_option_set(&n, loose, "x", "p", "-1", &arena, run), UNA_E_USAGE, run);
    assert_says(run->message, "a number, above 0");
}

static void choices(void **state)
{
    (void)state;
    assert_int_equal(una_choice("relu|tanh|leaky", "relu"), 0);
    assert_int_equal(una_choice("relu|tanh|leaky", "leaky"), 2);
    assert_int_equal(una_choice("relu|tanh|leaky", "leak"), -1);
    assert_int_equal(una_choice("relu|tanh|leaky", ""), -1);
    assert_int_equal(una_choice("relu|tanh|leaky", "relu|tanh"), -1);
    assert_int_equal(una_choice(NULL, "x"), -1);
}

static void specs_are_applied(void **state)
{
    (void)state;
    options o = defaults();
    una_spec spec;
    assert_ok(una_spec_parse(&spec, "luna(width=7, of=gp(kernel=rbf), verbose=yes)", &arena, run), run);
    assert_ok(una_options_apply(&o, table, "luna", &spec, &arena, run), run);
    assert_true(o.width == 7 && o.verbose == 1);
    assert_string_equal(o.of, "gp(kernel=rbf)");
    assert_ok(una_spec_parse_items(&spec, "width=8, rate=2", &arena, run), run);
    assert_status(una_options_apply(&o, table, "luna", &spec, &arena, run), UNA_E_USAGE, run);
}

/* Text out, text in: the same values, and the same text again. */
static void survives(const options *o)
{
    una_text text = una_text_in(&arena), again = una_text_in(&arena);
    una_options_text(&text, o, table, "luna");

    options back = defaults();
    una_spec spec;
    assert_ok(una_spec_parse(&spec, text.at, &arena, run), run);
    assert_string_equal(spec.name, "luna");
    assert_ok(una_options_apply(&back, table, "luna", &spec, &arena, run), run);

    assert_true(back.width == o->width && back.rate == o->rate && back.penalty == o->penalty && back.shift == o->shift);
    assert_true(back.activation == o->activation && back.verbose == o->verbose);
    assert_string_equal(back.of, o->of ? o->of : "");
    assert_string_equal(back.note, o->note);

    una_options_text(&again, &back, table, "luna");
    assert_string_equal(text.at, again.at);
}

static void what_is_printed_can_be_passed_back(void **state)
{
    (void)state;
    const char *notes[] = { "", "plain", "two words", " blank ", "a, b", "a=b", "say \"no\"", "back\\slash", "(", "]",
                            "\"a b\"*2", "rbf(on=\"a b\")", "\"", "\\\"", "a(b=c(d=e(f=g(h=1))))" };
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        options o = defaults();
        o.note = notes[i];
        o.rate = una_rng_uniform(&rng);
        o.shift = 1e10 * una_rng_normal(&rng);
        o.activation = (int)una_rng_below(&rng, 3);
        o.verbose = i % 2 == 0;
        if (i % 3 == 0) o.width = UNA_AUTO;
        if (i % 4 == 0) o.of = NULL;
        survives(&o);
    }

    options o = defaults();
    una_text text = una_text_in(&arena);
    una_options_text(&text, &o, table, "luna");
    assert_string_equal(text.at, "luna(width=50, rate=0.001, penalty=auto, shift=-2.5, low=-1, activation=relu, "
                                 "verbose=no, of=nn(width=50), note=\"\")");

    text = una_text_in(&arena);
    una_options_text(&text, &o, table, "");
    assert_memory_equal(text.at, "width=50, rate", 14);
    text = una_text_in(&arena);
    una_options_text(&text, &o, table + sizeof table / sizeof *table - 1, "linear");
    assert_string_equal(text.at, "linear");

    o.activation = 17;                                               /* our own bug, but no crash */
    una_options_text(&text, &o, table, "luna");
    assert_says(text.at, "activation=, ");
}

static void options_as_json(void **state)
{
    (void)state;
    options o = defaults();
    o.verbose = 1;
    o.note = "say \"no\"";

    una_text text = una_text_in(&arena);
    una_options_json(&text, &o, table);
    assert_string_equal(text.at, "{\"width\":50,\"rate\":0.001,\"penalty\":\"auto\",\"shift\":-2.5,\"low\":-1,"
                                 "\"activation\":\"relu\",\"verbose\":true,\"of\":\"nn(width=50)\","
                                 "\"note\":\"say \\\"no\\\"\"}");

    o.verbose = 0;
    text = una_text_in(&arena);
    una_options_json(&text, &o, table);
    assert_says(text.at, "\"verbose\":false");
}

static void described(size_t row, const char *type, const char *range)
{
    una_option_info info = UNA_INIT(una_option_info);
    una_option_describe(&info, &table[row], &arena);
    assert_string_equal(info.name, table[row].name);
    assert_string_equal(info.type, type);
    assert_string_equal(info.range, range);
    assert_string_equal(info.help, table[row].help);
    assert_string_equal(info.initial, table[row].initial ? table[row].initial : "");
}

static void descriptions(void **state)
{
    (void)state;
    described(0, "whole number", "1 to 10000, or auto");
    described(1, "number", "above 0, at most 1");
    described(2, "number", "at least 0, or auto");
    described(3, "number", "any");
    described(4, "number", "at most 3");
    described(5, "word", "relu|tanh|leaky");
    described(6, "yes or no", "yes|no");
    described(7, "text", "any");
    described(8, "text", "any");
}

static una_status use_all(void *context, una_run *failing)
{
    (void)context;
    una_arena keep;
    una_arena_init(&keep, failing);
    options o;
    char note[20000];
    memset(note, 'n', sizeof note - 1);
    note[sizeof note - 1] = 0;
    una_option_info info = UNA_INIT(una_option_info);

    una_status status = una_options_default(&o, table, failing);
    for (int i = 0; i < 4 && status == UNA_OK; i++)
        status = una_option_set(&o, table, "luna", "note", note, &keep, failing);
    una_option_describe(&info, &table[0], &keep);
    assert_non_null(info.range);
    if (status == UNA_OK) status = una_arena_check(&keep);

    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(use_all, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table), cmocka_unit_test(values_are_set),
        cmocka_unit_test(wrong_names_get_help), cmocka_unit_test(wrong_values_get_help),
        cmocka_unit_test(counts_are_never_negative), cmocka_unit_test(choices), cmocka_unit_test(specs_are_applied),
        cmocka_unit_test(what_is_printed_can_be_passed_back), cmocka_unit_test(options_as_json),
        cmocka_unit_test(descriptions), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
