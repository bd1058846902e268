/* SPDX-License-Identifier: MIT
 *
 * The page of a study, in the order in which its owner asks: what is the best so far and where, does it still get
 * better, which inputs make it good, what does the model say around it, what came out of single trials, what failed.
 * No date and no duration: same trials, same page.
 */
#include "study/study_view.h"

#include "bo/acquisition.h"
#include "draw/number.h"
#include "draw/sheet.h"

enum { NAME_ROOM = 72, NOTE_ROOM = 160, MOST_REASONS = 6, VALUE_DIGITS = 6, LEVEL_WORDS = 6 };

/* Words of any length, cut to what fits into `room` bytes. */
static const char *cut_to_room(una_arena *arena, size_t room, const char *words)
{
    char *text = UNA_GET(arena, char, room);
    if (!text) return "";
    una_utf8_clean(text, room - 3, words);
    if (strlen(words) >= room) memcpy(text + strlen(text), "\xE2\x80\xA6", 4);
    return text;
}

/* The word of a value that has one, else NULL. */
static const char *level_word(const una_dimension *input, double x)
{
    size_t level = input->type == UNA_DIMENSION_CATEGORY && x > 0 ? (size_t)x : 0;
    return input->levels && level < input->level_count ? input->levels[level] : NULL;
}

/* ---- the lead ---------------------------------------------------------------------------------------------------- */

static void add_counts(una_text *words, const una_study_view *view, const una_study_digest *d)
{
    const size_t counts[] = { d->told, d->failed, d->open };
    static const char *const states[] = { "told", "failed", "open" };
    una_text_add(words, " %s %s so far", UNA_COUNTED(view->trial_count), view->trial_count == 1 ? "trial"
                 : "trials");
    const char *before = ": ";
    for (size_t i = 0; i < 3; i++) {
        if (counts[i] == 0) continue;
        if (counts[i] < view->trial_count)
            una_text_add(words, "%s%s %s", before, UNA_COUNTED(counts[i]), states[i]);
        else una_text_add(words, ", %s%s", counts[i] > 1 ? "all " : "", states[i]);
        before = ", ";
    }
    una_text_add(words, ".");
}

/* How long ago the best was found, counted in told trials. */
static void add_best(una_text *words, const una_study_view *view)
{
    if (!view->best) return;
    una_text_add(words, " The best value is %s, from trial %s", UNA_BRIEF(view->best->value, VALUE_DIGITS),
                 UNA_COUNTED(view->best->id));
    size_t since = 0;
    for (size_t i = 0; i < view->trial_count; i++)
        since += view->trials[i].state == UNA_TRIAL_TOLD && view->trials[i].id > view->best->id;
    if (since > 1) una_text_add(words, "; %s have been told since without beating it", UNA_COUNTED(since));
    una_text_add(words, ".");
}

static void put_lead(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "The %s value over %s %s is looked for.", view->maximize ? "largest" : "least",
                 UNA_COUNTED(d->varied_count), d->varied_count == 1 ? "input" : "inputs");
    if (view->trial_count == 0) una_text_add(&words, " No trial has been asked for yet.");
    else add_counts(&words, view, d);
    add_best(&words, view);
    una_html_paragraph(html, "lead", words.at);
}

/* The open trial with the best prediction; NULL: none has a prediction. */
static const una_trial *most_promising(const una_study_view *view, double *gain)
{
    const una_trial *found = NULL;
    double sign = view->maximize ? -1 : 1;
    for (size_t i = 0; view->best && i < view->trial_count; i++) {
        const una_trial *trial = &view->trials[i];
        if (trial->state != UNA_TRIAL_OPEN || !isfinite(trial->expected) || !(trial->doubt >= 0)) continue;
        double here = una_expected_improvement(sign * trial->expected, trial->doubt, sign * view->best->value);
        if (!isfinite(here) || (found && here <= *gain)) continue;
        *gain = here;
        found = trial;
    }
    return found;
}

