/* SPDX-License-Identifier: MIT
 *
 * una study: the verbs that make a study and take part in it. Those that look at one are in study_show.c, the one that
 * runs commands in study_run.c.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const cli_family cli_study = {
    "study", "Bayesian optimisation: new, ask, tell, run, best, show and more",
    "A study searches for the smallest (or largest) value of something expensive. Ask it which point to try next, "
    "tell it what came out, and go on; or give it a command, and it does that itself. All of it is in one file, or in "
    "a PostgreSQL database that many machines share. A value that was told is safe once the command has ended, "
    "whatever happens next; any number of processes may work on one study.",
    "una study new coffee.study --space space.json --goal maximize\n"
    "una study ask coffee.study\n"
    "una study tell coffee.study 1 7.5\n"
    "una study run coffee.study --workers 4 --trials 50 -- ./brew --grind {grind} --heat {heat}\n"
    "una study best coffee.study"
};

/* ---- what the verbs share ---------------------------------------------------------------------------- */

una_status cli_study_open(cli *c, una_study **study)
{
    una_status status = una_study_open(study, c->operand[0], c->run);
    return status == UNA_OK ? status : cli_failed(c, status);
}

void cli_study_point(FILE *to, const una_study *study, const una_trial *trial, una_run *run)
{
    fputc('{', to);
    for (size_t i = 0; i < una_study_input_count(study); i++) {
        double x = trial->x[i], number;
        const char *text = una_study_input_text(study, i, x, run);
        if (i) fputs(", ", to);
        cli_json_text(to, una_study_input_name(study, i));
        fputs(": ", to);
        if (text && cli_is_number(text, &number)) cli_json_number(to, x);
        else cli_json_text(to, text);                    /* null: there is no memory for it */
    }
    fputc('}', to);
}

const char *cli_study_state(una_trial_state state)
{
    if (state == UNA_TRIAL_TOLD) return "told";
    return state == UNA_TRIAL_FAILED ? "failed" : "open";
}

static una_status take_id(const cli *c, uint64_t *id)
{
    char *end = NULL;
    const char *text = c->operand[1];
    errno = 0;
    if (*text >= '0' && *text <= '9') *id = strtoull(text, &end, 10);
    if (end && !*end && errno == 0) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "ID %s: give the number of a trial, as 'una study ask' printed it", text);
}

/* ---- new --------------------------------------------------------------------------------------------- */

static const cli_flag new_flags[] = {
    CLI_FLAG("space", CLI_FILE, "FILE", "JSON file with the inputs, their ranges and constraints between them; needed"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "model that guides the search: a name, with options in brackets if need be "
             "(default gp)"),
    CLI_FLAG("acquisition", CLI_TEXT, "SPEC", "the rule that chooses the next point: log_ei, ei, noisy_ei, "
                                              "ucb(beta=2), thompson, quasi or random (default log_ei)"),
    CLI_FLAG_CHOICE("goal", "WORD", "minimize|maximize",
                    "which values are good: minimize or maximize (default minimize)"),
    CLI_FLAG_COUNT("initial", "N", 1, 1000000, "points spread evenly before the model is used (default: twice the "
                   "inputs, from 4 to 20)"),
    CLI_FLAG("lease", CLI_NUMBER, "SECONDS", "a trial without a value is offered again after this time "
             "(default 86400, a day)"),
    CLI_FLAG_END
};

/* A whole small file as text; free it. */
static char *read_small_file(const cli *c, const char *path, una_status *status)
{
    enum { MOST = 1 << 24 };
    FILE *file = fopen(path, "rbe");
    char *text = NULL;
    size_t length = 0, room = 0;
    while (file && !ferror(file) && !feof(file) && length < MOST) {
        char *wider = realloc(text, room = 2 * room + 4096);
        if (!wider) break;
        text = wider;
        length += fread(text + length, 1, room - length - 1, file);
        text[length] = 0;
    }
    bool good = file && !ferror(file) && text;
    if (!good) *status = cli_fail(c, UNA_E_IO, "cannot read %s: %s", path, strerror(errno));
    if (good && (length >= MOST || strlen(text) != length))
        *status = cli_fail(c, UNA_E_INPUT, "%s is not a text of JSON", path);
    if (file) fclose(file);
    return text;
}

