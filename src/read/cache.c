/* SPDX-License-Identifier: MIT
 *
 * Files of the cache. The name comes from the data file's path alone, so that a new version of the data replaces the
 * old one here too. A data file is known by its key: size, inode, device and times.
 *
 * Sums are no proof against somebody who writes images of his own with the right sums. So nothing is believed that
 * another user may have written: folder and file are opened without following links, and what is open must belong to
 * this user, with no right to write for anybody else.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "read/cache.h"

#include "base/temporary.h"

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

static bool same_key(const struct stat *about, const una_cache_key *key)
{
    una_cache_key now = key_of(about);
    return memcmp(&now, key, sizeof now) == 0;
}

una_cache_key una_cache_key_of(const char *path, const una_run *run)
{
    struct stat about;
    bool kept = !run->settings.no_cache && sizeof(size_t) == 8 && stat(path, &about) == 0 && S_ISREG(about.st_mode)
                && about.st_size >= UNA_CACHE_LEAST;
    return kept ? key_of(&about) : (una_cache_key){0};
}

/* ---- whose --------------------------------------------------------------------------------------------- */

static bool is_own(const struct stat *about)
{
    return about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

/* Negative: it is not there; or there, but a link, or not this user's alone. */
static int open_folder(const una_cache_place *p, bool *foreign)
{
    struct stat about;
    int handle = open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *foreign = handle < 0 ? errno == ELOOP || errno == ENOTDIR : fstat(handle, &about) != 0 || !is_own(&about);
    if (handle < 0 || !*foreign) return handle;
    close(handle);
    return -1;
}

static int open_entry(const una_cache_place *p, int folder, bool *foreign)
{
    struct stat about;
    int handle = openat(folder, strrchr(p->file, '/') + 1, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    *foreign = handle < 0 ? errno != ENOENT
                          : fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || !is_own(&about);
    if (handle < 0 || !*foreign) return handle;
    close(handle);
    return -1;
}

int una_cache_open(const una_cache_place *p, una_run *run)
{
    bool strange_folder, strange = false;
    int folder = open_folder(p, &strange_folder), handle = folder < 0 ? -1 : open_entry(p, folder, &strange);
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

/* A file written just now might be written again without its time changing: clocks of file systems are coarse. */
static bool settled(const una_cache_key *key)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - key->changed) + 1e-9 * (double)(now.tv_nsec - key->changed_ns);
    return age > (key->changed_ns == 0 ? 3 : 0.1);
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

static void make_folder(char *folder)
{
    char *slash = strrchr(folder, '/');
    *slash = 0;
    mkdir(folder, 0700);                                         /* where it cannot be made, opening fails */
    *slash = '/';
    mkdir(folder, 0700);
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
    if (key->size == 0 || !settled(key) || stat(path, &about) != 0 || !same_key(&about, key)) return false;
    if (!una_cache_find(&w->place, path)) return false;
    make_folder(w->place.folder);
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
    if (folder >= 0) una_cache_sweep(folder, &run->scratch);
    if (folder >= 0) close(folder);
    una_clear_message(run);                                      /* of memory that was not there */
}
