/* SPDX-License-Identifier: MIT
 *
 * una score: how good the answers and their bands are on rows whose truth is known.
 */
#include "cli.h"

static const cli_flag flags[] = { CLI_FLAG_END };

typedef struct measure { const char *key, *remark; double value; } measure;

static void print_json(size_t rows, const measure *measures, size_t count)
{
    printf("{\"rows\": %zu", rows);
    for (size_t i = 0; i < count; i++) {
        printf(", \"%s\": ", measures[i].key);
        cli_json_number(stdout, measures[i].value);
    }
    printf("}\n");
}

static void print_table(size_t rows, const measure *measures, size_t count)
{
    char figure[32];
    printf("%-20s %10zu\n", "rows", rows);
    for (size_t i = 0; i < count; i++) {
        printf("%-20s %10s  %s%s%s\n", measures[i].key, cli_figure(figure, measures[i].value),
               cli_on(stdout, CLI_DIM), measures[i].remark, cli_off(stdout));
    }
}

static una_status run(cli *c)
{
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score);
    una_status status = una_model_load(&model, c->operand[0], c->run);
    if (status == UNA_OK) status = una_score_file(&score, model, c->operand[1], c->run);
    una_model_free(model);
    if (status != UNA_OK) return cli_failed(c, status);
    cli_progress_clear();
    cli_show_logs(c, NULL, 0, NULL, 0);

    const measure measures[] = {
        { "rmse", "root mean squared error, in the units of the target", score.rmse },
        { "log_lik", "mean log-likelihood per row, higher is better", score.log_lik },
        { "crps", "continuous ranked probability score, lower is better", score.crps },
        { "coverage_50", "share of rows inside their 50 % band", score.coverage_50 },
        { "coverage_90", "share of rows inside their 90 % band", score.coverage_90 },
        { "coverage_95", "share of rows inside their 95 % band", score.coverage_95 },
        { "calibration_error", "0 if every band holds the share it claims", score.calibration_error },
        { "mean_std_epistemic", "mean doubt that data would remove", score.mean_std_epistemic },
        { "mean_std_noise", "mean doubt that data would not remove", score.mean_std_noise }
    };

    size_t count = sizeof measures / sizeof *measures;
    if (c->json) print_json(score.rows, measures, count);
    else print_table(score.rows, measures, count);
    return UNA_OK;
}

const cli_verb cli_score = {
    "score", "how good a model's answers and bands are",
    "Compares a model's answers with the truth on rows that it was not trained on: error, log-likelihood, CRPS, how "
    "often the truth lies within the bands, and how far that is from what the bands claim.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "DATA", CLI_FILE, "a table with the model's inputs and its target" }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una score measurements.una test.csv\n"
    "una score measurements.una test.csv --json",
    run
};
