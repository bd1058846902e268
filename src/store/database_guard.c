/* SPDX-License-Identifier: MIT
 *
 * See database_guard.h. Refusals are SQLITE_PERM, which nothing else in SQLite gives: it comes back as it is, before a
 * page of the file was changed. A journal that names another file is not passed over either: what it would put back may
 * be a half of somebody's transaction.
 */
#include "store/database_guard.h"

#include <sys/stat.h>

/* The layer is a copy of the system's, and the first thing in its guard. */
static una_guard *guard_of(sqlite3_vfs *vfs)
{
    return (una_guard *)vfs;
}

static int guard_refuse(una_guard *g, una_guard_reason reason, const char *beside)
{
    g->refused = reason;
    snprintf(g->beside, sizeof g->beside, "%s", beside ? beside : "");
    return SQLITE_PERM;
}

/* SQLite asks for another name only where the journal gives one. */
static int refuse_name(una_guard *g)
{
    return guard_refuse(g, UNA_GUARD_NAMED, g->database ? sqlite3_filename_journal(g->database) : NULL);
}

static bool is_beside(const una_guard *g, const char *name)
{
    return g->database && (strcmp(name, sqlite3_filename_journal(g->database)) == 0 ||
                           strcmp(name, sqlite3_filename_wal(g->database)) == 0);
}

/* A pipe would be waited for, and a link leads elsewhere. */
static bool is_odd(const char *name)
{
    struct stat about;
    return lstat(name, &about) == 0 && !S_ISREG(about.st_mode);
}

/* ---- what is looked at --------------------------------------------------------------------------------------- */

static int open_main(una_guard *g, const char *name, sqlite3_file *file, int flags, int *given)
{
    int code = g->under->xOpen(g->under, name, file, flags, given);
    g->database = code == SQLITE_OK ? name : NULL;
    return code;
}

static int guard_open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    una_guard *g = guard_of(vfs);
    file->pMethods = NULL;
    if (name && (flags & SQLITE_OPEN_MAIN_DB)) return open_main(g, name, file, flags, given);
    if (name && ((flags & SQLITE_OPEN_SUPER_JOURNAL) || !is_beside(g, name))) return refuse_name(g);
    if (name && is_odd(name)) return guard_refuse(g, UNA_GUARD_ODD, name);
    return g->under->xOpen(g->under, name, file, flags, given);
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    una_guard *g = guard_of(vfs);
    return is_beside(g, name) ? g->under->xDelete(g->under, name, sync) : refuse_name(g);
}

static int guard_access(sqlite3_vfs *vfs, const char *name, int flags, int *found)
{
    una_guard *g = guard_of(vfs);
    return is_beside(g, name) ? g->under->xAccess(g->under, name, flags, found) : refuse_name(g);
}

/* Nothing is loaded into the process. */
static void *open_library(sqlite3_vfs *vfs, const char *name)
{
    (void)vfs;
    (void)name;
    return NULL;
}

static void library_error(sqlite3_vfs *vfs, int room, char *text)
{
    (void)vfs;
    if (room > 0) snprintf(text, (size_t)room, "libraries are not loaded");
}

/* ---- handles ------------------------------------------------------------------------------------------------- */

int una_guard_open(sqlite3 **db, una_guard *g, const char *path, int flags)
{
    *db = NULL;
    g->under = sqlite3_vfs_find(NULL);
    if (!g->under) return SQLITE_ERROR;
    snprintf(g->name, sizeof g->name, "una-%p", (void *)g);
    g->vfs = *g->under;
    g->vfs.iVersion = 1;                                 /* what newer versions can do besides is not asked for */
    g->vfs.zName = g->name;
    g->vfs.xOpen = guard_open_file;
    g->vfs.xDelete = delete_file;
    g->vfs.xAccess = guard_access;
    g->vfs.xDlOpen = open_library;
    g->vfs.xDlError = library_error;
    g->refused = UNA_GUARD_NOTHING;
    int code = sqlite3_vfs_register(&g->vfs, 0);
    if (code != SQLITE_OK) return code;
    code = sqlite3_open_v2(path, db, flags, g->name);
    sqlite3_vfs_unregister(&g->vfs);                     /* the handle has found it */
    return code;
}

void una_guard_close(una_guard *g, sqlite3 *db)
{
    sqlite3_close(db);
    g->database = NULL;
}

una_status una_guard_fail(const una_guard *g, const char *path, una_run *run)
{
    if (g->refused == UNA_GUARD_ODD)
        UNA_FAIL(run, UNA_E_INPUT, "%s is not an ordinary file but a link, a pipe or the like, and was left alone; if "
                 "you trust %s, remove that and try again", g->beside, path);
    UNA_FAIL(run, UNA_E_INPUT, "%s names another file, which no journal of una's does; nothing was changed. Take %s "
             "without it from whoever wrote it; if it is yours and you trust it, remove that journal and try again",
             g->beside, path);
}