static void print_new(const cli *c, const una_study *study)
{
    if (c->json) {
        static const char *const parts[] = { "model", "acquisition", "goal" };
        printf("{\"study\": ");
        cli_json_text(stdout, una_study_text(study, "where"));
        for (size_t i = 0; i < 3; i++) {
            printf(", \"%s\": ", parts[i]);
            cli_json_text(stdout, una_study_text(study, parts[i]));
        }
        printf(", \"seed\": %s, \"inputs\": %zu}\n", una_study_text(study, "seed"), una_study_input_count(study));
    } else if (!c->quiet) {
        printf("a new study is in %s: %zu %s, %s, model %s, acquisition %s\n", una_study_text(study, "where"),
               una_study_input_count(study), una_study_input_count(study) == 1 ? "input" : "inputs",
               una_study_text(study, "goal"), cli_escaped(una_study_text(study, "model")),
               cli_escaped(una_study_text(study, "acquisition")));
    }
}

static una_status run_new(cli *c)
{
    const char *path = cli_text(c, "space"), *goal = cli_text(c, "goal");
    una_study *study = NULL;
    una_status status = UNA_OK;
    if (!path) {
        return cli_fail(c, UNA_E_USAGE, "--space is missing: a JSON file such as {\"x1\": {\"type\": \"real\", "
                        "\"low\": 0, \"high\": 1}}; 'una study new --help' shows examples");
    }
    double lease = cli_share(c, "lease", 0);
    if (cli_has(c, "lease") && lease <= 0) {
        return cli_fail(c, UNA_E_USAGE, "--lease %s: give a number of seconds above 0", cli_text(c, "lease"));
    }

    char *space = read_small_file(c, path, &status);
    if (status == UNA_OK) {
        una_study_settings settings = { .size = sizeof settings, .space = space, .origin = path,
            .model = cli_text(c, "model"), .acquisition = cli_text(c, "acquisition"),
            .maximize = goal && strcmp(goal, "maximize") == 0, .seed = cli_count(c, "seed", 0),
            .initial = cli_count(c, "initial", 0), .lease = lease };
        status = una_study_new(&study, c->operand[0], &settings, c->run);
        if (status == UNA_OK) print_new(c, study);
        else cli_failed(c, status);
    }
    una_study_close(study);
    free(space);
    return status;
}

#define WHERE { "WHERE", CLI_FILE, "file of the study, or postgresql://HOST/DATABASE#NAME" }
#define NOTHING { NULL, CLI_TEXT, NULL }

const cli_verb cli_study_new = {
    "study new", "make a study",
    "Makes a study from a space: a JSON object with one entry per input. Types are real and integer (low, high, and "
    "\"log\": true for a logarithmic scale), category (levels) and fixed (value); \"constraints\" is a list of "
    "inequalities such as \"x1 + x2 <= 1\". Nothing is made if there is a study already, or if anything is wrong.",
    { WHERE, NOTHING, NOTHING }, new_flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "# space.json: {\"grind\": {\"type\": \"real\", \"low\": 1, \"high\": 10},\n"
    "#              \"shots\": {\"type\": \"integer\", \"low\": 1, \"high\": 3},\n"
    "#              \"bean\": {\"type\": \"category\", \"levels\": [\"arabica\", \"robusta\"]}}\n"
    "una study new coffee.study --space space.json --goal maximize\n"
    "una study new 'postgresql://lab@db.example/lab#coffee' --space space.json --model luna --lease 3600",
    run_new
};

/* ---- ask --------------------------------------------------------------------------------------------- */

static const cli_flag ask_flags[] = {
    CLI_FLAG_COUNT("count", "N", 1, 10000, "how many trials, to be carried out at the same time (default 1)"),
    CLI_FLAG_END
};

static void print_asked(const cli *c, const una_study *study, const una_trials *trials)
{
    if (c->json) printf("{\"trials\": [");
    for (size_t i = 0; i < trials->count; i++) {
        const una_trial *t = &trials->at[i];
        if (c->json) {
            printf("%s{\"id\": %" PRIu64 ", \"x\": ", i ? ", " : "", t->id);
            cli_study_point(stdout, study, t, c->run);
            printf("}");
            continue;
        }
        printf("%" PRIu64, t->id);
        for (size_t k = 0; k < una_study_input_count(study); k++)
            printf("  %s=%s", cli_escaped(una_study_input_name(study, k)),
                   cli_escaped(una_study_input_text(study, k, t->x[k], c->run)));
        printf("\n");
    }
    if (c->json) printf("]}\n");
}

