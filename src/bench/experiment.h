/* SPDX-License-Identifier: MIT
 *
 * An experiment: a plan of keys, measures of each fit, claims computed from the rows, and a page. It is a folder of
 * experiments/ with a file that ends in a const una_experiment, and one line in registry.c; the engine (bench.c) does
 * the rest: options, models, the sweep with its store, means, CSV, the frame of the page. See
 * docs/develop/ADDING_AN_EXPERIMENT.md.
 */
#pragma once

#include "una_bench.h"

#include "base/option.h"
#include "bench/page.h"
#include "draw/number.h"
#include "model/above.h"
#include "select/evaluation.h"
#include "store/worker.h"

typedef struct una_experiment una_experiment;

typedef struct una_bench_model { const char *kind, *spec; unsigned results; } una_bench_model;

typedef struct una_asked {               /* the request for a run of an experiment                          */
    const una_experiment  *experiment;
    const void            *options;      /* the experiment's own struct, filled in                          */
    bool                   quick;
    uint64_t               first;        /* the first seed                                                  */
    const char            *out;          /* folder of the results                                           */
    const una_bench_model *models;
    size_t                 model_count;
    void                  *shared;       /* what the experiment's `begin` made; NULL: nothing               */
    una_store             *store;        /* rows made before, available from `prepare` on                   */
    una_arena             *keep;         /* lasts as long as the run of the experiment                      */
    bool                   worker_only;  /* a rank other than 0: makes rows and writes no files             */
    bool                   kept;         /* nothing is fitted                                               */
    size_t                 absent;       /* then: fits of the plan that are not there                       */
} una_asked;

typedef struct una_group {               /* fits of one spec on one data set: means are over these           */
    const char *model;
    size_t      from, count;             /* fits[from] ...                                                  */
    const struct una_findings *findings; /* that it is one of                                               */
} una_group;

typedef struct una_findings {            /* the results of the plan, group by group                         */
    const una_row   *fits;               /* [count]                                                         */
    const double    *value;              /* [count, measures]; measures as in the table, then seconds       */
    size_t           count, measures;
    const una_group *groups;             /* in the order in which the plan names them                       */
    size_t           group_count;
    const double    *mean, *sd;          /* [groups, measures]                                              */
    const una_experiment *experiment;    /* whose measures these are                                        */
} una_findings;

/* The first group of a kind, on a data set unless `data` is NULL; NULL: it was not run. */
const una_group *una_findings_group(const una_findings *findings, const char *model, const char *data);
/* The first group whose keys have that data, and that spec unless it is NULL; NULL: it was not run. */
const una_group *una_findings_on(const una_findings *findings, const char *spec, const char *data);
/* Mean and sd of a measure over the fits of a group, and a quantile; NAN where one of them has none. */
double una_group_mean(const una_group *group, size_t measure);
double una_group_sd(const una_group *group, size_t measure);
double una_group_quantile(const una_group *group, size_t measure, double share, una_arena *arena);
/* Of the fit of that place in all findings. */
double una_findings_value(const una_findings *findings, size_t fit, size_t measure);
/* The fit of a group that has the seed and split of another key; SIZE_MAX: there is none. */
size_t una_group_fit(const una_group *group, const una_row_key *like);
/* The key of a group's first fit; the next group after one (NULL: the first), on a data set unless `data` is NULL; NULL:
 * there is none. */
const una_row_key *una_group_key(const una_group *group);
const una_group   *una_findings_next(const una_findings *findings, const una_group *after, const char *data);

/* UNA_NOT_ASKED: the claim is about a study that was not requested; it is not shown. */
typedef enum una_holding { UNA_NOT_ASKED = -2, UNA_CANNOT_TELL, UNA_DOES_NOT_HOLD, UNA_HOLDS } una_holding;

typedef struct una_rule una_rule;        /* how a claim is judged: claims.h                                 */
typedef struct una_judging una_judging;
typedef struct una_claim {               /* a table ends with sentence == NULL                              */
    const char     *sentence;
    const una_rule *rule;
    const char     *model, *data;        /* names of the models, '|' between them, and the data that it is about */
} una_claim;

typedef struct una_measuring {           /* a key while it is fitted and measured                           */
    una_outcome       *outcome;
    const una_row_key *key;
    const una_asked   *asked;
    una_run           *run;              /* with the key's seed, and scratch memory that ends with the call */
} una_measuring;

typedef struct una_entry {               /* what a bare model name stands for; a kind may have several entries */
    const char *kind, *spec, *quick;     /* kind NULL ends the table; quick "": the same; NULL: not unless asked */
} una_entry;

