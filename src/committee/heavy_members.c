/* SPDX-License-Identifier: MIT
 *
 * A committee under noise with heavy tails. See heavy.h and steps.h. Out-of-fold errors first say whether there are any;
 * then rows count by their errors in all posteriors, and in the end the degrees of freedom are chosen by what these
 * predict. Networks and trees learn by squares, which a few large errors rule: where these matter, the members train
 * once more on targets whose errors are cut off, mean + clip(y - mean, +-3 s'), s'^2 the variance of the prediction and
 * s^2 (Huber's pseudo-values: Huber 1981, section 7.8); everything after the trainings sees the targets as they are.
 * What happens before the degrees of freedom are chosen does not depend on them: a printed spec gives the same fit.
 */
#include "committee/steps.h"

#include "train/network.h"

static const double MATTERS = 2.5;       /* Gaussian variance over s^2 from which features are trained again */
static const double CUT = 3;             /* standard deviations                                             */
enum { MILDEST = 30 };                   /* degrees of freedom: where members have trained on cut targets   */

bool una_heavy_may_be(const una_fitting *f, const una_common_options *o)
{
    if (!f->kind->relearn || o->tails == 0 || f->problem->columns->log_target || f->run->rank_group) return false;
    if (una_is_given(o->tails)) return !isinf(o->tails);
    return o->noise != UNA_NOISE_CONSTANT && !una_is_given(o->noise_std);
}

una_status una_heavy_check(const una_fitting *f, const una_common_options *o, bool one_training)
{
    if (!una_is_given(o->tails) || isinf(o->tails)) return UNA_OK;
    if (!una_tails_are(o->tails))
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: tails=%g: give degrees of freedom of 2.5 or more, a share of outliers of at "
                 "most 0.3, inf or auto", f->kind->name, o->tails);
    if (f->run->rank_group)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: tails=%g is not possible over ranks; use tails=inf", f->kind->name, o->tails);
    if (f->problem->columns->log_target)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: tails=%g is not possible with the logarithm of a target, whose mean would not "
                 "exist; use tails=inf, or fit the target itself", f->kind->name, o->tails);
    if (one_training)
        UNA_FAIL(f->run, UNA_E_USAGE, "%s: tails=%g needs out-of-fold predictions, by whose errors rows count, and with "
                 "these options there are none; use members=5 or more, or tails=inf", f->kind->name, o->tails);
    return UNA_OK;
}

/* ---- rows that count by their errors ----------------------------------------------------------------------------- */

static void weigh_pairs(una_committee *c, const double *weight)
{
    for (size_t i = 0; i <= c->scaled_folds; i++) c->pair[i].plain.weight = c->pair[i].scaled.weight = weight;
}

/* Predicts again under t noise, by rows that count by the errors of the predictions so far. */
static una_status predict_under(una_committee *c, double freedom, double prior_var)
{
    const double *weight;
    UNA_TRY(una_tails_new(&c->oof.tails, freedom, c->f->keep));
    c->chosen.tails = c->oof.tails;
    c->chosen.noise_var = una_oof_noise(&c->oof);
    UNA_TRY(una_heavy_weights(&weight, &c->oof, c->chosen.noise_var, &c->pair->plain, c->f->run));
    weigh_pairs(c, weight);
    c->noise_var = una_head_noise(&c->chosen);
    UNA_TRY(una_predict_again(c, prior_var, c->f->run));
    c->chosen.noise_var = una_oof_noise(&c->oof);
    return UNA_OK;
}

/* ---- before the members have weights ----------------------------------------------------------------------------- */

/* Whether rows show tails that no shape of the noise explains. */
static una_status look_for_tails(una_committee *c)
{
    una_run *run = c->f->run;
    una_noise *noise;
    una_heavy_choice found = una_heavy_choose(&c->oof);
    c->spread = found.spread;
    c->heavy = !isinf(found.freedom) || c->cut;
    if (!c->heavy || c->cut || una_common_of(c->target)->noise == UNA_NOISE_CONSTANT) return UNA_OK;
    UNA_TRY(una_oof_noise_shape(&noise, &c->oof, &c->pair->plain, false, c->f->keep, run));
    if (noise) c->heavy = !isinf(una_heavy_choose(&c->oof).freedom);
    c->oof.shape = NULL;
    return UNA_OK;
}

/* Predictions as they are before anything depends on them. */
static una_status keep_first(una_committee *c)
{
    una_arena *scratch = &c->f->run->scratch;
    size_t repeats = c->oof.repeats, count = repeats * c->oof.rows;
    UNA_NEW_AT(scratch, c->first_oof, 1);
    *c->first_oof = c->oof;
    c->first_notes = c->target->result->notes.count;
    UNA_NEW_ROWS_AT(scratch, c->first_oof->mean, count);
    UNA_NEW_ROWS_AT(scratch, c->first_oof->var, count);
    UNA_NEW_AT(scratch, c->first_oof->weight, repeats);
    memcpy(c->first_oof->mean, c->oof.mean, count * sizeof(double));
    memcpy(c->first_oof->var, c->oof.var, count * sizeof(double));
    memcpy(c->first_oof->weight, c->oof.weight, repeats * sizeof(double));
    return UNA_OK;
}

