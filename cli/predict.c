/* SPDX-License-Identifier: MIT
 *
 * una predict: answers with bands for every row of a table, as CSV.
 */
#include "cli.h"

static const cli_flag flags[] = {
    CLI_FLAG("level", CLI_SHARE, "P", "share of the probability between lower and upper (default 0.95)"),
    CLI_FLAG("out", CLI_FILE_OUT, "FILE", "where the answers go (default: the standard output)"),
    CLI_FLAG_SWITCH("keep", "copy the columns of DATA before the answers"),
    CLI_FLAG_COUNT("draws", "K", 1, 100000, "also K functions drawn from the posterior, as columns draw_1 to draw_K; "
                   "of several targets draw_1_NAME ..., drawn together where they share a head"),
    CLI_FLAG("quantiles", CLI_TEXT, "LIST", "also quantiles of a new observation, for instance 0.05,0.5,0.95 (0.5 is "
             "the median), as columns q0.05 ... behind all others"),
    CLI_FLAG_COUNT("digits", "N", 1, 17, "significant digits of the answers; with 17 each number reads back as it was "
                   "(default 9)"),
    CLI_FLAG_WHERE,
    CLI_FLAG_IMAGES,
    CLI_FLAG_END
};

static una_status to_output(void *context, const char *bytes, size_t count)
{
    cli *c = context;
    if (fwrite(bytes, 1, count, stdout) == count) return UNA_OK;
    return una_run_fail(c->run, UNA_E_IO, "standard output: cannot be written to; is the disk full?");
}

/* Levels between commas; the library says what is wrong with their values. */
static una_status parse_levels(const cli *c, una_predict_settings *settings)
{
    const char *text = cli_text(c, "quantiles");
    if (!text) return UNA_OK;
    double *levels = cli_alloc(strlen(text) + 1, sizeof *levels);
    settings->quantiles = levels;
    for (const char *at = text;; at++) {
        char word[64];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, at);
        if (!cli_is_number(word, &levels[settings->quantile_count++]))
            return cli_fail(c, UNA_E_USAGE, "--quantiles: '%.*s' is not a number; write for instance --quantiles "
                            "0.05,0.5,0.95", (int)(length < 40 ? length : 40), at);
        at += length;
        if (!*at) return UNA_OK;
    }
}

typedef struct answers { size_t rows; const char *out; } answers;

static una_status run_predict(cli *c)
{
    answers *a = cli_alloc(1, sizeof *a);
    una_model *model;
    c->found = a;
    a->out = cli_text(c, "out");
    if (a->out && strcmp(a->out, "/dev/stdout") == 0) a->out = NULL;
    if (c->json && !a->out)
        return cli_fail(c, UNA_E_USAGE, "--json needs --out FILE: the answers themselves are CSV and cannot share the "
                        "standard output with the JSON object");
    una_predict_settings settings = {
        .size = sizeof settings, .digits = (int)cli_count(c, "digits", 0), .level = cli_share(c, "level", 0.95),
        .keep = cli_has(c, "keep"), .draws = (size_t)cli_count(c, "draws", 0), .write = to_output, .writer = c,
        .where = cli_text(c, "where"), .images = cli_text(c, "images")
    };
    CLI_TRY(parse_levels(c, &settings));
    CLI_TRY(cli_load(c, &model, c->operand[0]));
    CLI_TRY(una_predict_file(model, c->operand[1], &settings, a->out, &a->rows, c->run));
    if (a->out || fflush(stdout) == 0) return UNA_OK;
    return una_run_fail(c->run, UNA_E_IO, "standard output cannot be written to");
}

static void print_predict_json(cli *c)
{
    const answers *a = c->found;
    cli_json_put("{'rows': %zu, 'out': %s}\n", a->rows, a->out);
}

static void print_predicted(cli *c)
{
    const answers *a = c->found;
    if (a->out)
        printf("%zu row%s predicted; the answers are in %s\n", a->rows, a->rows == 1 ? "" : "s", cli_escaped(a->out));
}

const cli_verb cli_predict = {
    "predict", "answers with bands for new rows",
    "Prints one line per row of DATA: mean, std (of a new observation), std_epistemic (ignorance: data nearby would "
    "help), std_noise (noise: it would not), lower and upper, all in the units of the target. With several targets, "
    "each has these columns under its name: mean_a, std_a ... Columns are matched by name, in any order; others are "
    "ignored.",
    { { "MODEL", CLI_FILE, "a model file made by 'una fit'" },
      { "DATA", CLI_FILE, "a table with the model's input columns" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_IS_SUMMARY,
    "una predict measurements.una new.csv\n"
    "una predict measurements.una new.csv --level 0.5 --keep --out answers.csv\n"
    "# between other programs\n"
    "cat new.csv | una predict measurements.una - --out - | head\n"
    "# only some rows, with all their columns\n"
    "una predict measurements.una new.csv --where 'temperature > 20' --keep --out warm.csv\n"
    "# the median, and what 9 of 10 new observations lie between\n"
    "una predict measurements.una new.csv --quantiles 0.05,0.5,0.95 --digits 5\n"
    "# whole functions, for decisions that depend on several rows at once\n"
    "una predict measurements.una grid.csv --draws 20 --out draws.csv\n"
    "# a model of images\n"
    "una predict faces.una new.csv --images new.idx.gz --keep --out answers.csv",
    .run = run_predict, .json = print_predict_json, .text = print_predicted
};
