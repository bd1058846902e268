/* SPDX-License-Identifier: MIT
 *
 * una compare: which model suits a table best, by cross-validation.
 */
#include "cli.h"
#include "una_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_COLUMN, "COLUMN", "the column to predict (default: the last one)"),
    CLI_FLAG("models", CLI_TEXT, "A,B,...", "which models, with options if wanted: 'gp,nlm(width=25),luna' (default "
             "auto,gp,linear,nlm,mcd). The baseline, mean, is always among them"),
    CLI_FLAG_COUNT("folds", "K", 1, 100000, "the rows are cut into K folds; each is predicted by models fitted on the "
                   "others (default 5)"),
    CLI_FLAG_COUNT("repeats", "R", 1, 100000, "do it R times, with other folds (default 1)"),
    CLI_FLAG("group", CLI_COLUMN, "COLUMN", "rows with the same value here stay in one fold, as those of one patient; "
             "models do not see this column"),
    CLI_FLAG("time", CLI_COLUMN, "COLUMN", "train on the past: rows in the order of this column, a number or a date like "
             "2024-05-17, are cut into K + 1 blocks, and each but the first is predicted by models fitted on those "
             "before it"),
    CLI_FLAG_CHOICE("select", "RULE", "log_lik|rmse|crps", "what is best: the highest log-likelihood of rows not seen, "
                    "or their lowest error or CRPS (default log_lik)"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder of the results: fits found there are not made again, and a comparison "
             "that was stopped goes on; other models may join (default: nothing is kept)"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "also write a page with the answer, its numbers and pictures"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the pictures alone; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of all models that have it; may be repeated"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAGS_COLUMNS,
    CLI_FLAG_SWITCH("log", "all models learn the logarithm of the target, whose values must all be above 0, and answer "
                    "in its own units"),
    CLI_FLAG_WHERE,
    CLI_FLAG_END
};

typedef struct job {
    una_dataset  *data;
    una_compared *compared;
    const char  **set, **models;
    size_t        model_count;
    char         *list;                  /* that models point into                                                  */
    cli_selected  selected;              /* --drop and --only                                                       */
} job;

/* ---- the work ---------------------------------------------------------------------------------------- */

/* A column whose own name has the comma is one target. */
static una_status check_compare_asked(const cli *c, const job *j)
{
    size_t count;
    char **targets = cli_targets(c, j->data, &count);
    cli_targets_free(targets, count);
    if (count > 1)
        return cli_fail(c, UNA_E_USAGE, "models are compared on one target, and --target %s names %zu: compare on each "
                        "by itself", cli_text(c, "target"), count);
    if (cli_has(c, "models") && j->model_count == 0)
        return cli_fail(c, UNA_E_USAGE, "--models needs at least one name");
    if (cli_has(c, "time") && cli_count(c, "repeats", 1) > 1)
        return cli_fail(c, UNA_E_USAGE, "--repeats and --time do not go together: time has one order");
    if (cli_count(c, "folds", 5) < 2 && !cli_has(c, "time"))
        return cli_fail(c, UNA_E_USAGE, "--folds 1 leaves no rows to train on: give 2 or more");
    return UNA_OK;
}

static una_status compare_models(cli *c, job *j)
{
    const char *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    j->set = cli_alloc(c->given_count + 1, sizeof *j->set);
    una_compare_settings settings = {
        .size = sizeof settings, .models = j->models, .model_count = j->model_count,
        .folds = (size_t)cli_count(c, "folds", 0), .repeats = (size_t)cli_count(c, "repeats", 0),
        .group = cli_text(c, "group"), .time = cli_text(c, "time"), .select = cli_text(c, "select"),
        .out = cli_text(c, "out"),
        .fit = { .size = sizeof settings.fit, .target = cli_text(c, "target"), .preset = cli_text(c, "preset"),
                 .set = j->set, .set_count = cli_texts(c, "set", j->set), .missing = cli_missing(c),
                 .other = (size_t)cli_count(c, "other", 0), .log_target = cli_has(c, "log") }
    };
    cli_select(c, j->data, &j->selected, &settings.fit);
    una_status status = una_compare(&j->compared, j->data, &settings, c->run);
    if (cli_rank() > 0) return status == UNA_OK ? status : cli_failed(c, status);
    if (status == UNA_OK && report) status = una_compare_page(j->compared, report, c->run);
    if (status == UNA_OK && chart) status = una_compare_chart(j->compared, chart, c->run);
    cli_progress_clear();
    return status == UNA_OK ? status : cli_failed(c, status);
}

