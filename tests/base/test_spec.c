/* SPDX-License-Identifier: MIT
 *
 * The grammar of specs: what is read, and what is refused where.
 */
#include "base/option.h"
#include "base_support.h"

static una_spec read_spec(const char *text)
{
    una_spec spec;
    assert_ok(una_spec_parse(&spec, text, &arena, run), run);
    return spec;
}

static void item_is(const una_spec *spec, size_t i, const char *key, const char *value)
{
    assert_true(i < spec->count);
    assert_string_equal(spec->items[i].key, key);
    assert_string_equal(spec->items[i].value, value);
}

static void names_alone(void **state)
{
    (void)state;
    assert_string_equal(read_spec("luna").name, "luna");
    assert_string_equal(read_spec("  luna\t").name, "luna");
    assert_int_equal(read_spec("luna()").count, 0);
    assert_int_equal(read_spec("luna ( )").count, 0);
}

static void values_of_all_sorts(void **state)
{
    (void)state;
    una_spec spec = read_spec(" ensemble ( style = bootstrap ,members=20,\n of=nn(width=50, depth = 2) , rate=-1e-3 )");
    assert_string_equal(spec.name, "ensemble");
    assert_int_equal(spec.count, 4);
    item_is(&spec, 0, "style", "bootstrap");
    item_is(&spec, 1, "members", "20");
    item_is(&spec, 2, "of", "nn(width=50, depth = 2)");
    item_is(&spec, 3, "rate", "-1e-3");

    spec = read_spec("tuna(prior=rbf(length=0.5, on=\"Froude number\"), list=[1, (2), [3]], sum=(a + b) * c)");
    item_is(&spec, 0, "prior", "rbf(length=0.5, on=\"Froude number\")");
    item_is(&spec, 1, "list", "[1, (2), [3]]");
    item_is(&spec, 2, "sum", "(a + b) * c");
    /* What stands in a value can be read in its turn. */
    una_spec inner = read_spec(spec.items[0].value);
    item_is(&inner, 1, "on", "Froude number");
}

static void quotes(void **state)
{
    (void)state;
    una_spec spec = read_spec("m(a=\"x, y) = z\", b=\"\", c=\"say \\\"no\\\" \\\\ \" , "
                              "d=\"a b\"*2 + x, e=x + \"c)d\", f=f(\"]\"))");
    item_is(&spec, 0, "a", "x, y) = z");
    item_is(&spec, 1, "b", "");
    item_is(&spec, 2, "c", "say \"no\" \\ ");
    item_is(&spec, 3, "d", "\"a b\"*2 + x");
    item_is(&spec, 4, "e", "x + \"c)d\"");
    item_is(&spec, 5, "f", "f(\"]\")");
}

static void bare_lists(void **state)
{
    (void)state;
    una_spec spec;
    assert_ok(una_spec_parse_items(&spec, " width=50 , of=nn(depth=2)", &arena, run), run);
    assert_string_equal(spec.name, "");
    assert_int_equal(spec.count, 2);
    item_is(&spec, 1, "of", "nn(depth=2)");

    assert_ok(una_spec_parse_items(&spec, "  ", &arena, run), run);
    assert_int_equal(spec.count, 0);

    assert_status(una_spec_parse_items(&spec, "width=5)", &arena, run), UNA_E_USAGE, run);
    assert_says(run->message, "at character 8");
    assert_says(run->message, "the form is key=value, key=value");
    assert_status(una_spec_parse_items(&spec, "width", &arena, run), UNA_E_USAGE, run);
    assert_says(run->message, "a '=' is missing at character 6");
}

static void refused_at(const char *text, size_t character, const char *what)
{
    una_spec spec;
    char where[64];
    assert_status(una_spec_parse(&spec, text, &arena, run), UNA_E_USAGE, run);
    snprintf(where, sizeof where, "at character %zu;", character);
    assert_says(run->message, where);
    assert_says(run->message, what);
    assert_says(run->message, text);
}

