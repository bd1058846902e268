/* SPDX-License-Identifier: MIT
 *
 * Two targets of one input, fitted jointly and separately: what does one learn from the other? 100 rows of x in
 * [-4, 4], noise 0.5. Three laws:
 *   related       b = 3 sin(1.5 x), a = 2 b + x^2/4 - x; the cells of a are missing for |x| < 1.5, those of b are not.
 *                 The features of a joint fit have seen b in the gap of a: is a less unsure there, and rightly so?
 *   independent   a as above, b = 4 tanh(x) + x^2/4, all cells there: a joint fit must not be worse for it
 *   noise         a as above, b = 5 cos(1.3 x) + x/2, their noise with a correlation of 0.8: a joint head has a
 *                 covariance of the noise, worth -log(1 - 0.8^2)/2 = 0.51 nats a row where all else is known. (LUNA has
 *                 one head for both only where it trusts both alike, so the two are alike in their roughness.)
 * Every key is one fit of both targets, together or apart, by its seed; differences are taken between the two of a
 * seed. Models of several targets are the thesis's future work: the claims are ours.
 */
#include "targets/targets.h"

#include "bench/claims.h"

enum { SEEDS = 10, QUICK_SEEDS = 4 };

typedef struct targets_options { double seeds; const char *sets; } targets_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(targets_options),
    UNA_SETS_OPTION(targets_options),
    { .name = NULL }
};

static const una_entry entries[] = {
    { "luna", "luna", "luna(members=5)" },
    { "luna", "luna(target_cosine=jacobian)", "luna(target_cosine=jacobian, members=5)" },
    { "nlm", "nlm", "nlm(members=5)" },
    { "linear", "linear(degree=5)", "linear(degree=5)" },
    { "gp", "gp", "gp" },
    { "nn", "nn", "nn(steps=500)" },
    { NULL, NULL, NULL }
};

#define TEN(name, what, from)                                                                                        \
    POINT(name, what, from, 0), POINT(name, what, from, 1), POINT(name, what, from, 2), POINT(name, what, from, 3),  \
    POINT(name, what, from, 4), POINT(name, what, from, 5), POINT(name, what, from, 6), POINT(name, what, from, 7),  \
    POINT(name, what, from, 8), POINT(name, what, from, 9)
#define POINT(name, what, from, digit) { name "_" from #digit, NULL, "y", what, 0 }
#define CURVE(name, what)                                                                                            \
    TEN(name, what, "0"), TEN(name, what, "1"), TEN(name, what, "2"), TEN(name, what, "3"), POINT(name, what, "4", 0)

static const una_bench_measure measures[] = {
    UNA_TARGETS_LIST(UNA_FIELDS)
    CURVE("mean", "related: mean of a along 41 points of [-4, 4]"),
    CURVE("std", "related: epistemic std of a along the same points"),
    { .name = NULL }
};

/* ---- plan and measures --------------------------------------------------------------------------------------- */

/* A spec that differs from another of its kind only in options for several targets is not fitted separately. */
static bool is_apart(const una_bench_model *model)
{
    return strstr(model->spec, "target_cosine=") == NULL;
}

static bool is_wanted(const char *sets, size_t law)
{
    return !*sets || una_list_has(sets, una_targets_laws[law]);
}

static una_status targets_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const targets_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked), length;
    const char *data[UNA_TARGETS_LAWS][2];
    const char *item = una_unknown_item(o->sets, &length, una_targets_laws);
    if (item)
        UNA_FAIL(run, UNA_E_USAGE, "targets has no data set '%.*s'; there are related, independent and noise",
                 (int)(length < 60 ? length : 60), item);
    for (size_t law = 0; law < UNA_TARGETS_LAWS; law++)
        for (size_t apart = 0; apart < 2; apart++)
            data[law][apart] = una_phrase(asked->keep, "%s, %s", una_targets_laws[law], apart ? "apart" : "together");
    UNA_TRY(una_arena_check(asked->keep));

    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++)
            for (size_t law = 0; law < UNA_TARGETS_LAWS; law++)
                for (size_t apart = 0; is_wanted(o->sets, law) && apart < (is_apart(&asked->models[m]) ? 2 : 1); apart++)
                    una_plan_add(plan, una_model_row_key(&asked->models[m], "targets", data[law][apart], 0,
                                                         asked->first + s));
    return UNA_OK;
}

static una_status take_curve(double *value, const una_model *model, una_run *run)
{
    double x[UNA_TARGETS_POINTS];
    una_prediction out = { .size = sizeof out, .mean = value + UNA_TARGETS_CURVE_MEAN,
                           .std_epistemic = value + UNA_TARGETS_CURVE_STD };
    for (size_t i = 0; i < UNA_TARGETS_POINTS; i++) x[i] = una_targets_point(i);
    return una_model_predict_rows(model, x, UNA_TARGETS_POINTS, 0.95, &out, run);
}

