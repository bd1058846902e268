/* SPDX-License-Identifier: MIT
 *
 * Figures of uci and gap, from the rows alone: epistemic std along a column with the gap shaded, and the error that
 * remains when the most uncertain rows are left to an expert. Each model has one line; four methods and una's default
 * have their own colours, the others are grey.
 */
#include "published/published_page.h"

#include "draw/number.h"

static const double panel_width = 232, panel_height = 190, grey = 0.45;

/* ---- who has which colour --------------------------------------------------------------------------------------- */

typedef struct paint { size_t method; const char *title; una_ink ink; } paint;
static const paint paints[] = {
    { UNA_METHOD_LUNA, "LUNA", UNA_INK_MODEL }, { UNA_METHOD_NLM, "NLM", UNA_INK_IGNORANCE },
    { UNA_METHOD_GP, "GP", UNA_INK_SECOND }, { UNA_METHOD_ENSEMBLE, "ensemble", UNA_INK_THIRD },
    { UNA_METHODS, "auto", UNA_INK_FOURTH }
};
enum { PAINTS = sizeof paints / sizeof *paints };

/* PAINTS: grey. The first of a method has its colour. */
static size_t paint_of(const una_show *show, size_t who)
{
    for (size_t i = 0; i < PAINTS; i++) {
        bool own = paints[i].method < UNA_METHODS ? una_show_who(show, paints[i].method) == who :
                   show->methods[who] == UNA_METHODS && strncmp(show->who[who], "auto", 4) == 0;
        if (own) return i;
    }
    return PAINTS;
}

/* Keys of those that have a line by a protocol, or by one of both. */
static void add_keys(una_figure *figure, const una_show *show, una_preset preset)
{
    bool thesis = preset != UNA_PRESET_AUTOMATIC, automatic = preset != UNA_PRESET_THESIS;
    bool seen[PAINTS + 1] = { false };
    for (size_t who = 0; who < show->who_count; who++)
        if ((thesis && una_show_ran(show, who, UNA_PRESET_THESIS)) ||
            (automatic && una_show_ran(show, who, UNA_PRESET_AUTOMATIC)))
            seen[paint_of(show, who)] = true;
    for (size_t i = 0; i < PAINTS; i++)
        if (seen[i]) una_figure_key(figure, UNA_SHAPE_LINE, paints[i].ink, paints[i].title);
    if (seen[PAINTS]) una_figure_key(figure, UNA_SHAPE_LINE, UNA_INK_PART, "others");
}

typedef struct curve { double *x, *y; size_t count; } curve;
/* Points of a group's curve, into x and y; *count is their number. */
typedef una_status curve_of(curve *c, const una_show *show, const una_group *group, const void *context);

static void risk_add_line(una_panel *panel, const curve *c, size_t painted)
{
    bool own = painted < PAINTS;
    const una_look grey_line = { UNA_SHAPE_LINE, UNA_INK_PART, 1, grey };
    const una_look own_line = { UNA_SHAPE_LINE, own ? paints[painted].ink : UNA_INK_PART, 1.7, 1 };
    una_panel_plot(panel, own ? own_line : grey_line, c->x, c->y, c->count);
}

/* A line for each model at `where`, the grey ones at the bottom, LUNA on top. *top: the highest point of those with a
 * colour, or of all if there is none. */
static una_status add_lines(double *top, una_panel *panel, const una_show *show, size_t where, una_preset preset,
                            curve_of *of, const void *context)
{
    double low = INFINITY, high = -INFINITY, grey_high = -INFINITY;
    for (size_t order = 0; order <= PAINTS; order++)
        for (size_t who = 0; who < show->who_count; who++) {
            const una_group *group = una_show_group(show, who, where, preset);
            size_t painted = paint_of(show, who);
            curve c;
            if (!group || painted != PAINTS - order) continue;
            UNA_TRY(of(&c, show, group, context));
            risk_add_line(panel, &c, painted);
            una_range_add(&low, painted < PAINTS ? &high : &grey_high, c.y, c.count);
        }
    *top = isfinite(high) ? high : grey_high;
    return UNA_OK;
}

/* ---- along a column --------------------------------------------------------------------------------------------- */

