/* SPDX-License-Identifier: MIT
 *
 * Files of the cache. The name comes from the data file's path alone, so that a new version of the data replaces the
 * old one here too. A data file is known by its key: size, inode, device and times.
 *
 * Sums are no proof against somebody who writes images of his own with the right sums. So nothing is believed that
 * another user may have written: folder and file are opened without following links, and what is open must belong to
 * this user, with no right to write for anybody else.
 */
#define _XOPEN_SOURCE 700        /* realpath, fdopendir */

#include "read/cache.h"

#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#ifdef PATH_MAX
_Static_assert(UNA_CACHE_PATH >= PATH_MAX, "realpath needs this room");
#endif

enum { MOST = 1 << 24 };                 /* bytes written at once */

const una_cache_kind una_cache_images = { { 'u', 'n', 'a', 'i', 'm', 'a', 'g', 'e' }, 2, 0x01020304 };

/* ---- where --------------------------------------------------------------------------------------------- */

static bool joined(char to[UNA_CACHE_PATH], const char *folder, const char *name)
{
    int length = snprintf(to, UNA_CACHE_PATH, "%s/%s", folder, name);
    return length > 0 && length < UNA_CACHE_PATH;
}

bool una_cache_find(una_cache_place *p, const char *path)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char name[64], above[UNA_CACHE_PATH];
    if (!realpath(path, p->path)) return false;

    if (base && base[0] == '/') {
        if (!joined(above, base, "")) return false;
    } else if (!home || home[0] != '/' || !joined(above, home, ".cache")) {
        return false;
    }
    if (!joined(p->folder, above, "una")) return false;

    uint64_t hash = UINT64_C(14695981039346656037);              /* FNV-1a */
    for (const char *c = p->path; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    snprintf(name, sizeof name, "%016llx.images", (unsigned long long)hash);
    return joined(p->file, p->folder, name);
}

static una_cache_key key_of(const struct stat *about)
{
    return (una_cache_key){ (uint64_t)about->st_size, (uint64_t)about->st_ino, (uint64_t)about->st_dev,
                            (int64_t)about->st_mtim.tv_sec, (int64_t)about->st_mtim.tv_nsec,
                            (int64_t)about->st_ctim.tv_sec, (int64_t)about->st_ctim.tv_nsec };
}

una_cache_key una_cache_key_of(const char *path, const una_run *run)
{
    struct stat about;
    bool kept = !run->settings.no_cache && sizeof(size_t) == 8 && stat(path, &about) == 0 && S_ISREG(about.st_mode)
                && about.st_size >= UNA_CACHE_LEAST;
    return kept ? key_of(&about) : (una_cache_key){0};
}

/* ---- whose --------------------------------------------------------------------------------------------- */

/* Checks what was opened; negative: it is not there; or there, but a link, or not this user's alone. */
static int own_handle(int handle, bool folder, bool *foreign)
{
    struct stat about;
    if (handle < 0) {
        *foreign = folder ? errno == ELOOP || errno == ENOTDIR : errno != ENOENT;
        return handle;
    }
    *foreign = fstat(handle, &about) != 0 || !(folder || S_ISREG(about.st_mode)) || about.st_uid != geteuid() ||
               about.st_mode & (S_IWGRP | S_IWOTH);
    if (!*foreign) return handle;
    close(handle);
    return -1;
}

static int open_folder(const una_cache_place *p, bool *foreign)
{
    return own_handle(open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), true, foreign);
}

int una_cache_open(const una_cache_place *p, una_run *run)
{
    enum { HOW = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW };
    bool strange_folder, strange = false;
    int folder = open_folder(p, &strange_folder), handle = -1;
    if (folder >= 0) handle = own_handle(openat(folder, strrchr(p->file, '/') + 1, HOW), false, &strange);
    if (folder >= 0) close(folder);
    if (strange_folder)
        una_log(run, UNA_LOG_NOTE, "the cache %.500s is not used: it is not a folder that belongs to this user and "
                "that nobody else may write to; mend it with chmod 700, or name another with XDG_CACHE_HOME",
                p->folder);
    else if (strange)
        una_log(run, UNA_LOG_NOTE, "%.500s was not believed: it is not a file that belongs to this user and that "
                "nobody else may write to; %.300s is unpacked anew", p->file, p->path);
    return handle;
}

void una_cache_used(int handle)
{
    futimens(handle, NULL);                                      /* times of access are often not kept */
}

/* ---- how large, and what goes first ---------------------------------------------------------------------- */

enum { DIGITS = 16, NAME = 32 };

typedef struct entry {
    char    name[NAME];
    double  size;
    struct timespec used;                /* last */
} entry;

typedef struct entries {
    entry  *at;
    size_t  count, room;
    double  size;
} entries;

double una_cache_most(double left)
{
    const char *given = getenv("UNA_CACHE_LIMIT"), *units = "kMGT", *unit;
    size_t length = given ? strlen(given) : 0;
    double most = 0, factor = 1;
    if (length > 0 && (unit = strchr(units, given[length - 1]))) {
        length--;
        for (ptrdiff_t i = 0; i <= unit - units; i++) factor *= 1000;
    }
    if (length > 0 && una_parse_number(given, length, &most) && most >= 0) return most * factor;
    return fmin(2e9, left / 10);
}

