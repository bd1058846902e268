/* SPDX-License-Identifier: MIT
 *
 * Included by body.h once with `real` float and once with double: no guard on purpose.
 */
typedef struct REAL(una_body) REAL(una_body);

typedef struct REAL(una_network) {       /* of some body; its parameters stand apart, since they change     */
    const REAL(una_body) *body;
    const void *shape;                   /* the body's own: una_net, una_residual                           */
    const real *frozen;                  /* NULL where the body has none                                    */
} REAL(una_network);

typedef struct REAL(una_squares) {       /* rows that a network is fitted to, and how much they count           */
    const real *x, *target;              /* [rows, inputs], [rows], which heads share                       */
    size_t rows;
    double fit_weight, penalty;
} REAL(una_squares);

struct REAL(una_body) {
    const char *name;
    size_t shape_size;                   /* bytes                                                           */
    void (*shape)(void *shape, const una_body_spec *outline);
    una_body_size (*size)(const void *shape);
    void (*set_heads)(void *shape, size_t heads);        /* the same with so many heads; NULL: it has one, always   */
    una_matrix_of *matrix;
    /* First numbers; the padding is zero and stays zero. */
    void (*initialise)(const void *shape, const una_weight_init *start, una_rng *rng, real *frozen, real *parameters);
    /* Work buffers of a network, whose shape and frozen numbers live as long: for gradients of at most `rows` rows and for forward passes of any number (rows 0: for these alone),
     * or (slopes) for one point: its slopes, or phi by a forward pass of one row. */
    una_status (*work)(void **work, const REAL(una_network) *net, size_t rows, bool slopes,
                       const REAL(una_kernels) *kernels, una_arena *arena);
    /* fit_weight sum (t - f)^2 + penalty |parameters|^2 over rows and heads, and its gradient. */
    void (*gradient)(void *work, const real *parameters, const REAL(una_squares) *of, real *gradient,
                     una_losses *losses);
    /* Of x [rows, inputs]. The bits of a row do not depend on its neighbours. */
    void (*forward)(void *work, const real *parameters, const real *x, size_t rows, una_outputs out);
    /* At one point: phi [features] (may be NULL), with the bits of `forward`, and its slopes j [inputs, features],
     * exact. */
    void (*slopes)(void *work, const real *parameters, const real *x, double *phi, double *j);

    /* ---- NULL in bodies whose rows do not meet ---- */
    /* Training forward pass for objectives of other files: phi [rows, padded(features)] of x [rows, inputs]; where rows
     * influence each other, as in batch normalisation, the first `plain` rows stand for all. learn_back then adds, for
     * dphi of the same rows, the gradient of all parameters but the heads to `gradient`. */
    void (*learn)(void *work, const real *parameters, const real *x, size_t rows, size_t plain, real *phi);
    void (*learn_back)(void *work, const real *dphi, real *gradient);
    /* Gives `learn`, `gradient` and `forward` of this work a crew of any size; no bit depends on it. */
    void (*share)(void *work, una_crew *crew);
    /* After a step: running means follow the rows of the last `learn` or `gradient`. */
    void (*after_step)(void *work, real *parameters);
};

/* Linear heads on features [rows, padded(features)]. */
typedef struct REAL(una_heads) {
    const REAL(una_kernels) *kern;
    size_t features, heads;
    const real *w;                       /* [features, padded(heads)], then b                               */
} REAL(una_heads);
/* f [rows, padded(heads)] = phi w + b. */
void REAL(una_heads_forward)(const REAL(una_heads) *at, size_t rows, const real *phi, real *f);
/* From df: dphi, and added to the gradient of w and b. turned [heads, padded(features)]: w', made here. */
void REAL(una_heads_back)(const REAL(una_heads) *at, size_t rows, const real *phi, const real *df, real *turned,
                          real *gradient, real *dphi);
/* Rows of a block of features, or of heads, from `from` on, without padding and in double. */
void REAL(una_copy_out)(const real *block, size_t rows, size_t columns, double *out, size_t stride);

/* All bodies; ends with NULL. */
extern const REAL(una_body) *const REAL(una_bodies)[];

extern const REAL(una_body) REAL(una_body_mlp);            /* shape una_net                                 */
extern const REAL(una_body) REAL(una_body_residual);       /* shape una_residual                            */
extern const REAL(una_body) REAL(una_body_residual_last);  /* its last layer for features, without Fourier's */
extern const REAL(una_body) REAL(una_body_conv);           /* shape una_conv                                */
extern const REAL(una_body) REAL(una_body_conv_fourier);   /* with random Fourier features at its end       */

/* Work buffers in scratch memory with the kernels of the run (and its threads, where a body shares): for gradients of
 * at most `rows` rows and forward passes (rows 0: these alone), or for one point. */
una_status REAL(una_network_work)(void **work, const REAL(una_network) *net, size_t rows, una_run *run);
una_status REAL(una_network_slope_work)(void **work, const REAL(una_network) *net, una_run *run);
/* sum (y - f)^2 of one head over validation rows; f [rows] is work. */
double REAL(una_network_sum_of_squares)(const REAL(una_network) *net, const real *parameters, const real *x,
                                        const double *y, size_t rows, double *f, void *work);
