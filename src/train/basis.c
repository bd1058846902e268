/* SPDX-License-Identifier: MIT
 *
 * A feature network under a Bayesian linear head, or under a Gaussian process: posterior, prediction, update, draws,
 * slopes, saving. How the features are trained is written in basis_fit.c and in the files of the models.
 */
#include "train/basis.h"

static bool is_process(const una_basis *basis)
{
    return basis->posterior == UNA_POSTERIOR_PROCESS;
}

/* ---- features --------------------------------------------------------------------------------------- */

una_feature_map una_basis_map(const una_basis *basis)
{
    return una_map_of(basis->net, basis->parameters, !is_process(basis));
}

una_status una_basis_phi(const una_basis *basis, una_view x, una_view *phi, una_run *run)
{
    const una_feature_map map = una_basis_map(basis);
    size_t k = una_map_columns(&map);
    UNA_NEW_ROWS(&run->scratch, double, at, x.rows * k);
    *phi = (una_view){ at, x.rows, k, k };
    return una_map_phi(&map, x, at, run);
}

/* ---- the posterior -------------------------------------------------------------------------------------- */

una_status una_basis_posterior(una_basis *basis, const una_problem *p, bool joined, una_arena *keep, una_run *run)
{
    const una_feature_map map = una_basis_map(basis);
    una_head *head = &basis->head;
    double noise_var = head->noise_var, prior_var = head->prior_var;
    UNA_TRY(una_head_init(head, una_map_columns(&map), keep));
    UNA_TRY(una_map_absorb(&map, p->x, p->y, p->weight, &head->stats, run));
    if (joined && p->valid_joins) UNA_TRY(una_map_absorb(&map, p->valid_x, p->valid_y, NULL, &head->stats, run));
    UNA_TRY(una_stats_sum(&head->stats, run));
    if (UNA_IS_AUTO(noise_var) || UNA_IS_AUTO(prior_var))
        UNA_TRY(una_choose_by_evidence(&noise_var, &prior_var, &head->stats, run));
    head->noise_var = noise_var;
    head->prior_var = prior_var;
    return una_head_solve(head, run);
}

static void check_noise(const una_head *head, bool chosen, una_fit_result *result)
{
    const una_stats *s = &head->stats;
    size_t k = s->features;
    double fitted = 0;                   /* |y - Phi m|^2 = y'y - 2 m'Phi'y + m'Phi'Phi m */
    for (size_t i = 0; i < k; i++)
        fitted += head->mean[i] * (una_dot(s->gram + i * k, head->mean, k) - 2 * s->moment[i]);
    double residual = fmax(0, s->square + fitted) / s->rows, ratio = residual / head->noise_var;
    if (ratio > 4)
        una_notes_add(&result->warnings, "The residuals are %.1f times as large as the noise allows: the bands are too "
                      "narrow; %s, or use a larger model.", sqrt(ratio),
                      chosen ? UNA_LOOK_FOR_EXTREMES : "leave noise_std to be chosen");
    if (ratio < 0.04 && s->rows > 2 * (double)k)
        una_notes_add(&result->warnings, "The noise is %.1f times as large as the residuals: the features have fitted "
                      "the noise%s.", 1 / sqrt(ratio), chosen ? "" : ", or noise_std is too large");
}

void una_basis_report(const una_basis *basis, una_common_options *o, const una_problem *p, una_fit_result *result)
{
    const una_head *head = &basis->head;
    if (basis->posterior == UNA_POSTERIOR_EXACT) check_noise(head, UNA_IS_AUTO(o->noise_std), result);
    result->noise_var = head->noise_var;
    result->prior_var = o->prior_var = head->prior_var;
    result->log_evidence = is_process(basis) ? basis->gp.log_evidence : head->log_evidence;
    o->noise_std = sqrt(head->noise_var) / una_unit(o->units, p);
}

una_status una_basis_relearn(una_fitting *f)
{
    una_basis *basis = f->target->state;
    una_common_options *o = f->target->options;
    basis->head.noise_var = una_noise_var(o->noise_std, una_unit(o->units, f->problem));
    basis->head.prior_var = o->prior_var;
    UNA_TRY(una_basis_posterior(basis, f->problem, false, f->keep, f->run));
    una_basis_report(basis, o, f->problem, f->target->result);
    return UNA_OK;
}

una_status una_basis_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    una_basis *basis = state;
    const una_feature_map map = una_basis_map(basis);
    una_stats sums;
    una_view phi;
    if (is_process(basis)) {
        UNA_TRY(una_basis_phi(basis, more->x, &phi, run));
        UNA_TRY(una_gp_append(&basis->gp, (una_gp_rows){ phi, more->y, more->weight }, keep, run));
        result->log_evidence = basis->gp.log_evidence;
        return UNA_OK;
    }
    una_stats_init(&sums, basis->head.stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_map_absorb(&map, more->x, more->y, more->weight, &sums, run));
    UNA_TRY(una_head_observe(&basis->head, &sums, run));
    result->log_evidence = basis->head.log_evidence;
    return UNA_OK;
}