typedef struct path { size_t low, high, bins; } path;                    /* measures                        */
static const path own_column = { UNA_PUBLISHED_ALONG_LOW, UNA_PUBLISHED_ALONG_HIGH, UNA_PUBLISHED_ALONG };
static const path other_column = { UNA_PUBLISHED_ACROSS_LOW, UNA_PUBLISHED_ACROSS_HIGH, UNA_PUBLISHED_ACROSS };

/* Bins without rows are left out, so that lines go on over them. */
static una_status bins_of(curve *c, const una_show *show, const una_group *group, const void *context)
{
    const path *p = context;
    double low = una_show_mean(group, p->low).mean, high = una_show_mean(group, p->high).mean;
    c->x = UNA_GET(show->arena, double, UNA_PUBLISHED_BINS);
    c->y = UNA_GET(show->arena, double, UNA_PUBLISHED_BINS);
    c->count = 0;
    UNA_TRY(una_arena_check(show->arena));
    for (size_t b = 0; b < UNA_PUBLISHED_BINS; b++) {
        double std = una_show_mean(group, p->bins + b).mean;
        if (!isfinite(std)) continue;
        c->x[c->count] = low + (high - low) * ((double)b + 0.5) / UNA_PUBLISHED_BINS;
        c->y[c->count++] = std;
    }
    return UNA_OK;
}

static const una_group *any_group(const una_show *show, size_t where, una_preset preset)
{
    for (size_t who = 0; who < show->who_count; who++)
        if (una_show_group(show, who, where, preset)) return una_show_group(show, who, where, preset);
    return NULL;
}

static una_status shade_gap(una_panel *panel, const una_group *group, double top)
{
    una_panel_field(panel, (una_look){ UNA_SHAPE_BAND, UNA_INK_DATA, 0, 0.1 },
                    (una_axis){ .low = una_show_mean(group, UNA_PUBLISHED_GAP_LOW).mean,
                                .high = una_show_mean(group, UNA_PUBLISHED_GAP_HIGH).mean },
                    (una_axis){ .high = top });
    return UNA_OK;
}

/* Methods without a colour may leave the frame. */
static una_status path_panel(una_figure *figure, const una_show *show, size_t where, una_preset preset, const path *p,
                             const char *title, const char *column)
{
    const double headroom = 1.15;
    const una_group *some = any_group(show, where, preset);
    double top;
    if (!some || !isfinite(una_show_mean(some, p->low).mean)) return UNA_OK;
    una_panel *panel = una_figure_panel(figure, title, column, "epistemic std");
    if (!panel) return una_arena_check(show->arena);
    UNA_TRY(add_lines(&top, panel, show, where, preset, bins_of, p));
    una_panel_show(panel, una_show_mean(some, p->low).mean, una_show_mean(some, p->high).mean, 0,
                   top > 0 ? top * headroom : 1);
    return p == &own_column ? shade_gap(panel, some, panel->y.high) : UNA_OK;
}

/* The column of a gap, as the file calls it. */
static const char *gap_column_name(const una_show *show, size_t where)
{
    const char *space = strchr(show->where[where], ' ');
    return space ? space + 1 : show->where[where];
}

static const char *panel_title(const una_show *show, const char *words, una_preset preset)
{
    return una_phrase(show->arena, "%s: %s", words, preset == UNA_PRESET_THESIS ? "thesis\xE2\x80\x99s protocol"
                                                                               : "automatic");
}

/* Where a column of the thesis stands; where_count: it was not run. */
static size_t where_is(const una_show *show, const char *title)
{
    size_t w = 0;
    while (w < show->known && strcmp(una_show_column(show, w), title) != 0) w++;
    return w < show->known ? w : show->where_count;
}

una_status una_show_seen(const una_show *show)
{
    size_t cement = where_is(show, "CEMENT"), rm = where_is(show, "RM");
    una_figure figure = una_figure_in(show->arena, 3, panel_width, panel_height);
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--) {
        una_preset preset = (una_preset)p;
        const char *about[] = { panel_title(show, "Cement", preset), panel_title(show, "RM", preset) };
        UNA_TRY(una_arena_check(show->arena));
        if (cement < show->known)
            UNA_TRY(path_panel(&figure, show, cement, preset, &own_column, about[0], "Cement"));
        if (cement < show->known)
            UNA_TRY(path_panel(&figure, show, cement, preset, &other_column, about[0], "Water"));
        if (rm < show->known) UNA_TRY(path_panel(&figure, show, rm, preset, &own_column, about[1], "RM"));
    }
    if (figure.panel_count == 0) return UNA_OK;
    add_keys(&figure, show, UNA_PRESET_BOTH);
    return una_page_figure(show->page, "seen", &figure,
                           "The gap in Cement, seen along Cement and along Water; and that in "
                           "RM.",
                           "Mean epistemic std of all rows of the table by where they lie along a column, mean "
                           "over the splits. Shaded: the gap; along Water there is none to be seen. Grey lines "
                           "may leave the frame.");
}

