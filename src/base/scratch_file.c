/* SPDX-License-Identifier: MIT
 *
 * Memory that need not stay in memory: a shared mapping of a file that has no name. Where memory runs short, the
 * system writes its pages to the disk and takes the memory back, without swap; a file without a name goes when its
 * last user ends, however that happens. $TMPDIR, or /var/tmp: /tmp is often memory itself. All blocks are reserved
 * at once, for on a disk that is full a write to the mapping would end the process; and as much again must be free,
 * and a twentieth of the disk, so that nobody else is left without. Whatever is not as it should be gives NULL, and
 * the caller takes plain memory.
 */
#if defined(__linux__)
#define _GNU_SOURCE              /* O_TMPFILE, fallocate */
#endif

#include "base/base.h"

#if defined(__linux__)
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *folder_of(void)
{
    const char *given = getenv("TMPDIR");
    return given && given[0] == '/' ? given : "/var/tmp";
}

/* Not every file system knows files that never had a name. */
static int open_nameless(const char *folder)
{
    char path[4096];
    int handle = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (handle >= 0) return handle;
    if (strlen(folder) + UNA_TEMPORARY_NAME > sizeof path) return -1;
    handle = una_temporary_open(path, folder, 0600);
    if (handle >= 0) unlink(path);
    return handle;
}

/* A file in memory would save none; file systems that copy on write cannot reserve for a second write; a size beyond
 * the process's limit would be answered by a signal. */
static bool has_room(int handle, uint64_t size)
{
    static const uint32_t unfit[] = { 0x01021994, 0x858458f6, 0x9123683e, 0x2fc12fc1 };  /* tmpfs, ramfs, btrfs, zfs */
    struct statvfs room;
    struct statfs kind;
    struct rlimit most;
    if (fstatvfs(handle, &room) != 0 || fstatfs(handle, &kind) != 0) return false;
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if ((uint32_t)kind.f_type == unfit[i]) return false;
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || (most.rlim_cur != RLIM_INFINITY && size > most.rlim_cur)) return false;
    uint64_t left = (uint64_t)room.f_bavail * room.f_frsize, all = (uint64_t)room.f_blocks * room.f_frsize;
    return size <= INT64_MAX && left / 2 >= size && left - size >= all / 20;
}

static bool reserve(int handle, size_t size)
{
    int result;
    do result = fallocate(handle, 0, 0, (off_t)size);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

int una_scratch_open(void)
{
    int handle = open_nameless(folder_of());
    return handle >= 0 ? handle : open_nameless("/tmp");
}

void *una_scratch_map(size_t size)
{
    int handle = open_nameless(folder_of());
    if (handle < 0) return NULL;
    void *at = MAP_FAILED;
    if (has_room(handle, size) && reserve(handle, size))
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    close(handle);                       /* the mapping keeps the file */
    return at == MAP_FAILED ? NULL : at;
}

void una_scratch_unmap(void *at, size_t size)
{
    munmap(at, size);
}

#else
#include <stdio.h>
#include <unistd.h>

int una_scratch_open(void)
{
    FILE *file = tmpfile();
    int handle = file ? dup(fileno(file)) : -1;
    if (file) fclose(file);
    return handle;
}

void *una_scratch_map(size_t size)
{
    (void)size;
    return NULL;
}

void una_scratch_unmap(void *at, size_t size)
{
    (void)at;
    (void)size;
}
#endif
