/* SPDX-License-Identifier: MIT
 *
 * The page of the experiment, part by part: charts of the first seed, whose models are fitted again (all of them take
 * some seconds), and the tables over the seeds.
 */
#include "knowledge/knowledge.h"

#include "bench/lines.h"
#include "draw/number.h"

enum { MOST_JOBS = 32, HEADS = 40, DRAWN = 12, SIDE = UNA_STRIP_SIDE };

typedef struct job {                     /* a fit, and what to compute from it: the arrays that are not NULL */
    const una_row_key *key;
    const char        *title;
    una_trace          trace;            /* on the lines of the chart */
    double            *heads;            /* [HEADS, UNA_LINE_GRID]                                          */
    double            *square;           /* [SIDE, SIDE]                                                    */
    double            *draws;            /* [DRAWN, UNA_PRIOR_POINTS]                                       */
} job;

typedef struct drawing drawing;

enum { TRACES = 1, HEADS_OF_ROLES = 2, SQUARES = 4, DRAWS = 8 };         /* what is computed from fits              */
enum { MOST_ROLES = 5 };

typedef struct part {
    const char *data, *heading, *words;
    double      from, to;                /* of the lines                                                    */
    unsigned    needs;
    const char *roles[MOST_ROLES], *titles[MOST_ROLES];  /* titles NULL: as the roles                       */
    size_t      others;                  /* models to compare with: until there are so many                 */
    una_status (*draw)(drawing *d);
    const char *lead, *caption;          /* of the table                                                    */
    una_column  columns[7];
} part;

struct drawing {
    una_page           *page;
    const una_findings *findings;
    una_arena          *arena;
    const part         *part;
    una_lines           lines;
    una_know_rows       rows;            /* of the first seed                                               */
    job                 job[MOST_JOBS];
    size_t              count;
};

/* ---- fits ---------------------------------------------------------------------------------------------------- */

static una_status take_heads(job *j, const una_lines *lines, const una_model *model, una_run *run)
{
    static const char *const name = "x";
    double x[UNA_LINE_GRID];
    una_dataset *data = NULL;
    size_t count = 0;
    for (size_t i = 0; i < UNA_LINE_GRID; i++) x[i] = una_lines_at(lines, i);
    UNA_TRY(una_dataset_from_arrays(&data, x, NULL, UNA_LINE_GRID, 1, &name, run));
    una_status status = una_model_functions(model, data, &count, NULL, run);
    if (status == UNA_OK && count == HEADS) status = una_model_functions(model, data, &count, j->heads, run);
    una_dataset_free(data);
    return status;
}

static una_status do_job(void *context, size_t at, una_run *run)
{
    drawing *d = context;
    job *j = &d->job[at];
    una_model *model;
    una_know_rows rows;
    run->settings.seed = j->key->seed;
    UNA_TRY(una_know_fit(&model, &rows, j->key, run));
    if (j->trace.mean) UNA_TRY(una_trace_fill(&j->trace, &d->lines, model, run));
    if (j->heads) UNA_TRY(take_heads(j, &d->lines, model, run));
    if (j->square) UNA_TRY(una_strip_square(j->square, model, run));
    return j->draws ? una_prior_of_model(j->draws, DRAWN, model, &rows.train, run) : UNA_OK;
}

/* A job for the group's first seed; none without a group, or room. */
static una_status add_job(drawing *d, const una_group *group, const char *title, unsigned needs)
{
    if (!group || d->count == MOST_JOBS) return UNA_OK;
    job *j = &d->job[d->count++];
    *j = (job){ .key = una_group_key(group), .title = title };
    if (needs & TRACES) UNA_TRY(una_trace_new(&j->trace, title, d->arena));
    if (needs & HEADS_OF_ROLES) j->heads = UNA_GET(d->arena, double, HEADS * UNA_LINE_GRID);
    if (needs & SQUARES) j->square = UNA_GET(d->arena, double, SIDE * SIDE);
    if (needs & DRAWS) j->draws = UNA_GET(d->arena, double, DRAWN * UNA_PRIOR_POINTS);
    return una_arena_check(d->arena);
}

