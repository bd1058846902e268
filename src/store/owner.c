/* SPDX-License-Identifier: MIT
 *
 * Who holds a claim, a trial or a turn, and whether that owner lives: the system knows its own processes; owners
 * elsewhere show it by renewing.
 */
#include "store/owner.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
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
    return state != 'Z' && state != 'X';         /* killed, but not yet waited for */
}

/* A random word that the system makes at boot; "" where there is none. */
static void read_boot(char boot[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    size_t length = file ? fread(boot, 1, 39, file) : 0;
    if (file) fclose(file);
    boot[length] = 0;
    boot[strcspn(boot, "/\n")] = 0;
}

static void name_place(char place[256])
{
    char name[UNA_OWNER_HOST], boot[40];
    struct stat namespace;
    bool known = stat("/proc/self/ns/pid", &namespace) == 0;
    if (gethostname(name, sizeof name) != 0) name[0] = 0;
    name[sizeof name - 1] = 0;
    name[strcspn(name, "/")] = 0;
    read_boot(boot);
    snprintf(place, 256, "%s/%s/%llu", name, boot, known ? (unsigned long long)namespace.st_ino : 0);
}

void una_owner_here(una_owner_name *me, const void *handle)
{
    *me = (una_owner_name){ .process = (long)getpid() };
    name_place(me->host);
    process_start(me->start, me->process);
    snprintf(me->handle, sizeof me->handle, "%p", handle);
}

una_owner_name una_owner_in(const una_sql_value *cells)
{
    una_owner_name owner = { .process = (long)cells[1].whole, .since = cells[4].whole };
    snprintf(owner.host, sizeof owner.host, "%s", cells[0].text);
    snprintf(owner.start, sizeof owner.start, "%s", cells[2].text);
    snprintf(owner.handle, sizeof owner.handle, "%s", cells[3].text);
    return owner;
}

static bool same_process(const una_owner_name *a, const una_owner_name *b)
{
    return a->process == b->process && strcmp(a->start, b->start) == 0 && strcmp(a->host, b->host) == 0;
}

bool una_owner_same(const una_owner_name *a, const una_owner_name *b)
{
    return same_process(a, b) && strcmp(a->handle, b->handle) == 0;
}

bool una_owner_is_recent(const una_owner_name *owner, double now)
{
    return fabs(now - (double)owner->since) < UNA_OWNER_LEASE;   /* in an untrusted file it may be any number */
}

bool una_owner_alive(const una_owner_name *owner, double now, const una_owner_name *me)
{
    char start[32];
    if (strcmp(owner->host, me->host) != 0) return una_owner_is_recent(owner, now);
    if (same_process(owner, me)) return true;
    return process_start(start, owner->process) && (!*start || strcmp(start, owner->start) == 0);
}
