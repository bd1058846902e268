/* SPDX-License-Identifier: MIT
 *
 * Uncertainty by hand: TUNA's pseudo-data on the cubic gap, y = x^3 + N(0, 9), 50 rows in [-4, -2] and 50 in [2, 4].
 * Two heads fit the rows and seven pseudo points of the gap, x = -1.5 to 1.5, one with the target s/2 there, the other
 * with -s/2. Equal targets (s = 0) mean that the gap has no surprise, spread targets that it may have one. So the
 * epistemic std in the gap must rise with s, from below that of the same network without pseudo-data to above it. Noise
 * and prior variance are fixed (the true 3, and 1), so that only the features change.
 * A key has the spread in its data, because pseudo points are data; specs name the model alone.
 * The page is in pseudo_page.c.
 */
#include "pseudo/pseudo.h"

#include "bench/claims.h"
#include "cubic/cubic.h"

enum { SEEDS = 10, QUICK_SEEDS = 5 };
static const double gap_from = -1.5, gap_to = 1.5;
static const char with_spread[] = "cubic spread ";

typedef struct pseudo_options { double seeds; const char *spreads; } pseudo_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(pseudo_options),
    { "spreads", UNA_TEXT, offsetof(pseudo_options, spreads), "0,5,10,20,40,80", 0, 0, false, NULL,
      "distances between the two heads' targets at the pseudo points, in the units of y, with commas between" },
    { .name = NULL }
};

/* The NLM is the network of TUNA without pseudo-data: its objective weighs squares by 1/0.18 more, so its penalty is
 * the same one. */
static const una_entry entries[] = {
    { "tuna", "tuna(penalty=0.03, rate=0.01, steps=20000, noise_std=3, prior_var=1)",
      "tuna(penalty=0.03, rate=0.01, steps=20000, noise_std=3, prior_var=1)" },
    { "nlm", "nlm(members=1, penalty=0.1667, noise_std=3, prior_var=1)",
      "nlm(members=1, penalty=0.1667, noise_std=3, prior_var=1)" },
    { "gp", "gp(kernel=matern32, ard=no)", "gp(kernel=matern32, ard=no)" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_PSEUDO_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- plan ---------------------------------------------------------------------------------------------------- */

double una_pseudo_point(size_t i)
{
    return gap_from + (gap_to - gap_from) * (double)i / (UNA_PSEUDO_POINTS - 1);
}

/* "0,5,10" in order; none twice. */
static una_status read_spreads(double *spread, size_t *count, const char *text, una_run *run)
{
    *count = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        double value = NAN;
        bool read = una_parse_number(at, strcspn(at, ","), &value);
        if (!read || !(value >= 0 && value <= 1e6) || *count == UNA_PSEUDO_MOST)
            UNA_FAIL(run, UNA_E_USAGE, "spreads=%.80s: give 1 to %d numbers from 0 to a million with commas between, "
                     "as in 0,5,10", text, (int)UNA_PSEUDO_MOST);
        spread[(*count)++] = value;
    }
    qsort(spread, *count, sizeof *spread, una_by_number);
    for (size_t i = 1; i < *count; i++)
        if (spread[i] == spread[i - 1]) UNA_FAIL(run, UNA_E_USAGE, "spreads=%.80s: a spread stands there twice", text);
    return UNA_OK;
}

static una_status pseudo_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const pseudo_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked), count = 0;
    double spread[UNA_PSEUDO_MOST];
    const char *data[UNA_PSEUDO_MOST];
    UNA_TRY(read_spreads(spread, &count, o->spreads, run));
    for (size_t i = 0; i < count; i++) {
        una_text name = una_text_in(asked->keep);
        una_text_add(&name, "%s", with_spread);
        una_text_number(&name, spread[i]);
        data[i] = name.at;
    }
    UNA_TRY(una_arena_check(asked->keep));

    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++) {
            const una_bench_model *model = &asked->models[m];
            bool pseudo = strcmp(model->kind, "tuna") == 0;
            for (size_t i = 0; i < (pseudo ? count : 1); i++)
                una_plan_add(plan, una_model_row_key(model, "pseudo", pseudo ? data[i] : "cubic", 0, asked->first + s));
        }
    return UNA_OK;
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

double una_pseudo_spread(const una_row_key *key)
{
    double spread = NAN;
    const char *number = key->data + strlen(with_spread);
    if (strncmp(key->data, with_spread, strlen(with_spread)) == 0) una_parse_number(number, strlen(number), &spread);
    return spread;
}

una_status una_pseudo_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run)
{
    double spread = una_pseudo_spread(key);
    una_text rows = una_text_in(&run->scratch);
    una_text_add(&rows, "pseudo_rows=\"x,high,low");
    for (size_t i = 0; i < UNA_PSEUDO_POINTS; i++) {
        double cell[] = { una_pseudo_point(i), spread / 2, 0 - spread / 2 };
        for (size_t j = 0; j < 3; j++) {
            una_text_add(&rows, "%s", j ? "," : "; ");
            una_text_number(&rows, cell[j]);
        }
    }
    una_text_add(&rows, "\"");

    const char *set[] = { rows.at };
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .set = set,
                                  .set_count = isnan(spread) ? 0u : 1u };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_dataset_synthetic(data, "cubic", UNA_PSEUDO_ROWS, 1, key->seed, run));
    UNA_TRY(una_keep_dataset(&run->scratch, *data));
    return una_held_fit(model, key->spec, *data, &settings, run);
}

