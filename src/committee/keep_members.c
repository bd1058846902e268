/* SPDX-License-Identifier: MIT
 *
 * What a committee ends with: every member's posterior takes in all rows, under the weights, noise and prior variance
 * that were chosen; what the result reports; and posteriors that are relearnt later.
 */
#include "committee/steps.h"

#include "train/basis.h"

/* ---- members that are kept --------------------------------------------------------------------------------------- */

/* One member with the posterior of all rows. A kind that cannot relearn takes in the rows that it left out, or stays as
 * it is if it cannot update. */
static una_status keep_member(una_member *member, const una_committee *c, const una_member_fit *fit,
                              const double *weight, una_fit_result *result)
{
    const una_kind *kind = c->f->kind;
    una_arena *keep = c->f->keep;
    una_run *run = c->f->run;
    una_problem p;
    const una_learnt trained = { kind, kind, fit->state, c->pair->plain.x.cols };
    UNA_TRY(una_state_copy(&member->state, &trained, keep, run));

    una_all_rows(&p, una_problem_of_pair(fit->pair, fit->scaled));
    if (kind->relearn) {
        UNA_COPY_BYTES(&run->scratch, una_common_options, o, fit->options, kind->options_size);
        o->noise_std = una_noise_std_of(una_head_noise(&c->chosen), o, &p);
        una_set_number(&o->prior_var, c->chosen.prior_var);
        p.weight = weight;
        return una_fit_state(kind->relearn, c->f, &p, (una_fit_target){ member->state, o, result }, keep, run);
    }

    if (!kind->observe || (!fit->label && !c->pair->plain.valid_joins)) return UNA_OK;
    UNA_TRY(una_member_fit_rows(&p, fit, &run->scratch));
    p.x = p.valid_x;
    p.y = p.valid_y;
    return kind->observe(member->state, &p, result, keep, run);
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

static una_status keep_next(una_members *m, size_t i, const una_committee *c, const double *weight, double *evidence)
{
    una_fit_result *result = c->target->result, own = una_fit_result_in(&c->f->run->scratch);
    own.log_evidence = c->member[i].result.log_evidence;
    UNA_TRY(keep_member(&m->at[i], c, &c->member[i], weight, &own));
    *evidence += m->at[i].weight * own.log_evidence;
    if (una_is_given(una_common_of(c->target)->noise_std)) pass_notes_on(&result->warnings, &own.warnings);
    pass_notes_on(&result->notes, &own.notes);
    return UNA_OK;
}

static una_status keep_members(una_members *m, const una_committee *c)
{
    una_fit_result *result = c->target->result;
    una_run *run = c->f->run;
    una_problem all;
    double evidence = 0, total = 0;
    una_all_rows(&all, &c->pair->plain);
    const double *weight = all.weight;
    UNA_TRY(una_row_weights(&weight, c->chosen.noise, all.x, run));
    for (size_t i = 0; i < c->count; i++) {
        m->at[i].scale = c->member[i].scaled ? c->member[i].pair->scale : NULL;
        total += m->at[i].weight = c->oof.weight[c->member[i].repeat];
    }
    for (size_t i = 0; i < c->count; i++) {
        m->at[i].weight /= total;
        UNA_SCOPED(run, keep_next(m, i, c, weight, &evidence));
    }

    m->noise_var = result->noise_var = c->chosen.noise_var;
    m->noise = c->chosen.noise;
    m->tails = c->chosen.tails;
    bool has_prior = una_common_of(c->target)->prior_var != 0;
    result->prior_var = has_prior ? c->chosen.prior_var : c->member[0].result.prior_var;
    result->log_evidence = evidence;
    return UNA_OK;
}

/* ---- what the result reports ------------------------------------------------------------------------------------- */

/* Fills in automatic options on which all trainings agree: with these the fit can be repeated. */
static void fill_agreed_options(void *options, const una_committee *c)
{
    const una_option *table = c->f->kind->options;
    for (const una_option *row = table; row->name; row++) {
        double *at = una_option_number(options, table, row->name);
        double first = at ? *una_option_number(c->member[0].options, table, row->name) : 0;
        bool agree = at && UNA_IS_AUTO(*at);
        for (size_t i = 0; agree && i < c->count; i++)
            agree = *una_option_number(c->member[i].options, table, row->name) == first;
        if (agree) *at = first;
    }
}

static una_status report_committee(const una_members *m, const una_committee *c)
{
    una_arena *keep = c->f->keep;
    una_common_options *o = una_common_of(c->target);
    una_fit_result *result = c->target->result;
    double cos2 = 0;
    for (size_t i = 0; i < c->count; i++) {
        const una_fit_result *own = &c->member[i].result;
        result->steps += own->steps;
        cos2 += own->mean_cos2 / (double)c->count;
        pass_notes_on(&result->warnings, &own->warnings);
        if (i == 0) pass_notes_on(&result->notes, &own->notes);
    }
    result->mean_cos2 = cos2;
    result->curve = una_copy_curve(c->member[0].result.curve, keep);
    fill_agreed_options(o, c);
    o->noise_std = una_noise_std_of(m->noise_var, o, &c->pair->plain);
    una_set_number(&o->prior_var, result->prior_var);
    o->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    una_heavy_report(result, o, m->tails, &c->pair->plain);
    return una_arena_check(keep);
}

una_status una_finish_posteriors(una_committee *c)
{
    for (size_t t = 0; t < una_committee_targets(c); t++) {
        const una_committee *own = una_committee_of(c, t);
        una_members *m = own->target->state;
        una_oof_score(&own->oof, own->chosen.noise_var, own->target->result);
        UNA_TRY(una_members_take(m, c->f->kind, c->count, c->f->problem, c->f->keep));
        UNA_TRY(keep_members(m, own));
        UNA_TRY(report_committee(m, own));
    }
    return UNA_OK;
}

/* ---- relearning -------------------------------------------------------------------------------------------------- */

typedef struct means { double noise_var, prior_var, evidence; } means;           /* weighted, over the members */

/* Relearns every member with the same options, which stay as they are. */
static una_status relearn_members(means *out, const una_fitting *f, una_notes *warnings)
{
    const una_members *m = f->target->state;
    una_run *run = f->run;
    *out = (means){0};
    for (size_t i = 0; i < m->count; i++) {
        const una_member *member = &m->at[i];
        una_problem own_rows = *f->problem;
        UNA_COPY_BYTES(&run->scratch, void, own_options, f->target->options, f->kind->options_size);
        UNA_TRY(una_scaled(&own_rows.x, f->problem->x, member->scale, run));

        una_fit_result found = una_fit_result_in(f->keep);
        una_fit_target target = { member->state, own_options, &found };
        UNA_TRY(una_fit_state(f->kind->relearn, f, &own_rows, target, f->keep, run));
        out->noise_var += member->weight * found.noise_var;
        out->prior_var += member->weight * found.prior_var;
        out->evidence += member->weight * found.log_evidence;
        if (warnings) pass_notes_on(warnings, &found.warnings);
    }
    return UNA_OK;
}

una_status una_committee_relearn(una_fitting *f)
{
    una_members *m = f->target->state;
    una_common_options *o = una_common_of(f->target);
    una_fit_result *result = f->target->result;
    means found = {0};
    bool noise_given = una_is_given(o->noise_std), prior_given = una_is_given(o->prior_var);
    bool same = noise_given && (prior_given || o->prior_var == 0);
    if (f->kind->check_relearn) UNA_TRY(f->kind->check_relearn(o, f->run));

    enum { OWN_EVIDENCE, COMMON_MEANS };                 /* two passes: each by its own; then all with the means */
    for (int pass = same ? COMMON_MEANS : OWN_EVIDENCE; pass <= COMMON_MEANS; pass++) {
        UNA_TRY(relearn_members(&found, f, pass == COMMON_MEANS ? &result->warnings : NULL));
        if (!noise_given) o->noise_std = una_noise_std_of(found.noise_var, o, f->problem);
        if (!prior_given) una_set_number(&o->prior_var, found.prior_var);
    }

    o->noise = UNA_NOISE_CONSTANT;
    if (m->noise)
        una_notes_add(&result->notes, "The noise is constant now: how it varied was learnt from the rows of the fit.");
    if (m->tails)
        una_notes_add(&result->notes, "The noise is Gaussian now: its heavy tails were learnt from the rows of the fit%s.",
                      noise_given ? "; noise_std=auto learns its standard deviation again" : "");
    una_set_number(&o->tails, HUGE_VAL);
    m->noise = NULL;
    m->tails = NULL;
    if (m->noise_var > 0) m->noise_var = found.noise_var;
    result->noise_var = found.noise_var;
    result->prior_var = found.prior_var;
    result->log_evidence = found.evidence;
    return UNA_OK;
}
