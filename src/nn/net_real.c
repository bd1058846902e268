/* SPDX-License-Identifier: MIT
 *
 * Forward and backward passes of net.h, in float for training and in double for reference: plain rows and slope rows
 * side by side, layer by layer. The similarity penalty on the slopes of the heads lives in diversity_real.c.
 */
#include "nn/work.h"

/* ---- initialisation ------------------------------------------------------------------------------ */

static double weight_spread(int initialisation, double in, double out)
{
    switch (initialisation) {
    case 0: return sqrt(2 / in);                 /* He et al. 2015 */
    case 1: return sqrt(2 / (in + out));         /* Glorot and Bengio 2010 */
    case 2: return sqrt(1 / in);                 /* LeCun et al. 1998 */
    default: return 1;
    }
}

void REAL(una_net_initialise)(const una_net *net, int initialisation, double scale, una_rng *rng, real *parameters,
                              const una_run *run)
{
    memset(parameters, 0, net->parameters * sizeof *parameters);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t in = net->size[l], out = net->size[l + 1], width = UNA_PADDED(out);
        double std = scale * weight_spread(initialisation, (double)in, (double)out);
        for (size_t i = 0; i < in && !(run && una_cancelled(run)); i++)
            for (size_t j = 0; j < out; j++)
                parameters[net->weights[l] + i * width + j] = (real)(std * una_rng_normal(rng));
    }
}

/* ---- buffers --------------------------------------------------------------------------------------- */

/* Probes whose slopes are in hand at a time: about a hundred rows, a few arrays of which fit the cache. */
static size_t block_of(size_t probes, size_t directions)
{
    size_t block = directions ? (104 + directions - 1) / directions : 0;
    return block < probes ? block : probes;
}

static void take_layers(WORK *w, bool exact, una_arena *arena)
{
    size_t slope_rows = w->most_probes * w->most_directions;
    for (size_t l = 0; l < w->net->depth; l++) {
        size_t width = width_of(w, l);
        if (width > w->widest) w->widest = width;
        layer *at = &w->layer[l];
        at->rows.z = UNA_GET(arena, real, w->most_rows * width);
        at->rows.h = UNA_GET(arena, real, w->most_rows * width);
        at->rows.d = UNA_GET(arena, real, w->most_rows * width);
        if (slope_rows == 0 || l < first_sloped(w)) continue;

        at->dz = UNA_GET(arena, real, w->most_probes * width);
        if (w->fans) continue;
        if (exact) at->rows.dd = UNA_GET(arena, real, w->most_rows * width);
        else at->e = UNA_GET(arena, real, slope_rows * width);
        if (l == 0 && !is_first(w)) at->u = w->piece[0]->layer[0].u;
        else at->u = UNA_GET(arena, real, (l == 0 ? w->most_directions : slope_rows) * width);
        at->s = UNA_GET(arena, real, slope_rows * width);
    }
}

enum { WORTH_TURNING = 4 };              /* directions from which slopes by unit pay */

static bool is_for_fans(const una_net *net, const una_work_size *size)
{
    return size->path != UNA_PATH_PLAIN && net->activation == UNA_RELU && !size->exact && !size->per_point &&
           size->probes > 0 && size->directions >= WORTH_TURNING;
}

/* Tables as tall as the first layer is wide pay for themselves by as many rows. (Of one input, too, there can be
 * several directions: unit vectors.) */
static bool is_broken_line(const una_net *net, const una_work_size *size)
{
    return size->path != UNA_PATH_PLAIN && net->activation == UNA_RELU && net->size[0] == 1 && size->directions == 1 &&
           net->depth > 1 && !size->exact && net->size[1] <= 2 * size->probes;
}

