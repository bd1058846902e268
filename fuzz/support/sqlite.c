/* SPDX-License-Identifier: MIT
 *
 * See sqlite.h.
 */
#include "sqlite.h"

#include <sqlite3.h>
#include <stdio.h>

enum { MOST_STEPS = 20000, MOST_STATEMENTS = 32, LONGEST_VALUE = 65536, LONGEST_NAME = 4096 };
enum { AS_JOURNAL, AS_LOG, NAMING, IN_LOG, KINDS };

static const char other_file[] = "other.txt", other_text[] = "nobody may touch this";

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

static const char *beside_path(const char *name, const char *end)
{
    char other[256];
    snprintf(other, sizeof other, "%s%s", name, end);
    return fuzz_path(other);
}

/* ---- statements -------------------------------------------------------------------------------------------- */

static void try_statements(sqlite3 *db, const char *sql)
{
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

static void rewrite(const char *path, const void *bytes, size_t size, fuzz_bytes more)
{
    FILE *stream = fopen(path, "wb");
    FUZZ_CHECK(stream && (!size || fwrite(bytes, 1, size, stream) == size) &&
               (!more.left || fwrite(more.at, 1, more.left, stream) == more.left) && fclose(stream) == 0, "%s", path);
}

/* log: file and log as they are before the handle is closed, as a killed process leaves them. */
static void change(const char *name, const char *sql, bool log, fuzz_bytes more)
{
    sqlite3 *db = NULL;
    size_t sizes[2] = { 0, 0 };
    unsigned char *left[2] = { NULL, NULL };
    if (sqlite3_open_v2(fuzz_path(name), &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
        if (log) sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL);
        try_statements(db, sql);
    }
    if (log) {
        left[0] = fuzz_slurp(fuzz_path(name), &sizes[0]);
        left[1] = fuzz_slurp(beside_path(name, "-wal"), &sizes[1]);
    }
    sqlite3_close(db);
    if (left[0] && left[1]) {
        rewrite(fuzz_path(name), left[0], sizes[0], (fuzz_bytes){ NULL, 0 });
        rewrite(beside_path(name, "-wal"), left[1], sizes[1], more);
    }
    free(left[0]);
    free(left[1]);
}

/* ---- what lies beside -------------------------------------------------------------------------------------- */

static void add_number(unsigned char **at, size_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8) *(*at)++ = (unsigned char)(number >> shift);
}

/* The end of a journal that names the other file, for a database with pages of 4096 bytes. */
static size_t naming(unsigned char end[LONGEST_NAME + 20])
{
    static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    const char *other = fuzz_path(other_file);
    size_t length = strlen(other), sum = 0;
    unsigned char *at = end;
    FUZZ_CHECK(length <= LONGEST_NAME, "a long name: %s", other);
    for (size_t i = 0; i < length; i++) sum += (unsigned char)other[i];
    add_number(&at, 0x40000000 / 4096 + 1);
    memcpy(at, other, length);
    at += length;
    add_number(&at, length);
    add_number(&at, sum);
    memcpy(at, magic, sizeof magic);
    return (size_t)(at - end) + sizeof magic;
}

static void put_beside(const char *name, int kind, fuzz_bytes given)
{
    unsigned char end[LONGEST_NAME + 20];
    fuzz_bytes more = { end, kind == NAMING ? naming(end) : 0 };
    rewrite(beside_path(name, kind == AS_LOG ? "-wal" : "-journal"), given.at, given.left, more);
}

const char *fuzz_database(const char *name, const void *bytes, size_t size, const char *sql, fuzz_bytes beside)
{
    static const char *const ends[] = { "-journal", "-wal", "-shm" };
    bool any = beside.left > 0;
    int kind = any ? fuzz_first(&beside) % KINDS : AS_JOURNAL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) remove(beside_path(name, ends[i]));
    fuzz_file(other_file, other_text, sizeof other_text);
    fuzz_file(name, bytes, size);
    if (sql && *sql) change(name, sql, any && kind == IN_LOG, beside);
    if (any && kind != IN_LOG) put_beside(name, kind, beside);
    return fuzz_path(name);
}

void fuzz_database_kept(void)
{
    size_t size = 0;
    unsigned char *text = fuzz_slurp(fuzz_path(other_file), &size);
    FUZZ_CHECK(text && size == sizeof other_text && memcmp(text, other_text, size) == 0, "another file was touched");
    free(text);
}
