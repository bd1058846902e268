/* SPDX-License-Identifier: MIT
 *
 * una suggest: where to measure next, so that the model's ignorance falls most, and what it would bring.
 */
#include "cli.h"
#include "una_study.h"

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

typedef struct suggestions { una_advice *advice; bool *is_input; } suggestions;

CLI_END(una_advice)

static una_status run_suggest(cli *c)
{
    const char *pool_path = cli_text(c, "pool"), *data_path = cli_text(c, "data"), *out = cli_text(c, "out");
    suggestions *s = cli_alloc(1, sizeof *s);
    una_model *model;
    una_dataset *pool = NULL, *data = NULL;
    size_t column;
    c->found = s;
    if (cli_has(c, "where") && !pool_path && !data_path)
        return cli_fail(c, UNA_E_USAGE, "--where chooses rows of a table, and none is read: give --pool or --data");
    CLI_TRY(cli_load(c, &model, c->operand[0]));
    if (pool_path) CLI_TRY(cli_read(c, &pool, pool_path, NULL));
    if (data_path) CLI_TRY(cli_read(c, &data, data_path, NULL));
    CLI_TRY(una_suggest(&s->advice, model, pool, data, (size_t)cli_count(c, "count", 1), c->run));
    cli_own(end_una_advice, s->advice);

    const una_dataset *table = s->advice->table;         /* a pool may have other columns, too */
    s->is_input = cli_alloc(una_dataset_column_count(table), sizeof *s->is_input);
    for (size_t i = 0; i < una_model_input_count(model); i++) {
        CLI_TRY(una_dataset_find(&column, table, una_model_input_name(model, i), c->run));
        s->is_input[column] = true;
    }
    return out ? una_advice_write(s->advice, out, c->run) : UNA_OK;
}

/* ---- telling --------------------------------------------------------------------------------------------- */

/* "temperature 21.5, cement A": the inputs of one row; at most so many that a sentence stays one. */
static const char *describe_inputs(const suggestions *s, size_t row)
{
    enum { MOST = 8, LONGEST = 1024 };
    const una_dataset *table = s->advice->table;
    size_t left = 0, shown = 0;
    const char *text = "";
    for (size_t i = 0; i < una_dataset_column_count(table); i++) {
        const char *name = una_dataset_column_name(table, i);
        const double *number = una_dataset_numbers(table, i);
        char figure[32];
        if (!s->is_input[i]) continue;
        if (shown == MOST || strlen(text) + strlen(name) + 80 > LONGEST) {
            left++;
            continue;
        }
        const char *value = number ? una_dataset_date(figure, table, i, row) : una_dataset_words(table, i)[row];
        if (number && !value) value = cli_number_short(figure, number[row]);
        if (number ? isnan(number[row]) : !value) value = "missing";
        text = cli_formatted("%s%s%.60s %.60s", text, shown++ ? ", " : "", name, value);
    }
    return left ? cli_formatted("%s and %zu more", text, left) : text;
}

static void print_suggestions(cli *c)
{
    const suggestions *s = c->found;
    const una_advice *a = s->advice;
    const char *pool = cli_text(c, "pool"), *data = cli_text(c, "data");
    char std[32], before[32], after[32];
    if (c->quiet && cli_has(c, "out")) return;
    const char *place = "points within two standard deviations of the mean of each input";
    if (pool) place = cli_formatted("rows of %.200s", data ? data : pool);
    else if (data) place = cli_formatted("points inside the ranges of %.200s", data);
    cli_say(0, "Ignorance is what the model does not know of the function (a standard deviation, in the units of the "
            "target); over all: its root mean square over %zu %s.", a->region, place);
    printf("\n");

    for (size_t i = 0; i < a->count; i++) {
        if (a->row) place = cli_formatted("row %zu of %.200s: ", una_dataset_row_number(a->table, i), pool);
        cli_say(3, "%zu. %s%s; ignorance there is %s; measured, ignorance over all falls from %s to %s (%.2g %%)",
                i + 1, a->row ? place : "", describe_inputs(s, i), cli_number_short(std, a->std[i]),
                cli_number_short(before, a->before[i]), cli_number_short(after, a->after[i]),
                a->before[i] > 0 ? 100 * (a->before[i] - a->after[i]) / a->before[i] : 0);
    }
    if (cli_has(c, "out")) printf("\nwritten to %s\n", cli_escaped(cli_text(c, "out")));
}

static void print_suggest_json(cli *c)
{
    const suggestions *s = c->found;
    const una_advice *a = s->advice;
    cli_json_put("{'rows': [");
    for (size_t i = 0; i < a->count; i++) {
        cli_json_put(", {");
        if (a->row) cli_json_put("'row': %zu, ", una_dataset_row_number(a->table, i));
        cli_json_put("'x': {");
        for (size_t d = 0; d < una_dataset_column_count(a->table); d++) {
            const double *number = una_dataset_numbers(a->table, d);
            char text[32];
            const char *date = una_dataset_date(text, a->table, d, i);
            if (!s->is_input[d]) continue;
            cli_json_put(", %s: ", una_dataset_column_name(a->table, d));
            if (number && !date) cli_json_put("%g", number[i]);
            else cli_json_put("%s", date ? date : una_dataset_words(a->table, d)[i]);
        }
        cli_json_put("}, 'std_epistemic': %g, 'before': %g, 'after': %g}", a->std[i], a->before[i], a->after[i]);
    }
    cli_json_put("], 'region': %zu", a->region);
    cli_json_end(c);
}

const cli_verb cli_suggest = {
    "suggest", "where to measure next, and how much ignorance that removes",
    "Finds the rows whose measurement makes the model's ignorance fall most: with the model's mean in place of the "
    "unknown value, the row is added to a copy of the model exactly, and ignorance is computed again. For "
    "models that can be updated exactly (see 'una update'). Rows are counted from 1, without the header.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una suggest measurements.una --data measurements.csv\n"
    "# the five samples on the shelf that teach most\n"
    "una suggest measurements.una --pool shelf.csv --count 5 --out next.csv\n"
    "# then measure them, and\n"
    "una update measurements.una next-measured.csv",
    .run = run_suggest, .json = print_suggest_json, .text = print_suggestions
};
