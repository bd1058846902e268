/* SPDX-License-Identifier: MIT
 *
 * Rows of option tables that several network models share, each written once. `type` is the struct of a model's options
 * and `in` its member that holds the fields; parameters are the texts that differ by model.
 */
#pragma once

#include "model/kind.h"

#define UNA_ROW(type, in, field, kind, initial, low, high, may, choices, help) \
    { #field, kind, offsetof(type, in.field), initial, low, high, may, choices, help }

/* A row of una_common_options, with which the options begin. */
#define UNA_COMMON_ROW(field, kind, initial, low, high, may, choices, help) \
    { #field, kind, offsetof(una_common_options, field), initial, low, high, may, choices, help }

#define UNA_ROWS_SHAPE(type, in, depth_text, unit, layers) \
    UNA_ROW(type, in, width, UNA_COUNT, "50", 1, 4096, false, NULL, "units of each " unit), \
    UNA_ROW(type, in, depth, UNA_COUNT, depth_text, 1, UNA_MAX_LAYERS, false, NULL, layers)
#define UNA_ROW_ACTIVATION(type, in, layers) \
    UNA_ROW(type, in, activation, UNA_WORD, "relu", 0, 0, false, UNA_ACTIVATIONS, "activation of the " layers)
#define UNA_ROW_INITIALISATION(type, in) \
    UNA_ROW(type, in, initialisation, UNA_WORD, "he", 0, 0, false, UNA_INITIALISATIONS, "scale of the initial weights")
#define UNA_ROW_OPTIMISER(type, in) \
    UNA_ROW(type, in, optimiser, UNA_WORD, "adam", 0, 0, false, UNA_OPTIMISERS, \
            "adam, stochastic or full-batch gradient descent")
#define UNA_ROWS_RATE(type, in, rate_text, or_auto, help) \
    UNA_ROW(type, in, rate, UNA_REAL, rate_text, 1e-9, 10, or_auto, NULL, help), \
    UNA_ROW(type, in, rate_schedule, UNA_WORD, "cosine", 0, 0, false, UNA_RATE_SCHEDULES, \
            "how the learning rate falls over training")
#define UNA_ROW_MOMENTUM(type, in) \
    UNA_ROW(type, in, momentum, UNA_REAL, "0.9", 0, 0.9999, false, NULL, "momentum of sgd and gd")
#define UNA_ROWS_BUDGET(type, in, steps_text, batch_text) \
    UNA_ROW(type, in, epochs, UNA_COUNT, "auto", 1, 1e7, true, NULL, \
            "passes over the data; auto = from the steps, 10 for images"), \
    UNA_COMMON_ROW(steps, UNA_COUNT, "auto", 1, 1e9, true, NULL, \
            steps_text "; auto = by rule from the data, or epochs"), \
    UNA_ROW(type, in, batch, UNA_COUNT, batch_text, 1, 1e9, true, NULL, \
            "rows per step; auto = 128, or all rows below 200")
#define UNA_ROW_PATIENCE(type, in) \
    UNA_ROW(type, in, patience, UNA_COUNT, "0", 0, 1e6, false, NULL, \
            "stop after this many validations (of 40 in all, 10 for images) without improvement; 0 = never")
#define UNA_ROW_PENALTY(type, in, penalty_text, more) \
    UNA_ROW(type, in, penalty, UNA_REAL, penalty_text, 0, 1e6, false, NULL, \
            "gamma: weight of the squared parameters, per data set" more)
#define UNA_ROW_TRAIN_NOISE(type, in, help) \
    UNA_ROW(type, in, train_noise_std, UNA_REAL, "auto", 1e-150, 1e150, true, NULL, help)
/* The help where a single network is fitted, and the noise scales the whole objective but for the penalty. */
#define UNA_TRAIN_NOISE_RATIO \
    "noise std inside the training objective, where only its ratio to the penalty counts; auto = 0.3 standardised"
#define UNA_ROW_NOISE(help) UNA_COMMON_ROW(noise_std, UNA_REAL, "auto", 1e-150, 1e150, true, NULL, help)
#define UNA_ROW_PRIOR(prior_text, help) \
    UNA_COMMON_ROW(prior_var, UNA_REAL, prior_text, 1e-12, 1e12, true, NULL, help)
#define UNA_GROWTH_HELP \
    "beyond the range of the rows the std of ignorance gains so many squares of the distance (standardised; of the " \
    "input that matters most, on that side); auto = by the rows at its ends, left out; 0 = none"
#define UNA_GROWTH_ROWS(ROW) ROW(growth_below), ROW(growth_above)
#define UNA_COMMON_GROWTH(field) UNA_COMMON_ROW(field, UNA_REAL, "auto", 0, 1e9, true, NULL, UNA_GROWTH_HELP)
#define UNA_ROWS_GROWTH UNA_GROWTH_ROWS(UNA_COMMON_GROWTH)
#define UNA_ROW_UNITS(help) UNA_COMMON_ROW(units, UNA_WORD, "own", 0, 0, false, "own|standardised", help)
#define UNA_NOISE_UNITS "how noise is given: in the target's own units, or standardised (the thesis)"
