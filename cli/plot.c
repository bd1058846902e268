/* SPDX-License-Identifier: MIT
 *
 * una plot: one chart of a model.
 */
#include "cli.h"
#include "una_report.h"

#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("out", CLI_FILE_OUT, "FILE", "where the chart goes; the ending says how: .svg, .pdf or .png (default: the "
             "model's name with .svg)"),
    CLI_FLAG_CHOICE("what", "CHART", "bands|effect|observed|calibration|residuals|ignorance|importance",
                    "bands: mean, ignorance and noise along one input, the others as in one real row. effect: the mean "
                    "along one input for many real rows, and their average. observed: predicted against observed. "
                    "calibration: were 50 % of the values below what was predicted with 50 %? residuals: observed "
                    "minus predicted. ignorance: of the rows as they are, along one input. importance: of the inputs, "
                    "which needs no DATA (default bands, without DATA importance)"),
    CLI_FLAG("input", CLI_TEXT, "COLUMN", "along which input (default: the one that matters most; residuals: the "
             "prediction)"),
    CLI_FLAG_COUNT("row", "N", 1, 1000000000000, "of bands: the row of DATA whose other inputs are taken, counted from "
                   "1 (default: the most typical one)"),
    CLI_FLAG("target", CLI_TEXT, "COLUMN", "which target, if the model has several"),
    CLI_FLAG_WHERE,
    CLI_FLAG_IMAGES,
    CLI_FLAG_INDEX,
    CLI_FLAG_END
};

typedef struct plot { const char *what, *out; } plot;

/* Only a chart of rows says how good a model is. */
static bool is_judgement(const char *what)
{
    return strcmp(what, "observed") == 0 || strcmp(what, "calibration") == 0 || strcmp(what, "residuals") == 0;
}

static una_status run_plot(cli *c)
{
    const char *data_path = c->operand[1], *usual = data_path ? "bands" : "importance";
    una_model *model;
    una_dataset *data = NULL;
    plot *p = cli_alloc(1, sizeof *p);
    c->found = p;
    p->what = cli_has(c, "what") ? cli_text(c, "what") : usual;
    p->out = cli_has(c, "out") ? cli_text(c, "out") : cli_default_out(c->operand[0], ".svg");
    CLI_TRY(cli_check_chart(c, "out", p->out));
    CLI_TRY(cli_check_files(c, "out", p->out));
    if (cli_has(c, "where") && !data_path)
        return cli_fail(c, UNA_E_USAGE, "--where chooses rows of a table, and none is read: give DATA");

    CLI_TRY(cli_load(c, &model, c->operand[0]));
    if (data_path) CLI_TRY(cli_read(c, &data, data_path, model));
    const una_plot_settings settings = { .size = sizeof settings, .what = p->what, .input = cli_text(c, "input"),
        .target = cli_text(c, "target"), .row = (size_t)cli_count(c, "row", 0) };
    return una_plot_write(p->out, model, data, &settings, c->run);
}

static void print_plot_json(cli *c)
{
    const plot *p = c->found;
    cli_json_put("{'what': %s, 'out': %s}\n", p->what, p->out);
}

static void print_plot(cli *c)
{
    const plot *p = c->found;
    if (is_judgement(p->what))
        cli_say(0, "The rows are those of %.300s as you gave them. If the model was fitted on them, the chart shows it "
                "better than it is.", c->operand[1]);
    printf("chart: %s\n", cli_escaped(p->out));
}

const cli_verb cli_plot = {
    "plot", "one chart of a model",
    "Draws one chart: what the model says along an input and how sure it is, whether rows fell where it said, or which "
    "inputs matter. Where an input moves, all others are those of real rows, never an average that no row has.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "[DATA]", CLI_FILE, "rows with the model's inputs; for observed, calibration and residuals with its target, "
        "too, and best rows that the model was not fitted on" } },
    flags, CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_IS_SUMMARY,
    "una plot measurements.una measurements.csv --input temperature --out temperature.svg\n"
    "# did new rows fall where the model said?\n"
    "una plot measurements.una new.csv --what calibration --out calibration.pdf\n"
    "una plot measurements.una new.csv --what residuals --input cement --out residuals.png\n"
    "# which inputs matter\n"
    "una plot measurements.una --out importance.svg",
    .run = run_plot, .json = print_plot_json, .text = print_plot
};
