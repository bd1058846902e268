/* SPDX-License-Identifier: MIT
 *
 * una gap: would the model notice a hole in the data?
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_COLUMN, "COLUMN", "the column to predict (default: the last one)"),
    CLI_FLAG("columns", CLI_COLUMN, "A,B,...", "cut holes along these columns only (default: all inputs)"),
    CLI_FLAG_COUNT("pairs", "N", 0, 1000, "also cut holes along two columns at once, for the N pairs of the most "
                   "relevant ones; 0: along none (default 3)"),
    CLI_FLAG_COUNT("repeats", "K", 1, 1000, "do it K times with other rows left out and other seeds; numbers are means "
                   "(default 1)"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "the kind of model, with options if wanted (default: that of 'una fit' with "
             "fewer members, auto(luna=luna(members=4)), for a dozen models are fitted)"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of the model; may be repeated"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "also write a report: one page with every verdict and its picture"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the pictures alone; the ending says how: .svg, .pdf or .png"),
    CLI_FLAGS_COLUMNS,
    CLI_FLAG_WHERE,
    CLI_FLAG_END
};

typedef struct job {
    una_dataset *data;
    una_gap     *gap;
    const char **set, **columns;
    char        *list;                   /* that columns point into */
    size_t       column_count;
    cli_selected selected;               /* --drop and --only       */
} job;

/* ---- the work ---------------------------------------------------------------------------------------- */

/* A column whose own name has the comma is one column. */
static void take_gap_columns(cli *c, job *j)
{
    const char *given = cli_text(c, "columns");
    if (!given) return;
    for (size_t i = 0; i < una_dataset_column_count(j->data); i++) {
        if (strcmp(una_dataset_column_name(j->data, i), given) != 0) continue;
        j->columns = cli_alloc(1, sizeof *j->columns);
        j->columns[0] = given;
        j->column_count = 1;
        return;
    }
    j->column_count = cli_split(given, &j->list, &j->columns);
}

static una_status check_gap_asked(cli *c, job *j)
{
    size_t count;
    char **targets = cli_targets(c, j->data, &count);
    cli_targets_free(targets, count);
    if (count > 1)
        return cli_fail(c, UNA_E_USAGE, "holes are cut for one target, and --target %s names %zu: test each by itself",
                        cli_text(c, "target"), count);
    if (cli_has(c, "columns") && j->column_count == 0)
        return cli_fail(c, UNA_E_USAGE, "--columns needs at least one name");
    return UNA_OK;
}

