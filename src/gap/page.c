/* SPDX-License-Identifier: MIT
 *
 * The page and the pictures of a gap test: along each column, how much the model does not know with and without the
 * rows of the hole. Orange is the model that lacks them, blue are the models that have rows there.
 */
#include "gap/gap.h"

#include "model/above.h"
#include "draw/fit_report.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/sheet.h"

enum { COLUMNS = 3, PAGE_COLUMNS = 2, STRIPES = 15, LEAST_IN_STRIPE = 4, MOST_SHOWN = UNA_MOST_PANELS };
static const double panel_width = 300, panel_height = 220;
static const una_look hole_look = { UNA_SHAPE_BAND, UNA_INK_NOISE, 0, 0.3 };     /* a grey field behind all else */

/* ---- one picture --------------------------------------------------------------------------------------------- */

typedef struct seen { double x, with, known; } seen;

static int by_x(const void *a, const void *b)
{
    const seen *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->with != q->with) return p->with < q->with ? -1 : 1;
    return 0;
}

static const char *const *levels_of(const una_gap_view *view, const una_dataset *table, size_t *count, una_arena *arena)
{
    const char *const *word = una_dataset_words(table, view->hole.column[0]);
    const char **level = UNA_GET(arena, const char *, UNA_MOST_POINTS);
    *count = 0;
    for (size_t i = 0; level && i < table->rows; i++) {
        size_t at = 0;
        while (at < *count && (!word[i] || strcmp(level[at], word[i]) != 0)) at++;
        if (word[i] && at == *count && *count < UNA_MOST_POINTS) level[(*count)++] = word[i];
    }
    return level;
}

/* Where a row stands along the first column: its number, or the place of its word, from 1. */
static double gap_row_position(const una_gap_view *view, const una_dataset *table, size_t row, const char *const *level,
                               size_t levels)
{
    const una_table_column *column = &table->column[view->hole.column[0]];
    if (!column->is_text) return column->number[row];
    for (size_t i = 0; column->word[row] && i < levels; i++)
        if (strcmp(level[i], column->word[row]) == 0) return (double)i + 1;
    return NAN;
}

/* All rows that were asked, by their place; those without one are left out. */
static seen *gap_gather_rows(size_t *count, const una_gap_view *view, const una_dataset *table,
                             const char *const *level, size_t levels, una_arena *arena)
{
    const una_gap_rows *part[] = { &view->inside, &view->outside };
    seen *at = UNA_GET(arena, seen, view->inside.count + view->outside.count);
    *count = 0;
    for (size_t p = 0; at && p < 2; p++)
        for (size_t i = 0; i < part[p]->count; i++) {
            double x = gap_row_position(view, table, part[p]->row[i], level, levels);
            if (isfinite(x)) at[(*count)++] = (seen){ x, part[p]->with[i], part[p]->known[i] };
        }
    if (at) qsort(at, *count, sizeof *at, by_x);
    return at;
}

typedef struct lines { double *x, *with, *known; size_t count; } lines;

static void put_seen(lines *l, size_t i, seen at)
{
    l->x[i] = at.x, l->with[i] = at.with, l->known[i] = at.known;
}

/* at NULL: room for so many, and none yet. */
static lines lines_of(const seen *at, size_t count, una_arena *arena)
{
    lines l = { UNA_GET(arena, double, count), UNA_GET(arena, double, count), UNA_GET(arena, double, count), 0 };
    for (; at && !arena->failed && l.count < count; l.count++) put_seen(&l, l.count, at[l.count]);
    return l;
}

/* -1, 0 (inside), 1; of words each has its own side. */
static double side_of(const una_hole *hole, double x)
{
    if (hole->level) return x;
    if (x < hole->low[0]) return -1;
    return x > hole->high[0] ? 1 : 0;
}

/* Medians over stripes of about equal numbers of rows; rows of one value go together, and no stripe has rows on both
 * sides of an edge of the hole. */
static lines stripe_medians(const seen *at, size_t count, const una_hole *hole, una_arena *arena)
{
    size_t each = count / STRIPES < LEAST_IN_STRIPE ? LEAST_IN_STRIPE : count / STRIPES;
    lines l = lines_of(NULL, count + 1, arena), stripe = lines_of(NULL, count, arena);
    if (arena->failed) return (lines){0};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count; end++) {
            bool same = end > i && at[end].x == at[end - 1].x;
            if (end > i && side_of(hole, at[end].x) != side_of(hole, at[i].x)) break;
            if (!same && end - i >= each) break;
            put_seen(&stripe, end - i, at[end]);
        }
        put_seen(&l, l.count++, (seen){ una_quantile(stripe.x, end - i, 0.5), una_quantile(stripe.with, end - i, 0.5),
                                         una_quantile(stripe.known, end - i, 0.5) });
    }
    return l;
}

