/* SPDX-License-Identifier: MIT
 *
 * The charts that answer a reader's questions: which inputs matter, what each does, what is left over, where ignorance
 * is and which input makes it. Rows are real ones; what the pointer shows of a row is put together here, too.
 */
#include "draw/fit_report.h"
#include "draw/marks.h"
#include "draw/number.h"

enum { MANY_TIPS = 20000, BINS = 10, LEAST_IN_BIN = 12, FEW_IN_LEVEL = 3 };

/* ---- rows under the pointer ------------------------------------------------------------------------- */

static void add_column_value(una_text *text, const una_report_column *column, size_t row)
{
    una_text_add(text, "\n%s: %s", UNA_NAMED(column->name), column->number
                 ? UNA_DATED(column->date, column->number[row], 5) : UNA_NAMED(column->word[row] ? column->word[row] : "-"));
}

static const char *tip_of(const una_report *report, const size_t *order, size_t row, double predicted, una_arena *arena)
{
    const una_report_predictions *given = &report->models[0].given;
    una_text text = una_text_in(arena);
    bool held = isfinite(predicted);
    una_text_add(&text, "row %zu\n%s: %s\npredicted%s: %s", report->row_number[row],
                 UNA_NAMED(report->target), UNA_BRIEF(report->y[row], 5),
                 held ? ", held out" : "", UNA_BRIEF(held ? predicted : given->mean[row], 4));
    una_text_add(&text, "\nignorance: %s", UNA_BRIEF(given->std_epistemic[row], 3));
    for (size_t i = 0; i < report->column_count && i < UNA_TIP_COLUMNS; i++)
        add_column_value(&text, &report->columns[order[i]], row);
    if (report->column_count > UNA_TIP_COLUMNS)
        una_text_add(&text, "\nand %zu more", report->column_count - UNA_TIP_COLUMNS);
    return text.at;
}

const char *const *una_report_tips(const una_report *report, una_arena *arena)
{
    const una_report_predictions *predictions = report->models[0].held_out;
    if (report->rows > MANY_TIPS || report->images || !report->row_number) return NULL;
    const char **tips = UNA_GET(arena, const char *, report->rows);
    double *predicted = UNA_GET(arena, double, report->rows);
    const size_t *order = una_report_order(report, arena);
    if (arena->failed) return NULL;
    for (size_t i = 0; i < report->rows; i++) predicted[i] = NAN;
    for (size_t i = 0; predictions && i < predictions->rows; i++)
        predicted[predictions->row ? predictions->row[i] : i] = predictions->mean[i];
    for (size_t i = 0; i < report->rows; i++) tips[i] = tip_of(report, order, i, predicted[i], arena);
    return tips;
}

/* ---- which inputs matter ---------------------------------------------------------------------------- */

const size_t *una_report_order(const una_report *report, una_arena *arena)
{
    const una_report_model *model = &report->models[0];
    const double *relevance = model->info ? model->info->relevance : NULL;
    double *down = UNA_GET(arena, double, report->column_count);
    if (!down) return NULL;
    if (model->importance) return model->importance->order;
    for (size_t c = 0; c < report->column_count; c++) down[c] = relevance ? -relevance[c] : 0;
    return una_order_of(down, report->column_count, arena);
}

static void add_importance(una_figure *figure, const una_importance *importance, const size_t *order,
                           const char **names, size_t count, una_arena *arena)
{
    double *rise = UNA_GET(arena, double, 4 * count), *low = rise + count, *high = low + count, *at = high + count;
    if (arena->failed) return;
    double from = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        size_t input = order[i];
        rise[i] = 100 * importance->rise[input], low[i] = 100 * importance->low[input];
        high[i] = 100 * importance->high[input], at[i] = (double)(count - i);
    }
    una_panel *panel = una_figure_lying_bars(figure, "Rise of the squared error, % of the spread", rise, names, count,
                                  UNA_INK_MODEL);
    una_range_add(&from, &to, low, count);
    una_range_add(&from, &to, high, count);
    if (!panel) return;
    panel->x.low = from < 0 ? from - 0.03 * (to - from) : 0, panel->x.high = to + fmax(0.04 * (to - from), 0.1);
    una_panel_between(panel, (una_look){ UNA_SHAPE_SPANS, UNA_INK_DATA, 1, 0 }, low, at, high, count);
}

static void add_relevance_panel(una_figure *figure, const double *relevance, const una_report *report,
                                const size_t *order, const char **names, size_t count)
{
    double *share = UNA_GET(figure->arena, double, count), sum = 0;
    if (!share) return;
    for (size_t c = 0; c < report->column_count; c++) sum += relevance[c] * relevance[c];
    for (size_t i = 0; i < count; i++) share[i] = 100 * relevance[order[i]] * relevance[order[i]] / sum;
    una_figure_lying_bars(figure, "Relevance, % of all inputs", share, names, count, UNA_INK_SECOND);
}

