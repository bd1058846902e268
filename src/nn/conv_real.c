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

typedef struct norm {                    /* of one convolution                                              */
    REAL(una_norm) by;
    double *seen_mean, *seen_var;        /* of the last batch, each [channels]                              */
} norm;

typedef struct piece {
    size_t index, from, rows, plain;     /* which rows of the batch; the first `plain` of them count        */
    real  *x, *pooled;
    real **z, **y;                       /* [convolutions] before and after normalisation                   */
    unsigned char *which;                /* of the pool                                                     */
    real  *g[GRADIENTS];
    REAL(una_moments) sums;              /* [most channels]                                                 */
} piece;

typedef struct WORK {
    const una_conv *net;
    const KERNELS *kern;
    una_crew *crew;                      /* NULL: one thread                                                */
    OPS   *ops;
    norm  *norm;                         /* [convolutions]                                                  */
    size_t pieces, most;                 /* rows of the largest piece                                       */
    piece *piece;
    real  *phi, *dphi, *f, *turned;      /* [rows, padded(features)], [rows, padded(heads)], w'             */
    REAL(una_fourier) fourier;           /* of h, where there are such features                             */
    real  *h, *dh, *spread;              /* for them: [rows, channels], S' [features, channels]             */
    real  *z, *slope, *back;             /* and [rows, padded(features)]                                    */
    /* the pass at hand: */
    const real *parameters, *x;
    real  *gradient;
    size_t rows, plain;
    bool   trains;                       /* statistics of the batch, not those that are carried             */
} WORK;

/* What all pieces do next, and then wait for each other: a convolution, a block, which gradient. */
typedef struct stage stage;
struct stage {
    WORK *w;
    void (*work)(const stage *s, WORK *w, piece *p);
    size_t c, b;
    int g;
    bool rectify;
    const real *dphi;
    real *phi;
};

static void do_stage(void *what, size_t index)
{
    const stage *s = what;
    s->work(s, s->w, &s->w->piece[index]);
}

static void share_stage(WORK *w, stage what)
{
    what.w = w;
    una_crew_do(w->crew, w->pieces, do_stage, &what);
}

static const una_convolution *conv_at(const WORK *w, size_t c) { return &w->net->convolution[c]; }
static size_t area_at(const WORK *w, size_t c) { return una_conv_places(conv_at(w, c)); }
static size_t map_numbers(const WORK *w, size_t c) { return area_at(w, c) * conv_at(w, c)->channels; }
static una_map_shape maps_at(const WORK *w, size_t c, size_t rows)
{
    return (una_map_shape){ rows * area_at(w, c), conv_at(w, c)->channels };
}
static size_t pixels_of(const una_conv *net) { return net->image.height * net->image.width * net->image.channels; }
static size_t pooled_numbers(const una_conv *net)
{
    return net->pool.out_height * net->pool.out_width * net->pool.in_channels;
}
static size_t last_of(const una_conv *net) { return net->block[net->block_count - 1].second; }

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
        norm *to = &w->norm[c];
        real **part[] = { &to->by.scale, &to->by.shift, &to->by.mean, &to->by.p, &to->by.q, &to->by.r };
        for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = UNA_GET(arena, real, n);
        to->seen_mean = UNA_GET(arena, double, n);
        to->seen_var = UNA_GET(arena, double, n);
    }
}

