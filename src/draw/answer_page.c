/* SPDX-License-Identifier: MIT
 *
 * Sections of the page on fitted models: the verdict, which inputs matter, what they do, what is left over, and where ignorance is.
 */
#include "draw/fit_report.h"
#include "draw/number.h"
#include "draw/sheet.h"

static const double least_rise = 0.01;          /* of the variance: less is nothing, however sure */
enum { LONGEST = 1200, MOST_SUSPECTS = 20, MOST_NAMED = 5, MOST_CELLS = 10 };

/* A sentence that may hold names of any length, cut. */
static const char *cut_sentence(const char *sentence, una_arena *arena)
{
    if (strlen(sentence) < LONGEST) return sentence;
    char *to = UNA_GET(arena, char, LONGEST + 8);
    if (!to) return "";
    una_utf8_clean(to, LONGEST, sentence);
    memcpy(to + strlen(to), "\xE2\x80\xA6", 4);
    return to;
}

/* ---- the verdict ------------------------------------------------------------------------------------ */

/* How numbers of a column are written that are dates; NULL: they are none. */
static una_date_writer *date_of(const una_report *report, const char *column)
{
    for (size_t c = 0; column && c < report->column_count; c++)
        if (strcmp(report->columns[c].name, column) == 0) return report->columns[c].date;
    return NULL;
}

static void add_suspects(una_html *html, const una_report *report, const una_verdict *verdict)
{
    size_t count = verdict->suspect_count < MOST_SUSPECTS ? verdict->suspect_count : MOST_SUSPECTS;
    una_arena *arena = html->text.arena;
    bool lines = false;
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) lines = lines || verdict->suspects[i].line;

    una_text words = una_text_in(arena);
    una_text_add(&words, "Look at these before anything else: are they typing errors, or true and rare?");
    if (count < verdict->suspect_count) una_text_add(&words, " The first %zu of %zu.", count, verdict->suspect_count);
    const una_sheet_head heads[] = { { lines ? "Line" : "Row", UNA_SHEET_NUMBER }, { "Column", UNA_SHEET_WORDS },
        { "Value", UNA_SHEET_NUMBER }, { "Why", UNA_SHEET_SENTENCE }, { NULL, UNA_SHEET_EMPTY } };
    una_sheet sheet = una_sheet_in(arena, "suspects", "Suspicious rows.", words.at);
    una_sheet_columns(&sheet, heads);
    for (size_t i = 0; i < count; i++) {
        const una_suspect *suspect = &verdict->suspects[i];
        const char *origin = suspect->origin, *place = UNA_COUNTED(lines ? suspect->line : suspect->number);
        /* "18", or of a table that was joined "b.csv, 18" */
        una_sheet_begin(&sheet, una_phrase(arena, "%.200s%s%s", origin ? origin : "", origin ? ", " : "", place));
        una_sheet_words(&sheet, suspect->column ? UNA_NAMED(suspect->column) : NULL);
        una_sheet_words(&sheet, UNA_DATED(date_of(report, suspect->column), suspect->value, 6));
        una_sheet_words(&sheet, suspect->why ? cut_sentence(suspect->why, arena) : NULL);
    }
    una_sheet_html(html, &sheet);
}

static void add_verdict_findings(una_html *html, const una_verdict *verdict)
{
    una_arena *arena = html->text.arena;
    const char **list = UNA_GET(arena, const char *, verdict->finding_count);
    for (size_t i = 0; list && i < verdict->finding_count; i++)
        list[i] = cut_sentence(verdict->findings[i].sentence, arena);
    if (list) una_html_box(html, "What to know before you use it", list, verdict->finding_count);
}

/* Introduces a model without a verdict. */
static void introduce_model(una_html *html, const una_report *report, const una_report_model *model)
{
    una_html_paragraph(html, "lead", una_phrase(html->text.arena, "%s predicts %s and rests on %s rows.", model->title,
                       UNA_NAMED(report->target), UNA_COUNTED(model->info->rows)));
}

