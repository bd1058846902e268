/* SPDX-License-Identifier: MIT
 *
 * What all files of the cache share, whatever they keep: where they are, which data file they are about and whether it
 * is still as it was, and how they are written. Nothing here fails: false means that there is no cache.
 */
#ifndef UNA_CACHE_FILE_H
#define UNA_CACHE_FILE_H

#include "data/cache.h"
#include "data/sum.h"

enum {
    UNA_CACHE_ORDER = 0x01020304,        /* of bytes: where it is another, the file is not believed */
    UNA_CACHE_PATH = 4096                /* room for a path; what has a longer one is not cached    */
};

typedef struct una_cache_place {
    char path[UNA_CACHE_PATH];                                   /* of the data file, absolute */
    char file[UNA_CACHE_PATH], folder[UNA_CACHE_PATH];           /* of the cache               */
} una_cache_place;

/* The key of a data file; all zero where it is not to be cached. */
una_cache_key una_cache_key_of(const char *path, const una_run *run);
/* The cache file about this data file, whose name ends with `ending`; nothing is made. */
bool una_cache_find(una_cache_place *place, const char *path, const char *ending);
int  una_cache_open(const una_cache_place *place);               /* for reading; negative: it is not there */

bool una_cache_take(int handle, void *to, size_t size);
bool una_cache_take_summed(int handle, void *to, size_t size, una_sum *sum);
bool una_cache_put(int handle, const void *from, size_t size);
bool una_cache_put_summed(int handle, const void *from, size_t size, uint64_t *result);

/* Has the data file the bytes that it was cached with? Under the same key, so that nothing else would tell; a warning
 * to the log if it has not. */
bool una_cache_verified(const una_cache_key *key, uint64_t content, const char *path, una_run *run);

typedef struct una_cache_writer {
    una_cache_place place;
    char     temporary[UNA_CACHE_PATH + 8];
    int      handle;
    uint64_t content;                                            /* sum of the data file's bytes */
} una_cache_writer;

/* To keep some `size` bytes about a data file, unless it has changed since its key was taken, or may have, or the disk
 * would fill up. If true, una_cache_end must follow: the file takes its name only if `good`. */
bool una_cache_begin(una_cache_writer *writer, const char *path, const char *ending, const una_cache_key *key,
                     double size, una_run *run);
void una_cache_end(una_cache_writer *writer, bool good, una_run *run);

#endif
