/* SPDX-License-Identifier: MIT
 *
 * Claims about Bayesian optimisation, as inequalities between numbers of the rows. The thesis claims: all surrogates
 * are fine on branin, svm and logistic; on hartmann6 they are not, the GP is best, and LUNA is better and steadier than
 * NLM. The threshold for "fine", the medians and the comparison with a known library are ours: BoTorch's GP with
 * LogEI on the same protocol at 120 steps has regrets of 0.014, 0.13, 0.20 and 0.49 on four seeds at 0.8 s a step.
 */
#include "bayesopt/bayesopt.h"

#include "draw/number.h"

static const double peer_median = 0.165, peer_seconds = 0.8;
static const double fine_on_branin = 0.1, fine_on_svm = 0.3, fine_on_logistic = 0.6;

double una_bayesopt_quantile(const una_findings *f, const una_group *group, size_t measure, double share,
                             una_arena *arena)
{
    una_mark mark = una_arena_mark(arena);
    double *value = UNA_GET(arena, double, group->count), result = NAN;
    bool whole = value != NULL;
    for (size_t i = 0; whole && i < group->count; i++) {
        value[i] = una_findings_value(f, group->from + i, measure);
        whole = isfinite(value[i]);
    }
    if (whole) result = una_quantile(value, group->count, share);
    una_arena_release(arena, mark);
    return result;
}

double una_bayesopt_median(const una_findings *f, const una_group *group, size_t measure, una_arena *arena)
{
    return una_bayesopt_quantile(f, group, measure, 0.5, arena);
}

static void bayesopt_put_number(una_text *text, double value)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_short(buffer, value, 2));
}

static una_status bayesopt_not_run(int *holds, una_text *text, const char *needs)
{
    *holds = -1;
    una_text_add(text, "needs %s", needs);
    return UNA_OK;
}

/* ---- one model ----------------------------------------------------------------------------------------------- */

/* The group with all its steps; NULL: it was not run, or ended before `measure`. */
static const una_group *whole_group(const una_findings *f, const char *model, const char *data, size_t measure)
{
    const una_group *g = una_findings_group(f, model, data);
    return g && isfinite(una_findings_mean(f, g, measure)) ? g : NULL;
}

static size_t last_stop(const char *data)
{
    return strcmp(data, "branin") == 0 ? UNA_BAYESOPT_AT_50 : UNA_BAYESOPT_AT_200;
}

static una_status bayesopt_claim_most(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      double most, una_run *run)
{
    size_t at = last_stop(claim->data), good = 0;
    const una_group *g = whole_group(f, claim->model, claim->data, at);
    if (!g) return bayesopt_not_run(holds, text, "all steps of that surrogate on that task");
    double median = una_bayesopt_median(f, g, at, &run->scratch);
    for (size_t i = g->from; i < g->from + g->count; i++) good += una_findings_value(f, i, at) <= most;
    una_text_add(text, "median ");
    bayesopt_put_number(text, median);
    una_text_add(text, " (at most ");
    bayesopt_put_number(text, most);
    una_text_add(text, " asked), mean ");
    bayesopt_put_number(text, una_findings_mean(f, g, at));
    una_text_add(text, "; so in %zu of %zu seeds", good, g->count);
    *holds = median <= most;
    return UNA_OK;
}

static una_status claim_hundredth(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                  una_run *run)
{
    return bayesopt_claim_most(holds, text, claim, f, 0.01, run);
}

static una_status claim_seventh(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return bayesopt_claim_most(holds, text, claim, f, 0.15, run);
}

static una_status claim_peer(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g = whole_group(f, claim->model, claim->data, UNA_BAYESOPT_AT_120);
    if (!g) return bayesopt_not_run(holds, text, "120 steps of that surrogate on that task");
    double median = una_bayesopt_median(f, g, UNA_BAYESOPT_AT_120, &run->scratch);
    double seconds = una_findings_mean(f, g, UNA_BAYESOPT_STEP_MEAN);
    una_text_add(text, "median ");
    bayesopt_put_number(text, median);
    una_text_add(text, " after 120 steps (peer: 0.17), ");
    bayesopt_put_number(text, seconds);
    una_text_add(text, " s a step (peer: 0.80)");
    *holds = median < peer_median && seconds < peer_seconds;
    return UNA_OK;
}

/* ---- two of them --------------------------------------------------------------------------------------------- */

static una_status claim_less(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                             const double *statistic, const char *word)
{
    size_t at = last_stop(claim->data);
    const una_group *luna = whole_group(f, claim->model, claim->data, at);
    const una_group *nlm = whole_group(f, "nlm", claim->data, at);
    if (!luna || !nlm) return bayesopt_not_run(holds, text, "all steps of luna and nlm on that task");
    double mine = statistic[(size_t)(luna - f->groups) * f->measures + at];
    double its = statistic[(size_t)(nlm - f->groups) * f->measures + at];
    una_text_add(text, "%s ", word);
    bayesopt_put_number(text, mine);
    una_text_add(text, " against ");
    bayesopt_put_number(text, its);
    una_text_add(text, " of NLM");
    *holds = mine < its;
    return UNA_OK;
}

static una_status claim_better(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)run;
    return claim_less(holds, text, claim, f, f->mean, "mean");
}

