/* SPDX-License-Identifier: MIT
 *
 * una demo: the main job in one command. Cubic data with a hole in the middle; a neural linear model (NLM) of one
 * training, LUNA, a Gaussian process and una's default are fitted for several seeds. How much does each admit not to
 * know in the hole and at the rows, and how much of the true function does its band of ignorance hold? One sentence
 * answers, and is made of the numbers alone: whoever wins, it reads right.
 */
#include "cli.h"
#include "una_report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { ROWS = 100, KINDS = 4, GAP_POINTS = 61, SEEDS = 5, ROOM = 4096 };
static const double gap_from = -1.5, gap_to = 1.5;     /* its middle: the rows end at -2 and 2                 */
static const double band = 1.959963984540054;            /* half a 95 % band, in standard deviations             */
static const double wider = 2, held = 0.95;              /* who notices the hole: at least so                     */

typedef struct kind { const char *spec, *key, *title, *name; } kind;     /* key: in JSON; name: in a sentence    */
static const kind kinds[KINDS] = {
    { "nlm(members=1)", "nlm", "NLM", "NLM" },
    { "luna", "luna", "LUNA", "LUNA" },
    { "gp", "gp", "GP", "the GP" },
    { "auto", "auto", "auto", "auto" }
};
enum { NLM, LUNA, GP, AUTO };                   /* where they stand in it                                      */

static const char heading[] = "Who notices the hole?";
static const cli_flag flags[] = {
    CLI_FLAG_COUNT("seeds", "N", 1, 1000, "how many seeds to try, from --seed on (default 5)"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder for the report una-demo.html (default: the current one)"),
    CLI_FLAG("report", CLI_FILE_OUT, "FILE.html", "the report under a name of its own"),
    CLI_FLAG("chart", CLI_FILE_OUT, "FILE", "also write the chart; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG_END
};

/* Ignorance, and the share of the true function in its band of ignorance, in the hole and at the rows; the error at
 * the rows. JSON calls the hole gap. */
typedef struct result { double gap_std, data_std, gap_inside, data_inside, rmse; } result;

typedef struct seed_trial {                           /* one seed */
    uint64_t     seed;
    una_run     *run;
    una_dataset *data;
    una_model   *model[KINDS];
    result       result[KINDS];
} seed_trial;

typedef struct demo {
    seed_trial  *trials;
    size_t  count;
    result  mean[KINDS];
    char    answer[ROOM];
    char   *report;
    const char *chart;
    double  seconds;
} demo;

/* ---- the work ---------------------------------------------------------------------------------------- */

static double cubic(double x, void *context)
{
    (void)context;
    return x * x * x;
}

CLI_END(una_run)

static double mean_of_values(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* The share of the places at which the true function is in the band of ignorance. */
static double share_inside(const double *x, const double *mean, const double *std, size_t count)
{
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) inside += fabs(mean[i] - cubic(x[i], NULL)) <= band * std[i];
    return (double)inside / (double)count;
}

static una_status measure_ignorance(result *r, const una_model *model, const una_dataset *data, una_run *run)
{
    double x[GAP_POINTS], mean[ROWS] = {0}, std[ROWS] = {0}, error = 0;
    const double *rows = una_dataset_numbers(data, 0), *y = una_dataset_numbers(data, 1);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };

    for (size_t i = 0; i < GAP_POINTS; i++) x[i] = gap_from + (gap_to - gap_from) * (double)i / (GAP_POINTS - 1);
    CLI_TRY(una_model_predict_rows(model, x, GAP_POINTS, 0.95, &out, run));
    r->gap_std = mean_of_values(std, GAP_POINTS);
    r->gap_inside = share_inside(x, mean, std, GAP_POINTS);

    CLI_TRY(una_model_predict(model, data, 0.95, &out, run));
    r->data_std = mean_of_values(std, ROWS);
    r->data_inside = share_inside(rows, mean, std, ROWS);

    for (size_t i = 0; i < ROWS; i++) error += (mean[i] - y[i]) * (mean[i] - y[i]);
    r->rmse = sqrt(error / ROWS);
    return UNA_OK;
}

static una_status try_seed(seed_trial *t, double from, double to)
{
    CLI_TRY(una_dataset_synthetic(&t->data, "cubic", ROWS, 1, t->seed, t->run));
    cli_own_table(t->data);
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .hold_out = 1 };
    for (size_t k = 0; k < KINDS; k++) {
        double step = (to - from) / KINDS;
        cli_progress_span(from + step * (double)k, from + step * (double)(k + 1));
        CLI_TRY(una_fit(&t->model[k], kinds[k].spec, t->data, &settings, t->run));
        cli_own_model(t->model[k]);
        CLI_TRY(measure_ignorance(&t->result[k], t->model[k], t->data, t->run));
    }
    return UNA_OK;
}

