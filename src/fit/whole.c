/* SPDX-License-Identifier: MIT
 *
 * One posterior of all rows, and what it says of each fold without its rows. See whole.h.
 */
#include "fit/whole.h"

#include "fit/afresh.h"
#include "la/la.h"
#include "model/split.h"

#include <string.h>

/* Folds that the problem has, or of its own: rows with equal inputs share one. */
static una_status need_folds(una_problem *p, una_run *run)
{
    una_copies copies;
    unsigned char *fold;
    if (p->folds || p->valid_x.rows) return UNA_OK;
    p->folds = UNA_FOLDS;
    UNA_TRY(una_split_copies(&copies, p->x, run));
    UNA_TRY(una_fold_rows(&fold, &p->folds, &copies, p->x.rows, una_rng_at(p->seed, UNA_FOR_FOLDS, 0), run));
    p->fold = fold;
    return UNA_OK;
}

/* Foretelling goes by a rounded noise: a spec passed back finds it again to some digits only, and must foretell the
 * same to the bit. */
static double rounded(double noise_var)
{
    const double digits = 8;
    return exp(floor(digits * log(noise_var) + 0.5) / digits);
}

typedef struct answer {                  /* a posterior of all rows, and what it says of rows it leaves out */
    const una_kind *one;
    una_twins  *twins;
    void       *given, *options;         /* options as they were given, and filled in                       */
    void       *state;
    double      noise_var, prior_var;
    una_noise  *noise;                   /* its shape; NULL: constant                                       */
    una_said    said;
} answer;

/* What the posterior says of each fold without its rows, or of the rows held out. */
static una_status foretell(answer *a, una_run *run)
{
    const una_problem *p = &a->twins->plain;
    una_committee c = { .one = a->one, .options = a->options, .twins = a->twins, .count = p->folds ? p->folds : 1,
                        .noise_var = rounded(a->noise_var), .prior_var = a->prior_var, .noise = a->noise };
    c.seat = UNA_GET(&run->scratch, una_seat, c.count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < c.count; i++)
        c.seat[i] = (una_seat){ .state = a->state, .options = a->options, .part = p->folds ? p->fold : NULL,
                                .leaves = (unsigned char)i };
    UNA_TRY(una_said_init(&a->said, 1, una_judged_x(p).rows, una_judged_y(p), &run->scratch));
    a->said.apart = a->one->search;
    una_status status = una_jobs_run(run, c.seat, sizeof *c.seat, c.count, una_seat_foretell_again, &c);
    if (status == UNA_OK) una_committee_gather(&a->said, &c);
    una_jobs_free(c.seat, sizeof *c.seat, c.count);
    return status == UNA_OK && a->noise ? una_said_shape_apart(&a->said, a->noise, p, run) : status;
}

static una_status take_in(una_members *m, const una_twins *t, void *options, una_fit_result *result, una_arena *keep,
                          una_run *run)
{
    const una_kind *one = m->at[0].kind;
    una_problem p;
    una_all_rows(&p, &t->plain);
    UNA_TRY(una_row_weights(&p.weight, m->noise, p.x, run));
    UNA_TRY(one->relearn(m->at[0].state, options, &p, result, keep, run));
    m->noise_var = m->noise ? result->noise_var : 0;
    return UNA_OK;
}

/* ---- lengths under a noise that varies -------------------------------------------------------------------------- */

