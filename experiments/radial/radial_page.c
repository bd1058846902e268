/* SPDX-License-Identifier: MIT
 *
 * The page of the Radial Uncertainty Benchmark: for each data set one small picture per model, the curve of 3 epistemic
 * std by radius with its sd over the rays and the GP's curve beside it, then the numbers. All from the rows alone.
 */
#include "radial/radial.h"

#include "draw/number.h"

#include <ctype.h>

static const double panel_width = 232, panel_height = 176, headroom = 2.2;

static const char *radial_page_title(const una_group *group)
{
    const una_radial_entry *entry = una_radial_entry_find(group->model);
    return entry ? entry->title : una_page_title(group);
}

/* "radial 2" becomes "Shell of 2 inputs". */
static const char *heading_of(const una_radial_set *set, una_arena *arena)
{
    if (set->shell) return una_phrase(arena, "Shell of %zu input%s", set->inputs, set->inputs == 1 ? "" : "s");
    return una_phrase(arena, "%c%s", toupper((unsigned char)set->name[0]), set->name + 1);
}

/* ---- curves ----------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const una_findings   *findings;
    const una_radial_set *set;
    const una_group      *gp;            /* NULL: not run                                                   */
    double               *radius;        /* [UNA_RADIAL_RADII]                                              */
    double                top;           /* of all panels                                                   */
} drawing;

/* High enough to show the GP and the ideal well; curves far above leave the frame. */
static double top_of(const drawing *d)
{
    double top = isnan(d->set->ideal) ? 0 : d->set->ideal;
    const una_findings *f = d->findings;
    for (const una_group *g = NULL; (g = una_findings_next(f, g, d->set->name));) {
        const double *mean = una_radial_means(g, UNA_RADIAL_MEAN);
        for (size_t r = 0; r < UNA_RADIAL_RADII && (!d->gp || g == d->gp); r++) top = fmax(top, mean[r]);
    }
    if (!(top > 0)) return 1;
    return (d->gp ? headroom / 2 : 1) * top * 1.1;
}

static una_status radial_add_panel(una_figure *figure, const drawing *d, const una_group *group)
{
    enum { RADII = UNA_RADIAL_RADII };
    const double *mean = una_radial_means(group, UNA_RADIAL_MEAN);
    const double *sd = una_radial_means(group, UNA_RADIAL_SD);
    una_panel *p = una_figure_panel(figure, radial_page_title(group), "Distance from the centre", "3 std");
    UNA_NEW(figure->arena, double, low, 2 * RADII);
    double *high = low + RADII;
    for (size_t r = 0; r < RADII; r++) low[r] = fmax(mean[r] - sd[r], 0), high[r] = mean[r] + sd[r];

    una_panel_show(p, 0, d->radius[RADII - 1], 0, d->top);
    una_panel_field(p, (una_look){ UNA_SHAPE_BAND, UNA_INK_DATA, 0, 0.1 },
                    (una_axis){ .low = 1, .high = una_radial_radius(UNA_RADIAL_EDGE) }, (una_axis){ .high = d->top });
    una_panel_between(p, (una_look){ UNA_SHAPE_BAND, UNA_INK_IGNORANCE, 0, 0 }, d->radius, low, high, RADII);
    una_panel_plot(p, (una_look){ UNA_SHAPE_LINE, UNA_INK_IGNORANCE, 0, 0 }, d->radius, mean, RADII);
    if (d->gp && d->gp != group)
        una_panel_plot(p, (una_look){ UNA_SHAPE_DASHES, UNA_INK_MODEL, 0, 0 }, d->radius,
                       una_radial_means(d->gp, UNA_RADIAL_MEAN), RADII);
    static const double beside_axis = 0.04;              /* which would cut the point in half */
    if (d->set->shell)
        una_panel_plot(p, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 7, 0 }, &beside_axis, &d->set->ideal, 1);
    return UNA_OK;
}

/* "curves-radial-2" */
static const char *file_name(const char *what, const una_radial_set *set, una_arena *arena)
{
    char *name = una_arena_text(arena, una_phrase(arena, "%s-%s", what, set->name));
    for (char *c = name; c && *c; c++)
        if (*c == ' ') *c = '-';
    return name;
}

