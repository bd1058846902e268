/* SPDX-License-Identifier: MIT
 *
 * Models of one input side by side: a panel each, with mean, bands and rows, all on the same axes.
 */
#ifndef UNA_LINES_H
#define UNA_LINES_H

#include "report/figure.h"

typedef struct una_lines {
    const char *input, *target;          /* of the axes                                                     */
    double      from, to;                /* where they are drawn                                            */
    const double *x, *y;                 /* [rows] the data; must outlive the figure                        */
    size_t      rows;
} una_lines;

/* Panels in the order of the models, titled. */
una_status una_lines_draw(una_figure *figure, const una_lines *lines, const una_model *const *models,
                          const char *const *titles, size_t count, una_arena *arena, una_run *run);

#endif