static una_status add_jobs(drawing *d)
{
    const part *p = d->part;
    const una_findings *f = d->findings;
    d->count = 0;
    for (size_t i = 0; i < MOST_ROLES && p->roles[i]; i++) {
        const una_group *group;
        UNA_TRY(una_role_group(&group, p->data, p->roles[i], f, d->page->run));
        UNA_TRY(add_job(d, group, p->titles[i] ? p->titles[i] : p->roles[i], p->needs));
    }
    for (const una_group *g = NULL; d->count < p->others && (g = una_findings_next(f, g, p->data));) {
        const char *title;
        UNA_TRY(una_role_title(&title, g, d->arena, d->page->run));
        if (strcmp(title, una_group_key(g)->spec) == 0) UNA_TRY(add_job(d, g, title, p->needs & TRACES));
    }
    return UNA_OK;
}

/* ---- functions of one input ---------------------------------------------------------------------------------- */

typedef struct spot { double x, f; } spot;               /* x first, for qsort */

/* The true function, if the part has one, as a dashed line on every panel. */
static una_status add_truth(una_figure *figure, const una_know_rows *r, una_arena *arena)
{
    size_t near = r->near.rows, count = near + r->beyond.rows;
    spot *at = UNA_GET(arena, spot, count);
    double *x = UNA_GET(arena, double, count), *f = UNA_GET(arena, double, count);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < count; i++)
        at[i] = i < near ? (spot){ r->near.x[i], r->near.f[i] }
                         : (spot){ r->beyond.x[i - near], r->beyond.f[i - near] };
    qsort(at, count, sizeof *at, una_by_number);
    for (size_t i = 0; i < count; i++) x[i] = at[i].x, f[i] = at[i].f;
    for (size_t p = 0; p < figure->panel_count; p++)
        una_panel_plot(figure->panels[p], (una_look){ UNA_SHAPE_DASHES, UNA_INK_SECOND, 1.2, 0 }, x, f, count);
    una_figure_key(figure, UNA_SHAPE_DASHES, UNA_INK_SECOND, "true function");
    return UNA_OK;
}

typedef struct frame { const char *name; double height, low, high; const char *lead, *caption; } frame;

static una_status draw_traces(drawing *d, const frame *shown)
{
    una_trace trace[MOST_JOBS];
    una_figure figure;
    for (size_t i = 0; i < d->count; i++) trace[i] = d->job[i].trace;
    UNA_TRY(una_lines_draw(&figure, &d->lines, trace, d->count, d->arena));
    figure.columns = 2, figure.panel_width = 340, figure.panel_height = shown->height;
    for (size_t i = 0; i < figure.panel_count; i++)
        figure.panels[i]->y.low = shown->low, figure.panels[i]->y.high = shown->high;
    UNA_TRY(add_truth(&figure, &d->rows, d->arena));
    return una_page_figure(d->page, shown->name, &figure, shown->lead, shown->caption);
}

static una_status draw_table(const drawing *d)
{
    const una_findings *f = d->findings;
    const part *p = d->part;
    una_sheet sheet = una_page_table(d->page, p->data, p->lead, p->caption, p->columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, p->data));) {
        const char *title;
        UNA_TRY(una_role_title(&title, g, d->arena, d->page->run));
        una_page_line(&sheet, g, title, p->columns);
    }
    return una_page_sheet(d->page, &sheet);
}

/* A part without fits has no place on the page. */
static una_status draw_part(drawing *d, const part *p)
{
    una_run *run = d->page->run;
    d->part = p;
    UNA_TRY(una_know_rows_make(&d->rows, p->data, d->page->asked->first, d->arena, run));
    d->lines = (una_lines){ "x", "y", p->from, p->to, d->rows.train.x, d->rows.train.y, d->rows.train.rows };
    UNA_TRY(add_jobs(d));
    if (d->count == 0) return UNA_OK;
    una_page_heading(d->page, 2, p->heading);
    una_page_paragraph(d->page, p->words);
    UNA_TRY(una_pool(run, d->count, do_job, d));
    UNA_TRY(p->draw(d));
    return draw_table(d);
}

/* ---- sine ---------------------------------------------------------------------------------------------------- */

