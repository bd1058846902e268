/* SPDX-License-Identifier: MIT
 *
 * The page of the studies. Each has a heading, what was done and what the thesis says, a figure of the gap std against
 * what was varied, the functions of a few values, and a table.
 */
#include "studies/studies.h"

#include "bench/paired.h"
#include "draw/number.h"

static const double panel_height = 230, whole_width = 480, half_width = 352;

/* ---- a curve along the values -------------------------------------------------------------------------------- */

typedef struct strand {                  /* of one curve: every fit, and what the fits of a value come to   */
    const char *names[UNA_STUDIES_VALUES];
    double      x[UNA_STUDIES_VALUES], middle[UNA_STUDIES_VALUES];
    double     *fit_x, *fit_y;
    size_t      count, fits;
} strand;

/* Values that were not run are not shown. Fits of one value are drawn side by side, in their order. */
static strand *strand_of(const una_findings *f, const una_study_line *s, const una_studies_curve *curve, size_t measure,
                         una_arena *arena)
{
    strand *t = UNA_GET(arena, strand, 1);
    if (!t) return NULL;
    t->fit_x = UNA_GET(arena, double, f->count);
    t->fit_y = UNA_GET(arena, double, f->count);
    for (size_t v = 0; v < UNA_STUDIES_VALUES && s->value[v] && !arena->failed; v++) {
        const una_group *g = una_studies_group(f, s, s->value[v], curve);
        if (!g) continue;
        t->names[t->count] = una_studies_word(s->value[v]);
        t->x[t->count] = (double)t->count + 1;
        t->middle[t->count++] = una_group_quantile(g, measure, 0.5, arena);
        for (size_t i = 0; i < g->count; i++) {
            t->fit_x[t->fits] = (double)t->count + 0.3 * (((double)i + 0.5) / (double)g->count - 0.5);
            t->fit_y[t->fits++] = una_findings_value(f, g->from + i, measure);
        }
    }
    return arena->failed ? NULL : t;
}

static una_panel *strand_panel(una_figure *figure, const strand *t, const char *title, const char *x, const char *y)
{
    una_panel *panel = una_figure_panel(figure, title, x, y);
    if (!panel) return NULL;
    panel->x.names = t->names;
    panel->x.name_count = t->count;
    panel->x.low = 0.6, panel->x.high = (double)t->count + 0.4;
    return panel;
}

/* The label stands at the panel's end, where no point is. */
static void add_strand(una_panel *panel, const strand *t, una_ink ink, const char *label)
{
    const una_look line = { UNA_SHAPE_LINE, ink, 0, 0 };
    una_panel_plot(panel, line, t->x, t->middle, t->count);
    una_panel_plot(panel, line, &panel->x.high, &t->middle[t->count - 1], 1);
    una_panel_label(panel, label);
}

static void gap_panel(una_figure *figure, const una_findings *f, const una_study_line *s,
                      const una_studies_curve *curve, una_arena *arena)
{
    const una_group *gp = una_findings_on(f, NULL, "cubic");
    strand *gap = strand_of(f, s, curve, UNA_CUBIC_GAP_STD, arena);
    strand *data = strand_of(f, s, curve, UNA_CUBIC_DATA_STD, arena);
    if (!gap || !data || gap->count == 0) return;
    una_panel *panel = strand_panel(figure, gap, curve ? curve->label : NULL, s->varied, "epistemic std, in y");
    if (!panel) return;
    panel->y.log = true;
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_IGNORANCE, 3, 0.45 }, gap->fit_x, gap->fit_y,
                   gap->fits);
    if (gp) {
        double level = una_group_quantile(gp, UNA_CUBIC_GAP_STD, 0.5, arena);
        una_panel_segment(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_MODEL, 0, 0 }, panel->x.low, level,
                          panel->x.high, level);
        una_panel_label(panel, "GP");
    }
    add_strand(panel, gap, UNA_INK_IGNORANCE, "in the gap");
    add_strand(panel, data, UNA_INK_DATA, "at the rows");
}

static una_status gap_figure(una_page *page, const una_study_line *s)
{
    size_t curves = 0;
    while (curves < UNA_STUDIES_CURVES && s->curve[curves].label) curves++;
    una_figure figure =
        una_figure_in(page->arena, curves > 1 ? 2 : 1, curves > 1 ? half_width : whole_width, panel_height);
    if (curves == 0) gap_panel(&figure, page->findings, s, NULL, page->arena);
    for (size_t c = 0; c < curves; c++) gap_panel(&figure, page->findings, s, &s->curve[c], page->arena);
    if (figure.panel_count == 0) return una_arena_check(page->arena);
    return una_page_figure(page, s->name, &figure, "Epistemic std.", "Mean over the points of the gap: a point for "
            "each fit, the line through their medians. Dashed: the Gaussian process on the same rows, its median. The "
            "lowest line: medians of the std at the training rows.");
}

