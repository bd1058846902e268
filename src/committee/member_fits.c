/* SPDX-License-Identifier: MIT
 *
 * Trainings of a kind, the rows of each, and its out-of-fold predictions. See member_fits.h.
 */
#include "committee/member_fits.h"

#include "train/basis.h"
#include "committee/relevance.h"
#include "committee/several_targets.h"

/* ---- options of a kind, by their names --------------------------------------------------------------------------- */

una_committee_options *una_committee_options_of(const una_kind *single, void *options)
{
    return (una_committee_options *)(void *)((unsigned char *)options + single->committee);
}

double *una_kind_number_option(const una_kind *single, void *options, const char *name)
{
    return una_option_number(options, single->options, name);
}

bool una_kind_is_given(const una_kind *single, void *options, const char *name)
{
    const double *at = una_kind_number_option(single, options, name);
    return at && !UNA_IS_AUTO(*at);
}

void una_kind_set_number(const una_kind *single, void *options, const char *name, double value)
{
    double *at = una_kind_number_option(single, options, name);
    if (at) *at = value;
}

double una_kind_unit(const una_kind *single, void *options, const una_problem *p)
{
    const int *units = una_option_word(options, single->options, "units");
    return una_unit(units ? *units : 0, p);
}

/* ---- the problem as it is, and with scaled inputs ------------------------------------------------------------- */

const una_problem *una_problem_of_pair(const una_problem_pair *pair, bool scaled)
{
    return scaled ? &pair->scaled : &pair->plain;
}

static bool has_uneven_scale(const double *scale, size_t inputs)
{
    for (size_t d = 0; d < inputs; d++)
        if (fabs(scale[d] - 1) > 1e-9) return true;
    return false;
}

/* Held-out rows that join lie behind the others, in one block, as model.c puts them: una_all_rows relies on it. */
static una_status scale_problem(una_problem_pair *pair, una_run *run)
{
    const una_problem *p = &pair->plain;
    if (!p->valid_joins) {
        UNA_TRY(una_scaled(&pair->scaled.x, p->x, pair->scale, run));
        return p->valid_x.rows ? una_scaled(&pair->scaled.valid_x, p->valid_x, pair->scale, run) : UNA_OK;
    }

    una_view all = p->x;
    all.rows += p->valid_x.rows;
    UNA_TRY(una_scaled(&all, all, pair->scale, run));
    pair->scaled.x = (una_view){ all.at, p->x.rows, all.cols, all.stride };
    pair->scaled.valid_x = (una_view){ all.at + p->x.rows * all.stride, p->valid_x.rows, all.cols, all.stride };
    return UNA_OK;
}

una_status una_problem_pair_scale(una_problem_pair *pair, double *scale, una_run *run)
{
    if (!has_uneven_scale(scale, pair->plain.x.cols)) return UNA_OK;
    pair->scale = scale;
    pair->scaled.shared = NULL;                          /* the shared rows are not scaled */
    return scale_problem(pair, run);
}

una_status una_problem_pair_new(una_problem_pair *pair, const una_problem *p, bool relevance, una_fit_result *result,
                                una_arena *keep, una_run *run)
{
    *pair = (una_problem_pair){ .plain = *p, .scaled = *p };
    if (!relevance) return UNA_OK;
    UNA_NEW(keep, double, scale, p->x.cols);
    UNA_TRY(una_relevance_learn(scale, p, run));
    result->relevance = scale;
    return una_problem_pair_scale(pair, scale, run);
}

/* Its root mean square over the inputs is 1, as each target's is. */
static void average_scale(double *common, const una_fit_result *const *result, size_t targets, size_t inputs)
{
    for (size_t d = 0; d < inputs; d++) {
        double square = 0;
        for (size_t t = 0; t < targets; t++) square += pow(result[t]->relevance[d], 2) / (double)targets;
        common[d] = sqrt(square);
    }
}

