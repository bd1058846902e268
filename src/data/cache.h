/* SPDX-License-Identifier: MIT
 *
 * Parsed tables kept on disk, so that a large text file is parsed once: $XDG_CACHE_HOME/una (or ~/.cache/una) holds one
 * file per data file, which is good for as long as that one stays as it was: in size and times. With verify_cache the
 * text is parsed all the same, and both must agree. Nothing here ever fails: without a cache the text is parsed.
 */
#ifndef UNA_CACHE_H
#define UNA_CACHE_H

#include "data/table.h"

enum { UNA_CACHE_LEAST = 1 << 20 };      /* bytes of a data file below which parsing is quick enough */

typedef struct una_cache_key {           /* what a data file was like; all zero: it is not to be cached */
    uint64_t size, inode, device;
    int64_t  modified, modified_ns, changed, changed_ns;
} una_cache_key;

/* Before parsing: the key of this file, and the table if the cache has it (else *data is NULL). A table that is not
 * believed because of the file's bytes alone (verify_cache) is worth a warning to the run's log. */
una_cache_key una_cache_read(una_dataset **data, const char *path, una_run *run);
/* With verify_cache, after parsing: is what was kept what the file holds? A warning if it is not. */
bool una_cache_agrees(const una_dataset *kept, const una_dataset *parsed, const char *path, una_run *run);
/* After parsing: keeps the table with the sum of the file's bytes, unless the file has changed since, or may have. */
void una_cache_write(const una_dataset *data, const char *path, const una_cache_key *key, una_run *run);

#endif
