/* SPDX-License-Identifier: MIT
 *
 * una bench: the experiments of the thesis, computed again. Without a name it lists them. The flags behind the common
 * ones are the options of the experiments, taken from the library's tables.
 */
#include "cli.h"
#include "una_bench.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { OWN_FLAGS = 8, MOST_OPTIONS = 64 };

static cli_flag flags[OWN_FLAGS + MOST_OPTIONS + 1] = {
    CLI_FLAG("models", CLI_TEXT, "A,B,...", "which models, by name or spec (default: the experiment's own choice); a "
             "bare name stands for the experiment's own settings of it"),
    CLI_FLAG_SWITCH("quick", "few seeds and small budgets: minutes, to see that everything works and which way things "
                    "go"),
    CLI_FLAG_SWITCH("kept", "fit nothing: write the page from the rows in the folder, for instance of a run in "
                            "progress"),
    CLI_FLAG_SWITCH("full", "full budgets, as without --quick, for commands that should say so"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder of the results; rows found there are not computed again (default "
             "una-bench)"),
    CLI_FLAG("store", CLI_TEXT, "ADDRESS", "keep the rows on a server, postgresql://USER@HOST/DATABASE, and not in the "
             "folder: several machines then share the work"),
    CLI_FLAG("export", CLI_FILE_OUT, "FILE", "write the rows that are in the folder to a CSV file, and run nothing"),
    CLI_FLAG("import", CLI_FILE, "FILE", "take rows from such a file into the folder, and run nothing"),
    CLI_FLAG_END
};

/* ---- flags from the tables of the experiments ---------------------------------------------------------------- */

static const char *metavar_of(const una_option_info *info)
{
    if (strcmp(info->type, "yes or no") == 0) return NULL;
    if (strcmp(info->type, "word") == 0) return "WORD";
    if (strcmp(info->type, "text") == 0) return "TEXT";
    return "N";
}

/* One flag per name, also where several experiments have the option: "uci, gap: ...". */
static void add_option(const una_option_info *info, const char *experiment)
{
    cli_flag *flag = flags + OWN_FLAGS;
    while (flag->name && strcmp(flag->name, info->name) != 0) flag++;
    if (flag >= flags + OWN_FLAGS + MOST_OPTIONS) return;
    if (flag->name) {
        flag->help = cli_formatted("%s, %s", experiment, flag->help);
        return;
    }
    bool is_word = strcmp(info->type, "word") == 0, is_switch = strcmp(info->type, "yes or no") == 0;
    cli_type type = is_switch ? CLI_SWITCH : CLI_TEXT;
    *flag = (cli_flag){ .name = info->name, .type = is_word ? CLI_CHOICE : type, .metavar = metavar_of(info) };
    flag->help = cli_formatted("%s: %s%s%s%s", experiment, info->help, is_word ? " (default " : "",
                               is_word ? info->initial : "", is_word ? ")" : "");
    if (is_word) flag->choices = cli_join("", info->range);
}

void cli_bench_flags(void)
{
    una_run *run = NULL;
    una_option_info info = { .size = sizeof info };
    if (una_run_new(&run, NULL) != UNA_OK) return;
    for (size_t e = una_bench_count(); e-- > 0;)         /* backwards, so that names stand in their order */
        for (size_t o = 0; o < una_bench_option_count(e); o++)
            if (una_bench_option(&info, e, o, run) == UNA_OK) add_option(&info, una_bench_name(e));
    una_run_free(run);
}

/* ---- lists --------------------------------------------------------------------------------------------------- */

/* name="value", quoted so that it may hold anything. */
static const char *quoted_assignment(const char *name, const char *value)
{
    size_t used = strlen(name);
    char *text = cli_alloc(used + 2 * strlen(value) + 4, 1);
    memcpy(text, name, used);
    text[used++] = '=';
    text[used++] = '"';
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') text[used++] = '\\';
        text[used++] = *value;
    }
    text[used] = '"';
    return text;
}

static bool experiment_has_option(const cli *c, size_t experiment, const char *name)
{
    una_option_info info = { .size = sizeof info };
    for (size_t o = 0; o < una_bench_option_count(experiment); o++)
        if (una_bench_option(&info, experiment, o, c->run) == UNA_OK && strcmp(info.name, name) == 0) return true;
    return false;
}