struct una_experiment {
    const char *name, *summary;          /* for lists                                                       */
    const char *title, *lead;            /* of the page: heading and first paragraph                        */
    const char *caption, *over;          /* of the table of means; what the means are over: "seeds"         */
    const una_option  *options;          /* its own options; NULL: none                                     */
    size_t             options_size;
    const una_bench_measure *measures;   /* ends with name == NULL                                          */
    const una_entry   *entries;          /* ends with kind == NULL                                          */
    bool               every_kind;       /* without --models: every other kind as well                      */
    unsigned           results;          /* how often the meaning of its numbers has changed                */

    /* What --models may name besides models: fills in all three fields (texts in asked->keep); UNA_E_USAGE: an unknown
     * name. NULL: models only, as una_row_key_spec writes them. */
    una_status (*contestant)(una_bench_model *model, const char *text, const una_asked *asked, una_run *run);
    /* Called before the plan and after the page: *shared is what the fits share; `end` frees it, also after a failure,
     * and may get NULL. NULL: nothing is shared. */
    una_status (*begin)(void **shared, const una_asked *asked, una_run *run);
    void       (*end)(void *shared);
    /* Adds the wanted keys, in the order in which they should be made (una_model_row_key makes one). */
    una_status (*plan)(una_plan *plan, const una_asked *asked, una_run *run);
    /* Rows that the plan depends on, such as the trials of a search: made and kept like its rows, but before them. Adds
     * keys to `more`; called with number 0, 1 ... until it adds none, with the rows of earlier calls in asked->store.
     * wanted: the keys of the plan that have no row yet. `measure` makes these rows too, with the measures `prepared`
     * (names, NULL after the last); the study of their keys is "search(of=NAME ...)". NULL: there are none. */
    una_status (*prepare)(una_plan *more, size_t number, const una_plan *wanted, const una_asked *asked, una_run *run);
    const char *const *prepared;
    /* The model of a key, where the options of a model depend on the data: one of asked->models. NULL: the model whose
     * spec the key has. */
    const una_bench_model *(*owner)(const una_row_key *key, const una_asked *asked);
    /* Fits and measures one key: outcome->value [measures], options and seconds (una_outcome_take). Called from several
     * threads at once. */
    una_status (*measure)(const una_measuring *m);
    /* Measures that need several rows, such as the distance from another model's curve of the same seed: fills in value
     * [count, measures] where `measure` left NAN, before means are taken. NULL: there are none. */
    void       (*compare)(double *value, const una_findings *findings);
    const una_claim *claims;             /* NULL: none                                                      */
    /* Claims that depend on what was asked for, such as one for each model; in asked->keep, ended as `claims` are, and in
     * their place. NULL: `claims`. */
    una_status (*list_claims)(const una_claim **claims, const una_asked *asked, una_run *run);
    /* The group that a claim means by a name; *group NULL: it was not run. NULL: the first group of that model on the
     * data of the claim. */
    una_status (*find)(const una_group **group, una_judging *j, const char *name);
    const char      *claims_lead;        /* who claims it; NULL: "Claims of the thesis."                    */
    const char      *claims_caption;
    /* The part of the page between its lead and its claims; NULL: the table of means. */
    una_status (*page)(una_page *page);
};

/* A list of measures, LIST(X), has X(PLACE, "name", "title", "unit", "help", better) for each: the enumeration of their
 * places and their rows in a table follow from it. */
