/* SPDX-License-Identifier: MIT
 *
 * una_study: decisions that rest on uncertainty. A study looks for the least (or largest) value of something expensive:
 * it is asked which point to try, told what came out, and keeps everything in one file or one database, safe from the
 * moment a call returns. Besides: where to measure next so that a model learns most, and which options of a model are
 * best. The library libuna_study; libuna_bench brings it along. Conventions are those of una.h; a study is used by one
 * thread at a time and by the process that opened it (a child made by fork opens it for itself), and any number of
 * processes may have the same one open.
 *
 *   una_study_new(&study, "coffee.study", &settings, run);
 *   while (...) {
 *       una_study_ask(&trials, study, 1, run);
 *       una_study_tell(study, trials->at[0].id, taste(trials->at[0].x), run);
 *   }
 */
#ifndef UNA_STUDY_H
#define UNA_STUDY_H

#include "una.h"

UNA_BEGIN_DECLS

const char *una_study_build_info(void);        /* one line per dependency built in, and whether it is here          */

/* ---- studies -------------------------------------------------------------------------------------- */

typedef struct una_study una_study;

typedef struct una_study_settings {
    size_t      size;
    const char *space;                         /* JSON: {"x1": {"type": "real", "low": 0, "high": 1}, ...}          */
    const char *origin;                        /* where that came from, for messages; NULL = "the space"            */
    const char *model;                         /* surrogate, a spec; NULL = "gp". A bare name stands for options that
                                                  suit optimisation; una_study_text "model" tells which             */
    const char *acquisition;                   /* "log_ei", "ucb(beta=2)", "thompson", "random" ...; NULL = "log_ei" */
    int         maximize;                      /* 1: the largest value is wanted                                    */
    uint64_t    seed;
    size_t      initial;                       /* points before the model is asked; 0 = twice the inputs, 4 to 20   */
    double      lease;                         /* seconds after which a trial that was asked for and never told is
                                                  offered again; 0 = one day                                        */
} una_study_settings;

typedef enum una_trial_state {                 /* texts: "open", "told", "failed"                                   */
    UNA_TRIAL_OPEN = 0, UNA_TRIAL_TOLD = 1, UNA_TRIAL_FAILED = 2
} una_trial_state;

typedef struct una_trial {
    uint64_t        id;                        /* 1, 2, 3 ...                                                       */
    una_trial_state state;
    const double   *x;                         /* [una_study_input_count] in the space's units; of a category the
                                                  number of its level, from 0                                       */
    double          value;                     /* NAN until told                                                    */
    unsigned        attempts;                  /* how often it was given out                                        */
    const char     *note;                      /* why it failed, "imported" ...; "" where there is nothing to say   */
    int64_t         asked, told;               /* seconds since 1970; 0: not yet                                    */
    double          expected, doubt;           /* what the model foretold when it was asked for, and the std of that;
                                                  NAN: it was not asked                                             */
} una_trial;

typedef struct una_trials { const una_trial *at; size_t count; } una_trials;   /* una_trials_free */

/* where: a path, "postgresql://...#NAME" (one database holds many studies, told apart by NAME, "study" if none is
 * given), or NULL for one in memory. _new makes it and refuses one that is there; _open refuses what is no study. */
una_status una_study_new(una_study **study, const char *where, const una_study_settings *settings, una_run *run);
una_status una_study_open(una_study **study, const char *where, una_run *run);
void       una_study_close(una_study *study);            /* NULL is harmless                                        */

/* The space. Names of fixed inputs are among them; their value is always the same. */
size_t      una_study_input_count(const una_study *study);
const char *una_study_input_name(const una_study *study, size_t input);
/* The value of an input as people write it: "0.25", "3", "steel". Lives as long as run. NULL: there is no such input,
 * or no memory. */
const char *una_study_input_text(const una_study *study, size_t input, double x, una_run *run);
/* "space" (JSON), "model" (a spec), "acquisition", "goal" ("minimize"), "seed", "lease", "where"; NULL: no such thing.
 * Lives as long as the study. */
