/* SPDX-License-Identifier: MIT
 *
 * una study run: a command as the experiment.
 */
#include "cli.h"

#include <inttypes.h>

static const cli_flag flags[] = {
    CLI_FLAG_COUNT("workers", "N", 1, 1024, "commands that run at the same time (default 1)"),
    CLI_FLAG("timeout", CLI_NUMBER, "SECONDS", "end a command that takes longer; its trial has failed (default: none)"),
    CLI_FLAG_COUNT("retries", "N", 0, 1000, "how often a failed command is started again at once (default 0)"),
    CLI_FLAG_COUNT("trials", "N", 1, UINT64_MAX, "stop after this many trials (default: go on until Ctrl-C)"),
    CLI_FLAG_END
};

typedef struct watching { cli *c; una_study *study; size_t told, failed; } watching;

static void report_trial(void *context, const una_trial *trial, const char *sentence)
{
    watching *w = context;
    w->told += trial->state == UNA_TRIAL_TOLD;
    w->failed += trial->state == UNA_TRIAL_FAILED;
    cli_progress_clear();
    if (w->c->json || w->c->quiet) return;
    cli_study_trial(w->study, trial, w->c->run);
    printf("  %s\n", cli_escaped(sentence));
    fflush(stdout);
}

static una_status run_study_run(cli *c)
{
    una_study *study;
    una_trials *best;
    size_t done = 0;
    char figure[32];
    if (c->command_count == 0)
        return cli_fail(c, UNA_E_USAGE, "the command is missing: una study run %s -- COMMAND {x1} {x2}", c->operand[0]);
    if (cli_has(c, "timeout") && cli_share(c, "timeout", 0) <= 0)
        return cli_fail(c, UNA_E_USAGE, "--timeout %s: give a number of seconds above 0", cli_text(c, "timeout"));
    c->logs_at_once = true;
    CLI_TRY(cli_study_open(c, &study));

    watching w = { .c = c, .study = study };
    una_study_command command = { .size = sizeof command, .words = (const char *const *)c->command,
        .count = c->command_count, .workers = cli_count(c, "workers", 1), .trials = cli_count(c, "trials", 0),
        .timeout = cli_share(c, "timeout", 0), .retries = (unsigned)cli_count(c, "retries", 0), .report = report_trial,
        .context = &w };
    CLI_TRY(una_study_run(&done, study, &command, c->run));
    cli_progress_clear();
    if (una_study_best(&best, study, c->run) != UNA_OK) return UNA_OK;
    cli_own_trials(best);
    if (c->json) {
        cli_json_put("{'done': %zu, 'told': %zu, 'failed': %zu, 'best': ", done, w.told, w.failed);
        cli_study_best_json(study, best, c->run);
        cli_json_put("}\n");
    } else if (!c->quiet && best->count > 0) {
        printf("best so far: %s (trial %" PRIu64 ")\n", cli_number_short(figure, best->at[0].value), best->at[0].id);
    }
    return UNA_OK;
}

const cli_verb cli_study_run = {
    "study run", "let a command carry the trials out",
    "Runs the command behind -- again and again, with {name} replaced by the value of an input and {id} by the number "
    "of the trial. A word that is {name} alone reaches the command as it is, whatever the value; in the middle of a "
    "word only levels of A-Z a-z 0-9 _ . + - are put in, since a shell could run any other. ${name} is left to the "
    "shell. The value is the last word of the last line that it prints. A command that ends with a status other "
    "than 0, is killed, prints no number or takes too long is a failed trial; the search goes on. Ctrl-C ends the "
    "commands that run and gives their trials back. Several of these, on several machines, may work on one study.",
    { CLI_STUDY },
    flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_COMMAND,
    "una study run coffee.study -- ./brew --grind {grind} --heat {heat}\n"
    "una study run coffee.study --workers 4 --timeout 3600 --retries 1 --trials 99 -- python3 train.py {rate} {width}\n"
    "una study run coffee.study --trials 20 -- sh -c 'echo \"({x1} - 0.3)^2\" | bc -l'\n"
    "una study run coffee.study -- sh -c './brew --bean \"$1\" | tail -n 1' _ {bean}",
    .run = run_study_run, .family = &cli_study
};