#define UNA_PLACE(place, ...) place,
/* Ten of what X makes of a number: UNA_TEN(X, 1) has X(10) ... X(19). */
#define UNA_TEN(X, tens) X(tens##0) X(tens##1) X(tens##2) X(tens##3) X(tens##4) \
    X(tens##5) X(tens##6) X(tens##7) X(tens##8) X(tens##9)
#define UNA_FIELDS(place, ...) { __VA_ARGS__ },

/* NULL-terminated, in registry.c. */
extern const una_experiment *const una_experiments[];

/* ---- for experiments ----------------------------------------------------------------------------------------- */

/* The key of a model's fit; study and data are borrowed. */
una_row_key una_model_row_key(const una_bench_model *model, const char *study, const char *data, uint64_t split,
                              uint64_t seed);
/* A fit of every model that was asked for. */
void        una_plan_models(una_plan *plan, const una_asked *asked, const char *study, const char *data, uint64_t seed);
/* Fits of a spec that the experiment has by itself, with split 0 ... count - 1. */
una_status  una_plan_spec(una_plan *plan, const una_asked *asked, const char *spec, una_row_key like, size_t count,
                          una_run *run);
/* Begins one of the options that change numbers, behind the name of a study: "uci(held="; returns the study, for the
 * value. And ends them: "uci(held=0.1)"; the text's failure is that of its arena. */
una_text   *una_study_option(una_text *study, const char *name);
const char *una_study_end(una_text *study);
/* How many seeds are asked for: those that were given, else (auto) `usual`, or `quick` in a quick run. */
size_t una_seed_count(double given, size_t usual, size_t quick, const una_asked *asked);
/* The table of means, with the columns that have a title (page.c). */
una_status una_page_means(una_page *page);
/* A group's name on the page: its kind where that tells it apart, else its spec. */
const char *una_page_title(const una_group *group);

/* A column of a table that has a line for a group: words are the caller's, a spread is mean and sd of a measure, a number
 * its mean. A list ends with title NULL. */
typedef struct una_column { const char *title; una_sheet_kind kind; size_t measure; int decimals; } una_column;
#define UNA_FITS SIZE_MAX                /* in place of a measure: how many fits the group has              */
#define UNA_OWN  (SIZE_MAX - 1)          /* the caller's                                                    */
/* An empty table with these columns; a line that begins with `title`, then what follows up to the caller's next cell; and
 * the rest of a line up to there. Dashes where the group is NULL. */
una_sheet una_page_table(una_page *page, const char *name, const char *lead, const char *caption,
                         const una_column *columns);
void una_page_line(una_sheet *sheet, const una_group *group, const char *title,
                   const una_column *columns);
void una_page_cells(una_sheet *sheet, const una_group *group, const una_column *columns);
void una_page_cell(una_sheet *sheet, const una_group *group, const una_column *column);
void una_page_spread(una_sheet *sheet, const una_group *group, size_t measure,
                     int decimals);

/* list.c: the first item of a list of names with commas between, without the blanks around it; NULL: there is none. The
 * next one begins at item + *length. */
const char *una_next_item(const char *list, size_t *length);
bool        una_is_item(const char *item, size_t length, const char *name);
bool        una_list_has(const char *list, const char *name);
/* The first item of a list that is none of the names (NULL after the last); NULL: all are known. */
const char *una_unknown_item(const char *list, size_t *length, const char *const *names);

/* ---- the engine ---------------------------------------------------------------------------------------------- */

/* una_bench_run of an experiment that need not be in the registry. */
una_status una_experiment_run(una_bench_result **result, const una_experiment *experiment,
                              const una_bench_settings *settings, una_run *run);
/* models.c: the checked specs of the models that were named; in `keep`. */
una_status una_models_asked(una_asked *asked, const char *const *models, size_t count, una_run *run);
/* findings.c: rows of the plan from the store, and their means. */
una_status una_findings_gather(una_findings *findings, const una_plan *plan, const una_asked *asked, una_store *store,
                               una_arena *keep, una_run *run);
/* page.c: the whole page, OUT/NAME.html, and beside it the same in Markdown, its figures and its tables. */
una_status una_experiment_page(const una_findings *findings, const una_bench_claim *claims, size_t claim_count,
                               const una_asked *asked, una_run *run);

/* Options that several experiments share have one flag in the program, and one help text. */
#define UNA_DATA_OPTION(type) { "data", UNA_TEXT, offsetof(type, data), "", 0, 0, false, NULL, UNA_DATA_HELP }
#define UNA_SETS_OPTION(type) { "sets", UNA_TEXT, offsetof(type, sets), "", 0, 0, false, NULL, UNA_SETS_HELP }
#define UNA_STUDY_OPTION(type) { "study", UNA_TEXT, offsetof(type, study), "", 0, 0, false, NULL, UNA_STUDY_HELP }
#define UNA_SEEDS_OPTION(type) { "seeds", UNA_COUNT, offsetof(type, seeds), "auto", 1, 1000, true, NULL, UNA_SEEDS_HELP }
#define UNA_GROUP_HELP "standard: published test rows; valid: a tenth of the training rows, for choosing rules"
#define UNA_SEEDS_HELP "how many seeds, from the run's on; auto: as many as the experiment has by itself"
#define UNA_SETS_HELP  "which data sets, with commas between, for instance boston or line, of scale also files; left out: the usual ones that are there"
#define UNA_STUDY_HELP "which studies, with commas between: nlm_penalty,luna_heads, or of bias sex,age; left out: all"
#define UNA_DATA_HELP  "folder of the data: with uci/NAME.csv and uci/splits/NAME.json in it, mnist/ or faces/"