static una_status pseudo_measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked, una_run *run)
{
    una_model *model;
    una_dataset *data;
    double cubic[UNA_CUBIC_MEASURES];
    (void)asked;
    outcome->value[UNA_PSEUDO_SPREAD] = una_pseudo_spread(key);
    UNA_TRY(una_pseudo_fit(&model, &data, key, run));
    UNA_TRY(una_cubic_measure_gap(cubic, model, data, run));
    outcome->value[UNA_PSEUDO_GAP_STD] = cubic[UNA_CUBIC_GAP_STD];
    outcome->value[UNA_PSEUDO_CENTRE_STD] = cubic[UNA_CUBIC_CENTRE_STD];
    outcome->value[UNA_PSEUDO_DATA_STD] = cubic[UNA_CUBIC_DATA_STD];
    outcome->value[UNA_PSEUDO_RMSE] = cubic[UNA_CUBIC_RMSE];
    return una_outcome_take(outcome, model);
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

void una_pseudo_groups(una_pseudo_list *list, const una_findings *f)
{
    const char *spec = NULL;
    list->count = 0;
    for (size_t g = 0; g < f->group_count && list->count < UNA_PSEUDO_MOST; g++) {
        const una_row_key *key = &f->fits[f->groups[g].from].key;
        double spread = una_pseudo_spread(key);
        if (isnan(spread) || (spec && strcmp(spec, key->spec) != 0)) continue;
        spec = key->spec;
        list->spread[list->count] = spread;              /* in the order of the plan, which is theirs */
        list->group[list->count++] = &f->groups[g];
    }
}

static bool rises(const una_findings *f, const una_pseudo_list *list, const una_row_key *key)
{
    double before = -HUGE_VAL;
    for (size_t i = 0; i < list->count; i++) {
        size_t fit = una_findings_fit(f, list->group[i], key);
        double std = fit == SIZE_MAX ? NAN : una_findings_value(f, fit, UNA_PSEUDO_GAP_STD);
        if (!(std > before)) return false;
        before = std;
    }
    return true;
}

static una_status judge_rise(una_judging *j)
{
    const una_findings *f = j->findings;
    una_pseudo_list list;
    size_t hits = 0;
    char number[UNA_NUMBER_ROOM];
    una_pseudo_groups(&list, f);
    if (list.count < 2) return una_judging_needs(j, "tuna with two spreads or more");

    const una_group *first = list.group[0];
    for (size_t i = first->from; i < first->from + first->count; i++) hits += rises(f, &list, &f->fits[i].key);
    una_share share = una_share_of(hits, first->count);
    j->holds = una_share_least(&share, 1);
    una_text_add(j->numbers, "rises all the way in ");
    una_share_put(j->numbers, &share);
    una_text_add(j->numbers, "; mean gap std ");
    for (size_t i = 0; i < list.count; i++) {
        if (i) una_text_add(j->numbers, ", ");
        una_judging_put(j, una_findings_mean(f, list.group[i], UNA_PSEUDO_GAP_STD), 2, " at ");
        una_text_add(j->numbers, "%s", una_number_brief(number, list.spread[i], 6));
    }
    return UNA_OK;
}

/* Pseudo-data with "equal" targets or the most "spread" ones; any other name is a model without pseudo-data. */
static una_status pseudo_find(const una_group **group, una_judging *j, const char *name)
{
    una_pseudo_list list;
    una_pseudo_groups(&list, j->findings);
    size_t last = list.count ? list.count - 1 : 0;
    bool equal = strcmp(name, "equal") == 0, spread = strcmp(name, "spread") == 0;
    *group = NULL;
    if (!equal && !spread) *group = una_findings_group(j->findings, name, "cubic");
    else if (list.count && equal == !(list.spread[equal ? 0 : last] > 0)) *group = list.group[equal ? 0 : last];
    return UNA_OK;
}

/* Against the network without pseudo-data. */
#define AGAINST(its, asked, more)                                                                                    \
    .needs = "{name}, and tuna with " asked,                                                                         \
    .says = "gap std {" its ":gap_std} at spread {" its ":spread, brief 6}, {gap_std} without pseudo-data; " more    \
            " by {margin}"
static const una_rule rise = { .judge = judge_rise },
                      shrinks = { AGAINST("equal", "spread 0", "less"), .ask = { { "gap_std", "equal:gap_std" } } },
                      widens = { AGAINST("spread", "a spread above 0", "more"),
                                 .ask = { { "spread:gap_std", "gap_std" } } };

static const una_claim claims[] = {
    { "The epistemic std in the gap rises with the spread of the pseudo-data", &rise, "tuna", NULL },
    { "Equal targets shrink the gap's uncertainty", &shrinks, "nlm", NULL },
    { "Spread targets widen the gap's uncertainty", &widens, "nlm", NULL },
    { .sentence = NULL }
};

const una_experiment una_experiment_pseudo = {
    .name = "pseudo",
    .summary = "uncertainty by hand: do pseudo-data shrink and widen what a model does not know in a gap?",
    .title = "Uncertainty by hand",
    .lead = "100 rows of y = x\xC2\xB3 with noise of standard deviation 3, none of them between \xE2\x88\x92" "2 and "
            "2. Two heads of TUNA also fit seven pseudo points in the gap, with targets that are equal or spread "
            "apart: a person's way to say how much may happen there.",
    .caption = "Epistemic standard deviation in the gap, in its middle and at the rows, and the error at the rows: "
               "mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(pseudo_options),
    .measures = measures,
    .entries = entries,
    .plan = pseudo_plan_fits,
    .measure = pseudo_measure,
    .claims = claims,
    .find = pseudo_find,
    .claims_caption = "Without pseudo-data: the same network trained on the rows alone (nlm), with the same noise and "
                      "prior variance. Rising: strictly, from every spread to the next, in every seed. The other two "
                      "are paired over the seeds: smallest spread (0) and largest against none.",
    .page = una_pseudo_page,
};
