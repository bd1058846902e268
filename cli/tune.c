/* SPDX-License-Identifier: MIT
 *
 * una tune: which options of a model suit a table best.
 */
#include "cli.h"
#include "una_study.h"

#include <math.h>
#include <string.h>

static const cli_flag flags[] = {
    CLI_FLAG("target", CLI_COLUMN, "COLUMN", "the column to predict (default: the last one)"),
    CLI_FLAG("model", CLI_MODEL, "SPEC", "the kind of model, with options that stay as they are (default auto)"),
    CLI_FLAG("models", CLI_TEXT, "A,B,...", "several of them, each with a search of its own: 'luna,nlm(width=25)'"),
    CLI_FLAG("over", CLI_TEXT, "AXES", "what is varied: 'width=25|50|100' for one of these, 'rate=0.001:0.1:5' for "
             "five values evenly spaced, 'penalty=1e-5:1e-1:log5' for five by their logarithm, "
             "'penalty=1e-5:1e-1:log' for any between (random and bayes); several with commas. Of several models: "
             "'penalty=1|10; luna: diversity=0.1|1' varies the penalty of all that have one, and LUNA's diversity"),
    CLI_FLAG_CHOICE("search", "HOW", "grid|random|bayes", "grid: all combinations; random: some of them; bayes: each "
                    "by what the others gave (default grid)"),
    CLI_FLAG_COUNT("trials", "N", 1, 1000000, "how many specs of a model, for random and bayes (default 20)"),
    CLI_FLAG_COUNT("splits", "K", 1, 100000, "score every spec on K random splits of the rows, the same for all: "
                   "fitted on one part, scored on the other, a share of --valid or 0.2 (default: by the rows that a "
                   "fit holds out itself)"),
    CLI_FLAG_COUNT("seeds", "N", 1, 100000, "fit every spec with N seeds, from --seed on (default 1)"),
    CLI_FLAG_CHOICE("select", "RULE", "log_lik|rmse|two_stage", "what is best: the highest mean log-likelihood of "
                                                                "held-out rows, their lowest error, or the thesis's "
                                                                "rule for LUNA: of the tenth with the highest "
                    "log-likelihood the lowest mean cos^2 of its heads (default log_lik). With several data sets, by "
                    "the mean over them of the rank within each"),
    CLI_FLAG_SWITCH("refit", "train again for every prior_var and noise_std, too. Without it such values share one "
                    "training, and only the posterior is computed again; they are scored on a split (one, if "
                    "--splits is not given)"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder of the results: fits found there are not made again, and a search that "
             "was stopped goes on (default: nothing is kept)"),
    CLI_FLAG("valid", CLI_FILE, "PART", "rows kept from training, on which the fits are scored: a share such as 0.2, "
             "or a file of other rows (default: as 'una fit' does)"),
    CLI_FLAG_MANY("set", CLI_OPTION, "KEY=VALUE", "set one option of the model for all fits; may be repeated"),
    CLI_FLAG_CHOICE("preset", "NAME", "thesis", "start from published settings instead of the defaults: thesis"),
    CLI_FLAG_GROUP,
    CLI_FLAGS_COLUMNS,
    CLI_FLAG_WHERE,
    CLI_FLAG_END
};

CLI_END(una_tuned)

/* ---- the work ---------------------------------------------------------------------------------------- */

static una_status check_tune_asked(const cli *c, una_tune_settings *settings)
{
    if (!settings->over)
        return cli_fail(c, UNA_E_USAGE, "what is to be varied? Say it with --over, for instance --over "
                        "'width=25|50|100'; 'una models NAME' lists the options of a model");
    bool grid = !settings->search || strcmp(settings->search, "grid") == 0;
    if (grid && settings->trials)
        return cli_fail(c, UNA_E_USAGE, "a grid has as many fits as it has combinations: --trials goes with --search "
                        "random or bayes");
    CLI_TRY(cli_names(c, "models", &settings->models, &settings->model_count));
    if (cli_has(c, "models") && cli_has(c, "model"))
        return cli_fail(c, UNA_E_USAGE, "--model is for one model and --models for several: give one of the two");
    return cli_check_created(c, "out", "tune.csv");
}

