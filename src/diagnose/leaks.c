/* SPDX-License-Identifier: MIT
 *
 * Columns that are nearly the target: a copy of it, the same in other units, a transform, something computed from it.
 * Such a column alone puts the rows into the target's order. With rho the correlation of ranks (for a column of words:
 * with the mean rank of the word, each row left out of its own mean), it is reported if
 *   - rho^2 > 0.995: what is left is below 7 % of the spread;
 *   - the other columns together explain far less (linear regression without all such columns);
 *   - nor do they explain what is left: a genuine sum a + b, in which a is the larger part, is predicted much better by
 *   the
 *     whole model than by a alone, while a copy with errors of its own is not.
 * A table with a single column is reported only if the column is the target in other units, to the last digit.
 */
#include "diagnose/answer.h"

enum { MOST_ROWS = 4000, LEAST_ROWS = 10 };
static const double suspicious = 0.995, rest_is_enough = 0.97, exact = 1e-3;

/* Ranks of values [rows], from 0; equal ones share theirs. */
static una_status take_ranks(double *ranks, const double *value, size_t rows, una_run *run)
{
    const size_t *order = una_order_of(value, rows, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0, end; i < rows; i = end) {
        for (end = i + 1; end < rows && value[order[end]] == value[order[i]]; end++) continue;
        for (size_t k = i; k < end; k++) ranks[order[k]] = 0.5 * (double)(i + end - 1);
    }
    return UNA_OK;
}

static double square_correlation(const double *a, const double *b, size_t rows)
{
    double n = (double)rows, ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < rows; i++) ma += a[i] / n, mb += b[i] / n;
    for (size_t i = 0; i < rows; i++) {
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
        ab += (a[i] - ma) * (b[i] - mb);
    }
    return aa > 0 && bb > 0 ? ab * ab / (aa * bb) : 0;
}

typedef struct room { double *x, *y, *rank_x, *rank_y; const char **word; } room;

/* Turns words into numbers: the mean rank of y over the other rows with that word. Equal words share a pointer; the
 * sums do not depend on the order of pointers. */
static void words_to_numbers(double *x, const room *r, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0, count = 0;
        for (size_t k = 0; k < rows; k++)
            if (k != i && r->word[k] == r->word[i]) sum += r->rank_y[k], count++;
        x[i] = count > 0 ? sum / count : 0.5 * (double)rows;
    }
}

/* rho^2 of a column and the target, and the plain r^2 of numbers. */
static una_status correlate(double *rho2, double *line, const una_case *c, const una_table_column *column, room *r,
                            una_run *run)
{
    const double *y = c->data->column[una_table_find(c->data, c->columns->target)].number;
    size_t step = (c->rows + MOST_ROWS - 1) / MOST_ROWS, rows = 0, most_words = 1000;
    for (size_t i = 0; i < c->rows; i += step) {
        size_t row = c->kept[i];
        if (column->is_text ? !column->word[row] || rows >= most_words : isnan(column->number[row])) continue;
        if (column->is_text) r->word[rows] = column->word[row];
        else r->x[rows] = column->number[row];
        r->y[rows++] = y[row];
    }
    if (rows < LEAST_ROWS) return UNA_OK;
    UNA_TRY(take_ranks(r->rank_y, r->y, rows, run));
    if (column->is_text) words_to_numbers(r->rank_x, r, rows);
    else UNA_TRY(take_ranks(r->rank_x, r->x, rows, run));
    if (!column->is_text) *line = square_correlation(r->x, r->y, rows);
    *rho2 = square_correlation(r->rank_x, r->rank_y, rows);
    return UNA_OK;
}

/* What linear regression explains of the held-out rows without the inputs of those columns. */
static una_status rest_explains(double *share, const una_case *c, const bool *leak, una_run *run)
{
    size_t inputs = c->columns->input_count, n = c->held->rows;
    una_case rest = *c;
    double error = 0;
    bool known;
    UNA_NEW_ROWS(&run->scratch, double, mean, n);
    UNA_NEW_ROWS_AT(&run->scratch, rest.x, c->rows * inputs);
    for (size_t d = 0; d < inputs; d++)
        for (size_t i = 0; !leak[una_columns_input(c->columns, d)->source] && i < c->rows; i++)
            rest.x[i * inputs + d] = c->x[i * inputs + d];
    UNA_TRY(una_reference(mean, &known, &rest, c->y, run));
    *share = 0;
    for (size_t i = 0; known && i < n; i++) error += pow(c->y[c->at[i]] - mean[i], 2);
    double unit = c->verdict->rmse_mean / c->scale;
    if (known) *share = 1 - error / ((double)n * unit * unit);
    return UNA_OK;
}

static void name_leak(una_case *c, const char *column, double rho2, double line)
{
    double shown = 100 * fmax(rho2, line);
    const char *share = UNA_ROUNDED(shown > 99.99 ? 99.99 : floor(100 * shown) / 100, 4);
    una_case_find(c, UNA_FOUND_TOO_GOOD, column, line > 1 - 1e-9 ?
                  "Too good to be true: %.60s is %s in other units (they differ by a factor and a constant alone; %s "
                  "%% of the spread). If it is known only when %s is, leave it out (--drop) and fit again." :
                  "Too good to be true: %.60s alone puts the rows into the order of %s (%s %% of the spread of their "
                  "ranks), and the other columns add next to nothing. If it is known only when %s is, leave it out "
                  "(--drop) and fit again.", column, c->target, share, c->target);
}

/* Whether the column alone leaves as much unexplained as the model: then the others add nothing to it. */
static bool others_add_nothing(const una_case *c, double rho2)
{
    return 1 - rho2 < exact || 1 - c->verdict->explained > 0.2 * (1 - rho2);
}

una_status una_find_leaks(una_case *c, una_run *run)
{
    if (c->images) return UNA_OK;
    const una_columns *columns = c->columns;
    size_t sources = columns->source_count, count = 0, rows = c->rows < MOST_ROWS ? c->rows : MOST_ROWS;
    double rest;
    UNA_NEW(&run->scratch, double, rho2, sources);
    UNA_NEW(&run->scratch, double, line, sources);
    UNA_NEW(&run->scratch, bool, leak, sources);
    UNA_NEW(&run->scratch, double, x, 4 * rows);
    room r = { .x = x, .y = x + rows, .rank_x = x + 2 * rows, .rank_y = x + 3 * rows };
    UNA_NEW_AT(&run->scratch, r.word, rows);

    for (size_t s = 0; s < sources; s++) {
        size_t at = una_table_find(c->data, columns->sources[s].name);
        if (at != SIZE_MAX) UNA_SCOPED(run, correlate(&rho2[s], &line[s], c, &c->data->column[at], &r, run));
        leak[s] = rho2[s] > suspicious && others_add_nothing(c, rho2[s]);
        count += leak[s];
    }
    if (count == 0 || (count == sources && !(line[0] > 1 - 1e-9))) return UNA_OK;
    UNA_TRY(rest_explains(&rest, c, leak, run));
    for (size_t s = 0; rest < rest_is_enough && s < sources; s++)
        if (leak[s]) name_leak(c, columns->sources[s].name, rho2[s], line[s]);
    return UNA_OK;
}
