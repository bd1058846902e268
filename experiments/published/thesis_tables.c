/* SPDX-License-Identifier: MIT
 *
 * The six tables of the thesis (Lorsung, Understanding Uncertainty in Bayesian Deep Learning, 2021), cell by cell, in
 * its units: those of the target, nats per row, percent. Its increase of the bootstrap ensemble at FROUDE is printed as
 * 0.00 +- 0.00, against -21 % by its own standard deviations: it stands here as it is printed. Its log-likelihoods of
 * the six sets are with a noise set by hand that is far too large; it prints none of ensembles.
 */
#include "published/thesis_tables.h"

const una_thesis_column una_thesis_sets[UNA_THESIS_COLUMNS] = {
    { "Boston", "boston" }, { "Concrete", "concrete" }, { "Yacht", "yacht" }, { "kin8nm", "kin8nm" },
    { "Energy", "energy" }, { "Wine", "wine-quality-red" }
};
const una_thesis_column una_thesis_gaps[UNA_THESIS_COLUMNS] = {
    { "FROUDE", "yacht Froude number" }, { "CEMENT", "concrete Cement" }, { "SUPER", "concrete Superplasticizer" },
    { "RM", "boston RM" }, { "LSTAT", "boston LSTAT" }, { "PTRATIO", "boston PTRATIO" }
};

enum { PARTS = 2 };                      /* outside the gap, inside                                         */

