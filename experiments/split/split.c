/* SPDX-License-Identifier: MIT
 *
 * The split of doubt: does a model separate what it does not know (ignorance, which more rows remove) from what nobody
 * can know (noise)? On made-up data the true function and the true noise are known, so both can be checked:
 *   inside  share of the points at which the function is within mean +- 1.96 epistemic std: should be .95
 *   noise   predicted noise std / true noise std: larger than 1 if errors of the features count as noise
 * among the rows of a function of five inputs; in the gap and beyond the range of functions of one input; and where the
 * noise itself depends on the inputs; and on sets that are run where they are asked for: many functions, outliers, rows
 * that belong together, holes, updates. Log-likelihoods are per row and in units of the training targets' std. Claims
 * are about the first model of the run, and in split_claims.c. The data sets are in split_data.c.
 */
#include "split/split.h"

typedef struct split_options { double seeds; const char *sets; } split_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(split_options),
    UNA_SETS_OPTION(split_options),
    { .name = NULL }
};

/* The sampler's own budget is meant for fewer rows. */
static const una_entry entries[] = {
    { "auto", "auto", "auto(luna=luna(steps=500))" },
    { "luna", "luna", "luna(steps=500)" },
    { "gp", "gp", "" },
    { "nlm", "nlm", "nlm(steps=500)" },
    { "ensemble", "ensemble", "ensemble(members=3, of=nn(steps=500))" },
    { "tuna", "tuna", "" },
    { "mcd", "mcd", "mcd(steps=500)" },
    { "bbvi", "bbvi", "bbvi(steps=500)" },
    { "sngp", "sngp", "sngp(steps=200)" },
    { "nn", "nn", "nn(steps=500)" },
    { "hmc", "hmc(width=20, chains=2, warmup=200, samples=100)", "hmc(width=10, chains=2, warmup=50, samples=20)" },
    { "linear", "linear", "" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_SPLIT_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- which data sets ------------------------------------------------------------------------------------------ */

static void list_set(una_plan *plan, const una_split_set *set, size_t number, const una_asked *asked)
{
    const split_options *o = asked->options;
    const char *name = una_phrase(asked->keep, number > 0 ? "%s %zu" : "%s", set->name, number);
    bool usual = set->when & (asked->quick ? UNA_SPLIT_QUICK : UNA_SPLIT_USUAL) && !(asked->quick && number > 1);
    if (!name || !(*o->sets ? una_split_is_listed(o->sets, name, strlen(name)) : usual)) return;
    size_t seeds = una_seed_count(o->seeds, set->seeds, 1, asked);
    for (size_t s = 0; s < seeds; s++) una_plan_models(plan, asked, "split", name, asked->first + s);
}

/* Names the set or the beginning of its name, or one of several by its number. */
static bool names_set(const una_split_set *set, const char *item, size_t length)
{
    size_t own = strlen(set->name);
    return una_split_is_of(set->name, own, item, length) ||
           (set->count > 0 && length == own + 2 && una_split_is_of(item, length, set->name, own) &&
            item[own + 1] >= '1' && item[own + 1] <= (char)('0' + set->count));
}

static const char *list_names(una_arena *arena)
{
    una_text text = una_text_in(arena);
    for (const una_split_set *set = una_split_sets; set->name; set++) {
        una_text_add(&text, "%s%s", set == una_split_sets ? "" : ", ", set->name);
        if (set->count > 0) una_text_add(&text, " 1 to %zu", set->count);
    }
    return text.at;
}

static una_status split_check_list(const char *list, una_run *run)
{
    size_t length;
    for (const char *item = list; (item = una_next_item(item, &length)); item += length) {
        const una_split_set *set = una_split_sets;
        while (set->name && !names_set(set, item, length)) set++;
        if (!set->name)
            UNA_FAIL(run, UNA_E_USAGE, "there is no data set '%.*s' in this experiment; its sets are %s, and a "
                     "beginning such as line or cell n60 means all that begin so", length < 60 ? (int)length : 60, item,
                     list_names(&run->scratch));
    }
    return UNA_OK;
}

static una_status split_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const split_options *o = asked->options;
    UNA_TRY(split_check_list(o->sets, run));
    for (const una_split_set *set = una_split_sets; set->name; set++)
        for (size_t i = set->count ? 1 : 0; i <= set->count; i++) list_set(plan, set, i, asked);
    return una_arena_check(asked->keep);
}

/* ---- one fit -------------------------------------------------------------------------------------------------- */

static double log_std(const una_truth *t)
{
    double sum = 0, square = 0, n = (double)t->rows;
    for (size_t i = 0; i < t->rows; i++) sum += t->y[i];
    for (size_t i = 0; i < t->rows; i++) square += (t->y[i] - sum / n) * (t->y[i] - sum / n);
    return log(square / n) / 2;
}

static una_status take_fresh(double *value, const una_model *model, const una_truth *rows, double unit, una_run *run)
{
    una_truth_scores fresh;
    UNA_TRY(una_truth_score(&fresh, model, rows, run));
    value[UNA_SPLIT_INSIDE] = fresh.inside;
    value[UNA_SPLIT_Z2] = fresh.z2;
    value[UNA_SPLIT_ERROR] = fresh.error;
    value[UNA_SPLIT_EPISTEMIC] = fresh.std_epistemic;
    value[UNA_SPLIT_NOISE_RATIO] = fresh.noise_ratio;
    value[UNA_SPLIT_SCALE_RATIO] = fresh.scale_ratio;
    value[UNA_SPLIT_COVERAGE] = fresh.coverage_95;
    value[UNA_SPLIT_CLEAN_COVERAGE] = fresh.clean_coverage;
    value[UNA_SPLIT_LOUD_COVERAGE] = fresh.loud_coverage;
    value[UNA_SPLIT_LOG_LIK] = fresh.log_lik + unit;
    value[UNA_SPLIT_NOISE_ERROR] = fresh.noise_error;
    value[UNA_SPLIT_NOISE_RANGE] = fresh.noise_range;
    return UNA_OK;
}

static una_status take_elsewhere(double *value, const una_model *model, const una_split_rows *rows, double unit,
                                 una_run *run)
{
    una_truth_scores scores;
    if (rows->gap.rows > 0) {
        UNA_TRY(una_truth_score(&scores, model, &rows->gap, run));
        value[UNA_SPLIT_GAP_INSIDE] = scores.inside;
        value[UNA_SPLIT_GAP_Z2] = scores.z2;
        value[UNA_SPLIT_GAP_LOG_LIK] = scores.log_lik + unit;
    }
    if (rows->beyond.rows == 0) return UNA_OK;
    UNA_TRY(una_truth_score(&scores, model, &rows->beyond, run));
    value[UNA_SPLIT_BEYOND_INSIDE] = scores.inside;
    value[UNA_SPLIT_BEYOND_Z2] = scores.z2;
    value[UNA_SPLIT_BEYOND_LOG_LIK] = scores.log_lik + unit;
    return UNA_OK;
}

static una_status split_measure(const una_measuring *m)
{
    una_split_rows rows;
    una_model *model;
    double *value = m->outcome->value;
    UNA_TRY(una_split_rows_make(&rows, m->key->data, m->key->seed, &m->run->scratch, m->run));
    double unit = log_std(&rows.train);
    UNA_TRY(una_truth_fit(&model, m->key->spec, &rows.train, m->run));
    const una_fit_info *info = una_model_info(model);
    if (info->valid_rows > 0) value[UNA_SPLIT_CLAIMED] = info->valid_log_lik + unit;
    if (rows.added.rows > 0) UNA_TRY(una_split_update_model(&value[UNA_SPLIT_WARNED], model, &rows.added, m->run));
    UNA_TRY(take_fresh(value, model, &rows.fresh, unit, m->run));
    if (rows.added.rows == 0) value[UNA_SPLIT_OVERCLAIM] = value[UNA_SPLIT_CLAIMED] - value[UNA_SPLIT_LOG_LIK];
    UNA_TRY(take_elsewhere(value, model, &rows, unit, m->run));
    return una_outcome_take(m->outcome, model);
}

/* ---- the page: five inputs, lines, noise that varies; data that was not run has no table ------------------------ */

#define FITTED                                                                                                         \
    { "model", UNA_SHEET_WORDS, 0, 0 }, { "data", UNA_SHEET_WORDS, 0, 0 },                                             \
    {                                                                                                                  \
        "fits", UNA_SHEET_NUMBER, UNA_OWN, 0                                                                           \
    }
#define MEAN(measure, head)                                                                                            \
    {                                                                                                                  \
        head, UNA_SHEET_NUMBER, UNA_SPLIT_##measure, 2                                                                 \
    }
enum { LEADING = 3 }; /* columns of FITTED */

static const una_column among_rows[] = { FITTED,
                                         MEAN(INSIDE, "Inside"),
                                         MEAN(ERROR, "Error"),
                                         MEAN(EPISTEMIC, "Ignorance"),
                                         MEAN(NOISE_RATIO, "Noise / true"),
                                         MEAN(COVERAGE, "Cover 95"),
                                         MEAN(LOG_LIK, "Log-lik"),
                                         MEAN(MEASURES, "Seconds a fit"),
                                         { .title = NULL } };
static const una_column along_lines[] = {
    FITTED, MEAN(INSIDE, "Inside"), MEAN(GAP_INSIDE, "In the gap"), MEAN(BEYOND_INSIDE, "Beyond"),
    MEAN(LOG_LIK, "Log-lik"), MEAN(GAP_LOG_LIK, "Log-lik in the gap"), MEAN(BEYOND_LOG_LIK, "Log-lik beyond"),
    MEAN(MEASURES, "Seconds a fit"), { .title = NULL }
};
static const una_column of_noise[] = {
    FITTED, MEAN(NOISE_ERROR, "Noise error"), MEAN(NOISE_RANGE, "Largest / smallest"),
    MEAN(NOISE_RATIO, "Noise / true"), MEAN(LOG_LIK, "Log-lik"), MEAN(MEASURES, "Seconds a fit"), { .title = NULL }
};

static const una_column in_cells[] = { FITTED, MEAN(INSIDE, "Inside"), MEAN(Z2, "z\u00B2"), MEAN(ERROR, "Error"),
                                       MEAN(EPISTEMIC, "Ignorance"), MEAN(SCALE_RATIO, "Scale / true"),
                                       MEAN(COVERAGE, "Cover 95"), MEAN(LOG_LIK, "Log-lik"),
                                       MEAN(OVERCLAIM, "Claimed more"), MEAN(MEASURES, "Seconds a fit"),
                                       { .title = NULL } };
static const una_column of_odd_noise[] = { FITTED, MEAN(ERROR, "Error"), MEAN(NOISE_RATIO, "Noise / true"),
                                           MEAN(SCALE_RATIO, "Scale / true"), MEAN(COVERAGE, "Cover 95"),
                                           MEAN(CLEAN_COVERAGE, "Without outliers"), MEAN(LOUD_COVERAGE, "Loud third"),
                                           MEAN(LOG_LIK, "Log-lik"), MEAN(MEASURES, "Seconds a fit"),
                                           { .title = NULL } };
static const una_column in_holes[] = { FITTED, MEAN(INSIDE, "Inside"), MEAN(GAP_INSIDE, "In the hole"),
                                       MEAN(GAP_Z2, "z\u00B2 there"), MEAN(LOG_LIK, "Log-lik"),
                                       MEAN(GAP_LOG_LIK, "In the hole"), MEAN(MEASURES, "Seconds a fit"),
                                       { .title = NULL } };
static const una_column beyond_range[] = { FITTED, MEAN(INSIDE, "Inside"), MEAN(BEYOND_INSIDE, "Beyond"),
                                           MEAN(BEYOND_Z2, "z\u00B2 there"), MEAN(LOG_LIK, "Log-lik"),
                                           MEAN(BEYOND_LOG_LIK, "Beyond"), MEAN(MEASURES, "Seconds a fit"),
                                           { .title = NULL } };
static const una_column of_updates[] = { FITTED, MEAN(WARNED, "Warned"), MEAN(COVERAGE, "Cover 95"),
                                         MEAN(INSIDE, "Inside"), MEAN(ERROR, "Error"), MEAN(LOG_LIK, "Log-lik"),
                                         MEAN(MEASURES, "Seconds a fit"), { .title = NULL } };

static const char *split_title(const una_findings *f, const char *spec)
{
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        if (strcmp(una_group_key(g)->spec, spec) == 0) return una_page_title(g);
    return spec;
}

/* One row for each model: means over all fits to data of that name. */
static void pooled_rows(una_sheet *sheet, const una_findings *f, const una_asked *asked, const char *data,
                        const char *shown, const una_column *columns)
{
    for (size_t m = 0; m < asked->model_count; m++) {
        const char *spec = asked->models[m].spec;
        size_t count;
        una_split_pool(&count, f, spec, data, 0);
        if (count == 0) continue;
        una_sheet_begin(sheet, split_title(f, spec));
        una_sheet_words(sheet, shown);
        una_sheet_number(sheet, (double)count, 0);
        for (const una_column *c = columns + LEADING; c->title; c++)
            una_sheet_number(sheet, una_split_pool(NULL, f, spec, data, c->measure), c->decimals);
    }
}

typedef struct pooled_table {
    const char *sets;                    /* a list, as of una_split_is_listed                               */
    const char *whole;                   /* a first line over all of them; NULL: none                       */
    const char *heading, *name, *lead, *caption;
    const una_column *columns;
} pooled_table;

static const pooled_table tables[] = {
    { "d5, d20", NULL, "Among the rows", "rows", "A function of five inputs, among 5 (d5) or 20 (d20).",
      "Inside: share of 2000 fresh points whose true function is within the mean \u00B1 1.96 epistemic std (0.95 would "
      "be right). Error of the mean, and the ignorance that is stated, in units of the function's std. Noise over the "
      "true one. Coverage and log-likelihood of y.", among_rows },
    { "line", "all lines", "In a gap, and beyond the rows", "lines", "Functions of one input.",
      "100 rows in [\u22124, \u22122] and [2, 4]; the gap lies between, beyond is as wide as the gap on either side. "
      "First the share of points whose true function is in the 95 % band of ignorance, then the log-likelihood in "
      "units of the target's std.", along_lines },
    { "varying, constant", NULL, "Noise that varies", "noise", "Noise from 0.1 to 1 along the first of five "
      "inputs (varying), or 0.3 everywhere (constant).", "Mean relative error of the predicted noise std at 2000 fresh "
      "points, its largest value over its smallest (1: the model took it for constant), and its mean square against "
      "the true one.", of_noise },
    { "cell, wide, pure noise, small, half zeros, shares", NULL, "Many functions", "cells", "Another function in each "
      "seed.", "As among the rows. z\u00B2: mean square of the error of the mean over the epistemic std (1 would be "
      "right). Scale of the noise over the true one. The log-likelihood that the fit claims, less that of fresh rows.",
      in_cells },
    { "outliers, clean, heavy, expab", NULL, "Outliers, heavy tails and loud corners", "tails", "Two of a hundred rows "
      "are outliers (clean: the same rows without them), noise is Student's t, or its std is 0.25 exp(x1 x2).",
      "Error of the mean. Noise and its scale, which has no outliers, over the true ones. Coverage of all rows, of "
      "those without an outlier, and of the third with the largest noise.", of_odd_noise },
    { "copies, near copies, groups, " UNA_SPLIT_KNOWN_GROUPS, NULL, "Rows that belong together", "copies",
      "Five rows for each of 60 subjects, or ten for each of 30.", "As of many functions, for new subjects.", in_cells },
    { "beyond", NULL, "Beyond the range", "beyond", "Trends of one input, or five, asked at up to twice the range.",
      "Share of points whose true function is in the 95 % band of ignorance, z\u00B2 and log-likelihood.",
      beyond_range },
    { "disc, ball, shell2, shell3", NULL, "In closed holes", "holes", "Smooth functions of two inputs or three without "
      "the rows of a ball or shell.", "Share of points whose true function is in the 95 % band of ignorance, z\u00B2 "
      "and log-likelihood.", in_holes },
    { "update", NULL, "After an update", "updates", "200 rows are fitted, then come others, of the same law or not.",
      "Share of updates that gave a warning; coverage, inside, error and log-likelihood of fresh rows of the new law.",
      of_updates },
};

static una_status split_put_table(una_page *page, const pooled_table *t)
{
    una_sheet sheet = una_page_table(page, t->name, t->lead, t->caption, t->columns);
    if (t->whole) pooled_rows(&sheet, page->findings, page->asked, t->sets, t->whole, t->columns);
    for (const una_split_set *set = una_split_sets; set->name; set++)
        if (una_split_is_listed(t->sets, set->name, strlen(set->name)))
            pooled_rows(&sheet, page->findings, page->asked, set->name, set->name, t->columns);
    if (sheet.lines == 0) return una_arena_check(sheet.arena);
    una_page_heading(page, 2, t->heading);
    return una_page_sheet(page, &sheet);
}

static una_status split_page(una_page *page)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        UNA_TRY(split_put_table(page, &tables[i]));
    return UNA_OK;
}

const una_experiment una_experiment_split = {
    .name = "split",
    .summary = "made-up data whose function and noise are known: is ignorance told from noise?",
    .title = "The split of doubt: ignorance or noise?",
    .lead = "A model's doubt has two parts: what it does not know, which more rows would cure, and noise, which "
            "nothing cures. Here the true function and the true noise are known, so both parts can be checked.",
    .caption = "Share of points whose true function is in the 95 % band of ignorance, noise over the true one, "
               "log-likelihood; for lines also in the gap and beyond the rows: mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(split_options),
    .measures = measures,
    .entries = entries,
    .every_kind = true,
    .plan = split_plan_fits,
    .measure = split_measure,
    .claims = una_split_claims,
    .claims_lead = "What is asked of a model.",
    .claims_caption = "Of the first model alone, by the means over its fits.",
    .page = split_page,
};
