/* SPDX-License-Identifier: MIT
 *
 * Libraries that are loaded when they are first needed: their calls work, and what is missing is said.
 */
#include "test_support.h"

#include "base/library.h"

struct calls { double (*cos)(double); double (*no_such_call)(double); };

static una_library of(const char *soname, const una_symbol *symbols, size_t count)
{
    return (una_library){ soname, "angles", "libc6", symbols, count };
}

static void calls_are_found(void **state)
{
    (void)state;
    static const una_symbol symbols[] = { UNA_SYMBOL(struct calls, cos) };
    const una_library library = of("libm.so.6", symbols, UNA_COUNT_OF(symbols));
    struct calls calls = { 0 };
    una_run *run = quiet_run();
    for (int i = 0; i < 2; i++) assert_ok(una_library_load(&calls, &library, run), run);
    assert_true(calls.cos(0) == 1);
    assert_true(una_library_is_there(&library));
    una_run_free(run);
}

static void what_is_missing_has_a_sentence(void **state)
{
    (void)state;
    static const una_symbol symbols[] = { UNA_SYMBOL(struct calls, cos), UNA_SYMBOL(struct calls, no_such_call) };
    const una_library without = of("libm.so.6", symbols, UNA_COUNT_OF(symbols)), none = of("libnone.so.9", symbols, 1);
    struct calls calls = { 0 };
    una_run *run = quiet_run();
    assert_status(una_library_load(&calls, &without, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "angles need the library libm.so.6, and the one that is installed has no "
                "'no_such_call': install a newer one (Debian: libc6)");
    assert_status(una_library_load(&calls, &none, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "angles need the library libnone.so.9, which cannot be loaded: install it "
                "(Debian: libc6) and try again");
    assert_false(una_library_is_there(&without) || una_library_is_there(&none));
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_found),
        cmocka_unit_test(what_is_missing_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
