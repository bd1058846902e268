/* SPDX-License-Identifier: MIT
 *
 * A prior variance chosen by trainings that leave out whole regions. See steps.h.
 */
#include "committee/steps.h"

#include "committee/regions.h"

enum { PRIORS = 13, FITS_PER_REGION = 2, MOST_REGION_ROWS = 20000, LEAST_REGION_ROWS = 30 };
static const double REGION_FIT_STEPS = 0.5; /* share of a member's steps                                    */
static const double LEAST_GAIN = 0.01;   /* of log-likelihood per row in the regions: a wider prior must gain this
                                            much */
static const double MOST_LOSS = 0.03;    /* of log-likelihood per row where there is data                   */

static double prior_at(size_t index)
{
    return pow(10, -2 + 0.25 * (double)index);
}

/* Members without each region, two for each: one with scaled inputs and one without, where the committee has both. */
static una_status plan_region_fits(una_committee *region_fits, const una_committee *members,
                                   const una_regions *regions)
{
    una_arena *scratch = &members->f->run->scratch;
    size_t rows = members->pair->plain.x.rows;
    *region_fits = *members;
    region_fits->per_target = NULL;
    region_fits->count = 0;
    region_fits->steps_share = REGION_FIT_STEPS;
    UNA_NEW_AT(scratch, region_fits->target, 1);
    *region_fits->target = *members->target;
    if (members->member[0].options) region_fits->target->options = members->member[0].options; /* its steps filled in */
    region_fits->count = FITS_PER_REGION * una_regions_left_out(regions);
    UNA_NEW_AT(scratch, region_fits->member, region_fits->count);

    for (size_t k = 0; k < region_fits->count; k++) {
        size_t region = k / FITS_PER_REGION, repeat = k % FITS_PER_REGION;
        const una_member_fit *like = &members->member[repeat ? members->count - 1 : 0];
        bool ends = region == regions->count;            /* predicted apart: they choose no prior               */
        region_fits->member[k] = (una_member_fit){ .repeat = repeat, .number = members->count + k,
                                                   .pair = members->pair,
                                                   .label = una_regions_rows(regions, region, rows),
                                                   .left_out_label = 1, .region = ends ? 0 : region,
                                                   .scaled = like->scaled };
    }
    return UNA_OK;
}

/* The rows of the regions, among rows that have the target. */
static una_status inside_of(una_regions *own, const una_regions *regions, const una_problem *whole, size_t target,
                            una_run *run)
{
    size_t rows = whole->x.rows, outputs = whole->outputs, next = 0, left_out = una_regions_left_out(regions);
    *own = *regions;
    UNA_NEW_ROWS_AT(&run->scratch, own->inside, left_out * rows);
    for (size_t k = 0; k < left_out; k++) {
        if (k == regions->count) own->ends = own->inside + next;
        for (size_t i = 0; i < rows; i++)
            if (!isnan(whole->y[i * outputs + target])) own->inside[next++] = una_regions_rows(regions, k, rows)[i];
    }
    return UNA_OK;
}

/* With several targets each has its own members, beside those of all targets, which train. */
static una_status plan_region_fits_of_targets(una_committee *region_fits, una_regions *own, una_committee *members,
                                              const una_regions *regions, una_run *run)
{
    own[0] = *regions;
    UNA_TRY(plan_region_fits(region_fits, members, regions));
    if (!members->per_target) return UNA_OK;
    UNA_NEW(&run->scratch, una_committee, of, members->targets);
    for (size_t t = 0; t < members->targets; t++) {
        UNA_TRY(inside_of(&own[t], regions, &members->pair->plain, t, run));
        UNA_TRY(plan_region_fits(&of[t], &members->per_target[t], &own[t]));
    }
    region_fits->per_target = of;
    return UNA_OK;
}

/* Predictions at the g-th prior. ends [2 * predictions] has the variances at the first and the last where the others lie
 * on the line between them; NULL: not yet made. */
