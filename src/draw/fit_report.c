/* SPDX-License-Identifier: MIT
 *
 * The page on fitted models, in the order in which a wary reader asks: is it any good and what is wrong with it, how
 * good is it on rows that it had not seen, which inputs matter and what do they do, what is left over, where does it
 * not know, how did training go, and last every option. No date and no duration: same fit, same page.
 */
#include "draw/cairo_canvas.h"
#include "draw/fit_report.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/picture.h"
#include "draw/sheet.h"

#include <strings.h>

enum { NAMES = 12, MOST_TOLD = 8 };      /* input names in a sentence; models with lines of their own numbers */

const char *una_report_name(char buffer[UNA_NAME_ROOM], const char *name)
{
    static const char apart[] = "\xE2\x81\xA8", together[] = "\xE2\x81\xA9", dots[] = "\xE2\x80\xA6";
    bool turned = una_utf8_is_right_to_left(name);
    char *to = buffer + (turned ? 3 : 0);
    size_t room = UNA_NAME_ROOM - 3 - (turned ? 6 : 0);
    una_utf8_clean(to, room, name);
    if (strlen(name) > room) memcpy(to + strlen(to), dots, 4);
    if (!turned) return buffer;
    memcpy(buffer, apart, 3);
    memcpy(buffer + strlen(buffer), together, 4);
    return buffer;
}

/* ---- what was fitted -------------------------------------------------------------------------------- */

static void add_model_names(una_text *text, const una_report *report)
{
    size_t count = report->column_count < NAMES ? report->column_count : NAMES;
    for (size_t i = 0; i < count; i++)
        una_text_add(text, "%s%s", una_list_separator(i, report->column_count), UNA_NAMED(report->columns[i].name));
    if (report->column_count > count) una_text_add(text, " and %zu more", report->column_count - count);
}

static void add_input_names(una_text *text, const una_report *report, const una_fit_info *info)
{
    una_text_add(text, "%s %s (", UNA_COUNTED(report->column_count), report->column_count == 1 ? "input"
                 : "inputs");
    add_model_names(text, report);
    una_text_add(text, ")");
    if (info->inputs != report->column_count)
        una_text_add(text, ", which it sees as %s numbers", UNA_COUNTED(info->inputs));
}

static void add_image_words(una_text *text, const una_report *report)
{
    const una_report_images *m = report->images;
    una_text_add(text, "images of %zu \xC3\x97 %zu places", m->height, m->width);
    if (m->channels > 1) una_text_add(text, " with %zu channels", m->channels);
    una_text_add(text, ", which the column %s names", UNA_NAMED(report->columns[0].name));
}

/* Words are explained for the first model only. */
static void describe_noise(una_text *text, const una_report *report, const una_fit_info *info, bool first)
{
    const char *units = info->log_target ? ", in the units of log " : ", in the units of ";
    if (isfinite(info->noise_std))
        una_text_add(text, " Around its mean the data scatter with a standard deviation of %s%s%s%s",
                     UNA_BRIEF(info->noise_std, 4), first ? units : "",
                     first ? UNA_NAMED(report->target) : "",
                     first ? ": that is the noise, which more rows of the same kind do not reduce." : ".");
    if (isfinite(info->prior_var))
        una_text_add(text, " The prior variance is %s on the standardised target.",
                     UNA_BRIEF(info->prior_var, 4));
    if (isfinite(info->mean_cos2))
        una_text_add(text, " Its auxiliary regressors have a mean cos\xC2\xB2 of %s%s.",
                     UNA_PLAIN(info->mean_cos2, 3),
                     first ? " (0 where all differ, 1 where all are the same)" : "");
}

static void describe_updates(una_text *text, const una_fit_info *info)
{
    if (!info->updates) return;
    una_text_add(text, " Since the fit %s %s brought %s %s", UNA_COUNTED(info->updates),
                 info->updates == 1 ? "update" : "updates", UNA_COUNTED(info->rows_added),
                 info->rows_added == 1 ? "row" : "rows");
    if (info->added_scored)
        una_text_add(text, "; when they came, their mean z² was %s (1 expected)", UNA_PLAIN(info->added_z2, 2));
    una_text_add(text, ".");
}

