/* SPDX-License-Identifier: MIT
 *
 * una bench: the experiments of the thesis, computed again. Without a name it lists them. The flags behind the common
 * ones are the options of the experiments, taken from the library's tables.
 */
#include "cli.h"
#include "una_bench.h"

#include <math.h>
#include <stdlib.h>
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

static cli_flag *option_flag(const char *name)
{
    cli_flag *flag = flags + OWN_FLAGS;
    while (flag->name && strcmp(flag->name, name) != 0) flag++;
    return flag;
}

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
    static char help[MOST_OPTIONS][1024], choices[MOST_OPTIONS][256];
    cli_flag *flag = option_flag(info->name);
    size_t at = (size_t)(flag - flags) - OWN_FLAGS;
    if (at >= MOST_OPTIONS) return;
    if (flag->name) {
        char old[1024];
        memcpy(old, help[at], sizeof old);
        snprintf(help[at], sizeof help[at], "%.64s, %.950s", experiment, old);
        return;
    }

    bool is_word = strcmp(info->type, "word") == 0, is_switch = strcmp(info->type, "yes or no") == 0;
    snprintf(help[at], sizeof help[at], "%s: %s%s%s%s", experiment, info->help, is_word ? " (default " : "",
             is_word ? info->initial : "", is_word ? ")" : "");
    snprintf(choices[at], sizeof choices[at], "%s", is_word ? info->range : "");
    cli_type type = is_switch ? CLI_SWITCH : CLI_TEXT;
    *flag = (cli_flag){ .name = info->name, .type = is_word ? CLI_CHOICE : type,
                        .metavar = metavar_of(info), .help = help[at], .choices = is_word ? choices[at] : NULL };
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

/* name="value", quoted so that it may hold anything. Free it. */
static char *quoted_assignment(const char *name, const char *value)
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

