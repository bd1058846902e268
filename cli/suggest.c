/* SPDX-License-Identifier: MIT
 *
 * una suggest: where to measure next, so that the model's ignorance falls most, and what it would bring.
 */
#include "cli.h"
#include "una_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG_COUNT("count", "K", 1, 1024, "how many rows, each chosen as if those before it were measured (default 1)"),
    CLI_FLAG("pool", CLI_FILE, "FILE", "rows that can be measured, with the model's inputs (default: points inside the "
             "inputs' ranges)"),
    CLI_FLAG("data", CLI_FILE, "FILE", "with a pool: the rows over which ignorance should fall (default: those of the "
             "pool). Without: rows, for instance those the model was fitted on, whose ranges are the inputs' ranges, "
             "and ignorance should fall over all of these (default: two standard deviations around the mean of each "
             "input, for a model keeps no ranges)"),
    CLI_FLAG("out", CLI_FILE_OUT, "CSV", "also write the rows, with ignorance before and after each"),
    CLI_FLAG_WHERE,
    CLI_FLAG_END
};

typedef struct job {
    una_model   *model;
    una_dataset *pool, *data;
    una_advice  *advice;
    bool        *is_input;
} job;

static una_status read_suggest_rows(const cli *c, una_dataset **data, const char *path)
{
    una_status status = una_dataset_read(data, path, c->run);
    return status == UNA_OK ? cli_keep_rows(c, data) : status;
}

/* Columns are found by name in the rows: a pool may have others. */
static una_status find_inputs(const cli *c, job *j)
{
    size_t column;
    const una_dataset *table = j->advice->table;
    j->is_input = cli_alloc(una_dataset_column_count(table), sizeof *j->is_input);
    for (size_t i = 0; i < una_model_input_count(j->model); i++) {
        una_status status = una_dataset_find(&column, table, una_model_input_name(j->model, i), c->run);
        if (status != UNA_OK) return status;
        j->is_input[column] = true;
    }
    return UNA_OK;
}

static una_status ask_for_suggestions(const cli *c, job *j)
{
    una_status status = una_suggest(&j->advice, j->model, j->pool, j->data, (size_t)cli_count(c, "count", 1), c->run);
    return status == UNA_OK ? find_inputs(c, j) : status;
}

static una_status suggest_with_job(cli *c, job *j)
{
    const char *pool = cli_text(c, "pool"), *data = cli_text(c, "data"), *out = cli_text(c, "out");
    if (cli_has(c, "where") && !pool && !data)
        return cli_fail(c, UNA_E_USAGE, "--where chooses rows of a table, and none is read: give --pool or --data");
    una_status status = una_model_load(&j->model, c->operand[0], c->run);
    if (status == UNA_OK && pool) status = read_suggest_rows(c, &j->pool, pool);
    if (status == UNA_OK && data) status = read_suggest_rows(c, &j->data, data);
    if (status == UNA_OK) status = ask_for_suggestions(c, j);
    if (status == UNA_OK && out) status = una_advice_write(j->advice, out, c->run);
    cli_progress_clear();
    return status == UNA_OK ? status : cli_failed(c, status);
}

/* ---- telling --------------------------------------------------------------------------------------------- */

/* "temperature 21.5, cement A": the inputs of one row; at most so many that a sentence stays one. */
static void describe_inputs(char *text, size_t room, const job *j, size_t row)
{
    enum { MOST = 8 };
    const una_dataset *table = j->advice->table;
    size_t used = 0, shown = 0, left = 0;
    *text = 0;
    for (size_t i = 0; i < una_dataset_column_count(table); i++) {
        const char *name = una_dataset_column_name(table, i);
        const double *number = una_dataset_numbers(table, i);
        char figure[32];
        if (!j->is_input[i]) continue;
        if (shown == MOST || used + strlen(name) + 80 > room) {
            left++;
            continue;
        }
        const char *value = number ? una_dataset_date(figure, table, i, row) : una_dataset_words(table, i)[row];
        if (number && !value) value = cli_number_short(figure, number[row]);
        if (number ? isnan(number[row]) : !value) value = "missing";
        used += (size_t)snprintf(text + used, room - used, "%s%.60s %.60s", shown++ ? ", " : "", name, value);
        if (used >= room) used = room - 1;
    }
    if (left) snprintf(text + used, room - used, " and %zu more", left);
}