static void describe_model(una_html *html, const una_report *report, const una_report_model *model)
{
    const una_fit_info *info = model->info;
    una_text text = una_text_in(html->text.arena);

    una_text_add(&text, "%s", model->title);
    if (strcasecmp(model->title, info->kind) != 0) una_text_add(&text, " (%s)", info->kind);
    una_text_add(&text, " predicts %s from ", UNA_NAMED(report->target));
    if (report->images) add_image_words(&text, report);
    else add_input_names(&text, report, info);
    una_text_add(&text, ". It rests on %s %s.", UNA_COUNTED(info->rows), info->rows == 1 ? "row"
                 : "rows");

    if (info->valid_rows > 0 && info->valid_rows == info->rows)
        una_text_add(&text, " Each of them was held out once, to judge what was learnt from the others.");
    else if (info->valid_rows > 0)
        una_text_add(&text, " While it learnt, %s were held out to judge it.",
                     UNA_COUNTED(info->valid_rows));
    if (info->steps > 0)
        una_text_add(&text, " The optimiser took %s %s.", UNA_COUNTED(info->steps), info->steps == 1
                     ? "step" : "steps");
    describe_updates(&text, info);
    describe_noise(&text, report, info, model == report->models);

    una_html_paragraph(html, NULL, text.at);
    una_html_list(html, info->notes, info->note_count);
    if (info->spec) {
        una_html_paragraph(html, "note", report->one_of_several
            ? "Every choice, yours or automatic. Pass this back to fit this target alone with the same options:"
            : "Every choice, yours or automatic. Pass this back to repeat the fit:");
        una_html_paragraph(html, "code", info->spec);
    }
}

/* ---- scores ----------------------------------------------------------------------------------------- */

/* Of one model: on rows that it had not seen, or on the rows given. */
typedef struct scored { double rmse, explained, inside_50, inside_90, inside_95, width, ignorance, noise; } scored;

static scored score_of(const una_report_predictions *predictions, una_arena *arena)
{
    scored s = {0};
    double n = (double)predictions->rows, mean = 0, var = 0, square = 0;
    double *width = UNA_GET(arena, double, predictions->rows);
    if (!width) return s;
    for (size_t i = 0; i < predictions->rows; i++) mean += predictions->y[i] / n;
    for (size_t i = 0; i < predictions->rows; i++) {
        double error = predictions->y[i] - predictions->mean[i], std = predictions->std[i],
            ignorance = predictions->std_epistemic[i];
        double level = predictions->below ? fabs(2 * predictions->below[i] - 1)
                       : erf(fabs(error) / std * 0.70710678118654752440);
        var += (predictions->y[i] - mean) * (predictions->y[i] - mean) / n;
        square += error * error / n;
        s.inside_50 += (level <= 0.5) / n, s.inside_90 += (level <= 0.9) / n, s.inside_95 += (level <= 0.95) / n;
        s.ignorance += ignorance / n;
        s.noise += sqrt(fmax(std * std - ignorance * ignorance, 0)) / n;
        width[i] = predictions->upper[i] - predictions->lower[i];
    }
    s.rmse = sqrt(square);
    s.explained = var > 0 ? 1 - square / var : NAN;
    s.width = una_quantile(width, predictions->rows, 0.5);
    return s;
}

typedef struct measure { const char *name; size_t offset; bool share, honest; } measure;    /* honest: only of rows
                                                                                               that were not seen */

static bool any_held_out(const una_report *report, bool all)
{
    size_t count = 0;
    for (size_t m = 0; m < report->model_count; m++) count += report->models[m].held_out != NULL;
    return all ? count == report->model_count : count > 0;
}

/* Of each model the number at `offset` of its struct in `from`; NULL: none. */
static double number_at(const void *from, size_t offset)
{
    return from ? *(const double *)(const void *)((const char *)from + offset) : NAN;
}

static void measure_row(una_sheet *sheet, const una_report *report, const measure *what, const scored *list)
{
    una_sheet_begin(sheet, what->name);
    for (size_t m = 0; m < report->model_count; m++) {
        double value = number_at(&list[m], what->offset);
        if (what->honest && !report->models[m].held_out) value = NAN;
        if (what->share && isfinite(value))
            una_sheet_words(sheet, una_phrase(sheet->arena, "%s %%", UNA_PLAIN(100 * value, 1)));
        else una_sheet_number(sheet, value, -4);
    }
}

