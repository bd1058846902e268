/* SPDX-License-Identifier: MIT
 *
 * Claims about sampling bias, decided by the first seed's intervals.
 */
#include "bias/bias.h"

#include "bench/claims.h"

#define EXCESS(least)                                                                                                \
    { .says = "epistemic std of those left out over that of others like the trained: {excess, interval 1 %}",        \
      .ask = { { "first excess", .by = UNA_BY_ENDS, .than = least } } }
static const una_rule rises = EXCESS(0), rises_by_half = EXCESS(50);
/* Where a face was found: men's pictures lack one twice as often as women's. */
static const una_rule rises_where_found = {
    .says = "epistemic std {excess_found, interval 1 %}, AUROC {auroc_found, interval 3}; a face was found in {100 first "
            "found_out, plain 0} % of those left out and {100 first found_in, plain 0} % of the others",
    .ask = { { "first excess_found", .by = UNA_BY_ENDS } } };
static const una_rule tells_apart = { .says = "AUROC {auroc, interval 3}",
                                      .ask = { { "first auroc", .by = UNA_BY_ENDS, .than = 0.65 } } };
static const una_rule carries_concept = {
    .says = "AUROC of ignorance along the concept {concept_auroc, interval 3}; it carries {100 first concept_out, plain "
            "1} % of the ignorance of those left out and {100 first concept_in, plain 1} % of others'",
    .ask = { { "first concept_auroc", .by = UNA_BY_ENDS, .than = 0.5 } } };

/* Its error is within 5 % of the plain network's, on held-out rows of the group that trained. */
static una_status judge_error(una_judging *j)
{
    bool own = una_findings_group(j->findings, j->claim->model, j->claim->data);
    bool plain = una_findings_group(j->findings, "nn", j->claim->data);
    if (!own || !plain) return una_judging_needs(j, own ? "nn" : NULL);
    return una_judge_inequalities(j);
}
static const una_rule errs_alike = {
    judge_error, .says = "mean absolute error {first mae_in} years, the plain network's {first nn:mae_in}",
    .ask = { { "1.05 first nn:mae_in", "first mae_in", UNA_BY_STATISTICS } } };

static double auroc_of(const una_findings *f, const una_group *group, size_t end)
{
    return una_findings_value(f, group->from, UNA_BIAS_AUROC + end);
}

/* Its AUROC is above all others'. */
static una_status judge_best(una_judging *j)
{
    const una_findings *f = j->findings;
    const una_claim *c = j->claim;
    const una_group *own = una_findings_group(f, c->model, c->data), *rival = NULL;
    if (!own || isnan(auroc_of(f, own, 0))) return una_judging_needs(j, NULL);
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *other = &f->groups[i];
        bool here = strcmp(una_group_key(other)->data, c->data) == 0;
        if (!here || strcmp(other->model, c->model) == 0 || isnan(auroc_of(f, other, 0))) continue;
        if (!rival || auroc_of(f, other, 0) > auroc_of(f, rival, 0)) rival = other;
    }
    if (!rival) return una_judging_needs(j, "another model that knows ignorance");
    if (auroc_of(f, own, 1) > auroc_of(f, rival, 2)) j->holds = UNA_HOLDS;
    else if (auroc_of(f, own, 2) < auroc_of(f, rival, 1)) j->holds = UNA_DOES_NOT_HOLD;
    return una_judging_say(j, una_phrase(&j->run->scratch, "AUROC {auroc, interval 3}; the best of the others, %s: "
                                         "{%s:auroc, interval 3}", rival->model, rival->model));
}
static const una_rule is_best = { .judge = judge_best };

#define RISES(words, model) \
    { "Trained on men, " words "'s ignorance is larger for women than for other men", &rises, model, "sex" }, \
    { "Trained below 30 and above 40, " words "'s is larger for those between than for others like the trained", \
      &rises, model, "age" }

const una_claim una_bias_claims[] = {
    RISES("LUNA", "luna"), RISES("NLM", "nlm"), RISES("the ensemble", "ensemble"), RISES("MC dropout", "mcd"),
    RISES("SNGP", "sngp"),
    { "Where a face was found in the picture, LUNA's ignorance is larger for women than for other men", &rises_where_found,
      "luna", "sex" },
    { "Where a face was found, NLM's is", &rises_where_found, "nlm", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (men)", &errs_alike, "luna", "sex" },
    { "LUNA's error stays within 5 % of the plain network's (below 30 and above 40)", &errs_alike, "luna", "age" },
    { "LUNA's ignorance is at least half as large again for women as for other men", &rises_by_half, "luna", "sex" },
    { "LUNA's ignorance tells women from men: AUROC of 0.65 at least", &tells_apart, "luna", "sex" },
    { "The concept \"woman\" carries more of a woman's ignorance than of a man's (LUNA)", &carries_concept, "luna",
      "sex" },
    { "Nobody shows who was left out better than LUNA (sex)", &is_best, "luna", "sex" },
    { "Nobody shows who was left out better than LUNA (age)", &is_best, "luna", "age" },
    { NULL, NULL, NULL, NULL }
};
