/* SPDX-License-Identifier: MIT
 *
 * A k-d tree: built by halving along the widest side of each box, asked from the nearer child to the farther. See
 * row_tree.h. Distances of the kernel set and those of boxes are rounded differently; a box counts as farther only
 * where it is so by more than any rounding. So the answer does not depend on the shape of the tree.
 */
#include "gp/row_tree.h"

#include "gp/program.h"

static const double most_coordinate = 1e150;     /* squares of differences stay finite                           */
static const double rounding = 1e-9;             /* more than the relative error of a sum of squares             */

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

una_metric una_kernel_metric(const una_kernel *k, size_t inputs)
{
    const una_kernel_op *with = NULL;
    bool one = true, placed = true;      /* placed: other leaves do not depend on the place                   */
    for (size_t o = 0; o < k->op_count; o++) {
        una_kernel_code code = k->op[o].code;
        if (code < UNA_KERNEL_PERIODIC) one = one && !with, with = &k->op[o];
        else if (code == UNA_KERNEL_PERIODIC || code == UNA_KERNEL_LINEAR) placed = false;
    }
    if (!with || !one || (!placed && with->count < inputs)) return (una_metric){ inputs, NULL, NULL };
    return (una_metric){ with->count, k->input + with->input, k->parameter + with->parameter + 1 };
}

double una_metric_at(const una_metric *m, const double *x, size_t d)
{
    double at = x[m->input ? m->input[d] : d];
    if (m->length) at /= m->length[d];
    return fmax(-most_coordinate, fmin(at, most_coordinate));
}

/* ---- halving ----------------------------------------------------------------------------------------------------- */

typedef struct halving {
    const una_metric *metric;
    una_view  x;
    uint32_t *row;                       /* [rows] the order, which becomes that of the tree                  */
    double   *key;                       /* [rows] work: one coordinate of each                               */
    double   *low, *high;                /* [count] work: a box                                               */
    una_rng   rng;
} halving;

static una_status begin_halving(halving *h, const una_metric *metric, una_view x, una_run *run)
{
    *h = (halving){ .metric = metric, .x = x, .rng = una_rng_at(0, UNA_FOR_SPLIT, 4) };
    UNA_TRY(una_order_new(&h->row, x.rows, &run->scratch));
    UNA_NEW_AT(&run->scratch, h->key, x.rows);
    UNA_NEW_AT(&run->scratch, h->low, metric->count);
    UNA_NEW_AT(&run->scratch, h->high, metric->count);
    return UNA_OK;
}

static double coordinate(const halving *h, size_t place, size_t d)
{
    return una_metric_at(h->metric, h->x.at + h->row[place] * h->x.stride, d);
}

/* The box of the rows at [from, to), and the coordinate in which it is widest. */
static size_t widest_side(const halving *h, size_t from, size_t to, double *low, double *high)
{
    size_t widest = 0;
    for (size_t d = 0; d < h->metric->count; d++) low[d] = HUGE_VAL, high[d] = -HUGE_VAL;
    for (size_t i = from; i < to; i++)
        for (size_t d = 0; d < h->metric->count; d++) {
            double at = coordinate(h, i, d);
            low[d] = fmin(low[d], at);
            high[d] = fmax(high[d], at);
        }
    for (size_t d = 1; d < h->metric->count; d++)
        if (high[d] - low[d] > high[widest] - low[widest]) widest = d;
    return widest;
}

static bool is_before(const halving *h, size_t i, double key, uint32_t row)
{
    return h->key[i] < key || (h->key[i] == key && h->row[i] < row);
}

static void swap_places(halving *h, size_t i, size_t j)
{
    double key = h->key[i];
    uint32_t row = h->row[i];
    h->key[i] = h->key[j], h->row[i] = h->row[j];
    h->key[j] = key, h->row[j] = row;
}

