/* SPDX-License-Identifier: MIT
 *
 * una plot: one chart of a model.
 */
#include "cli.h"
#include "una_report.h"

#include <stdlib.h>
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

typedef struct job {
    una_model   *model;
    una_dataset *data;
    char        *path;                   /* of our own choice                                               */
    const char  *out;
} job;

/* Only a chart of rows says how good a model is. */
static bool is_judgement(const char *what)
{
    return strcmp(what, "observed") == 0 || strcmp(what, "calibration") == 0 || strcmp(what, "residuals") == 0;
}

static una_status check_out(const cli *c, const char *path)
{
    static const char *const endings[] = { ".svg", ".pdf", ".png" };
    size_t length = strlen(path);
    for (size_t i = 0; i < 3; i++) {
        if (length < 5 || strcmp(path + length - 4, endings[i]) != 0) continue;
        una_status status = una_chart_check(path, c->run);
        return status == UNA_OK ? UNA_OK : cli_failed(c, status);
    }
    return cli_fail(c, UNA_E_USAGE, "--out %s: the ending says which format; use .svg, .pdf or .png", path);
}

static una_status plot_with_job(cli *c, job *j, const char *what)
{
    const char *data = c->operand_count > 1 ? c->operand[1] : NULL;
    if (!cli_has(c, "out")) j->path = cli_default_out(c->operand[0], ".svg");
    j->out = cli_has(c, "out") ? cli_text(c, "out") : j->path;
    una_status status = check_out(c, j->out);
    if (status == UNA_OK) status = cli_check_files(c, "out", j->out);
    if (status != UNA_OK) return status;
    if (cli_has(c, "where") && !data)
        return cli_fail(c, UNA_E_USAGE, "--where chooses rows of a table, and none is read: give DATA");

    status = una_model_load(&j->model, c->operand[0], c->run);
    if (status == UNA_OK && data) status = una_dataset_read(&j->data, data, c->run);
    if (status == UNA_OK && data) status = cli_keep_asked(c, &j->data, j->model);
    const una_plot_settings settings = { .size = sizeof settings, .what = what, .input = cli_text(c, "input"),
        .target = cli_text(c, "target"), .row = (size_t)cli_count(c, "row", 0) };
    if (status == UNA_OK) status = una_plot_write(j->out, j->model, j->data, &settings, c->run);
    cli_progress_clear();
    return status == UNA_OK ? status : cli_failed(c, status);
}

static void print_plot(const cli *c, const job *j, const char *what)
{
    if (is_judgement(what)) {
        char text[1024];
        snprintf(text, sizeof text, "The rows are those of %.300s as you gave them. If the model was fitted on "
                 "them, the chart shows it better than it is.", c->operand[1]);
        cli_wrap(stdout, 0, 0, text);
    }
    printf("chart: %s\n", cli_escaped(j->out));
}

static una_status run_plot(cli *c)
{
    job j = {0};
    const char *usual = c->operand_count > 1 ? "bands" : "importance";
    const char *what = cli_has(c, "what") ? cli_text(c, "what") : usual;
    una_status status = plot_with_job(c, &j, what);
    if (status == UNA_OK) {
        cli_show_logs(c, NULL, 0, NULL, 0);
        if (c->json) {
            printf("{\"what\": ");
            cli_json_text(stdout, what);
            cli_json_path(stdout, "out", j.out);
            printf("}\n");
        } else if (!c->stdout_taken && !c->quiet) {
            print_plot(c, &j, what);
        }
    }
    una_model_free(j.model);
    una_dataset_free(j.data);
    free(j.path);
    return status;
}

const cli_verb cli_plot = {
    "plot", "one chart of a model",
    "Draws one chart: what the model says along an input and how sure it is, whether rows fell where it said, or which "
    "inputs matter. Where an input moves, all others are those of real rows, never an average that no row has.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "[DATA]", CLI_FILE, "rows with the model's inputs; for observed, calibration and residuals with its target, "
        "too, and best rows that the model was not fitted on" }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una plot measurements.una measurements.csv --input temperature --out temperature.svg\n"
    "# did new rows fall where the model said?\n"
    "una plot measurements.una new.csv --what calibration --out calibration.pdf\n"
    "una plot measurements.una new.csv --what residuals --input cement --out residuals.png\n"
    "# which inputs matter\n"
    "una plot measurements.una --out importance.svg",
    run_plot
};