void una_report_verdict(una_html *html, const una_report *report)
{
    una_arena *arena = html->text.arena;
    una_html_heading(html, 2, "In short");
    for (size_t m = 0; m < report->model_count; m++) {
        const una_report_model *model = &report->models[m];
        bool compared = m > 0 && report->story;              /* a story compares the models itself */
        bool several = report->model_count > 1;
        if (!compared && model->verdict)
            una_html_paragraph(html, "verdict", una_phrase(arena, "%s%s%s", several ? model->title : "",
                               several ? ": " : "", cut_sentence(model->verdict->sentence, arena)));
        else if (!compared) introduce_model(html, report, model);
        if (m == 0 && model->verdict) {                  /* of others nearly the same */
            add_verdict_findings(html, model->verdict);
            add_suspects(html, report, model->verdict);
        }
        una_html_box(html, model->info->warning_count == 1 ? "Warning" : "Warnings", model->info->warnings,
                     model->info->warning_count);
    }
}

/* ---- which inputs matter ---------------------------------------------------------------------------- */

/* Three standard errors above 0: of many useless inputs some are two above by chance. */
static bool input_matters(const una_importance *importance, size_t input)
{
    double half = importance->rise[input] - importance->low[input];      /* 1.96 standard errors */
    return importance->rise[input] > 1.5 * half && importance->rise[input] >= least_rise;
}

/* "days and temperature". */
static size_t add_named(una_text *words, const una_report *report, const una_importance *importance)
{
    size_t count = 0, named = 0;
    for (size_t i = 0; i < importance->inputs; i++) count += input_matters(importance, i);
    for (size_t i = 0; i < importance->inputs && named < MOST_NAMED; i++) {
        size_t input = importance->order[i];
        if (!input_matters(importance, input)) continue;
        una_text_add(words, "%s%s", una_list_separator(named++, count), UNA_NAMED(report->columns[input].name));
    }
    if (count > named) una_text_add(words, " and %zu more", count - named);
    return count;
}

static void say_importance(una_html *html, const una_report *report, const una_importance *importance)
{
    const char *name = UNA_NAMED(report->target);
    una_text words = una_text_in(html->text.arena), which = una_text_in(html->text.arena);
    size_t count = add_named(&which, report, importance), others = importance->inputs - count;
    if (count == 0) una_text_add(&words, "No input matters to %s that these rows could tell.", name);
    else una_text_add(&words, "For %s it is %s that %s.", name, which.at, count == 1 ? "matters" : "matter");
    if (count > 0 && others == 1) una_text_add(&words, " Of the other input these rows cannot tell that it does.");
    if (count > 0 && others > 1) una_text_add(&words, " Of the other %zu inputs these rows cannot tell that they do.",
                                              others);
    una_html_paragraph(html, NULL, words.at);
}

void una_report_importance(una_html *html, const una_report *report)
{
    const una_report_model *model = &report->models[0];
    size_t shown = 0;
    una_text words = una_text_in(html->text.arena);
    una_figure figure = una_chart_importance(report, &shown, html->text.arena);
    bool has_sentence = figure.panel_count > 0 || model->no_importance;
    if (!has_sentence || report->images || report->column_count < 2) return;
    una_html_heading(html, 2, "Which inputs matter");

    if (model->no_importance) una_html_paragraph(html, NULL, model->no_importance);
    if (figure.panel_count == 0) return;
    if (model->importance) {
        say_importance(html, report, model->importance);
        una_text_add(&words, "How much the squared error of %s rows that the judging model was not taught by rises "
                "when one column is shuffled among them, in %% of the variance of %s. Inputs that say the same as "
                "others seem to matter less than they do.",
                     UNA_PLAIN((double)model->importance->rows, 0), UNA_NAMED(report->target));
    }
    if (model->info->relevance)
        una_text_add(
            &words,
            "%sRelevance is how quickly %s changes its course along each input, as shares of the "
            "squares of 1/length: one along which it runs nearly straight counts for little there, however steep.",
            model->importance ? " " : "", UNA_NAMED(report->target));
    if (shown < report->column_count)
        una_text_add(&words, " %zu more inputs have smaller shares.", report->column_count - shown);
    una_html_figure(html, &figure, model->importance ? "What each input is worth." : "Relevance of the inputs.", words.at);
}

