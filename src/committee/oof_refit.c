/* SPDX-License-Identifier: MIT
 *
 * Repeats with scaled inputs are replaced by refits whose scale does not know the fold. See steps.h.
 */
#include "committee/steps.h"

#include "committee/relevance.h"

enum { FOLDS_ALL_BELOW = 500, SOME_BELOW = 1000, SOME = 3, FEW = 2 };
static const double least_share = 0.02;  /* share of the weights that is not worth a refit */

size_t una_oof_refit_folds(const una_problem *p)
{
    if (p->folds == 0) return 1;
    if (p->x.rows < FOLDS_ALL_BELOW) return p->folds;
    size_t most = p->x.rows < SOME_BELOW ? SOME : FEW;
    return most < p->folds ? most : p->folds;
}

/* ---- refits ----------------------------------------------------------------------------------------------------- */

/* The scale of the inputs by the rows that the member trains on. */
static una_status learn_fold_scale(una_problem_pair *pair, const una_committee *c, una_member_fit *fit, una_run *run)
{
    una_problem rest;
    fit->scaled = false;
    UNA_NEW(&run->scratch, double, scale, pair->plain.x.cols);
    UNA_TRY(una_member_fit_rows(&rest, c, fit, &run->scratch));
    UNA_TRY(una_relevance_learn(scale, &rest, run));
    UNA_TRY(una_problem_pair_scale(pair, scale, run));
    fit->scaled = pair->scale != NULL;
    return UNA_OK;
}

static una_status refit_fold(void *context, size_t index, una_run *run)
{
    const una_committee *all = context;
    una_problem_pair pair = { .plain = all->pair->plain, .scaled = all->pair->plain };
    una_committee own = *all;
    own.pair = &pair;
    UNA_TRY(learn_fold_scale(&pair, &own, &own.member[index], run));
    UNA_TRY(una_member_fit_train(&own, index, run));
    return own.f->kind->relearn ? una_member_fit_predict_again(&own, index, run) : UNA_OK;
}

/* ---- what is reported ------------------------------------------------------------------------------------------- */

/* The repeats with scaled inputs give their weight to one more, the last, which has the refits. */
static una_status add_refit_repeat(una_oof *out, const una_committee *c, const bool *is_scaled, una_run *run)
{
    const una_oof *oof = &c->oof;
    size_t rows = oof->rows, repeats = oof->repeats;
    UNA_TRY(una_oof_init(out, repeats + 1, rows, oof->y, &run->scratch));
    memcpy(out->mean, oof->mean, repeats * rows * sizeof *out->mean);
    memcpy(out->var, oof->var, repeats * rows * sizeof *out->var);
    out->shape = oof->shape;
    out->weight[repeats] = 0;
    for (size_t r = 0; r < repeats; r++) {
        out->weight[r] = is_scaled[r] ? 0 : oof->weight[r];
        out->weight[repeats] += is_scaled[r] ? oof->weight[r] : 0;
    }
    for (size_t i = 0; i < c->count; i++) c->member[i].repeat = repeats;
    una_collect_oof(out, c);
    for (size_t i = 0; i < rows; i++)                    /* folds that no refit left out get no prediction */
        for (size_t r = 0; r < repeats && isnan(out->mean[repeats * rows + i]); r++) out->mean[r * rows + i] = NAN;
    return UNA_OK;
}

static una_status report_refits(const una_committee *c, const bool *is_scaled, size_t repeat, una_run *run)
{
    const una_problem *p = &c->pair->plain;
    una_committee own = *c;
    una_oof with_refits;
    own.count = una_oof_refit_folds(p);
    own.noise_var = c->chosen.noise_var;
    own.prior_var = c->chosen.prior_var;
    UNA_NEW_AT(&run->scratch, own.member, own.count);
    for (size_t i = 0; i < own.count; i++)
        own.member[i] = (una_member_fit){ .repeat = repeat, .number = c->count + i, .label = p->fold,
                                          .left_out_label = (unsigned char)i };

    una_status status = una_jobs_together(run, own.member, sizeof *own.member, own.count, refit_fold, &own);
    if (status == UNA_OK) status = add_refit_repeat(&with_refits, &own, is_scaled, run);
    if (status == UNA_OK) una_oof_report(&with_refits, c->chosen.noise_var, own.count, c->target->result);
    una_jobs_free(own.member, sizeof *own.member, own.count);
    return status;
}

static una_status report_target(const una_committee *c, una_run *run)
{
    const una_oof *oof = &c->oof;
    size_t folds = c->pair->plain.folds, first = SIZE_MAX;
    double share = 0;
    if (!una_oof_wanted(c->target->result)) return UNA_OK;
    UNA_NEW(&run->scratch, bool, is_scaled, oof->repeats);
    for (size_t i = 0; folds && i < c->count; i++) {
        size_t repeat = c->member[i].repeat;
        if (!c->member[i].scaled || is_scaled[repeat]) continue;
        is_scaled[repeat] = true;
        share += oof->weight[repeat];
        if (first == SIZE_MAX) first = repeat;
    }
    if (share > least_share) return report_refits(c, is_scaled, first, run);

    una_oof with_refits = *oof;
    UNA_NEW_AT(&run->scratch, with_refits.weight, oof->repeats);
    for (size_t r = 0; r < oof->repeats; r++) with_refits.weight[r] = is_scaled[r] ? 0 : oof->weight[r];
    una_oof_report(&with_refits, c->chosen.noise_var, folds, c->target->result);
    return UNA_OK;
}

una_status una_report_oof(una_committee *c)
{
    double targets = (double)una_committee_targets(c);
    for (size_t t = 0; t < una_committee_targets(c); t++)
        UNA_STAGE(c->f->run, (double)t / targets, (double)(t + 1) / targets,
                  report_target(una_committee_of(c, t), c->f->run));
    return UNA_OK;
}