/* ---- functions ----------------------------------------------------------------------------------------------- */

/* Of the first seed; where there are several curves, of the first. */
static una_status studies_put_functions(una_page *page, const una_study_line *s)
{
    const una_studies_curve *curve = s->curve[0].label ? &s->curve[0] : NULL;
    bool heads = strcmp(s->name, "luna_heads") == 0;
    una_cubic_panel panels[UNA_STUDIES_DRAWN];
    size_t count = 0;
    for (size_t d = 0; d < UNA_STUDIES_DRAWN && s->drawn[d]; d++) {
        const una_group *g = una_studies_group(page->findings, s, s->drawn[d], curve);
        const char *title = una_phrase(page->arena, "%.*s = %s", (int)strcspn(s->varied, ","), s->varied,
                                       una_studies_word(s->drawn[d]));
        if (g) panels[count++] = (una_cubic_panel){ &page->findings->fits[g->from], title, heads };
    }

    const char *caption =
        una_phrase(page->arena,
                   "On the rows of seed %llu%s%s%s. The panels share their axes; bands may "
                   "leave the frame.",
                   (unsigned long long)page->asked->first, curve ? ", " : "", curve ? curve->label : "",
                   heads ? ", with the auxiliary regressors (at most 60 of them)" : "");
    const char *name = una_phrase(page->arena, "%s-functions", s->name);
    UNA_TRY(una_arena_check(page->arena));
    return una_cubic_functions(page, name, panels, count, caption);
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

/* Mean over the seeds of the sd of the gap std over the restarts on the same rows; NAN where there is one restart. */
static double restart_sd(const una_findings *f, const una_group *g)
{
    double sum = 0;
    size_t seeds = 0;
    for (size_t i = g->from; i < g->from + g->count; i++) {
        double mean = 0, square = 0, n = 0;
        if (f->fits[i].key.split != 0) continue;
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t j = g->from; j < g->from + g->count; j++) {
                double value = una_findings_value(f, j, UNA_CUBIC_GAP_STD);
                if (f->fits[j].key.seed != f->fits[i].key.seed) continue;
                if (pass == 0) mean += value, n++;
                else square += (value - mean / n) * (value - mean / n);
            }
        if (n < 2) continue;
        sum += sqrt(square / (n - 1));
        seeds++;
    }
    return seeds ? sum / (double)seeds : NAN;
}

/* A column of the tables, and for which studies it is there. */
typedef struct shown { una_column column; const char *studies; } shown;

static const shown columns[] = {
    { { "misfit", UNA_SHEET_SPREAD, UNA_STUDIES_MISFIT, -2 }, "tuna_capacity" },
    { { "gap std", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_STD, -3 }, NULL },
    { { "gap / GP", UNA_SHEET_NUMBER, UNA_STUDIES_SHARE, 2 }, NULL },
    { { "data std", UNA_SHEET_NUMBER, UNA_CUBIC_DATA_STD, 2 }, "nlm_ tuna_length" },
    { { "ripple", UNA_SHEET_NUMBER, UNA_CUBIC_RIPPLE, 2 }, "luna_ tuna_length activations" },
    { { "inside gap", UNA_SHEET_NUMBER, UNA_CUBIC_GAP_INSIDE, 2 }, NULL },
    { { "log-lik gap", UNA_SHEET_NUMBER, UNA_CUBIC_GAP_LOG_LIK, 2 }, NULL },
    { { "RMSE", UNA_SHEET_NUMBER, UNA_CUBIC_RMSE, 2 }, NULL },
    { { "fresh RMSE", UNA_SHEET_NUMBER, UNA_STUDIES_TEST_RMSE, 2 }, "nlm_" },
    { { "fresh log-lik", UNA_SHEET_NUMBER, UNA_STUDIES_TEST_LOG_LIK, 2 }, NULL },
    { { "cos\xC2\xB2", UNA_SHEET_NUMBER, UNA_STUDIES_COS2, 2 }, "luna_ activations" },
    { { .title = NULL }, NULL }
};

static bool is_shown(const shown *column, const una_study_line *s)
{
    for (const char *at = column->studies; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (strncmp(s->name, at, length) == 0) return true;
        at += length;
    }
    return !column->studies;
}

