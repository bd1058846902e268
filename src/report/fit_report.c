/* SPDX-License-Identifier: MIT
 *
 * The words and tables of the report, in the order in which a wary reader asks: what was fitted, what is wrong with
 * it, how good is it, where does it not know, how did training go. No date and no duration: same fit, same page.
 */
#include "report/fit_report.h"

#include "report/html.h"
#include "report/number.h"
#include "report/picture.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { NAMES = 12, NAME_ROOM = 72 };     /* input names in a sentence; bytes of each */

static const char *number(char buffer[UNA_NUMBER_ROOM], double value)
{
    return una_number_short(buffer, value, 4);
}

static const char *whole(char buffer[UNA_NUMBER_ROOM], size_t value)
{
    return una_number_plain(buffer, (double)value, 0);
}

static const char *spoken(char buffer[UNA_NUMBER_ROOM], double value)
{
    return una_number_brief(buffer, value, 4);
}

/* A name of any length, cut to what a sentence or the head of a table can bear. */
static const char *brief(char buffer[NAME_ROOM], const char *name)
{
    una_utf8_clean(buffer, NAME_ROOM - 3, name);
    if (strlen(name) >= NAME_ROOM) memcpy(buffer + strlen(buffer), "\xE2\x80\xA6", 4);
    return buffer;
}

/* ---- what was fitted -------------------------------------------------------------------------------- */

static void add_names(una_text *text, const una_report *report)
{
    char name[NAME_ROOM];
    size_t count = report->column_count < NAMES ? report->column_count : NAMES;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == report->column_count;
        una_text_add(text, "%s%s", i == 0 ? "" : last ? " and " : ", ", brief(name, report->columns[i].name));
    }
    if (report->column_count > count) una_text_add(text, " and %zu more", report->column_count - count);
}

static void add_inputs(una_text *text, const una_report *report, const una_fit_info *info)
{
    char a[UNA_NUMBER_ROOM];
    una_text_add(text, "%s %s (", whole(a, report->column_count), report->column_count == 1 ? "input" : "inputs");
    add_names(text, report);
    una_text_add(text, ")");
    if (info->inputs != report->column_count)
        una_text_add(text, ", which it sees as %s numbers", whole(a, info->inputs));
}

static void add_images(una_text *text, const una_report *report)
{
    const una_report_images *m = report->images;
    char name[NAME_ROOM];
    una_text_add(text, "images of %zu \xC3\x97 %zu places", m->height, m->width);
    if (m->channels > 1) una_text_add(text, " with %zu channels", m->channels);
    una_text_add(text, ", which the column %s names", brief(name, report->columns[0].name));
}

/* Words are explained for the first model only. */
static void describe_noise(una_text *text, const una_report *report, const una_fit_info *info, bool first)
{
    char a[UNA_NUMBER_ROOM], name[NAME_ROOM];
    if (isfinite(info->noise_std))
        una_text_add(text, " Around its mean the data scatter with a standard deviation of %s%s%s%s",
                     spoken(a, info->noise_std),
                     !first ? "" : info->log_target ? ", in the units of log " : ", in the units of ",
                     first ? brief(name, report->target) : "",
                     first ? ": that is the noise, which more rows of the same kind do not reduce." : ".");
    if (isfinite(info->prior_var))
        una_text_add(text, " The prior variance is %s on the standardised target.", spoken(a, info->prior_var));
    if (isfinite(info->mean_cos2))
        una_text_add(text, " Its auxiliary regressors have a mean cos\xC2\xB2 of %s%s.",
                     una_number_plain(a, info->mean_cos2, 3),
                     first ? " (0 where all differ, 1 where all are the same)" : "");
}

