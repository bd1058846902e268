/* SPDX-License-Identifier: MIT
 *
 * Files of the catalogue from servers: as they are from a mirror of the folder, or made of the public originals. What
 * has come is checked in memory, and all files of a set are there before the first is written.
 */
#include "sets/download.h"
#include "sets/folder.h"
#include "sets/original.h"

#include <sys/stat.h>

static const double usual_patience = 30;

typedef struct getting {
    const una_known_set     *known;
    const char              *folder;
    const una_data_settings *how;
    una_server              *server;
    una_arena                keep;       /* what has come; scratch is for less */
    unsigned char          **bytes;      /* [files] to be written; NULL: it is there */
    size_t                  *size;
    size_t                   fetched, wanted;    /* downloads, for progress */
    una_run                 *run;
} getting;

/* ---- a file ---------------------------------------------------------------------------------------------- */

static una_status fetch_address(unsigned char **bytes, size_t *size, getting *g, const char *address, size_t most,
                                size_t expected)
{
    struct stat about;
    const char *name = strrchr(address, '/'), *path = address + strlen("file://");
    bool local = strncmp(address, "file://", strlen("file://")) == 0 && stat(path, &about) == 0;
    if (local && !S_ISREG(about.st_mode))                /* opening a pipe would wait for whoever writes into it */
        UNA_FAIL(g->run, UNA_E_INPUT, "%s is not an ordinary file; give the address of a folder that has the files of "
                 "the catalogue", path);
    una_text stage = una_text_in(&g->keep);
    una_text_add(&stage, "fetching %s of %s", name ? name + 1 : address, g->known->set.name);
    UNA_TRY(una_arena_check(&g->keep));
    double from = (double)g->fetched / (double)g->wanted, to = (double)++g->fetched / (double)g->wanted;
    una_download_request wanted = { address, stage.at, most, expected };
    UNA_STAGE(g->run, from < 1 ? from : 1, to < 1 ? to : 1,
              una_download(bytes, size, g->server, &wanted, &g->keep, g->run));
    return UNA_OK;
}

static una_status check_sum(getting *g, size_t f, const char *address)
{
    const una_data_file *file = &g->known->set.files[f];
    if (una_set_is(file, g->bytes[f], g->size[f])) return UNA_OK;
    una_text sums = una_text_in(&g->keep);
    una_set_sums(&sums, file, g->bytes[f], g->size[f]);
    UNA_TRY(una_arena_check(&g->keep));
    UNA_FAIL(g->run, UNA_E_INPUT, "%s from %s is not the published file: %s; nothing of %s was written; try another "
             "place with --from URL, or a folder with 'una data import DIR'", file->path, address, sums.at,
             g->known->set.name);
}

/* The file itself, from a folder on a server. */
static una_status fetch_file(getting *g, size_t f, const char *folder, const char *name)
{
    enum { LITTLE = 1024 };              /* a longer page that explains itself is told from a file without end */
    const una_data_file *file = &g->known->set.files[f];
    const char *address = una_set_path(folder, name, &g->keep);
    UNA_TRY(una_arena_check(&g->keep));
    UNA_TRY(fetch_address(&g->bytes[f], &g->size[f], g, address, (size_t)file->bytes + LITTLE, (size_t)file->bytes));
    return check_sum(g, f, address);
}

/* ---- originals ------------------------------------------------------------------------------------------- */

static una_status take_rows_text(getting *g, size_t f, const una_text *text, const char *address)
{
    UNA_TRY(una_arena_check(&g->keep));
    g->bytes[f] = (unsigned char *)text->at;
    g->size[f] = text->length;
    return check_sum(g, f, address);
}

static una_status make_rows(getting *g)
{
    const una_data_set *set = &g->known->set;
    size_t size, most = 4 * (size_t)set->files[0].bytes + (64 << 10);    /* some originals are in long form */
    unsigned char *bytes;
    double *values;
    una_text csv = una_text_in(&g->keep);
    UNA_TRY(fetch_address(&bytes, &size, g, set->source, most, (size_t)set->files[0].bytes));
    UNA_TRY(una_original_read(&values, g->known, (char *)bytes, size, set->source, &g->keep, g->run));
    UNA_TRY(una_original_rows(&csv, g->known, values));
    return take_rows_text(g, 0, &csv, set->source);
}