/* A number of the fit or of the verdict, where any model has it. */
static void fit_row(una_sheet *sheet, const una_report *report, const char *name, size_t offset, bool of_verdict)
{
    bool any = false;
    for (size_t pass = 0; pass < 2; pass++) {
        if (pass == 1 && !any) return;
        if (pass == 1) una_sheet_begin(sheet, name);
        for (size_t m = 0; m < report->model_count; m++) {
            const una_report_model *model = &report->models[m];
            double value = of_verdict ? number_at(model->verdict, offset) : number_at(model->info, offset);
            if (m >= MOST_TOLD) value = NAN;
            any = any || isfinite(value);
            if (pass == 1) una_sheet_number(sheet, value, -4);
        }
    }
}

static const char *score_group(const una_report *report, una_arena *arena)
{
    size_t rows = 0;
    for (size_t m = 0; m < report->model_count; m++) {
        const una_report_predictions *predictions = report->models[m].held_out;
        if (predictions && predictions->rows > rows) rows = predictions->rows;
    }
    if (rows == 0)
        return una_phrase(arena, "On the %s %s given", UNA_COUNTED(report->rows), report->rows == 1 ? "row"
                          : "rows");
    return una_phrase(arena, "On %s held-out rows%s", UNA_COUNTED(rows),
                      any_held_out(report, true) ? "" : " (where there are none: on the rows given)");
}

static void add_scores(una_html *html, const una_report *report)
{
    static const measure measures[] = {
        { "Root mean square error", offsetof(scored, rmse), false, false },
        { "Share of the spread explained", offsetof(scored, explained), true, true },
        { "Rows within the 50 % band", offsetof(scored, inside_50), true, true },
        { "Rows within the 90 % band", offsetof(scored, inside_90), true, true },
        { "Rows within the 95 % band", offsetof(scored, inside_95), true, true },
        { "Width of the 95 % band, median", offsetof(scored, width), false, false },
        { "Epistemic std, mean", offsetof(scored, ignorance), false, false },
        { "Noise std, mean", offsetof(scored, noise), false, false },
    };
    una_arena *arena = html->text.arena;
    scored *list = UNA_GET(arena, scored, report->model_count);
    if (!list) return;
    for (size_t m = 0; m < report->model_count; m++)
        list[m] = score_of(una_report_judged(&report->models[m]), arena);

    una_sheet sheet = una_sheet_in(arena, "scores", "Scores.", una_phrase(arena,
        "Errors, widths and standard deviations are in the units of %s; a higher log-likelihood is better.%s",
        UNA_NAMED(report->target), any_held_out(report, true) ? "" : " Where no rows were held out, these "
                "are the rows given: if the model was fitted to them, they flatter it, and what they would say of its "
                "bands is left out."));
    sheet.named = true;
    una_sheet_column(&sheet, "", UNA_SHEET_WORDS);
    for (size_t m = 0; m < report->model_count; m++)
        una_sheet_column(&sheet, report->models[m].title, UNA_SHEET_NUMBER);

    una_sheet_group(&sheet, score_group(report, arena));
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (!measures[i].honest || any_held_out(report, false)) measure_row(&sheet, report, &measures[i], list);
    fit_row(&sheet, report, "Root mean square error of linear regression", offsetof(una_verdict, rmse_linear), true);
    fit_row(&sheet, report, "Root mean square error of the mean alone", offsetof(una_verdict, rmse_mean), true);
    fit_row(&sheet, report, "Log-likelihood per row, as training measured it", offsetof(una_fit_info, valid_log_lik),
            false);
    una_sheet_html(html, &sheet);
}

/* ---- images ------------------------------------------------------------------------------------------ */

/* index 42 / says 3.1 / is 7 / ignorance 0.4 */
static const char *words_below_image(const una_report *report, size_t row, una_arena *arena)
{
    const una_report_predictions *given = &report->models[0].given;
    const una_report_column *column = &report->columns[0];
    return una_phrase(arena, "%s %s\npredicted %s\nobserved %s\nignorance %s", UNA_NAMED(column->name),
                      UNA_PLAIN(column->number[row], 0), UNA_BRIEF(given->mean[row], 3), UNA_BRIEF(report->y[row], 4),
                      UNA_BRIEF(given->std_epistemic[row], 3));
}

