/* SPDX-License-Identifier: MIT
 *
 * One row of the thesis's protocol: the noise of a split, a training of a grid with all its prior variances, or the
 * chosen training and its predictions for the test rows.
 */
#include "published/protocol.h"

#include "bench/truth.h"
#include "la/la.h"
#include "model/above.h"
#include "select/evaluation.h"

typedef struct task {                    /* what all fits of a row share                                     */
    const una_measuring *row;
    const una_protocol *protocol;        /* NULL: the thesis has no such method                              */
    const una_portions *rows;
    double              noise;           /* in units of the target                                           */
    double              unit;            /* std of the training targets: what noise is given in              */
    una_run            *run;
} task;

static una_status std_of_target(double *std, const una_dataset *data, una_run *run)
{
    size_t rows = una_dataset_row_count(data), target = una_dataset_column_count(data) - 1;
    const double *y = una_dataset_numbers(data, target);
    double mean;
    *std = 0;
    if (y) una_moments(&mean, std, y, rows);
    if (*std > 0 && isfinite(*std)) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "the target '%.60s' of %s has no spread in the training rows: it holds words, lacks "
             "cells, is constant or too large", una_dataset_column_name(data, target), una_dataset_origin(data));
}

/* ---- fitting ---------------------------------------------------------------------------------------------------- */

static void set_option(una_text *set, const char *key, const char *value)
{
    una_text_add(set, "%s%s%s", set->length ? ", " : "", key, value);
}

static void set_number(una_text *set, const char *key, double number)
{
    set_option(set, key, "");
    una_text_number(set, number);
}

/* As many epochs as the thesis has, or as many as the option `steps` allows. */
static double epochs_of(const task *t, double epochs, double batch)
{
    double rows = (double)una_dataset_row_count(t->rows->part[UNA_PART_TRAIN]);
    double batches = fmax(1, floor(rows / fmin(batch, rows) + 0.5));
    return fmax(1, fmin(epochs, floor(una_published_steps(t->row->asked) / batches)));
}

/* Models last as long as the scratch memory. */
static una_status protocol_fit_model(una_model **model, const task *t, const char *spec, const una_text *set)
{
    const char *const sets[] = { set->at };
    una_fit_settings how = { .size = sizeof how, .preset = "thesis", .set = sets, .set_count = set->length > 0,
                             .valid = t->rows->part[UNA_PART_VALID] };
    UNA_TRY(una_arena_check(&t->run->scratch));
    return una_held_fit(model, spec, t->rows->part[UNA_PART_TRAIN], &how, t->run);
}

/* The posterior alone, from the same rows. */
static una_status relearn(una_model **other, const una_model *model, const task *t, const una_text *set)
{
    UNA_TRY(una_arena_check(&t->run->scratch));
    return una_posterior_with(other, model, t->rows->part[UNA_PART_TRAIN], set->at, t->run);
}

/* A training of the grid. prior NULL: as the preset has it. noise: of the answers; that of training is the task's. */
static una_status fit_grid(una_model **model, const task *t, const una_protocol_choice *choice, double noise,
                           const char *search)
{
    const una_protocol *p = t->protocol;
    una_text set = una_text_in(&t->run->scratch);
    set_number(&set, "noise_std=", noise / t->unit);
    if (p->train_noise) set_number(&set, "train_noise_std=", t->noise / t->unit);
    if (p->epochs > 0) set_number(&set, "epochs=", epochs_of(t, p->epochs, p->batch));
    if (choice->prior) set_option(&set, "prior_var=", choice->prior);
    if (search) set_option(&set, search, "");
    return protocol_fit_model(model, t, choice->spec, &set);
}

/* A training without finite numbers is a result too: the others of the grid continue. */
static una_status protocol_allow_numeric_failure(una_status status, const task *t)
{
    if (status != UNA_E_NUMERIC) return status;
    una_log(t->run, UNA_LOG_WARNING, "%.300s gave no numbers: %.600s",
            una_row_key_describe(t->row->key, &t->run->scratch), t->run->message);
    return UNA_OK;
}

static una_status score_valid(una_score *score, const una_model *model, const task *t)
{
    *score = (una_score)UNA_INIT(una_score);
    return una_model_score(score, model, t->rows->part[UNA_PART_VALID], t->run);
}

