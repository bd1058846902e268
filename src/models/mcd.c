/* SPDX-License-Identifier: MIT
 *
 * Monte-Carlo dropout: a network trained with units dropped at random, and predicting with them dropped too. Gal's
 * recipe:
 *   minimise  (1/n) sum (y - f)^2 + l^2 (1 - p)/(2 N tau) |W|^2,   tau = 1/sigma^2,
 * units of inputs and hidden layers dropped with probability p. T passes, each with the same units dropped for all
 * rows, are T functions; the predictive is the equal-weight mixture of N(f_t(x), sigma^2).
 * Source: Gal and Ghahramani, Dropout as a Bayesian approximation, 2016, and its code DropoutUncertaintyExps, which
 * decays weights but not biases, as here. tau is that of the standardised target, and so are N, p and W. Times -N tau/2
 * this is a bound on the evidence, sum log N(y; f, sigma^2) - (1 - p) |W|^2/(2 alpha) with alpha = 2/l^2: the squares
 * have no half, so that the prior is twice as wide as the 1/l^2 of the paper's derivation. In convolutions, for images,
 * only the features are dropped, before the head (train/goal_diverse.c): passes then differ in the head, and an image
 * goes through the network once for all of them.
 */
#include "committee/committee.h"
#include "train/sampled.h"

#include "nn/dropout.h"

typedef struct mcd {
    una_sampled base;                    /* numbers: the packed parameters                                  */
    double dropout;
    bool   inputs;                       /* are dropped too                                                 */
} mcd;

enum { DROP_NO, DROP_YES, DROP_AUTO };
enum { FEW_COLUMNS = 3 };                /* fewer inputs are not dropped: too little would be left          */

typedef struct mcd_options {
    una_sampled_options base;            /* first                                                           */
    double dropout, length_scale, passes;
    int    input_dropout;
} mcd_options;

static const una_option mcd_table[] = {
    { "dropout", UNA_REAL, offsetof(mcd_options, dropout), "0.05", 0, 1, false, NULL,
      "probability that a unit is dropped, below 1; with convolutions, only features are dropped" },
    { "input_dropout", UNA_WORD, offsetof(mcd_options, input_dropout), "auto", 0, 0, false, "no|yes|auto",
      "drop inputs as well; auto = yes with three input columns or more, no for images" },
    { "length_scale", UNA_REAL, offsetof(mcd_options, length_scale), "0.01", 1e-6, 1e6, false, NULL,
      "prior length-scale l of the published decay: weights have prior variance 2/l^2" },
    { "passes", UNA_COUNT, offsetof(mcd_options, passes), "100", 1, 100000, false, NULL,
      "passes with units dropped: parts of the predictive mixture" },
    UNA_SAMPLED_TABLE(mcd_options, "2", "0.001", "auto",
                      "sigma in the weight decay; auto = noise_std if given, else 0.3 standard deviations of the "
                      "target"),
    UNA_ROWS_BODY(mcd_options, base.basis),
    UNA_COMMITTEE_TABLE("1", "off"),
    { .name = NULL }
};

static void mcd_part(const una_sampled *base, const double *numbers, size_t part, const una_kernels_f32 *kernels,
                     float *packed)
{
    const mcd *m = (const mcd *)base;
    (void)kernels;
    una_rng rng = una_rng_at(base->seed, UNA_FOR_DRAWS, (uint64_t)2 << 40 | part);
    for (size_t i = 0; i < base->varied; i++) packed[i] = (float)numbers[i];
    if (!una_sampled_heads_only(base)) una_dropout_pass(base->net.shape, &rng, m->dropout, m->inputs, packed);
    for (size_t k = 0; una_sampled_heads_only(base) && k + 1 < base->varied; k++) {       /* the bias stays */
        float mask;
        una_dropout_mask(&rng, m->dropout, 1, &mask);
        packed[k] *= mask;
    }
}

