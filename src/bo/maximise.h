/* SPDX-License-Identifier: MIT
 *
 * The maximum of an acquisition over a space. Quasi-random points and points near the best trials are evaluated;
 * gradient ascents start at the best of them, in parallel; then whole numbers and levels are moved one by one. Inside
 * src/bo only.
 */
#pragma once

#include "bo/acquisition.h"
#include "bo/surrogate.h"

typedef struct una_maximise_task {       /* what is maximised, and where                                             */
    const una_space               *space;
    const una_acquisition         *acquisition;
    const una_acquisition_options *options;
    const una_model *const        *model;        /* [models] the acquisition is averaged over them                  */
    const double                  *best;         /* [models] the best value that each knows                         */
    size_t                         models;
    const double                  *known;        /* [known_count, columns] tried or open points, not to be proposed
                                                    again */
    size_t                         known_count;
    const double                  *near;         /* [near_count, columns] the best points so far, to search around  */
    size_t                         near_count;
    uint64_t                       seed, index;  /* seed and index of the candidates                                */
    const double                  *leave;        /* [columns] a point that the answer must not be near; NULL: none   */
    double                         radius;       /* the least distance from it in some column                       */
    bool                           joint;        /* one joint draw over all candidates instead of the acquisition   */
} una_maximise_task;

/* u [columns] of a valid point, and its value. UNA_E_INPUT: no point satisfies the constraints, or all were tried. */
una_status una_maximise(double *u, double *value, const una_maximise_task *task, una_run *run);
/* The acquisition at points u [rows, columns], for pictures. */
una_status una_maximise_values(double *value, const una_maximise_task *task, double *u, size_t rows, una_run *run);
/* The index-th point of a design that uses no model: valid, allowed, not known. */
una_status una_design_point(double *u, const una_maximise_task *task, bool quasi, una_run *run);
