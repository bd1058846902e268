/* SPDX-License-Identifier: MIT
 *
 * A whole file as one table, or the rows of it that belong to this rank.
 */
#include "base/rank_group.h"
#include "data/build.h"
#include "read/csv.h"
#include "read/reader.h"

#include <sys/stat.h>

/* ---- from a file --------------------------------------------------------------------------------------- */

static una_status read_once_more(una_dataset **data, bool *again, una_reader *reader)
{
    una_dataset_free(*data);
    *data = NULL;
    UNA_TRY(una_reader_rewind(reader));
    return una_reader_fill(data, again, reader, SIZE_MAX);
}

static una_status read_all_rows(una_dataset **data, una_reader *reader)
{
    bool again;
    UNA_TRY(una_reader_fill(data, &again, reader, SIZE_MAX));
    UNA_TRY(una_reader_finite(reader));
    if (again) UNA_TRY(read_once_more(data, &again, reader));
    if (!again && una_reader_found_commas(reader)) UNA_TRY(read_once_more(data, &again, reader));
    if (again) UNA_FAIL((*data)->run, UNA_E_IO, "%s changed while it was being read", (*data)->origin);
    return *data ? una_reader_apply_formats(reader, *data) : UNA_OK;
}

una_status una_dataset_read(una_dataset **data, const char *path, una_run *run)
{
    una_reader *reader;
    *data = NULL;
    UNA_TRY(una_reader_begin(&reader, path, run));
    una_status status = read_all_rows(data, reader);
    una_reader_close(reader);
    if (status == UNA_OK && !*data)
        status = una_fail(run, UNA_E_INPUT, "%s has a header but no rows", una_path_shown(path));
    return una_table_give(data, status);
}

/* ---- a part of a file for each rank ------------------------------------------------------------------------ */

/* A file that differs between machines is refused: parts of two versions would make one table. */
static una_status read_rows_of_rank(una_dataset **data, una_reader *reader, const char *path, una_run *run)
{
    struct stat about;
    size_t mine = stat(path, &about) == 0 ? (size_t)about.st_size : 0, ranks = una_rank_group_count(run);
    UNA_NEW(&run->scratch, size_t, all, ranks);
    una_reader_part(reader, una_rank_group_rank(run), ranks);
    UNA_TRY(una_rank_group_gather_sizes(all, mine, run));
    if (mine != all[0])
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu bytes, and %zu on rank 0; every rank needs the same file, or one of its "
                 "own with %%r in its name", path, mine, all[0]);
    UNA_TRY(read_all_rows(data, reader));
    if (*data) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has too few rows: each of the %zu ranks needs some", path, ranks);
}

static una_status read_share(una_dataset **data, const char *path, una_run *run)
{
    una_reader *reader;
    UNA_TRY(una_reader_begin(&reader, path, run));
    una_status status = read_rows_of_rank(data, reader, path, run);
    una_reader_close(reader);
    return status;
}

/* The own file of this rank, whose number stands in place of %r; or its part of the file that all read. */
static una_status read_part(una_dataset **data, const char *path, una_run *run)
{
    const char *mark = strstr(path, "%r");
    if (!mark) return read_share(data, path, run);
    una_text own = una_text_in(&run->scratch);
    una_text_bytes(&own, path, (size_t)(mark - path));
    una_text_add(&own, "%d%s", una_rank(run), mark + 2);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_dataset_read(data, own.at, run);
}

una_status una_dataset_read_part(una_dataset **data, const char *path, una_run *run)
{
    *data = NULL;
    if (una_rank_count(run) < 2) return una_dataset_read(data, path, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status;
    UNA_SHARED_CALL(status, run, read_part(data, path, run));
    una_arena_release(&run->scratch, mark);
    return una_table_give(data, status);
}
