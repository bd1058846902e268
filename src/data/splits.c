/* SPDX-License-Identifier: MIT
 *
 * Index lists: at random, with a gap (the middle third of one column is held out), or as published.
 */
#include "data/json.h"
#include "data/table.h"

static una_status take_lists(una_split *split, size_t train, size_t test, una_run *run)
{
    *split = (una_split){ .size = sizeof *split, .train_count = train, .test_count = test };
    split->train = una_allocate(run, train * sizeof *split->train);
    split->test = una_allocate(run, test * sizeof *split->test);
    if (split->train && split->test) return UNA_OK;
    una_split_free(split, run);
    return UNA_E_MEMORY;
}

void una_split_free(una_split *split, una_run *run)
{
    if (!split || split->size < offsetof(una_split, tied)) return;       /* never filled: it has no room for lists */
    una_release(run, split->train);
    una_release(run, split->test);
    una_struct_give(split, &(una_split){0}, sizeof *split);
}

/* Starts with empty lists, so that there are none after a failure. */
static una_status empty_split(una_split *split, una_run *run)
{
    UNA_TRY(UNA_CHECK_SIZE(split, una_split, run));
    if (split->size < offsetof(una_split, tied))
        UNA_FAIL(run, UNA_E_USAGE, "the size in a una_split is %zu: it has no room for both lists; begin with "
                 "una_split s = UNA_INIT(una_split)", split->size);
    una_struct_give(split, &(una_split){0}, sizeof *split);
    return UNA_OK;
}

/* Hands over the result, as many fields as the caller knows. */
static una_status give_split(una_split *split, const una_split *made, una_status status)
{
    if (status == UNA_OK) una_struct_give(split, made, sizeof *made);
    return status;
}

/* ---- at random ----------------------------------------------------------------------------------------- */

static una_status split_at_random(una_split *split, size_t rows, double test_fraction, uint64_t seed, una_run *run)
{
    if (rows < 2)
        UNA_FAIL(run, UNA_E_INPUT, "%zu row%s cannot be split; at least two are needed", rows, rows == 1 ? "" : "s");
    if (!(test_fraction > 0 && test_fraction < 1))
        UNA_FAIL(run, UNA_E_USAGE, "the share of test rows is %g and must lie between 0 and 1", test_fraction);

    size_t test = (size_t)floor((double)rows * test_fraction + 0.5);
    if (test < 1) test = 1;
    if (test > rows - 1) test = rows - 1;

    una_mark mark = una_arena_mark(&run->scratch);
    uint32_t *order;
    una_status status = una_order_new(&order, rows, &run->scratch);
    if (status == UNA_OK) status = take_lists(split, rows - test, test, run);
    if (status == UNA_OK) {
        una_rng rng = una_rng_at(seed, UNA_FOR_SPLIT, 0);
        una_rng_permute(&rng, order, rows);
        for (size_t i = 0; i < rows; i++) *(i < test ? split->test + i : split->train + i - test) = order[i];
    }

    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_split_random(una_split *split, size_t rows, double test_fraction, uint64_t seed, una_run *run)
{
    una_split made = UNA_INIT(una_split);
    UNA_TRY(empty_split(split, run));
    return give_split(split, &made, split_at_random(&made, rows, test_fraction, seed, run));
}

/* ---- with a gap ------------------------------------------------------------------------------------------ */

typedef struct ranked { double value; size_t row; } ranked;

static int compare_ranked_rows(const void *a, const void *b)
{
    const ranked *left = a, *right = b;
    if (left->value != right->value) return left->value < right->value ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);  /* stable */
}

static una_status rank_rows_by_column(ranked *order, const una_dataset *data, size_t c, una_run *run)
{
    const una_table_column *column = &data->column[c];
    if (column->is_text)
        UNA_FAIL(run, UNA_E_INPUT, "column '%.60s' of %s holds words; a gap needs numbers", column->name, data->origin);

    for (size_t i = 0; i < data->rows; i++) {
        order[i] = (ranked){ column->number[i], i };
        if (!isnan(column->number[i])) continue;
        una_text place = una_text_in(&run->scratch);
        una_table_place(&place, data, i, c);
        UNA_FAIL(run, UNA_E_INPUT,
                 "%s is missing, so no gap can be cut along this column; fill the cell or leave the row "
                 "out",
                 place.at);
    }

    qsort(order, data->rows, sizeof *order, compare_ranked_rows);
    return UNA_OK;
}

