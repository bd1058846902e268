/* SPDX-License-Identifier: MIT
 *
 * The Radial Uncertainty Benchmark of the thesis: rows in the shell 1 <= |x| <= 2 of one, two, three or any number of
 * inputs, y = |x| with little noise; what does a model know of the middle, where there are none? And gaps of higher
 * dimension: a disc and a ball cut out of dense data. Every model is fitted for every seed s (data and fit both seeded
 * by s) and asked for 3 epistemic std along rays from the centre, whose mean and sd over the rays are kept by radius.
 * A Gaussian process is the standard that curves are compared with. Each name of radial_entries.c has its own options
 * on each data set, chosen once by a search on seeds that are not reported:
 *   radial            the report, ten seeds from the run's on
 *   radial(tune=yes)  the search, seeds 1000 and 1001: its page says what it chose
 * Data is in radial_data.c, measures in radial_measure.c, claims in radial_claims.c, the search in radial_tune.c, the
 * page in radial_page.c.
 */
#include "radial/radial.h"

enum { SEEDS = 10, QUICK_SEEDS = 3, QUICK_DRAWS = 2, MOST_DRAWS = 1000 };
static const char study[] = "radial", search[] = "radial(tune=yes)";

static const una_option table[] = {
    { "dimensions", UNA_TEXT, offsetof(una_radial_options, dimensions), "", 0, 0, false, NULL,
      "shells by their number of inputs, and disc and ball, with commas between: 1,2,5,disc; left out: "
      "1,2,3,disc,ball; quick: 1,2" },
    { "seeds", UNA_COUNT, offsetof(una_radial_options, seeds), "auto", 1, 900, true, NULL, UNA_SEEDS_HELP },
    { "tune", UNA_FLAG, offsetof(una_radial_options, tune), "no", 0, 0, false, NULL,
      "instead of the report: search for the options of each model on each data set, on seeds 1000 and 1001" },
    { "draws", UNA_COUNT, offsetof(una_radial_options, draws), "auto", 1, 1000, true, NULL,
      "tune: specs that are tried of each model on each data set; auto: 5 to 16; quick: 2" },
    { .name = NULL }
};

#define RADII(X) UNA_TEN(X, ) UNA_TEN(X, 1) UNA_TEN(X, 2) X(30)
#define PRIORS(X) UNA_TEN(X, ) X(10) X(11) X(12) X(13) X(14)

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
                              "GP's of the same rows, radii 0 to 3", -1 },
    [UNA_RADIAL_DISTANCE_OUT] = { "distance_out", NULL, "y", "the same, radii 2 to 3 alone", -1 },
    [UNA_RADIAL_HOLE_AUROC] = { "hole_auroc", NULL, "share", "disc and ball: of the epistemic std as a detector of "
                                "points in the hole", 1 },
    [UNA_RADIAL_HOLE_INSIDE] = { "hole_inside", NULL, "share", "of the points in the hole whose true function is in "
                                 "the 95 % band of ignorance", 0 },
    [UNA_RADIAL_HOLE_LOG_LIK] = { "hole_log_lik", NULL, "nats", "of fresh rows in the hole", 1 },