const char *una_study_text(const una_study *study, const char *what);

/* `count` trials to be carried out, now open and ours until told, failed, or out of lease. Those whose lease has ended
 * come first. The same told and open trials and the same seed give the same points. Fewer, but at least one, where a
 * finite space has no more points. */
una_status una_study_ask(una_trials **trials, una_study *study, size_t count, una_run *run);
/* What came out. UNA_E_INPUT: there is no such trial, it was told before (the same value again is no error), or the
 * value is not a finite number. When it returns UNA_OK, the value is on the disk. */
una_status una_study_tell(una_study *study, uint64_t id, double value, una_run *run);
/* It gave no value; the search keeps away from there. */
una_status una_study_fail(una_study *study, uint64_t id, const char *why, una_run *run);
/* Gives a trial back without a result: it is offered again at once. */
una_status una_study_drop(una_study *study, uint64_t id, una_run *run);
/* A sign of life: the lease of these open trials of ours begins anew. */
una_status una_study_renew(una_study *study, const uint64_t *id, size_t count, una_run *run);
/* A trial made elsewhere, x as in una_trial, state told or failed. */
una_status una_study_add(una_study *study, const double *x, double value, const char *note, una_run *run);

una_status una_study_trials(una_trials **trials, una_study *study, una_run *run);        /* all, by id              */
una_status una_study_best(una_trials **best, una_study *study, una_run *run);            /* one, or none            */
void       una_trials_free(una_trials *trials);

/* What the model says along one input through the best trial: at [count] its values, mean and std of the function. */
una_status una_study_slice(una_study *study, size_t input, size_t count, double *at, double *mean, double *std,
                           una_run *run);

/* CSV (id, state, inputs by name, value, ...) and back: columns by name; "value" empty or "nan" with state "failed".
 * Rows that are there already (same inputs and value) are passed over. All or nothing. */
una_status una_study_export_csv(size_t *rows, una_study *study, const char *path, una_run *run);
una_status una_study_export_json(size_t *rows, una_study *study, const char *path, una_run *run);
una_status una_study_import_csv(size_t *rows, size_t *added, una_study *study, const char *path, const char *value,
                                una_run *run);
/* A page with the table, progress, parallel coordinates and slices; or the charts alone (SVG, PDF, PNG by name). */
una_status una_study_page(una_study *study, const char *path, una_run *run);
una_status una_study_chart(una_study *study, const char *path, una_run *run);

/* ---- commands as experiments ---------------------------------------------------------------------------- */

typedef struct una_study_command {
    size_t             size;
    const char *const *words;                  /* [count] program and arguments; {name} stands for an input's value,
                                                  {id} for the trial's number. As a whole word any value; within one
                                                  only levels of A-Z a-z 0-9 _ . + -: UNA_E_USAGE names another      */
    size_t             count;
    size_t             workers;                /* at the same time; 0 = 1                                           */
    size_t             trials;                 /* end after so many told or failed, or when all of a finite space has
                                                  been tried; 0: go on until cancelled                              */
    double             timeout;                /* seconds for one; 0: none                                          */
    unsigned           retries;                /* how often a failed one is tried again at once                     */
    void             (*report)(void *context, const una_trial *trial, const char *sentence);  /* each one that ends */
    void              *context;
} una_study_command;

/* The value is the last word of the last line that the command prints, a number. Any other end (a status that is not
 * 0, a signal, no number, the timeout) is a failure of that trial, with a note that says which. Commands that run when
 * the call is cancelled are ended, and their trials given back. done: how many ended here. */
una_status una_study_run(size_t *done, una_study *study, const una_study_command *command, una_run *run);

/* ---- where to measure next ------------------------------------------------------------------------------ */

