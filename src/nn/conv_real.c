/* SPDX-License-Identifier: MIT
 *
 * Passes of conv.h, in float for training and in double for reference; at the end the network as a body.
 *
 * A batch is cut into pieces of rows, whose number depends on the batch alone; a crew shares them, and sums over pieces
 * (statistics of a normalisation, gradients) are taken in their order: the bits do not depend on how many threads there
 * are. With P plain rows x places, gradient g behind a normalisation y = scale (z - m) s + shift,
 * s = 1/sqrt(var + eps):
 *   A = sum g,  B = sum g (z - m) s over all rows;   d scale = B,  d shift = A;
 *   dz = scale s (g - (A + B (z - m) s)/P) for plain rows, scale s g for others, whose statistics are the plain ones'.
 */
#include "nn/conv.h"
#include "nn/residual.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define NETWORK REAL(una_network)
#define WORK REAL(una_conv_work)
#define OPS REAL(una_conv_ops)

enum { ROWS_OF_A_PIECE = 16, MOST_PIECES = 4, ROWS_FORWARD = 16, GRADIENTS = 4 };
static const double EPS = 1e-5, MOMENTUM = 0.1;

typedef struct norm {                    /* of one convolution, each [channels]                             */
    real *scale, *shift;                 /* y = scale z + shift                                             */
    real *mean;
    real *p, *q, *r;                     /* dz = p g + q z + r                                              */
    double *seen_mean, *seen_var;        /* of the last batch                                               */
} norm;

typedef struct piece {
    size_t from, rows, plain;            /* which rows of the batch; the first `plain` of them count        */
    real  *x, *pooled;
    real **z, **y;                       /* [convolutions] before and after normalisation                   */
    unsigned char *which;                /* of the pool                                                     */
    real  *g[GRADIENTS];
    double *sum, *cross;                 /* [most channels]                                                 */
} piece;

typedef struct WORK {
    const una_conv *net;
    const KERNELS *kern;
    una_crew *crew;                      /* NULL: one thread                                                */
    OPS   *ops;
    norm  *norm;                         /* [convolutions]                                                  */
    size_t pieces, most;                 /* rows of the largest piece                                       */
    piece *piece;
    double *sum, *cross;
    real  *phi, *dphi, *f, *turned;      /* [rows, padded(features)], [rows, padded(heads)], w'             */
    const real *frozen;                  /* S and p, where there are Fourier features                       */
    real  *h, *dh, *spread;              /* for them: [rows, channels], S' [features, channels]             */
    real  *z, *slope, *back;             /* and [rows, padded(features)]                                    */
    /* the pass at hand: */
    const real *parameters, *x;
    real  *gradient;
    size_t rows, plain;
    bool   trains;                       /* statistics of the batch, not those that are carried             */
} WORK;

/* What all pieces do next, and then wait for each other: a convolution, a block, which gradient. */
typedef struct stage { WORK *w; size_t c, b; int g; bool rectify; const real *dphi; real *phi; } stage;

static const una_convolution *conv_at(const WORK *w, size_t c) { return &w->net->convolution[c]; }
static size_t area_at(const WORK *w, size_t c) { return una_conv_places(conv_at(w, c)); }
static size_t map_numbers(const WORK *w, size_t c) { return area_at(w, c) * conv_at(w, c)->channels; }

/* The map that goes into a block. */
static real *into_block(const WORK *w, const piece *p, size_t b)
{
    if (b > 0) return p->y[w->net->block[b - 1].second];
    return w->net->small ? p->y[0] : p->pooled;
}

/* ---- work ------------------------------------------------------------------------------------------------------ */

static void take_norms(WORK *w, una_arena *arena)
{
    w->norm = UNA_GET(arena, norm, w->net->count);
    for (size_t c = 0; w->norm && c < w->net->count; c++) {
        size_t n = conv_at(w, c)->channels;
        w->norm[c] = (norm){ UNA_GET(arena, real, n), UNA_GET(arena, real, n), UNA_GET(arena, real, n),
                             UNA_GET(arena, real, n), UNA_GET(arena, real, n), UNA_GET(arena, real, n),
                             UNA_GET(arena, double, n), UNA_GET(arena, double, n) };
    }
}

