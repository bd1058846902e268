/* SPDX-License-Identifier: MIT
 *
 * Through zlib, whose sentences name no file: theirs are ours. See packed.h.
 */
#include "data/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_AT_ONCE = 1 << 30, BUFFER = 1 << 17 };

static una_status open_handle(una_packed *p, int *handle)
{
    struct stat about;
    *handle = una_open(p->path, O_RDONLY, p->run);
    if (*handle < 0 && errno == EINTR && una_cancelled(p->run))
        UNA_FAIL(p->run, UNA_CANCELLED, "interrupted while opening %s", p->path);
    if (*handle < 0) UNA_FAIL(p->run, UNA_E_IO, "cannot open %s: %s", p->path, strerror(errno));
    if (fstat(*handle, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(*handle);
        UNA_FAIL(p->run, UNA_E_IO, "cannot open %s: it is a folder", p->path);
    }
    p->size = (uint64_t)about.st_size;
    return UNA_OK;
}

una_status una_packed_open(una_packed *p, const char *path, una_run *run)
{
    int handle;
    *p = (una_packed){ .path = path, .run = run };
    UNA_TRY(open_handle(p, &handle));
    p->file = gzdopen(handle, "rb");
    if (!p->file) {
        close(handle);
        UNA_FAIL(run, UNA_E_MEMORY, "cannot open %s: no memory for it", path);
    }
    gzbuffer(p->file, BUFFER);
    p->is_packed = !gzdirect(p->file);
    return UNA_OK;
}

/* What zlib found; nothing where the file has simply ended. */
static una_status blame(const una_packed *p, int count)
{
    int code = Z_OK;
    gzerror(p->file, &code);
    if (code == Z_ERRNO && errno == EINTR && una_cancelled(p->run))
        UNA_FAIL(p->run, UNA_CANCELLED, "interrupted while reading %s", p->path);
    if (code == Z_ERRNO) UNA_FAIL(p->run, UNA_E_IO, "cannot read %s: %s", p->path, strerror(errno));
    if (code == Z_MEM_ERROR) UNA_FAIL(p->run, UNA_E_MEMORY, "cannot read %s: no memory for it", p->path);
    if (code == Z_BUF_ERROR)
        UNA_FAIL(p->run, UNA_E_INPUT, "%s is damaged: its compressed part ends too early; copy it again", p->path);
    if (count < 0 || code == Z_DATA_ERROR)
        UNA_FAIL(p->run, UNA_E_INPUT, "%s is damaged: its compressed part does not unpack; copy it again", p->path);
    return UNA_OK;
}

una_status una_packed_take(const una_packed *p, void *to, size_t want, size_t *got)
{
    *got = 0;
    while (*got < want) {
        size_t now = want - *got < MOST_AT_ONCE ? want - *got : MOST_AT_ONCE;
        int count = gzread(p->file, (unsigned char *)to + *got, (unsigned)now);
        if (count < (int)now) UNA_TRY(blame(p, count));
        *got += (size_t)count;
        if ((size_t)count < now) break;
    }
    return UNA_OK;
}

una_status una_packed_seek(const una_packed *p, uint64_t at)
{
    if (gzseek(p->file, (z_off_t)at, SEEK_SET) >= 0) return UNA_OK;
    UNA_TRY(blame(p, -1));
    return UNA_OK;
}

void una_packed_close(una_packed *p)
{
    if (p->file) gzclose(p->file);
    p->file = NULL;
}