static una_status claim_steadier(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                 una_run *run)
{
    (void)run;
    return claim_less(holds, text, claim, f, f->sd, "standard deviation");
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

typedef struct extremes { const una_group *best, *worst; size_t count; } extremes;

static bool is_on_task(const una_findings *f, const una_group *g, const char *data)
{
    const char *its = f->fits[g->from].key.data;
    size_t length = una_row_key_data(its);
    return strlen(data) == length && memcmp(its, data, length) == 0;
}

/* Among surrogates, by their means. */
static extremes extremes_of(const una_findings *f, const char *data, size_t measure)
{
    extremes e = {0};
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *g = &f->groups[i];
        if (una_bayesopt_is_floor(g->model) || !is_on_task(f, g, data)) continue;
        double mean = una_findings_mean(f, g, measure);
        if (!isfinite(mean)) continue;
        e.count++;
        if (!e.best || mean < una_findings_mean(f, e.best, measure)) e.best = g;
        if (!e.worst || mean > una_findings_mean(f, e.worst, measure)) e.worst = g;
    }
    return e;
}

static void put_extremes(una_text *text, const una_findings *f, const extremes *e, size_t measure)
{
    una_text_add(text, "best %s ", e->best->model);
    bayesopt_put_number(text, una_findings_mean(f, e->best, measure));
    una_text_add(text, ", worst %s ", e->worst->model);
    bayesopt_put_number(text, una_findings_mean(f, e->worst, measure));
    una_text_add(text, ", of %zu surrogates", e->count);
}

static una_status bayesopt_claim_best(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      una_run *run)
{
    size_t at = last_stop(claim->data);
    extremes e = extremes_of(f, claim->data, at);
    (void)run;
    if (e.count < 2 || !whole_group(f, claim->model, claim->data, at))
        return bayesopt_not_run(holds, text, "all steps of that surrogate and another one on that task");
    put_extremes(text, f, &e, at);
    *holds = strcmp(e.best->model, claim->model) == 0;
    return UNA_OK;
}

static una_status claim_fine(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    extremes e = extremes_of(f, claim->data, UNA_BAYESOPT_AT_50);
    (void)run;
    if (e.count < 2) return bayesopt_not_run(holds, text, "all steps of two surrogates on that task");
    put_extremes(text, f, &e, UNA_BAYESOPT_AT_50);
    *holds = una_findings_mean(f, e.worst, UNA_BAYESOPT_AT_50) <= fine_on_branin;
    return UNA_OK;
}

static una_status claim_within(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    extremes e = extremes_of(f, claim->data, UNA_BAYESOPT_TEST);
    double most = strcmp(claim->data, "svm") == 0 ? fine_on_svm : fine_on_logistic;
    (void)run;
    if (e.count < 2 || !whole_group(f, e.best->model, claim->data, UNA_BAYESOPT_AT_30))
        return bayesopt_not_run(holds, text, "all steps of two surrogates on that task");
    put_extremes(text, f, &e, UNA_BAYESOPT_TEST);
    *holds = una_findings_mean(f, e.worst, UNA_BAYESOPT_TEST) - una_findings_mean(f, e.best, UNA_BAYESOPT_TEST) <= most;
    return UNA_OK;
}

static una_status claim_floor(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    size_t at = last_stop(claim->data), better = 0, count = 0;
    const una_group *floor = whole_group(f, "random", claim->data, at);
    if (!floor) return bayesopt_not_run(holds, text, "all steps of random search on that task");
    double its = una_bayesopt_median(f, floor, at, &run->scratch);
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *g = &f->groups[i];
        if (una_bayesopt_is_floor(g->model) || !is_on_task(f, g, claim->data)) continue;
        count++;
        better += una_bayesopt_median(f, g, at, &run->scratch) < its;
    }
    if (count == 0) return bayesopt_not_run(holds, text, "a surrogate on that task");
    una_text_add(text, "%zu of %zu have a lower median than its ", better, count);
    bayesopt_put_number(text, its);
    *holds = better == count;
    return UNA_OK;
}

const una_claim una_bayesopt_claims[] = {
    { "On branin all surrogates are fine: mean regret at most 0.1", claim_fine, NULL, "branin" },
    { "On branin the GP's median regret is at most 0.01", claim_hundredth, "gp", "branin" },
    { "On branin LUNA's median regret is at most 0.01", claim_hundredth, "luna", "branin" },
    { "On branin NLM's median regret is at most 0.01", claim_hundredth, "nlm", "branin" },
    { "On hartmann6 the GP's median regret is at most 0.01", claim_hundredth, "gp", "hartmann6" },
    { "On hartmann6 LUNA's median regret is at most 0.15", claim_seventh, "luna", "hartmann6" },
    { "On hartmann6 the GP is best of all surrogates", bayesopt_claim_best, "gp", "hartmann6" },
    { "On hartmann6 LUNA is better than NLM", claim_better, "luna", "hartmann6" },
    { "On hartmann6 LUNA is steadier than NLM", claim_steadier, "luna", "hartmann6" },
    { "On hartmann6 every surrogate is better than random search", claim_floor, NULL, "hartmann6" },
    { "On hartmann6 the GP does better than BoTorch's, in regret and in time", claim_peer, "gp", "hartmann6" },
    { "On svm all surrogates are within 0.3 points of the best", claim_within, NULL, "svm" },
    { "On logistic all surrogates are within 0.6 points of the best", claim_within, NULL, "logistic" },
    { .sentence = NULL }
};
