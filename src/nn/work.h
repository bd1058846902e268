/* SPDX-License-Identifier: MIT
 *
 * The buffers of one training step, shared by net_real.c, slopes_real.c, fans_real.c, line_real.c and
 * diversity_real.c; in the precision of kern/real.h. A step may be cut into pieces: each has buffers of its own, but
 * for those marked with *, which are filled once for all and belong to the first.
 */
#include "nn/net.h"

#include "kern/real.h"

#define KERNELS REAL(una_kernels)
#define BATCH REAL(una_batch)
#define OBJECTIVE REAL(una_objective)
#define WORK REAL(una_work)

enum { BLOCK = 240 };                    /* rows of a forward pass at a time                                */

typedef struct layer {
    REAL(una_activated) rows;            /* plain rows [rows, width]                                                */
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
enum { BY_FEATURES, BY_SLOPES, BY_POINT };       /* through A = J'J; through G, where there are few slopes; probe by probe */

typedef struct similarity {
    int   way;
    real *s, *k;                         /* S = G'G = W A W', K  [M, padded(M)]                             */
    double *inverse;                     /* [M]                                                             */
    real *a, *b;                         /* by features: A and, of all pieces*, W'K W [L, padded(L)]        */
    real *g, *dg;                        /* G [slopes, padded(M)]; by point that of one block, and its gradient */
    real *wa, *kw;                       /* by features W A *, by slopes (W A)' = J'G [L, padded(M)]; K W * [M, padded(L)] */
} similarity;

struct REAL(una_work) {
    const una_net *net;                  /* the copy that the first has                                     */
    una_net copy;
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
    real  *own_gradient;                 /* of a piece but the first                                        */
    double fit, diverse;                 /* its part of the losses                                          */
    const una_run *run;
    bool   stopped;                      /* somebody interrupted it                                         */
    /* the pass at hand: */
    const real *parameters;
    const BATCH *batch;                  /* of this piece                                                   */
    BATCH  rows;                         /* the batch, where there are only rows                            */
    const OBJECTIVE *objective;
    real  *gradient;                     /* what it adds to: the first piece to that of the step itself     */
    double all_probes;                   /* of all pieces                                                   */
};

static inline bool is_first(const WORK *w) { return w->piece[0] == w; }

/* Columns of a layer's output: units, padded. Layer l takes those of l - 1 in. */
static inline size_t width_of(const WORK *w, size_t l) { return UNA_PADDED(w->net->size[l + 1]); }
static inline size_t width_below(const WORK *w, size_t l) { return UNA_PADDED(w->net->size[l]); }
static inline const real *weights_of(const WORK *w, size_t l) { return w->parameters + w->net->weights[l]; }
static inline real *weights_gradient(const WORK *w, size_t l) { return w->gradient + w->net->weights[l]; }

/* Rows of the batch, own probes among them; the first of those that are probes. */
static inline size_t rows_of(const BATCH *batch) { return batch->rows + (batch->own_probes ? batch->probes : 0); }
static inline size_t probes_at(const BATCH *batch) { return batch->own_probes ? batch->rows : 0; }

/* A block of probes: [first, first + count). */
typedef struct probe_block { size_t first, count; } probe_block;

/* The first layer that has slopes of its own: with a broken line, the one above it. */
static inline size_t first_sloped(const WORK *w) { return w->line ? 1 : 0; }

/* Slope rows of a block, and where they begin in an array of `width` columns. */
static inline size_t slope_rows_in(const WORK *w, probe_block block) { return block.count * w->batch->directions; }
static inline size_t slopes_at(const WORK *w, probe_block block, size_t width)
{
    return block.first * w->batch->directions * width;
}

/* The last layer's slopes J of a block. */
static inline const real *features_slopes(const WORK *w, probe_block block)
{
    size_t last = w->net->depth - 1;
    return w->layer[last].s + slopes_at(w, block, width_of(w, last));
}

/* slopes_real.c: u [directions, width] of the first layer once for all pieces, forward to w->layer[..].s, and back from
 * w->gs[0] = dP/dJ of the block; first: from the sum over probes to the gradient of the first layer's weights. */
void REAL(una_slopes_seed)(WORK *w, real *u);
void REAL(una_slopes_forward)(WORK *w, probe_block block);
void REAL(una_slopes_backward)(WORK *w, probe_block block);
void REAL(una_slopes_first)(WORK *w);

/* fans_real.c: the same by unit, for all probes at once, and J'J summed on the way. w->fans is there, empty. */
void REAL(una_fans_take)(WORK *w, una_arena *arena);
void REAL(una_fans_seed)(WORK *w);
void REAL(una_fans_forward)(WORK *w);
void REAL(una_fans_backward)(WORK *w);

/* line_real.c: seed once for all pieces; rows and slopes forward to layer 1 (slopes before its activation); back from
 * there into the gradient of both layers, slopes first. w->line is there, empty. */
void REAL(una_line_take)(WORK *w, una_arena *arena);
void REAL(una_line_seed)(WORK *w);
void REAL(una_line_rows)(WORK *w);
void REAL(una_line_slopes)(WORK *w, probe_block block, real *u);
void REAL(una_line_begin_back)(WORK *w);
void REAL(una_line_slopes_back)(WORK *w, probe_block block, const real *g);
void REAL(una_line_rows_back)(WORK *w, const real *g);

/* diversity_real.c: gather blocks, solve once for all pieces, give dP/dJ block by block. */
void REAL(una_diversity_take)(WORK *w, const una_work_size *size, una_arena *arena);
void REAL(una_diversity_begin)(WORK *w);
void REAL(una_diversity_gather)(WORK *w, probe_block block);
double REAL(una_diversity_solve)(WORK *w);
/* w->gs[0] = diversity dP/dJ; returns the block's part of P where it is known only now (per point). */
double REAL(una_diversity_slopes)(WORK *w, probe_block block);