/* A hole of one value is as wide as can be seen in a panel of that range. */
static void widen_hole(una_axis *hole, double range)
{
    const double least = 0.024;
    double more = (least * range - (hole->high - hole->low)) / 2;
    if (more > 0) hole->low -= more, hole->high += more;
}

/* Places of both models: points, or a line. */
static void add_both_models(una_panel *panel, const lines *l, una_shape shape, double size, double opacity)
{
    una_panel_plot(panel, (una_look){ shape, UNA_INK_MODEL, size, opacity }, l->x, l->known, l->count);
    una_panel_plot(panel, (una_look){ shape, UNA_INK_IGNORANCE, size, opacity }, l->x, l->with, l->count);
}

static void draw_along(una_panel *panel, const una_gap_view *view, const una_dataset *table, una_arena *arena)
{
    size_t count, levels = 0;
    bool text = table->column[view->hole.column[0]].is_text;
    const char *const *level = text ? levels_of(view, table, &levels, arena) : NULL;
    seen *at = gap_gather_rows(&count, view, table, level, levels, arena);
    lines rows = lines_of(at, count, arena);
    double *all = UNA_GET(arena, double, 2 * count);
    if (arena->failed || !panel || count == 0) return;
    memcpy(all, rows.with, count * sizeof *all);
    memcpy(all + count, rows.known, count * sizeof *all);
    /* A few rows of which nothing at all is known do not decide the range. */
    double top = 1.15 * una_quantile(all, 2 * count, 0.99), air = at[count - 1].x - at[0].x;
    air = 0.04 * (air > 0 ? air : 1);
    panel->y.high = top > 0 ? top : 1;
    panel->x.low = text ? 0.5 : at[0].x - air, panel->x.high = text ? (double)levels + 0.5 : at[count - 1].x + air;
    panel->x.names = level, panel->x.name_count = levels;
    panel->x.date = una_date_writer_of(view->hole.form[0]);

    una_axis hole = { .low = view->hole.low[0], .high = view->hole.high[0] };
    for (size_t i = 0; i < levels; i++)
        if (strcmp(level[i], view->hole.level) == 0) hole.low = (double)i + 0.6, hole.high = (double)i + 1.4;
    widen_hole(&hole, panel->x.high - panel->x.low);
    una_panel_field(panel, hole_look, hole, panel->y);
    add_both_models(panel, &rows, UNA_SHAPE_POINTS, count > 400 ? 1.8 : 2.6, count > 400 ? 0.25 : 0.4);
    lines l = stripe_medians(at, count, &view->hole, arena);
    add_both_models(panel, &l, text ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE, text ? 7 : 1.8, 1);
}

/* ---- a pair: seen from above ----------------------------------------------------------------------------------- */

static void gap_add_dots(una_panel *panel, const una_gap_view *view, const una_dataset *table, bool wider,
                         una_arena *arena)
{
    const una_gap_rows *rows = &view->inside;
    double *x = UNA_GET(arena, double, rows->count), *y = UNA_GET(arena, double, rows->count);
    size_t count = 0;
    if (arena->failed || !panel) return;
    for (size_t i = 0; i < rows->count; i++) {
        if ((rows->with[i] > UNA_GAP_CLEARLY * rows->known[i]) != wider) continue;
        x[count] = table->column[view->hole.column[0]].number[rows->row[i]];
        y[count++] = table->column[view->hole.column[1]].number[rows->row[i]];
    }
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, wider ? UNA_INK_IGNORANCE : UNA_INK_MODEL, 3, 0.8 }, x, y,
                   count);
}

