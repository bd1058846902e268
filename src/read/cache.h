/* SPDX-License-Identifier: MIT
 *
 * Unpacked images kept on disk, so that a large packed file is unpacked once: $XDG_CACHE_HOME/una (or ~/.cache/una)
 * holds one file per data file, which is good for as long as that one stays as it was: in size and times. Here is what
 * the cache knows of files: where they are, whose they are, which data file they are about, how they are written, and
 * which go when there are too many; cache_images.c says what is in them. Nothing here fails: without a cache the images
 * are unpacked.
 */
#ifndef UNA_CACHE_H
#define UNA_CACHE_H

#include "base/base.h"

enum {
    UNA_CACHE_LEAST = 1 << 20,           /* bytes of a data file below which unpacking is quick enough */
    UNA_CACHE_PATH = 4096                /* room for a path; what has a longer one is not cached       */
};

typedef struct una_cache_key {           /* what a data file was like; all zero: it is not to be cached */
    uint64_t size, inode, device;
    int64_t  modified, modified_ns, changed, changed_ns;
} una_cache_key;

typedef struct una_cache_kind {          /* how files begin: others of their names are of another una */
    char     magic[8];
    uint32_t version, order;             /* order: of bytes                                           */
} una_cache_kind;

extern const una_cache_kind una_cache_images;

typedef struct una_cache_head {          /* the data file's path with zeroes behind it follows, then the numbers */
    una_cache_kind kind;
    uint32_t      sum, numbers_sum;      /* sum: of head (with sum 0) and path                        */
    una_cache_key key;
    uint64_t      count, height, width, channels;
    uint64_t      item;                  /* bytes of a number: 1, or 4 for float                      */
    uint64_t      path_size;             /* with zeroes                                               */
} una_cache_head;

typedef struct una_cache_place {
    char path[UNA_CACHE_PATH];                                   /* of the data file, absolute */
    char file[UNA_CACHE_PATH], folder[UNA_CACHE_PATH];           /* of the cache               */
} una_cache_place;

/* The key of a data file; all zero where it is not to be cached. */
una_cache_key una_cache_key_of(const char *path, const una_run *run);
/* The cache file about this data file; nothing is made. */
bool una_cache_find(una_cache_place *place, const char *path);
/* For reading; negative: it is not there, or it is not this user's alone, and a note to the log says so. */
int  una_cache_open(const una_cache_place *place, una_run *run);
/* It was of use: others go before it when there are too many. */
void una_cache_used(int handle);

typedef struct una_cache_writer {
    una_cache_place place;
    char temporary[UNA_CACHE_PATH + 64];
    int  handle;
} una_cache_writer;

/* To keep some `size` bytes about a data file, unless it has changed since its key was taken, or may have, or the disk
 * would fill up. If true, una_cache_end must follow: the file takes its name only if `good`. Then those that were not
 * used for longest go, if all of them are too much. */
bool una_cache_begin(una_cache_writer *writer, const char *path, const una_cache_key *key, double size);
bool una_cache_put(int handle, const void *from, size_t size, const una_run *run);       /* false also when cancelled */
void una_cache_end(una_cache_writer *writer, bool good, una_run *run);

/* Bytes that all files together may have, where so many are free: $UNA_CACHE_LIMIT, or 2 GB and a tenth of what is free
 * at most. */
double una_cache_most(double left);

#endif
