/* SPDX-License-Identifier: MIT
 *
 * The studies: what their files share. A study fits one spec after another, which differ in one option, to the rows of
 * the cubic gap. A fit's data is named after the study and the value: "nlm_penalty 0.1", "nlm_marginal 10, penalty 1";
 * the GP, which all are measured by, is on "cubic". The seed makes the rows, seed and split together the fit: a split
 * above 0 is another restart on the same rows.
 */
#pragma once

#include "cubic/cubic.h"

/* Measures: their places in rows and tables. */
#define UNA_STUDIES_LIST(X)                                                                                          \
    X(UNA_STUDIES_SHARE, "gap_share", "gap / GP", "share", "gap std over that of the GP on the same rows", 0)        \
    X(UNA_STUDIES_TEST_LOG_LIK, "test_log_lik", "log-lik", "nats", "mean log-likelihood of 100 fresh rows "          \
      "outside the gap", 1)                                                                                          \
    X(UNA_STUDIES_TEST_RMSE, "test_rmse", NULL, "y", "error at these rows", -1)                                      \
    X(UNA_STUDIES_COS2, "mean_cos2", NULL, "share", "similarity of LUNA's heads: mean cos^2 of their slopes", 0)     \
    X(UNA_STUDIES_MISFIT, "misfit", NULL, "std", "root mean square distance of TUNA's heads from their "             \
      "reference functions, whose std is 1; in tuna_capacity", -1)                                                   \
    X(UNA_STUDIES_EVIDENCE, "evidence", NULL, "nats", "log marginal likelihood; in blow_up", 1)                      \
    X(UNA_STUDIES_PRINTED, "evidence_printed", NULL, "nats", "the same as the thesis prints it", 1)
enum { UNA_STUDIES_CUBIC = UNA_CUBIC_MEASURES - 1, UNA_STUDIES_LIST(UNA_PLACE) UNA_STUDIES_MEASURES };

enum { UNA_STUDIES_VALUES = 10, UNA_STUDIES_CURVES = 5, UNA_STUDIES_DRAWN = 3 };

typedef struct una_studies_curve { const char *label, *text; } una_studies_curve;

typedef struct una_study_line {          /* one study; a line of the table in studies.c                     */
    const char *name;
    const char *title;                   /* heading on the page                                             */
    const char *varied;                  /* what the values are, with their unit: the axis                  */
    const char *spec;                    /* '*' is the value, '&' the curve's text, '@' the training. NULL: the models
                                            that the run was asked for                                      */
    const char *train, *quick;           /* what '@' stands for                                             */
    const char *value[UNA_STUDIES_VALUES];           /* in order, from the left                             */
    una_studies_curve curve[UNA_STUDIES_CURVES];     /* all values once more for each; none: once           */
    size_t      restarts, quick_restarts;            /* on the same rows                                    */
    const char *drawn[UNA_STUDIES_DRAWN];            /* values whose functions the page shows               */
    const char *how;                     /* with which settings                                             */
    const char *thesis;                  /* what was said of it: "Thesis: ...", "Replications: ..."         */
} una_study_line;

extern const una_study_line una_studies_lines[];         /* ends with name == NULL                          */

/* Of a name, which ends before a comma. */
const una_study_line *una_studies_find(const char *name);
/* "0.1" of "penalty=0.1": what a value is called. */
const char *una_studies_word(const char *value);
/* Texts in the arena, whose failure is sticky. curve NULL: there is none. */
const char *una_studies_data(const una_study_line *study, const char *value, const una_studies_curve *curve,
                             una_arena *arena);
const char *una_studies_spec(const una_study_line *study, const char *value, const una_studies_curve *curve, bool quick,
                             una_arena *arena);
/* Whether a data name is of that study. */
bool        una_studies_is_of(const char *data, const char *study);
/* The group of a value; NULL: it was not run. */
const una_group *una_studies_group(const una_findings *findings, const una_study_line *study, const char *value,
                                   const una_studies_curve *curve);
/* The gap is captured: gap std at least half of the GP's on the same rows. */
bool        una_studies_captures(const una_findings *findings, size_t fit);

/* Log marginal likelihood of rows of the cubic gap under powers 1 to 7 of the standardised input, times `scale`, and a
 * one, for the prior variance 1: by the right formula, and as the thesis prints it, with the sign of 1/2 log|V| turned
 * (blow-up, NOTES of the thesis's Proposition 1). On the standardised target. */
una_status una_studies_blow_up(double *right, double *printed, const una_dataset *data, double scale, una_run *run);

extern const una_claim una_studies_claims[];             /* studies_claims.c                                */
extern const char una_studies_claims_caption[];
una_status una_studies_find_group(const una_group **group, una_judging *j, const char *name);
/* Spearman's correlation of the ranks; ties share theirs. NAN below three pairs, or where one side has no two values.
 * Numbers that are not finite are left out. Work from scratch. */
una_status una_studies_rank_correlation(double *r, const double *a, const double *b, size_t count, una_run *run);

una_status una_studies_page(una_page *page);
