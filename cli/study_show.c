/* SPDX-License-Identifier: MIT
 *
 * una study: the verbs that look at a study, and take trials out of it and into it.
 */
#include "cli.h"

#include <inttypes.h>

/* ---- best -------------------------------------------------------------------------------------------- */

void cli_study_best_json(const una_study *study, const una_trials *best, una_run *run)
{
    if (best->count == 0) {
        cli_json_put("null");
        return;
    }
    cli_json_put("{'id': %llu, 'value': %g, 'x': ", (unsigned long long)best->at[0].id, best->at[0].value);
    cli_study_point_json(study, &best->at[0], run);
    cli_json_put("}");
}

static una_status find_best(cli *c, una_study *study, una_trials **best)
{
    CLI_TRY(una_study_best(best, study, c->run));
    cli_own_trials(*best);
    return UNA_OK;
}

static void print_best_trial(const cli *c, const una_study *study, const una_trial *best)
{
    char number[32];
    size_t width = 5;
    for (size_t i = 0; i < una_study_input_count(study); i++) {
        size_t length = strlen(cli_escaped(una_study_input_name(study, i)));
        if (length > width) width = length;
    }
    printf("%-*s  %" PRIu64 "\n%-*s  %s\n", (int)width, "trial", best->id, (int)width, "value",
           cli_number(number, best->value));
    for (size_t i = 0; i < una_study_input_count(study); i++)
        printf("%-*s  %s\n", (int)width, cli_escaped(una_study_input_name(study, i)),
               cli_escaped(una_study_input_text(study, i, best->x[i], c->run)));
}

static una_status run_best(cli *c)
{
    una_study *study;
    una_trials *best;
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(find_best(c, study, &best));
    if (best->count == 0) return cli_fail(c, UNA_E_INPUT, "no trial of %s was told yet", c->operand[0]);
    if (!c->json) {
        print_best_trial(c, study, &best->at[0]);
        return UNA_OK;
    }
    cli_study_best_json(study, best, c->run);
    cli_json_put("\n");
    return UNA_OK;
}

const cli_verb cli_study_best = {
    "study best", "the best trial so far",
    "Prints the trial with the smallest value (with --goal maximize the largest); the first one, if there are several.",
    { CLI_STUDY }, NULL, CLI_WITH_JSON,
    "una study best coffee.study\n"
    "una study best coffee.study --json",
    .run = run_best, .family = &cli_study
};

/* ---- show -------------------------------------------------------------------------------------------- */

enum { SHOWN = 20, LONG = 8 };     /* trials; characters of a number from which on it is shortened */

static const cli_flag show_flags[] = {
    CLI_FLAG_SWITCH("all", "every trial, not the last 20 only"),
    CLI_FLAG("page", CLI_FILE_OUT, "FILE.html",
             "write a page: table, progress, parallel coordinates, slices with bands"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "write the charts alone, as .svg, .pdf or .png"),
    CLI_FLAG_END
};

static size_t count_state(const una_trials *trials, una_trial_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) count += trials->at[i].state == state;
    return count;
}

static const char *cell_of(const cli *c, const una_study *study, const una_trial *t, size_t column, char number[32])
{
    size_t inputs = una_study_input_count(study);
    double value;
    if (column == inputs) return t->state == UNA_TRIAL_TOLD ? cli_number_short(number, t->value) : "";
    const char *text = una_study_input_text(study, column, t->x[column], c->run);
    if (text && strlen(text) > LONG && cli_is_number(text, &value)) return cli_number_short(number, value);
    return cli_escaped(text);
}

static void print_right(const char *text, size_t width)
{
    size_t own = cli_letters(text);
    printf("  %*s%s", own < width ? (int)(width - own) : 0, "", text);
}

/* The inputs and the value in columns as wide as what is in them; then the note. */
static void print_rows(const cli *c, const una_study *study, const una_trials *trials, size_t first)
{
    size_t inputs = una_study_input_count(study), columns = inputs + 1;
    size_t *width = cli_alloc(columns, sizeof *width);
    char number[32];
    for (size_t k = 0; k < columns; k++) {
        width[k] = cli_letters(k < inputs ? cli_escaped(una_study_input_name(study, k)) : "value");
        for (size_t i = first; i < trials->count && !cli_interrupted(); i++) {
            size_t length = cli_letters(cell_of(c, study, &trials->at[i], k, number));
            if (length > width[k]) width[k] = length;
        }
    }

    printf("%6s  %-6s", "trial", "state");
    for (size_t k = 0; k <= inputs; k++)
        print_right(k < inputs ? cli_escaped(una_study_input_name(study, k)) : "value", width[k]);
    printf("\n");
    for (size_t i = first; i < trials->count && !cli_interrupted(); i++) {
        const una_trial *t = &trials->at[i];
        printf("%6" PRIu64 "  %-6s", t->id, cli_study_state(t->state));
        for (size_t k = 0; k <= inputs; k++) print_right(cell_of(c, study, t, k, number), width[k]);
        printf("%s%s\n", *t->note ? "  " : "", cli_escaped(t->note));
    }
}