/* N tau/2 times the decay: dropout's term in place of a KL, up to a constant. */
static double mcd_divergence(void *context, const una_sampled *m)
{
    const mcd_options *o = context;
    double square = 0;
    const double *at = m->numbers;
    una_matrix layer;
    for (size_t i = 0; m->net.body->matrix(m->net.shape, i, &layer); i++, at += layer.rows * layer.cols)
        square += una_dot(at, at, layer.weights * layer.cols);
    return (1 - o->dropout) * square / (2 * m->prior_var);
}

/* Columns of the user's table: the levels of a text column are one. */
static size_t input_columns(const una_columns *c)
{
    return c->source_count;
}

static una_status mcd_fit(una_fitting *f)
{
    const una_problem *problem = f->problem;
    mcd *m = f->target->state;
    mcd_options *o = f->target->options;
    una_run *run = f->run;
    if (o->dropout >= 1)
        UNA_FAIL(run, UNA_E_USAGE, "mcd: dropout is 1, so every unit would be dropped and nothing could be learnt; "
                 "give a number below 1, such as 0.05");

    UNA_TRY(una_sampled_shape(f, 1));
    m->base.part = mcd_part;
    m->base.parts = (size_t)o->passes;
    m->base.prior_var = 2 / pow(o->length_scale, 2);
    m->dropout = o->dropout;
    if (o->input_dropout == DROP_AUTO)
        o->input_dropout = input_columns(problem->columns) < FEW_COLUMNS ? DROP_NO : DROP_YES;
    m->inputs = o->input_dropout == DROP_YES;
    if (m->inputs && una_sampled_heads_only(&m->base))
        UNA_FAIL(run, UNA_E_USAGE, "mcd: input_dropout=yes is not possible with convolutions, which drop their "
                 "features alone; use input_dropout=no");

    una_sampled_plan plan = { .job = { .goal = UNA_GOAL_DROPOUT, .how.descent.stage = "training mcd",
                                       .goal_options.dropout = { o->dropout, o->length_scale, m->inputs } },
                              .context = o, .divergence = mcd_divergence };
    UNA_TRY(una_sampled_fit(f, &plan));

    if (o->dropout == 0)
        una_notes_add(&f->target->result->warnings, "Nothing is dropped (dropout=0): all passes agree, so the model "
                      "shows no ignorance anywhere.");
    return UNA_OK;
}

/* ---- the rest of the interface --------------------------------------------------------------------------- */

static una_status mcd_exchange(void *state, una_archive *ar)
{
    mcd *m = state;
    UNA_TRY(una_archive_f64(ar, "dropout", &m->dropout));
    UNA_TRY(una_archive_flag(ar, "input_dropout", &m->inputs));
    if (!(m->dropout >= 0 && m->dropout < 1)) return una_archive_refuse(ar, "dropout", "is not at least 0 and below 1");
    return una_sampled_exchange(&m->base, mcd_part, 1, ar);
}

static una_status mcd_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    mcd *drawn = function;
    (void)keep, (void)run;
    *drawn = *(const mcd *)state;
    una_sampled_choose(&drawn->base, rng);
    return UNA_OK;
}

const una_kind una_kind_mcd = {
    .name = "mcd",
    .summary = "Monte-Carlo dropout: random units are dropped in training and in prediction",
    .source = "Gal and Ghahramani 2016",
    .options = mcd_table,
    .options_size = sizeof(mcd_options),
    .state_size = sizeof(mcd),
    .thesis = "width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, epochs=20000, batch=128, "
              "dropout=0.05, input_dropout=yes, length_scale=0.01, passes=100, units=standardised, members=1, "
              "relevance=off, noise=constant",
    .results = 5,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = mcd_fit,
    .fit_to.images = mcd_fit,
    .exchange = mcd_exchange,
    .sample = mcd_sample,
    UNA_SAMPLED_CALLS,
};
