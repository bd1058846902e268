/* SPDX-License-Identifier: MIT
 *
 * Predictions from the nearest rows: mean and variance, slopes. See near.h. Questions are tasks of the pool, a few at a
 * time, and know nothing of each other: an answer has the same bits whatever is asked beside it.
 */
#include "gp/near.h"

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

una_status una_near_defer(una_gp *gp, una_arena *keep)
{
    UNA_NEW_AT(keep, gp->near, 1);
    gp->room = gp->rows;
    gp->alpha = gp->l = NULL;
    gp->log_evidence = NAN;
    return una_deferred_init(&gp->near->made, keep);
}

static una_status make_tree(una_gp_near *near, const una_gp *gp, una_run *run)
{
    const una_metric metric = una_kernel_metric(gp->kernel, gp->inputs);
    const una_view rows = { gp->x, gp->rows, gp->inputs, gp->inputs };
    UNA_TRY(una_deferred_take(&near->made, una_row_tree_bytes(gp->rows, metric.count), run));
    una_status status = una_row_tree_build(&near->tree, near->made.at, &metric, rows, run);
    if (status != UNA_OK) una_deferred_drop(&near->made);
    return status;
}

una_status una_near_tree(const una_row_tree **tree, const una_gp *gp, una_run *run)
{
    una_gp_near *near = gp->near;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_deferred_enter(&near->made, "finding neighbours", run));
    una_status status = near->made.block ? UNA_OK : make_tree(near, gp, run);
    una_deferred_leave(&near->made);
    *tree = &near->tree;
    return status;
}

/* ---- the process of a few rows ----------------------------------------------------------------------------------- */

una_status una_near_local_new(una_near_local *local, const una_gp *gp, const una_row_tree *tree, size_t most,
                              una_run *run)
{
    una_arena *arena = &run->scratch;
    *local = (una_near_local){ .gp = gp, .tree = tree, .kernels = una_kernels_named_f64(run->settings.kernels),
                               .heap = { UNA_GET(arena, una_neighbour, gp->neighbours), 0, gp->neighbours },
                               .stride = una_large_stride(most), .question = UNA_GET(arena, double, tree->count),
                               .x = UNA_GET(arena, double, most * gp->inputs), .y = UNA_GET(arena, double, most),
                               .noise = UNA_GET(arena, double, most),
                               .weight = UNA_GET(arena, double, most + UNA_TILE) };
    local->l = UNA_GET(arena, double, most * local->stride);
    local->work = UNA_GET(arena, double, una_large_chol_work(most));
    UNA_TRY(una_side_room(&local->side, gp->kernel, most, arena));
    UNA_TRY(una_side_room(&local->star, gp->kernel, 1, arena));
    return una_pairs_init(&local->pairs, gp->kernel, arena, run);
}

void una_near_local_find(una_near_local *local, const double *x)
{
    const una_metric metric = una_kernel_metric(local->gp->kernel, local->gp->inputs);
    for (size_t d = 0; d < metric.count; d++) local->question[d] = una_metric_at(&metric, x, d);
    local->heap.count = 0;
    una_row_tree_nearest(local->tree, local->question, &local->heap, local->kernels);
    una_neighbours_by_row(&local->heap);
}

void una_near_local_add(una_near_local *local, const double *x, double y, double noise)
{
    size_t inputs = local->gp->inputs;
    memcpy(local->x + local->rows * inputs, x, inputs * sizeof *x);
    local->y[local->rows] = y;
    local->noise[local->rows++] = noise;
}

void una_near_local_add_found(una_near_local *local)
{
    const una_gp *gp = local->gp;
    for (size_t i = 0; i < local->heap.count; i++) {
        size_t row = local->heap.at[i].row;
        una_near_local_add(local, gp->x + row * gp->inputs, gp->y[row], una_gp_row_noise(gp, row));
    }
}

/* The lower triangle of A; returns the mean of the prior variances. */
static double fill_covariance(una_near_local *local, double jitter)
{
    const una_side *side = &local->side;
    double sum = 0, out[UNA_TILE];
    for (size_t i = 0; i < local->rows; i++) {
        double *row = local->l + i * local->stride;
        for (size_t first = 0; first <= i; first += UNA_TILE) {
            size_t count = UNA_MIN(UNA_TILE, i + 1 - first);
            una_pairs_values(&local->pairs, (una_pair_tile){ side, i, side, first, UNA_PADDED(count) }, out);
            memcpy(row + first, out, count * sizeof *out);
        }
        sum += row[i];
        row[i] += local->noise[i] + jitter;
    }
    return sum / (double)local->rows;
}

