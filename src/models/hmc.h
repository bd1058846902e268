/* SPDX-License-Identifier: MIT
 *
 * What the files of the model hmc share: the posterior of a network's weights as a target for the sampler, and the noise that
 * held-out rows show.
 */
#ifndef UNA_MODELS_HMC_H
#define UNA_MODELS_HMC_H

#include "infer/hmc.h"
#include "model/kind.h"
#include "nn/train.h"

#define UNA_NOISE_PRIORS "lognormal|inverse_gamma"
enum { UNA_NOISE_LOGNORMAL, UNA_NOISE_INVERSE_GAMMA };

/* q: the weights and biases of all layers as una_net_pack orders them, then (sample_noise) the logarithm of the noise std. */
typedef struct una_bnn {
    una_net net;                         /* one head                                                        */
    const double *x, *y;                 /* [rows, inputs], [rows]                                          */
    size_t rows;
    double prior_var, noise_var;         /* of every weight; of the data, or of its prior's centre          */
    bool   sample_noise;
    int    noise_prior;
    /* work of una_bnn_take: */
    size_t  weights, *place;             /* [weights] of q in the padded block                              */
    double *padded, *gradient;
    una_work_f64 *work;
} una_bnn;

/* The buffers of una_bnn_potential; the fields above them are set. */
una_status una_bnn_take(una_bnn *bnn, const una_kernels_f64 *kernels, una_arena *arena, una_run *run);
size_t     una_bnn_dimension(const una_bnn *bnn);
/* U(q) = -log N(y; f, s2) - log N(weights; 0, prior_var) - log p(log s), constants included. context is a una_bnn. */
double     una_bnn_potential(void *context, const double *q, double *gradient);
void       una_bnn_unpack(const una_bnn *bnn, const double *q, double *padded);
/* From a random network to a maximum of the posterior nearby (Adam): where chain number `chain` starts. */
una_status una_bnn_start(una_bnn *bnn, size_t steps, uint64_t seed, size_t chain, double *q, una_run *run);

/* Root mean square error of plain networks of this shape on rows that did not train them (problem->valid or the folds),
 * standardised; 0.3 where no row was held out. rows: how many were. */
una_status una_hmc_noise(double *rmse, size_t *rows, const una_net *net, const una_problem *problem, una_run *run);

#endif