una_status una_problem_pairs_new(una_problem_pair *all_targets, una_problem_pair *per_target, const una_problem *p,
                                 bool relevance, una_fit_result *const *result, una_arena *keep, una_run *run)
{
    size_t targets = una_problem_outputs(p), inputs = p->x.cols;
    *all_targets = (una_problem_pair){ .plain = *p, .scaled = *p };
    for (size_t t = 0; t < targets; t++) {
        per_target[t] = (una_problem_pair){0};
        UNA_TRY(una_problem_target(&per_target[t].plain, p, t, &run->scratch));
        per_target[t].scaled = per_target[t].plain;
    }
    if (!relevance) return UNA_OK;

    double *common = UNA_GET(keep, double, inputs);
    for (size_t t = 0; t < targets; t++) {
        UNA_NEW_AT(keep, result[t]->relevance, inputs);
        UNA_TRY(una_relevance_learn(result[t]->relevance, &per_target[t].plain, run));
    }
    average_scale(common, (const una_fit_result *const *)result, targets, inputs);
    if (!has_uneven_scale(common, inputs)) return UNA_OK;
    all_targets->scale = common;
    all_targets->scaled.shared = NULL;
    UNA_TRY(scale_problem(all_targets, run));
    for (size_t t = 0; t < targets; t++) {
        per_target[t].scale = common;
        per_target[t].scaled.x = all_targets->scaled.x;
        per_target[t].scaled.valid_x = all_targets->scaled.valid_x;
        bool own_rows = per_target[t].plain.x.at != all_targets->plain.x.at;
        if (own_rows) UNA_TRY(scale_problem(&per_target[t], run));
    }
    return UNA_OK;
}

una_status una_problem_pair_share(una_problem_pair *pair, bool plain, bool scaled, una_run *run)
{
    if (pair->plain.folds || pair->plain.valid_x.rows == 0) return UNA_OK;
    if (plain) UNA_TRY(una_training_rows_split(&pair->plain_rows, &pair->plain, SIZE_MAX, &run->scratch));
    if (scaled) UNA_TRY(una_training_rows_split(&pair->scaled_rows, &pair->scaled, SIZE_MAX, &run->scratch));
    if (plain) pair->plain.shared = &pair->plain_rows;
    if (scaled) pair->scaled.shared = &pair->scaled_rows;
    return UNA_OK;
}

/* ---- member fits: trainings, and their out-of-fold predictions ------------------------------------------------ */

una_status una_member_fit_rows(una_problem *p, const una_committee *c, const una_member_fit *fit, una_arena *arena)
{
    *p = *una_problem_of_pair(c->pair, fit->scaled);
    p->seed = una_member_seed(p->seed, fit->number);
    p->valid_joins = false;
    if (!fit->label) return UNA_OK;
    p->fold = fit->label;
    return una_problem_without_fold(p, fit->left_out_label, arena);
}

una_status una_member_fit_rows_weighed(una_problem *p, const una_committee *c, const una_member_fit *fit, una_run *run)
{
    const una_noise *noise = c->noise && fit->label ? una_noise_without(c->noise, fit->left_out_label) : c->noise;
    UNA_TRY(una_member_fit_rows(p, c, fit, &run->scratch));
    return una_row_weights(&p->weight, noise, p->x, run);
}

static una_status predict_left_out(una_member_fit *fit, const una_kind *single, const void *state, const una_problem *p,
                                   una_arena *arena, una_run *run)
{
    fit->left_out_rows = p->valid_x.rows;
    if (fit->left_out_rows == 0) return UNA_OK;
    if (!fit->mean) {
        fit->mean = UNA_GET(arena, double, fit->left_out_rows);
        fit->var = UNA_GET(arena, double, fit->left_out_rows);
    }
    double *noise = UNA_GET(&run->scratch, double, fit->left_out_rows);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_arena_check(&run->scratch));
    una_predictive out = { .mean = fit->mean, .var_model = fit->var, .var_noise = noise };
    return single->predict(state, p->valid_x, &out, run);
}

/* A training's options: those of all, and what its repeat varies. Noise and prior variance are chosen later, for all,
 * and must not influence the training: a printed spec gives the same fit. */
static una_status member_fit_options(una_member_fit *fit, const una_committee *c, una_arena *arena)
{
    const una_kind *single = c->single;
    fit->options = una_arena_get(arena, 1, single->options_size);
    UNA_TRY(una_arena_check(arena));
    memcpy(fit->options, c->options, single->options_size);

    if (single->vary) single->vary(fit->options, fit->repeat);
    if (!una_kind_is_given(single, fit->options, "restarts")) una_kind_set_number(single, fit->options, "restarts", 1);
    una_kind_set_number(single, fit->options, "noise_std", UNA_AUTO);
    una_kind_set_number(single, fit->options, "prior_var", 1);

    double *steps = una_kind_number_option(single, fit->options, "steps");
    if (c->steps_share < 1 && steps && !UNA_IS_AUTO(*steps)) *steps = fmax(1, floor(*steps * c->steps_share));
    return UNA_OK;
}

static una_status new_member_fit(una_member_fit *fit, const una_committee *c, una_arena *arena)
{
    UNA_TRY(member_fit_options(fit, c, arena));
    fit->state = una_arena_get(arena, 1, c->single->state_size);
    fit->result = una_fit_result_in(arena);
    return una_arena_check(arena);
}

