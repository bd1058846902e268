/* SPDX-License-Identifier: MIT
 *
 * The default algorithm: several trainings of a kind become one mixture. Members are planned (which rows each leaves
 * out), fitted, and weighted by their out-of-fold predictions; noise and prior scale are chosen; every posterior takes
 * in all rows. See committee.h.
 */
#include "committee/committee.h"

#include "committee/oof_refit.h"
#include "committee/prior_scale.h"
#include "train/network.h"
#include "committee/committee_choices.h"
#include "committee/several_targets.h"
#include "committee/fixed_features.h"

/* Options that this kind does not have get fixed values: one member, no relevance, constant noise. */
static una_committee_options *complete_options(const una_kind *single, void *options)
{
    una_committee_options *o = una_committee_options_of(single, options);
    if (!una_kind_number_option(single, options, "members")) o->members = 1;
    if (!una_option_word(options, single->options, "relevance")) o->relevance = UNA_RELEVANCE_OFF;
    if (!una_option_word(options, single->options, "noise")) o->noise = UNA_NOISE_CONSTANT;
    return o;
}

/* Images have no single inputs to scale, or for the noise to follow; and their trainings are long. */
static una_status restrict_for_images(const una_kind *single, una_committee_options *o, const una_problem *p,
                                      una_run *run)
{
    if (!una_columns_image(p->columns).height) return UNA_OK;
    UNA_TRY(una_kind_need_images(single, run));
    if (o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is not possible with images; use noise=constant", single->name);
    if (o->relevance == UNA_RELEVANCE_ON)
        UNA_FAIL(run, UNA_E_USAGE, "%s: relevance=on is not possible with images; use relevance=off", single->name);
    if (UNA_IS_AUTO(o->members)) o->members = 1;
    o->noise = UNA_NOISE_CONSTANT;
    o->relevance = UNA_RELEVANCE_OFF;
    return UNA_OK;
}

/* ---- the rule for members ------------------------------------------------------------------------------------- */

enum { FEW_ROWS = 2000, REPEATS_OF_FEW = 4, REPEATS_OF_MANY = 2, MEMBERS_HELD_OUT = 4 };

/* members=auto. Few rows: trainings are cheap, and differ mostly by chance. */
static size_t members_rule(const una_problem *p)
{
    if (p->folds) return p->folds * (una_table_rows(p) < FEW_ROWS ? REPEATS_OF_FEW : REPEATS_OF_MANY);
    return p->valid_x.rows == 0 ? 1 : MEMBERS_HELD_OUT;
}

/* A Gaussian process on a sample says too little about many rows: with scaled inputs the fits were worse there. */
static bool scales_inputs(const una_committee_options *o, const una_problem *p, bool one_training)
{
    if (o->relevance == UNA_RELEVANCE_AUTO) return !one_training && una_table_rows(p) < FEW_ROWS;
    return o->relevance == UNA_RELEVANCE_ON;
}

/* ---- members that are kept --------------------------------------------------------------------------------------- */

/* One member with the posterior of all rows. A kind that cannot relearn takes in the rows that it left out, or stays as
 * it is if it cannot update. */
static una_status keep_member(una_members *m, size_t index, const una_member_fit *fit, const una_committee *c,
                              const una_committee_choice *by, const double *weight, una_fit_result *result,
                              una_arena *keep, una_run *run)
{
    const una_kind *single = c->single;
    una_member *member = &m->at[index];
    una_problem p;
    void *own_options = una_arena_get(&run->scratch, 1, single->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_state_copy(&member->state, single, fit->state, m->inputs, keep, run));

    una_all_rows(&p, una_problem_of_pair(c->pair, fit->scaled));
    if (single->relearn) {
        memcpy(own_options, fit->options, single->options_size);
        una_kind_set_number(single, own_options, "noise_std",
                            sqrt(by->noise_var) / una_kind_unit(single, own_options, &p));
        una_kind_set_number(single, own_options, "prior_var", by->prior_var);
        p.weight = weight;
        return single->relearn(member->state, own_options, &p, result, keep, run);
    }

    if (!single->observe || (!fit->label && !c->pair->plain.valid_joins)) return UNA_OK;
    UNA_TRY(una_member_fit_rows(&p, c, fit, &run->scratch));
    p.x = p.valid_x;
    p.y = p.valid_y;
    return single->observe(member->state, &p, result, keep, run);
}

/* Several trainings give the same warning: texts that differ only in numbers, or after a colon, count as one. */
static bool same_sentence(const char *a, const char *b)
{
    const char *digits = "0123456789.";
    for (;;) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (!*a || *a == ':' || *a != *b) return *a == *b;
        a++;
        b++;
    }
}

