/* SPDX-License-Identifier: MIT
 *
 * Knowledge as reference functions: what the files of this experiment share.
 */
#pragma once

#include "bench/experiment.h"
#include "bench/truth.h"

/* Measures: their places in rows and tables. */
#define UNA_KNOW_LIST(X)                                                                                             \
    X(UNA_KNOW_LOG_LIK, "log_lik", "log-lik", "nats", "sine: of fresh rows up to two periods beyond the rows; "      \
      "tune: of fresh rows of the whole range", 1)                                                                   \
    X(UNA_KNOW_ERROR, "error", NULL, "y", "of the mean from the true function, at those rows", -1)                   \
    X(UNA_KNOW_BEYOND_STD, "beyond_std", NULL, "y", "sine: mean epistemic std beyond the rows", 0)                   \
    X(UNA_KNOW_NEAR_STD, "near_std", NULL, "y", "sine: mean epistemic std within their range", 0)                    \
    X(UNA_KNOW_INSIDE, "inside", NULL, "share", "of these rows whose true function is in the 95 % band of "          \
      "ignorance", 0)                                                                                                \
    X(UNA_KNOW_PULL, "pull", NULL, "share", "sine: root mean square of the mean beyond the rows, around that of "    \
      "the rows, over the true function's: 0 where it reverts", 0)                                                   \
    X(UNA_KNOW_ALONG_X1, "along_x1", NULL, "y", "strip: largest less smallest epistemic std on a line along x1 "     \
      "of the square, mean over the lines", 0)                                                                       \
    X(UNA_KNOW_ALONG_X2, "along_x2", NULL, "y", "strip: the same along x2", 0)                                       \
    X(UNA_KNOW_ALONG_RATIO, "along_ratio", "x2 / x1", "share", "strip: along_x2 over along_x1", 0)                   \
    X(UNA_KNOW_DISC_STD, "disc_std", NULL, "y", "strip: mean epistemic std within the disc of the rows", 0)          \
    X(UNA_KNOW_OUTSIDE_STD, "outside_std", NULL, "y", "strip: mean epistemic std farther than 3 from its centre", 0) \
    X(UNA_KNOW_ENERGY, "energy", "energy", "std", "prior: energy distance of functions drawn from the model's "      \
      "prior and from its target process, per point", -1)                                                            \
    X(UNA_KNOW_KL, "kl", "KL", "nats", "prior: KL of the target process from the model's prior at 31 points, "       \
      "noise variance 0.01 added to both, per point", -1)                                                            \
    X(UNA_KNOW_LENGTH, "length", NULL, "x", "tune: length of the kernel that the references were drawn with", 0)
enum { UNA_KNOW_LIST(UNA_PLACE) UNA_KNOW_MEASURES };      /* seconds come behind */

/* ---- who is run, part by part (knowledge_cast.c) ----------------------------------------------------------- */

typedef struct una_role {                /* a table ends with part == NULL                                  */
    const char *part, *name;             /* "sine", "sine references"                                       */
    const char *spec;
    const char *quick;                   /* with --quick the spec gains this; NULL: it is left out          */
} una_role;

extern const una_role una_knowledge_cast[];
/* The spec of a role as it is run: full or quick; *spec is NULL where quick leaves it out. In the arena. */
una_status una_role_spec(const char **spec, const una_role *role, bool quick, una_arena *arena);
/* Its fits, full or quick; NULL where it was not run. */
una_status una_role_group(const una_group **group, const char *part, const char *name, const una_findings *findings,
                          una_run *run);
/* What a group is called on the page: its role, or its spec where it has none. */
una_status una_role_title(const char **title, const una_group *group, una_arena *arena, una_run *run);

/* ---- rows and measures (knowledge_data.c) ------------------------------------------------------------------ */

enum { UNA_STRIP_SIDE = 33, UNA_PRIOR_POINTS = 31 };     /* places of a side of the square; of the prior's line */

typedef struct una_know_rows {
    una_truth train;
    una_truth near, beyond;              /* sine: within and beyond the rows; tune: beyond holds the test rows */
} una_know_rows;

una_status una_know_rows_make(una_know_rows *rows, const char *part, uint64_t seed, una_arena *arena, una_run *run);
/* Fits a key to its rows; scratch holds the model. */
una_status una_know_fit(una_model **model, una_know_rows *rows, const una_row_key *key, una_run *run);
una_status una_know_measure(const una_measuring *m);

double     una_strip_place(size_t i);    /* -4 to 4                                                         */
/* std [UNA_STRIP_SIDE, UNA_STRIP_SIDE]: epistemic, x1 by x2. */
una_status una_strip_square(double *std, const una_model *model, una_run *run);
double     una_prior_place(size_t i);
/* f [draws, UNA_PRIOR_POINTS] from the model's prior, on the standardised target; from the process that it aims at. */
una_status una_prior_of_model(double *f, size_t draws, const una_model *model, const una_truth *train, una_run *run);
una_status una_prior_of_process(double *f, size_t draws, uint64_t seed, una_run *run);

/* ---- distances between distributions of functions (distance.c) ---------------------------------------------- */

/* Energy distance of two samples of vectors, a [na, size] and b [nb, size], two or more each:
 * 2 E|X - Y| - E|X - X'| - E|Y - Y'|, pairs of a vector with itself left out, so that without a difference it is 0 on
 * average (and may come out below 0). Lengths are per coordinate, |v| = sqrt(mean of v_i^2), so that it does not grow
 * with the number of points.
 * Source: Szekely and Rizzo, Energy statistics, 2013. */
double     una_energy_distance(const double *a, size_t na, const double *b, size_t nb, size_t size);
/* KL(N(0, p) || N(0, q)) in nats, for covariances p and q [size, size] that have Cholesky factors. */
una_status una_gaussian_kl(double *kl, const double *p, const double *q, size_t size, una_run *run);
/* cov [size, size] of a sample f [count, size] around 0. */
void       una_second_moment(double *cov, const double *f, size_t count, size_t size);

una_status una_knowledge_page(una_page *page);