static void take_piece(WORK *w, size_t index, bool back, una_arena *arena)
{
    const una_conv *net = w->net;
    piece *p = &w->piece[index];
    size_t largest = pixels_of(net), rows = w->most;
    p->index = index;
    p->x = UNA_GET(arena, real, rows * largest);
    p->z = UNA_GET(arena, real *, net->count);
    p->y = UNA_GET(arena, real *, net->count);
    for (size_t c = 0; p->z && p->y && c < net->count; c++) {
        p->z[c] = UNA_GET(arena, real, rows * map_numbers(w, c));
        p->y[c] = UNA_GET(arena, real, rows * map_numbers(w, c));
        if (map_numbers(w, c) > largest) largest = map_numbers(w, c);
    }
    if (!net->small) {
        p->pooled = UNA_GET(arena, real, rows * pooled_numbers(net));
        p->which = UNA_GET(arena, unsigned char, rows * pooled_numbers(net));
    }
    for (size_t k = 0; back && k < GRADIENTS; k++) p->g[k] = UNA_GET(arena, real, rows * largest);
    p->sums = (REAL(una_moments)){ UNA_GET(arena, double, net->channels), UNA_GET(arena, double, net->channels) };
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
    w->fourier = (REAL(una_fourier)){ net->channels, net->features, frozen, frozen + net->phase, w->kern };
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
    for (size_t i = 0; w->piece && i < w->pieces; i++) take_piece(w, i, learns || slopes, arena);
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
            sum += w->piece[i].sums.sum[j];
            square += w->piece[i].sums.cross[j];
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
        n->by.scale[j] = (real)scale;
        n->by.shift[j] = (real)((double)p[at->shift + j] - scale * mean);
        n->by.mean[j] = (real)mean;
    }
}

static void take_crew(void *work, una_crew *crew)
{
    ((WORK *)work)->crew = crew;
}

