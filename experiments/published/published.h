/* SPDX-License-Identifier: MIT
 *
 * Published splits of the UCI sets: what the experiments uci and gap share. A folder of the caller's holds uci/NAME.csv
 * (target last) and uci/splits/NAME.json; nothing of it comes with una.
 *
 *   standard  train and test rows of a published split
 *   valid     the training rows of a standard split, a tenth of them held out by the split's number: for choosing
 *             rules, because test rows are never touched
 *   gap       the middle third of one input is left out; ten random 80-10-10 splits of the other rows: test rows are
 *             the last tenth, then the gap
 *
 * and two protocols, told apart by the study of a row:
 *
 *   "gap"                  automatic: the model chooses everything itself, from the training rows
 *   "gap(preset=thesis)"   the thesis's: grids, epochs, batches and rules of choice (protocol.h)
 *
 * In the thesis's protocol a part of the training rows chooses among the grid and trains nothing: the last ninth in
 * gap, so that it is 80-10-10, and the last fifth in uci.
 */
#pragma once

#include "bench/experiment.h"

typedef enum una_rows_group { UNA_GROUP_STANDARD, UNA_GROUP_VALID, UNA_GROUP_GAP } una_rows_group;
typedef enum una_preset { UNA_PRESET_AUTOMATIC, UNA_PRESET_THESIS, UNA_PRESET_BOTH } una_preset;

/* MORE: those of the thesis as they are asked for, all others by automatic rules: auto, gp and nlm, one split. */
typedef enum una_gap_columns { UNA_COLUMNS_THESIS, UNA_COLUMNS_ALL, UNA_COLUMNS_MORE } una_gap_columns;

typedef struct una_published {           /* options; those that an experiment does not have keep what it puts there */
    const char *data, *sets, *splits;
    double      held, steps;
    int         preset;                  /* una_preset                                                      */
    int         group;                   /* una_rows_group, as far as uci knows them                        */
    int         columns;                 /* una_gap_columns                                                 */
} una_published;

#define UNA_PUBLISHED_OPTIONS                                                                                        \
    UNA_DATA_OPTION(una_published), UNA_SETS_OPTION(una_published),                                                  \
    { "splits", UNA_TEXT, offsetof(una_published, splits), "auto", 0, 0, false, NULL,                                \
      "which splits, for instance 3 or 10-19; auto: 0-4, quick: 0-1" },                                              \
    { "held", UNA_REAL, offsetof(una_published, held), "auto", 0.001, 0.9, true, NULL,                               \
      "share of the training rows that is held out of training; auto: the model's own rule" },                       \
    { "preset", UNA_WORD, offsetof(una_published, preset), "automatic", 0, 0, false, "automatic|thesis|both",        \
      "automatic: models choose everything themselves; thesis: its grids, epochs and rules; both: on one page" },     \
    { "steps", UNA_COUNT, offsetof(una_published, steps), "auto", 1, 1e9, true, NULL,                                \
      "preset=thesis: most steps of a training; auto: 60000, quick: 200" }

/* Measures that both have. LOG_LIK and what follows from the noise: in uci under the thesis's protocol with the noise
 * that suits the validation rows best; in gap with that of an NLM (both protocols of the thesis have one noise for all
 * methods). RISK: root mean square error at the most certain 10 %, 20 % ... 90 % of the test rows (in gap: with those
 * of the gap), by the predictive std. */
#define UNA_PUBLISHED_LIST(X)                                                                                        \
    X(UNA_PUBLISHED_ROWS, "rows", NULL, "rows", "test rows", 0)                                                      \
    X(UNA_PUBLISHED_RMSE, "rmse", "RMSE", "y", "error at the test rows", -1)                                         \
    X(UNA_PUBLISHED_LOG_LIK, "log_lik", "log-lik", "nats", "mean log-likelihood of the test rows", 1)                \
    X(UNA_PUBLISHED_CRPS, "crps", NULL, "y", "mean continuous ranked probability score", -1)                         \
    X(UNA_PUBLISHED_COVERAGE_50, "coverage_50", NULL, "share", "of the test rows in the 50 % band", 0)               \
    X(UNA_PUBLISHED_COVERAGE_90, "coverage_90", NULL, "share", "of the test rows in the 90 % band", 0)               \
    X(UNA_PUBLISHED_COVERAGE_95, "coverage_95", "cover 95", "share", "of the test rows in the 95 % band", 0)         \
    X(UNA_PUBLISHED_CALIBRATION, "calibration_error", NULL, "share", "distance of the calibration curve", -1)        \
    X(UNA_PUBLISHED_EPISTEMIC, "mean_std_epistemic", NULL, "y", "mean epistemic std at the test rows", 0)            \
    X(UNA_PUBLISHED_NOISE, "noise_std", NULL, "y", "noise that the model chose, or was given", 0)                    \
    X(UNA_PUBLISHED_COS2, "mean_cos2", NULL, "", "mean cos^2 between heads; nan where there are none", 0)              \
    X(UNA_PUBLISHED_WARNINGS, "warnings", NULL, "", "how many the fit gave", -1)                                       \
    UNA_RISK(X, 1, "10") UNA_RISK(X, 2, "20") UNA_RISK(X, 3, "30") UNA_RISK(X, 4, "40") UNA_RISK(X, 5, "50")         \
    UNA_RISK(X, 6, "60") UNA_RISK(X, 7, "70") UNA_RISK(X, 8, "80") UNA_RISK(X, 9, "90")