una_figure una_chart_importance(const una_report *report, size_t *shown, una_arena *arena)
{
    const una_report_model *model = &report->models[0];
    const double *relevance = model->info ? model->info->relevance : NULL;
    size_t count = *shown = report->column_count < UNA_MOST_BARS ? report->column_count : UNA_MOST_BARS;
    bool both = model->importance && relevance;
    una_figure figure = una_figure_in(arena, both ? 2 : 1, both ? UNA_HALF_WIDTH : 560, 48 + 22 * (double)count);
    const size_t *order = una_report_order(report, arena);
    const char **names = UNA_GET(arena, const char *, count);
    if (arena->failed || (!model->importance && !relevance)) return figure;

    for (size_t i = 0; i < count; i++) names[count - 1 - i] = report->columns[order[i]].name;
    if (model->importance) add_importance(&figure, model->importance, order, names, count, arena);
    if (relevance) add_relevance_panel(&figure, relevance, report, order, names, count);
    if (model->importance) {
        una_figure_key(&figure, UNA_SHAPE_BARS, UNA_INK_MODEL, "what shuffling it costs");
        una_figure_key(&figure, UNA_SHAPE_SPANS, UNA_INK_DATA, "95 % interval");
    }
    if (relevance) una_figure_key(&figure, UNA_SHAPE_BARS, UNA_INK_SECOND, "relevance");
    return figure;
}

/* ---- what each input does ---------------------------------------------------------------------------- */

/* The axis along an input: its levels, or its range with the density of the rows. */
static void use_input(una_panel *panel, const una_report *report, const una_report_effect *effect)
{
    const una_report_column *column = &report->columns[effect->column];
    if (effect->level) {
        una_axis_name(&panel->x, effect->level, effect->count);
        return;
    }
    panel->x = (una_axis){ .low = effect->at[0], .high = effect->at[effect->count - 1], .date = column->date };
    una_panel_strip(panel, column->number, report->rows);
}

/* "red: 3.2 in 40 rows" */
static const char *const *level_tips(const una_report_effect *effect, const double *mean, una_arena *arena)
{
    const char **tips = UNA_GET(arena, const char *, effect->count);
    for (size_t i = 0; tips && i < effect->count; i++)
        tips[i] = una_phrase(arena, "%s: %s\n%zu rows", UNA_NAMED(effect->level[i]),
                             UNA_BRIEF(mean[i], 4), effect->level_rows[i]);
    return tips;
}

static void add_effect(una_figure *figure, const una_report *report, const una_report_effect *effect, una_arena *arena)
{
    const una_report_column *column = &report->columns[effect->column];
    una_panel *panel = una_figure_panel(figure, column->name, NULL, NULL);
    const double *mean = report->models[0].effect_mean + effect->first;
    if (!panel) return;
    bool levels = effect->level != NULL;
    const una_look doubt = { levels ? UNA_SHAPE_RANGES : UNA_SHAPE_BAND, UNA_INK_IGNORANCE, levels ? 4 : 0,
                             levels ? 0.55 : 0.38 };
    una_panel_doubt(panel, doubt, effect->at, mean, report->models[0].effect_std + effect->first, effect->count);
    for (size_t m = report->model_count; m > 0; m--) {
        const double *at = report->models[m - 1].effect_mean;
        una_series line = { .shape = m == 1 ? UNA_SHAPE_LINE : UNA_SHAPE_DASHES, .ink = una_model_ink(m - 1),
                            .x = effect->at, .y = at ? at + effect->first : NULL, .count = effect->count,
                            .size = m == 1 ? 1.8 : 1.1, .opacity = 1 };
        if (levels) line.shape = UNA_SHAPE_POINTS, line.size = 5;
        if (m == 1 && levels) line.tips = level_tips(effect, mean, arena);
        if (at) una_panel_add(panel, line);
    }
    use_input(panel, report, effect);
}

static una_axis effect_range(const una_report *report, size_t shown)
{
    double low = INFINITY, high = -INFINITY, data_low = INFINITY, data_high = -INFINITY;
    una_range_add(&data_low, &data_high, report->y, report->rows);
    for (size_t e = 0; e < shown; e++) {
        size_t first = report->effects[e].first;
        una_range_add_doubt(&low, &high, report->models[0].effect_mean + first, report->models[0].effect_std + first,
                            report->effects[e].count);
    }
    return una_axis_of_bands(low, high, data_low, data_high, 0.04);
}

