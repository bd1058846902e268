/* SPDX-License-Identifier: MIT
 *
 * The page of Bayesian optimisation: regret along the steps, one small chart per surrogate; the thesis's table beside
 * ours; what a step costs; and a search in one dimension, watched step by step.
 */
#include "bayesopt/bayesopt.h"

#include "bo/search.h"
#include "draw/number.h"

static const double panel_width = 232, panel_height = 176, least_shown = 1e-6;

/* ---- the thesis's numbers ------------------------------------------------------------------------------------ */

/* Regret at the end (for svm and logistic the test error in percent), mean and sd of ten restarts. Some standard
 * deviations are printed as .00. */
typedef struct published { const char *model; double mean[4], sd[4]; } published;       /* as una_task_kinds */
static const published thesis[] = {
    { "luna", { 0.01, 0.32, 1.19, 7.64 }, { 0.00, 0.02, 0.12, 0.06 } },
    { "gp", { 0.00, 0.01, 1.20, 7.40 }, { 0.00, 0.00, 0.00, 0.00 } },
    { "nlm", { 0.01, 0.57, 1.20, 7.64 }, { 0.01, 0.44, 0.06, 0.10 } },
    { "mcd", { 0.01, 0.76, 1.10, 7.91 }, { 0.01, 0.25, 0.00, 0.29 } },
    { "anchored", { 0.01, 0.23, 1.18, 7.66 }, { 0.01, 0.21, 0.12, 0.09 } },
    { "bootstrap", { 0.06, 0.65, 1.11, 7.64 }, { 0.12, 0.28, 0.18, 0.08 } },
    { "ensemble", { 0.01, 0.68, 1.13, 7.59 }, { 0.02, 0.28, 0.05, 0.07 } },
    { "sngp", { 0.00, 0.22, 1.19, 7.64 }, { 0.00, 0.00, 0.14, 0.07 } },
    { "bbvi", { 0.01, 0.71, 1.30, 7.92 }, { 0.00, 0.23, 0.35, 0.33 } },
};

static const published *published_of(const char *model)
{
    for (size_t i = 0; i < sizeof thesis / sizeof *thesis; i++)
        if (strcmp(thesis[i].model, model) == 0) return &thesis[i];
    return NULL;
}

/* ---- which groups -------------------------------------------------------------------------------------------- */

static const una_task_kind *task_of(const una_group *g)
{
    return una_task_find(una_group_key(g)->data);
}

static bool has_task(const una_findings *f, const una_task_kind *task)
{
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        if (task_of(g) == task) return true;
    return false;
}

/* ---- regret along the steps ---------------------------------------------------------------------------------- */

typedef struct curve { double *steps, *median, *low, *high; size_t count; } curve;       /* logarithms to base 10 */

static double log_of(double regret)
{
    return log10(fmax(regret, least_shown));
}

static una_status curve_of(curve *c, const una_group *g, una_arena *arena)
{
    enum { STOPS = UNA_BAYESOPT_STOP_COUNT };
    UNA_NEW(arena, double, steps, 4 * STOPS);
    *c = (curve){ steps, steps + STOPS, steps + 2 * STOPS, steps + 3 * STOPS, 0 };
    for (size_t k = 0; k < STOPS; k++) {
        size_t measure = UNA_BAYESOPT_FIRST_STOP + k;
        double median = una_group_quantile(g, measure, 0.5, arena);
        if (isnan(median)) continue;
        c->steps[c->count] = (double)una_bayesopt_stops[k];
        c->median[c->count] = log_of(median);
        c->low[c->count] = log_of(una_group_quantile(g, measure, 0.25, arena));
        c->high[c->count++] = log_of(una_group_quantile(g, measure, 0.75, arena));
    }
    return UNA_OK;
}

typedef struct chart { una_figure figure; curve floor[2]; double low, high, last; } chart;
static const char *const floors[2] = { "random", "quasi" };
static const una_ink floor_inks[2] = { UNA_INK_DATA, UNA_INK_THIRD };
static const char *const floor_words[2] = { "random search, median", "quasi-random search, median" };

