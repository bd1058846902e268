/* SPDX-License-Identifier: MIT
 *
 * Fit, predict, print: a cubic with a hole in the data between -2 and 2, asked on both sides and in the hole.
 */
#include <stdio.h>
#include <una.h>

int main(void)
{
    una_run *run = NULL;
    una_dataset *data = NULL;
    una_model *model = NULL;
    const double x[] = { -3, 0, 3 };
    double mean[3], noise[3], ignorance[3];
    una_prediction out = { .size = sizeof out, .mean = mean, .std_noise = noise, .std_epistemic = ignorance };

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_dataset_synthetic(&data, "cubic", 100, 1, 0, run);
    if (status == UNA_OK) status = una_fit(&model, "luna", data, NULL, run);
    if (status == UNA_OK) status = una_model_predict_rows(model, x, 3, 0.95, &out, run);
    for (int i = 0; status == UNA_OK && i < 3; i++)
        printf("x = %2.0f: %6.1f, noise %.1f, ignorance %.1f\n", x[i], mean[i], noise[i], ignorance[i]);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    return (int)status;
}
