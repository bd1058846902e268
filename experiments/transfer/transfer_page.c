/* SPDX-License-Identifier: MIT
 *
 * The page of the squiggle's transfer: log-likelihood inside the gap by the number of features, in both ways of
 * choosing noise and prior variance; the same as tables; and what too little, right and too much uncertainty
 * look like.
 */
#include "transfer/transfer.h"

#include "bench/lines.h"
#include "data/table.h"
#include "draw/number.h"

enum { GRID = 241, MOST_COUNTS = 16 };
static const double panel_width = 330, panel_height = 250, band_width = 232, band_height = 220;
static const double from = -4.5, to = 4.5, pale = 0.16;

typedef struct drawing {
    const una_findings *findings;
    const una_asked    *asked;
    una_arena          *arena;
    size_t              counts[MOST_COUNTS], count;      /* numbers of features, rising                     */
} drawing;

static void list_counts(drawing *d)
{
    const una_findings *f = d->findings;
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        size_t features = una_transfer_features(una_group_key(g)->data), at = 0;
        while (at < d->count && d->counts[at] < features) at++;
        if (features == 0 || d->count == MOST_COUNTS || (at < d->count && d->counts[at] == features)) continue;
        for (size_t i = d->count++; i > at; i--) d->counts[i] = d->counts[i - 1];
        d->counts[at] = features;
    }
}

/* ---- by features --------------------------------------------------------------------------------------------- */

/* Which models a row of panels shows: the first of each kind; or una's own settings, where a kind has others too. */
static bool is_shown(const drawing *d, size_t model, bool own)
{
    const una_bench_model *models = d->asked->models;
    if (own) return strcmp(models[model].spec, models[model].kind) == 0;
    for (size_t m = 0; m < model; m++)
        if (strcmp(models[m].kind, models[model].kind) == 0) return false;
    return true;
}

static bool has_own_row(const drawing *d)
{
    for (size_t m = 0; m < d->asked->model_count; m++)
        if (is_shown(d, m, true) && !is_shown(d, m, false)) return true;
    return false;
}

static una_ink ink_of(const char *kind)
{
    static const una_ink inks[] = { UNA_INK_MODEL, UNA_INK_IGNORANCE, UNA_INK_SECOND, UNA_INK_THIRD };
    int at = una_choice("luna|nlm|sngp|tuna", kind);
    return at < 0 ? UNA_INK_FOURTH : inks[at];
}

static una_status add_model(una_panel *panel, const drawing *d, const una_bench_model *model, size_t measure)
{
    const una_findings *f = d->findings;
    double *x = UNA_GET(d->arena, double, d->count), *mean = UNA_GET(d->arena, double, d->count);
    double *low = UNA_GET(d->arena, double, d->count), *high = UNA_GET(d->arena, double, d->count);
    size_t count = 0;
    UNA_TRY(una_arena_check(d->arena));
    for (size_t i = 0; i < d->count; i++) {
        const una_group *group = una_transfer_group(f, model->spec, d->counts[i]);
        if (!group) continue;
        double sd = una_group_sd(group, measure);
        x[count] = (double)d->counts[i];
        mean[count] = una_group_mean(group, measure);
        low[count] = mean[count] - sd, high[count] = mean[count] + sd;
        count++;
    }
    if (count == 0) return UNA_OK;

    una_ink ink = ink_of(model->kind);
    una_panel_between(panel, (una_look){ UNA_SHAPE_BAND, ink, 0, pale }, x, low, high, count);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, ink, 1.8, 0 }, x, mean, count);
    una_panel_label(panel, model->kind);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_POINTS, ink, 4, 0 }, x, mean, count);
    return UNA_OK;
}

/* Mean log-likelihood of the truth itself: the best expected value. */
static double best_there_is(void)
{
    return -0.5 * log(2 * acos(-1) * una_transfer_noise * una_transfer_noise) - 0.5;
}

static void add_level(una_panel *panel, const drawing *d, double level, una_ink ink, const char *label)
{
    una_panel_segment(panel, (una_look){ UNA_SHAPE_DASHES, ink, 0, 0 }, (double)d->counts[0], level,
                      (double)d->counts[d->count - 1], level);
    una_panel_label(panel, label);
}

static una_status transfer_add_panel(una_figure *figure, const drawing *d, const char *title, size_t measure, bool own)
{
    const una_group *gp = una_findings_group(d->findings, "gp", "squiggle");
    una_panel *panel = una_figure_panel(figure, title, "features", "log-likelihood in the gap, nats per row");
    if (!panel) return una_arena_check(d->arena);
    panel->x.log = true;
    add_level(panel, d, best_there_is(), UNA_INK_NOISE, "truth");
    if (gp) add_level(panel, d, una_group_mean(gp, UNA_TRANSFER_FRESH), UNA_INK_DATA, "gp anew");
    for (size_t m = 0; m < d->asked->model_count; m++)
        if (is_shown(d, m, own)) UNA_TRY(add_model(panel, d, &d->asked->models[m], measure));
    return UNA_OK;
}

