/* SPDX-License-Identifier: MIT
 *
 * The one function through which all trainings go. See training_job.h.
 */
#include "fit/training_job.h"

#include "base/rank_group.h"
#include "infer/vi.h"

static una_status begin_training(una_trainer *trainer, una_trained_job *t, una_run *run)
{
    const una_training_job *l = &t->job;
    una_weight_init start = l->start;
    *trainer = (una_trainer){ .job = l, .size = l->body->size(l->shape) };
    t->frozen = UNA_GET(&t->arena, float, trainer->size.frozen);
    t->parameters = UNA_GET(&t->arena, float, trainer->size.parameters);
    UNA_TRY(una_arena_check(&t->arena));
    trainer->rng = una_rng_at(l->how.seed, UNA_FOR_INIT, l->first ? l->first : l->how.stream);
    start.run = run;
    l->body->initialise(l->shape, &start, &trainer->rng, t->frozen, t->parameters);
    UNA_TRY(una_check_cancelled(run, "drawing first weights"));
    trainer->net = (una_network_f32){ l->body, l->shape, t->frozen };
    trainer->parameters = t->parameters;
    return UNA_OK;
}

/* Squared errors of a perceptron: LUNA's step, which threads can share. */
static una_status train_features(una_trained_job *t, const una_validator_f32 *validator, una_run *run)
{
    const una_training_job *l = &t->job;
    const una_training_rows *r = l->rows;
    una_training how = l->how;
    if (run->rank_group) {
        size_t *parts = UNA_GET(&run->scratch, size_t, una_rank_group_count(run));
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_TRY(una_rank_group_gather_sizes(parts, r->rows, run));
        how.parts = parts;
    }
    una_train_data_f32 data = { r->x, r->target, r->rows, l->target_heads ? l->target_heads : 1,
                                { r->inputs, l->group } };
    return una_train_f32(l->shape, t->parameters, &data, &how, validator, &t->trained, &t->arena, run);
}

static una_status train_body(una_trained_job *t, const una_trainer *trainer, const una_validator_f32 *validator,
                             una_run *run)
{
    una_trainable_f32 what = {0};
    switch (t->job.goal) {
        case UNA_GOAL_EVIDENCE: UNA_TRY(una_goal_evidence(&what, trainer, run)); break;
        case UNA_GOAL_ANCHOR: UNA_TRY(una_goal_anchor(&what, trainer, run)); break;
        case UNA_GOAL_DROPOUT: UNA_TRY(trainer->net.body->learn ? una_goal_dropped(&what, trainer, run)
                                        : una_goal_dropout(&what, trainer, run)); break;
        default: UNA_TRY(trainer->net.body->learn ? una_goal_diverse(&what, trainer, run)
                         : una_goal_squares(&what, trainer, run));
    }
    what.parameters = trainer->size.parameters;
    what.validator = *validator;
    return una_descend_f32(&what, t->parameters, &t->job.how.descent, &t->trained, &t->arena, run);
}

/* Means and standard deviations of the packed parameters. */
static una_status train_bound(una_trained_job *t, const una_trainer *trainer, una_run *run)
{
    una_trainable_f64 what = {0};
    double *p;
    UNA_TRY(una_goal_bound(&what, &p, trainer, run));
    UNA_TRY(una_descend_f64(&what, p, &t->job.how.descent, &t->trained, &t->arena, run));
    for (size_t i = what.parameters / 2; i < what.parameters; i++) p[i] = una_softplus(p[i]);
    t->numbers = una_copy_numbers(p, what.parameters, &t->arena);
    return una_arena_check(&t->arena);
}

typedef struct trainings { unsigned char *at; size_t size; } trainings;

static una_status train_job(void *context, size_t index, una_run *run)
{
    const trainings *all = context;
    una_trained_job *t = (una_trained_job *)(void *)(all->at + index * all->size);
    const una_training_job *l = &t->job;
    una_validator_f32 validator = {0};
    una_trainer trainer;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(begin_training(&trainer, t, run));
    if (l->validate != UNA_VALIDATE_NOT && l->rows->valid_rows) UNA_TRY(una_validation_new(&validator, &trainer, run));

    bool features = l->goal == UNA_GOAL_SQUARES && l->body == &una_body_mlp_f32;
    if (l->goal == UNA_GOAL_BOUND) UNA_TRY(train_bound(t, &trainer, run));
    else if (features) UNA_TRY(train_features(t, &validator, run));
    else UNA_TRY(train_body(t, &trainer, &validator, run));
    t->valid_rows = l->rows->valid_rows;
    t->score = -t->trained.loss[t->trained.validations - 1];
    return UNA_OK;
}

una_status una_train_many(void *at, size_t size, size_t count, una_run *run)
{
    trainings all = { at, size };
    return una_jobs_run(run, at, size, count, train_job, &all);
}