static bool is_new_sentence(const una_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (same_sentence(notes->text[i], text)) return false;
    return true;
}

static void pass_notes_on(una_notes *to, const una_notes *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (is_new_sentence(to, from->text[i])) una_notes_add(to, "%s", from->text[i]);
}

static una_status keep_members(una_members *m, const una_committee *c, const una_oof *oof,
                               const una_committee_choice *by, void *options, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_problem all;
    const double *weight;
    double evidence = 0, total = 0;
    una_all_rows(&all, &c->pair->plain);
    UNA_TRY(una_row_weights(&weight, by->noise, all.x, run));

    for (size_t i = 0; i < c->count; i++) {
        const una_member_fit *fit = &c->member[i];
        m->at[i] = (una_member){ .kind = c->single, .scale = fit->scaled ? c->pair->scale : NULL,
                                 .weight = oof->weight[fit->repeat] };
        total += m->at[i].weight;
    }
    for (size_t i = 0; i < c->count; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_fit_result own_result = una_fit_result_in(&run->scratch);
        own_result.log_evidence = c->member[i].result.log_evidence;
        m->at[i].weight /= total;
        UNA_TRY(keep_member(m, i, &c->member[i], c, by, weight, &own_result, keep, run));
        evidence += m->at[i].weight * own_result.log_evidence;
        if (una_kind_is_given(c->single, options, "noise_std")) pass_notes_on(&result->warnings, &own_result.warnings);
        pass_notes_on(&result->notes, &own_result.notes);
        una_arena_release(&run->scratch, mark);
    }

    m->noise_var = result->noise_var = by->noise_var;
    m->noise = by->noise;
    result->prior_var = una_kind_number_option(c->single, options, "prior_var") ? by->prior_var
                                                                             : c->member[0].result.prior_var;
    result->log_evidence = evidence;
    return UNA_OK;
}

/* ---- what the result reports ------------------------------------------------------------------------------------- */

/* Fills in automatic options on which all trainings agree: with these the fit can be repeated. */
static void fill_agreed_options(void *options, const una_committee *c)
{
    for (const una_option *row = c->single->options; row->name; row++) {
        double *at = una_option_number(options, c->single->options, row->name);
        bool agree = at && UNA_IS_AUTO(*at);
        for (size_t i = 0; agree && i < c->count; i++)
            agree = *una_option_number(c->member[i].options, c->single->options, row->name) ==
                    *una_option_number(c->member[0].options, c->single->options, row->name);
        if (agree) *at = *una_option_number(c->member[0].options, c->single->options, row->name);
    }
}