/* With the jitter of the process; where that is not enough, with as much as these rows need. */
static una_status factor(una_near_local *local, una_run *run)
{
    const double first = 1e-10, last = 1e-4;
    double share = 0, scale = 0;
    for (;;) {
        scale = fill_covariance(local, local->gp->jitter_var + share * scale);
        una_status status = una_large_chol_on(local->work, local->l, local->rows, local->stride,
                                              "the covariance of the rows", run);
        if (status == UNA_OK) una_clear_message(run);
        if (status != UNA_E_NUMERIC) return status;
        share = share > 0 ? 10 * share : first;
        if (!(share < 2 * last))
            UNA_FAIL(run, UNA_E_NUMERIC, "gp: the covariance of the %zu nearest rows has no Cholesky factor even with "
                     "%g of the prior variance added to its diagonal; raise noise_std or choose shorter lengths",
                     local->rows, last);
    }
}

/* w and var; local->weight holds k, then L^-1 k, then w. */
static void weigh_rows(una_near_local *local, double prior)
{
    size_t n = local->rows;
    for (size_t first = 0; first < n; first += UNA_TILE)
        una_pairs_values(&local->pairs, (una_pair_tile){ &local->star, 0, &local->side, first, UNA_TILE },
                         local->weight + first);
    una_large_forward(local->l, n, local->stride, local->weight);
    local->var = prior - una_dot(local->weight, local->weight, n);
    una_large_backward(local->l, n, local->stride, local->weight);
    if (local->var < 0) local->var = 0;  /* NAN stays */
}

una_status una_near_local_solve(una_near_local *local, const double *x, una_run *run)
{
    const una_kernel *kernel = local->gp->kernel;
    size_t inputs = local->gp->inputs;
    local->var = una_kernel_prior_var(kernel, x);
    if (local->rows == 0) return UNA_OK;
    una_side_fill(&local->side, kernel, (una_view){ local->x, local->rows, inputs, inputs });
    una_side_fill(&local->star, kernel, (una_view){ x, 1, inputs, inputs });
    UNA_TRY(factor(local, run));
    weigh_rows(local, local->var);
    local->rows = 0;
    return UNA_OK;
}

/* ---- mean and variance ------------------------------------------------------------------------------------------- */

enum { AT_ONCE = 16 };                   /* questions of a task                                               */

typedef struct near_query {
    const una_gp   *gp;
    const una_row_tree *tree;
    una_view x;
    double  *mean, *var;
} near_query;

static una_status answer_some(void *context, size_t index, una_run *child)
{
    const near_query *q = context;
    size_t from = index * AT_ONCE, to = UNA_MIN(from + AT_ONCE, q->x.rows);
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, q->gp, q->tree, q->gp->neighbours, child));
    for (size_t i = from; i < to; i++) {
        const double *x = q->x.at + i * q->x.stride;
        una_near_local_find(&local, x);
        una_near_local_add_found(&local);
        UNA_TRY(una_near_local_solve(&local, x, child));
        if (q->mean) q->mean[i] = una_dot(local.weight, local.y, local.heap.count);
        if (q->var) q->var[i] = local.var;
    }
    return UNA_OK;
}

una_status una_near_predict(const una_gp *gp, una_view x, double *mean, double *var, una_run *run)
{
    near_query q = { .gp = gp, .x = x, .mean = mean, .var = var };
    UNA_TRY(una_near_tree(&q.tree, gp, run));
    return una_pool(run, (x.rows + AT_ONCE - 1) / AT_ONCE, answer_some, &q);
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* The exact process of the rows nearest to x: its slopes are those of the answer while the neighbours stay the same. */
static una_status exact_at(una_gp *exact, const una_gp *gp, const una_row_tree *tree, const double *x, una_run *run)
{
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, gp, tree, gp->neighbours, run));
    una_near_local_find(&local, x);
    una_near_local_add_found(&local);
    UNA_NEW(&run->scratch, double, weight, local.rows);
    for (size_t i = 0; i < local.rows; i++) weight[i] = gp->weight ? gp->weight[local.heap.at[i].row] : 1;
    *exact = (una_gp){ .noise_var = gp->noise_var, .jitter_var = gp->jitter_var };
    UNA_TRY(una_gp_init(exact, gp->kernel, (una_gp_rows){ { local.x, local.rows, gp->inputs, gp->inputs }, local.y,
                                                          gp->weight ? weight : NULL }, &run->scratch));
    una_status status = una_gp_solve(exact, 0, run);
    return status == UNA_E_NUMERIC ? una_gp_solve_jittered(exact, run) : status;
}

typedef struct near_slope { double *mean, *var, *dmean, *dvar; } near_slope;

static una_status slope_of_exact(const una_gp *gp, const double *x, const near_slope *to, una_run *run)
{
    const una_row_tree *tree;
    una_gp exact;
    UNA_TRY(una_near_tree(&tree, gp, run));
    UNA_TRY(exact_at(&exact, gp, tree, x, run));
    return una_gp_slope(&exact, x, to->mean, to->var, to->dmean, to->dvar, run);
}

una_status una_near_slope(const una_gp *gp, const double *x, double *mean, double *var, double *dmean, double *dvar,
                          una_run *run)
{
    const near_slope to = { mean, var, dmean, dvar };
    UNA_SCOPED(run, slope_of_exact(gp, x, &to, run));
    return UNA_OK;
}
