/* SPDX-License-Identifier: MIT
 *
 * Two targets in one model. What is learnt of one also says something of the other: their noise goes together, and with
 * it what is not known. Each target is asked by itself; the covariance is asked of the whole.
 */
#include <math.h>
#include <stdio.h>
#include <una.h>

enum { ROWS = 120, POINTS = 3 };

/* "force" and "current" of a motor by its speed; both feel the same disturbance. */
static una_status make_table(una_dataset **data, una_run *run)
{
    static const char *const names[] = { "speed", "force", "current" };
    static double speed[ROWS], force[ROWS], current[ROWS];
    const double *const columns[] = { speed, force, current };
    for (int i = 0; i < ROWS; i++) {
        double disturbance = sin(7919.0 * i), own = sin(104729.0 * i);
        speed[i] = 10.0 * i / ROWS;
        force[i] = 5 * sin(speed[i]) + disturbance;
        current[i] = 2 + cos(speed[i]) + 0.2 * disturbance + 0.1 * own;
    }
    return una_dataset_from_columns(data, names, columns, NULL, 3, ROWS, run);
}

static una_status ask(const una_model *model, una_run *run)
{
    static const char *const names[] = { "speed" };
    const double speed[POINTS] = { 2.5, 5, 12 }, *const columns[] = { speed };
    double cov[POINTS * 4], mean[2][POINTS], std[2][POINTS];
    una_dataset *points = NULL;
    una_status status = una_dataset_from_columns(&points, names, columns, NULL, 1, POINTS, run);
    for (size_t t = 0; status == UNA_OK && t < una_model_target_count(model); t++) {
        una_prediction out = { .size = sizeof out, .mean = mean[t], .std = std[t] };
        status = una_model_predict(una_model_target(model, t), points, 0.95, &out, run);
    }
    if (status == UNA_OK) status = una_model_covariance(model, points, 1, cov, run);

    for (int i = 0; status == UNA_OK && i < POINTS; i++)
        printf("speed %4.1f: force %6.2f +- %.2f, current %5.2f +- %.2f, correlation %.2f\n", speed[i], mean[0][i],
               std[0][i], mean[1][i], std[1][i], cov[4 * i + 1] / sqrt(cov[4 * i] * cov[4 * i + 3]));
    una_dataset_free(points);
    return status;
}

int main(void)
{
    static const char *const targets[] = { "force", "current" };
    una_fit_settings settings = { .size = sizeof settings, .targets = targets, .target_count = 2 };
    una_run *run = NULL;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = make_table(&data, run);
    if (status == UNA_OK) status = una_fit(&model, "nlm(members=5, noise=constant)", data, &settings, run);
    if (status == UNA_OK) status = ask(model, run);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    return (int)status;
}
