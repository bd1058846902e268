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

typedef struct drawing {
    una_page           *page;
    const una_findings *findings;
    una_arena          *arena;
    una_lines           lines;
    una_know_rows       rows;            /* of the first seed                                               */
    job                 job[MOST_JOBS];
    size_t              count;
} drawing;

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
    una_model *model = NULL;
    una_know_rows rows;
    una_mark mark = una_arena_mark(&run->scratch);
    run->settings.seed = j->key->seed;
    una_status status = una_know_fit(&model, &rows, j->key, run);
    if (status == UNA_OK && j->trace.mean) status = una_trace_fill(&j->trace, &d->lines, model, run);
    if (status == UNA_OK && j->heads) status = take_heads(j, &d->lines, model, run);
    if (status == UNA_OK && j->square) status = una_strip_square(j->square, model, run);
    if (status == UNA_OK && j->draws) status = una_prior_of_model(j->draws, DRAWN, model, &rows.train, run);
    una_model_free(model);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* A job for the group's first seed; NULL: no such group, or no room. */
static job *add_job(drawing *d, const una_group *group, const char *title)
{
    if (!group || d->count == MOST_JOBS) return NULL;
    job *j = &d->job[d->count++];
    *j = (job){ .key = &d->findings->fits[group->from].key, .title = title };
    return j;
}

static una_status add_role(job **added, drawing *d, const char *part, const char *name, const char *title, una_run *run)
{
    const una_group *group;
    UNA_TRY(una_role_group(&group, part, name, d->findings, run));
    *added = add_job(d, group, title);
    return UNA_OK;
}

/* ---- functions of one input ---------------------------------------------------------------------------------- */

typedef struct spot { double x, f; } spot;

static int by_x(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

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
    qsort(at, count, sizeof *at, by_x);
    for (size_t i = 0; i < count; i++) x[i] = at[i].x, f[i] = at[i].f;
    for (size_t p = 0; p < figure->panel_count; p++)
        una_panel_plot(figure->panels[p], (una_look){ UNA_SHAPE_DASHES, UNA_INK_SECOND, 1.2, 0 }, x, f, count);
    una_figure_key(figure, UNA_SHAPE_DASHES, UNA_INK_SECOND, "true function");
    return UNA_OK;
}

static una_status begin_part(drawing *d, const char *part, double from, double to, uint64_t seed, una_run *run)
{
    d->count = 0;
    UNA_TRY(una_know_rows_make(&d->rows, part, seed, d->arena, run));
    d->lines = (una_lines){ "x", "y", from, to, d->rows.train.x, d->rows.train.y, d->rows.train.rows };
    return UNA_OK;
}

