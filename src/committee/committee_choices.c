/* SPDX-License-Identifier: MIT
 *
 * Weights, noise and prior variance chosen by out-of-fold predictions; one head for several targets. See
 * committee_choices.h.
 */
#include "committee/committee_choices.h"

#include "committee/prior_scale.h"
#include "committee/several_targets.h"

/* ---- one target, or each of several ------------------------------------------------------------------------------ */

/* Weights of the repeats, and the noise, by out-of-fold predictions: of each target, or the same weights for all of
 * them. */
static una_status choose_weights(una_committee_choice *out, una_oof *oof, una_committee *c, bool stacked,
                                 bool share_weights, una_run *run)
{
    size_t targets = una_committee_targets(c);
    UNA_NEW(&run->scratch, double, noise_var, targets);
    for (size_t t = 0; t < targets; t++) {
        una_committee_collect_oof(&oof[t], una_committee_of(c, t));
        out[t].noise_var = noise_var[t] = una_oof_noise(&oof[t]);
    }
    if (!stacked) return UNA_OK;
    if (share_weights) UNA_TRY(una_oof_weigh_targets(oof, targets, noise_var, run));
    for (size_t t = 0; t < targets; t++) {
        if (!share_weights) UNA_TRY(una_oof_weigh(&oof[t], noise_var[t], run));
        out[t].noise_var = una_oof_noise(&oof[t]);
    }
    return UNA_OK;
}

/* The prior variance: away from the data it alone decides how wide the bands are. */
static una_status choose_priors(una_committee_choice *out, una_oof *oof, una_committee *c, void *const *options,
                                una_fit_result *const *result, una_run *run)
{
    size_t targets = una_committee_targets(c);
    UNA_NEW(&run->scratch, double, prior_var, targets);
    for (size_t t = 0; t < targets; t++) {
        bool given = una_kind_is_given(c->single, options[t], "prior_var");
        prior_var[t] = given ? *una_kind_number_option(c->single, options[t], "prior_var") : 1;
        una_committee_of(c, t)->noise_var = out[t].noise_var;
    }
    if (una_prior_scale_is_wanted(c->single, options[0], &c->pair->plain))
        UNA_TRY(una_prior_var_choose(prior_var, c, oof, result, run));
    for (size_t t = 0; t < targets; t++) out[t].prior_var = prior_var[t];
    return UNA_OK;
}

static double chosen_noise(una_oof *oof, const una_committee *c, void *options)
{
    if (!una_kind_is_given(c->single, options, "noise_std")) return una_oof_noise(oof);
    double noise_std = *una_kind_number_option(c->single, options, "noise_std");
    return pow(noise_std * una_kind_unit(c->single, options, &c->pair->plain), 2);
}

/* The noise of one target, and its shape, by out-of-fold predictions with its prior variance. */
static una_status choose_target_noise(una_committee_choice *out, una_oof *oof, una_committee *c, void *options,
                                      una_arena *keep, una_run *run)
{
    const una_committee_options *o = una_committee_options_of(c->single, options);
    bool noise_given = una_kind_is_given(c->single, options, "noise_std");
    c->noise_var = out->noise_var;
    if (c->single->relearn) UNA_TRY(una_committee_predict_again(oof, c, out->prior_var, run));
    if (o->noise == UNA_NOISE_VARYING || (o->noise == UNA_NOISE_AUTO && !noise_given))
        UNA_TRY(una_oof_noise_shape(&out->noise, oof, &c->pair->plain, o->noise == UNA_NOISE_VARYING, keep, run));
    out->noise_var = chosen_noise(oof, c, options);
    return UNA_OK;
}

una_status una_committee_choose(una_committee_choice *out, una_oof *oof, una_committee *c, void *const *options,
                                bool share_weights, una_fit_result *const *result, una_arena *keep, una_run *run)
{
    bool stacked = una_committee_options_of(c->single, options[0])->weights == UNA_WEIGHTS_STACKED;
    UNA_TRY(choose_weights(out, oof, c, stacked, share_weights, run));
    UNA_TRY(choose_priors(out, oof, c, options, result, run));
    una_progress_part(run, 1, 1);                        /* from here on nothing takes long */
    for (size_t t = 0; t < una_committee_targets(c); t++)
        UNA_TRY(choose_target_noise(&out[t], &oof[t], una_committee_of(c, t), options[t], keep, run));
    return UNA_OK;
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

/* One linear head for all targets, if possible: predicts again with the common ratio, and chooses the noise by that. */
static una_status choose_one_head(bool *joint, una_committee_choice *by, una_oof *oof, una_committee *c,
                                  void *const *options, una_run *run)
{
    size_t n = c->targets;
    double *noise = UNA_GET(&run->scratch, double, n), *prior = UNA_GET(&run->scratch, double, n);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < n; t++) {
        if (by[t].noise) return UNA_OK;
        noise[t] = by[t].noise_var;
        prior[t] = by[t].prior_var;
    }
    if (!una_one_ratio(prior, noise, n)) return UNA_OK;

    for (size_t t = 0; t < n; t++) {
        c->per_target[t].noise_var = noise[t];
        UNA_TRY(una_committee_predict_again(&oof[t], &c->per_target[t], prior[t], run));
        by[t].noise_var = chosen_noise(&oof[t], &c->per_target[t], options[t]);
        by[t].prior_var = prior[t] / noise[t] * by[t].noise_var;
    }
    *joint = true;
    return UNA_OK;
}

/* Out-of-fold errors of all targets, row by row; each target numbers its own rows. */
static una_status gather_errors(una_errors *errors, const una_oof *oof, const una_problem *whole, una_run *run)
{
    size_t n = whole->outputs, rows = una_oof_x(whole).rows;
    const double *y = una_oof_y(whole);
    size_t *next = UNA_GET(&run->scratch, size_t, n);
    double *error = UNA_GET(&run->scratch, double, n), mean, var;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) {
        for (size_t t = 0; t < n; t++) {
            error[t] = NAN;
            if (isnan(y[i * n + t])) continue;
            size_t row = next[t]++;
            if (una_oof_moments(&oof[t], row, &mean, &var)) error[t] = oof[t].y[row] - mean;
        }
        una_errors_add(errors, error);
    }
    return UNA_OK;
}

una_status una_committee_choose_coupling(una_target_coupling *coupling, una_committee_choice *by, una_oof *oof,
                                         una_committee *c, bool complete, void *const *options, una_fit_result *result,
                                         una_run *run)
{
    size_t n = c->targets;
    bool varies = false;
    una_errors errors;
    double *noise_var = UNA_GET(&run->scratch, double, n);
    UNA_TRY(una_errors_take(&errors, n, &run->scratch));
    coupling->joint = false;
    if (complete) UNA_TRY(choose_one_head(&coupling->joint, by, oof, c, options, run));
    for (size_t t = 0; t < n; t++) varies = varies || by[t].noise;
    una_note_heads(&result->notes, coupling->joint, complete, varies);
    UNA_TRY(gather_errors(&errors, oof, &c->pair->plain, run));
    for (size_t t = 0; t < n; t++) noise_var[t] = by[t].noise_var;
    return una_errors_noise(coupling->noise, &errors, noise_var, run);
}
