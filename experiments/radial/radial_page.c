/* SPDX-License-Identifier: MIT
 *
 * The page of the Radial Uncertainty Benchmark: for each data set one small picture per model, the curve of 3 epistemic
 * std by radius with its sd over the rays and the GP's curve beside it, then the numbers. All from the rows alone.
 */
#include "radial/radial.h"

#include "draw/number.h"

#include <ctype.h>

static const double panel_width = 232, panel_height = 176, headroom = 2.2;

static const char *radial_page_title(const una_findings *f, const una_group *group)
{
    const una_radial_entry *entry = una_radial_entry_find(group->model);
    return entry ? entry->title : una_page_title(f, (size_t)(group - f->groups));
}

static const char *data_of(const una_findings *f, const una_group *group)
{
    return f->fits[group->from].key.data;
}

/* "radial 2" becomes "Shell of 2 inputs". */
static const char *heading_of(const una_radial_set *set, una_arena *arena)
{
    una_text words = una_text_in(arena);
    if (set->shell) una_text_add(&words, "Shell of %zu input%s", set->inputs, set->inputs == 1 ? "" : "s");
    else una_text_add(&words, "%c%s", toupper((unsigned char)set->name[0]), set->name + 1);
    return words.at;
}

/* ---- curves ----------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const una_findings   *findings;
    const una_radial_set *set;
    const una_group      *gp;            /* NULL: not run                                                   */
    double               *radius;        /* [UNA_RADIAL_RADII]                                              */
    double               *band_x, *band_low, *band_high; /* [2] where the rows are                          */
    double               *ideal_x, *ideal_y;             /* [1]                                             */
    double                top;           /* of all panels                                                   */
} drawing;

/* High enough to show the GP and the ideal well; curves far above leave the frame. */
static double top_of(const drawing *d)
{
    double top = isnan(d->set->ideal) ? 0 : d->set->ideal;
    const una_findings *f = d->findings;
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        if (strcmp(data_of(f, group), d->set->name) != 0 || (d->gp && group != d->gp)) continue;
        const double *mean = una_radial_means(f, group, UNA_RADIAL_MEAN);
        for (size_t r = 0; r < UNA_RADIAL_RADII; r++) top = fmax(top, mean[r]);
    }
    if (!(top > 0)) return 1;
    return (d->gp ? headroom / 2 : 1) * top * 1.1;
}

static una_status radial_prepare_drawing(drawing *d, una_arena *arena)
{
    UNA_NEW_AT(arena, d->radius, UNA_RADIAL_RADII);
    UNA_NEW(arena, double, two, 8);
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) d->radius[r] = una_radial_radius(r);
    d->top = top_of(d);
    d->band_x = two, d->band_low = two + 2, d->band_high = two + 4, d->ideal_x = two + 6, d->ideal_y = two + 7;
    d->band_x[0] = 1, d->band_x[1] = una_radial_radius(UNA_RADIAL_EDGE);
    d->band_high[0] = d->band_high[1] = d->top;
    *d->ideal_x = 0.04, *d->ideal_y = d->set->ideal;         /* beside the axis, which would cut it in half */
    return UNA_OK;
}

static una_status radial_add_panel(una_figure *figure, const drawing *d, const una_group *group)
{
    const double *mean = una_radial_means(d->findings, group, UNA_RADIAL_MEAN);
    const double *sd = una_radial_means(d->findings, group, UNA_RADIAL_SD);
    double *low = UNA_GET(figure->arena, double, UNA_RADIAL_RADII);
    double *high = UNA_GET(figure->arena, double, UNA_RADIAL_RADII);
    una_panel *p = una_figure_panel(figure, radial_page_title(d->findings, group), "Distance from the centre", "3 std");
    UNA_TRY(una_arena_check(figure->arena));
    if (!p) return UNA_OK;
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) low[r] = fmax(mean[r] - sd[r], 0), high[r] = mean[r] + sd[r];

    p->x.low = 0, p->x.high = d->radius[UNA_RADIAL_RADII - 1];
    p->y.low = 0, p->y.high = d->top;
    una_panel_between(p, (una_look){ UNA_SHAPE_BAND, UNA_INK_DATA, 0, 0.1 }, d->band_x, d->band_low, d->band_high, 2);
    una_panel_between(p, (una_look){ UNA_SHAPE_BAND, UNA_INK_IGNORANCE, 0, 0 }, d->radius, low, high, UNA_RADIAL_RADII);
    una_panel_plot(p, (una_look){ UNA_SHAPE_LINE, UNA_INK_IGNORANCE, 0, 0 }, d->radius, mean, UNA_RADIAL_RADII);
    if (d->gp && d->gp != group)
        una_panel_plot(p, (una_look){ UNA_SHAPE_DASHES, UNA_INK_MODEL, 0, 0 }, d->radius,
                       una_radial_means(d->findings, d->gp, UNA_RADIAL_MEAN), UNA_RADIAL_RADII);
    if (d->set->shell)
        una_panel_plot(p, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 7, 0 }, d->ideal_x, d->ideal_y, 1);
    return UNA_OK;
}

