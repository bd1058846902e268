/* SPDX-License-Identifier: MIT
 *
 * A feature network under a Bayesian linear head: prediction, update, draws, slopes, saving. How the features are
 * trained is written in basis_fit.c and in the files of the models.
 */
#include "train/basis.h"

una_status una_basis_shape(una_basis *basis, una_basis_options *options, const una_problem *problem, size_t heads,
                           una_arena *arena, una_run *run)
{
    una_network_plan plan = { options->body, (size_t)options->width, (size_t)options->depth, (size_t)options->features,
                              options->activation, false };
    UNA_TRY(una_network_make(&basis->net, &plan, problem->columns, problem->x.cols, heads, arena, run));
    options->body = plan.body;
    options->features = (double)basis->net.body->size(basis->net.shape).features;
    return UNA_OK;
}

/* ---- features --------------------------------------------------------------------------------------- */

static una_feature_map map_of(const una_basis *basis)
{
    return una_map_of(basis->net, basis->parameters, true);
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
    UNA_NEW_ROWS_AT(&run->scratch, *phi, x.rows * una_map_columns(&map));
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

una_status una_head_relearn(const una_feature_map *map, una_head *head, una_fitting *f)
{
    const una_problem *p = f->problem;
    una_common_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    double unit = una_unit(o->units, p), noise_var = una_noise_var(o->noise_std, unit), prior_var = o->prior_var;
    bool chosen = UNA_IS_AUTO(noise_var);
    UNA_TRY(una_head_init(head, una_map_columns(map), f->keep));
    UNA_TRY(una_map_absorb(map, p->x, p->y, p->weight, &head->stats, f->run));
    UNA_TRY(una_stats_sum(&head->stats, f->run));
    if (UNA_IS_AUTO(noise_var) || UNA_IS_AUTO(prior_var))
        UNA_TRY(una_choose_by_evidence(&noise_var, &prior_var, &head->stats, f->run));

    head->noise_var = result->noise_var = noise_var;
    head->prior_var = result->prior_var = o->prior_var = prior_var;
    UNA_TRY(una_head_solve(head, f->run));
    result->log_evidence = head->log_evidence;
    o->noise_std = sqrt(noise_var) / unit;
    una_basis_check_noise(head, chosen, result);
    return UNA_OK;
}

una_status una_basis_relearn(una_fitting *f)
{
    una_basis *basis = f->target->state;
    una_feature_map map = map_of(basis);
    return una_head_relearn(&map, &basis->head, f);
}

una_status una_basis_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_basis *basis = state;
    una_feature_map map = map_of(basis);
    return una_map_draw(&map, &basis->head, x, how, f, run);
}

una_status una_basis_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_basis *basis = state;
    size_t heads = basis->net.body->size(basis->net.shape).heads;
    una_feature_map map = una_map_of_heads(basis->net, basis->parameters);
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

una_status una_basis_exchange(void *state, una_archive *ar)
{
    una_basis *basis = state;
    UNA_TRY(una_network_exchange(&basis->net, true, true, ar));
    UNA_TRY(una_network_exchange_parameters(&basis->net, &basis->parameters, ar));
    UNA_TRY(una_head_exchange(&basis->head, ar));
    if (basis->head.stats.features != basis->net.body->size(basis->net.shape).features + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    return UNA_OK;
}