#define MEAN_MEASURE(n) \
    [UNA_RADIAL_MEAN + n] = { "m_" #n, NULL, "y", "mean over rays of 3 std at radius " #n " / 10", 0 },
    RADII(MEAN_MEASURE)
#define SD_MEASURE(n) \
    [UNA_RADIAL_SD + n] = { "s_" #n, NULL, "y", "sd over rays of 3 std at radius " #n " / 10", 0 },
    RADII(SD_MEASURE)
#define PRIOR_LOG_LIK(n) [UNA_RADIAL_PRIOR_LOG_LIK + n] = { "prior_log_lik_" #n, NULL, "nats", "search only: log_lik " \
    "with number " #n " of 15 prior variances", 1 },
    PRIORS(PRIOR_LOG_LIK)
#define PRIOR_CENTRE(n) [UNA_RADIAL_PRIOR_CENTRE + n] = { "prior_centre_" #n, NULL, "y", "search only: centre with " \
    "number " #n " of 15 prior variances", 0 },
    PRIORS(PRIOR_CENTRE)
    { .name = NULL }
};

#define ENTRY(name, quick) { name, name, quick }
static const una_entry entries[] = {
    ENTRY("gp", "gp"), ENTRY("luna_data", "luna_data"), ENTRY("luna_between", "luna_between"),
    ENTRY("luna_beyond", NULL), ENTRY("luna", NULL),
    ENTRY("auto", NULL), ENTRY("nlm", "nlm"), ENTRY("tuna", "tuna"), ENTRY("sngp", "sngp"), ENTRY("ensemble", NULL),
    ENTRY("bootstrap", NULL), ENTRY("anchored", "anchored"), ENTRY("mcd", "mcd"), ENTRY("bbvi", NULL),
    ENTRY("hmc", NULL), ENTRY("nn", NULL), ENTRY("linear", NULL), { NULL, NULL, NULL }
};

/* ---- from a key to its fit -------------------------------------------------------------------------------------- */

typedef struct owned { const char *spec, *data; const una_bench_model *model; struct owned *next; } owned;

static una_status radial_begin(void **out, const una_asked *asked, una_run *run)
{
    (void)run;
    *out = UNA_GET(asked->keep, owned, 1);               /* its `next` is the first */
    return una_arena_check(asked->keep);
}

static const una_bench_model *radial_owner(const una_row_key *key, const una_asked *asked)
{
    for (const owned *o = ((const owned *)asked->shared)->next; o; o = o->next)
        if (strcmp(o->spec, key->spec) == 0 && strcmp(o->data, key->data) == 0) return o->model;
    return NULL;
}

/* Names of radial_entries.c stand for specs that depend on the data; any other name is a model as usual. */
static una_status radial_contestant(una_bench_model *model, const char *text, const una_asked *asked, una_run *run)
{
    const una_radial_entry *entry = una_radial_entry_find(text);
    if (!entry) return una_row_key_spec(&model->spec, &model->kind, &model->results, text, asked->keep, run);
    *model = (una_bench_model){ .kind = entry->name, .spec = entry->name };
    return UNA_OK;
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

static una_status add_key(una_plan *plan, const una_asked *asked, const una_bench_model *model, una_bench_model actual,
                          const char *in, const char *data, uint64_t seed)
{
    const una_experiment *e = asked->experiment;
    if (model->spec != actual.spec) actual.results += e->results;        /* an unchanged spec has it already */
    una_row_key key = una_model_row_key(&actual, in, data, 0, seed);
    owned *all = asked->shared;
    UNA_NEW(asked->keep, owned, one, 1);
    *one = (owned){ key.spec, key.data, model, all->next };
    all->next = one;
    una_plan_add(plan, key);
    return UNA_OK;
}

static una_status plan_report(una_plan *plan, const una_asked *asked, const una_radial_set *set, una_run *run)
{
    const una_radial_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked);
    if (asked->first < UNA_RADIAL_TUNE_FIRST + UNA_RADIAL_TUNE_SEEDS && asked->first + seeds > UNA_RADIAL_TUNE_FIRST)
        UNA_FAIL(run, UNA_E_USAGE, "options were chosen on seeds %d to %d, which are not reported; begin elsewhere "
                 "(--seed)", UNA_RADIAL_TUNE_FIRST, UNA_RADIAL_TUNE_FIRST + UNA_RADIAL_TUNE_SEEDS - 1);

    for (size_t m = 0; m < asked->model_count; m++) {
        const una_bench_model *model = &asked->models[m];
        const una_radial_entry *e = una_radial_entry_find(model->spec);
        una_bench_model actual = *model;
        if (e) {
            const char *text;
            UNA_TRY(una_radial_spec(&text, e, e->chosen[una_radial_tuned(set)], asked->quick, asked->keep, run));
            UNA_TRY(una_row_key_spec(&actual.spec, NULL, &actual.results, text, asked->keep, run));
        }
        for (size_t s = 0; s < seeds; s++)
            UNA_TRY(add_key(plan, asked, model, actual, study, set->name, asked->first + s));
    }
    return UNA_OK;
}

static una_status plan_search(una_plan *plan, const una_asked *asked, const una_radial_set *set, una_run *run)
{
    const una_radial_options *o = asked->options;
    for (size_t m = 0; m < asked->model_count; m++) {
        const una_bench_model *model = &asked->models[m];
        const una_radial_entry *e = una_radial_entry_find(model->spec);
        bool standard = strcmp(model->spec, "gp") == 0;
        if (!e || !(e->over || standard)) continue;
        /* no two names or data sets share a draw */
        uint64_t number = ((uint64_t)(e - una_radial_entries) * UNA_RADIAL_TUNED + una_radial_tuned(set)) * MOST_DRAWS;
        const char *base;
        UNA_TRY(una_radial_spec(&base, e, NULL, asked->quick, asked->keep, run));
        size_t usual = asked->quick ? QUICK_DRAWS : e->draws;
        size_t draws = UNA_IS_AUTO(o->draws) ? usual : (size_t)o->draws;
        for (size_t d = 0; d < (standard ? 1 : draws); d++) {
            una_bench_model actual = *model;
            if (standard) UNA_TRY(una_row_key_spec(&actual.spec, NULL, &actual.results, base, asked->keep, run));
            else UNA_TRY(una_radial_draw(&actual, base, e->over, number + d, asked->keep, run));
            for (size_t s = 0; s < UNA_RADIAL_TUNE_SEEDS; s++)
                UNA_TRY(add_key(plan, asked, model, actual, search, set->name, UNA_RADIAL_TUNE_FIRST + s));
        }
    }
    return UNA_OK;
}

/* One of the list: a number of inputs, or the name of a hole. */
static una_status find_listed(una_radial_set *set, const char *item, size_t length, una_arena *arena, una_run *run)
{
    bool number = length > 0 && strspn(item, "0123456789") >= length;
    const char *name = una_phrase(arena, "%s%.*s", number ? "radial " : "", (int)length, item);
    UNA_TRY(una_arena_check(arena));
    return una_radial_set_find(set, name, run);
}

static una_status radial_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const una_radial_options *o = asked->options;
    const char *usual = asked->quick ? "1,2" : "1,2,3,disc,ball";
    const char *list = *o->dimensions ? o->dimensions : usual;
    if (!o->tune && !UNA_IS_AUTO(o->draws))
        UNA_FAIL(run, UNA_E_USAGE, "draws are those of the search: give --tune as well, or leave --draws out");
    for (bool more = true; more;) {
        una_radial_set set;
        list += strspn(list, " ");
        size_t whole = strcspn(list, ","), length = whole;
        while (length > 0 && list[length - 1] == ' ') length--;
        UNA_TRY(find_listed(&set, list, length, asked->keep, run));
        UNA_TRY(o->tune ? plan_search(plan, asked, &set, run) : plan_report(plan, asked, &set, run));
        more = list[whole] == ',';
        list += whole + more;
    }
    if (o->tune && plan->count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is nothing to search: none of these models has options that are tuned");
    return UNA_OK;
}

/* ---- one fit ---------------------------------------------------------------------------------------------------- */

static bool searches_prior(const una_row_key *key, const una_asked *asked)
{
    const una_radial_options *o = asked->options;
    const una_bench_model *model = o->tune ? radial_owner(key, asked) : NULL;
    const una_radial_entry *entry = model ? una_radial_entry_find(model->kind) : NULL;
    return entry && entry->prior;
}

static una_status radial_measure_fit(const una_measuring *m)
{
    const una_row_key *key = m->key;
    una_run *run = m->run;
    una_radial_set set;
    una_radial_rows rows;
    una_model *model;
    UNA_TRY(una_radial_set_find(&set, key->data, run));
    UNA_TRY(una_radial_rows_make(&rows, &set, key->seed, &run->scratch, run));
    UNA_TRY(una_truth_fit(&model, key->spec, &rows.train, run));
    UNA_TRY(una_radial_measure(m->outcome->value, model, &set, &rows, key->seed, run));
    if (searches_prior(key, m->asked)) UNA_TRY(una_radial_priors(m->outcome->value, model, &rows, run));
    return una_outcome_take(m->outcome, model);
}

/* ---- comparisons between fits ----------------------------------------------------------------------------------- */

const una_group *una_radial_group(const una_findings *f, const char *name, const char *data)
{
    const una_group *group = una_findings_group(f, name, data);
    return group && strcmp(una_group_key(group)->study, study) == 0 ? group : NULL;
}

const double *una_radial_means(const una_group *group, size_t m)
{
    const una_findings *f = group->findings;
    return f->mean + (size_t)(group - f->groups) * f->measures + m;
}

/* Distances from the GP's curve of the same rows. */
static void radial_compare(double *value, const una_findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const una_group *gp = una_radial_group(f, "gp", f->fits[i].key.data);
        size_t standard = gp ? una_group_fit(gp, &f->fits[i].key) : SIZE_MAX;
        if (standard == SIZE_MAX) continue;
        double *own = value + i * f->measures;
        const double *curve = value + standard * f->measures + UNA_RADIAL_MEAN;
        own[UNA_RADIAL_DISTANCE] = una_radial_distance(own + UNA_RADIAL_MEAN, curve, 0, UNA_RADIAL_RADII - 1);
        own[UNA_RADIAL_DISTANCE_OUT] = una_radial_distance(own + UNA_RADIAL_MEAN, curve, UNA_RADIAL_EDGE,
                                                           UNA_RADIAL_RADII - 1);
    }
}

