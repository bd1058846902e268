/* SPDX-License-Identifier: MIT
 *
 * Splits as they were published: lists of rows in JSON.
 */
#include "data/splits.h"
#include "read/json.h"
#include "read/reader.h"

/* ---- as published ------------------------------------------------------------------------------------------ */

typedef struct published { const char *path, *group; size_t index, rows; } published;

/* Copies a list of rows, unless `to` is NULL; seen [rows] finds those that stand twice. */
static una_status copy_list(size_t *to, const json_t *list, unsigned char *seen, const published *from, una_run *run)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        json_int_t row = json_integer_value(item);
        if (!json_is_integer(item))
            UNA_FAIL(run, UNA_E_INPUT, "%s: split %zu of '%s' holds something that is not the number of a row",
                     from->path, from->index, from->group);
        if (row < 0 || (uint64_t)row >= from->rows)
            UNA_FAIL(run, UNA_E_INPUT, "%s: split %zu of '%s' names row %lld, which does not exist: the data has "
                     "rows 0 to %zu", from->path, from->index, from->group, (long long)row, from->rows - 1);
        if (seen[row]++)
            UNA_FAIL(run, UNA_E_INPUT, "%s: split %zu of '%s' names row %lld twice", from->path, from->index,
                     from->group, (long long)row);
        if (to) to[i] = (size_t)row;
    }
    return UNA_OK;
}

static una_status check_lists(const json_t *entry, const published *from, una_run *run)
{
    if (json_array_size(json_object_get(entry, "train")) && json_array_size(json_object_get(entry, "test")))
        return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s: split %zu of '%s' has no rows in 'train' or in 'test'", from->path, from->index,
             from->group);
}

/* The splits of the group, in a file for as many rows. */
static una_status find_group(const json_t **group, const json_t *file, const published *from, una_run *run)
{
    const json_t *rows = json_object_get(file, "rows");
    *group = json_object_get(file, from->group);
    if (!json_is_integer(rows) || json_integer_value(rows) < 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s does not say for how many 'rows' its splits are", from->path);
    if ((uint64_t)json_integer_value(rows) != from->rows)
        UNA_FAIL(run, UNA_E_INPUT, "%s splits %lld rows, and the data has %zu", from->path,
                 (long long)json_integer_value(rows), from->rows);

    if (json_is_array(*group)) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has no group '%s' of splits; published groups are 'standard' and 'gap'", from->path,
             from->group);
}

static una_status take_split(una_split *split, const published *from, una_run *run)
{
    const json_t *group;
    json_t *file;
    UNA_TRY(una_json_read_file(&file, from->path, &run->scratch));
    UNA_TRY(find_group(&group, file, from, run));
    if (from->index >= json_array_size(group))
        UNA_FAIL(run, UNA_E_USAGE, "split %zu of '%s' was asked for, and %s has %zu (counted from 0)", from->index,
                 from->group, from->path, json_array_size(group));
    const json_t *entry = json_array_get(group, from->index), *train = json_object_get(entry, "train");
    const json_t *test = json_object_get(entry, "test"), *tied = json_object_get(entry, "train_rows_tied_inside");
    UNA_TRY(check_lists(entry, from, run));

    /* More rows than the data has cannot pass either: one of them would be there twice, or not be one. */
    UNA_NEW(&run->scratch, unsigned char, seen, from->rows);
    UNA_TRY(una_split_lists(split, json_array_size(train), json_array_size(test), run));
    UNA_TRY(copy_list(split->train, train, seen, from, run));
    UNA_TRY(copy_list(split->test, test, seen, from, run));
    split->tied = json_is_integer(tied) && json_integer_value(tied) > 0 ? (size_t)json_integer_value(tied) : 0;
    return UNA_OK;
}

una_status una_split_read(una_split *split, const char *path, const char *group, size_t index, size_t rows,
                          una_run *run)
{
    una_split made = UNA_INIT(una_split);
    published from = { path, group, index, rows };
    UNA_TRY(una_split_begin(split, run));
    UNA_SCOPED(run, una_split_give(split, &made, take_split(&made, &from, run), run));
    return UNA_OK;
}

/* ---- all of a published file ------------------------------------------------------------------------------- */

static una_status check_group(const json_t *file, const char *name, published *from, una_run *run)
{
    const json_t *group;
    UNA_NEW(&run->scratch, unsigned char, seen, from->rows);
    from->group = name;
    UNA_TRY(find_group(&group, file, from, run));
    for (from->index = 0; from->index < json_array_size(group); from->index++) {
        const json_t *entry = json_array_get(group, from->index);
        memset(seen, 0, from->rows);
        UNA_TRY(una_check_cancelled(run, "reading splits"));
        UNA_TRY(check_lists(entry, from, run));
        UNA_TRY(copy_list(NULL, json_object_get(entry, "train"), seen, from, run));
        UNA_TRY(copy_list(NULL, json_object_get(entry, "test"), seen, from, run));
    }
    return UNA_OK;
}

una_status una_splits_check(const char *path, size_t rows, size_t inputs, una_run *run)
{
    json_t *file;
    published from = { path, "", 0, rows };
    UNA_TRY(una_json_read_file(&file, path, &run->scratch));
    UNA_TRY(check_group(file, "standard", &from, run));
    UNA_TRY(check_group(file, "gap", &from, run));
    if (from.index == inputs) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has %zu gaps, and the data has %zu inputs; there is one gap for each", path,
             from.index, inputs);
}
