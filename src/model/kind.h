/* SPDX-License-Identifier: MIT
 *
 * The one interface that every model implements. A model is one file in src/models/ that ends in a const
 * una_kind, and one line in registry.c. See docs/develop/ADDING_A_MODEL.md; src/models/linear.c is the
 * smallest that stands alone.
 */
#pragma once

#include "base/archive.h"
#include "base/option.h"
#include "data/columns.h"

typedef struct una_problem {             /* what a model has to learn; borrowed, scaled, shape-checked */
    una_view x;       const double *y;            /* rows that train; y [rows, outputs]                    */
    una_view valid_x; const double *valid_y;      /* validation rows: they must not train features (rows 0: none) */
    size_t   outputs;                             /* targets: more than 1 for `fit_to.targets` alone, whose y has NAN where
                                                     a cell is missing                                     */
    bool     valid_joins;                         /* the posterior takes in the validation rows after selection; they
                                                     lie behind those that train */
    size_t   folds;                               /* > 0: no validation rows, cross-fit over this many folds */
    const unsigned char *fold;                    /* [x.rows] fold of each row, when folds > 0             */
    const una_columns *columns;                   /* [outputs] names, groups, units of inputs and of that target: the
                                                     inputs are the same in all                            */
    const una_dataset *data;                      /* origin, for messages                                  */
    const double *weight;                         /* [x.rows] how often a row counts in a posterior: 1 over the shape
                                                     of its noise (committee/noise.h), less where its error is large
                                                     and the noise has heavy tails (committee/heavy.h); NULL: once */
    const struct una_training_rows *shared;       /* the rows in float, where several trainings share them */
    uint64_t seed;
    size_t   table_rows;                          /* rows of the whole table, held-out ones included: rules go by it,
                                                     so that they do not depend on who is left out; 0: x.rows */
    size_t *origin;                               /* [x.rows, then held-out rows that join] which row of the table each
                                                     is; NULL: not wanted */
    uint32_t *team;                               /* [x.rows, then held-out rows that join] label of the rows that stay
                                                     together (model/teams.h); NULL: those with equal inputs */
    bool     correlated;                          /* rows of a team share more than their inputs, as those of one subject
                                                     do: noise is what new teams show, not the evidence of single rows */
    size_t   part, rows_elsewhere;                /* of a table in parts, each in a process of its own: which one this
                                                     is, and the rows of the others that train */
} una_problem;

static inline size_t una_table_rows(const una_problem *p)
{
    return p->table_rows ? p->table_rows : p->x.rows;
}

static inline size_t una_training_row_count(const una_problem *p)
{
    return p->x.rows + p->rows_elsewhere;
}

/* Rows with out-of-fold predictions: all of them with folds, else the held-out ones. */
static inline una_view una_oof_x(const una_problem *p)
{
    return p->folds ? p->x : p->valid_x;
}

static inline const double *una_oof_y(const una_problem *p)
{
    return p->folds ? p->y : p->valid_y;
}

/* Targets of a problem. */
static inline size_t una_problem_outputs(const una_problem *p)
{
    return p->outputs ? p->outputs : 1;
}

typedef struct una_predictive {          /* standardised; model.c turns it into the user's units           */
    double *mean, *var_model, *var_noise;         /* [rows] each, the caller's                             */
    bool    mean_only;                            /* var_model is not needed: a kind may leave it out */
    size_t  parts;                                /* of a mixture of Gaussians; 0: one Gaussian            */
    double *part_mean, *part_var;                 /* [rows, parts], the caller's: mean and variance of each part,
                                                     noise included; NULL: not asked for                   */
    double *part_weight;                          /* [parts], the caller's, equal at first: a kind writes its own,
                                                     positive, adding up to 1, the same for all rows       */
} una_predictive;

typedef struct una_slope {               /* of the function, without noise, at one point; standardised     */
    double  mean, var;
    double *dmean, *dvar;                         /* [inputs] by each input, the caller's                  */
} una_slope;