static void draw_pair(una_panel *panel, const una_gap_view *view, const una_dataset *table, una_arena *arena)
{
    const una_hole *hole = &view->hole;
    const double *a = table->column[hole->column[0]].number, *b = table->column[hole->column[1]].number;
    double *x = UNA_GET(arena, double, table->rows), *y = UNA_GET(arena, double, table->rows);
    size_t count = 0;
    if (arena->failed || !panel) return;
    for (size_t i = 0; i < table->rows; i++) {
        if (hole->inside[i]) continue;
        x[count] = a[i];
        y[count++] = b[i];
    }
    una_axis along = { .low = hole->low[0], .high = hole->high[0] },
             up = { .low = hole->low[1], .high = hole->high[1] };
    panel->x.date = una_date_writer_of(hole->form[0]), panel->y.date = una_date_writer_of(hole->form[1]);
    widen_hole(&along, una_reach_of(x, count));
    widen_hole(&up, una_reach_of(y, count));
    una_panel_field(panel, hole_look, along, up);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_DATA, 2, 0.3 }, x, y, count);
    gap_add_dots(panel, view, table, false, arena);
    gap_add_dots(panel, view, table, true, arena);
}

/* ---- all pictures ---------------------------------------------------------------------------------------------- */

/* Panels of the holes from `from` to `to`. */
static una_figure draw_holes(const una_gap_result *r, size_t from, size_t to, size_t columns, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, columns, panel_width, panel_height);
    bool along = false, above = false;
    for (size_t i = from; i < to && figure.panel_count < MOST_SHOWN; i++) {
        const una_gap_hole *hole = &r->hole[i];
        if (hole->why_not) continue;
        bool pair = hole->columns[1] != NULL;
        una_panel *panel = una_figure_panel(&figure, pair ? hole->name : hole->columns[0], hole->columns[0],
                                            pair ? hole->columns[1] : "Ignorance");
        if (pair) draw_pair(panel, &r->view[i], r->table, arena);
        else draw_along(panel, &r->view[i], r->table, arena);
        along = along || !pair;
        above = above || pair;
    }
    if (along) {
        una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE, "without its rows");
        una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "with rows there");
    }
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_NOISE, "the hole");
    if (above) {
        una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, "row with a wider band");
        una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "row without");
    }
    return figure;
}

static una_status save_gap_chart(const void *what, const char *path, una_arena *arena, una_run *run)
{
    const una_gap_result *r = what;
    size_t count = r->gap.column_count + r->gap.pair_count;
    una_figure figure = draw_holes(r, 0, count, count < COLUMNS ? count : COLUMNS, arena);
    return una_figure_save(&figure, path, run);
}

/* ---- the page -------------------------------------------------------------------------------------------------- */

static const char *const short_conclusions[] = {
    [UNA_GAP_RIGHTLY] = "noticed, rightly", [UNA_GAP_TOO_LITTLE] = "noticed, not enough",
    [UNA_GAP_TOO_CAREFUL] = "noticed, hardly matters", [UNA_GAP_UNNOTICED] = "UNNOTICED, and it matters",
    [UNA_GAP_HARMLESS] = "not noticed, no harm", [UNA_GAP_UNCLEAR] = "cannot be told", [UNA_GAP_NO_HOLE] = "no hole" };

/* "96 / 94": in the hole, and outside. */
static void add_both(una_sheet *sheet, double inside, double outside, int decimals)
{
    una_sheet_words(sheet, isnan(inside) && isnan(outside) ? NULL :
                    una_phrase(sheet->arena, "%s\xC2\xA0/\xC2\xA0%s", UNA_PLAIN(inside, decimals),
                               UNA_PLAIN(outside, decimals)));
}

static void gap_add_line(una_sheet *sheet, const una_gap_hole *hole)
{
    una_sheet_begin(sheet, hole->name);
    una_sheet_words(sheet, short_conclusions[hole->kind]);
    if (hole->kind == UNA_GAP_UNNOTICED || hole->kind == UNA_GAP_TOO_LITTLE) una_sheet_strong(sheet);
    una_sheet_number(sheet, 100 * hole->wider, 0);
    una_sheet_number(sheet, hole->spread, 2);
    una_sheet_number(sheet, hole->error, 2);
    una_sheet_number(sheet, hole->auroc, 2);
    una_sheet_number(sheet, hole->increase, 0);
    add_both(sheet, 100 * hole->coverage_inside, 100 * hole->coverage_outside, 0);
    add_both(sheet, hole->log_lik_inside, hole->log_lik_outside, 2);
}

