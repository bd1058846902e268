/* SPDX-License-Identifier: MIT
 *
 * Names of columns, found by a hash: a table may have a hundred thousand.
 */
#pragma once

#include "base/base.h"

typedef struct una_names {
    const char *const *name;     /* [count], borrowed                                               */
    size_t       count;
    size_t      *slot;           /* [slots] 1 + position, 0: free; NULL: so few that they are looked through */
    size_t       slots;          /* a power of two                                                  */
    size_t       repeated;       /* of how many another one stands before                           */
    una_hash_key key;
} una_names;

/* Of equal names the first is found. */
una_status una_names_index(una_names *names, const char *const *name, size_t count, una_arena *arena);
size_t     una_names_find(const una_names *names, const char *name);     /* SIZE_MAX: it is not there */
/* The same, but the failure names the column, the file (`origin`) and the nearest name. */
una_status una_names_need(size_t *position, const una_names *names, const char *origin, const char *name, una_run *run);
/* The positions of two equal names among [count], first < second, which is 0 where there are none; count must be below
 * SIZE_MAX / 16. */
una_status una_names_repeated(size_t *first, size_t *second, const char *const *name, size_t count, una_run *run);
