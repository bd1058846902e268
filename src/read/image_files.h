/* SPDX-License-Identifier: MIT
 *
 * Files of images: IDX ([count, height, width] or with channels last) or an NPY array of the same shape, plain or .gz.
 * What is packed is unpacked once and mapped from the cache from then on.
 */
#ifndef UNA_IMAGE_FILES_H
#define UNA_IMAGE_FILES_H

#include "data/images.h"
#include "read/cache.h"

una_status una_images_read(una_images **images, const char *path, una_run *run);

/* In the cache: the key of the file, and if the cache has its images, all of them (m->mapping), but where they are to
 * be unpacked anew (verify_cache). Later, when they were unpacked, they are kept there. */
una_cache_key una_cache_map_images(una_images *images);
void          una_cache_write_images(const una_images *images, const una_cache_key *key);

#endif