static void add_to_mean(result *mean, const result *r, double share)
{
    mean->gap_std += r->gap_std * share;
    mean->data_std += r->data_std * share;
    mean->gap_inside += r->gap_inside * share;
    mean->data_inside += r->data_inside * share;
    mean->rmse += r->rmse * share;
}

static una_status try_all_seeds(cli *c, demo *d)
{
    double share = 1 / (double)d->count;
    for (size_t i = 0; i < d->count; i++) {
        seed_trial *t = &d->trials[i];
        t->seed = cli_count(c, "seed", 0) + i;
        CLI_TRY(cli_run_new(c, &t->run, t->seed));
        cli_own(end_una_run, t->run);
        una_status status = try_seed(t, share * (double)i, share * (double)(i + 1));
        if (status != UNA_OK) return cli_fail(c, status, "seed %llu: %s", (unsigned long long)t->seed,
                                              una_run_message(t->run));
        for (size_t k = 0; k < KINDS; k++) add_to_mean(&d->mean[k], &t->result[k], share);
    }
    return cli_check_interrupt(c);
}

/* ---- the answer -------------------------------------------------------------------------------------- */

CLI_PRINTF(2, 3) static void add(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, ROOM - used, format, arguments);
    va_end(arguments);
}

/* What stands before the sentence part of model k, from the second on. */
static const char *between(size_t k)
{
    if (k == 1) return ";";
    return k + 1 < KINDS ? "," : " and";
}

/* What stands before item i of a list: "a, b and c". */
static const char *joint(size_t i, size_t count)
{
    if (i == 0) return "";
    return i + 1 == count ? " and " : ", ";
}

typedef enum verdict { NOTICES, TOO_LITTLE, NOT, VERDICTS } verdict;

static verdict verdict_of(const result *r)
{
    if (!(r->gap_std >= wider * r->data_std)) return NOT;
    return r->gap_inside >= held ? NOTICES : TOO_LITTLE;
}

/* "LUNA and the GP do", "all do", "none does": those of one verdict. */
static void add_verdict(char *text, const demo *d, verdict which)
{
    static const char *const one[] = { "does", "does too little", "does not" };
    static const char *const more[] = { "do", "do too little", "do not" };
    size_t count = 0, at = 0;
    for (size_t k = 0; k < KINDS; k++) count += verdict_of(&d->mean[k]) == which;
    if (count == 0) return;
    if (*text) add(text, "; ");

    if (count == KINDS && which == NOT) add(text, "none does");
    else if (count == KINDS) add(text, "all %s", more[which]);
    else {
        for (size_t k = 0; k < KINDS; k++)
            if (verdict_of(&d->mean[k]) == which) add(text, "%s%s", joint(at++, count), kinds[k].name);
        add(text, " %s", count == 1 ? one[which] : more[which]);
    }
}

/* A band of ignorance that misses the function where there are rows: the model is wrong there, and does not know it. */
static const char *why_low_at_rows(const result *r)
{
    if (r->data_inside >= held) return "";
    return r->gap_inside >= held ? " (at the rows its mean is off by more than it admits)"
           : " (at the rows, too, its mean is off by more than it admits)";
}

