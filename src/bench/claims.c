/* SPDX-License-Identifier: MIT
 *
 * Means over the seeds, and the thesis's qualitative claims on the cubic gap as inequalities between them:
 *   GP and HMC rise smoothly   centre std > 2 data std, and ripple <= 0.1
 *   LUNA and TUNA like a GP    gap std >= 0.5 of the GP's
 *   MCD and BBVI too sure      gap std <  0.5 of the GP's
 *   NLM and its penalty        gap std falls strictly as the penalty grows
 * A claim holds or not by the means; in how many of the seeds it holds by itself is told beside it. Where a kind was
 * run with several specs, its first one speaks for it.
 */
#include "bench/bench.h"

#include "base/option.h"
#include "report/number.h"

#include <stdlib.h>
#include <string.h>

static const double rise = 2, most_ripple = 0.1, half = 0.5;
enum { CLAIMS = 7, MOST_PENALTIES = 64 };

double una_bench_ripple(const double *std, size_t count)
{
    size_t top = 0;
    double worst = 0;
    for (size_t i = 1; i < count; i++)
        if (std[i] > std[top]) top = i;
    if (count == 0 || !(std[top] > 0)) return 0;
    double highest = std[0];
    for (size_t i = 0; i <= top; i++) {
        highest = fmax(highest, std[i]);
        worst = fmax(worst, highest - std[i]);
    }
    highest = std[count - 1];
    for (size_t i = count; i-- > top;) {
        highest = fmax(highest, std[i]);
        worst = fmax(worst, highest - std[i]);
    }
    return worst / std[top];
}

/* ---- means ----------------------------------------------------------------------------------------------- */

static void add_row(una_bench_mean *mean, const una_bench_row *row)
{
    mean->seeds++;
    mean->gap_std += row->gap_std;
    mean->data_std += row->data_std;
    mean->rmse += row->rmse;
    mean->centre_std += row->centre_std;
    mean->ripple += row->ripple;
    mean->seconds += row->seconds;
}

static void spread(una_bench_mean *mean, const una_bench_result *result)
{
    double gap = 0, data = 0, rmse = 0, n = (double)mean->seeds;
    mean->gap_std /= n, mean->data_std /= n, mean->rmse /= n, mean->centre_std /= n, mean->ripple /= n,
        mean->seconds /= n;
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_row *row = &result->rows[i];
        if (strcmp(row->spec, mean->spec) != 0) continue;
        gap += (row->gap_std - mean->gap_std) * (row->gap_std - mean->gap_std);
        data += (row->data_std - mean->data_std) * (row->data_std - mean->data_std);
        rmse += (row->rmse - mean->rmse) * (row->rmse - mean->rmse);
    }
    double freedom = fmax(n - 1, 1);
    mean->gap_std_sd = sqrt(gap / freedom);
    mean->data_std_sd = sqrt(data / freedom);
    mean->rmse_sd = sqrt(rmse / freedom);
}

static una_status take_means(una_bench_result *result, una_arena *keep)
{
    una_bench_mean *means = UNA_GET(keep, una_bench_mean, result->row_count);
    size_t count = 0;
    UNA_TRY(una_arena_check(keep));
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_row *row = &result->rows[i];
        size_t m = 0;
        while (m < count && strcmp(means[m].spec, row->spec) != 0) m++;
        if (m == count) means[count++] = (una_bench_mean){ .model = row->model, .spec = row->spec };
        add_row(&means[m], row);
    }
    for (size_t m = 0; m < count; m++) spread(&means[m], result);
    result->means = means;
    result->mean_count = count;
    return UNA_OK;
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

typedef struct judging {
    una_bench_result *result;
    una_bench_claim  *claims;            /* [CLAIMS] */
    size_t            count;
    una_arena        *keep;
    una_run          *run;
} judging;

static const una_bench_mean *mean_of(const una_bench_result *result, const char *kind)
{
    for (size_t i = 0; i < result->mean_count; i++)
        if (strcmp(result->means[i].model, kind) == 0) return &result->means[i];
    return NULL;
}

static const una_bench_row *row_of(const una_bench_result *result, const char *spec, uint64_t seed)
{
    una_bench_rows rows = { .at = (una_bench_row *)result->rows, .count = result->row_count };
    return una_bench_rows_find(&rows, spec, seed);
}

static void figure(una_text *text, double value)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, 2));
}

static void claim(judging *j, const char *sentence, const una_text *numbers, int holds)
{
    j->claims[j->count++] = (una_bench_claim){ sentence, numbers->at, holds };
}

static void untested(judging *j, const char *sentence, const char *needs)
{
    una_text text = una_text_in(j->keep);
    una_text_add(&text, "needs %s", needs);
    claim(j, sentence, &text, -1);
}

static bool rises(double centre, double data, double ripple)
{
    return centre > rise * data && ripple <= most_ripple;
}

static void judge_rise(judging *j, const char *kind, const char *sentence)
{
    const una_bench_mean *m = mean_of(j->result, kind);
    size_t seeds = 0;
    if (!m) {
        untested(j, sentence, kind);
        return;
    }
    for (size_t i = 0; i < j->result->row_count; i++) {
        const una_bench_row *row = &j->result->rows[i];
        if (strcmp(row->spec, m->spec) == 0) seeds += rises(row->centre_std, row->data_std, row->ripple);
    }
    una_text text = una_text_in(j->keep);
    una_text_add(&text, "std ");
    figure(&text, m->centre_std);
    una_text_add(&text, " in the middle of the gap, ");
    figure(&text, m->data_std);
    una_text_add(&text, " at the data: ratio ");
    figure(&text, m->centre_std / m->data_std);
    una_text_add(&text, " (more than 2 asked), ripple ");
    figure(&text, m->ripple);
    una_text_add(&text, " (at most 0.10); so in %zu of %zu seeds", seeds, m->seeds);
    claim(j, sentence, &text, rises(m->centre_std, m->data_std, m->ripple));
}

