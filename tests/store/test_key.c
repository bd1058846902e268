/* SPDX-License-Identifier: MIT
 *
 * Keys: what tells two apart, how specs are written, and which results version they have.
 */
#include "store/sweep_support.h"

static const una_row_key base = { "study", "data", 1, "new", 2, 3 };

static void every_part_distinguishes_keys(void **state)
{
    una_row_key other[6];
    (void)state;
    for (size_t i = 0; i < 6; i++) other[i] = base;
    other[0].study = "studydata";                /* and no text may run into the next */
    other[1].data = "";
    other[2].split = 2;
    other[3].spec = "new(height=1)";
    other[4].seed = 1;
    other[5].results = 2;
    assert_true(una_row_key_same(&base, &base));
    for (size_t i = 0; i < 6; i++) {
        assert_false(una_row_key_same(&base, &other[i]));
        for (size_t j = 0; j < i; j++) assert_true(una_row_key_hash(&other[i]) != una_row_key_hash(&other[j]));
        assert_true(una_row_key_hash(&base) != una_row_key_hash(&other[i]));
    }

    una_row_key moved = { "stud", "ydata", 1, "new", 2, 3 }, swapped = { "study", "data", 2, "new", 1, 3 };
    assert_true(una_row_key_hash(&moved) != una_row_key_hash(&base));
    assert_true(una_row_key_hash(&swapped) != una_row_key_hash(&base));
}

static void a_hash_is_pinned(void **state)
{
    una_row_key key = { "cubic", "cubic", 0, "linear", 0, 1 };
    (void)state;
    assert_true(una_row_key_hash(&key) == UINT64_C(0xfb14eb6766bc6123));     /* files of models are named by it */
}

static void a_key_is_described(void **state)
{
    una_run *run = quiet_run();
    una_row_key key = { "gap", "yacht Froude number", 3, "luna(steps=5)", 7, 1 };
    (void)state;
    assert_string_equal(una_row_key_describe(&key, &run->scratch), "luna on yacht Froude number, split 3, seed 7");
    key.data = "yacht Froude number#1a2b3c4d";
    assert_string_equal(una_row_key_describe(&key, &run->scratch), "luna on yacht Froude number, split 3, seed 7");
    assert_int_equal(una_row_key_data("a#1a2b3c4d"), 1);
    assert_int_equal(una_row_key_data("a#1a2b3c4g"), 10);        /* no sum: part of the name */
    assert_int_equal(una_row_key_data("#1a2b3c4d"), 9);
    una_run_free(run);
}

static void specs_have_one_form(void **state)
{
    static const struct { const char *text, *wanted, *kind; unsigned results; } cases[] = {
        { "new", "new", "new", 1 },
        { " new( ) ", "new", "new", 1 },
        { "new(height=2,kernel=a)", "new(height=2, kernel=a)", "new", 1 },
        { "new( kernel = \"a b\" , height=2 )", "new(height=2, kernel=a b)", "new", 1 },
        { "new(height=2e1)", "new(height=20)", "new", 1 },
        { "new(height=1.0)", "new(height=1)", "new", 1 },    /* a default that was given stays given */
        { "new(height=+0.10)", "new(height=0.1)", "new", 1 },
        { "group(of=\"old( kernel=x,height=3.0 )\")", "group(of=old(height=3, kernel=x))", "group", 4 },
        { "group(kernel=k, of=group(kernel=x, of=old(height=30e-1)), height=1e0)",
          "group(height=1, of=group(of=old(height=3), kernel=x), kernel=k)", "group", 5 },
        { "new(kernel=\"a, \\\"b\\\"\")", "new(kernel=\"a, \\\"b\\\"\")", "new", 1 },
        { "old(kernel=\"old\")", "old(kernel=old)", "old", 3 },
        { "group", "group", "group", 4 },                    /* its own change and two of the default inside */
        { "group(of=new)", "group(of=new)", "group", 2 },
        { "group(of=group(of=old(height=3)))", "group(of=group(of=old(height=3)))", "group", 5 },
        { "new(of=old)", "new(of=old)", "new", 1 },          /* a text, not a kind inside */
    };

    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *spec, *kind;
        unsigned results;
        assert_ok(una_row_key_spec(&spec, &kind, &results, cases[i].text, &arena, run), run);
        assert_string_equal(spec, cases[i].wanted);
        assert_string_equal(kind, cases[i].kind);
        assert_int_equal(results, cases[i].results);
        const char *again;
        assert_ok(una_row_key_spec(&again, NULL, &results, spec, &arena, run), run);
        assert_string_equal(again, spec);                    /* what is written reads back as itself */
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void wrong_specs_are_refused(void **state)
{
    static const char *const bad[] = { "nwe", "new(hight=1)", "new(height=", "new(height=tall)", "group(of=nwe)", "" };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *spec;
        unsigned results;
        assert_status(una_row_key_spec(&spec, NULL, &results, bad[i], &arena, run), UNA_E_USAGE, run);
        assert_true(*una_run_message(run));
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void kinds_have_a_results_version(void **state)
{
    una_run *run = quiet_run();
    unsigned results = 0;
    (void)state;
    assert_status(una_spec_check(una_kind_name(0), &results, run), UNA_OK, run);
    assert_int_equal(results, 1);
    assert_status(una_spec_check(una_kind_name(1), &results, run), UNA_OK, run);
    assert_int_equal(results, 3);
    assert_true(*una_build_commit());
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_distinguishes_keys),
        cmocka_unit_test(a_hash_is_pinned),
        cmocka_unit_test(a_key_is_described),
        cmocka_unit_test(specs_have_one_form),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(kinds_have_a_results_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