/* Predictions made when a trial was asked for: of open trials, and beside the results. */
static void put_forecasts(una_html *html, const una_study_view *view)
{
    una_text words = una_text_in(html->text.arena);
    double gain = 0;
    const una_trial *next = most_promising(view, &gain);
    if (next)
        una_text_add(&words, "Of the open trials the model hopes most of %s: it expects %s \xC2\xB1 %s there (one "
                     "standard deviation), a gain of %s on the best, on average. ",
                     UNA_COUNTED(next->id),
                     UNA_BRIEF(next->expected, 4), UNA_BRIEF(next->doubt, 2),
                     UNA_BRIEF(gain, 2));

    size_t count = 0, inside = 0;
    for (size_t i = 0; i < view->trial_count; i++) {
        const una_trial *trial = &view->trials[i];
        if (trial->state != UNA_TRIAL_TOLD || !isfinite(trial->expected) || !(trial->doubt >= 0)) continue;
        count++;
        inside += fabs(trial->value - trial->expected) <= 1.959964 * trial->doubt;
    }
    if (count >= 10)
        una_text_add(&words, "It predicted %s values before they were known; %s of them (%s" UNA_THIN_SPACE "%%) came "
                     "out within its 95" UNA_THIN_SPACE "%% range, which allows for what it does not know of the "
                     "function and not for noise.", UNA_COUNTED(count), UNA_COUNTED(inside),
                     UNA_PLAIN(100 * (double)inside / (double)count, 0));
    if (words.length) una_html_paragraph(html, NULL, words.at);
}

static void put_warnings(una_html *html, const una_study_digest *d)
{
    una_text words = una_text_in(html->text.arena);
    size_t ended = d->told + d->failed;
    if (d->failed == 0 || 2 * d->failed < ended || ended < 2) return;
    if (d->told == 0)
        una_text_add(&words, "All %s trials failed: there is no value to learn from.", UNA_COUNTED(ended));
    else una_text_add(&words, "%s of %s trials failed.", UNA_COUNTED(d->failed), UNA_COUNTED(ended));
    una_text_add(&words, " The reasons are below; a smaller space, or a constraint that leaves out where it cannot "
                 "work, saves them.");
    const char *sentence = words.at;
    una_html_box(html, "Warning", &sentence, 1);
}

/* ---- where the best is ------------------------------------------------------------------------------------------- */

static void add_range(una_text *words, const una_dimension *input)
{
    if (input->type == UNA_DIMENSION_FIXED) {
        una_text_add(words, "fixed");
        return;
    }
    if (input->type == UNA_DIMENSION_CATEGORY) {
        size_t count = input->level_count < LEVEL_WORDS ? input->level_count : LEVEL_WORDS;
        for (size_t i = 0; i < count; i++)
            una_text_add(words, "%s%s", i ? ", " : "", cut_to_room(words->arena, NAME_ROOM, input->levels[i]));
        if (count < input->level_count) una_text_add(words, " and %zu more", input->level_count - count);
        return;
    }
    una_text_add(words, "%s to %s%s%s", UNA_BRIEF(input->low, VALUE_DIGITS), UNA_BRIEF(input->high, VALUE_DIGITS),
                 input->type == UNA_DIMENSION_INTEGER ? ", whole" : "", input->log ? ", by logarithm" : "");
}

/* Many inputs stand in two blocks side by side. */
static void best_table(una_html *html, const una_study_view *view)
{
    una_arena *arena = html->text.arena;
    size_t blocks = view->input_count > UNA_STUDY_AXES ? 2 : 1, rows = (view->input_count + blocks - 1) / blocks;
    una_sheet sheet = una_sheet_in(arena, "best", view->best ? "Where the best is." : "What may be tried.", view->best
                                   ? "Its inputs, and the range that is searched." : "The inputs and their ranges.");
    for (size_t b = 0; b < blocks; b++) {
        una_sheet_column(&sheet, "Input", UNA_SHEET_NAME);
        if (view->best) una_sheet_column(&sheet, "Best trial", UNA_SHEET_NUMBER);
        una_sheet_column(&sheet, "Searched", UNA_SHEET_WORDS);
    }
    for (size_t i = 0; i < rows; i++) {
        una_sheet_line(&sheet);
        for (size_t at = i; at < view->input_count; at += rows) {
            const una_dimension *input = &view->inputs[at];
            double x = view->best ? view->best->x[at] : NAN;
            const char *word = level_word(input, x);
            una_text range = una_text_in(arena);
            add_range(&range, input);
            una_sheet_words(&sheet, cut_to_room(arena, NAME_ROOM, input->name));
            if (view->best)
                una_sheet_words(&sheet, word ? cut_to_room(arena, NAME_ROOM, word) : UNA_BRIEF(x, VALUE_DIGITS));
            una_sheet_words(&sheet, range.at);
        }
    }
    una_sheet_html(html, &sheet);
}