/* What the thesis does not print is 0 here; una_thesis_printed knows. */
static const double cells[UNA_THESIS_TABLES][UNA_METHODS][4 * UNA_THESIS_COLUMNS] = {
    [UNA_THESIS_RMSE] = {
        [UNA_METHOD_BOOTSTRAP] = { 2.86, 0.97, 4.68, 0.5, 0.81, 0.38, 0.08, 0, 0.5, 0.07, 0.57, 0.06 },
        [UNA_METHOD_ENSEMBLE] = { 2.78, 0.91, 4.48, 0.57, 0.53, 0.24, 0.08, 0, 0.42, 0.06, 0.58, 0.07 },
        [UNA_METHOD_ANCHORED] = { 2.8, 0.8, 4.61, 0.52, 0.67, 0.23, 0.08, 0, 0.53, 0.06, 0.58, 0.06 },
        [UNA_METHOD_NLM] = { 3.11, 0.93, 4.68, 0.65, 0.55, 0.3, 0.08, 0, 0.37, 0.06, 0.59, 0.04 },
        [UNA_METHOD_GP] = { 4.21, 1.22, 11.94, 0.4, 3.45, 0.9, 0.09, 0.01, 2.58, 0.23, 0.6, 0.05 },
        [UNA_METHOD_MCD] = { 2.94, 0.86, 4.36, 0.68, 0.58, 0.22, 0.09, 0.01, 0.4, 0.08, 0.58, 0.05 },
        [UNA_METHOD_SNGP] = { 3.06, 0.93, 5, 0.5, 1.1, 0.43, 0.1, 0.01, 0.87, 0.5, 0.62, 0.07 },
        [UNA_METHOD_BBVI] = { 5.31, 1.29, 16.45, 0.62, 1.91, 0.51, 0.09, 0, 2.39, 0.16, 0.64, 0.05 },
        [UNA_METHOD_LUNA] = { 3.18, 1, 4.7, 0.56, 0.51, 0.2, 0.08, 0, 0.4, 0.06, 0.62, 0.08 },
    },
    [UNA_THESIS_LOG_LIK] = {
        [UNA_METHOD_NLM] = { -3.67, 0.01, -5.33, 0, -2.32, 0.01, 1.03, 0.03, -2.78, 0, -1.02, 0.03 },
        [UNA_METHOD_GP] = { -3.69, 0.02, -5.34, 0, -2.69, 0.13, 0.91, 0.03, -2.86, 0.01, -1.03, 0.04 },
        [UNA_METHOD_MCD] = { -3.67, 0.01, -5.32, 0, -2.31, 0.01, 0.93, 0.04, -2.77, 0, -1.02, 0.04 },
        [UNA_METHOD_SNGP] = { -3.66, 0.01, -5.33, 0, -2.34, 0.03, 0.86, 0.15, -2.79, 0.02, -1.05, 0.05 },
        [UNA_METHOD_BBVI] = { -3.77, 0.02, -5.37, 0, -2.61, 0.07, 0.97, 0.02, -2.9, 0.01, -1.08, 0.04 },
        [UNA_METHOD_LUNA] = { -3.67, 0.01, -5.33, 0, -2.31, 0.01, 1.02, 0.03, -2.79, 0, -1.05, 0.06 },
    },
    [UNA_THESIS_GAP_RMSE] = {
        [UNA_METHOD_BOOTSTRAP] = { 1.21, 0.47, 0.51, 0.08, 5.27, 0.97, 6.04, 0.1, 4.7, 0.93, 7.55, 0.26, 2.81, 0.86,
                                   3.07, 0.1, 3.28, 1.04, 3.47, 0.14, 3.46, 0.87, 3.2, 0.08 },
        [UNA_METHOD_ENSEMBLE] = { 0.84, 0.39, 0.4, 0.04, 5.06, 0.9, 6.1, 0.18, 4.44, 0.78, 7.49, 0.18, 2.78, 0.9,
                                  3.04, 0.08, 3.12, 1.12, 3.2, 0.13, 3.41, 0.77, 3.27, 0.08 },
        [UNA_METHOD_ANCHORED] = { 0.91, 0.33, 0.86, 0.07, 5.54, 0.87, 6.36, 0.22, 5.33, 0.69, 7.77, 0.46, 2.9, 0.74,
                                  3.09, 0.12, 3.3, 1.17, 3.33, 0.15, 3.4, 0.87, 3.16, 0.07 },
        [UNA_METHOD_NLM] = { 0.65, 0.26, 0.72, 0.14, 5.31, 0.97, 7.01, 0.49, 4.6, 0.94, 8.47, 0.36, 3.02, 0.87, 3.21,
                             0.11, 3.69, 1.51, 3.93, 0.35, 3.7, 0.67, 3.68, 0.12 },
        [UNA_METHOD_GP] = { 1.89, 0.54, 1.37, 0.21, 6.01, 0.89, 6.21, 0.07, 5.91, 0.78, 8.01, 0.16, 3.1, 0.91, 3.27,
                            0.19, 3.52, 1.16, 3.32, 0.15, 3.45, 0.78, 3.28, 0.04 },
        [UNA_METHOD_MCD] = { 0.89, 0.31, 6.78, 0.37, 5.09, 1.07, 7.27, 0.4, 4.8, 0.91, 7.93, 0.34, 3.45, 1.15, 3.17,
                             0.1, 3.4, 1.09, 4.08, 0.36, 3.69, 1.02, 3.27, 0.18 },
        [UNA_METHOD_SNGP] = { 1.04, 0.68, 1.31, 1.11, 5.15, 0.74, 5.93, 0.17, 5, 0.69, 7.33, 0.32, 3.07, 0.56, 3.41,
                              0.18, 3.79, 1.02, 4.18, 0.26, 3.75, 1, 3.77, 0.21 },
        [UNA_METHOD_BBVI] = { 17.27, 5.87, 30.05, 2.99, 5.68, 0.8, 6.36, 0.07, 24.17, 7.56, 54.56, 4.58, 3.47, 0.87,
                              3.53, 0.05, 3.76, 1.22, 3.82, 0.12, 9.16, 3.29, 30.52, 2.84 },
        [UNA_METHOD_LUNA] = { 1.16, 0.42, 0.57, 0.1, 5.5, 1.32, 7.12, 0.36, 4.92, 0.66, 10.13, 1.05, 3.34, 1.09, 3.17,
                              0.38, 3.57, 1.44, 3.92, 0.26, 3.58, 1.09, 3.34, 0.14 },
    },
    [UNA_THESIS_GAP_LOG_LIK] = {
        [UNA_METHOD_NLM] = { -1.29, 0.9, -1.45, 0.52, -3.15, 0.26, -3.71, 0.19, -2.97, 0.25, -4.29, 0.16, -2.56, 0.3,
                             -2.58, 0.03, -2.82, 0.7, -2.79, 0.12, -2.73, 0.25, -2.72, 0.04 },
        [UNA_METHOD_GP] = { -1.76, 0.3, -1.56, 0.04, -3.18, 0.14, -3.17, 0.01, -3.19, 0.19, -3.4, 0.01, -2.53, 0.12,
                            -2.6, 0.02, -2.62, 0.18, -2.61, 0.02, -2.63, 0.19, -2.63, 0.01 },
        [UNA_METHOD_MCD] = { -1.13, 0.27, -32.49, 12.07, -2.94, 0.18, -3.54, 0.06, -2.96, 0.18, -3.71, 0.06, -2.59,
                             0.22, -2.52, 0.02, -2.59, 0.2, -2.69, 0.11, -2.59, 0.16, -2.58, 0.05 },
        [UNA_METHOD_SNGP] = { -4.35, 5.66, -8.14, 13.55, -3.12, 0.21, -3.35, 0.05, -3.07, 0.2, -3.87, 0.14, -2.56,
                              0.17, -2.65, 0.06, -2.81, 0.39, -2.9, 0.1, -2.81, 0.39, -2.77, 0.07 },
        [UNA_METHOD_BBVI] = { -68.4, 31.42, -207.53, 34.99, -3.15, 0.17, -3.3, 0.02, -6.74, 2.24, -27.14, 3.45, -2.63,
                              0.09, -2.64, 0.01, -2.7, 0.21, -2.63, 0.02, -3.49, 0.35, -8.14, 1.22 },
        [UNA_METHOD_LUNA] = { -2.82, 2.09, -0.96, 0.16, -3.14, 0.3, -3.55, 0.13, -3, 0.13, -4.28, 0.36, -2.56, 0.15,
                              -2.54, 0.03, -2.72, 0.44, -2.75, 0.07, -2.69, 0.31, -2.65, 0.06 },
    },
    [UNA_THESIS_GAP_INCREASE] = {
        [UNA_METHOD_BOOTSTRAP] = { 0, 0, 40.85, 7.6, 87.64, 15.79, -9.22, 9.57, 6.4, 10.97, -1.33, 8.13 },
        [UNA_METHOD_ENSEMBLE] = { 26.68, 11.75, 120.7, 26.68, 163.28, 26.81, -5.61, 11.41, 18.84, 11.47, 39.83,
                                  16.37 },
        [UNA_METHOD_ANCHORED] = { 8.66, 23.98, 93.03, 25.66, 149.31, 31.3, -8.94, 11.15, 10.03, 10.72, 31.12, 22.25 },
        [UNA_METHOD_NLM] = { 24.08, 17.23, -5.92, 3.63, 4.5, 5.89, -7.47, 3.57, -5.79, 7.53, -3.81, 6.32 },
        [UNA_METHOD_GP] = { 71.73, 19.75, 75.59, 15.12, 119.48, 19.55, -16.34, 6.76, -2.4, 9.2, 17.74, 13.17 },
        [UNA_METHOD_MCD] = { -52.43, 10.17, 6.86, 5.92, 11.95, 7.3, -16.09, 9.55, -11.76, 9.48, -5.22, 6.88 },
        [UNA_METHOD_SNGP] = { 38.33, 63.97, -6.05, 4.39, -2.93, 4.23, -10.61, 3.88, -6.43, 5.46, -6.92, 5.94 },
        [UNA_METHOD_BBVI] = { -10.08, 6.15, -18.15, 5.58, 10.85, 12.68, -13.74, 5.15, -31.91, 3.27, 20.3, 8.54 },
        [UNA_METHOD_LUNA] = { 59.17, 36.87, 55.93, 28.83, 416.02, 197.69, -11.09, 5.2, 29.09, 18.15, 60.6, 45.32 },
    },
    [UNA_THESIS_GAP_EPISTEMIC] = {
        [UNA_METHOD_BOOTSTRAP] = { 0.73, 0.11, 0.58, 0.03, 3.63, 0.24, 5.1, 0.15, 4.46, 0.39, 8.32, 0.23, 1.54, 0.18,
                                   1.38, 0.04, 1.59, 0.2, 1.67, 0.08, 1.61, 0.17, 1.58, 0.08 },
        [UNA_METHOD_ENSEMBLE] = { 0.39, 0.03, 0.49, 0.02, 2.1, 0.23, 4.58, 0.21, 1.92, 0.2, 5.01, 0.15, 0.92, 0.12,
                                  0.85, 0.02, 0.92, 0.1, 1.09, 0.03, 0.9, 0.14, 1.23, 0.04 },
        [UNA_METHOD_ANCHORED] = { 0.6, 0.23, 0.63, 0.19, 2.76, 0.38, 5.25, 0.29, 2.53, 0.36, 6.23, 0.49, 1.18, 0.16,
                                  1.06, 0.05, 1.1, 0.1, 1.2, 0.08, 1.13, 0.19, 1.44, 0.07 },
        [UNA_METHOD_NLM] = { 0.12, 0.01, 0.15, 0.02, 0.77, 0.05, 0.73, 0.04, 0.74, 0.05, 0.78, 0.04, 0.37, 0.03, 0.34,
                             0.03, 0.9, 0.07, 0.85, 0.06, 0.76, 0.07, 0.73, 0.04 },
        [UNA_METHOD_GP] = { 0.94, 0.13, 1.59, 0.1, 3.04, 0.25, 5.31, 0.07, 2.76, 0.27, 6.01, 0.13, 1.88, 0.14, 1.57,
                            0.02, 1.76, 0.15, 1.71, 0.06, 1.93, 0.25, 2.23, 0.08 },
        [UNA_METHOD_MCD] = { 1.61, 0.23, 0.75, 0.08, 1.36, 0.07, 1.45, 0.03, 1.29, 0.08, 1.44, 0.03, 0.79, 0.08, 0.65,
                             0.02, 0.8, 0.07, 0.7, 0.04, 0.81, 0.07, 0.77, 0.03 },
        [UNA_METHOD_SNGP] = { 0.07, 0.01, 0.1, 0.05, 0.33, 0.03, 0.31, 0.03, 0.28, 0.04, 0.27, 0.04, 0.29, 0.04, 0.26,
                              0.04, 0.56, 0.05, 0.52, 0.06, 0.29, 0.03, 0.27, 0.02 },
        [UNA_METHOD_BBVI] = { 1.6, 0.11, 1.43, 0.02, 2.79, 0.16, 2.28, 0.09, 6.34, 0.35, 7, 0.7, 2.48, 0.2, 2.13,
                              0.05, 2.5, 0.18, 1.7, 0.08, 5.7, 0.38, 6.84, 0.45 },
        [UNA_METHOD_LUNA] = { 0.44, 0.1, 0.68, 0.14, 1.32, 0.15, 2.05, 0.37, 1.45, 0.31, 7.29, 2.61, 1.12, 0.09, 1,
                              0.07, 1.81, 0.25, 2.3, 0.22, 1.14, 0.09, 1.83, 0.52 },
    },
};

