/* SPDX-License-Identifier: MIT
 *
 * Member fits: the trainings of a committee, the rows and options of each, and its predictions of rows that it left
 * out.
 */
#ifndef UNA_MEMBER_FITS_H
#define UNA_MEMBER_FITS_H

#include "committee/committee.h"
#include "train/training_rows.h"

/* ---- options of a kind, by their names --------------------------------------------------------------------------- */

una_committee_options *una_committee_options_of(const una_kind *single, void *options);
double *una_kind_number_option(const una_kind *single, void *options, const char *name); /* NULL: it lacks the option */
bool    una_kind_is_given(const una_kind *single, void *options, const char *name);      /* not automatic      */
void    una_kind_set_number(const una_kind *single, void *options, const char *name, double value); /* if any */
/* One unit of noise_std, in standard deviations of the target. */
double  una_kind_unit(const una_kind *single, void *options, const una_problem *problem);

/* ---- the problem as it is, and with scaled inputs ---------------------------------------------------------------- */

typedef struct una_problem_pair {
    una_problem plain, scaled;
    double     *scale;                   /* NULL: inputs are not scaled                                     */
    una_training_rows    plain_rows, scaled_rows; /* in float, where trainings share them                            */
} una_problem_pair;

/* relevance: learn the scale. It is kept, and reported in the result. */
una_status una_problem_pair_new(una_problem_pair *pair, const una_problem *problem, bool relevance,
                                una_fit_result *result, una_arena *keep, una_run *run);
/* Scales the inputs by a scale [inputs] that lives as long; does nothing if that is 1 throughout. */
una_status una_problem_pair_scale(una_problem_pair *pair, double *scale, una_run *run);
/* With several targets: all_targets has all of them, per_target [outputs] one each. The scale is common, because
 * features are: the quadratic mean of the targets' scales; each result gets its own target's. */
una_status una_problem_pairs_new(una_problem_pair *all_targets, una_problem_pair *per_target,
                                 const una_problem *problem, bool relevance, una_fit_result *const *result,
                                 una_arena *keep, una_run *run);
/* Converts rows to float once for all trainings: without folds they all have the same rows. */
una_status una_problem_pair_share(una_problem_pair *pair, bool plain, bool scaled, una_run *run);
const una_problem *una_problem_of_pair(const una_problem_pair *pair, bool scaled);

/* ---- member fits: trainings, and their out-of-fold predictions --------------------------------------------------- */

typedef struct una_member_fit {
    una_arena arena;
    void     *state, *options;
    una_fit_result result;
    size_t    repeat, number;            /* number: chooses its random stream                               */
    bool      scaled;
    const unsigned char *label;          /* [rows] rows with left_out_label are left out; NULL: the held-out rows are */
    unsigned char left_out_label;
    size_t    region;                    /* index of its region among the predicted rows                    */
    size_t    left_out_rows;
    double   *mean, *var;                /* [left_out_rows]                                                 */
} una_member_fit;

typedef struct una_committee {
    const una_kind *single;              /* the kind of one training                                        */
    const void     *options;             /* as given                                                        */
    const una_problem_pair *pair;
    una_member_fit       *member;
    size_t          count;
    double          steps_share;         /* share of the steps that the options say                         */
    double          noise_var, prior_var;        /* at which una_committee_predict_again predicts           */
    const una_noise *noise;              /* rows then count by its shape, as learnt without the left-out ones; NULL:
                                            each counts once */
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

/* The rows of a member: x are those that train, valid_x those that it leaves out. */
una_status una_member_fit_rows(una_problem *problem, const una_committee *c, const una_member_fit *member,
                               una_arena *arena);
/* The same, weighted by the committee's noise. */
una_status una_member_fit_rows_weighed(una_problem *problem, const una_committee *c, const una_member_fit *member,
                                       una_run *run);
/* Jobs over the members of a una_committee: train, and predict the left-out rows; predict them again by a posterior
 * with the committee's noise and prior variance. */
una_status una_member_fit_train(void *committee, size_t index, una_run *run);
una_status una_member_fit_predict_again(void *committee, size_t index, una_run *run);

/* The predictions of all members, ordered by repeats. */
void       una_committee_collect_oof(una_oof *oof, const una_committee *c);
/* All members predict again, with another prior variance. */
una_status una_committee_predict_again(una_oof *oof, una_committee *c, double prior_var, una_run *run);

/* ---- posteriors of all rows -------------------------------------------------------------------------------------- */

/* All rows of a problem; the held-out rows, which lie behind the others, are appended if valid_joins. */
void       una_all_rows(una_problem *problem, const una_problem *pair_problem);
/* How often each row counts, by the shape of the noise; NULL: each once. From scratch. */
una_status una_row_weights(const double **weight, const una_noise *noise, una_view x, una_run *run);

/* Members of equal weight, without states. */
una_status una_members_take(una_members *members, const una_kind *single, size_t count, const una_problem *problem,
                            una_arena *keep);
/* One training with the cross-fitting of its kind and no out-of-fold predictions. anchor: NULL, or that of an
 * ensemble. */
una_status una_fit_single(una_members *members, const una_kind *single, void *options, const una_anchor *anchor,
                          const una_problem_pair *pair, bool scaled, una_fit_result *result, una_arena *keep,
                          una_run *run);

/* The same for several targets at once, all_targets and per_target as in una_problem_pairs_new; all [outputs].
 * They share one head where no cell is missing and their variances are close enough (several_targets.h). */
una_status una_fit_single_several(una_members *const *members, const una_kind *single, void *const *options,
                                  const una_problem_pair *all_targets, const una_problem_pair *per_target,
                                  bool scaled, una_fit_result *const *result, una_target_coupling *coupling,
                                  una_arena *keep, una_run *run);

#endif
