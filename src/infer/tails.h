/* SPDX-License-Identifier: MIT
 *
 * Noise with heavier tails than a Gaussian, as a finite mixture e ~ sum_k weight_k N(0, noise_var var_k), so that what
 * is predicted with it stays a mixture of Gaussians:
 *   Student's t with nu degrees of freedom and scale s:  e | l ~ N(0, s^2 / l),  l ~ Gamma(nu/2, nu/2);
 *   Gaussian with outliers:  N(0, s^2), but a share of the rows has errors some times as wide.
 * Where most errors are Gaussian and a few are far out, t with few degrees of freedom makes the bands of the others too
 * wide. noise_var is the variance of the noise, s^2 nu/(nu-2) of t; so sum_k weight_k var_k = 1. Without heavy tails there
 * is one part.
 */
#pragma once

#include "base/base.h"

enum { UNA_MOST_TAIL_PARTS = 32 };
#define UNA_LEAST_FREEDOM 2.5            /* fewer: a variance that says little of most errors               */
#define UNA_LEAST_OUTLIERS 1e-4          /* shares of outliers                                              */
#define UNA_MOST_OUTLIERS 0.3

typedef struct una_tails {
    double freedom;                      /* nu; below 1: the share of outliers; HUGE_VAL: Gaussian          */
    size_t parts;
    double weight[UNA_MOST_TAIL_PARTS], var[UNA_MOST_TAIL_PARTS];
} una_tails;

/* Whether there are such tails: nu, a share, or HUGE_VAL. */
bool   una_tails_are(double freedom);
void   una_tails_make(una_tails *tails, double freedom);
/* s^2 over the variance of the noise, (nu - 2)/nu of t; tails NULL: 1. */
double una_tails_square_scale(const una_tails *tails);
/* nu of t of which that is true; HUGE_VAL for 1. */
double una_freedom_of_square_scale(double square_scale);
/* log density of an error of that square, and probability of a smaller error, where the mean of the prediction has the
 * variance var itself. */
double una_tails_log_pdf(const una_tails *tails, double square, double var, double noise_var);
double una_tails_cdf(const una_tails *tails, double error, double var, double noise_var);
/* A share of the errors is within +- this. */
double una_tails_reach(const una_tails *tails, double share, double var, double noise_var);
/* How often a row with that error counts under noise of variance s^2: E[l | error] of a prediction that has not seen it,
 * l = s^2 over the variance of its part, times what the error of a row with such noise says on average (its Fisher
 * information, in parts of that of N(0, s^2)): (nu + 1)/(nu + 3). */
double una_tails_row_weight(const una_tails *tails, double square, double var, double noise_var);
