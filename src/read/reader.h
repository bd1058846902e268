/* SPDX-License-Identifier: MIT
 *
 * From a file to tables. A una_reader yields a file chunk by chunk as small datasets, so that files larger than memory
 * can be predicted and scored.
 */
#ifndef UNA_READER_H
#define UNA_READER_H

#include "data/table.h"

typedef struct una_reader una_reader;
/* Opens CSV, TSV, .gz or NPY by name. With `wanted` (count > 0), only these columns are parsed, in this order,
 * a missing one is an error that names it (columns with `optional` from index optional_from on may be absent:
 * then absent from the chunks too), a numeric one that holds a word is an error with line and column. Numbers may be
 * written in any form that suits their column: where one is not plain, the whole file is looked through for it. */
una_status una_reader_open(una_reader **reader, const char *path, const una_wanted *wanted, size_t count,
                           size_t optional_from, una_run *run);
/* The next rows, at most max_rows; *chunk NULL at the end. Free each with una_dataset_free. */
una_status una_reader_next(una_dataset **chunk, una_reader *reader, size_t max_rows);
/* Header as it stands in the file; raw text of the rows of the last chunk for --keep (cells as read, unparsed), which
 * needs una_reader_keep before the first next. */
size_t      una_reader_columns(const una_reader *reader);
const char *una_reader_name(const una_reader *reader, size_t column);
const char *una_reader_cell(const una_reader *reader, size_t row_in_chunk, size_t column);
bool        una_reader_quoted(const una_reader *reader, size_t row_in_chunk, size_t column);   /* that cell was */
void        una_reader_keep(una_reader *reader);
void        una_reader_close(una_reader *reader);

/* ---- for una_dataset_read: a file of unknown column types is read once, and a second time only if a column turned out
 * to be text below its first row ------------------------------------------------------------------------------- */

/* Opens without wanted columns and without knowing their types. */
una_status una_reader_begin(una_reader **reader, const char *path, una_run *run);
/* Next rows; *again says that a column was found to be text too late: the chunk is of no use, and the rest of
 * the file should be read (to learn of other columns) before una_reader_rewind. Infinities in columns of numbers
 * are only remembered: una_reader_finite refuses them when the types are known. */
una_status una_reader_fill(una_dataset **chunk, bool *again, una_reader *reader, size_t max_rows);
una_status una_reader_finite(const una_reader *reader);
una_status una_reader_rewind(una_reader *reader);
/* After all rows: columns of words that are numbers or dates in some format become numbers, and the notes of the table
 * report how the file is written. */
una_status una_reader_apply_formats(una_reader *reader, una_dataset *data);
/* After all rows: whether the file proves decimal commas and has columns of nothing but cells such as 1.234, which are
 * thousands then. If so, and if that was not known before, the file must be read once more. */
bool       una_reader_found_commas(una_reader *reader);
/* From now on only row `part` (from 0) of each `parts` rows is kept. All are parsed: the types of the columns are those
 * of the whole file, and an error in any row is an error. */
void       una_reader_part(una_reader *reader, size_t part, size_t parts);

/* Checks every split of a published file (see una_split_read): its rows exist, no row stands twice in a split, and
 * there is a gap for each input (published_splits.c). */
una_status una_splits_check(const char *path, size_t rows, size_t inputs, una_run *run);

#endif
