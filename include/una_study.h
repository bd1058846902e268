/* SPDX-License-Identifier: MIT
 *
 * libuna_study: decisions based on uncertainty. A study searches for the smallest (or largest) value of something
 * expensive: ask it for a point to try, and tell it the value that came out. It keeps everything in one file or one
 * database, and what a call has written is safe when the call returns. This library also says where to measure next so
 * that a model learns most (una_suggest), which options of a model are best (una_tune), and which model suits a table
 * (una_compare). libuna_bench needs it. Conventions are those of una.h. One thread at a time may use a study, in the
 * process that opened it (a child made by fork must open it again); any number of processes may have the same study
 * open.
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

const char *una_study_build_info(void);        /* one line per dependency built in, and whether it is present       */

/* ---- studies -------------------------------------------------------------------------------------- */

typedef struct una_study una_study;

typedef struct una_study_settings {
    size_t      size;
    const char *space;                         /* JSON: {"x1": {"type": "real", "low": 0, "high": 1}, ...}          */
    const char *origin;                        /* where the JSON came from, for messages; NULL = "the space"        */
    const char *model;                         /* the surrogate, a spec; NULL = "gp". A bare name has options that suit
                                                  optimisation; una_study_text(study, "model") returns them         */
    const char *acquisition;                   /* "log_ei", "ucb(beta=2)", "thompson", "random" ...; NULL = "log_ei" */
    int         maximize;                      /* 1: search for the largest value                                   */
    uint64_t    seed;
    size_t      initial;                       /* points before the model is used; 0 = twice the inputs, 4 to 20    */
    double      lease;                         /* seconds after which an open trial without a value is given out again;
                                                  0 = one day                                                       */
} una_study_settings;

typedef enum una_trial_state {                 /* texts: "open", "told", "failed"                                   */
    UNA_TRIAL_OPEN = 0, UNA_TRIAL_TOLD = 1, UNA_TRIAL_FAILED = 2
} una_trial_state;

typedef struct una_trial {
    uint64_t        id;                        /* 1, 2, 3 ...                                                       */
    una_trial_state state;
    const double   *x;                         /* [una_study_input_count] in the units of the space; for a category the
                                                  number of the level, from 0                                       */
    double          value;                     /* NAN until told                                                    */
    unsigned        attempts;                  /* how often it was given out                                        */
    const char     *note;                      /* why it failed, "imported" ...; "" if there is none                */
    int64_t         asked, told;               /* seconds since 1970; 0: not yet                                    */
    double          expected, doubt;           /* mean and std of the model's prediction when the trial was asked for;
                                                  NAN: the model was not used                                       */
} una_trial;

typedef struct una_trials { const una_trial *at; size_t count; } una_trials;   /* una_trials_free */

/* where: a path; "postgresql://...#NAME" (one database holds many studies, each with its NAME; without #NAME it is
 * "study"); or NULL for a study in memory. _new makes a study and refuses to replace an existing one; _open opens an
 * existing study and refuses anything else. */
una_status una_study_new(una_study **study, const char *where, const una_study_settings *settings, una_run *run);
una_status una_study_open(una_study **study, const char *where, una_run *run);
void       una_study_close(una_study *study);            /* accepts NULL                                            */

/* The inputs of the space, including fixed inputs, whose value is always the same. */
size_t      una_study_input_count(const una_study *study);
const char *una_study_input_name(const una_study *study, size_t input);
/* The value of an input as text: "0.25", "3", "steel". Lives as long as the run. NULL: no such input, or out of
 * memory. */
const char *una_study_input_text(const una_study *study, size_t input, double x, una_run *run);
/* "space" (JSON), "model" (a spec), "acquisition", "goal" ("minimize"), "seed", "lease", "where"; NULL: any other name.
 * Lives as long as the study. */
const char *una_study_text(const una_study *study, const char *what);

/* Gives out `count` trials to carry out. They are open and belong to this process until they are told, failed or
 * dropped, or until their lease ends. Trials whose lease has ended are given out first. The same trials (told and open)
 * and the same seed give the same points. If a finite space has too few points left, *trials has fewer, but at least
 * one. */
