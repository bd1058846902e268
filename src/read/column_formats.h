/* SPDX-License-Identifier: MIT
 *
 * Applies what reading a file has found out about its cells: words become numbers and dates, and notes report it.
 */
#pragma once

#include "data/build.h"
#include "read/csv.h"

/* Turns columns of words [data->columns] for whose cells a format is found into numbers; for columns of plain numbers
 * the counts hold what their points leave open or prove. Adds notes to the table; logs what may be wrong as a warning
 * too. stays: columns that stay as they are. */
una_status una_column_formats_apply(una_dataset *data, const una_cell_counts *study, const bool *stays, una_run *run);
/* Adds notes on the file as a whole. */
una_status una_column_formats_note_file(una_dataset *data, const una_csv *csv);
/* Why the cells have no common form, as the end of a sentence. */
void una_cell_format_conflict(una_text *text, const una_cell_counts *study);
/* A warning for dates of this column that may be day first or month first, or for points that may be thousands marks;
 * NULL: there is no doubt. */
const char *una_column_formats_doubt(const una_cell_counts *study, const una_cell_format *form, const char *name,
                                     una_arena *arena);
