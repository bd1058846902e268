/* SPDX-License-Identifier: MIT
 *
 * Slabs of rows. See regions.h. One input: pieces of equal count between the ends. Several: the middle third along the
 * inputs that matter most (one slab each), alternating with slabs along random directions of the scaled inputs, so that
 * no region depends on a single input alone.
 */
#include "committee/regions.h"

typedef struct place { double at; size_t row; } place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Marks the rows of rank from .. to, with ties at the edges. False: too few rows, or more than half. */
static bool mark_slab(unsigned char *inside, place *order, size_t rows, double from, double to)
{
    size_t first = (size_t)(from * (double)rows), last = (size_t)(to * (double)rows), count = 0;
    qsort(order, rows, sizeof *order, by_place);
    if (last <= first) return false;
    double low = order[first].at, high = order[last - 1].at;
    if (low <= order[0].at || high >= order[rows - 1].at) return false;          /* a slab has rows on both sides */
    for (size_t i = 0; i < rows; i++)
        if (order[i].at >= low && order[i].at <= high) inside[order[i].row] = 1, count++;
    if (count >= 5 && 2 * count <= rows) return true;
    memset(inside, 0, rows);
    return false;
}

/* Inputs with many values, those that matter most first; returns how many. */
static size_t rank_inputs(size_t *order, size_t inputs, const una_columns *columns, const double *scale)
{
    size_t count = 0;
    for (size_t d = 0; d < inputs; d++) {
        if (una_columns_input(columns, d)->level != SIZE_MAX) continue;
        size_t at = count++;
        while (at > 0 && scale && scale[order[at - 1]] < scale[d]) order[at] = order[at - 1], at--;
        order[at] = d;
    }
    return count;
}

static void along_input(place *order, una_view x, size_t input)
{
    for (size_t i = 0; i < x.rows; i++) order[i] = (place){ x.at[i * x.stride + input], i };
}

static void along_direction(place *order, una_view x, const double *scale, una_rng *rng, double *direction)
{
    for (size_t d = 0; d < x.cols; d++) direction[d] = una_rng_normal(rng) * (scale ? scale[d] : 1);
    for (size_t i = 0; i < x.rows; i++) {
        order[i] = (place){ 0, i };
        for (size_t d = 0; d < x.cols; d++) order[i].at += direction[d] * x.at[i * x.stride + d];
    }
}

static una_status cut_slabs(unsigned char *inside, size_t *count, size_t most, const una_problem *p,
                            const double *scale, una_run *run)
{
    una_view x = p->x;
    size_t next = 0;
    UNA_NEW_ROWS(&run->scratch, place, order, x.rows);
    UNA_NEW(&run->scratch, size_t, input, x.cols);
    UNA_NEW(&run->scratch, double, direction, x.cols);
    una_rng rng = una_rng_at(p->seed, UNA_FOR_FOLDS, 7);
    size_t numeric = rank_inputs(input, x.cols, p->columns, scale);
    for (size_t k = 0; k < most; k++) {
        double from = 1. / 3, to = 2. / 3;
        if (x.cols == 1) {
            from = ((double)k + 1) / ((double)most + 2), to = ((double)k + 2) / ((double)most + 2);
            along_input(order, x, 0);
        } else if (k % 2 == 0 && next < numeric) along_input(order, x, input[next++]);
        else along_direction(order, x, scale, &rng, direction);
        if (mark_slab(inside + *count * x.rows, order, x.rows, from, to)) ++*count;
    }
    return UNA_OK;
}

una_status una_regions_cut(unsigned char **inside, size_t *count, size_t most, const una_problem *p,
                           const double *scale, una_run *run)
{
    *count = 0;
    UNA_NEW_ROWS_AT(&run->scratch, *inside, most * p->x.rows);
    UNA_SCOPED(run, cut_slabs(*inside, count, most, p, scale, run));
    return UNA_OK;
}

una_status una_regions_of_fit(unsigned char **inside, size_t *count, const una_problem *p, const double *scale,
                              una_region_predictions *shared, una_run *run)
{
    enum { REGIONS = 3, REGIONS_OF_LINE = 6 };
    if (shared && shared->count > 0) {
        *inside = shared->inside;
        *count = shared->count;
        return UNA_OK;
    }
    UNA_TRY(una_regions_cut(inside, count, p->x.cols == 1 ? REGIONS_OF_LINE : REGIONS, p, scale, run));
    if (shared) shared->inside = *inside, shared->count = *count;
    return UNA_OK;
}