/* ---- what each input does ---------------------------------------------------------------------------- */

void una_report_effects(una_html *html, const una_report *report)
{
    una_figure figure = una_chart_effects(report, html->text.arena);
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "Each panel moves one input in %zu real rows, whose other inputs stay what they are, and "
            "shows the mean of what is predicted for %s. Orange is what the model does not know about such a row, on "
            "average: it opens where there are no data. Columns of few values, and words, stand as levels. All panels "
            "share the vertical axis.", report->effect_rows, UNA_NAMED(report->target));
    size_t more = report->effect_count - figure.panel_count;
    if (more > 0) una_text_add(&words, " %zu more %s not shown; those that matter most come first.", more,
                               more == 1 ? "input is" : "inputs are");
    una_html_section(html, "What each input does", &figure, "Effects at real rows.", words.at);
}

/* ---- what is left over -------------------------------------------------------------------------------- */

void una_report_residuals(una_html *html, const una_report *report)
{
    if (report->images) return;
    una_figure figure = una_chart_residuals(report, html->text.arena);
    const char *words = una_phrase(
        html->text.arena,
        "Observed minus predicted%s%s, by what was predicted and by the inputs that matter most. "
        "Green means that stay away from 0 show what the model has missed; dots that spread more on one side show "
        "noise that varies.",
        report->model_count > 1 ? " by " : "", report->model_count > 1 ? report->models[0].title : "");
    una_html_section(html, "What is left over", &figure, "Residuals of held-out rows.", words);
}

/* ---- where ignorance is -------------------------------------------------------------------------------- */

static void map_figures(una_html *html, const una_report *report)
{
    una_figure along = una_chart_ignorance_by_input(report, html->text.arena);
    una_html_section(html, NULL, &along, "Ignorance along the inputs.",
        "The mean epistemic standard deviation of the same real rows as above, while one input moves: it should rise "
        "where there are no data. Inputs along which it varies most; all panels share the vertical axis.");
    una_figure map = una_chart_map(report, html->text.arena);
    una_html_section(html, NULL, &map, "A map of ignorance.",
        "Every dot is a row of the table, at two of the inputs that have to do with ignorance. The more orange, the "
        "larger its epistemic standard deviation.");
    una_figure causes = una_chart_causes(report, html->text.arena);
    const char *words = una_phrase(
        html->text.arena,
        "Of the %zu rows known least: an input is the cause if a row's ignorance falls most when that "
        "input alone takes the values of other rows of the table (the median of what is left), and by 10 %% at "
        "least. For the rest it is no single input, but how they come together.",
        report->cause_count);
    una_html_section(html, NULL, &causes, "Which input makes rows unsure.", words);
}

