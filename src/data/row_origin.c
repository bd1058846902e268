/* SPDX-License-Identifier: MIT
 *
 * Where the rows of a table come from: file, row and line, whichever rows were left out. Sentences name rows by these.
 */
#include "data/table.h"

una_table_source una_table_source_of(const una_dataset *data, size_t row)
{
    if (data->source) return data->source[data->from[row]];
    return (una_table_source){ data->origin, data->line ? data->unit : "row",
                               data->all_rows ? data->all_rows : data->rows };
}

size_t una_table_line(const una_dataset *data, size_t row)
{
    return strcmp(una_table_source_of(data, row).unit, "line") == 0 ? data->line[row] : 0;
}

size_t una_table_number(const una_dataset *data, size_t row)
{
    if (data->number) return data->number[row];
    if (data->line && una_table_line(data, row) == 0) return data->line[row];
    return data->first_row + row * data->row_step + 1;
}

size_t una_dataset_row_number(const una_dataset *data, size_t row)
{
    return row < data->rows ? una_table_number(data, row) : 0;
}

/* "line 17" */
static void add_place(una_text *text, const una_dataset *data, size_t row)
{
    size_t line = una_table_line(data, row);
    una_text_add(text, "%s %zu", line ? "line" : "row", line ? line : una_table_number(data, row));
}

void una_table_row(una_text *text, const una_dataset *data, size_t row)
{
    if (data->source) una_text_add(text, "%.200s, ", una_table_source_of(data, row).origin);
    add_place(text, data, row);
}

void una_table_place(una_text *text, const una_dataset *data, size_t row, size_t column)
{
    una_text_add(text, "%.200s, ", una_table_source_of(data, row).origin);
    add_place(text, data, row);
    una_text_add(text, ", column '%.60s'", data->column[column].name);
}

const char *una_table_place_in(una_arena *arena, const una_dataset *data, size_t row, size_t column)
{
    una_text text = una_text_in(arena);
    una_table_place(&text, data, row, column);
    return text.at;
}

/* ---- rows that a model is asked about ------------------------------------------------------------------------ */

static void name_row(char *text, size_t room, const una_row_namer *rows, size_t row)
{
    const una_table_row_namer *asked = (const una_table_row_namer *)(const void *)rows;
    size_t at = asked->kept ? asked->kept[row] : row;
    una_table_source source = una_table_source_of(asked->data, at);
    size_t line = una_table_line(asked->data, at);
    bool array = strcmp(source.origin, "array") == 0;
    una_write_text(text, room, "%.200s%s%s %zu", array ? "" : source.origin, array ? "" : ", ", line ? "line" : "row",
                   line ? line : una_table_number(asked->data, at));
}

void una_table_name_rows(una_table_row_namer *asked, const una_dataset *data, const size_t *kept, una_run *run)
{
    *asked = (una_table_row_namer){ { name_row }, data, kept, run->rows, run->first_row };
    run->rows = &asked->named;
    run->first_row = 0;
}

void una_table_name_rows_end(const una_table_row_namer *asked, una_run *run)
{
    run->rows = asked->before;
    run->first_row = asked->first_before;
}
