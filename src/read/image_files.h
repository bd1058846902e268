/* SPDX-License-Identifier: MIT
 *
 * Files of images: IDX ([count, height, width] or with channels last) or an NPY array of the same shape, plain or .gz.
 * What is packed is unpacked once and mapped from the cache from then on.
 */
#pragma once

#include "data/images.h"

enum { UNA_CACHE_LEAST = 1 << 20 };      /* bytes of a data file below which unpacking is quick enough  */

typedef struct una_cache_key {           /* what a data file was like; all zero: it is not to be cached */
    uint64_t size, inode, device;
    int64_t  modified, modified_ns, changed, changed_ns;
} una_cache_key;

una_status una_images_read(una_images **images, const char *path, una_run *run);

/* In the cache: the key of the file, and if the cache has its images, all of them (m->mapping), but where they are to
 * be unpacked anew (verify_cache). Later, when they were unpacked, they are kept there. */
una_cache_key una_cache_map_images(una_images *images);
void          una_cache_write_images(const una_images *images, const una_cache_key *key);
/* The key of a data file; all zero where it is not to be cached. */
una_cache_key una_cache_key_of(const char *path, const una_run *run);
/* Bytes that all files together may have, where so many are free: $UNA_CACHE_LIMIT, or 2 GB and a tenth of what is free
 * at most. */
double        una_cache_most(double left);