static void begin_columns(una_sheet *sheet, const una_study_line *s, bool restarts)
{
    una_sheet_column(sheet, una_phrase(sheet->arena, "%.*s", (int)strcspn(s->varied, ","), s->varied), UNA_SHEET_WORDS);
    una_sheet_column(sheet, "captured", UNA_SHEET_WORDS);
    if (restarts) una_sheet_column(sheet, "sd over restarts", UNA_SHEET_NUMBER);
    for (const shown *c = columns; c->column.title; c++)
        if (is_shown(c, s)) una_sheet_column(sheet, c->column.title, c->column.kind);
}

static void fill_line(una_sheet *sheet, const una_findings *f, const una_group *g, const una_study_line *s,
                      const char *word, bool restarts)
{
    size_t hits = 0;
    for (size_t i = g->from; i < g->from + g->count; i++) hits += una_studies_captures(f, i);
    una_sheet_begin(sheet, word);
    una_sheet_words(sheet, una_phrase(sheet->arena, "%zu of %zu", hits, g->count));
    if (restarts) una_sheet_number(sheet, restart_sd(f, g), -2);
    for (const shown *c = columns; c->column.title; c++)
        if (is_shown(c, s)) una_page_cell(sheet, g, &c->column);
}

static void fill_curve(una_sheet *sheet, const una_findings *f, const una_study_line *s, const una_studies_curve *curve,
                       bool restarts)
{
    if (curve) una_sheet_group(sheet, curve->label);
    for (size_t v = 0; v < UNA_STUDIES_VALUES && s->value[v]; v++) {
        const una_group *g = una_studies_group(f, s, s->value[v], curve);
        if (g) fill_line(sheet, f, g, s, una_studies_word(s->value[v]), restarts);
    }
}

static una_status usual_sheet(una_page *page, const una_study_line *s, bool quick)
{
    bool restarts = (quick ? s->quick_restarts : s->restarts) > 1;
    const char *spec =
        una_studies_spec(s, "\xE2\x80\xA6", &(una_studies_curve){ "", "\xE2\x80\xA6" }, quick, page->arena);
    UNA_TRY(una_arena_check(page->arena));
    una_sheet sheet = una_sheet_in(
        page->arena, s->name, "In numbers.",
        una_phrase(
            page->arena,
            "Means over the fits, with "
            "standard deviations. Captured: the gap std is at least half of the GP's on the same rows; sd over "
            "restarts: of the gap std, on the same rows. Inside: share of the points of the gap whose x\u00B3 is in "
            "the 95 %% band of ignorance; fresh: 100 rows of the law of the training rows. Specs: %s",
            spec));
    begin_columns(&sheet, s, restarts);
    if (!s->curve[0].label) fill_curve(&sheet, page->findings, s, NULL, restarts);
    for (size_t c = 0; c < UNA_STUDIES_CURVES && s->curve[c].label; c++)
        fill_curve(&sheet, page->findings, s, &s->curve[c], restarts);
    return una_page_sheet(page, &sheet);
}

/* ---- the blow-up --------------------------------------------------------------------------------------------- */

static una_status blow_up(una_page *page, const una_study_line *s)
{
    const una_findings *f = page->findings;
    una_figure figure = una_figure_in(page->arena, 1, whole_width, panel_height);
    strand *right = strand_of(f, s, NULL, UNA_STUDIES_EVIDENCE, page->arena);
    strand *printed = strand_of(f, s, NULL, UNA_STUDIES_PRINTED, page->arena);
    UNA_TRY(una_arena_check(page->arena));
    una_panel *panel = strand_panel(&figure, right, NULL, s->varied, "log marginal likelihood, nats");
    add_strand(panel, printed, UNA_INK_IGNORANCE, "as printed");
    add_strand(panel, right, UNA_INK_MODEL, "right");
    UNA_TRY(una_arena_check(page->arena));
    UNA_TRY(una_page_figure(page, s->name, &figure, "Two formulas.", "Medians over the seeds; the same features, all "
            "multiplied by the scale, but for the one."));

    const una_column of_evidence[] = { { s->varied, UNA_SHEET_WORDS, 0, 0 },
                                       { "right", UNA_SHEET_SPREAD, UNA_STUDIES_EVIDENCE, 1 },
                                       { "as printed", UNA_SHEET_SPREAD, UNA_STUDIES_PRINTED, 1 }, { .title = NULL } };
    una_sheet sheet = una_page_table(page, s->name, "In numbers.", "Log marginal likelihood of the 100 rows, "
            "standardised: mean and sd over the seeds. Seven features can be scaled: each decade takes 7 ln 10 = 16.1 "
            "from the right one, and adds as much to the printed one.", of_evidence);
    for (size_t v = 0; v < UNA_STUDIES_VALUES && s->value[v]; v++) {
        const una_group *g = una_studies_group(f, s, s->value[v], NULL);
        if (g) una_page_line(&sheet, g, s->value[v], of_evidence);
    }
    return una_page_sheet(page, &sheet);
}

