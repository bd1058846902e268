/* SPDX-License-Identifier: MIT
 *
 * The catalogue: it is complete and agrees with itself; and with the shared data, where they are.
 */
#include "sets/sets_support.h"

static void entries_are_complete(void **state)
{
    (void)state;
    assert_true(una_data_count() >= 12);
    assert_null(una_data_at(una_data_count()));
    assert_null(una_known_set_at(una_data_count()));
    assert_null(una_known_set_named("bosto"));
    for (size_t s = 0; s < una_data_count(); s++) {
        const una_data_set *set = una_data_at(s);
        assert_true(*set->name && *set->title && set->rows > 100 && set->inputs > 1 && *set->target);
        assert_true(set->unit && set->remark);
        assert_true(*set->licence && *set->citation);
        assert_true(set->file_count >= 1);
        for (size_t f = 0; f < set->file_count; f++) {
            assert_true(set->files[f].bytes > 0 && set->files[f].path[0] != '/');
            assert_int_equal(strlen(set->files[f].sha256), 64);
            assert_int_equal(strspn(set->files[f].sha256, "0123456789abcdef"), 64);
        }
        assert_ptr_equal(una_known_set_named(set->name), una_known_set_at(s));
        for (size_t other = 0; other < s; other++) assert_string_not_equal(una_data_at(other)->name, set->name);
    }
}

/* Heads have a name for each input and the target's at the end; sets with splits have a second file. */
static void recipes_fit(void **state)
{
    (void)state;
    for (size_t s = 0; s < una_data_count(); s++) {
        const una_known_set *known = una_known_set_at(s);
        const char *head = known->recipe.head;
        char path[128];
        if (!head) continue;
        size_t columns = 1;
        for (const char *at = head; (at = strchr(at, ',')); at++) columns++;
        assert_int_equal(columns, known->set.inputs + 1);
        assert_string_equal(strrchr(head, ',') + 1, known->set.target);
        snprintf(path, sizeof path, "uci/%s.csv", known->set.name);
        assert_string_equal(known->set.files[0].path, path);
        assert_int_equal(known->set.file_count, known->set.splits ? 2 : 1);
        assert_int_equal(known->recipe.gaps != NULL, known->set.splits > 0);
    }
}

static void the_shared_data_are_those(void **state)
{
    (void)state;
    const char *folder = shared_path("data");
    if (!folder) skip();
    una_run *run = quiet_run();
    for (size_t s = 0; s < una_data_count(); s++) {
        for (size_t f = 0; f < una_data_at(s)->file_count; f++) {
            una_data_state is;
            if (una_data_at(s)->files[f].bytes > 2 << 20 && !getenv("UNA_TEST_LONG")) continue;
            assert_ok(una_data_check(&is, s, f, folder, run), run);
            assert_int_equal(is, UNA_DATA_INTACT);
        }
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_complete), cmocka_unit_test(recipes_fit),
        cmocka_unit_test(the_shared_data_are_those)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
