/* SPDX-License-Identifier: MIT
 *
 * Any program as the experiment: una_study_run starts it with the inputs in its arguments, two at a time, and takes the
 * last number that it prints for the value. Here a shell command brews coffee, and is now and then out of water.
 */
#include <stdio.h>
#include <una_study.h>

static const char space[] = "{\"grind\": {\"type\": \"integer\", \"low\": 1, \"high\": 20},"
                            " \"heat\": {\"type\": \"real\", \"low\": 80, \"high\": 100},"
                            " \"bean\": {\"type\": \"category\", \"levels\": [\"arabica\", \"robusta\"]}}";

static const char *const brew[] = {
    "awk", "-v", "g={grind}", "-v", "h={heat}", "-v", "b={bean}",
    "BEGIN { if (g > 18) exit 1; print \"taste\", 10 - (g - 7)^2 / 20 - (h - 93)^2 / 30 - (b == \"robusta\") }"
};

static void say(void *context, const una_trial *trial, const char *sentence)
{
    (void)context;
    if (trial->state == UNA_TRIAL_FAILED) printf("trial %d: %s\n", (int)trial->id, sentence);
}

static una_status show_best(una_study *study, una_run *run)
{
    una_trials *best = NULL;
    una_status status = una_study_best(&best, study, run);
    for (size_t i = 0; status == UNA_OK && i < una_study_input_count(study); i++)
        printf("%s %s, ", una_study_input_name(study, i), una_study_input_text(study, i, best->at[0].x[i], run));
    if (status == UNA_OK) printf("taste %.2f of 10\n", best->at[0].value);
    una_trials_free(best);
    return status;
}

int main(void)
{
    una_run *run = NULL;
    una_study *study = NULL;
    size_t done;
    una_study_settings settings = { .size = sizeof settings, .space = space, .maximize = 1 };
    una_study_command command = { .size = sizeof command, .words = brew, .count = sizeof brew / sizeof *brew,
                                  .workers = 2, .trials = 30, .timeout = 10, .report = say };

    una_status status = una_run_new(&run, NULL);
    if (status == UNA_OK) status = una_study_new(&study, NULL, &settings, run);
    if (status == UNA_OK) status = una_study_run(&done, study, &command, run);
    if (status == UNA_OK) status = show_best(study, run);
    if (status != UNA_OK) fprintf(stderr, "%s\n", run ? una_run_message(run) : una_status_text(status));
    una_study_close(study);
    una_run_free(run);
    return (int)status;
}
