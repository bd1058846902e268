/* SPDX-License-Identifier: MIT
 *
 * The files that a command line reads and writes, from the tables of its verb: an output must be writable and must not
 * be the same file as another one. Checked before hours of work, not after them.
 */
#define _XOPEN_SOURCE 700        /* readlink */

#include "cli.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct path_entry {
    const char *dashes, *name;   /* "--", "out", or "", "DATA"                                      */
    cli_type    type;
    const char *path, *destination; /* as given; with links followed to a name that is none         */
    bool        there, special;  /* special: no plain file, but a pipe, a device or an open stream  */
    dev_t       device;          /* of the file; of its folder where there is none yet              */
    ino_t       inode;
} path_entry;

typedef struct path_list { path_entry *at; size_t count; } path_list;

bool cli_is_path(cli_type type)
{
    return type == CLI_FILE || type == CLI_FILE_OUT || type == CLI_FILE_UPDATED;
}

/* ---- one file ---------------------------------------------------------------------------------------- */

/* Follows links, also where the last one leads to nothing yet. */
static char *links_followed(const char *path)
{
    enum { MOST_LINKS = 40, ROOM = 4096 };
    char link[ROOM], *destination = cli_join("", path);
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = readlink(destination, link, sizeof link - 1);
        if (length < 0) break;
        link[length] = 0;
        destination[cli_base_name(destination) - destination] = 0;
        destination = cli_join(*link == '/' ? "" : destination, link);
    }
    return destination;
}

static char *folder_of_path(const char *path)
{
    size_t length = (size_t)(cli_base_name(path) - path);
    char *folder = cli_alloc(length + 2, 1);
    memcpy(folder, length ? path : ".", length ? length : 1);
    return folder;
}

/* Whether the path names an open stream, even one that is a plain file. */
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

static void identify_file(path_entry *p)
{
    struct stat about = {0};
    p->destination = links_followed(p->path);
    p->there = stat(p->path, &about) == 0;
    p->special = (p->there && !S_ISREG(about.st_mode)) || (p->type == CLI_FILE_OUT && names_stream(p->path));
    if (!p->there && stat(folder_of_path(p->destination), &about) != 0)
        p->special = true;       /* and not even a folder to make one in */
    p->device = about.st_dev;
    p->inode = about.st_ino;
}

static bool same_file(const path_entry *a, const path_entry *b)
{
    if (a->special || b->special || a->there != b->there) return false;
    if (a->device != b->device || a->inode != b->inode) return false;
    return a->there || strcmp(cli_base_name(a->destination), cli_base_name(b->destination)) == 0;
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static void add_path(path_list *all, const char *dashes, const char *name, cli_type type, const char *path)
{
    all->at = cli_more(all->at, all->count, sizeof *all->at);
    path_entry *p = &all->at[all->count++];
    *p = (path_entry){ .dashes = dashes, .name = name, .type = type, .path = path };
    identify_file(p);
}

/* Options name files too, as in values=heads.csv, also in lists of models and in --over: any value that is the name of
 * a file. */
static const char before_value[] = "=|";

static void add_option_files(path_list *all, const cli_given *given)
{
    for (const char *at = strpbrk(given->value, before_value); at; at = strpbrk(at, before_value)) {
        at += 1 + strspn(at + 1, " ");
        bool quoted = *at == '"';
        at += quoted;
        struct stat about;
        size_t length = strcspn(at, quoted ? "\"" : ",)|");
        while (!quoted && length > 0 && at[length - 1] == ' ') length--;
        char *path = cli_alloc(length + 1, 1);
        memcpy(path, at, length);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            add_path(all, "--", given->flag->name, CLI_FILE, path);
    }
}

/* The paths of the command line, with `path` in place of the value of `flag`. */
static path_list find_places(const cli *c, const char *flag, const char *path)
{
    path_list all = {0};
    for (size_t i = 0; i < c->operand_count; i++) {
        const cli_operand *o = cli_operand_at(c->verb, i);
        if (cli_is_path(o->type)) add_path(&all, "", o->name, o->type, c->operand[i]);
    }

    for (const cli_flag *f = c->verb->flags; f && f->name; f++) {
        const char *given = flag && strcmp(f->name, flag) == 0 ? path : cli_text(c, f->name);
        if (given && cli_is_path(f->type)) add_path(&all, "--", f->name, f->type, given);
    }

    for (size_t i = 0; i < c->given_count; i++) {
        cli_type type = c->given[i].flag->type;
        if (type == CLI_MODEL || type == CLI_OPTION || type == CLI_TEXT) add_option_files(&all, &c->given[i]);
    }
    return all;
}

/* ---- checks ------------------------------------------------------------------------------------------ */

static una_status check_writable(const cli *c, const path_entry *p)
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

    char *folder = folder_of_path(p->destination);
    if (access(folder, W_OK) == 0) return UNA_OK;
    return cli_fail(c, UNA_E_IO, "cannot write %s: the folder %s: %s; choose another place with --%s", p->path, folder,
                    strerror(errno), p->name);
}