static void take_piece(WORK *w, piece *p, bool back, una_arena *arena)
{
    const una_conv *net = w->net;
    size_t largest = net->image.height * net->image.width * net->image.channels, rows = w->most;
    p->x = UNA_GET(arena, real, rows * largest);
    p->z = UNA_GET(arena, real *, net->count);
    p->y = UNA_GET(arena, real *, net->count);
    for (size_t c = 0; p->z && p->y && c < net->count; c++) {
        p->z[c] = UNA_GET(arena, real, rows * map_numbers(w, c));
        p->y[c] = UNA_GET(arena, real, rows * map_numbers(w, c));
        if (map_numbers(w, c) > largest) largest = map_numbers(w, c);
    }
    if (!net->small) {
        size_t pooled = net->pool.out_height * net->pool.out_width * net->pool.in_channels;
        p->pooled = UNA_GET(arena, real, rows * pooled);
        p->which = UNA_GET(arena, unsigned char, rows * pooled);
    }
    for (size_t k = 0; back && k < GRADIENTS; k++) p->g[k] = UNA_GET(arena, real, rows * largest);
    p->sum = UNA_GET(arena, double, net->channels);
    p->cross = UNA_GET(arena, double, net->channels);
}

static una_status take_ops(WORK *w, bool learns, una_arena *arena)
{
    REAL(una_conv_ops_size) ops_size = { w->net, w->pieces, w->most, learns, w->kern };
#if defined(UNA_HAS_dnnl) && REAL_IS_FLOAT
    if (strcmp(w->kern->name, "generic") != 0 && una_conv_way_here() == UNA_CONV_DNNL)
        return REAL(una_conv_dnnl_new)(&w->ops, &ops_size, arena);
#endif
    return REAL(una_conv_plain_new)(&w->ops, &ops_size, arena);
}

static una_status take_fourier(WORK *w, size_t rows, const real *frozen, una_arena *arena)
{
    const una_conv *net = w->net;
    size_t wide = UNA_PADDED(net->features);
    if (!net->fourier) return UNA_OK;
    w->frozen = frozen;
    UNA_NEW_AT(arena, w->h, rows * net->channels);
    UNA_NEW_AT(arena, w->dh, rows * net->channels);
    UNA_NEW_AT(arena, w->spread, net->features * net->channels);
    UNA_NEW_AT(arena, w->z, rows * wide);
    UNA_NEW_AT(arena, w->slope, rows * wide);
    UNA_NEW_AT(arena, w->back, rows * wide);
    w->kern->transpose(net->channels, net->features, frozen, wide, w->spread, net->channels);
    return UNA_OK;
}

