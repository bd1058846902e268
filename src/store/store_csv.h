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
#pragma once

#include "store/store.h"

typedef struct una_row_table {           /* a file, and what it holds                                       */
    const char        *study;            /* and its variants                                                */
    const char *const *measures;         /* NULL: any                                                       */
    size_t             measure_count;
    const char        *path;
} una_row_table;

/* Writes all rows of a study and its variants: the whole file or nothing. *count (may be NULL): their number. */
una_status una_store_export(una_store *store, const una_row_table *table, size_t *count, una_run *run);
/* UNA_E_INPUT if the path exists and is not a regular file: reading a pipe would block, and empties it. */
una_status una_store_check_csv(const char *path, una_run *run);
/* Adds rows that the store lacks; existing rows stay as they are. All or none: UNA_E_INPUT names a line that is not a
 * complete row of this study, or contradicts another line or the store (una_store_put). *count: rows in the file;
 * *added: new ones. Columns that are not among the measures are kept, with a warning. */
una_status una_store_import(una_store *store, const una_row_table *table, size_t *count, size_t *added, una_run *run);
