/* SPDX-License-Identifier: MIT
 *
 * How claims are judged. A claim is a row: a sentence, the models and the data that it is about, and a rule. A rule is
 * a row too: up to two inequalities between quantities, and the words that give the numbers. Most rules are judged by
 * una_judge_inequalities; one that is special has a function of its own.
 *
 *   quantity   "[factor] [statistic] [name:]measure", or a number:
 *                "gap_std"           of the first model of the claim
 *                "0.5 gp:gap_std"    half of that of another group, by its name
 *                "2:kl"              of the second model of the claim, whose names '|' separates
 *                "m_0..m_30"         the mean of the measures from one to another
 *                "median regret"     a statistic over the fits: median, most, sd, first (of the first fit); else their
 *                                   mean
 *   words      texts with places: {name} and {name 2}, the models of the claim; {data}, up to a comma; {count} of the
 *              fits; {margin} of each inequality in turn; {share} of the seeds in which the last margin is above 0;
 *              {quantity} and {quantity/quantity}, with ", plain 2" (the usual), ", short 2", ", brief 3", or
 *              ", interval 1 %" for a measure that the two ends of its interval follow
 */
#pragma once

#include "bench/paired.h"

typedef enum una_comparing {
    UNA_BY_FITS,                         /* large less small, fit by fit, by the interval of the mean (paired.h)    */
    UNA_BY_LOGS,                         /* the same of log10 of large over small                                   */
    UNA_BY_STATISTICS,                   /* large less small, each one number: there is no interval                 */
    UNA_BY_ENDS                          /* large, by its interval, whose ends are the next two measures            */
} una_comparing;

typedef enum una_relation {
    UNA_AT_LEAST, UNA_ABOVE,             /* what is compared is at least `than`; above 0                            */
    UNA_AT_MOST, UNA_WITHIN,             /* at most `than`; within it of 0                                          */
    UNA_NOT_AT_LEAST,
    UNA_IN_EVERY_SEED                    /* above 0 in each seed                                                    */
} una_relation;

typedef struct una_inequality {
    const char  *large, *small;          /* quantities; large NULL: there is no such inequality                     */
    una_comparing by;
    una_relation is;
    double       than;
} una_inequality;

struct una_rule {
    una_status   (*judge)(una_judging *j);       /* NULL: una_judge_inequalities                                    */
    const char    *needs, *says;         /* words: what was not run ("needs ..."); the numbers                      */
    una_inequality ask[2];               /* both must hold                                                          */
    const char    *spared;               /* a name whose group may be absent: then there are no pairs               */
    size_t         measure;              /* of a judge of its own, as it likes                                      */
    double         number;
};

struct una_judging {                     /* a claim while it is judged                                              */
    const una_claim    *claim;
    const una_findings *findings;
    una_text           *numbers;
    una_run            *run;
    int                 holds;           /* una_holding; UNA_CANNOT_TELL at first                                   */
    una_paired          margin[2];       /* of the inequalities                                                     */
    size_t              margins_given;            /* margins that the words have given so far                                */
};

/* The holding of a claim, and the numbers behind it. Work from scratch. */
una_status una_claim_judge(int *holds, una_text *numbers, const una_claim *claim, const una_findings *findings,
                           una_run *run);
una_status una_judge_inequalities(una_judging *j);

/* ---- for rules with a judge of their own ------------------------------------------------------------------------ */

/* Adds words to the numbers. */
una_status  una_judging_say(una_judging *j, const char *words);
/* "needs ...": the words, or those of the rule, or the name; nothing was decided. */
una_status  una_judging_needs(una_judging *j, const char *words);
/* Model n (from 1) of the claim, in scratch; NULL: it has no such. */
const char *una_judging_name(const una_judging *j, size_t n);
/* The group of a name, as the experiment finds it; NULL: it was not run. */
una_status  una_judging_group(const una_group **group, una_judging *j, const char *name);
/* Adds the number and the words behind it. */
void        una_judging_put(una_judging *j, double value, int decimals, const char *after);
/* The paired statistic is written behind the words; the claim holds as it relates to the number, and as before. */
void        una_judging_join(una_judging *j, const una_paired *paired, una_relation is, double than);
