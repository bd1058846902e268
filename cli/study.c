/* SPDX-License-Identifier: MIT
 *
 * una study: the verbs that make a study and take part in it. Those that look at one are in study_show.c, the one that
 * runs commands in study_run.c.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>

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

CLI_END(una_trials)

void cli_own_trials(una_trials *trials)
{
    cli_own(end_una_trials, trials);
}

static void end_study(void *study)
{
    una_study_close(study);
}

una_status cli_study_open(cli *c, una_study **study)
{
    CLI_TRY(una_study_open(study, c->operand[0], c->run));
    cli_own(end_study, *study);
    return UNA_OK;
}

void cli_study_trial(const una_study *study, const una_trial *trial, una_run *run)
{
    printf("%" PRIu64, trial->id);
    for (size_t i = 0; i < una_study_input_count(study); i++)
        printf("  %s=%s", cli_escaped(una_study_input_name(study, i)),
               cli_escaped(una_study_input_text(study, i, trial->x[i], run)));
}

void cli_study_point_json(const una_study *study, const una_trial *trial, una_run *run)
{
    cli_json_put("{");
    for (size_t i = 0; i < una_study_input_count(study); i++) {
        double number;
        const char *text = una_study_input_text(study, i, trial->x[i], run);
        cli_json_put(", %s: ", una_study_input_name(study, i));
        if (text && cli_is_number(text, &number)) cli_json_put("%g", trial->x[i]);
        else cli_json_put("%s", text);                   /* null: there is no memory for it */
    }
    cli_json_put("}");
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

/* A whole small file as text. */
static una_status read_small_file(const cli *c, const char *path, char **text)
{
    enum { MOST = 1 << 24 };
    FILE *file = fopen(path, "rbe");
    size_t length = 0, room = 4096;
    *text = cli_alloc(room, 1);
    while (file && !ferror(file) && !feof(file) && length < MOST) {
        length += fread(*text + length, 1, room - length - 1, file);
        char *wider = cli_alloc(room = 2 * room + 4096, 1);
        memcpy(wider, *text, length);
        cli_free(*text);
        *text = wider;
    }
    bool good = file && !ferror(file);
    una_status status = good ? UNA_OK : cli_fail(c, UNA_E_IO, "cannot read %s: %s", path, strerror(errno));
    if (file) fclose(file);
    if (!good || (length < MOST && strlen(*text) == length)) return status;
    return cli_fail(c, UNA_E_INPUT, "%s is not a text of JSON", path);
}

static void print_new(const cli *c, const una_study *study)
{
    const char *where = una_study_text(study, "where"), *model = una_study_text(study, "model");
    const char *acquisition = una_study_text(study, "acquisition"), *goal = una_study_text(study, "goal");
    size_t inputs = una_study_input_count(study);
    if (c->json) {
        cli_json_put("{'study': %s, 'model': %s, 'acquisition': %s, 'goal': %s, 'seed': ", where, model, acquisition,
                     goal);
        cli_json_pass(una_study_text(study, "seed"));
        cli_json_put(", 'inputs': %zu}\n", inputs);
    } else if (!c->quiet) {
        printf("a new study is in %s: %zu %s, %s, model %s, acquisition %s\n", where, inputs,
               inputs == 1 ? "input" : "inputs", goal, cli_escaped(model), cli_escaped(acquisition));
    }
}

static una_status run_new(cli *c)
{
    const char *path = cli_text(c, "space"), *goal = cli_text(c, "goal");
    una_study *study;
    char *space;
    if (!path)
        return cli_fail(c, UNA_E_USAGE, "--space is missing: a JSON file such as {\"x1\": {\"type\": \"real\", "
                        "\"low\": 0, \"high\": 1}}; 'una study new --help' shows examples");
    double lease = cli_share(c, "lease", 0);
    if (cli_has(c, "lease") && lease <= 0)
        return cli_fail(c, UNA_E_USAGE, "--lease %s: give a number of seconds above 0", cli_text(c, "lease"));
    CLI_TRY(read_small_file(c, path, &space));
    una_study_settings settings = { .size = sizeof settings, .space = space, .origin = path,
        .model = cli_text(c, "model"), .acquisition = cli_text(c, "acquisition"),
        .maximize = goal && strcmp(goal, "maximize") == 0, .seed = cli_count(c, "seed", 0),
        .initial = cli_count(c, "initial", 0), .lease = lease };
    CLI_TRY(una_study_new(&study, c->operand[0], &settings, c->run));
    cli_own(end_study, study);
    print_new(c, study);
    return UNA_OK;
}

