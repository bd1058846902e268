/* SPDX-License-Identifier: MIT
 *
 * Statistics of claims.
 *   interval     mean +- t sd / sqrt(n), t of Student's distribution with n - 1 degrees of freedom
 *   signed ranks Wilcoxon, Individual comparisons by ranking methods, 1945; differences of 0 are left out. Exact: in
 *                how many of the 2^n signs is the sum of the ranks no larger; else normal, variance less its ties,
 *                corrected for continuity by a half
 *   share        E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927
 */
#include "bench/paired.h"

#include "la/la.h"

enum { MOST_EXACT = 25, LEAST_RANKS = 5, LEAST_PAIRS = 3 };
static const double sure = 0.95;

/* ---- signed ranks -------------------------------------------------------------------------------------------- */

static int compare_difference_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* The sum of the ranks of values above 0, and how much ties reduce the variance; d is sorted by absolute value. */
static double rank_sum(double *ties, const double *d, size_t count)
{
    double sum = 0;
    *ties = 0;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && fabs(d[to]) == fabs(d[from]);) to++;
        double tied = (double)(to - from), rank = ((double)from + 1 + (double)to) / 2;
        *ties += (tied * tied * tied - tied) / 48;
        for (size_t i = from; i < to; i++) sum += d[i] > 0 ? rank : 0;
    }
    return sum;
}

/* ways[s]: how many sets of the ranks 1 ... count have the sum s. */
static double exact_p(double sum, size_t count)
{
    double ways[MOST_EXACT * (MOST_EXACT + 1) / 2 + 1] = { 1 }, tail = 0;
    size_t all = count * (count + 1) / 2, less = (size_t)fmin(sum, (double)all - sum);
    for (size_t rank = 1; rank <= count; rank++)
        for (size_t s = all; s >= rank; s--) ways[s] += ways[s - rank];
    for (size_t s = 0; s <= less; s++) tail += ways[s];
    return fmin(1, 2 * ldexp(tail, -(int)count));
}

/* Sorts d. */
static double signed_ranks(double *d, size_t count)
{
    size_t used = 0;
    double ties;
    for (size_t i = 0; i < count; i++)
        if (d[i] != 0) d[used++] = d[i];
    if (used < LEAST_RANKS) return NAN;
    qsort(d, used, sizeof *d, compare_difference_size);
    double sum = rank_sum(&ties, d, used), n = (double)used;
    if (ties == 0 && used <= MOST_EXACT) return exact_p(sum, used);

    double off = fmax(0, fabs(sum - n * (n + 1) / 4) - 0.5);
    return 2 * una_normal_cdf(-off / sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties));
}

/* ---- pairs --------------------------------------------------------------------------------------------------- */

una_status una_paired_of(una_paired *paired, const double *difference, size_t count, una_run *run)
{
    double square = 0;
    UNA_NEW(&run->scratch, double, d, count);
    una_paired found = { .mean = NAN, .sd = NAN, .low = -INFINITY, .high = INFINITY, .p = NAN };
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(difference[i])) continue;
        d[found.count++] = difference[i];
        sum += difference[i];
        found.above += difference[i] > 0;
    }

    double n = (double)found.count;
    if (found.count > 0) found.mean = sum / n;
    for (size_t i = 0; i < found.count; i++) square += (d[i] - found.mean) * (d[i] - found.mean);
    if (found.count > 1) {
        found.sd = sqrt(square / (n - 1));
        double half = una_student_within(found.count - 1, sure) * found.sd / sqrt(n);
        found.low = found.mean - half;
        found.high = found.mean + half;
    }
    found.p = signed_ranks(d, found.count);
    *paired = found;
    return UNA_OK;
}

una_status una_paired_each(una_paired *paired, const una_group *group, una_margin *of,
                           const void *context, una_run *run)
{
    UNA_NEW(&run->scratch, double, d, group->count);
    for (size_t i = 0; i < group->count; i++) d[i] = of(group->findings, group->from + i, context);
    return una_paired_of(paired, d, group->count, run);
}

