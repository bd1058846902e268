/* SPDX-License-Identifier: MIT
 *
 * The one function through which all trainings go. See training_job.h.
 */
#include "train/training_job.h"

static una_status begin_training(una_training_context *training, una_trained_job *t, una_run *run)
{
    const una_training_job *job = &t->job;
    una_weight_init start = job->start;
    *training = (una_training_context){ .job = job, .size = job->body->size(job->shape) };
    UNA_NEW_AT(&t->arena, t->frozen, training->size.frozen);
    UNA_NEW_AT(&t->arena, t->parameters, training->size.parameters);
    training->rng = una_rng_at(job->how.seed, UNA_FOR_INIT, job->init_stream ? job->init_stream : job->how.stream);
    start.run = run;
    job->body->initialise(job->shape, &start, &training->rng, t->frozen, t->parameters);
    UNA_TRY(una_check_cancelled(run, "drawing first weights"));
    training->net = (una_network_f32){ job->body, job->shape, t->frozen };
    training->parameters = t->parameters;
    return UNA_OK;
}

/* Squared errors of a perceptron: LUNA's step, which threads can share. */
static una_status train_features(una_trained_job *t, const una_validator_f32 *validator, una_run *run)
{
    const una_training_job *job = &t->job;
    const una_training_rows *r = job->rows;
    una_train_data_f32 data = { r->x, r->target, r->rows, job->target_heads ? job->target_heads : 1,
                                { r->inputs, job->group } };
    UNA_SCOPED(run, una_train_f32(job->shape, t->parameters, &data, &job->how, validator, &t->trained, &t->arena, run));
    return UNA_OK;
}

static una_status train_body(una_trained_job *t, una_training_context *training, const una_validator_f32 *validator,
                             una_run *run)
{
    static una_goal_begin *const GOAL[] = { [UNA_GOAL_SQUARES] = una_goal_squares, [UNA_GOAL_ANCHOR] = una_goal_squares,
                                            [UNA_GOAL_EVIDENCE] = una_goal_evidence,
                                            [UNA_GOAL_DROPOUT] = una_goal_dropout };
    una_trainable_f32 what = {0};
    UNA_TRY((t->job.body->learn ? una_goal_learn : GOAL[t->job.goal])(&what, training, run));
    what.parameters = training->size.parameters;
    what.validator = *validator;
    return una_descend_f32(&what, t->parameters, &t->job.how.descent, &t->trained, &t->arena, run);
}

/* ---- what is handed over --------------------------------------------------------------------------------------- */

typedef struct batch {                   /* by one fit                                                      */
    unsigned char *at;
    size_t   size, count;
    una_run *run;
} batch;

typedef struct handed { const batch *by; size_t index; double from, to; } handed;  /* one training, its progress */

static una_status train_one(una_trained_job *t, una_run *run)
{
    const una_training_job *job = &t->job;
    una_validator_f32 validator = {0};
    una_training_context training;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(begin_training(&training, t, run));
    if (job->validate != UNA_VALIDATE_NOT && job->rows->valid_rows)
        UNA_TRY(una_validator_new(&validator, &training, run));

    bool features = job->goal == UNA_GOAL_SQUARES && job->body == &una_body_mlp_f32;
    if (job->goal == UNA_GOAL_ELBO) UNA_TRY(una_train_elbo(t, &training, run));
    else if (features) UNA_TRY(train_features(t, &validator, run));
    else UNA_TRY(train_body(t, &training, &validator, run));
    t->valid_rows = job->rows->valid_rows;
    t->score = -t->trained.loss[t->trained.validations - 1];
    return UNA_OK;
}

/* The results belong to the fit that handed the training over. */
static una_status train_handed(void *context, size_t index, una_run *run)
{
    const handed *one = (const handed *)context + index;
    una_trained_job *t = (una_trained_job *)(void *)(one->by->at + one->index * one->by->size);
    una_arena_init(&t->arena, run);
    run->progress_from = one->from;
    run->progress_to = one->to;
    una_status status = train_one(t, run);
    t->arena.run = one->by->run;
    return status;
}

/* Every fit that has asked has the whole progress of its stage, of which each training of all of them has an equal part. */
static una_status train_batches(void *const *asked, size_t count, una_run *run)
{
    size_t all = 0;
    for (size_t b = 0; b < count; b++) all += ((const batch *)asked[b])->count;
    UNA_NEW(&run->scratch, handed, training, all);
    for (size_t b = 0, next = 0; b < count; b++) {
        const batch *by = asked[b];
        double from = una_progress_shown(by->run, by->run->progress_from);
        double width = (una_progress_shown(by->run, by->run->progress_to) - from) / (double)all;
        for (size_t i = 0; i < by->count; i++, next++)
            training[next] = (handed){ by, i, from + width * (double)next, from + width * (double)(next + 1) };
    }
    return una_pool_in_group(run, all, train_handed, training);
}

una_status una_train_many(void *at, size_t size, size_t count, una_run *run)
{
    batch own = { at, size, count, run };
    void *const asked[] = { &own };
    return una_ask_together(train_batches, asked, 1, run);
}
