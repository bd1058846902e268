/* SPDX-License-Identifier: MIT
 *
 * Fits under automatic rules on published splits of the UCI sets: what the experiments uci and gap share. A folder of
 * the caller's holds uci/NAME.csv (target last) and uci/splits/NAME.json; nothing of it comes with una.
 *
 *   standard  train and test rows of a published split
 *   valid     the training rows of a standard split, a tenth of them held out by the split's number: for choosing
 *             rules, because test rows are never touched
 *   gap       the middle third of one input is left out; ten random 80-10-10 splits of the other rows: test rows are
 *             the last tenth, then the gap
 */
#ifndef UNA_PUBLISHED_H
#define UNA_PUBLISHED_H

#include "bench/experiment.h"

typedef enum una_rows_group { UNA_GROUP_STANDARD, UNA_GROUP_VALID, UNA_GROUP_GAP } una_rows_group;

typedef struct una_published {           /* options; those that an experiment does not have keep what it puts there */
    const char *data, *sets, *splits;
    double      held;
    int         group;                   /* una_rows_group, as far as uci knows them                        */
} una_published;

#define UNA_PUBLISHED_OPTIONS                                                                                        \
    { "data", UNA_TEXT, offsetof(una_published, data), "", 0, 0, false, NULL, UNA_DATA_HELP },                        \
    { "sets", UNA_TEXT, offsetof(una_published, sets), "", 0, 0, false, NULL,                                        \
      "which data sets, with commas between, for instance boston or line; left out: the usual ones that are there" },\
    { "splits", UNA_TEXT, offsetof(una_published, splits), "auto", 0, 0, false, NULL,                                \
      "which splits, for instance 3 or 10-19; auto: 0-4, quick: 0-1" },                                              \
    { "held", UNA_REAL, offsetof(una_published, held), "auto", 0.001, 0.9, true, NULL,                               \
      "share of the training rows that is held out of training; auto: the model's own rule" }

enum { UNA_PUBLISHED_ROWS, UNA_PUBLISHED_RMSE, UNA_PUBLISHED_LOG_LIK, UNA_PUBLISHED_CRPS, UNA_PUBLISHED_COVERAGE_50,
       UNA_PUBLISHED_COVERAGE_90, UNA_PUBLISHED_COVERAGE_95, UNA_PUBLISHED_CALIBRATION, UNA_PUBLISHED_EPISTEMIC,
       UNA_PUBLISHED_NOISE, UNA_PUBLISHED_COS2, UNA_PUBLISHED_WARNINGS, UNA_PUBLISHED_SHARED };
/* Behind those that both have: of test rows whose inputs no training row has, and of the gap. */
enum { UNA_PUBLISHED_ROWS_NEW = UNA_PUBLISHED_SHARED, UNA_PUBLISHED_RMSE_NEW, UNA_PUBLISHED_LOG_LIK_NEW };
enum { UNA_PUBLISHED_GAP_EPISTEMIC = UNA_PUBLISHED_SHARED, UNA_PUBLISHED_GAP_LOG_LIK, UNA_PUBLISHED_GAP_AUROC,
       UNA_PUBLISHED_GAP_INCREASE };

#define UNA_PUBLISHED_MEASURES                                                                                       \
    [UNA_PUBLISHED_ROWS] = { "rows", NULL, "rows", "test rows", 0 },                                                 \
    [UNA_PUBLISHED_RMSE] = { "rmse", "RMSE", "y", "error at the test rows", -1 },                                    \
    [UNA_PUBLISHED_LOG_LIK] = { "log_lik", "log-lik", "nats", "mean log-likelihood of the test rows", 1 },           \
    [UNA_PUBLISHED_CRPS] = { "crps", NULL, "y", "mean continuous ranked probability score", -1 },                    \
    [UNA_PUBLISHED_COVERAGE_50] = { "coverage_50", NULL, "share", "of the test rows in the 50 % band", 0 },          \
    [UNA_PUBLISHED_COVERAGE_90] = { "coverage_90", NULL, "share", "of the test rows in the 90 % band", 0 },          \
    [UNA_PUBLISHED_COVERAGE_95] = { "coverage_95", "cover 95", "share", "of the test rows in the 95 % band", 0 },    \
    [UNA_PUBLISHED_CALIBRATION] = { "calibration_error", NULL, "share", "distance of the calibration curve", -1 },   \
    [UNA_PUBLISHED_EPISTEMIC] = { "mean_std_epistemic", NULL, "y", "mean epistemic std at the test rows", 0 },       \
    [UNA_PUBLISHED_NOISE] = { "noise_std", NULL, "y", "noise that the model chose", 0 },                             \
    [UNA_PUBLISHED_COS2] = { "mean_cos2", NULL, "", "mean cos^2 between heads; nan where there are none", 0 },       \
    [UNA_PUBLISHED_WARNINGS] = { "warnings", NULL, "", "how many the fit gave", -1 }

/* Tables end themselves. */
extern const una_entry una_published_entries[];

una_status una_published_plan(una_plan *plan, const una_asked *asked, una_rows_group group, una_run *run);
/* The group of the rows is that of the plan; measures of the gap are filled in for gaps, those of rows without a copy
 * for the others. */
una_status una_published_measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked,
                                 una_rows_group group, una_run *run);

#endif
