/* SPDX-License-Identifier: MIT
 *
 * Weights, noise, prior variance from what seats have said; one head for several targets. See seats_choose.h.
 */
#include "fit/seats_choose.h"

#include "fit/ignorance.h"
#include "fit/together.h"

/* ---- one target, or each of several ------------------------------------------------------------------------------ */

/* Weights of the rounds by what all seats have said, and the noise: of each target, or the weights for all of them. */
static una_status weigh(una_chosen *out, una_said *said, una_committee *c, bool stacked, bool alike, una_run *run)
{
    size_t targets = una_committee_targets(c);
    double *noise_var = UNA_GET(&run->scratch, double, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < targets; t++) {
        una_committee_gather(&said[t], una_committee_of(c, t));
        out[t].noise_var = noise_var[t] = una_said_noise(&said[t]);
    }
    if (!stacked) return UNA_OK;
    if (alike) UNA_TRY(una_said_weigh_together(said, targets, noise_var, run));
    for (size_t t = 0; t < targets; t++) {
        if (!alike) UNA_TRY(una_said_weigh(&said[t], noise_var[t], run));
        out[t].noise_var = una_said_noise(&said[t]);
    }
    return UNA_OK;
}

/* The scale of ignorance: all that a prior variance decides away from the data. */
static una_status choose_priors(una_chosen *out, una_said *said, una_committee *c, void *const *options,
                                una_fit_result *const *result, una_run *run)
{
    size_t targets = una_committee_targets(c);
    double *prior_var = UNA_GET(&run->scratch, double, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < targets; t++) {
        bool given = una_kind_is_given(c->one, options[t], "prior_var");
        prior_var[t] = given ? *una_kind_number(c->one, options[t], "prior_var") : 1;
        una_committee_of(c, t)->noise_var = out[t].noise_var;
    }
    if (una_ignorance_is_sought(c->one, options[0], &c->twins->plain))
        UNA_TRY(una_ignorance_choose(prior_var, c, said, result, run));
    for (size_t t = 0; t < targets; t++) out[t].prior_var = prior_var[t];
    return UNA_OK;
}

static double chosen_noise(una_said *said, const una_committee *c, void *options)
{
    if (!una_kind_is_given(c->one, options, "noise_std")) return una_said_noise(said);
    return pow(*una_kind_number(c->one, options, "noise_std") * una_kind_unit(c->one, options, &c->twins->plain), 2);
}

/* The noise of one target, and its shape, by what seats say with its prior variance. */
static una_status choose_noise(una_chosen *out, una_said *said, una_committee *c, void *options, una_arena *keep,
                               una_run *run)
{
    const una_committee_options *o = una_committee_options_of(c->one, options);
    bool noise_given = una_kind_is_given(c->one, options, "noise_std");
    c->noise_var = out->noise_var;
    if (c->one->relearn) UNA_TRY(una_committee_say_again(said, c, out->prior_var, run));
    if (o->noise == UNA_NOISE_VARYING || (o->noise == UNA_NOISE_AUTO && !noise_given))
        UNA_TRY(una_said_shape(&out->noise, said, &c->twins->plain, o->noise == UNA_NOISE_VARYING, keep, run));
    out->noise_var = chosen_noise(said, c, options);
    return UNA_OK;
}

una_status una_seats_choose(una_chosen *out, una_said *said, una_committee *c, void *const *options, bool alike,
                            una_fit_result *const *result, una_arena *keep, una_run *run)
{
    bool stacked = una_committee_options_of(c->one, options[0])->weights == UNA_WEIGHTS_STACKED;
    UNA_TRY(weigh(out, said, c, stacked, alike, run));
    UNA_TRY(choose_priors(out, said, c, options, result, run));
    una_progress_part(run, 1, 1);                        /* nothing takes long any more */
    for (size_t t = 0; t < una_committee_targets(c); t++)
        UNA_TRY(choose_noise(&out[t], &said[t], una_committee_of(c, t), options[t], keep, run));
    return UNA_OK;
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

/* One linear head for all, if it may be: what seats say with the common ratio, and the noise by that. */
static una_status join(bool *joint, una_chosen *by, una_said *said, una_committee *c, void *const *options,
                       una_run *run)
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
        c->of[t].noise_var = noise[t];
        UNA_TRY(una_committee_say_again(&said[t], &c->of[t], prior[t], run));
        by[t].noise_var = chosen_noise(&said[t], &c->of[t], options[t]);
        by[t].prior_var = prior[t] / noise[t] * by[t].noise_var;
    }
    *joint = true;
    return UNA_OK;
}

/* Errors of all targets at the rows that were foretold, which each target has for itself. */
static una_status gather_errors(una_errors *errors, const una_said *said, const una_problem *whole, una_run *run)
{
    size_t n = whole->outputs, rows = una_judged_x(whole).rows;
    const double *y = una_judged_y(whole);
    size_t *next = UNA_GET(&run->scratch, size_t, n);
    double *error = UNA_GET(&run->scratch, double, n), mean, var;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) {
        for (size_t t = 0; t < n; t++) {
            error[t] = NAN;
            if (isnan(y[i * n + t])) continue;
            size_t row = next[t]++;
            if (una_said_middle(&said[t], row, &mean, &var)) error[t] = said[t].y[row] - mean;
        }
        una_errors_add(errors, error);
    }
    return UNA_OK;
}

una_status una_seats_compare(una_together *together, una_chosen *by, una_said *said, una_committee *c, bool complete,
                             void *const *options, una_fit_result *result, una_run *run)
{
    size_t n = c->targets;
    bool varies = false;
    una_errors errors;
    double *noise_var = UNA_GET(&run->scratch, double, n);
    UNA_TRY(una_errors_take(&errors, n, &run->scratch));
    together->joint = false;
    if (complete) UNA_TRY(join(&together->joint, by, said, c, options, run));
    for (size_t t = 0; t < n; t++) varies = varies || by[t].noise;
    una_tell_heads(&result->notes, together->joint, complete, varies);
    UNA_TRY(gather_errors(&errors, said, &c->twins->plain, run));
    for (size_t t = 0; t < n; t++) noise_var[t] = by[t].noise_var;
    return una_errors_noise(together->noise, &errors, noise_var, run);
}
