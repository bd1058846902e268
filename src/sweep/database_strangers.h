/* SPDX-License-Identifier: MIT
 *
 * A file of SQLite may be a stranger's, and its schema is a program: views, triggers, columns and indexes that are
 * computed, checks and defaults. una makes none of them. None of them runs here, a file that has one is refused, and
 * what one value of a file may take is bounded.
 */
#ifndef UNA_DATABASE_STRANGERS_H
#define UNA_DATABASE_STRANGERS_H

#include "sweep/database.h"

#include <sqlite3.h>

/* Of a new handle, before it reads anything. */
void una_strangers_bound(sqlite3 *db, una_run *run);
int  una_strangers_longest(una_run *run);                /* text, in bytes */

/* One row of sqlite_master: type, name, sql. context: the path of the file, for the sentence. A una_record_task. */
una_status una_strangers_check(void *context, const una_cell *cells, size_t count, una_run *run);

#endif
