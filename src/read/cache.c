/* SPDX-License-Identifier: MIT
 *
 * Unpacked images kept on disk, so that a large packed file is unpacked once: $XDG_CACHE_HOME/una (or ~/.cache/una)
 * holds one file per data file, which is good for as long as that one stays as it was: in size and times. Nothing here
 * fails: without a cache the images are unpacked. The name comes from the data file's path alone, so that a new version
 * of the data replaces the old one here too. A data file is known by its key: size, inode, device and times.
 *
 * A file holds a head, the data file's absolute path with zeroes behind it, and the numbers as they are in memory. It
 * is mapped and not read: several programs share its pages, and a set may be larger than memory. It is only ever
 * replaced, never written to, so that a mapping stays as it is. Both parts have a checksum, and both are checked; no
 * count is believed before it fits the size of the file.
 *
 * Sums are no proof against somebody who writes images of his own with the right sums. So nothing is believed that
 * another user may have written: folder and file are opened without following links, and what is open must belong to
 * this user, with no right to write for anybody else.
 */
#define _XOPEN_SOURCE 700        /* realpath, fdopendir */

#include "read/image_files.h"

#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    PATH_ROOM = 4096,                    /* for a path; what has a longer one is not cached            */
    MOST = 1 << 24,                      /* bytes written at once                                       */
    CHUNK = 1 << 22                      /* bytes between two looks at whether to go on                 */
};
#ifdef PATH_MAX
_Static_assert(PATH_ROOM >= PATH_MAX, "realpath needs this room");
#endif

typedef struct beginning {               /* of files: others of their names are of another una          */
    char     magic[8];
    uint32_t version, order;             /* order: of bytes                                           */
} beginning;

static const beginning our_beginning = { { 'u', 'n', 'a', 'i', 'm', 'a', 'g', 'e' }, 2, 0x01020304 };

typedef struct cache_head {              /* the data file's path with zeroes behind it follows, then the numbers */
    beginning     begin;
    uint32_t      sum, numbers_sum;      /* sum: of head (with sum 0) and path                        */
    una_cache_key key;
    uint64_t      count, height, width, channels;
    uint64_t      item;                  /* bytes of a number: 1, or 4 for float                      */
    uint64_t      path_size;             /* with zeroes                                               */
} cache_head;

typedef struct place {
    char path[PATH_ROOM + 64];           /* of the data file, absolute; room for the zeroes behind it */
    char file[PATH_ROOM], folder[PATH_ROOM];     /* of the cache                                      */
} place;

typedef struct cache_writer {
    place place;
    char  temporary[PATH_ROOM + UNA_TEMPORARY_NAME];
    int   handle, folder;
} cache_writer;

/* ---- where --------------------------------------------------------------------------------------------- */

static bool joined(char to[PATH_ROOM], const char *folder, const char *name)
{
    int length = snprintf(to, PATH_ROOM, "%s/%s", folder, name);
    return length > 0 && length < PATH_ROOM;
}

/* The cache file about this data file; nothing is made. */
static bool find_place(place *p, const char *path)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char name[64], above[PATH_ROOM];
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

static int open_folder(const place *p, bool *foreign)
{
    return own_handle(open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), true, foreign);
}

/* For reading; negative: it is not there, or it is not this user's alone, and a note to the log says so. */
static int open_kept(const place *p, una_run *run)
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

/* Zeroes behind the path let the numbers begin where any of them may. */
static size_t path_room(const char *path)
{
    return (sizeof(cache_head) + strlen(path) + 1 + 63) / 64 * 64 - sizeof(cache_head);
}

static uint32_t sum_numbers(const unsigned char *at, size_t size, const una_run *run)
{
    uint32_t sum = 0;
    for (size_t from = 0; from < size && !una_cancelled(run); from += CHUNK)
        sum = una_crc32(sum, at + from, size - from < CHUNK ? size - from : CHUNK);
    return sum;
}

/* Of the head, with sum 0, and the path behind it. */
static uint32_t sum_of_head(const cache_head *h, const void *path)
{
    cache_head bare = *h;
    bare.sum = 0;
    return una_crc32(una_crc32(0, &bare, sizeof bare), path, h->path_size);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* The head of a file that is mapped at `at`, if all of it is sound and about this very data file: sizes of images, and
 * exactly as many bytes as they need. Each is bounded before it is multiplied. */
static bool is_sound(const unsigned char *at, uint64_t size, cache_head *h, const place *p,
                     const una_cache_key *key, const una_run *run)
{
    memcpy(h, at, sizeof *h);
    if (memcmp(&h->begin, &our_beginning, sizeof h->begin) != 0) return false;
    if (memcmp(&h->key, key, sizeof *key) != 0) return false;
    if (h->height == 0 || h->height > UNA_MOST_PIXELS || h->width == 0 || h->width > UNA_MOST_PIXELS) return false;
    if (h->channels == 0 || h->channels > UNA_MOST_CHANNELS || (h->item != 1 && h->item != 4)) return false;
    uint64_t each = h->height * h->width * h->channels;
    if (each > UNA_MOST_PIXELS || h->count == 0 || h->count > size / each || h->path_size > size) return false;
    if (sizeof *h + h->path_size + h->count * each * h->item != size) return false;
    if (h->path_size != path_room(p->path) || strcmp((const char *)at + sizeof *h, p->path) != 0) return false;
    if (sum_of_head(h, at + sizeof *h) != h->sum) return false;
    uint32_t sum = sum_numbers(at + sizeof *h + h->path_size, h->count * each * h->item, run);
    return sum == h->numbers_sum && !una_cancelled(run);
}

static void map_images(una_images *m, int handle, const place *p, const una_cache_key *key)
{
    struct stat about;
    cache_head h;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof h) return;
    size_t size = (size_t)about.st_size;
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (at == MAP_FAILED) return;

    if (!is_sound(at, size, &h, p, key, m->run)) {
        munmap(at, size);
        return;
    }
    const unsigned char *numbers = (const unsigned char *)at + sizeof h + h.path_size;
    m->mapping = at;
    m->mapped = size;
    m->count = h.count;
    m->shape = (una_image_shape){ h.height, h.width, h.channels };
    m->each = una_image_size(m->shape);
    if (h.item == 1) m->bytes = numbers;
    else m->numbers = (const float *)(const void *)numbers;
    futimens(handle, NULL);      /* of use: others go before it; times of access are often not kept */
}

