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

static void take_layers(WORK *w, const una_net *net, bool exact, una_arena *arena)
{
    size_t slope_rows = w->most_probes * w->most_directions;
    for (size_t l = 0; l < net->depth; l++) {
        size_t width = UNA_PADDED(net->size[l + 1]);
        if (width > w->widest) w->widest = width;
        layer *at = &w->layer[l];
        at->z = UNA_GET(arena, real, w->most_rows * width);
        at->h = UNA_GET(arena, real, w->most_rows * width);
        at->d = UNA_GET(arena, real, w->most_rows * width);
        if (slope_rows == 0 || l < first_sloped(w)) continue;

        at->dz = UNA_GET(arena, real, w->most_probes * width);
        if (w->fans) continue;
        if (exact) at->dd = UNA_GET(arena, real, w->most_rows * width);
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
static void take_buffers(WORK *w, const una_net *net, const una_work_size *size, una_arena *arena)
{
    size_t probes = w->most_probes = size->probes, directions = w->most_directions = size->directions;
    w->block = block_of(probes, directions);
    w->widest = UNA_PADDED(net->size[0]);
    if (is_for_fans(net, size)) w->fans = UNA_GET(arena, fan_work, 1);
    if (is_broken_line(net, size)) w->line = UNA_GET(arena, line_work, 1);
    take_layers(w, net, size->exact, arena);
    if (size->one_point) return;

    w->f = UNA_GET(arena, real, w->most_rows * UNA_PADDED(una_net_heads(net)));
    for (int i = 0; i < 2; i++) w->g[i] = UNA_GET(arena, real, w->most_rows * w->widest);
    for (size_t l = 1; l <= net->depth; l++)
        w->flipped[l] = is_first(w) ? UNA_GET(arena, real, net->size[l + 1] * UNA_PADDED(net->size[l]))
                                    : w->piece[0]->flipped[l];
    if (!is_first(w)) w->gradient = UNA_GET(arena, real, net->parameters);
    if (probes == 0 || directions == 0) return;

    size_t slope_rows = w->fans ? UNA_PADDED(directions) : w->block * directions;
    for (int i = 0; i < 2; i++) w->gs[i] = UNA_GET(arena, real, slope_rows * w->widest);
    if (w->fans) REAL(una_fans_take)(w, net, arena);
    if (w->line) REAL(una_line_take)(w, net, arena);
    w->slope_sum = UNA_GET(arena, real, directions * w->widest);
    REAL(una_diversity_take)(w, net, size, arena);
}

una_status REAL(una_work_new)(WORK **out, const una_net *net, const una_work_size *size, const KERNELS *kernels,
                              una_arena *arena)
{
    size_t pieces = size->pieces ? size->pieces : 1;
    WORK *first = *out = UNA_GET(arena, WORK, pieces);
    if (!first) return UNA_E_MEMORY;
    first->pieces = pieces;

    for (size_t i = 0; i < pieces; i++) {
        WORK *w = first->piece[i] = &first[i];
        w->piece[0] = first;
        w->kern = kernels;
        w->run = arena->run;
        w->most_rows = size->rows + (size->own_probes ? size->probes : 0);
        if (i == 0 && w->most_rows < BLOCK && !size->one_point) w->most_rows = BLOCK;    /* of una_net_forward */
        take_buffers(w, net, size, arena);
        UNA_TRY(una_arena_check(arena));
    }

    return UNA_OK;
}

una_slope_method REAL(una_work_slope_method)(const WORK *w)
{
    return (una_slope_method){ .fans = w->fans, .line = w->line, .forms_slopes = w->similarity.slopes,
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
static void forward_from(const una_net *net, const real *parameters, size_t from, const real *below,
                         real *const *mask, size_t rows, WORK *w)
{
    size_t below_width = from == 0 ? net->size[0] : UNA_PADDED(net->size[from]);

    for (size_t l = from; l < net->depth && !is_stopped(w); l++) {
        layer *at = &w->layer[l];
        size_t width = UNA_PADDED(net->size[l + 1]);
        w->kern->product(rows, width, net->size[l], below, below_width, 1, parameters + net->weights[l], width, at->z,
                         width, false);
        w->kern->activate(net->activation, rows, width, parameters + net->biases[l], at->z, at->h, at->d, at->dd);
        if (mask) {
            w->kern->multiply(rows * width, mask[l], at->h);
            w->kern->multiply(rows * width, mask[l], at->d);
        }
        below = at->h;
        below_width = width;
    }
}

static void forward_plain_rows(const una_net *net, const real *parameters, const real *x, size_t rows, WORK *w)
{
    forward_from(net, parameters, 0, x, NULL, rows, w);
}

static void forward_heads(const una_net *net, const real *parameters, size_t rows, WORK *w)
{
    size_t l = net->depth, features = net->size[l], wide = UNA_PADDED(net->size[l]);
    size_t heads = UNA_PADDED(net->size[l + 1]);
    for (size_t r = 0; r < rows; r++) memcpy(w->f + r * heads, parameters + net->biases[l], heads * sizeof(real));
    w->kern->product(rows, heads, features, w->layer[l - 1].h, wide, 1, parameters + net->weights[l], heads, w->f,
                     heads, true);
}

void REAL(una_net_forward)(const una_net *net, const real *parameters, const real *x, size_t rows, double *phi,
                           size_t stride, double *f, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    size_t heads = una_net_heads(net), heads_wide = UNA_PADDED(heads), inputs = net->size[0];

    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        forward_plain_rows(net, parameters, x + from * inputs, count, w);
        if (phi)
            for (size_t r = 0; r < count; r++)
                for (size_t j = 0; j < features; j++)
                    phi[(from + r) * stride + j] = w->stopped ? NAN : (double)w->layer[net->depth - 1].h[r * wide + j];

        if (!f) continue;
        forward_heads(net, parameters, count, w);
        for (size_t r = 0; r < count; r++)
            for (size_t m = 0; m < heads; m++)
                f[(from + r) * heads + m] = w->stopped ? NAN : (double)w->f[r * heads_wide + m];
    }
}

void REAL(una_net_slopes)(const una_net *net, const real *parameters, const real *x, double *phi, double *j, WORK *w)
{
    BATCH batch = { .rows = 1, .probes = 1, .directions = net->size[0], .x = x };
    size_t features = una_net_features(net), wide = UNA_PADDED(features);
    forward_plain_rows(net, parameters, x, 1, w);
    for (size_t k = 0; phi && k < features; k++) phi[k] = (double)w->layer[net->depth - 1].h[k];
    REAL(una_slopes_seed)(net, parameters, &batch, w->layer[0].u, w);
    REAL(una_slopes_forward)(net, parameters, &batch, (probe_block){ 0, 1 }, w);
    for (size_t d = 0; d < net->size[0]; d++)
        for (size_t k = 0; k < features; k++) j[d * features + k] = (double)w->layer[net->depth - 1].s[d * wide + k];
}

/* ---- backward -------------------------------------------------------------------------------------- */

/* Weights of the layers from `first` on, transposed to [out, padded(in)], padding zero. */
static void flip_weights(const una_net *net, const real *parameters, size_t first, WORK *w)
{
    for (size_t l = first; l <= net->depth; l++)
        w->kern->transpose(net->size[l], net->size[l + 1], parameters + net->weights[l], UNA_PADDED(net->size[l + 1]),
                           w->flipped[l], UNA_PADDED(net->size[l]));
}

/* Heads: their gradient, and dL/dphi of the fitted rows into w->g[0]. Rows beyond them get zero. */
static void backward_heads(const una_net *net, const BATCH *batch, real *gradient, WORK *w)
{
    size_t l = net->depth, features = net->size[l], wide = UNA_PADDED(features);
    size_t heads = net->size[l + 1], heads_wide = UNA_PADDED(heads);
    w->kern->product(features, heads_wide, batch->rows, w->layer[l - 1].h, 1, wide, w->f, heads_wide,
                     gradient + net->weights[l], heads_wide, true);
    w->kern->add_rows(batch->rows, heads_wide, w->f, gradient + net->biases[l]);
    w->kern->product(batch->rows, wide, heads, w->f, heads_wide, 1, w->flipped[l], wide, w->g[0], wide, false);
    size_t extra = batch->own_probes ? batch->probes : 0;
    memset(w->g[0] + batch->rows * wide, 0, extra * wide * sizeof(real));
}

/* Hidden layers from the last to the first; w->g[0] holds dL/dphi of all rows, layer.dz what slopes add at z; `line`
 * says that the first two came by a broken line. */
static void backward_hidden(const una_net *net, const BATCH *batch, bool line, real *gradient, WORK *w)
{
    size_t rows = batch->rows + (batch->own_probes ? batch->probes : 0), first = batch->own_probes ? batch->rows : 0;
    real *g = w->g[0], *g_below = w->g[1];

    for (size_t l = net->depth; l-- > 0 && !is_stopped(w);) {
        layer *at = &w->layer[l];
        size_t in = net->size[l], width = UNA_PADDED(net->size[l + 1]), below = UNA_PADDED(in);
        w->kern->multiply(rows * width, at->d, g);
        if (batch->probes) w->kern->add(batch->probes * width, at->dz, g + first * width);
        if (l == 1 && line) {
            REAL(una_line_rows_back)(net, batch, rows, g, gradient, w);
            break;
        }

        const real *h = l > 0 ? w->layer[l - 1].h : batch->x;
        w->kern->product(in, width, rows, h, 1, l > 0 ? below : in, g, width, gradient + net->weights[l], width, true);
        w->kern->add_rows(rows, width, g, gradient + net->biases[l]);
        if (l == 0) break;
        w->kern->product(rows, below, net->size[l + 1], g, width, 1, w->flipped[l], below, g_below, below, false);
        real *kept = g;
        g = g_below;
        g_below = kept;
    }
}

/* Weights alone, not biases. */
static double penalise_weights(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient,
                               WORK *w)
{
    double square = 0;
    memset(gradient, 0, net->parameters * sizeof *gradient);
    for (size_t l = 0; l <= net->depth; l++) {
        size_t at = net->weights[l], n = net->biases[l] - at;
        double share = l < net->depth ? 1 : 1 - objective->head_relief;
        square += share * w->kern->ridge(n, (real)(2 * objective->penalty * share), parameters + at, gradient + at);
    }
    return objective->penalty * square;
}

static double add_penalty(const una_net *net, const real *parameters, const OBJECTIVE *objective, real *gradient,
                          WORK *w)
{
    if (objective->free_biases) return penalise_weights(net, parameters, objective, gradient, w);
    size_t hidden = net->hidden_parameters, heads = net->parameters - hidden;
    double by = objective->penalty, heads_by = objective->penalty * (1 - objective->head_relief);
    return by * w->kern->ridge(hidden, (real)(2 * by), parameters, gradient) +
           heads_by * w->kern->ridge(heads, (real)(2 * heads_by), parameters + hidden, gradient + hidden);
}

/* ---- a step: forward in pieces, the heads' similarity at once, back in pieces ------------------------- */

typedef struct step {                    /* what all pieces look at */
    const una_net *net;
    const real *parameters;
    const BATCH *batch;                  /* [pieces] */
    const OBJECTIVE *objective;
    real *gradient;
    WORK *work;
} step;

static const probe_block none = { 0, 0 };

/* Without probes the tables are not made. */
static bool by_line(const WORK *w)
{
    return w->line && w->all_probes > 0;
}

static probe_block next_probe_block(probe_block block, const BATCH *batch, const WORK *w)
{
    size_t first = block.first + block.count, left = batch->probes - first;
    return (probe_block){ first, left < w->block ? left : w->block };
}

static void forward_slopes(const step *s, const BATCH *batch, WORK *w)
{
    for (size_t l = first_sloped(w); l < s->net->depth; l++)
        memset(w->layer[l].dz, 0, batch->probes * UNA_PADDED(s->net->size[l + 1]) * sizeof(real));
    REAL(una_diversity_begin)(s->net, w);
    if (w->fans) {
        REAL(una_fans_forward)(s->net, s->parameters, batch, w);
        return;
    }
    for (probe_block block = next_probe_block(none, batch, w); block.count; block = next_probe_block(block, batch, w)) {
        REAL(una_slopes_forward)(s->net, s->parameters, batch, block, w);
        REAL(una_diversity_gather)(s->net, s->parameters, batch, block, w);
    }
}

static void backward_slopes(const step *s, const BATCH *batch, real *gradient, WORK *w)
{
    if (w->fans) {
        REAL(una_fans_backward)(s->net, s->parameters, batch, gradient, w);
        return;
    }
    for (probe_block block = next_probe_block(none, batch, w); block.count; block = next_probe_block(block, batch, w)) {
        w->diverse += REAL(una_diversity_slopes)(s->net, s->parameters, batch, s->objective, block, gradient, w);
        REAL(una_slopes_backward)(s->net, batch, block, gradient, w);
    }
}

/* Missing cells: their target is what the heads say, and the residual zero. */
static void fill_missing(const BATCH *batch, size_t heads, const WORK *w)
{
    for (size_t i = 0; i < batch->missing_count; i++)
        memcpy(batch->open + batch->missing[i], w->f + batch->missing[i], heads * sizeof(real));
}

static size_t heads_each(const una_net *net, const OBJECTIVE *objective)
{
    return una_net_heads(net) / (objective->targets > 1 ? objective->targets : 1);
}

static void forward_piece(void *context, size_t index)
{
    const step *s = context;
    const BATCH *batch = &s->batch[index];
    WORK *w = s->work->piece[index];
    size_t heads = una_net_heads(s->net), rows = batch->rows + (batch->own_probes ? batch->probes : 0);

    if (by_line(w)) {
        REAL(una_line_rows)(batch, rows, w);
        forward_from(s->net, s->parameters, 2, w->layer[1].h, NULL, rows, w);
    } else forward_from(s->net, s->parameters, 0, batch->x, batch->mask, rows, w);

    forward_heads(s->net, s->parameters, batch->rows, w);
    if (batch->missing_count) fill_missing(batch, heads_each(s->net, s->objective), w);
    w->fit = w->kern->residual(batch->rows, heads, UNA_PADDED(heads), s->objective->fit_weight, batch->target,
                               batch->target_heads == 1 ? 0 : UNA_PADDED(batch->target_heads), w->f);
    w->diverse = 0;
    if (w->all_probes > 0) forward_slopes(s, batch, w);
}

/* The first piece adds to the gradient itself, which holds the penalty and the heads' part already. */
static void backward_piece(void *context, size_t index)
{
    const step *s = context;
    const BATCH *batch = &s->batch[index];
    WORK *w = s->work->piece[index];
    real *gradient = index == 0 ? s->gradient : w->gradient;
    if (index > 0) memset(gradient, 0, s->net->parameters * sizeof(real));
    if (by_line(w)) REAL(una_line_begin_back)(w);
    if (w->all_probes > 0) backward_slopes(s, batch, gradient, w);
    backward_heads(s->net, batch, gradient, w);
    backward_hidden(s->net, batch, by_line(w), gradient, w);
}

/* The pieces' gradients in their order, a range of parameters each. */
static void add_up(void *context, size_t index)
{
    const step *s = context;
    una_range range = una_piece_range(s->net->parameters, index, s->work->pieces);    /* as opt/descent steps them */
    for (size_t i = 1; i < s->work->pieces; i++)
        s->work->kern->add(range.count, s->work->piece[i]->gradient + range.first, s->gradient + range.first);
}

static void seed_slopes(const una_net *net, const real *parameters, const BATCH *batch, WORK *w)
{
    if (w->fans) REAL(una_fans_seed)(net, parameters, batch, w);
    else if (w->line) REAL(una_line_seed)(net, parameters, w);
    else REAL(una_slopes_seed)(net, parameters, batch, w->layer[0].u, w);
}

void REAL(una_net_gradient_in_pieces)(const una_net *net, const real *parameters, const BATCH *batch,
                                      const OBJECTIVE *objective, real *gradient, una_losses *losses, WORK *w,
                                      una_crew *crew)
{
    step s = { net, parameters, batch, objective, gradient, w };
    double heads = (double)heads_each(net, objective), probes = 0;
    for (size_t i = 0; i < w->pieces; i++) probes += (double)batch[i].probes;
    for (size_t i = 0; i < w->pieces; i++) w->piece[i]->all_probes = probes;

    losses->penalty = add_penalty(net, parameters, objective, gradient, w);
    for (size_t l = 1; l <= net->depth; l++)
        una_crew_claim(crew, w->flipped[l], net->size[l + 1] * UNA_PADDED(net->size[l]) * sizeof(real));
    flip_weights(net, parameters, by_line(w) ? 2 : 1, w);
    if (probes > 0) seed_slopes(net, parameters, batch, w);

    una_crew_do(crew, w->pieces, forward_piece, &s);
    losses->fit = losses->diverse = 0;
    if (probes > 0) losses->diverse = REAL(una_diversity_solve)(net, parameters, objective, gradient, w);
    una_crew_do(crew, w->pieces, backward_piece, &s);

    for (size_t i = 0; i < w->pieces; i++) {
        losses->fit += w->piece[i]->stopped ? NAN : w->piece[i]->fit;
        losses->diverse += w->piece[i]->diverse;
    }
    if (w->pieces > 1) una_crew_do(crew, w->pieces, add_up, &s);
    losses->mean_cos2 = probes > 0 && heads > 1 ? losses->diverse / (heads * (heads - 1) / 2) : NAN;
    losses->total = losses->fit + losses->penalty;
    if (una_run_counts(objective->run)) losses->total += objective->diversity * losses->diverse;
}

void REAL(una_net_gradient)(const una_net *net, const real *parameters, const BATCH *batch, const OBJECTIVE *objective,
                            real *gradient, una_losses *losses, WORK *w)
{
    REAL(una_net_gradient_in_pieces)(net, parameters, batch, objective, gradient, losses, w, NULL);
}

void REAL(una_net_backward)(const una_net *net, const real *parameters, const real *x, size_t rows, const double *dphi,
                            real *gradient, WORK *w)
{
    size_t features = una_net_features(net), wide = UNA_PADDED(features), inputs = net->size[0];
    flip_weights(net, parameters, 1, w);
    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        BATCH batch = { .rows = count, .x = x + from * inputs };
        forward_plain_rows(net, parameters, batch.x, count, w);
        memset(w->g[0], 0, count * wide * sizeof(real));
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < features; j++) w->g[0][r * wide + j] = (real)dphi[(from + r) * features + j];
        backward_hidden(net, &batch, false, gradient, w);
    }
}

const real *REAL(una_net_phi)(const una_net *net, const real *parameters, const real *x, size_t rows, WORK *w)
{
    forward_plain_rows(net, parameters, x, rows, w);
    return w->layer[net->depth - 1].h;
}

real *REAL(una_net_dphi)(WORK *w)
{
    return w->g[0];
}

void REAL(una_net_phi_back)(const una_net *net, const real *parameters, const real *x, size_t rows, real *gradient,
                            WORK *w)
{
    BATCH batch = { .rows = rows, .x = x };
    flip_weights(net, parameters, 1, w);
    backward_hidden(net, &batch, false, gradient, w);
}