static void describe(una_html *html, const una_report *report, const una_report_model *model)
{
    const una_fit_info *info = model->info;
    char a[UNA_NUMBER_ROOM], name[NAME_ROOM];
    una_text text = una_text_in(html->text.arena);

    una_text_add(&text, "%s", model->title);
    if (strcasecmp(model->title, info->kind) != 0) una_text_add(&text, " (%s)", info->kind);
    una_text_add(&text, " predicts %s from ", brief(name, report->target));
    if (report->images) add_images(&text, report);
    else add_inputs(&text, report, info);
    una_text_add(&text, ". It rests on %s %s.", whole(a, info->rows), info->rows == 1 ? "row" : "rows");

    if (info->valid_rows > 0 && info->valid_rows == info->rows)
        una_text_add(&text, " Each of them was held out once, to judge what was learnt from the others.");
    else if (info->valid_rows > 0)
        una_text_add(&text, " While it learnt, %s were held out to judge it.", whole(a, info->valid_rows));
    if (info->steps > 0)
        una_text_add(&text, " The optimiser took %s %s.", whole(a, info->steps), info->steps == 1 ? "step" : "steps");
    describe_noise(&text, report, info, model == report->models);

    una_html_paragraph(html, NULL, text.at);
    una_html_box(html, info->warning_count == 1 ? "Warning" : "Warnings", info->warnings, info->warning_count);
    una_html_list(html, info->notes, info->note_count);
    if (info->spec) {
        una_html_paragraph(html, "note", report->one_of_several
            ? "Every choice, yours or automatic. Pass this back to fit this target alone with the same options:"
            : "Every choice, yours or automatic. Pass this back to repeat the fit:");
        una_html_paragraph(html, "code", info->spec);
    }
}

/* ---- scores ----------------------------------------------------------------------------------------- */

typedef struct measure { const char *name; size_t offset; bool share; } measure;

static void fit_row(una_html *html, const una_report *report, const char *name, size_t offset)
{
    char a[UNA_NUMBER_ROOM];
    bool any = false;
    for (size_t m = 0; m < report->model_count; m++)
        any = any || isfinite(*(const double *)(const void *)((const char *)report->models[m].info + offset));
    if (!any) return;
    una_html_row(html);
    una_html_cell(html, UNA_HTML_SIDE, name);
    for (size_t m = 0; m < report->model_count; m++)
        una_html_cell(html, UNA_HTML_NUMBER,
                      number(a, *(const double *)(const void *)((const char *)report->models[m].info + offset)));
    una_html_row_end(html);
}

static void held_out_rows(una_html *html, const una_report *report)
{
    size_t rows = 0;
    char a[UNA_NUMBER_ROOM], words[200];
    for (size_t m = 0; m < report->model_count; m++)
        if (report->models[m].info->valid_rows > rows) rows = report->models[m].info->valid_rows;
    if (rows == 0) return;
    snprintf(words, sizeof words, "On %s held-out rows, before the posterior took them in", whole(a, rows));
    una_html_group(html, report->model_count + 1, words);
    fit_row(html, report, "Root mean square error", offsetof(una_fit_info, valid_rmse));
    fit_row(html, report, "Log-likelihood per row", offsetof(una_fit_info, valid_log_lik));
}

static void given_rows(una_html *html, const una_report *report)
{
    static const measure measures[] = {
        { "Root mean square error", offsetof(una_score, rmse), false },
        { "Log-likelihood per row", offsetof(una_score, log_lik), false },
        { "CRPS", offsetof(una_score, crps), false },
        { "Rows within the 50 % band", offsetof(una_score, coverage_50), true },
        { "Rows within the 90 % band", offsetof(una_score, coverage_90), true },
        { "Rows within the 95 % band", offsetof(una_score, coverage_95), true },
        { "Calibration error", offsetof(una_score, calibration_error), false },
        { "Mean epistemic std", offsetof(una_score, mean_std_epistemic), false },
        { "Mean noise std", offsetof(una_score, mean_std_noise), false },
    };

    char a[UNA_NUMBER_ROOM], cell[UNA_NUMBER_ROOM + 8], words[200];
    snprintf(words, sizeof words, "On the %s %s given", whole(a, report->rows), report->rows == 1 ? "row" : "rows");
    una_html_group(html, report->model_count + 1, words);

    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        una_html_row(html);
        una_html_cell(html, UNA_HTML_SIDE, measures[i].name);
        for (size_t m = 0; m < report->model_count; m++) {
            double value = *(const double *)(const void *)((const char *)&report->models[m].score + measures[i].offset);
            if (measures[i].share) snprintf(cell, sizeof cell, "%s %%", una_number_plain(a, 100 * value, 1));
            else snprintf(cell, sizeof cell, "%s", number(a, value));
            una_html_cell(html, UNA_HTML_NUMBER, cell);
        }
        una_html_row_end(html);
    }
}