/* Of the validation rows, by the posterior under other settings. */
static una_status relearnt_log_lik(double *log_lik, const una_model *model, const task *t, const una_text *set)
{
    una_model *other;
    una_score score;
    UNA_TRY(relearn(&other, model, t, set));
    UNA_TRY(score_valid(&score, other, t));
    *log_lik = score.log_lik;
    return UNA_OK;
}

/* ---- the noise that suits the validation rows ------------------------------------------------------------------- */

typedef struct noise_search {
    const task      *task;
    const una_model *model;
    bool             relearn;            /* the posterior is computed again for every noise; else noise is added to
                                            the predictions */
    double          *mean, *epistemic;   /* [validation rows]                                                */
    una_status       status;
} noise_search;

/* A mixture is approximated by the Gaussian of its mean and variance: the noise need not be exact. */
static double gaussian_log_lik(const noise_search *n, double noise)
{
    const una_dataset *valid = n->task->rows->part[UNA_PART_VALID];
    size_t rows = una_dataset_row_count(valid);
    const double *y = una_dataset_numbers(valid, una_dataset_column_count(valid) - 1);
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
        double var = n->epistemic[r] * n->epistemic[r] + noise * noise, off = y[r] - n->mean[r];
        sum -= 0.5 * (UNA_LOG_TWO_PI + log(var) + off * off / var);
    }
    return sum / (double)rows;
}

static double loss_at(double log_noise, void *context)
{
    noise_search *n = context;
    const task *t = n->task;
    double log_lik = NAN;
    if (n->status != UNA_OK) return 0;
    una_mark mark = una_arena_mark(&t->run->scratch);
    una_text set = una_text_in(&t->run->scratch);
    set_number(&set, "noise_std=", exp(log_noise) / t->unit);
    if (n->relearn) n->status = relearnt_log_lik(&log_lik, n->model, t, &set);
    else log_lik = gaussian_log_lik(n, exp(log_noise));
    una_arena_release(&t->run->scratch, mark);
    return isfinite(log_lik) ? -log_lik : 1e300;
}

/* In units of the target, between a hundredth and three times its std. */
static una_status tune_noise(double *noise, const una_model *model, const task *t)
{
    enum { POINTS = 9 };
    const double least = 0.01, most = 3, near_enough = 0.02;     /* parts of the std; una_search's */
    const una_dataset *valid = t->rows->part[UNA_PART_VALID];
    noise_search n = { .task = t, .model = model, .relearn = una_kind_has_posteriors(una_model_info(model)->kind) };
    UNA_NEW_AT(&t->run->scratch, n.mean, una_dataset_row_count(valid));
    UNA_NEW_AT(&t->run->scratch, n.epistemic, una_dataset_row_count(valid));
    una_prediction p = { .size = sizeof p, .mean = n.mean, .std_epistemic = n.epistemic };
    UNA_TRY(una_model_predict(model, valid, 0.95, &p, t->run));
    *noise = exp(una_search(loss_at, &n, log(least * t->unit), log(most * t->unit), POINTS, near_enough));
    return n.status;
}

/* ---- rows of the search ------------------------------------------------------------------------------------------ */

static una_status measure_noise(const task *t)
{
    enum { EPOCHS = 20000, BATCH = 32 };         /* as NLM's grid has them */
    const double any_noise = 0.3;                /* of the first posterior, from which it is tuned */
    una_model *model;
    una_text set = una_text_in(&t->run->scratch);
    set_number(&set, "noise_std=", any_noise);
    set_number(&set, "epochs=", epochs_of(t, EPOCHS, BATCH));
    UNA_TRY(protocol_fit_model(&model, t, t->row->key->spec, &set));
    UNA_TRY(tune_noise(&t->row->outcome->value[UNA_SEARCH_NOISE], model, t));
    t->row->outcome->value[UNA_SEARCH_STEPS] = (double)una_model_info(model)->steps;
    return una_outcome_take(t->row->outcome, model);
}

static una_status try_prior(double *log_lik, const una_model *model, const char *prior, const task *t)
{
    una_text set = una_text_in(&t->run->scratch);
    set_option(&set, "prior_var=", prior);
    return relearnt_log_lik(log_lik, model, t, &set);
}

