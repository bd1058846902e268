/* SPDX-License-Identifier: MIT
 *
 * Mean-field variational inference for a whole network, by reparameterised gradients ("black box"):
 *   q(theta) = prod_i N(mu_i, s_i^2),  s = softplus(rho),  theta ~ N(0, a I) a priori,
 *   minimise  KL(q | prior) - (N/n) E_q sum_{i in batch} log N(y_i; f_theta(x_i), sigma^2)
 * with Adam over (mu, rho), a few draws of theta a step (train/goals.c). It starts narrow (s = e^-5) around a usual
 * initialisation: a wide start drowns the data in its own noise. Independent weights cannot express what the data
 * couples, so the bands are too narrow between and beyond the data; that is the method, see docs/methods/MODELS.md.
 * Source: Ranganath et al., Black box variational inference, 2014; Blundell et al., Weight uncertainty in neural
 * networks, 2015; the example black_box_svi.py of autograd (whose likelihood omits the factor 1/2).
 */
#include "committee/committee.h"
#include "train/sampled.h"

#include "infer/vi.h"

typedef struct bbvi_options {
    una_sampled_options base;            /* first                                                           */
    double weight_var, samples, draws, start_std;
} bbvi_options;

static const una_option bbvi_table[] = {
    { "weight_var", UNA_REAL, offsetof(bbvi_options, weight_var), "1", 1e-9, 1e9, false, NULL,
      "prior variance of every weight and bias" },
    { "samples", UNA_COUNT, offsetof(bbvi_options, samples), "8", 1, 10000, false, NULL,
      "draws of the weights per step" },
    { "draws", UNA_COUNT, offsetof(bbvi_options, draws), "100", 1, 100000, false, NULL,
      "networks in the predictive mixture, drawn from the posterior" },
    { "start_std", UNA_REAL, offsetof(bbvi_options, start_std), "0.0067379469990854671", 1e-9, 100, false, NULL,
      "standard deviation of the weights that training starts from" },
    UNA_SAMPLED_TABLE(bbvi_options, "1", "0.01", "auto",
                      "noise std inside the objective; auto = noise_std if given, else held-out error of a plain "
                      "network"),
    UNA_COMMITTEE_TABLE("1", "off"),
    { .name = NULL }
};

/* numbers: mu [count/2], then s. */
static void bbvi_part(const una_sampled *m, const double *numbers, size_t part, const una_kernels_f32 *kernels,
                      float *packed)
{
    size_t count = m->count / 2;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DRAWS, (uint64_t)2 << 40 | part);
    kernels->normals(count, rng.key, rng.counter, 1, 0, packed);
    for (size_t i = 0; i < count; i++) packed[i] = (float)(numbers[i] + numbers[count + i] * (double)packed[i]);
}

static double bbvi_divergence(void *context, const una_sampled *m)
{
    const bbvi_options *o = context;
    size_t count = m->count / 2;
    double kl = 0;
    for (size_t i = 0; i < count; i++) {
        double rho = una_softplus_inverse(m->numbers[count + i]);
        kl += una_vi_kl(&(una_vi){ 1, o->weight_var, m->numbers + i, &rho, NULL, NULL });
    }
    return kl;
}

static una_status bbvi_fit(una_fitting *f)
{
    una_sampled *m = f->target->state;
    bbvi_options *o = f->target->options;
    UNA_TRY(una_sampled_shape(f, 2));
    m->part = bbvi_part;
    m->parts = (size_t)o->draws;
    m->prior_var = o->weight_var;
    una_sampled_plan plan = { .job = { .goal = UNA_GOAL_ELBO, .how.descent.stage = "training bbvi",
                                       .goal_options.elbo = { o->weight_var, o->start_std, (size_t)o->samples } },
                              .context = o, .divergence = bbvi_divergence, .noise_matters = true };
    return una_sampled_fit(f, &plan);
}

/* ---- the rest of the interface --------------------------------------------------------------------------- */

static una_status bbvi_exchange(void *state, una_archive *ar)
{
    una_sampled *m = state;
    UNA_TRY(una_sampled_exchange(m, bbvi_part, 2, ar));
    if (una_sampled_heads_only(m)) return una_archive_refuse(ar, "depth", "is that of no perceptron");
    for (size_t i = m->count / 2; i < m->count; i++)
        if (!(m->numbers[i] >= 0)) return una_archive_refuse(ar, "numbers", "holds a standard deviation below zero");
    return UNA_OK;
}

static una_status bbvi_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    una_sampled *drawn = function;
    (void)keep, (void)run;
    *drawn = *(const una_sampled *)state;
    una_sampled_choose(drawn, rng);
    return UNA_OK;
}

const una_kind una_kind_bbvi = {
    .name = "bbvi",
    .summary = "Bayesian network by mean-field variational inference",
    .source = "Ranganath et al. 2014; Blundell et al. 2015",
    .options = bbvi_table,
    .options_size = sizeof(bbvi_options),
    .state_size = sizeof(una_sampled),
    .thesis = "width=50, depth=1, activation=relu, rate=0.01, rate_schedule=constant, epochs=20000, batch=32, "
              "weight_var=1, samples=20, draws=1000, units=standardised, members=1, relevance=off, "
              "noise=constant",
    .results = 5,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = bbvi_fit,
    .exchange = bbvi_exchange,
    .sample = bbvi_sample,
    UNA_SAMPLED_CALLS,
};
