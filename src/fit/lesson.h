/* SPDX-License-Identifier: MIT
 *
 * A training as data: a network's shape, what is minimised, rows, seeds. Many of them go through one door,
 * una_train_many, which runs them on the task pool today; since a lesson holds no function of its caller's, another
 * device or machine could take it as well.
 */
#ifndef UNA_LESSON_H
#define UNA_LESSON_H

#include "fit/augment.h"
#include "fit/held.h"
#include "nn/body.h"
#include "nn/luna_step.h"

/* What is minimised over the rows; equations in goals.c. */
typedef enum una_goal {
    UNA_GOAL_SQUARES,                    /* squared errors, penalty, and for perceptrons LUNA's diversity (how) */
    UNA_GOAL_EVIDENCE,                   /* minus log marginal likelihood of a linear head on the features   */
    UNA_GOAL_ANCHOR,                     /* squared errors, parameters near a draw from their prior          */
    UNA_GOAL_DROPOUT,                    /* squared errors with units dropped, weights decayed               */
    UNA_GOAL_BOUND                       /* minus the variational bound; trains `numbers`                    */
} una_goal;

/* How parameters are judged on held-out rows, if there are any, while they train. */
typedef enum una_look { UNA_LOOK_NOT, UNA_LOOK_ERROR, UNA_LOOK_POSTERIOR } una_look;

typedef struct una_lesson {
    const una_body_f32 *body;            /* una_body_mlp_f32 unless the goal is SQUARES or DROPOUT          */
    const void *shape;                   /* the body's own                                                  */
    una_start   start;
    una_goal    goal;
    union {                              /* numbers of the goal                                             */
        struct { double bound; } squares;        /* largest singular value of weights; 0: not bounded       */
        struct { double noise_var, prior_var; } evidence;
        struct { double noise_var, prior_var, init_var; } anchor;
        struct { double rate, length_scale; bool inputs; } dropout;
        struct { double prior_var, start_std; size_t samples; } bound;
    } of;
    una_training how;                    /* steps, rates, batch, weights, seed and stream                   */
    uint64_t  first;                     /* stream of the first parameters; 0: that of the training         */
    una_look  look;
    const una_held *rows;
    una_augment augment;                 /* images; nothing by itself                                       */
    /* For SQUARES of a perceptron alone: */
    size_t    target_heads;              /* columns of rows->target; 0 counts as 1: heads share it. Where how.targets
                                            says that there are several, all heads, and the columns are theirs */
    const size_t *group;                 /* [inputs] category group, SIZE_MAX for a number; NULL: all numbers */
} una_lesson;

typedef struct una_trial {               /* a lesson and what came of it; also first member of a kind's own */
    una_arena   arena;                   /* of the results; re-homed to the caller's run at the end         */
    una_lesson  lesson;
    float      *frozen, *parameters;     /* in the body's layout, padded; BOUND: NULL                       */
    double     *numbers;                 /* BOUND: means, then standard deviations, of the packed parameters */
    una_trained trained;
    size_t      held;                    /* rows that it did not see and that judge it                      */
    double      score;                   /* of which the highest is best; from training: minus its last loss */
} una_trial;

/* Trains `count` trials of `size` bytes each, zeroed but for their lessons, whose rows may go
 * afterwards. Also after a failure una_jobs_free ends them. */
una_status una_train_many(void *trials, size_t size, size_t count, una_run *run);

/* ---- for train_many.c: the goals. Work from scratch. ---- */
typedef struct una_pupil {               /* what goals and looks need of a training                         */
    const una_lesson *lesson;
    una_network_f32 net;
    una_body_size   size;
    float          *parameters;
    una_rng         rng;                 /* drew the first parameters                                       */
} una_pupil;

/* Weights of all layers but the heads, whose largest singular values are kept below a bound. */
typedef struct una_bounds { size_t count; struct una_bounded *of; double most; } una_bounds;
una_status una_bounds_new(una_bounds *bounds, const una_pupil *pupil, double most, una_run *run);
/* One power iteration for each and W <- c W/sigma where sigma > c; at the end (last) the iteration is run until it
 * stands still, so that the bound holds for the weights that are kept. */
void       una_bounds_hold(const una_bounds *bounds, float *parameters, bool last);

double una_dropout_decay(const una_lesson *lesson);      /* what |W|^2 is multiplied by                     */
/* The batches that its rows train in. */
una_status una_lesson_batches(una_batches *batches, const una_lesson *lesson, una_run *run);
una_status una_goal_squares(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);      /* any body */
una_status una_goal_diverse(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);      /* with `learn` */
una_status una_goal_evidence(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);
una_status una_goal_anchor(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);
una_status una_goal_dropout(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);      /* perceptrons */
una_status una_goal_dropped(una_trainable_f32 *what, const una_pupil *pupil, una_run *run);      /* with `learn` */
una_status una_goal_bound(una_trainable_f64 *what, double **p, const una_pupil *pupil, una_run *run);
una_status una_watch_new(una_watch_f32 *watch, const una_pupil *pupil, una_run *run);

#endif
