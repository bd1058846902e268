/* SPDX-License-Identifier: MIT
 *
 * una score: how good the answers and their bands are on rows whose truth is known.
 */
#include "cli.h"

#include <stddef.h>
#include <string.h>

static const cli_flag flags[] = { CLI_FLAG_WHERE, CLI_FLAG_IMAGES, CLI_FLAG_END };

typedef struct result {
    const una_model *model;
    una_score       *scores;             /* [targets]                                               */
    double           log_lik;            /* of several targets at once                              */
    size_t           rows;
} result;

static const struct { const char *key, *remark; size_t at; } measures[] = {
    { "rmse", "root mean squared error, in the units of the target", offsetof(una_score, rmse) },
    { "log_lik", "mean log-likelihood per row, higher is better", offsetof(una_score, log_lik) },
    { "crps", "continuous ranked probability score, lower is better", offsetof(una_score, crps) },
    { "coverage_50", "share of rows inside their 50 % band", offsetof(una_score, coverage_50) },
    { "coverage_90", "share of rows inside their 90 % band", offsetof(una_score, coverage_90) },
    { "coverage_95", "share of rows inside their 95 % band", offsetof(una_score, coverage_95) },
    { "calibration_error", "0 if every band holds the share it claims", offsetof(una_score, calibration_error) },
    { "mean_std_epistemic", "mean doubt that data would remove", offsetof(una_score, mean_std_epistemic) },
    { "mean_std_noise", "mean doubt that data would not remove", offsetof(una_score, mean_std_noise) }
};
enum { MEASURES = sizeof measures / sizeof *measures };

static double value_of(const una_score *score, size_t measure)
{
    double value;
    memcpy(&value, (const char *)score + measures[measure].at, sizeof value);
    return value;
}

static const char *target_at(const una_model *model, size_t t)
{
    return una_model_info(una_model_target(model, t))->target;
}

/* Prints the fields, and the bracket that ends the object. */
static void print_fields(const una_score *score)
{
    cli_json_put("'rows': %zu", score->rows);
    for (size_t i = 0; i < MEASURES; i++) cli_json_put(", %s: %g", measures[i].key, value_of(score, i));
    cli_json_put("}");
}

static void print_score_json(cli *c)
{
    const result *r = c->found;
    size_t targets = una_model_target_count(r->model);
    cli_json_put(targets > 1 ? "{'targets': [" : "{");
    for (size_t t = 0; t < targets; t++) {
        if (targets > 1) cli_json_put(", {'target': %s, ", target_at(r->model, t));
        print_fields(&r->scores[t]);
    }
    if (targets > 1) cli_json_put("], 'joint': {'rows': %zu, 'log_lik': %g}}", r->rows, r->log_lik);
    cli_json_put("\n");
}

static void print_score_line(const char *key, double value, const char *remark)
{
    char figure[32];
    printf("%-20s %10s  %s%s%s\n", key, cli_number_short(figure, value), cli_style_on(stdout, CLI_DIM), remark,
           cli_style_off(stdout));
}

static void print_score_text(cli *c)
{
    const result *r = c->found;
    size_t targets = una_model_target_count(r->model);
    for (size_t t = 0; t < targets; t++) {
        if (targets > 1)
            printf("target %s%s%s\n", cli_style_on(stdout, CLI_BOLD), cli_escaped(target_at(r->model, t)),
                   cli_style_off(stdout));
        printf("%-20s %10zu\n", "rows", r->scores[t].rows);
        for (size_t i = 0; i < MEASURES; i++)
            print_score_line(measures[i].key, value_of(&r->scores[t], i), measures[i].remark);
        if (targets > 1) printf("\n");
    }
    if (targets < 2) return;
    printf("all targets at once\n%-20s %10zu\n", "rows", r->rows);
    print_score_line("log_lik", r->log_lik, "mean log-likelihood of a row's targets together");
}

/* The table of several targets is read once and scored for each target, then for all of them at once. */
static una_status run_score(cli *c)
{
    una_model *model;
    una_dataset *data;
    const una_file_settings rows = { .size = sizeof rows, .where = cli_text(c, "where"),
                                     .images = cli_text(c, "images") };
    CLI_TRY(cli_load(c, &model, c->operand[0]));
    size_t targets = una_model_target_count(model);
    result *r = cli_alloc(1, sizeof *r);
    *r = (result){ .model = model, .scores = cli_alloc(targets, sizeof *r->scores) };
    c->found = r;
    for (size_t t = 0; t < targets; t++) r->scores[t].size = sizeof *r->scores;
    if (targets == 1) return una_score_file_with(r->scores, model, c->operand[1], &rows, c->run);
    CLI_TRY(cli_read(c, &data, c->operand[1], NULL));
    for (size_t t = 0; t < targets; t++)
        CLI_TRY(una_model_score(&r->scores[t], una_model_target(model, t), data, c->run));
    return una_model_joint_log_lik(&r->log_lik, &r->rows, model, data, c->run);
}

const cli_verb cli_score = {
    "score", "how good a model's answers and bands are",
    "Compares a model's answers with the truth on rows that it was not trained on: error, log-likelihood, CRPS, how "
    "often the truth lies within the bands, and how far that is from what the bands claim. With several targets, "
    "each has its own scores, and the joint log-likelihood of all targets of a row follows.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "DATA", CLI_FILE, "a table with the model's inputs and its target" } },
    flags, CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_BY_PIECES,
    "una score measurements.una test.csv\n"
    "una score measurements.una test.csv --json\n"
    "una score measurements.una test.csv --where 'temperature > 20'",
    .run = run_score, .json = print_score_json, .text = print_score_text
};
