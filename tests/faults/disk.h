/* SPDX-License-Identifier: MIT
 *
 * What a disk may show after a loss of power. While a program works in a folder, the bytes of every file and the names
 * in every folder are kept as they were when they were last synced. Of what came after, all may be there, nothing, or
 * pieces; names and bytes independently of each other.
 */
#ifndef UNA_TEST_DISK_H
#define UNA_TEST_DISK_H

#include "trace.h"

typedef struct disk disk;

disk  *disk_of(const char *folder);              /* as it is now, all of it synced                          */
void   disk_free(disk *d);
/* Before and after every call that changes files, as a watcher gets them. */
void   disk_see(disk *d, const call *c, bool before);
/* How many states may be found if the power goes now; and one of them, made in the empty folder `to`. */
size_t disk_states(const disk *d);
void   disk_show(const disk *d, size_t state, const char *to);
const char *disk_state_name(const disk *d, size_t state);

#endif