typedef struct una_drawing {             /* functions to be drawn                                          */
    size_t draws;
    bool   prior;                                 /* from the prior                                        */
    const double *share;                          /* [shares] for one of several targets that share a head, of a
                                                     committee alone: the mean plus the sum over s of share[s] times the
                                                     deviation of a draw made with the s-th random numbers. All targets
                                                     use the same random numbers for a seed, and the same member for a
                                                     draw. NULL: drawn as it is */
    size_t shares;
} una_drawing;

typedef struct una_gaussians {           /* the function, without noise, as a mixture; standardised        */
    size_t  parts;                                /* of the whole mixture: the stride between rows         */
    double *weight;                               /* [parts], adding up to 1                               */
    double *mean, *var;                           /* [rows, parts]                                         */
    double *dmean, *dvar;                         /* [rows, parts, inputs]; both NULL: not asked for       */
} una_gaussians;

/* A member of the mixture that a state is (members of members too) at some rows: a linear head on features of them, or
 * anything else. */
typedef struct una_leaf {
    double        weight;                         /* of all leaves they add up to 1                        */
    const struct una_head *head;                  /* infer/head.h; NULL: it has no linear head             */
    const double *phi;                            /* [rows, features of the head], with the constant 1     */
    const double *mean, *var;                     /* [rows] without a head: mean and variance of the function */
} una_leaf;
typedef una_status una_leaf_task(void *context, const una_leaf *leaf, una_run *run);

/* Out-of-fold predictions; standardised, in the caller's arrays [rows] of x, or of valid_x where rows are held out. NAN
 * where there is none. */
typedef struct una_oof_predictions {
    double *log_lik;                              /* of y; NULL: not wanted                                */
    double *mean, *var_model, *var_noise;         /* NULL: not wanted, nor `below`                         */
    double *below;                                /* probability of less than y, under the mixture         */
    double *reach;                                /* half the width of the band of 95 %; NAN: that of a Gaussian */
    size_t  rows, folds;                          /* set by the kind: rows that have predictions; folds that were
                                                     left out in turn, 0: rows were held out */
} una_oof_predictions;

/* What a kind predicts of regions that it is fitted without: for a stack, whose kinds are all asked about the same ones.
 * The first kind that is asked cuts them (committee/regions.h). */
typedef struct una_regions {             /* of the rows that train                                         */
    size_t count;                                 /* between other rows; 0: none                           */
    unsigned char *inside;                        /* [count, rows] 1 or 0                                  */
    unsigned char *ends;                          /* [rows] the rows at both ends of one input: they lie beyond all
                                                     others, in no region between them; NULL: there are none */
    size_t ends_input;                            /* of which input                                        */
} una_regions;

typedef struct una_region_predictions {
    una_regions at;
    double *log_lik;                              /* [count, rows that train] of y; NAN: no prediction. NULL: the kind
                                                     predicts no regions */
    double *ends_mean, *ends_noise;               /* [rows that train] of the rows at the ends, NAN elsewhere: mean, and
                                                     variance of the noise. NULL: not predicted             */
} una_region_predictions;

/* How ignorance grows beyond the rows that trained: a function whose slope and curvature are known there may bend
 * outside (model/beyond.h). */
typedef struct una_beyond {
    double  below, above;                         /* rates on both sides of one input; both 0: none        */
    size_t  input;                                /* which input                                           */
    double *scale;                                /* [inputs] how much each counts; 0: not at all          */
    double *low, *high;                           /* [inputs] their range; a model fills it in             */
} una_beyond;

typedef struct una_fit_result {          /* what a fit reports besides its state; standardised             */
    double noise_var, prior_var, log_evidence, mean_cos2;       /* NAN where there is none                 */
    double scale_var, freedom;                    /* of Student's t, where the noise is that (infer/tails.h): square of
                                                     its scale, degrees of freedom; Gaussian: NAN, HUGE_VAL */
    size_t valid_rows;
    double valid_rmse, valid_log_lik;
    size_t steps;
    una_curve curve;                              /* arrays in keep                                        */
    una_oof_predictions *oof;                     /* the kind fills it in: log_lik always, the others where they cost
                                                     little (rows: > 0); nothing else may depend on these. NULL: not
                                                     wanted */
    una_region_predictions *regions;              /* the kind fills it in, in scratch; NULL: not wanted    */
    una_beyond beyond;                            /* scale in keep                                         */
    double spread;                                /* factor on the std of all ignorance; 0: 1              */
    double *relevance;                            /* [inputs] scale of each (committee/relevance.h), in keep; NULL: was not
                                                     learnt */
    una_notes warnings, notes;
} una_fit_result;

