/* SPDX-License-Identifier: MIT
 *
 * Paths and other small services. What can be checked before hours of work is checked here, before them.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *cli_memory(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (block) return block;
    fputs("una: out of memory.\n", stderr);
    exit(UNA_E_MEMORY);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cli_default_out(const char *data, const char *ending)
{
    const char *name = base_name(data);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = length; i-- > 1;) {
        if (name[i] == '.') {
            length = i;
            break;
        }
    }
    size_t size = length + strlen(ending) + 1;
    char *path = cli_memory(size, 1);
    snprintf(path, size, "%.*s%s", (int)length, name, ending);
    return path;
}

char *cli_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = cli_memory(size, 1);
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    return path;
}

static bool same_file(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

una_status cli_check_out(const cli *c, const char *flag, const char *path, const char *input)
{
    if (!path) return UNA_OK;
    if (!*path) return cli_fail(c, UNA_E_USAGE, "%s needs a file name", flag);
    if (input && same_file(path, input)) {
        return cli_fail(c, UNA_E_USAGE, "%s would overwrite the input file %s; choose another name", flag, input);
    }
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return cli_fail(c, UNA_E_IO, "cannot write %s: it is a folder; give a file name with %s", path, flag);
    }
    const char *name = base_name(path);
    char *folder = cli_memory(strlen(path) + 2, 1);
    memcpy(folder, path, (size_t)(name - path));
    bool writable = access(*folder ? folder : ".", W_OK) == 0;
    int why = errno;
    una_status result = UNA_OK;
    if (!writable) {
        result = cli_fail(c, UNA_E_IO, "cannot write %s: the folder %s: %s; choose another place with %s", path,
                          *folder ? folder : ".", strerror(why), flag);
    }
    free(folder);
    return result;
}

una_status cli_check_chart(const cli *c, const char *path)
{
    static const char *const endings[] = { ".svg", ".pdf", ".png" };
    size_t length = path ? strlen(path) : 0;
    for (size_t i = 0; path && i < 3; i++) {
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) return UNA_OK;
    }
    if (!path) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--chart %s: the ending says which format; use .svg, .pdf or .png", path);
}

size_t cli_kind_find(const char *name)
{
    for (size_t kind = 0; kind < una_kind_count(); kind++) {
        if (strcmp(una_kind_name(kind), name) == 0) return kind;
    }
    return SIZE_MAX;
}
