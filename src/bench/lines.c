/* SPDX-License-Identifier: MIT
 *
 * Models of one input side by side. See lines.h.
 */
#include "bench/lines.h"

#include "la/la.h"
#include "draw/fit_report.h"
#include "model/above.h"

double una_lines_at(const una_lines *lines, size_t i)
{
    return lines->from + (lines->to - lines->from) * (double)i / (UNA_LINE_GRID - 1);
}

una_status una_trace_new(una_trace *line, const char *title, una_arena *arena)
{
    UNA_NEW(arena, double, at, 4 * UNA_LINE_GRID);
    *line = (una_trace){ .title = title, .mean = at, .std = at + UNA_LINE_GRID, .lower = at + 2 * UNA_LINE_GRID,
                         .upper = at + 3 * UNA_LINE_GRID };
    return UNA_OK;
}

una_status una_trace_fill(una_trace *line, const una_lines *lines, const una_model *model, una_run *run)
{
    double x[UNA_LINE_GRID];
    una_prediction out = { .size = sizeof out, .mean = line->mean, .std_epistemic = line->std, .lower = line->lower,
                           .upper = line->upper };
    for (size_t i = 0; i < UNA_LINE_GRID; i++) x[i] = una_lines_at(lines, i);
    return una_model_predict_rows(model, x, UNA_LINE_GRID, 0.95, &out, run);
}

una_status una_trace_heads(una_trace *line, const una_lines *lines, const una_model *model, una_arena *arena,
                           una_run *run)
{
    double x[UNA_LINE_GRID];
    una_dataset *grid;
    for (size_t i = 0; i < UNA_LINE_GRID; i++) x[i] = una_lines_at(lines, i);
    UNA_TRY(una_dataset_from_arrays(&grid, x, NULL, UNA_LINE_GRID, 1, &lines->input, run));
    UNA_TRY(una_keep_dataset(&run->scratch, grid));
    UNA_TRY(una_model_functions(model, grid, &line->part_count, NULL, run));
    UNA_NEW_AT(arena, line->parts, line->part_count * UNA_LINE_GRID);
    return una_model_functions(model, grid, &line->part_count, line->parts, run);
}

/* The chart draws its last model first, so this reverses the order. */
una_status una_lines_draw(una_figure *figure, const una_lines *lines, const una_trace *line, size_t count,
                          una_arena *arena)
{
    UNA_NEW(arena, double, x, UNA_LINE_GRID);
    UNA_NEW(arena, una_report_model, shown, count);
    for (size_t i = 0; i < UNA_LINE_GRID; i++) x[i] = una_lines_at(lines, i);
    for (size_t m = 0; m < count; m++)
        shown[count - 1 - m] = (una_report_model){ .title = line[m].title, .line_mean = line[m].mean,
            .sweep_std = line[m].std, .line_lower = line[m].lower, .line_upper = line[m].upper,
            .parts = line[m].parts, .part_count = line[m].part_count };

    una_report_column input = { .name = lines->input, .number = lines->x };
    una_report report = { .target = lines->target, .rows = lines->rows, .y = lines->y, .columns = &input,
        .column_count = 1, .grid = UNA_LINE_GRID, .sweep_at = x, .models = shown,
        .model_count = count };
    *figure = una_chart_function(&report, arena);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < figure->panel_count; i++) figure->panels[i]->title = line[i].title;
    return UNA_OK;
}

una_status una_known_curve_draw(una_panel *panel, const una_known_curve *k, una_arena *arena)
{
    double *low = UNA_GET(arena, double, k->count), *high = UNA_GET(arena, double, k->count);
    double wide = una_normal_quantile(0.975);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < k->count; i++) {
        low[i] = k->mean[i] - wide * k->std[i];
        high[i] = k->mean[i] + wide * k->std[i];
    }
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_IGNORANCE, 0, 0 }, k->x, low, high, k->count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 1.8, 0 }, k->x, k->mean, k->count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_DATA, 0, 0 }, k->x, k->truth, k->count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, 2.4, 0 }, una_dataset_numbers(k->rows, 0),
                   una_dataset_numbers(k->rows, 1), una_dataset_row_count(k->rows));
    return UNA_OK;
}

void una_known_curve_keys(una_figure *figure, const char *mean, const char *truth, const char *rows)
{
    una_figure_key(figure, UNA_SHAPE_LINE, UNA_INK_MODEL, mean);
    una_figure_key(figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(figure, UNA_SHAPE_DASHES, UNA_INK_DATA, truth);
    una_figure_key(figure, UNA_SHAPE_POINTS, UNA_INK_DATA, rows);
}
