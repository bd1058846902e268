/* SPDX-License-Identifier: MIT
 *
 * Factor and evidence of a Gaussian process, and the exact gradient of the evidence. Nothing of size n^2 is stored but
 * the factor and its inverse: A^-1 is made tile by tile and contracted with the kernel's derivatives at once.
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1 and section 5.4.1.
 */
#include "gp/gp.h"

#include "gp/deferred.h"
#include "gp/near.h"
#include "gp/pairs.h"

#include <stdatomic.h>

static una_status check_gp_memory(una_run *owner, size_t rows, double matrices, una_run *run)
{
    una_run *root = una_run_root(owner);
    double need = matrices * 8 * (double)rows * (double)rows, used = (double)atomic_load(&root->used);
    if (need + used <= (double)root->settings.memory_limit) return UNA_OK;
    UNA_FAIL(run, UNA_E_MEMORY, "gp: the covariances of %zu rows need %.3g MB of memory, and only %.3g MB are allowed; "
             "use fewer rows, another model (luna, nlm), or raise the limit", rows, (need + used) / 1e6,
             (double)root->settings.memory_limit / 1e6);
}

una_status una_gp_memory(size_t rows, double matrices, una_run *run)
{
    return check_gp_memory(run, rows, matrices, run);
}

static void take_gp_room(una_gp *gp, size_t room, bool weights, una_arena *keep)
{
    gp->room = room;
    gp->stride = una_large_stride(room);
    gp->x = UNA_GET(keep, double, room * gp->inputs);
    gp->y = UNA_GET(keep, double, room);
    gp->weight = weights ? UNA_GET(keep, double, room) : NULL;
    gp->alpha = gp->l = NULL;
    if (gp->near) return;
    gp->alpha = UNA_GET(keep, double, room);
    gp->l = una_arena_get(keep, room, gp->stride * sizeof *gp->l);
}

/* Rows behind those that are there. */
static void take_gp_rows(una_gp *gp, const una_gp_rows *more)
{
    for (size_t i = 0; i < more->x.rows; i++) {
        memcpy(gp->x + (gp->rows + i) * gp->inputs, more->x.at + i * more->x.stride, gp->inputs * sizeof *gp->x);
        if (gp->weight) gp->weight[gp->rows + i] = more->weight ? more->weight[i] : 1;
    }
    memcpy(gp->y + gp->rows, more->y, more->x.rows * sizeof *gp->y);
    gp->rows += more->x.rows;
}

static una_status take_copies(una_gp *gp, una_kernel *kernel, const una_gp_rows *rows, una_arena *keep)
{
    gp->kernel = kernel;
    gp->rows = 0;
    gp->inputs = rows->x.cols;
    gp->late = NULL;
    gp->log_evidence = NAN;
    take_gp_room(gp, rows->x.rows, rows->weight != NULL, keep);
    UNA_TRY(una_arena_check(keep));
    take_gp_rows(gp, rows);
    return UNA_OK;
}

una_status una_gp_init(una_gp *gp, una_kernel *kernel, una_gp_rows rows, una_arena *keep)
{
    gp->neighbours = 0;
    gp->near = NULL;
    return take_copies(gp, kernel, &rows, keep);
}

una_status una_gp_init_near(una_gp *gp, una_kernel *kernel, una_gp_rows rows, size_t neighbours, una_arena *keep)
{
    gp->neighbours = neighbours;
    UNA_TRY(una_near_defer(gp, keep));
    return take_copies(gp, kernel, &rows, keep);
}

double una_gp_row_noise(const una_gp *gp, size_t row)
{
    return gp->weight ? gp->noise_var / gp->weight[row] : gp->noise_var;
}

double una_gp_prior_mean_var(const una_gp *gp)
{
    double sum = 0;
    for (size_t i = 0; i < gp->rows; i++) sum += una_kernel_prior_var(gp->kernel, gp->x + i * gp->inputs);
    return sum / (double)gp->rows;
}

/* ---- the factor -------------------------------------------------------------------------------------------------- */

typedef struct filling { const una_gp *gp; const una_side *side; size_t from, chunks; } filling;

/* Rows of one chunk of K, up to the diagonal; the last chunk, which is the longest, goes first. */
static una_status fill_chunk(void *context, size_t index, una_run *child)
{
    const filling *f = context;
    const una_gp *gp = f->gp;
    una_pairs pairs;
    double out[UNA_TILE];
    UNA_TRY(una_pairs_init(&pairs, gp->kernel, &child->scratch, child));
    size_t top = f->from + (f->chunks - 1 - index) * UNA_TILE,
           bottom = top + UNA_TILE < gp->rows ? top + UNA_TILE : gp->rows;

    for (size_t i = top; i < bottom; i++) {
        double *row = gp->l + i * gp->stride;
        for (size_t first = 0; first <= i; first += UNA_TILE) {
            size_t count = i + 1 - first < UNA_TILE ? i + 1 - first : UNA_TILE;
            una_pairs_values(&pairs, (una_pair_tile){ f->side, i, f->side, first, UNA_PADDED(count) }, out);
            memcpy(row + first, out, count * sizeof *out);
        }
        row[i] += una_gp_row_noise(gp, i) + gp->jitter_var;
    }
    return UNA_OK;
}

