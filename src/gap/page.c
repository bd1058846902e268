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
    lines l = { .x = UNA_GET(arena, double, count + 1), .with = UNA_GET(arena, double, count + 1),
                .known = UNA_GET(arena, double, count + 1) };
    double *x = UNA_GET(arena, double, count), *with = UNA_GET(arena, double, count);
    double *known = UNA_GET(arena, double, count);
    if (arena->failed) return (lines){0};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count; end++) {
            bool same = end > i && at[end].x == at[end - 1].x;
            if (end > i && side_of(hole, at[end].x) != side_of(hole, at[i].x)) break;
            if (!same && end - i >= each) break;
            x[end - i] = at[end].x;
            with[end - i] = at[end].with;
            known[end - i] = at[end].known;
        }
        l.x[l.count] = una_quantile(x, end - i, 0.5);
        l.with[l.count] = una_quantile(with, end - i, 0.5);
        l.known[l.count++] = una_quantile(known, end - i, 0.5);
    }
    return l;
}

/* The hole as a grey field behind all else. */
static void shade_hole(una_panel *panel, double low, double high, double bottom, double top, una_arena *arena)
{
    double *at = UNA_GET(arena, double, 6);
    if (!at || !panel) return;
    at[0] = low, at[1] = high;
    at[2] = at[3] = bottom;
    at[4] = at[5] = top;
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_BAND, .ink = UNA_INK_NOISE, .x = at, .y = at + 2,
                  .y2 = at + 4, .count = 2, .opacity = 0.3 });
}

/* A hole of one value is as wide as can be seen in a panel of that range. */
static void widen_hole(double *low, double *high, double range)
{
    const double least = 0.024;
    double more = (least * range - (*high - *low)) / 2;
    if (more > 0) *low -= more, *high += more;
}

/* A range of x with some air. */
static void set_range(una_panel *panel, const seen *at, size_t count, const char *const *level, size_t levels)
{
    double low = at[0].x, high = at[count - 1].x, air = 0.04 * (high > low ? high - low : 1);
    panel->x.low = level ? 0.5 : low - air;
    panel->x.high = level ? (double)levels + 0.5 : high + air;
    panel->x.names = level;
    panel->x.name_count = levels;
}

static void draw_along(una_panel *panel, const una_gap_view *view, const una_dataset *table, una_arena *arena)
{
    size_t count, levels = 0;
    bool text = table->column[view->hole.column[0]].is_text;
    const char *const *level = text ? levels_of(view, table, &levels, arena) : NULL;
    seen *at = gap_gather_rows(&count, view, table, level, levels, arena);
    double *x = UNA_GET(arena, double, count), *with = UNA_GET(arena, double, count);
    double *known = UNA_GET(arena, double, count), *all = UNA_GET(arena, double, 2 * count);
    if (arena->failed || !panel || count == 0) return;
    for (size_t i = 0; i < count; i++) {
        x[i] = at[i].x;
        all[i] = with[i] = at[i].with;
        all[count + i] = known[i] = at[i].known;
    }
    /* A few rows of which nothing at all is known do not decide the range. */
    double top = 1.15 * una_quantile(all, 2 * count, 0.99);
    set_range(panel, at, count, level, levels);
    panel->y.high = top > 0 ? top : 1;

    double low = view->hole.low[0], high = view->hole.high[0];
    for (size_t i = 0; i < levels; i++)
        if (strcmp(level[i], view->hole.level) == 0) low = (double)i + 0.6, high = (double)i + 1.4;
    widen_hole(&low, &high, panel->x.high - panel->x.low);
    shade_hole(panel, low, high, 0, panel->y.high, arena);
    double size = count > 400 ? 1.8 : 2.6, faint = count > 400 ? 0.25 : 0.4;
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_MODEL, .x = x, .y = known,
                  .count = count, .size = size, .opacity = faint });
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_IGNORANCE, .x = x, .y = with,
                  .count = count, .size = size, .opacity = faint });
    lines l = stripe_medians(at, count, &view->hole, arena);
    una_shape shape = text ? UNA_SHAPE_POINTS : UNA_SHAPE_LINE;
    una_panel_add(panel, (una_series){ .shape = shape, .ink = UNA_INK_MODEL, .x = l.x, .y = l.known, .count = l.count,
                  .size = text ? 7 : 1.8, .opacity = 1 });
    una_panel_add(panel, (una_series){ .shape = shape, .ink = UNA_INK_IGNORANCE, .x = l.x, .y = l.with,
                  .count = l.count, .size = text ? 7 : 1.8, .opacity = 1 });
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
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = wider ? UNA_INK_IGNORANCE : UNA_INK_MODEL,
                  .x = x, .y = y, .count = count, .size = 3, .opacity = 0.8 });
}