static una_status run_tune(cli *c)
{
    una_dataset **data = cli_alloc(c->operand_count, sizeof *data);
    una_tuned *tuned;
    una_tune_settings settings = {
        .size = sizeof settings, .model = cli_text(c, "model"), .over = cli_text(c, "over"),
        .search = cli_text(c, "search"), .trials = (size_t)cli_count(c, "trials", 0), .out = cli_text(c, "out"),
        .more = (const una_dataset *const *)data + 1, .more_count = c->operand_count - 1,
        .splits = (size_t)cli_count(c, "splits", 0), .seeds = (size_t)cli_count(c, "seeds", 0),
        .select = cli_text(c, "select"), .refit = cli_has(c, "refit")
    };
    c->logs_at_once = true;
    CLI_TRY(check_tune_asked(c, &settings));
    for (size_t i = 0; i < c->operand_count; i++) CLI_TRY(cli_read(c, &data[i], c->operand[i], NULL));
    CLI_TRY(cli_need_one_target(c, data[0], "options are searched for",
                                "tune for each by itself; 'una fit' then takes several"));
    settings.fit = cli_fit_settings(c, data[0]);
    CLI_TRY(cli_read_valid(c, &settings.fit));
    CLI_TRY(una_tune(&tuned, data[0], &settings, c->run));
    cli_own(end_una_tuned, tuned);
    c->found = tuned;
    return UNA_OK;
}

/* ---- telling ----------------------------------------------------------------------------------------- */

/* Writes control characters in a form that shells read as the same. */
static void print_odd_word(const char *word)
{
    char *text = cli_alloc(2 * strlen(word) + 1, 1), *to = text;
    for (; *word; *to++ = *word++)
        if (*word == '\'' || *word == '\\') *to++ = '\\';
    printf("$'%s'", cli_escaped(text));
}

/* A word as a shell reads it. */
static void print_word(const char *word)
{
    if (cli_escaped(word) != word) {
        print_odd_word(word);
        return;
    }
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,%@";
    bool bare = *word && word[strspn(word, plain)] == 0;
    if (!bare) putchar('\'');
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", stdout);
        else putchar(*word);
    }
    if (!bare) putchar('\'');
}

static void print_fit(const cli *c, const char *spec)
{
    static const char *const kept[] = { "target", "preset", "valid", "missing", "other", "where", "group" };
    static const char *const repeated[] = { "drop", "only" };
    printf("una fit ");
    print_word(c->operand[0]);
    printf(" --model ");
    print_word(spec);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if (!cli_has(c, kept[i]) || (cli_has(c, "splits") && strcmp(kept[i], "valid") == 0)) continue;
        printf(" --%s ", kept[i]);
        print_word(cli_text(c, kept[i]));
    }
    const char **given = cli_alloc(c->given_count + 1, sizeof *given);
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        for (size_t k = 0, count = cli_texts(c, repeated[i], given); k < count; k++) {
            printf(" --%s ", repeated[i]);
            print_word(given[k]);
        }
    }
    printf("\n");
}

/* One data set: a command to continue with. Several: the spec, and which is best on each. */
static void print_best_spec(const cli *c, const una_tuned *t)
{
    size_t count;
    const char **models = cli_split(cli_has(c, "models") ? cli_text(c, "models") : "", &count);
    printf("\n");
    for (size_t m = 0; m < t->model_count; m++) {
        if (t->best[m] == SIZE_MAX) continue;
        const char *spec = t->spec[t->best[m]];
        if (t->model_count > 1) printf("Best of %s: ", cli_escaped(models[m]));
        else printf("Best: ");
        if (t->table_count == 1) {
            print_fit(c, spec);
            continue;
        }
        printf("%s\n", cli_escaped(spec));
        for (size_t d = 0; d < t->table_count; d++) {
            size_t in = t->best_in[m * t->table_count + d];
            printf("  on %s: %s\n", cli_escaped(t->table[d]), in == SIZE_MAX ? "none" : cli_escaped(t->spec[in]));
        }
    }
}

