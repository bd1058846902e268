/* SPDX-License-Identifier: MIT
 *
 * See bytes.h. Ctrl-C only sets a flag, and a call that blocks on a pipe would not check it. So pipes are opened
 * without blocking and waited for in short steps.
 */
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE_MS = 200 };

static una_status waiting_interrupted(const char *path, una_run *run)
{
    UNA_FAIL(run, UNA_CANCELLED, "interrupted while reading %s", path);
}

una_status una_bytes_wait(int handle, const char *path, una_run *run)
{
    struct pollfd one = { .fd = handle, .events = POLLIN };
    int ready = 0;
    while (ready == 0 || (ready < 0 && errno == EINTR)) {
        if (una_cancelled(run)) return waiting_interrupted(path, run);
        ready = poll(&one, 1, AT_ONCE_MS);
    }
    return UNA_OK;                                               /* whatever is wrong, reading says */
}

una_status una_bytes_open(int *handle, const char *path, una_run *run)
{
    struct stat about;
    *handle = una_open(path, O_RDONLY | O_NONBLOCK, run);
    if (*handle < 0 && errno == EINTR && una_cancelled(run)) return waiting_interrupted(path, run);
    if (*handle < 0) UNA_FAIL(run, UNA_E_IO, "cannot open %s: %s", path, strerror(errno));
    if (fstat(*handle, &about) == 0 && S_ISREG(about.st_mode)) return UNA_OK;
    una_status status = una_bytes_wait(*handle, path, run);
    int flags = fcntl(*handle, F_GETFL);
    if (status == UNA_OK && flags >= 0) fcntl(*handle, F_SETFL, flags & ~O_NONBLOCK);
    if (status != UNA_OK) close(*handle);
    return status;
}
