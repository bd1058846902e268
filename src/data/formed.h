/* SPDX-License-Identifier: MIT
 *
 * What reading a file has found out about how it is written: words become numbers and dates, and sentences say so.
 */
#ifndef UNA_FORMED_H
#define UNA_FORMED_H

#include "data/build.h"
#include "data/csv.h"

/* Columns of words [data->columns] whose study finds a form become numbers; of plain numbers, the studies have met what
 * their points leave open or prove. Notes are added to the table; what may be
 * wrong is logged as a warning too. stays: columns that are left as they are. */
una_status una_formed_take(una_dataset *data, const una_form_study *study, const bool *stays, una_run *run);
/* Notes on the file as a whole. */
una_status una_formed_file(una_dataset *data, const una_csv *csv);
/* The row of the first cell of a column of words that is not written as most of the others are, which are numbers or
 * dates; *like is one of these then, and *form theirs. SIZE_MAX: there is no such, or nobody waits for it. */
size_t     una_formed_odd(una_form *form, const char **like, const una_table_column *column, size_t rows,
                          const una_run *run);
/* A warning for dates of this column that may be day first or month first, or for points that may be thousands marks;
 * NULL: there is no doubt. */
const char *una_formed_doubt(const una_form_study *study, const una_form *form, const char *name, una_arena *arena);

#endif
