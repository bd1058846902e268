/* SPDX-License-Identifier: MIT
 *
 * How fast a fitted model predicts, through the public face on one thread: rows a second in one call (mean, both stds
 * and bounds), and microseconds for a call with a single row. The least over several calls.
 *
 *   predict [SPEC ...]
 */
#include "una.h"

#include <stdlib.h>
#include <time.h>

enum { INPUTS = 8, FITTED = 1000, ROWS = 20000, AGAIN = 40, SINGLE = 50 };

static double now(void)                  /* microseconds */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Least microseconds of `calls` predictions of `rows` rows, of AGAIN times. */
static double least_time(const una_model *model, const double *x, size_t rows, int calls, double *out, una_run *run)
{
    una_prediction p = { out, out + rows, out + 2 * rows, out + 3 * rows, out + 4 * rows, out + 5 * rows };
    double least = -1;
    for (int again = 0; again < AGAIN; again++) {
        double start = now();
        for (int i = 0; i < calls; i++)
            if (una_model_predict_rows(model, x, rows, 0.95, &p, run)) return -1;
        double took = (now() - start) / calls;
        if (least < 0 || took < least) least = took;
    }
    return least;
}

static int measure(const char *spec, const una_dataset *data, const double *x, double *out, una_run *run)
{
    una_model *model = NULL;
    double many = -1, one = -1;
    if (una_fit(&model, spec, data, NULL, run) == UNA_OK) {
        many = least_time(model, x, ROWS, 1, out, run);
        one = least_time(model, x, 1, SINGLE, out, run);
    }
    if (many > 0 && one > 0) printf("| `%s` | %.0f | %.1f |\n", spec, ROWS / many * 1e6, one);
    else fprintf(stderr, "predict: %s: %s\n", spec, una_run_message(run));
    una_model_free(model);
    return !(many > 0 && one > 0);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = { "linear", "nlm(steps=200)", "luna(steps=200)" };
    una_run *run;
    una_dataset *data = NULL;
    if (una_run_new(&run, &(una_run_settings){ .threads = 1 })) return 4;
    double *x = malloc(ROWS * INPUTS * sizeof *x), *out = malloc(ROWS * 6 * sizeof *out);
    int bad = !x || !out || una_dataset_synthetic(&data, "radial", FITTED, INPUTS, 0, run);
    for (size_t i = 0; !bad && i < ROWS * INPUTS; i++) x[i] = (double)(i * 2654435761u % 4001) / 1000 - 2;
    for (int i = 1; !bad && i < argc; i++) bad = measure(argv[i], data, x, out, run);
    for (size_t i = 0; !bad && argc < 2 && i < sizeof usual / sizeof *usual; i++)
        bad = measure(usual[i], data, x, out, run);
    free(x);
    free(out);
    una_dataset_free(data);
    una_run_free(run);
    return bad;
}