typedef struct una_advice {                    /* rows in the order in which they are best measured                 */
    size_t             count;
    const una_dataset *table;                  /* those rows: all columns of the pool; without one the model's inputs */
    const size_t      *row;                    /* [count] of the pool, from 0; NULL: there is none                  */
    const double      *std;                    /* [count] ignorance there, had the rows before it been measured     */
    const double      *before, *after;         /* [count] root mean square ignorance over the region, exactly, had the
                                                  rows before it, or it too, been measured                          */
    size_t             region;                 /* rows, at most 1,000, over which that is                           */
} una_advice;

/* The `count` rows of `pool` whose measurement makes the model's ignorance over the rows of `data` (NULL: of the pool)
 * fall most; greedily, with exact updates. pool NULL: points inside the ranges of `data`, the rows that the model was
 * fitted on or others like them (NULL: within two standard deviations of the training rows' mean), and ignorance over
 * all of these ranges counts. A value that is not known yet is taken for the model's mean: what one Gaussian does not
 * know afterwards does not depend on it. Of more than 64 rows the most promising ones are judged. Models without an
 * exact update: UNA_E_USAGE. */
una_status una_suggest(una_advice **advice, const una_model *model, const una_dataset *pool, const una_dataset *data,
                       size_t count, una_run *run);
/* CSV: rank, with a pool row (una_dataset_row_number), the columns of the table, std_epistemic, before, after. */
una_status una_advice_write(const una_advice *advice, const char *path, una_run *run);
void       una_advice_free(una_advice *advice);

/* ---- options of a model ----------------------------------------------------------------------------------- */

typedef struct una_tune_settings {
    size_t             size;
    const char        *model;                  /* a spec: what is not varied stays as it has it                     */
    const char        *over;                   /* "penalty=1e-5:1e-1:log5, width=25|50|100"; of several models
                                                  "penalty=1|2; luna: diversity=0.1:10:log5": what names no model is
                                                  for all that have such an option                                  */
    const char        *search;                 /* "grid", "random", "bayes"; NULL = "grid"                          */
    size_t             trials;                 /* of a model, random and bayes; 0 = 20                              */
    const char        *out;                    /* folder where results are kept, so that it goes on; NULL: nowhere  */
    una_fit_settings   fit;                    /* target, held-out rows ...; size 0: defaults                       */
    const char *const *models;                 /* [model_count] several of them, instead of `model`                 */
    size_t             model_count;
    const una_dataset *const *more;            /* [more_count] data sets besides the first                          */
    size_t             more_count;
    size_t             splits;                 /* so many random splits, each a share (fit.valid_fraction, 0 = 0.2) of
                                                  the rows that judges; 0: by the rows that fits hold out           */
    size_t             seeds;                  /* from the run's on; 0 = 1                                          */
    const char        *select;                 /* "log_lik" (highest), "rmse" (lowest), "two_stage" (of the tenth with
                                                  the highest log_lik the lowest mean cos^2; without heads log_lik);
                                                  NULL = "log_lik". On several data sets by the mean rank over them */
    int                refit;                  /* 1: train for every prior_var and noise_std. 0: train once, with these
                                                  as `model` has them, and learn the posterior anew for each, which
                                                  needs a split: one if none was asked for                          */
} una_tune_settings;

typedef struct una_tuned {
    size_t             count;                  /* specs tried: models one after the other, in each the best first   */
    const char *const *spec;
    const double      *log_lik, *rmse, *seconds;         /* [count] on held-out rows: means over data sets, splits and
                                                  seeds; NAN: once no number came out                               */
    size_t             made;                   /* results of this call; the others were there                       */
    const double      *log_lik_sd, *rmse_sd;   /* [count] over the same; NAN of a single one                        */
    const double      *mean_cos2;              /* [count] NAN without heads                                         */
    const double      *rank;                   /* [count] among the specs of the model, mean over data sets, from 1;
                                                  NAN: it has none, for a number is missing                         */
    const size_t      *model;                  /* [count] which of the models                                       */
    size_t             model_count;
    const size_t      *best;                   /* [model_count] which spec; SIZE_MAX: none has numbers              */
    size_t             table_count;            /* data sets                                                         */
    const char *const *table;                  /* [table_count] "measurements.csv strength"                         */
    const size_t      *best_in;                /* [model_count, table_count] which spec; SIZE_MAX: none             */
    const double      *table_log_lik, *table_rmse;       /* [count, table_count]                                    */
    size_t             rows, splits, seeds;    /* results behind each spec; splits 0: rows that fits held out       */
    size_t             trained;                /* fits of this call; fewer than made where posteriors are learnt anew */
} una_tuned;