static void scores(una_html *html, const una_report *report)
{
    char name[NAME_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "Errors are in the units of %s; a higher log-likelihood and a lower CRPS are better. Rows "
                 "that a model has learnt from flatter it: trust the held-out rows more than the rows given.",
                 brief(name, report->target));
    una_html_table(html, "Scores.", words.at);

    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "");
    for (size_t m = 0; m < report->model_count; m++) una_html_cell(html, UNA_HTML_NUMBER_HEAD, report->models[m].title);
    una_html_head_end(html);
    held_out_rows(html, report);
    given_rows(html, report);

    bool evidence = false;
    for (size_t m = 0; m < report->model_count; m++)
        evidence = evidence || isfinite(report->models[m].info->log_evidence);
    if (evidence) una_html_group(html, report->model_count + 1, "Of the fit");
    fit_row(html, report, "Log-evidence of the standardised target", offsetof(una_fit_info, log_evidence));
    una_html_table_end(html);
}

/* ---- the rows it knows least about ------------------------------------------------------------------ */

/* Decimals that suit all of the rows shown: four digits for the largest, none for whole numbers. */
static int column_decimals(const double *values, const size_t *rows, size_t count)
{
    double largest = 0;
    bool all_whole = true;
    for (size_t i = 0; i < count; i++) {
        double value = fabs(values[rows[i]]);
        if (!isfinite(value)) continue;
        if (value > largest) largest = value;
        all_whole = all_whole && floor(value) == value;
    }
    if (all_whole || largest == 0) return 0;
    double decimals = 3 - floor(log10(largest));
    return decimals < 0 ? 0 : (int)fmin(decimals, 9);
}

static void number_cell(una_html *html, double value, int decimals)
{
    char a[UNA_NUMBER_ROOM];
    bool long_ = fabs(value) >= 1e9 || (decimals == 9 && fabs(value) < 1e-6 && value != 0);
    una_html_cell(html, UNA_HTML_NUMBER, long_ ? number(a, value) : una_number_plain(a, value, decimals));
}

static void least_known_head(una_html *html, const una_report *report, size_t columns)
{
    char name[NAME_ROOM];
    una_html_head(html);
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, "Row");
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, "Epistemic std");
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, "Predicted");
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, brief(name, report->target));
    for (size_t c = 0; c < columns; c++)
        una_html_cell(html, report->columns[c].number ? UNA_HTML_NUMBER_HEAD : UNA_HTML_HEAD,
                      brief(name, report->columns[c].name));
    una_html_head_end(html);
}

static una_status least_known(una_html *html, const una_report *report)
{
    size_t count = report->rows < UNA_LEAST_KNOWN ? report->rows : UNA_LEAST_KNOWN;
    size_t columns = report->column_count < UNA_TABLE_COLUMNS ? report->column_count : UNA_TABLE_COLUMNS;
    const size_t *row = una_report_least_known(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));

    const una_report_model *model = &report->models[0];
    char a[UNA_NUMBER_ROOM], name[NAME_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "Largest epistemic standard deviation first. Rows are counted from 1 below the header. ");
    if (columns < report->column_count)
        una_text_add(&words, "The first %zu of %s inputs are shown.", columns, whole(a, report->column_count));
    una_html_table(html, "The rows the model knows least about.", words.at);
    least_known_head(html, report, columns);

    for (size_t i = 0; i < count; i++) {
        una_html_row(html);
        una_html_cell(html, UNA_HTML_NUMBER, whole(a, report->row_number[row[i]]));
        number_cell(html, model->std_epistemic[row[i]], column_decimals(model->std_epistemic, row, count));
        number_cell(html, model->mean[row[i]], column_decimals(model->mean, row, count));
        number_cell(html, report->y[row[i]], column_decimals(report->y, row, count));
        for (size_t c = 0; c < columns; c++) {
            const una_report_column *column = &report->columns[c];
            if (column->number) number_cell(html, column->number[row[i]], column_decimals(column->number, row, count));
            else una_html_cell(html, UNA_HTML_TEXT, brief(name, column->word[row[i]] ? column->word[row[i]] : "-"));
        }
        una_html_row_end(html);
    }
    una_html_table_end(html);
    return UNA_OK;
}

/* ---- images ------------------------------------------------------------------------------------------ */