una_status una_study_ask(una_trials **trials, una_study *study, size_t count, una_run *run);
/* Tells the value of a trial. UNA_E_INPUT: no such trial, it already has another value (the same value again is no
 * error), or the value is not finite. After UNA_OK the value is on disk. */
una_status una_study_tell(una_study *study, uint64_t id, double value, una_run *run);
/* Says that a trial failed and has no value; the search avoids points near it. */
una_status una_study_fail(una_study *study, uint64_t id, const char *why, una_run *run);
/* Gives a trial back without a result: it can be given out again at once. */
una_status una_study_drop(una_study *study, uint64_t id, una_run *run);
/* Renews the lease of these open trials, which must belong to this process. */
una_status una_study_renew(una_study *study, const uint64_t *id, size_t count, una_run *run);
/* Adds a trial that was made elsewhere; x as in una_trial. A finite value: state told; NAN: failed. */
una_status una_study_add(una_study *study, const double *x, double value, const char *note, una_run *run);

una_status una_study_trials(una_trials **trials, una_study *study, una_run *run);        /* all, by id              */
una_status una_study_best(una_trials **best, una_study *study, una_run *run);            /* one, or none            */
void       una_trials_free(una_trials *trials);

/* The model along one input, through the best trial: at [count] gets values of the input, mean and std [count] those of
 * the function there. */
una_status una_study_slice(una_study *study, size_t input, size_t count, double *at, double *mean, double *std,
                           una_run *run);

/* Trials as CSV (id, state, inputs by name, value, ...) or JSON, and back from CSV, with columns matched by name;
 * "value" is empty or "nan" if the state is "failed". The import skips rows that the study has already (same inputs and
 * value), and takes all rows or none. */
una_status una_study_export_csv(size_t *rows, una_study *study, const char *path, una_run *run);
una_status una_study_export_json(size_t *rows, una_study *study, const char *path, una_run *run);
una_status una_study_import_csv(size_t *rows, size_t *added, una_study *study, const char *path, const char *value,
                                una_run *run);
/* A page with the table, progress, parallel coordinates and slices; or the charts alone (.svg, .pdf or .png). */
una_status una_study_page(una_study *study, const char *path, una_run *run);
una_status una_study_chart(una_study *study, const char *path, una_run *run);

/* ---- commands as experiments ---------------------------------------------------------------------------- */

typedef struct una_study_command {
    size_t             size;
    const char *const *words;                  /* [count] program and arguments; {name} is replaced by the value of an
                                                  input, {id} by the number of the trial. A placeholder inside a longer
                                                  word takes only levels of A-Z a-z 0-9 _ . + - (else UNA_E_USAGE names
                                                  the level); one that is a whole word takes any value              */
    size_t             count;
    size_t             workers;                /* commands that run at the same time; 0 = 1                         */
    size_t             trials;                 /* stop after this many told or failed trials, or when all points of a
                                                  finite space have been tried; 0: go on until cancelled            */
    double             timeout;                /* seconds for one command; 0: none                                  */
    unsigned           retries;                /* how often a failed command is started again at once               */
    void             (*report)(void *context, const una_trial *trial, const char *sentence);  /* for each that ends */
    void              *context;
} una_study_command;

/* Runs a command for each trial. The value is a number, the last word of the last line that the command prints. Any
 * other end (an exit status other than 0, a signal, no number, the timeout) makes the trial failed, with the reason as
 * its note. When the call is cancelled, it ends running commands and gives their trials back. done: how many trials
 * ended in this call. */
una_status una_study_run(size_t *done, una_study *study, const una_study_command *command, una_run *run);

/* ---- where to measure next ------------------------------------------------------------------------------ */

