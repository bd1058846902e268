/* SPDX-License-Identifier: MIT
 *
 * The split of doubt: does a model separate what it does not know (ignorance, which more rows remove) from what nobody
 * can know (noise)? On made-up data the true function and the true noise are known, so both can be checked:
 *   inside  share of the points at which the function is within mean +- 1.96 epistemic std: should be .95
 *   noise   predicted noise std / true noise std: larger than 1 if errors of the features count as noise
 * among the rows of a function of five inputs; in the gap and beyond the range of functions of one input; and where the
 * noise itself depends on the inputs. Log-likelihoods are per row and in units of the training targets' std. Claims
 * are about the first model of the run. The data is in split_data.c.
 */
#include "split/split.h"

#include "bench/claims.h"

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

static bool is_listed(const char *list, const char *name)
{
    size_t length;
    for (const char *item = list; (item = una_next_item(item, &length)); item += length)
        if (una_split_is_of(name, strlen(name), item, length)) return true;
    return false;
}

static void list_set(una_plan *plan, const una_split_set *set, size_t number, const una_asked *asked)
{
    const split_options *o = asked->options;
    const char *name = una_phrase(asked->keep, number > 0 ? "%s %zu" : "%s", set->name, number);
    bool usual = asked->quick ? set->quick && number <= 1 : set->seeds > 0;
    if (!name || !(*o->sets ? is_listed(o->sets, name) : usual)) return;
    size_t seeds = una_seed_count(o->seeds, set->seeds ? set->seeds : 1, 1, asked);
    for (size_t s = 0; s < seeds; s++) una_plan_models(plan, asked, "split", name, asked->first + s);
}

static una_status split_check_list(const char *list, una_run *run)
{
    size_t length;
    for (const char *item = list; (item = una_next_item(item, &length)); item += length) {
        bool known = false;
        for (const una_split_set *set = una_split_sets; set->name && !known; set++) {
            size_t own = strlen(set->name);
            known = una_split_is_of(set->name, own, item, length);
            known = known || (set->count > 0 && length == own + 2 && una_split_is_of(item, length, set->name, own) &&
                              item[own + 1] >= '1' && item[own + 1] <= (char)('0' + set->count));
        }
        if (!known)
            UNA_FAIL(run, UNA_E_USAGE, "there is no data set '%.*s' in this experiment; its sets are d5 and d20, each "
                     "n200, n600 or n2000, line with smooth, matern, cubic, sine or kinks, each 1 to 4, varying and "
                     "constant", length < 60 ? (int)length : 60, item);
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

static una_status split_take_measures(double *value, const una_model *model, const una_split_rows *rows, una_run *run)
{
    una_truth_scores fresh, gap, beyond;
    double unit = log_std(&rows->train);
    UNA_TRY(una_truth_score(&fresh, model, &rows->fresh, run));
    value[UNA_SPLIT_INSIDE] = fresh.inside;
    value[UNA_SPLIT_ERROR] = fresh.error;
    value[UNA_SPLIT_EPISTEMIC] = fresh.std_epistemic;
    value[UNA_SPLIT_NOISE_RATIO] = fresh.noise_ratio;
    value[UNA_SPLIT_COVERAGE] = fresh.coverage_95;
    value[UNA_SPLIT_LOG_LIK] = fresh.log_lik + unit;
    value[UNA_SPLIT_NOISE_ERROR] = fresh.noise_error;
    value[UNA_SPLIT_NOISE_RANGE] = fresh.noise_range;
    if (rows->gap.rows == 0) return UNA_OK;

    UNA_TRY(una_truth_score(&gap, model, &rows->gap, run));
    UNA_TRY(una_truth_score(&beyond, model, &rows->beyond, run));
    value[UNA_SPLIT_GAP_INSIDE] = gap.inside;
    value[UNA_SPLIT_GAP_LOG_LIK] = gap.log_lik + unit;
    value[UNA_SPLIT_BEYOND_INSIDE] = beyond.inside;
    value[UNA_SPLIT_BEYOND_LOG_LIK] = beyond.log_lik + unit;
    return UNA_OK;
}

static una_status split_measure(const una_measuring *m)
{
    una_split_rows rows;
    una_model *model;
    UNA_TRY(una_split_rows_make(&rows, m->key->data, m->key->seed, &m->run->scratch, m->run));
    UNA_TRY(una_truth_fit(&model, m->key->spec, &rows.train, m->run));
    UNA_TRY(split_take_measures(m->outcome->value, model, &rows, m->run));
    return una_outcome_take(m->outcome, model);
}

/* ---- claims --------------------------------------------------------------------------------------------------- */

/* Mean of a measure over the fits of a spec on the data sets whose names begin with `data`, whole words of them; NAN
 * where there are none. count (may be NULL): how many. */
static double split_pool(size_t *count, const una_findings *f, const char *spec, const char *data, size_t m)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < f->count; i++) {
        const una_row_key *key = &f->fits[i].key;
        if (strcmp(key->spec, spec) != 0) continue;
        if (!una_split_is_of(key->data, una_row_key_data(key->data), data, strlen(data))) continue;
        sum += una_findings_value(f, i, m);
        found++;
    }
    if (count) *count = found;
    return found ? sum / (double)found : NAN;
}

