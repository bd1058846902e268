/* SPDX-License-Identifier: MIT
 *
 * Slope rows through the network, a block of probes at a time so that they stay in the cache:
 *   u_l = s_(l-1) W_l,  s_l = (act(z_l + delta u_l) - act(z_l))/delta  (or act'(z_l) u_l),
 *   J = s of the last hidden layer.
 * For ReLU and many directions fans_real.c does the same with less work, and for one input line_real.c gives u_1.
 */
#include "nn/work.h"

static size_t u_step(const WORK *w, size_t l)
{
    return l > 0 ? w->batch->directions * width_of(w, l) : 0;
}

static real *u_of(const WORK *w, size_t l, probe_block block)
{
    return w->layer[l].u + block.first * u_step(w, l);
}

/* u of the first layer: rows of its weights, or directions times weights. */
void REAL(una_slopes_seed)(WORK *w, real *u)
{
    const BATCH *batch = w->batch;
    size_t width = width_of(w, 0), inputs = w->net->size[0];
    if (!batch->direction) memcpy(u, weights_of(w, 0), batch->directions * width * sizeof(real));
    else w->kern->product(batch->directions, width, inputs, UNA_ROWS(batch->direction, inputs),
                          UNA_ROWS(weights_of(w, 0), width), UNA_INTO(u, width));
}

/* The slope rows of a layer at a block of probes. */
static REAL(una_slope_rows) slope_rows_of(const WORK *w, size_t l, probe_block block)
{
    const layer *at = &w->layer[l];
    const BATCH *batch = w->batch;
    size_t width = width_of(w, l), row = (probes_at(batch) + block.first) * width, from = slopes_at(w, block, width);
    return (REAL(una_slope_rows)){
        .shape = { block.count, batch->directions, width },
        .z = at->rows.z + row, .h = at->rows.h + row, .d = at->rows.d + row,
        .dd = at->rows.dd ? at->rows.dd + row : NULL,
        .u = u_of(w, l, block), .u_point = u_step(w, l),
        .delta = batch->delta ? batch->delta + block.first * batch->directions : NULL,
        .s = at->s + from, .e = at->e ? at->e + from : NULL,
        .dz = at->dz + block.first * width
    };
}

void REAL(una_slopes_forward)(WORK *w, probe_block block)
{
    for (size_t l = first_sloped(w); l < w->net->depth; l++) {
        size_t width = width_of(w, l), below = width_below(w, l);
        if (l == 1 && w->line) REAL(una_line_slopes)(w, block, u_of(w, l, block));
        else if (l > 0)
            w->kern->product(slope_rows_in(w, block), width, w->net->size[l],
                             UNA_ROWS(w->layer[l - 1].s + slopes_at(w, block, below), below),
                             UNA_ROWS(weights_of(w, l), width), UNA_INTO(u_of(w, l, block), width));
        REAL(una_slope_rows) rows = slope_rows_of(w, l, block);
        if (rows.delta) w->kern->slopes->secant(w->net->activation, &rows);
        else w->kern->slopes->tangent(&rows);
    }
}

/* slope_sum [directions, width], times what made u of the first layer's weights. */
void REAL(una_slopes_first)(WORK *w)
{
    const BATCH *batch = w->batch;
    size_t width = width_of(w, 0), inputs = w->net->size[0];
    if (!batch->direction) w->kern->add(batch->directions * width, w->slope_sum, weights_gradient(w, 0));
    else w->kern->product(inputs, width, batch->directions, UNA_COLUMNS(batch->direction, inputs),
                          UNA_ROWS(w->slope_sum, width), UNA_ONTO(weights_gradient(w, 0), width));
}

void REAL(una_slopes_backward)(WORK *w, probe_block block)
{
    real *gs = w->gs[0], *below = w->gs[1];
    for (size_t l = w->net->depth; l-- > 0;) {
        size_t width = width_of(w, l), rows = slope_rows_in(w, block), in = w->net->size[l], wide = width_below(w, l);
        REAL(una_slope_rows) at = slope_rows_of(w, l, block);
        if (at.delta) w->kern->slopes->secant_back(&at, gs);
        else w->kern->slopes->tangent_back(&at, gs);

        if (l == 1 && w->line) {
            REAL(una_line_slopes_back)(w, block, gs);
            return;
        }
        if (l == 0) {
            memset(w->slope_sum, 0, w->batch->directions * width * sizeof(real));
            w->kern->add_rows(block.count, w->batch->directions * width, gs, w->slope_sum);
            REAL(una_slopes_first)(w);
            return;
        }

        w->kern->product(in, width, rows, UNA_COLUMNS(w->layer[l - 1].s + slopes_at(w, block, wide), wide),
                         UNA_ROWS(gs, width), UNA_ONTO(weights_gradient(w, l), width));
        w->kern->product(rows, wide, w->net->size[l + 1], UNA_ROWS(gs, width), UNA_ROWS(w->flipped[l], wide),
                         UNA_INTO(below, wide));
        real *kept = gs;
        gs = below;
        below = kept;
    }
}