/* ---- figures with their captions --------------------------------------------------------------------------------- */

static void progress_figure(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    una_figure figure = una_study_chart_progress(view, d, html->text.arena);
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "The value of each trial, and the %s so far.", view->maximize ? "largest" : "least");
    if (d->value.log) una_text_add(&words, " The upright axis is logarithmic.");
    if (d->beyond)
        una_text_add(&words, " %s %s beyond the range shown and %s drawn at its edge.", UNA_COUNTED(d->beyond),
                     d->beyond == 1 ? "value lies" : "values lie", d->beyond == 1 ? "is" : "are");
    if (d->told > UNA_MOST_POINTS) una_text_add(&words, " %d of the trials are drawn.", UNA_MOST_POINTS);
    una_html_section(html, "Does it still get better?", &figure, "Progress.", words.at);
}

static void parallel_figure(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    una_figure figure = una_study_chart_parallel(view, d, html->text.arena);
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "A line for each trial, from input to input%s%s.", d->told ? " to its value" : "",
                 d->told > 10 ? ": where blue lines meet, good trials agree" : "");
    bool logs = false;
    for (size_t i = 0; i < d->varied_count; i++) logs = logs || view->inputs[d->varied[i]].log;
    if (logs) una_text_add(&words, " Inputs that are searched by logarithm are shown so.");
    if (d->failed && d->told) una_text_add(&words, " Lines of trials that failed end before the value.");
    size_t others = d->told - (d->told + 9) / 10;
    if (others > UNA_MOST_LINES)
        una_text_add(&words, " Of %s other trials, %d are drawn, spread evenly over their values.",
                     UNA_COUNTED(others), UNA_MOST_LINES);
    if (figure.panel_count > 1) una_text_add(&words, " The inputs are spread over %zu rows.", figure.panel_count);
    una_html_section(html, d->told > 10 ? "What good trials have in common" : "What was tried", &figure,
                     "All inputs at once.", words.at);
}

static void slices_figure(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    if (d->told == 0 || (d->slice_count == 0 && !view->no_slices)) return;
    una_html_heading(html, 2, "What the model says around the best");
    una_text words = una_text_in(html->text.arena);
    if (d->slice_count == 0) {
        una_text_add(&words, "There is nothing to show here: %s", view->no_slices);
        una_html_paragraph(html, "note", words.at);
        return;
    }

    una_figure figure = una_study_chart_slices(view, d, UNA_STUDY_SLICES, html->text.arena);
    una_text_add(&words, "The value that the model expects as one input moves and the others stay where the best trial "
                 "has them. Orange is what it does not know. All panels share the vertical axis; trials, which "
                 "differ in the other inputs too, lie around it where their values are in its range.");
    if (figure.panel_count < d->slice_count)
        una_text_add(&words, " Inputs along which the mean varies most come first; %s more are left out.",
                     UNA_COUNTED(d->slice_count - figure.panel_count));
    una_html_figure(html, &figure, "Slices through the best trial.", words.at);
}

/* ---- tables of trials -------------------------------------------------------------------------------------------- */

/* Decimals that suit most of the values: six digits for one in the middle. */
static int value_decimals(double *sizes, size_t count)
{
    double middle = una_quantile(sizes, count, 0.5);
    if (!(middle > 0)) return VALUE_DIGITS;
    return (int)fmin(fmax(VALUE_DIGITS - 1 - floor(log10(middle)), 0), 9);
}

