/* SPDX-License-Identifier: MIT
 *
 * una compare: which model suits a table best, by cross-validation.
 */
#include "cli.h"
#include "una_study.h"

#include <math.h>
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

CLI_END(una_compared)

static una_status run_compare(cli *c)
{
    const char *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    una_dataset *data;
    una_compared *compared;
    c->logs_at_once = true;
    CLI_TRY(cli_check_pictures(c));
    CLI_TRY(cli_check_created(c, "out", "compare.csv"));
    CLI_TRY(cli_read(c, &data, c->operand[0], NULL));
    una_compare_settings settings = {
        .size = sizeof settings, .folds = (size_t)cli_count(c, "folds", 0),
        .repeats = (size_t)cli_count(c, "repeats", 0), .group = cli_text(c, "group"), .time = cli_text(c, "time"),
        .select = cli_text(c, "select"), .out = cli_text(c, "out"), .fit = cli_fit_settings(c, data)
    };
    CLI_TRY(cli_need_one_target(c, data, "models are compared on", "compare on each by itself"));
    CLI_TRY(cli_names(c, "models", &settings.models, &settings.model_count));
    if (settings.time && settings.repeats > 1)
        return cli_fail(c, UNA_E_USAGE, "--repeats and --time do not go together: time has one order");
    if (settings.folds == 1 && !settings.time)
        return cli_fail(c, UNA_E_USAGE, "--folds 1 leaves no rows to train on: give 2 or more");
    CLI_TRY(una_compare(&compared, data, &settings, c->run));
    cli_own(end_una_compared, compared);
    c->found = compared;
    if (cli_rank() > 0) return UNA_OK;
    if (report) CLI_TRY(una_compare_page(compared, report, c->run));
    return chart ? una_compare_chart(compared, chart, c->run) : UNA_OK;
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
    const char *text = "failed";
    int digits = n->error > 0 ? (int)fmin(fmax(1 - floor(log10(n->error)), 0), 6) : 3;
    if (!isnan(n->mean) && isnan(n->error)) text = cli_formatted("%.4g", n->mean);
    else if (!isnan(n->mean)) text = cli_formatted("%.*f +-%.*f", digits, n->mean, digits, n->error);
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
    const char *text = "-";
    if (!isnan(n->difference) && !isfinite(n->low)) text = cli_formatted("%.3g", n->difference);
    else if (!isnan(n->difference)) text = cli_formatted("%.3g (%.3g to %.3g)", n->difference, n->low, n->high);
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
    const char *times = a->repeats > 1 ? cli_formatted(", %zu times", a->repeats) : "";
    const char *groups = cli_has(c, "group") ? cli_formatted(" of %zu groups", a->groups) : "";
    printf("\n");
    cli_say(0, "%zu rows, target %.100s; means over %zu folds%s%s%s, the same for all models, of rows that a fit had "
            "not seen. +-: standard error; it and the intervals allow for training rows that folds share (Nadeau and "
            "Bengio 2003). log-lik: per row, higher is better; rmse, crps: lower; mean: the baseline, the mean and "
            "standard deviation of the training rows.", a->rows, a->target, a->folds / a->repeats, times, groups,
            cli_has(c, "time") ? ", each later than its training rows" : "");
}

static void print_comparison(cli *c)
{
    const una_compared *a = c->found;
    cli_say_bold(a->sentence);
    printf("\n");
    print_values(a);
    print_differences(a);
    print_compare_meaning(c, a);
    if (a->table)
        printf("%zu fit%s made now, %zu were in %s; table: %s\n", a->made, a->made == 1 ? "" : "s", a->fits - a->made,
               cli_escaped(cli_text(c, "out")), cli_escaped(a->table));
    cli_print_pictures(c);
}

static void print_json_mean(const char *key, const una_compared_number *n, size_t folds)
{
    cli_json_put(", %s: {'mean': %g, 'error': %g, 'difference': %g, 'low': %g, 'high': %g, 'folds': [", key, n->mean,
                 n->error, n->difference, n->low, n->high);
    for (size_t i = 0; i < folds; i++) cli_json_put(", %g", n->fold[i]);
    cli_json_put("]}");
}

static void print_compare_json(cli *c)
{
    const una_compared *a = c->found;
    cli_json_put("{'sentence': %s, 'best': %s, 'select': %s, 'models': [", a->sentence,
                 isnan(a->model[0].log_lik.mean) ? NULL : a->model[0].spec, a->select);
    for (size_t i = 0; i < a->count; i++) {
        const una_compared_model *m = &a->model[i];
        cli_json_put(", {'spec': %s, 'worse': %d", m->spec, m->worse);
        print_json_mean("log_lik", &m->log_lik, a->folds);
        print_json_mean("rmse", &m->rmse, a->folds);
        print_json_mean("crps", &m->crps, a->folds);
        print_json_mean("coverage_95", &m->coverage_95, a->folds);
        cli_json_put(", 'seconds': %g}", m->seconds);
    }
    cli_json_put("], 'target': %s, 'rows': %zu, 'folds': %zu, 'repeats': %zu, 'groups': %zu, 'fits': %zu, "
                 "'made': %zu", a->target, a->rows, a->folds / a->repeats, a->repeats, a->groups, a->fits, a->made);
    cli_json_end(c);
}

const cli_verb cli_compare = {
    "compare", "which model suits a table best",
    "Cross-validation: the rows are cut into folds, the same for every model, and each fold is predicted by models "
    "fitted on the others. Says which model is best and which others cannot be told from it, for folds are few "
    "and share training rows. Rows with equal inputs stay in one fold. Fits run at once, one thread each; with --out "
    "a comparison that was stopped, however it was stopped, goes on where it was.",
    { { "DATA", CLI_FILE, "the table: CSV, TSV (also .gz) or NPY" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS |
    CLI_IS_SUMMARY,
    "una compare measurements.csv --target strength\n"
    "# some models, in a folder where it goes on if it is stopped, with a picture\n"
    "una compare measurements.csv --target strength --models 'gp,linear(degree=2),luna' --out compared --chart c.svg\n"
    "# rows of one patient stay together; and: predict the future, not the past\n"
    "una compare visits.csv --target pressure --group patient\n"
    "una compare sales.csv --target sold --time date",
    .run = run_compare, .json = print_compare_json, .text = print_comparison
};
