/* SPDX-License-Identifier: MIT
 *
 * una gap: would the model notice a hole in the data?
 */
#include "cli.h"

#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_COLUMN, "COLUMN", "the column to predict (default: the last one)"),
    CLI_FLAG("columns", CLI_COLUMN, "A,B,...", "cut holes along these columns only (default: all inputs)"),
    CLI_FLAG_COUNT("pairs", "N", 0, 1000, "also cut holes along two columns at once, for the N pairs of the most "
                   "relevant ones; 0: along none (default 3)"),
    CLI_FLAG_COUNT("repeats", "K", 1, 1000, "do it K times with other rows left out and other seeds; numbers are means "
                   "(default 1)"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "the kind of model, with options if wanted (default: that of 'una fit' with "
             "fewer members, auto(effort=fast), for a dozen models are fitted)"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of the model; may be repeated"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "also write a report: one page with every verdict and its picture"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the pictures alone; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG_GROUP,
    CLI_FLAGS_COLUMNS,
    CLI_FLAG_WHERE,
    CLI_FLAG_END
};

CLI_END(una_gap)

/* A column whose own name has the comma is one column. */
static una_status take_gap_columns(const cli *c, una_gap_settings *settings, const una_dataset *data)
{
    const char *given = cli_text(c, "columns");
    for (size_t i = 0; given && i < una_dataset_column_count(data); i++) {
        if (strcmp(una_dataset_column_name(data, i), given) != 0) continue;
        const char **one = cli_alloc(1, sizeof *one);
        *one = given;
        settings->columns = one;
        settings->column_count = 1;
        return UNA_OK;
    }
    return cli_names(c, "columns", &settings->columns, &settings->column_count);
}

static una_status run_gap(cli *c)
{
    const char *report = cli_text(c, "report"), *chart = cli_text(c, "chart");
    una_dataset *data;
    una_gap *gap;
    CLI_TRY(cli_check_pictures(c));
    CLI_TRY(cli_read(c, &data, c->operand[0], NULL));
    CLI_TRY(cli_need_one_target(c, data, "holes are cut for", "test each by itself"));
    uint64_t pairs = cli_count(c, "pairs", 3);
    una_gap_settings settings = { .size = sizeof settings, .model = cli_text(c, "model"),
                                  .pairs = pairs ? (int)pairs : -1, .repeats = (size_t)cli_count(c, "repeats", 1),
                                  .fit = cli_fit_settings(c, data) };
    CLI_TRY(take_gap_columns(c, &settings, data));
    CLI_TRY(una_gap_test(&gap, data, &settings, c->run));
    cli_own(end_una_gap, gap);
    c->found = gap;
    cli_log_warnings(c, gap->warnings, gap->warning_count);
    if (report) CLI_TRY(una_gap_page(gap, report, c->run));
    return chart ? una_gap_chart(gap, chart, c->run) : UNA_OK;
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static cli_style style_of(una_gap_kind kind)
{
    if (kind == UNA_GAP_UNNOTICED) return CLI_RED;
    return kind == UNA_GAP_TOO_LITTLE ? CLI_YELLOW : CLI_PLAIN;
}

static void print_gap(cli *c)
{
    const una_gap *gap = c->found;
    cli_say_bold(gap->answer);
    printf("\n");
    for (size_t i = 0; i < gap->column_count + gap->pair_count; i++) {
        if (i == gap->column_count) printf("\n");
        printf("- %s", cli_style_on(stdout, style_of(gap->hole[i].kind)));
        cli_wrap(stdout, 2, 2, gap->hole[i].verdict);
        fputs(cli_style_off(stdout), stdout);
    }
    printf("\n");
    cli_say(0, "Bands, ignorance and error are those of rows that the model has not seen, and are compared "
            "with what they would be with rows in the hole. Ignorance: what it does not know for want of rows.");
    printf("\n%s, target %s, %zu rows, %zu fits of %s\n", cli_escaped(c->operand[0]), cli_escaped(gap->target),
           gap->rows, gap->fits, cli_escaped(gap->spec));
    cli_print_pictures(c);
}

static void json_hole(const una_gap_hole *h)
{
    cli_json_put(", {'name': %s", h->name);
    if (h->columns[1]) cli_json_texts("columns", h->columns, 2);
    cli_json_put(", 'hole': %s, 'rows': %zu, 'noticed': %d, 'matters': %d, 'kind': %s, 'wider': %g, 'wider_low': %g, "
                 "'wider_high': %g, 'spread': %g, 'error': %g, 'error_low': %g, 'error_high': %g, 'worse': %g, "
                 "'auroc': %g, 'increase': %g", h->where, h->rows, h->noticed, h->matters, una_gap_word(h->kind),
                 h->wider, h->wider_low, h->wider_high, h->spread, h->error, h->error_low, h->error_high, h->worse,
                 h->auroc, h->increase);
    cli_json_put(", 'rmse_inside': %g, 'rmse_outside': %g, 'rmse_known': %g, 'log_lik_inside': %g, "
                 "'log_lik_outside': %g, 'coverage_inside': %g, 'coverage_outside': %g, 'verdict': %s}",
                 h->rmse_inside, h->rmse_outside, h->rmse_known, h->log_lik_inside, h->log_lik_outside,
                 h->coverage_inside, h->coverage_outside, h->verdict);
}

static void print_gap_json(cli *c)
{
    const una_gap *gap = c->found;
    cli_json_put("{'answer': %s, 'columns': [", gap->answer);
    for (size_t i = 0; i < gap->column_count; i++) json_hole(&gap->hole[i]);
    cli_json_put("], 'pairs': [");
    for (size_t i = 0; i < gap->pair_count; i++) json_hole(&gap->hole[gap->column_count + i]);
    cli_json_put("], 'target': %s, 'model': %s, 'rows': %zu, 'fits': %zu, 'repeats': %zu", gap->target, gap->spec,
                 gap->rows, gap->fits, gap->repeats);
    cli_json_texts("warnings", gap->warnings, gap->warning_count);
    cli_json_end(c);
}

const cli_verb cli_gap = {
    "gap", "would the model notice a hole in the data?",
    "Cuts a hole into the table along each input, about the middle third of its rows, fits a model on the rest, and "
    "says in plain words whether the model would notice: whether its bands get wider in the hole than they would be "
    "with rows there, and whether its error does. Then the same along pairs of columns.",
    { { "DATA", CLI_FILE, "the table: CSV, TSV (also .gz) or NPY" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_IS_SUMMARY,
    "una gap measurements.csv --target strength\n"
    "# one column, five times, with a page of pictures\n"
    "una gap measurements.csv --target strength --columns temperature --pairs 0 --repeats 5 --report gap.html\n"
    "# another model, for programs\n"
    "una gap measurements.csv --target strength --model gp --json",
    .run = run_gap, .json = print_gap_json, .text = print_gap
};
