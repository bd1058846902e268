/* SPDX-License-Identifier: MIT
 *
 * Claims about the cubic gap. Those of the thesis, which describes figures, as inequalities:
 *   GP and HMC rise smoothly   centre std > 2 data std, and ripple <= 0.1
 *   LUNA like a GP             gap std 0.5 to 2 of the GP's, error at the rows within 10 % of the GP's
 *   TUNA like a GP             gap std >= 0.5 of the GP's
 *   MCD and BBVI too sure      gap std <  0.5 of the GP's
 *   NLM and its penalty        gap std falls strictly as the penalty grows
 * and ours:
 *   GP and LUNA beyond         std beyond the rows > 2 data std; x^3 in LUNA's band there as often as in the GP's
 * Each inequality is decided by its margin, seed by seed (paired.h); of several inequalities the worst result counts.
 * A kind that was run with several specs is represented by the first.
 */
#include "cubic/cubic.h"

#include "bench/claims.h"

enum { MOST_PENALTIES = 64 };

static const una_rule rises = {
    .says = "std {centre_std} in the middle of the gap, {data_std} at the data: ratio {centre_std/data_std} (more than "
            "2 asked), ripple {ripple} (at most 0.10); to spare of the std {margin}; to spare of the ripple {margin}",
    .ask = { { "centre_std", "2 data_std", .is = UNA_ABOVE }, { "0.1", "ripple" } } };
static const una_rule grows = {
    .says = "std {beyond_std} beyond the rows, {data_std} at them (more than twice asked); to spare {margin}",
    .ask = { { "beyond_std", "2 data_std", .is = UNA_ABOVE } } };

/* A measure and the same of the GP. */
#define SHARE(what, measure, asked) \
    .needs = "gp and {name}", \
    .says = what " {" measure "} against {gp:" measure "} of the GP: share {" measure "/gp:" measure "} (" asked " asked)"
static const una_rule reaches = { SHARE("gap std", "gap_std", "at least 0.50") "; to spare {margin}",
                                  .ask = { { "gap_std", "0.5 gp:gap_std" } } };
static const una_rule stays_below = { SHARE("gap std", "gap_std", "less than 0.50") "; to spare {margin}",
                                      .ask = { { "0.5 gp:gap_std", "gap_std", .is = UNA_ABOVE } } };
/* A std that is too large also contradicts the claim. */
static const una_rule is_between = {
    SHARE("gap std", "gap_std", "0.50 to 2.00") "; to spare from below {margin}; to spare from above {margin}",
    .ask = { { "gap_std", "0.5 gp:gap_std" }, { "2 gp:gap_std", "gap_std", .is = UNA_ABOVE } } };
static const una_rule errs_alike = { SHARE("error at the rows", "rmse", "below 1.10") "; to spare {margin}",
                                     .ask = { { "1.1 gp:rmse", "rmse", .is = UNA_ABOVE } } };
static const una_rule holds_beyond = { SHARE("inside at", "beyond_inside", "at least 1.00") "; to spare {margin}",
                                       .ask = { { "beyond_inside", "gp:beyond_inside" } } };

/* ---- penalties ----------------------------------------------------------------------------------------------- */

typedef struct penalised { double penalty; const una_group *group; } penalised;          /* penalty first, for qsort */

static una_status penalty_of(double *penalty, const char *spec_text, una_run *run)
{
    una_spec spec;
    *penalty = NAN;
    UNA_TRY(una_spec_parse(&spec, spec_text, &run->scratch, run));
    const char *value = una_spec_find(&spec, "penalty");
    if (value) una_parse_number(value, strlen(value), penalty);
    return UNA_OK;
}

static una_status list_penalties(penalised *list, size_t *count, una_judging *j)
{
    const una_findings *f = j->findings;
    *count = 0;
    for (const una_group *group = NULL; *count < MOST_PENALTIES && (group = una_findings_next(f, group, NULL));) {
        double penalty;
        if (strcmp(group->model, j->claim->model) != 0) continue;
        UNA_TRY(penalty_of(&penalty, una_group_key(group)->spec, j->run));
        if (!isnan(penalty)) list[(*count)++] = (penalised){ penalty, group };
    }
    qsort(list, *count, sizeof *list, una_by_number);
    return UNA_OK;
}

static una_status falls_with_penalty(una_judging *j)
{
    penalised list[MOST_PENALTIES] = { { .penalty = 0 } };
    size_t count;
    UNA_TRY(list_penalties(list, &count, j));
    if (count < 2) return una_judging_needs(j, "{name} with two penalties or more");

    for (size_t i = 0; i < count; i++) {
        una_text_add(j->numbers, "%s", i ? ", " : "gap std ");
        una_judging_put(j, una_group_mean(list[i].group, UNA_CUBIC_GAP_STD), 2, " at penalty ");
        una_text_number(j->numbers, list[i].penalty);
    }
    j->holds = UNA_HOLDS;
    for (size_t i = 1; i < count; i++) {
        una_paired spare;
        UNA_TRY(una_paired_groups(&spare, list[i - 1].group, list[i].group, UNA_CUBIC_GAP_STD, j->run));
        una_text_add(j->numbers, "; to spare ");
        una_judging_join(j, &spare, UNA_ABOVE, 0);
    }
    return UNA_OK;
}
static const una_rule falls = { .judge = falls_with_penalty };

const una_claim una_cubic_claims[] = {
    { "The GP's epistemic std rises smoothly in the gap", &rises, "gp", NULL },
    { "HMC's epistemic std rises smoothly in the gap", &rises, "hmc", NULL },
    { "LUNA's gap std is between half and twice the GP's", &is_between, "luna", NULL },
    { "LUNA's error at the rows is within a tenth of the GP's", &errs_alike, "luna", NULL },
    { "TUNA reaches at least half of the GP's gap std", &reaches, "tuna", NULL },
    { "MC dropout stays below half of the GP's gap std", &stays_below, "mcd", NULL },
    { "BBVI stays below half of the GP's gap std", &stays_below, "bbvi", NULL },
    { "NLM's gap std falls as its penalty grows", &falls, "nlm", NULL },
    { "The GP's epistemic std rises beyond the rows", &grows, "gp", NULL },
    { "LUNA's epistemic std rises beyond the rows", &grows, "luna", NULL },
    { "Beyond the rows, LUNA's band of ignorance holds the cubic as often as the GP's", &holds_beyond, "luna", NULL },
    { .sentence = NULL }
};