/* Puts the smallest of [from, to) before `middle`: quickselect with random pivots, so that no order of rows is bad. */
static void halve(halving *h, size_t from, size_t to, size_t middle, size_t d)
{
    for (size_t i = from; i < to; i++) h->key[i] = coordinate(h, i, d);
    while (to - from > 1) {
        size_t low = from, pivot = from + una_rng_below(&h->rng, to - from);
        swap_places(h, pivot, to - 1);
        for (size_t i = from; i + 1 < to; i++)
            if (is_before(h, i, h->key[to - 1], h->row[to - 1])) swap_places(h, i, low++);
        swap_places(h, low, to - 1);
        if (low == middle) return;
        if (low < middle) from = low + 1;
        else to = low;
    }
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static size_t leaves_of(size_t rows)
{
    return rows > 0 ? (rows + UNA_TILE - 1) / UNA_TILE : 1;
}

static size_t in_lines(size_t bytes)     /* whole lines of the cache */
{
    return (bytes + 63) / 64 * 64;
}

size_t una_row_tree_bytes(size_t rows, size_t count)
{
    size_t leaves = leaves_of(rows), stride = leaves * UNA_TILE;
    return in_lines(count * stride * sizeof(double)) + 2 * in_lines((2 * leaves - 1) * count * sizeof(double)) +
           in_lines(stride * sizeof(uint32_t));
}

static void place_tree(una_row_tree *t, void *memory)
{
    unsigned char *at = memory;
    size_t boxes = in_lines((2 * t->leaves - 1) * t->count * sizeof(double));
    t->at = (double *)(void *)at;
    t->low = (double *)(void *)(at += in_lines(t->count * t->stride * sizeof(double)));
    t->high = (double *)(void *)(at += boxes);
    t->row = (uint32_t *)(void *)(at + boxes);
}

/* Leaves [first, last) below node `node`: all but the last leaf of the tree are full. */
static una_status grow_node(una_row_tree *t, halving *h, size_t node, size_t first, size_t last, una_run *run)
{
    size_t from = first * UNA_TILE, to = UNA_MIN(last * UNA_TILE, t->rows), middle = first + (last - first) / 2;
    size_t widest = widest_side(h, from, to, t->low + node * t->count, t->high + node * t->count);
    if (last - first == 1) return UNA_OK;
    UNA_TRY(una_check_cancelled(run, "finding neighbours"));
    halve(h, from, to, middle * UNA_TILE, widest);
    UNA_TRY(grow_node(t, h, node + 1, first, middle, run));
    return grow_node(t, h, node + 2 * (middle - first), middle, last, run);
}

static una_status build(una_row_tree *t, const una_metric *metric, una_view x, una_run *run)
{
    halving h;
    UNA_TRY(begin_halving(&h, metric, x, run));
    UNA_TRY(grow_node(t, &h, 0, 0, t->leaves, run));
    for (size_t i = 0; i < t->rows; i++) {
        t->row[i] = h.row[i];
        for (size_t d = 0; d < t->count; d++) t->at[d * t->stride + i] = coordinate(&h, i, d);
    }
    return UNA_OK;
}

una_status una_row_tree_build(una_row_tree *t, void *memory, const una_metric *metric, una_view x, una_run *run)
{
    size_t leaves = leaves_of(x.rows);
    *t = (una_row_tree){ .rows = x.rows, .count = metric->count, .leaves = leaves, .stride = leaves * UNA_TILE };
    place_tree(t, memory);
    UNA_SCOPED(run, build(t, metric, x, run));
    return UNA_OK;
}

/* ---- the nearest ------------------------------------------------------------------------------------------------- */

static bool is_farther(una_neighbour a, una_neighbour b)
{
    return a.square > b.square || (a.square == b.square && a.row > b.row);
}

static void sink_first(una_neighbours *heap)
{
    una_neighbour *at = heap->at, mine = at[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && is_farther(at[child + 1], at[child])) child++;
        if (!is_farther(at[child], mine)) break;
        at[i] = at[child];
    }
    at[i] = mine;
}

void una_neighbours_add(una_neighbours *heap, double square, size_t row)
{
    una_neighbour mine = { square, row };
    if (heap->count == heap->most) {
        if (!is_farther(heap->at[0], mine)) return;
        heap->at[0] = mine;
        sink_first(heap);
        return;
    }
    size_t i = heap->count++;
    for (; i > 0 && is_farther(mine, heap->at[(i - 1) / 2]); i = (i - 1) / 2) heap->at[i] = heap->at[(i - 1) / 2];
    heap->at[i] = mine;
}

