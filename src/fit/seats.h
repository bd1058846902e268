/* SPDX-License-Identifier: MIT
 *
 * What the trainings of a committee are: the rows and options of each, and what it says of rows that it has not seen.
 */
#ifndef UNA_SEATS_H
#define UNA_SEATS_H

#include "fit/committee.h"
#include "fit/held.h"

/* ---- options of a kind, by their names --------------------------------------------------------------------------- */

una_committee_options *una_committee_options_of(const una_kind *one, void *options);
double *una_kind_number(const una_kind *one, void *options, const char *name);           /* NULL: it has none of it  */
bool    una_kind_is_given(const una_kind *one, void *options, const char *name);         /* it has it, and not auto  */
void    una_kind_set_number(const una_kind *one, void *options, const char *name, double value);   /* where it has it */
/* How many standard deviations of the target one unit of noise_std is. */
double  una_kind_unit(const una_kind *one, void *options, const una_problem *problem);

/* ---- the problem as it is, and with scaled inputs ---------------------------------------------------------------- */

typedef struct una_twins {
    una_problem plain, scaled;
    double     *scale;                   /* NULL: there is no scaled one                                    */
    una_held    plain_rows, scaled_rows; /* in float, where trainings share them                            */
} una_twins;

/* relevance: learn the scale. It is kept, and told in the result. */
una_status una_twins_take(una_twins *twins, const una_problem *problem, bool relevance, una_fit_result *result,
                          una_arena *keep, una_run *run);
/* The scaled twin of the plain one by a scale [inputs] that lasts as long; none, if that is 1 throughout. */
una_status una_twins_scale(una_twins *twins, double *scale, una_run *run);
/* Of several targets: `whole` has all of them, own [outputs] each by itself. The scale, common to all because features
 * are, is the quadratic mean of the targets'; each result is told its own. */
una_status una_twins_take_several(una_twins *whole, una_twins *own, const una_problem *problem, bool relevance,
                                  una_fit_result *const *result, una_arena *keep, una_run *run);
/* Rows in float that all trainings of a twin share: without folds they all have the same. */
una_status una_twins_share(una_twins *twins, bool plain, bool scaled, una_run *run);
const una_problem *una_twin(const una_twins *twins, bool scaled);

/* ---- seats: trainings, and what they say of rows they have not seen ---------------------------------------------- */

typedef struct una_seat {
    una_arena arena;
    void     *state, *options;
    una_fit_result result;
    size_t    round, number;             /* number: of its random numbers                                   */
    bool      scaled;
    const unsigned char *part;           /* [rows] the rows with `leaves` are left out; NULL: the held-out ones */
    unsigned char leaves;
    size_t    block;                     /* of rows that it speaks of: regions are told apart               */
    size_t    held;
    double   *mean, *var;                /* [held]                                                          */
} una_seat;

typedef struct una_committee {
    const una_kind *one;
    const void     *options;             /* as they were given                                              */
    const una_twins *twins;
    una_seat       *seat;
    size_t          count;
    double          steps_share;         /* of the steps that the options say                               */
    double          noise_var, prior_var;        /* for judging again                                       */
    const una_noise *noise;              /* by whose shape rows then count, the ones left out not having taught it;
                                            NULL: each once                                                 */
    struct una_committee *of;            /* [targets] of several: those of each target, whose seats this one's train;
                                            NULL: it is one target's                                        */
    size_t          targets;
} una_committee;

static inline size_t una_committee_targets(const una_committee *c)
{
    return c->of ? c->targets : 1;
}

static inline una_committee *una_committee_of(una_committee *c, size_t target)
{
    return c->of ? &c->of[target] : c;
}

/* The rows of a seat: those that train are x, those that it leaves out are valid_x. */
una_status una_seat_rows(una_problem *problem, const una_committee *c, const una_seat *seat, una_arena *arena);
/* The same, to be weighed by the committee's noise. */
una_status una_seat_rows_weighed(una_problem *problem, const una_committee *c, const una_seat *seat, una_run *run);
/* Jobs over the seats of a una_committee: to train, and to foretell the rows that were left out; to foretell the same
 * rows by a posterior with the committee's noise and prior variance. */
una_status una_seat_train(void *committee, size_t index, una_run *run);
una_status una_seat_foretell_again(void *committee, size_t index, una_run *run);

/* What all seats have said, by rounds. */
void       una_committee_gather(una_said *said, const una_committee *c);
/* All seats foretell again, with another prior variance. */
una_status una_committee_say_again(una_said *said, una_committee *c, double prior_var, una_run *run);

/* ---- posteriors of all rows -------------------------------------------------------------------------------------- */

/* All rows of a twin: those held out, which stand behind the others, too if they join. */
void       una_all_rows(una_problem *problem, const una_problem *twin);
/* How often each row counts, by the shape of the noise; NULL: once. From scratch. */
una_status una_row_weights(const double **weight, const una_noise *noise, una_view x, una_run *run);

/* Members of equal weight, without states. */
una_status una_members_take(una_members *members, const una_kind *one, size_t count, const una_problem *problem,
                            una_arena *keep);
/* One training with the cross-fitting of its kind: nothing is foretold. anchor: NULL, or of an ensemble. */
una_status una_fit_alone(una_members *members, const una_kind *one, void *options, const una_anchor *anchor,
                         const una_twins *twins, bool scaled, una_fit_result *result, una_arena *keep, una_run *run);

/* The same of several targets at once, own [outputs] and whole as una_twins_take_several has them; all [outputs]. Their
 * heads are one where every cell is there and their variances are alike (together.h). */
una_status una_fit_alone_several(una_members *const *members, const una_kind *one, void *const *options,
                                 const una_twins *whole, const una_twins *own, bool scaled,
                                 una_fit_result *const *result, una_together *together, una_arena *keep, una_run *run);

#endif
