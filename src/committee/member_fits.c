/* SPDX-License-Identifier: MIT
 *
 * Trainings of a kind, the rows of each, and its out-of-fold predictions. See member_fits.h.
 */
#include "committee/member_fits.h"

#include "train/basis.h"
#include "committee/relevance.h"
#include "train/joint_targets.h"

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
    pair->scale = NULL;
    pair->scaled = pair->plain;
    if (!has_uneven_scale(scale, pair->plain.x.cols)) return UNA_OK;
    pair->scale = scale;
    pair->scaled.shared = NULL;                          /* the shared rows are not scaled */
    return scale_problem(pair, run);
}

/* Its root mean square over the inputs is 1, as each target's is. */
static void average_scale(double *common, double *const *scale, size_t targets, size_t inputs)
{
    for (size_t d = 0; d < inputs; d++) {
        double square = 0;
        for (size_t t = 0; t < targets; t++) square += pow(scale[t][d], 2) / (double)targets;
        common[d] = sqrt(square);
    }
}

static una_status new_pairs(una_committee *c, const una_problem *p)
{
    UNA_NEW_AT(&c->f->run->scratch, c->pair, 1 + c->scaled_folds);
    for (size_t i = 0; i <= c->scaled_folds; i++) c->pair[i] = (una_problem_pair){ .plain = *p, .scaled = *p };
    return UNA_OK;
}

/* The problem of each target beside that of all. */
static una_status split_targets(una_committee *c)
{
    una_arena *scratch = &c->f->run->scratch;
    UNA_TRY(new_pairs(c, c->f->problem));
    if (c->targets == 1) return UNA_OK;
    UNA_NEW_AT(scratch, c->per_target, c->targets);
    for (size_t t = 0; t < c->targets; t++) {
        una_problem own;
        UNA_TRY(una_problem_target(&own, c->f->problem, t, scratch));
        c->per_target[t] = (una_committee){ .f = c->f, .target = &c->f->target[t], .steps_share = c->steps_share,
                                            .targets = 1, .scaled_folds = c->scaled_folds };
        UNA_TRY(new_pairs(&c->per_target[t], &own));
    }
    return UNA_OK;
}

/* Per-target problems of rows that all targets have share the scaled ones. */
static una_status scale_target_rows(una_committee *c, const una_problem_pair *all, size_t index)
{
    for (size_t t = 0; c->per_target && all->scale && t < c->targets; t++) {
        una_problem_pair *own = &c->per_target[t].pair[index];
        own->scale = all->scale;
        own->scaled.x = all->scaled.x;
        own->scaled.valid_x = all->scaled.valid_x;
        if (own->plain.x.at != all->plain.x.at) UNA_TRY(scale_problem(own, c->f->run));
    }
    return UNA_OK;
}

typedef struct scales { una_committee *c; double **at; } scales;         /* [pairs of the committee][targets] */

/* Job over pairs and targets: the scale that the target's rows tell, but for the fold's. */
static una_status learn_scale(void *context, size_t index, una_run *run)
{
    const scales *s = context;
    size_t targets = una_committee_targets(s->c), fold = index / targets;
    const una_committee *own = una_committee_of(s->c, index % targets);
    una_problem p = own->pair->plain;
    if (own->train_y) p.y = own->train_y;
    if (fold > 0) UNA_TRY(una_problem_without_fold(&p, (unsigned char)(fold - 1), &run->scratch));
    return una_relevance_learn(s->at[index], &p, run);
}

bool una_lengths_tell(const una_problem *p)
{
    enum { ROWS_PER_LENGTH = 50 };
    return p->x.rows < ROWS_PER_LENGTH * p->x.cols;
}