void una_report_ignorance(una_html *html, const una_report *report)
{
    if (!una_report_is_line(report)) {
        if (una_report_has_ignorance(report)) map_figures(html, report);
        else una_html_paragraph(html, NULL, "Nowhere more than elsewhere, it says: this model has the same ignorance "
                "about every row, so that it cannot tell those apart that it knows little about.");
        return;
    }
    una_figure figure = una_chart_ignorance(report, html->text.arena);
    const char *words = una_phrase(html->text.arena, "Epistemic standard deviation, in the units of %s. The grey strip "
                                   "is where the data are.", UNA_NAMED(report->target));
    una_html_figure(html, &figure, "Where the model does not know.", words);
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

static void number_cell(una_sheet *sheet, double value, int decimals)
{
    bool long_ = fabs(value) >= 1e9 || (decimals == 9 && fabs(value) < 1e-6 && value != 0);
    una_sheet_number(sheet, value, long_ ? -4 : decimals);
}

static void least_known_head(una_sheet *sheet, const una_report *report, const size_t *order, size_t columns)
{
    una_sheet_column(sheet, "Row", UNA_SHEET_NUMBER);
    una_sheet_column(sheet, "Epistemic std", UNA_SHEET_NUMBER);
    if (report->cause_count) una_sheet_column(sheet, "Why", UNA_SHEET_SENTENCE);
    una_sheet_column(sheet, report->models[0].held_out ? "Held-out prediction" : "Predicted", UNA_SHEET_NUMBER);
    una_sheet_column(sheet, UNA_NAMED(report->target), UNA_SHEET_NUMBER);
    for (size_t c = 0; c < columns; c++)
        una_sheet_column(sheet, UNA_NAMED(report->columns[order[c]].name),
                         report->columns[order[c]].number ? UNA_SHEET_NUMBER : UNA_SHEET_WORDS);
}

/* The out-of-fold prediction of a row, or else the prediction of the fitted model. */
static double predicted_value(const una_report *report, size_t row)
{
    const una_report_predictions *predictions = report->models[0].held_out;
    for (size_t i = 0; predictions && i < predictions->rows; i++)
        if ((predictions->row ? predictions->row[i] : i) == row) return predictions->mean[i];
    return predictions ? NAN : report->models[0].given.mean[row];
}

static const char *why_suspicious(const una_report *report, size_t row)
{
    for (size_t i = 0; i < report->cause_count; i++)
        if (report->causes[i].row == row) return report->causes[i].why ? report->causes[i].why : "";
    return "";
}

/* The row number `at` of those shown, rows [count]. */
static void least_known_row(una_sheet *sheet, const una_report *report, const size_t *rows, size_t count, size_t at)
{
    const una_report_predictions *given = &report->models[0].given;
    size_t row = rows[at];
    una_sheet_line(sheet);
    una_sheet_number(sheet, (double)report->row_number[row], 0);
    number_cell(sheet, given->std_epistemic[row], column_decimals(given->std_epistemic, rows, count));
    if (report->cause_count) una_sheet_words(sheet, why_suspicious(report, row));
    number_cell(sheet, predicted_value(report, row), column_decimals(given->mean, rows, count));
    number_cell(sheet, report->y[row], column_decimals(report->y, rows, count));
}

static void input_cell(una_sheet *sheet, const una_report_column *column, const size_t *rows, size_t count, size_t at)
{
    size_t row = rows[at];
    const char *words = column->date ? column->date((char[32]){0}, column->number[row]) : NULL;
    if (column->number && !words) {
        number_cell(sheet, column->number[row], column_decimals(column->number, rows, count));
        return;
    }
    una_sheet_words(sheet, words ? words : UNA_NAMED(column->word[row] ? column->word[row] : "-"));
}

void una_report_least_known_table(una_html *html, const una_report *report)
{
    una_arena *arena = html->text.arena;
    size_t count = report->rows < UNA_LEAST_KNOWN ? report->rows : UNA_LEAST_KNOWN;
    size_t columns = report->column_count < UNA_TABLE_COLUMNS ? report->column_count : UNA_TABLE_COLUMNS;
    const size_t *rows = una_report_least_known(report, arena), *order = una_report_order(report, arena);
    if (arena->failed || !una_report_has_ignorance(report)) return;

    una_text words = una_text_in(arena);
    una_text_add(&words, "Largest epistemic standard deviation first. Rows are counted from 1 below the header.");
    if (columns < report->column_count)
        una_text_add(&words, " %zu of %zu inputs are shown, those that matter most first.", columns,
                     report->column_count);
    una_sheet sheet = una_sheet_in(arena, "least-known", "The rows the model knows least about.", words.at);
    sheet.named = true;
    least_known_head(&sheet, report, order, columns);
    for (size_t i = 0; i < count; i++) {
        least_known_row(&sheet, report, rows, count, i);
        for (size_t c = 0; c < columns; c++) input_cell(&sheet, &report->columns[order[c]], rows, count, i);
    }
    una_html_heading(html, 2, "The rows it knows least about");
    una_sheet_html(html, &sheet);
}
