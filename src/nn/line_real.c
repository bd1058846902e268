/* SPDX-License-Identifier: MIT
 *
 * Steps with one input and ReLU: the first two layers as a broken line (una_line in kern/line_slots.h) instead of
 * products. A step fills the tables once; rows and slopes only look up their place in them, and on the way back add to
 * the place's gradient.
 */
#include "nn/work.h"

#define LINE_GRADIENT REAL(una_line_gradient)

void REAL(una_line_take)(WORK *w, const una_net *net, una_arena *arena)
{
    size_t units = net->size[1], width = UNA_PADDED(net->size[2]);
    w->line->place = UNA_GET(arena, uint16_t, w->most_rows);
    w->line->far = UNA_GET(arena, uint16_t, w->most_probes);
    w->line->slope = UNA_GET(arena, real, (units + 2) * width);
    w->line->offset = UNA_GET(arena, real, (units + 2) * width);
    if (!is_first(w)) return;

    REAL(una_line) *table = &w->line->table;
    table->bend = UNA_GET(arena, real, units);
    table->unit = UNA_GET(arena, uint16_t, units);
    table->slope = UNA_GET(arena, real, (units + 2) * width);
    table->offset = UNA_GET(arena, real, (units + 2) * width);
    for (size_t i = 0; table->unit && i < units; i++) table->unit[i] = (uint16_t)i;
}

void REAL(una_line_seed)(const una_net *net, const real *parameters, WORK *w)
{
    REAL(una_line) *table = &w->line->table;
    table->units = net->size[1];
    table->width = UNA_PADDED(net->size[2]);
    table->w = parameters + net->weights[0];
    table->b = parameters + net->biases[0];
    table->above = parameters + net->weights[1];
    w->kern->line->make(table, parameters + net->biases[1]);
}

static const REAL(una_line) *table_of(const WORK *w)
{
    return &w->piece[0]->line->table;
}

/* Of the first probe, among the rows. */
static size_t probes_at(const BATCH *batch)
{
    return batch->own_probes ? batch->rows : 0;
}

static real way_of(const BATCH *batch)
{
    return batch->direction ? batch->direction[0] : 1;
}

void REAL(una_line_rows)(const BATCH *batch, size_t rows, WORK *w)
{
    layer *at = &w->layer[1];
    w->kern->line->rows(table_of(w), rows, batch->x, w->line->place, at->z, at->h, at->d);
}

void REAL(una_line_slopes)(const BATCH *batch, probe_block block, real *u, WORK *w)
{
    size_t row = probes_at(batch) + block.first;
    w->kern->line->slopes(table_of(w), block.count, batch->x + row, w->line->place + row, batch->delta + block.first,
                          way_of(batch), w->line->far + block.first, u);
}

static LINE_GRADIENT line_gradient_of(const una_net *net, real *gradient, WORK *w)
{
    return (LINE_GRADIENT){ w->line->slope, w->line->offset, gradient + net->weights[0], gradient + net->biases[0],
                            gradient + net->weights[1], gradient + net->biases[1] };
}

void REAL(una_line_begin_back)(WORK *w)
{
    size_t size = (table_of(w)->units + 1) * table_of(w)->width * sizeof(real);
    memset(w->line->slope, 0, size);
    memset(w->line->offset, 0, size);
}

void REAL(una_line_slopes_back)(const una_net *net, const BATCH *batch, probe_block block, const real *g,
                                real *gradient, WORK *w)
{
    size_t row = probes_at(batch) + block.first;
    LINE_GRADIENT to = line_gradient_of(net, gradient, w);
    w->kern->line->slopes_back(table_of(w), block.count, batch->x + row, w->line->place + row,
                               w->line->far + block.first, batch->delta + block.first, way_of(batch), g, &to);
}

void REAL(una_line_rows_back)(const una_net *net, const BATCH *batch, size_t rows, const real *g, real *gradient,
                              WORK *w)
{
    LINE_GRADIENT to = line_gradient_of(net, gradient, w);
    w->kern->line->rows_back(table_of(w), rows, batch->x, w->line->place, g, &to);
    w->kern->line->finish(table_of(w), &to);
}