static una_status radial_put_curves(una_page *page, const una_radial_set *set)
{
    const una_findings *f = page->findings;
    drawing d = { .findings = f, .set = set, .gp = una_radial_group(f, "gp", set->name) };
    una_figure figure = una_figure_in(page->arena, 3, panel_width, panel_height);
    UNA_NEW_AT(page->arena, d.radius, UNA_RADIAL_RADII);
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) d.radius[r] = una_radial_radius(r);
    d.top = top_of(&d);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, set->name));)
        UNA_TRY(radial_add_panel(&figure, &d, g));
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE, "mean over rays");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "\xC2\xB1 sd over rays");
    if (d.gp) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_MODEL, "GP");
    if (set->shell) una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "ideal at the centre");
    return una_page_figure(
        page, file_name("curves", set, page->arena), &figure, "3 epistemic standard deviations by radius.",
        "Means over the seeds of the mean and of the standard deviation over the rays. Grey: where there are rows "
        "in all directions. All panels share their axes; curves may leave the frame.");
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

#define COLUMN(measure, title, kind, decimals) { title, UNA_SHEET_##kind, UNA_RADIAL_##measure, decimals }
static const una_column of_shells[] = {
    { "Model", UNA_SHEET_WORDS, 0, 0 }, COLUMN(CENTRE, "Centre", SPREAD, 3), COLUMN(OFF_IDEAL, "Off ideal", NUMBER, 3),
    COLUMN(DISTANCE, "Distance", SPREAD, 3), COLUMN(DISTANCE_OUT, "Beyond", NUMBER, 3),
    COLUMN(SYMMETRY, "Uneven", SPREAD, 2), COLUMN(ROUGHNESS, "Rough", NUMBER, 2), COLUMN(LOG_LIK, "Log-lik", NUMBER, 2),
    { "Seconds", UNA_SHEET_NUMBER, UNA_OWN, 1 }, { .title = NULL }
};
static const una_column of_holes[] = {
    { "Model", UNA_SHEET_WORDS, 0, 0 }, COLUMN(CENTRE, "Centre", SPREAD, 2), COLUMN(DISTANCE, "Distance", SPREAD, 3),
    COLUMN(SYMMETRY, "Uneven", NUMBER, 2), COLUMN(LOG_LIK, "Log-lik", NUMBER, 2),
    COLUMN(HOLE_AUROC, "AUROC", SPREAD, 2), COLUMN(HOLE_INSIDE, "Inside", NUMBER, 2),
    COLUMN(HOLE_LOG_LIK, "Log-lik in hole", NUMBER, 2), { "Seconds", UNA_SHEET_NUMBER, UNA_OWN, 1 }, { .title = NULL }
};

static una_status radial_put_numbers(una_page *page, const una_radial_set *set)
{
    const una_findings *f = page->findings;
    static const char shell[] = "Means over the seeds, with standard deviations. Centre: 3 std at 0, and how far from "
            "the ideal. Distance: root mean square difference of the curve from the GP's over radii 0 to 3, and beyond "
            "2 alone; that of the network nearest to the GP is set off. Uneven: sd over the rays, over the mean. "
            "Rough: bends of the curve, over its range. Log-likelihood of fresh rows. Seconds of a fit.";
    static const char hole[] = "Means over the seeds, with standard deviations. Centre: 3 std at 0. Distance: from the "
            "GP's curve, root mean square; that of the network nearest to it is set off. AUROC: how often a point in "
            "the hole has a larger std than a fresh row outside. Inside: share of the points in the hole whose "
            "function is in the 95 % band of ignorance. Log-likelihood of fresh rows outside the hole and in it.";
    const una_column *columns = set->shell ? of_shells : of_holes;
    const una_group *best = una_radial_nearest(f, set->name, UNA_RADIAL_ANY);
    una_sheet sheet = una_page_table(page, file_name("numbers", set, page->arena), "Numbers.",
                                     set->shell ? shell : hole, columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, set->name));) {
        una_sheet_begin(&sheet, radial_page_title(g));
        for (const una_column *c = columns + 1; c->measure != UNA_OWN; c++) {
            una_page_cell(&sheet, g, c);
            if (g == best && c->measure == UNA_RADIAL_DISTANCE) una_sheet_strong(&sheet);
        }
        una_sheet_number(&sheet, una_group_mean(g, f->measures - 1), 1);
    }
    return una_page_sheet(page, &sheet);
}

