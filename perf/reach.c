/* SPDX-License-Identifier: MIT
 *
 * Whether new values lie where the verdict says: fits to nine tenths of a table, and how many values of the other tenth
 * lie within the +- w of the verdict, within half its median band, and inside their 95 % bands.
 *   build/perf/reach [--model auto] [--splits 20] [--first 1001] [--rows 2000] TABLE.csv ...
 * The target is the last column. Of tables with more than --rows rows each fit takes as many, others each time.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct ask { const char *model; size_t splits, rows; uint64_t first; } ask;
typedef struct counts { double reach, half, band; } counts;      /* shares of a tenth */

static void must(una_status status, una_run *run)
{
    if (status == UNA_OK) return;
    fprintf(stderr, "%s\n", run ? una_run_message(run) : "no run");
    exit(1);
}

static void count_test(counts *to, const una_verdict *v, const una_model *model, const una_dataset *test, una_run *run)
{
    size_t rows = una_dataset_row_count(test);
    const double *y = una_dataset_numbers(test, una_dataset_column_count(test) - 1);
    double *mean = malloc(3 * rows * sizeof *mean), *lower = mean + rows, *upper = lower + rows;
    una_prediction out = { .size = sizeof out, .mean = mean, .lower = lower, .upper = upper };
    must(una_model_predict(model, test, 0.95, &out, run), run);
    for (size_t i = 0; i < rows; i++) {
        double error = fabs(y[i] - mean[i]), share = 1 / (double)rows;
        to->reach += share * (error <= v->error_95);
        to->half += share * (error <= v->band / 2);
        to->band += share * (lower[i] <= y[i] && y[i] <= upper[i]);
    }
    free(mean);
}

static counts one_split(const ask *a, const char *path, uint64_t seed)
{
    counts to = {0};
    una_run *run = NULL;
    una_dataset *data, *train, *test;
    una_model *model;
    una_verdict *v;
    una_run_settings how = { .size = sizeof how, .seed = seed, .threads = 1 };
    una_fit_settings settings = { .size = sizeof settings, .hold_out = 1 };
    must(una_run_new(&run, &how), run);
    must(una_dataset_read(&data, path, run), run);
    size_t all = una_dataset_row_count(data), rows = all < a->rows ? all : a->rows;
    size_t *index = malloc(all * sizeof *index);
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 7000);
    for (size_t i = 0; i < all; i++) index[i] = i;
    for (size_t i = 0; i < rows; i++) {
        size_t k = i + una_rng_below(&rng, all - i), other = index[i];
        index[i] = index[k], index[k] = other;
    }
    size_t tested = rows / 10;
    must(una_dataset_rows(&test, data, index, tested, run), run);
    must(una_dataset_rows(&train, data, index + tested, rows - tested, run), run);
    must(una_fit(&model, a->model, train, &settings, run), run);
    must(una_judge(&v, model, train, run), run);
    count_test(&to, v, model, test, run);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(test);
    una_dataset_free(train);
    una_dataset_free(data);
    una_run_free(run);
    free(index);
    return to;
}

static void say_share(const char *what, const double *share, size_t count)
{
    double mean = 0, square = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) mean += share[i] / n;
    for (size_t i = 0; i < count; i++) square += (share[i] - mean) * (share[i] - mean);
    printf("  %s %.3f +- %.3f", what, mean, count > 1 ? 2 * sqrt(square / (n - 1) / n) : NAN);
}

/* Means over the splits, with two standard errors. */
static void one_table(const ask *a, const char *path)
{
    enum { MOST = 1000 };
    static double reach[MOST], half[MOST], band[MOST];
    size_t splits = a->splits < MOST ? a->splits : MOST;
    for (size_t s = 0; s < splits; s++) {
        counts to = one_split(a, path, a->first + s);
        reach[s] = to.reach, half[s] = to.half, band[s] = to.band;
    }
    printf("%-40s", path);
    say_share("within w", reach, splits);
    say_share("within half the median band", half, splits);
    say_share("inside their bands", band, splits);
    printf("\n");
    fflush(stdout);
}

int main(int count, char **word)
{
    ask a = { .model = "auto", .splits = 20, .first = 1001, .rows = 2000 };
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? word[i + 1] : "";
        if (strcmp(word[i], "--model") == 0) a.model = value, i++;
        else if (strcmp(word[i], "--splits") == 0) a.splits = strtoul(value, NULL, 10), i++;
        else if (strcmp(word[i], "--first") == 0) a.first = strtoul(value, NULL, 10), i++;
        else if (strcmp(word[i], "--rows") == 0) a.rows = strtoul(value, NULL, 10), i++;
        else one_table(&a, word[i]);
    }
    return 0;
}
