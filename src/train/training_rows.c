/* SPDX-License-Identifier: MIT
 *
 * Rows that train, validation rows, folds. See training_rows.h.
 */
#include "train/training_rows.h"

#include "la/la.h"

void una_row_to_floats(float *to, una_view x, size_t row)
{
    for (size_t d = 0; d < x.cols; d++) to[d] = (float)x.at[row * x.stride + d];
}

static void add_training_row(una_training_rows *h, bool out, una_view x, const double *y, size_t row)
{
    size_t n = h->outputs, at = (out ? h->valid_rows : h->rows) * n;
    una_row_to_floats(out ? h->valid_x + h->valid_rows * h->inputs : h->x + h->rows * h->inputs, x, row);
    memcpy((out ? h->valid_y : h->y) + at, y + row * n, n * sizeof *y);
    for (size_t k = 0; !out && k < n; k++) h->target[at + k] = (float)h->y[at + k];
    ++*(out ? &h->valid_rows : &h->rows);
}

static una_status new_training_rows(una_training_rows *h, const una_problem *p, size_t rows, size_t valid_rows,
                                    una_arena *arena)
{
    size_t inputs = p->x.cols, outputs = p->outputs ? p->outputs : 1;
    *h = (una_training_rows){ .inputs = inputs, .outputs = outputs };
    h->x = UNA_GET_ROWS(arena, float, rows * inputs);
    h->target = UNA_GET_ROWS(arena, float, rows * outputs);
    h->y = UNA_GET_ROWS(arena, double, rows * outputs);
    h->valid_x = UNA_GET_ROWS(arena, float, valid_rows * inputs);
    h->valid_y = UNA_GET_ROWS(arena, double, valid_rows * outputs);
    return una_arena_check(arena);
}

una_status una_training_rows_split(una_training_rows *h, const una_problem *p, size_t fold, una_arena *arena)
{
    bool by_fold = fold != SIZE_MAX;
    if (!by_fold && p->shared) {
        *h = *p->shared;
        return UNA_OK;
    }
    UNA_TRY(new_training_rows(h, p, p->x.rows, by_fold ? p->x.rows : p->valid_x.rows, arena));
    for (size_t i = 0; i < p->x.rows; i++) add_training_row(h, by_fold && p->fold[i] == fold, p->x, p->y, i);
    for (size_t i = 0; !by_fold && i < p->valid_x.rows; i++) add_training_row(h, true, p->valid_x, p->valid_y, i);
    return UNA_OK;
}

una_status una_training_rows_all(una_training_rows *h, const una_problem *p, una_arena *arena)
{
    UNA_TRY(new_training_rows(h, p, p->x.rows + p->valid_x.rows, 0, arena));
    for (size_t i = 0; i < p->x.rows; i++) add_training_row(h, false, p->x, p->y, i);
    for (size_t i = 0; i < p->valid_x.rows; i++) add_training_row(h, false, p->valid_x, p->valid_y, i);
    return UNA_OK;
}

static una_status thin(float **x, double **y, size_t *rows, const una_training_rows *r, size_t most, una_arena *arena)
{
    size_t inputs = r->inputs, outputs = r->outputs;
    if (*rows <= most) return UNA_OK;
    UNA_NEW(arena, float, few, most * inputs);
    UNA_NEW(arena, double, few_y, most * outputs);
    for (size_t i = 0; i < most; i++) {
        size_t row = i * *rows / most;
        memcpy(few + i * inputs, *x + row * inputs, inputs * sizeof(float));
        memcpy(few_y + i * outputs, *y + row * outputs, outputs * sizeof(double));
    }
    *x = few;
    *y = few_y;
    *rows = most;
    return UNA_OK;
}

una_status una_training_rows_thin(una_training_rows *r, size_t most, size_t most_valid, una_arena *arena)
{
    UNA_TRY(thin(&r->x, &r->y, &r->rows, r, most, arena));
    return thin(&r->valid_x, &r->valid_y, &r->valid_rows, r, most_valid, arena);
}

double *una_copy_numbers(const double *values, size_t count, una_arena *arena)
{
    double *copy = UNA_GET(arena, double, count);
    if (copy && count) memcpy(copy, values, count * sizeof *copy);
    return copy;
}

una_curve una_copy_curve(una_curve c, una_arena *arena)
{
    return (una_curve){ c.count, una_copy_numbers(c.step, c.count, arena), una_copy_numbers(c.loss, c.count, arena),
                        una_copy_numbers(c.valid_log_lik, c.count, arena), una_copy_numbers(c.mean_cos2, c.count, arena) };
}