static una_status solve_alpha(una_gp *gp, double *v, una_run *run)
{
    size_t n = gp->rows;
    memcpy(v, gp->y, n * sizeof *v);
    una_large_forward(gp->l, n, gp->stride, v);
    double fit = una_dot(v, v, n), log_det = 0;
    for (size_t i = 0; i < n; i++) log_det += log(gp->l[i * gp->stride + i]);
    una_large_backward(gp->l, n, gp->stride, v);
    gp->log_evidence = -0.5 * fit - log_det - 0.9189385332046727 * (double)n;

    bool finite = isfinite(gp->log_evidence);
    for (size_t i = 0; finite && i < n; i++) finite = isfinite(v[i]);
    if (!finite)
        UNA_FAIL(run, UNA_E_NUMERIC, "gp: the evidence is not finite; the target may hold values that are too large");

    memcpy(gp->alpha, v, n * sizeof *v);
    return UNA_OK;
}

static una_status solve_from(una_gp *gp, size_t from, una_run *run)
{
    una_side side;
    UNA_NEW(&run->scratch, double, v, gp->rows);
    UNA_TRY(una_side_make(&side, gp->kernel, (una_view){ gp->x, gp->rows, gp->inputs, gp->inputs }, &run->scratch));
    filling f = { gp, &side, from, (gp->rows - from + UNA_TILE - 1) / UNA_TILE };
    UNA_TRY(una_pool(run, f.chunks, fill_chunk, &f));
    UNA_TRY(una_large_chol(gp->l, from, gp->rows, gp->stride, "the covariance of the rows", run));
    return solve_alpha(gp, v, run);
}

una_status una_gp_solve(una_gp *gp, size_t from, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    UNA_SCOPED(run, solve_from(gp, from, run));
    return UNA_OK;
}

una_status una_gp_solve_jittered(una_gp *gp, una_run *run)
{
    const double first = 1e-10, last = 1e-4;
    double scale = una_gp_prior_mean_var(gp), jitter = 0;
    for (;;) {
        gp->jitter_var = jitter * scale;
        una_status status = una_gp_solve(gp, 0, run);
        if (status == UNA_OK) una_clear_message(run);
        if (status != UNA_E_NUMERIC) return status;
        jitter = jitter > 0 ? 10 * jitter : first;
        if (!(jitter < 2 * last))
            UNA_FAIL(run, UNA_E_NUMERIC, "gp: the covariance of %zu rows has no Cholesky factor even with %g of the "
                     "prior variance added to its diagonal; raise noise_std or choose shorter lengths", gp->rows, last);
    }
}

/* ---- the factor of one that was loaded --------------------------------------------------------------------------- */

struct una_gp_deferred {
    una_deferred made;
    double *l, *alpha;                   /* in it: [rows, stride] aligned, [rows]                             */
    double  log_evidence;
};

una_status una_gp_defer(una_gp *gp, una_arena *keep)
{
    UNA_NEW_AT(keep, gp->late, 1);
    gp->room = gp->rows;
    gp->stride = una_large_stride(gp->rows);
    gp->alpha = gp->l = NULL;
    gp->log_evidence = NAN;
    return una_deferred_init(&gp->late->made, keep);
}

/* A file of few bytes may hold many rows. */
static una_status charge_late(una_gp_deferred *late, const una_gp *gp, size_t rows, una_run *run)
{
    double factor = 8 * (double)rows * (double)rows, kept = 8 * (double)gp->rows * (double)(gp->inputs + 1);
    if (una_deferred_charge(&late->made, factor, kept)) return UNA_OK;
    UNA_FAIL(run, UNA_E_MEMORY, "gp: the covariances of the %zu rows in the model file need %.3g MB of memory, %.0f times "
             "the bytes of these rows, which is too much for a file of unknown origin; if you trust it, say how much "
             "memory may be taken (--memory %.0fM), or fit the model again with neighbours=auto", rows, factor / 1e6,
             factor / kept, ceil(1.2e-6 * factor));
}