/* An empty result; sentences go to `arena`. */
static inline una_fit_result una_fit_result_in(una_arena *arena)
{
    return (una_fit_result){ .noise_var = NAN, .prior_var = NAN, .log_evidence = NAN, .mean_cos2 = NAN,
                             .scale_var = NAN, .freedom = HUGE_VAL, .valid_rmse = NAN, .valid_log_lik = NAN,
                             .warnings = { .arena = arena }, .notes = { .arena = arena } };
}

/* Instead of a penalty: parameters near an anchor ~ N(0, prior_var), starting from N(0, init_var); noise_var: noise of
 * the rows in the anchored loss. Standardised. */
typedef struct una_anchor { double noise_var, prior_var, init_var; } una_anchor;

typedef struct una_target_coupling {     /* how several targets of one fit vary together                   */
    size_t  outputs;
    double *noise;                                /* [outputs, outputs] covariance of the noise, standardised, from
                                                     out-of-fold errors; NAN where two targets share no row */
    bool    joint;                                /* one linear head: all targets share the features, the covariance
                                                     of the weights up to the noise, and the weights of members; so
                                                     functions vary together as the noise does */
} una_target_coupling;

/* What a fit gets, and where its results go: all that is handed down, so that no function of the way needs more. */
typedef struct una_fit_target {          /* of one target: results go to keep, everything else to the run's scratch */
    void *state, *options;
    una_fit_result *result;
} una_fit_target;

typedef struct una_adapting {            /* rows that set the noise again (committee/adapt.h)               */
    const una_problem *more;
    size_t old_rows;                              /* that the model rests on                               */
    double var_scale;                             /* its ignorance is that of the state times this, as a variance */
} una_adapting;

typedef struct una_fitting {
    const struct una_kind *kind;
    const una_problem *problem;
    una_fit_target *target;                       /* [targets of the problem]                              */
    una_arena *keep;
    una_run   *run;
    const una_anchor *anchor;                     /* of a member of an anchored ensemble; NULL: none        */
    una_target_coupling *coupling;                /* how several targets vary together; NULL with one      */
} una_fitting;

/* The options that the house itself reads, at the head of those of every kind that it keeps as a committee. A number
 * that is 0 is none of the kind's options. */
typedef struct una_common_options {
    double noise_std, prior_var, steps, restarts, members, growth_below, growth_above, tails;
    int    units, relevance, noise, weights;
} una_common_options;

static inline bool una_is_given(double number)   /* an option of the kind, and not automatic               */
{
    return number != 0 && !UNA_IS_AUTO(number);
}

static inline void una_set_number(double *option, double value) /* if it is one of the kind's              */
{
    if (*option != 0) *option = value;
}

/* What validates trainings whose features see the target. */
typedef struct una_validation_rule {
    size_t folds_below;                           /* rows: below, folds in turn; from there on a held-out share */
    size_t folds_below_if_kept;                   /* the same where the trainings without each fold are kept, as members
                                                     of a committee, so that folds cost nothing            */
} una_validation_rule;
extern const una_validation_rule una_validates;        /* one training; or a committee, by its option `members` */
extern const una_validation_rule una_validates_folds;  /* trainings without folds are always kept               */

/* As `fit`, for what only some kinds can be fitted to; NULL: it cannot be. */
typedef struct una_special_fits {
    /* Each target's state, options and result as `fit` gives them for that target alone, so that all other calls can
     * use them; coupling->noise [outputs, outputs] gets the covariance of the noise, standardised. Every fold, or the
     * held-out rows, have rows of each target, and at least least_rows of each train. NULL: each target is fitted by
     * itself. */
    una_status (*targets)(una_fitting *fitting);  /* several at once                                       */
    una_status (*images)(una_fitting *fitting);
    /* Some of the rows, while other processes have the others: it needs only sums over rows (una_run_sum_f64), and so
     * does relearn. */
    una_status (*part)(una_fitting *fitting);
    una_status (*anchor)(una_fitting *fitting);   /* for a member of an anchored ensemble                  */
} una_special_fits;

