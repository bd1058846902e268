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
#include "bench/paired.h"
#include "radial/radial.h"

#include "draw/number.h"

static const double close_share = 0.5, collapse_share = 0.5, chance = 0.5;

/* ---- differences ------------------------------------------------------------------------------------------------ */

/* The quantity that a claim wants above 0, for one fit and the GP's fit of the same seed (SIZE_MAX: none). */
typedef double margin(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set);

static double level(const una_findings *f, size_t fit)
{
    double sum = 0;
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) sum += una_findings_value(f, fit, UNA_RADIAL_MEAN + r);
    return sum / UNA_RADIAL_RADII;
}

static double closeness(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set)
{
    (void)set;
    return gp == SIZE_MAX ? NAN : close_share * level(f, gp) - una_findings_value(f, fit, UNA_RADIAL_DISTANCE);
}

static double above(const una_findings *f, size_t fit, size_t gp, size_t m)
{
    return gp == SIZE_MAX ? NAN : una_findings_value(f, fit, m) - una_findings_value(f, gp, m);
}

static double height(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set)
{
    (void)set;
    return above(f, fit, gp, UNA_RADIAL_CENTRE);
}

static double unevenness(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set)
{
    (void)set;
    return above(f, fit, gp, UNA_RADIAL_SYMMETRY);
}

static double lack(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set)
{
    (void)gp;
    return collapse_share * set->ideal - una_findings_value(f, fit, UNA_RADIAL_CENTRE);
}

static double notice(const una_findings *f, size_t fit, size_t gp, const una_radial_set *set)
{
    (void)gp;
    (void)set;
    return una_findings_value(f, fit, UNA_RADIAL_HOLE_AUROC) - chance;
}

/* ---- deciding --------------------------------------------------------------------------------------------------- */

typedef struct against { margin *of; const una_radial_set *set; const una_group *gp; } against;

static double margin_of(const una_findings *f, size_t fit, const void *context)
{
    const against *a = context;
    return a->of(f, fit, a->gp ? una_findings_fit(f, a->gp, &f->fits[fit].key) : SIZE_MAX, a->set);
}

static una_status take_margins(una_paired *paired, const una_findings *f, const una_group *group,
                               const una_radial_set *set, margin *of, una_run *run)
{
    const against gp = { of, set, una_radial_group(f, "gp", set->name) };
    return una_paired_each(paired, f, group, margin_of, &gp, run);
}

static una_status claim_margin(int *holds, una_text *text, const una_claim *claim, const una_findings *f, margin *of,
                               const char *what, una_run *run)
{
    una_radial_set set;
    una_paired paired;
    const una_group *group = una_radial_group(f, claim->model, claim->data);
    *holds = UNA_CANNOT_TELL;
    UNA_TRY(una_radial_set_find(&set, claim->data, run));
    if (!group) {
        una_text_add(text, "needs %s on %s", claim->model, claim->data);
        return UNA_OK;
    }
    UNA_TRY(take_margins(&paired, f, group, &set, of, run));
    una_text_add(text, "%s: ", what);
    una_paired_put(text, &paired);
    *holds = una_paired_least(&paired, 0);
    return UNA_OK;
}

#define JUDGE(name, of, what)                                                                                        \
    static una_status name(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)  \
    {                                                                                                                \
        return claim_margin(holds, text, claim, f, of, what, run);                                                   \
    }
JUDGE(claim_close, closeness, "half of the GP's level less the distance")
JUDGE(claim_high, height, "3 std at the centre less the GP's")
JUDGE(claim_noisy, unevenness, "unevenness over directions less the GP's")
JUDGE(claim_collapse, lack, "half of the ideal less 3 std at the centre")
JUDGE(claim_notice, notice, "AUROC less 1/2")
#undef JUDGE

static una_status claim_far(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    UNA_TRY(claim_close(holds, text, claim, f, run));
    *holds = una_holding_not(*holds);
    return UNA_OK;
}

/* ---- the others ------------------------------------------------------------------------------------------------- */

static bool is_rival(const una_group *group)
{
    const una_radial_entry *entry = una_radial_entry_find(group->model);
    return entry && entry->network && strncmp(group->model, "luna", strlen("luna")) != 0;
}

static const una_group *best_rival(const una_findings *f, const char *data)
{
    const una_group *best = NULL;
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        if (!is_rival(group) || strcmp(f->fits[group->from].key.data, data) != 0) continue;
        double distance = una_findings_mean(f, group, UNA_RADIAL_DISTANCE);
        if (isnan(distance)) continue;
        if (!best || distance < una_findings_mean(f, best, UNA_RADIAL_DISTANCE)) best = group;
    }
    return best;
}