static una_status report_committee(void *options, const una_committee *c, const una_members *m, una_fit_result *result,
                                   una_arena *keep)
{
    const una_curve *curve = &c->member[0].result.curve;
    size_t n = curve->count;
    double cos2 = 0;
    for (size_t i = 0; i < c->count; i++) {
        const una_fit_result *own_result = &c->member[i].result;
        result->steps += own_result->steps;
        cos2 += own_result->mean_cos2 / (double)c->count;
        pass_notes_on(&result->warnings, &own_result->warnings);
        if (i == 0) pass_notes_on(&result->notes, &own_result->notes);
    }
    result->mean_cos2 = cos2;
    result->curve = (una_curve){ n, una_copy_numbers(curve->step, n, keep), una_copy_numbers(curve->loss, n, keep),
                                 una_copy_numbers(curve->valid_log_lik, n, keep),
                                 una_copy_numbers(curve->mean_cos2, n, keep) };
    fill_agreed_options(options, c);
    una_kind_set_number(c->single, options, "noise_std",
                        sqrt(m->noise_var) / una_kind_unit(c->single, options, &c->pair->plain));
    una_kind_set_number(c->single, options, "prior_var", result->prior_var);
    una_committee_options_of(c->single, options)->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    return una_arena_check(keep);
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

/* Repeats with scaled inputs are one stratum, the others another. */
static void assign_strata(una_oof *oof, const una_committee *c)
{
    bool any[2] = { false, false };
    for (size_t i = 0; i < c->count; i++) any[c->member[i].scaled] = true;
    for (size_t i = 0; i < c->count; i++) oof->stratum[c->member[i].repeat] = any[0] && c->member[i].scaled;
    oof->strata = any[0] && any[1] ? 2 : 1;
}

static una_status new_oof(una_oof **out, una_committee *c, una_run *run)
{
    size_t repeats = c->member[c->count - 1].repeat + 1, targets = una_committee_targets(c);
    una_oof *oof = *out = UNA_GET(&run->scratch, una_oof, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < targets; t++) {
        const una_committee *own = una_committee_of(c, t);
        const una_problem *p = &own->pair->plain;
        UNA_TRY(una_oof_init(&oof[t], repeats, una_oof_x(p).rows, una_oof_y(p), &run->scratch));
        oof[t].repeats_are_sample = p->folds > 0;
        if (oof[t].repeats_are_sample) assign_strata(&oof[t], own);
    }
    return UNA_OK;
}

/* Fills result->oof where the caller asks for it, by refits if need be; it gets the rest of the progress. */
static una_status report_oof(una_committee *c, const una_oof *oof, const una_committee_choice *by,
                             una_fit_result *const *result, una_run *run)
{
    size_t targets = una_committee_targets(c);
    for (size_t t = 0; t < targets; t++) {
        una_span rest = una_progress_part(run, (double)t / (double)targets, (double)(t + 1) / (double)targets);
        una_status status = una_oof_refit_run(una_committee_of(c, t), &oof[t], &by[t], result[t], run);
        una_progress_back(run, rest);
        UNA_TRY(status);
    }
    return UNA_OK;
}

static una_status fit_members(una_members *const *m, una_committee *c, void *const *options,
                              una_fit_result *const *result, una_target_coupling *coupling, una_arena *keep,
                              una_run *run)
{
    const una_problem *p = &c->pair->plain;
    size_t targets = una_committee_targets(c);
    bool share_weights = !c->per_target || una_problem_complete(p);
    una_oof *oof;
    double share = una_prior_scale_is_wanted(c->single, options[0], p) ? 0.8 : 1;
    double refit_share = result[0]->oof && c->pair->scale && p->folds ? 0.2 : 0;

    una_span all = una_progress_part(run, 0, 1 - refit_share), before = una_progress_part(run, 0, share);
    una_status status = una_jobs_run(run, c->member, sizeof *c->member, c->count, una_member_fit_train, c);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, share, 1);

    UNA_TRY(new_oof(&oof, c, run));
    UNA_NEW(&run->scratch, una_committee_choice, by, targets);
    UNA_TRY(una_committee_choose(by, oof, c, options, share_weights, result, keep, run));
    if (c->per_target)
        UNA_TRY(una_committee_choose_coupling(coupling, by, oof, c, share_weights, options, result[0], run));
    una_progress_back(run, all);
    una_progress_part(run, 1 - refit_share, 1); /* undone in una_committee_fit and una_committee_fit_several */
    UNA_TRY(report_oof(c, oof, by, result, run));

    for (size_t t = 0; t < targets; t++) {
        una_committee *own = una_committee_of(c, t);
        una_oof_score(&oof[t], by[t].noise_var, result[t]);
        UNA_TRY(una_members_take(m[t], c->single, c->count, p, keep));
        UNA_TRY(keep_members(m[t], own, &oof[t], &by[t], options[t], result[t], keep, run));
        UNA_TRY(report_committee(options[t], own, m[t], result[t], keep));
    }
    return UNA_OK;
}