static una_status by_features(una_page *page, drawing *d)
{
    bool own = has_own_row(d);
    if (d->count < 2) return UNA_OK;
    una_figure figure = una_figure_in(d->arena, 2, panel_width, panel_height);
    UNA_TRY(transfer_add_panel(&figure, d, "noise known", UNA_TRANSFER_KNOWN, false));
    UNA_TRY(transfer_add_panel(&figure, d, "by evidence", UNA_TRANSFER_EVIDENCE, false));
    if (own) {
        UNA_TRY(transfer_add_panel(&figure, d, "una\xE2\x80\x99s own settings, noise known", UNA_TRANSFER_KNOWN, true));
        UNA_TRY(transfer_add_panel(&figure, d, "una\xE2\x80\x99s own settings, by evidence", UNA_TRANSFER_EVIDENCE,
                                   true));
    }
    return una_page_figure(page, "features", &figure, "Log-likelihood by the number of features.",
                           "Mean over the seeds and a band of one standard deviation. Left: the noise is the true one, "
                           "the prior variance is chosen by validation rows outside the gap. Right: both by evidence "
                           "of the gap\u2019s training rows. Dashed: the true function with its noise, above which "
                           "nothing can be expected, and a Gaussian process that was fitted inside the gap, kernel and "
                           "all.");
}

static una_status features_sheet(una_page *page, const drawing *d, size_t measure)
{
    const una_findings *f = d->findings;
    una_sheet sheet = measure == UNA_TRANSFER_KNOWN ?
        una_sheet_in(d->arena, "known", "Noise known.", "Log-likelihood of fresh rows of the gap by the number of "
                "features, with the true noise and a prior variance of 0.1, 1 or 10, chosen by validation rows outside "
                "the gap: mean and sd over the seeds.") :
        una_sheet_in(d->arena, "evidence", "By evidence.", "The same with noise and prior variance by evidence of the "
                "gap\u2019s training rows.");
    una_sheet_column(&sheet, "model", UNA_SHEET_WORDS);
    for (size_t i = 0; i < d->count; i++)
        una_sheet_column(&sheet, una_phrase(d->arena, "%zu", d->counts[i]), UNA_SHEET_SPREAD);
    for (size_t m = 0; m < d->asked->model_count; m++) {
        const char *spec = d->asked->models[m].spec;
        if (!una_transfer_group(f, spec, 0)) continue;
        una_sheet_begin(&sheet, spec);
        for (size_t i = 0; i < d->count; i++)
            una_page_spread(&sheet, una_transfer_group(f, spec, d->counts[i]), measure, 2);
    }
    return una_page_sheet(page, &sheet);
}

/* The effect of the choice of a prior variance, with the most features. */
static una_status alphas_sheet(una_page *page, const drawing *d)
{
    una_column columns[UNA_TRANSFER_ALPHAS + 2] = { { "model", UNA_SHEET_WORDS, 0, 0 } };
    for (size_t a = 0; a < UNA_TRANSFER_ALPHAS; a++)
        columns[a + 1] = (una_column){ una_transfer_alphas[a], UNA_SHEET_SPREAD, UNA_TRANSFER_FIRST_ALPHA + a, 2 };
    size_t most = d->counts[d->count - 1];
    una_sheet sheet = una_page_table(page, "alphas", "Noise known, prior variance given.", una_phrase(d->arena,
        "Log-likelihood of fresh rows of the gap with %zu features and the true noise, for each prior variance: mean "
        "and sd over the seeds. Validation rows outside the gap, which choose one of them above, can hardly tell them "
        "apart.", most), columns);
    for (size_t m = 0; m < d->asked->model_count; m++) {
        const char *spec = d->asked->models[m].spec;
        const una_group *group = una_transfer_group(d->findings, spec, most);
        if (group) una_page_line(&sheet, group, spec, columns);
    }
    return una_page_sheet(page, &sheet);
}

/* Models whose features are not counted. */
static una_status others_sheet(una_page *page, const drawing *d)
{
    static const una_column columns[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "kept, noise known", UNA_SHEET_SPREAD, UNA_TRANSFER_KNOWN, 2 },
        { "kept, by evidence", UNA_SHEET_SPREAD, UNA_TRANSFER_EVIDENCE, 2 },
        { "fitted in the gap", UNA_SHEET_SPREAD, UNA_TRANSFER_FRESH, 2 }, { .title = NULL } };
    const una_findings *f = d->findings;
    una_sheet sheet = una_page_table(
        page, "others", "Without features to count.",
        "The kernel that a process found "
        "outside the gap is kept, its noise is the true one or by evidence; or all is fitted anew to the rows of "
        "the gap, which is no transfer. The truth: what the true function and noise are expected to score.",
        columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, "squiggle"));)
        una_page_line(&sheet, g, una_group_key(g)->spec, columns);
    una_sheet_begin(&sheet, "the truth");
    una_sheet_spread(&sheet, NAN, NAN, 2);
    una_sheet_spread(&sheet, NAN, NAN, 2);
    una_sheet_spread(&sheet, best_there_is(), 0, 2);
    return una_page_sheet(page, &sheet);
}

/* ---- too little, fitting, too much --------------------------------------------------------------------------- */

