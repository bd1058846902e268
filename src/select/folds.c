/* SPDX-License-Identifier: MIT
 *
 * Folds: groups and copies become heaps of rows in a forest, and each heap goes to the smallest fold.
 */
#include "select/folds.h"

#include "data/codes.h"
#include "data/copies.h"
#include "data/near_copies.h"
#include "select/evaluation.h"

#include <ctype.h>

enum { FOLDS = 5 };
static const uint64_t COMPARED = 6ull << 40;             /* streams of UNA_FOR_FOLDS that no fit uses */

/* ---- heaps: rows that stay together ---------------------------------------------------------------------------- */

typedef struct heap { uint32_t root, place; size_t size; } heap;

typedef struct dealing {                 /* of rows to the folds of each repeat                                     */
    una_folds         *f;
    const una_dataset *data;
    uint32_t          *parent;           /* [rows] the forest: rows of a heap have one root                         */
    heap              *heaps;            /* [rows] by root                                                          */
    size_t             count, largest;   /* heaps; rows of the largest                                              */
    una_run           *run;
} dealing;

static void count_heaps(dealing *d, uint32_t *parent)
{
    size_t rows = d->f->rows;
    d->count = d->largest = 0;
    for (size_t i = 0; i < rows; i++) d->heaps[i].size = 0;
    for (size_t i = 0; i < rows; i++) d->heaps[una_root_of(parent, (uint32_t)i)].size++;
    for (size_t i = 0; i < rows; i++) {
        if (d->heaps[i].size > d->largest) d->largest = d->heaps[i].size;
        d->count += d->heaps[i].size > 0;
    }
}

/* Rows of a group join. */
static una_status join_groups(dealing *d)
{
    const una_folds *f = d->f;
    UNA_NEW(&d->run->scratch, uint32_t, first, f->groups + 1);
    for (size_t i = f->rows; i-- > 0;) first[f->group_of[i]] = (uint32_t)i;
    for (size_t i = 0; i < f->rows; i++) una_unite_roots(d->parent, first[f->group_of[i]], (uint32_t)i);
    count_heaps(d, d->parent);
    d->f->largest = d->largest;
    return UNA_OK;
}

/* Inputs [rows, *cols] as numbers that are equal exactly where cells are equal. */
static una_status code_inputs(double **x, size_t *cols, const dealing *d)
{
    const una_dataset *data = d->data;
    size_t values;
    *cols = 0;
    UNA_NEW_ROWS_AT(&d->run->scratch, *x, data->rows * data->columns);
    UNA_NEW_ROWS(&d->run->scratch, uint32_t, code, data->rows);
    for (size_t c = 0; c < data->columns; c++) {
        if (c == d->f->target || d->f->out[c]) continue;
        UNA_SCOPED(d->run, una_column_codes(code, &values, data, c, d->run));
        for (size_t i = 0; i < data->rows; i++)
            (*x)[i * data->columns + *cols] = code[i] == UNA_NO_CODE ? -1 : (double)code[i];
        ++*cols;
    }
    return UNA_OK;
}

/* to [rows], a column apart: cells with spread 1; words, and cells that are missing, far from others. */
static void scale_cells(double *to, size_t stride, const una_table_column *of, const uint32_t *code, size_t rows)
{
    enum { FAR = 1000 };
    double mean = 0, square = 0, n = (double)rows;
    for (size_t i = 0; !of->is_text && i < rows; i++) mean += isnan(of->number[i]) ? 0 : of->number[i] / n;
    for (size_t i = 0; !of->is_text && i < rows; i++)
        square += isnan(of->number[i]) ? 0 : (of->number[i] - mean) * (of->number[i] - mean) / n;
    for (size_t i = 0; i < rows; i++) {
        bool number = !of->is_text && !isnan(of->number[i]);
        double far = code[i] == UNA_NO_CODE ? -FAR : FAR * (double)code[i];
        to[i * stride] = number && square > 0 ? (of->number[i] - mean) / sqrt(square) : far;
    }
}

/* label [rows]: the first of rows that are near copies of one another, target and all. */
static una_status label_near_copies(uint32_t *label, size_t *copied, const dealing *d)
{
    const una_dataset *data = d->data;
    una_near_copies found;
    size_t values, cols = 0;
    UNA_NEW_ROWS(&d->run->scratch, double, cells, data->rows * data->columns);
    UNA_NEW_ROWS(&d->run->scratch, uint32_t, code, data->rows);
    for (size_t c = 0; c < data->columns; c++) {
        if (d->f->out[c]) continue;
        UNA_SCOPED(d->run, una_column_codes(code, &values, data, c, d->run));
        scale_cells(cells + cols++, data->columns, &data->column[c], code, data->rows);
    }
    const una_near_rows of = { .x = { cells, data->rows, cols, data->columns } };
    UNA_TRY(una_near_copies_find(&found, label, &of, d->run));
    *copied = found.copied;
    return UNA_OK;
}

