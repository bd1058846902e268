/* SPDX-License-Identifier: MIT
 *
 * Bytes of a file that may be compressed with gzip: unpacked on the way, and passed on as they are where it is not.
 */
#pragma once

#include "read/bytes.h"

typedef struct una_packed {
    const char *path;            /* borrowed                                                        */
    una_run    *run;
    void       *file;            /* zlib's                                                          */
    bool        is_packed;
    uint64_t    size;            /* of a file that is not packed                                    */
    int         handle;          /* which zlib closes                                               */
    una_stamp   stamp;           /* when it was opened                                              */
} una_packed;

/* In the arena, with which it is closed. */
una_status una_packed_open(una_packed **packed, const char *path, una_arena *arena);
/* As many bytes as there are, at most `want`; fewer only at the end. Damage and an interruption have sentences. */
una_status una_packed_take(const una_packed *packed, void *to, size_t want, size_t *got);
/* Moves so that the next byte is byte number `at`, unpacked. Going back in a packed file takes as long as reading it
 * again. */
una_status una_packed_seek(const una_packed *packed, uint64_t at);
/* When all has been read: refuses a file that was written to meanwhile. */
una_status una_packed_check(const una_packed *packed);
