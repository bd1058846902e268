/* SPDX-License-Identifier: MIT
 *
 * One bad cell must not be the verdict: suspicious rows that hold most of the spread of the target, of the squared
 * out-of-fold errors, or of the spread of their own column are set aside, if the figures without them tell another
 * story. Nothing is fitted again but linear regression; a model that such rows have spoilt may be worth more without
 * them than any figure here.
 */
#include "diagnose/answer.h"

#include <limits.h>

static const double most = 0.5, its_like = 0.1, another_story = 0.05;

/* Squares of the distances from the mean of rows that are not suspicious; 0 for missing cells. value [rows]. */
static void square_distances(double *square, const double *value, const bool *suspect, size_t rows)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < rows; i++)
        if (!suspect[i] && !isnan(value[i])) sum += value[i], count++;
    for (size_t i = 0; i < rows; i++)
        square[i] = isnan(value[i]) || count == 0 ? 0 : (value[i] - sum / count) * (value[i] - sum / count);
}

/* Blames the suspicious rows if they hold most of these squares, and more than of others before. */
static void blame_rows(una_case *c, const double *square, const bool *suspect, const char *column)
{
    double all = 0, theirs = 0, largest = 0;
    for (size_t i = 0; i < c->rows; i++) {
        all += square[i];
        if (suspect[i]) theirs += square[i], largest = fmax(largest, square[i]);
    }
    if (!(theirs > most * all) || theirs / all <= c->blame.share) return;
    c->blame.share = theirs / all;
    c->blame.column = column;
    c->rows_aside = 0;
    for (size_t i = 0; i < c->rows; i++) {
        c->aside[i] = suspect[i] && square[i] >= its_like * largest;
        c->rows_aside += c->aside[i];
        if (suspect[i] && square[i] == largest) c->blame.row = c->kept[i];
    }
}

static una_status find_blame(una_case *c, const bool *suspect, una_run *run)
{
    const una_held_out *h = c->held;
    UNA_NEW_ROWS(&run->scratch, double, value, c->rows);
    UNA_NEW_ROWS(&run->scratch, double, square, c->rows);
    square_distances(square, c->y, suspect, c->rows);
    blame_rows(c, square, suspect, c->columns->target);
    memset(square, 0, c->rows * sizeof *square);
    for (size_t i = 0; i < h->rows; i++) square[c->at[i]] = (h->y[i] - h->mean[i]) * (h->y[i] - h->mean[i]);
    if (c->rows_aside == 0) blame_rows(c, square, suspect, NULL);
    for (size_t s = 0; s < c->suspect_count; s++) {
        const char *name = c->suspects[s].column;
        bool again = strcmp(name, c->columns->target) == 0;
        for (size_t k = 0; k < s && !again; k++) again = strcmp(name, c->suspects[k].column) == 0;
        if (again) continue;
        const double *cell = c->data->column[una_table_find(c->data, name)].number;
        for (size_t i = 0; i < c->rows; i++) value[i] = cell[c->kept[i]];
        square_distances(square, value, suspect, c->rows);
        blame_rows(c, square, suspect, name);
    }
    return UNA_OK;
}

/* ---- figures without them --------------------------------------------------------------------------------------- */

/* Inputs of mean 0 and variance 1 among the rows that stay, which cells that are far off have squeezed. */
static una_status scale_again(una_case *rest, una_run *run)
{
    size_t inputs = rest->columns->input_count;
    const double *x = rest->x;
    UNA_NEW_ROWS(&run->scratch, double, scaled, rest->rows * inputs);
    for (size_t d = 0; d < inputs; d++) {
        double n = (double)(rest->rows - rest->rows_aside), mean = 0, square = 0;
        for (size_t i = 0; i < rest->rows; i++)
            if (!rest->aside[i]) mean += x[i * inputs + d] / n;
        for (size_t i = 0; i < rest->rows; i++)
            if (!rest->aside[i]) square += (x[i * inputs + d] - mean) * (x[i * inputs + d] - mean) / n;
        double scale = square > 0 ? sqrt(square) : 1;
        for (size_t i = 0; i < rest->rows; i++) scaled[i * inputs + d] = (x[i * inputs + d] - mean) / scale;
    }
    rest->x = scaled;
    return UNA_OK;
}

