/* SPDX-License-Identifier: MIT
 *
 * una fit: a table in, a model file out, with everything that was decided on the way said in plain words.
 */
#include "cli.h"
#include "una_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_COLUMN, "COLUMN", "the column to predict, or several with commas between them: a,b "
             "(default: the last one)"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "the kind of model, with options if wanted: luna, 'nlm(training=map)'; "
             "see 'una models' (default auto; luna with --images, with --preset and under mpirun)"),
    CLI_FLAG("out", CLI_FILE_OUT, "MODEL", "where the model goes (default: the data file's name with the ending .una, "
             "in the current folder)"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "also write a report: one page that opens in any browser"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the main chart; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG("valid", CLI_FILE, "PART", "rows kept from training to stop it and to set the noise: a share such as "
             "0.2, or a file of other rows (default: each of five folds in turn, below 1,000 rows or, where several "
             "members are kept, 100,000; else 15 % of the rows)"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of the model; may be repeated, and wins over --model "
                  "and --preset"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG_DROP,
    CLI_FLAG_ONLY,
    CLI_FLAG_CHOICE("missing", "HOW", "drop|mean", "what to do with missing cells: drop the row, or fill in the "
                    "column's mean and tell the model so; remembered for prediction (default: refuse)"),
    CLI_FLAG_COUNT("other", "N", 1, 1000000000, "levels of text columns with fewer than N rows become one level "
                   "'other'; new words in later rows have a level too, with large ignorance"),
    CLI_FLAG_SWITCH("log", "learn the logarithm of the target, whose values must all be above 0; answers are in its "
                    "own units all the same, and never below 0"),
    CLI_FLAG_SWITCH("no-verdict", "give no verdict on the model from held-out rows: models that hold out none by "
                                  "themselves are then fitted only once"),
    CLI_FLAG_WHERE,
    CLI_FLAG_IMAGES,
    CLI_FLAG_INDEX,
    CLI_FLAG_END
};

typedef struct job {
    const char  *data_path, *out, *report, *chart;
    char        *default_out;
    const char **set;
    char       **targets;
    size_t       target_count;
    cli_selected selected;               /* --drop and --only                                       */
    char        *replaced;               /* kind of the model that stood where this one goes        */
    una_dataset *data, *valid;
    una_model   *model;
    una_verdict **verdicts;      /* [targets of the model]                                          */
} job;

/* ---- the work -------------------------------------------------------------------------------------- */

/* big-%r.csv are the files of all ranks, and big.una is their model. */
static void leave_rank_out(char *name)
{
    char *rank = strstr(name, "%r");
    if (!rank) return;
    size_t mark = rank > name + 1 && strchr("-_.", rank[-1]) ? 1 : 0;
    memmove(rank - mark, rank + 2, strlen(rank + 2) + 1);
}

static una_status check_places(cli *c, job *j)
{
    j->data_path = c->operand[0];
    j->report = cli_text(c, "report");
    j->chart = cli_text(c, "chart");
    if (strcmp(j->data_path, "-") == 0 && !cli_has(c, "out"))
        return cli_fail(c, UNA_E_USAGE, "the standard input has no name that the model could take; name the model's "
                        "file with --out");
    j->default_out = cli_default_out(j->data_path, ".una");
    if (c->ranks) leave_rank_out(j->default_out);
    j->out = cli_has(c, "out") ? cli_text(c, "out") : j->default_out;
    if (cli_rank() > 0) return UNA_OK;                   /* rank 0 writes */
    una_status status = cli_check_chart(c, j->chart);
    if (status == UNA_OK) status = cli_check_files(c, "out", j->out);
    if (status == UNA_OK) status = cli_check_report(c, j->report);
    if (status == UNA_OK) j->replaced = cli_replaced(c, j->out);
    return status;
}

static una_status fit_model(cli *c, job *j)
{
    j->set = cli_alloc(c->given_count + 1, sizeof *j->set);
    una_fit_settings settings = {
        .size = sizeof settings,
        .preset = cli_text(c, "preset"),
        .set = j->set,
        .set_count = cli_texts(c, "set", j->set),
        .missing = cli_missing(c),
        .other = (size_t)cli_count(c, "other", 0),
        .log_target = cli_has(c, "log"),
        .hold_out = cli_wants_verdict(c)
    };

    una_status status = una_dataset_read_part(&j->data, j->data_path, c->run);
    if (status == UNA_OK) status = cli_keep_part(c, &j->data);
    if (status != UNA_OK) return cli_failed(c, status);
    settings.targets = (const char *const *)(j->targets = cli_targets(c, j->data, &j->target_count));
    settings.target_count = j->target_count;
    cli_select(c, j->data, &j->selected, &settings);
    if (j->target_count > 1 && j->chart)
        return cli_fail(c, UNA_E_USAGE, "--chart shows one target, and %zu are given: use --report, which has the "
                        "charts of each", j->target_count);
    status = cli_read_valid(c, &j->valid, &settings);
    if (status != UNA_OK) return status;

    status = una_fit(&j->model, cli_text(c, "model"), j->data, &settings, c->run);
    if (status == UNA_CANCELLED) return cli_fail(c, status, "%s; no model was written", una_run_message(c->run));
    return status == UNA_OK ? cli_check_interrupt(c) : cli_failed(c, status);
}

static una_status write_files(cli *c, job *j)
{
    const una_model *models[] = { j->model };
    const char *titles[] = { una_model_info(j->model)->kind };
    if (cli_rank() > 0)
        return cli_compute_verdicts(c, &j->verdicts, j->model, j->data);     /* there is none: room for it */
    una_status status = una_model_save(j->model, j->out, c->run);
    if (status != UNA_OK) return cli_failed(c, status);
    status = cli_compute_verdicts(c, &j->verdicts, j->model, j->data);
    if (status == UNA_OK && j->report)
        status = una_report_write(j->report, models, titles, 1, j->data, NULL, NULL, c->run);
    if (status == UNA_OK && j->chart) status = una_chart_write(j->chart, models, titles, 1, j->data, c->run);
    if (status == UNA_OK) return status;
    cli_failed(c, status);
    return cli_fail(c, status, "the model itself is safe in %s", j->out);
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static void print_number_or_null(const char *key, double value)
{
    printf(", \"%s\": ", key);
    cli_json_number(stdout, value);
}

static void print_relevance_json(const una_model *model)
{
    const double *relevance = una_model_info(model)->relevance;
    if (!relevance) return;
    for (size_t i = 0; i < una_model_input_count(model); i++) {
        printf(i ? ", " : ", \"relevance\": {");
        cli_json_text(stdout, una_model_input_name(model, i));
        printf(": ");
        cli_json_number(stdout, relevance[i]);
    }
    printf("}");
}

/* What was found for one target, without the brackets around it. */
static void print_findings(const una_model *model, const una_verdict *verdict)
{
    const una_fit_info *info = una_model_info(model);
    printf("\"kind\": ");
    cli_json_text(stdout, info->kind);
    printf(", \"spec\": ");
    cli_json_text(stdout, info->spec);
    printf(", \"target\": ");
    cli_json_text(stdout, info->target);
    if (info->log_target) printf(", \"log\": true");
    printf(", \"rows\": %zu, \"inputs\": %zu", info->rows, info->inputs);
    print_number_or_null("noise_std", info->noise_std);
    print_number_or_null("prior_var", info->prior_var);
    print_number_or_null("log_evidence", info->log_evidence);
    if (!isnan(info->mean_cos2)) print_number_or_null("mean_cos2", info->mean_cos2);
    print_relevance_json(model);

    printf(", \"options\": ");
    cli_json_pass(stdout, una_model_options_json(model));
    printf(", \"valid\": {\"rows\": %zu", info->valid_rows);
    print_number_or_null("rmse", info->valid_rows ? info->valid_rmse : NAN);
    print_number_or_null("log_lik", info->valid_rows ? info->valid_log_lik : NAN);
    printf("}, \"steps\": %zu", info->steps);
    cli_verdict_json(verdict);
}

static void print_sentences(const una_fit_info *info)
{
    printf(", \"warnings\": ");
    cli_json_texts(stdout, info->warnings, info->warning_count);
    printf(", \"notes\": ");
    cli_json_texts(stdout, info->notes, info->note_count);
}

/* What is common to several targets, then each of them. */
static void print_parts(const una_model *model, una_verdict *const *verdicts)
{
    const una_fit_info *info = una_model_info(model);
    printf("\"kind\": ");
    cli_json_text(stdout, info->kind);
    printf(", \"spec\": ");
    cli_json_text(stdout, info->spec);
    printf(", \"rows\": %zu, \"inputs\": %zu, \"targets\": [", info->rows, info->inputs);
    for (size_t t = 0; t < una_model_target_count(model); t++) {
        printf(t ? ", {" : "{");
        print_findings(una_model_target(model, t), verdicts[t]);
        print_sentences(una_model_info(una_model_target(model, t)));
        printf("}");
    }
    printf("], \"steps\": %zu", info->steps);
}

static void print_fit_json(const job *j)
{
    const una_fit_info *info = una_model_info(j->model);
    printf("{");
    if (una_model_target_count(j->model) > 1) print_parts(j->model, j->verdicts);
    else print_findings(j->model, j->verdicts[0]);
    print_number_or_null("seconds", info->seconds);
    print_sentences(info);
    cli_json_path(stdout, "model", j->out);
    cli_json_text_of(stdout, "replaced", j->replaced);
    cli_json_path(stdout, "report", j->report);
    cli_json_path(stdout, "chart", j->chart);
    printf("}\n");
}

enum { TITLE = 18 };

static void print_fit_row(cli_style style, const char *title, const char *text)
{
    printf("  %s%-*s%s", cli_style_on(stdout, style), TITLE, title, cli_style_off(stdout));
    cli_wrap(stdout, TITLE + 2, TITLE + 2, text);
}

static void figure_row(const char *title, double value, const char *remark)
{
    char text[256], figure[32];
    if (isnan(value)) return;
    snprintf(text, sizeof text, "%s %s", cli_number_short(figure, value), remark);
    print_fit_row(CLI_PLAIN, title, text);
}

/* Whether a person named this option: then it was not chosen for them. */
static bool was_given(const cli *c, const char *const *set, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < cli_texts(c, "set", NULL); i++) {
        if (strncmp(set[i], name, length) == 0 && strchr(" =", set[i][length])) return true;
    }
    const char *spec = cli_text(c, "model");
    for (const char *at = spec ? strstr(spec, name) : NULL; at; at = strstr(at + 1, name)) {
        if (at > spec && strchr("(, ", at[-1]) && at[length] && strchr("= ", at[length])) return true;
    }
    return false;
}

static bool is_automatic(const cli *c, const job *j, size_t kind, const char *name)
{
    una_option_info option = UNA_INIT(una_option_info);
    for (size_t i = 0; kind < una_kind_count() && i < una_kind_option_count(kind); i++) {
        if (una_kind_option(&option, kind, i, c->run) != UNA_OK || strcmp(option.name, name) != 0) continue;
        return strcmp(option.initial, "auto") == 0 && !was_given(c, j->set, name);
    }
    return false;
}

/* The options that were found from the data, or the others. */
static void option_row(const cli *c, const job *j, const una_model *model, bool automatic, const char *title)
{
    const char *json = una_model_options_json(model);
    size_t kind = cli_kind_find(una_model_info(model)->kind), room = 2 * strlen(json) + 1, used = 0;
    static const char rounded[] = " (rounded; una info has every digit)";
    char *text = cli_alloc(room + sizeof rounded, 1);
    cli_json walk;
    cli_json_item item;
    for (bool more = cli_json_open(&walk, json); more && cli_json_next(&walk, &item); cli_json_done(&item)) {
        if (is_automatic(c, j, kind, item.key) != automatic || !*item.value) continue;
        used += (size_t)snprintf(text + used, room - used, "%s%s=%s", used ? ", " : "", item.key, item.value);
    }
    if (cli_shorten(text)) strcat(text, rounded);
    if (used) print_fit_row(CLI_PLAIN, title, text);
    free(text);
}

/* Where no rows were kept for validation, each row may have been predicted by trainings that left out its fold. */
static bool is_out_of_fold(const cli *c, const una_model *model)
{
    const una_held_out *held = una_model_held_out(model);
    return !cli_has(c, "valid") && held && held->folds > 0 && held->rows == una_model_info(model)->valid_rows;
}

static void print_checks(const cli *c, const una_model *model)
{
    const una_fit_info *info = una_model_info(model);
    bool folds = is_out_of_fold(c, model);
    char text[512], rmse[32], log_lik[32], noise[160] = "(standard deviation, in the units of the target)";
    if (info->log_target) snprintf(noise, sizeof noise, "(standard deviation of log %.100s)", info->target);
    figure_row("noise", info->noise_std, noise);
    figure_row("prior variance", info->prior_var, "");
    figure_row("log evidence", info->log_evidence, "");
    figure_row("heads' mean cos^2", info->mean_cos2, "(0 all different, 1 all the same)");
    if (info->valid_rows == 0) return;
    snprintf(text, sizeof text, "rmse %s%s, log-likelihood %s per row, on %zu rows%s (measured before the final "
             "posterior was fitted)", cli_number_short(rmse, info->valid_rmse),
             info->log_target ? " of the logarithm" : "",
             cli_number_short(log_lik, info->valid_log_lik), info->valid_rows,
             folds ? ", each predicted without its fold" : " held out of feature training");
    print_fit_row(CLI_PLAIN, folds ? "out-of-fold rows" : "held-out rows", text);
}

static void print_fit_relevance(const una_model *model)
{
    const double *relevance = una_model_info(model)->relevance;
    size_t count = una_model_input_count(model);
    if (!relevance) return;
    cli_named *list = cli_alloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = (cli_named){ una_model_input_name(model, i), relevance[i] };
    char *text = cli_shares(list, count);
    print_fit_row(CLI_PLAIN, "relevance", text);
    free(text);
    free(list);
}

static void print_remarks(const una_fit_info *info)
{
    for (size_t i = 0; i < info->note_count; i++) print_fit_row(CLI_PLAIN, "note", info->notes[i]);
    for (size_t i = 0; i < info->warning_count; i++) print_fit_row(CLI_YELLOW, "warning", info->warnings[i]);
}

static void print_target(const cli *c, const job *j, const una_model *model)
{
    print_checks(c, model);
    print_fit_relevance(model);
    option_row(c, j, model, true, "chosen from data");
}

static void print_fit_targets(const cli *c, const job *j)
{
    for (size_t t = 0; t < una_model_target_count(j->model); t++) {
        const una_model *part = una_model_target(j->model, t);
        printf("target %s%s%s, %zu rows\n", cli_style_on(stdout, CLI_BOLD), cli_escaped(una_model_info(part)->target),
               cli_style_off(stdout), una_model_info(part)->rows);
        print_target(c, j, part);
        print_remarks(una_model_info(part));
        printf("\n");
    }
    printf("all targets\n");
}

static void tell_replaced(const char *kind)
{
    char text[128];
    if (strcmp(kind, "file") == 0) snprintf(text, sizeof text, "(replaced a file that was no model)");
    else snprintf(text, sizeof text, "(replaced: a model of kind %s was there)", kind);
    print_fit_row(CLI_PLAIN, "", text);
}

static void print_fit_summary(const cli *c, const job *j)
{
    const una_fit_info *info = una_model_info(j->model);
    bool several = una_model_target_count(j->model) > 1;
    for (size_t t = 0; t < una_model_target_count(j->model); t++)
        cli_verdict_print(j->verdicts[t], cli_wants_verdict(c));
    printf("%s%s%s fitted to %s: target%s %s, %zu rows, %zu input%s, %.1f s\n\n", cli_style_on(stdout, CLI_BOLD),
           info->kind,
           cli_style_off(stdout), cli_escaped(j->data_path), several ? "s" : "", cli_escaped(info->target), info->rows,
           info->inputs, info->inputs == 1 ? "" : "s", info->seconds);

    if (several) print_fit_targets(c, j);
    else print_target(c, j, j->model);
    option_row(c, j, una_model_target(j->model, 0), false, "other options");
    print_remarks(info);

    printf("\n");
    print_fit_row(CLI_BOLD, "model", j->out);
    if (j->replaced) tell_replaced(j->replaced);
    if (j->report) print_fit_row(CLI_BOLD, "report", j->report);
    if (j->chart) print_fit_row(CLI_BOLD, "chart", j->chart);
    if (c->ranks && (j->report || j->chart)) print_fit_row(CLI_PLAIN, "", "(of the rows that rank 0 has)");
    printf("\nNext: una predict %s NEW.csv%s --keep --out answers.csv\n", cli_escaped(j->out),
           cli_has(c, "images") ? " --images FILE" : "");
}

static una_status run_fit(cli *c)
{
    job j = {0};
    una_status status = check_places(c, &j);
    if (status == UNA_OK) status = fit_model(c, &j);
    if (status == UNA_OK) status = write_files(c, &j);
    cli_progress_clear();

    if (status == UNA_OK) {
        const una_fit_info *info = una_model_info(j.model);
        cli_show_logs(c, info->warnings, info->warning_count, info->notes, info->note_count);
        if (c->json) print_fit_json(&j);
        else if (!c->quiet && !c->stdout_taken) print_fit_summary(c, &j);
    }

    if (j.model) cli_verdicts_free(j.verdicts, una_model_target_count(j.model));
    una_model_free(j.model);
    una_dataset_free(j.valid);
    una_dataset_free(j.data);
    cli_targets_free(j.targets, j.target_count);
    cli_selected_free(&j.selected);
    free(j.replaced);
    free(j.set);
    free(j.default_out);
    return status;
}

const cli_verb cli_fit = {
    "fit", "train a model on a table",
    "Trains a model on a table (CSV or TSV, also .gz, with a header; or NPY) and writes it to a file. Nothing needs "
    "tuning: what is not given is chosen from the data, printed, saved with the model, and can be passed back as an "
    "option. Text columns become categories; with --images the model sees images that rows name. The same seed gives "
    "the same bits whatever the number of threads. With several targets the model has one part for each; where a "
    "target's cell is empty, that target is fitted without the row. Under mpirun each rank keeps some of the rows "
    "and all fit one model, for tables too large for one machine (luna, nlm and linear); in DATA, %r stands for the "
    "number of the rank, where each has a file of its own.",
    { { "DATA", CLI_FILE, "the table to learn from" }, { NULL, CLI_TEXT, NULL }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS,
    "una fit measurements.csv --target strength\n"
    "una fit measurements.csv --target strength --report report.html --chart bands.svg\n"
    "# another model, with options of its own ('una models nlm' lists them)\n"
    "una fit measurements.csv --target strength --model nlm --set width=100 --out plain.una\n"
    "# two targets in one model: the answers have columns for each\n"
    "una fit measurements.csv --target strength,density\n"
    "# the published settings\n"
    "una fit measurements.csv --target strength --preset thesis\n"
    "# cells are missing, and new categories will turn up\n"
    "una fit survey.csv --target income --missing mean --other 5\n"
    "# without columns that mean nothing for new rows\n"
    "una fit survey.csv --target income --drop id,name,timestamp\n"
    "# men whose age is known, of all rows\n"
    "una fit faces.csv --target age --where 'sex == 1 and age_valid == 1'\n"
    "# a concentration: above 0, and it varies by factors\n"
    "una fit water.csv --target nitrate --log\n"
    "# images: each row names one, by its number in the file\n"
    "una fit faces.csv --target age --images faces.idx.gz --index picture --report report.html\n"
    "# from another program\n"
    "sort -u raw.csv | una fit - --target y --out y.una\n"
    "# four processes, each with a quarter of the rows\n"
    "mpirun -n 4 una fit large.csv --target y --model luna",
    run_fit
};
