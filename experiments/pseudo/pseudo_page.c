/* SPDX-License-Identifier: MIT
 *
 * The page of pseudo-data: one small chart per spread, the gap's std against the spread for every seed, the table.
 * The charts show the first seed, fitted again: a fit takes less than a second.
 */
#include "pseudo/pseudo.h"

#include "bench/lines.h"
#include "draw/number.h"

static const double from = -5, to = 5, panel_width = 172, panel_height = 190, most_y = 90;

typedef struct drawing {
    const una_findings *findings;
    const una_row_key  *key[UNA_PSEUDO_MOST + 1];        /* without pseudo-data, then by spread             */
    una_trace            line[UNA_PSEUDO_MOST + 1];
    size_t              count;
    una_lines           lines;
    una_pseudo_list     list;
} drawing;

static una_status pseudo_add_panel(drawing *d, const una_group *group, const char *title, una_arena *arena)
{
    d->key[d->count] = una_group_key(d->findings, group);
    return una_trace_new(&d->line[d->count++], title, arena);
}

static una_status name_panels(drawing *d, una_arena *arena)
{
    const una_group *plain = una_findings_group(d->findings, "nlm", "cubic");
    if (plain) UNA_TRY(pseudo_add_panel(d, plain, "no pseudo-data", arena));
    for (size_t i = 0; i < d->list.count; i++) {
        const char *title = una_phrase(arena, "spread %s", UNA_BRIEF(d->list.spread[i], 6));
        UNA_TRY(pseudo_add_panel(d, d->list.group[i], title, arena));
    }
    return una_arena_check(arena);
}

static una_status fill_panel(void *context, size_t panel, una_run *run)
{
    drawing *d = context;
    una_model *model;
    una_dataset *data;
    run->settings.seed = d->key[panel]->seed;
    UNA_TRY(una_pseudo_fit(&model, &data, d->key[panel], run));
    return una_trace_fill(&d->line[panel], &d->lines, model, run);
}

/* The heads' targets, on the panel of a spread. */
static void pseudo_add_targets(una_panel *panel, double spread, una_arena *arena)
{
    static const una_look look = { UNA_SHAPE_POINTS, UNA_INK_SECOND, 4.5, 0 };
    enum { COUNT = UNA_PSEUDO_POINTS };
    double *x = UNA_GET(arena, double, COUNT), *y = UNA_GET(arena, double, 2 * COUNT);
    if (arena->failed || isnan(spread)) return;
    for (size_t i = 0; i < COUNT; i++) x[i] = una_pseudo_point(i), y[i] = spread / 2, y[COUNT + i] = -spread / 2;
    una_panel_plot(panel, look, x, y, COUNT);
    una_panel_plot(panel, look, x, y + COUNT, COUNT);
}

static una_status draw_panels(una_page *page, drawing *d, una_run *run)
{
    una_arena *arena = page->words.arena;
    una_figure figure;
    UNA_TRY(una_pool(run, d->count, fill_panel, d));
    UNA_TRY(una_lines_draw(&figure, &d->lines, d->line, d->count, arena));
    figure.columns = 4;
    figure.panel_width = panel_width;
    figure.panel_height = panel_height;
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_SECOND, "pseudo-data");
    for (size_t i = 0; i < figure.panel_count; i++) {
        pseudo_add_targets(figure.panels[i], una_pseudo_spread(d->key[i]), arena);
        figure.panels[i]->y.low = -most_y, figure.panels[i]->y.high = most_y;
    }
    return una_page_figure(page, "functions", &figure, "What the heads were told.",
        una_phrase(arena, "The same rows (seed %llu) and the same network, without pseudo-data and with targets that "
                "are ever farther apart. All panels share their axes; bands may leave the frame.",
                   (unsigned long long)d->key[0]->seed), run);
}

