/* SPDX-License-Identifier: MIT
 *
 * Forward and backward passes of net.h, in float for training and in double for reference: plain rows and slope rows side
 * by side, layer by layer. The similarity penalty on the slopes of the heads lives in diversity_real.c.
 */
#include "nn/work.h"

#include <string.h>

/* ---- initialisation ------------------------------------------------------------------------------ */

static double spread(int initialisation, double in, double out)
{
    switch (initialisation) {
    case 0: return sqrt(2 / in);                 /* He et al. 2015 */
    case 1: return sqrt(2 / (in + out));         /* Glorot and Bengio 2010 */
    case 2: return sqrt(1 / in);                 /* LeCun et al. 1998 */
    default: return 1;
    }
}

void REAL(una_net_initialise)(const una_net *net, int initialisation, double scale, una_rng *rng, real *parameters)
{
    memset(parameters, 0, net->parameters * sizeof *parameters);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1], width = UNA_PADDED(out);
        double std = scale * spread(initialisation, (double)in, (double)out);
        for (size_t i = 0; i < in; i++)
            for (size_t j = 0; j < out; j++)
                parameters[net->weights[l] + i * width + j] = (real)(std * una_rng_normal(rng));
    }
}

/* ---- buffers --------------------------------------------------------------------------------------- */

static void take_layers(WORK *w, const una_net *net, bool exact, una_arena *arena)
{
    size_t slope_rows = w->most_probes * w->most_directions;
    size_t widest = UNA_PADDED(net->size[0]);
    for (size_t l = 0; l < net->depth; l++) {
        size_t width = UNA_PADDED(net->size[l + 1]);
        if (width > widest) widest = width;
        layer *at = &w->layer[l];
        at->z = UNA_GET(arena, real, w->most_rows * width);
        at->h = UNA_GET(arena, real, w->most_rows * width);
        at->d = UNA_GET(arena, real, w->most_rows * width);
        if (slope_rows == 0) continue;
        if (exact) at->dd = UNA_GET(arena, real, w->most_rows * width);
        else at->e = UNA_GET(arena, real, slope_rows * width);
        at->u = UNA_GET(arena, real, (l == 0 ? w->most_directions : slope_rows) * width);
        at->s = UNA_GET(arena, real, slope_rows * width);
    }
    w->widest = widest;
}

una_status REAL(una_work_new)(WORK **out, const una_net *net, size_t rows, size_t probes, bool own_probes, size_t directions,
                              bool exact, bool per_point, const KERNELS *kernels, una_arena *arena, una_run *run)
{
    (void)run;
    WORK *w = UNA_GET(arena, WORK, 1);
    if (!w) return UNA_E_MEMORY;
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads);
    w->kern = kernels;
    w->most_rows = rows + (own_probes ? probes : 0);
    if (w->most_rows < BLOCK) w->most_rows = BLOCK;
    w->most_probes = probes;
    w->most_directions = directions;
    take_layers(w, net, exact, arena);
    size_t slope_rows = probes * directions, wide = w->widest > heads_wide ? w->widest : heads_wide;
    w->f = UNA_GET(arena, real, w->most_rows * heads_wide);
    w->g[0] = UNA_GET(arena, real, w->most_rows * w->widest);
    w->g[1] = UNA_GET(arena, real, w->most_rows * w->widest);
    w->flipped = UNA_GET(arena, real, wide * wide);
    if (slope_rows) {
        w->gs[0] = UNA_GET(arena, real, slope_rows * wide);      /* wide: per point they hold slopes of heads too */
        w->gs[1] = UNA_GET(arena, real, slope_rows * wide);
        w->slope_sum = UNA_GET(arena, real, directions * w->widest);
        REAL(una_diversity_take)(w, net, per_point, arena);
    }
    *out = w;
    return una_arena_check(arena);
}

/* ---- forward --------------------------------------------------------------------------------------- */

static void forward_rows(const una_net *net, const real *parameters, const real *x, size_t rows, WORK *w)
{
    const real *below = x;
    size_t below_width = net->size[0];
    for (size_t l = 0; l < net->depth; l++) {
        layer *at = &w->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]);
        w->kern->product(rows, width, net->size[l], below, below_width, 1, parameters + net->weights[l], width, at->z, width, false);
        w->kern->activate(net->activation, rows, width, parameters + net->biases[l], at->z, at->h, at->d, at->dd);
        below = at->h;
        below_width = width;
    }
}

static void forward_heads(const una_net *net, const real *parameters, size_t rows, WORK *w)
{
    size_t l = net->depth, features = net->size[l], wide = UNA_PADDED(net->size[l]), heads = UNA_PADDED(net->size[l + 1]);
    for (size_t r = 0; r < rows; r++) memcpy(w->f + r * heads, parameters + net->biases[l], heads * sizeof(real));
    w->kern->product(rows, heads, features, w->layer[l - 1].h, wide, 1, parameters + net->weights[l], heads, w->f, heads, true);
}