/* "curves-radial-2" */
static const char *file_name(const char *what, const una_radial_set *set, una_arena *arena)
{
    una_text name = una_text_in(arena);
    una_text_add(&name, "%s-%s", what, set->name);
    for (char *c = name.at; c && *c; c++)
        if (*c == ' ') *c = '-';
    return name.at;
}

static una_status radial_put_curves(una_page *page, const una_findings *f, const una_radial_set *set, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    drawing d = { .findings = f, .set = set, .gp = una_radial_group(f, "gp", set->name) };
    una_figure figure = una_figure_in(arena, 3, panel_width, panel_height);
    UNA_TRY(radial_prepare_drawing(&d, arena));
    for (size_t g = 0; g < f->group_count; g++)
        if (strcmp(data_of(f, &f->groups[g]), set->name) == 0) UNA_TRY(radial_add_panel(&figure, &d, &f->groups[g]));
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_IGNORANCE, "mean over rays");
    una_figure_key(&figure, UNA_SHAPE_BAND, UNA_INK_IGNORANCE, "\xC2\xB1 sd over rays");
    if (d.gp) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_MODEL, "GP");
    if (set->shell) una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_MODEL, "ideal at the centre");
    const char *name = file_name("curves", set, arena);
    UNA_TRY(una_arena_check(arena));
    return una_page_figure(page, name, &figure, "3 epistemic standard deviations by radius.", "Means over the seeds of "
                           "the mean and of the standard deviation over the rays. Grey: where there are rows in all "
                           "directions. All panels share their axes; curves may leave the frame.", run);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

typedef struct shown { size_t measure; const char *title; int decimals; bool spread; } shown;
static const shown of_shells[] = {
    { UNA_RADIAL_CENTRE, "Centre", 3, true }, { UNA_RADIAL_OFF_IDEAL, "Off ideal", 3, false },
    { UNA_RADIAL_DISTANCE, "Distance", 3, true }, { UNA_RADIAL_DISTANCE_OUT, "Beyond", 3, false },
    { UNA_RADIAL_SYMMETRY, "Uneven", 2, true }, { UNA_RADIAL_ROUGHNESS, "Rough", 2, false },
    { UNA_RADIAL_LOG_LIK, "Log-lik", 2, false },
};
static const shown of_holes[] = {
    { UNA_RADIAL_CENTRE, "Centre", 2, true }, { UNA_RADIAL_DISTANCE, "Distance", 3, true },
    { UNA_RADIAL_SYMMETRY, "Uneven", 2, false }, { UNA_RADIAL_LOG_LIK, "Log-lik", 2, false },
    { UNA_RADIAL_HOLE_AUROC, "AUROC", 2, true }, { UNA_RADIAL_HOLE_INSIDE, "Inside", 2, false },
    { UNA_RADIAL_HOLE_LOG_LIK, "Log-lik in hole", 2, false },
};
enum { OF_SHELLS = sizeof of_shells / sizeof *of_shells, OF_HOLES = sizeof of_holes / sizeof *of_holes };

