/* SPDX-License-Identifier: MIT
 *
 * The experiment bayesopt in its parts: measures, which its claims (bayesopt_claims.c) and its page (bayesopt_page.c)
 * read as well, and one optimisation.
 */
#pragma once

#include "bayesopt/bayesopt_tasks.h"
#include "bench/experiment.h"
#include "bo/search.h"

/* Steps after which regret is reported; the row of a shorter optimisation has NAN. */
#define UNA_BAYESOPT_STOPS(X)                                                                                        \
    X(0) X(1) X(2) X(3) X(5) X(10) X(15) X(20) X(25) X(30) X(40) X(50) X(60) X(80) X(100) X(120) X(140) X(160) X(180) \
    X(200)

enum { UNA_BAYESOPT_REGRET, UNA_BAYESOPT_TEST, UNA_BAYESOPT_STEP, UNA_BAYESOPT_STEP_MEAN, UNA_BAYESOPT_TRAININGS,
#define STOP_PLACE(n) UNA_BAYESOPT_AT_##n,
       UNA_BAYESOPT_STOPS(STOP_PLACE)
#undef STOP_PLACE
       UNA_BAYESOPT_MEASURES };
enum { UNA_BAYESOPT_FIRST_STOP = UNA_BAYESOPT_AT_0,
       UNA_BAYESOPT_STOP_COUNT = UNA_BAYESOPT_MEASURES - UNA_BAYESOPT_FIRST_STOP };
extern const size_t una_bayesopt_stops[UNA_BAYESOPT_STOP_COUNT];

/* Whether a group is search without a model, which is the floor. */
bool una_bayesopt_is_floor(const char *contestant);

extern const una_claim una_bayesopt_claims[];
una_status una_bayesopt_page(una_page *page);
