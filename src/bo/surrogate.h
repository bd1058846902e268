/* SPDX-License-Identifier: MIT
 *
 * The model behind a search: trained rarely, updated exactly, and a pure function of the told trials. Inside src/bo
 * only.
 *
 * Values are minimised. Above their median m they are compressed, y' = log(1 + z) for z = (y - m)/s > 0, s their spread
 * below it: a search needs the low half, and one very bad value must not flatten it. m and s are those of the rows that
 * trained the model.
 */
#ifndef UNA_SURROGATE_H
#define UNA_SURROGATE_H

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

typedef struct una_surrogate una_surrogate;

una_status una_surrogate_new(una_surrogate **surrogate, const char *spec, size_t columns, uint64_t seed, una_run *run);
void       una_surrogate_free(una_surrogate *surrogate);
/* The model with all rows of `known` in it, valid until the next call. trained: a training was needed. UNA_E_NUMERIC,
 * UNA_E_INPUT: these rows allow no model (too few, or all the same). */
una_status una_surrogate_learn(const una_model **model, bool *trained, una_surrogate *surrogate,
                               const una_surrogate_data *known, una_run *run);
/* After learning: whether the model has an exact update. */
bool       una_surrogate_updates(const una_surrogate *surrogate);
const una_warp *una_surrogate_warp(const una_surrogate *surrogate);
/* The schedule: how many of the `told` rows train the model. */
size_t     una_surrogate_rows(size_t told, bool updates);

/* ---- asking a model about encoded points: it may have left columns out ----------------------------------------- */

typedef struct una_input_map {           /* which of the encoded columns a model uses                                */
    size_t columns, inputs, parts;
    size_t *column;                      /* [inputs]                                                                 */
} una_input_map;

una_status una_input_map_of(una_input_map *map, const una_model *model, size_t columns, una_arena *arena);
/* As una_model_parts, of points u [rows, columns]; slopes [rows, parts, columns]. */
una_status una_input_map_parts(const una_input_map *map, const una_model *model, const double *u, size_t rows,
                               const una_parts *out, una_run *run);
/* A table of points u [rows, columns] with what the model sees of them, and y [rows] unless it is NULL. */
una_status una_input_map_table(una_dataset **data, const una_input_map *map, const una_model *model, const double *u,
                               const double *y, size_t rows, una_run *run);
/* Mean and std of the whole mixture at each point. */
una_status una_input_map_moments(const una_input_map *map, const una_model *model, const double *u, size_t rows,
                                 double *mean, double *std, una_run *run);

#endif
