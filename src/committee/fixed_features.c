/* SPDX-License-Identifier: MIT
 *
 * One posterior of all rows, and its predictions of each fold without the fold's rows. See steps.h.
 */
#include "committee/steps.h"

#include "la/la.h"
#include "model/validation_split.h"

/* The problem's folds, or new ones: rows with equal inputs share a fold. */
static una_status need_folds(una_problem *p, una_run *run)
{
    una_copies copies;
    if (p->folds || p->valid_x.rows) return UNA_OK;
    UNA_TRY(una_split_copies(&copies, p, run));
    return una_problem_make_folds(p, &copies, run);
}

/* Folds are predicted with a rounded noise: a printed spec gives the noise to some digits only, and must give the same
 * bits. */
static double rounded_noise(double noise_var)
{
    const double digits = 8;
    return exp(floor(digits * log(noise_var) + 0.5) / digits);
}

typedef struct candidate {               /* a posterior of all rows, and its out-of-fold predictions        */
    una_fitting *f;
    una_problem_pair *pair;
    void       *given, *options;         /* options as given, and filled in                                 */
    void       *state;
    double      noise_var, prior_var;
    una_noise  *noise;                   /* its shape; NULL: constant                                       */
    const una_tails *tails;              /* NULL: Gaussian; noise_var is the variance                       */
    una_oof     oof;
} candidate;

/* Of the posterior: s^2. */
static double head_noise(const candidate *a)
{
    return a->noise_var * una_tails_square_scale(a->tails);
}

static una_common_options *given_of(const candidate *a)
{
    return a->given;
}

/* The fits without each fold, as members of a committee. */
static una_status plan_folds(una_committee *c, const candidate *a, size_t count, una_run *run)
{
    const una_problem *p = &a->pair->plain;
    size_t most = a->f->kind->oof_rows, every = most ? (una_oof_x(p).rows + most - 1) / most : 0;
    *c = (una_committee){ .f = a->f, .target = a->f->target, .pair = a->pair, .noise = a->noise };
    UNA_NEW_AT(&run->scratch, c->member, count);
    c->count = count;
    for (size_t i = 0; i < count; i++)
        c->member[i] = (una_member_fit){ .number = i, .pair = a->pair, .label = p->folds ? p->fold : NULL,
                                         .left_out_label = (unsigned char)i, .every = every };
    return UNA_OK;
}

/* Predicts each fold without its rows, or the held-out rows. */
static una_status predict_folds(candidate *a, una_run *run)
{
    const una_problem *p = &a->pair->plain;
    una_committee c;
    UNA_TRY(plan_folds(&c, a, p->folds ? p->folds : 1, run));
    c.noise_var = rounded_noise(head_noise(a));
    c.prior_var = a->prior_var;
    for (size_t i = 0; i < c.count; i++) {
        c.member[i].number = 0;
        c.member[i].state = a->state;
        c.member[i].options = a->options;
    }
    UNA_TRY(una_oof_init(&a->oof, 1, una_oof_x(p).rows, una_oof_y(p), &run->scratch));
    a->oof.shape_per_fold = a->f->kind->search;
    a->oof.tails = a->tails;
    una_status status = una_jobs_run(run, c.member, sizeof *c.member, c.count, una_member_fit_predict_again, &c);
    if (status == UNA_OK) una_collect_oof(&a->oof, &c);
    una_jobs_free(c.member, sizeof *c.member, c.count);
    return status == UNA_OK && a->noise ? una_oof_noise_shape_without(&a->oof, a->noise, p, run) : status;
}

