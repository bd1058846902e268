/* SPDX-License-Identifier: MIT
 *
 * Neural linear model: features of a network trained to predict y, then Bayesian linear regression on them.
 *   mle       minimise sum (y - f)^2/(2 sigma^2)
 *   map       ... + gamma |theta|^2, all weights and biases
 *   marginal  minimise -log p(y | features) + gamma |theta hidden|^2, the head integrated out
 * With several targets, whose heads share the features, it minimises the sum over all.
 * Source: Snoek et al., Scalable Bayesian optimization using deep neural networks, 2015; Ober and Rasmussen,
 * Benchmarking the neural linear model for regression, 2019 (whose appendix prints the wrong sign of log|V|).
 */
#include "train/basis.h"
#include "committee/committee.h"

typedef struct nlm_options {
    una_basis_options basis;             /* first                                                           */
    int training;
} nlm_options;

enum { MLE, MAP, MARGINAL };

static const una_option nlm_table[] = {
    { "training", UNA_WORD, offsetof(nlm_options, training), "map", 0, 0, false, "mle|map|marginal",
      "how the features are trained: maximum likelihood, with penalty, or by marginal likelihood" },
    UNA_ROWS_BODY(nlm_options, basis),
    UNA_NET_TABLE(nlm_options, "auto", true, "learning rate; auto = 0.01, for images 0.001", "1", "1"),
    UNA_VALIDATION_TABLE(nlm_options),
    UNA_COMMITTEE_TABLE("auto", "auto"),
    UNA_ROW_TAILS,
    { .name = NULL }
};

/* Fills in what the way of training implies, for all trainings alike. */
static una_status nlm_prepare(una_fitting *f)
{
    double rows = (double)f->problem->x.rows;
    for (size_t t = 0; t < una_problem_outputs(f->problem); t++) {
        nlm_options *o = f->target[t].options;
        una_common_options *common = &o->basis.common;
        if (o->training == MLE) o->basis.penalty = 0;
        if (o->training != MARGINAL) continue;
        if (UNA_IS_AUTO(o->basis.batch)) o->basis.batch = rows;
        if (UNA_IS_AUTO(common->prior_var)) common->prior_var = 1;       /* in the objective: not chosen later */
        if (o->basis.batch < rows)
            UNA_FAIL(f->run, UNA_E_USAGE, "nlm: training=marginal needs all rows every step; leave batch out (it is "
                     "%g, there are %zu rows)", o->basis.batch, f->problem->x.rows);
    }
    return UNA_OK;
}

static una_status nlm_fit(una_fitting *f)
{
    const nlm_options *o = f->target->options;
    una_basis_plan plan = { .stage = "training nlm", .heads = 1, .marginal = o->training == MARGINAL };
    return una_basis_fit(f, &plan);
}

const una_kind una_kind_nlm = {
    .name = "nlm",
    .summary = "neural linear model: network features, Bayesian last layer",
    .source = "Snoek et al. 2015; Ober and Rasmussen 2019",
    .options = nlm_table,
    .options_size = sizeof(nlm_options),
    .thesis = "training=map, width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, epochs=20000, "
              "batch=32, restarts=1, penalty=0.1, train_noise_std=1, prior_var=1, units=standardised, members=1, "
              "relevance=off, noise=constant",
    .results = 4,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .prepare = nlm_prepare,
    .fit = nlm_fit,
    .fit_to = { .targets = nlm_fit, .images = nlm_fit, .part = nlm_fit },
    UNA_BASIS_CALLS,
};
