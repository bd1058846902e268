/* SPDX-License-Identifier: MIT
 *
 * The default algorithm: several trainings of a kind become one mixture. See committee.h; fit_committee below is its
 * description, step by step.
 */
#include "committee/committee.h"

#include "committee/adapt.h"
#include "committee/steps.h"
#include "train/joint_targets.h"
#include "train/network.h"

/* ---- what a committee is not possible with ---------------------------------------------------------------------- */

/* Images have no single inputs to scale, or for the noise to follow; and their trainings are long. */
static una_status settle_for_images(const una_fitting *f, una_common_options *o)
{
    if (!una_columns_image(f->problem->columns).height) return UNA_OK;
    UNA_TRY(una_kind_need_images(f->kind, f->run));
    if (o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: noise=varying is not possible with images; use noise=constant",
                 f->kind->name);
    if (o->relevance == UNA_RELEVANCE_ON)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: relevance=on is not possible with images; use relevance=off", f->kind->name);
    if (UNA_IS_AUTO(o->members)) o->members = 1;
    o->noise = UNA_NOISE_CONSTANT;
    o->relevance = UNA_RELEVANCE_OFF;
    return UNA_OK;
}

/* Refuses a target with too few rows to learn from, or without any to validate on. */
static una_status check_target_rows(const una_fitting *f)
{
    const una_problem *p = f->problem;
    const char *origin = p->data ? p->data->origin : "the data";
    for (size_t t = 0; t < p->outputs; t++) {
        size_t rows = una_target_cells(p->y, p->x.rows, p->outputs, t);
        size_t held = una_target_cells(p->valid_y, p->valid_x.rows, p->outputs, t);
        if (rows < f->kind->least_rows)
            UNA_FAIL(f->run, UNA_E_INPUT, "%s: %s needs at least %zu rows to learn a target from, and '%s' has only "
                     "%zu; leave that target out", origin, f->kind->name, f->kind->least_rows, p->columns[t].target,
                     rows);
        if (p->valid_x.rows > 0 && held == 0)
            UNA_FAIL(f->run, UNA_E_INPUT, "%s: none of the rows held out has the target '%s'; hold out more of them, "
                     "or fit that target by itself", origin, p->columns[t].target);
    }
    return UNA_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

enum { FEW_ROWS = 2000, REPEATS_OF_FEW = 4, REPEATS_OF_MANY = 2, MEMBERS_HELD_OUT = 4 };

/* members=auto. Few rows: trainings are cheap, and differ mostly by chance. */
static size_t members_rule(const una_problem *p)
{
    if (p->folds) return p->folds * (una_table_rows(p) < FEW_ROWS ? REPEATS_OF_FEW : REPEATS_OF_MANY);
    return p->valid_x.rows == 0 ? 1 : MEMBERS_HELD_OUT;
}

/* True if the fit ends with one training on all rows, which therefore has no out-of-fold predictions: after folds; and
 * after held-out rows if the kind is a sampler, since it cannot take them in later. */
static bool is_one_training(const una_kind *kind, const una_common_options *o, const una_problem *p)
{
    bool constant = o->noise == UNA_NOISE_CONSTANT || (o->noise == UNA_NOISE_AUTO && una_is_given(o->noise_std));
    bool trains_again = p->folds > 0 || (kind->mixture && o->noise != UNA_NOISE_VARYING);
    return o->members <= 1 && (constant || trains_again || p->valid_x.rows == 0);
}

/* A Gaussian process on a sample says too little about many rows: with scaled inputs the fits were worse there. */
static bool scales_inputs(const una_common_options *o, const una_problem *p, bool one_training)
{
    if (o->relevance == UNA_RELEVANCE_AUTO) return !one_training && una_table_rows(p) < FEW_ROWS;
    return o->relevance == UNA_RELEVANCE_ON;
}

/* Options that the kind does not have, or that the rows settle. *one: the fit is one training. */
static una_status settle_options(una_fitting *f, bool *one)
{
    const una_problem *p = f->problem;
    una_common_options *o = una_common_of(f->target);
    size_t targets = una_problem_outputs(p);
    bool left_out = p->folds > 0 || p->valid_x.rows > 0;         /* rows that compare members */
    *one = f->anchor;
    if (f->kind->prepare) UNA_TRY(f->kind->prepare(f));
    if (o->members == 0) o->members = 1;
    if (f->anchor && !UNA_IS_AUTO(o->members) && o->members > 1)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: members=%g is not possible in an anchored ensemble, where every member has "
                 "its own anchor; leave members out, and give the ensemble more of them", f->kind->name, o->members);
    if (f->anchor) return UNA_OK;
    UNA_TRY(targets == 1 ? settle_for_images(f, o) : check_target_rows(f));
    if (!f->kind->validation) return una_heavy_check(f, o, false);

    if (UNA_IS_AUTO(o->members) || !left_out) o->members = (double)members_rule(p);
    *one = is_one_training(f->kind, o, p);
    if (*one && o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: noise=varying is learnt from out-of-fold predictions; with members=1 and so "
                 "few rows (%zu) there are none in the end; use members=5 or more", f->kind->name, p->x.rows);
    UNA_TRY(una_heavy_check(f, o, *one));
    if (*one) o->noise = UNA_NOISE_CONSTANT;
    if (*one) una_set_number(&o->tails, HUGE_VAL);
    for (size_t t = 1; t < targets; t++) {
        una_common_of(&f->target[t])->members = o->members;
        una_common_of(&f->target[t])->noise = o->noise;
        una_common_of(&f->target[t])->tails = o->tails;
    }
    return UNA_OK;
}

