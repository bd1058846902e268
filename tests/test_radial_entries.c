/* SPDX-License-Identifier: MIT
 *
 * The table of the Radial Uncertainty Benchmark against the models there are: every kind takes part, all specs can be
 * read, those of one data set differ, and every search has ranges that its model takes.
 */
#include "test_support.h"

#include "radial/radial.h"

static const char *const sets[UNA_RADIAL_TUNED] = { "radial 1", "radial 2", "radial 3", "disc", "ball" };

static const char *spec_of(const una_radial_entry *entry, size_t set, bool quick, una_arena *arena, una_run *run)
{
    const char *spec = NULL;
    unsigned results;
    const char *text;
    assert_ok(una_radial_spec(&text, entry, entry->chosen[set], quick, arena, run), run);
    assert_ok(una_row_key_spec(&spec, NULL, &results, text, arena, run), run);
    return spec;
}

static void specs_can_be_read_and_differ(void **state)
{
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t s = 0; s < UNA_RADIAL_TUNED; s++)
        for (int quick = 0; quick < 2; quick++)
            for (const una_radial_entry *a = una_radial_entries; a->name; a++) {
                const char *spec = spec_of(a, s, quick, &arena, run);
                for (const una_radial_entry *b = a + 1; b->name; b++)
                    if (strcmp(spec, spec_of(b, s, quick, &arena, run)) == 0) fail_msg("%s is %s", a->name, b->name);
            }
    una_arena_free(&arena);
    una_run_free(run);
}

static void every_kind_takes_part(void **state)
{
    (void)state;
    for (size_t k = 0; k < una_kind_count(); k++) {
        bool found = false;
        for (const una_radial_entry *e = una_radial_entries; e->name && !found; e++) {
            size_t length = strlen(una_kind_name(k));
            found = strncmp(e->base, una_kind_name(k), length) == 0 && strchr("(", e->base[length]);
        }
        if (!found) fail_msg("%s does not take part", una_kind_name(k));
    }
}

static void searches_draw_what_models_take(void **state)
{
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (const una_radial_entry *e = una_radial_entries; e->name; e++) {
        una_bench_model one, same, other;
        const char *base;
        assert_ok(una_radial_spec(&base, e, NULL, false, &arena, run), run);
        if (!e->over) continue;
        assert_true(e->draws > 0);
        assert_ok(una_radial_draw(&one, base, e->over, 7, &arena, run), run);
        assert_ok(una_radial_draw(&same, base, e->over, 7, &arena, run), run);
        assert_string_equal(one.spec, same.spec);
        for (size_t i = 8; i < 30; i++) {
            assert_ok(una_radial_draw(&other, base, e->over, i, &arena, run), run);
            if (strcmp(one.spec, other.spec) != 0) break;
        }
        assert_string_not_equal(one.spec, other.spec);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void data_sets_have_their_columns(void **state)
{
    una_run *run = quiet_run();
    una_radial_set set;
    (void)state;
    for (size_t s = 0; s < UNA_RADIAL_TUNED; s++) {
        assert_ok(una_radial_set_find(&set, sets[s], run), run);
        assert_int_equal(una_radial_tuned(&set), s);
    }
    assert_ok(una_radial_set_find(&set, "radial 8", run), run);
    assert_int_equal(una_radial_tuned(&set), 2);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_can_be_read_and_differ),
        cmocka_unit_test(every_kind_takes_part),
        cmocka_unit_test(searches_draw_what_models_take),
        cmocka_unit_test(data_sets_have_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
