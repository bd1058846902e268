/* SPDX-License-Identifier: MIT
 *
 * What a kind predicts of left-out regions, for the weights of a stack. See steps.h.
 */
#include "committee/regions.h"
#include "committee/steps.h"
#include "model/beyond.h"

/* oof [regions, rows] at each row, with that noise and its shape. */
static una_status score_regions(una_region_predictions *regions, una_oof *oof, const una_committee_choice *chosen,
                                una_view x, una_run *run)
{
    UNA_NEW_ROWS_AT(&run->scratch, regions->log_lik, oof->rows);
    oof->tails = chosen->tails;
    if (chosen->noise) UNA_NEW_ROWS_AT(&run->scratch, oof->shape, oof->rows);
    for (size_t k = 0; chosen->noise && k < regions->at.count; k++)
        una_noise_shape(chosen->noise, x, oof->shape + k * x.rows);
    for (size_t i = 0; i < oof->rows; i++) regions->log_lik[i] = una_oof_log_lik(oof, i, chosen->noise_var);
    return UNA_OK;
}

/* Mean and noise of the rows at the ends, one behind the other. */
static una_status moments_at_ends(una_ends *ends, const una_oof *oof, const una_regions *regions,
                                  const una_committee_choice *chosen, una_view x, una_run *run)
{
    double var;
    UNA_NEW_ROWS(&run->scratch, double, mean, 2 * x.rows);
    double *noise = mean + x.rows;
    for (size_t i = 0; i < x.rows; i++) {
        if (!una_oof_moments(oof, i, &mean[i], &var)) mean[i] = NAN;
        noise[i] = 1;
    }
    if (chosen->noise) una_noise_shape(chosen->noise, x, noise);
    for (size_t i = 0; i < x.rows; i++) noise[i] *= chosen->noise_var;
    *ends = (una_ends){ regions->ends, regions->ends_input, mean, noise };
    return UNA_OK;
}

static void give_ends(una_region_predictions *to, const una_ends *ends)
{
    if (!to) return;
    to->ends_mean = (double *)ends->mean;
    to->ends_noise = (double *)ends->noise;
}

/* ---- by trainings without each region (prior_scale.c) ------------------------------------------------------------- */

una_status una_keep_region_oof(una_committee *members, una_committee *region_fits, una_run *run)
{
    if (!members->target->result->regions || una_oof_predicted_rows(&region_fits->oof) == 0) return UNA_OK;
    UNA_NEW_AT(&run->scratch, members->region_oof, 1);
    *members->region_oof = region_fits->oof;
    return UNA_OK;
}

una_status una_keep_ends(una_committee *members, const una_oof *ends_oof, const una_regions *regions, una_run *run)
{
    UNA_NEW_AT(&run->scratch, members->ends_oof, 1);
    *members->ends_oof = *ends_oof;
    members->regions = *regions;
    return UNA_OK;
}

/* The growth beyond the rows, as given or by the rows at the ends. */
static una_status report_ends(const una_committee *c)
{
    una_ends ends;
    una_fit_result *result = c->target->result;
    una_common_options *o = una_common_of(c->target);
    const una_problem *p = &c->pair->plain;
    if (c->ends_oof) {
        UNA_TRY(moments_at_ends(&ends, c->ends_oof, &c->regions, &c->chosen, p->x, c->f->run));
        give_ends(result->regions, &ends);
    }
    double below = 0, above = 0;
    if (c->ends_oof) una_beyond_rates(&below, &above, &ends, p, c->pair->scale);
    if (UNA_IS_AUTO(o->growth_below)) o->growth_below = below;
    if (UNA_IS_AUTO(o->growth_above)) o->growth_above = above;
    result->beyond = (una_beyond){ .below = o->growth_below, .above = o->growth_above };
    UNA_TRY(una_regions_input_of_ends(&result->beyond.input, p, c->pair->scale, c->f->run));
    return una_beyond_set(&result->beyond, p, c->pair->scale, c->f->keep);
}

una_status una_report_regions(una_committee *c)
{
    for (size_t t = 0; t < una_committee_targets(c); t++) UNA_TRY(report_ends(una_committee_of(c, t)));
    if (!c->region_oof) return UNA_OK;
    return score_regions(c->target->result->regions, c->region_oof, &c->chosen, c->pair->plain.x, c->f->run);
}

/* ---- by a process without each region's rows ---------------------------------------------------------------------- */

enum { ROWS_PER_REGION = 100 };          /* predicted: more would say little more, and each costs a row of a factor */

typedef struct without_regions {
    una_committee c;
    const una_region_process *of;
} without_regions;