static void forward_slopes(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    size_t first = batch->own_probes ? batch->rows : 0, rows = batch->probes * batch->directions;
    for (size_t l = 0; l < net->depth; l++) {
        layer *at = &w->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]), below_width = UNA_PADDED(net->size[l]);
        const real *weights = parameters + net->weights[l];
        una_slope_shape shape = { batch->probes, batch->directions, width };
        if (l > 0) w->kern->product(rows, width, net->size[l], w->layer[l - 1].s, below_width, 1, weights, width, at->u, width, false);
        else if (!batch->direction) memcpy(at->u, weights, batch->directions * width * sizeof(real));
        else w->kern->product(batch->directions, width, net->size[0], batch->direction, net->size[0], 1, weights, width, at->u, width, false);
        size_t u_point = l > 0 ? batch->directions * width : 0;
        if (batch->delta)
            w->kern->secant(net->activation, shape, at->z + first * width, at->h + first * width, at->d + first * width,
                            at->u, u_point, batch->delta, at->s, at->e);
        else w->kern->tangent(shape, at->d + first * width, at->u, u_point, at->s);
    }
}

void REAL(una_net_forward)(const una_net *net, const real *parameters, const real *x, size_t rows, double *phi, size_t stride,
                           double *f, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads), inputs = net->size[0];
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        forward_rows(net, parameters, x + from * inputs, count, w);
        if (phi)
            for (size_t r = 0; r < count; r++)
                for (size_t j = 0; j < features; j++)
                    phi[(from + r) * stride + j] = (double)w->layer[net->depth - 1].h[r * wide + j];
        if (!f) continue;
        forward_heads(net, parameters, count, w);
        for (size_t r = 0; r < count; r++)
            for (size_t m = 0; m < heads; m++) f[(from + r) * heads + m] = (double)w->f[r * heads_wide + m];
    }
}

void REAL(una_net_slopes)(const una_net *net, const real *parameters, const real *x, double *j, WORK *w)
{
    BATCH batch = { .rows = 1, .probes = 1, .directions = net->size[0], .x = x };
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    forward_rows(net, parameters, x, 1, w);
    forward_slopes(net, parameters, &batch, w);
    for (size_t d = 0; d < net->size[0]; d++)
        for (size_t k = 0; k < features; k++) j[d * features + k] = (double)w->layer[net->depth - 1].s[d * wide + k];
}

/* ---- backward -------------------------------------------------------------------------------------- */

/* r = f - t, fit = weight sum r^2; w->f becomes dL/df, its padding zero. */
static double fit_residuals(const una_net *net, const BATCH *batch, double weight, WORK *w)
{
    size_t heads = una_net_heads(net), wide = UNA_PADDED(heads);
    size_t target_wide = batch->target_heads == 1 ? 1 : UNA_PADDED(batch->target_heads);
    double sum = 0;
    for (size_t r = 0; r < batch->rows; r++) {
        real *f = w->f + r * wide;
        const real *t = batch->target + r * target_wide;
        double row = 0;
        for (size_t m = 0; m < heads; m++) {
            real residual = f[m] - t[batch->target_heads == 1 ? 0 : m];
            row += (double)residual * (double)residual;
            f[m] = (real)(2 * weight) * residual;
        }
        for (size_t m = heads; m < wide; m++) f[m] = 0;
        sum += row;
    }
    return weight * sum;
}

/* Heads: their gradient, and dL/dphi of the fitted rows into w->g[0]. Rows beyond them get zero. */
static void backward_heads(const una_net *net, const real *parameters, const BATCH *batch, real *gradient, WORK *w)
{
    size_t l = net->depth, features = net->size[l], wide = UNA_PADDED(features);
    size_t heads = net->size[l + 1], heads_wide = UNA_PADDED(heads);
    w->kern->product(features, heads_wide, batch->rows, w->layer[l - 1].h, 1, wide, w->f, heads_wide,
                     gradient + net->weights[l], heads_wide, true);
    w->kern->add_rows(batch->rows, heads_wide, w->f, gradient + net->biases[l]);
    real *flipped = batch->probes ? w->heads_flipped : w->flipped;   /* with probes, una_diversity has done it */
    if (!batch->probes) REAL(una_net_flip)(net, parameters, l, flipped, w);
    w->kern->product(batch->rows, wide, heads, w->f, heads_wide, 1, flipped, wide, w->g[0], wide, false);
    size_t extra = batch->own_probes ? batch->probes : 0;
    memset(w->g[0] + batch->rows * wide, 0, extra * wide * sizeof(real));
}

/* Weights of layer l transposed to [out, padded(in)], padding zero. */
void REAL(una_net_flip)(const una_net *net, const real *parameters, size_t l, real *flipped, WORK *w)
{
    size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(in);
    for (size_t j = 0; j < out; j++) memset(flipped + j * wide + in, 0, (wide - in) * sizeof(real));
    w->kern->transpose(in, out, parameters + net->weights[l], UNA_PADDED(out), flipped, wide);
}

