/* SPDX-License-Identifier: MIT
 *
 * A search for the best options: specs of one or several models, each judged on every table, split and seed, and chosen
 * by a rule. Whoever hunts fills in the first part, begins, adds specs (a grid, draws, or one by one as a search
 * proposes them), has them made, and lets the rule choose. Rows are kept in a store as those of experiments are, so a
 * search that was stopped goes on.
 *
 * Specs of a model that differ in options of the posterior alone (una_over_axis.posterior) share one training.
 */
#ifndef UNA_HUNT_H
#define UNA_HUNT_H

#include "sweep/judge.h"
#include "sweep/over.h"
#include "sweep/select.h"
#include "sweep/worker.h"

typedef struct una_tried {              /* a spec, and what its rows came to                                      */
    size_t         model;
    const char    *spec;
    unsigned       results;
    double         log_lik, log_lik_sd;  /* over tables, splits and seeds; NAN: once there was none; sd of one row */
    double         rmse, rmse_sd, mean_cos2, seconds;
    double         rank;                 /* among the specs of its model: mean over the tables, from 1              */
    una_candidate *in;                   /* [tables] means over splits and seeds                                   */
} una_tried;

typedef struct una_hunt {
    /* what is asked for */
    una_court       judge;               /* tables and fit; names are found by una_hunt_begin                      */
    const una_over *overs;               /* [model_count]                                                          */
    size_t          model_count;
    const char     *name;                /* of the study in keys: "tune"                                           */
    size_t          splits, seeds;       /* splits 0: by the rows that fits hold out themselves; seeds 0: one      */
    const char     *rule;                /* una_select's                                                           */
    bool            refit;               /* train anew for options of the posterior, too                           */
    bool            shelve;              /* keep what was trained, for specs that are yet to come                   */
    una_store      *store;
    const una_ranks *ranks;              /* who makes the rows together; NULL: this process alone                   */
    una_arena      *keep;
    una_make_row   *make;                /* NULL: fits. For tests: another way of making a row                      */
    void           *context;

    /* what there is; seeds are counted from the run's */
    const char *const *study;            /* [model_count]                                                          */
    bool           *swept;               /* [model_count] posteriors without training                              */
    una_plan        specs;               /* a key per spec: its first row                                          */
    una_tried     *at;                  /* [specs.count, room]                                                    */
    size_t          room;
    size_t          made;                /* rows made since it began                                               */
    _Atomic size_t  trained;             /* fits made for them                                                     */
    struct una_shelved *_Atomic shelf;   /* what was trained                                                       */
    _Atomic size_t  shelved;             /* bytes of it                                                            */
} una_hunt;

/* Checks what is asked for and names what keys are made of. Where posteriors are swept, rows that judge must be kept
 * apart: splits becomes 1 if it is 0 and there are no such rows. */
una_status una_hunt_begin(una_hunt *hunt, una_run *run);
/* Frees what was kept beside the arena. */
void       una_hunt_end(una_hunt *hunt, una_run *run);
/* Rows of one spec, and the key of one of them: by table, then split, then seed. */
size_t      una_hunt_rows(const una_hunt *hunt);
una_row_key una_hunt_key(const una_hunt *hunt, size_t index, size_t row, una_run *run);
/* UNA_E_INPUT: the store has rows, but of other studies or none of these tables. */
una_status una_hunt_check_store(const una_hunt *hunt, const char *folder, una_run *run);
/* UNA_E_USAGE: a grid would be more than UNA_MOST_FITS rows, or without end. */
una_status una_hunt_check_grid(const una_hunt *hunt, una_run *run);
una_status una_hunt_check_trials(const una_hunt *hunt, size_t trials, una_run *run);

/* One spec; *index (may be NULL) of it in `at`, which may be that of an earlier one. */
una_status una_hunt_add(size_t *index, una_hunt *hunt, size_t model, const char *const *value, una_run *run);
una_status una_hunt_grid(una_hunt *hunt, size_t model, una_run *run);
/* Up to `trials` different ones; fewer where there seem to be no others. */
una_status una_hunt_draw(una_hunt *hunt, size_t model, size_t trials, una_rng *rng, una_run *run);

/* The rows of specs from..to-1, those of the store and those made now; then the numbers of these specs. */
una_status una_hunt_make(una_hunt *hunt, size_t from, size_t to, una_run *run);

/* The specs of a model by the rule, best first, and their ranks: order [specs], *count of them. On several tables by
 * the mean rank over these, since a scale of one is not that of another; equal ones by their worth. two_stage of a
 * model without mean cos^2 is log_lik. A spec without numbers somewhere stands last, and has no rank. */
una_status una_hunt_order(size_t *order, size_t *count, una_hunt *hunt, size_t model, una_run *run);
/* The best of a model on one table; SIZE_MAX: none has numbers. */
una_status una_hunt_best_in(size_t *best, const una_hunt *hunt, size_t model, size_t table, una_run *run);
/* What a search is to make large: the mean over tables of the rule's first number, of rmse minus its logarithm. */
double     una_hunt_worth(const una_hunt *hunt, size_t index);

#endif