una_figure una_chart_effects(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 3, UNA_THIRD_WIDTH, 186);
    size_t shown = report->effect_count < UNA_MOST_EFFECTS ? report->effect_count : UNA_MOST_EFFECTS;
    if (shown == 0 || !report->models[0].effect_mean) return figure;
    if (shown == 1) figure.columns = 1, figure.panel_width = 560, figure.panel_height = 260;
    else if (shown == 2 || shown == 4) figure.columns = 2, figure.panel_width = UNA_HALF_WIDTH, figure.panel_height = 220;
    una_axis y = effect_range(report, shown);
    for (size_t e = 0; e < shown; e++) add_effect(&figure, report, &report->effects[e], arena);
    una_figure_share(&figure, NULL, &y);
    for (size_t i = 0; i < figure.panel_count; i += figure.columns) figure.panels[i]->y.label = report->target;

    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, report->model_count > 1 ? report->models[0].title
                                                                                   : "predicted, on average");
    for (size_t m = 1; m < report->model_count && m < 4; m++)
        if (report->models[m].effect_mean)
            una_figure_key(&figure, UNA_SHAPE_DASHES, una_model_ink(m), report->models[m].title);
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic, 95 %");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the data");
    return figure;
}

static void add_doubt(una_figure *figure, const una_report *report, const una_report_effect *effect, una_arena *arena)
{
    const double *std = report->models[0].effect_std + effect->first;
    una_panel *panel = una_figure_panel(figure, report->columns[effect->column].name, NULL,
                                        figure->panel_count % 3 == 0 ? "Epistemic std" : NULL);
    double *foot = UNA_GET(arena, double, effect->count);
    if (!panel || arena->failed) return;
    const una_look look = { effect->level ? UNA_SHAPE_RANGES : UNA_SHAPE_BAND, UNA_INK_IGNORANCE,
                            effect->level ? 10 : 0, 0.45 };
    una_panel_between(panel, look, effect->at, foot, std, effect->count);
    if (!effect->level)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_IGNORANCE, 1.6, 1 }, effect->at, std, effect->count);
    use_input(panel, report, effect);
}

una_figure una_chart_ignorance_by_input(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 3, UNA_THIRD_WIDTH, 172);
    size_t asked = report->effect_count < UNA_MOST_EFFECTS ? report->effect_count : UNA_MOST_EFFECTS;
    double *down = UNA_GET(arena, double, asked), low = 0, high = 0;
    if (arena->failed || asked == 0 || !report->models[0].effect_std) return figure;
    for (size_t e = 0; e < asked; e++)
        down[e] = -una_reach_of(report->models[0].effect_std + report->effects[e].first, report->effects[e].count);
    const size_t *order = una_order_of(down, asked, arena);
    for (size_t e = 0; order && e < asked; e++) {
        const una_report_effect *effect = &report->effects[order[e]];
        bool flat = e > 0 && down[order[e]] > 0.05 * down[order[0]];     /* they are less than 0 */
        if (flat || figure.panel_count == UNA_MOST_IGNORANCE_PANELS) break;
        una_range_add(&low, &high, report->models[0].effect_std + effect->first, effect->count);
        add_doubt(&figure, report, effect, arena);
    }
    if (!(high > 0)) figure.panel_count = 0;
    una_figure_share(&figure, NULL, &(una_axis){ .low = 0, .high = 1.06 * high });
    if (figure.panel_count < 3) figure.columns = figure.panel_count, figure.panel_width = UNA_HALF_WIDTH;
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "epistemic std, on average");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_PART, "density of the data");
    return figure;
}

/* ---- what is left over -------------------------------------------------------------------------------- */

static const una_report_effect *effect_of(const una_report *report, size_t column)
{
    for (size_t e = 0; e < report->effect_count; e++)
        if (report->effects[e].column == column) return &report->effects[e];
    return NULL;
}

/* Where a row lies on the axis of a column: its number, or the number of its level; NAN: nowhere. */
static double place_on_axis(const una_report *report, const una_report_effect *effect, size_t row)
{
    const una_report_column *column = &report->columns[effect->column];
    if (!effect->level) return column->number[row];
    const char *word = column->word ? column->word[row] : NULL;
    for (size_t i = 0; i < effect->count; i++) {
        bool here = effect->value ? column->number && column->number[row] == effect->value[i]
                                  : word && strcmp(word, effect->level[i]) == 0;
        if (here) return (double)(i + 1);
    }
    return NAN;
}

typedef struct bins { double *at, *mean, *std; size_t count; } bins;

