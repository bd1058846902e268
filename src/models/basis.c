/* SPDX-License-Identifier: MIT
 *
 * A feature network under a Bayesian linear head: prediction, update, draws, slopes, saving. How the features came to be is
 * no concern of this file (see basis_fit.c).
 */
#include "models/basis.h"


#include <string.h>

enum { ROWS_AT_ONCE = 240 };

una_status una_basis_shape(una_basis *basis, const una_basis_options *options, size_t inputs, size_t heads, una_run *run)
{
    una_net *net = &basis->net;
    net->depth = (size_t)options->depth;
    net->activation = (una_activation)options->activation;
    net->size[0] = inputs;
    for (size_t l = 1; l <= net->depth; l++) net->size[l] = (size_t)options->width;
    net->size[net->depth] = (size_t)options->features;
    net->size[net->depth + 1] = heads;
    una_net_shape(net);
    return una_kernels_need(run);
}

/* ---- features --------------------------------------------------------------------------------------- */

typedef struct feature_pass {            /* rows through the network, block by block                        */
    una_work_f32 *work;
    float        *x;                     /* [ROWS_AT_ONCE, inputs]                                          */
    double       *phi;                   /* [ROWS_AT_ONCE, K], last column one                              */
} feature_pass;

static una_status begin_pass(feature_pass *pass, const una_basis *basis, una_run *run)
{
    size_t features = una_net_features(&basis->net);
    const una_kernels_f32 *kernels = una_kernels_named_f32(run->settings.kernels);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_work_new_f32(&pass->work, &basis->net, ROWS_AT_ONCE, 0, false, 0, false, false, kernels, &run->scratch, run));
    pass->x = UNA_GET(&run->scratch, float, ROWS_AT_ONCE * basis->net.size[0]);
    pass->phi = UNA_GET(&run->scratch, double, ROWS_AT_ONCE * (features + 1));
    return una_arena_check(&run->scratch);
}

static void pass_block(feature_pass *pass, const una_basis *basis, una_view x, size_t from, size_t count, double *phi)
{
    size_t inputs = basis->net.size[0], k = una_net_features(&basis->net) + 1;
    for (size_t r = 0; r < count; r++) {
        for (size_t d = 0; d < inputs; d++) pass->x[r * inputs + d] = (float)x.at[(from + r) * x.stride + d];
        phi[r * k + k - 1] = 1;
    }
    una_net_forward_f32(&basis->net, basis->parameters, pass->x, count, phi, k, NULL, pass->work);
}

static size_t block_rows(size_t rows, size_t from)
{
    return rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
}