static void refusals_name_the_place(void **state)
{
    (void)state;
    refused_at("", 1, "a name is missing");
    refused_at("  (a=1)", 3, "a name is missing");
    refused_at("5luna", 1, "a name is missing");

    refused_at("luna(width=50", 5, "no closing bracket");
    refused_at("luna(width=50) x", 16, "nothing more");
    refused_at("luna(width=50))", 15, "nothing more");
    refused_at("luna x", 6, "nothing more");

    refused_at("luna(width)", 11, "a '=' is missing");
    refused_at("luna(width=)", 12, "a value is missing");
    refused_at("luna(width= ,depth=1)", 13, "a value is missing");
    refused_at("luna(width=1,)", 14, "the name of an option is missing");
    refused_at("luna(,width=1)", 6, "the name of an option is missing");
    refused_at("luna(=1)", 6, "the name of an option is missing");
    refused_at("luna(width=50 depth=2)", 20, "a comma is missing");
    refused_at("luna(width=1, width=2)", 15, "second time");

    refused_at("luna(a=[1, 2)", 13, "closing bracket without");
    refused_at("luna(a=1])", 9, "closing bracket without");
    refused_at("luna(a=(1]", 10, "closing bracket without");
    refused_at("luna(a=f(1)", 5, "no closing bracket");
    refused_at("luna(a=f(1", 9, "no closing bracket");

    refused_at("luna(a=\"x)", 8, "no closing quote");
    refused_at("luna(a=f(\"x))", 10, "no closing quote");
    refused_at("luna(a=\"x\\n\")", 10, "backslash");
    refused_at("luna(a=\"x\\", 10, "backslash");
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    read_spec("a(b=c(d=e(f=g(h=1))))");
    refused_at("a(b=c(d=e(f=g(h=i(j=1)))))", 20, "more than four deep");
    read_spec("a(b=c(d=1, e=2, f=3), g=c(d=1), h=c(d=1), i=c(d=1), j=c(d=1))");
    read_spec("a(b=((((((((x + 1)))))))))");                     /* brackets alone are no specs */
    char text[128] = "a(b=";
    memset(text + 4, '(', 33);
    memset(text + 37, ')', 33);
    refused_at(text, 37, "too many brackets");
}

static void plain_values(void **state)
{
    (void)state;
    const char *plain[] = { "x", "relu", "nn(width=50)", "a + b", "f(\"a b\")", "[1, 2]", "a/b.csv", "x\"y\"" };
    const char *quoted[] = { "", " x", "x ", "\"x\"", "a,b", "a=b", "a)", "(a", "a]", "\"", "a\"",
                             "a(b=c(d=e(f=g(h=1))))" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) assert_true(una_spec_is_plain(plain[i]));
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) assert_false(una_spec_is_plain(quoted[i]));
}

/* Texts made of the grammar's own characters: read or refused, never a crash, and reading takes little memory. */
static void any_text(void **state)
{
    (void)state;
    static const char letters[] = "ab(=,)[]\"\\ 1";
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    size_t good = 0;

    for (int i = 0; i < 20000; i++) {
        char text[24] = "a(a=";
        size_t length = 4 + una_rng_below(&rng, 19);
        for (size_t j = 4; j < length; j++) text[j] = letters[una_rng_below(&rng, sizeof letters - 1)];
        una_mark mark = una_arena_mark(&arena);
        una_spec spec;
        una_status status = una_spec_parse(&spec, text, &arena, run);
        assert_true(status == UNA_OK || status == UNA_E_USAGE);
        good += status == UNA_OK;
        una_arena_release(&arena, mark);
    }
    assert_true(good > 20);
}

static una_status parse_long(void *context, una_run *failing)
{
    una_arena keep;
    una_arena_init(&keep, failing);
    una_spec spec;
    una_status status = una_spec_parse(&spec, context, &keep, failing);
    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { ITEMS = 1000 };
    char *text = malloc(ITEMS * 32);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, 32, "a(");
    for (int i = 0; i < ITEMS; i++)
        length += (size_t)snprintf(text + length, 32, "%sk%d=%s", i ? ", " : "", i, i % 2 ? "word" : "\"quoted\"");
    snprintf(text + length, 32, ")");
    assert_true(sweep_allocations(parse_long, text) >= 4);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_alone), cmocka_unit_test(values_of_all_sorts), cmocka_unit_test(quotes),
        cmocka_unit_test(bare_lists), cmocka_unit_test(refusals_name_the_place), cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(plain_values), cmocka_unit_test(any_text), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
