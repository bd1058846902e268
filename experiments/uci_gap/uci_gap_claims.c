/* SPDX-License-Identifier: MIT
 *
 * What the thesis says of the six gaps, under its protocol, and LUNA's gaps under automatic rules, which is ours.
 *   notices   the thesis's own rule, which has no interval: over the splits, the mean increase of the epistemic std in
 *             the gap is above its standard deviation
 *   near      LUNA less NLM outside the gap, within one standard deviation of NLM's, for sure (95 % interval)
 *   larger    of LUNA's epistemic std over another's, logarithms, mean of outside and inside the gap: one number for
 *             each column, for sure above 0 in their mean
 */
#include "published/published_page.h"

/* ---- who notices ------------------------------------------------------------------------------------------------ */

static una_printed increase_of(const una_group *group)
{
    return una_show_mean(group, UNA_PUBLISHED_GAP_INCREASE);
}

static void put_increase(una_text *text, una_printed increase)
{
    una_text_add(text, "%s \xC2\xB1 %s %%", UNA_PLAIN(increase.mean, 0),
                 UNA_PLAIN(increase.sd, 0));
}

static una_status judge_noticed(una_judging *j)
{
    const una_claim *c = j->claim;
    una_preset preset = ((const una_published_rule *)c->rule)->preset;
    size_t method = una_method_of(c->model), column = una_thesis_find(una_thesis_gaps, c->data);
    const una_group *group = una_method_group(j->findings, method, c->data, preset);
    if (!una_preset_asked(j, preset)) return UNA_OK;
    if (!group) {
        una_text_add(j->numbers, "needs %s on %s, %s", c->model, c->data, una_preset_titles[preset]);
        return UNA_OK;
    }

    una_text_add(j->numbers, "increase ");
    put_increase(j->numbers, increase_of(group));
    una_text_add(j->numbers, " (noticed if the mean is above the deviation), AUROC ");
    una_judging_put(j, una_group_mean(group, UNA_PUBLISHED_GAP_AUROC), 2, "");
    una_text_add(j->numbers, ", %zu splits", group->count);
    if (preset == UNA_PRESET_THESIS) {
        una_text_add(j->numbers, "; published ");
        put_increase(j->numbers, una_thesis_printed(UNA_THESIS_GAP_INCREASE, method, column, 0));
    }
    j->holds = una_thesis_detects(increase_of(group));
    return UNA_OK;
}
static const una_published_rule noticed = { { .judge = judge_noticed }, .preset = UNA_PRESET_THESIS },
                                noticed_automatic = { { .judge = judge_noticed }, .preset = UNA_PRESET_AUTOMATIC };

/* One method that notices refutes the claim; to confirm it, all nine must have been run. */
static una_status judge_nobody(una_judging *j)
{
    const una_findings *f = j->findings;
    size_t asked = 0, found = 0;
    if (!una_preset_asked(j, UNA_PRESET_THESIS)) return UNA_OK;
    for (size_t method = 0; method < UNA_METHODS; method++) {
        const una_group *group = una_method_group(f, method, j->claim->data, UNA_PRESET_THESIS);
        if (!group) continue;
        asked += una_thesis_detects(increase_of(group)) != UNA_CANNOT_TELL;
        if (una_thesis_detects(increase_of(group)) != UNA_HOLDS) continue;
        una_text_add(j->numbers, "%s%s ", found++ ? ", " : "noticed by ", una_methods[method].title);
        put_increase(j->numbers, increase_of(group));
    }
    una_text_add(j->numbers, "%s%zu of 9 methods were asked%s", found ? "; " : "", asked,
                 found || !asked ? "" : ", none notices");
    j->holds = asked == UNA_METHODS ? UNA_HOLDS : UNA_CANNOT_TELL;
    if (found) j->holds = UNA_DOES_NOT_HOLD;
    return UNA_OK;
}
static const una_rule noticed_by_nobody = { .judge = judge_nobody };

/* The claim's data is noticed, the other five are not. */
static una_status judge_only(una_judging *j)
{
    const una_findings *f = j->findings;
    size_t own = una_thesis_find(una_thesis_gaps, j->claim->data), asked = 0;
    if (!una_preset_asked(j, UNA_PRESET_THESIS)) return UNA_OK;
    j->holds = UNA_HOLDS;
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
        const una_group *group = una_method_group(f, una_method_of(j->claim->model), una_thesis_gaps[c].data,
                                                  UNA_PRESET_THESIS);
        int so = group ? una_thesis_detects(increase_of(group)) : UNA_CANNOT_TELL;
        j->holds = una_holding_both(j->holds, c == own ? so : una_holding_not(so));
        if (!group) continue;
        una_text_add(j->numbers, "%s%s ", asked++ ? ", " : "", una_thesis_gaps[c].title);
        put_increase(j->numbers, increase_of(group));
    }
    if (j->holds == UNA_CANNOT_TELL)
        una_text_add(j->numbers, "%sneeds %s on all six gaps, %s", asked ? "; " : "", j->claim->model,
                     una_preset_titles[UNA_PRESET_THESIS]);
    return UNA_OK;
}
static const una_rule noticed_only = { .judge = judge_only };

