/* SPDX-License-Identifier: MIT
 *
 * Rows to and from CSV, one line per fit: what a repository keeps, people read and other programs plot.
 *
 *   study,data,split,spec,seed,results,MEASURE,...,seconds,kernels,commit,options
 *
 * Measures stand in the order asked for, then others that rows have besides; "nan" is a value, an empty cell means that
 * a row has no such measure. Texts are quoted. Numbers read back to the same double. The last cell is a quoted text, so
 * a line that was cut anywhere is one cell short or has an open quote: it cannot pass for a whole one.
 */
#ifndef UNA_ROWS_H
#define UNA_ROWS_H

#include "sweep/store.h"

/* All rows of a study and its variants, the whole file or none of it. */
una_status una_rows_export(una_store *store, const char *study, const char *const *measures, size_t measure_count,
                           const char *path, size_t *count, una_run *run);
/* UNA_E_INPUT for what is there and no plain file: a pipe would be waited for, and is gone when it has been read. */
una_status una_rows_check(const char *path, una_run *run);
/* Takes in rows that the store does not have; those it has stay as they are. All or none: a line that is not a whole
 * row of this study, or contradicts another line or the store (una_store_put), is UNA_E_INPUT and named. *count: rows
 * in the file, *added: those that were new. Columns that are none of the measures (NULL: any may be) are kept,
 * with a warning. */
una_status una_rows_import(una_store *store, const char *study, const char *const *measures, size_t measure_count,
                           const char *path, size_t *count, size_t *added, una_run *run);

#endif