static void print_suggestions(const cli *c, const job *j)
{
    const una_advice *a = j->advice;
    const char *pool = cli_text(c, "pool"), *data = cli_text(c, "data");
    char text[2048], where[1024], std[32], before[32], after[32], place[256] = "";
    if (pool) snprintf(place, sizeof place, "%zu rows of %.200s", a->region, data ? data : pool);
    else if (data) snprintf(place, sizeof place, "%zu points inside the ranges of %.200s", a->region, data);
    else snprintf(place, sizeof place, "%zu points within two standard deviations of the mean of each input",
                  a->region);
    snprintf(text, sizeof text, "Ignorance is what the model does not know of the function (a standard deviation, in "
             "the units of the target); over all: its root mean square over %s.", place);
    cli_wrap(stdout, 0, 0, text);
    printf("\n");

    for (size_t i = 0; i < a->count; i++) {
        describe_inputs(where, sizeof where, j, i);
        size_t used = (size_t)snprintf(text, sizeof text, "%zu. ", i + 1);
        if (a->row)
            used += (size_t)snprintf(text + used, sizeof text - used, "row %zu of %.200s: ",
                                     una_dataset_row_number(a->table, i), pool);
        snprintf(text + used, sizeof text - used, "%s; ignorance there is %s; measured, ignorance over all falls "
                 "from %s to %s (%.2g %%)", where, cli_number_short(std, a->std[i]),
                     cli_number_short(before, a->before[i]),
                 cli_number_short(after, a->after[i]),
                 a->before[i] > 0 ? 100 * (a->before[i] - a->after[i]) / a->before[i] : 0);
        cli_wrap(stdout, 0, 3, text);
    }
    if (cli_has(c, "out")) printf("\nwritten to %s\n", cli_escaped(cli_text(c, "out")));
}

static void print_suggest_json(const cli *c, const job *j)
{
    const una_advice *a = j->advice;
    printf("{\"rows\": [");
    for (size_t i = 0; i < a->count; i++) {
        printf("%s{", i ? ", " : "");
        if (a->row) printf("\"row\": %zu, ", una_dataset_row_number(a->table, i));
        printf("\"x\": {");
        bool more = false;
        for (size_t d = 0; d < una_dataset_column_count(a->table); d++) {
            const char *name = una_dataset_column_name(a->table, d);
            const double *number = una_dataset_numbers(a->table, d);
            char text[32];
            const char *date = una_dataset_date(text, a->table, d, i);
            if (!j->is_input[d]) continue;
            if (more) printf(", ");
            more = true;
            cli_json_text(stdout, name);
            printf(": ");
            if (date) cli_json_text(stdout, date);
            else if (number) cli_json_number(stdout, number[i]);
            else cli_json_text(stdout, una_dataset_words(a->table, d)[i]);
        }
        printf("}, \"std_epistemic\": ");
        cli_json_number(stdout, a->std[i]);
        printf(", \"before\": ");
        cli_json_number(stdout, a->before[i]);
        printf(", \"after\": ");
        cli_json_number(stdout, a->after[i]);
        printf("}");
    }
    printf("], \"region\": %zu", a->region);
    cli_json_path(stdout, "out", cli_text(c, "out"));
    printf("}\n");
}

static una_status run_suggest(cli *c)
{
    job j = {0};
    una_status status = suggest_with_job(c, &j);
    if (status == UNA_OK) {
        cli_show_logs(c, NULL, 0, NULL, 0);
        if (c->json) print_suggest_json(c, &j);
        else if (!c->stdout_taken && !(c->quiet && cli_has(c, "out"))) print_suggestions(c, &j);
    }
    una_advice_free(j.advice);
    free(j.is_input);
    una_dataset_free(j.data);
    una_dataset_free(j.pool);
    una_model_free(j.model);
    return status;
}

const cli_verb cli_suggest = {
    "suggest", "where to measure next, and how much ignorance that removes",
    "Finds the rows whose measurement makes the model's ignorance fall most: with the model's mean in place of the "
    "unknown value, the row is added to a copy of the model exactly, and ignorance is computed again. For "
    "models that can be updated exactly (see 'una update'). Rows are counted from 1, without the header.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" }, { NULL, CLI_TEXT, NULL }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una suggest measurements.una --data measurements.csv\n"
    "# the five samples on the shelf that teach most\n"
    "una suggest measurements.una --pool shelf.csv --count 5 --out next.csv\n"
    "# then measure them, and\n"
    "una update measurements.una next-measured.csv",
    run_suggest
};
