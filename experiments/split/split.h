/* SPDX-License-Identifier: MIT
 *
 * The split of doubt: what its files share. Data sets are named in keys as people read them, such as "d5 n600" or "line
 * smooth 1"; una_split_sets has all of them.
 */
#pragma once

#include "bench/claims.h"
#include "bench/truth.h"

/* Measures: their places in rows and tables. */
#define UNA_SPLIT_LIST(X)                                                                                            \
    X(UNA_SPLIT_INSIDE, "inside", "inside", "share", "of fresh points whose true function is in the 95 % band "      \
      "of ignorance", 0)                                                                                             \
    X(UNA_SPLIT_ERROR, "error", NULL, "y", "of the mean from the true function", -1)                                 \
    X(UNA_SPLIT_EPISTEMIC, "std_epistemic", NULL, "y", "mean epistemic std", 0)                                      \
    X(UNA_SPLIT_NOISE_RATIO, "noise_ratio", "noise", "share", "predicted noise std over the true one", 0)            \
    X(UNA_SPLIT_COVERAGE, "coverage_95", NULL, "share", "of fresh rows in the 95 % band of y", 0)                    \
    X(UNA_SPLIT_LOG_LIK, "log_lik", "log-lik", "nats", "of fresh rows, y in units of its std", 1)                    \
    X(UNA_SPLIT_GAP_INSIDE, "gap_inside", "in gap", "share", "as inside, in a gap or hole", 0)                       \
    X(UNA_SPLIT_GAP_LOG_LIK, "gap_log_lik", "gap log-lik", "nats", "as log_lik, in a gap or hole", 1)                \
    X(UNA_SPLIT_BEYOND_INSIDE, "beyond_inside", "beyond", "share", "as inside, beyond the range of the rows", 0)     \
    X(UNA_SPLIT_BEYOND_LOG_LIK, "beyond_log_lik", NULL, "nats", "as log_lik, beyond the range of the rows", 1)       \
    X(UNA_SPLIT_NOISE_ERROR, "noise_error", "noise error", "share", "mean relative error of the predicted noise "    \
      "std", -1)                                                                                                     \
    X(UNA_SPLIT_NOISE_RANGE, "noise_range", NULL, "share", "largest over smallest predicted noise std", 0)           \
    X(UNA_SPLIT_Z2, "z2", NULL, "ratio", "mean square of the error of the mean over the epistemic std", 0)           \
    X(UNA_SPLIT_GAP_Z2, "gap_z2", NULL, "ratio", "as z2, in a gap or hole", 0)                                       \
    X(UNA_SPLIT_BEYOND_Z2, "beyond_z2", NULL, "ratio", "as z2, beyond the range of the rows", 0)                     \
    X(UNA_SPLIT_SCALE_RATIO, "noise_scale_ratio", NULL, "share", "predicted scale of the noise over the true one, "  \
      "both without outliers", 0)                                                                                    \
    X(UNA_SPLIT_CLEAN_COVERAGE, "clean_coverage", NULL, "share", "of fresh rows without an outlier in the 95 % band " \
      "of y; of half zeros, those above 0", 0)                                                                       \
    X(UNA_SPLIT_LOUD_COVERAGE, "loud_coverage", NULL, "share", "of the third of fresh rows with the largest noise "  \
      "in the 95 % band of y", 0)                                                                                    \
    X(UNA_SPLIT_CLAIMED, "claimed", NULL, "nats", "log-likelihood of held-out rows that the fit states", 1)          \
    X(UNA_SPLIT_OVERCLAIM, "overclaim", NULL, "nats", "claimed less log_lik", -1)                                    \
    X(UNA_SPLIT_WARNED, "warned", NULL, "share", "of updates that gave a warning", 0)
enum { UNA_SPLIT_LIST(UNA_PLACE) UNA_SPLIT_MEASURES };

/* The rows of a data set: those to fit, those that an update adds to them, those to ask for, and those in a gap or hole
 * and beyond the range (rows 0: there are none). All in the arena, all by the name and the seed. */
typedef struct una_split_rows { una_truth train, added, fresh, gap, beyond; } una_split_rows;
una_status una_split_rows_make(una_split_rows *rows, const char *data, uint64_t seed, una_arena *arena, una_run *run);

/* ---- data sets (split_data.c) ----------------------------------------------------------------------------------- */

enum { UNA_SPLIT_USUAL = 1, UNA_SPLIT_QUICK = 2 };       /* the usual run has it; the quick run has it, or its first */

typedef struct una_split_set una_split_set;
typedef struct una_split_making {        /* what a set's maker is told                                      */
    const una_split_set *set;
    size_t     number;                   /* of a set that has several, from 1                               */
    uint64_t   seed;
    una_arena *arena;
} una_split_making;
typedef una_status una_split_make(una_split_rows *rows, const una_split_making *m);