static una_status targets_measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked, una_run *run)
{
    una_targets_law law = una_targets_law_of(key->data);
    una_targets_rows rows;
    una_targets_fit fit;
    (void)asked;
    UNA_TRY(una_targets_rows_make(&rows, law, key->seed, run));
    UNA_TRY(una_targets_fit_make(&fit, key, &rows, run));
    UNA_TRY(una_targets_measure(outcome->value, &fit, law, &rows, run));
    if (law == UNA_RELATED) UNA_TRY(take_curve(outcome->value, fit.part[0], run));
    UNA_TRY(una_outcome_take(outcome, fit.whole ? fit.whole : fit.part[0]));
    if (!fit.whole) outcome->seconds += una_model_info(fit.part[1])->seconds;    /* the time of both fits */
    return UNA_OK;
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

/* A claim's model is a kind, represented by its first spec, or LUNA with whole Jacobians, where the fits apart are those
 * of LUNA. */
#define JACOBIAN "luna(target_cosine=jacobian) and luna"

/* "together" or "apart": the claim's model on the data of its law, fitted so. */
static una_status targets_find(const una_group **group, una_judging *j, const char *name)
{
    const una_findings *f = j->findings;
    bool jacobian = strcmp(j->claim->model, JACOBIAN) == 0, whole = jacobian && strcmp(name, "together") == 0;
    char data[32];
    snprintf(data, sizeof data, "%s, %s", j->claim->data, name);
    *group = NULL;
    for (size_t g = 0; g < f->group_count && !*group; g++) {
        const una_row_key *key = &f->fits[f->groups[g].from].key;
        if (strcmp(key->data, data) == 0 && strcmp(f->groups[g].model, jacobian ? "luna" : j->claim->model) == 0 &&
            (strstr(key->spec, "=jacobian") != NULL) == whole)
            *group = &f->groups[g];
    }
    return UNA_OK;
}

#define TOGETHER(measure) \
    .says = "{together:" measure ", plain 3} together, {apart:" measure ", plain 3} apart: difference {margin}"
static const una_rule is_same = { TOGETHER("joint_log_lik") "; within 0.05 asked",
                                  .ask = { { "together:joint_log_lik", "apart:joint_log_lik", .is = UNA_WITHIN,
                                             .than = 0.05 } } },
                      is_likelier = { TOGETHER("joint_log_lik"),
                                      .ask = { { "together:joint_log_lik", "apart:joint_log_lik" } } },
                      is_likelier_in_gap = { TOGETHER("gap_log_lik_a"),
                                             .ask = { { "together:gap_log_lik_a", "apart:gap_log_lik_a" } } },
                      is_surer = { TOGETHER("gap_std_a"),
                                   .ask = { { "together:gap_std_a", "apart:gap_std_a", .is = UNA_AT_MOST } } };

static const una_claim claims[] = {
    { "Independent targets: LUNA\xE2\x80\x99s joint log-likelihood is within 0.05 of two single fits", &is_same,
      "luna", "independent" },
    { "Independent targets: the same with slopes compared over whole Jacobians", &is_same, JACOBIAN,
      "independent" },
    { "Independent targets: NLM\xE2\x80\x99s joint log-likelihood is within 0.05 of two single fits", &is_same, "nlm",
      "independent" },
    { "Independent targets: the GP\xE2\x80\x99s is within 0.05 of two single fits", &is_same, "gp", "independent" },
    { "Correlated noise: LUNA together is likelier than apart", &is_likelier, "luna", "noise" },
    { "Correlated noise: with whole Jacobians it is likelier than apart", &is_likelier, JACOBIAN, "noise" },
    { "Correlated noise: NLM together is likelier than apart", &is_likelier, "nlm", "noise" },
    { "Where only b is seen, LUNA is surer of a together than apart", &is_surer, "luna", "related" },
    { "Where only b is seen, LUNA with whole Jacobians is surer of a together than apart", &is_surer, JACOBIAN,
      "related" },
    { "Where only b is seen, NLM is surer of a together than apart", &is_surer, "nlm", "related" },
    { "Where only b is seen, a is likelier under LUNA together than apart", &is_likelier_in_gap, "luna", "related" },
    { "Where only b is seen, a is likelier under LUNA with whole Jacobians together than apart", &is_likelier_in_gap,
      JACOBIAN, "related" },
    { "Where only b is seen, a is likelier under NLM together than apart", &is_likelier_in_gap, "nlm", "related" },
    { .sentence = NULL }
};

const una_experiment una_experiment_targets = {
    .name = "targets",
    .summary = "two targets at once, one of them with a gap: what does one learn from the other?",
    .title = "Two targets: what does one learn from the other?",
    .lead = "Two functions of one input, fitted at once by one model, or each by a model of its own. Related: a is "
            "twice b and something smooth, but a was never measured between \xE2\x88\x92" "1.5 and 1.5, where b was. "
            "Independent: both measured everywhere, and nothing in common. Noise: likewise, but what disturbs one "
            "disturbs the other.",
    .caption = "Log-likelihood of fresh rows, of each target and of both at once, and what is known of a in its gap: "
               "mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(targets_options),
    .measures = measures,
    .entries = entries,
    .plan = targets_plan_fits,
    .measure = targets_measure,
    .claims = claims,
    .find = targets_find,
    .claims_lead = "What is asked of a joint fit.",
    .claims_caption = "Ours: several targets are the thesis\xE2\x80\x99s future work. Differences between the joint "
                      "fit and the single fits of a seed; a claim holds where the whole 95 % interval of their mean "
                      "speaks for it, does not where the whole interval speaks against it, and cannot be told "
                      "otherwise.",
    .page = una_targets_page,
};