static una_status take_in_all_rows(una_members *m, const una_problem_pair *pair, const una_fitting *f)
{
    una_fit_target target = { m->at[0].state, f->target->options, f->target->result };
    una_common_options *o = f->target->options;
    una_problem p;
    una_all_rows(&p, &pair->plain);
    UNA_TRY(una_row_weights(&p.weight, m->noise, p.x, f->run));
    if (m->tails) o->noise_std *= sqrt(una_tails_square_scale(m->tails));
    UNA_TRY(una_fit_state(f->kind->relearn, f, &p, target, f->keep, f->run));
    target.result->noise_var /= una_tails_square_scale(m->tails);
    if (m->tails) o->noise_std /= sqrt(una_tails_square_scale(m->tails));
    m->noise_var = m->noise || m->tails ? target.result->noise_var : 0;
    return UNA_OK;
}

/* ---- lengths under a noise that varies -------------------------------------------------------------------------- */

/* The posterior's noise under the shape: noise_std, or by evidence where that is automatic. */
static una_status relearn_under_shape(una_fit_result *found, const candidate *a, double noise_std, una_run *run)
{
    const una_kind *kind = a->f->kind;
    una_problem p = a->pair->plain;
    void *state = una_arena_get(&run->scratch, 1, kind->state_size);
    UNA_NEW_BYTES(&run->scratch, una_common_options, options, kind->options_size);
    UNA_TRY(una_row_weights(&p.weight, a->noise, p.x, run));
    memcpy(state, a->state, kind->state_size);
    memcpy(options, a->options, kind->options_size);
    options->noise_std = noise_std;
    return una_fit_state(kind->relearn, a->f, &p, (una_fit_target){ state, options, found }, &run->scratch, run);
}