/* The heads, each of which was fitted to one reference function. */
static una_status draw_heads(drawing *d)
{
    una_figure figure = una_figure_in(d->arena, 2, 340, 200);
    UNA_NEW(d->arena, double, x, UNA_LINE_GRID);
    for (size_t i = 0; i < UNA_LINE_GRID; i++) x[i] = una_lines_at(&d->lines, i);
    for (size_t k = 0; k < d->count; k++) {
        if (!d->job[k].heads) continue;
        una_panel *panel = una_figure_panel(&figure, d->job[k].title, "x", "y");
        for (size_t m = 0; m < HEADS; m++)
            una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.6, 0.5 }, x,
                           d->job[k].heads + m * UNA_LINE_GRID, UNA_LINE_GRID);
        una_panel_plot(panel, (una_look){ UNA_SHAPE_RUG, UNA_INK_DATA, 0, 0 }, d->rows.train.x, NULL,
                       d->rows.train.rows);
        una_panel_show(panel, d->lines.from, d->lines.to, -6, 6);
    }
    return una_page_figure(d->page, "references", &figure, "What the features were taught.",
            "The 40 heads, each fitted to one reference function before any target was seen: sines whose height, "
            "period and phase are roughly known, and draws from a process with an RBF kernel. Marks on the axis: where "
            "there are rows.");
}

static una_status draw_sine(drawing *d)
{
    static const frame shown = { "sine", 180, -6, 6, "Beyond the data.", "Mean and bands of the first seed, with rows "
        "on [0, 10] alone; the last panels are models that were told nothing, but for the period in that of the "
        "periodic kernel." };
    UNA_TRY(draw_traces(d, &shown));
    return draw_heads(d);
}

/* ---- strip --------------------------------------------------------------------------------------------------- */

/* Lines of the square along one input, for every fourth value of the other. */
static void add_lines(una_figure *figure, const job *j, const double *place, bool along_x1, double high,
                      una_arena *arena)
{
    const char *along = along_x1 ? "x1" : "x2";
    una_panel *panel = una_figure_panel(figure, una_phrase(arena, "%s: along %s", j->title, along), along,
                                        "epistemic std (units of y)");
    for (size_t k = 0; k < SIDE; k += 4) {
        double *y = UNA_GET(arena, double, SIDE);
        if (arena->failed) return;
        for (size_t i = 0; i < SIDE; i++) y[i] = along_x1 ? j->square[i * SIDE + k] : j->square[k * SIDE + i];
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_IGNORANCE, 1, 0.8 }, place, y, SIDE);
    }
    una_panel_show(panel, -4, 4, 0, high);
}

static una_status draw_square(drawing *d)
{
    una_figure figure = una_figure_in(d->arena, 2, 340, 190);
    double *place = UNA_GET(d->arena, double, SIDE), low = 0, high = 0;
    UNA_TRY(una_arena_check(d->arena));
    for (size_t i = 0; i < SIDE; i++) place[i] = una_strip_place(i);
    for (size_t k = 0; k < d->count; k++) una_range_add(&low, &high, d->job[k].square, SIDE * SIDE);
    for (size_t k = 0; k < d->count; k++) {
        add_lines(&figure, &d->job[k], place, true, 1.05 * high, d->arena);
        add_lines(&figure, &d->job[k], place, false, 1.05 * high, d->arena);
    }
    return una_page_figure(d->page, "strip", &figure, "Doubt along each input.", "Epistemic standard deviation on "
            "lines across the square, nine along each input, for the first seed; the rows lie within 2 of the centre. "
            "A kernel on x1 alone says that x2 does not matter: its lines along x2 are level.");
}

/* ---- prior --------------------------------------------------------------------------------------------------- */

static una_status add_draws(una_figure *figure, const char *title, const double *f, una_arena *arena)
{
    una_panel *panel = una_figure_panel(figure, title, "x", "f (std of y)");
    UNA_NEW(arena, double, x, UNA_PRIOR_POINTS);
    for (size_t i = 0; i < UNA_PRIOR_POINTS; i++) x[i] = una_prior_place(i);
    for (size_t k = 0; k < DRAWN; k++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 0.9, 0.7 }, x, f + k * UNA_PRIOR_POINTS,
                       UNA_PRIOR_POINTS);
    una_panel_show(panel, -3, 3, -6, 6);
    return UNA_OK;
}

