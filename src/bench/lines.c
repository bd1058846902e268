/* SPDX-License-Identifier: MIT
 *
 * Models of one input side by side. See lines.h.
 */
#include "bench/lines.h"

#include "report/fit_report.h"

enum { GRID = 193 };

static una_status sweep(una_report_model *shown, const una_model *model, const double *x, una_arena *arena,
                        una_run *run)
{
    double *mean = UNA_GET(arena, double, GRID), *std = UNA_GET(arena, double, GRID);
    double *lower = UNA_GET(arena, double, GRID), *upper = UNA_GET(arena, double, GRID);
    UNA_TRY(una_arena_check(arena));
    una_prediction line = { .size = sizeof line, .mean = mean, .std_epistemic = std, .lower = lower, .upper = upper };
    UNA_TRY(una_model_predict_rows(model, x, GRID, 0.95, &line, run));
    shown->line_mean = mean, shown->sweep_std = std, shown->line_lower = lower, shown->line_upper = upper;
    return UNA_OK;
}

/* The chart draws its last model first, so the order is turned round here. */
una_status una_lines_draw(una_figure *figure, const una_lines *lines, const una_model *const *models,
                          const char *const *titles, size_t count, una_arena *arena, una_run *run)
{
    double *x = UNA_GET(arena, double, GRID);
    una_report_model *shown = UNA_GET(arena, una_report_model, count);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < GRID; i++) x[i] = lines->from + (lines->to - lines->from) * (double)i / (GRID - 1);

    for (size_t m = 0; m < count; m++) {
        una_report_model *one = &shown[count - 1 - m];
        one->title = titles[m];
        UNA_TRY(sweep(one, models[m], x, arena, run));
    }

    una_report_column input = { .name = lines->input, .number = lines->x };
    una_report report = { .target = lines->target, .rows = lines->rows, .y = lines->y, .columns = &input,
        .column_count = 1, .grid = GRID, .sweep_count = 1, .sweep_at = x, .models = shown, .model_count = count };
    *figure = una_chart_function(&report, arena);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < figure->panel_count; i++) figure->panels[i]->title = titles[i];
    return UNA_OK;
}
