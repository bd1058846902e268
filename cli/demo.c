/* SPDX-License-Identifier: MIT
 *
 * una demo: the main job in one command. Cubic data with a hole in the middle; a plain neural linear model
 * (NLM) and LUNA are fitted for several seeds. The table sets what each admits not to know in the hole
 * against the same at the data, and gives the error at the training rows.
 */
#include "cli.h"
#include "una_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 100, KINDS = 2, GAP_POINTS = 61, SEEDS = 5 };
static const double gap_from = -1.5, gap_to = 1.5;
static const char *const specs[KINDS] = { "nlm", "luna" };
static const char *const titles[KINDS] = { "NLM", "LUNA" };

static const char heading[] = "una demo: who notices the gap?";
static const char story[] =
    "The data are 100 noisy values of a cubic function with no rows between -2 and 2. A plain neural linear model "
    "(NLM) and LUNA are fitted to the same rows, with the same network, penalty, number of steps and number of "
    "trainings, which are all kept and mixed. Compare two things: the error at the rows, and how much wider the "
    "epistemic band becomes in the gap. NLM widens it by what its trainings differ by. LUNA is designed to widen it "
    "more: it trains auxiliary regressors that each explain the data and are penalised for having similar slopes; how "
    "much more, it learns from rows that it leaves out. The pictures show one seed; the demo does not measure why the "
    "bands differ, nor which width in the gap would be the right one.";

static const cli_flag flags[] = {
    CLI_FLAG_COUNT("seeds", "N", 1, 1000, "how many seeds to try, from --seed on (default 5)"),
    CLI_FLAG("out", CLI_FOLDER, "DIR", "folder for the report una-demo.html (default: the current one)"),
    CLI_FLAG("report", CLI_WRITTEN, "FILE.html", "the report under a name of its own"),
    CLI_FLAG("chart", CLI_WRITTEN, "FILE", "also write the chart; the ending says how: .svg, .pdf or .png"),
    CLI_FLAG_END
};

typedef struct result { double gap_std, data_std, rmse; } result;

typedef struct trial {                           /* one seed */
    uint64_t     seed;
    una_run     *run;
    una_dataset *data;
    una_model   *model[KINDS];
    result       result[KINDS];
} trial;

typedef struct demo {
    trial  *trials;
    size_t  count;
    result  mean[KINDS];
    char   *report;
    const char *chart;
    double  seconds;
} demo;

/* ---- the work ---------------------------------------------------------------------------------------- */

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

static const double *target_of(const una_dataset *data)
{
    for (size_t column = 0; column < una_dataset_column_count(data); column++) {
        if (strcmp(una_dataset_column_name(data, column), "y") == 0) return una_dataset_numbers(data, column);
    }
    return NULL;
}

static una_status measure(result *r, const una_model *model, const una_dataset *data, una_run *run)
{
    double x[GAP_POINTS], mean[ROWS] = {0}, std[ROWS] = {0}, error = 0;
    const double *y = target_of(data);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };

    for (size_t i = 0; i < GAP_POINTS; i++) x[i] = gap_from + (gap_to - gap_from) * (double)i / (GAP_POINTS - 1);
    una_status status = una_model_predict_rows(model, x, GAP_POINTS, 0.95, &out, run);
    if (status != UNA_OK) return status;
    r->gap_std = mean_of(std, GAP_POINTS);

    status = una_model_predict(model, data, 0.95, &out, run);
    if (status != UNA_OK) return status;
    r->data_std = mean_of(std, ROWS);

    for (size_t i = 0; i < ROWS; i++) error += (mean[i] - y[i]) * (mean[i] - y[i]);
    r->rmse = sqrt(error / ROWS);
    return UNA_OK;
}

static una_status try_seed(trial *t, double from, double to)
{
    una_status status = una_dataset_synthetic(&t->data, "cubic", ROWS, 1, t->seed, t->run);
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .hold_out = 1 };
    for (size_t k = 0; k < KINDS && status == UNA_OK; k++) {
        double step = (to - from) / KINDS;
        cli_progress_span(from + step * (double)k, from + step * (double)(k + 1));
        status = una_fit(&t->model[k], specs[k], t->data, &settings, t->run);
        if (status == UNA_OK) status = measure(&t->result[k], t->model[k], t->data, t->run);
    }
    return status;
}

static una_status try_all(cli *c, demo *d)
{
    double share = 1 / (double)d->count;
    for (size_t i = 0; i < d->count; i++) {
        trial *t = &d->trials[i];
        t->seed = cli_count(c, "seed", 0) + i;
        una_status status = cli_run_new(c, &t->run, t->seed);
        if (status != UNA_OK) return status;
        status = try_seed(t, share * (double)i, share * (double)(i + 1));
        if (status != UNA_OK) return cli_fail(c, status, "seed %llu: %s", (unsigned long long)t->seed,
                                              una_run_message(t->run));

        for (size_t k = 0; k < KINDS; k++) {
            d->mean[k].gap_std += t->result[k].gap_std * share;
            d->mean[k].data_std += t->result[k].data_std * share;
            d->mean[k].rmse += t->result[k].rmse * share;
        }
    }
    return cli_check_interrupt(c);
}

static una_status draw(const cli *c, const demo *d)
{
    const trial *first = &d->trials[0];
    const una_model *models[KINDS] = { first->model[1], first->model[0] };      /* LUNA is the subject: drawn last */
    const char *const names[KINDS] = { titles[1], titles[0] };
    una_status status = una_report_write(d->report, models, names, KINDS, first->data, heading, story, first->run);
    if (status == UNA_OK && d->chart) {
        status = una_chart_write(d->chart, models, names, KINDS, first->data, first->run);
    }
    return status == UNA_OK ? status : cli_fail(c, status, "%s", una_run_message(first->run));
}

