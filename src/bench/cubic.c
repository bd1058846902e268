/* SPDX-License-Identifier: MIT
 *
 * The cubic gap of the thesis: y = x^3 + N(0, 9), 50 rows in [-4, -2] and 50 in [2, 4]. Every model is fitted for
 * every seed s (data and fit both seeded by s) and asked for its epistemic std on 61 points of [-1.5, 1.5], at its
 * training rows, and beyond them, on 61 points of [-6, -4] and 61 of [4, 6]: is x^3 where the band of ignorance allows
 * it to be, and how likely are fresh rows there? The models of the first seed are kept as files, because the page draws
 * them.
 *
 * The thesis's qualitative claims as inequalities between means over the seeds:
 *   GP and HMC rise smoothly   centre std > 2 data std, and ripple <= 0.1
 *   LUNA like a GP             gap std 0.5 to 2 of the GP's, error at the rows within 10 % of the GP's
 *   TUNA like a GP             gap std >= 0.5 of the GP's
 *   MCD and BBVI too sure      gap std <  0.5 of the GP's
 *   NLM and its penalty        gap std falls strictly as the penalty grows
 * and ours:
 *   GP and LUNA beyond         std beyond the rows > 2 data std; x^3 in LUNA's band there as often as in the GP's
 * A claim holds or not by the means; in how many of the seeds it holds by itself is told beside it. Where a kind was
 * run with several specs, its first one speaks for it.
 */
#include "bench/cubic.h"

#include "bench/truth.h"
#include "data/table.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 61, SEEDS = 10, QUICK_SEEDS = 2, MOST_PENALTIES = 64 };
static const double gap_from = -1.5, gap_to = 1.5, beyond_from = 4, beyond_to = 6, noise_std = 3;
static const double rise = 2, most_ripple = 0.1, half = 0.5, twice = 2, most_error = 1.1;

typedef struct cubic_options { double seeds; } cubic_options;

static const una_option table[] = {
    { "seeds", UNA_COUNT, offsetof(cubic_options, seeds), "auto", 1, 1000, true, NULL,
      UNA_SEEDS_HELP },
    { .name = NULL }
};

/* In the order of the page. NLM's prior is fixed, so that only the penalty moves. */
const una_entry una_cubic_entries[] = {
    { "gp", "gp(kernel=matern32, ard=no)", "gp(kernel=matern32, ard=no)" },
    { "hmc", "hmc", "hmc(width=20, chains=2, warmup=100, samples=50)" },
    { "luna", "luna", "luna(steps=500)" },
    { "tuna", "tuna", "tuna" },
    { "nlm", "nlm(penalty=0.1, prior_var=1)", "nlm(penalty=0.1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=1, prior_var=1)", "nlm(penalty=1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=10, prior_var=1)", "nlm(penalty=10, prior_var=1, steps=500)" },
    { "mcd", "mcd", "mcd(steps=500)" },
    { "bbvi", "bbvi", "bbvi(steps=500)" },
    { "ensemble", "ensemble", "ensemble(members=3, of=nn(steps=500))" },
    { "sngp", "sngp", "sngp(steps=200)" },
    { "nn", "nn", "nn(steps=500)" },
    { "linear", "linear", "linear" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_CUBIC_MEASURE_ROWS, { .name = NULL } };

/* ---- plan and measures --------------------------------------------------------------------------------------- */

static una_status plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const cubic_options *o = asked->options;
    size_t seeds = UNA_IS_AUTO(o->seeds) ? asked->quick ? QUICK_SEEDS : SEEDS : (size_t)o->seeds;
    (void)run;
    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++)
            una_plan_add(plan, una_model_row_key(&asked->models[m], "cubic", "cubic", 0, asked->first + s));
    return UNA_OK;
}

double una_cubic_ripple(const double *std, size_t count)
{
    size_t top = 0;
    double worst = 0;
    for (size_t i = 1; i < count; i++)
        if (std[i] > std[top]) top = i;
    if (count == 0 || !(std[top] > 0)) return 0;

    double highest = std[0];
    for (size_t i = 0; i <= top; i++) {
        highest = fmax(highest, std[i]);
        worst = fmax(worst, highest - std[i]);
    }

    highest = std[count - 1];
    for (size_t i = count; i-- > top;) {
        highest = fmax(highest, std[i]);
        worst = fmax(worst, highest - std[i]);
    }
    return worst / std[top];
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* The 61 points of the gap, then those beyond the rows on both sides, with the function and fresh rows of that seed. */
static una_status make_points(una_truth *gap, una_truth *beyond, uint64_t seed, una_arena *arena)
{
    una_truth *both[] = { gap, beyond };
    una_rng noise = una_rng_at(seed, UNA_FOR_DATA, 1);
    UNA_TRY(una_truth_new(gap, POINTS, 1, arena));
    UNA_TRY(una_truth_new(beyond, 2 * POINTS, 1, arena));
    for (size_t i = 0; i < POINTS; i++) {
        double share = (double)i / (POINTS - 1);
        gap->x[i] = gap_from + (gap_to - gap_from) * share;
        beyond->x[POINTS + i] = beyond_from + (beyond_to - beyond_from) * share;
        beyond->x[i] = -beyond->x[POINTS + i];
    }

    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < both[t]->rows; i++) {
            double x = both[t]->x[i];
            both[t]->f[i] = x * x * x;
            both[t]->noise[i] = noise_std;
        }
        una_truth_add_noise(both[t], &noise);
    }
    return UNA_OK;
}

