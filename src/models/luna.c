/* SPDX-License-Identifier: MIT
 *
 * LUNA: learned uncertainty-aware bases. M auxiliary linear heads share one feature network; each fits y, and their
 * slopes are pushed apart, so that the features can extrapolate in many ways where there is no data:
 *   J = (1/M) sum_m sum_i (y_i - f_m(x_i))^2/(2 sigma^2) + gamma |Psi|^2
 *       + lambda s(u) C sum_{i<j} cos^2(grad f_i, grad f_j)
 * with C = 2n/(M (M-1)) and the slopes of a head stacked over all probes into one vector (per point, the similarity of
 * more than D heads cannot vanish, and for D = 1 it is identically 1). The heads are then replaced by a Bayesian linear
 * head. With several targets each has M heads on the same features; J is the sum over targets, with the similarity of
 * each target's heads (target_cosine=summed) or of maps to all targets, whose slopes are one vector (jacobian). Probes
 * are the training points (the thesis) or random points between pairs of them, where there is no data.
 * Source: Lorsung, Understanding uncertainty in Bayesian deep learning, 2021; Thakur, Lorsung, Yacoby, Doshi-Velez,
 * Pan, Uncertainty-aware (UNA) bases for deep Bayesian regression using multi-headed auxiliary networks, 2020.
 */
#include "train/basis.h"
#include "committee/committee.h"

typedef struct luna_options {
    una_basis_options basis;             /* first                                                           */
    double heads, head_share, diversity, diversity_every, diversity_rows, target_cos2;
    int    schedule, probes, cosine, target_cosine, slopes;
    double perturbation_std, directions;
    int    direction_kind;
} luna_options;

enum { BOTH = UNA_PROBES_BEYOND + 1, EVERY = 3, FEW_OF_IMAGES = 2, FEW_ROWS = 2000 };

static const una_option luna_table[] = {
    { "heads", UNA_COUNT, offsetof(luna_options, heads), "auto", 2, 1000, true, NULL,
      "M: auxiliary regressors; auto = half the features" },
    { "head_share", UNA_REAL, offsetof(luna_options, head_share), "auto", 0, 1e6, true, NULL,
      "penalty of the heads relative to that of the hidden layers; auto = 1/heads, so that a head balances fit and "
      "penalty as in nlm" },
    { "diversity", UNA_REAL, offsetof(luna_options, diversity), "30", 0, 1e8, true, NULL,
      "lambda: weight of the heads' similarity; auto = steered so that mean cos^2 reaches target_cos2" },
    { "diversity_every", UNA_COUNT, offsetof(luna_options, diversity_every), "auto", 1, 1000, true, NULL,
      "slopes are compared in every k-th step, with k times the weight; auto = 3 in a committee, else 1" },
    { "diversity_rows", UNA_COUNT, offsetof(luna_options, diversity_rows), "auto", 0, 1e12, true, NULL,
      "the diversity's weight grows with the number of rows, as that of the fit does, up to this number; 0 = no "
      "limit (the thesis); auto = 1000, for images 220" },
    { "target_cos2", UNA_REAL, offsetof(luna_options, target_cos2), "auto", 1e-6, 1, true, NULL,
      "mean cos^2 that diversity=auto steers to; auto = 0.3 for one input, less for more" },
    { "schedule", UNA_WORD, offsetof(luna_options, schedule), "sigmoid", 0, 0, false, UNA_SCHEDULES,
      "how the diversity grows over training" },
    { "probes", UNA_WORD, offsetof(luna_options, probes), "both", 0, 0, false, UNA_PROBES "|both",
      "where slopes are compared: at the training points (the thesis), between pairs of them, or also beyond them; "
      "both = beyond in one repeat of four, between in the others; for images at the training points" },
    { "cosine", UNA_WORD, offsetof(luna_options, cosine), "stacked", 0, 0, false, "stacked|per_point",
      "one slope vector per head over all probes, or one per head and probe (two inputs or more)" },
    { "target_cosine", UNA_WORD, offsetof(luna_options, target_cosine), "summed", 0, 0, false, "summed|jacobian",
      "with several targets: similarity of the heads of each target, summed, or of the maps to all targets, by their "
      "full Jacobians" },
    { "slopes", UNA_WORD, offsetof(luna_options, slopes), "differences", 0, 0, false, "differences|exact",
      "slopes by finite differences (the thesis) or exact" },
    { "perturbation_std", UNA_REAL, offsetof(luna_options, perturbation_std), "auto", 1e-6, 1000, true, NULL,
      "std of the finite-difference step, on standardised inputs; auto = 0.1, for images 10/32 of the square root of "
      "the number of pixels" },
    { "directions", UNA_COUNT, offsetof(luna_options, directions), "auto", 0, 1e6, true, NULL,
      "random inputs per step along which slopes are computed; 0 = all (fewer for wide data); auto = all, for images 2" },
    { "direction_kind", UNA_WORD, offsetof(luna_options, direction_kind), "inputs", 0, 0, false, UNA_DIRECTION_KINDS,
      "slopes along inputs, or along random unit vectors" },
    UNA_ROWS_BODY(luna_options, basis),
    UNA_NET_TABLE(luna_options, "auto", true, "learning rate; auto = 0.01, for images 0.001", "1", "auto"),
    UNA_VALIDATION_TABLE(luna_options),
    UNA_ROWS_GROWTH,
    UNA_COMMITTEE_TABLE("auto", "auto"),
    UNA_ROW_TAILS,
    { .name = NULL }
};

