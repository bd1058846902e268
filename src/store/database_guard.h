/* SPDX-License-Identifier: MIT
 *
 * Which files SQLite may touch. The journal beside an untrusted file can name any other file, which SQLite would look
 * for, open and remove; what lies beside the file can be a link or a pipe. A handle opened here reaches the database,
 * its "-journal", "-wal" and "-shm", and temporary files without a name, and nothing else. It has its own file system
 * layer (a VFS), which SQLite knows only while it opens the file: the one of the host program stays as it was.
 *
 * The schema of a file is a program too: views, triggers, generated columns, indexes on expressions, checks and
 * defaults. una makes none of these. None of them runs here: a file that has one is refused, and the size of a single
 * value is bounded (database_untrusted.c).
 */
#pragma once

#include "store/database.h"

#include <sqlite3.h>

enum { UNA_GUARD_PATH = 1024 };

typedef enum una_guard_reason { UNA_GUARD_NOTHING, UNA_GUARD_NAMED, UNA_GUARD_ODD } una_guard_reason;

typedef struct una_guard {               /* begins as zeros; stays where it is until the handle is closed         */
    sqlite3_vfs      vfs;
    sqlite3_vfs     *under;              /* the VFS of the system                                                 */
    const char      *database;           /* SQLite's own name of the open file; NULL: none is                     */
    una_guard_reason refused;            /* why something failed with SQLITE_PERM                                 */
    char             name[32], beside[UNA_GUARD_PATH];   /* beside: the file that was the reason                  */
} una_guard;

/* As sqlite3_open_v2 and sqlite3_close. One guard is for one file at a time; handles in memory do not count. */
int  una_guard_open(sqlite3 **db, una_guard *guard, const char *path, int flags);
void una_guard_close(una_guard *guard, sqlite3 *db);

/* Fails with UNA_E_INPUT and the reason of the refusal. */
una_status una_guard_fail(const una_guard *guard, const char *path, una_run *run);

/* To be called on a new handle, before it reads anything. */
void una_untrusted_limit(sqlite3 *db, una_run *run);
int  una_untrusted_longest_text(una_run *run);           /* text, in bytes */

/* One row of sqlite_master: type, name, sql. context: the path of the file, for the sentence. A una_sql_row_task. */
una_status una_untrusted_check(void *context, const una_sql_value *cells, size_t count, una_run *run);
