/* SPDX-License-Identifier: MIT
 *
 * Passes of rows through a network, and a linear head on what comes out. See feature_map.h.
 */
#include "train/process.h"

una_feature_map una_map_of(una_network_f32 net, const float *parameters, bool one)
{
    una_body_size size = net.body->size(net.shape);
    return (una_feature_map){ net, parameters, size.inputs, size.features, .one = one };
}

una_feature_map una_map_of_heads(una_network_f32 net, const float *parameters)
{
    una_body_size size = net.body->size(net.shape);
    return (una_feature_map){ net, parameters, size.inputs, size.heads, .heads = true };
}

size_t una_map_columns(const una_feature_map *map)
{
    return map->features + map->one;
}

/* ---- passes ------------------------------------------------------------------------------------------------- */

una_status una_map_begin(una_map_pass *pass, const una_feature_map *map, una_view x, una_run *run)
{
    *pass = (una_map_pass){ .map = map, .x = x };
    UNA_TRY(una_kernels_need(run));
    size_t most = x.rows < UNA_MAP_ROWS ? x.rows : UNA_MAP_ROWS;
    if (x.rows == 1 && !map->heads) UNA_TRY(una_network_slope_work_f32(&pass->work, &map->net, run));
    else UNA_TRY(una_network_work_f32(&pass->work, &map->net, 0, run));
    UNA_NEW_AT(&run->scratch, pass->block, most * map->inputs);
    UNA_NEW_AT(&run->scratch, pass->phi, most * una_map_columns(map));
    return UNA_OK;
}

bool una_map_next(una_map_pass *pass)
{
    const una_feature_map *map = pass->map;
    const una_view *x = &pass->x;
    size_t inputs = map->inputs, k = una_map_columns(map);

    pass->from += pass->rows;
    pass->rows = x->rows - pass->from < UNA_MAP_ROWS ? x->rows - pass->from : UNA_MAP_ROWS;
    if (pass->rows == 0) return false;

    for (size_t r = 0; r < pass->rows; r++) {
        const double *row = x->at + (pass->from + r) * x->stride;
        for (size_t d = 0; d < inputs; d++) pass->block[r * inputs + d] = (float)row[d];
        if (map->one) pass->phi[r * k + k - 1] = 1;
    }
    map->net.body->forward(pass->work, map->parameters, pass->block, pass->rows,
                           map->heads ? (una_outputs){ .f = pass->phi } : (una_outputs){ .phi = pass->phi, .stride = k });
    return true;
}

una_status una_map_phi(const una_feature_map *map, una_view x, double *phi, una_run *run)
{
    size_t k = una_map_columns(map);
    una_map_pass pass;
    UNA_TRY(una_map_begin(&pass, map, x, run));
    while (una_map_next(&pass)) {
        memcpy(phi + pass.from * k, pass.phi, pass.rows * k * sizeof *phi);
        UNA_TRY(una_check_cancelled(run, "computing features"));
    }
    return UNA_OK;
}

una_status una_map_absorb(const una_feature_map *map, una_view x, const double *y, const double *weight,
                          una_stats *stats, una_run *run)
{
    una_map_pass pass;
    UNA_TRY(una_map_begin(&pass, map, x, run));
    while (una_map_next(&pass))
        UNA_TRY(una_stats_add_counted(stats, pass.phi, y + pass.from, weight ? weight + pass.from : NULL, pass.rows,
                                      run));
    return UNA_OK;
}

/* ---- the model interface -------------------------------------------------------------------------------------- */

static una_status predict_block(const una_map_pass *pass, const una_head *head, una_predictive *out, una_run *run)
{
    double *var = out->mean_only ? NULL : out->var_model + pass->from;
    for (size_t r = 0; r < pass->rows; r++) out->var_noise[pass->from + r] = head->noise_var;
    return una_head_predict(head, pass->phi, pass->rows, out->mean + pass->from, var, run);
}

una_status una_map_predict(const una_feature_map *map, const una_head *head, una_view x, una_predictive *out,
                           una_run *run)
{
    una_map_pass pass;
    size_t before = run->first_row;
    if (map->gp) return una_process_predict(map, x, out, run);
    una_status status = una_map_begin(&pass, map, x, run);
    while (status == UNA_OK && una_map_next(&pass)) {
        run->first_row = before + pass.from;
        status = predict_block(&pass, head, out, run);
    }
    run->first_row = before;
    return status;
}

una_status una_map_observe(const una_feature_map *map, una_head *head, const una_problem *more, una_fit_result *result,
                           una_run *run)
{
    una_stats sums;
    una_stats_init(&sums, head->stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_map_absorb(map, more->x, more->y, more->weight, &sums, run));
    UNA_TRY(una_head_observe(head, &sums, run));
    result->log_evidence = head->log_evidence;
    return UNA_OK;
}

una_status una_map_draw(const una_feature_map *map, const una_head *head, una_view x, const una_drawing *how, double *f,
                        una_run *run)
{
    size_t k = una_map_columns(map);
    UNA_NEW(&run->scratch, double, phi, x.rows * k);
    UNA_TRY(una_map_phi(map, x, phi, run));
    if (map->gp) return una_gp_draws(map->gp, (una_view){ phi, x.rows, k, k }, how, f, run);
    UNA_NEW(&run->scratch, double, w, how->draws * k);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    UNA_TRY(una_head_draw(head, how->draws, how->prior, &rng, w, run));
    for (size_t s = 0; s < how->draws; s++) {
        for (size_t r = 0; r < x.rows; r++) f[s * x.rows + r] = una_dot(phi + r * k, w + s * k, k);
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
    }
    return UNA_OK;
}

una_status una_map_slopes(const una_feature_map *map, const double *x, double *phi, double *j, una_run *run)
{
    void *work = NULL;
    UNA_NEW(&run->scratch, float, point, map->inputs);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_network_slope_work_f32(&work, &map->net, run));
    for (size_t d = 0; d < map->inputs; d++) point[d] = (float)x[d];
    if (map->one) phi[map->features] = 1;
    map->net.body->slopes(work, map->parameters, point, phi, j);
    return UNA_OK;
}

/* dmean = J m and dvar = 2 J V phi, J the exact slopes of phi; of a process by the chain rule: its slopes times J. */
una_status una_map_slope(const una_feature_map *map, const una_head *head, const double *x, una_slope *at, una_run *run)
{
    size_t features = map->features, k = una_map_columns(map);
    UNA_NEW(&run->scratch, double, j, map->inputs * features);
    UNA_NEW(&run->scratch, double, phi, k);
    UNA_NEW(&run->scratch, double, u, 2 * k);
    UNA_TRY(una_map_slopes(map, x, phi, j, run));
    UNA_TRY(map->gp ? una_gp_slope(map->gp, phi, &at->mean, &at->var, u + k, u, run)
                    : una_head_at(head, phi, &at->mean, &at->var, u, run));
    const double *mean = map->gp ? u + k : head->mean, twice = map->gp ? 1 : 2;
    for (size_t d = 0; d < map->inputs; d++) {
        at->dmean[d] = una_dot(j + d * features, mean, features);
        at->dvar[d] = twice * una_dot(j + d * features, u, features);
    }
    return UNA_OK;
}

una_status una_map_leaf(const una_feature_map *map, const una_head *head, una_view x, double weight,
                        una_leaf_task *task, void *context, una_run *run)
{
    UNA_NEW_ROWS(&run->scratch, double, phi, x.rows * una_map_columns(map));
    UNA_TRY(una_map_phi(map, x, phi, run));
    return task(context, &(una_leaf){ .weight = weight, .head = head, .phi = phi }, run);
}
