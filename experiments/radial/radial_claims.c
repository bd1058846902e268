/* SPDX-License-Identifier: MIT
 *
 * What the thesis claims of the Radial Uncertainty Benchmark, and what we do, as paired statistics over the seeds:
 *   close     half of the GP's mean level over all radii, less the distance from its curve, is above 0
 *   alone     no network but LUNA is close
 *   too high  3 std at the centre, less the GP's, is above 0
 *   noisy     the unevenness over directions, less the GP's, is above 0
 *   collapse  half of the ideal, less 3 std at the centre, is above 0
 *   nearest  the distance of the best other network (by its mean), less that of the claim's model, is above 0
 *   notices   the AUROC of points in the hole, less 1/2, is above 0
 * Networks are those that the thesis compares (NLM, TUNA, SNGP, ensembles, MC dropout, BBVI); HMC, which samples one,
 * is like the GP a standard, and stands in the tables only.
 */
#include "bench/claims.h"
#include "radial/radial.h"

/* The GP's fits are those of the same seeds; without them there are no pairs. */
#define MARGIN(what, large, small)                                                                                   \
    { .needs = "{name} on {data}", .says = what ": {margin}", .ask = { { large, small } }, .spared = "gp" }
#define CLOSE_SAYS "half of the GP's level less the distance"
#define HALF_LEVEL "0.5 gp:m_0..m_30"

static const una_rule is_close = MARGIN(CLOSE_SAYS, HALF_LEVEL, "distance"),
                      is_high = MARGIN("3 std at the centre less the GP's", "centre", "gp:centre"),
                      is_uneven = MARGIN("unevenness over directions less the GP's", "symmetry", "gp:symmetry"),
                      collapses_2 = MARGIN("half of the ideal less 3 std at the centre", "0.125", "centre"),
                      collapses_3 = MARGIN("half of the ideal less 3 std at the centre", "0.0625", "centre"),
                      notices = MARGIN("AUROC less 1/2", "hole_auroc", "0.5");
static const una_rule is_far = { .needs = "{name} on {data}", .says = CLOSE_SAYS ": {margin}", .spared = "gp",
                                 .ask = { { HALF_LEVEL, "distance", .is = UNA_NOT_AT_LEAST } } };

una_status una_radial_find(const una_group **group, una_judging *j, const char *name)
{
    *group = una_radial_group(j->findings, name, j->claim->data);
    return UNA_OK;
}

/* ---- the others ------------------------------------------------------------------------------------------------- */

static bool is_rival(const una_group *group)
{
    const una_radial_entry *entry = una_radial_entry_find(group->model);
    return entry && entry->network && strncmp(group->model, "luna", strlen("luna")) != 0;
}

const una_group *una_radial_nearest(const una_findings *f, const char *data, una_radial_whose whose)
{
    const una_group *best = NULL;
    for (const una_group *g = NULL; (g = una_findings_next(f, g, data));) {
        const una_radial_entry *entry = una_radial_entry_find(g->model);
        bool wanted = whose == UNA_RADIAL_ANY || is_rival(g) == (whose == UNA_RADIAL_RIVAL);
        if (!entry || !entry->network || !wanted) continue;
        double distance = una_group_mean(g, UNA_RADIAL_DISTANCE);
        if (!isnan(distance) && (!best || distance < una_group_mean(best, UNA_RADIAL_DISTANCE))) best = g;
    }
    return best;
}

/* Three lists: close, not close, undecided. */
static una_status judge_alone(una_judging *j)
{
    static const char *const words[] = { "not close: ", "; close: ", "; open: " };
    static const int holdings[] = { UNA_DOES_NOT_HOLD, UNA_HOLDS, UNA_CANNOT_TELL };
    const una_findings *f = j->findings;
    size_t counts[3] = { 0 };
    if (!una_radial_group(f, "gp", j->claim->data) || !una_radial_nearest(f, j->claim->data, UNA_RADIAL_RIVAL))
        return una_judging_needs(j, "gp and another network on {data}");

    for (size_t v = 0; v < 3; v++) {
        una_text_add(j->numbers, "%s", words[v]);
        for (const una_group *group = NULL; (group = una_findings_next(f, group, NULL));) {
            int holds;
            const una_claim one = { .rule = &is_close, .model = group->model, .data = j->claim->data };
            una_text unsaid = una_text_in(&j->run->scratch);
            if (!is_rival(group) || una_radial_group(f, group->model, one.data) != group) continue;
            UNA_TRY(una_claim_judge(&holds, &unsaid, &one, f, j->run));
            if (holds == holdings[v])
                una_text_add(j->numbers, "%s%s", counts[v]++ ? ", " : "", una_radial_entry_find(group->model)->title);
        }
        if (counts[v] == 0) una_text_add(j->numbers, "none");
    }
    j->holds = counts[2] || !counts[0] ? UNA_CANNOT_TELL : UNA_HOLDS;
    if (counts[1]) j->holds = UNA_DOES_NOT_HOLD;
    return UNA_OK;
}
static const una_rule alone = { .judge = judge_alone };

