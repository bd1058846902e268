/* SPDX-License-Identifier: MIT
 *
 * The page "Why is this row unsure?" and its chart: the most unsure rows as bars of what their ignorance is made of,
 * and the same of all rows.
 */
#include "una_report.h"

#include "model/above.h"
#include "draw/fit_report.h"
#include "draw/number.h"
#include "draw/picture.h"
#include "draw/sheet.h"

enum { CONCEPTS = 5, MOST_SHOWN = 25 };  /* concepts with a colour of their own; bars in a panel            */

/* ---- colours ---------------------------------------------------------------------------------------------- */

typedef struct colours {                 /* what is drawn, from the left                                    */
    size_t      count, part_of[64 + 3];  /* of each part of the explanation: which colour                   */
    una_ink     ink[CONCEPTS + 4];
    const char *name[CONCEPTS + 4];
} colours;

static size_t add_colour(colours *c, una_ink ink, const char *name)
{
    c->ink[c->count] = ink;
    c->name[c->count] = name;
    return c->count++;
}

/* The concepts that carry most have colours of their own, in their order; all others share one. */
static colours colours_of(const una_explanation *e)
{
    static const una_ink inks[] = { UNA_INK_IGNORANCE, UNA_INK_MODEL, UNA_INK_SECOND, UNA_INK_THIRD, UNA_INK_FOURTH };
    static const una_ink rest[] = { UNA_INK_PART, UNA_INK_NOISE, UNA_INK_DATA };
    colours c = {0};
    size_t own = 0, more = SIZE_MAX;
    for (size_t p = 0; p < e->concepts; p++) {
        size_t larger = 0;
        for (size_t q = 0; q < e->concepts; q++)
            larger += q < p ? e->share[q] >= e->share[p] : e->share[q] > e->share[p];
        if (e->concepts <= CONCEPTS || larger < CONCEPTS - 1) c.part_of[p] = add_colour(&c, inks[own++], e->names[p]);
        else c.part_of[p] = SIZE_MAX;
    }
    for (size_t p = 0; p < e->concepts; p++) {
        if (c.part_of[p] != SIZE_MAX) continue;
        if (more == SIZE_MAX) more = add_colour(&c, inks[own++], "more concepts");
        c.part_of[p] = more;
    }
    for (size_t p = e->concepts; p < e->parts; p++)
        c.part_of[p] = add_colour(&c, rest[p - e->concepts], e->names[p]);
    return c;
}

/* ---- the chart -------------------------------------------------------------------------------------------- */

static double explained_sum(const una_explanation *e, size_t row)
{
    double sum = 0;
    for (size_t p = 0; p < e->parts; p++) sum += e->part[row * e->parts + p];
    return sum;
}

/* Bars of one row: from 0 to the end of each colour, [colours]; negative parts take nothing away. */
static void stack_bars(double *end, const una_explanation *e, const colours *c, size_t row, double scale)
{
    for (size_t k = 0; k < c->count; k++) end[k] = 0;
    for (size_t p = 0; p < e->parts; p++) end[c->part_of[p]] += fmax(e->part[row * e->parts + p], 0) * scale;
    for (size_t k = 1; k < c->count; k++) end[k] += end[k - 1];
}

/* The longest bars first: shorter ones are painted over them. */
static void add_bar_series(una_panel *panel, const double *end, const double *at, size_t rows, const colours *c,
                           una_arena *arena)
{
    for (size_t k = c->count; panel && k-- > 0;) {
        double *x = UNA_GET(arena, double, rows);
        if (!x) return;
        for (size_t i = 0; i < rows; i++) x[i] = end[i * c->count + k];
        una_panel_plot(panel, (una_look){ UNA_SHAPE_BARS, c->ink[k], 0, 1 }, x, at, rows);
    }
}

/* "row 17", the most unsure on top; scaled so that a bar is as long as its ignorance. */
static void draw_rows(una_figure *figure, const una_explanation *e, const colours *c, size_t rows, una_arena *arena)
{
    una_panel *panel = una_figure_panel(figure, "The most unsure rows", "Ignorance", NULL);
    double *end = UNA_GET(arena, double, rows * c->count), *at = UNA_GET(arena, double, rows), longest = 0;
    const char **name = UNA_GET(arena, const char *, rows);
    if (!panel || arena->failed) return;
    for (size_t i = 0; i < rows; i++) {
        size_t row = e->order[i];
        double sum = explained_sum(e, row);
        stack_bars(end + i * c->count, e, c, row, sum > 0 ? e->std_epistemic[row] / sum : 0);
        longest = fmax(longest, end[(i + 1) * c->count - 1]);
        at[i] = (double)(rows - i);
        name[rows - 1 - i] = una_phrase(arena, "row %zu", e->number[row]);
    }
    panel->x.high = longest > 0 ? 1.04 * longest : 1;
    panel->y = (una_axis){ .low = 0.4, .high = (double)rows + 0.6, .names = name, .name_count = rows };
    panel->height = 60 + 22 * (double)rows;
    add_bar_series(panel, end, at, rows, c, arena);
}

