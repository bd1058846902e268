/* SPDX-License-Identifier: MIT
 *
 * Pictures of a comparison: of each model its error and log-likelihood with 95 % intervals and the folds behind them,
 * and below the differences to the best one, of which 0 is inside the interval where the two cannot be told apart.
 */
#include "select/compare.h"

#include "la/la.h"
#include "model/above.h"
#include "draw/fit_report.h"
#include "draw/number.h"
#include "draw/sheet.h"

static const double panel_width = 352;

/* ---- panels ----------------------------------------------------------------------------------------------------- */

typedef struct dots {                    /* of one panel: a line per model, the best at the top                    */
    const char **name;                   /* [count] from the bottom up                                             */
    double      *at, *value;             /* [count]                                                                */
    double      *low, *high;             /* [count, 2] of its interval                                             */
    size_t       count;
} dots;

static dots get_dots(const una_compared *c, una_arena *arena)
{
    return (dots){ UNA_GET(arena, const char *, c->count), UNA_GET(arena, double, c->count),
                   UNA_GET(arena, double, c->count), UNA_GET(arena, double, 2 * c->count),
                   UNA_GET(arena, double, 2 * c->count), c->count };
}

/* A model that fails badly must not squeeze the others: at most three times as far from the best as the baseline. */
static una_axis compare_axis_range(const una_compared *c, const dots *d, bool off, size_t measure)
{
    double low = INFINITY, high = -INFINITY, far = 0;
    double best = off ? 0 : una_compared_number_of(&c->model[0], measure)->mean;
    for (size_t i = 0; i < c->count; i++) {
        const una_compared_number *n = una_compared_number_of(&c->model[i], measure);
        una_range_add(&low, &high, d->low + 2 * i, 2);
        if (!off) una_range_add(&low, &high, n->fold, c->folds);
        if (strcmp(c->model[i].spec, "mean") == 0 && i > 0) far = 3 * fabs(n->difference);
    }
    if (off) low = fmin(low, 0), high = fmax(high, 0);
    if (far > 0) low = fmax(low, best - far), high = fmin(high, best + far);
    return low < high ? una_axis_around(low, high, 0.04) : (una_axis){ .low = best - 1, .high = best + 1 };
}

/* Places of one measure; off: of the differences. d->low holds both ends of each interval, d->high the heights. */
static void fill_dots(dots *d, const una_compared *c, size_t measure, bool off)
{
    double t = c->folds > 1 ? una_student_within(c->folds - 1, 0.95) : 0;
    for (size_t i = 0; i < c->count; i++) {
        const una_compared_number *n = una_compared_number_of(&c->model[i], measure);
        bool best = off && i == 0;
        d->name[c->count - 1 - i] = c->model[i].spec;
        d->at[i] = (double)(c->count - i);
        if (best) {
            d->value[i] = d->low[2 * i] = d->low[2 * i + 1] = 0;
        } else {
            d->value[i] = off ? n->difference : n->mean;
            d->low[2 * i] = off ? n->low : n->mean - t * n->error;
            d->low[2 * i + 1] = off ? n->high : n->mean + t * n->error;
        }
        d->high[2 * i] = d->high[2 * i + 1] = d->at[i];
    }
}

static void add_folds(una_panel *panel, const una_compared *c, const dots *d, size_t measure, una_arena *arena)
{
    for (size_t i = 0; i < c->count; i++) {
        double *at = UNA_GET(arena, double, c->folds);
        if (!at) return;
        for (size_t k = 0; k < c->folds; k++) at[k] = d->at[i] - 0.28;   /* below the line */
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_PART, 3.6, 0.9 },
                       una_compared_number_of(&c->model[i], measure)->fold, at, c->folds);
    }
}

/* Whether the interval of the difference to the best says so, in this measure. */
static bool is_worse(const una_compared_number *n, size_t measure)
{
    return measure == UNA_COMPARED_LOG_LIK ? n->high < 0 : n->low > 0;   /* NAN of the best: not */
}

static void compare_add_panel(una_figure *figure, const una_compared *c, size_t measure, bool off, const char *label,
                              una_arena *arena)
{
    dots d = get_dots(c, arena);
    una_panel *panel = una_figure_panel(figure, NULL, label, NULL);
    if (!panel || arena->failed) return;
    fill_dots(&d, c, measure, off);
    una_axis range = compare_axis_range(c, &d, off, measure);
    panel->x.low = range.low, panel->x.high = range.high;
    panel->y = (una_axis){ .low = 0.4, .high = (double)c->count + 0.6, .names = d.name, .name_count = c->count };

    una_panel_segment(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_PART, 0.8, 0 }, d.value[0], panel->y.low, d.value[0],
                      panel->y.high);
    if (!off) add_folds(panel, c, &d, measure, arena);
    for (size_t i = 0; i < c->count; i++) {
        double *at = d.low + 2 * i;
        at[0] = fmax(at[0], range.low), at[1] = fmin(at[1], range.high);         /* lines end at the panel's edge */
        una_ink ink = is_worse(una_compared_number_of(&c->model[i], measure), measure) ? UNA_INK_DATA : UNA_INK_MODEL;
        if (at[0] < at[1])
            una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, ink, 1.6, 0 }, at, d.high + 2 * i, 2);
        una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, ink, 6.5, 1 }, d.value + i, d.at + i, 1);
    }
}

