/* SPDX-License-Identifier: MIT
 *
 * See new_words.h. Rows are predicted one by one, so that a row's answer does not depend on its neighbours.
 */
#include "model/new_words.h"

bool una_new_words_any(const una_columns *columns)
{
    for (size_t s = 0; s < columns->source_count; s++)
        if (columns->sources[s].has_untrained_level) return true;
    return false;
}

/* Levels of the source that rows had. */
static size_t levels_with_rows(const una_source *source)
{
    return source->level_count - 1;
}

/* The number of levels of the column with most among those whose word is new; 0: all words of the row are known. */
static size_t most_levels_of_new_word(const una_columns *c, const double *x)
{
    size_t most = 0;
    for (size_t s = 0, d = 0; s < c->source_count; d += una_source_inputs(&c->sources[s++])) {
        const una_source *source = &c->sources[s];
        if (source->has_untrained_level && x[d + levels_with_rows(source)] == 1 &&
            levels_with_rows(source) > most) most = levels_with_rows(source);
    }
    return most;
}

/* The row with the k-th word of each such column, counted round. */
static void replace_words(double *to, const una_columns *c, const double *x, size_t k)
{
    memcpy(to, x, c->input_count * sizeof *to);
    for (size_t s = 0, d = 0; s < c->source_count; d += una_source_inputs(&c->sources[s++])) {
        const una_source *source = &c->sources[s];
        if (!source->has_untrained_level || x[d + levels_with_rows(source)] != 1) continue;
        to[d + levels_with_rows(source)] = 0;
        to[d + k % levels_with_rows(source)] = 1;
    }
}

/* Of one row: itself first, then with each word. */
static una_status row_extra(double *extra, const una_model *model, const double *x, size_t words, una_run *run)
{
    const una_columns *c = &model->columns;
    size_t rows = words + 1, inputs = c->input_count;
    double most = 0, square = 0;
    una_predictive p = {0};
    UNA_NEW(&run->scratch, double, asked, rows * inputs);
    UNA_TRY(una_predictive_new(&p, rows, &run->scratch));
    memcpy(asked, x, inputs * sizeof *x);
    for (size_t k = 0; k < words; k++) replace_words(asked + (k + 1) * inputs, c, x, k);
    UNA_SCOPED(run, una_calls(model->kind)->predict(model->state, (una_view){ asked, rows, inputs, inputs }, &p, run));

    for (size_t k = 1; k < rows; k++) {
        most = fmax(most, p.var_model[k]);
        square += (p.mean[k] - p.mean[0]) * (p.mean[k] - p.mean[0]) / (double)words;
    }
    *extra = fmax(0, most + square - p.var_model[0]);
    return UNA_OK;
}

una_status una_new_words_extra(double *extra, const una_model *model, una_view x, una_run *run)
{
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * x.stride;
        size_t words = most_levels_of_new_word(&model->columns, row);
        double own = 0;
        UNA_TRY(una_check_cancelled(run, "predicting"));
        if (words) UNA_SCOPED(run, row_extra(&own, model, row, words, run));
        extra[r] += own;
    }
    return UNA_OK;
}