const una_experiment una_experiment_radial = {
    .name = "radial",
    .summary = "rows in a shell, none in its middle, in any number of dimensions: whose doubt is like a GP's?",
    .title = "The Radial Uncertainty Benchmark: what is known of the middle?",
    .lead = "Rows lie in the shell 1 \xE2\x89\xA4 |x| \xE2\x89\xA4 2 of one, two and three inputs, and y = |x| with "
            "noise of variance 10\xE2\x81\xBB\xE2\x81\xB5; or they fill a square or a cube but for a hole in its "
            "middle. A model that knows what it does not know is unsure in the middle and beyond the rows, equally in "
            "all directions, and smoothly.",
    .caption = "3 epistemic std at the centre, its distance from the ideal, unevenness over directions, roughness, "
               "log-likelihood and error of fresh rows, distance of the curve from the GP's: mean and sd over the "
               "seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(una_radial_options),
    .measures = measures,
    .entries = entries,
    .contestant = radial_contestant,
    .begin = radial_begin,
    .plan = radial_plan_fits,
    .owner = radial_owner,
    .measure = radial_measure_fit,
    .compare = radial_compare,
    .claims = una_radial_claims,
    .find = una_radial_find,
    .claims_lead = "Claims of the thesis, and ours.",
    .claims_caption = "Close: the distance is at most half of the GP's mean level over all radii. Nearest: than the "
                      "best other network, by the mean distance, seed by seed. Intervals are of the mean over the "
                      "seeds.",
    .page = una_radial_page,
};
