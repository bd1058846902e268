/* SPDX-License-Identifier: MIT
 *
 * Included by net.h once with `real` float and once with double: no guard on purpose.
 */
void REAL(una_net_initialise)(const una_net *net, int initialisation, double scale, una_rng *rng, real *parameters,
                              const una_run *run);               /* NULL: to its end, whoever interrupts it */

/* The rows of one step. x: first `rows` training rows, then (own_probes) the probes, if any. */
typedef struct REAL(una_batch) {
    size_t rows, probes, directions;
    bool   own_probes;                         /* probes are rows of their own; else the first `probes` rows */
    const real *x;                             /* [rows (+ probes), inputs]                            */
    const real *target;                        /* [rows, target_heads]                                 */
    size_t target_heads;                       /* 1: all heads share y; else one column per head, stride padded */
    const size_t *missing;                     /* [missing_count] places in target of the first head of a cell that
                                                  is not there. It and the other heads of that target get what they say
                                                  themselves for it, so that nothing is learnt there   */
    size_t missing_count;
    real  *open;                               /* the target, for missing cells to be filled; NULL: it has none */
    const real *direction;                     /* [directions, inputs], unit vectors; NULL = every input in turn */
    const real *delta;                         /* [probes, directions]; NULL = exact slopes            */
    real *const *mask;                         /* [depth] of [rows, padded(width)]: hidden units are multiplied with it,
                                                  as dropout does; NULL = none. Not with probes        */
} REAL(una_batch);

/* loss = fit_weight sum_{i,m} (t_im - f_im)^2 + penalty (|hidden|^2 + (1 - head_relief) |heads|^2) + diversity P
 * Of several targets the heads stand target by target, each has as many; P is the mean of the targets' own, or that of
 * the slopes of all targets as one vector. */
typedef struct REAL(una_objective) {
    double fit_weight, penalty, diversity;
    bool   per_point;                          /* cosine per probe, averaged; else stacked over probes */
    double head_relief;                        /* share of the penalty that heads are spared; 1 where they are
                                                  integrated out (marginal likelihood)                 */
    bool   free_biases;                        /* the penalty is that of the weights alone             */
    size_t targets;                            /* 0 counts as 1                                        */
    bool   jacobian;                           /* slopes of all targets are one vector; else each target's are */
    una_run *run;                              /* P is that of all its probes (una_run_sum_f64), also of others; not
                                                  per point. NULL: of these                            */
} REAL(una_objective);

/* All buffers of a step of a network, taken once. A batch may have at most the rows, probes and
 * directions the work was made for, and slopes of the same sort (exact or by differences, per point or stacked). */
typedef struct REAL(una_work) REAL(una_work);
una_status REAL(una_work_new)(REAL(una_work) **work, const una_net *net, const una_work_size *size,
                              const REAL(una_kernels) *kernels, una_arena *arena);
/* The method by which its steps compute slopes. */
una_slope_method REAL(una_work_slope_method)(const REAL(una_work) *work);

/* Loss and gradient [net->parameters] at `parameters`. losses->mean_cos2 is NAN without probes. Where
 * others have probes too, gradients and losses add up, except for `diverse` and `mean_cos2`, which all know, and which
 * `total` contains once (una_run_counts). */
void REAL(una_net_gradient)(REAL(una_work) *work, const real *parameters, const REAL(una_batch) *batch,
                            const REAL(una_objective) *objective, real *gradient, una_losses *losses);

/* The same of the rows and probes of all pieces, batch [pieces of the work], together. They differ in rows, probes, x,
 * target, delta and mask only. The crew shares them (NULL: no threads): same bits for any number of members, not for
 * any number of pieces. */
void REAL(una_net_gradient_in_pieces)(REAL(una_work) *work, const real *parameters, const REAL(una_batch) *batch,
                                      const REAL(una_objective) *objective, real *gradient, una_losses *losses,
                                      una_crew *crew);

/* As `forward` of a body, whose `work` is a una_work: block by block. */
void REAL(una_net_forward)(void *work, const real *parameters, const real *x, size_t rows, una_outputs out);
/* Back from dL/dphi [rows, features] (double) at rows x into the hidden layers' gradient
 * (adds). For marginal likelihood. */
void REAL(una_net_backward)(REAL(una_work) *work, const real *parameters, const real *x, size_t rows,
                            const double *dphi, real *gradient);
/* A loss of phi alone, of all rows at once (no more than the work was made for): forward, phi [rows, padded(features)]
 * stays in the work until the next call; then, dL/dphi [rows, padded(features)] written where una_net_dphi says, back
 * into the hidden layers' gradient (adds). */
const real *REAL(una_net_phi)(REAL(una_work) *work, const real *parameters, const real *x, size_t rows);
real *REAL(una_net_dphi)(REAL(una_work) *work);
void REAL(una_net_phi_back)(REAL(una_work) *work, const real *x, size_t rows, real *gradient);
/* As `slopes` of a body. The work needs a probe, every direction, and exact slopes. */
void REAL(una_net_slopes)(void *work, const real *parameters, const real *x, double *phi, double *j);