static una_status make_late(una_gp_deferred *late, const una_gp *gp, una_run *run)
{
    size_t factor = gp->rows * gp->stride;
    UNA_TRY(check_gp_memory(late->made.owner, gp->rows, 1, run));
    UNA_TRY(charge_late(late, gp, gp->rows, run));
    una_status status = una_deferred_take(&late->made, (factor + gp->rows) * sizeof *gp->l, run);
    if (status != UNA_OK) una_deferred_drop(&late->made);
    UNA_TRY(status);
    late->l = late->made.at;
    late->alpha = late->l + factor;

    una_gp whole = *gp;
    whole.l = late->l;
    whole.alpha = late->alpha;
    status = una_gp_solve(&whole, 0, run);
    late->log_evidence = whole.log_evidence;
    if (status != UNA_OK) una_deferred_drop(&late->made);
    if (status != UNA_E_NUMERIC) return status;
    UNA_FAIL(run, UNA_E_INPUT, "gp: the rows in the model file give a covariance without a factor (%s); copy the file "
             "again from where it came from, or fit the model again", run->message);
}

una_status una_gp_solved(una_gp *solved, const una_gp *gp, una_run *run)
{
    *solved = *gp;
    if (gp->l) return UNA_OK;
    una_gp_deferred *late = gp->late;
    UNA_TRY(una_deferred_enter(&late->made, "factoring the covariances", run));
    una_status status = late->made.block ? UNA_OK : make_late(late, gp, run);
    solved->l = late->l;
    solved->alpha = late->alpha;
    solved->log_evidence = late->log_evidence;
    una_deferred_leave(&late->made);
    return status;
}

/* ---- gradient ---------------------------------------------------------------------------------------------------- */

typedef struct contraction {
    const una_gp    *gp;
    const una_hyper *hyper;
    const una_side  *side;
    const double    *inverse;            /* tiles of -L^-1                                                    */
    double          *part;               /* [tasks, hyper->count + 1]                                         */
} contraction;

size_t una_gp_work(size_t rows)
{
    return (rows + UNA_TILE - 1) / UNA_TILE * UNA_TILE * rows;
}

/* The tile of A^-1 for rows of tile `high` and columns of tile `low`, times the derivatives of K. */
static una_status contract_tile(void *context, size_t index, una_run *child)
{
    const contraction *c = context;
    const una_gp *gp = c->gp;
    if (c->hyper->count == 0) index = index * (index + 3) / 2;           /* the noise needs the diagonal alone */
    size_t n = gp->rows, high = (size_t)((sqrt(8 * (double)index + 1) - 1) / 2);
    while (high * (high + 1) / 2 > index) high--;
    while ((high + 1) * (high + 2) / 2 <= index) high++;
    size_t low = index - high * (high + 1) / 2, top = high * UNA_TILE, first = low * UNA_TILE;
    size_t bottom = top + UNA_TILE < n ? top + UNA_TILE : n, parameters = gp->kernel->parameter_count;

    double *tile = UNA_GET(&child->scratch, double, UNA_TILE * UNA_TILE),
           *sum = UNA_GET(&child->scratch, double, parameters * UNA_PAD);
    double weight[UNA_TILE] = {0}, *part = c->part + (c->hyper->count ? index : high) * (c->hyper->count + 1);
    una_pairs pairs;
    UNA_TRY(una_pairs_init(&pairs, gp->kernel, &child->scratch, child));
    pairs.common = c->hyper->common;
    una_large_gram(c->inverse + high * n * UNA_TILE, c->inverse + low * n * UNA_TILE, top, n, tile, child);

    for (size_t i = top; i < bottom; i++) {
        size_t end = first + UNA_TILE <= i ? UNA_TILE : i + 1 - first;
        for (size_t j = 0; j < end; j++)
            weight[j] = gp->alpha[i] * gp->alpha[first + j] - tile[(i - top) * UNA_TILE + j];
        if (first + end == i + 1) {                      /* the diagonal counts once, other pairs stand for two */
            part[c->hyper->count] += 0.5 * una_gp_row_noise(gp, i) * weight[end - 1];
            weight[end - 1] *= 0.5;
        }
        if (c->hyper->count) una_pairs_gradient(&pairs, (una_pair_tile){ c->side, i, c->side, first, UNA_PADDED(end) },
                                                weight, sum);
    }

    una_hyper_fold(c->hyper, gp->kernel, sum, part);
    return UNA_OK;
}

static una_status contract_gradient(const una_gp *gp, const una_hyper *hyper, double *inverse, double *gradient,
                                    una_run *run)
{
    size_t tiles = (gp->rows + UNA_TILE - 1) / UNA_TILE, numbers = hyper->count + 1;
    size_t tasks = hyper->count ? tiles * (tiles + 1) / 2 : tiles;
    una_side side;
    contraction c = { gp, hyper, &side, inverse, UNA_GET(&run->scratch, double, tasks * numbers) };
    UNA_TRY(una_side_make(&side, gp->kernel, (una_view){ gp->x, gp->rows, gp->inputs, gp->inputs }, &run->scratch));
    UNA_TRY(una_large_inverse(gp->l, gp->rows, gp->stride, inverse, run));
    UNA_TRY(una_pool(run, tasks, contract_tile, &c));
    for (size_t h = 0; h < numbers; h++) gradient[h] = 0;
    for (size_t t = 0; t < tasks; t++)
        for (size_t h = 0; h < numbers; h++) gradient[h] += c.part[t * numbers + h];
    return UNA_OK;
}