static void draw_all_rows(una_figure *figure, const una_explanation *e, const colours *c, una_arena *arena)
{
    una_panel *panel = una_figure_panel(figure, "All rows", "Share of the ignorance of all rows, %", NULL);
    const char **name = UNA_GET(arena, const char *, c->count);
    if (!panel || arena->failed) return;
    double largest = 0;
    for (size_t k = 0; k < c->count; k++) {
        double *bar = UNA_GET(arena, double, 2);
        if (!bar) return;
        for (size_t p = 0; p < e->parts; p++)
            if (c->part_of[p] == k) bar[0] += 100 * e->share[p];
        bar[1] = (double)(c->count - k);
        name[c->count - 1 - k] = c->name[k];
        largest = fmax(largest, bar[0]);
        una_panel_plot(panel, (una_look){ UNA_SHAPE_BARS, c->ink[k], 0, 1 }, bar, bar + 1, 1);
    }
    panel->x.high = fmax(1.06 * largest, 1);
    panel->y = (una_axis){ .low = 0.4, .high = (double)c->count + 0.6, .names = name, .name_count = c->count };
    panel->height = 60 + 22 * (double)c->count;
}

static una_figure draw_explanation(const una_explanation *e, const colours *c, size_t most, una_arena *arena)
{
    una_figure figure = una_figure_in(arena, 1, 620, 300);
    size_t rows = most < e->rows ? most : e->rows;
    draw_rows(&figure, e, c, rows < MOST_SHOWN ? rows : MOST_SHOWN, arena);
    draw_all_rows(&figure, e, c, arena);
    for (size_t k = 0; k < c->count; k++) una_figure_key(&figure, UNA_SHAPE_BARS, c->ink[k], c->name[k]);
    return figure;
}

/* ---- the page --------------------------------------------------------------------------------------------- */

static const char *percent_of(una_arena *arena, double share)
{
    return una_phrase(arena, "%s\xC2\xA0%%", UNA_PLAIN(100 * share, 0));
}

static void add_lead(una_html *html, const una_explanation *e, una_arena *arena)
{
    una_text words = una_text_in(arena);
    size_t best = 0;
    for (size_t p = 1; p < e->concepts; p++)
        if (e->share[p] > e->share[best]) best = p;
    una_text_add(&words, "Of what the model does not know of %s, over all %zu rows, the concept '%s' carries most: %s",
                 e->target, e->rows, e->names[best], percent_of(arena, e->share[best]));
    una_text_add(&words, ". Along no concept lies %s", percent_of(arena, e->share[e->concepts]));
    for (size_t p = e->concepts + 1; p < e->parts; p++)
        una_text_add(&words, "; %s: %s", e->names[p], percent_of(arena, e->share[p]));
    una_text_add(&words, ".");
    una_html_paragraph(html, "lead", words.at);
}

static void add_explain_sentences(una_html *html, const una_explanation *e, size_t rows, una_arena *arena)
{
    enum { ROOM = 512 };
    const char **sentence = UNA_GET(arena, const char *, rows);
    for (size_t i = 0; sentence && i < rows; i++) {
        char *text = UNA_GET(arena, char, ROOM);
        if (!text) return;
        una_explanation_sentence(e, e->order[i], text, ROOM);
        sentence[i] = text;
    }
    if (!sentence) return;
    una_html_heading(html, 2, "Row by row");
    una_html_list(html, sentence, rows);
}

static void add_explain_table(una_html *html, const una_explanation *e, size_t rows, una_arena *arena)
{
    una_sheet sheet = una_sheet_in(arena, "parts", "The numbers.", "Mean and ignorance (the standard deviation of the "
            "function) in units of the target, and the share of each part in the square of the ignorance, in percent.");
    una_sheet_column(&sheet, "row", UNA_SHEET_NUMBER);
    una_sheet_column(&sheet, "mean", UNA_SHEET_NUMBER);
    una_sheet_column(&sheet, "ignorance", UNA_SHEET_NUMBER);
    for (size_t p = 0; p < e->parts; p++) una_sheet_column(&sheet, e->names[p], UNA_SHEET_NUMBER);
    for (size_t i = 0; i < rows; i++) {
        size_t row = e->order[i], best = una_explanation_largest(e, row);
        double sum = explained_sum(e, row);
        una_sheet_line(&sheet);
        una_sheet_number(&sheet, (double)e->number[row], 0);
        una_sheet_number(&sheet, e->mean[row], -4);
        una_sheet_number(&sheet, e->std_epistemic[row], -3);
        for (size_t p = 0; p < e->parts; p++) {
            una_sheet_number(&sheet, sum > 0 ? 100 * e->part[row * e->parts + p] / sum : NAN, 0);
            if (p == best) una_sheet_strong(&sheet);
        }
    }
    una_sheet_html(html, &sheet);
}

