/* SPDX-License-Identifier: MIT
 *
 * Columns that look like subjects: words or whole numbers, each in several rows, whose rows are alike in the target
 * beyond what the inputs say. With u the errors of out-of-fold rows over their own spread, and sums over pairs i < j of
 * rows of one value,
 *   correlation within = sum u_i u_j / (pairs mean u^2),   error = sqrt(sum u_i^2 u_j^2) / (pairs mean u^2).
 * A column of words that is an input has told the model its values: its errors are those of linear regression without
 * it. Whole numbers that are an input may only fit badly: then neighbouring values are alike too, and subjects are not.
 */
#include "data/codes.h"
#include "diagnose/answer.h"

enum { LEAST_VALUES = 10, LEAST_INPUT_VALUES = 20, LEAST_ROWS_EACH = 3, MOST_COLUMNS = 200 };
static const double LEAST_CORRELATION = 0.1, LEAST_ERRORS = 5, MOST_NEIGHBOURS = 0.4;

typedef struct alike { double within, error, neighbours; size_t values, rows; const char *column; } alike;

typedef struct value_sums { double one, two, four; size_t rows; } value_sums;

/* The correlation of the mean errors of neighbouring values; they are in order. */
static double neighbour_correlation(const value_sums *v, size_t values)
{
    double product = 0, square = 0, before = NAN;
    for (size_t k = 0; k < values; k++) {
        if (v[k].rows == 0) continue;
        double mean = v[k].one / (double)v[k].rows;
        if (!isnan(before)) product += before * mean;
        square += mean * mean;
        before = mean;
    }
    return square > 0 ? product / square : 0;
}

/* code and u [rows], of the held-out rows. */
static una_status measure_alike(alike *a, const uint32_t *code, const double *u, size_t rows, size_t values,
                                una_run *run)
{
    double pairs = 0, product = 0, square = 0, all = 0;
    size_t several = 0;
    UNA_NEW_ROWS(&run->scratch, value_sums, v, values);
    for (size_t i = 0; i < rows; i++) {
        if (code[i] == UNA_NO_CODE) continue;
        value_sums *own = &v[code[i]];
        own->one += u[i], own->two += u[i] * u[i], own->four += pow(u[i], 4);
        own->rows++;
        a->rows++;
        all += u[i] * u[i];
    }
    for (size_t k = 0; k < values; k++) {
        a->values += v[k].rows > 0;
        several += v[k].rows > 1;
        pairs += 0.5 * (double)v[k].rows * ((double)v[k].rows - 1);
        product += 0.5 * (v[k].one * v[k].one - v[k].two);
        square += 0.5 * (v[k].two * v[k].two - v[k].four);
    }
    double scale = pairs * all / (double)a->rows;
    bool enough = several >= LEAST_VALUES && a->rows >= LEAST_ROWS_EACH * a->values;
    if (!enough || !(scale > 0)) return UNA_OK;
    a->within = product / scale;
    a->error = sqrt(fmax(square, 0)) / scale;
    a->neighbours = neighbour_correlation(v, values);
    return UNA_OK;
}

/* Errors of linear regression that does not know the column; *known false: there is none. */
static una_status errors_without(double *u, bool *known, const una_case *c, size_t source, una_run *run)
{
    size_t inputs = c->columns->input_count;
    una_case without = *c;
    UNA_COPY_BYTES_AT(&run->scratch, without.x, c->x, c->rows * inputs * sizeof *c->x);
    for (size_t d = 0; d < inputs; d++)
        for (size_t i = 0; una_columns_input(c->columns, d)->source == source && i < c->rows; i++)
            without.x[i * inputs + d] = 0;
    UNA_TRY(una_reference(u, known, &without, c->y, run));
    for (size_t h = 0; h < c->held->rows; h++) u[h] = c->y[c->at[h]] - u[h];
    return UNA_OK;
}

static size_t source_of(const una_columns *columns, const char *name)
{
    size_t s = 0;
    while (s < columns->source_count && strcmp(columns->sources[s].name, name) != 0) s++;
    return s;
}

static bool may_name_subjects(const una_table_column *column, size_t rows)
{
    if (column->is_text) return true;
    if (column->form.kind != UNA_CELLS_PLAIN) return false;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(column->number[i]) && column->number[i] != floor(column->number[i])) return false;
    return true;
}

static una_status look_at_column(alike *a, const una_case *c, size_t column, const double *error, una_run *run)
{
    const una_table_column *of = &c->data->column[column];
    size_t values, rows = c->held->rows, source = source_of(c->columns, of->name);
    bool known = true, input = source < c->columns->source_count, words = of->is_text && input;
    *a = (alike){ .column = of->name };
    UNA_NEW_ROWS(&run->scratch, uint32_t, code, c->data->rows);
    UNA_NEW_ROWS(&run->scratch, uint32_t, held, rows);
    UNA_NEW_ROWS(&run->scratch, double, u, rows);
    UNA_TRY(una_column_codes(code, &values, c->data, column, run));
    size_t least = words ? LEAST_INPUT_VALUES : LEAST_VALUES;
    if (values < least || LEAST_ROWS_EACH * values > c->data->rows) return UNA_OK;
    for (size_t h = 0; h < rows; h++) held[h] = code[c->held->row[h]];
    if (words) UNA_TRY(errors_without(u, &known, c, source, run));
    UNA_TRY(known ? measure_alike(a, held, words ? u : error, rows, values, run) : UNA_OK);
    if (input && !words && a->neighbours > MOST_NEIGHBOURS) a->within = 0;
    return UNA_OK;
}

static bool are_alike(const alike *a)
{
    return a->within >= LEAST_CORRELATION && a->within >= LEAST_ERRORS * a->error;
}

static void say_alike(una_case *c, const alike *a)
{
    una_case_find(c, UNA_FOUND_GROUPED_ROWS, a->column, "Rows with the same '%.60s' are alike beyond what the other "
                  "columns say: their errors correlate by %s \u00b1 %s (%zu values, about %zu rows each). For a new "
                  "'%.60s' the answers are then less certain than stated; fit again with --group '%.60s', and all "
                  "figures are those of new ones.", a->column, UNA_ROUNDED(a->within, 2), UNA_ROUNDED(a->error, 1),
                  a->values, (a->rows + a->values / 2) / a->values, a->column, a->column);
}

una_status una_find_groups(una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    alike best = { .within = 0 };
    if (c->columns->selection.group || c->images) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, error, h->rows);
    for (size_t i = 0; i < h->rows; i++)
        error[i] = (h->y[i] - h->mean[i]) / hypot(h->std_epistemic[i], h->std_noise[i]);
    for (size_t d = 0; d < c->data->columns && d < MOST_COLUMNS; d++) {
        alike own;
        if (strcmp(c->data->column[d].name, c->columns->target) == 0) continue;
        if (!may_name_subjects(&c->data->column[d], c->data->rows)) continue;
        UNA_SCOPED(run, look_at_column(&own, c, d, error, run));
        if (are_alike(&own) && own.within > best.within) best = own;
    }
    if (best.column) say_alike(c, &best);
    return UNA_OK;
}