/* One measure against heads (features 50) or features (heads 40), matched and not: means with one sd up and down. */
static una_status add_curve(una_panel *panel, const drawing *d, bool by_heads, bool matched, size_t measure)
{
    static const int heads[] = { 5, 10, 20, 40, 80, 160 }, features[] = { 5, 10, 20, 50, 100 };
    const una_findings *f = d->findings;
    size_t most = by_heads ? sizeof heads / sizeof *heads : sizeof features / sizeof *features, count = 0;
    double *x = UNA_GET(d->arena, double, 2 * most), *y = x + most;
    double *low = UNA_GET(d->arena, double, 2 * most), *high = low + most;
    UNA_TRY(una_arena_check(d->arena));
    for (size_t i = 0; i < most; i++) {
        const una_group *g;
        const char *name = una_phrase(d->arena, "%d heads, %d features%s", by_heads ? heads[i] : 40,
                                      by_heads ? 50 : features[i], matched ? ", matched" : "");
        UNA_TRY(una_arena_check(d->arena));
        UNA_TRY(una_role_group(&g, "prior", name, f, d->page->run));
        if (!g) continue;
        double sd = una_group_sd(g, measure);
        x[count] = by_heads ? heads[i] : features[i];
        y[count] = una_group_mean(g, measure);
        low[count] = y[count] - sd, high[count] = y[count] + sd;
        count++;
    }
    una_ink ink = matched ? UNA_INK_MODEL : UNA_INK_SECOND;
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, ink, 0, 0 }, x, low, high, count);
    una_series mean = { .shape = UNA_SHAPE_LINE, .ink = ink, .x = x, .y = y, .count = count, .size = 1.6 };
    una_panel_add(panel, mean);
    mean.shape = UNA_SHAPE_POINTS, mean.size = 4;
    una_panel_add(panel, mean);
    return UNA_OK;
}

static una_status draw_curves(drawing *d)
{
    static const struct { size_t measure; const char *label; bool log; } rows[] = {
        { UNA_KNOW_ENERGY, "energy distance (std of y)", false }, { UNA_KNOW_KL, "KL per point (nats)", true } };
    una_figure figure = una_figure_in(d->arena, 2, 340, 200);
    for (size_t r = 0; r < 2; r++)
        for (size_t k = 0; k < 2; k++) {
            una_panel *panel = una_figure_panel(&figure, k == 0 ? "by heads" : "by features",
                                                k == 0 ? "heads (50 features)" : "features (40 heads)", rows[r].label);
            if (!panel) continue;
            panel->x.log = true;
            panel->y.log = rows[r].log;
            UNA_TRY(add_curve(panel, d, k == 0, true, rows[r].measure));
            UNA_TRY(add_curve(panel, d, k == 0, false, rows[r].measure));
        }
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "matched");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_SECOND, "scale by evidence");
    return una_page_figure(d->page, "distance", &figure, "How near the prior comes.", "Distances of TUNA's prior from "
            "its target at 31 points of [\u22123, 3]: energy distance of 600 functions from each, and the "
            "Kullback-Leibler divergence of the target from TUNA's Gaussian (covariance of 6000 draws), with a noise "
            "variance of 0.01 added to both. Mean and one standard deviation over the seeds.");
}

static una_status draw_prior(drawing *d)
{
    una_run *run = d->page->run;
    una_figure figure = una_figure_in(d->arena, 3, 220, 190);
    double *aim = UNA_GET(d->arena, double, DRAWN * UNA_PRIOR_POINTS);
    UNA_TRY(una_arena_check(d->arena));
    UNA_SCOPED(run, una_prior_of_process(aim, DRAWN, d->page->asked->first, run));
    UNA_TRY(add_draws(&figure, "target: GP", aim, d->arena));
    for (size_t k = 0; k < d->count; k++) UNA_TRY(add_draws(&figure, d->job[k].title, d->job[k].draws, d->arena));
    UNA_TRY(una_page_figure(d->page, "draws", &figure, "Functions before any data.", "Twelve draws from the process "
            "that the references came from, and from TUNA's prior, whose scale is that of the heads' weights (matched) "
            "or what the evidence of 40 rows says (not matched)."));
    return draw_curves(d);
}

/* ---- tune ---------------------------------------------------------------------------------------------------- */