static void add_explain_method(una_html *html, const una_explanation *e, una_arena *arena)
{
    una_text words = una_text_in(arena), shown = una_text_in(arena);
    una_html_heading(html, 2, "How it was done");
    una_text_add(&words, "The features of the model are whitened and turned so that %zu of %zu coordinates follow each "
            "concept: those directions in which its rows are known less well than rows without it. What the model does "
            "not know of a row is a sum over the coordinates, so the parts add up to the whole exactly, and "
            "predictions stay what they are. What lies along no concept's coordinates is '%s'.", e->axes, e->features,
        e->names[e->concepts]);
    if (e->parts > e->concepts + 1)
        una_text_add(&words, " The model is a mixture: where its members say different things, that is their "
                "disagreement, which has no features.");
    una_text_add(&words, " A concept that carries much need not be the cause: it is where the ignorance lies.");
    una_html_paragraph(html, NULL, words.at);

    una_text_add(&shown, "Rows that show the concepts:");
    for (size_t p = 0; p < e->concepts; p++)
        una_text_add(&shown, "%s '%s' %zu", p ? "," : "", e->names[p], e->shown[p]);
    una_text_add(&shown, ".");
    una_html_paragraph(html, NULL, shown.at);
}

typedef struct wanted { const una_explanation *e; const una_dataset *data; const char *title; size_t most; } wanted;

/* row 17 / mean 3.1 / ignorance 0.4 / old 63 % */
static const char *words_below_picture(const una_explanation *e, size_t row, una_arena *arena)
{
    size_t best = una_explanation_largest(e, row);
    una_text words = una_text_in(arena);
    una_text_add(&words, "row %zu\nmean %s\nignorance %s", e->number[row], UNA_BRIEF(e->mean[row], 3),
                 UNA_BRIEF(e->std_epistemic[row], 3));
    if (best != SIZE_MAX)
        una_text_add(&words, "\n%s %s", e->names[best],
                     percent_of(arena, e->part[row * e->parts + best] / explained_sum(e, row)));
    return words.at;
}

/* Of rows that name images: the most unsure ones. */
static una_status add_explained_images(una_html *html, const wanted *w, una_arena *arena, una_run *run)
{
    una_picture picture[MOST_SHOWN];
    size_t sizes[3] = {0}, count = 0;
    if (w->data) UNA_TRY(una_dataset_image(sizes, NULL, w->data, 0, run));
    for (size_t i = 0; sizes[0] && i < w->most && i < w->e->rows && i < MOST_SHOWN; i++) {
        double *numbers = UNA_GET(arena, double, sizes[0] * sizes[1] * sizes[2]);
        const char *words = words_below_picture(w->e, w->e->order[i], arena);
        UNA_TRY(una_arena_check(arena));
        UNA_TRY(una_dataset_image(sizes, numbers, w->data, w->e->order[i], run));
        picture[count++] = (una_picture){ sizes[0], sizes[1], sizes[2], numbers, words };
    }
    return count ? una_html_pictures(html, picture, count, "The most unsure images.", "The last line is what carries "
            "most of an image's ignorance.", run) : UNA_OK;
}

static una_status save_explain_page(const void *what, const char *path, una_arena *arena, una_run *run)
{
    const wanted *w = what;
    const una_explanation *e = w->e;
    colours c = colours_of(e);
    size_t rows = w->most < e->rows ? w->most : e->rows;
    una_html html = una_html_begin(arena, "Why is this row unsure?");
    una_html_heading(&html, 1, "Why is this row unsure?");
    una_html_paragraph(&html, NULL, w->title ? w->title : e->target);
    add_lead(&html, e, arena);
    una_html_box(&html, "Warnings", e->warnings, e->warning_count);
    una_figure figure = draw_explanation(e, &c, w->most, arena);
    una_html_figure(&html, &figure, "What ignorance is made of.", "Above, the rows of which the model knows least: a "
            "bar is as long as its ignorance, in units of the target, and is divided as the square of it. Below, the "
            "shares in the sum of these squares over all rows.");
    UNA_TRY(add_explained_images(&html, w, arena, run));
    add_explain_sentences(&html, e, rows, arena);
    add_explain_table(&html, e, rows, arena);
    add_explain_method(&html, e, arena);
    return una_html_save(&html, path, run);
}

static una_status save_explain_chart(const void *what, const char *path, una_arena *arena, una_run *run)
{
    const wanted *w = what;
    colours c = colours_of(w->e);
    una_figure figure = draw_explanation(w->e, &c, w->most, arena);
    return una_figure_save(&figure, path, run);
}

/* ---- the public calls ------------------------------------------------------------------------------------- */

una_status una_report_explanation(const char *path, const una_explanation *explanation, const una_dataset *data,
                                  const char *title, size_t most, una_run *run)
{
    if (data && una_dataset_row_count(data) != explanation->rows)
        UNA_FAIL(run, UNA_E_USAGE, "the table has %zu rows, and %zu were explained: give the table that una_explain "
                "had", una_dataset_row_count(data), explanation->rows);
    UNA_TRY(una_version_check("libuna_report", run));
    return una_save_alone(save_explain_page, &(wanted){ explanation, data, title, most }, path, run);
}

una_status una_chart_explanation(const char *path, const una_explanation *explanation, size_t most, una_run *run)
{
    UNA_TRY(una_version_check("libuna_report", run));
    return una_save_alone(save_explain_chart, &(wanted){ explanation, NULL, NULL, most }, path, run);
}