static una_status conv_work(void **work, const NETWORK *net, size_t rows, bool slopes, const KERNELS *kernels,
                            una_arena *arena)
{
    const una_conv *shape = net->shape;
    bool learns = rows > 0 && !slopes;
    UNA_NEW(arena, WORK, w, 1);
    *w = (WORK){ .net = shape, .kern = kernels, .pieces = learns ? rows / ROWS_OF_A_PIECE : MOST_PIECES };
    if (w->pieces < 1 || slopes) w->pieces = 1;
    if (w->pieces > MOST_PIECES) w->pieces = MOST_PIECES;
    w->most = learns ? (rows + w->pieces - 1) / w->pieces : ROWS_FORWARD;
    if (slopes) w->most = 1;

    size_t all = w->pieces * w->most;
    take_norms(w, arena);
    w->piece = UNA_GET(arena, piece, w->pieces);
    for (size_t i = 0; w->piece && i < w->pieces; i++) take_piece(w, &w->piece[i], learns || slopes, arena);
    UNA_NEW_AT(arena, w->sum, shape->channels);
    UNA_NEW_AT(arena, w->cross, shape->channels);
    UNA_NEW_AT(arena, w->phi, all * UNA_PADDED(shape->features));
    UNA_NEW_AT(arena, w->dphi, all * UNA_PADDED(shape->features));
    UNA_NEW_AT(arena, w->f, all * UNA_PADDED(shape->heads));
    UNA_NEW_AT(arena, w->turned, UNA_PADDED(shape->features) * shape->heads);
    *work = w;
    UNA_TRY(take_fourier(w, all, net->frozen, arena));
    return take_ops(w, learns, arena);
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

static double places_of_plain(const WORK *w, size_t c)
{
    return (double)(w->plain * area_at(w, c));
}

/* Of the rows at hand: sums of the pieces, in their order. */
static void see_statistics(WORK *w, size_t c)
{
    norm *n = &w->norm[c];
    double count = places_of_plain(w, c);
    for (size_t j = 0; j < conv_at(w, c)->channels; j++) {
        double sum = 0, square = 0;
        for (size_t i = 0; i < w->pieces; i++) {
            sum += w->piece[i].sum[j];
            square += w->piece[i].cross[j];
        }
        n->seen_mean[j] = sum / count;
        n->seen_var[j] = fmax(0, square / count - n->seen_mean[j] * n->seen_mean[j]);
    }
}

static void set_norm(WORK *w, size_t c)
{
    const una_convolution *at = conv_at(w, c);
    const real *p = w->parameters;
    norm *n = &w->norm[c];
    for (size_t j = 0; j < at->channels; j++) {
        double mean = w->trains ? n->seen_mean[j] : (double)p[at->mean + j];
        double var = w->trains ? n->seen_var[j] : (double)p[at->var + j];
        double scale = (double)p[at->scale + j] / sqrt(var + EPS);
        n->scale[j] = (real)scale;
        n->shift[j] = (real)((double)p[at->shift + j] - scale * mean);
        n->mean[j] = (real)mean;
    }
}

static void take_crew(void *work, una_crew *crew)
{
    ((WORK *)work)->crew = crew;
}

static void conv_after_step(const NETWORK *net, real *parameters, void *work)
{
    WORK *w = work;
    (void)net;
    for (size_t c = 0; c < w->net->count; c++) {
        const una_convolution *at = conv_at(w, c);
        double count = places_of_plain(w, c), unbiased = count > 1 ? count / (count - 1) : 1;
        for (size_t j = 0; j < at->channels; j++) {
            real *mean = parameters + at->mean + j, *var = parameters + at->var + j;
            *mean += (real)(MOMENTUM * (w->norm[c].seen_mean[j] - (double)*mean));
            *var += (real)(MOMENTUM * (unbiased * w->norm[c].seen_var[j] - (double)*var));
        }
    }
}

/* ---- forward ---------------------------------------------------------------------------------------------------- */

static void share_stage(WORK *w, const stage *what, una_piece *work)
{
    una_crew_do(w->crew, w->pieces, work, (void *)what);
}

/* Where a piece's rows begin: pieces are alike as they train; a few rows that are asked fill one piece. */
static size_t begin_of(const WORK *w, size_t index)
{
    if (w->trains) return index * w->rows / w->pieces;
    return index * w->most < w->rows ? index * w->most : w->rows;
}

static void load_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    size_t inputs = w->net->image.height * w->net->image.width * w->net->image.channels;
    p->from = begin_of(w, index);
    p->rows = begin_of(w, index + 1) - p->from;
    p->plain = w->plain < p->from ? 0 : w->plain - p->from;
    if (p->plain > p->rows) p->plain = p->rows;
    memcpy(p->x, w->x + p->from * inputs, p->rows * inputs * sizeof *p->x);
}

static const real *input_of_conv(const WORK *w, const piece *p, size_t c)
{
    if (c == 0) return p->x;
    for (size_t b = 0;; b++) {
        const una_conv_block *at = &w->net->block[b];
        if (at->second == c) return p->y[at->first];
        if (at->first == c || at->skip == c) return into_block(w, p, b);
    }
}