static una_status luna_check(const luna_options *o, const una_problem *problem, una_run *run)
{
    if (o->cosine == 1 && problem->x.cols == 1)
        UNA_FAIL(run, UNA_E_USAGE, "luna: cosine=per_point needs two inputs or more: with one input the cosine of two "
                 "slopes at a point is always 1 or -1, so nothing would be learnt; use cosine=stacked");
    if (o->direction_kind == 1 && o->directions == 0)
        UNA_FAIL(run, UNA_E_USAGE, "luna: direction_kind=unit needs directions=k, the number of unit vectors a step");
    return UNA_OK;
}

/* The rows that a member leaves out give its noise and weight. Where they are few they do not choose its parameters too:
 * what is best on few rows is less good on others (docs/methods/AUTOMATIC.md). */
static bool keeps_last(const una_basis_options *o, const una_problem *problem)
{
    return o->kept == UNA_KEPT_AUTO && o->common.members != 1 && o->patience == 0 && una_table_rows(problem) < FEW_ROWS;
}

/* Fills in automatic options. */
static void luna_fill_options(luna_options *o, const una_problem *problem)
{
    double features = UNA_IS_AUTO(o->basis.features) ? o->basis.width : o->basis.features;
    double inputs = (double)problem->x.cols;
    bool images = una_is_of_images(problem);
    if (images) o->direction_kind = 1;
    if (images && o->probes == BOTH) o->probes = UNA_PROBES_DATA;
    if (UNA_IS_AUTO(o->diversity_rows)) o->diversity_rows = images ? 220 : 1000;
    if (UNA_IS_AUTO(o->perturbation_std)) o->perturbation_std = images ? sqrt(inputs) * 10 / 32 : 0.1;
    if (UNA_IS_AUTO(o->directions) || (images && o->directions == 0)) o->directions = images ? FEW_OF_IMAGES : 0;
    if (UNA_IS_AUTO(o->diversity_every)) o->diversity_every = images || o->basis.common.members == 1 ? 1 : EVERY;
    if (keeps_last(&o->basis, problem)) o->basis.kept = UNA_KEPT_LAST;
    if (UNA_IS_AUTO(o->heads)) o->heads = fmax(2, floor(features / 2));
    if (UNA_IS_AUTO(o->head_share)) o->head_share = 1 / o->heads;
    if (UNA_IS_AUTO(o->target_cos2)) o->target_cos2 = fmax(0.01, 0.3 / (inputs * inputs));
}

