/* SPDX-License-Identifier: MIT
 *
 * A shell command as the experiment, two at a time. The value is the last word that it prints.
 */
#include <stdio.h>
#include <una_study.h>

static void tell(void *context, const una_trial *trial, const char *sentence)
{
    (void)context;
    printf("trial %2llu  width %2.0f: %s\n", (unsigned long long)trial->id, trial->x[0], sentence);
}

int main(void)
{
    const char *const words[] = { "sh", "-c", "test {width} -ne 13 && echo error: $(( ({width} - 20) * ({width} - 20) ))" };
    una_study_settings settings = { .size = sizeof settings,
        .space = "{\"width\": {\"type\": \"integer\", \"low\": 1, \"high\": 60}}" };
    una_study_command command = { .size = sizeof command, .words = words, .count = 3, .workers = 2, .trials = 15,
                                  .timeout = 10, .report = tell };
    una_run *run = NULL;
    una_study *study = NULL;
    size_t done = 0;

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_study_new(&study, NULL, &settings, run);
    if (status == UNA_OK) status = una_study_run(&done, study, &command, run);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_study_close(study);
    una_run_free(run);
    return (int)status;
}