static void convolve_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    size_t channels = conv_at(w, r->c)->channels;
    if (p->rows) w->ops->forward(w->ops, index, r->c, input_of_conv(w, p, r->c), p->z[r->c], p->rows);
    if (!w->trains) return;
    memset(p->sum, 0, channels * sizeof *p->sum);
    memset(p->cross, 0, channels * sizeof *p->cross);
    w->kern->channels->moments(p->plain * area_at(w, r->c), channels, p->z[r->c], p->sum, p->cross);
}

static void convolve_batch(WORK *w, size_t c)
{
    share_stage(w, &(stage){ .w = w, .c = c }, convolve_piece);
    if (w->trains) see_statistics(w, c);
    set_norm(w, c);
}

/* What is added before a block's end; NULL: this is no block's end. */
static const real *skip_of(const WORK *w, const piece *p, size_t c)
{
    for (size_t b = 0; b < w->net->block_count; b++) {
        const una_conv_block *at = &w->net->block[b];
        if (at->second == c) return at->skip == SIZE_MAX ? into_block(w, p, b) : p->y[at->skip];
    }
    return NULL;
}

static void normalise_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    const norm *n = &w->norm[r->c];
    w->kern->channels->normalise(p->rows * area_at(w, r->c), conv_at(w, r->c)->channels, p->z[r->c], n->scale, n->shift,
                                 skip_of(w, p, r->c), r->rectify, p->y[r->c]);
}

static void normalise_batch(WORK *w, size_t c, bool rectify)
{
    share_stage(w, &(stage){ .w = w, .c = c, .rectify = rectify }, normalise_piece);
}

static void pool_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    const una_windows *at = &w->net->pool;
    size_t pooled = at->out_height * at->out_width * at->in_channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->pool(at, p->y[0] + i * map_numbers(w, 0), p->pooled + i * pooled, p->which + i * pooled);
}

static void mean_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    const una_conv *net = w->net;
    const piece *p = &w->piece[index];
    size_t last = net->block[net->block_count - 1].second, wide = UNA_PADDED(net->features), from = p->from * wide;
    real *h = (net->fourier ? w->h : r->phi) + p->from * net->channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->mean(area_at(w, last), net->channels, p->y[last] + i * map_numbers(w, last), h
                                + i * net->channels);
    if (net->fourier)
        REAL(una_fourier)(p->rows, net->channels, net->features, h, w->frozen, w->frozen + net->phase, w->z + from,
                          r->phi + from, w->slope + from, w->kern);
}

/* phi [rows, padded(features)] of w->x. */
static void pass_forward(WORK *w, real *phi)
{
    share_stage(w, &(stage){ .w = w }, load_piece);
    convolve_batch(w, 0);
    normalise_batch(w, 0, true);
    if (!w->net->small) share_stage(w, &(stage){ .w = w }, pool_piece);
    for (size_t b = 0; b < w->net->block_count; b++) {
        const una_conv_block *at = &w->net->block[b];
        convolve_batch(w, at->first);
        normalise_batch(w, at->first, true);
        convolve_batch(w, at->second);
        if (at->skip != SIZE_MAX) {
            convolve_batch(w, at->skip);
            normalise_batch(w, at->skip, false);
        }
        normalise_batch(w, at->second, true);
    }
    share_stage(w, &(stage){ .w = w, .phi = phi }, mean_piece);
}

static void turn_piece(void *context, size_t index)
{
    const stage *r = context;
    r->w->ops->weights(r->w->ops, index, r->w->parameters);
}

static void begin_batch(WORK *w, const real *parameters, const real *x, size_t rows, size_t plain, bool trains)
{
    w->parameters = parameters;
    w->x = x;
    w->rows = rows;
    w->plain = plain;
    w->trains = trains;
}