static void add_bin(bins *b, const double *x, const double *r, const size_t *order, size_t from, size_t to)
{
    double n = (double)(to - from), at = 0, mean = 0, square = 0;
    for (size_t i = from; i < to; i++) at += x[order[i]] / n, mean += r[order[i]] / n;
    for (size_t i = from; i < to; i++) square += (r[order[i]] - mean) * (r[order[i]] - mean);
    b->at[b->count] = at, b->mean[b->count] = mean;
    b->std[b->count++] = n > 1 ? sqrt(square / (n - 1) / n) : NAN;
}

/* Means with intervals: of levels, or of as many rows each from left to right. */
static void add_means(una_panel *panel, const double *x, const double *r, size_t rows, size_t levels, una_arena *arena)
{
    const size_t *order = una_order_of(x, rows, arena);
    size_t most = levels > BINS ? levels : BINS, known = 0;
    bins b = { UNA_GET(arena, double, most), UNA_GET(arena, double, most), UNA_GET(arena, double, most), 0 };
    if (arena->failed) return;
    while (known < rows && isfinite(x[order[known]])) known++;
    size_t count = known / LEAST_IN_BIN < BINS ? known / LEAST_IN_BIN : BINS;
    for (size_t k = 0; levels == 0 && k < count; k++)
        add_bin(&b, x, r, order, k * known / count, (k + 1) * known / count);
    for (size_t k = 1, from = 0; k <= levels; k++) {
        size_t to = from;
        while (to < known && x[order[to]] < (double)k + 0.5) to++;
        if (to - from >= FEW_IN_LEVEL) add_bin(&b, x, r, order, from, to);
        from = to;
    }
    una_panel_doubt(panel, (una_look){ UNA_SHAPE_RANGES, UNA_INK_SECOND, 2, 0.8 }, b.at, b.mean, b.std, b.count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_SECOND, 5, 1 }, b.at, b.mean, b.count);
}

/* levels: 0 for numbers on a line. Dots of one level are spread a little, always in the same way. */
static void add_residuals(una_figure *figure, const char *title, double *x, const double *r, size_t rows,
                          const una_report_effect *levels, const char *const *tips)
{
    una_arena *arena = figure->arena;
    una_panel *panel = una_figure_panel(figure, title, NULL, figure->panel_count % 3 == 0 ? "Observed - predicted"
                                                                                          : NULL);
    double *spread = UNA_GET(arena, double, rows);
    if (!panel || arena->failed) return;
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, x, rows);
    if (levels) una_axis_name(&panel->x, levels->level, levels->count), low = panel->x.low, high = panel->x.high;
    for (size_t i = 0; i < rows; i++) spread[i] = x[i] + (levels ? 0.5 * ((double)(i * 37 % 101) / 100 - 0.5) : 0);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = spread, .y = r,
                  .count = rows, .size = rows > 300 ? 1.8 : 2.6, .opacity = rows > 300 ? 0.35 : 0.6, .tips = tips });
    if (low < high) una_panel_segment(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.8, 0 }, low, 0, high, 0);
    add_means(panel, x, r, rows, levels ? levels->count : 0, arena);
}

una_figure una_chart_residuals(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 3, UNA_THIRD_WIDTH, 190);
    const una_report_predictions *predictions = report->models[0].held_out;
    if (!predictions) return figure;
    size_t rows = predictions->rows;
    const size_t *order = una_report_order(report, arena);
    const char *const *all = una_report_tips(report, arena);
    double *x = UNA_GET(arena, double, rows), *r = UNA_GET(arena, double, rows);
    const char **tips = UNA_GET(arena, const char *, rows);
    if (arena->failed) return figure;
    for (size_t i = 0; i < rows; i++) {
        x[i] = predictions->mean[i], r[i] = predictions->y[i] - predictions->mean[i];
        tips[i] = all ? all[predictions->row ? predictions->row[i] : i] : NULL;
    }

    add_residuals(&figure, "by what was predicted", x, r, rows, NULL, tips);
    for (size_t c = 0; c < report->column_count && figure.panel_count < UNA_MOST_RESIDUALS; c++) {
        const una_report_effect *effect = effect_of(report, order[c]);
        double *at = effect || report->grid ? UNA_GET(arena, double, rows) : NULL;
        for (size_t i = 0; at && i < rows; i++) {
            size_t row = predictions->row ? predictions->row[i] : i;
            at[i] = effect ? place_on_axis(report, effect, row) : report->columns[order[c]].number[row];
        }
        if (!at) continue;
        add_residuals(&figure, report->columns[order[c]].name, at, r, rows, effect && effect->level ? effect : NULL, tips);
        figure.panels[figure.panel_count - 1]->x.date = report->columns[order[c]].date;
    }

    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, r, rows);
    una_axis y = una_axis_around(low, high, 0.05);
    una_figure_share(&figure, NULL, &y);
    if (figure.panel_count < 3 || figure.panel_count == 4) {
        figure.columns = figure.panel_count == 1 ? 1 : 2, figure.panel_width = UNA_HALF_WIDTH;
        for (size_t i = 0; i < figure.panel_count; i++)
            figure.panels[i]->y.label = i % 2 == 0 ? "Observed - predicted" : NULL;
    }
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "one row");
    una_figure_key(&figure, UNA_SHAPE_RANGES, UNA_INK_SECOND, "mean of rows near by, with its 95 % interval");
    return figure;
}