static void value_cell(una_sheet *sheet, double value, int decimals)
{
    bool suits = value == 0 || (fabs(value) < 1e6 && fabs(value) * pow(10, decimals) >= 1000);
    una_sheet_number(sheet, value, suits ? decimals : -VALUE_DIGITS);
}

/* One value of an input; columns of a table have the same decimals throughout. */
static void input_cell(una_sheet *sheet, const una_dimension *input, double x)
{
    double width = input->high - input->low, decimals = 4 - floor(log10(width));
    const char *word = isfinite(x) ? level_word(input, x) : NULL;
    bool whole = input->type == UNA_DIMENSION_INTEGER && fabs(x) < 1e15;
    bool even = !input->log && width > 0 && fabs(input->low) + fabs(input->high) <= 1e6 && decimals <= 9;
    if (word) una_sheet_words(sheet, cut_to_room(sheet->arena, NAME_ROOM, word));
    else if (whole) una_sheet_number(sheet, x, 0);
    else una_sheet_number(sheet, x, even ? (int)fmax(decimals, 0) : -5);
}

static bool has_note(const una_trial *trial)
{
    return trial->note && *trial->note;
}

/* The best trials in their order, or the latest ones. */
static void trials_table(una_html *html, const una_study_view *view, const una_study_digest *d, bool best)
{
    static const char *const states[] = { "open", "told", "failed" };
    una_arena *arena = html->text.arena;
    bool all = !best && view->trial_count <= UNA_STUDY_ROWS, notes = false;
    size_t there = best ? d->told : view->trial_count, count = there < UNA_STUDY_ROWS ? there : UNA_STUDY_ROWS;
    size_t inputs = d->varied_count < UNA_STUDY_COLUMNS ? d->varied_count : UNA_STUDY_COLUMNS;
    const una_trial *list[UNA_STUDY_ROWS];
    double sizes[UNA_STUDY_ROWS];
    for (size_t i = 0; i < count; i++) {
        list[i] = &view->trials[best ? d->order[i] : view->trial_count - 1 - i];
        sizes[i] = fabs(list[i]->value);
        notes = notes || (!best && has_note(list[i]));
    }
    int decimals = value_decimals(sizes, count);

    una_text words = una_text_in(arena);
    una_text_add(&words, "The %s comes first.", best ? "best" : "latest");
    if (inputs < d->varied_count)
        una_text_add(&words, " The first %zu of %zu inputs are shown.", inputs, d->varied_count);
    const char *lead = best ? "The best trials." : "The latest trials.";
    una_sheet sheet = una_sheet_in(arena, "trials", all ? "All trials." : lead, words.at);
    sheet.named = true;
    una_sheet_column(&sheet, "Trial", UNA_SHEET_NUMBER);
    if (!best) una_sheet_column(&sheet, "State", UNA_SHEET_WORDS);
    una_sheet_column(&sheet, "Value", UNA_SHEET_NUMBER);
    for (size_t c = 0; c < inputs; c++) {
        const una_dimension *input = &view->inputs[d->varied[c]];
        una_sheet_column(&sheet, cut_to_room(arena, NAME_ROOM, input->name),
                         input->type == UNA_DIMENSION_CATEGORY ? UNA_SHEET_WORDS : UNA_SHEET_NUMBER);
    }
    if (notes) una_sheet_column(&sheet, "Note", UNA_SHEET_WORDS);

    for (size_t i = 0; i < count; i++) {
        una_sheet_line(&sheet);
        una_sheet_number(&sheet, (double)list[i]->id, 0);
        if (!best) una_sheet_words(&sheet, states[list[i]->state]);
        value_cell(&sheet, list[i]->value, decimals);
        for (size_t c = 0; c < inputs; c++) input_cell(&sheet, &view->inputs[d->varied[c]], list[i]->x[d->varied[c]]);
        if (notes) una_sheet_words(&sheet, has_note(list[i]) ? cut_to_room(arena, NOTE_ROOM, list[i]->note) : "");
    }
    una_sheet_html(html, &sheet);
}

