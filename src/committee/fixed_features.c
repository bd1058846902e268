/* SPDX-License-Identifier: MIT
 *
 * One posterior of all rows, and its predictions of each fold without the fold's rows. See fixed_features.h.
 */
#include "committee/fixed_features.h"

#include "committee/oof_refit.h"
#include "la/la.h"
#include "model/validation_split.h"

/* The problem's folds, or new ones: rows with equal inputs share a fold. */
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

/* Folds are predicted with a rounded noise: a printed spec gives the noise to some digits only, and must give the same
 * bits. */
static double rounded_noise(double noise_var)
{
    const double digits = 8;
    return exp(floor(digits * log(noise_var) + 0.5) / digits);
}

typedef struct candidate {               /* a posterior of all rows, and its out-of-fold predictions */
    const una_kind *single;
    una_problem_pair  *pair;
    void       *given, *options;         /* options as given, and filled in                                 */
    void       *state;
    double      noise_var, prior_var;
    una_noise  *noise;                   /* its shape; NULL: constant                                       */
    una_oof    oof;
} candidate;

/* Predicts each fold without its rows, or the held-out rows. */
static una_status predict_folds(candidate *a, una_run *run)
{
    const una_problem *p = &a->pair->plain;
    una_committee c = { .single = a->single, .options = a->options, .pair = a->pair, .count = p->folds ? p->folds : 1,
                        .noise_var = rounded_noise(a->noise_var), .prior_var = a->prior_var, .noise = a->noise };
    UNA_NEW_AT(&run->scratch, c.member, c.count);
    for (size_t i = 0; i < c.count; i++)
        c.member[i] = (una_member_fit){ .state = a->state, .options = a->options, .label = p->folds ? p->fold : NULL,
                                        .left_out_label = (unsigned char)i };
    UNA_TRY(una_oof_init(&a->oof, 1, una_oof_x(p).rows, una_oof_y(p), &run->scratch));
    a->oof.shape_per_fold = a->single->search;
    una_status status = una_jobs_run(run, c.member, sizeof *c.member, c.count, una_member_fit_predict_again, &c);
    if (status == UNA_OK) una_committee_collect_oof(&a->oof, &c);
    una_jobs_free(c.member, sizeof *c.member, c.count);
    return status == UNA_OK && a->noise ? una_oof_noise_shape_without(&a->oof, a->noise, p, run) : status;
}

static una_status take_in_all_rows(una_members *m, const una_problem_pair *pair, void *options, una_fit_result *result,
                                   una_arena *keep, una_run *run)
{
    const una_kind *single = m->at[0].kind;
    una_problem p;
    una_all_rows(&p, &pair->plain);
    UNA_TRY(una_row_weights(&p.weight, m->noise, p.x, run));
    UNA_TRY(single->relearn(m->at[0].state, options, &p, result, keep, run));
    m->noise_var = m->noise ? result->noise_var : 0;
    return UNA_OK;
}

/* ---- lengths under a noise that varies -------------------------------------------------------------------------- */