#define UNA_RISK(X, i, percent)                                                                                      \
    X(UNA_PUBLISHED_RISK_##i, "risk_" percent, NULL, "y", "error at the most certain " percent " % of the rows", -1)
enum { UNA_PUBLISHED_LIST(UNA_PLACE) UNA_PUBLISHED_SHARED, UNA_PUBLISHED_RISKS = 9,
       UNA_PUBLISHED_RISK = UNA_PUBLISHED_RISK_1 };
/* Of uci: test rows whose inputs no training row has; and, under the thesis's protocol, with its noise set by hand. */
#define UNA_PUBLISHED_NEW_LIST(X)                                                                                    \
    X(UNA_PUBLISHED_ROWS_NEW, "rows_new", NULL, "rows", "test rows whose inputs no training row has", 0)             \
    X(UNA_PUBLISHED_RMSE_NEW, "rmse_new", "RMSE new", "y", "error at these", -1)                                     \
    X(UNA_PUBLISHED_LOG_LIK_NEW, "log_lik_new", "log-lik new", "nats", "mean log-likelihood of these", 1)            \
    X(UNA_PUBLISHED_HAND_RMSE, "hand_rmse", NULL, "y", "preset=thesis: error with the thesis's noise", -1)           \
    X(UNA_PUBLISHED_HAND_LOG_LIK, "hand_log_lik", NULL, "nats", "preset=thesis: log-likelihood with its noise", 1)   \
    X(UNA_PUBLISHED_HAND_EPISTEMIC, "hand_std_epistemic", NULL, "y", "preset=thesis: epistemic std with its "        \
      "noise", 0)                                                                                                    \
    X(UNA_PUBLISHED_HAND_NOISE, "hand_noise_std", NULL, "y", "preset=thesis: the noise that it must have set", 0)
enum { UNA_PUBLISHED_BEFORE_NEW = UNA_PUBLISHED_SHARED - 1, UNA_PUBLISHED_NEW_LIST(UNA_PLACE) };
/* Of gap: rows of the gap; the gap's ends; and the mean epistemic std of all rows of the table by where they lie along
 * its column, in BINS equally wide ones from LOW to HIGH, and along another column where the thesis shows one (NAN: no
 * row there, or no such column). */
#define UNA_PUBLISHED_GAP_LIST(X)                                                                                    \
    X(UNA_PUBLISHED_GAP_EPISTEMIC, "gap_std_epistemic", NULL, "y", "mean epistemic std in the gap", 0)               \
    X(UNA_PUBLISHED_GAP_LOG_LIK, "gap_log_lik", NULL, "nats", "mean log-likelihood in the gap", 1)                   \
    X(UNA_PUBLISHED_GAP_AUROC, "gap_auroc", "AUROC", "share", "of the epistemic std as a detector of gap rows", 1)   \
    X(UNA_PUBLISHED_GAP_INCREASE, "gap_increase", "increase %", "%", "of the mean epistemic std in the gap over "    \
      "that at test rows outside", 1)                                                                                \
    X(UNA_PUBLISHED_GAP_ROWS, "gap_rows", NULL, "rows", "in the gap", 0)                                             \
    X(UNA_PUBLISHED_GAP_RMSE, "gap_rmse", NULL, "y", "error in the gap", -1)                                         \
    X(UNA_PUBLISHED_GAP_CRPS, "gap_crps", NULL, "y", "as crps, in the gap", -1)                                      \
    X(UNA_PUBLISHED_GAP_COVERAGE_90, "gap_coverage_90", NULL, "share", "of the gap's rows in the 90 % band", 0)      \
    X(UNA_PUBLISHED_GAP_COVERAGE_95, "gap_coverage_95", NULL, "share", "of the gap's rows in the 95 % band", 0)      \
    X(UNA_PUBLISHED_GAP_CALIBRATION, "gap_calibration_error", NULL, "share", "calibration_error in the gap", -1)     \
    X(UNA_PUBLISHED_GAP_LOW, "gap_low", NULL, "x", "where the gap begins", 0)                                        \
    X(UNA_PUBLISHED_GAP_HIGH, "gap_high", NULL, "x", "where it ends", 0)                                             \
    X(UNA_PUBLISHED_ALONG_LOW, "along_low", NULL, "x", "smallest value of the gap's column", 0)                      \
    X(UNA_PUBLISHED_ALONG_HIGH, "along_high", NULL, "x", "largest value of the gap's column", 0)                     \
    X(UNA_PUBLISHED_ACROSS_LOW, "across_low", NULL, "x", "smallest value of another column", 0)                      \
    X(UNA_PUBLISHED_ACROSS_HIGH, "across_high", NULL, "x", "largest value of another column", 0)
enum { UNA_PUBLISHED_BEFORE_GAP = UNA_PUBLISHED_SHARED - 1, UNA_PUBLISHED_GAP_LIST(UNA_PLACE) UNA_PUBLISHED_ALONG,
       UNA_PUBLISHED_BINS = 20, UNA_PUBLISHED_ACROSS = UNA_PUBLISHED_ALONG + UNA_PUBLISHED_BINS };

/* The nine methods of the thesis, as its tables name and order them. */
typedef struct una_method { const char *title, *kind, *style; } una_method;      /* style NULL: the kind has none */
#define UNA_METHOD_LIST(X)                                                                                           \
    X(UNA_METHOD_BOOTSTRAP, "Ens. boot.", "ensemble", "bootstrap") X(UNA_METHOD_ENSEMBLE, "Ensemble", "ensemble", "plain") \
    X(UNA_METHOD_ANCHORED, "Anc. ens.", "ensemble", "anchored") X(UNA_METHOD_NLM, "NLM", "nlm", NULL)                \
    X(UNA_METHOD_GP, "GP", "gp", NULL) X(UNA_METHOD_MCD, "MCD", "mcd", NULL) X(UNA_METHOD_SNGP, "SNGP", "sngp", NULL) \
    X(UNA_METHOD_BBVI, "BBVI", "bbvi", NULL) X(UNA_METHOD_LUNA, "LUNA", "luna", NULL)
enum { UNA_METHOD_LIST(UNA_PLACE) UNA_METHODS };
extern const una_method una_methods[UNA_METHODS];
/* Which one a spec is of; UNA_METHODS: none of them. */
size_t una_method_of(const char *spec);

/* The entries: the nine and `auto`. Tables end themselves. */
extern const una_entry una_published_entries[];

/* The hooks of both experiments. Measures of the gap are filled in for gaps, those of rows without a copy for others. */
una_status una_published_plan(una_plan *plan, const una_asked *asked, una_run *run);
una_status una_published_measure(const una_measuring *m);
una_rows_group una_published_group(const una_asked *asked);      /* what a run asks for                           */
double una_published_steps(const una_asked *asked);      /* most of a training of the thesis's protocol            */
bool   una_published_is_thesis(const una_row_key *key);  /* or automatic                                           */

/* ---- the rows of a key (published_rows.c) ---------------------------------------------------------------------- */

enum { UNA_PART_TRAIN, UNA_PART_VALID, UNA_PART_TEST, UNA_PART_GAP, UNA_PARTS_OF_ROWS };

typedef struct una_portions {            /* scratch holds them. VALID: only in the thesis's protocol; GAP: only of gap          */
    una_dataset *all, *part[UNA_PARTS_OF_ROWS];
    const char  *gap, *across;           /* columns; NULL: none                                             */
} una_portions;

typedef struct una_place { const char *rows, *splits; } una_place;       /* paths of a set's files */
una_place una_place_of(const una_published *options, const char *name, una_arena *arena);
/* gap NULL: the standard split of that number; else the gap along that column. */
una_status una_published_split(una_split *split, const una_dataset *all, const una_place *at, const char *gap,
                               size_t number, una_run *run);
una_status una_portions_read(una_portions *material, const una_row_key *key, const una_asked *asked, una_run *run);
/* All measures but those of noise set by hand; value [measures]. */
una_status una_portions_measure(double *value, const una_model *model, const una_portions *material, una_run *run);
