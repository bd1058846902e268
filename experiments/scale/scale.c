/* SPDX-License-Identifier: MIT
 *
 * Does an answer get better with more rows, and never worse? Models at 250, 500, 1,000 ... rows and at all rows of
 * tables, published or of one's own, and of functions that are known. All sizes of a seed are nested, and all fits of a
 * table are scored on the same test rows, so that what a step gains or loses is a paired difference.
 */
#include "scale/scale.h"

enum { SEEDS = 3, QUICK_SEEDS = 2 };

static const una_option table[] = {
    UNA_DATA_OPTION(una_scale_options),
    UNA_SETS_OPTION(una_scale_options),
    UNA_SEEDS_OPTION(una_scale_options),
    { "sizes", UNA_TEXT, offsetof(una_scale_options, sizes), "auto", 0, 0, false, NULL,
      "numbers of training rows, with commas between: 500, doublings as 250-8000 or 250-, all; auto: 250-,all, quick: "
      "250-1000" },
    { "target", UNA_TEXT, offsetof(una_scale_options, target), "", 0, 0, false, NULL,
      "column to learn, of the files named in sets; left out: the last one" },
    { "split", UNA_COUNT, offsetof(una_scale_options, split), "0", 0, 1000, false, NULL,
      "which published split has the test rows; of other data, by which number they are drawn" },
    { "test", UNA_REAL, offsetof(una_scale_options, test), "0.2", 0.01, 0.9, false, NULL,
      "share of the rows of a file that test" },
    { "rows", UNA_COUNT, offsetof(una_scale_options, rows), "16000", 100, 1e6, false, NULL,
      "training rows of a made-up function" },
    { "group", UNA_WORD, offsetof(una_scale_options, valid), "standard", 0, 0, false, "standard|valid", UNA_GROUP_HELP },
    { .name = NULL }
};

static const una_entry entries[] = {
    { "auto", "auto", "auto(luna=luna(steps=200, members=5))" },
    { "luna", "luna", "luna(steps=200, members=5)" },
    { "gp", "gp", "" },
    { "linear", "linear", "" },
    { NULL, NULL, NULL }
};

#define LOG_LIK_PART(n) { "log_lik_" #n, NULL, "nats", "mean log-likelihood of a twentieth of the test rows", 1 },
#define RMSE_PART(n) { "rmse_" #n, NULL, "y", "error at a twentieth of the test rows", -1 },
#define PARTS(X) UNA_TEN(X, 0) UNA_TEN(X, 1)

static const una_bench_measure measures[] = {
    UNA_SCALE_LIST(UNA_FIELDS)
    PARTS(LOG_LIK_PART) PARTS(RMSE_PART)
    { .name = NULL }
};

/* ---- plan -------------------------------------------------------------------------------------------------------- */

static una_status scale_begin(void **shared, const una_asked *asked, una_run *run)
{
    una_scale_tables *tables = NULL;
    una_status status = una_scale_tables_new(&tables, asked, run);
    *shared = tables;
    return status;
}

static una_status plan_table(una_plan *plan, const una_scale_table *t, const una_scale_sizes *sizes,
                             const una_asked *asked)
{
    const una_scale_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked);
    const char *study = o->valid ? "scale(group=valid)" : "scale";
    for (size_t m = 0; m < asked->model_count; m++)
        for (size_t i = 0; i < sizes->count; i++) {
            const char *data = una_scale_data(t, sizes->rows[i], asked->keep);
            UNA_TRY(una_arena_check(asked->keep));
            for (size_t s = 0; s < seeds; s++)
                una_plan_add(plan, una_model_row_key(&asked->models[m], study, data, (uint64_t)o->split,
                                                     asked->first + s));
        }
    return UNA_OK;
}

static una_status scale_plan(una_plan *plan, const una_asked *asked, una_run *run)
{
    const una_scale_options *o = asked->options;
    const una_scale_tables *tables = asked->shared;
    const char *usual = asked->quick ? "250-1000" : "250-,all";
    const char *sizes = strcmp(o->sizes, "auto") != 0 ? o->sizes : usual;
    for (const una_scale_table *t = tables->table; t < tables->table + tables->count; t++) {
        una_scale_sizes own;
        UNA_TRY(una_scale_sizes_of(&own, sizes, t->train_count, run));
        if (own.count == 0)
            UNA_FAIL(run, UNA_E_USAGE, "%s has %zu rows to train on, and all sizes asked for are larger; give smaller "
                     "ones, or all, with --sizes", t->name, t->train_count);
        UNA_TRY(plan_table(plan, t, &own, asked));
    }
    return UNA_OK;
}

/* ---- one fit ----------------------------------------------------------------------------------------------------- */

/* Part p has the test rows p, p + PARTS, p + 2 PARTS ... */
static una_status score_part(una_score *score, const una_scale_table *t, const una_model *model, size_t p, una_run *run)
{
    size_t count = 0;
    una_dataset *part;
    UNA_NEW(&run->scratch, size_t, rows, t->test_count / UNA_SCALE_PARTS + 1);
    for (size_t i = p; i < t->test_count; i += UNA_SCALE_PARTS) rows[count++] = t->test[i];
    *score = (una_score)UNA_INIT(una_score);
    UNA_TRY(una_held_part(&part, t->all, rows, count, run));
    return una_model_score(score, model, part, run);
}

