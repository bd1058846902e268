/* SPDX-License-Identifier: MIT
 */
#include "bench/radial.h"

#include "report/number.h"

#include <string.h>

enum { SEEDS = 10, QUICK_SEEDS = 2 };

typedef struct radial_options { const char *dimensions; double seeds, draws; int tune; } radial_options;

static const una_option table[] = {
    { "dimensions", UNA_TEXT, offsetof(radial_options, dimensions), "", 0, 0, false, NULL,
      "shells by their number of inputs, and disc and ball, with commas between: 1,2,5,disc; left out: 1,2,3,disc,ball; "
      "quick: 1,2" },
    { "seeds", UNA_COUNT, offsetof(radial_options, seeds), "auto", 1, 900, true, NULL, UNA_SEEDS_HELP },
    { "tune", UNA_FLAG, offsetof(radial_options, tune), "no", 0, 0, false, NULL,
      "search for each model's options on each data set, by seeds that are not reported" },
    { "draws", UNA_COUNT, offsetof(radial_options, draws), "auto", 1, 1000, true, NULL,
      "specs that the search tries of each model on each data set" },
    { .name = NULL }
};

#define CURVE_10(X, from, a) X(a##0) X(a##1) X(a##2) X(a##3) X(a##4) X(a##5) X(a##6) X(a##7) X(a##8) X(a##9)
#define RADII(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) CURVE_10(X, 10, 1) CURVE_10(X, 20, 2) X(30)
#define PRIORS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

static const una_bench_measure measures[] = {
    [UNA_RADIAL_CENTRE] = { "centre", "centre", "y", "3 epistemic std at the centre", 0 },
    [UNA_RADIAL_OFF_IDEAL] = { "off_ideal", "off ideal", "y", "distance of `centre` from 1 / 2^inputs; shells only",
                               -1 },
    [UNA_RADIAL_SYMMETRY] = { "symmetry", "symmetry", "share", "sd over the rays over the mean, of 3 std up to radius "
                              "2: 0 where all directions are alike", -1 },
    [UNA_RADIAL_ROUGHNESS] = { "roughness", "roughness", "", "sum of the absolute second differences of the mean curve "
                               "up to radius 2, over its range", -1 },
    [UNA_RADIAL_LOG_LIK] = { "log_lik", "log-lik", "nats", "of fresh rows of the same law", 1 },
    [UNA_RADIAL_RMSE] = { "rmse", "RMSE", "y", "of fresh rows of the same law", -1 },
    [UNA_RADIAL_DISTANCE] = { "distance", "distance", "y", "root mean square difference of the mean curve from the "
                              "GP's of the same rows, radii 0 to 2", -1 },
    [UNA_RADIAL_DISTANCE_OUT] = { "distance_out", NULL, "y", "the same, radii 2 to 3", -1 },
    [UNA_RADIAL_HOLE_AUROC] = { "hole_auroc", NULL, "share", "disc and ball: of the epistemic std as a detector of "
                                "points in the hole", 1 },
    [UNA_RADIAL_HOLE_INSIDE] = { "hole_inside", NULL, "share", "of the points in the hole whose true function is in the "
                                 "95 % band of ignorance", 0 },
    [UNA_RADIAL_HOLE_LOG_LIK] = { "hole_log_lik", NULL, "nats", "of fresh rows in the hole", 1 },
#define MEAN_MEASURE(n) [UNA_RADIAL_MEAN + n] = { "m_" #n, NULL, "y", "mean over rays of 3 std at radius " #n " / 10", 0 },
    RADII(MEAN_MEASURE)
#define SD_MEASURE(n) [UNA_RADIAL_SD + n] = { "s_" #n, NULL, "y", "sd over rays of 3 std at radius " #n " / 10", 0 },
    RADII(SD_MEASURE)
#define PRIOR_LOG_LIK(n) [UNA_RADIAL_PRIOR_LOG_LIK + n] = { "prior_log_lik_" #n, NULL, "nats", "search only: log_lik " \
    "with prior variance 10^(" #n " - 4)", 1 },
    PRIORS(PRIOR_LOG_LIK)
#define PRIOR_CENTRE(n) [UNA_RADIAL_PRIOR_CENTRE + n] = { "prior_centre_" #n, NULL, "y", "search only: centre with " \
    "prior variance 10^(" #n " - 4)", 0 },
    PRIORS(PRIOR_CENTRE)
    { .name = NULL }
};

