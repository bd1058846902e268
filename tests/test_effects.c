/* SPDX-License-Identifier: MIT
 *
 * Inputs moved in real rows, and why rows are unsure: a table with a hole in one input, a column of two values and one
 * of words. Doubt lies in the hole and nowhere else, nothing stands between two levels, and the one row in the hole is
 * explained by it.
 */
#include "draws.h"
#include "models/quick.h"

#include "report/report_builder.h"
#include "una_report.h"

enum { ROWS = 120, DAYS = 0, TEMPERATURE = 1, WORKING = 2, KIND = 3, INPUTS = 4 };

typedef struct table {
    una_dataset *data;
    una_model   *model;
    una_arena    arena;
    report_builder g;
    una_report_model model_of;
    una_report_column column[INPUTS]; size_t kept[ROWS]; double mean[ROWS], std[ROWS];
} table;

static una_dataset *make_table(una_run *run)
{
    static const char *const names[] = { "days", "temperature", "workingday", "kind", "strength" };
    static double days[ROWS], temperature[ROWS], working[ROWS], y[ROWS];
    static const char *kind[ROWS];
    una_dataset *data = NULL;
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS; i++) {
        days[i] = (double)(1 + una_rng_below(&rng, 28));
        temperature[i] = (i % 2 ? 0 : 24) + 12 * una_rng_uniform(&rng);
        if (i == 77) temperature[i] = 18;                        /* alone in the hole */
        working[i] = (double)(i % 3 == 0);
        kind[i] = i % 5 == 0 ? "coarse" : "fine";
        y[i] = days[i] + 3 * sin(temperature[i] / 6) + working[i] + (i % 5 == 0) + 0.3 * una_rng_normal(&rng);
    }
    const double *const numbers[] = { days, temperature, working, NULL, y };
    const char *const *const words[] = { NULL, NULL, NULL, kind, NULL };
    assert_ok(una_dataset_from_columns(&data, names, numbers, words, INPUTS + 1, ROWS, run), run);
    return data;
}

static void open_table(table *t, una_run *run)
{
    *t = (table){ .data = make_table(run) };
    una_arena_init(&t->arena, run);
    t->model = fitted("gp(restarts=1, kernel=matern52)", t->data, NULL, run);
    for (size_t c = 0; c < INPUTS; c++)
        t->column[c] = (una_report_column){ una_dataset_column_name(t->data, c), una_dataset_numbers(t->data, c),
                                            una_dataset_words(t->data, c), NULL };
    una_prediction out = { .size = sizeof out, .mean = t->mean, .std_epistemic = t->std };
    assert_ok(una_model_predict(t->model, t->data, 0.95, &out, run), run);
    t->model_of = (una_report_model){ .title = "gp", .info = una_model_info(t->model),
        .given = { .rows = ROWS, .mean = t->mean, .std = t->std, .std_epistemic = t->std } };
    t->g = (report_builder){ .arena = &t->arena, .run = run, .table = t->data, .kept = t->kept };
    t->g.report = (una_report){ .target = "strength", .rows = ROWS, .y = una_dataset_numbers(t->data, INPUTS),
        .columns = t->column, .column_count = INPUTS, .models = &t->model_of, .model_count = 1 };
}

static void close_table(table *t)
{
    una_arena_free(&t->arena);
    una_model_free(t->model);
    una_dataset_free(t->data);
}

static const una_report_effect *effect_of(const table *t, size_t column)
{
    for (size_t e = 0; e < t->g.report.effect_count; e++)
        if (t->g.report.effects[e].column == column) return &t->g.report.effects[e];
    fail_msg("column %zu was not moved", column);
    return NULL;
}

static void effects_at_real_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t;
    open_table(&t, run);
    assert_ok(una_effects_plan(&t.g), run);
    assert_ok(una_effects_ask(&t.model_of, &t.g, t.model), run);
    assert_int_equal(t.g.report.effect_count, INPUTS);
    assert_int_equal(t.g.report.effect_rows, 60);

    const una_report_effect *working = effect_of(&t, WORKING), *kind = effect_of(&t, KIND);
    assert_int_equal(working->count, 2);
    assert_string_equal(working->level[0], "0");
    assert_string_equal(working->level[1], "1");
    assert_int_equal(working->level_rows[1], 40);
    assert_int_equal(kind->count, 2);
    assert_string_equal(kind->level[0], "coarse");
    assert_null(kind->value);

    /* Only the hole is doubtful: along days every row stands where rows are. */
    const una_report_effect *days = effect_of(&t, DAYS), *temperature = effect_of(&t, TEMPERATURE);
    assert_null(days->level);
    assert_true(days->at[0] >= 1 && days->at[days->count - 1] <= 28);
    double in_hole = 0, at_rows = 0, along = 0;
    for (size_t i = 0; i < temperature->count; i++) {
        double at = temperature->at[i], std = t.model_of.effect_std[temperature->first + i];
        if (at > 14 && at < 16) in_hole = fmax(in_hole, std);
        if ((at > 3 && at < 10) || (at > 26 && at < 33)) at_rows = fmax(at_rows, std);
    }
    for (size_t i = 2; i + 2 < days->count; i++) along = fmax(along, t.model_of.effect_std[days->first + i]);
    assert_true(in_hole > 1.5 * at_rows);
    assert_true(in_hole > 1.5 * along);
    close_table(&t);
    una_run_free(run);
}

static void the_hole_is_the_cause(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t;
    open_table(&t, run);
    assert_ok(una_causes_find(&t.g, t.model), run);
    assert_true(t.g.report.cause_count >= 10);
    const una_report_cause *cause = &t.g.report.causes[0];
    assert_int_equal(cause->row, 77);
    assert_int_equal(cause->column, TEMPERATURE);
    assert_true(cause->drop > 0.2);
    assert_says(cause->why, "temperature is 18; the nearest other rows have 1");
    close_table(&t);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_at_real_rows),
        cmocka_unit_test(the_hole_is_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