/* ---- TUNA's capacity ----------------------------------------------------------------------------------------- */

typedef struct misfit { const char *title, *curve[3], *label[3]; } misfit;
static const misfit misfits[] = {
    { "40 references, by length scale", { "40 of length 0.75", "40 of length 1.5", "40 of length 6" },
      { "length 0.75", "length 1.5", "length 6" } },
    { "References of length 1.5, by number", { "160 of length 1.5", "40 of length 1.5", "10 of length 1.5" },
      { "160 of them", "40", "10" } } };

static void misfit_panel(una_figure *figure, const una_findings *f, const una_study_line *s, const misfit *of)
{
    static const una_ink inks[] = { UNA_INK_IGNORANCE, UNA_INK_MODEL, UNA_INK_SECOND };
    una_panel *panel = NULL;
    for (size_t k = 0; k < 3; k++)
        for (size_t c = 0; c < UNA_STUDIES_CURVES && s->curve[c].label; c++) {
            if (strcmp(s->curve[c].label, of->curve[k]) != 0) continue;
            strand *t = strand_of(f, s, &s->curve[c], UNA_STUDIES_MISFIT, figure->arena);
            if (!t || t->count == 0) continue;
            if (!panel) panel = strand_panel(figure, t, of->title, s->varied, "misfit");
            if (!panel) continue;
            panel->y.log = true;
            add_strand(panel, t, inks[k], of->label[k]);
        }
}

static una_status capacity_figure(una_page *page, const una_study_line *s)
{
    double low = INFINITY, high = 0;
    una_figure figure = una_figure_in(page->arena, 2, half_width, panel_height);
    for (size_t i = 0; i < 2; i++) misfit_panel(&figure, page->findings, s, &misfits[i]);
    UNA_TRY(una_arena_check(page->arena));
    if (figure.panel_count == 0) return UNA_OK;

    for (size_t p = 0; p < figure.panel_count; p++)
        for (size_t i = 0; i < figure.panels[p]->count; i++)
            una_range_add(&low, &high, figure.panels[p]->series[i].y, figure.panels[p]->series[i].count);
    for (size_t p = 0; p < figure.panel_count && low > 0; p++)
        figure.panels[p]->y.low = low / 1.2, figure.panels[p]->y.high = high * 1.2;
    return una_page_figure(page, s->name, &figure, "How well the references are met.", "Root mean square distance of "
            "the heads from their reference functions, whose standard deviation is 1: medians over the seeds. Both "
            "panels share their axes.");
}

/* ---- likelihood and gap -------------------------------------------------------------------------------------- */

/* "nlm(penalty=0.1)" of "nlm(steps=2000, penalty=0.1, members=4)": without the options of the budget. */
static una_status short_title(const char **title, const una_group *g, una_arena *arena,
                              una_run *run)
{
    una_spec spec;
    una_text text = una_text_in(arena);
    size_t kept = 0;
    UNA_TRY(una_spec_parse(&spec, una_page_title(g), arena, run));
    una_text_add(&text, "%s", spec.name);
    for (size_t i = 0; i < spec.count; i++) {
        const char *key = spec.items[i].key;
        if (strcmp(key, "steps") == 0 || strcmp(key, "members") == 0) continue;
        una_text_add(&text, "%s%s=%s", kept++ ? ", " : "(", key, spec.items[i].value);
    }
    if (kept) una_text_add(&text, ")");
    *title = text.at;
    return una_arena_check(arena);
}

typedef struct rival {
    double likely;
    const una_group *group;
    const char *title;
} rival; /* likely first, for qsort */

/* In the order of their likelihood, the least first. */
static una_status list_rivals(rival **list, size_t *count, const una_findings *f, una_arena *arena, una_run *run)
{
    *count = 0;
    UNA_NEW_AT(arena, *list, f->group_count);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, "likelihood_blind"));) {
        rival *r = &(*list)[(*count)++];
        r->group = g;
        r->likely = una_group_mean(g, UNA_STUDIES_TEST_LOG_LIK);
        UNA_TRY(short_title(&r->title, g, arena, run));
    }
    qsort(*list, *count, sizeof **list, una_by_number);
    return UNA_OK;
}

