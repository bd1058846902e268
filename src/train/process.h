/* SPDX-License-Identifier: MIT
 *
 * What the Gaussian process model shares with the Gaussian process head of sngp and the priors of tuna.
 */
#pragma once

#include "gp/gp.h"
#include "kern/kern.h"
#include "model/kind.h"

/* Names and units of the columns, as kernels and formulas want them; from scratch. */
una_status una_gp_inputs(una_kernel_inputs *inputs, bool own_units, const una_columns *columns, una_run *run);
/* Those rows of a problem that order [rows] names; from scratch. */
una_status una_gp_rows_pick(una_gp_rows *picked, const una_problem *p, const uint32_t *order, size_t rows, una_run *run);
/* Mean log-likelihood and rmse of rows under a solved process. */
una_status una_gp_judge(const una_gp *gp, const una_gp_rows *rows, double *log_lik, double *rmse, una_run *run);
/* Where a jitter was added; sought: because the covariance had no factor. */
void una_gp_note_jitter(una_notes *notes, const una_gp *gp, double prior_var, bool sought);
/* Saves, or loads, checks and solves again. The columns of x are ar->inputs. */
una_status una_gp_exchange(void *gp, una_archive *ar);
/* f [draws, rows] from posterior or prior; random numbers by the run's seed. */
una_status una_gp_draws(const void *gp, una_view x, const una_drawing *how, double *f, una_run *run);

/* ---- the search for lengths, variances and noise: maximum evidence by L-BFGS, on a log scale ---- */
typedef struct una_gp_search {           /* the caller sets the first twelve                                     */
    una_gp     *gp;
    const char *stage;                                   /* for the progress                                    */
    bool        free_noise;
    double      length_prior;                            /* std of log lengths around the first ones; 0: none   */
    double      noise_prior;                             /* std of log noise variance around its first value    */
    double      range, jitter;                           /* jitter: a share, or UNA_AUTO                        */
    double      starts;                                  /* for the progress                                    */
    size_t      most_steps;                              /* of each start; 0: no limit                          */
    double      least_gain;                              /* in nats: a start ends where two steps gain less     */
    double      longer;                                  /* > 1: one more start, with lengths so many times as long */
    const una_gp *from;                                  /* where the first start begins; NULL: at gp's own values */
    una_hyper   hyper;
    double     *inverse;                                 /* work                                                */
    double      noise_origin;                            /* log noise variance at the start                     */
    double     *theta, *low, *high;                      /* [hyper.count + 1], the noise last                   */
    double      done;
    size_t      calls, steps;
} una_gp_search;
/* Of the free parameters that the plan leaves to gp's kernel. Starts: the present values, or those of `from`; longer
 * lengths if asked for; and starts - 1 random points. The best is put into gp, which is then solved. Its work comes from
 * scratch. */
una_status una_gp_search_run(una_gp_search *search, const una_hyper_plan *plan, size_t starts, uint64_t seed,
                             una_run *run);
/* Writes one length into every length of the kernel; false if it has none. */
bool       una_gp_set_lengths(una_kernel *kernel, double length);
