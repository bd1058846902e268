/* SPDX-License-Identifier: MIT
 *
 * The highest place of an acquisition over a space. Quasi-random points and points near the best trials are looked at;
 * from the best of them gradients lead up, in parallel; whole numbers and levels are then moved one by one. Inside
 * src/bo only.
 */
#ifndef UNA_MAXIMISE_H
#define UNA_MAXIMISE_H

#include "bo/acquisition.h"
#include "bo/surrogate.h"

typedef struct una_hill {                /* what is climbed                                                          */
    const una_space               *space;
    const una_acquisition         *acquisition;
    const una_acquisition_options *options;
    const una_model *const        *model;        /* [models]: the mean over them                                    */
    const double                  *best;         /* [models] of the values that each knows                          */
    size_t                         models;
    const double                  *known;        /* [known_count, columns] tried or open: not again                 */
    size_t                         known_count;
    const double                  *near;         /* [near_count, columns] the best so far, to look around           */
    size_t                         near_count;
    uint64_t                       seed, index;  /* of the points that are looked at                                */
    const double                  *leave;        /* [columns] the answer is not near it; NULL: it may be anywhere    */
    double                         radius;       /* in some column further from it than this                        */
    bool                           joint;        /* the acquisition is not asked: one draw over all candidates      */
} una_hill;

/* u [columns] of a valid point, and its value. UNA_E_INPUT: no point keeps the constraints, or all were tried. */
una_status una_maximise(double *u, double *value, const una_hill *hill, una_run *run);
/* The acquisition at points u [rows, columns]: what is climbed, for pictures. */
una_status una_hill_values(double *value, const una_hill *hill, double *u, size_t rows, una_run *run);
/* The index-th point that has nothing to do with a model: valid, allowed, not known. */
una_status una_spread_point(double *u, const una_hill *hill, bool quasi, una_run *run);

#endif
