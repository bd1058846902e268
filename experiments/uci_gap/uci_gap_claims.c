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

#include "draw/number.h"

/* ---- who notices ------------------------------------------------------------------------------------------------ */

static una_printed increase_of(const una_findings *f, const una_group *group)
{
    size_t at = (size_t)(group - f->groups) * f->measures + UNA_PUBLISHED_GAP_INCREASE;
    return (una_printed){ f->mean[at], group->count > 1 ? f->sd[at] : NAN };
}

static void put_increase(una_text *text, una_printed increase)
{
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    una_text_add(text, "%s \xC2\xB1 %s %%", una_number_plain(a, increase.mean, 0),
                 una_number_plain(b, increase.sd, 0));
}

static una_status gap_claim_noticed(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                                    una_preset preset)
{
    char number[UNA_NUMBER_ROOM];
    size_t method = una_method_of(claim->model);
    const una_group *group = una_method_group(f, method, claim->data, preset);
    if (!una_claim_preset_asked(holds, f, preset)) return UNA_OK;
    *holds = UNA_CANNOT_TELL;
    if (!group) {
        una_text_add(numbers, "needs %s on %s, %s", claim->model, claim->data, una_preset_titles[preset]);
        return UNA_OK;
    }

    una_printed increase = increase_of(f, group);
    size_t column = una_thesis_find(una_thesis_gaps, claim->data);
    una_text_add(numbers, "increase ");
    put_increase(numbers, increase);
    una_text_add(numbers, " (noticed if the mean is above the deviation), AUROC %s, %zu splits",
                 una_number_plain(number, una_findings_mean(f, group, UNA_PUBLISHED_GAP_AUROC), 2), group->count);
    if (preset == UNA_PRESET_THESIS) {
        una_text_add(numbers, "; published ");
        put_increase(numbers, una_thesis_printed(UNA_THESIS_GAP_INCREASE, method, column, 0));
    }
    *holds = una_thesis_detects(increase);
    return UNA_OK;
}

static una_status noticed_thesis(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                                 una_run *run)
{
    (void)run;
    return gap_claim_noticed(holds, numbers, claim, f, UNA_PRESET_THESIS);
}

static una_status noticed_automatic(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                                    una_run *run)
{
    (void)run;
    return gap_claim_noticed(holds, numbers, claim, f, UNA_PRESET_AUTOMATIC);
}

/* One method that notices refutes the claim; to confirm it, all nine must have been run. */
static una_status noticed_by_nobody(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                                    una_run *run)
{
    size_t asked = 0, found = 0;
    (void)run;
    if (!una_claim_preset_asked(holds, f, UNA_PRESET_THESIS)) return UNA_OK;
    for (size_t method = 0; method < UNA_METHODS; method++) {
        const una_group *group = una_method_group(f, method, claim->data, UNA_PRESET_THESIS);
        if (!group) continue;
        asked += una_thesis_detects(increase_of(f, group)) != UNA_CANNOT_TELL;
        if (una_thesis_detects(increase_of(f, group)) != UNA_HOLDS) continue;
        una_text_add(numbers, "%s%s ", found++ ? ", " : "noticed by ", una_methods[method].title);
        put_increase(numbers, increase_of(f, group));
    }
    una_text_add(numbers, "%s%zu of 9 methods were asked%s", found ? "; " : "", asked,
                 found || !asked ? "" : ", none notices");
    *holds = asked == UNA_METHODS ? UNA_HOLDS : UNA_CANNOT_TELL;
    if (found) *holds = UNA_DOES_NOT_HOLD;
    return UNA_OK;
}

/* claim->data is noticed, the other five are not. */
static una_status noticed_only(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                               una_run *run)
{
    size_t own = una_thesis_find(una_thesis_gaps, claim->data), asked = 0;
    (void)run;
    if (!una_claim_preset_asked(holds, f, UNA_PRESET_THESIS)) return UNA_OK;
    *holds = UNA_HOLDS;
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
        const una_group *group = una_method_group(f, una_method_of(claim->model), una_thesis_gaps[c].data,
                                                  UNA_PRESET_THESIS);
        int so = group ? una_thesis_detects(increase_of(f, group)) : UNA_CANNOT_TELL;
        *holds = una_holding_both(*holds, c == own ? so : una_holding_not(so));
        if (!group) continue;
        una_text_add(numbers, "%s%s ", asked++ ? ", " : "", una_thesis_gaps[c].title);
        put_increase(numbers, increase_of(f, group));
    }
    if (*holds == UNA_CANNOT_TELL)
        una_text_add(numbers, "%sneeds %s on all six gaps, %s", asked ? "; " : "", claim->model,
                     una_preset_titles[UNA_PRESET_THESIS]);
    return UNA_OK;
}

/* ---- outside the gap -------------------------------------------------------------------------------------------- */