/* One training for all targets, each of which has its own member; memory is that of the training member. */
static una_status train_all_targets(una_committee *c, size_t index, una_run *run)
{
    una_member_fit *whole = &c->member[index];
    una_arena *arena = &whole->arena, *scratch = &run->scratch;
    size_t n = c->targets;
    void **state = UNA_GET(scratch, void *, n), **options = UNA_GET(scratch, void *, n);
    una_fit_result **result = UNA_GET(scratch, una_fit_result *, n);
    una_target_coupling coupling = { .outputs = n, .noise = UNA_GET(scratch, double, n * n) };
    una_problem p;
    UNA_TRY(una_arena_check(scratch));
    for (size_t t = 0; t < n; t++) {
        una_member_fit *fit = &c->per_target[t].member[index];
        UNA_TRY(new_member_fit(fit, &c->per_target[t], arena));
        state[t] = fit->state;
        options[t] = fit->options;
        result[t] = &fit->result;
    }
    UNA_TRY(una_member_fit_rows(&p, c, whole, scratch));
    UNA_TRY(c->single->fit_several(state, options, &p, result, &coupling, arena, run));
    UNA_TRY(una_arena_check(arena));

    for (size_t t = 0; t < n; t++) {
        una_member_fit *fit = &c->per_target[t].member[index];
        UNA_TRY(una_member_fit_rows(&p, &c->per_target[t], fit, scratch));
        UNA_TRY(predict_left_out(fit, c->single, fit->state, &p, arena, run));
    }
    return UNA_OK;
}

una_status una_member_fit_train(void *context, size_t index, una_run *run)
{
    una_committee *c = context;
    una_member_fit *fit = &c->member[index];
    una_problem p;
    if (c->per_target) return train_all_targets(c, index, run);
    UNA_TRY(new_member_fit(fit, c, &fit->arena));
    UNA_TRY(una_member_fit_rows(&p, c, fit, &run->scratch));
    UNA_TRY(c->single->fit(fit->state, fit->options, &p, &fit->result, &fit->arena, run));
    UNA_TRY(una_arena_check(&fit->arena));
    return predict_left_out(fit, c->single, fit->state, &p, &fit->arena, run);
}

/* A shallow copy is enough: relearning writes to the state alone, not to what it points at. */
static una_status relearn_copy(void **state, const una_committee *c, const una_member_fit *fit, double noise_var,
                               double prior_var, const una_problem *p, una_run *run)
{
    const una_kind *single = c->single;
    void *options = una_arena_get(&run->scratch, 1, single->options_size);
    *state = una_arena_get(&run->scratch, 1, single->state_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(*state, fit->state, single->state_size);
    memcpy(options, fit->options, single->options_size);

    una_kind_set_number(single, options, "noise_std", sqrt(noise_var) / una_kind_unit(single, options, p));
    if (!UNA_IS_AUTO(prior_var)) una_kind_set_number(single, options, "prior_var", prior_var);
    una_fit_result result = una_fit_result_in(&run->scratch);
    return single->relearn(*state, options, p, &result, &run->scratch, run);
}

una_status una_member_fit_predict_again(void *context, size_t index, una_run *run)
{
    const una_committee *c = context;
    una_member_fit *fit = &c->member[index];
    una_problem p;
    void *state;
    UNA_TRY(una_member_fit_rows_weighed(&p, c, fit, run));
    UNA_TRY(relearn_copy(&state, c, fit, c->noise_var, c->prior_var, &p, run));
    return predict_left_out(fit, c->single, state, &p, &fit->arena, run);
}

void una_committee_collect_oof(una_oof *oof, const una_committee *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const una_member_fit *fit = &c->member[i];
        size_t rows = fit->label ? c->pair->plain.x.rows : c->pair->plain.valid_x.rows;
        double *mean = oof->mean + fit->repeat * oof->rows + fit->region * rows;
        double *var = oof->var + fit->repeat * oof->rows + fit->region * rows;
        for (size_t row = 0, next = 0; next < fit->left_out_rows; row++) {
            if (fit->label && fit->label[row] != fit->left_out_label) continue;
            mean[row] = fit->mean[next];
            var[row] = fit->var[next++];
        }
    }
}

una_status una_committee_predict_again(una_oof *oof, una_committee *c, double prior_var, una_run *run)
{
    c->prior_var = prior_var;
    UNA_TRY(una_jobs_again(run, c->member, sizeof *c->member, c->count, una_member_fit_predict_again, c));
    una_committee_collect_oof(oof, c);
    return UNA_OK;
}