size_t una_thesis_find(const una_thesis_column *columns, const char *data)
{
    size_t length = una_row_key_data(data);
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++)
        if (una_is_item(data, length, columns[c].data)) return c;
    return UNA_THESIS_COLUMNS;
}

static bool has_parts(una_thesis_table table)
{
    return table == UNA_THESIS_GAP_RMSE || table == UNA_THESIS_GAP_LOG_LIK || table == UNA_THESIS_GAP_EPISTEMIC;
}

una_printed una_thesis_printed(una_thesis_table table, size_t method, size_t column, size_t part)
{
    bool likelihood = table == UNA_THESIS_LOG_LIK || table == UNA_THESIS_GAP_LOG_LIK;
    bool ensemble = method == UNA_METHOD_BOOTSTRAP || method == UNA_METHOD_ENSEMBLE || method == UNA_METHOD_ANCHORED;
    bool printed = method < UNA_METHODS && column < UNA_THESIS_COLUMNS && part < (has_parts(table) ? PARTS : 1) &&
                   !(likelihood && ensemble);
    if (!printed) return (una_printed){ NAN, NAN };
    const double *cell = cells[table][method] + 2 * (has_parts(table) ? 2 * column + part : column);
    return (una_printed){ cell[0], cell[1] };
}

int una_thesis_detects(una_printed increase)
{
    if (!isfinite(increase.mean) || !isfinite(increase.sd)) return UNA_CANNOT_TELL;
    return increase.mean - increase.sd > 0 ? UNA_HOLDS : UNA_DOES_NOT_HOLD;
}

#define EVIDENTIAL "evidential regression, as the paper on WGBoost gives it"
#define WGBOOST    "WGBoost, evidential, its paper"
#define MAP_2      "Ober & Rasmussen, arXiv 1912.08416, MAP-2 NL"
#define DROPOUT    "MC dropout, retuned, repository yaringal/DropoutUncertaintyExps"

const una_peer una_peers[UNA_PEERS] = {
    { "best published",
      { EVIDENTIAL, WGBOOST, WGBOOST, "PBP-MV, repository google/uncertainty-baselines, baselines/uci", WGBOOST,
        EVIDENTIAL },
      { -2.35, -2.83, -0.16, 1.28, -0.53, -0.89 } },
    { "NLM of Ober & Rasmussen", { MAP_2, MAP_2, MAP_2, MAP_2, MAP_2, MAP_2 },
      { -2.71, -3.2, -1.75, 1.24, -0.71, -0.98 } },
    { "MC dropout, retuned", { DROPOUT, DROPOUT, DROPOUT, DROPOUT, DROPOUT, DROPOUT },
      { -2.4, -2.93, -1.25, 1.14, -1.21, -0.93 } },
};
