/* SPDX-License-Identifier: MIT
 *
 * Claims about sampling bias, decided by the first seed's intervals.
 */
#include "bias/bias.h"

#include "bench/paired.h"
#include "draw/number.h"

static const una_group *bias_group(const una_findings *f, const char *model, const char *data)
{
    return una_findings_group(f, model, data);
}

static double bias_value(const una_findings *f, const una_group *group, size_t measure)
{
    return una_findings_value(f, group->from, measure);
}

static void bias_put_number(una_text *text, double value, int decimals)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, decimals));
}

static una_status bias_not_run(int *holds, una_text *text, const char *model)
{
    *holds = UNA_CANNOT_TELL;
    una_text_add(text, "needs %s", model);
    return UNA_OK;
}

/* A measure is followed by the ends of its interval. */
static void put_interval(una_text *text, const una_findings *f, const una_group *g, size_t measure, int decimals,
                         const char *unit)
{
    bias_put_number(text, bias_value(f, g, measure), decimals);
    una_text_add(text, "%s (95 %% interval ", unit);
    bias_put_number(text, bias_value(f, g, measure + 1), decimals);
    una_text_add(text, " to ");
    bias_put_number(text, bias_value(f, g, measure + 2), decimals);
    una_text_add(text, ")");
}

/* Decides whether the measure is at least `least`, and returns the group; NULL: it was not run. */
static const una_group *claim_least(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                    size_t measure, double least)
{
    const una_group *g = bias_group(f, claim->model, claim->data);
    if (!g || isnan(bias_value(f, g, measure))) {
        bias_not_run(holds, text, claim->model);
        return NULL;
    }
    *holds = una_holding_least(bias_value(f, g, measure + 1), bias_value(f, g, measure + 2), least);
    return g;
}

static una_status claim_excess(int *holds, una_text *text, const una_claim *claim, const una_findings *f, double least)
{
    const una_group *g = claim_least(holds, text, claim, f, UNA_BIAS_EXCESS, least);
    if (!g) return UNA_OK;
    una_text_add(text, "epistemic std of those left out over that of others like the trained: ");
    put_interval(text, f, g, UNA_BIAS_EXCESS, 1, " %");
    return UNA_OK;
}

/* ---- the claims ------------------------------------------------------------------------------------------------- */

static una_status bias_claim_rise(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                  una_run *run)
{
    (void)run;
    return claim_excess(holds, text, claim, f, 0);
}

static una_status claim_half(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)run;
    return claim_excess(holds, text, claim, f, 50);
}

/* Where a face was found: men's pictures lack one twice as often as women's. */
static una_status claim_found(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = claim_least(holds, text, claim, f, UNA_BIAS_FOUND_EXCESS, 0);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "epistemic std ");
    put_interval(text, f, g, UNA_BIAS_FOUND_EXCESS, 1, " %");
    una_text_add(text, ", AUROC ");
    put_interval(text, f, g, UNA_BIAS_FOUND_AUROC, 3, "");
    una_text_add(text, "; a face was found in ");
    bias_put_number(text, 100 * bias_value(f, g, UNA_BIAS_FOUND_OUT), 0);
    una_text_add(text, " %% of those left out and ");
    bias_put_number(text, 100 * bias_value(f, g, UNA_BIAS_FOUND_IN), 0);
    una_text_add(text, " %% of the others");
    return UNA_OK;
}

static una_status claim_auroc(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = claim_least(holds, text, claim, f, UNA_BIAS_AUROC, 0.65);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "AUROC ");
    put_interval(text, f, g, UNA_BIAS_AUROC, 3, "");
    return UNA_OK;
}

static una_status claim_concept(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                una_run *run)
{
    const una_group *g = claim_least(holds, text, claim, f, UNA_BIAS_CONCEPT_AUROC, 0.5);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "AUROC of ignorance along the concept ");
    put_interval(text, f, g, UNA_BIAS_CONCEPT_AUROC, 3, "");
    una_text_add(text, "; it carries ");
    bias_put_number(text, 100 * bias_value(f, g, UNA_BIAS_CONCEPT_OUT), 1);
    una_text_add(text, " %% of the ignorance of those left out and ");
    bias_put_number(text, 100 * bias_value(f, g, UNA_BIAS_CONCEPT_IN), 1);
    una_text_add(text, " %% of others'");
    return UNA_OK;
}