static void answer(demo *d)
{
    char *text = d->answer;
    for (verdict which = NOTICES; which < VERDICTS; which++) add_verdict(text, d, which);
    if (*text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');

    for (size_t k = 0; k < KINDS; k++) {
        const result *r = &d->mean[k];
        if (k == 0)
            add(text, ": %s's ignorance goes from %.1f at the rows to %.1f in the hole, and its 95 %% band of "
                "ignorance holds %.0f %% and %.0f %% of the true function there%s", kinds[k].name, r->data_std,
                r->gap_std, 100 * r->data_inside, 100 * r->gap_inside, why_low_at_rows(r));
        else
            add(text, "%s %s's%s from %.1f to %.1f (%.0f %%, %.0f %%)", between(k),
                kinds[k].name, k == 1 ? " goes" : "", r->data_std, r->gap_std, 100 * r->data_inside,
                100 * r->gap_inside);
    }
    add(text, ".");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void add_table(char *text, const demo *d)
{
    add(text, "In numbers. Held is the share of the true function in the 95 %% band of ignorance.");
    if (d->count > 1) add(text, " Means over %zu seeds; the picture shows the first.", d->count);
    add(text, "\n| | ignorance, rows | ignorance, hole | held, rows | held, hole | error, rows");
    for (size_t k = 0; k < KINDS; k++) {
        const result *r = &d->mean[k];
        add(text, "\n| %s | %.2f | %.2f | %.0f %% | %.0f %% | %.2f", kinds[k].title, r->data_std, r->gap_std,
            100 * r->data_inside, 100 * r->gap_inside, r->rmse);
    }
}

static void add_remarks(char *text)
{
    add(text, "\n\nThe data are %d noisy values of the function x\xC2\xB3, none of them between \xE2\x88\x92""2 and "
        "2. Ignorance is the epistemic standard deviation: what more data would take away. In the hole it is "
        "measured between \xE2\x88\x92""1.5 and 1.5. A model notices the hole if it is at least twice as unsure there "
        "as at the rows and its 95 %% band of ignorance there holds at least 95 %% of the true function; too little, "
        "if the band holds less. How wide it should be, such data do not say: of two bands that hold the function the "
        "wider one is not the better one.", ROWS);
    add(text, "\n\nNLM, %s, is one neural network, trained to predict, with a Bayesian linear model as its last layer. "
        "LUNA, %s, trains networks whose auxiliary regressors each explain the data and are penalised for similar "
        "slopes, so that they differ where nothing holds them. GP, %s, is a Gaussian process, and auto is what una "
        "fits if no model is named: LUNA and a Gaussian process, weighted by their out-of-fold predictions. All "
        "other options "
        "are chosen from the data; the last section has every one.",
        kinds[NLM].spec, kinds[LUNA].spec, kinds[GP].spec);
}

static una_status draw_demo(const cli *c, const demo *d)
{
    const seed_trial *first = &d->trials[0];
    const una_model *models[KINDS];              /* the subject comes first and is drawn last: una's default     */
    const char *titles[KINDS];
    for (size_t k = 0; k < KINDS; k++) models[k] = first->model[AUTO - k], titles[k] = kinds[AUTO - k].title;

    char story[ROOM] = "";
    add(story, "%s\n\n", d->answer);
    add_table(story, d);
    add_remarks(story);
    una_report_settings settings = { .size = sizeof settings, .models = models, .titles = titles, .count = KINDS,
                                     .data = first->data, .heading = heading, .story = story, .truth = cubic };
    una_status status = una_report_write_with(d->report, &settings, first->run);
    if (status == UNA_OK && d->chart) status = una_chart_write_with(d->chart, &settings, first->run);
    return status == UNA_OK ? status : cli_fail(c, status, "%s", una_run_message(first->run));
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static void print_demo_table(const demo *d)
{
    printf("%6s   %19s   %38s   %8s\n", "", "ignorance", "true function in its band of ignorance", "error");
    printf("%6s   %9s %9s   %18s %19s   %8s\n", "", "at rows", "in hole", "at rows", "in hole", "at rows");
    for (size_t k = 0; k < KINDS; k++) {
        const result *r = &d->mean[k];
        printf("%-6s   %9.2f %9.2f   %16.0f %% %17.0f %%   %8.2f\n", kinds[k].title, r->data_std, r->gap_std,
               100 * r->data_inside, 100 * r->gap_inside, r->rmse);
    }
}

static void print_demo_text(const demo *d)
{
    printf("%s%s%s %d noisy rows of x^3, none between -2 and 2", cli_style_on(stdout, CLI_BOLD), heading,
           cli_style_off(stdout), ROWS);
    if (d->count > 1) printf("; means over %zu seeds", d->count);
    printf(".\n\n");
    print_demo_table(d);
    printf("\n");
    cli_wrap(stdout, 0, 0, d->answer);
    printf("\nReport: %s\n", cli_escaped(d->report));
    if (d->chart) printf("Chart:  %s\n", cli_escaped(d->chart));
    printf("Time:   %.1f s\n", d->seconds);
}

static void json_results(const result r[KINDS])
{
    for (size_t k = 0; k < KINDS; k++)
        cli_json_put(", %s: {'gap_std': %g, 'data_std': %g, 'rmse': %g, 'gap_inside': %g, 'data_inside': %g}",
                     kinds[k].key, r[k].gap_std, r[k].data_std, r[k].rmse, r[k].gap_inside, r[k].data_inside);
}

static void print_demo_json(const demo *d)
{
    cli_json_put("{'rows': [");
    for (size_t i = 0; i < d->count; i++) {
        cli_json_put(", {'seed': %llu", (unsigned long long)d->trials[i].seed);
        json_results(d->trials[i].result);
        cli_json_put("}");
    }
    cli_json_put("], 'mean': {");
    json_results(d->mean);
    cli_json_put("}, 'gap_ratio': %g, 'rmse_ratio': %g, 'answer': %s, 'specs': {",
                 d->mean[LUNA].gap_std / d->mean[NLM].gap_std, d->mean[LUNA].rmse / d->mean[NLM].rmse, d->answer);
    for (size_t k = 0; k < KINDS; k++) cli_json_put(", %s: %s", kinds[k].key, kinds[k].spec);
    cli_json_put("}, 'report': %s", d->report);
    cli_json_path("chart", d->chart);
    cli_json_put(", 'seconds': %g}\n", d->seconds);
}

static una_status run_demo(cli *c)
{
    double begun = cli_seconds();
    demo d = { .count = (size_t)cli_count(c, "seeds", SEEDS), .chart = cli_text(c, "chart") };
    d.trials = cli_alloc(d.count, sizeof *d.trials);
    const char *folder = cli_text(c, "out"), *report = cli_text(c, "report");
    d.report = cli_join(report || !folder ? "" : folder, report ? report : "una-demo.html");

    CLI_TRY(cli_check_chart(c, "chart", d.chart));
    CLI_TRY(cli_check_files(c, "report", d.report));
    CLI_TRY(cli_check_report(c, d.report));
    CLI_TRY(try_all_seeds(c, &d));
    answer(&d);
    CLI_TRY(draw_demo(c, &d));
    cli_progress_clear();
    d.seconds = cli_seconds() - begun;
    if (c->json) print_demo_json(&d);
    else if (!c->stdout_taken) print_demo_text(&d);
    return UNA_OK;
}

const cli_verb cli_demo = {
    "demo", "the main job on built-in data, in under a minute",
    "Fits a neural linear model of one training, LUNA, a Gaussian process and una's default to a cubic function with a "
    "hole in the data, for several seeds. Prints the ignorance of each in the hole and at the rows, and how much of the "
    "true function lies in its band of ignorance; writes a page that begins with the chart.",
    { { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una demo\n"
    "una demo --out results --chart hole.svg\n"
    "una demo --json",
    .run = run_demo
};
