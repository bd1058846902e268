/* SPDX-License-Identifier: MIT
 *
 * See sqlite.h.
 */
#include "sqlite.h"

#include <sqlite3.h>
#include <stdio.h>

enum { MOST_STEPS = 20000, MOST_STATEMENTS = 32, LONGEST_VALUE = 65536 };

/* Other files are out of bounds. */
static int may(void *context, int what, const char *first, const char *second, const char *third, const char *fourth)
{
    (void)context;
    (void)second;
    (void)third;
    (void)fourth;
    bool folder = what == SQLITE_PRAGMA && first && strstr(first, "directory");
    return what == SQLITE_ATTACH || what == SQLITE_DETACH || folder ? SQLITE_DENY : SQLITE_OK;
}

static int stop(void *context)
{
    (void)context;
    return 1;
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        sqlite3_set_authorizer(db, may, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
        sqlite3_progress_handler(db, MOST_STEPS, stop, NULL);
        for (int i = 0; *sql && i < MOST_STATEMENTS; i++) {
            sqlite3_stmt *statement = NULL;
            const char *rest = sql + strlen(sql);
            if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) == SQLITE_OK && statement)
                while (sqlite3_step(statement) == SQLITE_ROW) {}
            sqlite3_finalize(statement);
            if (!rest || rest == sql) break;
            sql = rest;
        }
    }
    sqlite3_close(db);
}

const char *fuzz_database(const char *name, const void *bytes, size_t size, const char *sql)
{
    static const char *const beside[] = { "-journal", "-wal", "-shm" };
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char other[256];
        snprintf(other, sizeof other, "%s%s", name, beside[i]);
        remove(fuzz_path(other));
    }
    const char *path = fuzz_file(name, bytes, size);
    if (sql && *sql) change(path, sql);
    return path;
}