static una_status draw_traces(drawing *d, const char *name, size_t columns, double width, double height, double low,
                              double high, const char *lead, const char *caption, una_run *run)
{
    una_trace trace[MOST_JOBS];
    una_figure figure;
    for (size_t i = 0; i < d->count; i++) trace[i] = d->job[i].trace;
    UNA_TRY(una_lines_draw(&figure, &d->lines, trace, d->count, d->arena));
    figure.columns = columns;
    figure.panel_width = width;
    figure.panel_height = height;
    for (size_t i = 0; i < figure.panel_count; i++) figure.panels[i]->y.low = low, figure.panels[i]->y.high = high;
    UNA_TRY(add_truth(&figure, &d->rows, d->arena));
    return una_page_figure(d->page, name, &figure, lead, caption, run);
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

typedef struct shown { size_t measure; const char *title; int decimals; } shown;

static una_status draw_table(drawing *d, const char *part, const char *lead, const char *caption, const shown *columns,
                             size_t count, una_run *run)
{
    const una_findings *f = d->findings;
    una_sheet sheet = una_sheet_in(d->arena, part, lead, caption);
    una_sheet_column(&sheet, "Model", UNA_SHEET_WORDS);
    for (size_t i = 0; i < count; i++) una_sheet_column(&sheet, columns[i].title, UNA_SHEET_SPREAD);
    for (size_t g = 0; g < f->group_count; g++) {
        const char *title;
        if (strcmp(f->fits[f->groups[g].from].key.data, part) != 0) continue;
        UNA_TRY(una_role_title(&title, f, &f->groups[g], d->arena, run));
        una_sheet_line(&sheet);
        una_sheet_words(&sheet, title);
        for (size_t i = 0; i < count; i++)
            una_page_spread(&sheet, f, &f->groups[g], columns[i].measure, columns[i].decimals);
    }
    return una_page_sheet(d->page, &sheet, run);
}

/* ---- sine ---------------------------------------------------------------------------------------------------- */

/* The heads, each of which was fitted to one reference function. */
static una_status draw_heads(drawing *d, una_run *run)
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
        if (panel) panel->x.low = d->lines.from, panel->x.high = d->lines.to, panel->y.low = -6, panel->y.high = 6;
    }
    return una_page_figure(d->page, "references", &figure, "What the features were taught.", "The 40 heads, each "
                           "fitted to one reference function before any target was seen: sines whose height, period "
                           "and phase are roughly known, and draws from a process with an RBF kernel. Marks on the "
                           "axis: where there are rows.", run);
}

static una_status add_sine_jobs(drawing *d, una_run *run)
{
    static const char *const roles[] = { "TUNA, sine references", "TUNA, RBF draws" };
    const una_findings *f = d->findings;
    for (size_t i = 0; i < 2; i++) {
        job *j;
        UNA_TRY(add_role(&j, d, "sine", roles[i], roles[i], run));
        if (j) j->heads = UNA_GET(d->arena, double, HEADS * UNA_LINE_GRID);
    }
    for (size_t g = 0; g < f->group_count && d->count < 6; g++) {        /* models to compare with */
        const una_row_key *key = &f->fits[f->groups[g].from].key;
        const char *title;
        UNA_TRY(una_role_title(&title, f, &f->groups[g], d->arena, run));
        if (strcmp(key->data, "sine") == 0 && strcmp(title, key->spec) == 0) add_job(d, &f->groups[g], title);
    }
    for (size_t i = 0; i < d->count; i++) UNA_TRY(una_trace_new(&d->job[i].trace, d->job[i].title, d->arena));
    return una_arena_check(d->arena);
}

static una_status draw_sine(drawing *d, uint64_t seed, una_run *run)
{
    static const shown columns[] = { { UNA_KNOW_LOG_LIK, "Log-lik", 2 }, { UNA_KNOW_ERROR, "Error", 2 },
        { UNA_KNOW_BEYOND_STD, "Std beyond", 2 },
        { UNA_KNOW_INSIDE, "Inside", 2 }, { UNA_KNOW_PULL, "Reach", 2 } };
    UNA_TRY(begin_part(d, "sine", -10, 20, seed, run));
    UNA_TRY(add_sine_jobs(d, run));
    if (d->count == 0) return UNA_OK;
    una_page_heading(d->page, 2, "A wave that goes on");
    una_page_paragraph(d->page, "60 rows of a sine with noise 0.3, over two of its periods. Somebody knows that it is "
                       "a sine, and roughly its height and period, and says so by reference functions; somebody else "
                       "asks only for smoothness. Both teach the same network, with sines as activation.");
    UNA_TRY(una_pool(run, d->count, do_job, d));
    UNA_TRY(draw_traces(d, "sine", 2, 340, 180, -6, 6, "Beyond the data.", "Mean and bands of the first seed, with "
                        "rows on [0, 10] alone; the last panels are models that were told nothing, but for the period "
                        "in that of the periodic kernel.", run));
    UNA_TRY(draw_heads(d, run));
    return draw_table(d, "sine", "Two periods beyond the rows.", "Log-likelihood of fresh rows on [\xE2\x88\x92" "10, "
                      "0] and [10, 20], error of the mean and mean epistemic standard deviation there, share of the "
                      "points whose true value is in the 95 % band of ignorance, and reach: how far the mean still "
                      "goes from the rows' mean, over how far the truth goes. Mean \xC2\xB1 standard deviation over "
                      "the seeds.", columns, sizeof columns / sizeof *columns, run);
}

