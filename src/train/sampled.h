/* SPDX-License-Identifier: MIT
 *
 * What bbvi and mcd share: networks drawn from a distribution over parameters. Prediction is the equal-weight mixture
 * of
 *   N(f_s(x), noise),  s = 1 .. parts,
 * where f_s is a network made from the model's numbers, the seed and s alone. So a part is one function for all rows,
 * and only the numbers are stored. The files of the two models say how the numbers are trained and how a part is made
 * from them; this one holds the rest: options, held-out rows, the choice of noise, prediction, saving.
 *
 * Parts of convolutions differ in their heads alone, so that a row goes through the body once and all parts cost little
 * more than one: "what varies" is then the head, w and b; for perceptrons it is every parameter.
 */
#pragma once

#include "train/basis.h"
#include "train/training_rows.h"

typedef struct una_sampled una_sampled;
/* What varies of one part, packed [state->varied], from the numbers for it. The numbers are an argument because folds
 * have their own. */
typedef void una_sampled_part(const una_sampled *state, const double *numbers, size_t part,
                              const una_kernels_f32 *kernels, float *packed);

struct una_sampled {                     /* first member of a model's state                                 */
    una_sampled_part *part;              /* the model's; not stored                                         */
    una_network_f32 net;
    size_t   from, varied;               /* which of the packed parameters vary: all, or the head's         */
    size_t   parts, first;               /* first: number of the first part; 0 unless one was drawn         */
    uint64_t seed;
    double   noise_var, prior_var;       /* prior_var: of the parameters, for draws from the prior          */
    size_t   count;
    double  *numbers;                    /* [count] what training found                                     */
};

typedef struct una_sampled_options {     /* first in the options of the kinds                               */
    una_basis_options basis;             /* network, steps, noise; others are 0. body: of mcd; NULL: a perceptron */
    int validate;
} una_sampled_options;

#define UNA_SAMPLED_TABLE(type, depth_text, rate_text, batch_text, noise_help) \
    UNA_ROWS_SHAPE(type, base.basis, depth_text, "hidden layer", "hidden layers"), \
    UNA_ROW_ACTIVATION(type, base.basis, "hidden layers"), \
    UNA_ROW_INITIALISATION(type, base.basis), \
    UNA_ROWS_RATE(type, base.basis, rate_text, false, "learning rate of Adam"), \
    UNA_ROWS_BUDGET(type, base.basis, "optimiser steps", batch_text), \
    UNA_ROW_TRAIN_NOISE(type, base.basis, noise_help), \
    UNA_ROW_NOISE("noise std of the target; auto = largest likelihood of held-out rows under the mixture"), \
    UNA_ROW(type, base, validate, UNA_FLAG, "yes", 0, 0, false, NULL, \
            "train without the held-out rows first: scores and noise; no = train once, noise as in training"), \
    UNA_ROW_UNITS(UNA_NOISE_UNITS)

typedef struct una_sampled_plan {        /* how a model trains, for una_sampled_fit                         */
    una_training_job job;                /* its goal and stage; the rest comes from the options             */
    /* What the bound on the evidence loses: KL, or a penalty in its place. */
    double (*divergence)(void *context, const una_sampled *state);
    void  *context;
    bool   noise_matters;                /* whether to train a plain network first to measure the noise in the
                                            objective */
} una_sampled_plan;

/* The network, in keep, and the seed; count is numbers_each for each parameter. Fills in the option body. */
una_status una_sampled_shape(una_fitting *f, size_t numbers_each);
bool       una_sampled_heads_only(const una_sampled *state);     /* parts differ in their heads alone       */
/* Fits the rest once part, parts and prior_var of the state are set. Fills in automatic options. */
una_status una_sampled_fit(una_fitting *f, const una_sampled_plan *plan);

/* ---- the rest of the model interface ---- */
una_status una_sampled_predict(const void *state, una_view x, una_predictive *out, una_run *run);
/* Posterior: parts taken at random; prior: parameters N(0, prior_var), of perceptrons only. */
una_status una_sampled_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run);
/* Leaves one part, chosen at random. */
void       una_sampled_choose(una_sampled *state, una_rng *rng);
una_status una_sampled_functions(const void *state, una_view x, size_t *count, double *f, una_run *run);
size_t     una_sampled_mixture(const void *state);
/* In the table of one training that is such a mixture. */
#define UNA_SAMPLED_CALLS                                                                                            \
    .predict = una_sampled_predict, .mixture = una_sampled_mixture, .draw = una_sampled_draw,                        \
    .functions = una_sampled_functions
/* numbers_each: numbers for each parameter. */
una_status una_sampled_exchange(una_sampled *state, una_sampled_part *part, size_t numbers_each, una_archive *ar);