/* Rows with equal inputs, and near copies, join, unless one heap would then have more than half of the rows, or so few
 * different inputs are repeated that holding one out asks for what no other row shows. */
static una_status join_copies(dealing *d)
{
    una_folds *f = d->f;
    una_copies copies;
    uint32_t *joined;
    double *x;
    size_t cols, near;
    UNA_NEW_ROWS(&d->run->scratch, uint32_t, label, f->rows);
    UNA_SCOPED(d->run, label_near_copies(label, &near, d));
    UNA_TRY(code_inputs(&x, &cols, d));
    if (cols == 0) return UNA_OK;
    UNA_TRY(una_copies_find(&copies, (una_view){ x, f->rows, cols, d->data->columns }, &d->run->scratch, d->run));
    if (copies.copied == 0 && near == 0) return UNA_OK;
    UNA_TRY(una_order_new(&joined, f->rows, &d->run->scratch));
    memcpy(joined, d->parent, f->rows * sizeof *joined);
    for (size_t i = 0; i < f->rows; i++) {
        una_unite_roots(joined, (uint32_t)i, copies.next[i]);
        una_unite_roots(joined, (uint32_t)i, label[i]);
    }
    count_heaps(d, joined);
    if (2 * d->largest > f->rows || (d->count < 2 * FOLDS && 2 * d->count < f->rows) || d->count < f->folds)
        return UNA_OK;
    f->tied_rows = UNA_MAX(copies.copied, near);
    d->parent = joined;
    return UNA_OK;
}

/* ---- k folds --------------------------------------------------------------------------------------------------- */