/* ---- strip --------------------------------------------------------------------------------------------------- */

/* Lines of the square along one input, for every fourth value of the other. */
static void add_lines(una_figure *figure, const job *j, const double *place, bool along_x1, double high,
                      una_arena *arena)
{
    una_text title = una_text_in(arena);
    una_text_add(&title, "%s: along %s", j->title, along_x1 ? "x1" : "x2");
    una_panel *panel = una_figure_panel(figure, title.at, along_x1 ? "x1" : "x2", "epistemic std (units of y)");
    for (size_t k = 0; k < SIDE; k += 4) {
        double *y = UNA_GET(arena, double, SIDE);
        if (arena->failed) return;
        for (size_t i = 0; i < SIDE; i++) y[i] = along_x1 ? j->square[i * SIDE + k] : j->square[k * SIDE + i];
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_IGNORANCE, 1, 0.8 }, place, y, SIDE);
    }
    if (panel) panel->y.low = 0, panel->y.high = high, panel->x.low = -4, panel->x.high = 4;
}

static una_status draw_square(drawing *d, una_run *run)
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
                           "lines across the square, nine along each input, for the first seed; the rows lie within 2 "
                           "of the centre. A kernel on x1 alone says that x2 does not matter: its lines along x2 are "
                           "level.", run);
}

static una_status draw_strip(drawing *d, uint64_t seed, una_run *run)
{
    static const char *const roles[] = { "TUNA, kernel on x1", "TUNA, isotropic kernel" };
    static const char *const titles[] = { "kernel on x1", "isotropic" };
    static const shown columns[] = { { UNA_KNOW_ALONG_X1, "Along x1", 2 }, { UNA_KNOW_ALONG_X2, "Along x2", 3 },
        { UNA_KNOW_ALONG_RATIO, "Ratio", 4 }, { UNA_KNOW_DISC_STD, "Std in disc", 2 },
        { UNA_KNOW_OUTSIDE_STD, "Std outside", 2 } };
    UNA_TRY(begin_part(d, "strip", -4, 4, seed, run));
    for (size_t i = 0; i < 2; i++) {
        job *j;
        UNA_TRY(add_role(&j, d, "strip", roles[i], titles[i], run));
        if (j) j->square = UNA_GET(d->arena, double, SIDE * SIDE);
    }
    UNA_TRY(una_arena_check(d->arena));
    if (d->count == 0) return UNA_OK;
    una_page_heading(d->page, 2, "An input that does not matter");
    una_page_paragraph(d->page, "200 rows of x1\xC2\xB3 with noise 0.5 in a disc of radius 2. References come from a "
                       "process whose kernel sees x1 alone, or both inputs alike, on the square from \xE2\x88\x92" "4 "
                       "to 4.");
    UNA_TRY(una_pool(run, d->count, do_job, d));
    UNA_TRY(draw_square(d, run));
    return draw_table(d, "strip", "Variation along the inputs.", "Largest less smallest epistemic standard deviation "
                      "on a line along an input, mean over 33 lines; their ratio; the mean within 2 of the centre, "
                      "where the rows are, and farther than 3 from it. Mean \xC2\xB1 standard deviation over the "
                      "seeds.", columns,
                      sizeof columns / sizeof *columns, run);
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
    if (panel) panel->y.low = -6, panel->y.high = 6, panel->x.low = -3, panel->x.high = 3;
    return UNA_OK;
}

