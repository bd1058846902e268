/* SPDX-License-Identifier: MIT
 *
 * The one door for many trainings. See lesson.h.
 */
#include "fit/lesson.h"

#include "base/company.h"
#include "infer/vi.h"

static una_status begin(una_pupil *pupil, una_trial *t, una_run *run)
{
    const una_lesson *l = &t->lesson;
    una_start start = l->start;
    *pupil = (una_pupil){ .lesson = l, .size = l->body->size(l->shape) };
    t->frozen = UNA_GET(&t->arena, float, pupil->size.frozen);
    t->parameters = UNA_GET(&t->arena, float, pupil->size.parameters);
    UNA_TRY(una_arena_check(&t->arena));
    pupil->rng = una_rng_at(l->how.seed, UNA_FOR_INIT, l->first ? l->first : l->how.stream);
    start.run = run;
    l->body->initialise(l->shape, &start, &pupil->rng, t->frozen, t->parameters);
    UNA_TRY(una_go_on(run, "drawing first weights"));
    pupil->net = (una_network_f32){ l->body, l->shape, t->frozen };
    pupil->parameters = t->parameters;
    return UNA_OK;
}

/* Squared errors of a perceptron: LUNA's step, which threads can share. */
static una_status train_features(una_trial *t, const una_watch_f32 *watch, una_run *run)
{
    const una_lesson *l = &t->lesson;
    const una_held *r = l->rows;
    una_training how = l->how;
    if (run->company) {
        size_t *parts = UNA_GET(&run->scratch, size_t, una_company_count(run));
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_TRY(una_company_each(parts, r->rows, run));
        how.parts = parts;
    }
    una_train_data_f32 data = { r->x, r->target, r->rows, l->target_heads ? l->target_heads : 1,
                                { r->inputs, l->group } };
    return una_train_f32(l->shape, t->parameters, &data, &how, watch, &t->trained, &t->arena, run);
}

static una_status train_body(una_trial *t, const una_pupil *pupil, const una_watch_f32 *watch, una_run *run)
{
    una_trainable_f32 what = {0};
    switch (t->lesson.goal) {
        case UNA_GOAL_EVIDENCE: UNA_TRY(una_goal_evidence(&what, pupil, run)); break;
        case UNA_GOAL_ANCHOR: UNA_TRY(una_goal_anchor(&what, pupil, run)); break;
        case UNA_GOAL_DROPOUT: UNA_TRY(pupil->net.body->learn ? una_goal_dropped(&what, pupil, run)
                                        : una_goal_dropout(&what, pupil, run)); break;
        default: UNA_TRY(pupil->net.body->learn ? una_goal_diverse(&what, pupil, run)
                         : una_goal_squares(&what, pupil, run));
    }
    what.parameters = pupil->size.parameters;
    what.watch = *watch;
    return una_descend_f32(&what, t->parameters, &t->lesson.how.descent, &t->trained, &t->arena, run);
}

/* Means and standard deviations of the packed parameters. */
static una_status train_bound(una_trial *t, const una_pupil *pupil, una_run *run)
{
    una_trainable_f64 what = {0};
    double *p;
    UNA_TRY(una_goal_bound(&what, &p, pupil, run));
    UNA_TRY(una_descend_f64(&what, p, &t->lesson.how.descent, &t->trained, &t->arena, run));
    for (size_t i = what.parameters / 2; i < what.parameters; i++) p[i] = una_softplus(p[i]);
    t->numbers = una_held_copy(p, what.parameters, &t->arena);
    return una_arena_check(&t->arena);
}

typedef struct trials { unsigned char *at; size_t size; } trials;

static una_status train_one(void *context, size_t index, una_run *run)
{
    const trials *all = context;
    una_trial *t = (una_trial *)(void *)(all->at + index * all->size);
    const una_lesson *l = &t->lesson;
    una_watch_f32 watch = {0};
    una_pupil pupil;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(begin(&pupil, t, run));
    if (l->look != UNA_LOOK_NOT && l->rows->held) UNA_TRY(una_watch_new(&watch, &pupil, run));

    bool features = l->goal == UNA_GOAL_SQUARES && l->body == &una_body_mlp_f32;
    UNA_TRY(l->goal == UNA_GOAL_BOUND ? train_bound(t, &pupil, run)
            : features ? train_features(t, &watch, run) : train_body(t, &pupil, &watch, run));
    t->held = l->rows->held;
    t->score = -t->trained.loss[t->trained.looks - 1];
    return UNA_OK;
}

una_status una_train_many(void *at, size_t size, size_t count, una_run *run)
{
    trials all = { at, size };
    return una_jobs_run(run, at, size, count, train_one, &all);
}
