/* SPDX-License-Identifier: MIT
 *
 * Claims about sampling bias, judged by the first seed's intervals.
 */
#include "bench/bias.h"

#include "report/number.h"

#include <string.h>

static const una_group *group_of(const una_findings *f, const char *model, const char *data)
{
    return una_findings_group(f, model, data);
}

static double value_of(const una_findings *f, const una_group *group, size_t measure)
{
    return una_findings_value(f, group->from, measure);
}

static void figure(una_text *text, double value, int decimals)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, decimals));
}

static una_status not_run(int *holds, una_text *text, const char *model)
{
    *holds = UNA_CANNOT_TELL;
    una_text_add(text, "needs %s", model);
    return UNA_OK;
}

/* At least `least` by the whole interval. */
static int by_interval(double low, double high, double least)
{
    return low >= least ? UNA_HOLDS : high < least ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
}

/* A measure is followed by the ends of its interval. */
static void say_interval(una_text *text, const una_findings *f, const una_group *g, size_t measure, int decimals,
                         const char *unit)
{
    figure(text, value_of(f, g, measure), decimals);
    una_text_add(text, "%s (95 %% interval ", unit);
    figure(text, value_of(f, g, measure + 1), decimals);
    una_text_add(text, " to ");
    figure(text, value_of(f, g, measure + 2), decimals);
    una_text_add(text, ")");
}

/* Whose claim it is, judged by whether the measure is `least` at least; NULL: it was not run. */
static const una_group *judge_least(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                    size_t measure, double least)
{
    const una_group *g = group_of(f, claim->model, claim->data);
    if (!g || isnan(value_of(f, g, measure))) {
        not_run(holds, text, claim->model);
        return NULL;
    }
    *holds = by_interval(value_of(f, g, measure + 1), value_of(f, g, measure + 2), least);
    return g;
}

static una_status judge_excess(int *holds, una_text *text, const una_claim *claim, const una_findings *f, double least)
{
    const una_group *g = judge_least(holds, text, claim, f, UNA_BIAS_EXCESS, least);
    if (!g) return UNA_OK;
    una_text_add(text, "epistemic std of those left out over that of others like the trained: ");
    say_interval(text, f, g, UNA_BIAS_EXCESS, 1, " %");
    return UNA_OK;
}

/* ---- the claims ------------------------------------------------------------------------------------------------- */

static una_status judge_rise(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)run;
    return judge_excess(holds, text, claim, f, 0);
}

static una_status judge_half(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)run;
    return judge_excess(holds, text, claim, f, 50);
}

/* Where a face was found: men's pictures lack one twice as often as women's. */
static una_status judge_found(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = judge_least(holds, text, claim, f, UNA_BIAS_FOUND_EXCESS, 0);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "epistemic std ");
    say_interval(text, f, g, UNA_BIAS_FOUND_EXCESS, 1, " %");
    una_text_add(text, ", AUROC ");
    say_interval(text, f, g, UNA_BIAS_FOUND_AUROC, 3, "");
    una_text_add(text, "; a face was found in ");
    figure(text, 100 * value_of(f, g, UNA_BIAS_FOUND_OUT), 0);
    una_text_add(text, " %% of those left out and ");
    figure(text, 100 * value_of(f, g, UNA_BIAS_FOUND_IN), 0);
    una_text_add(text, " %% of the others");
    return UNA_OK;
}

static una_status judge_auroc(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = judge_least(holds, text, claim, f, UNA_BIAS_AUROC, 0.65);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "AUROC ");
    say_interval(text, f, g, UNA_BIAS_AUROC, 3, "");
    return UNA_OK;
}

