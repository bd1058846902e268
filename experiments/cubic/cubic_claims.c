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

#include "bench/paired.h"
#include "draw/number.h"

#include <float.h>

enum { MOST_PENALTIES = 64 };
static const double rise = 2, most_ripple = 0.1, half = 0.5, twice = 2, most_error = 1.1;

static void cubic_put_number(una_text *text, double value)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, 2));
}

/* ---- what there is to spare ---------------------------------------------------------------------------------- */

/* One side of an inequality: a measure times a factor, plus a number. group NULL: the number alone. */
typedef struct side { const una_group *group; size_t measure; double factor, plus; } side;

typedef struct inequality { side large, small; } inequality;

static double side_of(const side *s, const una_findings *f, const una_row_key *key)
{
    size_t fit = s->group ? una_findings_fit(f, s->group, key) : SIZE_MAX;
    if (!s->group) return s->plus;
    return fit == SIZE_MAX ? NAN : s->factor * una_findings_value(f, fit, s->measure) + s->plus;
}

static double to_spare(const una_findings *f, size_t fit, const void *context)
{
    const inequality *q = context;
    return side_of(&q->large, f, &f->fits[fit].key) - side_of(&q->small, f, &f->fits[fit].key);
}

/* large >= small, or > where it is strict, in the seeds of `seeds`. */
static una_status ask_more(int *holds, una_text *text, const char *what, side large, side small, bool strict,
                           const una_group *seeds, const una_findings *f, una_run *run)
{
    una_paired spare;
    const inequality asked = { large, small };
    UNA_TRY(una_paired_each(&spare, f, seeds, to_spare, &asked, run));
    *holds = una_holding_both(*holds, una_paired_least(&spare, strict ? DBL_MIN : 0));
    una_text_add(text, "; to spare%s ", what);
    una_paired_put(text, &spare);
    return UNA_OK;
}

static side of(const una_group *group, size_t measure, double factor)
{
    return (side){ group, measure, factor, 0 };
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

static una_status cubic_claim_rise(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                   una_run *run)
{
    const una_group *g = una_findings_group(f, claim->model, NULL);
    *holds = UNA_CANNOT_TELL;
    if (!g) {
        una_text_add(text, "needs %s", claim->model);
        return UNA_OK;
    }

    double centre = una_findings_mean(f, g, UNA_CUBIC_CENTRE_STD), data = una_findings_mean(f, g, UNA_CUBIC_DATA_STD);
    una_text_add(text, "std ");
    cubic_put_number(text, centre);
    una_text_add(text, " in the middle of the gap, ");
    cubic_put_number(text, data);
    una_text_add(text, " at the data: ratio ");
    cubic_put_number(text, centre / data);
    una_text_add(text, " (more than 2 asked), ripple ");
    cubic_put_number(text, una_findings_mean(f, g, UNA_CUBIC_RIPPLE));
    una_text_add(text, " (at most 0.10)");

    *holds = UNA_HOLDS;
    UNA_TRY(ask_more(holds, text, " of the std", of(g, UNA_CUBIC_CENTRE_STD, 1), of(g, UNA_CUBIC_DATA_STD, rise), true,
                     g, f, run));
    return ask_more(holds, text, " of the ripple", (side){ .plus = most_ripple }, of(g, UNA_CUBIC_RIPPLE, 1), false, g,
                    f, run);
}

/* The condition on a ratio to the GP, and its words; below INFINITY: no condition. */
typedef struct ask { size_t measure; const char *what; double least, below; const char *words; } ask;

static una_status claim_share(int *holds, una_text *text, const una_claim *claim, const una_findings *f, const ask *a,
                              una_run *run)
{
    const una_group *g = una_findings_group(f, claim->model, NULL), *gp = una_findings_group(f, "gp", NULL);
    *holds = UNA_CANNOT_TELL;
    if (!g || !gp) {
        una_text_add(text, "needs gp and %s", claim->model);
        return UNA_OK;
    }

    double mine = una_findings_mean(f, g, a->measure), its = una_findings_mean(f, gp, a->measure);
    una_text_add(text, "%s ", a->what);
    cubic_put_number(text, mine);
    una_text_add(text, " against ");
    cubic_put_number(text, its);
    una_text_add(text, " of the GP: share ");
    cubic_put_number(text, mine / its);
    una_text_add(text, " (%s asked)", a->words);

    bool both = a->least > 0 && isfinite(a->below);
    *holds = UNA_HOLDS;
    if (a->least > 0)
        UNA_TRY(ask_more(holds, text, both ? " from below" : "", of(g, a->measure, 1), of(gp, a->measure, a->least),
                         false, g, f, run));
    if (isinf(a->below)) return UNA_OK;
    return ask_more(holds, text, both ? " from above" : "", of(gp, a->measure, a->below), of(g, a->measure, 1), true, g,
                    f, run);
}

static una_status claim_reach(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", half, INFINITY, "at least 0.50" };
    return claim_share(holds, text, claim, f, &a, run);
}

/* A std that is too large also contradicts the claim. */
static una_status claim_between(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", half, twice, "0.50 to 2.00" };
    return claim_share(holds, text, claim, f, &a, run);
}

static una_status cubic_claim_error(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                    una_run *run)
{
    const ask a = { UNA_CUBIC_RMSE, "error at the rows", 0, most_error, "below 1.10" };
    return claim_share(holds, text, claim, f, &a, run);
}

static una_status claim_below(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_GAP_STD, "gap std", 0, half, "less than 0.50" };
    return claim_share(holds, text, claim, f, &a, run);
}