static double values_span(const double *value, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    una_range_add(&low, &high, value, count);
    return high - low;
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
    double low[] = { hole->low[0], hole->low[1] }, high[] = { hole->high[0], hole->high[1] };
    widen_hole(&low[0], &high[0], values_span(x, count));
    widen_hole(&low[1], &high[1], values_span(y, count));
    shade_hole(panel, low[0], high[0], low[1], high[1], arena);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_DATA, .x = x, .y = y, .count = count,
                  .size = 2, .opacity = 0.3 });
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

static una_status gap_save_chart(const una_gap_result *r, const char *path, una_arena *arena, una_run *run)
{
    una_format format;
    UNA_TRY(una_format_of(&format, path, run));
    size_t count = r->gap.column_count + r->gap.pair_count;
    una_figure figure = draw_holes(r, 0, count, count < COLUMNS ? count : COLUMNS, arena);
    una_text bytes = una_text_in(arena);
    UNA_TRY(una_figure_draw(&bytes, &figure, format, run));
    return una_report_save(path, &bytes, run);
}

/* ---- the page -------------------------------------------------------------------------------------------------- */

static const char *short_conclusion(una_gap_kind kind)
{
    switch (kind) {
    case UNA_GAP_RIGHTLY: return "noticed, rightly";
    case UNA_GAP_TOO_LITTLE: return "noticed, not enough";
    case UNA_GAP_TOO_CAREFUL: return "noticed, hardly matters";
    case UNA_GAP_UNNOTICED: return "UNNOTICED, and it matters";
    case UNA_GAP_HARMLESS: return "not noticed, no harm";
    case UNA_GAP_UNCLEAR: return "cannot be told";
    default: return "no hole";
    }
}

/* "96 / 94": in the hole, and outside. */
static void add_both(una_sheet *sheet, double inside, double outside, int decimals)
{
    char words[2 * UNA_NUMBER_ROOM + 8], a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    if (isnan(inside) && isnan(outside)) {
        una_sheet_words(sheet, NULL);
        return;
    }
    snprintf(words, sizeof words, "%s\xC2\xA0/\xC2\xA0%s", una_number_plain(a, inside, decimals),
             una_number_plain(b, outside, decimals));
    una_sheet_words(sheet, words);
}

static void gap_add_line(una_sheet *sheet, const una_gap_hole *hole)
{
    una_sheet_line(sheet);
    una_sheet_words(sheet, hole->name);
    una_sheet_words(sheet, short_conclusion(hole->kind));
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
        { "log-lik", UNA_SHEET_WORDS }
    };
    una_sheet sheet = una_sheet_in(arena, "gap", "The numbers.", "Wider: rows of the hole whose ignorance is clearly "
        "larger than it would be with rows there. Ignorance and error: how many times as large as with rows "
        "there. AUROC and increase: of ignorance in the hole against that of ordinary rows. In band: rows inside their "
        "95 % band, in the hole and outside. Log-lik: mean log-likelihood per row, in the hole and outside.");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) una_sheet_column(&sheet, heads[i].title, heads[i].kind);
    for (size_t i = 0; i < gap->column_count + gap->pair_count; i++) gap_add_line(&sheet, &gap->hole[i]);
    una_sheet_html(html, &sheet);
}

static void gap_add_conclusions(una_html *html, const una_gap_hole *hole, size_t count, una_arena *arena)
{
    const char **sentence = UNA_GET(arena, const char *, count);
    for (size_t i = 0; sentence && i < count; i++) sentence[i] = hole[i].verdict;
    if (sentence) una_html_list(html, sentence, count);
}

