/* SPDX-License-Identifier: MIT
 *
 * Statistics of claims: is a number above another, and how sure is that? Differences are taken between fits of the
 * same data and seed, so that what all models share cancels. A claim holds where the whole 95 % interval of the mean
 * is for it, does not hold where the whole interval is against it, and cannot be decided otherwise.
 */
#pragma once

#include "bench/experiment.h"

typedef struct una_paired {
    size_t count;                        /* pairs; numbers that are not finite are left out                 */
    double mean, sd;
    double low, high;                    /* 95 % interval of the mean by Student's t; count < 2: infinite    */
    size_t above;                        /* pairs with a difference above 0                                 */
    double p;                            /* Wilcoxon's signed ranks, two-sided: exact up to 25 pairs without ties, else
                                            by the normal approximation; NAN below 5 pairs: it cannot be small there */
} una_paired;

/* Of differences [count]. Work from scratch. */
una_status una_paired_of(una_paired *paired, const double *difference, size_t count, una_run *run);
/* Of the numbers that `of` gives for the fits of a group. */
typedef double una_margin(const una_findings *findings, size_t fit, const void *context);
una_status una_paired_each(una_paired *paired, const una_group *group, una_margin *of,
                           const void *context, una_run *run);
/* a - b of one measure, over the fits of two groups that have the same seed and split. */
una_status una_paired_groups(una_paired *paired, const una_group *a, const una_group *b,
                             size_t measure, una_run *run);
/* UNA_HOLDS: low >= least; UNA_DOES_NOT_HOLD: high < least; else, or with fewer than 3 pairs, UNA_CANNOT_TELL. */
int  una_paired_least(const una_paired *paired, double least);
/* The same for a number that must be at most `most`, and for one that must be within `most` of 0. */
int  una_paired_most(const una_paired *paired, double most);
int  una_paired_within(const una_paired *paired, double most);
/* Of two claims that must both hold, where one failure is enough against them; and of the opposite claim. */
int  una_holding_both(int one, int other);
int  una_holding_not(int holds);
/* Of a number that must be at least `least`, by its whole interval. */
int  una_holding_least(double low, double high, double least);
/* "0.12 (95 % interval 0.05 to 0.19, Wilcoxon p 0.002, above 0 in 10 of 10)" */
void una_paired_put(una_text *text, const una_paired *paired);

/* A share of seeds, with its 95 % interval by Wilson's score. */
typedef struct una_share { size_t hits, count; double low, high; } una_share;
una_share una_share_of(size_t hits, size_t count);
/* As above, for a share that must be at least `least` (1: in every seed; then one miss is enough against it). */
int  una_share_least(const una_share *share, double least);
void una_share_put(una_text *text, const una_share *share);              /* "10 of 10 seeds (at least 72 %)" */