static void gap_add_table(una_html *html, const una_gap *gap, una_arena *arena)
{
    static const una_sheet_head heads[] = {
        { "column", UNA_SHEET_WORDS }, { "verdict", UNA_SHEET_WORDS }, { "wider %", UNA_SHEET_NUMBER },
        { "ignorance \xC3\x97", UNA_SHEET_NUMBER }, { "error \xC3\x97", UNA_SHEET_NUMBER },
        { "AUROC", UNA_SHEET_NUMBER }, { "increase %", UNA_SHEET_NUMBER }, { "in band %", UNA_SHEET_WORDS },
        { "log-lik", UNA_SHEET_WORDS }, { NULL, UNA_SHEET_EMPTY }
    };
    una_sheet sheet = una_sheet_in(arena, "gap", "The numbers.", "Wider: rows of the hole whose ignorance is clearly "
            "larger than it would be with rows there. Ignorance and error: how many times as large as with rows there. "
            "AUROC and increase: of ignorance in the hole against that of ordinary rows. In band: rows inside their 95 "
            "% band, in the hole and outside. Log-lik: mean log-likelihood per row, in the hole and outside.");
    una_sheet_columns(&sheet, heads);
    for (size_t i = 0; i < gap->column_count + gap->pair_count; i++) gap_add_line(&sheet, &gap->hole[i]);
    una_sheet_html(html, &sheet);
}

/* The sentences of all holes below a heading; without one those of holes in which it is dangerous, in a box. */
static void add_conclusions(una_html *html, const char *heading, const una_gap_hole *hole, size_t count)
{
    const char **sentence = UNA_GET(html->text.arena, const char *, count);
    size_t taken = 0;
    for (size_t i = 0; sentence && i < count; i++)
        if (heading || hole[i].kind == UNA_GAP_UNNOTICED) sentence[taken++] = hole[i].verdict;
    if (!heading) una_html_box(html, "Unnoticed, and it matters", sentence, taken);
    if (!heading || count == 0) return;
    una_html_heading(html, 2, heading);
    una_html_list(html, sentence, taken);
}

static void add_method(una_html *html, const una_gap_result *r, una_arena *arena)
{
    const una_gap *gap = &r->gap;
    const char *origin = una_dataset_origin(r->table), *slash = strrchr(origin, '/');
    una_html_heading(html, 2, "How it was done");
    una_html_paragraph(html, NULL, una_phrase(arena, "%s: %zu rows, target %s. For each hole a model was fitted "
            "without its rows and without some ordinary ones; three more, each without a random third of all rows, say "
            "how sure and how wrong it would be with rows there. Every number is of rows that the model had not "
            "seen%s. A hole is noticed where 60 of 100 of its rows have at least 1.1 times the ignorance that they "
            "would have with rows there; it matters where their mean absolute error is at least 1.25 times as large. "
            "%zu fits of %s.",
        slash ? slash + 1 : origin, gap->rows, gap->target, gap->repeats > 1 ? ", and a mean over the repeats" : "",
        gap->fits, gap->spec));
}

static void add_pictures(una_html *html, const una_gap_result *r, una_arena *arena)
{
    const una_gap *gap = &r->gap;
    una_figure along = draw_holes(r, 0, gap->column_count, PAGE_COLUMNS, arena);
    una_html_section(html, NULL, &along, "Along each column.", "How much the model does not know (the standard "
            "deviation of the function, in units of the target), row by row, where the rows of the hole were left out "
            "and where they were not; lines are medians.");
    una_figure pairs = draw_holes(r, gap->column_count, gap->column_count + gap->pair_count, PAGE_COLUMNS, arena);
    una_html_section(html, NULL, &pairs, "Pairs of columns.", "The hole seen from above: rows that stayed are grey.");
}

static una_status save_gap_page(const void *what, const char *path, una_arena *arena, una_run *run)
{
    const una_gap_result *r = what;
    const una_gap *gap = &r->gap;
    una_html html = una_html_begin(arena, "Would a hole be noticed?");
    una_html_heading(&html, 1, "Would a hole in the data be noticed?");
    una_html_paragraph(&html, "lead", gap->answer);
    add_conclusions(&html, NULL, gap->hole, gap->column_count + gap->pair_count);
    add_conclusions(&html, "Column by column", gap->hole, gap->column_count);
    add_conclusions(&html, "Pairs of columns", gap->hole + gap->column_count, gap->pair_count);
    add_pictures(&html, r, arena);
    gap_add_table(&html, gap, arena);
    add_method(&html, r, arena);
    return una_html_save(&html, path, run);
}

una_status una_gap_page(const una_gap *gap, const char *path, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    return una_save_alone(save_gap_page, gap, path, run);
}

una_status una_gap_chart(const una_gap *gap, const char *path, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    return una_save_alone(save_gap_chart, gap, path, run);
}