/* Which fold each member leaves out; inputs are scaled in all repeats, or in two of four. */
static una_status plan_members(una_committee *c)
{
    const una_problem *p = &c->pair->plain;
    bool all_scaled = una_common_of(c->target)->relevance == UNA_RELEVANCE_ON;
    c->count = (size_t)una_common_of(c->target)->members;
    UNA_NEW_AT(&c->f->run->scratch, c->member, c->count);
    for (size_t i = 0; i < c->count; i++) {
        una_member_fit *fit = &c->member[i];
        *fit = (una_member_fit){ .repeat = p->folds ? i / p->folds : i, .number = i, .label = p->folds ? p->fold : NULL,
                                 .left_out_label = (unsigned char)(p->folds ? i % p->folds : 0) };
        fit->pair = &c->pair[c->scaled_folds ? 1 + fit->left_out_label : 0];
        fit->scaled = fit->pair->scale && (all_scaled || fit->repeat % 2 == 0);
    }
    return UNA_OK;
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

static una_status fit_members(una_committee *c)
{
    bool any[2] = { false, false };
    UNA_TRY(plan_members(c));
    for (size_t i = 0; i < c->count; i++) any[c->member[i].scaled] = true;
    UNA_TRY(una_problem_pair_share(c->pair, any[false], any[true], c->f->run));
    for (size_t t = 0; c->per_target && t < c->targets; t++) UNA_TRY(plan_members(&c->per_target[t]));
    return una_train_members(c, c->f->run);
}

static una_status collect_oof(una_committee *c)
{
    for (size_t t = 0; t < una_committee_targets(c); t++) UNA_TRY(una_oof_of_members(una_committee_of(c, t)));
    return UNA_OK;
}

/* For callers that ask for them. */
static void report_oof(una_committee *c)
{
    for (size_t t = 0; t < una_committee_targets(c); t++) {
        const una_committee *own = una_committee_of(c, t);
        una_oof_report(&own->oof, own->chosen.noise_var, own->pair->plain.folds, own->target->result);
    }
}

/* Once more where a few large errors have ruled the trainings, on targets without these. */
static una_status train_without_large_errors(una_committee *c, bool scales)
{
    bool again;
    UNA_TRY(una_heavy_cut(&again, c));
    if (!again) return UNA_OK;
    una_jobs_free(c->member, sizeof *c->member, c->count);
    c->count = 0;
    UNA_TRY(una_committee_scale_inputs(c, scales));
    UNA_TRY(fit_members(c));
    UNA_TRY(collect_oof(c));
    return una_choose_weights(c);
}

/* Again without heavy tails where they turn out to be none. */
static una_status choose_scale_and_noise(una_committee *c)
{
    for (;;) {
        UNA_TRY(una_choose_prior_scale(c));                   /* by regions left out whole                        */
        UNA_TRY(una_choose_noise(c));                         /* constant or varying, Gaussian or not, on out-of-fold
                                                                 residuals                                        */
        if (!una_heavy_undo(c)) return UNA_OK;
        UNA_TRY(una_choose_weights(c));
    }
}

static una_status fit_committee(una_committee *c)
{
    una_fitting *f = c->f;
    una_run *run = f->run;
    bool one;
    UNA_TRY(settle_options(f, &one));                         /* how many members, which rows each leaves out     */
    una_network_note(&f->target->result->notes, f->problem, run);
    if (!f->kind->validation) return una_fixed_features_fit(f);

    bool scales = scales_inputs(una_common_of(c->target), f->problem, one);
    double first = scales ? 0.05 : 0, members = una_prior_scale_is_wanted(c) ? 0.8 : 1;          /* of the progress */
    UNA_STAGE(run, 0, first, una_committee_scale_inputs(c, scales));     /* lengths on a sample: inputs times 1/length */
    if (one) {
        UNA_STAGE(run, first, 1, una_fit_single(c));
        return UNA_OK;
    }
    UNA_STAGE(run, first, members, fit_members(c));           /* each leaves out a fold; they train as one batch  */
    UNA_TRY(collect_oof(c));                                  /* what members predict for rows they did not see   */
    UNA_TRY(una_choose_weights(c));                           /* stacking, Yao et al. 2018; and a first noise     */
    UNA_STAGE(run, members, members, train_without_large_errors(c, scales));     /* where there are outliers      */
    UNA_STAGE(run, members, 1, choose_scale_and_noise(c));    /* the prior scale by regions left out whole        */
    UNA_TRY(una_report_regions(c));                           /* for a stack                                      */
    report_oof(c);
    return una_finish_posteriors(c);                          /* every member's posterior takes all rows in       */
}

una_status una_committee_fit(una_fitting *f)
{
    una_committee c = { .f = f, .target = f->target, .steps_share = 1, .targets = una_problem_outputs(f->problem) };
    una_status status = fit_committee(&c);
    una_jobs_free(c.member, sizeof *c.member, c.count);
    if (status == UNA_OK && f->coupling && c.targets == 1) {
        f->coupling->noise[0] = f->target->result->noise_var;
        f->coupling->joint = true;
    }
    return status;
}

const una_kind una_committee_calls = {
    .name = "committee",
    .fit = una_committee_fit,
    .relearn = una_committee_relearn,
    .exchange = una_members_exchange,
    .holds = una_members_holds,
    .adapt = una_members_adapt,
    UNA_MEMBERS_CALLS,
};
