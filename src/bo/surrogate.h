/* SPDX-License-Identifier: MIT
 *
 * The model behind a search: trained rarely, updated exactly, and a pure function of the told trials. Inside src/bo
 * only.
 *
 * Values are minimised. Above their median m they are compressed, y' = log(1 + z) for z = (y - m)/s > 0, s their spread
 * below it: a search needs the low half, and one very bad value must not flatten it. m and s are those of the rows that
 * trained the model.
 */
#pragma once

#include "bo/space.h"

typedef struct una_warp { double middle, spread; } una_warp;

una_warp una_warp_of(const double *y, size_t count, una_arena *scratch); /* the arena is checked by the caller       */
double   una_warp_value(const una_warp *warp, double y);
double   una_warp_back(const una_warp *warp, double value);

typedef struct una_surrogate_data {      /* what a model learns from, encoded, in the order of the trials            */
    size_t  columns;
    double *u, *y;                       /* [told, columns] [told] to be minimised, in the user's units              */
    size_t  told;
    double *open;                        /* [open_count, columns] open points, whose values are taken to be the
                                            model's mean */
    size_t  open_count;
} una_surrogate_data;

typedef struct una_surrogate {
    una_run    *run;
    const char *spec;                    /* borrowed                                                                 */
    uint64_t    seed;
    bool        updates;                 /* it takes more rows in exactly                                            */
    bool        tried;                   /* that is known of the model, not of its kind alone                        */
    void       *trained;                 /* bytes of the model as it was trained                                     */
    size_t      trained_size, trained_rows;
    uint64_t    trained_sum;             /* for the rows that trained it                                             */
    una_warp    warp;                    /* of the values that trained it                                            */
    una_model  *told;                    /* with all rows told at the last call                                      */
    size_t      told_rows;
    uint64_t    told_sum;
    una_model  *open;                    /* and with the open points; NULL: there were none                          */
    bool        fresh;                   /* the last call trained it                                                 */
} una_surrogate;

una_surrogate una_surrogate_of(const char *spec, uint64_t seed, una_run *run);
void          una_surrogate_free(una_surrogate *surrogate);      /* what it holds                                    */
/* *model has all rows of `known` in it and is valid until the next call. UNA_E_NUMERIC, UNA_E_INPUT: these rows allow
 * no model (too few, or all the same). */
una_status una_surrogate_learn(const una_model **model, una_surrogate *surrogate, const una_surrogate_data *known,
                               una_run *run);
/* The schedule: how many of the `told` rows train the model. */
size_t     una_surrogate_rows(size_t told, bool updates);

/* Forwards a failure; the call sees a run with this seed. */
#define UNA_SEEDED(run, its, call)                                         \
    do {                                                                   \
        uint64_t una_seed_before = (run)->settings.seed;                   \
        (run)->settings.seed = (its);                                      \
        una_status una_seeded_status = (call);                             \
        (run)->settings.seed = una_seed_before;                            \
        if (una_seeded_status != UNA_OK) return una_seeded_status;         \
    } while (0)

/* ---- asking a model about encoded points, of which it may have left columns out -------------------------------- */

typedef struct una_points { size_t columns, rows; const double *u; } una_points;         /* u [rows, columns]        */

/* As una_model_parts; slopes [rows, parts, columns]. */
una_status una_points_parts(const una_points *points, const una_model *model, const una_parts *out, una_run *run);
/* A table of what the model sees of them, and y [rows] unless it is NULL. It lasts as long as the scratch memory. */
una_status una_points_table(una_dataset **data, const una_points *points, const una_model *model, const double *y,
                            una_run *run);
/* Mean and std of the whole mixture at each point. */
una_status una_points_moments(const una_points *points, const una_model *model, double *mean, double *std,
                              una_run *run);
