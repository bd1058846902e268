/* SPDX-License-Identifier: MIT
 *
 * A file of SQLite may come from an untrusted source, and its schema is a program: views, triggers, generated columns,
 * indexes on expressions, checks and defaults. una makes none of these. None of them runs here: a file that has one is
 * refused, and the size of a single value is bounded.
 */
#ifndef UNA_DATABASE_UNTRUSTED_H
#define UNA_DATABASE_UNTRUSTED_H

#include "store/database.h"

#include <sqlite3.h>

/* To be called on a new handle, before it reads anything. */
void una_untrusted_limit(sqlite3 *db, una_run *run);
int  una_untrusted_longest_text(una_run *run);           /* text, in bytes */

/* One row of sqlite_master: type, name, sql. context: the path of the file, for the sentence. A una_sql_row_task. */
una_status una_untrusted_check(void *context, const una_sql_value *cells, size_t count, una_run *run);

#endif
