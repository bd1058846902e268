/* SPDX-License-Identifier: MIT
 *
 * From a file to tables. A una_reader yields a file chunk by chunk as small datasets, so that files larger than memory
 * can be predicted and scored.
 */
#pragma once

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

/* The same without learning the types where none are given: for the names, or for a caller who reads all rows anyway. */
una_status una_reader_begin(una_reader **reader, const char *path, const una_wanted *wanted, size_t count,
                            size_t optional_from, una_run *run);

/* Checks every split of a published file (see una_split_read): its rows exist, no row stands twice in a split, and
 * there is a gap for each input (published_splits.c). */
una_status una_splits_check(const char *path, size_t rows, size_t inputs, una_run *run);
