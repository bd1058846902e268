/* SPDX-License-Identifier: MIT
 *
 * Answers inside a loop that must not allocate: a run that keeps its memory is a workspace. The allocator counts; after
 * the first call nothing more is asked of it. Each thread would have such a run of its own; the model is shared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <una.h>

enum { CALLS = 1000 };

static void *counted(void *count, size_t size)
{
    ++*(long *)count;
    return malloc(size);
}

static void given_back(void *count, void *block)
{
    (void)count;
    free(block);
}

static una_status answer(const una_model *model, double x, double *mean, una_run *workspace)
{
    una_prediction out = { .size = sizeof out, .mean = mean };
    return una_model_predict_rows(model, &x, 1, 0.95, &out, workspace);
}

static una_status serve(const una_model *model, const long *blocks, una_run *workspace)
{
    double mean = 0, sum = 0;
    una_status status = answer(model, 0, &mean, workspace);
    long first = *blocks;
    for (int i = 0; status == UNA_OK && i < CALLS; i++) {
        status = answer(model, -4 + 8.0 * i / CALLS, &mean, workspace);
        sum += mean;
    }
    if (status == UNA_OK)
        printf("%d answers, %ld blocks allocated for them; mean %.1f\n", CALLS, *blocks - first, sum / CALLS);
    return status;
}

int main(void)
{
    long blocks = 0;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .keep_memory = 1, .allocate = counted,
                                  .release = given_back, .allocator = &blocks };
    una_run *run = NULL, *workspace = NULL;
    una_dataset *data = NULL;
    una_model *model = NULL;

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_run_new(&workspace, &settings);
    if (status == UNA_OK) status = una_dataset_synthetic(&data, "cubic", 100, 1, 0, run);
    if (status == UNA_OK) status = una_fit(&model, "luna", data, NULL, run);
    if (status == UNA_OK) status = serve(model, &blocks, workspace);

    if (status != UNA_OK) fprintf(stderr, "%s\n", una_status_text(status));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(workspace);
    una_run_free(run);
    return (int)status;
}
