/* SPDX-License-Identifier: MIT
 *
 * Who holds something, and whether he lives: of this host the system knows, of another host his last sign of life.
 */
#include "sweep/owner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* When a process began, from /proc/PID/stat; false: it has ended. Where there is no /proc, any process that exists is
 * taken for the one that is meant. */
static bool process_start(char start[32], long process)
{
    char path[64], line[1024], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    start[0] = 0;
    if (process <= 0 || (kill((pid_t)process, 0) != 0 && errno == ESRCH)) return false;

    FILE *file = fopen(path, "re");
    if (!file) return true;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;

    /* The name of the program stands in brackets and may hold anything; the start is field 22. */
    char *at = strrchr(line, ')');
    static const char fields[] = " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %31s";
    if (!at || sscanf(at + 1, fields, &state, start) != 2) return true;
    return state != 'Z' && state != 'X';         /* killed, but not yet taken note of */
}

void una_owner_here(una_owner_name *me, const void *handle)
{
    *me = (una_owner_name){ .process = (long)getpid() };
    if (gethostname(me->host, sizeof me->host) != 0) me->host[0] = 0;
    me->host[sizeof me->host - 1] = 0;
    process_start(me->start, me->process);
    snprintf(me->handle, sizeof me->handle, "%p", handle);
}

static bool same_process(const una_owner_name *a, const una_owner_name *b)
{
    return a->process == b->process && strcmp(a->start, b->start) == 0 && strcmp(a->host, b->host) == 0;
}

bool una_owner_same(const una_owner_name *a, const una_owner_name *b)
{
    return same_process(a, b) && strcmp(a->handle, b->handle) == 0;
}

bool una_owner_alive(const una_owner_name *him, int64_t since, const una_owner_name *me)
{
    char now[32];
    double age = (double)time(NULL) - (double)since;             /* of a stranger's file it may be any number */
    if (strcmp(him->host, me->host) != 0) return age < UNA_OWNER_LEASE && age > -UNA_OWNER_LEASE;
    if (same_process(him, me)) return true;
    return process_start(now, him->process) && (!*now || strcmp(now, him->start) == 0);
}
