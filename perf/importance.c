/* SPDX-License-Identifier: MIT
 *
 * How often permutation importance ranks the two real inputs above eighteen useless ones, and what it costs:
 *   build/perf/importance [SPEC [SEEDS [ROWS [INPUTS [SIGNAL]]]]]     (linear, 20, 200, 20, 0.65)
 * y = a x1 + b x2 + noise for linear, sin(1.5 x1) + x2 + noise for others; SIGNAL is the share of the variance that is
 * no noise. Inputs are normal and independent.
 */
#include "una.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(una_status status, const una_run *run)
{
    if (status == UNA_OK) return;
    fprintf(stderr, "%s\n", una_run_message(run));
    exit(1);
}

int main(int count, char **word)
{
    const char *spec = count > 1 ? word[1] : "linear";
    size_t seeds = count > 2 ? strtoul(word[2], NULL, 10) : 20, rows = count > 3 ? strtoul(word[3], NULL, 10) : 200;
    size_t inputs = count > 4 ? strtoul(word[4], NULL, 10) : 20, right = 0;
    double signal = count > 5 ? strtod(word[5], NULL) : 0.65, fit = 0, asked = 0;
    int bent = strncmp(spec, "linear", 6) != 0;
    double *x = malloc(rows * inputs * sizeof *x), *y = malloc(rows * sizeof *y);
    if (!x || !y || inputs < 3) return 1;

    for (size_t seed = 0; seed < seeds; seed++) {
        una_run_settings settings = { .size = sizeof settings, .seed = seed };
        una_run *run;
        una_dataset *data;
        una_model *model;
        una_importance *importance;
        state = 0x9e3779b97f4a7c15u * (seed + 1001);
        for (int i = 0; i < 20; i++) uniform();
        double square = bent ? 0.5 * (1 - exp(-4.5)) + 1 : 2;    /* variance of the signal */
        double noise = sqrt(square * (1 - signal) / signal);
        for (size_t i = 0; i < rows; i++) {
            for (size_t d = 0; d < inputs; d++) x[i * inputs + d] = normal();
            double first = x[i * inputs + 4 % inputs], second = x[i * inputs + 11 % inputs];
            y[i] = (bent ? sin(1.5 * first) : first) + second + noise * normal();
        }
        must(una_run_new(&run, &settings), run);
        must(una_dataset_from_arrays(&data, x, y, rows, inputs, NULL, run), run);
        double start = seconds();
        must(una_fit(&model, spec, data, NULL, run), run);
        double between = seconds();
        must(una_importance_of(&importance, model, data, run), run);
        fit += between - start;
        asked += seconds() - between;

        size_t a = importance->order[0], b = importance->order[1], first = 4 % inputs, second = 11 % inputs;
        int good = (a == first && b == second) || (a == second && b == first);
        right += (size_t)good;
        printf("seed %2zu  %s  first %s %.3f [%.3f, %.3f]  second %s %.3f  third %s %.3f [%.3f, %.3f]\n", seed,
               good ? "right" : "WRONG", importance->names[a], importance->rise[a], importance->low[a],
               importance->high[a], importance->names[b], importance->rise[b],
               importance->names[importance->order[2]], importance->rise[importance->order[2]],
               importance->low[importance->order[2]], importance->high[importance->order[2]]);
        fflush(stdout);
        una_importance_free(importance);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
    printf("%s, %zu rows, %zu inputs, R^2 %.2f: right in %zu of %zu; fit %.2f s, importance %.2f s each (%.0f %%)\n",
           spec, rows, inputs, signal, right, seeds, fit / (double)seeds, asked / (double)seeds, 100 * asked / fit);
    free(x);
    free(y);
    return 0;
}