/* What a piece needs; its rows and kernels are known. */
static void take_buffers(WORK *w, const una_work_size *size, una_arena *arena)
{
    const una_net *net = w->net;
    size_t probes = w->most_probes = size->probes, directions = w->most_directions = size->directions;
    w->block = block_of(probes, directions);
    w->widest = UNA_PADDED(net->size[0]);
    if (is_for_fans(net, size)) w->fans = UNA_GET(arena, fan_work, 1);
    if (is_broken_line(net, size)) w->line = UNA_GET(arena, line_work, 1);
    take_layers(w, size->exact, arena);
    if (size->one_point) return;

    w->f = UNA_GET(arena, real, w->most_rows * UNA_PADDED(w->net->heads));
    for (int i = 0; i < 2; i++) w->g[i] = UNA_GET(arena, real, w->most_rows * w->widest);
    for (size_t l = 1; l <= net->depth; l++)
        w->flipped[l] = is_first(w) ? UNA_GET(arena, real, net->size[l + 1] * width_below(w, l))
                                    : w->piece[0]->flipped[l];
    if (!is_first(w)) w->own_gradient = UNA_GET(arena, real, net->parameters);
    if (probes == 0 || directions == 0) return;

    size_t slope_rows = w->fans ? UNA_PADDED(directions) : w->block * directions;
    for (int i = 0; i < 2; i++) w->gs[i] = UNA_GET(arena, real, slope_rows * w->widest);
    if (w->fans) REAL(una_fans_take)(w, arena);
    if (w->line) REAL(una_line_take)(w, arena);
    w->slope_sum = UNA_GET(arena, real, directions * w->widest);
    REAL(una_diversity_take)(w, size, arena);
}

una_status REAL(una_work_new)(WORK **out, const una_net *net, const una_work_size *size, const KERNELS *kernels,
                              una_arena *arena)
{
    size_t pieces = size->pieces ? size->pieces : 1;
    WORK *first = *out = UNA_GET(arena, WORK, pieces);
    if (!first) return UNA_E_MEMORY;
    first->pieces = pieces;
    first->copy = *net;

    for (size_t i = 0; i < pieces; i++) {
        WORK *w = first->piece[i] = &first[i];
        w->piece[0] = first;
        w->net = &first->copy;
        w->kern = kernels;
        w->run = arena->run;
        w->most_rows = size->rows + (size->own_probes ? size->probes : 0);
        if (i == 0 && w->most_rows < BLOCK && !size->one_point) w->most_rows = BLOCK;    /* of una_net_forward */
        take_buffers(w, size, arena);
        UNA_TRY(una_arena_check(arena));
    }

    return UNA_OK;
}

una_slope_method REAL(una_work_slope_method)(const WORK *w)
{
    return (una_slope_method){ .fans = w->fans, .line = w->line, .forms_slopes = w->similarity.way == BY_SLOPES,
                               .blocks = w->block ? (w->most_probes + w->block - 1) / w->block : 0,
                                   .pieces = w->pieces };
}

/* ---- forward --------------------------------------------------------------------------------------- */

/* A layer may take a second. What a pass that was broken off leaves is of no use, and it says so: not a number. */
static bool is_stopped(WORK *w)
{
    w->stopped = w->stopped || una_cancelled(w->run);
    return w->stopped;
}

/* From `below`, the output of the layers before `from`. With a mask m (NULL: none) h = m act(z), so dh/dz = m act'(z):
 * multiplied into both, it is no concern of the way back. */
static void forward_from(WORK *w, size_t from, const real *below, real *const *mask, size_t rows)
{
    const una_net *net = w->net;
    size_t below_width = from == 0 ? net->size[0] : width_below(w, from);

    for (size_t l = from; l < net->depth && !is_stopped(w); l++) {
        const REAL(una_activated) *at = &w->layer[l].rows;
        size_t width = width_of(w, l);
        w->kern->product(rows, width, net->size[l], UNA_ROWS(below, below_width), UNA_ROWS(weights_of(w, l), width),
                         UNA_INTO(at->z, width));
        w->kern->activate(net->activation, rows, width, w->parameters + net->biases[l], *at);
        if (mask) {
            w->kern->multiply(rows * width, mask[l], at->h);
            w->kern->multiply(rows * width, mask[l], at->d);
        }
        below = at->h;
        below_width = width;
    }
}

/* phi of rows; of a pass that was broken off, not a number. */
const real *REAL(una_net_phi)(WORK *w, const real *parameters, const real *x, size_t rows)
{
    size_t last = w->net->depth - 1;
    real *phi = w->layer[last].rows.h;
    w->parameters = parameters;
    forward_from(w, 0, x, NULL, rows);
    for (size_t i = 0; w->stopped && i < rows * width_of(w, last); i++) phi[i] = NAN;
    return phi;
}

