/* SPDX-License-Identifier: MIT
 *
 * What each input does, at real rows. Up to 60 rows of the table, spread over it, are asked about with one of their
 * inputs moved and all others as they are (partial dependence, Friedman 2001). Shown are the means over these rows of
 * what is predicted and of the epistemic standard deviation: what the model does not know about such a row, on average.
 * So other inputs are always at combinations that occur, never at medians that may lie in a hole or between two levels.
 * Numbers of more than ten different values move on a line from their least to their largest value; others, and words,
 * stand as levels, of words the most frequent twenty.
 */
#include "model/above.h"
#include "report/report_builder.h"

#include "draw/number.h"

enum { LINE = 33, REAL_ROWS = 60 };

static una_status changed_table(una_dataset **table, const una_changed_rows *m, una_run *run)
{
    size_t columns = m->column_count, all = m->count * m->places;
    UNA_NEW(&run->scratch, const char *, names, columns);
    UNA_NEW(&run->scratch, const char **, words, columns);
    UNA_NEW(&run->scratch, double *, numbers, columns);
    for (size_t c = 0; c < columns; c++) {
        const una_report_column *column = &m->columns[c];
        names[c] = column->name;
        if (column->word) UNA_NEW_AT(&run->scratch, words[c], all);
        else UNA_NEW_AT(&run->scratch, numbers[c], all);
        for (size_t i = 0; i < all; i++) {
            size_t row = m->rows[i / m->places], k = i % m->places;
            if (column->word) words[c][i] = c == m->moved ? m->word[k] : column->word[row];
            else numbers[c][i] = c == m->moved ? m->number[k] : column->number[row];
        }
    }
    return una_dataset_from_columns(table, names, (const double *const *)numbers, (const char *const *const *)words,
                                    columns, all, run);
}

una_status una_changed_rows_ask(una_prediction *out, const una_model *model, const una_changed_rows *rows, una_run *run)
{
    una_dataset *table = NULL;
    UNA_TRY(changed_table(&table, rows, run));
    UNA_TRY(una_keep_dataset(&run->scratch, table));
    return una_model_predict(model, table, 0.95, out, run);
}

/* ---- levels and lines -------------------------------------------------------------------------------- */

static int compare_level_words(const void *a, const void *b)
{
    return strcmp(((const una_distinct *)a)->word, ((const una_distinct *)b)->word);
}

static int compare_level_values(const void *a, const void *b)
{
    double x = ((const una_distinct *)a)->value, y = ((const una_distinct *)b)->value;
    return (x > y) - (x < y);
}

static int compare_level_rows(const void *a, const void *b)
{
    const una_distinct *p = a, *q = b;
    if (p->rows != q->rows) return p->rows > q->rows ? -1 : 1;
    return strcmp(p->word, q->word);
}

/* False: the cell is missing. */
static bool take_level(una_distinct *level, const una_report_column *column, size_t row)
{
    *level = (una_distinct){ column->word ? column->word[row] : NULL, column->word ? 0 : column->number[row], 1 };
    return column->word ? level->word != NULL : isfinite(level->value);
}

una_status una_distinct_of(una_distinct **list, size_t *count, const una_report_column *column, size_t rows, una_arena *arena)
{
    int (*compare)(const void *, const void *) = column->word ? compare_level_words : compare_level_values;
    size_t all = 0;
    UNA_NEW_AT(arena, *list, rows);
    for (size_t i = 0; i < rows; i++) all += take_level(&(*list)[all], column, i);
    qsort(*list, all, sizeof **list, compare);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (*count && compare(&(*list)[*count - 1], &(*list)[i]) == 0) (*list)[*count - 1].rows++;
        else (*list)[(*count)++] = (*list)[i];
    }
    return UNA_OK;
}

const una_distinct *una_distinct_find(const una_distinct *list, size_t count, const una_report_column *column, size_t row)
{
    una_distinct own;
    if (!take_level(&own, column, row)) return NULL;
    return bsearch(&own, list, count, sizeof *list, column->word ? compare_level_words : compare_level_values);
}

static una_status plan_levels(una_report_effect *effect, const report_builder *g, const una_distinct *list,
                              size_t count)
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
    una_distinct *list;
    size_t count;
    UNA_TRY(una_distinct_of(&list, &count, &g->report.columns[column], rows, &g->run->scratch));
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
    una_arena *scratch = &g->run->scratch;
    size_t rows = report->effect_rows, count = effect->count * rows;
    UNA_NEW(scratch, size_t, base, rows);
    UNA_NEW(scratch, double, answered, count);
    UNA_NEW(scratch, double, ignorance, count);
    for (size_t i = 0; i < rows; i++) base[i] = rows < 2 ? 0 : i * (report->rows - 1) / (rows - 1);

    const una_changed_rows moved = { .columns = report->columns, .column_count = report->column_count,
        .moved = effect->column, .rows = base, .count = rows, .places = effect->count,
        .number = effect->value ? effect->value : effect->at, .word = effect->level };
    una_prediction out = { .size = sizeof out, .mean = answered, .std_epistemic = ignorance };
    UNA_TRY(una_changed_rows_ask(&out, model, &moved, g->run));
    for (size_t i = 0; i < count; i++) {
        mean[i % effect->count] += answered[i] / (double)rows;
        std[i % effect->count] += ignorance[i] / (double)rows;
    }
    return UNA_OK;
}

una_status una_effects_ask(una_report_model *to, const report_builder *g, const una_model *model)
{
    const una_report *report = &g->report;
    size_t all = 0, asked = report->effect_count < UNA_MOST_EFFECTS ? report->effect_count : UNA_MOST_EFFECTS;
    for (size_t e = 0; e < asked; e++) all += report->effects[e].count;
    UNA_NEW(g->arena, double, mean, all);
    UNA_NEW(g->arena, double, std, all);
    for (size_t e = 0; e < asked; e++) {
        const una_report_effect *effect = &report->effects[e];
        UNA_SCOPED(g->run, ask_effect(mean + effect->first, std + effect->first, g, model, effect));
        UNA_TRY(una_tick(g->run, "drawing", (double)e / (double)asked, NAN));
    }
    to->effect_mean = mean;
    to->effect_std = std;
    return UNA_OK;
}
