/* SPDX-License-Identifier: MIT
 *
 * The C side of gp_sklearn.py: one fit and its predictions, timed.
 *   gp TRAIN.csv STARS.csv SPEC [REPEATS]
 * The target is the last column of TRAIN.csv; STARS.csv has the inputs only. Prints one JSON object: seconds of the fit
 * (the best of REPEATS), of predictions with std and of means alone, the log evidence, the spec that was chosen, mean
 * and epistemic std.
 */
#include "gp/gp.h"
#include "model/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* Means alone: the rows as the model sees them, without variances. */
static double mean_seconds(const una_model *model, const una_dataset *stars, double *mean, una_run *run)
{
    double *x, start;
    size_t rows;
    una_mark mark = una_arena_mark(&run->scratch);
    start = now();
    must(una_columns_encode(&model->columns, stars, &x, NULL, NULL, &rows, &run->scratch, run), run);
    must(una_gp_predict(model->state, x, rows, model->columns.input_count, mean, NULL, run), run);
    double seconds = now() - start;
    una_arena_release(&run->scratch, mark);
    return seconds;
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
        double start = now();
        must(una_model_predict(model, stars, 0.95, &(una_prediction){ .mean = mean, .std_epistemic = std }, run), run);
        all = fmin(all, now() - start);
        means = fmin(means, mean_seconds(model, stars, mean + 2 * rows, run));
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
