/* SPDX-License-Identifier: MIT
 *
 * una explain: why is a row unsure? Its ignorance, split by concepts that a person names.
 */
#include "cli.h"
#include "una_report.h"

#include <math.h>
#include <string.h>

enum { USUAL_ROWS = 10, MOST_ROWS = 1000, NAME = 14, LEAST = 5 };  /* letters of a name, and of a column at least */

static const cli_flag flags[] = {
    CLI_FLAG("concepts", CLI_FILE, "FILE", "the concepts: lines 'name: condition', such as 'old: days > 28', or 'name: "
             "rows 3, 17, 20-25'; or the same as a JSON object. Conditions are those of --where, and may use columns "
             "that are not inputs of the model"),
    CLI_FLAG("with", CLI_FILE, "FILE", "rows in which the concepts are looked up, with the model's inputs and the "
                                       "columns of the conditions (default: those of DATA)"),
    CLI_FLAG("target", CLI_TEXT, "COLUMN", "which target, if the model has several"),
    CLI_FLAG_COUNT("rows", "N", 1, MOST_ROWS, "how many of the most unsure rows are shown (default 10)"),
    CLI_FLAG_COUNT("axes", "N", 1, 1000, "directions of the features for each concept, at most; fewer where the model "
                   "has few features (default 4)"),
    CLI_FLAG_CHOICE("whiten", "HOW", "posterior|rows", "coordinates in which axes are found: those in which the "
                                                       "posterior is white (has the identity as covariance), or the "
                                                       "training rows are (default posterior)"),
    CLI_FLAG_CHOICE("disagreement", "HOW", "apart|split", "disagreement between the members of a mixture: a part of "
                                                          "its own, or split by the concepts like the rest (default "
                                                          "apart)"),
    CLI_FLAG("out", CLI_FILE_OUT, "CSV", "also write the parts of all rows, in the square of the target's units"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "also write the page 'Why is this row unsure?'"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the chart alone; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG_WHERE,
    CLI_FLAG_IMAGES,
    CLI_FLAG_INDEX,
    CLI_FLAG_END
};

CLI_END(una_concepts)
CLI_END(una_explanation)

/* ---- the work -------------------------------------------------------------------------------------------- */

static una_status choose_explained_target(const cli *c, const una_model **asked, const una_model *model)
{
    const char *target = cli_text(c, "target");
    size_t count = una_model_target_count(model);
    for (size_t t = 0; t < count; t++) {
        *asked = una_model_target(model, t);
        if (target ? strcmp(una_model_info(*asked)->target, target) == 0 : count == 1) return UNA_OK;
    }
    const char *all = una_model_info(model)->target;
    if (target) return cli_fail(c, UNA_E_USAGE, "--target %s: the model does not predict that, but %s", target, all);
    return cli_fail(c, UNA_E_USAGE, "ignorance is explained for one target, and this model predicts %zu (%s); name one "
                    "by --target", count, all);
}

static bool is_word(const cli *c, const char *flag, const char *word)
{
    return cli_has(c, flag) && strcmp(cli_text(c, flag), word) == 0;
}

/* How many of the most unsure rows are shown. */
static size_t count_shown(const cli *c)
{
    const una_explanation *e = c->found;
    size_t asked = (size_t)cli_count(c, "rows", USUAL_ROWS);
    return asked < e->rows ? asked : e->rows;
}

static una_status run_explain(cli *c)
{
    const char *with = cli_text(c, "with"), *out = cli_text(c, "out"), *report = cli_text(c, "report");
    const char *chart = cli_text(c, "chart");
    una_concepts *concepts;
    una_model *model;
    const una_model *asked = NULL;
    una_dataset *data, *shown = NULL;
    una_explanation *e;
    if (!cli_has(c, "concepts"))
        return cli_fail(c, UNA_E_USAGE, "--concepts FILE is needed: lines such as 'old: days > 28'");
    CLI_TRY(cli_check_pictures(c));
    CLI_TRY(una_concepts_read(&concepts, cli_text(c, "concepts"), c->run));
    cli_own(end_una_concepts, concepts);
    CLI_TRY(cli_load(c, &model, c->operand[0]));
    CLI_TRY(choose_explained_target(c, &asked, model));
    CLI_TRY(cli_read(c, &data, c->operand[1], asked));
    if (with) CLI_TRY(cli_read(c, &shown, with, asked));

    const una_explain_settings settings = {
        .size = sizeof settings, .concepts = concepts->at, .concept_count = concepts->count, .shown = shown,
        .axes = (size_t)cli_count(c, "axes", 0),
        .whitening = is_word(c, "whiten", "rows") ? UNA_WHITE_ROWS : UNA_WHITE_POSTERIOR,
        .disagreement = is_word(c, "disagreement", "split") ? UNA_DISAGREEMENT_SPLIT : UNA_DISAGREEMENT_APART
    };
    CLI_TRY(una_explain(&e, asked, data, &settings, c->run));
    cli_own(end_una_explanation, e);
    c->found = e;
    cli_log_warnings(c, e->warnings, e->warning_count);
    if (out) CLI_TRY(una_explanation_write(e, out, c->run));
    if (report)
        CLI_TRY(una_report_explanation(report, e, data, cli_base_name(c->operand[1]), count_shown(c), c->run));
    return chart ? una_chart_explanation(chart, e, count_shown(c), c->run) : UNA_OK;
}

/* ---- telling --------------------------------------------------------------------------------------------- */

static double share_of(const una_explanation *e, size_t row, size_t part)
{
    double sum = 0;
    for (size_t p = 0; p < e->parts; p++) sum += e->part[row * e->parts + p];
    return sum > 0 ? e->part[row * e->parts + part] / sum : 0;
}

/* How many bytes of a name are its first `most` letters. */
static int letters_that_fit(const char *name, size_t most)
{
    size_t bytes = 0, letters = 0;
    for (; name[bytes]; bytes++)
        if (((unsigned char)name[bytes] & 0xC0) != 0x80 && letters++ == most) break;
    return (int)bytes;
}

static size_t letters_of(const char *name)
{
    size_t letters = cli_letters(name);
    return letters < NAME ? letters : NAME;
}

/* Width of a column of shares under that name. */
static size_t share_column_width(const char *name)
{
    size_t letters = letters_of(name);
    return letters < LEAST ? LEAST : letters;
}

/* Parts that fit into a line beside row, mean and ignorance; in the order of the explanation, so that the table reads
 * like the CSV. */
static void tell_table(const una_explanation *e, size_t rows)
{
    size_t width = cli_width(stdout), used = 8 + 14 + 12, parts = 0;
    char a[32], b[32];
    for (; parts < e->parts; parts++) {
        size_t more = 2 + share_column_width(cli_escaped(e->names[parts]));
        if (used + more > width) break;
        used += more;
    }
    printf("%s%8s%14s%12s", cli_style_on(stdout, CLI_DIM), "row", "mean", "ignorance");
    for (size_t p = 0; p < parts; p++) {
        const char *name = cli_escaped(e->names[p]);
        printf("  %*s%.*s", (int)(share_column_width(name) - letters_of(name)), "", letters_that_fit(name, NAME), name);
    }
    printf("%s\n", cli_style_off(stdout));
    for (size_t i = 0; i < rows; i++) {
        size_t row = e->order[i];
        printf("%8zu%14s%12s", e->number[row], cli_number_short(a, e->mean[row]),
               cli_number_short(b, e->std_epistemic[row]));
        for (size_t p = 0; p < parts; p++)
            printf("  %*.0f %%", (int)share_column_width(cli_escaped(e->names[p])) - 2, 100 * share_of(e, row, p));
        printf("\n");
    }
    if (parts < e->parts) printf("%zu more parts are in --out and --json.\n", e->parts - parts);
}

static void print_explanation(cli *c)
{
    const una_explanation *e = c->found;
    char text[512];
    cli_named *list = cli_alloc(e->parts, sizeof *list);
    for (size_t p = 0; p < e->parts; p++) list[p] = (cli_named){ e->names[p], sqrt(fmax(e->share[p], 0)) };
    fputs(cli_style_on(stdout, CLI_BOLD), stdout);
    cli_say(0, "Of the ignorance of all %zu rows: %s.", e->rows, cli_shares(list, e->parts));
    printf("%s\nThe most unsure rows:\n", cli_style_off(stdout));
    tell_table(e, count_shown(c));
    printf("\n");
    for (size_t i = 0; i < count_shown(c); i++) {
        una_explanation_sentence(e, e->order[i], text, sizeof text);
        cli_say(2, "- %s", text);
    }
    printf("\n");
    cli_say(0, "Ignorance is the standard deviation of the function, in the target's units; shares are of its square. "
            "A concept carries what is not known of its rows and is known of others; what none of them names is "
            "'other'.");
    if (e->parts > e->concepts + 1 && strcmp(e->names[e->concepts + 1], "disagreement") == 0 &&
        e->share[e->concepts + 1] > 0.2)
        printf("--disagreement split divides what members disagree about, too.\n");
    if (cli_has(c, "out")) printf("parts of all rows: %s\n", cli_escaped(cli_text(c, "out")));
    cli_print_pictures(c);
}

static void json_values(const char *key, const una_explanation *e, const double *value)
{
    cli_json_put(", %s: {", key);
    for (size_t p = 0; p < e->parts; p++) cli_json_put(", %s: %g", e->names[p], value[p]);
    cli_json_put("}");
}

static void print_explain_json(cli *c)
{
    const una_explanation *e = c->found;
    char text[512];
    cli_json_put("{'rows': %zu, 'target': %s", e->rows, e->target);
    json_values("share", e, e->share);
    cli_json_put(", 'concepts': {");
    for (size_t i = 0; i < e->concepts; i++) cli_json_put(", %s: %zu", e->names[i], e->shown[i]);
    cli_json_put("}, 'axes': %zu, 'features': %zu, 'most_unsure': [", e->axes, e->features);
    for (size_t i = 0; i < count_shown(c); i++) {
        size_t row = e->order[i];
        una_explanation_sentence(e, row, text, sizeof text);
        cli_json_put(", {'row': %zu, 'mean': %g, 'std_epistemic': %g", e->number[row], e->mean[row],
                     e->std_epistemic[row]);
        json_values("parts", e, e->part + row * e->parts);
        cli_json_put(", 'sentence': %s}", text);
    }
    cli_json_put("]");
    cli_json_texts("warnings", e->warnings, e->warning_count);
    cli_json_end(c);
}

const cli_verb cli_explain = {
    "explain", "why is a row unsure? Its ignorance, split by concepts",
    "Splits the ignorance of the model about each row by concepts that you name, such as 'old: days > 28'. The "
    "features of the model are rotated so that some of them follow the concepts; the parts add up to the whole "
    "ignorance exactly, and predictions stay what they are. For models with features under a linear head: luna, nlm, "
    "tuna, linear, sngp, and mixtures of them (auto); of tables and of images.",
    { { "MODEL", CLI_FILE, "a model that 'una fit' wrote" },
      { "DATA", CLI_FILE, "the rows to explain, with the model's inputs: CSV, TSV (also .gz) or NPY" } },
    flags, CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_IS_SUMMARY,
    "una explain measurements.una new.csv --concepts concepts.txt\n"
    "# a page, and the parts of every row\n"
    "una explain measurements.una new.csv --concepts concepts.txt --report why.html --out parts.csv\n"
    "# concepts as other rows show them\n"
    "una explain measurements.una today.csv --with measurements.csv --concepts concepts.txt --rows 3\n"
    "# images: the page shows those that the model is least sure of\n"
    "una explain faces.una faces.csv --images faces.idx.gz --concepts concepts.txt --report why.html",
    .run = run_explain, .json = print_explain_json, .text = print_explanation
};