static una_status begin_chart(chart *c, const una_findings *f, const una_task_kind *task, una_arena *arena)
{
    c->figure = una_figure_in(arena, 3, panel_width, panel_height);
    c->low = INFINITY, c->high = -INFINITY;
    una_figure_key(&c->figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "median of the seeds");
    una_figure_key(&c->figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "middle half of them");
    for (size_t k = 0; k < 2; k++) {
        const una_group *g = una_findings_group(f, floors[k], task->name);
        if (!g) continue;
        UNA_TRY(curve_of(&c->floor[k], g, arena));
        una_range_add(&c->low, &c->high, c->floor[k].median, c->floor[k].count);
        una_figure_key(&c->figure, UNA_SHAPE_DASHES, floor_inks[k], floor_words[k]);
    }
    return UNA_OK;
}

static una_status draw_group(chart *c, const una_group *g, una_arena *arena)
{
    curve own;
    const char *label = task_of(g)->is_digits ? "log10 of error in %" : "log10 of regret";
    UNA_TRY(curve_of(&own, g, arena));
    if (own.count == 0) return UNA_OK;
    una_panel *panel = una_figure_panel(&c->figure, una_page_title(g), "steps", label);
    for (size_t k = 0; k < 2; k++)
        if (c->floor[k].count)
            una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, floor_inks[k], 0, 0 }, c->floor[k].steps,
                           c->floor[k].median, c->floor[k].count);
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_IGNORANCE, 0, 0 }, own.steps, own.low, own.high,
                      own.count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 0, 0 }, own.steps, own.median, own.count);
    una_range_add(&c->low, &c->high, own.low, own.count);
    una_range_add(&c->low, &c->high, own.high, own.count);
    c->last = fmax(c->last, own.steps[own.count - 1]);
    return UNA_OK;
}

static una_status task_chart(una_page *page, const una_task_kind *task)
{
    const una_findings *f = page->findings;
    chart c = { .last = 0 };
    UNA_TRY(begin_chart(&c, f, task, page->arena));
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        if (task_of(g) == task && !una_bayesopt_is_floor(g->model)) UNA_TRY(draw_group(&c, g, page->arena));
    if (c.figure.panel_count == 0) return una_arena_check(page->arena);

    double margin = 0.05 * fmax(c.high - c.low, 0.1);
    for (size_t p = 0; p < c.figure.panel_count; p++)
        una_panel_show(c.figure.panels[p], 0, c.last, c.low - margin, c.high + margin);
    return una_page_figure(page, task->name, &c.figure, una_phrase(page->arena, "%s.", task->name), task->is_digits ?
                           "Validation error of the best settings so far, against the steps after the first random "
                           "points. All panels share their axes." :
                           "Distance of the best value so far from the least there is, against the steps after the "
                           "first random points. All panels share their axes; regrets below a millionth are drawn as "
                           "one.");
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

static void task_line(una_sheet *sheet, const una_group *g, size_t column)
{
    const una_task_kind *task = task_of(g);
    const published *its = published_of(g->model);
    size_t at = task->is_digits ? UNA_BAYESOPT_TEST : UNA_BAYESOPT_REGRET;
    una_sheet_begin(sheet, una_page_title(g));
    una_sheet_number(sheet, (double)g->count, 0);
    una_sheet_number(sheet, una_group_quantile(g, at, 0.5, sheet->arena), -2);
    una_page_spread(sheet, g, at, task->is_digits ? 2 : 3);
    if (its) una_sheet_spread(sheet, its->mean[column], its->sd[column], 2);
    else una_sheet_words(sheet, NULL);
    una_sheet_number(sheet, una_group_mean(g, UNA_BAYESOPT_STEP), -2);
    una_sheet_number(sheet, una_group_mean(g, UNA_BAYESOPT_STEP_MEAN), -2);
}

static una_status results_table(una_page *page)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = {
        { "surrogate", UNA_SHEET_WORDS, 0, 0 },     { "seeds", UNA_SHEET_NUMBER, 0, 0 },
        { "median", UNA_SHEET_NUMBER, 0, 0 },       { "mean", UNA_SHEET_SPREAD, 0, 0 },
        { "thesis", UNA_SHEET_SPREAD, 0, 0 },       { "seconds a step", UNA_SHEET_NUMBER, 0, 0 },
        { "mean seconds", UNA_SHEET_NUMBER, 0, 0 }, { .title = NULL }
    };
    una_sheet s = una_page_table(page, "regret", "At the last step.", "Regret, of svm and logistic the error on test "
            "rows in percent, beside what the thesis prints (mean \u00B1 sd of ten restarts). Seconds are those that "
            "the next point takes, without its evaluation: their median, mean over the seeds, and their mean, which "
            "has the trainings in it.",
                                 columns);
    for (const una_task_kind *task = una_task_kinds; task->name; task++) {
        if (!has_task(f, task)) continue;
        una_sheet_group(&s, task->name);
        for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
            if (task_of(g) == task) task_line(&s, g, (size_t)(task - una_task_kinds));
    }
    una_page_heading(page, 2, "Where it ended");
    return una_page_sheet(page, &s);
}