static una_status near_rmse(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f, una_run *run)
{
    return una_claim_near(holds, numbers, claim, f, UNA_PRESET_THESIS, UNA_PUBLISHED_RMSE, UNA_THESIS_GAP_RMSE, run);
}

static una_status near_log_lik(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                               una_run *run)
{
    return una_claim_near(holds, numbers, claim, f, UNA_PRESET_THESIS, UNA_PUBLISHED_LOG_LIK, UNA_THESIS_GAP_LOG_LIK,
                          run);
}

/* ---- how much doubt --------------------------------------------------------------------------------------------- */

static double doubt_ratio(const una_findings *f, const una_group *a, const una_group *b)
{
    if (!a || !b) return NAN;
    double outside = una_findings_mean(f, a, UNA_PUBLISHED_EPISTEMIC) /
                     una_findings_mean(f, b, UNA_PUBLISHED_EPISTEMIC);
    double inside = una_findings_mean(f, a, UNA_PUBLISHED_GAP_EPISTEMIC) /
                    una_findings_mean(f, b, UNA_PUBLISHED_GAP_EPISTEMIC);
    return (log2(outside) + log2(inside)) / 2;
}

static una_status gap_claim_larger(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                                   una_run *run)
{
    double ratios[UNA_THESIS_COLUMNS];
    size_t other = una_method_of(claim->model);
    una_paired paired;
    if (!una_claim_preset_asked(holds, f, UNA_PRESET_THESIS)) return UNA_OK;
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++)
        ratios[c] = doubt_ratio(f, una_method_group(f, UNA_METHOD_LUNA, una_thesis_gaps[c].data, UNA_PRESET_THESIS),
                                una_method_group(f, other, una_thesis_gaps[c].data, UNA_PRESET_THESIS));
    UNA_TRY(una_paired_of(&paired, ratios, UNA_THESIS_COLUMNS, run));
    *holds = una_paired_least(&paired, 0);
    if (paired.count == 0) {
        una_text_add(numbers, "needs luna and %s, %s", claim->model, una_preset_titles[UNA_PRESET_THESIS]);
        return UNA_OK;
    }
    una_text_add(numbers, "log2 of LUNA's epistemic std over that of %s, over the columns: ",
                 una_methods[other].title);
    una_paired_put(numbers, &paired);
    return UNA_OK;
}

/* ---- the claims ------------------------------------------------------------------------------------------------- */

#define THESIS "Thesis's protocol: "
#define FIVE(begins, decide, model)                                                                                   \
    { begins "the gap in the Froude number (yacht)", decide, model, "yacht Froude number" },                          \
    { begins "the gap in cement (concrete)", decide, model, "concrete Cement" },                                      \
    { begins "the gap in superplasticizer (concrete)", decide, model, "concrete Superplasticizer" },                  \
    { begins "the gap in LSTAT (boston)", decide, model, "boston LSTAT" },                                            \
    { begins "the gap in PTRATIO (boston)", decide, model, "boston PTRATIO" }
#define OUTSIDE(what, decide, data)                                                                                   \
    { THESIS "outside the gap LUNA's " what " is within one sd of NLM's (" data ")", decide, "luna", data }
#define ON_SIX(what, decide)                                                                                          \
    OUTSIDE(what, decide, "yacht Froude number"), OUTSIDE(what, decide, "concrete Cement"),                           \
    OUTSIDE(what, decide, "concrete Superplasticizer"), OUTSIDE(what, decide, "boston RM"),                           \
    OUTSIDE(what, decide, "boston LSTAT"), OUTSIDE(what, decide, "boston PTRATIO")
#define LARGER(title, model)                                                                                          \
    { THESIS "LUNA tends to have larger epistemic values than " title, gap_claim_larger, model, NULL }

const una_claim una_gaps_claims[] = {
    { THESIS "nobody notices the gap in RM (boston)", noticed_by_nobody, NULL, "boston RM" },
    FIVE(THESIS "LUNA notices ", noticed_thesis, "luna"),
    FIVE(THESIS "the plain ensemble notices ", noticed_thesis, "ensemble"),
    { THESIS "NLM notices the gap in the Froude number and no other", noticed_only, "nlm", "yacht Froude number" },
    ON_SIX("error", near_rmse),
    ON_SIX("log-likelihood", near_log_lik),
    LARGER("the GP", "gp"),
    LARGER("the plain ensemble", "ensemble"),
    LARGER("the bootstrap ensemble", "ensemble(style=bootstrap)"),
    LARGER("the anchored ensemble", "ensemble(style=anchored)"),
    LARGER("BBVI", "bbvi"),
    FIVE("Automatic (ours): LUNA notices ", noticed_automatic, "luna"),
    { "Automatic (ours): LUNA notices the gap in RM (boston)", noticed_automatic, "luna", "boston RM" },
    { .sentence = NULL }
};
