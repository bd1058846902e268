/* SPDX-License-Identifier: MIT
 *
 * See disk.h. A file is a body, which may have a name or none; a body that lost its last name is kept, for the name may
 * come back. The number of an inode is used again as soon as it is free: a number that comes back is a new body.
 */
#define _GNU_SOURCE

#include "disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH = 512, BLOCK = 4096, SECTOR = 512 };

typedef struct bytes { unsigned char *at; size_t size; } bytes;
typedef struct body { ino_t inode; bytes now, synced; } body;
typedef struct entry { char path[PATH]; size_t body; bool folder; } entry;       /* path: from the folder on      */
typedef struct listing { entry *at; size_t count, room; } listing;

struct disk {
    char    folder[PATH];
    body   *bodies;
    size_t  count, room;
    listing now, synced;
};

/* ---- small services ------------------------------------------------------------------------------------------ */

static void *grown(void *at, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room) return at;
    *room = 2 * needed + 16;
    at = realloc(at, *room * size);
    if (!at) abort();
    return at;
}

static void joined(char to[2 * PATH], const char *folder, const char *name)
{
    if (snprintf(to, 2 * PATH, "%s%s%s", folder, *folder && *name ? "/" : "", name) >= 2 * PATH) abort();
}

static bytes copy_of(const bytes *b)
{
    bytes copy = { malloc(b->size + 1), b->size };
    if (!copy.at) abort();
    memcpy(copy.at, b->at, b->size);
    return copy;
}

static bool same(const bytes *a, const bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->at, b->at, a->size) == 0);
}

static void load(bytes *b, const char *path)
{
    struct stat about;
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    if (handle < 0 || fstat(handle, &about) != 0) abort();
    free(b->at);
    *b = (bytes){ malloc((size_t)about.st_size + 1), (size_t)about.st_size };
    for (size_t got = 0; got < b->size;) {
        ssize_t now = read(handle, b->at + got, b->size - got);
        if (now <= 0) abort();
        got += (size_t)now;
    }
    close(handle);
}

/* ---- what is there now ---------------------------------------------------------------------------------------- */

/* Of the names that there were a moment ago. */
static size_t body_named(const disk *d, const listing *before, ino_t inode)
{
    for (size_t i = 0; i < before->count; i++)
        if (!before->at[i].folder && d->bodies[before->at[i].body].inode == inode) return before->at[i].body;
    return SIZE_MAX;
}

static size_t find_body(disk *d, const listing *before, ino_t inode)
{
    size_t found = body_named(d, before, inode);
    if (found == SIZE_MAX) found = body_named(d, &d->now, inode);
    if (found != SIZE_MAX) return found;
    d->bodies = grown(d->bodies, &d->room, d->count + 1, sizeof *d->bodies);
    d->bodies[d->count] = (body){ .inode = inode, .now = { calloc(1, 1), 0 }, .synced = { calloc(1, 1), 0 } };
    return d->count++;
}

static void add_entry(listing *l, const char *path, size_t body_index, bool folder)
{
    l->at = grown(l->at, &l->room, l->count + 1, sizeof *l->at);
    entry *e = &l->at[l->count++];
    if (snprintf(e->path, sizeof e->path, "%s", path) >= PATH) abort();
    e->body = body_index;
    e->folder = folder;
}

/* Folders come before what is in them. */
static void look_into(disk *d, const listing *before, const char *inside)
{
    char path[2 * PATH], below[2 * PATH];
    joined(path, d->folder, inside);
    DIR *open_folder = opendir(path);
    for (const struct dirent *e; open_folder && (e = readdir(open_folder));) {
        struct stat about;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        joined(below, inside, e->d_name);
        joined(path, d->folder, below);
        if (lstat(path, &about) != 0 || (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) continue;
        if (S_ISDIR(about.st_mode)) {
            add_entry(&d->now, below, 0, true);
            look_into(d, before, below);
        } else {
            size_t index = find_body(d, before, about.st_ino);
            load(&d->bodies[index].now, path);
            add_entry(&d->now, below, index, false);
        }
    }
    if (open_folder) closedir(open_folder);
}

static void look(disk *d)
{
    listing before = d->now;
    d->now = (listing){0};
    look_into(d, &before, "");
    free(before.at);
}

disk *disk_of(const char *folder)
{
    disk *d = calloc(1, sizeof *d);
    if (!d) abort();
    if (snprintf(d->folder, sizeof d->folder, "%s", folder) >= PATH) abort();
    look(d);
    for (size_t i = 0; i < d->count; i++) {
        free(d->bodies[i].synced.at);
        d->bodies[i].synced = copy_of(&d->bodies[i].now);
    }
    for (size_t i = 0; i < d->now.count; i++)
        add_entry(&d->synced, d->now.at[i].path, d->now.at[i].body, d->now.at[i].folder);
    return d;
}

void disk_free(disk *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->bodies[i].now.at);
        free(d->bodies[i].synced.at);
    }
    free(d->bodies);
    free(d->now.at);
    free(d->synced.at);
    free(d);
}

/* ---- syncing -------------------------------------------------------------------------------------------------- */

