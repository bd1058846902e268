/* SPDX-License-Identifier: MIT
 *
 * The cubic gap of the thesis: y = x^3 + N(0, 9), 50 rows in [-4, -2] and 50 in [2, 4]. Every model is fitted for
 * every seed s (data and fit both seeded by s) and asked for its epistemic std on 61 points of [-1.5, 1.5], at its
 * training rows, and beyond them, on 61 points of [-6, -4] and 61 of [4, 6]: is x^3 inside the band of ignorance, and
 * how likely are fresh rows there? The models of the first seed are kept as files, because the page draws
 * them.
 */
#include "cubic/cubic.h"

#include "bench/truth.h"
#include "data/table.h"
#include "draw/number.h"

enum { POINTS = 61, SEEDS = 10, QUICK_SEEDS = 3 };
static const double gap_from = -1.5, gap_to = 1.5, beyond_from = 4, beyond_to = 6, noise_std = 3;

typedef struct cubic_options { double seeds; } cubic_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(cubic_options),
    { .name = NULL }
};

/* In the order of the page. NLM's prior is fixed, so that only the penalty moves. */
static const una_entry entries[] = {
    { "gp", "gp(kernel=matern32, ard=no)", "" },
    { "hmc", "hmc", "hmc(width=20, chains=2, warmup=100, samples=50)" },
    { "luna", "luna", "luna(steps=500)" },
    { "tuna", "tuna", "" },
    { "nlm", "nlm(penalty=0.1, prior_var=1)", "nlm(penalty=0.1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=1, prior_var=1)", "nlm(penalty=1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=10, prior_var=1)", "nlm(penalty=10, prior_var=1, steps=500)" },
    { "mcd", "mcd", "mcd(steps=500)" },
    { "bbvi", "bbvi", "bbvi(steps=500)" },
    { "ensemble", "ensemble", "ensemble(members=3, of=nn(steps=500))" },
    { "sngp", "sngp", "sngp(steps=200)" },
    { "nn", "nn", "nn(steps=500)" },
    { "linear", "linear", "" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_CUBIC_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- plan and measures --------------------------------------------------------------------------------------- */

static una_status cubic_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const cubic_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked);
    (void)run;
    for (size_t s = 0; s < seeds; s++)
        una_plan_models(plan, asked, "cubic", "cubic", asked->first + s);
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

una_status una_cubic_measure_gap(double *value, const una_model *model, const una_dataset *data, una_run *run)
{
    double x[POINTS], mean[UNA_CUBIC_ROWS] = {0}, std[UNA_CUBIC_ROWS] = {0}, error = 0, spread;
    const double *y = una_dataset_numbers(data, 1);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };

    for (size_t i = 0; i < POINTS; i++) x[i] = gap_from + (gap_to - gap_from) * (double)i / (POINTS - 1);
    UNA_TRY(una_model_predict_rows(model, x, POINTS, 0.95, &out, run));
    una_moments(&value[UNA_CUBIC_GAP_STD], &spread, std, POINTS);
    value[UNA_CUBIC_CENTRE_STD] = std[POINTS / 2];
    value[UNA_CUBIC_RIPPLE] = una_cubic_ripple(std, POINTS);

    UNA_TRY(una_model_predict(model, data, 0.95, &out, run));
    una_moments(&value[UNA_CUBIC_DATA_STD], &spread, std, UNA_CUBIC_ROWS);
    for (size_t i = 0; i < UNA_CUBIC_ROWS; i++) error += (mean[i] - y[i]) * (mean[i] - y[i]);
    value[UNA_CUBIC_RMSE] = sqrt(error / UNA_CUBIC_ROWS);
    return UNA_OK;
}

una_status una_cubic_measure(double *value, const una_model *model, const una_dataset *data, uint64_t seed,
                             una_run *run)
{
    una_truth gap, beyond;
    una_truth_scores in_gap, outside;
    UNA_TRY(una_cubic_measure_gap(value, model, data, run));
    UNA_TRY(make_points(&gap, &beyond, seed, &run->scratch));
    UNA_TRY(una_truth_score(&in_gap, model, &gap, run));
    UNA_TRY(una_truth_score(&outside, model, &beyond, run));
    value[UNA_CUBIC_GAP_INSIDE] = in_gap.inside;
    value[UNA_CUBIC_GAP_LOG_LIK] = in_gap.log_lik;
    value[UNA_CUBIC_BEYOND_STD] = outside.std_epistemic;
    value[UNA_CUBIC_BEYOND_INSIDE] = outside.inside;
    value[UNA_CUBIC_BEYOND_LOG_LIK] = outside.log_lik;
    return UNA_OK;
}