una_status una_basis_absorb(const una_basis *basis, una_view x, const double *y, una_stats *stats, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, basis, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = block_rows(x.rows, from);
        pass_block(&pass, basis, x, from, count, pass.phi);
        una_stats_add(stats, pass.phi, y + from, count);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_basis_phi(const una_basis *basis, una_view x, double **phi, una_run *run)
{
    size_t k = una_net_features(&basis->net) + 1;
    *phi = UNA_GET(&run->scratch, double, x.rows * k);
    UNA_TRY(una_arena_check(&run->scratch));
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, basis, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE)
        pass_block(&pass, basis, x, from, block_rows(x.rows, from), *phi + from * k);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- the model interface -------------------------------------------------------------------------------- */

una_status una_basis_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_basis *basis = state;
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, basis, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = block_rows(x.rows, from);
        pass_block(&pass, basis, x, from, count, pass.phi);
        double *var = out->mean_only ? NULL : out->var_model + from;
        status = una_head_predict(&basis->head, pass.phi, count, out->mean + from, var, run);
        for (size_t r = 0; r < count; r++) out->var_noise[from + r] = basis->head.noise_var;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_basis_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_basis *basis = state;
    (void)keep;
    una_mark mark = una_arena_mark(&run->scratch);
    una_stats sums;
    una_stats_init(&sums, basis->head.stats.features, &run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_basis_absorb(basis, more->x, more->y, &sums, run);
    if (status == UNA_OK) status = una_head_observe(&basis->head, &sums, run);
    una_arena_release(&run->scratch, mark);
    result->log_evidence = basis->head.log_evidence;
    return status;
}

una_status una_basis_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_basis *basis = state;
    size_t k = una_net_features(&basis->net) + 1;
    una_mark mark = una_arena_mark(&run->scratch);
    double *w = UNA_GET(&run->scratch, double, draws * k), *phi = NULL;
    una_status status = una_arena_check(&run->scratch);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, prior);
    if (status == UNA_OK) status = una_head_draw(&basis->head, draws, prior, &rng, w, run);
    if (status == UNA_OK) status = una_basis_phi(basis, x, &phi, run);
    for (size_t s = 0; status == UNA_OK && s < draws; s++)
        for (size_t r = 0; r < x.rows; r++) f[s * x.rows + r] = una_dot(phi + r * k, w + s * k, k);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_basis_parts(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_basis *basis = state;
    size_t heads = una_net_heads(&basis->net), inputs = basis->net.size[0];
    *count = heads;
    if (!f) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    feature_pass pass;
    una_status status = begin_pass(&pass, basis, run);
    double *block = UNA_GET(&run->scratch, double, ROWS_AT_ONCE * heads);
    if (status == UNA_OK) status = una_arena_check(&run->scratch);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t rows = block_rows(x.rows, from);
        for (size_t r = 0; r < rows; r++)
            for (size_t d = 0; d < inputs; d++) pass.x[r * inputs + d] = (float)x.at[(from + r) * x.stride + d];
        una_net_forward_f32(&basis->net, basis->parameters, pass.x, rows, NULL, 0, block, pass.work);
        for (size_t r = 0; r < rows; r++)
            for (size_t m = 0; m < heads; m++) f[m * x.rows + from + r] = block[r * heads + m];
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* dmean = J m and dvar = 2 J V phi, J the exact slopes of phi. */
una_status una_basis_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const una_basis *basis = state;
    size_t inputs = basis->net.size[0], features = una_net_features(&basis->net), k = features + 1;
    una_mark mark = una_arena_mark(&run->scratch);
    una_work_f32 *work = NULL;
    float *point = UNA_GET(&run->scratch, float, inputs);
    double *j = UNA_GET(&run->scratch, double, inputs * features), *phi = NULL;
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK)
        status = una_work_new_f32(&work, &basis->net, 1, 1, false, inputs, true, true, una_kernels_named_f32(run->settings.kernels),
                                  &run->scratch, run);
    if (status == UNA_OK) status = una_basis_phi(basis, (una_view){ x, 1, inputs, inputs }, &phi, run);
    if (status == UNA_OK) {
        for (size_t d = 0; d < inputs; d++) point[d] = (float)x[d];
        una_net_slopes_f32(&basis->net, basis->parameters, point, j, work);
        una_chol_solve(basis->head.chol, k, phi, 1);     /* V phi */
        for (size_t d = 0; d < inputs; d++) {
            dmean[d] = una_dot(j + d * features, basis->head.mean, features);
            dvar[d] = 2 * una_dot(j + d * features, phi, features);
        }
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status exchange_net(una_net *net, una_archive *ar)
{
    uint64_t depth = net->depth, activation = (uint64_t)net->activation;
    UNA_TRY(una_archive_u64(ar, "depth", &depth, 1, UNA_MAX_LAYERS));
    UNA_TRY(una_archive_u64(ar, "activation", &activation, 0, UNA_SIN));
    net->depth = (size_t)depth;
    net->activation = (una_activation)activation;
    for (size_t l = 0; l <= net->depth + 1; l++) {
        uint64_t size = net->size[l];
        UNA_TRY(una_archive_u64(ar, "size", &size, 1, 1 << 20));
        net->size[l] = (size_t)size;
    }
    una_net_shape(net);
    return UNA_OK;
}

/* Without padding: that is a matter of the kernels, and files outlive them. */
static una_status exchange_parameters(una_basis *basis, una_archive *ar)
{
    float *packed = ar->loading ? NULL : UNA_GET(ar->arena, float, una_net_packed(&basis->net));
    if (packed) una_net_pack(&basis->net, basis->parameters, packed);
    UNA_TRY(una_arena_check(ar->arena));
    UNA_TRY(una_archive_f32s(ar, "parameters", &packed, una_net_packed(&basis->net)));
    if (!ar->loading) return UNA_OK;
    basis->parameters = UNA_GET(ar->arena, float, basis->net.parameters);
    UNA_TRY(una_arena_check(ar->arena));
    una_net_unpack(&basis->net, packed, basis->parameters);
    return UNA_OK;
}

una_status una_basis_exchange(void *state, una_archive *ar)
{
    una_basis *basis = state;
    UNA_TRY(exchange_net(&basis->net, ar));
    UNA_TRY(exchange_parameters(basis, ar));
    UNA_TRY(una_head_exchange(&basis->head, ar));
    if (basis->head.stats.features != una_net_features(&basis->net) + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    if (basis->net.size[0] != ar->inputs) return una_archive_refuse(ar, "size", "does not fit the columns");
    return UNA_OK;
}
