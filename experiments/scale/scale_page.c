/* SPDX-License-Identifier: MIT
 *
 * The page of the experiment: log-likelihood and error against the number of rows, a line for each model; the means
 * with what each step gained; and of functions that are known, how far off the mean is.
 */
#include "scale/scale.h"

#include "draw/number.h"

static const double panel_width = 420, panel_height = 250, aside = 0.01, air = 0.06, reach = 4;

typedef struct line { const char *title; una_ink ink; una_shape shape; } line;

/* Of a model by its place among those that were asked for. */
static line line_of(const una_asked *asked, size_t model)
{
    static const una_ink inks[] = { UNA_INK_MODEL, UNA_INK_IGNORANCE, UNA_INK_SECOND, UNA_INK_THIRD, UNA_INK_FOURTH,
                                    UNA_INK_NOISE };
    enum { INKS = sizeof inks / sizeof *inks };
    size_t same = 0;
    const una_bench_model *own = &asked->models[model];
    for (size_t m = 0; m < asked->model_count; m++) same += strcmp(asked->models[m].kind, own->kind) == 0;
    return (line){ same == 1 ? own->kind : own->spec, inks[model % INKS],
                   model / INKS % 2 ? UNA_SHAPE_DASHES : UNA_SHAPE_LINE };
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

typedef struct curve { double *rows, *mean, *low, *high; size_t count; } curve;

/* A model on a table, by rising sizes. Bars: two paired errors of the change since the size before. */
static una_status curve_of(curve *c, const una_group *any, const char *spec, size_t measure, una_page *page)
{
    const una_group *first = NULL;
    UNA_NEW(page->arena, double, all, 4 * UNA_SCALE_MOST_SIZES);
    *c = (curve){ all, all + UNA_SCALE_MOST_SIZES, all + 2 * UNA_SCALE_MOST_SIZES, all + 3 * UNA_SCALE_MOST_SIZES, 0 };
    for (const una_group *g = NULL; (g = una_findings_next(any->findings, g, NULL));)
        if (una_scale_same_table(g, any) && strcmp(una_group_key(g)->spec, spec) == 0 &&
            (!first || una_scale_rows(g) < una_scale_rows(first)))
            first = g;
    for (const una_group *g = first, *before = NULL; g && c->count < UNA_SCALE_MOST_SIZES;
         before = g, g = una_scale_larger(g)) {
        una_scale_change change = { 0, NAN };
        if (before) UNA_SCOPED(page->run, una_scale_compare(&change, g, before, measure, page->run));
        double mean = una_group_mean(g, measure);
        c->rows[c->count] = (double)una_scale_rows(g);
        c->mean[c->count] = mean;
        c->low[c->count] = mean - 2 * change.error;
        c->high[c->count++] = mean + 2 * change.error;
    }
    return UNA_OK;
}

/* A hundredth of the axis to the side of the next model, so that the bars of all are seen. */
static void move_aside(curve *c, size_t model, size_t models)
{
    if (c->count == 0) return;
    double reach_of_axis = log(c->rows[c->count - 1] / c->rows[0]);
    double by = exp(aside * reach_of_axis * ((double)model - ((double)models - 1) / 2));
    for (size_t i = 0; i < c->count; i++) c->rows[i] *= by;
}

/* The log-likelihood, or the error, of those who know the function and the noise. */
static double best_there_is(const una_scale_table *t, size_t measure)
{
    const double half_log_2_pi = 0.91893853320467274;
    double sum = 0, n = (double)t->test_count;
    for (size_t i = 0; i < t->test_count; i++) {
        size_t row = t->test[i];
        double off = t->known.y[row] - t->known.f[row], noise = t->known.noise[row];
        sum += measure == UNA_SCALE_RMSE ? off * off : -half_log_2_pi - log(noise) - off * off / (2 * noise * noise);
    }
    return measure == UNA_SCALE_RMSE ? sqrt(sum / n) : sum / n;
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

typedef struct field { double low, high, best, *values; size_t count; } field;   /* what a panel shows      */

static void add_to_field(field *f, const curve *c)
{
    una_range_add(&f->low, &f->high, c->mean, c->count);
    for (size_t i = 0; i < c->count; i++) f->values[f->count++] = c->mean[i];
}

/* What is far worse than the middle leaves the frame, or nothing else would be seen. */
static void show_field(una_panel *panel, field *f, bool higher_is_better)
{
    double middle = una_quantile(f->values, f->count, 0.5);
    if (isfinite(f->best)) una_range_add(&f->low, &f->high, &f->best, 1);
    if (!panel || !(f->low < f->high)) return;
    if (higher_is_better) f->low = fmax(f->low, f->high - reach * fmax(f->high - middle, 1e-9));
    else f->high = fmin(f->high, f->low + reach * fmax(middle - f->low, 1e-9));
    una_axis shown = una_axis_around(f->low, f->high, air);
    panel->y.low = shown.low, panel->y.high = shown.high;
}

static una_status draw_measure(una_page *page, una_figure *figure, const una_group *any, size_t measure,
                               const una_scale_table *table)
{
    const una_asked *asked = page->asked;
    bool likelihood = measure == UNA_SCALE_LOG_LIK;
    const char *data = una_group_key(any)->data;
    una_panel *panel = una_figure_panel(figure, una_phrase(page->arena, "%.*s", (int)una_scale_name(data), data),
                                        "training rows", likelihood ? "log-likelihood" : "RMSE");
    field f = { .low = INFINITY, .high = -INFINITY, .best = NAN };
    UNA_NEW_AT(page->arena, f.values, UNA_SCALE_MOST_SIZES * asked->model_count);
    if (!panel) return una_arena_check(page->arena);
    panel->x.log = true;
    for (size_t m = asked->model_count; m-- > 0;) {              /* the first is on top */
        curve c;
        line own = line_of(asked, m);
        UNA_TRY(curve_of(&c, any, asked->models[m].spec, measure, page));
        add_to_field(&f, &c);
        move_aside(&c, m, asked->model_count);
        una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, own.ink, 1, 0.7 }, c.rows, c.low, c.high, c.count);
        una_panel_plot(panel, (una_look){ own.shape, own.ink, 1.6, 0 }, c.rows, c.mean, c.count);
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, own.ink, 4, 0 }, c.rows, c.mean, c.count);
        if (m == 0 && table && table->known.rows && c.count > 1) {
            f.best = best_there_is(table, measure);
            una_panel_segment(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_DATA, 0.8, 0.7 }, c.rows[0], f.best,
                              c.rows[c.count - 1], f.best);
        }
    }
    show_field(panel, &f, likelihood);
    return UNA_OK;
}