una_status una_committee_scale_inputs(una_committee *c, bool wanted)
{
    una_fitting *f = c->f;
    size_t inputs = f->problem->x.cols, targets = c->targets;
    if (wanted && una_lengths_tell(f->problem)) c->scaled_folds = f->problem->folds;
    if (!c->pair) UNA_TRY(split_targets(c));
    if (!wanted) return UNA_OK;

    size_t pairs = 1 + c->scaled_folds;
    scales s = { .c = c };
    UNA_NEW_AT(&f->run->scratch, s.at, pairs * targets);
    for (size_t i = 0; i < pairs * targets; i++) UNA_NEW_AT(f->keep, s.at[i], inputs);
    UNA_TRY(una_pool_in_group(f->run, pairs * targets, learn_scale, &s));
    for (size_t t = 0; t < targets; t++) f->target[t].result->relevance = s.at[t];

    for (size_t i = 0; i < pairs; i++) {
        double *scale = s.at[i * targets];
        if (c->per_target) {
            UNA_NEW_AT(f->keep, scale, inputs);
            average_scale(scale, s.at + i * targets, targets, inputs);
        }
        UNA_TRY(una_problem_pair_scale(&c->pair[i], scale, f->run));
        UNA_TRY(scale_target_rows(c, &c->pair[i], i));
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

/* y: in place of the problem's, with rows that each count once; NULL: as they are. */
static una_status rows_of(una_problem *p, const una_member_fit *fit, const double *y, una_arena *arena)
{
    *p = *una_problem_of_pair(fit->pair, fit->scaled);
    if (y) p->y = y, p->weight = NULL;
    p->seed = una_member_seed(p->seed, fit->number);
    p->valid_joins = false;
    if (fit->label) p->fold = fit->label;
    if (fit->label) UNA_TRY(una_problem_without_fold(p, fit->left_out_label, arena));
    if (fit->every <= 1) return UNA_OK;
    p->valid_x.rows = (p->valid_x.rows + fit->every - 1) / fit->every;
    p->valid_x.stride *= fit->every;
    p->valid_y = NULL;                   /* those of the rows between them too */
    return UNA_OK;
}

una_status una_member_fit_rows(una_problem *p, const una_member_fit *fit, una_arena *arena)
{
    return rows_of(p, fit, NULL, arena);
}

una_status una_member_fit_rows_weighed(una_problem *p, const una_committee *c, const una_member_fit *fit, una_run *run)
{
    const una_noise *noise = c->noise && fit->label ? una_noise_without(c->noise, fit->left_out_label) : c->noise;
    UNA_TRY(una_member_fit_rows(p, fit, &run->scratch));
    return una_row_weights(&p->weight, noise, p->x, run);
}

una_status una_member_fit_predict(una_member_fit *fit, const una_kind *kind, const void *state, const una_problem *p,
                                  una_arena *arena, una_run *run)
{
    size_t rows = fit->left_out_rows = p->valid_x.rows;
    if (rows == 0) return UNA_OK;
    if (!fit->mean) {
        UNA_NEW_AT(arena, fit->mean, rows);
        UNA_NEW_AT(arena, fit->var, rows);
        UNA_NEW_AT(arena, fit->noise, rows);
    }
    una_predictive out = { .mean = fit->mean, .var_model = fit->var, .var_noise = fit->noise };
    return kind->predict(state, p->valid_x, &out, run);
}

/* A training's options: those of all, and what its repeat varies. Noise and prior variance are chosen later, for all,
 * and must not influence the training: a printed spec gives the same fit. */
static una_status new_member_fit(una_member_fit *fit, const una_committee *c, una_arena *arena)
{
    const una_kind *kind = c->f->kind;
    fit->options = una_arena_get(arena, 1, kind->options_size);
    fit->state = una_arena_get(arena, 1, kind->state_size);
    fit->result = una_fit_result_in(arena);
    UNA_TRY(una_arena_check(arena));
    memcpy(fit->options, c->target->options, kind->options_size);

    una_common_options *o = fit->options;
    if (kind->vary) kind->vary(fit->options, fit->repeat);
    if (!una_is_given(o->restarts)) una_set_number(&o->restarts, 1);
    una_set_number(&o->noise_std, UNA_AUTO);
    una_set_number(&o->prior_var, 1);
    if (c->steps_share < 1 && una_is_given(o->steps)) o->steps = fmax(1, floor(o->steps * c->steps_share));
    return UNA_OK;
}

/* With several targets one training for all, each of which has its own member; memory is that of the training one. */
una_status una_member_fit_train(void *context, size_t index, una_run *run)
{
    una_committee *c = context;
    const una_kind *kind = c->f->kind;
    una_member_fit *training = &c->member[index];
    size_t n = una_committee_targets(c);
    una_problem p;
    una_target_coupling coupling = { .outputs = n };
    UNA_NEW_AT(&run->scratch, coupling.noise, n * n);
    UNA_NEW(&run->scratch, una_fit_target, target, n);
    for (size_t t = 0; t < n; t++) {
        una_member_fit *fit = &una_committee_of(c, t)->member[index];
        UNA_TRY(new_member_fit(fit, una_committee_of(c, t), &training->arena));
        target[t] = (una_fit_target){ fit->state, fit->options, &fit->result };
    }
    UNA_TRY(rows_of(&p, training, c->train_y, &run->scratch));
    una_fitting f = { .kind = kind, .problem = &p, .target = target, .keep = &training->arena, .run = run,
                      .coupling = c->per_target ? &coupling : NULL };
    UNA_TRY(una_kind_fit(&f));
    UNA_TRY(una_arena_check(&training->arena));

    for (size_t t = 0; t < n; t++) {
        const una_committee *own = una_committee_of(c, t);
        una_member_fit *fit = &own->member[index];
        if (c->per_target) UNA_TRY(una_member_fit_rows(&p, fit, &run->scratch));
        UNA_TRY(una_member_fit_predict(fit, kind, fit->state, &p, &training->arena, run));
    }
    return UNA_OK;
}

una_status una_fit_state(una_status (*how)(una_fitting *f), const una_fitting *like, const una_problem *p,
                         una_fit_target target, una_arena *keep, una_run *run)
{
    una_fitting f = { .kind = like->kind, .problem = p, .target = &target, .keep = keep, .run = run };
    return how(&f);
}

/* A shallow copy is enough: relearning writes to the state alone, not to what it points at. */
static una_status relearn_copy(void **state, const una_committee *c, const una_member_fit *fit, const una_problem *p,
                               una_run *run)
{
    const una_kind *kind = c->f->kind;
    void *options = una_arena_get(&run->scratch, 1, kind->options_size);
    UNA_COPY_BYTES_AT(&run->scratch, *state, fit->state, kind->state_size);
    memcpy(options, fit->options, kind->options_size);

    una_common_options *o = options;
    o->noise_std = una_noise_std_of(c->noise_var, o, p);
    if (!UNA_IS_AUTO(c->prior_var)) una_set_number(&o->prior_var, c->prior_var);
    una_fit_result result = una_fit_result_in(&run->scratch);
    return una_fit_state(kind->relearn, c->f, p, (una_fit_target){ *state, options, &result }, &run->scratch, run);
}

una_status una_member_fit_predict_again(void *context, size_t index, una_run *run)
{
    const una_committee *c = context;
    una_member_fit *fit = &c->member[index];
    una_problem p;
    void *state;
    UNA_TRY(una_member_fit_rows_weighed(&p, c, fit, run));
    UNA_TRY(relearn_copy(&state, c, fit, &p, run));
    return una_member_fit_predict(fit, c->f->kind, state, &p, &fit->arena, run);
}

bool una_member_fit_predicts(const una_member_fit *fit, size_t row, size_t *seen)
{
    if (fit->label && fit->label[row] != fit->left_out_label) return false;
    return fit->every <= 1 || (*seen)++ % fit->every == 0;
}

void una_collect_oof(una_oof *oof, const una_committee *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const una_member_fit *fit = &c->member[i];
        size_t rows = fit->label ? c->pair->plain.x.rows : c->pair->plain.valid_x.rows;
        double *mean = oof->mean + fit->repeat * oof->rows + fit->region * rows;
        double *var = oof->var + fit->repeat * oof->rows + fit->region * rows;
        for (size_t row = 0, next = 0, seen = 0; next < fit->left_out_rows; row++) {
            if (!una_member_fit_predicts(fit, row, &seen)) continue;
            mean[row] = fit->mean[next];
            var[row] = fit->var[next++];
        }
    }
}

una_status una_train_members(una_committee *c, una_run *run)
{
    return una_jobs_together(run, c->member, sizeof *c->member, c->count, una_member_fit_train, c);
}

una_status una_predict_again(una_committee *c, double prior_var, una_run *run)
{
    c->prior_var = prior_var;
    UNA_TRY(una_jobs_again(run, c->member, sizeof *c->member, c->count, una_member_fit_predict_again, c));
    una_collect_oof(&c->oof, c);
    return UNA_OK;
}

/* ---- posteriors of all rows -------------------------------------------------------------------------------------- */

double una_noise_std_of(double noise_var, const una_common_options *o, const una_problem *p)
{
    return sqrt(noise_var) / una_unit(o->units, p);
}

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
    if (!noise) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, w, x.rows);
    una_noise_shape(noise, x, w);
    for (size_t i = 0; i < x.rows; i++) w[i] = (*weight ? (*weight)[i] : 1) / w[i];
    *weight = w;
    return UNA_OK;
}