/* True if the fit ends with one training on all rows, which therefore has no out-of-fold predictions: after folds; and
 * after held-out rows if the kind is a sampler, since it cannot take them in later. */
static bool is_one_training(const una_kind *single, void *options, const una_problem *p)
{
    const una_committee_options *o = una_committee_options_of(single, options);
    bool given = una_kind_is_given(single, options, "noise_std");
    bool constant = o->noise == UNA_NOISE_CONSTANT || (o->noise == UNA_NOISE_AUTO && given);
    bool trains_again = p->folds > 0 || (single->mixture && o->noise != UNA_NOISE_VARYING);
    return o->members <= 1 && (constant || trains_again || p->valid_x.rows == 0);
}

static const double PROGRESS_OF_RELEVANCE = 0.05; /* of the progress */

typedef struct problem_pairs {
    una_problem_pair all_targets, *per_target;   /* per_target [targets]; NULL with one target              */
} problem_pairs;

/* Problems with scaled inputs, if wanted; the caller gets what is left of the progress. */
static una_status learn_relevance(problem_pairs *pairs, const una_problem *p, bool relevance,
                                  una_fit_result *const *result, una_arena *keep, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    pairs->per_target = targets > 1 ? UNA_GET(&run->scratch, una_problem_pair, targets) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    una_span before = una_progress_part(run, 0, PROGRESS_OF_RELEVANCE);
    una_status status = pairs->per_target ? una_problem_pairs_new(&pairs->all_targets, pairs->per_target, p, relevance,
                                                                  result, keep, run)
                                          : una_problem_pair_new(&pairs->all_targets, p, relevance, result[0], keep,
                                                                 run);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, relevance ? PROGRESS_OF_RELEVANCE : 0, 1); /* undone in una_committee_fit and
                                                                         una_committee_fit_several */
    return UNA_OK;
}

/* Which fold each member leaves out; inputs are scaled in all repeats, or in two of four. */
static una_status plan_members(una_committee *c, const una_problem_pair *pair, bool all_scaled, una_run *run)
{
    const una_problem *p = &pair->plain;
    UNA_NEW_AT(&run->scratch, c->member, c->count);
    for (size_t i = 0; i < c->count; i++) {
        una_member_fit *fit = &c->member[i];
        *fit = (una_member_fit){ .repeat = p->folds ? i / p->folds : i, .number = i, .label = p->folds ? p->fold : NULL,
                                 .left_out_label = (unsigned char)(p->folds ? i % p->folds : 0) };
        fit->scaled = pair->scale && (all_scaled || fit->repeat / 2 % 2 == 0);
    }
    return UNA_OK;
}

static una_status share_rows(const una_committee *c, una_problem_pair *pair, una_run *run)
{
    bool plain = false, scaled = false;
    for (size_t i = 0; i < c->count; i++) *(c->member[i].scaled ? &scaled : &plain) = true;
    return una_problem_pair_share(pair, plain, scaled, run);
}

/* Members of each target beside the members that train, which are of all targets. */
static una_status plan_target_members(una_committee *c, const una_problem_pair *per_target, void *const *options,
                                      bool all_scaled, una_run *run)
{
    c->targets = una_problem_outputs(&c->pair->plain);
    UNA_NEW_AT(&run->scratch, c->per_target, c->targets);
    for (size_t t = 0; t < c->targets; t++) {
        c->per_target[t] = (una_committee){ .single = c->single, .options = options[t], .pair = &per_target[t],
                                            .count = c->count, .steps_share = c->steps_share };
        UNA_TRY(plan_members(&c->per_target[t], &per_target[t], all_scaled, run));
    }
    return UNA_OK;
}

static una_status fit_committee(una_members *const *m, const una_kind *single, void *const *options,
                                problem_pairs *pairs, una_fit_result *const *result, una_target_coupling *coupling,
                                una_arena *keep, una_run *run)
{
    const una_committee_options *o = una_committee_options_of(single, options[0]);
    una_committee c = { .single = single, .options = options[0], .pair = &pairs->all_targets,
                        .count = (size_t)o->members, .steps_share = 1 };
    bool all_scaled = o->relevance == UNA_RELEVANCE_ON;
    UNA_TRY(plan_members(&c, &pairs->all_targets, all_scaled, run));
    UNA_TRY(share_rows(&c, &pairs->all_targets, run));
    if (pairs->per_target) UNA_TRY(plan_target_members(&c, pairs->per_target, options, all_scaled, run));
    una_status status = fit_members(m, &c, options, result, coupling, keep, run);
    una_jobs_free(c.member, sizeof *c.member, c.count);
    return status;
}