static bool is_option(const cli_flag *flag)
{
    return flag >= flags + OWN_FLAGS && flag < flags + OWN_FLAGS + MOST_OPTIONS;
}

/* The options that were given, as texts for the library, which checks them. */
static void take_options(una_bench_settings *settings, const cli *c, size_t experiment)
{
    bool named;
    const char **texts = cli_alloc(c->given_count + 1, sizeof *texts);
    settings->set = texts;
    for (size_t i = 0; i < c->given_count; i++) {
        const cli_given *given = &c->given[i];
        if (is_option(given->flag))
            texts[settings->set_count++] = quoted_assignment(given->flag->name, given->value ? given->value : "yes");
    }
    const char *folder = cli_data_folder(c, &named);
    if (!cli_has(c, "data") && folder && (named || access(folder, F_OK) == 0) &&
        experiment_has_option(c, experiment, "data"))
        texts[settings->set_count++] = quoted_assignment("data", folder);
}

/* ---- telling ------------------------------------------------------------------------------------------------- */

/* Three decimals, or for small numbers three digits; a dash where there is nothing to measure. */
static void print_mean(double mean, double sd)
{
    char cell[64];
    bool small = mean != 0 && mean > -0.01 && mean < 0.01;
    if (isnan(mean)) snprintf(cell, sizeof cell, "%7s", "-");
    else snprintf(cell, sizeof cell, small ? "%7.3g +- %-5.2g" : "%7.3f +- %-5.3f", mean, sd);
    printf("  %-18s", cell);
}

enum { WIDEST = 60 };                            /* of a column; what is longer has a line of its own */

static int bench_column_width(const char *text, int width)
{
    int length = (int)strlen(text);
    return length > width && length < WIDEST ? length : width;
}

/* The spec; or the name, where the spec is too long and the name can mean no other on these data. */
static const char *label_of(const una_bench_result *r, size_t at, size_t measures)
{
    const una_bench_key *key = r->means[at].key;
    if (strlen(key->spec) < WIDEST) return key->spec;
    for (size_t i = 0; i < r->mean_count; i += measures) {
        const una_bench_key *other = r->means[i].key;
        if (i != at && strcmp(other->model, key->model) == 0 && strcmp(other->data, key->data) == 0) return key->spec;
    }
    return key->model;
}

/* Whether it is the study alone that tells two means apart, as that of another protocol. */
static bool needs_study(const una_bench_result *r, size_t measures)
{
    for (size_t i = 0; i < r->mean_count; i += measures)
        for (size_t j = i + measures; j < r->mean_count; j += measures) {
            const una_bench_key *a = r->means[i].key, *b = r->means[j].key;
            if (strcmp(a->spec, b->spec) == 0 && strcmp(a->data, b->data) == 0 && strcmp(a->study, b->study) != 0)
                return true;
        }
    return false;
}

static void print_means(const una_bench_result *r, size_t experiment)
{
    size_t measures = una_bench_measure_count(experiment);
    const char *over = una_bench_over(experiment);
    int width = 5, data_width = 4, study_width = 5, count_width = bench_column_width(over, 5);
    bool show_data = false;                      /* not where the experiment has one set, its own */
    bool show_study = needs_study(r, measures);
    for (size_t i = 0; i < r->mean_count; i += measures) {
        width = bench_column_width(cli_escaped(label_of(r, i, measures)), width);
        data_width = bench_column_width(r->means[i].key->data, data_width);
        study_width = bench_column_width(r->means[i].key->study, study_width);
        show_data = show_data || strcmp(r->means[i].key->data, una_bench_name(experiment)) != 0;
    }

    printf("%-*s ", width, "model");
    if (show_data) printf("%-*s ", data_width, "data");
    if (show_study) printf("%-*s ", study_width, "study");
    printf("%*s", count_width, over);
    for (size_t m = 0; m + 1 < measures; m++)
        if (una_bench_measure_at(experiment, m)->title) printf("  %-18s", una_bench_measure_at(experiment, m)->title);
    printf(" %8s\n", "seconds");

    for (size_t i = 0; i < r->mean_count; i += measures) {
        const una_bench_mean *mean = &r->means[i];
        const char *label = cli_escaped(label_of(r, i, measures));
        if ((int)strlen(label) > width) printf("%s\n%-*s ", label, width, "");
        else printf("%-*s ", width, label);
        if (show_data) printf("%-*s ", data_width, cli_escaped(mean->key->data));
        if (show_study) printf("%-*s ", study_width, cli_escaped(mean->key->study));
        printf("%*zu", count_width, mean->count);
        for (size_t m = 0; m + 1 < measures; m++)
            if (una_bench_measure_at(experiment, m)->title) print_mean(mean[m].mean, mean[m].sd);
        printf(" %8.2f\n", mean[measures - 1].mean);
    }
}