typedef struct other_group { const una_group *group; size_t measure; } other_group;

static double above_other(const una_findings *f, size_t fit, const void *context)
{
    const other_group *other = context;
    size_t its = una_group_fit(other->group, &f->fits[fit].key);
    if (its == SIZE_MAX) return NAN;
    return una_findings_value(f, fit, other->measure) - una_findings_value(f, its, other->measure);
}

una_status una_paired_groups(una_paired *paired, const una_group *a, const una_group *b,
                             size_t measure, una_run *run)
{
    const other_group other = { b, measure };
    return una_paired_each(paired, a, above_other, &other, run);
}

/* ---- holdings ------------------------------------------------------------------------------------------------ */

int una_paired_least(const una_paired *paired, double least)
{
    if (paired->count < LEAST_PAIRS) return UNA_CANNOT_TELL;
    return una_holding_least(paired->low, paired->high, least);
}

int una_paired_most(const una_paired *paired, double most)
{
    const una_paired turned = { .count = paired->count, .low = -paired->high, .high = -paired->low };
    return una_paired_least(&turned, -most);
}

int una_paired_within(const una_paired *paired, double most)
{
    return una_holding_both(una_paired_least(paired, -most), una_paired_most(paired, most));
}

int una_holding_both(int one, int other)
{
    if (one == UNA_DOES_NOT_HOLD || other == UNA_DOES_NOT_HOLD) return UNA_DOES_NOT_HOLD;
    return one == UNA_HOLDS ? other : one;
}

int una_holding_not(int holds)
{
    if (holds == UNA_CANNOT_TELL) return holds;
    return holds == UNA_HOLDS ? UNA_DOES_NOT_HOLD : UNA_HOLDS;
}

int una_holding_least(double low, double high, double least)
{
    if (low >= least) return UNA_HOLDS;
    return high < least ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
}

void una_paired_put(una_text *text, const una_paired *paired)
{
    if (paired->count == 0) {
        una_text_add(text, "no pairs");
        return;
    }
    una_text_add(text, "%s (", UNA_BRIEF(paired->mean, 3));
    if (paired->count > 1)
        una_text_add(text, "95 %% interval %s to %s, ", UNA_BRIEF(paired->low, 3),
                     UNA_BRIEF(paired->high, 3));
    if (isfinite(paired->p)) una_text_add(text, "Wilcoxon p %s, ", UNA_BRIEF(paired->p, 2));
    una_text_add(text, "above 0 in %zu of %zu)", paired->above, paired->count);
}

/* ---- shares -------------------------------------------------------------------------------------------------- */

una_share una_share_of(size_t hits, size_t count)
{
    una_share share = { hits, count, 0, 1 };
    if (count == 0) return share;
    double n = (double)count, part = (double)hits / n, z = una_normal_quantile((1 + sure) / 2);
    double middle = (part + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(part * (1 - part) / n + z * z / (4 * n * n));
    share.low = hits == 0 ? 0 : fmax(0, middle - half);
    share.high = hits == count ? 1 : fmin(1, middle + half);
    return share;
}

int una_share_least(const una_share *share, double least)
{
    if (least >= 1 && share->hits < share->count) return UNA_DOES_NOT_HOLD;
    if (share->count < LEAST_PAIRS) return UNA_CANNOT_TELL;
    if (least >= 1 || share->low >= least) return UNA_HOLDS;
    return share->high < least ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
}

void una_share_put(una_text *text, const una_share *share)
{
    double low = 100 * share->low, high = 100 * share->high;
    una_text_add(text, "%zu of %zu seeds", share->hits, share->count);
    if (share->count == 0) return;
    if (share->hits == share->count) una_text_add(text, " (at least %.0f %%)", low);
    else if (share->hits == 0) una_text_add(text, " (at most %.0f %%)", high);
    else una_text_add(text, " (%.0f to %.0f %%)", low, high);
}
