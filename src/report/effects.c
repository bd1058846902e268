/* SPDX-License-Identifier: MIT
 *
 * What each input does, at real rows. Up to 60 rows of the table, spread over it, are asked about with one of their
 * inputs moved and all others as they are (partial dependence, Friedman 2001). Shown are the means over these rows of
 * what is predicted and of the epistemic standard deviation: what the model does not know about such a row, on average.
 * So other inputs are always at combinations that occur, never at medians that may lie in a hole or between two levels.
 * Numbers of more than ten different values move on a line from their least to their largest value; others, and words,
 * stand as levels, of words the most frequent twenty.
 */
#include "report/report_builder.h"

#include "draw/number.h"

enum { LINE = 33, REAL_ROWS = 60 };

static una_status changed_table(una_dataset **table, const report_builder *g, const una_changed_rows *m)
{
    const una_report *report = &g->report;
    size_t columns = report->column_count;
    const char **names = UNA_GET(g->arena, const char *, columns), ***words = UNA_GET(g->arena, const char **, columns);
    UNA_NEW(g->arena, double *, numbers, columns);

    for (size_t c = 0; c < columns; c++) {
        const una_report_column *column = &report->columns[c];
        bool moves = c == m->moved;
        names[c] = column->name;
        if (column->word) words[c] = UNA_GET(g->arena, const char *, m->count);
        else numbers[c] = UNA_GET(g->arena, double, m->count);
        UNA_TRY(una_arena_check(g->arena));
        for (size_t i = 0; i < m->count; i++) {
            size_t row = moves && m->from ? m->from[i] : m->base[i];
            if (column->word) words[c][i] = moves && !m->from ? m->word[i] : column->word[row];
            else numbers[c][i] = moves && !m->from ? m->number[i] : column->number[row];
        }
    }
    return una_dataset_from_columns(table, names, (const double *const *)numbers, (const char *const *const *)words,
                                    columns, m->count, g->run);
}

una_status una_changed_rows_ask(una_prediction *out, const report_builder *g, const una_model *model,
                                const una_changed_rows *rows)
{
    una_dataset *table = NULL;
    UNA_TRY(changed_table(&table, g, rows));
    una_status status = una_model_predict(model, table, 0.95, out, g->run);
    una_dataset_free(table);
    return status;
}

/* ---- levels and lines -------------------------------------------------------------------------------- */

typedef struct level { const char *word; double value; size_t rows; } level;

static int compare_level_words(const void *a, const void *b)
{
    return strcmp(((const level *)a)->word, ((const level *)b)->word);
}

static int compare_level_values(const void *a, const void *b)
{
    double x = ((const level *)a)->value, y = ((const level *)b)->value;
    return (x > y) - (x < y);
}

static int compare_level_rows(const void *a, const void *b)
{
    const level *p = a, *q = b;
    if (p->rows != q->rows) return p->rows > q->rows ? -1 : 1;
    return strcmp(p->word, q->word);
}

/* The different values of a column, in order, counted; list [rows]. */
static size_t count_levels(level *list, const una_report_column *column, size_t rows)
{
    size_t count = 0, different = 0;
    for (size_t i = 0; i < rows; i++) {
        if (column->word ? column->word[i] == NULL : !isfinite(column->number[i])) continue;
        list[count++] = (level){ column->word ? column->word[i] : NULL, column->word ? 0 : column->number[i], 1 };
    }
    if (count == 0) return 0;
    qsort(list, count, sizeof *list, column->word ? compare_level_words : compare_level_values);
    for (size_t i = 1; i < count; i++) {
        bool same = column->word ? strcmp(list[i].word, list[different].word) == 0
                                 : list[i].value <= list[different].value;
        if (same) list[different].rows++;
        else list[++different] = list[i];
    }
    return different + 1;
}

static una_status plan_levels(una_report_effect *effect, const report_builder *g, const level *list, size_t count)
{
    double *at = UNA_GET(g->arena, double, count), *value = UNA_GET(g->arena, double, count);
    const char **name = UNA_GET(g->arena, const char *, count);
    size_t *rows = UNA_GET(g->arena, size_t, count);
    UNA_TRY(una_arena_check(g->arena));
    bool words = list[0].word != NULL;
    for (size_t i = 0; i < count; i++) {
        at[i] = (double)(i + 1);
        value[i] = list[i].value;
        rows[i] = list[i].rows;
        name[i] = words ? list[i].word : una_arena_text(g->arena, UNA_DATED(g->report.columns[effect->column].date, list[i].value, 5));
    }
    effect->count = count, effect->at = at, effect->level = name, effect->level_rows = rows;
    effect->value = words ? NULL : value;
    return una_arena_check(g->arena);
}