/* What must not be read over. */
static void add_dangers(una_html *html, const una_gap *gap, una_arena *arena)
{
    size_t count = 0, all = gap->column_count + gap->pair_count;
    const char **sentence = UNA_GET(arena, const char *, all);
    for (size_t i = 0; sentence && i < all; i++)
        if (gap->hole[i].kind == UNA_GAP_UNNOTICED) sentence[count++] = gap->hole[i].verdict;
    if (sentence) una_html_box(html, "Unnoticed, and it matters", sentence, count);
}

static void add_method(una_html *html, const una_gap_result *r, una_arena *arena)
{
    const una_gap *gap = &r->gap;
    const char *origin = una_dataset_origin(r->table), *slash = strrchr(origin, '/');
    una_text words = una_text_in(arena);
    una_text_add(&words, "%s: %zu rows, target %s. For each hole a model was fitted without its rows and without some "
        "ordinary ones; three more, each without a random third of all rows, say how sure and how wrong it would be "
        "with rows there. Every number is of rows that the model had not seen%s. A hole is noticed where 60 of 100 of "
        "its rows have at least 1.1 times the ignorance that they would have with rows there; it matters where their "
        "mean absolute error is at least 1.25 times as large. %zu fits of %s.", slash ? slash + 1 : origin,
        gap->rows, gap->target, gap->repeats > 1 ? ", and a mean over the repeats" : "", gap->fits, gap->spec);
    una_html_heading(html, 2, "How it was done");
    if (words.at) una_html_paragraph(html, NULL, words.at);
}

static una_status add_pictures(una_html *html, const una_gap_result *r, una_arena *arena, una_run *run)
{
    const una_gap *gap = &r->gap;
    una_figure along = draw_holes(r, 0, gap->column_count, PAGE_COLUMNS, arena);
    if (along.panel_count)
        UNA_TRY(una_html_figure(html, &along, "Along each column.", "How much the model does not know (the standard "
            "deviation of the function, in units of the target), row by row, where the rows of the hole were left out "
            "and where they were not; lines are medians.", run));
    if (gap->pair_count == 0) return UNA_OK;
    una_figure pairs = draw_holes(r, gap->column_count, gap->column_count + gap->pair_count, PAGE_COLUMNS, arena);
    return una_html_figure(html, &pairs, "Pairs of columns.", "The hole seen from above: rows that stayed are grey.",
                           run);
}

static una_status gap_save_page(const una_gap_result *r, const char *path, una_arena *arena, una_run *run)
{
    const una_gap *gap = &r->gap;
    una_html html = una_html_begin(arena, "Would a hole be noticed?");
    una_html_heading(&html, 1, "Would a hole in the data be noticed?");
    una_html_paragraph(&html, "lead", gap->answer);
    add_dangers(&html, gap, arena);
    una_html_heading(&html, 2, "Column by column");
    gap_add_conclusions(&html, gap->hole, gap->column_count, arena);
    if (gap->pair_count) {
        una_html_heading(&html, 2, "Pairs of columns");
        gap_add_conclusions(&html, gap->hole + gap->column_count, gap->pair_count, arena);
    }
    UNA_TRY(add_pictures(&html, r, arena, run));
    gap_add_table(&html, gap, arena);
    add_method(&html, r, arena);
    UNA_TRY(una_html_end(&html, "Made by una " UNA_VERSION ". This page is complete in itself: it fetches nothing and "
                         "sends nothing."));
    return una_report_save(path, &html.text, run);
}

/* ---- the public calls ------------------------------------------------------------------------------------------ */

typedef una_status saver(const una_gap_result *r, const char *path, una_arena *arena, una_run *run);

static una_status gap_save(const una_gap *gap, const char *path, saver *how, una_run *run)
{
    una_arena arena;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_arena_init(&arena, run);
    una_status status = how((const una_gap_result *)gap, path, &arena, run);
    una_arena_free(&arena);
    return status;
}

una_status una_gap_page(const una_gap *gap, const char *path, una_run *run)
{
    return gap_save(gap, path, gap_save_page, run);
}

una_status una_gap_chart(const una_gap *gap, const char *path, una_run *run)
{
    return gap_save(gap, path, gap_save_chart, run);
}
