/* SPDX-License-Identifier: MIT
 *
 * Index lists: at random, or with a gap (the middle third of one column is held out).
 */
#include "data/splits.h"
#include "data/table.h"

una_status una_split_lists(una_split *split, size_t train, size_t test, una_run *run)
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

una_status una_split_begin(una_split *split, una_run *run)
{
    UNA_TRY(UNA_CHECK_SIZE(split, una_split, run));
    if (split->size < offsetof(una_split, tied))
        UNA_FAIL(run, UNA_E_USAGE, "the size in a una_split is %zu: it has no room for both lists; begin with "
                 "una_split s = UNA_INIT(una_split)", split->size);
    una_struct_give(split, &(una_split){0}, sizeof *split);
    return UNA_OK;
}

una_status una_split_give(una_split *split, una_split *made, una_status status, una_run *run)
{
    if (status == UNA_OK) una_struct_give(split, made, sizeof *made);
    else una_split_free(made, run);
    return status;
}

/* ---- at random ----------------------------------------------------------------------------------------- */

static una_status split_at_random(una_split *split, size_t rows, size_t test, uint64_t seed, una_run *run)
{
    uint32_t *order;
    UNA_TRY(una_order_new(&order, rows, &run->scratch));
    UNA_TRY(una_split_lists(split, rows - test, test, run));
    una_rng rng = una_rng_at(seed, UNA_FOR_SPLIT, 0);
    una_rng_permute(&rng, order, rows);
    for (size_t i = 0; i < rows; i++) *(i < test ? split->test + i : split->train + i - test) = order[i];
    return UNA_OK;
}

una_status una_split_random(una_split *split, size_t rows, double test_fraction, uint64_t seed, una_run *run)
{
    una_split made = UNA_INIT(una_split);
    UNA_TRY(una_split_begin(split, run));
    if (rows < 2)
        UNA_FAIL(run, UNA_E_INPUT, "%zu row%s cannot be split; at least two are needed", rows, rows == 1 ? "" : "s");
    if (!(test_fraction > 0 && test_fraction < 1))
        UNA_FAIL(run, UNA_E_USAGE, "the share of test rows is %g and must lie between 0 and 1", test_fraction);
    size_t rounded = (size_t)floor((double)rows * test_fraction + 0.5), test = UNA_MIN(UNA_MAX(rounded, 1), rows - 1);
    UNA_SCOPED(run, una_split_give(split, &made, split_at_random(&made, rows, test, seed, run), run));
    return UNA_OK;
}

/* ---- with a gap ------------------------------------------------------------------------------------------ */

static una_status check_gap_column(const una_dataset *data, size_t c, una_run *run)
{
    const una_table_column *column = &data->column[c];
    if (column->is_text)
        UNA_FAIL(run, UNA_E_INPUT, "column '%.60s' of %s holds words; a gap needs numbers", column->name, data->origin);
    for (size_t i = 0; i < data->rows; i++)
        if (isnan(column->number[i]))
            UNA_FAIL(run, UNA_E_INPUT, "%s is missing, so no gap can be cut along this column; fill the cell or leave "
                     "the row out", una_table_place_in(&run->scratch, data, i, c));
    return UNA_OK;
}

static una_status cut_gap(una_split *split, const una_dataset *data, const char *name, una_run *run)
{
    size_t rows = data->rows, column, train = 0;
    UNA_TRY(una_table_need(&column, data, name, run));
    if (rows < 3) UNA_FAIL(run, UNA_E_INPUT, "%s has fewer than three rows; a gap cannot be cut", data->origin);

    UNA_TRY(check_gap_column(data, column, run));
    const double *value = data->column[column].number;
    const size_t *order = una_order_of(value, rows, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));

    size_t from = (rows + 1) / 3, to = (2 * rows + 1) / 3;       /* rows / 3 and 2 rows / 3, rounded */
    UNA_TRY(una_split_lists(split, rows - (to - from), to - from, run));
    double low = value[order[from]], high = value[order[to - 1]];
    for (size_t i = 0; i < rows; i++) {
        bool inside = i >= from && i < to;
        *(inside ? &split->test[i - from] : &split->train[train++]) = order[i];
        split->tied += !inside && value[order[i]] >= low && value[order[i]] <= high;
    }
    return UNA_OK;
}

una_status una_split_gap(una_split *split, const una_dataset *data, const char *column, una_run *run)
{
    una_split made = UNA_INIT(una_split);
    UNA_TRY(una_split_begin(split, run));
    UNA_SCOPED(run, una_split_give(split, &made, cut_gap(&made, data, column, run), run));
    return UNA_OK;
}