static bool is_in(const char *path, const char *folder)          /* directly */
{
    size_t length = strlen(folder);
    if (length == 0) return !strchr(path, '/');
    return strncmp(path, folder, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/');
}

static void sync_names(disk *d, const char *folder)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->synced.count; i++)
        if (!is_in(d->synced.at[i].path, folder)) d->synced.at[kept++] = d->synced.at[i];
    d->synced.count = kept;
    for (size_t i = 0; i < d->now.count; i++)
        if (is_in(d->now.at[i].path, folder))
            add_entry(&d->synced, d->now.at[i].path, d->now.at[i].body, d->now.at[i].folder);
}

static void sync_handle(disk *d, const call *c)
{
    char link[64], path[PATH];
    struct stat about;
    snprintf(link, sizeof link, "/proc/%ld/fd/%d", (long)c->thread, (int)c->argument[0]);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || stat(link, &about) != 0) return;
    path[length] = 0;
    size_t root = strlen(d->folder);
    if (S_ISDIR(about.st_mode) && strncmp(path, d->folder, root) == 0 && (!path[root] || path[root] == '/'))
        sync_names(d, path + root + (path[root] == '/'));
    size_t index = S_ISREG(about.st_mode) ? body_named(d, &d->now, about.st_ino) : SIZE_MAX;
    if (index == SIZE_MAX) return;
    free(d->bodies[index].synced.at);
    d->bodies[index].synced = copy_of(&d->bodies[index].now);
}

void disk_see(disk *d, const call *c, bool before)
{
    bool syncs = c->number == SYS_fsync || c->number == SYS_fdatasync;
    if (before || syncs) look(d);
    if (!before && syncs && c->result == 0) sync_handle(d, c);
}

/* ---- after the loss --------------------------------------------------------------------------------------------- */

enum { ALL, NOTHING, ZEROS, SECTORS, WAYS };     /* of bytes that were not synced */
static const char *const way_name[WAYS] = { "all bytes", "no bytes", "zeros for bytes", "every second sector" };

static bool same_names(const disk *d)
{
    if (d->now.count != d->synced.count) return false;
    for (size_t i = 0; i < d->now.count; i++) {
        bool found = false;
        for (size_t j = 0; j < d->synced.count && !found; j++)
            found = strcmp(d->now.at[i].path, d->synced.at[j].path) == 0 && d->now.at[i].body == d->synced.at[j].body;
        if (!found) return false;
    }
    return true;
}

static bool same_bytes(const disk *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (!same(&d->bodies[i].now, &d->bodies[i].synced)) return false;
    return true;
}

size_t disk_states(const disk *d)
{
    return (size_t)(same_names(d) ? 1 : 2) * (same_bytes(d) ? 1 : WAYS);
}

static int way_of(const disk *d, size_t state) { return same_bytes(d) ? ALL : (int)(state % WAYS); }
static bool has_new_names(const disk *d, size_t state) { return state / (same_bytes(d) ? 1 : WAYS) == 0; }

const char *disk_state_name(const disk *d, size_t state)
{
    static char text[128];
    snprintf(text, sizeof text, "%s, %s", has_new_names(d, state) ? "new names" : "synced names",
             way_name[way_of(d, state)]);
    return text;
}

/* A piece of a body that was not synced. */
static void put_piece(FILE *file, const body *b, int way, size_t from, size_t size)
{
    static const unsigned char zeros[BLOCK];
    size_t old = from < b->synced.size ? b->synced.size - from : 0;
    bool kept = old >= size && memcmp(b->now.at + from, b->synced.at + from, size) == 0;
    if (old > size) old = size;
    if (kept || (way == SECTORS && from / SECTOR % 2)) {
        fwrite(b->now.at + from, 1, size, file);
    } else if (way == SECTORS) {
        fwrite(b->synced.at + from, 1, old, file);
        fwrite(zeros, 1, size - old, file);
    } else {
        fwrite(zeros, 1, size, file);
    }
}

static void write_body(const body *b, int way, const char *path)
{
    FILE *file = fopen(path, "wbe");
    if (!file) abort();
    bool simple = way == ALL || way == NOTHING || same(&b->now, &b->synced);
    if (way == ALL || same(&b->now, &b->synced)) fwrite(b->now.at, 1, b->now.size, file);
    else if (way == NOTHING) fwrite(b->synced.at, 1, b->synced.size, file);
    size_t piece = way == SECTORS ? SECTOR : BLOCK;
    for (size_t i = 0; !simple && i < b->now.size; i += piece)
        put_piece(file, b, way, i, b->now.size - i < piece ? b->now.size - i : piece);
    if (fclose(file) != 0) abort();
}

void disk_show(const disk *d, size_t state, const char *to)
{
    const listing *names = has_new_names(d, state) ? &d->now : &d->synced;
    char path[2 * PATH];
    for (int files = 0; files < 2; files++) {
        for (size_t i = 0; i < names->count; i++) {
            const entry *e = &names->at[i];
            joined(path, to, e->path);
            if (!files && e->folder) mkdir(path, 0777);
            char *slash = strrchr(path, '/');
            if (!files || e->folder) continue;
            *slash = 0;
            bool reachable = access(path, F_OK) == 0;    /* in a folder whose own name was not lost */
            *slash = '/';
            if (reachable) write_body(&d->bodies[e->body], way_of(d, state), path);
        }
    }
}