una_status una_members_take(una_members *m, const una_kind *kind, size_t count, const una_problem *p, una_arena *keep)
{
    *m = (una_members){ .count = count, .inputs = p->x.cols };
    UNA_NEW_AT(keep, m->at, count);
    for (size_t i = 0; i < count; i++)
        m->at[i] = (una_member){ .kind = kind, .calls = kind, .weight = 1 / (double)count };
    return UNA_OK;
}

/* One head for all targets, where that is possible: relearns the posteriors, with one ratio of the variances. */
static una_status join_single_heads(una_committee *c, const una_fit_target *target)
{
    una_fitting *f = c->f;
    size_t n = c->targets;
    UNA_NEW(&f->run->scratch, double, noise, n);
    UNA_NEW(&f->run->scratch, double, prior, n);
    for (size_t t = 0; t < n; t++) noise[t] = target[t].result->noise_var, prior[t] = target[t].result->prior_var;
    bool complete = una_problem_complete(f->problem) && !isnan(f->coupling->noise[n - 1]);
    f->coupling->joint = complete && una_one_ratio(prior, noise, n);
    una_note_heads(&target->result->notes, f->coupling->joint, complete, false);

    for (size_t t = 0; f->coupling->joint && t < n; t++) {
        const una_problem_pair *pair = c->per_target[t].pair;
        una_problem p;
        una_fit_result found = una_fit_result_in(&f->run->scratch);
        una_all_rows(&p, una_problem_of_pair(pair, pair->scale));
        una_set_number(&una_common_of(&target[t])->prior_var, prior[t]);
        UNA_TRY(una_fit_state(f->kind->relearn, f, &p, (una_fit_target){ target[t].state, target[t].options, &found },
                              f->keep, f->run));
        target[t].result->prior_var = found.prior_var;
        target[t].result->log_evidence = found.log_evidence;
    }
    return UNA_OK;
}

una_status una_fit_single(una_committee *c)
{
    una_fitting f = *c->f;
    if (!c->per_target) f.coupling = NULL;
    const una_problem *p = una_problem_of_pair(c->pair, c->pair->scale);
    UNA_NEW_AT(&f.run->scratch, f.target, c->targets);
    for (size_t t = 0; t < c->targets; t++) {
        una_members *m = c->f->target[t].state;
        UNA_TRY(una_members_take(m, f.kind, 1, p, f.keep));
        m->at[0].scale = c->pair->scale;
        UNA_NEW_BYTES_AT(f.keep, m->at[0].state, f.kind->state_size);
        f.target[t] = c->f->target[t];
        f.target[t].state = m->at[0].state;
        if (f.kind->vary && !una_is_of_images(p)) f.kind->vary(f.target[t].options, 0);
    }
    f.problem = p;
    UNA_TRY(una_kind_fit(&f));
    return c->per_target ? join_single_heads(c, f.target) : UNA_OK;
}