static una_status measure_truth(double *value, const una_model *model, uint64_t seed, una_run *run)
{
    una_truth gap, beyond;
    una_verdict in_gap, outside;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = make_points(&gap, &beyond, seed, &run->scratch);
    if (status == UNA_OK) status = una_truth_judge(&in_gap, model, &gap, run);
    if (status == UNA_OK) status = una_truth_judge(&outside, model, &beyond, run);
    if (status == UNA_OK) {
        value[UNA_CUBIC_GAP_INSIDE] = in_gap.inside;
        value[UNA_CUBIC_GAP_LOG_LIK] = in_gap.log_lik;
        value[UNA_CUBIC_BEYOND_STD] = outside.std_epistemic;
        value[UNA_CUBIC_BEYOND_INSIDE] = outside.inside;
        value[UNA_CUBIC_BEYOND_LOG_LIK] = outside.log_lik;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_cubic_measure(double *value, const una_model *model, const una_dataset *data, uint64_t seed,
                             una_run *run)
{
    double x[POINTS], mean[UNA_CUBIC_ROWS] = {0}, std[UNA_CUBIC_ROWS] = {0}, error = 0;
    const double *y = una_dataset_numbers(data, 1);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };

    for (size_t i = 0; i < POINTS; i++) x[i] = gap_from + (gap_to - gap_from) * (double)i / (POINTS - 1);
    UNA_TRY(una_model_predict_rows(model, x, POINTS, 0.95, &out, run));
    value[UNA_CUBIC_GAP_STD] = mean_of(std, POINTS);
    value[UNA_CUBIC_CENTRE_STD] = std[POINTS / 2];
    value[UNA_CUBIC_RIPPLE] = una_cubic_ripple(std, POINTS);

    UNA_TRY(una_model_predict(model, data, 0.95, &out, run));
    value[UNA_CUBIC_DATA_STD] = mean_of(std, UNA_CUBIC_ROWS);
    for (size_t i = 0; i < UNA_CUBIC_ROWS; i++) error += (mean[i] - y[i]) * (mean[i] - y[i]);
    value[UNA_CUBIC_RMSE] = sqrt(error / UNA_CUBIC_ROWS);
    return measure_truth(value, model, seed, run);
}

una_status una_cubic_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run)
{
    una_fit_settings settings = { .size = sizeof settings, .target = "y" };
    *model = NULL;
    UNA_TRY(una_dataset_synthetic(data, "cubic", UNA_CUBIC_ROWS, 1, key->seed, run));
    return una_fit(model, key->spec, *data, &settings, run);
}

static una_status measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked, una_run *run)
{
    una_model *model = NULL;
    una_dataset *data = NULL;

    una_status status = una_cubic_fit(&model, &data, key, run);
    if (status == UNA_OK) status = una_cubic_measure(outcome->value, model, data, key->seed, run);
    if (status == UNA_OK) status = una_outcome_take(outcome, model);
    if (status == UNA_OK && key->seed == asked->first) status = una_cubic_keep(model, key, asked, run);

    una_model_free(model);
    una_dataset_free(data);
    return status;
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

static double value_of(const una_findings *f, size_t fit, size_t m)
{
    return f->value[fit * f->measures + m];
}

/* The fit of a group with that seed; SIZE_MAX if there is none. */
static size_t fit_of(const una_findings *f, const una_group *group, uint64_t seed)
{
    for (size_t i = group->from; i < group->from + group->count; i++)
        if (f->fits[i].key.seed == seed) return i;
    return SIZE_MAX;
}

static void figure(una_text *text, double value)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, 2));
}

static bool rises(double centre, double data, double ripple)
{
    return centre > rise * data && ripple <= most_ripple;
}

