/* SPDX-License-Identifier: MIT
 *
 * Rules of selection: every candidate gets a class and a key within it, and these are sorted. Candidates that are
 * equal under the rule keep their order.
 */
#include "select/select.h"

#include "base/option.h"

typedef enum class { CHOSEN_FROM, BEHIND, WITHOUT } class;
typedef struct place { class class; double key; size_t at; } place;      /* lower keys are better */

static int compare_candidates(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* place [count], at every stride-th number; -1 as sign where the highest is best. */
static void place_by(place *at, const double *number, size_t stride, double sign, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double key = sign * number[i * stride];
        at[i] = isnan(key) ? (place){ WITHOUT, 0, i } : (place){ CHOSEN_FROM, key, i };
    }
}

/* Candidates without mean cos^2 are never chosen, so they do not count in the tenth either. All candidates as good as
 * the last of the tenth belong to it, so that their order does not matter. */
static void place_by_two(place *at, const una_candidate *c, size_t count)
{
    size_t both = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(c[i].log_lik) && !isnan(c[i].mean_cos2)) at[both++] = (place){ CHOSEN_FROM, -c[i].log_lik, i };
    qsort(at, both, sizeof *at, compare_candidates);
    double border = both ? -at[(both + 9) / 10 - 1].key : HUGE_VAL;

    for (size_t i = 0; i < count; i++) {
        double high = c[i].log_lik, low = c[i].mean_cos2;
        bool inside = both && !isnan(high) && !isnan(low) && high >= border;
        at[i] = inside ? (place){ CHOSEN_FROM, low, i }
              : !isnan(high) ? (place){ BEHIND, -high, i } : (place){ WITHOUT, 0, i };
    }
}

/* at [count], best first. */
static una_status sort_places(place **at, const char *rule, const una_candidate *c, size_t count, una_run *run)
{
    enum { STRIDE = sizeof(una_candidate) / sizeof(double) };
    UNA_TRY(una_select_check(rule, run));
    UNA_NEW_AT(&run->scratch, *at, count);
    if (strcmp(rule, "log_lik") == 0) place_by(*at, &c->log_lik, STRIDE, -1, count);
    else if (strcmp(rule, "rmse") == 0) place_by(*at, &c->rmse, STRIDE, 1, count);
    else place_by_two(*at, c, count);
    qsort(*at, count, sizeof **at, compare_candidates);
    return UNA_OK;
}

una_status una_select_order(size_t *order, const char *rule, const una_candidate *candidates, size_t count,
                            una_run *run)
{
    place *at;
    UNA_TRY(sort_places(&at, rule, candidates, count, run));
    for (size_t i = 0; i < count; i++) order[i] = at[i].at;
    return UNA_OK;
}

una_status una_select(size_t *best, const char *rule, const una_candidate *candidates, size_t count, una_run *run)
{
    place *at;
    UNA_TRY(sort_places(&at, rule, candidates, count, run));
    *best = count > 0 && at->class == CHOSEN_FROM ? at->at : SIZE_MAX;
    return UNA_OK;
}

una_status una_select_near(size_t *best, const double *first, const double *then, size_t count, double loss,
                           una_run *run)
{
    double highest = -HUGE_VAL;
    *best = SIZE_MAX;
    if (!(loss >= 0)) UNA_FAIL(run, UNA_E_USAGE, "a loss is 0 or more, and %g is not", loss);
    for (size_t i = 0; i < count; i++)
        if (!isnan(then[i]) && first[i] > highest) highest = first[i];
    for (size_t i = 0; i < count; i++) {
        if (isnan(then[i]) || !(first[i] >= highest - loss)) continue;
        if (*best == SIZE_MAX || then[i] < then[*best]) *best = i;
    }
    return UNA_OK;
}

una_status una_select_check(const char *rule, una_run *run)
{
    if (una_choice("log_lik|rmse|two_stage", rule) >= 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "there is no rule '%.40s'; the rules are log_lik (highest), rmse (lowest) and two_stage "
             "(of the best tenth by log_lik the lowest mean cos^2)", rule);
}