static una_status fit_trained(una_members *const *m, const una_kind *single, void *const *options, const una_problem *p,
                              una_fit_result *const *result, una_target_coupling *coupling, una_arena *keep,
                              una_run *run)
{
    una_committee_options *o = una_committee_options_of(single, options[0]);
    problem_pairs pairs;
    bool left_out = p->folds > 0 || p->valid_x.rows > 0;         /* rows that compare members */
    if (UNA_IS_AUTO(o->members) || !left_out) o->members = (double)members_rule(p);
    bool one_training = is_one_training(single, options[0], p);
    if (one_training && o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is learnt from out-of-fold predictions; with members=1 and so "
                 "few rows (%zu) there are none in the end; use members=5 or more", single->name, p->x.rows);

    UNA_TRY(learn_relevance(&pairs, p, scales_inputs(o, p, one_training), result, keep, run));
    if (one_training) o->noise = UNA_NOISE_CONSTANT;
    for (size_t k = 1; k < una_problem_outputs(p); k++) {
        una_committee_options *other = una_committee_options_of(single, options[k]);
        other->members = o->members;
        other->noise = o->noise;
    }
    bool scaled = pairs.all_targets.scale != NULL;
    if (!one_training) return fit_committee(m, single, options, &pairs, result, coupling, keep, run);
    if (pairs.per_target)
        return una_fit_single_several(m, single, options, &pairs.all_targets, pairs.per_target, scaled, result,
                                      coupling, keep, run);
    return una_fit_single(m[0], single, options[0], NULL, &pairs.all_targets, scaled, result[0], keep, run);
}

una_status una_committee_fit(una_members *m, const una_kind *single, void *options, const una_problem *p,
                             una_fit_result *result, una_arena *keep, una_run *run)
{
    complete_options(single, options);
    UNA_TRY(restrict_for_images(single, una_committee_options_of(single, options), p, run));
    una_network_note(&result->notes, p, run);
    una_span before = una_progress_part(run, 0, 1);
    una_status status = single->learns_features ? fit_trained(&m, single, &options, p, &result, NULL, keep, run)
                                             : una_fixed_features_fit(m, single, options, p, result, keep, run);
    una_progress_back(run, before);
    return status;
}

/* Refuses a target with too few rows to learn from, or without any to validate on. */
static una_status check_target_rows(const una_kind *single, const una_problem *p, una_run *run)
{
    const char *origin = p->data ? p->data->origin : "the data";
    for (size_t t = 0; t < p->outputs; t++) {
        size_t rows = una_target_cells(p->y, p->x.rows, p->outputs, t);
        size_t held = una_target_cells(p->valid_y, p->valid_x.rows, p->outputs, t);
        if (rows < single->least_rows)
            UNA_FAIL(run, UNA_E_INPUT, "%s: %s needs at least %zu rows to learn a target from, and '%s' has only %zu; "
                     "leave that target out", origin, single->name, single->least_rows, p->columns[t].target, rows);
        if (p->valid_x.rows > 0 && held == 0)
            UNA_FAIL(run, UNA_E_INPUT, "%s: none of the rows held out has the target '%s'; hold out more of them, or "
                     "fit that target by itself", origin, p->columns[t].target);
    }
    return UNA_OK;
}