static una_status draw_draws(drawing *d, uint64_t seed, una_run *run)
{
    una_figure figure = una_figure_in(d->arena, 3, 220, 190);
    double *aim = UNA_GET(d->arena, double, DRAWN * UNA_PRIOR_POINTS);
    una_mark mark = una_arena_mark(&run->scratch);
    UNA_TRY(una_arena_check(d->arena));
    una_status status = una_prior_of_process(aim, DRAWN, seed, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
    UNA_TRY(add_draws(&figure, "target: GP", aim, d->arena));
    for (size_t k = 0; k < d->count; k++) UNA_TRY(add_draws(&figure, d->job[k].title, d->job[k].draws, d->arena));
    return una_page_figure(d->page, "draws", &figure, "Functions before any data.", "Twelve draws from the process "
                           "that the references came from, and from TUNA's prior, whose scale is that of the heads' "
                           "weights (matched) or what the evidence of 40 rows says (not matched).", run);
}

/* One measure against heads (features 50) or features (heads 40), matched and not: means with one sd up and down. */
static una_status add_curve(una_panel *panel, const drawing *d, bool by_heads, bool matched, size_t measure,
                            una_run *run)
{
    static const int heads[] = { 5, 10, 20, 40, 80, 160 }, features[] = { 5, 10, 20, 50, 100 };
    const una_findings *f = d->findings;
    size_t most = by_heads ? sizeof heads / sizeof *heads : sizeof features / sizeof *features, count = 0;
    double *x = UNA_GET(d->arena, double, 2 * most), *y = x + most;
    double *low = UNA_GET(d->arena, double, 2 * most), *high = low + most;
    UNA_TRY(una_arena_check(d->arena));
    for (size_t i = 0; i < most; i++) {
        const una_group *g;
        una_text name = una_text_in(d->arena);
        una_text_add(&name, "%d heads, %d features%s", by_heads ? heads[i] : 40, by_heads ? 50 : features[i],
                     matched ? ", matched" : "");
        UNA_TRY(una_arena_check(d->arena));
        UNA_TRY(una_role_group(&g, "prior", name.at, f, run));
        if (!g) continue;
        size_t at = (size_t)(g - f->groups) * f->measures + measure;
        x[count] = by_heads ? heads[i] : features[i];
        y[count] = f->mean[at];
        low[count] = f->mean[at] - f->sd[at];
        high[count++] = f->mean[at] + f->sd[at];
    }
    una_ink ink = matched ? UNA_INK_MODEL : UNA_INK_SECOND;
    una_panel_between(panel, (una_look){ UNA_SHAPE_RANGES, ink, 0, 0 }, x, low, high, count);
    una_series mean = { .shape = UNA_SHAPE_LINE, .ink = ink, .x = x, .y = y, .count = count, .size = 1.6 };
    una_panel_add(panel, mean);
    mean.shape = UNA_SHAPE_POINTS, mean.size = 4;
    una_panel_add(panel, mean);
    return UNA_OK;
}

static una_status draw_curves(drawing *d, una_run *run)
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
            UNA_TRY(add_curve(panel, d, k == 0, true, rows[r].measure, run));
            UNA_TRY(add_curve(panel, d, k == 0, false, rows[r].measure, run));
        }
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "matched");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_SECOND, "scale by evidence");
    return una_page_figure(d->page, "distance", &figure, "How near the prior comes.", "Distances of TUNA's prior from "
                           "its target at 31 points of [\xE2\x88\x92" "3, 3]: energy distance of 600 functions from "
                           "each, and the Kullback-Leibler divergence of the target from TUNA's Gaussian (covariance "
                           "of 6000 draws), with a noise variance of 0.01 added to both. Mean and one standard "
                           "deviation over the seeds.", run);
}