/* ---- one dimension, step by step ----------------------------------------------------------------------------- */

enum { GRID = 161, BEGIN = 3, WATCHED = 6, MOST = BEGIN + WATCHED };
static const char *const line_space = "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}}";
static const double line_begin[BEGIN] = { 0.05, 0.45, 0.95 };
static const double frame_low = -15, frame_high = 19, strip_height = 5, two_sided = 1.96;

/* Forrester, Sobester and Keane, Engineering design via surrogate modelling, 2008; least -6.02 at 0.757. */
static double forrester(double x)
{
    return (6 * x - 2) * (6 * x - 2) * sin(12 * x - 4);
}

typedef struct watch {
    una_search      *search;
    size_t           count;
    double           x[MOST], f[MOST];
    una_trial_state  state[MOST];
    double          *grid, *truth;               /* [GRID]                                                         */
} watch;

typedef struct view { double mean[GRID], std[GRID], low[GRID], high[GRID], gain[GRID], floor[GRID]; } view;

/* The gain, given as a logarithm, is drawn in a strip at the bottom of the panel; its maximum is the strip's top. */
static void place_gain(view *v)
{
    double top = -INFINITY;
    for (size_t i = 0; i < GRID; i++) {
        v->low[i] = v->mean[i] - two_sided * v->std[i];
        v->high[i] = v->mean[i] + two_sided * v->std[i];
        top = fmax(top, v->gain[i]);
    }
    for (size_t i = 0; i < GRID; i++) {
        v->gain[i] = frame_low + (isfinite(top) ? strip_height * exp(v->gain[i] - top) : 0);
        v->floor[i] = frame_low;
    }
}

/* Too few points for that model: there is nothing to draw yet, and the next point was chosen without it. */
static void forget_slice(view *v, una_run *run)
{
    una_clear_message(run);
    for (size_t i = 0; i < GRID; i++) v->mean[i] = v->low[i] = v->high[i] = v->gain[i] = v->floor[i] = NAN;
}

static void draw_step(una_figure *figure, const watch *w, const view *v, double next, size_t step, una_arena *arena)
{
    double *told = UNA_GET(arena, double, 2 * w->count);
    if (!told) return;
    memcpy(told, w->x, w->count * sizeof *told);
    memcpy(told + w->count, w->f, w->count * sizeof *told);
    una_panel *panel = una_figure_panel(figure, una_phrase(arena, "%zu points", w->count), "x", step % 3 == 0 ? "f(x)"
                                                                                                           : NULL);
    una_panel_show(panel, 0, 1, frame_low, frame_high);
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_IGNORANCE, 0, 0 }, w->grid, v->low, v->high, GRID);
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_THIRD, 0, 0.7 }, w->grid, v->floor, v->gain, GRID);
    una_panel_segment(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_THIRD, 1.4, 0.9 }, next, frame_low, next, frame_high);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_DATA, 0, 0 }, w->grid, w->truth, GRID);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 0, 0 }, w->grid, v->mean, GRID);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, 6, 1 }, told, told + w->count, w->count);
}

