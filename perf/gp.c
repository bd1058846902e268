/* SPDX-License-Identifier: MIT
 *
 * The C side of gp_sklearn.py: one fit and its predictions, timed.
 *   gp TRAIN.csv STARS.csv SPEC [REPEATS]
 * The target is the last column of TRAIN.csv; STARS.csv has the inputs only. Prints one JSON object: seconds of the fit
 * (the best of REPEATS), of predictions with std and of means alone, the log evidence, the spec that was chosen, mean
 * and epistemic std.
 */
#include "una.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AGAIN = 3 };                      /* predictions of each sort after a fit */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(una_status status, const una_run *run)
{
    if (status == UNA_OK) return;
    fprintf(stderr, "gp: %s\n", una_run_message(run));
    exit((int)status);
}

static void print_list(const char *name, const double *values, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) printf("%s%.17g", i ? ", " : "", values[i]);
    printf("]");
}

static double predict_seconds(const una_model *model, const una_dataset *stars, una_prediction out, una_run *run)
{
    double start = now();
    out.size = sizeof out;
    must(una_model_predict(model, stars, 0.95, &out, run), run);
    return now() - start;
}

int main(int argc, char **argv)
{
    una_run *run = NULL;
    una_dataset *train = NULL, *stars = NULL;
    una_model *model = NULL;
    double fit = HUGE_VAL, all = HUGE_VAL, means = HUGE_VAL;
    int repeats = argc > 4 ? atoi(argv[4]) : 1;

    if (argc < 4) {
        fprintf(stderr, "usage: gp TRAIN.csv STARS.csv SPEC [REPEATS]\n");
        return UNA_E_USAGE;
    }

    must(una_run_new(&run, NULL), run);
    must(una_dataset_read(&train, argv[1], run), run);
    must(una_dataset_read(&stars, argv[2], run), run);
    size_t rows = una_dataset_row_count(stars);
    double *mean = calloc(3 * rows, sizeof *mean), *std = mean + rows;
    if (!mean) return UNA_E_MEMORY;

    for (int r = 0; r < repeats; r++) {
        una_model_free(model);
        must(una_fit(&model, argv[3], train, NULL, run), run);
        fit = fmin(fit, una_model_info(model)->seconds);
        for (int again = 0; again < AGAIN; again++) {
            all = fmin(all, predict_seconds(model, stars, (una_prediction){ .mean = mean, .std_epistemic = std }, run));
            means = fmin(means, predict_seconds(model, stars, (una_prediction){ .mean = mean + 2 * rows }, run));
        }
    }

    const una_fit_info *info = una_model_info(model);
    printf("{\"fit_seconds\": %.6f, \"predict_seconds\": %.6f, \"mean_seconds\": %.6f, \"evaluations\": %zu, "
           "\"log_evidence\": %.17g, \"options\": %s", fit, all, means, info->steps, info->log_evidence,
           una_model_options_json(model));
    print_list("mean", mean, rows);
    print_list("std", std, rows);
    printf("}\n");

    free(mean);
    una_model_free(model);
    una_dataset_free(train);
    una_dataset_free(stars);
    una_run_free(run);
    return 0;
}