/* least: the share of the GP's gap std is at least half, else below half. */
static void judge_share(judging *j, const char *kind, bool least, const char *sentence)
{
    const una_bench_mean *m = mean_of(j->result, kind), *gp = mean_of(j->result, "gp");
    size_t seeds = 0, pairs = 0;
    if (!m || !gp) {
        una_text needs = una_text_in(j->keep);
        una_text_add(&needs, "gp and %s", kind);
        untested(j, sentence, needs.at);
        return;
    }
    for (size_t i = 0; i < j->result->row_count; i++) {
        const una_bench_row *row = &j->result->rows[i], *other = row_of(j->result, gp->spec, row->seed);
        if (strcmp(row->spec, m->spec) != 0 || !other) continue;
        pairs++;
        seeds += (row->gap_std >= half * other->gap_std) == least;
    }
    una_text text = una_text_in(j->keep);
    una_text_add(&text, "gap std ");
    figure(&text, m->gap_std);
    una_text_add(&text, " against ");
    figure(&text, gp->gap_std);
    una_text_add(&text, " of the GP: share ");
    figure(&text, m->gap_std / gp->gap_std);
    una_text_add(&text, " (%s 0.50 asked); so in %zu of %zu seeds", least ? "at least" : "less than", seeds, pairs);
    claim(j, sentence, &text, (m->gap_std >= half * gp->gap_std) == least);
}

typedef struct penalised { double penalty, gap_std; const char *spec; } penalised;

static int by_penalty(const void *a, const void *b)
{
    const penalised *p = a, *q = b;
    return (p->penalty > q->penalty) - (p->penalty < q->penalty);
}

static una_status penalty_of(double *penalty, const char *spec_text, judging *j)
{
    una_spec spec;
    *penalty = NAN;
    UNA_TRY(una_spec_parse(&spec, spec_text, j->keep, j->run));
    for (size_t i = 0; i < spec.count; i++)
        if (strcmp(spec.items[i].key, "penalty") == 0)
            una_parse_number(spec.items[i].value, strlen(spec.items[i].value), penalty);
    return UNA_OK;
}

/* Whether the gap std falls along the list, which has two members or more, in the rows of one seed. */
static bool falls_in_seed(const una_bench_result *result, const penalised *list, size_t count, uint64_t seed)
{
    double before = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const una_bench_row *row = row_of(result, list[i].spec, seed);
        if (!row || !(row->gap_std < before)) return false;
        before = row->gap_std;
    }
    return true;
}

static void count_falls(una_text *text, const una_bench_result *result, const penalised *list, size_t count)
{
    size_t falls = 0, seeds = 0;
    for (size_t i = 0; i < result->row_count; i++) {
        if (strcmp(result->rows[i].spec, list[0].spec) != 0) continue;
        seeds++;
        falls += falls_in_seed(result, list, count, result->rows[i].seed);
    }
    una_text_add(text, "; falls in %zu of %zu seeds", falls, seeds);
}

static una_status judge_penalty(judging *j, const char *sentence)
{
    penalised list[MOST_PENALTIES];
    size_t count = 0;
    int falls = 1;
    for (size_t i = 0; i < j->result->mean_count && count < MOST_PENALTIES; i++) {
        const una_bench_mean *m = &j->result->means[i];
        double penalty = NAN;
        if (strcmp(m->model, "nlm") == 0) UNA_TRY(penalty_of(&penalty, m->spec, j));
        if (!isnan(penalty)) list[count++] = (penalised){ penalty, m->gap_std, m->spec };
    }
    if (count < 2) {
        untested(j, sentence, "nlm with two penalties or more");
        return UNA_OK;
    }
    qsort(list, count, sizeof *list, by_penalty);
    una_text text = una_text_in(j->keep);
    una_text_add(&text, "gap std ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) una_text_add(&text, ", ");
        figure(&text, list[i].gap_std);
        una_text_add(&text, " at penalty ");
        una_text_number(&text, list[i].penalty);
        if (i > 0 && !(list[i].gap_std < list[i - 1].gap_std)) falls = 0;
    }
    count_falls(&text, j->result, list, count);
    claim(j, sentence, &text, falls);
    return UNA_OK;
}

una_status una_bench_judge(una_bench_result *result, una_arena *keep, una_run *run)
{
    UNA_TRY(take_means(result, keep));
    judging j = { .result = result, .claims = UNA_GET(keep, una_bench_claim, CLAIMS), .keep = keep, .run = run };
    UNA_TRY(una_arena_check(keep));
    judge_rise(&j, "gp", "The GP's epistemic std rises smoothly in the gap");
    judge_rise(&j, "hmc", "HMC's epistemic std rises smoothly in the gap");
    judge_share(&j, "luna", true, "LUNA reaches at least half of the GP's gap std");
    judge_share(&j, "tuna", true, "TUNA reaches at least half of the GP's gap std");
    judge_share(&j, "mcd", false, "MC dropout stays below half of the GP's gap std");
    judge_share(&j, "bbvi", false, "BBVI stays below half of the GP's gap std");
    UNA_TRY(judge_penalty(&j, "NLM's gap std falls as its penalty grows"));
    result->claims = j.claims;
    result->claim_count = j.count;
    return una_arena_check(keep);
}