una_cache_key una_cache_map_images(una_images *m)
{
    place p;
    una_cache_key key = una_cache_key_of(m->origin, m->run);
    bool wanted = key.size > 0 && !m->run->settings.verify_cache;
    int handle = wanted && find_place(&p, m->origin) ? open_kept(&p, m->run) : -1;
    if (handle < 0) return key;
    map_images(m, handle, &p, &key);
    close(handle);
    return key;
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
    beginning found;
    bool ours = strspn(name, "0123456789abcdef") == DIGITS && strlen(name) < NAME &&
                (strncmp(name + DIGITS, ".images", 7) == 0 || strncmp(name + DIGITS, ".table", 6) == 0);
    if (!ours || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(about.st_mode)) return;
    int handle = strcmp(name + DIGITS, ".images") != 0 ? -1
                 : openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    bool current = handle >= 0 && read(handle, &found, sizeof found) == (ssize_t)sizeof found &&
                   memcmp(&found, &our_beginning, sizeof found) == 0;
    if (handle >= 0) close(handle);
    if (!current) {
        unlinkat(folder, name, 0);
        return;
    }

    entry *larger = una_arena_grow(work, all->at, all->count, &all->room, sizeof *larger);
    if (!larger) return;
    all->at = larger;
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

/* False also when cancelled. */
static bool put_bytes(int handle, const void *from, size_t size, const una_run *run)
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

/* Is there room without filling the disk up? */
static bool has_room(int folder, double size)
{
    struct statvfs about;
    if (fstatvfs(folder, &about) != 0) return false;
    double left = (double)about.f_bavail * (double)about.f_frsize;
    return left > 4 * size && size <= una_cache_most(left);
}

/* To keep some `size` bytes about a data file, unless it has changed since its key was taken, or may have, or the disk
 * would fill up. If true, end_writing must follow: the file takes its name only if `good`. Then those that were not
 * used for longest go, if all of them are too much. */
static bool begin_writing(cache_writer *w, const char *path, const una_cache_key *key, double size)
{
    struct stat about;
    struct timespec now;
    if (key->size == 0 || stat(path, &about) != 0) return false;
    una_cache_key found = key_of(&about);
    /* A file written just now might be written again without its time changing: clocks of file systems are coarse. */
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - key->changed) + 1e-9 * (double)(now.tv_nsec - key->changed_ns);
    bool settled = age > (key->changed_ns == 0 ? 3 : 0.1);
    if (!settled || memcmp(&found, key, sizeof found) != 0 || !find_place(&w->place, path)) return false;

    char *slash = strrchr(w->place.folder, '/');
    *slash = 0;
    mkdir(w->place.folder, 0700);                                /* where it cannot be made, opening fails */
    *slash = '/';
    mkdir(w->place.folder, 0700);
    bool foreign;
    w->folder = open_folder(&w->place, &foreign);
    if (w->folder < 0) return false;
    w->handle = has_room(w->folder, size) ? una_temporary_open(w->temporary, w->place.folder, 0600) : -1;
    if (w->handle < 0) close(w->folder);
    return w->handle >= 0;
}

/* The name goes over to the new file before its handle is closed: with it goes the lock on the temporary. */
static void end_writing(cache_writer *w, bool good, una_run *run)
{
    good = good && rename(w->temporary, w->place.file) == 0;
    if (!good) unlink(w->temporary);
    close(w->handle);
    if (good) sweep_cache(w->folder, &run->scratch);
    close(w->folder);
    una_clear_message(run);                                      /* of memory that was not there */
}

void una_cache_write_images(const una_images *m, const una_cache_key *key)
{
    cache_writer w;
    cache_head h = { .begin = our_beginning, .key = *key, .count = m->count, .height = m->shape.height,
                         .width = m->shape.width, .channels = m->shape.channels,
                         .item = m->bytes ? 1 : sizeof(float) };
    if (!begin_writing(&w, m->origin, key, (double)m->count * (double)m->each * (double)h.item)) return;
    const unsigned char *numbers = m->bytes ? m->bytes : (const unsigned char *)m->numbers;
    size_t size = m->count * m->each * h.item, length = strlen(w.place.path);
    h.path_size = path_room(w.place.path);
    memset(w.place.path + length, 0, h.path_size - length);
    h.numbers_sum = sum_numbers(numbers, size, m->run);
    h.sum = sum_of_head(&h, w.place.path);
    bool good = put_bytes(w.handle, &h, sizeof h, m->run) && put_bytes(w.handle, w.place.path, h.path_size, m->run) &&
                put_bytes(w.handle, numbers, size, m->run);
    end_writing(&w, good, m->run);
}
