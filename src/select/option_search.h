/* SPDX-License-Identifier: MIT
 *
 * A search for the best options: specs of one or several models are evaluated on every table, split and seed, and a
 * rule chooses among them. The caller fills in the first part of the struct, begins, adds specs (a grid, draws, or one
 * by one as a search proposes them), has their rows made, and asks for the order. Rows are kept in a store, so a
 * search that was stopped can go on.
 *
 * Specs of a model that differ only in options of the posterior (una_option_axis.posterior) share one training.
 */
#pragma once

#include "select/evaluation.h"
#include "select/kept.h"
#include "select/option_space.h"
#include "select/select.h"

typedef struct una_scored_spec {        /* a spec and the means of its rows                                       */
    size_t         model;
    const char    *spec;
    const char    *features;             /* the spec that its features are trained with; NULL: all is fitted       */
    unsigned       results;
    double         log_lik, log_lik_sd;  /* means over tables, splits and seeds; NAN: a row has no number; sd of
                                            single rows */
    double         rmse, rmse_sd, mean_cos2, seconds;
    double         rank;                 /* rank among the specs of its model, from 1: mean over the tables         */
    una_candidate *per_table;            /* [tables] means over splits and seeds                                   */
} una_scored_spec;

typedef struct una_option_search {
    /* filled in by the caller */
    una_kept_rows   kept;                /* its name is that of the study in the keys: "tune"                      */
    una_evaluation_setup setup;          /* tables and fit; una_option_search_begin finds the names                */
    const una_option_space *spaces;      /* [model_count]                                                          */
    size_t          model_count;
    size_t          splits, seeds;       /* splits 0: score on the rows that fits hold out; seeds 0: one           */
    const char     *rule;                /* una_select's                                                           */
    bool            refit;               /* train again for options of the posterior, too                          */
    bool            keep_trained;        /* keep trained models for specs that are added later                      */
    una_make_row   *make;                /* NULL: fit the spec; tests replace it                                    */
    void           *context;

    /* state of the search; seeds count from the run's */
    const char    **study;               /* [model_count]                                                          */
    bool           *swept;               /* [model_count] posteriors are swept without training                    */
    una_plan        specs;               /* the key of the first row of each spec                                  */
    una_scored_spec *specs_scored;       /* [specs.count, room]                                                    */
    size_t          room;
    size_t          made;                /* rows made since the begin                                              */
    _Atomic size_t  trained;             /* fits made for these rows                                               */
    struct una_trained_model *_Atomic trained_models; /* list of kept models                                       */
    _Atomic size_t  trained_bytes;       /* bytes of them                                                          */
} una_option_search;

/* Checks the request and makes the names in keys. Sweeping posteriors needs separate test rows: if there are none and
 * splits is 0, it becomes 1. trials: of each model; 0: the grids, which must be finite. At most UNA_MOST_FITS rows. */
una_status una_option_search_begin(una_option_search *search, size_t trials);
/* Frees the trained models. */
void       una_option_search_end(una_option_search *search);
/* The number of rows of a spec; the key of one of them, by table, then split, then seed. */
size_t      una_option_search_row_count(const una_option_search *search);
una_row_key una_option_search_key(const una_option_search *search, size_t index, size_t row);
/* UNA_E_INPUT: the store has rows of other studies, or none of these tables. */
una_status una_option_search_check_store(const una_option_search *search, const char *folder);

/* Adds one spec. *index (may be NULL): its place in specs_scored, where the same spec may be already. */
una_status una_option_search_add(size_t *index, una_option_search *search, size_t model, const char *const *value);
una_status una_option_search_add_grid(una_option_search *search, size_t model);
/* Adds up to `trials` different random specs; fewer where no others are found. value [axes]: the last one that was
 * drawn, whose place is *index (may be NULL). */
una_status una_option_search_add_random(size_t *index, una_option_search *search, size_t model, size_t trials,
                                        una_rng *rng, const char **value);

/* Makes the missing rows of specs from .. to-1, then computes the means of these specs. */
una_status una_option_search_fit_rows(una_option_search *search, size_t from, size_t to);

/* The specs of a model in the order of the rule, best first, and their ranks: order [specs], *count of them. Several
 * tables: by the mean rank over the tables, because their scales differ; ties by the objective. two_stage is log_lik
 * for a model without mean cos^2. A spec that lacks a number on some table comes last and has no rank. best_in
 * [tables]: the best one on each table by itself; SIZE_MAX: none has numbers. In scratch. */
una_status una_option_search_order(size_t *order, size_t *count, size_t *best_in, una_option_search *search,
                                   size_t model);
/* What a search maximises: the mean over tables of the rule's first number; for rmse, minus its logarithm. */
double     una_option_search_objective(const una_option_search *search, size_t index);
