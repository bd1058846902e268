/* SPDX-License-Identifier: MIT
 *
 * A training job: a training as data (a network's shape, what is minimised, rows, seeds). All trainings go through
 * una_train_many, which runs them on the task pool, those of several fits as one batch; since a job holds no function of
 * its caller's, another device or machine could run it as well.
 */
#pragma once

#include "train/training_rows.h"
#include "nn/body.h"
#include "nn/luna_step.h"

/* What is minimised over the rows; equations in goals.c. */
typedef enum una_goal {
    UNA_GOAL_SQUARES,                    /* squared errors, penalty, and LUNA's diversity (how)        */
    UNA_GOAL_EVIDENCE,                   /* minus log marginal likelihood of a linear head on the features   */
    UNA_GOAL_ANCHOR,                     /* squared errors, parameters near a draw from their prior          */
    UNA_GOAL_DROPOUT,                    /* squared errors with units dropped, weights decayed               */
    UNA_GOAL_ELBO                        /* minus the ELBO; trains una_trained_job.numbers                   */
} una_goal;

/* How parameters are validated during training, if there are validation rows. */
typedef enum una_validation { UNA_VALIDATE_NOT, UNA_VALIDATE_ERROR, UNA_VALIDATE_POSTERIOR } una_validation;

/* Images of a batch are mirrored left to right, or shifted by a few pixels, at random. */
typedef struct una_augment {
    una_image_shape image;
    bool   flips;                        /* every other image is mirrored, at random                        */
    size_t shifts;                       /* shifted by at most so many pixels in each direction; pixels beyond the
                                            edge repeat the edge */
} una_augment;

typedef struct una_training_job {
    const una_body_f32 *body;            /* una_body_mlp_f32 unless the goal is SQUARES or DROPOUT          */
    const void *shape;                   /* the body's own                                                  */
    una_weight_init   start;
    una_goal    goal;
    union {                              /* what the goal needs                                             */
        struct { double bound; } squares;        /* largest singular value of weights; 0: not bounded       */
        struct { double noise_var, prior_var; } evidence;
        struct { double noise_var, prior_var, init_var; } anchor;
        struct { double rate, length_scale; bool inputs; } dropout;
        struct { double prior_var, start_std; size_t samples; } elbo;
    } goal_options;
    una_training_settings how;           /* steps, rates, batch, weights, seed and stream                   */
    uint64_t  init_stream;               /* of the first parameters; 0: that of the training                */
    una_validation  validate;
    const una_training_rows *rows;
    una_augment augment;                 /* images; {0}: none                                               */
    /* For SQUARES of a perceptron alone: */
    size_t    target_heads;              /* columns of rows->target; 0 or 1: all heads share one; else one per head */
    const size_t *group;                 /* [inputs] category group, SIZE_MAX for a number; NULL: all numbers */
} una_training_job;

typedef struct una_trained_job {         /* a job and its results; first member of a kind's own struct */
    una_arena   arena;                   /* of the results; re-homed to the caller's run at the end         */
    una_training_job  job;
    float      *frozen, *parameters;     /* frozen: drawn, never trained. In the body's layout, padded; ELBO: NULL */
    double     *numbers;                 /* ELBO: means, then standard deviations, of the packed parameters */
    una_trained trained;
    size_t      valid_rows;              /* rows that it did not train on and that validate it              */
    double      score;                   /* higher is better; at first minus the last loss          */
} una_trained_job;

/* Trains `count` structs of `size` bytes each, zeroed but for their jobs, whose rows may go afterwards. In a task of
 * una_jobs_together (a member of a committee) it waits for the others, and all trainings are one batch. una_jobs_free
 * ends them, after a failure too. */
una_status una_train_many(void *trainings, size_t size, size_t count, una_run *run);

/* ---- for train_many.c: the goals. Working memory is run->scratch. ---- */
typedef struct una_batches {             /* of an epoch: they differ in size by at most one row             */
    size_t    count, most, step;         /* batches of an epoch, rows of the largest, steps taken           */
    uint32_t *order;                     /* [rows of the job]                                               */
    float    *x, *target;                /* the present batch [rows, inputs], [rows]: the goal may change it */
    size_t    rows;
} una_batches;

typedef struct una_training_context {    /* what goals and validation need of a training                    */
    const una_training_job *job;
    una_network_f32 net;
    una_body_size   size;
    float          *parameters;
    una_rng         rng;                 /* after drawing the first parameters                              */
    /* of the goal: */
    const una_kernels_f32 *kern;
    una_batches     batches;             /* of the job's rows                                               */
    void           *work;                /* of the network                                                  */
    size_t          bounds;              /* weights of layers but the heads, whose largest singular values are kept
                                            below goal_options.squares.bound                                */
    struct una_bounded *bounded;         /* [bounds]                                                        */
} una_training_context;

/* One power iteration for each and W <- c W/sigma where sigma > c; at the end (last) it iterates until sigma has
 * converged, so that the bound holds for the weights that are kept. */
una_status una_bounds_new(una_training_context *training, una_run *run);
void       una_bounds_hold(const una_training_context *training, float *parameters, bool last);

double     una_dropout_decay(const una_training_job *job);       /* weight of |W|^2                         */
una_status una_goal_batches(una_training_context *training, una_run *run);       /* kern and batches        */
void       una_goal_next_batch(una_training_context *training);
una_rng    una_goal_random(const una_training_context *training, una_purpose purpose, size_t step);

/* In place, rows x [rows, numbers of an image]; spare has room for one. */
void una_augment_rows(const una_augment *how, una_rng *rng, float *x, size_t rows, float *spare);

typedef una_status una_goal_begin(una_trainable_f32 *what, una_training_context *training, una_run *run);
una_goal_begin una_goal_squares, una_goal_evidence, una_goal_dropout;   /* squares: of any body, anchored too       */
una_goal_begin una_goal_learn;                           /* squares and dropout of bodies with `learn`      */
/* Means and standard deviations of the packed parameters, into trained->numbers. */
una_status una_train_elbo(una_trained_job *trained, una_training_context *training, una_run *run);
una_status una_validator_new(una_validator_f32 *validator, const una_training_context *training, una_run *run);
