/* SPDX-License-Identifier: MIT
 *
 * SNGP without random features: an exact Gaussian process on the last layer h of the residual network,
 *   k(x, x') = alpha exp(-|h(x) - h(x')|^2 / (2 lengthscale^2)),
 * the kernel that the Fourier features stand for. The features of every row stay in the model; cost rows^3, memory
 * rows^2.
 * Source: Liu et al., Simple and principled uncertainty estimation, 2020, section 3.1; equations in gp/gp.h.
 */
#include "models/sngp.h"

#include <string.h>

una_status una_sngp_gp_memory(size_t rows, double matrices, una_run *run)
{
    if (una_gp_memory(rows, matrices, run) == UNA_OK) return UNA_OK;
    una_text why = una_text_in(&run->scratch);
    una_text_add(&why, "%s", una_run_message(run));
    UNA_TRY(una_arena_check(&run->scratch));
    const char *rest = strncmp(why.at, "gp: ", 4) == 0 ? why.at + 4 : why.at;
    UNA_FAIL(run, UNA_E_MEMORY, "sngp with head=gp: %s; head=exact needs no such matrix", rest);
}

static una_status rbf(una_kernel **kernel, size_t width, double prior_var, double lengthscale, una_arena *keep)
{
    una_kernel *k = *kernel = UNA_GET(keep, una_kernel, 1);
    UNA_TRY(una_arena_check(keep));
    k->op = UNA_GET(keep, una_kernel_op, 1);
    k->input = UNA_GET(keep, size_t, width);
    k->parameter = UNA_GET(keep, double, width + 1);
    UNA_TRY(una_arena_check(keep));
    k->op[0] = (una_kernel_op){ .code = UNA_KERNEL_RBF, .count = width };
    k->op_count = k->op_room = 1;
    k->input_count = k->input_room = width;
    k->parameter_count = k->parameter_room = width + 1;
    k->parameter[0] = prior_var;
    for (size_t d = 0; d < width; d++) {
        k->input[d] = d;
        k->parameter[d + 1] = lengthscale;
    }
    return UNA_OK;
}

una_status una_sngp_gp_solve(una_gp *gp, size_t width, double prior_var, double lengthscale, double noise_var,
                             const double *h, const double *y, size_t rows, una_arena *keep, una_run *run)
{
    una_kernel *kernel;
    UNA_TRY(rbf(&kernel, width, prior_var, lengthscale, keep));
    UNA_TRY(una_gp_init(gp, kernel, h, width, y, rows, width, keep));
    gp->noise_var = noise_var;
    return una_gp_solve_jittered(gp, run);
}

/* ---- the model interface ---------------------------------------------------------------------------------- */

static una_status last_layer(const una_sngp *m, una_view x, una_view *h, una_run *run)
{
    una_feature_map map = una_sngp_map(m);
    double *at = UNA_GET(&run->scratch, double, x.rows * map.features);
    UNA_TRY(una_arena_check(&run->scratch));
    *h = (una_view){ at, x.rows, map.features, map.features };
    return una_map_phi(&map, x, at, run);
}

una_status una_sngp_gp_predict(const una_sngp *m, una_view x, una_predictive *out, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_view h;
    una_status status = last_layer(m, x, &h, run);
    double *var = out->mean_only ? NULL : out->var_model;
    if (status == UNA_OK) status = una_gp_predict(&m->gp, h.at, h.rows, h.stride, out->mean, var, run);
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = m->gp.noise_var;
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_sngp_gp_observe(una_sngp *m, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_view h;
    size_t rows = m->gp.rows + more->x.rows;
    una_status status = rows <= m->gp.room ? UNA_OK : una_sngp_gp_memory(rows, 2.5, run);
    if (status == UNA_OK) status = last_layer(m, more->x, &h, run);
    if (status == UNA_OK) status = una_gp_append(&m->gp, h.at, h.stride, more->y, h.rows, keep, run);
    una_arena_release(&run->scratch, mark);
    result->log_evidence = m->gp.log_evidence;
    return status;
}

una_status una_sngp_gp_draw(const una_sngp *m, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_view h;
    una_status status = last_layer(m, x, &h, run);
    if (status == UNA_OK) status = una_gp_functions(&m->gp, h, draws, prior, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* By the chain rule: slopes by h, times those of h by x. */
una_status una_sngp_gp_slope(const una_sngp *m, const double *x, double *dmean, double *dvar, una_run *run)
{
    una_feature_map map = una_sngp_map(m);
    size_t inputs = map.inputs, width = map.features;
    una_mark mark = una_arena_mark(&run->scratch);
    double *j = UNA_GET(&run->scratch, double, inputs * width), *by_h = UNA_GET(&run->scratch, double, 2 * width);
    una_view h;
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = last_layer(m, (una_view){ x, 1, inputs, inputs }, &h, run);
    if (status == UNA_OK) status = una_gp_slope(&m->gp, h.at, by_h, by_h + width, run);
    if (status == UNA_OK) status = una_map_slopes(&map, x, j, run);
    for (size_t d = 0; status == UNA_OK && d < inputs; d++) {
        dmean[d] = una_dot(j + d * width, by_h, width);
        dvar[d] = una_dot(j + d * width, by_h + width, width);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_sngp_gp_exchange(una_sngp *m, una_archive *ar)
{
    size_t inputs = ar->inputs;
    ar->inputs = m->net.width;                           /* of the process: the columns of h */
    una_status status = una_gp_exchange(&m->gp, ar);
    ar->inputs = inputs;
    return status;
}