static una_status draw_functions(una_page *page, drawing *d, una_run *run)
{
    una_dataset *data = NULL;
    UNA_TRY(una_dataset_synthetic(&data, "cubic", UNA_PSEUDO_ROWS, 1, d->key[0]->seed, run));
    d->lines = (una_lines){ "x", "y", from, to, una_dataset_numbers(data, 0), una_dataset_numbers(data, 1),
                            UNA_PSEUDO_ROWS };
    una_status status = draw_panels(page, d, run);
    una_dataset_free(data);
    return status;
}

/* A line per seed, and the mean. */
static una_status draw_rise(una_page *page, const una_findings *f, const una_pseudo_list *list, una_run *run)
{
    una_arena *arena = page->words.arena;
    size_t seeds = list->group[0]->count, n = list->count;
    double *x = UNA_GET(arena, double, n), *y = UNA_GET(arena, double, (seeds + 1) * n);
    UNA_NEW(arena, double, flat, n);
    una_figure figure = una_figure_in(arena, 1, 520, 300);
    una_panel *panel = una_figure_panel(&figure, NULL, "spread of the targets (units of y)",
                                        "epistemic std in the gap (units of y)");
    const una_group *plain = una_findings_group(f, "nlm", "cubic");

    for (size_t i = 0; i < n; i++) {
        x[i] = list->spread[i];
        y[seeds * n + i] = una_findings_mean(f, list->group[i], UNA_PSEUDO_GAP_STD);
        flat[i] = plain ? una_findings_mean(f, plain, UNA_PSEUDO_GAP_STD) : NAN;
        for (size_t s = 0; s < seeds; s++)
            y[s * n + i] = s < list->group[i]->count
                         ? una_findings_value(f, list->group[i]->from + s, UNA_PSEUDO_GAP_STD) : NAN;
    }

    for (size_t s = 0; s < seeds; s++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.8, 0 }, x, y + s * n, n);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 2, 0 }, x, y + seeds * n, n);
    if (plain)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_SECOND, 0, 0 }, x, flat, n);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "mean of the seeds");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "each seed");
    if (plain) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_SECOND, "no pseudo-data");
    return una_page_figure(page, "rise", &figure, "Uncertainty by the spread.", "Mean epistemic standard deviation on "
            "[\u22121.5, 1.5] against the distance between the two heads' targets there.", run);
}

static una_status pseudo_put_table(una_page *page, const una_findings *f, una_run *run)
{
    static const una_column columns[] = {
        { "Model", UNA_SHEET_WORDS, 0, 0 }, { "Spread", UNA_SHEET_NUMBER, UNA_OWN, 0 },
        { "Seeds", UNA_SHEET_NUMBER, UNA_FITS, 0 }, { "Gap std", UNA_SHEET_SPREAD, UNA_PSEUDO_GAP_STD, 2 },
        { "Centre std", UNA_SHEET_SPREAD, UNA_PSEUDO_CENTRE_STD, 2 },
        { "Data std", UNA_SHEET_SPREAD, UNA_PSEUDO_DATA_STD, 2 }, { "RMSE", UNA_SHEET_SPREAD, UNA_PSEUDO_RMSE, 2 },
        { .title = NULL } };
    una_sheet sheet = una_page_table(page, "means", "Over the seeds.", "Epistemic standard deviation, mean over 61 "
            "points of [\u22121.5, 1.5] (gap), at x = 0 (centre) and over the training rows (data), and the error at "
            "the training rows: mean \u00B1 standard deviation over the seeds, in the units of y.", columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        double spread = una_pseudo_spread(una_group_key(f, g));
        una_page_line(&sheet, f, g, g->model, columns);
        una_sheet_number(&sheet, spread, spread == floor(spread) ? 0 : 2);
        una_page_cells(&sheet, f, g, columns);
    }
    return una_page_sheet(page, &sheet, run);
}

una_status una_pseudo_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    drawing d = { .findings = findings };
    (void)asked;
    una_pseudo_groups(&d.list, findings);
    UNA_TRY(name_panels(&d, page->words.arena));
    if (d.count > 0) UNA_TRY(draw_functions(page, &d, run));
    if (d.list.count > 1) UNA_TRY(draw_rise(page, findings, &d.list, run));
    return pseudo_put_table(page, findings, run);
}