static void print_bench_text(const una_bench_result *r, size_t experiment)
{
    cli_wrap(stdout, 0, 0, una_bench_caption(experiment));
    printf("\n");
    print_means(r, experiment);
    printf("\n");
    for (size_t i = 0; i < r->claim_count; i++) {
        const una_bench_claim *claim = &r->claims[i];
        cli_style style = CLI_DIM;
        if (claim->holds > 0) style = CLI_BOLD;
        else if (claim->holds == 0) style = CLI_RED;
        const char *on = cli_style_on(stdout, style);
        printf("%s%-14s%s %s\n               ", on, una_bench_verdict(claim->holds), cli_style_off(stdout),
               cli_escaped(claim->sentence));
        cli_wrap(stdout, 15, 15, claim->numbers);
    }
    printf("%sPage:  %s\nTable: %s (%zu fits made now, %zu were there)\n", r->claim_count ? "\n" : "",
           cli_escaped(r->page), cli_escaped(r->table), r->fitted, r->fits - r->fitted);
}

static void json_key(const una_bench_key *key)
{
    cli_json_put(", {'model': %s, 'spec': %s, 'data': %s", key->model, key->spec, key->data);
}

static void print_bench_json(const una_bench_result *r, size_t experiment)
{
    size_t measures = una_bench_measure_count(experiment);
    cli_json_put("{'experiment': %s, 'rows': [", una_bench_name(experiment));
    for (size_t i = 0; i < r->row_count; i += measures) {
        const una_bench_key *key = r->rows[i].key;
        json_key(key);
        cli_json_put(", 'split': %llu, 'seed': %llu, 'results': %u", (unsigned long long)key->split,
                     (unsigned long long)key->seed, key->results);
        for (size_t m = i; m < i + measures; m++) cli_json_put(", %s: %g", r->rows[m].measure, r->rows[m].value);
        cli_json_put("}");
    }
    cli_json_put("], 'means': [");
    for (size_t i = 0; i < r->mean_count; i += measures) {
        json_key(r->means[i].key);
        cli_json_put(", %s: %zu", una_bench_over(experiment), r->means[i].count);
        for (size_t m = i; m < i + measures; m++) {
            const char *sd = cli_formatted("%s_sd", r->means[m].measure);
            cli_json_put(", %s: %g, %s: %g", r->means[m].measure, r->means[m].mean, sd, r->means[m].sd);
        }
        cli_json_put("}");
    }
    cli_json_put("], 'claims': [");
    for (size_t i = 0; i < r->claim_count; i++)
        cli_json_put(", {'sentence': %s, 'verdict': %s, 'numbers': %s}", r->claims[i].sentence,
                     una_bench_verdict(r->claims[i].holds), r->claims[i].numbers);
    cli_json_put("], 'fitted': %zu", r->fitted);
    cli_json_path("table", r->table);
    cli_json_path("page", r->page);
    cli_json_path("out", r->out);
    cli_json_put("}\n");
}

/* ---- the verb ------------------------------------------------------------------------------------------------ */

/* Flags of a run without the name of an experiment. */
static bool asks_for_more(const cli *c)
{
    for (size_t i = 0; i < c->given_count; i++)
        if (c->given[i].flag >= flags && c->given[i].flag < flags + OWN_FLAGS + MOST_OPTIONS) return true;
    return false;
}

