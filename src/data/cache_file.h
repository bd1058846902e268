/* SPDX-License-Identifier: MIT
 *
 * What all files of the cache share, whatever they keep: where they are, whose they are, which data file they are about
 * and whether it is still as it was, how they are written, and which go when there are too many. Nothing here fails:
 * false means that there is no cache.
 */
#ifndef UNA_CACHE_FILE_H
#define UNA_CACHE_FILE_H

#include "data/cache.h"
#include "data/sum.h"

enum {
    UNA_CACHE_ORDER = 0x01020304,        /* of bytes: where it is another, the file is not believed */
    UNA_CACHE_PATH = 4096                /* room for a path; what has a longer one is not cached    */
};

typedef struct una_cache_kind {          /* how its files begin: others of this name are of another una */
    char     magic[8];
    uint32_t version, order;
} una_cache_kind;

extern const una_cache_kind una_cache_tables, una_cache_tensors;

typedef struct una_cache_place {
    const una_cache_kind *kind;
    char path[UNA_CACHE_PATH];                                   /* of the data file, absolute */
    char file[UNA_CACHE_PATH], folder[UNA_CACHE_PATH];           /* of the cache               */
} una_cache_place;

/* The key of a data file; all zero where it is not to be cached. */
una_cache_key una_cache_key_of(const char *path, const una_run *run);
/* The cache file about this data file; nothing is made. */
bool una_cache_find(una_cache_place *place, const char *path, const una_cache_kind *kind);
/* For reading; negative: it is not there, or it is not this user's alone, and a note to the log says so. */
int  una_cache_open(const una_cache_place *place, una_run *run);
/* It was of use: others go before it when there are too many. */
void una_cache_used(int handle);

/* These give up when the run is cancelled. */
bool una_cache_take(int handle, void *to, size_t size, const una_run *run);
bool una_cache_take_summed(int handle, void *to, size_t size, una_sum *sum, const una_run *run);
bool una_cache_put(int handle, const void *from, size_t size, const una_run *run);
bool una_cache_put_summed(int handle, const void *from, size_t size, una_sum *sum, const una_run *run);

/* Has the data file the bytes that it was cached with? Under the same key, so that nothing else would tell; a warning
 * to the log if it has not. */
bool una_cache_verified(const una_cache_key *key, uint64_t content, const char *path, una_run *run);
/* A warning: what was kept is not what the data file holds. */
void una_cache_denied(const char *path, una_run *run);

const char *una_cache_ending(const una_cache_kind *kind);        /* of names: ".table" */
/* Bytes that all files together may have, where so many are free: $UNA_CACHE_LIMIT, or 2 GB and a tenth of what is free
 * at most. */
double una_cache_most(double left);
/* Removes files of other versions and then, as long as they are too much, the one that was not used for longest. A file
 * that is open or mapped stays with those who have it: a name is taken away, and bytes go when their last user does. */
void una_cache_sweep(int folder, una_arena *work);

typedef struct una_cache_writer {
    una_cache_place place;
    char     temporary[UNA_CACHE_PATH + 64];
    int      handle;
    uint64_t content;                                            /* sum of the data file's bytes */
} una_cache_writer;

/* To keep some `size` bytes about a data file, unless it has changed since its key was taken, or may have, or the disk
 * would fill up. If true, una_cache_end must follow: the file takes its name only if `good`. Then those that were not
 * used for longest go, if all of them are too much. */
bool una_cache_begin(una_cache_writer *writer, const char *path, const una_cache_kind *kind, const una_cache_key *key,
                     double size, una_run *run);
void una_cache_end(una_cache_writer *writer, bool good, una_run *run);

#endif