static una_status run_ask(cli *c)
{
    una_study *study = NULL;
    una_trials *trials = NULL;
    una_status status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;
    status = una_study_ask(&trials, study, cli_count(c, "count", 1), c->run);
    cli_progress_clear();
    if (status == UNA_OK) print_asked(c, study, trials);
    else cli_failed(c, status);
    una_trials_free(trials);
    una_study_close(study);
    return status;
}

const cli_verb cli_study_ask = {
    "study ask", "which point to try next",
    "Prints the number of a trial and its point. The trial is yours until you tell what came out, give it back, or its "
    "lease has ended; then it is offered again. Abandoned trials are offered first. With --count, points are "
    "chosen to be tried side by side.",
    { WHERE, NOTHING, NOTHING }, ask_flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study ask coffee.study\n"
    "una study ask coffee.study --count 4 --json",
    run_ask
};

/* ---- tell and drop ----------------------------------------------------------------------------------- */

static const cli_flag tell_flags[] = {
    CLI_FLAG_SWITCH("failed", "the trial gave no value; the search avoids points near it"),
    CLI_FLAG("note", CLI_TEXT, "TEXT", "with --failed: why"),
    CLI_FLAG_END
};

static una_status parse_told_value(const cli *c, double *value)
{
    bool failed = cli_has(c, "failed");
    if (failed && c->operand_count > 2) return cli_fail(c, UNA_E_USAGE, "VALUE and --failed do not go together");
    if (!failed && cli_has(c, "note")) return cli_fail(c, UNA_E_USAGE, "--note goes with --failed");
    if (failed) return UNA_OK;
    if (c->operand_count < 3) return cli_fail(c, UNA_E_USAGE, "VALUE is missing: what came out, or --failed");
    if (cli_is_number(c->operand[2], value)) return UNA_OK;
    return cli_fail(c, UNA_E_INPUT, "VALUE %s is not a finite number; use --failed for a trial that gave none",
                    c->operand[2]);
}

static una_status run_tell(cli *c)
{
    una_study *study = NULL;
    uint64_t id = 0;
    double value = 0;
    una_status status = take_id(c, &id);
    if (status == UNA_OK) status = parse_told_value(c, &value);
    if (status == UNA_OK) status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;

    bool failed = cli_has(c, "failed");
    status = failed ? una_study_fail(study, id, cli_text(c, "note"), c->run) : una_study_tell(study, id, value, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (c->json) {
        printf("{\"id\": %" PRIu64 ", \"state\": \"%s\", \"value\": ", id, failed ? "failed" : "told");
        if (failed) printf("null");
        else cli_json_number(stdout, value);
        printf("}\n");
    }
    una_study_close(study);
    return status;
}

const cli_verb cli_study_tell = {
    "study tell", "what came out of a trial",
    "Records the value of a trial. After the command has succeeded, the value is on disk. A trial is told "
    "once; the same value again is no error, so a command that was interrupted can be repeated. A value that comes "
    "after the lease has ended counts too, if the trial has no value yet.",
    { WHERE, { "ID", CLI_TEXT, "number of the trial" },
      { "[VALUE]", CLI_NUMBER, "a number, in the units of what the study optimises" } },
    tell_flags, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study tell coffee.study 7 0.25\n"
    "una study tell coffee.study 8 -0.5\n"
    "una study tell coffee.study 9 --failed --note 'the machine was out of water'",
    run_tell
};

static una_status run_drop(cli *c)
{
    una_study *study = NULL;
    uint64_t id = 0;
    una_status status = take_id(c, &id);
    if (status == UNA_OK) status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;
    status = una_study_drop(study, id, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (c->json) printf("{\"id\": %" PRIu64 ", \"state\": \"open\"}\n", id);
    una_study_close(study);
    return status;
}

static const cli_flag drop_flags[] = { CLI_FLAG_END };

const cli_verb cli_study_drop = {
    "study drop", "give a trial back without a result",
    "Gives a trial back: the next 'una study ask' gets it. For trials that will not be carried out after all, or "
    "whose worker is gone while its lease still runs.",
    { WHERE, { "ID", CLI_TEXT, "number of the trial" }, NOTHING }, drop_flags, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study drop coffee.study 7",
    run_drop
};