/* The first group of a table; the group before it is of another one. */
static bool begins_table(const una_group *g)
{
    for (const una_group *b = g->findings->groups; b < g; b++)
        if (una_scale_same_table(b, g)) return false;
    return true;
}

static void add_keys(una_figure *figure, const una_asked *asked, bool known)
{
    for (size_t m = 0; m < asked->model_count; m++) {
        line own = line_of(asked, m);
        una_figure_key(figure, own.shape, own.ink, own.title);
    }
    una_figure_key(figure, UNA_SHAPE_RANGES, UNA_INK_PART, "two paired errors");
    if (known) una_figure_key(figure, UNA_SHAPE_DASHES, UNA_INK_DATA, "the truth");
}

static una_status draw_rows(una_page *page)
{
    una_figure figure = una_figure_in(page->arena, 2, panel_width, panel_height);
    bool known = false;
    for (const una_group *g = NULL; (g = una_findings_next(page->findings, g, NULL));) {
        size_t rows;
        const una_scale_table *table = una_scale_table_of(&rows, page->asked->shared, una_group_key(g)->data);
        if (!begins_table(g)) continue;
        known = known || (table && table->known.rows);
        UNA_TRY(draw_measure(page, &figure, g, UNA_SCALE_LOG_LIK, table));
        UNA_TRY(draw_measure(page, &figure, g, UNA_SCALE_RMSE, table));
    }
    add_keys(&figure, page->asked, known);
    return una_page_figure(page, "rows", &figure, "Likelihood and error against the number of rows.", "Means over the "
            "seeds, at the same test rows. Bars: two paired standard errors of the change since the size before, over "
            "the seeds and the test rows. The truth: what the function itself scores, with its noise. What is far "
            "worse than the middle of a panel leaves its frame.");
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const una_column of_steps[] = {
    { "model", UNA_SHEET_WORDS, 0, 0 }, { "rows", UNA_SHEET_NUMBER, UNA_OWN, 0 },
    { "log-lik", UNA_SHEET_NUMBER, UNA_OWN, 0 }, { "gain", UNA_SHEET_NUMBER, UNA_OWN, 0 },
    { "gain error", UNA_SHEET_NUMBER, UNA_OWN, 0 }, { "lead", UNA_SHEET_NUMBER, UNA_OWN, 0 },
    { "lead error", UNA_SHEET_NUMBER, UNA_OWN, 0 }, { "RMSE", UNA_SHEET_NUMBER, UNA_OWN, 0 },
    { "change", UNA_SHEET_NUMBER, UNA_OWN, 0 }, { "change error", UNA_SHEET_NUMBER, UNA_OWN, 0 },
    { "cover 95", UNA_SHEET_NUMBER, UNA_SCALE_COVERAGE, 3 },
    { "seconds", UNA_SHEET_NUMBER, UNA_SCALE_MEASURES, 1 }, { .title = NULL }
};

/* Two cells: of one group less another, which may not be there. */
static una_status put_change(una_sheet *sheet, const una_group *more, const una_group *less, size_t measure,
                             una_run *run)
{
    una_scale_change c = { NAN, NAN };
    if (less) UNA_SCOPED(run, una_scale_compare(&c, more, less, measure, run));
    int decimals = measure == UNA_SCALE_LOG_LIK ? 3 : -3;
    una_sheet_number(sheet, c.mean, decimals);
    una_sheet_number(sheet, c.error, decimals);
    return UNA_OK;
}

static una_status put_steps(una_sheet *sheet, const una_group *g, una_page *page)
{
    const char *first = page->asked->models[0].spec;
    const una_group *smaller = una_scale_smaller(g), *other = una_scale_other(g, first);
    una_sheet_begin(sheet, una_page_title(g));
    una_sheet_number(sheet, (double)una_scale_rows(g), 0);
    una_sheet_number(sheet, una_group_mean(g, UNA_SCALE_LOG_LIK), 3);
    UNA_TRY(put_change(sheet, g, smaller, UNA_SCALE_LOG_LIK, page->run));
    UNA_TRY(put_change(sheet, g, other == g ? NULL : other, UNA_SCALE_LOG_LIK, page->run));
    una_sheet_number(sheet, una_group_mean(g, UNA_SCALE_RMSE), -4);
    UNA_TRY(put_change(sheet, g, smaller, UNA_SCALE_RMSE, page->run));
    una_page_cells(sheet, g, of_steps);
    return UNA_OK;
}

/* Lines of all groups of a table, in the order of the plan: by model, then by size. */
typedef una_status put_group(una_sheet *sheet, const una_group *group, una_page *page);

static una_status put_tables(una_sheet *sheet, put_group *put, bool known, una_page *page)
{
    const una_findings *f = page->findings;
    for (const una_group *t = NULL; (t = una_findings_next(f, t, NULL));) {
        const char *data = una_group_key(t)->data;
        if (!begins_table(t) || (known && isnan(una_group_mean(t, UNA_SCALE_ERROR)))) continue;
        una_sheet_group(sheet, una_phrase(page->arena, "%.*s, %.0f test rows", (int)una_scale_name(data), data,
                                          una_group_mean(t, UNA_SCALE_TEST_ROWS)));
        for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
            if (una_scale_same_table(g, t)) UNA_TRY(put(sheet, g, page));
    }
    return UNA_OK;
}

static una_status steps_table(una_page *page)
{
    una_sheet sheet = una_page_table(page, "steps", "From size to size.", una_phrase(page->arena, "Means over the seeds "
            "at the test rows. Gain: of the log-likelihood, since the next smaller size of the same model. Lead: over "
            "the first model, %s, at the same size. Change: of the RMSE since the next smaller size. Errors are one "
            "paired standard error, over the seeds and the test rows.", page->asked->models[0].spec), of_steps);
    UNA_TRY(put_tables(&sheet, put_steps, false, page));
    una_page_heading(page, 2, "What a step gains");
    return una_page_sheet(page, &sheet);
}

static const una_column of_truth[] = {
    { "model", UNA_SHEET_WORDS, 0, 0 }, { "rows", UNA_SHEET_NUMBER, UNA_SCALE_ROWS, 0 },
    { "error", UNA_SHEET_SPREAD, UNA_SCALE_ERROR, 3 }, { "ignorance", UNA_SHEET_SPREAD, UNA_SCALE_EPISTEMIC, 3 },
    { "inside", UNA_SHEET_SPREAD, UNA_SCALE_INSIDE, 3 }, { "noise", UNA_SHEET_SPREAD, UNA_SCALE_NOISE, 3 },
    { .title = NULL }
};

static una_status put_truth(una_sheet *sheet, const una_group *g, una_page *page)
{
    (void)page;
    una_page_line(sheet, g, una_page_title(g), of_truth);
    return UNA_OK;
}

static una_status truth_table(una_page *page)
{
    una_sheet sheet = una_page_table(page, "truth", "Where the function is known.", "Error: of the mean against the "
            "function, at the test rows. Ignorance: mean epistemic std. Inside: share of these rows whose function is "
            "within the mean \u00B1 1.96 epistemic std, of which 0.95 would be right. Noise: its mean std, which is 0.3. "
            "Mean and sd over the seeds.", of_truth);
    UNA_TRY(put_tables(&sheet, put_truth, true, page));
    if (sheet.lines == 0) return una_arena_check(sheet.arena);
    una_page_heading(page, 2, "Where the function is known");
    return una_page_sheet(page, &sheet);
}

una_status una_scale_page(una_page *page)
{
    UNA_TRY(draw_rows(page));
    UNA_TRY(steps_table(page));
    return truth_table(page);
}