static una_status claim_beyond(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const ask a = { UNA_CUBIC_BEYOND_INSIDE, "inside at", 1, INFINITY, "at least 1.00" };
    return claim_share(holds, text, claim, f, &a, run);
}

static una_status claim_grows(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = una_findings_group(f, claim->model, NULL);
    *holds = UNA_CANNOT_TELL;
    if (!g) {
        una_text_add(text, "needs %s", claim->model);
        return UNA_OK;
    }

    una_text_add(text, "std ");
    cubic_put_number(text, una_findings_mean(f, g, UNA_CUBIC_BEYOND_STD));
    una_text_add(text, " beyond the rows, ");
    cubic_put_number(text, una_findings_mean(f, g, UNA_CUBIC_DATA_STD));
    una_text_add(text, " at them (more than twice asked)");
    *holds = UNA_HOLDS;
    return ask_more(holds, text, "", of(g, UNA_CUBIC_BEYOND_STD, 1), of(g, UNA_CUBIC_DATA_STD, rise), true, g, f, run);
}

/* ---- penalties ----------------------------------------------------------------------------------------------- */

typedef struct penalised { double penalty; const una_group *group; } penalised;

static int by_penalty(const void *a, const void *b)
{
    const penalised *p = a, *q = b;
    return (p->penalty > q->penalty) - (p->penalty < q->penalty);
}

static una_status penalty_of(double *penalty, const char *spec_text, una_run *run)
{
    una_spec spec;
    una_mark mark = una_arena_mark(&run->scratch);
    *penalty = NAN;
    una_status status = una_spec_parse(&spec, spec_text, &run->scratch, run);
    for (size_t i = 0; status == UNA_OK && i < spec.count; i++)
        if (strcmp(spec.items[i].key, "penalty") == 0)
            una_parse_number(spec.items[i].value, strlen(spec.items[i].value), penalty);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status list_penalties(penalised *list, size_t *count, const una_claim *claim, const una_findings *f,
                                 una_run *run)
{
    *count = 0;
    for (size_t g = 0; g < f->group_count && *count < MOST_PENALTIES; g++) {
        const una_group *group = &f->groups[g];
        double penalty;
        if (strcmp(group->model, claim->model) != 0) continue;
        UNA_TRY(penalty_of(&penalty, f->fits[group->from].key.spec, run));
        if (!isnan(penalty)) list[(*count)++] = (penalised){ penalty, group };
    }
    qsort(list, *count, sizeof *list, by_penalty);
    return UNA_OK;
}

static una_status claim_penalty(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    penalised list[MOST_PENALTIES] = { { .penalty = 0 } };
    size_t count;
    *holds = UNA_CANNOT_TELL;
    UNA_TRY(list_penalties(list, &count, claim, f, run));
    if (count < 2) {
        una_text_add(text, "needs %s with two penalties or more", claim->model);
        return UNA_OK;
    }

    una_text_add(text, "gap std ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) una_text_add(text, ", ");
        cubic_put_number(text, una_findings_mean(f, list[i].group, UNA_CUBIC_GAP_STD));
        una_text_add(text, " at penalty ");
        una_text_number(text, list[i].penalty);
    }
    *holds = UNA_HOLDS;
    for (size_t i = 1; i < count; i++)
        UNA_TRY(ask_more(holds, text, "", of(list[i - 1].group, UNA_CUBIC_GAP_STD, 1),
                         of(list[i].group, UNA_CUBIC_GAP_STD, 1), true, list[i].group, f, run));
    return UNA_OK;
}

const una_claim una_cubic_claims[] = {
    { "The GP's epistemic std rises smoothly in the gap", cubic_claim_rise, "gp", NULL },
    { "HMC's epistemic std rises smoothly in the gap", cubic_claim_rise, "hmc", NULL },
    { "LUNA's gap std is between half and twice the GP's", claim_between, "luna", NULL },
    { "LUNA's error at the rows is within a tenth of the GP's", cubic_claim_error, "luna", NULL },
    { "TUNA reaches at least half of the GP's gap std", claim_reach, "tuna", NULL },
    { "MC dropout stays below half of the GP's gap std", claim_below, "mcd", NULL },
    { "BBVI stays below half of the GP's gap std", claim_below, "bbvi", NULL },
    { "NLM's gap std falls as its penalty grows", claim_penalty, "nlm", NULL },
    { "The GP's epistemic std rises beyond the rows", claim_grows, "gp", NULL },
    { "LUNA's epistemic std rises beyond the rows", claim_grows, "luna", NULL },
    { "Beyond the rows, LUNA's band of ignorance holds the cubic as often as the GP's", claim_beyond, "luna", NULL },
    { .sentence = NULL }
};