typedef struct question {
    const una_row_tree *tree;
    const double   *at;                  /* [count]                                                           */
    una_neighbours *heap;
    const una_kernels_f64 *kernels;
} question;

static void ask_leaf(const question *q, size_t leaf)
{
    const una_row_tree *t = q->tree;
    size_t first = leaf * UNA_TILE, count = UNA_MIN(UNA_TILE, t->rows - first);
    double square[UNA_TILE];
    const una_pair_rows_f64 pairs = { UNA_PADDED(count), t->count, q->at, t->at + first, 1, t->stride };
    q->kernels->pairs->distances(&pairs, square);
    for (size_t j = 0; j < count; j++) una_neighbours_add(q->heap, square[j], t->row[first + j]);
}

/* The squared distance to the box of a node. */
static double square_to_box(const question *q, size_t node)
{
    const double *low = q->tree->low + node * q->tree->count, *high = q->tree->high + node * q->tree->count;
    double sum = 0;
    for (size_t d = 0; d < q->tree->count; d++) {
        double away = fmax(0, fmax(low[d] - q->at[d], q->at[d] - high[d]));
        sum += away * away;
    }
    return sum;
}

static bool may_hold_nearer(const question *q, double square)
{
    return q->heap->count < q->heap->most || square * (1 - rounding) <= q->heap->at[0].square;
}

static void ask_node(const question *q, size_t node, size_t first, size_t last)
{
    if (last - first == 1) {
        ask_leaf(q, first);
        return;
    }
    size_t middle = first + (last - first) / 2, left = node + 1, right = node + 2 * (middle - first);
    double to_left = square_to_box(q, left), to_right = square_to_box(q, right);
    if (to_right < to_left) {
        if (may_hold_nearer(q, to_right)) ask_node(q, right, middle, last);
        if (may_hold_nearer(q, to_left)) ask_node(q, left, first, middle);
    } else {
        if (may_hold_nearer(q, to_left)) ask_node(q, left, first, middle);
        if (may_hold_nearer(q, to_right)) ask_node(q, right, middle, last);
    }
}

void una_row_tree_nearest(const una_row_tree *tree, const double *at, una_neighbours *heap,
                          const una_kernels_f64 *kernels)
{
    const question q = { tree, at, heap, kernels };
    if (tree->rows > 0 && heap->most > 0) ask_node(&q, 0, 0, tree->leaves);
}

static int by_row(const void *a, const void *b)
{
    size_t one = ((const una_neighbour *)a)->row, two = ((const una_neighbour *)b)->row;
    return (one > two) - (one < two);
}

void una_neighbours_by_row(const una_neighbours *heap)
{
    qsort(heap->at, heap->count, sizeof *heap->at, by_row);
}

/* ---- rows spread over the inputs --------------------------------------------------------------------------------- */

typedef struct spreading { halving h; uint32_t *kept; size_t count; } spreading;

/* One row of each of `cells` cells of the rows at [from, to). */
static una_status spread(spreading *s, size_t from, size_t to, size_t cells, una_run *run)
{
    size_t widest = widest_side(&s->h, from, to, s->h.low, s->h.high), left = cells / 2;
    size_t middle = cells == 1 ? from + (to - from) / 2
                               : from + (size_t)((double)(to - from) * (double)left / (double)cells);
    halve(&s->h, from, to, middle, widest);
    if (cells == 1) {
        s->kept[s->count++] = s->h.row[middle];
        return UNA_OK;
    }
    UNA_TRY(una_check_cancelled(run, "choosing rows"));
    UNA_TRY(spread(s, from, middle, left, run));
    return spread(s, middle, to, cells - left, run);
}

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return (one > two) - (one < two);
}

una_status una_spread_rows(uint32_t **rows, size_t most, const una_metric *metric, una_view x, una_run *run)
{
    spreading s = {0};
    UNA_NEW_AT(&run->scratch, s.kept, most);
    UNA_TRY(begin_halving(&s.h, metric, x, run));
    UNA_TRY(spread(&s, 0, x.rows, most, run));
    qsort(s.kept, most, sizeof *s.kept, by_number);
    *rows = s.kept;
    return UNA_OK;
}