static una_status score_parts(double *value, const una_scale_table *t, const una_model *model, una_run *run)
{
    double sum[UNA_SCALE_MEASURES] = {0}, square = 0, n = (double)t->test_count;
    for (size_t p = 0; p < UNA_SCALE_PARTS; p++) {
        una_score s;
        UNA_SCOPED(run, score_part(&s, t, model, p, run));
        double rows = (double)s.rows;
        value[UNA_SCALE_LOG_LIK_PART + p] = s.log_lik;
        value[UNA_SCALE_RMSE_PART + p] = s.rmse;
        square += rows * s.rmse * s.rmse;
        sum[UNA_SCALE_LOG_LIK] += rows * s.log_lik;
        sum[UNA_SCALE_COVERAGE] += rows * s.coverage_95;
        sum[UNA_SCALE_EPISTEMIC] += rows * s.mean_std_epistemic;
        sum[UNA_SCALE_NOISE] += rows * s.mean_std_noise;
    }
    value[UNA_SCALE_RMSE] = sqrt(square / n);
    value[UNA_SCALE_LOG_LIK] = sum[UNA_SCALE_LOG_LIK] / n;
    value[UNA_SCALE_COVERAGE] = sum[UNA_SCALE_COVERAGE] / n;
    value[UNA_SCALE_EPISTEMIC] = sum[UNA_SCALE_EPISTEMIC] / n;
    value[UNA_SCALE_NOISE] = sum[UNA_SCALE_NOISE] / n;
    return UNA_OK;
}

static una_status score_truth(double *value, const una_scale_table *t, const una_model *model, una_run *run)
{
    una_truth truth;
    una_truth_scores scores;
    UNA_TRY(una_scale_truth(&truth, t, run));
    UNA_TRY(una_truth_score(&scores, model, &truth, run));
    value[UNA_SCALE_INSIDE] = scores.inside;
    value[UNA_SCALE_ERROR] = scores.error;
    return UNA_OK;
}

static una_status fit_and_score(const una_measuring *m, const una_scale_table *t, size_t rows)
{
    una_fit_settings settings = { .size = sizeof settings, .target = t->target, .missing = UNA_MISSING_MEAN };
    double *value = m->outcome->value;
    una_dataset *train;
    una_model *model;
    size_t *subset;
    UNA_TRY(una_scale_subset(&subset, t, rows, m->key->seed, m->run));
    UNA_TRY(una_held_part(&train, t->all, subset, rows, m->run));
    UNA_TRY(una_held_fit(&model, m->key->spec, train, &settings, m->run));
    UNA_TRY(una_outcome_take(m->outcome, model));
    UNA_TRY(score_parts(value, t, model, m->run));
    return t->known.rows ? score_truth(value, t, model, m->run) : UNA_OK;
}

/* A fit that fails numerically has no numbers, and concerns this model at this size only. One that lacks memory may do
 * with more, so it has no row. */
static una_status forgive(una_status status, const una_measuring *m)
{
    char why[sizeof m->run->message];
    const char *who = una_row_key_describe(m->key, &m->run->scratch);
    memcpy(why, m->run->message, sizeof why);
    if (status == UNA_E_MEMORY)
        return una_fail(m->run, status, "%.200s: %.600s; rows made so far are kept: give smaller --sizes, or --models "
                        "without it", who, why);
    if (status != UNA_E_NUMERIC) return status;
    una_log(m->run, UNA_LOG_WARNING, "%s gave no score: %s", who, why);
    una_clear_message(m->run);
    for (size_t i = UNA_SCALE_LOG_LIK; i < UNA_SCALE_MEASURES; i++) m->outcome->value[i] = NAN;
    if (!m->outcome->options) m->outcome->options = una_arena_text(m->outcome->arena, m->key->spec);
    return una_arena_check(m->outcome->arena);
}

static una_status scale_measure(const una_measuring *m)
{
    size_t rows;
    const una_scale_table *t = una_scale_table_of(&rows, m->asked->shared, m->key->data);
    if (!t) UNA_FAIL(m->run, UNA_E_INPUT, "there is no table %s", m->key->data);
    m->outcome->value[UNA_SCALE_ROWS] = (double)rows;
    m->outcome->value[UNA_SCALE_TEST_ROWS] = (double)t->test_count;
    una_status status = fit_and_score(m, t, rows);
    return status == UNA_OK ? status : forgive(status, m);
}

const una_experiment una_experiment_scale = {
    .name = "scale",
    .summary = "does an answer get better with more rows, and never worse?",
    .title = "More rows, better answers?",
    .lead = "Models at more and more rows of the same tables. The rows of a size are among those of every larger one, "
            "and the test rows are always the same.",
    .caption = "Log-likelihood, error and coverage of the 95 % band at the test rows, and the share of them whose true "
               "function, where it is known, is in the band of ignorance: mean and sd over the seeds, by table and "
               "number of training rows",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(una_scale_options),
    .measures = measures,
    .entries = entries,
    .begin = scale_begin,
    .end = una_result_free,
    .plan = scale_plan,
    .measure = scale_measure,
    .list_claims = una_scale_claims,
    .claims_lead = "What more rows must not cost.",
    .claims_caption = "A step is from one size to the next. It is a fall if it costs more than 0.01 nats a row and two "
                      "paired standard errors, over the seeds and the test rows. Models are compared in the same way, "
                      "size by size.",
    .page = una_scale_page,
};
