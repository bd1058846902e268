/* SPDX-License-Identifier: MIT
 *
 * Exact Gaussian process regression with a zero mean: y = f(x) + e, f ~ GP(0, k), e ~ N(0, s2). Rows may count c times,
 * e_i ~ N(0, s2/c_i): the diagonal of A has s2/c_i then.
 *   A = K + (s2 + jitter) I = L L',  a = A^-1 y,  log p(y) = -y'a/2 - sum log l_ii - n/2 log 2 pi
 *   mean k*'a,  var k** - |L^-1 k*|^2
 *   dlog p/dlog theta = 1/2 sum_ij (a_i a_j - A^-1_ij) dK_ij/dlog theta
 */
#pragma once

#include "gp/hyper.h"
#include "gp/kernel.h"

/* The log of the least noise variance of a search from 1/range to range: as small as that of a linear head. */
static inline double una_gp_least_log_noise(double range)
{
    return -2 * log(range);
}

typedef struct una_gp_deferred una_gp_deferred;
typedef struct una_gp_near una_gp_near;

typedef struct una_gp {
    una_kernel *kernel;
    double  noise_var, jitter_var;       /* jitter_var: added to the diagonal, for the factor's sake          */
    size_t  rows, inputs;
    size_t  room, stride;                /* rows there is place for; step from row to row of l                */
    double *x;                           /* [room, inputs]                                                    */
    double *y, *alpha;                   /* [room]                                                            */
    double *weight;                      /* [room] how often each row counts; NULL: once                      */
    double *l;                           /* [room, stride], above the diagonal anything; NULL: see late       */
    double  log_evidence;
    una_gp_deferred *late;                /* of one that was loaded: factor and alpha, which whoever asks first makes */
    size_t  neighbours;                  /* 0: all rows answer; else so many, the nearest (gp/near.h)         */
    una_gp_near *near;                   /* then how they are found; NULL: all rows answer                    */
} una_gp;

/* Refuses, with both numbers, `matrices` of rows^2 doubles that will not fit, before they are taken. */
una_status una_gp_memory(size_t rows, double matrices, una_run *run);
typedef struct una_gp_rows {
    una_view      x;
    const double *y;
    const double *weight;                /* how often each row counts; NULL: once                             */
} una_gp_rows;

/* Takes copies of the rows in, room for the factor. */
una_status una_gp_init(una_gp *gp, una_kernel *kernel, una_gp_rows rows, una_arena *keep);
/* The same for a process that answers by the nearest rows: there is no factor, and nothing to solve. */
una_status una_gp_init_near(una_gp *gp, una_kernel *kernel, una_gp_rows rows, size_t neighbours, una_arena *keep);
/* The same without the factor, which has n^2 numbers and costs n^3: a file does not hold it, and loading must not take
 * more than the bytes of a file justify. The first call that needs it makes it, within the limit of the run that
 * loaded, with the same bits; several threads may ask at once. Kernel, variances, rows, inputs, x, y and weight are
 * there, in keep. */
una_status una_gp_defer(una_gp *gp, una_arena *keep);
/* gp with factor and alpha, which are made now if they are not there. */
una_status una_gp_solved(una_gp *solved, const una_gp *gp, una_run *run);
/* Factor, alpha and evidence for the kernel's present parameters, noise and jitter.
 * Rows before `from` are done already. */
una_status una_gp_solve(una_gp *gp, size_t from, una_run *run);
/* The same with the smallest jitter that works: none, then 1e-10 of the mean prior variance, tenfold up to 1e-4. */
una_status una_gp_solve_jittered(una_gp *gp, una_run *run);
double     una_gp_row_noise(const una_gp *gp, size_t row);
double     una_gp_prior_mean_var(const una_gp *gp);      /* mean of k(x, x) over the rows                     */
/* After una_gp_solve: gradient [hyper->count + 1] of the log evidence by the free numbers, then by log noise_var.
 * `inverse`: work of una_gp_work(rows) doubles. */
una_status una_gp_gradient(const una_gp *gp, const una_hyper *hyper, double *inverse, double *gradient, una_run *run);
size_t     una_gp_work(size_t rows);

/* mean, var [rows] of f (without noise) at x; either may be NULL. One by one or all at once: the same bits. */
una_status una_gp_predict(const una_gp *gp, una_view x, double *mean, double *var, una_run *run);
/* Mean and var at one x, and their derivatives by each input. */
una_status una_gp_slope(const una_gp *gp, const double *x, double *mean, double *var, double *dmean, double *dvar,
                        una_run *run);
/* f [draws, rows] jointly from the posterior; normals of one draw follow each other. */
una_status una_gp_draw(const una_gp *gp, una_view x, size_t draws, una_rng *rng, double *f, una_run *run);
/* A noise variance `factor` times as large for the same rows. A factor that is there is made again; where that fails, gp is
 * of no use. */
una_status una_gp_rescale(una_gp *gp, double factor, una_run *run);
/* More rows, hyper-parameters kept: the bits of a factor of all rows. After a failure gp is as it was. */
una_status una_gp_append(una_gp *gp, una_gp_rows more, una_arena *keep, una_run *run);