una_status una_tune(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings, una_run *run);
void       una_tuned_free(una_tuned *tuned);

/* ---- which model suits a table ------------------------------------------------------------------------------ */

typedef struct una_compare_settings {
    size_t             size;
    const char *const *models;                 /* [model_count] specs. "mean" is the baseline, the mean and standard
                                                  deviation of the training rows: it is compared in any case        */
    size_t             model_count;            /* 0 = auto, gp, linear, nlm, mcd                                    */
    size_t             folds, repeats;         /* 0 = 5, 1: other folds each time                                   */
    const char        *group;                  /* a column: rows of a group stay in one fold; models do not see it  */
    const char        *time;                   /* a column: rows train for those that come after them               */
    const char        *select;                 /* what is best: "log_lik" (highest), "rmse" or "crps" (lowest); NULL =
                                                  "log_lik"                                                         */
    const char        *out;                    /* folder where results are kept, so that it goes on; NULL: nowhere  */
    una_fit_settings   fit;                    /* target, missing ...; size 0: defaults. An option that is set goes to
                                                  all models that have it. Rows to validate on, and several targets,
                                                  are UNA_E_USAGE                                                   */
} una_compare_settings;

typedef struct una_compared_number {           /* one measure of rows that were not seen                            */
    double        mean, error;                 /* over the folds, and the standard error of that, which allows for the
                                                  training rows that folds share; NAN: once no number came out      */
    double        difference, low, high;       /* mean over the folds of this model's less the best one's, and its 95 %
                                                  interval; NAN of the best                                         */
    const double *fold;                        /* [folds] repeat by repeat                                          */
} una_compared_number;

typedef struct una_compared_model {
    const char          *spec;
    una_compared_number  log_lik, rmse, crps, coverage_95;       /* log_lik and crps: means per row                 */
    double               seconds;              /* of one fit                                                        */
    int                  worse;                /* than the best, by what chose it: 1: its interval says so, 0: it cannot
                                                  be told, -1: this is the best                                     */
} una_compared_model;

typedef struct una_compared {
    const char               *sentence;        /* which is best, which cannot be told from it                       */
    size_t                    count;
    const una_compared_model *model;           /* [count] the best first, the baseline among them                   */
    const char               *target, *select;
    size_t                    rows, folds;     /* folds of all repeats                                              */
    size_t                    repeats, groups; /* groups 0: there is no such column                                 */
    size_t                    made, fits;      /* fits of this call, and all                                        */
    const char               *table;           /* path of the CSV file with a line per fit; NULL: nothing is kept   */
} una_compared;

/* Cross-validation, with the same folds for every model (docs/use/COMPARE.md). With the run's ranks every rank makes
 * this call. UNA_E_INPUT: the folder holds a comparison of other rows, or with other settings; other models, and more
 * repeats, may join. */
una_status una_compare(una_compared **compared, const una_dataset *data, const una_compare_settings *settings,
                       una_run *run);
/* One page with sentence, tables and pictures; the pictures alone (SVG, PDF, PNG by name). Whole or not at all. */
una_status una_compare_page(const una_compared *compared, const char *path, una_run *run);
una_status una_compare_chart(const una_compared *compared, const char *path, una_run *run);
void       una_compared_free(una_compared *compared);

UNA_END_DECLS

#endif