static void rivals_panel(una_figure *figure, const una_findings *f, const rival *list, size_t count, size_t measure,
                         const char *label, una_arena *arena)
{
    const char **names = UNA_GET(arena, const char *, count);
    double *x = UNA_GET(arena, double, f->count), *y = UNA_GET(arena, double, f->count);
    double *mean = UNA_GET(arena, double, count), *at = UNA_GET(arena, double, count);
    una_panel *panel = una_figure_panel(figure, NULL, label, NULL);
    size_t fits = 0;
    if (!panel || arena->failed) return;
    for (size_t i = 0; i < count; i++) {
        names[i] = list[i].title;
        at[i] = (double)i + 1;
        mean[i] = una_group_mean(list[i].group, measure);
        for (size_t k = 0; k < list[i].group->count; k++) {
            x[fits] = una_findings_value(f, list[i].group->from + k, measure);
            y[fits++] = at[i];
        }
    }
    panel->y = (una_axis){ .low = 0.4, .high = (double)count + 0.6, .names = names, .name_count = count };
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_PART, 3, 0 }, x, y, fits);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, UNA_INK_MODEL, 6, 0 }, mean, at, count);
}

static una_status rivals_sheet(una_page *page, const una_study_line *s, const rival *list,
                               size_t count)
{
    static const una_column of_rivals[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "log-lik outside", UNA_SHEET_SPREAD, UNA_STUDIES_TEST_LOG_LIK, 3 },
        { "gap std", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_STD, 2 }, { "gap / GP", UNA_SHEET_SPREAD, UNA_STUDIES_SHARE, 2 },
        { "log-lik in the gap", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_LOG_LIK, 2 }, { .title = NULL } };
    una_sheet sheet = una_page_table(page, s->name, "In numbers.", "Mean and sd over the seeds: log-likelihood of 100 "
            "fresh rows of the law of the training rows and of fresh rows in the gap; epistemic standard deviation in "
            "the gap, also over that of the GP.", of_rivals);
    for (size_t i = count; i-- > 0;) una_page_line(&sheet, list[i].group, list[i].title, of_rivals);
    return una_page_sheet(page, &sheet);
}

static una_status likelihood_blind(una_page *page, const una_study_line *s)
{
    const una_findings *f = page->findings;
    una_figure figure = una_figure_in(page->arena, 2, half_width, panel_height + 60);
    rival *list;
    size_t count;
    UNA_TRY(list_rivals(&list, &count, f, page->arena, page->run));
    rivals_panel(&figure, f, list, count, UNA_STUDIES_TEST_LOG_LIK, "log-likelihood outside the gap, nats",
                 page->arena);
    rivals_panel(&figure, f, list, count, UNA_STUDIES_SHARE, "gap std over the GP's", page->arena);
    UNA_TRY(una_arena_check(page->arena));
    UNA_TRY(una_page_figure(page, s->name, &figure, "Likelihood, and what is known of the gap.",
            "A small point for each seed, a large one for the mean. In both panels the models stand in the order of "
            "their likelihood: on the left they climb by construction, on the right they would if it told the "
            "uncertainty in the gap."));
    return rivals_sheet(page, s, list, count);
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static bool was_run(const una_findings *f, const una_study_line *s)
{
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        if (una_studies_is_of(una_group_key(g)->data, s->name)) return true;
    return false;
}

una_status una_studies_page(una_page *page)
{
    const una_findings *f = page->findings;
    if (page->asked->quick)
        una_page_paragraph(page, "Steps and rates are named as a run in full has them; here trainings were shorter, as "
                "the specs above the tables say.");
    for (const una_study_line *s = una_studies_lines; s->name; s++) {
        if (!was_run(f, s)) continue;
        una_page_heading(page, 2, s->title);
        una_page_paragraph(page, s->how);
        una_page_paragraph(page, una_phrase(page->arena, "%s.", s->thesis));
        if (strcmp(s->name, "blow_up") == 0) {
            UNA_TRY(blow_up(page, s));
            continue;
        }
        if (!s->spec) {
            UNA_TRY(likelihood_blind(page, s));
            continue;
        }
        UNA_TRY(strcmp(s->name, "tuna_capacity") == 0 ? capacity_figure(page, s) : gap_figure(page, s));
        UNA_TRY(studies_put_functions(page, s));
        UNA_TRY(usual_sheet(page, s, page->asked->quick));
    }
    return UNA_OK;
}
