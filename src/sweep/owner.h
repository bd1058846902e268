/* SPDX-License-Identifier: MIT
 *
 * Who holds something in a database, and whether that owner lives. An owner is a place, a process in it, the start time
 * of the process (numbers of processes come again) and a handle inside it. A place is a host name, the boot of its
 * system and its namespace of processes: containers share a name, machines are called localhost, and only where all
 * three agree does a process number mean the same. The system of a place knows which of its processes live. An owner
 * elsewhere gives signs of life, and counts as dead without one for a lease; a sign that lies further in the future
 * than a lease counts as none. Times are those of the database (una_database_now), so clocks of hosts may differ.
 */
#ifndef UNA_OWNER_H
#define UNA_OWNER_H

#include "sweep/database.h"

enum { UNA_OWNER_LEASE = 120 };          /* seconds                                                              */

enum { UNA_OWNER_HOST = 65 };            /* of a host name, with its 0                                           */

typedef struct una_owner_name {
    char host[256];                      /* the place: NAME/BOOT/NAMESPACE; an older una wrote NAME alone        */
    char start[32], handle[32];
    long process;
} una_owner_name;

/* The columns of an owner and of the last sign of life, as a statement names them, and their types in a form. */
#define UNA_OWNER_COLUMNS "host, process, start, handle, since"
#define UNA_OWNER_TYPES   "twttw"
/* From cells that una_database_check has seen. */
una_owner_name una_owner_in(const una_cell *cells, int64_t *since);

/* Of this process; `handle` tells two holders in one process apart. */
void una_owner_here(una_owner_name *me, const void *handle);
bool una_owner_same(const una_owner_name *a, const una_owner_name *b);
/* since: the owner's last sign of life; now: seconds since 1970. `me`: who asks. Another handle of my process lives. */
bool una_owner_alive(const una_owner_name *owner, int64_t since, double now, const una_owner_name *me);
/* For people: the name of the host in `host` of an owner. */
void una_owner_host_name(char name[UNA_OWNER_HOST], const char *host);

#endif
