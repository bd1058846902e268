/* SPDX-License-Identifier: MIT
 *
 * The steps of the default algorithm that have files of their own; committee.c calls them in this order. Each does it for
 * every target.
 */
#pragma once

#include "committee/heavy.h"
#include "committee/member_fits.h"

/* ---- fixed_features.c: kinds whose features have not seen the target (gp, linear, tuna) --------------------------- */

/* One posterior of all rows, which predicts each fold without the fold's rows. The noise varies where out-of-fold
 * predictions show it. A given noise_std applies at the end: the shape is learnt as if it were not given. For a kind with
 * `search`, lengths are chosen under the shape too, where that makes out-of-fold rows likelier. */
una_status una_fixed_features_fit(una_fitting *f);

/* ---- choices.c: what out-of-fold predictions decide ---------------------------------------------------------------- */

/* Room for the members' out-of-fold predictions, and what they predicted, of one target. */
una_status una_oof_of_members(una_committee *c);
/* Weights of the repeats, of each target, or the same for all of them; and a first noise. */
una_status una_choose_weights(una_committee *c);
/* With the prior variance: noise and shape; then what several targets have in common, notes in the result say which. */
una_status una_choose_noise(una_committee *c);

/* ---- heavy_members.c: noise with heavy tails ----------------------------------------------------------------------- */

/* Whether tails may be looked for: where the kind's posteriors can be relearnt and the options say so. */
bool       una_heavy_may_be(const una_fitting *f, const una_common_options *o);
/* UNA_E_USAGE where tails are given that cannot be had. */
una_status una_heavy_check(const una_fitting *f, const una_common_options *o, bool one_training);
/* Of one target, before the weights of the members: where out-of-fold rows show heavy tails, all that follows is done
 * under t with UNA_FIRST_FREEDOM. */
una_status una_heavy_begin(una_committee *c);
/* Whether large errors have taught the features: *train_y is set for the trainings that replace these. */
una_status una_heavy_cut(bool *again, una_committee *c);
/* Of one target, after the shape of the noise: the degrees of freedom, and predictions by rows that count by their
 * errors; or no tails. A shape that these replace is dropped. */
una_status una_heavy_settle(una_committee *c);
/* Whether a target ends without the tails that it began with: everything since the trainings is undone, to be done again
 * without them. */
bool       una_heavy_undo(una_committee *c);
/* What the result and the options say of it. */
void       una_heavy_report(una_fit_result *result, una_common_options *o, const una_tails *tails,
                            const una_problem *problem);

/* ---- prior_scale.c: the prior variance, which alone decides how wide bands are away from the data ------------------ */

/* Whether regions choose it: an automatic prior variance, of a head that can be relearnt, and enough rows, not too many. */
bool       una_prior_scale_is_wanted(const una_committee *members);
/* As given; or by further trainings that leave out whole regions, whose rows then choose it (regions.h). */
una_status una_choose_prior_scale(una_committee *members);

/* ---- region_predictions.c: what is predicted of the regions, where a stack asks for it ------------------------------- */

/* Keeps what the region fits predict, under the prior variance that was chosen, for una_report_regions. */
una_status una_keep_region_oof(una_committee *members, una_committee *region_fits, una_run *run);
/* The same of the rows at the ends, for una_report_regions. */
una_status una_keep_ends(una_committee *members, const una_oof *ends_oof, const una_regions *regions, una_run *run);
/* Fills in result->regions, with the noise that was chosen, and result->beyond. */
una_status una_report_regions(una_committee *c);
/* The same for a process. */
typedef struct una_region_process {
    const void      *state;              /* its posterior of all rows                                       */
    const void      *given;              /* options as given, where its numbers (lengths, variances) are searched again
                                            without each region; NULL: it keeps those of all rows */
    una_noise  *noise;                   /* its shape; NULL: constant                                       */
    const una_tails *tails;              /* NULL: Gaussian                                                  */
    double           head_noise;         /* with tails: s^2 of the posterior                                */
    const double    *weight;             /* with tails: of each row                                         */
} una_region_process;
una_status una_report_regions_without(const una_region_process *of, una_fitting *f);

/* ---- keep_members.c -------------------------------------------------------------------------------------------------- */

/* Scores, and all members with the posterior of all rows. */
una_status una_finish_posteriors(una_committee *c);