static una_status gap_with_job(cli *c, job *j)
{
    const char *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    una_status status = cli_check_chart(c, chart);
    if (status == UNA_OK) status = cli_check_report(c, report);
    if (status != UNA_OK) return status;
    status = una_dataset_read(&j->data, c->operand[0], c->run);
    if (status == UNA_OK) status = cli_keep_rows(c, &j->data);
    if (status != UNA_OK) return cli_failed(c, status);
    take_gap_columns(c, j);
    status = check_gap_asked(c, j);
    if (status != UNA_OK) return status;

    j->set = cli_alloc(c->given_count + 1, sizeof *j->set);
    uint64_t pairs = cli_count(c, "pairs", 3);
    una_gap_settings settings = {
        .size = sizeof settings, .model = cli_text(c, "model"), .columns = j->columns,
        .column_count = j->column_count, .pairs = pairs ? (int)pairs : -1,
        .repeats = (size_t)cli_count(c, "repeats", 1),
        .fit = { .size = sizeof settings.fit, .target = cli_text(c, "target"), .preset = cli_text(c, "preset"),
                 .set = j->set, .set_count = cli_texts(c, "set", j->set), .missing = cli_missing(c),
                 .other = (size_t)cli_count(c, "other", 0) }
    };
    cli_select(c, j->data, &j->selected, &settings.fit);
    status = una_gap_test(&j->gap, j->data, &settings, c->run);
    if (status == UNA_OK && report) status = una_gap_page(j->gap, report, c->run);
    if (status == UNA_OK && chart) status = una_gap_chart(j->gap, chart, c->run);
    cli_progress_clear();
    return status == UNA_OK ? status : cli_failed(c, status);
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static void warn_about_gap(const cli *c, const una_gap *gap)
{
    char sentence[1100];
    for (size_t i = 0; !c->json && i < gap->warning_count; i++) {
        snprintf(sentence, sizeof sentence, "warning: %s", gap->warnings[i]);
        cli_warn(c, sentence);
    }
}

static cli_style style_of(una_gap_kind kind)
{
    if (kind == UNA_GAP_UNNOTICED) return CLI_RED;
    return kind == UNA_GAP_TOO_LITTLE ? CLI_YELLOW : CLI_PLAIN;
}

static void print_gap(const cli *c, const una_gap *gap)
{
    fputs(cli_style_on(stdout, CLI_BOLD), stdout);
    cli_wrap(stdout, 0, 0, gap->answer);
    printf("%s\n", cli_style_off(stdout));
    for (size_t i = 0; i < gap->column_count + gap->pair_count; i++) {
        if (i == gap->column_count) printf("\n");
        printf("- %s", cli_style_on(stdout, style_of(gap->hole[i].kind)));
        cli_wrap(stdout, 2, 2, gap->hole[i].verdict);
        fputs(cli_style_off(stdout), stdout);
    }
    printf("\n");
    cli_wrap(stdout, 0, 0, "Bands, ignorance and error are those of rows that the model has not seen, and are compared "
             "with what they would be with rows in the hole. Ignorance: what it does not know for want of rows.");
    printf("\n%s, target %s, %zu rows, %zu fits of %s\n", cli_escaped(c->operand[0]), cli_escaped(gap->target),
           gap->rows, gap->fits, cli_escaped(gap->spec));
    if (cli_has(c, "report")) printf("report: %s\n", cli_escaped(cli_text(c, "report")));
    if (cli_has(c, "chart")) printf("chart: %s\n", cli_escaped(cli_text(c, "chart")));
}

static void json_truth(const char *key, int value)
{
    const char *truth = value ? "true" : "false";
    printf(", \"%s\": %s", key, value < 0 ? "null" : truth);
}

static void json_hole(const una_gap_hole *hole)
{
    printf("{\"name\": ");
    cli_json_text(stdout, hole->name);
    if (hole->columns[1]) {
        printf(", \"columns\": ");
        cli_json_texts(stdout, hole->columns, 2);
    }
    cli_json_text_of(stdout, "hole", hole->where);
    printf(", \"rows\": %zu", hole->rows);
    json_truth("noticed", hole->noticed);
    json_truth("matters", hole->matters);
    cli_json_text_of(stdout, "kind", una_gap_word(hole->kind));
    cli_json_number_of(stdout, "wider", hole->wider);
    cli_json_number_of(stdout, "wider_low", hole->wider_low);
    cli_json_number_of(stdout, "wider_high", hole->wider_high);
    cli_json_number_of(stdout, "spread", hole->spread);
    cli_json_number_of(stdout, "error", hole->error);
    cli_json_number_of(stdout, "error_low", hole->error_low);
    cli_json_number_of(stdout, "error_high", hole->error_high);
    cli_json_number_of(stdout, "worse", hole->worse);
    cli_json_number_of(stdout, "auroc", hole->auroc);
    cli_json_number_of(stdout, "increase", hole->increase);
    cli_json_number_of(stdout, "rmse_inside", hole->rmse_inside);
    cli_json_number_of(stdout, "rmse_outside", hole->rmse_outside);
    cli_json_number_of(stdout, "rmse_known", hole->rmse_known);
    cli_json_number_of(stdout, "log_lik_inside", hole->log_lik_inside);
    cli_json_number_of(stdout, "log_lik_outside", hole->log_lik_outside);
    cli_json_number_of(stdout, "coverage_inside", hole->coverage_inside);
    cli_json_number_of(stdout, "coverage_outside", hole->coverage_outside);
    cli_json_text_of(stdout, "verdict", hole->verdict);
    printf("}");
}

static void json_holes(const char *key, const una_gap_hole *hole, size_t count)
{
    printf("\"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        if (i) printf(", ");
        json_hole(&hole[i]);
    }
    printf("]");
}

static void print_gap_json(const cli *c, const una_gap *gap)
{
    printf("{\"answer\": ");
    cli_json_text(stdout, gap->answer);
    printf(", ");
    json_holes("columns", gap->hole, gap->column_count);
    printf(", ");
    json_holes("pairs", gap->hole + gap->column_count, gap->pair_count);
    cli_json_text_of(stdout, "target", gap->target);
    cli_json_text_of(stdout, "model", gap->spec);
    printf(", \"rows\": %zu, \"fits\": %zu, \"repeats\": %zu, \"warnings\": ", gap->rows, gap->fits, gap->repeats);
    cli_json_texts(stdout, gap->warnings, gap->warning_count);
    cli_json_path(stdout, "report", cli_text(c, "report"));
    cli_json_path(stdout, "chart", cli_text(c, "chart"));
    printf("}\n");
}

static una_status run_gap(cli *c)
{
    job j = {0};
    una_status status = gap_with_job(c, &j);
    if (status == UNA_OK) {
        cli_show_logs(c, NULL, 0, NULL, 0);
        warn_about_gap(c, j.gap);
        if (c->json) print_gap_json(c, j.gap);
        else if (!c->stdout_taken && !c->quiet) print_gap(c, j.gap);
    }
    una_gap_free(j.gap);
    una_dataset_free(j.data);
    cli_selected_free(&j.selected);
    free(j.set);
    free(j.columns);
    free(j.list);
    return status;
}

const cli_verb cli_gap = {
    "gap", "would the model notice a hole in the data?",
    "Cuts a hole into the table along each input, about the middle third of its rows, fits a model on the rest, and "
    "says in plain words whether the model would notice: whether its bands get wider in the hole than they would be "
    "with rows there, and whether its error does. Then the same along pairs of columns.",
    { { "DATA", CLI_FILE, "the table: CSV, TSV (also .gz) or NPY" }, { NULL, CLI_TEXT, NULL },
      { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una gap measurements.csv --target strength\n"
    "# one column, five times, with a page of pictures\n"
    "una gap measurements.csv --target strength --columns temperature --pairs 0 --repeats 5 --report gap.html\n"
    "# another model, for programs\n"
    "una gap measurements.csv --target strength --model gp --json",
    run_gap
};
