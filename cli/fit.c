/* SPDX-License-Identifier: MIT
 *
 * una fit: a table in, a model file out, with everything that was decided on the way said in plain words.
 */
#include "cli.h"
#include "una_report.h"

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
    CLI_FLAG_SWITCH("fast", "less than half the time, and a little less likely answers: the effort of auto"),
    CLI_FLAG_SWITCH("best", "about five times the time for what patience can still gain: the effort of auto"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG_DROP,
    CLI_FLAG_ONLY,
    CLI_FLAG_GROUP,
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

typedef struct fitted {
    const char   *out;
    const char   *replaced;              /* kind of the model that stood where this one goes        */
    una_model    *model;
    una_verdict **verdicts;              /* [targets of the model]                                  */
    const una_dataset *data;
} fitted;

/* ---- the work -------------------------------------------------------------------------------------- */

/* big-%r.csv are the files of all ranks, and big.una is their model. */
static void leave_rank_out(char *name)
{
    char *rank = strstr(name, "%r");
    if (!rank) return;
    size_t mark = rank > name + 1 && strchr("-_.", rank[-1]) ? 1 : 0;
    memmove(rank - mark, rank + 2, strlen(rank + 2) + 1);
}

static una_status check_places(cli *c, fitted *f)
{
    const char *data_path = c->operand[0];
    if (strcmp(data_path, "-") == 0 && !cli_has(c, "out"))
        return cli_fail(c, UNA_E_USAGE, "the standard input has no name that the model could take; name the model's "
                        "file with --out");
    char *usual = cli_default_out(data_path, ".una");
    if (c->ranks) leave_rank_out(usual);
    f->out = cli_has(c, "out") ? cli_text(c, "out") : usual;
    if (cli_rank() > 0) return UNA_OK;                   /* rank 0 writes */
    CLI_TRY(cli_check_chart(c, "chart", cli_text(c, "chart")));
    CLI_TRY(cli_check_files(c, "out", f->out));
    CLI_TRY(cli_check_report(c, cli_text(c, "report")));
    f->replaced = cli_replaced(c, f->out);
    return UNA_OK;
}

/* --fast and --best are auto's option effort. */
static una_status set_effort(cli *c, una_fit_settings *settings)
{
    const char *effort = cli_has(c, "fast") ? "fast" : "best", *model = cli_text(c, "model");
    if (!cli_has(c, "fast") && !cli_has(c, "best")) return UNA_OK;
    if (cli_has(c, "fast") && cli_has(c, "best"))
        return cli_fail(c, UNA_E_USAGE, "--fast and --best do not go together: leave one out");
    if (cli_has(c, "images") || cli_has(c, "preset") || c->ranks || (model && strncmp(model, "auto", 4) != 0))
        return cli_fail(c, UNA_E_USAGE, "--%s is for the model auto, which chooses by itself how long it takes; give "
                        "another model options of its own, for instance --set members=5 or --set steps=1000", effort);
    const char **set = cli_alloc(settings->set_count + 1, sizeof *set);
    set[0] = cli_has(c, "fast") ? "effort=fast" : "effort=best";         /* --set effort=... wins */
    for (size_t i = 0; i < settings->set_count; i++) set[i + 1] = settings->set[i];
    settings->set = set;
    settings->set_count++;
    return UNA_OK;
}

static una_status fit_model(cli *c, fitted *f, const una_dataset *data)
{
    una_fit_settings settings = cli_fit_settings(c, data);
    CLI_TRY(set_effort(c, &settings));
    settings.target = NULL;
    settings.targets = cli_targets(c, data, &settings.target_count);
    settings.hold_out = cli_wants_verdict(c);
    if (settings.target_count > 1 && cli_has(c, "chart"))
        return cli_fail(c, UNA_E_USAGE, "--chart shows one target, and %zu are given: use --report, which has the "
                        "charts of each", settings.target_count);
    CLI_TRY(cli_read_valid(c, &settings));
    una_status status = una_fit(&f->model, cli_text(c, "model"), data, &settings, c->run);
    if (status == UNA_CANCELLED) return cli_fail(c, status, "%s; no model was written", una_run_message(c->run));
    CLI_TRY(status);
    cli_own_model(f->model);
    return cli_check_interrupt(c);
}

static una_status write_pages(cli *c, fitted *f, const una_dataset *data)
{
    const una_model *models[] = { f->model };
    const char *titles[] = { c->info->kind }, *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    CLI_TRY(cli_compute_verdicts(c, &f->verdicts, f->model, data));
    if (cli_rank() > 0) return UNA_OK;
    if (report) CLI_TRY(una_report_write(report, models, titles, 1, data, NULL, NULL, c->run));
    return chart ? una_chart_write(chart, models, titles, 1, data, c->run) : UNA_OK;
}

static una_status run_fit(cli *c)
{
    fitted *f = cli_alloc(1, sizeof *f);
    una_dataset *data;
    c->found = f;
    CLI_TRY(check_places(c, f));
    CLI_TRY(cli_read_part(c, &data, c->operand[0]));
    f->data = data;
    CLI_TRY(fit_model(c, f, data));
    c->info = una_model_info(f->model);
    if (cli_rank() == 0) CLI_TRY(una_model_save(f->model, f->out, c->run));
    una_status status = write_pages(c, f, data);
    if (status == UNA_OK || cli_rank() > 0) return status;
    cli_failed(c, status);
    return cli_fail(c, status, "the model itself is safe in %s", f->out);
}

/* ---- telling ----------------------------------------------------------------------------------------- */

/* What was found for one target, without the brackets around it. */
static void json_target(const una_model *model, const una_verdict *verdict)
{
    const una_fit_info *info = una_model_info(model);
    cli_json_put("'kind': %s, 'spec': %s, 'target': %s", info->kind, info->spec, info->target);
    if (info->log_target) cli_json_put(", 'log': true");
    cli_json_put(", 'rows': %zu, 'inputs': %zu, 'noise_std': %g, 'prior_var': %g, 'log_evidence': %g", info->rows,
                 info->inputs, info->noise_std, info->prior_var, info->log_evidence);
    if (isfinite(info->noise_freedom))
        cli_json_put(", 'noise_scale': %g, 'noise_freedom': %g", info->noise_scale, info->noise_freedom);
    if (!isnan(info->mean_cos2)) cli_json_put(", 'mean_cos2': %g", info->mean_cos2);
    if (info->relevance) cli_json_put(", 'relevance': {");
    for (size_t i = 0; info->relevance && i < una_model_input_count(model); i++)
        cli_json_put(", %s: %g", una_model_input_name(model, i), info->relevance[i]);
    cli_json_put(info->relevance ? "}, 'options': " : ", 'options': ");
    cli_json_pass(una_model_options_json(model));
    cli_json_put(", 'valid': {'rows': %zu, 'rmse': %g, 'log_lik': %g}, 'steps': %zu", info->valid_rows,
                 info->valid_rows ? info->valid_rmse : NAN, info->valid_rows ? info->valid_log_lik : NAN, info->steps);
    cli_verdict_json(verdict);
}

static void json_sentences(const una_fit_info *info)
{
    cli_json_texts("warnings", info->warnings, info->warning_count);
    cli_json_texts("notes", info->notes, info->note_count);
}

/* What is common to several targets, then each of them. */
static void print_fit_json(cli *c)
{
    const fitted *f = c->found;
    const una_fit_info *info = c->info;
    size_t targets = una_model_target_count(f->model);
    cli_json_put("{");
    if (targets > 1)
        cli_json_put("'kind': %s, 'spec': %s, 'rows': %zu, 'inputs': %zu, 'targets': [", info->kind, info->spec,
                     info->rows, info->inputs);
    for (size_t t = 0; t < targets; t++) {
        const una_model *part = una_model_target(f->model, t);
        if (targets > 1) cli_json_put(", {");
        json_target(part, f->verdicts[t]);
        if (targets > 1) json_sentences(una_model_info(part));
        if (targets > 1) cli_json_put("}");
    }
    if (targets > 1) cli_json_put("], 'steps': %zu", info->steps);
    cli_json_put(", 'seconds': %g", info->seconds);
    json_sentences(info);
    cli_json_put(", 'model': %s, 'replaced': %s", f->out, f->replaced);
    cli_json_path("report", cli_text(c, "report"));
    cli_json_path("chart", cli_text(c, "chart"));
    cli_json_put("}\n");
}

static void figure_row(const char *title, double value, const char *remark)
{
    char figure[32];
    if (!isnan(value)) cli_say_row(CLI_PLAIN, title, "%s %s", cli_number_short(figure, value), remark);
}

/* Whether a person named this option: then it was not chosen for them. */
static bool was_given(const cli *c, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < c->given_count; i++) {
        const char *value = c->given[i].value;
        if (strcmp(c->given[i].flag->name, "set") == 0 && strncmp(value, name, length) == 0 &&
            strchr(" =", value[length])) return true;
    }
    const char *spec = cli_text(c, "model");
    for (const char *at = spec ? strstr(spec, name) : NULL; at; at = strstr(at + 1, name)) {
        if (at > spec && strchr("(, ", at[-1]) && at[length] && strchr("= ", at[length])) return true;
    }
    return false;
}