una_status una_gp_gradient(const una_gp *gp, const una_hyper *hyper, double *inverse, double *gradient, una_run *run)
{
    UNA_SCOPED(run, contract_gradient(gp, hyper, inverse, gradient, run));
    return UNA_OK;
}

/* ---- more rows --------------------------------------------------------------------------------------------------- */

/* Room grows by half each time, because an arena gives nothing back before its end. */
static una_status grow_room(una_gp *gp, size_t rows, una_arena *keep)
{
    const una_gp old = *gp;
    if (rows <= gp->room) return UNA_OK;
    size_t room = gp->room + gp->room / 2;
    take_gp_room(gp, room > rows ? room : rows, old.weight != NULL, keep);
    UNA_TRY(una_arena_check(keep));
    memcpy(gp->x, old.x, old.rows * old.inputs * sizeof *gp->x);
    memcpy(gp->y, old.y, old.rows * sizeof *gp->y);
    if (gp->weight) memcpy(gp->weight, old.weight, old.rows * sizeof *gp->weight);
    for (size_t i = 0; old.l && i < old.rows; i++)
        memcpy(gp->l + i * gp->stride, old.l + i * old.stride, (i + 1) * sizeof *gp->l);
    return UNA_OK;
}

/* As an evidence that is not finite refuses them where there is one. */
static una_status check_targets(const una_gp_rows *more, una_run *run)
{
    const double most = 1e150;           /* squares are finite */
    for (size_t i = 0; i < more->x.rows; i++)
        if (!(fabs(more->y[i]) <= most))
            UNA_FAIL(run, UNA_E_NUMERIC, "gp: the target of row %zu of the new rows is %g, whose square is not finite; "
                     "it is too large", i + 1, more->y[i]);
    return UNA_OK;
}

/* A process with the rows of gp and more; without a factor all rows are factored at once, and one of nearest rows has
 * nothing to factor. */
static una_status append_rows(una_gp *next, const una_gp_rows *more, una_arena *keep, una_run *run)
{
    size_t rows = next->rows + more->x.rows, done = next->l ? next->rows : 0;
    if (next->near) UNA_TRY(check_targets(more, run));
    else if (rows > next->room) UNA_TRY(una_gp_memory(rows, 2.5, run));
    UNA_TRY(grow_room(next, rows, keep));
    if (more->weight && !next->weight) {                 /* those before count once */
        UNA_NEW_AT(keep, next->weight, next->room);
        for (size_t i = 0; i < next->rows; i++) next->weight[i] = 1;
    }
    take_gp_rows(next, more);                            /* beyond the rows of gp, which does not look there */
    if (next->near) return UNA_OK;       /* its evidence is that of the rows which chose its numbers */
    return una_gp_solve(next, done, run);                /* alpha is written at the very end, when all went well */
}

una_status una_gp_append(una_gp *gp, una_gp_rows more, una_arena *keep, una_run *run)
{
    una_mark mark = una_arena_mark(keep);
    una_gp next = *gp;
    una_gp_deferred *late = gp->late;
    if (late && (late->made.block || more.x.rows == 0)) UNA_TRY(una_gp_solved(&next, gp, run));
    gp->log_evidence = next.log_evidence;
    if (more.x.rows == 0) return UNA_OK;
    next.late = NULL;
    if (late && !late->made.block) UNA_TRY(charge_late(late, gp, gp->rows + more.x.rows, run));
    una_status status = append_rows(&next, &more, keep, run);
    if (status != UNA_OK && late && !late->made.block) una_deferred_drop(&late->made);
    if (status != UNA_OK) una_arena_release(keep, mark);
    if (status != UNA_OK) return status;
    *gp = next;
    if (late) late->made.charged = 0;    /* what was charged is now the model's, until the run ends */
    if (late) una_deferred_drop(&late->made);
    if (gp->near) una_deferred_drop(&gp->near->made);    /* the tree lacks the new rows */
    return UNA_OK;
}

una_status una_gp_rescale(una_gp *gp, double factor, una_run *run)
{
    gp->noise_var *= factor;
    if (gp->late) una_deferred_drop(&gp->late->made);    /* whoever asks first makes it */
    return gp->l ? una_gp_solve(gp, 0, run) : UNA_OK;
}
