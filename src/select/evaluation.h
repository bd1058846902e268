/* SPDX-License-Identifier: MIT
 *
 * An evaluation: a spec is fitted on a table and scored on rows that did not train it. The result depends on the key
 * alone:
 *
 *   split 0    the rows that the fit itself holds out, as `una fit` reports them; a kind that holds none out is
 *              fitted once more without a part of the table and scored on that part; or rows given apart
 *   split k    the table is cut at random, the same way for every spec and seed (una_split_random with seed k): fitted
 *              on one part, scored on the other
 *   study "tune(swept="prior_var=1, noise_std=default")": the features are those of a fit with these options as
 *              written there (default: not given), and its posterior is computed again from the same rows with the
 *              options of the spec (una_model_relearn). Then rows given apart do not stop the training either.
 */
#pragma once

#include "store/worker.h"

enum { UNA_EVALUATION_LOG_LIK, UNA_EVALUATION_RMSE, UNA_EVALUATION_COS2, UNA_EVALUATION_COUNT };
extern const char *const una_evaluation_measures[UNA_EVALUATION_COUNT];  /* names of the measures                  */

typedef struct una_evaluation_setup {    /* what the key does not hold; borrowed                                   */
    const una_dataset *const *tables;    /* [count]                                                                */
    const char              **names;     /* [count] as in the `data` of keys                                       */
    size_t                    count;
    una_fit_settings          fit;       /* without `set`; valid_fraction: the share of the test part of a cut, 0: a
                                            fifth */
    bool                      test_only; /* rows given in fit.valid are test rows and nothing else                 */
} una_evaluation_setup;

typedef struct una_evaluation {
    double      value[UNA_EVALUATION_COUNT]; /* NAN: the fit gave no number, or there is no such number            */
    double      seconds;                 /* of the posterior, and this key's share of the training                 */
    const char *options;                 /* the spec with every option filled in                                   */
} una_evaluation;

/* The place of a kind of that name; una_kind_count(): there is none. */
size_t una_kind_at(const char *name);
/* Whether una_model_relearn can compute new posteriors of a kind. */
static inline bool una_kind_has_posteriors(const char *kind) { return una_kind_relearns(una_kind_at(kind)); }
/* una_fit, to a model that ends with the run's scratch memory (model/above.h has more of this): that of a measure is
 * given back after it, also after a failure, that of a page by its caller. */
una_status una_held_fit(una_model **model, const char *spec, const una_dataset *data, const una_fit_settings *settings,
                        una_run *run);
/* Some rows of a table, which end so too. */
una_status una_held_part(una_dataset **part, const una_dataset *data, const size_t *index, size_t count, una_run *run);
/* Options and seconds of the model, into the outcome. */
una_status una_outcome_take(una_outcome *outcome, const una_model *model);
/* A model with its features and another posterior, from rows of these and with options such as "prior_var=10"; it lasts
 * as long as the scratch memory. */
una_status una_posterior_with(una_model **other, const una_model *model, const una_dataset *rows, const char *set,
                              una_run *run);
/* The spec that the features of a key are trained with. *set: options of the posterior such as "prior_var=10", "" where
 * it stays as trained; NULL: the model is a plain fit. Texts live in `arena`. */
una_status una_evaluation_features(const char **features, const char **set, const una_row_key *key, una_arena *arena,
                                   una_run *run);
typedef struct una_evaluations {         /* of keys with the same data, split, seed and features: one training      */
    una_evaluation    *value;            /* [count] out                                                             */
    const una_evaluation_setup *setup;
    const una_row_key **keys;            /* [count]                                                                 */
    size_t             count;
    una_model         *fitted;           /* in: a model with these features that was trained before, or NULL; out: the
                                            model, which the caller frees, also after a failure                     */
    una_arena         *arena;            /* of the results                                                          */
    una_run           *run;
    const una_dataset *train, *test;     /* found here                                                              */
} una_evaluations;

/* A numerical failure is a result too: a warning in the log gives the reason, and the evaluation is NAN. */
una_status una_evaluate_keys(una_evaluations *evaluations);