/* Images, and tables, which older versions kept. What is not of this version goes. */
static void consider_file(entries *all, int folder, const char *name, una_arena *work)
{
    struct stat about;
    una_cache_kind found;
    bool ours = strspn(name, "0123456789abcdef") == DIGITS && strlen(name) < NAME &&
                (strncmp(name + DIGITS, ".images", 7) == 0 || strncmp(name + DIGITS, ".table", 6) == 0);
    if (!ours || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(about.st_mode)) return;
    int handle = strcmp(name + DIGITS, ".images") != 0 ? -1
                 : openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    bool current = handle >= 0 && read(handle, &found, sizeof found) == (ssize_t)sizeof found &&
                   memcmp(&found, &una_cache_images, sizeof found) == 0;
    if (handle >= 0) close(handle);
    if (!current) {
        unlinkat(folder, name, 0);
        return;
    }

    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 64;
        entry *larger = UNA_GET(work, entry, room);
        if (!larger) return;
        if (all->count) memcpy(larger, all->at, all->count * sizeof *larger);
        all->at = larger;
        all->room = room;
    }
    entry *one = &all->at[all->count++];
    *one = (entry){ .size = (double)about.st_size, .used = about.st_mtim };
    memcpy(one->name, name, strlen(name) + 1);
    all->size += one->size;
}

static int by_use(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->used.tv_sec != q->used.tv_sec) return p->used.tv_sec < q->used.tv_sec ? -1 : 1;
    if (p->used.tv_nsec != q->used.tv_nsec) return p->used.tv_nsec < q->used.tv_nsec ? -1 : 1;
    return strcmp(p->name, q->name);
}

/* Removes files of other versions and then, as long as they are too much, the one that was not used for longest. A file
 * that is open or mapped stays with those who have it: a name is taken away, and bytes go when their last user does. */
static void sweep_cache(int folder, una_arena *work)
{
    struct statvfs room;
    entries all = { .at = NULL };
    una_mark mark = una_arena_mark(work);
    int twin = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *open = twin >= 0 ? fdopendir(twin) : NULL;
    if (!open && twin >= 0) close(twin);
    for (const struct dirent *one; open && (one = readdir(open));) consider_file(&all, folder, one->d_name, work);
    if (open) closedir(open);

    double most = una_cache_most(fstatvfs(folder, &room) == 0 ? (double)room.f_bavail * (double)room.f_frsize : 0);
    if (all.count) qsort(all.at, all.count, sizeof *all.at, by_use);
    for (size_t i = 0; i < all.count && all.size > most; i++)
        if (unlinkat(folder, all.at[i].name, 0) == 0) all.size -= all.at[i].size;
    una_arena_release(work, mark);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

bool una_cache_put(int handle, const void *from, size_t size, const una_run *run)
{
    for (const char *at = from; size > 0;) {
        if (una_cancelled(run)) return false;
        ssize_t put = write(handle, at, size < MOST ? size : MOST);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Is there a folder of this user's, and room without filling the disk up? */
static bool has_room(const una_cache_place *p, double size)
{
    struct statvfs about;
    bool foreign;
    int folder = open_folder(p, &foreign);
    bool known = folder >= 0 && fstatvfs(folder, &about) == 0;
    if (folder >= 0) close(folder);
    if (!known) return false;
    double left = (double)about.f_bavail * (double)about.f_frsize;
    return left > 4 * size && size <= una_cache_most(left);
}

bool una_cache_begin(una_cache_writer *w, const char *path, const una_cache_key *key, double size)
{
    struct stat about;
    struct timespec now;
    if (key->size == 0 || stat(path, &about) != 0) return false;
    una_cache_key found = key_of(&about);
    /* A file written just now might be written again without its time changing: clocks of file systems are coarse. */
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - key->changed) + 1e-9 * (double)(now.tv_nsec - key->changed_ns);
    bool settled = age > (key->changed_ns == 0 ? 3 : 0.1);
    if (!settled || memcmp(&found, key, sizeof found) != 0 || !una_cache_find(&w->place, path)) return false;

    char *slash = strrchr(w->place.folder, '/');
    *slash = 0;
    mkdir(w->place.folder, 0700);                                /* where it cannot be made, opening fails */
    *slash = '/';
    mkdir(w->place.folder, 0700);
    if (!has_room(&w->place, size)) return false;
    w->handle = una_temporary_open(w->temporary, w->place.folder, 0600);
    return w->handle >= 0;
}

/* The name goes over to the new file before its handle is closed: with it goes the lock on the temporary. */
void una_cache_end(una_cache_writer *w, bool good, una_run *run)
{
    good = good && rename(w->temporary, w->place.file) == 0;
    if (!good) unlink(w->temporary);
    close(w->handle);
    bool foreign;
    int folder = good ? open_folder(&w->place, &foreign) : -1;
    if (folder >= 0) sweep_cache(folder, &run->scratch);
    if (folder >= 0) close(folder);
    una_clear_message(run);                                      /* of memory that was not there */
}