static const char *first_spec(const una_findings *f)
{
    return f->group_count ? una_group_key(&f->groups[0])->spec : "";
}

static una_status judge_pool(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    bool most = rule->ask[0].is == UNA_AT_MOST;
    const char *spec = first_spec(j->findings);
    size_t count;
    double mean = split_pool(&count, j->findings, spec, j->claim->data, rule->measure);
    if (count == 0) return una_judging_needs(j, "{data}");

    una_text_add(j->numbers, "%s: ", spec);
    una_judging_put(j, mean, 2, "");
    una_text_add(j->numbers, " over %zu fit%s (at %s ", count, count == 1 ? "" : "s", most ? "most" : "least");
    una_judging_put(j, rule->number, 2, " asked)");
    j->holds = most ? mean <= rule->number : mean >= rule->number;
    return UNA_OK;
}

#define LEAST(of, bound) { judge_pool, .measure = of, .number = bound }
#define MOST(of, bound) { judge_pool, .measure = of, .number = bound, .ask = { { .is = UNA_AT_MOST } } }
static const una_rule inside_80 = LEAST(UNA_SPLIT_INSIDE, 0.8), inside_70 = LEAST(UNA_SPLIT_INSIDE, 0.7),
                      inside_gap = LEAST(UNA_SPLIT_GAP_INSIDE, 0.9), inside_beyond = LEAST(UNA_SPLIT_BEYOND_INSIDE, 0.7),
                      likely_in_gap = LEAST(UNA_SPLIT_GAP_LOG_LIK, -1), noise_115 = MOST(UNA_SPLIT_NOISE_RATIO, 1.15),
                      noise_150 = MOST(UNA_SPLIT_NOISE_RATIO, 1.5), noise_found = MOST(UNA_SPLIT_NOISE_ERROR, 0.15);

/* In nine of ten fits the predicted noise varies if the true noise varies, and is constant if it is. */
static una_status judge_choice(una_judging *j)
{
    const una_findings *f = j->findings;
    size_t right = 0, count = 0;
    bool varies = strcmp(j->claim->data, "varying") == 0;
    for (size_t i = 0; i < f->count; i++) {
        const una_row_key *key = &f->fits[i].key;
        if (strcmp(key->spec, first_spec(f)) != 0 || strcmp(key->data, j->claim->data) != 0) continue;
        right += (una_findings_value(f, i, UNA_SPLIT_NOISE_RANGE) > 1 + 1e-6) == varies;
        count++;
    }
    if (count == 0) return una_judging_needs(j, "{data}");
    j->holds = 10 * right >= 9 * count;
    una_text_add(j->numbers, "%s: in %zu of %zu fits (nine of ten asked)", first_spec(f), right, count);
    return UNA_OK;
}
static const una_rule choice = { .judge = judge_choice };

