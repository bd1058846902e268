/* SPDX-License-Identifier: MIT
 *
 * una bench: the experiments of the thesis, computed again. Without a name it lists them.
 */
#include "cli.h"
#include "una_bench.h"

#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("models", CLI_TEXT, "A,B,...", "which models, by name or spec (default: all); a bare name stands for the "
             "experiment's own settings of it"),
    CLI_FLAG_COUNT("seeds", "N", 1, 1000, "how many seeds, from --seed on (default 10, with --quick 2)"),
    CLI_FLAG_SWITCH("quick", "small budgets: shows that everything works, not how good the models are"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder of the results; rows found there are not computed again (default "
             "una-bench)"),
    CLI_FLAG_END
};

typedef struct experiment {
    const char *name, *summary;
    una_status (*run)(una_bench_result **result, const una_bench_settings *settings, una_run *run);
} experiment;

static const experiment experiments[] = {
    { "cubic", "every model on a cubic function with a hole in the data: who notices the hole?", una_bench_cubic },
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

/* ---- the list of models ------------------------------------------------------------------------------- */

/* Cuts a copy at the commas outside of brackets; blanks around the pieces go. Free both. */
static size_t split(const char *list, char **copy, const char ***pieces)
{
    size_t length = strlen(list), count = 0, depth = 0;
    *copy = cli_memory(length + 1, 1);
    *pieces = cli_memory(length + 1, sizeof **pieces);
    memcpy(*copy, list, length + 1);
    char *from = *copy;
    for (size_t i = 0; i <= length; i++) {
        char c = list[i];
        if (c == '(' || c == '[') depth++;
        if ((c == ')' || c == ']') && depth > 0) depth--;
        if (c && (c != ',' || depth > 0)) continue;
        (*copy)[i] = 0;
        from += strspn(from, " ");
        for (char *end = *copy + i; end > from && end[-1] == ' ';) *--end = 0;
        if (*from) (*pieces)[count++] = from;
        from = *copy + i + 1;
    }
    return count;
}

/* ---- telling ------------------------------------------------------------------------------------------ */

static const char *verdict(int holds)
{
    return holds < 0 ? "not tested" : holds ? "holds" : "does not hold";
}

static void print_text(const una_bench_result *r)
{
    printf("Epistemic standard deviation in the gap and at the rows, error at the rows: mean and sd over the "
           "seeds\n\n");
    int width = 5;
    for (size_t i = 0; i < r->mean_count; i++) {
        int length = (int)strlen(r->means[i].spec);
        if (length > width && length < 60) width = length;
    }
    printf("%-*s %5s  %-16s  %-16s  %-16s %8s\n", width, "model", "seeds", "gap std", "data std", "RMSE", "seconds");
    for (size_t i = 0; i < r->mean_count; i++) {
        const una_bench_mean *m = &r->means[i];
        printf("%-*s %5zu  %7.3f +- %-5.3f  %7.3f +- %-5.3f  %7.3f +- %-5.3f %8.2f\n", width, m->spec, m->seeds,
               m->gap_std, m->gap_std_sd, m->data_std, m->data_std_sd, m->rmse, m->rmse_sd, m->seconds);
    }
    printf("\n");
    for (size_t i = 0; i < r->claim_count; i++) {
        const una_bench_claim *claim = &r->claims[i];
        const char *on = cli_on(stdout, claim->holds > 0 ? CLI_BOLD : claim->holds == 0 ? CLI_RED : CLI_DIM);
        printf("%s%-14s%s %s\n               ", on, verdict(claim->holds), cli_off(stdout), claim->sentence);
        cli_wrap(stdout, 15, 15, claim->numbers);
    }
    printf("\nPage:  %s\nTable: %s (%zu fits made now, %zu were there)\n", r->page, r->table, r->fitted,
           r->row_count > r->fitted ? r->row_count - r->fitted : 0);
}

static void json_member(const char *key, double value)
{
    printf(", \"%s\": ", key);
    cli_json_number(stdout, value);
}

static void json_name(bool more, const char *model, const char *spec)
{
    printf("%s{\"model\": ", more ? ", " : "");
    cli_json_text(stdout, model);
    printf(", \"spec\": ");
    cli_json_text(stdout, spec);
}

static void json_rows(const una_bench_result *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const una_bench_row *row = &r->rows[i];
        json_name(i > 0, row->model, row->spec);
        printf(", \"seed\": %llu", (unsigned long long)row->seed);
        json_member("gap_std", row->gap_std);
        json_member("data_std", row->data_std);
        json_member("rmse", row->rmse);
        json_member("seconds", row->seconds);
        json_member("centre_std", row->centre_std);
        json_member("ripple", row->ripple);
        printf("}");
    }
}