/* Linear regression that has not seen them; in no fold of the reference is a row left out altogether. */
static una_status regress_without(una_case *c, double mean, bool *known, una_run *run)
{
    una_case rest = *c;
    UNA_NEW_ROWS(&run->scratch, unsigned char, fold, c->rows);
    UNA_NEW_ROWS(&run->scratch, double, y, c->rows);
    UNA_TRY(scale_again(&rest, run));
    double square = 0, n = (double)(c->rows - c->rows_aside);
    for (size_t i = 0; i < c->rows; i++) {
        y[i] = c->y[i] - mean;
        if (!c->aside[i]) square += y[i] * y[i] / n;
        fold[i] = c->aside[i] ? UCHAR_MAX : c->fold[i];
    }
    double scale = square > 0 ? sqrt(square) : 1;
    for (size_t i = 0; i < c->rows; i++) y[i] /= scale;
    rest.fold = fold;
    UNA_SCOPED(run, una_reference(c->line_aside, known, &rest, y, run));
    for (size_t i = 0; i < c->held->rows; i++)
        c->line_aside[i] = c->centre + c->scale * (mean + scale * c->line_aside[i]);
    return UNA_OK;
}

static una_status measure_rest(una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    una_verdict *v = c->verdict;
    double mean = 0, own = 0, line = 0, spread = 0;
    bool known;
    UNA_NEW_ROWS_AT(&run->scratch, c->line_aside, h->rows);
    for (size_t i = 0; i < c->rows; i++)
        if (!c->aside[i]) mean += c->y[i] / (double)(c->rows - c->rows_aside);
    UNA_TRY(regress_without(c, mean, &known, run));
    c->rest_mean = c->centre + c->scale * mean;
    for (size_t i = 0; i < h->rows; i++) {
        if (c->aside[c->at[i]]) continue;
        own += pow(h->y[i] - h->mean[i], 2);
        line += pow(h->y[i] - c->line_aside[i], 2);
        spread += pow(h->y[i] - c->rest_mean, 2);
    }
    v->explained_aside = 1 - own / spread;
    v->linear_aside = known ? 1 - line / spread : NAN;
    if (!known) c->line_aside = NULL;
    return UNA_OK;
}

static una_status keep_rest(una_case *c, una_run *run)
{
    una_reach reach;
    UNA_TRY(una_case_reach(&reach, c, c->aside, run));
    c->verdict->rows_aside = c->rows_aside;
    c->verdict->error_95_aside = reach.error;
    c->verdict->error_factor_95_aside = reach.factor;
    return UNA_OK;
}

una_status una_case_set_aside(una_case *c, una_run *run)
{
    una_verdict *v = c->verdict;
    v->explained_aside = v->linear_aside = v->error_95_aside = v->error_factor_95_aside = NAN;
    if (c->suspect_count == 0 || c->images) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, bool, suspect, c->rows);
    UNA_NEW_ROWS_AT(&run->scratch, c->aside, c->rows);
    for (size_t i = 0, s = 0; i < c->rows; i++) {                /* both are in the order of the table */
        while (s < c->suspect_count && c->suspects[s].row < c->kept[i]) s++;
        suspect[i] = s < c->suspect_count && c->suspects[s].row == c->kept[i];
    }
    UNA_SCOPED(run, find_blame(c, suspect, run));
    if (c->rows_aside > 0) UNA_TRY(measure_rest(c, run));
    double best = fmax(v->explained_aside, v->linear_aside);     /* one of them may be NAN */
    bool news = best > v->explained + another_story || (c->blame.column && v->explained < another_story);
    if (c->rows_aside > 0 && news) return keep_rest(c, run);
    v->explained_aside = v->linear_aside = NAN;
    c->aside = NULL;
    c->rows_aside = 0;
    return UNA_OK;
}

void una_case_say_aside(una_text *text, const una_case *c)
{
    size_t s = 0;
    bool one = c->rows_aside == 1;
    const char *column = c->blame.column ? c->blame.column : c->columns->target;
    for (size_t k = 0; k < c->suspect_count; k++)
        if (c->suspects[k].row == c->blame.row && (c->suspects[s].row != c->blame.row ||
                                                   strcmp(c->suspects[k].column, column) == 0)) s = k;
    if (one) una_text_add(text, "One row looks wrong and holds");
    else una_text_add(text, "%zu rows look wrong and hold", c->rows_aside);
    una_text_add(text, " %s %% of %s%.60s: ", UNA_PERCENT(c->blame.share),
                 c->blame.column ? "the spread of " : "the squared errors", c->blame.column ? c->blame.column : "");
    una_case_name_suspect(text, c, &c->suspects[s]);
    una_text_add(text, one ? ". " : ", and %zu more. ", c->rows_aside - 1);
}
