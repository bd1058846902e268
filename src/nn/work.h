/* SPDX-License-Identifier: MIT
 *
 * The buffers of one training step, shared by net_real.c, slopes_real.c, fans_real.c, line_real.c and
 * diversity_real.c; in the precision of kern/real.h. A step may be cut into pieces: each has buffers of its own, but
 * for those marked with *, which are filled once for all and belong to the first.
 */
#include "nn/net.h"

#include "kern/fans.h"
#include "kern/line.h"
#include "kern/slopes.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define BATCH REAL(una_batch)
#define OBJECTIVE REAL(una_objective)
#define WORK REAL(una_work)

enum { BLOCK = 240 };                    /* rows of a forward pass at a time                                */

typedef struct layer {
    real *z, *h, *d, *dd;                /* plain rows [rows, width]: before, after, first and second derivative    */
    real *dz;                            /* what the slopes add to the gradient at z [probes, width]        */
    real *u;                             /* slope rows before the activation [probes*directions, width]; the first
                                            layer's* are shared by all probes [directions, width]. With fans: none  */
    real *s, *e;                         /* slope rows after it, and act' at their far ends                 */
} layer;

/* Slopes by unit, in place of the layers' u, s and e: fans_real.c. */
typedef struct fan_layer {               /* at all probes, one probe behind the other                       */
    uint16_t *list;                      /* of each probe: units that have a slope                          */
    real *s, *e;                         /* their fans; act' at the far ends of those that cross the kink   */
    size_t *s_at, *e_at;                 /* where those of each probe begin                                 */
    real *bound, *reach;                 /* * no slope u is larger: [directions, width], and over directions */
} fan_layer;

typedef struct fan_work {
    size_t lanes;                        /* directions, padded                                              */
    fan_layer layer[UNA_MAX_LAYERS];
    uint16_t *candidates;                /* units of one probe that may be on                               */
    real *step, *far;                    /* of one probe: delta [lanes], u [units, lanes]                   */
    real *inverses;                      /* 1/delta [probes, lanes]                                         */
    real *turned, *turned_sum;           /* u of the first layer* and its gradient [units, lanes]           */
    real *size, *flat;                   /* |W| of a layer*; work of outer products [width + 1, lanes]      */
} fan_work;

/* The first two layers as a broken line: line_real.c. */
typedef struct line_work {
    REAL(una_line) table;                /* *                                                               */
    uint16_t *place, *far;               /* of each row, and of the far ends of slopes                      */
    real *slope, *offset;                /* gradient of the table                                           */
} line_work;

/* The similarity of heads, in one of three ways: diversity_real.c. */
typedef struct by_features {             /* through A = J'J                                                 */
    real *a;                             /* A [L, padded(L)]                                                */
    real *wa, *kw, *b;                   /* * W A, K W [M, padded(L)], W'K W [L, padded(L)]                 */
} by_features;

typedef struct by_slopes {               /* through G, where there are few slopes                           */
    real *g;                             /* G [probes*directions, padded(M)]                                */
    real *wa, *kw;                       /* (W A)' = J'G [L, padded(M)]; * K W [M, padded(L)]               */
} by_slopes;

typedef struct by_point {                /* probe by probe                                                  */
    real *g, *dg;                        /* G of one block, and its gradient [.., padded(M)]                */
} by_point;

typedef struct similarity {
    real *s, *k;                         /* S = G'G = W A W', K  [M, padded(M)]                             */
    double *inverse;                     /* [M]                                                             */
    by_features *features;               /* one of these is there, the others are NULL                      */
    by_slopes *slopes;
    by_point *point;
} similarity;

