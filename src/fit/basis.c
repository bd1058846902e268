/* SPDX-License-Identifier: MIT
 *
 * A feature network under a Bayesian linear head: prediction, update, draws, slopes, saving. How the features came to
 * be is no concern of this file (see basis_fit.c).
 */
#include "fit/basis.h"

una_status una_basis_shape(una_basis *basis, const una_basis_options *options, size_t inputs, size_t heads,
                           una_run *run)
{
    una_outline outline = { .inputs = inputs, .width = (size_t)options->width, .depth = (size_t)options->depth,
                            .features = (size_t)options->features, .heads = heads,
                            .activation = (una_activation)options->activation };
    una_body_mlp_f32.shape(&basis->net, &outline);
    return una_kernels_need(run);
}

/* ---- features --------------------------------------------------------------------------------------- */

static una_network_f32 network_of(const una_basis *basis)
{
    return (una_network_f32){ &una_body_mlp_f32, &basis->net, NULL };
}

static una_feature_map map_of(const una_basis *basis)
{
    return una_map_of(network_of(basis), basis->parameters, true);
}

una_status una_basis_absorb(const una_basis *basis, una_view x, const double *y, const double *weight,
                            una_stats *stats, una_run *run)
{
    una_feature_map map = map_of(basis);
    return una_map_absorb(&map, x, y, weight, stats, run);
}

una_status una_basis_phi(const una_basis *basis, una_view x, double **phi, una_run *run)
{
    una_feature_map map = map_of(basis);
    *phi = UNA_GET_ROWS(&run->scratch, double, x.rows * una_map_columns(&map));
    UNA_TRY(una_arena_check(&run->scratch));
    return una_map_phi(&map, x, *phi, run);
}

/* ---- the model interface -------------------------------------------------------------------------------- */

una_status una_basis_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_map_predict(&map, &basis->head, x, out, run);
}

una_status una_basis_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    una_basis *basis = state;
    una_feature_map map = map_of(basis);
    (void)keep;
    return una_map_observe(&map, &basis->head, more, result, run);
}

una_status una_head_relearn(const una_feature_map *map, una_head *head, una_basis_options *o, const una_problem *p,
                            una_fit_result *result, una_arena *keep, una_run *run)
{
    double unit = una_unit(o->units, p), noise_var = una_noise_var(o->noise_std, unit), prior_var = o->prior_var;
    bool chosen = UNA_IS_AUTO(noise_var);
    una_head_init(head, una_map_columns(map), keep);
    UNA_TRY(una_arena_check(keep));
    UNA_TRY(una_map_absorb(map, p->x, p->y, p->weight, &head->stats, run));
    UNA_TRY(una_stats_of_all(&head->stats, run));
    if (UNA_IS_AUTO(noise_var) || UNA_IS_AUTO(prior_var))
        UNA_TRY(una_choose_evidence(&noise_var, &prior_var, &head->stats, run));

    head->noise_var = result->noise_var = noise_var;
    head->prior_var = result->prior_var = o->prior_var = prior_var;
    UNA_TRY(una_head_solve(head, run));
    result->log_evidence = head->log_evidence;
    o->noise_std = sqrt(noise_var) / unit;
    una_basis_check_noise(head, chosen, result);
    return UNA_OK;
}

una_status una_basis_relearn(void *state, void *options, const una_problem *problem, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_head_relearn(&map, &basis->head, options, problem, result, keep, run);
}

una_status una_basis_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_map_draw(&map, &basis->head, x, draws, prior, f, run);
}

una_status una_basis_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_basis *basis = state;
    size_t heads = una_net_heads(&basis->net);
    una_feature_map map = una_map_of_heads(network_of(basis), basis->parameters);
    *count = heads;
    if (!f) return UNA_OK;

    una_mark mark = una_arena_mark(&run->scratch);
    una_map_pass pass;
    una_status status = una_map_begin(&pass, &map, x, run);
    while (status == UNA_OK && una_map_next(&pass))
        for (size_t r = 0; r < pass.rows; r++)
            for (size_t m = 0; m < heads; m++) f[m * x.rows + pass.from + r] = pass.phi[r * heads + m];

    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_basis_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_map_slope(&map, &basis->head, x, at, run);
}

una_status una_basis_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    const una_basis *basis = state;
    una_basis *drawn = function;
    *drawn = *basis;
    return una_head_sample(&drawn->head, &basis->head, rng, keep, run);
}

una_status una_basis_leaves(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                            una_run *run)
{
    const una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_map_leaf(&map, &basis->head, x, weight, task, context, run);
}

/* ---- saving ----------------------------------------------------------------------------------------------- */

una_status una_basis_exchange_net(una_net *net, bool with_inputs, bool with_heads, una_archive *ar)
{
    uint64_t depth = net->depth, activation = (uint64_t)net->activation;
    UNA_TRY(una_archive_u64(ar, "depth", &depth, 1, UNA_MAX_LAYERS));
    UNA_TRY(una_archive_u64(ar, "activation", &activation, 0, UNA_ACTIVATION_COUNT - 1));
    net->depth = (size_t)depth;
    net->activation = (una_activation)activation;

    if (!with_inputs) net->size[0] = ar->inputs;
    if (!with_heads) net->size[net->depth + 1] = 1;
    for (size_t l = with_inputs ? 0 : 1; l < net->depth + 1 + with_heads; l++) {
        uint64_t size = net->size[l];
        UNA_TRY(una_archive_u64(ar, "size", &size, 1, 1 << 20));
        net->size[l] = (size_t)size;
    }

    una_net_shape(net);
    return UNA_OK;
}

/* Without padding: that is a matter of the kernels, and files outlive them. */
una_status una_basis_exchange_parameters(const una_net *net, float **parameters, una_archive *ar)
{
    float *packed = ar->loading ? NULL : UNA_GET(ar->arena, float, una_net_packed(net));
    if (packed) una_net_pack(net, *parameters, packed);
    UNA_TRY(una_arena_check(ar->arena));
    UNA_TRY(una_archive_f32s(ar, "parameters", &packed, una_net_packed(net)));
    if (!ar->loading) return UNA_OK;
    *parameters = UNA_GET(ar->arena, float, net->parameters);
    UNA_TRY(una_arena_check(ar->arena));
    una_net_unpack(net, packed, *parameters);
    return UNA_OK;
}

una_status una_basis_exchange(void *state, una_archive *ar)
{
    una_basis *basis = state;
    UNA_TRY(una_basis_exchange_net(&basis->net, true, true, ar));
    UNA_TRY(una_basis_exchange_parameters(&basis->net, &basis->parameters, ar));
    UNA_TRY(una_head_exchange(&basis->head, ar));
    if (basis->head.stats.features != una_net_features(&basis->net) + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    if (basis->net.size[0] != ar->inputs) return una_archive_refuse(ar, "size", "does not fit the columns");
    return UNA_OK;
}