/* ---- telling ----------------------------------------------------------------------------------------- */

static void print_line(const char *seed, const result r[KINDS], cli_style style)
{
    printf("%s%6s", cli_on(stdout, style), seed);
    for (size_t k = 0; k < KINDS; k++) printf("   %9.3f %9.3f %9.3f", r[k].gap_std, r[k].data_std, r[k].rmse);
    printf("%s\n", cli_off(stdout));
}

static void print_table(const demo *d)
{
    char seed[32];
    printf("%6s", "");
    for (size_t k = 0; k < KINDS; k++) printf("   %-29s", titles[k]);
    printf("\n%6s", "seed");
    for (size_t k = 0; k < KINDS; k++) printf("   %9s %9s %9s", "gap std", "data std", "RMSE");
    printf("\n");
    for (size_t i = 0; i < d->count; i++) {
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)d->trials[i].seed);
        print_line(seed, d->trials[i].result, CLI_PLAIN);
    }
    print_line("mean", d->mean, CLI_BOLD);
}

static void print_text(const demo *d)
{
    printf("Cubic data, %d rows, none between -2 and 2. Epistemic standard deviation (what the model\n"
           "admits not to know) in the gap and at the rows, and the error at the rows:\n\n", ROWS);
    print_table(d);
    printf("\nRatio of the means, gap std to data std:");
    for (size_t k = 0; k < KINDS; k++) {
        printf("%s %s %.2f", k ? "," : "", titles[k], d->mean[k].gap_std / d->mean[k].data_std);
    }
    printf("\nRatio of the means, %s to %s: gap std %.2f, RMSE %.2f\n\n", titles[1], titles[0],
           d->mean[1].gap_std / d->mean[0].gap_std, d->mean[1].rmse / d->mean[0].rmse);
    printf("Report: %s\n", cli_shown(d->report));
    if (d->chart) printf("Chart:  %s\n", cli_shown(d->chart));
    printf("Time:   %.1f s\n", d->seconds);
}

static void json_results(const result r[KINDS])
{
    for (size_t k = 0; k < KINDS; k++) {
        printf("%s\"%s\": {\"gap_std\": ", k ? ", " : "", specs[k]);
        cli_json_number(stdout, r[k].gap_std);
        printf(", \"data_std\": ");
        cli_json_number(stdout, r[k].data_std);
        printf(", \"rmse\": ");
        cli_json_number(stdout, r[k].rmse);
        printf("}");
    }
}

static void print_json(const demo *d)
{
    printf("{\"rows\": [");
    for (size_t i = 0; i < d->count; i++) {
        printf("%s{\"seed\": %llu, ", i ? ", " : "", (unsigned long long)d->trials[i].seed);
        json_results(d->trials[i].result);
        printf("}");
    }

    printf("], \"mean\": {");
    json_results(d->mean);
    printf("}, \"gap_ratio\": ");
    cli_json_number(stdout, d->mean[1].gap_std / d->mean[0].gap_std);
    printf(", \"rmse_ratio\": ");
    cli_json_number(stdout, d->mean[1].rmse / d->mean[0].rmse);

    cli_json_path(stdout, "report", d->report);
    cli_json_path(stdout, "chart", d->chart);
    printf(", \"seconds\": ");
    cli_json_number(stdout, d->seconds);
    printf("}\n");
}

static void release(demo *d)
{
    for (size_t i = 0; i < d->count; i++) {
        for (size_t k = 0; k < KINDS; k++) una_model_free(d->trials[i].model[k]);
        una_dataset_free(d->trials[i].data);
        una_run_free(d->trials[i].run);
    }
    free(d->trials);
    free(d->report);
}

static una_status run(cli *c)
{
    double begun = cli_seconds();
    demo d = { .count = (size_t)cli_count(c, "seeds", SEEDS), .chart = cli_text(c, "chart") };
    d.trials = cli_memory(d.count, sizeof *d.trials);
    const char *folder = cli_text(c, "out"), *report = cli_text(c, "report");
    d.report = cli_join(report || !folder ? "" : folder, report ? report : "una-demo.html");

    una_status status = cli_check_chart(c, d.chart);
    if (status == UNA_OK) status = cli_check_files(c, "report", d.report);
    if (status == UNA_OK) status = cli_check_report(c, d.report);
    if (status == UNA_OK) status = try_all(c, &d);
    if (status == UNA_OK) status = draw(c, &d);
    cli_progress_clear();
    d.seconds = cli_seconds() - begun;

    if (status == UNA_OK && c->json) print_json(&d);
    else if (status == UNA_OK && !c->stdout_taken) print_text(&d);
    release(&d);
    return status;
}

const cli_verb cli_demo = {
    "demo", "the main job on built-in data, in under a minute",
    "Fits a plain neural linear model and LUNA to a cubic function with a hole in the data, for several seeds, prints "
    "what each admits not to know in the hole and at the data, and writes a report with pictures.",
    { { NULL, CLI_TEXT, NULL }, { NULL, CLI_TEXT, NULL }, { NULL, CLI_TEXT, NULL } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_JSON | CLI_WITH_QUIET,
    "una demo\n"
    "una demo --out results --chart gap.svg\n"
    "una demo --json",
    run
};