const cli_verb cli_study_new = {
    "study new", "make a study",
    "Makes a study from a space: a JSON object with one entry per input. Types are real and integer (low, high, and "
    "\"log\": true for a logarithmic scale), category (levels) and fixed (value); \"constraints\" is a list of "
    "inequalities such as \"x1 + x2 <= 1\". Nothing is made if there is a study already, or if anything is wrong.",
    { CLI_STUDY }, new_flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "# space.json: {\"grind\": {\"type\": \"real\", \"low\": 1, \"high\": 10},\n"
    "#              \"shots\": {\"type\": \"integer\", \"low\": 1, \"high\": 3},\n"
    "#              \"bean\": {\"type\": \"category\", \"levels\": [\"arabica\", \"robusta\"]}}\n"
    "una study new coffee.study --space space.json --goal maximize\n"
    "una study new 'postgresql://lab@db.example/lab#coffee' --space space.json --model luna --lease 3600",
    .run = run_new, .family = &cli_study
};

/* ---- ask --------------------------------------------------------------------------------------------- */

static const cli_flag ask_flags[] = {
    CLI_FLAG_COUNT("count", "N", 1, 10000, "how many trials, to be carried out at the same time (default 1)"),
    CLI_FLAG_END
};

static una_status run_ask(cli *c)
{
    una_study *study;
    una_trials *trials;
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(una_study_ask(&trials, study, cli_count(c, "count", 1), c->run));
    cli_own_trials(trials);
    cli_progress_clear();
    if (c->json) cli_json_put("{'trials': [");
    for (size_t i = 0; i < trials->count; i++) {
        const una_trial *t = &trials->at[i];
        if (c->json) {
            cli_json_put(", {'id': %llu, 'x': ", (unsigned long long)t->id);
            cli_study_point_json(study, t, c->run);
            cli_json_put("}");
        } else {
            cli_study_trial(study, t, c->run);
            printf("\n");
        }
    }
    if (c->json) cli_json_put("]}\n");
    return UNA_OK;
}

const cli_verb cli_study_ask = {
    "study ask", "which point to try next",
    "Prints the number of a trial and its point. The trial is yours until you tell what came out, give it back, or its "
    "lease has ended; then it is offered again. Abandoned trials are offered first. With --count, points are "
    "chosen to be tried side by side.",
    { CLI_STUDY }, ask_flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study ask coffee.study\n"
    "una study ask coffee.study --count 4 --json",
    .run = run_ask, .family = &cli_study
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
    una_study *study;
    uint64_t id = 0;
    double value = NAN;
    bool failed = cli_has(c, "failed");
    CLI_TRY(take_id(c, &id));
    CLI_TRY(parse_told_value(c, &value));
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(failed ? una_study_fail(study, id, cli_text(c, "note"), c->run) : una_study_tell(study, id, value, c->run));
    if (c->json)
        cli_json_put("{'id': %llu, 'state': %s, 'value': %g}\n", (unsigned long long)id, failed ? "failed" : "told",
                     value);
    return UNA_OK;
}

const cli_verb cli_study_tell = {
    "study tell", "what came out of a trial",
    "Records the value of a trial. After the command has succeeded, the value is on disk. A trial is told "
    "once; the same value again is no error, so a command that was interrupted can be repeated. A value that comes "
    "after the lease has ended counts too, if the trial has no value yet.",
    { CLI_STUDY, { "ID", CLI_TEXT, "number of the trial" },
      { "[VALUE]", CLI_NUMBER, "a number, in the units of what the study optimises" } },
    tell_flags, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study tell coffee.study 7 0.25\n"
    "una study tell coffee.study 8 -0.5\n"
    "una study tell coffee.study 9 --failed --note 'the machine was out of water'",
    .run = run_tell, .family = &cli_study
};

static una_status run_drop(cli *c)
{
    una_study *study;
    uint64_t id = 0;
    CLI_TRY(take_id(c, &id));
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(una_study_drop(study, id, c->run));
    if (c->json) cli_json_put("{'id': %llu, 'state': 'open'}\n", (unsigned long long)id);
    return UNA_OK;
}

const cli_verb cli_study_drop = {
    "study drop", "give a trial back without a result",
    "Gives a trial back: the next 'una study ask' gets it. For trials that will not be carried out after all, or "
    "whose worker is gone while its lease still runs.",
    { CLI_STUDY, { "ID", CLI_TEXT, "number of the trial" } }, NULL, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study drop coffee.study 7",
    .run = run_drop, .family = &cli_study
};
