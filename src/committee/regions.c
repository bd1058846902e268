/* SPDX-License-Identifier: MIT
 *
 * Slabs of rows. See regions.h. One input: pieces of equal count between the ends. Several: the middle third along the
 * inputs that matter most (one slab each), alternating with slabs along random directions of the scaled inputs, so that
 * no region depends on a single input alone. The ends are those of the input that matters most.
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

typedef struct cutting {
    const una_problem *p;
    const double *scale;
    place  *order;                       /* [rows]                                                          */
    size_t *input, numeric;              /* [inputs] numbers, those that matter most first; how many        */
} cutting;

static una_status cut_slabs(una_regions *regions, size_t most, const cutting *c, una_run *run)
{
    una_view x = c->p->x;
    size_t next = 0;
    UNA_NEW(&run->scratch, double, direction, x.cols);
    una_rng rng = una_rng_at(c->p->seed, UNA_FOR_FOLDS, 7);
    for (size_t k = 0; k < most; k++) {
        double from = 1. / 3, to = 2. / 3;
        if (x.cols == 1) {
            from = ((double)k + 1) / ((double)most + 2), to = ((double)k + 2) / ((double)most + 2);
            along_input(c->order, x, 0);
        } else if (k % 2 == 0 && next < c->numeric) along_input(c->order, x, c->input[next++]);
        else along_direction(c->order, x, c->scale, &rng, direction);
        if (mark_slab(regions->inside + regions->count * x.rows, c->order, x.rows, from, to)) ++regions->count;
    }
    return UNA_OK;
}

/* How much the target rises along an input: the square of their correlation, up to a factor. */
static double rise_along(const una_problem *p, size_t input)
{
    double sum = 0, square = 0, n = (double)p->x.rows, product = 0, mean = 0;
    for (size_t i = 0; i < p->x.rows; i++) sum += p->x.at[i * p->x.stride + input] / n, mean += p->y[i] / n;
    for (size_t i = 0; i < p->x.rows; i++) {
        double off = p->x.at[i * p->x.stride + input] - sum;
        square += off * off;
        product += off * (p->y[i] - mean);
    }
    return square > 0 ? product * product / square : 0;
}

/* The input that matters most: by the scales, or by its correlation with the target where there are none. */
static size_t input_of_ends(const cutting *c)
{
    size_t best = c->input[0];
    double most = -1;
    for (size_t k = 0; !c->scale && c->p->outputs <= 1 && k < c->numeric; k++) {
        double rise = rise_along(c->p, c->input[k]);
        if (rise > most) most = rise, best = c->input[k];
    }
    return best;
}

/* A sixth of the rows at each end. Values that repeat stay on one side; too many of them, and there are no ends. */
static una_status cut_ends(una_regions *regions, const cutting *c, una_run *run)
{
    size_t rows = c->p->x.rows, sixth = rows / 6, count = 0;
    if (c->numeric == 0 || sixth < 3) return UNA_OK;
    regions->ends_input = input_of_ends(c);
    along_input(c->order, c->p->x, regions->ends_input);
    qsort(c->order, rows, sizeof *c->order, by_place);
    double low = c->order[sixth].at, high = c->order[rows - 1 - sixth].at;
    UNA_NEW_ROWS(&run->scratch, unsigned char, ends, rows);
    for (size_t i = 0; i < rows; i++) count += ends[c->order[i].row] = c->order[i].at < low || c->order[i].at > high;
    if (count >= 6 && 2 * count <= rows) regions->ends = ends;
    return UNA_OK;
}

una_status una_regions_cut(una_regions *regions, size_t most, const una_problem *p, const double *scale, una_run *run)
{
    cutting c = { .p = p, .scale = scale };
    *regions = (una_regions){0};
    UNA_NEW_ROWS_AT(&run->scratch, regions->inside, most * p->x.rows);
    UNA_NEW_ROWS_AT(&run->scratch, c.order, p->x.rows);
    UNA_NEW_AT(&run->scratch, c.input, p->x.cols);
    c.numeric = rank_inputs(c.input, p->x.cols, p->columns, scale);
    UNA_TRY(cut_slabs(regions, most, &c, run));
    return cut_ends(regions, &c, run);
}

una_status una_regions_input_of_ends(size_t *input, const una_problem *p, const double *scale, una_run *run)
{
    cutting c = { .p = p, .scale = scale };
    UNA_NEW_AT(&run->scratch, c.input, p->x.cols);
    c.numeric = rank_inputs(c.input, p->x.cols, p->columns, scale);
    *input = c.numeric > 0 ? input_of_ends(&c) : 0;
    return UNA_OK;
}

una_status una_regions_of_fit(una_regions *regions, const una_problem *p, const double *scale,
                              una_region_predictions *shared, una_run *run)
{
    enum { REGIONS = 3, REGIONS_OF_LINE = 5 };
    if (shared && una_regions_left_out(&shared->at) > 0) {
        *regions = shared->at;
        return UNA_OK;
    }
    UNA_TRY(una_regions_cut(regions, p->x.cols == 1 ? REGIONS_OF_LINE : REGIONS, p, scale, run));
    if (shared) shared->at = *regions;
    return UNA_OK;
}
