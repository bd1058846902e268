/* SPDX-License-Identifier: MIT
 *
 * Internals of the reader, for una_dataset_read: a file of unknown column types is read once, and a second time only if
 * a column turned out to be text below its first row.
 */
#ifndef UNA_READER_H
#define UNA_READER_H

#include "data/table.h"

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

#endif