static una_status draw_tune(drawing *d)
{
    static const frame shown = { "tune", 190, -4, 4, "Too short, too long, tuned.", "The first seed, by the length of "
        "the references' kernel at the start." };
    return draw_traces(d, &shown);
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

#define SPREAD(measure, title, decimals) { title, UNA_SHEET_SPREAD, UNA_KNOW_##measure, decimals }
#define MODEL { "Model", UNA_SHEET_WORDS, 0, 0 }

static const part parts[] = {
    { "sine", "A wave that goes on", "60 rows of a sine with noise 0.3, over two of its periods. Somebody knows that "
      "it is a sine, and roughly its height and period, and says so by reference functions; somebody else asks only "
      "for smoothness. Both teach the same network, with sines as activation.", -10, 20, TRACES | HEADS_OF_ROLES,
      { "TUNA, sine references", "TUNA, RBF draws" }, { NULL }, 6, draw_sine, "Two periods beyond the rows.",
      "Log-likelihood of fresh rows on [\u221210, 0] and [10, 20], error of the mean and mean epistemic standard "
      "deviation there, share of the points whose true value is in the 95 % band of ignorance, and reach: how far the "
      "mean still goes from the rows' mean, over how far the truth goes. Mean \u00B1 standard deviation over the "
      "seeds.",
      { MODEL, SPREAD(LOG_LIK, "Log-lik", 2), SPREAD(ERROR, "Error", 2), SPREAD(BEYOND_STD, "Std beyond", 2),
        SPREAD(INSIDE, "Inside", 2), SPREAD(PULL, "Reach", 2), { .title = NULL } } },
    { "strip", "An input that does not matter", "200 rows of x1\u00B3 with noise 0.5 in a disc of radius 2. References "
      "come from a process whose kernel sees x1 alone, or both inputs alike, on the square from \u22124 to 4.", -4, 4,
      SQUARES, { "TUNA, kernel on x1", "TUNA, isotropic kernel" }, { "kernel on x1", "isotropic" }, 0, draw_square,
      "Variation along the inputs.", "Largest less smallest epistemic standard deviation on a line along an input, "
      "mean over 33 lines; their ratio; the mean within 2 of the centre, where the rows are, and farther than 3 from "
      "it. Mean \u00B1 standard deviation over the seeds.",
      { MODEL, SPREAD(ALONG_X1, "Along x1", 2), SPREAD(ALONG_X2, "Along x2", 3), SPREAD(ALONG_RATIO, "Ratio", 4),
        SPREAD(DISC_STD, "Std in disc", 2), SPREAD(OUTSIDE_STD, "Std outside", 2), { .title = NULL } } },
    { "prior", "Is the prior what it was taught?", "The features learn draws from a process with kernel rbf(length=1). "
      "The loss fixes which functions they can make, not how large the prior makes them: that is prior_var, or "
      "match_prior.", -3, 3, DRAWS,
      { "40 heads, 50 features, matched", "40 heads, 50 features", "5 heads, 50 features, matched",
        "160 heads, 50 features, matched", "40 heads, 5 features, matched" },
      { "40 heads, matched", "40 heads, not matched", "5 heads, matched", "160 heads, matched", "5 features, matched" },
      0, draw_prior, "Distances from the target.", "As in the figure: mean \u00B1 standard deviation over the seeds.",
      { MODEL, SPREAD(ENERGY, "Energy distance", 3), SPREAD(KL, "KL per point", 3), { .title = NULL } } },
    { "tune", "A prior that is tuned", "60 rows of a draw from a process with length 1, with a gap between \u22121 and "
      "1 and noise 0.2. The references' length is given a tenth of that or ten times too much; tune_prior=evidence "
      "moves it, with the variance, to where the process makes the rows most likely, before the references are drawn.", -4.5,
      4.5, TRACES, { "length 0.1", "length 0.1, tuned", "length 10", "length 10, tuned" }, { NULL }, 0, draw_tune,
      "What tuning gains.", "Length of the kernel that the references were drawn with, log-likelihood of 200 fresh "
      "rows on [\u22124, 4], error of the mean, share of these rows whose true value is in the 95 % band of ignorance: "
      "mean \u00B1 standard deviation over the seeds.",
      { MODEL, SPREAD(LENGTH, "Length", 2), SPREAD(LOG_LIK, "Log-lik", 3), SPREAD(ERROR, "Error", 3),
        SPREAD(INSIDE, "Inside", 2), { .title = NULL } } },
};

una_status una_knowledge_page(una_page *page)
{
    UNA_NEW(page->arena, drawing, d, 1);
    *d = (drawing){ .page = page, .findings = page->findings, .arena = page->arena };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) UNA_TRY(draw_part(d, &parts[i]));
    return UNA_OK;
}