/* ---- outside the gap; how much doubt ---------------------------------------------------------------------------- */

#define NEAR(measured, printed) { { una_judge_near, .measure = measured }, UNA_PRESET_THESIS, printed }
static const una_published_rule near_rmse = NEAR(UNA_PUBLISHED_RMSE, UNA_THESIS_GAP_RMSE),
                                near_log_lik = NEAR(UNA_PUBLISHED_LOG_LIK, UNA_THESIS_GAP_LOG_LIK);

static double log2_ratio(const una_group *a, const una_group *b, size_t measure)
{
    return log2(una_group_mean(a, measure) / una_group_mean(b, measure));
}

static una_status judge_larger(una_judging *j)
{
    const una_findings *f = j->findings;
    double ratios[UNA_THESIS_COLUMNS];
    size_t other = una_method_of(j->claim->model);
    una_paired paired;
    if (!una_preset_asked(j, UNA_PRESET_THESIS)) return UNA_OK;
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
        const una_group *a = una_method_group(f, UNA_METHOD_LUNA, una_thesis_gaps[c].data, UNA_PRESET_THESIS);
        const una_group *b = una_method_group(f, other, una_thesis_gaps[c].data, UNA_PRESET_THESIS);
        ratios[c] = a && b ? (log2_ratio(a, b, UNA_PUBLISHED_EPISTEMIC) +
                              log2_ratio(a, b, UNA_PUBLISHED_GAP_EPISTEMIC)) / 2 : NAN;
    }
    UNA_TRY(una_paired_of(&paired, ratios, UNA_THESIS_COLUMNS, j->run));
    if (paired.count == 0) {
        una_text_add(j->numbers, "needs luna and %s, %s", j->claim->model, una_preset_titles[UNA_PRESET_THESIS]);
        return UNA_OK;
    }
    una_text_add(j->numbers, "log2 of LUNA's epistemic std over that of %s, over the columns: ",
                 una_methods[other].title);
    j->holds = UNA_HOLDS;
    una_judging_join(j, &paired, UNA_AT_LEAST, 0);
    return UNA_OK;
}
static const una_rule larger = { .judge = judge_larger };

/* ---- the claims ------------------------------------------------------------------------------------------------- */

#define THESIS "Thesis's protocol: "
#define FIVE(begins, rule, model)                                                                                   \
    { begins "the gap in the Froude number (yacht)", rule, model, "yacht Froude number" },                          \
    { begins "the gap in cement (concrete)", rule, model, "concrete Cement" },                                      \
    { begins "the gap in superplasticizer (concrete)", rule, model, "concrete Superplasticizer" },                  \
    { begins "the gap in LSTAT (boston)", rule, model, "boston LSTAT" },                                            \
    { begins "the gap in PTRATIO (boston)", rule, model, "boston PTRATIO" }
#define OUTSIDE(what, rule, data)                                                                                   \
    { THESIS "outside the gap LUNA's " what " is within one sd of NLM's (" data ")", rule, "luna", data }
#define ON_SIX(what, rule)                                                                                          \
    OUTSIDE(what, rule, "yacht Froude number"), OUTSIDE(what, rule, "concrete Cement"),                           \
    OUTSIDE(what, rule, "concrete Superplasticizer"), OUTSIDE(what, rule, "boston RM"),                           \
    OUTSIDE(what, rule, "boston LSTAT"), OUTSIDE(what, rule, "boston PTRATIO")
#define LARGER(title, model)                                                                                          \
    { THESIS "LUNA tends to have larger epistemic values than " title, &larger, model, NULL }

const una_claim una_gaps_claims[] = {
    { THESIS "nobody notices the gap in RM (boston)", &noticed_by_nobody, NULL, "boston RM" },
    FIVE(THESIS "LUNA notices ", &noticed.rule, "luna"),
    FIVE(THESIS "the plain ensemble notices ", &noticed.rule, "ensemble"),
    { THESIS "NLM notices the gap in the Froude number and no other", &noticed_only, "nlm", "yacht Froude number" },
    ON_SIX("error", &near_rmse.rule),
    ON_SIX("log-likelihood", &near_log_lik.rule),
    LARGER("the GP", "gp"),
    LARGER("the plain ensemble", "ensemble"),
    LARGER("the bootstrap ensemble", "ensemble(style=bootstrap)"),
    LARGER("the anchored ensemble", "ensemble(style=anchored)"),
    LARGER("BBVI", "bbvi"),
    FIVE("Automatic (ours): LUNA notices ", &noticed_automatic.rule, "luna"),
    { "Automatic (ours): LUNA notices the gap in RM (boston)", &noticed_automatic.rule, "luna", "boston RM" },
    { .sentence = NULL }
};