static const una_claim claims[] = {
    { "5 inputs, 600 rows: the function is inside the band of ignorance", &inside_80, NULL, "d5 n600" },
    { "5 inputs, 2000 rows: the function is inside the band of ignorance", &inside_80, NULL, "d5 n2000" },
    { "20 inputs, 600 rows: the function is inside the band of ignorance", &inside_70, NULL, "d20 n600" },
    { "20 inputs, 2000 rows: the function is inside the band of ignorance", &inside_70, NULL, "d20 n2000" },
    { "5 inputs, 600 rows: ignorance is not called noise", &noise_115, NULL, "d5 n600" },
    { "5 inputs, 2000 rows: ignorance is not called noise", &noise_115, NULL, "d5 n2000" },
    { "20 inputs, 2000 rows: ignorance is not called noise", &noise_150, NULL, "d20 n2000" },
    { "Lines: the function is inside the band in the gap", &inside_gap, NULL, "line" },
    { "Lines: the log-likelihood in the gap", &likely_in_gap, NULL, "line" },
    { "Lines: the function is inside the band beyond the rows", &inside_beyond, NULL, "line" },
    { "Noise that varies tenfold is found", &noise_found, NULL, "varying" },
    { "Noise that varies is seen to vary", &choice, NULL, "varying" },
    { "Noise that is constant stays constant", &choice, NULL, "constant" },
    { .sentence = NULL }
};

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
        split_pool(&count, f, spec, data, 0);
        if (count == 0) continue;
        una_sheet_begin(sheet, split_title(f, spec));
        una_sheet_words(sheet, shown);
        una_sheet_number(sheet, (double)count, 0);
        for (const una_column *c = columns + LEADING; c->title; c++)
            una_sheet_number(sheet, split_pool(NULL, f, spec, data, c->measure), c->decimals);
    }
}

typedef struct pooled_table {
    const char *begins[2];               /* the names of its sets                                           */
    const char *whole;                   /* a first line over all sets of the first name; NULL: none        */
    const char *heading, *name, *lead, *caption;
    const una_column *columns;
} pooled_table;

static const pooled_table tables[] = {
    { { "d5", "d20" }, NULL, "Among the rows", "rows", "A function of five inputs, among 5 (d5) or 20 (d20).",
      "Inside: share of 2000 fresh points whose true function is within the mean \u00B1 1.96 epistemic std (0.95 would "
      "be right). Error of the mean, and the ignorance that is stated, in units of the function's std. Noise over the "
      "true one. Coverage and log-likelihood of y.", among_rows },
    { { "line" }, "all lines", "In a gap, and beyond the rows", "lines", "Functions of one input.",
      "100 rows in [\u22124, \u22122] and [2, 4]; the gap lies between, beyond is as wide as the gap on either side. "
      "First the share of points whose true function is in the 95 % band of ignorance, then the log-likelihood in "
      "units of the target's std.", along_lines },
    { { "varying", "constant" }, NULL, "Noise that varies", "noise", "Noise from 0.1 to 1 along the first of five "
      "inputs (varying), or 0.3 everywhere (constant).", "Mean relative error of the predicted noise std at 2000 fresh "
      "points, its largest value over its smallest (1: the model took it for constant), and its mean square against "
      "the true one.", of_noise },
};

static una_status split_put_table(una_page *page, const pooled_table *t)
{
    una_sheet sheet = una_page_table(page, t->name, t->lead, t->caption, t->columns);
    if (t->whole) pooled_rows(&sheet, page->findings, page->asked, t->begins[0], t->whole, t->columns);
    for (const una_split_set *set = una_split_sets; set->name; set++)
        for (size_t i = 0; i < 2 && t->begins[i]; i++)
            if (strncmp(set->name, t->begins[i], strlen(t->begins[i])) == 0)
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
    .claims = claims,
    .claims_lead = "What is asked of a model.",
    .claims_caption = "Of the first model alone, by the means over its fits.",
    .page = split_page,
};
