/* SPDX-License-Identifier: MIT
 *
 * Claims about Bayesian optimisation, as inequalities between numbers of the rows. The thesis claims: all surrogates
 * are fine on branin, svm and logistic; on hartmann6 they are not, the GP is best, and LUNA is better and steadier than
 * NLM. The threshold for "fine", the medians and the comparison with a known library are ours: BoTorch's GP with
 * LogEI on the same protocol at 120 steps has regrets of 0.014, 0.13, 0.20 and 0.49 on four seeds at 0.8 s a step.
 */
#include "bayesopt/bayesopt.h"

#include "bench/claims.h"

/* ---- one model, or two --------------------------------------------------------------------------------------- */

static una_status median_at_most(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    const una_findings *f = j->findings;
    const una_group *g = una_findings_group(f, j->claim->model, j->claim->data);
    size_t good = 0;
    for (size_t i = 0; g && i < g->count; i++)
        good += una_findings_value(f, g->from + i, rule->measure) <= rule->number;
    UNA_TRY(una_judge_inequalities(j));
    if (j->holds != UNA_CANNOT_TELL) una_text_add(j->numbers, "%zu of %zu seeds", good, g->count);
    return UNA_OK;
}

/* At the last step of a task. */
#define MEDIAN_AT_MOST(most, steps) {                                                                                \
    .judge = median_at_most, .number = most, .measure = UNA_BAYESOPT_AT_##steps,                                     \
    .needs = "all steps of that surrogate on that task",                                                             \
    .says = "median {median regret_" #steps ", short 2} (at most {" #most ", short 2} asked), mean {regret_" #steps  \
            ", short 2}; so in ",                                                                                    \
    .ask = { { #most, "median regret_" #steps, UNA_BY_STATISTICS } } }
static const una_rule branin_hundredth = MEDIAN_AT_MOST(0.01, 50), hundredth = MEDIAN_AT_MOST(0.01, 200),
                      seventh = MEDIAN_AT_MOST(0.15, 200);

static const una_rule beats_peer = {
    .needs = "120 steps of that surrogate on that task",
    .says = "median {median regret_120, short 2} after 120 steps (peer: 0.17), {step_seconds_mean, short 2} s a step "
            "(peer: 0.80)",
    .ask = { { "0.165", "median regret_120", UNA_BY_STATISTICS, UNA_ABOVE },
             { "0.8", "step_seconds_mean", UNA_BY_STATISTICS, UNA_ABOVE } } };

#define LESS(words, statistic) {                                                                                     \
    .needs = "all steps of luna and nlm on that task",                                                               \
    .says = words " {" statistic "regret_200, short 2} against {" statistic "nlm:regret_200, short 2} of NLM",       \
    .ask = { { statistic "nlm:regret_200", statistic "regret_200", UNA_BY_STATISTICS, UNA_ABOVE } } }
static const una_rule better = LESS("mean", ""), steadier = LESS("standard deviation", "sd ");

/* ---- all of them --------------------------------------------------------------------------------------------- */

typedef struct extremes { const una_group *best, *worst; size_t count; } extremes;

static bool is_surrogate_on(const una_group *g, const char *data)
{
    const char *its = una_group_key(g)->data;
    return !una_bayesopt_is_floor(g->model) && una_is_item(its, una_row_key_data(its), data);
}

/* Among surrogates, by their means. */
static extremes extremes_of(const una_findings *f, const char *data, size_t measure)
{
    extremes e = {0};
    for (size_t i = 0; i < f->group_count; i++) {
        const una_group *g = &f->groups[i];
        double mean = una_group_mean(g, measure);
        if (!is_surrogate_on(g, data) || !isfinite(mean)) continue;
        e.count++;
        if (!e.best || mean < una_group_mean(e.best, measure)) e.best = g;
        if (!e.worst || mean > una_group_mean(e.worst, measure)) e.worst = g;
    }
    return e;
}

static void put_extremes(una_judging *j, const extremes *e, size_t measure)
{
    una_text_add(j->numbers, "best %s %s, worst %s %s, of %zu surrogates", e->best->model,
                 UNA_FEW_DIGITS(una_group_mean(e->best, measure), 2), e->worst->model,
                 UNA_FEW_DIGITS(una_group_mean(e->worst, measure), 2), e->count);
}

/* The group took all its steps. */
static bool is_whole(const una_group *g, size_t measure)
{
    return g && isfinite(una_group_mean(g, measure));
}

static una_status judge_best(una_judging *j)
{
    const una_claim *c = j->claim;
    extremes e = extremes_of(j->findings, c->data, c->rule->measure);
    if (e.count < 2 || !is_whole(una_findings_group(j->findings, c->model, c->data), c->rule->measure))
        return una_judging_needs(j, "all steps of that surrogate and another one on that task");
    put_extremes(j, &e, c->rule->measure);
    j->holds = strcmp(e.best->model, c->model) == 0;
    return UNA_OK;
}
static const una_rule best = { judge_best, .measure = UNA_BAYESOPT_AT_200 };

/* The worst is at most `number`, or of a classifier at most that much above the best. */
static una_status judge_worst(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    const una_findings *f = j->findings;
    extremes e = extremes_of(f, j->claim->data, rule->measure);
    bool classifier = rule->measure == UNA_BAYESOPT_TEST;
    if (e.count < 2 || (classifier && !is_whole(una_findings_group(f, e.best->model, j->claim->data),
                                                UNA_BAYESOPT_AT_30)))
        return una_judging_needs(j, "all steps of two surrogates on that task");
    put_extremes(j, &e, rule->measure);
    double least = classifier ? una_group_mean(e.best, rule->measure) : 0;
    j->holds = una_group_mean(e.worst, rule->measure) - least <= rule->number;
    return UNA_OK;
}
static const una_rule fine = { judge_worst, .measure = UNA_BAYESOPT_AT_50, .number = 0.1 },
                      fine_svm = { judge_worst, .measure = UNA_BAYESOPT_TEST, .number = 0.3 },
                      fine_logistic = { judge_worst, .measure = UNA_BAYESOPT_TEST, .number = 0.6 };

static una_status judge_floor(una_judging *j)
{
    const una_findings *f = j->findings;
    size_t at = j->claim->rule->measure, lower = 0, count = 0;
    const una_group *floor = una_findings_group(f, "random", j->claim->data);
    if (!is_whole(floor, at)) return una_judging_needs(j, "all steps of random search on that task");
    double its = una_group_quantile(floor, at, 0.5, &j->run->scratch);
    for (size_t i = 0; i < f->group_count; i++) {
        if (!is_surrogate_on(&f->groups[i], j->claim->data)) continue;
        count++;
        lower += una_group_quantile(&f->groups[i], at, 0.5, &j->run->scratch) < its;
    }
    if (count == 0) return una_judging_needs(j, "a surrogate on that task");
    una_text_add(j->numbers, "%zu of %zu have a lower median than its %s", lower, count,
                 UNA_FEW_DIGITS(its, 2));
    j->holds = lower == count;
    return UNA_OK;
}
static const una_rule above_floor = { judge_floor, .measure = UNA_BAYESOPT_AT_200 };

const una_claim una_bayesopt_claims[] = {
    { "On branin all surrogates are fine: mean regret at most 0.1", &fine, NULL, "branin" },
    { "On branin the GP's median regret is at most 0.01", &branin_hundredth, "gp", "branin" },
    { "On branin LUNA's median regret is at most 0.01", &branin_hundredth, "luna", "branin" },
    { "On branin NLM's median regret is at most 0.01", &branin_hundredth, "nlm", "branin" },
    { "On hartmann6 the GP's median regret is at most 0.01", &hundredth, "gp", "hartmann6" },
    { "On hartmann6 LUNA's median regret is at most 0.15", &seventh, "luna", "hartmann6" },
    { "On hartmann6 the GP is best of all surrogates", &best, "gp", "hartmann6" },
    { "On hartmann6 LUNA is better than NLM", &better, "luna", "hartmann6" },
    { "On hartmann6 LUNA is steadier than NLM", &steadier, "luna", "hartmann6" },
    { "On hartmann6 every surrogate is better than random search", &above_floor, NULL, "hartmann6" },
    { "On hartmann6 the GP does better than BoTorch's, in regret and in time", &beats_peer, "gp", "hartmann6" },
    { "On svm all surrogates are within 0.3 points of the best", &fine_svm, NULL, "svm" },
    { "On logistic all surrogates are within 0.6 points of the best", &fine_logistic, NULL, "logistic" },
    { .sentence = NULL }
};
