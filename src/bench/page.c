/* SPDX-License-Identifier: MIT
 *
 * The page of the cubic gap: one small picture of the function per model, all with the same axes, then the table over
 * the seeds and the claims with their numbers.
 */
#include "bench/bench.h"

#include "report/fit_report.h"
#include "report/html.h"
#include "report/number.h"

#include <string.h>

enum { GRID = 193 };
static const double from = -4.8, to = 4.8, panel_width = 232, panel_height = 200;

/* ---- pictures -------------------------------------------------------------------------------------------- */

/* The kind where it is enough to tell the models apart, else the spec. */
static const char *title_of(const una_bench_result *result, size_t m)
{
    size_t same = 0;
    for (size_t i = 0; i < result->mean_count; i++) same += strcmp(result->means[i].model, result->means[m].model) == 0;
    return same == 1 ? result->means[m].model : result->means[m].spec;
}

static una_status sweep(una_report_model *shown, const una_model *model, const double *x, una_arena *arena,
                        una_run *run)
{
    double *mean = UNA_GET(arena, double, GRID), *std = UNA_GET(arena, double, GRID);
    double *lower = UNA_GET(arena, double, GRID), *upper = UNA_GET(arena, double, GRID);
    UNA_TRY(una_arena_check(arena));
    una_prediction line = { .mean = mean, .std_epistemic = std, .lower = lower, .upper = upper };
    UNA_TRY(una_model_predict_rows(model, x, GRID, 0.95, &line, run));
    shown->line_mean = mean, shown->sweep_std = std, shown->line_lower = lower, shown->line_upper = upper;
    return UNA_OK;
}

/* The chart draws its last model first, so the order is turned round here. */
static una_status pictures(una_html *html, const una_bench_result *result, const una_model *const *models,
                           const una_dataset *data, const char *caption, una_run *run)
{
    una_arena *arena = html->text.arena;
    size_t count = result->mean_count;
    double *x = UNA_GET(arena, double, GRID);
    una_report_model *shown = UNA_GET(arena, una_report_model, count);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < GRID; i++) x[i] = from + (to - from) * (double)i / (GRID - 1);
    for (size_t m = 0; m < count; m++) {
        una_report_model *one = &shown[count - 1 - m];
        one->title = title_of(result, m);
        UNA_TRY(sweep(one, models[m], x, arena, run));
    }
    una_report_column input = { .name = "x", .number = una_dataset_numbers(data, 0) };
    una_report report = { .target = "y", .rows = una_dataset_row_count(data), .y = una_dataset_numbers(data, 1),
        .columns = &input, .column_count = 1, .grid = GRID, .sweep_count = 1, .sweep_at = x, .models = shown,
        .model_count = count };
    una_figure figure = una_chart_function(&report, arena);
    UNA_TRY(una_arena_check(arena));
    figure.columns = 3;
    figure.panel_width = panel_width;
    figure.panel_height = panel_height;
    for (size_t i = 0; i < figure.panel_count; i++) figure.panels[i]->title = title_of(result, i);
    return una_html_figure(html, &figure, "The functions.", caption, run);
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static void spread_cell(una_html *html, double mean, double sd)
{
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "%s \xC2\xB1 %s", una_number_plain(a, mean, 2), una_number_plain(b, sd, 2));
    una_html_cell(html, UNA_HTML_NUMBER, words.at);
}

static void number_cell(una_html *html, double value, int decimals)
{
    char a[UNA_NUMBER_ROOM];
    una_html_cell(html, UNA_HTML_NUMBER, una_number_plain(a, value, decimals));
}