typedef struct una_advice {                    /* rows to measure, the most useful first                            */
    size_t             count;
    const una_dataset *table;                  /* these rows: all columns of the pool; without a pool, the inputs     */
    const size_t      *row;                    /* [count] positions in the pool, from 0; NULL: there is no pool     */
    const double      *std;                    /* [count] ignorance at the row after the rows before it are measured */
    const double      *before, *after;         /* [count] root mean square ignorance over the region, before and after
                                                  the row itself is measured (and all rows before it); exact        */
    size_t             region;                 /* number of rows in the region, at most 1,000                       */
} una_advice;

/* Chooses the `count` rows of `pool` whose measurement reduces the model's ignorance over the region most: greedily,
 * one row after the other, with exact updates. The region is the rows of `data` (NULL: of the pool). pool NULL: chooses
 * points within the ranges of `data`, which are the rows of the fit or similar ones (NULL: within two standard
 * deviations of the mean of the training rows), and the region is all of these ranges. In place of unknown values it
 * uses the model's mean; for a single Gaussian the ignorance after an update does not depend on the value. If there are
 * more than 64 rows, only the most promising ones are evaluated exactly. UNA_E_USAGE: the model has no exact update. */
una_status una_suggest(una_advice **advice, const una_model *model, const una_dataset *pool, const una_dataset *data,
                       size_t count, una_run *run);
/* CSV: rank, row (with a pool; una_dataset_row_number), the columns of the table, std_epistemic, before, after. */
una_status una_advice_write(const una_advice *advice, const char *path, una_run *run);
void       una_advice_free(una_advice *advice);

/* ---- options of a model ----------------------------------------------------------------------------------- */

typedef struct una_tune_settings {
    size_t             size;
    const char        *model;                  /* a spec with the options that do not vary                          */
    const char        *over;                   /* "penalty=1e-5:1e-1:log5, width=25|50|100"; for several
                                                  models "penalty=1|2; luna: diversity=0.1:10:log5": options without a
                                                  model name are for all models that have them                      */
    const char        *search;                 /* "grid", "random", "bayes"; NULL = "grid"                          */
    size_t             trials;                 /* per model, for random and bayes; 0 = 20                           */
    const char        *out;                    /* folder that keeps results, to continue later; NULL: none          */
    una_fit_settings   fit;                    /* target, held-out rows ...; size 0: defaults                       */
    const char *const *models;                 /* [model_count] several models, instead of `model`                  */
    size_t             model_count;
    const una_dataset *const *more;            /* [more_count] more data sets, besides `data`                       */
    size_t             more_count;
    size_t             splits;                 /* random splits; in each, a share (fit.valid_fraction, 0 = 0.2) of the
                                                  rows is for scoring; 0: score on the rows that each fit holds out */
    size_t             seeds;                  /* seeds per spec, counted up from the run's; 0 = 1                  */
    const char        *select;                 /* how the best is chosen: "log_lik" (highest), "rmse" (lowest),
                                                  "two_stage" (lowest mean cos^2 among the tenth with the highest
                                                  log_lik; without heads as log_lik); NULL = "log_lik". On several data
                                                  sets by the mean rank over them                                   */
    int                refit;                  /* 1: train for every prior_var and noise_std. 0: train once, with the
                                                  values of `model`, and compute a new posterior for each value; this
                                                  needs a split, so splits 0 becomes 1                              */
} una_tune_settings;

typedef struct una_tuned {
    size_t             count;                  /* specs tried, grouped by model, in each group the best first       */
    const char *const *spec;
    const double      *log_lik, *rmse, *seconds;         /* [count] on held-out rows: means over data sets, splits and
                                                  seeds; NAN: at least one result is not a number                   */
    size_t             made;                   /* results made by this call; the others existed                     */
    const double      *log_lik_sd, *rmse_sd;   /* [count] standard deviations over these; NAN for a single one       */
    const double      *mean_cos2;              /* [count] of the heads; NAN without heads                           */
    const double      *rank;                   /* [count] rank among the specs of the model, from 1, mean over data
                                                  sets; NAN: a number is missing                                    */
    const size_t      *model;                  /* [count] index of the model                                        */
    size_t             model_count;
    const size_t      *best;                   /* [model_count] index of the best spec; SIZE_MAX: none has numbers  */
    size_t             table_count;            /* number of data sets                                               */
    const char *const *table;                  /* [table_count] file and target, "measurements.csv strength"        */
    const size_t      *best_in;                /* [model_count, table_count] index of a spec; SIZE_MAX: none        */
    const double      *table_log_lik, *table_rmse;       /* [count, table_count]                                    */
    size_t             rows, splits, seeds;    /* results behind each spec; splits 0: rows that fits held out       */
    size_t             trained;                /* fits of this call; fewer than made if fits gave several posteriors */
} una_tuned;

