/* SPDX-License-Identifier: MIT
 *
 * Every trained kind as a committee: several trainings, each of which leaves out other rows, kept as one mixture.
 *   folds      (below 100,000 rows) member i leaves out fold i % folds, in repeat i / folds: all rows train something,
 *              and in every repeat one member predicts each row out of fold;
 *   held out   (otherwise) all members leave out the same rows; every member is a repeat of its own.
 * Repeats differ by their random numbers, by whether inputs are scaled by relevance, and by what the kind varies.
 * Out-of-fold predictions choose the weights of the repeats (stacking), the noise and its shape over the inputs;
 * regions left out of further trainings choose the prior scale (regions.h). Then every posterior takes in all rows.
 * Kinds with fixed features (gp, linear, tuna) have one posterior, which predicts each fold without its rows.
 * Source: Yao, Vehtari, Simpson and Gelman, Using stacking to average Bayesian predictive distributions, 2018.
 */
#ifndef UNA_COMMITTEE_H
#define UNA_COMMITTEE_H

#include "committee/members.h"
#include "train/option_rows.h"
#include "committee/oof.h"

enum { UNA_RELEVANCE_AUTO, UNA_RELEVANCE_ON, UNA_RELEVANCE_OFF };
enum { UNA_NOISE_AUTO, UNA_NOISE_CONSTANT, UNA_NOISE_VARYING };
enum { UNA_WEIGHTS_STACKED, UNA_WEIGHTS_EQUAL };

/* Where a kind's table lacks an option: one member, constant noise, no relevance. */
typedef struct una_committee_options {
    double members;
    int    relevance, noise, weights;
} una_committee_options;

/* Rows of the option table for a struct `type` that has a member `committee`, named in una_kind.committee. */
#define UNA_ROW_RELEVANCE(type, relevance_text) \
    UNA_ROW(type, committee, relevance, UNA_WORD, relevance_text, 0, 0, false, "auto|on|off", \
            "scale inputs by how fast the target changes with each (estimated by a Gaussian process); auto = for " \
            "half of the members, below 2000 rows")
#define UNA_ROW_NOISE_SHAPE(type) \
    UNA_ROW(type, committee, noise, UNA_WORD, "auto", 0, 0, false, "auto|constant|varying", \
            "noise that varies with the inputs; auto = where held-out rows show it and noise_std is not given")
#define UNA_COMMITTEE_TABLE(type, members_text, relevance_text) \
    UNA_ROW(type, committee, members, UNA_COUNT, members_text, 1, UNA_MOST_MEMBERS, true, NULL, \
            "trainings kept as one mixture, each leaving out other rows; auto = by rule from the rows"), \
    UNA_ROW(type, committee, weights, UNA_WORD, "stacked", 0, 0, false, "stacked|equal", \
            "weights of the members: by the likelihood of their out-of-fold predictions, or equal"), \
    UNA_ROW_RELEVANCE(type, relevance_text), \
    UNA_ROW_NOISE_SHAPE(type)

/* single: the kind of one training; its options contain the committee's, at offset single->committee. */
una_status una_committee_fit(una_members *members, const una_kind *single, void *options, const una_problem *problem,
                             una_fit_result *result, una_arena *keep, una_run *run);
/* The same for several targets at once, if the kind can do that: members, options, result [outputs]. Features are
 * trained once for all; everything after that is done for each target. Where every row has every target, they share the
 * members' weights; if besides no noise varies and one ratio of prior to noise variance does for all, they share one
 * linear head. */
una_status una_committee_fit_several(una_members *const *members, const una_kind *single, void *const *options,
                                     const una_problem *problem, una_fit_result *const *result,
                                     una_target_coupling *coupling, una_arena *keep, una_run *run);
/* The same for a member of an anchored ensemble: a single training. */
una_status una_committee_fit_anchored(una_members *members, const una_kind *single, void *options,
                                      const una_anchor *anchor, const una_problem *problem, una_fit_result *result,
                                      una_arena *keep, una_run *run);
/* Relearns the posteriors of all members. Noise and prior variance that are automatic are chosen by each member's
 * evidence, then their means are used by all. The noise is constant. */
una_status una_committee_relearn(void *members, void *options, const una_problem *problem, una_fit_result *result,
                                 una_arena *keep, una_run *run);

/* The fit and the files of a committee of the kind `single`, as static functions such as luna_one_members_fit and
 * luna_one_members_exchange for luna_one. */
#define UNA_COMMITTEE_OF(single) \
    static una_status single##_members_fit(void *state, void *options, const una_problem *problem, \
                                           una_fit_result *result, una_arena *keep, una_run *run) \
    { \
        return una_committee_fit(state, &single, options, problem, result, keep, run); \
    } \
    static una_status single##_members_exchange(void *state, una_archive *ar) \
    { \
        return una_members_exchange(state, &single, ar); \
    }
/* And luna_one_members_fit_several. */
#define UNA_COMMITTEE_OF_SEVERAL(single) \
    static una_status single##_members_fit_several(void *const *state, void *const *options, \
                                                   const una_problem *problem, una_fit_result *const *result, \
                                                   una_target_coupling *coupling, una_arena *keep, una_run *run) \
    { \
        return una_committee_fit_several((una_members *const *)state, &single, options, problem, result, coupling, \
                                         keep, run); \
    }

#endif