static void means_table(una_html *html, const una_bench_result *result)
{
    static const char *const heads[] = { "Seeds", "Gap std", "Data std", "Gap / data", "RMSE", "Seconds a fit" };
    una_html_table(html, "Over the seeds.", "Epistemic standard deviation, mean over 61 points of [\xE2\x88\x92"
                   "1.5, 1.5] (gap) and over the training rows (data), and the error at the training rows: mean "
                   "\xC2\xB1 standard deviation over the seeds, in the units of y. The noise of the data is 3.");
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Model");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) una_html_cell(html, UNA_HTML_NUMBER_HEAD, heads[i]);
    una_html_head_end(html);
    for (size_t i = 0; i < result->mean_count; i++) {
        const una_bench_mean *m = &result->means[i];
        una_html_row(html);
        una_html_cell(html, UNA_HTML_SIDE, title_of(result, i));
        number_cell(html, (double)m->seeds, 0);
        spread_cell(html, m->gap_std, m->gap_std_sd);
        spread_cell(html, m->data_std, m->data_std_sd);
        number_cell(html, m->gap_std / m->data_std, 1);
        spread_cell(html, m->rmse, m->rmse_sd);
        number_cell(html, m->seconds, 1);
        una_html_row_end(html);
    }
    una_html_table_end(html);
}

static void claims_table(una_html *html, const una_bench_result *result)
{
    static const char *const verdict[] = { "not tested", "does not hold", "holds" };
    una_html_table(html, "Claims of the thesis.", "Each is an inequality between the means over the seeds. Smoothly: "
                   "the std in the middle of the gap is more than twice that at the data, and on the 61 points it "
                   "rises once and falls once, but for a ripple of at most a tenth of its top.");
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Claim");
    una_html_cell(html, UNA_HTML_HEAD, "Here");
    una_html_cell(html, UNA_HTML_HEAD, "Numbers");
    una_html_head_end(html);
    for (size_t i = 0; i < result->claim_count; i++) {
        const una_bench_claim *c = &result->claims[i];
        una_html_row(html);
        una_html_cell(html, UNA_HTML_SIDE, c->sentence);
        una_html_cell(html, UNA_HTML_TEXT, verdict[c->holds + 1]);
        una_html_cell(html, UNA_HTML_TEXT, c->numbers);
        una_html_row_end(html);
    }
    una_html_table_end(html);
}

/* ---- the page -------------------------------------------------------------------------------------------- */

static una_status write_page(una_text *page, const una_bench_result *result, const una_model *const *models,
                             const una_dataset *data, uint64_t seed, bool quick, una_run *run)
{
    static const char *const warning[] = { "Budgets were cut short (quick): this page shows that everything works, not "
                                           "how good the models are." };
    una_arena *arena = page->arena;
    una_html html = una_html_begin(arena, "The cubic gap: who knows what it does not know?");
    una_html_heading(&html, 1, "The cubic gap: who knows what it does not know?");
    una_html_paragraph(&html, "lead", "100 rows of y = x\xC2\xB3 with noise of standard deviation 3, none of them "
                       "between \xE2\x88\x92" "2 and 2. A model that knows what it does not know opens its epistemic "
                       "band there.");
    if (quick) una_html_box(&html, "Quick run", warning, 1);
    una_text caption = una_text_in(arena);
    una_text_add(&caption, "Every model on the rows of seed %llu. All panels share their axes; bands may leave the "
                 "frame.", (unsigned long long)seed);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(pictures(&html, result, models, data, caption.at, run));
    una_html_heading(&html, 2, "What is known, in numbers");
    means_table(&html, result);
    una_html_heading(&html, 2, "What was claimed, and what holds here");
    claims_table(&html, result);
    una_html_heading(&html, 2, "What was fitted");
    for (size_t i = 0; i < result->mean_count; i++) una_html_paragraph(&html, "code", result->means[i].spec);
    UNA_TRY(una_html_end(&html, "Made by una " UNA_VERSION ". This page is complete in itself: it fetches nothing and "
                         "sends nothing."));
    una_text_bytes(page, html.text.at, html.text.length);
    return una_arena_check(arena);
}

una_status una_bench_cubic_page(const char *path, const una_bench_result *result, const una_model *const *models,
                                const una_dataset *data, uint64_t seed, bool quick, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_text page = una_text_in(&arena);
    una_status status = write_page(&page, result, models, data, seed, quick, run);
    if (status == UNA_OK) status = una_report_save(path, &page, run);
    una_arena_free(&arena);
    return status;
}