/* The network nearest to the GP, of those whose name begins so; NULL: none. */
static const una_group *nearest_to_gp(const una_findings *f, const una_radial_set *set, const char *begins)
{
    const una_group *best = NULL;
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        const una_radial_entry *entry = una_radial_entry_find(group->model);
        if (strcmp(data_of(f, group), set->name) != 0 || !entry || !entry->network ||
            strncmp(entry->name, begins, strlen(begins)) != 0)
            continue;
        double distance = una_findings_mean(f, group, UNA_RADIAL_DISTANCE);
        if (!isnan(distance) && (!best || distance < una_findings_mean(f, best, UNA_RADIAL_DISTANCE))) best = group;
    }
    return best;
}

static void radial_add_line(una_sheet *sheet, const una_findings *f, const una_group *group, const shown *columns,
                            size_t count, bool strong)
{
    size_t at = (size_t)(group - f->groups) * f->measures;
    una_sheet_line(sheet);
    una_sheet_words(sheet, radial_page_title(f, group));
    for (size_t i = 0; i < count; i++) {
        const shown *s = &columns[i];
        double mean = f->mean[at + s->measure];
        if (s->spread) una_sheet_spread(sheet, mean, f->sd[at + s->measure], s->decimals);
        else una_sheet_number(sheet, mean, s->decimals);
        if (strong && s->measure == UNA_RADIAL_DISTANCE) una_sheet_strong(sheet);
    }
    una_sheet_number(sheet, f->mean[at + f->measures - 1], 1);
}

static una_status radial_put_numbers(una_page *page, const una_findings *f, const una_radial_set *set, una_run *run)
{
    static const char shell[] = "Means over the seeds, with standard deviations. Centre: 3 std at 0, and how far from "
        "the ideal. Distance: root mean square difference of the curve from the GP's over radii 0 to 3, and beyond "
        "2 alone; that of the network nearest to the GP is set off. Uneven: sd over the rays, over the mean. Rough: "
        "bends of the curve, over its range. Log-likelihood of fresh rows. Seconds of a fit.";
    static const char hole[] = "Means over the seeds, with standard deviations. Centre: 3 std at 0. Distance: from the "
        "GP's curve, root mean square; that of the network nearest to it is set off. AUROC: how often a point in the "
        "hole has a larger std than a fresh row outside. Inside: share of the points in the hole whose function is "
        "in the 95 % band of ignorance. Log-likelihood of fresh rows outside the hole and in it.";
    una_arena *arena = page->html.text.arena;
    const shown *columns = set->shell ? of_shells : of_holes;
    size_t count = set->shell ? OF_SHELLS : OF_HOLES;
    const una_group *best = nearest_to_gp(f, set, "");
    const char *name = file_name("numbers", set, arena);
    UNA_TRY(una_arena_check(arena));
    una_sheet sheet = una_sheet_in(arena, name, "Numbers.", set->shell ? shell : hole);
    una_sheet_column(&sheet, "Model", UNA_SHEET_WORDS);
    for (size_t i = 0; i < count; i++)
        una_sheet_column(&sheet, columns[i].title, columns[i].spread ? UNA_SHEET_SPREAD : UNA_SHEET_NUMBER);
    una_sheet_column(&sheet, "Seconds", UNA_SHEET_NUMBER);
    for (size_t g = 0; g < f->group_count; g++)
        if (strcmp(data_of(f, &f->groups[g]), set->name) == 0)
            radial_add_line(&sheet, f, &f->groups[g], columns, count, &f->groups[g] == best);
    return una_page_sheet(page, &sheet, run);
}

/* ---- which model is nearest, and why ---------------------------------------------------------------------------- */

/* "0.024 too high in the hole and 0.056 too low beyond the shell": a mean curve against the standard's. */
static void put_distance_from_aim(una_text *text, const double *curve, const double *standard)
{
    static const struct { size_t from, to; const char *where; } part[] = {
        { 0, UNA_RADIAL_EDGE / 2, "in the hole" }, { UNA_RADIAL_EDGE, UNA_RADIAL_RADII - 1, "beyond the shell" } };
    for (size_t p = 0; p < 2; p++) {
        char number[UNA_NUMBER_ROOM];
        double sum = 0, off = una_radial_distance(curve, standard, part[p].from, part[p].to);
        for (size_t r = part[p].from; r <= part[p].to; r++) sum += curve[r] - standard[r];
        una_text_add(text, "%s%s too %s %s", p ? " and " : "", una_number_short(number, off, 2),
                     sum > 0 ? "high" : "low", part[p].where);
    }
}