static int compare_group_size(const void *a, const void *b)
{
    const heap *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Fills part [rows] of one repeat: the largest heaps first, each to the smallest fold. */
static una_status deal_groups(dealing *d, uint32_t *part, una_rng rng)
{
    una_arena *scratch = &d->run->scratch;
    size_t rows = d->f->rows, count = 0;
    heap *heaps = d->heaps;
    uint32_t *order;
    UNA_NEW(scratch, size_t, sizes, d->f->folds);
    UNA_NEW_ROWS(scratch, uint32_t, to, rows);
    UNA_TRY(una_order_new(&order, rows, scratch));
    una_rng_permute(&rng, order, rows);
    count_heaps(d, d->parent);
    for (size_t i = 0; i < rows; i++) {
        heaps[i].root = (uint32_t)i;
        heaps[order[i]].place = (uint32_t)i;
    }
    for (size_t i = 0; i < rows; i++)
        if (heaps[i].size > 0) heaps[count++] = heaps[i];
    qsort(heaps, count, sizeof *heaps, compare_group_size);
    for (size_t h = 0; h < count; h++) {
        size_t fold = 0;
        for (size_t i = 1; i < d->f->folds; i++)
            if (sizes[i] < sizes[fold]) fold = i;
        to[heaps[h].root] = (uint32_t)fold;
        sizes[fold] += heaps[h].size;
    }
    for (size_t i = 0; i < rows; i++) part[i] = to[una_root_of(d->parent, (uint32_t)i)];
    return UNA_OK;
}

static una_status make_random(una_folds *f, const una_dataset *data, uint64_t seed, una_run *run)
{
    dealing d = { .f = f, .data = data, .run = run };
    UNA_NEW_ROWS_AT(&run->scratch, d.heaps, f->rows);
    UNA_TRY(una_order_new(&d.parent, f->rows, &run->scratch));
    if (f->group_of) UNA_TRY(join_groups(&d));
    UNA_TRY(join_copies(&d));
    count_heaps(&d, d.parent);
    if (d.count < 2 && f->group_of)
        UNA_FAIL(run, UNA_E_INPUT, "%s: all rows are of one group of '%s', so none is left to test on; name another "
                 "column", data->origin, data->column[f->group].name);
    if (d.count < 2) UNA_FAIL(run, UNA_E_INPUT, "%s: folds need two rows at least", data->origin);
    if (d.count < f->folds) {
        una_log(run, UNA_LOG_NOTE, "there are %zu %s, so there are as many folds", d.count,
                f->group_of ? "groups" : "rows");
        f->folds = d.count;
    }
    for (size_t r = 0; r < f->repeats; r++)
        UNA_SCOPED(run, deal_groups(&d, f->part + r * f->rows, una_rng_at(seed, UNA_FOR_FOLDS, COMPARED + r)));
    return UNA_OK;
}

/* ---- by time --------------------------------------------------------------------------------------------------- */

/* "2024-05-17" and anything after it: the order of such words is that of time. */
static bool is_date(const char *word)
{
    for (size_t i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? word[i] != '-' : !isdigit((unsigned char)word[i])) return false;
    return true;
}

static una_status check_time(const una_dataset *data, size_t column, una_run *run)
{
    const una_table_column *time = &data->column[column];
    for (size_t i = 0; time->is_text && i < data->rows; i++) {
        if (!time->word[i] || is_date(time->word[i])) continue;
        una_text place = una_text_in(&run->scratch);
        una_table_place(&place, data, i, column);
        UNA_FAIL(run, UNA_E_INPUT, "%s: '%.40s' is neither a number nor a date like 2024-05-17, so it has no place in "
                 "time; write times as one of these", place.at ? place.at : data->origin, time->word[i]);
    }
    return UNA_OK;
}

/* Rows of one time go to the block of their middle row; empty blocks are removed. */
static void cut_blocks(una_folds *f, const uint32_t *code, size_t *size, size_t values)
{
    size_t before = 0, blocks = f->folds + 1, last = SIZE_MAX, count = 0;
    for (size_t i = 0; i < f->rows; i++) size[code[i]]++;
    for (size_t v = 0; v < values; v++) {
        size_t rows = size[v], block = (2 * before + rows) * blocks / (2 * f->rows);
        if (block != last) count++;
        last = block;
        size[v] = count - 1;
        before += rows;
    }
    for (size_t i = 0; i < f->rows; i++) f->part[i] = (uint32_t)size[code[i]];
    f->folds = count - 1;
}

static una_status make_by_time(una_folds *f, const una_dataset *data, una_run *run)
{
    size_t values, asked = f->folds;
    UNA_NEW_ROWS(&run->scratch, uint32_t, code, f->rows);
    UNA_TRY(check_time(data, f->time, run));
    UNA_TRY(una_column_need_codes(code, &values, "time", data, f->time, run));
    UNA_NEW(&run->scratch, size_t, size, values);
    if (values < 2)
        UNA_FAIL(run, UNA_E_INPUT, "%s: all rows are of one time of '%s', so there is no past to train on; name "
                 "another column", data->origin, data->column[f->time].name);
    cut_blocks(f, code, size, values);
    if (f->folds == 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s: nearly all rows are of one time of '%s', so there is no past to train on; name "
                 "another column", data->origin, data->column[f->time].name);
    if (f->folds < asked)
        una_log(run, UNA_LOG_NOTE, "the %zu different times of '%s' give %zu fold%s", values,
                data->column[f->time].name, f->folds, f->folds == 1 ? "" : "s");
    return UNA_OK;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static una_status folds_find_columns(una_folds *f, const una_dataset *data, const una_fold_settings *s, una_run *run)
{
    f->target = data->columns - 1;
    f->group = f->time = SIZE_MAX;
    if (s->target) UNA_TRY(una_table_need(&f->target, data, s->target, run));
    if (s->group) UNA_TRY(una_table_need(&f->group, data, s->group, run));
    if (s->time) UNA_TRY(una_table_need(&f->time, data, s->time, run));
    if (f->group == f->target || f->time == f->target)
        UNA_FAIL(run, UNA_E_USAGE, "'%s' is the target, and what is to be predicted cannot say which rows are tested; "
                 "name another column", data->column[f->target].name);
    if (s->time && s->repeats > 1)
        UNA_FAIL(run, UNA_E_USAGE, "time has one order: repeats go without it");
    UNA_TRY(una_selection_apply(f->out, &s->selection, data, &f->target, 1, run));
    if (s->group) f->out[f->group] = true;
    if (s->time && data->column[f->time].is_text) f->out[f->time] = true;
    return UNA_OK;
}

static una_status deal_rows(una_folds *f, const una_dataset *data, const una_fold_settings *s, una_run *run)
{
    if (s->group) UNA_TRY(una_column_need_codes(f->group_of, &f->groups, "group", data, f->group, run));
    return s->time ? make_by_time(f, data, run) : make_random(f, data, s->seed, run);
}

una_status una_folds_make(una_folds *f, const una_dataset *data, const una_fold_settings *s, una_arena *arena,
                          una_run *run)
{
    *f = (una_folds){ .rows = data->rows, .folds = s->folds ? s->folds : FOLDS,
                      .repeats = s->repeats ? s->repeats : 1 };
    if (data->rows < 2) UNA_FAIL(run, UNA_E_INPUT, "%s: folds need two rows at least", data->origin);
    if (f->folds < 2 && !s->time) UNA_FAIL(run, UNA_E_USAGE, "there must be two folds at least");
    if (f->folds >= UNA_NO_CODE || f->repeats >= UNA_NO_CODE)
        UNA_FAIL(run, UNA_E_USAGE, "%zu folds, %zu times, are too many", f->folds, f->repeats);
    UNA_NEW_AT(arena, f->out, data->columns);
    UNA_TRY(folds_find_columns(f, data, s, run));
    UNA_NEW_ROWS_AT(arena, f->part, f->rows * f->repeats);
    if (s->group) UNA_NEW_ROWS_AT(arena, f->group_of, f->rows);
    UNA_SCOPED(run, deal_rows(f, data, s, run));
    return UNA_OK;
}

static bool is_tested(const una_folds *f, size_t index, size_t row)
{
    size_t repeat = index / f->folds, fold = index % f->folds + (f->time != SIZE_MAX);
    return f->part[repeat * f->rows + row] == fold;
}

/* Rows of groups that are tested do not train. */
static una_status leave_groups_out(una_fold *fold, const una_folds *f, una_run *run)
{
    size_t kept = 0;
    UNA_NEW(&run->scratch, bool, out, f->groups);
    for (size_t i = 0; i < fold->test_count; i++) out[f->group_of[fold->test[i]]] = true;
    for (size_t i = 0; i < fold->train_count; i++)
        if (!out[f->group_of[fold->train[i]]]) fold->train[kept++] = fold->train[i];
    fold->train_count = kept;
    return UNA_OK;
}

una_status una_folds_split(una_fold *fold, const una_folds *f, size_t index, una_run *run)
{
    bool by_time = f->time != SIZE_MAX;
    size_t block = index % f->folds + 1;
    if (!fold->train) {
        UNA_NEW_ROWS_AT(&run->scratch, fold->train, f->rows);
        UNA_NEW_ROWS_AT(&run->scratch, fold->test, f->rows);
    }
    fold->train_count = fold->test_count = 0;
    for (size_t i = 0; i < f->rows; i++) {
        if (is_tested(f, index, i)) fold->test[fold->test_count++] = i;
        else if (!by_time || f->part[i] < block) fold->train[fold->train_count++] = i;
    }
    if (by_time && f->group_of) UNA_SCOPED(run, leave_groups_out(fold, f, run));
    return UNA_OK;
}

static una_status part_table(una_dataset **table, const una_folds *f, const una_dataset *data, const size_t *row,
                             size_t count, una_run *run)
{
    UNA_TRY(una_held_part(table, data, row, count, run));
    UNA_COPY_BYTES(&run->scratch, bool, out, f->out, data->columns * sizeof *out);
    if (f->keeps_group) out[f->group] = false;
    return una_table_drop(*table, out);
}

una_status una_folds_tables(una_dataset **train, una_dataset **test, const una_folds *f, size_t index,
                            const una_dataset *data, una_run *run)
{
    una_fold fold = { .train = NULL };
    UNA_TRY(una_folds_split(&fold, f, index, run));
    if (fold.train_count == 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s: fold %zu has no row to train on: every earlier row is of a group "
                 "that it tests; take fewer folds, or leave out the groups or the time", data->origin,
                 index % f->folds + 1);
    UNA_TRY(part_table(train, f, data, fold.train, fold.train_count, run));
    return part_table(test, f, data, fold.test, fold.test_count, run);
}

/* seen [values]: 1 + the last fold that trained on it. */
static una_status find_new_word(bool *found, const una_folds *f, const una_dataset *data, size_t column, una_run *run)
{
    size_t values;
    una_fold fold = { .train = NULL };
    UNA_NEW_ROWS(&run->scratch, uint32_t, code, f->rows);
    UNA_SCOPED(run, una_column_codes(code, &values, data, column, run));
    UNA_NEW(&run->scratch, size_t, seen, values);
    *found = false;
    for (size_t k = 0; k < una_folds_count(f) && !*found; k++) {
        UNA_TRY(una_folds_split(&fold, f, k, run));
        for (size_t i = 0; i < fold.train_count; i++)
            if (code[fold.train[i]] != UNA_NO_CODE) seen[code[fold.train[i]]] = k + 1;
        for (size_t i = 0; i < fold.test_count; i++)
            *found = *found || (code[fold.test[i]] != UNA_NO_CODE && seen[code[fold.test[i]]] != k + 1);
    }
    return UNA_OK;
}

una_status una_folds_new_word(size_t *column, const una_folds *f, const una_dataset *data, una_run *run)
{
    for (*column = 0; *column < data->columns; ++*column) {
        bool found;
        if (!data->column[*column].is_text || *column == f->target || f->out[*column]) continue;
        UNA_SCOPED(run, find_new_word(&found, f, data, *column, run));
        if (found) return UNA_OK;
    }
    *column = SIZE_MAX;
    return UNA_OK;
}
