/* SPDX-License-Identifier: MIT
 *
 * The least value of a function that is expensive (here Branin's, which is not): a study in memory is asked where to
 * look and told what is there, thirty times. With a path in place of NULL it would be kept, and could be gone on with.
 */
#include <math.h>
#include <stdio.h>
#include <una_study.h>

static const char space[] = "{\"a\": {\"type\": \"real\", \"low\": -5, \"high\": 10},"
                            " \"b\": {\"type\": \"real\", \"low\": 0, \"high\": 15}}";

static double expensive(const double x[2])
{
    double curve = x[1] - 0.1291845091439807 * x[0] * x[0] + 1.5915494309189535 * x[0] - 6;
    return curve * curve + 9.602112642270262 * cos(x[0]) + 10;
}

static una_status try_one(una_study *study, una_run *run)
{
    una_trials *trials = NULL;
    una_status status = una_study_ask(&trials, study, 1, run);
    if (status == UNA_OK) status = una_study_tell(study, trials->at[0].id, expensive(trials->at[0].x), run);
    una_trials_free(trials);
    return status;
}

int main(void)
{
    una_run *run = NULL;
    una_study *study = NULL;
    una_trials *best = NULL;
    una_study_settings settings = { .size = sizeof settings, .space = space };

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_study_new(&study, NULL, &settings, run);
    for (int i = 0; status == UNA_OK && i < 30; i++) status = try_one(study, run);
    if (status == UNA_OK) status = una_study_best(&best, study, run);
    if (status == UNA_OK)
        printf("best of 30: %.4f at a = %.3f, b = %.3f (trial %d); the least there is: 0.3979\n", best->at[0].value,
               best->at[0].x[0], best->at[0].x[1], (int)best->at[0].id);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_trials_free(best);
    una_study_close(study);
    una_run_free(run);
    return (int)status;
}
