/* SPDX-License-Identifier: MIT
 *
 * Predictions of a solved Gaussian process: mean and variance, slopes, joint draws. Rows are taken in tiles of columns
 * k* [n, width], on which products and triangular solves work column by column: so the answer for a row does not depend
 * on its neighbours.
 */
#include "gp/gp.h"

#include "gp/near.h"
#include "gp/pairs.h"

typedef struct query {
    una_gp   gp;                         /* solved                                                           */
    una_view x;                          /* asked for                                                        */
    una_side rows, stars;                /* of training, and asked for                                       */
    double  *mean, *var;
    double  *tiles;                      /* draws: -L^-1 k* is kept here, tile by tile                       */
    double  *joint;                      /* draws: covariance [rows, joint_stride]                           */
    size_t   joint_stride;
    double   jitter;
} query;

static una_status fill_sides(query *q, una_run *run)
{
    const una_gp *gp = &q->gp;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_side_make(&q->rows, gp->kernel, (una_view){ gp->x, gp->rows, gp->inputs, gp->inputs }, &run->scratch));
    return una_side_make(&q->stars, gp->kernel, q->x, &run->scratch);
}

/* ---- mean and variance ------------------------------------------------------------------------------------------- */

/* The posterior variance at x: the prior variance less what the rows explain. */
static double left_of(const una_gp *gp, const double *x, double explained)
{
    double prior = una_kernel_prior_var(gp->kernel, x);
    if (prior > explained) return prior - explained;
    return prior >= 0 ? 0 : prior;       /* NAN stays */
}

static void subtract_explained(const query *q, size_t from, size_t count, const double *k, size_t width)
{
    double sum[UNA_TILE] = {0};
    for (size_t i = 0; i < q->gp.rows; i++)
        for (size_t c = 0; c < width; c++) sum[c] += k[i * width + c] * k[i * width + c];
    for (size_t c = 0; c < count; c++) q->var[from + c] = left_of(&q->gp, q->x.at + (from + c) * q->x.stride, sum[c]);
}

static una_status answer_tile(void *context, size_t index, una_run *child)
{
    const query *q = context;
    const una_gp *gp = &q->gp;
    size_t from = index * UNA_TILE, left = q->x.rows - from, count = left < UNA_TILE ? left : UNA_TILE, n = gp->rows;
    size_t width = q->tiles ? UNA_TILE : UNA_PADDED(count);
    double *k = q->tiles ? q->tiles + index * n * UNA_TILE : UNA_GET(&child->scratch, double, n * width),
           mean[UNA_TILE];
    una_pairs pairs;
    UNA_TRY(una_pairs_init(&pairs, gp->kernel, &child->scratch, child));

    for (size_t i = 0; i < n; i++)
        una_pairs_values(&pairs, (una_pair_tile){ &q->rows, i, &q->stars, from, width }, k + i * width);
    if (q->mean) {
        pairs.kernels->product(1, width, n, UNA_ROWS(gp->alpha, n), UNA_ROWS(k, width), UNA_INTO(mean, width));
        memcpy(q->mean + from, mean, count * sizeof *mean);
    }

    if (!q->var && !q->tiles) return UNA_OK;
    una_large_lower_solve(gp->l, n, gp->stride, k, width, 0, child);
    if (q->var) subtract_explained(q, from, count, k, width);
    return UNA_OK;
}

static una_status predict_all(query *q, una_run *run)
{
    UNA_TRY(fill_sides(q, run));
    return una_pool(run, (q->x.rows + UNA_TILE - 1) / UNA_TILE, answer_tile, q);
}

