/* SPDX-License-Identifier: MIT
 *
 * A Bayesian network: the posterior of its weights as a target density for samplers, of all weights, or with the
 * head integrated out.
 */
#pragma once

#include "infer/hmc.h"
#include "model/kind.h"
#include "nn/luna_step.h"

#define UNA_NOISE_PRIORS "lognormal|inverse_gamma"
enum { UNA_NOISE_LOGNORMAL, UNA_NOISE_INVERSE_GAMMA };

#define UNA_HMC_HEADS "integrated|sampled"
enum { UNA_HEAD_INTEGRATED, UNA_HEAD_SAMPLED };

/* q: weights and biases of all layers in the order of una_matrices_pack, then (sample_noise) the logarithm of the noise std.
 * Where the head is integrated out, q has no weights of the head. */
typedef struct una_bnn {
    una_net net;                         /* one head                                                        */
    const double *x, *y;                 /* [rows, inputs], [rows]                                          */
    size_t rows;
    double prior_var, noise_var;         /* alpha; the noise of the data, or the centre of its prior        */
    bool   fan_in;                       /* a weight has prior variance alpha over the number of units that its layer
                                            sees, so that sums keep their size however many there are; a bias has
                                            alpha. false: all have alpha */
    bool   sample_noise;
    int    noise_prior;
    /* work of una_bnn_take: */
    size_t  weights, *place;             /* [weights] of q in the padded block                              */
    double *precision;                   /* [weights] one over the prior variance of each                   */
    double *padded, *gradient;
    double *head, *block;                /* one hidden layer and few inputs: the head's weights and their
                                            gradient; work of a pass                                        */
    una_work_f64 *work;
    const una_kernels_f64 *kernels;
    /* work of una_bnn_marginal_take: */
    size_t  terms, wide;                 /* features and the one; of a row of `joined`                      */
    size_t  order, stride;               /* of the system: terms or rows, whichever are fewer; and one more */
    double *joined;                      /* [rows, wide] phi, 1, y                                          */
    double *turned;                      /* [terms, stride] its transpose; NULL unless the system is of rows */
    double *system, *column;             /* [order, stride], [stride]                                       */
    double *force;                       /* [order, stride] what phi, or the rows, are multiplied with      */
    double *mean, *off;                  /* [terms] of the head over `unit`; [rows] work                    */
    double  unit;                        /* of the head's weights without its bias: their prior std over sqrt(alpha);
                                            features are multiplied by it, so that the prior is alpha I */
} una_bnn;

/* The buffers of una_bnn_potential; the fields above them are set. */
una_status una_bnn_take(una_bnn *bnn, const una_kernels_f64 *kernels, una_arena *arena);
size_t     una_bnn_dimension(const una_bnn *bnn);
/* precision [packed weights]: one over the prior variance of each, in the order of una_matrices_pack; place [the same]: where
 * each stands in the padded block (NULL: not wanted). */
void       una_bnn_precision(const una_net *net, double prior_var, bool fan_in, double *precision, size_t *place);
/* U(q) = -log N(y; f, s2) - log N(weights; 0, prior) - log p(log s), constants included. context is a una_bnn. */
double     una_bnn_potential(void *context, const double *q, double *gradient);
void       una_bnn_unpack(const una_bnn *bnn, const double *q, double *padded);

/* The same with the head's weights integrated out: U(q) = -log p(y | hidden weights, s2) - log N(hidden weights; 0,
 * prior) - log p(log s), which is far easier to sample. Call una_bnn_take first. */
una_status una_bnn_marginal_take(una_bnn *bnn, una_arena *arena);
size_t     una_bnn_marginal_dimension(const una_bnn *bnn);
double     una_bnn_marginal(void *context, const double *q, double *gradient);
/* From q of una_bnn_marginal to q of una_bnn_potential: draws the head's weights from their posterior given the
 * others. */
void       una_bnn_complete(una_bnn *bnn, const double *q, una_rng *rng, double *whole);

/* From a random network to a maximum of the posterior nearby (Adam): the start of chain number `chain`. */
una_status una_bnn_start(una_bnn *bnn, size_t steps, uint64_t seed, size_t chain, double *q, una_run *run);
