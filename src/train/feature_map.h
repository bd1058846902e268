/* SPDX-License-Identifier: MIT
 *
 * Rows through a network, block by block in float, up to its features: the same for every model that has them, and for
 * every body (nn/body.h).
 */
#pragma once

#include "infer/head.h"
#include "model/kind.h"
#include "nn/body.h"

enum { UNA_MAP_ROWS = 240 };             /* rows at once                                                    */

typedef struct una_feature_map {
    una_network_f32 net;
    const float *parameters;
    size_t inputs, features;
    bool   one;                          /* a column of ones follows the features                           */
    bool   heads;                        /* the features are f, the answers of the network's own heads, instead of
                                            phi */
} una_feature_map;

una_feature_map una_map_of(una_network_f32 net, const float *parameters, bool one);
una_feature_map una_map_of_heads(una_network_f32 net, const float *parameters);

size_t una_map_columns(const una_feature_map *map);      /* of phi                                          */

/* A pass: una_map_begin, then una_map_next until it returns false. Memory comes from scratch; the caller releases
 * it, here as below. */
typedef struct una_map_pass {
    const una_feature_map *map;
    una_view x;
    size_t   from, rows;                 /* the block at hand: rows from .. from + rows of x                */
    double  *phi;                        /* [rows, columns]                                                 */
    float   *block;
    void    *work;
} una_map_pass;

una_status una_map_begin(una_map_pass *pass, const una_feature_map *map, una_view x, una_run *run);
bool       una_map_next(una_map_pass *pass);

/* At one point x [inputs]: phi [columns] and its slopes j [inputs, features]. */
una_status una_map_slopes(const una_feature_map *map, const double *x, double *phi, double *j, una_run *run);
/* phi [x.rows, columns], memory of the caller's. */
una_status una_map_phi(const una_feature_map *map, una_view x, double *phi, una_run *run);
/* Adds the rows' features and targets to the statistics; rows count weight [rows] times, NULL: once. */
una_status una_map_absorb(const una_feature_map *map, una_view x, const double *y, const double *weight,
                          una_stats *stats, una_run *run);