static una_status watch_step(una_figure *figure, watch *w, size_t step, una_arena *arena, una_run *run)
{
    UNA_NEW(arena, view, v, 1);
    una_history history = { w->count, w->x, w->f, w->state };
    UNA_TRY(una_search_next(w->search, &history, &w->x[w->count], NULL, run));
    una_status status = una_search_predict(w->search, &history, w->grid, GRID, v->mean, v->std, run);
    if (status == UNA_OK) status = una_search_gain(w->search, &history, w->grid, GRID, v->gain, run);
    if (status != UNA_OK && status != UNA_E_INPUT && status != UNA_E_NUMERIC) return status;
    if (status == UNA_OK) place_gain(v);
    else forget_slice(v, run);
    draw_step(figure, w, v, w->x[w->count], step, arena);
    w->f[w->count] = forrester(w->x[w->count]);
    w->count++;
    return UNA_OK;
}

static una_status watch_steps(una_figure *figure, watch *w, una_arena *arena, una_run *run)
{
    UNA_NEW_AT(arena, w->grid, GRID);
    UNA_NEW_AT(arena, w->truth, GRID);
    for (size_t i = 0; i < GRID; i++) {
        w->grid[i] = (double)i / (GRID - 1);
        w->truth[i] = forrester(w->grid[i]);
    }
    for (size_t i = 0; i < MOST; i++) w->state[i] = UNA_TRIAL_TOLD;
    for (; w->count < BEGIN; w->count++) {
        w->x[w->count] = line_begin[w->count];
        w->f[w->count] = forrester(line_begin[w->count]);
    }
    for (size_t step = 0; step < WATCHED; step++) UNA_TRY(watch_step(figure, w, step, arena, run));
    return UNA_OK;
}

static una_figure watch_figure(una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 3, panel_width, panel_height + 24);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "surrogate, mean");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "its ignorance, 95 %");
    una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_DATA, "the function, which it does not know");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "values so far");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_THIRD, "expected improvement, and the next point");
    return figure;
}

/* number: how many panels of its kind come before it. */
static una_status watch_model(una_page *page, const una_bench_model *model, size_t number, uint64_t seed)
{
    una_arena *arena = page->arena;
    una_space *space;
    watch *w = UNA_GET(arena, watch, 1);
    const char *name = una_phrase(arena, "steps-%s", model->kind);
    una_figure figure = watch_figure(arena);
    if (number > 0) name = una_phrase(arena, "%s-%zu", name, number + 1);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_space_parse(&space, line_space, "the line", arena, page->run));
    una_search_settings settings = { .space = space, .model = model->spec, .acquisition = "log_ei", .seed = seed,
                                     .initial = BEGIN };
    UNA_TRY(una_search_new(&w->search, &settings, page->run));
    una_status status = watch_steps(&figure, w, arena, page->run);
    una_search_free(w->search);
    UNA_TRY(status);
    return una_page_figure(page, name, &figure, una_phrase(arena, "%s.", model->kind), "Minimising (6x \u2212 2)\u00B2 "
            "sin(12x \u2212 4) from three points. The strip below shows how much improvement is expected where, each "
            "time up to its own top (the search counts high values by their logarithm); the upright line is the point "
            "that is tried next. Bands may leave the frame.");
}

static una_status watch_all(una_page *page)
{
    bool any = false;
    for (size_t m = 0; m < page->asked->model_count; m++) {
        const una_bench_model *model = &page->asked->models[m];
        if (strcmp(model->kind, "gp") != 0 && strcmp(model->kind, "luna") != 0) continue;
        if (!any) una_page_heading(page, 2, "A search, step by step");
        any = true;
        size_t number = 0;
        for (size_t i = 0; i < m; i++) number += strcmp(page->asked->models[i].kind, model->kind) == 0;
        UNA_TRY(watch_model(page, model, number, page->asked->first));
    }
    return UNA_OK;
}

una_status una_bayesopt_page(una_page *page)
{
    const una_findings *findings = page->findings;
    una_page_heading(page, 2, "Regret along the steps");
    for (const una_task_kind *task = una_task_kinds; task->name; task++)
        if (has_task(findings, task)) UNA_TRY(task_chart(page, task));
    UNA_TRY(results_table(page));
    return watch_all(page);
}