static una_status predict_at(una_committee *c, size_t g, double **ends, una_run *run)
{
    double first = prior_at(0), last = prior_at(PRIORS - 1);
    size_t count = c->oof.repeats * c->oof.rows;
    if (!c->f->kind->prior_is_linear) return una_predict_again(c, prior_at(g), run);
    if (!*ends) {
        UNA_NEW_ROWS_AT(&run->scratch, *ends, 2 * count);
        UNA_TRY(una_predict_again(c, first, run));
        memcpy(*ends, c->oof.var, count * sizeof **ends);
        UNA_TRY(una_predict_again(c, last, run));
        memcpy(*ends + count, c->oof.var, count * sizeof **ends);
    }
    const double *low = *ends, *high = *ends + count, share = (prior_at(g) - first) / (last - first);
    for (size_t i = 0; i < count; i++) c->oof.var[i] = low[i] + share * (high[i] - low[i]);
    return UNA_OK;
}

/* A mean z^2 that is far from 1 is a warning. */
static void note_regions(una_fit_result *result, double z2, size_t regions)
{
    const double most = 3, least = 0.2;
    const char *judgement = z2 > 1.005 ? "above 1: too narrow" : "1 is right";
    if (z2 < 0.995) judgement = "below 1: rather wide";                  /* as the two decimals below say it */
    una_notes_add(&result->notes, "Ignorance was set by %zu left-out regions: mean z^2 %.2f there (%s).", regions, z2,
                  judgement);
    if (z2 > most)
        una_notes_add(&result->warnings, "Where whole regions were left out, errors were %.1f times as large as the bands "
                      "allow (mean z^2 %.1f): away from the rows ignorance is stated too small; do not rely on answers "
                      "there, and measure there if you can.", sqrt(z2), z2);
    if (z2 < least)
        una_notes_add(&result->warnings, "Where whole regions were left out, the bands were %.1f times as wide as errors "
                      "need (mean z^2 %.2f): away from the rows ignorance is stated too large.", sqrt(1 / z2), z2);
}

/* The prior variance that makes rows of left-out regions most likely, among those that cost little where there is
 * data. */
static una_status choose_prior_by_regions(una_committee *region_fits, una_committee *members, una_run *run)
{
    double region_log_lik[PRIORS], z2[PRIORS], member_log_lik[PRIORS], most = -HUGE_VAL;
    double *region_ends = NULL, *member_ends = NULL;
    size_t best = SIZE_MAX;
    if (una_oof_predicted_rows(&region_fits->oof) == 0) return UNA_OK;   /* no region has that target */
    for (size_t g = 0; g < PRIORS; g++) {
        UNA_TRY(predict_at(region_fits, g, &region_ends, run));
        UNA_TRY(predict_at(members, g, &member_ends, run));
        region_log_lik[g] = una_oof_mean_log_lik(&region_fits->oof, members->chosen.noise_var, &z2[g]);
        member_log_lik[g] = una_oof_mean_log_lik(&members->oof, members->chosen.noise_var, NULL);
        most = fmax(most, member_log_lik[g]);
    }
    for (size_t g = 0; g < PRIORS; g++)
        if (member_log_lik[g] > most - MOST_LOSS &&
            (best == SIZE_MAX || region_log_lik[g] > region_log_lik[best] + LEAST_GAIN)) best = g;
    members->chosen.prior_var = prior_at(best);
    if (members->target->result->regions) UNA_TRY(predict_at(region_fits, best, &region_ends, run));
    note_regions(members->target->result, z2[best], region_fits->count / FITS_PER_REGION);
    return UNA_OK;
}