/* Slope rows of layer l: gs becomes dL/du, what depends on z is added to dz; then the weights' part. */
static void backward_slopes(const una_net *net, const BATCH *batch, size_t l, real *gs, real *dz, real *gradient, WORK *w)
{
    layer *at = &w->layer[l];
    size_t width = UNA_PADDED(net->size[l + 1]), rows = batch->probes * batch->directions;
    size_t first = batch->own_probes ? batch->rows : 0;
    una_slope_shape shape = { batch->probes, batch->directions, width };
    if (batch->delta) w->kern->secant_back(shape, at->d + first * width, at->e, batch->delta, gs, dz + first * width);
    else w->kern->tangent_back(shape, at->d + first * width, at->dd + first * width, at->u, l > 0 ? batch->directions * width : 0,
                               gs, dz + first * width);
    real *weights = gradient + net->weights[l];
    if (l > 0) {
        /* cppcheck-suppress arrayIndexOutOfBoundsCond */
        w->kern->product(net->size[l], width, rows, w->layer[l - 1].s, 1, UNA_PADDED(net->size[l]), gs, width, weights, width, true);
        return;
    }
    real *sum = batch->direction ? w->slope_sum : weights;           /* u of the first layer is shared by all probes */
    if (batch->direction) memset(sum, 0, batch->directions * width * sizeof(real));
    w->kern->add_rows(batch->probes, batch->directions * width, gs, sum);
    if (batch->direction)
        w->kern->product(net->size[0], width, batch->directions, batch->direction, 1, net->size[0], sum, width, weights, width, true);
}

/* Hidden layers from the last to the first; w->g[0] holds dL/dphi of all rows, w->gs[0] dL/dJ if slopes. */
static void backward_hidden(const una_net *net, const real *parameters, const BATCH *batch, bool slopes, real *gradient, WORK *w)
{
    size_t rows = batch->rows + (batch->own_probes ? batch->probes : 0), slope_rows = batch->probes * batch->directions;
    real *g = w->g[0], *g_below = w->g[1], *gs = w->gs[0], *gs_below = w->gs[1];
    for (size_t l = net->depth; l-- > 0;) {
        layer *at = &w->layer[l];
        size_t in = net->size[l], width = UNA_PADDED(net->size[l + 1]), below = UNA_PADDED(in);
        w->kern->multiply(rows * width, at->d, g);
        if (slopes) backward_slopes(net, batch, l, gs, g, gradient, w);
        const real *h = l > 0 ? w->layer[l - 1].h : batch->x;
        w->kern->product(in, width, rows, h, 1, l > 0 ? below : in, g, width, gradient + net->weights[l], width, true);
        w->kern->add_rows(rows, width, g, gradient + net->biases[l]);
        if (l == 0) break;
        REAL(una_net_flip)(net, parameters, l, w->flipped, w);
        w->kern->product(rows, below, net->size[l + 1], g, width, 1, w->flipped, below, g_below, below, false);
        if (slopes) w->kern->product(slope_rows, below, net->size[l + 1], gs, width, 1, w->flipped, below, gs_below, below, false);
        real *kept = g; g = g_below; g_below = kept;
        kept = gs; gs = gs_below; gs_below = kept;
    }
}

static double penalise(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient, WORK *w)
{
    size_t n = objective->hidden_penalty_only ? net->hidden_parameters : net->parameters;
    real twice = (real)(2 * objective->penalty);
    for (size_t i = 0; i < n; i++) gradient[i] = twice * parameters[i];
    for (size_t i = n; i < net->parameters; i++) gradient[i] = 0;
    return objective->penalty * w->kern->square(n, parameters);
}

void REAL(una_net_gradient)(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                            real *gradient, una_losses *losses, WORK *w)
{
    size_t rows = batch->rows + (batch->own_probes ? batch->probes : 0);
    bool slopes = batch->probes > 0;
    losses->penalty = penalise(net, parameters, objective, gradient, w);
    forward_rows(net, parameters, batch->x, rows, w);
    forward_heads(net, parameters, batch->rows, w);
    losses->fit = fit_residuals(net, batch, objective->fit_weight, w);
    losses->diverse = 0;
    losses->mean_cos2 = NAN;
    if (slopes) {
        forward_slopes(net, parameters, batch, w);
        REAL(una_diversity)(net, parameters, batch, objective, gradient, losses, w);
    }
    backward_heads(net, parameters, batch, gradient, w);
    backward_hidden(net, parameters, batch, slopes, gradient, w);
    losses->total = losses->fit + losses->penalty + objective->diversity * losses->diverse;
}

void REAL(una_net_backward)(const una_net *net, const real *parameters, const real *x, size_t rows, const double *dphi,
                            real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), inputs = net->size[0];
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        BATCH batch = { .rows = count, .x = x + from * inputs };
        forward_rows(net, parameters, batch.x, count, w);
        memset(w->g[0], 0, count * wide * sizeof(real));
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < features; j++) w->g[0][r * wide + j] = (real)dphi[(from + r) * features + j];
        backward_hidden(net, parameters, &batch, false, gradient, w);
    }
}