una_status una_gp_predict(const una_gp *gp, una_view x, double *mean, double *var, una_run *run)
{
    query q = { .x = x, .mean = mean, .var = var };
    if (gp->near) return una_near_predict(gp, x, mean, var, run);
    UNA_TRY(una_gp_solved(&q.gp, gp, run));
    UNA_SCOPED(run, predict_all(&q, run));
    return UNA_OK;
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* out [inputs] += factor sum_j weight_j dk(x, x_j)/dx */
static void add_kernel_slopes(const query *q, una_pairs *pairs, const double *weight, double factor, double *out)
{
    double part[UNA_TILE];
    for (size_t first = 0; first < q->gp.rows; first += UNA_TILE) {
        size_t count = q->gp.rows - first < UNA_TILE ? q->gp.rows - first : UNA_TILE;
        memset(part, 0, sizeof part);
        for (size_t j = 0; j < count; j++) part[j] = factor * weight[first + j];
        una_pairs_slope(pairs, (una_pair_tile){ &q->stars, 0, &q->rows, first, UNA_PADDED(count) }, part, out);
    }
}

static una_status slope_at(query *q, double *dmean, double *dvar, una_run *run)
{
    const una_gp *gp = &q->gp;
    una_pairs pairs;
    UNA_TRY(fill_sides(q, run));
    double *k = UNA_GET(&run->scratch, double, q->rows.stride), own[UNA_PAD] = { 2 };
    UNA_TRY(una_pairs_init(&pairs, gp->kernel, &run->scratch, run));

    for (size_t first = 0; first < gp->rows; first += UNA_TILE)
        una_pairs_values(&pairs, (una_pair_tile){ &q->stars, 0, &q->rows, first, UNA_TILE }, k + first);
    *q->mean = una_dot(gp->alpha, k, gp->rows);
    una_large_forward(gp->l, gp->rows, gp->stride, k);
    *q->var = left_of(gp, q->x.at, una_dot(k, k, gp->rows));
    una_large_backward(gp->l, gp->rows, gp->stride, k);

    memset(dmean, 0, gp->inputs * sizeof *dmean);
    memset(dvar, 0, gp->inputs * sizeof *dvar);
    add_kernel_slopes(q, &pairs, gp->alpha, 1, dmean);
    add_kernel_slopes(q, &pairs, k, -2, dvar);
    una_pairs_slope(&pairs, (una_pair_tile){ &q->stars, 0, &q->stars, 0, UNA_PAD }, own, dvar);
    return UNA_OK;                       /* k(x, x) moves with both its arguments */
}

una_status una_gp_slope(const una_gp *gp, const double *x, double *mean, double *var, double *dmean, double *dvar,
                        una_run *run)
{
    query q = { .x = { x, 1, gp->inputs, gp->inputs }, .mean = mean, .var = var };
    if (gp->near) return una_near_slope(gp, x, mean, var, dmean, dvar, run);
    UNA_TRY(una_gp_solved(&q.gp, gp, run));
    UNA_SCOPED(run, slope_at(&q, dmean, dvar, run));
    return UNA_OK;
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* Rows of one tile of k** - (L^-1 k*)'(L^-1 k*), up to the diagonal. */
static una_status joint_tile(void *context, size_t index, una_run *child)
{
    const query *q = context;
    size_t n = q->gp.rows, top = index * UNA_TILE, bottom = top + UNA_TILE < q->x.rows ? top + UNA_TILE : q->x.rows;
    double *gram = UNA_GET(&child->scratch, double, UNA_TILE * UNA_TILE), out[UNA_TILE];
    una_pairs pairs;
    UNA_TRY(una_pairs_init(&pairs, q->gp.kernel, &child->scratch, child));

    for (size_t first = 0; first <= top; first += UNA_TILE) {
        una_large_gram(q->tiles + top * n, q->tiles + first * n, 0, n, gram, child);
        for (size_t i = top; i < bottom; i++) {
            size_t count = i + 1 - first < UNA_TILE ? i + 1 - first : UNA_TILE;
            una_pairs_values(&pairs, (una_pair_tile){ &q->stars, i, &q->stars, first, UNA_PADDED(count) }, out);
            for (size_t j = 0; j < count; j++)
                q->joint[i * q->joint_stride + first + j] = out[j] - gram[(i - top) * UNA_TILE + j];
            if (first == top) q->joint[i * q->joint_stride + i] += q->jitter;
        }
    }
    return UNA_OK;
}

static una_status factor_joint(query *q, una_run *run)
{
    const double first = 1e-10, last = 1e-4;
    double scale = una_gp_prior_mean_var(&q->gp);
    size_t rows = q->x.rows;
    for (double jitter = first; jitter < 2 * last; jitter *= 10) {
        q->jitter = jitter * scale;
        UNA_TRY(una_pool(run, (rows + UNA_TILE - 1) / UNA_TILE, joint_tile, q));
        una_status status = una_large_chol(q->joint, 0, rows, q->joint_stride, "the posterior covariance", run);
        if (status == UNA_OK) una_clear_message(run);
        if (status != UNA_E_NUMERIC) return status;
    }
    UNA_FAIL(run, UNA_E_NUMERIC, "gp: the posterior covariance of %zu rows has no Cholesky factor; draw at fewer rows",
             rows);
}

static una_status draw_posterior(query *q, size_t draws, una_rng *rng, double *f, una_run *run)
{
    size_t rows = q->x.rows, tiles = (rows + UNA_TILE - 1) / UNA_TILE;
    UNA_TRY(una_gp_memory(rows, 1 + (double)q->gp.rows / (double)rows, run));
    UNA_TRY(fill_sides(q, run));
    q->joint_stride = una_large_stride(rows);
    UNA_NEW_AT(&run->scratch, q->mean, rows);
    UNA_NEW_AT(&run->scratch, q->tiles, tiles * UNA_TILE * q->gp.rows);
    UNA_NEW_AT(&run->scratch, q->joint, rows * q->joint_stride);
    UNA_NEW(&run->scratch, double, z, rows);

    UNA_TRY(una_pool(run, tiles, answer_tile, q));
    UNA_TRY(factor_joint(q, run));

    for (size_t s = 0; s < draws; s++) {
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
        for (size_t i = 0; i < rows; i++) z[i] = una_rng_normal(rng);
        for (size_t i = 0; i < rows; i++)
            f[s * rows + i] = q->mean[i] + una_dot(q->joint + i * q->joint_stride, z, i + 1);
    }
    return UNA_OK;
}

una_status una_gp_draw(const una_gp *gp, una_view x, size_t draws, una_rng *rng, double *f, una_run *run)
{
    query q = { .x = x };
    if (x.rows == 0 || draws == 0) return UNA_OK;
    if (gp->near) return una_near_draw(gp, x, draws, rng, f, run);
    UNA_TRY(una_gp_solved(&q.gp, gp, run));
    UNA_SCOPED(run, draw_posterior(&q, draws, rng, f, run));
    return UNA_OK;
}