/* One training: what a model is learnt by, and what can be asked of it then. Where `committee` says so, the house keeps
 * several trainings as one model; "can it?" is answered by the pointers here, and the calls go to una_calls(kind). */
typedef struct una_kind {
    const char *name, *summary, *source;          /* "luna", one line, citation                            */
    const una_option *options;                    /* the table                                             */
    size_t      options_size, state_size;
    const char *thesis;                           /* options of --preset thesis, "" if none                */
    size_t      least_rows;                       /* minimum number of rows                                */
    unsigned    results;                          /* version of its numbers: raised by one with every change of what
                                                     the same spec and seed give */
    const struct una_kind *committee;             /* &una_committee_calls: several trainings are kept as one mixture, and the
                                                     options begin with una_common_options; NULL: it is kept as it
                                                     is, one training or a mixture of its own making */
    const char *spec_options;                     /* options that hold specs of other kinds, "of" or "luna|gp";
                                                     such a spec may be `none`. NULL: none has one         */
    size_t      oof_rows;                         /* where an answer is not cheap: so many rows at most are predicted
                                                     out of their fold, evenly spread; 0: all             */
    bool        prior_is_linear;                  /* var_model is a straight line of prior_var, and nothing else depends on
                                                     it: predictions at two of them tell all others       */
    const una_validation_rule *validation;             /* the rows that validate, since its features see the target; NULL:
                                                     they do not, and it needs none                        */

    /* required; fit fills in automatic options */
    una_status (*fit)(una_fitting *fitting);
    una_status (*predict)(const void *state, una_view x, una_predictive *out, una_run *run);
    una_status (*exchange)(void *state, una_archive *ar);       /* one function saves and loads            */

    /* optional: NULL means it cannot */
    una_special_fits fit_to;                                    /* una_kind_fit takes the one that is wanted */
    /* A sentence where so many rows need too much memory. NULL: cost and memory grow with the rows, not faster. */
    una_status (*check_rows)(size_t rows, una_run *run);
    /* f [rows]: the one function that it is, without ignorance, so that its var_model is 0. NULL: it is not one. */
    una_status (*function)(const void *state, una_view x, double *f, una_run *run);
    size_t (*mixture)(const void *state);                       /* parts of the predictive; NULL: one Gaussian */
    /* Before all trainings of a committee: checks, and options that concern them all. */
    una_status (*prepare)(una_fitting *fitting);
    /* members of a committee: changes the options for a repeat */
    void (*vary)(void *options, size_t repeat);
    /* as fit, but keeps the features: a new posterior, of the problem's rows and for the options' noise and prior
     * variance, by evidence where they are automatic. What the state points at stays unchanged. */
    una_status (*relearn)(una_fitting *fitting);
    /* what a person may not ask of relearn, with these options; NULL: anything */
    una_status (*check_relearn)(const void *options, una_run *run);
    /* Chooses again, under the problem's weights, what fit chooses by its rows beyond noise and prior variance (gp's
     * lengths: they depend on rows that a posterior leaves out). It starts from the state, which stays unchanged.
     * options: as given to fit; found values are filled in. result: notes, and steps, 0 where the options leave nothing
     * to choose. NULL: fit chooses nothing else. */
    una_status (*search)(una_fitting *fitting);
    /* exact update; result: the new evidence */
    una_status (*observe)(void *state, const una_problem *more, una_fit_result *result, una_arena *keep, una_run *run);
    /* The posterior of the same rows under a noise whose variance is `factor` times as large; result: noise_var and
     * evidence. */
    una_status (*rescale)(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run);
    /* as observe, and noise and weights are set by what is predicted of the rows before; result: noise_var and evidence.
     * Of a fitted model (una_calls); after a failure the state is neither old nor new (una_spare). */
    una_status (*adapt)(void *state, const una_adapting *how, una_fit_result *result, una_arena *keep, una_run *run);
    /* f [draws, rows] */
    una_status (*draw)(const void *state, una_view x, const una_drawing *how, double *f, una_run *run);
    /* f [count, rows]; NULL: count only */
    una_status (*functions)(const void *state, una_view x, size_t *count, double *f, una_run *run);
    /* value and slopes together: an optimiser asks for both thousands of times */
    una_status (*slope)(const void *state, const double *x, una_slope *at, una_run *run);
    /* the function as the mixture that the model describes; NULL: one Gaussian. Both or neither. */
    size_t (*part_count)(const void *state);
    una_status (*parts)(const void *state, una_view x, const una_gaussians *out, una_run *run);
    /* one function drawn from the posterior: a state like this one, zeroed before, whose var_model is 0. It may point
     * into the other and lives no longer; copy it by `exchange` to keep it. */
    una_status (*sample)(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run);
    /* task(leaf) for each leaf, always in the same order, its weight times `weight`: for calls that look into linear
     * heads. NULL: one leaf without a head. */
    una_status (*leaves)(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                         una_run *run);
    /* held [rows] becomes true for rows that, with their target, the state already holds; NULL: it keeps no rows */
    una_status (*holds)(const void *state, una_view x, const double *y, bool *held, una_run *run);
} una_kind;