static void print_show(const cli *c, una_study *study, const una_trials *trials, const una_trials *best)
{
    size_t first = cli_has(c, "all") || trials->count <= SHOWN ? 0 : trials->count - SHOWN;
    char number[32];
    printf("%s: %s, model %s, acquisition %s\n", una_study_text(study, "where"), una_study_text(study, "goal"),
           cli_escaped(una_study_text(study, "model")), cli_escaped(una_study_text(study, "acquisition")));
    printf("%zu %s: %zu told, %zu failed, %zu open\n", trials->count, trials->count == 1 ? "trial" : "trials",
           count_state(trials, UNA_TRIAL_TOLD), count_state(trials, UNA_TRIAL_FAILED),
           count_state(trials, UNA_TRIAL_OPEN));
    if (best->count > 0)
        printf("best: %s (trial %" PRIu64 ")\n", cli_number_short(number, best->at[0].value), best->at[0].id);
    if (trials->count == 0) return;

    printf("\n");
    if (first > 0) printf("the last %d; --all shows all of them\n", SHOWN);
    print_rows(c, study, trials, first);
}

static void json_show(const cli *c, const una_study *study, const una_trials *trials, const una_trials *best)
{
    cli_json_put("{'study': %s, 'model': %s, 'acquisition': %s, 'goal': %s, 'seed': ", una_study_text(study, "where"),
                 una_study_text(study, "model"), una_study_text(study, "acquisition"), una_study_text(study, "goal"));
    cli_json_pass(una_study_text(study, "seed"));
    cli_json_put(", 'lease': ");
    cli_json_pass(una_study_text(study, "lease"));
    cli_json_put(", 'space': ");
    cli_json_pass(una_study_text(study, "space"));
    cli_json_put(", 'best': ");
    cli_study_best_json(study, best, c->run);
    cli_json_put(", 'trials': [");
    for (size_t i = 0; i < trials->count && !cli_interrupted(); i++) {
        const una_trial *t = &trials->at[i];
        cli_json_put(", {'id': %llu, 'state': %s, 'x': ", (unsigned long long)t->id, cli_study_state(t->state));
        cli_study_point_json(study, t, c->run);
        cli_json_put(", 'value': %g, 'attempts': %u, 'note': %s, 'asked': %lld, 'told': %lld, 'expected': %g, "
                     "'doubt': %g}", t->value, t->attempts, t->note, (long long)t->asked, (long long)t->told,
                     t->expected, t->doubt);
    }
    cli_json_put("]");
    cli_json_path("page", cli_text(c, "page"));
    cli_json_end(c);
}

static una_status run_show(cli *c)
{
    const char *page = cli_text(c, "page"), *chart = cli_text(c, "chart");
    una_study *study;
    una_trials *trials, *best;
    CLI_TRY(cli_check_pictures(c));
    CLI_TRY(cli_study_open(c, &study));
    if (page) CLI_TRY(una_study_page(study, page, c->run));
    if (chart) CLI_TRY(una_study_chart(study, chart, c->run));
    cli_progress_clear();
    CLI_TRY(una_study_trials(&trials, study, c->run));
    cli_own_trials(trials);
    CLI_TRY(find_best(c, study, &best));
    if (c->json) json_show(c, study, trials, best);
    else if (!c->stdout_taken) print_show(c, study, trials, best);
    return cli_check_interrupt(c);
}

const cli_verb cli_study_show = {
    "study show", "what was tried and what came out",
    "Prints the trials with their states, and writes a page or charts.",
    { CLI_STUDY }, show_flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study show coffee.study\n"
    "una study show coffee.study --page coffee.html\n"
    "una study show coffee.study --json",
    .run = run_show, .family = &cli_study
};

/* ---- what una info says ------------------------------------------------------------------------------ */

