/* SPDX-License-Identifier: MIT
 *
 * How much memory this process may have: four fifths of the machine's, or less where a control group of Linux says so.
 * Groups lie one within another, and each has a say: those of version 2 (memory.max, and memory.high, above which a
 * process is slowed down until it stands still), and of version 1 (memory.limit_in_bytes). Within a container the name
 * of the group may be one that only the machine outside knows; the folder at the top then is the container's own.
 */
#include "base/base.h"

#include <unistd.h>

enum { LINE = 4096 };

/* A number alone on the first line; UINT64_MAX: there is none, or it says "max". */
static uint64_t number_in(const char *path)
{
    char line[64] = "", *end = line;
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file)) *line = 0;
    if (file) fclose(file);
    unsigned long long value = *line >= '0' && *line <= '9' ? strtoull(line, &end, 10) : 0;
    return end == line || (*end && *end != '\n') ? UINT64_MAX : value;
}

/* The smallest limit that `file` states in the folder of the group and in the folders above it. */
static uint64_t least_above(const char *mount, const char *group, const char *file)
{
    char folder[LINE], path[2 * LINE];
    uint64_t least = UINT64_MAX;
    snprintf(folder, sizeof folder, "%s", group);
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", mount, folder, file);
        uint64_t found = number_in(path);
        if (found < least) least = found;
        char *last = strrchr(folder, '/');
        if (!last) return least;
        *last = 0;
    }
}

/* A line "0::/group" of version 2, or "7:cpu,memory:/group" of version 1. */
static uint64_t least_of_line(const char *root, char *line)
{
    char mount[LINE], *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    uint64_t least = UINT64_MAX;
    if (!group) return least;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (strcmp(group, "/") == 0) *group = 0;

    if (controllers[1] == 0) {
        static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
        static const char *const files[] = { "memory.max", "memory.high" };
        for (size_t i = 0; i < 4; i++) {
            snprintf(mount, sizeof mount, "%s%s", root, mounts[i / 2]);
            uint64_t found = least_above(mount, group, files[i % 2]);
            if (found < least) least = found;
        }
        return least;
    }
    for (const char *name = controllers + 1; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        if (strcspn(name, ",") != 6 || strncmp(name, "memory", 6) != 0) continue;
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/memory", root);
        least = least_above(mount, group, "memory.limit_in_bytes");
    }
    return least;
}

uint64_t una_cgroup_memory(const char *root)
{
    char path[LINE], line[LINE];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        uint64_t found = least_of_line(root, line);
        if (found < least) least = found;
    }
    if (file) fclose(file);
    return least;
}

uint64_t una_default_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 5 * 4 : UINT64_MAX;
    uint64_t group = una_cgroup_memory("");
    return UNA_MIN(group, machine);
}
