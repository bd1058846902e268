/* SPDX-License-Identifier: MIT
 *
 * Experiments: the public face of libuna_bench, which needs libuna of the same version, and Cairo for its pages. With
 * another version every call is refused (UNA_E_USAGE). Conventions as in una.h.
 */
#ifndef UNA_BENCH_H
#define UNA_BENCH_H

#include "una.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef struct una_bench_settings {
    const char        *out;                    /* folder, made if it is not there; NULL = "una-bench" */
    const char *const *models; /* names or specs; a bare name stands for the experiment's own specs of it */
    size_t             model_count;            /* 0 = every model there is                          */
    size_t             seeds;                  /* 0 = 10 (quick: 2), counted from the run's seed on */
    int                quick;                  /* small budgets: shows that it works, not what comes out */
} una_bench_settings;

typedef struct una_bench_row {                 /* one fit; all in y's own units                     */
    const char *model, *spec;                  /* kind, and the spec as it was asked for            */
    uint64_t    seed;                          /* of the data and of the fit                        */
    double      gap_std, data_std;             /* mean epistemic std in the gap and at the training rows */
    double      rmse;                          /* at the training rows                              */
    double      seconds;
    double      centre_std;                    /* epistemic std in the middle of the gap            */
    double      ripple;                        /* how far the std in the gap is from one rise and one fall: the largest
                                                  drop before or rise after its top, as a share of the top */
} una_bench_row;

typedef struct una_bench_mean {                /* of one spec over its seeds; sd: 0 for one seed    */
    const char *model, *spec;
    size_t      seeds;
    double      gap_std, gap_std_sd, data_std, data_std_sd, rmse, rmse_sd, centre_std, ripple, seconds;
} una_bench_mean;

typedef struct una_bench_claim {
    const char *sentence, *numbers;
    int         holds;                         /* 1, 0, or -1: the models it speaks of were not run */
} una_bench_claim;

typedef struct una_bench_result {
    const una_bench_row   *rows;   size_t row_count;
    const una_bench_mean  *means;  size_t mean_count;
    const una_bench_claim *claims; size_t claim_count;
    size_t      fitted;                        /* fits made by this call; the others were there already */
    const char *table, *page;                  /* paths of what was written                         */
} una_bench_result;

/* Every model on 100 rows of a cubic function with a gap in [-2, 2], for several seeds: what each does not know on 61
 * points of [-1.5, 1.5] and at the rows, and which claims of the LUNA thesis hold. Writes OUT/cubic.csv after every fit
 * (rows found there are not fitted again), OUT/cubic.html, and the models of the first seed, which are those drawn. */
una_status una_bench_cubic(una_bench_result **result, const una_bench_settings *settings, una_run *run);
void       una_bench_free(una_bench_result *result);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