una_status una_heavy_begin(una_committee *c)
{
    if (!una_heavy_may_be(c->f, una_common_of(c->target))) return UNA_OK;
    UNA_TRY(keep_first(c));
    if (!c->light) UNA_TRY(look_for_tails(c));
    return c->heavy ? predict_under(c, UNA_FIRST_FREEDOM, 1) : UNA_OK;
}

/* ---- trainings on targets whose errors are cut off ---------------------------------------------------------------- */

static una_status cut_errors(una_committee *c, double *y)
{
    double mean, var, noise = una_head_noise(&c->chosen);
    for (size_t i = 0; i < c->oof.rows; i++) {
        if (!una_oof_moments(&c->oof, i, &mean, &var)) continue;
        double most = CUT * sqrt(var + noise);
        y[i] = mean + fmin(fmax(y[i] - mean, -most), most);
    }
    c->train_y = y;
    return UNA_OK;
}

/* Each target numbers its own rows. */
static void gather_targets(double *all, const una_committee *c)
{
    for (size_t t = 0; t < c->targets; t++)
        for (size_t i = 0, next = 0; i < c->f->problem->x.rows; i++) {
            double *cell = &all[i * c->targets + t];
            if (!isnan(*cell)) *cell = c->per_target[t].train_y[next++];
        }
}

una_status una_heavy_cut(bool *again, una_committee *c)
{
    una_arena *scratch = &c->f->run->scratch;
    const una_problem *all = c->f->problem;
    *again = false;
    for (size_t t = 0; t < una_committee_targets(c); t++) {
        const una_committee *own = una_committee_of(c, t);
        *again = *again || (all->folds > 0 && own->heavy && own->spread > MATTERS && !c->train_y);
    }
    if (!*again) return UNA_OK;
    for (size_t t = 0; t < una_committee_targets(c); t++) {
        una_committee *own = una_committee_of(c, t);
        UNA_NEW_ROWS(scratch, double, y, own->oof.rows);
        memcpy(y, own->oof.y, own->oof.rows * sizeof *y);
        own->train_y = y;
        own->cut = own->heavy && own->spread > MATTERS;
        if (own->cut) UNA_TRY(cut_errors(own, y));
        own->oof.tails = own->chosen.tails = NULL;
        own->heavy = false;
        weigh_pairs(own, NULL);
    }
    if (!c->per_target) return UNA_OK;
    UNA_NEW_ROWS(scratch, double, y, all->x.rows * c->targets);
    memcpy(y, all->y, all->x.rows * c->targets * sizeof *y);
    gather_targets(y, c);
    c->train_y = y;
    return UNA_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

una_status una_heavy_settle(una_committee *c)
{
    const una_common_options *o = una_common_of(c->target);
    bool given = una_is_given(o->tails) && !isinf(o->tails) && una_heavy_may_be(c->f, o);
    if (!c->heavy && !given) return UNA_OK;
    una_heavy_choice found = una_heavy_choose_beside(&c->chosen.noise, &c->oof, o->noise == UNA_NOISE_VARYING);
    double freedom = given ? o->tails : found.freedom;
    if (isinf(freedom) && c->cut) freedom = MILDEST;
    if (!isinf(freedom)) return predict_under(c, freedom, c->chosen.prior_var);
    c->light = true;
    return UNA_OK;
}

bool una_heavy_undo(una_committee *c)
{
    bool any = false;
    for (size_t t = 0; t < una_committee_targets(c); t++) {
        const una_committee *own = una_committee_of(c, t);
        any = any || (own->light && own->heavy);
    }
    for (size_t t = 0; any && t < una_committee_targets(c); t++) {
        una_committee *own = una_committee_of(c, t);
        if (own->first_oof) own->oof = *own->first_oof;
        own->chosen = (una_committee_choice){0};
        if (own->first_oof) own->target->result->notes.count = own->first_notes;
        own->heavy = false;
        own->region_oof = NULL;
        weigh_pairs(own, NULL);
    }
    return any;
}

void una_heavy_report(una_fit_result *result, una_common_options *o, const una_tails *tails, const una_problem *p)
{
    una_set_number(&o->tails, tails ? tails->freedom : HUGE_VAL);
    if (!tails) return;
    double std = sqrt(result->noise_var) * p->columns->target_scale;
    result->freedom = tails->freedom;
    result->scale_var = result->noise_var * una_tails_square_scale(tails);
    if (tails->freedom < 1)
        una_notes_add(&result->notes, "The noise has outliers, about %g %% of the rows: it is Gaussian with scale %.3g but "
                      "for these (standard deviation with them %.3g), so that they count little.", 100 * tails->freedom,
                      std * sqrt(una_tails_square_scale(tails)), std);
    else
        una_notes_add(&result->notes, "The noise has heavier tails than a Gaussian: Student's t with %g degrees of freedom "
                      "and scale %.3g (standard deviation %.3g), so that outliers count little.", tails->freedom,
                      std * sqrt(una_tails_square_scale(tails)), std);
}