static void json_info(const cli *c, const una_study *study, const una_trials *trials, const una_trials *best)
{
    cli_json_put("{'format': 'una study', 'goal': %s, 'model': %s, 'acquisition': %s, 'seed': ",
                 una_study_text(study, "goal"), una_study_text(study, "model"), una_study_text(study, "acquisition"));
    cli_json_pass(una_study_text(study, "seed"));
    cli_json_put(", 'lease': ");
    cli_json_pass(una_study_text(study, "lease"));
    cli_json_put(", 'trials': %zu, 'told': %zu, 'failed': %zu, 'open': %zu, 'best': ", trials->count,
                 count_state(trials, UNA_TRIAL_TOLD), count_state(trials, UNA_TRIAL_FAILED),
                 count_state(trials, UNA_TRIAL_OPEN));
    cli_study_best_json(study, best, c->run);
    cli_json_put(", 'space': ");
    cli_json_pass(una_study_text(study, "space"));
    cli_json_put("}");
}

una_status cli_study_info(cli *c, char **json)
{
    una_study *study;
    una_trials *trials, *best;
    size_t size = 0;
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(una_study_trials(&trials, study, c->run));
    cli_own_trials(trials);
    CLI_TRY(find_best(c, study, &best));
    FILE *to = open_memstream(json, &size);
    cli_json_to(to);
    if (to) json_info(c, study, trials, best);
    cli_json_to(NULL);
    if (!to || fclose(to) != 0) return cli_fail(c, UNA_E_MEMORY, "out of memory");
    cli_own(free, *json);
    return UNA_OK;
}

/* ---- export and import ------------------------------------------------------------------------------- */

static const cli_flag export_flags[] = {
    CLI_FLAG("out", CLI_FILE_OUT, "FILE", "where to write it (default: the standard output)"),
    CLI_FLAG_END
};

static una_status run_export(cli *c)
{
    const char *out = cli_text(c, "out") ? cli_text(c, "out") : "/dev/stdout", *form = c->operand[1];
    una_study *study;
    size_t rows = 0;
    bool csv = strcmp(form, "csv") == 0;
    if (!csv && strcmp(form, "json") != 0) return cli_fail(c, UNA_E_USAGE, "'%s' is neither csv nor json", form);
    CLI_TRY(cli_check_files(c, "out", out));
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY((csv ? una_study_export_csv : una_study_export_json)(&rows, study, out, c->run));
    if (c->json) cli_json_put("{'trials': %zu, 'out': %s}\n", rows, out);
    else if (!c->quiet && !c->stdout_taken)
        printf("%zu %s written to %s\n", rows, rows == 1 ? "trial was" : "trials were", out);
    return UNA_OK;
}

const cli_verb cli_study_export = {
    "study export", "all trials as CSV or JSON",
    "Writes all trials, whole or not at all: as CSV with a column for each input, or as JSON with the settings of the "
    "study. 'una study import' reads the CSV.",
    { CLI_STUDY, { "FORM", CLI_TEXT, "csv or json" } }, export_flags, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study export coffee.study csv > coffee.csv\n"
    "una study export coffee.study json --out coffee.json",
    .run = run_export, .family = &cli_study
};

static const cli_flag import_flags[] = {
    CLI_FLAG("value", CLI_TEXT, "COLUMN", "column with the values (default value)"),
    CLI_FLAG_END
};

static una_status run_study_import(cli *c)
{
    una_study *study;
    size_t rows = 0, added = 0;
    CLI_TRY(cli_study_open(c, &study));
    CLI_TRY(una_study_import_csv(&rows, &added, study, c->operand[1], cli_text(c, "value"), c->run));
    cli_progress_clear();
    if (c->json) cli_json_put("{'rows': %zu, 'added': %zu}\n", rows, added);
    else if (!c->quiet) printf("%zu of the %zu rows of %s are new trials\n", added, rows, c->operand[1]);
    return UNA_OK;
}

const cli_verb cli_study_import = {
    "study import", "trials made elsewhere, from CSV",
    "Takes earlier trials in: columns by the names of the inputs, words for categories, and a column with the values. "
    "With 'failed' in a column state, a row is a trial without a value. Rows that the study has already are skipped. "
    "All rows or none: a row that is outside of the space is an error that names file, line and column.",
    { CLI_STUDY, { "FILE", CLI_FILE, "CSV or TSV with a header" } }, import_flags,
    CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study import coffee.study earlier.csv\n"
    "una study import coffee.study notebook.csv --value taste",
    .run = run_study_import, .family = &cli_study
};