struct REAL(una_work) {
    const KERNELS *kern;
    size_t most_rows, most_probes, most_directions, widest;
    size_t block;                        /* probes whose slopes are in hand at a time: they stay in the cache */
    layer  layer[UNA_MAX_LAYERS];
    real  *f;                            /* [rows, heads] outputs, then their gradient                      */
    real  *g[2];                         /* gradients of plain rows, in turns                               */
    real  *gs[2];                        /* gradients of one block's slope rows, in turns                   */
    real  *flipped[UNA_MAX_LAYERS + 1];  /* * weights of each layer transposed [out, padded(in)]            */
    real  *slope_sum;                    /* [directions, width] of the first layer                          */
    fan_work *fans;                      /* NULL: slopes by row                                             */
    line_work *line;                     /* NULL: products in every layer                                   */
    similarity similarity;
    /* the step as a whole: */
    size_t pieces;                       /* of the first: how many there are                                */
    WORK  *piece[UNA_MOST_PIECES];       /* the first is the work itself                                    */
    real  *gradient;                     /* of a piece but the first                                        */
    double fit, diverse;                 /* its part of the losses                                          */
    double all_probes;                   /* of all pieces                                                   */
    const una_run *run;
    bool   stopped;                      /* somebody interrupted it                                         */
};

static inline bool is_first(const WORK *w)
{
    return w->piece[0] == w;
}

/* A block of probes: [first, first + count). */
typedef struct probe_block { size_t first, count; } probe_block;

/* The first layer that has slopes of its own: with a broken line, the one above it. */
static inline size_t first_sloped(const WORK *w)
{
    return w->line ? 1 : 0;
}

/* Where the slope rows of a block begin in an array of `width` columns. */
static inline size_t slopes_at(const BATCH *batch, probe_block block, size_t width)
{
    return block.first * batch->directions * width;
}

/* slopes_real.c: u [directions, width] of the first layer once for all pieces, forward to w->layer[..].s, and back from
 * w->gs[0] = dP/dJ of the block. */
void REAL(una_slopes_seed)(const una_net *net, const real *parameters, const BATCH *batch, real *u, const WORK *w);
void REAL(una_slopes_forward)(const una_net *net, const real *parameters, const BATCH *batch, probe_block block,
                              WORK *w);
void REAL(una_slopes_backward)(const una_net *net, const BATCH *batch, probe_block block, real *gradient, WORK *w);
void REAL(una_slopes_first)(const una_net *net, const BATCH *batch, const real *sum, real *weights, const WORK *w);

/* fans_real.c: the same by unit, for all probes at once, and J'J summed on the way. w->fans is there, empty. */
void REAL(una_fans_take)(WORK *w, const una_net *net, una_arena *arena);
void REAL(una_fans_seed)(const una_net *net, const real *parameters, const BATCH *batch, WORK *w);
void REAL(una_fans_forward)(const una_net *net, const real *parameters, const BATCH *batch, WORK *w);
void REAL(una_fans_backward)(const una_net *net, const real *parameters, const BATCH *batch, real *gradient, WORK *w);

/* line_real.c: seed once for all pieces; rows and slopes forward to layer 1 (slopes before its activation); back from
 * there into the gradient of both layers, slopes first. w->line is there, empty. */
void REAL(una_line_take)(WORK *w, const una_net *net, una_arena *arena);
void REAL(una_line_seed)(const una_net *net, const real *parameters, WORK *w);
void REAL(una_line_rows)(const BATCH *batch, size_t rows, WORK *w);
void REAL(una_line_slopes)(const BATCH *batch, probe_block block, real *u, WORK *w);
void REAL(una_line_begin_back)(WORK *w);
void REAL(una_line_slopes_back)(const una_net *net, const BATCH *batch, probe_block block, const real *g,
                                real *gradient, WORK *w);
void REAL(una_line_rows_back)(const una_net *net, const BATCH *batch, size_t rows, const real *g, real *gradient,
                              WORK *w);

/* diversity_real.c: gather blocks, solve once for all pieces, give dP/dJ block by block. */
void REAL(una_diversity_take)(WORK *w, const una_net *net, const una_work_size *size, una_arena *arena);
void REAL(una_diversity_begin)(const una_net *net, WORK *w);
void REAL(una_diversity_gather)(const una_net *net, const real *parameters, const BATCH *batch, probe_block block,
                                WORK *w);
double REAL(una_diversity_solve)(const una_net *net, const real *parameters, const OBJECTIVE *objective,
                                 real *gradient, WORK *w);
/* w->gs[0] = diversity dP/dJ; returns the block's part of P where it is known only now (per point). */
double REAL(una_diversity_slopes)(const una_net *net, const real *parameters, const BATCH *batch,
                                  const OBJECTIVE *objective, probe_block block, real *gradient, WORK *w);