/* index 42 / says 3.1 / is 7 / ignorance 0.4 */
static const char *words_of(const una_report *report, size_t row, una_arena *arena)
{
    const una_report_model *model = &report->models[0];
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM], name[NAME_ROOM];
    una_text words = una_text_in(arena);
    una_text_add(&words, "%s %s\npredicted %s", brief(name, report->columns[0].name),
                 una_number_plain(a, report->columns[0].number[row], 0), una_number_brief(b, model->mean[row], 3));
    una_text_add(&words, "\nobserved %s\nignorance %s", una_number_brief(a, report->y[row], 4),
                 una_number_brief(b, model->std_epistemic[row], 3));
    return words.at;
}

/* The first rows of an order, or the last ones from its end. */
static una_status album(una_html *html, const una_report *report, const size_t *order, bool from_end, const char *lead,
                        const char *caption, una_run *run)
{
    const una_report_images *m = report->images;
    una_picture picture[UNA_MOST_PICTURES];
    size_t count = 0;
    for (size_t i = 0; i < report->rows && i < UNA_MOST_PICTURES; i++) {
        size_t row = order[from_end ? report->rows - 1 - i : i];
        const char *words = words_of(report, row, html->text.arena);
        UNA_TRY(una_arena_check(html->text.arena));
        if (m->numbers[row])
            picture[count++] = (una_picture){ m->height, m->width, m->channels, m->numbers[row], words };
    }
    return count ? una_html_pictures(html, picture, count, lead, caption, run) : UNA_OK;
}