static void turn_conv_weights(WORK *w)
{
    una_crew_do(w->crew, w->net->count, turn_piece, &(stage){ .w = w });
}

/* ---- backward --------------------------------------------------------------------------------------------------- */

/* Gradients of a piece: where that of a block's end stands, what comes out of convolutions, and of the skip. */
enum { AT_END, BEHIND, INSIDE, ASIDE };

/* dh of a piece's rows from dphi. */
static const real *back_fourier(WORK *w, const piece *p, const real *dphi)
{
    size_t features = w->net->features, channels = w->net->channels, wide = UNA_PADDED(features);
    real *back = w->back + p->from * wide, *dh = w->dh + p->from * channels;
    memcpy(back, dphi + p->from * wide, p->rows * wide * sizeof *back);
    w->kern->multiply(p->rows * wide, w->slope + p->from * wide, back);
    w->kern->product(p->rows, channels, features, back, wide, 1, w->spread, channels, dh, channels, false);
    return dh;
}

static void spread_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    size_t last = w->net->block[w->net->block_count - 1].second, channels = w->net->channels;
    const real *dh = w->net->fourier ? back_fourier(w, p, r->dphi) : r->dphi + p->from * channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->mean_back(area_at(w, last), channels, dh + i * channels, p->g[AT_END]
                                     + i * map_numbers(w, last));
}

/* g behind the normalisation of c becomes zero where y is, and is summed. */
static void gather_piece(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    size_t channels = conv_at(w, r->c)->channels;
    memset(p->sum, 0, channels * sizeof *p->sum);
    memset(p->cross, 0, channels * sizeof *p->cross);
    w->kern->channels->back_moments(p->rows * area_at(w, r->c), channels, r->rectify ? p->y[r->c] : NULL, p->z[r->c],
                                    w->norm[r->c].mean, p->g[r->g], p->sum, p->cross);
}

static void set_back(WORK *w, size_t c)
{
    const una_convolution *at = conv_at(w, c);
    norm *n = &w->norm[c];
    double count = places_of_plain(w, c);
    for (size_t j = 0; j < at->channels; j++) {
        double a = 0, b = 0, scale = (double)n->scale[j];
        double s = 1 / sqrt((w->trains ? n->seen_var[j] : (double)w->parameters[at->var + j]) + EPS);
        for (size_t i = 0; i < w->pieces; i++) {
            a += w->piece[i].sum[j];
            b += w->piece[i].cross[j] * s;
        }
        if (w->gradient) {
            w->gradient[at->scale + j] += (real)b;
            w->gradient[at->shift + j] += (real)a;
        }
        n->p[j] = (real)scale;
        n->q[j] = w->trains ? (real)(-scale * s * b / count) : 0;
        n->r[j] = w->trains ? (real)(-scale / count * (a - (double)n->mean[j] * s * b)) : 0;
    }
}

/* Sums of g at r->g, and from them the way back through the normalisation of c. */
static void gather_sums(WORK *w, size_t c, int g, bool rectified)
{
    share_stage(w, &(stage){ .w = w, .c = c, .g = g, .rectify = rectified }, gather_piece);
    set_back(w, c);
}

/* g behind the normalisation becomes dz, in BEHIND; rows that are padding get none. */
static void to_conv(WORK *w, piece *p, size_t c, const real *g)
{
    const norm *n = &w->norm[c];
    size_t places = area_at(w, c), channels = conv_at(w, c)->channels, plain = p->plain * places;
    real *dz = p->g[BEHIND];
    w->kern->channels->back_normalise(plain, channels, g, p->z[c], n->p, n->q, n->r, dz);
    w->kern->channels->back_normalise((p->rows - p->plain) * places, channels, g + plain * channels,
                                      p->z[c] + plain * channels, n->p, NULL, NULL, dz + plain * channels);
    memset(dz + p->rows * map_numbers(w, c), 0, (w->most - p->rows) * map_numbers(w, c) * sizeof *dz);
}