static const una_entry entries[] = {
    { "gp", "gp", "gp" },
    { "luna", "luna", "luna" },
    { NULL, NULL, NULL }
};

static una_status contestant(una_bench_model *model, const char *text, const una_asked *asked, una_run *run)
{
    const una_radial_entry *entry = una_radial_entry_find(text);
    if (!entry)
        return una_row_key_spec(&model->spec, &model->kind, &model->results, text, asked->keep, run);
    *model = (una_bench_model){ .kind = entry->name, .spec = entry->name };
    return UNA_OK;
}

static una_status plan_set(una_plan *plan, const una_asked *asked, const char *name, una_run *run)
{
    const radial_options *o = asked->options;
    una_radial_set set;
    UNA_TRY(una_radial_set_find(&set, name, run));
    size_t seeds = UNA_IS_AUTO(o->seeds) ? asked->quick ? QUICK_SEEDS : SEEDS : (size_t)o->seeds;
    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++) {
            una_bench_model model = asked->models[m];
            const una_radial_entry *e = una_radial_entry_find(model.spec);
            if (e) {
                const char *text = una_radial_spec(e, e->chosen[una_radial_tuned(&set)], asked->quick ? e->quick : NULL, asked->keep);
                UNA_TRY(una_arena_check(asked->keep));
                UNA_TRY(una_row_key_spec(&model.spec, NULL, &model.results, text, asked->keep, run));
            }
            una_plan_add(plan, una_model_row_key(&model, "radial", name, 0, asked->first + s));
        }
    return UNA_OK;
}

static una_status plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const radial_options *o = asked->options;
    const char *list = *o->dimensions ? o->dimensions : asked->quick ? "1,2" : "1,2,3,disc,ball";
    while (*list) {
        size_t length = strcspn(list, ",");
        una_text name = una_text_in(asked->keep);
        una_text_add(&name, "%s%.*s", *list >= '0' && *list <= '9' ? "radial " : "", (int)length, list);
        UNA_TRY(una_arena_check(asked->keep));
        UNA_TRY(plan_set(plan, asked, name.at, run));
        list += length + (list[length] == ',');
    }
    return UNA_OK;
}

static una_status measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked, una_run *run)
{
    una_radial_set set;
    una_radial_rows rows;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_fit_settings settings = { .size = sizeof settings, .target = "y" };
    una_mark mark = una_arena_mark(&run->scratch);
    const radial_options *o = asked->options;

    UNA_TRY(una_radial_set_find(&set, key->data, run));
    una_status status = una_radial_rows_make(&rows, &set, key->seed, &run->scratch, run);
    if (status == UNA_OK) status = una_truth_table(&data, &rows.train, run);
    if (status == UNA_OK) status = una_fit(&model, key->spec, data, &settings, run);
    if (status == UNA_OK) status = una_radial_measure(outcome->value, model, &set, &rows, key->seed, run);
    if (status == UNA_OK && o->tune) status = una_radial_priors(outcome->value, model, &rows, data, run);
    if (status == UNA_OK) status = una_outcome_take(outcome, model);

    una_model_free(model);
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    return status;
}

const una_experiment una_experiment_radial = {
    .name = "radial",
    .summary = "rows in a shell: what does a model know of its middle?",
    .title = "The Radial Uncertainty Benchmark",
    .lead = "x",
    .caption = "y",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(radial_options),
    .measures = measures,
    .entries = entries,
    .contestant = contestant,
    .plan = plan_fits,
    .measure = measure,
};