/* ---- where ignorance is -------------------------------------------------------------------------------- */

static size_t next_for_map(const una_report *report, const double *blame, const size_t *order, bool levels,
                           size_t taken)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < report->column_count; i++) {
        const una_report_effect *effect = effect_of(report, order[i]);
        if (!effect || order[i] == taken || !report->columns[order[i]].number) continue;
        if (effect->level && !levels) continue;
        if (best == SIZE_MAX || blame[order[i]] > blame[best]) best = order[i];
    }
    return best;
}

static double *shade_of(const una_report *report, una_arena *arena)
{
    double *shade = UNA_GET(arena, double, report->rows), *sorted = UNA_GET(arena, double, report->rows);
    if (arena->failed) return NULL;
    const double *std = report->models[0].given.std_epistemic;
    memcpy(sorted, std, report->rows * sizeof *sorted);
    double low = una_quantile(sorted, report->rows, 0.2), high = una_quantile(sorted, report->rows, 0.99);
    for (size_t i = 0; i < report->rows; i++) shade[i] = high > low ? (std[i] - low) / (high - low) : 0;
    return shade;
}

/* Diameter of points, so that many do not hide each other. */
static double point_size(size_t rows)
{
    if (rows > 1000) return 3;
    return rows > 300 ? 4 : 5.5;
}

una_figure una_chart_map(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 560, 360);
    double *blame = UNA_GET(arena, double, report->column_count);
    const size_t *order = una_report_order(report, arena);
    if (arena->failed || report->column_count < 2) return figure;
    for (size_t i = 0; i < report->cause_count; i++)
        if (report->causes[i].column != SIZE_MAX) blame[report->causes[i].column] += report->causes[i].drop;
    size_t a = next_for_map(report, blame, order, false, SIZE_MAX), b = next_for_map(report, blame, order, false, a);
    if (a == SIZE_MAX) a = next_for_map(report, blame, order, true, SIZE_MAX);
    if (b == SIZE_MAX) b = next_for_map(report, blame, order, true, a);
    if (a == SIZE_MAX || b == SIZE_MAX) return figure;

    const double *shade = shade_of(report, arena);
    const char *const *tips = una_report_tips(report, arena);
    una_panel *panel = una_figure_panel(&figure, NULL, report->columns[a].name, report->columns[b].name);
    if (!shade || !panel) return figure;
    panel->x.date = report->columns[a].date, panel->y.date = report->columns[b].date;
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_IGNORANCE,
                  .x = report->columns[a].number, .y = report->columns[b].number, .count = report->rows,
                  .size = point_size(report->rows), .shade = shade, .tips = tips });
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_PART, "a row that is known well");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "a row of large ignorance");
    return figure;
}

una_figure una_chart_causes(const una_report *report, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 560, 0);
    double *down = UNA_GET(arena, double, report->column_count);
    if (arena->failed || report->column_count < 2) return figure;
    for (size_t i = 0; i < report->cause_count; i++)
        if (report->causes[i].column != SIZE_MAX) down[report->causes[i].column] -= 100 / (double)report->cause_count;
    const size_t *order = una_order_of(down, report->column_count, arena);
    double *share = UNA_GET(arena, double, UNA_MOST_BARS);
    const char **names = UNA_GET(arena, const char *, UNA_MOST_BARS);
    if (arena->failed) return figure;

    size_t count = 0;
    while (count < report->column_count && count < UNA_MOST_BARS && down[order[count]] < 0) count++;
    for (size_t i = 0; i < count; i++) {
        share[i] = -down[order[i]];
        names[count - 1 - i] = report->columns[order[i]].name;
    }
    figure.panel_height = 48 + 22 * (double)count;
    if (count) una_figure_lying_bars(&figure, "Least known rows of which it is the main cause, %", share, names, count,
                          UNA_INK_IGNORANCE);
    return figure;
}
