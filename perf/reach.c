/* SPDX-License-Identifier: MIT
 *
 * Whether new values lie where the verdict says: fits to nine tenths of a table, and how many values of the other tenth
 * lie within the +- w of the verdict, and inside their 95 % bands.
 *   build/perf/reach [--model auto] [--splits 20] [--first 1001] [--rows 2000] TABLE.csv ...
 * The target is the last column. Of tables with more than --rows rows each fit takes as many, others each time.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct ask { const char *model; size_t splits, rows; uint64_t first; } ask;
typedef struct counts { double held, band, old, width; size_t rows; } counts;

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
        to->old += fabs(y[i] - mean[i]) <= v->band / 2;
        to->band += lower[i] <= y[i] && y[i] <= upper[i];
    }
    for (size_t i = 0; i < rows; i++) printf("T %.9g %d\n", y[i] - mean[i], lower[i] <= y[i] && y[i] <= upper[i]);
    to->rows = rows;
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
    size_t all = una_dataset_row_count(data), rows = all < a->rows ? all : a->rows, *index = malloc(all * sizeof *index);
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
    const una_held_out *h = una_model_held_out(model);
    printf("S %s %lu %g %g %g\n", path, (unsigned long)seed, v->band / 2, v->coverage_95, v->explained);
    for (size_t i = 0; i < h->rows; i++) printf("O %zu %.9g %.6g %.6g %.4f\n", index[tested + h->row[i]], h->y[i] - h->mean[i], h->std_epistemic[i], h->std_noise[i], h->below[i]);
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

int main(int count, char **word)
{
    ask a = { .model = "auto", .splits = 20, .first = 1001, .rows = 2000 };
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? word[i + 1] : "";
        if (strcmp(word[i], "--model") == 0) a.model = value, i++;
        else if (strcmp(word[i], "--splits") == 0) a.splits = strtoul(value, NULL, 10), i++;
        else if (strcmp(word[i], "--first") == 0) a.first = strtoul(value, NULL, 10), i++;
        else if (strcmp(word[i], "--rows") == 0) a.rows = strtoul(value, NULL, 10), i++;
        else for (size_t s = 0; s < a.splits; s++) one_split(&a, word[i], a.first + s);
    }
    return 0;
}