static una_status check_apart(const cli *c, const path_entry *p, const path_entry *other)
{
    bool may_replace = other->type == CLI_FILE_UPDATED || (other->type == CLI_FILE && !other->there);
    if (may_replace || !same_file(p, other)) return UNA_OK;
    const char *name = other->name + (*other->name == '[');                /* "[DATA]", "DATA..." */
    return cli_fail(c, UNA_E_USAGE, "--%s %s would overwrite %s%.*s %s: both are the same file; give --%s another name",
                    p->name, p->path, other->dashes, (int)strcspn(name, ".]"), name, other->path, p->name);
}

bool cli_is_sqlite_file(const char *path)
{
    static const char begin[] = "SQLite format 3";
    char bytes[sizeof begin] = {0};
    FILE *file = fopen(path, "rbe");
    if (!file) return false;
    bool all = fread(bytes, 1, sizeof begin, file) == sizeof begin;
    fclose(file);
    return all && memcmp(bytes, begin, sizeof begin) == 0;
}

/* SQLite keeps files beside a database: anything else written there would damage it. */
static una_status check_beside(const cli *c, const path_entry *p, const path_entry *database)
{
    static const char *const endings[] = { "-wal", "-shm", "-journal" };
    bool may_be = p->type == CLI_FILE_OUT && database->there && !database->special &&
                  cli_is_sqlite_file(database->path);
    for (size_t i = 0; may_be && i < sizeof endings / sizeof *endings; i++) {
        path_entry beside = { .type = CLI_FILE, .path = cli_formatted("%s%s", database->destination, endings[i]) };
        identify_file(&beside);
        if (same_file(p, &beside))
            return cli_fail(c, UNA_E_USAGE, "--%s %s would overwrite a part of the database %s: SQLite keeps changes "
                            "in files of such names; give --%s another name", p->name, p->path, database->path,
                            p->name);
    }
    return UNA_OK;
}

static una_status check_place(cli *c, const path_entry *p, const path_list *all)
{
    CLI_TRY(check_writable(c, p));
    for (size_t i = 0; i < all->count; i++) {            /* of two that are written, the later looks */
        if (all->at[i].type != CLI_FILE_OUT || &all->at[i] < p) CLI_TRY(check_apart(c, p, &all->at[i]));
        CLI_TRY(check_beside(c, p, &all->at[i]));
    }
    if (!is_stdout(p->path)) return UNA_OK;
    c->stdout_taken = true;
    if (!c->json) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--%s %s and the object of --json cannot share the standard output; give --%s a "
                    "file", p->name, p->path, p->name);
}

una_status cli_check_files(cli *c, const char *flag, const char *path)
{
    path_list all = find_places(c, flag, path);
    for (size_t i = 0; i < all.count; i++) {
        if (all.at[i].type == CLI_FILE_OUT) CLI_TRY(check_place(c, &all.at[i], &all));
    }
    return UNA_OK;
}

una_status cli_check_created(const cli *c, const char *flag, const char *name)
{
    const char *folder = cli_text(c, flag);
    if (!folder || cli_rank() > 0) return UNA_OK;
    path_list all = find_places(c, NULL, NULL);
    path_entry made = { .dashes = "--", .name = flag, .type = CLI_FILE_OUT, .path = cli_join(folder, name) };
    identify_file(&made);
    for (size_t i = 0; i < all.count; i++) CLI_TRY(check_apart(c, &made, &all.at[i]));
    return UNA_OK;
}
