/* SPDX-License-Identifier: MIT
 *
 * una_plot_write: gathers from a model and a table what one chart needs (draw/plot_charts.h draws it).
 *
 * Where an input moves, the other inputs stay those of real rows: an average of all inputs, or a median of each, may be
 * a point that cannot exist. The most typical row is the one with the least sum over the inputs of
 * |x - median| / interquartile range, and 1 for every word that is not the most frequent one.
 */
#include "una_report.h"

#include "model/above.h"
#include "report/report_builder.h"
#include "draw/fit_report.h"
#include "draw/number.h"
#include "draw/plot_charts.h"

enum { GRID = 121, FEW_VALUES = 12, MOST_WORDS = 60, AVERAGED = 200, SINGLE = 30, EFFECT_GRID = 41 };

typedef struct plotting plotting;

enum { NEEDS_NOTHING = 0, NEEDS_ROWS = 1, NEEDS_TARGET = 2, NEEDS_INPUT = 4, TAKES_INPUT = 8 };
typedef struct plot_chart {
    const char *name;
    unsigned    needs;
    size_t      grid;                    /* places of an input that moves: on a line, which reaches beyond the rows by */
    double      beyond;                  /* so much of their range                                             */
    una_status (*ask)(plotting *p);      /* fills line and rows                                                */
    una_plot_drawer *draw;
} plot_chart;

