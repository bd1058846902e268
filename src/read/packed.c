/* SPDX-License-Identifier: MIT
 *
 * Through zlib, whose sentences name no file: theirs are ours. See packed.h.
 */
#include "read/packed.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_AT_ONCE = 1 << 22, BUFFER = 1 << 17 };

static void close_packed(void *packed)
{
    gzclose(((una_packed *)packed)->file);
}

una_status una_packed_open(una_packed **packed, const char *path, una_arena *arena)
{
    una_run *run = arena->run;
    struct stat about;
    UNA_NEW(arena, una_packed, p, 1);
    *p = (una_packed){ .path = path, .run = run };
    UNA_TRY(una_bytes_open(&p->handle, path, run));
    bool folder = fstat(p->handle, &about) == 0 && S_ISDIR(about.st_mode);
    p->file = folder ? NULL : gzdopen(p->handle, "rb");
    if (!p->file) close(p->handle);
    if (folder) UNA_FAIL(run, UNA_E_IO, "cannot open %s: it is a folder", path);
    if (!p->file) UNA_FAIL(run, UNA_E_MEMORY, "cannot open %s: no memory for it", path);
    UNA_TRY(una_arena_at_end(arena, close_packed, p));
    p->stamp = una_stamp_of(p->handle);
    p->size = p->stamp.size;
    gzbuffer(p->file, BUFFER);
    p->is_packed = !gzdirect(p->file);
    *packed = p;
    return UNA_OK;
}

static una_status unpacking_interrupted(const una_packed *p)
{
    if (una_cancelled(p->run)) UNA_FAIL(p->run, UNA_CANCELLED, "interrupted while reading %s", p->path);
    return UNA_OK;
}

/* The error that zlib found; nothing where the file has simply ended. */
static una_status fail_with_zlib(const una_packed *p, int count)
{
    int code = Z_OK;
    gzerror(p->file, &code);
    if (code == Z_ERRNO && errno == EINTR) UNA_TRY(unpacking_interrupted(p));
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
        UNA_TRY(unpacking_interrupted(p));
        int count = gzread(p->file, (unsigned char *)to + *got, (unsigned)now);
        if (count < (int)now) UNA_TRY(fail_with_zlib(p, count));
        *got += (size_t)count;
        if ((size_t)count < now) break;
    }
    return UNA_OK;
}

/* Skips in pieces what is packed: zlib would unpack all of it in one go. */
una_status una_packed_seek(const una_packed *p, uint64_t at)
{
    unsigned char piece[1 << 14];
    bool failed = p->is_packed ? (uint64_t)gztell(p->file) > at && gzrewind(p->file) != 0
                             : gzseek(p->file, (z_off_t)at, SEEK_SET) < 0;
    if (failed) return fail_with_zlib(p, -1);
    for (uint64_t now; p->is_packed && (now = (uint64_t)gztell(p->file)) < at;) {
        size_t want = at - now < sizeof piece ? (size_t)(at - now) : sizeof piece, got;
        UNA_TRY(una_packed_take(p, piece, want, &got));
        if (got < want) return UNA_OK;                           /* reading on finds the end */
    }
    return UNA_OK;
}

una_status una_packed_check(const una_packed *p)
{
    return una_stamp_check(&p->stamp, p->handle, p->path, p->run);
}

