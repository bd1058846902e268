/* SPDX-License-Identifier: MIT
 *
 * Numbers and words as codes. See tree.h.
 */
#include "tree/tree.h"

enum { MOST_EDGES = UNA_TREE_CODES - 3, MOST_SORTED = 200000 };

static bool is_missing(const una_tree_column *column, const double *x)
{
    return column->missing != SIZE_MAX && x[column->missing] > 0;
}

/* The values of a column that are there, sorted; of very many rows, evenly spaced ones. */
static size_t sorted_values(double *value, const una_tree_column *column, una_view x)
{
    size_t step = x.rows / MOST_SORTED + 1, count = 0;
    for (size_t i = 0; i < x.rows; i += step) {
        const double *row = x.at + i * x.stride;
        if (!is_missing(column, row)) value[count++] = row[column->input];
    }
    qsort(value, count, sizeof *value, una_by_number);
    return count;
}

static double between(double low, double high)
{
    double middle = low + (high - low) / 2;
    return middle < high ? middle : low;                 /* neighbours among doubles: the edge is the lower one */
}

/* Between all values, or, where there are too many, about as many rows apart. */
static void set_edges(una_tree_column *column, const double *value, size_t count)
{
    size_t different = count > 0;
    for (size_t i = 1; i < count; i++) different += value[i] > value[i - 1];
    double apart = different <= MOST_EDGES + 1 ? 0 : (double)count / (MOST_EDGES + 1), next = apart;
    for (size_t i = 1; i < count && column->edges < MOST_EDGES; i++) {
        if (!(value[i] > value[i - 1]) || (double)i < next) continue;
        column->edge[column->edges++] = between(value[i - 1], value[i]);
        while (apart > 0 && next <= (double)i) next += apart;
    }
}

static una_status learn_numbers(una_tree_column *column, una_view x, una_arena *keep, una_run *run)
{
    UNA_NEW_AT(keep, column->edge, MOST_EDGES);
    UNA_NEW_ROWS(&run->scratch, double, value, x.rows);
    set_edges(column, value, sorted_values(value, column, x));
    return UNA_OK;
}

/* One for the words of a text column, and one for each number of another. */
static void list_columns(una_tree_coding *coding, const una_columns *of)
{
    for (size_t d = 0; d < of->input_count;) {
        const una_source *source = &of->sources[of->inputs[d].source];
        size_t end = d;
        while (end < of->input_count && of->inputs[end].source == of->inputs[d].source) end++;
        size_t missing = source->has_missing_indicator ? end - 1 : SIZE_MAX;
        if (source->is_text)
            coding->column[coding->columns++] = (una_tree_column){ .input = d, .words = end - d, .missing = SIZE_MAX };
        for (size_t i = d; !source->is_text && i < end; i++)
            if (i != missing)
                coding->column[coding->columns++] = (una_tree_column){ .input = i, .missing = missing };
        d = end;
    }
}

una_status una_tree_coding_learn(una_tree_coding *coding, const una_columns *columns, una_view x, una_arena *keep,
                                 una_run *run)
{
    *coding = (una_tree_coding){0};
    UNA_NEW_AT(keep, coding->column, columns->input_count);
    list_columns(coding, columns);
    for (size_t c = 0; c < coding->columns; c++)
        if (!coding->column[c].words) UNA_SCOPED(run, learn_numbers(&coding->column[c], x, keep, run));
    return UNA_OK;
}

static unsigned char code_of_word(const una_tree_column *column, const double *x)
{
    for (size_t k = 0; k < column->words; k++)
        if (x[column->input + k] > 0) return (unsigned char)(1 + k);
    return 0;
}

static unsigned char code_of_number(const una_tree_column *column, const double *x)
{
    double value = x[column->input];
    if (is_missing(column, x)) return 0;
    size_t low = 0, high = column->edges;
    while (low < high) {                                 /* edges below `value` */
        size_t middle = (low + high) / 2;
        if (column->edge[middle] < value) low = middle + 1;
        else high = middle;
    }
    return (unsigned char)(1 + low);
}

void una_tree_code(const una_tree_coding *coding, const double *x, unsigned char *code)
{
    for (size_t c = 0; c < coding->columns; c++) {
        const una_tree_column *column = &coding->column[c];
        code[c] = column->words ? code_of_word(column, x) : code_of_number(column, x);
    }
}

una_status una_tree_rows_take(una_tree_rows *rows, const una_tree_coding *coding, una_view x, const double *y,
                              una_arena *arena, una_run *run)
{
    UNA_NEW(&run->scratch, unsigned char, one, coding->columns);
    *rows = (una_tree_rows){ .rows = x.rows, .y = y };
    UNA_NEW_ROWS_AT(arena, rows->code, x.rows * coding->columns);
    for (size_t i = 0; i < x.rows; i++) {
        una_tree_code(coding, x.at + i * x.stride, one);
        for (size_t c = 0; c < coding->columns; c++) rows->code[c * x.rows + i] = one[c];
    }
    return UNA_OK;
}
