/* SPDX-License-Identifier: MIT
 *
 * What the default algorithm works on: a committee while it is fitted, the trainings of its members, the rows and
 * options of each, and its predictions of rows that it left out.
 */
#pragma once

#include "committee/committee.h"
#include "committee/oof.h"
#include "train/training_rows.h"

/* Whether lengths that all rows have chosen tell of a row that is left out, since there are few rows for each. Beyond so
 * many it is about .01 in log-likelihood: of a process .01, of luna .015 with an error of .011. */
bool una_lengths_tell(const una_problem *p);

/* ---- the problem as it is, and with scaled inputs ---------------------------------------------------------------- */

typedef struct una_problem_pair {
    una_problem plain, scaled;
    double     *scale;                   /* NULL: inputs are not scaled                                     */
    una_training_rows plain_rows, scaled_rows;   /* in float, where trainings share them                    */
} una_problem_pair;

/* Scales the inputs by a scale [inputs] that lives as long; does nothing if that is 1 throughout. */
una_status una_problem_pair_scale(una_problem_pair *pair, double *scale, una_run *run);
/* Converts rows to float once for all trainings: without folds they all have the same rows. */
una_status una_problem_pair_share(una_problem_pair *pair, bool plain, bool scaled, una_run *run);
const una_problem *una_problem_of_pair(const una_problem_pair *pair, bool scaled);

/* ---- a committee while it is fitted ------------------------------------------------------------------------------- */

typedef struct una_member_fit {
    una_arena arena;
    void     *state, *options;
    una_fit_result result;
    size_t    repeat, number;            /* number: chooses its random stream                               */
    const una_problem_pair *pair;        /* its rows are of this pair                                       */
    bool      scaled;
    const unsigned char *label;          /* [rows] rows with left_out_label are left out; NULL: the held-out rows are */
    unsigned char left_out_label;
    size_t    every;                     /* of the left-out rows, each so-many-th is predicted; 0: all      */
    size_t    region;                    /* index of its region among the predicted rows                    */
    size_t    left_out_rows;             /* that are predicted                                              */
    double   *mean, *var, *noise;        /* [left_out_rows]                                                 */
} una_member_fit;

typedef struct una_committee_choice {
    double noise_var, prior_var;
    una_noise *noise;                    /* its shape; NULL: constant                                       */
    const una_tails *tails;              /* NULL: Gaussian                                                  */
} una_committee_choice;

/* Of a posterior, whose rows count by their errors under heavy tails: s^2. */
static inline double una_head_noise(const una_committee_choice *chosen)
{
    return chosen->noise_var * una_tails_square_scale(chosen->tails);
}

typedef struct una_committee {
    una_fitting    *f;                   /* its kind is that of one training                                */
    una_fit_target *target;              /* whose options, as given, and result these are                   */
    una_problem_pair *pair;              /* [1 + scaled_folds] of all rows; then by the scale without each fold */
    size_t          scaled_folds;        /* 0: all members have the scale that all rows tell                */
    una_member_fit *member;
    size_t          count;
    double          steps_share;         /* share of the steps that the options say                         */
    una_oof         oof;                 /* what members predict for rows that they left out                */
    double          noise_var, prior_var;        /* at which una_predict_again predicts                     */
    const una_noise *noise;              /* rows then count by its shape, as learnt without the left-out ones; NULL:
                                            each counts once */
    una_oof        *region_oof;          /* of left-out regions, under the chosen prior variance, where the result asks
                                            for them; else NULL */
    una_oof        *ends_oof;            /* of the rows at the ends, under the same; NULL: there are none   */
    una_regions     regions;             /* which these are                                                 */
    una_committee_choice chosen;         /* by the out-of-fold predictions                                  */
    bool            cut;                 /* its own errors are cut off in train_y: it has tails, however mild    */
    const double   *train_y;             /* [rows, targets] what trainings see in place of y: large errors cut off
                                            (heavy_members.c); NULL: y */
    bool            heavy, light;        /* tails are being looked for; they were, and there are none       */
    double          spread;              /* una_heavy_choice.spread at first                                */
    una_oof        *first_oof;           /* as trained, where tails are looked for                          */
    size_t          first_notes;         /* of the result then                                              */
    struct una_committee *per_target;    /* [targets] with several: the committee of each target, whose members
                                            this one's train; NULL: one target */
    size_t          targets;
} una_committee;