static una_status judge_rise(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = una_findings_group(f, claim->model, NULL);
    size_t seeds = 0;
    (void)run;
    *holds = -1;
    if (!g) {
        una_text_add(text, "needs %s", claim->model);
        return UNA_OK;
    }

    double centre = una_findings_mean(f, g, UNA_CUBIC_CENTRE_STD), data = una_findings_mean(f, g, UNA_CUBIC_DATA_STD);
    double ripple = una_findings_mean(f, g, UNA_CUBIC_RIPPLE);
    for (size_t i = g->from; i < g->from + g->count; i++)
        seeds += rises(value_of(f, i, UNA_CUBIC_CENTRE_STD), value_of(f, i, UNA_CUBIC_DATA_STD),
                       value_of(f, i, UNA_CUBIC_RIPPLE));

    una_text_add(text, "std ");
    figure(text, centre);
    una_text_add(text, " in the middle of the gap, ");
    figure(text, data);
    una_text_add(text, " at the data: ratio ");
    figure(text, centre / data);
    una_text_add(text, " (more than 2 asked), ripple ");
    figure(text, ripple);
    una_text_add(text, " (at most 0.10); so in %zu of %zu seeds", seeds, g->count);
    *holds = rises(centre, data, ripple);
    return UNA_OK;
}

/* What is asked of a ratio to the GP, and in which words. */
typedef struct ask { size_t measure; const char *what; double least, below; const char *words; } ask;

static bool is_met(const ask *a, double mine, double its)
{
    return mine >= a->least * its && (isinf(a->below) || mine < a->below * its);
}

static una_status judge_share(int *holds, una_text *text, const una_claim *claim, const una_findings *f, const ask *a)
{
    const una_group *g = una_findings_group(f, claim->model, NULL), *gp = una_findings_group(f, "gp", NULL);
    size_t seeds = 0, pairs = 0;
    *holds = -1;
    if (!g || !gp) {
        una_text_add(text, "needs gp and %s", claim->model);
        return UNA_OK;
    }

    for (size_t i = g->from; i < g->from + g->count; i++) {
        size_t other = fit_of(f, gp, f->fits[i].key.seed);
        if (other == SIZE_MAX) continue;
        pairs++;
        seeds += is_met(a, value_of(f, i, a->measure), value_of(f, other, a->measure));
    }

    double mine = una_findings_mean(f, g, a->measure), its = una_findings_mean(f, gp, a->measure);
    una_text_add(text, "%s ", a->what);
    figure(text, mine);
    una_text_add(text, " against ");
    figure(text, its);
    una_text_add(text, " of the GP: share ");
    figure(text, mine / its);
    una_text_add(text, " (%s asked); so in %zu of %zu seeds", a->words, seeds, pairs);
    *holds = is_met(a, mine, its);
    return UNA_OK;
}

static una_status judge_reach(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", half, HUGE_VAL, "at least 0.50" };
    (void)run;
    return judge_share(holds, text, claim, f, &a);
}

/* Too much is untrue as well. */
static una_status judge_between(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", half, twice, "0.50 to 2.00" };
    (void)run;
    return judge_share(holds, text, claim, f, &a);
}

static una_status judge_error(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_RMSE, "error at the rows", 0, most_error, "below 1.10" };
    (void)run;
    return judge_share(holds, text, claim, f, &a);
}

static una_status judge_below(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", 0, half, "less than 0.50" };
    (void)run;
    return judge_share(holds, text, claim, f, &a);
}

static una_status judge_grows(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = una_findings_group(f, claim->model, NULL);
    size_t seeds = 0;
    (void)run;
    *holds = -1;
    if (!g) {
        una_text_add(text, "needs %s", claim->model);
        return UNA_OK;
    }

    double beyond = una_findings_mean(f, g, UNA_CUBIC_BEYOND_STD), data = una_findings_mean(f, g, UNA_CUBIC_DATA_STD);
    for (size_t i = g->from; i < g->from + g->count; i++)
        seeds += value_of(f, i, UNA_CUBIC_BEYOND_STD) > rise * value_of(f, i, UNA_CUBIC_DATA_STD);
    una_text_add(text, "std ");
    figure(text, beyond);
    una_text_add(text, " beyond the rows, ");
    figure(text, data);
    una_text_add(text, " at them (more than twice asked); so in %zu of %zu seeds", seeds, g->count);
    *holds = beyond > rise * data;
    return UNA_OK;
}

static una_status judge_beyond(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_BEYOND_INSIDE, "inside at", 1, HUGE_VAL, "at least 1.00" };
    (void)run;
    return judge_share(holds, text, claim, f, &a);
}

typedef struct penalised { double penalty, gap_std; const una_group *group; } penalised;

static int by_penalty(const void *a, const void *b)
{
    const penalised *p = a, *q = b;
    return (p->penalty > q->penalty) - (p->penalty < q->penalty);
}

