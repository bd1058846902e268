/* SPDX-License-Identifier: MIT
 *
 * una study: the verbs that look at a study, and take trials out of it and into it.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WHERE { "WHERE", CLI_FILE, "file of the study, or postgresql://HOST/DATABASE#NAME" }
#define NOTHING { NULL, CLI_TEXT, NULL }

static const cli_flag no_flags[] = { CLI_FLAG_END };

/* ---- best -------------------------------------------------------------------------------------------- */

static void best_json(FILE *to, const cli *c, const una_study *study, const una_trial *best)
{
    fprintf(to, "{\"id\": %" PRIu64 ", \"value\": ", best->id);
    cli_json_number(to, best->value);
    fputs(", \"x\": ", to);
    cli_study_point(to, study, best, c->run);
    fputc('}', to);
}

void cli_study_best_json(const cli *c, const una_study *study, const una_trial *best)
{
    best_json(stdout, c, study, best);
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
    una_study *study = NULL;
    una_trials *best = NULL;
    una_status status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;
    status = una_study_best(&best, study, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (best->count == 0) status = cli_fail(c, UNA_E_INPUT, "no trial of %s was told yet", c->operand[0]);
    else if (!c->json) print_best_trial(c, study, &best->at[0]);
    else {
        cli_study_best_json(c, study, &best->at[0]);
        printf("\n");
    }
    una_trials_free(best);
    una_study_close(study);
    return status;
}

const cli_verb cli_study_best = {
    "study best", "the best trial so far",
    "Prints the trial with the smallest value (with --goal maximize the largest); the first one, if there are several.",
    { WHERE, NOTHING, NOTHING }, no_flags, CLI_WITH_JSON,
    "una study best coffee.study\n"
    "una study best coffee.study --json",
    run_best
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

static size_t count_letters(const char *text)          /* not bytes: names may hold any letter */
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void print_right(const char *text, size_t width)
{
    size_t own = count_letters(text);
    printf("  %*s%s", own < width ? (int)(width - own) : 0, "", text);
}

/* The inputs and the value in columns as wide as what is in them; then the note. */
static void print_rows(const cli *c, const una_study *study, const una_trials *trials, size_t first)
{
    size_t inputs = una_study_input_count(study), columns = inputs + 1;
    size_t *width = cli_alloc(columns, sizeof *width);
    char number[32];
    for (size_t k = 0; k < columns; k++) {
        width[k] = count_letters(k < inputs ? cli_escaped(una_study_input_name(study, k)) : "value");
        for (size_t i = first; i < trials->count && !cli_interrupted(); i++) {
            size_t length = count_letters(cell_of(c, study, &trials->at[i], k, number));
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
    free(width);
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

static void print_study_number(const char *key, double value)
{
    printf(", \"%s\": ", key);
    cli_json_number(stdout, value);
}

static void json_settings(const una_study *study)
{
    static const char *const parts[] = { "model", "acquisition", "goal" };
    printf("\"study\": ");
    cli_json_text(stdout, una_study_text(study, "where"));
    for (size_t i = 0; i < 3; i++) {
        printf(", \"%s\": ", parts[i]);
        cli_json_text(stdout, una_study_text(study, parts[i]));
    }
    printf(", \"seed\": %s, \"lease\": %s, \"space\": ", una_study_text(study, "seed"), una_study_text(study, "lease"));
    cli_json_pass(stdout, una_study_text(study, "space"));
}

static void json_show(const cli *c, const una_study *study, const una_trials *trials, const una_trials *best)
{
    printf("{");
    json_settings(study);
    printf(", \"best\": ");
    if (best->count == 0) printf("null");
    else cli_study_best_json(c, study, &best->at[0]);
    printf(", \"trials\": [");
    for (size_t i = 0; i < trials->count && !cli_interrupted(); i++) {
        const una_trial *t = &trials->at[i];
        printf("%s{\"id\": %" PRIu64 ", \"state\": \"%s\", \"x\": ", i ? ", " : "", t->id, cli_study_state(t->state));
        cli_study_point(stdout, study, t, c->run);
        print_study_number("value", t->value);
        printf(", \"attempts\": %u, \"note\": ", t->attempts);
        cli_json_text(stdout, t->note);
        printf(", \"asked\": %" PRId64 ", \"told\": %" PRId64, t->asked, t->told);
        print_study_number("expected", t->expected);
        print_study_number("doubt", t->doubt);
        printf("}");
    }
    printf("]");
    cli_json_path(stdout, "page", cli_text(c, "page"));
    cli_json_path(stdout, "chart", cli_text(c, "chart"));
    printf("}\n");
}

static una_status write_study_charts(cli *c, una_study *study)
{
    const char *page = cli_text(c, "page"), *chart = cli_text(c, "chart");
    una_status status = page ? una_study_page(study, page, c->run) : UNA_OK;
    if (status == UNA_OK && chart) status = una_study_chart(study, chart, c->run);
    cli_progress_clear();
    return status;
}

static una_status show_one_study(cli *c, una_study *study)
{
    una_trials *trials = NULL, *best = NULL;
    una_status status = write_study_charts(c, study);
    if (status == UNA_OK) status = una_study_trials(&trials, study, c->run);
    if (status == UNA_OK) status = una_study_best(&best, study, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (c->json) json_show(c, study, trials, best);
    else if (!c->stdout_taken) print_show(c, study, trials, best);
    if (status == UNA_OK) status = cli_check_interrupt(c);
    una_trials_free(best);
    una_trials_free(trials);
    return status;
}

static una_status run_show(cli *c)
{
    una_study *study = NULL;
    una_status status = cli_check_chart(c, cli_text(c, "chart"));
    if (status == UNA_OK) status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;
    status = show_one_study(c, study);
    una_study_close(study);
    return status;
}

const cli_verb cli_study_show = {
    "study show", "what was tried and what came out",
    "Prints the trials with their states, and writes a page or charts.",
    { WHERE, NOTHING, NOTHING }, show_flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study show coffee.study\n"
    "una study show coffee.study --page coffee.html\n"
    "una study show coffee.study --json",
    run_show
};

/* ---- what una info says ------------------------------------------------------------------------------ */

static char *info_text(const cli *c, const una_study *study, const una_trials *trials, const una_trials *best)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs("{\"format\": \"una study\"", to);
    for (const char *const *part = (const char *const[]){ "goal", "model", "acquisition", NULL }; *part; part++) {
        fprintf(to, ", \"%s\": ", *part);
        cli_json_text(to, una_study_text(study, *part));
    }
    fprintf(to, ", \"seed\": %s, \"lease\": %s, \"trials\": %zu, \"told\": %zu, \"failed\": %zu, \"open\": %zu, "
            "\"best\": ", una_study_text(study, "seed"), una_study_text(study, "lease"), trials->count,
            count_state(trials, UNA_TRIAL_TOLD), count_state(trials, UNA_TRIAL_FAILED),
            count_state(trials, UNA_TRIAL_OPEN));
    if (best->count == 0) fputs("null", to);
    else best_json(to, c, study, &best->at[0]);
    fprintf(to, ", \"space\": ");
    cli_json_pass(to, una_study_text(study, "space"));
    fputc('}', to);
    return fclose(to) == 0 ? text : NULL;
}

una_status cli_study_info(cli *c, char **json)
{
    una_study *study = NULL;
    una_trials *trials = NULL, *best = NULL;
    *json = NULL;
    una_status status = una_study_open(&study, c->operand[0], c->run);
    if (status == UNA_OK) status = una_study_trials(&trials, study, c->run);
    if (status == UNA_OK) status = una_study_best(&best, study, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (!(*json = info_text(c, study, trials, best))) status = cli_fail(c, UNA_E_MEMORY, "out of memory");
    una_trials_free(best);
    una_trials_free(trials);
    una_study_close(study);
    return status;
}

/* ---- export and import ------------------------------------------------------------------------------- */

static const cli_flag export_flags[] = {
    CLI_FLAG("out", CLI_FILE_OUT, "FILE", "where to write it (default: the standard output)"),
    CLI_FLAG_END
};

static una_status run_export(cli *c)
{
    const char *out = cli_text(c, "out") ? cli_text(c, "out") : "/dev/stdout", *form = c->operand[1];
    una_study *study = NULL;
    size_t rows = 0;
    bool csv = strcmp(form, "csv") == 0;
    if (!csv && strcmp(form, "json") != 0) return cli_fail(c, UNA_E_USAGE, "'%s' is neither csv nor json", form);
    una_status status = cli_check_files(c, "out", out);
    if (status == UNA_OK) status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;

    status = csv ? una_study_export_csv(&rows, study, out, c->run) : una_study_export_json(&rows, study, out, c->run);
    if (status != UNA_OK) cli_failed(c, status);
    else if (c->json) {
        printf("{\"trials\": %zu", rows);
        cli_json_path(stdout, "out", out);
        printf("}\n");
    } else if (!c->quiet && !c->stdout_taken) {
        printf("%zu %s written to %s\n", rows, rows == 1 ? "trial was" : "trials were", out);
    }
    una_study_close(study);
    return status;
}

const cli_verb cli_study_export = {
    "study export", "all trials as CSV or JSON",
    "Writes all trials, whole or not at all: as CSV with a column for each input, or as JSON with the settings of the "
    "study. 'una study import' reads the CSV.",
    { WHERE, { "FORM", CLI_TEXT, "csv or json" }, NOTHING }, export_flags, CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study export coffee.study csv > coffee.csv\n"
    "una study export coffee.study json --out coffee.json",
    run_export
};

static const cli_flag import_flags[] = {
    CLI_FLAG("value", CLI_TEXT, "COLUMN", "column with the values (default value)"),
    CLI_FLAG_END
};

static una_status run_study_import(cli *c)
{
    una_study *study = NULL;
    size_t rows = 0, added = 0;
    una_status status = cli_study_open(c, &study);
    if (status != UNA_OK) return status;
    status = una_study_import_csv(&rows, &added, study, c->operand[1], cli_text(c, "value"), c->run);
    cli_progress_clear();
    if (status != UNA_OK) cli_failed(c, status);
    else if (c->json) printf("{\"rows\": %zu, \"added\": %zu}\n", rows, added);
    else if (!c->quiet) printf("%zu of the %zu rows of %s are new trials\n", added, rows, c->operand[1]);
    una_study_close(study);
    return status;
}

const cli_verb cli_study_import = {
    "study import", "trials made elsewhere, from CSV",
    "Takes earlier trials in: columns by the names of the inputs, words for categories, and a column with the values. "
    "With 'failed' in a column state, a row is a trial without a value. Rows that the study has already are skipped. "
    "All rows or none: a row that is outside of the space is an error that names file, line and column.",
    { WHERE, { "FILE", CLI_FILE, "CSV or TSV with a header" }, NOTHING }, import_flags,
    CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una study import coffee.study earlier.csv\n"
    "una study import coffee.study notebook.csv --value taste",
    run_study_import
};