static void json_means(const una_bench_result *r)
{
    for (size_t i = 0; i < r->mean_count; i++) {
        const una_bench_mean *m = &r->means[i];
        json_name(i > 0, m->model, m->spec);
        printf(", \"seeds\": %zu", m->seeds);
        json_member("gap_std", m->gap_std);
        json_member("gap_std_sd", m->gap_std_sd);
        json_member("data_std", m->data_std);
        json_member("data_std_sd", m->data_std_sd);
        json_member("rmse", m->rmse);
        json_member("rmse_sd", m->rmse_sd);
        json_member("centre_std", m->centre_std);
        json_member("ripple", m->ripple);
        json_member("seconds", m->seconds);
        printf("}");
    }
}

static void json_claims(const una_bench_result *r)
{
    for (size_t i = 0; i < r->claim_count; i++) {
        const una_bench_claim *claim = &r->claims[i];
        printf("%s{\"claim\": ", i ? ", " : "");
        cli_json_text(stdout, claim->sentence);
        printf(", \"holds\": %s, \"numbers\": ", claim->holds < 0 ? "null" : claim->holds ? "true" : "false");
        cli_json_text(stdout, claim->numbers);
        printf("}");
    }
}

static void print_json(const char *name, const una_bench_result *r)
{
    printf("{\"experiment\": \"%s\", \"rows\": [", name);
    json_rows(r);
    printf("], \"means\": [");
    json_means(r);
    printf("], \"claims\": [");
    json_claims(r);
    printf("], \"fitted\": %zu", r->fitted);
    cli_json_path(stdout, "table", r->table);
    cli_json_path(stdout, "page", r->page);
    printf("}\n");
}

/* ---- the verb ----------------------------------------------------------------------------------------- */

static una_status list_experiments(const cli *c)
{
    if (c->json) printf("{\"experiments\": [");
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (!c->json) {
            printf("%-8s %s\n", experiments[i].name, experiments[i].summary);
            continue;
        }
        printf("%s{\"name\": \"%s\", \"summary\": ", i ? ", " : "", experiments[i].name);
        cli_json_text(stdout, experiments[i].summary);
        printf("}");
    }
    if (c->json) printf("]}\n");
    return UNA_OK;
}

static una_status perform(cli *c, const experiment *e)
{
    char *copy = NULL;
    const char **models = NULL, *list = cli_text(c, "models");
    una_bench_settings settings = { .out = cli_text(c, "out"), .seeds = (size_t)cli_count(c, "seeds", 0),
                                    .quick = cli_has(c, "quick") };
    una_bench_result *result = NULL;
    una_status status = UNA_OK;
    if (list) settings.model_count = split(list, &copy, &models);
    settings.models = models;
    if (list && settings.model_count == 0) status = cli_fail(c, UNA_E_USAGE, "--models needs at least one name");
    if (status == UNA_OK) {
        status = e->run(&result, &settings, c->run);
        cli_progress_clear();
        if (status != UNA_OK) cli_failed(c, status);
        else cli_show_logs(c, NULL, 0, NULL, 0);
    }
    if (result && c->json) print_json(e->name, result);
    else if (result) print_text(result);
    una_bench_free(result);
    free(models);
    free(copy);
    return status;
}

static una_status run(cli *c)
{
    if (c->operand_count == 0) return list_experiments(c);
    const char *names[EXPERIMENTS];
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (strcmp(experiments[i].name, c->operand[0]) == 0) return perform(c, &experiments[i]);
        names[i] = experiments[i].name;
    }
    const char *near = cli_nearest(c->operand[0], names, EXPERIMENTS);
    if (near) {
        return cli_fail(c, UNA_E_USAGE, "there is no experiment '%s'; did you mean '%s'?", c->operand[0], near);
    }
    return cli_fail(c, UNA_E_USAGE, "there is no experiment '%s'; 'una bench' lists them all", c->operand[0]);
}

const cli_verb cli_bench = {
    "bench", "the experiments of the thesis, computed again",
    "Runs an experiment over several seeds, prints the table and which of the thesis's claims hold here, and writes "
    "the results (EXPERIMENT.csv) and a page with pictures (EXPERIMENT.html) into a folder. What was computed before "
    "is taken from there, so a run that was stopped goes on where it was.",
    { { "[EXPERIMENT]", CLI_TEXT, "which one; left out, all are listed" }, { NULL, CLI_TEXT, NULL },
      { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una bench\n"
    "una bench cubic --quick\n"
    "una bench cubic --models 'gp,luna,nlm(penalty=5, prior_var=1)' --seeds 3",
    run
};