#define UNA_SPLIT_KNOWN_GROUPS "named groups"      /* groups, fitted with --group                          */
struct una_split_set {                   /* one data set, or several that are numbered from 1               */
    const char     *name;
    una_split_make *make;
    size_t          inputs, rows, seeds; /* seeds: how many are usual                                       */
    int             form;                /* what its maker makes of it                                      */
    unsigned        when;                /* UNA_SPLIT_USUAL ...; 0: only where it is asked for              */
    size_t          count;               /* 0: one, whose name has no number                                */
};
extern const una_split_set una_split_sets[];             /* ends with name == NULL                          */

/* Whether a name is `begins` or goes on with another word behind it. */
bool una_split_is_of(const char *name, size_t length, const char *begins, size_t begins_length);
/* Whether it is so for one of a list of names with commas between. */
bool una_split_is_listed(const char *list, const char *name, size_t length);

enum { UNA_SPLIT_FRESH = 2000 };         /* fresh rows of most sets                                         */

/* ---- drawn functions and rows (split_functions.c) ---------------------------------------------------------------- */

enum { UNA_SPLIT_COSINES = 200, UNA_SPLIT_MOST_INPUTS = 20, UNA_SPLIT_MOST_PIECES = 24 };

typedef struct una_split_piece { int shape; size_t a, b; double weight, rate, place; } una_split_piece;
typedef struct una_split_function {      /* pieces of one or two inputs, and a smooth draw                   */
    size_t          inputs, pieces;
    una_split_piece piece[UNA_SPLIT_MOST_PIECES];
    bool            smooth;
    double          frequency[UNA_SPLIT_COSINES][UNA_SPLIT_MOST_INPUTS], phase[UNA_SPLIT_COSINES];
    double          centre, scale;
} una_split_function;
double una_split_value(const una_split_function *function, const double *x);
/* A draw from a GP with the RBF kernel (freedom 0), or with Matern's of freedom / 2; an input of length 0 has no
 * effect. */
void   una_split_draw_waves(una_split_function *function, const double *length, size_t freedom, una_rng *rng);

typedef struct una_split_law {           /* how rows come about                                              */
    una_split_function f;
    bool               normal;           /* inputs are normal, else uniform; of std `reach` either way       */
    double             reach, noise;     /* noise: std                                                       */
} una_split_law;
/* Rows are made by two streams of random numbers: this one and the next. */
typedef struct una_split_place { uint64_t seed, stream; } una_split_place;

/* Mean 0 and std 1 of the function where its inputs lie. Work from the arena. */
una_status una_split_law_scale(una_split_law *law, una_rng *rng, una_arena *arena);
/* Any function, inputs and noise from 0.1 to 0.5. */
una_status una_split_law_draw(una_split_law *law, size_t inputs, uint64_t seed, uint64_t stream, una_arena *arena);
una_status una_split_law_rows(una_truth *rows, const una_split_law *law, size_t count, una_split_place place,
                              una_arena *arena);

double una_split_between(una_rng *rng, double from, double to);
double una_split_student(una_rng *rng, size_t freedom);              /* Student's t                             */

/* Streams of the drawn sets: one of equal inputs shares the function, seed by seed. */
enum { UNA_SPLIT_FUNCTION = 1000, UNA_SPLIT_TRAIN = 1002, UNA_SPLIT_FRESH_ROWS = 1004, UNA_SPLIT_ADDED = 1006,
       UNA_SPLIT_ODD = 1008, UNA_SPLIT_OTHER = 1010, UNA_SPLIT_HOLE = 1012 };

/* ---- makers: cells, noise, copies and targets (split_cells.c); holes and what lies beyond (split_holes.c); updates
 * (split_updates.c). Their forms: --------------------------------------------------------------------------------- */

enum { UNA_SPLIT_ANY, UNA_SPLIT_FIXED, UNA_SPLIT_OUTLIERS, UNA_SPLIT_PURE };         /* of cells                */
enum { UNA_SPLIT_DISTANT, UNA_SPLIT_NEAR };                                          /* of copies               */
enum { UNA_SPLIT_SQUARE, UNA_SPLIT_EXP, UNA_SPLIT_LINEAR, UNA_SPLIT_SINE };          /* beyond                  */
enum { UNA_SPLIT_DENSE, UNA_SPLIT_SHELL };                                           /* of holes                */
enum { UNA_SPLIT_SAME, UNA_SPLIT_WIDER, UNA_SPLIT_UNLIKE, UNA_SPLIT_REVERSED, UNA_SPLIT_NOISE4 };    /* updates */

una_split_make una_split_make_cell, una_split_make_heavy, una_split_make_product_noise, una_split_make_copies,
               una_split_make_groups, una_split_make_small, una_split_make_zeros, una_split_make_shares,
               una_split_make_beyond, una_split_make_hole, una_split_make_update;

/* Adds the rows to the model; warned: 1 if that gave a warning which the model had not before, else 0. */
una_status una_split_update_model(double *warned, una_model *model, const una_truth *rows, una_run *run);

/* ---- claims (split_claims.c) ------------------------------------------------------------------------------------- */

/* Mean of a measure over the fits of a spec on the data sets that a list names (una_split_is_listed); NAN where there
 * are none, or one has no value. count (may be NULL): how many. */
double una_split_pool(size_t *count, const una_findings *findings, const char *spec, const char *sets, size_t measure);
extern const una_claim una_split_claims[];
