/* SPDX-License-Identifier: MIT
 *
 * Steps with one input and ReLU: the first two layers as a broken line (una_line in kern/kern_slots.h) instead of
 * products. A step fills the tables once; rows and slopes only look up their place in them, and on the way back add to
 * the place's gradient.
 */
#include "nn/work.h"

static const REAL(una_line) *table_of(const WORK *w)
{
    return &w->piece[0]->line->table;
}

void REAL(una_line_take)(WORK *w, una_arena *arena)
{
    size_t units = w->net->size[1], numbers = (units + 2) * width_of(w, 1);
    line_work *line = w->line;
    line->place = UNA_GET(arena, uint16_t, w->most_rows);
    line->far = UNA_GET(arena, uint16_t, w->most_probes);
    line->slope = UNA_GET(arena, real, numbers);
    line->offset = UNA_GET(arena, real, numbers);
    if (!is_first(w)) return;

    line->table = (REAL(una_line)){ .bend = UNA_GET(arena, real, units), .unit = UNA_GET(arena, uint16_t, units),
                                    .slope = UNA_GET(arena, real, numbers), .offset = UNA_GET(arena, real, numbers) };
    for (size_t i = 0; line->table.unit && i < units; i++) line->table.unit[i] = (uint16_t)i;
}

void REAL(una_line_seed)(WORK *w)
{
    REAL(una_line) *table = &w->line->table;
    table->units = w->net->size[1];
    table->width = width_of(w, 1);
    table->w = weights_of(w, 0);
    table->b = w->parameters + w->net->biases[0];
    table->above = weights_of(w, 1);
    w->kern->line->make(table, w->parameters + w->net->biases[1]);
}

void REAL(una_line_rows)(WORK *w)
{
    const REAL(una_activated) *at = &w->layer[1].rows;
    w->kern->line->rows(table_of(w), rows_of(w->batch), w->batch->x, w->line->place, at->z, at->h, at->d);
}

static REAL(una_line_steps) steps_of(const WORK *w, probe_block block)
{
    const BATCH *batch = w->batch;
    size_t row = probes_at(batch) + block.first;
    return (REAL(una_line_steps)){ block.count, batch->x + row, batch->delta + block.first,
                                   batch->direction ? batch->direction[0] : 1, w->line->place + row,
                                   w->line->far + block.first };
}

void REAL(una_line_slopes)(WORK *w, probe_block block, real *u)
{
    const REAL(una_line_steps) steps = steps_of(w, block);
    w->kern->line->slopes(table_of(w), &steps, u);
}

static REAL(una_line_gradient) line_gradient_of(const WORK *w)
{
    return (REAL(una_line_gradient)){ w->line->slope, w->line->offset, weights_gradient(w, 0),
                                      w->gradient + w->net->biases[0], weights_gradient(w, 1),
                                      w->gradient + w->net->biases[1] };
}

void REAL(una_line_begin_back)(WORK *w)
{
    size_t size = (table_of(w)->units + 1) * table_of(w)->width * sizeof(real);
    memset(w->line->slope, 0, size);
    memset(w->line->offset, 0, size);
}

void REAL(una_line_slopes_back)(WORK *w, probe_block block, const real *g)
{
    const REAL(una_line_steps) steps = steps_of(w, block);
    const REAL(una_line_gradient) to = line_gradient_of(w);
    w->kern->line->slopes_back(table_of(w), &steps, g, &to);
}

void REAL(una_line_rows_back)(WORK *w, const real *g)
{
    const REAL(una_line_gradient) to = line_gradient_of(w);
    w->kern->line->rows_back(table_of(w), rows_of(w->batch), w->batch->x, w->line->place, g, &to);
    w->kern->line->finish(table_of(w), &to);
}