/* The noise that the posterior has with the shape: noise_std, or by evidence where that is automatic. */
static una_status find_noise(answer *a, double noise_std, una_run *run)
{
    const una_kind *one = a->one;
    una_problem p = a->twins->plain;
    una_mark mark = una_arena_mark(&run->scratch);
    void *state = una_arena_get(&run->scratch, 1, one->state_size);
    void *options = una_arena_get(&run->scratch, 1, one->options_size);
    una_fit_result found = una_fit_result_in(&run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_row_weights(&p.weight, a->noise, p.x, run);
    if (status == UNA_OK) {
        memcpy(state, a->state, one->state_size);
        memcpy(options, a->options, one->options_size);
        una_kind_set_number(one, options, "noise_std", noise_std);
        status = one->relearn(state, options, &p, &found, &run->scratch, run);
    }
    a->noise_var = found.noise_var;
    a->prior_var = found.prior_var;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Log-likelihood of all rows left out; -HUGE_VAL: nothing was said of them. */
static double log_lik_of(const answer *a)
{
    double sum = 0;
    size_t rows = 0;
    for (size_t i = 0; i < a->said.rows; i++) {
        double own = una_said_log_lik(&a->said, i, a->noise_var);
        if (isnan(own)) continue;
        sum += own;
        rows++;
    }
    return rows > 0 ? sum : -HUGE_VAL;
}

/* What it says under its shape, with the noise that suits rows left out. */
static una_status try_shape(answer *a, una_run *run)
{
    a->noise_var = una_said_noise(&a->said);
    UNA_TRY(foretell(a, run));
    a->noise_var = una_said_noise(&a->said);
    return UNA_OK;
}

/* A shape that was learnt beside a constant noise, or the one that is learnt beside it in turn, as rows left out are
 * likelier; then the noise that the posterior has with it. */
static una_status settle_shape(answer *a, una_arena *keep, una_run *run)
{
    UNA_TRY(try_shape(a, run));
    answer again = *a;
    UNA_TRY(una_said_shape(&again.noise, &again.said, &a->twins->plain, true, keep, run));
    UNA_TRY(try_shape(&again, run));
    if (log_lik_of(&again) > log_lik_of(a)) *a = again;
    UNA_TRY(find_noise(a, *una_kind_number(a->one, a->given, "noise_std"), run));
    return foretell(a, run);
}

/* Lengths are chosen again under the shape, and the shape anew beside them, as if they had been given: so the spec that
 * is printed finds it again. */
static una_status search_again(answer *a, una_fit_result *found, una_arena *keep, una_run *run)
{
    una_problem p = a->twins->plain;
    void *options = una_arena_get(&run->scratch, 1, a->one->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(options, a->given, a->one->options_size);
    UNA_TRY(una_row_weights(&p.weight, a->noise, p.x, run));
    UNA_TRY(a->one->search(a->state, options, &p, found, keep, run));
    if (found->steps == 0) return UNA_OK;

    a->options = options;
    a->noise = NULL;
    UNA_TRY(find_noise(a, UNA_AUTO, run));
    UNA_TRY(foretell(a, run));
    UNA_TRY(una_said_shape(&a->noise, &a->said, &a->twins->plain, true, keep, run));
    return settle_shape(a, keep, run);
}

/* Whether there is an answer; without a factor of the covariance there is none. */
static una_status unless_numeric(una_status status, bool *any, una_run *run)
{
    *any = status == UNA_OK;
    if (status != UNA_E_NUMERIC) return status;
    una_clear_message(run);
    return UNA_OK;
}

/* A shape was learnt beside the lengths of a constant noise. Rows left out decide what is kept: the shape with these
 * lengths, with lengths chosen under it, or, unless there must be one, none. found: steps > 0 if lengths are new. */
static una_status choose_lengths(answer *a, bool must, una_fit_result *found, una_arena *keep, una_run *run)
{
    answer constant = *a, old = *a, anew;
    bool any_old, any_new;
    constant.noise = NULL;
    constant.said.shape = NULL;
    UNA_TRY(unless_numeric(settle_shape(&old, keep, run), &any_old, run));
    anew = old;
    UNA_TRY(unless_numeric(search_again(&anew, found, keep, run), &any_new, run));
    double with_old = any_old ? log_lik_of(&old) : -HUGE_VAL;
    double with_new = any_new && found->steps > 0 ? log_lik_of(&anew) : -HUGE_VAL;

    *a = with_new > with_old ? anew : old;
    if (!must && !(fmax(with_new, with_old) > log_lik_of(&constant))) *a = constant;
    if (!a->noise || !(with_new > with_old)) found->steps = 0;
    return UNA_OK;
}

/* ---- rows that were not seen at all ----------------------------------------------------------------------------- */

typedef struct honest {
    una_committee c;
    const answer *of;
    bool     search;                     /* with its lengths chosen under the shape                         */
    double **noise;                      /* [seats] [held] of each, without the shape                       */
} honest;

static una_status fit_under_shape(const honest *h, una_seat *s, una_problem *p, una_run *run)
{
    const una_kind *one = h->c.one;
    UNA_TRY(una_seat_rows_weighed(p, &h->c, s, run));
    if (h->search) {
        memcpy(s->options, h->of->given, one->options_size);
        UNA_TRY(one->search(s->state, s->options, p, &s->result, &s->arena, run));
    } else una_kind_set_number(one, s->options, "noise_std", *una_kind_number(one, h->of->given, "noise_std"));
    return one->relearn(s->state, s->options, p, &s->result, &s->arena, run);
}

/* As what is kept was fitted. Where the covariance has no factor under the shape, the fit before stands. */
static una_status fit_again(const honest *h, una_seat *s, una_problem *p, una_run *run)
{
    bool any;
    void *before = una_arena_get(&run->scratch, 1, h->c.one->state_size);
    UNA_TRY(una_arena_check(&run->scratch));
    if (!h->c.noise) return UNA_OK;
    memcpy(before, s->state, h->c.one->state_size);
    UNA_TRY(unless_numeric(fit_under_shape(h, s, p, run), &any, run));
    if (!any) memcpy(s->state, before, h->c.one->state_size);
    return UNA_OK;
}

static una_status fit_without(void *context, size_t index, una_run *run)
{
    honest *h = context;
    const una_kind *one = h->c.one;
    una_seat *s = &h->c.seat[index];
    una_problem p;
    s->options = una_arena_get(&s->arena, 1, one->options_size);
    s->state = una_arena_get(&s->arena, 1, one->state_size);
    UNA_TRY(una_arena_check(&s->arena));
    memcpy(s->options, h->c.options, one->options_size);
    s->result = una_fit_result_in(&s->arena);
    UNA_TRY(una_seat_rows(&p, &h->c, s, &run->scratch));
    UNA_TRY(one->fit(s->state, s->options, &p, &s->result, &s->arena, run));
    UNA_TRY(fit_again(h, s, &p, run));

    s->held = p.valid_x.rows;
    s->mean = UNA_GET(&s->arena, double, 3 * s->held);
    UNA_TRY(una_arena_check(&s->arena));
    s->var = s->mean + s->held;
    h->noise[index] = s->var + s->held;
    una_predictive out = { .mean = s->mean, .var_model = s->var, .var_noise = h->noise[index] };
    return one->predict(s->state, p.valid_x, &out, run);
}

static void hear(una_unseen *u, const honest *h, const double *shape)
{
    const una_problem *p = &h->c.twins->plain;
    const double *y = una_judged_y(p);
    u->folds = p->folds ? h->c.count : 0;
    for (size_t i = 0; i < h->c.count; i++) {
        const una_seat *s = &h->c.seat[i];
        for (size_t row = 0, next = 0; next < s->held; row++) {
            if (s->part && s->part[row] != s->leaves) continue;
            double noise = h->noise[i][next] * (shape ? shape[row] : 1);
            u->mean[row] = s->mean[next];
            u->var_model[row] = s->var[next];
            u->var_noise[row] = noise;
            u->below[row] = una_normal_cdf((y[row] - s->mean[next]) / sqrt(s->var[next] + noise));
            u->rows++;
            next++;
        }
    }
}

/* Fits without each fold, with the options as they were given: all that is chosen by rows is chosen without it. */
static una_status foretell_unseen(una_unseen *u, const answer *a, bool search, una_run *run)
{
    UNA_TRY(need_folds(&a->twins->plain, run));
    const una_problem *p = &a->twins->plain;
    size_t count = una_afresh_folds(p);
    honest h = { .c = { .one = a->one, .options = a->given, .twins = a->twins, .count = count, .noise = a->noise,
                        .seat = UNA_GET(&run->scratch, una_seat, count) },
                 .of = a, .search = search, .noise = UNA_GET(&run->scratch, double *, count) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++)
        h.c.seat[i] = (una_seat){ .number = i, .part = p->folds ? p->fold : NULL, .leaves = (unsigned char)i };
    una_status status = una_jobs_run(run, h.c.seat, sizeof *h.c.seat, count, fit_without, &h);
    if (status == UNA_OK) hear(u, &h, a->noise ? a->said.shape : NULL);
    una_jobs_free(h.c.seat, sizeof *h.c.seat, count);
    return status;
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

/* The shape of the noise, and what the posterior says of rows that it leaves out. */
static una_status look_at_noise(answer *a, bool shape, bool must, una_fit_result *found, una_arena *keep, una_run *run)
{
    const una_problem *p = &a->twins->plain;
    UNA_TRY(need_folds(&a->twins->plain, run));
    UNA_TRY(foretell(a, run));
    if (shape) UNA_TRY(una_said_shape(&a->noise, &a->said, p, must, keep, run));
    return a->noise && a->one->search ? choose_lengths(a, must, found, keep, run) : UNA_OK;
}

/* New lengths in the place of others: sentences about those go with them, while those from before the fit stay. */
static void take_lengths(void *options, const answer *a, una_fit_result *result, const una_fit_result *before,
                         const una_fit_result *found)
{
    memcpy(options, a->options, a->one->options_size);
    result->steps += found->steps;
    result->warnings.count = before->warnings.count;
    result->notes.count = before->notes.count;
    for (size_t i = 0; i < found->warnings.count; i++) una_notes_add(&result->warnings, "%s", found->warnings.text[i]);
    for (size_t i = 0; i < found->notes.count; i++) una_notes_add(&result->notes, "%s", found->notes.text[i]);
}

/* noise_std as it was given; else of the shape's posterior, where that has all rows, or by evidence. */
static double last_noise(const answer *a)
{
    const una_problem *p = &a->twins->plain;
    if (una_kind_is_given(a->one, a->given, "noise_std")) return *una_kind_number(a->one, a->given, "noise_std");
    if (!a->one->search || (p->valid_x.rows && p->valid_joins)) return UNA_AUTO;
    return sqrt(a->noise_var) / una_kind_unit(a->one, a->options, p);
}

una_status una_fit_whole(una_members *m, const una_kind *one, void *options, const una_problem *p,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    una_committee_options *o = una_committee_options_of(one, options);
    bool noise_given = una_kind_is_given(one, options, "noise_std"), varying = o->noise == UNA_NOISE_VARYING;
    bool shape = varying || (o->noise == UNA_NOISE_AUTO && !noise_given);
    una_fit_result before = *result, found = una_fit_result_in(keep);
    una_twins t = { .plain = *p };
    void *given = una_arena_get(&run->scratch, 1, one->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(given, options, one->options_size);
    if (varying) una_kind_set_number(one, options, "noise_std", UNA_AUTO);
    UNA_TRY(una_fit_alone(m, one, options, NULL, &t, false, result, keep, run));

    answer a = { .one = one, .twins = &t, .given = given, .state = m->at[0].state, .options = options,
                 .noise_var = result->noise_var, .prior_var = result->prior_var };
    una_progress_part(run, 1, 1);                        /* una_committee_fit takes it back */
    bool scored = shape || result->foretold, told = scored || (result->unseen && !one->search);
    if (told) UNA_TRY(look_at_noise(&a, shape, varying, &found, keep, run));
    if (found.steps > 0) take_lengths(options, &a, result, &before, &found);
    m->noise = a.noise;
    o->noise = a.noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    if (a.noise) una_kind_set_number(one, options, "noise_std", last_noise(&a));
    if (a.noise || (p->valid_x.rows && p->valid_joins)) UNA_TRY(take_in(m, &t, options, result, keep, run));
    if (scored) una_said_score(&a.said, result->noise_var, result);
    if (!result->unseen) return UNA_OK;
    if (one->search) return foretell_unseen(result->unseen, &a, found.steps > 0, run);
    una_said_tell(&a.said, result->noise_var, t.plain.folds, result);
    return UNA_OK;
}