static una_status judge_nearest(una_judging *j)
{
    una_paired paired;
    const una_findings *f = j->findings;
    const char *data = j->claim->data;
    const una_group *own = una_radial_group(f, j->claim->model, data),
                    *other = una_radial_nearest(f, data, UNA_RADIAL_RIVAL);
    if (!own || !other || !una_radial_group(f, "gp", data))
        return una_judging_needs(j, "gp, {name} and another network on {data}");

    UNA_TRY(una_paired_groups(&paired, other, own, UNA_RADIAL_DISTANCE, j->run));
    una_text_add(j->numbers, "distance %s; %s of the best other network (%s); difference ",
                 UNA_FEW_DIGITS(una_group_mean(own, UNA_RADIAL_DISTANCE), 3),
                 UNA_FEW_DIGITS(una_group_mean(other, UNA_RADIAL_DISTANCE), 3),
                 una_radial_entry_find(other->model)->title);
    j->holds = UNA_HOLDS;
    una_judging_join(j, &paired, UNA_AT_LEAST, 0);
    return UNA_OK;
}
static const una_rule nearest = { .judge = judge_nearest };

#define IN_EACH(words, in_2, in_3, model)                                                                            \
    { "2-D: " words, in_2, model, "radial 2" }, { "3-D: " words, in_3, model, "radial 3" }
#define IN_BOTH(words, rule, model) IN_EACH(words, rule, rule, model)

const una_claim una_radial_claims[] = {
    { "1-D: LUNA with probes at the data is close to the GP", &is_close, "luna_data", "radial 1" },
    { "1-D: LUNA with probes between is close to the GP", &is_close, "luna_between", "radial 1" },
    { "1-D: NLM is close to the GP", &is_close, "nlm", "radial 1" },
    { "1-D: TUNA is close to the GP", &is_close, "tuna", "radial 1" },
    { "1-D: SNGP is close to the GP", &is_close, "sngp", "radial 1" },
    { "1-D: the ensemble is close to the GP", &is_close, "ensemble", "radial 1" },
    { "1-D: the bootstrap ensemble is close to the GP", &is_close, "bootstrap", "radial 1" },
    { "1-D: the anchored ensemble is close to the GP", &is_close, "anchored", "radial 1" },
    { "1-D: MC dropout is not close to the GP", &is_far, "mcd", "radial 1" },
    IN_BOTH("LUNA with probes at the data is close to the GP", &is_close, "luna_data"),
    IN_BOTH("LUNA with probes between is close to the GP", &is_close, "luna_between"),
    IN_BOTH("no other network is close to the GP", &alone, NULL),
    IN_BOTH("the ensemble is too unsure at the centre", &is_high, "ensemble"),
    IN_BOTH("the ensemble is less even than the GP", &is_uneven, "ensemble"),
    IN_BOTH("the anchored ensemble is too unsure at the centre", &is_high, "anchored"),
    IN_BOTH("the anchored ensemble is less even than the GP", &is_uneven, "anchored"),
    IN_EACH("TUNA's doubt collapses: below half of the ideal", &collapses_2, &collapses_3, "tuna"),
    IN_EACH("NLM's doubt collapses: below half of the ideal", &collapses_2, &collapses_3, "nlm"),
    IN_EACH("SNGP's doubt collapses: below half of the ideal", &collapses_2, &collapses_3, "sngp"),
    IN_BOTH("LUNA with probes at the data is the network nearest to the GP", &nearest, "luna_data"),
    IN_BOTH("LUNA with probes between is the network nearest to the GP", &nearest, "luna_between"),
    { "Disc: LUNA with probes at the data notices the hole", &notices, "luna_data", "disc" },
    { "Disc: LUNA with probes between notices the hole", &notices, "luna_between", "disc" },
    { "Ball: LUNA with probes at the data notices the hole", &notices, "luna_data", "ball" },
    { "Ball: LUNA with probes between notices the hole", &notices, "luna_between", "ball" },
    { .sentence = NULL }
};