/* Three lists: close, not close, undecided. */
static una_status claim_alone(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    static const char *const words[] = { "not close: ", "; close: ", "; open: " };
    static const int holdings[] = { UNA_DOES_NOT_HOLD, UNA_HOLDS, UNA_CANNOT_TELL };
    una_radial_set set;
    size_t counts[3] = { 0 };
    if (!una_radial_group(f, "gp", claim->data) || !best_rival(f, claim->data)) {
        una_text_add(text, "needs gp and another network on %s", claim->data);
        *holds = UNA_CANNOT_TELL;
        return UNA_OK;
    }

    UNA_TRY(una_radial_set_find(&set, claim->data, run));
    for (size_t v = 0; v < 3; v++) {
        una_text_add(text, "%s", words[v]);
        for (size_t g = 0; g < f->group_count; g++) {
            una_paired paired;
            const una_group *group = &f->groups[g];
            if (!is_rival(group) || una_radial_group(f, group->model, claim->data) != group) continue;
            UNA_TRY(take_margins(&paired, f, group, &set, closeness, run));
            if (una_paired_least(&paired, 0) != holdings[v]) continue;
            una_text_add(text, "%s%s", counts[v]++ ? ", " : "", una_radial_entry_find(group->model)->title);
        }
        if (counts[v] == 0) una_text_add(text, "none");
    }
    *holds = counts[2] || !counts[0] ? UNA_CANNOT_TELL : UNA_HOLDS;
    if (counts[1]) *holds = UNA_DOES_NOT_HOLD;
    return UNA_OK;
}

static una_status claim_nearest(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    una_paired paired;
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    const una_group *own = una_radial_group(f, claim->model, claim->data), *other = best_rival(f, claim->data);
    *holds = UNA_CANNOT_TELL;
    if (!own || !other || !una_radial_group(f, "gp", claim->data)) {
        una_text_add(text, "needs gp, %s and another network on %s", claim->model, claim->data);
        return UNA_OK;
    }

    UNA_TRY(una_paired_groups(&paired, f, other, own, UNA_RADIAL_DISTANCE, run));
    una_text_add(text, "distance %s; %s of the best other network (%s); difference ",
                 una_number_short(a, una_findings_mean(f, own, UNA_RADIAL_DISTANCE), 3),
                 una_number_short(b, una_findings_mean(f, other, UNA_RADIAL_DISTANCE), 3),
                 una_radial_entry_find(other->model)->title);
    una_paired_put(text, &paired);
    *holds = una_paired_least(&paired, 0);
    return UNA_OK;
}

#define IN_BOTH(words, decide, model)                                                                                \
    { "2-D: " words, decide, model, "radial 2" }, { "3-D: " words, decide, model, "radial 3" }

const una_claim una_radial_claims[] = {
    { "1-D: LUNA with probes at the data is close to the GP", claim_close, "luna_data", "radial 1" },
    { "1-D: LUNA with probes between is close to the GP", claim_close, "luna_between", "radial 1" },
    { "1-D: NLM is close to the GP", claim_close, "nlm", "radial 1" },
    { "1-D: TUNA is close to the GP", claim_close, "tuna", "radial 1" },
    { "1-D: SNGP is close to the GP", claim_close, "sngp", "radial 1" },
    { "1-D: the ensemble is close to the GP", claim_close, "ensemble", "radial 1" },
    { "1-D: the bootstrap ensemble is close to the GP", claim_close, "bootstrap", "radial 1" },
    { "1-D: the anchored ensemble is close to the GP", claim_close, "anchored", "radial 1" },
    { "1-D: MC dropout is not close to the GP", claim_far, "mcd", "radial 1" },
    IN_BOTH("LUNA with probes at the data is close to the GP", claim_close, "luna_data"),
    IN_BOTH("LUNA with probes between is close to the GP", claim_close, "luna_between"),
    IN_BOTH("no other network is close to the GP", claim_alone, NULL),
    IN_BOTH("the ensemble is too unsure at the centre", claim_high, "ensemble"),
    IN_BOTH("the ensemble is less even than the GP", claim_noisy, "ensemble"),
    IN_BOTH("the anchored ensemble is too unsure at the centre", claim_high, "anchored"),
    IN_BOTH("the anchored ensemble is less even than the GP", claim_noisy, "anchored"),
    IN_BOTH("TUNA's doubt collapses: below half of the ideal", claim_collapse, "tuna"),
    IN_BOTH("NLM's doubt collapses: below half of the ideal", claim_collapse, "nlm"),
    IN_BOTH("SNGP's doubt collapses: below half of the ideal", claim_collapse, "sngp"),
    IN_BOTH("LUNA with probes at the data is the network nearest to the GP", claim_nearest, "luna_data"),
    IN_BOTH("LUNA with probes between is the network nearest to the GP", claim_nearest, "luna_between"),
    { "Disc: LUNA with probes at the data notices the hole", claim_notice, "luna_data", "disc" },
    { "Disc: LUNA with probes between notices the hole", claim_notice, "luna_between", "disc" },
    { "Ball: LUNA with probes at the data notices the hole", claim_notice, "luna_data", "ball" },
    { "Ball: LUNA with probes between notices the hole", claim_notice, "luna_between", "ball" },
    { .sentence = NULL }
};
