/* SPDX-License-Identifier: MIT
 *
 * una tune: which options of a model suit a table best.
 */
#include "cli.h"
#include "una_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_TEXT, "COLUMN", "the column to predict (default: the last one)"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "the kind of model, with options that stay as they are (default auto)"),
    CLI_FLAG("over", CLI_TEXT, "AXES", "what is varied: 'width=25|50|100' for one of these, 'rate=0.001:0.1:5' for "
             "five values evenly spaced, 'penalty=1e-5:1e-1:log5' for five by their logarithm, "
             "'penalty=1e-5:1e-1:log' for any between (random and bayes); several with commas"),
    CLI_FLAG_CHOICE("search", "HOW", "grid|random|bayes", "grid: all combinations; random: some of them; bayes: each "
                    "by what the others gave (default grid)"),
    CLI_FLAG_COUNT("trials", "N", 1, 10000, "how many fits, for random and bayes (default 20)"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder of the results: fits found there are not made again, and a search that "
             "was stopped goes on (default: nothing is kept)"),
    CLI_FLAG("valid", CLI_FILE, "PART", "rows kept from training, by which the fits are judged: a share such as 0.2, "
             "or a file of other rows (default: as 'una fit' does)"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of the model for all fits; may be repeated"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG_CHOICE("missing", "HOW", "drop|mean", "what to do with missing cells: drop the row, or fill in the "
                    "column's mean (default: refuse)"),
    CLI_FLAG_COUNT("other", "N", 1, 1000000000, "levels of text columns with fewer than N rows become one level "
                   "'other'"),
    CLI_FLAG_END
};

typedef struct job {
    una_dataset *data, *valid;
    una_tuned   *tuned;
    const char **set;
} job;

/* ---- the work ---------------------------------------------------------------------------------------- */

static una_status work(cli *c, job *j)
{
    j->set = cli_memory(c->given_count + 1, sizeof *j->set);
    una_tune_settings settings = {
        .size = sizeof settings, .model = cli_text(c, "model"), .over = cli_text(c, "over"),
        .search = cli_text(c, "search"), .trials = (size_t)cli_count(c, "trials", 0), .out = cli_text(c, "out"),
        .fit = { .size = sizeof settings.fit, .target = cli_text(c, "target"), .preset = cli_text(c, "preset"),
                 .set = j->set, .set_count = cli_texts(c, "set", j->set), .missing = cli_missing(c),
                 .other = (size_t)cli_count(c, "other", 0) }
    };
    if (!settings.over) {
        return cli_fail(c, UNA_E_USAGE, "what is to be varied? Say it with --over, for instance --over "
                        "'width=25|50|100'; 'una models NAME' lists the options of a model");
    }
    bool grid = !settings.search || strcmp(settings.search, "grid") == 0;
    if (grid && settings.trials) {
        return cli_fail(c, UNA_E_USAGE, "a grid has as many fits as it has combinations: --trials goes with --search "
                        "random or bayes");
    }

    una_status status = una_dataset_read(&j->data, c->operand[0], c->run);
    if (status != UNA_OK) return cli_failed(c, status);
    status = cli_read_valid(c, &j->valid, &settings.fit);
    if (status != UNA_OK) return status;
    status = una_tune(&j->tuned, j->data, &settings, c->run);
    cli_progress_clear();
    return status == UNA_OK ? status : cli_failed(c, status);
}

/* ---- telling ----------------------------------------------------------------------------------------- */

/* A word as a shell reads it. */
static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,%@";
    bool bare = *word && word[strspn(word, plain)] == 0;
    if (!bare) putchar('\'');
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    }
    if (!bare) putchar('\'');
}

static void print_best(const cli *c, const char *spec)
{
    static const char *const kept[] = { "target", "preset", "valid", "missing", "other" };
    printf("\nBest: una fit ");
    print_word(c->operand[0]);
    printf(" --model ");
    print_word(spec);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (!cli_has(c, kept[i])) continue;
        printf(" --%s ", kept[i]);
        print_word(cli_text(c, kept[i]));
    }
    printf("\n");
}

static void print_table(const cli *c, const una_tuned *t)
{
    char log_lik[32], rmse[32];
    printf("%12s %12s %9s  %s\n", "log-lik", "rmse", "seconds", "spec");
    for (size_t i = 0; i < t->count; i++) {
        bool failed = isnan(t->log_lik[i]);
        printf("%12s %12s %9.2f  %s%s%s\n", failed ? "failed" : cli_figure(log_lik, t->log_lik[i]),
               failed ? "" : cli_figure(rmse, t->rmse[i]), t->seconds[i], cli_on(stdout, i ? CLI_PLAIN : CLI_BOLD),
               t->spec[i], cli_off(stdout));
    }

    printf("\nlog-lik: mean log-likelihood of rows that the fit had not seen, higher is better; rmse: their error\n");
    if (cli_has(c, "out"))
        printf("%zu fit%s made now, %zu were in %s; table: %s/tune.csv\n", t->made, t->made == 1 ? "" : "s",
               t->count > t->made ? t->count - t->made : 0, cli_text(c, "out"), cli_text(c, "out"));
    if (!isnan(t->log_lik[0])) print_best(c, t->spec[0]);
}

static void print_json(const cli *c, const una_tuned *t)
{
    printf("{\"best\": ");
    cli_json_text(stdout, t->count && !isnan(t->log_lik[0]) ? t->spec[0] : NULL);
    printf(", \"tried\": [");
    for (size_t i = 0; i < t->count; i++) {
        printf("%s{\"spec\": ", i ? ", " : "");
        cli_json_text(stdout, t->spec[i]);
        printf(", \"log_lik\": ");
        cli_json_number(stdout, t->log_lik[i]);
        printf(", \"rmse\": ");
        cli_json_number(stdout, t->rmse[i]);
        printf(", \"seconds\": ");
        cli_json_number(stdout, t->seconds[i]);
        printf("}");
    }
    printf("], \"made\": %zu", t->made);
    cli_json_path(stdout, "out", cli_text(c, "out"));
    printf("}\n");
}

static una_status run(cli *c)
{
    job j = {0};
    c->logs_at_once = true;
    una_status status = work(c, &j);
    if (status == UNA_OK) {
        if (c->json) print_json(c, j.tuned);
        else print_table(c, j.tuned);
    }
    una_tuned_free(j.tuned);
    una_dataset_free(j.valid);
    una_dataset_free(j.data);
    free(j.set);
    return status;
}

const cli_verb cli_tune = {
    "tune", "which options of a model suit a table best",
    "Fits a model with several values of its options and compares what the fits say of rows that they have not seen. "
    "All fits have the same seed, so they are judged by the same rows. The best of many looks a little better than it "
    "is: for a number to rely on, score it on rows that were kept apart.",
    { { "DATA", CLI_FILE, "the table to learn from" }, { NULL, CLI_TEXT, NULL }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una tune measurements.csv --target strength --model luna --over 'penalty=1e-5:1e-1:log5, width=25|50|100'\n"
    "# by Bayesian optimisation, in a folder where it goes on if it is stopped\n"
    "una tune measurements.csv --target strength --model nlm --over 'penalty=1e-6:1:log, width=10:200, depth=1|2' "
    "--search bayes --trials 30 --out tuning",
    run
};