static una_status judge_concept(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                una_run *run)
{
    const una_group *g = judge_least(holds, text, claim, f, UNA_BIAS_CONCEPT_AUROC, 0.5);
    (void)run;
    if (!g) return UNA_OK;
    una_text_add(text, "AUROC of ignorance along the concept ");
    say_interval(text, f, g, UNA_BIAS_CONCEPT_AUROC, 3, "");
    una_text_add(text, "; it carries ");
    figure(text, 100 * value_of(f, g, UNA_BIAS_CONCEPT_OUT), 1);
    una_text_add(text, " %% of the ignorance of those left out and ");
    figure(text, 100 * value_of(f, g, UNA_BIAS_CONCEPT_IN), 1);
    una_text_add(text, " %% of others'");
    return UNA_OK;
}

/* Within 5 % of the plain network's, at others like the trained. */
static una_status judge_error(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = group_of(f, claim->model, claim->data), *plain = group_of(f, "nn", claim->data);
    (void)run;
    if (!g || !plain) return not_run(holds, text, g ? "nn" : claim->model);
    double own = value_of(f, g, UNA_BIAS_MAE + UNA_BIAS_IN), other = value_of(f, plain, UNA_BIAS_MAE + UNA_BIAS_IN);
    *holds = own <= 1.05 * other ? UNA_HOLDS : UNA_DOES_NOT_HOLD;
    una_text_add(text, "mean absolute error ");
    figure(text, own, 2);
    una_text_add(text, " years, the plain network's ");
    figure(text, other, 2);
    return UNA_OK;
}

/* Its AUROC is above all others'. */
static una_status judge_best(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = group_of(f, claim->model, claim->data), *rival = NULL;
    (void)run;
    if (!g || isnan(value_of(f, g, UNA_BIAS_AUROC))) return not_run(holds, text, claim->model);
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *other = &f->groups[i];
        bool here = strcmp(f->fits[other->from].key.data, claim->data) == 0;
        if (!here || strcmp(other->model, claim->model) == 0) continue;
        double auroc = value_of(f, other, UNA_BIAS_AUROC);
        if (!isnan(auroc) && (!rival || auroc > value_of(f, rival, UNA_BIAS_AUROC))) rival = other;
    }
    if (!rival) return not_run(holds, text, "another model that knows ignorance");
    double low = value_of(f, g, UNA_BIAS_AUROC_LOW), high = value_of(f, g, UNA_BIAS_AUROC_HIGH);
    *holds = low > value_of(f, rival, UNA_BIAS_AUROC_HIGH) ? UNA_HOLDS
             : high < value_of(f, rival, UNA_BIAS_AUROC_LOW) ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
    una_text_add(text, "AUROC ");
    say_interval(text, f, g, UNA_BIAS_AUROC, 3, "");
    una_text_add(text, "; the best of the others, %s: ", rival->model);
    say_interval(text, f, rival, UNA_BIAS_AUROC, 3, "");
    return UNA_OK;
}

#define RISES(words, model) \
    { "Trained on men, " words "'s ignorance is larger for women than for other men", judge_rise, model, "sex" }, \
    { "Trained below 30 and above 40, " words "'s is larger for those between than for others like the trained", \
      judge_rise, model, "age" }

const una_claim una_bias_claims[] = {
    RISES("LUNA", "luna"), RISES("NLM", "nlm"), RISES("the ensemble", "ensemble"), RISES("MC dropout", "mcd"),
    RISES("SNGP", "sngp"),
    { "Where a face was found in the picture, LUNA's ignorance is larger for women than for other men", judge_found,
      "luna", "sex" },
    { "Where a face was found, NLM's is", judge_found, "nlm", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (men)", judge_error, "luna", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (below 30 and above 40)", judge_error, "luna", "age" },
    { "LUNA's ignorance is at least half as large again for women as for other men", judge_half, "luna", "sex" },
    { "LUNA's ignorance tells women from men: AUROC of 0.65 at least", judge_auroc, "luna", "sex" },
    { "The concept \"woman\" carries more of a woman's ignorance than of a man's (LUNA)", judge_concept, "luna",
      "sex" },
    { "Nobody shows who was left out better than LUNA (sex)", judge_best, "luna", "sex" },
    { "Nobody shows who was left out better than LUNA (age)", judge_best, "luna", "age" },
    { NULL, NULL, NULL, NULL }
};