/* One training, and its prior variances without training again. */
static una_status measure_search(const task *t)
{
    const una_protocol *p = t->protocol;
    double *value = t->row->outcome->value;
    una_model *model;
    una_score score;
    UNA_TRY(fit_grid(&model, t, &(una_protocol_choice){ t->row->key->spec, NULL }, t->noise, p->search));
    UNA_TRY(score_valid(&score, model, t));
    value[UNA_SEARCH_LOG_LIK] = score.log_lik;
    value[UNA_SEARCH_RMSE] = score.rmse;
    value[UNA_SEARCH_COS2] = una_model_info(model)->mean_cos2;
    value[UNA_SEARCH_NOISE] = t->noise;
    value[UNA_SEARCH_STEPS] = (double)una_model_info(model)->steps;
    UNA_TRY(una_outcome_take(t->row->outcome, model));
    for (size_t k = 0; k < UNA_PROTOCOL_PRIORS && p->prior[k]; k++)
        UNA_SCOPED(t->run, protocol_allow_numeric_failure(try_prior(&value[UNA_SEARCH_LOG_LIK + k], model, p->prior[k],
                                                                    t), t));
    return UNA_OK;
}

/* ---- the row of the tables -------------------------------------------------------------------------------------- */

/* uci: first as the thesis did, then with the noise that suits the validation rows, for which *model is replaced. */
static una_status measure_by_hand(una_model **model, const task *t, const una_protocol_choice *choice)
{
    double tuned, *value = t->row->outcome->value;
    una_score score = UNA_INIT(una_score);
    una_text set = una_text_in(&t->run->scratch);
    UNA_TRY(una_model_score(&score, *model, t->rows->part[UNA_PART_TEST], t->run));
    value[UNA_PUBLISHED_HAND_RMSE] = score.rmse;
    value[UNA_PUBLISHED_HAND_LOG_LIK] = score.log_lik;
    value[UNA_PUBLISHED_HAND_EPISTEMIC] = score.mean_std_epistemic;
    value[UNA_PUBLISHED_HAND_NOISE] = t->noise;
    UNA_TRY(tune_noise(&tuned, *model, t));
    set_number(&set, "noise_std=", tuned / t->unit);
    return una_kind_has_posteriors(una_model_info(*model)->kind) ? relearn(model, *model, t, &set)
                                                                 : fit_grid(model, t, choice, tuned, NULL);
}

static una_status measure_chosen(const task *t, const una_protocol_choice *choice)
{
    una_model *model;
    bool by_hand = !t->rows->part[UNA_PART_GAP] && !isnan(una_protocol_hand_noise(t->row->key->data));
    UNA_TRY(fit_grid(&model, t, choice, t->noise, NULL));
    UNA_TRY(una_outcome_take(t->row->outcome, model));
    if (by_hand) UNA_TRY(measure_by_hand(&model, t, choice));
    return una_portions_measure(t->row->outcome->value, model, t->rows, t->run);
}

/* A method that the thesis does not have: with its preset, or with its defaults. */
static una_status measure_other(const task *t)
{
    una_model *model;
    const una_text nothing = una_text_in(&t->run->scratch);
    UNA_TRY(protocol_fit_model(&model, t, t->row->key->spec, &nothing));
    UNA_TRY(una_outcome_take(t->row->outcome, model));
    return una_portions_measure(t->row->outcome->value, model, t->rows, t->run);
}

una_status una_protocol_measure(const una_measuring *m, const una_portions *rows)
{
    una_protocol_choice choice;
    una_rows_group group = una_published_group(m->asked);
    una_store *store = m->asked->store;
    task t = { .row = m, .protocol = una_protocol_of(m->key->spec, group), .rows = rows, .run = m->run };
    UNA_TRY(std_of_target(&t.unit, rows->part[UNA_PART_TRAIN], m->run));
    if (una_protocol_is_noise(m->key)) return measure_noise(&t);
    if (!t.protocol) return protocol_allow_numeric_failure(measure_other(&t), &t);
    UNA_TRY(una_protocol_noise(&t.noise, m->key, group, store, m->run));
    if (una_protocol_is_search(m->key)) return protocol_allow_numeric_failure(measure_search(&t), &t);

    UNA_TRY(una_protocol_choose(&choice, m->key, t.protocol, store, &m->run->scratch, m->run));
    if (choice.spec) return protocol_allow_numeric_failure(measure_chosen(&t, &choice), &t);
    una_log(m->run, UNA_LOG_WARNING, "%.200s on %.100s, split %d: no training of the grid gave numbers", m->key->spec,
            m->key->data, (int)m->key->split);
    return UNA_OK;
}