static void conv_after_step(void *work, real *parameters)
{
    WORK *w = work;
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

/* Where a piece's rows begin: pieces are alike as they train; a few rows that are asked fill one piece. */
static size_t begin_of(const WORK *w, size_t index)
{
    if (w->trains) return index * w->rows / w->pieces;
    return index * w->most < w->rows ? index * w->most : w->rows;
}

static void load_piece(const stage *s, WORK *w, piece *p)
{
    size_t inputs = pixels_of(w->net);
    (void)s;
    p->from = begin_of(w, p->index);
    p->rows = begin_of(w, p->index + 1) - p->from;
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

static REAL(una_moments) begin_sums(const piece *p, size_t channels)
{
    memset(p->sums.sum, 0, channels * sizeof *p->sums.sum);
    memset(p->sums.cross, 0, channels * sizeof *p->sums.cross);
    return p->sums;
}

static void convolve_piece(const stage *s, WORK *w, piece *p)
{
    const real *z = p->z[s->c];
    if (p->rows) w->ops->forward(w->ops, p->index, s->c, input_of_conv(w, p, s->c), p->z[s->c], p->rows);
    if (w->trains)
        w->kern->channels->moments(maps_at(w, s->c, p->plain), z, begin_sums(p, conv_at(w, s->c)->channels));
}

static void convolve_batch(WORK *w, size_t c)
{
    share_stage(w, (stage){ .work = convolve_piece, .c = c });
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

static void normalise_piece(const stage *s, WORK *w, piece *p)
{
    w->kern->channels->normalise(maps_at(w, s->c, p->rows), p->z[s->c], &w->norm[s->c].by, skip_of(w, p, s->c),
                                 s->rectify, p->y[s->c]);
}

static void pool_piece(const stage *s, WORK *w, piece *p)
{
    size_t pooled = pooled_numbers(w->net);
    (void)s;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->pool(&w->net->pool, p->y[0] + i * map_numbers(w, 0), p->pooled + i * pooled,
                                p->which + i * pooled);
}

static void mean_piece(const stage *s, WORK *w, piece *p)
{
    const una_conv *net = w->net;
    size_t last = last_of(net), from = p->from * UNA_PADDED(net->features);
    real *h = (net->fourier ? w->h : s->phi) + p->from * net->channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->mean(maps_at(w, last, 1), p->y[last] + i * map_numbers(w, last), h + i * net->channels);
    if (net->fourier) REAL(una_fourier_of)(&w->fourier, p->rows, h, w->z + from, s->phi + from, w->slope + from);
}

/* phi [rows, padded(features)] of w->x. */
static void pass_forward(WORK *w, real *phi)
{
    share_stage(w, (stage){ .work = load_piece });
    convolve_batch(w, 0);
    share_stage(w, (stage){ .work = normalise_piece, .c = 0, .rectify = true });
    if (!w->net->small) share_stage(w, (stage){ .work = pool_piece });
    for (size_t b = 0; b < w->net->block_count; b++) {
        const una_conv_block *at = &w->net->block[b];
        convolve_batch(w, at->first);
        share_stage(w, (stage){ .work = normalise_piece, .c = at->first, .rectify = true });
        convolve_batch(w, at->second);
        if (at->skip != SIZE_MAX) {
            convolve_batch(w, at->skip);
            share_stage(w, (stage){ .work = normalise_piece, .c = at->skip });
        }
        share_stage(w, (stage){ .work = normalise_piece, .c = at->second, .rectify = true });
    }
    share_stage(w, (stage){ .work = mean_piece, .phi = phi });
}

static void turn_weights(void *work, size_t c)
{
    WORK *w = work;
    w->ops->weights(w->ops, c, w->parameters);
}

static void begin_pass(WORK *w, const real *parameters)
{
    w->parameters = parameters;
    una_crew_do(w->crew, w->net->count, turn_weights, w);
}

/* Rows of a batch, of which `plain` train; 0: the statistics are those that are carried. */
static void set_rows(WORK *w, const real *x, size_t rows, size_t plain)
{
    w->x = x;
    w->rows = rows;
    w->plain = plain;
    w->trains = plain > 0;
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
    w->kern->product(p->rows, channels, features, UNA_ROWS(back, wide), UNA_ROWS(w->spread, channels),
                     UNA_INTO(dh, channels));
    return dh;
}

static void spread_piece(const stage *s, WORK *w, piece *p)
{
    size_t last = last_of(w->net), channels = w->net->channels;
    const real *dh = w->net->fourier ? back_fourier(w, p, s->dphi) : s->dphi + p->from * channels;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->mean_back(maps_at(w, last, 1), dh + i * channels, p->g[AT_END] + i * map_numbers(w, last));
}

/* g behind the normalisation of c becomes zero where y is, and is summed. */
static void gather_piece(const stage *s, WORK *w, piece *p)
{
    w->kern->channels->back_moments(maps_at(w, s->c, p->rows), s->rectify ? p->y[s->c] : NULL, p->z[s->c],
                                    w->norm[s->c].by.mean, p->g[s->g], begin_sums(p, conv_at(w, s->c)->channels));
}

static void set_back(WORK *w, size_t c)
{
    const una_convolution *at = conv_at(w, c);
    norm *n = &w->norm[c];
    double count = places_of_plain(w, c);
    for (size_t j = 0; j < at->channels; j++) {
        double a = 0, b = 0, scale = (double)n->by.scale[j];
        double s = 1 / sqrt((w->trains ? n->seen_var[j] : (double)w->parameters[at->var + j]) + EPS);
        for (size_t i = 0; i < w->pieces; i++) {
            a += w->piece[i].sums.sum[j];
            b += w->piece[i].sums.cross[j] * s;
        }
        if (w->gradient) {
            w->gradient[at->scale + j] += (real)b;
            w->gradient[at->shift + j] += (real)a;
        }
        n->by.p[j] = (real)scale;
        n->by.q[j] = w->trains ? (real)(-scale * s * b / count) : 0;
        n->by.r[j] = w->trains ? (real)(-scale / count * (a - (double)n->by.mean[j] * s * b)) : 0;
    }
}

/* Sums of g at g, and from them the way back through the normalisation of c. */
static void gather_sums(WORK *w, size_t c, int g, bool rectified)
{
    share_stage(w, (stage){ .work = gather_piece, .c = c, .g = g, .rectify = rectified });
    set_back(w, c);
}

/* g behind the normalisation of c becomes dz (rows that are padding get none) and, where a gradient is asked for, that of
 * the weights; and on to what went into the convolution, in din (NULL: no further). */
static void back_through(WORK *w, piece *p, size_t c, const real *g, real *din)
{
    const REAL(una_norm) *n = &w->norm[c].by;
    size_t numbers = map_numbers(w, c), plain = p->plain * numbers;
    real *dz = p->g[BEHIND];
    w->kern->channels->back_normalise(maps_at(w, c, p->plain), g, p->z[c], n, dz);
    w->kern->channels->back_normalise(maps_at(w, c, p->rows - p->plain), g + plain, NULL, n, dz + plain);
    memset(dz + p->rows * numbers, 0, (w->most - p->rows) * numbers * sizeof *dz);
    if (w->gradient) w->ops->learn(w->ops, p->index, c, input_of_conv(w, p, c), dz, p->rows);
    if (din) w->ops->back(w->ops, p->index, c, dz, din, p->rows);
}

static void swap_inside(piece *p)
{
    real *free = p->g[AT_END];
    p->g[AT_END] = p->g[INSIDE];
    p->g[INSIDE] = free;
}

/* From the block's end to behind its first convolution's normalisation, in INSIDE. */
static void back_second(const stage *s, WORK *w, piece *p)
{
    back_through(w, p, w->net->block[s->b].second, p->g[AT_END], p->g[INSIDE]);
}

/* And on to what went into the block, where the skip's gradient joins: in AT_END. */
static void back_first(const stage *s, WORK *w, piece *p)
{
    const una_conv_block *at = &w->net->block[s->b];
    const una_windows *in = &conv_at(w, at->first)->at;
    size_t numbers = p->rows * in->in_height * in->in_width * in->in_channels;
    back_through(w, p, at->first, p->g[INSIDE], p->g[INSIDE]);
    if (at->skip != SIZE_MAX) {
        w->kern->add(numbers, p->g[ASIDE], p->g[INSIDE]);
        swap_inside(p);
    } else w->kern->add(numbers, p->g[INSIDE], p->g[AT_END]);
}

static void back_skip(const stage *s, WORK *w, piece *p)
{
    back_through(w, p, w->net->block[s->b].skip, p->g[AT_END], p->g[ASIDE]);
}

static void back_block(WORK *w, size_t b)
{
    const una_conv_block *at = &w->net->block[b];
    gather_sums(w, at->second, AT_END, true);
    share_stage(w, (stage){ .work = back_second, .b = b });
    if (at->skip != SIZE_MAX) {
        gather_sums(w, at->skip, AT_END, false);              /* what was not above zero is zero by now */
        share_stage(w, (stage){ .work = back_skip, .b = b });
    }
    gather_sums(w, at->first, INSIDE, true);
    share_stage(w, (stage){ .work = back_first, .b = b });
}

static void back_pool(const stage *s, WORK *w, piece *p)
{
    size_t pooled = pooled_numbers(w->net);
    (void)s;
    for (size_t i = 0; i < p->rows; i++)
        w->kern->channels->pool_back(&w->net->pool, p->g[AT_END] + i * pooled, p->which + i * pooled,
                                     p->g[INSIDE] + i * map_numbers(w, 0));
    swap_inside(p);
}

/* To the weights of the stem, or (no gradient is asked for) to the image, in INSIDE. */
static void back_stem(const stage *s, WORK *w, piece *p)
{
    (void)s;
    back_through(w, p, 0, p->g[AT_END], w->gradient ? NULL : p->g[INSIDE]);
}

static void collect_weights(void *work, size_t c)
{
    WORK *w = work;
    w->ops->collect(w->ops, c, w->gradient);
}

static void conv_pass_back(void *work, const real *dphi, real *gradient)
{
    WORK *w = work;
    w->gradient = gradient;
    share_stage(w, (stage){ .work = spread_piece, .dphi = dphi });
    for (size_t b = w->net->block_count; b-- > 0;) back_block(w, b);
    if (!w->net->small) share_stage(w, (stage){ .work = back_pool });
    gather_sums(w, 0, AT_END, true);
    share_stage(w, (stage){ .work = back_stem });
    if (gradient) una_crew_do(w->crew, w->net->count, collect_weights, w);
}

static REAL(una_heads) heads_of(const WORK *w)
{
    return (REAL(una_heads)){ w->kern, w->net->features, w->net->heads, w->parameters + w->net->head };
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
    return (una_body_size){ pixels_of(net), net->features, net->heads, net->head, net->parameters, net->frozen,
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

static void conv_learn(void *work, const real *parameters, const real *x, size_t rows, size_t plain, real *phi)
{
    WORK *w = work;
    begin_pass(w, parameters);
    set_rows(w, x, rows, plain);
    pass_forward(w, phi);
}

static void conv_gradient(void *work, const real *parameters, const REAL(una_squares) *of, real *gradient,
                          una_losses *losses)
{
    WORK *w = work;
    const una_conv *net = w->net;
    double square = w->kern->ridge(net->carried, (real)(2 * of->penalty), parameters, gradient);
    memset(gradient + net->carried, 0, (net->parameters - net->carried) * sizeof *gradient);
    *losses = (una_losses){ .mean_cos2 = NAN, .penalty = of->penalty * square };
    conv_learn(w, parameters, of->x, of->rows, of->rows, w->phi);
    const REAL(una_heads) heads = heads_of(w);
    REAL(una_heads_forward)(&heads, of->rows, w->phi, w->f);
    losses->fit = w->kern->residual(of->rows, net->heads, of->fit_weight, of->target, 0, w->f);
    REAL(una_heads_back)(&heads, of->rows, w->phi, w->f, w->turned, gradient + net->head, w->dphi);
    conv_pass_back(w, w->dphi, gradient);
    losses->total = losses->fit + losses->penalty;
}

static void conv_forward(void *work, const real *parameters, const real *x, size_t rows, una_outputs out)
{
    WORK *w = work;
    const una_conv *net = w->net;
    size_t step = w->pieces * w->most;
    begin_pass(w, parameters);
    const REAL(una_heads) heads = heads_of(w);
    for (size_t from = 0; from < rows; from += step) {
        size_t count = rows - from < step ? rows - from : step;
        set_rows(w, x + from * pixels_of(net), count, 0);
        pass_forward(w, w->phi);
        if (out.phi) REAL(una_copy_out)(w->phi, count, net->features, out.phi + from * out.stride, out.stride);
        if (!out.f) continue;
        REAL(una_heads_forward)(&heads, count, w->phi, w->f);
        REAL(una_copy_out)(w->f, count, net->heads, out.f + from * net->heads, net->heads);
    }
}

/* One way back for each feature. */
static void conv_slopes(void *work, const real *parameters, const real *x, double *phi, double *j)
{
    WORK *w = work;
    size_t features = w->net->features;
    begin_pass(w, parameters);
    set_rows(w, x, 1, 0);
    pass_forward(w, w->phi);
    for (size_t k = 0; phi && k < features; k++) phi[k] = (double)w->phi[k];
    for (size_t k = 0; k < features; k++) {
        memset(w->dphi, 0, UNA_PADDED(features) * sizeof *w->dphi);
        w->dphi[k] = 1;
        conv_pass_back(w, w->dphi, NULL);
        for (size_t d = 0; d < pixels_of(w->net); d++) j[d * features + k] = (double)w->piece[0].g[INSIDE][d];
    }
}

/* All but the shape. */
#define CALLS                                                                                                        \
    .shape_size = sizeof(una_conv), .size = conv_size, .set_heads = conv_set_heads, .matrix = una_conv_matrix,                 \
    .initialise = conv_initialise, .work = conv_work, .gradient = conv_gradient, .forward = conv_forward,                         \
    .slopes = conv_slopes, .learn = conv_learn, .learn_back = conv_pass_back, .share = take_crew, .after_step = conv_after_step

const REAL(una_body) REAL(una_body_conv) = { .name = "conv", .shape = conv_shape, CALLS };
const REAL(una_body) REAL(una_body_conv_fourier) = { .name = "conv_fourier", .shape = shape_fourier, CALLS };
