/* SPDX-License-Identifier: MIT
 *
 * How large the cache may become, and what goes first. See cache.h.
 */
#define _XOPEN_SOURCE 700        /* fdopendir */

#include "read/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { DIGITS = 16, NAME = 32 };

typedef struct entry {
    char    name[NAME];
    double  size;
    int64_t seconds, nanoseconds;        /* of its last use */
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

/* Images, and tables, which older versions kept. */
static bool is_ours(const char *name)
{
    if (strspn(name, "0123456789abcdef") != DIGITS || strlen(name) >= NAME) return false;
    return strncmp(name + DIGITS, ".images", 7) == 0 || strncmp(name + DIGITS, ".table", 6) == 0;
}

static bool is_current(int folder, const char *name)
{
    una_cache_kind found;
    if (strcmp(name + DIGITS, ".images") != 0) return false;
    int handle = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (handle < 0) return false;
    bool same = read(handle, &found, sizeof found) == (ssize_t)sizeof found
                && memcmp(&found, &una_cache_images, sizeof found) == 0;
    close(handle);
    return same;
}

static void add_cache_file(entries *all, const char *name, const struct stat *about, una_arena *work)
{
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 64;
        entry *larger = UNA_GET(work, entry, room);
        if (!larger) return;
        if (all->count) memcpy(larger, all->at, all->count * sizeof *larger);
        all->at = larger;
        all->room = room;
    }
    entry *one = &all->at[all->count++];
    *one = (entry){ .size = (double)about->st_size, .seconds = (int64_t)about->st_mtim.tv_sec,
                    .nanoseconds = (int64_t)about->st_mtim.tv_nsec };
    memcpy(one->name, name, strlen(name) + 1);
    all->size += one->size;
}

static void consider_file(entries *all, int folder, const char *name, una_arena *work)
{
    struct stat about;
    if (!is_ours(name) || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(about.st_mode)) return;
    if (is_current(folder, name)) add_cache_file(all, name, &about, work);
    else unlinkat(folder, name, 0);
}

static int by_use(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    if (p->seconds != q->seconds) return p->seconds < q->seconds ? -1 : 1;
    if (p->nanoseconds != q->nanoseconds) return p->nanoseconds < q->nanoseconds ? -1 : 1;
    return strcmp(p->name, q->name);
}

void una_cache_sweep(int folder, una_arena *work)
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