static void print_row(const una_tuned *t, size_t i, bool heads)
{
    char figure[32];
    bool failed = isnan(t->log_lik[i]), best = t->best[t->model[i]] == i;
    printf("%12s", failed ? "failed" : cli_number_short(figure, t->log_lik[i]));
    if (t->rows > 1) printf(" %10s", failed ? "" : cli_number_short(figure, t->log_lik_sd[i]));
    printf(" %12s", failed ? "" : cli_number_short(figure, t->rmse[i]));
    if (t->rows > 1) printf(" %10s", failed ? "" : cli_number_short(figure, t->rmse_sd[i]));
    if (heads)
        printf(" %7s", isnan(t->mean_cos2[i]) ? "" : cli_number_short(figure, round(t->mean_cos2[i] * 1e4) / 1e4));
    if (t->table_count > 1) printf(" %6s", isnan(t->rank[i]) ? "" : cli_number_short(figure, t->rank[i]));
    printf(" %9.2f  %s%s%s\n", t->seconds[i], cli_style_on(stdout, best ? CLI_BOLD : CLI_PLAIN),
           cli_escaped(t->spec[i]), cli_style_off(stdout));
}

static void print_counted(const char *before, size_t count, const char *what)
{
    if (count > 1) printf("%s%zu %s", before, count, what);
}

/* Explains the columns, and over what their means are taken. */
static void print_tune_meaning(const cli *c, const una_tuned *t, bool heads)
{
    const char *rule = cli_text(c, "select");
    printf("\nlog-lik: mean log-likelihood of rows that the fit had not seen, higher is better; rmse: their error\n");
    if (heads) printf("cos^2: mean over pairs of LUNA's heads, at most 1: lower is more different\n");
    if (t->rows > 1) {
        printf("means and standard deviations over %zu results of each spec", t->rows);
        print_counted(": ", t->table_count, "data sets");
        print_counted(t->table_count > 1 ? ", " : ": ", t->splits, "splits");
        print_counted(t->table_count > 1 || t->splits > 1 ? ", " : ": ", t->seeds, "seeds");
        printf("\n");
    }
    if (t->splits == 1) printf("rows not seen are those of one random split, the same for every spec\n");
    const char *best = t->table_count > 1 ? "best on a data set" : "best";
    if (rule && strcmp(rule, "rmse") == 0) printf("%s: lowest rmse\n", best);
    if (rule && strcmp(rule, "two_stage") == 0)
        printf("%s: of the tenth with the highest log-lik the lowest cos^2; without heads the highest log-lik\n", best);
    if (t->table_count > 1)
        printf("rank: mean over the data sets of the place among the specs of a model, lowest is best\n");
    if (t->trained < t->made)
        printf("%zu fit%s gave %zu results: prior_var and noise_std are set after training (--refit: before)\n",
               t->trained, t->trained == 1 ? "" : "s", t->made);
}

static void print_tune_table(cli *c)
{
    const una_tuned *t = c->found;
    bool heads = false;
    for (size_t i = 0; i < t->count; i++) heads = heads || !isnan(t->mean_cos2[i]);
    printf("%12s%s %12s%s%s%s %9s  %s\n", "log-lik", t->rows > 1 ? "         sd" : "", "rmse",
           t->rows > 1 ? "         sd" : "", heads ? "   cos^2" : "", t->table_count > 1 ? "   rank" : "", "seconds",
           "spec");
    for (size_t i = 0; i < t->count; i++) {
        if (i > 0 && t->model[i] != t->model[i - 1]) printf("\n");
        print_row(t, i, heads);
    }

    print_tune_meaning(c, t, heads);
    size_t all = t->count * t->rows;
    const char *what = t->trained < t->made ? "result" : "fit";
    if (cli_has(c, "out"))
        printf("%zu %s%s made now, %zu were in %s; table: %s/tune.csv\n", t->made, what, t->made == 1 ? "" : "s",
               all > t->made ? all - t->made : 0, cli_escaped(cli_text(c, "out")), cli_escaped(cli_text(c, "out")));
    print_best_spec(c, t);
}

