/* SPDX-License-Identifier: MIT
 *
 * Which input makes a row unsure. Of each of the rows with the largest epistemic standard deviation s, one input at a
 * time takes the values that a few other rows of the table have, spread evenly over its order there; s' is the median
 * of what is left. The cause is the input with the largest drop 1 - s'/s, if that is a tenth at least; else it is no
 * single input, but how they come together. Medians, because some of the values put in do not go with the rest of the
 * row and would make it less known, not better.
 */
#include "report/report_builder.h"

#include "draw/marks.h"
#include "draw/number.h"

enum { OTHERS = 9, BUDGET = 16000, MOST_ROWS = 60 };
static const double least_drop = 0.1;

/* Values of a column that other rows have, spread evenly over its order. */
static una_status usual_values(una_changed_rows *to, const report_builder *g, size_t column)
{
    const una_report_column *c = &g->report.columns[column];
    size_t known = g->report.rows;
    UNA_NEW(&g->run->scratch, double, value, known);
    UNA_NEW(&g->run->scratch, double, number, OTHERS);
    UNA_NEW(&g->run->scratch, const char *, word, OTHERS);
    for (size_t i = 0; i < known; i++) value[i] = c->number ? c->number[i] : 0;
    const size_t *order = una_order_of(value, known, &g->run->scratch);
    UNA_TRY(una_arena_check(&g->run->scratch));
    while (known > 0 && isnan(value[order[known - 1]])) known--;
    for (size_t k = 0; known > 0 && k < OTHERS; k++) {
        size_t row = order[(2 * k + 1) * known / (2 * OTHERS)];
        number[k] = value[row], word[k] = c->word ? c->word[row] : NULL;
    }
    *to = (una_changed_rows){ .columns = g->report.columns, .column_count = g->report.column_count, .moved = column,
                              .places = known > 0 ? OTHERS : 0, .number = number, .word = word };
    return UNA_OK;
}

