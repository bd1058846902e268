/* SPDX-License-Identifier: MIT
 *
 * One result of a search: a spec, fitted on a table, and what it said of rows that it had not seen. It depends on the
 * key alone:
 *
 *   split 0    the rows that the fit itself holds out, as `una fit` tells of them; a kind that holds none out is
 *              fitted once more without a part of the table, and judged by that; or rows given apart
 *   split k    the table is cut at random, the same way for every spec and seed (una_split_random with seed k): fitted
 *              on one part, judged by the other
 *   study "tune(swept="prior_var=1, noise_std=default")": the features are those of a fit with these options as
 *              written there (default: not given), and its posterior was learnt anew, of the same rows, with those of
 *              the spec (una_model_relearn). Then rows given apart stop no training either.
 */
#ifndef UNA_JUDGE_H
#define UNA_JUDGE_H

#include "sweep/key.h"

enum { UNA_JUDGED_LOG_LIK, UNA_JUDGED_RMSE, UNA_JUDGED_COS2, UNA_JUDGED_COUNT };
extern const char *const una_judged[UNA_JUDGED_COUNT];                   /* names of the measures                  */

typedef struct una_court {               /* what keys do not hold; borrowed                                        */
    const una_dataset *const *tables;    /* [count]                                                                */
    const char *const        *names;     /* [count] as the keys' data have them                                    */
    size_t                    count;
    una_fit_settings          fit;       /* without `set`; valid_fraction is the share of a random cut, 0: a fifth */
    bool                      apart;     /* rows given in fit.valid judge, and do nothing else                     */
} una_court;

typedef struct una_judgement {
    double      value[UNA_JUDGED_COUNT]; /* NAN: no number came out, or there is none                              */
    double      seconds;                 /* of the posterior, and its share of the training                        */
    const char *options;                 /* the spec with every option filled in                                   */
} una_judgement;

/* The spec whose features a key's model has. *set: "prior_var=10": of the posterior, "" for as it is; NULL: the model
 * is that of the fit. All in `arena`. */
una_status una_judge_features(const char **features, const char **set, const una_row_key *key, una_arena *arena,
                              una_run *run);
/* Keys [count] of the same data, split, seed and features, by one training; verdicts [count]. *fitted (of keys whose
 * posterior was swept; else NULL): the model that was trained before with these features, or NULL; then it is the one
 * that was trained now, to be freed. Options with which no number comes out are a finding, too: a warning in the log
 * tells why, and that verdict is NAN. */
una_status una_judge_rows(una_judgement *verdicts, const una_court *judge, const una_row_key *const *keys, size_t count,
                          una_model **fitted, una_arena *arena, una_run *run);

#endif
