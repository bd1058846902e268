/* SPDX-License-Identifier: MIT
 *
 * See repeated_rows.h. Rows of one table are compared by 64-bit hashes of their numbers.
 */
#include "model/repeated_rows.h"

#include "base/hash.h"

enum { FIRST_ROOM = 1024, MOST_ROWS = 1 << 20 };         /* beyond the last, rows of the table are not compared */

/* The place of the sum, or the free one for it. */
static size_t slot_of_sum(const una_repeated_rows *r, uint64_t sum)
{
    size_t at = (size_t)sum & (r->room - 1);
    while (r->sum[at] && r->sum[at] != sum) at = (at + 1) & (r->room - 1);
    return at;
}

static una_status grow_sums(una_repeated_rows *r)
{
    if (2 * r->count < r->room) return UNA_OK;
    una_repeated_rows wider = { .room = r->room ? 2 * r->room : FIRST_ROOM };
    UNA_NEW_AT(r->arena, wider.sum, wider.room);
    for (size_t i = 0; i < r->room; i++)
        if (r->sum[i]) wider.sum[slot_of_sum(&wider, r->sum[i])] = r->sum[i];
    r->sum = wider.sum;
    r->room = wider.room;
    return UNA_OK;
}

/* Adds a sum; *before: it was there already. */
static una_status add_sum(una_repeated_rows *r, uint64_t sum, bool *before)
{
    *before = false;
    if (r->count >= MOST_ROWS) return UNA_OK;
    UNA_TRY(grow_sums(r));
    size_t at = slot_of_sum(r, sum += sum == 0);
    *before = r->sum[at] == sum;
    r->sum[at] = sum;
    r->count += !*before;
    return UNA_OK;
}

/* One of several targets is enough: all have the same rows. */
static una_status ask_model(bool *held, const una_model *model, const double *x, const double *y, size_t rows,
                            una_run *run)
{
    const una_model *part = una_model_target(model, 0);
    size_t inputs = part->columns.input_count, targets = una_model_target_count(model);
    if (!part->kind->holds) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, own, rows);
    for (size_t i = 0; i < rows; i++) own[i] = y[i * targets];
    return una_calls(part->kind)->holds(part->state, (una_view){ x, rows, inputs, inputs }, own, held, run);
}

una_status una_repeated_rows_find(una_repeated_rows *r, const una_model *model, const double *x, const double *y,
                                  size_t rows, una_run *run)
{
    size_t inputs = una_model_target(model, 0)->columns.input_count, targets = una_model_target_count(model);
    una_hash_key key = una_hash_key_of(run);
    UNA_NEW_ROWS(&run->scratch, bool, held, rows);
    UNA_TRY(ask_model(held, model, x, y, rows, run));

    for (size_t i = 0; i < rows; i++) {
        bool before;
        una_hash h = una_hash_begin(key);
        for (size_t d = 0; d < inputs; d++) una_hash_add_number(&h, x[i * inputs + d]);
        for (size_t t = 0; t < targets; t++) una_hash_add_number(&h, y[i * targets + t]);
        UNA_TRY(add_sum(r, una_hash_end(h), &before));
        r->rows++;
        if (before && r->twice++ == 0) r->first_twice = una_table_number(r->data, r->kept[i]);
        if (!before && held[i] && r->known++ == 0) r->first_known = una_table_number(r->data, r->kept[i]);
    }
    return UNA_OK;
}

void una_repeated_rows_warn(const una_repeated_rows *r, const char *origin, una_run *run)
{
    if (r->known)
        una_log(run, UNA_LOG_WARNING, "%s: %zu of %zu rows have the same inputs and target as rows that the model "
                "rests on already (the first is row %zu); if they are the same observations, they count twice now",
                origin, r->known, r->rows, r->first_known);
    if (r->twice)
        una_log(run, UNA_LOG_WARNING, "%s: %zu of %zu rows have the same inputs and target as an earlier row of the "
                "table (the first is row %zu); if they are the same observations, they count more than once", origin,
                r->twice, r->rows, r->first_twice);
}