/* ---- which model is nearest, and why ---------------------------------------------------------------------------- */

/* "0.024 too high in the hole and 0.056 too low beyond the shell": a mean curve against the standard's. */
static void put_distance_from_aim(una_text *text, const double *curve, const double *standard)
{
    static const struct { size_t from, to; const char *where; } part[] = {
        { 0, UNA_RADIAL_EDGE / 2, "in the hole" }, { UNA_RADIAL_EDGE, UNA_RADIAL_RADII - 1, "beyond the shell" } };
    for (size_t p = 0; p < 2; p++) {
        double sum = 0, off = una_radial_distance(curve, standard, part[p].from, part[p].to);
        for (size_t r = part[p].from; r <= part[p].to; r++) sum += curve[r] - standard[r];
        una_text_add(text, "%s%s too %s %s", p ? " and " : "", UNA_FEW_DIGITS(off, 2),
                     sum > 0 ? "high" : "low", part[p].where);
    }
}

static void radial_put_reason(una_page *page, const una_radial_set *set)
{
    const una_findings *f = page->findings;
    const una_group *best = una_radial_nearest(f, set->name, UNA_RADIAL_ANY),
                    *luna = una_radial_nearest(f, set->name, UNA_RADIAL_LUNA);
    const una_group *gp = una_radial_group(f, "gp", set->name);
    if (!best || !luna || !gp) return;
    const double *standard = una_radial_means(gp, UNA_RADIAL_MEAN);
    una_text text = una_text_in(page->arena);
    una_text_add(&text, "The network nearest to the GP is %s: its curve is ", radial_page_title(best));
    put_distance_from_aim(&text, una_radial_means(best, UNA_RADIAL_MEAN), standard);
    if (best != luna) {
        una_text_add(&text, ". The nearest LUNA (%s) is ", radial_page_title(luna));
        put_distance_from_aim(&text, una_radial_means(luna, UNA_RADIAL_MEAN), standard);
    }
    una_text_add(&text, " (root mean squares). The GP's own 3 std at the centre are %s, the ideal that options were "
            "chosen by is %s: who comes near the one is off the other.", UNA_FEW_DIGITS(standard[0], 2),
                 UNA_FEW_DIGITS(set->ideal, 3));
    una_page_paragraph(page, text.at);
}

/* Options differ between data sets, and the names do not show them. */
static una_status radial_put_specs(una_page *page, const una_radial_set *set)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = { { "Model", UNA_SHEET_WORDS, 0, 0 }, { "Spec", UNA_SHEET_WORDS, 0, 0 },
                                          { .title = NULL } };
    una_sheet sheet = una_page_table(page, file_name("specs", set, page->arena), "Specs.", "As they were fitted; "
            "what is not named is as 'una models' says.", columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, set->name));) {
        una_page_line(&sheet, g, radial_page_title(g), columns);
        una_sheet_words(&sheet, una_group_key(g)->spec);
    }
    return una_page_sheet(page, &sheet);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static una_status radial_put_section(una_page *page, const una_radial_set *set)
{
    una_page_heading(page, 2, heading_of(set, page->arena));
    UNA_TRY(radial_put_curves(page, set));
    UNA_TRY(radial_put_numbers(page, set));
    if (set->shell) radial_put_reason(page, set);
    return radial_put_specs(page, set);
}

una_status una_radial_page(una_page *page)
{
    const una_findings *f = page->findings;
    const char *last = "";
    if (((const una_radial_options *)page->asked->options)->tune) return una_radial_tune_page(page);
    una_page_paragraph(page, "The ideal at the centre is 1/2^D: the volume of the gap over that of the whole ball "
            "(over that of the shell alone it would be 1/(2^D \u2212 1)). Options of every model were chosen once for "
            "each data set on other seeds, by the log-likelihood of fresh rows and then by the centre's distance from "
            "the ideal, never by the distance from the GP (docs/results/BENCH.md).");
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        una_radial_set set;
        const char *data = una_group_key(g)->data;
        if (strcmp(data, last) == 0) continue;   /* the plan goes data set by data set */
        last = data;
        UNA_TRY(una_radial_set_find(&set, data, page->run));
        UNA_TRY(radial_put_section(page, &set));
    }
    return UNA_OK;
}