static una_status list_experiments(const cli *c)
{
    if (asks_for_more(c))
        return cli_fail(c, UNA_E_USAGE, "which experiment? Give its name; 'una bench' lists them all");

    if (c->json) cli_json_put("{'experiments': [");
    int width = 8;
    for (size_t e = 0; e < una_bench_count(); e++) width = bench_column_width(una_bench_name(e), width);
    for (size_t e = 0; e < una_bench_count(); e++) {
        const char *name = una_bench_name(e), *summary = una_bench_summary(e);
        if (c->json) cli_json_put(", {'name': %s, 'summary': %s}", name, summary);
        else printf("%-*s %s\n", width, name, summary);
    }
    if (c->json) cli_json_put("]}\n");
    return UNA_OK;
}

CLI_END(una_bench)

static una_status perform_bench(cli *c, size_t experiment)
{
    una_bench_settings settings = { .size = sizeof settings, .out = cli_text(c, "out"), .quick = cli_has(c, "quick"),
                                    .store = cli_text(c, "store"), .kept = cli_has(c, "kept") };
    una_bench_result *result;
    take_options(&settings, c, experiment);
    if (settings.quick && cli_has(c, "full"))
        return cli_fail(c, UNA_E_USAGE, "--quick and --full do not go together; give one of them");
    CLI_TRY(cli_names(c, "models", &settings.models, &settings.model_count));
    CLI_TRY(una_bench_run(&result, una_bench_name(experiment), &settings, c->run));
    cli_own(end_una_bench, result);
    cli_progress_clear();
    if (c->json) print_bench_json(result, experiment);
    else print_bench_text(result, experiment);
    return UNA_OK;
}

static una_status export_or_import_rows(cli *c, const char *name)
{
    const char *to = cli_text(c, "export"), *from = cli_text(c, "import"), *out = cli_text(c, "out");
    size_t rows = 0, added = 0;
    if (cli_rank() > 0) return UNA_OK;           /* nothing to share */
    if (to && from) return cli_fail(c, UNA_E_USAGE, "--export and --import do not go together; give one of them");
    CLI_TRY(to ? una_bench_export(&rows, name, out, to, c->run)
               : una_bench_import(&rows, &added, name, out, from, c->run));

    if (c->json && to) cli_json_put("{'experiment': %s, 'rows': %zu}\n", name, rows);
    else if (c->json) cli_json_put("{'experiment': %s, 'rows': %zu, 'added': %zu}\n", name, rows, added);
    else if (c->quiet || c->stdout_taken) return UNA_OK;
    else if (to) printf("%zu rows were written to %s\n", rows, cli_escaped(to));
    else printf("%zu rows are in %s, and %zu of them were new\n", rows, cli_escaped(from), added);
    return UNA_OK;
}

static una_status run_bench_verb(cli *c)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    c->logs_at_once = true;
    if (c->operand_count == 0) return list_experiments(c);
    for (; count < una_bench_count() && count < MOST; count++) {
        names[count] = una_bench_name(count);
        if (strcmp(names[count], c->operand[0]) != 0) continue;
        bool moves = cli_has(c, "export") || cli_has(c, "import");
        return moves ? export_or_import_rows(c, names[count]) : perform_bench(c, count);
    }
    return cli_unknown(c, "experiment", c->operand[0], names, count, "una bench");
}

const cli_verb cli_bench = {
    "bench", "the experiments of the thesis, computed again",
    "Runs an experiment over several seeds or splits, prints the table and which of the thesis's claims hold here, and "
    "writes the results (EXPERIMENT.csv) and a page (EXPERIMENT.html, EXPERIMENT.md) with its figures and tables into "
    "a folder. What was computed before is taken "
    "from there, so a run that was stopped goes on where it was, and several runs in one folder share the work. Under "
    "mpirun several machines are one run (docs/use/RANKS.md).",
    { { "[EXPERIMENT]", CLI_TEXT, "which one; left out, all are listed" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS,
    "una bench\n"
    "una bench cubic --quick\n"
    "una bench cubic --models 'gp,luna,nlm(penalty=5, prior_var=1)' --seeds 3\n"
    "una bench split --sets 'line,d5 n600' --models 'luna,gp'\n"
    "una bench scale --sets d5,table.csv --target y --models 'auto,gp'\n"
    "una bench uci --data FOLDER --sets boston,yacht --splits 0-9\n"
    "una bench gap --data FOLDER --models luna --splits 0-9\n"
    "una bench uci --export rows.csv\n"
    "mpirun -n 4 una bench gap --full",
    .run = run_bench_verb
};
