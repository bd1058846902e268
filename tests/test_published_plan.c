/* SPDX-License-Identifier: MIT
 *
 * What uci and gap plan: lists of names; and the columns of a set whose data is not there, which are those of the
 * catalogue but for the constant ones, and, where the shared data is, those that the data itself gives.
 */
#include "test_support.h"

#include "published/published.h"

extern const una_experiment una_experiment_gap;

static void items_of_lists(void **state)
{
    size_t length;
    const char *item = una_next_item(" , red wine ,b", &length);
    (void)state;
    assert_int_equal(length, 8);
    assert_true(una_is_item(item, length, "red wine") && !una_is_item(item, length, "red"));
    item = una_next_item(item + length, &length);
    assert_true(una_is_item(item, length, "b"));
    assert_null(una_next_item(item + length, &length));
    assert_true(una_list_has("a, b", "b") && !una_list_has("a, bc", "b") && !una_list_has("", ""));
}

typedef struct planned { una_run *run; una_plan plan; una_status status; } planned;

static planned plan_all(const char *data, const char *sets, una_gap_columns columns)
{
    static const una_bench_model models[] = { { "gp", "gp", 1 } };
    const una_published options = { .data = data, .sets = sets, .splits = "0", .held = UNA_AUTO, .steps = UNA_AUTO,
                                    .columns = (int)columns };
    planned p = { .run = quiet_run() };
    una_arena *keep = malloc(sizeof *keep);
    una_arena_init(keep, p.run);
    una_asked asked = { .experiment = &una_experiment_gap, .options = &options, .out = temp_folder(), .models = models,
                        .model_count = 1, .keep = keep };
    p.plan.arena = keep;
    p.status = una_published_plan(&p.plan, &asked, p.run);
    return p;
}

static void end(planned *p)
{
    una_arena *keep = p->plan.arena;
    una_arena_free(keep);
    free(keep);
    una_run_free(p->run);
}

static bool has_data(const planned *p, const char *data)
{
    for (size_t i = 0; i < p->plan.count; i++)
        if (strcmp(p->plan.keys[i].data, data) == 0) return true;
    return false;
}

/* Rows that were made before are shown without the data: a file of them is enough here. */
static void columns_without_the_data(void **state)
{
    (void)state;
    temp_text_file("gap.csv", "");
    planned p = plan_all("nowhere", "naval-propulsion", UNA_COLUMNS_ALL);
    assert_ok(p.status, p.run);
    assert_int_equal(p.plan.count, 14);
    assert_true(has_data(&p, "naval-propulsion lp#66ed3702") && has_data(&p, "naval-propulsion mf#66ed3702"));
    assert_false(has_data(&p, "naval-propulsion T1#66ed3702") || has_data(&p, "naval-propulsion P1#66ed3702"));
    end(&p);
}

static void columns_are_those_of_the_data(void **state)
{
    const char *sets = getenv("UNA_TEST_LONG") ? "" : "boston,concrete,yacht";
    const char *data = shared_path("data");
    (void)state;
    if (!data) skip();
    temp_text_file("gap.csv", "");
    planned there = plan_all(data, sets, UNA_COLUMNS_ALL);
    planned p = plan_all("nowhere", *sets ? sets : "boston,concrete,yacht,kin8nm,energy,wine-quality-red,power-plant,"
                         "naval-propulsion,protein-structure", UNA_COLUMNS_ALL);
    assert_ok(there.status, there.run);
    assert_ok(p.status, p.run);
    assert_int_equal(there.plan.count, p.plan.count);
    for (size_t i = 0; i < p.plan.count; i++) assert_true(una_row_key_same(&there.plan.keys[i], &p.plan.keys[i]));
    end(&there);
    end(&p);
}

static void lists_without_a_set(void **state)
{
    (void)state;
    planned p = plan_all("nowhere", " , ", UNA_COLUMNS_ALL);
    assert_int_equal(p.status, UNA_E_USAGE);
    assert_non_null(strstr(una_run_message(p.run), "names no data set"));
    end(&p);
    p = plan_all("nowhere", "yacht, energy", UNA_COLUMNS_THESIS);
    assert_int_equal(p.status, UNA_E_USAGE);
    assert_non_null(strstr(una_run_message(p.run), "no data set 'energy' in this experiment"));
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_lists), cmocka_unit_test(columns_without_the_data),
        cmocka_unit_test(columns_are_those_of_the_data), cmocka_unit_test(lists_without_a_set)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
