/* SPDX-License-Identifier: MIT
 *
 * What NLM, LUNA and TUNA share: a feature network under a Bayesian linear head. The files of the models say how the
 * features are trained; this one holds the rest: options, restarts, cross-fitting, the choice of noise, prediction.
 */
#pragma once

#include "train/feature_map.h"
#include "train/process.h"
#include "train/training_job.h"
#include "train/network.h"
#include "train/option_rows.h"
#include "opt/schedule.h"

/* The posterior on the features: exact; LAPLACE: around the weights that training ended with; or (PROCESS) that of a
 * Gaussian process on them, without the 1. */
enum { UNA_POSTERIOR_EXACT, UNA_POSTERIOR_LAPLACE, UNA_POSTERIOR_PROCESS };

typedef struct una_basis {               /* the state of a fitted model                                     */
    una_network_f32 net;
    float   *parameters;
    int      posterior;
    una_head head;                       /* on [phi, 1]; PROCESS: only its variances are used               */
    una_gp   gp;                         /* PROCESS: on phi                                                 */
} una_basis;

/* Those of its best validation, or of its end; automatic is resolved to one of them. */
typedef enum una_basis_kept { UNA_KEPT_BEST, UNA_KEPT_LAST, UNA_KEPT_AUTO } una_basis_kept;

typedef struct una_basis_options {
    una_common_options common;           /* first                                                           */
    const char *body;
    int    flips;
    double shifts;
    double width, depth, features;
    int    activation, initialisation;
    int    optimiser, rate_schedule;
    double rate, momentum;
    double epochs, batch, patience;
    double penalty, train_noise_std;
    int    noise_rule, kept;             /* kept: parameters of a training, una_basis_kept                   */
} una_basis_options;

/* Rows of the option table for a struct `type` that has a member `basis`. UNA_NET_TABLE: for every feature network;
 * rate, penalty and prior variance differ by model. UNA_VALIDATION_TABLE: for networks whose features see y, which need
 * validation rows. */
#define UNA_NET_TABLE(type, rate_text, or_auto, rate_help, penalty_text, prior_text) \
    UNA_ROWS_SHAPE(type, basis, "2", "hidden layer", "hidden layers"), \
    UNA_ROW(type, basis, features, UNA_COUNT, "auto", 1, 4096, true, NULL, \
            "units of the last hidden layer: the features of the linear head; auto = width"), \
    UNA_ROW_ACTIVATION(type, basis, "hidden layers"), \
    UNA_ROW_INITIALISATION(type, basis), \
    UNA_ROW_OPTIMISER(type, basis), \
    UNA_ROWS_RATE(type, basis, rate_text, or_auto, rate_help), \
    UNA_ROW_MOMENTUM(type, basis), \
    UNA_ROWS_BUDGET(type, basis, "budget of optimiser steps", "auto"), \
    UNA_ROW_PENALTY(type, basis, penalty_text, ""), \
    UNA_ROW_NOISE("noise std of the target; auto = chosen from the data"), \
    UNA_ROW_PRIOR(prior_text, "alpha: prior variance of the head's weights on the standardised target; " \
                              "auto = chosen from the data"), \
    UNA_ROW_UNITS("how noise, lengths, formulas and reference values are given: in the data's own " \
                  "units, or standardised (the thesis)")
#define UNA_VALIDATION_TABLE(type) \
    UNA_ROW_PATIENCE(type, basis), \
    UNA_ROW(type, basis, kept, UNA_WORD, "auto", 0, 0, false, "best|last|auto", \
            "parameters that a training keeps: the best on held-out rows, or the last (the thesis); auto = of " \
            "luna's members below 2000 rows the last, unless patience is set; else the best"), \
    UNA_COMMON_ROW(restarts, UNA_COUNT, "auto", 1, 1000, true, NULL, \
            "trainings from other initial weights, of which the best on held-out rows is kept; auto = 1 (members " \
            "keep all)"), \
    UNA_ROW_TRAIN_NOISE(type, basis, \
                        "noise std inside the training objective; auto = held-out error of a plain network, or 0.3 " \
                        "standardised where one head is trained and only the ratio to the penalty counts"), \
    UNA_ROW(type, basis, noise_rule, UNA_WORD, "likelihood", 0, 0, false, "likelihood|evidence", \
            "what noise_std=auto maximises on rows that did not train the features: predictive likelihood, or evidence")

/* How the features are to be trained, beyond what the options above say. */
typedef struct una_basis_plan {
    const char *stage;                   /* "training luna"                                                 */
    size_t heads;                        /* of each target                                                  */
    bool   marginal;                     /* train by marginal likelihood                                    */
    una_training_settings training;      /* the part about diversity; the rest comes from the options       */
} una_basis_plan;