static void json_tried(const una_tuned *t, size_t i)
{
    cli_json_put(", {'spec': %s, 'log_lik': %g, 'log_lik_sd': %g, 'rmse': %g, 'rmse_sd': %g, 'mean_cos2': %g, "
                 "'rank': %g, 'seconds': %g, 'data': [", t->spec[i], t->log_lik[i], t->log_lik_sd[i], t->rmse[i],
                 t->rmse_sd[i], t->mean_cos2[i], t->rank[i], t->seconds[i]);
    for (size_t d = 0; d < t->table_count; d++)
        cli_json_put(", {'name': %s, 'log_lik': %g, 'rmse': %g}", t->table[d],
                     t->table_log_lik[i * t->table_count + d], t->table_rmse[i * t->table_count + d]);
    cli_json_put("]}");
}

static const char *spec_at(const una_tuned *t, size_t at)
{
    return at == SIZE_MAX ? NULL : t->spec[at];
}

/* For one model its best spec; for several, one each, under "models". */
static void print_tune_json(cli *c)
{
    const una_tuned *t = c->found;
    cli_json_put("{'best': %s, 'select': %s, 'models': [", t->model_count == 1 ? spec_at(t, t->best[0]) : NULL,
                 cli_has(c, "select") ? cli_text(c, "select") : "log_lik");
    for (size_t m = 0; m < t->model_count; m++) {
        cli_json_put(", {'best': %s, 'best_in': [", spec_at(t, t->best[m]));
        for (size_t d = 0; d < t->table_count; d++)
            cli_json_put(", {'name': %s, 'best': %s}", t->table[d], spec_at(t, t->best_in[m * t->table_count + d]));
        cli_json_put("]}");
    }
    cli_json_put("], 'tried': [");
    for (size_t i = 0; i < t->count; i++) json_tried(t, i);
    cli_json_put("], 'splits': %zu, 'seeds': %zu, 'made': %zu, 'trained': %zu", t->splits, t->seeds, t->made,
                 t->trained);
    cli_json_end(c);
}

const cli_verb cli_tune = {
    "tune", "which options of a model suit a table best",
    "Fits a model with several values of its options and compares the fits on rows that did not train them. All fits "
    "have the same seeds and are scored on the same rows. With several data sets, whose scales differ, specs "
    "are ranked within each, and the best is that of the lowest mean rank. The best of many looks a little better than "
    "it is: for a number to rely on, score it on rows that were kept apart.",
    { { "DATA...", CLI_FILE, "the table to learn from, or several of them" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_WITH_RANKS,
    "una tune measurements.csv --target strength --model luna --over 'penalty=1e-5:1e-1:log5, width=25|50|100'\n"
    "# by Bayesian optimisation, in a folder where it goes on if it is stopped\n"
    "una tune measurements.csv --target strength --model nlm --over 'penalty=1e-6:1:log, width=10:200, depth=1|2' "
    "--search bayes --trials 30 --out tuning\n"
    "# two models on two tables, by three splits and two seeds each; LUNA as the thesis chooses it\n"
    "una tune a.csv b.csv --target y --models 'luna,nlm(width=25)' --over 'penalty=1e-4:1:log3; luna: "
    "diversity=0.1|1|10' --splits 3 --seeds 2 --select two_stage",
    .run = run_tune, .json = print_tune_json, .text = print_tune_table
};
