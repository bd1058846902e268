/* SPDX-License-Identifier: MIT
 *
 * Every trained kind as a committee: several trainings, each of which leaves out other rows, kept as one mixture.
 *   folds      (below 100,000 rows) member i leaves out fold i % folds, in repeat i / folds: all rows train something,
 *              and in every repeat one member predicts each row out of fold;
 *   held out   (otherwise) all members leave out the same rows; every member is a repeat of its own.
 * Repeats differ by their random numbers, by whether inputs are scaled by relevance, and by what the kind varies.
 * Out-of-fold predictions choose the weights of the repeats (stacking), the noise and its shape over the inputs;
 * regions left out of further trainings choose the prior scale (regions.h). Then every posterior takes in all rows.
 * Kinds with fixed features (gp, linear, tuna) have one posterior, which predicts each fold without its rows. Several
 * targets share the features, where the kind can do that; everything after the trainings is done for each target, but
 * that they share the members' weights where every row has every target, and one linear head where besides no noise
 * varies and one ratio of prior to noise variance does for all.
 * Source: Yao, Vehtari, Simpson and Gelman, Using stacking to average Bayesian predictive distributions, 2018.
 */
#pragma once

#include "committee/members.h"
#include "train/option_rows.h"

enum { UNA_RELEVANCE_AUTO, UNA_RELEVANCE_ON, UNA_RELEVANCE_OFF };
enum { UNA_NOISE_AUTO, UNA_NOISE_CONSTANT, UNA_NOISE_VARYING };
enum { UNA_WEIGHTS_STACKED, UNA_WEIGHTS_EQUAL };

/* Rows of the option table of a kind that is kept as a committee. Where it lacks one: one member, constant noise, no
 * relevance. */
#define UNA_ROW_RELEVANCE(relevance_text) \
    UNA_COMMON_ROW(relevance, UNA_WORD, relevance_text, 0, 0, false, "auto|on|off", \
                   "scale inputs by how fast the target changes with each (estimated by a Gaussian process); auto = " \
                   "for half of the members, below 2000 rows")
#define UNA_ROW_NOISE_SHAPE \
    UNA_COMMON_ROW(noise, UNA_WORD, "auto", 0, 0, false, "auto|constant|varying", \
                   "noise that varies with the inputs; auto = where held-out rows show it and noise_std is not given")
#define UNA_ROW_TAILS \
    UNA_COMMON_ROW(tails, UNA_REAL, "auto", UNA_LEAST_OUTLIERS, 1e9, true, "inf", \
                   "how heavy the tails of the noise are: degrees of freedom of Student's t; inf = Gaussian; below 1 = " \
                   "Gaussian but for such a share of outliers; auto = what held-out rows show (3, 4, 6, 10, 30, inf, " \
                   "0.01, 0.03 or 0.1), inf where noise_std or noise=constant is given")
#define UNA_COMMITTEE_TABLE(members_text, relevance_text) \
    UNA_COMMON_ROW(members, UNA_COUNT, members_text, 1, UNA_MOST_MEMBERS, true, NULL, \
                   "trainings kept as one mixture, each leaving out other rows; auto = by rule from the rows"), \
    UNA_COMMON_ROW(weights, UNA_WORD, "stacked", 0, 0, false, "stacked|equal", \
                   "weights of the members: by the likelihood of their out-of-fold predictions, or equal"), \
    UNA_ROW_RELEVANCE(relevance_text), \
    UNA_ROW_NOISE_SHAPE

/* What a kind is kept as: the calls that a committee of its trainings answers (members.h), fit and relearn. */
extern const una_kind una_committee_calls;

/* f->kind: the kind of one training. */
una_status una_committee_fit(una_fitting *f);
/* Relearns the posteriors of all members. Noise and prior variance that are automatic are chosen by each member's
 * evidence, then their means are used by all. The noise is constant. */
una_status una_committee_relearn(una_fitting *f);