/* Trains features on the rows for all targets at once, chooses the noise on validation rows, and fits the posteriors:
 * one network, on whose features each target has its own heads and posterior. States are una_basis, options begin with
 * una_basis_options; the coupling (may be NULL) gets the covariance of the noise. */
una_status una_basis_fit(una_fitting *f, una_basis_plan *plan);

/* The noise variance of each target, noise_var [outputs], measured on validation rows: the squared error of a linear
 * head on the features of a network with one output for each target, trained as the options say (train_noise_std
 * standardised). UNA_PLAIN_NOISE_VAR if there are no validation rows. */
una_status una_basis_noise(double *noise_var, const una_network_f32 *like, const una_basis_options *options,
                           const una_problem *problem, una_fit_result *result, una_run *run);
double     una_basis_noise_steps(double steps);  /* steps of that training, when the main one takes `steps` */
/* The noise variance inside the objective of a single head, where only its ratio to the penalty counts. */
#define UNA_PLAIN_NOISE_VAR 0.09

/* ---- pieces for models that train on something other than y (TUNA) ---- */
una_status una_basis_groups(size_t **group, const una_columns *columns, una_arena *arena);
/* Fills in automatic numbers: `rows` train, and one epoch is a pass over them; rules go by `table`, the number of all
 * rows. member: one of several trainings that are kept, which are shorter. */
void       una_basis_resolve(una_basis_options *options, size_t rows, size_t table, bool member);
/* The same for the rows of a problem, and the learning rate too. Convolutions take fewer epochs, because theirs are
 * long, at a rate of their own. */
void       una_basis_resolve_for(una_basis_options *options, const una_problem *problem, bool member, double rate);
/* The training job of such a network by squared errors, as the options say; the caller sets rows, seed and stream. */
una_training_job una_basis_job(const una_basis_options *options, una_network_f32 net,
                               const una_training_settings *diversity, double train_noise_var);
una_feature_map una_basis_map(const una_basis *basis);
/* phi [rows, K], with its column of ones where there is a head; from scratch. */
una_status una_basis_phi(const una_basis *basis, una_view x, una_view *phi, una_run *run);
/* The posterior of the head from the rows of the problem, also (joined) from held-out rows that join, by the variances
 * that stand in it; what is automatic there maximises the evidence. */
una_status una_basis_posterior(una_basis *basis, const una_problem *problem, bool joined, una_arena *keep,
                               una_run *run);
/* Variances and evidence into the result, and into the options, which then repeat the fit; warns if the noise, given or
 * chosen, contradicts the residuals of the rows in an exact head. */
void       una_basis_report(const una_basis *basis, una_common_options *options, const una_problem *problem,
                            una_fit_result *result);
/* The size of one unit of an option such as noise_std, in standardised units of the target, by the option `units`. */
double una_unit(int units, const una_problem *problem);
double una_noise_var(double noise_std, double unit);     /* standardised; automatic stays automatic         */
/* Numbers of the network and curve of a training; the curve alone. */
una_status una_basis_keep(una_basis *basis, const una_trained_job *trained, una_fit_result *result, una_arena *keep);
una_status una_basis_keep_curve(una_fit_result *result, const una_trained *trained, una_arena *keep);
/* The remedy to name where residuals exceed a noise that was chosen automatically. */
#define UNA_LOOK_FOR_EXTREMES "look for extreme values of the target (the noise was chosen from the data)"

/* ---- the rest of the model interface (state = una_basis) ---- */
una_status una_basis_predict(const void *state, una_view x, una_predictive *out, una_run *run);
una_status una_basis_exchange(void *state, una_archive *ar);
una_status una_basis_exchange_head(una_basis *basis, una_archive *ar);   /* its last part                   */
una_status una_basis_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                             una_run *run);
una_status una_basis_rescale(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run);
/* A kind's options begin with una_common_options. */
una_status una_basis_relearn(una_fitting *f);
una_status una_basis_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run);
/* The rescale of a kind whose posterior is that head. */
una_status una_rescale_head(una_head *head, double factor, una_fit_result *result, una_run *run);
/* Draws under any head, at features of rows; random numbers by the run's seed. */
una_status una_head_draws(const una_head *head, una_view phi, const una_drawing *how, double *f, una_run *run);
una_status una_basis_functions(const void *state, una_view x, size_t *count, double *f, una_run *run);
una_status una_basis_slope(const void *state, const double *x, una_slope *at, una_run *run);
una_status una_basis_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run);
una_status una_basis_leaves(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                            una_run *run);

/* In the table of one training that is such a basis. */
#define UNA_BASIS_CALLS                                                                                              \
    .state_size = sizeof(una_basis), .predict = una_basis_predict, .exchange = una_basis_exchange,                   \
    .observe = una_basis_observe, .rescale = una_basis_rescale, .relearn = una_basis_relearn,                        \
    .draw = una_basis_draw, .slope = una_basis_slope, .sample = una_basis_sample, .leaves = una_basis_leaves