una_status una_rescale_head(una_head *head, double factor, una_fit_result *result, una_run *run)
{
    UNA_TRY(una_head_rescale(head, factor, run));
    result->noise_var = head->noise_var;
    result->log_evidence = head->log_evidence;
    return UNA_OK;
}

una_status una_basis_rescale(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_basis *basis = state;
    (void)keep;
    if (!is_process(basis)) return una_rescale_head(&basis->head, factor, result, run);
    UNA_TRY(una_gp_rescale(&basis->gp, factor, run));
    basis->head.noise_var = basis->gp.noise_var;
    result->noise_var = basis->gp.noise_var;
    result->log_evidence = basis->gp.log_evidence;
    return UNA_OK;
}

/* ---- the model interface -------------------------------------------------------------------------------- */

static una_status predict_by_process(const una_basis *basis, una_view x, una_predictive *out, una_run *run)
{
    una_view phi;
    UNA_TRY(una_basis_phi(basis, x, &phi, run));
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = basis->gp.noise_var;
    return una_gp_predict(&basis->gp, phi, out->mean, out->mean_only ? NULL : out->var_model, run);
}

una_status una_basis_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_basis *basis = state;
    const una_feature_map map = una_basis_map(basis);
    una_map_pass pass;
    size_t before = run->first_row;
    if (is_process(basis)) return predict_by_process(basis, x, out, run);
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = basis->head.noise_var;
    una_status status = una_map_begin(&pass, &map, x, run);
    while (status == UNA_OK && una_map_next(&pass)) {
        double *var = out->mean_only ? NULL : out->var_model + pass.from;
        run->first_row = before + pass.from;
        status = una_head_predict(&basis->head, pass.phi, pass.rows, out->mean + pass.from, var, run);
    }
    run->first_row = before;
    return status;
}

una_status una_basis_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_basis *basis = state;
    una_view phi;
    UNA_TRY(una_basis_phi(basis, x, &phi, run));
    return is_process(basis) ? una_gp_draws(&basis->gp, phi, how, f, run)
                             : una_head_draws(&basis->head, phi, how, f, run);
}

una_status una_head_draws(const una_head *head, una_view phi, const una_drawing *how, double *f, una_run *run)
{
    size_t k = phi.cols;
    UNA_NEW(&run->scratch, double, w, how->draws * k);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    UNA_TRY(una_head_draw(head, how->draws, how->prior, &rng, w, run));
    for (size_t s = 0; s < how->draws; s++) {
        for (size_t r = 0; r < phi.rows; r++) f[s * phi.rows + r] = una_dot(phi.at + r * k, w + s * k, k);
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
    }
    return UNA_OK;
}

una_status una_basis_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_basis *basis = state;
    const una_feature_map map = una_map_of_heads(basis->net, basis->parameters);
    size_t heads = *count = una_map_columns(&map);
    una_map_pass pass;
    if (!f) return UNA_OK;
    UNA_TRY(una_map_begin(&pass, &map, x, run));
    while (una_map_next(&pass))
        for (size_t r = 0; r < pass.rows; r++)
            for (size_t m = 0; m < heads; m++) f[m * x.rows + pass.from + r] = pass.phi[r * heads + m];
    return UNA_OK;
}

/* dmean = J m and dvar = 2 J V phi, J the exact slopes of phi; of a process by the chain rule: its slopes times J. */
una_status una_basis_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const una_basis *basis = state;
    const una_feature_map map = una_basis_map(basis);
    bool process = is_process(basis);
    size_t features = map.features, k = una_map_columns(&map);
    UNA_NEW(&run->scratch, double, j, map.inputs * features);
    UNA_NEW(&run->scratch, double, phi, k);
    UNA_NEW(&run->scratch, double, u, 2 * k);
    UNA_TRY(una_map_slopes(&map, x, phi, j, run));
    UNA_TRY(process ? una_gp_slope(&basis->gp, phi, &at->mean, &at->var, u + k, u, run)
                    : una_head_at(&basis->head, phi, &at->mean, &at->var, u, run));
    const double *mean = process ? u + k : basis->head.mean, twice = process ? 1 : 2;
    for (size_t d = 0; d < map.inputs; d++) {
        at->dmean[d] = una_dot(j + d * features, mean, features);
        at->dvar[d] = twice * una_dot(j + d * features, u, features);
    }
    return UNA_OK;
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
    una_view phi;
    UNA_TRY(una_basis_phi(basis, x, &phi, run));
    return task(context, &(una_leaf){ .weight = weight, .head = &basis->head, .phi = phi.at }, run);
}

/* ---- saving ----------------------------------------------------------------------------------------------- */

una_status una_basis_exchange(void *state, una_archive *ar)
{
    una_basis *basis = state;
    UNA_TRY(una_network_exchange(&basis->net, true, true, ar));
    UNA_TRY(una_network_exchange_parameters(&basis->net, &basis->parameters, ar));
    return una_basis_exchange_head(basis, ar);
}

una_status una_basis_exchange_head(una_basis *basis, una_archive *ar)
{
    UNA_TRY(una_head_exchange(&basis->head, ar));
    if (basis->head.stats.features != basis->net.body->size(basis->net.shape).features + 1)
        return una_archive_refuse(ar, "features", "does not fit the network");
    return UNA_OK;
}
