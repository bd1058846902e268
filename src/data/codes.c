/* SPDX-License-Identifier: MIT
 *
 * Cells of a column as numbers, by their order. See codes.h.
 */
#include "data/codes.h"

typedef struct cell { double number; const char *word; uint32_t row; } cell;

static int compare_cells(const cell *a, const cell *b)
{
    if (a->word && b->word) return strcmp(a->word, b->word);
    return (a->number > b->number) - (a->number < b->number);
}

static int by_cell(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    int order = compare_cells(x, y);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

una_status una_column_codes(uint32_t *code, size_t *count, const una_dataset *data, size_t column, una_run *run)
{
    const una_table_column *of = &data->column[column];
    size_t there = 0;
    UNA_NEW_ROWS(&run->scratch, cell, cells, data->rows);
    for (size_t i = 0; i < data->rows; i++) {
        code[i] = UNA_NO_CODE;
        if (of->is_text ? !of->word[i] : isnan(of->number[i])) continue;
        cells[there++] = (cell){ of->is_text ? 0 : of->number[i], of->is_text ? of->word[i] : NULL, (uint32_t)i };
    }
    qsort(cells, there, sizeof *cells, by_cell);
    *count = 0;
    for (size_t i = 0; i < there; i++) {
        if (i == 0 || compare_cells(&cells[i - 1], &cells[i]) != 0) ++*count;
        code[cells[i].row] = (uint32_t)(*count - 1);
    }
    return UNA_OK;
}

una_status una_column_need_codes(uint32_t *code, size_t *count, const char *flag, const una_dataset *data,
                                 size_t column, una_run *run)
{
    UNA_SCOPED(run, una_column_codes(code, count, data, column, run));
    for (size_t i = 0; i < data->rows; i++) {
        if (code[i] != UNA_NO_CODE) continue;
        una_text place = una_text_in(&run->scratch);
        una_table_place(&place, data, i, column);
        UNA_FAIL(run, UNA_E_INPUT, "%s: the cell is missing, and every row needs its %s; fill it in, or leave such "
                 "rows out (--missing drop)", place.at ? place.at : data->origin, flag);
    }
    return UNA_OK;
}