static una_status make_splits(getting *g)
{
    static const char *const parts[] = { "train", "test" };
    enum { A_ROW = 26, MORE = 1024 };    /* bytes of a line, also of one that NumPy wrote in long form */
    const una_data_set *set = &g->known->set;
    una_text json = una_text_in(&g->keep);
    double *values;
    unsigned char *rows = g->bytes[0];                           /* our own, which have come or are there */
    size_t size = g->size[0];
    if (!rows) UNA_TRY(una_set_read(&rows, &size, g->folder, &set->files[0], &g->keep, g->run));
    if (!rows) UNA_FAIL(g->run, UNA_E_IO, "%s has changed while its splits were fetched", set->files[0].path);
    UNA_TRY(una_original_reread(&values, g->known, (char *)rows, size, &g->keep, g->run));
    UNA_TRY(una_original_splits_begin(&json, g->known, g->run));
    for (size_t i = 0; i < set->inputs; i++) {
        una_gap_texts texts;
        for (int p = 0; p < 2; p++) {
            char name[64];
            unsigned char *bytes;
            snprintf(name, sizeof name, "index_%s_%zu.txt", parts[p], i);
            texts.from[p] = una_set_path(g->known->recipe.gaps, name, &g->keep);
            UNA_TRY(una_arena_check(&g->keep));
            UNA_TRY(fetch_address(&bytes, &texts.size[p], g, texts.from[p], A_ROW * set->rows + MORE, 0));
            texts.text[p] = (char *)bytes;
        }
        UNA_TRY(una_original_gap(&json, g->known, values, i, &texts, g->run));
    }
    una_original_splits_end(&json);
    return take_rows_text(g, 1, &json, g->known->recipe.gaps);
}

/* ---- a set ----------------------------------------------------------------------------------------------- */

static una_status get_set(size_t *written, getting *g)
{
    const una_data_set *set = &g->known->set;
    UNA_NEW(&g->keep, bool, missing, set->file_count);
    UNA_NEW_AT(&g->keep, g->bytes, set->file_count);
    UNA_NEW_AT(&g->keep, g->size, set->file_count);
    for (size_t f = 0; f < set->file_count; f++) {
        unsigned char *bytes = NULL;
        size_t size;
        if (!g->how->force) UNA_TRY(una_set_read(&bytes, &size, g->folder, &set->files[f], &g->keep, g->run));
        missing[f] = !bytes;
        bool lists = missing[f] && !g->how->from && g->known->recipe.head && f > 0;
        if (missing[f]) g->wanted += lists ? 2 * set->inputs : 1;
    }
    if (g->wanted == 0) return UNA_OK;

    UNA_TRY(una_server_open(&g->server, g->how->patience > 0 ? g->how->patience : usual_patience, &g->keep, g->run));
    for (size_t f = 0; f < set->file_count; f++) {
        if (!missing[f]) continue;
        const char *path = set->files[f].path;
        if (g->how->from) UNA_TRY(fetch_file(g, f, g->how->from, path));
        else if (!g->known->recipe.head) UNA_TRY(fetch_file(g, f, set->source, strrchr(path, '/') + 1));
        else UNA_TRY(f == 0 ? make_rows(g) : make_splits(g));
    }
    for (size_t f = 0; f < set->file_count; f++) {
        if (!missing[f]) continue;
        UNA_SCOPED(g->run, una_set_write(g->folder, &set->files[f], g->bytes[f], g->size[f], g->run));
        ++*written;
    }
    return UNA_OK;
}

static una_status get_check_settings(const una_known_set *known, const una_data_settings *how, una_run *run)
{
    static const char *const schemes[] = { "https://", "http://", "file://" };
    if (!(how->patience >= 0 && how->patience <= 86400))
        UNA_FAIL(run, UNA_E_USAGE, "a patience of %g seconds is not one between 0 and 86400", how->patience);
    if (!how->from && !known->set.source)
        UNA_FAIL(run, UNA_E_INPUT, "una knows no public address of %s; give one with --from URL, or a folder that has "
                 "%s with 'una data import DIR'", known->set.name, known->set.files[0].path);
    for (size_t i = 0; how->from && i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (strncmp(how->from, schemes[i], length) != 0) continue;
        if (how->from[length + strspn(how->from + length, "/")] || *schemes[i] == 'f') return UNA_OK;
        UNA_FAIL(run, UNA_E_USAGE, "the address '%.200s' names no server", how->from);
    }
    if (!how->from) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the address '%.200s' does not begin with https://, http:// or file://; a folder on "
             "this machine is taken by 'una data import DIR'", how->from);
}

una_status una_data_get(size_t *written, size_t set, const char *folder, const una_data_settings *settings,
                        una_run *run)
{
    const una_known_set *known;
    una_data_settings how;
    *written = 0;
    UNA_TRY(una_set_find(&known, set, run));
    UNA_TRY(UNA_TAKE(&how, settings, una_data_settings, run));
    UNA_TRY(get_check_settings(known, &how, run));

    getting g = { .known = known, .folder = folder, .how = &how, .run = run };
    una_arena_init(&g.keep, run);
    una_status status = get_set(written, &g);
    una_server_close(g.server);
    una_arena_free(&g.keep);
    return status;
}
