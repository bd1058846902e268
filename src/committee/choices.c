/* SPDX-License-Identifier: MIT
 *
 * Weights and noise chosen by out-of-fold predictions; one head for several targets. See steps.h.
 */
#include "committee/steps.h"

#include "train/basis.h"
#include "train/joint_targets.h"

/* Repeats with scaled inputs are one stratum, the others another. A fold may tell no scale where others tell one. */
static void assign_strata(una_oof *oof, const una_committee *c)
{
    bool any[2] = { false, false };
    for (size_t r = 0; r < oof->repeats; r++) oof->stratum[r] = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->member[i].scaled) oof->stratum[c->member[i].repeat] = 1;
    for (size_t r = 0; r < oof->repeats; r++) any[oof->stratum[r]] = true;
    for (size_t r = 0; r < oof->repeats; r++) oof->stratum[r] = any[0] && oof->stratum[r];
    oof->strata = any[0] && any[1] ? 2 : 1;
}

una_status una_oof_of_members(una_committee *c)
{
    const una_problem *p = &c->pair->plain;
    size_t repeats = c->member[c->count - 1].repeat + 1;
    UNA_TRY(una_oof_init(&c->oof, repeats, una_oof_x(p).rows, una_oof_y(p), &c->f->run->scratch));
    c->oof.repeats_are_sample = p->folds > 0;
    if (p->folds > 0) assign_strata(&c->oof, c);
    una_collect_oof(&c->oof, c);
    return UNA_OK;
}

/* Whether every row has every target, so that all targets share the weights. */
static bool is_complete(const una_committee *c)
{
    return !c->per_target || una_problem_complete(c->f->problem);
}

una_status una_choose_weights(una_committee *c)
{
    size_t targets = una_committee_targets(c);
    una_run *run = c->f->run;
    UNA_NEW(&run->scratch, una_oof *, oof, targets);
    UNA_NEW(&run->scratch, double, noise_var, targets);
    for (size_t t = 0; t < targets; t++) {
        oof[t] = &una_committee_of(c, t)->oof;
        UNA_TRY(una_heavy_begin(una_committee_of(c, t)));
        noise_var[t] = una_committee_of(c, t)->chosen.noise_var = una_oof_noise(oof[t]);
    }
    if (una_common_of(c->target)->weights != UNA_WEIGHTS_STACKED) return UNA_OK;
    if (is_complete(c)) UNA_TRY(una_oof_weigh(oof, targets, noise_var, run));
    for (size_t t = 0; t < targets; t++) {
        if (!is_complete(c)) UNA_TRY(una_oof_weigh(&oof[t], 1, &noise_var[t], run));
        una_committee_of(c, t)->chosen.noise_var = una_oof_noise(oof[t]);
    }
    return UNA_OK;
}

static double chosen_noise(una_committee *c)
{
    const una_common_options *o = una_common_of(c->target);
    if (!una_is_given(o->noise_std)) return una_oof_noise(&c->oof);
    return pow(o->noise_std * una_unit(o->units, &c->pair->plain), 2);
}

/* The noise of one target, and its shape, by out-of-fold predictions with its prior variance. */
static una_status choose_target_noise(una_committee *c)
{
    const una_common_options *o = una_common_of(c->target);
    una_fitting *f = c->f;
    bool must = o->noise == UNA_NOISE_VARYING, may = o->noise == UNA_NOISE_AUTO && !una_is_given(o->noise_std);
    c->noise_var = una_head_noise(&c->chosen);
    if (f->kind->relearn) UNA_TRY(una_predict_again(c, c->chosen.prior_var, f->run));
    if (must || may)
        UNA_TRY(una_oof_noise_shape(&c->chosen.noise, &c->oof, &c->pair->plain, must, f->keep, f->run));
    UNA_TRY(una_heavy_settle(c));
    c->chosen.noise_var = chosen_noise(c);
    return UNA_OK;
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

/* One linear head for all targets, if possible: predicts again with the common ratio, and chooses the noise by that. */
static una_status choose_one_head(bool *joint, una_committee *c, una_run *run)
{
    size_t n = c->targets;
    UNA_NEW(&run->scratch, double, noise, n);
    UNA_NEW(&run->scratch, double, prior, n);
    for (size_t t = 0; t < n; t++) {
        const una_committee_choice *chosen = &c->per_target[t].chosen;
        if (chosen->noise || chosen->tails) return UNA_OK;
        noise[t] = chosen->noise_var;
        prior[t] = chosen->prior_var;
    }
    if (!una_one_ratio(prior, noise, n)) return UNA_OK;

    for (size_t t = 0; t < n; t++) {
        una_committee *own = &c->per_target[t];
        own->noise_var = noise[t];
        UNA_TRY(una_predict_again(own, prior[t], run));
        own->chosen.noise_var = chosen_noise(own);
        own->chosen.prior_var = prior[t] / noise[t] * own->chosen.noise_var;
    }
    *joint = true;
    return UNA_OK;
}

/* Out-of-fold errors of all targets, row by row; each target numbers its own rows. */
static una_status gather_errors(una_errors *errors, const una_committee *c, una_run *run)
{
    const una_problem *all = c->f->problem;
    size_t n = c->targets, rows = una_oof_x(all).rows;
    const double *y = una_oof_y(all);
    double mean, var;
    UNA_NEW(&run->scratch, size_t, next, n);
    UNA_NEW(&run->scratch, double, error, n);
    for (size_t i = 0; i < rows; i++) {
        for (size_t t = 0; t < n; t++) {
            const una_oof *oof = &c->per_target[t].oof;
            error[t] = NAN;
            if (isnan(y[i * n + t])) continue;
            size_t row = next[t]++;
            if (una_oof_moments(oof, row, &mean, &var)) error[t] = oof->y[row] - mean;
        }
        una_errors_add(errors, error);
    }
    return UNA_OK;
}

/* One head where that is possible, which changes the targets' choices, and the covariance of their noise. */
static una_status choose_coupling(una_committee *c, una_run *run)
{
    size_t n = c->targets;
    una_target_coupling *coupling = c->f->coupling;
    bool varies = false, complete = is_complete(c);
    una_errors errors;
    UNA_NEW(&run->scratch, double, noise_var, n);
    UNA_TRY(una_errors_take(&errors, n, &run->scratch));
    coupling->joint = false;
    if (complete) UNA_TRY(choose_one_head(&coupling->joint, c, run));
    for (size_t t = 0; t < n; t++)
        varies = varies || c->per_target[t].chosen.noise || c->per_target[t].chosen.tails;
    una_note_heads(&c->target->result->notes, coupling->joint, complete, varies);
    UNA_TRY(gather_errors(&errors, c, run));
    for (size_t t = 0; t < n; t++) noise_var[t] = c->per_target[t].chosen.noise_var;
    return una_errors_noise(coupling->noise, &errors, noise_var, run);
}

una_status una_choose_noise(una_committee *c)
{
    for (size_t t = 0; t < una_committee_targets(c); t++) UNA_TRY(choose_target_noise(una_committee_of(c, t)));
    return c->per_target ? choose_coupling(c, c->f->run) : UNA_OK;
}