static una_status cut_gap(una_split *split, const una_dataset *data, const char *name, una_run *run)
{
    size_t rows = data->rows, column;
    UNA_TRY(una_table_need(&column, data, name, run));
    if (rows < 3) UNA_FAIL(run, UNA_E_INPUT, "%s has fewer than three rows; a gap cannot be cut", data->origin);

    UNA_NEW(&run->scratch, ranked, order, rows);
    UNA_TRY(rank_rows_by_column(order, data, column, run));

    size_t from = (rows + 1) / 3, to = (2 * rows + 1) / 3;       /* rows / 3 and 2 rows / 3, rounded */
    UNA_TRY(take_lists(split, rows - (to - from), to - from, run));
    double low = order[from].value, high = order[to - 1].value;
    size_t train = 0;
    for (size_t i = 0; i < rows; i++) {
        if (i >= from && i < to) {
            split->test[i - from] = order[i].row;
        } else {
            split->train[train++] = order[i].row;
            split->tied += order[i].value >= low && order[i].value <= high;
        }
    }
    return UNA_OK;
}

una_status una_split_gap(una_split *split, const una_dataset *data, const char *column, una_run *run)
{
    una_split made = UNA_INIT(una_split);
    UNA_TRY(empty_split(split, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = cut_gap(&made, data, column, run);
    una_arena_release(&run->scratch, mark);
    return give_split(split, &made, status);
}

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

static una_status take_split(una_split *split, const json_t *entry, const published *from, una_run *run)
{
    const json_t *train = json_object_get(entry, "train"), *test = json_object_get(entry, "test");
    const json_t *tied = json_object_get(entry, "train_rows_tied_inside");
    UNA_TRY(check_lists(entry, from, run));

    /* More rows than the data has cannot pass either: one of them would be there twice, or not be one. */
    UNA_NEW(&run->scratch, unsigned char, seen, from->rows);
    UNA_TRY(take_lists(split, json_array_size(train), json_array_size(test), run));
    UNA_TRY(copy_list(split->train, train, seen, from, run));
    UNA_TRY(copy_list(split->test, test, seen, from, run));
    split->tied = json_is_integer(tied) && json_integer_value(tied) > 0 ? (size_t)json_integer_value(tied) : 0;
    return UNA_OK;
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

static una_status find_split(una_split *split, const json_t *file, const published *from, una_run *run)
{
    const json_t *group;
    UNA_TRY(find_group(&group, file, from, run));
    if (from->index >= json_array_size(group))
        UNA_FAIL(run, UNA_E_USAGE, "split %zu of '%s' was asked for, and %s has %zu (counted from 0)", from->index,
                 from->group, from->path, json_array_size(group));

    return take_split(split, json_array_get(group, from->index), from, run);
}

una_status una_split_read(una_split *split, const char *path, const char *group, size_t index, size_t rows,
                          una_run *run)
{
    una_split made = UNA_INIT(una_split);
    UNA_TRY(empty_split(split, run));

    una_json file;
    UNA_TRY(una_json_read_file(&file, path, run));
    published from = { path, group, index, rows };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = find_split(&made, file.root, &from, run);
    if (status != UNA_OK) una_split_free(&made, run);
    una_arena_release(&run->scratch, mark);
    una_json_free(&file);
    return give_split(split, &made, status);
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

static una_status check_split_file(const json_t *file, const char *path, size_t rows, size_t inputs, una_run *run)
{
    published from = { path, "", 0, rows };
    UNA_TRY(check_group(file, "standard", &from, run));
    UNA_TRY(check_group(file, "gap", &from, run));
    if (from.index == inputs) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has %zu gaps, and the data has %zu inputs; there is one gap for each", path,
             from.index, inputs);
}

una_status una_splits_check(const char *path, size_t rows, size_t inputs, una_run *run)
{
    una_json file;
    UNA_TRY(una_json_read_file(&file, path, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = check_split_file(file.root, path, rows, inputs, run);
    una_arena_release(&run->scratch, mark);
    una_json_free(&file);
    return status;
}
