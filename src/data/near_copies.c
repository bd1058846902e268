/* SPDX-License-Identifier: MIT
 *
 * Near copies: jumps in the distances that some rows see, then links within cells of grids, each shifted by chance so
 * that no pair is parted by the walls of all. See near_copies.h.
 */
#include "data/near_copies.h"

#include "base/hash.h"

enum { MOST_SEEN = 64, LEAST_ROWS = 20, MOST_LOOKING = 400, LEAST_LOOKING = 100, GRIDS = 4, CELLS = 4,
       MOST_COMPARED = 64, LEAST_GROUPS = 10, TRIES = 4, PARTS = 5 };
static const double MOST_PAIRS = 3e7;
static const double NEAR = 0.03, FAR = 0.3;              /* copies lie within; distances are known up to           */
static const double JUMP = 5, LARGE_JUMP = 30, SHARE = 0.5, LARGE_SHARE = 0.1, LARGE_CHANCE = 0.035;

/* At least `most`, where it is that far. */
static double distance(const una_near_rows *of, size_t i, size_t k, double most)
{
    const double *a = of->x.at + i * of->x.stride, *b = of->x.at + k * of->x.stride;
    double far = 0;
    for (size_t d = 0; d < of->x.cols && far < most; d++) far = fmax(far, fabs(a[d] - b[d]));
    for (size_t t = 0; of->y && t < of->outputs; t++)    /* the larger of a number and NAN is the number */
        far = fmax(far, fabs(of->y[i * of->outputs + t] - of->y[k * of->outputs + t]));
    return far;
}

/* ---- jumps ----------------------------------------------------------------------------------------------------- */

/* The distances from a row to the nearest others that are not equal to it, ascending; returns how many. */
static size_t see_nearest(double seen[MOST_SEEN], size_t most, const una_near_rows *of, size_t row)
{
    size_t count = 0;
    for (size_t i = 0; i < of->x.rows; i++) {
        double limit = count == most ? seen[count - 1] : FAR;
        double far = distance(of, row, i, limit);
        if (!(far < limit) || far == 0) continue;
        if (count < most) count++;
        size_t at = count - 1;
        for (; at > 0 && seen[at - 1] > far; at--) seen[at] = seen[at - 1];
        seen[at] = far;
    }
    return count;
}

/* The largest jump that begins near: its lower edge, and how many times as far the next row is. */
static double largest_jump(double *edge, const double *seen, size_t count, size_t most)
{
    double best = 0;
    for (size_t j = 0; j < count && seen[j] <= NEAR; j++) {
        double next = j + 1 < count ? seen[j + 1] : FAR, ratio = j + 1 < most ? next / seen[j] : 0;
        if (ratio > best) best = ratio, *edge = seen[j];
    }
    return best;
}

/* Jumps that rows see, and their lower edges; those that are large are also counted apart. */
typedef struct jumps { double *edge, *large_edge; size_t count, large; } jumps;

static una_status see_jumps(jumps *seen, const una_near_rows *of, size_t looking, una_run *run)
{
    size_t rows = of->x.rows, most = UNA_MIN(rows / 3, MOST_SEEN);
    double far[MOST_SEEN], edge = 0;
    *seen = (jumps){ .count = 0 };
    UNA_NEW_AT(&run->scratch, seen->edge, looking);
    UNA_NEW_AT(&run->scratch, seen->large_edge, looking);
    for (size_t i = 0; i < looking; i++) {
        UNA_TRY(una_check_cancelled(run, "looking for rows with nearly equal inputs"));
        size_t count = see_nearest(far, most, of, i * rows / looking);
        double jump = largest_jump(&edge, far, count, most);
        if (jump >= JUMP) seen->edge[seen->count++] = edge;
        if (jump >= LARGE_JUMP) seen->large_edge[seen->large++] = edge;
    }
    return UNA_OK;
}

/* The distance up to which rows are copies; 0: there are no near copies. */
static una_status find_reach(double *reach, const una_near_rows *of, una_run *run)
{
    size_t looking = (size_t)fmin(MOST_LOOKING, fmax(LEAST_LOOKING, MOST_PAIRS / (double)of->x.rows));
    jumps seen;
    if (looking > of->x.rows) looking = of->x.rows;
    UNA_TRY(see_jumps(&seen, of, looking, run));
    double all = (double)looking, least = fmax(LARGE_SHARE, LARGE_CHANCE + 4 * sqrt(2 * LARGE_CHANCE / all));
    bool often = (double)seen.count >= (SHARE + 2 * sqrt(SHARE / all)) * all;     /* a pair sees one jump twice */
    double *edge = often ? seen.edge : seen.large_edge;
    size_t count = often ? seen.count : seen.large;
    if (!often && (double)count < least * all) return UNA_OK;
    qsort(edge, count, sizeof *edge, una_by_number);
    *reach = 2 * edge[count * 3 / 4];
    return UNA_OK;
}