static una_status compare_with_job(cli *c, job *j)
{
    una_status status = cli_check_chart(c, cli_text(c, "chart"));
    if (status == UNA_OK) status = cli_check_report(c, cli_text(c, "report"));
    if (status == UNA_OK) status = cli_check_created(c, "out", "compare.csv");
    if (status != UNA_OK) return status;
    if (cli_has(c, "models")) j->model_count = cli_split(cli_text(c, "models"), &j->list, &j->models);
    status = una_dataset_read(&j->data, c->operand[0], c->run);
    if (status == UNA_OK) status = cli_keep_rows(c, &j->data);
    if (status != UNA_OK) return cli_failed(c, status);
    status = check_compare_asked(c, j);
    return status == UNA_OK ? compare_models(c, j) : status;
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static int widest_spec(const una_compared *a)
{
    size_t width = strlen("model");
    for (size_t i = 0; i < a->count; i++)
        if (strlen(a->model[i].spec) > width) width = strlen(a->model[i].spec);
    return (int)(width > 40 ? 40 : width);
}

/* "-2.412 +-0.031": the error says how many digits count. */
static void print_mean_and_error(const una_compared_number *n, int width)
{
    char text[64];
    int digits = 3;
    if (isnan(n->mean)) {
        printf(" %*s", width, "failed");
        return;
    }
    if (n->error > 0) digits = (int)fmin(fmax(1 - floor(log10(n->error)), 0), 6);
    if (isnan(n->error)) snprintf(text, sizeof text, "%.4g", n->mean);
    else snprintf(text, sizeof text, "%.*f +-%.*f", digits, n->mean, digits, n->error);
    printf(" %*s", width, text);
}

static void print_values(const una_compared *a)
{
    int width = widest_spec(a);
    printf("%-*s %18s %18s %18s %16s %9s\n", width, "model", "log-lik", "rmse", "crps", "inside 95 %", "seconds");
    for (size_t i = 0; i < a->count; i++) {
        const una_compared_model *m = &a->model[i];
        printf("%s%-*s%s", cli_style_on(stdout, i == 0 ? CLI_BOLD : CLI_PLAIN), width, cli_escaped(m->spec),
               cli_style_off(stdout));
        print_mean_and_error(&m->log_lik, 18);
        print_mean_and_error(&m->rmse, 18);
        print_mean_and_error(&m->crps, 18);
        print_mean_and_error(&m->coverage_95, 16);
        printf(" %9.2f\n", m->seconds);
    }
}

static void print_difference(const una_compared_number *n, int width)
{
    char text[96];
    if (isnan(n->difference)) snprintf(text, sizeof text, "-");
    else if (!isfinite(n->low)) snprintf(text, sizeof text, "%.3g", n->difference);
    else snprintf(text, sizeof text, "%.3g (%.3g to %.3g)", n->difference, n->low, n->high);
    printf(" %*s", width, text);
}

static void print_differences(const una_compared *a)
{
    int width = widest_spec(a);
    if (a->count < 2 || isnan(a->model[0].log_lik.mean)) return;
    printf("\nDifferences to %s, with 95 %% intervals\n", cli_escaped(a->model[0].spec));
    printf("%-*s %28s %28s\n", width, "model", "log-lik", "rmse");
    for (size_t i = 1; i < a->count; i++) {
        printf("%-*s", width, cli_escaped(a->model[i].spec));
        print_difference(&a->model[i].log_lik, 28);
        print_difference(&a->model[i].rmse, 28);
        printf("  %s\n", a->model[i].worse == 1 ? "worse" : "cannot be told");
    }
}

static void print_compare_meaning(const cli *c, const una_compared *a)
{
    char text[1024];
    size_t each = a->folds / a->repeats;
    int used = snprintf(text, sizeof text, "%zu rows, target %.100s; means over %zu folds", a->rows, a->target, each);
    if (a->repeats > 1) used += snprintf(text + used, sizeof text - (size_t)used, ", %zu times", a->repeats);
    if (cli_has(c, "group")) used += snprintf(text + used, sizeof text - (size_t)used, " of %zu groups", a->groups);
    if (cli_has(c, "time")) used += snprintf(text + used, sizeof text - (size_t)used, ", each later than its training "
                                             "rows");
    snprintf(text + used, sizeof text - (size_t)used, ", the same for all models, of rows that a fit had not seen. "
             "+-: standard error; it and the intervals allow for training rows that folds share (Nadeau and Bengio "
             "2003). log-lik: per row, higher is better; rmse, crps: lower; mean: the baseline, the mean and standard "
             "deviation of the training rows.");
    printf("\n");
    cli_wrap(stdout, 0, 0, text);
}

static void print_comparison(const cli *c, const una_compared *a)
{
    fputs(cli_style_on(stdout, CLI_BOLD), stdout);
    cli_wrap(stdout, 0, 0, a->sentence);
    printf("%s\n", cli_style_off(stdout));
    print_values(a);
    print_differences(a);
    print_compare_meaning(c, a);
    if (a->table)
        printf("%zu fit%s made now, %zu were in %s; table: %s\n", a->made, a->made == 1 ? "" : "s", a->fits - a->made,
               cli_escaped(cli_text(c, "out")), cli_escaped(a->table));
    if (cli_has(c, "report")) printf("report: %s\n", cli_escaped(cli_text(c, "report")));
    if (cli_has(c, "chart")) printf("chart: %s\n", cli_escaped(cli_text(c, "chart")));
}

static void print_json_mean(const char *key, const una_compared_number *n, size_t folds)
{
    printf(", \"%s\": {\"mean\": ", key);
    cli_json_number(stdout, n->mean);
    cli_json_number_of(stdout, "error", n->error);
    cli_json_number_of(stdout, "difference", n->difference);
    cli_json_number_of(stdout, "low", n->low);
    cli_json_number_of(stdout, "high", n->high);
    printf(", \"folds\": [");
    for (size_t i = 0; i < folds; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, n->fold[i]);
    }
    printf("]}");
}