/* The first rows of an order, or the last ones from its end. */
static una_status add_album(una_html *html, const una_report *report, const size_t *order, bool from_end,
                            const char *lead, const char *caption, una_run *run)
{
    const una_report_images *m = report->images;
    una_picture picture[UNA_MOST_PICTURES];
    size_t count = 0;
    for (size_t i = 0; i < report->rows && i < UNA_MOST_PICTURES; i++) {
        size_t row = order[from_end ? report->rows - 1 - i : i];
        const char *words = words_below_image(report, row, html->text.arena);
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
    UNA_TRY(add_album(html, report, order, false, "The images the model knows least about.",
                      "Largest epistemic standard deviation (ignorance) first.", run));
    UNA_TRY(add_album(html, report, order, true, "Those it knows best.", "Smallest ignorance first.", run));
    una_figure figure = una_chart_risk(report, html->text.arena);
    una_html_figure(html, &figure, "What is left if the least known go to a person.",
        "Error of those images that the model knows best. Where the line falls towards the left, ignorance tells where "
        "errors are. Images that the model has learnt from show less of this than others do.");
    return UNA_OK;
}

static una_status image_figures(una_html *html, const una_report *report, una_run *run)
{
    if (una_report_has_ignorance(report)) UNA_TRY(doubts_about_images(html, report, run));
    else una_html_paragraph(html, NULL, "Nowhere, it says: this model has the same ignorance about every image, so "
            "that it cannot tell those apart that it knows little about. Models that can are luna, nlm, sngp, mcd and "
            "ensemble.");
    const size_t *order = una_report_surprises(report, html->text.arena);
    UNA_TRY(una_arena_check(html->text.arena));
    una_html_heading(html, 2, "What surprises it");
    return add_album(html, report, order, false, "Images whose errors are largest for their bands.",
                     "Errors that are largest as multiples of the predicted standard deviation. Look here for wrong "
                     "labels and for sorts of images that the model was not told about.", run);
}

/* ---- figures with their captions -------------------------------------------------------------------- */

/* A story is told of its picture: there it comes first, and has no heading of its own. */
static bool opens_with_picture(const una_report *report)
{
    return report->story && una_report_is_line(report);
}

static void function_figure(una_html *html, const una_report *report)
{
    una_figure figure = una_chart_function(report, html->text.arena);
    bool parts = false;
    for (size_t m = 0; m < report->model_count; m++) parts = parts || report->models[m].part_count > 0;
    const char *words = una_phrase(html->text.arena,
                                   "Orange is what the model does not know: it should open where "
                                   "there are no data. The pale blue adds the noise.%s%s%s",
                                   report->truth ? " Dashes are the true function." : "",
                                   report->model_count > 1 ? " All panels share their axes." : "",
                                   parts ? " Thin grey lines are its members, or the heads of a single one." : "");
    if (!opens_with_picture(report)) una_html_heading(html, 2, "What the input does");
    una_html_figure(html, &figure, "The function and its bands.", words);
}

static void prediction_figures(una_html *html, const una_report *report)
{
    const una_report_predictions *predictions = report->models[0].held_out;
    una_text words = una_text_in(html->text.arena);
    una_figure figure = una_chart_predicted(report, html->text.arena);
    if (predictions && predictions->folds)
        una_text_add(&words, "%s rows, each predicted by what had not seen it (%zu folds).",
                     UNA_COUNTED(predictions->rows), predictions->folds);
    else if (predictions)
        una_text_add(&words, "%s rows that were held out: none had been seen.",
                     UNA_COUNTED(predictions->rows));
    else una_text_add(&words, "These are the rows given. If they are the rows the model was fitted to, new rows will "
            "lie farther from the line.");
    una_text_add(&words, "%s", (predictions ? predictions->rows : report->rows) <= 300
                 ? " Upright lines are the bands of each row."
        : " Upright lines are the bands of sixty rows, spread evenly over the observed values; of very many rows, 3000 "
                "are drawn.");
    bool pair = report->model_count == 1 && predictions;
    if (pair) una_html_pair(html);
    una_html_figure(html, &figure, predictions ? "Predicted against observed, on held-out rows."
                                               : "Predicted against observed, on the rows given.", words.at);

    figure = una_chart_calibration(report, html->text.arena);
    una_html_section(html, NULL, &figure, "Calibration on held-out rows.",
        "First: of bands that should hold a share p of the rows, the share that they hold. A curve below the diagonal "
        "means bands that are too narrow; one above it, bands that are too wide. Second: where in what was predicted "
        "each row lies. Even is right; a hill means bands that are too wide, two high ends bands that are too narrow, "
        "a slope answers that are too high or too low.");
    if (pair) una_html_pair_end(html);
    if (figure.panel_count) return;
    una_html_paragraph(html, "note", "Calibration is left out: it can be judged only by rows that the model had not "
            "seen, and none are at hand. una fit --report keeps them; a model that was loaded has none.");
}

/* ---- the page --------------------------------------------------------------------------------------- */

/* A copy of `length` bytes. */
static const char *piece_of(const char *from, size_t length, una_arena *arena)
{
    return una_phrase(arena, "%.*s", (int)length, from);
}

/* The cells of a line "| model | error". */
static void story_row(una_sheet *sheet, const char *line, bool head)
{
    if (!head) una_sheet_line(sheet);
    while (*line == '|') {
        const char *from = line + 1 + strspn(line + 1, " "), *to = from + strcspn(from, "|\n");
        line = to;
        while (to > from && to[-1] == ' ') to--;
        const char *words = piece_of(from, (size_t)(to - from), sheet->arena);
        if (head) una_sheet_column(sheet, words, sheet->columns ? UNA_SHEET_NUMBER : UNA_SHEET_WORDS);
        else una_sheet_words(sheet, words);
    }
}

/* The first line stands above: what ends with its first point is in bold. */
static void story_table(una_html *html, const char *part, const char *lines)
{
    size_t above = (size_t)(lines - part), bold = 0;
    while (bold < above && !(part[bold] == '.' && part[bold + 1] == ' ')) bold++;
    size_t rest = bold < above ? bold + 2 : above;
    una_sheet sheet = una_sheet_in(html->text.arena, "story", piece_of(part, bold < above ? bold + 1 : above,
                                   html->text.arena), piece_of(part + rest, above - rest, html->text.arena));
    sheet.named = true;
    for (bool head = true; lines && lines[1] == '|'; head = false) {
        story_row(&sheet, lines + 1, head);
        lines = strchr(lines + 1, '\n');
    }
    una_sheet_html(html, &sheet);
}

/* At most so many paragraphs of a story; what is left of it. */
static const char *add_story(una_html *html, const char *story, size_t most)
{
    while (story && *story && most-- > 0) {
        const char *end = strstr(story, "\n\n");
        const char *part = piece_of(story, end ? (size_t)(end - story) : strlen(story), html->text.arena);
        const char *lines = strstr(part, "\n|");
        if (lines) story_table(html, part, lines);
        else if (*part) una_html_paragraph(html, "lead", part);
        story = end ? end + 2 : NULL;
    }
    return story;
}

static void add_how_fitted(una_html *html, const una_report *report)
{
    una_html_heading(html, 2, "What was fitted");
    for (size_t m = 0; m < report->model_count; m++) describe_model(html, report, &report->models[m]);
    if (report->left_out == 0) return;
    una_html_paragraph(html, "note", una_phrase(html->text.arena, "%s of the rows given %s no value where one is "
            "needed and %s not shown above.", UNA_COUNTED(report->left_out),
                       report->left_out == 1 ? "has" : "have", report->left_out == 1 ? "is" : "are"));
}

static const char *report_heading(const una_report *report, una_arena *arena)
{
    if (report->heading) return report->heading;
    return una_phrase(arena, "What is known about %s", UNA_NAMED(report->target));
}

static const char *report_title(const una_report *reports, size_t count, una_arena *arena)
{
    una_text title = una_text_in(arena);
    if (count == 1) return report_heading(reports, arena);
    una_text_add(&title, "What is known about ");
    for (size_t i = 0; i < count; i++)
        una_text_add(&title, "%s%s", una_list_separator(i, count), UNA_NAMED(reports[i].target));
    return title.at;
}

/* The order of a wary reader: what matters first, what was decided on the way last. */
static una_status add_body(una_html *html, const una_report *report, una_run *run)
{
    una_html_heading(html, 1, report_heading(report, html->text.arena));
    const char *rest = add_story(html, report->story, opens_with_picture(report) ? 1 : SIZE_MAX);
    if (opens_with_picture(report)) function_figure(html, report);
    add_story(html, rest, SIZE_MAX);
    una_report_verdict(html, report);
    una_html_heading(html, 2, "How good it is");
    add_scores(html, report);
    prediction_figures(html, report);
    una_report_importance(html, report);
    if (una_report_is_line(report) && !opens_with_picture(report)) function_figure(html, report);
    else if (!una_report_is_line(report)) una_report_effects(html, report);
    una_report_residuals(html, report);
    una_html_heading(html, 2, "Where it does not know");
    if (report->images) {
        UNA_TRY(image_figures(html, report, run));
    } else {
        una_report_ignorance(html, report);
        una_report_least_known_table(html, report);
    }
    una_figure training = una_chart_training(report, html->text.arena);
    una_html_section(html, "How training went", &training, "Training curves.",
        "Against optimiser steps. The first steps may lie outside of the frame.");
    add_how_fitted(html, report);
    return UNA_OK;
}

una_status una_report_html(una_text *page, const una_report *reports, size_t count, una_run *run)
{
    una_arena *arena = page->arena;
    for (size_t i = 0; i < count; i++)
        if (reports[i].rows == 0 || reports[i].model_count == 0)
            UNA_FAIL(run, UNA_E_USAGE, "a report needs at least one model and one row of data");
    una_html html = una_html_begin(arena, report_title(reports, count, arena));
    for (size_t i = 0; i < count; i++) {
        una_report one = reports[i];
        one.one_of_several = count > 1;
        UNA_TRY(add_body(&html, &one, run));
    }
    una_status status = una_html_end(&html, NULL);
    *page = html.text;
    return status;
}

/* Predictions and effects of the subject in one figure. */
static una_figure many_inputs(const una_report *report, una_arena *arena)
{
    una_report alone = *report;
    alone.model_count = 1;
    una_figure whole_figure = una_figure_in(arena, 3, 232, 200);
    una_figure pieces[2] = { una_chart_predicted(&alone, arena) };
    if (!report->images) pieces[1] = una_chart_effects(&alone, arena);
    else if (una_report_has_ignorance(report)) pieces[1] = una_chart_risk(&alone, arena);

    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < pieces[p].panel_count && whole_figure.panel_count < UNA_MOST_EFFECTS; i++) {
            if (p == 0) pieces[p].panels[i]->title = report->target;
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
            return *format == UNA_FORMAT_SVG ? UNA_OK : una_cairo_check(run);
        }
    UNA_FAIL(run, UNA_E_USAGE, "%s: the ending of a chart's name says its format; use .svg, .pdf or .png", path);
}

una_status una_report_save(const char *path, const una_text *bytes, una_run *run)
{
    una_file file;
    UNA_TRY(una_file_begin(&file, path, bytes->arena, run));
    UNA_TRY(una_file_write(&file, bytes->at, bytes->length, run));
    return una_file_commit(&file, run);
}

una_status una_figure_save(const una_figure *figure, const char *path, una_run *run)
{
    una_format format;
    una_text bytes = una_text_in(figure->arena);
    UNA_TRY(una_format_of(&format, path, run));
    UNA_TRY(una_figure_draw(&bytes, figure, format, run));
    return una_report_save(path, &bytes, run);
}

una_status una_html_save(una_html *html, const char *path, una_run *run)
{
    UNA_TRY(una_html_end(html, NULL));
    return una_report_save(path, &html->text, run);
}

una_status una_save_alone(una_saver *how, const void *what, const char *path, una_run *run)
{
    una_arena arena;
    una_clear_message(run);
    una_arena_init(&arena, run);
    una_status status = how(what, path, &arena, run);
    una_arena_free(&arena);
    return status;
}