static una_status draw_prior(drawing *d, uint64_t seed, una_run *run)
{
    static const char *const roles[] = { "40 heads, 50 features, matched", "40 heads, 50 features",
        "5 heads, 50 features, matched", "160 heads, 50 features, matched", "40 heads, 5 features, matched" };
    static const char *const titles[] = { "40 heads, matched", "40 heads, not matched", "5 heads, matched",
                                          "160 heads, matched", "5 features, matched" };
    static const shown columns[] = { { UNA_KNOW_ENERGY, "Energy distance", 3 }, { UNA_KNOW_KL, "KL per point", 3 } };
    UNA_TRY(begin_part(d, "prior", -3, 3, seed, run));
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        job *j;
        UNA_TRY(add_role(&j, d, "prior", roles[i], titles[i], run));
        if (j) j->draws = UNA_GET(d->arena, double, DRAWN * UNA_PRIOR_POINTS);
    }
    UNA_TRY(una_arena_check(d->arena));
    if (d->count == 0) return UNA_OK;
    una_page_heading(d->page, 2, "Is the prior what it was taught?");
    una_page_paragraph(d->page, "The features learn draws from a process with kernel rbf(length=1). The loss fixes "
                       "which functions they can make, not how large the prior makes them: that is prior_var, or "
                       "match_prior.");
    UNA_TRY(una_pool(run, d->count, do_job, d));
    UNA_TRY(draw_draws(d, seed, run));
    UNA_TRY(draw_curves(d, run));
    return draw_table(d, "prior", "Distances from the target.", "As in the figure: mean \xC2\xB1 standard deviation "
                      "over the seeds.", columns, sizeof columns / sizeof *columns, run);
}

/* ---- tune ---------------------------------------------------------------------------------------------------- */

static una_status draw_tune(drawing *d, uint64_t seed, una_run *run)
{
    static const char *const roles[] = { "length 0.1", "length 0.1, tuned", "length 10", "length 10, tuned" };
    static const shown columns[] = { { UNA_KNOW_LENGTH, "Length", 2 }, { UNA_KNOW_LOG_LIK, "Log-lik", 3 },
        { UNA_KNOW_ERROR, "Error", 3 }, { UNA_KNOW_INSIDE, "Inside", 2 } };
    UNA_TRY(begin_part(d, "tune", -4.5, 4.5, seed, run));
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        job *j;
        UNA_TRY(add_role(&j, d, "tune", roles[i], roles[i], run));
        if (j) UNA_TRY(una_trace_new(&j->trace, roles[i], d->arena));
    }
    if (d->count == 0) return UNA_OK;
    una_page_heading(d->page, 2, "A prior that is tuned");
    una_page_paragraph(d->page, "60 rows of a draw from a process with length 1, with a gap between \xE2\x88\x92" "1 "
                       "and 1 and noise 0.2. The references' length is given a tenth of that or ten times too much; "
                       "tune_prior=evidence moves it, with the variance, to where the process makes the rows most "
                       "likely, before the references are drawn.");
    UNA_TRY(una_pool(run, d->count, do_job, d));
    UNA_TRY(draw_traces(d, "tune", 2, 340, 190, -4, 4, "Too short, too long, tuned.", "The first seed, by the length "
                        "of the references' kernel at the start.", run));
    return draw_table(d, "tune", "What tuning gains.", "Length of the kernel that the references were drawn with, "
                      "log-likelihood of 200 fresh rows on [\xE2\x88\x92" "4, 4], error of the mean, share of these "
                      "rows whose true value is in the 95 % band of ignorance: mean \xC2\xB1 standard deviation over "
                      "the seeds.", columns,
                      sizeof columns / sizeof *columns, run);
}

una_status una_knowledge_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    UNA_NEW(page->words.arena, drawing, d, 1);
    *d = (drawing){ .page = page, .findings = findings, .arena = page->words.arena };
    UNA_TRY(draw_sine(d, asked->first, run));
    UNA_TRY(draw_strip(d, asked->first, run));
    UNA_TRY(draw_prior(d, asked->first, run));
    return draw_tune(d, asked->first, run);
}