/* What region fits predict of one target, region by region. */
static una_status collect_region_oof(una_committee *region_fits, const una_committee *members, size_t regions,
                                     una_run *run)
{
    const una_problem *p = &members->pair->plain;
    una_oof *oof = &region_fits->oof;
    size_t rows = p->x.rows;
    UNA_NEW_ROWS(&run->scratch, double, y, regions * rows);
    for (size_t k = 0; k < regions; k++) memcpy(y + k * rows, p->y, rows * sizeof *y);
    UNA_TRY(una_oof_init(oof, FITS_PER_REGION, regions * rows, y, &run->scratch));
    oof->repeats_are_sample = true;
    oof->tails = members->chosen.tails;
    oof->strata = 1;
    for (size_t r = 0; r < FITS_PER_REGION; r++) oof->stratum[r] = 0;
    una_collect_oof(oof, region_fits);
    return UNA_OK;
}

/* The last fits, which left out the ends, under the prior variance that was chosen. */
static una_status predict_ends(una_committee *ends_fits, const una_committee *region_fits, una_committee *members,
                               const una_regions *regions, una_run *run)
{
    *ends_fits = *region_fits;
    ends_fits->member += FITS_PER_REGION * regions->count;
    ends_fits->count = FITS_PER_REGION;
    UNA_TRY(collect_region_oof(ends_fits, members, 1, run));
    return una_predict_again(ends_fits, members->chosen.prior_var, run);
}

/* For one target, by the region fits. */
static una_status choose_prior_of_target(una_committee *region_fits, una_committee *members,
                                         const una_regions *regions, una_run *run)
{
    una_committee between = *region_fits, ends_fits;
    between.count = FITS_PER_REGION * regions->count;
    for (size_t k = 0; k < region_fits->count; k++)
        members->target->result->steps += region_fits->member[k].result.steps;
    if (regions->count > 0) {
        UNA_TRY(collect_region_oof(&between, members, regions->count, run));
        UNA_TRY(choose_prior_by_regions(&between, members, run));
        UNA_TRY(una_keep_region_oof(members, &between, run));
    }
    if (!regions->ends) return UNA_OK;
    UNA_TRY(predict_ends(&ends_fits, region_fits, members, regions, run));
    return una_keep_ends(members, &ends_fits.oof, regions, run);
}

static una_status choose_priors(una_committee *members, una_run *run)
{
    const una_problem *p = &members->pair->plain;
    una_regions regions;
    una_committee region_fits = {0};
    size_t targets = una_committee_targets(members);
    UNA_NEW(&run->scratch, una_regions, own, targets);
    UNA_TRY(una_regions_of_fit(&regions, p, members->pair->scale, members->target->result->regions, run));
    if (una_regions_left_out(&regions) == 0) return UNA_OK;

    una_status status = plan_region_fits_of_targets(&region_fits, own, members, &regions, run);
    if (status == UNA_OK) status = una_train_members(&region_fits, run);
    for (size_t t = 0; status == UNA_OK && t < targets; t++)
        status = choose_prior_of_target(una_committee_of(&region_fits, t), una_committee_of(members, t), &own[t], run);
    una_jobs_free(region_fits.member, sizeof *region_fits.member, region_fits.count);
    return status;
}

una_status una_choose_prior_scale(una_committee *members)
{
    bool wanted = una_prior_scale_is_wanted(members);
    for (size_t t = 0; t < una_committee_targets(members); t++) {
        una_committee *own = una_committee_of(members, t);
        double given = una_common_of(own->target)->prior_var;
        own->chosen.prior_var = una_is_given(given) && !wanted ? given : 1;
        own->noise_var = una_head_noise(&own->chosen);
    }
    return wanted ? choose_priors(members, members->f->run) : UNA_OK;
}

bool una_prior_scale_is_wanted(const una_committee *members)
{
    double prior_var = una_common_of(members->target)->prior_var;
    size_t rows = members->f->problem->x.rows;
    return UNA_IS_AUTO(prior_var) && members->f->kind->relearn && rows <= MOST_REGION_ROWS && rows >= LEAST_REGION_ROWS;
}