/* ---- posteriors of all rows -------------------------------------------------------------------------------------- */

void una_all_rows(una_problem *p, const una_problem *pair_problem)
{
    *p = *pair_problem;
    if (pair_problem->valid_joins) p->x.rows += pair_problem->valid_x.rows;
    p->valid_x.rows = p->folds = 0;
    p->fold = NULL;
    p->shared = NULL;
}

una_status una_row_weights(const double **weight, const una_noise *noise, una_view x, una_run *run)
{
    *weight = NULL;
    if (!noise) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, w, x.rows);
    una_noise_shape(noise, x, w);
    for (size_t i = 0; i < x.rows; i++) w[i] = 1 / w[i];
    *weight = w;
    return UNA_OK;
}

una_status una_members_take(una_members *m, const una_kind *single, size_t count, const una_problem *p, una_arena *keep)
{
    *m = (una_members){ .count = count, .inputs = p->x.cols, .at = UNA_GET(keep, una_member, count) };
    UNA_TRY(una_arena_check(keep));
    for (size_t i = 0; i < count; i++) m->at[i] = (una_member){ .kind = single, .weight = 1 / (double)count };
    return UNA_OK;
}

una_status una_fit_single(una_members *m, const una_kind *single, void *options, const una_anchor *anchor,
                          const una_problem_pair *pair, bool scaled, una_fit_result *result, una_arena *keep,
                          una_run *run)
{
    UNA_TRY(una_members_take(m, single, 1, &pair->plain, keep));
    m->at[0].scale = scaled ? pair->scale : NULL;
    m->at[0].state = una_arena_get(keep, 1, single->state_size);
    UNA_TRY(una_arena_check(keep));
    if (single->vary && !una_is_of_images(&pair->plain)) single->vary(options, 0);
    if (anchor) return single->fit_anchored(m->at[0].state, options, anchor, una_problem_of_pair(pair, scaled), result,
                                            keep, run);
    return single->fit(m->at[0].state, options, una_problem_of_pair(pair, scaled), result, keep, run);
}

/* One head for all targets, where that is possible: relearns the posteriors, with one ratio of the variances. */
static una_status join_single_heads(una_members *const *m, const una_kind *single, void *const *options,
                                    const una_problem_pair *all_targets, const una_problem_pair *per_target,
                                    bool scaled, una_fit_result *const *result, una_target_coupling *coupling,
                                    una_arena *keep, una_run *run)
{
    size_t n = una_problem_outputs(&all_targets->plain);
    double *noise = UNA_GET(&run->scratch, double, n), *prior = UNA_GET(&run->scratch, double, n);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < n; t++) noise[t] = result[t]->noise_var, prior[t] = result[t]->prior_var;
    bool complete = una_problem_complete(&all_targets->plain) && !isnan(coupling->noise[n - 1]);
    coupling->joint = complete && una_one_ratio(prior, noise, n);
    una_note_heads(&result[0]->notes, coupling->joint, complete, false);

    for (size_t t = 0; coupling->joint && t < n; t++) {
        una_problem p;
        una_fit_result found = una_fit_result_in(&run->scratch);
        una_all_rows(&p, una_problem_of_pair(&per_target[t], scaled));
        una_kind_set_number(single, options[t], "prior_var", prior[t]);
        UNA_TRY(single->relearn(m[t]->at[0].state, options[t], &p, &found, keep, run));
        result[t]->prior_var = found.prior_var;
        result[t]->log_evidence = found.log_evidence;
    }
    return UNA_OK;
}

una_status una_fit_single_several(una_members *const *m, const una_kind *single, void *const *options,
                                  const una_problem_pair *all_targets, const una_problem_pair *per_target, bool scaled,
                                  una_fit_result *const *result, una_target_coupling *coupling, una_arena *keep,
                                  una_run *run)
{
    size_t n = una_problem_outputs(&all_targets->plain);
    UNA_NEW(&run->scratch, void *, state, n);
    for (size_t t = 0; t < n; t++) {
        UNA_TRY(una_members_take(m[t], single, 1, &per_target[t].plain, keep));
        m[t]->at[0].scale = scaled ? all_targets->scale : NULL;
        state[t] = m[t]->at[0].state = una_arena_get(keep, 1, single->state_size);
        UNA_TRY(una_arena_check(keep));
        if (single->vary) single->vary(options[t], 0);
    }
    UNA_TRY(single->fit_several(state, options, una_problem_of_pair(all_targets, scaled), result, coupling, keep, run));
    return join_single_heads(m, single, options, all_targets, per_target, scaled, result, coupling, keep, run);
}
