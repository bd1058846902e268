/* SPDX-License-Identifier: MIT
 *
 * What the files of noise.h share: the shape, the rows that teach it, and one training of it.
 */
#pragma once

#include "committee/noise.h"

struct una_noise {
    size_t  inputs, terms, pairs;
    double  offset;
    double *low, *high;                  /* [inputs] the range of the rows that taught it                   */
    double *input, *knot, *slope;        /* [terms] of which input (a whole number), from where, how steep  */
    double *pair_input, *pair_centre;    /* [pairs, 2] products of two inputs, each less its centre         */
    double *pair_slope;                  /* [pairs]                                                         */
    size_t  groups;                      /* of rows, each left out of one shape; no file has them */
    una_noise *shape_per_fold;           /* [groups]                                                        */
};

double una_noise_bounded(double log_g);                                  /* within +-log 100                */
double una_noise_term(const una_noise *noise, size_t t, const double *x);
double una_noise_pair(const una_noise *noise, size_t p, const double *x);
bool   una_noise_is_linear(const una_noise *noise, size_t t);            /* a term from the lower edge on   */

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

enum { UNA_NOISE_PAIRS = 3, UNA_NOISE_NO_GROUP = 255 };

typedef struct una_noise_data {
    size_t  rows, inputs, terms, pairs, columns; /* columns: the terms, the pairs and the one at the end    */
    double *x;                           /* [rows, inputs] those that are used                              */
    double *square, *var;                /* [rows] squared error; variance of the model                     */
    unsigned char *part;                 /* [rows] of una_noise_rows, as is the next                        */
    uint32_t *team;                      /* [rows] NULL: there are none                                     */
    const unsigned char *group;          /* [rows] which are left out together now                          */
    double *phi;                         /* [rows, columns] of mean 0 and variance 1                        */
    double *centre, *scale;              /* [columns]                                                       */
    size_t *bundle;                      /* [columns] terms that are strong or weak together                */
    double *gram;                        /* [columns, columns] Fisher information of all rows               */
    double *share;                       /* [rows] of the noise in the variance, where it is constant       */
    double *standard;                    /* [rows, inputs] x, of mean 0 and variance 1                      */
    double *input_mean, *input_std;      /* [inputs] which they had                                         */
    double *pair_mean, *pair_std;        /* [inputs, inputs] of products of two of these                    */
    double *pair_score;                  /* [inputs, inputs] how much each would help                       */
    size_t  pair[2 * UNA_NOISE_PAIRS];   /* [pairs, 2] whose columns are in phi now                         */
    double  low, high, constant;         /* log s2: bounds, and the best without a shape                    */
} una_noise_data;

/* Rows, and the terms into noise. *known: whether there is anything to learn; else noise has no terms. */
una_status una_noise_gather(una_noise_data *s, una_noise *noise, bool *known, const una_noise_rows *rows,
                            una_arena *keep, una_run *run);
/* Group of each row in one partition, by its team, or by its inputs alone; rows that nearly agree are in one. */
una_status una_noise_deal(unsigned char *group, const una_noise_data *s, const una_noise *noise, uint64_t partition,
                          size_t groups, una_run *run);
/* The pairs whose products go best with pull [rows] become the columns of pairs. */
una_status una_noise_screen(una_noise_data *s, const double *pull, una_run *run);

/* ---- one training ------------------------------------------------------------------------------------------------ */

typedef struct una_noise_scoring {       /* of all rows but group `out`, under one penalty                  */
    una_noise_data *s;
    size_t  out;                         /* UNA_NOISE_NO_GROUP: none is left out                            */
    double  rows_share;                  /* of the rows that it has                                         */
    double *penalty;                     /* [columns]                                                       */
    double *b;                           /* [columns] the last is log s2                                    */
    double *before;                      /* [columns] work                                                  */
    double *log_g;                       /* [rows] the terms' sum, not bounded                              */
    double *step, *slope, *along, *pull; /* [columns] [columns] [rows] [rows]                               */
    double *factor;                      /* [columns, columns] of information and penalty                   */
} una_noise_scoring;

/* Twice minus the log density of a squared error, less a constant; robust: beyond three standard deviations by its
 * logarithm. */
double     una_noise_cost(double square, double whole, bool robust);
/* The best log s2 without a shape, by the rows that q has. */
double     una_noise_constant(const una_noise_scoring *q, bool robust);
/* log s2 that suits g^weight, from a guess. */
double     una_noise_scale(const una_noise_scoring *q, double weight, double guess, bool robust);
una_status una_noise_scoring_new(una_noise_scoring *q, una_noise_data *s, una_run *run);
void       una_noise_begin(una_noise_scoring *q, size_t out);            /* b of a constant noise           */
una_status una_noise_choose_pairs(una_noise_scoring *q, una_run *run);   /* by the rows that q has          */

/* A penalty, even or uneven: strong bundles are then spared, weak ones vanish. Starts from b. */
enum { UNA_NOISE_PENALTIES = 6, UNA_NOISE_WAYS = 2 * UNA_NOISE_PENALTIES };
una_status una_noise_fit_way(una_noise_scoring *q, size_t way, una_run *run);
una_status una_noise_spare_the_strong(una_noise_scoring *q, size_t way, una_run *run);   /* the second half of it */