/* ---- links ----------------------------------------------------------------------------------------------------- */

typedef struct grid {
    const una_near_rows *of;
    double   reach, width, *shift;       /* [inputs, and one for the targets]                               */
    uint64_t *slot;                      /* upper half of the hash, and 1 + the last row of a cell; 0: free */
    size_t    slots;                     /* a power of two                                                  */
    uint32_t *before, *parent;           /* [rows] 1 + the row before it in its cell; the forest            */
    una_hash_key key;
} grid;

static uint64_t hash_of_cell(const grid *g, size_t row)
{
    const una_near_rows *of = g->of;
    const una_view *x = &of->x;
    una_hash h = una_hash_begin(g->key);
    for (size_t d = 0; d < x->cols; d++)
        una_hash_add_number(&h, floor(x->at[row * x->stride + d] / g->width + g->shift[d]));
    for (size_t t = 0; of->y && t < of->outputs; t++)
        una_hash_add_number(&h, floor(of->y[row * of->outputs + t] / g->width + g->shift[x->cols]));
    return una_hash_end(h);
}

/* Two cells of one hash do no harm: distances are compared. */
static void link_in_cell(grid *g, uint32_t row)
{
    uint64_t hash = hash_of_cell(g, row), mark = hash >> 32 << 32;
    size_t i = (size_t)hash & (g->slots - 1), compared = 0;
    while (g->slot[i] && g->slot[i] >> 32 << 32 != mark) i = (i + 1) & (g->slots - 1);
    g->before[row] = (uint32_t)g->slot[i];
    g->slot[i] = mark | (row + 1);
    for (uint32_t other = g->before[row]; other && compared < MOST_COMPARED; other = g->before[other - 1], compared++)
        if (distance(g->of, row, other - 1, 2 * g->reach) <= g->reach)
            una_unite_roots(g->parent, row, other - 1);
}

static una_status link_near(grid *g, una_run *run)
{
    size_t rows = g->of->x.rows;
    for (size_t i = 0; i < rows; i++) g->parent[i] = (uint32_t)i;
    for (size_t k = 0; k < GRIDS; k++) {
        UNA_TRY(una_check_cancelled(run, "looking for rows with nearly equal inputs"));
        una_rng rng = una_rng_at(0, UNA_FOR_SPLIT, k);
        for (size_t d = 0; d <= g->of->x.cols; d++) g->shift[d] = una_rng_uniform(&rng);
        memset(g->slot, 0, g->slots * sizeof *g->slot);
        for (size_t i = 0; i < rows; i++) link_in_cell(g, (uint32_t)i);
    }
    for (size_t i = 0; i < rows; i++) g->parent[i] = una_root_of(g->parent, (uint32_t)i);
    return UNA_OK;
}

static una_status count_groups(una_copies *copies, const uint32_t *label, size_t rows, una_run *run)
{
    UNA_SCOPED(run, una_copies_of_labels(copies, label, rows, &run->scratch, run));
    copies->next = NULL;
    return UNA_OK;
}

/* Half the reach, and half of that, where links make chains through the table. */
static una_status link_all(una_near_copies *found, uint32_t *label, const una_near_rows *of, double reach, una_run *run)
{
    una_copies copies;
    grid g = { .of = of, .slots = 16, .parent = label, .key = una_hash_key_of(run) };
    while (g.slots < of->x.rows + of->x.rows / 2) g.slots *= 2;
    UNA_NEW_AT(&run->scratch, g.shift, of->x.cols + 1);
    UNA_NEW_ROWS_AT(&run->scratch, g.before, of->x.rows);
    UNA_NEW_ROWS_AT(&run->scratch, g.slot, g.slots);
    for (size_t k = 0; k < TRIES; k++, reach /= 2) {
        g.reach = reach;
        g.width = reach * (double)(CELLS * (of->x.cols + 1));
        UNA_TRY(link_near(&g, run));
        UNA_TRY(count_groups(&copies, label, of->x.rows, run));
        *found = (una_near_copies){ copies.groups, copies.copied };
        if (PARTS * copies.largest <= of->x.rows && copies.groups >= LEAST_GROUPS) return UNA_OK;
    }
    *found = (una_near_copies){ of->x.rows, 0 };
    return UNA_OK;
}

una_status una_near_copies_find(una_near_copies *found, uint32_t *label, const una_near_rows *of, una_run *run)
{
    double reach = 0;
    *found = (una_near_copies){ of->x.rows, 0 };
    if (of->x.rows >= LEAST_ROWS && of->x.cols > 0) UNA_SCOPED(run, find_reach(&reach, of, run));
    if (reach > 0) UNA_SCOPED(run, link_all(found, label, of, reach, run));
    for (size_t i = 0; found->copied == 0 && i < of->x.rows; i++) label[i] = (uint32_t)i;
    return UNA_OK;
}
