/* SPDX-License-Identifier: MIT
 *
 * Inside of the reader, for una_dataset_read: a file of unknown column types is read once, and a second time only
 * if a column turned out to be text below its first row.
 */
#ifndef UNA_READ_H
#define UNA_READ_H

#include "data/table.h"

/* Opens without wanted columns and without knowing their types. */
una_status una_reader_begin(una_reader **reader, const char *path, una_run *run);
/* Next rows; *again says that a column was found to be text too late: the chunk is of no use, and the rest of
 * the file should be read (to learn of other columns) before una_reader_rewind. Infinities in columns of numbers
 * are only remembered: una_reader_finite refuses them when the types are known. */
una_status una_reader_fill(una_dataset **chunk, bool *again, una_reader *reader, size_t max_rows);
una_status una_reader_finite(const una_reader *reader);
una_status una_reader_rewind(una_reader *reader);
/* When all rows have been read into one table: columns of words that are numbers or dates in some form become numbers,
 * and the table's notes say how the file is written. */
una_status una_reader_take_forms(una_reader *reader, una_dataset *data);
/* When all rows have been read: does the file prove decimal commas, and has columns of nothing but such as 1.234, which
 * are thousands then? If so, and if that was not known, it must be read once more. */
bool       una_reader_learns_commas(una_reader *reader);
/* From now on only one row in `parts` is kept, that of number `part` (from 0) and those after it. All are parsed: the
 * types of the columns are those of the whole file, and what is wrong in any row is an error. */
void       una_reader_part(una_reader *reader, size_t part, size_t parts);

#endif