una_status una_committee_fit_several(una_members *const *m, const una_kind *single, void *const *options,
                                     const una_problem *p, una_fit_result *const *result, una_target_coupling *coupling,
                                     una_arena *keep, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    if (targets == 1) {
        UNA_TRY(una_committee_fit(m[0], single, options[0], p, result[0], keep, run));
        coupling->noise[0] = result[0]->noise_var;
        coupling->joint = true;
        return UNA_OK;
    }
    for (size_t t = 0; t < targets; t++) complete_options(single, options[t]);
    UNA_TRY(check_target_rows(single, p, run));
    una_network_note(&result[0]->notes, p, run);
    una_span before = una_progress_part(run, 0, 1);
    una_status status = fit_trained(m, single, options, p, result, coupling, keep, run);
    una_progress_back(run, before);
    return status;
}

una_status una_committee_fit_anchored(una_members *m, const una_kind *single, void *options, const una_anchor *anchor,
                                      const una_problem *p, una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_committee_options *o = complete_options(single, options);
    una_problem_pair pair;
    if (!UNA_IS_AUTO(o->members) && o->members > 1)
        UNA_FAIL(run, UNA_E_USAGE, "%s: members=%g is not possible in an anchored ensemble, where every member has its "
                 "own anchor; leave members out, and give the ensemble more of them", single->name, o->members);
    UNA_TRY(una_problem_pair_new(&pair, p, o->relevance == UNA_RELEVANCE_ON, result, keep, run));
    una_network_note(&result->notes, p, run);
    return una_fit_single(m, single, options, anchor, &pair, pair.scale != NULL, result, keep, run);
}

/* ---- relearning -------------------------------------------------------------------------------------------------- */

typedef struct means { double noise_var, prior_var, evidence; } means;           /* weighted, over the members */

/* Relearns every member with the same options, which stay as they are. */
static una_status relearn_members(means *out, una_members *m, const void *options, const una_problem *p,
                                  una_notes *warnings, una_arena *keep, una_run *run)
{
    const una_kind *single = m->at[0].kind;
    *out = (means){0};
    for (size_t i = 0; i < m->count; i++) {
        una_member *member = &m->at[i];
        una_problem own_rows = *p;
        void *own_options = una_arena_get(&run->scratch, 1, single->options_size);
        UNA_TRY(una_arena_check(&run->scratch));
        memcpy(own_options, options, single->options_size);
        UNA_TRY(una_scaled(&own_rows.x, p->x, member->scale, run));

        una_fit_result found = una_fit_result_in(keep);
        UNA_TRY(single->relearn(member->state, own_options, &own_rows, &found, keep, run));
        out->noise_var += member->weight * found.noise_var;
        out->prior_var += member->weight * found.prior_var;
        out->evidence += member->weight * found.log_evidence;
        if (warnings) pass_notes_on(warnings, &found.warnings);
    }
    return UNA_OK;
}

una_status una_committee_relearn(void *state, void *options, const una_problem *p, una_fit_result *result,
                                 una_arena *keep, una_run *run)
{
    una_members *m = state;
    const una_kind *single = m->at[0].kind;
    means found = {0};
    bool noise_given = una_kind_is_given(single, options, "noise_std");
    bool prior_given = una_kind_is_given(single, options, "prior_var");
    bool same = noise_given && (prior_given || !una_kind_number_option(single, options, "prior_var"));

    enum { OWN_EVIDENCE, COMMON_MEANS };                 /* two passes: each by its own; then all with the means */
    for (int pass = same ? COMMON_MEANS : OWN_EVIDENCE; pass <= COMMON_MEANS; pass++) {
        UNA_TRY(relearn_members(&found, m, options, p, pass == COMMON_MEANS ? &result->warnings : NULL, keep, run));
        if (!noise_given)
            una_kind_set_number(single, options, "noise_std",
                                sqrt(found.noise_var) / una_kind_unit(single, options, p));
        if (!prior_given) una_kind_set_number(single, options, "prior_var", found.prior_var);
    }

    una_committee_options_of(single, options)->noise = UNA_NOISE_CONSTANT;
    if (m->noise)
        una_notes_add(&result->notes, "The noise is constant now: how it varied was learnt from the rows of the fit.");
    m->noise = NULL;
    if (m->noise_var > 0) m->noise_var = found.noise_var;
    result->noise_var = found.noise_var;
    result->prior_var = found.prior_var;
    result->log_evidence = found.evidence;
    return UNA_OK;
}