/* The calls that a fitted model of the kind answers: the kind's own, or those of the committee. */
static inline const una_kind *una_calls(const una_kind *kind)
{
    return kind->committee ? kind->committee : kind;
}

/* NULL-terminated, in src/models/registry.c; the first is fitted where nobody names a model. */
extern const una_kind *const una_kinds[];
const una_kind *una_kind_find(const char *name);
/* UNA_E_USAGE names the nearest kind and lists them all. */
una_status una_kind_need(const una_kind **kind, const char *name, una_run *run);
/* "luna, nlm, gp": those of the registry of which it is true; from scratch. */
const char *una_kinds_that(bool (*can)(const una_kind *kind), una_run *run);
/* UNA_E_USAGE, with a list of those that can, where the kind sees no images. */
una_status una_kind_need_images(const una_kind *kind, una_run *run);

/* una_options_apply for a kind; an option that only a kind inside it has gets a sentence that says so. */
una_status una_kind_set(void *options, const una_kind *kind, const una_spec *spec, una_arena *arena, una_run *run);

/* The options of a spec of that kind, in `arena`. */
una_status una_kind_options(void **options, const una_kind *kind, const char *spec, una_arena *arena, una_run *run);
/* Arrays for so many rows: those of parts where p->parts says so; g->parts, with slopes where there are inputs. */
una_status una_predictive_new(una_predictive *p, size_t rows, una_arena *arena);
una_status una_gaussians_new(una_gaussians *g, size_t rows, size_t inputs, una_arena *arena);
/* The kind's own fit to what is to be fitted: plain rows, images, a part of the rows, several targets, an anchor. */
una_status una_kind_fit(una_fitting *fitting);
/* Arrays for predictions of so many rows, all NAN; log_lik stays. */
una_status una_oof_predictions_new(una_oof_predictions *u, size_t rows, una_arena *arena);
/* What kind->predict, kind->slope and kind->leaves take from scratch is given back here. */
una_status una_kind_predict(const una_kind *kind, const void *state, una_view x, una_predictive *out, una_run *run);
/* At one point x [inputs], which is unchanged on return: the kind's own slopes, or central differences. */
una_status una_kind_slope(const una_kind *kind, const void *state, double *x, size_t inputs, una_slope *at,
                          una_run *run);
/* The function as a mixture at rows x: the kind's own parts, or one Gaussian. */
size_t     una_kind_part_count(const una_kind *kind, const void *state);
una_status una_kind_parts(const una_kind *kind, const void *state, una_view x, const una_gaussians *out, una_run *run);
/* The leaves of any state: the kind's own, or one without a head. */
una_status una_kind_leaves(const una_kind *kind, const void *state, una_view x, double weight, una_leaf_task *task,
                           void *context, una_run *run);
/* Which kind it is, in files. */
una_status una_kind_exchange_name(const una_kind **kind, const char *block, una_archive *ar);
/* A state in files; calls: those of the state, una_calls(kind) of a fitted model, the kind itself of one training. */
una_status una_kind_exchange(const una_kind *kind, const una_kind *calls, void *state, una_archive *ar);
/* A copy of a state in `arena` (not the run's scratch), made through its own file format, which every kind has. */
typedef struct una_learnt { const una_kind *kind, *calls; void *state; size_t inputs; } una_learnt;
una_status una_state_copy(void **copy, const una_learnt *of, una_arena *arena, una_run *run);
/* As una_kind_parts, for any state as a single part. */
una_status una_kind_one_part(const una_kind *kind, const void *state, una_view x, const una_gaussians *out,
                             una_run *run);