/* The posterior's noise under the shape: noise_std, or by evidence where that is automatic. */
static una_status noise_under_shape(candidate *a, double noise_std, una_run *run)
{
    const una_kind *single = a->single;
    una_problem p = a->pair->plain;
    una_mark mark = una_arena_mark(&run->scratch);
    void *state = una_arena_get(&run->scratch, 1, single->state_size);
    void *options = una_arena_get(&run->scratch, 1, single->options_size);
    una_fit_result found = una_fit_result_in(&run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_row_weights(&p.weight, a->noise, p.x, run);
    if (status == UNA_OK) {
        memcpy(state, a->state, single->state_size);
        memcpy(options, a->options, single->options_size);
        una_kind_set_number(single, options, "noise_std", noise_std);
        status = single->relearn(state, options, &p, &found, &run->scratch, run);
    }
    a->noise_var = found.noise_var;
    a->prior_var = found.prior_var;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Out-of-fold log-likelihood, summed over rows; -HUGE_VAL: there are no predictions. */
static double oof_log_lik_sum(const candidate *a)
{
    double sum = 0;
    size_t rows = 0;
    for (size_t i = 0; i < a->oof.rows; i++) {
        double own = una_oof_log_lik(&a->oof, i, a->noise_var);
        if (isnan(own)) continue;
        sum += own;
        rows++;
    }
    return rows > 0 ? sum : -HUGE_VAL;
}

/* Predicts under the shape, with the noise that suits out-of-fold rows. */
static una_status try_shape(candidate *a, una_run *run)
{
    a->noise_var = una_oof_noise(&a->oof);
    UNA_TRY(predict_folds(a, run));
    a->noise_var = una_oof_noise(&a->oof);
    return UNA_OK;
}

/* The shape that was learnt with a constant noise, or the one learnt after it in turn, whichever makes out-of-fold rows
 * likelier; then the posterior's noise under it. */
static una_status choose_shape(candidate *a, una_arena *keep, una_run *run)
{
    UNA_TRY(try_shape(a, run));
    candidate again = *a;
    UNA_TRY(una_oof_noise_shape(&again.noise, &again.oof, &a->pair->plain, true, keep, run));
    UNA_TRY(try_shape(&again, run));
    if (oof_log_lik_sum(&again) > oof_log_lik_sum(a)) *a = again;
    UNA_TRY(noise_under_shape(a, *una_kind_number_option(a->single, a->given, "noise_std"), run));
    return predict_folds(a, run);
}

/* Chooses the lengths again under the shape, then the shape again as if these lengths had been given, so that the
 * printed spec leads to the same fit. */
static una_status search_again(candidate *a, una_fit_result *found, una_arena *keep, una_run *run)
{
    una_problem p = a->pair->plain;
    void *options = una_arena_get(&run->scratch, 1, a->single->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(options, a->given, a->single->options_size);
    UNA_TRY(una_row_weights(&p.weight, a->noise, p.x, run));
    UNA_TRY(a->single->search(a->state, options, &p, found, keep, run));
    if (found->steps == 0) return UNA_OK;

    a->options = options;
    a->noise = NULL;
    UNA_TRY(noise_under_shape(a, UNA_AUTO, run));
    UNA_TRY(predict_folds(a, run));
    UNA_TRY(una_oof_noise_shape(&a->noise, &a->oof, &a->pair->plain, true, keep, run));
    return choose_shape(a, keep, run);
}

/* A covariance without a factor is no failure here: *any says whether there is a result. */
static una_status unless_numeric(una_status status, bool *any, una_run *run)
{
    *any = status == UNA_OK;
    if (status != UNA_E_NUMERIC) return status;
    una_clear_message(run);
    return UNA_OK;
}

/* The shape was learnt with the lengths of a constant noise. Out-of-fold rows decide what is kept: the shape with these
 * lengths, with lengths chosen under it, or no shape (unless there must be one). found: steps > 0 if lengths are
 * new. */
static una_status choose_lengths(candidate *a, bool must, una_fit_result *found, una_arena *keep, una_run *run)
{
    candidate constant = *a, old = *a, renewed;
    bool any_old, any_new;
    constant.noise = NULL;
    constant.oof.shape = NULL;
    UNA_TRY(unless_numeric(choose_shape(&old, keep, run), &any_old, run));
    renewed = old;
    UNA_TRY(unless_numeric(search_again(&renewed, found, keep, run), &any_new, run));
    double with_old = any_old ? oof_log_lik_sum(&old) : -HUGE_VAL;
    double with_new = any_new && found->steps > 0 ? oof_log_lik_sum(&renewed) : -HUGE_VAL;

    *a = with_new > with_old ? renewed : old;
    if (!must && !(fmax(with_new, with_old) > oof_log_lik_sum(&constant))) *a = constant;
    if (!a->noise || !(with_new > with_old)) found->steps = 0;
    return UNA_OK;
}

/* ---- refits without each fold, lengths and all ------------------------------------------------------------------ */

typedef struct fold_refits {
    una_committee c;
    const candidate *of;
    bool     search;                     /* with lengths chosen under the shape                             */
    double **noise;                      /* [members] [left_out] of each, without the shape                 */
} fold_refits;

static una_status fit_under_shape(const fold_refits *h, una_member_fit *fit, una_problem *p, una_run *run)
{
    const una_kind *single = h->c.single;
    UNA_TRY(una_member_fit_rows_weighed(p, &h->c, fit, run));
    if (h->search) {
        memcpy(fit->options, h->of->given, single->options_size);
        UNA_TRY(single->search(fit->state, fit->options, p, &fit->result, &fit->arena, run));
    } else una_kind_set_number(single, fit->options, "noise_std",
                               *una_kind_number_option(single, h->of->given, "noise_std"));
    return single->relearn(fit->state, fit->options, p, &fit->result, &fit->arena, run);
}

/* The same steps as for the posterior that is kept. Where the covariance has no factor under the shape, the fit before
 * stands. */
static una_status refit_under_shape(const fold_refits *h, una_member_fit *fit, una_problem *p, una_run *run)
{
    bool any;
    void *before = una_arena_get(&run->scratch, 1, h->c.single->state_size);
    UNA_TRY(una_arena_check(&run->scratch));
    if (!h->c.noise) return UNA_OK;
    memcpy(before, fit->state, h->c.single->state_size);
    UNA_TRY(unless_numeric(fit_under_shape(h, fit, p, run), &any, run));
    if (!any) memcpy(fit->state, before, h->c.single->state_size);
    return UNA_OK;
}

static una_status refit_without_fold(void *context, size_t index, una_run *run)
{
    fold_refits *h = context;
    const una_kind *single = h->c.single;
    una_member_fit *fit = &h->c.member[index];
    una_problem p;
    fit->options = una_arena_get(&fit->arena, 1, single->options_size);
    fit->state = una_arena_get(&fit->arena, 1, single->state_size);
    UNA_TRY(una_arena_check(&fit->arena));
    memcpy(fit->options, h->c.options, single->options_size);
    fit->result = una_fit_result_in(&fit->arena);
    UNA_TRY(una_member_fit_rows(&p, &h->c, fit, &run->scratch));
    UNA_TRY(single->fit(fit->state, fit->options, &p, &fit->result, &fit->arena, run));
    UNA_TRY(refit_under_shape(h, fit, &p, run));

    fit->left_out_rows = p.valid_x.rows;
    UNA_NEW_AT(&fit->arena, fit->mean, 3 * fit->left_out_rows);
    fit->var = fit->mean + fit->left_out_rows;
    h->noise[index] = fit->var + fit->left_out_rows;
    una_predictive out = { .mean = fit->mean, .var_model = fit->var, .var_noise = h->noise[index] };
    return single->predict(fit->state, p.valid_x, &out, run);
}

static void collect_refits(una_oof_predictions *u, const fold_refits *h, const double *shape)
{
    const una_problem *p = &h->c.pair->plain;
    const double *y = una_oof_y(p);
    u->folds = p->folds ? h->c.count : 0;
    for (size_t i = 0; i < h->c.count; i++) {
        const una_member_fit *fit = &h->c.member[i];
        for (size_t row = 0, next = 0; next < fit->left_out_rows; row++) {
            if (fit->label && fit->label[row] != fit->left_out_label) continue;
            double noise = h->noise[i][next] * (shape ? shape[row] : 1);
            u->mean[row] = fit->mean[next];
            u->var_model[row] = fit->var[next];
            u->var_noise[row] = noise;
            u->below[row] = una_normal_cdf((y[row] - fit->mean[next]) / sqrt(fit->var[next] + noise));
            u->rows++;
            next++;
        }
    }
}

/* Fits without each fold, with the options as given: whatever rows choose is chosen without the fold. */
static una_status predict_by_refits(una_oof_predictions *u, const candidate *a, bool search, una_run *run)
{
    UNA_TRY(need_folds(&a->pair->plain, run));
    const una_problem *p = &a->pair->plain;
    size_t count = una_oof_refit_folds(p);
    fold_refits h = { .c = { .single = a->single, .options = a->given, .pair = a->pair, .count = count,
                             .noise = a->noise, .member = UNA_GET(&run->scratch, una_member_fit, count) },
                      .of = a, .search = search, .noise = UNA_GET(&run->scratch, double *, count) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++)
        h.c.member[i] = (una_member_fit){ .number = i, .label = p->folds ? p->fold : NULL,
                                          .left_out_label = (unsigned char)i };
    una_status status = una_jobs_run(run, h.c.member, sizeof *h.c.member, count, refit_without_fold, &h);
    if (status == UNA_OK) collect_refits(u, &h, a->noise ? a->oof.shape : NULL);
    una_jobs_free(h.c.member, sizeof *h.c.member, count);
    return status;
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

/* The shape of the noise, and out-of-fold predictions. */
static una_status learn_noise_shape(candidate *a, bool shape, bool must, una_fit_result *found, una_arena *keep,
                                    una_run *run)
{
    const una_problem *p = &a->pair->plain;
    UNA_TRY(need_folds(&a->pair->plain, run));
    UNA_TRY(predict_folds(a, run));
    if (shape) UNA_TRY(una_oof_noise_shape(&a->noise, &a->oof, p, must, keep, run));
    return a->noise && a->single->search ? choose_lengths(a, must, found, keep, run) : UNA_OK;
}

/* New lengths replace others: sentences about those go, sentences from before the fit stay. */
static void take_lengths(void *options, const candidate *a, una_fit_result *result, const una_fit_result *before,
                         const una_fit_result *found)
{
    memcpy(options, a->options, a->single->options_size);
    result->steps += found->steps;
    result->warnings.count = before->warnings.count;
    result->notes.count = before->notes.count;
    for (size_t i = 0; i < found->warnings.count; i++) una_notes_add(&result->warnings, "%s", found->warnings.text[i]);
    for (size_t i = 0; i < found->notes.count; i++) una_notes_add(&result->notes, "%s", found->notes.text[i]);
}

/* noise_std as given; else that of the posterior under the shape, if it has all rows; else by evidence. */
static double last_noise(const candidate *a)
{
    const una_problem *p = &a->pair->plain;
    if (una_kind_is_given(a->single, a->given, "noise_std"))
        return *una_kind_number_option(a->single, a->given, "noise_std");
    if (!a->single->search || (p->valid_x.rows && p->valid_joins)) return UNA_AUTO;
    return sqrt(a->noise_var) / una_kind_unit(a->single, a->options, p);
}

una_status una_fixed_features_fit(una_members *m, const una_kind *single, void *options, const una_problem *p,
                                  una_fit_result *result, una_arena *keep, una_run *run)
{
    una_committee_options *o = una_committee_options_of(single, options);
    bool noise_given = una_kind_is_given(single, options, "noise_std"), varying = o->noise == UNA_NOISE_VARYING;
    bool shape = varying || (o->noise == UNA_NOISE_AUTO && !noise_given);
    una_fit_result before = *result, found = una_fit_result_in(keep);
    una_problem_pair pair = { .plain = *p };
    void *given = una_arena_get(&run->scratch, 1, single->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(given, options, single->options_size);
    if (varying) una_kind_set_number(single, options, "noise_std", UNA_AUTO);
    UNA_TRY(una_fit_single(m, single, options, NULL, &pair, false, result, keep, run));

    candidate a = { .single = single, .pair = &pair, .given = given, .state = m->at[0].state, .options = options,
                    .noise_var = result->noise_var, .prior_var = result->prior_var };
    una_progress_part(run, 1, 1);                        /* una_committee_fit takes it back */
    bool scored = shape || result->oof_log_lik, predicted = scored || (result->oof && !single->search);
    if (predicted) UNA_TRY(learn_noise_shape(&a, shape, varying, &found, keep, run));
    if (found.steps > 0) take_lengths(options, &a, result, &before, &found);
    m->noise = a.noise;
    o->noise = a.noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    if (a.noise) una_kind_set_number(single, options, "noise_std", last_noise(&a));
    if (a.noise || (p->valid_x.rows && p->valid_joins)) UNA_TRY(take_in_all_rows(m, &pair, options, result, keep, run));
    if (scored) una_oof_score(&a.oof, result->noise_var, result);
    if (!result->oof) return UNA_OK;
    if (single->search) return predict_by_refits(result->oof, &a, found.steps > 0, run);
    una_oof_report(&a.oof, result->noise_var, pair.plain.folds, result);
    return UNA_OK;
}
