/* SPDX-License-Identifier: MIT
 *
 * How fast fitted models predict, through the public face on one thread: rows a second in one call with bands (mean,
 * both stds and bounds) and with means alone, and microseconds for a call with a single row. Processor time, so that
 * others on the machine disturb less; the least of several calls.
 *
 *   predict [SPEC ...]          without SPEC: every model of the registry, trained briefly
 */
#include "una.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INPUTS = 8, FITTED = 1000, ROWS = 10000, LEAST = 3, MOST = 40, SINGLE = 50 };

/* Short training, but as many members and draws as by default, on two hidden layers of 50: what prediction costs does
 * not depend on how good the weights are. A kind that is not here is fitted with its defaults. */
static const struct { const char *kind, *options; } brief[] = {
    { "luna", "steps=200" },
    { "tuna", "steps=200" },
    { "nlm", "steps=200" },
    { "nn", "steps=200" },
    { "ensemble", "of=nn(steps=50)" },
    { "sngp", "steps=100" },
    { "hmc", "depth=2, warmup=20, max_depth=2, start_steps=100" },
    { "bbvi", "depth=2, steps=100" },
    { "mcd", "steps=200" },
};

static double now(void)                  /* microseconds of this process */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Least microseconds of `calls` predictions of `rows` rows, over half a second; -1 if they fail. */
static double least_time(const una_model *model, const double *x, size_t rows, int calls, una_prediction p,
                         una_run *run)
{
    double least = -1, begin = now();
    for (int again = 0; again < LEAST || (again < MOST && now() - begin < 0.5e6); again++) {
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
    una_prediction all = { sizeof all, out, out + ROWS, out + 2 * ROWS, out + 3 * ROWS, out + 4 * ROWS,
                           out + 5 * ROWS };
    double bands = -1, means = -1, one = -1;

    if (una_fit(&model, spec, data, NULL, run) == UNA_OK) {
        bands = least_time(model, x, ROWS, 1, all, run);
        means = least_time(model, x, ROWS, 1, (una_prediction){ .size = sizeof(una_prediction), .mean = out }, run);
        one = least_time(model, x, 1, SINGLE, all, run);
    }

    int bad = !(bands > 0 && means > 0 && one > 0);
    if (bad) fprintf(stderr, "predict: %s: %s\n", spec, una_run_message(run));
    else printf("| `%s` | %.0f | %.0f | %.1f |\n", spec, ROWS / bands * 1e6, ROWS / means * 1e6, one);
    fflush(stdout);
    una_model_free(model);
    return bad;
}

static int measure_kind(const char *kind, const una_dataset *data, const double *x, double *out, una_run *run)
{
    char spec[256];
    snprintf(spec, sizeof spec, "%s", kind);
    for (size_t i = 0; i < sizeof brief / sizeof *brief; i++)
        if (strcmp(brief[i].kind, kind) == 0) snprintf(spec, sizeof spec, "%s(%s)", kind, brief[i].options);
    return measure(spec, data, x, out, run);
}

int main(int argc, char **argv)
{
    una_run *run;
    una_dataset *data = NULL;
    if (una_run_new(&run, &(una_run_settings){ .size = sizeof(una_run_settings), .threads = 1 })) return 4;
    double *x = malloc(ROWS * INPUTS * sizeof *x), *out = malloc(ROWS * 6 * sizeof *out);
    int bad = !x || !out || una_dataset_synthetic(&data, "radial", FITTED, INPUTS, 0, run);

    for (size_t i = 0; !bad && i < ROWS * INPUTS; i++) x[i] = (double)(i * 2654435761u % 4001) / 1000 - 2;
    for (int i = 1; !bad && i < argc; i++) bad = measure(argv[i], data, x, out, run);
    for (size_t k = 0; !bad && argc < 2 && k < una_kind_count(); k++)
        bad = measure_kind(una_kind_name(k), data, x, out, run);

    free(x);
    free(out);
    una_dataset_free(data);
    una_run_free(run);
    return bad;
}