static void forward_heads(WORK *w, size_t rows)
{
    size_t l = w->net->depth;
    const REAL(una_heads) heads = { w->kern, w->net->features, w->net->heads, weights_of(w, l) };
    REAL(una_heads_forward)(&heads, rows, w->layer[l - 1].rows.h, w->f);
}

void REAL(una_net_forward)(void *work, const real *parameters, const real *x, size_t rows, una_outputs out)
{
    WORK *w = work;
    size_t heads = w->net->heads;
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = UNA_MIN(rows - from, BLOCK);
        const real *phi = REAL(una_net_phi)(w, parameters, x + from * w->net->size[0], count);
        if (out.phi) REAL(una_copy_out)(phi, count, w->net->features, out.phi + from * out.stride, out.stride);
        if (!out.f) continue;
        forward_heads(w, count);
        REAL(una_copy_out)(w->f, count, heads, out.f + from * heads, heads);
    }
}

void REAL(una_net_slopes)(void *work, const real *parameters, const real *x, double *phi, double *j)
{
    WORK *w = work;
    size_t inputs = w->net->size[0], features = w->net->features;
    w->rows = (BATCH){ .rows = 1, .probes = 1, .directions = inputs, .x = x };
    w->batch = &w->rows;
    const real *h = REAL(una_net_phi)(w, parameters, x, 1);
    if (phi) REAL(una_copy_out)(h, 1, features, phi, features);
    REAL(una_slopes_seed)(w, w->layer[0].u);
    REAL(una_slopes_forward)(w, (probe_block){ 0, 1 });
    REAL(una_copy_out)(w->layer[w->net->depth - 1].s, inputs, features, j, features);
}

/* ---- backward -------------------------------------------------------------------------------------- */

/* Weights of the layers from `first` on, transposed to [out, padded(in)], padding zero. */
static void flip_weights(WORK *w, size_t first)
{
    for (size_t l = first; l <= w->net->depth; l++)
        w->kern->transpose(w->net->size[l], w->net->size[l + 1], weights_of(w, l), width_of(w, l), w->flipped[l],
                           width_below(w, l));
}

/* Heads: their gradient, and dL/dphi of the fitted rows into w->g[0]. Rows beyond them get zero. */
static void backward_heads(WORK *w)
{
    const BATCH *batch = w->batch;
    size_t l = w->net->depth, features = w->net->size[l], wide = UNA_PADDED(features), heads_wide = width_of(w, l);
    w->kern->product(features, heads_wide, batch->rows, UNA_COLUMNS(w->layer[l - 1].rows.h, wide),
                     UNA_ROWS(w->f, heads_wide), UNA_ONTO(weights_gradient(w, l), heads_wide));
    w->kern->add_rows(batch->rows, heads_wide, w->f, w->gradient + w->net->biases[l]);
    w->kern->product(batch->rows, wide, w->net->size[l + 1], UNA_ROWS(w->f, heads_wide), UNA_ROWS(w->flipped[l], wide),
                     UNA_INTO(w->g[0], wide));
    memset(w->g[0] + batch->rows * wide, 0, (rows_of(batch) - batch->rows) * wide * sizeof(real));
}

/* Hidden layers from the last to the first; w->g[0] holds dL/dphi of all rows, layer.dz what slopes add at z; `line`
 * says that the first two came by a broken line. */
static void backward_hidden(WORK *w, bool line)
{
    const BATCH *batch = w->batch;
    const una_net *net = w->net;
    size_t rows = rows_of(batch), first = probes_at(batch);
    real *g = w->g[0], *g_below = w->g[1];

    for (size_t l = net->depth; l-- > 0 && !is_stopped(w);) {
        size_t in = net->size[l], width = width_of(w, l), below = UNA_PADDED(in);
        w->kern->multiply(rows * width, w->layer[l].rows.d, g);
        if (batch->probes) w->kern->add(batch->probes * width, w->layer[l].dz, g + first * width);
        if (l == 1 && line) {
            REAL(una_line_rows_back)(w, g);
            break;
        }

        const real *h = l > 0 ? w->layer[l - 1].rows.h : batch->x;
        w->kern->product(in, width, rows, UNA_COLUMNS(h, l > 0 ? below : in), UNA_ROWS(g, width),
                         UNA_ONTO(weights_gradient(w, l), width));
        w->kern->add_rows(rows, width, g, w->gradient + net->biases[l]);
        if (l == 0) break;
        w->kern->product(rows, below, net->size[l + 1], UNA_ROWS(g, width), UNA_ROWS(w->flipped[l], below),
                         UNA_INTO(g_below, below));
        real *kept = g;
        g = g_below;
        g_below = kept;
    }
}