/* Drops of all rows [count] when one input is usual. */
static una_status ask_without(double *drop, const report_builder *g, const una_model *model, size_t column,
                              const size_t *rows, size_t count)
{
    una_changed_rows moved;
    UNA_NEW(&g->run->scratch, double, std, count * OTHERS);
    UNA_TRY(usual_values(&moved, g, column));
    if (moved.places == 0) return UNA_OK;
    moved.rows = rows, moved.count = count;
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    UNA_TRY(una_changed_rows_ask(&out, model, &moved, g->run));
    for (size_t i = 0; i < count; i++)
        drop[i] = 1 - una_quantile(std + i * OTHERS, OTHERS, 0.5) / g->report.models[0].given.std_epistemic[rows[i]];
    return UNA_OK;
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* The nearest values of other rows on both sides, and how many others have the same. */
typedef struct near { double below, above, low, high; size_t same; } near;

static near find_near(const una_report *report, const una_report_column *column, size_t row)
{
    near n = { -INFINITY, INFINITY, INFINITY, -INFINITY, 0 };
    double value = column->number[row];
    for (size_t i = 0; i < report->rows; i++) {
        double other = column->number[i];
        if (i == row || isnan(other)) continue;
        n.same += other == value;
        if (other < value && other > n.below) n.below = other;
        if (other > value && other < n.above) n.above = other;
        n.low = fmin(n.low, other), n.high = fmax(n.high, other);
    }
    return n;
}

static void add_cause_number(una_text *text, const una_report *report, const una_report_column *column, size_t row)
{
    near n = find_near(report, column, row);
    double value = column->number[row], range = n.high - n.low;
    una_text_add(text, " is %s", UNA_DATED(column->date, value, 4));
    if (n.same > 0)
        una_text_add(text, ", as in %zu other %s", n.same, n.same == 1 ? "row" : "rows");
    else if (isfinite(n.below) && isfinite(n.above))
        una_text_add(text, "; the nearest other rows have %s and %s", UNA_DATED(column->date, n.below, 4),
                     UNA_DATED(column->date, n.above, 4));
    else if (isfinite(n.below) || isfinite(n.above))
        una_text_add(text, ", the %s; the next has %s", isfinite(n.below) ? "largest" : "smallest",
                     UNA_DATED(column->date, isfinite(n.below) ? n.below : n.above, 4));
    if (!(range > 0)) return;
    double *sorted = UNA_GET(text->arena, double, report->rows);
    if (!sorted) return;
    memcpy(sorted, column->number, report->rows * sizeof *sorted);
    double low = una_quantile(sorted, report->rows, 0.05), high = una_quantile(sorted, report->rows, 0.95);
    if (column->date && range > 30) low = round(low), high = round(high);        /* whole days */
    una_text_add(text, " (90\xC2\xA0%% lie in %s to %s)", UNA_DATED(column->date, low, 4), UNA_DATED(column->date, high, 4));
}

static void say_word(una_text *text, const una_report *report, const una_report_column *column, size_t row)
{
    size_t same = 0;
    if (!column->word[row]) {
        una_text_add(text, " is missing");
        return;
    }
    for (size_t i = 0; i < report->rows; i++)
        same += column->word[i] && strcmp(column->word[i], column->word[row]) == 0;
    una_text_add(text, " is %s, as in %zu of %zu rows", UNA_NAMED(column->word[row]), same, report->rows);
}

static const char *sentence_of_cause(const report_builder *g, const una_report_cause *cause)
{
    una_text text = una_text_in(g->arena);
    if (cause->column == SIZE_MAX) return "no single input: how they come together";
    const una_report_column *column = &g->report.columns[cause->column];
    una_text_add(&text, "%s", UNA_NAMED(column->name));
    if (column->word) say_word(&text, &g->report, column, cause->row);
    else if (isnan(column->number[cause->row])) una_text_add(&text, " is missing");
    else add_cause_number(&text, &g->report, column, cause->row);
    una_text_add(&text, "; with a usual value %s\xC2\xA0%% of its ignorance would be left",
                 UNA_PLAIN(100 * (1 - cause->drop), 0));
    return text.at;
}

/* ---- the whole ------------------------------------------------------------------------------------------ */

una_status una_causes_find(report_builder *g, const una_model *model)
{
    una_report *report = &g->report;
    size_t columns = report->column_count, count = BUDGET / (columns * OTHERS);
    if (count > MOST_ROWS) count = MOST_ROWS;
    if (count < UNA_LEAST_KNOWN) count = UNA_LEAST_KNOWN;
    if (count > report->rows / 5 + UNA_LEAST_KNOWN) count = report->rows / 5 + UNA_LEAST_KNOWN;
    if (count > report->rows) count = report->rows;
    if (!una_report_has_ignorance(report)) return UNA_OK;

    const size_t *order = una_report_least_known(report, g->arena);
    UNA_NEW(g->arena, una_report_cause, causes, count);
    UNA_NEW(g->arena, double, drop, count);
    for (size_t i = 0; i < count; i++) causes[i] = (una_report_cause){ .row = order[i], .column = SIZE_MAX };
    for (size_t c = 0; c < columns; c++) {
        memset(drop, 0, count * sizeof *drop);
        UNA_SCOPED(g->run, ask_without(drop, g, model, c, order, count));
        for (size_t i = 0; i < count; i++)
            if (drop[i] >= least_drop && drop[i] > causes[i].drop)
                causes[i].drop = fmin(drop[i], 1), causes[i].column = c;
        UNA_TRY(una_tick(g->run, "asking what makes rows unsure", (double)c / (double)columns, NAN));
    }
    for (size_t i = 0; i < count && i < UNA_LEAST_KNOWN; i++) causes[i].why = sentence_of_cause(g, &causes[i]);
    report->causes = causes;
    report->cause_count = count;
    return una_arena_check(g->arena);
}