static una_basis_plan luna_plan(const luna_options *o, const una_problem *problem)
{
    bool steer = UNA_IS_AUTO(o->diversity);
    double rows = (double)una_training_row_count(problem);
    double share = o->diversity_rows > 0 ? fmin(1, o->diversity_rows / rows) : 1;
    una_basis_plan plan = { .stage = "training luna", .heads = (size_t)o->heads };
    plan.training = (una_training_settings){
        .diversity = steer ? 1 : o->diversity * share, 
        .diversity_every = (size_t)o->diversity_every, .steer = steer, .target_cos2 = o->target_cos2,
        .schedule = steer ? 0 : o->schedule, .probes = o->probes, .per_point = o->cosine == 1, .exact = o->slopes == 1,
        .perturbation_std = o->perturbation_std, .directions = (size_t)o->directions,
        .unit_directions = o->direction_kind == 1, .jacobian = o->target_cosine == 1,
        .head_relief = 1 - o->head_share, .descent.validate_from = 0.6 };
    return plan;
}

static void luna_notes(const luna_options *o, const una_basis_plan *plan, una_fit_result *result)
{
    bool steer = plan->training.steer;
    if (steer) una_notes_add(&result->notes, "The diversity was steered to a mean cos^2 of %g.", o->target_cos2);
    if (result->mean_cos2 > 0.99)
        una_notes_add(&result->warnings, "The auxiliary heads have collapsed (mean cos^2 %.3f): they all learnt one "
                      "function, and the bands may be too narrow where there is no data; raise diversity (now %g%s) "
                      "or lower penalty (now %g).", result->mean_cos2, steer ? plan->training.diversity : o->diversity,
                      steer ? " at the start, then steered" : "", o->basis.penalty);
}

/* Options of all targets are equal, but for the noise and what follows from it. */
static una_status luna_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    const luna_options *first = f->target->options;
    UNA_TRY(luna_check(first, p, f->run));
    for (size_t t = 0; t < una_problem_outputs(p); t++) luna_fill_options(f->target[t].options, p);
    una_basis_plan plan = luna_plan(first, p);
    UNA_TRY(una_basis_fit(f, &plan));
    luna_notes(first, &plan, f->target->result);         /* one note for all: they share the features */
    return UNA_OK;
}

/* Probes lie beyond the data in the second of four repeats, between rows in the others, because most gaps lie there. */
static void luna_vary(void *options, size_t repeat)
{
    luna_options *o = options;
    if (o->probes == BOTH) o->probes = repeat % 4 == 1 ? UNA_PROBES_BEYOND : UNA_PROBES_BETWEEN;
}

const una_kind una_kind_luna = {
    .name = "luna",
    .summary = "learned uncertainty-aware basis: features whose heads disagree where there is no data",
    .source = "Lorsung 2021; Thakur, Lorsung, Yacoby, Doshi-Velez and Pan 2020",
    .options = luna_table,
    .options_size = sizeof(luna_options),
    /* The settings of the cubic: 50 heads, gamma 0.1 and lambda 1, which there multiplies the sum over the 1225 pairs
     * of heads. Here it multiplies their mean times the rows, of which the cubic has 100: 1225/100. With less the heads
     * collapse. */
    .thesis = "heads=50, head_share=1, diversity=12, diversity_rows=0, schedule=sigmoid, probes=data, cosine=stacked, "
              "slopes=differences, perturbation_std=0.1, width=50, depth=2, activation=relu, rate=0.001, "
              "rate_schedule=constant, epochs=20000, batch=128, restarts=1, penalty=0.1, prior_var=1, "
              "units=standardised, members=1, relevance=off, noise=constant",
    .results = 5,
    .least_rows = 5,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = luna_fit,
    .fit_to = { .targets = luna_fit, .images = luna_fit, .part = luna_fit },
    .vary = luna_vary,
    .functions = una_basis_functions,
    UNA_BASIS_CALLS,
};
