/* SPDX-License-Identifier: MIT
 *
 * The data folder: which files are there and intact, and files copied into it from another one.
 */
#include "sets/folder.h"

#include "base/archive.h"
#include "data/table.h"
#include "model/above.h"
#include "read/reader.h"

#include <errno.h>
#include <sha2.h>
#include <sys/stat.h>

/* ---- one file -------------------------------------------------------------------------------------------- */

const char *una_set_path(const char *folder, const char *path, una_arena *arena)
{
    una_text whole = una_text_in(arena);
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    una_text_add(&whole, "%.*s/%s", (int)length, folder, path);
    return arena->failed ? NULL : whole.at;
}

bool una_set_is(const una_data_file *file, const void *bytes, size_t size)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];
    if (size != file->bytes) return false;
    SHA256Data(bytes, size, sum);
    return strcmp(sum, file->sha256) == 0;
}

static bool path_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/* Only regular files of the right size are read: a pipe would block, and a huge file would be read for nothing. */
static una_status check_shape(const char *path, const una_data_file *file, una_run *run)
{
    enum { FAR = 64 << 20 };
    struct stat about;
    if (stat(path, &about) != 0) return UNA_OK;          /* reading it says why */
    if (!S_ISREG(about.st_mode)) UNA_FAIL(run, UNA_E_INPUT, "%s is not a plain file", path);
    if ((uint64_t)about.st_size <= file->bytes + FAR) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has %llu bytes, and the published file has %llu", path,
             (unsigned long long)about.st_size, (unsigned long long)file->bytes);
}

una_status una_set_read(unsigned char **bytes, size_t *size, const char *folder, const una_data_file *file,
                        una_arena *arena, una_run *run)
{
    const char *path = una_set_path(folder, file->path, arena);
    *bytes = NULL;
    UNA_TRY(una_arena_check(arena));
    if (!path_exists(path) || check_shape(path, file, run) != UNA_OK) return UNA_OK;
    una_status status = una_slurp(bytes, size, path, arena, run);
    if (status != UNA_OK || !una_set_is(file, *bytes, *size)) *bytes = NULL;
    return status == UNA_E_IO ? UNA_OK : status;         /* one that cannot be read is as good as damaged */
}

/* Every folder on the way to the file. */
static una_status make_folders(char *path, una_run *run)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            UNA_FAIL(run, UNA_E_IO, "cannot make the folder %s: %s; name another one with --data FOLDER", path,
                     strerror(errno));
        *slash = '/';
    }
    return UNA_OK;
}

una_status una_set_write(const char *folder, const una_data_file *file, const void *bytes, size_t size, una_run *run)
{
    char *path = una_arena_text(&run->scratch, una_set_path(folder, file->path, &run->scratch));
    una_file out;
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(make_folders(path, run));
    UNA_TRY(una_file_begin(&out, path, &run->scratch, run));
    UNA_TRY(una_file_write(&out, bytes, size, run));
    return una_file_commit(&out, run);
}

void una_set_sums(una_text *text, const una_data_file *file, const void *bytes, size_t size)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];
    SHA256Data(bytes, size, sum);
    una_text_add(text, "its sha256 is %s (%zu bytes), and the published file has %s (%llu bytes)", sum, size,
                 file->sha256, (unsigned long long)file->bytes);
}

una_status una_set_find(const una_known_set **known, size_t set, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    *known = una_known_set_at(set);
    if (*known) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "there is no data set number %zu; una_data_count() says how many there are", set);
}

static una_status check_file(una_data_state *state, const una_data_file *file, const char *folder, una_run *run)
{
    unsigned char *bytes;
    size_t size;
    const char *path = una_set_path(folder, file->path, &run->scratch);
    bool there = path && path_exists(path);
    UNA_TRY(una_set_read(&bytes, &size, folder, file, &run->scratch, run));
    if (there) *state = bytes ? UNA_DATA_INTACT : UNA_DATA_DAMAGED;
    return UNA_OK;
}