static void learn_piece(WORK *w, size_t index, size_t c)
{
    piece *p = &w->piece[index];
    if (w->gradient) w->ops->learn(w->ops, index, c, input_of_conv(w, p, c), p->g[BEHIND], p->rows);
}

/* From the block's end to behind its first convolution's normalisation, in INSIDE. */
static void back_second(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    const una_conv_block *at = &w->net->block[r->b];
    to_conv(w, p, at->second, p->g[AT_END]);
    learn_piece(w, index, at->second);
    w->ops->back(w->ops, index, at->second, p->g[BEHIND], p->g[INSIDE], p->rows);
}

/* And on to what went into the block, where the skip's gradient joins: in AT_END. */
static void back_first(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    const una_conv_block *at = &w->net->block[r->b];
    const una_windows *in = &conv_at(w, at->first)->at;
    size_t numbers = p->rows * in->in_height * in->in_width * in->in_channels;
    to_conv(w, p, at->first, p->g[INSIDE]);
    learn_piece(w, index, at->first);
    w->ops->back(w->ops, index, at->first, p->g[BEHIND], p->g[INSIDE], p->rows);
    if (at->skip != SIZE_MAX) {
        w->kern->add(numbers, p->g[ASIDE], p->g[INSIDE]);
        real *free = p->g[AT_END];
        p->g[AT_END] = p->g[INSIDE];
        p->g[INSIDE] = free;
    } else w->kern->add(numbers, p->g[INSIDE], p->g[AT_END]);
}

static void back_skip(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    size_t c = w->net->block[r->b].skip;
    to_conv(w, p, c, p->g[AT_END]);
    learn_piece(w, index, c);
    w->ops->back(w->ops, index, c, p->g[BEHIND], p->g[ASIDE], p->rows);
}

static void back_block(WORK *w, size_t b)
{
    const una_conv_block *at = &w->net->block[b];
    const stage here = { .w = w, .b = b };
    gather_sums(w, at->second, AT_END, true);
    share_stage(w, &here, back_second);
    if (at->skip != SIZE_MAX) {
        gather_sums(w, at->skip, AT_END, false);              /* what was not above zero is zero by now */
        share_stage(w, &here, back_skip);
    }
    gather_sums(w, at->first, INSIDE, true);
    share_stage(w, &here, back_first);
}

static void back_pool(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    const una_windows *at = &w->net->pool;
    size_t pooled = at->out_height * at->out_width * at->in_channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->pool_back(at, p->g[AT_END] + i * pooled, p->which + i * pooled,
                                     p->g[INSIDE] + i * map_numbers(w, 0));
    real *free = p->g[AT_END];
    p->g[AT_END] = p->g[INSIDE];
    p->g[INSIDE] = free;
}

/* To the weights of the stem, or (no gradient is asked for) to the image, in INSIDE. */
static void back_stem(void *context, size_t index)
{
    const stage *r = context;
    WORK *w = r->w;
    piece *p = &w->piece[index];
    to_conv(w, p, 0, p->g[AT_END]);
    learn_piece(w, index, 0);
    if (!w->gradient) w->ops->back(w->ops, index, 0, p->g[BEHIND], p->g[INSIDE], p->rows);
}

static void collect_piece(void *context, size_t index)
{
    const stage *r = context;
    r->w->ops->collect(r->w->ops, index, r->w->gradient);
}

static void conv_pass_back(WORK *w, const real *dphi, real *gradient)
{
    w->gradient = gradient;
    share_stage(w, &(stage){ .w = w, .dphi = dphi }, spread_piece);
    for (size_t b = w->net->block_count; b-- > 0;) back_block(w, b);
    if (!w->net->small) share_stage(w, &(stage){ .w = w }, back_pool);
    gather_sums(w, 0, AT_END, true);
    share_stage(w, &(stage){ .w = w }, back_stem);
    if (gradient) una_crew_do(w->crew, w->net->count, collect_piece, &(stage){ .w = w });
}

/* ---- heads ------------------------------------------------------------------------------------------------------ */

