/* SPDX-License-Identifier: MIT
 *
 * Several fitted models as one mixture: p(y | x) = sum_m w_m p_m(y | x),
 *   mean = sum w_m mu_m,  var_model = sum w_m ((mu_m - mean)^2 + v_m).
 * A member is the state of any kind, evaluated at x times its own scale of each input (relevance.h), and may be a
 * mixture itself. Committees, ensembles and the stack of auto are such mixtures; this file holds all of the model
 * interface but the fit.
 */
#pragma once

#include "committee/noise.h"
#include "infer/tails.h"

enum { UNA_MOST_MEMBERS = 1000, UNA_LEAST_MEMBER = 64 };  /* the second: bytes of one in a file */

typedef struct una_member {
    const una_kind *kind, *calls;        /* calls: those of its state, una_calls(kind) if that is a fitted model, kind
                                            itself if it is one training */
    void   *state;
    double *scale;                       /* [inputs] its inputs are multiplied by; NULL: 1                  */
    double  weight;                      /* of all members they add up to 1                                 */
} una_member;

typedef struct una_members {
    size_t      count, inputs;
    una_member *at;
    double      noise_var;               /* common to all; 0: each member's own                             */
    una_noise  *noise;                   /* its shape over the inputs; NULL: constant. Only where it is common */
    const una_tails *tails;              /* of the common noise, whose variance noise_var is; NULL: Gaussian */
} una_members;

una_status una_members_predict(const void *members, una_view x, una_predictive *out, una_run *run);
/* Parts of all members, times those of the noise; 0 where there is one member, and it is one Gaussian. */
size_t     una_members_mixture(const void *members);
/* All members or none; rows count as the shape of the noise says, and under heavy tails as their errors say under the
 * mixture before the call. The evidence is the weighted mean of theirs. */
una_status una_members_observe(void *members, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run);
/* Every member gets the factor, and the noise that is common. After a failure some have it (una_spare). In adapt.c. */
una_status una_members_rescale(void *members, double factor, una_fit_result *result, una_arena *keep, una_run *run);
/* A member at random by its weight, then a function of it: drawn, or its mean where it cannot draw. */
una_status una_members_draw(const void *members, una_view x, const una_drawing *how, double *f, una_run *run);
/* One member: its own functions; else the members' means. */
una_status una_members_functions(const void *members, una_view x, size_t *count, double *f, una_run *run);
una_status una_members_slope(const void *members, const double *x, una_slope *at, una_run *run);
/* The parts of all members, weighted by both; a member that is one Gaussian is one part, with its own var_model. Where
 * no member has any (nn), their disagreement is the only variance, and the mixture is one Gaussian with it. */
size_t     una_members_part_count(const void *members);
una_status una_members_parts(const void *members, una_view x, const una_gaussians *out, una_run *run);
/* A member at random by its weight, then a function of it. */
una_status una_members_sample(void *function, const void *members, una_rng *rng, una_arena *keep, una_run *run);
una_status una_members_holds(const void *members, una_view x, const double *y, bool *held, una_run *run);
/* The leaves of all members, in their order. */
una_status una_members_leaves(const void *members, una_view x, double weight, una_leaf_task *task, void *context,
                              una_run *run);
/* ar->kind: the kind of all members, each one training; NULL: each names its own kind and is a fitted model. A file
 * from before there were members holds one state of the kind and nothing else. */
una_status una_members_exchange(void *members, una_archive *ar);

/* In the table of what is made of members: the calls that need nothing else. */
#define UNA_MEMBERS_CALLS                                                                                            \
    .state_size = sizeof(una_members), .predict = una_members_predict, .mixture = una_members_mixture,               \
    .part_count = una_members_part_count, .parts = una_members_parts, .sample = una_members_sample,                  \
    .leaves = una_members_leaves, .observe = una_members_observe, .rescale = una_members_rescale,                      \
    .draw = una_members_draw, .slope = una_members_slope, .functions = una_members_functions

/* Weights relative to the largest, [members], and their sum; from scratch. */
typedef struct una_shares { double *of, sum; } una_shares;
una_status una_members_shares(una_shares *shares, const una_members *members, una_run *run);
/* The seed of a member; the first has the mixture's: a mixture of one is its member. */
uint64_t   una_member_seed(uint64_t seed, size_t member);
/* x times scale; x itself where scale is NULL. From scratch. */
una_status una_scaled(una_view *scaled, una_view x, const double *scale, una_run *run);
/* Tails with so many degrees of freedom, in `keep`; NULL in *tails for HUGE_VAL. */
una_status una_tails_new(const una_tails **tails, double freedom, una_arena *keep);
