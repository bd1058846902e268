/* SPDX-License-Identifier: MIT
 *
 * Rows that arrive one after another: the posterior takes each in exactly, the features stay, no old row is kept.
 * The stream measures in the hole of the training data, where the model knows least; its ignorance there falls. At the
 * end the model is saved to memory and loaded again, as a service would before it goes down.
 */
#include <stdio.h>
#include <una.h>

enum { ROWS = 100, STREAM = 8 };

static una_status ask(const una_model *model, double x, una_run *run)
{
    double mean, ignorance;
    una_prediction out = { .size = sizeof out, .mean = &mean, .std_epistemic = &ignorance };
    una_status status = una_model_predict_rows(model, &x, 1, 0.95, &out, run);
    if (status == UNA_OK)
        printf("%3zu rows: at x = %g the answer is %6.2f with ignorance %6.2f\n", una_model_info(model)->rows, x, mean,
               ignorance);
    return status;
}

static una_status stream(una_model *model, una_run *run)
{
    una_status status = ask(model, 0.5, run);
    for (int i = 0; status == UNA_OK && i < STREAM; i++) {
        double x = -1.75 + 0.5 * i, y = x * x * x;
        status = una_model_update_rows(model, &x, &y, 1, run);
        if (status == UNA_OK) status = ask(model, 0.5, run);
    }
    return status;
}

static una_status save_and_load(const una_model *model, una_run *run)
{
    void *bytes = NULL;
    size_t size = 0;
    una_model *copy = NULL;
    una_status status = una_model_save_memory(model, &bytes, &size, run);
    if (status == UNA_OK) status = una_model_load_memory(&copy, bytes, size, run);
    if (status == UNA_OK) printf("saved and loaded again, %zu bytes:\n", size);
    if (status == UNA_OK) status = ask(copy, 0.5, run);
    una_model_free(copy);
    una_memory_free(bytes, run);
    return status;
}

int main(void)
{
    una_run *run = NULL;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_dataset_synthetic(&data, "cubic", ROWS, 1, 0, run);
    if (status == UNA_OK) status = una_fit(&model, "luna", data, NULL, run);
    if (status == UNA_OK) status = stream(model, run);
    if (status == UNA_OK) status = save_and_load(model, run);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    return (int)status;
}