struct una_model {
    una_arena       keep;
    una_run        *run;                          /* allocator                                             */
    const una_kind *kind;
    void           *state, *options;
    una_columns     columns;
    una_fit_info    info;
    const char     *options_json;
    size_t          targets;                      /* 0: one, and this is it. Else `target` [targets] holds a model of
                                                     each, and this one's state and columns are unused */
    una_model     **target;
    una_target_coupling    coupling;
    const una_held_out *held_out;                 /* of the fit; NULL: not wanted                          */
    una_beyond      beyond;                       /* of its one target, as is the next                     */
    double          spread;                       /* its ignorance is that of the state times this (model/widen.h) */
};

/* What the information about a model repeats of its columns, or of those of its first target. */
void una_info_of_columns(una_fit_info *info, const una_columns *columns);
una_status una_model_blank(una_model **model, una_run *run);     /* for loading */
/* Fits the model to the rows, or relearns it: how is una_calls(kind)->fit or ->relearn. Results go to keep. */
una_status una_model_learn(una_status (*how)(una_fitting *fitting), const una_model *model, const una_problem *problem,
                           una_fit_result *result, una_arena *keep, una_run *run);
/* Its state, to copy it: for calls of several steps that must do all or nothing. */
static inline una_learnt una_model_learnt(const una_model *model)
{
    return (una_learnt){ model->kind, una_calls(model->kind), model->state, model->columns.input_count };
}
/* Encoded rows in, user's units out: shared by predict, score and files. Quantiles: q [rows, count] at level [count],
 * checked by una_quantiles_check; count 0: none. */
typedef struct una_quantiles { size_t count; const double *level; double *q; } una_quantiles;
typedef struct una_bands {
    double         level;                         /* of the bands                                          */
    una_prediction out;                           /* arrays [rows] of the caller's; NULL: not asked for    */
    una_quantiles  quantiles;
} una_bands;
una_status una_model_answer_encoded(const una_model *model, const double *x, size_t rows, const una_bands *asked,
                                    una_run *run);
/* A model of one target whose inputs are numbers; instead: the call to use for a table, NULL: there is none. */
una_status una_model_need_numbers(const una_model *model, const char *instead, una_run *run);
/* "luna: the prediction for row 3 is not finite ...", row counted from 0. */
una_status una_fail_not_finite(const una_model *model, size_t row, una_run *run);
una_status una_quantiles_check(const double *level, size_t count, una_run *run);
/* The same block by block, standardised, checked; parts are there if asked for and the kind is a mixture (their weights
 * relative to the largest), var_model is there unless only means are. The task may overwrite what it gets. */
typedef enum una_detail { UNA_ONLY_MEANS, UNA_VARIANCES, UNA_PARTS } una_detail;
typedef una_status una_block_task(void *context, una_predictive *p, size_t from, size_t rows, una_run *run);
una_status una_model_each_block(const una_model *model, const double *x, size_t rows, una_detail detail,
                                una_block_task *task, void *context, una_run *run);
/* Asks something of the encoded rows of a table, which sentences name as its rows. y [rows, targets]: of rows that have
 * any; NULL if they are not wanted. */
typedef una_status una_rows_task(const una_model *model, una_view x, double *y, void *asked, una_run *run);
una_status una_model_ask_rows(const una_model *model, const una_dataset *data, bool with_targets, una_rows_task *task,
                              void *asked, una_run *run);
/* una_kind_parts, with what is added beyond the rows. */
una_status una_model_parts_encoded(const una_model *model, una_view x, const una_gaussians *out, una_run *run);
una_status una_model_draw_encoded(const una_model *model, una_view x, const una_drawing *how, double *f, una_run *run);
/* adapt: with the scale of the noise by these rows (una_update_settings). */
una_status una_model_observe_encoded(una_model *model, una_view x, const double *y, bool adapt, una_run *run);