una_status una_tune(una_tuned **tuned, const una_dataset *data, const una_tune_settings *settings, una_run *run);
void       una_tuned_free(una_tuned *tuned);

/* ---- which model suits a table ------------------------------------------------------------------------------ */

typedef struct una_compare_settings {
    size_t             size;
    const char *const *models;                 /* [model_count] specs. "mean" is the baseline, the mean and standard
                                                  deviation of the training rows; it is always included             */
    size_t             model_count;            /* 0 = auto, gp, linear, nlm, mcd                                    */
    size_t             folds, repeats;         /* 0 = 5 folds, 1 repeat; each repeat has other folds                */
    const char        *group;                  /* a column: rows of a group are in one fold; models do not see it   */
    const char        *time;                   /* a column: earlier rows train, later rows are predicted            */
    const char        *select;                 /* what is best: "log_lik" (highest), "rmse" or "crps" (lowest); NULL =
                                                  "log_lik"                                                         */
    const char        *out;                    /* folder that keeps results, to continue later; NULL: none          */
    una_fit_settings   fit;                    /* target, missing ...; size 0: defaults. Options in fit.set go to all
                                                  models that have them. UNA_E_USAGE: fit.valid, or several targets */
} una_compare_settings;

typedef struct una_compared_number {           /* one measure, on rows that did not train                           */
    double        mean, error;                 /* over the folds, with the standard error, corrected for training rows
                                                  that folds share; NAN: at least one fold gave no number           */
    double        difference, low, high;       /* mean over the folds of this model minus the best model, and its 95 %
                                                  interval; NAN for the best                                        */
    const double *fold;                        /* [folds] of each fold, repeat by repeat                            */
} una_compared_number;

typedef struct una_compared_model {
    const char          *spec;
    una_compared_number  log_lik, rmse, crps, coverage_95;       /* log_lik and crps: means per row                 */
    double               seconds;              /* mean of one fit                                                   */
    int                  worse;                /* than the best, by the measure `select`: 1: yes, by its interval, 0:
                                                  undecided, -1: this is the best                                   */
} una_compared_model;

typedef struct una_compared {
    const char               *sentence;        /* which model is best, and which are not clearly worse              */
    size_t                    count;
    const una_compared_model *model;           /* [count] the best first, the baseline among them                   */
    const char               *target, *select;
    size_t                    rows, folds;     /* folds of all repeats                                              */
    size_t                    repeats, groups; /* groups 0: no group column                                         */
    size_t                    made, fits;      /* fits of this call, and all                                        */
    const char               *table;           /* path of the CSV file with one line per fit; NULL: none            */
} una_compared;

/* Cross-validation with the same folds for every model (docs/use/COMPARE.md). If the run has ranks, every rank makes
 * this call. UNA_E_INPUT: the folder has a comparison of other rows or with other settings; other models and more
 * repeats can be added to it. */
una_status una_compare(una_compared **compared, const una_dataset *data, const una_compare_settings *settings,
                       una_run *run);
/* One page with sentence, tables and charts; or the charts alone (.svg, .pdf or .png). After a failure there is no
 * partial file. */
una_status una_compare_page(const una_compared *compared, const char *path, una_run *run);
una_status una_compare_chart(const una_compared *compared, const char *path, una_run *run);
void       una_compared_free(una_compared *compared);

UNA_END_DECLS

#endif