una_status una_data_check(una_data_state *state, size_t set, size_t file, const char *folder, una_run *run)
{
    const una_known_set *known;
    *state = UNA_DATA_ABSENT;
    UNA_TRY(una_set_find(&known, set, run));
    if (file >= known->set.file_count)
        UNA_FAIL(run, UNA_E_USAGE, "%s has %zu files, and number %zu was asked for", known->set.name,
                 known->set.file_count, file);
    UNA_SCOPED(run, check_file(state, &known->set.files[file], folder, run));
    return UNA_OK;
}

/* ---- from another folder --------------------------------------------------------------------------------- */

/* What can be said of a file that is not as published: rows that are missing, splits that do not fit. UNA_OK: nothing
 * but that it is another one. */
static una_status check_content(const una_known_set *known, const una_data_file *file, const char *path, una_run *run)
{
    const una_data_set *set = &known->set;
    if (!known->recipe.head) return UNA_OK;
    if (strcmp(strrchr(file->path, '.'), ".json") == 0) return una_splits_check(path, set->rows, set->inputs, run);

    una_dataset *data = NULL;
    UNA_TRY(una_dataset_read(&data, path, run));
    size_t rows = una_dataset_row_count(data), columns = una_dataset_column_count(data);
    una_dataset_free(data);
    if (rows == set->rows && columns == set->inputs + 1) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has %zu rows of %zu columns, and the published file has %zu of %zu", path, rows,
             columns, set->rows, set->inputs + 1);
}

static una_status refuse_data_file(const una_known_set *known, const una_data_file *file, const char *path,
                                   const unsigned char *bytes, size_t size, una_run *run)
{
    char why[480];
    una_text sums = una_text_in(&run->scratch);
    una_set_sums(&sums, file, bytes, size);
    UNA_TRY(una_arena_check(&run->scratch));
    una_status examined = check_content(known, file, path, run);
    if (examined == UNA_CANCELLED || examined == UNA_E_MEMORY) return examined;
    if (examined == UNA_OK) snprintf(why, sizeof why, "%.440s is not the published file", path);
    else snprintf(why, sizeof why, "%.479s", run->message);
    UNA_FAIL(run, UNA_E_INPUT, "%s: %s; nothing of %s was taken; copy the file again, or fetch it with "
             "'una data get %s'", why, sums.at, known->set.name, known->set.name);
}

typedef struct held { unsigned char *bytes; size_t size; } held;

/* What is imported: the set, and from which folder into which. */
typedef struct importing { const una_known_set *known; const char *folder, *from; una_run *run; } importing;

/* The bytes of a file that is to be written; NULL: of none. */
static una_status hold_file(held *h, size_t *found, const importing *i, const una_data_file *file)
{
    una_run *run = i->run;
    una_arena *arena = &run->scratch;
    const char *path = una_set_path(i->from, file->path, arena);
    held there;
    UNA_TRY(una_arena_check(arena));
    if (!path_exists(path)) return UNA_OK;
    UNA_TRY(una_tick(run, "looking at files", 0, NAN));
    UNA_TRY(check_shape(path, file, run));
    UNA_TRY(una_slurp(&h->bytes, &h->size, path, arena, run));
    if (!una_set_is(file, h->bytes, h->size)) return refuse_data_file(i->known, file, path, h->bytes, h->size, run);
    ++*found;
    UNA_TRY(una_set_read(&there.bytes, &there.size, i->folder, file, arena, run));
    if (there.bytes) h->bytes = NULL;
    return UNA_OK;
}

static una_status import_set(size_t *found, size_t *written, const importing *i)
{
    const una_data_set *set = &i->known->set;
    UNA_NEW(&i->run->scratch, held, files, set->file_count);
    for (size_t f = 0; f < set->file_count; f++) UNA_TRY(hold_file(&files[f], found, i, &set->files[f]));
    for (size_t f = 0; f < set->file_count; f++) {
        if (!files[f].bytes) continue;
        UNA_SCOPED(i->run, una_set_write(i->folder, &set->files[f], files[f].bytes, files[f].size, i->run));
        ++*written;
    }
    return UNA_OK;
}

una_status una_data_import(size_t *found, size_t *written, size_t set, const char *folder, const char *from,
                           una_run *run)
{
    importing i = { .folder = folder, .from = from, .run = run };
    *found = *written = 0;
    UNA_TRY(una_set_find(&i.known, set, run));
    UNA_SCOPED(run, import_set(found, written, &i));
    return UNA_OK;
}