static una_figure compare_draw(const una_compared *c, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 2, panel_width, 48 + 24 * (double)c->count);
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "the best, or like it");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_DATA, "worse than the best");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "95 % interval");
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_PART, "one fold");
    una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_PART, "the best");
    compare_add_panel(&figure, c, UNA_COMPARED_LOG_LIK, false, "Log-likelihood of a row (higher is better)", arena);
    compare_add_panel(&figure, c, UNA_COMPARED_RMSE, false, "RMSE (lower is better)", arena);
    compare_add_panel(&figure, c, UNA_COMPARED_LOG_LIK, true, "Log-likelihood, difference to the best", arena);
    compare_add_panel(&figure, c, UNA_COMPARED_RMSE, true, "RMSE, difference to the best", arena);
    return figure;
}

static una_status save_compare_chart(const void *compared, const char *path, una_arena *arena, una_run *run)
{
    una_figure figure = compare_draw(compared, arena);
    return una_figure_save(&figure, path, run);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static void add_values(una_html *html, const una_compared *c, una_arena *arena)
{
    static const una_sheet_head heads[] = {
        { "Model", UNA_SHEET_WORDS }, { "Log-likelihood", UNA_SHEET_SPREAD }, { "RMSE", UNA_SHEET_SPREAD },
        { "CRPS", UNA_SHEET_SPREAD }, { "Inside 95 %", UNA_SHEET_SPREAD }, { "Seconds", UNA_SHEET_NUMBER },
        { NULL, UNA_SHEET_EMPTY } };
    una_sheet sheet = una_sheet_in(arena, "models", "Scores.",
                                   "Means over the folds of rows that the fit had not seen, and their standard errors, "
                                   "which allow for the training rows that folds share.");
    una_sheet_columns(&sheet, heads);
    for (size_t i = 0; i < c->count; i++) {
        const una_compared_model *m = &c->model[i];
        una_sheet_line(&sheet);
        una_sheet_words(&sheet, m->spec);
        if (i == 0) una_sheet_strong(&sheet);
        for (size_t k = 0; k < UNA_COMPARED_COUNT; k++) {
            const una_compared_number *n = una_compared_number_of(m, k);
            una_sheet_spread(&sheet, n->mean, n->error, k == UNA_COMPARED_COVERAGE ? 3 : -4);
        }
        una_sheet_number(&sheet, m->seconds, 2);
    }
    una_sheet_html(html, &sheet);
}

static const char *interval_text(const una_compared_number *n, una_arena *arena)
{
    const char *a = UNA_BRIEF(n->difference, 2);
    if (!isfinite(n->low)) return una_phrase(arena, "%s", a);
    return una_phrase(arena, "%s (%s to %s)", a, UNA_BRIEF(n->low, 2), UNA_BRIEF(n->high, 2));
}

static void add_differences(una_html *html, const una_compared *c, una_arena *arena)
{
    static const una_sheet_head heads[] = {
        { "Model", UNA_SHEET_WORDS }, { "Log-likelihood", UNA_SHEET_WORDS }, { "RMSE", UNA_SHEET_WORDS },
        { "CRPS", UNA_SHEET_WORDS }, { "", UNA_SHEET_WORDS }, { NULL, UNA_SHEET_EMPTY } };
    una_sheet sheet = una_sheet_in(arena, "differences", "Differences to the best model.",
                                   "Fold by fold, with 95 % intervals by the corrected t-test of Nadeau and Bengio "
                                   "(2003). Where 0 is inside, the two cannot be told apart.");
    una_sheet_columns(&sheet, heads);
    for (size_t i = 1; i < c->count; i++) {
        const una_compared_model *m = &c->model[i];
        una_sheet_line(&sheet);
        una_sheet_words(&sheet, m->spec);
        for (size_t k = 0; k < UNA_COMPARED_COVERAGE; k++)
            una_sheet_words(&sheet, interval_text(una_compared_number_of(m, k), arena));
        una_sheet_words(&sheet, m->worse == 1 ? "worse" : "cannot be told");
    }
    una_sheet_html(html, &sheet);
}

static una_status save_compare_page(const void *compared, const char *path, una_arena *arena, una_run *run)
{
    const una_compared *c = compared;
    una_html html = una_html_begin(arena, "Which model?");
    una_text facts = una_text_in(arena);
    una_text_add(&facts, "%zu rows, %zu folds", c->rows, c->folds / c->repeats);
    if (c->repeats > 1) una_text_add(&facts, ", %zu times", c->repeats);
    una_text_add(&facts, ", the same for every model");
    if (c->groups) una_text_add(&facts, "; rows of each of the %zu groups stay in one fold", c->groups);
    una_text_add(&facts, ". The baseline, mean, says the mean and standard deviation of the training rows of every "
            "row.");
    una_html_heading(&html, 1, una_phrase(arena, "Which model predicts %s best?", c->target));
    una_html_paragraph(&html, "lead", c->sentence);
    una_html_paragraph(&html, NULL, facts.at);
    una_figure figure = compare_draw(c, arena);
    una_html_figure(&html, &figure, "Models.", "Means over the folds with 95 % intervals, and the differences to the "
            "best model, fold by fold.");
    add_values(&html, c, arena);
    add_differences(&html, c, arena);
    return una_html_save(&html, path, run);
}

una_status una_compare_page(const una_compared *compared, const char *path, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    return una_save_alone(save_compare_page, compared, path, run);
}

una_status una_compare_chart(const una_compared *compared, const char *path, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    return una_save_alone(save_compare_chart, compared, path, run);
}
