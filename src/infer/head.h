/* SPDX-License-Identifier: MIT
 *
 * The Bayesian linear head on sufficient statistics:  y = Phi w + e,  w ~ N(0, alpha I),  e ~ N(0, s2 I)
 *   V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2,  mean phi'm,  epistemic variance phi'V phi.
 * (Phi'Phi, Phi'y, y'y, n) add up over chunks, threads, ranks and time. The caller appends the column of ones to
 * Phi; the bias weight shares the prior alpha.
 * A row may count c times, e ~ N(0, s2/c): its products do, and the evidence gains 1/2 log c.
 */
#pragma once

#include "base/archive.h"
#include "kern/kern.h"
#include "la/la.h"

typedef struct una_stats {
    size_t  features;            /* K, the one included                                             */
    double *gram;                /* Phi'Phi [K, K], both triangles                                  */
    double *moment;              /* Phi'y [K]                                                       */
    double  square;              /* y'y                                                             */
    double  rows;
    double  log_count;           /* sum of log c over the rows; 0 where each counts once            */
} una_stats;

void una_stats_init(una_stats *stats, size_t features, una_arena *arena);
void una_stats_clear(una_stats *stats);
/* phi [rows, K]. run NULL: to its end. Sums of a call that was cancelled are of no use. */
una_status una_stats_add(una_stats *stats, const double *phi, const double *y, size_t rows, una_run *run);
/* The same for rows that count so often, count [rows], positive; NULL: once. Rows of phi are scaled on the way. */
una_status una_stats_add_counted(una_stats *stats, double *phi, const double *y, const double *count, size_t rows,
                                 una_run *run);
void una_stats_merge(una_stats *stats, const una_stats *other);
una_status una_stats_sum(una_stats *stats, una_run *run);     /* of all rows, also those of others */
una_status una_stats_check(const una_stats *stats, una_run *run);   /* UNA_E_NUMERIC unless all sums are finite */

/* phi [rows, K] with ones in its last column, the rest zero; NULL where the arena has failed. */
double *una_phi_with_one(size_t rows, size_t features, una_arena *arena);

typedef struct una_head {
    una_stats stats;
    double    noise_var, prior_var;
    double   *chol;              /* lower factor of the precision I/alpha + Phi'Phi/s2  [K, K]       */
    double   *mean;              /* m [K]                                                           */
    double   *whiten;            /* [K, UNA_PADDED(K + 1)]: column j is row j of chol^-1, column K is m      */
    double    log_evidence;
    bool      sure;              /* one function, drawn: mean holds its weights, and there is no variance    */
} una_head;

/* Refuses with UNA_E_MEMORY, and both numbers, a head of so many features that memory cannot hold and solve: before
 * work begins. */
una_status una_head_memory(const char *kind, size_t features, una_run *run);
una_status una_head_init(una_head *head, size_t features, una_arena *arena);
/* Factors the precision from head->stats and the two variances; mean, evidence. */
una_status una_head_solve(una_head *head, una_run *run);
/* mean [rows], var_model [rows] (either may be NULL) for phi [rows, K]; work from scratch. */
una_status una_head_predict(const una_head *head, const double *phi, size_t rows, double *mean, double *var_model,
                            una_run *run);
/* At one phi [K]: mean and variance, with the bits of una_head_predict, and u [K] = V phi. */
una_status una_head_at(const una_head *head, const double *phi, double *mean, double *var, double *u, una_run *run);
/* One function drawn from the posterior, as a head without variance; it shares what it can with `head`. */
una_status una_head_sample(una_head *function, const una_head *head, una_rng *rng, una_arena *keep, una_run *run);
/* w [draws, K] from posterior or prior. */
una_status una_head_draw(const una_head *head, size_t draws, bool prior, una_rng *rng, double *w, una_run *run);
una_status una_head_exchange(una_head *head, una_archive *ar);   /* stats, variances; loading solves again and checks */

/* log N(y; 0, s2 I + alpha Phi Phi') for given variances, by the eigenvalues of Phi'Phi: cheap to repeat. */
typedef struct una_spectrum {
    const una_stats *stats;
    double *value, *vector, *moment;     /* l_k [K], ascending; u_k as rows [K, K]; u_k'Phi'y [K]            */
} una_spectrum;
/* In scratch memory. */
una_status una_spectrum_of(una_spectrum *spectrum, const una_stats *stats, una_run *run);
double     una_spectrum_evidence(const una_spectrum *spectrum, double noise_var, double prior_var);
/* Joint maximum of the evidence; a variance that is not UNA_AUTO stays. Bounds: noise_var >= 1e-10 of mean y^2,
 * prior_var within a factor 1e6 of y'y / trace Phi'Phi, and a posterior precision that can be factored. */
una_status una_choose_by_evidence(double *noise_var, double *prior_var, const una_stats *stats, una_run *run);

typedef struct una_held_rows {           /* rows that trained neither features nor head                     */
    const double *phi, *y;               /* [rows, K], [rows]                                               */
    size_t rows;
    double log_lik, rmse;                /* found: mean log-likelihood, and error of the mean               */
} una_held_rows;

/* Validation likelihood: the noise variance that maximises the mean log-likelihood of held-out rows under the posterior
 * of `train`, for given prior_var, within [1e-6, 10] of the mean square of y (of both sets). *noise_var is output only;
 * what is found is that of the chosen noise. Ranks that fit together give `train` of all, and each its own rows: the
 * answer is that of all rows. */
una_status una_choose_by_validation(double *noise_var, double prior_var, const una_stats *train, una_held_rows *held,
                                    una_run *run);
/* Under a solved head. */
una_status una_head_score(const una_head *head, una_held_rows *held, una_run *run);

/* dphi [rows, K] = d(-log evidence)/dPhi for a solved head. */
void una_head_phi_gradient(const una_head *head, const double *phi, const double *y, size_t rows, double *dphi);

/* Adds the sums `more` to a solved head and solves again. After a failure the head is what it was. */
una_status una_head_observe(una_head *head, const una_stats *more, una_run *run);

/* A noise variance `factor` times as large under the same sums. After a failure the head is what it was. */
una_status una_head_rescale(una_head *head, double factor, una_run *run);

/* Sets the mean of a solved head and keeps its precision: for weights from training. */
void una_head_set_mean(una_head *head, const double *mean);
