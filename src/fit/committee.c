/* SPDX-License-Identifier: MIT
 *
 * Several trainings of a kind as one mixture: who leaves out what, what follows from what they say of it, what is kept.
 * See committee.h.
 */
#include "fit/committee.h"

#include "fit/afresh.h"
#include "fit/ignorance.h"
#include "fit/network.h"
#include "fit/seats_choose.h"
#include "fit/together.h"
#include "fit/whole.h"

#include <string.h>

/* What the table has no row for is not the user's to choose. */
static una_committee_options *completed(const una_kind *one, void *options)
{
    una_committee_options *o = una_committee_options_of(one, options);
    if (!una_kind_number(one, options, "members")) o->members = 1;
    if (!una_option_word(options, one->options, "relevance")) o->relevance = UNA_RELEVANCE_OFF;
    if (!una_option_word(options, one->options, "noise")) o->noise = UNA_NOISE_CONSTANT;
    return o;
}

/* Ranks that fit together train once: what members, a shape of the noise and lengths of a process are learnt from are
 * all rows in one place. */
static una_status settle_for_company(const una_kind *one, una_committee_options *o, una_run *run)
{
    if (!run->company) return UNA_OK;
    if (!UNA_IS_AUTO(o->members) && o->members > 1)
        UNA_FAIL(run, UNA_E_USAGE, "%s: members=%g is not possible over ranks, which train one network together; leave "
                 "members out", one->name, o->members);
    if (o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is not possible over ranks; use noise=constant", one->name);
    if (o->relevance == UNA_RELEVANCE_ON)
        UNA_FAIL(run, UNA_E_USAGE, "%s: relevance=on is not possible over ranks; use relevance=off", one->name);
    o->members = 1;
    o->noise = UNA_NOISE_CONSTANT;
    o->relevance = UNA_RELEVANCE_OFF;
    return UNA_OK;
}

/* Images have no inputs that could be scaled one by one, or that noise would follow; and trainings are long. */
static una_status settle_for_images(const una_kind *one, una_committee_options *o, const una_problem *p, una_run *run)
{
    if (!una_columns_image(p->columns).height) return UNA_OK;
    UNA_TRY(una_kind_need_images(one, run));
    if (o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is not possible with images; use noise=constant", one->name);
    if (o->relevance == UNA_RELEVANCE_ON)
        UNA_FAIL(run, UNA_E_USAGE, "%s: relevance=on is not possible with images; use relevance=off", one->name);
    if (UNA_IS_AUTO(o->members)) o->members = 1;
    o->noise = UNA_NOISE_CONSTANT;
    o->relevance = UNA_RELEVANCE_OFF;
    return UNA_OK;
}

/* ---- the rule for members ------------------------------------------------------------------------------------- */

enum { FEW_ROWS = 2000, ROUNDS_OF_FEW = 4, ROUNDS_OF_FOLDS = 2, MEMBERS_HELD_OUT = 4 };

/* Few rows: trainings are cheap, and chance is most of what they differ by. */
static size_t members_rule(const una_problem *p)
{
    if (p->folds) return p->folds * (una_table_rows(p) < FEW_ROWS ? ROUNDS_OF_FEW : ROUNDS_OF_FOLDS);
    return p->valid_x.rows == 0 ? 1 : MEMBERS_HELD_OUT;
}

/* Lengths of a process on some rows say too little of many: scaled inputs were worse there. */
static bool scales(const una_committee_options *o, const una_problem *p, bool alone)
{
    if (o->relevance == UNA_RELEVANCE_AUTO) return !alone && una_table_rows(p) < FEW_ROWS;
    return o->relevance == UNA_RELEVANCE_ON;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* Posteriors of all rows. A kind that cannot relearn takes the rows that it left out in, or does without them. */
static una_status settle(una_members *m, size_t index, const una_seat *s, const una_committee *c, const una_chosen *by,
                         const double *weight, una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_kind *one = c->one;
    una_member *member = &m->at[index];
    una_problem p;
    void *own_options = una_arena_get(&run->scratch, 1, one->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_state_copy(&member->state, one, s->state, m->inputs, keep, run));

    una_all_rows(&p, una_twin(c->twins, s->scaled));
    if (one->relearn) {
        memcpy(own_options, s->options, one->options_size);
        una_kind_set_number(one, own_options, "noise_std", sqrt(by->noise_var) / una_kind_unit(one, own_options, &p));
        una_kind_set_number(one, own_options, "prior_var", by->prior_var);
        p.weight = weight;
        return one->relearn(member->state, own_options, &p, result, keep, run);
    }

    if (!one->observe || (!s->part && !c->twins->plain.valid_joins)) return UNA_OK;
    UNA_TRY(una_seat_rows(&p, c, s, &run->scratch));
    p.x = p.valid_x;
    p.y = p.valid_y;
    return one->observe(member->state, &p, result, keep, run);
}

/* Sentences that differ in their numbers, or after a colon, in the remedy, are one: every training has its own. */
static bool alike(const char *a, const char *b)
{
    const char *digits = "0123456789.";
    for (; a += strspn(a, digits), b += strspn(b, digits), *a && *a != ':' && *a == *b; a++) b++;
    return *a == *b;
}

static bool is_new(const una_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (alike(notes->text[i], text)) return false;
    return true;
}

static void pass_on(una_notes *to, const una_notes *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (is_new(to, from->text[i])) una_notes_add(to, "%s", from->text[i]);
}

static una_status keep_seats(una_members *m, const una_committee *c, const una_said *said, const una_chosen *by,
                             void *options, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_problem all;
    const double *weight;
    double evidence = 0, total = 0;
    una_all_rows(&all, &c->twins->plain);
    UNA_TRY(una_row_weights(&weight, by->noise, all.x, run));

    for (size_t i = 0; i < c->count; i++) {
        const una_seat *s = &c->seat[i];
        m->at[i] = (una_member){ .kind = c->one, .scale = s->scaled ? c->twins->scale : NULL,
                                 .weight = said->weight[s->round] };
        total += m->at[i].weight;
    }
    for (size_t i = 0; i < c->count; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_fit_result own_result = una_fit_result_in(&run->scratch);
        own_result.log_evidence = c->seat[i].result.log_evidence;
        m->at[i].weight /= total;
        UNA_TRY(settle(m, i, &c->seat[i], c, by, weight, &own_result, keep, run));
        evidence += m->at[i].weight * own_result.log_evidence;
        if (una_kind_is_given(c->one, options, "noise_std")) pass_on(&result->warnings, &own_result.warnings);
        pass_on(&result->notes, &own_result.notes);
        una_arena_release(&run->scratch, mark);
    }

    m->noise_var = result->noise_var = by->noise_var;
    m->noise = by->noise;
    result->prior_var = una_kind_number(c->one, options, "prior_var") ? by->prior_var : c->seat[0].result.prior_var;
    result->log_evidence = evidence;
    return UNA_OK;
}

/* ---- what a person is told --------------------------------------------------------------------------------------- */

/* Automatic numbers on which all trainings agree: those by which the fit can be repeated. */
static void fill_in(void *options, const una_committee *c)
{
    for (const una_option *row = c->one->options; row->name; row++) {
        double *at = una_option_number(options, c->one->options, row->name);
        bool agree = at && UNA_IS_AUTO(*at);
        for (size_t i = 0; agree && i < c->count; i++)
            agree = *una_option_number(c->seat[i].options, c->one->options, row->name) ==
                    *una_option_number(c->seat[0].options, c->one->options, row->name);
        if (agree) *at = *una_option_number(c->seat[0].options, c->one->options, row->name);
    }
}

static una_status report(void *options, const una_committee *c, const una_members *m, una_fit_result *result,
                         una_arena *keep)
{
    const una_curve *curve = &c->seat[0].result.curve;
    size_t n = curve->count;
    double cos2 = 0;
    for (size_t i = 0; i < c->count; i++) {
        const una_fit_result *own_result = &c->seat[i].result;
        result->steps += own_result->steps;
        cos2 += own_result->mean_cos2 / (double)c->count;
        pass_on(&result->warnings, &own_result->warnings);
        if (i == 0) pass_on(&result->notes, &own_result->notes);
    }
    result->mean_cos2 = cos2;
    result->curve = (una_curve){ n, una_held_copy(curve->step, n, keep), una_held_copy(curve->loss, n, keep),
                                 una_held_copy(curve->valid_log_lik, n, keep),
                                 una_held_copy(curve->mean_cos2, n, keep) };
    fill_in(options, c);
    una_kind_set_number(c->one, options, "noise_std",
                        sqrt(m->noise_var) / una_kind_unit(c->one, options, &c->twins->plain));
    una_kind_set_number(c->one, options, "prior_var", result->prior_var);
    una_committee_options_of(c->one, options)->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    return una_arena_check(keep);
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

/* Rounds with scaled inputs, and rounds without. */
static void sort_rounds(una_said *said, const una_committee *c)
{
    bool any[2] = { false, false };
    for (size_t i = 0; i < c->count; i++) any[c->seat[i].scaled] = true;
    for (size_t i = 0; i < c->count; i++) said->sort[c->seat[i].round] = any[0] && c->seat[i].scaled;
    said->sorts = any[0] && any[1] ? 2 : 1;
}

static una_status listen(una_said **out, una_committee *c, una_run *run)
{
    size_t rounds = c->seat[c->count - 1].round + 1, targets = una_committee_targets(c);
    una_said *said = *out = UNA_GET(&run->scratch, una_said, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < targets; t++) {
        const una_committee *own = una_committee_of(c, t);
        const una_problem *p = &own->twins->plain;
        UNA_TRY(una_said_init(&said[t], rounds, una_judged_x(p).rows, una_judged_y(p), &run->scratch));
        said[t].samples = p->folds > 0;
        if (said[t].samples) sort_rounds(&said[t], own);
    }
    return UNA_OK;
}

/* Trainings afresh, if anybody asks for what is said of rows that were not seen; with the rest of the progress. */
static una_status tell_unseen(una_committee *c, const una_said *said, const una_chosen *by,
                              una_fit_result *const *result, una_run *run)
{
    size_t targets = una_committee_targets(c);
    for (size_t t = 0; t < targets; t++) {
        una_span rest = una_progress_part(run, (double)t / (double)targets, (double)(t + 1) / (double)targets);
        una_status status = una_afresh_tell(una_committee_of(c, t), &said[t], &by[t], result[t], run);
        una_progress_back(run, rest);
        UNA_TRY(status);
    }
    return UNA_OK;
}

static una_status fit_seats(una_members *const *m, una_committee *c, void *const *options,
                            una_fit_result *const *result, una_together *together, una_arena *keep, una_run *run)
{
    const una_problem *p = &c->twins->plain;
    size_t targets = una_committee_targets(c);
    bool alike = !c->of || una_problem_complete(p);
    una_said *said;
    double share = una_ignorance_is_sought(c->one, options[0], p) ? 0.8 : 1;
    double afresh = result[0]->unseen && c->twins->scale && p->folds ? 0.2 : 0;

    una_span all = una_progress_part(run, 0, 1 - afresh), before = una_progress_part(run, 0, share);
    una_status status = una_jobs_run(run, c->seat, sizeof *c->seat, c->count, una_seat_train, c);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, share, 1);

    UNA_TRY(listen(&said, c, run));
    una_chosen *by = UNA_GET(&run->scratch, una_chosen, targets);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_seats_choose(by, said, c, options, alike, result, keep, run));
    if (c->of) UNA_TRY(una_seats_compare(together, by, said, c, alike, options, result[0], run));
    una_progress_back(run, all);
    una_progress_part(run, 1 - afresh, 1);               /* una_committee_fit takes it back */
    UNA_TRY(tell_unseen(c, said, by, result, run));

    for (size_t t = 0; t < targets; t++) {
        una_committee *own = una_committee_of(c, t);
        una_said_score(&said[t], by[t].noise_var, result[t]);
        UNA_TRY(una_members_take(m[t], c->one, c->count, p, keep));
        UNA_TRY(keep_seats(m[t], own, &said[t], &by[t], options[t], result[t], keep, run));
        UNA_TRY(report(options[t], own, m[t], result[t], keep));
    }
    return UNA_OK;
}

/* One training, by which no row is foretold in the end: after folds it trains on all rows, and so does a sampler after
 * rows were held out, which it could not take in otherwise. */
static bool is_alone(const una_kind *one, void *options, const una_problem *p)
{
    const una_committee_options *o = una_committee_options_of(one, options);
    bool given = una_kind_is_given(one, options, "noise_std");
    bool constant = o->noise == UNA_NOISE_CONSTANT || (o->noise == UNA_NOISE_AUTO && given);
    bool trains_again = p->folds > 0 || (one->mixture && o->noise != UNA_NOISE_VARYING);
    return o->members <= 1 && (constant || trains_again || p->valid_x.rows == 0);
}

static const double RELEVANCE_SHARE = 0.05;      /* of the progress */

typedef struct both { una_twins whole, *own; } both;     /* own [targets]; of one target NULL: it is the whole */

/* The problem with the scale of its inputs; what is left of the progress follows. */
static una_status learn_scale(both *t, const una_problem *p, bool relevance, una_fit_result *const *result,
                              una_arena *keep, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    t->own = targets > 1 ? UNA_GET(&run->scratch, una_twins, targets) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    una_span before = una_progress_part(run, 0, RELEVANCE_SHARE);
    una_status status = t->own ? una_twins_take_several(&t->whole, t->own, p, relevance, result, keep, run)
                               : una_twins_take(&t->whole, p, relevance, result[0], keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, relevance ? RELEVANCE_SHARE : 0, 1);          /* una_committee_fit takes it back */
    return UNA_OK;
}

/* Who leaves out what; inputs are scaled in all rounds, or in two of four. */
static una_status take_seats(una_committee *c, const una_twins *t, bool all_scaled, una_run *run)
{
    const una_problem *p = &t->plain;
    c->seat = UNA_GET(&run->scratch, una_seat, c->count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < c->count; i++) {
        una_seat *at = &c->seat[i];
        *at = (una_seat){ .round = p->folds ? i / p->folds : i, .number = i, .part = p->folds ? p->fold : NULL,
                          .leaves = (unsigned char)(p->folds ? i % p->folds : 0) };
        at->scaled = t->scale && (all_scaled || at->round / 2 % 2 == 0);
    }
    return UNA_OK;
}

static una_status share_rows(const una_committee *c, una_twins *t, una_run *run)
{
    bool plain = false, scaled = false;
    for (size_t i = 0; i < c->count; i++) *(c->seat[i].scaled ? &scaled : &plain) = true;
    return una_twins_share(t, plain, scaled, run);
}

/* Beside the seats that train, those of each target. */
static una_status seat_targets(una_committee *c, const una_twins *own, void *const *options, bool all_scaled,
                               una_run *run)
{
    c->targets = una_problem_outputs(&c->twins->plain);
    c->of = UNA_GET(&run->scratch, una_committee, c->targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < c->targets; t++) {
        c->of[t] = (una_committee){ .one = c->one, .options = options[t], .twins = &own[t], .count = c->count,
                                    .steps_share = c->steps_share };
        UNA_TRY(take_seats(&c->of[t], &own[t], all_scaled, run));
    }
    return UNA_OK;
}

static una_status fit_committee(una_members *const *m, const una_kind *one, void *const *options, both *t,
                                una_fit_result *const *result, una_together *together, una_arena *keep, una_run *run)
{
    const una_committee_options *o = una_committee_options_of(one, options[0]);
    una_committee c = { .one = one, .options = options[0], .twins = &t->whole, .count = (size_t)o->members,
                        .steps_share = 1 };
    bool all_scaled = o->relevance == UNA_RELEVANCE_ON;
    UNA_TRY(take_seats(&c, &t->whole, all_scaled, run));
    UNA_TRY(share_rows(&c, &t->whole, run));
    if (t->own) UNA_TRY(seat_targets(&c, t->own, options, all_scaled, run));
    una_status status = fit_seats(m, &c, options, result, together, keep, run);
    una_jobs_free(c.seat, sizeof *c.seat, c.count);
    return status;
}

static una_status fit_trained(una_members *const *m, const una_kind *one, void *const *options, const una_problem *p,
                              una_fit_result *const *result, una_together *together, una_arena *keep, una_run *run)
{
    una_committee_options *o = una_committee_options_of(one, options[0]);
    both t;
    bool left_out = p->folds > 0 || p->valid_x.rows > 0;         /* rows by which members could be told apart */
    if (UNA_IS_AUTO(o->members) || !left_out) o->members = (double)members_rule(p);
    bool alone = is_alone(one, options[0], p);
    if (alone && o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is learnt from rows that a training has not seen, and with "
                 "members=1 and so few rows (%zu) there are none in the end; use members=5 or more", one->name,
                 p->x.rows);

    UNA_TRY(learn_scale(&t, p, scales(o, p, alone), result, keep, run));
    if (alone) o->noise = UNA_NOISE_CONSTANT;
    for (size_t k = 1; k < una_problem_outputs(p); k++) {
        una_committee_options *other = una_committee_options_of(one, options[k]);
        other->members = o->members;
        other->noise = o->noise;
    }
    bool scaled = t.whole.scale != NULL;
    if (!alone) return fit_committee(m, one, options, &t, result, together, keep, run);
    if (t.own) return una_fit_alone_several(m, one, options, &t.whole, t.own, scaled, result, together, keep, run);
    return una_fit_alone(m[0], one, options[0], NULL, &t.whole, scaled, result[0], keep, run);
}

una_status una_committee_fit(una_members *m, const una_kind *one, void *options, const una_problem *p,
                             una_fit_result *result, una_arena *keep, una_run *run)
{
    UNA_TRY(settle_for_company(one, completed(one, options), run));
    UNA_TRY(settle_for_images(one, una_committee_options_of(one, options), p, run));
    una_network_note(&result->notes, p, run);
    una_span before = una_progress_part(run, 0, 1);
    una_status status = one->learns_features ? fit_trained(&m, one, &options, p, &result, NULL, keep, run)
                                             : una_fit_whole(m, one, options, p, result, keep, run);
    una_progress_back(run, before);
    return status;
}

/* Rows that a target needs: to learn from, and to be judged by. */
static una_status check_cells(const una_kind *one, const una_problem *p, una_run *run)
{
    const char *origin = p->data ? p->data->origin : "the data";
    for (size_t t = 0; t < p->outputs; t++) {
        size_t rows = una_target_cells(p->y, p->x.rows, p->outputs, t);
        size_t held = una_target_cells(p->valid_y, p->valid_x.rows, p->outputs, t);
        if (rows < one->least_rows)
            UNA_FAIL(run, UNA_E_INPUT, "%s: %s needs at least %zu rows to learn a target from, and '%s' has only %zu; "
                     "leave that target out", origin, one->name, one->least_rows, p->columns[t].target, rows);
        if (p->valid_x.rows > 0 && held == 0)
            UNA_FAIL(run, UNA_E_INPUT, "%s: none of the rows held out has the target '%s'; hold out more of them, or "
                     "fit that target by itself", origin, p->columns[t].target);
    }
    return UNA_OK;
}

una_status una_committee_fit_several(una_members *const *m, const una_kind *one, void *const *options,
                                     const una_problem *p, una_fit_result *const *result, una_together *together,
                                     una_arena *keep, una_run *run)
{
    size_t targets = una_problem_outputs(p);
    if (targets == 1) {
        UNA_TRY(una_committee_fit(m[0], one, options[0], p, result[0], keep, run));
        together->noise[0] = result[0]->noise_var;
        together->joint = true;
        return UNA_OK;
    }
    for (size_t t = 0; t < targets; t++) completed(one, options[t]);
    UNA_TRY(check_cells(one, p, run));
    una_network_note(&result[0]->notes, p, run);
    una_span before = una_progress_part(run, 0, 1);
    una_status status = fit_trained(m, one, options, p, result, together, keep, run);
    una_progress_back(run, before);
    return status;
}

una_status una_committee_fit_anchored(una_members *m, const una_kind *one, void *options, const una_anchor *anchor,
                                      const una_problem *p, una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_committee_options *o = completed(one, options);
    una_twins t;
    if (!UNA_IS_AUTO(o->members) && o->members > 1)
        UNA_FAIL(run, UNA_E_USAGE, "%s: members=%g is not possible in an anchored ensemble, where every member has its "
                 "own anchor; leave members out, and give the ensemble more of them", one->name, o->members);
    UNA_TRY(una_twins_take(&t, p, o->relevance == UNA_RELEVANCE_ON, result, keep, run));
    una_network_note(&result->notes, p, run);
    return una_fit_alone(m, one, options, anchor, &t, t.scale != NULL, result, keep, run);
}

/* ---- posteriors anew --------------------------------------------------------------------------------------------- */

typedef struct means { double noise, prior, evidence; } means;           /* weighted, over the members */

/* Every member by the same options, which stay as they are. */
static una_status relearn_members(means *out, una_members *m, const void *options, const una_problem *p,
                                  una_notes *warnings, una_arena *keep, una_run *run)
{
    const una_kind *one = m->at[0].kind;
    *out = (means){0};
    for (size_t i = 0; i < m->count; i++) {
        una_member *member = &m->at[i];
        una_problem own_rows = *p;
        void *own_options = una_arena_get(&run->scratch, 1, one->options_size);
        UNA_TRY(una_arena_check(&run->scratch));
        memcpy(own_options, options, one->options_size);
        UNA_TRY(una_scaled(&own_rows.x, p->x, member->scale, run));

        una_fit_result found = una_fit_result_in(keep);
        UNA_TRY(one->relearn(member->state, own_options, &own_rows, &found, keep, run));
        out->noise += member->weight * found.noise_var;
        out->prior += member->weight * found.prior_var;
        out->evidence += member->weight * found.log_evidence;
        if (warnings) pass_on(warnings, &found.warnings);
    }
    return UNA_OK;
}

una_status una_committee_relearn(void *state, void *options, const una_problem *p, una_fit_result *result,
                                 una_arena *keep, una_run *run)
{
    una_members *m = state;
    const una_kind *one = m->at[0].kind;
    means found = {0};
    bool noise_given = una_kind_is_given(one, options, "noise_std");
    bool prior_given = una_kind_is_given(one, options, "prior_var");
    bool same = noise_given && (prior_given || !una_kind_number(one, options, "prior_var"));

    for (int turn = same ? 1 : 0; turn < 2; turn++) {            /* each by its own evidence; then all by the mean */
        UNA_TRY(relearn_members(&found, m, options, p, turn == 1 ? &result->warnings : NULL, keep, run));
        if (!noise_given)
            una_kind_set_number(one, options, "noise_std", sqrt(found.noise) / una_kind_unit(one, options, p));
        if (!prior_given) una_kind_set_number(one, options, "prior_var", found.prior);
    }

    una_committee_options_of(one, options)->noise = UNA_NOISE_CONSTANT;
    if (m->noise)
        una_notes_add(&result->notes, "The noise is constant now: how it varied was learnt from the rows of the fit.");
    m->noise = NULL;
    if (m->noise_var > 0) m->noise_var = found.noise;
    result->noise_var = found.noise;
    result->prior_var = found.prior;
    result->log_evidence = found.evidence;
    return UNA_OK;
}
