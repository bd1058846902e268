/* SPDX-License-Identifier: MIT
 *
 * Passes of rows through a network. See feature_map.h.
 */
#include "train/feature_map.h"

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