/* The options that were given, as texts for the library, which checks them. Free each and the list. */
static size_t given_options(const cli *c, size_t experiment, char ***texts)
{
    bool named;
    size_t count = 0;
    *texts = cli_alloc(c->given_count + 1, sizeof **texts);
    for (size_t i = 0; i < c->given_count; i++) {
        const cli_flag *flag = c->given[i].flag;
        if (flag < flags + OWN_FLAGS || flag >= flags + OWN_FLAGS + MOST_OPTIONS) continue;
        (*texts)[count++] = quoted_assignment(flag->name, c->given[i].value ? c->given[i].value : "yes");
    }
    char *folder = cli_data_folder(c, &named);
    if (!cli_has(c, "data") && folder && (named || access(folder, F_OK) == 0) &&
        experiment_has_option(c, experiment, "data"))
        (*texts)[count++] = quoted_assignment("data", folder);
    free(folder);
    return count;
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

static void json_name(bool more, const una_bench_key *key)
{
    printf("%s{\"model\": ", more ? ", " : "");
    cli_json_text(stdout, key->model);
    printf(", \"spec\": ");
    cli_json_text(stdout, key->spec);
    printf(", \"data\": ");
    cli_json_text(stdout, key->data);
}

static void print_bench_number(const char *key, const char *ending, double value)
{
    printf(", \"%s%s\": ", key, ending);
    cli_json_number(stdout, value);
}

static void json_rows(const una_bench_result *r, size_t measures)
{
    for (size_t i = 0; i < r->row_count; i += measures) {
        const una_bench_key *key = r->rows[i].key;
        json_name(i > 0, key);
        printf(", \"split\": %llu, \"seed\": %llu, \"results\": %u", (unsigned long long)key->split,
               (unsigned long long)key->seed, key->results);
        for (size_t m = i; m < i + measures; m++) print_bench_number(r->rows[m].measure, "", r->rows[m].value);
        printf("}");
    }
}

static void json_means(const una_bench_result *r, size_t experiment)
{
    size_t measures = una_bench_measure_count(experiment);
    for (size_t i = 0; i < r->mean_count; i += measures) {
        json_name(i > 0, r->means[i].key);
        printf(", \"%s\": %zu", una_bench_over(experiment), r->means[i].count);
        for (size_t m = i; m < i + measures; m++) {
            print_bench_number(r->means[m].measure, "", r->means[m].mean);
            print_bench_number(r->means[m].measure, "_sd", r->means[m].sd);
        }
        printf("}");
    }
}

static void json_claims(const una_bench_result *r)
{
    for (size_t i = 0; i < r->claim_count; i++) {
        const una_bench_claim *claim = &r->claims[i];
        printf("%s{\"sentence\": ", i ? ", " : "");
        cli_json_text(stdout, claim->sentence);
        printf(", \"verdict\": \"%s\", \"numbers\": ", una_bench_verdict(claim->holds));
        cli_json_text(stdout, claim->numbers);
        printf("}");
    }
}

static void print_bench_json(const una_bench_result *r, size_t experiment)
{
    printf("{\"experiment\": \"%s\", \"rows\": [", una_bench_name(experiment));
    json_rows(r, una_bench_measure_count(experiment));
    printf("], \"means\": [");
    json_means(r, experiment);
    printf("], \"claims\": [");
    json_claims(r);
    printf("], \"fitted\": %zu", r->fitted);
    cli_json_path(stdout, "table", r->table);
    cli_json_path(stdout, "page", r->page);
    cli_json_path(stdout, "out", r->out);
    printf("}\n");
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

    if (c->json) printf("{\"experiments\": [");
    int width = 8;
    for (size_t e = 0; e < una_bench_count(); e++) width = bench_column_width(una_bench_name(e), width);
    for (size_t e = 0; e < una_bench_count(); e++) {
        if (!c->json) {
            printf("%-*s %s\n", width, una_bench_name(e), una_bench_summary(e));
            continue;
        }
        printf("%s{\"name\": \"%s\", \"summary\": ", e ? ", " : "", una_bench_name(e));
        cli_json_text(stdout, una_bench_summary(e));
        printf("}");
    }
    if (c->json) printf("]}\n");
    return UNA_OK;
}

static una_status perform_bench(cli *c, size_t experiment)
{
    char *copy = NULL, **set = NULL;
    const char **models = NULL, *list = cli_text(c, "models");
    una_bench_settings settings = { .size = sizeof settings, .out = cli_text(c, "out"), .quick = cli_has(c, "quick"),
                                    .store = cli_text(c, "store"), .kept = cli_has(c, "kept") };
    una_bench_result *result = NULL;
    if (list) settings.model_count = cli_split(list, &copy, &models);
    settings.models = models;
    settings.set_count = given_options(c, experiment, &set);
    settings.set = (const char *const *)set;

    una_status status = UNA_OK;
    if (settings.quick && cli_has(c, "full"))
        status = cli_fail(c, UNA_E_USAGE, "--quick and --full do not go together; give one of them");
    else if (list && settings.model_count == 0) status = cli_fail(c, UNA_E_USAGE, "--models needs at least one name");
    if (status == UNA_OK) {
        status = una_bench_run(&result, una_bench_name(experiment), &settings, c->run);
        cli_progress_clear();
        if (status != UNA_OK) cli_failed(c, status);
    }
    if (result && c->json) print_bench_json(result, experiment);
    else if (result) print_bench_text(result, experiment);

    una_bench_free(result);
    for (size_t i = 0; i < settings.set_count; i++) free(set[i]);
    free(set);
    free(models);
    free(copy);
    return status;
}

static una_status export_or_import_rows(cli *c, const char *name)
{
    const char *to = cli_text(c, "export"), *from = cli_text(c, "import"), *out = cli_text(c, "out");
    size_t rows = 0, added = 0;
    if (cli_rank() > 0) return UNA_OK;           /* nothing to share */
    if (to && from) return cli_fail(c, UNA_E_USAGE, "--export and --import do not go together; give one of them");
    una_status status = to ? una_bench_export(&rows, name, out, to, c->run)
                           : una_bench_import(&rows, &added, name, out, from, c->run);
    if (status != UNA_OK) return cli_failed(c, status);

    if (c->json) printf("{\"experiment\": \"%s\", \"rows\": %zu", name, rows);
    if (c->json && from) printf(", \"added\": %zu", added);
    if (c->json) printf("}\n");
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

    const char *near = cli_nearest(c->operand[0], names, count);
    if (near) {
        return cli_fail(c, UNA_E_USAGE, "there is no experiment '%s'; did you mean '%s'?", c->operand[0], near);
    }
    return cli_fail(c, UNA_E_USAGE, "there is no experiment '%s'; 'una bench' lists them all", c->operand[0]);
}

const cli_verb cli_bench = {
    "bench", "the experiments of the thesis, computed again",
    "Runs an experiment over several seeds or splits, prints the table and which of the thesis's claims hold here, and "
    "writes the results (EXPERIMENT.csv) and a page (EXPERIMENT.html, EXPERIMENT.md) with its figures and tables into "
    "a folder. What was computed before is taken "
    "from there, so a run that was stopped goes on where it was, and several runs in one folder share the work. Under "
    "mpirun several machines are one run (docs/use/RANKS.md).",
    { { "[EXPERIMENT]", CLI_TEXT, "which one; left out, all are listed" }, { NULL, CLI_TEXT, NULL },
      { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS,
    "una bench\n"
    "una bench cubic --quick\n"
    "una bench cubic --models 'gp,luna,nlm(penalty=5, prior_var=1)' --seeds 3\n"
    "una bench split --sets 'line,d5 n600' --models 'luna,gp'\n"
    "una bench uci --data FOLDER --sets boston,yacht --splits 0-9\n"
    "una bench gap --data FOLDER --models luna --splits 0-9\n"
    "una bench uci --export rows.csv\n"
    "mpirun -n 4 una bench gap --full",
    run_bench_verb
};