static una_status plan_effect_line(una_report_effect *effect, const report_builder *g, double low, double high)
{
    UNA_NEW(g->arena, double, at, LINE);
    for (size_t i = 0; i < LINE; i++) at[i] = low + (high - low) * (double)i / (LINE - 1);
    effect->count = LINE, effect->at = at;
    return UNA_OK;
}

/* *varies: the column is not the same in every row. */
static una_status plan_effect(una_report_effect *effect, bool *varies, const report_builder *g, size_t column)
{
    size_t rows = g->report.rows;
    bool words = g->report.columns[column].word != NULL;
    UNA_NEW(&g->run->scratch, level, list, rows);
    size_t count = count_levels(list, &g->report.columns[column], rows);
    *varies = count > 1;
    *effect = (una_report_effect){ .column = column };
    if (!*varies) return UNA_OK;
    if (!words && count > UNA_FEW_VALUES) return plan_effect_line(effect, g, list[0].value, list[count - 1].value);
    if (words && count > UNA_MOST_LEVELS) {
        qsort(list, count, sizeof *list, compare_level_rows);
        count = UNA_MOST_LEVELS;
    }
    return plan_levels(effect, g, list, count);
}

una_status una_effects_plan(report_builder *g)
{
    una_report *report = &g->report;
    una_report_effect *effects = UNA_GET(g->arena, una_report_effect, report->column_count);
    const size_t *order = una_report_order(report, g->arena);
    size_t first = 0;
    UNA_TRY(una_arena_check(g->arena));
    for (size_t c = 0; c < report->column_count; c++) {
        una_report_effect *effect = &effects[report->effect_count];
        bool varies;
        UNA_SCOPED(g->run, plan_effect(effect, &varies, g, order[c]));
        effect->first = first;
        if (!varies) continue;
        if (report->effect_count >= UNA_MOST_EFFECTS) effect->first = SIZE_MAX;          /* known, not asked about */
        else first += effect->count;
        report->effect_count++;
    }
    report->effects = effects;
    report->effect_rows = report->rows < REAL_ROWS ? report->rows : REAL_ROWS;
    return UNA_OK;
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static una_status ask_effect(double *mean, double *std, const report_builder *g, const una_model *model,
                             const una_report_effect *effect)
{
    const una_report *report = &g->report;
    size_t rows = report->effect_rows, count = effect->count * rows;
    size_t *base = UNA_GET(g->arena, size_t, count);
    double *number = UNA_GET(g->arena, double, count);
    double *answered = UNA_GET(g->arena, double, count), *ignorance = UNA_GET(g->arena, double, count);
    const char **word = UNA_GET(g->arena, const char *, count);
    UNA_TRY(una_arena_check(g->arena));
    for (size_t k = 0; k < effect->count; k++)
        for (size_t i = 0; i < rows; i++) {
            base[k * rows + i] = rows < 2 ? 0 : i * (report->rows - 1) / (rows - 1);
            number[k * rows + i] = effect->value ? effect->value[k] : effect->at[k];
            word[k * rows + i] = effect->level ? effect->level[k] : NULL;
        }

    una_changed_rows moved = { .count = count, .moved = effect->column, .base = base, .number = number, .word = word };
    una_prediction out = { .size = sizeof out, .mean = answered, .std_epistemic = ignorance };
    UNA_TRY(una_changed_rows_ask(&out, g, model, &moved));
    for (size_t k = 0; k < effect->count; k++)
        for (size_t i = 0; i < rows; i++) {
            mean[k] += answered[k * rows + i] / (double)rows;
            std[k] += ignorance[k * rows + i] / (double)rows;
        }
    return UNA_OK;
}

una_status una_effects_ask(una_report_model *to, const report_builder *g, const una_model *model)
{
    const una_report *report = &g->report;
    size_t all = 0, asked = 0;
    for (size_t e = 0; e < report->effect_count && e < UNA_MOST_EFFECTS; e++, asked++) all += report->effects[e].count;
    double *mean = UNA_GET(g->arena, double, all), *std = UNA_GET(g->arena, double, all);
    UNA_TRY(una_arena_check(g->arena));
    for (size_t e = 0; e < asked; e++) {
        const una_report_effect *effect = &report->effects[e];
        una_mark mark = una_arena_mark(g->arena);
        UNA_TRY(ask_effect(mean + effect->first, std + effect->first, g, model, effect));
        una_arena_release(g->arena, mark);
        UNA_TRY(una_tick(g->run, "drawing", (double)e / (double)asked, NAN));
    }
    to->effect_mean = mean;
    to->effect_std = std;
    return UNA_OK;
}