static void trials_section(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    if (view->trial_count == 0) return;
    una_html_heading(html, 2, "Trials");
    if (view->trial_count > UNA_STUDY_ROWS && d->told > 0) trials_table(html, view, d, true);
    trials_table(html, view, d, false);
    una_html_paragraph(html, "note", "Numbers are rounded here. una study export writes every trial with every digit, "
                       "as CSV or JSON.");
}

/* ---- what failed ------------------------------------------------------------------------------------------------- */

typedef struct reason { const char *words; size_t count; } reason;

static int by_words(const void *a, const void *b)
{
    return strcmp(((const reason *)a)->words, ((const reason *)b)->words);
}

/* In the order of their words; those that are the same are counted. */
static size_t gather_reasons(reason *list, const una_study_view *view)
{
    size_t failed = 0, count = 0;
    for (size_t i = 0; i < view->trial_count; i++)
        if (view->trials[i].state == UNA_TRIAL_FAILED)
            list[failed++] = (reason){ has_note(&view->trials[i]) ? view->trials[i].note : "no reason was given", 1 };
    qsort(list, failed, sizeof *list, by_words);
    for (size_t i = 0; i < failed; i++) {
        if (count && strcmp(list[count - 1].words, list[i].words) == 0) list[count - 1].count++;
        else list[count++] = list[i];
    }
    return count;
}

static void put_failures(una_html *html, const una_study_view *view, const una_study_digest *d)
{
    una_arena *arena = html->text.arena;
    reason *list = UNA_GET(arena, reason, d->failed);
    double *down = UNA_GET(arena, double, d->failed);
    if (arena->failed || d->failed == 0) return;
    size_t count = gather_reasons(list, view), shown = count < MOST_REASONS ? count : MOST_REASONS;
    const char *sentences[MOST_REASONS + 1];
    for (size_t i = 0; i < count; i++) down[i] = -(double)list[i].count;
    const size_t *order = una_order_of(down, count, arena);      /* the most frequent comes first */
    for (size_t i = 0; order && i < shown; i++) {
        const reason *why = &list[order[i]];
        sentences[i] = una_phrase(arena, "%s %s: %s", UNA_COUNTED(why->count), why->count == 1 ? "trial" : "trials",
                                  cut_to_room(arena, NOTE_ROOM, why->words));
    }
    if (!order) return;
    size_t more = count - shown;
    if (more > 0) sentences[shown++] = una_phrase(arena, "%s more %s", UNA_COUNTED(more), more == 1 ? "reason" : "reasons");
    una_html_heading(html, 2, "What failed");
    una_html_list(html, sentences, shown);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_settings(una_html *html, const una_study_view *view)
{
    una_text words = una_text_in(html->text.arena);
    if (view->model) una_text_add(&words, "--model %s", view->model);
    if (view->acquisition) una_text_add(&words, "%s--acquisition %s", words.length ? " " : "", view->acquisition);
    una_text_add(&words, "%s--goal %s", words.length ? " " : "", view->maximize ? "maximize" : "minimize");
    if (view->seed) una_text_add(&words, " --seed %s", view->seed);
    una_html_heading(html, 2, "How it was set up");
    una_html_paragraph(html, "code", words.at);
    if (view->space) una_html_paragraph(html, "code", view->space);
}

una_status una_study_view_page(una_text *page, const una_study_view *view)
{
    una_arena *arena = page->arena;
    una_study_digest d;
    UNA_TRY(una_study_digest_make(&d, view, arena));
    una_html html = una_html_begin(arena, view->title);
    una_html_heading(&html, 1, view->title);
    put_lead(&html, view, &d);
    put_warnings(&html, &d);
    put_forecasts(&html, view);
    best_table(&html, view);

    if (d.told > 0) progress_figure(&html, view, &d);
    if (d.told + d.failed > 0 && d.varied_count > 0) parallel_figure(&html, view, &d);
    slices_figure(&html, view, &d);
    trials_section(&html, view, &d);
    put_failures(&html, view, &d);
    put_settings(&html, view);
    una_status status = una_html_end(&html, NULL);
    *page = html.text;
    return status;
}