/* What gives the region's rows to una_member_fit_predict: numbers, then the posterior, of the other rows. */
static una_status predict_region(void *context, size_t index, una_run *run)
{
    without_regions *h = context;
    const una_fitting *f = h->c.f;
    una_member_fit *fit = &h->c.member[index];
    una_problem p;
    una_fit_result result = una_fit_result_in(&fit->arena);
    const void *start = h->of->given ? h->of->given : f->target->options;
    UNA_COPY_BYTES(&run->scratch, void, state, h->of->state, f->kind->state_size);
    UNA_COPY_BYTES(&run->scratch, una_common_options, options, start, f->kind->options_size);
    UNA_TRY(una_member_fit_rows(&p, fit, &run->scratch));
    UNA_TRY(una_row_weights(&p.weight, h->of->noise, p.x, run));
    una_fit_target target = { state, options, &result };
    if (h->of->given) UNA_TRY(una_fit_state(f->kind->search, f, &p, target, &fit->arena, run));
    if (h->of->tails) options->noise_std = una_noise_std_of(h->of->head_noise, options, &p);
    UNA_TRY(una_fit_state(f->kind->relearn, f, &p, target, &run->scratch, run));
    return una_member_fit_predict(fit, f->kind, state, &p, &fit->arena, run);
}

static size_t rows_inside(const unsigned char *inside, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) count += inside[i];
    return count;
}

/* The fits without each region and without the ends, as members of a committee, and room for what they predict: the ends
 * come last. */
static una_status plan_without(una_committee *c, const una_regions *regions, una_run *run)
{
    const una_problem *p = c->f->problem;
    size_t rows = p->x.rows;
    c->count = una_regions_left_out(regions);
    UNA_NEW_AT(&run->scratch, c->member, c->count);
    UNA_NEW_ROWS(&run->scratch, double, y, c->count * rows);
    for (size_t k = 0; k < c->count; k++) {
        const unsigned char *inside = una_regions_rows(regions, k, rows);
        size_t every = (rows_inside(inside, rows) + ROWS_PER_REGION - 1) / ROWS_PER_REGION;
        c->member[k] = (una_member_fit){ .pair = c->pair, .label = inside, .left_out_label = 1, .region = k,
                                         .every = every };
        memcpy(y + k * rows, p->y, rows * sizeof *y);
    }
    return una_oof_init(&c->oof, 1, c->count * rows, y, &run->scratch);
}

/* One repeat: what is predicted of the first regions, or of the ends, is a piece of the whole. */
static una_status report_without(una_region_predictions *regions, const una_committee *c,
                                 const una_region_process *of)
{
    una_view x = c->f->problem->x;
    una_oof between = c->oof, at_ends = c->oof;
    const una_committee_choice chosen = { .noise_var = c->target->result->noise_var, .noise = of->noise,
                                          .tails = of->tails };
    una_ends ends;
    size_t before = regions->at.count * x.rows;
    between.rows = before;
    UNA_TRY(score_regions(regions, &between, &chosen, x, c->f->run));
    if (!regions->at.ends) return UNA_OK;
    at_ends.rows = x.rows;
    at_ends.mean += before, at_ends.var += before, at_ends.y += before;
    UNA_TRY(moments_at_ends(&ends, &at_ends, &regions->at, &chosen, x, c->f->run));
    give_ends(regions, &ends);
    return UNA_OK;
}

una_status una_report_regions_without(const una_region_process *of, una_fitting *f)
{
    una_region_predictions *regions = f->target->result->regions;
    const una_fit_result *result = f->target->result;
    una_run *run = f->run;
    una_problem_pair pair = { .plain = *f->problem };
    pair.plain.weight = of->weight;
    without_regions h = { { .f = f, .target = f->target, .pair = &pair, .targets = 1 }, of };
    una_regions at;
    if (!regions) return UNA_OK;
    UNA_TRY(una_regions_of_fit(&at, f->problem, result->relevance, regions, run));
    if (una_regions_left_out(&at) == 0) return UNA_OK;

    UNA_TRY(plan_without(&h.c, &at, run));
    una_status status = una_jobs_run(run, h.c.member, sizeof *h.c.member, h.c.count, predict_region, &h);
    if (status == UNA_OK) una_collect_oof(&h.c.oof, &h.c);
    una_jobs_free(h.c.member, sizeof *h.c.member, h.c.count);
    if (status == UNA_E_NUMERIC) {                       /* no factor without these rows: a stack does without */
        una_clear_message(run);
        return UNA_OK;
    }
    UNA_TRY(status);
    return report_without(regions, &h.c, of);
}