una_status una_cubic_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run)
{
    una_fit_settings settings = { .size = sizeof settings, .target = "y" };
    UNA_TRY(una_dataset_synthetic(data, "cubic", UNA_CUBIC_ROWS, 1, key->seed, run));
    UNA_TRY(una_keep_dataset(&run->scratch, *data));
    return una_held_fit(model, key->spec, *data, &settings, run);
}

static una_status cubic_measure(const una_measuring *m)
{
    una_model *model;
    una_dataset *data;
    UNA_TRY(una_cubic_fit(&model, &data, m->key, m->run));
    UNA_TRY(una_cubic_measure(m->outcome->value, model, data, m->key->seed, m->run));
    UNA_TRY(una_outcome_take(m->outcome, model));
    return m->key->seed == m->asked->first ? una_cubic_keep(model, m) : UNA_OK;
}

/* ---- the page: a picture of each function, then the tables over the seeds --------------------------------------- */

/* ---- the tables ---------------------------------------------------------------------------------------------- */

static una_status means_table(una_page *page)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "seeds", UNA_SHEET_NUMBER, UNA_FITS, 0 },
        { "gap std", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_STD, 2 }, { "data std", UNA_SHEET_SPREAD, UNA_CUBIC_DATA_STD, 2 },
        { "gap / data", UNA_SHEET_NUMBER, UNA_OWN, 1 }, { "RMSE", UNA_SHEET_SPREAD, UNA_CUBIC_RMSE, 2 },
        { "seconds a fit", UNA_SHEET_NUMBER, UNA_CUBIC_MEASURES, 1 }, { .title = NULL } };
    una_sheet s = una_page_table(page, "means", "Over the seeds.", "Epistemic standard deviation, mean over 61 points "
            "of [\u22121.5, 1.5] (gap) and over the training rows (data), and the error at the training rows: mean "
            "\u00B1 standard deviation over the seeds, in the units of y. The noise of the data is 3.", columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        una_page_line(&s, g, una_page_title(g), columns);
        una_sheet_number(&s, una_group_mean(g, UNA_CUBIC_GAP_STD) / una_group_mean(g, UNA_CUBIC_DATA_STD),
                         1);
        una_page_cells(&s, g, columns);
    }
    una_page_heading(page, 2, "What is known, in numbers");
    return una_page_sheet(page, &s);
}

static una_status truth_table(una_page *page)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = {
        { "model", UNA_SHEET_WORDS, 0, 0 }, { "inside, gap", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_INSIDE, 2 },
        { "log-lik, gap", UNA_SHEET_SPREAD, UNA_CUBIC_GAP_LOG_LIK, 2 },
        { "std beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_STD, 2 },
        { "inside, beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_INSIDE, 2 },
        { "log-lik, beyond", UNA_SHEET_SPREAD, UNA_CUBIC_BEYOND_LOG_LIK, 2 }, { .title = NULL } };
    una_sheet s = una_page_table(page, "truth", "In the gap, and beyond the rows.", "Share of the points whose x\u00B3 "
            "is within the mean \u00B1 1.96 epistemic standard deviations, and the log-likelihood of fresh rows there: "
            "in the gap, and on [\u22126, \u22124] and [4, 6], with the mean epistemic standard deviation there.",
                                 columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));)
        una_page_line(&s, g, una_page_title(g), columns);
    una_page_heading(page, 2, "Is the truth inside?");
    return una_page_sheet(page, &s);
}

static una_status cubic_page(una_page *page)
{
    const una_findings *f = page->findings;
    const char *caption = una_phrase(page->arena,
                                     "Every model on the rows of seed %llu. All panels share their axes; bands "
                                     "may leave the frame.",
                                     (unsigned long long)page->asked->first);
    UNA_NEW(page->arena, una_cubic_panel, panels, f->group_count);
    for (size_t g = 0; g < f->group_count; g++)          /* groups are in the order of their seeds */
        panels[g] = (una_cubic_panel){ .fit = &f->fits[f->groups[g].from], .title = una_page_title(&f->groups[g]) };
    UNA_TRY(una_cubic_functions(page, "functions", panels, f->group_count, caption));
    UNA_TRY(means_table(page));
    return truth_table(page);
}

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
    .entries = entries,
    .every_kind = true,
    .results = 1,
    .plan = cubic_plan_fits,
    .measure = cubic_measure,
    .claims = una_cubic_claims,
    .claims_caption = "Each is an inequality, judged by the 95 % interval of what there is to spare, seed by seed: a "
                      "claim holds where all of it is above 0. Smoothly: the std in the middle of the gap is more than "
                      "twice that at the data, and on the 61 points it rises once and falls once, but for a ripple of "
                      "at most a tenth of its top. Beyond the rows: 61 points of [\xE2\x88\x92" "6, \xE2\x88\x92" "4] "
                      "and 61 of [4, 6]; the claims about them are not the thesis's but ours.",
    .page = cubic_page,
};
