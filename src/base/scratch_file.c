/* SPDX-License-Identifier: MIT
 *
 * Rows of data in a shared mapping of a file without a name. Where memory runs short, the system writes its pages to
 * the disk and takes the memory back, without swap; the file goes with its last user, however that one ends. The file
 * lies in $TMPDIR or /var/tmp, because /tmp is often memory itself. All its blocks are reserved at once, because a
 * write to the mapping on a full disk would end the process; as much again and a twentieth of the disk must be free,
 * for others. If anything of this is not so, the result is NULL, and the caller takes plain memory.
 */
#if defined(__linux__)
#define _GNU_SOURCE              /* O_TMPFILE, fallocate */
#endif

#include "base/base.h"

#if defined(__linux__)
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *scratch_folder(void)
{
    const char *given = getenv("TMPDIR");
    return given && given[0] == '/' ? given : "/var/tmp";
}

/* Not every file system supports O_TMPFILE. */
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

/* False for a file system in memory, which would save none; for one that copies on write, which cannot reserve the
 * second write; and for a size beyond the limit of the process, which a signal would enforce. */
static bool disk_has_room(int handle, uint64_t size)
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

static bool reserve_blocks(int handle, size_t size)
{
    int result;
    do result = fallocate(handle, 0, 0, (off_t)size);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

int una_scratch_open(void)
{
    int handle = open_nameless(scratch_folder());
    return handle >= 0 ? handle : open_nameless("/tmp");
}

void *una_scratch_map(size_t size)
{
    int handle = open_nameless(scratch_folder());
    if (handle < 0) return NULL;
    void *at = MAP_FAILED;
    if (disk_has_room(handle, size) && reserve_blocks(handle, size))
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    close(handle);                       /* the mapping keeps the file */
    return at == MAP_FAILED ? NULL : at;
}

void una_scratch_unmap(void *at, size_t size)
{
    munmap(at, size);
}

#else
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