static una_status noise_under_shape(candidate *a, double noise_std, una_run *run)
{
    una_fit_result found = una_fit_result_in(&run->scratch);
    UNA_SCOPED(run, relearn_under_shape(&found, a, noise_std, run));
    a->noise_var = found.noise_var;
    a->prior_var = found.prior_var;
    return UNA_OK;
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

/* Whether out-of-fold rows are clearly likelier by a than by b: what the folds alone decide would be another answer for
 * each seed. */
static bool is_clearly_likelier(const candidate *a, const candidate *b)
{
    const double clear = 1.5;                            /* standard errors */
    double sum = 0, square = 0, rows = 0;
    for (size_t i = 0; i < a->oof.rows; i++) {
        double gain = una_oof_log_lik(&a->oof, i, a->noise_var) - una_oof_log_lik(&b->oof, i, b->noise_var);
        if (isnan(gain)) continue;
        sum += gain;
        square += gain * gain;
        rows++;
    }
    return rows > 0 && sum > clear * sqrt(fmax(square - sum * sum / rows, 0));
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
 * likelier. */
static una_status choose_shape(candidate *a, una_arena *keep, una_run *run)
{
    UNA_TRY(try_shape(a, run));
    candidate again = *a;
    UNA_TRY(una_oof_noise_shape(&again.noise, &again.oof, &a->pair->plain, true, keep, run));
    UNA_TRY(try_shape(&again, run));
    if (oof_log_lik_sum(&again) > oof_log_lik_sum(a)) *a = again;
    return UNA_OK;
}

/* Chooses the lengths again under the shape, then the shape again as if these lengths had been given, so that the
 * printed spec leads to the same fit. */
static una_status search_again(candidate *a, una_fit_result *found, una_arena *keep, una_run *run)
{
    const una_kind *kind = a->f->kind;
    una_problem p = a->pair->plain;
    UNA_COPY_BYTES(&run->scratch, void, options, a->given, kind->options_size);
    UNA_TRY(una_row_weights(&p.weight, a->noise, p.x, run));
    UNA_TRY(una_fit_state(kind->search, a->f, &p, (una_fit_target){ a->state, options, found }, keep, run));
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

/* The shape with the lengths of a constant noise, under which it was learnt, or with lengths chosen under it where these
 * make out-of-fold rows clearly likelier; then the posterior's noise. found: steps > 0 if lengths are new. */
static una_status choose_lengths(candidate *a, una_fit_result *found, una_arena *keep, una_run *run)
{
    bool any;
    UNA_TRY(choose_shape(a, keep, run));
    candidate renewed = *a;
    UNA_TRY(unless_numeric(search_again(&renewed, found, keep, run), &any, run));
    if (!any || found->steps == 0 || !is_clearly_likelier(&renewed, a)) found->steps = 0;
    else *a = renewed;
    UNA_TRY(noise_under_shape(a, given_of(a)->noise_std, run));
    return predict_folds(a, run);
}

/* Out-of-fold rows decide whether the noise varies, unless it must. */
static una_status choose_noise(candidate *a, bool must, una_fit_result *found, una_arena *keep, una_run *run)
{
    bool any;
    candidate constant = *a;
    constant.noise = NULL;
    constant.oof.shape = NULL;
    UNA_TRY(unless_numeric(choose_lengths(a, found, keep, run), &any, run));
    if (any && (must || oof_log_lik_sum(a) > oof_log_lik_sum(&constant))) return UNA_OK;
    *a = constant;
    found->steps = 0;
    return UNA_OK;
}

/* ---- heavy tails -------------------------------------------------------------------------------------------------- */

/* Predicts the folds again by rows that count by their out-of-fold errors, under t noise. */
static una_status predict_under(candidate *a, double freedom, una_run *run)
{
    una_fit_result found = una_fit_result_in(&run->scratch);
    UNA_COPY_BYTES(&run->scratch, una_problem_pair, pair, a->pair, sizeof *pair);
    UNA_TRY(una_tails_new(&a->oof.tails, freedom, a->f->keep));
    a->tails = a->oof.tails;
    a->noise_var = una_oof_noise(&a->oof);
    UNA_TRY(una_heavy_weights(&pair->plain.weight, &a->oof, a->noise_var, &a->pair->plain, run));
    a->pair = pair;
    UNA_SCOPED(run, relearn_under_shape(&found, a, una_noise_std_of(head_noise(a), a->options, &pair->plain), run));
    a->prior_var = found.prior_var;
    UNA_TRY(predict_folds(a, run));
    a->noise_var = una_oof_noise(&a->oof);
    return UNA_OK;
}

/* By the numbers that Gaussian noise finds, whatever was given: so a printed spec leads to the same weights. */
static una_status begin_tails(candidate *a, una_run *run)
{
    UNA_TRY(noise_under_shape(a, UNA_AUTO, run));
    UNA_TRY(predict_folds(a, run));
    return predict_under(a, UNA_FIRST_FREEDOM, run);
}

/* Chooses the lengths again by these rows; *steps: whether there are new ones, in a->options. */
static una_status search_rows(candidate *a, const una_problem *p, una_fit_result *found, una_run *run)
{
    const una_kind *kind = a->f->kind;
    UNA_COPY_BYTES(&run->scratch, void, options, a->given, kind->options_size);
    UNA_TRY(una_fit_state(kind->search, a->f, p, (una_fit_target){ a->state, options, found }, a->f->keep, run));
    if (found->steps > 0) a->options = options;
    return UNA_OK;
}

/* Targets far beyond most: a process may bend to each of them, with lengths so short and noise so small that no error
 * looks large. Its lengths are then searched without these first. */
static una_status cut_targets(una_problem *p, bool *any, una_run *run)
{
    const double most = 6, kept = 4, std_of_median = 1.4826;
    size_t n = p->x.rows;
    UNA_NEW_ROWS(&run->scratch, double, y, n);
    UNA_NEW_ROWS(&run->scratch, double, sorted, n);
    memcpy(sorted, p->y, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, una_by_number);
    double middle = sorted[n / 2];
    for (size_t i = 0; i < n; i++) sorted[i] = fabs(p->y[i] - middle);
    qsort(sorted, n, sizeof *sorted, una_by_number);
    double std = std_of_median * sorted[n / 2];
    *any = std > 0 && sorted[n - 1] > most * std;
    for (size_t i = 0; i < n; i++) y[i] = fmin(fmax(p->y[i], middle - kept * std), middle + kept * std);
    if (*any) p->y = y;
    return UNA_OK;
}

/* Chooses the lengths by rows that count so; then all as if these lengths had been given. */
static una_status search_under(candidate *a, const candidate *start, una_fit_result *found, una_run *run)
{
    candidate again = *start;
    again.options = a->options;
    UNA_TRY(search_rows(&again, &a->pair->plain, found, run));
    if (found->steps == 0) return UNA_OK;
    *a = again;
    return begin_tails(a, run);
}

typedef struct wishes { bool shape, must; } wishes;      /* whether the noise may have a shape; has to           */

/* a: predictions with Gaussian noise; without tails at the end where they are none. */
static una_status learn_tails(candidate *a, wishes w, una_fit_result *found, una_run *run)
{
    const candidate start = *a;
    double given = given_of(a)->tails;
    una_problem cut = a->pair->plain;
    bool far = false;
    if (a->f->kind->search) UNA_TRY(cut_targets(&cut, &far, run));
    if (far) UNA_TRY(search_rows(a, &cut, found, run));
    UNA_TRY(begin_tails(a, run));
    if (a->f->kind->search) UNA_TRY(search_under(a, &start, found, run));
    if (w.shape) UNA_TRY(una_oof_noise_shape(&a->noise, &a->oof, &a->pair->plain, w.must, a->f->keep, run));
    una_heavy_choice chosen = una_heavy_choose_beside(&a->noise, &a->oof, w.must);
    a->tails = NULL;
    if (una_is_given(given)) chosen.freedom = given;
    return isinf(chosen.freedom) ? UNA_OK : predict_under(a, chosen.freedom, run);
}

/* As found, but for a prior variance that is automatic by default. */
static una_status options_of_tails(void **options, const candidate *a, una_run *run)
{
    const una_kind *kind = a->f->kind;
    UNA_NEW_BYTES(&run->scratch, una_common_options, initial, kind->options_size);
    UNA_COPY_BYTES(&run->scratch, una_common_options, own, a->options, kind->options_size);
    UNA_TRY(una_options_default(initial, kind->options, run));
    if (UNA_IS_AUTO(initial->prior_var)) own->prior_var = UNA_AUTO;
    *options = own;
    return UNA_OK;
}

/* Out-of-fold rows decide whether the noise has heavy tails, unless it must. start: before the noise had a shape. */
static una_status choose_tails(candidate *a, const candidate *start, wishes w, una_fit_result *found, una_run *run)
{
    bool any, must = una_is_given(given_of(a)->tails);
    candidate t = *start;
    una_fit_result own = una_fit_result_in(a->f->keep);
    if (!una_heavy_may_be(a->f, given_of(a))) return UNA_OK;
    una_problem p = a->pair->plain;
    bool far = false;
    if (a->f->kind->search) UNA_SCOPED(run, cut_targets(&p, &far, run));
    una_oof plain = start->oof, shaped = a->oof;
    bool looks = isfinite(una_heavy_choose(&plain).freedom) || isfinite(una_heavy_choose(&shaped).freedom);
    if (!must && !far && !looks) return UNA_OK;
    UNA_TRY(options_of_tails(&t.options, a, run));
    UNA_TRY(unless_numeric(learn_tails(&t, w, &own, run), &any, run));
    if (!any || !t.tails || !(must || oof_log_lik_sum(&t) > oof_log_lik_sum(a))) return UNA_OK;
    *a = t;
    *found = own;
    return UNA_OK;
}

/* ---- refits without each fold, lengths and all ------------------------------------------------------------------ */

typedef struct fold_refits {
    una_committee c;
    const candidate *of;
    bool     search;                     /* with lengths chosen under the shape                             */
} fold_refits;

static una_status fit_under_shape(const fold_refits *h, una_member_fit *fit, una_problem *p, una_run *run)
{
    const una_kind *kind = h->c.f->kind;
    una_common_options *o = fit->options;
    una_fit_target target = { fit->state, fit->options, &fit->result };
    UNA_TRY(una_member_fit_rows_weighed(p, &h->c, fit, run));
    if (h->search) {
        memcpy(fit->options, h->of->given, kind->options_size);
        UNA_TRY(una_fit_state(kind->search, h->c.f, p, target, &fit->arena, run));
    } else o->noise_std = given_of(h->of)->noise_std;
    if (h->of->tails) o->noise_std = una_noise_std_of(head_noise(h->of), o, p);
    return una_fit_state(kind->relearn, h->c.f, p, target, &fit->arena, run);
}

/* The same steps as for the posterior that is kept. Where the covariance has no factor under the shape, the fit before
 * stands. */
static una_status refit_under_shape(const fold_refits *h, una_member_fit *fit, una_problem *p, una_run *run)
{
    bool any;
    size_t size = h->c.f->kind->state_size;
    if (!h->c.noise && !h->of->tails) return UNA_OK;
    UNA_COPY_BYTES(&run->scratch, void, before, fit->state, size);
    UNA_TRY(unless_numeric(fit_under_shape(h, fit, p, run), &any, run));
    if (!any) memcpy(fit->state, before, size);
    return UNA_OK;
}

static una_status refit_without_fold(void *context, size_t index, una_run *run)
{
    fold_refits *h = context;
    const una_kind *kind = h->c.f->kind;
    una_member_fit *fit = &h->c.member[index];
    una_problem p;
    fit->options = una_arena_get(&fit->arena, 1, kind->options_size);
    UNA_NEW_BYTES_AT(&fit->arena, fit->state, kind->state_size);
    memcpy(fit->options, h->of->given, kind->options_size);
    fit->result = una_fit_result_in(&fit->arena);
    UNA_TRY(una_member_fit_rows(&p, fit, &run->scratch));
    p.weight = NULL;
    una_fit_target target = { fit->state, fit->options, &fit->result };
    UNA_TRY(una_fit_state(una_kind_fit, h->c.f, &p, target, &fit->arena, run));
    UNA_TRY(refit_under_shape(h, fit, &p, run));
    return una_member_fit_predict(fit, kind, fit->state, &p, &fit->arena, run);
}

/* The scores of predictions by refits, in place of those by lengths of all rows. */
static void score_refits(const una_oof_predictions *u, const una_tails *tails, const una_problem *p,
                         una_fit_result *result)
{
    double square = 0, sum = 0;
    const double *y = una_oof_y(p);
    for (size_t i = 0; i < una_oof_x(p).rows; i++) {
        double var = u->var_model[i] + u->var_noise[i], off = y[i] - u->mean[i];
        double log_lik = tails ? una_tails_log_pdf(tails, off * off, u->var_model[i], u->var_noise[i])
                               : -0.5 * (UNA_LOG_TWO_PI + log(var) + off * off / var);
        if (u->log_lik) u->log_lik[i] = log_lik;
        if (isnan(log_lik)) continue;
        square += off * off;
        sum += log_lik;
    }
    result->valid_rows = u->rows;
    result->valid_rmse = sqrt(square / (double)u->rows);
    result->valid_log_lik = sum / (double)u->rows;
}

static void collect_refits(una_oof_predictions *u, const fold_refits *h, const double *shape)
{
    const una_problem *p = &h->c.pair->plain;
    const una_tails *tails = h->of->tails;
    const double *y = una_oof_y(p);
    u->folds = p->folds ? h->c.count : 0;
    u->rows = 0;
    for (size_t i = 0; i < h->c.count; i++) {
        const una_member_fit *fit = &h->c.member[i];
        for (size_t row = 0, next = 0, seen = 0; next < fit->left_out_rows; row++) {
            if (!una_member_fit_predicts(fit, row, &seen)) continue;
            double noise = fit->noise[next] / una_tails_square_scale(tails) * (shape ? shape[row] : 1);
            double off = y[row] - fit->mean[next], var = fit->var[next];
            u->mean[row] = fit->mean[next];
            u->var_model[row] = var;
            u->var_noise[row] = noise;
            if (tails) u->reach[row] = una_tails_reach(tails, 0.95, var, noise);
            u->below[row] = tails ? una_tails_cdf(tails, off, var, noise) : una_normal_cdf(off / sqrt(var + noise));
            u->rows++;
            next++;
        }
    }
}

/* Fits without each fold, with the options as given: whatever rows choose is chosen without the fold. */
static una_status predict_by_refits(una_oof_predictions *u, const candidate *a, bool search, una_run *run)
{
    fold_refits h = { .of = a, .search = search };
    UNA_TRY(need_folds(&a->pair->plain, run));
    const una_problem *p = &a->pair->plain;
    UNA_TRY(plan_folds(&h.c, a, p->folds ? p->folds : 1, run));
    una_status status = una_jobs_run(run, h.c.member, sizeof *h.c.member, h.c.count, refit_without_fold, &h);
    if (status == UNA_OK) collect_refits(u, &h, a->noise ? a->oof.shape : NULL);
    una_jobs_free(h.c.member, sizeof *h.c.member, h.c.count);
    return status;
}

/* The same, and their scores, whether or not the caller wants the predictions. */
static una_status report_refits(const candidate *a, bool search, una_run *run)
{
    const una_problem *p = &a->pair->plain;
    una_fit_result *result = a->f->target->result;
    una_oof_predictions own = result->oof ? *result->oof : (una_oof_predictions){0};
    size_t rows = una_oof_x(p).rows;
    if (!own.mean) UNA_TRY(una_oof_predictions_new(&own, rows, &run->scratch));
    UNA_TRY(predict_by_refits(&own, a, search, run));
    score_refits(&own, a->tails, p, result);
    if (una_oof_wanted(result)) *result->oof = own;
    return UNA_OK;
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

/* The evidence takes rows of a team for independent, and what they share for the function: the noise is then the one
 * that makes rows of new teams likeliest. */
static una_status fit_noise_to_teams(candidate *a, una_run *run)
{
    enum { TURNS = 3 };
    for (size_t k = 0; k < TURNS; k++) UNA_TRY(try_shape(a, run));
    return UNA_OK;
}

static bool counts_teams(const candidate *a)
{
    return a->pair->plain.correlated && !una_is_given(given_of(a)->noise_std);
}

/* The shape of the noise and its tails, and out-of-fold predictions. */
static una_status learn_noise(candidate *a, wishes w, una_fit_result *found, una_arena *keep, una_run *run)
{
    const una_problem *p = &a->pair->plain;
    UNA_TRY(need_folds(&a->pair->plain, run));
    UNA_TRY(predict_folds(a, run));
    if (counts_teams(a)) UNA_TRY(fit_noise_to_teams(a, run));
    candidate start = *a;
    if (w.shape) UNA_TRY(una_oof_noise_shape(&a->noise, &a->oof, p, w.must, keep, run));
    if (counts_teams(a)) return a->noise ? try_shape(a, run) : UNA_OK;
    if (a->noise && a->f->kind->search) UNA_TRY(choose_noise(a, w.must, found, keep, run));
    return choose_tails(a, &start, w, found, run);
}

/* New lengths replace others: sentences about those go, sentences from before the fit stay. */
static void take_lengths(void *options, const candidate *a, una_fit_result *result, const una_fit_result *before,
                         const una_fit_result *found)
{
    memcpy(options, a->options, a->f->kind->options_size);
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
    if (una_is_given(given_of(a)->noise_std)) return given_of(a)->noise_std;
    if (counts_teams(a) || a->tails) return una_noise_std_of(a->noise_var, a->options, p);
    if (!a->f->kind->search || (p->valid_x.rows && p->valid_joins)) return UNA_AUTO;
    return una_noise_std_of(a->noise_var, a->options, p);
}

/* The shape of the noise and lengths under it, then the rows that were held out; and what is reported of them. */
static una_status learn_by_folds(candidate *a, bool shape, bool scored, const una_fit_result *before)
{
    una_fitting *f = a->f;
    const una_problem *p = f->problem;
    una_members *m = f->target->state;
    una_common_options *o = a->options;
    una_fit_result *result = f->target->result, found = una_fit_result_in(f->keep);
    bool joins = p->valid_x.rows && p->valid_joins, varying = given_of(a)->noise == UNA_NOISE_VARYING;
    bool teams = counts_teams(a), tells = f->kind->search && una_lengths_tell(&a->pair->plain) && !teams;
    bool predicted = scored || teams || (una_oof_wanted(result) && !tells);
    if (predicted) UNA_TRY(learn_noise(a, (wishes){ shape, varying }, &found, f->keep, f->run));
    if (found.steps > 0) take_lengths(o, a, result, before, &found);
    m->noise = a->noise;
    m->tails = a->tails;
    o->noise = a->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    if (a->noise || teams || a->tails) o->noise_std = last_noise(a);
    if (a->tails) o->prior_var = given_of(a)->prior_var;
    if (a->noise || teams || a->tails || joins) UNA_TRY(take_in_all_rows(m, a->pair, f));
    una_heavy_report(result, o, a->tails, p);
    if (scored) una_oof_score(&a->oof, result->noise_var, result);
    if (scored && tells) return report_refits(a, found.steps > 0, f->run);
    if (!una_oof_wanted(result)) return UNA_OK;
    if (tells) return predict_by_refits(result->oof, a, found.steps > 0, f->run);
    una_oof_report(&a->oof, result->noise_var, a->pair->plain.folds, result);
    return UNA_OK;
}

/* Lengths that the rows of a region have chosen too make a process too sure of it, where there are few rows for each.
 * With more, a search for each region would cost more than it tells. */
static bool searches_regions(const una_fitting *f)
{
    enum { ROWS_PER_LENGTH = 30 };
    return f->kind->search && f->problem->x.rows < ROWS_PER_LENGTH * f->problem->x.cols;
}

una_status una_fixed_features_fit(una_fitting *f)
{
    una_common_options *o = una_common_of(f->target);
    una_fit_result *result = f->target->result, before = *result;
    bool shape = o->noise == UNA_NOISE_VARYING || (o->noise == UNA_NOISE_AUTO && !una_is_given(o->noise_std));
    una_problem_pair pair = { .plain = *f->problem };
    una_committee one = { .f = f, .target = f->target, .pair = &pair, .targets = 1 };
    UNA_COPY_BYTES(&f->run->scratch, void, given, o, f->kind->options_size);
    bool heavy = una_is_given(o->tails) && una_heavy_may_be(f, o);
    if (o->noise == UNA_NOISE_VARYING || heavy) o->noise_std = UNA_AUTO;
    UNA_TRY(una_fit_single(&one));

    candidate a = { .f = f, .pair = &pair, .given = given, .options = o, .noise_var = result->noise_var,
                    .prior_var = result->prior_var, .state = ((una_members *)f->target->state)->at[0].state };
    bool scored = shape || heavy || (result->oof && result->oof->log_lik);
    UNA_STAGE(f->run, 1, 1, learn_by_folds(&a, shape, scored, &before));
    const una_region_process process = { a.state, searches_regions(f) ? given : NULL, a.noise, a.tails, head_noise(&a),
                                         a.tails ? a.pair->plain.weight : NULL };
    UNA_STAGE(f->run, 1, 1, una_report_regions_without(&process, f));
    return UNA_OK;
}
