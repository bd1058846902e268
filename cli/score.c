/* SPDX-License-Identifier: MIT
 *
 * una score: how good the answers and their bands are on rows whose truth is known.
 */
#include "cli.h"

#include <stdlib.h>

static const cli_flag flags[] = { CLI_FLAG_WHERE, CLI_FLAG_IMAGES, CLI_FLAG_END };

typedef struct measure { const char *key, *remark; double value; } measure;

enum { MEASURES = 9 };

static void list_measures(measure *to, const una_score *score)
{
    const measure measures[MEASURES] = {
        { "rmse", "root mean squared error, in the units of the target", score->rmse },
        { "log_lik", "mean log-likelihood per row, higher is better", score->log_lik },
        { "crps", "continuous ranked probability score, lower is better", score->crps },
        { "coverage_50", "share of rows inside their 50 % band", score->coverage_50 },
        { "coverage_90", "share of rows inside their 90 % band", score->coverage_90 },
        { "coverage_95", "share of rows inside their 95 % band", score->coverage_95 },
        { "calibration_error", "0 if every band holds the share it claims", score->calibration_error },
        { "mean_std_epistemic", "mean doubt that data would remove", score->mean_std_epistemic },
        { "mean_std_noise", "mean doubt that data would not remove", score->mean_std_noise }
    };
    for (size_t i = 0; i < MEASURES; i++) to[i] = measures[i];
}

/* Prints the fields without the bracket that opens the object. */
static void print_score_json(const una_score *score)
{
    measure measures[MEASURES];
    list_measures(measures, score);
    printf("\"rows\": %zu", score->rows);
    for (size_t i = 0; i < MEASURES; i++) {
        printf(", \"%s\": ", measures[i].key);
        cli_json_number(stdout, measures[i].value);
    }
    printf("}");
}

static void print_score_line(const char *key, double value, const char *remark)
{
    char figure[32];
    printf("%-20s %10s  %s%s%s\n", key, cli_number_short(figure, value), cli_style_on(stdout, CLI_DIM), remark,
           cli_style_off(stdout));
}

static void print_score_table(const una_score *score)
{
    measure measures[MEASURES];
    list_measures(measures, score);
    printf("%-20s %10zu\n", "rows", score->rows);
    for (size_t i = 0; i < MEASURES; i++) print_score_line(measures[i].key, measures[i].value, measures[i].remark);
}

/* ---- several targets ----------------------------------------------------------------------------------- */

typedef struct joint { double log_lik; size_t rows; } joint;

/* The table is read once and scored for each target, then for all of them at once. */
static una_status score_targets(cli *c, const una_model *model, una_score *scores, joint *all)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_read(&data, c->operand[1], c->run);
    if (status == UNA_OK) status = cli_keep_rows(c, &data);
    for (size_t t = 0; status == UNA_OK && t < una_model_target_count(model); t++) {
        scores[t].size = sizeof *scores;
        status = una_model_score(&scores[t], una_model_target(model, t), data, c->run);
    }
    if (status == UNA_OK) status = una_model_joint_log_lik(&all->log_lik, &all->rows, model, data, c->run);
    una_dataset_free(data);
    return status;
}

static void print_score_targets(const cli *c, const una_model *model, const una_score *scores, joint all)
{
    size_t count = una_model_target_count(model);
    for (size_t t = 0; t < count; t++) {
        const char *name = una_model_info(una_model_target(model, t))->target;
        if (c->json) {
            printf(t ? ", {\"target\": " : "{\"targets\": [{\"target\": ");
            cli_json_text(stdout, name);
            printf(", ");
            print_score_json(&scores[t]);
        } else {
            printf("target %s%s%s\n", cli_style_on(stdout, CLI_BOLD), cli_escaped(name), cli_style_off(stdout));
            print_score_table(&scores[t]);
            printf("\n");
        }
    }

    if (c->json) {
        printf("], \"joint\": {\"rows\": %zu, \"log_lik\": ", all.rows);
        cli_json_number(stdout, all.log_lik);
        printf("}}\n");
    } else {
        printf("all targets at once\n%-20s %10zu\n", "rows", all.rows);
        print_score_line("log_lik", all.log_lik, "mean log-likelihood of a row's targets together");
    }
}

/* ---- the verb --------------------------------------------------------------------------------------------- */

static una_status run_score(cli *c)
{
    una_model *model = NULL;
    una_score *scores = NULL;
    joint all = {0};
    una_status status = una_model_load(&model, c->operand[0], c->run);
    size_t targets = status == UNA_OK ? una_model_target_count(model) : 1;
    scores = cli_alloc(targets, sizeof *scores);
    scores->size = sizeof *scores;
    const una_file_settings rows = { .size = sizeof rows, .where = cli_text(c, "where"),
                                     .images = cli_text(c, "images") };
    if (status == UNA_OK && targets == 1)
        status = una_score_file_with(scores, model, c->operand[1], &rows, c->run);
    else if (status == UNA_OK) status = score_targets(c, model, scores, &all);

    if (status != UNA_OK) {
        cli_failed(c, status);
    } else {
        cli_progress_clear();
        cli_show_logs(c, NULL, 0, NULL, 0);
        if (targets > 1) print_score_targets(c, model, scores, all);
        else if (c->json) printf("{"), print_score_json(scores), printf("\n");
        else print_score_table(scores);
    }
    una_model_free(model);
    free(scores);
    return status;
}

const cli_verb cli_score = {
    "score", "how good a model's answers and bands are",
    "Compares a model's answers with the truth on rows that it was not trained on: error, log-likelihood, CRPS, how "
    "often the truth lies within the bands, and how far that is from what the bands claim. With several targets, "
    "each has its own scores, and the joint log-likelihood of all targets of a row follows.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "DATA", CLI_FILE, "a table with the model's inputs and its target" }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_BY_PIECES,
    "una score measurements.una test.csv\n"
    "una score measurements.una test.csv --json\n"
    "una score measurements.una test.csv --where 'temperature > 20'",
    run_score
};