static inline size_t una_committee_targets(const una_committee *c)
{
    return c->per_target ? c->targets : 1;
}

static inline una_committee *una_committee_of(una_committee *c, size_t target)
{
    return c->per_target ? &c->per_target[target] : c;
}

static inline una_common_options *una_common_of(const una_fit_target *target)
{
    return target->options;
}

/* Learns the scale of the inputs, if wanted: it is kept, and reported in the results. Where there are few rows for each
 * length, a member has the scale that the rows tell without the fold that it leaves out: the scale of all rows would tell
 * of it. With several targets it is common, because features are: the quadratic mean of the targets' scales; each result
 * gets its own target's. */
una_status una_committee_scale_inputs(una_committee *c, bool wanted);

/* ---- member fits: trainings, and their out-of-fold predictions --------------------------------------------------- */

/* The rows of a member: x are those that train, valid_x those that it leaves out. */
una_status una_member_fit_rows(una_problem *problem, const una_member_fit *member, una_arena *arena);
/* The same, weighted by the committee's noise. */
una_status una_member_fit_rows_weighed(una_problem *problem, const una_committee *c, const una_member_fit *member,
                                       una_run *run);
/* Trains all members, each of which predicts the rows that it left out: the predictions go to oof. */
una_status una_train_members(una_committee *c, una_run *run);
/* Members predict the left-out rows again, by a posterior with the committee's noise and prior variance. */
una_status una_predict_again(una_committee *c, double prior_var, una_run *run);
/* Job over the members of a una_committee whose states and options are given: the same. */
una_status una_member_fit_predict_again(void *committee, size_t index, una_run *run);
una_status una_member_fit_train(void *committee, size_t index, una_run *run);
/* Predicts its left-out rows p->valid_x by a state, into arrays of `arena`. */
una_status una_member_fit_predict(una_member_fit *fit, const una_kind *kind, const void *state, const una_problem *p,
                                  una_arena *arena, una_run *run);
/* Whether it predicts a row, when all before it were asked about; *seen: left-out rows so far, 0 at first. */
bool       una_member_fit_predicts(const una_member_fit *fit, size_t row, size_t *seen);
/* The predictions of all members, ordered by repeats, into oof. */
void       una_collect_oof(una_oof *oof, const una_committee *c);
/* A fit or a relearning of one state with these options, as a una_fitting of one target. */
una_status una_fit_state(una_status (*how)(una_fitting *f), const una_fitting *like, const una_problem *problem,
                         una_fit_target target, una_arena *keep, una_run *run);

/* ---- posteriors of all rows -------------------------------------------------------------------------------------- */

/* All rows of a problem; the held-out rows, which lie behind the others, are appended if valid_joins. */
void       una_all_rows(una_problem *problem, const una_problem *pair_problem);
/* How often each row counts: what *weight says (NULL: once) over the shape of the noise. From scratch. */
una_status una_row_weights(const double **weight, const una_noise *noise, una_view x, una_run *run);
/* The noise_std that the options hold, or that stands for a noise variance, in the units of the options. */
double     una_noise_std_of(double noise_var, const una_common_options *o, const una_problem *problem);

/* Members of equal weight, without states. */
una_status una_members_take(una_members *members, const una_kind *kind, size_t count, const una_problem *problem,
                            una_arena *keep);
/* One training with the cross-fitting of its kind and no out-of-fold predictions. Several targets share one head where
 * no cell is missing and their variances are close enough (train/joint_targets.h). */
una_status una_fit_single(una_committee *c);