static una_status add_band(una_figure *figure, const una_model *model, const una_transfer_rows *rows, const char *title,
                           una_arena *arena, una_run *run)
{
    double *x = UNA_GET(arena, double, GRID), *truth = UNA_GET(arena, double, GRID);
    double *mean = UNA_GET(arena, double, GRID), *std = UNA_GET(arena, double, GRID);
    una_panel *panel = una_figure_panel(figure, title, "x", "y");
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < GRID; i++) {
        x[i] = from + (to - from) * (double)i / (GRID - 1);
        truth[i] = una_squiggle(x[i]);
    }
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    UNA_TRY(una_model_predict_rows(model, x, GRID, 0.95, &out, run));

    una_panel_show(panel, from, to, -90, 90);
    return una_known_curve_draw(panel, &(una_known_curve){ x, mean, std, truth, GRID, rows->train }, arena);
}

/* The first seed's, fitted again. */
static una_status draw_bands(una_figure *figure, const drawing *d, const una_transfer_rows *rows, una_run *run)
{
    for (size_t b = 0; b < UNA_TRANSFER_BANDS; b++) {
        const una_findings *f = d->findings;
        const una_group *group = una_findings_on(f, NULL, una_transfer_bands[b].data);
        double log_lik = una_findings_value(f, group->from, UNA_TRANSFER_BEFORE);
        const char *title = una_phrase(d->arena, "%s: %s nats", una_transfer_bands[b].name,
                                       UNA_PLAIN(log_lik, 2));
        una_model *model;
        UNA_TRY(una_transfer_fit(&model, una_group_key(group), rows, run));
        UNA_TRY(add_band(figure, model, rows, title, d->arena, run));
    }
    return UNA_OK;
}

static una_status bands_figure(una_page *page, const drawing *d)
{
    una_transfer_rows rows;
    const una_group *first = una_findings_on(d->findings, NULL, una_transfer_bands[0].data);
    una_figure figure = una_figure_in(d->arena, UNA_TRANSFER_BANDS, band_width, band_height);
    una_known_curve_keys(&figure, "mean", "true function", "training rows");

    UNA_TRY(una_transfer_rows_make(&rows, una_group_key(first)->seed, page->run));
    UNA_TRY(draw_bands(&figure, d, &rows, page->run));
    return una_page_figure(page, "bands", &figure, "Too little, about right, too much.",
                           "Three Gaussian processes of the same rows outside the gap, their kernels set by hand: rbf "
                           "of length 4, Mat\xC3\xA9rn of length 4, and Mat\xC3\xA9rn of length 1 with three times the "
                           "amplitude. Above each: the log-likelihood of fresh rows of the gap, which none has seen. "
                           "Bands may leave the frame.");
}

static una_status bands_sheet(una_page *page, const drawing *d)
{
    static const una_column columns[] = {
        { "uncertainty", UNA_SHEET_WORDS, 0, 0 }, { "std in the gap", UNA_SHEET_SPREAD, UNA_TRANSFER_BEFORE_STD, 1 },
        { "cover 95", UNA_SHEET_SPREAD, UNA_TRANSFER_BEFORE_COVERAGE, 2 },
        { "log-lik in the gap", UNA_SHEET_SPREAD, UNA_TRANSFER_BEFORE, 2 },
        { "log-lik outside", UNA_SHEET_SPREAD, UNA_TRANSFER_OUTSIDE, 2 }, { .title = NULL } };
    const una_findings *f = d->findings;
    una_sheet sheet = una_page_table(page, "bands", "Uncertainty and likelihood.",
                                     "Mean epistemic standard deviation in the gap, share of fresh rows there that are "
                                     "in their 95 % band (noise included), and the log-likelihood of these and of test "
                                     "rows outside: over the seeds. No row of the gap was learnt from. Outside, the "
                                     "three can hardly be told apart.", columns);
    for (size_t b = 0; b < UNA_TRANSFER_BANDS; b++)
        una_page_line(&sheet, una_findings_on(f, NULL, una_transfer_bands[b].data), una_transfer_bands[b].name,
                      columns);
    return una_page_sheet(page, &sheet);
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

una_status una_transfer_page(una_page *page)
{
    const una_findings *findings = page->findings;
    drawing d = { .findings = findings, .asked = page->asked, .arena = page->arena };
    list_counts(&d);
    if (d.count > 0) {
        una_page_heading(page, 2, "By the number of features");
        UNA_TRY(by_features(page, &d));
        UNA_TRY(features_sheet(page, &d, UNA_TRANSFER_KNOWN));
        UNA_TRY(features_sheet(page, &d, UNA_TRANSFER_EVIDENCE));
        UNA_TRY(alphas_sheet(page, &d));
    }
    if (una_findings_on(findings, NULL, "squiggle"))
        UNA_TRY(others_sheet(page, &d));
    if (una_findings_on(findings, NULL, una_transfer_bands[0].data)) {
        una_page_heading(page, 2, "How likelihood sees uncertainty");
        UNA_TRY(bands_figure(page, &d));
        UNA_TRY(bands_sheet(page, &d));
    }
    return una_arena_check(d.arena);
}
