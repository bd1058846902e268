/* SPDX-License-Identifier: MIT
 *
 * See temporary.h. Another process may take a file for an abandoned one in the moment between its creation and its
 * lock: then the maker waits until that process lets go, and makes the next file if this one is gone. On a file system
 * without locks a clean-up cannot lock a file either, so nothing is removed.
 */
#define _XOPEN_SOURCE 700        /* O_NOFOLLOW, dirfd */

#include "base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_temporary(const char *name)
{
    static const char begin[] = ".una-", digits[] = "0123456789";
    if (strncmp(name, begin, strlen(begin)) != 0) return false;
    const char *at = name + strlen(begin);
    size_t process = strspn(at, digits), number = at[process] == '-' ? strspn(at + process + 1, digits) : 0;
    return process > 0 && number > 0 && strcmp(at + process + 1 + number, ".tmp") == 0;
}

/* A process that can lock the file is alone with it: its maker is gone. */
static void remove_left(int folder, const char *name)
{
    struct stat held, named;
    int handle = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (handle < 0) return;
    bool ours = fstat(handle, &held) == 0 && S_ISREG(held.st_mode) && held.st_uid == geteuid() && held.st_nlink == 1;
    bool left = ours && flock(handle, LOCK_EX | LOCK_NB) == 0;
    bool same = left && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == held.st_ino
                && named.st_dev == held.st_dev;
    if (same) unlinkat(folder, name, 0);
    close(handle);
}

/* False: another process took it for an abandoned file and removes it. */
static bool lock_own_file(int handle)
{
    enum { TRIES = 100, WAIT_NS = 1000000 };
    struct stat about;
    int tries = 0;
    while (flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && tries++ < TRIES)
        nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
    return tries <= TRIES && (fstat(handle, &about) != 0 || about.st_nlink > 0);
}

int una_temporary_open(char *path, const char *folder, mode_t mode)
{
    enum { TRIES = 1000 };
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    DIR *open_folder = opendir(*folder ? folder : ".");
    for (const struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        if (is_temporary(entry->d_name)) remove_left(dirfd(open_folder), entry->d_name);
    if (open_folder) closedir(open_folder);
    memcpy(path, folder, length);
    for (int i = 0; i < TRIES; i++) {
        snprintf(path + length, UNA_TEMPORARY_NAME, "%s.una-%ld-%d.tmp", slash, (long)getpid(), i);
        int handle = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (handle < 0 && errno != EEXIST && errno != EINTR) return -1;
        if (handle >= 0 && lock_own_file(handle)) return handle;
        if (handle >= 0) close(handle);
    }
    return -1;
}