static void conv_heads(const una_conv *net, const real *parameters, size_t rows, const real *phi, WORK *w)
{
    size_t wide = UNA_PADDED(net->heads), features = UNA_PADDED(net->features);
    const real *head = parameters + net->head, *bias = head + net->features * wide;
    for (size_t r = 0; r < rows; r++) memcpy(w->f + r * wide, bias, wide * sizeof(real));
    w->kern->product(rows, wide, net->features, phi, features, 1, head, wide, w->f, wide, true);
}

static void back_heads(const una_conv *net, const real *parameters, size_t rows, real *gradient, WORK *w)
{
    size_t wide = UNA_PADDED(net->heads), features = UNA_PADDED(net->features);
    real *head = gradient + net->head;
    w->kern->product(net->features, wide, rows, w->phi, 1, features, w->f, wide, head, wide, true);
    w->kern->add_rows(rows, wide, w->f, head + net->features * wide);
    w->kern->transpose(net->features, net->heads, parameters + net->head, wide, w->turned, features);
    w->kern->product(rows, features, net->heads, w->f, wide, 1, w->turned, features, w->dphi, features, false);
}

/* ---- as a body -------------------------------------------------------------------------------------------------- */

static void shape_with(una_conv *net, const una_body_spec *outline, size_t fourier)
{
    *net = (una_conv){ .image = outline->image, .small = outline->small_stem, .width = outline->width,
                       .stages = outline->stages, .fourier = fourier, .heads = outline->heads };
    memcpy(net->blocks, outline->blocks, sizeof net->blocks);
    una_conv_shape(net);
}

static void conv_shape(void *at, const una_body_spec *outline)
{
    shape_with(at, outline, 0);
}

static void shape_fourier(void *at, const una_body_spec *outline)
{
    shape_with(at, outline, outline->features);
}

static una_body_size conv_size(const void *at)
{
    const una_conv *net = at;
    size_t inputs = net->image.height * net->image.width * net->image.channels;
    return (una_body_size){ inputs, net->features, net->heads, net->head, net->parameters, net->frozen,
                            net->parameters - net->carried };
}

static void conv_set_heads(void *at, size_t count)
{
    una_conv *net = at;
    net->heads = count;
    una_conv_shape(net);
}

/* Weights ~ N(0, 2/(kernel^2 channels out)), scales and variances 1, heads uniform within 1/sqrt(features). */
static void conv_initialise(const void *at, const una_weight_init *start, una_rng *rng, real *frozen, real *parameters)
{
    const una_conv *net = at;
    double bound = 1 / sqrt((double)net->features);
    memset(parameters, 0, net->parameters * sizeof *parameters);
    if (net->fourier) {
        memset(frozen, 0, net->frozen * sizeof *frozen);
        REAL(una_fourier_draw)(net->channels, net->features, start->lengthscale, rng, frozen, frozen + net->phase);
    }
    for (size_t i = 0; i < net->count; i++) {
        const una_convolution *c = &net->convolution[i];
        size_t places = c->at.kernel * c->at.kernel, count = places * c->at.in_channels * c->channels;
        double std = start->scale * sqrt(2 / (double)(places * c->channels));
        for (size_t k = 0; k < count; k++) parameters[c->weights + k] = (real)(std * una_rng_normal(rng));
        for (size_t j = 0; j < c->channels; j++) parameters[c->scale + j] = parameters[c->var + j] = 1;
    }
    for (size_t k = 0; k <= net->features; k++)
        for (size_t m = 0; m < net->heads; m++)
            parameters[net->head + k * UNA_PADDED(net->heads) + m] = (real)(bound * (2 * una_rng_uniform(rng) - 1));
}

static void conv_learn(const NETWORK *net, const real *parameters, const real *x, size_t rows, size_t plain, real *phi,
                       void *work)
{
    (void)net;
    begin_batch(work, parameters, x, rows, plain, true);
    turn_conv_weights(work);
    pass_forward(work, phi);
}