/* The penalty, and its gradient written. free_biases: of weights alone, layer by layer. */
static double begin_penalty(WORK *w)
{
    const una_net *net = w->net;
    const OBJECTIVE *objective = w->objective;
    double by = objective->penalty, heads_by = by * (1 - objective->head_relief), square = 0;
    if (!objective->free_biases) {
        size_t hidden = net->hidden_parameters, heads = net->parameters - hidden;
        return by * w->kern->ridge(hidden, (real)(2 * by), w->parameters, w->gradient) +
               heads_by * w->kern->ridge(heads, (real)(2 * heads_by), w->parameters + hidden, w->gradient + hidden);
    }
    memset(w->gradient, 0, net->parameters * sizeof(real));
    for (size_t l = 0; l <= net->depth; l++) {
        double share = l < net->depth ? 1 : 1 - objective->head_relief;
        square += share * w->kern->ridge(net->biases[l] - net->weights[l], (real)(2 * by * share), weights_of(w, l),
                                         weights_gradient(w, l));
    }
    return by * square;
}

/* ---- a step: forward in pieces, the heads' similarity at once, back in pieces ------------------------- */

static const probe_block none = { 0, 0 };

/* Without probes the tables are not made. */
static bool by_line(const WORK *w)
{
    return w->line && w->all_probes > 0;
}

static probe_block next_probe_block(const WORK *w, probe_block block)
{
    size_t first = block.first + block.count, left = w->batch->probes - first;
    return (probe_block){ first, left < w->block ? left : w->block };
}

static void forward_slopes(WORK *w)
{
    for (size_t l = first_sloped(w); l < w->net->depth; l++)
        memset(w->layer[l].dz, 0, w->batch->probes * width_of(w, l) * sizeof(real));
    REAL(una_diversity_begin)(w);
    if (w->fans) {
        REAL(una_fans_forward)(w);
        return;
    }
    for (probe_block block = next_probe_block(w, none); block.count; block = next_probe_block(w, block)) {
        REAL(una_slopes_forward)(w, block);
        REAL(una_diversity_gather)(w, block);
    }
}

static void backward_slopes(WORK *w)
{
    if (w->fans) {
        REAL(una_fans_backward)(w);
        return;
    }
    for (probe_block block = next_probe_block(w, none); block.count; block = next_probe_block(w, block)) {
        w->diverse += REAL(una_diversity_slopes)(w, block);
        REAL(una_slopes_backward)(w, block);
    }
}

static size_t heads_each(const WORK *w)
{
    return w->net->heads / (w->objective->targets > 1 ? w->objective->targets : 1);
}

static void forward_piece(void *work, size_t index)
{
    WORK *w = ((WORK *)work)->piece[index];
    const BATCH *batch = w->batch;
    size_t heads = w->net->heads, rows = rows_of(batch);

    if (by_line(w)) {
        REAL(una_line_rows)(w);
        forward_from(w, 2, w->layer[1].rows.h, NULL, rows);
    } else forward_from(w, 0, batch->x, batch->mask, rows);

    forward_heads(w, batch->rows);
    for (size_t i = 0; i < batch->missing_count; i++)    /* of missing cells the target is what the heads say */
        memcpy(batch->open + batch->missing[i], w->f + batch->missing[i], heads_each(w) * sizeof(real));
    w->fit = w->kern->residual(batch->rows, heads, w->objective->fit_weight, batch->target,
                               batch->target_heads == 1 ? 0 : UNA_PADDED(batch->target_heads), w->f);
    w->diverse = 0;
    if (w->all_probes > 0) forward_slopes(w);
}