una_status una_show_along(const una_show *show, una_preset preset)
{
    una_figure figure = una_figure_in(show->arena, 3, panel_width, panel_height);
    const char *name = una_show_name(show, "along", preset);
    const char *lead =
        una_phrase(show->arena, "Epistemic std along the column of the gap, %s.", una_preset_titles[preset]);
    for (size_t w = 0; w < show->known; w++)
        UNA_TRY(path_panel(&figure, show, w, preset, &own_column, una_show_column(show, w), gap_column_name(show, w)));
    if (figure.panel_count == 0) return una_arena_check(show->arena);
    add_keys(&figure, show, preset);
    return una_page_figure(show->page, name, &figure, lead, "Mean over all rows of the table that lie there, then over "
            "the splits. Shaded: the gap. Grey lines may leave the frame.");
}

/* ---- risk and coverage ------------------------------------------------------------------------------------------ */

/* Error at all rows, mean over the splits: of uci at the test rows, of gap at those and the gap's. */
static double whole_error(const una_show *show, const una_group *group, bool gap)
{
    const una_findings *f = show->findings;
    double sum = 0;
    if (!gap) return una_show_mean(group, UNA_PUBLISHED_RMSE).mean;
    for (size_t i = group->from; i < group->from + group->count; i++) {
        double rows = una_findings_value(f, i, UNA_PUBLISHED_ROWS);
        double error = una_findings_value(f, i, UNA_PUBLISHED_RMSE);
        double more = una_findings_value(f, i, UNA_PUBLISHED_GAP_ROWS);
        double inside = una_findings_value(f, i, UNA_PUBLISHED_GAP_RMSE);
        sum += sqrt((error * error * rows + inside * inside * more) / (rows + more));
    }
    return sum / (double)group->count;
}

static una_status risks_of(curve *c, const una_show *show, const una_group *group, const void *context)
{
    c->count = UNA_PUBLISHED_RISKS + 1;
    UNA_NEW_AT(show->arena, c->x, c->count);
    UNA_NEW_AT(show->arena, c->y, c->count);
    for (size_t i = 0; i < c->count; i++) {
        c->x[i] = 10 * (double)(i + 1);
        c->y[i] = i < UNA_PUBLISHED_RISKS ? una_show_mean(group, UNA_PUBLISHED_RISK + i).mean :
                  whole_error(show, group, *(const bool *)context);
    }
    return UNA_OK;
}

una_status una_show_risk(const una_show *show, una_preset preset)
{
    const double headroom = 1.1;
    const bool gap = show->columns == una_thesis_gaps;
    una_figure figure = una_figure_in(show->arena, 3, panel_width, panel_height);
    const char *name = una_show_name(show, "risk", preset);
    const char *lead = una_phrase(show->arena, "Error at the most certain rows, %s.", una_preset_titles[preset]);
    for (size_t w = 0; w < show->shown; w++) {
        double top;
        if (!any_group(show, w, preset)) continue;
        una_panel *panel = una_figure_panel(&figure, una_show_column(show, w), "rows kept, %", "RMSE");
        if (!panel) continue;
        UNA_TRY(add_lines(&top, panel, show, w, preset, risks_of, &gap));
        una_panel_show(panel, 0, 100, 0, top > 0 ? top * headroom : 1);
    }
    if (figure.panel_count == 0) return una_arena_check(show->arena);
    add_keys(&figure, show, preset);
    return una_page_figure(show->page, name, &figure, lead, gap ?
        "Of the test rows and the rows of the gap together, those with the largest predictive std are given to an "
        "expert; the error at those that are kept, mean over the splits. A line that rises to the right knows where it "
        "errs. Grey lines may leave the frame." :
        "Of the test rows, those with the largest predictive std are given to an expert; the error at those that are "
        "kept, mean over the splits. A line that rises to the right knows where it errs. Grey lines may leave the "
        "frame.");
}
