/* SPDX-License-Identifier: MIT
 *
 * Paths and other small services. What can be checked before hours of work is checked here, before them.
 */
#define _XOPEN_SOURCE 700        /* readlink */

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

/* ---- what is read and what is written ------------------------------------------------------------------- */

typedef struct place {           /* a file of the command line                                      */
    const char *dashes, *name;   /* "--", "out", or "", "DATA"                                      */
    const char *path;
    cli_type    type;
    bool        there, special;  /* special: no plain file, but a pipe, a device or an open stream */
    dev_t       device;          /* of the file; of its folder where there is none yet              */
    ino_t       inode;
    char       *goal;            /* the path, with links followed to a name that is none            */
} place;

bool cli_is_path(cli_type type)
{
    return type == CLI_FILE || type == CLI_WRITTEN || type == CLI_RENEWED;
}

/* Also where the last link leads to nothing yet. */
static char *links_followed(const char *path)
{
    enum { MOST_LINKS = 40, ROOM = 4096 };
    char link[ROOM], *goal = cli_join("", path);
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = readlink(goal, link, sizeof link - 1);
        if (length < 0) break;
        link[length] = 0;
        goal[base_name(goal) - goal] = 0;
        char *next = cli_join(*link == '/' ? "" : goal, link);
        free(goal);
        goal = next;
    }
    return goal;
}

/* Of a path that names an open stream, even where that leads to a plain file. */
static bool names_stream(const char *path)
{
    static const char *const names[] = { "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(path, names[i], strlen(names[i])) == 0) return true;
    }
    return false;
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

static char *folder_of(const char *path)
{
    size_t length = (size_t)(base_name(path) - path);
    char *folder = cli_memory(length + 2, 1);
    memcpy(folder, length ? path : ".", length ? length : 1);
    return folder;
}

static void identify(place *p)
{
    struct stat about = {0};
    p->goal = links_followed(p->path);
    p->there = stat(p->path, &about) == 0;
    p->special = (p->there && !S_ISREG(about.st_mode)) || (p->type == CLI_WRITTEN && names_stream(p->path));
    if (!p->there) {
        char *folder = folder_of(p->goal);
        if (stat(folder, &about) != 0) p->special = true;        /* and not even a folder to make one in */
        free(folder);
    }
    p->device = about.st_dev;
    p->inode = about.st_ino;
}

static bool same_file(const place *a, const place *b)
{
    if (a->special || b->special || a->there != b->there) return false;
    if (a->device != b->device || a->inode != b->inode) return false;
    return a->there || strcmp(base_name(a->goal), base_name(b->goal)) == 0;
}

/* Files that the command line names; `flag` has `path`. The array has room for all operands and flags. */
static size_t find_places(const cli *c, place *places, const char *flag, const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < c->operand_count; i++) {
        const cli_operand *operand = &c->verb->operands[i];
        if (!cli_is_path(operand->type)) continue;
        places[count++] = (place){ .dashes = "", .name = operand->name, .path = c->operand[i], .type = operand->type };
    }

    for (const cli_flag *f = c->verb->flags; f->name; f++) {
        const char *given = strcmp(f->name, flag) == 0 ? path : cli_text(c, f->name);
        if (!given || !cli_is_path(f->type)) continue;
        places[count++] = (place){ .dashes = "--", .name = f->name, .path = given, .type = f->type };
    }

    for (size_t i = 0; i < count; i++) identify(&places[i]);
    return count;
}

static una_status check_writable(const cli *c, const place *p)
{
    struct stat about;
    if (!*p->path) return cli_fail(c, UNA_E_USAGE, "--%s needs a file name", p->name);
    if (stat(p->path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return cli_fail(c, UNA_E_IO, "cannot write %s: it is a folder; give a file name with --%s", p->path, p->name);
    }
    if (p->there && p->special) return UNA_OK;
    if (p->there && access(p->path, W_OK) != 0) {
        return cli_fail(c, UNA_E_IO, "cannot write %s: %s; choose another place with --%s", p->path, strerror(errno),
                        p->name);
    }

    char *folder = folder_of(p->goal);
    una_status result = UNA_OK;
    if (access(folder, W_OK) != 0) {
        result = cli_fail(c, UNA_E_IO, "cannot write %s: the folder %s: %s; choose another place with --%s", p->path,
                          folder, strerror(errno), p->name);
    }
    free(folder);
    return result;
}

static una_status check_apart(const cli *c, const place *p, const place *other)
{
    bool may_replace = other->type == CLI_RENEWED || (other->type == CLI_FILE && !other->there);
    if (may_replace || !same_file(p, other)) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--%s %s would overwrite %s%s %s: both are the same file; give --%s another name",
                    p->name, p->path, other->dashes, other->name, other->path, p->name);
}

static una_status check_place(cli *c, const place *p, const place *places, size_t count)
{
    una_status status = check_writable(c, p);
    for (size_t i = 0; i < count && status == UNA_OK; i++) {     /* of two that are written, the later one looks */
        if (places[i].type != CLI_WRITTEN || &places[i] < p) status = check_apart(c, p, &places[i]);
    }
    if (status != UNA_OK || !is_stdout(p->path)) return status;
    c->stdout_taken = true;
    if (!c->json) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--%s %s and the object of --json cannot share the standard output; give --%s a "
                    "file", p->name, p->path, p->name);
}

una_status cli_check_files(cli *c, const char *flag, const char *path)
{
    size_t room = c->operand_count, count;
    for (const cli_flag *f = c->verb->flags; f->name; f++) room++;
    place *places = cli_memory(room, sizeof *places);
    count = find_places(c, places, flag, path);
    una_status status = UNA_OK;
    for (size_t i = 0; i < count && status == UNA_OK; i++) {
        if (places[i].type == CLI_WRITTEN) status = check_place(c, &places[i], places, count);
    }
    for (size_t i = 0; i < count; i++) free(places[i].goal);
    free(places);
    return status;
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