static bool is_automatic(const cli *c, size_t kind, const char *name)
{
    una_option_info option = UNA_INIT(una_option_info);
    for (size_t i = 0; kind < una_kind_count() && i < una_kind_option_count(kind); i++) {
        if (una_kind_option(&option, kind, i, c->run) != UNA_OK || strcmp(option.name, name) != 0) continue;
        return strcmp(option.initial, "auto") == 0 && !was_given(c, name);
    }
    return false;
}

/* The options that were found from the data, or the others. */
static void option_row(const cli *c, const una_model *model, bool automatic, const char *title)
{
    size_t kind = cli_kind_find(una_model_info(model)->kind);
    char *text = cli_join("", "");
    for (cli_json item = cli_json_open(una_model_options_json(model)); cli_json_next(&item);)
        if (is_automatic(c, kind, item.key) == automatic && *item.value)
            text = cli_formatted("%s%s%s=%s", text, *text ? ", " : "", item.key, item.value);
    const char *rounded = cli_shorten(text) ? " (rounded; una info has every digit)" : "";
    if (*text) cli_say_row(CLI_PLAIN, title, "%s%s", text, rounded);
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
    char rmse[32], log_lik[32];
    const char *noise = "(standard deviation, in the units of the target)";
    if (info->log_target) noise = cli_formatted("(standard deviation of log %.100s)", info->target);
    figure_row("noise", info->noise_std, noise);
    if (isfinite(info->noise_freedom))
        figure_row("noise's scale", info->noise_scale,
                   info->noise_freedom < 1
                       ? cli_formatted("(without the outliers, about %.3g %% of the rows)", 100 * info->noise_freedom)
                       : cli_formatted("(of Student's t with %.3g degrees of freedom)", info->noise_freedom));
    figure_row("prior variance", info->prior_var, "");
    figure_row("log evidence", info->log_evidence, "");
    figure_row("heads' mean cos^2", info->mean_cos2, "(0 all different, 1 all the same)");
    if (info->valid_rows == 0) return;
    cli_say_row(CLI_PLAIN, folds ? "out-of-fold rows" : "held-out rows", "rmse %s%s, log-likelihood %s per row, on %zu "
                "rows%s (measured before the final posterior was fitted)", cli_number_short(rmse, info->valid_rmse),
                info->log_target ? " of the logarithm" : "", cli_number_short(log_lik, info->valid_log_lik),
                info->valid_rows, folds ? ", each predicted without its fold" : " held out of feature training");
}