static void learn_back(const NETWORK *net, const real *parameters, const real *dphi, real *gradient, void *work)
{
    (void)net, (void)parameters;
    conv_pass_back(work, dphi, gradient);
}

static void conv_gradient(const NETWORK *net, const real *parameters, const real *x, const real *t, size_t rows,
                          double fit_weight, double penalty, real *gradient, una_losses *losses, void *work)
{
    const una_conv *shape = net->shape;
    WORK *w = work;
    double square = w->kern->ridge(shape->carried, (real)(2 * penalty), parameters, gradient);
    memset(gradient + shape->carried, 0, (shape->parameters - shape->carried) * sizeof *gradient);
    *losses = (una_losses){ .mean_cos2 = NAN, .penalty = penalty * square };
    conv_learn(net, parameters, x, rows, rows, w->phi, w);
    conv_heads(shape, parameters, rows, w->phi, w);
    losses->fit = w->kern->residual(rows, shape->heads, UNA_PADDED(shape->heads), fit_weight, t, 0, w->f);
    back_heads(shape, parameters, rows, gradient, w);
    conv_pass_back(w, w->dphi, gradient);
    losses->total = losses->fit + losses->penalty;
}

static void conv_forward(const NETWORK *net, const real *parameters, const real *x, size_t rows, double *phi,
                         size_t stride, double *f, void *work)
{
    const una_conv *shape = net->shape;
    WORK *w = work;
    size_t step = w->pieces * w->most, wide = UNA_PADDED(shape->features), inputs = conv_size(shape).inputs;
    begin_batch(w, parameters, NULL, 0, 0, false);
    turn_conv_weights(w);
    for (size_t from = 0; from < rows; from += step) {
        size_t count = rows - from < step ? rows - from : step;
        begin_batch(w, parameters, x + from * inputs, count, 0, false);
        pass_forward(w, w->phi);
        for (size_t r = 0; phi && r < count; r++)
            for (size_t k = 0; k < shape->features; k++) phi[(from + r) * stride + k] = (double)w->phi[r * wide + k];
        if (!f) continue;
        conv_heads(shape, parameters, count, w->phi, w);
        for (size_t r = 0; r < count; r++)
            for (size_t m = 0; m < shape->heads; m++)
                f[(from + r) * shape->heads + m] = (double)w->f[r * UNA_PADDED(shape->heads) + m];
    }
}

/* One way back for each feature. */
static void conv_slopes(const NETWORK *net, const real *parameters, const real *x, double *phi, double *j,
                        void *work)
{
    const una_conv *shape = net->shape;
    WORK *w = work;
    size_t features = shape->features, inputs = conv_size(shape).inputs;
    begin_batch(w, parameters, x, 1, 0, false);
    turn_conv_weights(w);
    pass_forward(w, w->phi);
    for (size_t k = 0; phi && k < features; k++) phi[k] = (double)w->phi[k];
    for (size_t k = 0; k < features; k++) {
        memset(w->dphi, 0, UNA_PADDED(features) * sizeof *w->dphi);
        w->dphi[k] = 1;
        conv_pass_back(w, w->dphi, NULL);
        for (size_t d = 0; d < inputs; d++) j[d * features + k] = (double)w->piece[0].g[INSIDE][d];
    }
}

/* All but the shape. */
#define CALLS                                                                                                        \
    .shape_size = sizeof(una_conv), .size = conv_size, .set_heads = conv_set_heads, .matrix = una_conv_matrix,                 \
    .initialise = conv_initialise, .work = conv_work, .gradient = conv_gradient, .forward = conv_forward,                         \
    .slopes = conv_slopes, .learn = conv_learn, .learn_back = learn_back, .share = take_crew, .after_step = conv_after_step

const REAL(una_body) REAL(una_body_conv) = { .name = "conv", .shape = conv_shape, CALLS };
const REAL(una_body) REAL(una_body_conv_fourier) = { .name = "conv_fourier", .shape = shape_fourier, CALLS };