/* Its error is within 5 % of the plain network's, on held-out rows of the group that trained. */
static una_status bias_claim_error(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                   una_run *run)
{
    const una_group *g = bias_group(f, claim->model, claim->data), *plain = bias_group(f, "nn", claim->data);
    (void)run;
    if (!g || !plain) return bias_not_run(holds, text, g ? "nn" : claim->model);
    double own = bias_value(f, g, UNA_BIAS_MAE + UNA_BIAS_IN), other = bias_value(f, plain, UNA_BIAS_MAE + UNA_BIAS_IN);
    *holds = own <= 1.05 * other ? UNA_HOLDS : UNA_DOES_NOT_HOLD;
    una_text_add(text, "mean absolute error ");
    bias_put_number(text, own, 2);
    una_text_add(text, " years, the plain network's ");
    bias_put_number(text, other, 2);
    return UNA_OK;
}

/* Its AUROC is above all others'. */
static una_status bias_claim_best(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                  una_run *run)
{
    const una_group *g = bias_group(f, claim->model, claim->data), *rival = NULL;
    (void)run;
    if (!g || isnan(bias_value(f, g, UNA_BIAS_AUROC))) return bias_not_run(holds, text, claim->model);
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *other = &f->groups[i];
        bool here = strcmp(f->fits[other->from].key.data, claim->data) == 0;
        if (!here || strcmp(other->model, claim->model) == 0) continue;
        double auroc = bias_value(f, other, UNA_BIAS_AUROC);
        if (!isnan(auroc) && (!rival || auroc > bias_value(f, rival, UNA_BIAS_AUROC))) rival = other;
    }
    if (!rival) return bias_not_run(holds, text, "another model that knows ignorance");
    double low = bias_value(f, g, UNA_BIAS_AUROC_LOW), high = bias_value(f, g, UNA_BIAS_AUROC_HIGH);
    *holds = UNA_CANNOT_TELL;
    if (low > bias_value(f, rival, UNA_BIAS_AUROC_HIGH)) *holds = UNA_HOLDS;
    else if (high < bias_value(f, rival, UNA_BIAS_AUROC_LOW)) *holds = UNA_DOES_NOT_HOLD;
    una_text_add(text, "AUROC ");
    put_interval(text, f, g, UNA_BIAS_AUROC, 3, "");
    una_text_add(text, "; the best of the others, %s: ", rival->model);
    put_interval(text, f, rival, UNA_BIAS_AUROC, 3, "");
    return UNA_OK;
}

#define RISES(words, model) \
    { "Trained on men, " words "'s ignorance is larger for women than for other men", bias_claim_rise, model, "sex" }, \
    { "Trained below 30 and above 40, " words "'s is larger for those between than for others like the trained", \
      bias_claim_rise, model, "age" }

const una_claim una_bias_claims[] = {
    RISES("LUNA", "luna"), RISES("NLM", "nlm"), RISES("the ensemble", "ensemble"), RISES("MC dropout", "mcd"),
    RISES("SNGP", "sngp"),
    { "Where a face was found in the picture, LUNA's ignorance is larger for women than for other men", claim_found,
      "luna", "sex" },
    { "Where a face was found, NLM's is", claim_found, "nlm", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (men)", bias_claim_error, "luna", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (below 30 and above 40)", bias_claim_error, "luna", "age" },
    { "LUNA's ignorance is at least half as large again for women as for other men", claim_half, "luna", "sex" },
    { "LUNA's ignorance tells women from men: AUROC of 0.65 at least", claim_auroc, "luna", "sex" },
    { "The concept \"woman\" carries more of a woman's ignorance than of a man's (LUNA)", claim_concept, "luna",
      "sex" },
    { "Nobody shows who was left out better than LUNA (sex)", bias_claim_best, "luna", "sex" },
    { "Nobody shows who was left out better than LUNA (age)", bias_claim_best, "luna", "age" },
    { NULL, NULL, NULL, NULL }
};
