/* SPDX-License-Identifier: MIT
 *
 * Who holds something in a database, and whether that owner lives. An owner is a host, a process on it, the start time
 * of the process (process numbers are reused) and a handle inside it. A host is its name, its boot and its process
 * namespace: containers share a name, many machines are called localhost, and a process number only means the same
 * where all three agree. The system of a host knows which of its processes live. An owner on another host renews its
 * lease, and counts as dead once it has not done so for the length of a lease; a renewal that lies further in the
 * future than a lease does not count. Times are those of the database (una_database_now), so the clocks of hosts may
 * differ.
 */
#pragma once

#include "store/database.h"

enum { UNA_OWNER_LEASE = 120 };          /* seconds                                                              */

enum { UNA_OWNER_HOST = 65 };            /* a host name, with its zero byte                                      */

typedef struct una_owner_name {
    char host[256];                      /* NAME/BOOT/NAMESPACE; older versions wrote NAME alone                 */
    char start[32], handle[32];
    long process;
    int64_t since;                       /* its last renewal, seconds since 1970                                     */
} una_owner_name;

/* The columns of an owner and its last renewal, as statements name them, and their types (una_sql_row_form). */
#define UNA_OWNER_COLUMNS "host, process, start, handle, since"
#define UNA_OWNER_TYPES   "twttw"
#define UNA_OWNER_CELLS(owner)                                                                             \
    una_sql_text((owner).host), una_sql_integer((owner).process), una_sql_text((owner).start), \
        una_sql_text((owner).handle)      /* all but the renewal */
/* From cells of these types. */
una_owner_name una_owner_in(const una_sql_value *cells);

/* This process as an owner; `handle` distinguishes owners within it. */
void una_owner_here(una_owner_name *me, const void *handle);
bool una_owner_same(const una_owner_name *a, const una_owner_name *b);
/* now: seconds since 1970; `me`: the owner that asks. Other handles of its own process live. */
bool una_owner_alive(const una_owner_name *owner, double now, const una_owner_name *me);
/* Has it renewed within a lease? */
bool una_owner_is_recent(const una_owner_name *owner, double now);
