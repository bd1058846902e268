/* SPDX-License-Identifier: MIT
 *
 * Relevance: which inputs matter, and how fast the target changes with each, by the lengths of a Gaussian process with
 * one length an input, on at most UNA_RELEVANCE_ROWS rows. A network learns most easily from inputs times 1/length.
 */
#pragma once

#include "model/kind.h"

enum { UNA_RELEVANCE_ROWS = 700 };

/* scale [inputs] = 1/length, of mean square 1; levels of one text column share a length. From problem->x alone. */
una_status una_relevance_learn(double *scale, const una_problem *problem, una_run *run);
/* The same from given lengths. */
void       una_relevance_of_lengths(double *scale, const double *length, size_t inputs);