static una_status radial_put_reason(una_page *page, const una_findings *f, const una_radial_set *set)
{
    char number[UNA_NUMBER_ROOM], other[UNA_NUMBER_ROOM];
    const una_group *best = nearest_to_gp(f, set, ""), *luna = nearest_to_gp(f, set, "luna");
    const una_group *gp = una_radial_group(f, "gp", set->name);
    if (!best || !luna || !gp) return UNA_OK;
    const double *standard = una_radial_means(f, gp, UNA_RADIAL_MEAN);
    una_text text = una_text_in(page->html.text.arena);
    una_text_add(&text, "The network nearest to the GP is %s: its curve is ", radial_page_title(f, best));
    put_distance_from_aim(&text, una_radial_means(f, best, UNA_RADIAL_MEAN), standard);
    if (best != luna) {
        una_text_add(&text, ". The nearest LUNA (%s) is ", radial_page_title(f, luna));
        put_distance_from_aim(&text, una_radial_means(f, luna, UNA_RADIAL_MEAN), standard);
    }
    una_text_add(&text, " (root mean squares). The GP's own 3 std at the centre are %s, the ideal that options were "
                 "chosen by is %s: who comes near the one is off the other.", una_number_short(number, standard[0], 2),
                 una_number_short(other, set->ideal, 3));
    UNA_TRY(una_arena_check(page->html.text.arena));
    una_page_paragraph(page, text.at);
    return UNA_OK;
}

/* Options differ between data sets, and the names do not show them. */
static una_status radial_put_specs(una_page *page, const una_findings *f, const una_radial_set *set, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    const char *name = file_name("specs", set, arena);
    UNA_TRY(una_arena_check(arena));
    una_sheet sheet = una_sheet_in(arena, name, "Specs.", "As they were fitted; what is not named is as 'una models' "
                                   "says.");
    una_sheet_column(&sheet, "Model", UNA_SHEET_WORDS);
    una_sheet_column(&sheet, "Spec", UNA_SHEET_WORDS);
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        if (strcmp(data_of(f, group), set->name) != 0) continue;
        una_sheet_line(&sheet);
        una_sheet_words(&sheet, radial_page_title(f, group));
        una_sheet_words(&sheet, f->fits[group->from].key.spec);
    }
    return una_page_sheet(page, &sheet, run);
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static una_status radial_put_section(una_page *page, const una_findings *f, const una_radial_set *set, una_run *run)
{
    const char *heading = heading_of(set, page->html.text.arena);
    UNA_TRY(una_arena_check(page->html.text.arena));
    una_page_heading(page, 2, heading);
    UNA_TRY(radial_put_curves(page, f, set, run));
    UNA_TRY(radial_put_numbers(page, f, set, run));
    if (set->shell) UNA_TRY(radial_put_reason(page, f, set));
    return radial_put_specs(page, f, set, run);
}

una_status una_radial_page(una_page *page, const una_findings *f, const una_asked *asked, una_run *run)
{
    const char *last = "";
    (void)asked;
    una_page_paragraph(page, "The ideal at the centre is 1/2^D: the volume of the gap over that of the whole ball "
        "(over that of the shell alone it would be 1/(2^D \xE2\x88\x92 1)). Options of every model were chosen once "
        "for each data set on other seeds, by the log-likelihood of fresh rows and then by the centre's distance from "
        "the ideal, never by the distance from the GP (docs/results/BENCH.md).");
    for (size_t g = 0; g < f->group_count; g++) {
        una_radial_set set;
        const char *data = data_of(f, &f->groups[g]);
        if (strcmp(data, last) == 0) continue;   /* the plan goes data set by data set */
        last = data;
        UNA_TRY(una_radial_set_find(&set, data, run));
        UNA_TRY(radial_put_section(page, f, &set, run));
    }
    return UNA_OK;
}
