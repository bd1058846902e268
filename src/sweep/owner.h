/* SPDX-License-Identifier: MIT
 *
 * Who holds something in a database, and whether he lives. An owner is a host, a process, the process's start time
 * (numbers of processes come again) and a handle inside it. Whether a process of this host lives is asked of the
 * system; one of another host (every container has a name of its own) gives signs of life, and without one for a lease
 * it counts as dead. So does a sign that lies further in the future than a lease: clocks differ by less.
 */
#ifndef UNA_OWNER_H
#define UNA_OWNER_H

#include "base/base.h"

enum { UNA_OWNER_LEASE = 120 };          /* seconds                                                              */

typedef struct una_owner_name { char host[256], start[32], handle[32]; long process; } una_owner_name;

/* Of this process; `handle` tells two holders in one process apart. */
void una_owner_here(una_owner_name *me, const void *handle);
bool una_owner_same(const una_owner_name *a, const una_owner_name *b);
/* since: his last sign of life, in seconds since 1970. `me`: who asks. An other handle of the same process lives. */
bool una_owner_alive(const una_owner_name *him, int64_t since, const una_owner_name *me);

#endif