static una_status penalty_of(double *penalty, const char *spec_text, una_run *run)
{
    una_spec spec;
    una_mark mark = una_arena_mark(&run->scratch);
    *penalty = NAN;
    una_status status = una_spec_parse(&spec, spec_text, &run->scratch, run);
    for (size_t i = 0; status == UNA_OK && i < spec.count; i++)
        if (strcmp(spec.items[i].key, "penalty") == 0)
            una_parse_number(spec.items[i].value, strlen(spec.items[i].value), penalty);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Whether the gap std falls along the list, which has two members or more, in the rows of one seed. */
static bool falls_in_seed(const una_findings *f, const penalised *list, size_t count, uint64_t seed)
{
    double before = INFINITY;
    for (size_t i = 0; i < count; i++) {
        size_t fit = fit_of(f, list[i].group, seed);
        if (fit == SIZE_MAX || !(value_of(f, fit, UNA_CUBIC_GAP_STD) < before)) return false;
        before = value_of(f, fit, UNA_CUBIC_GAP_STD);
    }
    return true;
}

static una_status list_penalties(penalised *list, size_t *count, const una_claim *claim, const una_findings *f,
                                 una_run *run)
{
    *count = 0;
    for (size_t g = 0; g < f->group_count && *count < MOST_PENALTIES; g++) {
        const una_group *group = &f->groups[g];
        double penalty;
        if (strcmp(group->model, claim->model) != 0) continue;
        UNA_TRY(penalty_of(&penalty, f->fits[group->from].key.spec, run));
        if (!isnan(penalty))
            list[(*count)++] = (penalised){ penalty, una_findings_mean(f, group, UNA_CUBIC_GAP_STD), group };
    }
    qsort(list, *count, sizeof *list, by_penalty);
    return UNA_OK;
}

static una_status judge_penalty(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    penalised list[MOST_PENALTIES] = { { .penalty = 0 } };
    size_t count, falls = 0;
    *holds = -1;
    UNA_TRY(list_penalties(list, &count, claim, f, run));
    if (count < 2) {
        una_text_add(text, "needs %s with two penalties or more", claim->model);
        return UNA_OK;
    }

    *holds = 1;
    una_text_add(text, "gap std ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) una_text_add(text, ", ");
        figure(text, list[i].gap_std);
        una_text_add(text, " at penalty ");
        una_text_number(text, list[i].penalty);
        if (i > 0 && !(list[i].gap_std < list[i - 1].gap_std)) *holds = 0;
    }

    const una_group *first = list[0].group;
    for (size_t i = first->from; i < first->from + first->count; i++)
        falls += falls_in_seed(f, list, count, f->fits[i].key.seed);
    una_text_add(text, "; falls in %zu of %zu seeds", falls, first->count);
    return UNA_OK;
}

static const una_claim claims[] = {
    { "The GP's epistemic std rises smoothly in the gap", judge_rise, "gp", NULL },
    { "HMC's epistemic std rises smoothly in the gap", judge_rise, "hmc", NULL },
    { "LUNA's gap std is between half and twice the GP's", judge_between, "luna", NULL },
    { "LUNA's error at the rows is within a tenth of the GP's", judge_error, "luna", NULL },
    { "TUNA reaches at least half of the GP's gap std", judge_reach, "tuna", NULL },
    { "MC dropout stays below half of the GP's gap std", judge_below, "mcd", NULL },
    { "BBVI stays below half of the GP's gap std", judge_below, "bbvi", NULL },
    { "NLM's gap std falls as its penalty grows", judge_penalty, "nlm", NULL },
    { "The GP's epistemic std rises beyond the rows", judge_grows, "gp", NULL },
    { "LUNA's epistemic std rises beyond the rows", judge_grows, "luna", NULL },
    { "Beyond the rows, LUNA's band of ignorance holds the cubic as often as the GP's", judge_beyond, "luna", NULL },
    { .sentence = NULL }
};

const una_experiment una_experiment_cubic = {
    .name = "cubic",
    .summary = "every model on a cubic function with a hole in the data: who notices the hole?",
    .title = "The cubic gap: who knows what it does not know?",
    .lead = "100 rows of y = x\xC2\xB3 with noise of standard deviation 3, none of them between \xE2\x88\x92" "2 and "
            "2. A model that knows what it does not know opens its epistemic band there, and beyond \xC2\xB1" "4.",
    .caption = "Epistemic standard deviation in the gap, at the rows and beyond them, error at the rows, and where the "
               "true function is in the 95 % band of ignorance: mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(cubic_options),
    .measures = measures,
    .entries = una_cubic_entries,
    .every_kind = true,
    .results = 1,
    .plan = plan_fits,
    .measure = measure,
    .claims = claims,
    .claims_caption = "Each is an inequality between the means over the seeds. Smoothly: the std in the middle of the "
                      "gap is more than twice that at the data, and on the 61 points it rises once and falls once, but "
                      "for a ripple of at most a tenth of its top. Beyond the rows: 61 points of [\xE2\x88\x92" "6, "
                      "\xE2\x88\x92" "4] and 61 of [4, 6]; the claims about them are not the thesis's but ours.",
    .page = una_cubic_page,
};