/* The first piece adds to the gradient itself, which holds the penalty and the heads' part already. */
static void backward_piece(void *work, size_t index)
{
    WORK *w = ((WORK *)work)->piece[index];
    if (index > 0) memset(w->gradient, 0, w->net->parameters * sizeof(real));
    if (by_line(w)) REAL(una_line_begin_back)(w);
    if (w->all_probes > 0) backward_slopes(w);
    backward_heads(w);
    backward_hidden(w, by_line(w));
}

/* The pieces' gradients in their order, a range of parameters each. */
static void add_up(void *work, size_t index)
{
    WORK *w = work;
    una_range range = una_piece_range(w->net->parameters, index, w->pieces);      /* as opt/descent steps them */
    for (size_t i = 1; i < w->pieces; i++)
        w->kern->add(range.count, w->piece[i]->gradient + range.first, w->gradient + range.first);
}

static void seed_slopes(WORK *w)
{
    if (w->fans) REAL(una_fans_seed)(w);
    else if (w->line) REAL(una_line_seed)(w);
    else REAL(una_slopes_seed)(w, w->layer[0].u);
}

void REAL(una_net_gradient_in_pieces)(WORK *w, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                                      real *gradient, una_losses *losses, una_crew *crew)
{
    double probes = 0;
    for (size_t i = 0; i < w->pieces; i++) probes += (double)batch[i].probes;
    for (size_t i = 0; i < w->pieces; i++) {
        WORK *piece = w->piece[i];
        piece->parameters = parameters;
        piece->batch = &batch[i];
        piece->objective = objective;
        piece->gradient = i == 0 ? gradient : piece->own_gradient;
        piece->all_probes = probes;
    }

    losses->penalty = begin_penalty(w);
    for (size_t l = 1; l <= w->net->depth; l++)
        una_crew_claim(crew, w->flipped[l], w->net->size[l + 1] * width_below(w, l) * sizeof(real));
    flip_weights(w, by_line(w) ? 2 : 1);
    if (probes > 0) seed_slopes(w);

    una_crew_do(crew, w->pieces, forward_piece, w);
    losses->fit = losses->diverse = 0;
    if (probes > 0) losses->diverse = REAL(una_diversity_solve)(w);
    una_crew_do(crew, w->pieces, backward_piece, w);

    for (size_t i = 0; i < w->pieces; i++) {
        losses->fit += w->piece[i]->stopped ? NAN : w->piece[i]->fit;
        losses->diverse += w->piece[i]->diverse;
    }
    if (w->pieces > 1) una_crew_do(crew, w->pieces, add_up, w);
    double heads = (double)heads_each(w);
    losses->mean_cos2 = probes > 0 && heads > 1 ? losses->diverse / (heads * (heads - 1) / 2) : NAN;
    losses->total = losses->fit + losses->penalty;
    if (una_run_counts(objective->run)) losses->total += objective->diversity * losses->diverse;
}

void REAL(una_net_gradient)(WORK *w, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                            real *gradient, una_losses *losses)
{
    REAL(una_net_gradient_in_pieces)(w, parameters, batch, objective, gradient, losses, NULL);
}

real *REAL(una_net_dphi)(WORK *w)
{
    return w->g[0];
}

static void back_from_dphi(WORK *w, const real *x, size_t rows, real *gradient)
{
    w->rows = (BATCH){ .rows = rows, .x = x };
    w->batch = &w->rows;
    w->gradient = gradient;
    backward_hidden(w, false);
}

void REAL(una_net_phi_back)(WORK *w, const real *x, size_t rows, real *gradient)
{
    flip_weights(w, 1);
    back_from_dphi(w, x, rows, gradient);
}

void REAL(una_net_backward)(WORK *w, const real *parameters, const real *x, size_t rows, const double *dphi,
                            real *gradient)
{
    size_t features = w->net->features, wide = UNA_PADDED(features), inputs = w->net->size[0];
    w->parameters = parameters;
    flip_weights(w, 1);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        REAL(una_net_phi)(w, parameters, x + from * inputs, count);
        memset(w->g[0], 0, count * wide * sizeof(real));
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < features; j++) w->g[0][r * wide + j] = (real)dphi[(from + r) * features + j];
        back_from_dphi(w, x + from * inputs, count, gradient);
    }
}