struct plotting {
    una_plot_settings asked;
    const plot_chart *chart;
    const una_model  *model;
    const una_fit_info *info;
    const una_dataset *given;
    una_dataset      *table;             /* the rows that can be used, with all columns of the data            */
    size_t            inputs;
    una_report_column *columns;          /* [inputs] of the table                                              */
    size_t           *number;            /* [rows] in the data, from 1                                         */
    size_t            target;            /* column; SIZE_MAX: the table has none                               */
    size_t            moves;             /* which input; SIZE_MAX: none                                        */
    const double     *value;             /* [line.count] of the input that moves, where it holds numbers       */
    una_plot_rows     rows;
    una_plot_line     line;
    una_arena        *arena;
    una_run          *run;
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

static size_t find_column(const una_dataset *data, const char *name)
{
    for (size_t c = 0; c < una_dataset_column_count(data); c++)
        if (strcmp(una_dataset_column_name(data, c), name) == 0) return c;
    return SIZE_MAX;
}

/* Its columns, and the rows that can be used. */
static una_status take_plot_table(plotting *p)
{
    bool needs_target = p->chart->needs & NEEDS_TARGET;
    p->inputs = una_model_input_count(p->model);
    UNA_NEW(p->arena, size_t, place, p->inputs);
    for (size_t i = 0; i < p->inputs; i++)
        UNA_TRY(una_dataset_find(&place[i], p->given, una_model_input_name(p->model, i), p->run));
    p->target = find_column(p->given, p->info->target);
    if (p->target == SIZE_MAX && needs_target)
        return una_dataset_find(&p->target, p->given, p->info->target, p->run);
    if (p->target != SIZE_MAX && !una_dataset_numbers(p->given, p->target))
        UNA_FAIL(p->run, UNA_E_INPUT, "%s: the target '%s' holds words, but numbers are needed",
                 una_dataset_origin(p->given), p->info->target);

    UNA_NEW(p->arena, size_t, kept, una_dataset_row_count(p->given));
    size_t count = una_complete_rows(kept, p->given, place, p->inputs,
                                     needs_target ? p->target : SIZE_MAX, p->info->missing == UNA_MISSING_MEAN);
    if (count == 0)
        UNA_FAIL(p->run, UNA_E_INPUT, "%s: no row has a value in every column that the chart needs",
                 una_dataset_origin(p->given));
    UNA_TRY(una_dataset_rows(&p->table, p->given, kept, count, p->run));
    UNA_TRY(una_keep_dataset(p->arena, p->table));
    UNA_TRY(una_report_columns(&p->columns, p->table, place, p->inputs, p->arena));
    for (size_t i = 0; i < count; i++) kept[i] = una_dataset_row_number(p->table, i);
    p->number = kept;
    p->rows.count = count;
    p->rows.target = p->info->target;
    p->rows.y = p->target == SIZE_MAX ? NULL : una_dataset_numbers(p->table, p->target);
    return UNA_OK;
}

/* Which input moves: the one that was named, or of those that matter the first. */
static una_status choose_input(plotting *p)
{
    const char *name = p->asked.input;
    size_t best = SIZE_MAX;
    size_t sizes[3];
    UNA_TRY(una_dataset_image(sizes, NULL, p->given, 0, p->run));
    if (sizes[0])
        UNA_FAIL(p->run, UNA_E_USAGE, "the model sees images, which have no inputs to go along; plot observed, "
                "calibration or residuals");
    for (size_t i = 0; name && i < p->inputs; i++)
        if (strcmp(una_model_input_name(p->model, i), name) == 0) best = i;
    if (name && best == SIZE_MAX) {
        size_t column;
        UNA_TRY(una_dataset_find(&column, p->given, name, p->run));
        UNA_FAIL(p->run, UNA_E_USAGE, "'%s' is a column of %s, but the model does not use it", name,
                 una_dataset_origin(p->given));
    }
    for (size_t i = 0; !name && i < p->inputs; i++)
        if (best == SIZE_MAX || (p->info->relevance && p->info->relevance[i] > p->info->relevance[best])) best = i;
    p->moves = best;
    return UNA_OK;
}

/* ---- values of the input that moves ------------------------------------------------------------------------------ */

/* Levels stand at 1, 2 ..., and rows a little beside theirs, so that they do not hide each other. place: from 0. */
static double beside_place(size_t place, size_t row)
{
    double share = (double)row * 0.61803398874989485;
    return (double)(place + 1) + 0.4 * (share - floor(share) - 0.5);
}

/* Different values in order, at most so many words as a chart shows: nothing lies between them. */
static una_status take_levels(plotting *p, const una_report_column *column, const una_distinct *list, size_t count)
{
    size_t shown = count > MOST_WORDS ? MOST_WORDS : count;
    UNA_NEW(p->arena, const char *, names, shown);
    UNA_NEW(p->arena, double, at, shown);
    UNA_NEW(p->arena, double, value, shown);
    UNA_NEW(p->arena, double, place, p->rows.count);
    for (size_t k = 0; k < shown; k++) {
        at[k] = (double)(k + 1), value[k] = list[k].value;
        names[k] = una_arena_text(p->arena, list[k].word ? list[k].word : UNA_DATED(column->date, value[k], 6));
    }
    for (size_t i = 0; i < p->rows.count; i++) {
        const una_distinct *found = una_distinct_find(list, shown, column, i);
        place[i] = found ? beside_place((size_t)(found - list), i) : NAN;
    }
    p->value = value, p->rows.x = place;
    p->line.names = names, p->line.at = at, p->line.count = shown, p->line.levels = true;
    return UNA_OK;
}

/* Words, and few numbers: these alone. Else a grid. */
static una_status take_input(plotting *p)
{
    const una_report_column *column = &p->columns[p->moves];
    size_t grid = p->chart->grid;
    double beyond = p->chart->beyond;
    una_distinct *list;
    size_t count;
    p->line.input = column->name;
    p->line.date = column->date;
    UNA_TRY(una_distinct_of(&list, &count, column, p->rows.count, p->arena));
    if (count == 0)
        UNA_FAIL(p->run, UNA_E_INPUT, "%s: the column '%s' has no value", una_dataset_origin(p->given), p->line.input);
    if (column->word || count <= FEW_VALUES) return take_levels(p, column, list, count);

    UNA_NEW(p->arena, double, at, grid);
    double range = list[count - 1].value - list[0].value;
    double from = list[0].value - beyond * range, step = (1 + 2 * beyond) * range / (double)(grid - 1);
    for (size_t i = 0; i < grid; i++) at[i] = from + step * (double)i;
    p->value = p->line.at = at;
    p->line.count = grid;
    p->rows.x = column->number;
    return UNA_OK;
}

/* ---- the row whose other inputs are taken ------------------------------------------------------------------------- */

/* Adds how far each row is from the middle of a column of numbers. */
static una_status add_distance(double *distance, const plotting *p, const double *number)
{
    size_t rows = p->rows.count;
    double cut[3];                       /* the lowest quarter, the middle, the highest quarter             */
    UNA_NEW(p->arena, double, sorted, rows);
    for (size_t k = 0; k < 3; k++) {
        memcpy(sorted, number, rows * sizeof *sorted);
        cut[k] = una_quantile(sorted, rows, 0.25 * (double)(k + 1));
    }
    double middle = cut[1], width = cut[2] - cut[0];
    for (size_t i = 0; i < rows; i++) {
        double off = fabs(number[i] - middle);
        double part = width > 0 ? fmin(off / width, 10) : 1;
        if (isnan(number[i])) part = 1;
        else if (off == 0) part = 0;
        distance[i] += part;
    }
    return UNA_OK;
}

static una_status add_rarity(double *distance, const plotting *p, const una_report_column *column)
{
    size_t count, usual = 0;
    una_distinct *list;
    UNA_TRY(una_distinct_of(&list, &count, column, p->rows.count, p->arena));
    for (size_t k = 1; k < count; k++)
        if (list[k].rows > list[usual].rows) usual = k;
    for (size_t i = 0; i < p->rows.count; i++)
        distance[i] += !column->word[i] || strcmp(column->word[i], list[usual].word) != 0;
    return UNA_OK;
}

/* The row, of the table, whose other inputs are taken. */
static una_status choose_row(size_t *row, const plotting *p)
{
    size_t rows = p->rows.count;
    UNA_NEW(p->arena, double, distance, rows);
    *row = 0;
    if (p->asked.row) {
        while (*row < rows && p->number[*row] != p->asked.row) ++*row;
        if (*row < rows) return UNA_OK;
        UNA_FAIL(p->run, UNA_E_USAGE, "%s: row %zu is not there, or has no value in every column that the chart needs",
                 una_dataset_origin(p->given), p->asked.row);
    }
    for (size_t c = 0; c < p->inputs; c++) {
        const una_report_column *column = &p->columns[c];
        if (c == p->moves) continue;
        UNA_TRY(column->number ? add_distance(distance, p, column->number) : add_rarity(distance, p, column));
    }
    for (size_t i = 1; i < rows; i++)
        if (distance[i] < distance[*row]) *row = i;
    return UNA_OK;
}

/* ---- titles ------------------------------------------------------------------------------------------------------ */

static const char *file_of(const plotting *p)
{
    const char *origin = una_dataset_origin(p->given), *slash = strrchr(origin, '/');
    return slash ? slash + 1 : origin;
}

static void set_title(plotting *p, const char *before, const char *behind)
{
    p->rows.title = una_phrase(p->arena, "%s%zu row%s of %s%s", before, p->rows.count, p->rows.count == 1 ? "" : "s",
                               file_of(p), behind);
}

/* ---- what the model says ----------------------------------------------------------------------------------------- */

static una_status new_prediction(una_prediction *to, const plotting *p, size_t rows)
{
    *to = (una_prediction){ .size = sizeof *to, .mean = UNA_GET(p->arena, double, rows),
        .std_epistemic = UNA_GET(p->arena, double, rows), .lower = UNA_GET(p->arena, double, rows),
        .upper = UNA_GET(p->arena, double, rows) };
    return una_arena_check(p->arena);
}

/* rows [count] of the table, each with the input at all of its places. */
static una_status ask_moving(una_prediction *to, const plotting *p, const size_t *rows, size_t count)
{
    const una_changed_rows moved = { .columns = p->columns, .column_count = p->inputs, .moved = p->moves, .rows = rows,
        .count = count, .places = p->line.count, .number = p->value, .word = p->line.names };
    UNA_TRY(new_prediction(to, p, count * p->line.count));
    UNA_SCOPED(p->run, una_changed_rows_ask(to, p->model, &moved, p->run));
    return UNA_OK;
}

/* ---- charts ------------------------------------------------------------------------------------------------------ */

static una_status ask_bands(plotting *p)
{
    size_t row;
    una_prediction a;
    UNA_TRY(choose_row(&row, p));
    UNA_TRY(ask_moving(&a, p, &row, 1));
    p->line.mean = a.mean, p->line.std = a.std_epistemic, p->line.lower = a.lower, p->line.upper = a.upper;
    p->rows.dots = p->inputs == 1 && p->rows.y;
    if (p->inputs > 1)
        p->rows.title = una_phrase(p->arena, "Other inputs as in row %zu of %s", p->number[row], file_of(p));
    else p->rows.title = una_phrase(p->arena, "%zu rows of %s", p->rows.count, file_of(p));
    return UNA_OK;
}

static una_status ask_effect(plotting *p)
{
    una_prediction a;
    size_t grid = p->line.count, count = p->rows.count < AVERAGED ? p->rows.count : AVERAGED;
    size_t single = count < SINGLE ? count : SINGLE;
    UNA_NEW(p->arena, size_t, rows, count);
    UNA_NEW(p->arena, double, mean, grid);
    UNA_NEW(p->arena, double, lines, single * grid);
    for (size_t i = 0; i < count; i++) rows[i] = count > 1 ? i * (p->rows.count - 1) / (count - 1) : 0;
    UNA_TRY(ask_moving(&a, p, rows, count));
    for (size_t i = 0; i < count * grid; i++) mean[i % grid] += a.mean[i] / (double)count;
    for (size_t i = 0; i < single; i++) {
        size_t from = single > 1 ? i * (count - 1) / (single - 1) : 0;
        memcpy(lines + i * grid, a.mean + from * grid, grid * sizeof *lines);
    }
    p->line.mean = mean, p->line.lines = lines, p->line.line_count = single;
    const char *behind = count < p->rows.count ? una_phrase(p->arena, ", of which %zu are averaged", count) : "";
    set_title(p, "If this input alone were another: ", behind);
    return UNA_OK;
}

/* Of the rows as they are. */
static una_status ask_rows(plotting *p)
{
    una_prediction a;
    UNA_TRY(new_prediction(&a, p, p->rows.count));
    UNA_TRY(una_model_predict(p->model, p->table, 0.95, &a, p->run));
    set_title(p, "", p->chart->needs & NEEDS_TARGET ? "; too kind if the model was fitted on them" : ", as they are");
    p->rows.mean = a.mean, p->rows.std_epistemic = a.std_epistemic, p->rows.lower = a.lower, p->rows.upper = a.upper;
    return UNA_OK;
}

static una_status ask_probabilities(plotting *p)
{
    una_score unused = UNA_INIT(una_score);
    UNA_TRY(ask_rows(p));
    UNA_NEW(p->arena, double, below, p->rows.count);
    p->rows.below = below;
    return una_model_score_rows(&unused, below, p->model, p->table, p->run);
}

static una_status take_relevance(plotting *p)
{
    size_t inputs = una_model_input_count(p->model);
    UNA_NEW(p->arena, const char *, names, inputs);
    if (!p->info->relevance)
        UNA_FAIL(p->run, UNA_E_USAGE, "this model (%s) does not know how much its inputs matter: luna, nlm, gp and "
                "auto find it out when they are fitted", p->info->kind);
    for (size_t i = 0; i < inputs; i++) names[i] = una_model_input_name(p->model, i);
    p->rows.title = una_phrase(p->arena, "How fast %s moves with each input, squared", p->info->target);
    p->line.names = names, p->line.relevance = p->info->relevance, p->line.count = inputs;
    return UNA_OK;
}

static const plot_chart charts[] = {
    { "bands", NEEDS_ROWS | NEEDS_INPUT, GRID, 0.1, ask_bands, una_plot_bands },
    { "effect", NEEDS_ROWS | NEEDS_INPUT, EFFECT_GRID, 0, ask_effect, una_plot_effect },
    { "observed", NEEDS_ROWS | NEEDS_TARGET, 0, 0, ask_rows, una_plot_observed },
    { "calibration", NEEDS_ROWS | NEEDS_TARGET, 0, 0, ask_probabilities, una_plot_calibration },
    { "residuals", NEEDS_ROWS | NEEDS_TARGET | TAKES_INPUT, GRID, 0, ask_rows, una_plot_residuals },
    { "ignorance", NEEDS_ROWS | NEEDS_INPUT, GRID, 0, ask_rows, una_plot_ignorance },
    { "importance", NEEDS_NOTHING, 0, 0, take_relevance, una_plot_importance },
};

/* ---- the public call --------------------------------------------------------------------------------------------- */

static una_status choose_chart(plotting *p)
{
    const char *names[sizeof charts / sizeof *charts];
    size_t count = sizeof charts / sizeof *charts;
    for (size_t i = 0; i < count; i++) {
        names[i] = charts[i].name;
        if (strcmp(charts[i].name, p->asked.what) == 0) p->chart = &charts[i];
    }
    if (p->chart) return UNA_OK;
    const char *near = una_nearest(p->asked.what, names, count);
    UNA_FAIL(p->run, UNA_E_USAGE, "there is no chart '%.40s'%s%s%s; the charts are bands, effect, observed, "
            "calibration, residuals, ignorance and importance", p->asked.what, near ? " (did you mean " : "",
             near ? near : "", near ? "?)" : "");
}

/* Of a model of several targets the part that is asked for. */
static una_status choose_plot_target(plotting *p)
{
    size_t count = una_model_target_count(p->model);
    const una_model *whole = p->model;
    for (size_t t = 0; p->asked.target && t < count; t++) {
        const una_model *part = una_model_target(whole, t);
        if (strcmp(una_model_info(part)->target, p->asked.target) == 0) p->model = part;
    }
    if (p->asked.target && strcmp(una_model_info(p->model)->target, p->asked.target) != 0)
        UNA_FAIL(p->run, UNA_E_USAGE, "the model predicts %s, and not '%s'", una_model_info(whole)->target,
                 p->asked.target);
    if (una_model_target_count(p->model) > 1)
        UNA_FAIL(p->run, UNA_E_USAGE, "a chart is about one target, and the model predicts %zu (%s): name one", count,
                 una_model_info(whole)->target);
    p->info = una_model_info(p->model);
    return UNA_OK;
}

static una_status draw_plot(plotting *p, const char *path)
{
    una_format format;
    UNA_TRY(una_format_of(&format, path, p->run));
    if (!p->asked.what) p->asked.what = "bands";
    UNA_TRY(choose_chart(p));
    UNA_TRY(choose_plot_target(p));
    unsigned needs = p->chart->needs;
    if ((needs & NEEDS_ROWS) && !p->given)
        UNA_FAIL(p->run, UNA_E_USAGE, "the chart '%s' is about rows, and a model keeps none: give a table with its "
                "inputs%s", p->chart->name, needs & NEEDS_TARGET ? " and its target" : "");
    if (p->asked.row && p->chart->ask != ask_bands)
        UNA_FAIL(p->run, UNA_E_USAGE, "a row is for the chart 'bands': '%s' shows all rows", p->chart->name);
    if (needs & NEEDS_ROWS) UNA_TRY(take_plot_table(p));
    if ((needs & NEEDS_INPUT) || ((needs & TAKES_INPUT) && p->asked.input)) {
        UNA_TRY(choose_input(p));
        UNA_TRY(take_input(p));
    }
    UNA_TRY(p->chart->ask(p));
    una_figure figure = p->chart->draw(&p->line, &p->rows, p->arena);
    return una_figure_save(&figure, path, p->run);
}

una_status una_plot_write(const char *path, const una_model *model, const una_dataset *data,
                          const una_plot_settings *settings, una_run *run)
{
    una_arena arena;
    UNA_TRY(una_version_check("libuna_report", run));
    una_clear_message(run);
    plotting p = { .model = model, .given = data, .moves = SIZE_MAX, .arena = &arena, .run = run };
    UNA_TRY(UNA_TAKE(&p.asked, settings, una_plot_settings, run));
    una_arena_init(&arena, run);
    una_status status = draw_plot(&p, path);
    una_arena_free(&arena);
    return status;
}
