/* SPDX-License-Identifier: MIT
 *
 * The least value of a C function: ask, compute, tell. With a path in place of NULL the study is kept in a file, and the
 * program may be stopped at any moment and go on with una_study_open.
 */
#include <math.h>
#include <stdio.h>
#include <una_study.h>

static double branin(double a, double b)             /* least value 0.397887, at three places */
{
    double t = b - 0.129184513789 * a * a + 1.591549430918 * a - 6;
    return t * t + 9.602112642270 * cos(a) + 10;
}

int main(void)
{
    una_study_settings settings = { .size = sizeof settings, .space =
        "{\"a\": {\"type\": \"real\", \"low\": -5, \"high\": 10}, \"b\": {\"type\": \"real\", \"low\": 0, \"high\": 15}}" };
    una_run *run = NULL;
    una_study *study = NULL;
    una_trials *trials = NULL;

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_study_new(&study, NULL, &settings, run);
    for (int i = 0; i < 40 && status == UNA_OK; i++) {
        status = una_study_ask(&trials, study, 1, run);
        if (status == UNA_OK) status = una_study_tell(study, trials->at[0].id,
                                                      branin(trials->at[0].x[0], trials->at[0].x[1]), run);
        una_trials_free(trials);
        trials = NULL;
    }
    if (status == UNA_OK) status = una_study_best(&trials, study, run);
    if (status == UNA_OK) printf("least value %.4f at a = %.3f, b = %.3f\n", trials->at[0].value, trials->at[0].x[0],
                                 trials->at[0].x[1]);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_trials_free(trials);
    una_study_close(study);
    una_run_free(run);
    return (int)status;
}