/* Shares of what the columns are worth together. */
static void importance_row(const una_verdict *v)
{
    double sum = 0;
    for (size_t i = 0; v && i < v->inputs; i++) sum += v->importance[i];
    if (!(sum > 0)) return;
    cli_named *list = cli_alloc(v->inputs, sizeof *list);
    for (size_t i = 0; i < v->inputs; i++) list[i] = (cli_named){ v->input_names[i], sqrt(v->importance[i]) };
    cli_say_row(CLI_PLAIN, "importance", "%s", cli_shares(list, v->inputs));
}

static void print_target(const cli *c, const una_model *model, const una_verdict *verdict)
{
    print_checks(c, model);
    importance_row(verdict);
    option_row(c, model, true, "chosen from data");
}

static void print_remarks(const una_fit_info *info)
{
    for (size_t i = 0; i < info->note_count; i++) cli_say_row(CLI_PLAIN, "note", "%s", info->notes[i]);
    for (size_t i = 0; i < info->warning_count; i++) cli_say_row(CLI_YELLOW, "warning", "%s", info->warnings[i]);
}

static void print_fit_targets(const cli *c, const fitted *f)
{
    const una_model *model = f->model;
    for (size_t t = 0; t < una_model_target_count(model); t++) {
        const una_model *part = una_model_target(model, t);
        printf("target %s%s%s, %zu rows\n", cli_style_on(stdout, CLI_BOLD), cli_escaped(una_model_info(part)->target),
               cli_style_off(stdout), una_model_info(part)->rows);
        print_target(c, part, f->verdicts[t]);
        print_remarks(una_model_info(part));
        printf("\n");
    }
    printf("all targets\n");
}

static void print_fit_files(const cli *c, const fitted *f)
{
    const char *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    cli_say_row(CLI_BOLD, "model", "%s", f->out);
    if (f->replaced) cli_say_row(CLI_PLAIN, "", "%s", cli_replaced_words(f->replaced));
    if (report) cli_say_row(CLI_BOLD, "report", "%s", report);
    if (chart) cli_say_row(CLI_BOLD, "chart", "%s", chart);
    if (c->ranks && (report || chart)) cli_say_row(CLI_PLAIN, "", "(of the rows that rank 0 has)");
    printf("\nNext: una predict %s NEW.csv%s --keep --out answers.csv\n", cli_escaped(f->out),
           cli_has(c, "images") ? " --images FILE" : "");
}

static void print_fit_summary(cli *c)
{
    const fitted *f = c->found;
    const una_fit_info *info = c->info;
    size_t targets = una_model_target_count(f->model);
    for (size_t t = 0; t < targets; t++) cli_verdict_print(f->verdicts[t], f->data, cli_wants_verdict(c));
    printf("%s%s%s fitted to %s: target%s %s, %zu rows, %zu input%s, %.1f s\n\n", cli_style_on(stdout, CLI_BOLD),
           info->kind, cli_style_off(stdout), cli_escaped(c->operand[0]), targets > 1 ? "s" : "",
           cli_escaped(info->target), info->rows, info->inputs, info->inputs == 1 ? "" : "s", info->seconds);

    if (targets > 1) print_fit_targets(c, f);
    else print_target(c, f->model, f->verdicts[0]);
    option_row(c, una_model_target(f->model, 0), false, "other options");
    print_remarks(info);
    printf("\n");
    print_fit_files(c, f);
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
    { { "DATA", CLI_FILE, "the table to learn from" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS |
    CLI_IS_SUMMARY,
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
    .run = run_fit, .json = print_fit_json, .text = print_fit_summary
};