static una_status doubts_about_images(una_html *html, const una_report *report, una_run *run)
{
    const size_t *order = una_report_least_known(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    UNA_TRY(album(html, report, order, false, "The images the model knows least about.",
                  "Largest epistemic standard deviation (ignorance) first.", run));
    UNA_TRY(album(html, report, order, true, "Those it knows best.", "Smallest ignorance first.", run));
    una_figure figure = una_chart_risk(report, html->text.arena);
    return una_html_figure(html, &figure, "What is left if the least known go to a person.",
        "Error of those images that the model knows best. Where the line falls towards the left, ignorance tells where "
        "errors are. Images that the model has learnt from show less of this than others do.", run);
}

static una_status image_figures(una_html *html, const una_report *report, una_run *run)
{
    if (una_report_has_doubts(report)) UNA_TRY(doubts_about_images(html, report, run));
    else una_html_paragraph(html, NULL, "Nowhere, it says: this model has the same ignorance about every image, so "
                            "that it cannot tell those apart that it knows little about. Models that can are luna, "
                            "nlm, sngp, mcd and ensemble.");
    const size_t *order = una_report_surprises(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    una_html_heading(html, 2, "What surprises it");
    return album(html, report, order, false, "Images whose errors are largest for their bands.",
                 "Errors that are largest as multiples of the predicted standard deviation. Look here for wrong labels "
                 "and for sorts of images that the model was not told about.", run);
}

/* ---- figures with their captions -------------------------------------------------------------------- */

static una_status function_figure(una_html *html, const una_report *report, una_run *run)
{
    una_figure figure = una_chart_function(report, html->text.arena);
    bool parts = false;
    for (size_t m = 0; m < report->model_count; m++) parts = parts || report->models[m].part_count > 0;
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "Vermillion is what the model does not know: it should open where there are no data. The "
                 "pale blue adds the noise.%s%s",
                 report->model_count > 1 ? " All panels share their axes." : "",
                 parts ? " Thin grey lines are its members, or the heads of a single one." : "");
    UNA_TRY(una_arena_check(html->text.arena));
    return una_html_figure(html, &figure, "The function and its bands.", words.at, run);
}

static una_status prediction_figures(una_html *html, const una_report *report, una_run *run)
{
    bool pair = report->model_count == 1;
    if (pair) una_html_pair(html);

    una_figure figure = una_chart_predicted(report, html->text.arena);
    UNA_TRY(una_html_figure(html, &figure, "Predicted against observed.", report->rows <= 300
        ? "Upright lines are the bands of each row."
        : "Upright lines are the bands of sixty rows, spread evenly over the observed values; of very many rows, "
          "3000 are drawn.", run));

    figure = una_chart_calibration(report, html->text.arena);
    UNA_TRY(una_html_figure(html, &figure, "Calibration on the rows given.",
        "A share p of the rows should lie below the quantile predicted for p. A curve that is flatter than the "
        "diagonal in the middle means bands that are too narrow; a steeper one, bands that are too wide.", run));

    if (pair) una_html_pair_end(html);
    return UNA_OK;
}

static una_status relevance_figure(una_html *html, const una_report *report, una_run *run)
{
    size_t shown = 0;
    una_figure figure = una_chart_relevance(report, &shown, html->text.arena);
    char a[UNA_NUMBER_ROOM], name[NAME_ROOM];
    una_text words = una_text_in(html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    if (figure.panel_count == 0) return UNA_OK;

    una_text_add(&words, "How quickly %s changes its course along each input, as shares of the squares of 1/length. An "
                 "input without a bar hardly matters; one along which %s runs nearly straight counts for little here, "
                 "however steep.", brief(name, report->target), name);
    if (shown < report->column_count)
        una_text_add(&words, " %s more inputs have smaller shares.", whole(a, report->column_count - shown));
    UNA_TRY(una_arena_check(html->text.arena));
    una_html_heading(html, 2, "Which inputs matter");
    return una_html_figure(html, &figure, "Relevance of the inputs.", words.at, run);
}

static una_status ignorance_figure(una_html *html, const una_report *report, una_run *run)
{
    if (report->sweep_count == 0) return UNA_OK;
    size_t shown = 0;
    una_figure figure = una_chart_ignorance(report, &shown, html->text.arena);

    char a[UNA_NUMBER_ROOM], name[NAME_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "Epistemic standard deviation, in the units of %s", brief(name, report->target));
    if (report->column_count > 1)
        una_text_add(&words, ", as one input moves and the others stay at their medians (or most frequent words). "
                     "All panels share the vertical axis; inputs along which it varies most come first");
    una_text_add(&words, ". The grey strip is where the data are.");

    if (shown < report->sweep_count)
        una_text_add(&words, " %s more numeric %s left out.", whole(a, report->sweep_count - shown),
                     report->sweep_count - shown == 1 ? "input is" : "inputs are");
    size_t texts = report->column_count - report->sweep_count;
    if (texts > 0)
        una_text_add(&words, " %s %s not moved: text, or the same in every row.", whole(a, texts),
                     texts == 1 ? "input was" : "inputs were");

    UNA_TRY(una_arena_check(html->text.arena));
    return una_html_figure(html, &figure, "Where the model does not know.", words.at, run);
}

static una_status training_figure(una_html *html, const una_report *report, una_run *run)
{
    una_figure figure = una_chart_training(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    if (figure.panel_count == 0) return UNA_OK;
    una_html_heading(html, 2, "How training went");
    return una_html_figure(html, &figure, "Training curves.",
        "Against optimiser steps. The first steps may lie outside of the frame.", run);
}

/* ---- the page --------------------------------------------------------------------------------------- */

/* A story may have several paragraphs, with an empty line between them. */
static void tell(una_html *html, const char *story)
{
    for (const char *from = story; from && *from;) {
        const char *end = strstr(from, "\n\n");
        size_t length = end ? (size_t)(end - from) : strlen(from);
        una_text part = una_text_in(html->text.arena);
        una_text_bytes(&part, from, length);
        if (length > 0) una_html_paragraph(html, "lead", part.at);
        from = end ? end + 2 : NULL;
    }
}

static void opening(una_html *html, const una_report *report, const char *heading)
{
    char a[UNA_NUMBER_ROOM];
    una_html_heading(html, 1, heading);
    tell(html, report->story);
    una_html_heading(html, 2, "What was fitted");
    for (size_t m = 0; m < report->model_count; m++) describe(html, report, &report->models[m]);
    if (report->left_out > 0) {
        una_text words = una_text_in(html->text.arena);
        una_text_add(&words, "%s of the rows given %s no value where one is needed and %s not shown below.",
                     whole(a, report->left_out),
                     report->left_out == 1 ? "has" : "have", report->left_out == 1 ? "is" : "are");
        una_html_paragraph(html, "note", words.at);
    }
}

static const char *heading_of(const una_report *report, una_arena *arena)
{
    una_text heading = una_text_in(arena);
    if (report->heading) una_text_add(&heading, "%s", report->heading);
    else una_text_add(&heading, "What is known about %s", report->target);
    return heading.at;
}

static const char *title_of(const una_report *reports, size_t count, una_arena *arena)
{
    una_text title = una_text_in(arena);
    if (count == 1) return heading_of(reports, arena);
    una_text_add(&title, "What is known about ");
    for (size_t i = 0; i < count; i++)
        una_text_add(&title, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", reports[i].target);
    return title.at;
}

static una_status body(una_html *html, const una_report *report, una_run *run)
{
    const char *heading = heading_of(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    opening(html, report, heading);
    if (una_report_is_line(report)) UNA_TRY(function_figure(html, report, run));
    una_html_heading(html, 2, "How good it is");
    scores(html, report);
    UNA_TRY(prediction_figures(html, report, run));
    UNA_TRY(relevance_figure(html, report, run));
    una_html_heading(html, 2, "Where it does not know");
    if (report->images) UNA_TRY(image_figures(html, report, run));
    else {
        UNA_TRY(ignorance_figure(html, report, run));
        UNA_TRY(least_known(html, report));
    }
    return training_figure(html, report, run);
}

una_status una_report_html_several(una_text *page, const una_report *reports, size_t count, una_run *run)
{
    una_arena *arena = page->arena;
    for (size_t i = 0; i < count; i++)
        if (reports[i].rows == 0 || reports[i].model_count == 0)
            UNA_FAIL(run, UNA_E_USAGE, "a report needs at least one model and one row of data");
    const char *title = title_of(reports, count, arena);
    UNA_TRY(una_arena_check(arena));

    una_html html = una_html_begin(arena, title);
    for (size_t i = 0; i < count; i++) {
        una_report one = reports[i];
        one.one_of_several = count > 1;
        UNA_TRY(body(&html, &one, run));
    }
    UNA_TRY(una_html_end(&html, "Made by una " UNA_VERSION ". This page is complete in itself: it fetches nothing and "
                         "sends nothing."));
    una_text_bytes(page, html.text.at, html.text.length);
    return una_arena_check(arena);
}

una_status una_report_html(una_text *page, const una_report *report, una_run *run)
{
    return una_report_html_several(page, report, 1, run);
}

/* Predictions and ignorance of the subject in one figure. */
static una_figure many_inputs(const una_report *report, una_arena *arena)
{
    una_report alone = *report;
    size_t shown = 0;
    alone.model_count = 1;
    una_figure whole_figure = una_figure_in(arena, 3, 232, 200);
    una_figure pieces[2] = { una_chart_predicted(&alone, arena) };
    if (!report->images) pieces[1] = una_chart_ignorance(&alone, &shown, arena);
    else if (una_report_has_doubts(report)) pieces[1] = una_chart_risk(&alone, arena);

    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < pieces[p].panel_count && whole_figure.panel_count < UNA_MOST_SWEEPS; i++) {
            if (p == 0) pieces[p].panels[i]->title = report->target;
            else if (!report->images) pieces[p].panels[i]->y.label = "Epistemic std";
            whole_figure.panels[whole_figure.panel_count++] = pieces[p].panels[i];
        }
        for (size_t k = 0; k < pieces[p].key_count; k++)
            una_figure_key(&whole_figure, pieces[p].keys[k].shape, pieces[p].keys[k].ink, pieces[p].keys[k].label);
    }
    return whole_figure;
}

una_status una_report_chart(una_text *bytes, const una_report *report, una_format format, una_run *run)
{
    if (report->rows == 0 || report->model_count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "a chart needs at least one model and one row of data");
    una_figure figure = una_report_is_line(report) ? una_chart_function(report, bytes->arena)
        : many_inputs(report, bytes->arena);
    return una_figure_draw(bytes, &figure, format, run);
}

una_status una_format_of(una_format *format, const char *path, una_run *run)
{
    static const char *const endings[] = { [UNA_FORMAT_SVG] = ".svg", [UNA_FORMAT_PDF] = ".pdf",
        [UNA_FORMAT_PNG] = ".png" };
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 3; i++)
        if (strcasecmp(dot, endings[i]) == 0) {
            *format = (una_format)i;
            return UNA_OK;
        }
    UNA_FAIL(run, UNA_E_USAGE, "%s: the ending of a chart's name says its format; use .svg, .pdf or .png", path);
}

una_status una_report_save(const char *path, const una_text *bytes, una_run *run)
{
    una_file file;
    UNA_TRY(una_file_begin(&file, path, bytes->arena, run));
    if (fwrite(bytes->at, 1, bytes->length, file.stream) == bytes->length) return una_file_commit(&file, run);
    int number = errno;                          /* commit would know that it failed, and not why */
    una_file_abandon(&file);
    UNA_FAIL(run, UNA_E_IO, "cannot write %s: %s", path, strerror(number));
}