static void print_compare_json(const cli *c, const una_compared *a)
{
    printf("{\"sentence\": ");
    cli_json_text(stdout, a->sentence);
    cli_json_text_of(stdout, "best", isnan(a->model[0].log_lik.mean) ? NULL : a->model[0].spec);
    cli_json_text_of(stdout, "select", a->select);
    printf(", \"models\": [");
    for (size_t i = 0; i < a->count; i++) {
        const una_compared_model *m = &a->model[i];
        printf("%s{\"spec\": ", i ? ", " : "");
        cli_json_text(stdout, m->spec);
        const char *worse = m->worse ? "true" : "false";
        printf(", \"worse\": %s", m->worse < 0 ? "null" : worse);
        print_json_mean("log_lik", &m->log_lik, a->folds);
        print_json_mean("rmse", &m->rmse, a->folds);
        print_json_mean("crps", &m->crps, a->folds);
        print_json_mean("coverage_95", &m->coverage_95, a->folds);
        cli_json_number_of(stdout, "seconds", m->seconds);
        printf("}");
    }
    printf("]");
    cli_json_text_of(stdout, "target", a->target);
    printf(", \"rows\": %zu, \"folds\": %zu, \"repeats\": %zu, \"groups\": %zu, \"fits\": %zu, \"made\": %zu", a->rows,
           a->folds / a->repeats, a->repeats, a->groups, a->fits, a->made);
    cli_json_path(stdout, "out", cli_text(c, "out"));
    cli_json_path(stdout, "report", cli_text(c, "report"));
    cli_json_path(stdout, "chart", cli_text(c, "chart"));
    printf("}\n");
}

static una_status run_compare(cli *c)
{
    job j = {0};
    c->logs_at_once = true;
    una_status status = compare_with_job(c, &j);
    if (status == UNA_OK) {
        if (c->json) print_compare_json(c, j.compared);
        else if (!c->stdout_taken && !c->quiet) print_comparison(c, j.compared);
    }
    una_compared_free(j.compared);
    una_dataset_free(j.data);
    cli_selected_free(&j.selected);
    free(j.set);
    free(j.models);
    free(j.list);
    return status;
}

const cli_verb cli_compare = {
    "compare", "which model suits a table best",
    "Cross-validation: the rows are cut into folds, the same for every model, and each fold is predicted by models "
    "fitted on the others. Says which model is best and which others cannot be told from it, for folds are few "
    "and share training rows. Rows with equal inputs stay in one fold. Fits run at once, one thread each; with --out "
    "a comparison that was stopped, however it was stopped, goes on where it was.",
    { { "DATA", CLI_FILE, "the table: CSV, TSV (also .gz) or NPY" }, { NULL, CLI_TEXT, NULL },
      { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS,
    "una compare measurements.csv --target strength\n"
    "# some models, in a folder where it goes on if it is stopped, with a picture\n"
    "una compare measurements.csv --target strength --models 'gp,linear(degree=2),luna' --out compared --chart c.svg\n"
    "# rows of one patient stay together; and: predict the future, not the past\n"
    "una compare visits.csv --target pressure --group patient\n"
    "una compare sales.csv --target sold --time date",
    run_compare
};
